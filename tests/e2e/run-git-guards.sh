#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# What would make git run a program for the person later is not planted from
# behind the line. Each row is tried twice: without ambit, where git does run it,
# and behind the line, where it does not.
# Runs once.
. "${0%/*}/git-plants.bash"

is_held() {
	plants "$1" bash -c || fail "${1%% :: *}: it does not run without ambit either: $(cat "$TEST_DIR/.out")"
	! plants "$1" line --quiet -- bash -c || fail "${1%% :: *}: it ran"
}
each_plant is_held

# What runs nothing by itself is not written either: it is refused, and said.
# refuses COMMAND FILE
refuses() {
	scene
	git submodule -q add "$PWD/lib.git" lib
	git worktree add -q wt side
	cp "$2" "$TEST_DIR/before"
	line -- bash -c "$1" </dev/null >"$TEST_DIR/.out" 2>&1 || true
	cmp "$2" "$TEST_DIR/before" || fail "'$1' changed $2"
	grep -q "${2//./\\.}" "$TEST_DIR/.out" || fail "'$1' was not told: $(cat "$TEST_DIR/.out")"
}
refuses 'echo /nowhere/.git >.git/worktrees/wt/gitdir' .git/worktrees/wt/gitdir
refuses 'printf "[submodule \"lib\"]\n\tupdate = !evil\n" >>.gitmodules' .gitmodules
refuses 'printf "[submodule \"lib\"]\n\tpath = lib\n\turl = ext::evil\n" >.gitmodules' .gitmodules
refuses 'git config -f .gitmodules submodule.lib.update "!evil"' .gitmodules
refuses 'git -C lib config core.worktree /' .git/modules/lib/config
refuses 'echo gitdir: other >wt/.git; true' wt/.git
