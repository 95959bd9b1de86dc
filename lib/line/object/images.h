/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINE_OBJECT_IMAGES_H
#define LINE_OBJECT_IMAGES_H

#include <stdint.h>

#include "line/object/target.h"

/* Which program image a process runs: a number that is another one after each exec, also of the
 * same file at the same addresses. Numbers are never given out again. The last 64 processes are
 * known; one that was forgotten meanwhile gets another number. Thread-safe. */

struct images;

struct images *images_create(void);
void images_destroy(struct images *images);

/* 0: it cannot be told. The process is gone or cannot be looked into, or its memory is its
 * parent's, as that of a child of vfork is until its exec. */
uint64_t images_find(struct images *images, const struct target_who *who);

#endif
