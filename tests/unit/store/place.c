/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void place_init(struct place *p)
{
    struct dn_err err = {0};

    p->disk = sim_disk_new(1);
    assert_non_null(p->disk);
    if (sim_volume_open(p->disk, 1, &p->v, &err) < 0)
        fail_msg("%s", err.text);
}

void place_done(struct place *p)
{
    volume_close(p->v);
    sim_disk_free(p->disk);
}

void place_put(struct place *p, uint64_t table_id, uint64_t id, const struct buf *b)
{
    char name[VOLUME_NAME_MAX + 1];
    struct dn_err err = {0};

    seg_name(table_id, id, name);
    if (volume_put(p->v, name, b->data, b->len, &err) < 0)
        fail_msg("%s", err.text);
}

struct seg *place_open(struct place *p, struct cache *cache, const struct table *t, uint64_t id)
{
    struct dn_err err = {0};
    struct seg *s = NULL;

    if (seg_open(p->v, cache, t, t->id, id, &s, &err) < 0)
        fail_msg("%s", err.text);
    return s;
}
