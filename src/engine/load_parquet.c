/* SPDX-License-Identifier: Apache-2.0
 *
 * load_parquet.c: see load.h. Columns whose vectors may be stored as they are go to the intake
 * whole; of the others each value goes the way that an INSERT's goes. */
#include "engine/engine_int.h"

#include "engine/generated.h"
#include "engine/intake_bulk.h"
#include "engine/load.h"
#include "engine/privilege.h"
#include "parquet/parquet.h"

#include <inttypes.h>
#include <strings.h>

struct parquet_in {
    struct dendro_conn *conn;
    const struct load_parquet *spec;
    struct arena arena;
    struct intake_target to;
    struct intake_bulk bulk;
    struct arena scratch; /* of one batch */
    bool *plain;          /* by column of the batch: the vector is taken as it is */
};

static int parquet_unknown(const char *column, const struct table *t, struct dn_err *err)
{
    (void)DN_FAIL(err,
                  DN_E_UNDEFINED_COLUMN,
                  "table \"%s\" has no column \"%s\", which the file has",
                  t->name,
                  column);
    dn_err_hint(err, "COPY %s (a, b, …) FROM … takes the columns that it names.", t->name);
    return DN_E_UNDEFINED_COLUMN;
}

/* Each column that the caller names, by its name in the file. */
static int parquet_find(const struct parquet_in *in,
                        const struct spec_name *name,
                        uint32_t *ret,
                        struct dn_err *err)
{
    const struct pq_column *cols;
    uint32_t count = pq_columns(in->spec->reader, &cols);
    int rc;

    for (uint32_t i = 0; i < count; i++) {
        if (strcasecmp(cols[i].name, name->s) == 0) {
            *ret = i;
            return 0;
        }
    }
    rc = DN_FAIL(err, DN_E_UNDEFINED_COLUMN, "the file has no column \"%s\"", name->s);
    dn_err_at(err, name->pos);
    return rc;
}

/* Which columns are read, and where they go. */
static int parquet_target(struct parquet_in *in, struct dn_err *err)
{
    const struct load_parquet *spec = in->spec;
    const struct table *t = spec->table;
    struct plan_env env = session_plan_env(in->conn, NULL, &in->arena);
    const struct pq_column *cols;
    uint32_t count = pq_columns(spec->reader, &cols);
    uint32_t wanted = spec->columns ? spec->columns_count : count;
    struct spec_name *names = arena_calloc(&in->arena, (size_t)wanted + 1, sizeof(*names));
    uint32_t *want = arena_calloc(&in->arena, (size_t)wanted + 1, sizeof(*want));
    int rc = names && want ? 0 : DN_FAIL_NOMEM(err);

    for (uint32_t i = 0; rc == 0 && i < wanted; i++) {
        want[i] = i;
        if (spec->columns)
            rc = parquet_find(in, &spec->columns[i], &want[i], err);
        if (rc < 0)
            break;
        names[i].s = cols[want[i]].name;
        if (table_column_find(t, names[i].s, strlen(names[i].s)) == -1)
            rc = parquet_unknown(names[i].s, t, err);
    }
    if (rc == 0)
        rc = intake_target_columns(&in->to, t, names, wanted, &in->arena, err);
    if (rc == 0)
        rc = intake_target_plain(&in->to, true, err);
    if (rc == 0)
        rc = intake_target_unlisted(&in->to, err);
    if (rc == 0 && spec->rights)
        rc = privilege_insert(in->conn, spec->rights, t, in->to.cols, in->to.cols_count, err);
    if (rc == 0)
        rc = intake_target_bind(&in->to, &env, err);
    in->to.named = spec->named;
    return rc < 0 ? rc : pq_want(spec->reader, want, wanted, err);
}

/* Which vectors need no look at each value: as in insert_query.c. */
static int parquet_plain(struct parquet_in *in, struct dn_err *err)
{
    in->plain = arena_calloc(&in->arena, in->to.cols_count + 1, sizeof(*in->plain));
    if (!in->plain)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < in->to.cols_count; i++) {
        const struct column *c = &in->to.table->columns[in->to.cols[i]];

        in->plain[i] = !column_is_identity(c) && !c->not_null && c->key_pos == 0 &&
                       in->to.table->time_col != (int)in->to.cols[i] && !type_is_float(c->type) &&
                       c->type != TYPE_BPCHAR && c->mods.count == 0;
    }
    return 0;
}

static int parquet_value(
    struct parquet_in *in, const struct vec *v, uint32_t row, uint32_t i, struct dn_err *err)
{
    uint16_t col = in->to.cols[i];
    struct intake_value value = {.d = vec_datum(v, row)};
    struct datum d;
    int rc = 0;

    /* A text in a column that is no text: as COPY of texts reads it. */
    value.untyped = v->type == TYPE_VARCHAR;
    rc = intake_assign(in->to.table, col, &value, in->to.session, &in->scratch, &d, err);
    if (rc == 0)
        rc = intake_put(in->bulk.rows, col, &d, err);
    if (rc < 0 && rc != DN_E_NOMEM)
        dn_err_prefix(err,
                      "row %" PRIu64 ", column \"%s\"",
                      in->bulk.count + 1,
                      in->to.table->columns[col].name);
    if (rc == 0)
        in->bulk.bytes +=
            type_is_string(d.type) ? sizeof(d.str) + d.str.len : phys_size(type_phys(d.type));
    return rc;
}

static int
parquet_vector(struct parquet_in *in, const struct vec *v, uint32_t i, struct dn_err *err)
{
    if (!colbuf_append_vec(&in->bulk.rows->bufs[in->to.cols[i]], v, NULL, v->count))
        return DN_FAIL_NOMEM(err);
    in->bulk.bytes += (size_t)v->count * phys_size(type_phys(v->type));
    for (uint32_t k = 0; type_is_string(v->type) && k < v->count; k++)
        in->bulk.bytes += vec_is_null(v, k) ? 0 : vec_str(v, k).len;
    return 0;
}

/* May a value of the file become one of the column at all? */
static int parquet_fits(struct parquet_in *in, const struct batch *b, struct dn_err *err)
{
    for (uint32_t i = 0; i < b->cols_count; i++) {
        const struct column *c = &in->to.table->columns[in->to.cols[i]];

        if (b->cols[i].type == TYPE_VARCHAR || plan_assignable(c->type, b->cols[i].type))
            continue;
        return DN_FAIL(err,
                       DN_E_DATATYPE_MISMATCH,
                       "column \"%s\" is %s, and the file's is %s",
                       c->name,
                       type_word(c->type),
                       type_word(b->cols[i].type));
    }
    return 0;
}

static int parquet_batch(struct parquet_in *in, const struct batch *b, struct dn_err *err)
{
    int rc = in->bulk.count == 0 ? parquet_fits(in, b, err) : 0;

    for (uint32_t i = 0; rc == 0 && i < b->cols_count; i++) {
        enum type_id type = in->to.table->columns[in->to.cols[i]].type;

        in->plain[i] = in->plain[i] && b->cols[i].type == type;
        if (in->plain[i])
            rc = parquet_vector(in, &b->cols[i], i, err);
    }
    for (uint32_t row = 0; rc == 0 && row < b->count; row++) {
        intake_begin_row(in->bulk.rows);
        for (uint32_t i = 0; rc == 0 && i < b->cols_count; i++)
            if (!in->plain[i])
                rc = parquet_value(in, &b->cols[i], row, i, err);
        intake_end_row(in->bulk.rows);
        in->bulk.count++;
    }
    arena_reset(&in->scratch);
    return rc < 0 ? rc : intake_bulk_settle(&in->bulk, err);
}

static int parquet_rows(struct parquet_in *in, struct load_result *ret, struct dn_err *err)
{
    const struct load_parquet *spec = in->spec;
    struct batch b;
    int rc = 0;

    while (rc == 0) {
        rc = session_check_cancel(in->conn, err);
        if (rc == 0)
            rc = pq_next(spec->reader, &b, err);
        if (rc == 0)
            rc = parquet_batch(in, &b, err);
        ret->parsed = in->bulk.count;
        ret->bytes = pq_bytes(spec->reader);
        if (rc == 0 && spec->progress && spec->progress(spec->progress_arg, ret) != 0)
            rc = DN_FAIL(err, DN_E_CANCELED, "stopped by the callback");
    }
    return rc == DN_EOF ? 0 : rc;
}

int load_parquet(struct dendro_conn *conn,
                 const struct load_parquet *spec,
                 struct load_result *ret,
                 struct dn_err *err)
{
    struct parquet_in in = {.conn = conn, .spec = spec};
    struct mem_owner owner;
    int rc = session_write_allowed(conn, err);

    *ret = (struct load_result){.rows = 0};
    if (rc < 0)
        return rc;
    mem_owner_init(&owner, "import", &conn->db->owner, 0);
    in.bulk = (struct intake_bulk){.conn = conn, .to = &in.to, .owner = &owner};
    arena_init(&in.arena, &owner);
    arena_init(&in.scratch, &owner);
    rc = parquet_target(&in, err);
    if (rc == 0)
        rc = parquet_plain(&in, err);
    if (rc == 0)
        rc = intake_bulk_begin(&in.bulk, err);
    if (rc == 0)
        rc = parquet_rows(&in, ret, err);
    if (rc == 0)
        rc = intake_bulk_end(&in.bulk, err);
    if (rc == 0)
        ret->rows = in.bulk.count;
    intake_bulk_done(&in.bulk);
    arena_done(&in.scratch);
    arena_done(&in.arena);
    return rc;
}
