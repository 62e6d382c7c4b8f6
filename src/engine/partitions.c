/* SPDX-License-Identifier: Apache-2.0
 *
 * partitions.c: where rows live: SHOW PARTITIONS, and dendro_locate for one key.
 *
 * The rows of a table are counted by series and quantum. A scan is read in units; one whose series
 * is known and whose times lie in one quantum is counted without decoding anything. Segments are
 * counted from their directories. Bytes are an estimate: the table's average of a row. */
#include "engine/slabs.h"
#include "engine/stmt_ops.h"

#include "base/hash.h"
#include "catalog/ring.h"
#include "plan/plan.h"
#include "vec/normkey.h"

#include <stdlib.h>

enum part_col {
    PART_KEY,
    PART_START,
    PART_END,
    PART_TOKEN,
    PART_VNODE,
    PART_ROWS,
    PART_BYTES,
    PART_SEGMENTS,
    PART_COLS
};
_Static_assert(PART_COLS <= DESCRIBE_COLS_MAX, "a page has room for the columns");

struct part {
    size_t key_at; /* in keys: series and quantum, normalized */
    size_t key_len;
    const char *text; /* series values as literals; arena */
    int64_t quantum;  /* start; when there is one */
    bool has_quantum;
    int64_t token;
    uint64_t rows;
    uint64_t segments;
};

struct parts {
    struct dendro_stmt *stmt;
    const struct table *t;
    struct part *list; /* owned */
    uint32_t count;
    uint32_t cap;
    struct hidx index;
    struct buf keys;
    struct buf key;       /* of the row at hand */
    struct buf scratch;   /* for tokens */
    struct datum *series; /* in the run's arena: of the row at hand */
};

struct part_key {
    const uint8_t *p;
    size_t len;
};

static bool part_same(const void *ctx, const void *key, uint32_t id)
{
    const struct parts *p = ctx;
    const struct part_key *k = key;

    return p->list[id].key_len == k->len &&
           memcmp(p->keys.data + p->list[id].key_at, k->p, k->len) == 0;
}

static uint64_t part_hash(const void *ctx, uint32_t id)
{
    const struct parts *p = ctx;

    return dn_hash64(p->keys.data + p->list[id].key_at, p->list[id].key_len, 0);
}

static const char *part_text(struct parts *p, const struct datum *series)
{
    struct buf b;
    char *text;

    if (p->t->partition_count == 0)
        return "";
    buf_init(&b, &p->stmt->owner);
    for (uint16_t i = 0; i < p->t->partition_count; i++) {
        buf_puts(&b, i ? ", " : "");
        table_print_literal(&series[i], &b);
    }
    text = b.failed ? NULL : arena_strndup(&p->stmt->run, (const char *)b.data, b.len);
    buf_done(&b);
    return text;
}

/* Key of a partition: flag and start of the quantum, series. */
static int part_make_key(struct parts *p,
                         const struct datum *series,
                         bool has_quantum,
                         int64_t quantum,
                         struct dn_err *err)
{
    struct datum start = {.type = TYPE_BIGINT, .null = !has_quantum, .v = {.i64 = quantum}};

    buf_reset(&p->key);
    buf_u8(&p->key, has_quantum);
    if (has_quantum)
        normkey_append(&p->key, &start, false);
    for (uint16_t i = 0; i < p->t->partition_count; i++)
        normkey_append(&p->key, &series[i], false);
    return p->key.failed ? DN_FAIL_NOMEM(err) : 0;
}

static uint32_t part_find(const struct parts *p)
{
    struct part_key k = {.p = p->key.data, .len = p->key.len};

    return hidx_find(&p->index, dn_hash64(k.p, k.len, 0), part_same, p, &k);
}

static int part_new(struct parts *p,
                    const struct datum *series,
                    bool has_quantum,
                    int64_t quantum,
                    struct dn_err *err)
{
    struct part *part;

    if (p->count == p->cap) {
        uint32_t cap = p->cap ? 2 * p->cap : 64;
        struct part *grown = mem_realloc(&p->stmt->owner, p->list, (size_t)cap * sizeof(*grown));

        if (!grown)
            return DN_FAIL_NOMEM(err);
        p->list = grown;
        p->cap = cap;
    }
    part = &p->list[p->count];
    *part = (struct part){.key_at = p->keys.len,
                          .key_len = p->key.len,
                          .text = part_text(p, series),
                          .quantum = quantum,
                          .has_quantum = has_quantum};
    part->token = table_token(p->t, series, &p->scratch);
    buf_append(&p->keys, p->key.data, p->key.len);
    if (!part->text || p->keys.failed || p->scratch.failed ||
        !hidx_add(&p->index, dn_hash64(p->key.data, p->key.len, 0), p->count, part_hash, p))
        return DN_FAIL_NOMEM(err);
    p->count++;
    return 0;
}

static int part_add(
    struct parts *p, const struct datum *series, int64_t time, uint32_t rows, struct dn_err *err)
{
    bool has_quantum = p->t->time_col >= 0 && table_has_quantum(p->t, time);
    int64_t quantum = has_quantum ? table_quantum(p->t, time) : 0;
    uint32_t at;
    int rc = part_make_key(p, series, has_quantum, quantum, err);

    if (rc < 0)
        return rc;
    at = part_find(p);
    if (at == UINT32_MAX) {
        at = p->count;
        rc = part_new(p, series, has_quantum, quantum, err);
    }
    if (rc == 0)
        p->list[at].rows += rows;
    return rc;
}

/* ---- rows ---- */

static bool part_one_quantum(const struct table *t, int64_t min, int64_t max)
{
    bool first = table_has_quantum(t, min);
    bool last = table_has_quantum(t, max);

    if (!first && !last)
        return t->slabs_count == 1; /* in no rule between them is one */
    return first && last && table_quantum(t, min) == table_quantum(t, max);
}

/* Counts a unit whose rows are all of one partition; false: it has to be looked at closer. */
static bool part_count_unit(
    struct parts *p, struct scan_reader *r, const struct scan_unit *u, int *rc, struct dn_err *err)
{
    const struct table *t = p->t;
    int64_t min = 0;
    int64_t max = 0;

    for (uint16_t i = 0; i < t->partition_count; i++)
        if (!scan_unit_const(r, i, &p->series[i]))
            return false;
    if (t->time_col >= 0 &&
        (!scan_unit_time(r, &min, &max) || min > max || !part_one_quantum(t, min, max)))
        return false;
    *rc = part_add(p, p->series, min, u->rows, err);
    scan_unit_answered(r);
    return true;
}

static int part_count_rows(struct parts *p,
                           struct scan_reader *r,
                           const uint32_t *cols,
                           uint32_t cols_count,
                           struct dn_err *err)
{
    const struct table *t = p->t;
    struct batch b;
    int rc = scan_unit_fetch(r, cols, cols_count, &b, err);

    for (uint32_t row = 0; rc == 0 && row < b.count; row++) {
        int64_t time = 0;

        for (uint16_t i = 0; i < t->partition_count; i++)
            p->series[i] = vec_datum(&b.cols[i], row);
        if (t->time_col >= 0)
            time = vec_i64(&b.cols[t->partition_count], row);
        rc = part_add(p, p->series, time, 1, err);
    }
    return rc;
}

static int part_scan(struct parts *p, struct scan *scan, uint32_t cols_count, struct dn_err *err)
{
    struct scan_reader_options options = {.blocks = true, .owner = &p->stmt->owner};
    uint32_t *cols = arena_alloc_array(&p->stmt->run, (size_t)cols_count + 1, sizeof(*cols));
    struct scan_reader *r = NULL;
    struct scan_unit u;
    int rc;

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < cols_count; i++)
        cols[i] = i;
    rc = scan_reader_new(scan, &options, &r, err);
    while (rc == 0 && (rc = scan_unit_next(r, &u, err)) == 0) {
        rc = session_check_cancel(p->stmt->conn, err);
        if (rc < 0)
            break;
        if (part_count_unit(p, r, &u, &rc, err))
            continue;
        else if (u.kind == SCAN_BLOCK)
            scan_unit_split(r);
        else
            rc = part_count_rows(p, r, cols, cols_count, err);
    }
    scan_reader_free(r);
    return rc == DN_EOF ? 0 : rc;
}

static int part_rows(struct parts *p, struct dn_err *err)
{
    const struct table *t = p->t;
    uint32_t cols_count = (uint32_t)t->partition_count + (t->time_col >= 0 ? 1 : 0);
    uint16_t *cols = arena_alloc_array(&p->stmt->run, (size_t)cols_count + 1, sizeof(*cols));
    struct scan_spec spec = {.table = t,
                             .cols = cols,
                             .cols_count = cols_count,
                             .owner = &p->stmt->owner,
                             .cancel = &p->stmt->conn->cancel};
    struct scan *scan;
    int rc;

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->partition_count; i++)
        cols[i] = t->partition[i];
    if (t->time_col >= 0)
        cols[t->partition_count] = (uint16_t)t->time_col;
    rc = scan_open(p->stmt->snap, &spec, &scan, err);
    if (rc < 0)
        return rc;
    rc = part_scan(p, scan, cols_count, err);
    scan_close(scan);
    return rc;
}

/* ---- segments ---- */

/* A run holds rows of the partitions whose quanta its times touch. */
static int part_run(void *arg, const struct scan_run *run, struct dn_err *err)
{
    struct parts *p = arg;
    const struct table *t = p->t;
    int64_t time = t->time_col >= 0 ? run->time_min : 0;
    int rc = 0;

    while (rc == 0) {
        bool has_quantum = t->time_col >= 0 && table_has_quantum(t, time);
        int64_t quantum = has_quantum ? table_quantum(t, time) : 0;
        uint32_t at;

        rc = part_make_key(p, run->series, has_quantum, quantum, err);
        if (rc < 0)
            return rc;
        at = part_find(p);
        if (at != UINT32_MAX)
            p->list[at].segments++;
        if (!has_quantum || table_quantum_end(t, quantum) > run->time_max)
            break;
        time = table_quantum_end(t, quantum);
    }
    return rc;
}

/* ---- the page ---- */

static int part_cmp(const void *a, const void *b)
{
    const struct part *x = a;
    const struct part *y = b;

    if (x->has_quantum != y->has_quantum)
        return x->has_quantum ? 1 : -1;
    if (x->quantum != y->quantum)
        return x->quantum < y->quantum ? -1 : 1;
    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    return strcmp(x->text, y->text);
}

static void part_columns(const struct table *t, struct describe *d)
{
    enum type_id time = t->time_col >= 0 ? t->columns[t->time_col].type : TYPE_TIMESTAMP;

    *d = (struct describe){
        .cols_count = PART_COLS,
        .names = {"Partition",
                  "Quantum Start",
                  "Quantum End",
                  "Token",
                  "Vnode",
                  "Rows",
                  "Bytes",
                  "Segments"},
        .types = {TYPE_VARCHAR,
                  time,
                  time,
                  TYPE_BIGINT,
                  TYPE_INTEGER,
                  TYPE_BIGINT,
                  TYPE_BIGINT,
                  TYPE_BIGINT},
    };
}

static int part_page(struct parts *p, struct describe *d, struct dn_err *err)
{
    struct shard_stats stats;
    uint64_t rows;
    uint64_t bytes;

    shard_table_stats(p->stmt->conn->db->shard, p->t->id, &stats);
    rows = stats.segment_rows + stats.memtable_rows;
    bytes = stats.segment_bytes + stats.memtable_bytes;
    if (p->count > 0)
        qsort(p->list, p->count, sizeof(*p->list), part_cmp);
    part_columns(p->t, d);
    d->rows_count = p->count;
    d->cells = arena_calloc(&p->stmt->run, (size_t)p->count * PART_COLS + 1, sizeof(*d->cells));
    if (!d->cells)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct part *part = &p->list[i];
        struct datum *cell = &d->cells[(size_t)i * PART_COLS];
        int64_t place = ring_place(part->token, part->has_quantum ? &part->quantum : NULL);
        int64_t end = part->has_quantum ? table_quantum_end(p->t, part->quantum) : 0;

        for (int c = 0; c < PART_COLS; c++)
            cell[c].type = d->types[c];
        cell[PART_KEY].str = (struct vstr){.ptr = part->text, .len = (uint32_t)strlen(part->text)};
        cell[PART_START].null = cell[PART_END].null = !part->has_quantum;
        cell[PART_START].v.i64 = part->quantum;
        cell[PART_END].v.i64 = end;
        cell[PART_TOKEN].v.i64 = part->token;
        cell[PART_VNODE].v.i64 = ring_vnode(place);
        cell[PART_ROWS].v.i64 = (int64_t)part->rows;
        cell[PART_BYTES].v.i64 =
            rows ? (int64_t)((double)part->rows * ((double)bytes / (double)rows)) : 0;
        cell[PART_SEGMENTS].v.i64 = (int64_t)part->segments;
    }
    return 0;
}

int stmt_compile_partitions(struct dendro_stmt *stmt, struct describe *ret, struct dn_err *err)
{
    const struct table *t;

    if (stmt->ast->slabs)
        return stmt_compile_slabs(stmt, ret, err);
    t = session_table(stmt->conn, stmt->catalog, &stmt->ast->name, err);
    if (!t)
        return err->code;
    part_columns(t, ret);
    return 0;
}

static int stmt_run_partitions(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct parts p = {.stmt = stmt};
    int rc;

    if (stmt->ast->slabs)
        return stmt_show_slabs(stmt, err);
    rc = stmt_begin(stmt, stmt->ast, err);
    if (rc < 0)
        return rc;
    p.t = session_table(stmt->conn, stmt->catalog, &stmt->ast->name, err);
    if (!p.t)
        return err->code;
    p.series = arena_calloc(&stmt->run, (size_t)p.t->partition_count + 1, sizeof(*p.series));
    if (!p.series)
        return DN_FAIL_NOMEM(err);
    hidx_init(&p.index, &stmt->owner);
    buf_init(&p.keys, &stmt->owner);
    buf_init(&p.key, &stmt->owner);
    buf_init(&p.scratch, &stmt->owner);
    rc = part_rows(&p, err);
    if (rc == 0)
        rc = scan_segment_runs(stmt->snap, p.t, part_run, &p, err);
    if (rc == 0)
        rc = part_page(&p, &stmt->rows, err);
    hidx_done(&p.index);
    buf_done(&p.keys);
    buf_done(&p.key);
    buf_done(&p.scratch);
    mem_free(p.list);
    return rc;
}

/* ---- one key ---- */

/* Table by a name that may have a schema before it. */
static const struct table *
place_table(dendro_conn *conn, const struct catalog *cat, const char *name, struct dn_err *err)
{
    struct qual_name whole = {.name = name};
    const struct table *t = session_table(conn, cat, &whole, err);
    const char *dot = strchr(name, '.');
    char schema[TABLE_NAME_MAX + 1];

    if (t || !dot || (size_t)(dot - name) > TABLE_NAME_MAX)
        return t;
    memcpy(schema, name, (size_t)(dot - name));
    schema[dot - name] = '\0';
    whole.schema = schema;
    whole.name = dot + 1;
    return session_table(conn, cat, &whole, err);
}

static int place_value(const struct table *t,
                       uint16_t col,
                       const char *text,
                       struct arena *arena,
                       struct datum *ret,
                       struct dn_err *err)
{
    struct datum in = {.type = TYPE_VARCHAR, .str = {.ptr = text, .len = (uint32_t)strlen(text)}};
    struct plan_target to = {.type = t->columns[col].type, .exact = true};
    int rc = plan_assign(&to, &in, true, arena, ret, err);

    if (rc < 0)
        dn_err_prefix(err, "column \"%s\"", t->columns[col].name);
    return rc;
}

static int place_find(const struct table *t,
                      const char *const *key,
                      size_t count,
                      struct arena *arena,
                      struct dendro_place *ret,
                      struct dn_err *err)
{
    bool quantum = t->quantum_count > 0;
    struct datum *series = arena_calloc(arena, (size_t)t->partition_count + 1, sizeof(*series));
    struct datum time;
    struct buf scratch;
    int rc = series ? 0 : DN_FAIL_NOMEM(err);

    if (rc == 0 && count != (size_t)t->partition_count + quantum)
        return DN_FAIL(err,
                       DN_E_ENTRY_COUNT,
                       "the partition key of table \"%s\" has %u columns, not %zu",
                       t->name,
                       t->partition_count + (unsigned)quantum,
                       count);
    for (uint16_t i = 0; rc == 0 && i < t->partition_count; i++)
        rc = place_value(t, t->partition[i], key[i], arena, &series[i], err);
    if (rc == 0 && quantum)
        rc = place_value(t, (uint16_t)t->time_col, key[count - 1], arena, &time, err);
    if (rc < 0)
        return rc;
    *ret = (struct dendro_place){.quantum = quantum && table_has_quantum(t, time.v.i64)};
    buf_init(&scratch, NULL);
    ret->token = table_token(t, series, &scratch);
    rc = scratch.failed ? DN_FAIL_NOMEM(err) : 0;
    buf_done(&scratch);
    if (ret->quantum) {
        ret->quantum_start = table_quantum(t, time.v.i64);
        ret->quantum_end = table_quantum_end(t, ret->quantum_start);
    }
    ret->place = ring_place(ret->token, ret->quantum ? &ret->quantum_start : NULL);
    ret->vnode = ring_vnode(ret->place);
    return rc;
}

int dendro_locate(dendro_conn *conn,
                  const char *table,
                  const char *const *key,
                  size_t key_count,
                  struct dendro_place *ret,
                  struct dendro_error *err)
{
    struct catalog *cat;
    const struct table *t;
    struct arena arena;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!conn || !table || (!key && key_count > 0) || !ret)
        return engine_return(
            err, &e, DN_FAIL(&e, DN_E_MISUSE, "dendro_locate: no session, table, key or result"));
    cat = tx_catalog(conn);
    arena_init(&arena, &conn->db->owner);
    t = place_table(conn, cat, table, &e);
    rc = t ? place_find(t, key, key_count, &arena, ret, &e) : e.code;
    arena_done(&arena);
    catalog_unref(cat);
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

/* Times and numbers of rows are told to those who may read them. */
static int
partitions_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return privilege_table(stmt, &ast->name, PRIVILEGE_BIT(PRIVILEGE_SELECT), err);
}

STMT_NAME(show_partitions, "SHOW")
STMT_OPS(show_partitions,
         stmt_name_show_partitions,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         partitions_privilege,
         stmt_compile_described,
         stmt_run_partitions);
