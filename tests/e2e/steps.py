#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""steps.py STEP...: one process that makes one system call after another.

Each step is CALL:ARGUMENT:... and prints itself and "ok", or the name of the error:

    create:F write:F append:F truncate:F unlink:F mkdir:F rmdir:F rename:A:B exchange:A:B
    link:A:B symlink:TEXT:F chmod:MODE:F utime:F tmpfile:DIR:F

Around another step: thread:STEP is made by another thread of this process, fork:STEP by a
child, again:STEP by this process after it has started this program anew, become:PROGRAM:STEP
after it has become that program, which is given the step as its arguments.

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


def take(step, rest):
    around, _, inner = step.partition(":")
    if around == "thread":
        thread = threading.Thread(target=make, args=(inner,))
        thread.start()
        thread.join()
    elif around == "fork":
        fork(inner)
    elif around == "again":
        os.execv(sys.executable, [sys.executable, "-B", __file__, inner] + rest)
    elif around == "become":
        program, *arguments = inner.split(":")
        os.execv(program, [program] + arguments)
    elif around == "wait":
        time.sleep(int(inner) / 1000)
    elif around == "race":
        race(*inner.split(":"))
    else:
        make(step)


for n, each in enumerate(sys.argv[1:], 2):
    take(each, sys.argv[n:])
