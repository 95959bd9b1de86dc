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
