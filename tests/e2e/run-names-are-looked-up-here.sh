#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs as a user.
# Names are looked up by ambit, for programs that go on as they always did: what may be
# known they are told, however the name server answers; what may not is never asked for.
# Nothing that they write leaves but the question, and no name is a way to this machine,
# its network or a cloud's metadata.
. "${0%/*}/world.bash"

world_start dns http https echo udp
world_trust
export PYTHONPATH=$HERE
python() { "$PYTHON" -B "$@"; }
# beyond PATTERN: what was heard that is not like it.
beyond() { heard | grep -viE "$1" || true; }

# -- what a name server can say -------------------------------------------------------

world_host good.example 203.0.113.10
world_name www.example alias good.example
world_name chain.example alias www.example
world_host truncated.example 203.0.113.20
world_name truncated.example truncated
world_name huge.example huge 1500
world_host slow.example 203.0.113.20
world_name slow.example slow 1000
world_name broken.example broken
world_name mute.example mute
world_name text.example TXT words
world_host "*.wild.example" 198.51.100.7
world_resolv <<<$'nameserver 203.0.113.53\noptions timeout:2 attempts:1'

cat >says.py <<'END2'
import socket, sys, threading, time
from query import *

def resolved(name):
    return sorted({info[4][0] for info in socket.getaddrinfo(name, 0, socket.AF_INET)})
def fails(name, *codes):
    try:
        found = resolved(name)
    except socket.gaierror as error:
        assert error.errno in codes, (name, error)
    else:
        raise AssertionError((name, found))

def asked(name, code=0, kind=A, tries=(udp, lambda m: tcp(m)[int.from_bytes(m[:2], "big")])):
    """By UDP and by TCP."""
    for way in tries:
        answer = way(make(name, kind))
        assert answer.response and answer.code == code, (name, answer.message)
    return answer
def slow():
    start = time.monotonic()
    assert resolved("slow.example") == ["203.0.113.20"]
    assert time.monotonic() - start > 0.9
def mute():
    start = time.monotonic()
    fails("mute.example", socket.EAI_AGAIN)
    assert time.monotonic() - start < 5
def mute_by_tcp():
    """Where somebody stands in, he says that he knows no answer."""
    start = time.monotonic()
    asked("mute.example", 2, tries=[lambda m: tcp(m, timeout=20)[int.from_bytes(m[:2], "big")]])
    assert time.monotonic() - start < 15
failed = []
def aside(act):
    try:
        act()
    except BaseException:
        failed.append(act)
        raise
waiting = [threading.Thread(target=aside, args=(act,)) for act in [slow, mute] + [mute_by_tcp] * len(sys.argv[1:])]
for thread in waiting:
    thread.start()

assert resolved("good.example") == ["203.0.113.10"]
assert resolved("GOOD.example.") == ["203.0.113.10"]
assert resolved("chain.example") == ["203.0.113.10"]
assert resolved("truncated.example") == ["203.0.113.20"]
assert len(resolved("huge.example")) == 250
fails("broken.example", socket.EAI_AGAIN)
fails("gone.example", socket.EAI_NONAME)
fails("text.example", socket.EAI_NODATA, socket.EAI_NONAME)

assert asked("good.example").of(A) == ["203.0.113.10"]
assert asked("good.example", kind=AAAA).records == []
chain = asked("chain.example")
assert chain.of(CNAME) == ["www.example", "good.example"] and chain.of(A) == ["203.0.113.10"]
assert asked("text.example", kind=TXT).of(TXT) == [b"\x05words"]
assert asked("broken.example", 2).records == []
assert asked("gone.example", 3).records == []
huge = make("huge.example")
assert udp(huge).truncated
assert len(tcp(huge)[int.from_bytes(huge[:2], "big")].records) == 1500
assert asked("truncated.example").of(A) == ["203.0.113.20"]
# Who spells a name in his own way finds it like that in the answer.
assert udp(make("gOOd.exAMple")).question == wire("gOOd.exAMple") + b"\0\1\0\1"

# Many at once by one connection, and by one socket.
many = [make(name, ident=i) for i, name in enumerate(["good.example", "gone.example", "chain.example"] * 20)]
answers = tcp(*many)
assert sorted(answers) == list(range(60)), sorted(answers)
assert {answer.code for i, answer in answers.items() if i % 3 != 1} == {0}
assert {answer.code for i, answer in answers.items() if i % 3 == 1} == {3}
# One byte at a time.
with socket.create_connection(SERVER, 5) as s:
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    message = make("good.example")
    for byte in len(message).to_bytes(2, "big") + message:
        s.send(bytes([byte]))
    assert take(s).of(A) == ["203.0.113.10"]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.settimeout(5)
    s.connect(SERVER)
    for message in many[:30]:
        s.send(message)
    assert {Answer(s.recv(2000)).id for _ in range(30)} == set(range(30))
# From every kind of socket.
def datagram(family, act):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(5)
        act(s, make("good.example"))
        assert Answer(s.recv(2000)).of(A) == ["203.0.113.10"]
mapped = ("::ffff:203.0.113.53", 53)
datagram(socket.AF_INET, lambda s, data: s.sendto(data, SERVER))
datagram(socket.AF_INET, lambda s, data: s.sendmsg([data[:9], data[9:]], [], 0, SERVER))
datagram(socket.AF_INET, lambda s, data: (s.connect(SERVER), s.sendmsg([data[:9], data[9:]])))
datagram(socket.AF_INET, lambda s, data: (s.bind(("0.0.0.0", 0)), s.connect(SERVER), s.send(data)))
datagram(socket.AF_INET, lambda s, data: (s.connect(SERVER), s.connect(SERVER), s.send(data)))
datagram(socket.AF_INET6, lambda s, data: (s.connect(mapped), s.send(data)))
datagram(socket.AF_INET6, lambda s, data: s.sendto(data, mapped))
with socket.socket(socket.AF_INET6) as s:
    s.settimeout(5)
    s.connect(mapped)
    put(s, make("good.example"))
    assert take(s).of(A) == ["203.0.113.10"]
for thread in waiting:
    thread.join()
assert not failed, failed
print("all said")
END2
status 0 python says.py
says "all said"
world_forget
held 0 --allow-host '*.example' --report r.json -- "$PYTHON" -B says.py inside
says "all said"
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"
heard truncated.example | grep -q ' tcp A ' || fail "not by TCP: $(heard truncated.example)"

# -- what needs nobody ------------------------------------------------------------------

cat >nobody.py <<'END2'
import socket
from query import *
# Kinds that would hide a name, or tell all.
for name in "good.example", "other.example":
    for kind in HTTPS, SVCB:
        answer = udp(make(name, kind))
        assert answer.code == 0 and not answer.records, (name, kind, answer.message)
    for kind in ANY, AXFR, IXFR:
        message = make(name, kind)
        assert udp(message).code == 5, (name, kind)
        assert tcp(message)[int.from_bytes(message[:2], "big")].code == 5, (name, kind)
# Of an address, what is known by now.
back = "10.113.0.203.in-addr.arpa"
assert udp(make(back, PTR)).code == 3
assert udp(make("7.100.51.198.in-addr.arpa", PTR)).code == 3
assert udp(make(ipaddress.ip_address("2001:db8::10").reverse_pointer, PTR)).code == 3
socket.getaddrinfo("good.example", 0)
assert udp(make(back, PTR)).of(PTR) == ["good.example"]
assert socket.gethostbyaddr("203.0.113.10")[0] == "good.example"
assert udp(make("7.100.51.198.in-addr.arpa", PTR)).code == 3
assert udp(make("localhost")).of(A) == ["127.0.0.1"]
assert udp(make("a.localhost", AAAA)).of(AAAA) == ["::1"]
print("answered")
END2
world_forget
held 0 --allow-host good.example --report r.json -- "$PYTHON" -B nobody.py
says answered
[[ -z $(beyond '^dns [^ ]+ udp (A|AAAA) good.example$') ]] || fail "$(heard)"
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"

# -- what is not allowed -----------------------------------------------------------------

cat >refused.py <<'END2'
import socket
from query import *
names = ["other.example", "sub.good.example", "bad.wild.example", "Bad.Wild.Example",
         "a" * 41 + ".wild.example", ".".join(["word"] * 22) + ".wild.example"]
for name in names:
    for kind in A, AAAA, TXT, 15:
        message = make(name, kind)
        assert udp(message).code == 3, name
        assert tcp(message)[int.from_bytes(message[:2], "big")].code == 3, name
    try:
        socket.getaddrinfo(name, 80)
    except socket.gaierror as error:
        assert error.errno == socket.EAI_NONAME, error
    else:
        raise AssertionError(name)
# Who can read why is told.
assert b"refused by ambit" in udp(make("other.example", extra=opt())).message
print("refused")
END2
status 0 getent ahostsv4 "$(printf 'a%.0s' {1..41}).wild.example"
config=$XDG_CONFIG_HOME/ambit/config.json
echo '{"deny_hosts":["bad.wild.example"]}' >"$config"
world_forget
held 0 --allow-host good.example --allow-host '*.wild.example' --report r.json -- "$PYTHON" -B refused.py
says refused
complains "too long to be covered by a wildcard"
complains "bad.wild.example is one of the denied hosts"
unheard ""
rm "$config"
# Each name is one refusal, however often and for whatever kind it was asked.
[[ $(jq '.refusals | length' r.json) -eq 5 ]] || fail "$(cat r.json)"

# With a search domain behind it a name is still the same one; and a name that is only
# whole with it is decided as a whole.
world_host good.corp.example 203.0.113.20
world_resolv <<<$'nameserver 203.0.113.53\nsearch corp.example lab.example\noptions timeout:1 attempts:1'
world_forget
status 2 getent ahostsv4 other.example
heard other.example.corp.example | grep -q . || fail "not searched without ambit either: $(heard)"
world_forget
held 2 --allow-host good.example --report r.json -- getent ahostsv4 other.example
[[ $(jq -c '[.refusals[].subject]' r.json) == '["other.example"]' ]] || fail "$(cat r.json)"
unheard ""
# Unless it is allowed as a whole.
held 2 --allow-host '*.corp.example' --report r.json -- getent ahostsv4 other.example
[[ $(jq -c '[.refusals[].subject]' r.json) == '["other.example"]' ]] || fail "$(cat r.json)"
heard other.example.corp.example | grep -q . || fail "$(heard)"
held 0 --allow-host good.corp.example --report r.json -- "$PYTHON" -B "$HERE/net.py" tcp good 7
says hello
heard 7 | grep -qx 'open 203.0.113.20:7' || fail "$(heard 7)"
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"
world_resolv <<<"nameserver 203.0.113.53"

# Names of /etc/hosts: no name server hears of them. What it says there comes first.
world_hosts <<'END2'
127.0.0.1 localhost
203.0.113.30 written.example
203.0.113.20 good.example
10.9.9.9 inside.example
END2
world_forget
held 0 --allow-host written.example --allow-host good.example -- curl -sS --max-time 10 http://written.example/ http://good.example/
says "local=203.0.113.30:80 sni=- host=written.example"
says "local=203.0.113.20:80 sni=- host=good.example"
held 0 --allow-host good.example -- curl -sS --max-time 10 --resolve good.example:80:203.0.113.10 http://good.example/
says "local=203.0.113.20:80"
world_forget
held 7 --allow-host good.example -- curl -sS --max-time 10 http://written.example/
complains "connect written.example:80 was refused"
held 7 --allow-host '*.example' -- curl -sS --max-time 10 http://inside.example/
complains "connect 10.9.9.9:80 was refused"
unheard ""
printf '%s\n' "127.0.0.1 localhost" "::1 localhost" | world_hosts

# -- names that lead where no name does -----------------------------------------------------

world_host near.example 10.9.9.9
world_host meta.example 169.254.169.254
world_host loop.example 127.0.0.1
world_host own.example 192.0.2.2
world_host mixed.example 10.9.9.9 203.0.113.10
world_host near6.example fd00::9
world_host mapped.example ::ffff:10.9.9.9
# Somebody on this machine, outside.
: >near.log
python -c '
import socket
s = socket.create_server(("0.0.0.0", 8080))
open("near.log", "w").write("ready\n")
while True:
    c, _ = s.accept()
    open("near.log", "a").write("open %s\n" % c.getsockname()[0])
    c.settimeout(2)
    try:
        c.recv(1000); c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhere\n")
    except OSError:
        pass
    c.close()' &
servers+=($!)
eventually grep -q ready near.log
leads=(near meta loop own ${WORLD_V6:+near6 mapped})
for name in "${leads[@]}"; do
	status 0 curl -sS --max-time 10 "http://$name.example:8080/"
done
[[ $(grep -c open near.log) -eq 2 ]] || fail "$(cat near.log)"
echo ready >near.log
world_forget
for name in "${leads[@]}"; do
	held 7 --allow-host '*.example' --allow-host "$name.example" -- curl -sS --max-time 10 "http://$name.example:8080/"
	complains "was refused"
	# Nor by way of another's address.
	held 56 --allow-host '*.example' -- curl -sS --max-time 10 \
		--resolve "$name.example:8080:203.0.113.20" "http://$name.example:8080/"
	complains "was refused"
done
[[ $(cat near.log) == ready ]] || fail "$(cat near.log)"
[[ -z $(beyond '^dns') ]] || fail "$(heard)"
held 0 --allow-host mixed.example -- curl -sS --max-time 10 http://mixed.example:8080/
says "local=203.0.113.10:8080"
unheard 10.9.9.9
# One that leads elsewhere the second time.
world_name rebind.example turns 203.0.113.10 10.9.9.9
cat >rebind.py <<'END2'
import socket
said = []
for _ in range(6):
    address = socket.getaddrinfo("rebind.example", 80, socket.AF_INET, socket.SOCK_STREAM)[0][4]
    with socket.socket() as s:
        s.settimeout(5)
        try:
            s.connect(address)
            s.sendall(b"GET / HTTP/1.1\r\nHost: rebind.example\r\nConnection: close\r\n\r\n")
            said.append((address[0], s.makefile().read().split()[-5]))
        except OSError as error:
            said.append((address[0], "no"))
print(said)
END2
status 0 python rebind.py
says "local=10.9.9.9:80"
world_forget
held 0 --allow-host rebind.example -- "$PYTHON" -B rebind.py
says "('203.0.113.10', 'local=203.0.113.10:80'), ('10.9.9.9', 'no')"
unheard 10.9.9.9

# -- looking without going ---------------------------------------------------------------------

world_host many.example 203.0.113.10 203.0.113.20 203.0.113.30 ${WORLD_V6:+2001:db8::10 2001:db8::20}
cat >look.py <<'END2'
import socket, sys
for port in 80, 443, 8080, 0, 7:
    assert len({info[4] for info in socket.getaddrinfo("many.example", port, type=socket.SOCK_STREAM)}) >= 3
def send(act):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            act(s)
        except OSError as error:
            return error.errno
        return 0
def connected(port):
    def act(s):
        s.connect(("203.0.113.10", port))
        s.send(b"connected")
    return act
acts = [connected(443), connected(7), connected(123), lambda s: s.sendto(b"sent", ("203.0.113.10", 443)),
        lambda s: s.sendto(b"sent", ("203.0.113.20", 7)), lambda s: s.sendmsg([b"sent"], [], 0, ("203.0.113.30", 123))]
print("looked", [send(act) for act in acts] if len(sys.argv) > 1 else "")
END2
status 0 python look.py send
says "looked [0, 0, 0, 0, 0, 0]"
[[ $(heard | grep -c '^datagram') -eq 6 ]] || fail "$(heard)"
world_forget
held 0 --allow-host many.example --report r.json -- "$PYTHON" -B look.py
says looked
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"
held 0 --allow-host many.example -- "$PYTHON" -B look.py send
says_not "[0"
says_not " 0,"
says_not " 0]"
[[ -z $(beyond '^dns') ]] || fail "$(heard)"

# Another name server is not ambit's to stand in for.
cat >other.py <<'END2'
import socket, sys
from query import *
def ask(act):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            act(s, make("good.example"), ("203.0.113.10", 53))
        except OSError as error:
            return error.errno
        return 0
print("asked", [ask(act) for act in (
    lambda s, data, to: (s.connect(to), s.send(data)), lambda s, data, to: s.sendto(data, to),
    lambda s, data, to: s.sendmsg([data], [], 0, to))])
END2
status 0 python other.py
says "[0, 0, 0]"
[[ $(heard | grep -c ^unanswered) -eq 3 ]] || fail "$(heard)"
world_forget
held 0 --allow-host good.example -- "$PYTHON" -B other.py
says "[13, 13, 13]"
complains "connect 203.0.113.10:53 was refused"
unheard ""
held 0 --allow-host good.example -- sh -c 'getent ahostsv4 good.example && exec "$@"' sh "$PYTHON" -B other.py
says "[13, 13, 13]"
unheard 203.0.113.10

# -- what leaves --------------------------------------------------------------------------------

# A name server that writes down every byte, by both families.
cat >far.py <<'END2'
import socket, select, sys
from query import *
doors = []
for family, host in (socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8:ffff::1"):
    try:
        s = socket.socket(family, socket.SOCK_DGRAM); s.bind((host, 53)); doors.append(s)
    except OSError:
        pass
log = open(sys.argv[1], "a", buffering=1)
while True:
    for door in select.select(doors, [], [])[0]:
        data, peer = door.recvfrom(2000)
        log.write(data.hex() + "\n")
        end = data.index(b"\0", 12) + 5
        ours = data[end - 4:end - 2] == b"\0\1"
        door.sendto(data[:2] + struct.pack(">HHHHH", 0x8180, 1, ours, 0, 0) + data[12:end] +
                    (b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xcb\0\x71\x0a" if ours else b""), peer)
END2
world_far env PYTHONPATH="$HERE" "$PYTHON" -B "$P/far.py" "$TEST_DIR/bytes"
world_resolv <<<$'nameserver 192.0.2.1\noptions timeout:1 attempts:1'
eventually getent ahostsv4 good.example >/dev/null
cat >leaves.py <<'END2'
import sys
from query import *
def option(code, data):
    return struct.pack(">HH", code, len(data)) + data
secret = b"SECRET"
options = option(8, b"\0\1\x20\0" + secret[:4]) + option(10, secret + b"..") + option(12, secret * 20) + option(65001, secret)
at = (sys.argv[1], 53)
family = socket.AF_INET6 if ":" in at[0] else socket.AF_INET
def ask(message, connected):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(5)
        if connected:
            s.connect(at)
        s.send(message) if connected else s.sendto(message, at)
        return Answer(s.recv(2000))
for connected in True, False:
    for flags in 0x0100, 0x0000, 0x0130:
        answer = ask(make("good.example", flags=flags, extra=opt(options, 4096, 0x8000 | 0x1234)), connected)
        assert answer.of(A) == ["203.0.113.10"], answer.message
with socket.socket(family) as s:
    s.settimeout(5)
    s.connect(at)
    put(s, make("good.example", extra=opt(options)))
    assert take(s).of(A) == ["203.0.113.10"]
print("left")
END2
for server in 192.0.2.1 ${WORLD_V6:+2001:db8:ffff::1}; do
	echo "nameserver $server" | world_resolv
	: >"$TEST_DIR/bytes"
	held 0 --allow-host good.example -- "$PYTHON" -B leaves.py "$server"
	says left
	[[ $(wc -l <"$TEST_DIR/bytes") -ge 7 ]] || fail "$(cat "$TEST_DIR/bytes")"
	# Id, RD and AD and CD, one question, and an OPT record with DO alone.
	! grep -vE '^....0[01][0-3]0000100000000000104676f6f64076578616d706c650000010001000029[0-9a-f]{4}0000[08]0000000$' "$TEST_DIR/bytes" ||
		fail "more than the question leaves"
done
world_resolv <<<"nameserver 203.0.113.53"

# -- what is no question ---------------------------------------------------------------------------

cat >malformed.py <<'END2'
import random, sys
from query import *
good = make("good.example", ident=7)
head, tail = good[:12], good[12:]
def header(flags=0x0100, counts=(1, 0, 0, 0)):
    return struct.pack(">HHHHHH", 7, flags, *counts)
kinds = b"\0\1\0\1"
bad = [b"", b"\0", head[:11], head, good[:-1], good[:-2], good[:-4], good[:-5], good + b"\0", good + good,
       header(counts=(0, 0, 0, 0)) + tail, header(counts=(2, 0, 0, 0)) + tail, header(counts=(2, 0, 0, 0)) + tail * 2,
       header(counts=(1, 1, 0, 0)) + tail, header(counts=(1, 0, 1, 0)) + tail, header(counts=(1, 0, 0, 1)) + tail,
       header(counts=(65535,) * 4) + tail, header(counts=(1, 0, 0, 65535)) + tail + opt()]
bad += [header(flags) + tail for flags in (0x8100, 0x0900, 0x1100, 0x2100, 0x2900, 0x7900, 0x0300, 0x0500, 0x0180, 0x0140, 0x010f)]
bad += [head + name + kinds for name in (
    b"", b"\0", b"\xc0\x0c", b"\x04good\xc0\x0c", b"\xc0\x0c\0", b"\xff\xff", b"\x40" + b"a" * 64 + b"\0", b"\x80good\0",
    b"\x3f" + b"a" * 10, b"\x04good\x07example", wire(["a" * 63] * 4), wire(["a"] * 127), wire(["a"] * 128),
    wire([b"good.example"]), wire([b"good", b"exam\0ple"]), wire([b"go od", b"example"]), wire([b"good\xff", b"example"]),
    wire([b"good", b"example", b"1"]), wire("203.0.113.10"), wire([b"*", b"example"]), b"\x04good\0\x07example\0",
    wire([b"good", b"example", b"\n"]), wire("good.example/x"))]
bad += [make("good.example", cls=cls) for cls in (0, 3, 4, 254, 255)]
bad += [make("good.example", extra=extra) for extra in (
    b"\0", opt(version=1), opt()[:-1], opt(b"\0\x0a\0\x08abc"), opt(b"\0"), opt() + opt(), b"\4good\0" + opt()[1:],
    b"\xc0\x0c" + opt()[1:], b"\0\0\x01\0\x01\0\0\0\0\0\0", opt()[:5] + b"\xff" + opt()[6:])]
bad += [good[:2] + os.urandom(400)]

def still_works():
    for i in range(5): # of many datagrams at once, some are lost
        try:
            assert udp(make("good.example"), timeout=1).of(A) == ["203.0.113.10"]
            break
        except TimeoutError:
            assert i < 4
    assert list(tcp(good).values())[0].of(A) == ["203.0.113.10"]

def silence(s):
    """What came back is a refusal to understand, if anything."""
    try:
        while True:
            data = s.recv(2000, socket.MSG_DONTWAIT)
            answer = Answer(data)
            assert answer.response and not answer.records and answer.code in (1, 2, 3, 5), data
    except BlockingIOError:
        pass

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.settimeout(5)
    s.connect(SERVER)
    for message in bad:
        s.send(message)
    s.send(make("good.example", ident=9))
    while True:
        answer = Answer(s.recv(2000))
        if answer.id == 9:
            break
        assert not answer.records, answer.message
for message in bad:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.sendto(message, SERVER)
        except OSError:
            pass
for message in bad + [bytes(513), bytes(65535)]:
    with socket.create_connection(SERVER, 5) as s:
        s.settimeout(0.02)
        try:
            put(s, message)
            answer = take(s)
            assert answer is None or not answer.records, message
        except OSError:
            pass
for stream in b"\0", b"\0\0", b"\0\1", b"\xff\xff", b"\0\x0c", b"\2\0" + b"x" * 511, b"\2\1" + b"x" * 513:
    with socket.create_connection(SERVER, 5) as s:
        s.sendall(stream)
still_works()

# Anything at all, and nearly questions.
chance = random.Random(1)
def anything():
    if chance.random() < 0.5:
        return bytes(chance.getrandbits(8) for _ in range(chance.randrange(200)))
    message = bytearray(good)
    for _ in range(chance.randrange(1, 4)):
        message[chance.randrange(len(message))] ^= 1 << chance.randrange(8)
    return bytes(message)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.connect(SERVER)
    for i in range(3000):
        try:
            s.send(anything())
        except OSError:
            pass
        if i % 100 == 0:
            still_works()
for i in range(100):
    with socket.create_connection(SERVER, 5) as s:
        try:
            s.sendall(b"".join(anything() for _ in range(chance.randrange(10))))
            put(s, *[anything() for _ in range(5)])
        except OSError:
            pass
still_works()
print("survived")
END2
world_forget
held 0 --allow-host good.example -- "$PYTHON" -B malformed.py
says survived
# Who checks where an answer comes from hears a no of a name server's own.
[[ -z $(beyond '^dns [^ ]+ udp [^ ]+ (good.example|refused.invalid)$') ]] || fail "$(heard | sort | uniq -c)"

# -- too many -----------------------------------------------------------------------------------------

cat >flood.py <<'END2'
from query import *
messages = [make(f"n{i}.wild.example", ident=i) for i in range(400)]
answers = tcp(*messages, timeout=15)
codes = [answers[i].code for i in range(400)]
assert set(codes) == {0, 2}, set(codes)
assert codes[0] == 0 and udp(messages[0]).code == 0
print("let through:", codes.count(0))
END2
world_forget
held 0 --allow-host '*.wild.example' --session flood --report r.json -- "$PYTHON" -B flood.py
through=$(heard | awk '/^dns / { print $5 }' | sort -u | wc -l)
((through >= 150 && through <= 300)) || fail "$through names of 400 went out"
complains "too many different names were looked up in a short time"
[[ $(jq '.refusals | length' r.json) -eq 1 ]] || fail "$(cat r.json)"
status 0 "$AMBIT" log --json --session flood
says "too many different names"

# -- what a question could carry besides its name -----------------------------------------------------

# The case of its letters and odd types stay here; an id leaves only so often.
cat >carry.py <<'END2'
import time
from query import *
answer = udp(make("gOOd.EXaMPle"))
assert answer.of(A) == ["203.0.113.10"] and answer.question.startswith(b"\4gOOd\7EXaMPle"), answer.question
assert udp(make("good.example", 19525)).code == 5
assert tcp(make("good.example", 19525, ident=9))[9].code == 5
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(1500):
    try:
        s.sendto(make("other.example", ident=i), SERVER)
    except OSError: # more than are looked at at once
        time.sleep(0.01)
print("asked")
END2
world_forget
held 0 --quiet --allow-host good.example -- "$PYTHON" -B carry.py
says asked
[[ -z $(heard | grep -E 'gOOd|TYPE19525' || true) ]] || fail "$(heard)"
out=$(heard | grep -c refused.invalid || true)
((out > 0 && out < 400)) || fail "$out of 1500 ids left"
