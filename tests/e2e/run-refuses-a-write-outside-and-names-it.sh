#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A write outside fails with EACCES, does nothing, and is named with the way to
# allow it, at the end and in the record.
. "${0%/*}/line.bash"

echo kept >"$OUT/file"
natural append "$OUT/file"
echo kept >"$OUT/file"
held 1 -- "$CALLS" append "$OUT/file"
[[ $out == EACCES ]] || fail "the call says $out"
[[ $(cat "$OUT/file") == kept ]] || fail "it was written"
complains 'ambit: one thing was refused:'
complains "write $OUT/file"
complains "outside the folder ($P)"
complains "ambit rules add write $OUT/file"
session=$(sed -n 's/^ambit: session \([^ ]*\) .*/\1/p' <<<"$errout")
[[ -n $session ]] || fail "no session named: $errout"
status 0 "$AMBIT" log --session "$session"
says "$OUT/file"

# What it says to do, does it.
advice=$(sed -n 's/^ *to allow it: ambit //p' <<<"$errout" | head -1)
held 1 -- "$CALLS" append "$OUT/file"
advice=$(sed -n 's/^ *to allow it: ambit //p' <<<"$errout" | head -1)
eval "status 0 \"\$AMBIT\" $advice"
held 0 -- "$CALLS" append "$OUT/file"
[[ $(cat "$OUT/file") == kept$'\n'more ]] || fail "the rule does not hold"

# Every way to the same place: through a link, by .., a hard link, a copy of a
# program, a new session, a static binary's own system call.
echo kept >"$OUT/other"
ln -s "$OUT" link
ln -s "$OUT/other" other
for path in link/other other "../../outside/other" "/proc/self/root$OUT/other" "./link/../link/other"; do
	held 1 -- "$CALLS" append "$path"
done
held 1 -- "$CALLS" link "$OUT/other" mine
held 1 -- setsid -w "$CALLS" append "$OUT/other"
cp "$CALLS" ./mine
held 1 -- ./mine append "$OUT/other"
held 1 -- bash -c 'exec 3<"$1"; echo bad >/proc/self/fd/3' _ "$OUT/other"
held 1 -- "$CALLS" reopen "$OUT/other"
[[ $(cat "$OUT/other") == kept ]] || fail "it was written"
