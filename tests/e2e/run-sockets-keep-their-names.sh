#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A socket is made where it was decided, and programs can go on using what getsockname
# tells them: they connect to it, answer to it, hand it to children and remove it.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

# Addresses have 108 bytes: the directory of the test is too deep.
short=$(mktemp -d /tmp/ambit-names.XXXXXX)
name=${short#/tmp/}-x
trap 'rm -rf "$short" "/tmp/$name" "/tmp/$name".* "$TEST_DIR"' EXIT
export TMPDIR=$short/t
mkdir "$TMPDIR" "$short/p"
cd "$short/p"
git init -q .
mkdir -p sub/deep
ln -s sub/deep link
ln -s /tmp sub/tmp
cat >names.py <<'PY'
import multiprocessing
import os
import socket
import sys
import tempfile

name = sys.argv[1]
here = os.getcwd()
failed = False

def check(good, *words):
    global failed
    if not good:
        failed = True
        print(*words)

# As Go does: what is listened at is removed by the name that the kernel tells.
def listen(text, shown, usable=True):
    server = socket.socket(socket.AF_UNIX)
    server.bind(text)
    server.listen(1)
    told = server.getsockname()
    check(told == shown or not usable and told.startswith(shown), text, "is told as", told)
    for way in (text, told) if usable else (text,):
        client = socket.socket(socket.AF_UNIX)
        client.connect(way)
        server.accept()[0].close()
    os.unlink(told if usable else text)
    check(not os.path.lexists(text), text, "is still there")

for text in ("a", "./a", "sub/a", "link/a", f"{here}/a", f"{here}/sub/a", f"{here}/link/a",
             f"/tmp/{name}.a", f"{tempfile.gettempdir()}/a", f"{tempfile.mkdtemp()}/a"):
    listen(text, text)
# By its real name, where the program's own could be led elsewhere.
listen(f"sub/tmp/{name}.b", f"/tmp/{name}.b")
listen("sub/../b", f"{here}/b")
# By a descriptor, where both could: it can be used by the text that the program has.
os.mkdir(f"/tmp/{name}", 0o700)
listen(f"/tmp/{name}/c", "/proc/self/fd/", False)
listen(".git/c", "/proc/self/fd/", False)
os.rmdir(f"/tmp/{name}")
# A name of the kernel's own needs no file.
server = socket.socket(socket.AF_UNIX)
server.bind(f"\0{name}")
check(server.getsockname() == f"\0{name}".encode(), "an abstract name")

# A directory whose path is too long for an address.
deep = "sub/" + "/".join(["d" * 60] * 3)
os.makedirs(deep)
os.chdir(deep)
listen("e", "e")
listen("./e", "./e")
os.chdir(here)

# A datagram is answered to the address that it came from. (doc/run.md: not without this.)
if os.environ.get("AMBIT_WITHOUT") != "pidfd_getfd":
    one, two = (socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
    one.bind("sub/one")
    two.bind(f"{here}/link/two")
    two.sendto(b"question", "sub/one")
    words, sender = one.recvfrom(100)
    one.sendto(b"answer", sender)
    check(two.recv(100) == b"answer", "no answer")

# Its server tells its clients what getsockname says.
with multiprocessing.Manager() as manager:
    box = manager.dict(x=1)
    check(box["x"] == 1, "no manager")
sys.exit(failed)
PY
held 0 -- "$PYTHON" -B names.py "$name"
[[ -z $out ]] || fail "$out"

if command -v node >/dev/null; then
	cat >names.js <<'JS'
const net = require("net");
const path = process.cwd() + "/link/n";
const server = net.createServer(c => c.end("hello")).listen(path, () => {
	if (server.address() !== path) process.exit(3);
	net.connect(server.address()).on("data", d => { console.log(`${d}`); server.close(); });
});
JS
	held 0 -- node names.js
	[[ $out == hello ]] || fail "$out"
	[[ ! -e sub/deep/n ]] || fail "node left its socket"
fi
