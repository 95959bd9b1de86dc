#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Qwen Code behind the line.
. "${0%/*}/agent.bash"

agent=qwen
package=@qwen-code/qwen-code
headless=(qwen --approval-mode yolo -p "$TASK")
screen=(qwen --approval-mode yolo)
ready='Type your message'
export OPENAI_BASE_URL=$MODEL/v1 OPENAI_API_KEY=scripted OPENAI_MODEL=scripted
configure() {
	mkdir "$HOME/.qwen"
	jq -n --arg p "$P" '{($p): "TRUST_FOLDER"}' >"$HOME/.qwen/trustedFolders.json"
	jq -n --arg file "$MCP" --arg word "$P/by-mcp.txt" '{security: {auth: {selectedType: "openai"}},
		mcpServers: {notes: {command: "node", args: [$file, $word], trust: true}}}' >"$HOME/.qwen/settings.json"
}
measure_agent
