#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""config.py BUNDLE [OPTION...] -- COMMAND...: writes BUNDLE/config.json for runc.

A container as `docker run` makes it: own namespaces, the usual capabilities for
root and none for a user, /proc masked, and a seccomp filter that refuses what
Docker's default one refuses to a container without further capabilities.

    --user N           uid and gid; 0 without it
    --read-only        the root cannot be written
    --env NAME=VALUE
    --bind FROM:TO     a directory of the host
    --tmpfs PATH
    --cwd PATH
    --terminal
    --ptrace           with CAP_SYS_PTRACE: --cap-add=SYS_PTRACE
    --drop-all         no capabilities and no_new_privs: a restricted pod
    --refuse NAME      one more call that is refused
"""
import argparse
import json

CAPS = """CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP
NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE"""

# By the capability that would open them; None: there is no such.
REFUSED = {
    None: """add_key keyctl request_key userfaultfd kexec_load kexec_file_load
        io_uring_setup io_uring_enter io_uring_register swapon swapoff pivot_root nfsservctl
        move_pages migrate_pages ustat sysfs _sysctl uselib name_to_handle_at""",
    "SYS_ADMIN": """bpf fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount
        mount_setattr move_mount open_tree perf_event_open quotactl quotactl_fd setdomainname
        sethostname setns umount2 unshare""",
    "DAC_READ_SEARCH": "open_by_handle_at",
    "SYS_BOOT": "reboot",
    "SYS_MODULE": "delete_module init_module finit_module create_module query_module",
    "SYS_PACCT": "acct",
    "SYS_PTRACE": "kcmp pidfd_getfd process_madvise",
    "SYS_RAWIO": "iopl ioperm",
    "SYS_TIME": "settimeofday clock_settime",
    "SYS_TTY_CONFIG": "vhangup",
    "SYS_NICE": "get_mempolicy mbind set_mempolicy set_mempolicy_home_node",
    "SYSLOG": "syslog",
}
EPERM = 1
ENOSYS = 38
NAMESPACES = 0x7E020000
VSOCK = 40


def seccomp(caps, more):
    rules = []

    def refuse(names, error=EPERM, args=None):
        rules.append({"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error})
        if args:
            rules[-1]["args"] = args

    for cap, names in REFUSED.items():
        if cap not in caps:
            refuse(names.split())
    for name in more:
        refuse([name])
    refuse(["clone3"], ENOSYS)
    for bit in range(32):
        if NAMESPACES & 1 << bit:
            refuse(["clone"], EPERM, [
                {"index": 0, "op": "SCMP_CMP_MASKED_EQ", "value": 1 << bit, "valueTwo": 1 << bit}])
    refuse(["socket"], EPERM, [{"index": 0, "op": "SCMP_CMP_EQ", "value": VSOCK}])
    return {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules}


def mounts(args):
    def mount(to, kind, *options, source=None):
        return {"destination": to, "type": kind, "source": source or kind,
                "options": list(options)}

    return [
        mount("/proc", "proc", "nosuid", "noexec", "nodev"),
        mount("/dev", "tmpfs", "nosuid", "strictatime", "mode=755", "size=65536k"),
        mount("/dev/pts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666",
              "mode=0620", "gid=5"),
        mount("/dev/shm", "tmpfs", "nosuid", "noexec", "nodev", "mode=1777", "size=65536k",
              source="shm"),
        mount("/dev/mqueue", "mqueue", "nosuid", "noexec", "nodev"),
        mount("/sys", "sysfs", "nosuid", "noexec", "nodev", "ro"),
    ] + [mount(to, "tmpfs", "nosuid", "nodev", "mode=1777") for to in args.tmpfs] + [
        mount(to, "bind", "rbind", "rprivate", source=source)
        for source, to in (bind.split(":") for bind in args.bind)]


def config(args):
    caps = [] if args.drop_all else CAPS.split() + (["SYS_PTRACE"] if args.ptrace else [])
    full = ["CAP_" + cap for cap in caps]
    # A user gets them in the bounding set alone.
    held = full if args.user == 0 else []
    return {
        "ociVersion": "1.0.2",
        "process": {
            "terminal": args.terminal,
            "user": {"uid": args.user, "gid": args.user},
            "args": args.command,
            "env": ["PATH=/usr/bin:/bin"] + args.env,
            "cwd": args.cwd,
            "capabilities": {"bounding": full, "effective": held, "permitted": held},
            "noNewPrivileges": args.drop_all,
        },
        "root": {"path": "rootfs", "readonly": args.read_only},
        "hostname": "box",
        "mounts": mounts(args),
        "linux": {
            "namespaces": [{"type": kind} for kind in
                           ("pid", "network", "ipc", "uts", "mount")],
            "seccomp": seccomp(caps, args.refuse),
            "maskedPaths": ["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
                            "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
                            "/proc/scsi", "/sys/firmware"],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
                              "/proc/sysrq-trigger"],
        },
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("--user", type=int, default=0)
    parser.add_argument("--cwd", default="/")
    for name in ("env", "bind", "tmpfs", "refuse"):
        parser.add_argument("--" + name, action="append", default=[])
    for name in ("read-only", "terminal", "ptrace", "drop-all"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    with open(args.bundle + "/config.json", "w", encoding="utf-8") as file:
        json.dump(config(args), file, indent=1)


main()
