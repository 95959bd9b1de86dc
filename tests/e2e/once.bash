# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about the answer "once": `. "${0%/*}/once.bash"`. On top of line.bash: an
# approver that says "once" a number of times and then no, and one process that makes several
# calls (steps.py).
# shellcheck source=tests/e2e/line.bash
. "${BASH_SOURCE[0]%/*}/line.bash"

# Which Python it is must not change with an exec: no wrapper, no link.
STEPS=("$(realpath "$PYTHON")" -B "$HERE/steps.py")
D=$HOME/data
# shellcheck disable=SC2034 # for the scripts
ANSWER=once

approver once.sh <<END
#!/bin/bash
question=\$(cat)
jq -r .what <<<"\$question" >>'$TEST_DIR/asked'
jq -r '.choices[] | .answer + ": " + .stores' <<<"\$question" >>'$TEST_DIR/stores'
if ((\$(wc -l <'$TEST_DIR/asked') <= \$(cat '$TEST_DIR/yes'))); then
	cat '$TEST_DIR/answer'
else
	echo '{"answer":"no"}'
fi
END

# What lies in $D each time: f, g and h are there before, and a directory.
data() {
	rm -rf "$D"
	mkdir -p "$D/sub"
	echo old-f >"$D/f"
	echo old-g >"$D/g"
	echo old-h >"$D/h"
	echo old-in >"$D/sub/in"
}

# yes N COMMAND...: behind the line; N questions are answered with $ANSWER, the others with no.
# The output is in $out, and each question is a line in $TEST_DIR/asked. The session, a new one
# each time unless KEEP=1, is in $session.
session=once-0
yes() {
	[[ ${KEEP:-0} == 1 ]] || session=once-$((${session#once-} + 1))
	echo "$1" >"$TEST_DIR/yes"
	echo "{\"answer\":\"$ANSWER\"}" >"$TEST_DIR/answer"
	: >"$TEST_DIR/asked"
	: >"$TEST_DIR/stores"
	shift
	out=$("$AMBIT" run --quiet --session "$session" --ask "exec:$approver" -- "$@" 2>"$TEST_DIR/.err") || true
}

# asked N: there were that many questions.
asked() { [[ $(wc -l <"$TEST_DIR/asked") -eq $1 ]] || fail "not $1 questions: $(cat "$TEST_DIR/asked"); $out"; }

# steps STEP...: with one answer "once". Written as in steps.py, with @ for $D/, and "ok" or
# "no" before each step says what becomes of it: steps ok:create:@t no:unlink:@g. First it is
# shown that all of it works without ambit, and then with every question answered by yes.
steps() {
	local step want=() list=() quick=() line n=0
	for step; do
		list+=("${step#*:}")
		[[ $step == *:wait:* ]] && continue
		want+=("${step%%:*}")
		quick+=("${step#*:}")
	done
	list=("${list[@]//@/$D/}")
	quick=("${quick[@]//@/$D/}")
	data
	out=$("${STEPS[@]}" "${quick[@]}")
	! grep -v 'ok$' <<<"$out" || fail "not without ambit either: $*: $out"
	data
	yes 99 "${STEPS[@]}" "${quick[@]}"
	! grep -v 'ok$' <<<"$out" || fail "not with every yes either: $*: $out"
	data
	yes 1 "${STEPS[@]}" "${list[@]}"
	while read -r line; do
		case ${want[n]} in
		ok) [[ $line == *ok ]] || fail "not done: $line, in: $*: $out" ;;
		no) [[ $line == *EACCES ]] || fail "not refused: $line, in: $*: $out" ;;
		*) fail "no such step: $*" ;;
		esac
		n=$((n + 1))
	done <<<"$out"
	[[ $n -eq ${#want[@]} ]] || fail "$n of ${#want[@]} steps: $*: $out"
}

# still NAME...: these hold what they held before.
still() {
	local name
	for name; do
		[[ $(cat "$D/$name") == "old-${name##*/}" ]] || fail "$name holds: $(cat "$D/$name")"
	done
}
