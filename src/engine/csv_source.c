/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_source.h"

#include "engine/csv_json.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define SOURCE_IN_BYTES   (256u * 1024) /* packed bytes read at once */
#define SOURCE_HEAD_BYTES 16u /* that tell what the data are: the longest of source_foreign */
#define SOURCE_LOOK_BYTES (1024u * 1024) /* unpacked bytes that tell the encoding */
#define SOURCE_RAW_BYTES  (64u * 1024)   /* unpacked bytes converted at once */

enum csv_packing { CSV_PLAIN, CSV_GZIP, CSV_ZSTD };

struct csv_source {
    csv_read_fn read;
    void *arg; /* borrowed */
    struct mem_owner *owner;
    enum csv_packing packing;
    uint64_t bytes;
    uint8_t *in; /* owned: bytes read and not used yet: [in_at, in_len) */
    size_t in_at;
    size_t in_len;
    bool eof;    /* the reader is at its end */
    bool middle; /* of a packed piece */
    z_stream gz;
    bool gz_open;
    ZSTD_DCtx *zstd;
    enum csv_encoding encoding;
    uint8_t *raw; /* owned: unpacked bytes that were not converted yet: [raw_at, raw_len) */
    size_t raw_at;
    size_t raw_len;
    size_t raw_cap;
    uint8_t
        put[CSV_CHAR_MAX]; /* of a character for which the caller had no room: [put_at, put_len) */
    size_t put_at;
    size_t put_len;
    struct csv_json json; /* CSV_NDJSON: raw are its lines, and made is what they came to */
    struct buf made;
    size_t made_at;
};

static int source_fill(struct csv_source *s, struct dn_err *err)
{
    size_t n = 0;
    int rc;

    if (s->eof || s->in_at < s->in_len)
        return 0;
    rc = s->read(s->arg, s->in, SOURCE_IN_BYTES, &n, err);
    if (rc < 0)
        return rc;
    if (n > SOURCE_IN_BYTES)
        return DN_FAIL(err, DN_E_MISUSE, "the reader gave more bytes than it was asked for");
    s->in_at = 0;
    s->in_len = n;
    s->bytes += n;
    s->eof = n == 0;
    return 0;
}

static void *source_gz_alloc(void *opaque, unsigned count, unsigned size)
{
    return mem_alloc_array(opaque, count, size);
}

static void source_gz_free(void *opaque, void *p)
{
    (void)opaque;
    mem_free(p);
}

/* First bytes of files that are no text. */
static const struct {
    const char *bytes;
    size_t len;
    const char *what;
} source_foreign[] = {
    {"PAR1\x15", 5, "Parquet"}, /* the magic, and the first field of a page's header */
    {"ARROW1\0", 7, "Arrow"},
    {"Obj\x01", 4, "Avro"},
    {"PK\x03\x04", 4, "zip (or Excel)"},
    {"\xfd"
     "7zXZ\0",
     6,
     "xz"},
    {"\x04\"M\x18", 4, "lz4"},
    {"BZh91AY&SY", 10, "bzip2"},
    {"SQLite format 3\0", 16, "SQLite"},
    {"\x89PNG\r\n", 6, "a picture (PNG)"},
    {"\xff\xd8\xff", 3, "a picture (JPEG)"},
    {"%PDF-", 5, "PDF"},
    {"\x7f"
     "ELF",
     4,
     "a program"},
    {"\xff\xfe", 2, "UTF-16"},
    {"\xfe\xff", 2, "UTF-16"},
};

static int source_refuse_foreign(const struct csv_source *s, struct dn_err *err)
{
    size_t i;

    for (i = 0; i < DN_ARRAY_SIZE(source_foreign); i++)
        if (s->in_len >= source_foreign[i].len &&
            memcmp(s->in, source_foreign[i].bytes, source_foreign[i].len) == 0)
            break;
    if (i == DN_ARRAY_SIZE(source_foreign) ||
        (s->encoding != CSV_UTF8 && strcmp(source_foreign[i].what, "UTF-16") == 0))
        return 0;
    (void)DN_FAIL(
        err, DN_E_BAD_COPY, "the data are %s, not a text in UTF-8", source_foreign[i].what);
    if (memcmp(s->in, "PAR1", 4) == 0)
        dn_err_hint(err, "COPY … (FORMAT parquet) and dendro import of a file read Parquet.");
    else if (strcmp(source_foreign[i].what, "UTF-16") == 0)
        dn_err_hint(err,
                    "COPY … (ENCODING 'UTF16') reads it, and so does dendro import by itself.");
    else
        dn_err_hint(err, "What is read is a text, plain or packed by gzip or zstd.");
    return DN_E_BAD_COPY;
}

static int source_detect(struct csv_source *s, struct dn_err *err)
{
    static const uint8_t gzip[] = {0x1f, 0x8b};
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t n = s->in_len;

    if (n >= sizeof gzip && memcmp(s->in, gzip, sizeof gzip) == 0) {
        s->packing = CSV_GZIP;
        s->gz = (z_stream){.zalloc = source_gz_alloc, .zfree = source_gz_free, .opaque = s->owner};
        if (inflateInit2(&s->gz, 15 + 16) != Z_OK)
            return DN_FAIL_NOMEM(err);
        s->gz_open = true;
    } else if (n >= sizeof zstd && memcmp(s->in, zstd, sizeof zstd) == 0) {
        s->packing = CSV_ZSTD;
        s->zstd = ZSTD_createDCtx();
        if (!s->zstd)
            return DN_FAIL_NOMEM(err);
    }
    return s->packing == CSV_PLAIN ? source_refuse_foreign(s, err) : 0;
}

static int
source_unpack(struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len, struct dn_err *err);

/* Bytes of the whole lines in raw; all of them at the end. */
static size_t source_json_whole(const struct csv_source *s)
{
    size_t len = s->raw_len;

    if (s->raw_len < s->raw_cap) /* it could not be filled: nothing follows */
        return len;
    while (len > 0 && s->raw[len - 1] != '\n')
        len--;
    return len;
}

static int source_json_begin(struct csv_source *s, struct dn_err *err)
{
    int rc;

    csv_json_init(&s->json, s->owner);
    rc = csv_json_names(&s->json, (const char *)s->raw, source_json_whole(s), err);
    if (rc == 0 && s->json.names_count == 0 && s->raw_len > 0)
        return DN_FAIL(err, DN_E_BAD_TEXT, "there is no JSON object with members in the text");
    if (rc == 0 && s->json.names_count > 0)
        csv_json_header(&s->json, &s->made);
    return rc;
}

/* The buffer for converting; of an encoding that is to be found out it first has the beginning. */
static int source_encoding(struct csv_source *s, struct dn_err *err)
{
    bool look = s->encoding == CSV_ENCODING_AUTO;
    int rc = 0;

    if (s->encoding == CSV_UTF8)
        return 0;
    look = look || s->encoding == CSV_NDJSON;
    s->raw_cap = look ? SOURCE_LOOK_BYTES : SOURCE_RAW_BYTES;
    s->raw = mem_alloc(s->owner, s->raw_cap);
    if (!s->raw)
        return DN_FAIL_NOMEM(err);
    if (look)
        rc = source_unpack(s, s->raw, s->raw_cap, &s->raw_len, err);
    if (rc == 0 && s->encoding == CSV_ENCODING_AUTO)
        s->encoding = csv_encoding_guess(s->raw, s->raw_len, s->raw_len < s->raw_cap);
    if (rc == 0 && s->encoding == CSV_NDJSON)
        rc = source_json_begin(s, err);
    return rc;
}

int csv_source_open(csv_read_fn fn,
                    void *arg,
                    enum csv_encoding encoding,
                    struct mem_owner *owner,
                    struct csv_source **ret,
                    struct dn_err *err)
{
    struct csv_source *s = mem_calloc(owner, 1, sizeof(*s));
    int rc = 0;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->read = fn;
    s->arg = arg;
    s->owner = owner;
    s->encoding = encoding;
    buf_init(&s->made, owner);
    s->in = mem_alloc(owner, SOURCE_IN_BYTES);
    if (!s->in)
        rc = DN_FAIL_NOMEM(err);
    /* A reader may give its bytes one by one: the first ones tell what they are. */
    while (rc == 0 && !s->eof && s->in_len < SOURCE_HEAD_BYTES) {
        size_t n = 0;

        rc = fn(arg, s->in + s->in_len, SOURCE_IN_BYTES - s->in_len, &n, err);
        if (rc == 0 && n > SOURCE_IN_BYTES - s->in_len)
            rc = DN_FAIL(err, DN_E_MISUSE, "the reader gave more bytes than it was asked for");
        if (rc == 0) {
            s->in_len += n;
            s->bytes += n;
            s->eof = n == 0;
        }
    }
    if (rc == 0)
        rc = source_detect(s, err);
    if (rc == 0)
        rc = source_encoding(s, err);
    if (rc < 0) {
        csv_source_close(s);
        return rc;
    }
    *ret = s;
    return 0;
}

void csv_source_close(struct csv_source *s)
{
    if (!s)
        return;
    if (s->gz_open)
        (void)inflateEnd(&s->gz);
    ZSTD_freeDCtx(s->zstd);
    csv_json_done(&s->json);
    buf_done(&s->made);
    mem_free(s->raw);
    mem_free(s->in);
    mem_free(s);
}

enum csv_encoding csv_source_encoding(const struct csv_source *s)
{
    return s->encoding;
}

uint64_t csv_source_bytes(const struct csv_source *s)
{
    return s->bytes;
}

/* Each of the three takes from in and adds to `to`, at least one byte somewhere unless one is at
 * its end. */
static int source_plain(struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len)
{
    size_t n = s->in_len - s->in_at < len ? s->in_len - s->in_at : len;

    memcpy(to, s->in + s->in_at, n);
    s->in_at += n;
    *ret_len = n;
    return 0;
}

static int
source_gzip(struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    int rc;

    len = len < UINT32_MAX ? len : UINT32_MAX;
    s->gz.next_in = s->in + s->in_at;
    s->gz.avail_in = (unsigned)(s->in_len - s->in_at);
    s->gz.next_out = to;
    s->gz.avail_out = (unsigned)len;
    s->middle = true;
    rc = inflate(&s->gz, Z_NO_FLUSH);
    s->in_at = s->in_len - s->gz.avail_in;
    *ret_len = len - s->gz.avail_out;
    if (rc == Z_STREAM_END) {
        s->middle = false;
        rc = inflateReset(&s->gz);
    }
    if (rc == Z_MEM_ERROR)
        return DN_FAIL_NOMEM(err);
    if (rc != Z_OK && rc != Z_BUF_ERROR)
        return DN_FAIL(err,
                       DN_E_BAD_COPY,
                       "the gzip data are damaged: %s",
                       s->gz.msg ? s->gz.msg : "unknown error");
    return 0;
}

static int
source_zstd(struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    ZSTD_inBuffer in = {.src = s->in, .size = s->in_len, .pos = s->in_at};
    ZSTD_outBuffer out = {.dst = to, .size = len};
    size_t rc = ZSTD_decompressStream(s->zstd, &out, &in);

    s->in_at = in.pos;
    *ret_len = out.pos;
    s->middle = rc != 0;
    if (ZSTD_isError(rc))
        return DN_FAIL(err, DN_E_BAD_COPY, "the zstd data are damaged: %s", ZSTD_getErrorName(rc));
    return 0;
}

static int
source_step(struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    switch (s->packing) {
    case CSV_PLAIN:
        return source_plain(s, to, len, ret_len);
    case CSV_GZIP:
        return source_gzip(s, to, len, ret_len, err);
    case CSV_ZSTD:
        return source_zstd(s, to, len, ret_len, err);
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown packing");
}

/* Fills `to` with unpacked bytes; fewer only at the end. */
static int
source_unpack(struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    size_t done = 0;

    while (done < len) {
        size_t n = 0;
        int rc = source_fill(s, err);

        if (rc < 0)
            return rc;
        if (s->in_at == s->in_len && s->eof) {
            /* What was read may still be inside the unpacker. */
            if (s->packing != CSV_PLAIN && s->middle) {
                rc = source_step(s, to + done, len - done, &n, err);
                if (rc < 0)
                    return rc;
                if (n == 0)
                    return DN_FAIL(err, DN_E_BAD_COPY, "the packed data end in the middle");
                done += n;
                continue;
            }
            break;
        }
        rc = source_step(s, to + done, len - done, &n, err);
        if (rc < 0)
            return rc;
        done += n;
    }
    *ret_len = done;
    return 0;
}

/* What csv_source_open has read to look at it, and then what follows. */
static int source_plain_text(
    struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    size_t n = s->raw_len - s->raw_at < len ? s->raw_len - s->raw_at : len;
    size_t rest = 0;
    int rc = 0;

    if (n > 0)
        memcpy(to, s->raw + s->raw_at, n);
    s->raw_at += n;
    if (s->raw && s->raw_at == s->raw_len) {
        mem_free(s->raw);
        s->raw = NULL;
        s->raw_at = s->raw_len = 0;
    }
    if (n < len)
        rc = source_unpack(s, to + n, len - n, &rest, err);
    *ret_len = n + rest;
    return rc;
}

/* More bytes to convert behind those that are left. */
static int source_more(struct csv_source *s, struct dn_err *err)
{
    size_t n = 0;
    int rc;

    memmove(s->raw, s->raw + s->raw_at, s->raw_len - s->raw_at);
    s->raw_len -= s->raw_at;
    s->raw_at = 0;
    rc = source_unpack(s, s->raw + s->raw_len, s->raw_cap - s->raw_len, &n, err);
    s->raw_len += n;
    return rc;
}

/* The next lines as records. */
static int source_json_more(struct csv_source *s, struct dn_err *err)
{
    size_t whole = source_json_whole(s);
    size_t n = 0;
    int rc;

    if (whole == 0 && s->raw_len > 0)
        return DN_FAIL(err, DN_E_TOO_LONG, "a line is longer than %zu bytes", s->raw_cap);
    buf_reset(&s->made);
    s->made_at = 0;
    rc = csv_json_lines(&s->json, (const char *)s->raw, whole, &s->made, err);
    if (rc < 0)
        return rc;
    memmove(s->raw, s->raw + whole, s->raw_len - whole);
    s->raw_len -= whole;
    rc = source_unpack(s, s->raw + s->raw_len, s->raw_cap - s->raw_len, &n, err);
    s->raw_len += n;
    return rc;
}

static int
source_json_read(struct csv_source *s, uint8_t *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    size_t done = 0;

    while (done < len) {
        size_t n = s->made.len - s->made_at;

        if (n == 0 && s->raw_len == 0)
            break;
        if (n == 0) {
            int rc = source_json_more(s, err);

            if (rc < 0)
                return rc;
            continue;
        }
        n = n < len - done ? n : len - done;
        memcpy(to + done, s->made.data + s->made_at, n);
        s->made_at += n;
        done += n;
    }
    *ret_len = done;
    return 0;
}

int csv_source_read(struct csv_source *s, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    uint8_t *out = to;
    size_t done = 0;

    if (s->encoding == CSV_UTF8)
        return source_plain_text(s, to, len, ret_len, err);
    if (s->encoding == CSV_NDJSON)
        return source_json_read(s, to, len, ret_len, err);
    while (done < len) {
        size_t used = 0;
        int rc = 0;

        if (s->put_at < s->put_len) {
            out[done++] = s->put[s->put_at++];
            continue;
        }
        if (s->raw_len - s->raw_at < CSV_CHAR_MAX)
            rc = source_more(s, err);
        if (rc < 0)
            return rc;
        if (s->raw_at == s->raw_len)
            break;
        rc = csv_encoding_take(
            s->encoding, s->raw + s->raw_at, s->raw_len - s->raw_at, &used, s->put, err);
        if (rc < 0)
            return rc;
        s->raw_at += used;
        s->put_at = 0;
        s->put_len = (size_t)rc;
        if (len - done >= CSV_CHAR_MAX) {
            memcpy(out + done, s->put, CSV_CHAR_MAX);
            done += s->put_len;
            s->put_len = 0;
        }
    }
    *ret_len = done;
    return 0;
}
