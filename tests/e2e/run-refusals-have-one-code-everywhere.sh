#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The line on the program's standard error, the summary, the report and the record say the same of
# one refusal: the thing, and the code. One thing that is refused for two reasons is told twice.
. "${0%/*}/line.bash"

: >"$OUT/x"
rm -f "$OUT/x"
mkdir .git sub
mkfifo go
"$AMBIT" run --ask deny --session one --report "$TEST_DIR/report" -- bash -c '
	echo >"$1/x"
	echo >.git/config
	mkdir "$1/d"
	rm "$1"
	echo held >sub/first
	read -r _ <go
	echo >"$1/x"' _ "$OUT" 2>"$TEST_DIR/err" &
run=$!
eventually test -e sub/first
status 0 "$AMBIT" mode plan --session one
echo >go
wait $run || true
[[ ! -e $OUT/x && ! -e $OUT/d && ! -e .git/config ]] || fail "it was written"

jq -r '.refusals[] | "\(.subject) \(.code)"' "$TEST_DIR/report" | sort >"$TEST_DIR/reported"
# The record has whole paths, after the tool.
ambit log --json --session one --verdict deny |
	jq -r 'select(.code != null) | "\(.subject) \(.code)"' |
	sed -E "s/^[a-z]+ //; s|^$P/||" | sort -u >"$TEST_DIR/recorded"
sed -nE 's/^ambit: [a-z]+ (.*) was refused \((\w+)\): .*/\1 \2/p' "$TEST_DIR/err" | sort -u >"$TEST_DIR/heard"
sed -nE 's/^  [a-z]+ (.*) \((\w+); .*/\1 \2/p' "$TEST_DIR/err" | sort -u >"$TEST_DIR/summed"
for what in recorded heard summed; do
	diff "$TEST_DIR/reported" "$TEST_DIR/$what" || fail "$what is not what the report says"
done
grep -qxF "$OUT/x Outside" "$TEST_DIR/reported" || fail "not outside"
grep -qxF "$OUT/x PlanMode" "$TEST_DIR/reported" || fail "not by the mode"
[[ $(wc -l <"$TEST_DIR/reported") -ge 4 ]] || fail "$(cat "$TEST_DIR/reported")"
