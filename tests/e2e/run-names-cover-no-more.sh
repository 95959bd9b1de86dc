#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A name covers where it leads, and no more: neither this machine's own addresses nor one
# that was refused for itself, whichever way leads there. And what is not meant as a way
# out is not taken for one.
. "${0%/*}/world.bash"

world_start dns http https echo udp
world_trust
world_host good.example 203.0.113.10
world_host both.example 203.0.113.20 192.0.2.2
world_host bad.example 203.0.113.20
world_host shared.example 203.0.113.10

# -- this machine, beside another address of the name -----------------------------------

cat >"$TEST_DIR/own.py" <<'END'
import socket, sys
s = socket.socket(); s.bind(("192.0.2.2", 9999)); s.listen(9)
while True:
    c, _ = s.accept()
    open(sys.argv[1], "ab").write(c.recv(100))
    c.close()
END
"$PYTHON" "$TEST_DIR/own.py" "$TEST_DIR/own.heard" &
cat >own-client.py <<'END'
import select, socket, sys
print(socket.getaddrinfo("both.example", 9999, socket.AF_INET, socket.SOCK_STREAM))
s = socket.socket(); s.setblocking(False)
s.connect_ex((sys.argv[1], 9999)); select.select([], [s], [], 5); s.settimeout(5)
try:
    s.sendall(b"hello own"); print("got", s.recv(100))
except OSError as e:
    print("none", e)
END
reaches_own() { "$PYTHON" own-client.py 192.0.2.2 >/dev/null && [[ -s $TEST_DIR/own.heard ]]; }
eventually reaches_own
rm "$TEST_DIR/own.heard"
for first in 203.0.113.20 203.0.113.66 192.0.2.2; do
	held 0 --allow-host both.example -- "$PYTHON" own-client.py "$first"
	says none
done
[[ ! -e $TEST_DIR/own.heard ]] || fail "a name led to this machine: $(cat "$TEST_DIR/own.heard")"

# -- an address that was refused ----------------------------------------------------------

printf '{"deny_hosts":["203.0.113.20"],"allow_hosts":["*.example"]}\n' >"$TEST_DIR/deny.json"
cat >denied.py <<'END'
import base64, os, socket, sys, urllib.parse
def ask(s, host):
    s.settimeout(5)
    s.sendall(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
    return s.recv(300)
how = sys.argv[1]
try:
    if how == "direct":
        s = socket.create_connection(("bad.example", 80), 5)
    elif how == "host":
        s = socket.create_connection(("203.0.113.30", 80), 5)
    else:
        u = urllib.parse.urlparse(os.environ["https_proxy"])
        s = socket.create_connection((u.hostname, u.port), 5)
        word = base64.b64encode(f"{u.username}:{u.password}".encode())
        s.sendall(b"CONNECT bad.example:80 HTTP/1.1\r\nHost: bad.example:80\r\nProxy-Authorization: Basic " + word + b"\r\n\r\n")
        s.recv(100)
    print("got", ask(s, b"bad.example"))
except OSError as e:
    print("none", e)
END
status 0 "$PYTHON" denied.py direct
says "got b'HTTP/1.1 200"
held 0 --proxy --allow-host bad.example -- "$PYTHON" denied.py proxy
says "got b'HTTP/1.1 200"
world_forget
for how in direct host proxy; do
	held 0 --proxy --settings "$TEST_DIR/deny.json" -- "$PYTHON" denied.py "$how"
	says_not "HTTP/1.1 200"
	complains "connect 203.0.113.20:80 was refused"
done
unheard 203.0.113.20

# -- connecting again -----------------------------------------------------------------------

# Who asks what came of it begins nothing: one connection, whatever it is told, and room for
# as many as before.
cat >again.py <<'END'
import select, socket
a = socket.getaddrinfo("good.example", 7, socket.AF_INET, socket.SOCK_STREAM)[0][4]
s = socket.socket()
print("waits", s.connect_ex(a), s.connect_ex(a), s.connect_ex(("203.0.113.20", 7)))
s.sendall(b"here\n"); print(s.recv(9))
s = socket.socket(); s.setblocking(False)
said = [s.connect_ex(a)]; select.select([], [s], [], 5)
print("does not", said + [s.connect_ex(a), s.connect_ex(a)])
END
status 0 "$PYTHON" again.py
native=$out
world_forget
held 0 --allow-host good.example -- "$PYTHON" again.py
[[ $out == "$native" ]] || fail "$out, not $native"
[[ $(heard 7 | grep -c ^open) -eq 2 ]] || fail "not two connections: $(heard 7)"
cat >many.py <<'END'
import select, socket
a = socket.getaddrinfo("good.example", 7, socket.AF_INET, socket.SOCK_STREAM)[0][4]
for i in range(2100):
    s = socket.socket(); s.setblocking(False)
    said = [s.connect_ex(a)]; select.select([], [s], [], 5); said.append(s.connect_ex(a)); s.close()
    assert said == [115, 0], (i, said)
print("all")
END
held 0 --allow-host good.example -- "$PYTHON" many.py
says all

# -- names that share an address ----------------------------------------------------------------

# The one that is meant is known by what is said; one that leads there may be asked about.
cat >shared.py <<'END'
import socket, sys
socket.getaddrinfo("shared.example", 80); socket.getaddrinfo("good.example", 80)
s = socket.create_connection(("203.0.113.10", 80), 5)
s.sendall(b"GET / HTTP/1.1\r\nHost: shared.example\r\nConnection: close\r\n\r\n")
try:
    print(s.recv(300))
except OSError as e:
    print("none", e)
END
status 0 "$AMBIT" run --ask allow --quiet --allow-host good.example --allow-host shared.example:8080 -- "$PYTHON" shared.py
says "HTTP/1.1 200"
held 0 --allow-host good.example --allow-host shared.example:8080 -- "$PYTHON" shared.py
says none
complains "connect shared.example:80 was refused"

# -- what is let be -----------------------------------------------------------------------------

# Of several that a program begins it closes the slower ones: nobody is asked about those.
cat >loser.py <<'END'
import socket, time
for host in 10, 20, 30:
    s = socket.socket(); s.setblocking(False); s.connect_ex((f"203.0.113.{host}", 443)); s.close()
time.sleep(0.5)
END
held 0 --allow-host good.example -- "$PYTHON" loser.py
[[ -z $errout ]] || fail "told of what was let be: $errout"
# Looking by which way a refused address would go is not going there.
held 0 --settings "$TEST_DIR/deny.json" -- "$PYTHON" -c 'import socket; print(socket.getaddrinfo("both.example", 80))'
says 203.0.113.20
[[ -z $errout ]] || fail "told of a look: $errout"
# Where all is open but a few, it may be more than a look.
cat >more.py <<'END'
import socket, struct
q = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); q.connect(("203.0.113.53", 53)); q.settimeout(5)
q.send(struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + b"\3two\7example\0\0\1\0\1"); q.recv(500)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5)
s.connect(("203.0.113.10", 7)); s.send(b"hello"); print("got", s.recv(100))
END
world_host two.example 203.0.113.10 203.0.113.30
printf '{"deny_hosts":["203.0.113.20"],"net":"open"}\n' >"$TEST_DIR/open.json"
held 0 --settings "$TEST_DIR/open.json" -- "$PYTHON" more.py
says "got b'hello'"
# A host that is allowed needs no rule, whatever was wrong with what was said to it.
held 0 --allow-host good.example -- "$PYTHON" -c '
import socket; s = socket.create_connection(("good.example", 443)); s.sendall(b"\x16\3\1\0\x50half"); s.close()'
complains "its TLS hello cannot be read"
[[ $errout != *"to allow it"* ]] || fail "$errout"

# -- name servers ---------------------------------------------------------------------------------

# A question for one goes there, whomever the socket is connected to.
cat >beside.py <<'END'
import socket, struct
query = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + b"\4good\7example\0\0\1\0\1"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("203.0.113.10", 123)); s.sendto(query, ("203.0.113.53", 53))
END
world_forget
held 0 --allow-host good.example --allow-host 203.0.113.10 -- "$PYTHON" beside.py
unheard 203.0.113.10
# One whose packets are led elsewhere has nobody at its own address (some containers).
world_resolv <<<"nameserver 127.0.0.11"
cat >led.py <<'END'
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5); s.connect(("127.0.0.11", 53))
s.send(struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + b"\x09localhost\0\0\1\0\1")
print("answered", s.recv(500)[-4:])
END
held 0 --allow-host good.example -- "$PYTHON" led.py
says "answered b'\\x7f\\x00\\x00\\x01'"
# Whoever answers for names answers ambit: no session takes that place unasked.
cat >"$TEST_DIR/serve53.py" <<'END'
import socket
for kind in socket.SOCK_DGRAM, socket.SOCK_STREAM:
    for host in "127.0.0.1", "0.0.0.0":
        try:
            s = socket.socket(socket.AF_INET, kind); s.bind((host, 53)); print("bound"); s.close()
        except OSError as e:
            print("none", e)
END
world_far nsenter --target "$$" --net sysctl -qw net.ipv4.ip_unprivileged_port_start=0
low_ports() { [[ $(</proc/sys/net/ipv4/ip_unprivileged_port_start) -eq 0 ]]; }
eventually low_ports
status 0 "$PYTHON" "$TEST_DIR/serve53.py"
[[ $(grep -c bound <<<"$out") -eq 4 ]] || fail "not without ambit either: $out"
# However it is named, and also where it is not yet.
for server in 127.0.0.1 0.0.0.0 ::ffff:127.0.0.1 203.0.113.53; do
	world_resolv <<<"nameserver $server"
	held 0 --allow-host good.example -- "$PYTHON" "$TEST_DIR/serve53.py"
	says_not bound
	complains "127.0.0.1:53 was refused"
done
held 0 --net none -- "$PYTHON" "$TEST_DIR/serve53.py"
says_not none
