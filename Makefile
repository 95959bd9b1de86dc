# SPDX-License-Identifier: Apache-2.0
# make try     install what is missing, build, see the line work
# make check   the tests
# make help    everything else

BUILD ?= build
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec/ambit
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
CC ?= cc
SAN ?=
INSTALL ?= install
OBJCOPY ?= objcopy
FUZZ_SECONDS ?= 60

comma := ,
SONAME = libambit.so.0
TOOLS_SONAME = libambit-tools.so.0
VERSION := $(shell sed -n 's/^.define AMBIT_VERSION "\(.*\)"/\1/p' include/ambit/ambit.h)

PKGS = jansson sqlite3 libsodium
# libambit-tools needs these. `ambit` and libambit do not: commands that need tools are in a
# second program, ambit-tools.
TOOL_PKGS = libcurl libpcre2-8 libarchive liblzma
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(shell pkg-config --cflags $(TOOL_PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -pthread
TOOL_LIBS := $(shell pkg-config --libs $(TOOL_PKGS) 2>/dev/null) $(PKG_LIBS)
PKG_STATIC := $(shell pkg-config --static --libs $(PKGS) 2>/dev/null) -pthread

WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 \
	-Wwrite-strings -Wpointer-arith -Wundef -Werror=implicit-function-declaration \
	-Werror=incompatible-pointer-types -Werror=int-conversion -Werror=return-type
ifdef CI
WARN += -Werror
endif
CFLAGS ?= -O2 -g
HARDEN = -fstack-protector-strong -D_FORTIFY_SOURCE=2
SAN_FLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Iinclude -Ilib -Isrc -I. -Itests/unit $(PKG_CFLAGS) $(WARN) $(CFLAGS) \
	$(if $(SAN),,$(HARDEN)) $(SAN_FLAGS) -fPIC -fno-semantic-interposition -MMD -MP
# Both libraries, for the tests and for ambit-tools.
ARCHIVES = $(BUILD)/libambit-tools.a $(BUILD)/libambit.a
LDLIBS = $(ARCHIVES) $(TOOL_LIBS)
# The program starts in half the time when nothing is to be linked at its
# start. STATIC= links it with the shared libraries instead.
STATIC ?= yes
PROGRAM_LDFLAGS = $(if $(SAN),,$(if $(STATIC),-static-pie))
PROGRAM_LIBS = $(if $(SAN),$(PKG_LIBS),$(if $(STATIC),$(PKG_STATIC),$(PKG_LIBS)))
ALL_LDFLAGS = $(LDFLAGS) $(SAN_FLAGS) -Wl,-z,relro,-z,now -Wl,--as-needed

LIB_SRC := $(sort $(wildcard lib/*/*.c lib/*/*/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
TOOLS_SRC := $(sort $(wildcard tools/*/*.c))
TOOLS_OBJ := $(TOOLS_SRC:%.c=$(BUILD)/%.o)
CLI_SRC := $(sort $(wildcard src/cli/*.c src/commands/*.c src/run/*.c))
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
# The doors to tools: in `ambit`, src/exec-tools starts ambit-tools instead.
DOOR_SRC := $(sort $(wildcard src/door/*.c src/mcp/*.c src/serve/*.c src/spawn/*.c \
	src/judge/*.c))
DOOR_OBJ := $(DOOR_SRC:%.c=$(BUILD)/%.o)
EXEC_SRC := $(sort $(wildcard src/exec-tools/*.c))
EXEC_OBJ := $(EXEC_SRC:%.c=$(BUILD)/%.o)
# The screen of the person who answers; in both programs, since it needs no tools.
WATCH_SRC := $(sort $(wildcard src/watch/*.c))
WATCH_OBJ := $(WATCH_SRC:%.c=$(BUILD)/%.o)
UNIT_SRC := $(sort $(wildcard tests/unit/*/test-*.c))
UNIT := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(UNIT_SRC)))
# The rigs that unit tests share: a temporary world, an engine, a registry.
RIG_SRC := $(sort $(wildcard tests/unit/*.c))
RIG_OBJ := $(RIG_SRC:%.c=$(BUILD)/%.o)
CASES := $(patsubst tests/cases/cases.c,$(BUILD)/tests/cases,$(wildcard tests/cases/cases.c))
TEXTS_SRC := $(sort $(wildcard tests/texts/*.c))
TEXTS := $(if $(TEXTS_SRC),$(BUILD)/texts/texts)
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz-*.c))
REPLAY := $(FUZZ_SRC:tests/fuzz/fuzz-%.c=$(BUILD)/tests/replay-%)
FUZZ := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzz/%)
# What one target needs of the program: the door, without what opens it.
MCP_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(filter-out src/mcp/mcp.c,$(sort $(wildcard src/mcp/*.c))) \
	src/cli/mode-table.c)
# What a unit test needs of the screen: the picture, not what it comes from.
BOARD_OBJ := $(patsubst %,$(BUILD)/src/watch/%.o,board keys row wrap watch-layout frame)
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
BENCH := $(BENCH_SRC:tests/bench/%.c=$(BUILD)/bench/%)
HELPER_SRC := $(sort $(wildcard tests/e2e/*.c))
HELPER := $(HELPER_SRC:tests/e2e/%.c=$(BUILD)/e2e/%)
HOSTILE_SRC := $(sort $(wildcard tests/hostile/*.c))
HOSTILE := $(if $(HOSTILE_SRC),$(BUILD)/hostile/hostile)

# V=1 shows whole commands.
Q = $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)')

# Without a -j of its own, a make started from here uses every core.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

.PHONY: all try deps unit tests check check-fast check-long check-agents bench fuzz fuzz-programs install uninstall \
	format clean help
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/ambit $(BUILD)/ambit-tools $(ARCHIVES) $(BUILD)/$(SONAME) $(BUILD)/$(TOOLS_SONAME) $(BUILD)/doc/.done ## the programs, the libraries, their pages

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(CC) $(ALL_CFLAGS) -c $< -o $@

# Tests write argv-like lists of literals.
$(BUILD)/tests/%.o: WARN += -Wno-write-strings
# Attacks are judged by their effects, not by what the calls return.
$(BUILD)/tests/hostile/%.o: WARN += -Wno-write-strings -Wno-unused-result

$(BUILD)/libambit.a: $(LIB_OBJ)
$(BUILD)/libambit-tools.a: $(TOOLS_OBJ)
$(BUILD)/tests/librig.a: $(RIG_OBJ)
$(ARCHIVES) $(BUILD)/tests/librig.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR $@)
	$(Q)$(AR) rcs $@ $^

# See lib/private.list. -Bsymbolic: a program that defines a name of the library's own does not
# change what the library calls.
SO_LDFLAGS = -shared -Wl,-Bsymbolic $(if $(SAN),,-Wl$(comma)-z$(comma)defs)

$(BUILD)/libambit.map: Makefile lib/private.list include/ambit/ambit.h
	@mkdir -p $(@D)
	@(echo 'AMBIT_0 { global: ambit_*; local: *; };'; echo 'AMBIT_PRIVATE_$(VERSION) { global:'; \
		sed '/^#/d; s/.*/ambit_private_&;/' lib/private.list; echo '};') >$@

$(BUILD)/private.link: lib/private.list
	@mkdir -p $(@D)
	@sed '/^#/d; s/.*/-Wl,--defsym=ambit_private_&=&/' $< >$@

$(BUILD)/private.names: lib/private.list
	@mkdir -p $(@D)
	@sed '/^#/d; s/.*/& ambit_private_&/' $< >$@

$(BUILD)/$(SONAME): $(LIB_OBJ) $(BUILD)/libambit.map $(BUILD)/private.link
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(SO_LDFLAGS) -Wl,-soname,$(SONAME) \
		-Wl,--version-script=$(BUILD)/libambit.map @$(BUILD)/private.link -o $@ $(LIB_OBJ) $(PKG_LIBS)

# The objects of the tools, with the names by which libambit.so knows its private functions.
$(BUILD)/tools.o: $(TOOLS_OBJ) $(BUILD)/private.names
	$(Q)$(LD) -r -o $@ $(TOOLS_OBJ)
	$(Q)$(OBJCOPY) --redefine-syms=$(BUILD)/private.names $@

$(BUILD)/$(TOOLS_SONAME): $(BUILD)/tools.o $(BUILD)/$(SONAME) tools/libambit-tools.map
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(SO_LDFLAGS) -Wl,-soname,$(TOOLS_SONAME) \
		-Wl,--version-script=tools/libambit-tools.map -o $@ $(BUILD)/tools.o $(BUILD)/$(SONAME) $(TOOL_LIBS)

$(BUILD)/ambit: $(CLI_OBJ) $(WATCH_OBJ) $(EXEC_OBJ) $(BUILD)/libambit.a
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) $(PROGRAM_LDFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/libambit.a \
		$(PROGRAM_LIBS)

$(BUILD)/ambit-tools: $(CLI_OBJ) $(WATCH_OBJ) $(DOOR_OBJ) $(ARCHIVES)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# Man pages and completions are the program's own tables, printed.
$(BUILD)/doc/.done: $(BUILD)/ambit scripts/gen-doc
	$(call say,DOC $(BUILD)/doc)
	$(Q)scripts/gen-doc $(BUILD)/ambit $(BUILD)/doc
	@touch $@

# A unit test lies in the room of what it is about, and is linked into one folder.
$(foreach source,$(UNIT_SRC),$(eval $(BUILD)/tests/$(basename $(notdir $(source))): $(BUILD)/$(source:.c=.o)))
$(UNIT): $(BUILD)/tests/librig.a $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/tests/librig.a $(LDLIBS) -lcmocka

$(BUILD)/tests/test-watch $(BUILD)/texts/texts: $(BOARD_OBJ)
$(BUILD)/texts/texts: $(BUILD)/src/mcp/mcp-form.o

# Not tests/cases/cases.o: that directory would stand where the program goes.
$(BUILD)/tests/cases: tests/cases/cases.c $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_CFLAGS) -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(LDLIBS)

$(BUILD)/texts/texts: $(TEXTS_SRC:%.c=$(BUILD)/%.o) $(BUILD)/tests/librig.a $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/tests/librig.a $(LDLIBS) -lcmocka

$(BUILD)/tests/replay-%: $(BUILD)/tests/fuzz/fuzz-%.o $(BUILD)/tests/fuzz/replay.o $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(LDLIBS)

$(BUILD)/tests/replay-mcp $(BUILD)/fuzz/fuzz-mcp: $(MCP_OBJ)

$(BUILD)/bench/%: $(BUILD)/tests/bench/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LDLIBS)

$(BUILD)/e2e/%: $(BUILD)/tests/e2e/%.o
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $<

$(BUILD)/hostile/hostile: $(HOSTILE_SRC:%.c=$(BUILD)/%.o)
	@mkdir -p $(@D)
	$(call say,LD $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ -pthread

try: ## install what is missing, build, and see the line work
	@scripts/deps build
	@$(MAKE) --no-print-directory $(JOBS) all >$(or $(TMPDIR),/tmp)/ambit-build.$$PPID.log 2>&1 || \
		{ cat $(or $(TMPDIR),/tmp)/ambit-build.$$PPID.log; exit 1; }
	@rm -f $(or $(TMPDIR),/tmp)/ambit-build.$$PPID.log
	@AMBIT=$(abspath $(BUILD)/ambit) scripts/try

deps: ## install the Debian packages that are missing, for building and testing
	@scripts/deps

unit: $(UNIT) ## the unit tests alone
	@for t in $(UNIT); do $$t || exit 1; done

tests: all $(BENCH) $(UNIT) $(CASES) $(TEXTS) $(REPLAY) $(HELPER) $(HOSTILE) ## build every test, run none

check: ## all tests: sanitizers, plain, as a normal user and as root
	@scripts/deps
	@MAKE="$(MAKE) --no-print-directory" BUILD=$(BUILD) scripts/check

check-fast: ## script checks, unit tests and cases alone: about two minutes
	@scripts/deps
	@MAKE="$(MAKE) --no-print-directory" BUILD=$(BUILD) scripts/check fast

check-long: ## check with gcc and clang, long races, FUZZ_SECONDS per fuzz target
	@scripts/deps
	@MAKE="$(MAKE) --no-print-directory" BUILD=$(BUILD) scripts/check long

check-agents: all tests ## real agents from npm behind the line, with a scripted model
	@AMBIT=$(BUILD)/ambit tests/agents/run

bench: all $(BENCH) ## the figures
	@for b in $(BENCH); do AMBIT=$(abspath $(BUILD)/ambit) $$b || exit 1; done

fuzz: ## each fuzz target for FUZZ_SECONDS (needs clang)
	@$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD)/fuzzing CC=clang \
		SAN=fuzzer-no-link,address,undefined fuzz-programs
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz $(BUILD)/fuzzing

fuzz-programs: $(FUZZ)

install: all ## programs, libraries, headers, pkg-config files, man pages, doc, completions
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/ambit \
		$(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(DATADIR)/bash-completion/completions \
		$(DESTDIR)$(DATADIR)/zsh/site-functions $(DESTDIR)$(DATADIR)/fish/vendor_completions.d \
		$(DESTDIR)$(DATADIR)/doc/ambit
	$(INSTALL) -m 755 $(BUILD)/ambit $(DESTDIR)$(BINDIR)/ambit
	$(INSTALL) -d $(DESTDIR)$(LIBEXECDIR)
	$(INSTALL) -m 755 $(BUILD)/ambit-tools $(DESTDIR)$(LIBEXECDIR)/ambit-tools
	$(INSTALL) -m 644 $(BUILD)/$(SONAME) $(DESTDIR)$(LIBDIR)/$(SONAME)
	$(INSTALL) -m 644 $(BUILD)/$(TOOLS_SONAME) $(DESTDIR)$(LIBDIR)/$(TOOLS_SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libambit.so
	ln -sf $(TOOLS_SONAME) $(DESTDIR)$(LIBDIR)/libambit-tools.so
	$(INSTALL) -m 644 include/ambit/*.h $(DESTDIR)$(INCLUDEDIR)/ambit
	for pc in ambit ambit-tools; do sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@PKGS@|$(PKGS)|' \
		-e 's|@TOOL_PKGS@|$(TOOL_PKGS)|' $$pc.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/$$pc.pc || exit 1; \
		chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/$$pc.pc || exit 1; done
	$(INSTALL) -m 644 $(BUILD)/doc/*.1 $(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 644 doc/*.md $(DESTDIR)$(DATADIR)/doc/ambit
	$(INSTALL) -m 644 $(BUILD)/doc/ambit.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/ambit
	$(INSTALL) -m 644 $(BUILD)/doc/_ambit $(DESTDIR)$(DATADIR)/zsh/site-functions/_ambit
	$(INSTALL) -m 644 $(BUILD)/doc/ambit.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/ambit.fish

uninstall: ## take away what install put there
	rm -f $(DESTDIR)$(BINDIR)/ambit $(DESTDIR)$(LIBEXECDIR)/ambit-tools $(DESTDIR)$(LIBDIR)/$(SONAME) \
		$(DESTDIR)$(LIBDIR)/$(TOOLS_SONAME) $(DESTDIR)$(LIBDIR)/libambit.so \
		$(DESTDIR)$(LIBDIR)/libambit-tools.so $(DESTDIR)$(LIBDIR)/pkgconfig/ambit.pc \
		$(DESTDIR)$(LIBDIR)/pkgconfig/ambit-tools.pc $(DESTDIR)$(MANDIR)/man1/ambit.1 \
		$(DESTDIR)$(MANDIR)/man1/ambit-*.1 $(DESTDIR)$(DATADIR)/bash-completion/completions/ambit \
		$(DESTDIR)$(DATADIR)/zsh/site-functions/_ambit \
		$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/ambit.fish
	rm -rf $(DESTDIR)$(INCLUDEDIR)/ambit $(DESTDIR)$(DATADIR)/doc/ambit

format: ## lay out the sources by clang-format
	@scripts/format --fix

clean: ## remove the build directory
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22
	@echo '  variables: BUILD=$(BUILD) PREFIX=$(PREFIX) DESTDIR= CC=$(CC) SAN=address,undefined V=1 FUZZ_SECONDS=$(FUZZ_SECONDS)'

-include $(LIB_OBJ:.o=.d) $(TOOLS_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(DOOR_OBJ:.o=.d) $(WATCH_OBJ:.o=.d) \
	$(EXEC_OBJ:.o=.d) $(wildcard $(BUILD)/tests/*/*/*.d $(BUILD)/tests/*/*.d $(BUILD)/tests/*.d)
