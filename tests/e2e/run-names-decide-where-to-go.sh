#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a command may talk to is decided by name, for programs that know nothing of it:
# what is not allowed hears nothing, and nobody is asked for its address.
. "${0%/*}/world.bash"

world_start dns http https echo banner udp raw
world_trust
world_host good.example 203.0.113.10
world_host other.example 203.0.113.20
world_host both.example 203.0.113.10 ${WORLD_V6:+2001:db8::10}
world_host "*.wild.example" 198.51.100.7
world_name alias.example alias good.example

fetch() { curl -sS --max-time 10 "$@"; }
export -f fetch

# It works without ambit.
status 0 fetch https://other.example/
says "sni=other.example"
world_forget

# By name, TLS and plain, whatever way the program waits.
held 0 --allow-host good.example -- curl -sS https://good.example/a http://good.example/b
says "local=203.0.113.10:443 sni=good.example host=good.example method=GET path=/a"
says "local=203.0.113.10:80 sni=- host=good.example method=GET path=/b"
for act in tcp nonblock wait; do
	held 0 --allow-host good.example -- "$PYTHON" -B "$HERE/net.py" "$act" good.example 7
	says hello
done
# The server may speak first.
held 0 --allow-host good.example -- "$PYTHON" -c '
import socket
s = socket.create_connection(("good.example", 25), 10)
assert s.recv(100).startswith(b"220 ")
s.sendall(b"line\n"); assert s.recv(100) == b"250 line\n"
s.shutdown(socket.SHUT_WR)
while s.recv(100): pass'
if [[ -n $WORLD_V6 ]]; then
	held 0 --allow-host both.example -- curl -6 -sS https://both.example/
	says "local=[2001:db8::10]:443 sni=both.example"
	held 0 --allow-host both.example -- curl -4 -sS https://both.example/
	says "local=203.0.113.10:443 sni=both.example"
fi
# An IPv6 socket that means an IPv4 address.
held 0 --allow-host good.example -- "$PYTHON" -c '
import socket
socket.getaddrinfo("good.example", 7)
s = socket.socket(socket.AF_INET6)
s.connect(("::ffff:203.0.113.10", 7)); s.sendall(b"mapped"); print(s.recv(100).decode())'
says mapped
# A closed port is closed, for who waits; who does not finds his connection reset.
held 1 --allow-host good.example -- "$PYTHON" -B "$HERE/net.py" wait good.example 4321
says ECONNREFUSED
held 1 --allow-host good.example -- "$PYTHON" -B "$HERE/net.py" nonblock good.example 4321
says ECONNRESET

# What a program sent before it ended gets there, as it does without ambit.
cat >last.py <<'END'
import os, socket
s = socket.create_connection(("good.example", 9000)); s.sendall(b"sink\n" + bytes(3000000)); os._exit(0)
END
held 0 --allow-host good.example -- "$PYTHON" last.py
sent() { [[ $(heard 9000) == *in=300000[56]" "* ]]; } # the end itself may be counted
(eventually sent) || fail "sent, and heard: $(heard 9000)"
# And who looks up much can go on.
held 0 --allow-host good.example -- "$PYTHON" -c '
import socket
for i in range(3000): socket.getaddrinfo("good.example", None)'

# What is not allowed is neither reached nor looked up.
world_forget
held 6 --allow-host good.example -- curl -sS --max-time 10 https://other.example/
complains "connect other.example was refused (HostNotAllowed): other.example is not among the allowed hosts"
complains "to allow it: ambit rules add connect other.example"
held 6 --allow-host good.example -- curl -sS --max-time 10 https://sub.good.example/
held 6 -- curl -sS --max-time 10 https://good.example/
unheard ""

# Where nothing could be allowed, an address that no name led to is refused at once.
held 1 -- "$PYTHON" -B "$HERE/net.py" wait 203.0.113.20 80
says EACCES
held 7 -- curl -sS --max-time 10 https://203.0.113.20/
unheard 203.0.113.20

# Every kind of pattern.
allowed() { # PATTERN URL
	held 0 --allow-host "$1" -- curl -sS --max-time 10 "$2"
	says "method=GET"
}
refused() { # PATTERN URL
	world_forget
	status_of=0
	"$AMBIT" run --ask deny --allow-host "$1" -- curl -sS --max-time 10 "$2" >"$TEST_DIR/.out" 2>&1 || status_of=$?
	[[ $status_of -ne 0 ]] || fail "--allow-host $1 lets $2 through: $(cat "$TEST_DIR/.out")"
	! heard | grep -qv '^dns' || fail "--allow-host $1, $2: $(heard)"
}
allowed '*.wild.example' http://a.wild.example/
allowed '*.wild.example' https://b.a.wild.example/
refused '*.wild.example' http://wild.example/
allowed good.example:443 https://good.example/
refused good.example:443 http://good.example/
refused good.example:443 https://good.example:8443/
allowed alias.example https://alias.example/
refused good.example https://alias.example/
refused alias.example https://good.example/
allowed 203.0.113.20 https://203.0.113.20/
allowed 203.0.113.0/24 http://203.0.113.20/
refused 203.0.113.0/28 http://203.0.113.20/
allowed '*' https://other.example/
refused '*' https://203.0.113.20/
if [[ -n $WORLD_V6 ]]; then
	allowed '[2001:db8::]/64' "http://[2001:db8::20]/"
	refused '[2001:db8::10]' "http://[2001:db8::20]/"
fi

# A short name is the one that it was looked up as.
world_host good.corp.example 203.0.113.20
world_resolv <<<$'nameserver 203.0.113.53\nsearch corp.example'
allowed good.corp.example http://good/
held 0 --allow-host good.corp.example -- curl -sSk --max-time 10 https://good/
refused good.corp.example http://good.lab/
world_resolv <<<"nameserver 203.0.113.53"

# Lists of the settings: denied comes first, also where the network is open.
config=$XDG_CONFIG_HOME/ambit/config.json
echo '{"allow_hosts":["*.example"],"deny_hosts":["other.example","203.0.113.30"]}' >"$config"
held 0 -- curl -sS --max-time 10 https://good.example/
world_forget
held 6 -- curl -sS --max-time 10 https://other.example/
complains "other.example is one of the denied hosts"
held 6 --net open -- curl -sS --max-time 10 https://other.example/
held 7 --net open -- curl -sS --max-time 10 https://203.0.113.30/
unheard ""
held 0 --net open -- curl -sS --max-time 10 https://good.example/
rm "$config"

# A rule that stands, one of the session, one that was taken back.
"$AMBIT" rules add connect other.example >/dev/null
held 0 -- curl -sS --max-time 10 https://other.example/
"$AMBIT" rules revoke 1 >/dev/null
held 6 -- curl -sS --max-time 10 https://other.example/
"$AMBIT" rules add connect other.example --no >/dev/null
held 6 --allow-host '*.example' -- curl -sS --max-time 10 https://other.example/
complains "a person said no"
# Also where all the rest is open: nobody could tell by the address.
world_forget
held 6 --net open -- curl -sS --max-time 10 https://other.example/
complains "a person said no"
unheard ""
held 0 --net open -- curl -sS --max-time 10 https://good.example/
"$AMBIT" rules revoke 2 >/dev/null
held 0 --net open -- curl -sS --max-time 10 https://other.example/
held 0 --net none -- true
held 6 --net none --allow-host good.example -- curl -sS --max-time 10 https://good.example/

# The record, the report and why speak of names.
held 6 --session tour --report r.json -- curl -sS --max-time 10 https://third.example/
jq -e '.refusals[] | select(.what == "connect" and .subject == "third.example" and .code == "HostNotAllowed")' r.json >/dev/null || fail "$(cat r.json)"
status 0 "$AMBIT" log --session tour
says "third.example"
verdict ask HostNotAllowed connect good.example:443
verdict allow - connect good.example:443 --allow-host good.example
status 0 "$AMBIT" why --allow-host good.example connect good.example:443
says "good.example:443"

# A run inside has what is allowed around it, in the same words, and no more.
held 0 --allow-host good.example -- "$AMBIT" run --allow-host good.example -- curl -sS --max-time 10 https://good.example/
says "sni=good.example"
world_forget
held 125 --allow-host good.example -- "$AMBIT" run --allow-host other.example -- curl -sS --max-time 10 https://other.example/
complains "where hosts are asked about"
held 6 --allow-host good.example -- "$AMBIT" run --allow-host good.example -- curl -sS --max-time 10 https://other.example/
unheard ""

# Where descriptors cannot be had, as in a container, sockets of ambit's stand in.
strict() { "$HELPERS/without" pidfd_getfd:EPERM -- "$AMBIT" run --ask deny --quiet --allow-host good.example -- "$@"; }
status 0 strict curl -sS --max-time 10 https://good.example/
says "sni=good.example"
for act in wait nonblock; do
	status 0 strict "$PYTHON" -B "$HERE/net.py" "$act" good.example 7
	says hello
done
world_forget
status 6 strict curl -sS --max-time 10 https://other.example/
unheard ""

# A proxy that wants to know who asks says no first, and is asked again by the same
# connection. Whom it is to reach is decided each time.
cat >"$TEST_DIR/asks.py" <<'END'
import socket, threading
def head(c):
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        piece = c.recv(1)
        if not piece:
            return None
        data += piece
    return data
def pump(a, b):
    while True:
        data = a.recv(65536)
        if not data:
            break
        b.sendall(data)
    b.shutdown(socket.SHUT_WR)
def serve(c):
    first = head(c)
    if not first:
        return
    c.sendall(b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
    second = head(c)
    if not second or b"Proxy-Authorization: Basic" not in second:
        return c.close()
    u = socket.create_connection(("203.0.113.20", 443))
    c.sendall(b"HTTP/1.1 200 Yes\r\n\r\n")
    threading.Thread(target=pump, args=(c, u), daemon=True).start()
    pump(u, c)
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("203.0.113.30", 3128))
s.listen(9)
while True:
    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
END
world_far "$PYTHON" "$TEST_DIR/asks.py"
world_host proxy.example 203.0.113.30
world_host third.example 203.0.113.20
by=(curl -sS --max-time 10 --proxy-anyauth --proxy http://me:word@proxy.example:3128)
eventually "${by[@]}" https://third.example/
held 0 --allow-host proxy.example --allow-host third.example -- "${by[@]}" https://third.example/
says "sni=third.example"
world_forget
held 56 --allow-host proxy.example --allow-host good.example -- "${by[@]}" https://third.example/
unheard 203.0.113.20

# Protocols without lines, whatever their first byte. One whose server has gone is told.
cat >binary.py <<'END'
import socket, time
for data in b"\n\5hello", b"\n\1\0\0abc", b"\n\0\0\0abc", b"\r\n\0\1", b"\0\0\0\x4a\0\3\0\0user", b"\x81\5hello", b"{", b"hello", b"\xff\xfb\x18":
    s = socket.create_connection(("good.example", 7), 5)
    for part in data, b"more":
        s.sendall(part)
        got = b""
        while len(got) < len(part):
            got += s.recv(100)
        assert got == part, (data, got)
s = socket.create_connection(("good.example", 4242), 5)
time.sleep(0.2)
try:
    for i in range(500):
        s.sendall(b"ab"); time.sleep(0.01)
except OSError:
    print("all echoed, and told")
END
cat >"$TEST_DIR/closes.py" <<'END'
import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("203.0.113.10", 4242)); s.listen(9)
while True:
    s.accept()[0].close()
END
world_far "$PYTHON" "$TEST_DIR/closes.py"
eventually "$PYTHON" binary.py
held 0 --allow-host good.example -- "$PYTHON" binary.py
says "all echoed, and told"
