# Sends a command to the master of an HAProxy, which answers once it has seen the end of the input.
#
# MASTER_SOCKET  socket of the master
use strict;
use warnings;
use Fcntl qw(:flock);
use IO::Socket::UNIX;

sub ask {
    my ($command) = @_;
    my $socket = IO::Socket::UNIX->new(Peer => $ENV{MASTER_SOCKET}) or die "no answer: $!\n";
    print $socket "$command\n";
    shutdown($socket, 1);
    return join("", <$socket>);
}

1;
