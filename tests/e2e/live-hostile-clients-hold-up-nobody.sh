#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whoever connects and says nonsense, never ends a line, does not read, or comes in
# numbers: the command goes on, others are served, and what is too much is dropped.
. "${0%/*}/line.bash"
export AMBIT OUT PYTHONPATH=$HERE
# Sanitizers keep what was freed.
export ROOM=100
if grep -qa __asan_init "$AMBIT"; then ROOM=1000; fi
"$PYTHON" -B - <<'PY'
from live import *

OUT = os.environ["OUT"]
run = Run("--session", "one", "--", *SHELL)
good = Link(run.pid)


def goes_on(why):
    """The command writes, a question is asked and answered, hello is said."""
    run.tell("echo x >inside")
    check(run.line() == "=0", why, "the command does not go on")
    check(good.ask("hello")["session"] == "one", why)


# Every line has its answer.
odd = Link(run.pid)
for line, code in ((b"nonsense", -32700), (b"[]", -32600), (b"{}", -32600), (b'"x"', -32600),
                   (b'{"jsonrpc":"2.0","id":1,"method":"no"}', -32601),
                   (b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"x":1}}', -32602),
                   (b'{"jsonrpc":"2.0","id":1,"method":"hello","params":[1]}', -32602),
                   (b'{"jsonrpc":"2.0","id":{},"method":"hello"}', -32600),
                   (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"hello"}', -32700),
                   (b'{"jsonrpc":"1.0","id":1,"method":"hello"}', -32600),
                   (b"\xff\xfe\x00", -32700), (b"[" * 5000, -32700)):
    odd.raw(line + b"\n")
    check(odd.take()["error"]["code"] == code, line[:40], code)
# A notification, an answer and an empty line have none.
odd.raw(b'\n{"jsonrpc":"2.0","method":"hello"}\n{"jsonrpc":"2.0","id":7,"result":{}}\n')
check(odd.ask("hello")["door"] == "run", "after what has no answer")
goes_on("nonsense")

# A line without end.
endless = Link(run.pid)
try:
    for _ in range(100):
        endless.raw(b"x" * 4096)
except OSError:
    pass
try:
    check(endless.take()["error"]["code"] == -32600 and endless.take() is None, "not dropped")
except OSError:
    pass
goes_on("a line without end")

# One byte at a time is a line like any other.
for byte in b'{"jsonrpc":"2.0","id":"slow","method":"hello"}\n':
    odd.raw(bytes([byte]))
check(odd.take()["id"] == "slow", "byte by byte")

# One that asks and never reads: bounded, then dropped.
greedy = Link(run.pid)
greedy.socket.settimeout(2)
line = b'{"jsonrpc":"2.0","id":1,"method":"status"}\n'
dropped = False
try:
    for _ in range(200):
        greedy.raw(line * 100)
except OSError:
    dropped = True
check(dropped, "it was never too much")
goes_on("one that does not read")
with open(f"/proc/{run.pid}/status") as file:
    rss = [int(l.split()[1]) for l in file if l.startswith("VmRSS")]
check(not rss or rss[0] < int(os.environ["ROOM"]) * 1024, "memory", rss)

# A watcher that does not read is not waited for, and leaves when it is dropped.
deaf = Link(run.pid).watch()
check(good.ask("hello")["watchers"] == 1, "watchers")
run.tell(f"echo x >{OUT}/a")
other = Link(run.pid).watch()
question = other.heard("question")
other.ask("answer", id=question["id"], answer="once")
check(run.line() == "=0", "answered by another")
deaf.close()
other.close()
eventually(lambda: good.ask("hello")["watchers"] == 0, "both have left")

# More than there is room for.
odd.close()
eventually(lambda: good.ask("hello") is not None, "still there")
many = []
refused = 0
for _ in range(40):
    link = Link(run.pid)
    link.raw(b'{"jsonrpc":"2.0","id":1,"method":"hello"}\n')
    reply = link.take()
    refused += reply is not None and "error" in reply and "too many" in reply["error"]["message"]
    many.append(link)
check(20 <= refused <= 30, "refused", refused)
goes_on("forty at once")
for link in many:
    link.close()
eventually(lambda: "result" in Link(run.pid).say("hello"), "room again")
goes_on("after all")
run.process.stdin.close()
check(run.process.wait(PATIENCE) == 0, "its end")

# The end is the end: whoever is connected sees it.
check(good.take() is None, "not closed")
check(not sockets(), "left:", sockets())
PY
