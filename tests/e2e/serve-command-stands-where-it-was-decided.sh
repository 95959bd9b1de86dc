#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A command's directory that becomes a link out, or goes away, while a person thinks about the
# command: a yes does not carry the command there.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"
echo '{"permissions":{"bash":"ask"}}' >"$XDG_CONFIG_HOME/ambit/config.json"
mkdir -p sub

export OUT
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from serve import *

out = os.environ["OUT"]
client = Client()

def held():
    r = client.call("bash", True, command="touch made", cwd="sub")
    check("pending" in r, r)
    return r["pending"]

def made():
    return [place for place in (".", "sub", "away", out) if os.path.exists(place + "/made")]

# A yes is a yes.
r = client.ask("answer", pending=held(), answer="once")
check(r["ok"] and made() == ["sub"], r, made())
os.unlink("sub/made")

h = held()
os.rename("sub", "away")
os.symlink(out, "sub")
r = client.ask("answer", pending=h, answer="once")
check(r["ok"] is False and r["error"] == "OutOfScope", r)
check(not made(), made())

os.unlink("sub")
os.rename("away", "sub")
h = held()
os.rename("sub", "away")
r = client.ask("answer", pending=h, answer="once")
check(r["ok"] is False and r["error"] == "BadArguments" and "no directory sub" in r["text"], r)
check(not made(), made())
client.end()
PY
