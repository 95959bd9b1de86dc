#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A judge who says yes to everything lets no command run that nothing holds. He is not
# asked: the person is, and where nobody is there the command is refused.
# shellcheck source=tests/e2e/judge.bash
. "${0%/*}/judge.bash"

judge_serve 0
judge_is allow
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from mcp import *

OUT = os.environ["OUT"]
BARE = ("--backend", "subprocess", "--allow-bash")

def there(name):
    return os.path.exists(f"{OUT}/{name}")

# He is there, and says yes to an ordinary file.
client = Client("--session", "files", *BARE)
client.legacy()
good(client.call("write", file_path=f"{OUT}/file", content="x"))
check(there("file"), "the judge was not asked about a file")
# Nobody else is there: refused.
for i, command in enumerate((f"touch {OUT}/ran", f"touch ./{OUT}/ran", "make check", "ls")):
    bad(client.call("bash", command=command), None)
check(not there("ran"), "the judge let a command run")
client.end()

# The client's person is asked, and answers.
for answer in ("no", "once"):
    client = Client("--session", "form-" + answer, *BARE, answer=choose(answer))
    client.legacy(capabilities={"elicitation": {}})
    result = client.call("bash", command=f"touch {OUT}/{answer}")
    check(len(client.asked) == 1 and there(answer) == (answer == "once"), result)
    client.end()

# Where a question is a result.
client = Client("--session", "modern", *BARE)
result = client.modern("bash", {"elicitation": {}}, None, command=f"touch {OUT}/modern")
check(result["resultType"] == "input_required" and not there("modern"), result)
client.end()
PY
times 1

PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from serve import *

OUT = os.environ["OUT"]
client = Client("--backend", "subprocess", "--allow-bash")
result = client.ask("call", tool="bash", args={"command": f"touch {OUT}/served"})
check(result["ok"] is False and not os.path.exists(f"{OUT}/served"), result)
result = client.result(client.start("call", tool="bash", args={"command": f"touch {OUT}/served"}, ask=True))
check("pending" in result and not os.path.exists(f"{OUT}/served"), result)
client.end()
PY
times 1

# It decides as it did, and runs nothing.
out=$(echo '{"tool":"bash","args":{"command":"touch x"}}' | "$AMBIT" decide)
[[ $(jq -r .verdict <<<"$out") == ask ]] || fail "$out"
times 1
