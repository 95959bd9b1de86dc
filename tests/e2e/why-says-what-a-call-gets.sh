#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# why for a tool at each door: the verdict and the code are those of the real call, for what
# only ambit's own tools are held to: where a command stands, and in which folder an agent works.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p sub
echo x >sub/plain
ln -s "$OUT" way
ln -s sub aside
export P OUT
"$PYTHON" -B - <<'PY'
import json, os, subprocess
import mcp, serve
from peer import check

P, OUT, AMBIT = os.environ["P"], os.environ["OUT"], os.environ["AMBIT"]

def why(door, tool, args):
    told = subprocess.run([AMBIT, "why", "--json", "--door", door, "tool", tool, json.dumps(args)],
                          stdout=subprocess.PIPE)
    check(told.returncode in (0, 10, 11), tool, args, told)
    answer = json.loads(told.stdout)
    return answer["verdict"], answer["code"]

by_mcp = mcp.Client()
by_mcp.legacy()
by_serve = serve.Client()

def of_mcp(tool, args):
    structured = by_mcp.call(tool, **args)["structuredContent"]
    return structured.get("error"), structured.get("asked")

def of_serve(tool, args):
    result = by_serve.ask("call", tool=tool, args=args)
    return result.get("error"), result["structured"].get("asked")

def of_decide(tool, args):
    line = json.dumps({"tool": tool, "args": args}) + "\n"
    told = subprocess.run([AMBIT, "decide"], input=line.encode(), stdout=subprocess.PIPE)
    answer = json.loads(told.stdout)
    return answer["verdict"], answer["code"]

def made():
    return [place for place in (P, P + "/sub", OUT) if os.path.exists(place + "/made")]

def bash(cwd):
    return {"command": "touch made", "cwd": cwd}

def agent(folder):
    return {"name": "hand", "folder": folder, "task": "write made x"}

refused = [
    ("bash", bash(OUT), "OutOfScope"),          # elsewhere
    ("bash", bash(".."), "OutOfScope"),
    ("bash", bash("way"), "OutOfScope"),        # a link out
    ("bash", bash("nowhere"), "BadArguments"),  # missing
    ("bash", bash("sub/plain"), "BadArguments"),  # a file
    ("run_agent", agent(OUT), "OutOfScope"),
    ("run_agent", agent("way"), "OutOfScope"),
    ("run_agent", agent(".."), "OutOfScope"),
]
allowed = [("bash", bash(P)), ("bash", bash("sub")), ("bash", bash("aside")),
           ("run_agent", agent("sub"))]

for door, call in ("mcp", of_mcp), ("serve", of_serve):
    # It works where it may: what is refused below would have left a file.
    for tool, args in allowed:
        check(why(door, tool, args) == ("allow", None), door, tool, args, why(door, tool, args))
        check(call(tool, args)[0] is None and made(), door, tool, args)
        for place in made():
            os.unlink(place + "/made")
    for tool, args, code in refused:
        check(why(door, tool, args) == ("deny", code), door, tool, args, why(door, tool, args))
        check(call(tool, args) == (code, False), door, tool, args, call(tool, args))
        check(not made(), door, tool, args, made())

# A bash of somebody else's is held by nothing, and where it stands is not known.
for tool, args in allowed + [(tool, args) for tool, args, code in refused]:
    check(why("decide", tool, args) == of_decide(tool, args), tool, args, of_decide(tool, args))
    if tool == "bash":
        check(of_decide(tool, args) == ("ask", None), args, of_decide(tool, args))
check(of_decide("run_agent", agent(OUT)) == ("ask", "Outside"), of_decide("run_agent", agent(OUT)))
PY
