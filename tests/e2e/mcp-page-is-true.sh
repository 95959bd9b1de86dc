#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# What doc/mcp.md tells people to put into their files can be read by what reads those,
# and the options in it are those of ambit.
# shellcheck source=tests/e2e/lib.sh
. "${0%/*}/lib.sh"

PAGE=$AMBIT_SOURCE/doc/mcp.md "${PYTHON:-python3}" -B - <<'PY'
import json
import os
import re
import subprocess
import sys

try:
    import tomllib
except ImportError:
    print("no tomllib: python3 is older than 3.11")
    sys.exit(77)

page = open(os.environ["PAGE"]).read()
help = subprocess.run([os.environ["AMBIT"], "mcp", "--help"], capture_output=True, text=True, check=True).stdout
options = set(re.findall(r"--[a-z][a-z-]*", help))
blocks = [re.sub("(?m)^    ", "", block) for block in re.findall(r"(?m)(?:^    .*\n|^\n(?=    ))+", page)]
servers = rules = 0

def strings(value):
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(one)

def known(word):
    if word.startswith("--") and word not in options:
        raise SystemExit(f"doc/mcp.md: ambit mcp has no {word}")

for block in blocks:
    if block.lstrip().startswith("{"):
        value = json.loads(block)
    elif " = " in block:
        value = tomllib.loads(block)
    else:
        for line in block.splitlines():
            for word in line.split("ambit mcp", 1)[-1].split() if "ambit mcp" in line else ():
                known(word)
        continue
    words = list(strings(value))
    servers += "mcp" in words and "--folder" in words
    rules += "mcp" not in words
    for word in words:
        known(word)
# Codex, Gemini CLI, opencode, Copilot; Claude Code's settings and Gemini CLI's rule.
if (servers, rules) != (4, 2):
    raise SystemExit(f"doc/mcp.md: {servers} servers and {rules} other blocks were found")
theirs = {"--disallowedTools", "--tools"}
for word in set(re.findall(r"`(--[A-Za-z-]+)", page)) - theirs:
    known(word)
PY
