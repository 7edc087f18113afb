# Reads or changes the state of a move in an HAProxy: in the file that reloads and restarts read, and in the map of every current worker.
# It holds the lock that a reload takes. It is appended to askMaster.pl.
#
# Arguments     name of the move, of its table of running changes, of its backend, the action, and for `pause` its seconds
# RELOAD_LOCK   lock file of reloads
# MOVE_FILE     file of the state
#
# Actions: status; record: notes for the next reload that everything goes to the other store; pause: holds changes for some seconds;
# hold: without a limit, if they are still held; resume; forward: sends everything to the other store, if changes are still held;
# return: sends everything to this store, if they are still held.
# Prints the state afterwards: "old N" workers of former configurations, "changes N" requests that change something run, "earlier N"
# requests run in workers that don't count changes, "up N" proxies of the other store are up, "held N" changes are held for that many
# seconds, "moved 0" or "moved 1".
my ($name, $table, $backend, $action, $seconds) = @ARGV;
my ($paused, $moved) = ("paused:$name", "moved:$name");
my $for_good = 4102444800;

$SIG{ALRM} = sub { die "a reload goes on\n" };
alarm 15;
open(my $lock, ">", $ENV{RELOAD_LOCK}) or die "lock: $!\n";
flock($lock, LOCK_EX) or die "lock: $!\n";

my %state = ($paused => 0, $moved => 0);
if (open(my $file, "<", $ENV{MOVE_FILE})) {
    while (<$file>) { my ($key, $value) = split; $state{$key} = $value if exists $state{$key} }
}
my ($running, $old) = split(/^# old workers/m, ask("show proc"));
my @workers = $running =~ /^(\d+)\s+worker\s/mg or die "no worker runs\n";
my @old = ($old // "") =~ /^(\d+)\s+worker\s/mg;
my $map = "opt\@$ENV{MOVE_FILE}";

sub record {
    my ($key, $value) = @_;
    $state{$key} = $value;
    open(my $next, ">", "$ENV{MOVE_FILE}.next") or die "state: $!\n";
    print $next "$_ $state{$_}\n" for sort keys %state;
    close($next) or die "state: $!\n";
    rename("$ENV{MOVE_FILE}.next", $ENV{MOVE_FILE}) or die "state: $!\n";
}

sub change {
    my ($key, $value) = @_;
    record($key, $value);
    for my $worker (@workers, @old) {
        my $answer = ask("\@!$worker set map $map $key $value");
        $answer = ask("\@!$worker add map $map $key $value") if $answer =~ /\S/;
        # A worker from before the move has no such map.
        die "this proxy isn't prepared for the move: $answer\n" if $answer =~ /\S/ and grep { $_ eq $worker } @workers;
    }
}

# Changes stay held from here on. The pause must not have ended before all workers know it: some changes would have gone on.
sub keep_held {
    my $end = $state{$paused};
    $end > time() + 1 or die "the pause has ended\n";
    change($paused, $for_good);
    return if $end > time() + 1;
    change($paused, 0);
    die "the pause has ended\n";
}

if ($action eq "record") {
    record($moved, 1);
    exit 0;
}
if ($action eq "pause") { change($paused, time() + $seconds) }
elsif ($action eq "hold") { keep_held() }
elsif ($action eq "resume") { change($paused, 0) }
elsif ($action eq "forward") { keep_held(); change($moved, 1); change($paused, 0) }
elsif ($action eq "return") { keep_held(); change($moved, 0); change($paused, 0) }
elsif ($action ne "status") { die "$action is not an action\n" }

my ($changes, $earlier, $up) = (0, 0, 0);
for my $worker (@workers, @old) {
    my $current = grep { $_ eq $worker } @workers;
    my $entries = ask("\@!$worker show table $table");
    my @statistics = split(/\n/, ask("\@!$worker show stat"));
    if ($entries =~ /^# table:/m) { $changes += $1 while $entries =~ /conn_cur=(\d+)/g }
    else {
        # It doesn't count changes, so every running request may be one.
        for (grep { !/^#|,(FRONTEND|BACKEND),/ } @statistics) { $earlier += (split(/,/))[4] || 0 }
        # Its configuration alone decides.
        $state{$moved} = (grep { /^\Q$backend\E,/ } @statistics) ? 1 : 0 if $current;
    }
    $up += grep { /^\Q$backend\E,(?!FRONTEND|BACKEND)[^,]*,(?:[^,]*,){15}UP/ } @statistics if $current;
}
my $held = $state{$paused} > time() ? $state{$paused} - time() : 0;
print "old ", scalar(@old), "\nchanges $changes\nearlier $earlier\nup $up\nheld $held\nmoved $state{$moved}\n";
