#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# At the prompt, as on the screen of ambit watch: a program that withdraws its question
# while the person types, and asks another at once, gets nothing answered by the rest.
. "${0%/*}/line.bash"

cat >agent.py <<'PY'
import os, signal, sys
child = 0
def gives_up(*_):
    os.kill(child, signal.SIGKILL)
signal.signal(signal.SIGUSR1, gives_up)
with open("pid", "w") as file:
    print(os.getpid(), file=file)
for path in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        try:
            os.write(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644), b"x")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
print("DONE")
PY
# Without ambit it writes both.
"$PYTHON" agent.py "$OUT/first" "$OUT/second" >/dev/null
[[ -s $OUT/first && -s $OUT/second ]] || fail "cannot be written without ambit either"

# typed_on TEXT STEP...: after these steps the question goes and TEXT is typed on, five keys in a
# second. It is the pace that is tried.
typed_on() {
	local steps=() i text=$1
	shift
	rm -f "$OUT/first" "$OUT/second" pid
	for ((i = 0; i < ${#text}; i++)); do
		steps+=("send:${text:i:1}" 'do:sleep 0.2')
	done
	# shellcheck disable=SC2016
	person 'wait:ambit  write ' wait:/outside/first 'wait:ambit> ' "$@" \
		'do:kill -USR1 $(cat pid)' 'wait:withdrawn: the program is gone' \
		'wait:ambit  write ' wait:/outside/second "${steps[@]}" \
		'wait:what you typed was dropped: pause for a second' 'wait:ambit> ' \
		"do:test ! -e '$OUT/second'" send:n wait:refused wait:DONE -- \
		"$AMBIT" run -- "$PYTHON" agent.py "$OUT/first" "$OUT/second"
	[[ ! -e $OUT/first && ! -e $OUT/second ]] || fail "written: $(ls "$OUT")"
	status 0 ambit rules --json
	says_not "$OUT"
	status 0 ambit log export --kind answer
	[[ $(jq -r .body.answer <<<"$out" | sort -u) == no ]] || fail "$out"
}
typed_on 'ay, any yes' 'send:?' 'wait:ambit> ' send:m 'wait:message: '
typed_on 'sas' send:a 'wait:always in ' 'wait:ambit> '
