# Saves the states of the servers, makes a running HAProxy master load the current files, and prints its answer, which ends with its log.
# If no master runs, there is nothing to reload: the next one starts with these files. Only one reload runs at a time. The program contains
# no single quotes, since a shell command passes it in such quotes.
# Exit codes: 0 loaded, or no master runs; 1 HAProxy refused; 3 something failed before the reload command was sent.
#
# Arguments  socket of the master, socket of the worker, file of the servers' states, lock file of reloads, uid and gid of HAProxy
use strict;
use warnings;
use Fcntl qw(:flock);
use IO::Socket::UNIX;

my ($master_socket, $stats_socket, $state_file, $lock_file, @owner) = @ARGV;

sub ask {
    my ($path, $command) = @_;
    my $socket = IO::Socket::UNIX->new(Peer => $path) or return;
    print $socket "$command\n";
    my @lines = <$socket>;
    return @lines ? @lines : ("no answer\n");
}

sub not_asked {
    print @_, "\n";
    exit 3;
}

open(my $lock, ">", $lock_file) or not_asked("lock: $!");
flock($lock, LOCK_EX) or not_asked("lock: $!");
chown(@owner, $lock_file);

my @states = ask($stats_socket, "show servers state");
if (@states > 1) {
    open(my $file, ">", "$state_file.next") or not_asked("states: $!");
    print $file @states;
    close($file) or not_asked("states: $!");
    chown(@owner, "$state_file.next") or not_asked("states: $!");
    rename("$state_file.next", $state_file) or not_asked("states: $!");
}

my @answer = ask($master_socket, "reload") or exit 0;
print @answer;
exit($answer[0] =~ /^Success=1/ ? 0 : 1);
