#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# why connect, for ports and sockets of this machine: what it says is what a command meets.
. "${0%/*}/line.bash"

# agree VERDICT LAYER HOST OPTION... -- NET-ARGUMENT...: why says so, and that layer speaks; a run
# with the same options does it. REFUSAL: the errno of a refusal, if it is not EACCES.
agree() {
	local want=$1 layer=$2 host=$3 options=() udp=() fails said before
	shift 3
	while [[ $1 != -- ]]; do
		if [[ $1 == --udp ]]; then udp=(--udp); else options+=("$1"); fi
		shift
	done
	shift
	verdict "$want" - "${options[@]}" "${udp[@]}" connect "$host"
	jq -e --arg layer "$layer" 'any(.layers[]; .layer == $layer)' <<<"$out" >/dev/null ||
		fail "$host: no layer $layer in $out"
	fails=$(jq -r '.fails // empty' <<<"$out")
	before=$(peers)
	said=$("$AMBIT" run --ask deny --quiet "${options[@]}" -- \
		"$PYTHON" -B "$HERE/net.py" "$@" 2>/dev/null) || true
	case $want:$fails in
	*:?*) [[ $said == "$fails" ]] || fail "$host: why says it fails with $fails; the run says '$said'" ;;
	allow:) [[ $said == ok* ]] || fail "$host: why allows it; the run says '$said'" ;;
	*) [[ $said == "${REFUSAL:-EACCES}" ]] || fail "$host: why says $want; the run says '$said'" ;;
	esac
	[[ $said == ok* || $(peers) -eq $before ]] || fail "$host: refused, and heard"
}

# -- ports ---------------------------------------------------------------------------------

server
status 0 net wait 127.0.0.1 "$port"
agree ask hosts "127.0.0.1:$port" -- wait 127.0.0.1 "$port"
agree ask hosts "localhost:$port" -- wait localhost "$port"
agree ask hosts "0.0.0.0:$port" -- wait 0.0.0.0 "$port"
agree deny hosts "127.0.0.1:$port" --net none -- wait 127.0.0.1 "$port"
agree allow hosts "127.0.0.1:$port" --net open -- wait 127.0.0.1 "$port"
# One place, however it is spelled.
for yes in "localhost:$port" "127.0.0.1:$port" "[::1]:$port" 0.0.0.0; do
	agree allow hosts "127.0.0.1:$port" --allow-host "$yes" -- wait 127.0.0.1 "$port"
	agree allow hosts "localhost:$port" --allow-host "$yes" -- wait localhost "$port"
	agree allow hosts "0.0.0.0:$port" --allow-host "$yes" -- wait 0.0.0.0 "$port"
done
agree ask hosts "127.0.0.1:$port" --allow-host localhost:1 -- wait 127.0.0.1 "$port"
agree ask hosts "127.0.0.1:$port" --allow-host 127.0.0.2 -- wait 127.0.0.1 "$port"
printf '{"net":"open","deny_hosts":["localhost:%s"]}\n' "$port" >"$TEST_DIR/deny.json"
agree deny hosts "127.0.0.1:$port" --settings "$TEST_DIR/deny.json" -- wait 127.0.0.1 "$port"
agree deny hosts "0.0.0.0:$port" --settings "$TEST_DIR/deny.json" -- wait 0.0.0.0 "$port"
verdict allow - --door mcp --allow-host "[::1]:$port" connect "localhost:$port"

# Datagrams.
agree ask hosts "127.0.0.1:$port" --udp -- udp-connect 127.0.0.1 "$port"
agree allow hosts "127.0.0.1:$port" --udp --allow-host localhost -- udp-connect 127.0.0.1 "$port"
status 2 "$AMBIT" why --udp --door mcp connect localhost:1
status 2 "$AMBIT" why --udp write a

# A port that is held, so that nobody else takes it, and at which nobody listens.
cat >"$TEST_DIR/hold.py" <<'PYTHON'
import signal, socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1], file=open(sys.argv[1], "w"), flush=True)
signal.pause()
PYTHON
"$PYTHON" -B "$TEST_DIR/hold.py" "$TEST_DIR/held-port" &
servers+=($!)
eventually test -s "$TEST_DIR/held-port"
nobody=$(cat "$TEST_DIR/held-port")
agree ask nobody "127.0.0.1:$nobody" -- wait 127.0.0.1 "$nobody"
agree ask nobody "127.0.0.1:0" -- wait 127.0.0.1 0
agree allow nobody "127.0.0.1:$nobody" --net open -- wait 127.0.0.1 "$nobody"
agree deny nobody "127.0.0.1:$nobody" --net none -- wait 127.0.0.1 "$nobody"
verdict allow - --udp connect "127.0.0.1:$nobody"
[[ $(jq -r .layer <<<"$out") == nobody ]] || fail "$out"

# A command's own server is free to it, and to no other session.
held 0 -- "$PYTHON" -B "$HERE/net.py" loop
says own
outside=$heard
"$AMBIT" run --quiet --ask deny -- "$PYTHON" -B "$HERE/net.py" serve "$P/heard-own" </dev/null >/dev/null 2>&1 &
servers+=($!)
eventually test -s "$P/heard-own"
own=$(head -1 "$P/heard-own")
heard=$P/heard-own
agree ask hosts "127.0.0.1:$own" -- wait 127.0.0.1 "$own"
agree allow hosts "127.0.0.1:$own" --allow-host "localhost:$own" -- wait 127.0.0.1 "$own"
heard=$outside

# -- unix sockets -----------------------------------------------------------------------------

unix_server "$OUT/s"
ln -s "$OUT" link
echo text >"$OUT/file"
agree ask hosts "unix:$OUT/s" -- unix "$OUT/s"
agree ask hosts "unix:$OUT/../outside/./s" -- unix "$OUT/../outside/./s"
agree ask hosts unix:link/s -- unix link/s
[[ $(jq -r .host <<<"$("$AMBIT" why --json connect unix:link/s)") == "unix:$OUT/s" ]] || fail "not resolved"
agree allow hosts unix:link/s --allow-host "unix:$OUT/s" -- unix link/s
agree ask hosts "unix:$OUT/s" --net open -- unix "$OUT/s"
agree ask hosts "unix:$OUT/none" -- unix "$OUT/none"
agree ask hosts "unix:$OUT/file" -- unix "$OUT/file"
agree ask hosts "unix:$OUT/file/s" -- unix "$OUT/file/s"
verdict ask - connect "unix:$OUT/none"
[[ $(jq -r .fails <<<"$out") == ENOENT ]] || fail "$out"
unix_server "$OUT/closed"
chmod 000 "$OUT/closed"
agree ask hosts "unix:$OUT/closed" -- unix "$OUT/closed"
[[ $(jq -r .fails <<<"$out") == EACCES ]] || fail "as its mode has it, for root too: $out"
held 0 -- "$PYTHON" -B "$HERE/net.py" own-unix "$P/own"
says own
# ambit's own, whatever is allowed.
mkdir -p "$STATE"
unix_server "$STATE/s"
status 0 net unix "$STATE/s"
agree deny hosts "unix:$STATE/s" --allow-host "unix:$STATE/s" -- unix "$STATE/s"
verdict deny Protected connect "unix:$STATE/s"
if [[ -S /run/nscd/socket && -w /run/nscd/socket ]]; then
	REFUSAL=ECONNREFUSED agree deny resolver unix:/run/nscd/socket -- unix /run/nscd/socket
fi
# Abstract names.
unix_server "@ambit-why-$$"
agree ask hosts "unix:@ambit-why-$$" -- unix "@ambit-why-$$"
agree allow hosts "unix:@ambit-why-$$" --allow-host "unix:@ambit-why-$$" -- unix "@ambit-why-$$"
agree ask nobody "unix:@ambit-nobody-$$" -- unix "@ambit-nobody-$$"
held 0 -- "$PYTHON" -B "$HERE/net.py" own-unix "@ambit-own-$$"
says own
