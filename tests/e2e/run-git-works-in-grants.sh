#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# git works in a granted folder as in the folder: clone, commit, fetch, worktrees and submodules
# ask nothing, whether the folder is open from the start, by an answer during the run, or by a
# profile whose folders do not exist yet. A config that runs a program and a hook are asked there.
# Runs once.
. "${0%/*}/line.bash"

command -v git >/dev/null || skip "no git"
cat >"$HOME/.gitconfig" <<'END'
[user]
	name = Ada
	email = ada@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0
[protocol "file"]
	allow = always
END
export ORIGIN=$TEST_DIR/origin.git
git init -q "$TEST_DIR/source"
echo one >"$TEST_DIR/source/a"
git -C "$TEST_DIR/source" add a
git -C "$TEST_DIR/source" commit -qm one
git clone -q --bare "$TEST_DIR/source" "$ORIGIN"

ASKED=$TEST_DIR/asked
# A person who opens folders, and says no to what is dangerous.
approver folders.sh <<END
#!/bin/bash
question=\$(cat)
jq -r '.what + " " + .danger' <<<"\$question" >>'$ASKED'
if jq -e '.danger == "" and any(.choices[]; .answer == "folder")' <<<"\$question" >/dev/null; then
	echo '{"answer":"folder"}'
else
	echo '{"answer":"no"}'
fi
END
cat >work.sh <<'END'
set -e
mkdir -p "$1/deep"
cd "$1/deep"
git clone -q "$ORIGIN" r
cd r
echo two >b
git add b
git commit -qm two
git config user.name Grace
git fetch -q
git checkout -qb more
git worktree add -q ../w main
git -C ../w commit -q --allow-empty -m w
git worktree remove ../w
git worktree add -q ../v main
git submodule -q add "$ORIGIN" lib
git commit -qm lib
git -C lib commit -q --allow-empty -m lib
git gc -q
cd ..
git init -q i
git -C i commit -q --allow-empty -m i
git clone -q "$ORIGIN" again
rm -rf again/a
END
# What runs a program is asked about, however it comes there.
cat >evil.sh <<'END'
cd "$1/deep/r"
git config core.fsmonitor ./evil
git config core.hooksPath h
git config alias.x '!evil'
printf '[core]\n\tfsmonitor = ./evil\n' >>.git/config
echo evil >.git/hooks/pre-commit
echo evil >lib/../.git/modules/lib/hooks/pre-commit
echo 'gitdir: /nowhere/.git/modules/x' >../v/.git
git clone -q -c core.fsmonitor=./evil "$ORIGIN" ../evil
true
END

# works NAME QUESTIONS DIR OPTION...: so many questions come of the work, all about ordinary files.
works() {
	local name=$1 questions=$2 dir=$3
	shift 3
	: >"$ASKED"
	status 0 "$AMBIT" run --session "$name" --ask "exec:$approver" "$@" -- bash "$P/work.sh" "$dir"
	[[ $errout != *refused* ]] || fail "$name: $errout"
	[[ $(wc -l <"$ASKED") -eq $questions ]] || fail "$name: not $questions questions: $(cat "$ASKED")"
	status 0 git -C "$dir/deep/r" fsck --strict --no-dangling
	[[ $(<"$dir/deep/r/lib/a") == one && $(git -C "$dir/deep/r" config user.name) == Grace &&
		$(git -C "$dir/deep/v" rev-parse HEAD) == "$(git -C "$dir/deep/r" rev-parse main)" ]] ||
		fail "$name: not what git does: $(git -C "$dir/deep/r" log --oneline)"
	cp "$dir/deep/r/.git/config" "$dir/deep/v/.git" "$TEST_DIR"
	"$AMBIT" run --quiet --session "$name" --ask "exec:$approver" "$@" -- bash "$P/evil.sh" "$dir" >/dev/null 2>&1 </dev/null || true
	cmp "$dir/deep/r/.git/config" "$TEST_DIR/config" || fail "$name: its config was changed"
	cmp "$dir/deep/v/.git" "$TEST_DIR/.git" || fail "$name: .git of a worktree was changed"
	[[ ! -e $dir/deep/r/.git/hooks/pre-commit && ! -e $dir/deep/r/.git/modules/lib/hooks/pre-commit ]] ||
		fail "$name: a hook"
	! grep -qs fsmonitor "$dir/deep/evil/.git/config" || fail "$name: cloned with a program"
	rm -f "$TEST_DIR/.git"
}

# Each attack works without ambit.
bash work.sh "$TEST_DIR/natural" 2>/dev/null
bash evil.sh "$TEST_DIR/natural" >/dev/null 2>&1
(
	cd "$TEST_DIR/natural/deep" || exit
	grep -q fsmonitor r/.git/config && grep -q hooksPath r/.git/config && grep -q alias r/.git/config &&
		grep -q fsmonitor evil/.git/config && grep -q nowhere v/.git &&
		[[ -e r/.git/hooks/pre-commit && -e r/.git/modules/lib/hooks/pre-commit ]]
) || fail "an attack does not work without ambit either"

works folder 0 "$P/here"
mkdir "$HOME/granted" "$HOME/later"
works grant 0 "$HOME/granted" --write "$HOME/granted"
works answer 1 "$HOME/later"
# The folders of a profile are made during the run.
[[ ! -e $HOME/.claude ]] || fail "there before"
works profile 0 "$HOME/.claude/plugins/marketplaces" --for claude
works again 0 "$HOME/.claude/plugins/others" --for claude

# A worktree leads from one open folder to another, and nowhere else.
held 0 --write "$HOME/granted" -- git -C "$P/here/deep/r" worktree add -q "$HOME/granted/away" --detach
git -C "$HOME/granted/away" status >/dev/null || fail "the worktree"
held 0 --write "$HOME/granted" -- git -C "$P/here/deep/r" worktree remove "$HOME/granted/away"
mkdir "$HOME/closed"
line --quiet -- git -C "$P/here/deep/r" worktree add -q "$HOME/closed/away" --detach >/dev/null 2>&1 || true
[[ ! -e $HOME/closed/away/.git ]] || fail "a worktree outside"
# A granted folder that is a worktree keeps its repository.
git -C "$P/here/deep/r" worktree add -q --detach "$HOME/tree"
cp "$HOME/tree/.git" "$TEST_DIR/before"
plant="rm -f .git; printf 'gitdir: $P/here/deep/r/.git/worktrees/v\n' >.git"
(cd "$HOME/tree" && bash -c "$plant")
! cmp -s "$HOME/tree/.git" "$TEST_DIR/before" || fail "it does not work without ambit either"
cp "$TEST_DIR/before" "$HOME/tree/.git"
line --quiet --write "$HOME/tree" -- bash -c "cd '$HOME/tree'; $plant" >/dev/null 2>&1 || true
cmp "$HOME/tree/.git" "$TEST_DIR/before" || fail "the repository of a granted folder was replaced"

# A no to one config holds, though its text is plain.
status 0 "$AMBIT" rules add --no write "$HOME/granted/deep/r/.git/config"
line --quiet --write "$HOME/granted" -- git -C "$HOME/granted/deep/r" config user.name Other >/dev/null 2>&1 || true
[[ $(git -C "$HOME/granted/deep/r" config user.name) == Grace ]] || fail "a no did not hold"
