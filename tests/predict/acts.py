# SPDX-License-Identifier: Apache-2.0
# The system calls of tests/predict, one row for each kind of operation, and the program that makes
# them: bare, and inside `ambit run`. It is given to python as text, so it imports nothing of its own.
import ctypes
import errno
import json
import os
import select
import socket
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100


def call(number, *args):
    if number(*args) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def opened(path, flags, data=b""):
    fd = os.open(path, flags | os.O_NOCTTY, 0o666)
    try:
        if data and stat.S_ISREG(os.fstat(fd).st_mode):
            os.write(fd, data)
    finally:
        os.close(fd)


def removed(path):
    try:
        is_dir = stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        is_dir = False
    (os.rmdir if is_dir else os.unlink)(path)


def path_bytes(path):
    return ctypes.c_char_p(os.fsencode(path))


def set_mode(mode, path):
    call(libc.fchmodat, AT_FDCWD, path_bytes(path), int(mode, 8), 0)


def set_owner(path):
    call(libc.fchownat, AT_FDCWD, path_bytes(path), os.geteuid(), os.getegid(), 0)


def move(old, new):
    call(libc.renameat2, AT_FDCWD, path_bytes(old), AT_FDCWD, path_bytes(new), 0)


def link(old, new):
    call(libc.linkat, AT_FDCWD, path_bytes(old), AT_FDCWD, path_bytes(new), 0)


def addresses_of(host, port, kind):
    """As programs find them: each is tried, until one is there."""
    if host == "localhost":
        return [(found[0], found[4]) for found in socket.getaddrinfo(host, port, type=kind)]
    bare = host.strip("[]")
    return [(socket.AF_INET6 if ":" in bare else socket.AF_INET, (bare, port))]


def wait_for_answer(s):
    """Then the server has heard it. A server that is gone is one that answered nothing."""
    s.settimeout(100)
    if not s.recv(1):
        raise OSError(errno.EPIPE, "no answer")


def poll_connect(s, address):
    s.setblocking(False)
    error = s.connect_ex(address)
    if error == errno.EINPROGRESS:
        select.select([], [s], [], 100)
        error = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if error:
        raise OSError(error, "")


def reach_address(name, s, address, is_heard):
    with s:
        if name == "poll":
            poll_connect(s, address)
        elif name != "send":
            s.connect(address)
        if name == "send":
            s.sendto(b"x", address)
        elif name == "udp":
            s.send(b"x")
        if is_heard or s.type == socket.SOCK_STREAM:
            wait_for_answer(s)


def reach(name, host, port, is_heard):
    """A connect, or with `send` a datagram with an address."""
    kind = socket.SOCK_DGRAM if name in ("udp", "send") else socket.SOCK_STREAM
    errors = []
    for family, address in addresses_of(host, port, kind):
        try:
            reach_address(name, socket.socket(family, kind), address, is_heard)
            return
        except OSError as e:
            errors.append(e)
    # That one of them has no server says less than another error.
    raise max(errors, key=lambda e: e.errno != errno.ECONNREFUSED)


def reach_unix(kind, path):
    with socket.socket(socket.AF_UNIX, kind) as s:
        s.connect("\0" + path[1:] if path.startswith("@") else path)
        if kind == socket.SOCK_STREAM:
            wait_for_answer(s)
        else:
            s.send(b"x")


W, R = os.O_WRONLY, os.O_RDONLY

# name: what is done. Those that stand in SAME are the very calls that `why` is asked about.
ACTS = {
    "write": lambda p: opened(p, W | os.O_CREAT, b"written"),
    "read": lambda p: opened(p, R),
    "delete": removed,
    "mkdir": lambda p: os.mkdir(p, 0o777),
    "move": move,
    "link": link,
    "symlink": os.symlink,
    "chmod": set_mode,
    "create": lambda p: opened(p, W | os.O_CREAT | os.O_EXCL, b"created"),
    "append": lambda p: opened(p, W | os.O_APPEND, b"appended"),
    "empty": lambda p: opened(p, W | os.O_TRUNC),
    "truncate": lambda p: os.truncate(p, 2),
    "tmpfile": lambda p: opened(p, W | os.O_TMPFILE, b"nameless"),
    "mkfifo": lambda p: os.mkfifo(p, 0o600),
    "utime": lambda p: os.utime(p, (1000000000, 1000000000)),
    "chown": set_owner,
    "setxattr": lambda p: os.setxattr(p, b"user.ambit", b"x"),
    "tcp": lambda *words: reach("tcp", *words),
    "poll": lambda *words: reach("poll", *words),
    "udp": lambda *words: reach("udp", *words),
    "send": lambda *words: reach("send", *words),
    "unix": lambda p: reach_unix(socket.SOCK_STREAM, p),
    "unix-udp": lambda p: reach_unix(socket.SOCK_DGRAM, p),
}


def main():
    os.umask(0o022)
    for line in sys.stdin:
        words = json.loads(line)
        try:
            ACTS[words[0]](*words[1:])
            error = 0
        except OSError as e:
            error = e.errno
        print(error, flush=True)


if __name__ == "__main__":
    main()
