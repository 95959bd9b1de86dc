/* SPDX-License-Identifier: Apache-2.0 */
/* An archive is unpacked in a new directory of our own first: beside the target if
 * that is not there yet, inside of it if it is. Whatever is wrong with the archive
 * shows there, and then nothing is left of it. Only what is whole is moved in. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "perform/act.h"
#include "perform/file-private.h"
#include "perform/leftover.h"
#include "perform/permit.h"
#include "scope/resolve.h"
#include "tools/archive/archive-guard.h"

#define NAMES_TOLD 50

struct extract {
	struct tool_run *run;
	struct ambit_place place; /* the target */
	int dst;		  /* open, if it is there; -1 */
	int above;		  /* where temp is made: dst, or what it will lie in. Borrowed */
	char temp[RESOLVE_TEMP];
	struct leftovers *list; /* where temp is noted; or NULL */
	struct unpack unpack;
	size_t refused;
	uint64_t told; /* bytes, when progress was said last */
};

/* -- for those who unpack ------------------------------------------------------------------ */

static bool
may_unpack_entry(
	void *data, const char *name, enum unpack_kind kind, const char *target, char **ret_why)
{
	struct extract *x = data;

	return archive_may(x->run, x->dst, x->place.real, name, kind, target, &x->refused, ret_why);
}

static struct pass
get_extract_pass(void *data)
{
	struct extract *x = data;

	return run_pass(x->run);
}

static bool
is_extract_cancelled(void *data)
{
	struct extract *x = data;

	return run_cancelled(x->run);
}

static void
report_unpack_progress(void *data, uint64_t bytes)
{
	struct extract *x = data;

	if (bytes - x->told < 8u << 20)
		return;
	x->told = bytes;
	run_progress(x->run, (double)bytes, 0, "unpacking");
}

/* What the model knew of it holds no more. */
static void
forget_replaced_file(void *data, const char *name)
{
	struct extract *x = data;
	auto_free char *real = str_printf("%s/%s", x->place.real, name);

	if (real)
		seen_forget(x->run->seen, real);
}

/* -- where to ------------------------------------------------------------------------------- */

static int
open_target(struct extract *x, struct ambit_error *err)
{
	const char *dst = run_string(x->run, "dst");
	int r = run_place_of(
		x->run, dst ? dst : ".", AMBIT_ACCESS_WRITE, true, true, &x->place, err);
	struct stat st;

	if (r < 0)
		return r;
	x->above = x->place.parent;
	if (!x->place.exists)
		return 0;
	if (!S_ISDIR(x->place.mode))
		return run_fail(x->run, err, ENOTDIR,
			"Give a directory, or a name that is not there yet.",
			"%s is not a directory", x->place.shown);
	x->dst = resolve_open(
		x->place.parent, x->place.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, 0);
	if (x->dst < 0)
		return err_sys(err, -x->dst, "%s", x->place.shown);
	if (fstat(x->dst, &st) < 0 || st.st_dev != x->place.dev || st.st_ino != x->place.ino)
		return err_set(
			err, ESTALE, "%s is not what it was when it was decided", x->place.shown);
	x->above = x->dst;
	return 0;
}

static int
open_temp(struct extract *x, struct ambit_error *err)
{
	struct pass one = run_pass(x->run);
	char name[RESOLVE_TEMP];
	int r;

	resolve_temp_name(name);
	x->list = one.leftovers;
	r = leftovers_note(x->list, x->above, name);
	if (r < 0) {
		x->list = NULL;
		return err_sys(err, -r, "%s: cannot write the clean-up list", x->place.shown);
	}
	r = act_mkdir(&one, x->above, name, 0755);
	if (r < 0)
		return err_sys(err, -r, "%s", x->place.shown);
	memcpy(x->temp, name, sizeof(name));
	x->unpack.dir = unpack_open_dir(x->above, name);
	if (x->unpack.dir >= 0)
		leftovers_staged(x->list, x->above, name, x->unpack.dir);
	return x->unpack.dir < 0 ? err_sys(err, -x->unpack.dir, "%s", x->place.shown) : 0;
}

/* -- what from --------------------------------------------------------------------------------- */

/* "notes.txt.gz" holds notes.txt. NULL: that is no name of one compressed file. */
static char *
single_name(const char *name)
{
	static const char *const ends[] = { ".gz", ".bz2", ".xz", ".zst", ".lzma" };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t e = strlen(ends[i]);

		if (n > e && str_fold_equal(name + n - e, ends[i], e))
			return strndup(name, n - e);
	}
	return NULL;
}

static int
fail_unpack(struct extract *x, const char *shown, struct ambit_error *err)
{
	struct ambit_error why = *err;
	const char *hint =
		why.code == EFBIG || why.code == E2BIG
			? "Nothing was unpacked. Where it is meant, unpack the part that is "
			  "needed with a program, with bash."
		: why.code == ENOSPC || why.code == EDQUOT
			? "Nothing was unpacked. The disk is full: make room, or ask the person "
			  "to."
		: why.code == EINVAL
			? "Nothing was unpacked. Check that it is whole, and what it is."
			: NULL;

	if (!hint)
		return err_context(err, "%s", shown);
	return run_fail(x->run, err, why.code, hint, "%s: %s", shown, why.text);
}

static int
unpack_source(struct extract *x, struct ambit_error *err)
{
	struct ambit_place src = { .parent = -1 };
	auto_free char *single = NULL;
	struct pass one;
	auto_close int fd = -1;
	struct stat st;
	int r = run_place(x->run, "src", AMBIT_ACCESS_READ, true, false, &src, err);

	if (r < 0)
		return r;
	if (!src.exists)
		r = run_fail(x->run, err, ENOENT, "Check the name with ls or glob.",
			"%s: there is no such file", src.shown);
	one = run_pass(x->run);
	if (r == 0)
		r = file_open(&one, &src, &fd, err);
	if (r == 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		r = run_fail(x->run, err, EINVAL, "Give the name of an archive.",
			"%s is not a file", src.shown);
	if (r == 0) {
		single = single_name(src.name);
		r = open_temp(x, err);
	}
	if (r == 0) {
		r = unpack_archive(&x->unpack, fd, single, err);
		if (r < 0)
			r = fail_unpack(x, src.shown, err);
	}
	ambit_place_finish(&src);
	return r;
}

/* -- into its place ------------------------------------------------------------------------- */

static int
report_existing_files(struct extract *x, const char *there, struct ambit_error *err)
{
	return run_fail(x->run, err, EEXIST,
		"Nothing was unpacked. Give another dst, or overwrite: true, which replaces plain "
		"files.",
		"these are in %s already: %s", x->place.shown, there);
}

/* The target is new: the directory with all that was unpacked gets its name. */
static int
settle_whole(struct extract *x, const struct hand_law *law, struct ambit_error *err)
{
	struct hand_end staged = {
		.parent = x->above, .name = x->temp, .real = x->place.real, .fd = x->unpack.dir
	};
	struct hand_end target = {
		.parent = x->above, .name = x->place.name, .real = x->place.real, .fd = -1
	};
	struct pass one = run_pass(x->run);
	int r = fstat(staged.fd, &staged.st) < 0 ? -errno : 0;

	if (r == 0)
		r = hand_settle(&one, law, &staged, &target);
	if (r < 0)
		return err_sys(err, -r, "%s", x->place.shown);
	x->temp[0] = '\0';
	return 0;
}

static int
put_in_place(struct extract *x, struct ambit_error *err)
{
	struct hand_law law = run_law(x->run);
	auto_free char *there = NULL;
	auto_close int held = -1;
	struct stat st;
	int r;

	if (run_cancelled(x->run))
		return err_set(err, ECANCELED, "cancelled: nothing was unpacked");
	if (x->unpack.n_rows == 0)
		return 0;
	/* What is unpacked was decided by the names it would have here. */
	r = file_check(&x->place, &held, &st, err);
	if (r < 0)
		return r;
	if (x->dst >= 0) {
		r = unpack_merge(&x->unpack, &law, x->dst, x->place.real,
			run_bool(x->run, "overwrite", false), forget_replaced_file, &there, err);
		return there ? report_existing_files(x, there, err) : r;
	}
	return settle_whole(x, &law, err);
}

/* -- what came of it ------------------------------------------------------------------------- */

static json_t *
say_left(struct extract *x)
{
	const struct unpack *u = &x->unpack;
	struct buf *text = &x->run->text;
	json_t *list = json_array();

	if (u->n_left_all > 0)
		buf_printf(text, "Left out (%zu):\n", u->n_left_all);
	for (size_t i = 0; list && i < u->n_left; i++) {
		const char *name = u->left[i].name ? u->left[i].name : "?";
		const char *why = u->left[i].why ? u->left[i].why : "?";

		if (i < NAMES_TOLD)
			buf_printf(text, "  %s: %s\n", name, why);
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "why", why));
	}
	if (u->n_left_all > NAMES_TOLD)
		buf_printf(text, "  ... and %zu more\n", u->n_left_all - NAMES_TOLD);
	return list;
}

static void
say_names(struct extract *x)
{
	const struct unpack *u = &x->unpack;
	struct buf *text = &x->run->text;
	size_t n = 0, all = u->n_rows - unpack_count(u, UNPACK_DIR);

	for (size_t i = 0; i < u->n_rows && n < NAMES_TOLD; i++) {
		auto_free char *shown = NULL;

		if (u->rows[i].kind == UNPACK_DIR || u->rows[i].gone)
			continue;
		n++;
		shown = str_escape(u->rows[i].name, strlen(u->rows[i].name));
		buf_printf(text, "  %s\n", shown ? shown : "?");
	}
	if (n == NAMES_TOLD && all > n)
		buf_printf(text, "  ... and %zu more\n", all - n);
}

static int
report_unpacked(struct extract *x, struct ambit_error *err)
{
	const struct unpack *u = &x->unpack;
	size_t files = unpack_count(u, UNPACK_FILE), links = unpack_count(u, UNPACK_LINK);
	size_t dirs = unpack_count(u, UNPACK_DIR);
	json_t *left, *out;

	buf_printf(&x->run->text, "Unpacked into %s: %zu files, %zu directories, %zu symlinks\n",
		x->place.shown, files, dirs, links);
	say_names(x);
	left = say_left(x);
	out = json_pack("{s:I, s:I, s:I, s:I, s:o}", "files", (json_int_t)files, "directories",
		(json_int_t)dirs, "symlinks", (json_int_t)links, "left_out_count",
		(json_int_t)u->n_left_all, "left_out", left);
	if (!out || json_set_text(out, "dst", x->place.shown) < 0) {
		json_decref(out);
		return err_nomem(err);
	}
	x->run->structured = out;
	return 0;
}

/* An archive of which nothing may be used is a failure, not an empty success. */
static int
check_any(struct extract *x, struct ambit_error *err)
{
	const struct unpack *u = &x->unpack;

	if (u->n_rows > 0 || u->n_left_all == 0)
		return 0;
	return run_fail(x->run, err, EINVAL,
		"Nothing was unpacked. Do not work around it: a person can unpack it.",
		"all %zu entries of it were left out; the first, %s: %s", u->n_left_all,
		u->n_left > 0 && u->left[0].name ? u->left[0].name : "?",
		u->n_left > 0 && u->left[0].why ? u->left[0].why : "?");
}

static int
perform_extract(struct tool_run *run, struct ambit_error *err)
{
	struct extract x = { .run = run, .place.parent = -1, .dst = -1, .above = -1 };
	int r, dir;

	unpack_init(&x.unpack);
	x.unpack.may = may_unpack_entry;
	x.unpack.pass = get_extract_pass;
	x.unpack.cancelled = is_extract_cancelled;
	x.unpack.progress = report_unpack_progress;
	x.unpack.data = &x;
	r = open_target(&x, err);
	if (r == 0)
		r = unpack_source(&x, err);
	if (r == 0)
		r = check_any(&x, err);
	if (r == 0)
		r = put_in_place(&x, err);
	if (x.temp[0])
		tree_discard(x.above, x.temp);
	leftovers_forget(x.list);
	if (r == 0)
		r = report_unpacked(&x, err);
	dir = x.unpack.dir;
	unpack_finish(&x.unpack);
	if (dir >= 0)
		close(dir);
	if (x.dst >= 0)
		close(x.dst);
	ambit_place_finish(&x.place);
	return r;
}

const struct own_tool tool_extract = {
	.name = "extract",
	.title = "Unpack an archive",
	.text = "Unpacks an archive (zip, tar, tar.gz, tar.bz2, tar.xz, tar.zst, or one compressed "
		"file) into the directory dst, which is made if it is not there; without dst into "
		"the workspace itself. Files that are there already are not replaced unless "
		"overwrite is true: then nothing is unpacked, and they are listed. No entry gets "
		"out of dst: absolute names, '..', symlinks that lead out, devices, and names that "
		"are guarded (hooks, editor and agent settings ...) are left out and listed with "
		"the reason. Limits: 512 MB, 20000 entries. An archive that is broken or past a "
		"limit leaves nothing behind.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"src\":{\"type\":\"string\",\"description\":\"The archive\"},"
		 "\"dst\":{\"type\":\"string\",\"description\":\"Directory to unpack into; by "
		 "default "
		 "the workspace itself\"},"
		 "\"overwrite\":{\"type\":\"boolean\",\"description\":\"Replace files that are "
		 "there\","
		 "\"default\":false}},\"required\":[\"src\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{\"dst\":{\"type\":\"string\"},"
		  "\"files\":{\"type\":\"integer\"},\"directories\":{\"type\":\"integer\"},"
		  "\"symlinks\":{\"type\":\"integer\"},\"left_out_count\":{\"type\":\"integer\"},"
		  "\"left_out\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		  "\"name\":{\"type\":\"string\"},\"why\":{\"type\":\"string\"}},"
		  "\"required\":[\"name\",\"why\"]}}},\"required\":[\"dst\",\"files\","
		  "\"directories\",\"symlinks\",\"left_out_count\",\"left_out\"]}",
	.slow = true,
	.run = perform_extract,
};
