#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# The everyday of git works inside the folder with nobody to ask: every row exits
# with 0, nothing is refused, and what it leaves is what git leaves without ambit.
# Runs once.
. "${0%/*}/line.bash"

command -v git >/dev/null || skip "no git"
# shellcheck disable=SC2016 # what is run is text here
cat >"$HOME/.gitconfig" <<'END'
[user]
	name = Ada
	email = ada@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0
[advice]
	detachedHead = false
[protocol "file"]
	allow = always
END

# A repository with two commits, a branch that is ahead, a bare one beside it as
# its origin, and another one to be a submodule.
T=$TEST_DIR/template
mkdir "$T"
(
	cd "$T" || exit
	git init -q .
	printf 'origin.git\nlib.git\nout\n' >.git/info/exclude
	mkdir d
	echo one >a
	echo two >d/b
	git add -A
	git commit -qm one
	echo more >>a
	git commit -qam two
	git checkout -qb side HEAD~
	echo side >s
	git add s
	git commit -qm side
	git checkout -q main
	git clone -q --bare . origin.git
	git clone -q --bare . lib.git
	git remote add origin ./origin.git
	git fetch -q
)

# works "NAME :: SETUP :: COMMAND :: CHECK": in a copy of it; the command behind the
# line, the rest outside. Without a setup there are three columns.
works() {
	local row=$1 name setup=: command check
	name=${row%% :: *} row=${row#* :: }
	check=${row##* :: } row=${row% :: *}
	command=${row##* :: }
	[[ $row == "$command" ]] || setup=${row% :: *}
	scene=$HOME/scene
	cp -a "$T" "$scene"
	cd "$scene" || exit
	status 0 bash -ec "$setup"
	held 0 -- bash -ec "$command"
	[[ $errout != *ambit:* ]] || fail "$name: $errout"
	status 0 bash -ec "$check"
	status 0 git fsck --strict --no-dangling
	cd "$HOME" || exit
	chmod -R u+rwX "$scene"
	rm -rf "${scene:?}"
}

while IFS= read -r row; do
	[[ -z $row || $row == '#'* ]] || works "$row"
done <<'ROWS'
init :: rm -rf out; git init -q out; git -C out commit -q --allow-empty -m zero :: git init -q twin; diff -r out/.git/hooks twin/.git/hooks; diff out/.git/config twin/.git/config; test "$(git -C out rev-list --count HEAD)" = 1
init again :: git init -q :: test "$(git rev-list --count HEAD)" = 2
init bare :: git init -q --bare out; git push -q ./out main :: test "$(git -C out rev-list --count main)" = 2
clone :: git clone -q . out; git -C out checkout -q side :: test -f out/s; test "$(git -C out remote get-url origin)" = "$PWD/."
clone bare :: git clone -q origin.git out :: test "$(<out/d/b)" = two; test "$(git -C out config branch.main.remote)" = origin
clone depth :: git clone -q --depth 1 "file://$PWD/origin.git" out :: test "$(git -C out rev-list --count HEAD)" = 1
clone and work in it :: git clone -q origin.git out; cd out; echo x >x; git add x; git commit -qm x; git push -q origin main :: test "$(git -C origin.git show main:x)" = x
add :: echo n >n; git add n :: test "$(git diff --cached --name-only)" = n
commit :: echo n >n; git add n; git commit -qm three :: test "$(git show -s --format=%s)" = three; test "$(git show HEAD:n)" = n
commit amend :: git commit -q --amend -m again :: test "$(git show -s --format=%s)" = again
checkout -b :: git checkout -qb new; echo x >a; git commit -qam x :: test "$(git branch --show-current)" = new
checkout --track :: git checkout -qb far --track origin/side :: test "$(git config branch.far.remote)" = origin; test -f s
switch back :: git checkout -q side; git checkout -q main :: test ! -e s; test -f a
branch -m :: git branch -m side other :: git rev-parse -q --verify other
branch -d :: git checkout -qb tracked --track origin/side; git checkout -q main; git branch -qD side tracked :: test "$(git for-each-ref --format=x refs/heads | wc -l)" = 1; test -z "$(git config branch.tracked.remote)"
branch --set-upstream-to :: git branch -q --set-upstream-to origin/side side :: test "$(git config branch.side.merge)" = refs/heads/side
remote add :: git remote add far https://example.org/x.git :: test "$(git remote get-url far)" = https://example.org/x.git
remote set-url :: git remote set-url origin https://example.org/y.git :: test "$(git remote get-url origin)" = https://example.org/y.git
remote remove :: git remote add far https://example.org/x.git; git remote remove far :: test "$(git remote)" = origin
remote rename :: git remote rename origin up 2>/dev/null :: test "$(git remote)" = up; git rev-parse -q --verify up/side
merge :: git merge -q --no-edit side :: test -f s; test "$(git rev-list --count HEAD)" = 4
merge conflict :: git checkout -q side; echo x >a; git commit -qam x; git merge -q main >/dev/null && exit 1; git merge --abort :: test "$(<a)" = x
rebase :: git checkout -q side; git rebase -q main :: test "$(git rev-parse HEAD~)" = "$(git rev-parse main)"
rebase -i :: GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~ :: test "$(git rev-list --count HEAD)" = 2
cherry-pick :: git cherry-pick side >/dev/null :: test -f s; test "$(git show -s --format=%s)" = side
revert :: git revert --no-edit HEAD >/dev/null :: test "$(<a)" = one
reset :: git reset -q --hard HEAD~ :: test "$(<a)" = one
stash :: echo x >a; git stash -q; test "$(head -1 a)" = one; git stash pop -q :: test "$(<a)" = x; test -z "$(git stash list)"
gc :: git gc -q --prune=now :: test "$(git count-objects)" = '0 objects, 0 kilobytes'
repack :: git repack -qad; git prune-packed -q :: test "$(find .git/objects/pack -name '*.pack' | wc -l)" = 1
pack-refs :: git pack-refs --all :: test -f .git/packed-refs
tag :: git tag v1; git tag -a -m two v2; git tag -d v1 >/dev/null :: test "$(git tag)" = v2
fetch :: git clone -q origin.git out; cd out; git commit -q --allow-empty -m far; git push -q; cd ..; git fetch -q :: test "$(git show -s --format=%s origin/main)" = far
pull :: git clone -q origin.git out; cd out; git commit -q --allow-empty -m far; git push -q; cd ..; git pull -q origin main :: test "$(git show -s --format=%s)" = far
push :: git commit -q --allow-empty -m three; git push -q origin main :: test "$(git -C origin.git show -s --format=%s main)" = three
push -u :: git push -q -u origin main side:new 2>/dev/null :: test "$(git config branch.main.remote)" = origin; git -C origin.git rev-parse -q --verify new
worktree add, remove :: git worktree add -q out side; test -f out/s; cd out; echo w >w; git add w; git commit -qm w; cd ..; git worktree remove out :: test "$(git show side:w)" = w; test ! -e .git/worktrees/out
worktree add, stays :: git worktree add -q -b new out; git -C out commit -q --allow-empty -m new :: test "$(git -C out branch --show-current)" = new; git worktree list | grep -q '/out '
worktree lock, prune :: git worktree add -q d/out side; git worktree lock d/out; git worktree unlock d/out; rm -rf d/out; git worktree prune :: test "$(git worktree list | wc -l)" = 1
submodule add :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib :: test "$(<lib/d/b)" = two; test "$(git config -f .gitmodules submodule.lib.url)" = "$PWD/lib.git"; test "$(git -C lib rev-parse --show-superproject-working-tree)" = "$PWD"
submodule update :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib; git clone -q . out; cd out; git submodule -q update --init :: test "$(<out/lib/d/b)" = two
submodule commit :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib; cd lib; echo x >x; git add x; git commit -qm x; git push -q origin HEAD:main; cd ..; git add lib; git commit -qm newer :: test "$(git -C lib.git show main:x)" = x; test "$(git rev-list --count HEAD)" = 4
submodule deinit :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib; git submodule -q deinit -f lib; git rm -q lib :: test ! -e lib; test -z "$(git config submodule.lib.url)"
config :: git config user.name Grace; git config user.email grace@example.org :: test "$(git config user.name)" = Grace
mv :: git mv a c; git mv d e; git commit -qm moved :: test -f c; test "$(<e/b)" = two; test ! -e a
rm :: git rm -qr d; git commit -qm less :: test ! -e d
clean :: mkdir -p x/y; echo z >x/y/z; git clean -qfd :: test ! -e x
bisect :: git bisect start -q HEAD HEAD~ >/dev/null; git bisect good >/dev/null 2>&1 || true; git bisect reset >/dev/null 2>&1 :: test "$(git branch --show-current)" = main
apply :: git diff HEAD~ HEAD >"$TMPDIR/p"; git apply -R "$TMPDIR/p" :: test "$(<a)" = one
am :: git format-patch -q -1 -o "$TMPDIR" side; git am -q "$TMPDIR"/*.patch :: test -f s; test "$(git show -s --format=%s)" = side
notes :: git notes add -m said :: test "$(git notes show)" = said
sparse-checkout :: git sparse-checkout set d >/dev/null; test ! -e s; git sparse-checkout disable :: test -f a; test -f d/b
grep, log, blame, describe :: git grep -q two; git log --stat >/dev/null; git blame a >/dev/null; git describe --always >/dev/null; git shortlog -s HEAD >/dev/null :: test -z "$(git status --porcelain)"
archive, bundle :: git archive -o out.tar HEAD; git bundle create -q out.bundle main; git clone -q out.bundle out :: test -s out.tar; test -f out/a
reflog, fsck :: git reflog expire --expire=now --all; git fsck --strict >/dev/null :: test "$(git reflog | wc -l)" = 0
maintenance :: git repack -q; git commit-graph write; git multi-pack-index write; git update-server-info :: test -f .git/objects/info/commit-graph
update-index, hash-object :: git update-index --refresh; echo x | git hash-object -w --stdin >out :: git cat-file -e "$(<out)"
# A .gitmodules comes and goes with commits.
gitmodules from afar :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib :: git clone -q . out; git checkout -q side; test ! -e .gitmodules; git checkout -q main; git stash -q; git -C out status >/dev/null :: cmp .gitmodules out/.gitmodules; test -z "$(git -C out status --porcelain)"; test -z "$(git status --porcelain)"
gitmodules merged :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib :: git checkout -q side; git merge -q --no-edit main; git reset -q --hard HEAD~; git rebase -q main :: test -f .gitmodules; test -z "$(git status --porcelain)"
submodule that was there :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib :: cd lib; git checkout -qb new; echo x >x; git add x; git commit -qm x; git config user.name Grace; cd ..; git submodule -q update; git submodule -q sync; git submodule -q foreach true; git submodule status >/dev/null :: test "$(git -C lib show new:x)" = x
submodule that was there goes :: git submodule -q add "$PWD/lib.git" lib; git commit -qm lib :: git submodule -q deinit -f lib; test ! -e lib/.git; git submodule -q update --init; test -f lib/a; git rm -qf lib; git commit -qm less :: test ! -e lib; test -z "$(git status --porcelain)"
worktree that was there :: git worktree add -q wt side :: cd wt; echo w >w; git add w; git commit -qm w; git checkout -qb more; cd ..; git worktree remove wt :: test "$(git show side:w)" = w; test ! -e wt; test ! -e .git/worktrees/wt
the folder is a worktree's :: git worktree add -q wt side :: cd wt; git merge -q --no-edit main; git stash list; git gc -q :: test -f wt/s
nested repository :: git init -q d/in; git -C d/in commit -q --allow-empty -m zero :: cd d/in; echo x >x; git add x; git commit -qm x; git checkout -qb y; git config user.name Grace; git remote add far https://example.org/x.git; git gc -q :: test "$(git -C d/in rev-list --count y)" = 2; test "$(git -C d/in config user.name)" = Grace
sparse, then a worktree :: git sparse-checkout set d >/dev/null :: git sparse-checkout add e >/dev/null; git worktree add -q out side; git -C out sparse-checkout list >/dev/null :: test -f out/d/b; git -C out status >/dev/null
ROWS

# Below the folder's top it is the same.
works 'deeper :: cd d; git init -q in; cd in; echo x >x; git add x; git commit -qm x; git checkout -qb y; git worktree add -q ../w; git gc -q :: test "$(git -C d/w log --format=%s)" = x'

# A folder that is a worktree of a repository outside: that one's objects, refs,
# logs and own directory are one question; with nobody to ask, it is said.
cp -a "$T" "$OUT/main"
git -C "$OUT/main" worktree add -q "$P/wt" side
cd "$P/wt" || exit
held 128 -- git commit -q --allow-empty -m no
complains "is a worktree of $OUT/main/.git, which is not open"
[[ $(git log -1 --format=%s) == side ]] || fail "it was committed"
approver yes.sh <<END
#!/bin/bash
cat >>'$TEST_DIR/asked'; echo >>'$TEST_DIR/asked'
echo '{"answer":"always"}'
END
touch "$TEST_DIR/asked"
status 0 "$AMBIT" run --ask "exec:$approver" -- bash -ec 'echo w >w; git add w; git commit -qm w; git checkout -qb more; git merge -q --no-edit main; git stash list'
[[ $(git log -1 --format=%s side) == w && $(git branch --show-current) == more ]] || fail "$(git log --oneline)"
[[ $(wc -l <"$TEST_DIR/asked") -eq 1 ]] || fail "asked: $(cat "$TEST_DIR/asked")"
held 0 -- git commit -q --allow-empty -m remembered
[[ $errout != *ambit:* ]] || fail "$errout"
# What is guarded there stays so, and the rest of it is outside.
for name in hooks/pre-commit config worktrees/wt/commondir worktrees/wt/config.worktree x; do
	cp "$OUT/main/.git/$name" "$TEST_DIR/before" 2>/dev/null || rm -f "$TEST_DIR/before"
	line --quiet -- bash -c "echo evil >>'$OUT/main/.git/$name'" 2>/dev/null || true
	if [[ -e $TEST_DIR/before ]]; then
		cmp "$OUT/main/.git/$name" "$TEST_DIR/before" || fail "$name was changed"
	else
		[[ ! -e $OUT/main/.git/$name ]] || fail "$name was made"
	fi
done
# One that does not know this folder is not asked about.
mkdir "$P/claims"
cp .git "$P/claims/.git"
cd "$P/claims" || exit
status 0 "$AMBIT" run --ask "exec:$approver" -- true
[[ $(wc -l <"$TEST_DIR/asked") -eq 1 ]] || fail "asked for another's worktree: $(tail -1 "$TEST_DIR/asked")"

# What would run later is asked about, still.
cd "$P" || exit
cp -a "$T" repo
held 4 --quiet -- git -C repo config core.pager ./evil
held 1 --quiet -- bash -c 'echo evil >repo/.git/hooks/pre-commit'
[[ ! -e repo/.git/hooks/pre-commit ]] || fail "a hook"
