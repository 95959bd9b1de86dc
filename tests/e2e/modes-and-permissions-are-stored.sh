#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mode, perm, perms, sandbox and sessions act on the stored session, and the
# next decision in it obeys.
. "${0%/*}/lib.sh"

request='{"tool":"write","args":{"file_path":"a"}}'
status 1 "$AMBIT" mode plan
status 1 "$AMBIT" sandbox
status 1 "$AMBIT" perm bash deny
SESSION=s decide "$request"
[[ $(field 1 verdict) == allow ]] || fail "$out"
status 0 "$AMBIT" mode plan
says plan
says session
SESSION=s decide "$request"
[[ $(field 1 code) == PlanMode ]] || fail "plan mode is not restored: $out"
SESSION=other decide "$request"
[[ $(field 1 verdict) == allow ]] || fail "the mode of another session: $out"
status 0 "$AMBIT" mode build read-only --session s
SESSION=s decide "$request"
[[ $(field 1 code) == ReadOnly ]] || fail "$out"
status 0 "$AMBIT" mode as-settings --session s
SESSION=s decide "$request"
[[ $(field 1 verdict) == allow ]] || fail "$out"
status 2 "$AMBIT" mode sideways --session s

status 0 "$AMBIT" perm Write deny --session s
SESSION=s decide "$request"
[[ $(field 1 code) == Denied ]] || fail "$out"
status 0 "$AMBIT" perms --session s --json
[[ $(jq -r '.[] | select(.tool == "write") | .permission + " " + .from' <<<"$out") == 'deny session' ]] ||
	fail "$out"
# Tools of ambit's own are told from those that it only knows.
[[ $(jq -r '.[] | select(.offered) | .tool' <<<"$out" | sort | tr '\n' ' ') == *"bash "*"write "* ]] || fail "$out"
[[ $(jq -r '.[] | select(.tool == "todowrite" or .tool == "mkdir") | .offered' <<<"$out") == $'false\nfalse' ]] ||
	fail "$out"
status 0 "$AMBIT" perms --session s
[[ $out == *'offered by ambit mcp and ambit serve:'*$'\nwrite '*'known by name'*$'\nmkdir '* ]] || fail "$out"
status 0 "$AMBIT" perm Write default --session s
SESSION=s decide "$request"
[[ $(field 1 verdict) == allow ]] || fail "$out"
# A slip holds nothing, so it is refused; another program's tool has a '*' or a server's name.
status 2 "$AMBIT" perm bsh ask --session s
complains "did you mean 'bash'"
status 2 "$AMBIT" perm frobnicate deny --session s
complains "'frobnicate*'"
for name in 'frobnicate*' mcp__x__y; do
	status 0 "$AMBIT" perm "$name" deny --session s
	SESSION=s decide "{\"tool\":\"${name%\*}\",\"args\":{},\"effects\":[\"read\"]}"
	[[ $(field 1 code) == Denied ]] || fail "$name: $out"
	verdict deny Denied --session s tool "${name%\*}"
done
status 2 "$AMBIT" why tool shel
complains "did you mean 'shell'"
status 0 "$AMBIT" perm 'mcp__x__*' allow --session s
[[ -z $errout ]] || fail "a pattern is taken for a slip: $errout"
status 0 "$AMBIT" perms --session s
says 'mcp__x__*'
status 2 "$AMBIT" perm write maybe --session s
status 2 "$AMBIT" perm 'a*b' allow --session s

# The folder's own file stays narrow over the session.
echo '{"permissions":{"webfetch":"deny"},"agent_mode":"plan"}' >.ambit.json
status 0 "$AMBIT" perm webfetch allow --session s
status 0 "$AMBIT" perms --session s --json
[[ $(jq -r '.[] | select(.tool == "webfetch") | .permission + " " + .from' <<<"$out") == 'deny folder' ]] ||
	fail "$out"
status 0 "$AMBIT" mode build --session s --json
[[ $(jq -r '.agent_mode | .value + " " + .from' <<<"$out") == 'plan folder' ]] || fail "$out"
[[ $(jq -r '.ask_mode | .value + " " + .from' <<<"$out") == 'ask-dangerous default' ]] || fail "$out"
echo '{"ask_mode":"ask-any-write","permissions":{"web*":"ask"}}' >"$TEST_DIR/own.json"
status 0 "$AMBIT" mode --settings "$TEST_DIR/own.json" --session s --json
[[ $(jq -r '.ask_mode | .value + " " + .from' <<<"$out") == 'ask-any-write person' ]] || fail "$out"
status 0 "$AMBIT" perms --settings "$TEST_DIR/own.json" --session other --json
[[ $(jq -r '.[] | select(.tool == "websearch") | .permission + " " + .from' <<<"$out") == 'ask person' ]] ||
	fail "$out"
SESSION=s decide "$request"
[[ $(field 1 code) == PlanMode ]] || fail "$out"
rm .ambit.json

status 0 "$AMBIT" mode until-first-write --session r
SESSION=r decide '{"tool":"read","args":{"file_path":"/etc/hostname"}}'
[[ $(field 1 verdict) == allow ]] || fail "$out"
status 0 "$AMBIT" sandbox --session r
says until-first-write
says "$P"
status 0 "$AMBIT" rules add write "$OUT" --session r
status 0 "$AMBIT" sandbox --session r
says "$OUT"
status 0 "$AMBIT" sandbox --session r --json
[[ $(jq -r .reads <<<"$out") == until-first-write ]] || fail "$out"
status 0 "$AMBIT" sessions
says "$P"
status 0 "$AMBIT" sessions --json
[[ $(jq -r .name <<<"$out" | sort | xargs) == 'other r s' ]] || fail "$out"
# A session is of one folder.
mkdir "$HOME/elsewhere"
status 1 "$AMBIT" decide --session s --folder "$HOME/elsewhere" <<<"$request"
status 1 "$AMBIT" perm bash deny --session s --folder "$HOME/elsewhere"
cd "$HOME/elsewhere"
status 0 "$AMBIT" sandbox --session s
says "$P"
status 0 "$AMBIT" log verify
