#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A person at the terminal is asked at the very call; a folder that is granted
# holds at once for processes that already run, for this session and no longer.
. "${0%/*}/line.bash"

mkdir "$HOME/data" "$HOME/data/sub"
cat >work.sh <<'END'
echo one >"$1/one" && echo DONE-1
echo two >"$1/sub/two" && echo DONE-2
(trap '' TERM; until [[ -e go ]]; do sleep 0.02; done; echo three >"$1/three") & wait; echo DONE-3
END
person 'wait:ambit  write ~/data/one' "wait:by bash; outside ~/project" 'wait:ambit> ' \
	"do:test ! -e '$HOME/data/one'" send:d wait:DONE-1 wait:DONE-2 "do:touch '$P/go'" wait:DONE-3 \
	-- "$AMBIT" run -- bash work.sh "$HOME/data"
[[ $(cat "$HOME/data/one" "$HOME/data/sub/two" "$HOME/data/three" | tr '\n' ' ') == 'one two three ' ]] ||
	fail "not written"
[[ $(grep -o 'ambit  ' <<<"$out" | wc -l) -eq 1 ]] || fail "asked more than once: $out"
# Another session asks again; a no is an error for the program.
PERSON_STATUS=1 person 'wait:ambit> ' 'send:\r' wait:EACCES -- "$AMBIT" run -- "$CALLS" append "$HOME/data/one"
[[ $(cat "$HOME/data/one") == one ]] || fail "written after a no"
[[ $out == *'was refused'* ]] || fail "no summary: $out"
# A rule is for good.
person 'wait:ambit> ' send:a 'wait:always in ~/project:  s this file   d all of ~/data' 'wait:ambit> ' send:s wait:ok -- "$AMBIT" run -- "$CALLS" append "$HOME/data/one"
held 0 -- "$CALLS" append "$HOME/data/one"
[[ $(cat "$HOME/data/one") == $'one\nmore\nmore' ]] || fail "the rule does not hold"
status 0 "$AMBIT" rules
says data/one
# It is about that file and no other.
held 1 -- "$CALLS" append "$HOME/data/three"
# One edit in place is one question.
echo kept >"$OUT/edited"
person 'wait:ambit> ' send:y -- "$AMBIT" run -- sed -i s/kept/new/ "$OUT/edited"
[[ $(cat "$OUT/edited") == new ]] || fail "not edited"
[[ $(grep -o 'ambit  ' <<<"$out" | wc -l) -eq 1 ]] || fail "asked more than once: $out"
