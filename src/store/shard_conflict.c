/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_conflict.c: may a batch be committed? Its definition is in force, and where it says so
 * nobody has changed its rows since a snapshot. And when its rows expire. */
#include "store/shard_int.h"

#include "volume/clock.h"

#define COMMIT_LOOK_ROWS 4096u /* between looks at a cancel flag */

int64_t shard_expiry(const struct shard *s, const struct shard_batch *b)
{
    bool timed = b->op == ROW_PUT && (b->expiry_ns != ROW_DEFAULT || b->table->ttl_seconds);

    return timed ? rows_expiry(b->table, b->expiry_ns, volume_latest_ns(s->volume)) : ROW_NEVER;
}

static int commit_changed(const struct table *t, const char *how, struct dn_err *err)
{
    return DN_FAIL(
        err, DN_E_TABLE_CHANGED, "table \"%s\" was %s by another session meanwhile", t->name, how);
}

int shard_check_key(const struct shard *s, const struct table *t, struct dn_err *err)
{
    const struct table *cur = t ? catalog_table_by_id(s->catalog, t->id) : NULL;

    return cur && cur->local_count > t->local_count ? commit_changed(t, "altered", err) : DN_OK;
}

/* Vectors of a batch in the order of another definition of its table: the key's, nothing else is
 * looked at. */
static int commit_key_cols(struct shard *s,
                           const struct shard_batch *b,
                           const struct table *to,
                           struct vec **ret,
                           struct dn_err *err)
{
    struct vec *cols = mem_calloc(&s->owner, to->columns_count, sizeof *cols);

    if (!cols)
        return DN_FAIL_NOMEM(err);
    *ret = cols;
    for (uint16_t i = 0; i < to->local_count; i++) {
        int c = table_column_by_id(b->table, to->columns[to->local[i].col].id);

        if (c < 0)
            return commit_changed(b->table, "altered", err);
        cols[to->local[i].col] = b->cols[c];
    }
    return DN_OK;
}

/* Has a row of the batch a version in this memtable that is newer than its snapshot? */
static int commit_check_memtable(struct shard *s,
                                 const struct shard_batch *b,
                                 const struct mem_write *w,
                                 struct memtable *m,
                                 bool *ret_newer,
                                 struct dn_err *err)
{
    struct mem_write mapped = *w;
    struct vec *cols = NULL;
    int rc = DN_OK;

    if (memtable_table(m)->version != b->table->version) {
        rc = commit_key_cols(s, b, memtable_table(m), &cols, err);
        mapped.cols = cols;
    }
    for (uint32_t row = 0; row < b->rows && rc == DN_OK && !*ret_newer; row++) {
        if (row % COMMIT_LOOK_ROWS == 0)
            rc = shard_check_cancel(w->cancel, err);
        if (rc == DN_OK)
            rc = memtable_newer(m, &mapped, row, b->check_seq, ret_newer, err);
    }
    mem_free(cols);
    return rc;
}

/* First committer wins: no row of the batch may have a version newer than its snapshot. Segments
 * that were flushed since then count as a conflict where they could hold one: the caller takes a
 * new snapshot and tries again. */
int shard_check_rows(struct shard *s,
                     const struct shard_batch *b,
                     const atomic_bool *cancel,
                     struct dn_err *err)
{
    const struct mem_write w = {.cols = b->cols, .rowids = b->rowids, .cancel = cancel};
    struct version *v;
    bool newer = s->load_mark > b->check_seq; /* a load's rows are older than their commit */
    int rc = DN_OK;

    sched_lock(s->lock);
    v = version_ref(s->ver);
    newer = newer || s->forget_seq > b->check_seq;
    sched_unlock(s->lock);
    for (size_t i = 0; i < v->segs_count && !newer; i++)
        newer =
            v->segs[i]->meta.table_id == b->table->id && v->segs[i]->meta.seq_max > b->check_seq;
    for (size_t i = 0; i < v->sets_count && rc == DN_OK && !newer; i++) {
        struct memtable *m;
        size_t at = 0;
        while (rc == DN_OK && !newer && (m = memgroup_next(v->sets[i], b->table->id, &at)) != NULL)
            rc = commit_check_memtable(s, b, &w, m, &newer, err);
    }
    if (rc == DN_OK && !newer)
        rc = shard_range_newer(s, v, b, &newer, err);
    version_unref(v);
    if (rc == DN_OK && newer)
        rc = DN_FAIL(err,
                     DN_E_CONFLICT,
                     "a row of table \"%s\" was changed by another session meanwhile",
                     b->table->name);
    return rc;
}

int shard_check_table(const struct shard *s,
                      const struct catalog *cat,
                      const struct table *t,
                      bool stored,
                      struct dn_err *err)
{
    const struct table *cur = catalog_table_by_id(cat ? cat : s->catalog, t->id);

    if (cur && s->held_table != t->id && (!t->parent || s->held_table != t->parent) &&
        (cur->version == t->version || (stored && table_same_schedule(cur, t))))
        return DN_OK;
    return commit_changed(t, cur ? "altered" : "dropped or emptied", err);
}

void shard_forget(struct shard *s, uint64_t seq)
{
    sched_lock(s->lock);
    if (seq > s->forget_seq)
        s->forget_seq = seq;
    sched_unlock(s->lock);
}

bool memgroup_expires(struct memgroup *set, uint64_t table_id)
{
    bool any = false;

    sched_lock(set->lock);
    for (size_t i = 0; i < set->tables_count && !any; i++) {
        const struct table *t = memtable_table(set->tables[i]);

        any = memtable_expires(set->tables[i]) && (t->id == table_id || t->parent == table_id);
    }
    sched_unlock(set->lock);
    return any;
}

bool shard_expires(struct shard *s, uint64_t table_id)
{
    struct version *v;
    bool any = false;

    sched_lock(s->lock);
    v = version_ref(s->ver);
    sched_unlock(s->lock);
    for (size_t i = 0; i < v->segs_count && !any; i++)
        any = v->segs[i]->meta.has_expiry &&
              (v->segs[i]->table->id == table_id || v->segs[i]->table->parent == table_id);
    for (size_t i = 0; i < v->sets_count && !any; i++)
        any = memgroup_expires(v->sets[i], table_id);
    version_unref(v);
    return any;
}
