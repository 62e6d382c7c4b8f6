/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_open.c: opening a segment: header, trailer, footer. One read of the header and the object's
 * last 64 KiB serves most; a longer footer takes a second one. */
#include "base/hash.h"
#include "store/seg_reader.h"

#include <stdio.h>

void seg_name(uint64_t table_id, uint64_t id, char ret[VOLUME_NAME_MAX + 1])
{
    (void)snprintf(ret,
                   VOLUME_NAME_MAX + 1,
                   "seg/%016llx/%016llx",
                   (unsigned long long)table_id,
                   (unsigned long long)id);
}

static int
seg_check_version(const struct seg *s, uint32_t version, const char *where, struct dn_err *err)
{
    if (version > SEG_FORMAT)
        return DN_FAIL(err,
                       DN_E_VERSION,
                       "%s: segment format %u in its %s is newer than format %u, the newest this "
                       "release reads",
                       s->name,
                       version,
                       where,
                       SEG_FORMAT);
    DN_CHECK_DISK(version > 0, err, "%s: segment format 0 in its %s", s->name, where);
    return 0;
}

int seg_check_header(const struct seg *s,
                     const uint8_t *p,
                     uint32_t *ret_table_version,
                     struct dn_err *err)
{
    int rc;

    DN_CHECK_DISK(memcmp(p, SEG_HEADER_MAGIC, SEG_MAGIC_SIZE) == 0,
                  err,
                  "%s: no segment begins at offset 0",
                  s->name);
    rc = seg_check_version(s, le_get32(p + 8), "header", err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(le_get64(p + 32) == dn_checksum64(p, 32),
                  err,
                  "%s: checksum of the header at offset 0 does not fit",
                  s->name);
    DN_CHECK_DISK(le_get64(p + 16) == s->meta.table_id && le_get64(p + 24) == s->meta.id,
                  err,
                  "%s: holds segment %016llx of table %016llx",
                  s->name,
                  (unsigned long long)le_get64(p + 24),
                  (unsigned long long)le_get64(p + 16));
    *ret_table_version = le_get32(p + 12);
    return 0;
}

int seg_check_trailer(const struct seg *s,
                      const uint8_t *p,
                      uint64_t size,
                      struct seg_trailer *ret,
                      struct dn_err *err)
{
    unsigned long long at = size - SEG_TRAILER_SIZE;
    struct seg_trailer t = {
        .footer_at = le_get64(p), .footer_len = le_get64(p + 8), .checksum = le_get64(p + 24)};
    int rc;

    DN_CHECK_DISK(memcmp(p + 40, SEG_TRAILER_MAGIC, SEG_MAGIC_SIZE) == 0,
                  err,
                  "%s: no segment trailer at offset %llu",
                  s->name,
                  at);
    rc = seg_check_version(s, le_get32(p + 36), "trailer", err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(le_get32(p + 32) == dn_checksum32(p, 32),
                  err,
                  "%s: checksum of the trailer at offset %llu does not fit",
                  s->name,
                  at);
    DN_CHECK_DISK(le_get64(p + 16) == size,
                  err,
                  "%s: %llu bytes of a segment of %llu",
                  s->name,
                  (unsigned long long)size,
                  (unsigned long long)le_get64(p + 16));
    DN_CHECK_DISK(t.footer_at >= SEG_HEADER_SIZE && t.footer_at <= at &&
                      t.footer_len == at - t.footer_at,
                  err,
                  "%s: footer of %llu bytes at offset %llu is out of place",
                  s->name,
                  (unsigned long long)t.footer_len,
                  (unsigned long long)t.footer_at);
    *ret = t;
    return 0;
}

/* Fills s->footer, of which the last `have` bytes (or more) stand before `end`. */
static int seg_load_footer(struct seg *s,
                           const uint8_t *end,
                           uint64_t have,
                           const struct seg_trailer *t,
                           struct dn_err *err)
{
    struct volume_range range;
    uint64_t missing = t->footer_len > have ? t->footer_len - have : 0;
    int rc = 0;

    s->footer_at = t->footer_at;
    s->footer_len = t->footer_len;
    s->footer = mem_alloc(s->owner, (size_t)t->footer_len);
    if (!s->footer)
        return DN_FAIL_NOMEM(err);
    if (missing) {
        range = (struct volume_range){
            .offset = t->footer_at, .len = (uint32_t)missing, .to = s->footer};
        rc = volume_read(s->volume, s->name, &range, 1, err);
        if (rc < 0)
            return rc;
    }
    memcpy(s->footer + missing, end - (t->footer_len - missing), (size_t)(t->footer_len - missing));
    DN_CHECK_DISK(dn_checksum64(s->footer, (size_t)s->footer_len) == t->checksum,
                  err,
                  "%s: checksum of the footer at offset %llu does not fit",
                  s->name,
                  (unsigned long long)s->footer_at);
    return 0;
}

static int seg_load(struct seg *s, struct dn_err *err)
{
    uint8_t header[SEG_HEADER_SIZE];
    struct volume_range ranges[2];
    struct seg_trailer trailer;
    uint64_t size;
    uint32_t tail_len;
    uint8_t *tail;
    int rc = volume_size(s->volume, s->name, &size, err);

    if (rc < 0)
        return rc;
    DN_CHECK_DISK(size >= SEG_HEADER_SIZE + SEG_META_SIZE + SEG_TRAILER_SIZE &&
                      size <= VOLUME_OBJECT_MAX,
                  err,
                  "%s: no segment has %llu bytes",
                  s->name,
                  (unsigned long long)size);
    s->meta.bytes = size;
    tail_len = size < SEG_TAIL_READ ? (uint32_t)size : SEG_TAIL_READ;
    tail = mem_alloc(s->owner, tail_len);
    if (!tail)
        return DN_FAIL_NOMEM(err);
    ranges[0] = (struct volume_range){.offset = 0, .len = SEG_HEADER_SIZE, .to = header};
    ranges[1] = (struct volume_range){.offset = size - tail_len, .len = tail_len, .to = tail};
    rc = volume_read(s->volume, s->name, ranges, 2, err);
    if (rc == 0)
        rc = seg_check_header(s, header, &s->meta.table_version, err);
    if (rc == 0)
        rc = seg_check_trailer(s, tail + tail_len - SEG_TRAILER_SIZE, size, &trailer, err);
    if (rc == 0)
        rc = seg_load_footer(
            s, tail + tail_len - SEG_TRAILER_SIZE, tail_len - SEG_TRAILER_SIZE, &trailer, err);
    mem_free(tail);
    return rc;
}

static void seg_number_dicts(struct seg *s)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < s->cols_count; i++) {
        s->cols[i].dict_first = count;
        count += s->cols[i].vecs_count;
    }
    s->dicts_first = vec_dict_ids(count);
}

int seg_open(struct volume *v,
             struct cache *cache,
             const struct table *t,
             uint64_t table_id,
             uint64_t id,
             struct seg **ret,
             struct dn_err *err)
{
    struct mem_owner *owner = cache ? cache_owner(cache) : NULL;
    struct seg *s = mem_calloc(owner, 1, sizeof *s);
    int rc;

    if (!s)
        return DN_FAIL_NOMEM(err);
    atomic_init(&s->refs, 1);
    s->volume = v;
    s->cache = cache;
    s->owner = owner;
    s->table = table_ref(t);
    s->meta.id = id;
    s->meta.table_id = table_id;
    arena_init(&s->arena, owner);
    seg_name(table_id, id, s->name);
    rc = seg_load(s, err);
    if (rc == 0)
        rc = seg_parse_footer(s, err);
    if (rc < 0) {
        s->charged = 0; /* so far only counted */
        seg_unref(s);
        return rc;
    }
    seg_number_dicts(s);
    if (cache)
        cache_charge(cache, s->charged);
    *ret = s;
    return 0;
}

struct seg *seg_ref(struct seg *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void seg_unref(struct seg *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (s->cache && s->charged)
        cache_uncharge(s->cache, s->charged);
    arena_done(&s->arena);
    mem_free(s->footer);
    table_unref(s->table);
    mem_free(s);
}
