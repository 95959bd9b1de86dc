#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A session makes terminals and uses them: by name, by TIOCGPTPEER, as /dev/tty, with
# sizes and job control; for any of its processes; in a run inside it, too.
. "${0%/*}/line.bash"

# own STEP... -- COMMAND...: somebody in the session at a terminal that the session made.
own() { held "${OWN_STATUS:-0}" "${OWN_OPTIONS[@]}" -- "${PERSON[@]}" "$@"; }
OWN_OPTIONS=()

everything() {
	own -s 33x101 'wait:size 33 101' size:20x70 'wait:size 20 70' wait:name=/dev/pts/ wait:through wait:out wait:err wait:named -- bash -c '
		trap resized=yes WINCH; echo "size $(stty size)"
		until [[ ${resized:-} ]]; do sleep 0.05; done; echo "size $(stty size)"
		echo "name=$(tty)"; echo through >/dev/tty; echo out >/dev/stdout; echo err >/dev/stderr
		echo named >"$(tty)"; [[ -t 0 && $(ps -o tty= -p $$) == pts/* ]]'
	# ^C, ^Z and fg do what they do on any terminal.
	own 'wait:own$ ' 'send:sh -c "echo be""gun; read x; echo got \\$x"\r' wait:begun send:^Z wait:Stopped 'wait:own$ ' \
		'send:jobs\r' wait:Stopped 'wait:own$ ' 'send:fg\r' 'send:typed\r' 'wait:got typed' 'wait:own$ ' \
		'send:sh -c "echo a""gain; exec sleep 1000"\r' wait:again send:^C 'wait:own$ ' 'send:exit 0\r' -- \
		env PS1='own$ ' HISTFILE= bash --norc --noprofile -i
}

everything
# Every way to open one, and its mode and times.
cat >ways.py <<'END'
import errno, fcntl, os, struct, subprocess

TIOCSPTLCK, TIOCGPTPEER = 0x40045431, 0x5441

def master(path="/dev/ptmx", lock=0):
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(fd, TIOCSPTLCK, struct.pack("i", lock))
    n = struct.unpack("i", fcntl.ioctl(fd, 0x80045430, b"\0\0\0\0"))[0]
    return fd, "/dev/pts/%d" % n

def heard(m, word):
    got = b""
    while not got.endswith(b"\n"):
        got += os.read(m, 100)
    assert got == word + b"\r\n", got

def joined(m, s, word):
    os.write(s, word + b"\n")
    heard(m, word)
    os.close(s)

def fails(error, f, *args):
    try:
        f(*args)
    except OSError as e:
        assert e.errno == error, e
    else:
        raise AssertionError("no error")

m, name = master()
for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDWR | os.O_NOCTTY, os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
    joined(m, os.open(name, flags), b"by name")
joined(m, fcntl.ioctl(m, TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY), b"peer")
os.symlink(name, "link")
joined(m, os.open("link", os.O_RDWR), b"by a link")
joined(m, os.open("/proc/self/root" + name, os.O_RDWR), b"by the root")
s = os.open(name, os.O_RDWR)
p = os.open(name, os.O_PATH)
joined(m, os.open("/proc/self/fd/%d" % s, os.O_RDWR), b"by descriptor")
joined(m, os.open("/dev/fd/%d" % p, os.O_RDWR), b"by path descriptor")
assert os.ttyname(s) == name
assert not os.get_inheritable(os.open(name, os.O_RDWR | os.O_CLOEXEC))
assert fcntl.fcntl(os.open(name, os.O_RDWR | os.O_NONBLOCK), fcntl.F_GETFL) & os.O_NONBLOCK
assert not fcntl.fcntl(s, fcntl.F_GETFL) & os.O_NONBLOCK
# Its mode and times; screen and others set them.
os.chmod(name, 0o640)
os.fchmod(s, 0o622)
os.utime(name, (1, 1))
os.chown(name, os.getuid(), -1)
assert os.stat(name).st_mode & 0o777 == 0o622 and os.stat(name).st_mtime == 1
# What fails without ambit fails as ever.
fails(errno.EEXIST, os.open, name, os.O_RDWR | os.O_CREAT | os.O_EXCL)
fails(errno.ENOTTY, fcntl.ioctl, os.open("/dev/null", os.O_RDWR), TIOCGPTPEER, os.O_RDWR)
locked, other = master(lock=1)
fails(errno.EIO, os.open, other, os.O_RDWR)
fails(errno.EIO, fcntl.ioctl, locked, TIOCGPTPEER, os.O_RDWR)
# Containers have it as a link, or with a mode that opens it.
if os.access("/dev/pts/ptmx", os.W_OK):
    n, name = master("/dev/pts/ptmx")
    joined(n, os.open(name, os.O_RDWR), b"pts/ptmx")
# A child that did not inherit the master, and one whose parents are gone.
m, name = master()
s = os.open(name, os.O_RDWR)
assert subprocess.call(["sh", "-c", "echo child >" + name]) == 0
heard(m, b"child")
assert subprocess.call(["sh", "-c", "(while kill -0 $$ 2>/dev/null; do :; done; echo orphan >%s) &" % name]) == 0
heard(m, b"orphan")
print("all ways")
END
status 0 "$PYTHON" ways.py
rm link
held 0 -- "$PYTHON" ways.py
says 'all ways'
rm -f link
# A run inside has its own.
if [[ ${AMBIT_WITHOUT:-} != pidfd_getfd ]]; then
	OWN_OPTIONS=(-- "$AMBIT" run)
	everything
	held 0 -- "$AMBIT" run -- "$PYTHON" ways.py
	says 'all ways'
	# A terminal that the outer command made is the inner one's by its descriptors.
	OWN_OPTIONS=()
	own wait:/dev/pts/ wait:out 'send:typed\r' 'wait:got typed' -- "$AMBIT" run -- bash -c 'tty; echo out >/dev/stdout; read -r x; echo got $x'
fi
