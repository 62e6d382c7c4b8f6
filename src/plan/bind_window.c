/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_window.c: f(…) OVER (…). Calls whose windows have the same PARTITION BY and ORDER BY share a
 * node; a call becomes a variable that the node defines. Arguments may hold aggregates of the same
 * query: windows are computed after them. */
#include "plan/decimal.h"
#include "plan/select_int.h"

#include "base/text.h"

#include "func/winfunc.h"

#define WINDOWS_MAX 64u /* different ones of a SELECT */

static int window_fail(uint32_t pos, struct dn_err *err)
{
    dn_err_at(err, pos);
    return err ? err->code : DN_E_WINDOWING;
}

static int window_check(const struct binder *b, const struct expr *e, struct dn_err *err)
{
    if (b->in_agg)
        DN_IGNORE(DN_FAIL(err, /* returned by window_fail */
                          DN_E_GROUPING,
                          "aggregate function calls cannot contain window function calls"));
    else if (b->in_window)
        DN_IGNORE(DN_FAIL(err, /* the same */
                          DN_E_WINDOWING,
                          "window function calls cannot be nested"));
    else if (!b->windows_allowed || !b->level)
        DN_IGNORE(DN_FAIL(err, /* the same */
                          DN_E_WINDOWING,
                          "window functions are not allowed in %s",
                          b->clause ? b->clause : "this place"));
    else if (e->distinct)
        DN_IGNORE(DN_FAIL(err, /* the same */
                          DN_E_UNSUPPORTED,
                          "DISTINCT is not implemented for window functions"));
    else if (e->ext->within_group || e->ext->order_by_count > 0)
        DN_IGNORE(DN_FAIL(err, /* the same */
                          DN_E_UNSUPPORTED,
                          "ORDER BY in the call is not supported for window functions"));
    else
        return 0;
    return window_fail(e->pos, err);
}

/* ---- the definition ---- */

/* By its exact spelling if there is one, else in any case; as other names (scope.c). of: what names
 * it; a window of the list sees those before it alone. */
static const struct window_def *
window_named(const struct sel *s, const struct window_def *of, struct dn_err *err)
{
    const struct window_def *found = NULL;
    const char *name = of->ref;
    bool exact = false;
    bool seen = false;  /* of has been passed */
    bool later = false; /* … when it was found */

    for (uint32_t i = 0; i < s->core->windows_count && !exact; i++)
        exact = strcmp(s->core->windows[i].name, name) == 0;
    for (uint32_t i = 0; i < s->core->windows_count; i++) {
        const struct window_def *w = &s->core->windows[i];

        seen = seen || w == of;
        if (exact ? strcmp(w->name, name) != 0
                  : !text_same_fold(w->name, strlen(w->name), name, strlen(name)))
            continue;
        if (found) {
            DN_IGNORE(DN_FAIL(err, DN_E_WINDOWING, "window \"%s\" is already defined", name));
            dn_err_at(err, w->pos); /* the caller returns the code */
            return NULL;
        }
        found = w;
        later = seen;
    }
    if (found && !later) {
        if (s->windows_named)
            s->windows_named[found - s->core->windows] = true;
        return found;
    }
    DN_IGNORE(DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "window \"%s\" does not exist", name));
    dn_err_at(err, of->pos); /* the caller returns the code */
    return NULL;
}

/* A definition with what it takes from the one it is built on. */
static int window_resolve(const struct sel *s,
                          const struct window_def *def,
                          struct window_def *ret,
                          struct dn_err *err)
{
    const struct window_def *base;
    struct window_def from;
    int rc;

    *ret = *def;
    if (!def->ref)
        return 0;
    base = window_named(s, def, err);
    if (!base)
        return err ? err->code : DN_E_UNDEFINED_OBJECT;
    rc = window_resolve(s, base, &from, err);
    if (rc < 0)
        return rc;
    if (def->bare) {
        *ret = from;
        return 0;
    }
    rc =
        def->partition_by_count > 0 ? DN_FAIL(err,
                                              DN_E_WINDOWING,
                                              "cannot override PARTITION BY clause of window "
                                              "\"%s\"",
                                              def->ref)
        : def->order_by_count > 0 && from.order_by_count > 0
            ? DN_FAIL(
                  err, DN_E_WINDOWING, "cannot override ORDER BY clause of window \"%s\"", def->ref)
        : from.mode != FRAME_NONE
            ? DN_FAIL(err,
                      DN_E_WINDOWING,
                      "cannot copy window \"%s\" because it has a frame clause",
                      def->ref)
            : 0;
    if (rc < 0)
        return window_fail(def->pos, err);
    ret->partition_by = from.partition_by;
    ret->partition_by_count = from.partition_by_count;
    if (def->order_by_count == 0) {
        ret->order_by = from.order_by;
        ret->order_by_count = from.order_by_count;
    }
    return 0;
}

static int window_lists(struct binder *b,
                        const struct window_def *def,
                        struct sel_window *ret,
                        struct dn_err *err)
{
    struct arena *arena = b->env->arena;
    int rc = 0;

    *ret = (struct sel_window){.partition = NULL};
    ret->partition =
        arena_alloc_array(arena, (size_t)def->partition_by_count + 1, sizeof(*ret->partition));
    ret->order = arena_alloc_array(arena, (size_t)def->order_by_count + 1, sizeof(*ret->order));
    if (!ret->partition || !ret->order)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < def->partition_by_count; i++) {
        rc = bind_expr(b, def->partition_by[i], &ret->partition[i], err);
        if (rc == 0)
            rc = bind_settle(b, ret->partition[i], &ret->partition[i], err);
        ret->partition_count++;
    }
    for (uint32_t i = 0; rc == 0 && i < def->order_by_count; i++) {
        struct plan_agg_order *o = &ret->order[ret->order_count++];
        struct lkey key;

        rc = select_direction(&def->order_by[i], &key, err);
        if (rc == 0)
            rc = bind_expr(b, def->order_by[i].expr, &o->e, err);
        if (rc == 0)
            rc = bind_settle(b, o->e, &o->e, err);
        o->desc = rc == 0 && key.desc;
        o->nulls_first = rc == 0 && key.nulls_first;
    }
    return rc < 0 ? rc : bind_order_rows(b, &ret->order, &ret->order_count, err);
}

/* ---- frames ---- */

static const char *window_mode(enum frame_mode mode)
{
    return mode == FRAME_ROWS ? "ROWS" : mode == FRAME_RANGE ? "RANGE" : "GROUPS";
}

/* What an offset of RANGE must be, by the type of the one order column; TYPE_NONE: there is none.
 */
static enum type_id window_offset_type(enum type_id order)
{
    if (type_is_int(order))
        return TYPE_BIGINT;
    if (type_is_float(order))
        return TYPE_DOUBLE;
    if (order == TYPE_NUMERIC)
        return TYPE_NUMERIC;
    return type_is_timestamp(order) || order == TYPE_DATE || order == TYPE_TIME ||
                   order == TYPE_TIMESTAMPTZ || order == TYPE_TIMESTAMP_LOCAL ||
                   order == TYPE_INTERVAL
               ? TYPE_INTERVAL
               : TYPE_NONE;
}

static int window_offset(struct binder *b,
                         const struct window_def *def,
                         const struct sel_window *w,
                         const struct expr *e,
                         struct bexpr **ret,
                         struct dn_err *err)
{
    struct binder own = *b;
    enum type_id type = TYPE_BIGINT;
    int rc;

    *ret = NULL;
    if (!e)
        return 0;
    if (def->mode == FRAME_RANGE && w->order_count != 1) {
        DN_IGNORE(DN_FAIL(err, /* returned by window_fail */
                          DN_E_WINDOWING,
                          "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY "
                          "column"));
        return window_fail(def->frame_pos, err);
    }
    if (def->mode == FRAME_RANGE)
        type = window_offset_type(w->order[0].e->type);
    if (type == TYPE_NONE) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s",
                     type_word(w->order[0].e->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    own.scope = NULL; /* the same for all rows */
    own.aggs_allowed = own.windows_allowed = own.sets_allowed = own.in_window = false;
    own.clause = window_mode(def->mode);
    rc = bind_expr(&own, e, ret, err);
    if (rc < 0)
        return rc;
    return bind_coerce(
        &own, *ret, type, (*ret)->type != TYPE_NONE && type_is_number(type), ret, err);
}

static int window_frame(struct binder *b,
                        const struct window_def *def,
                        const struct sel_window *w,
                        struct plan_frame *ret,
                        struct dn_err *err)
{
    static const enum plan_frame_bound bounds[] = {
        [FRAME_UNBOUNDED_PRECEDING] = PLAN_BOUND_UNBOUNDED_PRECEDING,
        [FRAME_PRECEDING] = PLAN_BOUND_PRECEDING,
        [FRAME_CURRENT] = PLAN_BOUND_CURRENT,
        [FRAME_FOLLOWING] = PLAN_BOUND_FOLLOWING,
        [FRAME_UNBOUNDED_FOLLOWING] = PLAN_BOUND_UNBOUNDED_FOLLOWING,
    };
    static const enum plan_frame_exclude excludes[] = {
        [EXCLUDE_NONE] = PLAN_EXCLUDE_NONE,
        [EXCLUDE_CURRENT] = PLAN_EXCLUDE_CURRENT,
        [EXCLUDE_GROUP] = PLAN_EXCLUDE_GROUP,
        [EXCLUDE_TIES] = PLAN_EXCLUDE_TIES,
    };
    int rc;

    *ret = (struct plan_frame){.mode = PLAN_FRAME_RANGE,
                               .start = PLAN_BOUND_UNBOUNDED_PRECEDING,
                               .end = PLAN_BOUND_CURRENT};
    if (def->mode == FRAME_NONE)
        return 0;
    if (def->mode == FRAME_GROUPS && w->order_count == 0) {
        DN_IGNORE(DN_FAIL(err, /* returned by window_fail */
                          DN_E_WINDOWING,
                          "GROUPS mode requires an ORDER BY clause"));
        return window_fail(def->frame_pos, err);
    }
    ret->mode = def->mode == FRAME_ROWS    ? PLAN_FRAME_ROWS
                : def->mode == FRAME_RANGE ? PLAN_FRAME_RANGE
                                           : PLAN_FRAME_GROUPS;
    ret->start = bounds[def->from];
    ret->end = bounds[def->to];
    ret->exclude = excludes[def->excluded];
    rc = window_offset(b, def, w, def->from_value, &ret->start_offset, err);
    if (rc == 0)
        rc = window_offset(b, def, w, def->to_value, &ret->end_offset, err);
    return rc;
}

/* ---- the call ---- */

/* lag(x, n, y): x and y are of one type. */
static int window_unify(struct binder *b,
                        const struct expr *e,
                        struct bexpr **args,
                        enum type_id *types,
                        struct dn_err *err)
{
    struct bexpr *pair[2] = {args[0], args[2]};
    int rc = bind_unify(b, e->name, pair, 2, err);

    if (rc < 0)
        return rc;
    args[0] = pair[0];
    args[2] = pair[1];
    types[0] = pair[0]->type;
    types[2] = pair[1]->type;
    return 0;
}

static int window_function(struct binder *b,
                           const struct expr *e,
                           const char *name,
                           struct plan_window_call *c,
                           struct dn_err *err)
{
    enum type_id types[WINFUNC_ARGS_MAX + 1] = {TYPE_NONE}, casts[WINFUNC_ARGS_MAX + 1];
    int rc = 0;

    if (e->star || e->a) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     e->a ? "FILTER is not implemented for non-aggregate window functions"
                          : "%s(*) is not a window function",
                     name);
        dn_err_at(err, e->pos);
        return rc;
    }
    c->args = arena_alloc_array(b->env->arena, (size_t)e->args_count + 1, sizeof(*c->args));
    if (!c->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++) {
        rc = bind_expr(b, e->args[i], &c->args[i], err);
        if (rc == 0 && i < WINFUNC_ARGS_MAX)
            types[i] = c->args[i]->type;
    }
    if (rc == 0 && e->args_count == 3 && (strcmp(name, "lag") == 0 || strcmp(name, "lead") == 0))
        rc = window_unify(b, e, c->args, types, err);
    if (rc < 0)
        return rc;
    memcpy(casts, types, sizeof(types));
    c->fn = winfunc_find(name, types, e->args_count, casts, &c->type, e->pos, err);
    if (!c->fn)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    c->args_count = e->args_count;
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++)
        rc = casts[i] == TYPE_NONE ? bind_settle(b, c->args[i], &c->args[i], err)
                                   : bind_coerce(b, c->args[i], casts[i], true, &c->args[i], err);
    if (rc == 0 && c->type == TYPE_NONE && c->args_count > 0)
        c->type = c->args[0]->type;
    return rc;
}

static bool window_same(const struct sel_window *a, const struct sel_window *b)
{
    if (a->partition_count != b->partition_count || a->order_count != b->order_count)
        return false;
    for (uint32_t i = 0; i < a->partition_count; i++) {
        if (!bind_same(a->partition[i], b->partition[i]))
            return false;
    }
    for (uint32_t i = 0; i < a->order_count; i++) {
        if (!bind_same(a->order[i].e, b->order[i].e) || a->order[i].desc != b->order[i].desc ||
            a->order[i].nulls_first != b->order[i].nulls_first)
            return false;
    }
    return true;
}

/* Is it the same call over the same window? */
static bool window_same_call(const struct plan_window_call *a, const struct plan_window_call *b)
{
    const struct plan_frame *f = &a->frame, *g = &b->frame;

    if (a->fn != b->fn || a->args_count != b->args_count || !bind_same_arg(a->filter, b->filter) ||
        f->mode != g->mode || f->start != g->start || f->end != g->end ||
        f->exclude != g->exclude || !bind_same_arg(f->start_offset, g->start_offset) ||
        !bind_same_arg(f->end_offset, g->end_offset) || !bind_same_agg(&a->agg, &b->agg))
        return false;
    if ((a->agg.arg && logic_volatile(a->agg.arg)) || (a->agg.arg2 && logic_volatile(a->agg.arg2)))
        return false;
    for (uint32_t i = 0; i < a->args_count; i++) {
        if (!bind_same(a->args[i], b->args[i]) || logic_volatile(a->args[i]))
            return false;
    }
    return true;
}

/* A call that was there before is the one that counts: *call becomes it. */
static int
window_add(struct binder *b, const struct sel_window *w, struct lcall *call, struct dn_err *err)
{
    struct sel *s = b->level;
    struct arena *arena = b->env->arena;
    struct sel_window *to = NULL;

    if (!s->windows)
        s->windows = arena_calloc(arena, WINDOWS_MAX, sizeof(*s->windows));
    if (!s->windows)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s->windows_count && !to; i++)
        to = window_same(&s->windows[i], w) ? &s->windows[i] : NULL;
    if (!to && s->windows_count == WINDOWS_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u different windows", WINDOWS_MAX);
    if (!to) {
        to = &s->windows[s->windows_count++];
        *to = *w;
    }
    for (uint32_t i = 0; i < to->calls_count; i++) {
        if (window_same_call(&to->calls[i].call, &call->call)) {
            *call = to->calls[i];
            return 0;
        }
    }
    if (to->calls_count == to->calls_cap) {
        uint32_t cap = to->calls_cap ? 2 * to->calls_cap : 4;
        struct lcall *more = arena_alloc_array(arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (to->calls_count)
            memcpy(more, to->calls, to->calls_count * sizeof(*more));
        to->calls = more;
        to->calls_cap = cap;
    }
    to->calls[to->calls_count++] = *call;
    return 0;
}

int bind_window_call(struct binder *b,
                     const struct expr *e,
                     const char *name,
                     struct bexpr **ret,
                     struct dn_err *err)
{
    struct lcall call = {.call = {.pos = e->pos}};
    struct window_def def;
    struct sel_window w;
    int rc = window_check(b, e, err);

    if (rc == 0)
        rc = window_resolve(b->level, e->ext->over, &def, err);
    if (rc < 0)
        return rc;
    b->in_window = b->in_lists = true;
    rc = window_lists(b, &def, &w, err);
    b->in_lists = false;
    if (rc == 0)
        rc = window_frame(b, &def, &w, &call.call.frame, err);
    if (rc == 0 && winfunc_name_exists(name)) {
        rc = window_function(b, e, name, &call.call, err);
    } else if (rc == 0 && agg_name_exists(name)) {
        rc = bind_aggregate_args(b, e, name, &call.call.agg, err);
        call.call.type = rc == 0
                             ? agg_result(call.call.agg.agg,
                                          call.call.agg.arg ? call.call.agg.arg->type : TYPE_NONE)
                             : TYPE_NONE;
    } else if (rc == 0) {
        rc = DN_FAIL(err,
                     DN_E_WRONG_OBJECT,
                     "OVER specified, but %s is not a window function nor an aggregate function",
                     e->name);
        dn_err_at(err, e->pos);
    }
    b->in_window = false;
    if (rc < 0)
        return rc;
    call.var = logic_var(b->q, name, call.call.type);
    if (!call.var)
        return DN_FAIL_NOMEM(err);
    if (call.call.args_count > 0)
        logic_set_like(b->q, call.var, call.call.args[0]);
    else if (call.call.agg.arg)
        logic_set_agg(b->q, call.var, &call.call.agg);
    rc = window_add(b, &w, &call, err);
    if (rc < 0)
        return rc;
    *ret = bind_var(b, call.var, e->pos);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* Names are looked for from the first on: nothing is named twice. */
static int windows_twice(const struct sel *s, struct dn_err *err)
{
    for (uint32_t i = 0; i < s->core->windows_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(s->core->windows[i].name, s->core->windows[k].name) == 0) {
                DN_IGNORE(DN_FAIL(err, /* returned by window_fail */
                                  DN_E_WINDOWING,
                                  "window \"%s\" is already defined",
                                  s->core->windows[i].name));
                return window_fail(s->core->windows[i].pos, err);
            }
    return 0;
}

int bind_windows_unused(struct binder *b, struct dn_err *err)
{
    struct sel *s = b->level;
    struct sel_window lists;
    struct plan_frame frame;
    struct window_def def;
    int rc = windows_twice(s, err);

    for (uint32_t i = 0; rc == 0 && i < s->core->windows_count; i++) {
        if (s->windows_named && s->windows_named[i])
            continue;
        rc = window_resolve(s, &s->core->windows[i], &def, err);
        if (rc < 0)
            return rc;
        b->in_window = b->in_lists = true;
        rc = window_lists(b, &def, &lists, err);
        b->in_lists = false;
        if (rc == 0)
            rc = window_frame(b, &def, &lists, &frame, err);
        b->in_window = false;
    }
    return rc;
}
