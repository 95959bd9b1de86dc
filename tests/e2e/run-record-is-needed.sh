#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Nothing runs that cannot be recorded; a record that fails later lets no
# crossing through.
. "${0%/*}/line.bash"

echo file >"$TEST_DIR/blocked"
status 125 env XDG_STATE_HOME="$TEST_DIR/blocked" "$AMBIT" run --ask allow -- touch ran
[[ ! -e ran ]] || fail "it ran"
complains blocked
if [[ $(id -u) -ne 0 ]]; then
	mkdir -p "$TEST_DIR/ro"
	chmod 500 "$TEST_DIR/ro"
	status 125 env XDG_STATE_HOME="$TEST_DIR/ro" "$AMBIT" run --ask allow -- touch ran
	[[ ! -e ran ]] || fail "it ran"
elif mkdir "$TEST_DIR/full" && mount -t tmpfs -o size=1m tmpfs "$TEST_DIR/full" 2>/dev/null; then
	trap 'umount -l "$TEST_DIR/full"' EXIT
	XDG_STATE_HOME=$TEST_DIR/full held 0 -- true
	head -c 2000000 /dev/zero >"$TEST_DIR/full/fill" 2>/dev/null || true
	got=0
	XDG_STATE_HOME=$TEST_DIR/full "$AMBIT" run --ask allow --quiet -- \
		"$CALLS" loop-names "$OUT/full" 200 >"$TEST_DIR/o" 2>&1 || got=$?
	[[ $got -eq 125 || $(find "$OUT" -name 'full*' | wc -l) -lt 200 ]] || fail "unrecorded: $(cat "$TEST_DIR/o")"
fi
