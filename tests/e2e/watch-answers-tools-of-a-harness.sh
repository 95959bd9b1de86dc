#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A tool call of `ambit serve` and the command of its shell are asked about on the screen,
# where nobody else could be; names of any script, and hostile ones, stay text.
. "${0%/*}/watch.bash"

watcher w 100 30
coproc S { exec "$AMBIT" serve --session harness 2>/dev/null; }
servers+=("$S_PID")
call() { # ID TOOL ARGS
	jq -cn --argjson id "$1" --arg tool "$2" --argjson args "$3" \
		'{ jsonrpc: "2.0", id: $id, method: "call", params: { tool: $tool, args: $args } }' >&"${S[1]}"
}
reply() { IFS= read -r -t 20 -u "${S[0]}" line || fail "no reply"; }

sees w "  harness           serve (pid"
name=$OUT/$'grö\u00dfe-\e[2J\u202e-end'
call 1 write "$(jq -cn --arg p "$name" '{ file_path: $p, content: "x" }')"
asked w "write $OUT/größe-\\x1b[2J\\u202e-end"
has w "ambit watch   1 session   1 question"
[[ ! -e $name ]] || fail "made before it was answered"
keys w y
reply
[[ $(jq -r .result.ok <<<"$line") == true ]] || fail "$line"
[[ $(cat "$name") == x ]] || fail "not made"

call 2 bash "$(jq -cn --arg c "echo x >'$OUT/two'" '{ command: $c }')"
asked w "write $OUT/two"
has w "       by bash; outside ~/project"
keys w n
reply
[[ ! -e $OUT/two ]] || fail "the shell wrote in spite of the no"
[[ $(jq -r '.result.structured.refused | length' <<<"$line") -ge 1 ]] || fail "$line"
