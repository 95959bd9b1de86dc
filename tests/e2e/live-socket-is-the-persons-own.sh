#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A command behind the line does not reach the socket of its session or of another: not by
# its path, whatever the network mode, not from a run inside, and not if it were let in. It
# cannot put one of its own there, nor answer its own question. The directory must be the
# person's alone; long paths work; what the dead left is removed.
. "${0%/*}/line.bash"
export AMBIT OUT PYTHONPATH=$HERE
LIVE=$XDG_RUNTIME_DIR/ambit/live
# Says hello to each socket there is, watches, and answers whatever is asked.
cat >reach.py <<'END'
import os, socket, sys
live = sys.argv[1]
try:
    names = os.listdir(live)
except OSError as e:
    sys.exit("no list: %s" % e)
for name in names:
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(5)
    try:
        how = sys.argv[2]
        if how == "path":
            s.connect(live + "/" + name)
        elif how == "fd":
            d = os.open(live, os.O_PATH)
            s.connect("/proc/self/fd/%d/%s" % (d, name))
        elif how == "cd":
            os.chdir(live)
            s.connect(name)
        elif how == "link":
            os.symlink(live + "/" + name, "way")
            s.connect("way")
        s.sendall(b'{"jsonrpc":"2.0","id":1,"method":"hello"}\n')
        print("reached", s.makefile().readline(), flush=True)
    except OSError as e:
        print("held", e, flush=True)
    finally:
        if os.path.islink("way"): os.unlink("way")
END
"$PYTHON" -B - <<'PY' &
from live import *
run = Run("--session", "other", "--", *SHELL)
eventually(lambda: os.path.exists(os.environ["OUT"] + "/done"), "done")
run.process.kill()
PY
keep=$!
servers+=("$keep")
there() { ls "$LIVE"/*-* >/dev/null; }
eventually there

# Without a line it works.
status 0 "$PYTHON" reach.py "$LIVE" path
says '"session":"other"'
for how in path fd cd link; do
	for net in ask open; do
		status 0 "$AMBIT" run --ask allow --net "$net" --quiet -- "$PYTHON" reach.py "$LIVE" "$how"
		says_not reached
		says held
		status 0 "$AMBIT" run --ask allow --net "$net" --quiet -- \
			"$AMBIT" run --net "$net" --quiet -- "$PYTHON" reach.py "$LIVE" "$how"
		says_not reached
	done
done
# Behind a line that knows nothing of this directory it may connect, and is not served:
# the door sees what stands above it.
mkdir -m 700 "$TEST_DIR/run2"
for outer in "$AMBIT run --ask allow --quiet --" "$AMBIT run --ask allow --quiet -- $AMBIT run --ask allow --quiet --"; do
	# shellcheck disable=SC2086 # several words
	status 0 env XDG_RUNTIME_DIR="$TEST_DIR/run2" $outer "$PYTHON" reach.py "$LIVE" path
	says "behind the line of ambit is not served"
	says_not '"result"'
done

# It cannot make one there, nor move one there.
cat >plant.py <<'END'
import os, socket, sys
live = sys.argv[1]
for how in ("bind", "rename", "link", "symlink", "mkdir"):
    name = live + "/4242-abcdef"
    try:
        if how == "bind":
            socket.socket(socket.AF_UNIX).bind(name)
        elif how == "rename":
            socket.socket(socket.AF_UNIX).bind("mine"); os.rename("mine", name)
        elif how == "link":
            os.link("mine", name)
        elif how == "symlink":
            os.symlink(os.path.abspath("mine"), name)
        else:
            os.rename(live, live + "-away")
        print("planted", how)
    except OSError as e:
        print("held", how)
    for path in (name,):
        if os.path.lexists(path): os.unlink(path)
if os.path.lexists("mine"): os.unlink("mine")
END
cp -a "$XDG_RUNTIME_DIR/ambit" "$TEST_DIR/copy" 2>/dev/null || mkdir -p "$TEST_DIR/copy/live"
status 0 "$PYTHON" plant.py "$TEST_DIR/copy/live"
says "planted bind"
says "planted rename"
before=$(ls "$LIVE")
status 0 "$AMBIT" run --ask allow --quiet -- "$PYTHON" plant.py "$LIVE"
says_not planted
[[ $(ls "$LIVE") == "$before" ]] || fail "something came: $(ls "$LIVE")"
touch "$OUT/done"
wait "$keep"

# Its own question: asked elsewhere, answered by nobody in the tree.
rm -f "$OUT/done"
cat >own.py <<'END'
import json, os, socket, sys, threading, time
live, target = sys.argv[1:3]
def answer():
    for _ in range(50):
        for name in os.listdir(live):
            try:
                s = socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect(live + "/" + name)
                f = s.makefile("rw")
                f.write('{"jsonrpc":"2.0","id":1,"method":"watch"}\n'); f.flush()
                for line in f:
                    m = json.loads(line)
                    if m.get("method") == "question":
                        f.write(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "answer",
                            "params": {"id": m["params"]["id"], "answer": "once"}}) + "\n"); f.flush()
            except OSError:
                pass
        time.sleep(0.02)
threading.Thread(target=answer, daemon=True).start()
try:
    open(target, "w").write("x"); print("wrote")
except OSError:
    print("refused")
END
status 0 "$AMBIT" run --quiet -- "$PYTHON" own.py "$LIVE" "$OUT/own"
says refused
[[ ! -e $OUT/own ]] || fail "it answered its own question"
status 0 "$AMBIT" run --quiet -- "$AMBIT" run --quiet -- "$PYTHON" own.py "$LIVE" "$OUT/own"
[[ ! -e $OUT/own ]] || fail "it answered its own question from a run inside"

# The directory: the person's own, or the run goes on without.
[[ $(stat -c %a "$LIVE") == 700 ]] || fail "mode $(stat -c %a "$LIVE")"
chmod 770 "$LIVE"
status 0 "$AMBIT" run --ask deny -- sh -c 'echo ran'
says ran
complains "could not be seen or steered"
complains "chmod 700"
status 0 "$AMBIT" run --ask deny --quiet -- true
[[ -z $errout ]] || fail "$errout"
chmod 700 "$LIVE"
mv "$LIVE" "$TEST_DIR/elsewhere"
ln -s "$TEST_DIR/elsewhere" "$LIVE"
status 0 "$AMBIT" run --ask deny -- true
complains "could not be seen or steered"
rm "$LIVE"

# However long its path is; and where there is no runtime directory.
long=$TEST_DIR/$(printf 'long-%.0s' {1..40})/$(printf 'deep-%.0s' {1..40})
mkdir -p "$long"
chmod 700 "$long"
for place in "XDG_RUNTIME_DIR=$long" "-uXDG_RUNTIME_DIR"; do
	env "$place" "$AMBIT" run --session "at-${#place}" -- sh -c "touch in; while [ ! -e '$P/out' ]; do sleep 0.05; done" &
	eventually test -e in
	status 0 env "$place" "$AMBIT" sessions --live
	says "at-${#place} "
	says "run $!"
	touch out
	wait "$!"
	rm -f in out
done
[[ $(stat -c %a "$STATE/live") == 700 ]] || fail "mode of $STATE/live"
# Where the person's others are looked for no command puts one, whatever its own run was told.
status 11 env -u XDG_RUNTIME_DIR "$AMBIT" why write "/run/user/$(id -u)/ambit/live/$$-abcdef"
says Protected

# What the dead left behind goes when somebody looks; what is no socket's name stays.
"$AMBIT" run --session killed -- sh -c 'touch in; exec sleep 60' &
eventually test -e in
kill -9 "$!"
wait "$!" 2>/dev/null || true
[[ -n $(ls "$LIVE") ]] || fail "nothing was left"
touch "$LIVE/notes"
status 0 "$AMBIT" sessions --live
says_not killed
[[ $(ls "$LIVE") == notes ]] || fail "left: $(ls "$LIVE")"
