#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The answer "once" to a move is for that move. It opens nothing while the call is away in a signal
# handler, and its parts are no leave to remove the one file, or to replace the other in any other
# way: by a handler, by another thread, or afterwards.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

AWAY=$HELPERS/away

# For `steps`.
answers_once=$approver
# The first question is answered when the program's second thread or its handler runs, and all
# others with no.
approver away.sh <<END
#!/bin/bash
jq -r .what >>'$TEST_DIR/asked'
if ((\$(wc -l <'$TEST_DIR/asked') > 1)); then
	echo '{"answer":"no"}'
	exit
fi
echo \$\$ >'$TEST_DIR/approver'
until [[ -e '$P/handled' ]]; do kill -0 \$PPID || exit; sleep 0.02; done
echo '{"answer":"once"}'
END

is_asked() { [[ -s $TEST_DIR/approver ]]; }
is_answered() { [[ $("$AMBIT" log --session "$session" --json | jq -r .kind) == *answer* ]]; }
# On a very busy machine the handler takes longer than two seconds, and the question is withdrawn.
is_over() { is_answered || gone "$(cat "$TEST_DIR/approver")"; }

# The answer is in force as soon as it is recorded, and then the program goes on.
answered=0
move() {
	local run
	data
	rm -f handled answered pid "$TEST_DIR/approver"
	: >"$TEST_DIR/asked"
	session=once-$((${session#once-} + 1))
	"$AMBIT" run --quiet --session "$session" --ask "exec:$approver" -- "$AWAY" ${1:+"$1"} "$D/f" "$D/g" "$D/new" >said 2>&1 &
	run=$!
	eventually is_asked
	[[ ${1:-} == -t ]] || kill -ALRM "$(cat pid)"
	eventually is_over
	(eventually is_answered) >/dev/null && answered=$((answered + 1))
	touch answered
	wait "$run" || fail "$(cat said)"
	[[ $(head -1 "$TEST_DIR/asked") == move* ]] || fail "$(cat "$TEST_DIR/asked")"
}

# Neither file is lost but by the move itself.
is_kept() {
	[[ $(cat "$D/g") == old-f || $(cat "$D/f" "$D/g") == $'old-f\nold-g' ]] ||
		fail "lost: $(cat "$D/f" "$D/g"): $(cat said "$TEST_DIR/asked")"
}

# Without ambit the second thread replaces it.
data
touch answered
"$AWAY" -t "$D/f" "$D/g" "$D/new" >said
grep -qx 'replace ok' said || fail "not without ambit either: $(cat said)"

for ((round = 0; round < ${ROUNDS:-3}; round++)); do
	move
	grep -qx 'unlink EACCES' said || fail "$(cat said)"
	is_kept
	move -t
	is_kept
done
((answered > 0)) || fail "never answered in time"

approver=$answers_once
# Afterwards: the same move was allowed, and no part of it.
steps ok:rename:@f:@new no:unlink:@new
steps ok:rename:@f:@new no:append:@new
steps ok:rename:@f:@g no:append:@g
steps ok:rename:@f:@g ok:create:@t no:rename:@t:@g
[[ $(cat "$D/g") == old-f ]] || fail "replaced"
steps ok:rename:@f:@g ok:create:@f ok:append:@f
steps ok:link:@f:@l no:append:@f
still f
steps ok:link:@f:@l no:unlink:@l
