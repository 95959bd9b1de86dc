# SPDX-License-Identifier: Apache-2.0
# The world of one round of tests/predict: a home with a folder, grants, repositories and what lies
# outside, random settings for it, and the objects that each operation has for itself. Everything
# that operation N may touch has "_N_" in its path.
import json
import os
import shutil
import socket
import stat
import subprocess

ROOT = os.geteuid() == 0
SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")

# -- objects ------------------------------------------------------------------


def make_file(path, text=b"old text", mode=0o644):
    with open(path, "wb") as f:
        f.write(text)
    os.chmod(path, mode)


def make_repository(path, bare=False):
    git = path if bare else path + "/.git"
    for name in ("hooks", "objects/ab", "refs/heads"):
        os.makedirs(git + "/" + name)
    make_file(git + "/HEAD", b"ref: refs/heads/main\n")
    make_file(git + "/config", b"[core]\n\tbare = %s\n" % (b"true" if bare else b"false"))
    make_file(git + "/hooks/pre-commit", b"#!/bin/sh\n", 0o755)


def make_gitfile(path, git):
    """A worktree or a submodule: .git is a file that leads to a git directory elsewhere."""
    os.makedirs(path)
    make_file(path + "/.git", b"gitdir: " + os.fsencode(git) + b"\n")


def make_full(path):
    os.mkdir(path)
    make_file(path + "/in")
    os.mkdir(path + "/below")


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as s:
        at = os.getcwd()
        os.chdir(os.path.dirname(path))
        try:
            s.bind(os.path.basename(path))
        finally:
            os.chdir(at)


def make_named_twice(path):
    make_file(path)
    os.link(path, path + "-also")


MAKE = {
    "file": make_file,
    "empty": lambda p: make_file(p, b""),
    "dir": os.mkdir,
    "full": make_full,
    "repo": make_repository,
    "twice": make_named_twice,
    "fifo": os.mkfifo,
    "socket": make_socket,
    "mode-444": lambda p: make_file(p, mode=0o444),
    "mode-000": lambda p: make_file(p, mode=0o000),
    "set-id": lambda p: make_file(p, mode=0o4755),
    "open-to-all": lambda p: make_file(p, mode=0o666),
    "closed-dir": lambda p: os.mkdir(p, 0o500),
}

# -- places -------------------------------------------------------------------


class Places:
    """Paths of one world, beneath `top`; the same for each time that it is made."""

    def __init__(self, top, tag):
        self.top, self.tag = top, tag
        self.home = top + "/home"
        self.folder = self.home + "/project"
        self.out = top + "/out"
        self.grant = top + "/grant"
        self.state = top + "/state"
        self.config = top + "/config"
        self.marks = self.state + "/ambit/mark"  # always refused, for nobody may write there
        p, g = self.folder, self.grant
        # Where the objects of operations lie; those with a word that weighs more come more often.
        self.areas = [p] * 4 + [p + "/sub"] * 4 + [self.out] * 3 + [self.out + "/sub"] * 2 + [
            p + "/sub/deep", p + "/.git", p + "/.git", p + "/.git/hooks", p + "/.git/objects/ab",
            p + "/.git/refs/heads", p + "/.claude", p + "/.vscode", p + "/mine", p + "/secret",
            p + "/nest", p + "/nest/.git", p + "/nest/.git/hooks", p + "/tree", p + "/module",
            p + "/.git/worktrees/tree", p + "/.git/modules/module", p + "/bare.git",
            p + "/.git/modules/module/hooks", p + "/bare.git/hooks", p + "/closed", p + "/dark",
            g, g, g + "/sub", g + "/repo", g + "/repo/.git", g + "/repo/.git/hooks",
            self.home, self.home + "/.ssh", self.out + "/closed", self.out + "/repo/.git",
            self.state + "/ambit", self.config + "/ambit", top + "/reading",
        ]
        self.scratch = list(SCRATCH)
        self.others = f"/tmp/ambit-predict-{tag}"

    def scratch_name(self, i):
        return f"ambit-predict-{self.tag}_{i}_"

    def make(self):
        p, g = self.folder, self.grant
        for d in (p + "/sub/deep", p + "/.claude", p + "/.vscode", p + "/mine", p + "/secret",
                  self.out + "/sub", g + "/sub", self.home + "/.ssh", self.top + "/reading",
                  p + "/closed", p + "/dark", self.out + "/closed", self.others,
                  self.state + "/ambit", self.config + "/ambit", self.top + "/run"):
            os.makedirs(d, exist_ok=True)
        for i in range(6):
            os.makedirs(self.marks + str(i), exist_ok=True)
        os.chmod(self.top + "/run", 0o700)
        make_repository(p)
        make_repository(p + "/nest")
        make_repository(p + "/bare.git", bare=True)
        make_repository(p + "/.git/worktrees/tree", bare=True)
        make_repository(p + "/.git/modules/module", bare=True)
        make_file(p + "/.git/worktrees/tree/commondir", b"../..\n")
        make_gitfile(p + "/tree", p + "/.git/worktrees/tree")
        make_gitfile(p + "/module", "../.git/modules/module")
        make_repository(g + "/repo")
        make_repository(self.out + "/repo")
        for name, to in (("via-out", self.out), ("via-git", ".git"), ("via-sub", "sub"),
                         ("via-self", "."), ("loop-a", "loop-b"), ("loop-b", "loop-a"),
                         ("via-two", "via-sub/../via-out"), ("dangling", "nothing/there"),
                         ("sub/via-hooks", "../.git/hooks")):
            os.symlink(to, p + "/" + name)
        os.symlink(p, self.out + "/back")
        os.symlink(p, self.home + "/linked")
        make_file(p + "/plain")

    def close(self):
        """Last, when all that lies in there is made."""
        os.chmod(self.folder + "/closed", 0o500)
        os.chmod(self.out + "/closed", 0o500)
        os.chmod(self.folder + "/dark", 0o000)

    def roots(self):
        found = [self.home, self.out, self.grant, self.top + "/reading"]
        for d in self.scratch:
            found += [d + "/" + n for n in os.listdir(d) if n.startswith(f"ambit-predict-{self.tag}")]
        return found

    def remove(self):
        for root in self.roots():
            remove_tree(root)
        for d in (self.state + "/ambit", self.config + "/ambit"):
            for name in os.listdir(d) if os.path.isdir(d) else []:
                if "_" in name:
                    remove_tree(d + "/" + name)


def remove_tree(path):
    if os.path.isdir(path) and not os.path.islink(path):
        os.chmod(path, 0o700)
        for at, dirs, _ in os.walk(path):
            for d in dirs:
                if not os.path.islink(at + "/" + d):
                    os.chmod(at + "/" + d, 0o700)
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


# -- snapshots ----------------------------------------------------------------


def look(path):
    st = os.lstat(path)
    seen = [oct(st.st_mode), st.st_uid, st.st_gid]
    if stat.S_ISREG(st.st_mode):
        seen += [st.st_size, st.st_nlink, st.st_mtime == 1000000000]
        if st.st_mode & 0o400:
            with open(path, "rb") as f:
                seen.append(f.read(100))
    elif stat.S_ISLNK(st.st_mode):
        return ["link", os.readlink(path)]
    elif stat.S_ISDIR(st.st_mode):
        seen.append(st.st_mtime == 1000000000)
    if not stat.S_ISSOCK(st.st_mode):
        try:
            seen.append(sorted(os.listxattr(path)))
        except OSError:
            pass
    return seen


def snapshot(places):
    seen = {}
    for root in places.roots():
        seen[root] = look(root)
        for at, dirs, files in os.walk(root) if not os.path.islink(root) else ():
            for name in dirs + files:
                try:
                    seen[at + "/" + name] = look(at + "/" + name)
                except PermissionError:
                    seen[at + "/" + name] = "closed"
    return seen


# -- settings -----------------------------------------------------------------

GUARD_NAMES = [".envrc", ".vscode/settings.json", ".npmrc", ".gitmodules", ".git", ".git/config",
               ".github/hooks/x", ".cargo/config.toml", ".Git/Hooks/x", ".ENVRC", ".claude/settings.json",
               ".husky/pre-commit", ".mcp.json", ".bash_history", ".git/hooks", ".vscode", ".idea",
               ".git/commondir", ".pre-commit-config.yaml", ".git/x.lock", ".git/index", ".gitignore",
               ".github", ".cargo", ".husky", ".config/autostart", ".config", ".ssh", ".ssh/authorized_keys"]


class Settings:
    """Random; `flags` are those that run and why share, `config` is the settings file."""

    def __init__(self, rng, places):
        self.rng, self.places = rng, places
        p = places.folder
        self.flags, self.config, self.rules = [], {}, []
        self.folder = rng.choice([p] * 8 + [p + "/sub", p + "/nest", p + "/tree", p + "/module",
                                            places.home + "/linked"])
        self.cwd = self.folder
        if rng.random() < 0.2 and self.folder == p:
            self.cwd = rng.choice([p + "/sub", p + "/sub/deep", p + "/nest", p + "/.git"])
        self.flags += ["--folder", self.folder]
        self.choose_grants()
        self.choose_guards()
        self.choose_modes()
        self.choose_rules()

    def choose_grants(self):
        rng, places = self.rng, self.places
        p = places.folder
        grants = [g for g in (places.grant,) if rng.random() < 0.6]
        if rng.random() < 0.3:
            grants.append(rng.choice([places.out + "/sub", places.out + "/repo", places.grant + "/sub",
                                      places.top + "/reading", p + "/sub", p, p + "/.git",
                                      places.others, places.out + "/repo/.git"]))
        # Files of one operation each: the number is that of operations that may draw them.
        if rng.random() < 0.4:
            grants += [places.out + f"/granted_{i}_" for i in range(6)]
        for g in grants:
            if rng.random() < 0.5:
                self.flags += ["--write", g]
            else:
                self.config.setdefault("write", []).append(g)
        if rng.random() < 0.2:
            self.flags += ["--read", places.top + "/reading"]

    def choose_guards(self):
        rng = self.rng
        if rng.random() < 0.4:
            self.config["guard_writes"] = rng.sample(["mine/**", "MINE/**", "sub/deep/**", "sub/deep",
                                                      "*.guard", "**/g_*/x", "plain", "mine"], 2)
        if rng.random() < 0.2:
            self.config["unguard_writes"] = rng.sample([".envrc", ".vscode/**", ".git/hooks/**", ".claude/**",
                                                        ".git", ".git/config", ".npmrc"], 2)
        if rng.random() < 0.25:
            self.config["guard_reads"] = ["secret/**"]
        if rng.random() < 0.25:
            self.flags.append("--guard-reads")

    def choose_modes(self):
        rng = self.rng
        draw = rng.random()
        if draw < 0.05:
            self.flags.append("--read-only")
        elif draw < 0.1:
            self.flags += ["--mode", "plan"]
        if rng.random() < 0.2:
            self.config["ask_mode"] = rng.choice(["ask-any-write", "bypass"])
        if rng.random() < 0.12:
            self.flags += ["--reads", "folder"]

    def choose_rules(self):
        rng, places = self.rng, self.places
        p = places.folder
        for _ in range(rng.choice([0, 0, 1, 2])):
            subject = rng.choice([places.out + "/sub", places.out, p + "/sub/deep", p + "/.git/hooks/pre-commit",
                                  p + "/mine", places.out + "/granted_1_", p + "/.git/hooks", p + "/sub",
                                  places.out + "/repo", places.home + "/.ssh"])
            self.rules.append(["write", subject] + (["--no"] if rng.random() < 0.4 else []))
        if rng.random() < 0.2:
            self.rules.append(["read", rng.choice([places.out, places.out + "/sub", places.out + "/repo",
                                                   places.top + "/reading", places.grant, places.home + "/.ssh",
                                                   places.out + "/granted_2_", p + "/mine"] +
                                                  [places.grant + "/sub"] * 3), "--no"])

    def store(self, ambit, env):
        state = self.places.state + "/ambit"
        for name in os.listdir(state):
            if not (state + "/" + name).startswith(self.places.marks):
                remove_tree(state + "/" + name)
        with open(self.places.config + "/ambit/config.json", "w") as f:
            json.dump(self.config, f)
        self.kept = []
        for rule in self.rules:
            r = subprocess.run([ambit, "rules", "add", "--folder", self.folder] + rule, env=env,
                               cwd=self.cwd, capture_output=True)
            if r.returncode == 0:
                self.kept.append(rule)
