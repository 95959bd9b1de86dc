/* SPDX-License-Identifier: Apache-2.0 */
/* ambit watch: where things lie, and which of the two ways of watching it is. */

#include <stdlib.h>
#include <unistd.h>

#include "watch-terminal.h"
#include "watch.h"

#include "ask/tty/ring.h"

#include "cli/door.h"
#include "cli/out.h"
#include "cli/world.h"

#include "base/err.h"
#include "base/own.h"
#include "base/str.h"

/* The person's alone: which folder this is started in does not matter here. Settings that cannot be
 * read are no reason not to show questions, nor not to ring. */
static unsigned
find_ring(const struct place *place)
{
	auto_free char *file =
		place->config != NULL ? str_printf("%s/config.json", place->config) : NULL;
	const struct ambit_settings_options options = { .person = file, .home = place->home };
	struct ambit_settings *settings = NULL;
	bool quiet = file != NULL && ambit_settings_load(&options, &settings, NULL) == 0 &&
		     ambit_settings_number(settings, "bell") == 0;

	ambit_settings_destroy(settings);
	return quiet ? 0 : ring_for_terminal(environ);
}

static int
watch_screen(struct watch *watch, struct ambit_error *err)
{
	struct terminal terminal;
	int r = terminal_open(&terminal, err);

	if (r < 0)
		return r;
	watch->colour = out_colour(STDOUT_FILENO);
	r = terminal_guard(&terminal, screen_run, watch, err);
	terminal_close(&terminal);
	return r;
}

int
watch_run(const struct args *args, struct ambit_error *err)
{
	struct place place;
	auto_free char *live = NULL;
	int r = place_init(&place, err);

	if (r == 0) {
		live = place_live(&place);
		r = live != NULL ? 0 : err_nomem(err);
	}
	if (r == 0) {
		struct watch watch = {
			.live = live,
			.state = place.state,
			.session = args_get(args, OPT_SESSION),
			.home = place.home,
			.ring = find_ring(&place),
		};

		r = args_get(args, OPT_JSON) != NULL ? stream_run(&watch, err)
						     : watch_screen(&watch, err);
	}
	place_finish(&place);
	return r;
}
