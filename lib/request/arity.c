/* SPDX-License-Identifier: Apache-2.0 */
/* The arity table. A row is a promise: whatever else it lets stand beside its
 * words, no program runs and no file is written that the words do not speak
 * of. What a row does not name has no key, so that an option nobody thought of
 * is remembered to the letter; and what can promise nothing (rm, cp, make,
 * tar, curl, pip install, git config, gh api, kubectl apply ...) has no row. */

#include <stddef.h>

#include "base/str.h"
#include "request/arity.h"

/* clang-format off */
#define GIT_STATUS \
	"short branch show-stash porcelain long verbose untracked-files " \
	"ignored column no-column ahead-behind renames no-renames"
#define GIT_LOG \
	"stat numstat shortstat name-only name-status cached staged " \
	"color no-color patch no-patch unified oneline graph decorate " \
	"no-decorate all since until after before author committer " \
	"grep format pretty abbrev-commit no-abbrev-commit abbrev follow " \
	"merges no-merges first-parent reverse max-count skip summary " \
	"word-diff color-words ignore-all-space ignore-space-change " \
	"ignore-blank-lines check diff-filter find-renames minimal patience " \
	"histogram raw full-index no-ext-diff no-textconv no-renames " \
	"branches tags remotes date left-right merge-base compact-summary " \
	"topo-order numbered email count"
#define GIT_BLAME \
	"line-porcelain porcelain show-email show-name show-number date " \
	"root incremental"
#define GIT_GREP \
	"line-number ignore-case count name-only files-with-matches " \
	"files-without-match cached untracked word-regexp invert-match " \
	"extended-regexp fixed-strings perl-regexp context after-context " \
	"before-context show-function function-context heading break " \
	"max-depth and or not all-match quiet color"
#define GIT_REFS \
	"tags always dirty long abbrev all contains match " \
	"exact-match first-parent"
#define GIT_PARSE \
	"short abbrev-ref show-toplevel verify quiet git-dir " \
	"is-inside-work-tree is-bare-repository show-prefix show-cdup all " \
	"branches tags symbolic-full-name absolute-git-dir git-common-dir"
#define GIT_REV_LIST \
	"count max-count all first-parent since until after before " \
	"reverse no-merges merges left-right branches tags remotes " \
	"oneline abbrev-commit author grep topo-order skip"
#define GIT_LS_FILES \
	"cached deleted modified others stage ignored exclude-standard " \
	"error-unmatch full-name unmerged directory"
#define GIT_BRANCH \
	"all remotes list verbose show-current contains no-contains " \
	"merged no-merged sort points-at column no-column color " \
	"no-color format ignore-case"
#define GIT_TAG \
	"list annotate message contains no-contains points-at merged " \
	"no-merged sort format column"
#define GIT_FETCH \
	"all prune tags no-tags quiet verbose dry-run unshallow " \
	"progress no-progress"
#define GIT_PULL \
	"rebase no-rebase ff ff-only no-ff tags no-tags prune quiet " \
	"verbose no-edit dry-run autostash no-autostash progress " \
	"no-progress"
#define GIT_PUSH \
	"set-upstream tags follow-tags dry-run quiet verbose porcelain " \
	"progress no-progress"
#define GIT_MERGE \
	"abort quiet ff ff-only no-ff squash no-edit no-commit stat " \
	"no-stat message"
#define NPM \
	"depth all json long global omit"
#define CARGO \
	"release quiet verbose workspace all all-targets all-features " \
	"no-default-features features package bin bins lib test tests " \
	"example examples bench benches offline locked frozen no-run " \
	"no-fail-fast keep-going jobs message-format profile exclude " \
	"no-deps doc color"
#define CARGO_TEST \
	"release quiet verbose workspace all all-targets all-features " \
	"no-default-features features package bin bins lib test tests " \
	"example examples offline locked frozen no-run no-fail-fast " \
	"jobs profile exclude doc color nocapture test-threads ignored " \
	"include-ignored exact show-output skip"
#define CARGO_TREE \
	"quiet workspace package depth invert duplicates edges prefix " \
	"no-dedupe features all-features no-default-features offline locked " \
	"frozen no-deps format-version"
#define GO \
	"v race run count short timeout cover json failfast " \
	"parallel bench benchmem benchtime tags p x n cpu " \
	"shuffle skip list vet a"
#define GO_LIST \
	"m u json deps test e versions"
#define PYTEST \
	"verbose quiet exitfirst maxfail lf last-failed ff " \
	"failed-first nf sw stepwise tb durations co collect-only " \
	"no-header no-summary showlocals color capture strict-markers " \
	"disable-warnings setup-show"
#define DOCKER \
	"all quiet no-trunc filter format size latest last tail " \
	"follow since until timestamps details type digests"
#define COMPOSE \
	"all quiet format filter services status follow tail since " \
	"until timestamps no-color no-log-prefix"
#define COMPOSE_UP \
	"detach build force-recreate no-recreate no-deps no-build " \
	"no-start remove-orphans wait quiet-pull timeout no-cache pull " \
	"ignore-pull-failures quiet include-deps"
#define GH_LIST \
	"limit json state author assignee label base head search " \
	"draft app milestone mention workflow branch user status " \
	"event commit order sort owner language archived visibility " \
	"fork topic all exclude-drafts exclude-pre-releases"
#define GH_VIEW \
	"json comments log log-failed job verbose exit-status watch " \
	"interval required fail-fast name-only patch color attempt " \
	"yaml branch compact"
#define GH_SAY \
	"title body base head draft fill fill-first fill-verbose " \
	"label assignee reviewer milestone project"
#define AWS \
	"region output query max-items page-size no-paginate no-cli-pager " \
	"instance-ids filters stack-name log-group-name-prefix path-prefix"
#define GCLOUD \
	"project zone region zones format limit filter sort-by " \
	"freshness order quiet"
#define KUBECTL \
	"namespace all-namespaces output selector watch field-selector " \
	"show-labels no-headers sort-by ignore-not-found tail since " \
	"since-time timestamps previous container all-containers follow " \
	"prefix client short"
#define RG \
	"line-number no-line-number ignore-case smart-case case-sensitive " \
	"files-with-matches files-without-match count count-matches " \
	"only-matching fixed-strings word-regexp line-regexp invert-match " \
	"context after-context before-context glob iglob type type-not " \
	"type-list files hidden no-ignore no-ignore-vcs no-heading " \
	"heading color colors max-count max-depth multiline " \
	"multiline-dotall pcre2 json stats sort sortr with-filename " \
	"no-filename vimgrep column trim null passthru regexp " \
	"max-columns no-messages quiet unrestricted text"
#define FIND \
	"name iname path ipath wholename type maxdepth mindepth " \
	"size mtime mmin atime ctime cmin amin newer empty not " \
	"o or a and print print0 printf prune perm user group " \
	"regex iregex regextype ls depth d xdev mount daystart " \
	"readable writable executable true false quit links inum " \
	"samefile nouser nogroup follow H L P"
#define FD \
	"hidden no-ignore no-ignore-vcs type extension max-depth " \
	"min-depth exact-depth glob regex fixed-strings ignore-case " \
	"case-sensitive absolute-path full-path exclude size changed-within " \
	"changed-before max-results print0 color follow and"
#define TREE \
	"dirsfirst filesfirst noreport gitignore filelimit prune charset " \
	"matchdirs ignore-case du si sort inodes device nolinks"
#define DIFF \
	"unified brief recursive color side-by-side new-file " \
	"ignore-all-space ignore-space-change ignore-blank-lines ignore-case " \
	"text context exclude report-identical-files no-dereference " \
	"suppress-common-lines width strip-trailing-cr minimal label"
#define SORT \
	"numeric-sort general-numeric-sort human-numeric-sort version-sort " \
	"reverse unique key field-separator ignore-case stable check " \
	"dictionary-order ignore-leading-blanks month-sort zero-terminated merge"

const struct arity arity_table[] = {
	/* What only prints, about files beneath the cwd, whatever its options. */
	{ .words = "cat", .n = 1, .any_option = true },
	{ .words = "head", .n = 1, .any_option = true },
	{ .words = "tail", .n = 1, .any_option = true },
	{ .words = "ls", .n = 1, .any_option = true },
	{ .words = "wc", .n = 1, .any_option = true },
	{ .words = "nl", .n = 1, .any_option = true },
	{ .words = "tac", .n = 1, .any_option = true },
	{ .words = "rev", .n = 1, .any_option = true },
	{ .words = "cut", .n = 1, .any_option = true },
	{ .words = "paste", .n = 1, .any_option = true },
	{ .words = "stat", .n = 1, .any_option = true },
	{ .words = "du", .n = 1, .any_option = true },
	{ .words = "cmp", .n = 1, .any_option = true },
	{ .words = "comm", .n = 1, .any_option = true },
	{ .words = "md5sum", .n = 1, .any_option = true },
	{ .words = "sha1sum", .n = 1, .any_option = true },
	{ .words = "sha256sum", .n = 1, .any_option = true },
	{ .words = "readlink", .n = 1, .any_option = true },
	{ .words = "realpath", .n = 1, .any_option = true },
	/* The same, with options that do more than print. */
	{ .words = "diff", .n = 1, .longs = DIFF, .shorts = "uqrNbBwiysactpEZUIx" },
	{ .words = "file", .n = 1, .longs = "brief mime mime-type mime-encoding "
		"dereference no-dereference raw", .shorts = "biLhrN" },
	{ .words = "grep", .n = 1, .longs = "recursive line-number ignore-case "
		"files-with-matches files-without-match count only-matching "
		"fixed-strings extended-regexp perl-regexp basic-regexp word-regexp "
		"line-regexp invert-match context after-context before-context "
		"include exclude exclude-dir color colour max-count "
		"with-filename no-filename null quiet silent text no-messages "
		"regexp byte-offset initial-tab",
		.shorts = "rRnilLvwxcoEFGPhHsqAZzBCmeabIyT" },
	{ .words = "rg", .n = 1, .longs = RG, .shorts = "nNiSslcoFwxvABCgtTmHIjUPeuaq" },
	{ .words = "sort", .n = 1, .longs = SORT, .shorts = "nghVrukftbdiMsczm" },
	{ .words = "tree", .n = 1, .longs = TREE, .shorts = "adfLIPshDFpugntrcCxlQNvJX" },
	{ .words = "find", .n = 1, .one_dash = true, .longs = FIND },
	{ .words = "fd", .n = 1, .longs = FD, .shorts = "HItedgiasFpESL0u" },
	{ .words = "shellcheck", .n = 1, .longs = "shell format severity exclude "
		"include color external-sources", .shorts = "sfSeixaC" },
	/* What prints, and takes no files. */
	{ .words = "pwd", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "echo", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "true", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "false", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "whoami", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "id", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "uname", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "which", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "seq", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "basename", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "dirname", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "df", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "ps", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "free", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "uptime", .n = 1, .anywhere = true, .any_option = true },
	{ .words = "nproc", .n = 1, .anywhere = true, .any_option = true },
	/* git: hooks, filters and helpers of the repository run too, and .git/config is guarded. */
	{ .words = "git status", .n = 2, .longs = GIT_STATUS, .shorts = "sbvuz" },
	{ .words = "git diff", .n = 2, .longs = GIT_LOG, .shorts = "pnsuwbMCzciagqrlUSGLEFPmtWe" },
	{ .words = "git log", .n = 2, .longs = GIT_LOG, .shorts = "pnsuwbMCzciagqrlUSGLEFPmtWe" },
	{ .words = "git show", .n = 2, .longs = GIT_LOG, .shorts = "pnsuwbMCzciagqrlUSGLEFPmtWe" },
	{ .words = "git shortlog", .n = 2, .longs = GIT_LOG,
		.shorts = "pnsuwbMCzciagqrlUSGLEFPmtWe" },
	{ .words = "git reflog show", .n = 3, .longs = GIT_LOG, .shorts = "npq" },
	{ .words = "git reflog", .n = 2, .bare = true },
	{ .words = "git blame", .n = 2, .longs = GIT_BLAME, .shorts = "Lwewslftpn" },
	{ .words = "git grep", .n = 2, .longs = GIT_GREP, .shorts = "nilLcwveEFPIhHqABCWpz" },
	{ .words = "git describe", .n = 2, .longs = GIT_REFS },
	{ .words = "git rev-parse", .n = 2, .longs = GIT_PARSE, .shorts = "q" },
	{ .words = "git rev-list", .n = 2, .longs = GIT_REV_LIST, .shorts = "n" },
	{ .words = "git ls-files", .n = 2, .longs = GIT_LS_FILES, .shorts = "cdmosuvztik" },
	{ .words = "git ls-tree", .n = 2, .longs = "name-only name-status long "
		"full-name full-tree abbrev", .shorts = "rdtlz" },
	{ .words = "git merge-base", .n = 2, .longs = "all is-ancestor fork-point "
		"octopus independent", .shorts = "a" },
	{ .words = "git show-ref", .n = 2, .longs = "heads branches tags verify "
		"hash quiet dereference abbrev", .shorts = "sqd" },
	{ .words = "git check-ignore", .n = 2, .longs = "verbose quiet non-matching "
		"no-index", .shorts = "vqn" },
	{ .words = "git add", .n = 2, .longs = "all update verbose dry-run "
		"intent-to-add", .shorts = "AuvnN" },
	{ .words = "git commit", .n = 2, .longs = "message all amend no-edit "
		"signoff quiet verbose allow-empty dry-run", .shorts = "mavqs" },
	{ .words = "git branch", .n = 2, .longs = GIT_BRANCH, .shorts = "avrli" },
	{ .words = "git tag", .n = 2, .longs = GIT_TAG, .shorts = "lnami" },
	{ .words = "git switch", .n = 2, .longs = "create quiet detach no-guess",
		.shorts = "cqd" },
	{ .words = "git reset", .n = 2, .longs = "soft mixed quiet", .shorts = "q" },
	{ .words = "git stash", .n = 3, .longs = "include-untracked keep-index quiet "
		"stat", .shorts = "ukq" },
	{ .words = "git merge", .n = 2, .longs = GIT_MERGE, .shorts = "qmn" },
	/* --continue would go on with a list of commands from .git. */
	{ .words = "git rebase", .n = 2, .longs = "abort onto quiet", .shorts = "q" },
	{ .words = "git cherry-pick", .n = 2, .longs = "abort quit no-commit",
		.shorts = "nx" },
	{ .words = "git revert", .n = 2, .longs = "abort quit no-commit no-edit",
		.shorts = "n" },
	/* The remote is shown: a name that is none is a directory, with hooks of its own. */
	{ .words = "git pull", .n = 3, .names = true, .longs = GIT_PULL, .shorts = "rptqvn" },
	{ .words = "git push", .n = 3, .names = true, .longs = GIT_PUSH, .shorts = "unqv" },
	{ .words = "git fetch", .n = 3, .names = true, .longs = GIT_FETCH, .shorts = "ptqvn" },
	{ .words = "git ls-remote", .n = 3, .names = true, .longs = "heads branches "
		"tags refs quiet", .shorts = "htq" },
	{ .words = "git remote get-url", .n = 3, .names = true, .longs = "all push" },
	{ .words = "git remote", .n = 2, .bare = true, .longs = "verbose", .shorts = "v" },
	{ .words = "git worktree list", .n = 3, .longs = "porcelain verbose",
		.shorts = "vz" },
	{ .words = "git submodule status", .n = 3, .longs = "cached recursive" },
	/* Package managers: the script is named; what stands behind it is the script's. */
	{ .words = "npm run", .n = 3, .bare = true },
	{ .words = "npm test", .n = 2, .bare = true },
	{ .words = "yarn run", .n = 3, .bare = true },
	{ .words = "yarn test", .n = 2, .bare = true },
	{ .words = "pnpm run", .n = 3, .bare = true },
	{ .words = "pnpm test", .n = 2, .bare = true },
	{ .words = "npm ci", .n = 2, .bare = true },
	{ .words = "yarn lint", .n = 2, .bare = true },
	{ .words = "yarn build", .n = 2, .bare = true },
	{ .words = "npm ls", .n = 2, .longs = NPM, .shorts = "agl" },
	{ .words = "npm outdated", .n = 2, .longs = NPM, .shorts = "agl" },
	{ .words = "npm view", .n = 2, .names = true, .longs = "json" },
	{ .words = "pnpm ls", .n = 2, .bare = true },
	{ .words = "pip list", .n = 2, .longs = "outdated uptodate editable local "
		"user format not-required verbose exclude", .shorts = "ouelv" },
	{ .words = "pip show", .n = 2, .longs = "files verbose", .shorts = "fv" },
	{ .words = "pip freeze", .n = 2, .longs = "all local user exclude "
		"exclude-editable", .shorts = "l" },
	{ .words = "cargo build", .n = 2, .alone = true, .longs = CARGO, .shorts = "rqvpj" },
	{ .words = "cargo check", .n = 2, .alone = true, .longs = CARGO, .shorts = "rqvpj" },
	{ .words = "cargo clippy", .n = 2, .alone = true, .longs = CARGO, .shorts = "rqvpj" },
	{ .words = "cargo doc", .n = 2, .alone = true, .longs = CARGO, .shorts = "rqvpj" },
	{ .words = "cargo test", .n = 2, .longs = CARGO_TEST, .shorts = "rqvpj" },
	{ .words = "cargo fmt", .n = 2, .bare = true, .alone = true, .longs = "all check "
		"quiet verbose", .shorts = "qv" },
	{ .words = "cargo tree", .n = 2, .alone = true, .longs = CARGO_TREE, .shorts = "qpide" },
	{ .words = "cargo metadata", .n = 2, .alone = true, .longs = CARGO_TREE, .shorts = "q" },
	{ .words = "go build", .n = 2, .alone = true, .one_dash = true, .longs = GO },
	{ .words = "go test", .n = 2, .alone = true, .one_dash = true, .longs = GO },
	{ .words = "go vet", .n = 2, .alone = true, .one_dash = true, .longs = GO },
	{ .words = "go list", .n = 2, .one_dash = true, .longs = GO_LIST },
	{ .words = "go fmt", .n = 2, .one_dash = true, .longs = "n x" },
	{ .words = "go mod", .n = 3, .bare = true },
	{ .words = "go version", .n = 2, .one_dash = true, .longs = "m v" },
	{ .words = "pytest", .n = 1, .longs = PYTEST, .shorts = "vqxkmslrafEPSFXA" },
	{ .words = "ruff check", .n = 2, .longs = "select ignore extend-select "
		"statistics output-format quiet verbose no-cache diff "
		"show-files show-settings exit-zero preview no-fix target-version",
		.shorts = "qven" },
	{ .words = "ruff format", .n = 2, .longs = "check diff quiet verbose "
		"no-cache line-length preview", .shorts = "qvn" },
	/* Services: the noun and the verb, where it reads or its words say what it makes. */
	{ .words = "docker ps", .n = 2, .longs = DOCKER, .shorts = "aqnlsf" },
	{ .words = "docker images", .n = 2, .longs = DOCKER, .shorts = "aqf" },
	{ .words = "docker logs", .n = 2, .longs = DOCKER, .shorts = "fnt" },
	{ .words = "docker inspect", .n = 2, .longs = DOCKER, .shorts = "fs" },
	{ .words = "docker version", .n = 2, .longs = "format", .shorts = "f" },
	{ .words = "docker compose ps", .n = 3, .longs = COMPOSE, .shorts = "aqnt" },
	{ .words = "docker compose logs", .n = 3, .longs = COMPOSE, .shorts = "aqntf" },
	{ .words = "docker compose images", .n = 3, .longs = COMPOSE, .shorts = "aqnt" },
	{ .words = "docker compose up", .n = 3, .names = true, .longs = COMPOSE_UP,
		.shorts = "dty" },
	{ .words = "docker compose down", .n = 3, .names = true, .longs = "remove-orphans "
		"timeout", .shorts = "t" },
	{ .words = "docker compose build", .n = 3, .names = true, .longs = "quiet "
		"no-cache", .shorts = "q" },
	{ .words = "docker compose pull", .n = 3, .names = true, .longs = "quiet "
		"no-cache", .shorts = "q" },
	{ .words = "docker compose stop", .n = 3, .names = true, .longs = "timeout "
		"no-deps", .shorts = "t" },
	{ .words = "docker compose restart", .n = 3, .names = true, .longs = "timeout "
		"no-deps", .shorts = "t" },
	{ .words = "gh pr list", .n = 3, .names = true, .longs = GH_LIST, .shorts = "LsAalBHSdm" },
	{ .words = "gh pr view", .n = 3, .names = true, .longs = GH_VIEW, .shorts = "c" },
	{ .words = "gh pr status", .n = 3, .names = true, .longs = "json", .shorts = "c" },
	{ .words = "gh pr create", .n = 3, .names = true, .longs = GH_SAY,
		.shorts = "tbBHdfalrmp" },
	{ .words = "gh pr comment", .n = 3, .names = true, .longs = "body", .shorts = "b" },
	{ .words = "gh issue list", .n = 3, .names = true, .longs = GH_LIST,
		.shorts = "LsAalBHSdm" },
	{ .words = "gh issue view", .n = 3, .names = true, .longs = GH_VIEW, .shorts = "c" },
	{ .words = "gh issue status", .n = 3, .names = true, .longs = "json",
		.shorts = "c" },
	{ .words = "gh issue create", .n = 3, .names = true, .longs = GH_SAY,
		.shorts = "tbBHdfalrmp" },
	{ .words = "gh issue comment", .n = 3, .names = true, .longs = "body",
		.shorts = "b" },
	{ .words = "gh pr checks", .n = 3, .names = true, .longs = GH_VIEW, .shorts = "i" },
	{ .words = "gh pr diff", .n = 3, .names = true, .longs = GH_VIEW },
	{ .words = "gh run list", .n = 3, .names = true, .longs = GH_LIST, .shorts = "Labuse" },
	{ .words = "gh run view", .n = 3, .names = true, .longs = GH_VIEW, .shorts = "vja" },
	{ .words = "gh workflow list", .n = 3, .names = true, .longs = GH_LIST, .shorts = "La" },
	{ .words = "gh workflow view", .n = 3, .names = true, .longs = GH_VIEW, .shorts = "r" },
	{ .words = "gh release list", .n = 3, .names = true, .longs = GH_LIST, .shorts = "La" },
	{ .words = "gh release view", .n = 3, .names = true, .longs = GH_VIEW, .shorts = "r" },
	{ .words = "gh run watch", .n = 3, .names = true, .longs = "exit-status interval "
		"compact", .shorts = "i" },
	{ .words = "gh search repos", .n = 3, .names = true, .longs = GH_LIST, .shorts = "L" },
	{ .words = "gh search issues", .n = 3, .names = true, .longs = GH_LIST, .shorts = "L" },
	{ .words = "gh search prs", .n = 3, .names = true, .longs = GH_LIST, .shorts = "L" },
	{ .words = "gh search code", .n = 3, .names = true, .longs = GH_LIST, .shorts = "L" },
	{ .words = "gh search commits", .n = 3, .names = true, .longs = GH_LIST, .shorts = "L" },
	{ .words = "gh repo view", .n = 3, .names = true, .longs = "json branch",
		.shorts = "b" },
	{ .words = "gh repo list", .n = 3, .names = true, .longs = GH_LIST, .shorts = "Ll" },
	{ .words = "aws s3 ls", .n = 3, .longs = "recursive human-readable summarize "
		"region output" },
	{ .words = "aws sts get-caller-identity", .n = 3, .longs = AWS },
	{ .words = "aws ec2 describe-instances", .n = 3, .longs = AWS },
	{ .words = "aws ec2 describe-images", .n = 3, .longs = AWS },
	{ .words = "aws ec2 describe-vpcs", .n = 3, .longs = AWS },
	{ .words = "aws iam list-users", .n = 3, .longs = AWS },
	{ .words = "aws iam list-roles", .n = 3, .longs = AWS },
	{ .words = "aws logs describe-log-groups", .n = 3, .longs = AWS },
	{ .words = "aws cloudformation describe-stacks", .n = 3, .longs = AWS },
	{ .words = "aws cloudformation list-stacks", .n = 3, .longs = AWS },
	{ .words = "gcloud projects list", .n = 3, .longs = GCLOUD },
	{ .words = "gcloud auth list", .n = 3, .longs = GCLOUD },
	{ .words = "gcloud logging read", .n = 3, .longs = GCLOUD },
	{ .words = "gcloud compute instances list", .n = 4, .longs = GCLOUD },
	{ .words = "gcloud compute instances describe", .n = 4, .longs = GCLOUD },
	{ .words = "gcloud compute disks list", .n = 4, .longs = GCLOUD },
	{ .words = "kubectl get", .n = 2, .longs = KUBECTL, .shorts = "nAolwL" },
	{ .words = "kubectl describe", .n = 2, .longs = KUBECTL, .shorts = "nAl" },
	{ .words = "kubectl logs", .n = 2, .longs = KUBECTL, .shorts = "nfcpl" },
	{ .words = "kubectl version", .n = 2, .longs = "client short output",
		.shorts = "o" },
	{ .words = "terraform validate", .n = 2, .bare = true },
	{ .words = "terraform version", .n = 2, .bare = true },
	{ 0 },
};
/* clang-format on */

static const char runners[][13] = { "sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh",
	"busybox", "env", "xargs", "nohup", "timeout", "nice", "ionice", "setsid", "stdbuf", "time",
	"sudo", "doas", "su", "runuser", "pkexec", "watch", "flock", "chroot", "unshare", "nsenter",
	"strace", "ltrace", "gdb", "ssh", "parallel", "script", "expect", "command", "builtin",
	"exec", "eval", "source", "python", "python2", "python3", "node", "nodejs", "deno", "bun",
	"perl", "ruby", "php", "lua", "awk", "gawk", "mawk", "nawk", "sed", "osascript", "tclsh",
	"npx", "bunx", "pnpx", "uvx", "pipx", "direnv", "make", "vim", "vi", "ed", "ex", "emacs",
	"less", "more", "man", "tsx", "ts-node", "nodemon", "concurrently", "cross-env", "dotenv" };

bool
arity_runs_others(const char *word)
{
	for (size_t i = 0; i < sizeof(runners) / sizeof(runners[0]); i++)
		if (streq(runners[i], word))
			return true;
	return false;
}
