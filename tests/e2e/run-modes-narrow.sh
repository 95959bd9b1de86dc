#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --read-only and plan mode: nothing can be written, in the folder either, and
# no yes lifts that; reading and devices stay.
. "${0%/*}/line.bash"

echo kept >file
for mode in --read-only --mode=plan; do
	status 1 "$AMBIT" run --ask allow "$mode" -- "$CALLS" append file
	[[ $out == EACCES && $(cat file) == kept ]] || fail "$mode: $out"
	status 1 "$AMBIT" run --ask allow "$mode" --write "$OUT" -- "$CALLS" create "$OUT/new"
	held 0 "$mode" -- bash -c 'cat file && echo x >/dev/null'
	says kept
done
[[ ! -e $OUT/new ]] || fail "written"
# The same from a file in the folder, which can only narrow.
echo '{"sandbox_mode": "read-only"}' >.ambit.json
held 1 -- "$CALLS" append file
rm .ambit.json
echo '{"write": ["/"]}' >.ambit.json
held 125 -- true
complains .ambit.json
