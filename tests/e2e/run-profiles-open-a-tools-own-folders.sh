#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A known tool's own folders are one question, remembered as it is answered;
# --for says it in advance; with nobody to ask it is told what is missing.
. "${0%/*}/line.bash"

mkdir -p bin "$HOME/.npm"
cat >bin/npm <<'END'
#!/bin/bash
echo x >"$HOME/.npm/$1" && echo cached || echo not cached
END
cat >bin/gemini <<'END'
#!/bin/bash
echo "sandbox=$GEMINI_SANDBOX"
END
cat >bin/codex <<'END'
#!/bin/bash
echo "args=$*"
END
chmod +x bin/*
export PATH=$P/bin:$PATH
held 0 -- npm one
says 'not cached'
complains '--for npm opens them'
held 0 --quiet -- npm one
[[ -z $errout || $errout != *'--for'* ]] || fail "$errout"
held 0 --for npm -- npm two
[[ $out == cached && -z $errout && -e $HOME/.npm/two ]] || fail "$out $errout"
held 0 --for npm,gemini -- bash -c 'npm three; gemini'
says cached
says sandbox=false
# It stands in the record, and so does nothing that was not added.
added() { "$AMBIT" log --session "$1" --kind profile; }
[[ $(gemini) == sandbox= ]] || fail "it is set without ambit"
held 0 --session with --for npm,gemini -- bash -c gemini
[[ $(added with) == *'profile gemini adds GEMINI_SANDBOX=false' && $(added with | wc -l) -eq 1 ]] ||
	fail "recorded: $(added with)"
held 0 --session args --for codex -- bash -c codex
[[ $out == args= && -z $(added args) ]] || fail "$out: $(added args)"
held 0 --session without --for npm -- bash -c gemini
[[ $out == sandbox= && -z $(added without) ]] || fail "$out: $(added without)"
export GEMINI_SANDBOX=docker
held 0 --session own --for gemini -- bash -c gemini
[[ $out == sandbox=docker && -z $(added own) ]] || fail "$out: $(added own)"
complains 'you gave gemini GEMINI_SANDBOX=docker, so ambit does not switch that off'
unset GEMINI_SANDBOX
# Another tool's profile is not this one's.
held 0 --for pip -- npm four
says 'not cached'

approver yes.sh <<END
#!/bin/bash
cat >>'$TEST_DIR/asked'; echo >>'$TEST_DIR/asked'
echo '{"answer":"always"}'
END
touch "$TEST_DIR/asked"
status 0 "$AMBIT" run --ask "exec:$approver" -- npm five
[[ $out == cached ]] || fail "$out $errout"
[[ $(wc -l <"$TEST_DIR/asked") -eq 1 ]] || fail "asked $(wc -l <"$TEST_DIR/asked") times"
grep -q npm "$TEST_DIR/asked" || fail "$(cat "$TEST_DIR/asked")"
held 0 -- npm six
[[ $out == cached ]] || fail "not remembered: $out $errout"
# What switches an inner sandbox off is said only where the profile is open.
held 0 -- codex exec
[[ $out == 'args=exec' ]] || fail "$out"
held 0 --for codex -- codex exec
says 'args=--sandbox danger-full-access --no-daemon exec'

# After a no the summary names the profile, once; and what it names helps.
cat >bin/codex <<'END'
#!/bin/bash
mkdir -p "$HOME/.codex/sessions" && echo x >"$HOME/.codex/sessions/${!#}" && echo x >"$HOME/.codex/${!#}" && echo kept
END
approver no.sh <<'END'
#!/bin/bash
cat >/dev/null; echo '{"answer":"no"}'
END
mkdir "$HOME/.codex"
for command in 'codex exec' 'bash -c "codex exec; codex more"'; do
	eval "status 1 '$AMBIT' run --ask 'exec:$approver' -- $command"
	[[ $(grep -c 'to allow' <<<"$errout") -eq 1 ]] || fail "advice: $errout"
	complains 'to allow all that codex keeps: ambit run --for codex -- ...'
	[[ -z $(ls "$HOME/.codex") ]] || fail "written: $(ls "$HOME/.codex")"
	eval "$(sed -n "s#.*keeps: ambit run \(.*\) -- \.\.\.#held 0 \1 -- $command#p" <<<"$errout")"
	says kept
	[[ -e $HOME/.codex/exec && -z $errout ]] || fail "the advice does not help: $out $errout"
	rm -r "$HOME/.codex"/*
done
status 1 "$AMBIT" run --session kept --ask "exec:$approver" -- codex exec
complains 'to allow all that codex keeps, in another session: ambit run --for codex -- ...'
# A file that configures the program is advised as a file.
status 2 "$AMBIT" run --ask "exec:$approver" --for codex -- sh -c 'echo x >"$HOME/.codex/config.toml"'
complains "to allow it: ambit rules add write $HOME/.codex/config.toml"
# A temporary name does not come again: the rule is for the file that it replaces.
mkdir "$HOME/data"
save=("$PYTHON" -B "$HERE/steps.py" "create:$HOME/data/f.tmp.1.1f3c" "rename:$HOME/data/f.tmp.1.1f3c:$HOME/data/f")
[[ $("${save[@]}" | grep -c 'ok$') -eq 2 ]] || fail "it does not work without ambit"
rm "$HOME/data/f"
status 0 "$AMBIT" run --ask "exec:$approver" -- "${save[@]}"
complains "to allow it: ambit rules add write $HOME/data/f"$'\n'
"$AMBIT" rules add write "$HOME/data/f" >/dev/null
held 0 -- "${save[@]}"
[[ $(grep -c 'ok$' <<<"$out") -eq 2 && -e $HOME/data/f ]] || fail "the advice does not help: $out $errout"

# At a terminal "a" is one key, since there is one width, and it holds in another project too.
mkdir -p "$HOME/.cache/pip" "$HOME/other"
cat >bin/pip <<'EOF'
#!/bin/bash
echo x >"$HOME/.cache/pip/$1" && echo cached || echo not cached
EOF
chmod +x bin/pip
person 'wait:a always, in every project' 'wait:ambit> ' send:a wait:allowed wait:cached -- "$AMBIT" run -- pip one
cd "$HOME/other" || exit 1
held 0 -- pip two
[[ $out == cached && -e $HOME/.cache/pip/two ]] || fail "not in another project: $out $errout"
