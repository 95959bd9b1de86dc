#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whatever a harness sends, it gets the error that JSON-RPC has for it, the server goes
# on, and nothing of it is done.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
# The same call many times over is what is tried here.
echo '{"loop_limit":0}' >"$XDG_CONFIG_HOME/ambit/config.json"

export OUT
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from serve import *

out = os.environ["OUT"]
client = Client()

# Lines that are no message: an error without an id each.
for line, code in [
    ("{", -32700), ("nonsense", -32700), ("{} {}", -32700), ('{"a":1,"a":2}', -32700),
    (b'{"jsonrpc":"2.0","id":9,"method":"session\xff\xfe"}', -32700),
    (b'{"jsonrpc":"2.0","id":9,"method":"call","params":{"tool":"write","args":{"file_path":"bad\xc3","content":""}}}', -32700),
    (b"\x00\x01\x02", -32700),
    ("[" * 100000, -32700),
    ('{"jsonrpc":"2.0","id":9,"method":"decide","params":' + '{"args":' * 500 + "1" + "}" * 501, -32700),
    ("[]", -32600), ("7", -32600), ("null", -32600), ('"text"', -32600),
    ('[{"jsonrpc":"2.0","id":9,"method":"session"}]', -32600),
    ('{"jsonrpc":"2.0","id":null,"method":"session"}', -32600),
    ('{"jsonrpc":"2.0","id":1.5,"method":"session"}', -32600),
    ('{"jsonrpc":"2.0","id":{},"method":"session"}', -32600),
    ("x" * 10_000_000, -32600),
    ('{"jsonrpc":"2.0","id":9,"method":"call","params":{"tool":"write","args":{"file_path":"big","content":"'
        + "y" * 10_000_000 + '"}}}', -32600),
]:
    client.raw(line)
    error = client.lost_one()
    check(error["code"] == code and error["message"], line[:60], error)
    client.alive()

# Messages that are wrong in a field: with their id, and the field by name.
for method, params, code, field in [
    (5, {}, -32600, None), (None, {}, -32600, None), ("call", [], -32602, None),
    ("no-such", {}, -32601, None), ("Call", {}, -32601, None), ("call\0", {}, -32600, None),
    ("session", {"x": 1}, -32602, "x"), ("session", {"schemas": 1}, -32602, "schemas"),
    ("decide", {}, -32602, "tool"), ("decide", {"tool": 1}, -32602, "tool"),
    ("decide", {"tool": "read", "args": []}, -32602, "args"),
    ("decide", {"tool": "read", "id": 1}, -32602, "id"),
    ("decide", {"tool": "read", "ask": True}, -32602, "ask"),
    ("decide", {"tool": "read", "mode": None}, -32602, "mode"),
    ("call", {}, -32602, "tool"), ("call", {"tool": "re\0ad"}, -32602, "tool"),
    ("call", {"tool": "read", "args": "a"}, -32602, "args"),
    ("call", {"tool": "read", "arguments": {}}, -32602, "arguments"),
    ("call", {"tool": "read", "ask": "yes"}, -32602, "ask"),
    ("call", {"tool": "read", "cwd": 1}, -32602, "cwd"),
    ("call", {"tool": "read", "a\x1b\u202e": 1}, -32602, "a\\x1b\\u202e"),
    ("execute", {}, -32602, "command"), ("execute", {"command": "a\0b"}, -32602, "command"),
    ("execute", {"command": []}, -32602, "command"), ("execute", {"command": ["touch", 7]}, -32602, "command"),
    ("execute", {"command": ["touch", "a\0b"]}, -32602, "command"),
    ("execute", {"command": "touch big", "scope": "."}, -32602, "scope"),
    ("call", {"tool": "write", "args": {"file_path": "big", "content": ""}, "scope": []}, -32602, "scope"),
    ("execute", {"command": "touch big", "timeout": "1"}, -32602, "timeout"),
    ("execute", {"command": "touch big", "timeout": -1}, -32602, "timeout"),
    ("execute", {"command": "touch big", "timeout": 1.5}, -32602, "timeout"),
    ("execute", {"command": "touch big", "shell": "sh"}, -32602, "shell"),
    ("answer", {}, -32602, "pending"), ("answer", {"pending": "x"}, -32602, "answer"),
    ("answer", {"pending": 1, "answer": "once"}, -32602, "pending"),
    ("answer", {"pending": "x-1", "answer": "once"}, -32001, None),
    ("answer", {"pending": "-1", "answer": "once"}, -32001, None),
    ("answer", {"pending": "x-99999999999999999999", "answer": "once"}, -32001, None),
    ("answer", {"pending": "", "answer": "once"}, -32001, None),
    ("cancel", {}, -32602, None), ("cancel", {"id": 1, "pending": "x"}, -32602, None),
    ("cancel", {"id": []}, -32602, "id"),
    ("label", {"source": "x"}, -32602, "content"), ("label", {"source": 1, "content": ""}, -32602, "source"),
    ("label", {"source": "a\0", "content": ""}, -32602, "source"),
    ("log", {"last": "3"}, -32602, "last"), ("log", {"after": -1, "export": True}, -32602, "after"),
    ("log", {"n": 3}, -32602, "n"),
]:
    id = client.number = client.number + 1
    client.send({"id": id, **({} if method is None else {"method": method}), "params": params})
    error = client.wait(id)["error"]
    check(error["code"] == code, method, params, error)
    check(field is None or error["data"]["field"] == field, method, params, error)
    check(field is None or field in error["message"], error)
client.raw('{"jsonrpc":"1.0","id":"v1","method":"session"}')
check(client.wait("v1")["error"]["code"] == -32600, "jsonrpc 1.0")
client.raw('{"id":"v0","method":"session"}')
check(client.wait("v0")["error"]["code"] == -32600, "no jsonrpc")
e = client.ask("execute", command="touch big", timeout=0)
check(e["ok"] is False and e["error"] == "BadArguments", e)
e = client.ask("execute", command="touch big", timeout=10**15)
check(e["ok"] is False and e["error"] == "BadArguments", e)
check(client.ask("cancel", id="nobody") == {"cancelled": False}, "cancel of nothing")
check(client.ask("cancel", pending="nothing-1") == {"cancelled": False}, "cancel of nothing")

# What needs no answer gets none, and what nobody would hear of is not done.
client.send({"method": "call", "params": {"tool": "write", "args": {"file_path": "big", "content": ""}}})
client.send({"method": "execute", "params": {"command": "touch big"}})
client.send({"method": "no-such"})
client.send({"method": "cancel"})
client.send({"method": "cancel", "params": {"id": 4711}})
client.send({"method": "cancel", "params": {"id": {}, "x": 1}})
client.send({"id": 5, "result": {}})
client.send({"id": None, "error": {"code": 1, "message": "x"}})
client.raw("")
client.raw("  \t\r")
client.alive()
check(not client.lost and not client.replies, "said too much", client.lost, client.replies)

# Two with one id: the second is not looked at, and the first is answered once. An id
# is free again as soon as its reply is there, the question too.
os.mkfifo("fifo")
client.send({"id": "one", "method": "execute", "params": {"command": "read x < fifo; echo $x"}})
client.send({"id": "one", "method": "execute", "params": {"command": "touch big"}})
error = client.lost_one()
check(error["code"] == -32600 and error["data"] == {"id": "one"}, error)
client.send({"id": "one", "method": "session"})
check(client.lost_one()["code"] == -32600, "any method")
client.raw('{"jsonrpc":"2.0","id":"one"}')
check(client.lost_one()["code"] == -32600, "a bad one")
client.send({"id": 1, "method": "session"})
client.wait(1)
client.ask("cancel", id="one")
reply = client.wait("one")
check("error" in reply and reply["error"]["code"] == -32003, "cancelled", reply)
os.unlink("fifo")
f = out + "/f"
for n in range(3):
    client.send({"id": "q", "method": "call", "params": {"tool": "write", "ask": True,
                 "args": {"file_path": f, "content": str(n)}}})
    h = client.result("q")["pending"]
    client.send({"id": "q", "method": "answer", "params": {"pending": h, "answer": "once"}})
    check(client.result("q")["ok"] and content(f) == str(n), "the same id", n)
    error = client.error("answer", pending=h, answer="once")
    check(error["code"] == -32001, "answered twice", error)

# A handle is that of its connection, its call and its question.
h = client.call("write", True, file_path=f, content="x")["pending"]
for wrong in [h[:-1] + "2", h[:-2], h + "0", h + " ", "x" + h, h.upper(), h.replace("-1", "-01"), h + "\u202e"]:
    check(client.error("answer", pending=wrong, answer="once")["code"] == -32001, wrong)
other = Client()
check(other.error("answer", pending=h, answer="once")["code"] == -32001, "another server's")
other.end()
check(client.ask("cancel", pending=h) == {"cancelled": True}, "cancel by handle")
check(client.error("answer", pending=h, answer="once")["code"] == -32001, "cancelled")
# Nor while it is still ending.
for n in range(20):
    h = client.call("write", True, file_path=f, content=f"x{n}")["pending"]
    client.send({"method": "cancel", "params": {"pending": h}})
    check(client.error("answer", pending=h, answer="once")["code"] == -32001, "cancelled just now")
check(content(f) == "2", "a cancelled call wrote")

# A line in pieces is a line, and several at once are several.
client.input.write(b'{"jsonrpc":"2.0","id":"p')
client.input.flush()
client.input.write(b'1","method":"session"}\r\n{"jsonrpc":"2.0","id":"p2","method":"session"}\n')
client.input.flush()
check(client.result("p1") and client.result("p2"), "pieces")

# Many at once: each is answered, reads do not wait for commands.
wait = "until [ -e go ]; do sleep 0.05; done; echo"
slow = [client.start("execute", command=f"{wait} {n}") for n in range(8)]
ids = [client.start("call", tool="write", args={"file_path": "n", "content": str(n)}) for n in range(200)]
ids += [client.start("call", tool="read", args={"file_path": "n"}) for n in range(800)]
check(all(client.result(i)["ok"] for i in ids), "many")
check(content("n") == "199", "in the order they came")
check(not any(i in client.replies for i in slow), "the commands did not wait")
check(client.call("write", file_path="go", content="")["ok"], "go")
check([client.result(i)["stdout"] for i in slow] == [f"{n}\n" for n in range(8)], "commands")

# The last line needs no newline.
client.input.write(b'{"jsonrpc":"2.0","id":"last","method":"session"}')
client.end()
check(client.replies.pop("last")["result"], "the last line")
check(not client.lost and not client.replies, client.lost, client.replies)
PY
[[ ! -e $P/big ]] || fail "a message that was refused was acted on"
