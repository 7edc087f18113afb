# Health check of a watchdog: it is healthy if the engine answered it recently.
#
# HEARTBEAT  file that each round of it writes
# The limit is longer than a round in which the engine lets it wait for the start of several containers.
my $age = time - ((stat $ENV{HEARTBEAT})[9] // 0);
print $age < 300 ? "" : "the engine hasn't answered for $age s\n";
exit($age < 300 ? 0 : 1);
