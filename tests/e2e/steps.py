#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steps.py STEP...: one process that makes one system call after another.

Each step is CALL:ARGUMENT:... and prints itself and "ok", or the name of the error:

    create:F write:F append:F truncate:F unlink:F mkdir:F rmdir:F rename:A:B exchange:A:B
    link:A:B symlink:TEXT:F chmod:MODE:F utime:F tmpfile:DIR:F
    fchmod:MODE:F            by a descriptor that is open for writing
    fchmodat2:MODE:F         the same, with AT_EMPTY_PATH
    open:MODE:F mknod:MODE:F a new file with that mode
    tmpmode:MODE:DIR         a new file without a name, with that mode

Around another step: thread:STEP is made by another thread of this process, fork:STEP by a
child, again:STEP by this process after it has started this program anew, with arguments and an
environment of the same length, become:PROGRAM:STEP after it has become that program, which is
given the step as its arguments.

    wait:MS                  lets that time pass
    race:A:B:C:D             two threads rename A to B and C to D at the same time
"""
import ctypes
import errno
import os
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)


def open_close(path, flags, text=b""):
    fd = os.open(path, flags, 0o644)
    if text:
        os.write(fd, text)
    os.close(fd)


def exchange(a, b):
    if LIBC.renameat2(-100, a.encode(), -100, b.encode(), 2) != 0:
        raise OSError(ctypes.get_errno(), "exchange")


def tmpfile(directory, path):
    fd = os.open(directory, os.O_TMPFILE | os.O_WRONLY, 0o644)
    os.write(fd, b"made\n")
    if LIBC.linkat(-100, b"/proc/self/fd/%d" % fd, -100, path.encode(), 0x400) != 0:
        raise OSError(ctypes.get_errno(), "linkat")
    os.close(fd)


def open_mode(path, mode):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, int(mode, 8)))


def tmpfile_mode(directory, mode):
    os.close(os.open(directory, os.O_TMPFILE | os.O_WRONLY, int(mode, 8)))


def fchmod(path, mode, empty):
    fd = os.open(path, os.O_WRONLY)
    try:
        if not empty:
            os.fchmod(fd, int(mode, 8))
        elif LIBC.syscall(452, fd, b"", int(mode, 8), 0x1000) != 0:
            raise OSError(ctypes.get_errno(), "fchmodat2")
    finally:
        os.close(fd)


CALLS = {
    "create": lambda f: open_close(f, os.O_WRONLY | os.O_CREAT | os.O_EXCL, b"made\n"),
    "write": lambda f: open_close(f, os.O_WRONLY, b"changed\n"),
    "append": lambda f: open_close(f, os.O_WRONLY | os.O_APPEND, b"more\n"),
    "truncate": lambda f: os.truncate(f, 0),
    "unlink": os.unlink,
    "mkdir": os.mkdir,
    "rmdir": os.rmdir,
    "rename": os.rename,
    "exchange": exchange,
    "link": os.link,
    "symlink": os.symlink,
    "chmod": lambda mode, f: os.chmod(f, int(mode, 8)),
    "fchmod": lambda mode, f: fchmod(f, mode, False),
    "fchmodat2": lambda mode, f: fchmod(f, mode, True),
    "open": lambda mode, f: open_mode(f, mode),
    "mknod": lambda mode, f: os.mknod(f, int(mode, 8)),
    "tmpmode": lambda mode, d: tmpfile_mode(d, mode),
    "utime": os.utime,
    "tmpfile": tmpfile,
}


def say(step, result):
    os.write(1, ("%s %s\n" % (step, result)).encode())


def make(step):
    name, *arguments = step.split(":")
    try:
        CALLS[name](*arguments)
        say(step, "ok")
    except OSError as error:
        say(step, errno.errorcode[error.errno])


def race(a, b, c, d):
    start = threading.Barrier(2)

    def rename(old, new):
        start.wait()
        make("rename:%s:%s" % (old, new))

    threads = [threading.Thread(target=rename, args=pair) for pair in ((a, b), (c, d))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fork(step):
    pid = os.fork()
    if pid == 0:
        make(step)
        os._exit(0)
    os.waitpid(pid, 0)


def start_at(n):
    """Starts this program anew at step n; the arguments stay, and the environment's length."""
    os.environ["STEPS_AT"] = "%03d" % n
    os.execv(sys.executable, [sys.executable, "-B"] + sys.argv)


def take(n, step):
    around, _, inner = step.partition(":")
    if around == "thread":
        thread = threading.Thread(target=make, args=(inner,))
        thread.start()
        thread.join()
    elif around == "fork":
        fork(inner)
    elif around == "again":
        start_at(n)
    elif around == "become":
        program, *arguments = inner.split(":")
        os.execv(program, [program] + arguments)
    elif around == "wait":
        time.sleep(int(inner) / 1000)
    elif around == "race":
        race(*inner.split(":"))
    else:
        make(step)


if "STEPS_AT" not in os.environ:
    start_at(1)
first = int(os.environ["STEPS_AT"])
for number, each in enumerate(sys.argv):
    if number == first and each.startswith("again:"):
        make(each[len("again:"):])
    elif number >= first:
        take(number, each)
