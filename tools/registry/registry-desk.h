/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REGISTRY_REGISTRY_DESK_H
#define TOOLS_REGISTRY_REGISTRY_DESK_H

#include <ambit/registry.h>

#include "ask/desk/desk.h"

/* The desk that a registry's calls ask at, for the live session of its door. Borrowed. */
struct desk *registry_desk(struct ambit_registry *registry);

#endif
