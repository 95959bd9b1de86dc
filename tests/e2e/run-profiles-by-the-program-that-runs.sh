#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A profile is known by the program that runs, wherever it is in the tree: one question in place of
# one for each file. Missing directories above its places can be made, names that begin like one of
# its files belong to it, and what is added to a command line gives way to the person's own words.
. "${0%/*}/line.bash"

mkdir -p bin lib
cat >bin/npm <<'END'
#!/bin/bash
mkdir -p "$HOME/.npm/_cacache/tmp" && echo x >"$HOME/.npm/_cacache/tmp/$1" &&
	mkdir -p "$HOME/.cache/node-gyp" && echo x >"$HOME/.cache/node-gyp/$1" && echo cached
END
# Python gives its script no name of its own: exe is python, the first word too.
cat >lib/codex <<'END'
import os, sys
home = os.environ["HOME"]
os.makedirs(home + "/.codex/sessions", exist_ok=True)
open(home + "/.codex/sessions/" + sys.argv[-1], "w").close()
if "settings" in sys.argv:
    open(home + "/.codex/.tmp1", "w").close()
    os.rename(home + "/.codex/.tmp1", home + "/.codex/config.toml")
if "shell" in sys.argv:
    os.system("echo x >>$HOME/.codex/config.toml")
print("kept", " ".join(sys.argv[1:]))
END
cat >bin/claude <<'END'
#!/bin/bash
set -e
mkdir "$HOME/.claude.json.lock"
echo new >"$HOME/.claude.json.tmp.$$.1f3c"
mv "$HOME/.claude.json.tmp.$$.1f3c" "$HOME/.claude.json"
rmdir "$HOME/.claude.json.lock"
mkdir -p "$HOME/.claude/projects"
echo saved "$@"
END
printf '#!/bin/sh\nexec %s -B %s/lib/codex "$@"\n' "$PYTHON" "$P" >bin/codex
chmod +x bin/*
export PATH=$P/bin:$PATH

approver answer.sh <<END
#!/bin/bash
jq -c '{kind, object, danger, facts}' >>'$TEST_DIR/asked'
echo "{\"answer\":\"\$(cat '$TEST_DIR/says')\"}"
END
# asks ANSWER NUMBER COMMAND...: so many questions, each answered so.
asks() {
	local answer=$1 number=$2
	shift 2
	echo "$answer" >"$TEST_DIR/says"
	: >"$TEST_DIR/asked"
	status "${STATUS:-0}" "$AMBIT" run --ask "exec:$approver" "${OPTIONS[@]}" -- "$@"
	[[ $(wc -l <"$TEST_DIR/asked") -eq $number ]] ||
		fail "$* asked $(wc -l <"$TEST_DIR/asked") times: $(cat "$TEST_DIR/asked") $out $errout"
}
OPTIONS=()
question() { grep -q -- "$1" "$TEST_DIR/asked" || fail "not asked '$1': $(cat "$TEST_DIR/asked")"; }

# It works without ambit, and nothing of it was there before.
rm -rf "$HOME/.npm" "$HOME/.cache"
npm zero >/dev/null || fail "the program itself does not work"
rm -rf "$HOME/.npm" "$HOME/.cache" "$HOME/.codex"

# Started by a shell: one question, which names the profile and who needs it.
asks once 1 bash -c 'npm one; npm two'
says cached
question '"kind":"profile"'
question 'npm keeps files'
question '"by","text":".*npm'
[[ -e $HOME/.npm/_cacache/tmp/two && -e $HOME/.cache/node-gyp/two ]] || fail "not all was written"
# "This run" was this run.
STATUS=1 asks no 1 bash -c 'npm three; npm three'
[[ ! -e $HOME/.npm/_cacache/tmp/three && $out != *cached* ]] || fail "a no opened it: $out"
# A no is for all of its places, and the question was the only one.
asks always 1 bash -c 'sh -c "npm four"; npm five'
mkdir -p "$HOME/elsewhere"
cd "$HOME/elsewhere" || exit 1
asks no 0 bash -c 'npm six'
says cached
cd "$P" || exit 1

# Who only has the name of another program in his arguments is not that program; and what is not
# among the profile's places is a question of its own.
STATUS=1 asks no 1 bash -c 'echo npm x >"$HOME/npmrc"'
question '"kind":"file"'
# An interpreter's script.
asks once 1 bash -c "$PYTHON -B lib/codex one"
question 'codex keeps files'
says 'kept one'
[[ -e $HOME/.codex/sessions/one ]] || fail "not written"
rm -rf "$HOME/.codex"
asks once 1 "$PYTHON" -B lib/codex two
question 'codex keeps files'

# The command itself: what is added stands in the question and in the record.
asks once 1 codex exec
question '"adds","text":"--sandbox danger-full-access  --no-daemon'
says 'kept --sandbox danger-full-access --no-daemon exec'
status 0 "$AMBIT" log --kind profile --json
says '"adds":["--sandbox","danger-full-access","--no-daemon"]'
asks once 1 env X=1 codex exec
says 'kept --sandbox danger-full-access --no-daemon exec'
# The person's own words hold, and it is said.
asks once 1 codex exec --sandbox workspace-write
says 'kept --no-daemon exec --sandbox workspace-write'
complains 'you gave codex --sandbox, so ambit does not switch that off: its own sandbox does not work'
grep -q danger-full-access "$TEST_DIR/asked" && fail "told what is not added: $(cat "$TEST_DIR/asked")"

# In a shell nothing can be added: the question says what to do, unless the person has done it.
rm -rf "$HOME/.codex"
asks no 1 bash -c 'codex exec; true'
question '"note","text":"no command works in its own sandbox here: use ambit run -- codex"'
asks no 1 bash -c 'codex exec --sandbox danger-full-access; true'
question '"name":"by"'
grep -q '"note"' "$TEST_DIR/asked" && fail "told what is so: $(cat "$TEST_DIR/asked")"

# Names that begin like a file of its own, made, renamed and removed; and no others.
asks always 1 claude -p
question 'claude.json\*'
[[ $(cat "$HOME/.claude.json") == new ]] || fail "not saved: $out $errout"
asks no 0 claude -p
says saved
asks no 0 claude -p --settings x
says 'saved -p --settings x'
STATUS=1 asks no 1 bash -c 'echo x >"$HOME/.claude.txt"'
[[ ! -e $HOME/.claude.txt ]] || fail "another name was open"

# What configures an agent is a second question, which says what that means; once for all writes of
# the agent itself. A command that it runs is asked about as everybody.
asks once 2 codex settings
question 'codex changes its own settings'
question 'THEY CAN RUN COMMANDS AS YOU'
[[ -e $HOME/.codex/config.toml ]] || fail "not written: $out $errout"
STATUS=1 asks no 1 codex settings # the no to codex itself is for all its places
rm "$HOME/.codex/config.toml"
asks once 2 codex shell
question '"object":"~/.codex/config.toml"'
asks always 2 codex settings
asks no 0 codex settings
[[ -e $HOME/.codex/config.toml ]] || fail "not remembered: $out $errout"
cd "$HOME/elsewhere" || exit 1
STATUS=1 asks no 1 codex settings
question 'codex changes its own settings'
