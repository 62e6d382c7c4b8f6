/* SPDX-License-Identifier: Apache-2.0
 *
 * change.c: UPDATE and DELETE. The plan finds the rows as of a snapshot; they are gathered, checked
 * like rows of an INSERT, and written in one commit that the shard refuses if one of them has a
 * newer version by then. Then all is done again with a new snapshot, so that no increment is lost;
 * after RETRY_MAX the statement fails with 40001.
 *
 *     DELETE of ranges of the key change_range.c; after CHANGE_RANGE_TRIES conflicts by rows
 *     any other DELETE            a tombstone for each row
 *     UPDATE                      the whole row anew; in a table with upsert = 'field' a patch
 *     UPDATE of what places rows  (key columns, time of a table without a key) the row anew where
 * it belongs then, and a tombstone where it was, unless another row of the statement lies there
 *
 * Two rows of the statement with the same new key are refused; another one is replaced by it. */
#include "engine/change_range.h"

#include "engine/commit.h"
#include "engine/generated.h"
#include "engine/key_set.h"
#include "engine/merge.h"
#include "engine/parts.h"
#include "engine/stmt_ops.h"
#include "engine/timepart.h"
#include "engine/ttl.h"

#include <stdio.h>

#define CHANGE_RANGE_TRIES 4
#define CHANGE_ROWS_MAX    (32u * 1024 * 1024)
#define CHANGE_NAME_MAX    200u /* bytes of a row's name in a message */
#define CHANGE_BATCHES     3u
#define CHANGE_LOOK_ROWS   4096u /* between looks at the cancel flag */

struct change_run {
    struct dendro_stmt *stmt;
    const struct table *table;
    const struct plan_change *plan;
    const struct plan_col *cols; /* what the plan returns */
    struct mem_owner *owner;
    struct arena strings;  /* of the buffers; goes with them */
    struct arena scratch;  /* of one batch */
    struct colbuf *olds;   /* owned: plan->cols_count of them; empty where nobody asks */
    struct colbuf *others; /* of other tables, for RETURNING */
    struct colbuf *news;   /* owned: plan->sets_count of them; empty for constants */
    struct datum *consts;  /* in strings: values of the others */
    bool consts_checked;   /* against what the columns refuse; when the first row is there */
    uint32_t rows;
    struct vec *old_cols; /* in strings: by store column; those that are known */
    struct vec *new_cols; /* in strings: by store column */
    struct shard_batch batches[CHANGE_BATCHES];
    size_t batches_count;
    int64_t expiry_ns; /* of the new rows */
};

/* ---- names of rows ---- */

/* "row (host = 'a', time = '…')", or its number where there is no key. */
static void change_name_row(const struct change_run *r,
                            const struct vec *cols,
                            uint32_t row,
                            uint32_t number,
                            char to[CHANGE_NAME_MAX + 8])
{
    const struct table *t = r->table;
    struct buf b;

    snprintf(to, CHANGE_NAME_MAX, "row %u", number + 1);
    if (t->local_count == 0)
        return;
    buf_init(&b, NULL);
    for (uint16_t i = 0; i < t->local_count; i++) {
        struct datum d = vec_datum(&cols[t->local[i].col], row);

        buf_printf(&b, "%s%s = ", i ? ", " : "row (", t->columns[t->local[i].col].name);
        table_print_literal(&d, &b);
    }
    buf_puts(&b, ")");
    if (!b.failed) {
        size_t n = b.len;

        if (n > CHANGE_NAME_MAX) {
            n = CHANGE_NAME_MAX;
            while (n > 0 && (b.data[n] & 0xc0) == 0x80)
                n--;
        }
        snprintf(
            to, CHANGE_NAME_MAX + 8, "%.*s%s", (int)n, (const char *)b.data, n < b.len ? "…" : "");
    }
    buf_done(&b);
}

/* Old columns of a batch by store column, for names. */
static void change_by_col(const struct change_run *r, const struct batch *b, struct vec *to)
{
    for (uint32_t i = 0; i < r->plan->cols_count; i++)
        to[r->plan->cols[i]] = b->cols[i];
}

/* ---- gathering ---- */

static bool change_is_set(const struct plan_change *p, uint32_t col)
{
    for (uint32_t i = 0; i < p->sets_count; i++)
        if (p->sets[i].col == col)
            return true;
    return false;
}

/* The old value of a column that gets a new one is asked for only where it tells the rows apart. */
static bool change_keeps_old(const struct change_run *r, uint32_t i)
{
    uint32_t col = r->plan->cols[i];

    return col >= r->table->columns_count || r->table->columns[col].key_pos > 0 ||
           r->table->time_col == (int)col || !change_is_set(r->plan, col);
}

static int change_init(struct change_run *r, struct dn_err *err)
{
    const struct table *t = r->table;
    const struct plan_change *p = r->plan;

    r->olds = mem_calloc(r->owner, p->cols_count, sizeof(*r->olds));
    r->news = mem_calloc(r->owner, (size_t)p->sets_count + 1, sizeof(*r->news));
    r->consts = arena_calloc(&r->strings, (size_t)p->sets_count + 1, sizeof(*r->consts));
    r->old_cols = arena_calloc(&r->strings, store_cols_count(t), sizeof(*r->old_cols));
    r->new_cols = arena_calloc(&r->strings, store_cols_count(t), sizeof(*r->new_cols));
    r->others = mem_calloc(r->owner, (size_t)p->others_count + 1, sizeof(*r->others));
    if (!r->olds || !r->news || !r->consts || !r->old_cols || !r->new_cols || !r->others)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < p->cols_count; i++)
        colbuf_init(&r->olds[i], store_col_type(t, p->cols[i]), r->owner, &r->strings);
    for (uint32_t i = 0; i < p->sets_count; i++)
        colbuf_init(&r->news[i], t->columns[p->sets[i].col].type, r->owner, &r->strings);
    for (uint32_t i = 0; i < p->others_count; i++)
        colbuf_init(&r->others[i], p->others[i].type, r->owner, &r->strings);
    return 0;
}

static void change_done(struct change_run *r)
{
    for (uint32_t i = 0; r->olds && i < r->plan->cols_count; i++)
        colbuf_done(&r->olds[i]);
    for (uint32_t i = 0; r->news && i < r->plan->sets_count; i++)
        colbuf_done(&r->news[i]);
    for (uint32_t i = 0; r->others && i < r->plan->others_count; i++)
        colbuf_done(&r->others[i]);
    mem_free(r->olds);
    mem_free(r->news);
    mem_free(r->others);
    arena_done(&r->strings);
    arena_done(&r->scratch);
}

static int change_blame(const struct change_run *r, uint32_t set, int rc, struct dn_err *err)
{
    if (rc != DN_E_NOMEM)
        dn_err_prefix(err, "column \"%s\"", r->table->columns[r->plan->sets[set].col].name);
    dn_err_at(err, r->plan->sets[set].pos);
    return rc;
}

/* Values that are the same for every row, in the columns' types. */
static int change_consts(struct change_run *r, struct dn_err *err)
{
    for (uint32_t i = 0; i < r->plan->sets_count; i++) {
        const struct plan_set *set = &r->plan->sets[i];
        const struct column *c = &r->table->columns[set->col];
        struct plan_target to = {.type = c->type,
                                 .mods = c->mods,
                                 .exact = c->key_pos > 0,
                                 .key = c->key_pos > 0,
                                 .session = &r->stmt->conn->functions};
        struct datum d = {.type = c->type, .null = true};
        bool untyped = false;
        int rc = 0;

        if (set->at != PLAN_NO_COL)
            continue;
        if (!set->value && c->has_default) {
            d = c->def;
        } else if (set->value && set->value->kind == EXPR_PARAM) {
            d = r->stmt->params[set->value->param - 1].value;
            untyped = r->stmt->params[set->value->param - 1].untyped;
        } else if (set->value) {
            d = set->value->value;
            untyped = d.type == TYPE_VARCHAR;
        }
        if (set->value)
            rc = plan_assign(&to, &d, untyped, &r->strings, &d, err);
        if (rc == 0 && !datum_copy(&r->strings, &d, &r->consts[i]))
            rc = DN_FAIL_NOMEM(err);
        if (rc < 0)
            return change_blame(r, i, rc, err);
    }
    return 0;
}

/* NULL where none may be: an error once there is a row to put it into. */
static int change_check_consts(struct change_run *r, struct dn_err *err)
{
    if (r->consts_checked)
        return 0;
    r->consts_checked = true;
    for (uint32_t i = 0; i < r->plan->sets_count; i++) {
        const struct plan_set *set = &r->plan->sets[i];
        int rc = set->at == PLAN_NO_COL ? intake_check(r->table, set->col, &r->consts[i], err) : 0;

        if (rc < 0)
            return change_blame(r, i, rc, err);
    }
    return 0;
}

/* New values of one SET expression. */
static int
change_assign(struct change_run *r, uint32_t set, const struct batch *b, struct dn_err *err)
{
    const struct plan_set *s = &r->plan->sets[set];
    struct colbuf *to = &r->news[set];

    for (uint32_t i = 0; i < b->sel_count; i++) {
        uint32_t row = b->sel ? b->sel[i] : i;
        struct intake_value v = {.d = vec_datum(&b->cols[s->at], row),
                                 .digits = r->cols[s->at].digits};
        char name[CHANGE_NAME_MAX + 8];
        struct datum d;
        int rc =
            intake_assign(r->table, s->col, &v, &r->stmt->conn->functions, &r->scratch, &d, err);

        if (rc == 0 && !colbuf_append(to, &d))
            rc = DN_FAIL_NOMEM(err);
        if (rc == 0)
            continue;
        rc = change_blame(r, set, rc, err);
        if (rc != DN_E_NOMEM) {
            change_by_col(r, b, r->old_cols);
            change_name_row(r, r->old_cols, row, r->rows + i, name);
            dn_err_prefix(err, "%s", name);
        }
        return rc;
    }
    return 0;
}

static int change_gather(struct change_run *r, const struct batch *b, struct dn_err *err)
{
    int rc = change_check_consts(r, err);

    if (rc == 0 && b->sel_count > CHANGE_ROWS_MAX - r->rows) {
        rc = DN_FAIL(
            err, DN_E_TOO_COMPLEX, "the statement changes more than %u rows", CHANGE_ROWS_MAX);
        dn_err_hint(err, "Change them by ranges of the key.");
    }
    for (uint32_t i = 0; rc == 0 && i < r->plan->cols_count; i++)
        if (change_keeps_old(r, i) &&
            !colbuf_append_vec(&r->olds[i], &b->cols[i], b->sel, b->sel_count))
            rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < r->plan->others_count; i++)
        if (!colbuf_append_vec(
                &r->others[i], &b->cols[r->plan->others_at + i], b->sel, b->sel_count))
            rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < r->plan->sets_count; i++)
        if (r->plan->sets[i].at != PLAN_NO_COL)
            rc = change_assign(r, i, b, err);
    r->rows += b->sel_count;
    arena_reset(&r->scratch);
    return rc;
}

static int change_find(struct change_run *r, struct dn_err *err)
{
    struct dendro_stmt *stmt = r->stmt;
    struct batch b;
    int rc = exec_open(stmt->run_plan ? stmt->run_plan : stmt->plan, &stmt->ctx, &stmt->root, err);

    while (rc == 0 && (rc = exec_next(stmt->root, &b, err)) == 0) {
        rc = stmt_parts_skip(stmt, r->table, r->plan, &b, err);
        rc = rc < 0 ? rc : change_gather(r, &b, err);
    }
    exec_close(stmt->root);
    stmt->root = NULL;
    return rc == DN_EOF ? 0 : rc;
}

/* ---- batches ---- */

static int change_vectors(struct change_run *r, struct dn_err *err)
{
    const struct plan_change *p = r->plan;

    for (uint32_t i = 0; i < p->cols_count; i++) {
        if (!change_keeps_old(r, i))
            continue;
        r->old_cols[p->cols[i]] = colbuf_vec(&r->olds[i], 0, r->rows);
        r->new_cols[p->cols[i]] = r->old_cols[p->cols[i]];
    }
    for (uint32_t i = 0; i < p->sets_count; i++) {
        struct vec *to = &r->new_cols[p->sets[i].col];

        if (p->sets[i].at != PLAN_NO_COL)
            *to = colbuf_vec(&r->news[i], 0, r->rows);
        else if (!vec_make_const(&r->strings, &r->consts[i], r->rows, to))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* Columns that only RETURNING asked for are no part of a patch or a tombstone. */
static void change_forget_others(struct change_run *r)
{
    for (uint16_t i = 0; i < r->table->columns_count; i++) {
        if (r->table->columns[i].key_pos > 0 || r->table->time_col == (int)i)
            continue;
        r->old_cols[i].data = NULL;
        if (!change_is_set(r->plan, i))
            r->new_cols[i].data = NULL;
    }
}

/* A batch of `rows` rows; columns without a vector are NULL, in a patch not said at all. */
static int change_batch(
    struct change_run *r, enum row_op op, const struct vec *from, uint32_t rows, struct dn_err *err)
{
    static const uint64_t absent = 1;
    const struct table *t = r->table;
    struct vec *cols = arena_calloc(&r->strings, store_cols_count(t), sizeof(*cols));
    struct shard_batch *b = &r->batches[r->batches_count];

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < store_cols_count(t); c++) {
        struct datum none = {.type = store_col_type(t, c), .null = true};

        cols[c] = from[c];
        if (c >= t->columns_count || from[c].data)
            continue;
        if (!vec_make_const(&r->strings, &none, rows, &cols[c]))
            return DN_FAIL_NOMEM(err);
        if (op == ROW_PATCH)
            cols[c].absent = &absent;
    }
    *b = (struct shard_batch){
        .table = t, .cols = cols, .rows = rows, .op = op, .check_seq = snapshot_seq(r->stmt->snap)};
    if (op == ROW_PUT)
        b->expiry_ns = r->expiry_ns;
    if (t->form == KEY_NONE)
        b->rowids = cols[t->columns_count + HIDDEN_ROWID].data;
    r->batches_count++;
    return 0;
}

/* Every CHANGE_LOOK_ROWS rows: shall it end? */
static int change_look(const struct change_run *r, uint32_t row, struct dn_err *err)
{
    return row % CHANGE_LOOK_ROWS ? 0 : session_check_cancel(r->stmt->conn, err);
}

/* The rows with a set bit (or without), as columns of their own. */
static int change_pick(struct change_run *r,
                       const struct vec *from,
                       const uint64_t *bits,
                       bool set,
                       struct vec *to,
                       uint32_t *ret_rows,
                       struct dn_err *err)
{
    uint32_t rows = 0;

    for (uint32_t row = 0; row < r->rows; row++)
        rows += vec_bit(bits, row) == set;
    *ret_rows = rows;
    for (uint32_t c = 0; rows > 0 && c < store_cols_count(r->table); c++) {
        enum type_id type = store_col_type(r->table, c);
        uint8_t *data;
        uint64_t *nulls;
        uint32_t n = 0;

        if (!from[c].data)
            continue;
        data = arena_alloc_array(&r->strings, rows, phys_size(type_phys(type)));
        nulls = arena_calloc(&r->strings, VEC_BITMAP_WORDS(rows), sizeof(*nulls));
        if (!data || !nulls)
            return DN_FAIL_NOMEM(err);
        for (uint32_t row = 0; row < r->rows; row++) {
            struct datum d;
            int rc = change_look(r, row, err);

            if (rc < 0)
                return rc;
            if (vec_bit(bits, row) != set)
                continue;
            d = vec_datum(&from[c], row);
            datum_store(&d, data, n);
            if (d.null)
                vec_bit_set(nulls, n);
            n++;
        }
        to[c] = (struct vec){.type = type,
                             .form = VEC_FLAT,
                             .count = rows,
                             .data = data,
                             .nulls = from[c].nulls ? nulls : NULL};
    }
    return 0;
}

/* ---- rows that move ---- */

/* Text in keys has a limit, as for INSERT. */
static int change_check_key(const struct change_run *r, uint32_t row, struct dn_err *err)
{
    const struct table *t = r->table;
    uint64_t bytes = 0;

    for (uint16_t i = 0; i < t->local_count; i++)
        if (type_is_string(t->columns[t->local[i].col].type))
            bytes += vec_str(&r->new_cols[t->local[i].col], row).len;
    if (bytes <= INTAKE_KEY_BYTES_MAX)
        return 0;
    return DN_FAIL(
        err, DN_E_TOO_LONG, "the key's text is longer than %u bytes", INTAKE_KEY_BYTES_MAX);
}

/* Keyed tables: which old keys are nobody's now? */
static int change_left(struct change_run *r, uint64_t *gone, struct dn_err *err)
{
    char name[CHANGE_NAME_MAX + 8];
    struct key_set keys;
    uint32_t id;
    int rc = 0;

    key_set_init(&keys, r->table, r->owner);
    for (uint32_t row = 0; rc == 0 && row < r->rows; row++) {
        rc = change_look(r, row, err);
        if (rc == 0)
            rc = change_check_key(r, row, err);
        if (rc == 0)
            rc = key_set_add(&keys, r->new_cols, row, &id, err);
        if (rc == 1) {
            change_name_row(r, r->new_cols, row, row, name);
            rc = DN_FAIL(err, DN_E_DUPLICATE_KEY, "two rows would have the same key: %s", name);
            dn_err_hint(err, "A key is one row; nothing was changed.");
        }
    }
    for (uint32_t row = 0; rc == 0 && row < r->rows; row++) {
        rc = change_look(r, row, err);
        if (rc == 0)
            rc = key_set_find(&keys, r->old_cols, row, &id, err);
        if (rc == 0 && id == KEY_SET_NONE)
            vec_bit_set(gone, row);
    }
    key_set_done(&keys);
    return rc;
}

static int change_moves(struct change_run *r, struct dn_err *err)
{
    const struct table *t = r->table;
    uint32_t cols = store_cols_count(t);
    uint64_t *gone = arena_calloc(&r->strings, VEC_BITMAP_WORDS(r->rows) + 1, sizeof(*gone));
    struct vec *picked = arena_calloc(&r->strings, 3 * (size_t)cols, sizeof(*picked));
    uint32_t rows = 0;
    int rc = 0;

    if (!gone || !picked)
        return DN_FAIL_NOMEM(err);
    if (t->form != KEY_NONE)
        rc = change_left(r, gone, err);
    for (uint32_t row = 0; t->form == KEY_NONE && row < r->rows; row++)
        if (rows_slab(t, r->old_cols, row) != rows_slab(t, r->new_cols, row))
            vec_bit_set(gone, row);
    if (rc == 0)
        rc = change_pick(r, r->old_cols, gone, true, picked, &rows, err);
    if (rc == 0 && rows > 0) {
        /* Only what says which row it is. */
        for (uint32_t c = 0; c < t->columns_count; c++)
            if (t->columns[c].key_pos == 0 && t->time_col != (int)c)
                picked[c] = (struct vec){.data = NULL};
        rc = change_batch(r, ROW_DELETE, picked, rows, err);
    }
    if (rc < 0 || t->form != KEY_NONE || rows == 0)
        return rc < 0 ? rc : change_batch(r, ROW_PUT, r->new_cols, r->rows, err);
    /* Without a key those that went to another slab are new rows there. */
    rc = change_pick(r, r->new_cols, gone, true, picked + cols, &rows, err);
    if (rc == 0)
        rc = change_batch(r, ROW_PUT, picked + cols, rows, err);
    if (rc < 0)
        return rc;
    r->batches[r->batches_count - 1].rowids = NULL;
    r->batches[r->batches_count - 1].check_seq = 0;
    rc = change_pick(r, r->new_cols, gone, false, picked + 2 * (size_t)cols, &rows, err);
    if (rc == 0 && rows > 0)
        rc = change_batch(r, ROW_PUT, picked + 2 * (size_t)cols, rows, err);
    return rc;
}

/* RETURNING, with the columns of other tables beside the rows. */
static int change_return(struct change_run *r, struct dn_err *err)
{
    struct vec *more = arena_calloc(&r->strings, (size_t)r->plan->others_count + 1, sizeof(*more));
    int rc;

    if (!more)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < r->plan->others_count; i++)
        more[i] = colbuf_vec(&r->others[i], 0, r->rows);
    r->stmt->more = more;
    r->stmt->more_count = r->plan->others_count;
    rc = stmt_return_rows(
        r->stmt, r->table, r->plan->sets_count ? r->new_cols : r->old_cols, r->rows, err);
    r->stmt->more = NULL;
    r->stmt->more_count = 0;
    return rc;
}

/* Generated columns and CHECK constraints, of the rows as they are to be. */
static int change_check_rows(struct change_run *r, struct dn_err *err)
{
    char name[CHANGE_NAME_MAX + 8];
    struct intake_run run = {.first = 1};
    uint32_t bad;
    int rc;

    session_intake_run(r->stmt->conn, &run);
    rc = intake_generate(&r->stmt->insert, &run, r->new_cols, r->rows, &r->strings, err);
    if (rc == 0)
        rc = intake_checks_run(&r->stmt->insert.checks, r->new_cols, r->rows, &run, &bad, err);
    if (rc == DN_E_CHECK_VIOLATION) {
        change_name_row(r, r->new_cols, bad, bad, name);
        dn_err_prefix(err, "%s", name);
    }
    return rc;
}

static int change_write(struct change_run *r, struct dn_err *err)
{
    int rc = change_vectors(r, err);

    if (rc == 0 && r->plan->sets_count > 0)
        rc = change_check_rows(r, err);
    if (rc == 0)
        rc = change_return(r, err);
    if (rc < 0)
        return rc;
    if (r->plan->all && !r->plan->whole)
        change_forget_others(r);
    if (r->plan->moves)
        rc = change_moves(r, err);
    else if (r->plan->sets_count == 0)
        rc = change_batch(r, ROW_DELETE, r->old_cols, r->rows, err);
    else
        rc = change_batch(r, r->plan->whole ? ROW_PUT : ROW_PATCH, r->new_cols, r->rows, err);
    return rc < 0 ? rc : session_commit(r->stmt->conn, r->batches, r->batches_count, err);
}

/* ---- the statement ---- */

static int change_once(struct dendro_stmt *stmt, int tries, struct dn_err *err)
{
    struct change_run r = {.stmt = stmt, .owner = &stmt->owner};
    struct plan_ranges ranges = {.count = 0};
    uint64_t late = stmt->conn->late;
    const struct plan *plan;
    int rc = stmt_begin(stmt, stmt_inner(stmt), err);

    if (rc < 0)
        return rc;
    plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    if (tries < CHANGE_RANGE_TRIES && !stmt->returning && !stmt_inner(stmt)->change->once &&
        !stmt_parts_share(stmt, plan->table))
        rc = stmt_delete_ranges(stmt, plan, &ranges, err);
    if (rc < 0 || ranges.count > 0)
        return rc < 0 ? rc : stmt_run_ranges(stmt, plan, &ranges, err);
    r.plan = plan->change;
    r.cols = plan->cols;
    r.table = plan->table;
    arena_init(&r.strings, r.owner);
    arena_init(&r.scratch, r.owner);
    rc = change_init(&r, err);
    if (rc == 0)
        rc = stmt_expiry(stmt, r.table, stmt_inner(stmt)->change->ttl, &r.expiry_ns, err);
    if (rc == 0)
        rc = change_consts(&r, err);
    if (rc == 0)
        rc = change_find(&r, err);
    if (rc == 0 && r.rows > 0)
        rc = stmt_inner(stmt)->change->once ? stmt_merge_twice(err) : change_write(&r, err);
    if (rc == 0 && r.rows > 0)
        rc = stmt_parts_note(stmt, r.table, r.old_cols, r.rows, err);
    stmt->rows_count = rc < 0 || stmt_returns(stmt) ? 0 : r.rows - (stmt->conn->late - late);
    change_done(&r);
    return rc;
}

int stmt_run_change(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = stmt_retry(stmt, change_once, err);
    if (rc == DN_E_NOMEM)
        stmt_change_advise(stmt, err);
    return rc;
}

/* ---- the rows of UPDATE and DELETE ---- */

static int change_compile(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt_deletes_counters(stmt) ? 0 : stmt_compile_change(stmt, stmt->ast, err);
}

static int delete_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt->plan ? stmt_run_change(stmt, err) : stmt_run_delete_counters(stmt, err);
}

STMT_NAME(update, "UPDATE")
STMT_OPS(update,
         stmt_name_update,
         stmt_tag_rows,
         stmt_class_mod,
         stmt_use_writes,
         privilege_by_planner,
         change_compile,
         stmt_run_change);

STMT_NAME(delete, "DELETE")
STMT_OPS(delete,
         stmt_name_delete,
         stmt_tag_rows,
         stmt_class_mod,
         stmt_use_writes,
         privilege_by_planner,
         change_compile,
         delete_run);
