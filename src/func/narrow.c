/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow.c: see narrow.h. A comparison is brought to the form
 *
 *     factor * column + factor * column + … + constant  OP  0
 *
 * whose constant moves to the other side and becomes an integer, the limit, once the exponent of
 * the columns is known. NOT goes down to the comparisons, which leave out NULL rows in either way.
 */
#include "func/narrow.h"

#include "func/func_int.h"
#include "func/narrow_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROW_FACTOR_MAX   1000
#define NARROW_SHIFT_MAX    3u      /* decimals that columns of one comparison may differ by */
#define NARROW_CONST_MAX    0x1p40  /* of constants in sums */
#define NARROW_DOUBT        0x1p-10 /* of the last decimal: more than rounding can make of a sum */
#define NARROW_MARGIN       0x1p-40 /* the same of what bounds make, as a part of all terms */
#define NARROW_WEIGHT_MAX   0x1p36 /* of terms, in last decimals, where rounding stays below that */
#define NARROW_DOUBTS_MAX   64u    /* rows that are computed as DOUBLEs; more are not worth it */
#define NARROW_EXPONENT_MAX 18u

/* By operator: its opposite, and what it is with its sides exchanged. */
static const enum narrow_op narrow_opposite[] = {
    NARROW_NE, NARROW_EQ, NARROW_GE, NARROW_GT, NARROW_LE, NARROW_LT};
static const enum narrow_op narrow_mirror[] = {
    NARROW_EQ, NARROW_NE, NARROW_GT, NARROW_GE, NARROW_LT, NARROW_LE};

struct narrow_term {
    uint32_t col;
    int32_t factor;
    int32_t reach; /* the same without signs: what a part of the expression may have, (a + a) - a */
};

struct narrow_form {
    enum type_id type;
    bool sum;  /* made by arithmetic, not two sides as they are */
    bool half; /* a constant is no whole number */
    uint32_t count;
    struct narrow_term terms[NARROW_TERMS_MAX];
    double constant;
    double weight; /* of all constants, without their signs */
};

/* What a condition is compiled with. */
struct narrow_plan {
    const struct datum *params;
    uint32_t params_count;
    struct arena *arena;
};

struct narrow {
    enum bexpr_kind kind;  /* AND, OR; CALL: a comparison, which has the rest but args */
    const struct bexpr *e; /* as it was written, but for NOT: */
    enum narrow_op asked;  /* its operator */
    enum narrow_op op;     /* of the form with 0 */
    const struct narrow_form *form;
    struct narrow_plan plan;
    const struct narrow **args;
    uint32_t args_count;
};

/* ---- compiling ---- */

static bool narrow_type(enum type_id type)
{
    return type == TYPE_SMALLINT || type == TYPE_INTEGER || type == TYPE_BIGINT ||
           type == TYPE_REAL || type == TYPE_DOUBLE;
}

/* The value of a constant as a DOUBLE that it equals. */
static bool narrow_const(const struct narrow_plan *p, const struct bexpr *e, double *ret)
{
    const struct datum *d = &e->value;

    if (e->kind == BEXPR_PARAM && p->params && e->param <= p->params_count)
        d = &p->params[e->param - 1];
    else if (e->kind != BEXPR_CONST)
        return false;
    if (d->null || d->type != e->type)
        return false;
    *ret = type_is_float(e->type) ? d->v.f64 : (double)d->v.i64;
    return isfinite(*ret) && fabs(*ret) <= NARROW_CONST_MAX;
}

static bool narrow_put_col(struct narrow_form *f, uint32_t col, int32_t factor)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->terms[i].col == col) {
            f->terms[i].factor += factor;
            f->terms[i].reach += abs(factor);
            return true;
        }
    if (f->count == NARROW_TERMS_MAX)
        return false;
    f->terms[f->count++] = (struct narrow_term){.col = col, .factor = factor, .reach = abs(factor)};
    return true;
}

static bool narrow_put(const struct narrow_plan *p,
                       struct narrow_form *f,
                       const struct bexpr *e,
                       int32_t factor);

/* A product with a small whole number. */
static bool narrow_put_product(const struct narrow_plan *p,
                               struct narrow_form *f,
                               const struct bexpr *e,
                               int32_t factor)
{
    for (uint32_t i = 0; i < 2; i++) {
        double c;

        if (e->args[i]->type != f->type || !narrow_const(p, e->args[i], &c))
            continue;
        if (c != trunc(c) || c == 0 || fabs(c * factor) > NARROW_FACTOR_MAX)
            return false;
        return narrow_put(p, f, e->args[1 - i], factor * (int32_t)c);
    }
    return false;
}

static bool narrow_put_call(const struct narrow_plan *p,
                            struct narrow_form *f,
                            const struct bexpr *e,
                            int32_t factor)
{
    const char *name = e->func->name;

    f->sum = true;
    if (!(e->func->flags & FUNC_OPERATOR) || strlen(name) != 1)
        return false;
    if (e->args_count == 1)
        return name[0] == '-' && narrow_put(p, f, e->args[0], -factor);
    if (name[0] == '*')
        return narrow_put_product(p, f, e, factor);
    if (name[0] != '+' && name[0] != '-')
        return false;
    return narrow_put(p, f, e->args[0], factor) &&
           narrow_put(p, f, e->args[1], name[0] == '+' ? factor : -factor);
}

static bool narrow_put(const struct narrow_plan *p,
                       struct narrow_form *f,
                       const struct bexpr *e,
                       int32_t factor)
{
    double c;

    if (e->type != f->type)
        return false;
    if (e->kind == BEXPR_COLUMN)
        return narrow_put_col(f, e->col, factor);
    if (e->kind == BEXPR_CALL)
        return (e->args_count == 1 || e->args_count == 2) && narrow_put_call(p, f, e, factor);
    if (!narrow_const(p, e, &c))
        return false;
    f->half |= c != trunc(c);
    f->constant += factor * c;
    f->weight += fabs(factor * c);
    return true;
}

static bool narrow_op_of(const char *name, enum narrow_op *ret)
{
    static const char *const names[] = {"=", "<>", "<", "<=", ">", ">="};

    for (unsigned i = 0; i < DN_ARRAY_SIZE(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = (enum narrow_op)i;
            return true;
        }
    return false;
}

static int narrow_put_compare(const struct narrow_plan *p,
                              const struct bexpr *e,
                              bool negated,
                              const struct narrow **ret,
                              struct dn_err *err)
{
    struct narrow_form form = {.count = 0};
    enum narrow_op asked;
    enum narrow_op op;
    struct narrow_form *f;
    struct narrow *n;

    if (!(e->func->flags & FUNC_OPERATOR) || e->args_count != 2 ||
        !narrow_op_of(e->func->name, &op) || !narrow_type(e->args[0]->type))
        return 0;
    if (negated)
        op = narrow_opposite[op];
    asked = op;
    form.type = e->args[0]->type;
    if (!narrow_put(p, &form, e->args[0], 1) || !narrow_put(p, &form, e->args[1], -1) ||
        form.count == 0)
        return 0;
    if (form.sum && form.type == TYPE_REAL)
        return 0;
    if (form.terms[0].factor < 0) { /* so that both halves of a BETWEEN are of one form */
        op = narrow_mirror[op];
        form.constant = -form.constant;
        for (uint32_t i = 0; i < form.count; i++)
            form.terms[i].factor = -form.terms[i].factor;
    }
    f = arena_dup(p->arena, &form, sizeof form);
    n = arena_calloc(p->arena, 1, sizeof *n);
    if (!f || !n)
        return DN_FAIL_NOMEM(err);
    *n = (struct narrow){
        .kind = BEXPR_CALL, .e = e, .asked = asked, .op = op, .form = f, .plan = *p};
    *ret = n;
    return 0;
}

static int narrow_node(const struct narrow_plan *p,
                       const struct bexpr *e,
                       bool negated,
                       const struct narrow **ret,
                       struct dn_err *err)
{
    struct narrow *n;

    *ret = NULL;
    if (e->kind == BEXPR_CALL && strcmp(e->func->name, "not") == 0)
        return narrow_node(p, e->args[0], !negated, ret, err);
    if (e->kind == BEXPR_CALL)
        return narrow_put_compare(p, e, negated, ret, err);
    if (e->kind != BEXPR_AND && e->kind != BEXPR_OR)
        return 0;
    n = arena_calloc(p->arena, 1, sizeof *n);
    if (!n)
        return DN_FAIL_NOMEM(err);
    n->kind = (e->kind == BEXPR_AND) != negated ? BEXPR_AND : BEXPR_OR;
    n->args_count = e->args_count;
    n->args = arena_calloc(p->arena, e->args_count, sizeof(struct narrow *));
    if (!n->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < e->args_count; i++) {
        int rc = narrow_node(p, e->args[i], negated, &n->args[i], err);

        if (rc < 0 || !n->args[i])
            return rc;
    }
    *ret = n;
    return 0;
}

int narrow_compile(const struct bexpr *e,
                   const struct datum *params,
                   uint32_t params_count,
                   struct arena *arena,
                   const struct narrow **ret,
                   struct dn_err *err)
{
    const struct narrow_plan p = {.params = params, .params_count = params_count, .arena = arena};

    return narrow_node(&p, e, false, ret, err);
}

/* ---- answers ---- */

/* A comparison over the rows at hand. */
struct narrow_work {
    const struct narrow *n;
    const struct narrow_form *form;
    const struct narrow_source *source;
    uint32_t count;
    struct narrow_range ranges[NARROW_TERMS_MAX];
    struct narrow_col cols[NARROW_TERMS_MAX];
    bool fixed[NARROW_TERMS_MAX];      /* the same value in all rows: a constant */
    int32_t factors[NARROW_TERMS_MAX]; /* of the integers of the others */
    uint32_t moving;                   /* how many others there are */
    double constant;                   /* with the fixed ones */
    double weight;                     /* no part of the sum is greater */
    bool half;                         /* some constant is no whole number */
    unsigned exponent;                 /* of the sum */
    enum narrow_op op;                 /* sum op limit */
    int64_t limit;
    bool hit;   /* the sum may equal what is compared with; else that lies below the limit */
    bool doubt; /* then DOUBLEs have to say which is greater */
};

static const double narrow_tens[NARROW_EXPONENT_MAX + 1] = {1e0,
                                                            1e1,
                                                            1e2,
                                                            1e3,
                                                            1e4,
                                                            1e5,
                                                            1e6,
                                                            1e7,
                                                            1e8,
                                                            1e9,
                                                            1e10,
                                                            1e11,
                                                            1e12,
                                                            1e13,
                                                            1e14,
                                                            1e15,
                                                            1e16,
                                                            1e17,
                                                            1e18};

static double narrow_value(enum type_id type, int64_t n, unsigned exponent)
{
    double v = (double)n / narrow_tens[exponent];
    volatile float f; /* gcc 12 forgets to round where it works on two of them at a time */

    if (type != TYPE_REAL)
        return v;
    f = (float)v;
    return (double)f;
}

/* May it be computed in its type without leaving it? */
static bool narrow_stays(const struct narrow_work *w)
{
    if (!isfinite(w->weight))
        return false;
    if (!w->form->sum)
        return true;
    if (w->form->type == TYPE_SMALLINT)
        return w->weight <= INT16_MAX;
    return w->form->type == TYPE_INTEGER ? w->weight <= INT32_MAX : w->weight <= 0x1p52;
}

/* Is sum op 0 for all sums of that sign? */
static bool narrow_of_sign(enum narrow_op op, bool above)
{
    switch (op) {
    case NARROW_EQ:
        return false;
    case NARROW_NE:
        return true;
    case NARROW_LT:
    case NARROW_LE:
        return !above;
    case NARROW_GT:
    case NARROW_GE:
        return above;
    }
    return false;
}

/* What bounds say. 1: the answers are there. */
static int narrow_by_ranges(struct narrow_work *w, int8_t *ret)
{
    const struct narrow_form *f = w->form;
    double lo = f->constant;
    double hi = f->constant;
    bool nulls = false;

    w->weight = f->weight;
    w->constant = f->constant;
    w->half = f->half;
    for (uint32_t i = 0; i < f->count; i++) {
        struct narrow_range *r = &w->ranges[i];
        double factor = f->terms[i].factor;

        if (!w->source->range(w->source->arg, f->terms[i].col, r))
            return DN_NOT_FOUND;
        lo += factor * (factor < 0 ? r->max : r->min);
        hi += factor * (factor < 0 ? r->min : r->max);
        w->weight += f->terms[i].reach * fmax(fabs(r->min), fabs(r->max));
        nulls |= r->nulls;
        w->fixed[i] = r->min == r->max && !r->nulls;
        if (!w->fixed[i]) {
            w->moving++;
            continue;
        }
        w->constant += factor * r->min;
        w->half |= r->min != trunc(r->min);
    }
    if (!narrow_stays(w))
        return DN_NOT_FOUND;
    if (!nulls && (lo > w->weight * NARROW_MARGIN || hi < -w->weight * NARROW_MARGIN)) {
        memset(ret, narrow_of_sign(w->op, lo > 0), w->count);
        return 1;
    }
    return w->moving ? 0 : DN_NOT_FOUND;
}

/* The columns, their factors over a common power of ten, and whether the sum fits. */
static int narrow_load(struct narrow_work *w, struct dn_err *err)
{
    const struct narrow_form *f = w->form;
    int64_t lo = 0;
    int64_t hi = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        int rc;

        if (w->fixed[i])
            continue;
        rc = w->source->load(w->source->arg, f->terms[i].col, &w->cols[i], err);
        if (rc != 0)
            return rc;
        DN_ASSERT(w->cols[i].exponent <= NARROW_EXPONENT_MAX);
        w->exponent = w->cols[i].exponent > w->exponent ? w->cols[i].exponent : w->exponent;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        const struct narrow_col *c = &w->cols[i];
        int64_t factor = f->terms[i].factor;

        if (w->fixed[i])
            continue;
        if (w->exponent - c->exponent > NARROW_SHIFT_MAX)
            return DN_NOT_FOUND;
        factor *= (int64_t)narrow_tens[w->exponent - c->exponent];
        if (factor != (int16_t)factor)
            return DN_NOT_FOUND;
        w->factors[i] = (int32_t)factor;
        lo += factor * (factor < 0 ? c->hi : c->lo);
        hi += factor * (factor < 0 ? c->lo : c->hi);
    }
    return lo >= INT16_MIN && hi <= INT16_MAX ? 0 : DN_NOT_FOUND;
}

/* One column and a constant, as they are: the least integer whose value is not below it. */
static void narrow_limit_value(struct narrow_work *w)
{
    const struct narrow_form *f = w->form;
    double far = 2.0 * INT16_MAX;
    double guess;
    double c = -w->constant;
    int64_t n;

    for (uint32_t i = 0; i < f->count; i++)
        if (!w->fixed[i] && w->factors[i] < 0) {
            w->op = narrow_mirror[w->op];
            c = -c;
            w->factors[i] = -w->factors[i];
        }
    guess = floor(c * narrow_tens[w->exponent]);
    guess = fmax(fmin(guess, far), -far);
    n = (int64_t)guess - 2;
    while (n < (int64_t)guess + 2 && narrow_value(f->type, n, w->exponent) < c)
        n++;
    w->limit = n;
    w->hit = narrow_value(f->type, n, w->exponent) == c;
}

/* What the sum of integers is compared with. */
static int narrow_limit(struct narrow_work *w)
{
    double t = -w->constant * narrow_tens[w->exponent];
    double near = rint(t);

    if (!w->form->sum && w->moving == 1) {
        narrow_limit_value(w);
        return 0;
    }
    w->hit = true;
    w->limit = (int64_t)near;
    if (!w->form->sum || (w->exponent == 0 && !w->half))
        return 0;
    if (w->weight * narrow_tens[w->exponent] > NARROW_WEIGHT_MAX)
        return DN_NOT_FOUND;
    w->hit = fabs(t - near) <= NARROW_DOUBT;
    w->doubt = w->hit;
    if (!w->hit)
        w->limit = (int64_t)ceil(t);
    return 0;
}

static bool narrow_same_terms(const struct narrow_form *a, const struct narrow_form *b)
{
    return a->count == b->count && memcmp(a->terms, b->terms, a->count * sizeof a->terms[0]) == 0;
}

/* The sums of the integers. */
static const int16_t *narrow_sums(const struct narrow_work *w, struct narrow_room *room)
{
    const int16_t *first = NULL;
    int32_t first_factor = 0;
    bool begun = false;

    if (w->moving > 1 && room->form && narrow_same_terms(room->form, w->form))
        return room->sums;
    room->form = NULL;
    for (uint32_t i = 0; i < w->form->count; i++) {
        const int16_t *v = w->cols[i].values;
        int16_t factor = (int16_t)w->factors[i];

        if (w->fixed[i])
            continue;
        if (begun) {
            narrow_loop_add(v, factor, room->sums, w->count);
        } else if (!first) {
            first = v;
            first_factor = factor;
        } else if (first_factor == 1 && factor == -1) {
            narrow_loop_minus(first, v, room->sums, w->count);
            begun = true;
        } else if (first_factor == 1 && factor == 1) {
            narrow_loop_plus(first, v, room->sums, w->count);
            begun = true;
        } else {
            narrow_loop_start(first, (int16_t)first_factor, room->sums, w->count);
            narrow_loop_add(v, factor, room->sums, w->count);
            begun = true;
        }
    }
    if (!begun && first_factor == 1)
        return first;
    if (!begun)
        narrow_loop_start(first, (int16_t)first_factor, room->sums, w->count);
    room->form = w->form;
    return room->sums;
}

/* sums op limit, where the limit may be any number. */
static void narrow_decide(const struct narrow_work *w, const int16_t *sums, int8_t *ret)
{
    enum narrow_op op = w->op;

    if (w->limit > INT16_MAX || w->limit < INT16_MIN) {
        memset(ret, narrow_of_sign(op, w->limit < 0), w->count);
        return;
    }
    if (!w->hit && (op == NARROW_EQ || op == NARROW_NE)) {
        memset(ret, op == NARROW_NE, w->count);
        return;
    }
    if (!w->hit) /* below the limit and above the integer before it */
        op = op == NARROW_LT || op == NARROW_LE ? NARROW_LT : NARROW_GE;
    narrow_loop_compare(sums, op, (int16_t)w->limit, ret, w->count);
}

/* An expression of a row as DOUBLEs. */
static double narrow_row(const struct narrow_work *w, const struct bexpr *e, uint32_t row)
{
    double a = 0;
    double b;

    if (e->kind == BEXPR_COLUMN) {
        uint32_t i = 0;

        while (w->form->terms[i].col != e->col)
            i++;
        return w->fixed[i] ? w->ranges[i].min
                           : narrow_value(TYPE_DOUBLE, w->cols[i].values[row], w->cols[i].exponent);
    }
    if (e->kind != BEXPR_CALL) {
        return narrow_const(&w->n->plan, e, &a) ? a : 0;
    }
    a = narrow_row(w, e->args[0], row);
    if (e->args_count == 1)
        return -a;
    b = narrow_row(w, e->args[1], row);
    switch (e->func->name[0]) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    default:
        return a * b;
    }
}

static bool narrow_row_answer(const struct narrow_work *w, uint32_t row)
{
    double a = narrow_row(w, w->n->e->args[0], row);
    double b = narrow_row(w, w->n->e->args[1], row);

    switch (w->n->asked) {
    case NARROW_EQ:
        return a == b;
    case NARROW_NE:
        return a != b;
    case NARROW_LT:
        return a < b;
    case NARROW_LE:
        return a <= b;
    case NARROW_GT:
        return a > b;
    case NARROW_GE:
        return a >= b;
    }
    return false;
}

/* Rows whose sum equals the constant, but for what rounding makes of it. */
static int narrow_settle(const struct narrow_work *w, const int16_t *sums, int8_t *ret)
{
    int8_t equal[VEC_ROWS_MAX];
    const int8_t *at = equal;
    const int8_t *end = equal + w->count;
    uint32_t found = 0;

    if (w->limit > INT16_MAX || w->limit < INT16_MIN)
        return 0;
    narrow_loop_compare(sums, NARROW_EQ, (int16_t)w->limit, equal, w->count);
    while ((at = memchr(at, 1, (size_t)(end - at)))) {
        uint32_t row = (uint32_t)(at++ - equal);

        if (++found > NARROW_DOUBTS_MAX)
            return DN_NOT_FOUND;
        ret[row] = narrow_row_answer(w, row);
    }
    return 0;
}

static int narrow_answer_compare(const struct narrow *n,
                                 const struct narrow_source *source,
                                 uint32_t count,
                                 struct narrow_room *room,
                                 int8_t *ret,
                                 struct dn_err *err)
{
    struct narrow_work w = {.n = n, .form = n->form, .source = source, .count = count, .op = n->op};
    const int16_t *sums;
    int rc = narrow_by_ranges(&w, ret);

    if (rc == 1)
        return 0;
    if (rc == 0)
        rc = narrow_load(&w, err);
    if (rc == 0)
        rc = narrow_limit(&w);
    if (rc != 0)
        return rc;
    sums = narrow_sums(&w, room);
    narrow_decide(&w, sums, ret);
    if (w.doubt)
        rc = narrow_settle(&w, sums, ret);
    for (uint32_t i = 0; i < w.form->count; i++)
        if (!w.fixed[i] && w.cols[i].nulls)
            narrow_loop_nulls(w.cols[i].nulls, ret, count);
    return rc;
}

int narrow_answer(const struct narrow *n,
                  const struct narrow_source *source,
                  uint32_t count,
                  struct arena *arena,
                  struct narrow_room *room,
                  int8_t ret[VEC_ROWS_MAX],
                  struct dn_err *err)
{
    int8_t *one;
    int rc;

    if (n->kind == BEXPR_CALL)
        return narrow_answer_compare(n, source, count, room, ret, err);
    one = arena_alloc(arena, VEC_ROWS_MAX);
    if (!one)
        return DN_FAIL_NOMEM(err);
    rc = narrow_answer(n->args[0], source, count, arena, room, ret, err);
    for (uint32_t i = 1; i < n->args_count && rc == 0; i++) {
        if (!memchr(ret, n->kind == BEXPR_AND, count))
            break;
        rc = narrow_answer(n->args[i], source, count, arena, room, one, err);
        if (rc == 0 && n->kind == BEXPR_AND)
            narrow_loop_and(ret, one, count);
        else if (rc == 0)
            narrow_loop_or(ret, one, count);
    }
    return rc;
}
