# Sets the servers with certain addresses to a state, in every worker of an HAProxy. It holds the lock that a reload takes: a change
# after a reload saved the states, and before its new worker starts, would be lost. It is appended to askMaster.pl.
#
# Arguments     the state (see ServerState in proxyServers.ts), then the addresses
# RELOAD_LOCK   lock file of reloads
# NOTE_PREFIX   path of the marker files of servers that are out of service, up to the address; `reads-` precedes the address for
#               servers that are only out of the backend that only reads
my ($state, @addresses) = @ARGV;
my $reads = $state =~ s/ reads$//;
my @steps = $state eq "ready after checks" ? ("maint", "ready") : ($state);
my $serves = $steps[-1] eq "ready";
my @notes = map { $reads ? "reads-$_" : $_ } @addresses;
push(@notes, map { "reads-$_" } @addresses) if $serves and not $reads;

# Both limits together leave the caller time for a second attempt.
my $wait = "a reload goes on";
$SIG{ALRM} = sub { die "$wait\n" };
alarm 15;
open(my $lock, ">", $ENV{RELOAD_LOCK}) or die "lock: $!\n";
flock($lock, LOCK_EX) or die "lock: $!\n";

$wait = "HAProxy doesn't answer";
alarm 10;

for my $name ($serves ? () : @notes) {
    open(my $note, ">", "$ENV{NOTE_PREFIX}$name") or die "note: $!\n";
}
my ($running, $old) = split(/^# old workers/m, ask("show proc"));
my @workers = $running =~ /^(\d+)\s+worker\s/mg or die "no worker runs\n";
for my $worker (@workers, ($old // "") =~ /^(\d+)\s+worker\s/mg) {
    my $current = grep { $_ eq $worker } @workers;
    my $states = ask("\@!$worker show servers state");
    die "worker $worker doesn't list its servers: $states\n" if $current and $states !~ /^# be_id /m;
    for my $row (grep { /^\d+ / } split(/\n/, $states)) {
        my (undef, $backend, undef, $name, $address) = split(/ /, $row);
        next unless grep { $_ eq $address } @addresses;
        next if $reads and $backend !~ /^s3_read(-|$)/;
        for my $step (@steps) {
            my $answer = ask("\@!$worker set server $backend/$name state $step");
            die "$backend/$name: $answer\n" if $current and $answer =~ /\S/;
        }
    }
}
for my $name ($serves ? @notes : ()) {
    unlink("$ENV{NOTE_PREFIX}$name");
}
