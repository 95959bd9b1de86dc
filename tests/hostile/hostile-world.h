/* SPDX-License-Identifier: Apache-2.0 */
/* The world of one attack, as the runner sees it: made fresh, told as text, and
 * taken away. Two texts that differ are an effect. */
#ifndef TESTS_HOSTILE_HOSTILE_WORLD_H
#define TESTS_HOSTILE_HOSTILE_WORLD_H

#include <stdio.h>

#include "attack.h"

/* What victim and runner share. */
struct counts {
	unsigned signals, tcp, udp, unix_stream, unix_dgram, unix_packet, abstract_stream,
		abstract_dgram, given, fifo, netlink, inherited, terminals;
	uintptr_t word;
};

struct made {
	struct world w;
	struct counts *counts; /* shared with the victim */
	int sync;	       /* to the victim: a byte there and one back */
	int inherited;	       /* the end of a pair for INHERITED_SOCKET */
	int master, terminal;  /* the other terminal, both ends */
	int mq;
	int listener;	      /* the runner's, made because the attack asked; -1: none */
	int datagrams, queue; /* likewise */
	int segment;	      /* a SysV id */
	pid_t terminals;      /* makes terminals, one after the other; 0: nobody does */
	char queue_name[64];
	unsigned came, heard, reached, blocked;
	char home[LENGTH], tmp[LENGTH], run[LENGTH];
};

/* 0, or -1 with the reason on standard error. `base` is an empty directory;
 * `template` is a state directory of ambit's to copy, or NULL. */
int world_make(struct made *m, const char *base, const char *template);
/* Everything that must not change, as text; to be freed. */
char *world_state(struct made *m);
void world_end(struct made *m);
/* Never returns. */
void victim_main(struct made *m, const int *listeners, int sync, int inherited);
/* Opens everything that others could reach, in the order of enum listener. */
int listeners_open(struct made *m, int *fds);
/* Takes the place of something that the attack made: see taker.c. */
bool taker_take(struct made *m, const char *request, const char *what);
void taker_tell(FILE *out, struct made *m);
void taker_end(struct made *m);
/* Removes a tree whatever its modes are. */
void remove_tree(const char *path);

enum listener {
	L_TCP,
	L_TCP6,
	L_UDP,
	L_STREAM,
	L_DGRAM,
	L_PACKET,
	L_NAME_STREAM,
	L_NAME_DGRAM,
	L_GIVEN,
	L_FIFO,
	L_NETLINK,
	L_N,
};

#endif
