/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_direct.c: the place of values on their axes, and the axes that a batch needs. */
#include "exec/groups_direct.h"

#include <string.h>

#define DIRECT_CELLS_FIRST   256u /* cells that any input may have … */
#define DIRECT_CELLS_PER_ROW 4u   /* … and for each row seen */
#define DIRECT_MISFITS       32u  /* batches beyond those that fitted, then it is given up */
#define DIRECT_WHOLE         2147483648.0       /* floats beyond are not looked at */
#define DIRECT_MAGIC         6755399441055744.0 /* 2^52 + 2^51 */

static bool direct_type(enum type_id type)
{
    switch (type_phys(type)) {
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
    case PHYS_F32:
    case PHYS_F64:
        return true;
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return false;
}

void exec_direct_init(struct exec_direct *d, const enum type_id *types, uint32_t keys_count)
{
    *d = (struct exec_direct){.keys_count = keys_count, .off = keys_count == 0};
    for (uint32_t k = 0; k < keys_count; k++)
        d->off |= !direct_type(types[k]);
}

void exec_direct_done(struct exec_direct *d)
{
    mem_free(d->axes);
    mem_free(d->ids);
    *d = (struct exec_direct){.off = true};
}

/* ---- places of values ---- */

/* Adds the place of each row to its cell and gives the bits of all places together: as spans are
 * powers of 2, all places are below one if these are. */
#define DIRECT_LOOP(T, place_of)                        \
    do {                                                \
        const T *data = v->data;                        \
        if (v->form == VEC_FLAT && !v->nulls && !sel) { \
            for (uint32_t i = 0; i < count; i++) {      \
                T value = data[i];                      \
                uint64_t x = (place_of);                \
                all |= x;                               \
                cells[i] += (uint32_t)x * stride;       \
            }                                           \
            return all;                                 \
        }                                               \
        for (uint32_t i = 0; i < count; i++) {          \
            uint32_t row = sel ? sel[i] : i;            \
            if (vec_is_null(v, row)) {                  \
                cells[i] += axis->span * stride;        \
            } else {                                    \
                T value = data[vec_at(v, row)];         \
                uint64_t x = (place_of);                \
                all |= x;                               \
                cells[i] += (uint32_t)x * stride;       \
            }                                           \
        }                                               \
        return all;                                     \
    } while (0)

/* The place of a float, all bits where it has none. A number from 0 to 2^51 that is added to
 * DIRECT_MAGIC is rounded and stands in the last bits of the sum; the way back gives the value
 * itself only if it is whole. */
static inline uint64_t direct_float(double value, double low)
{
    const double magic = DIRECT_MAGIC;
    double sum = value - low + magic;
    double back = sum - magic + low;
    uint64_t bits;
    uint64_t magic_bits;

    memcpy(&bits, &sum, sizeof bits);
    memcpy(&magic_bits, &magic, sizeof magic_bits);
    return (bits ^ magic_bits) | (back == value ? 0 : UINT64_MAX);
}

static uint64_t direct_place(const struct exec_axis *axis,
                             const struct vec *v,
                             const struct batch *in,
                             uint32_t *restrict cells)
{
    const uint16_t *sel = in->sel;
    uint32_t count = in->sel_count;
    uint64_t base = axis->base;
    uint32_t stride = axis->stride;
    double low = (double)(int64_t)base;
    uint64_t all = 0;

    switch (type_phys(v->type)) {
    case PHYS_I8:
        DIRECT_LOOP(int8_t, (uint64_t)value - base);
    case PHYS_I16:
        DIRECT_LOOP(int16_t, (uint64_t)value - base);
    case PHYS_I32:
        DIRECT_LOOP(int32_t, (uint64_t)value - base);
    case PHYS_I64:
        DIRECT_LOOP(int64_t, (uint64_t)value - base);
    case PHYS_F32:
        DIRECT_LOOP(float, direct_float((double)value, low));
    case PHYS_F64:
        DIRECT_LOOP(double, direct_float(value, low));
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return UINT64_MAX;
}

static bool direct_place_all(const struct exec_direct *d,
                             const struct vec *keys,
                             const struct batch *in,
                             uint32_t *cells)
{
    memset(cells, 0, in->sel_count * sizeof *cells);
    for (uint32_t k = 0; k < d->keys_count; k++)
        if (direct_place(&d->axes[k], &keys[k], in, cells) >= d->axes[k].span)
            return false;
    return true;
}

/* ---- axes ---- */

/* The whole number that a row has. False: it has none. */
static bool direct_whole(const struct vec *v, uint32_t row, int64_t *ret)
{
    enum phys phys = type_phys(v->type);
    double f;

    if (phys != PHYS_F32 && phys != PHYS_F64) {
        *ret = vec_i64(v, row);
        return true;
    }
    f = vec_f64(v, row);
    if (!(f >= -DIRECT_WHOLE && f <= DIRECT_WHOLE))
        return false;
    *ret = (int64_t)f;
    return (double)*ret == f;
}

/* An axis for what `old` has and the values of a batch. False: they are too far apart, or not
 * whole. */
static bool direct_axis(const struct exec_axis *old,
                        const struct vec *v,
                        const struct batch *in,
                        struct exec_axis *ret)
{
    int64_t before = (int64_t)old->base;
    bool any = old->span > 0;
    int64_t low = before;
    int64_t high = (int64_t)(old->base + old->span - any);
    uint32_t span = 1;

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;
        int64_t x;

        if (vec_is_null(v, row))
            continue;
        if (!direct_whole(v, row, &x))
            return false;
        low = !any || x < low ? x : low;
        high = !any || x > high ? x : high;
        any = true;
    }
    if ((uint64_t)high - (uint64_t)low >= EXEC_DIRECT_CELLS)
        return false;
    while (span <= (uint64_t)high - (uint64_t)low)
        span *= 2;
    /* Room beyond the end where values came from last. */
    ret->base = old->span && low < before ? (uint64_t)high - span + 1 : (uint64_t)low;
    ret->span = span;
    return true;
}

/* New axes in `axes`, zeroed, for what those of d have and a batch; how many cells they have. 0:
 * too many, or values are not whole. */
static uint64_t direct_axes(const struct exec_direct *d,
                            const struct vec *keys,
                            const struct batch *in,
                            struct exec_axis *axes)
{
    uint64_t most = DIRECT_CELLS_FIRST + DIRECT_CELLS_PER_ROW * d->rows;
    uint64_t cells = 1;

    most = most < EXEC_DIRECT_CELLS ? most : EXEC_DIRECT_CELLS;
    for (uint32_t k = 0; k < d->keys_count; k++) {
        if (!direct_axis(d->axes ? &d->axes[k] : &axes[k], &keys[k], in, &axes[k]))
            return 0;
        axes[k].stride = (uint32_t)cells;
        cells *= axes[k].span + 1;
        if (cells > most)
            return 0;
    }
    return cells;
}

/* Axes on which a batch fits too, if there are any. What was known is forgotten: it is looked up
 * again. */
static int direct_widen(struct exec_direct *d,
                        const struct vec *keys,
                        const struct batch *in,
                        struct mem_owner *owner,
                        bool *ret_fits,
                        struct dn_err *err)
{
    struct exec_axis *axes = mem_calloc(owner, d->keys_count, sizeof *axes);
    uint64_t cells = axes ? direct_axes(d, keys, in, axes) : 0;
    uint32_t *ids = cells ? mem_alloc_array(owner, cells, sizeof *ids) : NULL;

    *ret_fits = ids != NULL;
    if (!ids) {
        mem_free(axes);
        return !axes || cells ? DN_FAIL_NOMEM(err) : 0;
    }
    memset(ids, 0xff, cells * sizeof *ids);
    mem_free(d->axes);
    mem_free(d->ids);
    d->axes = axes;
    d->ids = ids;
    return 0;
}

int exec_direct_cells(struct exec_direct *d,
                      const struct vec *keys,
                      const struct batch *in,
                      struct mem_owner *owner,
                      uint32_t *cells,
                      bool *ret_fits,
                      struct dn_err *err)
{
    int rc;

    *ret_fits = false;
    if (d->off)
        return 0;
    d->rows += in->sel_count;
    *ret_fits = d->ids && direct_place_all(d, keys, in, cells);
    if (!*ret_fits) {
        rc = direct_widen(d, keys, in, owner, ret_fits, err);
        if (rc < 0)
            return rc;
        *ret_fits = *ret_fits && direct_place_all(d, keys, in, cells);
    }
    d->fits += *ret_fits;
    d->misfits += !*ret_fits;
    if (d->misfits > DIRECT_MISFITS + d->fits)
        exec_direct_done(d);
    return 0;
}
