#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A refusal reaches the program's own stderr, the summary, the report, the exit
# status and the record; each can be had without the others.
. "${0%/*}/line.bash"

# On a pipe: one line per process and path, at once, whoever reads it.
held 0 -- bash -c '{ "$1" create "$2/a"; } 2>err | cat >outp; for i in 1 2 3; do "$1" create "$2/b" 2>>err; done; true' \
	_ "$CALLS" "$OUT"
[[ $(cat outp) == EACCES ]] || fail "$(cat outp)"
if [[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]]; then
	[[ $(grep -c "^ambit: .*$OUT/a" err) -eq 1 ]] || fail "not heard: $(cat err)"
	grep -q "outside" err || fail "no reason: $(cat err)"
	[[ $(grep -c "^ambit: .*$OUT/b" err) -eq 1 ]] || fail "of several processes: $(cat err)"
	held 0 -- bash -c 'for i in 1 2 3 4; do echo x >"$1/c"; done 2>err; true' _ "$OUT"
	[[ $(grep -c '^ambit: ' err) -eq 1 ]] || fail "said more than once: $(cat err)"
	# A file that was emptied since hears it again.
	held 0 -- bash -c 'for i in 1 2; do "$1" create "$2/c" 2>err; cat err; done >outp' _ "$CALLS" "$OUT"
	[[ $(grep -c '^ambit: ' outp) -eq 2 ]] || fail "not in each file: $(cat outp)"
fi
# Words that went to /dev/null were not heard: the next process hears them, though it is the same
# refusal a moment later. One that shares the pipe does not hear them again.
held 0 -- bash -c '{ "$1" create "$2/d" 2>/dev/null; "$1" create "$2/d"; "$1" create "$2/d"; true; } 2>&1 | cat' _ "$CALLS" "$OUT"
[[ $(grep -c "^ambit: write $OUT/d was refused (Outside): " <<<"$out") -eq 1 ]] || fail "after /dev/null: $out"

# A terminal of the session's own is read by a program, as agents do with their shell tool: it
# hears it, and not while something draws there.
cat >terminal.py <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = b''
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    out += data
os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
END
held 0 -- "$PYTHON" terminal.py bash -c '"$1" create "$2/e"; echo own words' _ "$CALLS" "$OUT"
[[ ! -e $OUT/e ]] || fail "made"
if [[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]]; then
	[[ $(grep -c "^ambit: write $OUT/e was refused (Outside): " <<<"$out") -eq 1 && $out == *"own words"* ]] || fail "on a terminal: $out"
fi
held 0 -- "$PYTHON" terminal.py bash -c 'stty -icanon -echo; "$1" create "$2/e"; echo own words' _ "$CALLS" "$OUT"
[[ $out != *ambit:* && $out == *"own words"* ]] || fail "drawn over: $out"

# The summary counts, and is short.
held 0 -- bash -c 'for i in 1 2 3; do "$1" create "$2/x"; done; for i in {1..30}; do "$1" create "$2/n$i"; done; true' \
	_ "$CALLS" "$OUT"
complains '31 things were refused'
complains '3 times'
[[ $(grep -vc "was refused (" <<<"$errout") -le 22 ]] || fail "too long: $errout"

# --quiet: nothing of ambit's on stderr.
held 1 --quiet -- "$CALLS" create "$OUT/q"
[[ -z $errout && $out == EACCES ]] || fail "said: $errout"
# --fail-on-refusal.
held 0 --quiet -- bash -c '"$1" create "$2/q"; true' _ "$CALLS" "$OUT"
held 1 --quiet --fail-on-refusal -- bash -c '"$1" create "$2/q"; true' _ "$CALLS" "$OUT"
held 5 --quiet --fail-on-refusal -- bash -c '"$1" create "$2/q"; exit 5' _ "$CALLS" "$OUT"
held 0 --fail-on-refusal -- true

# --report: whole, private, in place of what was there.
echo old >report.json
held 7 --quiet --session told --report report.json -- bash -c '"$1" create "$2/q"; "$1" create "$2/q"; echo in >in; exit 7' _ "$CALLS" "$OUT"
[[ $(stat -c %a report.json) == 600 ]] || fail "mode $(stat -c %a report.json)"
jq -e --arg q "$OUT/q" '.status == 7 and .session == "told" and .refused == 2 and .timed_out == false and .argv[0] == "bash"
	and (.refusals | length) == 1 and .refusals[0].subject == $q and .refusals[0].what == "write"
	and .refusals[0].program == "calls" and (.refusals[0].message | test("outside"))
	and .calls > 0 and .ended >= .started and (.programs | length) > 0' report.json >/dev/null || fail "$(cat report.json)"
held 124 --quiet --timeout 0.2 --report report.json -- sleep 100
jq -e '.status == 124 and .timed_out' report.json >/dev/null || fail "$(cat report.json)"
held 0 --quiet --report /dev/stdout -- true
jq -e '.status == 0' <<<"$out" >/dev/null || fail "$out"
# The command cannot lead the report astray.
echo precious >"$OUT/precious"
held 0 --quiet --report report.json -- bash -c 'ln -sf "$1/precious" report.json' _ "$OUT"
[[ $(cat "$OUT/precious") == precious && ! -L report.json ]] || fail "the report went elsewhere"
mkdir sub
held 0 --quiet --report sub/r.json -- bash -c 'mv sub sub2; ln -s "$1" sub' _ "$OUT"
[[ -e sub2/r.json && ! -e $OUT/r.json ]] || fail "the report went elsewhere"

# The record.
status 0 "$AMBIT" log --session told --json
jq -se --arg q "$OUT/q" 'map(select(.kind == "run")) | length == 1' <<<"$out" >/dev/null || fail "no run: $out"
jq -se 'map(select(.kind == "end")) | length == 1' <<<"$out" >/dev/null || fail "no end: $out"
grep -q "$OUT/q" <<<"$out" || fail "no refusal in the record"
status 0 "$AMBIT" log verify
