#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Resolvers that are not the C library's find what is allowed, and nothing else: those
# that look where an answer comes from (musl, c-ares), Go's own, one on this machine's
# loopback. Services that would look names up for them are not asked, and nobody is
# asked about those.
. "${0%/*}/world.bash"

world_start dns echo
world_host good.example 203.0.113.10 ${WORLD_V6:+2001:db8::10}
world_host other.example 203.0.113.20
world_host many.example 203.0.113.10 203.0.113.20 203.0.113.30
world_name www.example alias good.example
world_name good.example TXT words
world_name gone.example gone
export PYTHONPATH=$HERE
allow=(--allow-host good.example --allow-host www.example --allow-host many.example --allow-host gone.example)

# beyond PATTERN: what was heard that is not like it.
beyond() { heard | grep -vE "$1" || true; }
known='^dns [^ ]+ (udp|tcp) [^ ]+ (good|www|many|gone).example$|^dns [^ ]+ udp [^ ]+ refused.invalid$'
# finds LIMIT COMMAND...: it says the same behind the line as without, within so many
# seconds; but nothing of the name that is not allowed, which nobody hears of.
names=(good.example www.example many.example gone.example other.example)
finds() {
	local limit=$1 before start
	shift
	status 0 "$@" "${names[@]}"
	before=$out
	says "other.example 203.0.113.20"
	world_forget
	start=$SECONDS
	held 0 "${allow[@]}" --report r.json -- "$@" "${names[@]}"
	((SECONDS - start <= limit)) || fail "$1 takes $((SECONDS - start)) s"
	says_not "other.example 203"
	diff <(grep -v ^other.example <<<"$before") <(grep -v ^other.example <<<"$out") || fail "$1 says something else"
	[[ -z $(beyond "$known") ]] || fail "$(heard)"
	[[ $(jq -c '[.refusals[].subject]' r.json) == '["other.example"]' ]] || fail "$(cat r.json)"
}

# -- sockets without a peer -------------------------------------------------------------------

cat >source.py <<'END2'
"""Takes an answer only from where it asked; what it has sent in vain it sends again."""
import sys, time
from query import *
way, server = sys.argv[1], SERVER
if way.startswith("loopback-"):
    way, server = way[9:], ("127.0.0.53", 53)

def ask(name):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        message = make(name)
        if way == "connected":
            s.connect(server)
        for _ in range(3):
            if way == "sendto":
                s.sendto(message, server)
            elif way == "sendmsg":
                s.sendmsg([message[:20], message[20:]], [], 0, server)
            else:
                s.send(message)
            until = time.monotonic() + 0.8
            while (left := until - time.monotonic()) > 0:
                s.settimeout(left)
                try:
                    data, source = s.recvfrom(2000)
                except TimeoutError:
                    break
                if source[0] == server[0] and data[:2] == message[:2]:
                    return Answer(data)
    return None

for name in sys.argv[2:]:
    answer = ask(name)
    print(name, " ".join(sorted(answer.of(A))) if answer and answer.code == 0 else "none")
END2
finds 2 "$PYTHON" -B source.py sendto
finds 2 "$PYTHON" -B source.py sendmsg
all=("${names[@]}")
names=(good.example other.example)
finds 6 "$PYTHON" -B source.py connected
names=("${all[@]}")

# -- musl ------------------------------------------------------------------------------------------

cat >lookup.c <<'END2'
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *list = NULL;

		if (getaddrinfo(argv[i], "80", &hints, &list) != 0)
			printf("%s none\n", argv[i]);
		for (struct addrinfo *at = list; at; at = at->ai_next) {
			char text[64] = "";

			inet_ntop(AF_INET, &((struct sockaddr_in *)at->ai_addr)->sin_addr, text, sizeof(text));
			printf("%s %s\n", argv[i], text);
		}
	}
	return 0;
}
END2
musl=()
if command -v musl-gcc >/dev/null; then
	status 0 musl-gcc -static -O1 -o lookup lookup.c
	musl=(./lookup)
	finds 3 ./lookup
	# And what it found can be reached; by what it looks by which way to go, nobody is asked.
	held 0 "${allow[@]}" --report r.json -- sh -c './lookup good.example many.example && exec "$@"' sh "$PYTHON" -B "$HERE/net.py" tcp 203.0.113.10 7
	says hello
	[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"
else
	echo "no musl-gcc"
fi

# -- c-ares, by node ---------------------------------------------------------------------------------

cat >lookup.js <<'END2'
const { Resolver } = require('dns').promises
// It gives up sooner than it would by itself, for what is refused.
const dns = new Resolver({ timeout: 1000, tries: 2 })
async function main() {
	const lines = []
	await Promise.all(process.argv.slice(2).map(async name => {
		const none = error => ['none']
		const [four, six, text] = await Promise.all([
			dns.resolve4(name).catch(none), dns.resolve6(name).catch(none), dns.resolveTxt(name).catch(none)])
		lines.push(`${name} ${four.sort().join(' ')} ${six.join(' ')} ${text.join(' ')}`)
	}))
	console.log(lines.sort().join('\n'))
}
main()
END2
node=()
if command -v node >/dev/null; then
	node=(node lookup.js)
	finds 8 node lookup.js
	says "good.example 203.0.113.10 ${WORLD_V6:+2001:db8::10 words}"
else
	echo "no node"
fi

# -- Go -----------------------------------------------------------------------------------------------

cat >lookup.go <<'END2'
package main

import (
	"fmt"
	"net"
	"os"
	"sort"
)

func main() {
	for _, name := range os.Args[1:] {
		found, err := net.LookupHost(name)
		if err != nil {
			found = []string{"none"}
		}
		sort.Strings(found)
		fmt.Print(name)
		for _, one := range found {
			fmt.Print(" ", one)
		}
		fmt.Println()
	}
}
END2
if command -v go >/dev/null; then
	status 0 env GOCACHE="$TEST_DIR/go-cache" GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=0 go build -o lookup-go lookup.go
	GODEBUG=netdns=go finds 3 ./lookup-go
else
	echo "no go"
fi

# -- a name server on the loopback, as systemd has it ----------------------------------------------------

# Port 53 is no normal user's. Who has every right over the far namespace has them over
# this one as well.
cat >forward.py <<'END2'
import sys, threading
from query import *
log = open(sys.argv[1], "a", buffering=1)
def heard(kind, message):
    log.write(f"{kind} {Answer(message).name(12)}\n")
def by_tcp(server):
    while True:
        client, _ = server.accept()
        with client:
            while data := client.recv(2, socket.MSG_WAITALL):
                message = client.recv(int.from_bytes(data, "big"), socket.MSG_WAITALL)
                heard("tcp", message)
                for answer in tcp(message).values():
                    client.sendall(len(answer.message).to_bytes(2, "big") + answer.message)
server = socket.create_server(("127.0.0.53", 53))
threading.Thread(target=by_tcp, args=(server,), daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.53", 53))
log.write("ready\n")
while True:
    message, peer = s.recvfrom(2000)
    heard("udp", message)
    s.sendto(udp(message).message, peer)
END2
# As an alias of the above: with resolv.conf as it is then.
on_loopback() {
	world_far nsenter --target "$$" --net env PYTHONPATH="$HERE" "$PYTHON" -B "$P/forward.py" "$TEST_DIR/forward"
	eventually grep -q ready "$TEST_DIR/forward"
	world_resolv <<<$'nameserver 127.0.0.53\noptions edns0 trust-ad'
	status 0 getent ahostsv4 other.example
	grep -q 'udp other.example' "$TEST_DIR/forward" || fail "$(cat "$TEST_DIR/forward")"
	: >"$TEST_DIR/forward"
	held 0 "${allow[@]}" -- getent ahostsv4 good.example
	says 203.0.113.10
	held 2 "${allow[@]}" -- getent ahostsv4 other.example
	held 0 "${allow[@]}" -- "$PYTHON" -c 'from query import *; print([a.of(A) for a in tcp(make("good.example"), server=("127.0.0.53", 53)).values()])'
	says "[['203.0.113.10']]"
	finds 2 "$PYTHON" -B source.py loopback-sendto
	# Here ambit's answers come from the very address.
	finds 2 "$PYTHON" -B source.py loopback-connected
	[[ ${#musl[@]} -eq 0 ]] || finds 3 "${musl[@]}"
	[[ ${#node[@]} -eq 0 ]] || finds 3 "${node[@]}"
	held 0 "${allow[@]}" -- "$PYTHON" -B "$HERE/net.py" tcp good.example 7
	says hello
	# All of these asked for it without ambit as well, and were heard.
	: >"$TEST_DIR/forward"
	held 2 -- getent ahostsv4 other.example
	held 0 -- "$PYTHON" -B source.py loopback-connected other.example
	! grep other.example "$TEST_DIR/forward" || fail "looked up"
}
on_loopback
world_resolv <<<"nameserver 203.0.113.53"

# -- services that look names up ------------------------------------------------------------------------

cat >service.py <<'END2'
import os, select, socket, sys
doors = []
for path in sys.argv[2:]:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen(10); doors.append(s)
    os.chmod(path, 0o777)
log = open(sys.argv[1], "a", buffering=1)
log.write("ready\n")
while True:
    for door in select.select(doors, [], [])[0]:
        client, _ = door.accept()
        log.write(door.getsockname() + "\n")
        client.close()
END2
services=(/run/nscd/socket /run/systemd/resolve/io.systemd.Resolve)
world_far nsenter --target "$$" --mount mount -t tmpfs -o mode=755 none /run
empty_run() { [[ ! -e /run/lock && -w /run ]]; }
eventually empty_run
"$PYTHON" -B service.py "$TEST_DIR/service" "${services[@]}" &
servers+=($!)
eventually grep -q ready "$TEST_DIR/service"
for service in "${services[@]}"; do
	"$PYTHON" -B "$HERE/net.py" unix "$service" >/dev/null 2>&1 || true
	grep -qx "$service" "$TEST_DIR/service" || fail "not reached without ambit either: $service"
done
: >"$TEST_DIR/service"
status 0 getent ahostsv4 good.example
grep -q nscd "$TEST_DIR/service" || fail "the C library does not go to nscd without ambit either"
: >"$TEST_DIR/service"
for service in "${services[@]}"; do
	held 1 "${allow[@]}" --report r.json -- "$PYTHON" -B "$HERE/net.py" unix "$service"
	says ECONNREFUSED
	[[ $(jq '.refusals | length' r.json) -eq 0 && $(jq .asked r.json) -eq 0 ]] || fail "$(cat r.json)"
done
held 0 "${allow[@]}" --report r.json -- getent ahostsv4 good.example
says 203.0.113.10
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(cat r.json)"
held 2 "${allow[@]}" -- getent ahostsv4 other.example
[[ ! -s $TEST_DIR/service ]] || fail "asked: $(cat "$TEST_DIR/service")"
# Who is told to let it through does.
held 0 --allow-host "unix:${services[0]}" -- sh -c "'$PYTHON' -B '$HERE/net.py' unix '${services[0]}'; :"
grep -q nscd "$TEST_DIR/service" || fail "an allowed socket is refused: $out $errout"
