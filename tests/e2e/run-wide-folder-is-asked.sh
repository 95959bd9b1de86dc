#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The home directory, or what lies above it, as the folder: asked every time,
# refused where nobody is there to ask.
. "${0%/*}/line.bash"

cd "$HOME"
held 125 -- touch ran
complains --folder
held 125 --folder / -- touch "$HOME/ran"
complains --folder
[[ ! -e ran ]] || fail "it ran"
PERSON_STATUS=125 person wait:home 'wait:ambit> ' send:n -- "$AMBIT" run -- touch ran
[[ ! -e ran ]] || fail "it ran"
person wait:home 'wait:ambit> ' send:y -- "$AMBIT" run -- touch ran
[[ -e ran ]] || fail "it did not run"
rm ran
person wait:home 'wait:ambit> ' send:y -- "$AMBIT" run -- touch ran
[[ $(grep -o 'ambit  ' <<<"$out" | wc -l) -eq 1 ]] || fail "$out"
# The record stays out of reach there, too.
status 1 "$AMBIT" run --ask allow --quiet -- bash -c 'echo x >"$1/record.db"' _ "$STATE"
held 0 --folder project -- pwd
