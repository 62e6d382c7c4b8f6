/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_unpack.c: how pages are packed. Snappy is unpacked here, as libsnappy would make libdendro
 * depend on the C++ library; gzip, Zstandard and LZ4 by the libraries that Dendro has anyway, whose
 * contexts live in counted memory. */
#define ZSTD_STATIC_LINKING_ONLY /* for contexts in given memory */
#include "parquet/pq_int.h"

#include <lz4.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define PQ_ZSTD_LEVEL 3
#define GZIP_WINDOW   (15 + 16) /* bits: with a gzip head */

const char *pq_codec_refusal(int32_t codec)
{
    switch (codec) {
    case PQ_UNCOMPRESSED:
    case PQ_SNAPPY:
    case PQ_GZIP:
    case PQ_ZSTD:
    case PQ_LZ4_RAW:
        return NULL;
    case 3:
        return "LZO";
    case 4:
        return "Brotli";
    case 5:
        return "LZ4 in Hadoop's frames";
    default:
        return "an unknown method";
    }
}

/* ---- snappy ---- */

/* The next element: bytes as they are, or a copy of earlier ones (*ret_back > 0). */
static bool snappy_element(struct rd *in, uint32_t *ret_len, uint32_t *ret_back)
{
    uint8_t tag = rd_u8(in);
    uint32_t n = tag >> 2;
    uint32_t more;

    *ret_back = 0;
    switch (tag & 3) {
    case 0:
        if (n >= 60) {
            more = 0;
            for (uint32_t i = 0; i < n - 59; i++)
                more |= (uint32_t)rd_u8(in) << 8 * i;
            n = more;
        }
        if (n == UINT32_MAX)
            return false;
        *ret_len = n + 1;
        return !in->bad;
    case 1:
        *ret_len = (n & 7) + 4;
        *ret_back = (n >> 3) << 8;
        *ret_back |= rd_u8(in);
        break;
    case 2:
        *ret_len = n + 1;
        *ret_back = rd_u16(in);
        break;
    default:
        *ret_len = n + 1;
        *ret_back = rd_u32(in);
        break;
    }
    return !in->bad && *ret_back > 0;
}

static bool snappy_unpack(const struct pq_packed *p)
{
    struct rd in = rd_make(p->from, p->len);
    size_t at = 0;
    uint32_t len;
    uint32_t back;

    if (rd_varint(&in) != p->size)
        return false;
    while (!in.bad && rd_left(&in) > 0) {
        if (!snappy_element(&in, &len, &back) || len > p->size - at || back > at)
            return false;
        if (back == 0) {
            const uint8_t *bytes = rd_bytes(&in, len);

            if (!bytes)
                return false;
            memcpy(p->to + at, bytes, len);
        } else if (back >= len) {
            memcpy(p->to + at, p->to + at - back, len);
        } else {
            for (uint32_t i = 0; i < len; i++) /* it overlaps what it makes */
                p->to[at + i] = p->to[at + i - back];
        }
        at += len;
    }
    return !in.bad && at == p->size;
}

/* ---- gzip ---- */

static void *pq_gz_alloc(void *opaque, unsigned count, unsigned size)
{
    return mem_alloc_array(opaque, count, size);
}

static void pq_gz_free(void *opaque, void *p)
{
    (void)opaque;
    mem_free(p);
}

/* zlib's pointers are not const. */
static Bytef *pq_gz_bytes(const uint8_t *p)
{
    union {
        const uint8_t *from;
        Bytef *to;
    } u = {.from = p};

    return u.to;
}

/* 0, 1: damaged, negative: out of memory. */
static int gzip_unpack(const struct pq_packed *p, struct mem_owner *owner)
{
    z_stream z = {.zalloc = pq_gz_alloc,
                  .zfree = pq_gz_free,
                  .opaque = owner,
                  .next_in = pq_gz_bytes(p->from),
                  .avail_in = (uInt)p->len,
                  .next_out = p->to,
                  .avail_out = (uInt)p->size};
    uint8_t spare; /* zlib wants room even where nothing comes out */
    int rc;

    if (p->size == 0) {
        z.next_out = &spare;
        z.avail_out = 1;
    }
    rc = inflateInit2(&z, GZIP_WINDOW);
    if (rc != Z_OK)
        return -1;
    do { /* a page may be several members */
        rc = inflate(&z, Z_FINISH);
    } while (rc == Z_STREAM_END && z.avail_in > 0 && z.avail_out > 0 && inflateReset(&z) == Z_OK);
    (void)inflateEnd(&z);
    if (rc == Z_MEM_ERROR)
        return -1;
    return rc != Z_STREAM_END || z.avail_out != (p->size == 0);
}

/* ---- Zstandard ---- */

static int zstd_unpack(const struct pq_packed *p, struct mem_owner *owner)
{
    size_t work_n = ZSTD_estimateDCtxSize();
    void *work = mem_alloc(owner, work_n);
    ZSTD_DCtx *ctx = work ? ZSTD_initStaticDCtx(work, work_n) : NULL;
    int rc = -1;

    if (ctx)
        rc = ZSTD_decompressDCtx(ctx, p->to, p->size, p->from, p->len) != p->size;
    mem_free(work);
    return rc;
}

int pq_unpack(const struct pq_packed *p, struct mem_owner *owner, struct dn_err *err)
{
    int rc = 1;

    if (p->len > INT32_MAX || p->size > INT32_MAX)
        return DN_FAIL(err, DN_E_BAD_COPY, "a page is too large");
    switch (p->codec) {
    case PQ_UNCOMPRESSED:
        rc = p->len != p->size;
        if (rc == 0 && p->size > 0)
            memcpy(p->to, p->from, p->size);
        break;
    case PQ_SNAPPY:
        rc = !snappy_unpack(p);
        break;
    case PQ_GZIP:
        rc = gzip_unpack(p, owner);
        break;
    case PQ_ZSTD:
        rc = zstd_unpack(p, owner);
        break;
    case PQ_LZ4_RAW:
        rc = LZ4_decompress_safe((const char *)p->from, (char *)p->to, (int)p->len, (int)p->size) !=
             (int)p->size;
        break;
    default:
        return DN_FAIL(err, DN_E_UNSUPPORTED, "a page is packed by %s", pq_codec_refusal(p->codec));
    }
    if (rc < 0)
        return DN_FAIL_NOMEM(err);
    return rc == 0 ? 0 : DN_FAIL(err, DN_E_BAD_COPY, "a page cannot be unpacked");
}

/* ---- packing ---- */

static size_t gzip_pack(const uint8_t *from, size_t len, uint8_t *to, size_t cap, void *owner)
{
    z_stream z = {.zalloc = pq_gz_alloc, .zfree = pq_gz_free, .opaque = owner};
    int rc;

    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return 0;
    z.next_in = pq_gz_bytes(from);
    z.avail_in = (uInt)len;
    z.next_out = to;
    z.avail_out = (uInt)cap;
    rc = deflate(&z, Z_FINISH);
    (void)deflateEnd(&z);
    return rc == Z_STREAM_END ? z.total_out : 0;
}

static size_t zstd_pack(const uint8_t *from, size_t len, uint8_t *to, size_t cap, void *owner)
{
    ZSTD_compressionParameters params = ZSTD_getCParams(PQ_ZSTD_LEVEL, len, 0);
    size_t work_n = ZSTD_estimateCCtxSize_usingCParams(params);
    void *work = mem_alloc(owner, work_n);
    ZSTD_CCtx *ctx = work ? ZSTD_initStaticCCtx(work, work_n) : NULL;
    size_t n = 0;

    if (ctx) {
        n = ZSTD_compressCCtx(ctx, to, cap, from, len, PQ_ZSTD_LEVEL);
        n = ZSTD_isError(n) ? 0 : n;
    }
    mem_free(work);
    return n;
}

int pq_pack(
    enum pq_codec codec, const uint8_t *from, size_t len, struct buf *to, struct dn_err *err)
{
    size_t cap = codec == PQ_ZSTD      ? ZSTD_compressBound(len)
                 : codec == PQ_GZIP    ? compressBound(len) + 64
                 : codec == PQ_LZ4_RAW ? (size_t)LZ4_compressBound((int)len)
                                       : len;
    size_t at = to->len;
    uint8_t *room;
    size_t n = len;

    DN_ASSERT(len <= INT32_MAX);
    room = buf_extend(to, cap + 1);
    if (!room)
        return DN_FAIL_NOMEM(err);
    if (codec == PQ_ZSTD)
        n = zstd_pack(from, len, room, cap, to->owner);
    else if (codec == PQ_GZIP)
        n = gzip_pack(from, len, room, cap, to->owner);
    else if (codec == PQ_LZ4_RAW)
        n = (size_t)LZ4_compress_default((const char *)from, (char *)room, (int)len, (int)cap);
    else if (len > 0)
        memcpy(room, from, len);
    if (n == 0 && codec != PQ_UNCOMPRESSED)
        return DN_FAIL_NOMEM(err);
    to->len = at + n;
    return 0;
}
