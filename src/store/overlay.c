/* SPDX-License-Identifier: Apache-2.0
 *
 * overlay.c: the rows of a transaction; see overlay.h.
 *
 * The commit writes what the transaction comes to, not its history: of each key the last version,
 * without what range tombstones of the transaction hit afterwards. So one sequence does for all of
 * it: a range tombstone hits older sequences only, which none of these rows have. Conflicts are
 * looked for with the keys of all checked versions, whatever became of them. */
#include "store/overlay.h"

#include "store/overlay_check.h"
#include "store/overlay_keys.h"
#include "store/scan_int.h"
#include "store/shard_wait.h"

#include <string.h>

#define OVERLAY_SEQ   ((uint64_t)1 << 62) /* sequences from here on */
#define OVERLAY_ROWID ((uint64_t)1 << 62) /* row ids from here on */

#define OVERLAY_TRIES    8
#define OVERLAY_PAUSE_NS ((uint64_t)250000) /* doubled each time */

struct overlay {
    struct shard *shard;                /* borrowed */
    struct snapshot *base;              /* owned */
    struct catalog *before;             /* reference: that base is of */
    struct catalog *cat;                /* reference: as the transaction has it */
    struct version *ver;                /* reference: base's, read with that one */
    struct memgroup *set;               /* reference */
    struct memgroup *held;              /* owned: keys of rows that are only checked; NULL: none */
    uint64_t batches;                   /* written so far, those that were rolled back included */
    uint64_t rowid;                     /* next new row of a table without a key */
    const struct overlay_route *routes; /* borrowed: of the next commit */
    size_t routes_count;
};

/* Sequences of a batch: the first, and what may be added to it. */
#define OVERLAY_STEP     8u
#define OVERLAY_CHECKED  1u
#define OVERLAY_INSERTED 2u
#define OVERLAY_NAMED    4u

static struct snapshot *overlay_copy(const struct snapshot *of)
{
    struct snapshot *snap = mem_calloc(&of->shard->owner, 1, sizeof *snap);

    if (!snap)
        return NULL;
    DN_ASSERT(!of->own);
    *snap = *of;
    snap->ver = version_ref(of->ver);
    snap->cat = catalog_ref(of->cat);
    return snap;
}

struct snapshot *overlay_base(const struct overlay *o)
{
    return overlay_copy(o->base);
}

struct overlay *
overlay_new(struct shard *s, struct catalog *cat, struct mem_owner *owner, size_t limit)
{
    return overlay_new_over(s, cat, NULL, owner, limit);
}

struct overlay *overlay_new_over(struct shard *s,
                                 struct catalog *cat,
                                 const struct snapshot *base,
                                 struct mem_owner *owner,
                                 size_t limit)
{
    struct overlay *o = mem_calloc(&s->owner, 1, sizeof *o);

    if (!o)
        return NULL;
    o->shard = s;
    o->rowid = OVERLAY_ROWID;
    o->set = memgroup_new(s);
    if (o->set)
        o->base = base ? overlay_copy(base) : shard_snapshot(s);
    if (!o->base) {
        overlay_free(o);
        return NULL;
    }
    if (owner)
        o->set->owner.parent = owner;
    o->set->owner.limit = limit;
    o->before = catalog_ref(cat);
    o->cat = catalog_ref(cat);
    o->ver = version_ref(o->base->ver);
    return o;
}

void overlay_free(struct overlay *o)
{
    if (!o)
        return;
    version_unref(o->ver);
    catalog_unref(o->cat);
    catalog_unref(o->before);
    snapshot_free(o->base);
    memgroup_unref(o->held);
    memgroup_unref(o->set);
    mem_free(o);
}

int overlay_set_catalog(struct overlay *o, struct catalog *cat, struct dn_err *err)
{
    struct version *v = version_for(o->base->ver, cat);

    if (!v)
        return DN_FAIL_NOMEM(err);
    version_unref(o->ver);
    o->ver = v;
    catalog_unref(o->cat);
    o->cat = catalog_ref(cat);
    return DN_OK;
}

uint64_t overlay_mark(const struct overlay *o)
{
    return OVERLAY_SEQ + OVERLAY_STEP * o->batches + OVERLAY_STEP - 1;
}

struct snapshot *overlay_snapshot(const struct overlay *o, uint64_t mark)
{
    struct snapshot *snap = mem_calloc(&o->shard->owner, 1, sizeof *snap);

    if (!snap)
        return NULL;
    *snap = (struct snapshot){.shard = o->shard,
                              .ver = version_ref(o->ver),
                              .cat = catalog_ref(o->base->cat),
                              .seq = o->base->seq,
                              .now_ns = o->base->now_ns,
                              .sure_ns = o->base->sure_ns,
                              .own = memgroup_ref(o->set),
                              .own_seq = mark};
    return snap;
}

uint64_t overlay_snapshot_mark(const struct snapshot *snap)
{
    return snap->own ? snap->own_seq : 0;
}

void overlay_rollback(struct overlay *o, uint64_t mark)
{
    for (size_t i = 0; i < o->set->tables_count; i++)
        memtable_truncate(o->set->tables[i], memtable_rows_at(o->set->tables[i], mark));
    memgroup_drop_ranges(o->set, mark + 1);
    for (size_t i = 0; o->held && i < o->held->tables_count; i++)
        memtable_truncate(o->held->tables[i], memtable_rows_at(o->held->tables[i], mark));
    if (o->held)
        memgroup_drop_ranges(o->held, mark + 1);
}

bool overlay_expires(const struct overlay *o, uint64_t table_id)
{
    return memgroup_expires(o->set, table_id);
}

/* ---- writing ---- */

static int overlay_full(const struct overlay *o, struct dn_err *err)
{
    size_t limit = o->set->owner.limit;
    int rc = DN_FAIL(err,
                     DN_E_NOMEM,
                     "the rows that the transaction has written take more than %zu %s of memory",
                     limit >> 20 ? limit >> 20 : limit >> 10,
                     limit >> 20 ? "MB" : "kB");

    dn_err_hint(err,
                "Write them in several transactions, or let transaction_memory or memory_limit be "
                "more.");
    return rc;
}

static int overlay_put(struct overlay *o,
                       struct memgroup *to,
                       const struct shard_batch *b,
                       const atomic_bool *cancel,
                       struct dn_err *err)
{
    uint64_t seq = OVERLAY_SEQ + OVERLAY_STEP * ++o->batches +
                   (b->check_seq ? OVERLAY_CHECKED : 0) + (b->inserts ? OVERLAY_INSERTED : 0) +
                   (b->inserts && b->named ? OVERLAY_NAMED : 0);
    struct mem_write w = {.cols = b->cols,
                          .seq = seq,
                          .op = b->op,
                          .rowid_base = o->rowid,
                          .rowids = b->rowids,
                          .expiry_ns = shard_expiry(o->shard, b),
                          .expiries = b->expiries,
                          .cancel = cancel};
    struct memtable *m;
    int rc = memgroup_get(o->shard, to, b->table, &m, err);

    if (rc == DN_OK)
        rc = memtable_stage(m, &w, b->rows, err);
    if (rc < 0)
        return rc;
    memtable_publish(m);
    if (b->table->form == KEY_NONE && !b->rowids)
        o->rowid += b->rows;
    return DN_OK;
}

static int overlay_put_range(struct overlay *o, const struct shard_batch *b, struct dn_err *err)
{
    uint64_t seq = OVERLAY_SEQ + OVERLAY_STEP * ++o->batches + OVERLAY_CHECKED;
    struct memtable *m; /* says that the table is one of those written to, if nothing else does */
    struct range *r;
    int rc = range_check(b->range, b->table, err);

    if (rc == DN_OK)
        rc = memgroup_get(o->shard, o->set, b->table, &m, err);
    if (rc < 0)
        return rc;
    r = range_new(&o->set->owner, b->range, b->table->id, seq);
    rc = r ? memgroup_add_range(o->shard, o->set, r, err) : DN_FAIL_NOMEM(err);
    range_unref(r);
    return rc;
}

int overlay_write(struct overlay *o,
                  const struct shard_batch *batches,
                  size_t count,
                  const atomic_bool *cancel,
                  struct dn_err *err)
{
    int rc = DN_OK;

    for (size_t i = 0; rc == DN_OK && i < count; i++)
        rc = batches[i].op == ROW_RANGE ? overlay_put_range(o, &batches[i], err)
                                        : overlay_put(o, o->set, &batches[i], cancel, err);
    if (rc == DN_E_NOMEM && mem_owner_used(&o->set->owner) >= o->set->owner.limit / 2)
        rc = overlay_full(o, err);
    return rc;
}

static int overlay_held(struct overlay *o, struct dn_err *err)
{
    if (o->held)
        return DN_OK;
    o->held = memgroup_new(o->shard);
    if (!o->held)
        return DN_FAIL_NOMEM(err);
    o->held->owner.parent = o->set->owner.parent;
    o->held->owner.limit = (size_t)o->set->owner.limit;
    return DN_OK;
}

int overlay_hold_table(struct overlay *o, const struct table *t, struct dn_err *err)
{
    static const struct range all = {.slab_min = INT64_MIN, .slab_max = INT64_MAX};
    struct range *r;
    int rc = overlay_held(o, err);

    if (rc < 0)
        return rc;
    r = range_new(
        &o->held->owner, &all, t->id, OVERLAY_SEQ + OVERLAY_STEP * ++o->batches + OVERLAY_CHECKED);
    rc = r ? memgroup_add_range(o->shard, o->held, r, err) : DN_FAIL_NOMEM(err);
    range_unref(r);
    return rc;
}

int overlay_hold(struct overlay *o,
                 const struct shard_batch *b,
                 const atomic_bool *cancel,
                 struct dn_err *err)
{
    int rc = overlay_held(o, err);

    if (rc < 0)
        return rc;
    rc = overlay_put(o, o->held, b, cancel, err);
    if (rc == DN_E_NOMEM && mem_owner_used(&o->held->owner) >= o->held->owner.limit / 2)
        rc = overlay_full(o, err);
    return rc;
}

const struct table *overlay_table(const struct overlay *o, size_t *at)
{
    return *at < o->set->tables_count ? memtable_table(o->set->tables[(*at)++]) : NULL;
}

bool overlay_empty(const struct overlay *o)
{
    return memgroup_empty(o->set) && (!o->held || memgroup_empty(o->held));
}

bool overlay_named(const struct overlay *o, uint64_t table_id)
{
    for (size_t i = 0; i < o->set->tables_count; i++) {
        const struct memtable *m = o->set->tables[i];
        const struct table *t = memtable_table(m);

        for (uint32_t row = 0; t->id == table_id && row < memtable_rows(m); row++)
            if (memtable_datum(m, row, t->columns_count + HIDDEN_SEQ).v.i64 & OVERLAY_NAMED)
                return true;
    }
    return false;
}

/* ---- commit ---- */

/* What becomes of the rows of one table; a batch each. */
enum net_part { NET_PUT, NET_PATCH, NET_DELETE, NET_NEW, NET_PARTS };

struct net_table {
    const struct table *t;
    const struct table *to; /* where rows that were inserted go instead; NULL: nowhere else */
    struct colbuf *cols[NET_PARTS]; /* owned: store_cols_count of them; NULL = no rows */
};

struct net {
    struct overlay *o;
    struct mem_owner *owner;
    const atomic_bool *cancel; /* NULL = never */
    struct arena arena;        /* vectors and strings */
    struct net_table *tables;
    size_t tables_count;
    struct shard_batch *batches; /* in arena */
    size_t batches_count;
};

static const struct overlay_route *net_route(const struct net *n, uint64_t table_id)
{
    for (size_t i = 0; i < n->o->routes_count; i++)
        if (n->o->routes[i].from == table_id)
            return &n->o->routes[i];
    return NULL;
}

/* Not a row of a table without a key that the transaction itself has added. */
static bool net_is_old(const struct memtable *m, const struct table *t, uint32_t row)
{
    return t->form != KEY_NONE ||
           (uint64_t)memtable_datum(m, row, t->columns_count + HIDDEN_ROWID).v.i64 < OVERLAY_ROWID;
}

/* Keys of the versions that must not have changed since, in the definition the snapshot has; a
 * table that is new has none. */
static int net_check(struct net *n, struct memtable *m, struct dn_err *err)
{
    const struct table *mine = memtable_table(m);
    const struct table *t = catalog_table_by_id(n->o->before, mine->id);
    uint32_t total = memtable_rows(m);
    uint32_t *rows = arena_alloc_array(&n->arena, (size_t)total + 1, sizeof *rows);
    struct vec *cols = arena_calloc(&n->arena, t ? store_cols_count(t) : 1, sizeof *cols);
    uint32_t col = 0;
    struct mem_want want = {.rows = rows, .cols = &col, .cols_count = 1};
    struct shard_batch *b = &n->batches[n->batches_count];
    int rc = DN_OK;

    if (!rows || !cols)
        return DN_FAIL_NOMEM(err);
    if (!t || !catalog_table_by_id(n->o->cat, t->id) || net_route(n, t->id))
        return DN_OK;
    rc = shard_check_cancel(n->cancel, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < total; i++)
        if (memtable_datum(m, i, mine->columns_count + HIDDEN_SEQ).v.i64 & OVERLAY_CHECKED &&
            net_is_old(m, mine, i))
            rows[want.count++] = i;
    if (want.count == 0)
        return DN_OK;
    *b = (struct shard_batch){.table = t,
                              .cols = cols,
                              .rows = want.count,
                              .op = ROW_PUT,
                              .check_seq = n->o->base->seq,
                              .check_only = true};
    if (t->form == KEY_NONE) {
        int64_t *ids = arena_alloc_array(&n->arena, want.count, sizeof *ids);

        for (uint32_t i = 0; ids && i < want.count; i++)
            ids[i] = memtable_datum(m, rows[i], mine->columns_count + HIDDEN_ROWID).v.i64;
        b->rowids = ids;
        rc = ids ? DN_OK : DN_FAIL_NOMEM(err);
    }
    for (uint16_t i = 0; rc == DN_OK && i < t->local_count; i++) {
        col = (uint32_t)table_column_by_id(mine, t->columns[t->local[i].col].id);
        rc = memtable_gather(m, &want, &n->arena, &cols[t->local[i].col], err);
    }
    n->batches_count++;
    return rc;
}

/* Tables that nobody else may have written to; one that is new has no others. */
static void net_check_tables(struct net *n)
{
    const struct range_list *l = &n->o->held->ranges;

    for (size_t i = 0; i < l->count; i++) {
        const struct table *t = catalog_table_by_id(n->o->before, l->v[i]->table_id);

        if (t)
            n->batches[n->batches_count++] = (struct shard_batch){.table = t,
                                                                  .op = ROW_RANGE,
                                                                  .range = l->v[i],
                                                                  .check_seq = n->o->base->seq,
                                                                  .check_only = true};
    }
}

static int net_add(struct net *n,
                   struct net_table *to,
                   enum net_part part,
                   const struct batch *b,
                   const uint16_t *rows,
                   uint32_t rows_count,
                   struct dn_err *err)
{
    uint32_t count = store_cols_count(to->t);

    if (!to->cols[part]) {
        to->cols[part] = mem_calloc(n->owner, count, sizeof(struct colbuf));
        if (!to->cols[part])
            return DN_FAIL_NOMEM(err);
        for (uint32_t c = 0; c < count; c++)
            colbuf_init(&to->cols[part][c], store_col_type(to->t, c), n->owner, &n->arena);
    }
    for (uint32_t c = 0; c < count; c++)
        if (!colbuf_append_vec(&to->cols[part][c], &b->cols[c], rows, rows_count))
            return DN_FAIL_NOMEM(err);
    return DN_OK;
}

/* To which part a row belongs; NET_PARTS: it came and went. */
static enum net_part net_part_of(const struct table *t, const struct batch *b, uint32_t row)
{
    int64_t op = vec_i64(&b->cols[t->columns_count + HIDDEN_OP], row);

    if (t->form == KEY_NONE &&
        (uint64_t)vec_i64(&b->cols[t->columns_count + HIDDEN_ROWID], row) >= OVERLAY_ROWID)
        return op == ROW_DELETE ? NET_PARTS : NET_NEW;
    return op == ROW_DELETE ? NET_DELETE : op == ROW_PATCH ? NET_PATCH : NET_PUT;
}

static int net_sort_out(struct net *n,
                        struct net_table *to,
                        struct overlay_keys *keys,
                        const struct batch *b,
                        struct dn_err *err)
{
    uint16_t *rows = arena_alloc_array(&n->arena, b->sel_count, sizeof *rows);
    int rc = rows ? DN_OK : DN_FAIL_NOMEM(err);

    for (int part = 0; rc == DN_OK && part < NET_PARTS; part++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < b->sel_count; i++) {
            uint16_t row = b->sel ? b->sel[i] : (uint16_t)i;

            if (net_part_of(to->t, b, row) == (enum net_part)part &&
                (!keys || (part != NET_DELETE && overlay_keys_has(keys, b->cols, row))))
                rows[count++] = row;
        }
        if (count > 0)
            rc = net_add(n, to, (enum net_part)part, b, rows, count, err);
    }
    return rc == DN_OK && keys && overlay_keys_failed(keys) ? DN_FAIL_NOMEM(err) : rc;
}

/* The keys that were inserted, of a table whose rows go elsewhere. */
static int net_inserted(struct net *n, const struct table *t, struct overlay_keys *keys)
{
    struct memgroup *set = n->o->set;

    for (size_t i = 0; i < set->tables_count; i++) {
        struct memtable *m = set->tables[i];

        for (uint32_t row = 0; memtable_table(m)->id == t->id && row < memtable_rows(m); row++)
            if (memtable_datum(m, row, t->columns_count + HIDDEN_SEQ).v.i64 & OVERLAY_INSERTED &&
                !overlay_keys_add(keys, m, row))
                return DN_E_NOMEM;
    }
    return DN_OK;
}

/* The last version of each key of a table. */
static int net_collect(struct net *n, struct net_table *to, struct dn_err *err)
{
    struct overlay_keys *keys = NULL;
    struct scan *s = NULL;
    struct batch b;
    int rc = DN_OK;

    if (to->to) {
        keys = overlay_keys_new(to->t, n->owner);
        if (!keys || net_inserted(n, to->t, keys) < 0)
            rc = DN_FAIL_NOMEM(err);
    }
    if (rc == DN_OK)
        rc = scan_open_set(n->o->shard, to->t, n->o->set, n->cancel, &s, err);
    while (rc == DN_OK && (rc = scan_next(s, &b, err)) == DN_OK) {
        rc = shard_check_cancel(n->cancel, err);
        if (rc == DN_OK)
            rc = net_sort_out(n, to, keys, &b, err);
    }
    scan_close(s);
    overlay_keys_free(keys);
    return rc == DN_EOF ? DN_OK : rc;
}

static int net_batches(struct net *n, struct net_table *from, struct dn_err *err)
{
    static const enum row_op ops[NET_PARTS] = {ROW_PUT, ROW_PATCH, ROW_DELETE, ROW_PUT};
    uint32_t count = store_cols_count(from->t);

    for (int part = 0; part < NET_PARTS; part++) {
        struct colbuf *bufs = from->cols[part];
        const int64_t *expiries = NULL;
        struct vec *cols;
        int rc;

        if (!bufs)
            continue;
        cols = arena_calloc(&n->arena, count, sizeof *cols);
        if (!cols)
            return DN_FAIL_NOMEM(err);
        for (uint32_t c = 0; c < count; c++)
            cols[c] = colbuf_vec(&bufs[c], 0, bufs[c].count);
        rc =
            rows_expiries(&cols[from->t->columns_count + HIDDEN_EXPIRY], &n->arena, &expiries, err);
        if (rc < 0)
            return rc;
        n->batches[n->batches_count++] =
            (struct shard_batch){.table = from->to ? from->to : from->t,
                                 .cols = cols,
                                 .rows = bufs[0].count,
                                 .op = ops[part],
                                 .expiry_ns = ROW_FOREVER,
                                 .expiries = expiries,
                                 .rowids = from->t->form == KEY_NONE && part != NET_NEW
                                               ? cols[from->t->columns_count + HIDDEN_ROWID].data
                                               : NULL};
    }
    return DN_OK;
}

/* The tables written to, each with its last definition; room for all batches. */
static int net_tables(struct net *n, struct dn_err *err)
{
    struct memgroup *set = n->o->set;

    n->tables = arena_calloc(&n->arena, set->tables_count + 1, sizeof *n->tables);
    n->batches =
        arena_calloc(&n->arena,
                     set->tables_count * (NET_PARTS + 1) + set->ranges.count +
                         (n->o->held ? n->o->held->tables_count + n->o->held->ranges.count : 0) + 2,
                     sizeof *n->batches);
    if (!n->tables || !n->batches)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < set->tables_count; i++) {
        uint64_t id = memtable_table(set->tables[i])->id;
        const struct table *t = catalog_table_by_id(n->o->cat, id);
        const struct overlay_route *route = net_route(n, id);
        size_t k = 0;

        while (k < n->tables_count && n->tables[k].t->id != id)
            k++;
        if (t && k == n->tables_count && (!route || route->to)) /* others were dropped */
            n->tables[n->tables_count++] =
                (struct net_table){.t = t, .to = route ? route->to : NULL};
    }
    return DN_OK;
}

static void net_ranges(struct net *n)
{
    const struct range_list *l = &n->o->set->ranges;

    for (size_t i = 0; i < l->count; i++) {
        size_t k = 0;

        while (k < n->tables_count && n->tables[k].t->id != l->v[i]->table_id)
            k++;
        if (k < n->tables_count && !n->tables[k].to)
            n->batches[n->batches_count++] = (struct shard_batch){.table = n->tables[k].t,
                                                                  .op = ROW_RANGE,
                                                                  .range = l->v[i],
                                                                  .check_seq = n->o->base->seq};
    }
}

/* The shard takes a segment that was flushed since the snapshot for a conflict, and a bulk load,
 * too: whether it is one says a look at the rows (overlay_check.c). If not, what counts is what
 * came after that look. */
static int net_write(struct net *n, const struct shard_how *how, struct dn_err *err)
{
    struct shard *s = n->o->shard;
    int rc = DN_E_CONFLICT;

    for (int i = 0; rc == DN_E_CONFLICT && i < OVERLAY_TRIES; i++) {
        if (i > 1)
            sched_sleep_ns(s->sched, OVERLAY_PAUSE_NS << i);
        if (i > 0)
            rc = overlay_check(
                s, n->o->base, n->o->before, n->batches, n->batches_count, n->cancel, err);
        if (i > 0 && rc < 0)
            break;
        rc = shard_write_how(s, n->batches, n->batches_count, how, NULL, err);
    }
    return rc;
}

void overlay_set_routes(struct overlay *o, const struct overlay_route *routes, size_t count)
{
    o->routes = routes;
    o->routes_count = count;
}

int overlay_commit(struct overlay *o,
                   const struct shard_how *how,
                   void (*publish)(void *arg),
                   void *publish_arg,
                   struct dn_err *err)
{
    struct net n = {.o = o, .owner = &o->shard->owner, .cancel = how->cancel};
    int rc;

    if (overlay_empty(o) && !publish)
        return DN_OK;
    arena_init(&n.arena, n.owner);
    rc = net_tables(&n, err);
    for (size_t i = 0; rc == DN_OK && i < o->set->tables_count; i++)
        rc = net_check(&n, o->set->tables[i], err);
    for (size_t i = 0; rc == DN_OK && o->held && i < o->held->tables_count; i++)
        rc = net_check(&n, o->held->tables[i], err);
    if (rc == DN_OK && o->held)
        net_check_tables(&n);
    if (rc == DN_OK && publish)
        n.batches[n.batches_count++] = (struct shard_batch){
            .op = ROW_CATALOG, .catalog = o->cat, .publish = publish, .publish_arg = publish_arg};
    if (rc == DN_OK)
        net_ranges(&n);
    for (size_t i = 0; rc == DN_OK && i < n.tables_count; i++) {
        rc = net_collect(&n, &n.tables[i], err);
        if (rc == DN_OK)
            rc = net_batches(&n, &n.tables[i], err);
    }
    if (rc == DN_OK && n.batches_count > 0)
        rc = n.batches[n.batches_count - 1].check_only
                 ? overlay_check(
                       o->shard, o->base, o->before, n.batches, n.batches_count, n.cancel, err)
                 : net_write(&n, how, err);
    for (size_t i = 0; i < n.tables_count; i++)
        for (int part = 0; part < NET_PARTS; part++) {
            struct colbuf *bufs = n.tables[i].cols[part];

            for (uint32_t c = 0; bufs && c < store_cols_count(n.tables[i].t); c++)
                colbuf_done(&bufs[c]);
            mem_free(bufs);
        }
    arena_done(&n.arena);
    return rc;
}
