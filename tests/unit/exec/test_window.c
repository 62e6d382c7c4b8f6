/* SPDX-License-Identifier: Apache-2.0
 *
 * WINDOW against definitions taken word for word, row by row, on random partitions. */
#include "../func/build.h"
#include "func/text.h"
#include "func/winfunc.h"
#include "gen.h"
#include "plan/window.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

/* partition, order, value, double, text, flag */
static const enum type_id types[] = {
    TYPE_VARCHAR, TYPE_INTEGER, TYPE_BIGINT, TYPE_DOUBLE, TYPE_VARCHAR, TYPE_BOOLEAN};
#define COLS  6u
#define CALLS 4u

static void setup(uint64_t seed)
{
    arena_init(&arena, NULL);
    build_init(&arena);
    fake_init(&arena);
    gen_init(&arena, seed);
}

/* ---- what it should be ---- */

struct spot {
    const struct gen_table *t;
    const uint32_t *part; /* rows of the partition, in order */
    uint32_t rows;
    const struct plan_window *w;
    uint32_t group[2048]; /* of each row */
};

static const struct datum *cell(const struct spot *s, uint32_t row, uint32_t col)
{
    return &s->t->data[(size_t)s->part[row] * COLS + col];
}

static int order_cmp(const struct plan_window *w, const struct datum *a, const struct datum *b)
{
    if (w->order_count == 0)
        return 0;
    if (a->null || b->null)
        return a->null && b->null ? 0 : (a->null == w->order[0].nulls_first) ? -1 : 1;
    return w->order[0].desc ? -datum_cmp(a, b) : datum_cmp(a, b);
}

static bool peers(const struct spot *s, uint32_t a, uint32_t b)
{
    return order_cmp(s->w, cell(s, a, 1), cell(s, b, 1)) == 0;
}

/* Groups of peers from row a to row b, signed. */
static int64_t groups_between(const struct spot *s, uint32_t a, uint32_t b)
{
    return (int64_t)s->group[b] - s->group[a];
}

/* Is row j not before the start of row i's frame (not behind its end)? */
static bool
inside(const struct spot *s, const struct plan_frame *f, uint32_t i, uint32_t j, bool start)
{
    enum plan_frame_bound kind = start ? f->start : f->end;
    const struct bexpr *e = start ? f->start_offset : f->end_offset;
    int64_t off = e ? (kind == PLAN_BOUND_PRECEDING ? -e->value.v.i64 : e->value.v.i64) : 0;
    const struct datum *a = cell(s, i, 1);
    const struct datum *b = cell(s, j, 1);
    int64_t diff;

    if (kind == PLAN_BOUND_UNBOUNDED_PRECEDING || kind == PLAN_BOUND_UNBOUNDED_FOLLOWING)
        return true;
    if (f->mode == PLAN_FRAME_ROWS)
        diff = (int64_t)j - i;
    else if (f->mode == PLAN_FRAME_GROUPS || kind == PLAN_BOUND_CURRENT)
        diff = groups_between(s, i, j);
    else if (a->null || b->null) {
        if (a->null && b->null)
            return true;
        return start ? j > i : j < i; /* another value is out of reach */
    } else
        diff = s->w->order[0].desc ? a->v.i64 - b->v.i64 : b->v.i64 - a->v.i64;
    return start ? diff >= off : diff <= off;
}

static bool in_frame(const struct spot *s, const struct plan_frame *f, uint32_t i, uint32_t j)
{
    if (!inside(s, f, i, j, true) || !inside(s, f, i, j, false))
        return false;
    switch (f->exclude) {
    case PLAN_EXCLUDE_NONE:
        return true;
    case PLAN_EXCLUDE_CURRENT:
        return i != j;
    case PLAN_EXCLUDE_GROUP:
        return !peers(s, i, j);
    case PLAN_EXCLUDE_TIES:
        return i == j || !peers(s, i, j);
    }
    return true;
}

static struct datum expect_agg(const struct spot *s, const struct plan_window_call *c, uint32_t i)
{
    const char *name = c->agg.agg->name;
    uint32_t col = c->agg.arg ? c->agg.arg->col : 0;
    struct datum best = build_null(c->type);
    int64_t count = 0;
    int64_t sum = 0;
    long double dsum = 0;

    for (uint32_t j = 0; j < s->rows; j++) {
        const struct datum *d = cell(s, j, col);
        const struct datum *flag = cell(s, j, 5);

        if (!in_frame(s, &c->frame, i, j) || (c->filter && (flag->null || !flag->v.i64)))
            continue;
        if (c->agg.arg && d->null)
            continue;
        count++;
        if (!c->agg.arg)
            continue;
        sum += type_is_int(d->type) ? d->v.i64 : 0;
        dsum += type_is_float(d->type) ? (long double)d->v.f64 : 0;
        if (best.null ||
            (strcmp(name, "min") == 0 ? datum_cmp(d, &best) < 0 : datum_cmp(d, &best) > 0))
            best = *d;
    }
    if (strcmp(name, "count") == 0)
        return build_int(TYPE_BIGINT, count);
    if (count == 0 || strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
        return best;
    if (strcmp(name, "avg") == 0)
        return build_f64((double)((dsum + (long double)sum) / count));
    return c->type == TYPE_DOUBLE ? build_f64((double)dsum) : build_int(TYPE_BIGINT, sum);
}

static struct datum expect_fn(const struct spot *s, const struct plan_window_call *c, uint32_t i)
{
    const char *name = c->fn->name;
    uint32_t col = c->args_count ? c->args[0]->col : 0;
    int64_t arg2 = c->args_count > 1 ? c->args[1]->value.v.i64 : 1;
    uint32_t first = i;
    uint32_t end = i;
    uint32_t hits[4096];
    uint32_t n = 0;

    while (first > 0 && peers(s, first - 1, i))
        first--;
    while (end < s->rows && peers(s, end, i))
        end++;
    for (uint32_t j = 0; j < s->rows; j++)
        if (in_frame(s, &c->frame, i, j))
            hits[n++] = j;
    if (strcmp(name, "row_number") == 0)
        return build_int(TYPE_BIGINT, i + 1);
    if (strcmp(name, "rank") == 0)
        return build_int(TYPE_BIGINT, first + 1);
    if (strcmp(name, "dense_rank") == 0)
        return build_int(TYPE_BIGINT, groups_between(s, 0, i) + 1);
    if (strcmp(name, "percent_rank") == 0)
        return build_f64(s->rows > 1 ? (double)first / (s->rows - 1) : 0);
    if (strcmp(name, "cume_dist") == 0)
        return build_f64((double)end / s->rows);
    if (strcmp(name, "ntile") == 0) {
        int64_t left = i;
        int64_t k = c->args[0]->value.v.i64;

        for (int64_t b = 0; b < k; b++) {
            int64_t size = s->rows / k + (b < s->rows % k);

            if (left < size)
                return build_int(TYPE_BIGINT, b + 1);
            left -= size;
        }
    }
    if (strcmp(name, "lag") == 0 || strcmp(name, "lead") == 0) {
        int64_t to = (int64_t)i + (name[1] == 'a' ? -arg2 : arg2);

        if (to >= 0 && to < s->rows)
            return *cell(s, (uint32_t)to, col);
        return c->args_count > 2 ? *cell(s, i, c->args[2]->col) : build_null(c->type);
    }
    if (strcmp(name, "first_value") == 0)
        return n ? *cell(s, hits[0], col) : build_null(c->type);
    if (strcmp(name, "last_value") == 0)
        return n ? *cell(s, hits[n - 1], col) : build_null(c->type);
    assert_string_equal(name, "nth_value");
    return arg2 <= n ? *cell(s, hits[arg2 - 1], col) : build_null(c->type);
}

/* ---- random calls ---- */

static struct bexpr *offset(void)
{
    return build_const(build_int(TYPE_BIGINT, (int64_t)gen_random(gen_random(3) ? 4 : 60)));
}

static struct plan_frame random_frame(const struct plan_window *w)
{
    struct plan_frame f = {.mode = (enum plan_frame_mode)gen_random(3),
                           .exclude = gen_random(2) ? PLAN_EXCLUDE_NONE
                                                    : (enum plan_frame_exclude)gen_random(4)};

    f.start = (enum plan_frame_bound)gen_random(4); /* not UNBOUNDED FOLLOWING */
    f.end = (enum plan_frame_bound)(f.start + gen_random(5 - f.start));
    if (f.end == PLAN_BOUND_UNBOUNDED_PRECEDING)
        f.end = PLAN_BOUND_CURRENT;
    if (w->order_count == 0 && f.mode == PLAN_FRAME_RANGE) {
        f.start = f.start == PLAN_BOUND_UNBOUNDED_PRECEDING ? f.start : PLAN_BOUND_CURRENT;
        f.end = f.end == PLAN_BOUND_UNBOUNDED_FOLLOWING ? f.end : PLAN_BOUND_CURRENT;
    }
    if (f.start == PLAN_BOUND_PRECEDING || f.start == PLAN_BOUND_FOLLOWING)
        f.start_offset = offset();
    if (f.end == PLAN_BOUND_PRECEDING || f.end == PLAN_BOUND_FOLLOWING)
        f.end_offset = offset();
    return f;
}

static struct plan_window_call random_call(const struct plan_window *w)
{
    static const char *const aggs[] = {"count", "sum", "avg", "min", "max"};
    struct plan_window_call c = {.frame = random_frame(w)};
    uint32_t col = 2 + (uint32_t)gen_random(3);
    struct dn_err err;

    if (gen_random(2)) {
        const char *name = aggs[gen_random(5)];
        bool star = name[0] == 'c' && gen_random(2);

        if (col == 4 && (name[0] == 's' || name[0] == 'a'))
            col = 3;
        c.agg.agg = agg_find(name, star, star ? TYPE_NONE : types[col], 0, &err);
        assert_non_null(c.agg.agg);
        c.agg.arg = star ? NULL : build_col(types[col], col);
        c.filter = gen_random(3) ? NULL : build_col(TYPE_BOOLEAN, 5);
        c.type = c.agg.agg->result == TYPE_NONE ? types[col] : c.agg.agg->result;
        return c;
    }
    do
        c.fn = winfunc_at((uint32_t)gen_random(30));
    while (!c.fn);
    c.args_count = c.fn->args_count;
    c.args = arena_calloc(&arena, 3, sizeof *c.args);
    c.args[0] = build_col(types[col], col);
    c.args[1] = build_const(build_int(TYPE_BIGINT, 1 + (int64_t)gen_random(4)));
    c.args[2] = c.args[0];
    if (c.fn->args_once)
        c.args[0] = c.args[1];
    c.type = c.fn->result == TYPE_NONE ? types[col] : c.fn->result;
    return c;
}

/* ---- comparing ---- */

static const struct gen_table *sort_table;
static const struct plan_window *sort_window;

static int sort_cmp(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    const struct datum *l = sort_table->data + (size_t)x * COLS;
    const struct datum *r = sort_table->data + (size_t)y * COLS;
    int c = l->null || r->null ? (int)l->null - (int)r->null : datum_cmp(l, r);

    if (c == 0 || !sort_window->partition_count)
        c = order_cmp(sort_window, l + 1, r + 1);
    return c ? c : x < y ? -1 : 1;
}

static void same(const struct datum *have, const struct datum *want, const char *what)
{
    double a = have->v.f64;
    double b = want->v.f64;

    if (have->null == want->null &&
        (have->null ||
         (type_is_float(have->type)
              ? a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)) || (isnan(a) && isnan(b))
              : datum_cmp(have, want) == 0)))
        return;
    fail_msg("%s: %s %lld %g %.*s instead of %s %lld %g %.*s",
             what,
             have->null ? "NULL" : "",
             (long long)have->v.i64,
             a,
             type_is_string(have->type) ? (int)have->str.len : 0,
             have->str.ptr,
             want->null ? "NULL" : "",
             (long long)want->v.i64,
             b,
             type_is_string(want->type) ? (int)want->str.len : 0,
             want->str.ptr);
}

/* The rows in order, as a table of their own. */
static struct plan_node *sorted_input(const struct gen_table *t, const uint32_t *order)
{
    uint32_t step = 1 + (uint32_t)gen_random(700);
    struct batch *batches = arena_calloc(&arena, t->rows_count + 1, sizeof *batches);
    uint32_t n = 0;

    for (uint32_t first = 0; first < t->rows_count; first += step) {
        uint32_t count = t->rows_count - first < step ? t->rows_count - first : step;
        struct vec *cols = arena_calloc(&arena, COLS, sizeof *cols);
        struct datum *d = arena_calloc(&arena, count, sizeof *d);

        for (uint32_t c = 0; c < COLS; c++) {
            for (uint32_t i = 0; i < count; i++)
                d[i] = t->data[(size_t)order[first + i] * COLS + c];
            cols[c] = c % 2 ? build_vec(types[c], d, count) : build_dict(types[c], d, count);
        }
        batches[n++] =
            (struct batch){.count = count, .cols_count = COLS, .cols = cols, .sel_count = count};
    }
    return fake_scan_of(types, COLS, batches, n);
}

static void check(struct op *op,
                  const struct gen_table *t,
                  const uint32_t *order,
                  const struct plan_window *w,
                  uint64_t seed)
{
    struct spot s = {.t = t, .w = w};
    uint32_t part = 0;
    uint32_t at = 0;
    struct batch in;
    struct dn_err err;
    int rc;

    dn_err_clear(&err);
    while ((rc = exec_next(op, &in, &err)) == 0)
        for (uint32_t i = 0; i < in.sel_count; i++, at++) {
            uint32_t row = in.sel ? in.sel[i] : i;

            if (at == part + s.rows) {
                part = at;
                s.part = order + part;
                s.rows = 1;
                while (part + s.rows < t->rows_count &&
                       (!w->partition_count ||
                        (cell(&s, 0, 0)->null == cell(&s, s.rows, 0)->null &&
                         (cell(&s, 0, 0)->null ||
                          datum_cmp(cell(&s, 0, 0), cell(&s, s.rows, 0)) == 0))))
                    s.rows++;
                for (uint32_t k = 1; k < s.rows; k++)
                    s.group[k] = s.group[k - 1] + !peers(&s, k - 1, k);
            }
            for (uint32_t c = 0; c < COLS + w->calls_count; c++) {
                struct datum have = vec_datum(&in.cols[c], row);
                struct datum want = c < COLS ? *cell(&s, at - part, c)
                                    : w->calls[c - COLS].fn
                                        ? expect_fn(&s, &w->calls[c - COLS], at - part)
                                        : expect_agg(&s, &w->calls[c - COLS], at - part);
                char what[160];

                snprintf(what,
                         sizeof what,
                         "seed %llu row %u of %u, column %u (%s mode %d %d..%d exclude %d)",
                         (unsigned long long)seed,
                         at - part,
                         s.rows,
                         c,
                         c < COLS                ? "input"
                         : w->calls[c - COLS].fn ? w->calls[c - COLS].fn->name
                                                 : w->calls[c - COLS].agg.agg->name,
                         c < COLS ? 0 : (int)w->calls[c - COLS].frame.mode,
                         c < COLS ? 0 : (int)w->calls[c - COLS].frame.start,
                         c < COLS ? 0 : (int)w->calls[c - COLS].frame.end,
                         c < COLS ? 0 : (int)w->calls[c - COLS].frame.exclude);
                same(&have, &want, what);
            }
        }
    if (rc != DN_EOF)
        fail_msg("%s", err.text);
    assert_int_equal(at, t->rows_count);
}

static uint32_t streamed; /* tight ones whose rows went on before their partition was whole */
/* tight: with next to no memory, which partitions of thousands of rows notice if they are gathered.
 */
static void random_window(uint64_t seed, bool tight)
{
    static const uint32_t sizes[] = {0, 1, 5, 40, 130, 1300};
    static uint32_t partition_col = 0;
    uint32_t rows = tight ? 1025 + (uint32_t)gen_random(900) : sizes[gen_random(6)];
    struct gen_table *t = gen_table(types, COLS, rows, gen_random(4) > 0);
    uint32_t *order = arena_alloc_array(&arena, rows + 1, sizeof *order);
    struct plan_sort_key key = {.col = 1, .desc = gen_random(2), .nulls_first = gen_random(2)};
    struct plan_window_call calls[CALLS];
    struct plan_window w = {.partition = &partition_col,
                            .partition_count = !tight && (rows > 1000 || gen_random(3) > 0),
                            .order = &key,
                            .order_count = gen_random(4) > 0,
                            .calls = calls,
                            .calls_count = 1 + (uint32_t)gen_random(tight ? 2 : CALLS)};
    struct plan plan = {0};
    struct mem_owner owner;
    struct fake_tight little;
    struct exec_ctx ctx = {.owner = &owner};
    struct settings settings = {.fast_paths = gen_random(4) > 0};
    enum type_id out[COLS + CALLS];
    struct op *op = NULL;
    struct dn_err err;

    if (tight) {
        fake_tight_open(&little);
        ctx = fake_tight_ctx(&little);
    }
    ctx.env.settings = &settings;
    for (uint32_t i = 0; i < w.calls_count; i++)
        calls[i] = random_call(&w);
    for (uint32_t i = 0; i < rows; i++)
        order[i] = i;
    sort_table = t;
    sort_window = &w;
    qsort(order, rows, sizeof *order, sort_cmp);
    plan.root = fake_node(PLAN_WINDOW, sorted_input(t, order));
    plan.root->window = &w;
    for (uint32_t c = 0; c < COLS + w.calls_count; c++)
        out[c] = c < COLS ? types[c] : calls[c - COLS].type;
    fake_cols(plan.root, out, COLS + w.calls_count);
    mem_owner_init(&owner, "statement", NULL, 0);
    dn_err_clear(&err);
    if (exec_open(&plan, &ctx, &op, &err) < 0)
        fail_msg("%s", err.text);
    check(op, t, order, &w, seed);
    assert_true(!tight || settings.fast_paths || op->spilled > 0);
    streamed += tight && op->spilled == 0;
    exec_close(op);
    assert_int_equal(mem_owner_used(&owner), 0);
    if (tight)
        fake_tight_close(&little);
}

static void run_seeds(uint64_t count, bool tight)
{
    const char *given = getenv("DENDRO_TEST_SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + (given ? 1 : count); seed++) {
        setup(seed);
        random_window(seed, tight);
        arena_done(&arena);
    }
}

static void test_random(void **state)
{
    (void)state;
    run_seeds(100, false);
    run_seeds(25, true);
    assert_true(getenv("DENDRO_TEST_SEED") || streamed > 1);
}

/* ---- examples of the descriptors ---- */

/* "lag(x, 2, 0)": x is the column, all else are numbers. */
static void example_args(const char *text, struct plan_window_call *c, struct bexpr *x)
{
    const char *at = strchr(text, '(') + 1;

    c->args = arena_calloc(&arena, 3, sizeof *c->args);
    while (*at != ')') {
        if (*at == 'x')
            c->args[c->args_count++] = x;
        else if (*at >= '0' && *at <= '9')
            c->args[c->args_count++] = build_const(build_int(TYPE_BIGINT, *at - '0'));
        at++;
    }
}

static void test_examples(void **state)
{
    static const enum type_id one[] = {TYPE_BIGINT};
    static const int64_t xs[] = {10, 20, 20, 40};
    const struct winfunc *fn;

    (void)state;
    for (uint32_t i = 0; (fn = winfunc_at(i)); i++) {
        struct plan_sort_key key = {.col = 0};
        struct plan_window_call call = {.fn = fn,
                                        .frame = {.mode = PLAN_FRAME_RANGE,
                                                  .start = PLAN_BOUND_UNBOUNDED_PRECEDING,
                                                  .end = PLAN_BOUND_CURRENT}};
        struct plan_window w = {.order = &key, .order_count = 1, .calls = &call, .calls_count = 1};
        struct plan_node *values;
        struct plan_node *n;
        struct plan_node *project;
        char want[200] = "";
        const char *from;
        size_t len = 0;

        setup(1);
        values = fake_node(PLAN_VALUES, NULL);
        fake_cols(values, one, 1);
        values->rows_count = 4;
        values->values = arena_calloc(&arena, 4, sizeof *values->values);
        for (uint32_t k = 0; k < 4; k++)
            values->values[k] = build_const(build_int(TYPE_BIGINT, xs[k]));
        example_args(fn->example, &call, build_col(TYPE_BIGINT, 0));
        assert_int_equal(call.args_count, fn->args_count);
        call.type = fn->result == TYPE_NONE ? TYPE_BIGINT : fn->result;
        n = fake_node(PLAN_WINDOW, values);
        n->window = &w;
        fake_cols(n, (const enum type_id[]){TYPE_BIGINT, call.type}, 2);
        project = fake_node(PLAN_PROJECT, n);
        project->exprs = fake_list(build_col(call.type, 1), NULL, NULL);
        project->exprs_count = 1;
        fake_cols(project, &call.type, 1);
        from = strchr(fn->example, '=') + 2;
        for (; *from; from++)
            if (*from != ' ')
                want[len++] = *from == ',' ? ';' : *from;
        want[len] = ';';
        fake_check(project, want);
        arena_done(&arena);
    }
}

static void check_error(struct plan_window_call *call, int code, const char *text)
{
    static const enum type_id one[] = {TYPE_BIGINT};
    struct plan_sort_key key = {.col = 0};
    struct plan_window w = {.order = &key, .order_count = 1, .calls = call, .calls_count = 1};
    struct plan_node *n;
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    n = fake_node(PLAN_VALUES, NULL);
    fake_cols(n, one, 1);
    n->rows_count = 1;
    n->values = fake_list(build_const(build_int(TYPE_BIGINT, 1)), NULL, NULL);
    n = fake_node(PLAN_WINDOW, n);
    n->window = &w;
    fake_cols(n, (const enum type_id[]){TYPE_BIGINT, TYPE_BIGINT}, 2);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    assert_int_equal(fake_run(n, &ctx, &b, &err), code);
    assert_string_equal(err.text, text);
    buf_done(&b);
}

static void test_errors(void **state)
{
    struct plan_window_call call = {.type = TYPE_BIGINT};
    struct dn_err err;
    enum type_id casts[3];
    enum type_id result;
    const enum type_id text[] = {TYPE_VARCHAR};

    (void)state;
    setup(1);
    call.fn =
        winfunc_find("NTILE", (const enum type_id[]){TYPE_INTEGER}, 1, casts, &result, 0, &err);
    assert_non_null(call.fn);
    assert_int_equal(casts[0], TYPE_BIGINT);
    assert_int_equal(result, TYPE_BIGINT);
    call.args = fake_list(build_const(build_int(TYPE_BIGINT, 0)), NULL, NULL);
    call.args_count = 1;
    check_error(&call, DN_E_BAD_NTILE, "argument of ntile must be greater than zero");

    call = (struct plan_window_call){.type = TYPE_BIGINT,
                                     .fn = winfunc_at(0),
                                     .frame = {.mode = PLAN_FRAME_ROWS,
                                               .start = PLAN_BOUND_PRECEDING,
                                               .end = PLAN_BOUND_CURRENT}};
    call.frame.start_offset = build_const(build_int(TYPE_BIGINT, -1));
    check_error(&call, DN_E_BAD_FRAME, "frame starting offset must not be negative");
    call.frame.start_offset = build_const(build_null(TYPE_BIGINT));
    check_error(&call, DN_E_NULL_VALUE, "frame starting offset must not be null");
    assert_null(winfunc_find("ntile", text, 1, casts, &result, 5, &err));
    assert_string_equal(err.text, "window function ntile(text) does not exist");
    assert_int_equal(err.position, 5);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
