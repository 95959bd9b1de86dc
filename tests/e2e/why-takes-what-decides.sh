#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# why takes each option of a door that a decision depends on, and says what that door decides.
. "${0%/*}/line.bash"

# These change no decision: who answers, how a command runs, what is told.
neutral=" --ask --proxy --scrub-env --keep-env --timeout --report --fail-on-refusal --quiet --no-pty --landlock --limit --socket --json --help "
options_of() { "$AMBIT" help "$1" | grep -oE '^ +--[a-z-]+' | tr -d ' ' | sort -u; }
known=" $(options_of why | tr '\n' ' ') "
for door in run mcp serve decide; do
	n=0
	for option in $(options_of "$door"); do
		n=$((n + 1))
		[[ $known == *" $option "* || $neutral == *" $option "* ]] ||
			fail "$door takes $option; why does not, and it is not known to decide nothing"
	done
	((n >= 10)) || fail "only $n options of $door were found"
done

# Each of them, by what it changes: without it, and with it.
changes() # VERDICT VERDICT OPTION... -- WHY-ARGUMENTS...
{
	local before=$1 after=$2 given=()
	shift 2
	while [[ $1 != -- ]]; do given+=("$1") && shift; done
	shift
	verdict "$before" - "$@"
	verdict "$after" - "${given[@]}" "$@"
}
echo x >"$OUT/file"
mkdir -m 700 "$HOME/.ssh" && echo x >"$HOME/.ssh/id_x"
mkdir other
changes allow deny --read-only -- write a
changes allow deny --mode plan -- write a
changes allow ask --ask-mode ask-any-write -- write a
changes ask allow --write "$OUT" -- write "$OUT/new"
changes allow deny --reads folder -- read "$OUT/file"
changes deny allow --read "$OUT" -- --reads folder read "$OUT/file"
changes allow deny --guard-reads -- read "$HOME/.ssh/id_x"
changes ask allow --for npm -- write "$HOME/.npm/x"
changes ask allow --allow-host example.org -- connect example.org:443
changes ask deny --net none -- connect example.org:443
changes ask allow --folder "$OUT" -- write "$OUT/new"
changes allow ask --folder other -- write a
echo '{"permissions":{"write":"ask"}}' >"$TEST_DIR/settings.json"
changes allow ask --settings "$TEST_DIR/settings.json" -- write a
status 0 "$AMBIT" rules add --session one write "$OUT/new"
changes ask allow --session one -- write "$OUT/new"

# A server's own commands are held by the line; a harness' are not, nor another sandbox's.
bash=(tool bash '{"command":"make"}')
verdict ask - "${bash[@]}"
verdict ask - --door decide "${bash[@]}"
for door in mcp serve; do
	verdict allow - --door "$door" "${bash[@]}"
	changes allow ask --backend subprocess -- --door "$door" "${bash[@]}"
	changes allow ask --prefix /usr/bin/env -- --door "$door" "${bash[@]}"
	verdict allow - --door "$door" --allow-bash "${bash[@]}"
done
status 2 "$AMBIT" why --door run "${bash[@]}"
status 2 "$AMBIT" why --door mcp --backend prefix "${bash[@]}"
# A repository deep in the folder is found as a door finds it.
git init -q deep/nested
for door in run mcp serve decide; do verdict ask Guarded --door "$door" write deep/nested/.git/hooks/x; done
decide '{"tool":"write","args":{"file_path":"deep/nested/.git/hooks/x"}}'
[[ $(field 1 code) == Guarded ]] || fail "decide: $out"
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
from mcp import *
client = Client()
client.legacy()
good(client.call("bash", command="true"))
bad(client.call("write", file_path="deep/nested/.git/hooks/x", content="x"), "Guarded")
client.end()
PY
