#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whoever makes a directory fills it: the answer "folder" to a mkdir opens the new directory and all
# beneath it, at once, for every process of the session, and nothing beside it. "file" is the
# directory alone. Above a guard nothing is offered.
# shellcheck source=tests/e2e/once.bash
. "${0%/*}/once.bash"

N=$HOME/cache/new
fresh() {
	rm -rf "$HOME/cache" "$HOME/a" "$HOME/b"
	mkdir "$HOME/cache"
	echo old >"$HOME/cache/beside"
}
fill=(bash -c 'mkdir "$1" && echo x >"$1/f" && mkdir -p "$1/d/e" && echo y >"$1/d/e/g" && mv "$1/f" "$1/d/f" &&
	rm "$1/d/f" && ln -s g "$1/d/e/link" && chmod 700 "$1/d" && echo done' _ "$N")

fresh
[[ $("${fill[@]}") == "done" ]] || fail "not without ambit either"
ANSWER=folder
fresh
yes 1 "${fill[@]}"
[[ $out == "done" && $(cat "$N/d/e/g") == y && -L $N/d/e/link ]] || fail "not filled: $out; $(cat "$TEST_DIR/.err")"
asked 1
grep -qF "folder: write beneath $N, this session" "$TEST_DIR/stores" || fail "it stores: $(cat "$TEST_DIR/stores")"
# The next command of the session, and a child of it, go on without a question; beside it they ask.
KEEP=1 yes 0 bash -c 'echo z >"$1/z"; bash -c "mkdir \"\$1/more\" && echo z >\"\$1/more/z\"" _ "$1"' _ "$N"
[[ -s $N/z && -s $N/more/z ]] || fail "not for the session"
asked 0
KEEP=1 yes 0 bash -c 'echo new >"$1/cache/beside"; mkdir "$1/cache/newer"; echo x >"$1/cache/new.txt"; true' _ "$HOME"
asked 3
[[ $(cat "$HOME/cache/beside") == old && ! -e $HOME/cache/newer && ! -e $HOME/cache/new.txt ]] || fail "wider than the directory"
# A process that ran before the answer has it, too.
fresh
yes 1 bash -c '"$1" create "$2/early"; mkdir "$2"; "$1" create "$2/late"' _ "$CALLS" "$N"
[[ -e $N/late ]] || fail "not at once: $out"

# mkdir -p is one question.
fresh
yes 1 bash -c 'mkdir -p "$1/a/b/c" && echo x >"$1/a/b/c/f" && echo y >"$1/a/g"' _ "$HOME"
asked 1
[[ -s $HOME/a/b/c/f && -s $HOME/a/g ]] || fail "not made: $(find "$HOME/a")"
KEEP=1 yes 0 "$CALLS" mkdir "$HOME/b"
asked 1
[[ ! -e $HOME/b ]] || fail "a directory beside it was made"

# For good, by its path.
fresh
ANSWER='always","path":"'$N
yes 1 "${fill[@]}"
asked 1
yes 0 bash -c 'echo again >"$1/again"' _ "$N"
asked 0
[[ -s $N/again ]] || fail "not for good"
yes 0 "$CALLS" create "$HOME/cache/f"
[[ $out == EACCES ]] || fail "wider for good: $out"
N=$HOME/cache/another

# "file" is the directory alone.
ANSWER='file'
fresh
yes 1 bash -c 'mkdir "$1"; sleep 2.1; echo x >"$1/f"; true' _ "$N"
asked 2
[[ -d $N && ! -e $N/f ]] || fail "more than the directory"
grep -q "^file: write $N, this session$" "$TEST_DIR/stores" || fail "it stores: $(cat "$TEST_DIR/stores")"
KEEP=1 yes 0 "$CALLS" create "$N.tmp"
[[ $out == EACCES && ! -e $N.tmp ]] || fail "a directory has no temporary file: $out"

# A guard beneath stays a guard, and above one nothing wide is offered.
ANSWER=folder
fresh
yes 1 bash -c 'mkdir "$1"; echo x >"$1/.bashrc"; mkdir -p "$1/.git/hooks"; echo x >"$1/.git/hooks/pre-commit"; true' _ "$N"
[[ ! -s $N/.bashrc && ! -e $N/.git/hooks/pre-commit ]] || fail "a guard was written: $(find "$N")"
for dir in .vim .oh-my-zsh; do
	yes 0 mkdir "$HOME/$dir"
	asked 1
	! grep -q '^folder:' "$TEST_DIR/stores" || fail "$dir: offered: $(cat "$TEST_DIR/stores")"
done
