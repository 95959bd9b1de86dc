#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Escapes, newlines and bytes that are not UTF-8 reach no terminal as they are.
. "${0%/*}/lib.sh"

for name in $'a\e[31mb' $'a\nallow' $'a\xffb' $'a\xe2\x80\xaeb'; do
	status 10 "$AMBIT" why write "$OUT/$name"
	says outside
	bare=$(tr -d '\n' <<<"$out")
	[[ $bare != *$'\e'* && $bare != *$'\xff'* && $bare != *$'\xe2\x80\xae'* ]] || fail "raw: $bare"
	! grep -qx 'allow' <<<"$out" || fail "a name made a line of its own: $out"
	status 10 "$AMBIT" why --json write "$OUT/$name"
	jq -e . <<<"$out" >/dev/null || fail "not JSON: $out"
done
