#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs once.
# A judge who fails, is slow, talks around it, or says anything but a plain yes: the
# person is asked as if there were none, and nothing of what he said is shown.
# shellcheck source=tests/e2e/judge.bash
. "${0%/*}/judge.bash"

judge_serve 0
try() { "$AMBIT" run --ask "exec:$person_program" -- bash -c 'echo x >"$OUT/x"'; }

# It is the judge's yes that makes the difference.
judge_is allow
status 0 try
asked 0
[[ -e $OUT/x ]] || fail "not written"
rm "$OUT/x"

for way in pass deny hedged condition talks fenced two twice other empty long escapes bidi cut filtered \
	calls refusal person error choices none bare garbage half bytes status created huge redirects closes; do
	forget
	judge_is "$way"
	status 1 try
	times 1
	asked 1
	[[ ! -e $OUT/x ]] || fail "$way: written"
	[[ $errout != *owned* ]] || fail "$way: shown: $errout"
	status 0 "$AMBIT" log export --kind judge --last 1
	[[ $(jq -r '.subject, .body.verdict' <<<"$out" | tr '\n' ' ') == "write $OUT/x pass " ]] || fail "$way: $out"
	[[ -n $(jq -r .body.reason <<<"$out") && $out != *'\u001b'* ]] || fail "$way: $out"
done

# Slow ones are waited for as long as was said.
for way in slow drip; do
	forget
	judge_is "$way" 2000
	before=$EPOCHREALTIME
	status 1 try
	((${EPOCHREALTIME/./} - ${before/./} < 20000000)) || fail "$way: waited too long"
	times 1
	asked 1
done
# The person may still say yes.
echo '{"answer":"once"}' >"$TEST_DIR/answer"
status 0 try
asked 1
[[ -e $OUT/x ]] || fail "not written"
rm "$OUT/x"
echo '{"answer":"no"}' >"$TEST_DIR/answer"

# Nobody there.
kill "${servers[0]}"
wait "${servers[0]}" 2>/dev/null || true
judge_is allow
status 1 try
asked 1
status 0 "$AMBIT" log export --kind judge --last 1
says "nobody listens at port $judge_port"

# A certificate that nobody vouches for.
if command -v openssl >/dev/null; then
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$TEST_DIR/key" -out "$TEST_DIR/cert" 2>/dev/null
	cat "$TEST_DIR/key" "$TEST_DIR/cert" >"$TEST_DIR/pem"
	judge_serve 0 "$TEST_DIR/pem"
	scheme=https judge_is allow
	status 1 try
	times 0
	asked 1
	status 0 "$AMBIT" log export --kind judge --last 1
	says certificate
fi

# A program in his place, as strictly.
approver program <<'SH'
#!/bin/sh
exec jq -c '{verdict: "allow", reason: (.tool + " by " + .program)}'
SH
judge_is_program "$approver"
status 0 try
asked 0
status 0 "$AMBIT" log --judge --last 1
says "write by $(realpath "$(command -v bash)")"
rm "$OUT/x"
approver hangs <<'SH'
#!/bin/sh
echo '{"verdict":"allow","reason":"fine"}'
exec sleep 60
SH
judge_is_program "$approver" 300
status 1 try
asked 1
[[ ! -e $OUT/x ]] || fail "written"

# One who fails at first and then says yes to all: what the person refused meanwhile stays
# refused, by whatever program it is tried again; elsewhere his yes counts.
approver moody <<SH
#!/bin/sh
cat >/dev/null
[ -e "$TEST_DIR/failed" ] || { touch "$TEST_DIR/failed"; exit 1; }
echo '{"verdict":"allow","reason":"fine"}'
SH
judge_is_program "$approver"
mkdir "$OUT/no" "$OUT/yes"
status 0 "$AMBIT" run --ask "exec:$person_program" -- \
	bash -c 'echo x >"$OUT/no/x"; cp /etc/passwd "$OUT/no/y"; echo x >"$OUT/yes/x"'
asked 2
[[ $(find "$OUT" -type f) == "$OUT/yes/x" ]] || fail "$(find "$OUT")"

# A key that is not there, a program that is not, or that can be written: told at once.
judge_serve 0
judge_is allow
status 125 env -u JUDGE_KEY "$AMBIT" run -- true
complains 'JUDGE_KEY'
judge_is_program /no/such/judge
status 125 "$AMBIT" run -- true
complains 'judge: /no/such/judge'
cp "$TEST_DIR/approvers/program" mine
judge_is_program "$P/mine"
status 125 "$AMBIT" run -- true
complains 'lies where the agent can write'
echo '{}' >"$XDG_CONFIG_HOME/ambit/config.json"
echo '{"judge": {"command": ["/bin/true"]}}' >.ambit.json
status 125 "$AMBIT" run -- true
complains '.ambit.json:1:2'
