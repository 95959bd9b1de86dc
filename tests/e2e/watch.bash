# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about `ambit watch`: `. "${0%/*}/watch.bash"`. On top of line.bash:
# terminals of tmux, what stands on them, keys, and runs that wait until they are let go.

# Names that are not wrapped on a screen of 80 columns.
TEST_DIR=$(mktemp -d /tmp/aw.XXXX)
# shellcheck source=tests/e2e/line.bash
. "${BASH_SOURCE[0]%/*}/line.bash"

command -v tmux >/dev/null || skip "no tmux"
export SHELL=/bin/bash TERM=xterm-256color TMUX_TMPDIR=$TEST_DIR
unset TMUX

# A terminal is the session of its name, "=NAME:"; a name alone may be a window's.
t() { tmux -L watch -f /dev/null "$@"; }
over() {
	t kill-server 2>/dev/null || true
	kill "${servers[@]}" 2>/dev/null || true
	wait "${servers[@]}" 2>/dev/null || true
	# Who watched may still be closing the record.
	eventually rm -rf "$TEST_DIR"
}
trap over EXIT

# terminal NAME [COLUMNS ROWS]: a shell on a terminal of that size.
terminal() {
	local size=(-x "${2:-80}" -y "${3:-24}")
	# The first line of the server's life, and of no harm later.
	t new-session -d -s "$1" "${size[@]}" 'exec env "PS1=ready>" bash --norc --noprofile' \; \
		set -g status off \; set -g escape-time 0 \; resize-window -t "=$1:" "${size[@]}"
	eventually shown "$1" 'ready>'
}
size() { t resize-window -t "=$1:" -x "$2" -y "$3"; }

screen() { t capture-pane -p -t "=$1:"; }
shown() { screen "$1" | grep -qF -e "$2"; }
# sees NAME TEXT / not_seen NAME TEXT: now or soon.
sees() {
	local n
	for ((n = 0; n < 400; n++)); do
		shown "$1" "$2" && return
		sleep 0.025
	done
	screen "$1" >&2
	fail "never on the screen of $1: $2"
}
unseen() { ! shown "$1" "$2"; }
sees_not() { eventually unseen "$1" "$2"; }
# What stands there now.
has() { shown "$1" "$2" || { screen "$1" >&2; fail "not on the screen of $1: $2"; }; }
has_not() { ! shown "$1" "$2" || { screen "$1" >&2; fail "on the screen of $1: $2"; }; }
# keys NAME KEY...: as tmux names them, and no faster than a person has them.
keys() {
	local name=$1
	shift
	sleep 0.06
	t send-keys -t "=$name:" "$@"
}
enter() { keys "$1" -l "$2"; keys "$1" Enter; }

# watcher NAME [COLUMNS ROWS] [OPTION...]: ambit watch on a terminal of that name.
watcher() {
	local name=$1
	terminal "$name" "${2:-80}" "${3:-24}"
	shift $(($# < 3 ? $# : 3))
	enter "$name" "'$AMBIT' watch $*"
	sees "$name" "ambit watch"
}
# asked NAME TEXT: a question with it is on the screen, and keys count.
asked() {
	sees "$1" "ambit  $2"
	sees_not "$1" "(new on the screen"
}

# begin NAME COMMAND...: a run of that session without a terminal, which waits until it
# is let `go NAME`. Its words are in $TEST_DIR/NAME.out, its number in ${run[NAME]}.
declare -A run
begin() {
	local name=$1
	shift
	mkfifo "$TEST_DIR/$name.go"
	# shellcheck disable=SC2094 # a FIFO
	"$AMBIT" run --session "$name" -- bash -c 'read -r; "$@"' - "$@" \
		<"$TEST_DIR/$name.go" >"$TEST_DIR/$name.out" 2>&1 &
	run[$name]=$!
	servers+=($!)
	exec {hold}>"$TEST_DIR/$name.go"
	holds[$name]=$hold
}
declare -A holds
go() { echo >&"${holds[$1]}"; }
# done NAME STATUS: it ends so.
ended() {
	local got=0
	wait "${run[$1]}" || got=$?
	[[ $got -eq $2 ]] || { cat "$TEST_DIR/$1.out" >&2; fail "$1 ended with $got, not $2"; }
}
put() { bash -c 'echo "$1" >"$2"' - "$@"; }
export -f put
PUT='echo "$1" >"$2"'
