# Health check of the proxy: it is healthy if the redirect of the HTTP port answers. The port is that of proxyContainer.ts.
use IO::Socket::INET;

my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:8080", Timeout => 4) or die "no answer: $@\n";
print $s "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n";
my $line = <$s> // "";
print $line;
exit($line =~ m{^HTTP/1.. 301 } ? 0 : 1)
