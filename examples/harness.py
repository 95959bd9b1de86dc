#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A harness in a few lines: asks `ambit decide` before each tool call.

    harness.py FOLDER < calls.jsonl

Each input line is a tool call {"tool": ..., "args": {...}}. Calls that are
allowed are run (write and read only, to stay small); an ask is put to the
person on the terminal if there is one, and is a no if there is not. Standard
library only. Set AMBIT to use another ambit than the one in PATH.
"""
import json
import os
import subprocess
import sys


class Ambit:
    """One `ambit decide` process: a line in, a line out."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [os.environ.get("AMBIT", "ambit"), "decide", "--folder", folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def decide(self, call):
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:  # ambit is gone: nothing is allowed
            return {"verdict": "deny", "code": "Internal", "reason": "ambit ended"}
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def ask_person(outcome):
    if not sys.stderr.isatty():
        return False
    with open("/dev/tty", "r+") as tty:
        tty.write(f"{outcome['reason']}\nallow? [y/N] ")
        tty.flush()
        return tty.readline().strip() == "y"


def run(folder, call):
    path = os.path.join(folder, call["args"]["file_path"])
    if call["tool"] == "write":
        with open(path, "w") as out:
            out.write(call["args"].get("content", ""))
        return "wrote " + call["args"]["file_path"]
    with open(path) as text:
        return text.read()


def main():
    folder = sys.argv[1]
    ambit = Ambit(folder)
    for number, line in enumerate(sys.stdin, 1):
        call = json.loads(line)
        # What is decided must be what is run: only these two are used below.
        call = {"tool": call["tool"], "args": call["args"]}
        outcome = ambit.decide(dict(call, id=number))
        allowed = outcome["verdict"] == "allow" or (
            outcome["verdict"] == "ask" and ask_person(outcome))
        if allowed and call["tool"] in ("read", "write"):
            result = {"result": run(folder, call)}
        else:  # a refusal is a result for the model, never a crash
            result = {"error": outcome["code"] or "Denied",
                      "message": " ".join(filter(None, (outcome["reason"], outcome.get("hint"))))}
        print(json.dumps(result), flush=True)
    return ambit.close()


if __name__ == "__main__":
    sys.exit(main())
