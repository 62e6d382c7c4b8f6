/* SPDX-License-Identifier: Apache-2.0
 *
 * slabs_attach.c: ALTER TABLE … ATTACH PARTITION: the rows of a detached partition into the table,
 * in one commit. The partition stays where it is. */
#include "engine/slabs_other.h"

#include "engine/timepart.h"
#include "store/shard_copy.h"

#include <stdio.h>
#include <string.h>

struct attach {
    struct dendro_stmt *stmt;
    const struct table *t;
    struct volume *v;
    struct dendro_db *db; /* of the partition */
    const struct table *from;
    struct snapshot *snap;
    uint16_t *map;
    uint64_t slabs;
};

static int attach_at(const struct attach *a, int rc, struct dn_err *err)
{
    dn_err_at(err, a->stmt->ast->slabs->path.pos);
    return rc;
}

/* ---- the partition ---- */

static int attach_open(struct attach *a, struct dn_err *err)
{
    const struct volume_other_options options = {.read_only = true};
    const struct engine_options engine = {.flags = DENDRO_OPEN_READ_ONLY};
    const char *path = a->stmt->ast->slabs->path.s;
    enum detached_state state = DETACHED_EMPTY;
    int rc = volume_other_open(a->stmt->conn->db->volume, path, &options, &a->v, err);

    if (rc == 0)
        rc = detached_state(a->v, &state, err);
    if (rc == 0 && state == DETACHED_PART) {
        rc = DN_FAIL(err, DN_E_NOT_DETACHED, "the partition in '%.200s' is incomplete", path);
        dn_err_hint(err,
                    "A DETACH PARTITION did not come to its end: the rows are in their table. The "
                    "directory can be deleted.");
    } else if (rc == 0 && state != DETACHED_WHOLE) {
        rc = DN_FAIL(err, DN_E_NOT_DETACHED, "there is no detached partition in '%.200s'", path);
    }
    if (rc == 0)
        rc = engine_open_volume(a->v, &engine, &a->db, err);
    if (rc == 0 && a->db->catalog->tables_count != 1)
        rc = DN_FAIL(err, DN_E_NOT_DETACHED, "the partition in '%.200s' has not one table", path);
    if (rc < 0)
        return attach_at(a, rc, err);
    a->from = a->db->catalog->tables[0];
    a->snap = shard_snapshot(a->db->shard);
    return a->snap ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- does it fit? ---- */

static int attach_differs(const struct attach *a, const char *what, struct dn_err *err)
{
    int rc = DN_FAIL(
        err, DN_E_SLAB_DIFFERS, "the partition does not fit table \"%s\": %s", a->t->name, what);

    dn_err_hint(err, "Columns, their types and the key must be the same.");
    return attach_at(a, rc, err);
}

static int attach_columns(struct attach *a, struct dn_err *err)
{
    const struct table *t = a->t;
    char what[2 * TABLE_NAME_MAX];

    a->map = arena_alloc_array(&a->stmt->run, t->columns_count, sizeof(*a->map));
    if (!a->map)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];
        int at = -1;

        for (uint16_t k = 0; k < a->from->columns_count && at < 0; k++)
            at = strcmp(a->from->columns[k].name, c->name) == 0 ? k : -1;
        if (at < 0) {
            snprintf(what, sizeof(what), "it has no column \"%s\"", c->name);
            return attach_differs(a, what, err);
        }
        if (a->from->columns[at].type != c->type ||
            memcmp(&a->from->columns[at].mods, &c->mods, sizeof(c->mods)) != 0) {
            snprintf(what, sizeof(what), "column \"%s\" is of another type", c->name);
            return attach_differs(a, what, err);
        }
        if (c->not_null && !a->from->columns[at].not_null) {
            snprintf(what, sizeof(what), "column \"%s\" may be NULL there", c->name);
            return attach_differs(a, what, err);
        }
        a->map[i] = (uint16_t)at;
    }
    return a->from->columns_count == t->columns_count
               ? 0
               : attach_differs(a, "it has more columns", err);
}

/* Equal but for the places of columns. */
static bool attach_same_key(const struct attach *a)
{
    const struct table *t = a->t;
    const struct table *f = a->from;

    if (t->form != f->form || t->partition_count != f->partition_count ||
        t->local_count != f->local_count || t->spread != f->spread ||
        a->map[t->time_col] != f->time_col)
        return false;
    for (uint16_t i = 0; i < t->partition_count; i++)
        if (a->map[t->partition[i]] != f->partition[i])
            return false;
    for (uint16_t i = 0; i < t->local_count; i++)
        if (a->map[t->local[i].col] != f->local[i].col || t->local[i].desc != f->local[i].desc)
            return false;
    return true;
}

/* Nothing of the table may lie where rows of the partition go, nor may they be too old. */
static int attach_room(struct attach *a,
                       const struct shard_slabs *have,
                       const struct shard_slabs *come,
                       struct dn_err *err)
{
    char start[SLABS_TEXT_MAX];

    for (uint32_t i = 0; i < come->count; i++) {
        const struct shard_slab *s = &come->list[i];

        if (s->time_min < a->t->horizon) {
            slabs_text(a->stmt, a->t, s->start, start);
            return attach_at(a,
                             DN_FAIL(err,
                                     DN_E_SLAB_DIFFERS,
                                     "partition '%s' is older than table \"%s\" keeps rows",
                                     start,
                                     a->t->name),
                             err);
        }
        for (uint32_t k = 0; k < have->count; k++) {
            const struct shard_slab *h = &have->list[k];

            if (s->time_max < h->start || s->time_min >= h->end)
                continue;
            slabs_text(a->stmt, a->t, h->start, start);
            return attach_at(a,
                             DN_FAIL(err,
                                     DN_E_SLAB_TAKEN,
                                     "partition '%s' of table \"%s\" has rows already",
                                     start,
                                     a->t->name),
                             err);
        }
    }
    a->slabs = come->count;
    return 0;
}

/* Rows that expire do not go with patches (docs/adr/0009). */
static int attach_expiry(const struct attach *a, struct dn_err *err)
{
    int rc;

    if (!shard_expires(a->db->shard, a->from->id))
        return 0;
    if (a->t->upsert == UPSERT_ROW) {
        engine_rollouts_expiry(a->stmt->conn->db);
        return 0;
    }
    rc = DN_FAIL(err,
                 DN_E_SLAB_DIFFERS,
                 "the partition has rows that expire, and table \"%s\" has upsert = 'field'",
                 a->t->name);
    dn_err_hint(err, "rows expire as a whole: a table with upsert = 'row' takes them");
    return attach_at(a, rc, err);
}

static int attach_check(struct attach *a, struct dn_err *err)
{
    struct mem_owner *owner = &a->stmt->owner;
    struct shard_slabs have = {0}, come = {0};
    int rc = attach_columns(a, err);

    if (rc == 0 && (a->from->time_col < 0 || !attach_same_key(a)))
        rc = attach_differs(a, "the key is another one", err);
    if (rc == 0)
        rc = attach_expiry(a, err);
    if (rc == 0)
        rc = shard_slabs_list(a->stmt->snap, a->t, owner, &have, err);
    if (rc == 0)
        rc = shard_slabs_list(a->snap, a->from, owner, &come, err);
    if (rc == 0)
        rc = attach_room(a, &have, &come, err);
    shard_slabs_done(&have);
    shard_slabs_done(&come);
    return rc;
}

/* ---- the rows ---- */

static int attach_rows(struct attach *a, uint64_t *ret_rows, struct dn_err *err)
{
    static const struct shard_slab_range all = {.first = INT64_MIN, .last = INT64_MAX};
    const struct shard_copy copy = {.from = a->snap,
                                    .from_table = a->from,
                                    .ranges = &all,
                                    .ranges_count = 1,
                                    .to = a->stmt->conn->db->shard,
                                    .to_table = a->t,
                                    .map = a->map,
                                    .owner = &a->stmt->owner,
                                    .cancel = &a->stmt->conn->cancel};
    int rc = engine_write_ready(a->stmt->conn->db, a->t, err);

    return rc < 0 ? rc : shard_copy_run(&copy, ret_rows, err);
}

int slabs_attach(struct dendro_stmt *stmt, const struct table *t, struct dn_err *err)
{
    struct attach a = {.stmt = stmt, .t = t};
    struct slab_pick told = {.t = t};
    int rc = attach_open(&a, err);

    if (rc == 0)
        rc = attach_check(&a, err);
    if (rc == 0)
        rc = attach_rows(&a, &told.rows, err);
    snapshot_free(a.snap);
    if (a.db)
        DN_IGNORE(dendro_close(a.db)); /* nobody is connected */
    volume_close(a.v);
    told.slabs = a.slabs;
    if (rc == 0)
        slabs_tell(stmt, &told, "attached");
    return rc;
}
