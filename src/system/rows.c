/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: rows of a relation of the system on their way into column buffers. */
#include "system/system_int.h"

#include "func/text_wire.h"

#include "base/text.h"
#include "vec/array.h"

#include <strings.h>

static void sys_no_memory(struct sys_rows *w)
{
    if (w->rc == 0)
        w->rc = DN_FAIL_NOMEM(w->err);
}

void sys_put(struct sys_rows *w, const struct datum *d)
{
    DN_ASSERT(w->rc < 0 || w->at < w->cols_count);
    if (sys_wanted(w) && !colbuf_append(w->to[w->at], d))
        sys_no_memory(w);
    w->at++;
}

void sys_null(struct sys_rows *w, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct datum d = {.type = w->at < w->cols_count ? w->cols[w->at].type : TYPE_NONE,
                          .null = true};

        sys_put(w, &d);
    }
}

void sys_int(struct sys_rows *w, int64_t v)
{
    struct datum d = {.type = w->at < w->cols_count ? w->cols[w->at].type : TYPE_NONE};

    if (d.type != TYPE_NONE && type_is_float(d.type))
        d.v.f64 = (double)v;
    else
        d.v.i64 = v;
    sys_put(w, &d);
}

static void sys_bytes(struct sys_rows *w, const char *p, size_t len)
{
    struct datum d = {.type = w->at < w->cols_count ? w->cols[w->at].type : TYPE_NONE,
                      .str = {.ptr = p, .len = (uint32_t)len}};

    sys_put(w, &d);
}

void sys_text(struct sys_rows *w, const char *s)
{
    if (s)
        sys_bytes(w, s, strlen(s));
    else
        sys_null(w, 1);
}

void sys_buf(struct sys_rows *w, const struct buf *b)
{
    if (b->failed)
        sys_no_memory(w);
    sys_bytes(w, b->failed || !b->len ? "" : (const char *)b->data, b->failed ? 0 : b->len);
}

void sys_reg(struct sys_rows *w, uint32_t oid, const char *name)
{
    struct buf b;

    buf_init(&b, w->arena->owner);
    if (sys_wanted(w)) {
        for (int shift = 24; shift >= 0; shift -= 8)
            buf_u8(&b, (uint8_t)(oid >> shift));
        buf_puts(&b, name ? name : "");
    }
    sys_buf(w, &b);
    buf_done(&b);
}

/* A REGTYPE: its number, then its name. */
static bool sys_reg_item(struct sys_rows *w, uint32_t oid, struct datum *ret)
{
    const char *name = oid == 25 ? "text" : type_word(text_wire_type(oid));
    size_t len = strlen(name);
    char *bytes = arena_alloc(w->arena, sizeof(oid) + len);

    if (!bytes)
        return false;
    for (size_t i = 0; i < sizeof(oid); i++)
        bytes[i] = (char)(uint8_t)(oid >> (24 - 8 * i));
    memcpy(bytes + sizeof(oid), name, len);
    ret->str = (struct vstr){.ptr = bytes, .len = (uint32_t)(sizeof(oid) + len)};
    return true;
}

void sys_items(struct sys_rows *w, const int64_t *v, uint32_t count)
{
    enum type_id type = w->at < w->cols_count ? w->cols[w->at].type : TYPE_NONE;
    bool vector = type == TYPE_INT2VECTOR || type == TYPE_OIDVECTOR;
    enum type_id elem = type == TYPE_INT2VECTOR  ? TYPE_SMALLINT
                        : type == TYPE_OIDVECTOR ? TYPE_OID
                        : type_is_array(type)    ? type_element(type)
                                                 : TYPE_NONE;
    struct datum *items;
    struct varray a;
    struct buf b;

    if (!sys_wanted(w)) {
        sys_null(w, 1);
        return;
    }
    items = arena_calloc(w->arena, (size_t)count + 1, sizeof(*items));
    if (!items) {
        sys_no_memory(w);
        sys_null(w, 1);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (struct datum){.type = elem, .v = {.i64 = v[i]}};
        if (elem == TYPE_REGTYPE && !sys_reg_item(w, (uint32_t)v[i], &items[i]))
            sys_no_memory(w);
    }
    a = varray_flat(elem, items, count);
    if (vector)
        a.low[0] = 0;
    buf_init(&b, w->arena->owner);
    varray_write(&a, NULL, &b);
    sys_buf(w, &b);
    buf_done(&b);
}

void sys_end(struct sys_rows *w)
{
    DN_ASSERT(w->rc < 0 || w->at == w->cols_count);
    w->at = 0;
}

int sys_rows(const struct sys_env *env,
             const struct sys_relation *r,
             const uint16_t *cols,
             uint32_t cols_count,
             struct colbuf *to,
             struct dn_err *err)
{
    struct sys_rows w = {.env = env, .err = err};
    struct sys_column *all_cols;
    struct arena arena;
    int rc;

    if (!r->fill)
        return 0;
    arena_init(&arena, cols_count ? to[0].owner : NULL);
    rc = sys_columns(r, &arena, &all_cols, &w.cols_count, err);
    if (rc < 0)
        goto out;
    w.cols = all_cols;
    w.arena = &arena;
    w.to = arena_calloc(&arena, w.cols_count, sizeof(struct colbuf *));
    if (!w.to) {
        rc = DN_FAIL_NOMEM(err);
        goto out;
    }
    for (uint32_t i = 0; i < cols_count; i++) {
        DN_ASSERT(cols[i] < w.cols_count);
        DN_ASSERT(to[i].type == all_cols[cols[i]].type);
        w.to[cols[i]] = &to[i];
    }
    r->fill(&w);
    DN_ASSERT(w.rc < 0 || w.at == 0); /* invariant 2: the last row is whole */
    rc = w.rc;
out:
    arena_done(&arena);
    return rc;
}
