#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# In a pipeline, and with --no-pty, the command has the person's terminal as well: it can make
# that say things, as if they were typed, take what it likes of them, and leave a letter. A
# yes takes a word that only a person can read.
. "${0%/*}/line.bash"
export AMBIT PYTHON CALLS OUT

# Asks for a report that ends in y, and reads all of it but that.
cat >own.py <<'END'
import os, signal, sys, threading, time
for s in (signal.SIGTTIN, signal.SIGTTOU): signal.signal(s, signal.SIG_IGN)
tty = os.open("/dev/tty", os.O_RDWR)
taken = 0
def take():
    global taken
    while True:
        try: taken += len(os.read(tty, 7)) == 7
        except OSError: time.sleep(.02)
def attack():
    time.sleep(.5)
    threading.Thread(target=take, daemon=True).start()
    for _ in range(int(os.environ["TRIES"])):
        try: os.write(tty, b"\x1b[?1$p")
        except OSError: pass
        time.sleep(.05)
    os.write(tty, b"TAKEN-%d." % min(taken, 9))
    os._exit(0)
attacking = threading.Thread(target=attack)
attacking.start()
if len(sys.argv) > 1:
    try: open(sys.argv[1], "w").write("x")
    except OSError: pass
attacking.join()
END

# The letter is there for whoever reads the terminal.
cat >reader.py <<'END'
import os, subprocess, sys, threading, time, tty
tty.setraw(0)
p = subprocess.Popen([sys.executable, "own.py"], stdin=subprocess.DEVNULL)
def read():
    while True:
        if os.read(0, 64) == b"y":
            os.write(1, b"LONE-Y.")
            p.kill()
threading.Thread(target=read, daemon=True).start()
p.wait()
END
TRIES=2000 person -t 60 reports wait:LONE-Y. -- "$PYTHON" reader.py
export TRIES=40

for how in '"$AMBIT" run -- "$PYTHON" own.py "$OUT/own" | cat' '"$AMBIT" run --no-pty -- "$PYTHON" own.py "$OUT/own"'; do
	person -t 20 'wait:ambit  write' reports wait:TAKEN- -- bash -c "$how; true"
	[[ $out == *TAKEN-[1-9]* ]] || fail "it took nothing: there was no attack"
	[[ ! -e $OUT/own ]] || fail "it answered its own question: $how"
done
# A person can, by the same keys and the word; and what he sees is no open sequence of the command's.
person 'wait:ambit  write' 'wait:ambit> ' send:y word wait:ok -- \
	bash -c '"$AMBIT" run -- bash -c "printf \"\\033Pq\" >/dev/tty; exec \"$CALLS\" create \"$OUT/new\"" | cat'
[[ -e $OUT/new ]] || fail "not written"
person 'wait:ambit  write' 'wait:ambit> ' send:y 'wait:for a yes, type ' 'send:yyyy\r' 'wait:not the word' \
	'wait:ambit> ' send:n wait:EACCES -- bash -c '"$AMBIT" run -- "$CALLS" create "$OUT/other" | cat'
[[ ! -e $OUT/other ]] || fail "written without the word"
