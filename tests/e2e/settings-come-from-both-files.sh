#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# settings shows what holds and from where; what is wrong is refused with its place.
. "${0%/*}/lib.sh"

config=$XDG_CONFIG_HOME/ambit/config.json
status 0 "$AMBIT" settings
says default
echo '{"ask_mode":"ask-any-write"}' >"$config"
echo '{"agent_mode":"plan"}' >.ambit.json
status 0 "$AMBIT" settings --json
[[ $(jq -r .ask_mode.value <<<"$out") == ask-any-write ]] || fail "$out"
[[ $(jq -r .ask_mode.from <<<"$out") == *config.json:1* ]] || fail "$out"
[[ $(jq -r .agent_mode.from <<<"$out") == *.ambit.json:1* ]] || fail "$out"
status 0 "$AMBIT" settings --mode build --write "$OUT" --json
[[ $(jq -r .agent_mode.value <<<"$out") == plan ]] || fail "a flag lifts the folder's plan: $out"
[[ $(jq -r '.write.value[0]' <<<"$out") == "$OUT" ]] || fail "$out"
verdict deny PlanMode write a
refused() {
	status 1 "$AMBIT" why write a
	[[ -z $out ]] || fail "decided beside bad settings: $out"
	complains "$1"
}
echo '{"write":["/"]}' >.ambit.json
refused .ambit.json:1
rm .ambit.json
printf '{\n  "guradWrites": []\n}' >"$config"
refused config.json:2:3
echo '{"ask_mode":1}' >"$config"
refused config.json:1
echo '{' >"$config"
refused config.json
rm "$config"
status 1 "$AMBIT" why --settings "$TEST_DIR/none.json" write a
status 1 "$AMBIT" why --for nosuchprofile write a
# The settings in use are ambit's own, wherever they are and however they are named.
echo '{}' >mine.json
verdict allow - write mine.json
verdict deny Protected --settings mine.json write mine.json
verdict deny Protected --settings "$P/mine.json" delete mine.json
mkdir sub
cd sub
verdict deny Protected --folder .. --settings ../mine.json write ../mine.json
cd ..
# shellcheck disable=SC2088 # the shell does not expand --write=~/data either
verdict allow - --write '~/data' write "$HOME/data/x"
verdict allow - --write ../beside write "$HOME/beside/x"
status 2 "$AMBIT" why --write '' write a
status 0 "$AMBIT" settings --schema
jq -e '.properties.agent_mode' <<<"$out" >/dev/null || fail "$out"
