#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Several processes in one session and in their own: every event is there, and
# the chains hold; a kill -9 loses at most what was not answered.
. "${0%/*}/lib.sh"

n=40 writers=4 rounds=1 kills=6
[[ -n ${AMBIT_LONG:-} ]] && n=300 writers=12 rounds=5 kills=100
stream() { for ((i = 0; i < n; i++)); do echo "{\"id\":$i,\"tool\":\"write\",\"args\":{\"file_path\":\"f$i\"}}"; done; }
for ((round = 1; round <= rounds; round++)); do
	pids=()
	for ((w = 0; w < writers; w++)); do
		stream | "$AMBIT" decide --session shared >"$TMPDIR/out.$w" &
		pids+=($!)
		stream | "$AMBIT" decide --session "own.$w" >"$TMPDIR/own.$w" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid" || fail "a writer failed"; done
	for file in "$TMPDIR"/{out,own}.*; do
		[[ $(jq -r .verdict "$file" | grep -c allow) -eq $n ]] || fail "$file: $(tail -1 "$file")"
	done
	status 0 "$AMBIT" log --session shared --kind decide --json
	[[ $(wc -l <<<"$out") -eq $((n * writers * round)) ]] ||
		fail "$(wc -l <<<"$out") events of $((n * writers * round))"
	for ((w = 0; w < writers; w++)); do
		status 0 "$AMBIT" log --session "own.$w" --kind decide --json
		[[ $(wc -l <<<"$out") -eq $((n * round)) ]] || fail "own.$w: $(wc -l <<<"$out") events"
	done
	status 0 "$AMBIT" log verify
done

# The same over and over: refusals of a loop would be counted, not each recorded.
mkdir -p "$XDG_CONFIG_HOME/ambit"
echo '{"loop_limit": 0}' >"$XDG_CONFIG_HOME/ambit/config.json"
for ((k = 0; k < kills; k++)); do
	mkfifo "$TMPDIR/in.$k"
	: >"$TMPDIR/kill.$k"
	"$AMBIT" decide --session "killed$k" <"$TMPDIR/in.$k" >"$TMPDIR/kill.$k" &
	pid=$!
	yes '{"tool":"write","args":{"file_path":"f"}}' >"$TMPDIR/in.$k" 2>/dev/null &
	# Wait for some answers, so that it dies at work.
	until [[ $(wc -l <"$TMPDIR/kill.$k") -ge $((k % 20 + 1)) ]]; do :; done
	kill -9 "$pid"
	wait "$pid" 2>/dev/null || true
	answered=$(grep -c '}$' "$TMPDIR/kill.$k")
	status 0 "$AMBIT" log --session "killed$k" --kind decide --json
	[[ $(wc -l <<<"$out") -ge $answered ]] || fail "answered $answered, recorded $(wc -l <<<"$out")"
done
status 0 "$AMBIT" log verify
