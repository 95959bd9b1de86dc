#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ^Z stops the whole job as the person's shell sees it, fg continues it; inside,
# an interactive shell has job control of its own.
. "${0%/*}/line.bash"

export PS1='outer$ ' HISTFILE=
person 'wait:outer$ ' 'send:"$AMBIT" run -- bash -c "echo begun; read x; echo got \\$x"\r' "wait:begun\r" \
	send:^Z wait:Stopped 'wait:outer$ ' 'send:echo shell-$((40+2))\r' wait:shell-42 'send:fg\r' \
	'send:typed\r' 'wait:got typed' 'wait:outer$ ' 'send:exit\r' -- bash --norc --noprofile -i
person 'wait:inner$ ' 'send:sh -c "echo be""gun; exec sleep 1000"\r' wait:begun send:^Z wait:Stopped 'wait:inner$ ' 'send:jobs\r' wait:sleep \
	'wait:inner$ ' 'send:bg\r' 'wait:inner$ ' 'send:kill %1; wait %1; echo w=$?\r' wait:w=143 'wait:inner$ ' \
	'send:sh -c "echo a""gain; exec sleep 1000"\r' wait:again send:^C 'wait:inner$ ' 'send:sh -c "echo re""ady; exec cat"\r' wait:ready 'send:hello\r' wait:hello wait:hello send:^D \
	'wait:inner$ ' 'send:exit 5\r' -- bash -c 'PS1="inner$ " "$AMBIT" run -- bash --norc --noprofile -i; [[ $? -eq 5 ]]'
