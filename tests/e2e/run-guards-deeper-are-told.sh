#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A guard in a directory that the floor knows nothing of: an honest program is
# asked; what came past the gate is told when the command has ended, and the
# person is asked whether it may stay.
. "${0%/*}/line.bash"

# ages PATH: until what changes now is surely newer, by more than a tick.
ages() {
	local was
	was=$(date -d "$(stat -c %z "$1")" +%s%N)
	while (($(date +%s%N) - was < 50000000)); do :; done
}

mkdir -p sub/known
echo mine >sub/known/.envrc
ages sub/known/.envrc
held 1 -- "$CALLS" create sub/.envrc
[[ ! -e sub/.envrc && $errout != *"without a yes"* ]] || fail "an honest program: $errout"
natural create sub/.envrc
rm sub/.envrc

# One that cannot be looked into gets what the floor gives.
held 0 --report report.json -- "$CALLS" -n create sub/.envrc
[[ -e sub/.envrc ]] || fail "the gate can ask this one: then another way past it is needed here"
complains "1 guarded file came or changed without a yes" "sub/.envrc"
[[ $(jq -r '.planted[]' report.json) == "$PWD/sub/.envrc" ]] || fail "the report: $(<report.json)"
# Not what was there before, and nothing at the top, where it is law.
[[ $errout != *known* ]] || fail "$errout"
held 1 -- "$CALLS" -n create .envrc
[[ ! -e .envrc ]] || fail ".envrc at the top"
rm sub/.envrc

# The person is asked; a no takes it out of the way, and nothing is lost.
approver no.sh <<'END'
#!/bin/bash
cat >>"${0%/*}/asked"
echo '{"answer":"no"}'
END
status 0 "$AMBIT" run --ask "exec:$approver" -- "$CALLS" -n create sub/.envrc
[[ ! -e sub/.envrc && -e sub/.envrc.ambit-refused ]] || fail "no: $(ls -a sub) $errout"
grep -q "keep sub/.envrc" "${approver%/*}/asked" || fail "the question: $(<"${approver%/*}/asked")"
approver yes.sh <<'END'
#!/bin/bash
echo '{"answer":"once"}'
END
status 0 "$AMBIT" run --ask "exec:$approver" -- "$CALLS" -n create sub/.envrc
[[ -e sub/.envrc ]] || fail "yes: $(ls -a sub) $errout"
rm sub/.envrc

# Repositories that git makes deeper down are everyday work.
held 0 -- git init -q sub/new
[[ $errout != *"without a yes"* && -e sub/new/.git/config ]] || fail "git init: $errout"

# In git directories, too: whoever brought it, here somebody outside of the line. Not what
# was there before, nor a link to a name beside it, nor a plain config.
mkdir -p .git/logs .git/refs/heads .git/modules/a/hooks .git/modules/b/c nest/.git/logs real/refs
mkdir -p nest/tree
echo "gitdir: ../../real" >nest/tree/.git
ln -s /nowhere .git/logs/before
ages .git/logs/before
mkfifo ready go
{
	read -r _ <ready
	ln -s /nowhere .git/logs/HEAD
	ln -s main .git/refs/heads/beside
	ln -s /nowhere nest/.git/logs/HEAD
	ln -s /nowhere real/refs/leads
	echo x >.git/modules/a/hooks/post-checkout
	printf '[core]\n\tfsmonitor = ./evil\n' >.git/modules/b/c/config
	printf '[core]\n\tbare = false\n' >.git/modules/a/config
	echo >go
} &
held 0 --report report.json -- sh -c "touch file; echo >ready; read -r _ <go"
wait
[[ $(jq -r '.planted[]' report.json | sort) == $(printf '%s\n' "$PWD/.git/logs/HEAD" \
	"$PWD/.git/modules/a/hooks/post-checkout" "$PWD/.git/modules/b/c/config" \
	"$PWD/nest/.git/logs/HEAD" "$PWD/real/refs/leads") ]] || fail "in git directories: $(<report.json)"
complains "5 guarded files came or changed without a yes" ".git/logs/HEAD"
rm -rf .git nest real file ready go

# A directory that its mode closes, to be listed or to be looked at, is named. Root is not
# kept out, and finds the file.
approver no.sh <<'END'
#!/bin/bash
cat >>"${0%/*}/asked"
echo '{"answer":"no"}'
END
for mode in 311 600 0; do
	rm -rf shut shut.ambit-refused "${approver%/*}/asked"
	held 0 --report report.json -- sh -c "mkdir shut && '$CALLS' -n create shut/.envrc && chmod $mode shut"
	if [[ $(id -u) -eq 0 ]]; then
		complains "shut/.envrc"
		continue
	fi
	complains "not all of the folder could be looked through"
	complains "shut cannot be looked into"
	[[ $(jq -c '[.unseen, .unseen_in]' report.json) == "[true,[\"$PWD/shut\"]]" ]] || fail "mode $mode: $(<report.json)"
	chmod 700 shut
	status 0 "$AMBIT" run --ask "exec:$approver" -- sh -c "chmod $mode shut"
	complains "shut cannot be looked into"
	# Whose doing it is nobody knows: it stays where it is.
	[[ -d shut && ! -e shut.ambit-refused && ! -e ${approver%/*}/asked ]] || fail "mode $mode: $(ls -la)"
	chmod 700 shut
done
rm -rf shut

# Nor is one news that can be searched and not listed, and is as it was.
mkdir -m 311 searched
ages searched
held 0 --report report.json -- touch file
[[ $(jq -c '[.unseen, .unseen_in]' report.json) == '[false,[]]' ]] || fail "searched before: $(<report.json)"
chmod 700 searched

# A name that looks like ambit's own hides nothing.
held 0 --report report.json -- sh -c "mkdir deep && '$CALLS' -n mkdir deep/.ambit-abcdefghijkmnpqrstuv && '$CALLS' -n create deep/.ambit-abcdefghijkmnpqrstuv/.envrc"
[[ $(jq -c .planted report.json) == *ambit-abcdefghijkmnpqrstuv/.envrc* ]] || fail "hidden: $(<report.json)"
rm -rf deep searched

# One that was closed to the command as well is no news.
mkdir -m 0 closed
ages closed
held 0 --report report.json -- touch file
[[ $(jq -c '[.unseen, .unseen_in]' report.json) == '[false,[]]' ]] || fail "closed before: $(<report.json)"
rmdir closed
