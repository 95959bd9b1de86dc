#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# At every door a refusal that nobody could be asked about keeps its code, with "asked": false.
# After a question that was answered with no, or not answered in time, it is "asked": true, with
# Denied or Timeout. The refused file is not there; the same call with a yes makes it.
# shellcheck source=tests/e2e/line.bash
. "${0%/*}/line.bash"

for answer in no once; do
	approver "$answer" <<SH
#!/bin/sh
cat >/dev/null
echo '{"answer":"$answer"}'
SH
done
yes=exec:$approver
no=exec:${approver%/*}/no

# ambit decide, and why: nobody is ever asked. An ask is no refusal.
decide "{\"tool\":\"write\",\"args\":{\"file_path\":\"$STATE/x\"}}" \
	"{\"tool\":\"write\",\"args\":{\"file_path\":\"$OUT/x\"}}"
[[ $(field 1 code) == Protected && $(field 1 asked) == false ]] || fail "decide: $out"
[[ $(field 2 verdict) == ask && $(field 2 asked) == null ]] || fail "decide: $out"

# refused CODE ASKED [OPTION...]: ambit run, by its report and by the record.
refused() {
	local code=$1 asked=$2 row
	shift 2
	status 0 "$AMBIT" run --session "s-$code-$asked" --report "$TEST_DIR/report" "$@" -- \
		sh -c "echo x >$OUT/run 2>/dev/null || true"
	[[ ! -e $OUT/run ]] || fail "written although refused: $*"
	row=$(jq -c '.refusals[0] | [.code, .asked]' "$TEST_DIR/report")
	[[ $row == "[\"$code\",$asked]" ]] || fail "report: $row"
	row=$("$AMBIT" log --session "s-$code-$asked" --kind decide --json |
		jq -c 'select(.verdict == "deny") | [.code, .body.asked]' | sort -u)
	[[ $row == "[\"$code\",$asked]" ]] || fail "log: $row"
}
refused Outside false --ask deny
refused Outside false </dev/null
refused Denied true --ask "$no"
# A no that is remembered was not asked for this time.
status 0 "$AMBIT" rules add write "$OUT" --no
refused Denied false --ask "$yes"
status 0 "$AMBIT" rules revoke 1
status 0 "$AMBIT" run --ask "$yes" -- sh -c "echo x >$OUT/run"
[[ -e $OUT/run ]] || fail "a yes writes nothing"

export OUT NO=$no P
PYTHONPATH=$HERE "$PYTHON" -B - <<'PY'
import mcp
import serve
from live import *

OUT, NO, P = os.environ["OUT"], os.environ["NO"], os.environ["P"]
CONFIG = os.environ["XDG_CONFIG_HOME"] + "/ambit/config.json"


def settings(**values):
    with open(CONFIG, "w") as file:
        json.dump(values, file)


def is_refusal(row, code, asked):
    check([row["error"], row["asked"]] == [code, asked], row)
    check(not os.path.exists(OUT + "/x") and not os.path.exists(P + "/.envrc"), "written", row)


def recorded(session):
    lines = ambit("log", "--session", session, "--kind", "decide", "--json").stdout.splitlines()
    events = [json.loads(line) for line in lines]
    return [[e["code"], e["body"]["asked"]] for e in events if e["verdict"] == "deny"]


FILE = {"file_path": OUT + "/x", "content": "x"}
GUARD = {"file_path": ".envrc", "content": "x"}

# The words say so, too. A form that was sent back is no answer of a person's that ambit knows of.
def words(result, has, lacks):
    check(has in mcp.text(result) and lacks not in mcp.text(result), mcp.text(result))


# mcp: nobody; a client with forms whose person says no, or nothing; a program.
client = mcp.Client("--session", "m")
client.legacy()
is_refusal(client.call("write", **FILE)["structuredContent"], "Outside", False)
is_refusal(client.call("write", **GUARD)["structuredContent"], "Guarded", False)
words(client.call("write", **FILE), "nobody can approve it now. Work inside the folder, or report it", "answer")
words(client.call("bash", command=f"echo x >{OUT}/x"), "nobody can approve it now. Work inside", "the answer was")
rows = client.call("bash", command=f"echo x >{OUT}/x")["structuredContent"]["refused"]
check([[row["code"], row["asked"]] for row in rows] == [["Outside", False]], rows)
client.end()
check(recorded("m")[:2] == [["Outside", False], ["Guarded", False]], recorded("m"))
for answer, has in ((mcp.choose("no"), "the answer was no. "),
                    (mcp.choose("no", "not there"), "the answer was no: not there"),
                    (lambda form: {"result": {"action": "decline"}},
                     "the answer was no: the client declined the form")):
    client = mcp.Client(answer=answer)
    client.legacy(capabilities={"elicitation": {}})
    words(client.call("write", **FILE), has, "nobody")
    words(client.call("bash", command=f"echo x >{OUT}/x"), has, "nobody")
    client.end()
# A form that was closed is nobody's answer.
client = mcp.Client(answer=lambda form: {"result": {"action": "cancel"}})
client.legacy(capabilities={"elicitation": {}})
result = client.call("write", **FILE)
is_refusal(result["structuredContent"], "Outside", False)
words(result, "nobody can approve it now: the client closed the form. Work inside", "the answer was")
result = client.call("bash", command=f"echo x >{OUT}/x")
words(result, "nobody can approve it now: the client closed the form. Work inside", "the answer was")
row = result["structuredContent"]["refused"][0]
check(row["asked"] is False and row["allow"] == f"ambit rules add write {OUT}/x", row)
check(not os.path.exists(OUT + "/x") and len(client.asked) == 2, client.asked)
client.end()
settings(question_timeout=1)
for answer, code in ((mcp.choose("no"), "Denied"), (lambda form: None, "Timeout")):
    client = mcp.Client(answer=answer)
    client.legacy(capabilities={"elicitation": {}})
    is_refusal(client.call("write", **FILE)["structuredContent"], code, True)
    rows = client.call("bash", command=f"echo x >{OUT}/x")["structuredContent"]["refused"]
    check([[row["code"], row["asked"]] for row in rows] == [[code, True]], rows)
    client.end()
client = mcp.Client("--ask", NO)
client.legacy()
is_refusal(client.call("write", **FILE)["structuredContent"], "Denied", True)
client.end()

# serve: the same, with "ask": true.
client = serve.Client("--session", "s")
is_refusal(client.call("write", **FILE)["structured"], "Outside", False)
is_refusal(client.call("write", **GUARD)["structured"], "Guarded", False)
pending = client.call("write", ask=True, **FILE)["pending"]
is_refusal(client.ask("answer", pending=pending, answer="no")["structured"], "Denied", True)
pending = client.call("write", ask=True, **FILE)["pending"]
eventually(lambda: ["Timeout", True] in recorded("s"), "it expires")
is_refusal(client.ask("answer", pending=pending, answer="no")["structured"], "Timeout", True)
decided = client.ask("decide", tool="write", args={"file_path": os.environ["XDG_STATE_HOME"] + "/ambit/x"})
check([decided["code"], decided["asked"]] == ["Protected", False], decided)
pending = client.call("write", ask=True, **FILE)["pending"]
check(client.ask("answer", pending=pending, answer="once")["ok"] and os.path.exists(OUT + "/x"), "yes")
os.unlink(OUT + "/x")
client.end()
check([["Denied", True], ["Timeout", True]] == recorded("s")[2:4], recorded("s"))

# A run with one who watches: no answer in time.
report = os.environ["TMPDIR"] + "/report"
run = Run("--report", report, "--", *SHELL)
link = Link(run.pid).watch()
run.tell(f"echo x >{OUT}/x")
link.heard("question")
check(run.line() == "=1", "written")
run.process.stdin.close()
check(run.process.wait(PATIENCE) == 0, "its end")
row = json.load(open(report))["refusals"][0]
is_refusal({"error": row["code"], **row}, "Timeout", True)
PY
