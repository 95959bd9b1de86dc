#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# why connect, for other machines: by name and by address, what it says is what a command meets.
. "${0%/*}/world.bash"

world_start dns http https udp
world_trust
world_host good.example 203.0.113.10
world_host bad.example 203.0.113.20

# agree VERDICT LAYER HOST:PORT OPTION... -- URL: why says so, and that layer speaks; curl behind
# the line with the same options gets an answer, or none.
agree() {
	local want=$1 layer=$2 host=$3 options=() got=refused
	shift 3
	while [[ $1 != -- ]]; do
		options+=("$1")
		shift
	done
	shift
	verdict "$want" - "${options[@]}" connect "$host"
	jq -e --arg layer "$layer" 'any(.layers[]; .layer == $layer)' <<<"$out" >/dev/null ||
		fail "$host: no layer $layer in $out"
	curl -sS --max-time 10 -o /dev/null "$1" || fail "$1: not without ambit either"
	line --quiet "${options[@]}" -- curl -sS --max-time 10 -o /dev/null "$1" 2>/dev/null && got=answered
	case $want:$got in
	allow:answered | ask:refused | deny:refused) ;;
	*) fail "why says $want to $host ${options[*]}, and $1 is $got" ;;
	esac
}

agree ask names good.example:80 -- http://good.example/
agree allow names good.example:80 --allow-host good.example -- http://good.example/
agree allow names good.example:443 --allow-host good.example:443 -- https://good.example/
agree ask names good.example:80 --allow-host good.example:443 -- http://good.example/
agree allow names good.example:80 --allow-host '*.example' -- http://good.example/
agree deny hosts good.example:80 --net none -- http://good.example/
agree allow hosts good.example:80 --net open -- http://good.example/
printf '{"net":"open","deny_hosts":["bad.example"]}\n' >"$TEST_DIR/deny.json"
agree deny names bad.example:80 --settings "$TEST_DIR/deny.json" -- http://bad.example/
agree allow names good.example:80 --settings "$TEST_DIR/deny.json" -- http://good.example/

# An address by itself.
agree ask hosts 203.0.113.10:80 -- http://203.0.113.10/
agree allow hosts 203.0.113.10:80 --allow-host 203.0.113.10 -- http://203.0.113.10/
agree ask hosts 203.0.113.20:80 --allow-host 203.0.113.10 -- http://203.0.113.20/
agree ask hosts 203.0.113.10:80 --allow-host '*' -- http://203.0.113.10/
agree ask hosts 10.9.9.9:80 --allow-host '*' -- http://10.9.9.9/
verdict ask - connect 203.0.113.10:443
[[ $(jq -r '.layers[0].layer' <<<"$out") == names ]] || fail "not by what it says: $out"
# A way that is closed.
verdict ask - connect 203.0.113.66:80
[[ $(jq -r .fails <<<"$out") == EHOSTUNREACH ]] || fail "$out"

# Names in /etc/hosts are addresses at once.
echo "203.0.113.10 static.example" >>"$WORLD/etc/hosts"
echo "10.9.9.9 near.example" >>"$WORLD/etc/hosts"
agree allow names static.example:80 --allow-host static.example -- http://static.example/
agree ask hosts near.example:80 --allow-host near.example -- http://near.example/

# QUIC, and protocols without a name.
cat >quic.py <<'PYTHON'
import socket, sys
to = socket.getaddrinfo("good.example", 443, socket.AF_INET, socket.SOCK_DGRAM)[0][4]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    s.sendto(b"hello", to)
    print("sent")
except OSError as e:
    print(e.strerror)
PYTHON
status 0 "$PYTHON" -B quic.py
says sent
verdict deny HostNotAllowed --udp --allow-host good.example connect good.example:443
[[ $(jq -r .layer <<<"$out") == names ]] || fail "$out"
held 0 --allow-host good.example -- "$PYTHON" -B quic.py
says "Connection refused"
verdict allow - --udp --allow-host 203.0.113.10 connect 203.0.113.10:443
held 0 --allow-host good.example --allow-host 203.0.113.10 -- "$PYTHON" -B quic.py
says sent
verdict allow - --allow-host good.example connect good.example:22
[[ $(jq -r '.layers[0].reason' <<<"$out") == *"ssh says no name"* ]] || fail "$out"
# The name server is ambit.
verdict allow - --udp connect 203.0.113.53:53
[[ $(jq -r .layer <<<"$out") == resolver ]] || fail "$out"
