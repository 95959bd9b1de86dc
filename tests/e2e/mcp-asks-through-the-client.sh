#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Legacy era: a question becomes a form at the client, the answer holds as far as it
# says, and whatever is not an answer is a no.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

mkdir -p "$OUT/folder"
approver slow <<SH
#!/bin/sh
cat >/dev/null
until [ -e "$OUT/think" ]; do sleep 0.05; done
echo '{"answer":"once"}'
SH
slow=$approver
approver yes <<'SH'
#!/bin/sh
cat >/dev/null
echo '{"answer":"once"}'
SH

PYTHONPATH=$HERE OUT=$OUT APPROVER=$approver SLOW=$slow SIGNALS=$HELPERS/signals "$PYTHON" -B - <<'PY'
import os
import subprocess
from mcp import *

AMBIT, OUT, SIGNALS = os.environ["AMBIT"], os.environ["OUT"], os.environ["SIGNALS"]
FORMS = {"elicitation": {}}

def write(client, name):
    return client.call("write", file_path=f"{OUT}/{name}", content="x\n")

def there(name):
    return os.path.exists(f"{OUT}/{name}")

# The form: choices with what they store, in the words of the version.
client = Client("--session", "form", answer=choose("once"))
client.legacy(capabilities=FORMS)
good(write(client, "once"))
check(there("once"), "once")
form = client.asked[0]
check(form["mode"] == "form" and f"{OUT}/once" in form["message"], form)
schema = form["requestedSchema"]
check(schema["required"] == ["answer"] and schema["properties"]["answer"]["default"] == "no", schema)
choices = {row["const"]: row["title"] for row in schema["properties"]["answer"]["oneOf"]}
check({"no", "no-session", "once", "file", "folder", "always"} <= set(choices), choices)
# The words of the prompt; exactly this, then the folder.
check(form["message"] == f"ambit: write {OUT}/once\nby the write tool; outside ~/project", form)
check(choices["no"] == "no" and choices["once"] == "once", choices)
check(choices["file"] == "this file, this session", choices)
check(choices["folder"].startswith("all of /") and choices["folder"].endswith("/outside, this session"), choices)
check(choices["always"] == "always here: this file", choices)
check(choices["always-2"] == "always here: all of /tmp/.../outside", choices)
check(all(len(words) <= 40 for words in choices.values()), choices)
# Once is once.
client.answer = choose("no", "not there, please")
words = bad(write(client, "again"))
check(len(client.asked) == 2 and "not there, please" in words and not there("again"), words)
# The folder is the folder: no further question.
client.answer = choose("folder")
good(write(client, "folder/a"))
n = len(client.asked)
good(write(client, "folder/b"))
check(len(client.asked) == n and there("folder/a") and there("folder/b"), "folder")
client.end()

# Older words.
client = Client("--session", "older", answer=choose("once"))
client.legacy("2025-06-18", FORMS)
good(write(client, "older"))
property = client.asked[0]["requestedSchema"]["properties"]["answer"]
check("once" in property["enum"] and len(property["enum"]) == len(property["enumNames"])
      and "oneOf" not in property and "mode" not in client.asked[0], client.asked)
client.end()

# There is a field for a message, but not where the client cannot leave it empty.
check(set(client.asked[0]["requestedSchema"]["properties"]) == {"answer", "message"}, client.asked)
client = Client("--session", "codex", answer=choose("once"))
client.legacy("2025-06-18", FORMS, name="codex-mcp-client")
good(write(client, "codex"))
check(set(client.asked[0]["requestedSchema"]["properties"]) == {"answer"} and there("codex"), client.asked)
client.end()

# What is no answer is a no.
for n, filled in enumerate([
    {"result": {"action": "decline"}}, {"result": {"action": "cancel"}},
    {"result": {"action": "accept"}}, {"result": {"action": "accept", "content": {}}},
    {"result": {"action": "accept", "content": {"answer": "yes"}}},
    {"result": {"action": "accept", "content": {"answer": ["once"]}}},
    {"result": {"action": "accept", "content": {"answer": "once\0"}}},
    {"result": {"action": "decline", "content": {"answer": "always"}}},
    {"result": {"content": {"answer": "always"}}}, {"result": "accept"},
    {"error": {"code": -32601, "message": "no such method"}},
]):
    client = Client("--session", f"no-{n}", answer=lambda params: filled)
    client.legacy(capabilities=FORMS)
    bad(write(client, f"no-{n}"))
    check(client.asked and not there(f"no-{n}"), filled)
    client.end()

# Nobody to ask: who says no forms, or speaks a version without them.
for version, capabilities in [("2025-11-25", {}), ("2025-11-25", {"elicitation": {"url": {}}}),
                              ("2025-03-26", FORMS)]:
    client = Client("--session", "nobody", answer=choose("always"))
    client.legacy(version, capabilities)
    words = bad(write(client, "nobody"), "Outside")
    check(not client.asked and not there("nobody") and "ambit rules add write" in words, words)
    # What the tool itself is asked about is this session's to allow, not the newest one's.
    subprocess.run([AMBIT, "perm", "ls", "ask", "--session", "nobody"], check=True, stdout=subprocess.DEVNULL)
    words = bad(client.call("ls"))
    advice = words[words.index("ambit perm ls allow --session nobody"):].split()
    subprocess.run([AMBIT, "mode", "--session", "newer", "build"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([AMBIT, *advice[1:]], check=True, stdout=subprocess.DEVNULL)
    good(client.call("ls"))
    client.end()
    # The session's other approver, if one was named.
    client = Client("--session", "other", "--ask", "exec:" + os.environ["APPROVER"])
    client.legacy(version, capabilities)
    good(write(client, "other"))
    check(there("other"), "other")
    os.unlink(f"{OUT}/other")
    client.end()

# While that one thinks, other calls go on, and then it holds.
client = Client("--session", "slow", "--ask", "exec:" + os.environ["SLOW"])
client.legacy()
waiting = [client.start("tools/call", {"name": "write", "arguments": {
    "file_path": f"{OUT}/slow{n}", "content": "x"}}) for n in range(3)]
for n in range(20):
    good(client.call("write", file_path="beside", content=str(n)))
check(not client.replies and not there("slow0"), "answered already")
open(OUT + "/think", "w").close()
for n, id in enumerate(waiting):
    good(client.wait(id)["result"])
    check(there(f"slow{n}"), n)
client.end()

# Crossings of a running command are asked the same way, while it is held.
client = Client("--session", "bash", answer=choose("once"))
client.legacy(capabilities=FORMS)
result = client.call("bash", command=f"echo held >{OUT}/held && cat {OUT}/held")
check(good(result)["stdout"] == "held\n" and there("held"), result)
check(any(f"{OUT}/held" in form["message"] for form in client.asked), client.asked)
client.answer = choose("no")
result = client.call("bash", command=f"echo held >{OUT}/refused")
check(not there("refused") and "refused" in str(result["structuredContent"]["refused"]), result)

# A command with timers: its handlers run while the form is open, and one form is enough.
def folder_after_signals(params):
    eventually(lambda: "handled" in open("said").read(), "no handler ran")
    return choose("folder")(params)

client.answer = folder_after_signals
asked = len(client.asked)
result = client.call("bash", command=f"{SIGNALS} -w 8 -r -p 1000 -n 4 create {OUT}/timers >said; cat said")
check(good(result)["stdout"].count(" ok\n") == 4 and there("timers.3"), result)
check(len(client.asked) == asked + 1, client.asked)
client.end()
PY

# A client that never answers has said no after the time that the settings give; a
# call that was waiting does not hold up another.
echo '{"question_timeout": 2}' >"$XDG_CONFIG_HOME/ambit/config.json"
PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<'PY'
import os
from mcp import *

OUT = os.environ["OUT"]
client = Client("--session", "silent")
client.legacy(capabilities={"elicitation": {}})
waiting = client.start("tools/call", {"name": "write", "_meta": {"progressToken": "t"},
                                      "arguments": {"file_path": OUT + "/never", "content": "x"}})
# As many as there is time for: a busy machine is slow, and one that is held up makes none.
meanwhile = 0
while meanwhile < 50 and waiting not in client.replies:
    good(client.call("write", file_path="meanwhile", content=str(meanwhile)))
    meanwhile += waiting not in client.replies
check(meanwhile > 0, "held up")
words = bad(client.wait(waiting)["result"], "Timeout")
check(not os.path.exists(OUT + "/never") and "time" in words, words)
# What to do about it: it is no command that took too long.
check("Go on without it" in words and "ambit rules add write " + OUT in words, words)
check("smaller step" not in words, words)
result = client.call("bash", command=f"echo x >{OUT}/never")
row = good(result)["refused"][0]
check(row["code"] == "Timeout" and row["allow"] == f"ambit rules add write {OUT}/never", row)
check("Go on without it" in text(result) and "smaller step" not in text(result), result)
gone = [m for m in client.notified if m["method"] == "notifications/cancelled"]
check(len(gone) == 2 and gone[0]["params"]["requestId"].startswith("ambit-"), gone)
# An answer that comes too late is not heard.
client.send({"id": gone[0]["params"]["requestId"],
             "result": {"action": "accept", "content": {"answer": "always"}}})
client.answer = choose("no")
bad(client.call("write", file_path=OUT + "/never", content="x"))
check(not os.path.exists(OUT + "/never"), "written")
client.end()

# One that goes away while it is asked.
client = Client("--session", "gone")
client.legacy(capabilities={"elicitation": {}})
client.start("tools/call", {"name": "write", "arguments": {"file_path": OUT + "/gone", "content": "x"}})
while not client.asked:
    client.take()
check(client.end() < 5 and not os.path.exists(OUT + "/gone"), "end")
PY
