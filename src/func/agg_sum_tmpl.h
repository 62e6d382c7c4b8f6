/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_sum_tmpl.h: the two updates of a sum over one physical type. Inputs, all undefined here:
 *
 *     SUM_T            type of the values
 *     SUM_STATE        struct of the state
 *     SUM_ONE          void (SUM_STATE *, SUM_T): adds one value
 *     SUM_MANY         void (SUM_STATE *, const SUM_T *, uint32_t): the same for many in order
 *     SUM_PICK         defined: void (SUM_STATE *, const SUM_T *, const uint16_t *, uint32_t): the
 *                      same for selected rows
 *     SUM_ALL          name of update_all
 *     SUM_GROUPED      name of update_grouped
 *     SUM_TURNS        name of update_turns; may be left out */

static int SUM_ALL(void *state,
                   const struct vec *v,
                   const uint16_t *sel,
                   uint32_t rows,
                   struct arena *strings DN_UNUSED,
                   struct dn_err *err DN_UNUSED)
{
    const SUM_T *data = v->data;

    if (v->form == VEC_FLAT && !v->nulls && !sel) {
        SUM_MANY(state, data, rows);
        return 0;
    }
#ifdef SUM_PICK
    if (v->form == VEC_FLAT && !v->nulls) {
        SUM_PICK(state, data, sel, rows);
        return 0;
    }
#endif
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (!vec_is_null(v, row))
            SUM_ONE(state, data[vec_at(v, row)]);
    }
    return 0;
}

static int SUM_GROUPED(void *const *states,
                       const struct vec *v,
                       const uint16_t *sel,
                       uint32_t rows,
                       struct arena *strings DN_UNUSED,
                       struct dn_err *err DN_UNUSED)
{
    const SUM_T *data = v->data;

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (!vec_is_null(v, row))
            SUM_ONE(states[i], data[vec_at(v, row)]);
    }
    return 0;
}

#ifdef SUM_TURNS
static void SUM_TURNS(void *const *states, const struct vec *v, uint32_t turn, uint32_t rows)
{
    const SUM_T *data = v->data;

    for (uint32_t i = 0; i < turn; i++) {
        SUM_STATE s = *(const SUM_STATE *)states[i]; /* no other state is in the way */

        for (uint32_t row = i; row < rows; row += turn)
            SUM_ONE(&s, data[row]);
        *(SUM_STATE *)states[i] = s;
    }
}
#endif

#undef SUM_T
#undef SUM_STATE
#undef SUM_ONE
#undef SUM_MANY
#undef SUM_PICK
#undef SUM_ALL
#undef SUM_GROUPED
#undef SUM_TURNS
