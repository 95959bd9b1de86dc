#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# opencode behind the line.
. "${0%/*}/agent.bash"

agent=opencode
package=opencode-ai
headless=(opencode run "$TASK")
screen=(opencode)
ready='Ask anything'
spawns=yes
configure() {
	mkdir "$HOME/.config/opencode"
	jq -n --arg url "$MODEL/v1" --arg file "$MCP" --arg word "$P/by-mcp.txt" '{model: "scripted/model",
		provider: {scripted: {npm: "@ai-sdk/openai-compatible", name: "scripted",
			options: {baseURL: $url, apiKey: "none"}, models: {model: {name: "model"}}}},
		permission: {"*": "allow"},
		mcp: {notes: {type: "local", command: ["node", $file, $word], enabled: true}}}' \
		>"$HOME/.config/opencode/opencode.json"
}
measure_agent
