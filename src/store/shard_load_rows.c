/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_rows.c: what both ways of a load to the segments share: comparing rows where they lie,
 * their slabs, and the tasks that write. */
#include "store/shard_int.h"
#include "store/shard_load_int.h"

#include <string.h>

#define LOAD_TASKS     16u           /* that write a batch, at most */
#define LOAD_TASK_ROWS (128u * 1024) /* rows that are worth a task and a segment of their own */

void shard_load_part_release(struct shard_load_part *part)
{
    void (*release)(void *arg) = part->release;

    part->release = NULL;
    if (release)
        release(part->arg);
}

/* ---- order ---- */

static int load_cmp_value(const struct vec *a, uint32_t a_row, const struct vec *b, uint32_t b_row)
{
    enum phys phys = type_phys(a->type);

    if (phys == PHYS_I64) {
        int64_t x = ((const int64_t *)a->data)[vec_at(a, a_row)];
        int64_t y = ((const int64_t *)b->data)[vec_at(b, b_row)];

        return x < y ? -1 : x > y;
    }
    if (phys == PHYS_STR && !type_is_array(a->type)) {
        struct vstr x = vec_str(a, a_row);
        struct vstr y = vec_str(b, b_row);

        return x.ptr == y.ptr && x.len == y.len ? 0 : vstr_cmp(x, y);
    } else {
        struct datum x = vec_datum(a, a_row);
        struct datum y = vec_datum(b, b_row);

        return datum_cmp(&x, &y);
    }
}

int shard_load_cmp_rest(
    const struct table *t, const struct vec *a, uint32_t a_row, const struct vec *b, uint32_t b_row)
{
    for (uint16_t i = 0; i < t->rest_count; i++) {
        uint16_t col = t->rest[i].col;
        int c = load_cmp_value(&a[col], a_row, &b[col], b_row);

        if (c != 0)
            return t->rest[i].desc ? -c : c;
    }
    return 0;
}

int shard_load_cmp_series(
    const struct table *t, const struct vec *a, uint32_t a_row, const struct vec *b, uint32_t b_row)
{
    for (uint16_t i = 0; i < t->series_count; i++) {
        uint16_t col = t->series[i];
        int c = load_cmp_value(&a[col], a_row, &b[col], b_row);

        if (c != 0)
            return c;
    }
    return 0;
}

bool shard_load_same_series(
    const struct table *t, const struct vec *a, uint32_t a_row, const struct vec *b, uint32_t b_row)
{
    for (uint16_t i = 0; i < t->series_count; i++) {
        const struct vec *x = &a[t->series[i]];
        const struct vec *y = &b[t->series[i]];

        if (type_is_string(x->type) && !type_is_array(x->type)) {
            struct vstr s = vec_str(x, a_row);
            struct vstr u = vec_str(y, b_row);

            if (s.len != u.len || (s.ptr != u.ptr && memcmp(s.ptr, u.ptr, s.len) != 0))
                return false;
        } else if (load_cmp_value(x, a_row, y, b_row) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- slabs ---- */

void shard_load_slab_init(struct load_slab *slab, const struct table *t)
{
    *slab = (struct load_slab){.from = t->time_col < 0 ? INT64_MIN : INT64_MAX,
                               .to = t->time_col < 0 ? INT64_MAX : INT64_MIN};
}

int64_t shard_load_slab_of(struct load_slab *slab,
                           const struct table *t,
                           const struct vec *cols,
                           uint32_t row)
{
    const struct vec *v;
    int64_t time;

    if (t->time_col < 0)
        return slab->slab;
    v = &cols[t->time_col];
    time = vec_is_null(v, row) ? 0 : vec_i64(v, row);
    if (time < slab->from || time > slab->to) {
        int64_t end;

        slab->slab = table_slab(t, time);
        slab->from = slab->slab;
        end = table_slab_end(t, slab->slab);
        slab->to = end == INT64_MAX ? time : end - 1; /* at the end of time there may be another */
    }
    return slab->slab;
}

bool shard_load_slab_implied(const struct table *t)
{
    return t->time_col < 0 ||
           (t->series_count == 0 && t->rest_count > 0 && t->rest[0].col == (uint16_t)t->time_col);
}

/* ---- tasks ---- */

uint32_t shard_load_stretches(const struct load_batch *b, const struct shard *s)
{
    uint32_t task_rows = b->task_rows ? b->task_rows : LOAD_TASK_ROWS;
    uint64_t most = b->rows / task_rows;
    uint32_t count = sched_cores(s->sched) < LOAD_TASKS ? sched_cores(s->sched) : LOAD_TASKS;

    return most < count ? most < 1 ? 1 : (uint32_t)most : count;
}

struct load_stretch {
    uint32_t number;
    load_stretch_fn write;
    void *arg;
    struct seg_sink sink;
    struct sched_task *task;
    int rc;
    struct dn_err why;
};

static void load_stretch_task(void *arg)
{
    struct load_stretch *st = arg;

    st->rc = st->write(st->arg, st->number, &st->sink, &st->why);
}

/* What a stretch has written becomes the load's, which discards it if the load fails. */
static int load_collect(struct load_stretch *st, struct seg_sink *sink, struct dn_err *err)
{
    struct seg_sink *from = &st->sink;
    struct seg_meta *grown = NULL;

    if (from->metas_count > 0)
        grown = mem_realloc(
            &sink->s->owner, sink->metas, (sink->metas_count + from->metas_count) * sizeof *grown);
    if (from->metas_count > 0 && !grown) {
        seg_sink_discard(from);
        return DN_FAIL_NOMEM(err);
    }
    if (grown) {
        sink->metas = grown;
        memcpy(grown + sink->metas_count, from->metas, from->metas_count * sizeof *grown);
        sink->metas_count += from->metas_count;
        sink->bytes += from->bytes;
    }
    if (st->rc < 0)
        *err = st->why;
    return st->rc;
}

int shard_load_write_stretches(
    struct seg_sink *sink, uint32_t count, load_stretch_fn write, void *arg, struct dn_err *err)
{
    struct load_stretch *st = mem_calloc(&sink->s->owner, count, sizeof *st);
    struct dn_err why;
    int rc = DN_OK;

    if (!st)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        st[i] = (struct load_stretch){.number = i, .write = write, .arg = arg};
        st[i].sink = (struct seg_sink){
            .s = sink->s, .t = sink->t, .level = sink->level, .cancel = sink->cancel};
        if (i + 1 == count || /* this task itself */
            sched_spawn(
                sink->s->sched, "load write", load_stretch_task, &st[i], &st[i].task, NULL) < 0) {
            st[i].task = NULL;
            load_stretch_task(&st[i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        int one;

        if (st[i].task)
            sched_join(st[i].task);
        one = load_collect(&st[i], sink, &why);
        if (one < 0 && rc == DN_OK) {
            rc = one;
            if (err)
                *err = why;
        }
        seg_sink_done(&st[i].sink);
    }
    mem_free(st);
    return rc;
}
