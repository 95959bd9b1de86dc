#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One save is one question: a file that is edited in place, or written under a temporary name
# and renamed. Two programs are two questions, and so are two files.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

python=$(realpath "$PYTHON")

# one FILE TEXT COMMAND...: it makes FILE hold TEXT, without ambit and with one question.
one() {
	local file=$1 text=$2
	shift 2
	data
	"$@" >"$TEST_DIR/.out" 2>&1 </dev/null || fail "not without ambit either: $*: $(cat "$TEST_DIR/.out")"
	[[ $(cat "$file") == *"$text"* ]] || fail "without ambit: $* makes $(cat "$file")"
	data
	yes 99 "$@"
	[[ $(cat "$file") == *"$text"* ]] || fail "$* makes $(cat "$file"); $(cat "$TEST_DIR/.err")"
	asked 1
	data
	# And without the yes it does nothing.
	yes 0 "$@"
	[[ ! -e $file || $(cat "$file") == old-* ]] || fail "done without a yes: $*"
}

one "$D/f" new sed -i s/old/new/ "$D/f"
! find "$D" -name 'sed*' | grep . || fail "a temporary file is left"
one "$D/f" new perl -pi -e s/old/new/ "$D/f"
one "$D/f.cfg" new git config -f "$D/f.cfg" a.b new
one "$D/f" new "$python" -c "
import os, sys, tempfile
fd, name = tempfile.mkstemp(dir=sys.argv[1])
os.write(fd, b'new'); os.fsync(fd); os.close(fd)
os.replace(name, sys.argv[1] + '/f')" "$D"
one "$D/f" new "$python" -c "
import os, sys
open(sys.argv[1] + '/f.tmp', 'w').write('new')
os.chmod(sys.argv[1] + '/f.tmp', 0o640)
os.rename(sys.argv[1] + '/f.tmp', sys.argv[1] + '/f')" "$D"
one "$D/f" new "$python" -c "open('$D/f', 'w').write('new')"
one "$D/f" new bash -c "echo new >'$D/f'; echo more >>'$D/f'"
echo new >new
mkdir -p tree/deeper
echo new >tree/deeper/file
one "$D/f" new cp new "$D/f"
one "$D/copy" new cp -p new "$D/copy"
one "$D/f" new cp --remove-destination new "$D/f"
one "$D/tree/deeper/file" new cp -r tree "$D/tree"
tar -cf tree.tar tree
one "$D/tree/deeper/file" new tar -C "$D" -xf "$P/tree.tar"
one "$D/f" new install -m 600 new "$D/f"
one "$D/f" new dd if=new of="$D/f" status=none
if command -v rsync >/dev/null; then
	one "$D/f" new rsync new "$D/f"
fi
if command -v node >/dev/null; then
	one "$D/f" new node -e "
const fs = require('fs');
fs.writeFileSync('$D/f.1804289383', 'new');
fs.renameSync('$D/f.1804289383', '$D/f');"
fi

# Two processes, and two files of one process, are two questions.
data
yes 99 bash -c "sed -i s/old/new/ '$D/f'; sed -i s/old/new/ '$D/g'"
[[ $(cat "$D/f" "$D/g") == $'new-f\nnew-g' ]] || fail "not edited"
asked 2
data
yes 1 bash -c "sed -i s/old/new/ '$D/f'; sed -i s/old/new/ '$D/g'"
[[ $(cat "$D/f") == new-f ]] || fail "not edited"
still g
data
yes 99 sed -i s/old/new/ "$D/f" "$D/g"
[[ $(cat "$D/f" "$D/g") == $'new-f\nnew-g' ]] || fail "not edited"
asked 2
data
yes 1 sed -i s/old/new/ "$D/f" "$D/g"
[[ $(cat "$D/f") == new-f ]] || fail "not edited"
still g
data
yes 99 rm "$D/f" "$D/g"
asked 2
data
yes 1 rm "$D/f" "$D/g"
[[ ! -e $D/f ]] || fail "not removed"
still g

# A guard inside the folder is no file that a temporary name may replace.
mkdir -p .git/hooks
echo old-hook >.git/hooks/pre-commit
cp .git/hooks/pre-commit kept
sed -i s/old/new/ .git/hooks/pre-commit
[[ $(cat .git/hooks/pre-commit) == new-hook ]] || fail "not without ambit either"
cp kept .git/hooks/pre-commit
yes 99 sed -i s/old/new/ "$P/.git/hooks/pre-commit"
[[ $(cat .git/hooks/pre-commit) == new-hook ]] || fail "not edited: $out $(cat "$TEST_DIR/asked" "$TEST_DIR/.err")"
cp kept .git/hooks/pre-commit
yes 1 sed -i s/old/new/ "$P/.git/hooks/pre-commit"
[[ $(cat .git/hooks/pre-commit) == old-hook ]] || fail "a guard was replaced by one answer to another name"
