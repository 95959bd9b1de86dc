# SPDX-License-Identifier: Apache-2.0
# messages.py inside KIND CALLS PATH: behind the line. Runs `CALLS create PATH`, which is
#   refused, with a socket of that kind as its standard error, then writes "own words" there,
#   and prints all that comes out at the other end.
# messages.py outside KIND COMMAND...: starts the command with one end of a socket among its
#   descriptors 0-2, and prints all that comes out at the other end, which stays out here.
import os, socket, subprocess, sys, tempfile

END = b"own words\n"


def read_all(end):
    text = b""
    while END not in text:
        more = end.recv(65536)
        if not more:
            break
        text += more
    # Behind that, ambit's summary may have come.
    before, words, _ = text.partition(END)
    sys.stdout.write((before + words).decode())
    sys.stdout.flush()


def drain(end):
    while end.recv(65536):
        pass


def refused(calls, path, stderr, stdin=subprocess.DEVNULL):
    made = subprocess.run([calls, "create", path], stdin=stdin, stderr=stderr, stdout=subprocess.PIPE)
    if made.stdout != b"EACCES\n":
        sys.exit("not refused: %r" % made.stdout)


def fill(sock):
    sock.setblocking(False)
    size = 65536
    while size:
        try:
            sock.send(b"x" * size)
        except BlockingIOError:
            size //= 2
    sock.setblocking(True)


def inside(kind, calls, path):
    type = {"seqpacket": socket.SOCK_SEQPACKET, "datagram": socket.SOCK_DGRAM}.get(kind, socket.SOCK_STREAM)
    here, there = socket.socketpair(socket.AF_UNIX, type)
    if kind == "named":  # a server of the session's own, and its protocol
        server = socket.socket(socket.AF_UNIX)
        server.bind("server.sock")
        server.listen()
        there = socket.socket(socket.AF_UNIX)
        there.connect("server.sock")
        here = server.accept()[0]
    if kind == "passed":  # to whoever has the other end of standard input
        with socket.socket(fileno=os.dup(0)) as out:
            socket.send_fds(out, [b"!"], [here.fileno()])
        here.close()
    if kind == "full":
        fill(there)
        refused(calls, path, there)
        print("went on")
        return
    if kind == "input":
        refused(calls, path, there, there)
    elif kind == "shell":  # a grandchild
        subprocess.run(["sh", "-c", '"$0" create "$1" 3>&1 >/dev/null', calls, path],
                       stdin=subprocess.DEVNULL, stderr=there)
    elif kind == "nested":
        subprocess.run([os.environ["AMBIT"], "run", "--", calls, "create", path],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=there)
    else:
        refused(calls, path, there)
    there.sendall(END)
    if kind != "passed":
        read_all(here)


def outside(kind, command):
    if kind == "passed":
        here, there = socket.socketpair()
        child = subprocess.Popen(command, stdin=there)
        there.close()
        fds = socket.recv_fds(here, 1, 1)[1]
        with socket.socket(fileno=fds[0]) as end:
            read_all(end)
            drain(end)
        sys.exit(child.wait())
    if kind == "named" or kind == "tcp":
        family = socket.AF_UNIX if kind == "named" else socket.AF_INET
        server = socket.socket(family)
        with tempfile.TemporaryDirectory() as folder:
            server.bind(folder + "/daemon.sock" if kind == "named" else ("127.0.0.1", 0))
            server.listen()
            there = socket.socket(family)
            there.connect(server.getsockname())
            here = server.accept()[0]
    else:
        here, there = socket.socketpair()
    # A shell behind the line turns its standard output into standard error.
    streams = {"stderr": dict(stderr=there), "all": dict(stdin=there, stdout=there, stderr=there)}
    child = subprocess.Popen(command, **{"stdin": subprocess.DEVNULL, **streams.get(kind, dict(stdout=there))})
    there.close()
    read_all(here)
    drain(here)
    sys.exit(child.wait())


if sys.argv[1] == "inside":
    inside(*sys.argv[2:])
else:
    outside(sys.argv[2], sys.argv[3:])
