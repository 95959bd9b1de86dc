# SPDX-License-Identifier: Apache-2.0
"""An agent's command, as those are that run_agent starts: a task and a briefing in, work
in the current directory, and a JSON object with its last words out.

    agent.py [--brief TEXT] [--task TEXT]      without a task, it is standard input

The task is a list of steps, one a line, and what a model would make of a task in words:

    write PATH TEXT        by its own hands, as an agent's own tools do
    shell COMMAND          the same by a shell
    tool NAME JSON         by ambit mcp, which it starts for itself
    spawn NAME FOLDER TASK by ambit spawn; in TASK, "; " is the end of a line, and ",, "
                           the same in a task within that
    hire NAME FOLDER TASK  the same by run_agent of its ambit mcp
    mark NAME              writes down when it came here, in a file of that name
    await PATH             until that is there
    brief PATH             writes down what it was told
    env PATH               the same for its environment
    print TEXT             on standard output, before its last words
    say TEXT               as its last words
    fork FILE              a child in a session of its own, whose pid is in that file
    hang                   for ever
    exit N
"""
import argparse
import json
import os
import subprocess
import sys
import time

AMBIT = os.environ.get("AMBIT_PROGRAM", "ambit")
words, notes = [], []
client = None


def own_tools():
    global client
    if client is None:
        from mcp import Client
        os.environ["AMBIT"] = AMBIT
        client = Client()
        client.legacy()
    return client


def note(*what):
    notes.append(" ".join(str(word) for word in what))


def write(path, text):
    try:
        with open(path, "a") as file:
            file.write(text + "\n")
    except OSError as error:
        note("could not write", path + ":", error.strerror)


def lines(task):
    return task.replace("; ", "\n").replace(",, ", "; ")


def spawn(name, folder, task):
    done = subprocess.run([AMBIT, "spawn", "--json", name, folder, lines(task)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    note("spawn", name, done.returncode, done.stdout, done.stderr)


def hire(name, folder, task):
    result = own_tools().call("run_agent", name=name, folder=folder,
                              task=lines(task))
    note("hire", name, json.dumps(result["structuredContent"]))


def step(line, brief):
    verb, _, rest = line.partition(" ")
    if verb == "write":
        write(*rest.split(" ", 1))
    elif verb == "shell":
        done = subprocess.run(["bash", "-c", rest], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        note("shell", done.returncode, done.stdout)
    elif verb == "tool":
        name, args = rest.split(" ", 1)
        note("tool", name, json.dumps(own_tools().call(name, **json.loads(args))))
    elif verb == "spawn":
        spawn(*rest.split(" ", 2))
    elif verb == "hire":
        hire(*rest.split(" ", 2))
    elif verb == "mark":
        write(rest, str(time.monotonic_ns()))
    elif verb == "await":
        while not os.path.exists(rest):
            time.sleep(0.01)
    elif verb == "brief":
        write(rest, brief)
    elif verb == "env":
        write(rest, "\n".join(f"{k}={v}" for k, v in os.environ.items()))
    elif verb == "print":
        print(rest, flush=True)
    elif verb == "say":
        words.append(rest)
    elif verb == "fork":
        child = subprocess.Popen(["sleep", "100000"], start_new_session=True)
        write(rest, str(child.pid))
    elif verb == "hang":
        while True:
            time.sleep(1000)
    elif verb == "exit":
        sys.exit(int(rest))
    elif verb:
        note("what is", repr(line))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brief", default="")
    parser.add_argument("--task")
    given = parser.parse_args()
    task = given.task if given.task is not None else sys.stdin.read()
    # Where the briefing has no place of its own it comes before the task.
    for line in task.rpartition("\n\n")[2].splitlines():
        step(line.strip(), given.brief or task)
    print(json.dumps({"type": "result", "subtype": "success", "is_error": False,
                      "result": "\n".join(words), "notes": notes}))


main()
