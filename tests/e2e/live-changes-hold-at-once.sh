#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mode, perm and rules act on a session that runs, for its next call, and say where; back
# again as well, also where the run was started to plan. Reading and devices go on in plan
# mode. perms and sandbox show what holds there; without a live session it is stored.
. "${0%/*}/line.bash"
export AMBIT OUT PYTHONPATH=$HERE
"$PYTHON" -B - <<'PY'
from live import *

OUT = os.environ["OUT"]


def does(run, line):
    run.tell(line)
    return int(run.line()[1:])


def said(run, *args):
    """A command that acts on the live session of this run, and says so."""
    done = ambit(*args)
    check(done.returncode == 0, args, done.stderr)
    check(f"in force now in: run (pid {run.pid})" in done.stdout, args, done.stdout)


os.mkdir("sub")
run = Run("--session", "one", "--", *SHELL)
Link(run.pid).close()
check(does(run, "echo 1 >file && echo 1 >sub/file") == 0, "at first")

# Plan, and back. The folder itself is looked at call by call, sub is the floor's.
said(run, "mode", "plan")
for line in ("echo 2 >file", "echo 2 >sub/file", "echo 2 >>sub/file", ": >sub/new", "mkdir sub/d",
             "rm sub/file", "mv sub/file sub/other", "ln sub/file sub/l", "truncate -s 0 sub/file",
             "chmod 600 sub/file", "touch sub/file", "ln -s x sub/s"):
    check(does(run, "{ " + line + "; } 2>/dev/null") != 0, line, "in plan mode")
check(open("sub/file").read() == "1\n" and os.listdir("sub") == ["file"], os.listdir("sub"))
for line in ("cat sub/file >/dev/null", "ls -la . sub >/dev/null", "echo x >/dev/null",
             "echo x 2>/dev/null >&2", "cat <(echo x) >/dev/null", "echo x >$TMPDIR/x && cat $TMPDIR/x >/dev/null",
             "python3 -c 'import os, tempfile; tempfile.TemporaryFile()'", "flock -n 9 9<file",
             "echo x | cat >/dev/stderr", "exec 7<>/dev/zero; exec 7>&-"):
    check(does(run, line) == 0, line, "in plan mode, and it is no write")
state = json.loads(ambit("sandbox", "--json").stdout)
check(state["agent_mode"] == "plan" and state["live"][0]["narrowed"] is True, state)
check(state["live"][0]["refused"] >= 10, state["live"][0]["refused"])
shown = ambit("sandbox").stdout
for text in (f"live          run (pid {run.pid})", "floor       Landlock", "gate        ",
             "less is allowed now", "refused     write sub/file (PlanMode), bash"):
    check(text in shown, text, "not in", shown)
said(run, "mode", "build")
check(does(run, "echo 3 >file && echo 3 >sub/file && mkdir sub/d && rmdir sub/d") == 0, "build again")
check(json.loads(ambit("sandbox", "--json").stdout)["live"][0]["narrowed"] is False, "wide again")

# A tool's permission.
said(run, "perm", "write", "deny")
check(does(run, "echo 4 >sub/file 2>/dev/null") != 0, "perm write deny")
check("deny" in [r["permission"] for r in json.loads(ambit("perms", "--json").stdout)
                 if r["tool"] == "write"], "perms")
said(run, "perm", "write", "default")
check(does(run, "echo 5 >sub/file") == 0, "perm write default")

# Rules: yes, and taken back; no about a part of the folder, and taken back.
check(does(run, f"echo x >{OUT}/a") != 0, "outside")
said(run, "rules", "add", "write", OUT, "--session", "one")
check(does(run, f"echo x >{OUT}/a") == 0, "after a rule")
given = json.loads(ambit("sandbox", "--json").stdout)["live"][0]["given"]
check([g["path"] for g in given] == [OUT + "/a"] and given[0]["program"] == "bash", given)
said(run, "rules", "revoke", "1")
check(does(run, f"echo x >{OUT}/b") != 0, "after it was revoked")
said(run, "rules", "add", "write", "sub", "--no")
check(does(run, "echo 6 >sub/file") != 0, "after a no about sub")
check(does(run, "echo 6 >file") == 0, "which is not about file")
said(run, "rules", "revoke", "2")
check(does(run, "echo 7 >sub/file") == 0, "and that revoked")
check(json.loads(ambit("rules", "add", "write", OUT, "--session", "one", "--json").stdout)
      ["live"][0]["pid"] == run.pid, "--json")
run.process.stdin.close()
run.process.wait(PATIENCE)
done = ambit("mode", "plan")
check("no live session: holds when one is started with --session one" in done.stdout, done.stdout)

# Started to plan: what is allowed later is done on its behalf.
run = Run("--mode", "plan", "--session", "two", "--", *SHELL)
Link(run.pid).close()
check(does(run, "echo 8 >sub/file") != 0, "started to plan")
said(run, "mode", "build", "--session", "two")
check(does(run, "echo 8 >file && echo 8 >sub/file && mkdir -p sub/e/f && mv sub/e sub/g && rm -r sub/g "
                "&& ln -s x sub/s && rm sub/s && truncate -s 1 sub/file && chmod 600 sub/file") == 0, "told to build")
check(open("sub/file").read() == "8", "not written")
said(run, "mode", "plan", "--session", "two")
check(does(run, "echo 9 >sub/file") != 0, "and to plan again")
check(open("sub/file").read() == "8", "written")
run.process.kill()

# What runs inside is held to it as well, though it has a session of its own; and that
# one cannot be told to do more than the one around it.
run = Run("--session", "outer", "--", os.environ["AMBIT"], "run", "--session", "inner", "--quiet",
          "--", *SHELL)
check(does(run, "echo 1 >sub/file") == 0, "inside, at first")
said(run, "mode", "plan", "--session", "outer")
check(does(run, "echo 2 >sub/file 2>/dev/null") != 0 and open("sub/file").read() == "1\n", "inside, in plan mode")
done = ambit("mode", "build", "--session", "inner")
check("in force now in: run (pid " in done.stdout, done.stdout)
check(does(run, "echo 2 >sub/file 2>/dev/null") != 0 and open("sub/file").read() == "1\n", "wider than outside")
said(run, "mode", "build", "--session", "outer")
check(does(run, "echo 3 >sub/file") == 0, "inside, told to build again")
said(run, "perm", "write", "deny", "--session", "outer")
check(does(run, "echo 4 >sub/file 2>/dev/null") != 0 and open("sub/file").read() == "3\n", "perm, inside")
run.process.stdin.close()
run.process.wait(PATIENCE)

# An open question is settled by a rule that covers it.
run = Run("--session", "three", "--", *SHELL)
link = Link(run.pid).watch()
run.tell(f"echo x >{OUT}/c")
link.heard("question")
said(run, "rules", "add", "write", OUT, "--session", "three")
check(link.heard("closed")["text"] == "allowed by another answer or a rule" and run.line() == "=0", "still asked")
# And by plan mode it is none.
run.tell("echo x >/nowhere/at/all 2>/dev/null; echo x >" + os.environ["HOME"] + "/d")
link.heard("question")
said(run, "mode", "plan", "--session", "three")
check(link.heard("closed")["text"] == "refused by another answer, a rule or a mode" and run.line() == "=1",
      "asked in plan mode")
run.process.kill()
PY
