# SPDX-License-Identifier: Apache-2.0
# A client of `ambit mcp` that says exactly what a test wants it to say: raw lines,
# both eras, answers to elicitations or none. Standard library alone.
import json
import os
import queue
import subprocess
import threading
import time

from peer import *

META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"


def modern_meta(capabilities=None, **more):
    meta = {META + "protocolVersion": MODERN,
            META + "clientCapabilities": capabilities if capabilities is not None else {},
            META + "clientInfo": {"name": "test", "version": "1"}}
    meta.update(more)
    return meta


class Client:
    """One server, its lines in a queue. answer(params) fills in a form, or returns
    None and never answers; roots is the reply to roots/list, or None for none."""

    def __init__(self, *args, answer=None, roots=None, **popen):
        self.process = subprocess.Popen(
            [os.environ["AMBIT"], "mcp", *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=popen.pop("stderr", None), **popen)
        self.answer = answer
        self.roots = roots
        self.asked = []       # params of elicitations
        self.rooted = []      # ids of roots/list
        self.notified = []    # notifications
        self.replies = {}     # by id
        self.lost = []        # errors without an id
        self.lines = queue.Queue()
        self.number = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def raw(self, line):
        if isinstance(line, str):
            line = line.encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}))

    def take(self, timeout=PATIENCE):
        """One line in; False if there are no more."""
        line = self.lines.get(timeout=timeout)
        if line is None:
            return False
        message = json.loads(line)
        check(message.get("jsonrpc") == "2.0", "not JSON-RPC:", line)
        if message.get("method") == "roots/list":
            self.rooted.append(message["id"])
            if self.roots is not None:
                self.send({"id": message["id"], **self.roots})
        elif "method" in message and "id" in message:
            check(message["method"] == "elicitation/create", "asks for", message["method"])
            self.asked.append(message["params"])
            filled = self.answer(message["params"]) if self.answer else None
            if filled is not None:
                self.send({"id": message["id"], **filled})
        elif "method" in message:
            self.notified.append(message)
        elif message.get("id") is None:
            self.lost.append(message)
        else:
            check(message["id"] not in self.replies, "answered twice:", line)
            self.replies[message["id"]] = message
        return True

    def start(self, method, params=None, id=None):
        self.number += 1
        id = self.number if id is None else id
        self.send({"id": id, "method": method, **({} if params is None else {"params": params})})
        return id

    def wait(self, id):
        while id not in self.replies:
            check(self.take(), "the server ended; no reply to", id)
        return self.replies.pop(id)

    def ask(self, method, params=None):
        return self.wait(self.start(method, params))

    def legacy(self, version="2025-11-25", capabilities=None, name="test"):
        reply = self.ask("initialize", {
            "protocolVersion": version, "capabilities": capabilities or {},
            "clientInfo": {"name": name, "version": "1"}})
        self.send({"method": "notifications/initialized"})
        return reply["result"]

    def call(self, tool, **args):
        reply = self.ask("tools/call", {"name": tool, "arguments": args})
        check("result" in reply, tool, reply)
        return reply["result"]

    def modern(self, tool, capabilities=None, more=None, **args):
        reply = self.ask("tools/call", {"name": tool, "arguments": args, **(more or {}),
                                        "_meta": modern_meta(capabilities)})
        check("result" in reply, tool, reply)
        return reply["result"]

    def lost_one(self):
        """The next error without an id."""
        while not self.lost:
            check(self.take(), "the server ended")
        return self.lost.pop(0)["error"]

    def end(self, status=0):
        """Closes its input; all that is still said is taken."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        began = time.monotonic()
        while self.take():
            pass
        got = self.process.wait(timeout=PATIENCE)
        check(got == status, "exits with", got)
        return time.monotonic() - began


def roots(*paths):
    return {"result": {"roots": [{"uri": uri if ":" in uri else "file://" + uri, "name": "x"} for uri in paths]}}


def text(result):
    return result["content"][0]["text"]


def good(result):
    check(not result.get("isError"), "failed:", result)
    return result["structuredContent"]


def bad(result, code=None):
    check(result.get("isError") is True, "did not fail:", result)
    check(code is None or result["structuredContent"]["error"] == code, "not", code, result)
    return text(result)


def choose(name, message=None):
    content = {"answer": name}
    if message is not None:
        content["message"] = message
    return lambda params: {"result": {"action": "accept", "content": content}}
