/* SPDX-License-Identifier: Apache-2.0
 *
 * version.c: counted segments, memtable sets and versions. See shard_int.h. */
#include "store/shard_int.h"

#include "volume/clock.h"

struct segref *segref_new(struct shard *s, const struct seg_meta *meta, const struct table *t)
{
    struct segref *r = mem_calloc(&s->owner, 1, sizeof *r);

    if (!r)
        return NULL;
    atomic_init(&r->refs, 1);
    atomic_init(&r->doomed, false);
    r->meta = *meta;
    r->table = table_ref(t);
    r->shard = s;
    return r;
}

struct segref *segref_ref(struct segref *r)
{
    atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    return r;
}

void segref_unref(struct segref *r)
{
    char name[VOLUME_NAME_MAX + 1];

    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    seg_unref(r->seg);
    if (r->root) {
        segref_unref(r->root);
    } else if (atomic_load(&r->doomed)) {
        if (r->shard->cache)
            cache_drop_segment(r->shard->cache, r->meta.id);
        seg_name(r->meta.table_id, r->meta.id, name);
        /* A failure leaves an orphan, which the next open sweeps. */
        DN_IGNORE(volume_delete(r->shard->volume, name, NULL));
    }
    table_unref(r->table);
    mem_free(r);
}

struct segref *segref_with_table(struct segref *r, const struct table *t)
{
    struct segref *other = segref_new(r->shard, &r->meta, t);

    if (other)
        other->root = segref_ref(r->root ? r->root : r);
    return other;
}

void segref_doom(struct segref *r)
{
    atomic_store(&(r->root ? r->root : r)->doomed, true);
}

int segref_open(struct segref *r, struct seg **ret, struct dn_err *err)
{
    struct shard *s = r->shard;
    struct seg *seg;
    struct seg *extra = NULL;
    int rc;

    sched_lock(s->lock);
    seg = r->seg;
    sched_unlock(s->lock);
    if (!seg) {
        rc = seg_open(s->volume, s->cache, r->table, r->meta.table_id, r->meta.id, &seg, err);
        if (rc < 0)
            return rc;
        sched_lock(s->lock);
        if (r->seg) {
            extra = seg;
            seg = r->seg;
        } else {
            r->seg = seg;
        }
        sched_unlock(s->lock);
        seg_unref(extra);
    }
    *ret = seg;
    return DN_OK;
}

struct memgroup *memgroup_new(struct shard *s)
{
    struct memgroup *set = mem_calloc(&s->owner, 1, sizeof *set);

    if (!set)
        return NULL;
    atomic_init(&set->refs, 1);
    mem_owner_init(&set->owner, "memtables", &s->owner, 0);
    set->lock = sched_mutex_new(s->sched, "memgroup");
    if (!set->lock) {
        mem_free(set);
        return NULL;
    }
    return set;
}

struct memgroup *memgroup_ref(struct memgroup *set)
{
    atomic_fetch_add_explicit(&set->refs, 1, memory_order_relaxed);
    return set;
}

void memgroup_unref(struct memgroup *set)
{
    if (!set || atomic_fetch_sub_explicit(&set->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < set->tables_count; i++)
        memtable_free(set->tables[i]);
    mem_free(set->tables);
    range_list_done(&set->ranges);
    sched_mutex_free(set->lock);
    mem_free(set);
}

struct memtable *memgroup_find(struct memgroup *set, const struct table *t)
{
    struct memtable *found = NULL;

    sched_lock(set->lock);
    for (size_t i = 0; i < set->tables_count && !found; i++) {
        const struct table *mine = memtable_table(set->tables[i]);
        if (mine->id == t->id && mine->version == t->version)
            found = set->tables[i];
    }
    sched_unlock(set->lock);
    return found;
}

struct memtable *memgroup_next(struct memgroup *set, uint64_t table_id, size_t *at)
{
    struct memtable *found = NULL;

    sched_lock(set->lock);
    while (*at < set->tables_count && !found) {
        if (memtable_table(set->tables[*at])->id == table_id)
            found = set->tables[*at];
        ++*at;
    }
    sched_unlock(set->lock);
    return found;
}

size_t memgroup_count(struct memgroup *set, uint64_t table_id)
{
    size_t count = 0;

    for (size_t at = 0; memgroup_next(set, table_id, &at);)
        count++;
    return count;
}

int memgroup_get(struct shard *s,
                 struct memgroup *set,
                 const struct table *t,
                 struct memtable **ret,
                 struct dn_err *err)
{
    struct memtable *m = memgroup_find(set, t);
    struct memtable **grown;

    if (m) {
        *ret = m;
        return DN_OK;
    }
    m = memtable_new(s->sched, &set->owner, t);
    if (!m)
        return DN_FAIL_NOMEM(err);
    sched_lock(set->lock);
    grown =
        mem_realloc(&set->owner, set->tables, (set->tables_count + 1) * sizeof(struct memtable *));
    if (grown) {
        set->tables = grown;
        set->tables[set->tables_count++] = m;
    }
    sched_unlock(set->lock);
    if (!grown) {
        memtable_free(m);
        return DN_FAIL_NOMEM(err);
    }
    *ret = m;
    return DN_OK;
}

int memgroup_add_range(struct shard *s, struct memgroup *set, struct range *r, struct dn_err *err)
{
    bool ok;

    sched_lock(set->lock);
    ok = range_list_add(&set->ranges, r, &s->owner);
    sched_unlock(set->lock);
    return ok ? DN_OK : DN_FAIL_NOMEM(err);
}

void memgroup_drop_ranges(struct memgroup *set, uint64_t seq)
{
    struct range_list *l = &set->ranges;

    sched_lock(set->lock);
    while (l->count > 0 && l->v[l->count - 1]->seq >= seq)
        range_unref(l->v[--l->count]);
    sched_unlock(set->lock);
}

size_t memgroup_ranges(struct memgroup *set)
{
    size_t count;

    sched_lock(set->lock);
    count = set->ranges.count;
    sched_unlock(set->lock);
    return count;
}

static bool range_list_pick(const struct range_list *from,
                            uint64_t table_id,
                            uint64_t seq,
                            struct range_list *list,
                            struct mem_owner *owner)
{
    for (size_t i = 0; i < from->count; i++)
        if (from->v[i]->table_id == table_id && from->v[i]->seq <= seq &&
            !range_list_add(list, from->v[i], owner))
            return false;
    return true;
}

bool memgroup_list_ranges(struct memgroup *set,
                          uint64_t table_id,
                          uint64_t seq,
                          struct range_list *list,
                          struct mem_owner *owner)
{
    bool ok;

    sched_lock(set->lock);
    ok = range_list_pick(&set->ranges, table_id, seq, list, owner);
    sched_unlock(set->lock);
    return ok;
}

bool version_set_ranges(struct version *v, const struct range_list *ranges, uint64_t flushed_seq)
{
    v->flushed_seq = flushed_seq;
    return range_list_copy(ranges, &v->ranges, NULL);
}

bool version_list_ranges(const struct version *v,
                         uint64_t table_id,
                         uint64_t seq,
                         struct range_list *list,
                         struct mem_owner *owner)
{
    bool ok = range_list_pick(&v->ranges, table_id, seq, list, owner);

    for (size_t i = 0; i < v->sets_count && ok; i++)
        ok = memgroup_list_ranges(v->sets[i], table_id, seq, list, owner);
    return ok;
}

bool memgroup_empty(struct memgroup *set)
{
    bool empty = true;

    sched_lock(set->lock);
    empty = set->ranges.count == 0;
    for (size_t i = 0; i < set->tables_count && empty; i++)
        empty = memtable_rows(set->tables[i]) == 0;
    sched_unlock(set->lock);
    return empty;
}

size_t memgroup_bytes(const struct memgroup *set)
{
    return mem_owner_used(&set->owner);
}

struct version *version_new(size_t segs_room, size_t sets_room)
{
    struct version *v = mem_calloc(NULL, 1, sizeof *v);

    if (!v)
        return NULL;
    atomic_init(&v->refs, 1);
    v->segs = mem_calloc(NULL, segs_room, sizeof(struct segref *));
    v->sets = mem_calloc(NULL, sets_room, sizeof(struct memgroup *));
    if (!v->segs || !v->sets) {
        version_unref(v);
        return NULL;
    }
    return v;
}

struct version *version_ref(struct version *v)
{
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    return v;
}

void version_unref(struct version *v)
{
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < v->segs_count; i++)
        segref_unref(v->segs[i]);
    for (size_t i = 0; i < v->sets_count; i++)
        memgroup_unref(v->sets[i]);
    range_list_done(&v->ranges);
    mem_free(v->segs);
    mem_free(v->sets);
    mem_free(v);
}

struct version *version_for(const struct version *cur, const struct catalog *cat)
{
    struct version *v = version_new(cur->segs_count, cur->sets_count);

    for (size_t i = 0; v && i < cur->segs_count; i++) {
        struct segref *r = cur->segs[i];
        const struct table *t = catalog_table_by_id(cat, r->meta.table_id);
        if (!t)
            continue;
        r = t->version == r->table->version ? segref_ref(r) : segref_with_table(r, t);
        if (!r) {
            version_unref(v);
            return NULL;
        }
        v->segs[v->segs_count++] = r;
    }
    for (size_t i = 0; v && i < cur->sets_count; i++)
        v->sets[v->sets_count++] = memgroup_ref(cur->sets[i]);
    if (v && !version_set_ranges(v, &cur->ranges, cur->flushed_seq)) {
        version_unref(v);
        v = NULL;
    }
    return v;
}

struct memgroup *version_active(const struct version *v)
{
    return v->sets[v->sets_count - 1];
}

struct version *shard_install(struct shard *s, struct version *v)
{
    struct version *old = s->ver;

    s->ver = v;
    return old;
}

struct snapshot *shard_snapshot(struct shard *s)
{
    struct snapshot *snap = mem_calloc(&s->owner, 1, sizeof *snap);

    if (!snap)
        return NULL;
    snap->shard = s;
    sched_lock(s->lock);
    snap->ver = version_ref(s->ver);
    snap->cat = catalog_ref(s->catalog);
    snap->seq = s->seq_visible;
    sched_unlock(s->lock);
    /* After the version was taken: what a merge left out of it had expired by then. */
    snap->now_ns = volume_clock_ns(s->volume);
    snap->sure_ns = volume_sure_ns(s->volume);
    return snap;
}

int64_t snapshot_now(const struct snapshot *snap)
{
    return snap->now_ns;
}

void snapshot_free(struct snapshot *snap)
{
    if (!snap)
        return;
    version_unref(snap->ver);
    catalog_unref(snap->cat);
    memgroup_unref(snap->own);
    mem_free(snap);
}

uint64_t snapshot_seq(const struct snapshot *snap)
{
    return snap->seq;
}
