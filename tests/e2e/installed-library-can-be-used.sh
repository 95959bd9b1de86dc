#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program of somebody else's finds the installed library by pkg-config, links
# with it, and runs; so does the installed command.
. "${0%/*}/lib.sh"

[[ -n ${AMBIT_STAGE:-} ]] || skip "nothing is installed (AMBIT_STAGE)"
command -v cc >/dev/null || skip "no compiler"
cat >"$TMPDIR/x.c" <<'END'
#include <ambit/ambit.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	char *schema = ambit_settings_schema();

	puts(schema);
	free(schema);
	return 0;
}
END
export PKG_CONFIG_PATH=$AMBIT_STAGE/lib/pkgconfig
# shellcheck disable=SC2046 # words are meant
cc -o "$TMPDIR/x" "$TMPDIR/x.c" $(pkg-config --cflags --libs ambit)
status 0 env LD_LIBRARY_PATH="$AMBIT_STAGE/lib" "$TMPDIR/x"
[[ $out == "$("$AMBIT_STAGE/bin/ambit" settings --schema)" ]] || fail "$out"
[[ $(pkg-config --modversion ambit) == "$("$AMBIT_STAGE/bin/ambit" version | cut -d' ' -f2)" ]] ||
	fail "ambit.pc says another version"
# Functions of the program's own do not take the place of the library's.
cat >"$TMPDIR/y.c" <<'END'
#include <ambit/ambit.h>
#include <ambit/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define TAKEN(name) void name(void); void name(void) { puts(#name " of the program was called"); abort(); }
TAKEN(err_set) TAKEN(json_parse) TAKEN(str_beneath) TAKEN(scope_resolve) TAKEN(clock_now)
TAKEN(buf_append) TAKEN(strv_append) TAKEN(engine_allows_fast) TAKEN(request_create)
int main(int argc, char **argv)
{
	struct ambit_error err = { 0 };
	struct ambit_settings *settings = NULL;
	struct ambit_scope *scope = NULL;
	struct ambit_record *record = NULL;
	struct ambit_engine *engine = NULL;
	struct ambit_registry *registry = NULL;
	struct ambit_result result = { 0 };
	struct ambit_call_options options = { .cancel = -1 };
	const char *call = "{\"file_path\":\"y.txt\",\"content\":\"by y\"}";

	if (argc != 3 || ambit_settings_load(&(struct ambit_settings_options){ .folder = argv[1] }, &settings, &err) ||
		ambit_scope_create(&(struct ambit_scope_options){ .root = argv[1], .places = { .state = argv[2] } }, &scope, &err) ||
		ambit_record_open(argv[2], AMBIT_RECORD_WRITE, &record, &err) ||
		ambit_engine_create(&(struct ambit_engine_options){ .settings = settings, .scope = scope, .record = record, .door = "y" }, &engine, &err) ||
		ambit_registry_create(&(struct ambit_registry_options){ .engine = engine }, &registry, &err))
		return puts(err.text), 1;
	ambit_registry_call(registry, "write", call, strlen(call), &options, &result);
	ambit_result_finish(&result);
	ambit_registry_destroy(registry);
	ambit_engine_destroy(engine);
	ambit_record_close(record);
	return 0;
}
END
# shellcheck disable=SC2046
cc -o "$TMPDIR/y" "$TMPDIR/y.c" $(pkg-config --cflags --libs ambit-tools)
status 0 env LD_LIBRARY_PATH="$AMBIT_STAGE/lib" "$TMPDIR/y" "$P" "$STATE"
[[ $(cat "$P/y.txt") == "by y" ]] || fail "the program's write did not happen"
for file in share/man/man1/ambit.1 share/man/man1/ambit-why.1 include/ambit/engine.h lib/libambit.so lib/libambit-tools.so \
	share/man/man1/ambit-mcp.1 share/man/man1/ambit-serve.1 \
	include/ambit/registry.h libexec/ambit/ambit-tools \
	share/bash-completion/completions/ambit share/zsh/site-functions/_ambit \
	share/fish/vendor_completions.d/ambit.fish share/doc/ambit/mcp.md share/doc/ambit/serve.md; do
	[[ -r $AMBIT_STAGE/$file ]] || fail "$file is not installed"
done
