/* SPDX-License-Identifier: Apache-2.0
 *
 * place.h: a simulated volume to put segments in. Asserts with cmocka. */
#pragma once

#include "store/segment.h"
#include "volume/sim.h"

struct place {
    struct sim_disk *disk;
    struct volume *v;
};

void place_init(struct place *p);
void place_done(struct place *p);
void place_put(struct place *p, uint64_t table_id, uint64_t id, const struct buf *b);
struct seg *place_open(struct place *p, struct cache *cache, const struct table *t, uint64_t id);
