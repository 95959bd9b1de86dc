#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a door behind a line is given by name is decided by what the name leads to when it
# counts: a link that is put there afterwards opens no guard, no read and no folder. Limits,
# --ask deny and the judge are the outer session's.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p sub .git/hooks a other "$OUT/private"
git init -q .
echo secret >"$OUT/private/file"

# -- --write by a link that is another's by then ---------------------------------------------------
cat >"$TEST_DIR/repoint.py" <<'PY'
import os
from mcp import *
P = os.environ["P"]
os.symlink("sub", P + "/l")
client = Client("--write", P + "/l")
client.legacy()
good(client.call("write", file_path=P + "/sub/fine", content="x"))
os.remove(P + "/l")
os.symlink(".git/hooks", P + "/l")
client.call("bash", command="echo x >%s/.git/hooks/pre-commit; echo x >%s/l/pre-push" % (P, P))
client.call("write", file_path=P + "/.git/hooks/post-commit", content="x")
client.end()
PY
export P OUT
held 0 -- "$PYTHON" -B "$TEST_DIR/repoint.py"
[[ -e sub/fine ]] || fail "what was open is not: $errout"
[[ -z $(find .git/hooks -name 'p*-*' ! -name '*.sample') ]] || fail "a guard was written: $(ls .git/hooks)"
rm -f l sub/fine
# The same for the person's own server: what he named is what it was.
"$PYTHON" -B "$TEST_DIR/repoint.py" 2>/dev/null || true
[[ -z $(find .git/hooks -name 'p*-*' ! -name '*.sample') ]] || fail "a guard was written without a line around: $(ls .git/hooks)"
rm -f l sub/fine

# -- --read, where reads are limited -----------------------------------------------------------------
cat >"$TEST_DIR/reread.sh" <<'END'
for ((i = 0; i < 25; i++)); do
	ln -sfn sub l
	(sleep "0.$((RANDOM % 4))$((RANDOM % 10))"; ln -sfn "$2/private" l) &
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"file_path":"'"$2"'/private/file"}}}' |
		"$1" mcp --read l 2>/dev/null
	wait
done
END
held 0 --reads folder --read "${AMBIT%/*}" --read "$TEST_DIR/reread.sh" -- bash "$TEST_DIR/reread.sh" "$AMBIT" "$OUT"
says '"id":2'
says_not secret
rm -f l

# -- settings that open more of the workspace are not a sub-agent's -------------------------------------
settings '{"write": ["'"$P"'/other"]}'
spawn 0 hand a "write $P/other/x x
tool write {\"file_path\":\"other/y\",\"content\":\"x\"}"
[[ ! -e other/x && ! -e other/y ]] || fail "a grant of the settings reached a sub-agent"
jq -e '[.deferred[].path] | any(contains("other/x")) and any(contains("other/y"))' <<<"$out" >/dev/null || fail "$out"
settings

# -- limits -------------------------------------------------------------------------------------------------
held 0 --limit file-size=1048576 --limit cpu=500 -- bash -c '
	umask 077
	"$1" run -- bash -c "ulimit -f; ulimit -t" >run.out
	"$1" spawn --json hand sub "shell ulimit -f >spawn.out; ulimit -t >>spawn.out; umask >>spawn.out" >/dev/null
	"$2" -B -c "
from mcp import *
client = Client(\"--limit\", \"cpu=100000\")
client.legacy()
client.call(\"bash\", command=\"ulimit -f >mcp.out; ulimit -t >>mcp.out; umask >>mcp.out\")
client.end()"' _ "$AMBIT" "$PYTHON"
[[ $(cat run.out) == $'1024\n500' ]] || fail "in a run inside: $(cat run.out)"
[[ $(cat sub/spawn.out) == $'1024\n500\n0077' ]] || fail "in a sub-agent: $(cat sub/spawn.out)"
[[ $(cat mcp.out) == $'1024\n500\n0077' ]] || fail "in a command of mcp: $(cat mcp.out)"

# -- who said that nobody is asked said it for those inside ------------------------------------------------
mkdir -p "$TEST_DIR/judge"
cat >"$TEST_DIR/judge/yes" <<'END'
#!/bin/sh
cat >/dev/null
echo '{"verdict":"allow","reason":"a log"}'
END
chmod 755 "$TEST_DIR/judge/yes"
settings '{"judge": {"command": ["'"$TEST_DIR"'/judge/yes"]}}'
# Natural: without the line around it, the judge lets it through.
"$PYTHON" -B -c '
import os
from mcp import *
client = Client()
client.legacy()
good(client.call("write", file_path=os.environ["OUT"] + "/app.log", content="x"))
client.end()'
[[ -e $OUT/app.log ]] || fail "the judge has no say at all"
rm "$OUT/app.log"
held 0 -- "$PYTHON" -B -c '
import os
from mcp import *
client = Client()
client.legacy()
bad(client.call("write", file_path=os.environ["OUT"] + "/app.log", content="x"))
client.call("bash", command="echo x >$OUT/app.log")
client.end()'
[[ ! -e $OUT/app.log ]] || fail "--ask deny was undone by a door inside"
settings
