#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Rules that an earlier version stored hold as they were shown then: rules-0.1.sql is such a record.
. "${0%/*}/line.bash"
command -v sqlite3 >/dev/null || skip "no sqlite3"

mkdir -p "$STATE"
chmod 700 "$STATE"
for name in a b c d e dir no other; do mkdir "$OUT/$name"; done
sed "s,@OUT@,$OUT,g; s,@P@,$P,g" "$HERE/rules-0.1.sql" | sqlite3 "$STATE/ambit.db"
chmod 600 "$STATE/ambit.db"

status 0 "$AMBIT" rules list --all --json
[[ $(jq -s length <<<"$out") -eq 11 ]] || fail "not all eleven are listed: $out"

# writes yes|no PATH: by effect, in the session that the record knows.
writes() {
	local want=$1 path=$2
	rm -f "$path"
	line --session old -- sh -c 'echo x >"$1"' - "$path" >/dev/null 2>&1 || true
	if [[ $want == yes ]]; then
		[[ -e $path ]] || fail "$path is not written"
	else
		[[ ! -e $path ]] || fail "$path is written"
	fi
}
writes yes "$OUT/file"     # rules add, a file
writes yes "$OUT/dir/x"    # rules add, a folder
writes yes "$OUT/a/file"   # answered: this file, this session
writes no "$OUT/a/file2"
writes yes "$OUT/b/other"  # answered: this folder, this session
writes yes "$OUT/c/other"  # answered: always
writes no "$OUT/d/file"    # answered: no for the session
writes no "$OUT/e/file"    # answered once: that process is gone
writes no "$OUT/no/file"   # rules add --no
writes no "$OUT/other/x"
verdict allow - connect example.net:443
verdict allow - connect www.example.com:443
# In another session only what was stored for the folder holds.
line --session new -- sh -c 'echo x >"$1/c/new"; echo x >"$1/b/new"' - "$OUT" 2>/dev/null && fail "b is written"
[[ -e $OUT/c/new && ! -e $OUT/b/new ]] || fail "the rules of a session hold in another"
# They can be revoked.
status 0 "$AMBIT" rules revoke 6
writes no "$OUT/c/other"
