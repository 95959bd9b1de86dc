# SPDX-License-Identifier: Apache-2.0
# What clients of both doors need in a test.
import os
import time

PATIENCE = 60


def check(condition, *words):
    if not condition:
        raise SystemExit("not so: " + " ".join(str(word) for word in words))


def eventually(condition, *words):
    until = time.monotonic() + PATIENCE
    while not condition():
        check(time.monotonic() < until, "never so:", *words)
        time.sleep(0.02)


def processes(mark):
    """Processes that have the mark in their arguments."""
    found = []
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or int(pid) == os.getpid():
            continue
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found
