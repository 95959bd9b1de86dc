#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A full disk is told as that. What a tool did not do is not there; and a command whose
# end the record has no room for has run, with all that it printed.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

mkdir "$TEST_DIR/full" small
if ! mount -t tmpfs -o size=200k tmpfs small 2>/dev/null; then
	skip "nothing can be mounted here"
fi
trap 'umount -l "$P/small" "$TEST_DIR/full" 2>/dev/null' EXIT
mount -t tmpfs -o size=600k,mode=700 tmpfs "$TEST_DIR/full"
head -c 400000 /dev/urandom >big
gzip -k big

PYTHONPATH=$HERE FULL=$TEST_DIR/full "$PYTHON" -B - <<'PY'
import os
from serve import *

client = Client()
patch = "*** Begin Patch\n*** Add File: small/new\n" + "+more of the same\n" * 20000 + "*** End Patch\n"
for tool, args in [("apply_patch", {"patch": patch}), ("write", {"file_path": "small/new", "content": "x" * 300000}),
                   ("extract", {"src": "big.gz", "dst": "small/new"})]:
    r = client.call(tool, **args)
    check(r["ok"] is False and "disk is full" in r["text"].lower() and "Report it" not in r["text"], tool, r)
    check(os.listdir("small") == [], tool, os.listdir("small"))
client.end()

# The state's disk fills while the command runs.
full = os.environ["FULL"]
client = Client(env={**os.environ, "XDG_STATE_HOME": full})
for method, more in [("execute", {"command": "cat pipe; echo made >made; echo said; exit 3"}),
                     ("call", {"tool": "bash", "args": {"command": "cat pipe; echo made >made; echo said; exit 3"}})]:
    os.path.exists("made") and os.unlink("made")
    os.path.exists("pipe") or os.mkfifo("pipe")
    id = client.start(method, **more)
    with open("pipe", "w"):  # it runs, and waits for us
        with open(full + "/fill", "wb", buffering=0) as fill:
            try:
                while True:
                    fill.write(b"x" * 512)
            except OSError:
                pass
    r = client.result(id)
    check(content("made") == "made\n", "it did not run")
    e = r["structured"] if method == "call" else r
    check(r["ok"] and (e["exit_code"], e["stdout"]) == (3, "said\n"), r)
    check("full" in e["unrecorded"], r)
    check(method == "execute" or "the command ran, but its end could not be recorded" in r["text"], r)
    os.unlink(full + "/fill")
client.end()
PY

# ambit run says so itself; what went well has not, without its record.
head -c 1000000 /dev/zero >"$TEST_DIR/fill" 2>/dev/null
for code in 0 3; do
	rm -f "$TEST_DIR/full/fill"
	mkfifo "$TEST_DIR/go"
	XDG_STATE_HOME=$TEST_DIR/full "$AMBIT" run --ask deny -- \
		bash -c "cat '$TEST_DIR/go'; echo said; exit $code" >"$TEST_DIR/.out" 2>"$TEST_DIR/.err" &
	run=$!
	exec 9>"$TEST_DIR/go"
	cat "$TEST_DIR/fill" >"$TEST_DIR/full/fill" 2>/dev/null || true
	exec 9>&-
	got=0
	wait "$run" || got=$?
	[[ $got -eq $((code == 0 ? 125 : code)) ]] || fail "exits with $got: $(cat "$TEST_DIR/.err")"
	grep -q said "$TEST_DIR/.out" || fail "what it printed is lost: $(cat "$TEST_DIR/.err")"
	grep -q "ended with $code, and that is not in the record" "$TEST_DIR/.err" || fail "$(cat "$TEST_DIR/.err")"
	rm "$TEST_DIR/go"
done
