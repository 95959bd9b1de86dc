#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs as a user.
# Between a program and the host that it may reach stands the relay: whatever either end
# does, bytes arrive as they were sent or not at all, nobody else hears anything, and when
# all is over nothing of it is left.
. "${0%/*}/world.bash"

world_start dns http https echo raw
world_trust
world_host good.example 203.0.113.10
world_host shared.example 203.0.113.10
world_host third.example 203.0.113.30
world_host other.example 203.0.113.20
world_host both.example 203.0.113.10 ${WORLD_V6:+2001:db8::10}
export PYTHONPATH=$HERE
allow=(--allow-host good.example --allow-host shared.example --allow-host third.example --allow-host both.example)
# beyond PATTERN: what was heard that is not like it.
beyond() { heard | grep -vE "$1" || true; }

# Servers of many manners.
cat >far.py <<'END2'
import hashlib, socket, struct, sys, threading, time
PATTERN = hashlib.shake_128(b"world").digest(20_000_000)

def reset(c):
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
def everything(c):
    digest, count = hashlib.sha256(), 0
    while data := c.recv(65536):
        digest.update(data)
        count += len(data)
    return b"%d %s\n" % (count, digest.hexdigest().encode())
def says_bye(c):
    """Ends its half, and reads on."""
    c.sendall(b"bye\n")
    c.shutdown(socket.SHUT_WR)
    with open(sys.argv[1], "ab") as log:
        log.write(everything(c))
def pattern(c):
    c.sendall(PATTERN)
def reads_late(c):
    time.sleep(1)
    c.sendall(everything(c))
def resets(c):
    reset(c)
def resets_later(c):
    c.recv(10)
    c.sendall(b"some")
    reset(c)
def resets_amid(c):
    c.sendall(PATTERN[:300000])
    reset(c)
def listens(c):
    """Speaks when it was silent for a while."""
    time.sleep(1.5)
    c.sendall(b"late\n")
    c.recv(10)

def serve(port, act):
    server = socket.create_server(("0.0.0.0", port), backlog=1024)
    def one(c):
        try:
            with c:
                act(c)
        except OSError:
            pass
    def run():
        while True:
            threading.Thread(target=one, args=(server.accept()[0],), daemon=True).start()
    threading.Thread(target=run).start()
for port, act in enumerate([says_bye, pattern, reads_late, resets, resets_later, resets_amid, listens], 4001):
    serve(port, act)
END2
world_far "$PYTHON" -B "$P/far.py" "$TEST_DIR/byes"

cat >faults.py <<'END2'
import asyncio, functools, hashlib, os, select, signal, socket, ssl, struct, subprocess, sys, threading, time
PATTERN = hashlib.shake_128(b"world").digest(20_000_000)

@functools.cache
def address(name):
    return socket.getaddrinfo(name, 0, socket.AF_INET, socket.SOCK_STREAM)[0][4][0]
def connect(port, name="good.example"):
    s = socket.create_connection((address(name), port), 10)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s
def rest(s):
    """All that comes; then how it ended."""
    data = b""
    try:
        while more := s.recv(65536):
            data += more
        return data, "end"
    except ConnectionResetError:
        return data, "reset"
def get(host, path="/", more=""):
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()
def answer(s):
    """One response, with a length."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = s.recv(1)
        assert byte, head
        head += byte
    size = int(head.lower().split(b"content-length:")[1].split()[0])
    body = b""
    while len(body) < size:
        body += s.recv(size - len(body))
    return head, body

# -- TLS

def hello_of(name):
    """What a TLS client says first, and what it needs to go on."""
    context = ssl.create_default_context()
    into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(into, out, server_hostname=name)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return tls, into, out, out.read()
def go_on(s, tls, into, out):
    while True:
        try:
            tls.do_handshake()
            break
        except ssl.SSLWantReadError:
            s.sendall(out.read())
            data = s.recv(65536)
            assert data, "ended amid the handshake"
            into.write(data)
    tls.write(get("good.example", "/by-pieces", "Connection: close\r\n"))
    s.sendall(out.read())
    said = b""
    while b"by-pieces" not in said:
        try:
            said += tls.read(65536)
        except ssl.SSLWantReadError:
            data = s.recv(65536)
            assert data, said
            into.write(data)

def pieces():
    for cut in (1, lambda hello: [hello[i:i + 1] for i in range(len(hello))]), (2, records):
        tls, into, out, hello = hello_of("good.example")
        with connect(443) as s:
            for piece in cut[1](hello):
                s.sendall(piece)
            go_on(s, tls, into, out)
def records(hello):
    """The same message in several records."""
    body = hello[5:]
    return [hello[:3] + struct.pack(">H", len(body[i:i + 100])) + body[i:i + 100] for i in range(0, len(body), 100)]

def extension(number, data):
    return struct.pack(">HH", number, len(data)) + data
def sni(*names):
    inner = b"".join(b"\0" + struct.pack(">H", len(name)) + name for name in names)
    return extension(0, struct.pack(">H", len(inner)) + inner)
def made(*extensions, version=b"\3\3", kind=1):
    inner = b"".join(extensions)
    body = version + bytes(32) + b"\0" + b"\0\2\x13\1" + b"\1\0" + struct.pack(">H", len(inner)) + inner
    return bytes([kind]) + len(body).to_bytes(3, "big") + body
def record(data, kind=22, version=b"\3\1"):
    return bytes([kind]) + version + struct.pack(">H", len(data)) + data
good = sni(b"good.example")
GARBAGE = [
    record(made(sni(b"good.example", b"other.example"))), record(made(good, sni(b"other.example"))),
    record(made(sni(b""))), record(made(sni(b"203.0.113.10"))), record(made(sni(b"good.example\0"))),
    record(made(sni(b"good.example/"))), record(made(sni(b"g\xf6\xf6d.example"))),
    record(made(good, extension(0xfe0d, b"\0" * 40))), record(made(good, extension(0xffce, b"\0" * 40))),
    record(made(good)[:-3]) + record(b"\2\50", 21), record(made(good)[:20]) + record(b""), record(b""),
    record(made(good, kind=2)), record(made(good, version=b"\3\0")), record(made(good)[:9] + b"\xff" * 60),
    record(b"\1\0\0\2\3\3"), record(b"\1\xff\xff\xff" + bytes(16000)) * 5, record(b"\1\1\0\0" + bytes(16380)) * 5,
    b"\x80\x2e\1\3\1\0\x15\0\0\0\x10" + bytes(40), record(made(extension(0, b"\0\x20\0\0\x0cgood.example"))),
]
def garbage():
    for number, data in enumerate(GARBAGE):
        with connect(443) as s:
            try:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            said = rest(s)
            assert said == (b"", "reset"), (number, said)
def others_name():
    """A whole and good one, but for another."""
    tls, into, out, hello = hello_of("other.example")
    with connect(443) as s:
        s.sendall(hello)
        assert rest(s) == (b"", "reset")

# -- HTTP

evil = get("other.example", "/smuggled")
def post(head, body):
    return b"POST /first HTTP/1.1\r\nHost: good.example\r\n" + head + b"\r\n" + body
SMUGGLED = [
    b"GET /smuggled HTTP/1.1\r\nHost: other.example\r\nHost: good.example\r\n\r\n",
    b"GET /smuggled HTTP/1.1\r\nHost: good.example\r\nHost: other.example\r\n\r\n",
    b"GET http://other.example/smuggled HTTP/1.1\r\nHost: good.example\r\n\r\n",
    b"GET http://good.example@other.example/smuggled HTTP/1.1\r\nHost: good.example\r\n\r\n",
    b"GET /smuggled HTTP/1.1\r\nHost : other.example\r\nHost: good.example\r\n\r\n",
    b"GET /smuggled HTTP/1.1\r\nX: y\r\n Host: good.example\r\nHost: other.example\r\n\r\n",
    b"GET /smuggled HTTP/1.1\r\nHost: good.example,other.example\r\n\r\n",
    b"GET /smuggled HTTP/1.1\r\nHost: good.example\0other.example\r\n\r\n",
    b"GET /smuggled HTTP/1.1\nHost: other.example\n\n",
    b"GET /smuggled HTTP/1.1\r\nX: y\rHost: good.example\r\nHost: other.example\r\n\r\n",
    b"GET\t/smuggled\tHTTP/1.1\r\nHost: other.example\r\n\r\n",
    b"\r\n\r\nGET  /smuggled  HTTP/1.1\r\nHost: other.example\r\n\r\n",
    b"get /smuggled http/1.1\r\nHost: other.example\r\n\r\n",
    b"NEW /smuggled HTTP/1.1\r\nHost: other.example\r\n\r\n",
    b"GET /smuggled HTTP/1.0\r\n\r\n",
    b"GET /smuggled\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET /first HTTP/1.1\r\nHost: good.example\r\nConnection: close, Host\r\n\r\n" + evil,
    b"GET /first HTTP/1.1\r\nHost: good.example\r\n\r\n" + evil,
    b"GET /first HTTP/1.1\r\nHost: good.example\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + evil,
    post(b"Content-Length: 5\r\n", b"12345" + evil),
    post(b"Content-Length: 5\r\nContent-Length: 300\r\n", b"12345" + evil),
    post(b"Content-Length: +5\r\n", b"12345" + evil),
    post(b"Content-Length: 5, 5\r\n", b"12345" + evil),
    post(b"Content_Length: 300\r\n", evil),
    post(b"Content-Length: 300\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + evil),
    post(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n" + evil),
    post(b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n", b"0\r\n\r\n" + evil),
    post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n" + evil),
    post(b"Transfer-Encoding: identity, chunked\r\n", b"0\r\n\r\n" + evil),
    post(b"Transfer-Encoding:\x0bchunked\r\n", b"0\r\n\r\n" + evil),
    post(b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n" + evil),
    post(b"Transfer-Encoding: chunked\r\n", b"5;x\n12345\r\n0\r\n\r\n" + evil),
    post(b"Transfer-Encoding: chunked\r\n", b"0x5\r\n12345\r\n0\r\n\r\n" + evil),
    post(b"Transfer-Encoding: chunked\r\n", b"-1\r\n" + evil),
    post(b"Transfer-Encoding: chunked\r\n", b"0\r\nHost: other.example\r\n\r\n" + evil),
]
def smuggled():
    for number, data in enumerate(SMUGGLED):
        with connect(80) as s:
            s.settimeout(0.03 if len(sys.argv) > 2 else 5)
            try:
                # In pieces too: what was not understood yet must not be gone.
                for piece in (data,) if number % 2 else (data[:30], data[30:]):
                    s.sendall(piece)
                said, how = rest(s)
            except TimeoutError:
                said, how = b"", "waits"
            except OSError:
                said, how = b"", "reset"
            assert len(sys.argv) > 2 or how == "reset", (number, data, said, how)
            assert len(sys.argv) > 2 or b"smuggled" not in said, (number, data, said)

def kept():
    """Requests one after the other by one connection."""
    socket.getaddrinfo("shared.example", 80)
    with connect(80) as s:
        for path in "/1", "/2":
            s.sendall(get("good.example", path))
            assert path.encode() in answer(s)[1]
        s.sendall(get("good.example", "/3") + get("GOOD.example.:80", "/4"))
        assert b"/3" in answer(s)[1] and b"/4" in answer(s)[1]
        s.sendall(get("shared.example", "/5"))
        assert b"host=shared.example" in answer(s)[1]
        s.sendall(get("other.example", "/smuggled"))
        assert rest(s) == (b"", "reset")
    with connect(80) as s:
        s.sendall(get("good.example", "/6"))
        answer(s)
        s.sendall(get("third.example", "/smuggled"))
        assert rest(s) == (b"", "reset")

def upgrade():
    for port in 80, 8080:
        with connect(port) as s:
            s.sendall(get("good.example", "/upgrade", "Upgrade: websocket\r\nConnection: Upgrade\r\n"))
            head = b""
            while b"\r\n\r\n" not in head:
                head += s.recv(1)
            assert b" 101 " in head
            for frame in b"\x81\x05hello", b"\x82\x7e\xff\xff" + os.urandom(65535), b"\x81\x00", b"\x8a\x00":
                s.sendall(frame)
                got = b""
                while len(got) < len(frame):
                    got += s.recv(65536)
                assert got == frame
            s.shutdown(socket.SHUT_WR)
            assert rest(s) == (b"", "end")

# -- ends

def halves():
    # The client's, with data after it.
    with connect(7) as s:
        s.sendall(PATTERN[:100000])
        s.shutdown(socket.SHUT_WR)
        assert rest(s) == (PATTERN[:100000], "end")
    with connect(9000) as s:
        s.sendall(b"sink\n" + PATTERN[:3000000])
        s.shutdown(socket.SHUT_WR)
        assert rest(s) == (b"3000000\n", "end")
    with connect(80) as s:
        s.sendall(get("good.example", "/slow?ms=300", "Connection: close\r\n"))
        s.shutdown(socket.SHUT_WR)
        said = rest(s)
        assert b"slowly" in said[0] and said[1] == "end", said
    # The server's.
    with connect(4001) as s:
        assert rest(s) == (b"bye\n", "end")
        s.sendall(PATTERN[:3000000])
    # At once, and without a word.
    for port in 7, 80, 443:
        with connect(port) as s:
            s.shutdown(socket.SHUT_WR)
            rest(s)
        connect(port).close()
def silent():
    with connect(4007) as s:
        assert s.recv(10) == b"late\n"
        s.sendall(b"x")
        assert rest(s)[0] == b""

def slow():
    def read():
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            s.connect(("good.example", 4002))
            time.sleep(0.5)
            digest = hashlib.sha256()
            while data := s.recv(65536):
                digest.update(data)
                time.sleep(0.001)
            assert digest.digest() == hashlib.sha256(PATTERN).digest()
            right.append(1)
    def write():
        with connect(4003) as s:
            s.sendall(PATTERN)
            s.shutdown(socket.SHUT_WR)
            assert rest(s)[0] == b"20000000 " + hashlib.sha256(PATTERN).hexdigest().encode() + b"\n"
            right.append(1)
    right = []
    threads = [threading.Thread(target=act) for act in (read, write, read, write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == 4, right

async def one(number, tls, port):
    reader, writer = await asyncio.open_connection(
        "good.example", port, ssl=ssl.create_default_context() if tls else None)
    writer.write(get("good.example", f"/n{number}", "Connection: close\r\n"))
    said = await reader.read()
    assert f"path=/n{number}\n".encode() in said, said
    writer.close()
async def all_of(count, tls, port):
    said = await asyncio.wait_for(asyncio.gather(
        *[one(number, tls, port) for number in range(count)], return_exceptions=True), 30)
    failed = [str(error) for error in said if error]
    assert not failed, (len(failed), failed[:3])
def parallel():
    socket.getaddrinfo("good.example", 80)
    asyncio.run(all_of(300, False, 80))
    asyncio.run(all_of(60, True, 443))

def resets():
    for port in 4004, 4005, 4006:
        for _ in range(20):
            try:
                with connect(port) as s:
                    s.sendall(b"something")
                    rest(s)
            except (ConnectionResetError, BrokenPipeError):
                pass

def killed():
    """Clients that die in the middle."""
    programs = [
        "s.sendall(b'GET /big?bytes=1000000000 HTTP/1.1\\r\\nHost: good.example\\r\\n\\r\\n')\nwhile s.recv(65536): print(flush=True)",
        "s.sendall(b'PUT / HTTP/1.1\\r\\nHost: good.example\\r\\nContent-Length: 1000000000\\r\\n\\r\\n')\nwhile 1: s.sendall(bytes(65536)); print(flush=True)",
        "s.sendall(b'GET / HTT'); print(flush=True); s.recv(1)",
        "print(flush=True); s.recv(1)",
    ]
    for program in programs:
        child = subprocess.Popen([sys.executable, "-c", "import socket\ns = socket.create_connection(('good.example', 80))\n" + program],
                                 stdout=subprocess.PIPE)
        child.stdout.readline()
        child.kill()
        child.wait()

def fetch():
    with connect(80, sys.argv[2]) as s:
        s.sendall(get(sys.argv[2], "/fetched", "Connection: close\r\n"))
        assert b"/fetched" in rest(s)[0]
def known():
    """By an address whose name was looked up before."""
    with socket.create_connection(("203.0.113.10", 7), 5) as s:
        s.sendall(b"known\n")
        assert s.recv(10) == b"known\n"
def no_name():
    try:
        socket.getaddrinfo(sys.argv[2], 80)
    except socket.gaierror as error:
        assert error.errno in (socket.EAI_AGAIN, socket.EAI_NONAME), error
    else:
        raise AssertionError("found")

def crowd():
    """As many as there is room for, and those that are refused in any case."""
    held, fine = [], 0
    for number in range(int(sys.argv[2])):
        try:
            s = socket.create_connection(("203.0.113.10", 80), 5)
            s.sendall(get("good.example", f"/crowd{number}"))
            held.append(s)
        except OSError:
            pass
        try:
            with socket.create_connection(("203.0.113.20", 7), 5) as s:
                s.sendall(b"out")
        except OSError:
            pass
    for s in held:
        try:
            fine += b"/crowd" in answer(s)[1]
        except (OSError, AssertionError, IndexError):
            pass
    print("fine", fine)

globals()[sys.argv[1]]()
END2

# -- without ambit ----------------------------------------------------------------------------

faults() { status 0 "$PYTHON" -B faults.py "$@"; }
up() { (: </dev/tcp/203.0.113.10/4007) 2>/dev/null; }
eventually up
faults halves
eventually grep -q '^3000000 ' "$TEST_DIR/byes"
faults smuggled anyhow
through=$(heard | grep -cE '^request .* host=[^ ]*other.example[^ ]* /smuggled$')
((through >= 10)) || fail "only $through are requests for another"
: >"$TEST_DIR/byes"
world_forget

# -- one session, all of it ---------------------------------------------------------------------

mkfifo todo "done"
exec 7<>todo 8<>"done"
"$AMBIT" run --ask deny --quiet --report r.json "${allow[@]}" -- bash -c '
	while read -r act && [[ $act != end ]]; do
		# shellcheck disable=SC2086
		"$0" -B faults.py $act >said 2>&1
		echo $?
	done <todo >done' "$PYTHON" 7<&- 8<&- &
supervisor=$!
act() {
	local got=
	echo "$*" >&7
	until read -r -t 1 -u 8 got; do
		kill -0 "$supervisor" 2>/dev/null || fail "$*: ambit has ended"
	done
	[[ $got -eq 0 ]] || fail "$*: $(cat said)"
}
# What is open: connections of this network, but for those that only time ends; and all
# of ambit's own descriptors, where they can be looked at, but for sockets by which names
# were looked up: those it keeps for a while.
connections() { cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 ~ /^[0-9A-F][0-9A-F]$/ && $4 != "06" && $4 != "0A"' | wc -l; }
descriptors() {
	{ find "/proc/$supervisor/fd" -mindepth 1 -printf '%l\n' 2>/dev/null || true; } |
		awk 'NR == FNR { udp["socket:[" $10 "]"] } NR != FNR && !($0 in udp)' \
			<(cat /proc/net/udp /proc/net/udp6 2>/dev/null) - | wc -l
}
is_quiet() { (($(connections) == 0)); }
is_back() { (($(descriptors) <= before + 2)); }

act fetch good.example
eventually is_quiet
before=$(descriptors)
[[ $EUID -ne 0 || $before -gt 5 ]] || fail "its descriptors cannot be seen"

act pieces
[[ $(heard | grep -c 'GET host=good.example /by-pieces$') -eq 2 ]] || fail "$(heard)"
world_forget
act garbage
act others_name
[[ -z $(beyond '^(dns|open|close .* in=0 )') ]] || fail "$(heard)"
world_forget
act smuggled
[[ -z $(beyond '^(dns|open|close|first|body)|^request [^ ]+ sni=- [A-Z]+ host=good.example /first$') ]] || fail "$(heard)"
act kept
[[ -z $(heard | grep -E '^request .*(smuggled|host=(other|third))' || true) ]] || fail "$(heard)"
act upgrade
act halves
eventually grep -q '^3000000 ' "$TEST_DIR/byes"
act silent
act slow
act parallel
act resets
act killed
eventually is_quiet

# The name server goes away, and comes back: what is known goes on.
world_far ip address del 203.0.113.53/32 dev world1
gone_server() { ! timeout 0.3 getent ahostsv4 good.example >/dev/null; }
eventually gone_server
world_resolv <<<$'nameserver 203.0.113.53\noptions timeout:1 attempts:1'
act no_name third.example
act known
world_far ip address add 203.0.113.53/32 dev world1
eventually getent ahostsv4 good.example >/dev/null
act fetch third.example

eventually is_quiet
eventually is_back
echo end >&7
wait "$supervisor" || fail "ambit ends with $?: $(cat said)"
exec 7<&- 8<&-
unheard other.example
unheard 203.0.113.20

# -- curl ------------------------------------------------------------------------------------------

head -c 20000000 /dev/zero | tr "\\0" x >upload
world_forget
held 0 "${allow[@]}" -- curl -sS --max-time 20 -T upload http://good.example/put
says "20000000 bytes"
held 0 "${allow[@]}" -- curl -sS --max-time 20 -H "Transfer-Encoding: chunked" -T upload http://good.example/put
says "20000000 bytes"
[[ $(heard 80 | grep -c '^body .* in=20000000$') -eq 2 ]] || fail "$(heard 80)"
rm upload
held 0 "${allow[@]}" -- curl -sSL --max-time 10 "http://good.example/redirect?to=https://third.example/there"
says "local=203.0.113.30:443 sni=third.example"
world_forget
status 0 curl -sSL --max-time 10 "http://good.example/redirect?to=https://other.example/there"
says "local=203.0.113.20:443"
world_forget
held 6 "${allow[@]}" -- curl -sSL --max-time 10 "http://good.example/redirect?to=https://other.example/there"
held 56 "${allow[@]}" -- curl -sSL --max-time 10 "http://good.example/redirect?to=http://203.0.113.20/there"
unheard other.example
unheard 203.0.113.20

# -- less than it needs --------------------------------------------------------------------------------

# Few descriptors: some connections fail, and none goes anywhere else.
cat >crowd.sh <<'END2'
getent ahostsv4 good.example >/dev/null
for n in 1 2 3 4; do "$1" -B faults.py crowd 25 >>crowd 2>&1 & done
wait
"$1" -B faults.py fetch good.example && echo fetched
END2
: >crowd
world_forget
few() (
	ulimit -n 64
	exec "$AMBIT" run --ask deny --quiet "${allow[@]}" -- bash crowd.sh "$PYTHON"
)
status 0 few
says fetched
fine=$(awk '/^fine/ { n += $2; of++ } END { print of == 4 ? n : -1 }' crowd)
((fine > 0)) || fail "$(cat crowd)"
unheard 203.0.113.20
[[ $(heard | grep -c '^request .* host=good.example /crowd') -ge $fine ]] || fail "$(heard)"

# One that is open and was quiet for a while goes on, also when there are no more.
cat >quiet.py <<'END'
import socket, time
a = socket.getaddrinfo("good.example", 7, socket.AF_INET, socket.SOCK_STREAM)[0][4]
first = socket.create_connection(a)
first.settimeout(20)
first.sendall(b"\0one")
assert first.recv(10) == b"\0one"
time.sleep(0.5)
more = []
while True:
    s = socket.socket()
    s.settimeout(1)
    try:
        s.connect(a)
        s.sendall(b"\0x")
        if s.recv(10) != b"\0x":
            break
    except OSError:
        break
    more.append(s)
data = bytes(500000)
for n in range(0, len(data), 50000):
    first.sendall(data[n:n + 50000])
    got = 0
    while got < 50000:
        piece = first.recv(65536)
        assert piece
        got += len(piece)
print("went on, beside", len(more))
END
fewer() (
	ulimit -n 200
	exec "$AMBIT" run --ask deny --quiet --allow-host good.example -- "$PYTHON" quiet.py
)
status 0 fewer
says "went on"

# No IPv6 at all.
world_far nsenter --target "$$" --net sysctl -qw net.ipv6.conf.all.disable_ipv6=1
no_v6() { [[ ! -s /proc/net/if_inet6 ]]; }
eventually no_v6
held 0 "${allow[@]}" -- curl -sS --max-time 10 http://both.example/ https://both.example/
says "local=203.0.113.10:80"
says "local=203.0.113.10:443 sni=both.example"
held 6 "${allow[@]}" -- curl -sS --max-time 10 https://other.example/
unheard other.example
