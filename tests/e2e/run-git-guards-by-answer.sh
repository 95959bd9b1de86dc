#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# What would make git run a program for the person later is not planted in a folder that was
# opened during the run, by an answer or by a rule. run-git-guards.sh shows that each row works
# without ambit.
# Runs once.
. "${0%/*}/git-plants.bash"

SCENE=$HOME/scene
# The first question is about an ordinary file, and the answer opens all of the folder.
approver opens.sh <<'END'
#!/bin/bash
if [[ $(jq -r .what) == *"/first" ]]; then answer=folder; else answer=no; fi
echo "{\"answer\":\"$answer\"}"
END
in_answer() ( # PLANT
	cd "$P" && "$AMBIT" run --quiet --ask "exec:$approver" -- bash -c "cd '$SCENE'; echo >first; rm first || exit; $1"
)

is_held() {
	! plants "$1" in_answer || fail "${1%% :: *}: it ran"
	[[ ! -e $SCENE/first ]] || fail "the answer opened nothing"
}
each_plant is_held

# It is open: what is ordinary is written.
scene
in_answer 'echo x >d/new; git config user.name Grace'
[[ -e d/new && $(git config user.name) == Grace ]] || fail "nothing is open"

# A rule that somebody adds while the command runs opens the folder at once, but for its guards.
in_rule() (
	rm -f "$P/ready" "$P/go"
	cd "$P" || exit
	line --quiet -- bash -c "echo >ready; until [[ -e go ]]; do sleep 0.02; done; cd '$SCENE'; $1" &
	eventually test -e ready
	"$AMBIT" rules add write "$SCENE"
	touch go
	wait
)
row='hooks directory :: mkdir h; git config core.hooksPath h :: cp evil d/copy; cp evil h/pre-commit :: git commit -q --allow-empty -m x'
plants "$row" bash -c || fail "by a rule: it does not run without ambit either"
! plants "$row" in_rule || fail "by a rule: it ran"
[[ -e $SCENE/d/copy ]] || fail "by a rule: nothing is open"
