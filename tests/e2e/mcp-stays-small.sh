#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Runs once.
# A command that prints 50 MB (200 in the long tests), or what is no text, has a result
# that can be read; and neither that, nor 10 000 calls, nor calls that fail make the server larger.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
echo content >"$P/file"

PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<'PY'
import os
from mcp import *

OUT = os.environ["OUT"]
client = Client()
client.legacy()

def memory():
    """KiB of its own, and descriptors."""
    with open(f"/proc/{client.process.pid}/status") as file:
        rows = dict(line.split(":", 1) for line in file)
    return int(rows["RssAnon"].split()[0]), len(os.listdir(f"/proc/{client.process.pid}/fd"))

def calls(n, tool, **args):
    """That many, 100 at a time."""
    for start in range(0, n, 100):
        ids = [client.start("tools/call", {"name": tool, "arguments": args}) for _ in range(100)]
        for id in ids:
            check("result" in client.wait(id), tool)

# What is printed: the beginning and the end, and how much it was.
good(client.call("bash", command="head -c 1000000 /dev/zero | tr '\\0' x"))
before, _ = memory()
size = 200_000_000 if os.environ.get("AMBIT_LONG") else 50_000_000
result = good(client.call("bash", command=f"echo first; head -c {size} /dev/zero | tr '\\0' x; echo; echo last"))
check(result["stdout_size"] == size + 12 and result["truncated"], result["stdout_size"])
check(result["stdout"].startswith("first\n") and result["stdout"].endswith("last\n"), "ends")
check(len(result["stdout"]) < 40000, len(result["stdout"]))
after, _ = memory()
check(after < before + 4096, before, after)
# What is no text is replaced; the line is JSON all the same.
result = good(client.call("bash", command="printf 'a\\0b\\377\\376c\\033[1m'; head -c 100000 /dev/urandom >&2"))
check(result["stdout"].startswith("a") and "b" in result["stdout"] and "\0" not in result["stdout"], result["stdout"])
check(result["stderr_size"] == 100000, result["stderr_size"])

# Many calls.
calls(1000, "read", file_path="file")
calls(1000, "write", file_path="new", content="x\n")
calls(300, "write", file_path=OUT + "/x", content="x\n")
before, fds = memory()
calls(7000, "read", file_path="file")
calls(2000, "write", file_path="new", content="x\n")
calls(500, "write", file_path=OUT + "/x", content="x\n")
calls(500, "read", file_path="none")
for n in range(500):
    client.raw("[" * 1000)
    client.lost_one()
after, now = memory()
check(after < before + 2048, "grown from", before, "to", after, "KiB")
check(now == fds, "descriptors:", fds, now)
client.end()
PY
