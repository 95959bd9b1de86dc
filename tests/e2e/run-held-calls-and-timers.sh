#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs with timers: while calls are held, every handler runs, no program sees an error of the
# kernel's own (512, 513), and each question is asked once. One thread and eight, slow timers and
# fast ones, signals for a thread and for the process.
. "${0%/*}/held.bash"

# tries OPTIONS CALL PATH: until the handler ran 8 times; then all calls succeed.
tries() {
	local options=$1 call=$2 path=$3 threads=${4:-1} i
	rm -rf "${OUT:?}"/*
	for ((i = 0; i < threads; i++)); do echo x >"$OUT/x.from.$i"; done
	# shellcheck disable=SC2086
	start "$SIGNALS" -w 8 -n "$threads" $options "$call" "$path"
	eventually is_asked
	[[ $call == spawn ]] || eventually has_said handled
	[[ $(find "$OUT" -name 'x.[0-9]*' | wc -l) -eq 0 ]] || fail "$options $call: done before the answer"
	answer folder
	ends 0
	[[ $(grep -c ' ok$' said) -eq $threads ]] || fail "$options $call: $(cat said)"
	! grep -E 'errno|failed' said || fail "$options $call: $(cat said)"
	[[ $(times_asked) -eq 1 ]] || fail "$options $call: asked $(times_asked) times"
	[[ $call == connect || $(find "$OUT" -name 'x.[0-9]*' | wc -l) -eq $threads ]] ||
		fail "$options $call: $(ls "$OUT")"
}

for threads in 1 8; do
	for options in '-r -p 100000' '-r -p 1000' '-r -t -p 1000' '-p 1000'; do
		for call in create mkdir rename; do
			tries "$options" "$call" "$OUT/x" $threads
			# With SA_RESTART no call ends early.
			[[ $options != -r* ]] || has_said 'interrupted 0' || fail "$options $call: $(cat said)"
		done
	done
done
# Children between fork and exec; that of posix_spawn blocks every signal.
tries '-r -p 1000' vfork "$OUT/x"
tries '-r -p 1000' spawn "$OUT/x" 2

# A fast timer's own handler runs at intervals that grow; a signal that stops or ends the program
# still does, and so does the handler of another signal.
state_of() { [[ $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) == "$2" ]]; }
start bash -c '"$@" & echo $! >pid; wait $!; echo "status $?"' _ "$SIGNALS" -w 9 -p 1000 mkdir "$OUT/stop"
eventually is_asked
eventually has_said handled
kill -TSTP "$(cat pid)"
eventually state_of "$(cat pid)" T
kill -CONT "$(cat pid)"
kill -USR1 "$(cat pid)"
eventually has_said 'status 138'
ends 0
[[ ! -e $OUT/stop.0 && $(times_asked) -eq 1 ]] || fail "$(cat said "$ASKED")"
start "$PYTHON" -c '
import os, signal, sys
signal.signal(signal.SIGALRM, lambda s, f: None)
# SA_RESTART: without it a mkdir ends with EINTR if the signal comes before ambit has received it.
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
# The note of a signal, written by its handler in C.
signal.set_wakeup_fd(os.open("noted", os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK), warn_on_full_buffer=False)
signal.signal(signal.SIGUSR2, lambda s, f: None)
signal.siginterrupt(signal.SIGUSR2, False)
print(os.getpid(), flush=True)
os.mkdir(sys.argv[1])
signal.setitimer(signal.ITIMER_REAL, 0)' "$OUT/another"
eventually is_asked
has_noted() { od -An -v -tu1 -w1 noted | grep -qx " *$1"; }
eventually test -s noted
kill -USR2 "$(head -1 said)"
eventually has_noted 12
answer once
ends 0
[[ -d $OUT/another ]] || fail "$(cat said)"

# A run inside the run holds its calls itself.
nested() { start "$AMBIT" run --quiet --ask "exec:$approver" -- "$SIGNALS" "$@"; }
nested -w 8 -r -p 1000 -n 8 mkdir "$OUT/n"
eventually is_asked
eventually has_said handled
answer folder
ends 0
[[ $(grep -c ' ok$' said) -eq 8 && -d $OUT/n.7 ]] || fail "nested: $(cat said)"

"$PYTHON" - "$TEST_DIR/port" <<'END' &
import os, socket, sys
s = socket.create_server(("127.0.0.1", 0), backlog=64)
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    s.accept()
END
server=$!
trap 'kill $server' EXIT
eventually test -s "$TEST_DIR/port"
port=$(cat "$TEST_DIR/port")
for threads in 1 8; do
	for period in 1000 100000; do
		start "$SIGNALS" -w 8 -r -p $period -n $threads connect "$port"
		eventually is_asked
		eventually has_said handled
		answer once
		ends 0
		[[ $(grep -c ' ok$' said) -eq $threads && $(times_asked) -eq 1 ]] || fail "connect: $(cat said "$ASKED")"
		has_said 'interrupted 0' || fail "connect: $(cat said)"
	done
done
# Without SA_RESTART a connect ends with EINTR: that is the time-out of many programs.
start "$SIGNALS" -1 -p 300000 connect "$port"
ends 0
has_said 'errno 4$' || fail "no EINTR: $(cat said)"

# And so for one that is traced already, whose threads cannot be made to take the signal.
if command -v strace >/dev/null; then
	start env ASAN_OPTIONS=detect_leaks=0 strace -f -o trace "$SIGNALS" -n 2 -1 -p 300000 connect "$port"
	eventually has_said 'errno 4$'
	answer no
	ends 0
	[[ $(grep -c '^errno \(4\|13\)$' said) -eq 2 ]] || fail "traced: $(cat said)"
else
	echo "not tried: strace is not installed"
fi

# many OPTIONS...: eight processes at once, all with the same path in their threads.
many() {
	local threads=$1 signals=$2
	shift 2
	rm -rf "${OUT:?}"/*
	start bash -c 'for i in {1..8}; do "$@" "$0/l$i" & done; wait' \
		"$OUT" "$SIGNALS" -n "$threads" -s -r -w "$signals" "$@" mkdir
	until [[ $(grep -c '^handled$' said) -eq 8 ]]; do
		kill -0 "$run" || fail "ended early: $(cat said)"
		sleep 1
	done
	answer folder
	ends 0
	[[ $(grep -c ' ok$' said) -eq 8 ]] || fail "$(grep ' ok$' said)"
	[[ $(grep -c '^errno 17$' said) -eq $((8 * (threads - 1))) && $(grep -c '^errno' said) -eq $((8 * (threads - 1))) ]] ||
		fail "$(grep '^errno' said | sort | uniq -c)"
}

# A hundred thousand restarted calls, and some thousand by ptrace: each ends as the kernel says.
if [[ -n ${AMBIT_LONG:-} ]]; then
	many 64 12500 -t -p 100000
	many 8 500 -p 100000
fi
