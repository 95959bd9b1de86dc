#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# While somebody watches, a question is there and on the program's terminal: the first answer
# wins, and the other screen says how it ended. A program that answers is asked at the same time,
# too.
. "${0%/*}/line.bash"
export PYTHONPATH=$HERE AMBIT
mkfifo "$TEST_DIR/stay"
watcher=$HERE/watcher.py
# begin [ANSWER] / leave: the watcher, in the background of a step.
cat >"$TEST_DIR/begin" <<END
#!/bin/bash
"$PYTHON" -B "$watcher" "$TEST_DIR/seen" "\$@" <"$TEST_DIR/stay" >"$TEST_DIR/watcher" 2>&1 &
exec 5>"$TEST_DIR/stay"
sleep infinity >&5 2>/dev/null </dev/null &
echo \$! >"$TEST_DIR/holder"
for ((n = 0; n < 500; n++)); do grep -q watching "$TEST_DIR/seen" 2>/dev/null && exit 0; sleep 0.02; done
exit 1
END
cat >"$TEST_DIR/leave" <<END
#!/bin/bash
kill "\$(cat "$TEST_DIR/holder")"; rm -f "$TEST_DIR/seen"
END
chmod 755 "$TEST_DIR/begin" "$TEST_DIR/leave"

# Answered there: the terminal is the program's again.
person wait:READY "do:$TEST_DIR/begin once" send:go\\r wait:WROTE send:key\\r wait:GOT-key \
	"do:$TEST_DIR/leave" never:gone end \
	-- "$AMBIT" run -- bash -c "echo READY; read -r _; echo x >'$OUT/a' && echo WROTE; read -r k; echo GOT-\$k"
[[ $(cat "$OUT/a") == x ]] || fail "not written"

# Nobody answers there: the terminal does, and the watcher hears of it.
person wait:READY "do:$TEST_DIR/begin" send:go\\r "until:grep -q '^question' '$TEST_DIR/seen'" 'wait:ambit  write' \
	'wait:ambit> ' send:y wait:WROTE "until:grep -q '^closed answered' '$TEST_DIR/seen'" "do:$TEST_DIR/leave" send:end\\r end \
	-- "$AMBIT" run -- bash -c "echo READY; read -r _; echo x >'$OUT/b' && echo WROTE; read -r _"
[[ $(cat "$OUT/b") == x ]] || fail "not written by the terminal's answer"

# The prompt is there first; a watcher that comes later is asked, too, and the terminal says so.
person wait:READY send:go\\r 'wait:ambit  write' 'wait:ambit> ' "do:$TEST_DIR/begin once" \
	'wait:allowed in ambit watch' wait:WROTE send:key\\r wait:GOT-key "do:$TEST_DIR/leave" end \
	-- "$AMBIT" run -- bash -c "echo READY; read -r _; echo x >'$OUT/c' && echo WROTE; read -r k; echo GOT-\$k"
[[ $(cat "$OUT/c") == x ]] || fail "not written by the second answer"

# The watcher leaves: the question stays on the terminal.
person wait:READY "do:$TEST_DIR/begin" send:go\\r "until:grep -q '^question' '$TEST_DIR/seen'" "do:$TEST_DIR/leave" \
	'wait:ambit> ' send:y wait:WROTE end \
	-- "$AMBIT" run -- bash -c "echo READY; read -r _; echo x >'$OUT/e' && echo WROTE"
[[ $(cat "$OUT/e") == x ]] || fail "not written after the watcher left"

# A program that answers is asked though somebody watches.
approver yes <<'END'
#!/bin/sh
cat >/dev/null
echo '{"answer": "once"}'
END
person wait:READY "do:$TEST_DIR/begin" send:go\\r wait:WROTE "until:grep -q '^closed answered' '$TEST_DIR/seen'" \
	"do:$TEST_DIR/leave" send:end\\r end \
	-- "$AMBIT" run --ask "exec:$approver" -- bash -c "echo READY; read -r _; echo x >'$OUT/d' && echo WROTE; read -r _"
[[ $(cat "$OUT/d") == x ]] || fail "the program was not asked"
