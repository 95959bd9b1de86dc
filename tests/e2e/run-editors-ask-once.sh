#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An editor makes a swap file before it touches the file, and an agent saves through a file whose name
# tells which one it replaces, so the question is about the file. "file" is for that file: its swap, backup and journal files go with it, in this session and in the next
# run of it, and nothing else does.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

ANSWER='file'
# What vim, nano and SQLite do, each in one process and over more than two seconds.
vim=(create:@.f.swp create:@.f.swx unlink:@.f.swx unlink:@.f.swp create:@.f.swp wait:2100 create:@4913 unlink:@4913
	rename:@f:@f~ create:@f chmod:640:@f unlink:@f~ unlink:@.f.swp)
vim_in_place=(create:@.f.swp wait:2100 write:@f unlink:@.f.swp)
vim_new=(create:@.new.swp wait:2100 create:@new unlink:@.new.swp)
vim_hidden=(create:@.hidden.swp wait:2100 rename:@.hidden:@.hidden~ create:@.hidden unlink:@.hidden~ unlink:@.hidden.swp)
agent=(create:@f.tmp.4120.1f3c wait:2100 rename:@f.tmp.4120.1f3c:@f)
agent_new=(create:@new.tmp.4120.1f3c chmod:640:@new.tmp.4120.1f3c wait:2100 rename:@new.tmp.4120.1f3c:@new)
sqlite=(write:@f create:@f-journal append:@f-journal unlink:@f-journal wait:2100 create:@f-wal create:@f-shm unlink:@f-wal unlink:@f-shm)

# What lies there before: $also names more of it.
also=''
prepare() {
	local name
	data
	echo old-.hidden >"$D/.hidden"
	for name in $also; do echo "old-$name" >"$D/$name"; done
}

# session_of STEP...: all of it with one answer, about the file $F; then none.
session_of() {
	local list=("${@//@/$D/}") quick=() step
	for step in "${list[@]}"; do [[ $step == wait:* ]] || quick+=("$step"); done
	prepare
	out=$("${STEPS[@]}" "${quick[@]}")
	! grep -v 'ok$' <<<"$out" || fail "not without ambit either: $out"
	prepare
	yes 1 "${STEPS[@]}" "${list[@]}"
	! grep -v 'ok$' <<<"$out" || fail "not done with one answer: $out; $(cat "$TEST_DIR/asked")"
	asked 1
	grep -qxF "file: write $D/$F, this session; and its temporary files" "$TEST_DIR/stores" ||
		fail "it stores: $(cat "$TEST_DIR/stores")"
	prepare
	KEEP=1 yes 0 "${STEPS[@]}" "${quick[@]}"
	! grep -v 'ok$' <<<"$out" || fail "asked in the next run: $out; $(cat "$TEST_DIR/asked")"
	asked 0
}

F=f
session_of "${vim[@]}"
session_of "${vim_in_place[@]}"
session_of "${sqlite[@]}"
session_of "${agent[@]}"
F=new
session_of "${agent_new[@]}"
session_of "${vim_new[@]}"
F=.hidden
session_of "${vim_hidden[@]}"

# only STEP... : with one answer all but the last work, and the last is asked about.
only() {
	local list=("${@//@/$D/}")
	prepare
	out=$("${STEPS[@]}" "${list[@]}")
	! grep -v 'ok$' <<<"$out" || fail "not without ambit either: $*: $out"
	prepare
	yes 99 "${STEPS[@]}" "${list[@]}"
	! grep -v 'ok$' <<<"$out" || fail "not with every yes either: $*: $out"
	prepare
	yes 1 "${STEPS[@]}" "${list[@]}"
	[[ $(tail -1 <<<"$out") == *EACCES ]] || fail "not refused: $out"
	! head -n -1 <<<"$out" | grep -v 'ok$' || fail "not done: $out"
	asked 2
}
# The file that was shown, and no other.
only create:@.f.swp write:@g
still g
only create:@.f.swp create:@.g.swp
only create:@.f.swp rename:@g:@f~
only create:@.f.swp rename:@f:@g~
only create:@.f.swp rename:@f:@other
only create:@.f.swp rename:@f:@sub/f~
only create:@.f.swp rename:@f:@h
still h
only create:@.f.swp mkdir:@f~
# Nor when a name was chosen so that the question is about a file that does no harm.
only create:@f.tmp.1.a rename:@f.tmp.1.a:@g
only create:@new.tmp.1.a rename:@new.tmp.1.a:@h
still g h
only create:@f.tmp.1.a create:@g.tmp.1.a
only create:@f.tmp.1.a link:@f.tmp.1.a:@other
only create:@f.tmp.1.a rename:@g:@f.tmp.2.b
only create:@f.tmp.1.a mkdir:@f.tmp.2.b
only create:@f.tmp.1.a create:@sub/f.tmp.1.a
# A file with another name is not asked about by this one.
prepare
ln "$D/f" "$D/sub/other"
yes 1 "${STEPS[@]}" "create:$D/f.tmp.1.a" "write:$D/f"
[[ $(head -1 <<<"$out") == *ok && $(tail -1 <<<"$out") == *EACCES ]] || fail "$out"
still f

# A backup that was there is another file: it is neither replaced nor removed.
also='f~ f-journal .f.swp'
only write:@f rename:@f:@f~
[[ $(cat "$D/f~") == old-f~ ]] || fail "replaced: $(cat "$D/f~")"
only write:@f unlink:@f~
only write:@f unlink:@f-journal
only write:@f append:@f-journal
only write:@f unlink:@.f.swp
still f-journal .f.swp
# Nor does another process remove what this one made.
also=''
only create:@.f.swp rename:@f:@f~ fork:unlink:@f~
[[ $(cat "$D/f~") == old-f ]] || fail "the old file is gone"
# One that has another name, or a set-id bit, is asked about.
only link:@f:@sub/other write:@f rename:@f:@f~
only chmod:4755:@f rename:@f:@f~

# The temporary file of a guard says nothing of the guard, and gets nothing for it.
also=.bashrc
prepare
yes 1 "${STEPS[@]}" "create:$D/.bashrc.tmp.1.a" "rename:$D/.bashrc.tmp.1.a:$D/.bashrc"
asked 2
[[ $(head -1 <<<"$out") == *ok && $(tail -1 <<<"$out") == *EACCES ]] || fail "$out"
still .bashrc
prepare
yes 1 "${STEPS[@]}" "create:$D/.bashrc.swp" "write:$D/.bashrc"
asked 2
[[ $(head -1 <<<"$out") == *ok && $(tail -1 <<<"$out") == *EACCES ]] || fail "$out"
still .bashrc
grep -qF "file: write $D/.bashrc.swp, this session" "$TEST_DIR/stores" || fail "it stores: $(cat "$TEST_DIR/stores")"

# "once" is for two seconds, and says both names.
ANSWER=once
also=''
prepare
yes 1 "${STEPS[@]}" "create:$D/.f.swp" "write:$D/f" "unlink:$D/.f.swp" "write:$D/g"
[[ $(sed -n '1,3p' <<<"$out" | grep -c 'ok$') -eq 3 && $(tail -1 <<<"$out") == *EACCES ]] || fail "$out"
grep -qF "make $D/.f.swp, write $D/f, new files beside it" "$TEST_DIR/stores" || fail "it says: $(cat "$TEST_DIR/stores")"
# It replaces that file, not another one.
for name in .f.swp f.tmp.1.a new.tmp.1.a; do
	prepare
	yes 1 "${STEPS[@]}" "create:$D/$name" "rename:$D/$name:$D/g"
	[[ $(head -1 <<<"$out") == *ok && $(tail -1 <<<"$out") == *EACCES ]] || fail "$out"
	still g
done
prepare
yes 1 "${STEPS[@]}" "create:$D/f.tmp.1.a" "rename:$D/f.tmp.1.a:$D/f" "write:$D/g"
[[ $(head -2 <<<"$out" | grep -c 'ok$') -eq 2 && $(tail -1 <<<"$out") == *EACCES ]] || fail "$out"
[[ ! -e $D/f.tmp.1.a && $(cat "$D/f") != old-f ]] || fail "not saved: $(ls -A "$D")"
# A no for the session is one for both.
ANSWER='no-session'
prepare
yes 1 "${STEPS[@]}" "create:$D/.f.swp" "create:$D/.f.swp" "write:$D/f"
asked 1
! grep -q 'ok$' <<<"$out" || fail "after a no: $out"
still f
