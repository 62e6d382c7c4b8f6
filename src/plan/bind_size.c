/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_size.c: what holds for each expression that is bound: a statement that was canceled ends,
 * and an expression does not become too long.
 *
 * Some expressions use an operand more than once: x BETWEEN a AND b is x >= a AND x <= b, CASE x
 * WHEN, NULLIF, IS DISTINCT FROM, comparisons of rows, IN with columns in its list. Both uses share
 * the bound operand, but whatever walks through the expression meets it twice, and in a nest of n
 * such expressions 2^n times. The text of the statement does not bound that; this does. */
#include "plan/bind_size.h"

#define BIND_PARTS_MAX 2000000u /* more than a statement has whose operands are used once */
#define BIND_LOW       8u       /* expressions that are not higher cannot have so many */

/* Takes the parts of an expression from *left; false: there are more. */
static bool bind_fits(const struct bexpr *e, uint32_t *left)
{
    if (*left == 0)
        return false;
    --*left;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!bind_fits(e->args[i], left))
            return false;
    }
    return true;
}

int bind_expr(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    uint32_t left = BIND_PARTS_MAX;
    int rc = plan_check_cancel(b->env, err);

    if (rc < 0)
        return rc;
    if (!e) /* (DEFAULT, 1) where it is no list of values */
        return DN_FAIL(err, DN_E_SYNTAX, "DEFAULT is not allowed in this context");
    rc = bind_expr_kind(b, e, ret, err);
    if (rc < 0 || e->depth <= BIND_LOW || bind_fits(*ret, &left))
        return rc;
    rc = DN_FAIL(err,
                 DN_E_TOO_COMPLEX,
                 "the expression has more than %u parts, as operands in it are used several times",
                 BIND_PARTS_MAX);
    dn_err_at(err, e->pos);
    dn_err_hint(err,
                "BETWEEN, CASE x WHEN, NULLIF and IS DISTINCT FROM double what stands in them: "
                "compute the operand in a subquery in FROM.");
    return rc;
}
