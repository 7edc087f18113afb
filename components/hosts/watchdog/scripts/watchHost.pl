# Starts the containers of one deployment that the engine of this host doesn't start again by itself:
# - Those that it couldn't start: they are attached to a swarm's network, and the swarm had no quorum of managers.
# - Those that it has ended when it started itself: they had gone on after the former engine was killed, and the new one takes them for
#   stopped explicitly (moby#41302).
# What was stopped explicitly has neither a start error nor an end from before the engine answered, and stays stopped.
#
# Arguments      labels of the containers, as NAME=VALUE; each container has one of them
# ENGINE_SOCKET  socket of the engine
# HEARTBEAT      file that each round in which the engine answered writes
# ROUND_SECONDS  pause between two rounds; 0 for a single round
use strict;
use warnings;
use IO::Socket::UNIX;
use POSIX ();

# The engine itself waits 20 s for the managers when it starts a container.
my $patience = 60;
my %failures;

$ENV{TZ} = "UTC";
$| = 1;
# The first process of a container ignores signals that it doesn't handle.
$SIG{TERM} = $SIG{INT} = sub { exit 0 };

sub ask {
    my ($method, $path) = @_;
    local $SIG{ALRM} = sub { die "no answer in $patience s\n" };
    alarm $patience;
    my $socket = IO::Socket::UNIX->new(Peer => $ENV{ENGINE_SOCKET}) or die "$!\n";
    print $socket "$method $path HTTP/1.0\r\nHost: engine\r\nContent-Length: 0\r\n\r\n";
    my ($head, $body) = split(/\r\n\r\n/, join("", <$socket>), 2);
    alarm 0;
    my ($code) = ($head // "") =~ m{^HTTP/1\.\d (\d+)} or die "an answer that isn't HTTP\n";
    return ($code, $body // "");
}

sub encoded {
    my ($text) = @_;
    $text =~ s/([^A-Za-z0-9])/sprintf("%%%02X", ord($1))/ge;
    return $text;
}

# A string of JSON without its escapes, on one line.
sub plain {
    my ($text) = @_;
    $text =~ s/\\[nrt]/ /g;
    $text =~ s/\\(.)/$1/g;
    return $text;
}

# Identifiers of the containers that don't run.
sub ended {
    my ($label) = @_;
    my $filters = encoded(sprintf('{"label":["%s"],"status":["created","exited"]}', $label));
    my ($code, $body) = ask("GET", "/containers/json?all=1&filters=$filters");
    die "containers can't be listed: $code $body\n" if $code != 200;
    return $body =~ /"Id":"([0-9a-f]+)"/g;
}

# A container's name, and the error of its last start. Quotes within strings have a backslash before them, so these patterns match keys only.
sub start_error {
    my ($id) = @_;
    my ($code, $body) = ask("GET", "/containers/$id/json");
    return if $code != 200;
    my ($name) = $body =~ m{"Name":"/([^"]+)"};
    my ($policy) = $body =~ /"RestartPolicy":\{[^{}]*"Name":"([^"]*)"/;
    my ($state) = $body =~ /"State":(\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|(?1))*\})/;
    my ($error) = ($state // "") =~ /"Error":"((?:[^"\\]|\\.)*)"/;
    return if ($policy // "") !~ /^(always|unless-stopped)$/;
    return ($name, plain($error // ""));
}

# A time in JSON, in nanoseconds since 1970.
sub nanoseconds {
    my ($time) = @_;
    my ($year, $month, @rest) = $time =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(?:\.(\d+))?(?:Z|([+-])(\d+):(\d+))$/ or return;
    my ($day, $hour, $minute, $second, $fraction, $sign, $hours, $minutes) = @rest;
    my $ahead = defined $sign ? "${sign}1" * ($hours * 3600 + $minutes * 60) : 0;
    my $seconds = POSIX::mktime($second, $minute, $hour, $day, $month - 1, $year - 1900) - $ahead;
    return $seconds * 1_000_000_000 + substr(($fraction // "") . "0" x 9, 0, 9);
}

# Identifiers of the containers that the engine has ended when it started itself. It makes its default network after that, and before it
# answers. It remembers the last events since its own start.
sub ended_at_start {
    my ($code, $network) = ask("GET", "/networks/bridge");
    my $made = nanoseconds($code == 200 && $network =~ /"Created":"([^"]+)"/ ? $1 : "") or return {};
    my $filters = encoded('{"type":["container"],"event":["die"]}');
    ($code, my $events) = ask("GET", "/events?since=0&until=" . time . "&filters=$filters");
    return {} if $code != 200;
    my %last;
    for (split(/\n/, $events)) {
        $last{$1} = $2 if /"Actor":\{"ID":"([0-9a-f]+)".*"timeNano":(\d+)/;
    }
    return { map { $_ => 1 } grep { $last{$_} < $made } keys %last };
}

# Says what has failed, once until it fails otherwise.
sub note {
    my ($subject, $failure) = @_;
    print "$subject: $failure\n" if $failure ne ($failures{$subject} // "");
    $failures{$subject} = $failure;
}

sub start {
    my ($id, $ended_at_start) = @_;
    my ($name, $error) = start_error($id) or return;
    return if $error eq "" and not $ended_at_start->{$id};
    my ($code, $body) = eval { ask("POST", "/containers/$id/start") } or return note($name, "can't be started yet: " . plain($@ =~ s/\n//gr));
    if ($code == 204) {
        print "$name: started; the engine " . ($error eq "" ? "had ended it when it started itself" : "couldn't: $error") . "\n";
        delete $failures{$name};
    } elsif ($code >= 500 or $code == 400) {
        my ($message) = $body =~ /"message":"((?:[^"\\]|\\.)*)"/;
        note($name, "can't be started yet: " . plain($message // $code));
    }
}

sub round {
    my @ids = map { ended($_) } @ARGV;
    open(my $file, ">", $ENV{HEARTBEAT}) or die "$ENV{HEARTBEAT}: $!\n";
    my $ended_at_start = @ids ? ended_at_start() : {};
    start($_, $ended_at_start) for @ids;
}

for (;;) {
    my $answered = eval { round(); 1 };
    note("engine", $answered ? "answers" : $@ =~ s/\n//gr) if not $answered or defined $failures{engine};
    exit($answered ? 0 : 1) if $ENV{ROUND_SECONDS} == 0;
    sleep $ENV{ROUND_SECONDS};
}
