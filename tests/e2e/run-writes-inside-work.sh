#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Inside the folder everything works as it does without ambit, and nothing is
# said about it.
. "${0%/*}/line.bash"

mkdir "$TEST_DIR/plain"
work='set -e; umask 022
mkdir -p d/e; echo one >d/a; echo two >>d/a; mv d/a d/b; ln d/b d/e/c; ln -s b d/l
chmod 640 d/b; touch -d @1000000000 d/e/c; mkfifo -m 600 d/p; truncate -s 3 d/e/c; cp d/b d/copy
rm d/copy; mkdir d/gone; rmdir d/gone; (echo sub >d/e/sub) & wait; cd d && echo here >here'
(cd "$TEST_DIR/plain" && bash -c "$work")
held 0 -- bash -c "$work"
[[ -z $out && -z $errout ]] || fail "said something: $out $errout"
shape() { (cd "$1" && find . ! -name . -printf '%P %y %m %n %l %s\n' | sort; cat d/b d/here); }
diff <(shape "$TEST_DIR/plain") <(shape "$P") || fail "not the same"

# The command starts where the person is, if that is inside; else in the folder.
cd "$P/d"
status 0 line --folder "$P" -- pwd
says "$P/d"
cd "$OUT"
status 0 line --folder "$P" -- pwd
[[ $out == "$P" ]] || fail "started in $out"
# Grants are inside, too.
held 0 --folder "$P" --write "$OUT" -- bash -c "echo granted >'$OUT/granted'; mv '$OUT/granted' '$OUT/g2'"
[[ $(cat "$OUT/g2") == granted ]] || fail "no granted file"
