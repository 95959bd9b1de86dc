#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What came past the gate is told by the bash tool too, with a person to ask or
# without: in its words, in its object and in what execute returns; and so is what
# could not be looked at.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

mkdir sub
# More than are looked at, in one directory.
mkdir wide
(cd wide && seq -f %05.0f 1 5000 | xargs mkdir)
mv wide "$TEST_DIR/wide"
CALLS=$CALLS WIDE=$TEST_DIR/wide PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
import serve
from mcp import *

plant = os.environ["CALLS"] + " -n create "
shut = f"mkdir z && {plant} z/.envrc; chmod 311 z"
root = os.getuid() == 0
KEYS = ("planted", "unseen", "unseen_in", "cut")


def has(object, *want):
    check(tuple(object[key] for key in KEYS) == want, object)


def tidy():
    os.path.exists("z") and os.chmod("z", 0o700)
    os.system("rm -rf sub/.envrc* z*")


# Nobody to ask.
client = serve.Client()
r = client.ask("execute", command="echo quiet >file")
has(r, [], False, [], False)
has(client.ask("execute", command=plant + "sub/.envrc"), ["sub/.envrc"], False, [], False)
check(os.path.exists("sub/.envrc"), "taken away unasked")
os.unlink("sub/.envrc")
r = client.call("bash", command=plant + "sub/.envrc")
has(r["structured"], ["sub/.envrc"], False, [], False)
check("guarded" in r["text"] and "sub/.envrc" in r["text"], r["text"])
tidy()
r = client.call("bash", command=shut)
has(r["structured"], *((["z/.envrc"], False, []) if root else ([], True, ["z"])), False)
check("could not be looked into for guarded files: z" in r["text"] or root, r["text"])
tidy()

# One who answers hears of it in the question, and the result has it as well.
r = client.ask("execute", command=plant + "sub/.envrc", ask=True)
check("keep sub/.envrc" in r["question"]["what"], r)
r = client.ask("answer", pending=r["pending"], answer="once")
has(r, ["sub/.envrc"], False, [], False)
check(os.path.exists("sub/.envrc"), "a yes took it away")
tidy()

# A call that is cancelled comes to nothing but that: no handle for a question of its own,
# and what it left stays where it is, for nobody was asked.
os.mkfifo("pipe")
id = client.start("execute", command=plant + "sub/.envrc; cat pipe", ask=True)
with open("pipe", "w"):
    check(client.ask("cancel", id=id) == {"cancelled": True}, "cancel")
    reply = client.wait(id)
check(reply.get("error", {}).get("code") == -32003, reply)
check(os.listdir("sub") == [".envrc"], os.listdir("sub"))
tidy()
r = client.ask("execute", command=plant + "sub/.envrc", ask=True)
check(client.ask("cancel", pending=r["pending"]) == {"cancelled": True}, "cancel")
client.end()
check(os.listdir("sub") == [".envrc"], os.listdir("sub"))
tidy()

client = Client()
client.legacy()
r = client.call("bash", command=plant + "sub/.envrc")
has(good(r), ["sub/.envrc"], False, [], False)
check("sub/.envrc" in r["content"][0]["text"], r)
tidy()

# Too much to be looked through.
os.rename(os.environ["WIDE"], "wide")
r = client.call("bash", command="echo more >file")
check(good(r)["unseen"] is True and good(r)["cut"] is True, r)
check("too large" in r["content"][0]["text"], r)
client.end()
PY
