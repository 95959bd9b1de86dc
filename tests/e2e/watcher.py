# SPDX-License-Identifier: Apache-2.0
"""watcher.py FILE [ANSWER]: watches the only live session there is. Each event is a line in
FILE ("watching", "question WHAT", "closed HOW"); with an ANSWER every question is answered
so. Leaves when its standard input ends."""
import sys
import threading

from live import *


def leave():
    sys.stdin.read()
    os._exit(0)


def main():
    eventually(lambda: len(sockets()) == 1, "one live session")
    link = Link(list(sockets())[0]).watch()
    threading.Thread(target=leave, daemon=True).start()
    with open(sys.argv[1], "w", buffering=1) as file:
        file.write("watching\n")
        while True:
            while link.notified:
                method, params = link.notified.pop(0)
                file.write("%s %s\n" % (method, params.get("what", params.get("how"))))
                if method == "question" and len(sys.argv) > 2:
                    link.ask("answer", id=params["id"], answer=sys.argv[2])
            line = link.lines.readline()
            if not line:
                return
            message = json.loads(line)
            link.notified.append((message["method"], message["params"]))


main()
