#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A signal acts while a call is held: its handler runs, also one without SA_RESTART. The same
# question stays on the screen, and its answer counts.
. "${0%/*}/line.bash"

person 'wait:ambit> ' "until:grep -q signal '$P/said'" "do:test ! -e '$OUT/file'" send:y end \
	-- "$AMBIT" run --quiet -- bash -c '"$2" -a 700 create "$1/file" >said 2>&1' _ "$OUT" "$CALLS"
[[ -e $OUT/file && $(tail -1 said) == ok ]] || fail "not done: $out"
[[ $(grep -o 'ambit  ' <<<"$out" | wc -l) -eq 1 ]] || fail "asked again: $out"
[[ $out != *withdrawn* ]] || fail "$out"

# A no counts as well.
PERSON_STATUS=1 person 'wait:ambit> ' "until:grep -q signal '$P/said'" send:n end \
	-- "$AMBIT" run --quiet -- bash -c '"$2" -a 700 create "$1/no" >said 2>&1' _ "$OUT" "$CALLS"
[[ ! -e $OUT/no && $(tail -1 said) == EACCES ]] || fail "$(cat said)"

# A question has its time, too.
mkdir -p "$XDG_CONFIG_HOME/ambit"
echo '{"question_timeout": 1}' >"$XDG_CONFIG_HOME/ambit/config.json"
PERSON_STATUS=1 person 'wait:ambit> ' wait:EACCES -- "$AMBIT" run --quiet -- "$CALLS" create "$OUT/late"
[[ ! -e $OUT/late ]] || fail "done without an answer"
rm "$XDG_CONFIG_HOME/ambit/config.json"

# ^C at the question is a no; the command goes on.
person 'wait:ambit> ' send:^C wait:EACCES wait:still-here -- "$AMBIT" run --quiet -- bash -c \
	'"$2" create "$1/late"; echo still-here' _ "$OUT" "$CALLS"
[[ ! -e $OUT/late ]] || fail "done after a ^C"
