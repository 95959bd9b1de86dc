#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Takes long.
# However a harness or the server ends, no process of a call is left; and what was asked
# for before the input ended is done, as long as somebody still listens.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

export OUT
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
import signal
from serve import *

out = os.environ["OUT"]
mark = "mark%d" % os.getpid()

def busy(client, n, **more):
    """A command that has started, with a child in the background."""
    name = f"{mark}-{n}"
    id = client.start("execute", command=f"sleep 600 {name} 2>/dev/null || exec -a {name} sleep 600 & "
                      f"touch started-{n}; exec -a {name} sleep 600", timeout=600000, **more)
    eventually(lambda: os.path.exists(f"started-{n}") and processes(name), n, "started")
    return id

def gone(n):
    eventually(lambda: not processes(f"{mark}-{n}"), "processes of", n, "are gone")

# Cancelled: by its id.
client = Client()
id = busy(client, 1)
client.send({"method": "cancel", "params": {"id": id}})
check(client.wait(id)["error"]["code"] == -32003, "cancelled")
gone(1)

# Cancelled while it waits for a person: by its handle, and by the request's id no more.
id = client.start("execute", command=f"(exec -a {mark}-2 sleep 600) & echo x > {out}/f; wait", ask=True)
handle = client.result(id)["pending"]
check(processes(f"{mark}-2"), "runs")
check(client.ask("cancel", id=id) == {"cancelled": False}, "its request is answered")
check(client.ask("cancel", pending=handle) == {"cancelled": True}, "cancel")
gone(2)
check(content(out + "/f") is None, "written")

client.end()

# A client that dies, and a server that is killed.
pid = os.fork()
if pid == 0:
    busy(Client(), 3)
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(pid, 0)
check(os.path.exists("started-3"), "started")
gone(3)
for n, number in enumerate([signal.SIGTERM, signal.SIGINT, signal.SIGKILL]):
    client = Client()
    busy(client, f"s{n}")
    client.process.send_signal(number)
    gone(f"s{n}")
    status = client.process.wait(timeout=PATIENCE)
    check(status == (-9 if number == signal.SIGKILL else 0), "exit", number, status)

# A client that does not read, and is told to end.
client = subprocess.Popen([os.environ["AMBIT"], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "nix", "params": {}}).encode() + b"\n"
client.stdin.write(line)
client.stdin.flush()
check(b"-32601" in client.stdout.readline(), "no method")
os.set_blocking(client.stdin.fileno(), False)
try:
    while True:
        client.stdin.write(line * 1000)
        client.stdin.flush()
        time.sleep(0.01)
except BlockingIOError:
    pass
client.send_signal(signal.SIGTERM)
check(client.wait(timeout=PATIENCE) == 0, "a client that does not read")

# The input ends: what runs is finished, and heard; who waits for a person is refused.
client = Client()
ids = [client.start("execute", command="sleep 0.5; echo done > done; cat done"),
       client.start("call", tool="write", args={"file_path": "after", "content": "x"})]
pending = client.start("call", tool="write", args={"file_path": out + "/f", "content": "x"}, ask=True)
handle = client.result(pending)["pending"]
client.end()
check(client.result(ids[0])["stdout"] == "done\n" and client.result(ids[1])["ok"], "finished")
check(content("after") == "x" and content(out + "/f") is None, "after the end")

# The program that crossed the line ends before the answer: so does the call, and a yes
# opens nothing.
client = Client()
r = client.ask("execute", command=f"timeout 1 sh -c 'echo x > {out}/w'; echo ended; echo x > {out}/w", ask=True, timeout=30000)
first = r["pending"]
eventually(lambda: len(client.ask("log", kind="ask")["events"]) == 2, "the next question")
r = client.ask("answer", pending=first, answer="once")
check(r["pending"] != first, "the next question in place of an answer", r)
check(client.ask("answer", pending=r["pending"], answer="no")["stdout"] == "ended\n", r)
r = client.ask("execute", command=f"timeout 1 sh -c 'echo x > {out}/v'; echo ended", ask=True)
eventually(lambda: client.ask("log", kind="result", tool="bash", last=1)["events"][-1]["id"] >
           client.ask("log", kind="ask", last=1)["events"][0]["id"], "the call ended")
r = client.ask("answer", pending=r["pending"], answer="once")
check(r["ok"] and r["stdout"] == "ended\n" and content(out + "/v") is None, "ended without it", r)
check(content(out + "/w") is None, "a yes to what was over")
client.end()

# A question that nobody answers in time: the result is there for whoever comes late.
os.makedirs(os.environ["XDG_CONFIG_HOME"] + "/ambit", exist_ok=True)
with open(os.environ["XDG_CONFIG_HOME"] + "/ambit/config.json", "w") as file:
    file.write('{"question_timeout": 1}')
client = Client()
r = client.call("write", True, file_path=out + "/f", content="x")
eventually(lambda: client.ask("log", last=1)["events"][0]["verdict"] == "deny", "expired")
r = client.ask("answer", pending=r["pending"], answer="once")
check(r["ok"] is False and content(out + "/f") is None, "a late yes is none", r)
r = client.ask("execute", command=f"echo x > {out}/f; echo x > {out}/g; echo still", ask=True)
eventually(lambda: client.ask("log", last=1, kind="ask")["events"][0]["subject"].endswith("/g"), "the next")
r = client.ask("answer", pending=r["pending"], answer="once")
check("pending" in r and r["question"]["what"].endswith("/g"), "late, and the next question", r)
r = client.ask("answer", pending=r["pending"], answer="once")
check(r["ok"] and r["stdout"] == "still\n", r)
check(content(out + "/f") is None and content(out + "/g") == "x\n", "only what was allowed")
fds = lambda: len(os.listdir(f"/proc/{tools}/fd"))
tools = client.process.pid
before = fds()
for n in range(300):
    r = client.call("write", True, file_path=f".vscode/{n}", content="x") if n % 100 == 0 else \
        client.call("write", True, file_path=f"w", content=str(n))
    if "pending" in r:
        client.ask("cancel", pending=r["pending"])
eventually(lambda: fds() <= before + 3, "descriptors", before, fds())
client.end()
PY
