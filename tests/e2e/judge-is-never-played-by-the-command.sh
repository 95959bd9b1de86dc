#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A command that listens where the judge should be, while he is away, is not believed: it
# would be its own judge. Nor is one that says yes to everything asked more for that.
# shellcheck source=tests/e2e/judge.bash
. "${0%/*}/judge.bash"

judge_serve 0
judge_is allow
kill "${servers[0]}"
wait "${servers[0]}" 2>/dev/null || true
cp "$HERE/judge.py" .
: >"$TEST_DIR/inside"
cat >attack.sh <<'SH'
python3 -B judge.py heard "$1" </dev/null >/dev/null 2>&1 &
until [[ -s heard ]]; do sleep 0.02; done
echo mine >"$OUT/mine"
status=$?
kill $!
exit $status
SH
# Outside it is a judge like any other: whom ambit asks says yes.
"$PYTHON" -B judge.py "$judged" "$judge_port" </dev/null >/dev/null 2>&1 &
servers+=($!)
eventually test "$(wc -l <"$judged")" -ge 1
eventually bash -c "exec 3<>/dev/tcp/127.0.0.1/$judge_port"
status 0 "$AMBIT" run --ask "exec:$person_program" -- bash -c 'echo x >"$OUT/x"'
asked 0
kill "${servers[1]}"
wait "${servers[1]}" 2>/dev/null || true
# Inside it can listen, and is heard by others there; but not as the judge.
status 1 "$AMBIT" run --ask "exec:$person_program" -- bash attack.sh "$judge_port"
asked 1
[[ ! -e $OUT/mine ]] || fail "the command has judged itself"
[[ $(wc -l <heard) -eq 1 ]] || fail "it was asked: $(cat heard)"
status 0 "$AMBIT" log export --kind judge --last 1
says 'may be one of those who ask'
