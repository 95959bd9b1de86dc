#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a server gives along when it starts `ambit run` for a command: a socket whose
# other end answers, a leash, a descriptor for the report, limits. None of it is the
# command's, and none of it works from inside another run.
. "${0%/*}/line.bash"

# -- the report, by descriptor: the command does not have it ------------------------------
"$AMBIT" run --ask deny --report /dev/fd/7 -- sh -c 'ls /proc/self/fd | wc -l >fds; echo x >&7' \
	7>"$TEST_DIR/report" 2>/dev/null && fail "the command had descriptor 7"
[[ $(cat fds) -eq 4 ]] || fail "the command had $(cat fds) descriptors" # with the directory
[[ $(jq -r .argv[0] "$TEST_DIR/report") == sh ]] || fail "no report: $(cat "$TEST_DIR/report")"

# -- limits are the command's --------------------------------------------------------------
line --limit file-size=1000 --limit cpu=7 -- sh -c 'ulimit -t >t; head -c 5000 /dev/zero >big' 2>/dev/null || true
[[ $(cat t) == 7 && $(stat -c %s big) -eq 1000 ]] || fail "t $(cat t), big $(stat -c %s big)"
ambit log --json --last 1 | jq -e . >/dev/null || fail "the record was not written"
held 2 --limit cpu=0 -- true
held 2 --limit disk=7 -- true
held 2 --limit cpu=7x -- true
held 2 --limit memory=5000000T -- true
line --limit file-size=2K -- sh -c 'head -c 5000 /dev/zero >big' 2>/dev/null || true
[[ $(stat -c %s big) -eq 2048 ]] || fail "big $(stat -c %s big)"
for limit in memory=1073741824 file-size=20000 memory=20000M cpu=20000; do
	"$AMBIT" mcp --limit "$limit" --folder "$P" </dev/null || fail "mcp --limit $limit"
done
# A number of processes holds, or is refused.
if [[ $EUID -eq 0 ]]; then
	held 2 --limit processes=20 -- true
	status 2 "$AMBIT" mcp --limit processes=20 --folder "$P" </dev/null
	complains "root"
else
	# This user has more than one already: no further one can be started.
	line -- bash -c '(:) && echo >forked' 2>/dev/null || true
	[[ -e forked ]] || fail "nothing can be started without a limit either"
	rm forked
	line --limit processes=1 -- bash -c '(:) && echo >forked' 2>/dev/null || true
	[[ ! -e forked ]] || fail "one was started"
fi

# -- the leash: when nobody holds its other end, the tree ends --------------------------------
mkfifo "$TEST_DIR/leash"
"$AMBIT" run --ask deny --leash 8 --report "$TEST_DIR/report" -- \
	bash -c 'trap "" TERM; echo $$ >pid; while :; do sleep 1; done' 8<>"$TEST_DIR/leash" &
run=$!
eventually test -s pid
kill -0 "$(cat pid)" || fail "it does not run"
echo >"$TEST_DIR/leash" # readable: the same as closed
wait "$run" && fail "it ended well"
eventually gone "$(cat pid)"
[[ $(jq .status "$TEST_DIR/report") -ge 128 ]] || fail "$(cat "$TEST_DIR/report")"

# -- who answers must be a socket -----------------------------------------------------------
status 125 "$AMBIT" run --ask-fd 9 -- touch ran 9</dev/null
complains "no socket"
status 2 "$AMBIT" run --ask-fd 1 -- touch ran
status 125 "$AMBIT" run --ask-fd 77 -- touch ran
[[ ! -e ran ]] || fail "it ran"

# -- inside another run: limits narrow, descriptors mean nothing ------------------------------
echo kept >"$OUT/kept"
"$PYTHON" - "$AMBIT" "$OUT/kept" <<'END' || fail "a run inside asked its own client"
import socket, subprocess, sys
ambit, kept = sys.argv[1:]
# The command answers itself, if anybody asks.
inside = """
import socket, subprocess, sys
ours, theirs = socket.socketpair()
p = subprocess.Popen([sys.argv[1], "run", "--limit", "cpu=5", "--ask-fd", str(theirs.fileno()),
    "--leash", str(theirs.fileno()), "--", "sh", "-c", "ulimit -t; echo changed >" + sys.argv[2]],
    pass_fds=[theirs.fileno()], stdout=subprocess.PIPE)
theirs.close()
asked = ours.recv(100)
out = p.communicate()[0]
sys.exit(0 if out == b"5\\n" and not asked else 1)
"""
sys.exit(subprocess.call([ambit, "run", "--ask", "deny", "--quiet", "--", sys.executable, "-B", "-c", inside, ambit, kept]))
END
[[ $(cat "$OUT/kept") == kept ]] || fail "changed from inside"
