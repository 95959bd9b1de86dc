# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about what git would run for the person later: `. "${0%/*}/git-plants.bash"`. On
# top of line.bash: a repository to attack (scene), and the attacks, one row each.
# shellcheck source=tests/e2e/line.bash
. "${BASH_SOURCE[0]%/*}/line.bash"

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
export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true GIT_SSH_VARIANT=ssh
# A new repository without git's examples of hooks: each row copies it four times.
export GIT_TEMPLATE_DIR=$TEST_DIR/new
mkdir -p "$GIT_TEMPLATE_DIR"/{branches,hooks,info}
touch "$GIT_TEMPLATE_DIR/info/exclude"

T=$TEST_DIR/template
mkdir "$T"
(
	cd "$T" || exit
	git init -q .
	printf 'lib.git\nevil\nother\n' >.git/info/exclude
	mkdir d
	echo one >a
	echo two >d/b
	git add -A
	git commit -qm one
	git branch side
	git clone -q --bare . lib.git
)

MARK=$TEST_DIR/marker
export CALLS

# scene: a fresh copy, with the program that must not run, and a repository
# "other" in it that runs it.
scene() {
	cd "$HOME" || exit
	rm -rf "$HOME/scene" "$MARK"
	cp -a "$T" "$HOME/scene"
	cd "$HOME/scene" || exit
	export EVIL=$PWD/evil
	printf '#!/bin/sh\ntouch %s\n[ $# -gt 1 ] || cat\n' "$MARK" >evil
	chmod 755 evil
	export FSMONITOR="[core]
	fsmonitor = $EVIL"
	cp -a .git other
	echo "$FSMONITOR" >>other/config
}

# plants "NAME :: SETUP :: PLANT :: TRIGGER" WHERE...: the trigger runs what was planted by WHERE,
# a command that takes the plant as its last argument.
plants() {
	local row=$1 setup plant trigger
	shift
	row=${row#* :: }
	trigger=${row##* :: } row=${row% :: *}
	plant=${row##* :: } setup=${row% :: *}
	scene
	status 0 bash -ec "$setup"
	"$@" "$plant" </dev/null >"$TEST_DIR/.out" 2>&1 || true
	rm -f "$MARK"
	bash -c "$trigger" </dev/null >"$TEST_DIR/.out" 2>&1 || true
	[[ -e $MARK ]]
}

# each_plant FUNCTION: calls it with every row.
each_plant() {
	local row
	while IFS= read -r row; do
		[[ -z $row || $row == '#'* ]] || "$1" "$row"
	done <<'ROWS'
# hooks
hook :: : :: cp evil .git/hooks/pre-commit :: git commit -q --allow-empty -m x
hook, moved there :: : :: cp evil x; mv x .git/hooks/pre-commit :: git commit -q --allow-empty -m x
hook, hard link :: : :: ln evil .git/hooks/pre-commit :: git commit -q --allow-empty -m x
hook, symlink :: : :: ln -s "$EVIL" .git/hooks/pre-commit :: git commit -q --allow-empty -m x
hook, mode :: cp evil .git/hooks/pre-commit; chmod 644 .git/hooks/pre-commit :: chmod 755 .git/hooks/pre-commit :: git commit -q --allow-empty -m x
hook that was there :: echo '#!/bin/sh' >.git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit :: cat evil >.git/hooks/pre-commit :: git commit -q --allow-empty -m x
hook that was there, exchanged :: echo '#!/bin/sh' >.git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit :: "$CALLS" exchange evil .git/hooks/pre-commit :: git commit -q --allow-empty -m x
hook with another name :: echo '#!/bin/sh' >.git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit; ln .git/hooks/pre-commit d/tool :: cat evil >d/tool :: git commit -q --allow-empty -m x
hook that is a symlink :: echo '#!/bin/sh' >d/tool; chmod 755 d/tool; ln -s ../../d/tool .git/hooks/pre-commit :: cat evil >d/tool :: git commit -q --allow-empty -m x
hook that is a symlink, replaced :: echo '#!/bin/sh' >d/tool; chmod 755 d/tool; ln -s ../../d/tool .git/hooks/pre-commit :: mv evil d/tool :: git commit -q --allow-empty -m x
hook that is a symlink, its directory moved :: echo '#!/bin/sh' >d/tool; chmod 755 d/tool; ln -s ../../d/tool .git/hooks/pre-commit :: mv d e; mkdir d; cp evil d/tool :: git commit -q --allow-empty -m x
hooks moved there :: : :: mkdir h; cp evil h/pre-commit; rm -r .git/hooks; mv h .git/hooks :: git commit -q --allow-empty -m x
hooks exchanged :: : :: mkdir h; cp evil h/pre-commit; "$CALLS" exchange h .git/hooks :: git commit -q --allow-empty -m x
hooks as a symlink :: : :: mkdir h; cp evil h/pre-commit; rm -r .git/hooks; ln -s ../h .git/hooks :: git commit -q --allow-empty -m x
hooks that were not there :: rm -r .git/hooks :: mkdir .git/hooks; cp evil .git/hooks/post-checkout :: git checkout -q side
# .git/config
fsmonitor :: : :: echo "$FSMONITOR" >>.git/config :: git status
fsmonitor, by git :: : :: git config core.fsmonitor "$EVIL" :: git status
fsmonitor, as git does :: : :: cp .git/config .git/config.lock; echo "$FSMONITOR" >>.git/config.lock; mv .git/config.lock .git/config :: git status
fsmonitor, after the move :: : :: exec 3>.git/config.lock; cat .git/config >&3; mv .git/config.lock .git/config; echo "$FSMONITOR" >&3 :: git status
fsmonitor, from elsewhere :: : :: cp other/config d/config; mv d/config .git/config :: git status
fsmonitor, hard link :: : :: rm .git/config; ln other/config .git/config :: git status
fsmonitor, symlink :: : :: rm .git/config; ln -s ../other/config .git/config :: git status
fsmonitor, by another name :: ln .git/config d/name :: echo "$FSMONITOR" >>d/name :: git status
fsmonitor, config is a symlink :: mv .git/config d/config; ln -s ../d/config .git/config :: echo "$FSMONITOR" >>d/config :: git status
hooksPath :: : :: mkdir h; cp evil h/pre-commit; printf '[core]\n\thooksPath = h\n' >>.git/config :: git commit -q --allow-empty -m x
sshCommand :: : :: printf '[core]\n\tsshCommand = %s\n' "$EVIL" >>.git/config :: git ls-remote ssh://example.invalid/x
alias :: : :: printf '[alias]\n\tlg = !%s\n' "$EVIL" >>.git/config :: git lg
clean :: : :: printf '[filter "x"]\n\tclean = %s\n' "$EVIL" >>.git/config; echo '* filter=x' >.gitattributes; echo x >x :: git add x
smudge :: : :: printf '[filter "x"]\n\tsmudge = %s\n' "$EVIL" >>.git/config; echo '* filter=x' >.gitattributes; rm a :: git checkout -q a
textconv :: : :: printf '[diff "x"]\n\ttextconv = %s\n' "$EVIL" >>.git/config; echo '* diff=x' >.gitattributes; echo x >>a :: git diff
credentials :: : :: printf '[credential]\n\thelper = "!%s"\n' "$EVIL" >>.git/config :: echo url=https://example.invalid/x | git credential fill
include :: : :: echo "$FSMONITOR" >inc; printf '[include]\n\tpath = ../inc\n' >>.git/config :: git status
included file :: echo >inc; git config include.path ../inc :: echo "$FSMONITOR" >>inc :: git status
included file, replaced :: echo >inc; git config include.path ../inc :: echo "$FSMONITOR" >x; mv x inc :: git status
included file that is not there yet :: git config include.path ../d/inc :: echo "$FSMONITOR" >d/inc :: git status
included if :: echo >inc; git config includeIf.gitdir:/.path ../inc :: echo "$FSMONITOR" >>inc :: git status
included by an included one :: echo '[include] path = inc2' >inc; git config include.path ../inc :: echo "$FSMONITOR" >inc2 :: git status
# other files of a git directory
config.worktree :: git config extensions.worktreeConfig true :: echo "$FSMONITOR" >.git/config.worktree :: git status
config.worktree, switched on :: : :: git config extensions.worktreeConfig true; echo "$FSMONITOR" >.git/config.worktree :: git status
config.worktree, as git does :: git config extensions.worktreeConfig true :: echo "$FSMONITOR" >.git/config.worktree.lock; mv .git/config.worktree.lock .git/config.worktree :: git status
commondir :: : :: echo ../other >.git/commondir :: git status
message that is a symlink :: : :: rm -f .git/COMMIT_EDITMSG; ln -s config .git/COMMIT_EDITMSG :: EDITOR=true git commit -q --allow-empty -m "$(cat .git/config; echo "$FSMONITOR")"; git status
message that is a symlink, moved there :: : :: ln -s config x; mv x .git/COMMIT_EDITMSG :: git commit -q --allow-empty -m "$(cat .git/config; echo "$FSMONITOR")"; git status
# remotes on this machine, whose hooks a push runs
remote whose name is a path :: git init -q --bare d/r.git; cp evil d/r.git/hooks/post-receive; git config push.default current :: cp .git/config .git/config.lock; printf '[remote "%s"]\n\turl = https://example.invalid/x\n[branch "main"]\n\tremote = %s\n' "$PWD/d/r.git" "$PWD/d/r.git" >>.git/config.lock; mv .git/config.lock .git/config :: git push -q
remote in the old way :: git init -q --bare d/r.git; cp evil d/r.git/hooks/post-receive; git config push.default current :: echo "$PWD/d/r.git" >.git/branches/origin :: git push -q
remote in the other old way :: git init -q --bare d/r.git; cp evil d/r.git/hooks/post-receive; git config push.default current; mkdir -p .git/remotes :: echo "URL: $PWD/d/r.git" >.git/remotes/origin :: git push -q
# .git itself
.git without its HEAD :: : :: mv .git/HEAD .git/away; cp -a other/HEAD other/refs other/objects .; { cat other/config; printf '\tworktree = .\n\tbare = false\n'; } >config :: git status
.git with a HEAD that says nothing :: : :: echo none >.git/HEAD; cp -a other/HEAD other/refs other/objects .; { cat other/config; printf '\tworktree = .\n\tbare = false\n'; } >config :: git status
.git without its refs :: : :: mv .git/refs .git/away; cp -a other/HEAD other/refs other/objects .; { cat other/config; printf '\tworktree = .\n\tbare = false\n'; } >config :: git status
the folder as a repository :: rm -rf .git :: cp -a other/HEAD other/refs other/objects .; { cat other/config; printf '\tworktree = .\n\tbare = false\n'; } >config :: git status
the folder as a repository, by a symlink :: : :: echo none >.git/HEAD; cp -a other/refs other/objects .; ln -s refs/heads/main HEAD; { cat other/config; printf '\tworktree = .\n\tbare = false\n'; } >config :: git status
the folder as a repository, moved there :: : :: echo none >.git/HEAD; printf '\tworktree = %s\n\tbare = false\n' "$PWD" >>other/config; mv other/* . :: git status
.git as a file :: : :: rm -rf .git; echo 'gitdir: other' >.git :: git status
.git as a file, where none was :: rm -rf .git :: echo 'gitdir: other' >.git :: git status
.git as a symlink :: rm -rf .git :: ln -s other .git :: git status
.git renamed :: : :: mv .git old; mv other .git :: git status
.git exchanged :: : :: "$CALLS" exchange .git other :: git status
.git made anew :: : :: rm -rf .git; cp -a other .git :: git status
.git where none was :: rm -rf .git :: cp -a other .git :: git status
.git where none was, moved :: rm -rf .git :: mv other .git :: git status
# hooks elsewhere
hooks directory :: mkdir h; git config core.hooksPath h :: cp evil h/pre-commit :: git commit -q --allow-empty -m x
hooks directory, deeper :: mkdir -p d/h; git config core.hooksPath d/h :: cp evil d/h/pre-commit :: git commit -q --allow-empty -m x
hooks directory, replaced :: mkdir -p d/h; git config core.hooksPath d/h :: mkdir x; cp evil x/pre-commit; mv d/h d/old; mv x d/h :: git commit -q --allow-empty -m x
hooks directory, moved away above :: mkdir -p d/h; git config core.hooksPath d/h :: mv d old; mkdir -p d/h; cp evil d/h/pre-commit :: git commit -q --allow-empty -m x
hooks directory that is not there yet :: git config core.hooksPath d/h :: mkdir d/h; cp evil d/h/pre-commit :: git commit -q --allow-empty -m x
hooks directory behind a file :: echo >f; git config core.hooksPath f/x/h :: mkdir -p e/x/h; cp evil e/x/h/pre-commit; rm f; mv -T e f :: git commit -q --allow-empty -m x
hooks directory beside what is not there yet :: git config core.hooksPath gone/../hk :: mkdir -p e/d e/hk; cp evil e/hk/pre-commit; ln -s e/d gone :: git commit -q --allow-empty -m x
hooks directory behind a link to itself :: ln -s f f; git config core.hooksPath f/x/h :: mkdir -p e/x/h; cp evil e/x/h/pre-commit; rm f; mv -T e f :: git commit -q --allow-empty -m x
include behind a link to behind a file :: echo >f; ln -s f/inc l; git config include.path ../l :: rm f; mkdir f; echo "$FSMONITOR" >f/inc :: git status
hooks directory, by an include :: mkdir h; printf '[core]\n\thooksPath = h\n' >inc; git config include.path ../inc :: cp evil h/pre-commit :: git commit -q --allow-empty -m x
hooks directory behind a symlink :: mkdir d/h; ln -s d/h h; git config core.hooksPath h :: rm h; mkdir h; cp evil h/pre-commit :: git commit -q --allow-empty -m x
hooks directory in one that is a symlink :: mkdir d/h; ln -s d l; git config core.hooksPath l/h :: rm l; mkdir -p l/h; cp evil l/h/pre-commit :: git commit -q --allow-empty -m x
husky :: mkdir .husky; git config core.hooksPath .husky :: cp evil .husky/pre-commit :: git commit -q --allow-empty -m x
# submodules
module's hook :: git submodule -q add "$PWD/lib.git" lib :: cp evil .git/modules/lib/hooks/pre-commit :: git -C lib commit -q --allow-empty -m x
module's config :: git submodule -q add "$PWD/lib.git" lib :: echo "$FSMONITOR" >>.git/modules/lib/config :: git -C lib status
module's config, by git :: git submodule -q add "$PWD/lib.git" lib :: git -C lib config core.fsmonitor "$EVIL" :: git status
module's commondir :: git submodule -q add "$PWD/lib.git" lib :: echo ../../../other >.git/modules/lib/commondir :: git -C lib status
module's .git :: git submodule -q add "$PWD/lib.git" lib :: echo 'gitdir: ../other' >lib/.git :: git -C lib status
module's .git, removed first :: git submodule -q add "$PWD/lib.git" lib :: rm lib/.git; echo 'gitdir: ../other' >lib/.git :: git -C lib status
module's .git, a directory :: git submodule -q add "$PWD/lib.git" lib :: rm lib/.git; cp -a other lib/.git :: git -C lib status
module exchanged :: git submodule -q add "$PWD/lib.git" lib; git -C other config core.worktree ../lib :: "$CALLS" exchange .git/modules/lib other :: git -C lib status
module as a symlink :: git submodule -q add "$PWD/lib.git" lib :: mv .git/modules/lib x; ln -s ../../other .git/modules/lib :: git -C lib status
new module, a symlink :: : :: mkdir .git/modules n; ln -s ../../other .git/modules/n; echo 'gitdir: ../.git/modules/n' >n/.git :: git -C n status
new module, a symlink moved there :: : :: mkdir .git/modules n; ln -s ../../other x; mv x .git/modules/n; echo 'gitdir: ../.git/modules/n' >n/.git :: git -C n status
new module, a tree moved there :: : :: mkdir .git/modules n; mv other .git/modules/n; echo 'gitdir: ../.git/modules/n' >n/.git :: git -C n status
new module's config :: : :: mkdir -p .git/modules/n n; cp -a other/. .git/modules/n; echo 'gitdir: ../.git/modules/n' >n/.git :: git -C n status
# worktrees
worktree's commondir :: git worktree add -q wt side :: echo ../../../other >.git/worktrees/wt/commondir :: git -C wt status
worktree's commondir, moved there :: git worktree add -q wt side :: echo ../../../other >x; mv x .git/worktrees/wt/commondir :: git -C wt status
worktree's commondir, removed :: git worktree add -q wt side :: rm .git/worktrees/wt/commondir; cp -a other/objects other/refs other/config .git/worktrees/wt; echo ref: refs/heads/main >.git/worktrees/wt/HEAD :: git -C wt status
worktree's hooks :: git worktree add -q wt side :: rm .git/worktrees/wt/commondir; cp -a other/objects other/refs .git/worktrees/wt; echo ref: refs/heads/main >.git/worktrees/wt/HEAD; mkdir .git/worktrees/wt/hooks; cp evil .git/worktrees/wt/hooks/pre-commit :: git -C wt commit -q --allow-empty -m x
worktree's config :: git config extensions.worktreeConfig true; git worktree add -q wt side :: echo "$FSMONITOR" >.git/worktrees/wt/config.worktree :: git -C wt status
worktree's .git :: git worktree add -q wt side :: echo 'gitdir: ../other' >wt/.git :: git -C wt status
worktree's .git, by a way around :: git worktree add -q wt side :: mkdir -p x/.git/modules; mv other x/.git/modules/o; echo 'gitdir: ../x/.git/modules/o' >wt/.git :: git -C wt status
worktree's directory, exchanged :: git worktree add -q wt side :: "$CALLS" exchange .git/worktrees/wt other :: git -C wt status
worktree's directory, a symlink :: git worktree add -q wt side :: mv .git/worktrees/wt x; ln -s ../../other .git/worktrees/wt :: git -C wt status
new worktree :: : :: mkdir -p .git/worktrees/n n; echo ../../../other >.git/worktrees/n/commondir; cp .git/HEAD .git/worktrees/n; echo 'gitdir: ../.git/worktrees/n' >n/.git :: git -C n status
# repositories deeper in the folder that are there at the start
nested hook :: git init -q d/in :: cp evil d/in/.git/hooks/pre-commit :: git -C d/in commit -q --allow-empty -m x
nested config :: git init -q d/in :: echo "$FSMONITOR" >>d/in/.git/config :: git -C d/in status
nested config, hard link before :: git init -q d/in; ln d/in/.git/config d/name :: echo "$FSMONITOR" >>d/name :: git -C d/in status
nested config is a symlink :: git init -q d/in; mv d/in/.git/config d/c; ln -s ../../c d/in/.git/config :: echo "$FSMONITOR" >>d/c :: git -C d/in status
nested hook with another name :: git init -q d/in; echo '#!/bin/sh' >d/in/.git/hooks/pre-commit; chmod 755 d/in/.git/hooks/pre-commit; ln d/in/.git/hooks/pre-commit d/tool :: cat evil >d/tool :: git -C d/in commit -q --allow-empty -m x
nested hook that is a symlink :: git init -q d/in; echo '#!/bin/sh' >d/tool; chmod 755 d/tool; ln -s ../../../tool d/in/.git/hooks/pre-commit :: cat evil >d/tool :: git -C d/in commit -q --allow-empty -m x
nested .git replaced :: git init -q d/in :: mv d/in/.git x; mv other d/in/.git :: git -C d/in status
nested repository replaced :: git init -q d/in :: mv d/in x; mkdir d/in; mv other d/in/.git :: git -C d/in status
nested repository, moved above :: git init -q d/in :: mv d x; mkdir -p d/in; mv other d/in/.git :: git -C d/in status
nested repository, exchanged above :: git init -q d/in; mkdir -p e/in :: cp -a other e/in/.git; "$CALLS" exchange d e :: git -C d/in status
nested hooks directory :: git init -q d/in; mkdir d/in/h; git -C d/in config core.hooksPath h :: cp evil d/in/h/pre-commit :: git -C d/in commit -q --allow-empty -m x
nested folder as a repository :: git init -q d/in :: echo none >d/in/.git/HEAD; printf '\tworktree = %s/d/in\n\tbare = false\n' "$PWD" >>other/config; mv other/* d/in :: git -C d/in status
nested included file :: git init -q d/in; echo >d/inc; git -C d/in config include.path ../../inc :: echo "$FSMONITOR" >>d/inc :: git -C d/in status
# bare repositories that are there at the start
bare hook :: : :: cp evil lib.git/hooks/post-receive :: git push -q ./lib.git HEAD:new
bare config :: : :: printf '[alias]\n\tlg = !%s\n' "$EVIL" >>lib.git/config :: git -C lib.git lg
bare config, by git :: : :: git -C lib.git config alias.lg "!$EVIL" :: git -C lib.git lg
ROWS
}
