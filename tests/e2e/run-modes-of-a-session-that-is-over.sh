#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mode and perm refuse to change a session that cannot come again: one that ambit named, and that is
# over. A change to a session with a name of yours holds when something starts with that name.
. "${0%/*}/line.bash"

held 0 -- true
for change in "mode plan" "perm write deny"; do
	# shellcheck disable=SC2086
	status 1 "$AMBIT" $change
	complains "no session of this folder is live"
	complains "--session NAME"
	complains "config.json"
done
ambit sessions --all --json | jq -e 'select(.agent_mode == "plan")' && fail "it was stored"
held 0 -- touch unchanged

status 0 "$AMBIT" mode plan --session named
says "holds when one is started with --session named"
held 1 --session named -- touch changed
[[ -e unchanged && ! -e changed ]] || fail "the mode of a name: $(ls)"
status 0 "$AMBIT" mode build
says "--session named"
status 0 "$AMBIT" perm write deny --session named
held 1 --session named -- touch changed
[[ ! -e changed ]] || fail "the permission of a name"
