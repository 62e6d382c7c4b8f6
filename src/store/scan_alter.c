/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_alter.c: reading memtables that were made before an ALTER TABLE. Columns are known by their
 * permanent ids: those that were added since read as their default (in a patch: as not said), those
 * that were dropped are not asked for, numbers read as the wider type that their column has now.
 * Segments need none of this: they are opened with the newest definition. */
#include "store/scan_int.h"
#include "vec/widen.h"

int scan_map_memtable(struct scan *s, struct scan_src *src, struct dn_err *err)
{
    uint32_t count = store_cols_count(s->t);

    src->t = memtable_table(src->m);
    if (src->t->version == s->t->version)
        return DN_OK;
    src->map = mem_alloc_array(s->owner, count, sizeof *src->map);
    if (!src->map)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < count; c++) {
        uint32_t own = store_col_by_id(src->t, store_col_id(s->t, c));
        enum type_id to = store_col_type(s->t, c);

        src->map[c] = own;
        if (own != UINT32_MAX && store_col_type(src->t, own) != to &&
            !type_widens(store_col_type(src->t, own), to))
            return DN_FAIL(err,
                           DN_E_INTERNAL,
                           "table \"%s\": fresh rows of definition %u cannot be read with %u",
                           s->t->name,
                           src->t->version,
                           s->t->version);
    }
    return DN_OK;
}

static struct datum scan_default(const struct table *t, uint32_t store_col)
{
    struct datum none = {.type = store_col_type(t, store_col), .null = true};

    return store_col < t->columns_count && t->columns[store_col].has_default
               ? t->columns[store_col].def
               : none;
}

/* What joined the key since is never "not said". */
static bool scan_in_key(const struct table *t, uint32_t store_col)
{
    return store_col < t->columns_count && t->columns[store_col].key_pos > 0;
}

struct datum scan_mapped_value(const struct scan *s,
                               const struct scan_src *src,
                               uint32_t row,
                               uint32_t store_col,
                               bool *ret_absent)
{
    uint32_t own = src->map ? src->map[store_col] : store_col;
    struct datum d;

    if (own != UINT32_MAX) {
        d = memtable_fold_value(src->m, row, own, ret_absent);
        return src->map ? datum_widen(&d, store_col_type(s->t, store_col)) : d;
    }
    *ret_absent = memtable_op(src->m, row) == ROW_PATCH && !scan_in_key(s->t, store_col);
    return scan_default(s->t, store_col);
}

int scan_mapped_gather(const struct scan *s,
                       const struct scan_src *src,
                       const struct mem_want *want,
                       struct arena *arena,
                       struct vec *ret,
                       struct dn_err *err)
{
    for (uint32_t i = 0; i < want->cols_count; i++) {
        uint32_t own = src->map[want->cols[i]];
        const struct mem_want one = {
            .rows = want->rows, .count = want->count, .cols = &own, .cols_count = 1};
        struct datum none;
        int rc;

        if (own != UINT32_MAX) {
            rc = memtable_gather(src->m, &one, arena, &ret[i], err);
            if (rc < 0)
                return rc;
            if (ret[i].type != store_col_type(s->t, want->cols[i]) &&
                !vec_widen(arena, &ret[i], store_col_type(s->t, want->cols[i]), &ret[i]))
                return DN_FAIL_NOMEM(err);
            continue;
        }
        none = scan_default(s->t, want->cols[i]);
        if (!vec_make_const(arena, &none, want->count, &ret[i]))
            return DN_FAIL_NOMEM(err);
    }
    return DN_OK;
}
