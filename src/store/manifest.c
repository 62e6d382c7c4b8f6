/* SPDX-License-Identifier: Apache-2.0
 *
 * The document is one buffer: head, chunks, segments, range tombstones, and a 64-bit checksum over
 * all before it. Every field but the bounds of tombstones is fixed-width little-endian. */
#include "store/manifest.h"

#include "catalog/catalog.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MANIFEST_MAGIC       0x464d4e44u /* "DNMF" */
#define MANIFEST_HEAD_BYTES  56u
#define MANIFEST_CHUNK_BYTES 25u
#define MANIFEST_SEG_BYTES   117u
#define MANIFEST_SEG2_BYTES  (MANIFEST_SEG_BYTES + 8u)
#define MANIFEST_RANGE_BYTES 20u /* at least */
#define MANIFEST_SUM_BYTES   8u

enum { SEG_FLAG_PATCH = 1, SEG_FLAG_DELETE = 2, SEG_FLAG_EXPIRY = 4, SEG_FLAG_LEVEL_SHIFT = 3 };

void manifest_init(struct manifest *m, struct mem_owner *owner)
{
    memset(m, 0, sizeof *m);
    m->owner = owner;
    m->segment_id_next = 1;
    m->chunk_next = 1;
}

void manifest_done(struct manifest *m)
{
    mem_free(m->chunks);
    mem_free(m->segs);
    range_list_done(&m->ranges);
    m->chunks = NULL;
    m->segs = NULL;
    m->chunks_count = 0;
    m->segs_count = 0;
}

int manifest_copy(const struct manifest *from, struct manifest *ret, struct dn_err *err)
{
    struct manifest m = *from;

    m.chunks = mem_dup(m.owner, from->chunks, m.chunks_count * sizeof *m.chunks);
    m.segs = mem_dup(m.owner, from->segs, m.segs_count * sizeof *m.segs);
    if (!m.chunks || !m.segs || !range_list_copy(&from->ranges, &m.ranges, m.owner)) {
        mem_free(m.chunks);
        mem_free(m.segs);
        return DN_FAIL_NOMEM(err);
    }
    *ret = m;
    return DN_OK;
}

int manifest_add_chunk(struct manifest *m, uint64_t epoch, uint64_t number, struct dn_err *err)
{
    struct manifest_chunk *chunks;

    chunks = mem_realloc(m->owner, m->chunks, (m->chunks_count + 1) * sizeof *chunks);
    if (!chunks)
        return DN_FAIL_NOMEM(err);
    m->chunks = chunks;
    chunks[m->chunks_count++] = (struct manifest_chunk){.epoch = epoch, .number = number};
    return DN_OK;
}

int manifest_add_seg(struct manifest *m, const struct seg_meta *meta, struct dn_err *err)
{
    struct seg_meta *segs;

    segs = mem_realloc(m->owner, m->segs, (m->segs_count + 1) * sizeof *segs);
    if (!segs)
        return DN_FAIL_NOMEM(err);
    m->segs = segs;
    segs[m->segs_count++] = *meta;
    return DN_OK;
}

void manifest_remove_chunks(struct manifest *m, size_t count)
{
    DN_ASSERT(count <= m->chunks_count);
    m->chunks_count -= count;
    if (count && m->chunks_count)
        memmove(m->chunks, m->chunks + count, m->chunks_count * sizeof *m->chunks);
}

void manifest_remove_empty_chunks(struct manifest *m)
{
    size_t keep = 0;

    for (size_t i = 0; i < m->chunks_count; i++)
        if (!m->chunks[i].sealed || m->chunks[i].len > 0)
            m->chunks[keep++] = m->chunks[i];
    m->chunks_count = keep;
}

bool manifest_is_used(const struct manifest *m)
{
    return m->segs_count > 0 || m->flushed_seq > 0 || m->segment_id_next > 1;
}

bool manifest_chunk_is_open(const struct manifest *m, uint64_t number)
{
    const struct manifest_chunk *last = m->chunks_count ? &m->chunks[m->chunks_count - 1] : NULL;

    return last && last->number == number && !last->sealed;
}

static bool
manifest_seg_is_hit(const struct manifest *m, const struct table *t, const struct seg_meta *seg)
{
    for (size_t i = 0; i < m->ranges.count; i++)
        if (range_on_segment(m->ranges.v[i], t, seg) > 0)
            return true;
    return false;
}

void manifest_apply_ranges(struct manifest *m, const struct catalog *cat)
{
    size_t keep = 0;

    if (m->ranges.count == 0)
        return;
    for (size_t i = 0; i < m->segs_count; i++) {
        const struct table *t = catalog_table_by_id(cat, m->segs[i].table_id);
        if (!t || !manifest_seg_is_hit(m, t, &m->segs[i]))
            m->segs[keep++] = m->segs[i];
    }
    m->segs_count = keep;
    keep = 0;
    for (size_t i = 0; i < m->ranges.count; i++) {
        struct range *r = m->ranges.v[i];
        const struct table *t = catalog_table_by_id(cat, r->table_id);
        bool needed = false;
        for (size_t k = 0; t && k < m->segs_count && !needed; k++)
            needed = range_on_segment(r, t, &m->segs[k]) >= 0;
        if (needed)
            m->ranges.v[keep++] = r;
        else
            range_unref(r);
    }
    m->ranges.count = keep;
}

static int manifest_compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

void manifest_keep_unnamed(const struct manifest *m,
                           enum volume_kind kind,
                           struct volume_names *names)
{
    size_t count = kind == VOLUME_LOG ? m->chunks_count : m->segs_count;
    bool *named;
    size_t keep = 0;

    if (names->count == 0)
        return; /* bsearch must not get the array of an empty list, which is NULL */
    named = mem_calloc(m->owner, names->count, sizeof *named);
    for (size_t i = 0; named && i < count; i++) {
        char name[VOLUME_NAME_MAX + 1];
        char(*hit)[VOLUME_NAME_MAX + 1];

        if (kind == VOLUME_LOG)
            manifest_chunk_name(&m->chunks[i], name);
        else
            seg_name(m->segs[i].table_id, m->segs[i].id, name);
        hit =
            bsearch(name, names->names, names->count, sizeof *names->names, manifest_compare_names);
        if (hit)
            named[hit - names->names] = true;
    }
    for (size_t i = 0; named && i < names->count; i++)
        if (!named[i])
            memmove(names->names[keep++], names->names[i], sizeof *names->names);
    names->count = keep;
    mem_free(named);
}

size_t manifest_find_seg(const struct manifest *m, uint64_t id)
{
    for (size_t i = 0; i < m->segs_count; i++)
        if (m->segs[i].id == id)
            return i;
    return SIZE_MAX;
}

void manifest_chunk_name(const struct manifest_chunk *c, char ret[VOLUME_NAME_MAX + 1])
{
    (void)snprintf(
        ret, VOLUME_NAME_MAX + 1, "log/0/%016" PRIx64 "-%016" PRIx64, c->epoch, c->number);
}

static void manifest_print_seg(const struct seg_meta *s, struct buf *b)
{
    buf_u64(b, s->id);
    buf_u64(b, s->table_id);
    buf_u32(b, s->table_version);
    buf_u64(b, s->rows);
    buf_u64(b, s->bytes);
    buf_u32(b, s->runs);
    buf_u32(b, s->blocks);
    buf_u64(b, s->seq_min);
    buf_u64(b, s->seq_max);
    buf_u64(b, (uint64_t)s->slab_min);
    buf_u64(b, (uint64_t)s->slab_max);
    buf_u64(b, (uint64_t)s->time_min);
    buf_u64(b, (uint64_t)s->time_max);
    buf_u64(b, (uint64_t)s->token_min);
    buf_u64(b, (uint64_t)s->token_max);
    buf_u64(b, s->rowid_max);
    buf_u8(b,
           (uint8_t)((s->has_patch ? SEG_FLAG_PATCH : 0) | (s->has_delete ? SEG_FLAG_DELETE : 0) |
                     (s->has_expiry ? SEG_FLAG_EXPIRY : 0) | s->level << SEG_FLAG_LEVEL_SHIFT));
}

static void manifest_print_range(const struct range *r, struct buf *b)
{
    size_t start;

    buf_u64(b, r->table_id);
    buf_u64(b, r->seq);
    buf_u32(b, 0);
    start = b->len;
    range_print(r, b);
    if (!b->failed)
        le_put32(b->data + start - 4, (uint32_t)(b->len - start));
}

int manifest_print(const struct manifest *m, struct buf *ret, struct dn_err *err)
{
    size_t start = ret->len;
    bool ranges = m->ranges.count > 0; /* an older release reads what has none */

    buf_u32(ret, MANIFEST_MAGIC);
    buf_u16(ret, ranges ? MANIFEST_FORMAT : 1);
    buf_u16(ret, 0);
    buf_u64(ret, m->epoch);
    buf_u64(ret, m->flushed_seq);
    buf_u64(ret, m->segment_id_next);
    buf_u64(ret, m->chunk_next);
    buf_u64(ret, m->chunks_count);
    buf_u64(ret, m->segs_count);
    if (ranges)
        buf_u64(ret, m->ranges.count);
    for (size_t i = 0; i < m->chunks_count; i++) {
        const struct manifest_chunk *c = &m->chunks[i];
        buf_u64(ret, c->epoch);
        buf_u64(ret, c->number);
        buf_u64(ret, c->len);
        buf_u8(ret, c->sealed);
    }
    for (size_t i = 0; i < m->segs_count; i++) {
        manifest_print_seg(&m->segs[i], ret);
        if (ranges)
            buf_u64(ret, m->segs[i].applied);
    }
    for (size_t i = 0; i < m->ranges.count; i++)
        manifest_print_range(m->ranges.v[i], ret);
    if (!ret->failed)
        buf_u64(ret, dn_checksum64(ret->data + start, ret->len - start));
    if (ret->failed)
        return DN_FAIL_NOMEM(err);
    return DN_OK;
}

static void manifest_parse_seg(struct rd *r, struct seg_meta *s)
{
    uint8_t flags;

    s->id = rd_u64(r);
    s->table_id = rd_u64(r);
    s->table_version = rd_u32(r);
    s->rows = rd_u64(r);
    s->bytes = rd_u64(r);
    s->runs = rd_u32(r);
    s->blocks = rd_u32(r);
    s->seq_min = rd_u64(r);
    s->seq_max = rd_u64(r);
    s->slab_min = (int64_t)rd_u64(r);
    s->slab_max = (int64_t)rd_u64(r);
    s->time_min = (int64_t)rd_u64(r);
    s->time_max = (int64_t)rd_u64(r);
    s->token_min = (int64_t)rd_u64(r);
    s->token_max = (int64_t)rd_u64(r);
    s->rowid_max = rd_u64(r);
    flags = rd_u8(r);
    s->has_patch = flags & SEG_FLAG_PATCH;
    s->has_delete = flags & SEG_FLAG_DELETE;
    s->has_expiry = flags & SEG_FLAG_EXPIRY;
    s->level = (uint8_t)(flags >> SEG_FLAG_LEVEL_SHIFT);
}

static int
manifest_parse_ranges(struct rd *r, uint64_t count, struct manifest *m, struct dn_err *err)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t table_id = rd_u64(r);
        uint64_t seq = rd_u64(r);
        uint32_t len = rd_u32(r);
        const uint8_t *p = rd_bytes(r, len);
        struct rd body = rd_make(p, p ? len : 0);
        struct range *range;
        int rc;

        DN_CHECK_DISK(!r->bad, err, "manifest: range tombstone %" PRIu64 " is cut short", i);
        DN_CHECK_DISK(seq <= m->flushed_seq,
                      err,
                      "manifest: a range tombstone of commit %" PRIu64 ", flushed are %" PRIu64,
                      seq,
                      m->flushed_seq);
        rc = range_parse(&body, m->owner, table_id, seq, &range, err);
        if (rc == DN_E_CORRUPT)
            dn_err_prefix(err, "manifest");
        if (rc < 0)
            return rc;
        if (!range_list_add(&m->ranges, range, m->owner))
            rc = DN_FAIL_NOMEM(err);
        range_unref(range);
        if (rc < 0)
            return rc;
    }
    DN_CHECK_DISK(rd_left(r) == 0, err, "manifest: %zu bytes left over", rd_left(r));
    return DN_OK;
}

static int manifest_parse_lists(struct rd *r,
                                uint64_t chunks,
                                uint64_t segs,
                                bool applied,
                                struct manifest *m,
                                struct dn_err *err)
{
    m->chunks = mem_calloc(m->owner, (size_t)chunks, sizeof *m->chunks);
    m->segs = mem_calloc(m->owner, (size_t)segs, sizeof *m->segs);
    if (!m->chunks || !m->segs)
        return DN_FAIL_NOMEM(err);
    m->chunks_count = (size_t)chunks;
    m->segs_count = (size_t)segs;
    for (size_t i = 0; i < m->chunks_count; i++) {
        struct manifest_chunk *c = &m->chunks[i];
        uint8_t sealed;
        c->epoch = rd_u64(r);
        c->number = rd_u64(r);
        c->len = rd_u64(r);
        sealed = rd_u8(r);
        DN_CHECK_DISK(sealed <= 1, err, "manifest: log chunk %zu has flag %u", i, sealed);
        DN_CHECK_DISK(sealed || i + 1 == m->chunks_count,
                      err,
                      "manifest: log chunk %zu of %zu is not sealed",
                      i,
                      m->chunks_count);
        c->sealed = sealed;
    }
    for (size_t i = 0; i < m->segs_count; i++) {
        struct seg_meta *s = &m->segs[i];
        manifest_parse_seg(r, s);
        s->applied = applied ? rd_u64(r) : 0;
        DN_CHECK_DISK(s->id < m->segment_id_next,
                      err,
                      "manifest: segment id %" PRIu64 " was never given out",
                      s->id);
        DN_CHECK_DISK(s->rows > 0 && s->bytes <= VOLUME_OBJECT_MAX,
                      err,
                      "manifest: segment %" PRIu64 " claims %" PRIu64 " rows in %" PRIu64 " bytes",
                      s->id,
                      s->rows,
                      s->bytes);
    }
    return DN_OK;
}

int manifest_parse(
    const void *p, size_t n, struct mem_owner *owner, struct manifest *ret, struct dn_err *err)
{
    struct rd r;
    struct manifest m;
    uint64_t chunks;
    uint64_t segs;
    uint64_t ranges = 0;
    uint64_t need;
    uint16_t version;
    int rc;

    DN_CHECK_DISK(
        n >= MANIFEST_HEAD_BYTES + MANIFEST_SUM_BYTES, err, "manifest: only %zu bytes", n);
    r = rd_make(p, n - MANIFEST_SUM_BYTES);
    DN_CHECK_DISK(rd_u32(&r) == MANIFEST_MAGIC, err, "manifest: not a manifest (magic number)");
    version = rd_u16(&r);
    if (version > MANIFEST_FORMAT)
        return DN_FAIL(err,
                       DN_E_VERSION,
                       "manifest: format version %u, this release reads up to %u",
                       version,
                       MANIFEST_FORMAT);
    DN_CHECK_DISK(dn_checksum64(p, n - MANIFEST_SUM_BYTES) ==
                      le_get64((const uint8_t *)p + n - MANIFEST_SUM_BYTES),
                  err,
                  "manifest: checksum mismatch over %zu bytes",
                  n);
    DN_CHECK_DISK(version > 0 && rd_u16(&r) == 0, err, "manifest: format version %u", version);
    manifest_init(&m, owner);
    m.epoch = rd_u64(&r);
    m.flushed_seq = rd_u64(&r);
    m.segment_id_next = rd_u64(&r);
    m.chunk_next = rd_u64(&r);
    chunks = rd_u64(&r);
    segs = rd_u64(&r);
    if (version > 1) {
        ranges = rd_u64(&r);
        DN_CHECK_DISK(ranges > 0, err, "manifest: format version %u without need", version);
    }
    DN_CHECK_DISK(chunks <= n && segs <= n && ranges <= n,
                  err,
                  "manifest: %" PRIu64 " chunks and %" PRIu64 " segments do not fit %zu bytes",
                  chunks,
                  segs,
                  n);
    need = chunks * MANIFEST_CHUNK_BYTES +
           segs * (version > 1 ? MANIFEST_SEG2_BYTES : MANIFEST_SEG_BYTES) +
           ranges * MANIFEST_RANGE_BYTES;
    DN_CHECK_DISK(version > 1 ? rd_left(&r) >= need : rd_left(&r) == need,
                  err,
                  "manifest: %" PRIu64 " chunks and %" PRIu64 " segments do not fit %zu bytes",
                  chunks,
                  segs,
                  n);
    rc = manifest_parse_lists(&r, chunks, segs, version > 1, &m, err);
    if (rc == DN_OK)
        rc = manifest_parse_ranges(&r, ranges, &m, err);
    if (rc == DN_OK && r.bad)
        rc = DN_FAIL(err, DN_E_CORRUPT, "manifest: cut short");
    if (rc < 0) {
        manifest_done(&m);
        return rc;
    }
    *ret = m;
    return DN_OK;
}
