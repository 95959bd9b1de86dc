#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# In /tmp a command can make files and change those it made, not others'; its
# TMPDIR is its own.
. "${0%/*}/line.bash"

[[ -d /tmp && -k /tmp ]] || skip "no shared /tmp"
other=$(mktemp /tmp/ambit-other.XXXXXX)
name=/tmp/ambit-own.$$.$RANDOM
trap 'rm -rf "$other" "$name" "$name.d"' EXIT
echo kept >"$other"
natural append "$other"
echo kept >"$other"
held 0 -- bash -c 'set -e; echo a >"$1"; echo b >>"$1"; chmod 600 "$1"; mv "$1" "$1.x"; touch "$1.x"; rm "$1.x"
	mkdir "$1.d"; echo c >"$1.d/c"; mkdir "$1.d/e"; mv "$1.d/c" "$1.d/e/c"; rm -r "$1.d"; echo last >"$1"' _ "$name"
[[ -z $errout ]] || fail "$errout"
[[ $(cat "$name") == last ]] || fail "not written"

# Another session's file is somebody else's, even under a name that was ours.
held 1 -- "$CALLS" append "$name"
held 1 -- "$CALLS" append "$other"
held 1 -- "$CALLS" unlink "$other"
held 1 -- "$CALLS" rename "$other" "$name"
held 1 -- "$CALLS" chmod "$other" 777
held 1 -- bash -c 'ln -s "$1" "$2.d" && echo bad >"$2.d"' _ "$other" "$name"
rm -f "$name.d"
held 1 -- "$CALLS" link "$other" "$name.d"
[[ $(cat "$other") == kept ]] || fail "changed"

# TMPDIR: private, and gone afterwards.
held 0 -- bash -c 'set -e; stat -c %a "$TMPDIR"; t=$(mktemp); echo x >"$t"; mktemp -d >/dev/null; echo "$TMPDIR"'
[[ ${out%%$'\n'*} == 700 ]] || fail "mode ${out%%$'\n'*}"
[[ ! -e ${out##*$'\n'} ]] || fail "TMPDIR stays"
clean ''
if [[ -d /dev/shm && -w /dev/shm ]]; then
	held 0 -- bash -c 'echo x >/dev/shm/ambit-own.$$ && echo y >>/dev/shm/ambit-own.$$ && rm /dev/shm/ambit-own.$$'
fi
