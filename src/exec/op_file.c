/* SPDX-License-Identifier: Apache-2.0
 *
 * op_file.c: the rows of a Parquet file, only the columns that are wanted. The plan may be older
 * than the file: what it was made for must still be there. */
#include "exec/exec_int.h"
#include "parquet/parquet.h"

#include <string.h>

struct op_file {
    struct pq_reader *reader; /* owned */
};

static int file_changed(const struct plan_file *f, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_TABLE_CHANGED, "%s has other columns than before", f->path);

    dn_err_hint(err, "Run the statement again.");
    return rc;
}

static int op_file_open(struct op *op, struct dn_err *err)
{
    struct op_file *st = op->state;
    const struct plan_file *f = op->node->file;
    const struct pq_column *have;
    uint32_t *want;
    uint32_t count;
    int rc = pq_open_path(f->path, &op->mem, &st->reader, err);

    if (rc < 0)
        return rc;
    count = pq_columns(st->reader, &have);
    if (count != f->columns_count)
        return file_changed(f, err);
    want = mem_alloc_array(&op->mem, (size_t)op->node->cols_count + 1, sizeof(*want));
    if (!want)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < op->node->cols_count; i++) {
        want[i] = op->node->scan_cols[i];
        if (have[want[i]].type != f->columns[want[i]].type ||
            strcmp(have[want[i]].name, f->columns[want[i]].name) != 0)
            rc = file_changed(f, err);
    }
    if (rc == 0)
        rc = pq_want(st->reader, want, op->node->cols_count, err);
    mem_free(want);
    return rc;
}

static int op_file_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_file *st = op->state;
    int rc = pq_next(st->reader, ret, err);

    if (rc < 0 && rc != DN_E_NOMEM)
        dn_err_prefix(err, "%s", op->node->file->path);
    return rc;
}

static void op_file_close(struct op *op)
{
    struct op_file *st = op->state;

    pq_close(st->reader);
}

static int op_file_explain(const struct plan_node *node,
                           struct exec_ctx *ctx DN_UNUSED,
                           struct buf *b,
                           struct dn_err *err DN_UNUSED)
{
    buf_printf(b, "File %s ", node->file->path);
    exec_explain_cols(node, b);
    return 0;
}

const struct op_ops op_file_ops = {.name = "File",
                                   .open = op_file_open,
                                   .next = op_file_next,
                                   .close = op_file_close,
                                   .explain = op_file_explain,
                                   .state_size = sizeof(struct op_file)};
