#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# At the prompt, as on the screen of ambit watch: a program that withdraws its question
# while the person types, and asks another at once, gets nothing answered by the rest.
. "${0%/*}/line.bash"

cat >agent.py <<'PY'
import os, signal, sys
def gives_up(*_):
    raise InterruptedError
signal.signal(signal.SIGUSR1, gives_up)
with open("pid", "w") as file:
    print(os.getpid(), file=file)
for path in sys.argv[1:]:
    try:
        os.write(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644), b"x")
    except OSError:
        pass
print("DONE")
PY
# Without ambit it writes both.
"$PYTHON" agent.py "$OUT/first" "$OUT/second" >/dev/null
[[ -s $OUT/first && -s $OUT/second ]] || fail "cannot be written without ambit either"

# typed_on KEY WAIT TEXT: KEY, and when that has brought WAIT, the question goes and TEXT is
# typed on, five keys in a second. It is the pace that is tried.
typed_on() {
	local steps=() i
	rm -f "$OUT/first" "$OUT/second" pid
	for ((i = 0; i < ${#3}; i++)); do
		steps+=("send:${3:i:1}" 'do:sleep 0.2')
	done
	# shellcheck disable=SC2016
	person "wait:ambit asks: write $OUT/first" 'wait:Enter is no: ' "send:$1" "wait:$2" \
		'do:kill -USR1 $(cat pid)' 'wait:withdrawn: the program gave up' \
		"wait:ambit asks: write $OUT/second" "${steps[@]}" \
		'wait:what you typed was dropped: pause for a second' 'wait:Enter is no: ' \
		"do:test ! -e '$OUT/second'" send:n wait:refused wait:DONE -- \
		"$AMBIT" run -- "$PYTHON" agent.py "$OUT/first" "$OUT/second"
	[[ ! -e $OUT/first && ! -e $OUT/second ]] || fail "written: $(ls "$OUT")"
	status 0 ambit rules --json
	says_not "$OUT"
	status 0 ambit log export --kind answer
	[[ $(jq -r .body.answer <<<"$out" | sort -u) == no ]] || fail "$out"
}
typed_on m 'message: ' 'ay, any yes'
typed_on a 'any other key goes back: ' 'yay'
