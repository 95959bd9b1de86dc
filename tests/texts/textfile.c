/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a data file of tests. Anything that is not understood is an error: a test that
 * is left out by a slip of the pen would be a promise that nobody keeps.
 *
 *   # Comments stand at the top, below "== NAME", and between rows.
 *   kind html                           once, before the first test
 *   let HUNK @@ -1 +1 @@\n-a\n+b\n      $[HUNK] is this text from here on
 *
 *   == a name that is a promise
 *   args: 30                            what the kind makes of it
 *   -- WORD [ARGUMENT]                  an input: the lines up to the next "-- " or "== "
 *   -- expect [NAME]                    an output is this, and nothing else
 *   -- says [NAME]                      each of these lines is in the output
 *
 * Many short tests of one promise are rows; each is the input "in" of a test of its own:
 *
 *   -- rows [NAME]                      IN => OUT    the output is this
 *                                       IN ~> PART   the output has this in it
 *   -- same                             each line comes back as it is
 *   -- each                             each line gives what "-- expect" and "-- says" say
 *
 * In all of them \n \t \r \0 \\ and \xNN are bytes, and $[TEXT*N] is a text N times. A
 * line that ends in \c has no line break. Empty lines at the end of a section do not
 * count: \n\c is one that does. A row that begins with '#' is written \x23. */

#include "textfile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

/* A test as it is kept, and what its rows are made of while it is read. */
struct entry {
	struct text_test test;
	char *name, *args;
	struct text_section *sections;
	size_t n_sections;
	int line;
	char *rows_word; /* "rows", "same", "each" or NULL */
	char *rows_arg;	 /* the output that rows are about */
	struct buf rows; /* their lines, as they are written */
	int rows_line;
};

struct name {
	char *name, *data;
	size_t len;
};

struct textfile {
	const struct text_kind *kind;
	struct name *names;
	size_t n_names;
	struct entry *entries;
	size_t n_entries;
};

struct parser {
	const char *at, *end;
	int line;
	const struct text_kind *const *kinds;
	struct textfile *file;
	struct ambit_error *err;
};

/* -- memory ---------------------------------------------------------------------------- */

/* One more element at the end, zeroed. A test that has no memory has failed. */
#define grow_list(list, n)                                                                         \
	({                                                                                         \
		(list) = realloc((list), ((n) + 1) * sizeof(*(list)));                             \
		if (!(list))                                                                       \
			abort();                                                                   \
		memset(&(list)[(n)], 0, sizeof(*(list)));                                          \
		&(list)[(n)++];                                                                    \
	})

static char *
copy_bytes(const char *data, size_t len)
{
	struct buf out = { 0 };

	buf_append(&out, data, len);
	return buf_take(&out);
}

static void
finish_entry(struct entry *entry)
{
	for (size_t i = 0; i < entry->n_sections; i++) {
		free(entry->sections[i].word);
		free(entry->sections[i].arg);
		free(entry->sections[i].data);
	}
	free(entry->sections);
	free(entry->name);
	free(entry->args);
	free(entry->rows_word);
	free(entry->rows_arg);
	buf_finish(&entry->rows);
}

void
textfile_destroy(struct textfile *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->n_names; i++) {
		free(file->names[i].name);
		free(file->names[i].data);
	}
	for (size_t i = 0; i < file->n_entries; i++)
		finish_entry(&file->entries[i]);
	free(file->names);
	free(file->entries);
	free(file);
}

/* -- escapes --------------------------------------------------------------------------- */

static int expand_text(const struct textfile *file, const char *text, size_t len, struct buf *out,
	bool *ret_joined);

/* "$[TEXT*N]": its length, or 0. */
static size_t
expand_repeat(const struct textfile *file, const char *text, size_t len, struct buf *out)
{
	for (size_t star = 2; star < len; star++) {
		size_t end = star + 1, times = 0;
		auto_buf struct buf once = { 0 };

		while (end < len && isdigit((unsigned char)text[end]))
			times = times * 10 + (size_t)(text[end++] - '0');
		if (text[star] != '*' || end == star + 1 || end == len || text[end] != ']')
			continue;
		if (expand_text(file, text + 2, star - 2, &once, NULL) < 0)
			return 0;
		for (; times > 0; times--)
			buf_append(out, once.data, once.len);
		return end + 1;
	}
	return 0;
}

static size_t
expand_name(const struct textfile *file, const char *text, size_t len, struct buf *out)
{
	for (size_t i = 0; i < file->n_names; i++) {
		const struct name *name = &file->names[i];
		size_t n = strlen(name->name);

		if (n + 3 > len || memcmp(text + 2, name->name, n) != 0 || text[n + 2] != ']')
			continue;
		buf_append(out, name->data, name->len);
		return n + 3;
	}
	return expand_repeat(file, text, len, out);
}

/* The length of an escape, or 0 if there is no such escape. */
static size_t
expand_escape(const char *text, size_t len, struct buf *out)
{
	static const char letters[] = "ntr0\\", bytes[] = "\n\t\r\0\\";
	const char *letter = len > 1 && text[1] ? strchr(letters, text[1]) : NULL;
	char hex[3] = "";

	if (letter) {
		buf_putc(out, bytes[letter - letters]);
		return 2;
	}
	if (len < 4 || text[1] != 'x' || !isxdigit((unsigned char)text[2]) ||
		!isxdigit((unsigned char)text[3]))
		return 0;
	memcpy(hex, text + 2, 2);
	buf_putc(out, (char)strtoul(hex, NULL, 16));
	return 4;
}

/* Appends text with its escapes replaced; -EINVAL for one that is unknown. ret_joined
 * (or NULL: there it is unknown): it ended in \c. */
static int
expand_text(const struct textfile *file, const char *text, size_t len, struct buf *out,
	bool *ret_joined)
{
	if (ret_joined)
		*ret_joined = false;
	for (size_t i = 0, n; i < len; i += n) {
		n = 1;
		if (ret_joined && i + 2 == len && memcmp(text + i, "\\c", 2) == 0) {
			*ret_joined = true;
			return 0;
		}
		if (text[i] == '\\')
			n = expand_escape(text + i, len - i, out);
		else if (text[i] == '$' && i + 1 < len && text[i + 1] == '[')
			n = expand_name(file, text + i, len - i, out);
		else
			buf_putc(out, text[i]);
		if (n == 0)
			return -EINVAL;
	}
	return 0;
}

static int
refuse_line(const struct parser *p, const char *why)
{
	return err_set(p->err, EINVAL, "line %d: %s", p->line, why);
}

static int
expand_line(struct parser *p, const char *text, size_t len, struct buf *out, bool *ret_joined)
{
	if (expand_text(p->file, text, len, out, ret_joined) == 0)
		return 0;
	return refuse_line(p, "an unknown escape: a backslash is \\\\, and '$[' is \\x24[");
}

/* -- lines ----------------------------------------------------------------------------- */

/* False at the end. */
static bool
next_line(struct parser *p, const char **ret_text, size_t *ret_len)
{
	const char *end;

	if (p->at == p->end)
		return false;
	end = memchr(p->at, '\n', (size_t)(p->end - p->at));
	*ret_text = p->at;
	*ret_len = (size_t)((end ? end : p->end) - p->at);
	p->at = end ? end + 1 : p->end;
	p->line++;
	return true;
}

/* The text after the prefix, or NULL. */
static const char *
strip_prefix(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && memcmp(text, prefix, n) == 0 ? text + n : NULL;
}

static bool
is_mark(const char *text, size_t len)
{
	return strip_prefix(text, len, "-- ") || strip_prefix(text, len, "== ");
}

/* A section's lines, as they are written, without empty ones at its end. */
static void
read_raw(struct parser *p, struct buf *raw)
{
	const char *text;
	size_t len;

	while (p->at < p->end && !is_mark(p->at, (size_t)(p->end - p->at)) &&
		next_line(p, &text, &len)) {
		buf_append(raw, text, len);
		buf_putc(raw, '\n');
	}
	while (raw->len > 0 && raw->data[raw->len - 1] == '\n' &&
		(raw->len == 1 || raw->data[raw->len - 2] == '\n'))
		raw->data[--raw->len] = '\0';
}

/* -- sections -------------------------------------------------------------------------- */

bool
textfile_is_expectation(const struct text_section *section)
{
	return streq(section->word, "expect") || streq(section->word, "says");
}

/* A word of a kind's inputs; '?' behind it: it may be missing. */
static bool
has_input(const char *inputs, const char *word)
{
	for (const char *at = inputs; *at; at += strspn(at, " ?")) {
		size_t n = strcspn(at, " ?");

		if (n == strlen(word) && memcmp(at, word, n) == 0)
			return true;
		at += n;
	}
	return false;
}

static int
check_section(const struct parser *p, const struct entry *entry, const struct text_section *section)
{
	for (size_t i = 0; i < entry->n_sections; i++) {
		const struct text_section *other = &entry->sections[i];

		if (other != section && streq(other->word, section->word) &&
			streq(other->arg, section->arg))
			return refuse_line(p, "the same section twice");
	}
	if (textfile_is_expectation(section) || has_input(p->file->kind->inputs, section->word))
		return 0;
	return refuse_line(p, "a section that this kind does not have");
}

static int
read_lines(struct parser *p, struct text_section *section)
{
	auto_buf struct buf raw = { 0 }, out = { 0 };
	/* Lines of says are looked for one by one, and may have line breaks in them. */
	char separator = streq(section->word, "says") ? '\0' : '\n';
	int begun = p->line, end, r = 0;

	read_raw(p, &raw);
	end = p->line;
	p->line = begun;
	for (size_t at = 0; r == 0 && at < raw.len;) {
		size_t len = strcspn(raw.data + at, "\n");
		bool joined;

		p->line++;
		r = expand_line(p, raw.data + at, len, &out, &joined);
		if (!joined)
			buf_putc(&out, separator);
		at += len + 1;
	}
	if (r == 0 && out.len == 0 && streq(section->word, "says"))
		r = refuse_line(p, "says without a line");
	p->line = end;
	section->line = begun;
	section->len = out.len;
	section->data = buf_take(&out);
	return r;
}

static bool
is_rows_word(const char *word)
{
	return streq(word, "rows") || streq(word, "same") || streq(word, "each");
}

/* text stands behind "-- ". */
static int
read_section(struct parser *p, struct entry *entry, const char *text, size_t len)
{
	auto_free char *head = copy_bytes(text, len);
	size_t n = strcspn(head, " ");
	auto_free char *word = copy_bytes(head, n);
	struct text_section *section;

	if (is_rows_word(word)) {
		if (entry->rows_word || (head[n] && !streq(word, "rows")))
			return refuse_line(p, "rows, same and each stand alone, and once");
		entry->rows_word = steal_ptr(&word);
		entry->rows_arg = strdup(head[n] ? head + n + 1 : "");
		entry->rows_line = p->line;
		read_raw(p, &entry->rows);
		return 0;
	}
	section = grow_list(entry->sections, entry->n_sections);
	section->word = steal_ptr(&word);
	section->arg = strdup(head[n] ? head + n + 1 : "");
	section->data = strdup("");
	if (check_section(p, entry, section) < 0)
		return -EINVAL;
	free(section->data);
	return read_lines(p, section);
}

/* -- rows ------------------------------------------------------------------------------ */

static void
add_section(struct entry *entry, const char *word, const struct text_section *from, int line)
{
	struct text_section *section = grow_list(entry->sections, entry->n_sections);

	*section = (struct text_section){ .word = strdup(word),
		.arg = strdup(from->arg ? from->arg : ""),
		.data = copy_bytes(from->data ? from->data : "", from->len),
		.len = from->len,
		.line = line };
}

static int
add_row_text(struct parser *p, struct entry *row, const char *word, const char *text, size_t len)
{
	auto_buf struct buf out = { 0 };
	struct text_section section = { .arg = streq(word, "in") ? NULL : row->rows_arg };
	int r = expand_line(p, text, len, &out, NULL);

	section.data = out.data;
	section.len = out.len;
	if (r == 0)
		add_section(row, word, &section, p->line);
	return r;
}

/* The last " => " or " ~> ", or NULL. */
static const char *
find_arrow(const char *text, size_t len)
{
	for (size_t i = len; i >= 4; i--)
		if (memcmp(text + i - 4, " => ", 4) == 0 || memcmp(text + i - 4, " ~> ", 4) == 0)
			return text + i - 4;
	return NULL;
}

static int
fill_row(struct parser *p, struct entry *row, const char *word, const char *text, size_t len)
{
	const char *arrow = find_arrow(text, len);
	int r;

	if (!streq(word, "rows")) {
		r = add_row_text(p, row, "in", text, len);
		if (r == 0 && streq(word, "same"))
			r = add_row_text(p, row, "expect", text, len);
		return r;
	}
	/* "IN =>" is a row with nothing behind its arrow. */
	if (!arrow && len >= 3 && memcmp(text + len - 3, " =>", 3) == 0)
		arrow = text + len - 3;
	if (!arrow)
		return refuse_line(p, "a row without ' => ' or ' ~> '");
	r = add_row_text(p, row, "in", text, (size_t)(arrow - text));
	if (r < 0)
		return r;
	text += len;
	arrow += arrow + 4 <= text ? 4 : 3;
	return add_row_text(
		p, row, arrow[-3] == '~' ? "says" : "expect", arrow, (size_t)(text - arrow));
}

/* The rows of a draft become entries. */
static int
add_rows(struct parser *p, struct entry *draft)
{
	const char *raw = draft->rows.data;
	size_t before = p->file->n_entries, len;
	int r = 0, here = p->line;

	p->line = draft->rows_line;
	for (size_t at = 0; r == 0 && at < draft->rows.len; at += len + 1) {
		struct entry *row;

		len = strcspn(raw + at, "\n");
		p->line++;
		if (len == 0 || raw[at] == '#')
			continue;
		row = grow_list(p->file->entries, p->file->n_entries);
		row->name = str_printf("%s (line %d)", draft->name, p->line);
		row->args = str_dup(draft->args);
		row->rows_arg = str_dup(draft->rows_arg);
		row->line = p->line;
		for (size_t i = 0; i < draft->n_sections; i++)
			add_section(row, draft->sections[i].word, &draft->sections[i],
				draft->sections[i].line);
		r = fill_row(p, row, draft->rows_word, raw + at, len);
	}
	if (r == 0 && p->file->n_entries == before)
		r = refuse_line(p, "no rows");
	p->line = here;
	return r;
}

/* -- tests ----------------------------------------------------------------------------- */

static bool
has_main_expectation(const struct entry *entry)
{
	for (size_t i = 0; i < entry->n_sections; i++)
		if (textfile_is_expectation(&entry->sections[i]) && !entry->sections[i].arg[0])
			return true;
	return false;
}

/* Every input that must be there, but for the one that rows are. */
static int
check_inputs(const struct parser *p, const struct entry *draft)
{
	struct text_test test = { .sections = draft->sections, .n_sections = draft->n_sections };

	for (const char *at = p->file->kind->inputs; *at; at += strspn(at, " ?")) {
		size_t n = strcspn(at, " ?");
		auto_free char *word = copy_bytes(at, n);
		bool needed = at[n] != '?' && !(draft->rows_word && streq(word, "in"));

		if (needed && !text_find(&test, word))
			return err_set(p->err, EINVAL, "line %d: a test without '-- %s' ends here",
				p->line, word);
		at += n;
	}
	return 0;
}

/* Takes what is in draft. */
static int
add_test(struct parser *p, struct entry *draft)
{
	bool expects = has_main_expectation(draft);

	if (check_inputs(p, draft) < 0)
		return -EINVAL;
	if (!draft->rows_word) {
		if (!expects)
			return refuse_line(p, "a test that expects nothing ends here");
		*grow_list(p->file->entries, p->file->n_entries) = *draft;
		*draft = (struct entry){ 0 };
		return 0;
	}
	if (!has_input(p->file->kind->inputs, "in"))
		return refuse_line(p, "this kind has no section 'in', and so no rows");
	if (text_find(&(struct text_test){ .sections = draft->sections,
			      .n_sections = draft->n_sections },
		    "in"))
		return refuse_line(p, "rows, and a section 'in' beside them");
	if (expects != (streq(draft->rows_word, "each") || draft->rows_arg[0]))
		return refuse_line(p, "'-- expect' goes with '-- each', not with other rows");
	return add_rows(p, draft);
}

static int
read_args(struct parser *p, struct entry *draft, const char *text, size_t len)
{
	auto_buf struct buf out = { 0 };

	if (draft->args[0] || draft->n_sections > 0)
		return refuse_line(p, "args: stands once, before the sections");
	if (expand_line(p, text, len, &out, NULL) < 0)
		return -EINVAL;
	free(draft->args);
	draft->args = buf_take(&out);
	return 0;
}

/* Up to the next test. */
static int
read_parts(struct parser *p, struct entry *draft)
{
	const char *text, *rest;
	size_t len;
	int r = 0;

	while (r == 0 && p->at < p->end && !strip_prefix(p->at, (size_t)(p->end - p->at), "== ")) {
		next_line(p, &text, &len);
		if (len == 0 || text[0] == '#')
			continue;
		if ((rest = strip_prefix(text, len, "args: ")))
			r = read_args(p, draft, rest, len - 6);
		else if ((rest = strip_prefix(text, len, "-- ")))
			r = read_section(p, draft, rest, len - 3);
		else
			r = refuse_line(p, "not understood");
	}
	return r;
}

static int
check_name(const struct parser *p, const struct entry *draft)
{
	if (!draft->name[0])
		return refuse_line(p, "a test without a name");
	for (size_t i = 0; i < p->file->n_entries; i++) {
		const char *other = p->file->entries[i].name;
		size_t n = strlen(draft->name);

		if (str_prefix(other, draft->name) &&
			(!other[n] || str_prefix(other + n, " (line ")))
			return refuse_line(p, "two tests with the same name");
	}
	return 0;
}

/* name stands behind "== ". */
static int
read_test(struct parser *p, const char *name, size_t len)
{
	struct entry draft = { .name = copy_bytes(name, len), .args = strdup(""), .line = p->line };
	int r = p->file->kind ? check_name(p, &draft) : refuse_line(p, "a test before 'kind'");

	if (r == 0)
		r = read_parts(p, &draft);
	if (r == 0)
		r = add_test(p, &draft);
	finish_entry(&draft);
	return r;
}

/* -- the top of a file ----------------------------------------------------------------- */

static int
read_kind(struct parser *p, const char *text, size_t len)
{
	auto_free char *name = copy_bytes(text, len);

	if (p->file->kind)
		return refuse_line(p, "a second kind");
	for (size_t i = 0; p->kinds[i]; i++)
		if (streq(p->kinds[i]->name, name))
			p->file->kind = p->kinds[i];
	return p->file->kind ? 0 : refuse_line(p, "an unknown kind");
}

/* "NAME TEXT" */
static int
read_let(struct parser *p, const char *text, size_t len)
{
	const char *space = memchr(text, ' ', len);
	auto_buf struct buf out = { 0 };
	struct name *name;

	if (!space || space == text)
		return refuse_line(p, "let NAME TEXT");
	if (expand_line(p, space + 1, len - (size_t)(space + 1 - text), &out, NULL) < 0)
		return -EINVAL;
	name = grow_list(p->file->names, p->file->n_names);
	name->name = copy_bytes(text, (size_t)(space - text));
	name->len = out.len;
	name->data = buf_take(&out);
	return 0;
}

static int
read_all(struct parser *p)
{
	const char *text, *rest;
	size_t len;
	int r = 0;

	while (r == 0 && next_line(p, &text, &len)) {
		if (len == 0 || text[0] == '#')
			continue;
		if ((rest = strip_prefix(text, len, "kind ")))
			r = read_kind(p, rest, len - 5);
		else if ((rest = strip_prefix(text, len, "let ")))
			r = read_let(p, rest, len - 4);
		else if ((rest = strip_prefix(text, len, "== ")))
			r = read_test(p, rest, len - 3);
		else
			r = refuse_line(p, "not understood");
	}
	if (r == 0 && p->file->n_entries == 0)
		r = refuse_line(p, "no test in the file");
	return r;
}

int
textfile_parse(const char *text, size_t len, const struct text_kind *const kinds[],
	struct textfile **ret_file, struct ambit_error *err)
{
	struct textfile *file = calloc(1, sizeof(*file));
	struct parser p = { text, text + len, .kinds = kinds, .file = file, .err = err };
	int r = !file			  ? err_nomem(err)
		: memchr(text, '\0', len) ? err_set(err, EINVAL, "a NUL byte: write it as \\0")
					  : read_all(&p);

	if (r < 0) {
		textfile_destroy(file);
		return r;
	}
	for (size_t i = 0; i < file->n_entries; i++) {
		struct entry *entry = &file->entries[i];

		entry->test = (struct text_test){ .name = entry->name,
			.args = entry->args,
			.sections = entry->sections,
			.n_sections = entry->n_sections };
	}
	*ret_file = file;
	return 0;
}

const struct text_kind *
textfile_kind(const struct textfile *file)
{
	return file->kind;
}

const struct text_test *
textfile_test(const struct textfile *file, size_t i)
{
	return i < file->n_entries ? &file->entries[i].test : NULL;
}

/* -- for kinds ------------------------------------------------------------------------- */

const struct text_section *
text_find(const struct text_test *test, const char *word)
{
	for (size_t i = 0; i < test->n_sections; i++)
		if (streq(test->sections[i].word, word))
			return &test->sections[i];
	return NULL;
}

char *
text_exact(const struct text_section *section)
{
	char *exact = malloc(section->len ? section->len : 1);

	if (!exact)
		abort();
	memcpy(exact, section->data, section->len);
	return exact;
}
