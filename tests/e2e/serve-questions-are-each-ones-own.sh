#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `ambit serve`: what one client is asked is no answer to another's call, and while one
# waits for an answer, whoever's it is, the others go on.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
# The same call many times over is what is tried here.
echo '{"loop_limit":0}' >"$XDG_CONFIG_HOME/ambit/config.json"

approver slow <<SH
#!/bin/sh
cat >/dev/null
until [ -e "$OUT/think" ]; do sleep 0.05; done
echo '{"answer":"once"}'
SH
mkdir -m 700 "$TEST_DIR/sockets"
export OUT SOCKET=$TEST_DIR/sockets/s
"$AMBIT" serve --socket "$SOCKET" &
server=$!
eventually test -S "$SOCKET"

PYTHONPATH=$HERE APPROVER=$approver "$PYTHON" -B - <<'PY'
import os
from serve import *

OUT = os.environ["OUT"]

def write(client, text, ask=None):
    return client.start("call", tool="write", args={"file_path": f"{OUT}/x", "content": text},
                        **({} if ask is None else {"ask": ask}))

# Two connections and one path. Whoever has nobody to ask is refused at once, and a yes to
# what was shown runs that alone.
a, b = connect(os.environ["SOCKET"]), connect(os.environ["SOCKET"])
asked = a.result(write(a, "shown", ask=True))
refused = b.result(write(b, "never shown"))
check(refused["ok"] is False and refused["error"] == "Outside", refused)
other = b.result(write(b, "never shown", ask=True))
check("pending" in other, other)
good = a.ask("answer", pending=asked["pending"], answer="once")
check(good["ok"] and content(f"{OUT}/x") == "shown", good, content(f"{OUT}/x"))
# Another text is another call: a question of its own, answered apart.
first, second = a.result(write(a, "one", ask=True)), a.result(write(a, "two", ask=True))
check(first["pending"] != second["pending"], first, second)
good = a.ask("answer", pending=second["pending"], answer="once")
check(good["ok"] and content(f"{OUT}/x") == "two", good)
check(a.ask("answer", pending=first["pending"], answer="no")["ok"] is False, "a no")
check(content(f"{OUT}/x") == "two", content(f"{OUT}/x"))
waiting = a.result(write(a, "waits", ask=True))
check("pending" in waiting, waiting)
# One that leaves takes no other's call along.
a.close()
good = b.ask("answer", pending=other["pending"], answer="once")
check(good["ok"] and content(f"{OUT}/x") == "never shown", good)
# The record is read while commands write to it.
runs = [b.start("execute", command="echo run >run") for _ in range(8)]
for _ in range(60):
    check(b.ask("log", last=5)["events"], "no events")
for id in runs:
    check(b.result(id)["ok"], "a command failed")
b.end()

# One approver who takes his time: others of the same client go on meanwhile.
client = Client("--ask", "exec:" + os.environ["APPROVER"])
slow = write(client, "thought about")
client.alive()
check(client.call("ls", path=".")["ok"], "ls")
check(slow not in client.replies, "it did not wait")
open(f"{OUT}/think", "w").close()
check(client.result(slow)["ok"] and content(f"{OUT}/x") == "thought about", "after the answer")
client.end()
PY
kill "$server"
wait "$server" || true
