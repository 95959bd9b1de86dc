#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --proxy gives the command a proxy for https that decides as the line does: by name or
# address, before anybody hears of it, and about what is said inside as well. It serves
# this session, and nobody else.
. "${0%/*}/world.bash"

world_start dns http https echo
world_trust
world_host good.example 203.0.113.10 ${WORLD_V6:+2001:db8::10}
world_host other.example 203.0.113.20
world_host near.example 10.9.9.9
world_host slow.example 203.0.113.30
world_name slow.example slow 500
world_name gone.example gone
export PYTHONPATH=$HERE
curl=(curl -sS --max-time 10)
allow=(--allow-host good.example --allow-host slow.example --allow-host gone.example --allow-host near.example --allow-host 203.0.113.20:7 --allow-host 203.0.113.30)

# The environment, both spellings; another's is not left in it.
held 0 -- env
says_not _proxy=
status 0 env https_proxy=http://elsewhere:1 no_proxy=elsewhere "$AMBIT" run --ask deny --proxy -- env
says_not elsewhere
for name in https_proxy HTTPS_PROXY; do
	grep -qE "^$name=http://ambit:[0-9a-f]{32}@127\.0\.0\.1:[0-9]+$" <<<"$out" || fail "no $name: $out"
done
[[ $(grep -c '^no_proxy=localhost,127.0.0.1,::1$' <<<"$out") -eq 1 ]] || fail "$out"
first=$(grep ^https_proxy= <<<"$out")
held 0 --proxy -- env
[[ $(grep ^https_proxy= <<<"$out") != "$first" ]] || fail "one word for every session"

# curl goes by it to what is allowed: names, addresses.
held 0 --proxy "${allow[@]}" --session tour --report r.json -- "${curl[@]}" -v https://good.example/a https://slow.example/b https://203.0.113.30/c
says "sni=good.example host=good.example method=GET path=/a"
says "local=203.0.113.30:443 sni=slow.example host=slow.example method=GET path=/b"
says "local=203.0.113.30:443 sni=- host=203.0.113.30 method=GET path=/c"
complains "CONNECT good.example:443"
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"
if [[ -n $WORLD_V6 ]]; then
	held 0 --proxy --allow-host '[2001:db8::20]' -- "${curl[@]}" -g "https://[2001:db8::20]/"
	says "local=[2001:db8::20]:443"
fi
held 0 --proxy "${allow[@]}" -- sh -c 'curl -sS --max-time 20 "https://good.example/big?bytes=20000000" | wc -c'
says 20000000
held 0 --proxy --net open -- "${curl[@]}" -v https://other.example/
says "sni=other.example"
complains "CONNECT other.example:443"
# The word that opens it is nowhere but in the environment.
word=$(grep -oE 'Basic [A-Za-z0-9+/=]+' <<<"$errout" | head -1 | cut -d' ' -f2 | base64 -d)
word=${word#ambit:}
[[ -z $word ]] || ! grep -rqa "$word" "$STATE" r.json || fail "the word is recorded"

# What is refused is refused, and nobody hears of it.
status 0 "${curl[@]}" https://other.example/
world_forget
held 56 --proxy "${allow[@]}" --report r.json -- "${curl[@]}" https://other.example/
complains "403"
complains "connect other.example:443 was refused"
[[ $(jq -c '[.refusals[].subject]' r.json) == '["other.example:443"]' ]] || fail "$(cat r.json)"
held 56 --proxy "${allow[@]}" -- "${curl[@]}" https://203.0.113.20/
complains "403"
held 56 --proxy --allow-host good.example:8443 -- "${curl[@]}" https://good.example/
complains "403"
unheard
# A name is no way to where names do not lead.
status 0 "${curl[@]}" https://near.example/
world_forget
held 56 --proxy "${allow[@]}" -- "${curl[@]}" https://near.example/
complains "403"
unheard 10.9.9.9

# -- word for word ----------------------------------------------------------------------------

cat >proxy.py <<'END2'
import base64, os, socket, ssl, sys, threading, urllib.parse
url = urllib.parse.urlsplit(os.environ["https_proxy"])
at = (url.hostname, url.port)
def basic(user, password):
    return "Proxy-Authorization: Basic " + base64.b64encode(f"{user}:{password}".encode()).decode() + "\r\n"
auth = basic(url.username, url.password)
def say(text, end=True):
    """A status, and what it said in all."""
    s = socket.create_connection(at, 10)
    s.sendall(text if isinstance(text, bytes) else text.encode())
    if end:
        s.shutdown(socket.SHUT_WR)
    said = b""
    while b"\r\n\r\n" not in said:
        more = s.recv(65536)
        if not more:
            break
        said += more
    return s, int(said.split()[1]) if said else None
def status(text, end=False):
    s, code = say(text, end)
    with s:
        if code != 200:
            while s.recv(1000): # and it ends
                pass
    return code
def connect(to, more=None, version="1.1"):
    return f"CONNECT {to} HTTP/{version}\r\nHost: {to}\r\n{auth if more is None else more}\r\n"
def is_(want, *texts):
    for text in texts:
        got = status(text)
        assert got == want, (want, got, text)

is_(200, connect("good.example:443"), connect("GOOD.Example.:443"), connect("203.0.113.20:7"), connect("good.example:7", version="1.0"),
    connect("good.example:443", auth.replace("Basic", "basic")), connect("good.example:443", "X: y\r\n" + auth + "Z: z\r\n"))
is_(407, connect("good.example:443", ""), connect("good.example:443", basic("ambit", "0" * 32)),
    connect("good.example:443", basic("other", url.password)), connect("good.example:443", basic("ambit", url.password + "0")),
    connect("good.example:443", basic("ambit", url.password[:-1])), connect("good.example:443", basic("ambit", "")),
    connect("good.example:443", f"Proxy-Authorization: Bearer {url.password}\r\n"), connect("good.example:443", "Proxy-Authorization: Basic\r\n"),
    connect("good.example:443", auth.replace("Proxy-", "")), connect("other.example:443", ""),
    "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n")
is_(405, *[f"{method} http://good.example/ HTTP/1.1\r\nHost: good.example\r\n{auth}\r\n" for method in ("GET", "POST", "PUT", "DELETE")],
    f"GET / HTTP/1.1\r\nHost: good.example\r\n{auth}\r\n", f"OPTIONS * HTTP/1.1\r\nHost: good.example\r\n{auth}\r\n")
is_(400, "junk\r\n\r\n", b"\x16\x03\x01\x00\x05hello\r\n", b"\x05\x01\x00", b"\0" * 100, connect("good.example"), connect("good.example:0"),
    connect("good.example:65536"), connect("good.example:x"), connect("good.example:443", auth + auth), connect(":443"),
    connect("good.example:443").replace("CONNECT", "connect"), connect("good.example:443").replace("HTTP/1.1", "HTTP/2.0"),
    connect("good example:443"), connect("http://good.example:443"), connect("user@good.example:443"), connect("good.example:443/"),
    connect("good.example:443", auth + "Content-Length: 5\r\n"), connect("good.example:443").replace("\r\n", "\n"),
    "CONNECT good.example:443 HTTP/1.1\r\n" + "X: " + "y" * 70000 + "\r\n" + auth + "\r\n")
assert status("CONNECT good.example:443 HTTP/1.1\r\nHost: good", end=True) == 400
is_(403, connect("other.example:443"), connect("203.0.113.20:443"), connect("10.9.9.9:443"), connect("169.254.169.254:80"),
    connect("127.0.0.1:22"), connect("localhost:22"), connect("near.example:443"), connect("[::1]:22"), connect("192.0.2.2:22"))
for spelled in "203.0.113", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::ffff:10.9.9.9]", "0":
    assert status(connect(spelled + ":22")) in (400, 403), spelled
is_(502, connect("gone.example:443"), connect("good.example:4321"), connect("203.0.113.30:4321"))

# -- what is said inside
def inside(to, data, count=0):
    s, code = say(connect(to), False)
    assert code == 200, (to, code)
    try:
        s.sendall(data)
        said = s.recv(65536)
    except ConnectionResetError:
        said = "reset"
    s.close()
    return said
def hello(name):
    into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(into, out, server_hostname=name)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        return out.read()
def get(host):
    return f"GET /inside HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
assert inside("good.example:443", hello("good.example"))[:1] == b"\x16"
assert inside("good.example:443", hello("other.example")) == "reset"
assert inside("good.example:80", get("good.example")).startswith(b"HTTP/1.1 200")
assert inside("good.example:80", get("other.example")) == "reset"
assert inside("good.example:7", b"a line\n") == b"a line\n"
assert inside("203.0.113.30:443", hello("other.example"))[:1] == b"\x16"
# Nobody waits for the answer before he goes on.
s = socket.create_connection(at, 10)
s.sendall(connect("good.example:7").encode() + b"at once\n")
said = b""
while not said.endswith(b"at once\n"):
    said += s.recv(100)
s.close()
# Byte by byte.
s = socket.create_connection(at, 10)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for byte in connect("good.example:7").encode():
    s.send(bytes([byte]))
assert s.recv(1000).startswith(b"HTTP/1.1 200")
s.sendall(b"x\n")
s.shutdown(socket.SHUT_WR)
assert s.recv(10) == b"x\n" and s.recv(10) == b""
s.close()
# Many at once.
right = []
def one(number):
    s, code = say(connect("good.example:7"), False)
    with s:
        s.sendall(b"%d\n" % number)
        if code == 200 and s.recv(100) == b"%d\n" % number:
            right.append(number)
threads = [threading.Thread(target=one, args=(number,)) for number in range(100)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(right) == 100, len(right)
print("word for word")
END2
world_forget
held 0 --proxy "${allow[@]}" -- "$PYTHON" -B proxy.py
says "word for word"
complains "the connection was allowed for good.example, but asks for other.example"
unheard other.example
for address in 10.9.9.9 169.254.169.254; do unheard "$address"; done
[[ -z $(heard 203.0.113.20 | grep -vE '^(open|close) 203.0.113.20:7( |$)' || true) ]] || fail "$(heard 203.0.113.20)"
[[ -z $(heard | grep -E '^(request|tls) .*(host|sni)=other' || true) ]] || fail "$(heard)"

# A person can be asked, meanwhile it waits.
person "wait:connect other.example:443" "wait:ambit> " send:y "wait:sni=other.example" \
	-- "$AMBIT" run --proxy -- "${curl[@]}" https://other.example/
world_forget
PERSON_STATUS=56 person "wait:connect other.example:443" "wait:ambit> " send:n "wait:403" \
	-- "$AMBIT" run --proxy -- "${curl[@]}" https://other.example/
unheard

# -- whose it is ----------------------------------------------------------------------------------

# One who is not of the session gets nothing, not even with the word.
cat >stranger.py <<'END2'
import base64, socket, sys, urllib.parse
url = urllib.parse.urlsplit(open("where").read().strip())
word = base64.b64encode(f"{url.username}:{url.password}".encode()).decode()
said, how = b"", "end"
try:
    s = socket.create_connection((url.hostname, url.port), 5)
    s.sendall(f"CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\nProxy-Authorization: Basic {word}\r\n\r\n".encode())
    while more := s.recv(1000):
        said += more
except PermissionError:
    how = "refused"
except OSError:
    pass
print("stranger:", how, said)
END2
mkfifo go
"$AMBIT" run --ask deny --quiet --proxy "${allow[@]}" -- sh -c 'echo "$https_proxy" >where.new; mv where.new where; read -r _ <go
	curl -sS https://good.example/after >after' &
session=$!
eventually test -s where
world_forget
for _ in 1 2 3; do
	status 0 "$PYTHON" -B stranger.py
	says "stranger: end b''"
done
# Nor one of another session; to him it is a port of this machine like any other.
held 0 --proxy "${allow[@]}" -- "$PYTHON" -B stranger.py
says "stranger: refused b''"
unheard
echo >go
wait "$session" || fail "the session ends with $?"
grep -q "sni=good.example host=good.example method=GET path=/after" after || fail "$(cat after)"
# When it is over the door is gone.
port=$(sed 's/.*://' where)
! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || fail "somebody is still there"

# What is of the session itself is reached without it.
cat >own.py <<'END2'
import socket, subprocess
for host in "127.0.0.1", "localhost":
    server = socket.create_server(("127.0.0.1", 0))
    child = subprocess.Popen(["curl", "-4sk", "--max-time", "5", f"https://{host}:{server.getsockname()[1]}/"], stderr=subprocess.DEVNULL)
    server.settimeout(5)
    c, _ = server.accept()
    assert c.recv(10)[:1] == b"\x16", "no TLS"
    c.close()
    child.wait()
print("own")
END2
held 0 --proxy --report r.json -- "$PYTHON" -B own.py
says own
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"

# Where there is no network there is no proxy.
status 125 "$AMBIT" run --ask deny --net none --proxy -- touch ran
complains "the network is off"
[[ ! -e ran ]] || fail "it ran"
