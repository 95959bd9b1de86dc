#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Other backends, and none: bash behind another sandbox, without one but asked each
# time, or not there and said why.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<'PY'
import os
from mcp import *

OUT = os.environ["OUT"]

# Nothing holds it: each command is asked about.
client = Client("--backend", "subprocess", answer=choose("once"))
check("nothing else holds" in client.legacy(capabilities={"elicitation": {}})["instructions"], "brief")
# It may have reached out: what it printed is labelled.
stdout = good(client.call("bash", command="echo one"))["stdout"]
check("\none\n" in stdout and "untrusted" in stdout, stdout)
check(len(client.asked) == 1 and "echo one" in client.asked[0]["message"], client.asked)
good(client.call("bash", command="echo one"))
check(len(client.asked) == 2, "once is once")
# For the session: by its rule key, and anything with an operator is another command.
client.answer = choose("file")
good(client.call("bash", command="git status"))
good(client.call("bash", command="git status -s"))
check(len(client.asked) == 3, client.asked)
client.answer = choose("no")
bad(client.call("bash", command=f"git status; touch {OUT}/asked"))
check(len(client.asked) == 4 and not os.path.exists(OUT + "/asked"), client.asked)
bad(client.call("bash", command=f"touch {OUT}/asked"))
check(not os.path.exists(OUT + "/asked"), "asked")
client.end()
client = Client("--backend", "subprocess")
client.legacy()
words = bad(client.call("bash", command=f"touch {OUT}/nobody"))
check(not os.path.exists(OUT + "/nobody") and "ambit " in words, words)
client.end()

# Limits hold for each command.
client = Client("--limit", "file-size=1K", "--limit", "cpu=100")
client.legacy()
client.call("bash", command="head -c 100000 /dev/zero >large")
check(os.path.getsize("large") <= 1024, os.path.getsize("large"))
client.end()
PY

# Another sandbox in front.
cat >"$TEST_DIR/wrap" <<'SH'
#!/bin/sh
echo wrapped >&2
exec "$@"
SH
chmod 755 "$TEST_DIR/wrap"
PYTHONPATH=$HERE WRAP=$TEST_DIR/wrap OUT=$OUT "$PYTHON" -B - <<'PY'
import os
from mcp import *
client = Client("--prefix", os.environ["WRAP"], answer=choose("once"))
client.legacy(capabilities={"elicitation": {}})
result = good(client.call("bash", command="echo in"))
check("\nin\n" in result["stdout"] and "wrapped" in result["stderr"], result)
client.end()
# A real one, with its words.
if os.path.exists("/usr/bin/bwrap") and os.system("bwrap --ro-bind / / true 2>/dev/null") == 0:
    words = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid",
             "--die-with-parent", "--bind", os.getcwd(), os.getcwd()]
    client = Client("--prefix=/usr/bin/bwrap", *[f"--prefix={word}" for word in words], answer=choose("once"))
    client.legacy(capabilities={"elicitation": {}})
    result = good(client.call("bash", command=f"touch inside; touch {os.environ['OUT']}/bwrap; echo $$"))
    check(os.path.exists("inside") and not os.path.exists(os.environ["OUT"] + "/bwrap"), result)
    client.end()
PY

# What was taken out of a command's environment is not to be had from the server either.
# Root can look anywhere.
if [[ $(id -u) -ne 0 ]]; then
	(
		export GITHUB_TOKEN=not-for-commands
		sh -c 'grep -qa not-for-commands "/proc/$$/environ"' || fail "nobody can read an environment here"
		PYTHONPATH=$HERE WRAP=$TEST_DIR/wrap "$PYTHON" -B - <<'PY'
import os
from mcp import *
# From the shell up to the server, not to whoever started that.
up = ("p=$PPID; while ps -o args= -p $p | grep -a ' mcp\\| run '; do cat /proc/$p/environ; "
      "p=$(ps -o ppid= -p $p | tr -d ' '); done")
for option in ["--backend=subprocess", "--prefix=" + os.environ["WRAP"], "--backend=kernel"]:
    client = Client(option, answer=choose("once"))
    client.legacy(capabilities={"elicitation": {}})
    result = good(client.call("bash", command=up))
    check(" mcp " in result["stdout"], "the server was not looked at", result)
    check("not-for-commands" not in result["stdout"], option, result)
    client.end()
PY
	)
fi

status 1 ambit mcp --prefix no/such </dev/null
complains "--prefix"

# One that the agent's own tools could rewrite is none: in the folder, in a grant, by a
# link, or as the script of a shell.
mkdir "$TEST_DIR/granted"
cp "$TEST_DIR/wrap" wrap
cp "$TEST_DIR/wrap" "$TEST_DIR/granted/wrap"
ln -s "$PWD/wrap" "$TEST_DIR/link"
for words in "$PWD/wrap" "$TEST_DIR/link" "/bin/sh $PWD/wrap" "/bin/sh ./wrap"; do
	read -ra list <<<"$words"
	for door in mcp serve; do
		status 1 ambit "$door" "${list[@]/#/--prefix=}" </dev/null
		complains "where the agent can write"
	done
done
status 1 ambit mcp --write "$TEST_DIR/granted" --prefix "$TEST_DIR/granted/wrap" </dev/null
complains "where the agent can write"
status 0 ambit mcp --prefix "$TEST_DIR/granted/wrap" </dev/null
# Nor one that others could.
chmod 777 "$TEST_DIR/granted"
status 1 ambit mcp --prefix "$TEST_DIR/granted/wrap" </dev/null
complains "can be changed by others"
