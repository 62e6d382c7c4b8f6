/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_minmax_tmpl.h: min or max over one fixed-width physical type. Inputs, all undefined here:
 *
 *     MINMAX_T              type of the values
 *     MINMAX_FIELD          field of union vfixed that keeps it: i64 or f64
 *     MINMAX_CAST           type of that field
 *     MINMAX_BETTER(x, y)   x wins over y
 *     MINMAX_ALL            name of update_all
 *     MINMAX_GROUPED        name of update_grouped */

#define MINMAX_PASTE_(a, b) a##b
#define MINMAX_PASTE(a, b)  MINMAX_PASTE_(a, b)
#define MINMAX_LANES        8u
#define MINMAX_ONE          MINMAX_PASTE(MINMAX_ALL, _one)

static inline void MINMAX_ONE(struct agg_minmax *s, MINMAX_T x)
{
    if (!s->any || MINMAX_BETTER(x, (MINMAX_T)s->v.MINMAX_FIELD))
        s->v.MINMAX_FIELD = (MINMAX_CAST)x;
    s->any = true;
}

static int MINMAX_ALL(void *state,
                      const struct vec *v,
                      const uint16_t *sel,
                      uint32_t rows,
                      struct arena *strings DN_UNUSED,
                      struct dn_err *err DN_UNUSED)
{
    const MINMAX_T *data = v->data;

    if (rows == 0)
        return 0;
    if (v->form == VEC_CONST)
        rows = 1;
    if (v->form == VEC_FLAT && !v->nulls && !sel) {
        MINMAX_T best[MINMAX_LANES]; /* independent, so that they can be one register */
        uint32_t i = MINMAX_LANES;

        for (uint32_t k = 0; k < MINMAX_LANES; k++)
            best[k] = data[k < rows ? k : 0];
        for (; i + MINMAX_LANES <= rows; i += MINMAX_LANES)
            for (uint32_t k = 0; k < MINMAX_LANES; k++)
                best[k] = MINMAX_BETTER(data[i + k], best[k]) ? data[i + k] : best[k];
        for (; i < rows; i++)
            best[0] = MINMAX_BETTER(data[i], best[0]) ? data[i] : best[0];
        for (uint32_t k = 0; k < MINMAX_LANES; k++)
            MINMAX_ONE(state, best[k]);
        return 0;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (!vec_is_null(v, row))
            MINMAX_ONE(state, data[vec_at(v, row)]);
    }
    return 0;
}

static int MINMAX_GROUPED(void *const *states,
                          const struct vec *v,
                          const uint16_t *sel,
                          uint32_t rows,
                          struct arena *strings DN_UNUSED,
                          struct dn_err *err DN_UNUSED)
{
    const MINMAX_T *data = v->data;

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (!vec_is_null(v, row))
            MINMAX_ONE(states[i], data[vec_at(v, row)]);
    }
    return 0;
}

#undef MINMAX_PASTE_
#undef MINMAX_PASTE
#undef MINMAX_ONE
#undef MINMAX_LANES
#undef MINMAX_T
#undef MINMAX_FIELD
#undef MINMAX_CAST
#undef MINMAX_BETTER
#undef MINMAX_ALL
#undef MINMAX_GROUPED
