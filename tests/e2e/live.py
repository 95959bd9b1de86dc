# SPDX-License-Identifier: Apache-2.0
# One who is connected to a live session and says exactly what a test wants him to say;
# and a run that he can look at. Standard library alone.
import json
import os
import socket
import subprocess
import time

from peer import *

LIVE = os.environ["XDG_RUNTIME_DIR"] + "/ambit/live"


def sockets():
    """Names of those that are there now, by process."""
    try:
        return {int(name.split("-")[0]): LIVE + "/" + name for name in os.listdir(LIVE)
                if name[0].isdigit()}
    except FileNotFoundError:
        return {}


class Link:
    """One connection. Notifications are kept in self.notified."""

    def __init__(self, pid):
        self.pid = pid
        until = time.monotonic() + PATIENCE
        while pid not in sockets():
            check(time.monotonic() < until, "no live session of", pid)
            time.sleep(0.01)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(sockets()[pid])
        self.lines = self.socket.makefile("rb")
        self.number = 0
        self.notified = []

    def raw(self, line):
        self.socket.sendall(line if isinstance(line, bytes) else line.encode())

    def take(self):
        """One line that is no notification; None: it is gone."""
        while True:
            line = self.lines.readline()
            if not line:
                return None
            message = json.loads(line)
            check(message.get("jsonrpc") == "2.0", "not JSON-RPC:", line)
            if "method" not in message:
                return message
            self.notified.append((message["method"], message["params"]))

    def say(self, method, **params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method}
        if params:
            message["params"] = params
        self.raw(json.dumps(message) + "\n")
        reply = self.take()
        check(reply is not None, method, "has no reply")
        check(reply["id"] == self.number, "another's reply:", reply)
        return reply

    def ask(self, method, **params):
        reply = self.say(method, **params)
        check("result" in reply, method, params, reply)
        return reply["result"]

    def error(self, method, **params):
        reply = self.say(method, **params)
        check("error" in reply, method, params, "is no error:", reply)
        return reply["error"]

    def heard(self, method):
        """The next notification, which must be this one."""
        while not self.notified:
            line = self.lines.readline()
            check(line, "gone before", method)
            message = json.loads(line)
            self.notified.append((message["method"], message["params"]))
        got, params = self.notified.pop(0)
        check(got == method, "not", method, "but", got, params)
        return params

    def heard_now(self, method):
        """Whether such a notification came until the door has answered once more."""
        self.ask("hello")
        return any(got == method for got, _ in self.notified)

    def watch(self):
        self.ask("watch")
        return self

    def close(self):
        self.lines.close()
        self.socket.close()


class Run:
    """ambit run, with nobody at a terminal. Its output is read line by line."""

    def __init__(self, *args, **popen):
        self.process = subprocess.Popen(
            [os.environ["AMBIT"], "run", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, bufsize=1, start_new_session=True, **popen)
        self.pid = self.process.pid

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def tell(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def end(self):
        """Exit status and what was said on standard error."""
        out, err = self.process.communicate(timeout=PATIENCE)
        self.rest = out
        return self.process.returncode, err


# A shell that does one line after another as it is told, and says how each ended.
SHELL = ("bash", "-c", 'while read -r line; do eval "$line"; echo "=$?"; done')


def ambit(*args):
    return subprocess.run([os.environ["AMBIT"], *args], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE)
