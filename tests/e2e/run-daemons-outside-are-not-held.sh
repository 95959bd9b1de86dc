#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A daemon outside the line does what it is asked to, also outside the folder: the question says
# NOT HELD BY AMBIT and names the daemon, there is no "always", and with a no, or nobody to ask,
# nothing reaches it. If it is the same program as the one that connects, '?' says what to do.
# Runs as a user.
. "${0%/*}/line.bash"

# agent.py serve SOCKET / ask SOCKET FILE: the server writes the files that it is asked for.
cat >"$TEST_DIR/agent.py" <<'END'
import socket, sys
path = sys.argv[2]
if sys.argv[1] == 'serve':
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    while True:
        peer, _ = server.accept()
        with open(peer.recv(4096).decode(), 'w') as file:
            file.write('written')
        peer.sendall(b'done')
        peer.close()
client = socket.socket(socket.AF_UNIX)
try:
    client.connect(path)
except OSError as error:
    sys.exit(error.errno)
client.sendall(sys.argv[3].encode())
print(client.recv(64).decode())
END
cp "$TEST_DIR/agent.py" "$TEST_DIR/other.py"
S=$TEST_DIR/agent-daemon/sock
mkdir -m 700 "${S%/*}"
"$PYTHON" -B "$TEST_DIR/agent.py" serve "$S" </dev/null >/dev/null 2>&1 &
daemon=$!
servers+=("$daemon")
eventually test -S "$S"
asks() { printf '%s\n' "$PYTHON" -B "$TEST_DIR/$1" ask "$S" "$OUT/$2"; }
mapfile -t command < <(asks agent.py natural)
status 0 "${command[@]}"
[[ $(<"$OUT/natural") == written ]] || fail "the daemon does not write without ambit either"

# Nobody is there to ask, and a no.
mapfile -t command < <(asks agent.py x)
held 13 -- "${command[@]}"
approver asked.sh <<END
#!/bin/bash
cat >'$TEST_DIR/asked'
cat '$TEST_DIR/answer'
END
echo '{"answer":"no"}' >"$TEST_DIR/answer"
status 13 "$AMBIT" run --quiet --ask "exec:$approver" -- "${command[@]}"
[[ ! -e $OUT/x ]] || fail "the daemon was asked"

# question FIELD: of the last question.
question() { jq -r "$1" "$TEST_DIR/asked"; }
name=$(cat "/proc/$daemon/comm")
[[ $(question .danger) == "NOT HELD BY AMBIT" && $(question .object) == *agent-daemon/sock ]] || fail "$(question .)"
[[ $(question .because) == "what $name outside the line does is not held" ]] || fail "because: $(question .because)"
[[ $(question .why) == *"$name (pid $daemon) acts on what it is sent, and ambit does not hold it"* ]] || fail "why: $(question .why)"
[[ $(question .why) == *"both are the same program. "*"end that daemon (kill $daemon), or start the agent with --no-daemon" ]] || fail "why: $(question .why)"
[[ $(question '[.choices[].answer] | join(" ")') == "no no-session once file" ]] || fail "answers: $(question .choices)"

# A yes lets it write outside: that is what the question is about.
echo '{"answer":"once"}' >"$TEST_DIR/answer"
status 0 "$AMBIT" run --quiet --ask "exec:$approver" -- "${command[@]}"
[[ $(<"$OUT/x") == written ]] || fail "yes: nothing was written"

# Another program that connects there gets no advice about a daemon of its own.
mapfile -t command < <(asks other.py y)
echo '{"answer":"no"}' >"$TEST_DIR/answer"
status 13 "$AMBIT" run --quiet --ask "exec:$approver" -- "${command[@]}"
[[ $(question .danger) == "NOT HELD BY AMBIT" && $(question .because) == "what $name does is not held" ]] || fail "$(question .)"
[[ $(question .why) != *"same program"* && ! -e $OUT/y ]] || fail "other: $(question .why)"

# The screen, and what '?' shows.
mapfile -t command < <(asks agent.py z)
PERSON_STATUS=13 person wait:'NOT HELD BY AMBIT' wait:'ambit> ' send:'?' wait:'--no-daemon' wait:'ambit> ' send:n -- "$AMBIT" run -- "${command[@]}"
[[ $out != *"always in"* && ! -e $OUT/z ]] || fail "$out"
