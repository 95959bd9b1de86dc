#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# What doc/agents.md says of the agents that are ready is what `ambit settings` has, and the
# example in it can be used.
# shellcheck source=tests/e2e/lib.sh
. "${0%/*}/lib.sh"

PAGE=$AMBIT_SOURCE/doc/agents.md "${PYTHON:-python3}" -B - <<'PY'
import json
import os
import re
import subprocess

page = open(os.environ["PAGE"]).read()

def settings():
    text = subprocess.run([os.environ["AMBIT"], "settings", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(text)

def check(good, *words):
    if not good:
        raise SystemExit(f"doc/agents.md: {words}")

held = settings()
agents = held["agents"]["value"]
check(held["agents"]["from"] == "default", held["agents"]["from"])
rows = dict(re.findall(r"(?m)^\| (\w+) \| (`.*) \|$", page))
check(set(agents) == {name for name in rows if "stdin" in rows[name] or "{task}" in rows[name]}, rows)
for name, agent in agents.items():
    command, keeps = rows[name].split(" | ")
    check(command.startswith(f"`{' '.join(agent['command'])}`"), name, agent, command)
    check(("stdin" in command) == ("{task}" not in command), name, command)
    check(re.findall(r"`(\w+)`", keeps) == agent["env"], name, agent, keeps)

budgets = re.findall(r"(?m)^\| `(\w+)` \| (\w+) \|", page)
check(len(budgets) == 5, budgets)
for key, value in budgets:
    check(json.dumps(held[key]["value"]) == value and held[key]["from"] == "default", key, held[key])

example = re.search(r"(?m)^    \{(?:.*\n)(?:    .*\n)+", page)[0]
with open(os.environ["XDG_CONFIG_HOME"] + "/ambit/config.json", "w") as file:
    file.write(example)
mine = settings()["agents"]
check(mine["from"].endswith("config.json:1"), mine["from"])
check(set(mine["value"]) == set(agents) | {"docs", "fixer"}, mine)
check(mine["value"]["docs"] == json.loads(example)["agents"]["docs"], mine)
check(mine["value"]["fixer"]["command"][0] == os.environ["HOME"] + "/bin/fixer", mine)
PY

# The folder's own file says nothing of it.
echo '{}' >"$XDG_CONFIG_HOME/ambit/config.json"
echo '{"agents": {"claude": {"command": ["/tmp/mine"]}}}' >"$P/.ambit.json"
status 1 "$AMBIT" settings --folder "$P"
[[ $errout == *"'agents'"*"would widen"* ]] || fail "$errout"
