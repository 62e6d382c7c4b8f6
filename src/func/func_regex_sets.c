/* SPDX-License-Identifier: Apache-2.0
 *
 * func_regex_sets.c: functions of regular expressions that give several texts: as an array
 * (regexp_match, regexp_split_to_array) or as rows (regexp_matches, regexp_split_to_table). All
 * matches are found first, then told one by one. */
#include "func/func_array.h"
#include "func/func_int.h"
#include "func/regex.h"
#include "func/str_int.h"

#define VARCHAR_ARRAY ((enum type_id)(TYPE_VARCHAR | TYPE_ARRAY))

/* Matches of a text: `width` spans each, the whole one first, then its groups. */
struct rx_found {
    struct vstr s;
    struct regex_span *v;
    uint32_t n;
    uint32_t cap;
    uint32_t width;
};

enum rx_want { RX_FIRST, RX_ALL, RX_SPLIT };

struct rx_task {
    struct arena *arena;
    struct vstr s;
    struct vstr pattern;
    struct vstr letters; /* flags */
    const char *name;
    const char *other; /* the function that takes the flag g; NULL: this one does, or none */
    enum rx_want want;
    const atomic_bool *cancel; /* NULL = never */
};

static bool rx_found_add(struct arena *arena, struct rx_found *f, const struct regex_span *m)
{
    if (f->n == f->cap) {
        uint32_t cap = f->cap ? 2 * f->cap : 4;
        struct regex_span *more = arena_alloc_array(arena, cap, f->width * sizeof *more);

        if (!more)
            return false;
        if (f->n)
            memcpy(more, f->v, (size_t)f->n * f->width * sizeof *more);
        f->v = more;
        f->cap = cap;
    }
    memcpy(f->v + (size_t)f->n++ * f->width, m, f->width * sizeof *m);
    return true;
}

static int rx_run(struct regex *re, const struct rx_task *t, struct rx_found *f, struct dn_err *err)
{
    struct regex_span m[REGEX_GROUPS + 1];
    uint32_t from = 0;
    uint32_t end = 0; /* of the match before */

    while (from <= t->s.len) {
        int rc = regex_match(re, t->s, from, m, f->width, err);

        if (rc <= 0)
            return rc;
        /* Nothing is split at a match of no length at an end, or behind another. */
        if ((t->want != RX_SPLIT || (m[0].from < t->s.len && m[0].to > end)) &&
            !rx_found_add(t->arena, f, m))
            return DN_FAIL_NOMEM(err);
        if (t->want == RX_FIRST)
            return 0;
        end = m[0].to;
        from = end;
        if (m[0].from == m[0].to)
            from += end < t->s.len ? str_char_len(t->s, end) : 1;
    }
    return 0;
}

static int rx_find(struct rx_task *t, struct rx_found *ret, struct dn_err *err)
{
    struct regex *re = NULL;
    uint32_t flags = 0;
    uint32_t groups;
    int rc = regex_flags(t->letters, &flags, err);

    if (rc == 0 && (flags & REGEX_GLOBAL) && t->want != RX_ALL) {
        rc = DN_FAIL(
            err, DN_E_INVALID_PARAM, "%s() does not support the \"global\" option", t->name);
        if (t->other)
            dn_err_hint(err, "Use the %s function instead.", t->other);
    }
    if (t->want == RX_ALL && !(flags & REGEX_GLOBAL))
        t->want = RX_FIRST;
    if (rc == 0)
        rc = regex_new(
            t->arena->owner, t->pattern, flags & ~(uint32_t)REGEX_GLOBAL, t->cancel, &re, err);
    if (rc < 0)
        return rc;
    groups = t->want == RX_SPLIT ? 0 : regex_groups(re);
    *ret =
        (struct rx_found){.s = t->s, .width = 1 + (groups < REGEX_GROUPS ? groups : REGEX_GROUPS)};
    rc = rx_run(re, t, ret, err);
    regex_free(re);
    return rc;
}

static struct datum rx_text(struct vstr s, struct regex_span m)
{
    if (m.from == UINT32_MAX)
        return (struct datum){.type = TYPE_VARCHAR, .null = true, .str = {"", 0}};
    return (struct datum){.type = TYPE_VARCHAR, .str = {s.ptr + m.from, m.to - m.from}};
}

/* What a match's groups took; without groups, the whole. */
static int rx_groups(
    struct arena *arena, const struct rx_found *f, uint32_t i, struct vstr *ret, struct dn_err *err)
{
    const struct func_ctx ctx = {.arena = arena};
    const struct regex_span *m = f->v + (size_t)i * f->width;
    struct datum items[REGEX_GROUPS + 1];
    uint32_t n = 0;
    struct varray a;

    for (uint32_t g = f->width > 1; g < f->width; g++)
        items[n++] = rx_text(f->s, m[g]);
    a = varray_flat(TYPE_VARCHAR, items, n);
    return func_array_write(&ctx, &a, ret, err);
}

/* The i-th part between matches; there is one more than of these. */
static struct vstr rx_part(const struct rx_found *f, uint32_t i)
{
    uint32_t from = i ? f->v[i - 1].to : 0;
    uint32_t to = i < f->n ? f->v[i].from : f->s.len;

    return (struct vstr){f->s.ptr + from, to - from};
}

/* ---- arrays ---- */

static struct rx_task
rx_task_of(const struct func_ctx *ctx, const struct vec *args, uint32_t count, uint32_t row)
{
    return (struct rx_task){.arena = ctx->arena,
                            .cancel = ctx->session ? ctx->session->cancel : NULL,
                            .s = vec_str(&args[0], row),
                            .pattern = vec_str(&args[1], row),
                            .letters = count > 2 ? vec_str(&args[2], row) : (struct vstr){"", 0}};
}

/* 1: NULL. */
static int
rx_match(const struct func_ctx *ctx, struct rx_task *t, struct vstr *ret, struct dn_err *err)
{
    struct rx_found found;
    int rc;

    t->name = "regexp_match";
    t->other = "regexp_matches";
    t->want = RX_FIRST;
    rc = rx_find(t, &found, err);
    if (rc < 0)
        return rc;
    return found.n ? rx_groups(ctx->arena, &found, 0, ret, err) : 1;
}

static int
rx_split(const struct func_ctx *ctx, struct rx_task *t, struct vstr *ret, struct dn_err *err)
{
    struct rx_found found;
    struct datum *items;
    struct varray a;
    int rc;

    t->name = "regexp_split_to_array";
    t->want = RX_SPLIT;
    rc = rx_find(t, &found, err);
    if (rc < 0)
        return rc;
    items = arena_alloc_array(ctx->arena, (size_t)found.n + 1, sizeof *items);
    if (!items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i <= found.n; i++)
        items[i] = (struct datum){.type = TYPE_VARCHAR, .str = rx_part(&found, i)};
    a = varray_flat(TYPE_VARCHAR, items, found.n + 1);
    return func_array_write(ctx, &a, ret, err);
}

typedef int (*rx_array_fn)(const struct func_ctx *ctx,
                           struct rx_task *t,
                           struct vstr *ret,
                           struct dn_err *err);

static int rx_array(const struct func_ctx *ctx,
                    const struct vec *args,
                    uint32_t args_count,
                    rx_array_fn fn,
                    uint32_t count,
                    struct vec *ret,
                    struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        int rc = 1;

        to[i] = (struct vstr){"", 0};
        if (!vec_is_null(ret, i)) {
            struct rx_task t = rx_task_of(ctx, args, args_count, i);

            rc = fn(ctx, &t, &to[i], err);
        }
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

static int func_regexp_match(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t args_count,
                             uint32_t count,
                             struct vec *ret,
                             struct dn_err *err)
{
    return rx_array(ctx, args, args_count, rx_match, count, ret, err);
}

static int func_regexp_split(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t args_count,
                             uint32_t count,
                             struct vec *ret,
                             struct dn_err *err)
{
    return rx_array(ctx, args, args_count, rx_split, count, ret, err);
}

#define RX_ROW(fname, n, fn, text, sample)                                                  \
    {                                                                                       \
        .name = fname, .args = {TYPE_VARCHAR, TYPE_VARCHAR, TYPE_VARCHAR}, .args_count = n, \
        .result = VARCHAR_ARRAY, .flags = FUNC_STRICT, .kernel = fn, .doc = text,           \
        .example = sample                                                                   \
    }

static const struct func func_regex_sets_rows[] = {
    RX_ROW("regexp_match",
           2,
           func_regexp_match,
           "What the groups of a pattern took in its first match, the whole match if it has none; "
           "NULL if there is none.",
           NULL),
    RX_ROW("regexp_match", 3, func_regexp_match, "The same with flags.", NULL),
    RX_ROW("regexp_split_to_array",
           2,
           func_regexp_split,
           "The parts of a text between the matches of a pattern.",
           NULL),
    RX_ROW("regexp_split_to_array", 3, func_regexp_split, "The same with flags.", NULL),
};

const struct func_table func_table_regex_sets = {func_regex_sets_rows,
                                                 DN_ARRAY_SIZE(func_regex_sets_rows)};

/* ---- rows ---- */

struct rx_rows {
    struct rx_found found;
    uint32_t at;
};

static int rx_rows_start(struct rowfunc_call *c, struct dn_err *err)
{
    struct rx_rows *r = c->state;
    struct rx_task t = {
        .cancel = c->session ? c->session->cancel : NULL,
        .arena = c->run,
        .s = c->args[0].str,
        .pattern = c->args[1].str,
        .letters = c->args_count > 2 ? c->args[2].str : (struct vstr){"", 0},
        .name = c->fn->name,
        .want = c->fn->result == TYPE_VARCHAR ? RX_SPLIT : RX_ALL,
    };

    return rx_find(&t, &r->found, err);
}

static int rx_rows_next(
    struct rowfunc_call *c, struct arena *arena, uint32_t max, struct vec *ret, struct dn_err *err)
{
    struct rx_rows *r = c->state;
    bool split = c->fn->result == TYPE_VARCHAR;
    uint32_t total = r->found.n + split;
    struct vstr *data = arena_alloc_array(arena, max, sizeof *data);
    uint32_t n = 0;
    int rc = 0;

    if (!data)
        return DN_FAIL_NOMEM(err);
    for (; rc == 0 && n < max && r->at < total; n++, r->at++) {
        if (split)
            data[n] = rx_part(&r->found, r->at);
        else
            rc = rx_groups(arena, &r->found, r->at, &data[n], err);
    }
    *ret = (struct vec){.type = c->type, .form = VEC_FLAT, .count = n, .data = data};
    return rc < 0 ? rc : n ? 0 : DN_EOF;
}

#define RX_SET(fname, n, type, text, sample)                                                \
    {                                                                                       \
        .name = fname, .args = {TYPE_VARCHAR, TYPE_VARCHAR, TYPE_VARCHAR}, .args_count = n, \
        .result = type, .flags = FUNC_STRICT, .state_size = sizeof(struct rx_rows),         \
        .start = rx_rows_start, .next = rx_rows_next, .doc = text, .example = sample        \
    }

static const struct rowfunc rowfunc_regex_rows[] = {
    RX_SET("regexp_matches",
           2,
           VARCHAR_ARRAY,
           "What the groups of a pattern took in its first match, as an array; no row if there is "
           "none.",
           "regexp_matches('foobarbequebaz', 'ba.') = {bar}"),
    RX_SET("regexp_matches",
           3,
           VARCHAR_ARRAY,
           "The same with flags; g: a row for each match.",
           "regexp_matches('foobarbequebaz', 'ba.', 'g') = {bar}, {baz}"),
    RX_SET("regexp_split_to_table",
           2,
           TYPE_VARCHAR,
           "The parts of a text between the matches of a pattern.",
           "regexp_split_to_table('hello world', '\\s+') = 'hello', 'world'"),
    RX_SET("regexp_split_to_table",
           3,
           TYPE_VARCHAR,
           "The same with flags.",
           "regexp_split_to_table('aXbxc', 'x', 'i') = 'a', 'b', 'c'"),
};

const struct rowfunc_table rowfunc_table_regex = {rowfunc_regex_rows,
                                                  DN_ARRAY_SIZE(rowfunc_regex_rows)};
