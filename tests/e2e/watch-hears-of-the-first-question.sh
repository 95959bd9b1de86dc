#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A command without a terminal that crosses the line as the first thing it does is asked
# about, if somebody watches: the session waits a moment for him. If nobody does, it is
# refused at once.
. "${0%/*}/watch.bash"

touch "$OUT/natural" || fail "cannot be made without ambit either"
attended=$XDG_RUNTIME_DIR/ambit/live/attended
is_attended() { [[ -e $attended ]] && ! flock -n "$attended" true; }

status 1 "$AMBIT" run -- touch "$OUT/nobody"
[[ ! -e $OUT/nobody ]] || fail "made with nobody there"

mkfifo "$TEST_DIR/in" "$TEST_DIR/out"
"$AMBIT" watch --json <"$TEST_DIR/in" >"$TEST_DIR/out" &
watch=$!
servers+=("$watch")
exec {in}>"$TEST_DIR/in" {lines}<"$TEST_DIR/out"
jq --unbuffered -c 'select(.type == "question") | { from, id: .question.id, answer: "once" }' \
	<&"$lines" >&"$in" &
servers+=($!)
eventually is_attended
for ((i = 0; i < 20; i++)); do
	status 0 "$AMBIT" run -- touch "$OUT/$i"
	[[ -e $OUT/$i ]] || fail "$i was not made"
done

# The mark that is left behind says nothing.
kill "$watch"
wait "$watch" 2>/dev/null || true
[[ -e $attended ]] || fail "no mark, so nothing is tested here"
! is_attended || fail "who is gone attends"
status 1 "$AMBIT" run -- touch "$OUT/later"
[[ ! -e $OUT/later ]] || fail "made with nobody there any more"

# One who says that he is there and never comes is waited for, but not for long.
exec {mark}<"$attended"
flock -s "$mark"
is_attended || fail "nobody attends"
status 1 "$AMBIT" run -- touch "$OUT/never"
[[ ! -e $OUT/never ]] || fail "made with nobody who answers"
