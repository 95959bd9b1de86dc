#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The world of world.bash is as scripts count on it, without ambit: so what is refused
# in them is refused by ambit. And ambit holds its line in there.
. "${0%/*}/world.bash"

python() { "$PYTHON" -B -c "$1"; }

# Nobody in here changes the network, unless he is root.
if [[ $EUID -ne 0 ]]; then
	grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || fail "capabilities are left"
	! PATH=$PATH:/usr/sbin:/sbin ip link set lo down 2>/dev/null || fail "the network is his"
fi
ignored=$(sed -n 's/^SigIgn:[[:space:]]*/0x/p' /proc/self/status)
(((ignored & 1 << (2 - 1)) == 0)) || fail "^C is not heard"
held 0 -- true
held 0 -- sh -c 'echo inside >inside'
[[ $(cat inside) == inside ]] || fail "not written inside"
held 2 -- sh -c "echo outside >'$OUT/file'"
[[ ! -e $OUT/file ]] || fail "written outside"

world_start dns http https echo banner udp raw
world_trust
world_host good.example 203.0.113.10
world_host other.example 203.0.113.20
world_host both.example 203.0.113.10 ${WORLD_V6:+2001:db8::10}
world_host -t 5 "*.wild.example" 198.51.100.7

# Names, by what getaddrinfo makes of them and by what is on the wire.
resolved() { getent ahostsv4 "$1" | awk '{ print $1 }' | sort -u | paste -sd ' '; }
resolves() { # NAME ADDRESS...
	local name=$1 got
	shift
	got=$(resolved "$name" || true)
	[[ $got == "$*" ]] || fail "$name is '$got', not '$*'"
}
resolves good.example 203.0.113.10
resolves a.wild.example 198.51.100.7
resolves b.a.wild.example 198.51.100.7
resolves unknown.example
[[ $(heard good.example) == *"dns 203.0.113.53:53 udp A good.example"* ]] || fail "$(heard)"
world_name www.example alias good.example
resolves www.example 203.0.113.10
world_name gone.example gone
resolves gone.example
world_name broken.example broken
resolves broken.example
heard broken.example | grep -q . || fail "not asked"
world_host truncated.example 203.0.113.20
world_name truncated.example truncated
resolves truncated.example 203.0.113.20
heard truncated.example | grep -q ' tcp A ' || fail "not by TCP: $(heard)"
world_name huge.example huge 1500
[[ $(resolved huge.example | wc -w) -eq 250 ]] || fail "not huge: $(resolved huge.example)"
heard huge.example | grep -q ' tcp A ' || fail "not by TCP: $(heard)"
world_name turns.example turns 203.0.113.10 10.9.9.9
resolves turns.example 203.0.113.10
resolves turns.example 10.9.9.9
resolves turns.example 203.0.113.10
world_host slow.example 203.0.113.10
world_name slow.example slow 300
start=$(date +%s%N)
resolves slow.example 203.0.113.10
(($(date +%s%N) - start > 290000000)) || fail "not slow"
world_forget_name www.example
resolves www.example
world_resolv <<<$'nameserver 203.0.113.53\noptions timeout:1 attempts:1'
world_name mute.example mute
resolves mute.example
heard mute.example | grep -q . || fail "not asked"
world_resolv <<<$'nameserver 203.0.113.10\noptions timeout:1 attempts:1'
resolves good.example
heard 203.0.113.10 | grep -q '^unanswered .* good.example$' || fail "$(heard)"
world_resolv <<<"nameserver 203.0.113.53"
world_hosts <<<$'127.0.0.1 localhost\n203.0.113.30 written.example'
resolves written.example 203.0.113.30
unheard written.example
world_nsswitch <<<"hosts: files"
resolves good.example
world_nsswitch <<<$'passwd: files systemd\nhosts: files dns'
world_forget
unheard

# Every address, and every service.
for address in "${WORLD_ADDRESSES[@]}" ${WORLD_V6:+"${WORLD_ADDRESSES_6[@]}"}; do
	[[ $address != *:* ]] || address="[$address]"
	out=$(curl -gsS "http://$address/" "https://$address:8443/")
	says "local=$address:80 sni=- host=$address"
	says "local=$address:8443 sni=- host=$address:8443"
done
python '
import socket
def tcp(port):
    return socket.create_connection(("good.example", port), 5)
with tcp(7) as s:
    s.sendall(b"echoed"); assert s.recv(100) == b"echoed"
with tcp(25) as s:
    assert s.recv(100).startswith(b"220 "); s.sendall(b"line\n"); assert s.recv(100) == b"250 line\n"
with tcp(9000) as s:
    s.sendall(b"source 3000000\n"); count = 0
    while n := len(s.recv(65536)): count += n
    assert count == 3000000
with tcp(9000) as s:
    s.sendall(b"sink\n" + bytes(2000000)); s.shutdown(socket.SHUT_WR); assert s.recv(100) == b"2000000\n"
for port in 7, 123, 443:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(5); s.sendto(b"datagram", ("10.9.9.9", port)); assert s.recvfrom(100) == (b"datagram", ("10.9.9.9", port))
'
heard 7 | grep -qx 'first 203.0.113.10:7 echoed' || fail "$(heard 7)"
eventually grep -qx 'close 203.0.113.10:7 in=6 out=6' "$WORLD/heard"
eventually grep -qx 'close 203.0.113.10:9000 in=2000005 out=8' "$WORLD/heard"
heard 123 | grep -qx 'datagram 10.9.9.9:123 in=8 datagram' || fail "$(heard 123)"
! curl -s --connect-timeout 1 http://203.0.113.66/ || fail "203.0.113.66 answers"
world_far "$PYTHON" -B -c '
import socket
s = socket.create_server(("203.0.113.20", 4444)); c, _ = s.accept(); c.sendall(b"made by the script\n")'
own() { python 'import socket; print(socket.create_connection(("203.0.113.20", 4444)).recv(100).decode())'; }
eventually own >"$TEST_DIR/own"
grep -q "made by the script" "$TEST_DIR/own" || fail "no server of its own"

# curl: what the other scripts count on.
fetch() { status 0 curl -sS --max-time 10 "$@"; }
fetch https://good.example/path?x
says "local=203.0.113.10:443 sni=good.example host=good.example method=GET path=/path?x"
heard good.example | grep -qx 'request 203.0.113.10:443 sni=good.example GET host=good.example /path?x' || fail "$(heard)"
world_forget
fetch http://good.example/one http://good.example/two
[[ $(heard 80 | grep -c ^open) -eq 1 && $(heard 80 | grep -c ^request) -eq 2 ]] || fail "not one connection: $(heard 80)"
[[ $(curl -sS "https://good.example/big?bytes=5000000" | wc -c) -eq 5000000 ]] || fail "not 5000000 bytes"
[[ $(curl -sS "http://good.example/chunked?bytes=2500" | wc -c) -eq 2500 ]] || fail "not 2500 bytes"
fetch "http://good.example/slow?ms=10"
says slowly
fetch -L "https://good.example/redirect?to=http://other.example:8080/there"
says "local=203.0.113.20:8080 sni=- host=other.example:8080 method=GET path=/there"
fetch -d "some words" https://good.example/
says "10 bytes"
says "some words"
status 0 curl -sS -H "Transfer-Encoding: chunked" -T - http://good.example/ < <(head -c 300000 /dev/zero | tr '\0' x)
says "300000 bytes"
heard 80 | grep -qx 'body 203.0.113.10:80 in=300000' || fail "$(heard 80)"
status 35 curl -sS https://good.example:80/
status 0 curl -sS --connect-to good.example:443:203.0.113.20:8443 https://good.example/
says "local=203.0.113.20:8443 sni=good.example"
python '
import socket, ssl
for s in socket.create_connection(("good.example", 80)), ssl.create_default_context().wrap_socket(
        socket.create_connection(("good.example", 443)), server_hostname="good.example"):
    s.sendall(b"GET /upgrade HTTP/1.1\r\nHost: good.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
    got = b""
    while b"\r\n\r\n" not in got: got += s.recv(1000)
    assert b" 101 " in got, got
    s.sendall(b"a frame"); assert s.recv(100) == b"a frame"
'
