#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A refusal is heard on a socket that is read as the program's messages, and on no other.
. "${0%/*}/line.bash"

[[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]] || skip "without pidfd_getfd no socket hears of a refusal"
cp "$HERE/messages.py" .
natural create "$OUT/natural"

hears() { # the line came, before the program's own words
	[[ $out == *"ambit: write $OUT/x was refused (Outside): $OUT/x is outside"*"own words" ]] || fail "$*: not heard: $out"
}
hears_not() {
	[[ $out == "own words" ]] || fail "$*: $out"
	[[ ! -e $OUT/x ]] || fail "$*: it was made"
}

# Both ends are in the session.
for kind in stream shell; do
	held 0 -- "$PYTHON" messages.py inside "$kind" "$CALLS" "$OUT/x"
	hears "$kind"
done
[[ $(grep -c '^ambit: ' <<<"$out") -eq 1 ]] || fail "more than once: $out"
# A protocol of the session's own: a server's socket, one that is standard input as well,
# packets.
for kind in named input seqpacket datagram; do
	held 0 -- "$PYTHON" messages.py inside "$kind" "$CALLS" "$OUT/x"
	hears_not "$kind"
done
# Nobody reads, and there is no room: nobody waits.
held 0 -- "$PYTHON" messages.py inside full "$CALLS" "$OUT/x"
says 'went on'
# --quiet holds here as well.
held 0 --quiet -- "$PYTHON" messages.py inside stream "$CALLS" "$OUT/x"
hears_not quiet

# The other end is outside: a daemon with a name, a connection, a pair. Each is written to by
# the program itself, and hears nothing of ambit's.
peer() { # KIND COMMAND...
	local kind=$1
	shift
	status 0 "$PYTHON" -B "$HERE/messages.py" outside "$kind" "$AMBIT" run --ask deny "$@"
}
SAY='"$1" create "$2/x" 2>&1 >/dev/null; echo own words'
for kind in named tcp pair; do
	peer "$kind" -- sh -c "$SAY" _ "$CALLS" "$OUT"
	hears_not "outside $kind"
done
# The session made the pair, and passed one end on.
peer passed -- "$PYTHON" messages.py inside passed "$CALLS" "$OUT/x"
hears_not passed
# A conversation on all three, as inetd makes it: also for a program with another input.
peer all --quiet -- sh -c "$SAY" _ "$CALLS" "$OUT"
hears_not all
peer all --quiet -- sh -c '"$1" create "$2/x" </dev/null >/dev/null; echo own words' _ "$CALLS" "$OUT"
hears_not "all, other input"

# Ambit's own standard error is a socket that the person reads.
SAY='"$1" create "$2/x" >/dev/null; echo own words >&2'
peer stderr -- sh -c "$SAY" _ "$CALLS" "$OUT"
hears "the person's"
# And so for runs inside: the standard error of the outer one, or a pair in the outer session.
peer stderr -- "$AMBIT" run -- sh -c "$SAY" _ "$CALLS" "$OUT"
hears "the person's, nested"
held 0 -- "$PYTHON" messages.py inside nested "$CALLS" "$OUT/x"
hears nested

# node gives its children sockets.
command -v node >/dev/null || skip "all but node: it is not here"
cat >parent.js <<'END'
const { spawn, exec } = require('child_process');
const [calls, path] = process.argv.slice(2);
const child = spawn(calls, ['create', path]);
let text = '';
child.stderr.on('data', (data) => { text += data; });
child.on('close', () => {
	exec(`"${calls}" create "${path}2" 2>&1`, (error, stdout) => {
		console.log(text.trim() + '\n' + stdout.trim());
	});
});
END
held 0 -- node parent.js "$CALLS" "$OUT/x"
[[ $(grep -c "^ambit: write $OUT/x was refused (Outside): $OUT/x is outside" <<<"$out") -eq 1 ]] || fail "spawn: $out"
[[ $(grep -c "^ambit: write $OUT/x2 was refused (Outside): $OUT/x2 is outside" <<<"$out") -eq 1 ]] || fail "exec: $out"
