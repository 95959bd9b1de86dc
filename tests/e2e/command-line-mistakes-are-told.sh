#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is not understood is exit 2 and one line on stderr, nothing on stdout.
. "${0%/*}/lib.sh"

wrong() {
	status 2 "$AMBIT" "$@"
	[[ -z $out ]] || fail "output: $out"
	[[ $errout == 'ambit: '* && $(wc -l <<<"$errout") -eq 1 ]] || fail "message: $errout"
}
wrong hwy
complains "did you mean 'why'"
wrong why
wrong why write
wrong why write a b
wrong why frob a
wrong why --jsn write a
complains "did you mean '--json'"
wrong why -x write a
wrong why write -a
wrong why --json=1 write a
wrong why --folder
wrong why --mode=sideways write a
complains plan
wrong why --session '../x' write a
wrong why --folder . --folder . write a
wrong why write $'a\e[0m' --$'\e'
[[ $errout != *$'\e'* ]] || fail "raw escape: $errout"
wrong decide extra
wrong --json why
wrong help frob
wrong completion tcsh
wrong log --session

# Behind -- nothing is an option.
status 0 "$AMBIT" why write -- --json
says allow
status 0 "$AMBIT" why --json -- write -x
status 1 "$AMBIT" why --folder "$TEST_DIR/nowhere" write a
complains nowhere
status 0 "$AMBIT" why --folder="$P" write a
# A reader that has gone is no message; a full device is.
status 0 bash -c '"$AMBIT" help | head -1'
[[ -z $errout ]] || fail "$errout"
if [[ -c /dev/full ]]; then
	status 1 bash -c '"$AMBIT" help >/dev/full'
	complains 'standard output'
fi
