#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A guard in a directory that the floor knows nothing of: an honest program is
# asked; what came past the gate is told when the command has ended, and the
# person is asked whether it may stay.
. "${0%/*}/line.bash"

mkdir -p sub/known
echo mine >sub/known/.envrc
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

# A directory that its mode closes, to be listed or to be looked at, is named; also to
# the person, who can have it put away. Root is not kept out, and finds the file.
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
	[[ ! -e shut && -d shut.ambit-refused ]] || fail "mode $mode: $(ls -la)"
	grep -q "keep shut (cannot be looked into)" "${approver%/*}/asked" || fail "the question: $(<"${approver%/*}/asked")"
	chmod 700 shut.ambit-refused
done
rm -rf shut shut.ambit-refused

# One that was closed to the command as well is no news.
mkdir -m 0 closed
held 0 --report report.json -- touch file
[[ $(jq -c '[.unseen, .unseen_in]' report.json) == '[false,[]]' ]] || fail "closed before: $(<report.json)"
rmdir closed
