#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# What the client calls its roots takes away from the folder, for file tools and for
# commands, and never gives; where the two have nothing in common nothing is written.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

mkdir -p "$P/a/deep" "$P/b" "$P/c d" "$P/c" "$OUT/granted"
ln -s ../c "$P/a/to-c"
ln -s b "$P/to-b"

PYTHONPATH=$HERE P=$P OUT=$OUT "$PYTHON" -B - <<'PY'
import os
import shlex
from mcp import *

P, OUT = os.environ["P"], os.environ["OUT"]
ROOTS = {"roots": {"listChanged": True}}

def write(client, path):
    return client.call("write", file_path=path, content="x\n")

def bash(client, path):
    """Whether a command can write there: looked for in the files."""
    client.call("bash", command=f"echo x >{shlex.quote(path)}")
    return os.path.exists(os.path.join(P, path))

def legacy(*args, capabilities=ROOTS, **how):
    client = Client(*args, **how)
    client.legacy(capabilities=capabilities)
    return client

def clean():
    for dir in (P, P + "/a", P + "/a/deep", P + "/b", P + "/c", P + "/c d", OUT, OUT + "/granted"):
        for name in os.listdir(dir):
            if os.path.isfile(os.path.join(dir, name)) and not os.path.islink(os.path.join(dir, name)):
                os.unlink(os.path.join(dir, name))

# Two of the folder's own, one of them by another name, and one from elsewhere.
client = legacy(roots=roots(P + "/a", "file://localhost" + P + "/c%20d", OUT))
for path in ("a/x", "a/deep/x", "c d/x", "a/new/dir/x"):
    good(write(client, path))
    check(os.path.exists(path), path)
    os.unlink(path)
    check(bash(client, path), path)
check(client.rooted == ["ambit-roots-1"], client.rooted)
for path in ("x", "b/x", "c/x", "a/to-c/x", "a/../b/x", P + "/x"):
    words = bad(write(client, path), "Outside")
    check("is in the folder" in words and "the client's roots (a, c d)" in words, words)
    check(not os.path.exists(path) and not bash(client, path), path)
bad(write(client, OUT + "/x"), "Outside")
check(not bash(client, OUT + "/x"), "a root from elsewhere")
# What is open cannot be taken away, nor be put elsewhere; reads go on.
for tool, args in (("delete", {"path": "a"}), ("move", {"src": "a/deep", "dst": "b/deep"}),
                   ("move", {"src": "b", "dst": "a/b"}), ("copy", {"src": "a/x", "dst": "c/x"})):
    bad(client.call(tool, **args), "Outside")
result = client.call("bash", command="mv a/deep b/; rm -rf b c; ln a/x b/linked; mkdir new; touch a/y; rmdir a/y")
check(os.path.isdir("a/deep") and os.path.isdir("b") and os.path.isdir("c"), result)
check(not os.path.exists("new") and os.listdir("b") == [] and os.path.exists("a/y"), result)
check(any("roots" in row["message"] for row in result["structuredContent"]["refused"]), result)
good(client.call("read", file_path="a/y"))
# Changed: asked for anew, and what comes behind it waits for that.
client.roots = roots(P + "/b")
client.send({"method": "notifications/roots/list_changed"})
good(write(client, "b/now"))
bad(write(client, "a/now"), "Outside")
check(client.rooted == ["ambit-roots-1", "ambit-roots-2"], client.rooted)
# An answer to the one before is not heard, nor a second one.
for id in ("ambit-roots-1", "ambit-roots-2", "ambit-roots-3", "ambit-roots-"):
    client.send({"id": id, **roots(P)})
bad(write(client, "a/now"), "Outside")
# One around the folder is all of it; none at all says nothing.
for all in (roots("/"), roots(P), roots(os.path.dirname(P), P + "/b"), roots(),
            {"error": {"code": -32601, "message": "no such method"}}):
    client.roots = all
    client.send({"method": "notifications/roots/list_changed"})
    good(write(client, "all"))
    os.unlink("all")
    check(bash(client, "all"), all)
    os.unlink("all")
client.end()
clean()

# Nothing in common, or nothing that can be used: nothing is written, and the words say why.
for other in (roots(OUT), roots(P + "-not", P + "/none"), roots("https://example.org/"), roots("file://host" + P),
              roots(P + "/a%00"), roots(P + "/a%zz"), roots("file:a"), roots(P + "/a#b"), roots(P + "/a?b"),
              {"result": {"roots": [{}, 7, {"uri": 7}]}}, {"result": {}}, {"result": 7},
              {"error": {"code": -32603, "message": "out of order"}}):
    client = legacy(roots=other)
    words = bad(write(client, "a/x"), "OutOfScope")
    check("the client's roots" in words and P in words and "--folder" in words, words)
    check(not bash(client, "a/x") and not bash(client, "x") and not os.path.exists(OUT + "/x"), other)
    client.end()

# The person's own words stand: --write, and the answer to a question.
client = legacy("--write", OUT + "/granted", roots=roots(P + "/a"), answer=choose("once"),
                capabilities={**ROOTS, "elicitation": {}})
good(write(client, OUT + "/granted/x"))
os.unlink(OUT + "/granted/x")
check(bash(client, OUT + "/granted/x"), "granted")
check(not client.asked, client.asked)
good(write(client, "b/x"))
check(len(client.asked) == 1 and "the client's roots" in client.asked[0]["message"], client.asked)
os.unlink("b/x")
check(bash(client, "b/x") and len(client.asked) == 2, client.asked)
client.end()
clean()

# One that does not declare them is not asked.
client = legacy(capabilities={}, roots=roots(P + "/a"))
client.send({"method": "notifications/roots/list_changed"})
client.send({"id": "ambit-roots-0", **roots(OUT)})
good(write(client, "x"))
check(not client.rooted, client.rooted)
client.end()
clean()

# A write waits for the answer, a read does not; who never answers has told nothing.
client = legacy()
waits = client.start("tools/call", {"name": "bash", "arguments": {"command": "echo x >a/x; echo x >b/x"}})
good(client.call("ls", path="."))
check(waits not in client.replies and client.rooted, "it did not wait")
client.send({"id": client.rooted[0], **roots(P + "/a")})
client.wait(waits)
check(os.path.exists("a/x") and not os.path.exists("b/x"), "roots")
# Cancelled while it waits: never run. Told to end: at once.
client.send({"method": "notifications/roots/list_changed"})
client.start("tools/call", {"name": "write", "arguments": {"file_path": "a/c", "content": ""}}, id="c")
client.send({"method": "notifications/cancelled", "params": {"requestId": "c"}})
client.ask("ping")
client.send({"id": "ambit-roots-2", **roots(P)})
good(client.call("ls", path="."))
check(not os.path.exists("a/c"), "cancelled")
client.send({"method": "notifications/roots/list_changed"})
client.start("tools/call", {"name": "bash", "arguments": {"command": "echo x >a/e"}})
client.end()
check(not os.path.exists("a/e"), "after the end")
clean()

# Modern: asked for in a result; the same call comes again with them.
client = Client()
def asks(name, more=None, capabilities={"roots": {}}):
    return client.modern("write", capabilities, more, file_path=name, content="x\n")
result = asks("a/x")
check(result["resultType"] == "input_required" and not os.path.exists("a/x"), result)
check(result["inputRequests"] == {"roots": {"method": "roots/list", "params": {}}}, result)
# Without them, the same call has been told nothing; the next is asked again.
words = bad(asks("a/x", {"requestState": result["requestState"], "inputResponses": {}}), "OutOfScope")
check("did not tell" in words and not os.path.exists("a/x"), words)
state = asks("a/x")["requestState"]
good(asks("a/x", {"requestState": state, "inputResponses": {"roots": roots(P + "/a")["result"]}}))
bad(asks("b/x"), "Outside")
good(client.modern("read", {"roots": {}}, None, file_path="a/x"))
result = client.modern("bash", {"roots": {}}, None, command="echo x >a/y; echo x >b/y")
check(os.path.exists("a/y") and not os.path.exists("b/y"), result)
# A question, and its answer, in the same call.
state = asks("b/x", capabilities={"roots": {}, "elicitation": {}})["requestState"]
good(asks("b/x", {"requestState": state, "inputResponses": {
    "approve": {"action": "accept", "content": {"answer": "once"}}}}, {"roots": {}, "elicitation": {}}))
check(os.path.exists("b/x"), "b/x")
client.end()
PY

# Of an option: what is given to the command's own line.
held 0 --folder "$P" --only "$P/a" -- sh -c 'echo x >only; echo x >a/only; mkdir a/n && echo x >a/n/x'
[[ ! -e $P/only && -e $P/a/only && -e $P/a/n/x ]] || fail "--only"
held 0 --folder "$P" --only= -- sh -c 'echo x >a/none; :'
[[ ! -e $P/a/none ]] || fail "--only="
# A run inside it has no more.
held 0 --folder "$P" --only "$P/a" -- sh -c "'$AMBIT' run --folder '$P' --ask deny -- sh -c 'echo x >b/inner'; cd a; '$AMBIT' run --folder '$P/a' --ask deny -- sh -c 'echo x >inner'; :"
[[ ! -e $P/b/inner && -e $P/a/inner ]] || fail "a run inside: $errout"
