/* SPDX-License-Identifier: Apache-2.0
 *
 * op_setop.c: UNION ALL hands on one input after the other. INTERSECT and EXCEPT put the rows of
 * the right side into a bag (bag.h) and then ask it about each row of the left side. */
#include "exec/bag.h"
#include "exec/union.h"

struct op_setop {
    struct exec_bag bag;
    struct arena run;
    bool built;
    bool left_done; /* the left is read */
};

static enum exec_bag_rule setop_rule(const struct plan_node *node)
{
    if (node->setop == PLAN_SETOP_EXCEPT)
        return node->all ? EXEC_BAG_LESS : EXEC_BAG_NEW;
    return node->all ? EXEC_BAG_ONE_EACH : EXEC_BAG_ONCE;
}

static int op_setop_open(struct op *op, struct dn_err *err)
{
    struct op_setop *st = op->state;
    const struct plan_node *node = op->node;
    enum type_id *types = NULL;

    arena_init(&st->run, &op->mem);
    if (node->setop == PLAN_SETOP_UNION_ALL)
        return 0;
    if (node->cols_count) /* rows without columns are all alike */
        types = exec_types(node->input, &st->run);
    if (node->cols_count && !types)
        return DN_FAIL_NOMEM(err);
    return exec_bag_init(&st->bag, op, types, node->input->cols_count, setop_rule(node), err);
}

static void op_setop_close(struct op *op)
{
    struct op_setop *st = op->state;

    exec_bag_done(&st->bag);
    arena_done(&st->run);
}

bool exec_union_is(const struct op *op)
{
    return op->node->kind == PLAN_SETOP && op->node->setop == PLAN_SETOP_UNION_ALL;
}

/* The input itself, or one of its own. */
static int union_inside(struct op *input, struct op **ret, struct dn_err *err)
{
    if (exec_union_is(input))
        return exec_union_next(input, ret, err);
    *ret = input;
    return 0;
}

int exec_union_next(struct op *op, struct op **ret, struct dn_err *err)
{
    struct op_setop *st = op->state;
    int rc = 0;

    if (!st->left_done) {
        bool first = !op->input;

        if (first)
            rc = exec_need_input(op, err);
        if (rc == 0 && (first || exec_union_is(op->input)))
            rc = union_inside(op->input, ret, err);
        else if (rc == 0)
            rc = DN_EOF;
        if (rc != DN_EOF)
            return rc;
        st->left_done = true;
        exec_close(op->input);
        op->input = NULL;
    }
    if (!op->right) {
        rc = exec_need_right(op, err);
        return rc < 0 ? rc : union_inside(op->right, ret, err);
    }
    return exec_union_is(op->right) ? exec_union_next(op->right, ret, err) : DN_EOF;
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
            rc = exec_bag_add(&st->bag, &in, err);
    }
    if (rc != DN_EOF)
        return rc;
    exec_close(op->right);
    op->right = NULL;
    st->built = true;
    st->left_done = op->node->setop == PLAN_SETOP_INTERSECT && exec_bag_empty(&st->bag);
    return st->left_done ? 0 : exec_need_input(op, err);
}

static int setop_compare(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_setop *st = op->state;
    int rc = st->built ? 0 : setop_build(op, err);

    if (rc == 0 && !st->left_done) {
        rc = exec_pull(op->input, ret, err);
        if (rc != DN_EOF)
            return rc < 0 ? rc : exec_bag_take(&st->bag, ret, err);
        st->left_done = true;
        rc = 0;
    }
    if (rc == 0)
        rc = exec_bag_rest(&st->bag, ret, err);
    op->spilled = st->bag.spilled;
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
                                    .lazy = true,
                                    .holds = true};
