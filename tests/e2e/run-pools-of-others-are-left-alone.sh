#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# On another mount than the state directory, the directories that are made ahead lie beside the
# folder. Not where a live session may write; and a session that starts later can neither move
# nor fill them, nor the directory above them.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

M=$(mktemp -d /dev/shm/ambit-test-XXXXXX) || skip "no /dev/shm"
trap 'rm -rf "$M"' EXIT
[[ $(stat -c %d "$M") != $(stat -c %d "$HOME") ]] || skip "/dev/shm is on the mount of the state directory"
mkdir -p "$M/mono/sub/pkg"

pools() { find "$M" -maxdepth 4 -name '.ambit-pool-*' -not -path '*/pkg/*'; }
# stay FOLDER NAME: a session that lives until NAME is gone.
stay() {
	line --quiet --folder "$1" -- bash -c 'mkdir -p made; echo x >made/x; touch "$1"
		while [ -e "$1" ]; do sleep 0.02; done; mkdir late; echo x >late/x' _ "$2" &
	stays+=($!)
	eventually test -e "$1/$2"
}

# Nobody else: it is beside the folder, and gone afterwards.
stays=()
stay "$M/mono/sub/pkg" here
pool=$(pools)
[[ $(wc -l <<<"$pool") == 1 && $pool == "$M/mono/sub/"* ]] || fail "no pool beside the folder: $(pools)"
ls "$pool/7" >/dev/null

# Without ambit, whoever may write there moves it, and what is above it.
cp -a "$M/mono" "$M/copy"
copied=$M/copy/sub/${pool##*/}
mv "$copied/7" "$M/copy/moved"
mv "$copied" "$M/copy/away"
touch "$M/copy/away/6/x"
mv "$M/copy/sub" "$M/copy/sub2"
[[ -e $M/copy/sub2 && -e $M/copy/away/6/x ]] || fail "not moved without ambit either"
rm -rf "$M/copy"

# Behind the line of one that starts now, with a folder above all of it.
line --quiet --folder "$M/mono" -- bash -c '
	mv "$1/7" moved; mv "$1" away; touch "$1/6/x"; mkdir "$1/5/x"; rmdir "$1/4"; rm -rf "$1"; mv sub sub2
	ln -s / "$1/3/link"; chmod 777 "$1"; echo x >sub/plain; mkdir sub/new; echo x >sub/new/x; true' _ "$pool" 2>/dev/null
[[ -d $pool && $(find "$pool" -mindepth 1 | wc -l) == 7 && $(stat -c %a "$pool") == 700 && ! -e $M/mono/moved &&
	! -e $M/mono/sub2 ]] || fail "the pool of another was changed: $(find "$M")"
[[ -e $M/mono/sub/plain && -e $M/mono/sub/new/x ]] || fail "what is beside it cannot be written"
status 11 "$AMBIT" why --folder "$M/mono" write "$pool/0/x"
rm "$M/mono/sub/pkg/here"
wait "${stays[0]}" || fail "the session failed"
[[ -e $M/mono/sub/pkg/late/x && -z $(pools) ]] || fail "left: $(find "$M")"

# A live session may write there: no pool, and the work goes on.
rm -rf "$M/mono/sub/pkg"
mkdir "$M/mono/sub/pkg"
stays=()
stay "$M/mono" above
stay "$M/mono/sub/pkg" here
! pools | grep -q "/sub/" || fail "a pool where another session may write: $(pools)"
rm "$M/mono/above" "$M/mono/sub/pkg/here"
wait "${stays[@]}" || fail "a session failed"
[[ -e $M/mono/sub/pkg/late/x && -e $M/mono/late/x && -z $(pools) ]] || fail "left: $(find "$M")"

# Killed, keeper and all, with the pool beside the folder.
"$AMBIT" run --ask deny --quiet --folder "$M/mono/sub/pkg" -- bash -c 'touch ready; exec sleep 61.5' &
supervisor=$!
eventually test -e "$M/mono/sub/pkg/ready"
[[ -n $(pools) ]] || fail "no pool"
keeper=$(pgrep -P "$supervisor" -x ambit-keeper) || fail "no keeper"
kill -STOP "$supervisor" "$keeper"
kill -KILL "$supervisor" "$keeper"
wait "$supervisor" 2>/dev/null || true
pkill -KILL -f '^sleep 61[.]5$' || true
[[ -n $(pools) ]] || fail "nothing was left over: then this shows nothing"
held 0 -- true
[[ -z $(pools) && -z $(find "$STATE/own" "$TMPDIR" -mindepth 1) ]] || fail "left: $(pools) $(find "$STATE/own" "$TMPDIR")"
