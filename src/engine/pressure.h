/* SPDX-License-Identifier: Apache-2.0
 *
 * pressure.h: what happens when memory_limit is reached on the way to a commit:
 *
 *     pressure_begin
 *     do rc = what may be done again
 *     while (rc < 0 && (rc = pressure_relieve(…, rc, …)) == 0)
 *
 * The session's thread. */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct dendro_conn;

struct pressure {
    uint64_t refused;  /* by the limit, before */
    uint64_t since_ns; /* of the first relief */
    int tries;
};
void pressure_begin(struct pressure *p, const struct dendro_conn *conn);
/* 0: it was over memory_limit, but memory was given back or others may do so: try again. Else rc,
 * or why there is no waiting for memory. own_bytes: what it holds itself; nobody waits for
 * something that is too big for the limit. */
int pressure_relieve(struct pressure *p,
                     struct dendro_conn *conn,
                     size_t own_bytes,
                     int rc,
                     struct dn_err *err) DN_MUST_CHECK;
