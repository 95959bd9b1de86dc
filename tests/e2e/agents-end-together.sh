#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Takes long.
# A sub-agent ends with the one who started it, by whichever death: of the door, of each
# process between it and the agent, of the agent; by a timeout; by a cancel. Nothing that
# it started is left, and its folder is free for the next.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p a/b
# child PID NAME: a process beneath it whose command is called so.
beneath() {
	local pid=$1 name=$2 child found
	# shellcheck disable=SC2013 # words are meant
	for child in $(cat "/proc/$pid/task/"*/children 2>/dev/null); do
		if [[ $(cat "/proc/$child/comm" 2>/dev/null) == "$name" ]]; then
			echo "$child"
			return
		fi
		if found=$(beneath "$child" "$name"); then
			echo "$found"
			return
		fi
	done
	return 1
}
free() { # the folder is, and nothing is left
	eventually gone "$1"
	eventually gone "$2"
	spawn 0 hand a "write free x"
	[[ -e a/free ]] || fail "the folder is not free after $3"
	rm -f a/free a/pid a/deep
}

# -- kill -9 of each ---------------------------------------------------------------------------------
for victim in door ambit-execute ambit ambit-keeper agent; do
	"$AMBIT" spawn --ask deny --json hand a "fork pid
shell echo \$PPID >deep
hang" >"$TEST_DIR/result" 2>/dev/null &
	door=$!
	eventually test -s a/deep
	left=$(cat a/pid) agent=$(cat a/deep)
	kill -0 "$left" "$agent" || fail "they do not run"
	case $victim in
	door) pid=$door ;;
	agent) pid=$agent ;;
	*) pid=$(beneath "$door" "$victim") || fail "no $victim beneath the door" ;;
	esac
	kill -KILL "$pid"
	got=0
	wait "$door" 2>/dev/null || got=$?
	[[ $victim == door || $got -ne 0 ]] || fail "the death of $victim is a success: $(cat "$TEST_DIR/result")"
	free "$left" "$agent" "the death of $victim"
done

# The one who kept it was killed: until the agent is gone it is nobody else's turn.
"$AMBIT" spawn --ask deny hand a "shell (setsid bash -c 'while :; do echo \$RANDOM >beat; done' >/dev/null 2>&1 &); echo up >deep
hang" >/dev/null 2>&1 &
door=$!
eventually test -s a/deep
kill -KILL "$(beneath "$door" ambit-execute)"
spawn 0 hand a 'shell a=$(cat beat); sleep 0.2; [ "$a" = "$(cat beat)" ] && echo still >verdict || echo moving >verdict'
wait "$door" 2>/dev/null || true
[[ $(cat a/verdict) == still ]] || fail "two agents at once in one folder"
rm -f a/deep a/beat a/verdict
# What the one before did to the folder is seen: the next one does not run elsewhere.
mkdir -p a/b other
"$AMBIT" spawn --ask deny hand a "mark held
await $P/go
shell mv b gone && ln -s ../other b" >/dev/null 2>&1 &
door=$!
eventually test -s a/held
"$AMBIT" spawn --ask deny --json hand a/b "write elsewhere x" >"$TEST_DIR/result" 2>"$TEST_DIR/waits" &
waiter=$!
eventually grep -q "waiting for" "$TEST_DIR/waits"
touch go
wait "$door"
! wait "$waiter" || fail "it ran though its folder is another: $(cat "$TEST_DIR/result")"
grep -q "not the directory any more" "$TEST_DIR/result" || fail "$(cat "$TEST_DIR/result")"
[[ ! -e other/elsewhere ]] || fail "it ran where a link led"
rm -rf a/b a/gone a/held go other
mkdir a/b
# One that still waits for its task can be ended.
mkfifo "$TEST_DIR/task"
"$AMBIT" spawn --ask deny hand a - <>"$TEST_DIR/task" >/dev/null 2>&1 &
door=$!
eventually grep -q -- '-tools' "/proc/$door/comm"
kill -TERM "$door"
! wait "$door" || fail "ended, and a success"

# -- a grandchild goes with the first ----------------------------------------------------------------
for how in spawn hire; do
	"$AMBIT" spawn --ask deny hand a "$how hand a/b fork $P/a/b/pid; shell echo \$PPID >deep; hang" >/dev/null 2>&1 &
	door=$!
	eventually test -s a/b/deep
	left=$(cat a/b/pid) agent=$(cat a/b/deep)
	kill -KILL "$door"
	wait "$door" 2>/dev/null || true
	rm -f a/b/deep a/b/pid
	free "$left" "$agent" "a grandchild by $how"
done

# -- time is up ----------------------------------------------------------------------------------------
spawn 124 quick a "fork pid
shell echo \$PPID >deep
hang"
is .timed_out true
is .error Timeout
free "$(cat a/pid)" "$(cat a/deep)" "a timeout"

# -- nobody wants it any more ---------------------------------------------------------------------------
"$PYTHON" -B - <<'PY'
import os
from mcp import *
client = Client()
client.legacy()
id = client.start("tools/call", {"name": "run_agent", "arguments": {
    "name": "hand", "folder": "a", "task": "fork pid\nshell echo $PPID >deep\nhang"}})
eventually(lambda: os.path.exists("a/deep") and os.path.getsize("a/deep"), "it begins")
client.send({"method": "notifications/cancelled", "params": {"requestId": id}})
pid = int(open("a/pid").read())
def gone():
    try:
        os.kill(pid, 0)
    except OSError:
        return True
eventually(gone, "it ends")
# The client itself goes: so does what it had started.
os.remove("a/deep")
os.remove("a/pid")
client.start("tools/call", {"name": "run_agent", "arguments": {
    "name": "hand", "folder": "a", "task": "fork pid\nshell echo $PPID >deep\nhang"}})
eventually(lambda: os.path.exists("a/deep") and os.path.getsize("a/deep"), "it begins again")
pid = int(open("a/pid").read())
client.end()
eventually(gone, "it ends with its client")
PY
free "$(cat a/pid)" "$(cat a/deep)" "a cancel"
# By a signal to ambit spawn, as ^C is.
"$AMBIT" spawn --ask deny hand a "fork pid
shell echo \$PPID >deep
hang" >/dev/null 2>&1 &
door=$!
eventually test -s a/deep
kill -TERM "$door"
! wait "$door" || fail "a signal is a success"
free "$(cat a/pid)" "$(cat a/deep)" "a signal"
clean a
