#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A program that tries again and again is refused each time, is counted, ends,
# and fills neither the record nor the screen.
. "${0%/*}/line.bash"

n=${AMBIT_LONG:+100000}
n=${n:-5000}
held 0 --report r.json -- "$CALLS" loop "$OUT/again" "$n"
says "$n refused"
[[ $(jq .refused r.json) -eq $n ]] || fail "counted: $(jq .refused r.json)"
[[ $(wc -l <<<"$errout") -le 25 ]] || fail "too much said: $(wc -l <<<"$errout") lines"
[[ ! -e $OUT/again ]] || fail "written"
held 0 --quiet --session names --report r.json -- "$CALLS" loop-names "$OUT/n" 2000
says '2000 refused'
[[ $(jq .refused r.json) -eq 2000 ]] || fail "counted: $(jq .refused r.json)"
[[ $(jq '.refusals | length' r.json) -le 2000 ]] || fail "too long a list"
status 0 "$AMBIT" log verify
