#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Who watches is not shown what the judge is still thinking about: a yes of his is never a
# question to anybody, and what he passes on is one then.
# shellcheck source=tests/e2e/judge.bash
. "${0%/*}/judge.bash"
mkdir "$TEST_DIR/thinker"
cat >"$TEST_DIR/thinker/program" <<END
#!/bin/sh
cat >/dev/null
touch $TEST_DIR/thinks
until test -e $TEST_DIR/say; do sleep 0.02; done
cat $TEST_DIR/say
rm $TEST_DIR/say
END
chmod 755 "$TEST_DIR/thinker/program"
judge_is_program "$TEST_DIR/thinker/program" 60000
export AMBIT PYTHONPATH=$HERE
D=$TEST_DIR "$PYTHON" -B - <<'PY'
from live import *

OUT, D = os.environ["OUT"], os.environ["D"]


def says(verdict):
    eventually(lambda: os.path.exists(D + "/thinks"), "he is asked")
    os.remove(D + "/thinks")
    check(not link.heard_now("question"), "shown before he has spoken")
    with open(D + "/said", "w") as file:
        json.dump({"verdict": verdict, "reason": "a log of the build"}, file)
    os.rename(D + "/said", D + "/say")


run = Run("--session", "one", "--", *SHELL)
link = Link(run.pid).watch()
run.tell(f"echo x >{OUT}/a.log")
says("allow")
check(run.line() == "=0" and os.path.exists(OUT + "/a.log"), "his yes has no effect")
check(not link.heard_now("question"), "shown though he said yes")
os.mkdir(OUT + "/other")
run.tell(f"echo x >{OUT}/other/b.log")
says("pass")
question = link.heard("question")
link.ask("answer", id=question["id"], answer="once")
check(run.line() == "=0" and os.path.exists(OUT + "/other/b.log"), "what he passed on")
run.end()
PY
