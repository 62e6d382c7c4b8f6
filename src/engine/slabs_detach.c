/* SPDX-License-Identifier: Apache-2.0
 *
 * slabs_detach.c: ALTER TABLE … DETACH PARTITION.
 *
 *  1. A new volume at the path; its document says that it is incomplete.
 *  2. A database in it with the table's definition and the rows of the slabs as of a snapshot, all
 *     in segments.
 *  3. The document says that it is complete.
 *  4. The slabs are dropped here, if nothing in them is newer than the snapshot: else all is done
 *     again.
 *
 * So at every moment the rows are here, or in a complete database there, or both. An error before
 * step 4 deletes what was made; a crash leaves it, and the next DETACH to that path deletes it if
 * it is incomplete. */
#include "engine/slabs_other.h"

#include "store/shard_copy.h"
#include "volume/document.h"

#include <inttypes.h>
#include <string.h>

#define DETACHED_DOC        "partition" /* volume_erase deletes it after all others */
#define DETACHED_COMPLETE   "dendro detached partition 1 complete\n"
#define DETACHED_INCOMPLETE "dendro detached partition 1 incomplete\n"
#define DETACHED_HEAD       "dendro detached partition "

/* ---- what a volume is ---- */

static bool detached_is(const struct buf *b, const char *text)
{
    return b->len == strlen(text) && memcmp(b->data, text, b->len) == 0;
}

static int detached_read(const struct buf *b, enum detached_state *ret, struct dn_err *err)
{
    size_t head = strlen(DETACHED_HEAD);

    if (detached_is(b, DETACHED_COMPLETE)) {
        *ret = DETACHED_WHOLE;
        return 0;
    }
    if (detached_is(b, DETACHED_INCOMPLETE)) {
        *ret = DETACHED_PART;
        return 0;
    }
    if (b->len > head + 1 && memcmp(b->data, DETACHED_HEAD, head) == 0 && b->data[head] != '1')
        return DN_FAIL(err, DN_E_VERSION, "the detached partition was written by a newer release");
    return DN_FAIL(
        err, DN_E_CORRUPT, "document '%s' is none of a detached partition", DETACHED_DOC);
}

int detached_state(struct volume *v, enum detached_state *ret, struct dn_err *err)
{
    uint64_t generation = 0;
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    rc = volume_doc_read(v, DETACHED_DOC, &b, &generation, err);
    if (rc == 0) {
        rc = detached_read(&b, ret, err);
    } else if (rc == DN_NOT_FOUND) {
        rc = volume_doc_read(v, CATALOG_DOC, &b, &generation, err);
        if (rc >= 0)
            *ret = rc == 0 ? DETACHED_DATABASE : DETACHED_EMPTY;
        rc = rc < 0 ? rc : 0;
    }
    buf_done(&b);
    return rc;
}

/* volume_doc_load_fn. */
static int detached_loads(void *arg DN_UNUSED, const void *p, size_t n, struct dn_err *err)
{
    enum detached_state state;
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    buf_append(&b, p, n);
    rc = b.failed ? DN_FAIL_NOMEM(err) : detached_read(&b, &state, err);
    buf_done(&b);
    return rc;
}

int detached_mark(struct volume *v, bool complete, struct dn_err *err)
{
    uint64_t generation = 0;
    struct buf b;
    struct volume_doc doc = {.name = DETACHED_DOC, .bytes = &b, .load = detached_loads};
    int rc;

    buf_init(&b, NULL);
    rc = volume_doc_read(v, DETACHED_DOC, &b, &generation, err);
    if (rc >= 0) {
        buf_reset(&b);
        buf_puts(&b, complete ? DETACHED_COMPLETE : DETACHED_INCOMPLETE);
        rc = volume_doc_save(v, &doc, generation, &generation, err);
    }
    buf_done(&b);
    return rc;
}

/* ---- the definition ---- */

/* Sequences stay behind, and retention: nothing leaves the partition by itself. */
static int detach_definition(const struct table *t, struct table **ret, struct dn_err *err)
{
    static const struct option_spec reset[] = {{.name = {.s = "retention"}},
                                               {.name = {.s = "late_rows"}}};
    const struct table_rows_span none = {.any = false};
    struct table *copy;
    int rc = table_copy(t, &copy, err);

    if (rc < 0)
        return rc;
    copy->id = copy->number = copy->parent = 0;
    copy->version = 1;
    copy->temp = TABLE_PERMANENT;
    for (uint16_t i = 0; i < copy->columns_count; i++) {
        struct column *c = &copy->columns[i];

        if (c->source == COLUMN_STORED ||
            (c->source == COLUMN_DEFAULT && !(c->def_sql && strstr(c->def_sql, "nextval"))))
            continue;
        mem_free(c->def_sql);
        c->def_sql = NULL;
        c->source = COLUMN_DEFAULT;
    }
    if (t->retention.kind != RETENTION_NONE || retention_option(t, "late_rows"))
        rc = table_set_options(copy, reset, DN_ARRAY_SIZE(reset), &none, err);
    copy->horizon = RETENTION_NO_HORIZON;
    if (rc == 0 && t->temp != TABLE_PERMANENT)
        rc = table_move(copy, "public", t->name, err);
    if (rc < 0)
        table_unref(copy);
    else
        *ret = copy;
    return rc;
}

static int
detach_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct table *t = arg;
    struct catalog *base = NULL;
    struct dn_err ignored;
    int rc = 0;

    if (!catalog_schema(cur, t->schema, &ignored))
        rc = catalog_with_schema(cur, t->schema, NULL, &base, err);
    if (rc == 0)
        rc = catalog_with_table(base ? base : cur, t, ret_next, err);
    catalog_unref(base);
    return rc;
}

/* ---- the rows ---- */

static int detach_rows(struct dendro_stmt *stmt,
                       const struct slab_pick *p,
                       struct dendro_db *to,
                       uint64_t table_id,
                       struct dn_err *err)
{
    struct catalog *cat = engine_catalog(to);
    struct shard_copy copy = {.from = stmt->snap,
                              .from_table = p->t,
                              .ranges = p->ranges,
                              .ranges_count = p->ranges_count,
                              .to = to->shard,
                              .to_table = catalog_table_by_id(cat, table_id),
                              .owner = &stmt->owner,
                              .cancel = &stmt->conn->cancel};
    uint16_t *map = arena_alloc_array(&stmt->run, p->t->columns_count, sizeof(*map));
    uint64_t rows = 0;
    int rc = map && copy.to_table ? engine_sync_shard(to, err) : DN_FAIL_NOMEM(err);

    for (uint16_t i = 0; map && i < p->t->columns_count; i++)
        map[i] = i;
    copy.map = map;
    if (rc == 0)
        rc = shard_copy_run(&copy, &rows, err);
    if (rc == 0 && rows != p->rows)
        rc = DN_FAIL(err,
                     DN_E_INTERNAL,
                     "%" PRIu64 " rows were counted and %" PRIu64 " copied",
                     p->rows,
                     rows);
    if (rc == 0)
        rc = shard_flush(to->shard, err);
    catalog_unref(cat);
    return rc;
}

/* Step 2. */
static int detach_fill(struct dendro_stmt *stmt,
                       const struct slab_pick *p,
                       struct volume *v,
                       struct dn_err *err)
{
    const struct engine_options options = {.flags = 0};
    struct dendro_db *db = NULL;
    struct table *t = NULL;
    int rc = detach_definition(p->t, &t, err);

    if (rc == 0)
        rc = engine_open_volume(v, &options, &db, err);
    if (rc == 0)
        rc = engine_edit(db, &stmt->conn->cancel, detach_edit, t, err);
    if (rc == 0)
        rc = detach_rows(stmt, p, db, t->id, err);
    if (db)
        DN_IGNORE(dendro_close(db)); /* nobody is connected */
    table_unref(t);
    return rc;
}

/* ---- the place ---- */

static int detach_refuse(struct dendro_stmt *stmt, enum detached_state state, struct dn_err *err)
{
    const struct spec_name *path = &stmt->ast->slabs->path;
    int rc = DN_FAIL(err,
                     DN_E_EXISTS,
                     state == DETACHED_DATABASE ? "there is a database in '%.200s' already"
                                                : "there is a detached partition in '%.200s' "
                                                  "already",
                     path->s);

    dn_err_hint(err, "Name a directory that is not there yet.");
    dn_err_at(err, path->pos);
    return rc;
}

/* A volume with nothing in it but the mark; what a crash left of an earlier one is deleted. */
static int detach_open(struct dendro_stmt *stmt, struct volume **ret, struct dn_err *err)
{
    const struct volume_other_options options = {.create = true};
    const struct spec_name *path = &stmt->ast->slabs->path;

    for (;;) {
        enum detached_state state = DETACHED_EMPTY;
        struct volume *v;
        int rc = volume_other_open(stmt->conn->db->volume, path->s, &options, &v, err);

        if (rc < 0) {
            dn_err_at(err, path->pos);
            return rc;
        }
        rc = detached_state(v, &state, err);
        if (rc == 0 && state == DETACHED_EMPTY)
            rc = detached_mark(v, false, err);
        if (rc == 0 && state == DETACHED_EMPTY) {
            *ret = v;
            return 0;
        }
        if (rc == 0 && state != DETACHED_PART)
            rc = detach_refuse(stmt, state, err);
        if (rc == 0)
            rc = volume_erase(v, err);
        volume_close(v);
        if (rc < 0)
            return rc;
    }
}

/* ---- all of it ---- */

/* Step 4. May the copy be deleted if it fails? Not if nobody knows how the commit ended. */
static int
detach_drop(struct dendro_stmt *stmt, const struct slab_pick *p, bool *ret_keep, struct dn_err *err)
{
    const struct shard_slabs_what what = {.ranges = p->ranges,
                                          .count = p->ranges_count,
                                          .check_seq = snapshot_seq(stmt->snap),
                                          .cancel = &stmt->conn->cancel};
    int rc = engine_write_ready(stmt->conn->db, p->t, err);

    if (rc < 0)
        return rc;
    rc = shard_slabs_drop_all(stmt->conn->db->shard, p->t, &what, err);
    *ret_keep = rc != DN_E_CONFLICT && rc != DN_E_CANCELED && rc != DN_E_TABLE_CHANGED;
    if (rc < 0 && *ret_keep)
        dn_err_hint(err,
                    "The directory '%.200s' has a copy of the rows: delete it if they are still "
                    "here.",
                    stmt->ast->slabs->path.s);
    return rc;
}

/* What cannot be deleted now says that it is incomplete, or is a whole copy. */
static void detach_give_up(struct volume *v)
{
    if (detached_mark(v, false, NULL) == 0)
        DN_IGNORE(volume_erase(v, NULL));
}

static int detach_once(struct dendro_stmt *stmt, int tries, struct dn_err *err)
{
    const struct table *t = NULL;
    struct volume *v = NULL;
    struct slab_pick p;
    bool keep = false;
    int rc = stmt_begin(stmt, stmt->ast, err);

    (void)tries;
    if (rc == 0)
        rc = slabs_table(stmt, &t, err);
    if (rc == 0)
        rc = slabs_pick(stmt, t, &p, err);
    if (rc == 0 && p.slabs > 0)
        rc = detach_open(stmt, &v, err);
    if (rc == 0 && v)
        rc = detach_fill(stmt, &p, v, err);
    if (rc == 0 && v)
        rc = detached_mark(v, true, err);
    if (rc == 0 && v)
        rc = detach_drop(stmt, &p, &keep, err);
    if (rc < 0 && v && !keep)
        detach_give_up(v);
    volume_close(v);
    if (rc == 0)
        slabs_tell(stmt, &p, "detached");
    return rc;
}

int slabs_detach(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = stmt_retry(stmt, detach_once, err);

    return rc == DN_NOT_FOUND ? 0 : rc;
}
