#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A call that waits for an answer is interrupted by a signal that the program
# handles, as any slow call is; the question goes with it, and nothing is done.
. "${0%/*}/line.bash"

PERSON_STATUS=1 person 'wait:Enter is no: ' wait:signal wait:EINTR \
	-- "$AMBIT" run --quiet -- "$CALLS" -a 700 create "$OUT/file"
[[ ! -e $OUT/file ]] || fail "done all the same"
[[ $(grep -o 'ambit asks' <<<"$out" | wc -l) -eq 1 ]] || fail "$out"
# A question has its time, too.
mkdir -p "$XDG_CONFIG_HOME/ambit"
echo '{"question_timeout": 1}' >"$XDG_CONFIG_HOME/ambit/config.json"
PERSON_STATUS=1 person 'wait:Enter is no: ' wait:EACCES -- "$AMBIT" run --quiet -- "$CALLS" create "$OUT/file"
[[ ! -e $OUT/file ]] || fail "done without an answer"
# ^C at the question is a no; the command goes on.
rm "$XDG_CONFIG_HOME/ambit/config.json"
person 'wait:Enter is no: ' send:^C wait:EACCES wait:still-here -- "$AMBIT" run --quiet -- bash -c \
	'"$2" create "$1/file"; echo still-here' _ "$OUT" "$CALLS"
