#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ^Z while a call is held stops the job, and fg lets it go on with the same question. ^C ends it.
. "${0%/*}/line.bash"

export PS1='ready$ ' HISTFILE=''
ASKED=$TEST_DIR/asked
approver wait.sh <<END
#!/bin/bash
jq -r .what >>'$ASKED'
until [[ -e '$P/go' ]]; do kill -0 \$PPID || exit; sleep 0.02; done
echo '{"answer":"once"}'
END
# job FILE STEP...: somebody in the session, at a terminal that it made: the keys are the program's.
job() {
	local file=$1
	shift
	rm -f go
	: >"$ASKED"
	status 0 "$AMBIT" run --quiet --ask "exec:$approver" -- "${PERSON[@]}" -t 30 'wait:ready$ ' \
		"send:\"$CALLS\" create \"$OUT/$file\"\\r" "until:test -s '$ASKED'" "$@" 'send:exit 0\r' -- \
		bash --norc --noprofile -i
}

job stopped send:^Z wait:Stopped 'wait:ready$ ' 'send:jobs\r' wait:Stopped 'wait:ready$ ' 'send:fg\r' \
	"do:touch '$P/go'" "until:test -e '$OUT/stopped'" wait:ok 'wait:ready$ '
# A job that is stopped for two seconds is asked about again: the same.
[[ $(sort -u "$ASKED" | wc -l) -eq 1 ]] || fail "$(cat "$ASKED")"
job ended send:^C 'wait:ready$ '
[[ ! -e $OUT/ended ]] || fail "done after a ^C"
