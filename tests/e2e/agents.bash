# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about sub-agents: `. "${0%/*}/agents.bash"` in place of line.bash. The
# agents hand, quick and plain are agent.py; see there for what a task is to them.
# shellcheck source=tests/e2e/line.bash
. "${BASH_SOURCE[0]%/*}/line.bash"
# It is taken away by a filter, behind which nobody can start one.
[[ -z ${AMBIT_WITHOUT:-} ]] || skip "$AMBIT_WITHOUT is missing"

export AMBIT_PROGRAM=$AMBIT PYTHONPATH=$HERE

# settings [JSON]: the person's, with the agents in them.
settings() {
	jq -n --arg python "$PYTHON" --arg agent "$HERE/agent.py" --argjson more "${1:-{\}}" '{
		agents: {
			hand: {command: [$python, "-B", $agent, "--brief", "{brief}", "--task", "{task}"]},
			quick: {command: [$python, "-B", $agent, "--brief={brief}", "--task={task}"], timeout: 2},
			plain: {command: [$python, "-B", $agent], env: ["KEPT_TOKEN"]}
		}} * $more' >"$XDG_CONFIG_HOME/ambit/config.json"
}
settings

# spawn STATUS ARGUMENTS...: ambit spawn with nobody to ask; its JSON is in $out.
spawn() {
	local want=$1
	shift
	status "$want" "$AMBIT" spawn --ask deny --json "$@"
}
# field FILTER: of the last $out.
field() { jq -r "$1" <<<"$out"; }
# is FILTER VALUE
is() { [[ $(field "$1") == "$2" ]] || fail "$1 is $(field "$1"), not $2, in: $out / $errout"; }
