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

# In a scratch directory its files are its own, but everybody could run this one.
tool=$(mktemp -u /tmp/ambit-set-id.XXXXXX)
trap 'rm -f "$tool" "$tool".*' EXIT
"${STEPS[@]}" "create:$tool.natural" "fchmod:4755:$tool.natural" >/dev/null
[[ -u $tool.natural ]] || fail "no set-id bit without ambit either"
for step in "create:$tool.a fchmod:4755:$tool.a" "create:$tool.b chmod:6755:$tool.b" "open:4755:$tool.c" \
	"mknod:104755:$tool.d"; do
	# shellcheck disable=SC2086
	line --quiet -- "${STEPS[@]}" $step >/dev/null 2>&1 || true
	[[ -z $(find /tmp -maxdepth 1 -path "$tool.[a-d]" -perm /6000) ]] || fail "$step"
done
# Brought along from the folder, where it is free.
line --quiet -- bash -c '! ln own "$1" 2>/dev/null && ! mv own "$1" 2>/dev/null; true' - "$tool.e"
[[ ! -u $tool.e ]] || fail "a file of the folder keeps its bit in /tmp"
# The question says so.
approver look <<END
#!/bin/sh
jq -r .danger >>"$TEST_DIR/danger"
echo '{"answer":"no"}'
END
"$AMBIT" run --quiet --ask "exec:$approver" -- "${STEPS[@]}" "open:4755:$tool.f" >/dev/null 2>&1 || true
[[ $(cat "$TEST_DIR/danger") == "RUNS AS YOU FOR EVERY USER" ]] || fail "$(cat "$TEST_DIR/danger")"
