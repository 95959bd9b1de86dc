#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# why: 0 allow, 10 ask, 11 deny, and the code of each; nothing is recorded.
. "${0%/*}/lib.sh"

mkdir src .git .git/hooks
ln -s "$OUT" link
verdict allow - write src/a.c
verdict allow - write "$P/src/../b.c"
verdict allow - read /etc/hostname
verdict ask Outside write "$OUT/x"
verdict ask Outside delete "$OUT/x"
verdict deny SymlinkEscape write link/x
verdict ask Guarded write .git/hooks/pre-commit
verdict ask GuardedRead --door decide read "$HOME/.ssh/id_ed25519"
verdict deny Protected write "$STATE/ambit.db"
verdict deny PlanMode --mode plan write a
verdict deny ReadOnly --read-only write a
verdict allow - --write "$OUT" write "$OUT/x"
verdict deny OutOfScope --reads folder --door decide read /etc/hostname
verdict ask HostNotAllowed connect example.com:443
verdict allow - --allow-host '*.example.com' connect www.example.com
verdict ask UnknownTool tool mcp__x__y '{}'
status 2 "$AMBIT" why tool frobnicate '{}'
verdict deny BadArguments tool write '{"file_path":'

# A relative path is the person's, a tool's is the folder's.
mkdir sub
cd sub
verdict ask Outside --folder . write ../a
verdict allow - --folder .. write a
verdict ask Outside --folder . tool write '{"file_path":"../a"}'

status 0 "$AMBIT" why --folder "$P" write "$P/a"
says allow
says LAYER
[[ ! -e $STATE ]] || fail "why made $STATE"
