#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# `ambit spawn` says every ten seconds that the agent runs; while a question stands on the
# terminal it waits with that, and says the last of it afterwards.
# shellcheck source=tests/e2e/agents.bash
. "${0%/*}/agents.bash"

mkdir a
# old FILE SECONDS
cat >"$TEST_DIR/old" <<'END_OLD'
#!/bin/bash
(($(date +%s) - $(stat -c %Y "$1") >= $2))
END_OLD
chmod 755 "$TEST_DIR/old"
hand=("$AMBIT" spawn hand a "mark began
write .envrc x
await $P/a/go")

# Without a question it is said.
person -t 30 'wait:sub-agent hand' 'wait:ambit> ' send:n 'wait:agent hand has run for' \
	"do:touch a/go" -- "${hand[@]}"
rm a/go a/began
person -t 30 'wait:sub-agent hand' 'wait:ambit> ' "until:$TEST_DIR/old $P/a/began 12" \
	'never:has run for' send:y wait:allowed: 'wait:agent hand has run for' "do:touch a/go" \
	-- "${hand[@]}"
[[ -e a/.envrc ]] || fail "a yes was not heard"
# If standard error is no terminal, progress is told at once.
rm a/go a/began a/.envrc
person -t 30 'wait:sub-agent hand' 'wait:ambit> ' "until:grep 'hand has run for' $TEST_DIR/said" \
	send:n "do:touch a/go" -- bash -c '"$@" 2>'"$TEST_DIR/said" - "${hand[@]}"
