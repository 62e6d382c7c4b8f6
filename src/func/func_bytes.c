/* SPDX-License-Identifier: Apache-2.0
 *
 * func_bytes.c: functions of BLOB: parts, bits, digests, and text in other encodings. Positions
 * count bytes from 1, as those of text count characters; get and set count from 0. */
#include "func/str_int.h"

#include <openssl/evp.h>

/* ---- parts ---- */

static int str_bytes_sub(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    int64_t from = str_int(c, 1);
    int64_t end = INT64_MAX;

    if (c->args_count == 3 && str_int(c, 2) < 0)
        return DN_FAIL(c->err, DN_E_BAD_SUBSTRING, "negative substring length not allowed");
    if (c->args_count == 3 && __builtin_add_overflow(from, str_int(c, 2), &end))
        end = INT64_MAX;
    from = from < 1 ? 1 : from;
    end = end > (int64_t)s.len + 1 ? (int64_t)s.len + 1 : end;
    *ret =
        from < end ? (struct vstr){s.ptr + from - 1, (uint32_t)(end - from)} : (struct vstr){"", 0};
    return 0;
}
STR_KERNEL(bytes_sub)

static int str_bytes_overlay(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr with = str_arg(c, 1);
    int64_t from = str_int(c, 2);
    int64_t count = c->args_count == 4 ? str_int(c, 3) : (int64_t)with.len;
    int64_t end;
    struct buf b;

    if (from <= 0)
        return DN_FAIL(c->err, DN_E_BAD_SUBSTRING, "negative substring length not allowed");
    if (__builtin_add_overflow(from, count, &end))
        return func_fail_range(TYPE_INTEGER, c->err);
    from = from > (int64_t)s.len + 1 ? (int64_t)s.len + 1 : from;
    end = end > (int64_t)s.len + 1 ? (int64_t)s.len + 1 : end < 1 ? 1 : end;
    buf_init(&b, c->ctx->arena->owner);
    buf_append(&b, s.ptr, (size_t)from - 1);
    buf_append(&b, with.ptr, with.len);
    buf_append(&b, s.ptr + end - 1, s.len - (size_t)(end - 1));
    return str_keep(c, 0, &b, ret);
}
STR_KERNEL(bytes_overlay)

static struct vstr bytes_trim(const struct str_call *c, bool left, bool right)
{
    struct vstr s = str_arg(c, 0);
    struct vstr set = str_arg(c, 1);

    while (left && s.len && memchr(set.ptr, s.ptr[0], set.len))
        s = (struct vstr){s.ptr + 1, s.len - 1};
    while (right && s.len && memchr(set.ptr, s.ptr[s.len - 1], set.len))
        s.len--;
    return s;
}

static int str_bytes_btrim(const struct str_call *c, struct vstr *ret)
{
    *ret = bytes_trim(c, true, true);
    return 0;
}
STR_KERNEL(bytes_btrim)

static int str_bytes_ltrim(const struct str_call *c, struct vstr *ret)
{
    *ret = bytes_trim(c, true, false);
    return 0;
}
STR_KERNEL(bytes_ltrim)

static int str_bytes_rtrim(const struct str_call *c, struct vstr *ret)
{
    *ret = bytes_trim(c, false, true);
    return 0;
}
STR_KERNEL(bytes_rtrim)

static int32_t bytes_position(struct vstr s, struct vstr sub)
{
    uint32_t at = str_find(s, sub, 0);

    return at == UINT32_MAX ? 0 : (int32_t)at + 1;
}

FUNC_EACH(func_bytes_position,
          int32_t,
          (to[i] = bytes_position(vec_str(&args[0], i), vec_str(&args[1], i)), 0))
static int bytes_bits(struct vstr s, int32_t *ret, struct dn_err *err)
{
    if (s.len > INT32_MAX / 8)
        return func_fail_range(TYPE_INTEGER, err);
    *ret = (int32_t)s.len * 8;
    return 0;
}

FUNC_EACH(func_bytes_bits, int32_t, bytes_bits(vec_str(&args[0], i), &to[i], err))

/* ---- bits ---- */

static int64_t bytes_ones(struct vstr s)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < s.len; i++)
        n += __builtin_popcount((uint8_t)s.ptr[i]);
    return n;
}

static int bytes_index(int64_t at, int64_t count, struct dn_err *err)
{
    if (at >= 0 && at < count)
        return 0;
    return DN_FAIL(err,
                   DN_E_BAD_SUBSCRIPT,
                   "index %lld out of valid range, 0..%lld",
                   (long long)at,
                   (long long)count - 1);
}

static int
bytes_get(const struct vec *args, uint32_t i, int64_t unit, int32_t *ret, struct dn_err *err)
{
    struct vstr s = vec_str(&args[0], i);
    int64_t at = vec_i64(&args[1], i);
    int rc = bytes_index(at, (int64_t)s.len * unit, err);

    if (rc == 0)
        *ret = unit == 8 ? (uint8_t)s.ptr[at / 8] >> (at % 8) & 1 : (uint8_t)s.ptr[at];
    return rc;
}

FUNC_EACH(func_bit_count, int64_t, (to[i] = bytes_ones(vec_str(&args[0], i)), 0))
FUNC_EACH(func_get_bit, int32_t, bytes_get(args, i, 8, &to[i], err))
FUNC_EACH(func_get_byte, int32_t, bytes_get(args, i, 1, &to[i], err))

static int bytes_set(const struct str_call *c, int64_t unit, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    int64_t at = str_int(c, 1);
    int64_t v = str_int(c, 2);
    char *to;
    int rc = bytes_index(at, (int64_t)s.len * unit, c->err);

    if (rc < 0)
        return rc;
    if (unit == 8 && v != 0 && v != 1)
        return DN_FAIL(c->err, DN_E_INVALID_PARAM, "new bit must be 0 or 1");
    rc = func_text_room(c->ctx, s.len, &to, c->err);
    if (rc < 0)
        return rc;
    memcpy(to, s.ptr, s.len);
    if (unit == 8)
        to[at / 8] = (char)(((uint8_t)to[at / 8] & ~(1u << (at % 8))) | (unsigned)v << (at % 8));
    else
        to[at] = (char)(uint8_t)v;
    *ret = (struct vstr){to, s.len};
    return 0;
}

static int str_set_bit(const struct str_call *c, struct vstr *ret)
{
    return bytes_set(c, 8, ret);
}
STR_KERNEL(set_bit)

static int str_set_byte(const struct str_call *c, struct vstr *ret)
{
    return bytes_set(c, 1, ret);
}
STR_KERNEL(set_byte)

/* ---- digests ---- */

static int bytes_digest(const struct str_call *c, const EVP_MD *how, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    unsigned n = 0;
    char *to;
    int rc = func_text_room(c->ctx, EVP_MAX_MD_SIZE, &to, c->err);

    if (rc < 0)
        return rc;
    if (EVP_Digest(s.ptr, s.len, (unsigned char *)to, &n, how, NULL) != 1)
        return DN_FAIL_NOMEM(c->err);
    *ret = (struct vstr){to, n};
    return 0;
}

/* As hexadecimal digits, unlike the others. */
static int str_md5(const struct str_call *c, struct vstr *ret)
{
    static const char digits[] = "0123456789abcdef";
    struct vstr raw;
    char *to;
    int rc = bytes_digest(c, EVP_md5(), &raw);

    if (rc == 0)
        rc = func_text_room(c->ctx, (uint64_t)raw.len * 2, &to, c->err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < raw.len; i++) {
        to[2 * i] = digits[(uint8_t)raw.ptr[i] >> 4];
        to[2 * i + 1] = digits[(uint8_t)raw.ptr[i] & 15];
    }
    *ret = (struct vstr){to, raw.len * 2};
    return 0;
}
STR_KERNEL(md5)

#define BYTES_SHA(n)                                                  \
    static int str_sha##n(const struct str_call *c, struct vstr *ret) \
    {                                                                 \
        return bytes_digest(c, EVP_sha##n(), ret);                    \
    }                                                                 \
    STR_KERNEL(sha##n)

BYTES_SHA(224)
BYTES_SHA(256)
BYTES_SHA(384)
BYTES_SHA(512)

#define B TYPE_BLOB
#define T TYPE_VARCHAR
#define N TYPE_BIGINT

static const struct func func_bytes_rows[] = {
    STR_TO("substring",
           2,
           BLOB,
           func_bytes_sub,
           "Bytes from that one on; also substring(b FROM n).",
           "substring(0x1234567890, 3) = 0x567890",
           B,
           N),
    STR_TO("substring",
           3,
           BLOB,
           func_bytes_sub,
           "So many bytes from that one on; also substring(b FROM n FOR m).",
           "substring(0x1234567890, 3, 2) = 0x5678",
           B,
           N,
           N),
    STR_TO("substr",
           2,
           BLOB,
           func_bytes_sub,
           "The same as substring.",
           "substr(0x1234567890, 4) = 0x7890",
           B,
           N),
    STR_TO("substr",
           3,
           BLOB,
           func_bytes_sub,
           "The same as substring.",
           "substr(0x1234567890, 3, 2) = 0x5678",
           B,
           N,
           N),
    STR_TO("overlay",
           3,
           BLOB,
           func_bytes_overlay,
           "The second in place of as many bytes from one on; also overlay(b PLACING c FROM n).",
           "overlay(0x1234567890, 0xffff, 2) = 0x12ffff7890",
           B,
           B,
           N),
    STR_TO(
        "overlay",
        4,
        BLOB,
        func_bytes_overlay,
        "The second in place of that many bytes from one on; also overlay(b PLACING c FROM n FOR "
        "m).",
        "overlay(0x1234567890, 0xffff, 2, 3) = 0x12ffff90",
        B,
        B,
        N,
        N),
    STR_TO("btrim",
           2,
           BLOB,
           func_bytes_btrim,
           "Without the bytes of the second at both ends; also trim(c FROM b).",
           "btrim(0x1234567890, 0x9012) = 0x345678",
           B,
           B),
    STR_TO("ltrim",
           2,
           BLOB,
           func_bytes_ltrim,
           "Without the bytes of the second at the start.",
           "ltrim(0x1234567890, 0x9012) = 0x34567890",
           B,
           B),
    STR_TO("rtrim",
           2,
           BLOB,
           func_bytes_rtrim,
           "Without the bytes of the second at the end.",
           "rtrim(0x1234567890, 0x9012) = 0x12345678",
           B,
           B),
    STR_TO("strpos",
           2,
           INTEGER,
           func_bytes_position,
           "Where the second stands in the first, from 1; 0: nowhere. Also position(c IN b).",
           "strpos(0x1234567890, 0x5678) = 3",
           B,
           B),
    STR_TO("bit_length",
           1,
           INTEGER,
           func_bytes_bits,
           "Bits of the text or the bytes.",
           "bit_length('jose') = 32",
           T),
    STR_TO("bit_length",
           1,
           INTEGER,
           func_bytes_bits,
           "Bits of the text or the bytes.",
           "bit_length(0x1234) = 16",
           B),
    STR_TO("bit_count",
           1,
           BIGINT,
           func_bit_count,
           "Bits that are set.",
           "bit_count(0x1234567890) = 15",
           B),
    STR_TO("get_bit",
           2,
           INTEGER,
           func_get_bit,
           "The bit with that number, from 0.",
           "get_bit(0x1234567890, 30) = 1",
           B,
           N),
    STR_TO("get_byte",
           2,
           INTEGER,
           func_get_byte,
           "The byte with that number, from 0.",
           "get_byte(0x1234567890, 4) = 144",
           B,
           N),
    STR_TO("set_bit",
           3,
           BLOB,
           func_set_bit,
           "With the bit of that number, from 0, set to 0 or 1.",
           "set_bit(0x1234567890, 30, 0) = 0x1234563890",
           B,
           N,
           TYPE_INTEGER),
    STR_TO("set_byte",
           3,
           BLOB,
           func_set_byte,
           "With the byte of that number, from 0, set.",
           "set_byte(0x1234567890, 4, 64) = 0x1234567840",
           B,
           N,
           TYPE_INTEGER),
    STR("md5",
        1,
        func_md5,
        "MD5 digest, in hexadecimal digits.",
        "md5('abc') = 900150983cd24fb0d6963f7d28e17f72",
        T),
    STR("md5",
        1,
        func_md5,
        "MD5 digest, in hexadecimal digits.",
        "md5(0x616263) = 900150983cd24fb0d6963f7d28e17f72",
        B),
    STR_TO("sha224",
           1,
           BLOB,
           func_sha224,
           "SHA-224 digest.",
           "sha224(0x616263) = 0x23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
           B),
    STR_TO("sha256",
           1,
           BLOB,
           func_sha256,
           "SHA-256 digest.",
           "sha256(0x616263) = "
           "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
           B),
    STR_TO(
        "sha384",
        1,
        BLOB,
        func_sha384,
        "SHA-384 digest.",
        "sha384(0x616263) = "
        "0xcb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca"
        "134c825a7",
        B),
    STR_TO(
        "sha512",
        1,
        BLOB,
        func_sha512,
        "SHA-512 digest.",
        "sha512(0x616263) = "
        "0xddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c2"
        "3a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        B),
};

const struct func_table func_table_bytes = {func_bytes_rows, DN_ARRAY_SIZE(func_bytes_rows)};
