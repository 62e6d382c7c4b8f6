/* SPDX-License-Identifier: Apache-2.0
 *
 * text_system.c: values of the types that the system's relations have, as text and back. A REGCLASS
 * and its like has a number and what the number is called, so that printing it asks nobody; the
 * session is asked when one is made. */
#include "base/cancel.h"
#include "func/func_array.h"
#include "func/func_int.h"
#include "func/session.h"
#include "func/text.h"
#include "func/text_int.h"

#include <string.h>

#define SYSTEM_NAME_MAX 63u   /* bytes of a NAME, as PostgreSQL cuts it */
#define SYSTEM_LOOK     4096u /* numbers between two looks at the flag of cancel */

/* ---- out ---- */

static void system_print_items(const struct datum *d, struct buf *b)
{
    bool row = d->type == TYPE_EXPANDED;
    enum type_id elem = row ? TYPE_BIGINT : d->type == TYPE_OIDVECTOR ? TYPE_OID : TYPE_SMALLINT;
    struct arena arena;
    struct varray a;

    arena_init(&arena, b->owner);
    if (varray_read(d->str, elem, NULL, &arena, &a) != 0) {
        b->failed = true;
    } else {
        buf_puts(b, row ? "(" : "");
        for (uint32_t i = 0; i < a.count; i++) {
            buf_puts(b, i == 0 ? "" : row ? "," : " ");
            if (!a.items[i].null)
                text_print_i64(a.items[i].v.i64, b);
        }
        buf_puts(b, row ? ")" : "");
    }
    arena_done(&arena);
}

void text_print_system(const struct datum *d, struct buf *b)
{
    struct vstr name;

    if (d->type == TYPE_OID) {
        text_print_i64(d->v.i64, b);
    } else if (type_is_reg(d->type)) {
        name = type_reg_name(d->str);
        if (name.len > 0)
            buf_append(b, name.ptr, name.len);
        else if (type_reg_oid(d->str) == 0)
            buf_puts(b, "-");
        else
            text_print_i64(type_reg_oid(d->str), b);
    } else if (d->type == TYPE_INT2VECTOR || d->type == TYPE_OIDVECTOR ||
               d->type == TYPE_EXPANDED) {
        system_print_items(d, b);
    } else {
        buf_append(b, d->str.ptr, d->str.len);
    }
}

/* ---- in ---- */

static int system_parse_oid(enum type_id type, struct vstr s, int64_t *ret, struct dn_err *err)
{
    int rc = text_parse_int(TYPE_BIGINT, s, ret, err);

    if (rc < 0)
        return text_fail_syntax(type, s, err);
    if (*ret < 0 && *ret >= INT32_MIN)
        *ret += (int64_t)UINT32_MAX + 1;
    if (*ret < 0 || *ret > UINT32_MAX)
        return DN_FAIL(err,
                       DN_E_OUT_OF_RANGE,
                       "value \"%.*s\" is out of range for type oid",
                       text_quote_len(s),
                       s.ptr);
    return 0;
}

int func_reg_make(const struct func_session *session,
                  enum type_id type,
                  int64_t oid,
                  struct arena *arena,
                  struct vstr *ret,
                  struct dn_err *err)
{
    struct func_ask ask = {.kind = FUNC_ASK_REG, .type = (int)type, .oid = oid};
    struct func_answer answer;
    struct buf b;
    int rc = 0;

    buf_init(&b, arena->owner);
    answer.text = &b;
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_u8(&b, (uint8_t)(oid >> shift));
    if (session && session->ask && oid != 0)
        rc = session->ask(session->arg, &ask, &answer, err);
    ret->len = (uint32_t)b.len;
    ret->ptr = b.failed ? NULL : arena_dup(arena, b.data, b.len);
    if (rc >= 0)
        rc = ret->ptr ? 0 : DN_FAIL_NOMEM(err);
    buf_done(&b);
    return rc;
}

static bool system_digits(struct vstr s)
{
    for (uint32_t i = 0; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
    return s.len > 0;
}

static int system_parse_reg(const struct func_session *session,
                            enum type_id type,
                            struct vstr s,
                            struct arena *arena,
                            struct vstr *ret,
                            struct dn_err *err)
{
    struct func_ask ask = {
        .kind = FUNC_ASK_REG_FIND, .type = (int)type, .text = s.ptr, .text_len = s.len};
    struct func_answer answer = {.number = 0};
    int rc = 0;

    if (system_digits(s)) {
        rc = system_parse_oid(type, s, &answer.number, err);
    } else if (!(s.len == 1 && s.ptr[0] == '-')) {
        if (!session || !session->ask)
            return DN_FAIL(err,
                           DN_E_UNSUPPORTED,
                           "a %s by its name cannot be used without a session",
                           type_word(type));
        rc = session->ask(session->arg, &ask, &answer, err);
    }
    return rc < 0 ? rc : func_reg_make(session, type, answer.number, arena, ret, err);
}

/* How many words there are, with blanks between them. */
static uint32_t system_words(struct vstr s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s.len; i++)
        n += s.ptr[i] != ' ' && (i == 0 || s.ptr[i - 1] == ' ');
    return n;
}

/* Numbers with blanks between them. */
static int system_parse_vector(const struct func_session *session,
                               enum type_id type,
                               struct vstr s,
                               struct arena *arena,
                               struct vstr *ret,
                               struct dn_err *err)
{
    const atomic_bool *cancel = session ? session->cancel : NULL;
    enum type_id elem = type == TYPE_OIDVECTOR ? TYPE_OID : TYPE_SMALLINT;
    uint32_t count = system_words(s);
    struct datum *items;
    struct varray a;
    struct buf b;
    uint32_t n = 0;
    int rc = 0;

    if (count > VARRAY_ITEMS_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "an array has more than %u elements", VARRAY_ITEMS_MAX);
    items = arena_alloc_array(arena, (size_t)count + 1, sizeof *items);
    if (!items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t at = 0; rc == 0 && at < s.len;) {
        struct vstr word = {s.ptr + at, 0};

        if (s.ptr[at] == ' ') {
            at++;
            continue;
        }
        while (at < s.len && s.ptr[at] != ' ') {
            at++;
            word.len++;
        }
        items[n] = (struct datum){.type = elem, .str = {"", 0}};
        rc = elem == TYPE_OID ? system_parse_oid(type, word, &items[n].v.i64, err)
                              : text_parse_int(elem, word, &items[n].v.i64, err);
        n++;
        if (rc == 0 && n % SYSTEM_LOOK == 0)
            rc = dn_cancel_check(cancel, err);
    }
    if (rc < 0)
        return rc;
    a = varray_flat(elem, items, n);
    a.low[0] = 0;
    buf_init(&b, arena->owner);
    varray_write(&a, cancel, &b);
    ret->len = (uint32_t)b.len;
    ret->ptr = b.failed ? NULL : arena_dup(arena, b.data, b.len);
    buf_done(&b);
    return ret->ptr ? 0 : DN_FAIL_NOMEM(err);
}

int text_parse_system(const struct func_session *session,
                      enum type_id type,
                      struct vstr s,
                      struct arena *arena,
                      struct datum *ret,
                      struct dn_err *err)
{
    struct datum d = {.type = type, .str = {"", 0}};
    int rc;

    if (type == TYPE_OID) {
        rc = system_parse_oid(type, text_trim(s), &d.v.i64, err);
    } else if (type_is_reg(type)) {
        rc = system_parse_reg(session, type, text_trim(s), arena, &d.str, err);
    } else if (type == TYPE_INT2VECTOR || type == TYPE_OIDVECTOR) {
        rc = system_parse_vector(session, type, s, arena, &d.str, err);
    } else if (type == TYPE_EXPANDED) {
        rc =
            DN_FAIL(err, DN_E_UNSUPPORTED, "input of anonymous composite types is not implemented");
    } else {
        if (type == TYPE_NAME)
            s = func_name_cut(s);
        else if (type == TYPE_CHAR1 && s.len > 1)
            s.len = 1;
        rc = text_parse_in(session, TYPE_VARCHAR, s, arena, &d, err);
        d.type = type;
    }
    if (rc == 0)
        *ret = d;
    return rc;
}

struct vstr func_name_cut(struct vstr s)
{
    if (s.len <= SYSTEM_NAME_MAX)
        return s;
    s.len = SYSTEM_NAME_MAX;
    while (s.len > 0 && ((uint8_t)s.ptr[s.len] & 0xc0) == 0x80)
        s.len--;
    return s;
}
