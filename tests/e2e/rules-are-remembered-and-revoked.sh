#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rules add turns the ask into its answer, in this folder only, until revoked.
. "${0%/*}/lib.sh"

mkdir "$HOME/other" "$OUT/data"
verdict ask Outside write "$OUT/data/x"
status 0 "$AMBIT" rules add write "$OUT/data"
says 'rule 1'
verdict allow - write "$OUT/data/x"
verdict ask Outside write "$OUT/data-2"
verdict ask Outside --folder "$HOME/other" write "$OUT/data/x"
status 0 "$AMBIT" rules
says "$OUT/data"
status 0 "$AMBIT" rules --folder "$HOME/other"
says_not "$OUT/data"
status 0 "$AMBIT" rules revoke 1
verdict ask Outside write "$OUT/data/x"
status 1 "$AMBIT" rules revoke 1
status 0 "$AMBIT" rules
[[ -z $out ]] || fail "a revoked rule is listed: $out"
status 0 "$AMBIT" rules --all --json
[[ $(jq -r .revoked <<<"$out") == true ]] || fail "$out"

# everywhere, no, session, expiry, calls, hosts
status 0 "$AMBIT" rules add write "$OUT/data" --everywhere
verdict allow - --folder "$HOME/other" write "$OUT/data/x"
status 0 "$AMBIT" rules add write "$OUT/data/secret" --no
verdict deny Denied write "$OUT/data/secret"
status 0 "$AMBIT" rules add read "$HOME/.netrc" --session s
verdict ask GuardedRead --door decide read "$HOME/.netrc"
verdict allow - --session s --door decide read "$HOME/.netrc"
status 0 "$AMBIT" rules add connect 'Example.com:443' --expires 1s
verdict allow - connect example.com:443
until ! "$AMBIT" why connect example.com:443 >/dev/null; do :; done
verdict ask HostNotAllowed connect example.com:443
verdict ask - tool bash '{"command":"git push"}'
status 0 "$AMBIT" rules add call 'git push'
verdict allow - tool bash '{"command":"git push"}'
verdict ask - tool bash '{"command":"git push; rm -rf /"}'

status 0 "$AMBIT" rules
says 'git push'
status 0 "$AMBIT" rules --json
[[ $(jq -r 'select(.op == "call") | .label' <<<"$out") == 'git push' ]] || fail "$out"
status 0 "$AMBIT" rules add call 'git status --short'
says 'git status'
says_not --short
# A no of a folder that is not there yet is of all that will be in it.
status 0 "$AMBIT" rules add write "$OUT/data/later" --no
mkdir "$OUT/data/later"
verdict deny Denied write "$OUT/data/later/x"
verdict deny Denied write "$OUT/data/later"

# What would be no line, or no rule
status 1 "$AMBIT" rules add write /
status 1 "$AMBIT" rules add write "$HOME"
status 1 "$AMBIT" rules add write "$TEST_DIR"
complains 'holds the home directory'
ln -s "$TEST_DIR" "$OUT/up"
status 1 "$AMBIT" rules add write "$OUT/up" --everywhere
status 0 "$AMBIT" rules add write "$TEST_DIR" --no
status 0 "$AMBIT" rules add read "$TEST_DIR"
status 0 "$AMBIT" rules add write "$HOME" --folder "$HOME"
status 1 "$AMBIT" rules add write "$HOME" --folder "$HOME" --everywhere
status 1 "$AMBIT" rules add connect 'exa mple'
status 1 "$AMBIT" rules add write "$OUT/nowhere/x"
status 2 "$AMBIT" rules add write
status 2 "$AMBIT" rules add frob x
status 2 "$AMBIT" rules add write "$OUT" --expires soon
status 2 "$AMBIT" rules revoke all

# What ambit runs and believes is nobody's to write.
mkdir "$OUT/tools" "$OUT/scripts"
ln -s "$OUT/tools/approve" "$OUT/scripts/link"
: >"$OUT/tools/approve"
jq -n --arg p "$OUT/scripts/policy.py" --arg a "exec:$OUT/scripts/link" \
	'{policy_program: {command: ["/bin/sh", $p]}, ask: $a}' >"$TEST_DIR/settings.json"
for place in "$OUT" "$OUT/tools" "$OUT/tools/approve" "$OUT/scripts" "$OUT/scripts/policy.py" /bin; do
	status 1 "$AMBIT" rules add write "$place" --settings "$TEST_DIR/settings.json"
	complains 'program in the settings'
done
status 0 "$AMBIT" rules add write "$OUT/data" --settings "$TEST_DIR/settings.json"
status 0 "$AMBIT" rules add write "$OUT/tools" --no --settings "$TEST_DIR/settings.json"
status 0 "$AMBIT" rules add read "$OUT/tools" --settings "$TEST_DIR/settings.json"
status 0 "$AMBIT" log --kind rule --json
! grep -q '"kind":"revoke"' <<<"$out" || fail "$out"
status 0 "$AMBIT" log --kind revoke --json
[[ $(jq -r .kind <<<"$out") == revoke ]] || fail "$out"
status 0 "$AMBIT" log verify
