#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Codex behind the line.
. "${0%/*}/agent.bash"

agent=codex
package=@openai/codex
headless=(codex exec "$TASK")
screen=(codex)
ready='Ask Codex'
spawns=yes
export OPENAI_API_KEY=scripted
configure() {
	mkdir "$HOME/.codex"
	cat >"$HOME/.codex/config.toml" <<END
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "$MODEL/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
[mcp_servers.notes]
command = "node"
args = ["$MCP", "$P/by-mcp.txt"]
default_tools_approval_mode = "approve"
[projects."$P"]
trust_level = "trusted"
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
END
}
measure_agent

# Typed in a shell with its own sandbox on: the question says what to do, and that works.
typed() { # NOTES COMMAND
	fresh
	sed -i /sandbox_mode/d "$HOME/.codex/config.toml"
	: >"$TEST_DIR/notes"
	timeout 120 "$AMBIT" run --quiet --ask "exec:$approver" --net ask --allow-host "127.0.0.1:$PORT" \
		-- bash -c "$2; true" </dev/null >"$TEST_DIR/out" 2>&1
	[[ $(wc -l <"$TEST_DIR/notes") -eq $1 ]] || fail "$2: $(cat "$TEST_DIR/notes")"
}
approver notes <<END
#!/bin/bash
question=\$(cat)
jq -r '.facts[]? | select(.name == "note") | .text' <<<"\$question" >>'$TEST_DIR/notes'
jq -c '{answer: (if .kind == "profile" then "once" else "no" end)}' <<<"\$question"
END
typed 1 "codex exec '$TASK'"
[[ $(cat "$TEST_DIR/notes") == *'use ambit run -- codex' ]] || fail "$(cat "$TEST_DIR/notes")"
[[ ! -e $P/by-shell.txt ]] || fail "a command works in its own sandbox"
typed 0 "codex exec --sandbox danger-full-access '$TASK'"
steps_done 'without its sandbox'
steps_refused 'without its sandbox'
[[ $surprises -eq 0 ]]
