#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Takes long.
# Twenty siblings: in disjoint folders they run side by side, in the same or overlapping
# ones one after the other, in the order in which they were asked for, and who waits is
# told for whom. agents_at_once bounds how many run.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

settings '{"agents_at_once": 32}'
for ((i = 0; i < 10; i++)); do mkdir -p "apart/$i"; done
mkdir -p shared/sub/deep shared2
"$PYTHON" -B - <<'PY'
import os
from mcp import *

P = os.getcwd()
client = Client()
client.legacy()

def begin(folder, task):
    client.number += 1
    id = client.number
    client.send({"id": id, "method": "tools/call", "params": {
        "name": "run_agent", "arguments": {"name": "hand", "folder": folder, "task": task},
        "_meta": {"progressToken": id}}})
    return id

def waits(id):
    """What it was told last about whom it waits for."""
    said = [n["params"]["message"] for n in client.notified
            if n["params"].get("progressToken") == id and "waiting for" in n["params"].get("message", "")]
    return said[-1] if said else None

def mark(path):
    return [int(line) for line in open(path).read().split()]

# -- side by side: each goes on only when all others have begun -------------------------------
apart = [begin(f"apart/{i}", "mark begun\n" + "".join(
    f"await {P}/apart/{n}/begun\n" for n in range(10)) + "mark ended\nsay ok") for i in range(10)]

# -- one after the other ----------------------------------------------------------------------
folders = ["shared", "shared/sub", "shared", "shared/sub/deep", "shared/sub", "shared", "shared/sub/deep",
           "shared", "shared/sub", "shared"]
# Marks go where each of them can write.
turns = [begin(folders[0], f"mark sub/deep/t0\nawait {P}/go\nmark sub/deep/t0")]
eventually(lambda: os.path.exists(P + "/shared/sub/deep/t0"), "the first begins")
for i in range(1, 10):
    inner = {"shared": "sub/deep/", "shared/sub": "deep/", "shared/sub/deep": ""}[folders[i]]
    turns.append(begin(folders[i], f"mark {inner}t{i}\nmark {inner}t{i}"))
    while waits(turns[i]) is None:
        check(client.take(), "the server ended")
    check("hand in shared" in waits(turns[i]), "it does not say for whom:", waits(turns[i]))
# One that begins like the others, but is another, does not wait.
good(client.wait(begin("shared2", "say ok"))["result"])
# Those apart are done meanwhile, though the others wait.
for id in apart:
    good(client.wait(id)["result"])
check(not any(os.path.exists(f"{P}/shared/sub/deep/t{i}") for i in range(1, 10)), "one did not wait")
open(P + "/go", "w").close()
for id in turns:
    good(client.wait(id)["result"])

begun = [mark(f"{P}/apart/{i}/begun")[0] for i in range(10)]
ended = [mark(f"{P}/apart/{i}/ended")[0] for i in range(10)]
check(max(begun) < min(ended), "they did not run side by side", begun, ended)
last = 0
for i in range(10):
    start, end = mark(f"{P}/shared/sub/deep/t{i}")
    check(start > last, f"turn {i} began before the one before it ended")
    check(end > start, "time")
    last = end
client.end()
PY

# -- no more than so many at once ----------------------------------------------------------------
settings '{"agents_at_once": 2}'
rm -rf apart/*/*
"$PYTHON" -B - <<'PY'
import os
from mcp import *
P = os.getcwd()
client = Client()
client.legacy()
ids = [client.start("tools/call", {"name": "run_agent", "arguments": {
    "name": "hand", "folder": f"apart/{i}", "task": "mark trace\nmark trace\nsay ok"}}) for i in range(6)]
for id in ids:
    good(client.wait(id)["result"])
spans = [tuple(int(line) for line in open(f"{P}/apart/{i}/trace").read().split()) for i in range(6)]
for start, _ in spans:
    running = [span for span in spans if span[0] <= start <= span[1]]
    check(len(running) <= 2, "more than two at once", spans)
client.end()
PY

# -- among processes, and who is killed gives way -------------------------------------------------
"$AMBIT" spawn --ask deny hand shared "mark sub/held
hang" >/dev/null 2>&1 &
holder=$!
eventually test -s shared/sub/held
"$AMBIT" spawn --ask deny hand shared/sub "mark waited" >/dev/null 2>"$TEST_DIR/waits" &
waiter=$!
eventually grep -q "waiting for hand in shared (session" "$TEST_DIR/waits"
"$AMBIT" spawn --ask deny hand shared "mark sub/third" >/dev/null 2>"$TEST_DIR/third" &
third=$!
eventually grep -q "waiting for" "$TEST_DIR/third"
# One who waits is killed: those behind it do not wait for it.
kill -KILL "$waiter"
wait "$waiter" 2>/dev/null || true
[[ ! -e shared/sub/third ]] || fail "the third did not wait for the first"
# One who holds it is killed: its agent ends, and then it is the next one's turn.
kill -KILL "$holder"
wait "$holder" 2>/dev/null || true
wait "$third" || fail "the third did not come to its turn: $(cat "$TEST_DIR/third")"
[[ -s shared/sub/third && ! -e shared/sub/waited ]] || fail "turns: $(find shared)"
