# SPDX-License-Identifier: Apache-2.0
# A client of `ambit serve` that says exactly what a test wants it to say: raw lines,
# on pipes or on a socket. Standard library alone.
import json
import os
import queue
import socket
import subprocess
import threading
import time

from peer import *


class Client:
    """One connection, its lines in a queue; by number, each reply once."""

    def __init__(self, *args, path=None, **popen):
        if path is None:
            self.process = subprocess.Popen(
                [os.environ["AMBIT"], "serve", *args], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, **popen)
            self.input, self.output = self.process.stdin, self.process.stdout
        else:
            self.process = None
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(path)
            self.input = self.socket.makefile("wb")
            self.output = self.socket.makefile("rb")
        self.replies = {}     # by id
        self.lost = []        # errors without an id
        self.closed = []      # questions that ended without its answer
        self.lines = queue.Queue()
        self.number = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            for line in self.output:
                self.lines.put(line)
        except OSError:
            pass
        self.lines.put(None)

    def raw(self, line):
        if isinstance(line, str):
            line = line.encode()
        self.input.write(line + b"\n")
        self.input.flush()

    def send(self, message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}))

    def take(self, timeout=PATIENCE):
        """One line in; False if there are no more."""
        line = self.lines.get(timeout=timeout)
        if line is None:
            return False
        message = json.loads(line)
        check(message.get("jsonrpc") == "2.0", "not JSON-RPC:", line)
        if "method" in message:
            check(message["method"] == "closed" and "id" not in message, "not for a client:", line)
            self.closed.append(message["params"])
            return True
        check(("result" in message) != ("error" in message), "neither or both:", line)
        if message["id"] is None:
            self.lost.append(message["error"])
        else:
            check(message["id"] not in self.replies, "answered twice:", line)
            self.replies[message["id"]] = message
        return True

    def start(self, method, **params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def wait(self, id):
        while id not in self.replies:
            check(self.take(), "the server ended; no reply to", id)
        return self.replies.pop(id)

    def result(self, id):
        reply = self.wait(id)
        check("result" in reply, reply)
        return reply["result"]

    def ask(self, method, **params):
        return self.result(self.start(method, **params))

    def error(self, method, **params):
        reply = self.wait(self.start(method, **params))
        check("error" in reply, method, params, "is no error:", reply)
        return reply["error"]

    def call(self, tool, ask=None, **args):
        more = {} if ask is None else {"ask": ask}
        return self.ask("call", tool=tool, args=args, **more)

    def lost_one(self):
        """The next error without an id."""
        while not self.lost:
            check(self.take(), "the server ended")
        return self.lost.pop(0)

    def closed_one(self):
        """The next question that ended elsewhere."""
        while not self.closed:
            check(self.take(), "the server ended")
        return self.closed.pop(0)

    def alive(self):
        check(self.ask("label", source="s", content="c")["text"], "no label")

    def end(self, status=0):
        """Closes its input; all that is still said is taken."""
        if self.process is None:
            self.socket.shutdown(socket.SHUT_WR)
        elif not self.input.closed:
            self.input.close()
        while self.take():
            pass
        if self.process is not None:
            got = self.process.wait(timeout=PATIENCE)
            check(got == status, "exits with", got)

    def close(self):
        """As one that dies does."""
        self.socket.shutdown(socket.SHUT_RDWR)
        self.input.close()
        self.output.close()
        self.socket.close()


def connect(path):
    """As soon as the server listens."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return Client(path=path)
        except ConnectionRefusedError:
            check(time.monotonic() < until, "nobody listens at", path)
            time.sleep(0.02)


def content(path):
    """None if there is no such file."""
    try:
        with open(path) as file:
            return file.read()
    except FileNotFoundError:
        return None
