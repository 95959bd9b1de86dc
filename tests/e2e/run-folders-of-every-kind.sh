#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# New directories get rights by being renamed in from where they were made ahead.
# Where that cannot be, and whatever the folder is, work in it goes on and guards hold.
. "${0%/*}/line.bash"

# works FOLDER: files and directories come, change, move and go, at the top and
# beneath; a guard does not come; nothing is left beside it.
works() {
	local before
	before=$(ls -A "$1/..")
	(
		cd "$1" || exit 1
		line --quiet --folder . -- bash -ec '
			echo a >top; echo b >>top; mkdir new; echo c >new/c; mkdir -p deep/er
			mv top new/top; mv new/c c; mv deep moved; echo d >moved/er/d; rmdir moved/er 2>/dev/null && exit 1
			rm -r moved; mkdir moved; ln -s c link; ln c hard; chmod 600 c; mkdir -p .git/objects/aa
			for i in {1..15}; do mkdir many$i; echo $i >many$i/file; done
			echo x >.envrc && exit 2; mkdir -p .claude; echo x >.claude/settings.json && exit 3
			echo x >.git/config && exit 4; mv new .claude/hooks && exit 5; true'
	) || fail "$1: $?"
	[[ $(cat "$1/new/top") == $'a\nb' && $(<"$1/c") == c && $(<"$1/many15/file") == 15 &&
		$(stat -c %a "$1/c") == 600 && -d $1/moved && ! -e $1/.envrc &&
		! -e $1/.claude/settings.json && ! -e $1/.git/config && ! -e $1/.claude/hooks ]] ||
		fail "$1: $(ls -laR "$1")"
	[[ $(ls -A "$1/..") == "$before" && -z $(find "$1" -name '.ambit-pool*') ]] ||
		fail "left beside $1: $(ls -A "$1/..")"
}

mkdir plain
works plain

# The parent cannot be written: nothing is needed there.
if [[ $EUID -ne 0 ]]; then
	mkdir -p closed/bare closed/git/.git
	chmod 555 closed
	works closed/bare
	works closed/git
	chmod 755 closed
fi

# More at the top than is looked at.
mkdir crowded
(cd crowded && seq -f 'f%g' 5000 | xargs touch && mkdir zz && mkdir z{1..200})
works crowded
(cd crowded && held 0 -- bash -ec 'for d in zz z{1..200}; do echo x >$d/x; done')
[[ -e crowded/zz/x && -e crowded/z200/x ]] || fail "crowded"

# Modes, groups and what is handed down, as mkdir has it.
mkdir modes
(cd modes && chmod 2755 . && umask 027 && line --folder . -- mkdir one && mkdir two) || fail modes
[[ $(stat -c '%a %g' modes/one) == "$(stat -c '%a %g' modes/two)" ]] ||
	fail "modes: $(stat -c '%a %g %n' modes/*)"

# Somebody outside puts another directory in the place of one.
mkdir -p shared/build
(
	cd shared || exit 1
	line --folder . -- bash -ec 'echo 1 >build/one; touch ready
		until [ -e go ]; do sleep 0.02; done; echo 2 >build/two; mkdir build/sub; echo 3 >build/sub/three' &
	eventually test -e ready
	rm -r build
	mkdir build
	touch go
	wait $!
) || fail "a directory was replaced from outside"
[[ $(<shared/build/two) == 2 && $(<shared/build/sub/three) == 3 ]] || fail "$(ls -R shared)"

# Killed, keeper and all: what is left over is cleared up by the next one.
mkdir -p killed/folder
(
	cd killed/folder || exit 1
	"$AMBIT" run --ask deny -- bash -c 'touch ready; exec sleep 61.25' &
	eventually test -e ready
	keeper=$(pgrep -P $! -x ambit-keeper) || fail "no keeper"
	# Neither sees the other die.
	kill -STOP $! "$keeper"
	kill -KILL $! "$keeper"
	wait $! || true
) 2>/dev/null
left() { find "$STATE/own" "$TMPDIR" -mindepth 1; }
[[ $(left | wc -l) -gt 9 ]] || fail "nothing was left over: then this shows nothing: $(left)"
pkill -KILL -f '^sleep 61[.]25' || true
(cd killed/folder && held 0 -- true)
[[ -z $(left) ]] || fail "left over: $(left)"

# Mounts, which only root can make.
if [[ $EUID -eq 0 ]] && unshare -m true 2>/dev/null; then
	mkdir -p mounts/tmpfs mounts/bind mounts/over/{lower,upper,work,merged} mounts/real
	export -f works line fail
	AMBIT=$AMBIT unshare -m bash -ec '
		fail() { echo "not so: $*" >&2; exit 1; }
		mount -t tmpfs none mounts/tmpfs; works mounts/tmpfs
		mount --bind mounts/real mounts/bind; works mounts/bind
		if mount -t overlay -o lowerdir=mounts/over/lower,upperdir=mounts/over/upper,workdir=mounts/over/work \
			none mounts/over/merged 2>/dev/null; then works mounts/over/merged; fi' ||
		fail "on a mount"
fi
