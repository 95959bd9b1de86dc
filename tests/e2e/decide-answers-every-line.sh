#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One outcome per line, whatever the line is, in order, and the stream goes on.
. "${0%/*}/lib.sh"

{
	echo '{"id":1,"tool":"write","args":{"file_path":"a"}}'
	echo '{"id":2,"tool":"write","args":{"file_path":"a"}'
	echo
	echo 'null'
	printf '{"id":5,"tool":"read\0","args":{}}\n'
	head -c 9000000 /dev/zero | tr '\0' x
	echo
	printf '"\xff\xfe"\n'
	echo '{"id":8,"tool":"write","tool":"read","args":{"file_path":"a"}}'
	printf '{"id":9,"tool":"Read","args":{"file_path":"/etc/hostname"}}'
} >"$TEST_DIR/in"
status 0 "$AMBIT" decide --session s <"$TEST_DIR/in"
[[ $(wc -l <<<"$out") -eq 9 ]] || fail "not nine lines: $out"
[[ $(field 1 verdict) == allow && $(field 1 id) == 1 ]] || fail "line 1: $out"
for n in 2 3 4 5 6 7 8; do
	[[ $(field $n verdict) != allow ]] || fail "line $n is allowed: $out"
done
for n in 2 3 4 6 7 8; do
	[[ $(field $n code) == BadArguments ]] || fail "line $n: $(sed -n ${n}p <<<"$out")"
done
[[ $(field 2 reason) =~ [0-9]+:[0-9]+ ]] || fail "no column: $(field 2 reason)"
[[ $(field 9 verdict) == allow && $(field 9 id) == 9 ]] || fail "line 9: $out"

# Each is recorded, and the chain holds.
status 0 "$AMBIT" log --session s --kind decide --json
[[ $(wc -l <<<"$out") -eq 9 ]] || fail "not nine events: $out"
status 0 "$AMBIT" log verify
says ok

# No input is no error, and the answer does not wait for the next line.
status 0 "$AMBIT" decide </dev/null
coproc "$AMBIT" decide --session t
echo '{"id":"x","tool":"read","args":{"file_path":"a"}}' >&"${COPROC[1]}"
read -r -t 20 line <&"${COPROC[0]}" || fail "no answer while the stream is open"
[[ $(jq -r .id <<<"$line") == x ]] || fail "$line"
