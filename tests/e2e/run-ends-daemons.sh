#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program that makes a daemon of itself stays behind the line, and ends with
# the command; while the command runs, it can be used.
. "${0%/*}/line.bash"

cat >daemon.py <<'END'
import os, socket, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
s = socket.socket(socket.AF_UNIX)
s.bind("daemon.sock"); s.listen(1)
open("daemon.pid", "w").write(str(os.getpid()))
while True:
    c, _ = s.accept()
    try: open(sys.argv[1], "w"); c.send(b"wrote")
    except OSError as e: c.send(os.strerror(e.errno).encode())
    c.close()
END
cat >ask.py <<'END'
import socket
s = socket.socket(socket.AF_UNIX); s.connect("daemon.sock"); print(s.recv(100).decode())
END
held 0 -- bash -c '"$1" daemon.py "$2"; until [[ -s daemon.pid ]]; do sleep 0.02; done; "$1" ask.py' \
	_ "$PYTHON" "$OUT/by-daemon"
says 'Permission denied'
[[ ! -e $OUT/by-daemon ]] || fail "the daemon wrote outside"
gone "$(cat daemon.pid)" || fail "the daemon still runs"
