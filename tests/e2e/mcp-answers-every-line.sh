#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whatever a client sends, it gets the error that the protocol has for it, and the
# server goes on.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import json
from mcp import *

client = Client()
alive = 0

def still():
    global alive
    alive += 1
    check(client.ask("ping")["result"] == {}, "no ping")

# Before initialize: only what needs none.
check(client.ask("ping")["result"] == {}, "ping")
check(client.ask("tools/list")["error"]["code"] == -32602, "tools/list before initialize")
check(client.ask("initialize")["error"]["code"] == -32602, "initialize without params")
check(client.ask("initialize", {"protocolVersion": 7, "capabilities": {}})["error"]["code"] == -32602, "7")
check(client.ask("initialize", {"protocolVersion": "2025-11-25"})["error"]["code"] == -32602, "no capabilities")
result = client.legacy("1999-01-01", {"elicitation": []})
check(result["protocolVersion"] == "2025-11-25", "own latest", result)
check(client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})["error"]["code"] == -32600, "twice")

# Lines that are no message: an error without an id each.
for line, code in [
    ("{", -32700), ("nonsense", -32700), ("{} {}", -32700), ('{"a":1,"a":2}', -32700),
    (b'{"jsonrpc":"2.0","id":9,"method":"ping\xff\xfe"}', -32700),
    (b"\x00\x01\x02", -32700),
    ("[" * 100000, -32700), ('{"jsonrpc":"2.0","id":9,"method":"ping","params":' + '{"a":' * 500 + "1" + "}" * 501, -32700),
    ("[]", -32600), ("7", -32600), ("null", -32600), ('"text"', -32600),
    ('[{"jsonrpc":"2.0","id":9,"method":"ping"}]', -32600),
    ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    ('{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600),
    ("x" * 10_000_000, -32600),
    ('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"write","arguments":{"file_path":"big","content":"'
        + "y" * 10_000_000 + '"}}}', -32600),
]:
    client.raw(line)
    error = client.lost_one()
    check(error["code"] == code and error["message"], line[:60], error)
    still()

# Messages that are wrong in a field: with their id.
for message, code in [
    ({"id": 1001}, -32600), ({"id": 1002, "method": 5}, -32600),
    ({"id": 1003, "method": "ping", "params": []}, -32602),
    ({"id": 1004, "method": "no/such"}, -32601),
    ({"id": 1005, "method": "resources/list"}, -32601),
    ({"id": 1006, "method": "server/discover"}, -32602),
    ({"id": 1007, "method": "tools/call"}, -32602),
    ({"id": 1008, "method": "tools/call", "params": {"name": 1}}, -32602),
    ({"id": 1009, "method": "tools/call", "params": {"name": "nix"}}, -32602),
    ({"id": 1010, "method": "tools/call", "params": {"name": "read\0x"}}, -32602),
    ({"id": 1011, "method": "tools/call", "params": {"name": "read", "arguments": "a"}}, -32602),
    ({"id": 1012, "method": "tools/list", "params": {"cursor": "x"}}, -32602),
]:
    client.send(message)
    reply = client.wait(message["id"])
    check(reply["error"]["code"] == code, message, reply)
words = client.ask("tools/call", {"name": "raed\033"})["error"]["message"]
check("Unknown tool 'raed\\x1b'" in words and "did you mean 'read'?" in words, words)
client.raw('{"jsonrpc":"1.0","id":1013,"method":"ping"}')
check(client.wait(1013)["error"]["code"] == -32600, "jsonrpc 1.0")

# Wrong arguments are a result that the model can read.
for args in [{}, {"file_path": 7}, {"file_path": "a", "nonsense": 1}, {"path": "a"},
             {"file_path": ["a"]}, {"file_path": "a", "offset": "1"}, {"file_path": "a", "offset": 0}]:
    bad(client.call("read", **args), "BadArguments")
check("did you mean 'file_path'?" in bad(client.call("read", path="a")), "which one is meant")
bad(client.call("read", file_path="a\0b"))
bad(client.call("read", file_path="x" * 5000))

# What needs no answer gets none: unknown notifications, answers nobody waits for,
# ids that are not running, empty lines, unknown fields.
client.send({"method": "notifications/no-such", "params": {"a": 1}})
client.send({"method": "notifications/cancelled", "params": {"requestId": 4711}})
client.send({"method": "notifications/cancelled", "params": {"requestId": {}}})
client.send({"method": "notifications/cancelled"})
client.send({"method": "notifications/cancelled", "params": [1]})
client.send({"method": "notifications/roots/list_changed"})
client.send({"id": "ambit-1", "result": {"action": "accept", "content": {"answer": "always"}}})
client.send({"id": None, "error": {"code": -32600, "message": "x"}})
client.send({"id": 5, "result": {}, "error": {}})
client.raw("")
client.raw("  \t\r")
client.send({"id": "extra", "method": "ping", "more": {"a": [1]}, "params": {"b": 2}})
check(client.wait("extra")["result"] == {}, "unknown fields")
check(not client.lost and not client.replies and not client.notified, "said too much",
      client.lost, client.replies, client.notified)

# Nothing is answered under the id of a call that runs: a client would take it for that one's.
client.send({"id": "busy", "method": "tools/call",
             "params": {"name": "bash", "arguments": {"command": "until [ -e go ]; do sleep 0.05; done; echo done"}}})
for message in [{"method": "ping"}, {"method": "tools/list"}, {"method": "ping", "params": []}, {"method": "no/such"},
                {"method": "tools/call", "params": {"name": "nix"}}]:
    client.send({"id": "busy", **message})
    check(client.lost_one()["code"] in (-32600, -32602), message)
check("busy" not in client.replies, client.replies)
good(client.call("write", file_path="go", content=""))
check("done" in good(client.wait("busy")["result"])["stdout"], "the call itself")

# A line in pieces is a line, and several at once are several.
client.process.stdin.write(b'{"jsonrpc":"2.0","id":"p')
client.process.stdin.flush()
still_waiting = not client.lines.qsize()
client.process.stdin.write(b'1","method":"ping"}\n{"jsonrpc":"2.0","id":"p2","method":"ping"}\n')
client.process.stdin.flush()
check(still_waiting and client.wait("p1") and client.wait("p2"), "pieces")

# The last line needs no newline.
client.process.stdin.write(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
client.end()
check(client.replies.pop("last")["result"] == {}, "the last line")
check(alive == 18, alive)
PY
[[ ! -e $P/big ]] || fail "a message that was not read was acted on"
