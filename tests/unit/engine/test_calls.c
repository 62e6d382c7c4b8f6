/* SPDX-License-Identifier: Apache-2.0
 *
 * Every function, operator, cast, aggregate, window function and function that returns rows, called
 * through SQL with every type of argument: bare literals, NULLs, typed NULLs and extreme values.
 * Each call ends with a value or with an error that is not an internal one, and soon after its
 * statement_timeout. The descriptor tables say what there is to call, so that a new row is called
 * as well without a word here.
 *
 *   1. each cast between two types, for each value of the first
 *   2. each descriptor row with arguments of its own types, several values
 *   3. each name with each type, and with each pair of types; three and more types as they come;
 *      in turns with expressions, clauses and assignments that have a syntax of their own
 * (call_forms.h)
 *
 * The calls run in a child process, which notes each statement in shared memory before it runs it:
 * the parent names the statement that ended the child, or that did not end. DENDRO_TEST_SECONDS is
 * the budget of part 3, whose calls come in random order (DENDRO_TEST_SEED). */
#define _GNU_SOURCE /* mkdtemp, MAP_ANONYMOUS */
#include "call_forms.h"
#include "call_values.h"
#include "dendro.h"
#include "func/func.h"
#include "func/rowfunc.h"
#include "func/winfunc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
#define SECONDS 35
#define DEAF_MS 5000 /* of work behind statement_timeout */
#else
#define SECONDS 8
#define DEAF_MS 1000
#endif
#define TIMEOUT_MS       300  /* as in connect_db() */
#define CALLS_VALUES_MIN 100u /* with the shortest time budget, under sanitizers */
#define STUCK_S          60 /* a statement that runs for so long despite its statement_timeout is stuck */
#define ROWS_MAX         100 /* rows of a result that are looked at */
#define SQL_MAX          4096

/* What the child tells the parent. */
static struct shared {
    atomic_ulong calls;
    atomic_ulong values; /* calls that gave a value */
    atomic_ulong failures;
    char sql[SQL_MAX];
} * shared;

/* ---- running ---- */

static dendro_db *db;
static dendro_conn *conn;

static bool connect_db(void)
{
    static const char timeout[] = "SET statement_timeout = '300ms'";
    struct dendro_error e;

    if (dendro_connect(db, &conn, &e) == DENDRO_OK &&
        dendro_exec(conn, timeout, -1, NULL, NULL, &e) >= 0)
        return true;
    fprintf(stderr, "%s %s\n", e.sqlstate, e.message);
    return false;
}

static void complain(const char *what, const char *sql, const struct dendro_error *e)
{
    if (atomic_fetch_add(&shared->failures, 1) < 40)
        fprintf(stderr, "%s: %s\n  %s %s\n", what, sql, e->sqlstate, e->message);
}

/* True: there was a value. */
static bool run(struct buf *b)
{
    struct dendro_error e;
    dendro_stmt *stmt = NULL;
    uint32_t rows = 0;
    clock_t begin;
    double work_ms;
    int rc;

    buf_u8(b, 0);
    assert_false(b->failed);
    memcpy(shared->sql, b->data, b->len < SQL_MAX ? b->len : SQL_MAX - 1);
    atomic_fetch_add(&shared->calls, 1);
    begin = clock();
    rc = dendro_prepare(conn, (const char *)b->data, -1, &stmt, NULL, &e);
    while (rc >= 0 && (rc = dendro_step(stmt, &e)) == DENDRO_ROW && rows++ < ROWS_MAX)
        for (int i = 0; i < dendro_column_count(stmt); i++)
            (void)dendro_column_text(stmt, i);
    dendro_finalize(stmt);
    if (rc < 0 && (strncmp(e.sqlstate, "XX", 2) == 0 || strcmp(e.sqlstate, "53200") == 0))
        complain("internal error", (const char *)b->data, &e);
    work_ms = (double)(clock() - begin) * 1000 / CLOCKS_PER_SEC;
    if (work_ms > TIMEOUT_MS + DEAF_MS) {
        (void)snprintf(e.message, sizeof e.message, "%.0f ms of work", work_ms);
        complain("deaf to statement_timeout", (const char *)b->data, &e);
    }
    buf_reset(b);
    if (rc < 0 &&
        strcmp(e.sqlstate, "57P01") == 0) { /* pg_terminate_backend: all others would fail */
        dendro_disconnect(conn);
        assert_true(connect_db());
    }
    if (rc >= 0)
        atomic_fetch_add(&shared->values, 1);
    return rc >= 0;
}

/* ---- what is called ---- */

enum callee_kind { SCALAR, OPERATOR, AGGREGATE, WITHIN, WINDOW, ROWS };

/* Something that has a name and takes so many arguments. */
struct callee {
    const char *name;
    uint32_t args;
    enum callee_kind what;
};

static struct callee *callees;
static uint32_t callees_count;

static void callee_add(const char *name, uint32_t args, enum callee_kind what)
{
    for (uint32_t i = 0; i < callees_count; i++)
        if (strcmp(callees[i].name, name) == 0 && callees[i].args == args &&
            callees[i].what == what)
            return;
    if (callees_count % 256 == 0) {
        callees = realloc(callees, (callees_count + 256) * sizeof(*callees));
        assert_non_null(callees);
    }
    callees[callees_count].name = name;
    callees[callees_count].args = args;
    callees[callees_count++].what = what;
}

static uint32_t agg_args(const struct agg *a)
{
    return a->star ? 0 : a->arg2 == TYPE_NONE ? 1 : 2;
}

static void gather(void)
{
    const struct rowfunc *r;
    const struct winfunc *w;
    const struct func *f;
    const struct agg *a;

    for (uint32_t i = 0; (f = func_at(i)); i++) {
        callee_add(f->name, f->args_count, f->flags & FUNC_OPERATOR ? OPERATOR : SCALAR);
        if (f->flags & FUNC_VARIADIC)
            callee_add(f->name, f->args_count + 2, f->flags & FUNC_OPERATOR ? OPERATOR : SCALAR);
    }
    for (uint32_t i = 0; (a = agg_at(i)); i++)
        callee_add(a->name, agg_args(a), a->within ? WITHIN : AGGREGATE);
    for (uint32_t i = 0; (w = winfunc_at(i)); i++)
        callee_add(w->name, w->args_count, WINDOW);
    for (uint32_t i = 0; (r = rowfunc_at(i)); i++)
        callee_add(r->name, r->args_count, ROWS);
}

static bool ends_in(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);

    return n >= m && strcmp(name + n - m, tail) == 0;
}

/* Operators as SQL writes them. */
static void put_operator(struct buf *b, const struct callee *c, const char *const *args)
{
    if (strcmp(c->name, "cast") == 0)
        buf_printf(b, "CAST(%s AS %s)", args[0], call_types[call_random(CALL_TYPES)].word);
    else if (strcmp(c->name, "array") == 0)
        buf_printf(
            b, "ARRAY[%s%s%s]", args[0], c->args > 1 ? ", " : "", c->args > 1 ? args[1] : "");
    else if (strncmp(c->name, "is ", 3) == 0 && c->args == 1)
        buf_printf(b, "(%s) %s", args[0], c->name);
    else if (c->args == 2 && (ends_in(c->name, " any") || ends_in(c->name, " all")))
        buf_printf(b, "%s %s (%s)", args[0], c->name, args[1]);
    else if (c->args == 3)
        buf_printf(b, "%s %s %s ESCAPE %s", args[0], c->name, args[1], args[2]);
    else
        buf_printf(b, "%s %s %s", c->args == 2 ? args[0] : "", c->name, args[c->args - 1]);
}

static void put_call(struct buf *b, const struct callee *c, const char *const *args)
{
    if (c->what == OPERATOR) {
        put_operator(b, c, args);
        return;
    }
    if (strcmp(c->name, "extract") == 0 && c->args == 2) {
        static const char *const fields[] = {"epoch", "month", "timezone", "julian", "millisecond"};

        buf_printf(b, "EXTRACT(%s FROM %s)", fields[call_random(5)], args[1]);
        return;
    }
    buf_printf(b, "%s(", c->name);
    for (uint32_t i = c->what == WITHIN; i < c->args; i++)
        buf_printf(b, "%s%s", i > (c->what == WITHIN) ? ", " : "", args[i]);
    if (c->args == 0 && c->what == AGGREGATE)
        buf_puts(b, "*");
    buf_puts(b, ")");
    if (c->what == WITHIN)
        buf_printf(b, " WITHIN GROUP (ORDER BY %s%s)", args[0], call_random(2) ? " DESC" : "");
}

/* One statement with that call: of constants, or of the columns of some rows. */
static bool call(struct buf *b, const struct callee *c, const uint32_t *kinds, uint32_t pick)
{
    static const char *const names[FUNC_ARGS_MAX + 2] = {
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    char text[FUNC_ARGS_MAX + 2][SQL_MAX / 4];
    const char *args[FUNC_ARGS_MAX + 2];
    bool columns = c->args > 0 && (c->what == AGGREGATE || c->what == WITHIN || c->what == WINDOW ||
                                   call_random(4) == 0);
    struct buf arg;

    buf_init(&arg, NULL);
    for (uint32_t i = 0; i < c->args; i++) {
        call_put_arg(&arg, kinds[i], pick);
        buf_u8(&arg, 0);
        (void)snprintf(text[i], sizeof text[i], "%s", (const char *)arg.data);
        args[i] = columns ? names[i] : text[i];
        buf_reset(&arg);
    }
    buf_puts(b, c->what == ROWS && !columns ? "SELECT * FROM " : "SELECT ");
    put_call(b, c, args);
    if (c->what == WINDOW || (c->what == AGGREGATE && call_random(3) == 0))
        buf_puts(b,
                 call_random(2) ? " OVER ()"
                                : " OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)");
    if (columns) {
        buf_puts(b, " FROM (SELECT ");
        for (uint32_t i = 0; i < c->args; i++)
            buf_printf(b, "%s%s AS %s", i ? ", " : "", text[i], names[i]);
        for (int row = 0; row < 2; row++) {
            buf_puts(b, " UNION ALL SELECT ");
            for (uint32_t i = 0; i < c->args; i++) {
                buf_puts(b, i ? ", " : "");
                call_put_arg(b, kinds[i], pick == UINT32_MAX ? pick : pick + 1 + (uint32_t)row);
            }
        }
        buf_puts(b, ") v");
    } else if (c->what == WINDOW || c->what == AGGREGATE) {
        buf_puts(b, " FROM (SELECT 1 AS a UNION ALL SELECT 2) v");
    }
    buf_done(&arg);
    return run(b);
}

/* ---- the parts ---- */

/* 1: casts. */
static void part_casts(struct buf *b)
{
    for (uint32_t from = 0; from < CALL_KINDS; from++)
        for (uint32_t to = 0; to < 2 * CALL_TYPES; to++) {
            uint32_t n = from < CALL_TYPES ? call_values_count(call_types[from].values) : 1;

            for (uint32_t i = 0; i < n; i++) {
                buf_puts(b, "SELECT CAST(");
                call_put_arg(b, from, from < CALL_TYPES ? i : UINT32_MAX);
                buf_printf(
                    b, " AS %s%s)", call_types[to % CALL_TYPES].word, to >= CALL_TYPES ? "[]" : "");
                (void)run(b);
            }
        }
}

/* Calls a row with arguments of its own types, the values that stand at `pick` and some others. */
static bool
part_row(struct buf *b, const struct callee *c, const enum type_id *types, uint32_t types_count)
{
    uint32_t kinds[FUNC_ARGS_MAX + 2];
    bool value = false;

    for (uint32_t pick = 0; pick < 8; pick++) {
        uint32_t any = call_random((uint32_t)CALL_TYPES);

        for (uint32_t i = 0; i < c->args; i++)
            kinds[i] = call_kind_of(types[i < types_count ? i : types_count - 1], any);
        value |= call(b, c, kinds, pick < 3 ? pick : UINT32_MAX);
    }
    return value;
}

/* 2: rows. */
static void part_rows(struct buf *b)
{
    const struct rowfunc *r;
    const struct winfunc *w;
    const struct func *f;
    const struct agg *a;
    uint32_t silent = 0;

    for (uint32_t i = 0; (f = func_at(i)); i++) {
        struct callee c = {f->name, f->args_count, f->flags & FUNC_OPERATOR ? OPERATOR : SCALAR};

        if (!part_row(b, &c, f->args, f->args_count) && getenv("DENDRO_TEST_VERBOSE"))
            fprintf(stderr, "%u: no value of %s, row %u\n", ++silent, f->name, i);
    }
    for (uint32_t i = 0; (a = agg_at(i)); i++) {
        struct callee c = {a->name, agg_args(a), a->within ? WITHIN : AGGREGATE};

        (void)part_row(b, &c, (enum type_id[]){a->arg, a->arg2}, 2);
    }
    for (uint32_t i = 0; (w = winfunc_at(i)); i++) {
        struct callee c = {w->name, w->args_count, WINDOW};

        (void)part_row(b, &c, w->args, w->args_count);
    }
    for (uint32_t i = 0; (r = rowfunc_at(i)); i++) {
        struct callee c = {r->name, r->args_count, ROWS};

        (void)part_row(b, &c, r->args, r->args_count);
    }
}

static uint32_t form_values[CALL_FORMS_MAX]; /* how often it gave a value */

/* A statement of call_forms.h with arguments of any kinds. */
static void part_form(struct buf *b)
{
    uint32_t kinds[4];
    uint32_t at = call_random(call_forms_count());

    for (size_t i = 0; i < DN_ARRAY_SIZE(kinds);
         i++) /* now and then alike: then there are values */
        kinds[i] = i > 0 && call_random(3) == 0 ? kinds[0] : call_random((uint32_t)CALL_KINDS);
    for (const char *p = call_form(at); *p; p++)
        if (*p == '#' && p[1] >= '0' && p[1] <= '3')
            call_put_arg(b, kinds[*++p - '0'], UINT32_MAX);
        else
            buf_u8(b, (uint8_t)*p);
    form_values[at] += run(b);
}

/* What was called before may have changed a setting, or begun a block: calls give values all the
 * same. */
static void still_awake(struct buf *b, const char *after)
{
    struct dendro_error none = {.message = "nothing gives a value any more"};
    bool value = false;

    for (int i = 0; i < 2 && !value; i++) { /* the first may have to connect again */
        buf_puts(b, "SELECT 1");
        value = run(b);
    }
    if (!value)
        complain("asleep", after, &none);
}

/* 3: the n-th combination of a name and types of its first two arguments, in an order that the seed
 * decides. */
static void part_pairs(struct buf *b, uint64_t end_ms, uint64_t (*now_ms)(void))
{
    uint64_t all = (uint64_t)callees_count * CALL_KINDS * CALL_KINDS;
    uint64_t step = (uint64_t)call_random(UINT32_MAX) * 2654435761u % all;
    uint64_t at = call_random(UINT32_MAX) % all;
    uint64_t a, c;

    for (step |= 1;; step += 2) { /* no divisor in common: all are reached */
        for (a = all, c = step; c; a %= c, c ^= a, a ^= c, c ^= a)
            ;
        if (a == 1)
            break;
    }
    for (uint64_t i = 0; i < all && ((i & 15) || now_ms() < end_ms); i++) {
        const struct callee *what = &callees[at % callees_count];
        uint32_t kinds[FUNC_ARGS_MAX + 2];

        kinds[0] = (uint32_t)(at / callees_count % CALL_KINDS);
        kinds[1] = (uint32_t)(at / callees_count / CALL_KINDS);
        for (uint32_t k = 2; k < DN_ARRAY_SIZE(kinds); k++)
            kinds[k] = call_random((uint32_t)CALL_KINDS);
        (void)call(b, what, kinds, UINT32_MAX);
        part_form(b);
        if (i % 1000 == 0)
            still_awake(b, shared->sql);
        at = (at + step) % all;
    }
}

/* ---- both processes ---- */

static uint64_t now_ms(void)
{
    struct timespec t;

    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint64_t env_number(const char *name, uint64_t other)
{
    const char *given = getenv(name);

    return given ? strtoull(given, NULL, 10) : other;
}

static int child(const char *dir)
{
    static const char setup[] =
        "CREATE TYPE mood AS ENUM ('sad', 'ok'); "
        "CREATE TABLE t (k BIGINT PRIMARY KEY); CREATE SEQUENCE s; "
        "CREATE TABLE typed (k BIGINT PRIMARY KEY, i INT, s VARCHAR(20), t TIMESTAMP(6), d DATE, "
        "f DOUBLE, n NUMERIC(10, 2), b BLOB, u UUID, l BIGINT[], m mood);";
    struct dendro_error e;
    struct buf b;

    if (dendro_open(dir, NULL, &db, &e) < 0 || !connect_db() ||
        dendro_exec(conn, setup, -1, NULL, NULL, &e) < 0) {
        fprintf(stderr, "%s %s\n", e.sqlstate, e.message);
        return 1;
    }
    buf_init(&b, NULL);
    gather();
    part_casts(&b);
    part_rows(&b);
    part_pairs(&b, now_ms() + env_number("DENDRO_TEST_SECONDS", SECONDS) * 1000, now_ms);
    for (uint32_t i = 0; getenv("DENDRO_TEST_VERBOSE") && i < call_forms_count(); i++)
        if (!form_values[i])
            fprintf(stderr, "no value of %s\n", call_form(i));
    buf_done(&b);
    free(callees);
    dendro_disconnect(conn);
    (void)dendro_close(db);
    return atomic_load(&shared->failures) ? 1 : 0;
}

static void test_calls(void **unused)
{
    static char dir[] = "/tmp/dendro-calls-XXXXXX";
    uint64_t seed = env_number("DENDRO_TEST_SEED", now_ms() | 1);
    struct timespec pause = {.tv_nsec = 50000000};
    unsigned long last = 0;
    uint64_t last_ms = now_ms();
    char command[64];
    bool stuck = false;
    int status = 0;
    pid_t pid;

    (void)unused;
    call_seed(seed);
    assert_non_null(mkdtemp(dir));
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        exit(child(dir));
    while (waitpid(pid, &status, WNOHANG) == 0) {
        unsigned long calls = atomic_load(&shared->calls);

        if (calls != last)
            last_ms = now_ms();
        last = calls;
        if (now_ms() - last_ms > STUCK_S * 1000) {
            stuck = true;
            (void)kill(pid, SIGKILL);
            (void)waitpid(pid, &status, 0);
            break;
        }
        nanosleep(&pause, NULL);
    }
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
    if (stuck || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s with DENDRO_TEST_SEED=%llu; the last statement was\n%s",
                 stuck ? "a statement that does not end" : "the process failed",
                 (unsigned long long)seed,
                 shared->sql);
    if (getenv("DENDRO_TEST_VERBOSE"))
        fprintf(stderr,
                "%lu calls, %lu values\n",
                atomic_load(&shared->calls),
                atomic_load(&shared->values));
    /* A mistake in the way calls are written would make errors of all. Most combinations of types
     * are errors, how many of the first ones depends on the seed: so a number, not a share. */
    assert_true(atomic_load(&shared->values) >= CALLS_VALUES_MIN);
    munmap(shared, sizeof(*shared));
}

/* Each type that a value can have is among the pools. */
static void test_types(void **unused)
{
    (void)unused;
#define DN_TYPE(id, name, sql, phys)                              \
    if (TYPE_##name != TYPE_NONE && TYPE_##name != TYPE_EXPANDED) \
        assert_non_null(call_type_of(TYPE_##name));
#include "vec/type_list.h"
#undef DN_TYPE
}

static void test_forms(void **unused)
{
    (void)unused;
    assert_true(call_forms_complete());
    assert_true(call_forms_count() <= CALL_FORMS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
