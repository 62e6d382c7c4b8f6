/* SPDX-License-Identifier: Apache-2.0 */
#include "parquet/thrift.h"

#define THRIFT_DEPTH_MAX 32u /* of what is passed over */

static int64_t thrift_zigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static void thrift_bad(struct rd *in)
{
    in->bad = true;
    in->p = in->end;
}

bool thrift_next(struct rd *in, struct thrift_field *f)
{
    uint8_t head = rd_u8(in);

    if (in->bad || head == THRIFT_STOP)
        return false;
    f->type = head & 15;
    f->id = head >> 4 ? f->id + (head >> 4) : thrift_zigzag(rd_varint(in));
    if (f->id < INT16_MIN || f->id > INT16_MAX)
        thrift_bad(in);
    return !in->bad;
}

int64_t thrift_int(struct rd *in, const struct thrift_field *f)
{
    if (f->type == THRIFT_I8)
        return (int8_t)rd_u8(in);
    if (f->type == THRIFT_I16 || f->type == THRIFT_I32 || f->type == THRIFT_I64)
        return thrift_zigzag(rd_varint(in));
    thrift_bad(in);
    return 0;
}

bool thrift_bool(struct rd *in, const struct thrift_field *f)
{
    if (f->type != THRIFT_TRUE && f->type != THRIFT_FALSE)
        thrift_bad(in);
    return f->type == THRIFT_TRUE;
}

struct vstr thrift_elem_text(struct rd *in)
{
    size_t len = 0;
    const uint8_t *p = rd_blob(in, &len);

    if (!p || len > UINT32_MAX) {
        thrift_bad(in);
        return (struct vstr){"", 0};
    }
    return (struct vstr){(const char *)p, (uint32_t)len};
}

struct vstr thrift_text(struct rd *in, const struct thrift_field *f)
{
    if (f->type != THRIFT_BINARY)
        thrift_bad(in);
    return thrift_elem_text(in);
}

bool thrift_is_struct(struct rd *in, const struct thrift_field *f)
{
    if (f->type != THRIFT_STRUCT)
        thrift_bad(in);
    return !in->bad;
}

static uint32_t thrift_list_head(struct rd *in, uint8_t *ret_elem)
{
    uint8_t head = rd_u8(in);
    uint64_t count = head >> 4;

    *ret_elem = head & 15;
    if (count == 15)
        count = rd_varint(in);
    if (count > rd_left(in) || count > UINT32_MAX)
        thrift_bad(in);
    return in->bad ? 0 : (uint32_t)count;
}

uint32_t thrift_list(struct rd *in, const struct thrift_field *f, uint8_t elem)
{
    uint8_t have;
    uint32_t count;

    if (f->type != THRIFT_LIST)
        thrift_bad(in);
    count = thrift_list_head(in, &have);
    if (count > 0 && have != elem)
        thrift_bad(in);
    return in->bad ? 0 : count;
}

int64_t thrift_elem_int(struct rd *in)
{
    return thrift_zigzag(rd_varint(in));
}

/* ---- passing over ---- */

struct thrift_open {
    uint8_t elem;  /* of a list; STOP: a struct */
    uint8_t other; /* of a map: the values' type, by turns with elem */
    uint64_t left; /* elements to come */
};

/* A value that holds no others; true: it is done. */
static bool thrift_skip_plain(struct rd *in, uint8_t type, bool element)
{
    switch (type) {
    case THRIFT_TRUE:
    case THRIFT_FALSE:
        if (element)
            (void)rd_u8(in);
        return true;
    case THRIFT_I8:
        (void)rd_u8(in);
        return true;
    case THRIFT_I16:
    case THRIFT_I32:
    case THRIFT_I64:
        (void)rd_varint(in);
        return true;
    case THRIFT_DOUBLE:
        (void)rd_bytes(in, 8);
        return true;
    case THRIFT_UUID:
        (void)rd_bytes(in, 16);
        return true;
    case THRIFT_BINARY:
        (void)thrift_elem_text(in);
        return true;
    default:
        return false;
    }
}

/* What holds others: its head. */
static void thrift_skip_open(struct rd *in, uint8_t type, struct thrift_open *ret)
{
    uint8_t kinds;

    *ret = (struct thrift_open){.elem = THRIFT_STOP};
    if (type == THRIFT_STRUCT)
        return;
    if (type == THRIFT_LIST || type == THRIFT_SET) {
        ret->left = thrift_list_head(in, &ret->elem);
        ret->other = ret->elem;
    } else if (type == THRIFT_MAP) {
        ret->left = rd_varint(in);
        if (ret->left > rd_left(in))
            thrift_bad(in);
        kinds = in->bad || ret->left == 0 ? 0x11 : rd_u8(in);
        ret->left *= 2;
        ret->elem = kinds >> 4;
        ret->other = kinds & 15;
    } else {
        thrift_bad(in);
    }
    if (!in->bad && (ret->elem == THRIFT_STOP || ret->other == THRIFT_STOP))
        thrift_bad(in);
}

void thrift_skip(struct rd *in, const struct thrift_field *f)
{
    struct thrift_open open[THRIFT_DEPTH_MAX];
    struct thrift_field field;
    uint32_t depth = 0;
    uint8_t type = f->type;
    bool element = false;

    for (;;) {
        if (!thrift_skip_plain(in, type, element)) {
            if (depth == THRIFT_DEPTH_MAX)
                thrift_bad(in);
            else
                thrift_skip_open(in, type, &open[depth++]);
        }
        for (; !in->bad && depth > 0; depth--) { /* the next value of what is open */
            struct thrift_open *o = &open[depth - 1];

            field = (struct thrift_field){.id = 0};
            element = o->elem != THRIFT_STOP;
            if (element ? o->left > 0 : thrift_next(in, &field)) {
                type = !element ? field.type : o->left % 2 ? o->other : o->elem;
                o->left -= element;
                break;
            }
        }
        if (in->bad || depth == 0)
            return;
    }
}

/* ---- writing ---- */

static uint64_t thrift_unzigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static void thrift_head(struct thrift_out *o, int16_t id, uint8_t type)
{
    int16_t *last = &o->last[o->depth - 1];
    int delta = id - *last;

    DN_ASSERT(delta > 0 && delta <= 15);
    buf_u8(o->b, (uint8_t)(delta << 4 | type));
    *last = id;
}

void thrift_begin(struct thrift_out *o)
{
    DN_ASSERT(o->depth < DN_ARRAY_SIZE(o->last));
    o->last[o->depth++] = 0;
}

void thrift_end(struct thrift_out *o)
{
    DN_ASSERT(o->depth > 0);
    o->depth--;
    buf_u8(o->b, THRIFT_STOP);
}

void thrift_put_int(struct thrift_out *o, int16_t id, enum thrift_type type, int64_t v)
{
    thrift_head(o, id, (uint8_t)type);
    if (type == THRIFT_I8)
        buf_u8(o->b, (uint8_t)v);
    else
        buf_varint(o->b, thrift_unzigzag(v));
}

void thrift_put_bool(struct thrift_out *o, int16_t id, bool v)
{
    thrift_head(o, id, v ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_put_elem_text(struct thrift_out *o, const void *p, size_t len)
{
    buf_bytes(o->b, p, len);
}

void thrift_put_text(struct thrift_out *o, int16_t id, const void *p, size_t len)
{
    thrift_head(o, id, THRIFT_BINARY);
    buf_bytes(o->b, p, len);
}

void thrift_put_struct(struct thrift_out *o, int16_t id)
{
    thrift_head(o, id, THRIFT_STRUCT);
    thrift_begin(o);
}

void thrift_put_list(struct thrift_out *o, int16_t id, enum thrift_type elem, uint32_t count)
{
    thrift_head(o, id, THRIFT_LIST);
    if (count < 15) {
        buf_u8(o->b, (uint8_t)(count << 4 | (unsigned)elem));
    } else {
        buf_u8(o->b, (uint8_t)(0xf0 | (unsigned)elem));
        buf_varint(o->b, count);
    }
}

void thrift_put_elem_int(struct thrift_out *o, int64_t v)
{
    buf_varint(o->b, thrift_unzigzag(v));
}
