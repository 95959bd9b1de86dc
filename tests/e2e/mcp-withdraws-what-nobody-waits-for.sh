#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A process that is held by a question ends: the question is taken back at the client,
# and the call has its result, though nobody ever answers.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

PYTHONPATH=$HERE OUT=$OUT "$PYTHON" -B - <<'PY'
import os
from mcp import *

OUT = os.environ["OUT"]
client = Client()
client.legacy(capabilities={"elicitation": {}})
result = client.call("bash", command=f"timeout 1 sh -c 'echo x >{OUT}/held'; echo ended")
check("ended" in result["structuredContent"]["stdout"] and not os.path.exists(OUT + "/held"), result)
check(len(client.asked) == 1, client.asked)
gone = [m for m in client.notified if m["method"] == "notifications/cancelled"]
check(len(gone) == 1 and gone[0]["params"]["requestId"].startswith("ambit-"), gone)
client.end()
PY
