#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# What would make git run a program for the person later is not planted in a granted folder
# (--write) either. run-git-guards.sh shows that each row works without ambit.
# Runs once.
. "${0%/*}/git-plants.bash"

SCENE=$HOME/scene
in_grant() ( # PLANT
	cd "$P" && line --quiet --write "$SCENE" -- bash -c "cd '$SCENE'; $1"
)

is_held() { ! plants "$1" in_grant || fail "${1%% :: *}: it ran"; }
each_plant is_held

# It is open: what is ordinary is written.
scene
in_grant 'echo x >d/new; git config user.name Grace'
[[ -e d/new && $(git config user.name) == Grace ]] || fail "nothing is open"
