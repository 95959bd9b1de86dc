#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A signal can take a program away from its held call for good: after two seconds the question is
# withdrawn. If the call is made again later, it is asked again. Signals that stop or end a
# program do so while its call is held.
. "${0%/*}/held.bash"

state_of() { [[ $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) == "$2" ]]; }

# The handler leaves the call by siglongjmp, or runs another program.
person 'wait:ambit> ' wait:withdrawn "do:touch '$P/done'" -- "$AMBIT" run --quiet -- \
	bash -c '"$1" -j -1 -p 300000 create "$2/jump" >said' _ "$SIGNALS" "$OUT"
grep -q jumped said || fail "$(cat said)"
rm "done"
person 'wait:ambit> ' wait:withdrawn "do:touch '$P/done'" -- "$AMBIT" run --quiet -- \
	"$SIGNALS" -x -1 -p 300000 create "$OUT/exec"
rm "done"

# A call that comes again after that is asked again.
person 'wait:ambit> ' "do:kill -STOP \$(cat '$P/pid')" wait:withdrawn "do:kill -CONT \$(cat '$P/pid')" \
	'wait:ambit> ' send:y end -- "$AMBIT" run --quiet -- \
	bash -c '"$2" create "$1/again" & echo $! >pid; wait $!' _ "$OUT" "$CALLS"
[[ -e $OUT/again ]] || fail "not done"

# SIGTERM ends the program, and nothing is done.
start bash -c '"$2" create "$1/term" & echo $! >pid; wait $!; echo "status $?"' _ "$OUT" "$CALLS"
eventually is_asked
kill -TERM "$(cat pid)"
eventually has_said 'status 143'
ends 0
# SIGTSTP stops it, SIGCONT lets it go on, and the answer counts.
start bash -c '"$2" create "$1/stop" & echo $! >pid; wait $!' _ "$OUT" "$CALLS"
eventually is_asked
kill -TSTP "$(cat pid)"
eventually state_of "$(cat pid)" T
kill -CONT "$(cat pid)"
answer once
ends 0
[[ -e $OUT/stop && ! -e $OUT/term && ! -e $OUT/jump.0 && ! -e $OUT/exec.0 ]] || fail "$(ls "$OUT")"

# The answer is for what was shown. A handler that writes another path over it, and one that runs
# another program with the same call at the same address, or the same program anew, are asked
# about anew.
asked_twice() { [[ $(times_asked) -eq 2 ]]; }
start "$SIGNALS" -1 -p 300000 -c "$OUT/bbbb.0" create "$OUT/aaaa"
eventually asked_twice
[[ $(tail -1 "$ASKED") == *bbbb.0 ]] || fail "$(cat "$ASKED")"
answer no
ends 0
[[ ! -e $OUT/aaaa.0 && ! -e $OUT/bbbb.0 ]] || fail "$(ls "$OUT")"
if setarch -R true 2>/dev/null; then
	cp "$SIGNALS" good && cp "$SIGNALS" evil
	for next in evil good; do
		start env ASAN_OPTIONS=detect_leaks=0 setarch -R "$P/good" -1 -p 300000 -e "$P/$next" create "$OUT/aaaa"
		eventually asked_twice
		answer no
		ends 0
		[[ ! -e $OUT/aaaa.0 ]] || fail "$(ls "$OUT")"
	done
fi

# A program that is traced already: signals for its threads together wait for the answer.
command -v strace >/dev/null || { echo "not tried: strace is not installed"; exit 0; }
start env ASAN_OPTIONS=detect_leaks=0 strace -f -o trace "$SIGNALS" -r -p 20000 -n 4 mkdir "$OUT/t"
eventually is_asked
answer folder
ends 0
[[ $(grep -c ' ok$' said) -eq 4 && -d $OUT/t.3 ]] || fail "traced: $(cat said)"

# A process stops although one of its threads is held: another thread has taken the signal.
cat >threads.py <<'END'
import os, sys, threading
pid = os.fork()
if pid == 0:
    thread = threading.Thread(target=os.mkdir, args=(sys.argv[1],))
    thread.start()
    thread.join()
    os._exit(0 if os.path.isdir(sys.argv[1]) else 1)
print(pid, flush=True)
while True:
    status = os.waitpid(pid, os.WUNTRACED)[1]
    if not os.WIFSTOPPED(status):
        break
    print("stopped", flush=True)
print("ended", status, flush=True)
END
start "$PYTHON" -B threads.py "$OUT/threads"
eventually is_asked
for ((i = 1; i <= 5; i++)); do
	kill -STOP "$(head -1 said)"
	stopped_again() { [[ $(grep -c stopped said) -eq $i ]]; }
	eventually stopped_again
	kill -CONT "$(head -1 said)"
done
answer once
ends 0
has_said 'ended 0' || fail "$(cat said)"
[[ -d $OUT/threads && $(times_asked) -eq 1 ]] || fail "$(cat said "$ASKED")"
