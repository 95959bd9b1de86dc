#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `ambit serve`: the same call again while its question is open gets the same handle at once, the
# call is done once, and its result is the answer's reply. So also if both are sent before the
# question is open. From another client, with other arguments, or later, it is another call.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
# The same call many times over is what is tried here.
echo '{"loop_limit":0}' >"$XDG_CONFIG_HOME/ambit/config.json"

mkdir -m 700 "$TEST_DIR/sockets"
export OUT SOCKET=$TEST_DIR/sockets/s
"$AMBIT" serve --socket "$SOCKET" &
server=$!
eventually test -S "$SOCKET"

PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from serve import *

OUT = os.environ["OUT"]
client, other = connect(os.environ["SOCKET"]), connect(os.environ["SOCKET"])


def events(kind):
    return [e for e in client.ask("log", last=500)["events"] if e["kind"] == kind]


# One after the other; the order of the keys does not matter.
first = client.ask("call", tool="write", args={"file_path": OUT + "/a", "content": "x"}, ask=True)
again = client.ask("call", ask=True, args={"content": "x", "file_path": OUT + "/a"}, tool="write")
check(again == first, first, again)
before = len(events("result"))
apart = other.call("write", ask=True, file_path=OUT + "/a", content="x")
check(apart["pending"] != first["pending"], "another client's handle", apart)
check(not os.path.exists(OUT + "/a"), "done before it was answered")
done = client.ask("answer", pending=first["pending"], answer="once")
check(done["ok"] and content(OUT + "/a") == "x", done)
check(len(events("result")) == before + 1, "not done once", events("result"))
error = client.error("answer", pending=first["pending"], answer="once")
check(error["code"] == -32001, error)
# It is over: the same call is a new one. A no is for both, too.
third = client.call("write", ask=True, file_path=OUT + "/a", content="x")
check("pending" in third and third["pending"] != first["pending"], third)
check(client.call("write", ask=True, file_path=OUT + "/a", content="x") == third, "the same")
check(client.ask("answer", pending=third["pending"], answer="no")["error"] == "Denied", "a no")
check(other.ask("answer", pending=apart["pending"], answer="no")["error"] == "Denied", "apart")

# Many at once, none of which waits for another's reply. A person is asked 32 questions at once at
# most, and one more each second: this stays below.
for turn in range(20):
    path = f"{OUT}/b{turn}"
    ids = [client.start("call", tool="write", args={"file_path": path, "content": "y"}, ask=True)
           for _ in range(8)]
    replies = [client.result(id) for id in ids]
    check("pending" in replies[0], "not asked:", replies[0])
    check(all(reply == replies[0] for reply in replies), "not one question:", replies)
    check(not os.path.exists(path), "done before it was answered")
    before = len(events("result"))
    done = client.ask("answer", pending=replies[0]["pending"], answer="once")
    check(done["ok"] and content(path) == "y", done)
    client.alive()
    check(len(events("result")) == before + 1, "not done once", events("result"))

# A command that asks while it runs; and one that was cancelled is no one's any more.
command = f"echo z >>{OUT}/c"
first = client.ask("execute", command=command, ask=True)
check(client.ask("execute", command=command, ask=True) == first, "a command")
check(client.ask("answer", pending=first["pending"], answer="once")["ok"], "not run")
check(content(OUT + "/c") == "z\n", "run twice", content(OUT + "/c"))
# The same call may come while the cancelled one is on its way out: it is asked about all the same.
for turn in range(4):
    path = f"{OUT}/d{turn}"
    first = client.call("write", ask=True, file_path=path, content="x")
    check(client.ask("cancel", pending=first["pending"]), "cancel")
    second = client.call("write", ask=True, file_path=path, content="x")
    check("pending" in second, "refused with one that was cancelled", second)
    check(second["pending"] != first["pending"], "the handle of one that was cancelled")
    check(client.ask("answer", pending=second["pending"], answer="once")["ok"], "not written")
# Calls that ask nobody are done as often as they are made.
for name in ("e", "e"):
    check(client.call("bash", ask=True, command="echo x >>e")["ok"], "inside")
check(content("e") == "x\nx\n", "not twice")
client.end()
other.end()
PY
kill "$server"
wait "$server" || true
