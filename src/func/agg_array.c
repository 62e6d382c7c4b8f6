/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_array.c: array_agg(x). The state has the bytes of the elements as an array has them
 * (vec/array.h), NULLs included, with room behind them for its shape, so that they need not be
 * copied at the end. Of arrays it makes one with a dimension more; all must have one shape.
 *
 * With a second argument (FILTER) only rows count in which that is true. */
#include "base/cancel.h"
#include "func/enum_int.h"
#include "func/func_int.h"
#include "vec/array.h"

#include <string.h>

#define ARRAY_LOOK 4096u /* elements between two looks at the flag of cancel */

struct agg_array {
    uint8_t *items; /* in the arena; cap has room for shape and tail */
    uint8_t *tail;  /* stored bytes of INTERVAL and NUMERIC; in the arena */
    uint32_t len;
    uint32_t cap;
    uint32_t tail_len;
    uint32_t tail_cap;
    uint32_t count; /* of rows */
    uint8_t dims;   /* of arrays as elements; 0: they are values */
    int32_t inner[VARRAY_DIMS_MAX];
    int32_t low[VARRAY_DIMS_MAX];
};

static int array_reserve(uint8_t **p,
                         uint32_t *cap,
                         uint32_t len,
                         uint64_t need,
                         struct arena *arena,
                         struct dn_err *err)
{
    uint64_t more = *cap < 64 ? 64 : *cap;
    uint8_t *to;

    if (need > FUNC_TEXT_MAX)
        return DN_FAIL(
            err, DN_E_TOO_LONG, "array_agg: the array is longer than %u bytes", FUNC_TEXT_MAX);
    if (need <= *cap)
        return 0;
    while (more < need)
        more *= 2;
    to = arena_alloc(arena, more);
    if (!to)
        return DN_FAIL_NOMEM(err);
    if (len)
        memcpy(to, *p, len);
    *p = to;
    *cap = (uint32_t)more;
    return 0;
}

/* More bytes of elements, and of what stands behind the shape. */
static int array_append(struct agg_array *s,
                        const struct buf *items,
                        const struct buf *tail,
                        uint32_t count,
                        struct arena *arena,
                        struct dn_err *err)
{
    uint64_t tail_len = (uint64_t)s->tail_len + tail->len;
    int rc;

    if (items->failed || tail->failed)
        return DN_FAIL_NOMEM(err);
    if ((uint64_t)s->count + count > VARRAY_ITEMS_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "an array has more than %u elements", VARRAY_ITEMS_MAX);
    rc = array_reserve(&s->tail, &s->tail_cap, s->tail_len, tail_len, arena, err);
    if (rc == 0)
        rc = array_reserve(&s->items,
                           &s->cap,
                           s->len,
                           (uint64_t)s->len + items->len + VARRAY_SHAPE_BYTES_MAX + tail_len,
                           arena,
                           err);
    if (rc < 0)
        return rc;
    if (items->len)
        memcpy(s->items + s->len, items->data, items->len);
    if (tail->len)
        memcpy(s->tail + s->tail_len, tail->data, tail->len);
    s->len += (uint32_t)items->len;
    s->tail_len = (uint32_t)tail_len;
    s->count += count;
    return 0;
}

/* ---- rows ---- */

struct array_feed {
    struct buf items;
    struct buf tail;
    struct arena scratch;      /* arrays as elements, taken apart */
    const atomic_bool *cancel; /* of the statement; NULL = never */
};

static int array_put_nested(struct agg_array *s,
                            const struct datum *d,
                            struct array_feed *f,
                            struct dn_err *err)
{
    struct varray a;
    int rc;

    if (d->null)
        return DN_FAIL(err, DN_E_NULL_VALUE, "cannot accumulate null arrays");
    arena_reset(&f->scratch);
    rc = varray_read(d->str, type_element(d->type), f->cancel, &f->scratch, &a);
    if (rc < 0) {
        rc = dn_cancel_check(f->cancel, err);
        return rc < 0 ? rc : DN_FAIL_NOMEM(err);
    }
    DN_CHECK_DISK(rc == 0, err, "a value is no %s", type_name(d->type));
    if (a.count == 0)
        return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "cannot accumulate empty arrays");
    if (s->count > 0 && (s->dims != a.dims || memcmp(s->inner, a.len, sizeof a.len) != 0 ||
                         memcmp(s->low, a.low, sizeof a.low) != 0))
        return DN_FAIL(
            err, DN_E_BAD_SUBSCRIPT, "cannot accumulate arrays of different dimensionality");
    if (a.dims == VARRAY_DIMS_MAX)
        return DN_FAIL(err,
                       DN_E_ARRAY_LIMIT,
                       "number of array dimensions (%d) exceeds the maximum allowed (%d)",
                       VARRAY_DIMS_MAX + 1,
                       VARRAY_DIMS_MAX);
    s->dims = (uint8_t)a.dims;
    memcpy(s->inner, a.len, sizeof a.len);
    memcpy(s->low, a.low, sizeof a.low);
    for (uint32_t i = 0; rc == 0 && i < a.count; i++) {
        varray_write_item(&a.items[i], &f->items, &f->tail);
        if (i % ARRAY_LOOK == 0)
            rc = dn_cancel_check(f->cancel, err);
    }
    return rc;
}

static int array_add(struct agg_array *s,
                     const struct vec *v,
                     bool filtered,
                     uint32_t row,
                     struct array_feed *f,
                     struct arena *strings,
                     struct dn_err *err)
{
    struct datum d = vec_datum(&v[0], row);
    int rc = 0;

    if (filtered && (vec_is_null(&v[1], row) || !vec_i64(&v[1], row)))
        return 0;
    buf_reset(&f->items);
    buf_reset(&f->tail);
    if (type_is_array(v[0].type))
        rc = array_put_nested(s, &d, f, err);
    else
        varray_write_item(&d, &f->items, &f->tail);
    return rc < 0 ? rc : array_append(s, &f->items, &f->tail, 1, strings, err);
}

static void array_feed_init(struct array_feed *f, struct arena *strings)
{
    buf_init(&f->items, strings->owner);
    buf_init(&f->tail, strings->owner);
    arena_init(&f->scratch, strings->owner);
    f->scratch.cancel = f->cancel = strings->cancel;
}

static void array_feed_done(struct array_feed *f)
{
    buf_done(&f->items);
    buf_done(&f->tail);
    arena_done(&f->scratch);
}

#define AGG_ARRAY_UPDATES(name, filtered)                                               \
    static int name##_all(void *state,                                                  \
                          const struct vec *v,                                          \
                          const uint16_t *sel,                                          \
                          uint32_t rows,                                                \
                          struct arena *strings,                                        \
                          struct dn_err *err)                                           \
    {                                                                                   \
        struct array_feed f;                                                            \
        int rc = 0;                                                                     \
                                                                                        \
        array_feed_init(&f, strings);                                                   \
        for (uint32_t i = 0; i < rows && rc == 0; i++)                                  \
            rc = array_add(state, v, filtered, sel ? sel[i] : i, &f, strings, err);     \
        array_feed_done(&f);                                                            \
        return rc;                                                                      \
    }                                                                                   \
    static int name##_grouped(void *const *states,                                      \
                              const struct vec *v,                                      \
                              const uint16_t *sel,                                      \
                              uint32_t rows,                                            \
                              struct arena *strings,                                    \
                              struct dn_err *err)                                       \
    {                                                                                   \
        struct array_feed f;                                                            \
        int rc = 0;                                                                     \
                                                                                        \
        array_feed_init(&f, strings);                                                   \
        for (uint32_t i = 0; i < rows && rc == 0; i++)                                  \
            rc = array_add(states[i], v, filtered, sel ? sel[i] : i, &f, strings, err); \
        array_feed_done(&f);                                                            \
        return rc;                                                                      \
    }
AGG_ARRAY_UPDATES(agg_array, false)
AGG_ARRAY_UPDATES(agg_array_if, true)

/* ---- states ---- */

/* Bytes that somebody else has, as a buffer to read. */
static struct buf array_bytes(uint8_t *p, uint32_t len)
{
    return (struct buf){.data = p, .len = len};
}

static int agg_array_merge(void *into, const void *from, struct arena *strings, struct dn_err *err)
{
    struct agg_array *a = into;
    const struct agg_array *b = from;
    struct buf items = array_bytes(b->items, b->len);
    struct buf tail = array_bytes(b->tail, b->tail_len);

    if (b->count == 0)
        return 0;
    if (a->count > 0 && (a->dims != b->dims || memcmp(a->inner, b->inner, sizeof a->inner) != 0 ||
                         memcmp(a->low, b->low, sizeof a->low) != 0))
        return DN_FAIL(
            err, DN_E_BAD_SUBSCRIPT, "cannot accumulate arrays of different dimensionality");
    a->dims = b->dims;
    memcpy(a->inner, b->inner, sizeof a->inner);
    memcpy(a->low, b->low, sizeof a->low);
    return array_append(a, &items, &tail, b->count, strings, err);
}

static struct vstr array_value(const struct agg_array *s)
{
    struct varray a = {.dims = s->dims + 1u, .len = {(int32_t)s->count}, .low = {1}};
    uint32_t len;

    for (uint32_t d = 0; d < s->dims; d++) {
        a.len[d + 1] = s->inner[d];
        a.low[d + 1] = s->low[d];
    }
    len = s->len + varray_write_shape(&a, s->items + s->len);
    if (s->tail_len)
        memcpy(s->items + len, s->tail, s->tail_len);
    return (struct vstr){(const char *)s->items, len + s->tail_len};
}

/* The first is for NULL of no type. */
#define AGG_ARRAY_TYPES(X)                                                \
    X(VARCHAR, "a", "b", "a", "b")                                        \
    X(INTEGER, "1", "2", "1", "2")                                        \
    X(BIGINT, "1", "2", "1", "2")                                         \
    X(SMALLINT, "1", "2", "1", "2")                                       \
    X(DOUBLE, "0.5", "2", "0.5", "2")                                     \
    X(REAL, "0.5", "2", "0.5", "2")                                       \
    X(NUMERIC, "1.50", "2", "1.50", "2")                                  \
    X(BOOLEAN, "true", "false", "t", "f")                                 \
    X(BLOB, "0x01", "0x02", "0x01", "0x02")                               \
    X(TIMESTAMP,                                                          \
      "2015-06-01T00:00:00.000Z",                                         \
      "2015-06-02T00:00:00.000Z",                                         \
      "2015-06-01T00:00:00.000Z",                                         \
      "2015-06-02T00:00:00.000Z")                                         \
    X(TIMESTAMP_US,                                                       \
      "2015-06-01T00:00:00.000000Z",                                      \
      "2015-06-02T00:00:00.000000Z",                                      \
      "2015-06-01T00:00:00.000000Z",                                      \
      "2015-06-02T00:00:00.000000Z")                                      \
    X(TIMESTAMP_NS,                                                       \
      "2015-06-01T00:00:00.000000000Z",                                   \
      "2015-06-02T00:00:00.000000000Z",                                   \
      "2015-06-01T00:00:00.000000000Z",                                   \
      "2015-06-02T00:00:00.000000000Z")                                   \
    X(TIMESTAMPTZ,                                                        \
      "2015-06-01 00:00:00+00",                                           \
      "2015-06-02 00:00:00+00",                                           \
      "\"2015-06-01 00:00:00+00\"",                                       \
      "\"2015-06-02 00:00:00+00\"")                                       \
    X(TIMESTAMP_LOCAL,                                                    \
      "2015-06-01 00:00:00",                                              \
      "2015-06-02 00:00:00",                                              \
      "\"2015-06-01 00:00:00\"",                                          \
      "\"2015-06-02 00:00:00\"")                                          \
    X(DATE, "2015-06-01", "2015-06-02", "2015-06-01", "2015-06-02")       \
    X(TIME, "04:05:00", "04:06:00", "04:05:00", "04:06:00")               \
    X(BIT, "01", "10", "01", "10")                                        \
    X(VARBIT, "01", "10", "01", "10")                                     \
    X(TIMETZ, "04:05:00+00", "04:06:00+00", "04:05:00+00", "04:06:00+00") \
    X(INTERVAL, "01:00:00", "02:00:00", "01:00:00", "02:00:00")           \
    X(NAME, "a", "b", "a", "b")                                           \
    X(OID, "1", "2", "1", "2")                                            \
    X(BPCHAR, "a", "b", "a", "b")                                         \
    X(UUID,                                                               \
      "00000000-0000-0000-0000-000000000001",                             \
      "00000000-0000-0000-0000-000000000002",                             \
      "00000000-0000-0000-0000-000000000001",                             \
      "00000000-0000-0000-0000-000000000002")

#define AGG_ARRAY_EMIT(NAME, a, b, x, y)                                        \
    static int agg_array_emit_##NAME(                                           \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)     \
    {                                                                           \
        const struct agg_array *s = state;                                      \
                                                                                \
        *ret = (struct datum){.type = (enum type_id)(TYPE_##NAME | TYPE_ARRAY), \
                              .null = s->count == 0,                            \
                              .str = {.ptr = "", .len = 0}};                    \
        if (s->count)                                                           \
            ret->str = array_value(s);                                          \
        return 0;                                                               \
    }

AGG_ARRAY_TYPES(AGG_ARRAY_EMIT)
AGG_ARRAY_EMIT(ENUM, , , , )

/* Rows, shape of an element, bytes of the elements, bytes behind the shape. */
static void agg_array_save(const void *state, struct buf *b)
{
    const struct agg_array *s = state;

    buf_u32(b, s->count);
    buf_u8(b, s->dims);
    for (uint32_t d = 0; d < s->dims; d++) {
        buf_u32(b, (uint32_t)s->inner[d]);
        buf_u32(b, (uint32_t)s->low[d]);
    }
    buf_bytes(b, s->items, s->len);
    buf_bytes(b, s->tail, s->tail_len);
}

static int
agg_array_load(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err)
{
    struct agg_array *s = state;
    struct rd r = rd_make(p, n);
    uint32_t count = rd_u32(&r);
    const uint8_t *items, *tail;
    size_t items_len, tail_len;
    struct buf to_items, to_tail;
    int rc;

    s->dims = rd_u8(&r);
    if (s->dims >= VARRAY_DIMS_MAX)
        return agg_load_fail("array_agg", n, err);
    for (uint32_t d = 0; d < s->dims; d++) {
        s->inner[d] = (int32_t)rd_u32(&r);
        s->low[d] = (int32_t)rd_u32(&r);
    }
    items = rd_blob(&r, &items_len);
    tail = rd_blob(&r, &tail_len);
    if (r.bad || rd_left(&r) || items_len > FUNC_TEXT_MAX || tail_len > FUNC_TEXT_MAX)
        return agg_load_fail("array_agg", n, err);
    buf_init(&to_items, strings->owner);
    buf_init(&to_tail, strings->owner);
    buf_append(&to_items, items, items_len);
    buf_append(&to_tail, tail, tail_len);
    rc = array_append(s, &to_items, &to_tail, count, strings, err);
    buf_done(&to_items);
    buf_done(&to_tail);
    return rc;
}

/* ---- the table ---- */

#define ARRAY_ROW(NAME, t, t2, update, sample)                                                 \
    {                                                                                          \
        .name = "array_agg", .arg = (enum type_id)(t), .arg2 = t2, .in_order = true,           \
        .nulls_count = true, .result = (enum type_id)(TYPE_##NAME | TYPE_ARRAY),               \
        .state_size = sizeof(struct agg_array), .update_all = update##_all,                    \
        .update_grouped = update##_grouped, .merge = agg_array_merge,                          \
        .emit = agg_array_emit_##NAME, .save = agg_array_save, .load = agg_array_load,         \
        .doc = "The values as an array, NULLs included; of arrays one with a dimension more. " \
               "ORDER BY in the call says in which order.",                                    \
        .example = sample                                                                      \
    }
#define ARRAY_ROWS(NAME, a, b, x, y)                                                            \
    ARRAY_ROW(NAME,                                                                             \
              TYPE_##NAME,                                                                      \
              TYPE_NONE,                                                                        \
              agg_array,                                                                        \
              "array_agg of (" a ", NULL, " b ") = {" x ",NULL," y "}"),                        \
        ARRAY_ROW(NAME,                                                                         \
                  TYPE_##NAME | TYPE_ARRAY,                                                     \
                  TYPE_NONE,                                                                    \
                  agg_array,                                                                    \
                  "array_agg of ({" x "}, {" y "}) = {{" x "},{" y "}}"),                       \
        ARRAY_ROW(NAME,                                                                         \
                  TYPE_##NAME,                                                                  \
                  TYPE_BOOLEAN,                                                                 \
                  agg_array_if,                                                                 \
                  "array_agg of (" a ", NULL, " b ") with (true, true, false) = {" x ",NULL}"), \
        ARRAY_ROW(NAME,                                                                         \
                  TYPE_##NAME | TYPE_ARRAY,                                                     \
                  TYPE_BOOLEAN,                                                                 \
                  agg_array_if,                                                                 \
                  "array_agg of ({" x "}, {" y "}) with (false, true) = {{" y "}}"),

const struct agg agg_enum_array[AGG_ENUM_ARRAY] = {
    ARRAY_ROW(ENUM, TYPE_ENUM, TYPE_NONE, agg_array, NULL),
    ARRAY_ROW(ENUM, TYPE_ENUM, TYPE_BOOLEAN, agg_array_if, NULL),
};

static const struct agg agg_array_rows[] = {AGG_ARRAY_TYPES(ARRAY_ROWS)};

const struct agg_table agg_table_array = {agg_array_rows, DN_ARRAY_SIZE(agg_array_rows)};
