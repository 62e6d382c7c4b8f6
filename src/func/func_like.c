/* SPDX-License-Identifier: Apache-2.0
 *
 * func_like.c: LIKE and ILIKE. A pattern is cut at its %: pieces of text in which LIKE_ANY (a byte
 * UTF-8 never has) stands for _. The first piece is bound to the start of the text, the last to
 * its end, and each between them is taken where it first occurs: leftmost is always right, as a
 * later place leaves less for the rest. A pattern is compiled once for all rows that share it. */
#include "func/func_int.h"

#include <string.h>

#define LIKE_ANY ((char)0xFF)

struct like_piece {
    struct vstr s;
    bool any; /* has a LIKE_ANY */
};

struct like {
    struct like_piece *pieces;
    uint32_t count;     /* at least one; the first and last may be empty */
    struct vstr source; /* pattern and escape it was made of */
    struct vstr escape;
    bool made;
};

/* A search under way: a piece with _ is tried at every place, which can take long. */
struct like_work {
    const struct func_ctx *ctx;
    uint64_t steps;
    int rc; /* below 0: canceled, and the match says nothing */
    struct dn_err *err;
};

static inline bool like_is_lead(char c)
{
    return ((uint8_t)c & 0xc0) != 0x80;
}

/* The escape character's bytes: one character, or none. */
static int like_check_escape(struct vstr escape, struct dn_err *err)
{
    uint32_t chars = 0;

    for (uint32_t i = 0; i < escape.len; i++)
        chars += like_is_lead(escape.ptr[i]);
    if (chars <= 1)
        return 0;
    DN_IGNORE(DN_FAIL(err, DN_E_BAD_ESCAPE, "invalid escape string")); /* returned below */
    dn_err_hint(err, "The escape is one character, or none.");
    return DN_E_BAD_ESCAPE;
}

static bool like_at_escape(struct vstr p, uint32_t at, struct vstr escape)
{
    return escape.len && p.len - at >= escape.len &&
           memcmp(p.ptr + at, escape.ptr, escape.len) == 0;
}

static int like_compile(const struct func_ctx *ctx,
                        struct vstr p,
                        struct vstr escape,
                        struct like *ret,
                        struct dn_err *err)
{
    uint32_t pieces = 1;
    char *to = arena_alloc(ctx->arena, (size_t)p.len + 1);
    struct like_piece *piece;
    uint64_t steps = 0;
    int rc = like_check_escape(escape, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < p.len; i++)
        pieces += p.ptr[i] == '%';
    piece = arena_alloc_array(ctx->arena, pieces, sizeof *piece);
    if (!to || !piece)
        return DN_FAIL_NOMEM(err);
    *ret = (struct like){.pieces = piece, .count = 1, .source = p, .escape = escape, .made = true};
    *piece = (struct like_piece){.s = {to, 0}};
    for (uint32_t i = 0; i < p.len; i++) {
        char c = p.ptr[i];

        rc = func_count_steps(ctx, 1, &steps, err);
        if (rc < 0)
            return rc;
        if (like_at_escape(p, i, escape)) {
            i += escape.len;
            if (i >= p.len)
                return DN_FAIL(
                    err, DN_E_BAD_ESCAPE, "LIKE pattern must not end with escape character");
            *to++ = p.ptr[i];
            piece->s.len++;
            continue;
        }
        if (c == '%') {
            ret->count++;
            *++piece = (struct like_piece){.s = {to, 0}};
            continue;
        }
        *to++ = c == '_' ? LIKE_ANY : c;
        piece->any |= c == '_';
        piece->s.len++;
    }
    return 0;
}

/* Where a piece that starts at byte `at` ends; UINT32_MAX: it does not fit there. */
static uint32_t
like_fits(struct vstr s, uint32_t at, const struct like_piece *piece, struct like_work *work)
{
    for (uint32_t i = 0; i < piece->s.len; i++) {
        if (at >= s.len)
            return UINT32_MAX;
        if ((i + 1) % FUNC_STEPS_MAX == 0) {
            work->rc = func_check_cancel(work->ctx, work->err);
            if (work->rc < 0)
                return UINT32_MAX;
        }
        if (piece->s.ptr[i] == LIKE_ANY) {
            at++;
            while (at < s.len && !like_is_lead(s.ptr[at]))
                at++;
        } else if (s.ptr[at++] != piece->s.ptr[i]) {
            return UINT32_MAX;
        }
    }
    return at;
}

/* The end of the first place at or after byte `at` where a piece fits. */
static uint32_t
like_find(struct vstr s, uint32_t at, const struct like_piece *piece, struct like_work *work)
{
    if (!piece->any) {
        const char *hit = piece->s.len
                              ? func_find_text((struct vstr){s.ptr + at, s.len - at}, piece->s)
                              : s.ptr + at;

        return hit ? (uint32_t)(hit - s.ptr) + piece->s.len : UINT32_MAX;
    }
    for (; at < s.len; at++) {
        uint32_t end = like_is_lead(s.ptr[at]) ? like_fits(s, at, piece, work) : UINT32_MAX;

        if (end != UINT32_MAX || work->rc < 0)
            return end;
        work->rc = func_count_steps(work->ctx, piece->s.len, &work->steps, work->err);
        if (work->rc < 0)
            return UINT32_MAX;
    }
    return UINT32_MAX;
}

/* Does the last piece fit at the end, not before byte `at`? */
static bool
like_ends(struct vstr s, uint32_t at, const struct like_piece *piece, struct like_work *work)
{
    uint32_t start = s.len;

    if (!piece->any)
        return piece->s.len <= s.len - at &&
               memcmp(s.ptr + s.len - piece->s.len, piece->s.ptr, piece->s.len) == 0;
    for (uint32_t i = 0; i < piece->s.len; i++) { /* as many characters from the end */
        if (!like_is_lead(piece->s.ptr[i]) && piece->s.ptr[i] != LIKE_ANY)
            continue;
        if (start <= at)
            return false;
        start--;
        while (start > at && !like_is_lead(s.ptr[start]))
            start--;
    }
    return like_fits(s, start, piece, work) == s.len;
}

static bool like_match(const struct like *l, struct vstr s, struct like_work *work)
{
    uint32_t at = like_fits(s, 0, &l->pieces[0], work);

    if (at == UINT32_MAX)
        return false;
    if (l->count == 1)
        return at == s.len;
    for (uint32_t i = 1; i + 1 < l->count; i++) {
        at = like_find(s, at, &l->pieces[i], work);
        if (at == UINT32_MAX)
            return false;
        work->rc = func_count_steps(work->ctx, 1, &work->steps, work->err);
        if (work->rc < 0)
            return false;
    }
    return like_ends(s, at, &l->pieces[l->count - 1], work);
}

static bool like_same(struct vstr a, struct vstr b)
{
    return a.len == b.len && (a.ptr == b.ptr || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static int like_rows(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t args_count,
                     uint32_t count,
                     bool fold,
                     struct vec *ret,
                     struct dn_err *err)
{
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    struct like_work work = {.ctx = ctx, .err = err};
    struct like like = {.made = false};

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct vstr escape = {"\\", 1};
        struct vstr s, p;
        int rc = 0;

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        s = vec_str(&args[0], i);
        p = vec_str(&args[1], i);
        if (args_count == 3)
            escape = vec_str(&args[2], i);
        if (!like.made || !like_same(like.source, p) || !like_same(like.escape, escape)) {
            struct vstr source = p;
            struct vstr source_escape = escape;

            if (fold)
                rc = func_map_case(ctx, p, false, &p, err);
            if (rc == 0 && fold)
                rc = func_map_case(ctx, escape, false, &escape, err);
            if (rc == 0)
                rc = like_compile(ctx, p, escape, &like, err);
            like.source = source;
            like.escape = source_escape;
        }
        if (rc == 0 && fold)
            rc = func_map_case(ctx, s, false, &s, err);
        if (rc == 0) /* patterns of an array are rows here: there may be millions */
            rc = func_count_steps(ctx, 16 + s.len / 16, &work.steps, err);
        if (rc < 0)
            return rc;
        to[i] = like_match(&like, s, &work);
        if (work.rc < 0)
            return work.rc;
    }
    return 0;
}

static int func_like(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t args_count,
                     uint32_t count,
                     struct vec *ret,
                     struct dn_err *err)
{
    return like_rows(ctx, args, args_count, count, false, ret, err);
}

static int func_ilike(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    return like_rows(ctx, args, args_count, count, true, ret, err);
}

uint32_t func_like_prefix(struct vstr pattern, struct vstr escape, char *to, bool *ret_whole)
{
    uint32_t n = 0;

    *ret_whole = false;
    for (uint32_t i = 0; i < pattern.len; i++) {
        if (like_at_escape(pattern, i, escape)) {
            i += escape.len;
            if (i >= pattern.len)
                return n;
        } else if (pattern.ptr[i] == '%' || pattern.ptr[i] == '_') {
            return n;
        }
        to[n++] = pattern.ptr[i];
    }
    *ret_whole = true;
    return n;
}

#define LIKE_ROW(op, n, fn, text, sample)                                                        \
    {                                                                                            \
        .name = op, .args = {TYPE_VARCHAR, TYPE_VARCHAR, TYPE_VARCHAR}, .args_count = n,         \
        .result = TYPE_BOOLEAN, .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, \
        .example = sample                                                                        \
    }

static const struct func func_like_rows[] = {
    LIKE_ROW(
        "like",
        2,
        func_like,
        "Whether the text fits a pattern, in which % stands for any text, _ for one character, "
        "and \\ takes the meaning from what follows.",
        "'Größe' LIKE 'Gr__e' = true"),
    LIKE_ROW("like",
             3,
             func_like,
             "The same with another character in place of \\.",
             "'10%' LIKE '10!%' ESCAPE '!' = true"),
    LIKE_ROW("ilike", 2, func_ilike, "LIKE without regard to case.", "'ÄB' ILIKE 'ä%' = true"),
    LIKE_ROW("ilike",
             3,
             func_ilike,
             "The same with another character in place of \\.",
             "'A_b' ILIKE 'a!_B' ESCAPE '!' = true"),
};

const struct func_table func_table_like = {func_like_rows, DN_ARRAY_SIZE(func_like_rows)};
