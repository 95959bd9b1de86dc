#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hundreds of sessions that come at once to a new state directory are all let
# in and stay in together; every event is kept, and the chains hold.
. "${0%/*}/line.bash"

n=300 runs=60
[[ -n ${AMBIT_LONG:-} ]] && n=1000 runs=1000

# All hold the record open until the last has come: none makes room for another.
mkfifo "$TMPDIR/hold"
exec 9<>"$TMPDIR/hold"
pids=()
for ((i = 0; i < n; i++)); do
	"$AMBIT" decide --session "s$i" <"$TMPDIR/hold" 9>&- >"$TMPDIR/out.$i" 2>"$TMPDIR/err.$i" &
	pids+=($!)
done
until status 0 "$AMBIT" sessions --json && [[ $(wc -l <<<"$out") -eq $n ]]; do
	for i in "${!pids[@]}"; do
		kill -0 "${pids[i]}" 2>/dev/null || fail "s$i: $(cat "$TMPDIR/err.$i")"
	done
done
exec 9>&-
for i in "${!pids[@]}"; do wait "${pids[i]}" || fail "s$i: $(cat "$TMPDIR/err.$i")"; done
status 0 "$AMBIT" log --kind session --json
[[ $(wc -l <<<"$out") -eq $n ]] || fail "$(wc -l <<<"$out") sessions of $n"
status 0 "$AMBIT" log verify
[[ $(grep -c '^ok' <<<"$out") -eq $n ]] || fail "chains: $out"

# The same for commands behind the line, on a directory that is new again.
rm -rf "$STATE"
pids=()
for ((i = 0; i < runs; i++)); do
	"$AMBIT" run --net none --ask deny -- true </dev/null >"$TMPDIR/out.$i" 2>"$TMPDIR/err.$i" &
	pids+=($!)
done
for i in "${!pids[@]}"; do wait "${pids[i]}" || fail "run $i: $(cat "$TMPDIR/err.$i")"; done
for kind in session run end; do
	status 0 "$AMBIT" log --kind "$kind" --json
	[[ $(wc -l <<<"$out") -eq $runs ]] || fail "$kind: $(wc -l <<<"$out") of $runs"
done
status 0 "$AMBIT" log verify
[[ $(grep -c '^ok' <<<"$out") -eq $runs ]] || fail "chains: $out"
