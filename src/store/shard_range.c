/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_range.c: range tombstones among commits: who came first. */
#include "store/shard_int.h"

/* What range tombstones are asked about: a row of a memtable, or of a batch. */
struct stored_row {
    const struct table *t;
    const struct table *as;   /* the definition that ranges were resolved with */
    const struct memtable *m; /* NULL: of cols */
    const struct vec *cols;
    uint32_t row;
};

static struct datum stored_col(const struct stored_row *r, uint32_t col)
{
    return r->m ? memtable_datum(r->m, r->row, col) : vec_datum(&r->cols[col], r->row);
}

static struct datum stored_series(const void *arg, uint16_t place)
{
    const struct stored_row *r = arg;

    return stored_col(r, r->t->series[place]);
}

static struct datum stored_rest(const void *arg, uint16_t place)
{
    const struct stored_row *r = arg;

    return r->m ? memtable_rest(r->m, r->row, r->as, place) : stored_col(r, r->t->rest[place].col);
}

static bool range_hits(const struct range_on *g, const struct stored_row *r)
{
    struct datum time = {.null = true};
    int64_t slab = 0;

    if (r->t->time_col >= 0) {
        time = stored_col(r, (uint32_t)r->t->time_col);
        slab = table_slab(r->t, time.null ? 0 : time.v.i64);
    }
    return range_on_run(g, slab, stored_series, r) && range_on_row(g, stored_rest, r);
}

bool shard_range_hits(const struct range_on *g,
                      const struct table *t,
                      const struct vec *cols,
                      uint32_t row)
{
    const struct stored_row r = {.t = t, .as = t, .cols = cols, .row = row};

    return range_hits(g, &r);
}

/* Was a row of the batch deleted with a range since its snapshot? */
int shard_range_newer(struct shard *s,
                      const struct version *v,
                      const struct shard_batch *b,
                      bool *ret_newer,
                      struct dn_err *err)
{
    struct stored_row row = {.t = b->table, .as = b->table, .cols = b->cols};
    struct range_list list = {.count = 0};
    struct range_on *on = NULL;
    uint32_t count = 0;
    int rc = DN_OK;

    if (!version_list_ranges(v, b->table->id, UINT64_MAX, &list, &s->owner))
        rc = DN_FAIL_NOMEM(err);
    if (rc == DN_OK)
        rc = range_resolve(b->table, &list, &s->owner, &on, &count, err);
    for (uint32_t i = 0; i < count && rc == DN_OK; i++)
        for (row.row = 0; on[i].r->seq > b->check_seq && row.row < b->rows && !*ret_newer;
             row.row++)
            *ret_newer = range_hits(&on[i], &row);
    mem_free(on);
    range_list_done(&list);
    return rc;
}

/* Has a row in the range a version newer than its snapshot, in memory? */
static int range_newer_row(struct shard *s,
                           const struct shard_batch *b,
                           const struct memtable *m,
                           bool *ret_newer,
                           struct dn_err *err)
{
    struct stored_row row = {.t = memtable_table(m), .as = b->table, .m = m};
    struct range *r = range_new(&s->owner, b->range, b->table->id, UINT64_MAX);
    struct range_list list = {.v = &r, .count = 1};
    struct range_on *on = NULL;
    uint32_t count = 0;
    int rc = r ? range_resolve(row.as, &list, &s->owner, &on, &count, err) : DN_FAIL_NOMEM(err);

    for (row.row = memtable_rows_at(m, b->check_seq);
         rc == DN_OK && !*ret_newer && row.row < memtable_staged(m);
         row.row++)
        *ret_newer = range_hits(on, &row);
    mem_free(on);
    range_unref(r);
    return rc;
}

/* The same for a range tombstone: nothing in the range may be newer than its snapshot. A load's
 * rows come later with older sequences: it would hit what nobody has seen. */
static int range_conflict(struct shard *s, const struct shard_batch *b, struct dn_err *err)
{
    struct range mine = *b->range;
    struct range_list list = {.count = 0};
    struct version *v;
    bool newer;
    int rc = DN_OK;

    mine.table_id = b->table->id;
    mine.seq = UINT64_MAX;
    sched_lock(s->lock);
    v = version_ref(s->ver);
    newer = (s->loads > 0 && !b->beyond) ||
            (b->check_seq && (s->load_mark > b->check_seq || s->forget_seq > b->check_seq));
    sched_unlock(s->lock);
    for (size_t i = 0; i < v->segs_count && b->check_seq && !newer; i++)
        newer = v->segs[i]->meta.seq_max > b->check_seq &&
                range_on_segment(&mine, b->table, &v->segs[i]->meta) >= 0;
    for (size_t i = 0; i < v->sets_count && b->check_seq && rc == DN_OK && !newer; i++) {
        struct memtable *m;
        size_t at = 0;
        while (rc == DN_OK && !newer && (m = memgroup_next(v->sets[i], b->table->id, &at)) != NULL)
            rc = range_newer_row(s, b, m, &newer, err);
    }
    if (rc == DN_OK && b->check_seq && !newer &&
        !version_list_ranges(v, b->table->id, UINT64_MAX, &list, &s->owner))
        rc = DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < list.count && !newer; i++)
        newer = list.v[i]->seq > b->check_seq && range_meets(list.v[i], &mine);
    range_list_done(&list);
    version_unref(v);
    if (rc == DN_OK && newer)
        rc = DN_FAIL(err,
                     DN_E_CONFLICT,
                     "rows of table \"%s\" were changed by another session meanwhile",
                     b->table->name);
    return rc;
}

int shard_check_range(struct shard *s,
                      const struct catalog *cat,
                      const struct shard_batch *b,
                      struct dn_err *err)
{
    /* of one that is only looked at another definition may be on its way */
    int rc = b->check_only ? DN_OK : shard_check_table(s, cat, b->table, false, err);

    if (rc == DN_OK)
        rc = range_check(b->range, b->table, err);
    return rc < 0 ? rc : range_conflict(s, b, err);
}

int shard_stage_range(struct shard *s,
                      struct memgroup *set,
                      const struct shard_batch *b,
                      uint64_t seq,
                      struct dn_err *err)
{
    struct range *r;
    int rc;

    r = range_new(&s->owner, b->range, b->table->id, seq);
    rc = r ? memgroup_add_range(s, set, r, err) : DN_FAIL_NOMEM(err);
    range_unref(r);
    return rc;
}
