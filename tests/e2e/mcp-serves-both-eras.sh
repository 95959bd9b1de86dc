#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One server, two protocols: with a handshake, and with all that is needed in each
# request; also side by side.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from mcp import *

# Each version that is supported is echoed.
lists = []
for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]:
    client = Client("--session", "eras")
    result = client.legacy(version)
    check(result["protocolVersion"] == version, result)
    check(result["serverInfo"]["name"] == "ambit" and result["capabilities"] == {"tools": {}, "prompts": {}}, result)
    check("untrusted" in result["instructions"] and os.getcwd() in result["instructions"], result)
    check(result["instructions"].split("\n")[0] == "Read, search and edit files and run commands in "
          f"{os.getcwd()}; writes elsewhere need a person's yes.", result)
    lists.append(client.ask("tools/list")["result"]["tools"])
    client.end()
check(all(tools == lists[0] for tools in lists), "the list is not the same every time")

# What a list says of a tool.
names = [tool["name"] for tool in lists[0]]
check(names == ["read", "write", "edit", "multi_edit", "apply_patch", "delete", "move", "copy",
                "ls", "glob", "grep", "extract", "bash", "bash_output", "bash_stop", "webfetch", "run_agent"], names)
for tool in lists[0]:
    check(tool["inputSchema"]["type"] == "object" and tool["description"], tool)
    check(tool["outputSchema"]["type"] == "object", tool)
    check(tool["_meta"] == {"anthropic/alwaysLoad": True}, tool)
    hints = tool["annotations"]
    reads = tool["name"] in ("read", "ls", "glob", "grep", "bash_output", "webfetch")
    check(hints["readOnlyHint"] == reads and hints["destructiveHint"] == (not reads), tool)
    check(hints["openWorldHint"] == (tool["name"] in ("bash", "bash_stop", "webfetch", "run_agent")), tool)

# Modern: no handshake.
client = Client("--session", "eras")
reply = client.ask("server/discover", {"_meta": modern_meta()})["result"]
check(reply["supportedVersions"] == [MODERN] and reply["resultType"] == "complete", reply)
check(reply["capabilities"] == {"tools": {}, "prompts": {}} and "untrusted" in reply["instructions"], reply)
check(reply["ttlMs"] >= 0 and reply["cacheScope"] in ("public", "private"), reply)
check(reply["_meta"][META + "serverInfo"]["name"] == "ambit", reply)
reply = client.ask("tools/list", {"_meta": modern_meta()})["result"]
check(reply["tools"] == lists[0] and reply["resultType"] == "complete" and "ttlMs" in reply
      and "cacheScope" in reply, "list")
result = client.modern("write", file_path="a.txt", content="one\n")
check(good(result)["created"] and result["resultType"] == "complete", result)
check("ttlMs" not in result and result["_meta"][META + "serverInfo"], result)
check("one" in good(client.modern("read", file_path="a.txt"))["text"], "read")

# What is missing in a request is told, and nothing is run.
for meta, code in [
    (None, -32602), ({}, -32602), ({META + "protocolVersion": MODERN}, -32602),
    ({META + "clientCapabilities": {}}, -32602),
    ({META + "protocolVersion": 7, META + "clientCapabilities": {}}, -32602),
    ({META + "protocolVersion": MODERN, META + "clientCapabilities": []}, -32602),
    ({META + "protocolVersion": "1900-01-01", META + "clientCapabilities": {}}, -32022),
    ({META + "protocolVersion": "2025-11-25", META + "clientCapabilities": {}}, -32022),
]:
    params = {"name": "write", "arguments": {"file_path": "b.txt", "content": "x"}}
    if meta is not None:
        params["_meta"] = meta
    error = client.ask("tools/call", params)["error"]
    check(error["code"] == code, meta, error)
    if code == -32022:
        check(MODERN in error["data"]["supported"]
              and error["data"]["requested"] == meta[META + "protocolVersion"], error)
check(not os.path.exists("b.txt"), "it was written all the same")
for method in ("initialize", "ping", "no/such"):
    check(client.ask(method, {"_meta": modern_meta()})["error"]["code"] == -32601, method)

# Both at once: after initialize a request with the modern fields is a modern one.
client.legacy()
check("resultType" not in client.ask("tools/list")["result"], "legacy")
check(client.ask("tools/list", {"_meta": modern_meta()})["result"]["resultType"] == "complete", "modern")
check("resultType" not in client.call("read", file_path="a.txt"), "legacy")
client.end()
PY
