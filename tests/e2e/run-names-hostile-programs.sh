#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program that wants to reach more than it was allowed does not: not by racing the one
# who looks, not by another kind of socket, not by what it was handed. The server that was
# not allowed hears nothing; without ambit it hears each of these.
. "${0%/*}/world.bash"

world_start dns http https echo udp
world_host good.example 203.0.113.10
world_host evil.example 203.0.113.20
seconds=${AMBIT_LONG:+20}
seconds=${seconds:-1}

# Races for the address, and for the descriptor.
flips=(connect udp-connect sendto sendmsg sendmmsg dup-sendmsg)
for act in "${flips[@]}"; do
	"$HELPERS/flip" "$act" 203.0.113.10 203.0.113.20 7 1 >/dev/null
	[[ -n $(heard 203.0.113.20) ]] || fail "$act gets nowhere without ambit either"
	world_forget
	held 0 --quiet --allow-host 203.0.113.10 -- "$HELPERS/flip" "$act" 203.0.113.10 203.0.113.20 7 "$seconds"
	[[ $(cut -d ' ' -f 1 <<<"$out") -gt 50 ]] || fail "$act: $out"
	unheard 203.0.113.20
	world_forget
done
# The same for a name: the relay's side.
world_forget
held 0 --quiet --allow-host good.example -- sh -c "getent ahosts good.example >/dev/null;
	'$HELPERS/flip' connect 203.0.113.10 203.0.113.20 7 $seconds"
unheard 203.0.113.20
held 0 --quiet --allow-host 203.0.113.10 -- "$HELPERS/flip" fastopen 203.0.113.10 203.0.113.20 7 1
says "0 came back well"
unheard 203.0.113.20

# Other families and protocols are not there; other spellings are the same address.
cat >kinds.py <<'END'
import socket, sys
def fails(what, act):
    try:
        act()
    except OSError as e:
        return
    print("got through:", what)
A = ("203.0.113.20", 7)
for family, kind, protocol in [(2, 1, 262), (2, 1, 132), (2, 5, 132), (2, 3, 255), (2, 2, 1), (2, 3, 1), (10, 2, 58), (10, 3, 58),
                               (17, 3, 0), (40, 1, 0), (38, 5, 0), (16, 3, 4), (21, 5, 0), (2, 2, 136), (31, 5, 0)]:
    fails((family, kind, protocol), lambda: socket.socket(family, kind, protocol))
for address in ("::ffff:203.0.113.20", "64:ff9b::203.0.113.20", "2002:cb00:7114::1"):
    s = socket.socket(socket.AF_INET6); s.settimeout(2)
    fails(address, lambda: s.connect((address, 7)))
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
fails("mapped datagram", lambda: s.sendto(b"x", ("::ffff:203.0.113.20", 7)))
s = socket.socket(); s.settimeout(2)
fails("TCP_FASTOPEN_CONNECT", lambda: (s.setsockopt(6, 30, 1), s.connect(A), s.sendall(b"x")))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fails("UDP_CORK", lambda: u.setsockopt(17, 1, 1))
# A look by which way it would go is not a way to send.
for port in (9, 443, 65535, 0):
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        u.connect(("203.0.113.20", port))
    except OSError:
        continue
    fails(f"a look at port {port}", lambda: u.send(b"x"))
    fails(f"a look at port {port}, again", lambda: (u.connect(A), u.send(b"x")))
print("tried")
END
for near in 10.9.9.9 169.254.169.254; do
	cat >>kinds.py <<-END
		for kind in (1, 2):
		    s = socket.socket(2, kind); s.settimeout(2)
		    fails("$near", lambda: (s.connect(("$near", 7)), s.send(b"x")))
	END
done
held 0 --quiet --allow-host good.example -- "$PYTHON" kinds.py
says_not "got through"
says tried
held 0 --quiet --allow-host '*.example' --allow-host '*' -- sh -c "getent ahosts evil.example >/dev/null; exec '$PYTHON' kinds.py"
unheard 10.9.9.9
unheard 169.254.169.254
world_forget

# A datagram that waits for more does not go where the socket is made to look.
world_host other.example 203.0.113.30
cat >pending.py <<'END'
import os, socket, sys
socket.getaddrinfo("other.example", 443)
def look(s):
    try:
        s.connect(("203.0.113.30", 443))
    except OSError:
        pass
    try:
        s.setsockopt(17, 1, 0)
        s.send(b"")
    except OSError:
        pass
def more(s):
    s.connect(("203.0.113.10", 7)); s.send(b"SECRET", socket.MSG_MORE); look(s)
def more_to(s):
    s.sendto(b"SECRET", socket.MSG_MORE, ("203.0.113.10", 7)); look(s)
def cork(s):
    s.connect(("203.0.113.10", 7)); s.setsockopt(17, 1, 1); s.send(b"SECRET"); look(s)
def spliced(s):
    s.connect(("203.0.113.10", 7)); r, w = os.pipe(); os.write(w, b"SECRET")
    os.splice(r, s.fileno(), 6, flags=4); look(s)
for act in more, more_to, cork, spliced:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
    try:
        act(s)
    except (OSError, AttributeError) as e:
        print(act.__name__, e)
END
status 0 "$PYTHON" pending.py
heard 443 | grep -q SECRET || fail "it does not go there without ambit either: $(heard)"
world_forget
held 0 --quiet --allow-host 203.0.113.10 --allow-host other.example -- "$PYTHON" pending.py
[[ -z $(heard 443) ]] || fail "$(heard 443)"

# A socket that came with the command is what its giver made it; what is done to it is
# decided like all else.
cat >inherit.py <<'END'
import os, socket
s = socket.fromfd(0, socket.AF_INET, socket.SOCK_STREAM)
try:
    s.connect(("203.0.113.20", 7)); s.sendall(b"x"); print("got through")
except OSError as e:
    print("refused")
END
held 0 --quiet --allow-host good.example -- true
status 0 "$PYTHON" -c '
import socket, subprocess, sys
s = socket.socket()
sys.exit(subprocess.run(sys.argv[1:], stdin=s).returncode)' \
	"$AMBIT" run --ask deny --quiet --allow-host good.example -- "$PYTHON" inherit.py
says refused
unheard 203.0.113.20

# The same of sockets that somebody outside hands over.
cat >"$TEST_DIR/giver.py" <<'END'
import socket, sys
server = socket.socket(socket.AF_UNIX); server.bind(sys.argv[1]); server.listen(1)
while True:
    c, _ = server.accept()
    made = [socket.socket(), socket.socket(2, 2)]
    socket.send_fds(c, [b"y"], [s.fileno() for s in made])
    c.recv(1)
END
cat >taker.py <<'END'
import socket, sys
c = socket.socket(socket.AF_UNIX); c.connect(sys.argv[1])
_, fds, _, _ = socket.recv_fds(c, 1, 2)
tcp, udp = socket.socket(fileno=fds[0]), socket.socket(fileno=fds[1])
for what, act in (("tcp", lambda: (tcp.connect(("203.0.113.20", 7)), tcp.sendall(b"x"))),
                  ("sendto", lambda: udp.sendto(b"x", ("203.0.113.20", 7))),
                  ("udp", lambda: (udp.connect(("203.0.113.20", 7)), udp.send(b"x")))):
    try:
        act(); print(what, "got through")
    except OSError as e:
        print(what, "refused")
END
"$PYTHON" "$TEST_DIR/giver.py" "$OUT/giver" &
servers+=($!)
eventually test -S "$OUT/giver"
status 0 "$PYTHON" taker.py "$OUT/giver"
says "tcp got through"
heard 203.0.113.20 | grep -q . || fail "not heard without ambit either"
world_forget
held 0 --quiet --allow-host good.example --allow-host "unix:$OUT/giver" -- "$PYTHON" taker.py "$OUT/giver"
says "tcp refused"
says_not through
unheard 203.0.113.20

# ambit's own ports are not for the command, nor for anybody else.
cat >ports.py <<'END'
import socket, subprocess, sys
socket.getaddrinfo("good.example", 80)
for line in open("/proc/net/tcp").read().split("\n")[1:]:
    part = line.split()
    if len(part) > 3 and part[3] == "0A" and part[1].startswith("0100007F:"):
        s = socket.socket(); s.settimeout(1)
        try:
            s.connect(("127.0.0.1", int(part[1].split(":")[1], 16))); s.sendall(b"x"); got = s.recv(10)
            if got: print("answered", got)
        except OSError: pass
for line in open("/proc/net/udp").read().split("\n")[1:]:
    part = line.split()
    if len(part) > 3 and part[1].startswith("0100007F:"):
        s = socket.socket(2, 2); s.settimeout(0.3)
        try:
            s.sendto(b"\0\1\1\0\0\1\0\0\0\0\0\0\4good\7example\0\0\1\0\1", ("127.0.0.1", int(part[1].split(":")[1], 16)))
            print("answered", s.recv(100))
        except OSError: pass
print("knocked")
sys.stdout.flush()
END
held 0 --quiet --allow-host good.example -- "$PYTHON" ports.py
says_not answered
says knocked
# From outside, while a session has them open.
"$AMBIT" run --ask deny --quiet --allow-host good.example -- sh -c 'getent ahosts good.example >/dev/null; touch up; sleep 20' &
session=$!
eventually test -e up
status 0 "$PYTHON" -c "$(sed '/getaddrinfo/d' ports.py)"
says_not answered
says knocked
kill "$session"
wait "$session" 2>/dev/null || true

# A datagram server on every address hears only this machine, also when it has given up a
# peer: the kernel would forget what it is held to.
cat >"$TEST_DIR/knock.py" <<'END'
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("203.0.113.20", 0))
for i in range(2000):
    s.sendto(b"inbound", ("192.0.2.2", 7501))
    time.sleep(0.02)
END
world_far "$PYTHON" "$TEST_DIR/knock.py"
cat >unheld.py <<'END'
import ctypes, socket, sys
def disconnect(s):
    return ctypes.CDLL(None).connect(s.fileno(), bytes(16), 16)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 7501))
if len(sys.argv) > 1:
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); own.bind(("127.0.0.1", 0))
    s.connect(own.getsockname())
print("gives up its peer:", disconnect(s))
s.settimeout(1)
try:
    print("heard", s.recv(20))
except TimeoutError:
    print("nothing")
END
status 0 "$PYTHON" unheld.py
says "heard b'inbound'"
for peer in "" peer; do
	# shellcheck disable=SC2086 # none or one
	held 0 --allow-host good.example -- "$PYTHON" unheld.py $peer
	says nothing
done
says "gives up its peer: -1"
# Nor does it lose that on the way: a question that is asked twice goes out from its socket.
cat >detour.py <<'END'
import ctypes, socket, struct, time
query = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + b"\4good\7example\0\0\1\0\1"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 7501)); s.connect(("203.0.113.53", 53)); s.settimeout(5)
for pause in 0, 0.7:
    time.sleep(pause)
    s.send(query); print("answered", len(s.recv(500)))
time.sleep(1.2)
ctypes.CDLL(None).connect(s.fileno(), bytes(16), 16)
s.settimeout(1)
try:
    print("heard", s.recv(20))
except TimeoutError:
    print("nothing")
END
held 0 --allow-host good.example -- "$PYTHON" detour.py
says nothing

# A port that somebody else has is in use, also where he would share it.
cat >"$TEST_DIR/has.py" <<'END'
import socket, sys
t = socket.socket(); t.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); t.bind(("127.0.0.1", 5556)); t.listen(5)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); u.bind(("0.0.0.0", 5557))
v = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); v.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1); v.bind(("::", 5559))
open(sys.argv[1], "w").close()
while True:
    t.accept()
END
"$PYTHON" "$TEST_DIR/has.py" "$TEST_DIR/has.up" &
eventually test -e "$TEST_DIR/has.up"
cat >shares.py <<'END'
import socket
def take(kind, option, port):
    s = socket.socket(socket.AF_INET, kind); s.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        s.bind(("127.0.0.1", port)); print("took", port)
    except OSError as e:
        print("not", port, e)
    return s
take(socket.SOCK_STREAM, socket.SO_REUSEPORT, 5556); take(socket.SOCK_DGRAM, socket.SO_REUSEADDR, 5557)
take(socket.SOCK_DGRAM, socket.SO_REUSEADDR, 5559)
six = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); six.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
try:
    six.bind(("::", 5557)); print("took both")
except OSError as e:
    print("not both", e)
a = take(socket.SOCK_STREAM, socket.SO_REUSEPORT, 5558); a.listen(5)
b = take(socket.SOCK_STREAM, socket.SO_REUSEPORT, 5558); b.listen(5); print("shared its own")
END
status 0 "$PYTHON" shares.py
says "took 5556"
says "took 5557"
says "took both"
held 0 --allow-host good.example -- "$PYTHON" shares.py
says "not 5556 [Errno 98]"
says "not 5557 [Errno 98]"
says "not both [Errno 98]"
says "took 5559" # what takes IPv6 alone has no say in IPv4
says "shared its own"
