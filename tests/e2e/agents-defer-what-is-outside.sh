#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sub-agent of packages/adapters that tries to edit packages/core, by its own hands, by a
# shell and by ambit's tools, finishes its own work, and the one who started it sees what was
# deferred, whatever the summary says. So it is by ambit spawn, by mcp and by serve.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir -p packages/{adapters,core}/src
echo port >packages/core/src/port.ts
echo adapter >packages/adapters/src/adapter.ts
task="write src/adapter.ts done
write $P/packages/core/src/port.ts mine
shell echo mine >../core/src/port.ts
tool write {\"file_path\":\"packages/core/src/tool.ts\",\"content\":\"mine\"}
tool write {\"file_path\":\"packages/adapters/src/tool.ts\",\"content\":\"done\"}
tool bash {\"command\":\"echo done >src/bash.ts; echo mine >../core/src/bash.ts\"}
say All of it is done; nothing was refused."

# Without ambit the same agent changes both.
(cd packages/adapters && "$PYTHON" -B "$HERE/agent.py" --task "write $P/packages/core/src/port.ts theirs" >/dev/null)
grep -q theirs packages/core/src/port.ts || fail "the agent cannot do it without ambit either"
echo port >packages/core/src/port.ts

check_files() {
	[[ $(cat packages/core/src/port.ts) == port && ! -e packages/core/src/tool.ts && ! -e packages/core/src/bash.ts ]] ||
		fail "core was changed: $(tail -n +1 packages/core/src/*)"
	grep -q 'done' packages/adapters/src/adapter.ts || fail "its own work was not done"
	[[ -e packages/adapters/src/tool.ts && -e packages/adapters/src/bash.ts ]] ||
		fail "its own tools did not work: $(ls packages/adapters/src)"
	rm packages/adapters/src/{tool,bash}.ts
}
check_result() { # FILE
	jq -e '
		(.exit_code == 0) and (.agent == "hand") and (.summary | contains("All of it is done")) and
		([.deferred[] | select(.code == "OutOfScope") | .path | tostring] as $paths |
			any($paths[]; contains("packages/core/src/port.ts")) and
			any($paths[]; contains("packages/core/src/tool.ts")) and
			any($paths[]; contains("packages/core/src/bash.ts")) and
			all($paths[]; contains("packages/adapters") | not)) and
		(any(.files.modified[]; contains("packages/adapters/src/adapter.ts"))) and
		(any(.files.created[]; contains("packages/adapters/src/tool.ts"))) and
		(.duration_ms > 0) and (.timed_out == false)' "$1" >/dev/null || fail "the result: $(cat "$1")"
}

# -- ambit spawn ------------------------------------------------------------------------------
spawn 0 hand packages/adapters "$task"
echo "$out" >"$TEST_DIR/result"
check_result "$TEST_DIR/result"
check_files
# Its model reads why, from the command's own standard error.
spawn 0 hand packages/adapters 'shell echo mine 2>src/said >../core/src/port.ts'
grep -q '^ambit: write .*packages/core/src/port.ts was refused' packages/adapters/src/said ||
	fail "not told: $(cat packages/adapters/src/said)"
rm packages/adapters/src/said
# In words, for a person.
status 0 "$AMBIT" spawn --ask deny hand packages/adapters "$task"
says "Agent hand in packages/adapters is done"
says "packages/core/src/port.ts"
says "The line refused it the following"
check_files

# -- ambit mcp ----------------------------------------------------------------------------------
TASK=$task "$PYTHON" -B - >"$TEST_DIR/result" <<'PY'
import json, os
from mcp import *
client = Client()
client.legacy()
tools = {tool["name"]: tool for tool in client.ask("tools/list", {})["result"]["tools"]}
check("run_agent" in tools, "not among", list(tools))
result = client.call("run_agent", name="hand", folder="packages/adapters", task=os.environ["TASK"])
words = text(result)
# What the agent chose to say stands between marks, what ambit says does not.
check("untrusted" in words and "The line refused it" in words, words)
print(json.dumps(good(result)))
client.end()
PY
check_result "$TEST_DIR/result"
check_files

# -- ambit serve --------------------------------------------------------------------------------
jq -cn --arg task "$task" '{jsonrpc: "2.0", id: 1, method: "call",
	params: {tool: "run_agent", args: {name: "hand", folder: "packages/adapters", task: $task}}}' |
	ambit serve | jq -c 'select(.id == 1) | .result | .structured // .' >"$TEST_DIR/result"
check_result "$TEST_DIR/result"
check_files

# The record has the agent's session as one inside, and the refusals in it.
session=$(jq -r .session "$TEST_DIR/result")
ambit log --session "$session" --kind run --json | jq -e 'select(.body.inside != null)' >/dev/null ||
	fail "the record does not say inside what $session was"
ambit log verify >/dev/null || fail "the chain is broken"
