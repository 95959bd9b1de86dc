#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A call of `ambit serve` may bring its own scope. Each of its keys holds for the file tools, for
# commands and for sub-agents, and none makes the call wider than the server: judged by what is
# in the files afterwards.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p a/deep b
export OUT
"$PYTHON" -B - <<'PY'
import os
from serve import *

out, here = os.environ["OUT"], os.getcwd()
# With a grant of its own, which no scope that is law gets.
granted = out + "/granted"
os.mkdir(granted)
client = Client("--session", "s1", "--write", granted)


def scoped(tool, scope, ask=False, **args):
    return client.ask("call", tool=tool, args=args, scope=scope, **({"ask": True} if ask else {}))


def execute(command, ask=False, **more):
    return client.ask("execute", command=command, **({"ask": True} if ask else {}), **more)


def gone(*paths):
    for path in paths:
        check(not os.path.lexists(path), path, "is there")


def clear(*paths):
    for path in paths:
        check(content(path) is not None, path, "is not there")
        os.unlink(path)


A = {"root": "a"}

# -- root: without it each of these works; with it only what is inside -------------------------
tries = ["b/by-tool", "b/by-bash", granted + "/by-tool", granted + "/by-bash"]
for path in tries:
    if path.endswith("tool"):
        check(client.call("write", file_path=path, content="x")["ok"], path)
    else:
        check(client.call("bash", command="echo x > " + path)["structured"]["exit_code"] == 0, path)
clear(*tries)
for path in tries:
    if path.endswith("tool"):
        r = scoped("write", A, file_path=path, content="x")
        check(r["error"] == "OutOfScope" and r["structured"]["asked"] is False, r)
        check(r["structured"]["scope"] == "a", r)
    else:
        target = path if path[0] == "/" else here + "/" + path
        r = scoped("bash", A, command="echo x > " + target)["structured"]
        check(r["exit_code"] != 0 and r["refused"][0]["code"] == "OutOfScope", r)
        check(r["refused"][0]["subject"] == path and "(a)" in r["refused"][0]["message"], r)
gone(*tries)
check(scoped("write", A, file_path="a/in", content="x")["ok"], "inside, by the tool")
e = execute("pwd; echo $AMBIT_FOLDER; echo y > deep/in; echo z > in2", scope=A)
check(e["stdout"] == (here + "/a\n") * 2, "where it runs:", e)
check(content("a/deep/in") == "y\n" and content("a/in2") == "z\n", "inside, by a command")
# Moved, linked, by a link and by another name: the folder ends where it ends.
with open("b/kept", "w") as file:
    file.write("kept")
os.symlink("../b", "a/up")
e = execute("mv in2 ../b/in2; ln in ../b/in; ln ../b/kept kept; echo x > up/x; echo x > ../b/kept;"
            " rm -f ../b/kept; mv ../b/kept .; mkdir ../b/d; touch ../c; mv ../b bb; rmdir ../b", scope=A)
check(os.listdir("b") == ["kept"] and content("b/kept") == "kept", "the sibling was changed:", e)
gone("c")
# mv copies where it cannot rename: what is in the scope then is a file of its own.
check(os.stat("b/kept").st_nlink == 1 and os.stat("a/kept").st_ino != os.stat("b/kept").st_ino, "a link")
check(scoped("write", A, file_path="a/up/x", content="x")["error"] == "SymlinkEscape", "up")
check(scoped("move", A, src="a/in", dst="b/in")["error"] == "OutOfScope", "move out")
check(scoped("move", A, src="b/kept", dst="a/kept")["error"] == "OutOfScope", "move in")
check(scoped("delete", A, path="b/kept")["error"] == "OutOfScope", "delete")
check(os.listdir("b") == ["kept"] and content("a/in") == "x", "the sibling was changed")
os.unlink("a/up")
# Reads range over everything, as ever.
check("kept" in scoped("read", A, file_path="b/kept")["text"], "read")
check(execute("cat ../b/kept", scope=A)["stdout"] == "kept", "read by a command")
# A cwd is inside the scope, not only inside the folder.
check(execute("pwd", cwd="a/deep", scope=A)["stdout"] == here + "/a/deep\n", "cwd")
e = execute("touch made", cwd="b", scope=A)
check(e["ok"] is False and e["error"] == "OutOfScope", e)
gone("b/made")
# A guard inside is asked about, as ever.
r = scoped("write", A, file_path="a/.envrc", content="x")
check(r["error"] == "Guarded" and r["structured"]["asked"] is False, r)
check(execute("echo x > .envrc", scope=A)["refused"][0]["code"] == "Guarded", "a guard by a command")
gone("a/.envrc")

# A command in the background would outlive its scope.
r = scoped("bash", A, command="touch ../b/back", background=True)
check(r["ok"] is False and r["error"] == "BadArguments", r)
gone("b/back", "a/back")

# -- enforce_write: off, what is outside of the scope is a question -----------------------------
soft = {"root": "a", "enforce_write": False}
r = scoped("write", soft, file_path="b/x", content="x")
check(r["error"] == "Outside" and r["structured"]["asked"] is False, r)
e = execute("echo x > ../b/x", scope=soft)
check(e["refused"][0]["code"] == "Outside" and e["refused"][0]["allow"].endswith(here + "/b/x"), e)
gone("b/x")
r = scoped("write", soft, True, file_path="b/x", content="x")
check(r["question"]["object"].endswith("b/x"), r)
gone("b/x")
r = client.ask("answer", pending=r["pending"], answer="no")
check(r["structured"]["error"] == "Denied" and r["structured"]["asked"] is True, r)
gone("b/x")
r = execute("echo x > ../b/x; echo y > ../b/y", True, scope=soft)
check(r["question"]["object"].endswith("b/x"), r)
r = client.ask("answer", pending=r["pending"], answer="file")
check("b/y" in r["question"]["object"] and content("b/x") == "x\n", r)
r = client.ask("answer", pending=r["pending"], answer="no")
check(r["refused"][0]["asked"] is True and r["refused"][0]["code"] == "Denied", r)
gone("b/y")
clear("b/x")
# An answer for the session is the server's: it counts for the next call, where that asks.
check(execute("echo z > ../b/x", scope=soft)["exit_code"] == 0 and content("b/x") == "z\n", "remembered")
check(scoped("write", soft, file_path="b/x", content="w")["ok"] and content("b/x") == "w", "remembered")
e = execute("echo v > ../b/x", scope=A)
check(e["refused"][0]["code"] == "OutOfScope" and content("b/x") == "w", "an answer opens no law:", e)
check(scoped("write", A, file_path="b/x", content="v")["error"] == "OutOfScope", "an answer opens no law")
# What is open to the server is open there, too, and what is ambit's own is not.
check(execute("echo x > " + granted + "/soft", scope=soft)["exit_code"] == 0, "the grant")
check(content(granted + "/soft") == "x\n", "the grant")
alone = {"root": "a", "display_root": "a", "enforce_write": False}
check(scoped("write", alone, True, file_path=here + "/.ambit.json", content="{}")["error"] == "Protected", "own")
e = execute("echo '{}' > ../.ambit.json", True, scope=alone)
check(e["refused"][0]["code"] == "Protected", e)
gone(".ambit.json")
# On without a root, all of the folder is law.
check(scoped("write", {"enforce_write": True}, file_path=out + "/x", content="x")["error"] == "OutOfScope", "law")
e = execute("echo x > b/law; echo x > " + out + "/x", scope={"enforce_write": True})
check(content("b/law") == "x\n" and e["refused"][0]["code"] == "OutOfScope", e)
gone(out + "/x")

# -- display_root: where relative paths begin, and how all are shown ------------------------------
r = scoped("write", {"root": "a", "display_root": "a"}, file_path="rel", content="x")
check(r["ok"] and r["structured"]["path"] == "rel" and content("a/rel") == "x", r)
check("rel" in scoped("glob", {"root": "a", "display_root": "a"}, pattern="r*")["text"], "glob")
r = scoped("write", {"root": "a/deep", "display_root": "a"}, file_path="rel", content="y")
check(r["error"] == "OutOfScope" and content("a/rel") == "x", r)
check("rel is outside this scope (deep)" in r["text"], r)
e = execute("echo y > ../rel", scope={"root": "a/deep", "display_root": "a"})
check("rel is outside this scope (deep)" in e["refused"][0]["message"], e)
check(content("a/rel") == "x", "written")
r = scoped("write", {"display_root": os.path.dirname(here)}, file_path="project/up", content="x")
check(r["ok"] and content("up") == "x", r)
r = scoped("write", {"root": "a", "display_root": "b"}, file_path="x", content="x")
check(r["error"] == "BadArguments", r)

# -- allow_bash -------------------------------------------------------------------------------------
for scope in [{"allow_bash": False}, {"root": "a", "allow_bash": False}]:
    check(scoped("bash", scope, command="touch ran")["error"] == "BashNotAllowed", scope)
    check(execute("touch ran", True, scope=scope)["error"] == "BashNotAllowed", scope)
    check(execute(["touch", "ran"], scope=scope)["error"] == "BashNotAllowed", scope)
    check(scoped("run_agent", scope, name="hand", folder="a", task="write ran x")["error"] == "BashNotAllowed", scope)
gone("ran", "a/ran")

# -- never wider -------------------------------------------------------------------------------------
os.symlink(out, "a/link")
os.symlink("deep", "a/near")
with open("a/file", "w") as file:
    file.write("f")
for root, code in [("..", "OutOfScope"), ("a/../..", "OutOfScope"), (out, "OutOfScope"), ("/", "OutOfScope"),
                   ("a/link", "OutOfScope"), (granted, "OutOfScope"), ("/proc/self/cwd/..", "Unresolvable"),
                   ("a/file", "Unresolvable"), ("none", "Unresolvable"), ("", "Unresolvable"),
                   ("/proc/1/root", None)]:
    for enforce in [{}, {"enforce_write": False}]:
        scope = {"root": root, "display_root": "/", **enforce}
        r = scoped("write", scope, file_path=out + "/wider", content="x")
        check(r["ok"] is False and r["error"] in (code, "Unresolvable", "OutOfScope"), root, r)
        check(code is None or r["error"] == code, root, r)
        check(r["structured"].get("asked") is False, r)
        r = execute("touch ran " + out + "/wider", scope=scope)
        check(r["ok"] is False and r["error"], root, r)
    d = client.ask("decide", tool="write", args={"file_path": out + "/wider"}, scope={"root": root})
    check(d["verdict"] == "deny" and d["asked"] is False, d)
gone(out + "/wider", out + "/ran", "ran", "a/ran")
# By a link it is the directory that the link leads to.
check(execute("echo x > ../out-of-deep; echo x > in-near", scope={"root": "a/near"})["exit_code"] == 0, "near")
check(content("a/deep/in-near") == "x\n", "near")
gone("a/out-of-deep")
for wrong in [{"rot": "a"}, {"root": 1}, {"root": "a\0b"}, {"enforce_write": 1}, {"allow_bash": None}]:
    r = scoped("write", wrong, file_path="a/wrong", content="x")
    check(r["error"] == "BadArguments" and "scope" in r["text"], wrong, r)
    check("asked" not in r["structured"], "malformed, not refused:", r)
    check(client.ask("decide", tool="ls", scope=wrong)["code"] == "BadArguments", wrong)
gone("a/wrong")

# -- a sub-agent of a scoped call is inside that scope -------------------------------------------------
r = scoped("run_agent", A, name="hand", folder="b", task="write by-agent x")
check(r["error"] == "OutOfScope", r)
r = scoped("run_agent", A, name="hand", folder="a/deep", task="write by-agent x\nwrite ../by-agent x")
check(content("a/deep/by-agent") is not None, r)
gone("b/by-agent", "a/by-agent")

# -- one session, one chain ----------------------------------------------------------------------------
check(client.ask("log", verify=True)["ok"], "the chain")
client.end()
PY
settings '{"children_ask": true, "permissions": {"bash": "ask"}}'
"$PYTHON" -B - <<'PY'
import os
from serve import *

out, here = os.environ["OUT"], os.getcwd()
client = Client("--session", "s2")

# children_ask does not loosen a scope that is law: nobody is asked.
r = client.ask("call", tool="run_agent", args={"name": "hand", "folder": "a/deep", "task": "write ../asked x"},
               scope={"root": "a"}, ask=True)
while "pending" in r:
    check(r["question"]["kind"] == "call", r)
    r = client.ask("answer", pending=r["pending"], answer="once")
check(not os.path.exists("a/asked"), "written")

# Between the question and the run the scope's folder is put aside for a link: nothing runs in
# what the link leads to, inside the server's folder or outside.
for target in [out, here + "/b"]:
    for method, params in [
        ("execute", {"command": "touch swapped"}),
        ("execute", {"command": ["touch", "swapped"]}),
        ("call", {"tool": "write", "args": {"file_path": "a/.envrc", "content": "x"}}),
        ("call", {"tool": "write", "args": {"file_path": target + "/.envrc", "content": "x"}}),
    ]:
        r = client.ask(method, scope={"root": "a"}, ask=True, **params)
        if "pending" not in r:
            check(r["error"] == "OutOfScope", r)
            continue
        os.rename("a", "aside")
        os.symlink(target, "a")
        r = client.ask("answer", pending=r["pending"], answer="once")
        os.unlink("a")
        os.rename("aside", "a")
        check(r.get("ok") is False, method, params, r)
        for name in ["swapped", ".envrc"]:
            check(not os.path.lexists(target + "/" + name), target, name, r)
            check(not os.path.lexists("a/" + name), name, r)
# As it was, both are done.
r = client.ask("execute", command=["touch", "swapped"], scope={"root": "a"}, ask=True)
check(client.ask("answer", pending=r["pending"], answer="once")["exit_code"] == 0, r)
check(os.path.exists("a/swapped"), "not done")
client.end()
PY
# The commands of scoped calls are of the server's session, which is no session inside another.
status 0 "$AMBIT" sessions --json
[[ $(jq -r 'select(.name == "s1" or .name == "s2") | .name' <<<"$out" | sort | tr '\n' ' ') == "s1 s2 " ]] ||
	fail "sessions: $out"
status 0 "$AMBIT" log verify
status 0 "$AMBIT" sandbox --json
[[ $out == *'"s2"'* ]] || fail "the newest session of the folder is not s2: $out"

# Where nothing holds commands, there are none in a narrower scope.
"$PYTHON" -B - <<'PY'
import os
from serve import *

client = Client("--session", "s3", "--backend", "subprocess", "--allow-bash", "--ask", "allow")
for scope in [{"root": "a"}, {"root": "a", "enforce_write": False}, {"enforce_write": True}]:
    r = client.ask("execute", command="touch loose", scope=scope)
    check(r["ok"] is False and r["error"] == "BashNotAllowed" and r["asked"] is False, r)
check(not os.path.exists("loose") and not os.path.exists("a/loose"), "it ran")
check(client.ask("execute", command=["touch", "loose"])["exit_code"] == 0, "without a scope")
check(os.path.exists("loose"), "it did not run")
r = client.ask("execute", command=["no such program"])
check(r["ok"] is False and "no such program" in r["message"], r)
client.end()
PY
