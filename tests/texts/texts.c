/* SPDX-License-Identifier: Apache-2.0 */
/* texts FILE...: runs tests that are text in, text out, and are written down as data.
 * textfile.c says how; texts.h says how a new kind is added. */

#include "texts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "textrun.h"

static const struct text_kind *const kinds[] = {
	&text_apply_patch,
	&text_edit,
	&text_edit_diff,
	&text_gitconfig,
	&text_gitconfig_changes,
	&text_gitconfig_entry,
	&text_gitconfig_worktree,
	&text_gitmodules,
	&text_basic,
	&text_call,
	&text_chunks,
	&text_dns_answer,
	&text_dns_name,
	&text_dns_query,
	&text_head,
	&text_head_begins,
	&text_hello,
	&text_host,
	&text_html,
	&text_html_charset,
	&text_multi_edit,
	&text_patch_name,
	&text_patch_paths,
	&text_question,
	&text_redact,
	&text_redact_json,
	&text_summary,
	&text_plea,
	&text_request,
	&text_rpc,
	&text_rulekey,
	&text_settings,
	&text_texts,
	&text_verdict,
	NULL,
};

/* NULL: errno says why. */
static char *
read_whole(const char *path, size_t *ret_len)
{
	struct buf out = { 0 };
	FILE *in = fopen(path, "re");
	char part[4096];
	size_t n;

	if (!in)
		return NULL;
	while ((n = fread(part, 1, sizeof(part), in)) > 0)
		buf_append(&out, part, n);
	if (ferror(in))
		out.failed = true;
	fclose(in);
	*ret_len = out.len;
	return buf_take(&out);
}

static void
run_file(struct textrun *run, const char *path)
{
	size_t len = 0;
	auto_free char *text = read_whole(path, &len);

	if (text) {
		textrun_file(run, path, text, len);
		fputs(run->report.data ? run->report.data : "", stdout);
	} else {
		printf("FAIL %s: %s\n", path, strerror(errno));
		run->failed++;
	}
	buf_finish(&run->report);
}

int
main(int argc, char **argv)
{
	struct textrun run = { .kinds = kinds };

	for (int i = 1; i < argc; i++)
		run_file(&run, argv[i]);
	printf("%d passed, %d failed\n", run.passed, run.failed);
	return run.failed > 0 || run.passed == 0;
}
