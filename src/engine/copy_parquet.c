/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_parquet.c: COPY of Parquet. In: load_parquet.c; what comes from STDIN is put into a scratch
 * file first, since a Parquet file is read from its end. Out: types that Parquet does not have are
 * written as texts. */
#include "engine/engine_int.h"

#include "engine/copy.h"
#include "func/text.h"
#include "parquet/parquet.h"
#include "volume/hostfile.h"

#define SPOOL_BYTES (256u * 1024)

/* ---- STDIN ---- */

static int spool_read(void *arg, uint64_t at, void *to, size_t len, struct dn_err *err)
{
    return len == 0 ? 0 : volume_scratch_read(arg, at, to, len, err);
}

static void spool_close(void *arg)
{
    volume_scratch_close(arg);
}

/* All bytes of the reader, in a file without a name. */
static int spool_open(struct dendro_stmt *stmt,
                      const struct copy_reader *from,
                      struct pq_reader **ret,
                      struct dn_err *err)
{
    struct pq_input in = {.read = spool_read, .close = spool_close};
    struct volume_scratch *file;
    uint64_t at;
    size_t n = 1;
    char *bytes;
    int rc = volume_scratch_open(stmt->conn->db->volume, &file, err);

    if (rc < 0)
        return rc;
    bytes = mem_alloc(&stmt->owner, SPOOL_BYTES);
    rc = bytes ? 0 : DN_FAIL_NOMEM(err);
    while (rc == 0 && n > 0) {
        rc = from->read(from->arg, bytes, SPOOL_BYTES, &n, err);
        if (rc == 0 && n > 0)
            rc = volume_scratch_append(file, bytes, n, &at, err);
        if (rc == 0)
            in.size += n;
        if (rc == 0)
            rc = session_check_cancel(stmt->conn, err);
    }
    mem_free(bytes);
    if (rc < 0) {
        volume_scratch_close(file);
        return rc;
    }
    in.arg = file;
    return pq_open(&in, &stmt->owner, ret, err);
}

/* ---- in ---- */

struct parquet_tell {
    struct dendro_stmt *stmt;
    uint64_t rows;
};

static int parquet_progress(void *arg, const struct load_result *so_far)
{
    const struct parquet_tell *t = arg;
    struct dendro_progress p = {.rows = so_far->parsed, .rows_expected = t->rows, .percent = -1};

    if (t->rows > 0)
        p.percent = 100.0 * (double)so_far->parsed / (double)t->rows;
    return stmt_tell(t->stmt, &p, NULL);
}

int copy_parquet_in(struct dendro_stmt *stmt, const struct copy_reader *from, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    struct load_parquet spec = {.table = stmt->insert.table,
                                .named = stmt->insert.named,
                                .columns = ast->columns,
                                .columns_count = ast->columns_count};
    struct parquet_tell tell = {.stmt = stmt};
    struct load_result result;
    int rc = ast->place == COPY_STDIO ? spool_open(stmt, from, &spec.reader, err)
                                      : pq_open_path(ast->file, &stmt->owner, &spec.reader, err);

    if (rc < 0)
        return rc;
    tell.rows = pq_rows(spec.reader);
    if (stmt_progress(stmt)) {
        spec.progress = parquet_progress;
        spec.progress_arg = &tell;
    }
    rc = load_parquet(stmt->conn, &spec, &result, err);
    stmt->rows_count = result.rows;
    pq_close(spec.reader);
    return rc;
}

/* ---- out ---- */

struct parquet_out {
    struct dendro_stmt *stmt;
    struct hostfile *file; /* NULL: the session's writer */
    struct pq_writer *writer;
    struct arena arena; /* of one batch */
    struct buf text;
    bool *as_text; /* by column */
    struct vec *cols;
    uint32_t cols_count;
};

static int parquet_put(void *arg, const void *bytes, size_t len, struct dn_err *err)
{
    const struct parquet_out *o = arg;
    const struct dendro_copy *to = &o->stmt->conn->copy;

    if (o->file)
        return hostfile_write(o->file, bytes, len, err);
    if (len > 0 && to->write(to->write_arg, bytes, len) != 0)
        return DN_FAIL(err, DN_E_CANCELED, "COPY to stdout was ended by whoever takes the rows");
    return 0;
}

static int parquet_begin(struct parquet_out *o, const struct plan *plan, struct dn_err *err)
{
    struct pq_output out = {
        .write = parquet_put, .arg = o, .codec = (enum pq_codec)o->stmt->copy.pack};
    struct arena *arena = &o->stmt->run;
    struct pq_column *cols = arena_calloc(arena, plan->cols_count + 1, sizeof(*cols));

    o->cols_count = plan->cols_count;
    o->cols = arena_calloc(arena, plan->cols_count + 1, sizeof(*o->cols));
    o->as_text = arena_calloc(arena, plan->cols_count + 1, sizeof(*o->as_text));
    if (!cols || !o->cols || !o->as_text)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < plan->cols_count; i++) {
        const struct plan_col *c = &plan->cols[i];

        cols[i] = (struct pq_column){.name = c->name, .type = c->type};
        if (c->origin.declared)
            cols[i].mods = c->origin.mods;
        o->as_text[i] = !pq_writable(c->type, &cols[i].mods);
        if (o->as_text[i])
            cols[i] = (struct pq_column){.name = c->name, .type = TYPE_VARCHAR};
    }
    return pq_writer_new(&out, cols, plan->cols_count, &o->stmt->owner, &o->writer, err);
}

/* The values of a batch as texts. */
static int parquet_texts(struct parquet_out *o,
                         const struct batch *b,
                         const struct vec *v,
                         struct vec *ret,
                         struct dn_err *err)
{
    struct vstr *texts = arena_alloc_array(&o->arena, (size_t)b->count + 1, sizeof(*texts));
    uint64_t *nulls = arena_calloc(&o->arena, VEC_BITMAP_WORDS(b->count) + 1, sizeof(*nulls));

    if (!texts || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t row = 0; row < b->count; row++) {
        struct datum d;
        char *copy;

        texts[row] = (struct vstr){"", 0};
        if (v->type == TYPE_NONE || vec_is_null(v, row)) {
            vec_bit_set(nulls, row);
            continue;
        }
        d = vec_datum(v, row);
        buf_reset(&o->text);
        text_print_as(&o->stmt->conn->functions, TEXT_SELECT, &d, &o->text);
        copy =
            o->text.failed
                ? NULL
                : arena_dup(&o->arena, o->text.data ? (const void *)o->text.data : "", o->text.len);
        if (!copy)
            return DN_FAIL_NOMEM(err);
        texts[row] = (struct vstr){copy, (uint32_t)o->text.len};
    }
    *ret = (struct vec){
        .type = TYPE_VARCHAR, .form = VEC_FLAT, .count = b->count, .data = texts, .nulls = nulls};
    return 0;
}

static int parquet_out_batch(struct parquet_out *o, const struct batch *b, struct dn_err *err)
{
    struct batch shown = *b;
    int rc = 0;

    shown.cols = o->cols;
    shown.cols_count = o->cols_count;
    for (uint32_t i = 0; rc == 0 && i < o->cols_count; i++) {
        o->cols[i] = b->cols[i];
        if (o->as_text[i])
            rc = parquet_texts(o, b, &b->cols[i], &o->cols[i], err);
    }
    if (rc == 0)
        rc = pq_write(o->writer, &shown, err);
    arena_reset(&o->arena);
    return rc;
}

int copy_parquet_out(struct dendro_stmt *stmt, struct hostfile *file, struct dn_err *err)
{
    const struct plan *plan = stmt->run_plan ? stmt->run_plan : stmt->plan;
    struct parquet_out o = {.stmt = stmt, .file = file};
    struct batch b;
    int rc;

    arena_init(&o.arena, &stmt->owner);
    buf_init(&o.text, &stmt->owner);
    rc = parquet_begin(&o, plan, err);
    while (rc == 0) {
        rc = stmt_pull(stmt, &b, err);
        if (rc == 0)
            rc = parquet_out_batch(&o, &b, err);
        if (rc == 0)
            stmt->rows_count += b.sel_count;
    }
    if (rc == DN_EOF)
        rc = pq_writer_end(o.writer, err);
    pq_writer_free(o.writer);
    buf_done(&o.text);
    arena_done(&o.arena);
    return rc;
}
