#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unix socket that somebody else serves is asked about, wherever it lies;
# the session's own are free.
. "${0%/*}/line.bash"

for path in "$OUT/s" "$P/in-the-folder" "@ambit-test-$$"; do
	unix_server "$path"
	status 0 net unix "$path"
	says served
	status 0 net unix-dgram "$path.dgram"
	before=$(peers)
	held 1 --net ask -- "$PYTHON" -B "$HERE/net.py" unix "$path"
	held 1 --net ask -- "$PYTHON" -B "$HERE/net.py" unix-dgram "$path.dgram"
	held 1 --net none -- "$PYTHON" -B "$HERE/net.py" unix "$path"
	[[ $(peers) -eq $before ]] || fail "$path: heard $(cat "$heard")"
	status 0 "$AMBIT" run --quiet --ask allow -- "$PYTHON" -B "$HERE/net.py" unix "$path"
	says served
	kill "${servers[@]}"
	servers=()
done
held 0 -- "$PYTHON" -B "$HERE/net.py" own-unix "@ambit-own-$$"
says own
held 0 -- "$PYTHON" -B "$HERE/net.py" own-unix "$P/own"
says own
# A socket of the command's own outside the folder is a write there.
held 1 -- "$PYTHON" -B "$HERE/net.py" own-unix "$OUT/own"
[[ ! -e $OUT/own ]] || fail "made"
