#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# inside.sh PART...: what is looked at from inside the container that `run` makes.
# The folder is /work, /out is a place outside, /tools holds the programs.
# Parts are called by their names, and WORDS comes from config.py.
# shellcheck disable=SC2317,SC2153
set -uo pipefail
cd /work || exit 1
umask 022

fail() {
	echo "not so: $*"
	exit 1
}

eventually() {
	local n
	for ((n = 0; n < 200; n++)); do
		"$@" && return
		sleep 0.02
	done
	fail "never so: $*"
}

gets() { # STATUS COMMAND...: words are in $out
	local want=$1 got=0
	shift
	out=$("$@" 2>&1) || got=$?
	[[ $got -eq $want ]] || fail "'$*' exits with $got, not $want: $out"
}

# Inside works, outside is refused, a yes does it, the status is the command's.
part_line() {
	rm -rf d "/out/"*
	gets 7 ambit run --ask deny -- bash -c '
		echo in >in && mkdir d && mv in d/ && chmod 600 d/in && echo more >>d/in || exit 1
		echo no >/out/no; mkdir /out/dir; rm -f /kept; chmod 777 /kept; echo no >/etc/no
		exit 7'
	[[ $out == *"was refused"*/out/no* || $out == *"things were refused"* ]] || fail "no words: $out"
	[[ $(cat d/in) == $'in\nmore' && $(stat -c %a d/in) == 600 ]] || fail "inside"
	[[ -z $(ls /out) && $(stat -c %a /kept) == 644 && ! -e /etc/no ]] || fail "outside was changed"
	gets 3 ambit run --ask allow -- bash -c '
		echo yes >/out/yes; mkdir /out/dir; chmod 750 /out/dir; touch -d @9 /out/yes; exit 3'
	[[ $(cat /out/yes) == yes && $(stat -c %a /out/dir) == 750 && $(stat -c %Y /out/yes) == 9 ]] ||
		fail "not done after a yes: $(ls -l /out)"
	gets 127 ambit run --ask deny -- /nothing
	gets 137 ambit run --ask deny -- bash -c 'kill -9 $$'
	gets 124 ambit run --ask deny --timeout 0.2 -- sleep 1000
	gets 0 ambit run --ask deny -- bash -c 'echo a >/dev/stderr; echo b >/dev/stdout; : >"$TMPDIR/t"'
}

# The line about a refusal reaches the program's own standard error.
part_heard() {
	local words
	words=$(ambit run --ask deny -- bash -c 'echo x >/out/never' 2>&1 | sed -n 1p || true)
	[[ $words == "ambit: write /out/never was refused"* ]] || fail "no words: $words"
}

# Processes that are left are ended, and nothing of ambit's stays.
part_litter() {
	gets 0 ambit run --ask deny -- bash -c 'setsid sleep 1000 & setsid sleep 1000 & :'
	[[ -z $(pids sleep) ]] || fail "still there: $(pids sleep)"
	[[ -z $(find "${TMPDIR:-/tmp}" -mindepth 1 -name 'ambit-*' 2>/dev/null) ]] || fail "left in the temp directory"
	[[ -z $(zombies) ]] || fail "zombies: $(zombies)"
}

stats() { cat /proc/[0-9]*/stat 2>/dev/null; }
pids() { stats | sed -n "s/^\([0-9]*\) ($1).*/\1/p"; }
zombies() { stats | sed -n 's/^\([0-9]*\) (.*) Z .*/\1/p'; }

serve() {
	reach serve /dev/shm/heard >/dev/null &
	eventually test -s /dev/shm/heard
	port=$(head -1 /dev/shm/heard)
}
came() { grep -cE 'tcp|udp' /dev/shm/heard; }

part_net() { reaches tcp tcp6 nonblock close udp bound-udp many; }
part_net-some() { reaches tcp many; }
reaches() {
	local before act
	serve
	for act; do
		before=$(came)
		gets 1 ambit run --quiet --ask deny -- reach "$act" "$port"
		[[ $out == EACCES && $(came) -eq $before ]] || fail "$act was not refused: $out"
		gets 0 ambit run --quiet --ask allow -- reach "$act" "$port"
		[[ $(came) -gt $before ]] || fail "$act did not come"
		gets 0 ambit run --quiet --net open -- reach "$act" "$port"
	done
	! grep 'no end' /dev/shm/heard || fail "a connection outlived the program's own end of it"
	gets 0 ambit run --quiet --net none -- reach loop
	gets 0 ambit run --quiet --net none -- reach ports
	gets 0 ambit run --quiet --net none -- reach unix /work/socket
	rm -f /work/socket
}

# What only pidfd_getfd gives: refused with words, or there with the capability.
part_blind() {
	gets 1 ambit run --net open -- reach pass
	[[ $out == *EPERM*--cap-add=SYS_PTRACE* ]] || fail "no words: $out"
	[[ $(ambit doctor) == *"no   pidfd_getfd"*"--cap-add=SYS_PTRACE"* ]] || fail "doctor: $(ambit doctor)"
}
part_getfd() {
	gets 0 ambit run --net open -- reach pass
	[[ $(ambit doctor) == *"ok   pidfd_getfd"* ]] || fail "doctor: $(ambit doctor)"
}

# Not started, with these words and 125.
part_refuses() {
	gets 125 ambit run --ask deny -- touch ran
	[[ $out == *"$WORDS"* && ! -e ran ]] || fail "no '$WORDS' in: $out"
}

for part; do
	"part_$part"
done
# The server of part_net.
# shellcheck disable=SC2046
kill $(jobs -p) 2>/dev/null
exit 0
