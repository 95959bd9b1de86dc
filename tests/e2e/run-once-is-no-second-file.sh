#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The answer "once" to a write outside the folder: for two seconds the same process may do the
# same to what was shown, make new files beside it, and rename one of those over one file. A
# second file that was there before is asked about; so is everything later, of another process
# or of another program.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

# What was shown, again; but no other file, and no other act.
steps ok:write:@f ok:append:@f no:append:@g
still g
steps ok:write:@f no:unlink:@f
[[ -e $D/f ]] || fail "removed"
steps ok:unlink:@f no:unlink:@g
still g
steps ok:truncate:@f no:truncate:@g
still g
steps ok:write:@f no:rename:@f:@f~
[[ -e $D/f && ! -e $D/f~ ]] || fail "moved"

# New files, and anything with those; a new file in place of what was removed.
steps ok:write:@f ok:create:@new.tmp ok:append:@new.tmp ok:chmod:600:@new.tmp ok:utime:@new.tmp ok:link:@new.tmp:@newer \
	ok:rename:@newer:@newest ok:unlink:@newest ok:unlink:@new.tmp
steps ok:unlink:@f ok:create:@f ok:append:@f
steps ok:tmpfile:"@.":@t ok:append:@t

# One of them over the file that was shown, and over no other.
steps ok:write:@f ok:create:@t ok:create:@u no:rename:@t:@g ok:rename:@u:@f
still g
[[ $(cat "$D/f") == made ]] || fail "not replaced"
# If only a new name was shown, over one file.
steps ok:create:@t.tmp ok:rename:@t.tmp:@f ok:create:@t.tmp ok:create:@u no:rename:@t.tmp:@g ok:rename:@u:@new ok:unlink:@new
still g
steps ok:create:@t no:exchange:@t:@f
still f

# Later: neither what was shown, nor new files, nor those that it made.
steps ok:create:@t ok:wait:2100 no:append:@t
steps ok:write:@f ok:wait:2100 no:append:@f
steps ok:write:@f ok:create:@t ok:wait:2100 no:rename:@t:@f
[[ $(cat "$D/f") == changed ]] || fail "replaced"
steps ok:write:@f ok:wait:2100 no:create:@t
[[ ! -e $D/t ]] || fail "made"

# A thread is the process. A child is another; so is the same process after an exec, of the same
# program or of another.
steps ok:write:@f ok:thread:create:@t ok:thread:rename:@t:@f
steps ok:write:@f no:fork:append:@f
[[ $(cat "$D/f") == changed ]] || fail "a child wrote"
steps ok:write:@f no:fork:create:@t
# The same program, too: also where its memory lies at the same addresses as before.
exec_ends_it() {
	steps ok:write:@f no:again:append:@f
	[[ $(cat "$D/f") == changed ]] || fail "written after an exec"
	steps ok:write:@f no:again:create:@t
	steps ok:create:@t no:again:append:@t
	steps ok:create:@t no:again:rename:@t:@f
	still f
}
exec_ends_it
if setarch -R true 2>/dev/null; then
	python=("${STEPS[@]}")
	STEPS=(setarch -R "${python[@]}")
	exec_ends_it
	STEPS=("${python[@]}")
fi
steps ok:write:@f no:become:"$CALLS":append:@f
[[ $(cat "$D/f") == changed ]] || fail "written by another program"

# Not beneath, nor a directory beside it; what is new in a directory that was shown as new.
steps ok:write:@f no:create:@sub/new
steps ok:write:@f no:append:@sub/in
still sub/in
steps ok:write:@f no:mkdir:@dir
steps ok:mkdir:@dir ok:create:@dir/a ok:mkdir:@dir/b ok:create:@dir/b/c ok:unlink:@dir/a no:create:@beside no:append:@f
still f
steps ok:mkdir:@dir ok:create:@dir/a no:rename:@dir/a:@f
still f
steps ok:chmod:755:@sub no:create:@new

# No guard, no symlink, no other name of what was there, and no set-id bit.
steps ok:write:@f no:create:@.bashrc
[[ ! -e $D/.bashrc ]] || fail "a guard was made"
steps ok:create:@t no:rename:@t:@.bashrc
steps ok:write:@f no:symlink:/etc/passwd:@l
[[ ! -L $D/l ]] || fail "a symlink was made"
steps ok:write:@f no:link:@f:@l
[[ $(stat -c %h "$D/f") == 1 ]] || fail "linked"
steps ok:write:@f no:link:@g:@l
steps ok:create:@t no:chmod:4755:@t
[[ ! -u $D/t ]] || fail "set-id"
steps ok:symlink:/etc/passwd:@l no:symlink:/etc/group:@l2
steps ok:symlink:/etc/passwd:@l no:rename:@l:@m
steps ok:symlink:f:@l no:append:@l
still f
steps ok:symlink:/etc/passwd:@l ok:unlink:@l

# Nothing of it is a rule, and why knows nothing of it.
data
yes 1 "${STEPS[@]}" "write:$D/f"
asked 1
status 0 "$AMBIT" rules --session "$session"
says_not "$D"
verdict ask Outside "write" "$D/f"
grep -q "this process, for two seconds: write .*/f, new files beside it, one of them may replace it" \
	"$TEST_DIR/stores" || fail "it says: $(cat "$TEST_DIR/stores")"
