#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/harness.py: what is inside is done, what is outside is asked about and done or
# not as the answer says, what came from elsewhere is labelled, and the record it exports
# is the session's.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

harness=$HERE/../../examples/harness.py
[[ -e $harness ]] || harness=$AMBIT_SOURCE/examples/harness.py
export AMBIT
echo old >"$OUT/f"
cat >"$TEST_DIR/calls" <<END
{"tool":"write","args":{"file_path":"a.txt","content":"from a harness"}}
{"tool":"read","args":{"file_path":"a.txt"}}
{"tool":"write","args":{"file_path":"$OUT/f","content":"new"}}
{"tool":"bash","args":{"command":"echo crossed > $OUT/g; echo hi"}}
{"tool":"mail","args":{"to":"you"}}
not json
{"tool":"nix"}
["read"]
{"tool":"re\\u0000ad"}
END
{
	printf '\xff\n'
	"$PYTHON" -c 'print("[" * 100000)'
	echo '{"tool":"read","args":{"file_path":"a.txt"}}'
} >>"$TEST_DIR/calls"
nth() { sed -n "$1p" <<<"$out" | jq -r "$2"; }

# Without a terminal: no.
status 0 setsid -w "$PYTHON" -B "$harness" --record "$TEST_DIR/record" "$P" "$TEST_DIR/calls"
[[ $(wc -l <<<"$out") -eq 12 ]] || fail "not one result per line: $out"
[[ $(cat a.txt) == "from a harness" ]] || fail "a.txt was not written"
[[ $(nth 2 .result) == *"from a harness"* ]] || fail "it was not read: $out"
[[ $(nth 3 .error) == Denied ]] || fail "no refusal: $out"
[[ $(nth 4 .result) == hi*refused*"$OUT/g"* ]] || fail "the crossing is not told: $out"
[[ $(nth 5 .result) == "[untrusted content "*Ignore*" ends]" ]] || fail "no label: $out"
[[ $(nth 7 .error) == UnknownTool ]] || fail "no such tool: $out"
for n in 6 8 9 10 11; do
	[[ $(nth $n .error) == BadArguments ]] || fail "a mistake is not told: $(nth $n .)"
done
[[ $(nth 12 .result) == *"from a harness"* ]] || fail "it did not go on: $out"
[[ $(cat "$OUT/f") == old && ! -e $OUT/g ]] || fail "it was done without an answer"

# The record is the session's, all of it.
session=$(jq -r .session "$TEST_DIR/record" | sort -u)
status 0 "$AMBIT" log export --session "$session"
diff <(jq -S . <<<"$out") <(jq -S . "$TEST_DIR/record") || fail "another record"
[[ $(jq -r 'select(.kind == "answer") | .body.answer' "$TEST_DIR/record" | sort | uniq -c | xargs) == "2 no" ]] ||
	fail "the answers are not in the record: $(grep '"answer"' "$TEST_DIR/record")"

# A scope in a call is the call's.
mkdir -p sub
status 0 setsid -w "$PYTHON" -B "$harness" "$P" <<'END'
{"tool":"write","args":{"file_path":"top","content":"x"},"scope":{"root":"sub"}}
{"tool":"bash","args":{"command":"echo x >in; echo x >../top"},"scope":{"root":"sub"}}
END
[[ $(nth 1 .error) == OutOfScope && -e sub/in && ! -e top ]] || fail "the scope does not hold: $out"

# Answered.
status 0 "$PYTHON" -B "$harness" --answer once "$P" <"$TEST_DIR/calls"
[[ $(nth 3 .result) != null && $(cat "$OUT/f") == new ]] || fail "a yes was not done: $out"
[[ $(cat "$OUT/g") == crossed ]] || fail "the crossing was not let through: $out"

# A word that is no answer is not a no that nobody gave.
status 2 "$PYTHON" -B "$harness" --answer perhaps "$P" "$TEST_DIR/calls"
complains "perhaps"

# By a person at the terminal.
echo '{"tool":"write","args":{"file_path":"'"$OUT"'/f","content":"typed"}}' >"$TEST_DIR/calls"
person wait:'which?' send:'2\r' -- "$PYTHON" -B "$harness" "$P" "$TEST_DIR/calls"
[[ $(cat "$OUT/f") == typed ]] || fail "the person's yes was not done: $out"
person wait:'which?' send:'\r' -- "$PYTHON" -B "$harness" "$P" "$TEST_DIR/calls"
says '"error": "Denied"'
