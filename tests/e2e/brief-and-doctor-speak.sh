#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# brief names the folder and the protocol; doctor tells what works.
. "${0%/*}/lib.sh"

status 0 "$AMBIT" brief
says project
says refus
says outside
status 0 "$AMBIT" brief --mode plan
says plan
status 0 "$AMBIT" doctor
says folder
says calls
status 0 "$AMBIT" doctor --json
[[ $(jq -r '.[] | select(.name == "record") | .detail' <<<"$out") == 'none yet' ]] || fail "$out"
# What this kernel does with signals while a call is held, wherever calls can be held.
jq -e '(map(select(.name == "seccomp" and .ok)) | length == 0) or
	(map(select(.name == "signals" and (.detail | length > 0))) | length == 1)' <<<"$out" >/dev/null || fail "$out"
echo '{' >"$XDG_CONFIG_HOME/ambit/config.json"
status 1 "$AMBIT" doctor
says config.json
