#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bash with background: the command goes on under the same line, later calls see what it prints and
# end it, its crossings are asked about, and it ends with the client that started it.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

code() {
	cat <<'PY'
import os
import signal
from mcp import *

OUT = os.environ["OUT"]
FORMS = {"elicitation": {}}

def there(name):
    return os.path.exists(f"{OUT}/{name}")

def until(holds, words):
    end = time.monotonic() + PATIENCE
    while not holds():
        check(time.monotonic() < end, words)
        time.sleep(0.02)

def start(client, command, **more):
    began = good(client.call("bash", command=command, background=True, **more))
    check(began["running"] is True and "exit_code" not in began, began)
    return began["id"]

def look(client, id, wait=20000):
    return client.call("bash_output", id=id, wait=wait)

def end(client, id):
    """All that it prints until its end, and its last result."""
    printed = ""
    while True:
        result = look(client, id)
        printed += result["structuredContent"]["stdout"]
        if not result["structuredContent"]["running"]:
            return printed, result

def said(line, printed):
    """Printed, and not only named in a mark."""
    return f"\n{line}\n" in "\n" + printed

def asleep(pid):
    return os.path.exists(f"/proc/{pid}")

def sleeper(client, name):
    """A command that sleeps, and its process."""
    id = start(client, f"echo $$ >{name}.new; mv {name}.new {name}; exec sleep 600")
    until(lambda: os.path.exists(name), "it did not start")
    return id, int(open(name).read())
PY
}

PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<PY
$(code)
client = Client("--session", "legacy", answer=choose("once"))
client.legacy(capabilities=FORMS)
os.mkfifo("gate")

# At once an id; then what is new since the last look, and how it ended.
id = start(client, "echo one; read -r line <gate; echo \$line; echo no >&2; exit 3")
result = look(client, id)
check(said("one", good(result)["stdout"]) and result["structuredContent"]["running"], result)
check("running for" in text(result) and "untrusted" in text(result), result)
result = look(client, id, wait=0)
check(good(result)["stdout"] == "" and "[no new output]" in text(result), result)
with open("gate", "w") as gate:
    gate.write("two\n")
printed, result = end(client, id)
check(said("two", printed) and not said("one", printed), printed)
check(result["structuredContent"]["exit_code"] == 3 and "[exit code 3]" in text(result), result)
# What was told is forgotten.
bad(look(client, id), "BadArguments")
bad(client.call("bash_stop", id="b999"), "BadArguments")

# A crossing is asked about at once, where a server may ask. No call waits for it.
id = start(client, f"echo x >{OUT}/asked && echo wrote")
printed, result = end(client, id)
check(there("asked") and said("wrote", printed) and len(client.asked) == 1, client.asked)
client.answer = choose("no", "rather not")
printed, result = end(client, start(client, f"echo x >{OUT}/refused"))
check(not there("refused") and "rather not" in text(result), result)
check(result["structuredContent"]["refused"][0]["asked"] is True, result)

# More than is shown is cut, and told; the size is what was printed.
id = start(client, "yes 0123456789 | head -c 3000000; echo; echo last; read -r line <gate")
size = 0
while size < 3000006:
    result = look(client, id)
    size += good(result)["stdout_size"]
check(said("last", text(result)) and len(text(result)) < 60000, len(text(result)))

# It can be ended, with all it started.
check(good(client.call("bash_stop", id=id))["stopped"] is True, "stop")
id, pid = sleeper(client, "pid1")
result = client.call("bash_stop", id=id)
check(good(result)["exit_code"] > 128 and "ended by bash_stop" in text(result), result)
check(not asleep(pid), "it lives on")
# By its time, too.
printed, result = end(client, start(client, "echo begun; sleep 600", timeout=300))
bad(result, "Timeout")
check(said("begun", printed), printed)

# A question that is open when it is stopped is taken back.
client.answer = None
n = len(client.asked)
id = start(client, f"echo x >{OUT}/open")
while len(client.asked) == n:
    check(client.take(), "the server ended")
good(client.call("bash_stop", id=id))
check(any(note["method"] == "notifications/cancelled" for note in client.notified), client.notified)
check(not there("open"), "open")

# So many and no more; the end of the server is theirs.
pids = []
for n in range(16):
    id, pid = sleeper(client, f"many{n}")
    pids.append(pid)
words = bad(client.call("bash", command="true", background=True))
check("16 commands" in words, words)
good(client.call("bash_stop", id=id))
start(client, "true")
client.end()
until(lambda: not any(map(asleep, pids)), "they live on")

# Also where nothing can be said any more.
client = Client("--session", "killed")
client.legacy()
id, pid = sleeper(client, "pid2")
client.process.kill()
until(lambda: not asleep(pid), "it lives on")

# The same look again and again is no loop.
client = Client("--session", "again")
client.legacy()
id = start(client, "read -r line <gate")
for n in range(12):
    check(good(look(client, id, wait=0))["running"], n)
good(client.call("bash_stop", id=id))
# Where plans are made, nothing is started, and looking is free.
client.end()
client = Client("--session", "plan", "--mode", "plan")
client.legacy()
bad(client.call("bash", command="true", background=True), "PlanMode")
bad(look(client, "b1"), "BadArguments")
client.end()
PY

# Modern: the question waits for the next look, and is its result.
echo '{"loop_limit": 3}' >"$XDG_CONFIG_HOME/ambit/config.json"
PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<PY
$(code)
def filled(state, answer):
    return {"requestState": state,
            "inputResponses": {"approve": {"action": "accept", "content": {"answer": answer}}}}

def modern(tool, more=None, **args):
    return client.modern(tool, FORMS, more, **args)

client = Client("--session", "modern")
for answer in ("once", "no"):
    id = good(modern("bash", command=f"echo x >{OUT}/{answer} && echo wrote; echo over", background=True))["id"]
    result = modern("bash_output", id=id, wait=20000)
    check(result["resultType"] == "input_required" and not there(answer), result)
    check(f"{OUT}/{answer}" in result["inputRequests"]["approve"]["params"]["message"], result)
    result = modern("bash_output", filled(result["requestState"], answer), id=id, wait=20000)
    printed = good(result)["stdout"]
    while result["structuredContent"]["running"]:
        result = modern("bash_output", id=id, wait=20000)
        printed += good(result)["stdout"]
    check(there(answer) == (answer == "once") and said("wrote", printed) == (answer == "once"), printed)
    check(said("over", printed), printed)
# loop_limit holds for other tools, and not for looks.
id = good(modern("bash", command="sleep 600", background=True))["id"]
for n in range(5):
    good(modern("bash_output", id=id))
for n in range(3):
    good(modern("ls", path="."))
bad(modern("ls", path="."), "LoopDetected")
# A question that nobody comes for ends with the server.
good(modern("bash", command=f"echo x >{OUT}/late", background=True))
client.end()
check(not there("late"), "late")
PY

# serve: each client has its own, and they end with it.
rm "$XDG_CONFIG_HOME/ambit/config.json"
mkdir -m 700 "$TEST_DIR/sockets"
export OUT SOCKET=$TEST_DIR/sockets/s
"$AMBIT" serve --socket "$SOCKET" &
server=$!
eventually test -S "$SOCKET"
PYTHONPATH=$HERE "$PYTHON" -B - <<PY
$(code)
from serve import *

def call(client, tool, ask=False, **args):
    return client.ask("call", tool=tool, args=args, **({"ask": True} if ask else {}))

a, b = connect(os.environ["SOCKET"]), connect(os.environ["SOCKET"])
began = call(a, "bash", command="echo \$\$ >pid3.new; mv pid3.new pid3; exec sleep 600", background=True)
check(began["ok"] and began["structured"]["running"], began)
id = began["structured"]["id"]
until(lambda: os.path.exists("pid3"), "it did not start")
pid = int(open("pid3").read())
other = call(b, "bash_output", id=id)
check(other["error"] == "BadArguments", other)
check(call(a, "bash_output", id=id)["structured"]["running"], "running")
# Its question is put by the call that looks.
id = call(b, "bash", True, command=f"echo x >{OUT}/served", background=True)["structured"]["id"]
asked = call(b, "bash_output", True, id=id, wait=20000)
check("pending" in asked and not there("served"), asked)
served = b.ask("answer", pending=asked["pending"], answer="once")
check(served["ok"], served)
until(lambda: there("served"), "served")
a.socket.shutdown(socket.SHUT_RDWR)
until(lambda: not asleep(pid), "it lives on without its client")
check(call(b, "bash", command="echo still here")["structured"]["stdout"] == "still here\n", "b")
PY
kill "$server"
wait "$server" || true
