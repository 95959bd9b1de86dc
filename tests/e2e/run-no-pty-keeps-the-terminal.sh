#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --no-pty leaves the command on the terminal itself; questions still come.
. "${0%/*}/line.bash"

person wait:same -- bash -c 'real=$(tty); "$AMBIT" run --no-pty -- bash -c "[[ \$(tty) == $real ]] && echo same"'
person 'wait:ambit  write' 'wait:ambit> ' send:y word wait:ok -- "$AMBIT" run --no-pty -- "$CALLS" create "$OUT/new"
[[ -e $OUT/new ]] || fail "not written"
PERSON_STATUS=130 person wait:ready send:^C -- bash -c '"$AMBIT" run --no-pty -- bash -c "echo ready; exec sleep 1000"'
# Characters cannot be put into the terminal's input.
cat >inject.py <<'END'
import fcntl, termios, sys
try:
    for c in b"echo INJECTED\n": fcntl.ioctl(0, termios.TIOCSTI, bytes([c]))
    print("injected")
except OSError as e: print("refused", e.errno)
END
person wait:refused -- "$AMBIT" run --no-pty -- "$PYTHON" inject.py
# No terminal at all: nobody is asked, and the command runs.
status 1 setsid -w "$AMBIT" run -- "$CALLS" create "$OUT/none" </dev/null
says EACCES
status 125 setsid -w "$AMBIT" run --ask tty -- true </dev/null
complains terminal
