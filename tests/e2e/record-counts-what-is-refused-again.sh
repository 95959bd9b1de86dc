#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program that is refused thousands of names fills no disk: the first are in
# the record, the others are counted there, by place, and none is lost.
. "${0%/*}/line.bash"

[[ -n ${AMBIT_LONG:-} ]] && names=30000 || names=3000
cat >flood.py <<'PY'
import errno, os, sys
top, names, dirs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for n in range(names):
    path = f"{top}/d{n % dirs}/name{n}"
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        print("written", path)
    except OSError as e:
        if e.errno != errno.EACCES:
            print(path, e)
PY
for ((i = 0; i < 300; i++)); do mkdir "$OUT/d$i"; done

# size SESSION: bytes of what its events say.
size() { "$AMBIT" log export --session "$1" | wc -c; }
# total SESSION VERDICT: how many of them the record knows of.
total() {
	"$AMBIT" log --summary --json --session "$1" |
		jq "[.[] | select(.kind == \"decide\" and .verdict == \"$2\") | .count] | add // 0"
}

# Without ambit every name is made.
"$PYTHON" flood.py "$OUT" 300 1 >/dev/null
[[ $(find "$OUT/d0" -type f | wc -l) -eq 300 ]] || fail "the flood makes no files"
find "$OUT" -type f -delete

for dirs in 1 300; do
	held 0 --session "flood$dirs" -- "$PYTHON" flood.py "$OUT" "$names" "$dirs"
	[[ -z $out ]] || fail "$dirs: $out"
	[[ -z $(find "$OUT" -type f) ]] || fail "files were made"
	[[ $(total "flood$dirs" deny) -eq $names ]] ||
		fail "$dirs: $(total "flood$dirs" deny) of $names refusals"
	[[ $(size "flood$dirs") -lt 1000000 ]] || fail "$dirs: $(size "flood$dirs") bytes"
done
status 0 "$AMBIT" log --session flood1 --kind decide --json
[[ $(wc -l <<<"$out") -eq 16 ]] || fail "$(wc -l <<<"$out") single events"
status 0 "$AMBIT" log --session flood1 --kind more --verdict deny
says "more in $OUT/d0, by python3"
status 0 "$AMBIT" log --session flood1 --last 1
says end
# Where there are too many places, they are counted together.
status 0 "$AMBIT" log --session flood300 --kind more --json
[[ $(wc -l <<<"$out") -lt 400 ]] || fail "$(wc -l <<<"$out") counts"
status 0 "$AMBIT" log verify
bytes=$(du -bc "$STATE"/ambit.db* | tail -1 | cut -f1)
[[ $bytes -lt 8000000 ]] || fail "the record has $bytes bytes"

# The same at the other doors: one code counts.
for ((i = 0; i < 400; i++)); do
	echo "{\"id\":$i,\"tool\":\"write\",\"args\":{\"file_path\":\"$OUT/d0/f$i\"}}"
done >"$TMPDIR/lines"
status 0 "$AMBIT" decide --session lines <"$TMPDIR/lines"
[[ $(wc -l <<<"$out") -eq 400 ]] || fail "decide: $(wc -l <<<"$out") answers"
[[ $(total lines ask) -eq 400 ]] || fail "decide: $(total lines ask) in the record"
status 0 "$AMBIT" log --session lines --kind decide --json
[[ $(wc -l <<<"$out") -eq 16 ]] || fail "decide: $(wc -l <<<"$out") single events"

# A session that is idle after it was refused tells its count without an end: who kills it
# then loses nothing.
mkfifo "$TMPDIR/hold"
exec 9<>"$TMPDIR/hold"
cat >later.sh <<'SH'
"$3" flood.py "$1" 500 1
touch flooded
read -r _ <"$2"
SH
"$AMBIT" run --session idle --ask deny -- bash later.sh "$OUT" "$TMPDIR/hold" "$PYTHON" 9>&- >/dev/null 2>&1 &
pid=$!
until [[ $(total idle deny) -eq 500 ]]; do
	kill -0 "$pid" || fail "it ended before"
done
[[ -e flooded ]] || fail "not flooded"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
exec 9>&-
[[ $(total idle deny) -eq 500 ]] || fail "$(total idle deny) after it was killed"
status 0 "$AMBIT" log verify
