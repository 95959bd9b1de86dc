#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Copilot CLI behind the line.
. "${0%/*}/agent.bash"

agent=copilot
package=@github/copilot
headless=(copilot --allow-all-tools --allow-all-paths -p "$TASK")
screen=(copilot --allow-all-tools --allow-all-paths)
ready='? help'
spawns=yes
export COPILOT_PROVIDER_BASE_URL=$MODEL/v1 COPILOT_PROVIDER_TYPE=openai COPILOT_PROVIDER_API_KEY=scripted
export COPILOT_MODEL=gpt-5 COPILOT_OFFLINE=true
configure() {
	mkdir "$HOME/.copilot"
	jq -n --arg p "$P" '{trusted_folders: [$p]}' >"$HOME/.copilot/config.json"
	jq -n --arg file "$MCP" --arg word "$P/by-mcp.txt" '{mcpServers: {notes: {type: "local", command: "node",
		args: [$file, $word], tools: ["*"]}}}' >"$HOME/.copilot/mcp-config.json"
}
measure_agent
