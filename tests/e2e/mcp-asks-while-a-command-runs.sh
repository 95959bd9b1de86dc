#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Modern era: a command that crosses the line is held, its call ends in the question, and the same
# call again brings the answer and waits for the command. The command runs once, whatever comes.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

approver slow <<SH
#!/bin/sh
cat >/dev/null
until [ -e "$OUT/think" ]; do sleep 0.05; done
echo '{"answer":"once"}'
SH

code() {
	cat <<'PY'
import os
import subprocess
import sys
from mcp import *

OUT = os.environ["OUT"]
FORMS = {"elicitation": {}}

def there(name):
    return os.path.exists(f"{OUT}/{name}")

def params(args, more=None, tool="bash", capabilities=FORMS, **meta):
    return {"name": tool, "arguments": args, **(more or {}), "_meta": modern_meta(capabilities, **meta)}

def run(client, command, more=None, **args):
    return client.ask("tools/call", params({"command": command, **args}, more))["result"]

def asked(result, words=""):
    check(result["resultType"] == "input_required" and "content" not in result, result)
    form = result["inputRequests"]["approve"]["params"]
    check(form["mode"] == "form" and words in form["message"], form)
    return result["requestState"]

def filled(state, answer="once", action="accept", **more):
    return {"requestState": state,
            "inputResponses": {"approve": {"action": action, "content": {"answer": answer, **more}}}}

def until(holds, words):
    end = time.monotonic() + PATIENCE
    while not holds():
        check(time.monotonic() < end, words)
        time.sleep(0.02)

def runs():
    """How often a command has begun, by the line it leaves behind."""
    return open("runs").read().count("x") if os.path.exists("runs") else 0
PY
}

PYTHONPATH=$HERE OUT=$OUT APPROVER=$approver PAGE=$HERE/hostile-page.py "$PYTHON" -B - <<PY
$(code)
client = Client("--session", "held")

# Held, asked, answered, and the command goes on where it was.
command = f"echo x >>runs; echo before; echo y >{OUT}/a && echo after"
state = asked(run(client, command), f"write {OUT}/a")
check(not there("a") and runs() == 1, "held")
result = run(client, command, filled(state))
check(result["resultType"] == "complete" and good(result)["stdout"] == "before\nafter\n", result)
check(there("a") and runs() == 1, "it ran again")

# A no is the command's own refusal, and its words reach the model.
state = asked(run(client, f"echo x >{OUT}/b"))
result = run(client, f"echo x >{OUT}/b", filled(state, "no", message="rather not"))
check(not there("b") and result["structuredContent"]["exit_code"] != 0, result)
check("rather not" in text(result) and result["structuredContent"]["refused"][0]["asked"] is True, result)

# Two questions of one command are two retries.
command = f"echo x >>runs; mkdir {OUT}/p {OUT}/q; ls {OUT}"
state = asked(run(client, command), "/p")
state2 = asked(run(client, command, filled(state)), "/q")
check(there("p") and not there("q") and runs() == 2, "the second question")
result = run(client, command, filled(state2))
check("q" in good(result)["stdout"] and runs() == 2, result)

# What is no answer leaves the question open: no second run, the same question.
command = f"echo x >>runs; echo y >{OUT}/c"
state = asked(run(client, command))
for more in [{"requestState": state}, {"requestState": state, "inputResponses": {"approve": 7}},
             {"requestState": state, "inputResponses": {}}]:
    again = asked(run(client, command, more), f"write {OUT}/c")
check(not there("c") and runs() == 3, "open")
# Every state that was given out names the same command. An id may be used again at once.
id = client.start("tools/call", params({"command": command}, filled(again)), id="same")
good(client.wait(id)["result"])
check(there("c") and runs() == 3, "c")
# A command that has ended and was told is not run again by an old state.
words = bad(run(client, command, filled(state)), "Timeout")
check("has run" in words and runs() == 3, words)
# For another call it is none, and that one runs for itself.
other = f"echo y >{OUT}/other"
asked(run(client, other, filled(state)), "/other")
check(not there("other"), "for another call")

# While one is held, others run; and progress is told to the request that waits.
command = f"echo y >{OUT}/d; sleep 1.5"
state = asked(run(client, command))
check(good(run(client, "echo beside"))["stdout"] == "beside\n", "beside")
id = client.start("tools/call", params({"command": command}, filled(state), progressToken="t2"))
good(client.wait(id)["result"])
check(any(note["params"].get("progressToken") == "t2" for note in client.notified), client.notified)

# Two requests at once for one command: the second is told so.
command = f"echo y >{OUT}/e; read -r -t 20 line <{os.getcwd()}/gate"
os.mkfifo("gate")
state = asked(run(client, command))
first = client.start("tools/call", params({"command": command}, filled(state)))
second = client.ask("tools/call", params({"command": command}, filled(state)))
check(second["error"]["code"] == -32600, second)
with open("gate", "w") as gate:
    gate.write("go\n")
good(client.wait(first)["result"])

# A request that waits again can be cancelled, which ends the command.
command = f"echo y >{OUT}/f; echo \$\$ >pid.new; mv pid.new pid; exec sleep 600"
state = asked(run(client, command))
id = client.start("tools/call", params({"command": command}, filled(state)))
until(lambda: os.path.exists("pid"), "the command did not go on")
client.send({"method": "notifications/cancelled", "params": {"requestId": id}})
pid = int(open("pid").read())
until(lambda: not os.path.exists(f"/proc/{pid}"), "the command was not ended")
good(run(client, "true"))
check(id not in client.replies, "a cancelled request has a reply")

# A host that a page leads to is asked about in the same way.
pages = [subprocess.Popen([sys.executable, "-B", os.environ["PAGE"], "--address", address],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) for address in ("127.0.0.1", "127.0.0.2")]
one, two = (int(page.stdout.readline()) for page in pages)
client.end()
client = Client("--session", "page", "--allow-host", "127.0.0.1")
args = {"url": f"http://127.0.0.1:{one}/to?http://127.0.0.2:{two}/plain"}
state = asked(client.ask("tools/call", params(args, tool="webfetch"))["result"], "127.0.0.2")
result = client.ask("tools/call", params(args, filled(state), tool="webfetch"))["result"]
check("SECRET_ORDER" in text(result), result)
for page in pages:
    page.stdin.close()
    page.wait()

# Somebody else answers first: that counts, the command goes on by itself, and what it said waits
# for the client.
client.end()
client = Client("--session", "elsewhere", "--ask", "exec:" + os.environ["APPROVER"])
command = f"echo y >{OUT}/elsewhere && touch went"
state = asked(run(client, command))
open(f"{OUT}/think", "w").close()
until(lambda: os.path.exists("went"), "the command did not go on")
check(good(run(client, command, filled(state, "no")))["exit_code"] == 0 and there("elsewhere"), "elsewhere")

# A form that is closed is nobody's answer: who else is asked can still say yes.
os.unlink(f"{OUT}/think")
command = f"echo y >{OUT}/closed && touch closed"
state = asked(run(client, command))
id = client.start("tools/call", params({"command": command}, filled(state, "once", "cancel")))
open(f"{OUT}/think", "w").close()
check(good(client.wait(id)["result"])["exit_code"] == 0 and there("closed"), "closed")

# Nothing was asked in a request of the server's own.
check(not client.asked and not client.lost, client.lost)
# The server ends with a question open, and leaves nothing running.
asked(run(client, f"echo y >{OUT}/end; touch ended"))
client.end()
check(not there("end"), "end")
PY

# Nobody comes back: the question ends, the command goes on refused, and what it said is kept.
echo '{"client_timeout": 1}' >"$XDG_CONFIG_HOME/ambit/config.json"
PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<PY
$(code)
client = Client("--session", "late")
command = f"echo x >>late-runs; echo y >{OUT}/late; echo status \$?; touch done"
state = asked(run(client, command))
until(lambda: os.path.exists("done"), "the command did not go on")
result = run(client, command, filled(state))
check(not there("late") and "status 1" in good(result)["stdout"], result)
check(open("late-runs").read() == "x\n" and result["structuredContent"]["refused"], result)
check(result["structuredContent"]["refused"][0]["code"] == "Timeout", result)
client.end()
PY
