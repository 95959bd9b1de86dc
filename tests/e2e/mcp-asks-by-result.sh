#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Modern era: a question is a result, its answer comes with the same call again. What
# was carried along is good once, for that call, for a time; else the question is open.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

approver yes <<'SH'
#!/bin/sh
# Who is first counts: the client's own question is left to the client.
if grep -q '/outside/own"'; then exit 1; fi
echo '{"answer":"once"}'
SH

code() {
	cat <<'PY'
import base64
import json
import os
import subprocess
import sys
from mcp import *

OUT = os.environ["OUT"]
FORMS = {"elicitation": {}}

def there(name):
    return os.path.exists(f"{OUT}/{name}")

def write(client, name, more=None, content="x\n", capabilities=FORMS):
    return client.modern("write", capabilities, more, file_path=f"{OUT}/{name}", content=content)

def asked(result):
    check(result["resultType"] == "input_required" and "content" not in result, result)
    check(result["_meta"][META + "serverInfo"], result)
    request = result["inputRequests"]["approve"]
    check(request["method"] == "elicitation/create", request)
    check(request["params"]["mode"] == "form", request)
    return result["requestState"]

def filled(state, answer="once", action="accept", **more):
    return {"requestState": state,
            "inputResponses": {"approve": {"action": action, "content": {"answer": answer, **more}}}}
PY
}

PYTHONPATH=$HERE OUT=$OUT APPROVER=$approver PAGE=$HERE/hostile-page.py "$PYTHON" -B - <<PY
$(code)
client = Client("--session", "modern")

# Asked, answered, done; once is once.
state = asked(write(client, "a"))
check(not there("a"), "a")
result = write(client, "a", filled(state))
check(good(result)["created"] and result["resultType"] == "complete" and there("a"), result)
asked(write(client, "a"))

# The same answer a second time is none.
os.unlink(OUT + "/a")
asked(write(client, "a", filled(state)))
check(not there("a"), "replayed")

# Nor for another call: other arguments, another tool.
state = asked(write(client, "b"))
asked(write(client, "b2", filled(state)))
asked(write(client, "b", filled(state, "always"), content="other\n"))
asked(client.modern("delete", FORMS, filled(state), path=OUT + "/b"))
check(not there("b") and not there("b2"), "for another call")
# It is still good for its own.
good(write(client, "b", filled(state)))

# Changed, cut, made up, of another process.
client.end()
client = Client("--session", "forged")
state = asked(write(client, "c"))
raw = base64.urlsafe_b64decode(state + "=" * (-len(state) % 4))
other = Client("--session", "modern")
foreign = asked(write(other, "c"))
forged = []
for at in (0, 31, 32, 40, len(raw) - 1):
    forged.append(base64.urlsafe_b64encode(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1:]).decode().rstrip("="))
body = json.loads(raw[32:])
body["expires"] += 10 ** 9
forged.append(base64.urlsafe_b64encode(raw[:32] + json.dumps(body).encode()).decode().rstrip("="))
for bogus in forged + [foreign, "", "x", "A" * 100000, state[:-2], state + "AA", "\u00fc\u00fc", 7, None, {"a": 1}]:
    asked(write(client, "c", filled(bogus)))
    check(not there("c"), bogus)
# An answer without the state is none.
asked(write(client, "c", {"inputResponses": filled(state)["inputResponses"]}))
# The state without an answer, or with what is none: asked again.
asked(write(client, "c", {"requestState": state}))
for responses in [{}, [], "approve", {"approve": None}, {"other": {"action": "accept"}}]:
    state = asked(write(client, "c"))
    asked(write(client, "c", {"requestState": state, "inputResponses": responses}))
check(not there("c"), "c")

# No is no, and its words reach the model.
client.end()
client = Client("--session", "no")
for action, answer in [("decline", "once"), ("cancel", "once"), ("accept", "nonsense"), ("accept", "no")]:
    state = asked(write(client, "d"))
    words = bad(write(client, "d", filled(state, answer, action, message="rather not")))
    check(not there("d") and ("rather not" in words) == (action == "accept"), words)
state = asked(write(client, "d"))
bad(write(client, "d", filled(state, "no-session")))
bad(write(client, "d"))

# What is remembered is not asked again.
client.end()
client = Client("--session", "folder")
os.mkdir(OUT + "/folder")
state = asked(write(client, "folder/a"))
good(write(client, "folder/a", filled(state, "folder")))
good(write(client, "folder/b"))
check(there("folder/a") and there("folder/b"), "folder")

# Each request says what its client can do: who shows no forms is not asked.
words = bad(write(client, "e", capabilities={}), "Outside")
check("ambit rules add write" in words, words)
bad(write(client, "e", capabilities={"elicitation": {"url": {}}}), "Outside")
check(not there("e"), "e")

# Many questions at once, each with its own answer.
ids = {name: client.start("tools/call", {
    "name": "write", "arguments": {"file_path": f"{OUT}/many{name}", "content": name},
    "_meta": modern_meta(FORMS)}) for name in "uvwxyz"}
states = {name: asked(client.wait(id)["result"]) for name, id in ids.items()}
for name in sorted(states, reverse=True):
    good(write(client, "many" + name, filled(states[name]), content=name))
    check(open(f"{OUT}/many{name}").read() == name, name)

# Nothing was asked in a request of the server's own.
check(not client.asked and not client.notified and not client.lost, client.notified)
client.end()
other.end()

# What is asked while a tool runs (a crossing of a command, a host that a page leads to), by a
# client that shows no forms: the session's other approver answers; or nobody, and then the
# words say how a person can allow it. For one that does: mcp-asks-while-a-command-runs.sh.
pages = [subprocess.Popen([sys.executable, "-B", os.environ["PAGE"], "--address", address],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) for address in ("127.0.0.1", "127.0.0.2")]
first, second = (int(page.stdout.readline()) for page in pages)
url = f"http://127.0.0.1:{first}/to?http://127.0.0.2:{second}/plain"
client = Client("--session", "modern-bash", "--allow-host", "127.0.0.1")
result = client.modern("bash", {}, None, command=f"echo x >{OUT}/crossing")
check(not there("crossing") and result["resultType"] == "complete", result)
check(f"ambit rules add write {OUT}/crossing" in text(result), result)
result = client.modern("webfetch", {}, None, url=url)
check(result["structuredContent"]["asked"] is False, result)
words = bad(result)
check(f"ambit rules add connect 127.0.0.2:{second}" in words and "SECRET" not in words, words)
client.end()
client = Client("--session", "modern-other", "--allow-host", "127.0.0.1", "--ask", "exec:" + os.environ["APPROVER"])
result = client.modern("bash", {}, None, command=f"echo x >{OUT}/crossing")
check(there("crossing"), result)
check("SECRET_ORDER" in text(client.modern("webfetch", {}, None, url=url)), "redirected")
# Its own question is still the client's to answer.
asked(write(client, "own"))
client.end()
for page in pages:
    page.stdin.close()
    page.wait()
PY

# After its time an answer is none.
echo '{"question_timeout": 1}' >"$XDG_CONFIG_HOME/ambit/config.json"
PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<PY
$(code)
client = Client("--session", "late")
state = asked(write(client, "late"))
time.sleep(1.1)
asked(write(client, "late", filled(state)))
check(not there("late"), "late")
client.end()
PY
