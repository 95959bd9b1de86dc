#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Takes long.
# Cancelled, the client gone, killed, or told to end: no process is left, nothing more
# is said for a call that was cancelled, and the server goes on or ends at once.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
import signal
from mcp import *

MARK = f"mark-{os.getpid()}"

def forever(name):
    """Does not end by itself, nor when it is asked to; so each end takes a moment."""
    return f"trap '' TERM INT HUP; setsid sh -c 'while :; do sleep 1; done # {MARK}-{name}.' & " \
           f"touch began-{name}; while :; do echo line; sleep 0.05; done # {MARK}-{name}."

def began(name):
    eventually(lambda: os.path.exists(f"began-{name}"), name, "began")
    check(processes(f"{MARK}-{name}."), "nothing runs")

def started(client, name, token=None):
    params = {"name": "bash", "arguments": {"command": forever(name), "timeout": 600000}}
    if token:
        params["_meta"] = {"progressToken": token}
    client.start("tools/call", params, id=name)
    began(name)

def none_left(name):
    eventually(lambda: not processes(f"{MARK}-{name}."), "none is left of", name)

# Cancelled: ended, and not a word more; the id is free.
client = Client()
client.legacy()
started(client, "c", "token")
while not client.notified:
    client.take()
progress = [m["params"] for m in client.notified]
check(all(p["progressToken"] == "token" for p in progress), progress)
client.send({"method": "notifications/cancelled", "params": {"requestId": "c", "reason": "enough"}})
none_left("c")
client.ask("ping")
client.notified.clear()
good(client.call("write", file_path="after", content="x"))
check("c" not in client.replies and not client.notified, client.replies, client.notified)
client.start("tools/call", {"name": "bash", "arguments": {"command": "echo again"}}, id="c")
check(good(client.wait("c")["result"])["stdout"] == "again\n", "again")

# Progress increases, and comes only to those who asked for it.
values = [p["progress"] for p in progress]
check(values == sorted(set(values)), values)

# Cancelled while it waits for its turn: never run.
hold = [client.start("tools/call", {"name": "bash", "arguments": {
    "command": f"touch hold{n}; until [ -e go ]; do sleep 0.05; done"}}) for n in range(16)]
eventually(lambda: all(os.path.exists(f"hold{n}") for n in range(16)), "16 run")
client.start("tools/call", {"name": "bash", "arguments": {"command": "touch never"}}, id="n")
client.send({"method": "notifications/cancelled", "params": {"requestId": "n"}})
client.ask("ping")
open("go", "w").close()
for id in hold:
    good(client.wait(id)["result"])
check(not os.path.exists("never") and "n" not in client.replies, "it was run")

# The input ends while a command runs.
started(client, "e")
check(client.end() < 10, "slow to end")
none_left("e")
check("e" not in client.replies, "answered")

# The client is killed: its ends of the pipes are closed at once. The server is told to
# end, in the middle of a line; or killed outright: the commands do not outlive it. All
# of them side by side.
def dies(client):
    client.process.stdin.close()
    client.process.stdout.close()

def told(number):
    def tell(client):
        client.process.stdin.write(b'{"jsonrpc"')
        client.process.stdin.flush()
        client.process.send_signal(number)
    return tell

ways = {"killed": lambda client: client.process.kill(), "term": told(signal.SIGTERM),
        "int": told(signal.SIGINT), "hup": told(signal.SIGHUP), "dies": dies}
clients = {name: Client() for name in ways}
for name, client in clients.items():
    client.legacy()
    started(client, name)
for name, client in clients.items():
    ways[name](client)
for name, client in clients.items():
    client.process.wait(timeout=PATIENCE)
    none_left(name)

# A client that does not read: the server still ends when the input does, or by a
# signal; a command that runs ends with it.
deaf = {}
for way in ("end", "signal"):
    mine, theirs = os.pipe()
    client = subprocess.Popen([os.environ["AMBIT"], "mcp"], stdin=subprocess.PIPE, stdout=theirs)
    os.close(theirs)
    deaf[way] = client, mine
    lines = [{"id": "i", "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}},
             {"id": "b", "method": "tools/call", "params": {"name": "bash", "arguments": {"command": forever(way)}}}]
    for line in lines:
        client.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n")
    client.stdin.flush()
    began(way)
    for n in range(20): # far more in answers than a pipe takes
        client.stdin.write(json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/list"}).encode() + b"\n")
    client.stdin.flush()
deaf["signal"][0].send_signal(signal.SIGTERM)
deaf["end"][0].stdin.close()
for way, (client, mine) in deaf.items():
    client.wait(timeout=PATIENCE)
    none_left(way)
    os.close(mine)

# Requests that came before the end of the input are answered, if they are quick.
client = Client()
client.start("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}, id="i")
for n in range(100):
    client.start("tools/call", {"name": "write", "arguments": {"file_path": f"q{n}", "content": "x"}}, id=n)
client.end()
check(len(client.replies) == 101, len(client.replies))
check(all(os.path.exists(f"q{n}") for n in range(100)), "lost")
PY
