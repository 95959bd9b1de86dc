#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The answer "file" is for one file, and for the temporary file by which programs replace it:
# after it, programs save that file in the same session without a question. A temporary file
# replaces no other file, and no other name can be made.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

python=$(realpath "$PYTHON")
ANSWER='file'

# again TEXT COMMAND...: after one answer to a write of f, it makes f hold TEXT, unasked.
again() {
	local text=$1
	shift
	data
	"$@" || fail "not without ambit either: $*"
	[[ $(cat "$D/f") == *"$text"* ]] || fail "without ambit: $* makes $(cat "$D/f")"
	data
	# By a child each: the answer is the session's.
	yes 1 bash -c 'echo shown >>"$1"; shift; "$@"; echo done' - "$D/f" "$@"
	[[ $out == *done && $(cat "$D/f") == *"$text"* ]] || fail "$* makes $(cat "$D/f"); $(cat "$TEST_DIR/.err")"
	asked 1
	[[ $(ls "$D") == $'f\ng\nh\nsub' ]] || fail "$* leaves $(ls "$D")"
}

again new sed -i s/old/new/ "$D/f"
again new perl -pi -e s/old/new/ "$D/f"
again new "$python" -c "
import os, sys, tempfile
fd, name = tempfile.mkstemp(dir=os.path.dirname(sys.argv[1]))
os.write(fd, b'new'); os.fchmod(fd, 0o640); os.close(fd)
os.replace(name, sys.argv[1])" "$D/f"
again new "$python" -c "
import os, sys
open(sys.argv[1] + '.tmp', 'w').write('new')
os.chmod(sys.argv[1] + '.tmp', 0o640)
os.rename(sys.argv[1] + '.tmp', sys.argv[1])" "$D/f"
if command -v rsync >/dev/null; then
	echo new >new
	again new rsync new "$D/f"
fi

# What it does not cover, of a process that may write f.
refused() { # STEP...: all work without ambit and with every yes; the last is refused with one.
	local list=("write:@f" "$@") last
	list=("${list[@]//@/$D/}")
	data
	out=$("${STEPS[@]}" "${list[@]}")
	! grep -v 'ok$' <<<"$out" || fail "not without ambit either: $*: $out"
	data
	yes 99 "${STEPS[@]}" "${list[@]}"
	! grep -v 'ok$' <<<"$out" || fail "not with every yes either: $*: $out"
	data
	yes 1 "${STEPS[@]}" "${list[@]}"
	last=$(tail -1 <<<"$out")
	[[ $last == *EACCES ]] || fail "not refused: $last"
	! head -n -1 <<<"$out" | grep -v 'ok$' || fail "not done: $out"
}

refused create:@f.tmp rename:@f.tmp:@g
still g
refused create:@f.tmp rename:@f.tmp:@other
refused create:@other
refused create:@sub/f.tmp
refused mkdir:@f.tmp
refused append:@g
still g
refused symlink:/etc/passwd:@f.tmp
[[ ! -L $D/f.tmp ]] || fail "a symlink was made"
refused link:@g:@f.tmp
refused create:@f.tmp chmod:4755:@f.tmp
# Another process' temporary file is not its own.
refused create:@f.tmp fork:append:@f.tmp
[[ $(cat "$D/f.tmp") == made ]] || fail "written by a child"
# A no takes it back.
data
yes 1 bash -c "echo x >>'$D/f'; sed -i s/old/new/ '$D/f'"
[[ $(cat "$D/f") == *new* ]] || fail "not edited"
"$AMBIT" rules add write "$D/f" --no --session "$session" >/dev/null
data
KEEP=1 yes 0 sed -i s/old/new/ "$D/f"
still f
[[ $(ls "$D") == $'f\ng\nh\nsub' ]] || fail "left: $(ls "$D")"
data
yes 0 "$CALLS" append "$D/g"
grep -q '^file: .*and its temporary files$' "$TEST_DIR/stores" || fail "it says: $(cat "$TEST_DIR/stores")"
