#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each call that changes something works without ambit, and is refused behind
# the line with EACCES and without a trace.
. "${0%/*}/line.bash"

fill() { # DIR
	rm -rf "$1"
	mkdir -p "$1/full" "$1/empty"
	echo kept >"$1/file"
	echo two >"$1/full/two"
	ln -s file "$1/link"
	touch -d @900000000 "$1/file" "$1/full/two"
	! setfattr -n user.old -v 1 "$1/file" 2>/dev/null || true
}
calls=$(
	cat <<'END'
create @/new
creat @/new2
openat2 @/new3
write @/file
append @/file
read-write @/file
trunc-open @/file
truncate @/file
reopen @/file
mkdir @/dir
rmdir @/empty
unlink @/full/two
rename @/file @/renamed
link @/renamed @/linked
symlink anywhere @/symlinked
chmod @/renamed 600
fchmod @/renamed 640
chown @/renamed
lchown @/link
utime @/renamed
futime @/renamed
setxattr @/renamed
fsetxattr @/renamed
removexattr @/renamed
mkfifo @/fifo
tmpfile @
tmpfile-link @ @/unnamed
exchange @/renamed @/full
END
)
each() { # PROGRAM-PREFIX... : makes all of them, prints "CALL RESULT"
	bash -c 'while read -r call a b; do printf "%s %s\n" "$call" "$("$0" $call $a $b)"; done' "$CALLS"
}
fill "$OUT/plain"
each <<<"${calls//@/$OUT/plain}" >"$TEST_DIR/plain"
works=$(awk '$2 == "ok" { print $1 }' "$TEST_DIR/plain")
for call in create creat openat2 write append read-write trunc-open truncate reopen mkdir rmdir unlink \
	rename exchange link symlink chmod fchmod chown lchown utime futime mkfifo tmpfile tmpfile-link; do
	grep -qx "$call" <<<"$works" || [[ $call == tmpfile* || $call == exchange ]] ||
		fail "$call does not work without ambit: $(cat "$TEST_DIR/plain")"
done

fill "$OUT/held"
# Behind the line nothing was renamed before: the names as they are.
calls=${calls//@\/renamed/@/file}
calls=${calls/rename @\/file @\/file/rename @/file @/renamed}
shape() { (cd "$OUT/held" && find . -printf '%P %y %m %n %l %s %T@ %C@\n' | sort && cat file full/two); }
shape >"$TEST_DIR/before"
status 0 line -- bash -c "$(declare -f each); CALLS=$CALLS each" <<<"${calls//@/$OUT/held}"
while read -r call result; do
	grep -qx "$call" <<<"$works" || continue
	# openat2 is not there behind the line.
	[[ $result == EACCES || ($call == link && $result == EXDEV) ||
		($call == openat2 && $result == ENOSYS) ]] || fail "$call: $result"
done <<<"$out"
[[ $(wc -l <<<"$out") -eq $(wc -l <<<"$calls") ]] || fail "not all were tried: $out"
diff "$TEST_DIR/before" <(shape) || fail "something was changed"
complains 'things were refused'
