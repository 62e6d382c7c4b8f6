/* SPDX-License-Identifier: Apache-2.0
 *
 * naive.c: no vectors, no fast ways; integers in 128 bits, comparisons by datum_cmp. Functions not
 * known here are called on constants, one row at a time: their values are tested elsewhere, here is
 * tested that neither forms nor other rows change them. */
#include "naive.h"

#include "base/bytes.h"
#include "func/text.h"
#include "vec/keyser.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef __int128 i128;

static int naive_fit(enum type_id type, i128 v, struct datum *ret)
{
    i128 max = type == TYPE_SMALLINT ? INT16_MAX : type == TYPE_INTEGER ? INT32_MAX : INT64_MAX;

    if (v > max || v < -max - 1)
        return type_is_timestamp(type) ? DN_E_DATETIME_RANGE : DN_E_OUT_OF_RANGE;
    *ret = (struct datum){.type = type, .v.i64 = (int64_t)v};
    return 0;
}

static int naive_int(char op, enum type_id type, i128 a, i128 b, struct datum *ret)
{
    switch (op) {
    case '+':
        return naive_fit(type, a + b, ret);
    case '-':
        return naive_fit(type, a - b, ret);
    case '*':
        return naive_fit(type, a * b, ret);
    case '/':
        return b == 0 ? DN_E_DIVISION_BY_ZERO : naive_fit(type, a / b, ret);
    default:
        return b == 0 ? DN_E_DIVISION_BY_ZERO : naive_fit(type, a % b, ret);
    }
}

static int naive_float(char op, enum type_id type, double a, double b, struct datum *ret)
{
    double v;

    if (b == 0 && (op == '%' || (op == '/' && !isnan(a))))
        return DN_E_DIVISION_BY_ZERO;
    v = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : op == '/' ? a / b : fmod(a, b);
    if (type == TYPE_REAL)
        v = (double)(float)v;
    if (isinf(v) && !isinf(a) && !isinf(b))
        return DN_E_OUT_OF_RANGE;
    *ret = (struct datum){.type = type, .v.f64 = type == TYPE_REAL ? (double)(float)v : v};
    return 0;
}

static bool naive_compare(const char *op, const struct datum *a, const struct datum *b)
{
    int c = datum_cmp(a, b);

    if (strcmp(op, "=") == 0)
        return c == 0;
    if (strcmp(op, "<>") == 0)
        return c != 0;
    if (op[0] == '<')
        return c < 0 || (op[1] && c == 0);
    return c > 0 || (op[1] && c == 0);
}

static int naive_cast_number(const struct datum *a, enum type_id to, struct datum *ret)
{
    double whole;

    if (type_is_float(to)) {
        double v = type_is_float(a->type) ? a->v.f64 : (double)a->v.i64;

        if (to == TYPE_REAL) {
            float f = type_is_float(a->type) ? (float)v : (float)a->v.i64;

            if (isinf(f) && !isinf(v))
                return DN_E_OUT_OF_RANGE;
            v = (double)f;
        }
        *ret = (struct datum){.type = to, .v.f64 = v};
        return 0;
    }
    if (!type_is_float(a->type))
        return naive_fit(to, a->v.i64, ret);
    whole = nearbyint(a->v.f64);
    if (!(fabs(whole) <= 0x1p63))
        return DN_E_OUT_OF_RANGE;
    return naive_fit(to, (i128)whole, ret);
}

static int naive_cast_time(const struct datum *a, enum type_id to, struct datum *ret)
{
    int64_t from = type_ts_per_second(a->type);
    int64_t per = type_ts_per_second(to);
    i128 v = a->v.i64;
    i128 d = from / per;

    if (a->v.i64 == INT64_MAX || a->v.i64 == INT64_MIN) { /* infinite */
        *ret = (struct datum){.type = to, .v.i64 = a->v.i64};
        return 0;
    }
    if (per >= from)
        return naive_fit(to, v * (per / from), ret);
    v += d / 2;
    return naive_fit(to, v >= 0 ? v / d : -((-v + d - 1) / d), ret);
}

static int
naive_cast(const struct datum *a, enum type_id to, struct arena *arena, struct datum *ret)
{
    struct buf b;
    struct dn_err err;

    if (a->type == TYPE_VARCHAR)
        return text_parse(to, a->str, arena, ret, &err);
    if (to == TYPE_VARCHAR) {
        buf_init(&b, NULL);
        text_print(a, &b);
        *ret = (struct datum){
            .type = to,
            .str = {arena_dup(arena, b.data ? (const void *)b.data : "", b.len), (uint32_t)b.len}};
        buf_done(&b);
        return 0;
    }
    if (to == TYPE_BOOLEAN) {
        *ret = (struct datum){.type = to, .v.i64 = a->v.i64 != 0};
        return 0;
    }
    if (type_is_timestamp(a->type) && type_is_timestamp(to))
        return naive_cast_time(a, to, ret);
    return naive_cast_number(a, to, ret);
}

static int naive_case(const struct datum *a, bool upper, struct arena *arena, struct datum *ret)
{
    char *copy = arena_dup(arena, a->str.ptr, a->str.len); /* the tests' words are ASCII */

    *ret = *a;
    for (uint32_t i = 0; i < a->str.len; i++)
        copy[i] = (char)(upper ? toupper(copy[i]) : tolower(copy[i]));
    ret->str.ptr = copy;
    return 0;
}

static int naive_self(const struct func *f,
                      const struct datum *a,
                      uint32_t count,
                      struct arena *arena,
                      struct datum *ret)
{
    struct bexpr nodes[8];
    struct bexpr *list[8];
    struct bexpr e = {
        .kind = BEXPR_CALL, .type = f->result, .func = f, .args = list, .args_count = count};
    struct eval ev = {.arena = arena};
    struct dn_err err;

    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = (struct bexpr){.kind = BEXPR_CONST, .type = a[i].type, .value = a[i]};
        list[i] = &nodes[i];
    }
    return expr_eval_datum(&e, &ev, ret, &err);
}

/* % any text, _ one character, \ the next as it is. ASCII. */
static bool naive_like(const char *s, const char *s_end, const char *p, const char *p_end)
{
    if (p == p_end)
        return s == s_end;
    if (*p == '%')
        return naive_like(s, s_end, p + 1, p_end) ||
               (s < s_end && naive_like(s + 1, s_end, p, p_end));
    if (s == s_end)
        return false;
    if (*p == '_')
        return naive_like(s + 1, s_end, p + 1, p_end);
    if (*p == '\\')
        p++;
    return *s == *p && naive_like(s + 1, s_end, p + 1, p_end);
}

static void naive_substring(const struct datum *a, uint32_t count, struct datum *ret)
{
    i128 first = a[1].v.i64;
    i128 end = count == 3 ? first + a[2].v.i64 : (i128)1 << 100;

    ret->str = (struct vstr){a[0].str.ptr, 0};
    for (i128 i = 1; i <= a[0].str.len; i++) {
        if (i < first || i >= end)
            continue;
        if (ret->str.len == 0)
            ret->str.ptr = a[0].str.ptr + (size_t)i - 1;
        ret->str.len++;
    }
}

static int64_t naive_bits(char op, enum type_id type, int64_t a, int64_t b)
{
    int width = type == TYPE_BIGINT ? 64 : type == TYPE_INTEGER ? 32 : 16;
    uint64_t v;

    if (op == '&')
        return a & b;
    if (op == '|')
        return a | b;
    if (op == '#')
        return a ^ b;
    if (op == '~')
        return ~a;
    b &= width == 64 ? 63 : 31;
    if (op == '>')
        return a >> b;
    v = (uint64_t)a << b;
    return width == 64 ? (int64_t)v : width == 32 ? (int32_t)v : (int16_t)v;
}

/* Types whose operators naive_call computes; the others compute themselves, row by row. */
static bool naive_plain(enum type_id type)
{
    return type <= TYPE_TIMESTAMP_NS;
}

/* What is computed here counts bytes, not characters. */
static bool naive_ascii(struct vstr s)
{
    for (uint32_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] >= 0x80)
            return false;
    return true;
}

/* 1: not known here. */
static int
naive_more(const struct func *f, const struct datum *a, uint32_t count, struct datum *ret)
{
    const char *name = f->name;

    if (strcmp(name, "like") == 0 && count == 2) {
        const struct vstr *p = &a[1].str;

        if (p->len && p->ptr[p->len - 1] == '\\')
            return 1;
        ret->v.i64 = naive_like(a[0].str.ptr, a[0].str.ptr + a[0].str.len, p->ptr, p->ptr + p->len);
    } else if (strncmp(name, "substr", 6) == 0 && a[1].type == TYPE_BIGINT) {
        if (count == 3 && a[2].v.i64 < 0)
            return DN_E_BAD_SUBSTRING;
        naive_substring(a, count, ret);
    } else if (strcmp(name, "&") == 0 || strcmp(name, "|") == 0 || strcmp(name, "#") == 0 ||
               (strcmp(name, "~") == 0 && count == 1) || strcmp(name, "<<") == 0 ||
               strcmp(name, ">>") == 0) {
        ret->v.i64 = naive_bits(name[0], f->result, a[0].v.i64, count > 1 ? a[1].v.i64 : 0);
    } else if (strcmp(name, "greatest") == 0 || strcmp(name, "least") == 0) {
        *ret = a[0];
        for (uint32_t i = 1; i < count; i++)
            if (!a[i].null && (ret->null || (name[0] == 'g' ? datum_cmp(&a[i], ret) > 0
                                                            : datum_cmp(&a[i], ret) < 0)))
                *ret = a[i];
    } else if (strncmp(name, "is ", 3) == 0) {
        bool no = strncmp(name + 3, "not", 3) == 0;
        const char *what = name + (no ? 7 : 3);
        bool is = *what == 'n'   ? a[0].null
                  : *what == 't' ? !a[0].null && a[0].v.i64
                                 : !a[0].null && !a[0].v.i64;

        ret->v.i64 = is != no;
    } else if (strlen(name) <= 2 && strchr("<>=+-*/%", name[0]) && naive_plain(a[0].type) &&
               (count < 2 || naive_plain(a[1].type)) && naive_plain(f->result)) {
        return 2; /* naive_call has it */
    } else {
        return 1;
    }
    return 0;
}

static int naive_call(const struct func *f,
                      const struct datum *a,
                      uint32_t count,
                      struct arena *arena,
                      struct datum *ret)
{
    const char *name = f->name;
    struct buf scratch;
    struct dn_err err;
    int rc;

    *ret = (struct datum){.type = f->result};
    if (!naive_plain(f->result) || (count > 0 && !naive_plain(a[0].type) &&
                                    strncmp(name, "is ", 3) != 0 && strcmp(name, "token") != 0))
        return naive_self(f, a, count, arena, ret);
    if (strcmp(name, "cast") == 0)
        return naive_cast(&a[0], f->result, arena, ret);
    for (uint32_t i = 0; i < count; i++)
        if (a[i].type == TYPE_VARCHAR && !naive_ascii(a[i].str))
            return naive_self(f, a, count, arena, ret);
    rc = naive_more(f, a, count, ret);
    if (rc <= 0)
        return rc;
    if (rc == 1 && strcmp(name, "not") != 0 && strcmp(name, "abs") != 0 &&
        strcmp(name, "length") != 0 && strcmp(name, "lower") != 0 && strcmp(name, "upper") != 0 &&
        strcmp(name, "token") != 0)
        return naive_self(f, a, count, arena, ret);
    if (strcmp(name, "not") == 0)
        ret->v.i64 = !a[0].v.i64;
    else if (strcmp(name, "abs") == 0 && type_is_float(f->result))
        ret->v.f64 = fabs(a[0].v.f64);
    else if (strcmp(name, "abs") == 0)
        return naive_fit(f->result, a[0].v.i64 < 0 ? -(i128)a[0].v.i64 : a[0].v.i64, ret);
    else if (strcmp(name, "length") == 0)
        ret->v.i64 = a[0].str.len;
    else if (strcmp(name, "lower") == 0 || strcmp(name, "upper") == 0)
        return naive_case(&a[0], name[0] == 'u', arena, ret);
    else if (strcmp(name, "token") == 0) {
        buf_init(&scratch, NULL);
        rc = keyser_token(&scratch, a, count, &ret->v.i64, &err);
        buf_done(&scratch);
        return rc;
    } else if (strchr("<>=", name[0]))
        ret->v.i64 = naive_compare(name, &a[0], &a[1]);
    else if (count == 1 && type_is_float(f->result))
        ret->v.f64 = -a[0].v.f64;
    else if (count == 1)
        return naive_fit(f->result, -(i128)a[0].v.i64, ret);
    else if (type_is_float(f->result))
        return naive_float(name[0], f->result, a[0].v.f64, a[1].v.f64, ret);
    else
        return naive_int(name[0], f->result, a[0].v.i64, a[1].v.i64, ret);
    return 0;
}

static int naive_args(const struct bexpr *e,
                      const struct batch *in,
                      uint32_t row,
                      struct arena *arena,
                      struct datum *ret)
{
    struct datum args[8];
    bool null = false;

    assert_true(e->args_count <= 8);
    for (uint32_t i = 0; i < e->args_count; i++) {
        int rc = naive_eval(e->args[i], in, row, arena, &args[i]);

        if (rc < 0)
            return rc;
        null |= args[i].null;
    }
    *ret = (struct datum){.type = e->type, .null = true};
    if (null && (e->func->flags & FUNC_STRICT))
        return 0;
    return naive_call(e->func, args, e->args_count, arena, ret);
}

static int naive_chain(const struct bexpr *e,
                       const struct batch *in,
                       uint32_t row,
                       struct arena *arena,
                       struct datum *ret)
{
    int64_t decided = e->kind == BEXPR_OR;
    bool null = false;

    for (uint32_t i = 0; i < e->args_count; i++) {
        struct datum d;
        int rc = naive_eval(e->args[i], in, row, arena, &d);

        if (rc < 0)
            return rc;
        null |= d.null;
        if (!d.null && d.v.i64 == decided) {
            *ret = d;
            return 0;
        }
    }
    *ret = (struct datum){.type = TYPE_BOOLEAN, .null = null, .v.i64 = !decided};
    return 0;
}

static int naive_in(const struct bexpr *e,
                    const struct batch *in,
                    uint32_t row,
                    struct arena *arena,
                    struct datum *ret)
{
    struct datum left;
    bool null = false;
    int rc = naive_eval(e->args[0], in, row, arena, &left);

    if (rc < 0)
        return rc;
    *ret = (struct datum){.type = TYPE_BOOLEAN, .null = true};
    if (left.null)
        return 0;
    for (uint32_t i = 1; i < e->args_count; i++) {
        null |= e->args[i]->value.null;
        if (!e->args[i]->value.null && datum_cmp(&left, &e->args[i]->value) == 0) {
            *ret = (struct datum){.type = TYPE_BOOLEAN, .v.i64 = !e->negated};
            return 0;
        }
    }
    ret->null = null;
    ret->v.i64 = e->negated;
    return 0;
}

int naive_eval(const struct bexpr *e,
               const struct batch *in,
               uint32_t row,
               struct arena *arena,
               struct datum *ret)
{
    switch (e->kind) {
    case BEXPR_CONST:
        *ret = e->value;
        return 0;
    case BEXPR_COLUMN:
        *ret = vec_datum(&in->cols[e->col], row);
        return 0;
    case BEXPR_CALL:
        return naive_args(e, in, row, arena, ret);
    case BEXPR_AND:
    case BEXPR_OR:
        return naive_chain(e, in, row, arena, ret);
    case BEXPR_IN:
        return naive_in(e, in, row, arena, ret);
    case BEXPR_CASE:
        for (uint32_t i = 0; i + 1 < e->args_count; i += 2) {
            bool hit;
            int rc = naive_select(e->args[i], in, row, arena, &hit);

            if (rc < 0)
                return rc;
            if (hit)
                return naive_eval(e->args[i + 1], in, row, arena, ret);
        }
        return naive_eval(e->args[e->args_count - 1], in, row, arena, ret);
    case BEXPR_COALESCE:
        for (uint32_t i = 0; i < e->args_count; i++) {
            int rc = naive_eval(e->args[i], in, row, arena, ret);

            if (rc < 0 || !ret->null)
                return rc;
        }
        return 0;
    case BEXPR_PARAM:
    case BEXPR_KIND_MAX:
        break;
    }
    fail();
    return 0;
}

int naive_select(
    const struct bexpr *e, const struct batch *in, uint32_t row, struct arena *arena, bool *ret)
{
    struct datum d;
    int rc = 0;

    if (e->kind != BEXPR_AND && e->kind != BEXPR_OR) {
        rc = naive_eval(e, in, row, arena, &d);
        *ret = rc == 0 && !d.null && d.v.i64;
        return rc;
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = naive_select(e->args[i], in, row, arena, ret);
        if (rc < 0 || *ret == (e->kind == BEXPR_OR))
            return rc;
    }
    return 0;
}
