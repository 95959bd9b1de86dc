#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ambit mcp behind the line of ambit run serves that line's folder or less: its tools, its
# commands, its network. What its client says to a question counts for nothing, for it is
# the one who is asked about. It is recorded, and ends with the one who asked for it.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
[[ -z ${AMBIT_WITHOUT:-} ]] || skip "$AMBIT_WITHOUT is missing"

mkdir -p sub
cat >"$TEST_DIR/inside.py" <<'PY'
import os, subprocess, sys, signal
from mcp import *

P, OUT = os.environ["P"], os.environ["OUT"]

# Whoever is asked says yes: here it is the agent itself.
client = Client("--folder", os.environ["WANTED"], answer=lambda params: {"result": {
    "action": "accept", "content": {"answer": "always"}}})
client.legacy(capabilities={"elicitation": {}})
good(client.call("write", file_path=P + "/sub/tool", content="x"))
bad(client.call("write", file_path=OUT + "/tool", content="x"), "Outside")
if os.environ["LINE"] == "sub":
    bad(client.call("write", file_path=P + "/tool", content="x"), "Outside")
check(not client.asked, "the agent was asked about itself", client.asked)
# bad() of a command that ran is its exit code.
reply = client.call("bash", command="echo x >%s/sub/shell; echo x >%s/shell; echo x >%s/shell; "
    "echo x >$TMPDIR/t && cat $TMPDIR/t" % (P, os.environ["ABOVE"], OUT))
text = reply["content"][0]["text"]
check("refused" in text, text)
if len(sys.argv) > 1:
    # Killed, the one in here takes the server along, though its input is still open.
    open(sys.argv[1], "w").write("ready")
    client.process.send_signal(signal.SIGKILL)
    check(client.process.wait() == -9, "killed")
    check(client.lines.get(timeout=PATIENCE) is None, "the server lives on")
else:
    client.process.stdin.close()
    check(client.process.wait() == 0, "its end", client.process.returncode)
PY
export PYTHONPATH=$HERE P OUT ABOVE=$OUT
inside=("$PYTHON" -B "$TEST_DIR/inside.py")

# Natural: without a line around it, the client's word is the person's.
"$PYTHON" -B - <<'PY'
import os
from mcp import *
client = Client(answer=lambda params: {"result": {"action": "accept",
    "content": {"answer": "once"}}})
client.legacy(capabilities={"elicitation": {}})
good(client.call("write", file_path=os.environ["OUT"] + "/natural", content="x"))
check(client.asked, "nobody was asked")
PY
[[ -e $OUT/natural ]] || fail "the client's yes has no effect without a line"
rm "$OUT/natural"

# With the line's own folder, and with one that is wider: it is the line's.
for wanted in "$P" "$HOME" .; do
	LINE=all WANTED=$wanted held 0 -- "${inside[@]}"
	[[ -e sub/tool && -e sub/shell && ! -e $OUT/tool && ! -e $OUT/shell ]] ||
		fail "--folder $wanted: $(find . "$OUT")"
	rm sub/tool sub/shell
done
LINE=sub ABOVE=$P WANTED=$P held 0 --folder sub -- "${inside[@]}"
[[ -e sub/tool && -e sub/shell && ! -e tool && ! -e shell ]] || fail "in sub: $(find .)"
rm sub/tool sub/shell
# Two lines around it.
LINE=sub ABOVE=$P WANTED=$P held 0 -- "$AMBIT" run --folder sub -- "${inside[@]}"
[[ -e sub/tool && -e sub/shell && ! -e tool && ! -e shell ]] || fail "in two lines: $(find .)"
rm sub/tool sub/shell

# What would be wider is refused, and says so; nothing is served.
for wide in "--folder=$OUT" "--write=$OUT" --ask=allow --net=open --allow-bash --backend=subprocess \
	--allow-host=example.com --settings=/dev/null; do
	status 1 "$AMBIT" run --ask deny -- "$AMBIT" mcp "$wide" </dev/null || fail "$wide is served"
	complains "inside another ambit run"
done

# Read-only outside is read-only in here.
status 0 "$AMBIT" run --ask deny --read-only -- "$PYTHON" -B -c '
from mcp import *
client = Client()
client.legacy()
bad(client.call("write", file_path="ro", content="x"), "ReadOnly")
client.call("bash", command="echo x >ro2")'
[[ ! -e ro && ! -e ro2 ]] || fail "written in a read-only run"

# The record has it, as a session inside the other.
inner=$(ambit log --kind run --json | jq -r 'select(.subject == "mcp") | .session' | tail -1)
ambit log --session "$inner" --json | jq -es 'any(.verdict == "deny" or .tool == "write")' >/dev/null ||
	fail "no calls of $inner in the record"
ambit log verify >/dev/null || fail "the chain is broken"

# Killed inside, it ends outside.
LINE=all WANTED=$P held 0 -- "${inside[@]}" "$P/ready"
[[ -e ready ]] || fail "it did not come that far"
