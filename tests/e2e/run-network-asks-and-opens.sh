#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A connection is asked about by address and made after a yes; --net open lets
# all through, --allow-host one.
. "${0%/*}/line.bash"

server
held 0 --net open -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
says served
held 0 --net open -- "$PYTHON" -B "$HERE/net.py" udp 127.0.0.1 "$port"
says served
held 0 --allow-host 127.0.0.1 -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
says served
for act in tcp nonblock udp sendmsg; do
	status 0 "$AMBIT" run --ask allow --quiet -- "$PYTHON" -B "$HERE/net.py" "$act" 127.0.0.1 "$port"
	says served
done
status 0 "$AMBIT" run --ask allow --quiet --report r.json -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
jq -e .connected r.json >/dev/null || fail "$(cat r.json)"
person "wait:connect 127.0.0.1:$port" 'wait:ambit> ' send:y wait:served \
	-- "$AMBIT" run -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
# Who waits for no call (a timeout is that, too) is on its way meanwhile.
PERSON_STATUS=1 person "wait:connect 127.0.0.1:$port" 'wait:ambit> ' send:n wait:ECONNRESET \
	-- "$AMBIT" run -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
PERSON_STATUS=1 person "wait:connect 127.0.0.1:$port" 'wait:ambit> ' send:n wait:EACCES \
	-- "$AMBIT" run -- "$PYTHON" -B "$HERE/net.py" wait 127.0.0.1 "$port"
# A closed port stays a closed port.
kill "${servers[@]}"
wait "${servers[@]}" 2>/dev/null || true
status 1 "$AMBIT" run --ask allow --quiet -- "$PYTHON" -B "$HERE/net.py" tcp 127.0.0.1 "$port"
says ECONNREFUSED
