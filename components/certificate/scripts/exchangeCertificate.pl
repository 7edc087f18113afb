# Exchanges the certificate by ACME between the proxies of a store, and decides which of them orders. It talks to other proxies only
# through its own proxy, by two sockets: the proxies encrypt, and authenticate each other.
#
# ACME_DIRECTORY   folder of the ACME client, with the notes that orderCertificate.sh and takeTurns.sh describe
# HOSTNAMES        names that the certificate covers, separated by spaces
# ORDER            the order that it is obtained for
# FRONT_ENDS       names of all proxies, separated by spaces; an earlier one orders before a later one
# FRONT_END        the name of this one
# PEERS_SOCKET     socket of the proxy: /NAME/state and /NAME/files are those of the proxy NAME
# EXCHANGE_SOCKET  socket on which this script answers other proxies
# INTERVAL_SECONDS, SILENCE_SECONDS   time between two requests for a state; time after which a silent proxy loses its turn
#
# /state: a line for each of: order; alive, 1 if the client works; busy, 1 while it orders; failures in a row; account, 1 if there is one;
# and, if there is a certificate for that order: certificate, with its digest and the start and end of its validity.
# /files: each file of the client's account and certificate as a line with its path and length, and then the content and a line break.
use strict;
use warnings;
use Fcntl qw(O_WRONLY O_CREAT O_EXCL);
use IO::Socket::UNIX;
use POSIX qw(WNOHANG);

# A client without a sign of life for this long has ended, in seconds. One that orders gives none meanwhile.
my $ALIVE_SECONDS = 15;
my $LONGEST_ORDER_SECONDS = 600;
# An answer, or a file, with more bytes is refused.
my $LONGEST_ANSWER = 1 << 20;
# After so many failures in a row of a client, a later one may order, if the certificate has too little time left.
my $FAILURES = 3;

$| = 1;
$SIG{PIPE} = "IGNORE";
$SIG{$_} = sub { exit 0 } for qw(TERM INT USR1);
umask 077;
chdir $ENV{ACME_DIRECTORY} or die "$ENV{ACME_DIRECTORY}: $!\n";
my ($first_host) = split / /, $ENV{HOSTNAMES};
my $files = "certificates/$first_host";
my @front_ends = split / /, $ENV{FRONT_ENDS};
my ($own_place) = grep { $front_ends[$_] eq $ENV{FRONT_END} } 0 .. $#front_ends;

sub say_time {
    my @now = gmtime;
    printf "%04d-%02d-%02dT%02d:%02d:%02dZ %s\n", $now[5] + 1900, $now[4] + 1, @now[3, 2, 1, 0], "@_";
}

# Seconds since the start of the machine: unlike the time of day, they are never set.
sub uptime { return (split / /, content("/proc/uptime") // time)[0] }

sub content {
    my ($path) = @_;
    open(my $file, "<", $path) or return;
    local $/;
    return scalar <$file>;
}

sub read_note {
    my ($line) = split /\n/, content($_[0]) // "";
    return $line // "";
}

sub is_recent {
    my ($name, $seconds) = @_;
    my $time = read_note($name);
    return $time =~ /^\d+$/ && abs(time - $time) <= $seconds ? 1 : 0;
}

sub output_of {
    my ($command, @arguments) = @_;
    open(my $pipe, "-|", "/bin/sh", "-c", $command, "sh", @arguments) or return "";
    my $text = join "", <$pipe>;
    close($pipe);
    chomp $text;
    return $text;
}

# The certificate that was obtained for ORDER: its digest, and the start and end of its validity. Undefined if there is none, or if the
# client is writing it.
my ($known, $known_files) = (undef, "");
sub own_certificate {
    my ($digest, $order) = split / /, read_note("ready"), 2;
    return if !defined $order || $order ne $ENV{ORDER};
    return if grep { !-f "$files.$_" } qw(crt key);
    my $state = join " ", $digest, map { my @found = stat "$files.$_"; @found[1, 7, 9] } qw(crt key);
    if ($state ne $known_files) {
        $known = undef;
        $known_files = $state;
        my $found = output_of('cat "$1.crt" "$1.key" 2> /dev/null | sha256sum', $files);
        if ($found =~ /^\Q$digest\E\b/) { $known = with_dates($digest, "$files.crt") }
    }
    return $known;
}

sub with_dates {
    my ($digest, $file) = @_;
    my @dates = map { output_of('openssl x509 -in "$1" -noout "$2" 2> /dev/null', $file, $_) } qw(-startdate -enddate);
    my ($start, $end) = map { output_of('date -d "$1" +%s 2> /dev/null', s/^[^=]*=//r) } @dates;
    return "$start$end" =~ /^\d+$/ ? { digest => $digest, start => $start, end => $end } : undef;
}

sub account_files { return grep { -f } glob("accounts/*/*/account.json accounts/*/*/keys/*.key") }

sub state_text {
    my $certificate = own_certificate();
    my $busy = is_recent("ordering", $LONGEST_ORDER_SECONDS);
    my $failures = read_note("failures");
    my @lines = (
        "order $ENV{ORDER}",
        "alive " . ($busy || is_recent("alive", $ALIVE_SECONDS)),
        "busy $busy",
        "failures " . ($failures =~ /^\d+$/ ? $failures : 0),
        "account " . (account_files() ? 1 : 0),
        $certificate ? "certificate @{$certificate}{qw(digest start end)}" : (),
    );
    return join "", map { "$_\n" } @lines;
}

sub files_text {
    my @paths = (account_files(), own_certificate() ? grep { -f } map { "$files.$_" } qw(crt key json) : ());
    return join "", map { my $text = content($_) // ""; "$_ " . length($text) . "\n$text\n" } @paths;
}

# Answers the other proxies, which this one has authenticated.
sub serve {
    my ($listener) = @_;
    my %texts = ("/state" => \&state_text, "/files" => \&files_text);
    while (1) {
        my $client = $listener->accept or next;
        eval {
            local $SIG{ALRM} = sub { die "slow\n" };
            alarm 5;
            my ($path) = (<$client> // "") =~ m{^GET (\S+) };
            while (my $header = <$client>) { last if $header =~ /^\r?\n$/ }
            my $text = $texts{$path // ""};
            my $body = $text ? $text->() : "";
            my $status = $text ? "200 OK" : "404 Not Found";
            my @headers = ("Content-Type: text/plain", "Content-Length: " . length $body, "Connection: close");
            print $client join("\r\n", "HTTP/1.1 $status", @headers, "", $body);
            close($client);
            alarm 0;
        };
        alarm 0;
    }
}

# What a proxy answers. Undefined if it doesn't.
sub ask {
    my ($front_end, $what) = @_;
    my $answer = eval {
        local $SIG{ALRM} = sub { die "slow\n" };
        alarm 8;
        my $socket = IO::Socket::UNIX->new(Peer => $ENV{PEERS_SOCKET}) or die "$!\n";
        print $socket "GET /$front_end/$what HTTP/1.1\r\nHost: $front_end\r\nConnection: close\r\n\r\n";
        my $text = "";
        while (read $socket, $text, 65536, length $text) { die "too long\n" if length $text > $LONGEST_ANSWER }
        alarm 0;
        $text;
    };
    alarm 0;
    my ($head, $body) = split /\r\n\r\n/, $answer // "", 2;
    return if !defined $body || $head !~ m{^HTTP/1\.\d 200 };
    my ($length) = $head =~ /^content-length: (\d+)/mi;
    return !defined $length || $length == length $body ? $body : undef;
}

sub state_of {
    my ($front_end) = @_;
    my $text = ask($front_end, "state") // return;
    my %state = map { split / /, $_, 2 } grep { / / } split /\n/, $text;
    return if ($state{order} // "") ne $ENV{ORDER};
    if (($state{certificate} // "") =~ /^([0-9a-f]{64}) (\d+) (\d+)$/) {
        # Otherwise a certificate of the far future would never be replaced.
        if ($2 <= time + 86400 && $3 > time) { $state{found} = { digest => $1, start => $2, end => $3, from => $front_end } }
    }
    return \%state;
}

# Orders certificates by age. Two of the same second have an order too, so that all proxies choose the same one.
sub compare { return $_[0]{start} <=> $_[1]{start} || $_[0]{digest} cmp $_[1]{digest} }

sub write_file {
    my ($path, $text) = @_;
    my $folder = "";
    for my $part (split m{/}, $path =~ s{/[^/]*$}{}r) {
        $folder .= $folder eq "" ? $part : "/$part";
        mkdir $folder;
    }
    sysopen(my $file, $path, O_WRONLY | O_CREAT | O_EXCL) or return 0;
    return print($file $text) && close($file);
}

# The files of a proxy, by their paths: those of its account, and of its certificate. Other paths are refused.
sub files_of {
    my ($front_end) = @_;
    my $text = ask($front_end, "files") // return;
    my %found;
    while ($text =~ s/^([^\n]+) (\d+)\n//) {
        my ($path, $length) = ($1, $2);
        return if length $text <= $length;
        my $inner = substr $text, 0, $length + 1, "";
        return if grep { /^\.{0,2}$/ } split m{/}, $path, -1;
        return if $path !~ m{^accounts/[^/]+/[^/]+/(account\.json|keys/[^/]+\.key)$} && $path !~ m{^\Q$files\E\.(crt|key|json)$};
        chop $inner;
        $found{$path} = $inner;
    }
    return \%found;
}

# Puts files of another proxy where the client takes them over. Returns whether they are there.
sub take {
    my ($front_end, $certificate, $replaces) = @_;
    return 0 if -e "taken";
    my $found = files_of($front_end) // return 0;
    system("rm", "-rf", "taken.next");
    mkdir "taken.next" or return 0;
    delete @{$found}{grep { /^certificates/ } keys %$found} if !$certificate;
    my %notes = (order => $ENV{ORDER}, from => $front_end, replaces => $replaces);
    my $written = 1;
    for my $name (keys %notes) { $written &&= write_file("taken.next/$name", "$notes{$name}\n") }
    for my $path (keys %$found) { $written &&= write_file("taken.next/$path", $found->{$path}) }
    if ($written && $certificate) {
        my $digest = output_of('cat "$1.crt" "$1.key" 2> /dev/null | sha256sum', "taken.next/$files");
        $written = $digest =~ /^\Q$certificate->{digest}\E\b/;
    }
    $written &&= rename "taken.next", "taken";
    system("rm", "-rf", "taken.next");
    return $written ? 1 : 0;
}

# Whether this proxy's certificate has so little time left that it orders although an earlier one is there, which fails: each place
# has 3 % of the validity less than the one before.
sub is_overdue {
    my ($certificate) = @_;
    return 1 if !$certificate || $certificate->{end} <= time;
    return $certificate->{end} - time < ($certificate->{end} - $certificate->{start}) * (0.3 - 0.03 * $own_place);
}

my $started = uptime();
my (%heard, %answered, $behind_since);
my $said = "";

sub whose_turn {
    my ($states, $certificate, $behind) = @_;
    my $now = uptime();
    my @others = grep { $_ ne $ENV{FRONT_END} } @front_ends;
    $answered{$_} = 1 for keys %$states;
    for my $name (@others) {
        my $state = $states->{$name} // next;
        my $fails = ($state->{failures} // 0) >= $FAILURES && is_overdue($certificate);
        if ($state->{alive} && !$fails) { $heard{$name} = $now }
    }
    my ($busy) = grep { $states->{$_} && $states->{$_}{alive} && $states->{$_}{busy} } @others;
    return $busy if $busy;
    for my $place (0 .. $own_place - 1) {
        my $name = $front_ends[$place];
        return $name if $now - ($heard{$name} // $started) < $ENV{SILENCE_SECONDS};
    }
    # A proxy that starts asks all others first, as far as they answer.
    return "" if $now - $started < 5 * $ENV{INTERVAL_SECONDS} && grep { !$answered{$_} } @others;
    $behind_since = $behind ? $behind_since // $now : undef;
    return "" if defined $behind_since && $now - $behind_since < $ENV{SILENCE_SECONDS};
    return $ENV{FRONT_END};
}

sub round {
    my %states;
    for my $name (grep { $_ ne $ENV{FRONT_END} } @front_ends) {
        my $state = state_of($name);
        $states{$name} = $state if $state;
    }
    my $replaces = read_note("ready");
    my $certificate = own_certificate();
    my ($newest) = sort { compare($b, $a) } map { $_->{found} // () } values %states;
    my $behind = 0;
    if ($newest && (!$certificate || compare($newest, $certificate) > 0)) {
        $behind = !take($newest->{from}, $newest, $replaces);
    } elsif (!account_files()) {
        # The account of an earlier proxy: a CA may bind a customer to one account only.
        my ($from) = grep { $states{$_} && $states{$_}{account} } @front_ends[0 .. $own_place - 1];
        take($from, undef, $replaces) if $from;
    }
    my $turn = whose_turn(\%states, $certificate, $behind);
    if ($turn eq $ENV{FRONT_END}) {
        if (open(my $file, ">", "turn.next")) {
            print $file int(time + 10 + 2 * $ENV{INTERVAL_SECONDS}), "\n";
            close($file) && rename "turn.next", "turn";
        }
    } else {
        unlink "turn";
    }
    if ($turn ne "" && $turn ne $said) {
        say_time(($turn eq $ENV{FRONT_END} ? "this proxy" : "proxy $turn") . " orders and renews the certificate");
        $said = $turn;
    }
}

unlink "turn", $ENV{EXCHANGE_SOCKET};
my $listener = IO::Socket::UNIX->new(Local => $ENV{EXCHANGE_SOCKET}, Listen => 64) or die "$ENV{EXCHANGE_SOCKET}: $!\n";
my $server = fork // die "$!\n";
if ($server == 0) { serve($listener) }
close($listener);
while (waitpid($server, WNOHANG) == 0) {
    round();
    select undef, undef, undef, $ENV{INTERVAL_SECONDS};
}
die "the part that answers other proxies has ended\n";
