#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# 8 commands and 1000 small reads at once: all correct, reads do not wait for
# commands; quick calls keep their order; one id is one call; a busy server says so.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

for n in {0..9}; do echo "content $n" >"$P/file$n"; done

PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from mcp import *

client = Client()
client.legacy()

# Commands that end only when the reads are done: each waits for a file.
commands = {n: client.start("tools/call", {"name": "bash", "arguments": {
    "command": f"touch began{n}; until [ -e go ]; do sleep 0.05; done; echo command {n}"}},
    id=f"bash {n}") for n in range(8)}
eventually(lambda: all(os.path.exists(f"began{n}") for n in range(8)), "8 commands at once")
reads = [client.start("tools/call", {"name": "read", "arguments": {"file_path": f"file{n % 10}"}},
                      id=f"read {n}") for n in range(1000)]
for n, id in enumerate(reads):
    result = client.wait(id)["result"]
    check(f"content {n % 10}" in good(result)["text"], n, result)
check(not client.replies, "a command ended by itself:", client.replies)
open("go", "w").close()
for n, id in commands.items():
    check(good(client.wait(id)["result"])["stdout"] == f"command {n}\n", n)

# In their order: each write is seen by the read behind it.
ids = []
for n in range(50):
    client.start("tools/call", {"name": "write", "arguments": {"file_path": "order", "content": f"{n}\n"}})
    ids.append(client.start("tools/call", {"name": "read", "arguments": {"file_path": "order"}}))
for n, id in enumerate(ids):
    check(f"{n}" in good(client.wait(id)["result"])["text"].split(), n)
while len(client.replies) < 50:
    client.take()
client.replies.clear()

# A second call under an id that is running: told without an id, and not run.
client.start("tools/call", {"name": "bash", "arguments": {"command": "until [ -e on ]; do sleep 0.05; done; echo first"}}, id="x")
client.start("tools/call", {"name": "bash", "arguments": {"command": "touch second"}}, id="x")
check(client.lost_one()["code"] == -32600, "two with one id")
client.start("tools/call", {"name": "write", "arguments": {"file_path": "second", "content": ""}}, id="x")
check(client.lost_one()["code"] == -32600, "two with one id")
open("on", "w").close()
check(good(client.wait("x")["result"])["stdout"] == "first\n" and not os.path.exists("second"), "second")
# When it has been answered, the id is free. "1" is not 1.
client.start("tools/call", {"name": "read", "arguments": {"file_path": "file1"}}, id="x")
check("content 1" in good(client.wait("x")["result"])["text"], "again")
for id, n in ((1, 1), ("1", 2)):
    client.start("tools/call", {"name": "read", "arguments": {"file_path": f"file{n}"}}, id=id)
check("content 1" in good(client.wait(1)["result"])["text"], "1")
check("content 2" in good(client.wait("1")["result"])["text"], '"1"')

# More than it takes: an error for those, the others are done.
hold = [client.start("tools/call", {"name": "bash", "arguments": {
    "timeout": 600000, "command": f"touch hold{n}; until [ -e end ]; do sleep 0.05; done"}}) for n in range(16)]
eventually(lambda: all(os.path.exists(f"hold{n}") for n in range(16)), "16 run")
big = "z" * 4_000_000
ids = [client.start("tools/call", {"name": "bash", "arguments": {"command": ": " + big}}) for _ in range(20)]
while len(client.replies) < 3:
    client.take()
check(all(reply["error"]["code"] == -32603 for reply in client.replies.values()), client.replies)
good(client.call("write", file_path="meanwhile", content="x"))
for id in ids:
    client.send({"method": "notifications/cancelled", "params": {"requestId": id}})
open("end", "w").close()
for id in hold:
    good(client.wait(id)["result"])
client.end()
PY
