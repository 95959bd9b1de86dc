#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Set-id bits are decided about by path, whichever call sets them: a descriptor that is open for
# writing gives no more than a name. In the folder they are the command's own business.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

none_set() { [[ -z $(find "$D" -type f -perm /6000) ]] || fail "set: $(ls -l "$D")"; }

data
echo x >"$D/probe"
by_empty_path=$("${STEPS[@]}" "fchmodat2:644:$D/probe")
for bits in 4755 2755; do
	steps ok:create:@t ok:fchmod:755:@t no:fchmod:$bits:@t
	none_set
	# Since Linux 6.5.
	[[ $by_empty_path != *ok ]] || steps ok:create:@t ok:fchmodat2:755:@t no:fchmodat2:$bits:@t
	none_set
	steps ok:create:@t no:chmod:$bits:@t
	none_set
	steps ok:write:@f no:fchmod:$bits:@f
	none_set
	steps ok:write:@f no:open:$bits:@t
	none_set
	steps ok:write:@f no:mknod:10$bits:@t
	none_set
	steps ok:tmpfile:"@.":@t no:tmpmode:$bits:"@."
	none_set
done

# A descriptor that it was given; a file whose name is gone, about which nobody could be asked.
by_output() { line --quiet -- "$PYTHON" -c "import os; os.fchmod(1, 0o$1)" >"$D/output" 2>"$TEST_DIR/.err"; }
by_output 640 || fail "$(cat "$TEST_DIR/.err")"
by_output 4640 && fail "set by standard output"
by_output 2640 && fail "set by standard output"
none_set
[[ $(stat -c %a "$D/output") == 640 ]] || fail "$(ls -l "$D/output")"
held 1 -- "$PYTHON" -c 'import os
fd = os.open("gone", os.O_RDWR | os.O_CREAT)
os.unlink("gone")
os.fchmod(fd, 0o644)
os.fchmod(fd, 0o4755)'
[[ $errout == *PermissionError* ]] || fail "$errout"

# In the folder.
out=$(line --quiet -- "${STEPS[@]}" create:own fchmod:4755:own)
[[ -u own ]] || fail "not in the folder: $out"
