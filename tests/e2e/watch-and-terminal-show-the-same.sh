#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A question about a full-screen program stands on its terminal and in ambit watch. The first
# answer ends it on both, and the program has its screen again.
. "${0%/*}/watch.bash"

cat >screen.py <<'END'
import os, select, signal, sys, termios, threading, tty
old = termios.tcgetattr(0)
tty.setraw(0)
def draw(*_):
    os.write(1, b"\x1b[2J\x1b[HFULL SCREEN")
signal.signal(signal.SIGWINCH, draw)
draw()
result = b""
def write(path):
    global result
    try:
        open(path, "w").write("x")
        result += b" WROTE"
    except OSError:
        result += b" REFUSED"
keys = b""
names = sys.argv[1:]
while True:
    r, _, _ = select.select([0], [], [], 0.05)
    if r:
        key = os.read(0, 100)
        if key == b"q": break
        if key == b"w": threading.Thread(target=write, args=(names.pop(0),)).start()
        else: keys += key
    os.write(1, b"\x1b[2;1HRESULT" + result + b"\x1b[3;1HKEYS " + keys)
termios.tcsetattr(0, termios.TCSANOW, old)
END

OUT2=$TEST_DIR/second OUT3=$TEST_DIR/third OUT4=$TEST_DIR/fourth
mkdir "$OUT2" "$OUT3" "$OUT4"
terminal p
watcher w
enter p "'$AMBIT' run --session full -- '$PYTHON' screen.py '$OUT/one' '$OUT2/two' '$OUT3/three' '$OUT4/four'"
sees p "FULL SCREEN"
sees w "1 session"
keys p w
asked w "write $OUT/one"
sees p "ambit  write $OUT/one"
keys w y
sees p "RESULT WROTE"
[[ $(cat "$OUT/one") == x ]] || fail "not written"
has p "FULL SCREEN"
keys p k
sees p "KEYS k"

# The watcher leaves while a question is open: it stays on the terminal.
keys p w
asked w "write $OUT2/two"
keys w q
sees p "ambit>"
[[ ! -e $OUT2/two ]] || fail "written when the watcher left"
keys p y
sees p "RESULT WROTE WROTE"
[[ $(cat "$OUT2/two") == x ]] || fail "not written"

# And one that comes while it stands there can answer it: then the program has its screen again.
keys p w
sees p "ambit  write $OUT3/three"
enter w "'$AMBIT' watch"
asked w "write $OUT3/three"
keys w n
sees p "FULL SCREEN"
sees p "RESULT WROTE WROTE REFUSED"
[[ ! -e $OUT3/three ]] || fail "written in spite of the no"

# One that was stopped does not watch.
keys w C-z
sees w Stopped
keys p w
sees p "ambit  write $OUT4/four"
enter w fg
asked w "write $OUT4/four"
keys w y
sees p "RESULT WROTE WROTE REFUSED WROTE"
[[ $(cat "$OUT4/four") == x ]] || fail "not written"
keys p q
