#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --ask exec:PROG answers by what it is shown; where the command could write,
# no such program is taken.
. "${0%/*}/line.bash"

approver pick.sh <<END
#!/bin/bash
question=\$(cat)
echo "\$question" >>'$TEST_DIR/asked'
case \$(jq -r .what <<<"\$question") in
*yes*) echo '{"answer":"once"}' ;;
*) echo '{"answer":"no","message":"ask Ada first"}' ;;
esac
END
status 0 "$AMBIT" run --ask "exec:$approver" -- "$CALLS" create "$OUT/yes"
[[ -e $OUT/yes ]] || fail "not done"
status 1 "$AMBIT" run --ask "exec:$approver" -- "$CALLS" create "$OUT/other"
[[ ! -e $OUT/other ]] || fail "done"
complains 'ask Ada first'
jq -e '.who | test("calls")' "$TEST_DIR/asked" >/dev/null || fail "$(cat "$TEST_DIR/asked")"
cp "$approver" ./mine.sh
status 125 "$AMBIT" run --ask "exec:$P/mine.sh" -- touch ran
status 125 "$AMBIT" run --ask "exec:$approver" --write "$TEST_DIR/approvers" -- touch ran
complains approvers
[[ ! -e ran ]] || fail "it ran"
# Nonsense, a crash and silence are a no.
for text in 'echo nonsense' 'exit 1' 'echo "{\"answer\":\"forever\"}"'; do
	approver odd.sh <<<"#!/bin/bash
$text"
	status 1 "$AMBIT" run --quiet --ask "exec:$approver" -- "$CALLS" create "$OUT/other"
done
[[ ! -e $OUT/other ]] || fail "done"
