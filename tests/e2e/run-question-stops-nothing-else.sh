#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# While one call waits for an answer, other processes work on, inside the
# folder and in what is allowed; one yes lets every call through that it covers.
. "${0%/*}/line.bash"

cat >work.sh <<'END'
echo held >"$1/a" &
first=$!
for i in $(seq 50); do echo $i >file$i; mv file$i moved$i; done
mkdir dir; ln -s x dir/l; chmod 600 moved1
touch worked
wait $first
END
person 'wait:ambit> ' 'until:test -e worked' "do:test ! -e '$OUT/a'" send:y \
	"until:test -s '$OUT/a'" -- "$AMBIT" run -- bash work.sh "$OUT"
[[ -e moved50 && $(cat "$OUT/a") == held ]] || fail "not done"

# Two that wait for the same folder: one answer.
person 'wait:ambit> ' "until:test -e '$P/both'" send:d -- "$AMBIT" run -- bash -c \
	'for n in 1 2; do (touch go$n; echo x >"$1/b$n") & done; until [[ -e go1 && -e go2 ]]; do sleep 0.02; done; touch both; wait' _ "$OUT"
[[ -e $OUT/b1 && -e $OUT/b2 ]] || fail "one answer did not do"
[[ $(grep -o 'ambit  ' <<<"$out" | wc -l) -eq 1 ]] || fail "asked twice: $out"

# Whoever asked and is gone is not asked about: the next question comes.
person 'wait:/gone' 'wait:ambit> ' "do:touch '$P/die'" 'wait:/next' 'wait:ambit> ' send:y wait:ended \
	-- "$AMBIT" run -- bash -c '"$2" create "$1/gone" & until [[ -e die ]]; do sleep 0.02; done
		kill -9 $!; wait; "$2" create "$1/next"; echo ended' _ "$OUT" "$CALLS"
[[ ! -e $OUT/gone && -e $OUT/next ]] || fail "gone: $(ls "$OUT")"
