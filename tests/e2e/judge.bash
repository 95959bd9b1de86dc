# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the scripts about the judge: `. "${0%/*}/judge.bash"` on top of line.bash. A judge
# on this machine, and an approver that notes that it was asked.

# A script's own directory has the word in its name, which is one to the judge: nothing in
# it would be put to him, and every test of what he is not asked would pass.
TEST_DIR=${TEST_DIR:-/tmp/x}
TEST_DIR=$(mktemp -d "${TEST_DIR%/*}/ambit-e2e.XXXXXX")
# shellcheck source=tests/e2e/line.bash
. "${BASH_SOURCE[0]%/*}/line.bash"

# Whoever asks could be the one who listens, as far as ambit can see.
grep -q '^NoNewPrivs:.0$' /proc/self/status || skip "no_new_privs is on here: no judge by http"

export OUT JUDGE_KEY=the-key-of-the-judge
trap 'kill "${servers[@]}" 2>/dev/null || true; rm -rf "$TEST_DIR"' EXIT

# judge_serve [PORT [CERTIFICATE]]: its port is in $judge_port; what it heard, see judge.py.
judge_serve() {
	judged=$TEST_DIR/judged
	rm -f "$judged"
	"$PYTHON" -B "$HERE/judge.py" "$judged" "$@" </dev/null >/dev/null 2>&1 &
	servers+=($!)
	eventually test -s "$judged"
	judge_port=$(head -1 "$judged")
}
# judge_is WAY [TIMEOUT_MS [MORE-SETTINGS]]: the settings have it.
judge_is() {
	jq -n --arg url "${scheme:-http}://127.0.0.1:$judge_port/$1/v1" --argjson ms "${2:-5000}" \
		"{judge: {url: \$url, model: \"tiny\", key_env: \"JUDGE_KEY\", timeout_ms: \$ms}} + ${3:-{\}}" \
		>"$XDG_CONFIG_HOME/ambit/config.json"
}
judge_is_program() { # PROGRAM [TIMEOUT_MS]
	jq -n --arg p "$1" --argjson ms "${2:-5000}" '{judge: {command: [$p], timeout_ms: $ms}}' \
		>"$XDG_CONFIG_HOME/ambit/config.json"
}
# times N: so often was it asked since it was last forgotten.
times() {
	local n
	n=$(tail -n +2 "$judged" | wc -l)
	[[ $n -eq $1 ]] || fail "the judge was asked $n times, not $1: $(cat "$judged")"
}
forget() { sed -i '2,$d' "$judged"; }

# Whoever is asked after him says no, or what $answer has, and is counted.
approver person <<SH
#!/bin/sh
cat >>"$TEST_DIR/persons"
echo >>"$TEST_DIR/persons"
cat "$TEST_DIR/answer"
SH
# shellcheck disable=SC2154 # of line.bash
person_program=$approver
: >"$TEST_DIR/persons"
echo '{"answer":"no"}' >"$TEST_DIR/answer"
asked() { # N
	local n
	n=$(wc -l <"$TEST_DIR/persons")
	[[ $n -eq $1 ]] || fail "the person was asked $n times, not $1: $(cat "$TEST_DIR/persons")"
	: >"$TEST_DIR/persons"
}
