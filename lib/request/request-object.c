/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that the supervisor resolved and holds open become a request. It is
 * trusted to have looked; the bytes of the names are still a program's, and
 * may be anything but empty. */

#include <limits.h>
#include <stdlib.h>

#include "base/str.h"
#include "request/request-object.h"
#include "request/request-private.h"

void
request_object_destroy(struct path_facts *object)
{
	if (!object)
		return;
	free((char *)object->real);
	free((char *)object->written);
	free((char *)object->leads);
	free(object);
}

bool
object_path_plain(const char *path)
{
	if (!path || path[0] != '/' || strnlen(path, PATH_MAX) >= PATH_MAX)
		return false;
	if (path[1] == '\0')
		return true;
	for (const char *p = path; *p;) {
		const char *end = strchrnul(++p, '/');
		size_t n = (size_t)(end - p);

		if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
	}
	return true;
}

/* The fault of an object as it was given, or NULL. */
static const char *
find_object_fault(const struct path_facts *object)
{
	if (!request_access_tool(object->access))
		return "there is no such access";
	if (!object_path_plain(object->real))
		return "its real path is not resolved";
	if (!object_path_plain(object->written))
		return "its path as written is not folded";
	return NULL;
}

const char *
object_tool(const struct path_facts *objects, size_t n)
{
	const char *tool = NULL;
	bool takes = false, puts = false;

	for (size_t i = 0; i < n; i++) {
		enum ambit_access access = objects[i].access;
		bool reads = access == AMBIT_ACCESS_READ || access == AMBIT_ACCESS_READ_TREE;

		takes |= access == AMBIT_ACCESS_DELETE;
		puts |= !reads && access != AMBIT_ACCESS_DELETE;
		if (!tool || !reads)
			tool = request_access_tool(access);
	}
	return takes && puts ? "move" : tool;
}

/* Its strings stay where they are. */
static void
add_borrowed(struct ambit_request *request, struct path_facts *object)
{
	/* What does not exist has no inode that something could be known by. */
	if (!object->exists) {
		object->recent = object->made = false;
		object->mode = 0;
		object->dev = 0;
		object->ino = 0;
		object->nlink = 0;
	}
	request->paths[request->n_paths++] = (struct request_path){
		.text = (char *)object->written,
		.len = strlen(object->written),
		.access = object->access,
		.follow = TOOL_NOFOLLOW,
		.object = object,
	};
	/* A descriptor for both reads and writes is more than its tool says. */
	if (object->access == AMBIT_ACCESS_READ || object->access == AMBIT_ACCESS_READ_TREE)
		request->effects |= AMBIT_READ;
}

static int
add_object(struct ambit_request *request, const struct path_facts *from)
{
	struct path_facts *object = calloc(1, sizeof(*object));
	struct request_path *path = &request->paths[request->n_paths];

	if (!object)
		return -ENOMEM;
	*object = *from;
	object->real = strdup(from->real);
	object->written = strdup(from->written);
	object->leads = str_dup(from->leads);
	if (!object->real || !object->written || (from->leads && !object->leads)) {
		request_object_destroy(object);
		return -ENOMEM;
	}
	add_borrowed(request, object);
	path->text = strdup(from->written);
	return path->text ? 0 : -ENOMEM;
}

int
request_objects(const struct path_facts *objects, size_t n, struct ambit_request **ret_request,
	struct ambit_error *err)
{
	struct ambit_request *request;
	int r = 0;

	if (n == 0 || n > REQUEST_PATHS_MAX)
		return err_set(err, EINVAL, "a request about %zu objects", n);
	for (size_t i = 0; i < n; i++)
		if (find_object_fault(&objects[i]))
			return err_set(
				err, EINVAL, "object %zu: %s", i, find_object_fault(&objects[i]));
	request = request_begin(object_tool(objects, n));
	if (!request)
		return err_nomem(err);
	request->paths = calloc(n, sizeof(*request->paths));
	if (!request->paths)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_object(request, &objects[i]);
	if (r < 0) {
		ambit_request_destroy(request);
		return err_nomem(err);
	}
	*ret_request = request;
	return 0;
}

int
request_borrow_objects(struct path_facts *objects, size_t n, struct request_path *ret_paths,
	struct ambit_request *ret_request)
{
	for (size_t i = 0; i < n; i++)
		if (find_object_fault(&objects[i]))
			return -EINVAL;
	request_begin_at(ret_request, object_tool(objects, n));
	ret_request->paths = ret_paths;
	for (size_t i = 0; i < n; i++)
		add_borrowed(ret_request, &objects[i]);
	return 0;
}

void
request_set_destination(struct ambit_request *request, const struct destination *to)
{
	request->to = to;
}
