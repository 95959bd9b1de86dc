/* SPDX-License-Identifier: Apache-2.0 */
/* From a permit to a place: what was decided is what is held, whatever was put there
 * in between. */

#include "engine-rig.h"

#include "base/str.h"
#include "engine/line.h"
#include "perform/permit.h"

struct rig {
	union {
		struct engine_rig base;
		struct {
			ENGINE_RIG;
		};
	};
	struct ambit_approver *approver;
	struct ambit_permit *permit;
};

static int
open_rig(void **state)
{
	struct rig *rig = engine_rig_create(sizeof(*rig));

	assert_int_equal(ambit_approver_create("allow", NULL, 0, &rig->approver, NULL), 0);
	engine_rig_start(
		&rig->base, NULL, &(struct ambit_engine_options){ .approver = rig->approver });
	*state = rig;
	return 0;
}

static int
close_rig(void **state)
{
	struct rig *rig = *state;
	struct ambit_approver *approver = rig->approver;

	ambit_permit_finish(rig->permit, 0, NULL);
	engine_rig_destroy(&rig->base);
	ambit_approver_destroy(approver);
	return 0;
}

/* A permit for this call. */
static void
permit(struct rig *rig, const char *tool, const char *args, const char *cwd)
{
	struct ambit_request *request = NULL;
	struct ambit_outcome outcome;
	struct ambit_error err = { 0 };

	ambit_permit_finish(rig->permit, 0, NULL);
	rig->permit = NULL;
	assert_int_equal(ambit_request_create(tool, args, strlen(args), &request, NULL), 0);
	if (cwd)
		assert_int_equal(ambit_request_set_cwd(request, cwd), 0);
	assert_int_equal(
		ambit_engine_request(rig->engine, request, &outcome, &rig->permit, &err), 0);
	if (!rig->permit)
		fail_msg("%s: %s", args, outcome.reason);
	ambit_outcome_finish(&outcome);
	ambit_request_destroy(request);
}

static int
place_of(struct rig *rig, const char *path, enum ambit_access access, bool make,
	struct ambit_place *ret)
{
	struct ambit_error err = { 0 };
	int r = ambit_permit_place(rig->permit, path, access, true, make, ret, &err);

	if (r < 0)
		assert_true(err.text[0]);
	return r;
}

/* The same, for what only its return value is looked at. */
static int
try_place(struct rig *rig, const char *path, enum ambit_access access, bool make)
{
	struct ambit_place place;
	int r = place_of(rig, path, access, make, &place);

	ambit_place_finish(&place);
	return r;
}

static bool
is_at(const struct ambit_place *place, const char *path)
{
	struct stat a, b;

	return fstatat(place->parent, place->name, &a, AT_SYMLINK_NOFOLLOW) == 0 &&
	       lstat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* -- what it holds ------------------------------------------------------------------------ */

static void
holds_what_was_decided(void **state)
{
	struct rig *rig = *state;
	struct ambit_place place;
	char real[800];

	world_dir("dir");
	world_file("dir/f", "x");
	permit(rig, "write", "{\"file_path\":\"dir/../dir/f\"}", NULL);
	assert_int_equal(place_of(rig, "dir/../dir/f", AMBIT_ACCESS_WRITE, false, &place), 0);
	assert_true(place.exists);
	assert_true(S_ISREG(place.mode));
	assert_string_equal(place.name, "f");
	assert_string_equal(place.shown, "dir/f");
	snprintf(real, sizeof(real), "%s/dir/f", rig->w.root);
	assert_string_equal(place.real, real);
	assert_true(is_at(&place, "dir/f"));
	ambit_place_finish(&place);
	assert_int_equal(place.parent, -1);
	ambit_place_finish(&place);
}

static void
follows_a_link_inside_to_what_was_decided(void **state)
{
	struct rig *rig = *state;
	struct ambit_place place;

	world_file("real", "x");
	world_link("real", "link");
	permit(rig, "write", "{\"file_path\":\"link\"}", NULL);
	assert_int_equal(place_of(rig, "link", AMBIT_ACCESS_WRITE, false, &place), 0);
	assert_string_equal(place.name, "real");
	assert_string_equal(place.shown, "link");
	assert_true(is_at(&place, "real"));
	ambit_place_finish(&place);
	permit(rig, "delete", "{\"path\":\"link\"}", NULL);
	assert_int_equal(ambit_permit_place(rig->permit, "link", AMBIT_ACCESS_DELETE, false, false,
				 &place, NULL),
		0);
	assert_true(S_ISLNK(place.mode));
	assert_true(is_at(&place, "link"));
	ambit_place_finish(&place);
}

static void
begins_at_the_cwd_of_the_request(void **state)
{
	struct rig *rig = *state;
	struct ambit_place place;

	world_dir("dir");
	world_file("dir/f", "x");
	permit(rig, "write", "{\"file_path\":\"f\"}", "dir");
	assert_int_equal(place_of(rig, "f", AMBIT_ACCESS_WRITE, false, &place), 0);
	assert_true(is_at(&place, "dir/f"));
	ambit_place_finish(&place);
}

static void
makes_the_directories_on_the_way(void **state)
{
	struct rig *rig = *state;
	struct ambit_place place;
	struct stat st;

	permit(rig, "write", "{\"file_path\":\"a/b/c/f\"}", NULL);
	assert_int_equal(try_place(rig, "a/b/c/f", AMBIT_ACCESS_WRITE, false), -ENOENT);
	assert_int_equal(lstat("a", &st), -1);
	/* Not for one that only reads. */
	assert_int_equal(try_place(rig, "a/b/c/f", AMBIT_ACCESS_READ, true), -ENOENT);
	assert_int_equal(lstat("a", &st), -1);
	assert_int_equal(place_of(rig, "a/b/c/f", AMBIT_ACCESS_WRITE, true, &place), 0);
	assert_false(place.exists);
	assert_int_equal(lstat("a/b/c", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(st.st_mode & 0022, 0);
	assert_int_equal(mkdirat(place.parent, "probe", 0755), 0);
	assert_int_equal(lstat("a/b/c/probe", &st), 0);
	ambit_place_finish(&place);
}

/* -- what it refuses ------------------------------------------------------------------------ */

static void
refuses_what_was_not_decided(void **state)
{
	struct rig *rig = *state;

	world_file("f", "x");
	world_file("g", "x");
	world_dir("d");
	permit(rig, "read", "{\"file_path\":\"f\"}", NULL);
	assert_int_equal(try_place(rig, "g", AMBIT_ACCESS_READ, false), -EKEYREJECTED);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_WRITE, false), -EKEYREJECTED);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_DELETE, false), -EKEYREJECTED);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_READ, false), 0);
	/* What may be replaced may be read back; what may be written not removed. */
	permit(rig, "write", "{\"file_path\":\"f\"}", NULL);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_READ, false), 0);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_REPLACE, false), 0);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_DELETE, false), -EKEYREJECTED);
	permit(rig, "write", "{\"file_path\":\"d\"}", NULL);
	assert_int_equal(try_place(rig, "d", AMBIT_ACCESS_REPLACE, false), -EKEYREJECTED);
}

static void
refuses_another_thing_under_the_name(void **state)
{
	struct rig *rig = *state;

	world_file("f", "x");
	world_file("other", "y");
	permit(rig, "write", "{\"file_path\":\"f\"}", NULL);
	assert_int_equal(rename("other", "f"), 0);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_WRITE, false), -ESTALE);
	permit(rig, "write", "{\"file_path\":\"new\"}", NULL);
	world_file("new", "z");
	assert_int_equal(try_place(rig, "new", AMBIT_ACCESS_WRITE, false), -ESTALE);
	permit(rig, "write", "{\"file_path\":\"f\"}", NULL);
	assert_int_equal(unlink("f"), 0);
	assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_WRITE, false), -ESTALE);
}

static void
refuses_a_link_that_came_later(void **state)
{
	struct rig *rig = *state;
	char out[800];
	struct stat st;

	world_dir("dir");
	permit(rig, "write", "{\"file_path\":\"dir/f\"}", NULL);
	assert_int_equal(rmdir("dir"), 0);
	world_link(rig->w.out, "dir");
	assert_int_equal(try_place(rig, "dir/f", AMBIT_ACCESS_WRITE, true), -ESTALE);
	/* The last name, and a directory that is still to be made. */
	permit(rig, "write", "{\"file_path\":\"last\"}", NULL);
	snprintf(out, sizeof(out), "%s/f", rig->w.out);
	world_link(out, "last");
	assert_int_equal(try_place(rig, "last", AMBIT_ACCESS_WRITE, false), -ESTALE);
	assert_int_equal(ambit_permit_place(rig->permit, "last", AMBIT_ACCESS_WRITE, false, false,
				 &(struct ambit_place){ 0 }, NULL),
		-ESTALE);
	permit(rig, "write", "{\"file_path\":\"made/x/f\"}", NULL);
	world_link(rig->w.out, "made");
	assert_int_equal(try_place(rig, "made/x/f", AMBIT_ACCESS_WRITE, true), -ESTALE);
	snprintf(out, sizeof(out), "%s/x", rig->w.out);
	assert_int_equal(lstat(out, &st), -1);
}

static void
refuses_what_cannot_be_a_path(void **state)
{
	struct rig *rig = *state;

	permit(rig, "write", "{\"file_path\":\"f\"}", NULL);
	assert_int_equal(try_place(rig, "", AMBIT_ACCESS_WRITE, false), -EINVAL);
	world_link("loop", "loop");
	assert_int_equal(try_place(rig, "loop", AMBIT_ACCESS_WRITE, false), -ELOOP);
	assert_int_equal(ambit_permit_place(NULL, "f", AMBIT_ACCESS_WRITE, false, false,
				 &(struct ambit_place){ 0 }, NULL),
		-EKEYREJECTED);
}

/* -- several ---------------------------------------------------------------------------------- */

static void
gives_several_places_and_passes(void **state)
{
	struct rig *rig = *state;
	struct ambit_place from, to;
	struct pass pass;

	world_file("f", "x");
	permit(rig, "move", "{\"src\":\"f\",\"dst\":\"g\"}", NULL);
	assert_int_equal(ambit_permit_place(
				 rig->permit, "f", AMBIT_ACCESS_DELETE, false, false, &from, NULL),
		0);
	assert_int_equal(
		ambit_permit_place(rig->permit, "g", AMBIT_ACCESS_REPLACE, false, false, &to, NULL),
		0);
	for (int i = 0; i < 10; i++) {
		permit_pass(rig->permit, &pass);
		assert_int_equal(pass_use(&pass), 0);
		assert_int_equal(pass_use(&pass), -EPERM);
	}
	assert_true(is_at(&from, "f"));
	assert_false(to.exists);
	ambit_place_finish(&from);
	ambit_place_finish(&to);
}

static void
leaves_no_descriptor(void **state)
{
	struct rig *rig = *state;
	int before;

	world_file("f", "x");
	permit(rig, "write", "{\"file_path\":\"f\"}", NULL);
	before = scratch_descriptors();
	for (int i = 0; i < 200; i++) {
		permit(rig, "write", "{\"file_path\":\"f\"}", i % 2 ? "." : NULL);
		assert_int_equal(try_place(rig, "f", AMBIT_ACCESS_WRITE, true), 0);
		assert_int_equal(try_place(rig, "g", AMBIT_ACCESS_WRITE, true), -EKEYREJECTED);
		assert_int_equal(try_place(rig, "f/g", AMBIT_ACCESS_WRITE, true), -ENOTDIR);
	}
	assert_int_equal(scratch_descriptors(), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(holds_what_was_decided),
		TEST(follows_a_link_inside_to_what_was_decided),
		TEST(begins_at_the_cwd_of_the_request),
		TEST(makes_the_directories_on_the_way),
		TEST(refuses_what_was_not_decided),
		TEST(refuses_another_thing_under_the_name),
		TEST(refuses_a_link_that_came_later),
		TEST(refuses_what_cannot_be_a_path),
		TEST(gives_several_places_and_passes),
		TEST(leaves_no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
