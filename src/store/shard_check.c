/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_check.c: `dendro check`. Reads everything, changes nothing, goes on after each fault. */
#include "store/shard_int.h"

#include <inttypes.h>
#include <stdio.h>

struct checker {
    struct volume *v;
    struct catalog *cat;
    shard_report_fn report;
    void *arg;
    uint64_t faults;
    struct manifest man;
    struct mem_owner owner;
    uint64_t rows;
    uint64_t commits;
    bool catalog_lost; /* there is no catalog, in no document and in no commit so far */
};

static void check_fault(struct checker *c, const char *text)
{
    c->faults++;
    c->report(c->arg, true, text);
}

static void check_segment(struct checker *c, const struct seg_meta *m)
{
    const struct table *t = catalog_table_by_id(c->cat, m->table_id);
    const struct seg_meta *own;
    char name[VOLUME_NAME_MAX + 1];
    char text[DN_ERR_TEXT_MAX];
    struct dn_err err;
    struct seg *seg = NULL;
    int rc;

    seg_name(m->table_id, m->id, name);
    if (!t) {
        (void)snprintf(text,
                       sizeof text,
                       "object %s belongs to a dropped table; the next open removes it",
                       name);
        c->report(c->arg, false, text);
        return;
    }
    dn_err_clear(&err);
    rc = seg_open(c->v, NULL, t, m->table_id, m->id, &seg, &err);
    if (rc == DN_OK)
        rc = seg_verify(seg, &err);
    if (rc < 0) {
        /* The error names the object itself, with or without the word. */
        (void)snprintf(text,
                       sizeof text,
                       "table \"%s\", %s%.500s",
                       t->name,
                       strncmp(err.text, name, strlen(name)) == 0 ? "object " : "",
                       err.text);
        check_fault(c, text);
        seg_unref(seg);
        return;
    }
    own = seg_get_meta(seg);
    if (own->rows != m->rows || own->seq_min != m->seq_min || own->seq_max != m->seq_max ||
        own->runs != m->runs || own->time_min != m->time_min || own->time_max != m->time_max ||
        own->slab_min != m->slab_min || own->slab_max != m->slab_max ||
        own->token_min != m->token_min || own->token_max != m->token_max) {
        (void)snprintf(text,
                       sizeof text,
                       "table \"%s\", object %s: the manifest describes it differently (%" PRIu64
                       " rows there, %" PRIu64 " here)",
                       t->name,
                       name,
                       m->rows,
                       own->rows);
        check_fault(c, text);
    }
    c->rows += own->rows;
    seg_unref(seg);
}

static int check_range(struct checker *c, struct log_batch *b, uint64_t seq, struct dn_err *err)
{
    const struct table *t = catalog_table_by_id(c->cat, b->table_id);
    struct range *r;
    int rc = range_parse(&b->range, &c->owner, b->table_id, seq, &r, err);

    if (rc < 0)
        return rc;
    rc = t ? range_check(r, t, err) : DN_OK;
    range_unref(r);
    return rc;
}

static int check_catalog(struct checker *c, struct log_batch *b, struct dn_err *err)
{
    size_t len = rd_left(&b->catalog);
    const uint8_t *json = rd_bytes(&b->catalog, len);
    struct catalog *cat;
    int rc = catalog_parse(json, len, &cat, err);

    if (rc == DN_OK)
        catalog_unref(cat);
    c->catalog_lost = false;
    return rc;
}

static int check_frames(struct checker *c, struct log_reader *r, struct dn_err *err)
{
    struct log_frame f;
    struct arena arena;
    int rc;

    arena_init(&arena, &c->owner);
    while ((rc = log_reader_next(r, &f, err)) == DN_OK) {
        struct log_commit commit;
        while ((rc = log_commit_next(&f, &commit, err)) == DN_OK) {
            struct log_batch b;
            arena_reset(&arena);
            while ((rc = log_batch_next(&f, &commit, &arena, &b, err)) == DN_OK) {
                if (b.op == ROW_CATALOG)
                    rc = check_catalog(c, &b, err);
                else if (c->catalog_lost)
                    rc = shard_fail_catalog_lost(err);
                else if (b.op == ROW_RANGE)
                    rc = check_range(c, &b, commit.seq, err);
                if (rc < 0)
                    break;
            }
            if (rc < 0)
                break;
            c->commits++;
        }
        if (rc < 0)
            break;
    }
    arena_done(&arena);
    return rc < 0 ? rc : DN_OK;
}

static void check_chunk(struct checker *c, const struct manifest_chunk *chunk)
{
    char name[VOLUME_NAME_MAX + 1];
    char text[DN_ERR_TEXT_MAX];
    struct log_reader reader;
    struct dn_err err;
    struct buf data;
    int rc;

    manifest_chunk_name(chunk, name);
    buf_init(&data, &c->owner);
    dn_err_clear(&err);
    rc = volume_log_read(c->v, name, 0, &data, &err);
    if (rc == DN_NOT_FOUND && chunk->sealed && chunk->len == 0) {
        buf_done(&data);
        return;
    }
    if (rc == DN_NOT_FOUND)
        rc = DN_FAIL(&err, DN_E_CORRUPT, "the manifest names it, but it is missing");
    if (rc == DN_OK && chunk->sealed && data.len < chunk->len)
        rc = DN_FAIL(&err,
                     DN_E_CORRUPT,
                     "%zu bytes, but %" PRIu64 " were acknowledged",
                     data.len,
                     chunk->len);
    memset(&reader, 0, sizeof reader);
    if (rc == DN_OK) {
        log_reader_init(
            &reader, name, data.data, chunk->sealed ? (size_t)chunk->len : data.len, chunk->sealed);
        rc = check_frames(c, &reader, &err);
    }
    if (rc < 0) {
        (void)snprintf(text, sizeof text, "log %s: %.500s", name, err.text);
        check_fault(c, text);
    } else if (reader.torn) {
        (void)snprintf(text,
                       sizeof text,
                       "log %s ends in %zu bytes of an append that was never acknowledged",
                       name,
                       data.len - reader.next);
        c->report(c->arg, false, text);
    }
    buf_done(&data);
}

/* Objects nobody names: harmless, the next open removes them. */
static void check_leftovers(struct checker *c)
{
    struct volume_names names = {0};
    char text[DN_ERR_TEXT_MAX];

    if (volume_list(c->v, "seg/", &names, NULL) != DN_OK) {
        volume_names_done(&names);
        return;
    }
    manifest_keep_unnamed(&c->man, VOLUME_OBJECT, &names);
    for (size_t i = 0; i < names.count; i++) {
        (void)snprintf(
            text, sizeof text, "object %s is not in use; the next open removes it", names.names[i]);
        c->report(c->arg, false, text);
    }
    volume_names_done(&names);
}

int shard_check(struct volume *v,
                struct catalog *cat,
                shard_report_fn report,
                void *arg,
                uint64_t *ret_faults,
                struct dn_err *err)
{
    struct checker c = {.v = v, .cat = cat, .report = report, .arg = arg};
    struct dn_err why;
    struct buf doc;
    uint64_t generation;
    char text[128];
    int rc;

    mem_owner_init(&c.owner, "check", NULL, 0);
    buf_init(&doc, &c.owner);
    rc = volume_doc_read(v, MANIFEST_DOC, &doc, &generation, &why);
    if (rc == DN_OK)
        rc = manifest_parse(doc.data, doc.len, &c.owner, &c.man, &why);
    buf_done(&doc);
    if (rc == DN_NOT_FOUND && cat->generation > 0)
        rc = DN_FAIL(
            &why, DN_E_CORRUPT, "document '" MANIFEST_DOC "' is missing, but there is a catalog");
    if (rc == DN_NOT_FOUND && shard_check_unwritten(v, &why) < 0)
        rc = DN_E_CORRUPT;
    if (rc == DN_NOT_FOUND) {
        *ret_faults = 0;
        report(arg, false, "no manifest yet: nothing was ever written");
        return DN_OK;
    }
    if (rc == DN_E_NOMEM) {
        if (err)
            *err = why;
        return rc;
    }
    if (rc < 0) {
        check_fault(&c, why.text);
        *ret_faults = c.faults;
        return DN_OK;
    }
    c.catalog_lost = cat->generation == 0 && cat->version == 0;
    if (c.catalog_lost && manifest_is_used(&c.man)) {
        DN_IGNORE(shard_fail_catalog_lost(&why));
        check_fault(&c, why.text);
        c.catalog_lost = false; /* said once is enough */
    }
    for (size_t i = 0; i < c.man.segs_count; i++)
        check_segment(&c, &c.man.segs[i]);
    for (size_t i = 0; i < c.man.ranges.count; i++) {
        const struct table *t = catalog_table_by_id(cat, c.man.ranges.v[i]->table_id);
        if (t && range_check(c.man.ranges.v[i], t, &why) < 0)
            check_fault(&c, why.text);
    }
    for (size_t i = 0; i < c.man.chunks_count; i++)
        check_chunk(&c, &c.man.chunks[i]);
    check_leftovers(&c);
    (void)snprintf(text,
                   sizeof text,
                   "%zu segments with %" PRIu64 " rows, %zu log chunks with %" PRIu64 " commits",
                   c.man.segs_count,
                   c.rows,
                   c.man.chunks_count,
                   c.commits);
    report(arg, false, text);
    manifest_done(&c.man);
    *ret_faults = c.faults;
    return DN_OK;
}
