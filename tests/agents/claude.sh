#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Claude Code behind the line.
. "${0%/*}/agent.bash"

agent=claude
package=@anthropic-ai/claude-code
options=(--permission-mode bypassPermissions --mcp-config "$TEST_DIR/mcp.json")
headless=(claude -p "${options[@]}" -- "$TASK")
screen=(claude "${options[@]}")
ready='bypass permissions on'
spawns=yes
# It may call npm a while after its start: that belongs to the first session.
quiet=80
export ANTHROPIC_BASE_URL=$MODEL ANTHROPIC_API_KEY=scripted-0123456789-0123456789
configure() {
	mkdir "$HOME/.claude"
	jq -n --arg file "$MCP" --arg word "$P/by-mcp.txt" \
		'{mcpServers: {notes: {type: "stdio", command: "node", args: [$file, $word]}}}' \
		>"$TEST_DIR/mcp.json"
	jq -n --arg p "$P" --arg key "${ANTHROPIC_API_KEY: -20}" '{hasCompletedOnboarding: true, theme: "dark",
		customApiKeyResponses: {approved: [$key], rejected: []},
		projects: {($p): {hasTrustDialogAccepted: true}}}' >"$HOME/.claude.json"
	echo '{"skipDangerousModePermissionPrompt": true}' >"$HOME/.claude/settings.json"
}
measure_agent
