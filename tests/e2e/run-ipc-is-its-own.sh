#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SysV objects: those of others stay as they are, own ones are free, and what is
# left of them goes at the end.
. "${0%/*}/line.bash"
command -v ipcmk >/dev/null || skip "no ipcmk"

there() { ipcs "-$1" -i "$2" 2>/dev/null | grep -q "id=$2\b"; }
make_all() { # their ids in $shm, $sem, $msg
	shm=$(ipcmk -M 4096) sem=$(ipcmk -S 1) msg=$(ipcmk -Q)
	shm=${shm##* } sem=${sem##* } msg=${msg##* }
}
make_all
ipcrm -m "$shm" -s "$sem" -q "$msg" # it works without ambit
make_all
trap 'ipcrm -m "$shm" -s "$sem" -q "$msg" 2>/dev/null || true' EXIT
for act in "-m $shm" "-s $sem" "-q $msg"; do
	# shellcheck disable=SC2086 # two words
	held 1 -- ipcrm $act
done
all_there() { there m "$1" && there s "$2" && there q "$3"; }
all_there "$shm" "$sem" "$msg" || fail "gone: $shm $sem $msg"
# Looking is free.
held 0 -- ipcs -a
says "$shm"

held 0 -- bash -c 'm=$(ipcmk -M 4096) && s=$(ipcmk -S 1) && q=$(ipcmk -Q) &&
	ipcrm -m "${m##* }" -s "${s##* }" -q "${q##* }" && echo removed'
says removed
held 0 -- bash -c 'ipcmk -M 4096 && ipcmk -S 1 && ipcmk -Q'
mapfile -t left < <(sed -n 's/.*id: //p' <<<"$out")
[[ ${#left[@]} -eq 3 ]] || fail "$out"
any_there() { there m "$1" || there s "$2" || there q "$3"; }
! any_there "${left[@]}" || fail "left: ${left[*]}"
