#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a terminal the command has one of its own: another device, its size, ^C,
# ^D and ^Z go where they should, and the real one is as it was afterwards.
. "${0%/*}/line.bash"

person -s 33x101 "wait:size 33 101" "size:20x70" "wait:size 20 70" send:q wait:after -- bash -c '
	real=$(tty); before=$(stty -g)
	"$AMBIT" run -- bash -c "trap \"stty size | sed s/^/size\\ /\" WINCH; [[ -t 0 && -t 1 && -t 2 ]] || exit 9
		[[ \$(tty) != $real ]] || exit 8; stty size | sed s/^/size\ /
		until read -r -s -n 1 -t 0.1 key && [[ \$key == q ]]; do :; done" || exit $?
	[[ $(stty -g) == "$before" ]] || exit 7; echo after'

# ^C is the command's alone: ambit goes on and tells its status.
PERSON_STATUS=130 person wait:ready send:^C -- "$AMBIT" run -- bash -c 'echo ready; exec sleep 1000'
person wait:ready send:^C wait:caught -- "$AMBIT" run -- bash -c 'trap "echo caught; exit 0" INT; echo ready; while :; do sleep 0.1; done'
# ^D ends its input; what is typed comes through as it is.
person wait:ready 'send:typed\r' 'wait:got typed' send:^D wait:end-of-input -- "$AMBIT" run -- \
	bash -c 'echo ready; while read -r l; do echo got $l; done; echo end-of-input'
# A program that crosses the line in the middle of a word does not get the rest of it as the
# answer: the question waits until the word is typed.
person wait:ready send:tod wait:crossing send:a send:y 'wait:ambit  ' 'wait:ambit> ' send:n wait:refused wait:left=ay -- "$AMBIT" run -- \
	bash -c "stty -icanon -echo; printf ready; read -r -N 3; printf crossing; echo x 2>/dev/null >'$OUT/word'; read -r -N 2 rest; echo left=\$rest"
[[ ! -e $OUT/word && -z $("$AMBIT" rules --json | jq -r '.[]?') ]] || fail "the rest of a word was an answer"
# A pipe stays a pipe, and a lot of output comes whole.
person 'wait:588895 588895' -- bash -c '"$AMBIT" run -- seq 100000 | wc -c | sed "s/\(.*\)/\1 \1/"'
person wait:100000 -- "$AMBIT" run -- seq 100000
[[ $(tr -d '\r' <<<"$out" | grep -c '^[0-9]*$') -eq 100000 ]] || fail "lines are missing"
# The terminal of ambit, and those of others, are out of reach.
PERSON_STATUS=1 person wait:ready -- bash -c '"$AMBIT" run --ask deny --quiet -- bash -c "echo ready; echo FORGED >$(tty)"'
[[ $out != *FORGED* || $out == *denied* ]] || fail "wrote to the real terminal: $out"
