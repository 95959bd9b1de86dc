/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_WEB_H
#define TESTS_UNIT_WEB_H

/* A web server in a thread that does what the test wants and counts connections. */

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "unit-world.h"

struct web {
	int fd, port, stop;
	pthread_t thread;
	atomic_int connections;
	int cancel;	    /* written to when "/cancel" is asked for; -1 */
	char request[4096]; /* the last one; to be looked at when it was answered */
	char location[512]; /* of "/to" */
	char *packed;	    /* the body of "/bomb" */
	size_t packed_len;
};

/* On this address; port 0: any. */
void web_open(struct web *web, const char *address, int port);

void web_close(struct web *web);

/* size zero bytes, packed. */
void web_pack(struct web *web, size_t size);

/* -- a server that is a program of its own ------------------------------------------ */

struct web_process {
	pid_t pid;
	int in;
	int port;
};

void web_process_start(struct web_process *process, char *const argv[]);
void web_process_stop(struct web_process *process);
bool web_run_quietly(char *const argv[]);

#endif
