#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The record can be read, filtered, counted, exported and followed, and a
# changed event is found.
. "${0%/*}/lib.sh"

status 0 "$AMBIT" log
complains 'nothing is recorded'
SESSION=a decide '{"tool":"write","args":{"file_path":"x"}}' \
	"{\"tool\":\"write\",\"args\":{\"file_path\":\"$OUT/x\"}}"
SESSION=b decide '{"tool":"read","args":{"file_path":"x"}}'
lines() { status 0 "$AMBIT" log --json "${@:2}"; [[ $(grep -c . <<<"$out") -eq $1 ]] || fail "not $1: $out"; }
lines 3 --kind decide
lines 2 --kind decide --session a
lines 1 --verdict ask
lines 1 --code Outside
lines 1 --tool read
lines 1 --last 1
lines 3 --kind decide --since 1h
lines 0 --since 2999-01-01
lines 3 --kind decide --since 2020-01-01T00:00
status 0 "$AMBIT" log --summary --json
[[ $(jq '[.[] | select(.kind == "decide") | .count] | add' <<<"$out") -eq 3 ]] || fail "$out"
status 0 "$AMBIT" log --summary
says COUNT
status 0 "$AMBIT" log
says "$OUT/x"
status 0 "$AMBIT" log export --session b
jq -e .body <<<"$out" >/dev/null || fail "$out"
status 2 "$AMBIT" log --since yesterdayish
status 2 "$AMBIT" log --last 0
status 2 "$AMBIT" log --kind gossip
status 2 "$AMBIT" log frob
status 2 "$AMBIT" log --summary --follow
complains exclude

coproc "$AMBIT" log --follow --json --session c
follower=$COPROC_PID
SESSION=c decide '{"id":7,"tool":"read","args":{"file_path":"y"}}'
while read -r -t 20 line <&"${COPROC[0]}"; do
	[[ $(jq -r .kind <<<"$line") == decide ]] && break
done
[[ $(jq -r .session <<<"$line") == c ]] || fail "follow: $line"
kill "$follower"

# What hides or moves a cursor is visible in JSON too.
odd=$'n\xc2\x9b2J\xe2\x80\xae\x7f'
SESSION=d decide "{\"id\":1,\"tool\":\"$odd\",\"args\":{\"x\":\"$odd\"}}"
for how in '--json' 'export'; do
	status 0 "$AMBIT" log "$how" --session d
	! LC_ALL=C grep -q '[^ -~]' <<<"$out" || fail "log $how shows what hides: $out"
	jq -e . <<<"$out" >/dev/null || fail "not JSON: $out"
done

status 0 "$AMBIT" log verify
status 0 "$AMBIT" log verify --session a --json
[[ $(jq -r .ok <<<"$out") == true ]] || fail "$out"
command -v sqlite3 >/dev/null || skip "no sqlite3"
db=$(find "$STATE" -name '*.db' -o -name '*.sqlite*' | head -1)
sqlite3 "$db" "update events set verdict = 'allow' where session = 'a' and verdict = 'ask'"
status 1 "$AMBIT" log verify
says BROKEN
status 0 "$AMBIT" log verify --session b
status 1 "$AMBIT" doctor
