#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is approved is done as the kernel would have done it: same modes under
# the same umask, same owner, same times, same errors.
. "${0%/*}/line.bash"

script=$(
	cat <<'END'
-u 027 create @/new 666
-u 027 create @/new 666
-u 077 mkdir @/dir 777
-u 022 mkfifo @/fifo 666
-u 000 create @/open 666
-u 022 create @/how
creat @/how
append @/new
append @/missing
write @/dir
mkdir @/new/below
mkdir @/none/below
create @/dir/in 600
rmdir @/dir
unlink @/dir/in
unlink @/dir/in
unlink @/dir
rmdir @/dir
symlink target @/sym
symlink target @/sym
link @/new @/hard
rename @/hard @/moved
rename @/nothing @/moved2
truncate @/new
chmod @/moved 604
fchmod @/open 640
chown @/open
lchown @/sym
utime @/open
futime @/how
tmpfile-link @ @/named
exchange @/open @/how
END
)
mkdir "$OUT/plain" "$OUT/held"
each() { while read -r -a call; do printf '%s: %s\n' "${call[*]#"$D"}" "$("$CALLS" "${call[@]}")"; done; }
shape() { (cd "$1" && find . ! -name . -printf '%P %y %m %U:%G %n %l %s\n' | sort; stat -c '%n %Y' how open); }
D=$OUT/plain
each <<<"${script//@/$D}" >"$TEST_DIR/plain.out"
D=$OUT/held
status 0 "$AMBIT" run --ask allow --quiet -- bash -c "$(declare -f each); CALLS=$CALLS D=$D; each" \
	<<<"${script//@/$D}"
diff "$TEST_DIR/plain.out" <(printf '%s\n' "$out") || fail "other results"
diff <(shape "$OUT/plain") <(shape "$OUT/held") || fail "other effects"

# Between inside and outside nothing moves, also after a yes: tools then copy.
echo mine >inside
echo other >"$OUT/outside"
status 1 "$AMBIT" run --ask allow --quiet -- "$CALLS" rename inside "$OUT/in"
[[ $out == EXDEV ]] || fail "rename out: $out"
status 1 "$AMBIT" run --ask allow --quiet -- "$CALLS" link "$OUT/outside" linked
[[ $out == EXDEV ]] || fail "link in: $out"
status 0 "$AMBIT" run --ask allow --quiet -- mv inside "$OUT/moved"
[[ $(cat "$OUT/moved") == mine && ! -e inside ]] || fail "mv does not copy"

# What the person has not the right to do stays what it is.
if [[ $(id -u) -ne 0 ]]; then
	status 1 "$AMBIT" run --ask allow --quiet -- "$CALLS" create /etc/ambit-test
	[[ $out == EACCES ]] || fail "$out"
	status 1 "$AMBIT" run --ask allow --quiet -- "$CALLS" chmod /etc/passwd 777
	[[ $out == EPERM ]] || fail "$out"
fi
