#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mcp, serve and decide are live as runs are: what their calls ask is answered by one who watches,
# also where no client can be asked; a question that the client has is taken back; modes
# hold for the next call. stop ends each as a signal would, and names what it ended.
. "${0%/*}/line.bash"
export AMBIT OUT PYTHONPATH=$HERE
"$PYTHON" -B - <<'PY'
import mcp
import serve
from live import *

OUT = os.environ["OUT"]


def write(client, name):
    return client.start("tools/call", {"name": "write", "arguments": {
        "file_path": f"{OUT}/{name}", "content": "x"}})


# -- MCP: a client that cannot ask -------------------------------------------------------
client = mcp.Client("--session", "m")
client.legacy(capabilities={})
link = Link(client.process.pid)
hello = link.ask("hello")
check(hello["door"] == "mcp" and hello["session"] == "m", hello)
check(client.wait(write(client, "a"))["result"]["isError"] and not os.path.exists(OUT + "/a"),
      "nobody watches")
link.watch()
call = write(client, "b")
question = link.heard("question")
check(f"{OUT}/b" in question["what"], question)
link.ask("answer", id=question["id"], answer="once")
check(not client.wait(call)["result"].get("isError") and open(OUT + "/b").read() == "x", "not written")
check(link.heard("closed")["how"] == "answered", "closed")

# A no, with a word for the model.
call = write(client, "c")
question = link.heard("question")
link.ask("answer", id=question["id"], answer="no", message="not there")
reply = client.wait(call)["result"]
check(reply["isError"] and "not there" in json.dumps(reply), reply)
link.heard("closed")

# A command of the call's that crosses: the run that it is in asks.
with open("cross", "w") as file:
    file.write(f"echo x >{OUT}/e\n")
call = client.start("tools/call", {"name": "bash", "arguments": {"command": "sh cross"}})
eventually(lambda: len(sockets()) == 2, "the command's own run")
inner = Link([pid for pid in sockets() if pid != client.process.pid][0]).watch()
check(inner.ask("hello")["session"] == "m", "another session")
question = inner.heard("question")
inner.ask("answer", id=question["id"], answer="once")
reply = client.wait(call)["result"]
check(not reply.get("isError") and open(OUT + "/e").read() == "x\n", reply)

# The last one leaves: a no.
call = write(client, "f")
link.heard("question")
link.close()
check(client.wait(call)["result"]["isError"] and not os.path.exists(OUT + "/f"), "nobody is left")

# Modes hold for the next call.
done = ambit("mode", "plan", "--session", "m")
check(f"in force now in: mcp (pid {client.process.pid})" in done.stdout, done)
reply = client.wait(client.start("tools/call", {"name": "write", "arguments": {
    "file_path": "in-plan", "content": "x"}}))["result"]
check(reply["isError"] and "plan" in json.dumps(reply) and not os.path.exists("in-plan"), reply)
done = ambit("stop")
check(done.returncode == 0 and f"ended mcp (pid {client.process.pid}) of session m" in done.stdout, done)
check(client.process.wait(PATIENCE) == 0, "its end")
check(not sockets(), "left:", sockets())

# -- MCP: a client that can; who watches is faster ------------------------------------------
client = mcp.Client("--session", "n", answer=lambda params: None)
client.legacy(capabilities={"elicitation": {}})
link = Link(client.process.pid).watch()
call = write(client, "g")
question = link.heard("question")
eventually(lambda: client.take() and client.asked, "the client is asked, too")
link.ask("answer", id=question["id"], answer="once")
check(not client.wait(call)["result"].get("isError") and os.path.exists(OUT + "/g"), "not written")
check([m for m in client.notified if m["method"] == "notifications/cancelled"], "not taken back")
client.process.stdin.close()
client.process.wait(PATIENCE)

# -- serve ------------------------------------------------------------------------------------
client = serve.Client("--session", "s")
client.ask("session")
link = Link(client.process.pid).watch()
check(link.ask("hello")["door"] == "serve", "door")
call = client.start("call", tool="write", args={"file_path": f"{OUT}/h", "content": "x"})
question = link.heard("question")
link.ask("answer", id=question["id"], answer="once")
check(os.path.exists(OUT + "/h") if client.result(call) else False, "not written")

# -- several in one folder: named, and nothing is ended ------------------------------------------
run = Run("--session", "r", "--", "sh", "-c", "echo ready; exec sleep 600")
check(run.line() == "ready", "ready")
done = ambit("stop")
check(done.returncode == 1 and "choose with --session" in done.stderr, done)
check("s: serve" in done.stderr and "r: run" in done.stderr, done.stderr)
done = ambit("stop", "--session", "r", "--json")
check(json.loads(done.stdout)["pid"] == run.pid, done)
check(run.end()[0] == 143, "not by SIGTERM")
check(client.ask("session")["session"] == "s", "the other one ended, too")
done = ambit("stop", "--session", "s")
check("ended serve" in done.stdout and client.process.wait(PATIENCE) == 0, done)
done = ambit("stop", "--session", "s")
check(done.returncode == 1 and "is not live" in done.stderr, done)

# One that does not heed SIGTERM, and what it left in the background.
run = Run("--session", "r", "--", "bash", "-c",
          "trap '' TERM; (trap '' TERM HUP; exec sleep 4321) & echo ready; while :; do wait; done")
check(run.line() == "ready", "ready")
check(ambit("stop", "--session", "r").returncode == 0, "stop")
check(run.end()[0] == 137, "not by SIGKILL")
eventually(lambda: not processes("4321"), "gone")

# -- decide -----------------------------------------------------------------------------------
decider = subprocess.Popen([os.environ["AMBIT"], "decide", "--session", "d"], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True)


def verdict():
    decider.stdin.write('{"tool":"write","args":{"file_path":"in"}}\n')
    decider.stdin.flush()
    return json.loads(decider.stdout.readline())["verdict"]


check(verdict() == "allow", "inside")
link = Link(decider.pid)
check(link.ask("hello")["door"] == "decide", "door")
done = subprocess.run([os.environ["AMBIT"], "mode", "--session", "d", "plan"], capture_output=True, text=True)
check("in force now in: decide" in done.stdout and verdict() == "deny", done)
done = subprocess.run([os.environ["AMBIT"], "stop", "--session", "d"], capture_output=True, text=True)
check("ended decide" in done.stdout and decider.wait(PATIENCE) == 0, done)
PY
