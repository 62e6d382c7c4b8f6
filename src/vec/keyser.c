/* SPDX-License-Identifier: Apache-2.0
 *
 * keyser.c: see the header for the bytes. */
#include "vec/keyser.h"

#include "base/hash.h"
#include "vec/normkey.h"
#include "vec/numeric.h"

#define KEYSER_PART_MAX 65535u /* bytes of a column in a composite key */

static void keyser_put_be(struct buf *b, uint64_t v, uint32_t size)
{
    uint8_t *p = buf_extend(b, size);

    if (p)
        for (uint32_t i = 0; i < size; i++)
            p[i] = (uint8_t)(v >> (8 * (size - 1 - i)));
}

static uint32_t keyser_len(const struct datum *d)
{
    uint8_t coef[VNUMERIC_BYTES_MAX];

    if (d->type == TYPE_NUMERIC)
        return 4 + vnumeric_coef_bytes(vnumeric_trim(d->num), coef);
    return type_is_string(d->type) ? d->str.len : phys_size(type_phys(d->type));
}

/* The number as Cassandra's types count it. */
static uint64_t keyser_integer(const struct datum *d)
{
    if (d->type == TYPE_DATE)
        return (uint64_t)d->v.i64 + ((uint64_t)1 << 31); /* 1970 is in the middle */
    if (d->type == TYPE_TIME)
        return (uint64_t)d->v.i64 * 1000; /* nanoseconds */
    return (uint64_t)d->v.i64;
}

static void keyser_value(struct buf *b, const struct datum *d)
{
    uint8_t coef[VNUMERIC_BYTES_MAX];
    struct vnumeric num;
    double f64 = 0;
    float f32 = 0;
    uint64_t bits64;
    uint32_t bits32;

    switch (type_phys(d->type)) {
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
        keyser_put_be(b, keyser_integer(d), keyser_len(d));
        break;
    case PHYS_F32:
        f32 = d->v.f64 == 0 ? 0 : (float)d->v.f64;
        memcpy(&bits32, &f32, sizeof bits32);
        keyser_put_be(b, bits32, 4);
        break;
    case PHYS_F64:
        f64 = d->v.f64 == 0 ? 0 : d->v.f64;
        memcpy(&bits64, &f64, sizeof bits64);
        keyser_put_be(b, bits64, 8);
        break;
    case PHYS_STR:
        buf_append(b, d->str.ptr, d->str.len);
        break;
    case PHYS_INTERVAL:
        normkey_append(b, d, false);
        break;
    case PHYS_NUMERIC:
        num = vnumeric_trim(d->num);
        keyser_put_be(b, (uint64_t)(num.special ? num.special : num.scale), 4);
        buf_append(b, coef, vnumeric_coef_bytes(num, coef));
        break;
    case PHYS_MAX:
        break;
    }
}

int keyser_append(struct buf *b, const struct datum *cols, size_t n, struct dn_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct datum *d = &cols[i];

        if (d->null)
            return DN_FAIL(err, DN_E_NOT_NULL, "NULL in column %zu of a partition key", i + 1);
        if (n == 1) {
            keyser_value(b, d);
            break;
        }
        if (keyser_len(d) > KEYSER_PART_MAX)
            return DN_FAIL(err,
                           DN_E_TOO_LONG,
                           "column %zu of a partition key has %u bytes, the most is %u",
                           i + 1,
                           keyser_len(d),
                           KEYSER_PART_MAX);
        keyser_put_be(b, keyser_len(d), 2);
        keyser_value(b, d);
        buf_u8(b, 0);
    }
    if (b->failed)
        return DN_FAIL_NOMEM(err);
    return 0;
}

int keyser_token(
    struct buf *scratch, const struct datum *cols, size_t n, int64_t *ret_token, struct dn_err *err)
{
    int rc;

    buf_reset(scratch);
    rc = keyser_append(scratch, cols, n, err);
    if (rc < 0)
        return rc;
    *ret_token = dn_token(scratch->len ? (const void *)scratch->data : "", scratch->len);
    return 0;
}
