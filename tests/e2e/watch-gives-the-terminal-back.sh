#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# However it ends, the terminal is as it was: modes, cursor, the screen that was there.
# A shell's fg brings it back.
. "${0%/*}/watch.bash"

terminal w
# The shell's own modes while a command runs are what a command finds and leaves.
cat >"$TEST_DIR/try.sh" <<END
stty -g >"$TEST_DIR/before"
trap : INT QUIT
"$AMBIT" watch
echo \$? >"$TEST_DIR/code"
stty -g >"$TEST_DIR/after"
echo "ended \$1"
END
state() { t display-message -p -t "=w:" '#{cursor_flag} #{alternate_on} #{wrap_flag}'; }
[[ $(state) == "1 0 1" ]] || fail "a terminal begins as $(state)"

# find_them PID: the one that waits beneath it, and the one that draws.
find_them() {
	guard=$(pgrep -x -P "$1" ambit-asks)
	drawer=$(pgrep -x -P "$guard" ambit-asks)
}
pane() { t list-panes -t "=w:" -F '#{pane_pid}'; }
# What a command of the shell finds now, in $TEST_DIR/after.
modes_now() {
	rm -f "$TEST_DIR/after"
	enter w "bash -c 'stty -g >$TEST_DIR/now && mv $TEST_DIR/now $TEST_DIR/after'"
	eventually test -s "$TEST_DIR/after"
}
# start NAME
start() {
	rm -f "$TEST_DIR/after" "$TEST_DIR/code"
	enter w "clear; bash $TEST_DIR/try.sh $1"
	sees w "ambit watch   no sessions"
	[[ $(state) == "0 1 0" ]] || fail "it draws on $(state)"
	find_them "$(pgrep -f "^bash $TEST_DIR/try.sh $1")"
}
# given_back NAME CODE
given_back() {
	sees w "ended $1"
	[[ $(state) == "1 0 1" ]] || fail "after $1 it is $(state)"
	cmp -s "$TEST_DIR/before" "$TEST_DIR/after" ||
		fail "modes after $1: $(cat "$TEST_DIR/before" "$TEST_DIR/after")"
	[[ $(cat "$TEST_DIR/code") -eq $2 ]] || fail "$1 exits with $(cat "$TEST_DIR/code"), not $2"
	has_not w "no sessions"
	eventually gone "$guard"
	eventually gone "$drawer"
}

start quit
keys w q
given_back quit 0
start control-c
keys w C-c
given_back control-c 0

for signal in TERM HUP INT QUIT KILL SEGV ABRT; do
	start "drawer-$signal"
	kill -"$signal" "$drawer"
	case $signal in
	TERM | HUP | INT | QUIT) code=$((128 + $(kill -l "$signal"))) ;;
	*) code=1 ;;
	esac
	given_back "drawer-$signal" "$code"
done
has w "the process that draws was ended: Aborted"
for signal in TERM HUP INT QUIT; do
	start "guard-$signal"
	kill -"$signal" "$guard"
	given_back "guard-$signal" $((128 + $(kill -l "$signal")))
done

# The one that waits is killed: the other does its work, while the shell goes on.
enter w "clear; '$AMBIT' watch"
sees w "no sessions"
find_them "$(pane)"
kill -KILL "$guard"
eventually gone "$drawer"
[[ $(state) == "1 0 1" ]] || fail "after the guard was killed it is $(state)"
modes_now
cmp -s "$TEST_DIR/before" "$TEST_DIR/after" || fail "modes after the guard was killed"

# ^Z, and what was stopped from elsewhere.
enter w "clear; '$AMBIT' watch"
sees w "no sessions"
keys w C-z
sees w "Stopped"
[[ $(state) == "1 0 1" ]] || fail "stopped, it is $(state)"
modes_now
cmp -s "$TEST_DIR/before" "$TEST_DIR/after" ||
	fail "modes while it is stopped: $(cat "$TEST_DIR/before" "$TEST_DIR/after")"
enter w fg
sees w "no sessions"
[[ $(state) == "0 1 0" ]] || fail "after fg it is $(state)"
begin one bash -c "$PUT" - x "$OUT/one"
sees w "1 session"
go one
asked w "write $OUT/one"
find_them "$(pane)"
kill -STOP "$drawer"
sees w "Stopped"
[[ $(state) == "1 0 1" ]] || fail "stopped by a signal, it is $(state)"
enter w fg
asked w "write $OUT/one"
keys w y
ended one 0
[[ $(cat "$OUT/one") == x ]] || fail "not answered after fg"
keys w q
sees_not w "sessions"
[[ $(state) == "1 0 1" ]] || fail "at last it is $(state)"

# A terminal that is gone takes both with it.
enter w "clear; '$AMBIT' watch"
sees w "no sessions"
find_them "$(pane)"
t kill-session -t "=w:"
eventually gone "$guard"
eventually gone "$drawer"
