# Notes the servers' states, asks a running master of HAProxy to load the files in force, and prints its answer, which ends with its log.
# Where no master runs there is nothing to reload: the next one starts with them. One reload at a time. It has no single quotes, since a
# shell command carries it.
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

open(my $lock, ">", $lock_file) or die "lock: $!\n";
flock($lock, LOCK_EX) or die "lock: $!\n";
chown(@owner, $lock_file);

my @states = ask($stats_socket, "show servers state");
if (@states > 1) {
    open(my $file, ">", "$state_file.next") or die "states: $!\n";
    print $file @states;
    close($file) or die "states: $!\n";
    chown(@owner, "$state_file.next") or die "states: $!\n";
    rename("$state_file.next", $state_file) or die "states: $!\n";
}

my @answer = ask($master_socket, "reload") or exit 0;
print @answer;
exit($answer[0] =~ /^Success=1/ ? 0 : 1);
