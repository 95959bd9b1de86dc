#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Without the network nothing gets out, by no way of sending: the server hears
# nothing. What the command serves to itself works.
. "${0%/*}/line.bash"

server
for act in tcp nonblock udp udp-connect sendmsg; do
	status 0 net "$act" 127.0.0.1 "$port"
	says served
done
before=$(peers)
for mode in none ask; do
	for act in tcp nonblock fastopen udp udp-connect sendmsg mptcp; do
		held 1 --net "$mode" -- "$PYTHON" -B "$HERE/net.py" "$act" 127.0.0.1 "$port"
		[[ $out != *served* ]] || fail "$act: $out"
	done
done
# An address that is not this machine's, and a name.
held 1 --net none -- "$PYTHON" -B "$HERE/net.py" tcp 192.0.2.1 80
[[ $out == EACCES || $out == EPERM ]] || fail "$out"
[[ $(peers) -eq $before ]] || fail "the server heard: $(cat "$heard")"
complains refused

for mode in none ask open; do
	held 0 --net "$mode" -- "$PYTHON" -B "$HERE/net.py" loop
	says own
	held 0 --net "$mode" -- "$PYTHON" -B "$HERE/net.py" any
	says own
	held 0 --net "$mode" -- "$PYTHON" -B "$HERE/net.py" own-unix "own-$mode.sock"
	says own
done
# Kinds of sockets that nobody checks are not there: raw, packet, vsock.
held 1 --net none -- "$PYTHON" -B "$HERE/net.py" socket 40 1
held 1 --net none -- "$PYTHON" -B "$HERE/net.py" socket 17 3
