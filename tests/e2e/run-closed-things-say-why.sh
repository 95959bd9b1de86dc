#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs that need more rights (sudo, su), an inner sandbox (bwrap, unshare) and raw packets
# (ping) fail behind the line. One line says why, on their own stderr and on a terminal, and the
# summary and the report count it once. None of these calls succeeds.
. "${0%/*}/line.bash"

RIGHTS='cannot get more rights here: programs behind ambit never gain privileges. Run it yourself, outside.'
SANDBOX="cannot make a sandbox of its own here: it already runs in ambit's sandbox, where new namespaces are not allowed."
PACKETS='cannot send raw packets here: only TCP and UDP are open behind ambit'
unread=0
[[ ${AMBIT_WITHOUT:-} == pidfd_getfd ]] && unread=1

# says_why PROGRAM SUBJECT TEXT COMMAND...: once on a pipe, once in the report. A program may
# try other closed things as well: that depends on the machine.
says_why() {
	local program=$1 subject=$2 text=$3
	shift 3
	("$AMBIT" run --ask deny --report r.json -- "$@" </dev/null 2>&1 >/dev/null || true) | cat >said
	[[ $(grep -c "^ambit: $program $text" said) -eq 1 ]] || fail "$program: $(cat said)"
	jq -e --arg p "$program" --arg s "$subject" '.refused >= 1 and ([.refusals[] |
		select(.program == $p and .subject == $s)] | length == 1 and .[0].count == 1 and .[0].code == "Denied")' \
		r.json >/dev/null || fail "$program: $(cat r.json)"
	grep -qE '^ambit: (one thing was|[0-9]+ things were) refused' said || fail "no summary: $(cat said)"
}
has() { command -v "$1" >/dev/null; }
left_out=

# -- more rights ------------------------------------------------------------------------------
# Any program that gives rights, not those that are known by name: here it is our own file,
# setuid to ourselves.
CLOSED=$HELPERS/closed
cp "$CLOSED" asks
held 0 -- ./asks rights
[[ $out == 1 && -z $errout ]] || fail "a program without rights: $out / $errout"
chmod u+s asks
says_why asks privileges "$RIGHTS" ./asks rights
held 0 -- ./asks rights
[[ $out == 1 ]] || fail "the answer is another: $out"
held 0 --quiet -- ./asks rights
[[ $out == 1 && -z $errout ]] || fail "--quiet: $errout"
held 1 --fail-on-refusal --quiet -- ./asks rights
for program in sudo su; do
	has "$program" || { left_out+=" $program"; continue; }
	says_why "$program" privileges "$RIGHTS" "$program" -c true
done
# Programs of every day ask for nothing.
held 0 -- sh -c 'ls >/dev/null; id >/dev/null; mount >/dev/null; env >/dev/null'
[[ -z $errout ]] || fail "$errout"

# -- an inner sandbox ---------------------------------------------------------------------------
own=$(readlink /proc/self/ns/user) own="$own $(readlink /proc/self/ns/net)"
for call in unshare clone; do
	for flags in 0x10000000 0x50000000; do # NEWUSER; with NEWNET
		[[ $("$CLOSED" "$call" "$flags" | cat) != "$own" ]] || { left_out+=" namespaces"; break 2; }
		says_why closed namespaces "$SANDBOX" "$CLOSED" "$call" "$flags"
		held 0 --quiet -- "$CLOSED" "$call" "$flags"
		[[ $out == "$own" ]] || fail "$call $flags: it has $out"
	done
done
# Threads and children are no namespaces.
held 0 -- bash -c '(true) & wait; "$1" -c "import threading; t = threading.Thread(target=print); t.start(); t.join()" >/dev/null' _ "$PYTHON"
[[ -z $errout ]] || fail "$errout"
if has bwrap; then says_why bwrap namespaces "$SANDBOX" bwrap --ro-bind / / true; else left_out+=" bwrap"; fi
if has unshare; then says_why unshare namespaces "$SANDBOX" unshare -r true; else left_out+=" unshare"; fi

# -- raw packets ----------------------------------------------------------------------------------
cat >packets.py <<'END'
import socket
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
    for family, protocol in ((socket.AF_INET, 1), (socket.AF_INET6, 58)):
        try:
            socket.socket(family, kind, protocol)
            print("open")
        except OSError as error:
            print(error.errno)
END
"$AMBIT" run --ask deny -- "$PYTHON" packets.py >raw 2>said
[[ $(tr '\n' ' ' <raw) == '93 93 1 1 ' ]] || fail "$(cat raw)"
grep -q "^  send raw packets (Denied; python3.*): only TCP and UDP are open" said || fail "$(cat said)"
[[ $(grep -c "^ambit: python3[^ ]* $PACKETS" said) -eq $((1 - unread)) ]] || fail "$(cat said)"
if [[ $EUID -eq 0 ]]; then
	echo "ping is not tried: the kernel refuses to start it for root, for its file has capabilities"
elif has ping; then
	says_why ping "raw packets" "$PACKETS" ping -c1 127.0.0.1
else
	left_out+=" ping"
fi

# -- on a terminal ----------------------------------------------------------------------------------
((unread)) || person "wait:ambit: asks $RIGHTS" wait:done -- "$AMBIT" run -- sh -c './asks rights; echo done'
# Nobody is stopped by a terminal that shows nothing.
cat >stopped.py <<'END'
import os, pty, subprocess, sys, termios
master, slave = pty.openpty()
termios.tcflow(slave, termios.TCOOFF)
child = subprocess.Popen([sys.argv[1], "run", "--ask", "deny", "--", "sh", "-c", "./asks rights; echo went on"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave, start_new_session=True)
print(child.stdout.readline() + child.stdout.readline())
termios.tcflow(slave, termios.TCOON)
os.close(slave)
while True:
    try:
        if not os.read(master, 4096):
            break
    except OSError:
        break
sys.exit(child.wait())
END
status 0 "$PYTHON" stopped.py "$AMBIT"
says 'went on'
[[ -z $left_out ]] || skip "all but:$left_out, not here"
