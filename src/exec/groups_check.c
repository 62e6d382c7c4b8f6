/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_check.c: see groups_check.h. */
#include "exec/groups_check.h"

#include "exec/value.h"

#define GROUPS_CHECK(T, same)                  \
    do {                                       \
        const T *a = v->data;                  \
        const T *b = c->data;                  \
        for (uint32_t i = 0; i < count; i++) { \
            T x = a[at[i]];                    \
            T y = b[ids[i]];                   \
            right[i] &= (same);                \
        }                                      \
    } while (0)

/* Is a key of each row that of its group? Clears `right` where it is not. */
static void groups_check_values(const struct vec *v,
                                const struct colbuf *c,
                                const uint16_t *at,
                                const uint32_t *ids,
                                uint32_t count,
                                uint8_t *right)
{
    switch (type_phys(c->type)) {
    case PHYS_I8:
        GROUPS_CHECK(int8_t, x == y);
        return;
    case PHYS_I16:
        GROUPS_CHECK(int16_t, x == y);
        return;
    case PHYS_I32:
        GROUPS_CHECK(int32_t, x == y);
        return;
    case PHYS_I64:
        GROUPS_CHECK(int64_t, x == y);
        return;
    case PHYS_F32:
        GROUPS_CHECK(float, x == y || (x != x && y != y));
        return;
    case PHYS_F64:
        GROUPS_CHECK(double, x == y || (x != x && y != y));
        return;
    case PHYS_STR:
        if (type_is_array(c->type))
            break;
        GROUPS_CHECK(struct vstr, right[i] && exec_str_same(x, y));
        return;
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    for (uint32_t i = 0; i < count; i++)
        right[i] &= exec_value_same(c->type, v->data, at[i], c->data, ids[i]);
}

void exec_groups_check(const struct vec *v,
                       const struct colbuf *c,
                       const struct batch *in,
                       const uint32_t *ids,
                       uint16_t *at,
                       uint8_t *right)
{
    for (uint32_t i = 0; i < in->sel_count; i++)
        at[i] = (uint16_t)vec_at(v, in->sel ? in->sel[i] : i);
    if (!v->nulls && !c->nulls) {
        groups_check_values(v, c, at, ids, in->sel_count, right);
        return;
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        bool null = vec_is_null(v, in->sel ? in->sel[i] : i);

        right[i] &= null == vec_bit(c->nulls, ids[i]) &&
                    (null || exec_value_same(c->type, v->data, at[i], c->data, ids[i]));
    }
}
