/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/ttl.h"

#include "plan/plan.h"
#include "store/overlay.h"
#include "volume/clock.h"

#include <inttypes.h>

#define TTL_SECOND_NS INT64_C(1000000000)
#define TTL_DAY_US    INT64_C(86400000000)

bool stmt_expires(struct dendro_stmt *stmt, const struct table *t)
{
    return shard_expires(stmt->conn->db->shard, t->id) ||
           (stmt->conn->tx.rows && overlay_expires(stmt->conn->tx.rows, t->id));
}

static int ttl_refuse(const struct expr *ttl, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "USING TTL must be from 0 to %" PRId64 " seconds (20 years)",
                     TABLE_TTL_MAX);

    dn_err_hint(err, "0 keeps the rows for ever.");
    dn_err_at(err, ttl->pos);
    return rc;
}

/* A value that is no literal and no parameter. */
static int
ttl_eval(struct dendro_stmt *stmt, const struct expr *ttl, struct datum *ret, struct dn_err *err)
{
    struct plan_env env = session_plan_env(stmt->conn, stmt->catalog, &stmt->run);
    uint32_t n = stmt->ast->params_count;
    struct datum *literals = arena_alloc_array(&stmt->run, (size_t)n + 1, sizeof(*literals));
    bool *untyped = arena_alloc_array(&stmt->run, (size_t)n + 1, sizeof(*untyped));
    struct bexpr *b;
    struct eval ev;
    int rc;

    if (!literals || !untyped)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++) {
        literals[i] = stmt->params[i].value;
        untyped[i] = stmt->params[i].untyped;
    }
    env.literals = literals;
    env.literals_untyped = untyped;
    env.literals_count = n;
    rc = plan_value_expr(&env, ttl, "USING TTL", &b, err);
    if (rc < 0)
        return rc;
    if (b->kind == BEXPR_CONST) {
        *ret = b->value;
        return 0;
    }
    ev = plan_eval(&env, &stmt->run, NULL, 0);
    return expr_eval_datum(b, &ev, ret, err);
}

/* Text is a number of seconds or an interval. */
static int
ttl_text(struct dendro_stmt *stmt, const struct datum *d, struct datum *ret, struct dn_err *err)
{
    struct plan_target to = {.type = TYPE_BIGINT, .session = &stmt->conn->functions};
    struct dn_err ignored;

    if (plan_assign(&to, d, true, &stmt->run, ret, &ignored) == 0)
        return 0;
    to.type = TYPE_INTERVAL;
    return plan_assign(&to, d, true, &stmt->run, ret, err);
}

static int
ttl_value(struct dendro_stmt *stmt, const struct expr *ttl, struct datum *ret, struct dn_err *err)
{
    int rc = 0;

    if (ttl->kind == EXPR_LITERAL)
        *ret = ttl->value;
    else if (ttl->kind == EXPR_PARAM)
        *ret = stmt->params[ttl->param - 1].value;
    else
        rc = ttl_eval(stmt, ttl, ret, err);
    if (rc == 0 && !ret->null && ret->type == TYPE_VARCHAR)
        rc = ttl_text(stmt, ret, ret, err);
    if (rc == 0 && (ret->null || (!type_is_int(ret->type) && ret->type != TYPE_INTERVAL)))
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "USING TTL takes a number of seconds or an interval, not %s",
                     ret->null ? "NULL" : type_word(ret->type));
    if (rc < 0)
        dn_err_at(err, ttl->pos);
    return rc;
}

int stmt_expiry(struct dendro_stmt *stmt,
                const struct table *t,
                const struct expr *ttl,
                int64_t *ret_expiry_ns,
                struct dn_err *err)
{
    struct datum d = {.null = true};
    int64_t ns;
    int rc;

    *ret_expiry_ns = ROW_DEFAULT;
    if (!ttl)
        return 0;
    if (t->upsert == UPSERT_FIELD) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "USING TTL does not go with upsert = 'field'");
        dn_err_hint(err, "rows expire as a whole: a table with upsert = 'row' has such rows");
        dn_err_at(err, ttl->pos);
        return rc;
    }
    rc = ttl_value(stmt, ttl, &d, err);
    if (rc < 0)
        return rc;
    if (d.type == TYPE_INTERVAL) {
        int64_t days = (int64_t)d.iv.months * 30 + d.iv.days;

        if (days < 0 || days > TABLE_TTL_MAX / 86400 || d.iv.us < 0 ||
            d.iv.us > TABLE_TTL_MAX * 1000000 ||
            days * TTL_DAY_US + d.iv.us > TABLE_TTL_MAX * 1000000)
            return ttl_refuse(ttl, err);
        ns = (days * TTL_DAY_US + d.iv.us) * 1000;
    } else if (d.v.i64 < 0 || d.v.i64 > TABLE_TTL_MAX) {
        return ttl_refuse(ttl, err);
    } else {
        ns = d.v.i64 * TTL_SECOND_NS;
    }
    *ret_expiry_ns = ns ? volume_latest_ns(stmt->conn->db->volume) + ns : ROW_FOREVER;
    return 0;
}
