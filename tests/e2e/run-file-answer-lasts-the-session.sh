#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A person answers "this file" to a write of a configuration outside the folder: that file can be
# written from then on, in this session, without a word; its neighbours are asked about,
# and so is the same file in another session.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

etc=$OUT/etc/app
mkdir -p "$etc"
echo 'level = 1' >"$etc/app.conf"
echo 'level = 1' >"$etc/other.conf"

# Without ambit it is simply written.
sh -c "echo natural >>'$etc/app.conf'"
grep -q natural "$etc/app.conf" || fail "it cannot be written at all"

# Another process writes it again, and a third, in the same run.
person wait:"app.conf" 'wait:ambit> ' send:s wait:again -- "$AMBIT" run --session kept -- bash -c "
	bash -c 'echo \"level = 2\" >>$etc/app.conf'
	bash -c 'echo \"level = 3\" >>$etc/app.conf'
	/bin/echo 'level = 4' >>$etc/app.conf && echo again"
[[ $(grep -c 'level = [234]' "$etc/app.conf") == 3 ]] || fail "not all writes came through: $(cat "$etc/app.conf")"
[[ $(grep -o 'ambit  ' <<<"$out" | wc -l) -le 1 && $(ambit log --session kept --kind ask --json | wc -l) == 1 ]] ||
	fail "it was asked more than once: $out"
# In a run of the same session, with nobody to ask.
status 0 "$AMBIT" run --ask deny --session kept -- bash -c "echo 'level = 5' >>$etc/app.conf"
grep -q 'level = 5' "$etc/app.conf" || fail "the session has forgotten"
# Its neighbour, and another session: not covered.
status 1 "$AMBIT" run --ask deny --session kept -- bash -c "echo 'level = 5' >>$etc/other.conf"
status 1 "$AMBIT" run --ask deny --session fresh -- bash -c "echo 'level = 6' >>$etc/app.conf"
[[ $(cat "$etc/other.conf") == 'level = 1' ]] || fail "more than the file was opened"
! grep -q 'level = 6' "$etc/app.conf" || fail "more than the session was opened"
