#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The folder of a call's scope is exchanged for a link that leads out, and back, all the time that
# calls are made in it: what is outside of the server's folder stays as it was. Some calls are done
# meanwhile, in the folder, and some are refused; a program that takes no care writes outside.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

echo '{"loop_limit":0}' >"$XDG_CONFIG_HOME/ambit/config.json"
mkdir a
ln -s "$OUT" b
cat >"$TEST_DIR/exchange.py" <<'PY'
import ctypes
import random
import sys

libc = ctypes.CDLL(None)
while libc.renameat2(-100, b"a", -100, b"b", 2) == 0:  # AT_FDCWD, RENAME_EXCHANGE
    for _ in range(random.randrange(1 << random.randrange(22))):
        pass
sys.exit("a and b cannot be exchanged")
PY
export OUT EXCHANGE=$TEST_DIR/exchange.py
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
import subprocess
import sys
from serve import *

out, here = os.environ["OUT"], os.getcwd()
client = Client("--session", "s1")


def folder():
    """Where the folder of the scope is at this moment, if it is not being moved."""
    return "b" if os.path.islink("a") else "a"


def until_both(call, least):
    """Calls until some were done and some were refused, and so many were made: those that are
    refused take less time, and are many more."""
    done = refused = 0
    until = time.monotonic() + PATIENCE
    while done + refused < least or done < 3 or refused < 3:
        check(time.monotonic() < until, "done:", done, "refused:", refused)
        if call(done + refused):
            done += 1
        else:
            refused += 1
    return done


def careless(i):
    with open("a/n%d" % i, "w"):
        pass
    return not os.path.exists(out + "/n%d" % i)


def write(i):
    return client.ask("call", tool="write", scope={"root": "a"},
                      args={"file_path": here + "/a/f%d" % i, "content": "x"})["ok"]


def execute(i):
    command = ["touch", "g%d" % i] if i % 2 else "touch g%d; touch %s/a/h%d" % (i, here, i)
    return client.ask("execute", command=command, scope={"root": "a"})["ok"]


swapper = subprocess.Popen([sys.executable, "-B", os.environ["EXCHANGE"]])
try:
    until_both(careless, 1)
    for name in os.listdir(out):
        os.unlink(out + "/" + name)
    written = until_both(write, 200)
    until_both(execute, 30)
    check(swapper.poll() is None, "nothing was exchanged")
finally:
    swapper.kill()
    swapper.wait()
check(os.listdir(out) == [], "outside of the server:", os.listdir(out))
made = os.listdir(folder())
check(len([name for name in made if name[0] == "f"]) >= written, made, written)
check([name for name in made if name[0] == "g"] != [], made)
client.end()
PY
