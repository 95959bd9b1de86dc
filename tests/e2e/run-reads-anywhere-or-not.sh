#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reading is free; --reads folder limits it to the folder and the system, and
# --guard-reads keeps keys and the record out of sight.
. "${0%/*}/line.bash"

echo secret >"$OUT/secret"
mkdir -m 700 "$HOME/.ssh"
echo key >"$HOME/.ssh/id_test"
held 0 -- cat "$OUT/secret" "$HOME/.ssh/id_test" /etc/passwd
says secret
says key

held 1 --reads folder -- cat "$OUT/secret"
says_not secret
held 0 --reads folder -- bash -c 'echo here >file; cat file; ls /usr/bin >/dev/null; cat /etc/passwd >/dev/null'
says here
held 0 --reads folder --read "$OUT" -- cat "$OUT/secret"
says secret

held 1 --guard-reads -- cat "$HOME/.ssh/id_test"
says_not key
held 1 --guard-reads -- bash -c 'cat "$1"/*' _ "$STATE"
held 0 --guard-reads -- cat "$OUT/secret"
says secret
held 0 --guard-reads --read "$HOME/.ssh/id_test" -- cat "$HOME/.ssh/id_test"
says key

# ambit's own files cannot be written, whoever says yes.
status 1 "$AMBIT" run --ask allow --write "$HOME" --quiet -- bash -c 'echo x >>"$1"/record.db' _ "$STATE"
status 1 "$AMBIT" run --ask allow --quiet -- bash -c 'echo "{}" >"$1"' _ "$XDG_CONFIG_HOME/ambit/config.json"
[[ ! -e $XDG_CONFIG_HOME/ambit/config.json ]] || fail "settings were written"
status 0 "$AMBIT" log verify
