#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A command is told where it is: PWD, AMBIT_SESSION and AMBIT_FOLDER, behind every door. What
# was in them outside does not come in, and what a command puts there changes nothing.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p sub/deep packages/web
ln -s "$P" "$HOME/link"
TELL='printf "%s\n" "$AMBIT_SESSION" "$AMBIT_FOLDER"; env | grep ^PWD='

# is_told SESSION FOLDER PWD TEXT
is_told() { [[ $4 == "$1"$'\n'"$2"$'\n'PWD="$3" ]] || fail "not $1, $2, $3: $4"; }

export AMBIT_SESSION=forged AMBIT_FOLDER=/forged
held 0 --session one -- sh -c "$TELL"
is_told one "$P" "$P" "$out"
# Exactly once.
held 0 -- env
[[ $(grep -c '^PWD=\|^AMBIT_SESSION=\|^AMBIT_FOLDER=' <<<"$out") -eq 3 ]] || fail "$out"

# PWD: the name that the person uses for it, if it is one.
(cd "$HOME/link/sub" && "$AMBIT" run --ask deny --folder "$P" --session two -- sh -c "$TELL" >"$TEST_DIR/o")
is_told two "$P" "$HOME/link/sub" "$(cat "$TEST_DIR/o")"
for pwd in /nowhere "$OUT" sub "$P/sub/../sub" "$P/." ''; do
	(cd sub && PWD=$pwd exec "$AMBIT" run --ask deny --folder "$P" --session two -- sh -c "$TELL" >"$TEST_DIR/o")
	is_told two "$P" "$P/sub" "$(cat "$TEST_DIR/o")"
done
(cd sub && env -u PWD "$AMBIT" run --ask deny --folder "$P" -- env >"$TEST_DIR/o")
grep -qx "PWD=$P/sub" "$TEST_DIR/o" || fail "$(cat "$TEST_DIR/o")"
# Ambit goes to the folder if the person is elsewhere.
(cd "$OUT" && "$AMBIT" run --ask deny --folder "$HOME/link/sub" --session three -- sh -c "$TELL" >"$TEST_DIR/o")
is_told three "$P/sub" "$P/sub" "$(cat "$TEST_DIR/o")"

# A run inside.
held 0 --session outer -- "$AMBIT" run --folder sub/deep --session inner -- sh -c "$TELL"
is_told inner "$P/sub/deep" "$P/sub/deep" "$out"

# What a command says is believed by nobody: the session, the folder and the line stay.
held 0 --session mine -- sh -c 'AMBIT_SESSION=one AMBIT_FOLDER=/ PWD=/ "$1" run -- sh -c "$2"; AMBIT_FOLDER=/ "$3" create "$4/x"; true' \
	_ "$AMBIT" "$TELL" "$CALLS" "$OUT"
[[ $out == *"$P"$'\n'PWD="$P"* && $out != one* && ! -e $OUT/x ]] || fail "$out"
status 0 "$AMBIT" log --session one --json
[[ $out != *'"mine"'* && $out != *"$OUT/x"* ]] || fail "another's record: $out"

# Commands of the doors with tools, and sub-agents.
cat >"$TEST_DIR/doors.py" <<'END'
import sys
import mcp, serve
from peer import *
tell, folder = sys.argv[1:]
client = mcp.Client("--folder", folder, "--session", "door-mcp")
client.legacy()
said = mcp.text(client.call("bash", command=tell))
check("door-mcp\n%s\nPWD=%s\n" % (folder, folder) in said, said)
client.end()
client = serve.Client("--folder", folder, "--session", "door-serve")
said = client.call("bash", command=tell)["text"]
check("door-serve\n%s\nPWD=%s\n" % (folder, folder) in said, said)
client.end()
END
status 0 "$PYTHON" -B "$TEST_DIR/doors.py" "$TELL" "$P"
spawn 0 hand packages/web "env told"
grep -qx "AMBIT_FOLDER=$P/packages/web" packages/web/told || fail "$(cat packages/web/told)"
grep -qx "PWD=$P/packages/web" packages/web/told || fail "$(cat packages/web/told)"
grep -q "^AMBIT_SESSION=." packages/web/told || fail "$(cat packages/web/told)"
! grep -q forged packages/web/told || fail "$(cat packages/web/told)"
