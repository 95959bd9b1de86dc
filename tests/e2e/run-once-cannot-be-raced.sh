#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two threads of a process that was allowed to write once rename two new files over two old ones
# at the same time: one of the two is replaced, and the other is asked about.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

race=("create:$D/t.tmp" "create:$D/u" "race:$D/t.tmp:$D/f:$D/u:$D/g")

# Without ambit, and with every yes, both are.
data
out=$("${STEPS[@]}" "${race[@]}")
[[ $(cat "$D/f" "$D/g") == $'made\nmade' ]] || fail "not without ambit either: $out"
data
yes 99 "${STEPS[@]}" "${race[@]}"
[[ $(cat "$D/f" "$D/g") == $'made\nmade' ]] || fail "not with every yes either: $out"

for ((round = 0; round < ${ROUNDS:-20}; round++)); do
	data
	yes 1 "${STEPS[@]}" "${race[@]}"
	[[ $(cat "$D/f" "$D/g" | sort | tr '\n' ' ') =~ ^made\ old-[fg]\ $ ]] ||
		fail "round $round: $(cat "$D/f" "$D/g"): $out"
	asked 2
done
