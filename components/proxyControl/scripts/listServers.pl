# Prints the processes of an HAProxy, then the servers' states and statistics of each worker, separated by zero bytes.
# It is appended to askMaster.pl.
$SIG{ALRM} = sub { die "no answer in 20 s\n" };
alarm 20;
my $processes = ask("show proc");
my @workers = $processes =~ /^(\d+)\s+worker\s/mg;
print join("\0", $processes, map { (ask("\@!$_ show servers state"), ask("\@!$_ show stat")) } @workers);
