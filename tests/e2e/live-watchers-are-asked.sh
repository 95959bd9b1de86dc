#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where nobody could be asked, one who watches is: his answer holds, and is recorded as his.
# Nobody watches, or the last one leaves: it is a no at once. Who said --ask deny is not
# asked elsewhere. What was answered, expired or is not waited for any more is told, and
# an answer to it is none.
. "${0%/*}/line.bash"
export AMBIT OUT
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
from live import *

OUT = os.environ["OUT"]

# Nobody watches: no, at once.
run = Run("--session", "one", "--", *SHELL)
run.tell(f"echo x >{OUT}/a")
check(run.line() == "=1" and not os.path.exists(OUT + "/a"), "nobody was there")

# Somebody does: it waits, and is done.
link = Link(run.pid).watch()
check(link.ask("hello")["watchers"] == 1, "not counted")
run.tell(f"echo x >{OUT}/b")
question = link.heard("question")
check(question["what"] == f"write {OUT}/b", question)
check(not os.path.exists(OUT + "/b"), "done before it was answered")
check(question["expires"] == 0, "one who watches has no time limit")
check([c["answer"] for c in question["choices"]][:3] == ["no", "no-session", "once"], question)
second = Link(run.pid).watch()
check(second.heard("question")["id"] == question["id"], "another number for a second one")
link.ask("answer", id=question["id"], answer="file")
check(run.line() == "=0" and open(OUT + "/b").read() == "x\n", "not written")
for each in (link, second):
    check(each.heard("closed") == {"id": question["id"], "how": "answered", "text": "allowed in ambit watch"}, "not closed")
check(second.error("answer", id=question["id"], answer="no")["code"] == -32001, "answered twice")
# What was answered for the session is not asked again.
run.tell(f"echo y >{OUT}/b")
check(run.line() == "=0", "asked again")

# What was not offered is no answer; the question stays open.
run.tell(f"echo x >{OUT}/c")
question = link.heard("question")
for bad in ({"answer": "yes"}, {"answer": "folder", "path": "/"}, {"answer": "once", "x": 1},
            {"answer": "once", "message": "a\0b"}, {}):
    check(link.error("answer", id=question["id"], **bad)["code"] == -32602, bad)
check(link.error("answer", id=question["id"] + 1, answer="once")["code"] == -32001, "no such")
check(link.error("answer", id="1", answer="once")["code"] == -32602, "no number")
link.ask("answer", id=question["id"], answer="no", message="not there")
check(run.line() == "=1" and not os.path.exists(OUT + "/c"), "a no")

# A call that nobody waits for any more takes its question along.
second.notified.clear()
link.notified.clear()
run.tell(f"bash -c 'echo x >{OUT}/d' & read -r go; kill -9 $!; wait $! 2>/dev/null")
question = link.heard("question")
run.tell("go")
check(link.heard("closed") == {"id": question["id"], "how": "gone", "text": "withdrawn: the program is gone"}, "not withdrawn")
check(run.line() == "=137", "the one who asked went on")

# One leaves, one stays; the last one leaves with a question open: a no.
run.tell(f"echo x >{OUT}/e")
link.heard("question")
link.close()
check(second.ask("hello")["watchers"] == 1, "one is left")
second.close()
check(run.line() == "=1" and not os.path.exists(OUT + "/e"), "nobody is left")
run.process.stdin.close()
check(run.process.wait(PATIENCE) == 0, "its end")
said = [json.loads(l) for l in ambit("log", "--session", "one", "--kind", "answer",
                                     "--json").stdout.splitlines()]
by = [(e["body"]["answer"], e["body"]["approver"]) for e in said]
check(("file", "watch") in by and ("no", "watch") in by, by)

# Time is up as ever.
with open(os.environ["XDG_CONFIG_HOME"] + "/ambit/config.json", "w") as f:
    f.write('{"question_timeout": 1}')
run = Run("--", *SHELL)
link = Link(run.pid).watch()
run.tell(f"echo x >{OUT}/f")
question = link.heard("question")
check(question["expires"] > 0, "no limit although one is set")
check(link.heard("closed") == {"id": question["id"], "how": "expired", "text": "expired: nobody answered in time"}, "not expired")
check(run.line() == "=1" and not os.path.exists(OUT + "/f"), "after its time")
run.process.kill()
os.unlink(os.environ["XDG_CONFIG_HOME"] + "/ambit/config.json")

# It was said who answers.
run = Run("--ask", "deny", "--", *SHELL)
link = Link(run.pid).watch()
check(link.ask("watch")["asks"] is False, "asks")
run.tell(f"echo x >{OUT}/g")
check(run.line() == "=1" and not os.path.exists(OUT + "/g"), "asked although --ask deny")
check(not link.notified and link.error("answer", id=1, answer="once")["code"] == -32001, "deny")
run.process.kill()

# A run inside another asks nobody. Those that were killed left their names.
eventually(lambda: ambit("sessions") and not sockets(), "they are removed")
run = Run("--", os.environ["AMBIT"], "run", "--quiet", "--", *SHELL)
run.tell("echo x >inside")
check(run.line() == "=0" and len(sockets()) == 2, sockets())
links = [Link(pid).watch() for pid in sockets()]
run.tell(f"echo x >{OUT}/i")
check(run.line() == "=1" and not os.path.exists(OUT + "/i"), "asked from inside")
check(not any(link.notified for link in links), "told")
run.process.stdin.close()
check(run.process.wait(PATIENCE) == 0, "its end")

# A tree that asks without end is slowed down for one who watches as for one at a terminal.
run = Run("--", *SHELL)
link = Link(run.pid).watch()
run.tell(f"for i in $(seq 60); do (: >{OUT}/many-$i) 2>/dev/null & done; wait")
told = {}
for _ in range(32):
    question = link.heard("question")
    told[question["id"]] = question["what"]
check(len(set(told.values())) == 32, "all that wait are shown", told)
for each in told:
    link.ask("answer", id=each, answer="no")
check(run.line() == "=0", "more than a burst")
check(not [m for m in link.notified if m[0] == "question"], "asked on", link.notified)
run.process.kill()
PY
