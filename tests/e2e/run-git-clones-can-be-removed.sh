#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A repository that came to be in this run can be removed without a question, guards and all: as git
# does after a clone that failed. One that was there before is asked about, however new its files
# are.
. "${0%/*}/line.bash"
command -v git >/dev/null || skip "no git"
git config --global user.email a@example.org
git config --global user.name a
git init -q --bare "$TEST_DIR/src.git"
mkdir "$OUT/open"
# Where the file system does not tell when something was made, all is asked about as before.
[[ $(stat -c %W .) -ne 0 && $(stat -f -c %T .) != overlayfs ]] || skip "no times of birth here"

for place in "$P" "$OUT/open"; do
	held 0 --write "$OUT/open" -- bash -c 'cd "$1" && git clone -q "$2" clone 2>/dev/null && git init -q made &&
		echo "ref: refs/heads/x" >made/.git/HEAD && rm -r clone made && mkdir -p deep/er && git init -q deep/er/repo &&
		rm -r deep' - "$place" "$TEST_DIR/src.git"
	[[ ! -e $place/clone && ! -e $place/made && ! -e $place/deep && -z $errout ]] || fail "$place: $errout"
done

# One that was there: nothing of it, also if its files were written anew in this run.
git init -q old
cp -r old again
rm -r again || fail "it cannot be removed without ambit either"
held 1 -- rm -r old/.git/config
[[ -e old/.git/config ]] || fail "an old config was removed"
held 1 -- bash -c 'git -C old config user.name b && rm old/.git/config'
[[ -e old/.git/config ]] || fail "an old config was removed after it was written anew"
held 1 -- rm old/.git/HEAD
held 1 -- rm -r old/.git/hooks
[[ -e old/.git/HEAD && -d old/.git/hooks ]] || fail "an old repository was taken apart"
# Nor by way of a new directory: a guard is not moved out of its place, nor an old one over a new.
held 1 -- bash -c 'mkdir new && mv old/.git new/.git && rm -rf new'
held 1 -- bash -c 'git init -q other && mv -T other/.git old/.git'
held 1 -- bash -c 'mkdir fresh && ln old/.git/config fresh/config && rm old/.git/config'
[[ -e old/.git/HEAD && -e old/.git/config && -d old/.git/hooks ]] || fail "an old repository was taken apart"
# What is new is guarded while it is there.
held 1 -- bash -c 'git init -q more && echo "#!/bin/sh" >more/.git/hooks/pre-commit'
[[ ! -e more/.git/hooks/pre-commit ]] || fail "a hook in a new repository"
