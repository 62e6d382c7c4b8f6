/* SPDX-License-Identifier: Apache-2.0
 *
 * op_setop.c: UNION ALL hands on one input after the other. INTERSECT and EXCEPT read the right
 * side into a table (join_table.h) whose keys are all columns, NULLs being equal; then each left
 * row that is found there takes one of the rows of its kind out (ALL), or is noted (else). */
#include "exec/groups.h"
#include "exec/join_table.h"

#include <string.h>

struct op_setop {
    struct exec_join_table table;
    struct plan_node as_join; /* how the table is told of its keys */
    struct plan_join join;
    struct arena batch;
    struct arena run;
    struct exec_groups seen; /* EXCEPT: rows returned */
    uint32_t *unused;        /* owned: by first row of a kind: the first that is not taken yet */
    bool built;
    bool left_done; /* UNION ALL: the left is read */
    uint32_t ids[VEC_ROWS_MAX];
    uint32_t seen_ids[VEC_ROWS_MAX];
    uint16_t sel[VEC_ROWS_MAX];
};

static int setop_init_join(struct op *op, struct dn_err *err)
{
    struct op_setop *st = op->state;
    const struct plan_node *right = op->node->right;
    struct bexpr *exprs = arena_calloc(&st->run, right->cols_count, sizeof *exprs);

    st->join.kind = PLAN_JOIN_SEMI;
    st->join.keys = arena_calloc(&st->run, right->cols_count, sizeof *st->join.keys);
    if (!exprs || !st->join.keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < right->cols_count; c++) {
        exprs[c] = (struct bexpr){.kind = BEXPR_COLUMN, .type = right->cols[c].type, .col = c};
        st->join.keys[c] =
            (struct plan_join_key){.left = &exprs[c], .right = &exprs[c], .nulls_equal = true};
    }
    st->join.keys_count = right->cols_count;
    st->as_join =
        (struct plan_node){.input = op->node->input, .right = op->node->right, .join = &st->join};
    return exec_join_table_init(&st->table, &st->as_join, op, err);
}

static int op_setop_open(struct op *op, struct dn_err *err)
{
    struct op_setop *st = op->state;
    const struct plan_node *node = op->node;
    enum type_id *types;
    int rc;

    arena_init(&st->batch, &op->mem);
    arena_init(&st->run, &op->mem);
    if (node->setop == PLAN_SETOP_UNION_ALL)
        return 0;
    if (node->cols_count == 0)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "INTERSECT and EXCEPT of rows without columns");
    rc = setop_init_join(op, err);
    if (rc < 0 || node->setop == PLAN_SETOP_INTERSECT || node->all)
        return rc;
    types = exec_types(node->input, &st->run);
    if (!types)
        return DN_FAIL_NOMEM(err);
    return exec_groups_init(&st->seen, types, node->input->cols_count, &op->mem, err);
}

static void op_setop_close(struct op *op)
{
    struct op_setop *st = op->state;

    exec_join_table_done(&st->table);
    exec_groups_done(&st->seen);
    arena_done(&st->batch);
    arena_done(&st->run);
    mem_free(st->unused);
}

/* One input after the other, neither open while the other is read. */
static int setop_union(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_setop *st = op->state;
    int rc;

    if (!st->left_done) {
        rc = exec_need_input(op, err);
        if (rc == 0)
            rc = exec_pull(op->input, ret, err);
        if (rc != DN_EOF)
            return rc;
        st->left_done = true;
        exec_close(op->input);
        op->input = NULL;
    }
    rc = exec_need_right(op, err);
    return rc < 0 ? rc : exec_pull(op->right, ret, err);
}

static int setop_build(struct op *op, struct dn_err *err)
{
    struct op_setop *st = op->state;
    struct batch in;
    int rc = exec_need_right(op, err);

    while (rc == 0) {
        rc = exec_pull(op->right, &in, err);
        if (rc == 0)
            rc = exec_join_table_add(&st->table, &in, err);
    }
    if (rc != DN_EOF)
        return rc;
    exec_close(op->right);
    op->right = NULL;
    rc = exec_join_table_finish(&st->table, err);
    if (rc < 0)
        return rc;
    st->unused = mem_alloc_array(&op->mem, st->table.rows.count, sizeof *st->unused);
    if (!st->unused)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < st->table.rows.count; i++)
        st->unused[i] = i;
    st->built = true;
    return exec_need_input(op, err);
}

/* Takes one of the right rows that equal first; false: none was left. */
static bool setop_take(struct op_setop *st, uint32_t first, bool all)
{
    uint32_t row = st->unused[first];

    if (row == EXEC_NO_ROW)
        return false;
    st->unused[first] = all ? st->table.same[row] : EXEC_NO_ROW;
    return true;
}

static int setop_compare(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_setop *st = op->state;
    const struct plan_node *node = op->node;
    bool except = node->setop == PLAN_SETOP_EXCEPT;
    struct batch in;
    uint32_t n = 0;
    bool one;
    int rc = st->built ? 0 : setop_build(op, err);

    if (rc < 0)
        return rc;
    if (!except && st->table.rows.count == 0)
        return DN_EOF;
    arena_reset(&st->batch);
    rc = exec_pull(op->input, &in, err);
    if (rc == 0)
        rc = exec_join_find(&st->table, in.cols, &in, &st->batch, st->ids, &one, err);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < in.sel_count; i++) {
        uint32_t id = st->ids[one ? 0 : i];
        bool found = id != EXEC_NO_ROW;

        if (found && (node->all || !except))
            found = setop_take(st, id, node->all);
        if (found != except)
            st->sel[n++] = in.sel ? in.sel[i] : (uint16_t)i;
    }
    *ret = in;
    ret->sel = st->sel;
    ret->sel_count = n;
    if (except && !node->all && n)
        rc = exec_groups_new(
            &st->seen, ret, &st->batch, st->seen_ids, st->sel, &ret->sel_count, err);
    return rc;
}

static int op_setop_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    return op->node->setop == PLAN_SETOP_UNION_ALL ? setop_union(op, ret, err)
                                                   : setop_compare(op, ret, err);
}

static int op_setop_explain(const struct plan_node *node,
                            struct exec_ctx *ctx DN_UNUSED,
                            struct buf *b,
                            struct dn_err *err DN_UNUSED)
{
    switch (node->setop) {
    case PLAN_SETOP_UNION_ALL:
        buf_puts(b, "Union all");
        return 0;
    case PLAN_SETOP_INTERSECT:
        buf_puts(b, node->all ? "Intersect all" : "Intersect");
        return 0;
    case PLAN_SETOP_EXCEPT:
        buf_puts(b, node->all ? "Except all" : "Except");
        return 0;
    }
    return 0;
}

const struct op_ops op_setop_ops = {.name = "Set operation",
                                    .open = op_setop_open,
                                    .next = op_setop_next,
                                    .close = op_setop_close,
                                    .explain = op_setop_explain,
                                    .state_size = sizeof(struct op_setop),
                                    .lazy = true};
