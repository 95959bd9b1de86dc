#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What an agent sees to that nobody is asked, it cannot keep from the one who started it:
# a hook that came without a question, calls that nobody could look at, how often and how
# much was refused.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir sub
cat >"$TEST_DIR/plant.py" <<'END'
import ctypes, os, subprocess
subprocess.run("git init -q x", shell=True, check=True)
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
hook = os.open("x/.git/hooks/pre-commit", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755)
os.write(hook, b"#!/bin/sh\ntouch hooked\n")
END
chmod 755 "$TEST_DIR"
# The hook is a live one.
(cd sub && "$PYTHON" "$TEST_DIR/plant.py" && cd x &&
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m m && [[ -e hooked ]]) || fail "no hook without ambit"
rm -rf sub/x

spawn 0 hand sub "shell $PYTHON $TEST_DIR/plant.py"
[[ -e sub/x/.git/hooks/pre-commit ]] || fail "the agent did not do it"
is '.planted[0]' sub/x/.git/hooks/pre-commit
rm -rf sub/x
status 0 "$AMBIT" spawn --ask deny hand sub "shell $PYTHON $TEST_DIR/plant.py"
says "guarded, and came or changed before anybody could be asked: sub/x/.git/hooks/pre-commit"
rm -rf sub/x
TASK="shell $PYTHON $TEST_DIR/plant.py" "$PYTHON" -B - <<'PY'
import os
from mcp import *
client = Client()
client.legacy()
result = client.call("run_agent", name="hand", folder="sub", task=os.environ["TASK"])
check("sub/x/.git/hooks/pre-commit" in str(good(result)["planted"]), result)
check("guarded, and came or changed" in text(result), result)
client.end()
PY
rm -rf sub/x
# A directory that was closed to the look.
spawn 0 hand sub "shell mkdir -p h/i && chmod 0 h"
if [[ $EUID -ne 0 ]]; then
	is .unseen true
	is '.unseen_in[0]' sub/h
fi
chmod 755 sub/h
rmdir sub/h/i sub/h

# Calls of who cannot be looked into are held, and counted.
cat >"$TEST_DIR/dark.py" <<'END'
import ctypes, socket, sys
if sys.argv[2:]: ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
try:
    if sys.argv[1].isdigit(): socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    else: open(sys.argv[1], "w")
except OSError: pass
END
"$PYTHON" "$TEST_DIR/dark.py" "$OUT/dark" dark
[[ -e $OUT/dark ]] || fail "it cannot do so without ambit either"
rm "$OUT/dark"
spawn 0 hand sub "shell $PYTHON $TEST_DIR/dark.py $OUT/dark"
is '.deferred[0].path' "$OUT/dark"
is '.unread' null
spawn 0 hand sub "shell $PYTHON $TEST_DIR/dark.py $OUT/dark dark"
[[ ! -e $OUT/dark ]] || fail "a program that cannot be looked into wrote outside"
[[ $(field '(.unread // 0) + (.deferred | length)') -ge 1 ]] || fail "nobody hears of it: $out"

server
"$PYTHON" "$TEST_DIR/dark.py" "$port" dark
[[ $(peers) == 1 ]] || fail "it does not reach out without ambit either"
spawn 0 hand sub "shell $PYTHON $TEST_DIR/dark.py $port dark"
[[ $(peers) == 1 ]] || fail "a program that cannot be looked into reached out"
[[ $(field '(.unread // 0) + (.deferred | length)') -ge 1 ]] || fail "nobody hears of it: $out"

# How often, each thing once, and how many more there are.
spawn 0 hand sub "shell for i in 1 2 3 4 5; do : >../often; done; exec 3<>/dev/tcp/127.0.0.1/$port"
[[ ! -e often && $(peers) == 1 ]] || fail "it got out"
is '[.deferred[] | "\(.what) \(.path) \(.count)"] | join(", ")' "write often 5, connect 127.0.0.1:$port 1"
spawn 0 hand sub 'shell for i in $(seq 1150); do : >../many$i; done'
is '.deferred | length' 100
is .deferred_left_out 1050

# A name is escaped once.
mkdir $'sub/a\nb'
spawn 0 hand $'sub/a\nb' $'shell : >$\'c\\nd\''
is '.files.created[0]' 'sub/a\nb/c\nd'
