#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# notify_command is run at each question that a person has to answer, with the question as JSON, at
# every door; not where nobody is asked, or a judge, a rule or a fixed answer settles it. It holds
# nobody up, must lie where the agent cannot write, and its failure is told once.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

settings=$XDG_CONFIG_HOME/ambit/config.json
TOLD=$TEST_DIR/told
# What it got, as lines of one file: the name of each question's object.
approver notify <<SH
#!/bin/sh
cat >"$TEST_DIR/last.new" && mv "$TEST_DIR/last.new" "$TEST_DIR/last"
jq -r .what "$TEST_DIR/last" >>"$TOLD"
SH
notify=$approver
approver yes <<'SH'
#!/bin/sh
cat >/dev/null
echo '{"answer":"once"}'
SH
yes=exec:$approver
approver judge <<'SH'
#!/bin/sh
cat >/dev/null
echo '{"verdict":"allow","reason":"fine"}'
SH
judge=$approver
echo "{\"notify_command\": [\"$notify\"]}" >"$settings"
told() { [[ -e $TOLD ]] && grep -qxF -e "$1" "$TOLD"; }
quiet() {
	[[ ! -e $TOLD ]] || fail "told: $(cat "$TOLD")"
}

# Nobody is asked.
held 1 -- touch "$OUT/a"
status 1 "$AMBIT" run -- touch "$OUT/a"
status 0 "$AMBIT" run --ask allow -- touch "$OUT/allowed"
status 0 "$AMBIT" run --ask "$yes" -- touch inside
[[ -e $OUT/allowed && ! -e $OUT/a ]] || fail "not as answered"
echo "{\"notify_command\": [\"$notify\"], \"judge\": {\"command\": [\"$judge\"]}}" >"$settings"
status 0 "$AMBIT" run --ask "$yes" -- touch "$OUT/fine"
[[ -e $OUT/fine ]] || fail "the judge's yes"
echo "{\"notify_command\": [\"$notify\"]}" >"$settings"
quiet

# A program that answers, and a person at a terminal.
status 0 "$AMBIT" run --ask "$yes" -- touch "$OUT/b"
told "write $OUT/b" || fail "not told of a program's question"
jq -e '.choices[0].answer == "no" and .request.args != {} and .outcome.code == "Outside"' \
	"$TEST_DIR/last" >/dev/null || fail "$(cat "$TEST_DIR/last")"
PERSON_STATUS=1 person wait:outside/c 'wait:ambit> ' "until:grep -q '$OUT/c' '$TOLD'" "send:\\r" end -- \
	"$AMBIT" run -- touch "$OUT/c"
[[ $(grep -c . "$TOLD") == 2 ]] || fail "not once each: $(cat "$TOLD")"

# Those who watch, forms of an MCP client, a harness that answers.
export OUT TOLD
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import mcp
import serve
from live import *

OUT, TOLD = os.environ["OUT"], os.environ["TOLD"]


def told(name):
    with open(TOLD) as file:
        return sum(f"{OUT}/{name}" in line for line in file)


run = Run("--", *SHELL)
link = Link(run.pid).watch()
run.tell(f"echo x >{OUT}/watched")
question = link.heard("question")
eventually(lambda: told("watched"), "told while it waits")
check(not os.path.exists(OUT + "/watched"), "done before it was answered")
link.ask("answer", id=question["id"], answer="file")
check(run.line() == "=0", "not written")
run.tell(f"echo y >{OUT}/watched")
check(run.line() == "=0" and told("watched") == 1, "a remembered answer")
run.process.stdin.close()
check(run.process.wait(PATIENCE) == 0, "its end")

client = mcp.Client(answer=mcp.choose("once"))
client.legacy(capabilities={"elicitation": {}})
mcp.good(client.call("write", file_path=OUT + "/form", content="x"))
eventually(lambda: os.path.exists(OUT + "/form") and told("form") == 1, "a form")
mcp.good(client.call("bash", command=f"echo x >{OUT}/crossed"))
eventually(lambda: os.path.exists(OUT + "/crossed") and told("crossed") == 1, "a crossing")
client.end()
client = mcp.Client()
client.legacy()
mcp.bad(client.call("write", file_path=OUT + "/nobody", content="x"), "Outside")
link = Link(client.process.pid).watch()
waiting = client.start("tools/call", {"name": "write", "arguments": {
    "file_path": OUT + "/seen", "content": "x"}})
question = link.heard("question")
eventually(lambda: told("seen") == 1, "only watched")
link.ask("answer", id=question["id"], answer="once")
mcp.good(client.wait(waiting)["result"])
client.end()
check(told("nobody") == 0 and told("seen") == 1, "told of what nobody is asked")

client = serve.Client()
pending = client.call("write", ask=True, file_path=OUT + "/served", content="x")["pending"]
eventually(lambda: told("served") == 1, "a harness")
check(client.ask("answer", pending=pending, answer="once")["ok"], "not written")
client.end()
PY

# One that fails or hangs: the question is asked all the same, and a failure is told once.
approver broken <<'SH'
#!/bin/sh
exit 3
SH
echo "{\"notify_command\": [\"$approver\"]}" >"$settings"
status 0 "$AMBIT" run --ask "$yes" -- sh -c "touch '$OUT/d'; touch '$OUT/e'"
[[ -e $OUT/d && -e $OUT/e ]] || fail "a broken notify_command stops the work"
[[ $(grep -c "notify_command failed: .*exited with 3" <<<"$errout") == 1 ]] || fail "$errout"
approver hangs <<SH
#!/bin/sh
echo x >>"$TEST_DIR/hangs"
sleep 60
SH
echo "{\"notify_command\": [\"$approver\"]}" >"$settings"
status 0 timeout 30 "$AMBIT" run --ask "$yes" -- touch "$OUT/f"
[[ -e $OUT/f && $(cat "$TEST_DIR/hangs") == x ]] || fail "it waited for a program that hangs"

# Never the agent's to choose or to write.
cp "$notify" ./notify
echo "{\"notify_command\": [\"$P/notify\"]}" >"$settings"
status 125 "$AMBIT" run -- true
complains "notify_command: $P/notify lies where the agent can write"
echo "{\"notify_command\": [\"/bin/sh\", \"$P/notify\"]}" >"$settings"
status 125 "$AMBIT" run -- true
complains "lies where the agent can write"
rm "$settings"
echo '{"notify_command": ["/bin/true"]}' >.ambit.json
status 125 "$AMBIT" run -- true
complains "would widen"
