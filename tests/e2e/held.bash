# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about held calls: `. "${0%/*}/held.bash"`. On top of line.bash: an approver that
# answers when the test says so, and `signals`, which makes calls while timers fire.
# shellcheck source=tests/e2e/line.bash
. "${BASH_SOURCE[0]%/*}/line.bash"

# shellcheck disable=SC2034 # for the scripts
SIGNALS=$HELPERS/signals
ASKED=$TEST_DIR/asked # one line per question
GO=$TEST_DIR/go	      # the answer is given when it is there
approver wait.sh <<END
#!/bin/bash
question=\$(cat)
jq -r .what <<<"\$question" >>'$ASKED'
until [[ -e '$GO' ]]; do kill -0 \$PPID || exit; sleep 0.02; done
# Of folders that can be chosen, the one outside: what is made there is beside each other.
jq -c --arg answer "\$(cat '$GO')" --arg path '$OUT' '{\$answer} +
	if any(.choices[]; .answer == \$answer and .path == \$path) then {\$path} else {} end' <<<"\$question"
END

# eventually COMMAND...: it holds within a minute. Beside a fast timer and a busy machine a call is
# interrupted again and again before ambit has received it.
eventually() {
	local n
	for ((n = 0; n < 1200; n++)); do
		"$@" 2>/dev/null && return
		sleep 0.05
	done
	fail "never so: $*"
}

# start COMMAND...: behind the line, in the background, its output in $P/said.
start() {
	rm -f "$GO"
	: >"$ASKED"
	: >said
	"$AMBIT" run --quiet --ask "exec:$approver" -- "$@" >said 2>&1 &
	run=$!
}
# answer NAME: to the question that is open, and to those that follow.
answer() { (umask 022; echo "$1" >"$GO.new" && mv "$GO.new" "$GO"); }
is_asked() { [[ -s $ASKED ]]; }
has_said() { grep -q "$1" said; }
# ends STATUS: the command has ended so.
ends() {
	local got=0
	wait "$run" || got=$?
	[[ $got -eq $1 ]] || fail "exits with $got, not $1: $(cat said)"
}
times_asked() { wc -l <"$ASKED"; }
