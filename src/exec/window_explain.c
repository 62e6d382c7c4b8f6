/* SPDX-License-Identifier: Apache-2.0
 *
 * window_explain.c: EXPLAIN of a WINDOW node. */
#include "exec/window.h"

static void window_explain_keys(const struct plan_node *node, struct buf *b)
{
    const struct plan_window *w = node->window;

    for (uint32_t i = 0; i < w->partition_count; i++)
        buf_printf(b, "%s %s", i ? "," : " partition by", node->input->cols[w->partition[i]].name);
    for (uint32_t i = 0; i < w->order_count; i++)
        buf_printf(b,
                   "%s %s%s%s",
                   i ? "," : " order by",
                   node->input->cols[w->order[i].col].name,
                   w->order[i].desc ? " desc" : "",
                   w->order[i].nulls_first == w->order[i].desc ? ""
                   : w->order[i].nulls_first                   ? " nulls first"
                                                               : " nulls last");
}

static void window_explain_bound(enum plan_frame_bound kind, const struct bexpr *e, struct buf *b)
{
    static const char *const words[] = {[PLAN_BOUND_UNBOUNDED_PRECEDING] = "unbounded preceding",
                                        [PLAN_BOUND_PRECEDING] = " preceding",
                                        [PLAN_BOUND_CURRENT] = "current row",
                                        [PLAN_BOUND_FOLLOWING] = " following",
                                        [PLAN_BOUND_UNBOUNDED_FOLLOWING] = "unbounded following"};

    if (kind == PLAN_BOUND_PRECEDING || kind == PLAN_BOUND_FOLLOWING)
        expr_print(e, NULL, b);
    buf_puts(b, words[kind]);
}

static void window_explain_frame(const struct plan_frame *f, struct buf *b)
{
    static const char *const modes[] = {
        [PLAN_FRAME_ROWS] = "rows", [PLAN_FRAME_RANGE] = "range", [PLAN_FRAME_GROUPS] = "groups"};
    static const char *const excludes[] = {[PLAN_EXCLUDE_NONE] = "",
                                           [PLAN_EXCLUDE_CURRENT] = " exclude current row",
                                           [PLAN_EXCLUDE_GROUP] = " exclude group",
                                           [PLAN_EXCLUDE_TIES] = " exclude ties"};

    buf_printf(b, " %s between ", modes[f->mode]);
    window_explain_bound(f->start, f->start_offset, b);
    buf_puts(b, " and ");
    window_explain_bound(f->end, f->end_offset, b);
    buf_puts(b, excludes[f->exclude]);
}

static int window_explain_call(const struct plan_node *node,
                               const struct plan_window_call *c,
                               struct buf *b,
                               struct dn_err *err)
{
    int rc = 0;

    buf_printf(b, "\n%s(", c->fn ? c->fn->name : c->agg.agg->name);
    if (c->fn)
        rc = exec_explain_exprs(node, c->args, c->args_count, b, err);
    else if (c->agg.arg)
        rc = exec_explain_exprs(node, &c->agg.arg, 1, b, err);
    else
        buf_puts(b, "*");
    if (rc == 0 && !c->fn && c->agg.arg2) {
        buf_puts(b, ", ");
        rc = exec_explain_exprs(node, &c->agg.arg2, 1, b, err);
    }
    buf_puts(b, ")");
    if (rc == 0 && c->filter) {
        buf_puts(b, " filter ");
        rc = exec_explain_exprs(node, &c->filter, 1, b, err);
    }
    if (!c->fn || c->fn->framed)
        window_explain_frame(&c->frame, b);
    return rc;
}

int exec_window_explain(const struct plan_node *node,
                        struct exec_ctx *ctx DN_UNUSED,
                        struct buf *b,
                        struct dn_err *err)
{
    int rc = 0;

    buf_puts(b, "Window");
    window_explain_keys(node, b);
    for (uint32_t i = 0; i < node->window->calls_count && rc == 0; i++)
        rc = window_explain_call(node, &node->window->calls[i], b, err);
    return rc;
}
