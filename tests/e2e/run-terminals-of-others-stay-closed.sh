#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A session opens no terminal that it did not make: not one of another session, of the run
# around it or of a run inside it, nor the one that ambit made for another command.
. "${0%/*}/line.bash"

# holder FILE: makes a terminal, types a line there, writes its name to FILE, prints what is
# heard there.
cat >holder.py <<'END'
import fcntl, os, select, struct, subprocess, sys, termios

TIOCSPTLCK, TIOCGPTN = 0x40045431, 0x80045430
m = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
fcntl.ioctl(m, TIOCSPTLCK, struct.pack("i", 0))
name = "/dev/pts/%d" % struct.unpack("i", fcntl.ioctl(m, TIOCGPTN, b"\0\0\0\0"))[0]
s = os.open(name, os.O_RDWR | os.O_NOCTTY)
modes = termios.tcgetattr(s)
modes[3] &= ~termios.ECHO
termios.tcsetattr(s, termios.TCSANOW, modes)
os.write(m, b"typed\n")
select.select([s], [], [])
with open(sys.argv[1] + ".new", "w") as f:
    f.write(name + "\n")
os.rename(sys.argv[1] + ".new", sys.argv[1])
heard = b""
# The command, if there is one, has the name as its argument; else until "end" is heard.
if len(sys.argv) > 2:
    subprocess.call(sys.argv[2:] + [name])
    os.write(s, b"end\n")
while b"end" not in heard:
    heard += os.read(m, 1000)
print("heard " + heard.decode().replace("\r\n", " "))
END
# Every kind of open, and the mode: whatever works is heard, and the typed line is read.
cat >try.sh <<'END'
echo FORGED-by-name >"$1"
exec 3<>"$1" && echo FORGED-both >&3
ln -sf "$1" link && echo FORGED-by-link >link
if read -r x <"$1"; then echo READ "$x"; elif read -r x <&3; then echo READ-both "$x"; fi
chmod 604 "$1"
exit 0
END
chmod 755 try.sh

# Without ambit it works.
status 0 "$PYTHON" holder.py name bash try.sh
says 'READ typed'
says 'heard FORGED-by-name FORGED-both FORGED-by-link end'
# In one session, too, but that no terminal is opened for reading alone (doc/run.md).
held 0 -- "$PYTHON" holder.py name bash try.sh
says 'READ-both typed'
says 'heard FORGED-by-name FORGED-both FORGED-by-link end'

# Another session's, which is held meanwhile.
rm -f name
"$AMBIT" run --ask deny -- "$PYTHON" holder.py name >"$TEST_DIR/heard" 2>&1 &
servers+=($!)
other=$!
eventually test -s name
terminal=$(cat name)
mode=$(stat -c %a "$terminal")
held 0 -- bash try.sh "$terminal"
says_not READ
[[ $(stat -c %a "$terminal") == "$mode" ]] || fail "the mode of another's terminal was changed"
# The line is still there, and could have been read.
read -r typed <"$terminal"
[[ $typed == typed ]] || fail "typed, but gone: $typed"
echo end >"$terminal"
wait "$other" || fail "the other session: $(cat "$TEST_DIR/heard")"
[[ $(cat "$TEST_DIR/heard") == 'heard end ' ]] || fail "another session's terminal: $(cat "$TEST_DIR/heard")"

# The terminal that ambit made for another command.
rm -f name
person wait:ready "until:test -s $P/name" 'send:typed\r' "do:cd '$P' && '$AMBIT' run --ask deny --quiet -- bash try.sh \$(cat name)" \
	'do:echo shown >$(cat name)' wait:shown never:FORGED 'do:touch stop' 'wait:kept typed' -- \
	"$AMBIT" run -- bash -c 'stty -echo; echo ready; tty >name.new; mv name.new name
		until [[ -e stop ]]; do sleep 0.05; done; read -r x; echo "kept $x"'
rm stop

# A run inside and the run around it.
if [[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]]; then
	held 0 -- "$PYTHON" holder.py name "$AMBIT" run --quiet -- bash try.sh
	says_not READ
	says 'heard end'
	rm -f name
	held 0 -- bash -c '"$AMBIT" run --quiet -- "$1" holder.py name bash -c "until [[ -e stop ]]; do sleep 0.05; done" &
		inside=$!; until [[ -s name ]]; do sleep 0.05; done
		bash try.sh "$(cat name)"; touch stop; wait $inside' _ "$PYTHON"
	says_not READ
	says 'heard end'
fi

# A master that somebody outside passes in, after the session had a terminal of the same number
# and closed it. The socket is its standard input.
cat >giver.py <<'END'
import array, fcntl, os, select, socket, struct, subprocess, sys

TIOCSPTLCK, TIOCGPTN = 0x40045431, 0x80045430

# A terminal of that number, or None: somebody else was faster.
def make(wanted):
    others = []
    while True:
        m = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
        n = struct.unpack("i", fcntl.ioctl(m, TIOCGPTN, b"\0\0\0\0"))[0]
        if n < wanted:
            others.append(m)
            continue
        for other in others:
            os.close(other)
        if n == wanted:
            fcntl.ioctl(m, TIOCSPTLCK, struct.pack("i", 0))
            return m
        os.close(m)
        return None

here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
program = subprocess.Popen(sys.argv[1:], stdin=there)
there.close()
heard, given = b"", 0
while word := here.recv(100):
    m = make(int(word))
    if m is None:
        here.send(b"taken")
        continue
    s = os.open("/dev/pts/%d" % int(word), os.O_RDWR | os.O_NOCTTY)
    given += 1
    here.sendmsg([b"given"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [m]))])
    here.recv(100)
    here.send(b"seen")
    os.write(s, b"end\n")
    while not heard.endswith(b"end\r\n"):
        heard += os.read(m, 1000)
    os.close(s)
    os.close(m)
program.wait()
print("given %s, heard %s" % ("some" if given else "none", heard.decode().replace("\r\n", " ")))
END
cat >receiver.py <<'END'
import array, fcntl, os, socket, struct

TIOCGPTN, TIOCGPTPEER = 0x80045430, 0x5441
s = socket.socket(fileno=0)

def forge(name, f, *args):
    try:
        fd = f(*args)
    except OSError:
        return
    os.write(fd, b"FORGED-%s\n" % name)
    os.close(fd)

# tries: others on the machine make terminals, too.
for i in range(200):
    own = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    n = struct.unpack("i", fcntl.ioctl(own, TIOCGPTN, b"\0\0\0\0"))[0]
    os.close(own)
    s.send(b"%d" % n)
    word, control, flags, address = s.recvmsg(100, 1000)
    if word != b"given":
        continue
    m = array.array("i", control[0][2])[0]
    forge(b"by-name", os.open, "/dev/pts/%d" % n, os.O_RDWR | os.O_NOCTTY)
    forge(b"peer", fcntl.ioctl, m, TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY)
    s.send(b"tried")
    s.recv(100)
    break
END
status 0 "$PYTHON" giver.py "$PYTHON" receiver.py
says 'given some, heard FORGED-by-name FORGED-peer end'
status 0 "$PYTHON" giver.py "$AMBIT" run --quiet --ask deny -- "$PYTHON" receiver.py
says 'given some, heard end'
