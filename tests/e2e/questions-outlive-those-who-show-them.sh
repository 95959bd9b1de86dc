#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each channel is killed while it shows a question. If somebody else can answer, the question
# waits for that one; if nobody is left, it is a no, at once, and the program goes on.
. "${0%/*}/line.bash"
export AMBIT OUT PYTHONPATH=$HERE
approver hang <<'END'
#!/bin/sh
cat >/dev/null
echo $$ >"$OUT/approver"
exec sleep 1000
END
export approver

"$PYTHON" -B - <<'PY'
import signal
import mcp
import serve
from live import *

OUT = os.environ["OUT"]


def path(name):
    return f"{OUT}/{name}"


def killed(name):
    """Waits for the number that the program left there, and kills it."""
    eventually(lambda: os.path.exists(path(name)) and open(path(name)).read().strip(), name)
    os.kill(int(open(path(name)).read()), signal.SIGKILL)
    os.unlink(path(name))


# Without ambit it is written.
check(subprocess.run(["sh", "-c", f"echo x >{path('natural')}"]).returncode == 0, "natural")

# The only one who watches: a real ambit watch, killed. Nobody is left.
run = Run("--", *SHELL)
watch = subprocess.Popen([os.environ["AMBIT"], "watch", "--json"], stdout=subprocess.PIPE, stdin=subprocess.PIPE)
until = time.monotonic() + PATIENCE
link = Link(run.pid)
while link.ask("hello")["watchers"] == 0:
    check(time.monotonic() < until, "ambit watch does not come")
    time.sleep(0.02)
run.tell(f"echo x >{path('a')}")
for line in watch.stdout:
    if json.loads(line)["type"] == "question":
        break
watch.kill()
check(run.line() == "=1" and not os.path.exists(path("a")), "the last watcher was killed")

# One of two who watch: the other answers.
first, second = Link(run.pid).watch(), Link(run.pid).watch()
run.tell(f"echo x >{path('b')}")
question = first.heard("question")
second.heard("question")
first.close()
second.ask("answer", id=question["id"], answer="file")
check(run.line() == "=0" and open(path("b")).read() == "x\n", "the other watcher answers")
second.close()
run.process.kill()

# A program that answers is killed: a no.
run = Run("--ask", "exec:" + os.environ["approver"], "--", *SHELL)
run.tell(f"echo x >{path('c')}")
killed("approver")
check(run.line() == "=1" and not os.path.exists(path("c")), "the program was killed")
# The same while somebody watches, who then answers.
link = Link(run.pid).watch()
run.tell(f"echo x >{path('d')}")
question = link.heard("question")
killed("approver")
check(link.ask("answer", id=question["id"], answer="once") == {}, "it is open still")
check(run.line() == "=0" and open(path("d")).read() == "x\n", "the watcher answers for it")
run.process.kill()

# The judge is killed while it thinks: the watcher is asked then.
config = os.environ["XDG_CONFIG_HOME"] + "/ambit/config.json"
with open(config, "w") as file:
    json.dump({"judge": {"command": [os.environ["approver"]], "timeout_ms": 60000}}, file)
run = Run("--", *SHELL)
link = Link(run.pid).watch()
run.tell(f"echo x >{path('h')}")
eventually(lambda: os.path.exists(path("approver")), "the judge is asked")
check(not link.notified, "asked beside the judge")
killed("approver")
question = link.heard("question")
link.ask("answer", id=question["id"], answer="once")
check(run.line() == "=0" and open(path("h")).read() == "x\n", "after the judge was killed")
run.process.kill()
os.unlink(config)

# A command of a server asks over a descriptor; the server is killed. The command is refused and
# ends: nobody is left who waits for it.
client = serve.Client()
pending = client.ask("execute", ask=True, command=f"echo $$ >pid; echo x >{path('i')}; sleep 1000")
check("pending" in pending, pending)
pid = int(open("pid").read())
client.process.kill()
eventually(lambda: not os.path.exists(f"/proc/{pid}"), "the command ends with its server")
check(not os.path.exists(path("i")), "written when the server was killed")

# The client of MCP goes away while its form is open: nothing is written, and the server ends.
client = mcp.Client(answer=lambda params: None)
client.legacy(capabilities={"elicitation": {}})
client.start("tools/call", {"name": "write", "arguments": {"file_path": path("e"), "content": "x"}})
while not client.asked:
    check(client.take(), "the server ended")
client.process.stdin.close()
check(client.process.wait(PATIENCE) == 0 and not os.path.exists(path("e")), "the client of MCP is gone")

# The harness of serve goes away with a pending question.
client = serve.Client()
check("pending" in client.call("write", True, file_path=path("f"), content="x"), "pending")
client.input.close()
check(client.process.wait(PATIENCE) == 0 and not os.path.exists(path("f")), "the harness is gone")
PY

# The terminal is closed: the run ends by it, and nothing is written.
cat >"$TEST_DIR/close.py" <<'PY'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(os.environ["AMBIT"], [os.environ["AMBIT"], "run", "--", "sh", "-c", "echo x >" + sys.argv[1]])
shown = b""
while b"ambit> " not in shown:
    shown += os.read(fd, 65536)
os.close(fd)
print(os.waitpid(pid, 0)[1] != 0)
PY
status 0 timeout 60 "$PYTHON" -B "$TEST_DIR/close.py" "$OUT/g"
says True
[[ ! -e $OUT/g ]] || fail "written when the terminal was closed"
