# Whether this host may have the floating address: its proxy redirects requests at the published HTTP port, and no update
# has asked the host to hand the address over. Such a request expires by itself.
#
# Arguments  address of the host, published HTTP port, file that asks for a hand-over, seconds until it expires
use strict;
use warnings;
use IO::Socket::INET;

my ($address, $port, $hand_over, $seconds) = @ARGV;

my $asked = (stat $hand_over)[9];
die "asked to hand the address over\n" if defined $asked && abs(time - $asked) < $seconds;

my $socket = IO::Socket::INET->new(PeerAddr => $address, PeerPort => $port, Timeout => 1) or die "no answer: $@\n";
print $socket "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n";
my $line = <$socket> // "";
die "not a redirect: $line\n" unless $line =~ m{^HTTP/1.. 301 };
