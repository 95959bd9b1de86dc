#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A question comes up under the fingers of a person who types to the program: the next key is
# no answer, and the person is told. Keys that were typed before reach the program.
. "${0%/*}/line.bash"

# Reads keys one by one; at a "!" it writes the file.
cat >typed.py <<'PY'
import os, sys, tty
tty.setraw(0)
os.write(1, b"READY.")
keys = b""
while not keys.endswith(b"q"):
    keys += os.read(0, 1)
    if keys.endswith(b"!"):
        try:
            os.close(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT, 0o644))
        except OSError:
            os.write(1, b"NOT-WRITTEN.")
os.write(1, b"KEYS=%r\r\n" % keys)
PY
# Without ambit it writes the file.
person wait:READY. 'send:go!' "until:test -e '$OUT/file'" send:q "wait:KEYS=b'go!q'" -- "$PYTHON" typed.py "$OUT/file"
rm "$OUT/file"

# The key is sent when the question stands and its prompt does not. If this machine was too slow
# for that, the prompt is there already: then nothing was tried.
for ((try = 0; try < 10; try++)); do
	got=0
	"${PERSON[@]}" wait:READY. 'send:go!left' 'wait:ambit  write' 'wait:Enter = no' \
		send:y 'never:ambit> ' 'wait:what you typed was dropped: pause for a moment' \
		'wait:ambit> ' "do:test ! -e '$OUT/file'" send:n wait:refused wait:NOT-WRITTEN. \
		send:q "wait:KEYS=b'go!leftq'" -- \
		"$AMBIT" run -- "$PYTHON" typed.py "$OUT/file" >"$TEST_DIR/said" 2>&1 || got=$?
	grep -q 'person: was shown' "$TEST_DIR/said" || break
	rm -f "$OUT/file"
done
[[ $got -eq 0 && ! -e $OUT/file ]] || { cat "$TEST_DIR/said" >&2; fail "a key to the program did something else"; }

# Nobody types: the prompt comes by itself, with no word about keys; one question after the other.
PERSON_STATUS=1 person 'wait:ambit  write' 'wait:ambit> ' send:y 'wait:ambit  write' 'wait:ambit> ' \
	send:n wait:refused 'never:dropped' -- "$AMBIT" run -- bash -c '"$1" create "$2/a"; "$1" create "$2/b"' - "$CALLS" "$OUT"
[[ -e $OUT/a && ! -e $OUT/b ]] || fail "not as answered: $(ls "$OUT")"
