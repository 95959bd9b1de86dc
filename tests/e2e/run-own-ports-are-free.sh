#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A server of the command's own is reached by every name of this machine, without
# a question; one of somebody else's is not, whatever it is called.
. "${0%/*}/line.bash"

cat >own.py <<'END'
import http.server, socket, sys, threading, urllib.request
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("", 0), Quiet)
port = server.server_address[1]
threading.Thread(target=server.serve_forever, daemon=True).start()
# "localhost" is looked up, and the C library tries each address by UDP.
for name in "127.0.0.1", "localhost", "127.1.2.3":
    print(name, urllib.request.urlopen("http://%s:%d/" % (name, port), timeout=10).status)
# Datagrams, from one of the own sockets to another.
a, b = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in "ab")
a.bind(("127.0.0.1", 0))
b.sendto(b"x", a.getsockname())
a.sendto(b"y", a.recvfrom(9)[1])
print("datagram", b.recv(9))
# To a port that nobody has: lost.
free = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
free.bind(("127.0.0.1", 0))
nobody = free.getsockname()
free.close()
assert b.sendto(b"lost", nobody) == 4
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
c.connect(nobody)
print("port", port)
END
held 0 --report r.json -- "$PYTHON" -B own.py
for name in 127.0.0.1 localhost 127.1.2.3; do says "$name 200"; done
says "datagram b'y'"
jq -e '.refused == 0 and .asked == 0 and (.connected | not)' r.json >/dev/null || fail "$(cat r.json)"

server
status 0 net tcp 127.0.0.1 "$port"
before=$(peers)
for name in 127.0.0.1 localhost; do
	held 1 --report r.json -- "$PYTHON" -B "$HERE/net.py" tcp "$name" "$port"
	jq -e '.refused > 0' r.json >/dev/null || fail "$name: $(cat r.json)"
done
[[ $(peers) -eq $before ]] || fail "the server heard: $(cat "$heard")"
# With a rule, a port that nobody has yet is that port, also when it is taken; and
# without one it stays nobody's.
cat >later.py <<'END'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("127.0.0.1", 9))
try:
    print("peer", s.getpeername()[1])
except OSError:
    print("nobody")
try:
    s.send(b"x")
    s.send(b"x")
except ConnectionRefusedError:
    print("refused")
END
if [[ -z $(ss -Hlnu 'sport = :9' 2>/dev/null) ]]; then
	held 0 --allow-host 127.0.0.1 -- "$PYTHON" -B later.py
	says "peer 9"
	says refused
	held 0 -- "$PYTHON" -B later.py
	says nobody
	says refused
fi

# On an address that others reach a server is asked about.
cat >outward.py <<'END'
import socket, sys
s = socket.socket()
s.bind((sys.argv[1], 0))
s.listen(1)
print("listens", s.getsockname()[0])
END
here=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 -E '^[0-9]+(\.[0-9]+){3}$' || true)
if [[ -n $here ]]; then
	status 0 "$PYTHON" -B outward.py "$here"
	held 1 -- "$PYTHON" -B outward.py "$here"
	complains "$here"
	says_not listens
	status 0 "$AMBIT" run --quiet --ask allow -- "$PYTHON" -B outward.py "$here"
	says "listens $here"
fi
