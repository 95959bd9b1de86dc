#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A descriptor that is watched (O_ASYNC) sends a signal to its owner: the foreground group of a
# terminal, or a process that was set. With Landlock's scoping (ABI 6) the kernel sends none out of
# the session; below it, and where a descriptor has an owner outside, watching is refused.
. "${0%/*}/line.bash"

# A victim outside, which notes each signal, and has every descriptor's data come after that.
cat >victim.py <<'END'
import fcntl, os, signal, socket, subprocess, sys

F_SETSIG, F_SETOWN = 10, 8
kind, *command = sys.argv[1:]
got = []
for sig in (signal.SIGIO, signal.SIGUSR1):
    signal.signal(sig, lambda s, frame: got.append(signal.Signals(s).name))
here, there = socket.socketpair()
fcntl.fcntl(there, F_SETOWN, os.getpid())
if kind == "watched":
    fcntl.fcntl(there, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    fcntl.fcntl(there, F_SETSIG, signal.SIGWINCH)
tty = kind == "terminal"
program = subprocess.Popen(command + ["terminal" if tty else kind], stdin=None if tty else there, stdout=subprocess.PIPE)
word = program.stdout.readline()
if tty:
    print("type", flush=True)
else:
    here.send(b"x")
program.stdout.readline() # it has seen the data
program.wait()
print("got", *sorted(set(got)), "end", flush=True)
os._exit(0) # a last signal finds the handlers
END
cat >watch.py <<'END'
import fcntl, os, select, signal, struct, sys

F_SETSIG, F_SETOWN, F_SETOWN_EX, FIOASYNC, FIOSETOWN, SIOCSPGRP = 10, 8, 15, 0x5452, 0x8901, 0x8902
signal.signal(signal.SIGIO, signal.SIG_IGN)
outer = os.getppid()

def tries(f, *args):
    try:
        f(*args)
    except OSError as e:
        print("refused", e.errno, file=sys.stderr)

if sys.argv[1] == "watched":
    tries(fcntl.fcntl, 0, F_SETSIG, signal.SIGUSR1)
else:
    tries(fcntl.fcntl, 0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    tries(fcntl.ioctl, 0, FIOASYNC, struct.pack("i", 1))
print("set", flush=True)
select.select([0], [], [])
print("seen", flush=True)
# What is no watching works as ever.
a, b = os.pipe()
fcntl.fcntl(a, fcntl.F_SETFL, os.O_NONBLOCK)
assert fcntl.fcntl(a, fcntl.F_GETFL) & os.O_NONBLOCK
fcntl.ioctl(a, 0x5421, struct.pack("i", 0))
END

victim() { status 0 "$PYTHON" victim.py "$@"; }
at_terminal() { person wait:type 'send:x\r' 'wait:end' -- "$PYTHON" victim.py terminal "$@"; }

# Without ambit each of them signals.
victim plain "$PYTHON" watch.py
says 'got SIGIO end'
victim watched "$PYTHON" watch.py
says 'got SIGUSR1 end'
at_terminal "$PYTHON" watch.py
says 'got SIGIO end'
for abi in 5 2 ''; do
	run=("$AMBIT" run --quiet --ask deny ${abi:+--landlock "$abi"})
	victim plain "${run[@]}" -- "$PYTHON" watch.py
	says 'got end'
	victim watched "${run[@]}" -- "$PYTHON" watch.py
	says_not SIGUSR1
	at_terminal "${run[@]}" --no-pty -- "$PYTHON" watch.py
	says 'got end'
done
