#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A run inside another makes its temp directory in the outer one's, where the outer command can
# write. Who puts a link to elsewhere in its place as it is made opens nothing by that.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
[[ -z ${AMBIT_WITHOUT:-} ]] || skip "$AMBIT_WITHOUT is missing"

mkdir -p away sub "$OUT/home"
echo secret >"$OUT/home/secret"
# Without ambit: whoever makes a directory there and then writes to it by its name is led away.
"$HELPERS/swap" "$TMPDIR" "$P/away" "$OUT/home" >"$TEST_DIR/swapped" &
swapper=$!
servers+=("$swapper")
eventually test -s "$TEST_DIR/swapped"
led() {
	local dir
	dir=$(mktemp -d "$TMPDIR/ambit-XXXXXX")
	eventually test -L "$dir"
	echo x >"$dir/natural"
	rm -f "$dir"
}
led
[[ -e $OUT/home/natural ]] || fail "nothing is led away without ambit either"
kill "$swapper"
rm -rf "$OUT/home/natural" away/*

# The moment is short: one in two hundred hits it where it is open.
tries=${AMBIT_LONG:+1500}
tries=${tries:-60}
held 0 -- bash -c '
	"$1" "$TMPDIR" "$PWD/away" "$2" >swapped &
	for ((i = 0; i < $4; i++)); do
		"$3" run --quiet --folder sub -- bash -c "echo x >\$TMPDIR/by-temp; echo x >$2/by-name; chmod 777 $2/secret; mv $2/secret $2/moved" 2>>errors
		(( i % 4 )) || "$3" mcp </dev/null >/dev/null 2>>errors
	done
	kill $!; true' _ "$HELPERS/swap" "$OUT/home" "$AMBIT" "$tries"
[[ $(tail -1 swapped) -gt 0 ]] || fail "nothing was ever swapped: $(tail -3 errors)"
[[ $(ls "$OUT/home") == secret && $(stat -c %a "$OUT/home/secret") != 777 ]] ||
	fail "past the line, after $(tail -1 swapped) links: $(ls -l "$OUT/home")"
