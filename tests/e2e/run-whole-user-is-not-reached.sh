#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What means every process of the user (kill -1, priorities of a user) means none
# outside. Tried in a PID namespace, where "every" is not everybody on this machine.
. "${0%/*}/line.bash"

space=(unshare --pid --fork --mount-proc)
[[ $(id -u) -eq 0 ]] || space+=(--user --map-current-user)
"${space[@]}" true 2>/dev/null || skip "this user can have no PID namespace"

cat >"$TEST_DIR/act.py" <<'END'
import ctypes, os, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
IOPRIO_SET = {"x86_64": 251, "aarch64": 30}[os.uname().machine]
def call(r):
    if r < 0: raise OSError(ctypes.get_errno(), "")
try:
    {"kill": lambda: os.kill(-1, signal.SIGUSR1),
     "nice": lambda: os.setpriority(os.PRIO_USER, os.getuid(), 5),
     "io": lambda: call(libc.syscall(IOPRIO_SET, 3, os.getuid(), 3 << 13))}[sys.argv[1]]()
except OSError as e:
    print(e)
print("tried")
END
# Told by itself: what it got, its priorities, and when it has looked.
cat >"$TEST_DIR/victim.py" <<'END'
import os, signal, sys
def tell(name, text):
    with open(name + ".new", "w") as f: f.write(text)
    os.rename(name + ".new", name)
hits = 0
def hit(*_):
    global hits
    hits += 1
signal.signal(signal.SIGUSR1, hit)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
tell(sys.argv[1], "ready")
while True:
    signal.sigwait([signal.SIGUSR2])
    tell(sys.argv[1], "hits %d nice %d" % (hits, os.getpriority(os.PRIO_PROCESS, 0)))
END
cat >"$TEST_DIR/inside.sh" <<'END'
set -u
[[ $$ -eq 1 ]] || exit 3 # not here
trap '' USR1
look() { # what the victim says, and its I/O priority
	rm -f "$told"
	kill -USR2 "$victim" || { echo "it is gone"; return; }
	for ((n = 0; n < 400; n++)); do [[ -e $told ]] && break; sleep 0.02; done
	echo "$(cat "$told") io $(ionice -p "$victim")"
}
told=$TEST_DIR/told.$1
rm -f "$told"
"$PYTHON" -B "$TEST_DIR/victim.py" "$told" &
victim=$!
for ((n = 0; n < 400; n++)); do [[ -e $told ]] && break; sleep 0.02; done
before=$(look)
shift
"$@" >"$TEST_DIR/tried" 2>&1
status=$?
after=$(look)
kill -KILL "$victim"
echo "status $status, before: $before"
echo "after: $after"
[[ $before != "$after" ]] && echo changed
exit 0
END
command -v ionice >/dev/null || skip "no ionice"
export PYTHON TEST_DIR
for act in kill nice io; do
	status 0 "${space[@]}" bash "$TEST_DIR/inside.sh" plain "$PYTHON" -B "$TEST_DIR/act.py" "$act"
	says changed
	status 0 "${space[@]}" bash "$TEST_DIR/inside.sh" line \
		"$AMBIT" run --ask deny --quiet -- "$PYTHON" -B "$TEST_DIR/act.py" "$act"
	says 'status 0,'
	says_not changed
	says_not gone
	grep -q tried "$TEST_DIR/tried" || fail "$act: $(cat "$TEST_DIR/tried")"
done
