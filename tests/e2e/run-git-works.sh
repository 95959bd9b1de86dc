#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The everyday of git works inside the folder.
. "${0%/*}/line.bash"

command -v git >/dev/null || skip "no git"
printf '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n' >"$HOME/.gitconfig"
# A repository that is born behind the line is as one that is born outside.
git init -q plain
held 0 -- bash -c 'git init -q repo && echo in >repo/in && git -C repo add in && git -C repo commit -qm zero && git clone -q repo copy
	cd copy && git checkout -qb other && git push -q origin other'
diff plain/.git/config repo/.git/config || fail "another configuration"
[[ $errout != *ambit:* ]] || fail "$errout"
# What would run later is asked about.
held 4 --quiet -- git -C repo config core.pager ./evil
held 1 --quiet -- bash -c 'echo evil >repo/.git/hooks/pre-commit'
[[ ! -e repo/.git/hooks/pre-commit ]] || fail "a hook"
rm -rf plain repo copy
git init -q repo
held 0 -- bash -c 'set -e; cd repo; echo one >a; git add a; git commit -qm one; git checkout -qb side; echo two >>a
	git commit -qam two; git checkout -q main; git merge -q side; git stash list; git tag v1; git rm -q --cached a; git reset -q --hard
	git log --oneline | wc -l; git status --porcelain; mkdir d; echo x >d/x; git add -A; git commit -qm three; git gc -q; git fsck --strict 2>&1 | head -1'
[[ $errout != *ambit:* ]] || fail "$errout"
[[ $(git -C repo rev-list --count HEAD) -eq 3 ]] || fail "$(git -C repo log --oneline)"
held 0 -- bash -c 'cd repo && git worktree list && git diff HEAD~1 | head -3 && git branch -d side'
