# SPDX-License-Identifier: Apache-2.0
# The system calls of tests/predict, one row for each kind of operation, and the program that makes
# them: bare, and inside `ambit run`. It is given to python as text, so it imports nothing of its own.
import ctypes
import json
import os
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
