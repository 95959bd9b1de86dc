#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What runs later with the person's rights is asked about inside the folder too,
# for honest programs: by its name, by a move, and out of the private temp
# directory.
. "${0%/*}/line.bash"

mkdir -p repo/.git/hooks plain
cd repo || exit 1
for name in .git/hooks/pre-commit .envrc .vscode/tasks.json app.code-workspace .npmrc \
	.opencode/tools/x.ts .github/hooks/x.json deep/rust-toolchain.toml deep/.mvn/jvm.config; do
	mkdir -p "$(dirname "$name")"
	echo x >"$name" || fail "$name cannot be written without ambit"
	rm "$name"
	line --quiet -- sh -c "echo x >$name" 2>/dev/null || true
	[[ ! -e $name ]] || fail "$name was written unasked"
	"$AMBIT" run --ask allow -- sh -c "echo x >$name" || fail "an approved $name was not written"
	[[ $(<"$name") == x ]] || fail "an approved $name is not there"
	rm "$name"
done

# What a debugger that the person starts here would run.
echo pass >program.py
plant="echo 'import os; os.mkdir(\"ran\")' >.pdbrc"
sh -c "$plant"
python3 -m pdb -c continue program.py </dev/null >/dev/null 2>&1
[[ -d ran ]] || fail "pdb does not run .pdbrc without ambit"
rm -r ran .pdbrc
line --quiet -- sh -c "$plant" 2>/dev/null || true
python3 -m pdb -c continue program.py </dev/null >/dev/null 2>&1
[[ ! -e ran && ! -e .pdbrc ]] || fail "pdb ran what was planted"

# Under another name first, then moved there.
line --quiet -- sh -c 'echo x >harmless; mv harmless .git/hooks/pre-commit' 2>/dev/null || true
[[ ! -e .git/hooks/pre-commit ]] || fail "a file was moved to a guarded name"

# A directory that brings one along, from the folder and from TMPDIR.
make='mkdir -p "$1/x/.git/hooks" && echo x >"$1/x/.git/hooks/pre-commit" && mv "$1/x" sub'
TMPDIR=$TEST_DIR sh -c "$make" sh "$TEST_DIR" || fail "the move does not work without ambit"
[[ -e sub/.git/hooks/pre-commit ]] || fail "the move did nothing without ambit"
rm -r sub
line --quiet -- sh -c 'set -- "$TMPDIR"; '"$make" 2>/dev/null || true
[[ ! -e sub/.git/hooks/pre-commit ]] || fail "a hook came out of TMPDIR unasked"
rm -rf sub

# Answered for the session, it goes there as often as it is moved there.
approver session.sh <<'END'
#!/bin/bash
echo '{"answer":"file"}'
END
rm -r .github
again='mkdir -p plain/tree/hooks && echo x >plain/tree/hooks/x && mv -T plain/tree .github &&
	mv -T .github plain/tree && mv -T plain/tree .github'
status 0 "$AMBIT" run --ask "exec:$approver" -- sh -c "$again"
[[ -e .github/hooks/x && ! -e plain/tree ]] || fail "a move that was allowed is not done"
rm -r .github

# Modes of a guard: not where they make it run.
echo x >.git/hooks/pre-push
chmod 644 .git/hooks/pre-push
line --quiet -- chmod 755 .git/hooks/pre-push 2>/dev/null || true
[[ $(stat -c %a .git/hooks/pre-push) == 644 ]] || fail "a hook was made executable unasked"
