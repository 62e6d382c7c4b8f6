/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.c: limits.h has the story. */
#include "plan/limits.h"

#include "catalog/quantum.h"
#include "plan/interval.h"
#include "plan/select_int.h"

#include <inttypes.h>
#include <stdio.h>

static const struct scan_pred *limits_pred(const struct scan_pred *preds, uint32_t count, int col)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((int)preds[i].col == col)
            return &preds[i];
    }
    return NULL;
}

static bool limits_never(const struct scan_pred *preds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (preds[i].set_count == 0)
            return true;
    }
    return false;
}

static bool limits_has_quantum(const struct table *t)
{
    return t->time_col >= 0 && t->slabs_count > 0 && t->slabs[t->slabs_count - 1].quantum_width > 0;
}

/* Quanta that lie in [lo, hi], both ends included; *last is the start of the last one. */
static uint64_t limits_span(const struct table *t, int64_t lo, int64_t hi, int64_t *last)
{
    uint64_t n = 0;

    for (uint16_t i = 0; i < t->slabs_count; i++) {
        const struct slab_rule *rule = &t->slabs[i];
        int64_t end = i + 1 < t->slabs_count ? t->slabs[i + 1].from - 1 : INT64_MAX;
        int64_t from = lo > rule->from ? lo : rule->from;
        int64_t to = hi < end ? hi : end;
        int64_t first, end_start;

        if (from > to || rule->quantum_width <= 0)
            continue;
        first = quantum_start(from, rule->quantum_width);
        end_start = quantum_start(to, rule->quantum_width);
        n += ((uint64_t)end_start - (uint64_t)first) / (uint64_t)rule->quantum_width + 1;
        *last = end_start;
    }
    return n;
}

uint64_t plan_quanta(const struct table *t, const struct scan_pred *preds, uint32_t count)
{
    const struct scan_pred *p;
    uint64_t n = 0;
    int64_t last = 0;

    if (!limits_has_quantum(t) || limits_never(preds, count))
        return 0;
    p = limits_pred(preds, count, t->time_col);
    if (!p)
        return UINT64_MAX;
    for (uint32_t i = 0; i < p->set_count; i++) {
        const struct interval *x = &p->set[i];

        if (!x->has_lo || !x->has_hi)
            return UINT64_MAX;
        if (n > 0 && table_quantum(t, x->lo.v.i64) == last)
            n--; /* begins in the quantum where the one before ended */
        n += limits_span(t, x->lo.v.i64, x->hi.v.i64, &last);
    }
    return n; /* intervals are disjoint: no overflow, quanta being at least a second wide */
}

static int limits_strict_series(const struct table *t,
                                const struct scan_pred *preds,
                                uint32_t count,
                                struct dn_err *err)
{
    for (uint16_t i = 0; i < t->partition_count; i++) {
        const char *name = t->columns[t->partition[i]].name;
        const struct scan_pred *p = limits_pred(preds, count, t->partition[i]);
        struct iset set = {.v = p ? p->set : NULL, .n = p ? p->set_count : 0};

        if (p && iset_is_points(&set))
            continue;
        DN_IGNORE(DN_FAIL(
            err,
            DN_E_UNCOVERED_KEY,
            p ? "strict_keys is on: partition key column \"%s\" is only constrained to a range"
              : "strict_keys is on: partition key column \"%s\" is not covered by the WHERE clause",
            name)); /* returned below */
        dn_err_hint(err, "Add %s = … (or IN) joined by AND, or SET strict_keys = off.", name);
        return DN_E_UNCOVERED_KEY;
    }
    return 0;
}

static int limits_strict_time(const struct table *t,
                              const struct scan_pred *preds,
                              uint32_t count,
                              struct dn_err *err)
{
    const char *name = t->columns[t->time_col].name;
    const struct scan_pred *p = limits_pred(preds, count, t->time_col);
    bool lo = p != NULL, hi = p != NULL;

    for (uint32_t i = 0; p && i < p->set_count; i++) {
        lo = lo && p->set[i].has_lo;
        hi = hi && p->set[i].has_hi;
    }
    if (lo && hi)
        return 0;
    DN_IGNORE(DN_FAIL(err,
                      DN_E_UNCOVERED_KEY,
                      "strict_keys is on: the WHERE clause gives time column \"%s\" %s",
                      name,
                      !lo && !hi ? "no bounds"
                      : !lo      ? "no lower bound"
                                 : "no upper bound")); /* returned below */
    dn_err_hint(err,
                "Bound it on both sides, e.g. %s >= … AND %s < …, or SET strict_keys = off.",
                name,
                name);
    return DN_E_UNCOVERED_KEY;
}

static int limits_quanta(const struct table *t, uint64_t n, uint64_t cap, struct dn_err *err)
{
    const char *name = t->columns[t->time_col].name;
    char count[32];

    if (n <= cap)
        return 0;
    snprintf(count, sizeof(count), "%" PRIu64, n);
    DN_IGNORE(DN_FAIL(err,
                      DN_E_TOO_MANY_QUANTA,
                      "the query spans %s quanta of %" PRId64
                      " %c, more than max_subqueries = %" PRIu64,
                      n == UINT64_MAX ? "unlimited" : count,
                      t->quantum_count,
                      t->quantum_unit ? t->quantum_unit : ' ',
                      cap)); /* returned below */
    dn_err_hint(err, "Narrow the range of \"%s\", or raise max_subqueries (0 = no limit).", name);
    return DN_E_TOO_MANY_QUANTA;
}

int plan_check_limits(const struct settings *settings,
                      const struct table *t,
                      const struct scan_pred *preds,
                      uint32_t count,
                      struct dn_err *err)
{
    int rc = 0;

    if (limits_never(preds, count))
        return 0;
    if (settings->strict_keys && t->form != KEY_NONE) {
        rc = limits_strict_series(t, preds, count, err);
        if (rc == 0 && limits_has_quantum(t))
            rc = limits_strict_time(t, preds, count, err);
    }
    if (rc == 0 && settings->max_subqueries > 0 && limits_has_quantum(t))
        rc =
            limits_quanta(t, plan_quanta(t, preds, count), (uint64_t)settings->max_subqueries, err);
    return rc;
}

void plan_note_full_scan(struct planner *q, const struct plan_node *scan)
{
    const struct table *t = scan->table;
    const struct table *parent = timepart_parent(q->env->catalog, t);
    size_t to_len = sizeof(q->plan->notice);
    char *to = q->plan->notice;
    const char *name = parent ? parent->name : t->name;
    int len;

    if (t->form == KEY_NONE && t->time_col < 0) {
        if (scan->preds_count == 0)
            snprintf(to, to_len, "full scan: the query reads the whole of table \"%s\"", name);
        return;
    }
    if (limits_never(scan->preds, scan->preds_count))
        return;
    for (uint16_t i = 0; i < t->partition_count; i++) {
        if (limits_pred(scan->preds, scan->preds_count, t->partition[i]))
            return;
    }
    if (t->time_col >= 0 && limits_pred(scan->preds, scan->preds_count, t->time_col))
        return;
    len = snprintf(
        to, to_len, "full scan: WHERE constrains no partition key column of \"%s\" (", name);
    for (uint16_t i = 0; i < t->partition_count && len > 0 && (size_t)len < to_len; i++)
        len += snprintf(to + len,
                        to_len - (size_t)len,
                        "%s%s",
                        i ? ", " : "",
                        t->columns[t->partition[i]].name);
    if (t->time_col >= 0 && len > 0 && (size_t)len < to_len)
        len += snprintf(to + len,
                        to_len - (size_t)len,
                        "%s%s",
                        t->partition_count ? ", " : "",
                        t->columns[t->time_col].name);
    if (len > 0 && (size_t)len < to_len)
        snprintf(to + len, to_len - (size_t)len, ")");
}
