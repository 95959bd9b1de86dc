#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# A sub-agent can do no more than the one who started it, at three levels: not by the folder
# it is given, nor by what it says inside, nor by what the one between was allowed. Paths
# are shown from the workspace all the way down. Guards, nos, modes and grants go along.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p a/b/c other "$OUT/granted"
ln -s "$OUT" out
ln -s ../other a/aside

# -- the folder is inside, or there is no agent --------------------------------------------------
for wide in .. "$OUT" / "$HOME" out a/../.. other/../../outside a/b/../../..; do
	rm -f ran
	status 1 "$AMBIT" spawn --ask allow --json hand "$wide" "write $P/ran x"
	is .error OutOfScope
	[[ ! -e ran ]] || fail "an agent ran in $wide"
done
spawn 1 hand nowhere "write x y"
[[ $(field .error) != null ]] || fail "$out"
spawn 1 nobody a "write x y"
[[ $(field .message) == *"hand"* ]] || fail "it does not say which agents there are: $out"
# A link that stays inside is what it leads to.
spawn 0 hand a/aside "write linked x"
[[ -e other/linked ]] || fail "through a link inside"

# -- three levels --------------------------------------------------------------------------------
for how in spawn hire; do
	spawn 0 hand a "write one x
$how hand a/b write two x; $how hand a/b/c write three x,, write $P/a/b/no3 x,, write $P/no3 x; write $P/a/no2 x
write $P/no1 x
say done"
	[[ -e a/one && -e a/b/two && -e a/b/c/three ]] || fail "$how: $(find . -newer "$XDG_CONFIG_HOME") $out"
	[[ ! -e no1 && ! -e a/no2 && ! -e no3 && ! -e a/b/no3 ]] || fail "$how: past a line: $(find .)"
	# What the grandchild was refused, the first one sees, from the workspace.
	jq -e '[.deferred[].path] | any(contains("no1")) and any(contains("a/no2")) and any(contains("a/b/no3")) and all(contains("'"$P"'/a") | not)' \
		<<<"$out" >/dev/null || fail "$how: deferred: $(field .deferred)"
	rm -f a/one a/b/two a/b/c/three
done
# Deeper than agent_depth there is none.
settings '{"agent_depth": 1}'
spawn 0 hand a "hire hand a/b write deeper x"
[[ ! -e a/b/deeper ]] || fail "deeper than agent_depth"
field .summary >/dev/null
settings
# Beside and above: not for a child.
spawn 0 hand a "spawn hand other write beside x
hire hand . write above x
spawn hand $P/a/../other write beside x"
[[ ! -e other/beside && ! -e above ]] || fail "a child started one beside itself"

# -- words inside that would widen ---------------------------------------------------------------
for wide in "--folder $P" "--write $P/other" "--net open" "--ask allow" "--settings /dev/null" "--within 3" \
	"--inner 3" "--allow-host example.com" "--for claude"; do
	spawn 0 hand a "shell $AMBIT spawn $wide hand $P/other 'write widened x'
shell $AMBIT spawn $wide hand $P 'write other/widened x'
shell $AMBIT run $wide -- bash -c 'echo x >$P/other/widened'
shell $AMBIT run --folder $P $wide -- bash -c 'echo x >$P/other/widened'"
	[[ ! -e other/widened ]] || fail "widened by $wide: $out"
done
# Nor by the person's files, which it cannot write, or settings of its own folder.
echo '{"agents": {"evil": {"command": ["touch", "evil"]}}}' >a/.ambit.json
spawn 0 hand a "spawn evil a x
shell XDG_CONFIG_HOME=$P/a HOME=$P/a $AMBIT spawn --folder $P/a evil $P/a x"
[[ ! -e a/evil && ! -e evil ]] || fail "a file in the folder made an agent"
rm -f a/.ambit.json

# Nor by an environment that leads ambit elsewhere: that is the command's alone.
spawn 0 hand a "shell export XDG_STATE_HOME=$P/a/state XDG_CONFIG_HOME=$P/a/config XDG_RUNTIME_DIR=$P/a/run HOME=$P/a/home MARK=theirs; $AMBIT spawn hand a/b 'env environment'; $AMBIT run --folder b -- true
tool bash {\"command\":\"true\"}"
[[ ! -e a/state && ! -e a/home && ! -e a/run ]] || fail "ambit itself went by an agent's environment: $(find a)"
grep -q '^MARK=theirs' a/b/environment || fail "the agent has another environment than it was given"
rm a/b/environment

# -- what goes along -----------------------------------------------------------------------------
# A grant of the parent's is not the child's; it reads anywhere.
echo secret >"$OUT/read"
spawn 0 --write "$OUT/granted" hand a "write $OUT/granted/x x
shell cat $OUT/read >got"
[[ ! -e $OUT/granted/x && $(cat a/got) == secret ]] || fail "grants, or reads: $out"
rm a/got
# Nor by the person's settings, which are the child's as well; nor by a remembered yes.
settings '{"write": ["'"$OUT/granted"'"], "profiles": ["npm"]}'
mkdir -p "$HOME/.npm"
ambit rules add write "$OUT/ruled" >/dev/null
mkdir -p "$OUT/ruled"
spawn 0 hand a "write $OUT/granted/y x
write $OUT/ruled/y x
shell echo x >$HOME/.npm/y
tool write {\"file_path\":\"$OUT/granted/z\",\"content\":\"x\"}"
[[ ! -e $OUT/granted/y && ! -e $OUT/granted/z && ! -e $OUT/ruled/y && ! -e $HOME/.npm/y ]] || fail "grants of the settings: $out"
settings
# Reads that are limited are limited there.
spawn 0 --reads folder --read "${AMBIT%/*}" --read "$HERE" --read /usr --read "${PYTHON%/*}" hand a "shell cat $OUT/read >got"
[[ ! -s a/got ]] || fail "read past where reads end"
# Until the first write is from the start for a child: whose write is the first?
spawn 0 --reads until-first-write --read "${AMBIT%/*}" --read "$HERE" --read /usr --read "${PYTHON%/*}" hand a "shell cat $OUT/read >got"
[[ ! -s a/got ]] || fail "read past where reads end after a write"
# Read-only is read-only; plan mode starts none.
spawn 1 --read-only hand a "write ro x"
[[ ! -e a/ro ]] || fail "written in a read-only session"
ambit mode --session planned plan >/dev/null
spawn 1 --session planned hand a "write planned x"
is .error PlanMode
[[ ! -e a/planned ]] || fail "written in plan mode"
# Where there is no shell there is no agent, who has one.
ambit perm --session mute bash deny >/dev/null
spawn 1 --session mute hand a "write mute x"
is .error Denied
settings '{"permissions": {"bash": "ask"}}'
spawn 1 hand a "write mute x"
settings '{"allow_bash": false}'
spawn 1 hand a "write mute x"
is .error BashNotAllowed
[[ ! -e a/mute ]] || fail "an agent where no commands may run"
settings '{"permissions": {"bash": "allow"}}'
spawn 0 hand a "write mute x"
[[ -e a/mute ]] || fail "no agent where commands may run"
settings
# The network.
server
spawn 0 --net none hand a "shell $PYTHON -c 'import socket; socket.create_connection((\"127.0.0.1\", $port))'"
[[ $(peers) == 0 ]] || fail "a child reached out where net is none"
spawn 0 --net open hand a "shell $PYTHON -c 'import socket; socket.create_connection((\"127.0.0.1\", $port))'"
[[ $(peers) == 1 ]] || fail "a child does not reach out where net is open: $out"
# Guards of the workspace, in the child's folder and above it.
git init -q . && git config core.hooksPath a/hooks && mkdir a/hooks
spawn 0 hand a "write hooks/pre-commit x
write .envrc x
shell echo x >$P/.git/hooks/pre-push"
[[ ! -e a/hooks/pre-commit && ! -e a/.envrc && ! -e .git/hooks/pre-push ]] || fail "a guard was written: $(find a .git/hooks)"
rm -rf .git a/hooks
# A remembered no for the workspace.
ambit rules add --no write "$P/a/never" >/dev/null
spawn 0 hand a "write never x"
[[ ! -e a/never ]] || fail "a no was forgotten"
# The client's roots narrow the child as well.
mkdir -p a/in
"$PYTHON" -B - <<'PY'
import os
from mcp import *
P = os.environ["HOME"] + "/project"
client = Client(roots=roots(P + "/a/in"))
client.legacy(capabilities={"roots": {}})
bad(client.call("run_agent", name="hand", folder="a", task="write narrow x"), "Outside")
check(not os.path.exists(P + "/a/narrow"), "past the client's roots")
good(client.call("run_agent", name="hand", folder="a/in", task="write narrow x\nwrite ../narrow x"))
check(os.path.exists(P + "/a/in/narrow"), "what is open was refused")
check(not os.path.exists(P + "/a/narrow"), "past the client's roots")
client.end()
PY
ambit log verify >/dev/null || fail "the chain is broken"
