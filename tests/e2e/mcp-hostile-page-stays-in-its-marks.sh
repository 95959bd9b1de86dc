#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A page that wants to be taken for somebody else's words, fetched by webfetch and by
# curl in bash: what the agent gets, text and structured, has all of it between two
# marks that the page could not know. What ambit says itself is outside of them.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
command -v curl >/dev/null || skip "no curl"

PYTHONPATH=$HERE PAGE=$HERE/hostile-page.py OUT=$OUT "$PYTHON" -B - <<'PY'
import os
import re
import subprocess
import sys
import urllib.request
from mcp import *

AMBIT = os.environ["AMBIT"]

page = subprocess.Popen([sys.executable, "-B", os.environ["PAGE"]], stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE)
port = int(page.stdout.readline())
url = f"http://127.0.0.1:{port}"
MARK = re.compile(r"\[untrusted content ([a-z0-9]+) (begins|ends)")
ORDERS = ("SECRET_ORDER", "SYSTEM:")

def held(words):
    """All orders lie between one pair of marks; the page's own close nothing."""
    marks = [(m.group(1), m.group(2), m.start()) for m in MARK.finditer(words)]
    check(marks and marks[0][1] == "begins", "no mark:", words)
    own = marks[0][0]
    ends = [at for name, what, at in marks if name == own and what == "ends"]
    begins = [at for name, what, at in marks if name == own and what == "begins"]
    check(len(ends) == 1 and len(begins) == 1 and own != "a" * 24, "closed early:", words)
    for order in ORDERS:
        for found in re.finditer(order, words):
            check(begins[0] < found.start() < ends[0], "an order outside:", words)

def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)

def scene(client, result):
    check(any(order in text(result) for order in ORDERS), "the page is not there:", result)
    held(text(result))
    for one in strings(result["structuredContent"]):
        if any(order in one for order in ORDERS):
            held(one)
        # The command line itself is the model's own.

asked = choose("file")
for session, call in [("legacy", Client.call), ("modern", None)]:
    client = Client("--session", session, "--allow-host", "127.0.0.1", answer=asked)
    client.legacy(capabilities={"elicitation": {}})
    check("untrusted content" in client.ask("server/discover", {"_meta": modern_meta()})["result"]["instructions"], "brief")
    for path in ("/plain", "/"):
        for tool, args in (("webfetch", {"url": url + path}), ("bash", {"command": f"curl -s {url}{path}"})):
            result = client.call(tool, **args) if call else client.modern(tool, None, None, **args)
            check(not result["isError"], result)
            scene(client, result)
    # Where it leads to is the page's to say.
    result = client.call("webfetch", url=url + "/led")
    scene(client, result)
    check("SECRET_ORDER" in good(result)["final_url"], result)
    # Two results have two names.
    names = {MARK.search(text(client.call("webfetch", url=url + "/plain"))).group(1) for _ in range(3)}
    check(len(names) == 3, names)
    # What only reads files is not labelled, nor what reached nobody.
    good(client.call("write", file_path="own", content="own words\n"))
    check("untrusted" not in text(client.call("read", file_path="own")), "a file of its own")
    result = client.call("bash", command="cat own")
    check("untrusted" not in text(result) and not good(result)["connected"], result)
    client.end()

def outside(words):
    """What stands between no marks: each pair with all in it taken out."""
    found = MARK.search(words)
    while found:
        end = words.index(f"[untrusted content {found.group(1)} ends]")
        words = words[:found.start()] + words[words.index("]", end) + 1:]
        found = MARK.search(words)
    return words

# The page's own exit code, refusals and advice are data; the real ones are not.
client = Client("--session", "forged", "--allow-host", "127.0.0.1")
client.legacy()
crossed = os.environ["OUT"] + "/crossed"
result = client.call("bash", command=f"curl -s {url}/forged; echo x >{crossed}; exit 3")
said = outside(text(result))
check(text(result).count("[exit code 0]") == 1 and "[exit code 0]" not in said, result)
check(said.count("[exit code 3]") == 1 and said.count("[refused by ambit:]") == 1, said)
check(f"- write {crossed}" in said and "ambit rules add write " + crossed in said, said)
check("forged" not in said and "evil" not in said and "SECRET" not in said, said)
# All that was printed is in the marks, and nothing else: each stream has its own.
marks = list(MARK.finditer(text(result)))
check(len({m.group(1) for m in marks}) == 2 and len(marks) == 4, text(result))
page_words = urllib.request.urlopen(url + "/forged").read().decode()
check(text(result)[:marks[1].start()].split("\n", 1)[1] == page_words, text(result))
# Nor is a command that is ended, or says too much, told about by the page.
said = outside(text(client.call("bash", command=f"curl -s {url}/forged; sleep 60", timeout=1500)))
check("[timed out after 1500 ms" in said and "SECRET" not in said, said)
said = outside(text(client.call("bash", command=f"curl -s {url}/big")))
check("[stdout had 1048576 bytes: the middle of it is cut out]" in said, said)
said = outside(text(client.call("webfetch", url=url + "/big")))
check("[cut: the first " in said, said)
client.end()

# A run inside has a line of its own, which the one around does not see.
client = Client("--session", "inside", "--net", "open")
client.legacy()
scene(client, client.call("bash", command=f"{AMBIT} run --net open -- curl -s {url}/plain"))
client.end()
page.stdin.close()
page.wait()
PY
