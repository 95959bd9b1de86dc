#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# HOME and the XDG directories are obeyed; a relative XDG path is ignored;
# without a HOME the user database says where home is.
. "${0%/*}/lib.sh"

request='{"tool":"write","args":{"file_path":"a"}}'
XDG_STATE_HOME=$TEST_DIR/s1 "$AMBIT" decide <<<"$request" >/dev/null
[[ -n $(find "$TEST_DIR/s1/ambit" -type f) ]] || fail "XDG_STATE_HOME is not used"
[[ $(stat -c %a "$TEST_DIR/s1/ambit") == 700 ]] || fail "the state directory is open to others"
XDG_STATE_HOME=relative "$AMBIT" decide <<<"$request" >/dev/null
[[ ! -e relative && -d $HOME/.local/state/ambit ]] || fail "a relative XDG path is used"
status 0 env -u HOME -u XDG_CONFIG_HOME -u XDG_STATE_HOME "$AMBIT" version
if getent passwd "$(id -u)" >/dev/null; then
	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	status 0 env -u HOME -u XDG_CONFIG_HOME -u XDG_STATE_HOME "$AMBIT" settings
	status 0 env -u HOME -u XDG_CONFIG_HOME "$AMBIT" doctor
	says "$home/.config/ambit"
fi
# The home directory as the folder: allowed, and said once.
cd "$HOME"
status 0 "$AMBIT" decide --session h <<<"$request"
complains 'home directory'
status 0 "$AMBIT" decide --folder "$HOME" --session h <<<"$request"
[[ -z $errout ]] || fail "a folder that was named is no surprise: $errout"
