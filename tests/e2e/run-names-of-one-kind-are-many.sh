#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# Of name servers, of an address' names and of a name's addresses there may be several:
# one that is down, was looked up later or is one too many is in nobody's way.
. "${0%/*}/world.bash"

world_start dns http echo
world_host good.example 203.0.113.10
export PYTHONPATH=$HERE

# Of two name servers one may be down: told at once, or not at all.
for down in "192.0.2.1 1" "203.0.113.66 1" "203.0.113.10 5"; do
	printf 'nameserver %s\nnameserver 203.0.113.53\noptions timeout:%s attempts:2\n' "${down% *}" "${down#* }" | world_resolv
	held 0 --allow-host good.example -- getent ahostsv4 good.example
	says 203.0.113.10
done
# Nor does it matter for how long the program waits for the first.
world_resolv <<<$'nameserver 203.0.113.10\nnameserver 203.0.113.53\noptions timeout:1 attempts:2'
status 0 getent ahostsv4 good.example
held 0 --allow-host good.example -- getent ahostsv4 good.example
says 203.0.113.10
world_resolv <<<"nameserver 203.0.113.53"

# Of a name's addresses one may be dead: whoever goes to the next without ambit gets
# there.
world_host hole6.example ${WORLD_V6:+2001:db8::99} 203.0.113.10
cat >next.py <<'END2'
import socket, sys
timeout = float(sys.argv[2]) if len(sys.argv) > 2 else None
with socket.create_connection((sys.argv[1], 7), timeout) as s:
    s.sendall(b"hello\n")
    assert s.recv(10) == b"hello\n"
print("reached")
END2
for how in "curl -sS --max-time 10 http://hole6.example/" "$PYTHON next.py hole6.example 5" "$PYTHON next.py hole6.example"; do
	# shellcheck disable=SC2086 # words
	status 0 $how
	# shellcheck disable=SC2086
	held 0 --allow-host hole6.example -- $how
done

# Of one address several names: each that is allowed leads there, whichever was looked
# up last.
world_host shared.example 203.0.113.10
cat >shared.py <<'END2'
import socket
first = socket.getaddrinfo("good.example", 7, socket.AF_INET, socket.SOCK_STREAM)[0][4]
second = socket.getaddrinfo("shared.example", 80, socket.AF_INET, socket.SOCK_STREAM)[0][4]
for address in first, second:
    socket.create_connection(address, 5).close()
print("both")
END2
status 0 "$PYTHON" -B shared.py
held 0 --allow-host good.example:7 --allow-host shared.example:80 -- "$PYTHON" -B shared.py
says both
# In /etc/hosts too.
world_hosts <<<$'127.0.0.1 localhost\n203.0.113.30 first.example second.example'
status 0 curl -sS --max-time 10 http://second.example/
held 0 --allow-host second.example -- curl -sS --max-time 10 http://second.example/
says "local=203.0.113.30:80 sni=- host=second.example"
printf '%s\n' "127.0.0.1 localhost" "::1 localhost" | world_hosts

# Of one name more addresses than usual: to look by which way each goes asks nobody.
world_name dozens.example huge 30
held 0 --allow-host dozens.example --report r.json -- "$PYTHON" -c '
import socket
print(len(socket.getaddrinfo("dozens.example", 80, type=socket.SOCK_STREAM)), "found")'
says "30 found"
[[ $(jq '.refusals | length' r.json) -eq 0 ]] || fail "$(jq -c '[.refusals[].subject]' r.json)"

# A socket that is connected to a name server may name it once more.
cat >twice.py <<'END2'
from query import *
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.settimeout(5)
    s.connect(SERVER)
    s.sendto(make("good.example"), SERVER)
    print(Answer(s.recv(2000)).of(A))
END2
status 0 "$PYTHON" -B twice.py
says 203.0.113.10
held 0 --allow-host good.example -- "$PYTHON" -B twice.py
says 203.0.113.10

# Of ids there are few: one that a program has used before is that of another question,
# and whoever asks for two kinds at once by one socket hears of both. Of the same name too:
# who has had his answer, and asks for it later by a socket of its own, does not ask again.
world_host one.example 203.0.113.10
world_host two.example 203.0.113.20
world_host three.example 203.0.113.30
cat >ids.py <<'END2'
import sys, time
from query import *
for name, *pair in zip(sys.argv[1:], (7, 7, 10), (8, 9, 9)):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(3)
        s.connect(SERVER)
        s.send(make(name, A, ident=pair[0]))
        s.send(make(name, AAAA, ident=pair[1]))
        assert {Answer(s.recv(2000)).id, Answer(s.recv(2000)).id} == set(pair)
    time.sleep(0.6) # one who asks again for the same would have waited for less
print("all answered")
END2
for names in "one.example two.example three.example" "one.example one.example one.example"; do
	# shellcheck disable=SC2086 # words
	status 0 "$PYTHON" -B ids.py $names
	# shellcheck disable=SC2086
	held 0 --allow-host '*.example' -- "$PYTHON" -B ids.py $names
	says "all answered"
done
