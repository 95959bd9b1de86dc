#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The folder of a call's scope is swapped for a link that leads out, and back, all the time that
# calls are made in it: what is outside of the server's folder stays as it was. A call either is
# done in the folder or is refused.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

echo '{"loop_limit":0}' >"$XDG_CONFIG_HOME/ambit/config.json"
mkdir a
export OUT
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
import threading
from serve import *

out, here = os.environ["OUT"], os.getcwd()
client = Client("--session", "s1")
over = threading.Event()
swaps = 0


def swap():
    global swaps
    while not over.is_set():
        os.rename("a", "aside")
        os.symlink(out, "a")
        os.unlink("a")
        os.rename("aside", "a")
        swaps += 1


thread = threading.Thread(target=swap)
thread.start()
done = refused = 0
try:
    for i in range(200):
        r = client.ask("call", tool="write", args={"file_path": here + "/a/f%d" % i, "content": "x"},
                       scope={"root": "a"})
        done, refused = done + r["ok"], refused + (not r["ok"])
    for i in range(30):
        command = ["touch", "g%d" % i] if i % 2 else "touch g%d; touch %s/a/h%d" % (i, here, i)
        r = client.ask("execute", command=command, scope={"root": "a"})
        done, refused = done + r["ok"], refused + (not r["ok"])
finally:
    over.set()
    thread.join()
check(swaps > 0, "nothing was swapped")
check(os.listdir(out) == [], "outside of the server:", os.listdir(out))
check(done + refused == 230, done, refused)
# And without anybody who swaps, it is done.
check(client.ask("execute", command="touch last", scope={"root": "a"})["exit_code"] == 0, "last")
check(os.path.exists("a/last"), "last")
client.end()
PY
