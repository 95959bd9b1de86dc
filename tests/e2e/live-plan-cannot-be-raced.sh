#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A run that was started to build and is told to plan: its floor still gives the folder, and
# nothing that a racing thread, or one that cannot be looked into, could turn into a write
# is left to it. The same once a rule says no about a part of the folder. Devices, locks
# and reading go on.
. "${0%/*}/line.bash"
PLANNED=$HELPERS/planned
seconds=${AMBIT_LONG:+20}
seconds=${seconds:-1}
mkdir sub
mkfifo "$TEST_DIR/in"

# planned ACT FILE PROGRAM...: runs it behind PROGRAM; at "ready" calls `meanwhile`. What it
# says in the end is in $out.
planned() {
	local act=$1 file=$2
	shift 2
	rm -f "$TEST_DIR/said" # what the last one said is there until this one begins
	"$@" "$PLANNED" "$act" "$file" "$seconds" <"$TEST_DIR/in" >"$TEST_DIR/said" 2>"$TEST_DIR/err" &
	exec 5>"$TEST_DIR/in"
	eventually grep -q ready "$TEST_DIR/said"
	meanwhile
	echo go >&5
	exec 5>&-
	wait "$!" || fail "$act: $(cat "$TEST_DIR/err")"
	out=$(tail -1 "$TEST_DIR/said")
}

file_for() {
	rm -f sub/file sub/new
	echo kept >sub/file
	[[ $1 == lock ]] && echo sub/new || echo sub/file
}

for act in openat2 device lock hidden plain; do
	meanwhile() { :; }
	planned "$act" "$(file_for "$act")" env
	[[ $out != *"won 0" ]] || fail "$act does not work without ambit: $out"
	# Told to plan.
	"$AMBIT" mode build --session "plan-$act" >/dev/null
	meanwhile() {
		status 0 "$AMBIT" mode plan --session "plan-$act"
		says "in force now in: run (pid "
	}
	planned "$act" "$(file_for "$act")" "$AMBIT" run --quiet --ask deny --session "plan-$act" --
	[[ $out == *"won 0" ]] || fail "$act, in plan mode: $out"
	[[ $(cat sub/file) == kept && ! -e sub/new ]] || fail "$act has written"
	# A no about this one directory.
	"$AMBIT" mode build --session "rule-$act" >/dev/null
	meanwhile() {
		status 0 "$AMBIT" rules add write "$P/sub" --no --session "rule-$act"
		says "in force now in: run (pid "
	}
	planned "$act" "$(file_for "$act")" "$AMBIT" run --quiet --ask deny --session "rule-$act" --
	[[ $out == *"won 0" ]] || fail "$act, after a rule: $out"
	[[ $(cat sub/file) == kept && ! -e sub/new ]] || fail "$act has written after a rule"
done
