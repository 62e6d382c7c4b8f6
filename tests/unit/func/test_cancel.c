/* SPDX-License-Identifier: Apache-2.0
 *
 * No single call is deaf: every function, operator, cast, aggregate and function that returns rows
 * is called with long texts, bytes and arrays, and the flag that asks it to end is raised at
 * several points in time. The CPU time from there to its return must be such that the longest
 * values there can be are answered within a second. Values are a small part of the longest ones,
 * and so is the time that is allowed; a call that needs no more than that in all need not look at
 * the flag. One that is late is tried again with longer values: what grows slower than they do is
 * good.
 *
 * There are some ten thousand combinations of functions and values. Each function gets SAMPLE of
 * its own, drawn by DENDRO_TEST_SEED; with DENDRO_TEST_SECONDS each gets all of them, until that
 * time is over. Builds that are slower than a release have shorter values and more time. */
#include "func/expr.h"
#include "func/func_int.h"
#include "func/text.h"
#include "sample.h"
#include "vec/array.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#define LONG_BYTES (FUNC_TEXT_MAX / part)
#define LONG_ITEMS (VARRAY_ITEMS_MAX / part)
#define ANSWER_NS  (SLOWER * INT64_C(1000000000) / part) /* a second for the longest */
#define TRIES      8u /* the least of so many times counts: the machine may be busy */
#define POINTS     4u /* in time, at most */
#define SEEN_MAX   4096u
#define MEMORY_MAX ((size_t)3 << 30) /* bytes of a call: what needs more fails, and that soon */
#define ARRAYS_MAX ((size_t)256 << 20)
#define SAMPLE     2u

/* Of the longest values, and the time for them: small ones, and longer ones for a second look. */
#if defined(__SANITIZE_ADDRESS__) || defined(DN_DEBUG)
#define SLOWER 20
static const uint32_t parts[] = {2048, 256};
#else
#define SLOWER 1
static const uint32_t parts[] = {256, 32};
#endif
static uint32_t part;
static uint32_t level;      /* which of them */
static struct arena values; /* of all tests */
static struct mem_owner arrays_owner;
static struct arena arrays; /* the long ones among them */
static struct mem_owner call_owner;
static struct arena arena; /* of a call */
static uint64_t random_state;
static int64_t deadline_ns; /* wall time; 0: a sample is drawn */
static atomic_bool cancel;
static _Atomic int64_t raised_ns; /* CPU time when the flag went up */
static uint32_t late;
static uint32_t calls;
static const char *only = ""; /* calls of which the text has it */

static int64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t wall_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint32_t draw(uint32_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % n;
}

static void raise_flag(int signal_number)
{
    (void)signal_number;
    if (!atomic_exchange(&cancel, true))
        atomic_store(&raised_ns, cpu_ns());
}

static void raise_after(int64_t ns)
{
    struct itimerval t = {
        .it_value = {.tv_sec = ns / 1000000000, .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)}};

    atomic_store(&raised_ns, INT64_MAX);
    atomic_store(&cancel, false);
    if (ns == 0) {
        raise_flag(0);
        return;
    }
    if (t.it_value.tv_sec == 0 && t.it_value.tv_usec == 0)
        t.it_value.tv_usec = 1;
    assert_int_equal(setitimer(ITIMER_REAL, &t, NULL), 0);
}

/* ---- a session that knows nothing ---- */

static uint64_t no_random(void *arg)
{
    (void)arg;
    return 7;
}

static int64_t no_clock(void *arg)
{
    (void)arg;
    return 0;
}

static int no_setting(void *arg, const char *name, struct buf *b, struct dn_err *err)
{
    (void)arg, (void)b;
    return DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "no setting %.10s", name);
}

static int no_set(
    void *arg, const char *name, const char *value, bool local, struct buf *b, struct dn_err *err)
{
    (void)arg, (void)b, (void)value, (void)local;
    return DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "no setting %.10s", name);
}

static int
no_answer(void *arg, const struct func_ask *ask, struct func_answer *ret, struct dn_err *err)
{
    (void)arg, (void)ask, (void)ret, (void)err;
    return DN_NOT_FOUND;
}

static int no_sequence(void *arg, const struct func_sequence *c, int64_t *ret, struct dn_err *err)
{
    (void)arg, (void)c, (void)ret;
    return DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "no sequence");
}

static int no_serial(void *arg, const struct func_serial *of, struct buf *b, struct dn_err *err)
{
    (void)arg, (void)of, (void)b, (void)err;
    return 1;
}

static const struct func_session session = {.cancel = &cancel,
                                            .random = no_random,
                                            .clock_ns = no_clock,
                                            .setting = no_setting,
                                            .set = no_set,
                                            .ask = no_answer,
                                            .sequence = no_sequence,
                                            .serial = no_serial,
                                            .user = "",
                                            .login = "",
                                            .database = "",
                                            .schema = "\0",
                                            .temp_schema = "",
                                            .version = ""};

/* ---- long values ---- */

/* Texts are repetitions of these, between a start and an end. They are numbers, lists, patterns,
 * digits of bytes, templates and so on: what one function refuses at once is work for another. */
static const struct shape {
    const char *name, *start, *again, *end;
} shapes[] = {
    {"letters", "", "a", ""},
    {"letters and an end", "", "a", "b"},
    {"capitals", "", "AbC", ""},
    {"wide", "", "\xc3\xa4\xc3\x96\xe2\x82\xac", ""},
    {"blanks", "", " ", ""},
    {"blanks around", " ", " ", "x "},
    {"digits", "", "1", ""},
    {"zeros", "", "0", "1"},
    {"hex", "\\x", "4a", ""},
    {"base64", "", "QUJD", ""},
    {"escapes", "", "\\101", ""},
    {"quotes", "", "'\"", ""},
    {"items", "{", "1,", "1}"},
    {"quoted items", "{", "\"a\\\"b\",", "x}"},
    {"list", "", "ab,", ""},
    {"words", "", "word and ", ""},
    {"days", "", "1 day ", ""},
    {"percents", "", "%a", "b"},
    {"any", "", "_", "%"},
    {"format", "", "%1$s ", ""},
    {"template", "", "YYYY-", ""},
    {"nines", "", "9,9", ""},
    {"lines", "", "x\n", ""},
    {"json", "[", "{\"a\":[1]},", "1]"},
    {"groups", "", "(a|b)*", ""},
    {"points", "", "a.", ""},
    {"marks", "a", "\xcc\x81\xcc\xa3", ""},
    {"hex digits", "", "4a", ""},
};
#define SHAPES DN_ARRAY_SIZE(shapes)

static struct vstr long_text(uint32_t shape)
{
    static struct vstr all[DN_ARRAY_SIZE(parts)][SHAPES];
    struct vstr *made = all[level];
    const struct shape *s = &shapes[shape];
    size_t again = strlen(s->again);
    size_t n = LONG_BYTES / again;
    char *to;

    if (made[shape].ptr)
        return made[shape];
    made[shape].len = (uint32_t)(strlen(s->start) + n * again + strlen(s->end));
    to = arena_alloc(&values, made[shape].len);
    assert_non_null(to);
    made[shape].ptr = to;
    memcpy(to, s->start, strlen(s->start));
    to += strlen(s->start);
    for (size_t i = 0; i < n; i++, to += again)
        memcpy(to, s->again, again);
    memcpy(to, s->end, strlen(s->end));
    return made[shape];
}

/* Items of an array: all alike, rising, or NULL now and then; texts among them are long in sum. */
enum { ITEMS_ALIKE, ITEMS_RISE, ITEMS_NULL, ITEMS_KINDS };

static struct datum sample_of(enum type_id type, const char *text)
{
    struct datum d = {.type = type};
    struct dn_err err;

    if (text_parse(type, (struct vstr){text, (uint32_t)strlen(text)}, &values, &d, &err) < 0)
        d.null = true;
    return d;
}

/* Some value of a type that is not NULL. */
static struct datum short_value(enum type_id type)
{
    static const char *const texts[] = {"1",
                                        "true",
                                        "2020-01-01",
                                        "1 day",
                                        "12:00",
                                        "12:00+00",
                                        "101",
                                        "{}",
                                        "x",
                                        "\\x00",
                                        "00000000-0000-0000-0000-000000000001"};

    if (type_is_enum(type))
        return (struct datum){.type = type, .v.i64 = enum_value(1, 1)};
    if (type_is_reg(type))
        return (struct datum){.type = type, .str = {"\1\0\0\0x", 5}};
    for (size_t i = 0; i < DN_ARRAY_SIZE(texts); i++) {
        struct datum d = sample_of(type, texts[i]);

        if (!d.null)
            return d;
    }
    return (struct datum){.type = type, .null = true};
}

static struct vstr made_arrays[DN_ARRAY_SIZE(parts)][TYPE_MAX][ITEMS_KINDS];

/* Between calls: all arrays together would take some gigabytes. */
static void forget_arrays(void)
{
    if (mem_owner_used(&arrays_owner) < ARRAYS_MAX)
        return;
    arena_reset(&arrays);
    memset(made_arrays, 0, sizeof made_arrays);
}

static struct datum long_array(enum type_id type, uint32_t kind)
{
    struct vstr *s = &made_arrays[level][TYPE_BASE(type)][kind];
    enum type_id elem = type_element(type);
    struct datum item = short_value(elem);
    struct datum *items;
    struct varray a;
    struct buf b;

    if (s->ptr)
        return (struct datum){.type = type, .str = *s};
    items = mem_alloc_array(NULL, LONG_ITEMS, sizeof *items);
    assert_non_null(items);
    for (uint32_t i = 0; i < LONG_ITEMS; i++) {
        items[i] = item;
        if (kind == ITEMS_RISE && type_phys(elem) == PHYS_I64 && !type_is_enum(elem) &&
            elem != TYPE_TIME && elem != TYPE_TIMETZ) /* of which a day has not so many */
            items[i].v.i64 += i;
        if (kind == ITEMS_NULL && i % 3 == 0)
            items[i].null = true;
    }
    a = varray_flat(elem, items, LONG_ITEMS);
    buf_init(&b, NULL);
    varray_write(&a, NULL, &b);
    assert_false(b.failed);
    s->ptr = arena_dup(&arrays, b.data, b.len);
    s->len = (uint32_t)b.len;
    assert_non_null(s->ptr);
    buf_done(&b);
    mem_free(items);
    return (struct datum){.type = type, .str = *s};
}

static bool is_long_type(enum type_id t)
{
    return type_is_array(t) || type_is_text(t) || t == TYPE_BLOB || type_is_bits(t);
}

/* ---- calls ---- */

struct call {
    const struct func *f;
    const struct rowfunc *rf;
    const struct agg *agg;
    const char *name;
    struct datum args[FUNC_ARGS_MAX];
    uint32_t args_count;
    enum type_id result;
    uint32_t rows;
    char what[200];
};

static int run_rowfunc(const struct call *c, struct dn_err *err)
{
    struct rowfunc_call rc = {.fn = c->rf,
                              .type = c->result,
                              .state = arena_calloc(&arena, 1, c->rf->state_size + 1),
                              .args = c->args,
                              .args_count = c->args_count,
                              .run = &arena,
                              .session = &session};
    struct vec v;
    int code = c->rf->start(&rc, err);

    /* Between batches the caller looks. */
    for (uint32_t i = 0; code == 0 && i < 2; i++)
        code = c->rf->next(&rc, &arena, VEC_ROWS_MAX, &v, err);
    return code;
}

static int run_agg(const struct call *c, struct dn_err *err)
{
    struct vec v[2];
    void *state = arena_calloc(&arena, 1, c->agg->state_size + 16);
    struct datum d;
    int code;

    for (uint32_t i = 0; i < c->args_count; i++)
        assert_true(vec_make_const(&arena, &c->args[i], 1, &v[i]));
    arena.cancel = &cancel; /* as that of a statement */
    code = c->agg->update_all(state, v, NULL, 1, &arena, err);
    arena.cancel = NULL;
    return code < 0 ? code : c->agg->emit(state, &d, err);
}

static int run_func(const struct call *c, struct dn_err *err)
{
    struct vec args[FUNC_ARGS_MAX];
    struct vec ret = {.type = c->result, .form = VEC_FLAT, .count = c->rows};
    struct func_ctx ctx = {.arena = &arena, .session = &session};

    for (uint32_t i = 0; i < c->args_count; i++)
        assert_true(vec_make_const(&arena, &c->args[i], c->rows, &args[i]));
    return c->f->kernel(&ctx, args, c->args_count, c->rows, &ret, err);
}

/* CPU time of a call and how much of it was after the flag went up; less than 0: it did not. */
static void run(const struct call *c, int64_t after_ns, int64_t *ret_all, int64_t *ret_lag)
{
    struct dn_err err;
    int64_t begin;
    int64_t end;

    dn_err_clear(&err);
    begin = cpu_ns();
    raise_after(after_ns);
    (void)(c->f ? run_func(c, &err) : c->rf ? run_rowfunc(c, &err) : run_agg(c, &err));
    end = cpu_ns();
    assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL), 0);
    *ret_all = end - begin;
    *ret_lag = atomic_load(&raised_ns) == INT64_MAX ? -1 : end - atomic_load(&raised_ns);
    arena_reset(&arena);
}

/* The least lag of some tries at one point in time. */
static int64_t lag_at(const struct call *c, int64_t after_ns, int64_t *ret_all)
{
    int64_t best = INT64_MAX;

    for (uint32_t i = 0; i < TRIES && best > ANSWER_NS; i++) {
        int64_t lag;

        run(c, after_ns, ret_all, &lag);
        best = lag < best ? lag : best;
    }
    return best;
}

struct worst {
    int64_t lag;
    int64_t at;
};

/* The whole time of the call if it was done before, else 0. */
static int64_t check_at(const struct call *c, int64_t at, struct worst *w)
{
    int64_t all = 0;
    int64_t lag = lag_at(c, at, &all);

    if (lag > w->lag)
        *w = (struct worst){lag, at};
    return lag < 0 ? all : 0;
}

/* The points: later and later until the call is done before, then at once, and in its later half.
 * False: it was late at one of them. */
static bool check(const struct call *c, struct worst *w)
{
    int64_t whole = 0;
    int64_t at = ANSWER_NS * 2;

    *w = (struct worst){0, 0};
    for (uint32_t i = 0; i < POINTS && whole == 0 && w->lag <= ANSWER_NS; i++, at *= 3)
        whole = check_at(c, at, w);
    if (whole != 0 && whole <= ANSWER_NS)
        return true;
    (void)check_at(c, 0, w);
    if (whole) {
        (void)check_at(c, whole / 2, w);
        (void)check_at(c, whole / 8 * 7, w);
    }
    return w->lag <= ANSWER_NS;
}

/* ---- which calls ---- */

static void set_long(struct call *c, uint32_t arg, uint32_t shape)
{
    struct datum *d = &c->args[arg];

    if (type_is_array(d->type)) {
        *d = long_array(d->type, shape % ITEMS_KINDS);
        return;
    }
    if (type_is_bits(d->type))
        shape = 7;
    d->null = false;
    d->str = long_text(shape);
}

/* Many overloads have one kernel, which differ in arguments that are never long: one will do. */
static bool seen(const struct call *c)
{
    static struct {
        func_kernel kernel;
        uint64_t types;
    } list[SEEN_MAX];
    static uint32_t count;
    uint64_t types = TYPE_BASE(c->result);

    if (!c->f)
        return false;
    for (uint32_t i = 0; i < c->args_count; i++)
        types = types * TYPE_MAX + (is_long_type(c->args[i].type) ? TYPE_BASE(c->args[i].type) : 0);
    for (uint32_t i = 0; i < count; i++)
        if (list[i].kernel == c->f->kernel && list[i].types == types)
            return true;
    assert_true(count < SEEN_MAX);
    list[count].kernel = c->f->kernel;
    list[count++].types = types;
    return false;
}

/* Which arguments are long, and how. */
struct variant {
    uint32_t shape;
    uint32_t arg; /* args_count: all of them */
    bool numbers; /* large ones beside it */
};

/* False: there is no such variant of the call. */
static bool make_variant(const struct call *base, const struct variant *v, struct call *ret)
{
    bool all = v->arg == base->args_count;
    uint32_t longs = 0;
    uint32_t ints = 0;

    *ret = *base;
    for (uint32_t i = 0; i < base->args_count; i++) {
        enum type_id type = base->args[i].type;

        if (type_is_int(type) && v->numbers) {
            ret->args[i].v.i64 = type == TYPE_SMALLINT ? 30000 : LONG_ITEMS;
            ints++;
        }
        if ((!all && i != v->arg) || !is_long_type(type) ||
            (type_is_array(type) && v->shape >= ITEMS_KINDS))
            continue;
        set_long(ret, i, v->shape);
        longs++;
    }
    return longs >= (all ? 2 : 1) && (ints > 0 || !v->numbers);
}

/* False: there is no such variant. */
static bool check_variant(const struct call *base, const struct variant *v)
{
    struct worst w = {0, 0};
    bool good = false;
    struct call c;

    forget_arrays();
    for (level = 0; !good && level < DN_ARRAY_SIZE(parts); level++) {
        part = parts[level];
        if (!make_variant(base, v, &c))
            return false;
        good = check(&c, &w);
    }
    calls++;
    if (good)
        return true;
    late++;
    print_error("%s, argument %u%s: %s%s: %.1f ms after the flag went up, at %.1f ms\n",
                base->what,
                v->arg + 1,
                v->arg == base->args_count ? " (all)" : "",
                shapes[v->shape].name,
                v->numbers ? ", large numbers" : "",
                (double)w.lag / 1e6,
                (double)w.at / 1e6);
    return true;
}

/* One argument or the other long, also with large numbers beside it, or all of them. */
static void check_shapes(const struct call *base)
{
    uint32_t args = base->args_count + 1;
    uint32_t all = SHAPES * args * 2;
    uint32_t first = draw(all);
    uint32_t done = 0;

    if (!strstr(base->what, only))
        return;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t at = (first + i) % all;
        const struct variant v = {at / 2 % SHAPES, at / 2 / SHAPES, at % 2};

        if (done >= SAMPLE && (deadline_ns == 0 || wall_ns() > deadline_ns))
            return;
        if (!check_variant(base, &v))
            continue;
        done++;
        if (deadline_ns == 0) /* the next one is another kind */
            first += draw(all);
    }
}

/* The types of a call: what takes any type gets this one. */
static enum type_id type_for(enum type_id type, enum type_id any)
{
    if (type == TYPE_NONE || type == TYPE_ANY_ELEMENT)
        return any;
    return type == TYPE_ANY_ARRAY ? type_array_of(any) : type;
}

/* Arguments as the example has them, or any that are no NULL. */
static void
set_args(struct call *c, const enum type_id *types, const char *example, enum type_id any)
{
    struct sample s = {.literals_count = 0};

    if (example && !strstr(example, " of ") && !strchr(example, '{') && !strchr(example, '['))
        sample_parse(example, &s);
    for (uint32_t i = 0; i < c->args_count; i++) {
        enum type_id type = type_for(types[i], any);

        c->args[i] = (struct datum){.type = type, .null = true};
        if (s.literals_count == c->args_count && !s.null[i] && type == types[i] &&
            !type_is_enum(type))
            c->args[i] = sample_of(type, s.literal[i]);
        if (c->args[i].null)
            c->args[i] = short_value(type);
    }
}

static void name_call(struct call *c, const char *name)
{
    size_t n = (size_t)snprintf(c->what, sizeof c->what, "%s(", name);

    for (uint32_t i = 0; i < c->args_count && n < sizeof c->what; i++)
        n += (size_t)snprintf(c->what + n,
                              sizeof c->what - n,
                              "%s%s",
                              i ? ", " : "",
                              func_type_name(c->args[i].type));
    snprintf(c->what + n, sizeof c->what - n, ") %s", func_type_name(c->result));
}

/* What takes any type is called with these. */
static const enum type_id any_types[] = {
    TYPE_VARCHAR, TYPE_BIGINT, (enum type_id)(TYPE_BIGINT | TYPE_ARRAY)};

/* fn for each of them that fits, or once. */
static bool any_fits(const enum type_id *types, uint32_t count, uint32_t any)
{
    bool wants = false;

    for (uint32_t i = 0; i < count; i++) {
        wants |=
            types[i] == TYPE_NONE || types[i] == TYPE_ANY_ELEMENT || types[i] == TYPE_ANY_ARRAY;
        if (types[i] != TYPE_NONE && wants && type_is_array(any_types[any]))
            return false; /* no arrays of arrays */
    }
    return any == 0 || wants;
}

static void check_func(const struct func *f, enum type_id any)
{
    struct call c = {.f = f, .rows = 1, .args_count = f->args_count};
    enum type_id types[FUNC_ARGS_MAX];

    if ((f->flags & FUNC_VARIADIC) && c.args_count < FUNC_ARGS_MAX)
        c.args_count++;
    for (uint32_t i = 0; i < c.args_count; i++)
        types[i] = f->args[i < f->args_count ? i : f->args_count - 1];
    set_args(&c, types, f->example, any);
    for (uint32_t i = 0; i < c.args_count; i++)
        types[i] = c.args[i].type;
    c.result = func_result(f, types, c.args_count);
    name_call(&c, f->name);
    if (!seen(&c))
        check_shapes(&c);
}

/* Words that an argument must be, beside that of the example. */
static void test_words(void **state)
{
    static const struct {
        const char *name, *word;
    } words[] = {
        {"encode", "hex"},
        {"encode", "escape"},
        {"decode", "hex"},
        {"decode", "escape"},
        {"normalize", "nfd"},
    };

    (void)state;
    late = calls = 0;
    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++) {
        struct call c = {.rows = 1, .args_count = 2};
        const struct func *f;

        for (uint32_t k = 0; (f = func_at(k)); k++)
            if (strcmp(f->name, words[i].name) == 0 && f->args_count == 2)
                c.f = f;
        assert_non_null(c.f);
        c.result = c.f->result;
        c.args[0] = short_value(c.f->args[0]);
        c.args[1] = sample_of(TYPE_VARCHAR, words[i].word);
        name_call(&c, words[i].name);
        check_shapes(&c);
    }
    assert_int_equal(late, 0);
    assert_true(calls >= SAMPLE * 5 || *only);
}

static void test_functions(void **state)
{
    const struct func *f;

    (void)state;
    late = calls = 0;
    for (uint32_t i = 0; (f = func_at(i)); i++)
        for (uint32_t a = 0; a < DN_ARRAY_SIZE(any_types); a++)
            if (any_fits(f->args, f->args_count, a))
                check_func(f, any_types[a]);
    assert_int_equal(late, 0);
    assert_true(calls > 500 || *only);
}

/* Casts, those between arrays among them, which no table has. */
static void test_casts(void **state)
{
    (void)state;
    late = calls = 0;
    for (unsigned from = 1; from < TYPE_MAX; from++)
        for (unsigned to = 1; to < TYPE_MAX; to++) {
            struct call c = {.rows = 1, .args_count = 1, .result = (enum type_id)to};

            if (!type_known(from) || !type_known(to) || !is_long_type((enum type_id)from))
                continue;
            c.f = func_cast((enum type_id)from, (enum type_id)to, false);
            if (!c.f)
                continue;
            c.args[0] = short_value((enum type_id)from);
            name_call(&c, "cast");
            if (!seen(&c))
                check_shapes(&c);
        }
    assert_int_equal(late, 0);
    assert_true(calls > 500 || *only);
}

static void test_aggregates(void **state)
{
    const struct agg *a;

    (void)state;
    late = calls = 0;
    for (uint32_t i = 0; (a = agg_at(i)); i++) {
        struct call c = {.agg = a,
                         .args_count = a->star                ? 0
                                       : a->arg2 == TYPE_NONE ? 1
                                                              : 2,
                         .result = a->result};
        enum type_id types[2] = {a->arg, a->arg2};

        set_args(&c, types, NULL, TYPE_VARCHAR);
        name_call(&c, a->name);
        check_shapes(&c);
    }
    assert_int_equal(late, 0);
    assert_true(calls >= SAMPLE * 5 || *only);
}

static void test_rows(void **state)
{
    const struct rowfunc *f;

    (void)state;
    late = calls = 0;
    for (uint32_t i = 0; (f = rowfunc_at(i)); i++)
        for (uint32_t a = 0; a < DN_ARRAY_SIZE(any_types); a++) {
            struct call c = {.rf = f, .args_count = f->args_count};
            enum type_id types[FUNC_ARGS_MAX];

            if (!any_fits(f->args, f->args_count, a))
                continue;
            set_args(&c, f->args, f->example, any_types[a]);
            for (uint32_t k = 0; k < c.args_count; k++)
                types[k] = c.args[k].type;
            c.result = rowfunc_result(f, types, c.args_count);
            name_call(&c, f->name);
            check_shapes(&c);
        }
    assert_int_equal(late, 0);
    assert_true(calls >= SAMPLE * 5 || *only);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_aggregates),
        cmocka_unit_test(test_rows),
    };
    struct sigaction act = {.sa_handler = raise_flag, .sa_flags = SA_RESTART};
    const char *given = getenv("DENDRO_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)wall_ns();
    int failed;

    if (argc > 1)
        only = argv[1];
    random_state = seed;
    if (getenv("DENDRO_TEST_SECONDS"))
        deadline_ns = wall_ns() + atol(getenv("DENDRO_TEST_SECONDS")) * INT64_C(1000000000);
    sigaction(SIGALRM, &act, NULL);
    mem_owner_init(&arrays_owner, "arrays", NULL, 0);
    mem_owner_init(&call_owner, "call", NULL, MEMORY_MAX);
    arena_init(&values, NULL);
    arena_init(&arrays, &arrays_owner);
    arena_init(&arena, &call_owner);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        print_error("with DENDRO_TEST_SEED=%llu\n", (unsigned long long)seed);
    arena_done(&arena);
    arena_done(&arrays);
    arena_done(&values);
    return failed;
}
