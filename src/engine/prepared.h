/* SPDX-License-Identifier: Apache-2.0
 *
 * prepared.h: PREPARE and its like for protocols that keep statements by name themselves: to
 * clients both kinds are one. Threads: as dendro.h. */
#pragma once

#include "dendro.h"

/* Is it a DEALLOCATE? Then of which name; NULL: ALL. */
bool engine_deallocates(const dendro_stmt *stmt, const char **ret_name);
