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
for file in share/man/man1/ambit.1 share/man/man1/ambit-why.1 include/ambit/engine.h lib/libambit.so \
	share/man/man1/ambit-mcp.1 share/man/man1/ambit-serve.1 \
	include/ambit/registry.h libexec/ambit/ambit-tools \
	share/bash-completion/completions/ambit share/zsh/site-functions/_ambit \
	share/fish/vendor_completions.d/ambit.fish share/doc/ambit/mcp.md share/doc/ambit/serve.md; do
	[[ -r $AMBIT_STAGE/$file ]] || fail "$file is not installed"
done
