/* SPDX-License-Identifier: Apache-2.0
 *
 * partitions_slabs.c: the slabs of tables as rows: SHOW PARTITIONS FROM, and what pg_catalog's
 * dendro_partitions asks for. */
#include "engine/slabs.h"

#include "catalog/timepart.h"

#include <string.h>

enum slab_col {
    SLAB_TABLE,
    SLAB_START,
    SLAB_END,
    SLAB_ROWS,
    SLAB_BYTES,
    SLAB_SEGMENTS,
    SLAB_MEMORY,
    SLAB_GOES_AT,
    SLAB_RETENTION,
    SLAB_COLS
};
_Static_assert(SLAB_COLS <= DESCRIBE_COLS_MAX, "a page has room for the columns");

int session_slabs(struct dendro_conn *conn,
                  const struct table *t,
                  struct mem_owner *owner,
                  struct shard_slabs *ret,
                  struct dn_err *err)
{
    struct snapshot *snap;
    int rc = engine_sync_shard(conn->db, err);

    if (rc < 0)
        return rc;
    snap = shard_snapshot(conn->db->shard);
    rc = snap ? shard_slabs_list(snap, t, owner, ret, err) : DN_FAIL_NOMEM(err);
    snapshot_free(snap);
    return rc;
}

/* ---- SHOW PARTITIONS FROM ---- */

static void slabs_columns(struct describe *d)
{
    *d = (struct describe){
        .cols_count = SLAB_COLS,
        .names = {"Table",
                  "Start",
                  "End",
                  "Rows",
                  "Bytes",
                  "Segments",
                  "Rows in Memory",
                  "Goes At",
                  "Retention"},
        .types = {TYPE_VARCHAR,
                  TYPE_TIMESTAMP,
                  TYPE_TIMESTAMP,
                  TYPE_BIGINT,
                  TYPE_BIGINT,
                  TYPE_BIGINT,
                  TYPE_BIGINT,
                  TYPE_TIMESTAMP,
                  TYPE_VARCHAR},
    };
}

struct slab_page {
    struct dendro_stmt *stmt;
    struct describe *d;
    size_t cap; /* rows that cells have room for */
};

static bool page_grow(struct slab_page *p, size_t more)
{
    size_t need = p->d->rows_count + more;
    struct datum *grown;

    if (need <= p->cap)
        return true;
    grown = arena_calloc(&p->stmt->run, need * SLAB_COLS + 1, sizeof(*grown));
    if (!grown)
        return false;
    if (p->d->rows_count)
        memcpy(grown, p->d->cells, p->d->rows_count * SLAB_COLS * sizeof(*grown));
    p->d->cells = grown;
    p->cap = need;
    return true;
}

static struct vstr page_text(const char *s)
{
    return (struct vstr){.ptr = s, .len = (uint32_t)strlen(s)};
}

static void page_row(struct slab_page *p, const struct table *t, const struct shard_slab *s)
{
    struct datum *cell = &p->d->cells[p->d->rows_count++ * SLAB_COLS];
    const char *retention = retention_option(t, "retention");
    int64_t gone = retention_gone(t, s->end);

    for (int c = 0; c < SLAB_COLS; c++)
        cell[c].type = p->d->types[c];
    cell[SLAB_TABLE].str = page_text(t->name);
    cell[SLAB_START].null =
        t->time_col < 0 || !retention_time_ms(t, s->start, &cell[SLAB_START].v.i64);
    cell[SLAB_END].null = t->time_col < 0 || !retention_time_ms(t, s->end, &cell[SLAB_END].v.i64);
    cell[SLAB_ROWS].v.i64 = (int64_t)s->rows;
    cell[SLAB_BYTES].v.i64 = (int64_t)s->bytes;
    cell[SLAB_SEGMENTS].v.i64 = (int64_t)s->segments;
    cell[SLAB_MEMORY].v.i64 = (int64_t)s->memtable_rows;
    cell[SLAB_GOES_AT].null =
        gone == INT64_MAX || __builtin_mul_overflow(gone, 1000, &cell[SLAB_GOES_AT].v.i64);
    cell[SLAB_RETENTION].null = !retention;
    if (retention)
        cell[SLAB_RETENTION].str = page_text(retention);
}

static int page_table(struct slab_page *p, const struct table *t, struct dn_err *err)
{
    struct shard_slabs slabs = {0};
    int rc = shard_slabs_list(p->stmt->snap, t, &p->stmt->owner, &slabs, err);

    if (rc == 0 && !page_grow(p, slabs.count))
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < slabs.count; i++)
        page_row(p, t, &slabs.list[i]);
    shard_slabs_done(&slabs);
    return rc;
}

int stmt_compile_slabs(struct dendro_stmt *stmt, struct describe *ret, struct dn_err *err)
{
    const struct table *t = session_table(stmt->conn, stmt->catalog, &stmt->ast->name, err);

    slabs_columns(ret);
    return t ? 0 : err->code;
}

/* Of a time partition those of its shards, the newest first. */
int stmt_show_slabs(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct slab_page p = {.stmt = stmt, .d = &stmt->rows};
    const struct table *t;
    int rc = stmt_begin(stmt, stmt->ast, err);

    slabs_columns(p.d);
    p.d->cells = arena_calloc(&stmt->run, 1, sizeof(*p.d->cells));
    if (rc == 0 && !p.d->cells)
        rc = DN_FAIL_NOMEM(err);
    if (rc < 0)
        return rc;
    t = session_table(stmt->conn, stmt->catalog, &stmt->ast->name, err);
    if (!t)
        return err->code;
    if (!t->timepart)
        return page_table(&p, t, err);
    for (uint32_t n = 0; rc == 0; n++) {
        const struct table *shard = timepart_nth(stmt->catalog, t, n);

        if (!shard)
            break;
        rc = page_table(&p, shard, err);
    }
    return rc;
}
