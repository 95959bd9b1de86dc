#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# git puts a config in place by renaming config.lock: that way is for git's own guards in the
# folder, and no way around a guard of the person's own or to another program's file in /tmp.
# And nobody gets rights on a directory that ambit is staging.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

THEIRS=$(mktemp -d /tmp/ambit-theirs.XXXXXX)
trap 'rm -rf "$THEIRS"' EXIT
chmod 1777 "$THEIRS"

# A guard of the person's own.
mkdir -p "$XDG_CONFIG_HOME/ambit" deploy
echo '{"guard_writes":["deploy/config"]}' >"$XDG_CONFIG_HOME/ambit/config.json"
attack='touch deploy/HEAD; printf "[user]\n\tname = attacker\n" >deploy/config.lock; mv -f deploy/config.lock deploy/config'
plain='[user]
	name = me'
echo "$plain" >deploy/config
bash -c "$attack"
grep -q attacker deploy/config || fail "it does not work without ambit either"
rm deploy/*
echo "$plain" >deploy/config
line --quiet -- bash -c "$attack" >/dev/null 2>&1 || true
[[ $(cat deploy/config) == "$plain" ]] || fail "the guard of the person's own fell"
rm "$XDG_CONFIG_HOME/ambit/config.json"

# Somebody else's file beside one that the command may make.
scratch=/tmp/.gitmodules
if [[ ! -e $scratch && ! -e $scratch.lock ]]; then
	echo '# theirs' >$scratch
	line --quiet -- bash -c ": >$scratch.lock; mv -f $scratch.lock $scratch" >/dev/null 2>&1 || true
	text=$(cat $scratch)
	rm -f $scratch $scratch.lock
	[[ $text == '# theirs' ]] || fail "another program's file was replaced"
fi

# git itself goes on.
git init -q .
held 0 -- git config user.name somebody
[[ $(git config user.name) == somebody ]] || fail "git config"

# A directory that is being staged: made by ambit while a command starts.
stage=.ambit-abcdefghijkmnpqrstuv
mkdir "$stage" ordinary
plant="import ctypes, os, sys; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); os.open(sys.argv[1], os.O_CREAT | os.O_EXCL | os.O_WRONLY)"
"$PYTHON" -c "$plant" "$stage/x"
rm "$stage/x"
held 0 --quiet -- "$PYTHON" -c "$plant" ordinary/x
line --quiet -- "$PYTHON" -c "$plant" "$stage/x" >/dev/null 2>&1 || true
[[ ! -e $stage/x ]] || fail "a command wrote where ambit is staging"
