/* SPDX-License-Identifier: Apache-2.0
 *
 * func_int.h: what the files of src/func share. One table of descriptors per file; FUNC_TABLES and
 * AGG_TABLES name them once, func.c and agg.c walk them. Any thread. */
#pragma once

#include "func/func.h"
#include "func/rowfunc.h"

/* Where two rows of a name fit equally well (an untyped argument fits all), the earlier wins. */
/* clang-format off */
#define FUNC_TABLES(X) \
    X(arith) X(interval) X(numeric) X(date) X(date_make) X(compare) X(logic) X(cast) \
    X(cast_more) X(cast_zone) X(cast_local) X(cast_timetz) X(cast_bitstr) X(scalar) X(session) X(settings) X(math) X(bits) X(string) X(string_make) \
    X(like) X(regex) X(regex_sets) X(format) X(string_more) X(normalize) X(to_char) X(choice) X(bucket) \
    X(extract) X(char_num) X(from_char) X(to_number) X(encoding) X(degree) X(bytes) X(info) \
    X(zone) X(timetz) X(bitstr) X(enum) X(objects) X(acl) X(privilege) X(json) X(array) X(array_any) X(array_more) X(array_set) X(array_text)
/* clang-format on */

#define AGG_TABLES(X) \
    X(count)          \
    X(sum)            \
    X(minmax)         \
    X(stddev)         \
    X(timed)          \
    X(bool)           \
    X(interval)       \
    X(numeric)        \
    X(bits)           \
    X(bitstr)         \
    X(pair)           \
    X(text)           \
    X(array)          \
    X(within)         \
    X(within_any)

#define ROWFUNC_TABLES(X) \
    X(series)             \
    X(array)              \
    X(objects)            \
    X(regex)

struct func_table {
    const struct func *rows; /* static */
    uint32_t count;
};

struct agg_table {
    const struct agg *rows; /* static */
    uint32_t count;
};

struct rowfunc_table {
    const struct rowfunc *rows; /* static */
    uint32_t count;
};

#define X(name) extern const struct func_table func_table_##name;
FUNC_TABLES(X)
#undef X
#define X(name) extern const struct agg_table agg_table_##name;
AGG_TABLES(X)
#undef X

#define X(name) extern const struct rowfunc_table rowfunc_table_##name;
ROWFUNC_TABLES(X)
#undef X

/* Bytes that are no saved state of the aggregate. */
int agg_load_fail(const char *name, size_t n, struct dn_err *err);

/* "integer out of range" in the words of the type: every operator raises it here. */
int func_fail_range(enum type_id type, struct dn_err *err);
int func_fail_zero(struct dn_err *err);

/* What an implicit cast costs when overloads are weighed; UINT32_MAX: there is none. */
uint32_t func_cast_cost(enum type_id from, enum type_id to);

/* What a call with arguments of these types costs; UINT32_MAX: the row does not take them. Then the
 * types they are cast to. */
uint32_t func_match_cost(const struct func *f, const enum type_id *types, uint32_t count);
void func_match_casts(const struct func *f,
                      const enum type_id *types,
                      uint32_t count,
                      enum type_id *ret);

/* Loops that are quicker with AVX2 have a second expansion with this attribute, taken where the
 * processor has it. Both give the same bits. */
#ifdef __x86_64__
#define FUNC_AVX2 __attribute__((target("avx2")))
static inline bool func_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#endif

/* Result memory: count values of `size` bytes; NULL has raised DN_E_NOMEM. */
void *func_ret_alloc(
    const struct func_ctx *ctx, struct vec *ret, uint32_t count, size_t size, struct dn_err *err);

/* A kernel that goes row by row: `call` sets to[i] and is 0 or an error. What nobody wants is 0. */
#define FUNC_EACH(fn, result_type, call)                                    \
    static int fn(const struct func_ctx *ctx,                               \
                  const struct vec *args DN_UNUSED,                         \
                  uint32_t args_count DN_UNUSED,                            \
                  uint32_t count,                                           \
                  struct vec *ret,                                          \
                  struct dn_err *err)                                       \
    {                                                                       \
        result_type *to = func_ret_alloc(ctx, ret, count, sizeof *to, err); \
                                                                            \
        if (!to)                                                            \
            return DN_E_NOMEM;                                              \
        for (uint32_t i = 0; i < count; i++) {                              \
            int rc = func_check_cancel(ctx, err);                           \
                                                                            \
            __builtin_memset(&to[i], 0, sizeof to[i]);                      \
            if (rc == 0 && !vec_is_null(ret, i))                            \
                rc = (call);                                                \
            if (rc < 0)                                                     \
                return rc;                                                  \
        }                                                                   \
        return 0;                                                           \
    }

static inline const struct vnumeric *func_num_at(const struct vec *v, uint32_t row)
{
    return &((const struct vnumeric *)v->data)[vec_at(v, row)];
}

static inline struct vnumeric func_num(const struct vec *v, uint32_t row)
{
    return ((const struct vnumeric *)v->data)[vec_at(v, row)];
}

static inline struct vinterval func_iv(const struct vec *v, uint32_t row)
{
    return ((const struct vinterval *)v->data)[vec_at(v, row)];
}

/* Any type to text, and text to any type. */
int func_cast_to_text(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err);
int func_cast_from_text(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err);

/* A REGCLASS or its like of a number: with its name, if somebody knows it (text_system.c). */
int func_reg_make(const struct func_session *session,
                  enum type_id type,
                  int64_t oid,
                  struct arena *arena,
                  struct vstr *ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* Casts of the system's types, which no page lists. */
extern const struct func_table func_table_cast_system;
/* INT2VECTOR and OIDVECTOR are arrays: which (TYPE_NONE: t is none of them), and the cast. */
enum type_id func_vector_array(enum type_id t);
const struct func *func_cast_of_vector(enum type_id from, enum type_id to);
bool func_cast_system_implicit(enum type_id from, enum type_id to);
/* What a NAME keeps of a text. */
struct vstr func_name_cut(struct vstr s);

/* An interval of parts with fractions: what is left of a month goes to days, of a day to hours. */
int func_interval_spread(
    double months, double days, double us, struct vinterval *ret, struct dn_err *err) DN_MUST_CHECK;

__extension__ typedef __int128 agg_i128;

/* The longest text a function may make. */
#define FUNC_TEXT_MAX (256u * 1024 * 1024)
/* Memory for a text of a result. DN_E_TOO_LONG, DN_E_NOMEM. */
int func_text_room(const struct func_ctx *ctx, uint64_t len, char **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* Simple case mapping, character by character: to upper case, or to lower. */
int func_map_case(const struct func_ctx *ctx,
                  struct vstr s,
                  bool upper,
                  struct vstr *ret,
                  struct dn_err *err) DN_MUST_CHECK;

/* Where `sub`, not empty, first stands in s; NULL: nowhere. The time is linear in the lengths of
 * both. */
const char *func_find_text(struct vstr s, struct vstr sub);

/* Bits of a double such that equal values have equal bits: one zero, one NaN. */
static inline uint64_t func_f64_bits(double f)
{
    uint64_t bits;

    if (f != f)
        return 0x7ff8000000000000u;
    if (f == 0)
        return 0;
    __builtin_memcpy(&bits, &f, sizeof bits);
    return bits;
}
