#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A question over a full-screen program: its output waits, it gets none of the
# keys, and afterwards it redraws.
. "${0%/*}/line.bash"

cat >screen.py <<'END'
import os, select, signal, sys, termios, threading, tty
old = termios.tcgetattr(0)
tty.setraw(0)
os.write(1, b"\x1b[?1049h")
drawn = 0
def draw(*_):
    global drawn
    drawn += 1
    os.write(1, b"\x1b[2J\x1b[HFRAME-%d." % drawn)
signal.signal(signal.SIGWINCH, draw)
draw()
result = None
def ask():
    global result
    try:
        open(sys.argv[1], "w").write("x")
        result = b"WROTE."
    except OSError:
        result = b"REFUSED."
threading.Thread(target=ask).start()
keys = b""
while not keys.endswith(b"q"):
    r, _, _ = select.select([0], [], [], 0.05)
    if r: keys += os.read(0, 100)
    # Said again and again: the call goes on and the screen is drawn again, in
    # either order.
    if result: os.write(1, result)
termios.tcsetattr(0, termios.TCSANOW, old)
os.write(1, b"\x1b[?1049lKEYS=%r\r\n" % keys)
END
person wait:FRAME- 'wait:ambit  write' 'wait:ambit> ' send:y wait:FRAME- wait:WROTE. send:aq \
	"wait:KEYS=b'aq'" -- "$AMBIT" run -- "$PYTHON" screen.py "$OUT/file"
[[ $(cat "$OUT/file") == x ]] || fail "not written"
