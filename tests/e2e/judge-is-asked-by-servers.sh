#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `ambit mcp` asks the judge before its client, about calls and about crossings of their
# commands; what he is not asked about goes where it went before.
# shellcheck source=tests/e2e/judge.bash
. "${0%/*}/judge.bash"

judge_serve 0
judge_is allow
PYTHONPATH=$HERE JUDGED=$judged "$PYTHON" -B - <<'PY'
import json
import os
from mcp import *

OUT = os.environ["OUT"]

def there(name):
    return os.path.exists(f"{OUT}/{name}")

def judged():
    with open(os.environ["JUDGED"]) as heard:
        return [json.loads(line) for line in heard.readlines()[1:]]

# The client could be asked, and is not.
client = Client("--session", "forms", answer=choose("no"))
client.legacy(capabilities={"elicitation": {}})
good(client.call("write", file_path=f"{OUT}/a", content="THE-CONTENT\n"))
check(there("a") and not client.asked and len(judged()) == 1, client.asked)
good(client.call("edit", file_path=f"{OUT}/a", old_string="THE-CONTENT", new_string="THE-OTHER"))
check(not client.asked, client.asked)
result = client.call("bash", command=f"echo THE-CONTENT >{OUT}/b.log; echo x >{OUT}/c.log")
check(there("b.log") and there("c.log") and not client.asked, result)
# Both crossings are alike; the call itself is held by the line, and is no question.
check(len(judged()) == 3, judged())
check("THE-" not in json.dumps([one["body"]["messages"][1] for one in judged()[:2]]), judged())
# A guard is the person's: here he says no.
bad(client.call("write", file_path=".envrc", content="x"), "Denied")
client.call("bash", command="echo x >.envrc")
check(len(client.asked) == 2 and not os.path.exists(".envrc"), client.asked)
check(len(judged()) == 3, judged())
client.end()

# Nobody but the judge: the rest is told as ever, with how it can be allowed.
client = Client("--session", "alone")
client.legacy()
result = client.call("bash", command=f"echo x >{OUT}/d; echo x >.envrc")
check(there("d") and not os.path.exists(".envrc"), result)
check("ambit rules add write" in text(result) and "nobody can approve it now" in text(result), result)
words = bad(client.call("write", file_path=".envrc", content="x"), "Guarded")
check("ambit rules add write" in words, words)
client.end()

# The modern era, where a question is a result.
client = Client("--session", "modern")
good(client.modern("write", {"elicitation": {}}, None, file_path=f"{OUT}/e", content="x"))
check(there("e"), "e")
result = client.modern("write", {"elicitation": {}}, None, file_path=".envrc", content="x")
check(result["resultType"] == "input_required", result)
client.end()

# --ask deny is obeyed.
before = len(judged())
client = Client("--session", "deny", "--ask", "deny")
client.legacy()
bad(client.call("write", file_path=f"{OUT}/f", content="x"), "Outside")
client.call("bash", command=f"echo x >{OUT}/f")
check(not there("f") and len(judged()) == before, judged())
client.end()
PY
status 0 "$AMBIT" log export --kind answer --session forms
[[ $(jq -r 'select(.body.approver == "judge") | .subject' <<<"$out" | sort -u | wc -l) -eq 4 ]] || fail "$out"
[[ $(jq -r 'select(.body.approver != "judge") | .body.answer' <<<"$out" | sort -u) == no ]] || fail "$out"

# A judge who thinks is ended with the call that waits for him.
judge_is slow 60000
forget
PYTHONPATH=$HERE JUDGED=$judged "$PYTHON" -B - <<'PY'
import os
import time
from mcp import *

def waits():
    with open(os.environ["JUDGED"]) as heard:
        return len(heard.readlines()) > 1

client = Client("--session", "slow")
client.legacy()
id = client.start("tools/call", {"name": "write", "arguments": {"file_path": os.environ["OUT"] + "/g", "content": "x"}})
until = time.monotonic() + PATIENCE
while not waits():
    check(time.monotonic() < until, "never asked")
    time.sleep(0.02)
# Others go on meanwhile.
good(client.call("write", file_path="inside", content="x"))
check(client.end() < 10, "waited for the judge")
check(not os.path.exists(os.environ["OUT"] + "/g"), "written")
PY
