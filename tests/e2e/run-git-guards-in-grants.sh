#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# What would make git run a program for the person later is not planted in a granted folder
# either: one that is open from the start (--write), and one that an answer opened during the
# run. run-git-guards.sh shows that each row works without ambit.
# Runs once.
. "${0%/*}/git-plants.bash"

SCENE=$HOME/scene
# The first question is about an ordinary file, and the answer opens all of the folder.
approver opens.sh <<'END'
#!/bin/bash
if [[ $(jq -r .what) == *"/first" ]]; then answer=folder; else answer=no; fi
echo "{\"answer\":\"$answer\"}"
END
in_grant() ( # PLANT
	cd "$P" && line --quiet --write "$SCENE" -- bash -c "cd '$SCENE'; $1"
)
in_answer() (
	cd "$P" && "$AMBIT" run --quiet --ask "exec:$approver" -- bash -c "cd '$SCENE'; echo >first; rm first || exit; $1"
)

is_held() {
	! plants "$1" in_grant || fail "--write: ${1%% :: *}: it ran"
	! plants "$1" in_answer || fail "by an answer: ${1%% :: *}: it ran"
	[[ ! -e $SCENE/first ]] || fail "the answer opened nothing"
}
each_plant is_held

# Both are open: what is ordinary is written.
scene
in_grant 'echo x >d/new; git config user.name Grace'
[[ -e d/new && $(git config user.name) == Grace ]] || fail "--write: nothing is open"
scene
in_answer 'echo x >d/new; git config user.name Grace'
[[ -e d/new && $(git config user.name) == Grace ]] || fail "by an answer: nothing is open"
