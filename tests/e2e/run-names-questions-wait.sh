#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs as a user.
# A question about a host looks like a slow network: the program waits for as long as
# the person takes, its event loop turns, and when it gives up nobody is asked any more.
. "${0%/*}/world.bash"

world_start dns http https echo
world_trust
world_host good.example 203.0.113.10
world_host other.example 203.0.113.20
# Who waits by UDP waits for a second here, once.
world_resolv <<<$'nameserver 203.0.113.53\noptions timeout:1 attempts:1'

ask="wait:ambit> "
curl=(curl -sS --max-time 30)

# Asked when it is looked up; the answer holds for the connection too. It takes longer
# than the C library waits for a name server.
person "wait:connect good.example" "$ask" "do:sleep 3" send:y "wait:sni=good.example" \
	-- "$AMBIT" run -- "${curl[@]}" https://good.example/
[[ $(grep -c 'ambit  ' <<<"$out") -eq 1 ]] || fail "not one question: $out"
[[ $out == *"by curl; this host is not allowed yet"* ]] || fail "$out"
[[ $out == *"connect good.example, this session, for process "* ]] || fail "$out"
# No: nothing of it left.
world_forget
PERSON_STATUS=6 person "wait:connect other.example" "$ask" send:n "wait:resolve host" \
	-- "$AMBIT" run -- "${curl[@]}" https://other.example/
unheard ""
# One look-up is many questions, by UDP and TCP and for both kinds of address, and some
# come late: to that program, a no is a no to all of them.
cat >again.py <<'END'
import socket, time
for pause in 0, 1.5, 0.2:
    time.sleep(pause)
    try:
        print("found", socket.getaddrinfo("other.example", 443))
    except OSError:
        print("none")
print("over")
END
person "wait:connect other.example" "$ask" send:n wait:over -- "$AMBIT" run -- "$PYTHON" again.py
[[ $(grep -c 'ambit  ' <<<"$out") -eq 1 && $(grep -c none <<<"$out") -eq 3 ]] || fail "asked again: $out"
unheard ""
# For the session: the next program is not asked about. Each name by itself.
person "wait:connect good.example" "$ask" send:s "wait:sni=good.example" "wait:connect other.example" "$ask" send:s \
	"wait:sni=other.example" wait:done \
	-- "$AMBIT" run -- sh -c 'curl -sS https://good.example/; curl -sS https://good.example/;
		curl -sS https://other.example/; echo done'
[[ $(grep -c 'ambit  ' <<<"$out") -eq 2 ]] || fail "not two questions: $out"
# The name of a service is looked up on the way to its host: one question, about the host; and a no
# to that is one to both.
cat >service.py <<'END'
import query, socket
def find(name):
    try:
        socket.getaddrinfo(name, 80)
        return "found"
    except OSError:
        return "none"
print("service", query.tcp(query.make("_http._tcp.other.example", 33, 7), timeout=60)[7].code)
print("host", find("other.example"), "over")
END
run=("$AMBIT" run -- env PYTHONPATH="$HERE" "$PYTHON" -B service.py)
person "wait:connect other.example" "$ask" send:s wait:over -- "${run[@]}"
[[ $(grep -c 'ambit  ' <<<"$out") -eq 1 && $out == *"host found over"* ]] || fail "not one question: $out"
[[ $out != *_http* ]] || fail "the service is shown: $out"
world_forget
person "wait:connect other.example" "$ask" send:n wait:over -- "${run[@]}"
[[ $(grep -c 'ambit  ' <<<"$out") -eq 1 && $out == *"host none over"* ]] || fail "asked again: $out"
unheard ""
# For good.
person "wait:connect good.example" "$ask" send:a "wait:s this host" "$ask" send:s "wait:sni=good.example" \
	-- "$AMBIT" run -- "${curl[@]}" https://good.example/
held 0 -- "${curl[@]}" https://good.example/
"$AMBIT" rules revoke "$("$AMBIT" rules | awk '/good.example, always/ { print $1 + 0; exit }')" >/dev/null
held 6 -- "${curl[@]}" https://good.example/

# A program with a fast timer: its handler runs meanwhile, it is asked about once, and no call ends
# with an error of the kernel's own.
world_forget
cat >timer.py <<'END'
import os, signal, socket
# The handler in C writes a byte each time; the one here runs when a call has ended.
noted = os.open("noted", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK)
signal.set_wakeup_fd(noted, warn_on_full_buffer=False)
signal.signal(signal.SIGALRM, lambda *_: None)
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
s = socket.create_connection(("good.example", 80))
s.sendall(b"GET / HTTP/1.0\r\nHost: good.example\r\n\r\n")
print("answered", s.recv(100)[:8], "handled", os.fstat(noted).st_size > 8)
signal.setitimer(signal.ITIMER_REAL, 0)
END
person "wait:connect good.example" "$ask" "until:test \$(stat -c %s '$P/noted') -gt 8" send:y "wait:answered b'HTTP/1." "wait:handled True" -- "$AMBIT" run -- "$PYTHON" timer.py
[[ $(grep -c 'ambit  ' <<<"$out") -eq 1 ]] || fail "not one question: $out"

# A port that the rule does not have: asked with it, for who waits and who does not.
for act in wait nonblock; do
	person "wait:connect good.example:7" "$ask" send:y "wait:ok hello" \
		-- "$AMBIT" run --allow-host good.example:80 -- "$PYTHON" -B "$HERE/net.py" "$act" good.example 7
done
world_forget
PERSON_STATUS=1 person "wait:connect good.example:7" "$ask" send:n wait:ECONNRESET \
	-- "$AMBIT" run --allow-host good.example:80 -- "$PYTHON" -B "$HERE/net.py" nonblock good.example 7
PERSON_STATUS=1 person "wait:connect good.example:7" "$ask" send:n wait:EACCES \
	-- "$AMBIT" run --allow-host good.example:80 -- "$PYTHON" -B "$HERE/net.py" wait good.example 7
[[ -z $(heard 7) ]] || fail "$(heard 7)"

# An address that no name led to is asked about by what it is called there; or as it is.
person "wait:connect good.example:443" "$ask" send:y "wait:sni=good.example" \
	-- "$AMBIT" run -- "${curl[@]}" --resolve good.example:443:203.0.113.10 https://good.example/
person "wait:connect 203.0.113.10:443" "$ask" send:y "wait:sni=-" \
	-- "$AMBIT" run -- "${curl[@]}" https://203.0.113.10/
person "wait:connect 203.0.113.10:7" "$ask" send:y "wait:ok hello" \
	-- "$AMBIT" run -- "$PYTHON" -B "$HERE/net.py" nonblock 203.0.113.10 7

# An event loop turns meanwhile.
cat >loop.py <<'END'
import asyncio, sys, time
async def main():
    turns = 0
    async def turn():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)
    ticking = asyncio.create_task(turn())
    reader, writer = await asyncio.open_connection(sys.argv[1], int(sys.argv[2]))
    writer.write(b"asked\n")
    got = await reader.readline()
    print("got", got.decode().strip(), "turned" if turns > 50 else f"froze: {turns}")
asyncio.run(main())
END
person "wait:connect good.example" "$ask" "do:sleep 2" send:s "wait:got asked turned" \
	-- "$AMBIT" run -- "$PYTHON" loop.py good.example 7
person "wait:connect 203.0.113.20:7" "$ask" "do:sleep 2" send:s "wait:got asked turned" \
	-- "$AMBIT" run -- "$PYTHON" loop.py 203.0.113.20 7

# Who gives up is not asked about any more: when he is killed, his time is up, or he
# closes his socket.
PERSON_STATUS=28 person "wait:connect other.example" "$ask" "wait:timed out" \
	-- "$AMBIT" run -- curl -sS --max-time 2 https://other.example/
person "wait:connect other.example" "$ask" wait:over -- "$AMBIT" run -- sh -c 'timeout 1 curl -sS https://other.example/; echo over'
cat >close.py <<'END'
import socket, time
s = socket.socket(); s.setblocking(False)
s.connect_ex(("203.0.113.20", 7)); time.sleep(1.5); s.close(); time.sleep(1)
print("closed")
END
person "wait:connect 203.0.113.20:7" "$ask" wait:withdrawn wait:closed -- "$AMBIT" run -- "$PYTHON" close.py
# Who has closed only his half waits.
cat >half.py <<'END'
import socket
s = socket.socket(); s.settimeout(20)
s.connect(("203.0.113.20", 7)); s.sendall(b"half\n"); s.shutdown(socket.SHUT_WR)
print("got", s.recv(100).decode().strip())
END
person "wait:connect 203.0.113.20:7" "$ask" "do:sleep 1" send:y "wait:got half" -- "$AMBIT" run -- "$PYTHON" half.py
