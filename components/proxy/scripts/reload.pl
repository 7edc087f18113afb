# Saves the states of the servers, makes a running HAProxy master load the current files, and prints its answer, which ends with its log.
# If no master runs, there is nothing to reload: the next one starts with these files. Only one reload runs at a time. The program contains
# no single quotes, since a shell command passes it in such quotes.
# Exit codes: 0 loaded, or no master runs; 1 HAProxy refused, or gave no answer to the reload command; 3 something failed before it was sent.
#
# Arguments  socket of the master, socket of the worker, file of the servers' states, lock file of reloads, uid and gid of HAProxy
use strict;
use warnings;
use Errno;
use Fcntl qw(:DEFAULT :flock O_NOFOLLOW);
use IO::Socket::UNIX;

my ($master_socket, $stats_socket, $state_file, $lock_file, @owner) = @ARGV;

my $failed = 3;

sub fail {
    print @_, "\n";
    exit $failed;
}

# A connection to a socket. Undefined if nobody listens there.
sub connected {
    my ($path) = @_;
    my $socket = IO::Socket::UNIX->new(Peer => $path);
    fail("$path: $!") unless $socket or $!{ENOENT} or $!{ECONNREFUSED};
    return $socket;
}

sub ask {
    my ($socket, $command) = @_;
    print $socket "$command\n";
    return join("", <$socket>);
}

my $wait = "another reload goes on";
$SIG{ALRM} = sub { fail($wait) };
$SIG{PIPE} = "IGNORE";
alarm 15;
# The folder belongs to HAProxy, and this may run as root: links in it are not followed.
sysopen(my $lock, $lock_file, O_WRONLY | O_CREAT | O_NOFOLLOW) or fail("lock: $!");
flock($lock, LOCK_EX) or fail("lock: $!");
chown(@owner, $lock);

connected($master_socket) or exit 0;

# Without their states, nodes that are out of service would get requests from the next worker.
$wait = "the states of the servers: HAProxy gives no answer";
alarm 10;
my $worker;
# One that starts doesn't listen yet.
select(undef, undef, undef, 0.1) until $worker = connected($stats_socket);
my $states = ask($worker, "show servers state");
$states =~ /^# be_id .*\n\n\z/ms or fail("the states of the servers: HAProxy answered ", substr($states, 0, 200));
unlink("$state_file.next");
sysopen(my $file, "$state_file.next", O_WRONLY | O_CREAT | O_EXCL) or fail("states: $!");
chown(@owner, $file) or fail("states: $!");
print $file $states;
close($file) or fail("states: $!");
rename("$state_file.next", $state_file) or fail("states: $!");

my $master = connected($master_socket) or exit 0;
$wait = "HAProxy gives no answer to the reload command";
$failed = 1;
alarm 60;
my $answer = ask($master, "reload");
fail($wait) if $answer eq "";
print $answer;
exit($answer =~ /^Success=1/ ? 0 : 1);
