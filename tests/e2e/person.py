#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""person.py [OPTION...] STEP... -- COMMAND...: a person at a terminal.

Starts COMMAND on a terminal of its own and takes one step after another:

    wait:TEXT    until TEXT is shown (behind what was waited for before)
    send:KEYS    types them; \\r \\n \\e \\xNN and ^C are understood
    word         types the word that a yes takes on a shared terminal
    reports      from now on the terminal says what it is asked (DECRQM), as real ones do
    size:RxC     changes the window
    do:COMMAND   a shell command that must succeed now
    until:COMMAND  a shell command that must succeed soon
    never:TEXT   TEXT has not been shown up to now, anywhere
    end          until the command has ended (always the last step, said or not)

What was shown goes to standard output. Exits as the command does, or with 99
and a reason if a step does not come true in time. Options: -t SECONDS per
step (10), -s RxC the first window (40x200).
"""
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time


PACE = 0.06


class Gone(Exception):
    pass


class Person:
    def __init__(self, argv, size, limit):
        self.limit = limit
        self.shown = b""
        self.seen = 0
        self.reported = None
        self.pid, self.fd = os.forkpty()
        if self.pid == 0:
            try:
                set_size(0, size)
                os.execvp(argv[0], argv)
            finally:
                os._exit(127)

    def pump(self, seconds):
        """Reads what is shown within that time; False when nobody shows more."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.shown += data
        while self.reported is not None:
            at = self.shown.find(b"\x1b[?1$p", self.reported)
            if at < 0:
                break
            self.reported = at + 1
            os.write(self.fd, b"\x1b[?1;2$y")
        return bool(data)

    def wait(self, text):
        until = time.monotonic() + self.limit
        text = keys(text)
        while True:
            at = self.shown.find(text, self.seen)
            if at >= 0:
                self.seen = at + len(text)
                return
            left = until - time.monotonic()
            if left <= 0:
                raise Gone("not shown in time: %r" % text)
            if not self.pump(left):
                if self.shown.find(text, self.seen) >= 0:
                    continue
                raise Gone("ended before it showed %r" % text)

    def send(self, text):
        # Nobody's keys come faster one after the other; those of a paste do.
        time.sleep(PACE)
        os.write(self.fd, keys(text))

    def word(self, _):
        self.wait("for a yes, type ")
        at = self.seen
        self.wait(" and Enter: ")
        os.write(self.fd, self.shown[at:at + 4] + b"\r")

    def reports(self, _):
        self.reported = len(self.shown)

    def size(self, text):
        set_size(self.fd, text)

    def do(self, command):
        if subprocess.call(["bash", "-c", command], stdin=subprocess.DEVNULL) != 0:
            raise Gone("failed: %s" % command)

    def until(self, command):
        until = time.monotonic() + self.limit
        while subprocess.call(["bash", "-c", command], stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) != 0:
            if time.monotonic() > until:
                raise Gone("not so in time: %s" % command)
            self.pump(0.02)

    def never(self, text):
        while select.select([self.fd], [], [], 0)[0] and self.pump(0):
            pass
        if keys(text) in self.shown:
            raise Gone("was shown: %r" % text)

    def end(self):
        until = time.monotonic() + self.limit
        while time.monotonic() < until and self.pump(until - time.monotonic()):
            pass
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return status
            time.sleep(0.01)
        raise Gone("still runs")


def keys(text):
    def one(match):
        word = match.group(0)
        if word[0] == "^":
            return chr(ord(word[1]) & 0x1f)
        if word[1] == "x":
            return chr(int(word[2:], 16))
        return {"r": "\r", "n": "\n", "e": "\x1b", "\\": "\\"}[word[1]]

    return re.sub(r"\\x[0-9a-fA-F]{2}|\\[rne\\]|\^[A-Z\\\]]", one, text).encode()


def set_size(fd, text):
    rows, columns = (int(n) for n in text.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def main():
    args, size, limit = sys.argv[1:], "40x200", 10.0
    while args and args[0] in ("-t", "-s"):
        if args[0] == "-t":
            limit = float(args[1])
        else:
            size = args[1]
        args = args[2:]
    split = args.index("--")
    steps, argv = args[:split], args[split + 1:]
    person = Person(argv, size, limit)
    status, why = None, None
    try:
        for step in steps:
            verb, _, text = step.partition(":")
            if verb == "end":
                status = person.end()
            else:
                getattr(person, verb)(text)
        if status is None:
            status = person.end()
    except Gone as gone:
        why = str(gone)
        os.kill(person.pid, signal.SIGKILL)
        os.waitpid(person.pid, 0)
    sys.stdout.buffer.write(person.shown)
    sys.stdout.flush()
    if why is not None:
        print("person: %s" % why, file=sys.stderr)
        return 99
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


sys.exit(main())
