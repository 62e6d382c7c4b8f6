/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.h: doors for code inside the project. Programs use include/dendro.h; a database opened
 * here is a dendro_db like any other, and all of dendro.h works on it.
 *
 * Tests open the engine on a simulated volume and run sessions on fibers of its scheduler:
 *
 *     sim_volume_open(disk, seed, &v, err);
 *     engine_open_volume(v, &options, &db, err);
 *     … dendro_connect(db, …) …
 *     dendro_close(db);  volume_close(v);
 *
 * Threads: as dendro.h. */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "dendro.h"
#include "volume/volume.h"

struct engine_options {
    uint32_t flags;              /* of enum dendro_open_flags */
    const char *const *settings; /* as in struct dendro_options; NULL = none */
    bool background;             /* flushes run as tasks of the scheduler, not inside the write */
};

/* The volume stays the caller's and must outlive the database. */
int engine_open_volume(struct volume *v,
                       const struct engine_options *options,
                       dendro_db **ret_db,
                       struct dn_err *err) DN_MUST_CHECK;

/* dendro check: verifies catalog, manifest, segments and log of a volume. */
int engine_check_volume(struct volume *v,
                        dendro_report_fn report,
                        void *arg,
                        uint64_t *ret_faults,
                        struct dn_err *err) DN_MUST_CHECK;

/* What the database's memory is charged to, for tests of limits and leaks. */
struct mem_owner *engine_owner(dendro_db *db);
