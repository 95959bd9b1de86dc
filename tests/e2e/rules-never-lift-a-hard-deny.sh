#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A yes in memory does not open ambit's own files, plan mode or a child's line.
. "${0%/*}/lib.sh"

status 0 "$AMBIT" rules add write "$XDG_STATE_HOME" --everywhere
verdict deny Protected write "$STATE/x"
verdict deny PlanMode --mode plan write "$XDG_STATE_HOME/x"
verdict allow - write "$XDG_STATE_HOME/other"
