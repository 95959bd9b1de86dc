#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where nothing can be recorded, nothing is allowed: a clear error at the start.
. "${0%/*}/lib.sh"
# The same call many times over is what is tried here.
echo '{"loop_limit":0}' >"$XDG_CONFIG_HOME/ambit/config.json"

request='{"tool":"write","args":{"file_path":"a"}}'
refuses() {
	status 1 "$AMBIT" decide <<<"$request"
	[[ -z $out ]] || fail "an outcome without a record: $out"
	complains 'ambit: '
	[[ $(wc -l <<<"$errout") -eq 1 ]] || fail "not one line: $errout"
}

mkdir -p "$STATE"
chmod 700 "$STATE"
status 0 "$AMBIT" decide --session s <<<"$request"
db=$(find "$STATE" -type f -name '*.db')
[[ -n $db ]] || fail "no database"
rm -f "$STATE"/*
head -c 100000 /dev/urandom >"$db"
refuses
status 1 "$AMBIT" why write a
[[ -z $out ]] || fail "why decides beside a damaged record: $out"
status 1 "$AMBIT" log
rm -rf "$STATE"
echo not a directory >"$STATE"
refuses
rm "$STATE"
if [[ $(id -u) -ne 0 ]]; then
	chmod 500 "$XDG_STATE_HOME"
	refuses
	chmod 700 "$XDG_STATE_HOME"
fi
# A file-size limit is a disk that is full. (The shell's own files are pipes here.)
out=$(ulimit -f 0; "$AMBIT" decide <<<"$request" 2>&1) && fail "no failure on a full disk: $out"
[[ $out == 'ambit: '* ]] || fail "not told: $out"

# Full in the middle of a stream: what cannot be recorded is a deny, and told.
out=$(ulimit -f 256; yes "$request" | head -3000 | "$AMBIT" decide --session full) || true
last=$(tail -1 <<<"$out")
[[ $(jq -r .verdict <<<"$last") == deny && $(jq -r .code <<<"$last") == Internal ]] || fail "$last"
recorded=$("$AMBIT" log --session full --kind decide --json | wc -l)
allowed=$(jq -r .verdict <<<"$out" | grep -c allow)
[[ $allowed -gt 0 && $allowed -le $recorded ]] || fail "$allowed allowed, $recorded recorded"
status 0 "$AMBIT" log verify
