#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A program that withdraws its question while the person types, and asks another at once,
# gets nothing answered by the rest of what is typed: neither in the middle of a message
# nor between the two keys of a rule. The person is told, and goes on after a pause.
. "${0%/*}/watch.bash"

cat >agent.py <<'PY'
import os, signal, sys
child = 0
def gives_up(*_):
    os.kill(child, signal.SIGKILL)
signal.signal(signal.SIGUSR1, gives_up)
with open("pid", "w") as file:
    print(os.getpid(), file=file)
for path in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            os.write(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644), b"x")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
PY
nothing_answered() {
	[[ ! -e $OUT/first && ! -e $OUT/second ]] || fail "written: $(ls "$OUT")"
	status 0 ambit rules --json
	says_not "$OUT"
	status 0 ambit log export --kind answer
	[[ -z $out ]] || fail "answered: $out"
}
# Five keys in a second, as one who does not look up. It is the pace that is tried.
# tmux keeps it: on a busy machine a process for each key would pause in between.
types() {
	local i list=()
	for ((i = 0; i < ${#1}; i++)); do
		list+=(send-keys -t '=w:' -l "${1:i:1}" ';' run-shell 'sleep 0.2' ';')
	done
	t "${list[@]}"
}
# agent NAME: it asks about the first, and gives up when it gets SIGUSR1.
agent() {
	rm -f pid
	begin "$1" "$PYTHON" agent.py "$OUT/first" "$OUT/second"
	sees w "1 session"
	go "$1"
	asked w "write $OUT/first"
}
gives_up() {
	kill -USR1 "$(cat pid)"
	sees w "ambit  write $OUT/second"
}

# Without ambit it writes both.
"$PYTHON" agent.py "$OUT/first" "$OUT/second"
[[ -s $OUT/first && -s $OUT/second ]] || fail "cannot be written without ambit either"
rm "$OUT/first" "$OUT/second"

watcher w
agent message
keys w "?"
sees w "asked: write"
keys w m
sees w "message: _"
types "please do "
gives_up
types "not say any yes, always ay "
has w "(new on the screen: keys are dropped; pause for a second)"
has w "ambit  write $OUT/second"
has w "y once"
nothing_answered
sees w "what you typed was dropped, nothing answered"
keys w n
sees w "refused: write $OUT/second"
ended message 0
[[ ! -e $OUT/first && ! -e $OUT/second ]] || fail "written: $(ls "$OUT")"
status 0 ambit log export --kind answer
[[ $(jq -r .body.answer <<<"$out") == no ]] || fail "$out"

# Between the keys of a rule: y is no longer its second.
sees w "no sessions"
agent rule
keys w a
sees w "always in ~/project:"
gives_up
types "yay"
has w "ambit  write $OUT/second"
has w "(new on the screen: keys are dropped; pause for a second)"
sees w "what you typed was dropped, nothing answered"
keys w n
ended rule 0
[[ ! -e $OUT/first && ! -e $OUT/second ]] || fail "written: $(ls "$OUT")"
status 0 ambit rules --json
says_not "$OUT"
