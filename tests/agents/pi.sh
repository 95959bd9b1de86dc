#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# pi behind the line. It has no MCP client.
. "${0%/*}/agent.bash"

agent=pi
package=@mariozechner/pi-coding-agent
headless=(pi --provider scripted --model model -p "$TASK")
screen=(pi --provider scripted --model model)
ready='(auto)'
without=mcp
configure() {
	mkdir -p "$HOME/.pi/agent"
	jq -n --arg url "$MODEL/v1" '{providers: {scripted: {baseUrl: $url, apiKey: "none",
		api: "openai-completions", models: [{id: "model"}]}}}' >"$HOME/.pi/agent/models.json"
}
measure_agent
