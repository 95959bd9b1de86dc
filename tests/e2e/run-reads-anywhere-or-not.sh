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

# A file that is opened for both: where it may be written and reads are not held, nobody is asked
# about reading it. Where they are held, a yes to writing is not enough.
mkdir "$HOME/.gnupg"
echo trust >"$HOME/.gnupg/trustdb.gpg"
both=(bash -c 'exec 3<>"$1" && cat <&3 && echo more >&3' _ "$HOME/.gnupg/trustdb.gpg")
status 0 "${both[@]}"
held 1 --quiet -- "${both[@]}"
says_not trust
status 0 "$AMBIT" rules add write "$HOME/.gnupg"
held 0 -- "${both[@]}"
says trust
[[ $(wc -l <"$HOME/.gnupg/trustdb.gpg") -eq 3 ]] || fail "not written: $(cat "$HOME/.gnupg/trustdb.gpg")"
held 1 --quiet --guard-reads -- "${both[@]}"
says_not trust
held 1 --quiet --reads folder -- "${both[@]}"
says_not trust

# ambit's own files cannot be written, whoever says yes.
status 1 "$AMBIT" run --ask allow --write "$HOME" --quiet -- bash -c 'echo x >>"$1"/record.db' _ "$STATE"
status 1 "$AMBIT" run --ask allow --quiet -- bash -c 'echo "{}" >"$1"' _ "$XDG_CONFIG_HOME/ambit/config.json"
[[ ! -e $XDG_CONFIG_HOME/ambit/config.json ]] || fail "settings were written"
status 0 "$AMBIT" log verify
