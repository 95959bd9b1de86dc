#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `ambit serve --socket`: made 0600 where nobody else can write, for clients of the same
# user alone, who share the session; removed at the end.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

sockets=$TEST_DIR/sockets
mkdir -m 700 "$sockets"

# Where it must not be.
mkdir -m 777 "$TEST_DIR/shared"
mkdir -m 1777 "$TEST_DIR/sticky"
chmod 777 "$TEST_DIR/shared"
chmod 1777 "$TEST_DIR/sticky"
refused() { # PATH WORDS
	status 1 "$AMBIT" serve --socket "$1" </dev/null
	complains "$2"
	[[ -z ${3:-} && -e $1 ]] && fail "$1 was left behind"
	return 0
}
refused "$TEST_DIR/shared/s" "not to be trusted"
refused "$TEST_DIR/sticky/s" "not to be trusted"
refused "$P/s" "commands of this session can write"
mkdir -m 700 "$TEST_DIR/granted"
status 1 "$AMBIT" serve --write "$TEST_DIR/granted" --socket "$TEST_DIR/granted/s" </dev/null
complains "commands of this session can write"
ln -s "$P" "$sockets/link"
refused "$sockets/link/s" "commands of this session can write"
refused "$sockets/no/s" "No such file"
refused "$sockets/$(printf 'x%.0s' {1..120})" "longer than"
refused "$sockets/" "not the name of a file" keep
echo precious >"$sockets/file"
refused "$sockets/file" "no socket of yours" keep
[[ $(cat "$sockets/file") == precious ]] || fail "a file was replaced"
bound() { # PATH WHAT: with mode 0600
	"$PYTHON" -c 'import os, socket, sys; s = socket.socket(socket.AF_UNIX); os.umask(0o177); s.bind(sys.argv[1])
if sys.argv[2] != "left": s.listen(); sys.stdin.read()' "$@"
}
bound "$sockets/left" left
ln -s "$TEST_DIR/nowhere" "$sockets/dangling"
ln -s left "$sockets/to-left"
for link in dangling to-left; do
	refused "$sockets/$link" "no socket of yours" keep
	[[ -L $sockets/$link ]] || fail "a link was replaced"
done
[[ -S $sockets/left && ! -e $TEST_DIR/nowhere ]] || fail "a link was followed"
mkfifo "$TEST_DIR/end"
bound "$sockets/anothers" there <"$TEST_DIR/end" &
exec {end}>"$TEST_DIR/end"
eventually test -S "$sockets/anothers"
eventually grep -q " 00010000 .*$sockets/anothers\$" /proc/net/unix
refused "$sockets/anothers" "listens" keep
[[ -S $sockets/anothers ]] || fail "what another listens at was removed"
exec {end}>&-

export OUT SOCKET=$sockets/s
umask 000
"$AMBIT" serve --session shared --socket "$SOCKET" &
server=$!
servers+=("$server")
umask 022
eventually test -S "$SOCKET"
[[ $(stat -c %a "$SOCKET") == 600 ]] || fail "mode $(stat -c %a "$SOCKET")"
eventually grep -q " 00010000 .*$SOCKET\$" /proc/net/unix
refused "$SOCKET" "listens" keep

PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
from serve import *

path, out = os.environ["SOCKET"], os.environ["OUT"]
one, two = connect(path), connect(path)
check(one.ask("session")["session"] == "shared" == two.ask("session")["session"], "one session")

# What a person said to one holds for the other; a handle is its connection's own.
r = one.call("write", True, file_path=out + "/f", content="1")
check(two.error("answer", pending=r["pending"], answer="once")["code"] == -32001, "another's handle")
check(two.ask("cancel", pending=r["pending"]) == {"cancelled": False}, "another's call")
check(content(out + "/f") is None, "written")
check(one.ask("answer", pending=r["pending"], answer="folder")["ok"], "answered")
check(two.call("write", file_path=out + "/g", content="2")["ok"] and content(out + "/g") == "2", "shared")

# The same id from two is two requests.
one.send({"id": "x", "method": "label", "params": {"source": "", "content": "one"}})
two.send({"id": "x", "method": "label", "params": {"source": "", "content": "two"}})
check("one" in one.result("x")["text"] and "two" in two.result("x")["text"], "ids")

# One dies during execute: its processes end, the other goes on.
mark = "mark%d" % os.getpid()
one.start("execute", command=f"touch started; exec -a {mark} sleep 600", timeout=600000)
eventually(lambda: os.path.exists("started") and processes(mark), "started")
one.close()
eventually(lambda: not processes(mark), "gone")
two.alive()
# Half closed: what was asked for is heard.
three = connect(path)
id = three.start("execute", command="sleep 0.3; echo late")
three.end()
check(three.result(id)["stdout"] == "late\n", "half closed")
# One after another, and many at once.
for n in range(40):
    client = connect(path)
    check(client.ask("label", source="s", content=str(n)), n)
    client.close()
crowd = [connect(path) for _ in range(40)]
served = refused = 0
for client in crowd:
    try:
        client.send({"id": 1, "method": "label", "params": {"source": "", "content": ""}})
    except OSError:
        pass
    client.take()
    served += 1 in client.replies
    refused += bool(client.lost) and "too many" in client.lost[0]["message"]
check(served >= 10 and refused >= 20 and served + refused == 40, served, refused)
for client in crowd:
    try:
        client.close()
    except OSError:
        pass
two.alive()
two.close()
PY

# A command of the session's cannot answer for the person, though it may connect, and
# whoever its parent is.
for backend in kernel subprocess; do
	"$AMBIT" serve --ask allow --backend "$backend" --socket "$sockets/$backend" &
	servers+=($!)
	eventually test -S "$sockets/$backend"
	PYTHONPATH=$HERE "$PYTHON" -B - "$sockets/$backend" <<'PY'
import sys
from serve import *

path = sys.argv[1]
client = connect(path)
inner = ("import socket; s = socket.socket(socket.AF_UNIX); s.connect('%s'); "
         "s.sendall(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session\"}\\n'); "
         "print(s.makefile().readline())" % path)
with open("inner.py", "w") as file:
    file.write(inner)
e = client.ask("execute", command=sys.executable + " inner.py")
check("is not served by it" in e["stdout"] and '"result"' not in e["stdout"], path, e)
e = client.ask("execute", command=f"(setsid {sys.executable} inner.py >told 2>&1 &); "
               "until [ -s told ]; do sleep 0.05; done; cat told")
check("is not served by it" in e["stdout"] and '"result"' not in e["stdout"], path, e)
client.alive()
client.close()
PY
	rm "$P/told"
done

# Nor can one behind another line, whatever that lets through; and one who never stops
# sending keeps nobody else waiting.
cat >"$P/outer.py" <<'PY'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b'{"jsonrpc":"2.0","id":1,"method":"session"}\n')
print(s.makefile().readline(), flush=True)
while len(sys.argv) > 2:
    s.sendall(b" ")
PY
for net in ask open; do
	status 0 "$AMBIT" run --ask allow --net "$net" -- "$PYTHON" "$P/outer.py" "$SOCKET"
	says "behind the line of ambit is not served"
	says_not '"result"'
done
"$AMBIT" run --ask allow -- "$PYTHON" "$P/outer.py" "$SOCKET" on >"$TEST_DIR/on" 2>/dev/null &
servers+=($!)
eventually grep -q "is not served" "$TEST_DIR/on"
status 0 timeout 30 "$PYTHON" "$P/outer.py" "$SOCKET"
says '"session":"shared"'

# In ambit's own directory, which is made if need be, no line lets one through.
own=$XDG_RUNTIME_DIR/ambit/s
"$AMBIT" serve --socket "$own" &
servers+=($!)
eventually test -S "$own"
[[ $(stat -c %a "${own%/*}") == 700 ]] || fail "mode $(stat -c %a "${own%/*}")"
status 1 "$AMBIT" run --ask allow -- "$PYTHON" "$P/outer.py" "$own"
complains "ambit's own"

# Another user, even where the modes would let him.
if [[ $EUID -eq 0 ]] && id tester >/dev/null 2>&1; then
	other() {
		su tester -s /bin/sh -c "exec $PYTHON -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"method\\\":\\\"session\\\"}\\n\")
print(s.makefile().read())
' $SOCKET"
	}
	chmod 755 "$TEST_DIR" "$sockets"
	# What the run of all tests made for itself; /tmp is left as it is.
	case ${TEST_DIR%/*} in */tmp.*) chmod 755 "${TEST_DIR%/*}" ;; esac
	status 1 other
	complains "Permission denied"
	chmod 666 "$SOCKET"
	status 0 other
	says "another user"
	says_not '"result"'
	chmod 600 "$SOCKET"
else
	echo "skipped: another user (needs root and a user 'tester')"
fi

# Killed, it leaves its socket, and of those who come at once one takes its place.
kill -KILL "$server"
wait "$server" || true
[[ -S $SOCKET ]] || fail "the socket is gone"
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import os
import signal
from serve import *

path = os.environ["SOCKET"]
start = lambda: subprocess.Popen([os.environ["AMBIT"], "serve", "--socket", path], stderr=subprocess.PIPE)
many = [start() for _ in range(6)]
eventually(lambda: sum(p.poll() is None for p in many) == 1, "one is left")
for p in many:
    check(p.poll() in (None, 1), "exits with", p.poll())
    check(p.poll() is None or b"listens" in p.stderr.read(), "the others say why")
client = connect(path)
client.alive()
winner = next(p for p in many if p.poll() is None)
winner.send_signal(signal.SIGINT)
check(winner.wait(timeout=PATIENCE) == 0 and not os.path.lexists(path), "SIGINT")
# What was ignored from the start still is.
signal.signal(signal.SIGINT, signal.SIG_IGN)
server = start()
eventually(lambda: os.path.exists(path), "it starts")
connect(path).alive()
server.send_signal(signal.SIGINT)
connect(path).alive()
server.terminate()
check(server.wait(timeout=PATIENCE) == 0 and not os.path.lexists(path), "SIGTERM")
PY

# What somebody has put in its place meanwhile is not removed.
"$AMBIT" serve --socket "$SOCKET" &
server=$!
# It listens when it knows which one is its own.
eventually "$PYTHON" -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$SOCKET"
mv "$SOCKET" "$sockets/moved"
echo mine >"$SOCKET"
kill -TERM "$server"
wait "$server" || fail "the server exits with $?"
[[ $(cat "$SOCKET") == mine ]] || fail "another's file was removed"
