#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What bench-net.c runs: the same work native, in bubblewrap, and behind the line by an
# address that is allowed and by a name, round by round; medians, and ratios to native.
: "${AMBIT:?the program to measure}" "${STREAM:?bench-net}"
BUILD=${BUILD:-${AMBIT%/*}}
export BUILD STREAM
# shellcheck source=tests/e2e/world.bash
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/world.bash"

rounds=${ROUNDS:-7}
world_start dns https
world_trust
world_host bench.example 203.0.113.10
world_far "$STREAM" serve 203.0.113.10 9100
eventually "$STREAM" connect 203.0.113.10 9100 1 >/dev/null

bwrap=()
command -v bwrap >/dev/null && bwrap --dev-bind / / true 2>/dev/null && bwrap=(bwrap --dev-bind / /)
behind=("$AMBIT" run --ask deny --quiet)

median() { sort -g | awk '{ v[NR] = $1 } END { printf "%s", v[int((NR + 1) / 2)] }'; }
over() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2fx", a / b; else printf "-" }'; }

# row TEXT UNIT ARGUMENT...: what the program prints, each way.
row() {
	local text=$1 unit=$2 native jailed=- direct relay way
	shift 2
	rm -f "$TEST_DIR"/way.*
	for ((i = 0; i < rounds; i++)); do
		"$STREAM" "$1" bench.example 9100 "$2" >>"$TEST_DIR/way.native"
		[[ ${#bwrap[@]} -eq 0 ]] || "${bwrap[@]}" "$STREAM" "$1" bench.example 9100 "$2" >>"$TEST_DIR/way.bwrap"
		"${behind[@]}" --allow-host 203.0.113.10 -- "$STREAM" "$1" 203.0.113.10 9100 "$2" >>"$TEST_DIR/way.direct"
		"${behind[@]}" --allow-host bench.example -- "$STREAM" "$1" bench.example 9100 "$2" >>"$TEST_DIR/way.relay"
	done
	for way in native bwrap direct relay; do
		[[ ! -s $TEST_DIR/way.$way ]] || declare "$way=$(median <"$TEST_DIR/way.$way")"
	done
	native=$(median <"$TEST_DIR/way.native")
	[[ ! -s $TEST_DIR/way.bwrap ]] || jailed=$(over "$(median <"$TEST_DIR/way.bwrap")" "$native")
	direct=$(over "$(median <"$TEST_DIR/way.direct")" "$native")
	relay=$(over "$(median <"$TEST_DIR/way.relay")" "$native")
	printf '%-34s %10s %-5s bwrap %-7s address %-7s name %s\n' "$text" "$native" "$unit" "$jailed" "$direct" "$relay"
}

# One curl, many requests, a connection each; milliseconds of one.
https() {
	local start end
	start=$(date +%s%N)
	"$@" curl -sS -o /dev/null -H 'Connection: close' "https://bench.example/[1-40]" >/dev/null
	end=$(date +%s%N)
	awk -v n=$((end - start)) 'BEGIN { printf "%.2f\n", n / 40e6 }'
}
row_https() {
	local native direct relay
	for ((i = 0; i < rounds; i++)); do
		https env >>"$TEST_DIR/https.native"
		https "${behind[@]}" --allow-host 203.0.113.10 --allow-host bench.example -- >>"$TEST_DIR/https.direct"
		https "${behind[@]}" --allow-host bench.example -- >>"$TEST_DIR/https.relay"
	done
	native=$(median <"$TEST_DIR/https.native")
	direct=$(over "$(median <"$TEST_DIR/https.direct")" "$native")
	relay=$(over "$(median <"$TEST_DIR/https.relay")" "$native")
	printf '%-34s %10s %-5s bwrap %-7s address %-7s name %s\n' "HTTPS request, start included" "$native" ms - "$direct" "$relay"
}

row "connect and close" us connect 2000
row "1 GB, one stream" MB/s pull 1000000000
row_https
ulimit -n 4096 2>/dev/null || true
printf '%-34s %10s\n' "connections held at once, by name" \
	"$("${behind[@]}" --allow-host bench.example -- "$STREAM" hold bench.example 9100 "${HELD:-500}") of ${HELD:-500}"
