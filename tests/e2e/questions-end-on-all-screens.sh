#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A question that a client and a watcher both have ends on both, and each says how. A client has
# client_timeout seconds; the watcher has no limit and may still answer after that. A call without
# "ask" that waits for the watcher does not keep the same call with "ask" from its question.
. "${0%/*}/line.bash"
export AMBIT OUT PYTHONPATH=$HERE

"$PYTHON" -B - <<'PY'
import mcp
import serve
from live import *

OUT = os.environ["OUT"]
CONFIG = os.environ["XDG_CONFIG_HOME"] + "/ambit/config.json"
ALLOWED = {"how": "answered", "text": "allowed in ambit watch"}


def write(name):
    return {"tool": "write", "args": {"file_path": f"{OUT}/{name}", "content": "x"}}


def written(name):
    return os.path.exists(f"{OUT}/{name}")


# Without ambit it is written.
with open(OUT + "/natural", "w") as file:
    file.write("x")

# serve: the first call asks the watcher alone, the second its client too.
client = serve.Client()
client.alive()
link = Link(client.process.pid).watch()
first = client.start("call", **write("a"))
question = link.heard("question")
second = client.ask("call", ask=True, **write("a"))
check("pending" in second, "no handle:", second)
check(not written("a") and first not in client.replies, "done before it was answered")
link.ask("answer", id=question["id"], answer="file")
check(client.closed_one() == {"pending": second["pending"], **ALLOWED}, "not told how")
# Both calls are made; the one that comes second may find the file changed.
results = [client.result(first), client.ask("answer", pending=second["pending"], answer="no")]
check(any(r["ok"] for r in results) and written("a"), "what came of the calls", results)
check(not any(r.get("error") == "Denied" for r in results), "a late no counted", results)
link.heard("closed")

# The client answers: the watcher hears where.
asked = client.ask("call", ask=True, **write("b"))
question = link.heard("question")
check(client.ask("answer", pending=asked["pending"], answer="once")["ok"] and written("b"), "b")
check(link.heard("closed") == {"id": question["id"], "how": "answered",
                               "text": "allowed in the client"}, "the watcher was not told")
check(not client.closed, "told of its own answer", client.closed)
link.close()
client.end()

# MCP: the form is taken back with the same words.
client = mcp.Client("--session", "form")
client.legacy(capabilities={"elicitation": {}})
link = Link(client.process.pid).watch()
call = client.start("tools/call", {"name": "write",
                                   "arguments": write("c")["args"]})
question = link.heard("question")
while not client.asked:
    client.take()
link.ask("answer", id=question["id"], answer="once")
mcp.good(client.wait(call)["result"])
while not client.notified:
    client.take()
check([m["params"]["reason"] for m in client.notified
       if m["method"] == "notifications/cancelled"] == ["allowed in ambit watch"], client.notified)
check(written("c"), "not written")
link.close()
client.end()

# MCP of 2026-07-28: the client takes the question away with a result. It stays open for the
# watcher, and whoever answers first has answered.
def modern(client, name, answer=None, state=None):
    more = {} if answer is None else {
        "requestState": state,
        "inputResponses": {"approve": {"action": "accept", "content": {"answer": answer}}}}
    return client.modern("write", {"elicitation": {}}, more, **write(name)["args"])


client = mcp.Client("--session", "modern")
first = modern(client, "g")
check(first["resultType"] == "input_required" and not written("g"), first)
link = Link(client.process.pid).watch()
question = link.heard("question")
link.ask("answer", id=question["id"], answer="once")
link.heard("closed")
check(not written("g"), "done although nobody calls")
mcp.good(modern(client, "g", "no", first["requestState"]))
check(written("g"), "the watcher's answer did not count")
check(modern(client, "g")["resultType"] == "input_required", "once was more than once")
link.heard("question")
first = modern(client, "h")
question = link.heard("question")
check(not link.notified, "the question ended for the watcher", link.notified)
mcp.good(modern(client, "h", "once", first["requestState"]))
check(link.heard("closed") == {"id": question["id"], "how": "answered",
                               "text": "allowed in the client"}, "the watcher was not told")
first = modern(client, "i")
question = link.heard("question")
link.ask("answer", id=question["id"], answer="no")
link.heard("closed")
mcp.bad(modern(client, "i", "once", first["requestState"]), "Denied")
check(not written("i"), "a late yes counted")
# A yes that waits for its call is no yes any more when the session has become read-only.
first = modern(client, "k")
question = link.heard("question")
link.ask("answer", id=question["id"], answer="once")
link.heard("closed")
ambit("mode", "read-only", "--session", "modern")
mcp.bad(modern(client, "k", "once", first["requestState"]), "ReadOnly")
check(not written("k"), "written although the session is read-only")
link.close()
client.end()

# Questions with megabytes of arguments: no watcher is dropped, and new ones get in.
client = serve.Client()
client.alive()
link = Link(client.process.pid).watch()
calls = [client.start("call", tool="write", args={"file_path": f"{OUT}/large{n}", "content": "x" * 3000000})
         for n in range(4)]
questions = [link.heard("question") for _ in calls]
check(all(len(q["what"]) < 100000 and "bytes in all" in q["what"] for q in questions), "not cut")
check(questions[0]["request"] == {"cut": questions[0]["request"]["cut"]}, questions[0]["request"])
second = Link(client.process.pid).watch()
for n in range(4):
    second.heard("question")
for question in questions:
    second.ask("answer", id=question["id"], answer="once")
for call in calls:
    check(client.result(call)["ok"], "a large write")
check(os.path.getsize(OUT + "/large3") == 3000000, "not all of it")
link.close()
second.close()
client.end()

# A client's time is up; the watcher's is not.
with open(CONFIG, "w") as file:
    file.write('{"client_timeout": 1}')
client = serve.Client()
client.alive()
link = Link(client.process.pid).watch()
asked = client.ask("call", ask=True, **write("d"))
question = link.heard("question")
check(question["expires"] == 0, "the watcher has a limit", question)
check(asked["question"]["expires"], "the client has none", asked)
check(client.closed_one() == {"pending": asked["pending"], "how": "expired",
                              "text": "expired: nobody answered in time"}, "not expired")
check(not link.notified and not written("d"), "it ended with the client's time")
link.ask("answer", id=question["id"], answer="once")
result = client.ask("answer", pending=asked["pending"], answer="no")
check(result["ok"] and written("d"), "the watcher's answer", result)
link.close()

# Nobody else is there: it is refused, and the code says why.
asked = client.ask("call", ask=True, **write("e"))
client.closed_one()
result = client.ask("answer", pending=asked["pending"], answer="once")
check(result["error"] == "Timeout" and not written("e"), "after its time", result)
# So for what a command does: the question is its own engine's, the limit the client's.
asked = client.ask("execute", ask=True, command=f"echo x >{OUT}/f")
client.closed_one()
result = client.ask("answer", pending=asked["pending"], answer="once")
check(result["refused"][0]["code"] == "Timeout" and not written("f"), "a command", result)
client.end()
client = mcp.Client("--session", "overdue")
link = Link(client.process.pid).watch()
modern(client, "j")
question = link.heard("question")
check(link.heard("closed") == {"id": question["id"], "how": "expired",
                               "text": "expired: nobody answered in time"}, "it stays")
link.close()
client.end()
PY
