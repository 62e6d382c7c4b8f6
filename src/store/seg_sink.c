/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_sink.c: sorted rows become segment objects of the right size. See shard_int.h. */
#include "store/seg_sink.h"
#include "store/shard_int.h"

#define SINK_SLAB_BYTES (1024u * 1024) /* a segment this big ends at the end of its slab */
#define SINK_BYTES_MAX  (SEG_BYTES_TARGET + SEG_BYTES_TARGET / 2) /* however long a series is */

int seg_sink_finish(struct seg_sink *k, struct dn_err *err)
{
    struct shard *s = k->s;
    struct seg_meta meta;
    struct seg_meta *grown;
    struct buf bytes;
    char name[VOLUME_NAME_MAX + 1];
    int rc;

    if (!k->w)
        return DN_OK;
    grown = mem_realloc(&s->owner, k->metas, (k->metas_count + 1) * sizeof *grown);
    if (!grown)
        return DN_FAIL_NOMEM(err);
    k->metas = grown;
    buf_init(&bytes, &s->owner);
    rc = seg_writer_finish(k->w, &bytes, &meta, err);
    seg_writer_free(k->w);
    k->w = NULL;
    if (rc == DN_OK) {
        seg_name(meta.table_id, meta.id, name);
        rc = volume_put(s->volume, name, bytes.data, bytes.len, err);
    }
    if (rc == DN_OK) {
        meta.level = k->level;
        k->bytes += bytes.len;
        k->metas[k->metas_count++] = meta;
    }
    buf_done(&bytes);
    return rc;
}

int seg_sink_slab(struct seg_sink *k, int64_t slab, struct dn_err *err)
{
    int rc = DN_OK;

    if (k->w && slab != k->slab && seg_writer_bytes(k->w) >= SINK_SLAB_BYTES)
        rc = seg_sink_finish(k, err);
    k->slab = slab;
    return rc;
}

int seg_sink_add(struct seg_sink *k, const struct vec *vecs, uint32_t count, struct dn_err *err)
{
    int canceled = shard_check_cancel(k->cancel, err);

    if (canceled < 0)
        return canceled;
    if (k->w && seg_writer_full(k->w) && (!k->inside || seg_writer_bytes(k->w) >= SINK_BYTES_MAX)) {
        int rc = seg_sink_finish(k, err);
        if (rc < 0)
            return rc;
    }
    if (!k->w) {
        uint64_t id;
        sched_lock(k->s->man_lock);
        id = k->s->segment_id_next++;
        sched_unlock(k->s->man_lock);
        k->w = seg_writer_new(&k->s->owner, k->t, id);
        if (!k->w)
            return DN_FAIL_NOMEM(err);
    }
    return seg_writer_add(k->w, vecs, count, err);
}

void seg_sink_discard(struct seg_sink *k)
{
    struct shard *s = k->s;
    char name[VOLUME_NAME_MAX + 1];

    /* A writer that was fenced deletes nothing: its successor may have swept these objects and
     * given their names to its own. */
    sched_lock(s->man_lock);
    for (size_t i = 0; !s->man_unknown && !s->fenced && i < k->metas_count; i++) {
        if (manifest_find_seg(&s->man, k->metas[i].id) != SIZE_MAX)
            continue;
        seg_name(k->metas[i].table_id, k->metas[i].id, name);
        /* What stays is swept at the next open. */
        DN_IGNORE(volume_delete(s->volume, name, NULL));
    }
    sched_unlock(s->man_lock);
}

void seg_sink_done(struct seg_sink *k)
{
    seg_writer_free(k->w);
    mem_free(k->metas);
    k->w = NULL;
    k->metas = NULL;
    k->metas_count = 0;
}
