#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Somebody else's file that comes to lie in /tmp while a command moves its own there is never
# replaced, nor removed.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

NAME=$(mktemp -u /tmp/ambit-appears.XXXXXX)
trap 'rm -f "$NAME" "$NAME.own"' EXIT
SECONDS_LONG=${AMBIT_LONG:+60}

# lost COMMAND...: how many files of the other program it replaced while it ran.
lost() {
	"$HELPERS/appear" make "$NAME" "${SECONDS_LONG:-2}" >"$TEST_DIR/made" &
	"$@" "$HELPERS/appear" move "$NAME.own" "$NAME" "${SECONDS_LONG:-2}" >"$TEST_DIR/moved" 2>&1 ||
		fail "nothing was moved: $(cat "$TEST_DIR/moved")"
	wait $! || fail "nothing was made"
	sed 's/.* lost //' "$TEST_DIR/made"
	rm -f "$NAME" "$NAME.own"
}

[[ $(lost env) -gt 0 ]] || fail "nothing is replaced without ambit either"
n=$(lost line --quiet --)
[[ $n -eq 0 ]] || fail "$n files of another program were replaced"
