#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A name that was opened stays what it is. Behind the line no link gets the name of a grant, of a
# profile's place or of a folder that an answer opened: the next run, or the next command of a
# server, would look the name up again and open what the link leads to. What such a link would lead
# to past the line is refused at the start, and a question never hides it.
. "${0%/*}/line.bash"

mkdir -p "$HOME/.npm" "$HOME/.ssh" "$HOME/docs" "$OUT/open" "$OUT/both/inner" deep/er
echo old >"$HOME/.ssh/authorized_keys"
echo old >"$OUT/file"
# Without ambit each of these works.
{ ln -s "$HOME/docs" l && mv -T l x && rm x; } || fail "links cannot be made here"

# plants NAME OPTIONS...: the program puts a link in the place of the name; it is still no link.
plants() {
	local name=$1
	shift
	line "$@" -- bash -c 'rm -rf "$1"; ln -s "$2" "$1"; ln -s "$2" l; mv -fT l "$1"; rm -f l' - "$name" "$HOME/docs" \
		>/dev/null 2>&1 || true
	[[ ! -L $name ]] || fail "$name is a link now ($*)"
	# And the next run writes nothing where the link would have led.
	line "$@" -- bash -c 'echo x >"$1/planted"' - "$HOME/docs" >/dev/null 2>&1 || true
	[[ ! -e $HOME/docs/planted ]] || fail "what a link leads to was open ($*)"
}
plants "$HOME/.npm" --for npm
plants "$OUT/open" --write "$OUT/open"
plants "$OUT/file" --write "$OUT/file"
plants "$OUT/new" --write "$OUT/new"
plants "$P/deep" --write "$P/deep"

# Deeper in the folder, or in another grant, the kernel lets a link be made. As a grant it is refused.
mkdir -p deep/er
line -- ln -s "$HOME/docs" deep/er/link
for name in "$P/deep/er/link" "$P/deep/er/link/sub"; do
	held 125 --write "$name" -- true
	complains 'goes through the link'
done
ln -s "$P/deep/er/link" "$HOME/own"
held 125 --write "$HOME/own" -- true
complains "goes through the link $P/deep/er/link"
held 0 --write "$HOME/docs" -- touch "$HOME/docs/x"
# A link of the person's own, where nothing behind the line can write, is followed.
ln -s "$HOME/docs" "$OUT/mine"
held 0 --write "$OUT/mine" -- touch "$HOME/docs/y"
[[ -e $HOME/docs/y ]] || fail "the person's own link"

# A profile's place that leads to a guard is not opened, by whatever way; and one that leads
# elsewhere stands first in the question.
rm -rf "$HOME/.npm"
ln -s "$HOME/.ssh" "$HOME/.npm"
held 125 --for npm -- true
complains "leads to $HOME/.ssh, which is guarded"
mkdir bin
printf '#!/bin/sh\necho x >>"$HOME/.ssh/authorized_keys"\n' >bin/npm
chmod +x bin/npm
approver yes.sh <<END
#!/bin/bash
jq -c '{kind, object, danger, facts}' >>'$TEST_DIR/asked'
jq -n --arg answer "\$(cat '$TEST_DIR/says')" '{\$answer}'
END
echo once >"$TEST_DIR/says"
status 0 "$AMBIT" run --ask "exec:$approver" -- sh -c bin/npm
grep -q '"kind":"file".*CHANGES WHAT ssh RUNS' "$TEST_DIR/asked" || fail "asked: $(cat "$TEST_DIR/asked")"
rm "$HOME/.npm" "$TEST_DIR/asked"
mkdir "$HOME/.npm" "$HOME/.cache"
ln -s "$HOME/docs" "$HOME/.cache/node-gyp"
printf '#!/bin/sh\necho x >"$HOME/.npm/x"\n' >bin/npm
status 0 "$AMBIT" run --ask "exec:$approver" -- sh -c bin/npm
grep -q '"write","text":"~/.cache/node-gyp (really ~/docs)  ~/.npm' "$TEST_DIR/asked" || fail "asked: $(cat "$TEST_DIR/asked")"

# In a folder that an answer or a flag opened a link can be made, and a profile's place may lie there.
# The next run does not follow it by the profile's name.
rm -r "$HOME/.cache"
mkdir -p "$HOME/.cache/copilot"
leads='echo x >"$HOME/.cache/file" && rm -r "$HOME/.cache/copilot" && ln -s "$HOME/docs" "$HOME/.cache/copilot"'
keep='echo x >"$HOME/docs/kept"'
held 0 --for copilot -- bash -c 'echo x >"$HOME/.cache/copilot/own"'
[[ -e $HOME/.cache/copilot/own ]] || fail "the profile opens nothing"
approver folder.sh <<END
#!/bin/bash
jq -c '.choices | map(select(.answer == "folder"))[0] | {answer, path}'
END
follows() { # HOW OPTIONS...: after a link was planted
	local how=$1
	shift
	[[ -L $HOME/.cache/copilot ]] || fail "$how: no link was made: $out $errout"
	held 125 "$@" -- bash -c "$keep"
	complains "copilot leads to $HOME/docs, through a link"
	[[ ! -e $HOME/docs/kept ]] || fail "$how: what the link leads to was open"
	rm "$HOME/.cache/copilot"
	mkdir "$HOME/.cache/copilot"
}
status 0 "$AMBIT" run --ask "exec:$approver" -- bash -c "$leads"
follows 'by an answer' --for copilot
held 0 --write "$HOME/.cache" -- bash -c "$leads"
follows 'by a flag' --for npm,copilot
held 0 --write "$HOME/.cache" -- bash -c "$leads"
echo '{"profiles":["copilot"]}' >"$XDG_CONFIG_HOME/ambit/config.json"
follows 'by the setting'
rm "$XDG_CONFIG_HOME/ambit/config.json"
# The same for a link on the way to a place.
rm -r "$HOME/.cache"
ln -s "$HOME/docs" "$HOME/.cache"
held 125 --for copilot -- bash -c "$keep"
[[ ! -e $HOME/docs/kept && ! -e $HOME/docs/copilot ]] || fail "a link on the way was followed"
# A link of the person's own is followed to a place that he named, or said yes to.
held 0 --for copilot --write "$HOME/docs" -- bash -c "$keep"
[[ -e $HOME/docs/kept ]] || fail "a place that was named is not open"
echo always >"$TEST_DIR/says"
printf '#!/bin/sh\nmkdir -p "$HOME/.cache/copilot" && echo "$1" >"$HOME/.cache/copilot/yes"\n' >bin/copilot
chmod +x bin/copilot
status 0 "$AMBIT" run --ask "exec:$TEST_DIR/approvers/yes.sh" -- bin/copilot one
held 0 --for copilot -- bin/copilot two
[[ $(cat "$HOME/docs/copilot/yes") == two ]] || fail "what was said yes to is not open: $errout"
