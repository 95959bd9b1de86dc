/* SPDX-License-Identifier: Apache-2.0 */
/* The arity table. A row is a promise: whatever else stands behind these
 * words, no program runs and no file is written that the words do not speak
 * of. What cannot promise that (rm, cp, make, tar, curl, pip install, git
 * config, kubectl apply ...) is left out on purpose, and remembered exactly
 * or not at all. */

#include <stddef.h>

#include "base/str.h"
#include "request/arity.h"

#define LONGS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* Long options that hand git a program or a file to write. */
#define GIT_DIFF LONGS("ext-diff", "textconv", "output", "no-index")
#define GIT_REMOTE LONGS("upload-pack", "receive-pack", "exec", "strategy", "config", "template", \
	"server-option")
#define GIT_MERGE LONGS("exec", "strategy", "textconv")
#define NPM LONGS("prefix", "userconfig", "globalconfig", "node-options", "script-shell", "shell", \
	"git", "viewer", "editor", "browser", "registry", "cache", "cafile", \
	"scripts-prepend-node-path")
#define CARGO LONGS("config", "manifest-path", "target-dir", "out-dir", "artifact-dir", "open", \
	"lockfile-path", "fix")
#define GO LONGS("exec", "toolexec", "vettool", "overlay", "modfile", "o", "C", "ldflags", \
	"gcflags", "asmflags", "gccgoflags", "compiler", "pkgdir", "cpuprofile", "memprofile", \
	"blockprofile", "mutexprofile", "trace", "coverprofile", "outputdir", "c", "mod")
#define DOCKER LONGS("file", "env-file", "project-directory", "config", "context", "host", "output")
#define AWS LONGS("endpoint-url", "ca-bundle", "no-verify-ssl", "cli-input-json", "cli-input-yaml")
#define GCLOUD LONGS("flags-file", "configuration", "access-token-file", \
	"impersonate-service-account")
#define KUBECTL LONGS("kubeconfig", "server", "token", "as", "raw", "cluster", "user")
#define GH LONGS("web", "editor", "template", "body-file")

/* clang-format off */
const struct arity arity_table[] = {
	/* What only prints, about files beneath the cwd. */
	{ .words = "cat", .n = 1, .inside = true },
	{ .words = "head", .n = 1, .inside = true },
	{ .words = "tail", .n = 1, .inside = true },
	{ .words = "ls", .n = 1, .inside = true },
	{ .words = "wc", .n = 1, .inside = true },
	{ .words = "nl", .n = 1, .inside = true },
	{ .words = "tac", .n = 1, .inside = true },
	{ .words = "rev", .n = 1, .inside = true },
	{ .words = "cut", .n = 1, .inside = true },
	{ .words = "paste", .n = 1, .inside = true },
	{ .words = "stat", .n = 1, .inside = true },
	{ .words = "du", .n = 1, .inside = true },
	{ .words = "cmp", .n = 1, .inside = true },
	{ .words = "comm", .n = 1, .inside = true },
	{ .words = "diff", .n = 1, .inside = true, .longs = LONGS("to-file", "from-file") },
	{ .words = "md5sum", .n = 1, .inside = true },
	{ .words = "sha1sum", .n = 1, .inside = true },
	{ .words = "sha256sum", .n = 1, .inside = true },
	{ .words = "readlink", .n = 1, .inside = true },
	{ .words = "realpath", .n = 1, .inside = true },
	{ .words = "file", .n = 1, .inside = true, .longs = LONGS("compile", "magic-file"),
		.shorts = "Cm" },
	{ .words = "grep", .n = 1, .inside = true },
	{ .words = "rg", .n = 1, .inside = true, .longs = LONGS("pre", "hostname-bin",
		"search-zip"), .shorts = "z" },
	{ .words = "sort", .n = 1, .inside = true, .longs = LONGS("output", "compress-program",
		"temporary-directory", "files0-from"), .shorts = "oT" },
	{ .words = "tree", .n = 1, .inside = true, .longs = LONGS("output"), .shorts = "oR" },
	{ .words = "find", .n = 1, .inside = true, .longs = LONGS("exec", "execdir", "ok", "okdir",
		"delete", "fls", "fprint", "fprint0", "fprintf", "files0-from") },
	{ .words = "fd", .n = 1, .inside = true, .longs = LONGS("exec", "exec-batch", "search-path",
		"base-directory"), .shorts = "xXC" },
	{ .words = "shellcheck", .n = 1, .inside = true },
	/* What prints, and takes no files. */
	{ .words = "pwd", .n = 1 },
	{ .words = "echo", .n = 1 },
	{ .words = "true", .n = 1 },
	{ .words = "false", .n = 1 },
	{ .words = "whoami", .n = 1 },
	{ .words = "id", .n = 1 },
	{ .words = "uname", .n = 1 },
	{ .words = "which", .n = 1 },
	{ .words = "seq", .n = 1 },
	{ .words = "basename", .n = 1 },
	{ .words = "dirname", .n = 1 },
	{ .words = "df", .n = 1 },
	{ .words = "ps", .n = 1 },
	{ .words = "free", .n = 1 },
	{ .words = "uptime", .n = 1 },
	{ .words = "nproc", .n = 1 },
	/* git: hooks, filters and helpers of the repository run too, and .git/config is guarded. */
	{ .words = "git status", .n = 2 },
	{ .words = "git diff", .n = 2, .longs = GIT_DIFF, .shorts = "oO" },
	{ .words = "git log", .n = 2, .longs = GIT_DIFF, .shorts = "oO" },
	{ .words = "git show", .n = 2, .longs = GIT_DIFF, .shorts = "oO" },
	{ .words = "git shortlog", .n = 2, .longs = GIT_DIFF, .shorts = "oO" },
	{ .words = "git reflog", .n = 2, .longs = GIT_DIFF, .shorts = "oO" },
	{ .words = "git blame", .n = 2, .longs = GIT_DIFF, .shorts = "O" },
	{ .words = "git grep", .n = 2, .longs = LONGS("open-files-in-pager", "ext-grep", "textconv",
		"no-index"), .shorts = "O" },
	{ .words = "git describe", .n = 2 },
	{ .words = "git rev-parse", .n = 2 },
	{ .words = "git rev-list", .n = 2 },
	{ .words = "git ls-files", .n = 2 },
	{ .words = "git ls-tree", .n = 2 },
	{ .words = "git merge-base", .n = 2 },
	{ .words = "git show-ref", .n = 2 },
	{ .words = "git check-ignore", .n = 2 },
	{ .words = "git add", .n = 2 },
	{ .words = "git commit", .n = 2, .longs = LONGS("file", "template", "pathspec-from-file"),
		.shorts = "Ft" },
	{ .words = "git branch", .n = 2, .longs = LONGS("delete", "force", "move", "copy",
		"edit-description"), .shorts = "DdMmCcf" },
	{ .words = "git tag", .n = 2, .longs = LONGS("file", "delete", "force"), .shorts = "Fdf" },
	{ .words = "git switch", .n = 2, .longs = LONGS("force", "force-create", "discard-changes"),
		.shorts = "fC" },
	{ .words = "git reset", .n = 2, .longs = LONGS("hard", "merge", "keep") },
	{ .words = "git stash", .n = 3, .longs = GIT_DIFF },
	{ .words = "git merge", .n = 2, .longs = GIT_MERGE, .shorts = "sF" },
	{ .words = "git rebase", .n = 2, .longs = GIT_MERGE, .shorts = "sx" },
	{ .words = "git cherry-pick", .n = 2, .longs = GIT_MERGE, .shorts = "s" },
	{ .words = "git revert", .n = 2, .longs = GIT_MERGE, .shorts = "s" },
	{ .words = "git pull", .n = 2, .longs = GIT_REMOTE, .shorts = "so" },
	{ .words = "git push", .n = 2, .longs = LONGS("receive-pack", "exec", "force",
		"force-with-lease", "delete", "mirror", "prune", "push-option"), .shorts = "ofd" },
	{ .words = "git fetch", .n = 2, .longs = GIT_REMOTE, .shorts = "o" },
	{ .words = "git ls-remote", .n = 2, .longs = GIT_REMOTE, .shorts = "o" },
	{ .words = "git remote", .n = 3 },
	{ .words = "git worktree", .n = 3 },
	{ .words = "git submodule status", .n = 3 },
	{ .words = "git submodule update", .n = 3 },
	{ .words = "git submodule init", .n = 3 },
	/* Package managers: the script is named; what configures its shell is not. */
	{ .words = "npm run", .n = 3, .no_options = true },
	{ .words = "npm test", .n = 2, .no_options = true },
	{ .words = "npm ci", .n = 2, .no_options = true },
	{ .words = "npm ls", .n = 2, .longs = NPM, .shorts = "C" },
	{ .words = "npm outdated", .n = 2, .longs = NPM, .shorts = "C" },
	{ .words = "npm view", .n = 2, .longs = NPM, .shorts = "C" },
	{ .words = "yarn run", .n = 3, .no_options = true },
	{ .words = "yarn test", .n = 2, .no_options = true },
	{ .words = "yarn lint", .n = 2, .no_options = true },
	{ .words = "yarn build", .n = 2, .no_options = true },
	{ .words = "pnpm run", .n = 3, .no_options = true },
	{ .words = "pnpm test", .n = 2, .no_options = true },
	{ .words = "pnpm ls", .n = 2, .no_options = true },
	{ .words = "pip list", .n = 2, .longs = LONGS("python", "log", "cache-dir", "index-url",
		"extra-index-url") },
	{ .words = "pip show", .n = 2, .longs = LONGS("python", "log", "cache-dir") },
	{ .words = "pip freeze", .n = 2, .longs = LONGS("python", "log", "cache-dir") },
	{ .words = "cargo build", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "cargo check", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "cargo test", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "cargo clippy", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "cargo fmt", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "cargo doc", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "cargo tree", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "cargo metadata", .n = 2, .longs = CARGO, .shorts = "ZC" },
	{ .words = "go build", .n = 2, .inside = true, .longs = GO },
	{ .words = "go test", .n = 2, .inside = true, .longs = GO },
	{ .words = "go vet", .n = 2, .inside = true, .longs = GO },
	{ .words = "go list", .n = 2, .longs = GO },
	{ .words = "go fmt", .n = 2, .inside = true, .longs = GO },
	{ .words = "go mod", .n = 3, .longs = GO },
	{ .words = "go version", .n = 2 },
	{ .words = "pytest", .n = 1, .inside = true, .longs = LONGS("rootdir", "confcutdir",
		"basetemp", "import-mode", "override-ini", "pdbcls", "pyargs", "pastebin",
		"junit-xml", "junitxml", "log-file", "cov-config", "config-file"),
		.shorts = "pco" },
	{ .words = "ruff check", .n = 2, .inside = true, .longs = LONGS("output-file", "config",
		"cache-dir"), .shorts = "o" },
	{ .words = "ruff format", .n = 2, .inside = true, .longs = LONGS("config", "cache-dir") },
	/* Services: the noun and the verb. */
	{ .words = "docker ps", .n = 2, .longs = DOCKER, .shorts = "Hc" },
	{ .words = "docker images", .n = 2, .longs = DOCKER, .shorts = "Hc" },
	{ .words = "docker logs", .n = 2, .longs = DOCKER, .shorts = "Hc" },
	{ .words = "docker inspect", .n = 2, .longs = DOCKER, .shorts = "Hc" },
	{ .words = "docker version", .n = 2, .longs = DOCKER, .shorts = "Hc" },
	{ .words = "docker compose ps", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "docker compose logs", .n = 3, .longs = DOCKER, .shorts = "o" },
	{ .words = "docker compose images", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "docker compose up", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "docker compose down", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "docker compose build", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "docker compose pull", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "docker compose stop", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "docker compose restart", .n = 3, .longs = DOCKER, .shorts = "fo" },
	{ .words = "gh pr", .n = 3, .longs = GH, .shorts = "weFT" },
	{ .words = "gh issue", .n = 3, .longs = GH, .shorts = "weFT" },
	{ .words = "gh run", .n = 3, .longs = GH, .shorts = "w" },
	{ .words = "gh workflow", .n = 3, .longs = GH, .shorts = "w" },
	{ .words = "gh release", .n = 3, .longs = GH, .shorts = "wF" },
	{ .words = "gh search", .n = 3, .longs = GH, .shorts = "w" },
	{ .words = "gh repo view", .n = 3, .longs = GH, .shorts = "w" },
	{ .words = "gh repo list", .n = 3, .longs = GH, .shorts = "w" },
	{ .words = "aws s3 ls", .n = 3, .longs = AWS },
	{ .words = "aws sts", .n = 3, .inside = true, .longs = AWS },
	{ .words = "aws ec2", .n = 3, .inside = true, .longs = AWS },
	{ .words = "aws iam", .n = 3, .inside = true, .longs = AWS },
	{ .words = "aws logs", .n = 3, .inside = true, .longs = AWS },
	{ .words = "aws cloudformation", .n = 3, .inside = true, .longs = AWS },
	{ .words = "gcloud projects", .n = 3, .inside = true, .longs = GCLOUD },
	{ .words = "gcloud auth list", .n = 3, .inside = true, .longs = GCLOUD },
	{ .words = "gcloud logging read", .n = 3, .inside = true, .longs = GCLOUD },
	{ .words = "gcloud compute instances", .n = 4, .inside = true, .longs = GCLOUD },
	{ .words = "gcloud compute disks", .n = 4, .inside = true, .longs = GCLOUD },
	{ .words = "kubectl get", .n = 2, .longs = KUBECTL, .shorts = "s" },
	{ .words = "kubectl describe", .n = 2, .longs = KUBECTL, .shorts = "s" },
	{ .words = "kubectl logs", .n = 2, .longs = KUBECTL, .shorts = "s" },
	{ .words = "kubectl version", .n = 2, .longs = KUBECTL, .shorts = "s" },
	{ .words = "terraform validate", .n = 2, .no_options = true },
	{ .words = "terraform version", .n = 2, .no_options = true },
	{ 0 },
};
/* clang-format on */

static const char *const runners[] = { "sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh",
	"busybox", "env", "xargs", "nohup", "timeout", "nice", "ionice", "setsid", "stdbuf", "time",
	"sudo", "doas", "su", "runuser", "pkexec", "watch", "flock", "chroot", "unshare", "nsenter",
	"strace", "ltrace", "gdb", "ssh", "parallel", "script", "expect", "command", "builtin",
	"exec",
	"eval", "source", "python", "python2", "python3", "node", "nodejs", "deno", "bun", "perl",
	"ruby", "php", "lua", "awk", "gawk", "mawk", "nawk", "sed", "osascript", "tclsh", "npx",
	"bunx",
	"pnpx", "uvx", "pipx", "direnv", "make", "vim", "vi", "ed", "ex", "emacs", "less", "more",
	"man",
	"tsx", "ts-node", "nodemon", "concurrently", "cross-env", "dotenv", NULL };

bool
arity_runs_others(const char *word)
{
	for (const char *const *runner = runners; *runner; runner++)
		if (streq(*runner, word))
			return true;
	return false;
}
