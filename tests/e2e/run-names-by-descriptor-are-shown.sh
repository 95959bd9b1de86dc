#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A file that is opened through a descriptor (/proc/self/fd/14/x, /dev/fd/14/x) is named by its
# own path: in the line on stderr, the summary, the report, the record and the question.
. "${0%/*}/line.bash"

# Without ambit both ways make the file.
natural_by() { # PATH
	(exec 14<"$OUT"; "$CALLS" create "$1" >/dev/null) || fail "$1 does not work without ambit"
	rm "$OUT/x"
}
for by in /proc/self/fd/14/x /dev/fd/14/x; do
	natural_by "$by"
	held 0 --session "${by:1:3}" --report r.json -- bash -c 'exec 14<"$2"; "$1" create "$3"; true' _ "$CALLS" "$OUT" "$by"
	[[ ! -e $OUT/x ]] || fail "it was made"
	complains "write $OUT/x"
	[[ ${AMBIT_WITHOUT:-} == pidfd_getfd ]] || complains "$OUT/x is outside"
	[[ $errout != *fd/14* ]] || fail "$by is shown: $errout"
	jq -e --arg x "$OUT/x" '.refusals[0].subject == $x and (.refusals[0].message | startswith($x + " is outside"))' r.json >/dev/null ||
		fail "$(cat r.json)"
	status 0 "$AMBIT" log --session "${by:1:3}" --json
	[[ $out == *"$OUT/x"* ]] || fail "not in the record: $out"
	! jq -c 'del(.body.argv)' <<<"$out" | grep 'fd/14' || fail "the record shows the descriptor"
done

# The question, and a yes to it is a yes to that file.
approver named <<'END'
#!/bin/bash
cat >"$XDG_RUNTIME_DIR/question"
echo '{"answer": "once"}'
END
status 0 "$AMBIT" run --ask "exec:$approver" -- bash -c 'exec 14<"$2"; "$1" create /proc/self/fd/14/x' _ "$CALLS" "$OUT"
[[ -e $OUT/x ]] || fail "not made after a yes"
grep -q "$OUT/x" "$XDG_RUNTIME_DIR/question" || fail "$(cat "$XDG_RUNTIME_DIR/question")"
! grep 'fd/14' "$XDG_RUNTIME_DIR/question" || fail "the descriptor is shown"
