#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Without a screen: lines of JSON out, answers in. What is not understood answers nothing;
# the end of the input is the end. Without a terminal the screen says so.
. "${0%/*}/watch.bash"

status 1 "$AMBIT" watch </dev/null
complains "not a terminal"
complains "--json"
status 0 "$AMBIT" watch --json </dev/null
[[ -z $out ]] || fail "no session says: $out"

coproc W { exec "$AMBIT" watch --json; }
servers+=("$W_PID")
exec {W_OUT}<&"${W[0]}" {W_IN}>&"${W[1]}"
eval "exec ${W[1]}>&-"
# next TYPE: the next line of that type, in $line; others are passed over.
next() {
	local n
	for ((n = 0; n < 100; n++)); do
		IFS= read -r -t 10 -u "$W_OUT" line || fail "no more lines; waited for $1"
		echo "$line" >>"$TEST_DIR/lines"
		[[ $(jq -r .type <<<"$line") == "$1" ]] && return
	done
	fail "no '$1' in a hundred lines"
}
get() { jq -r "$1" <<<"$line"; }
say() { printf '%s\n' "$1" >&"$W_IN"; }

begin one bash -c 'echo x >"$1"; echo y >"$2"' - "$OUT/one" "$OUT/two"
next session
[[ $(get .session) == one && $(get .door) == run && $(get .asks) == true ]] || fail "$line"
[[ $(get .folder) == "$P" ]] || fail "$line"
from=$(get .from)
go one
next question
[[ $(get .from) == "$from" && $(get .session) == one ]] || fail "$line"
[[ $(get .question.what) == "write $OUT/one" ]] || fail "$line"
[[ $(get '[.question.choices[].answer] | index("once")') != null ]] || fail "$line"
id=$(get .question.id)

# Nonsense, a stranger, a wrong number, what was not offered.
for bad in '{' '7' '[]' '{"id":1,"answer":"once"}' "{\"from\":\"1-aaaaaa\",\"id\":$id,\"answer\":\"once\"}" \
	"{\"from\":\"$from\",\"id\":4711,\"answer\":\"once\"}" \
	"{\"from\":\"$from\",\"id\":$id,\"answer\":\"perhaps\"}" \
	"{\"from\":\"$from\",\"id\":$id,\"answer\":\"folder\",\"path\":\"/\"}" \
	"{\"from\":\"$from\",\"id\":$id}" "$(printf '%070000d' 0)"; do
	say "$bad"
	next error
	[[ -n $(get .error) ]] || fail "$line"
done
[[ ! -e $OUT/one ]] || fail "nonsense wrote"
say "{\"from\":\"$from\",\"id\":$id,\"answer\":\"once\"}"
next answered
[[ $(get .id) == "$id" ]] || fail "$line"
# Once covers a new file beside it, of that process.
ended one 0
[[ $(cat "$OUT/one" "$OUT/two") == x*y ]] || fail "not written"
next gone
[[ $(get .from) == "$from" ]] || fail "$line"

begin two bash -c "$PUT" - x "$OUT/three"
next session
go two
next question
id=$(get .question.id)
say "{\"from\":\"$(get .from)\",\"id\":$id,\"answer\":\"no\",\"message\":\"not today\"}"
next answered
ended two 1
[[ ! -e $OUT/three ]] || fail "a no wrote"
grep -q "not today" "$TEST_DIR/two.out" || fail "the message did not arrive"

# The record grows beside that, at its own pace.
until grep -q '"kind": *"end".*"session": *"two"' "$TEST_DIR/lines"; do next event; done
[[ $(jq -r 'select(.type == "event" and .event.kind == "decide").event.verdict' "$TEST_DIR/lines" |
	sort -u | tr '\n' ' ') == "allow deny " ]] || fail "$(cat "$TEST_DIR/lines")"
exec {W_IN}>&-
wait "$W_PID" || fail "its input ended, and it did with $?"

# Behind the line there is nobody to watch, and nothing to answer.
begin three bash -c "$PUT" - x "$OUT/four"
status 0 "$AMBIT" run --ask deny -- "$AMBIT" watch --json </dev/null
[[ $out != *'"question"'* && $out != *'"session"'*'"asks"'* ]] || fail "seen from behind the line: $out"
