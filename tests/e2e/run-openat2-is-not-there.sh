#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# openat2 is ENOSYS behind the line, and openat works. ambit's own commands do without it, too.
. "${0%/*}/line.bash"

cat >opens.py <<'END'
import ctypes, errno, os, struct

libc = ctypes.CDLL(None, use_errno=True)
for flags in (os.O_RDONLY, os.O_PATH, os.O_RDWR, os.O_WRONLY | os.O_CREAT):
    how = struct.pack("QQQ", flags, 0o600 if flags & os.O_CREAT else 0, 8)
    if libc.syscall(437, -100, b"opens.py", how, len(how)) < 0:
        print(errno.errorcode[ctypes.get_errno()])
    else:
        print("opened")
    os.close(os.open("opens.py", flags))
END
status 0 "$PYTHON" opens.py
[[ $out == "opened"$'\n'"opened"$'\n'"opened"$'\n'"opened" ]] || fail "without ambit: $out"
held 0 -- "$PYTHON" opens.py
[[ $out == "ENOSYS"$'\n'"ENOSYS"$'\n'"ENOSYS"$'\n'"ENOSYS" ]] || fail "$out"

mkdir -p deep/er
ln -s deep/er short
held 0 -- "$AMBIT" why write short/file
says allow
held 0 -- "$AMBIT" brief
says "$P"
held 10 -- "$AMBIT" why write "$OUT/file"
says Outside
