#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Gemini CLI behind the line.
. "${0%/*}/agent.bash"

agent=gemini
package=@google/gemini-cli
headless=(gemini --skip-trust --approval-mode yolo -p "$TASK")
screen=(gemini --approval-mode yolo)
ready='Type your message'
spawns=yes
export GOOGLE_GEMINI_BASE_URL=$MODEL GEMINI_API_KEY=scripted
configure() {
	mkdir "$HOME/.gemini"
	jq -n --arg p "$P" '{($p): "TRUST_FOLDER"}' >"$HOME/.gemini/trustedFolders.json"
	# With the model "auto" it first asks another model which one to take.
	jq -n --arg file "$MCP" --arg word "$P/by-mcp.txt" '{model: {name: "gemini-2.5-flash"},
		security: {auth: {selectedType: "gemini-api-key"}},
		mcpServers: {notes: {command: "node", args: [$file, $word], trust: true}}}' >"$HOME/.gemini/settings.json"
}
measure_agent
