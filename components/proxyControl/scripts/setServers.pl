# Sets the servers with certain addresses to a state, in every worker of an HAProxy. It holds the lock that a reload takes: a change
# after a reload saved the states, and before its new worker starts, would be lost. Servers that an operator has taken out here stay as they
# are. It is appended to askMaster.pl.
#
# Arguments     the state (see ServerState in proxyServers.ts), then the addresses
# RELOAD_LOCK   lock file of reloads
# NOTE_PREFIX   path of the marker files of servers that are out of service, up to the address; `reads-` precedes the address for
#               servers that are only out of the backend that only reads. Each has the names of the servers that were taken out, one on
#               each line; without any (earlier releases), all of that address were
my ($state, @addresses) = @ARGV;
my $reads = $state =~ s/ reads$//;
my @steps = $state eq "ready after checks" ? ("maint", "ready") : ($state);
my $serves = $steps[-1] eq "ready";
my %note_of = map { $_ => $ENV{NOTE_PREFIX} . ($reads ? "reads-$_" : $_) } @addresses;

# Both limits together leave the caller time for a second attempt.
my $wait = "a reload goes on";
$SIG{ALRM} = sub { die "$wait\n" };
alarm 15;
open(my $lock, ">", $ENV{RELOAD_LOCK}) or die "lock: $!\n";
flock($lock, LOCK_EX) or die "lock: $!\n";

$wait = "HAProxy doesn't answer";
alarm 10;

# The names in a note. Undefined if there is no such note.
sub names_in {
    my ($path) = @_;
    open(my $note, "<", $path) or return undef;
    my @names = <$note>;
    chomp(@names);
    return { map { $_ => 1 } @names };
}

# Whether a note has a server. One without names has all.
sub has { my ($note, $name) = @_; return $note && (!%$note || $note->{$name}); }

# The servers of the addresses in an answer: their names, addresses, and whether a command keeps them out (srv_admin_state).
sub servers_in {
    my ($states) = @_;
    my @found;
    for my $row (grep { /^\d+ / } split(/\n/, $states)) {
        my (undef, $backend, undef, $name, $address, undef, $admin) = split(/ /, $row);
        next unless exists $note_of{$address};
        next if $reads and $backend !~ /^s3_read(-|$)/;
        push(@found, { name => "$backend/$name", address => $address, out => ($admin // 0) & (0x01 | 0x08) });
    }
    return @found;
}

my ($running, $old) = split(/^# old workers/m, ask("show proc"));
my @workers = $running =~ /^(\d+)\s+worker\s/mg or die "no worker runs\n";
my @former = ($old // "") =~ /^(\d+)\s+worker\s/mg;
my %servers;
for my $worker (@workers, @former) {
    my $current = grep { $_ eq $worker } @workers;
    my $states = ask("\@!$worker show servers state");
    die "worker $worker doesn't list its servers: $states\n" if $current and $states !~ /^# be_id /m;
    $servers{$worker} = [servers_in($states)];
}

my %own = map { $_ => names_in($note_of{$_}) } @addresses;
my %own_reads = map { $_ => $reads ? undef : names_in("$ENV{NOTE_PREFIX}reads-$_") } @addresses;
sub is_own {
    my ($server) = @_;
    my ($name, $address) = ($server->{name}, $server->{address});
    return has($own{$address}, $name) || ($name =~ /^s3_read[-\/]/ && has($own_reads{$address}, $name));
}

for my $address ($serves ? () : @addresses) {
    my @here = grep { $_->{address} eq $address } map { @{ $servers{$_} } } @workers;
    my @taken = map { $_->{name} } grep { not $_->{out} or is_own($_) } @here;
    next if not @taken or ($own{$address} and not %{ $own{$address} });
    $own{$address} = { %{ $own{$address} // {} }, map { $_ => 1 } @taken };
    open(my $note, ">", $note_of{$address}) or die "note: $!\n";
    print $note map { "$_\n" } sort keys %{ $own{$address} };
    close($note) or die "note: $!\n";
}

for my $worker (@workers, @former) {
    my $current = grep { $_ eq $worker } @workers;
    for my $server (grep { is_own($_) } @{ $servers{$worker} }) {
        for my $step (@steps) {
            my $answer = ask("\@!$worker set server $server->{name} state $step");
            die "$server->{name}: $answer\n" if $current and $answer =~ /\S/;
        }
    }
}
for my $address ($serves ? @addresses : ()) {
    unlink($note_of{$address});
    unlink("$ENV{NOTE_PREFIX}reads-$address") if not $reads;
}
