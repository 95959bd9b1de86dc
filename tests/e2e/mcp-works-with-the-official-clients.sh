#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Takes long.
# Runs once.
# The SDK's clients of both generations and the Inspector, from npm: tests/mcp/run.
# Not lib.sh: npm has its settings in the person's own home.
set -euo pipefail
exec "${AMBIT_SOURCE:-$(dirname "$0")/../..}/tests/mcp/run"
