/* SPDX-License-Identifier: Apache-2.0
 *
 * What ALTER TABLE makes of a definition: every action, what each refuses with exact text, hint,
 * code and position, schedules of widths, and memory that runs out at every allocation. */
#include "catalog/table_int.h"
#include "spec_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HOUR INT64_C(3600000)
#define DAY  (24 * HOUR)

#define GEO                                                                                   \
    "CREATE TABLE geo (a VARCHAR NOT NULL, t TIMESTAMP NOT NULL, x INT, \"X\" INT, y DOUBLE " \
    "DEFAULT 1.5, PRIMARY KEY ((a, QUANTUM(t, 15, 'm')), a, t)) WITH (slab = '1d')"
#define TIMED                                                                         \
    "CREATE TABLE timed (k INT, at TIMESTAMP NOT NULL) WITH (time = 'at', quantum = " \
    "'1d')"
#define ONE "CREATE TABLE one (x INT)"

enum what { ADD, DROP, RENAME, RENAME_TABLE, SET };

struct action {
    enum what what;
    const char *name; /* column; option of SET */
    const char *to;   /* new name; value of SET; default of ADD, NULL = none */
    enum type_id type;
    bool not_null;
};

static int act(struct table *t, const struct action *a, int64_t time_max, struct dn_err *err)
{
    struct spec_name name = {.s = a->name, .pos = 7};
    struct spec_name to = {.s = a->to, .pos = 9};
    struct table_rows_span rows = {.any = time_max != INT64_MIN, .time_max = time_max};
    struct column_spec column = {.name = name, .type = a->type, .not_null = a->not_null};
    struct option_spec option = {.name = name, .value = a->to, .quoted = true, .value_pos = 9};

    switch (a->what) {
    case ADD:
        column.has_default = a->to != NULL;
        column.def = (struct datum){.type = TYPE_VARCHAR,
                                    .str = {a->to, a->to ? (uint32_t)strlen(a->to) : 0}};
        return table_add_column(t, &column, err);
    case DROP:
        return table_drop_column(t, &name, err);
    case RENAME:
        return table_rename_column(t, &name, &to, err);
    case RENAME_TABLE:
        return table_rename(t, &to, err);
    case SET:
        return table_set_options(t, &option, 1, &rows, err);
    }
    return -1;
}

static struct table *make(const char *sql)
{
    struct dn_err err = {.code = 0};
    struct table *t = NULL;
    struct table *copy = NULL;

    if (spec_text_build(sql, &t, &err) < 0)
        fail_msg("%s: %s", sql, err.text);
    assert_int_equal(table_copy(t, &copy, &err), 0);
    assert_true(spec_same_table(t, copy));
    assert_int_equal(copy->version, t->version + 1);
    table_unref(t);
    return copy;
}

/* ---- what is refused ---- */

struct refused {
    const char *sql;
    struct action action;
    int64_t time_max;
    int code;
    uint32_t position;
    const char *text;
    const char *hint;
};

static const char long_name[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/* clang-format off */
static const struct refused refusals[] = {
    {GEO, {ADD, "x", NULL, TYPE_INTEGER, false}, 0, DN_E_DUPLICATE_COLUMN, 7,
     "column \"x\" of relation \"geo\" already exists", ""},
    {GEO, {ADD, "n", NULL, TYPE_INTEGER, true}, 0, DN_E_NOT_NULL, 7,
     "column \"n\" is NOT NULL and has no DEFAULT for the rows there are",
     "add a DEFAULT, or allow NULL"},
    {GEO, {ADD, "", NULL, TYPE_INTEGER, false}, 0, DN_E_BAD_NAME, 7,
     "the column name is empty", ""},
    {GEO, {ADD, "b\xff", NULL, TYPE_INTEGER, false}, 0, DN_E_BAD_ENCODING, 7,
     "the column name is not valid UTF-8", ""},
    {GEO, {DROP, "a", NULL, TYPE_NONE, false}, 0, DN_E_KEY_RULE, 7,
     "column \"a\" cannot be dropped: it is in the primary key", ""},
    {GEO, {DROP, "t", NULL, TYPE_NONE, false}, 0, DN_E_KEY_RULE, 7,
     "column \"t\" cannot be dropped: it is in the primary key", ""},
    {TIMED, {DROP, "at", NULL, TYPE_NONE, false}, 0, DN_E_KEY_RULE, 7,
     "column \"at\" cannot be dropped: it is the time column", ""},
    {GEO, {DROP, "yy", NULL, TYPE_NONE, false}, 0, DN_E_UNDEFINED_COLUMN, 7,
     "column \"yy\" of relation \"geo\" does not exist", "Perhaps you meant \"y\"."},
    {GEO, {DROP, "nothing", NULL, TYPE_NONE, false}, 0, DN_E_UNDEFINED_COLUMN, 7,
     "column \"nothing\" of relation \"geo\" does not exist", ""},
    {GEO, {RENAME, "z", "q", TYPE_NONE, false}, 0, DN_E_UNDEFINED_COLUMN, 7,
     "column \"z\" of relation \"geo\" does not exist", NULL},
    {GEO, {RENAME, "y", "x", TYPE_NONE, false}, 0, DN_E_DUPLICATE_COLUMN, 9,
     "column \"x\" of relation \"geo\" already exists", ""},
    {GEO, {RENAME, "y", "", TYPE_NONE, false}, 0, DN_E_BAD_NAME, 9,
     "the column name is empty", ""},
    {GEO, {RENAME_TABLE, NULL, "", TYPE_NONE, false}, 0, DN_E_BAD_NAME, 9,
     "the table name is empty", ""},
    {GEO, {RENAME_TABLE, NULL, "\xc3", TYPE_NONE, false}, 0, DN_E_BAD_ENCODING, 9,
     "the table name is not valid UTF-8", ""},
    {GEO, {SET, "time", "y", TYPE_NONE, false}, 0, DN_E_KEY_RULE, 9,
     "the time column of a table cannot be changed",
     "every row would have to move: make a new table and copy them"},
    {ONE, {SET, "time", "x", TYPE_NONE, false}, 0, DN_E_KEY_RULE, 9,
     "the time column of a table cannot be changed",
     "every row would have to move: make a new table and copy them"},
    {GEO, {SET, "quantum", "soon", TYPE_NONE, false}, 0, DN_E_INVALID_PARAM, 9,
     "table option quantum must be a length of time such as '15m', '6h' or '1 day', not 'soon'", ""},
    {GEO, {SET, "quantum", "0s", TYPE_NONE, false}, 0, DN_E_INVALID_PARAM, 9,
     "table option quantum must be a length of time such as '15m', '6h' or '1 day', not '0s'", ""},
    {GEO, {SET, "slab", "2d", TYPE_NONE, false}, INT64_MAX, DN_E_INVALID_PARAM, 0,
     "quantum and slab cannot change: a row lies in the last slab of all time", ""},
};
/* clang-format on */

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(refusals); i++) {
        const struct refused *r = &refusals[i];
        size_t before = mem_process_used();
        struct table *t = make(r->sql);
        struct dn_err err = {.code = 0};
        int rc = act(t, &r->action, r->time_max, &err);

        if (rc != r->code || strcmp(err.text, r->text) != 0 || err.position != r->position ||
            (r->hint && strcmp(err.hint, r->hint) != 0))
            fail_msg("%zu: got %d %s | %s at %u\nwant %d %s | %s at %u",
                     i,
                     rc,
                     err.text,
                     err.hint,
                     err.position,
                     r->code,
                     r->text,
                     r->hint ? r->hint : "",
                     r->position);
        assert_string_equal(err.sqlstate, dn_code_sqlstate(r->code));
        table_unref(t);
        assert_int_equal(mem_process_used(), before);
    }
}

static void test_long_names(void **state)
{
    const struct action actions[] = {{ADD, long_name, NULL, TYPE_INTEGER, false},
                                     {RENAME, "y", long_name, TYPE_NONE, false},
                                     {RENAME_TABLE, NULL, long_name, TYPE_NONE, false}};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(actions); i++) {
        struct table *t = make(GEO);
        struct dn_err err;

        assert_int_equal(act(t, &actions[i], 0, &err), DN_E_BAD_NAME);
        assert_non_null(
            strstr(err.text, i < 2 ? "the column name \"aaaa" : "the table name \"aaaa"));
        assert_non_null(strstr(err.text, "has 288 bytes, the most is "));
        table_unref(t);
    }
}

/* A name that fits two columns but for its case, and neither exactly. */
static void test_ambiguous(void **state)
{
    const struct action actions[] = {{RENAME, "x", "Xx", TYPE_NONE, false},
                                     {RENAME, "X", "xX", TYPE_NONE, false}};
    const struct action drop = {DROP, "XX", NULL, TYPE_NONE, false};
    struct table *t = make(GEO);
    struct dn_err err;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(actions); i++)
        assert_int_equal(act(t, &actions[i], 0, &err), 0);
    assert_int_equal(act(t, &drop, 0, &err), DN_E_AMBIGUOUS);
    assert_string_equal(err.text, "\"XX\" fits more than one column of table \"geo\"");
    assert_int_equal(err.position, 7);
    table_unref(t);
}

static void test_too_many(void **state)
{
    struct table *t = make(ONE);
    struct dn_err err;
    char name[16];
    int rc = 0;

    (void)state;
    for (int i = 1; rc == 0; i++) {
        struct action add = {ADD, name, NULL, TYPE_INTEGER, false};
        (void)snprintf(name, sizeof name, "c%d", i);
        rc = act(t, &add, 0, &err);
    }
    assert_int_equal(rc, DN_E_TOO_MANY_COLUMNS);
    assert_int_equal(t->columns_count, TABLE_COLUMNS_MAX);
    assert_string_equal(err.text, "table \"one\" has 511 columns, and can have no more");
    table_unref(t);
}

/* ---- what is done ---- */

static void test_columns(void **state)
{
    const struct action add = {ADD, "z", "old", TYPE_VARCHAR, true};
    const struct action drop = {DROP, "x", NULL, TYPE_NONE, false};
    const struct action again = {ADD, "x", NULL, TYPE_DOUBLE, false};
    const struct action rename = {RENAME, "t", "when", TYPE_NONE, false};
    struct table *t = make(GEO);
    uint32_t id = t->columns[2].id;
    struct dn_err err;

    (void)state;
    assert_int_equal(act(t, &add, 0, &err), 0);
    assert_int_equal(t->columns_count, 6);
    assert_string_equal(t->columns[5].name, "z");
    assert_true(t->columns[5].has_default && t->columns[5].not_null);
    assert_int_equal(act(t, &drop, 0, &err), 0);
    assert_string_equal(t->columns[2].name, "X");
    assert_int_equal(table_column_find(t, "x", 1), 2); /* the other in any case */
    assert_int_equal(act(t, &again, 0, &err), 0);
    assert_int_equal(t->columns_count, 6);
    assert_string_equal(t->columns[5].name, "x");
    assert_int_not_equal(t->columns[5].id, id); /* another column */
    assert_int_equal(act(t, &rename, 0, &err), 0);
    assert_int_equal(t->time_col, 1);
    assert_int_equal(t->local[1].col, 1);
    assert_string_equal(t->columns[1].name, "when");
    assert_int_equal(table_check(t, &err), 0);
    table_unref(t);
}

/* Columns before those of the key go: everything that counts columns follows. */
static void test_drop_shifts(void **state)
{
    const struct action drop = {DROP, "v", NULL, TYPE_NONE, false};
    struct table *t =
        make("CREATE TABLE s (v INT, a VARCHAR NOT NULL, w INT, t TIMESTAMP NOT NULL, b "
             "INT NOT NULL, PRIMARY KEY ((a, QUANTUM(t, 1, 'h')), a, t DESC, b))");
    struct dn_err err;

    (void)state;
    assert_int_equal(act(t, &drop, 0, &err), 0);
    assert_int_equal(t->time_col, 2);
    assert_int_equal(t->series[0], 0);
    assert_int_equal(t->local[0].col, 0);
    assert_int_equal(t->local[1].col, 2);
    assert_true(t->local[1].desc);
    assert_int_equal(t->local[2].col, 3);
    assert_int_equal(table_check(t, &err), 0);
    table_unref(t);
}

static void test_rename_time_option(void **state)
{
    const struct action rename = {RENAME, "at", "it's", TYPE_NONE, false};
    struct table *t = make(TIMED);
    struct dn_err err;
    bool found = false;

    (void)state;
    assert_int_equal(act(t, &rename, 0, &err), 0);
    for (uint16_t i = 0; i < t->options_count; i++)
        if (strcmp(t->options[i].name, "time") == 0) {
            assert_string_equal(t->options[i].value, "it's");
            found = true;
        }
    assert_true(found);
    assert_int_equal(table_check(t, &err), 0);
    table_unref(t);
}

/* Widths hold behind the slab of the newest row, before 1970 too; without rows at once. */
static void test_schedule(void **state)
{
    static const struct {
        int64_t time_max;
        uint16_t rules;
        int64_t from;
    } cases[] = {
        {INT64_MIN, 1, INT64_MIN}, /* no rows */
        {0, 2, DAY},
        {DAY - 1, 2, DAY},
        {DAY, 2, 2 * DAY},
        {-1, 2, 0},
        {-DAY, 2, 0},
        {-DAY - 1, 2, -DAY},
    };
    const struct action slab = {SET, "slab", "2d", TYPE_NONE, false};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct table *t = make(GEO);
        struct dn_err err;

        assert_int_equal(act(t, &slab, cases[i].time_max, &err), 0);
        assert_int_equal(t->slabs_count, cases[i].rules);
        if (cases[i].rules == 2) {
            assert_int_equal(t->slabs[1].from, cases[i].from);
            assert_int_equal(t->slabs[0].slab_width, DAY);
        }
        assert_int_equal(t->slabs[t->slabs_count - 1].slab_width, 2 * DAY);
        assert_int_equal(table_check(t, &err), 0);
        table_unref(t);
    }
}

/* A change that is taken back before its time comes leaves no trace, the same again no second rule,
 * and there is an end to changes. */
static void test_schedule_again(void **state)
{
    const struct action two = {SET, "slab", "2d", TYPE_NONE, false};
    const struct action one = {SET, "slab", "1d", TYPE_NONE, false};
    struct table *t = make(GEO);
    struct dn_err err;
    int64_t time = 0;
    int rc = 0;

    (void)state;
    assert_int_equal(act(t, &two, 0, &err), 0);
    assert_int_equal(act(t, &two, 0, &err), 0);
    assert_int_equal(t->slabs_count, 2);
    for (int i = 0; rc == 0 && i < 100000; i++) {
        time += 10 * DAY;
        rc = act(t, i % 2 ? &two : &one, time, &err);
        if (rc == 0) {
            assert_int_equal(table_check(t, &err), 0);
            assert_int_equal(t->slabs_count, 3 + i);
        }
    }
    assert_int_equal(rc, DN_E_TOO_COMPLEX);
    assert_string_equal(err.sqlstate, dn_code_sqlstate(DN_E_TOO_COMPLEX));
    table_unref(t);
}

/* Options that SET does not name stay. */
static void test_options_stay(void **state)
{
    const struct action note = {SET, "comment", "hello", TYPE_NONE, false};
    const struct action upsert = {SET, "UPSERT", "field", TYPE_NONE, false};
    struct table *t = make(GEO);
    struct dn_err err;

    (void)state;
    assert_int_equal(act(t, &note, 0, &err), 0);
    assert_int_equal(act(t, &upsert, 0, &err), 0);
    assert_int_equal(t->upsert, UPSERT_FIELD);
    assert_int_equal(t->slabs[0].slab_width, DAY);
    assert_int_equal(t->slabs_count, 1);
    assert_int_equal(t->options_count, 3);
    assert_int_equal(table_check(t, &err), 0);
    table_unref(t);
}

static void test_nomem(void **state)
{
    static const struct action actions[] = {{ADD, "z", "old", TYPE_VARCHAR, true},
                                            {DROP, "x", NULL, TYPE_NONE, false},
                                            {RENAME, "t", "when", TYPE_NONE, false},
                                            {RENAME_TABLE, NULL, "other", TYPE_NONE, false},
                                            {SET, "quantum", "1h", TYPE_NONE, false}};
    struct dn_err err;
    struct table *t = NULL;

    (void)state;
    assert_int_equal(spec_text_build(GEO, &t, &err), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(actions); i++) {
        size_t before = mem_process_used();
        bool hit = true;

        for (uint64_t n = 1; hit; n++) {
            struct table *copy = NULL;
            int rc;

            mem_fail_nth(n, false);
            rc = table_copy(t, &copy, &err);
            if (rc == 0)
                rc = act(copy, &actions[i], 0, &err);
            hit = mem_fail_hit();
            mem_fail_nth(0, false);
            assert_int_equal(rc, hit ? DN_E_NOMEM : 0);
            table_unref(copy);
            assert_int_equal(mem_process_used(), before);
        }
    }
    table_unref(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_ambiguous),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_drop_shifts),
        cmocka_unit_test(test_rename_time_option),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_schedule_again),
        cmocka_unit_test(test_options_stay),
        cmocka_unit_test(test_nomem),
    };

    return cmocka_run_group_tests_name("table_alter", tests, NULL, NULL);
}
