/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include <stdlib.h>

/* Scope owns: memory that is declared auto_free is freed when the block ends, unless
 * steal_ptr takes it before. Descriptors have the same in base/fd.h. */

static inline void
free_owned_pointer(void *pointer)
{
	free(*(void **)pointer);
}

#define auto_free __attribute__((cleanup(free_owned_pointer)))

#define steal_ptr(pointer)                                                                         \
	({                                                                                         \
		__typeof__(*(pointer)) stolen_ = *(pointer);                                       \
		*(pointer) = NULL;                                                                 \
		stolen_;                                                                           \
	})

#endif
