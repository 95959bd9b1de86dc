#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --scrub-env leaves out what looks like a secret and says so; without it the
# environment is the person's.
. "${0%/*}/line.bash"

export MY_API_KEY=k GITHUB_TOKEN=t DB_PASSWORD=p SSH_AUTH_SOCK=/run/x AWS_PROFILE=a PLAIN=yes EDITOR=vi \
	DB_URL=postgres://ada:hunter22@db.example.org/x TOKENIZERS_PARALLELISM=true \
	SLACK_WEBHOOK=https://example.org/x DEPLOY_WEBHOOK_URL=y
held 0 -- env
for name in MY_API_KEY GITHUB_TOKEN DB_PASSWORD SSH_AUTH_SOCK AWS_PROFILE PLAIN; do says "$name="; done
held 0 --scrub-env --keep-env AWS_PROFILE -- env
for name in MY_API_KEY GITHUB_TOKEN DB_PASSWORD SSH_AUTH_SOCK DB_URL SLACK_WEBHOOK DEPLOY_WEBHOOK_URL; do
	says_not "$name="
	complains "$name"
done
says_not hunter22
for name in AWS_PROFILE PLAIN EDITOR HOME PATH TMPDIR TOKENIZERS_PARALLELISM XDG_STATE_HOME; do says "$name="; done
[[ $errout != *=* ]] || fail "a value was shown: $errout"
held 0 --scrub-env --quiet -- env
[[ -z $errout ]] || fail "$errout"
says_not GITHUB_TOKEN
