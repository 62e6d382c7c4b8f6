/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_minmax_tmpl.h: min or max over one fixed-width physical type. Inputs, all undefined here:
 *
 *     MINMAX_T              type of the values
 *     MINMAX_FIELD          field of union vfixed that keeps it: i64 or f64
 *     MINMAX_CAST           type of that field
 *     MINMAX_BETTER(x, y)   x wins over y; among numbers, where it is a float
 *     MINMAX_FLOAT          defined: a float, and MINMAX_NAN is 1 if NaN wins over numbers, 0 if it
 *                           loses
 *     MINMAX_ALL            name of update_all; that of update_turns ends in _turns
 *     MINMAX_GROUPED        name of update_grouped */

#define MINMAX_PASTE_(a, b) a##b
#define MINMAX_PASTE(a, b)  MINMAX_PASTE_(a, b)
#define MINMAX_LANES        8u
#define MINMAX_ONE          MINMAX_PASTE(MINMAX_ALL, _one)
#define MINMAX_MANY         MINMAX_PASTE(MINMAX_ALL, _many)
#define MINMAX_TURNS        MINMAX_PASTE(MINMAX_ALL, _turns)
#define MINMAX_FIRST        MINMAX_PASTE(MINMAX_ALL, _first)
#define MINMAX_AVX2         MINMAX_PASTE(MINMAX_ALL, _avx2)
#define MINMAX_DENSE        MINMAX_PASTE(MINMAX_ALL, _dense)
#define MINMAX_LINE         MINMAX_PASTE(MINMAX_ALL, _line)

#ifdef MINMAX_FLOAT
#define MINMAX_WINS(x, y) \
    (MINMAX_BETTER(x, y) || (MINMAX_NAN ? (x) != (x) : (y) != (y) && (x) == (x)))
#define MINMAX_ODD(x) ((x) - (x)) /* not 0: NaN or infinite */
#else
#define MINMAX_WINS(x, y) MINMAX_BETTER(x, y)
#define MINMAX_ODD(x)     ((x) ^ (x))
#endif

static inline void MINMAX_ONE(struct agg_minmax *s, MINMAX_T x)
{
    if (!s->any || MINMAX_WINS(x, (MINMAX_T)s->v.MINMAX_FIELD))
        s->v.MINMAX_FIELD = (MINMAX_CAST)x;
    s->any = true;
}

/* Values without NULLs, at least one: lanes are independent, so that they can be registers, and
 * nothing is decided by a jump. */
static inline __attribute__((always_inline)) void
MINMAX_MANY(struct agg_minmax *s, const MINMAX_T *data, const uint16_t *sel, uint32_t rows)
{
    MINMAX_T best[MINMAX_LANES];
    MINMAX_T odd[MINMAX_LANES] = {0};
    uint32_t i = 0;

    for (uint32_t k = 0; k < MINMAX_LANES; k++)
        best[k] = data[sel ? sel[0] : 0];
    for (; i + MINMAX_LANES <= rows; i += MINMAX_LANES)
        for (uint32_t k = 0; k < MINMAX_LANES; k++) {
            MINMAX_T x = data[sel ? sel[i + k] : i + k];

            best[k] = MINMAX_BETTER(x, best[k]) ? x : best[k];
            odd[k] = (MINMAX_T)(odd[k] + MINMAX_ODD(x));
        }
    for (; i < rows; i++) {
        MINMAX_T x = data[sel ? sel[i] : i];

        best[0] = MINMAX_BETTER(x, best[0]) ? x : best[0];
        odd[0] = (MINMAX_T)(odd[0] + MINMAX_ODD(x));
    }
    for (uint32_t n = MINMAX_LANES / 2; n > 0; n /= 2)
        for (uint32_t k = 0; k < n; k++) {
            best[k] = MINMAX_BETTER(best[k + n], best[k]) ? best[k + n] : best[k];
            odd[k] = (MINMAX_T)(odd[k] + odd[k + n]);
        }
    if (odd[0] == 0) {
        MINMAX_ONE(s, best[0]);
        return;
    }
    for (i = 0; i < rows; i++)
        MINMAX_ONE(s, data[sel ? sel[i] : i]);
}

/* The best of the first rows, as many as are whole lines, and whether all of these are numbers;
 * *ret_rows: how many. Compilers make no vectors of such a loop over floats by themselves. */
typedef MINMAX_T MINMAX_LINE __attribute__((vector_size(32), aligned(sizeof(MINMAX_T))));

static inline __attribute__((always_inline)) bool
MINMAX_FIRST(const MINMAX_T *data, uint32_t rows, uint32_t *ret_rows, MINMAX_T *ret)
{
    enum { LANES = sizeof(MINMAX_LINE) / sizeof(MINMAX_T), LINES = 4, STEP = LANES * LINES };
    MINMAX_LINE best[LINES];
    MINMAX_LINE odd[LINES] = {{0}};
    MINMAX_T bad = 0;
    uint32_t i = 0;

    *ret_rows = 0;
    if (rows < STEP)
        return false;
    memcpy(best, data, sizeof best);
    for (; i + STEP <= rows; i += STEP)
        for (uint32_t k = 0; k < LINES; k++) {
            MINMAX_LINE x = *(const MINMAX_LINE *)(const void *)(data + i + k * LANES);
            __typeof__(x < best[k]) better = MINMAX_BETTER(x, best[k]);

            best[k] = (MINMAX_LINE)(((__typeof__(better))x & better) |
                                    ((__typeof__(better))best[k] & ~better));
            odd[k] += MINMAX_ODD(x);
        }
    *ret_rows = i;
    *ret = best[0][0];
    for (uint32_t k = 0; k < STEP; k++) {
        MINMAX_T x = best[k / LANES][k % LANES];

        *ret = MINMAX_BETTER(x, *ret) ? x : *ret;
        bad = (MINMAX_T)(bad + odd[k / LANES][k % LANES]);
    }
    return bad == 0;
}

#ifdef FUNC_AVX2
FUNC_AVX2 static bool
MINMAX_AVX2(const MINMAX_T *data, uint32_t rows, uint32_t *ret_rows, MINMAX_T *ret)
{
    return MINMAX_FIRST(data, rows, ret_rows, ret);
}
#endif

/* All rows, without NULLs, at least one. */
static void MINMAX_DENSE(struct agg_minmax *s, const MINMAX_T *data, uint32_t rows)
{
    MINMAX_T best = 0;
    uint32_t done;
    bool good;

#ifdef FUNC_AVX2
    if (func_has_avx2())
        good = MINMAX_AVX2(data, rows, &done, &best);
    else
#endif
        good = MINMAX_FIRST(data, rows, &done, &best);
    if (good)
        MINMAX_ONE(s, best);
    else
        done = 0;
    if (done < rows)
        MINMAX_MANY(s, data + done, NULL, rows - done);
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
    if (v->form == VEC_FLAT && !v->nulls) {
        if (sel)
            MINMAX_MANY(state, data, sel, rows);
        else
            MINMAX_DENSE(state, data, rows);
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

static void MINMAX_TURNS(void *const *states, const struct vec *v, uint32_t turn, uint32_t rows)
{
    const MINMAX_T *data = v->data;
    MINMAX_T best[VEC_ROWS_MAX]; /* of the groups of a turn */

    memcpy(best, data, (turn < rows ? turn : rows) * sizeof *best);
    for (uint32_t row = turn; row < rows; row += turn) {
        uint32_t left = turn < rows - row ? turn : rows - row;

        for (uint32_t i = 0; i < left; i++)
            best[i] = MINMAX_WINS(data[row + i], best[i]) ? data[row + i] : best[i];
    }
    for (uint32_t i = 0; i < turn && i < rows; i++)
        MINMAX_ONE(states[i], best[i]);
}

#undef MINMAX_TURNS
#undef MINMAX_FIRST
#undef MINMAX_AVX2
#undef MINMAX_DENSE
#undef MINMAX_LINE
#undef MINMAX_PASTE_
#undef MINMAX_PASTE
#undef MINMAX_ONE
#undef MINMAX_MANY
#undef MINMAX_WINS
#undef MINMAX_ODD
#undef MINMAX_FLOAT
#undef MINMAX_NAN
#undef MINMAX_LANES
#undef MINMAX_T
#undef MINMAX_FIELD
#undef MINMAX_CAST
#undef MINMAX_BETTER
#undef MINMAX_ALL
#undef MINMAX_GROUPED
