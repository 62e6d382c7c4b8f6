/* SPDX-License-Identifier: Apache-2.0
 *
 * Values on their way into columns: what is taken as what, what is refused and how. */
#include "plan_fix.h"

#include "func/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const struct {
    const char *value; /* an SQL expression */
    enum type_id to;
    bool exact;
    const char *result; /* text of the stored value, "NULL", or an SQLSTATE when text is given */
    const char *text;
} cases[] = {
    {"NULL", TYPE_BIGINT, false, "NULL", NULL},
    {"5", TYPE_SMALLINT, false, "5", NULL},
    {"32767", TYPE_SMALLINT, false, "32767", NULL},
    {"32768", TYPE_SMALLINT, false, "22003", "32768 is out of range for smallint"},
    {"-32769", TYPE_SMALLINT, false, "22003", "out of range"},
    {"2147483648", TYPE_INTEGER, false, "22003", "integer"},
    {"9223372036854775807", TYPE_BIGINT, false, "9223372036854775807", NULL},
    {"-9223372036854775808", TYPE_BIGINT, false, "-9223372036854775808", NULL},
    {"9223372036854775808", TYPE_BIGINT, false, "22003", "out of range for bigint"},
    {"-9223372036854775809", TYPE_BIGINT, false, "22003", "out of range for bigint"},
    {"9007199254740992.0", TYPE_BIGINT, false, "9007199254740992", NULL},
    {"9007199254740994.0", TYPE_BIGINT, false, "9007199254740994", NULL},
    {"CAST(9007199254740994.0 AS DOUBLE)", TYPE_BIGINT, false, "9007199254740994", NULL},
    {"1e18", TYPE_INTEGER, false, "22003", "out of range for integer"},
    {"CAST(1e18 AS BIGINT)", TYPE_BIGINT, false, "1000000000000000000", NULL},
    {"'12'", TYPE_INTEGER, false, "12", NULL},
    {"'1x'", TYPE_INTEGER, false, "22P02", "1x"},
    {"2.0", TYPE_INTEGER, false, "2", NULL},
    {"2.5", TYPE_INTEGER, false, "3", NULL},
    {"CAST(2.5 AS DOUBLE)", TYPE_INTEGER, false, "2", NULL},
    {"CAST(1e18 AS DOUBLE)", TYPE_INTEGER, false, "22003", "out of range for integer"},
    {"true", TYPE_INTEGER, false, "42804", "a boolean cannot be stored as integer"},
    {"1", TYPE_DOUBLE, false, "1", NULL},
    {"1.5", TYPE_REAL, false, "1.5", NULL},
    {"0.1", TYPE_REAL, false, "0.1", NULL},
    {"1e39", TYPE_REAL, false, "22003", "real"},
    {"'NaN'", TYPE_DOUBLE, false, "22003", "NaN cannot be stored"},
    {"'-Infinity'", TYPE_REAL, false, "22003", "infinity cannot be stored"},
    {"CAST('NaN' AS DOUBLE)", TYPE_DOUBLE, false, "22003", "NaN cannot be stored"},
    {"'abc'", TYPE_VARCHAR, false, "abc", NULL},
    {"5", TYPE_VARCHAR, false, "5", NULL},
    {"CAST(5 AS VARCHAR)", TYPE_VARCHAR, false, "5", NULL},
    {"lower('ABC')", TYPE_VARCHAR, false, "abc", NULL},
    {"lower('5')", TYPE_BIGINT, false, "42804", "a text cannot be stored as bigint"},
    {"0x00ff", TYPE_BLOB, false, "0x00ff", NULL},
    {"'0x00ff'", TYPE_BLOB, false, "0x00ff", NULL},
    {"5", TYPE_BLOB, false, "42804", "bytea"},
    {"true", TYPE_BOOLEAN, false, "true", NULL},
    {"'true'", TYPE_BOOLEAN, false, "true", NULL},
    {"1", TYPE_BOOLEAN, false, "42804", "boolean"},
    {"1", TYPE_TIMESTAMP, true, "1970-01-01T00:00:00.001Z", NULL},
    {"1", TYPE_TIMESTAMP_NS, true, "1970-01-01T00:00:00.000000001Z", NULL},
    {"'2015-01-01'", TYPE_TIMESTAMP, true, "2015-01-01T00:00:00.000Z", NULL},
    {"'2015-01-01T00:00:00.0005Z'", TYPE_TIMESTAMP, false, "2015-01-01T00:00:00.001Z", NULL},
    {"'2015-01-01T00:00:00.0005Z'",
     TYPE_TIMESTAMP,
     true,
     "22008",
     "finer than a key column of type timestamp keeps"},
    {"TIMESTAMP(6) '2015-01-01T00:00:00.0005Z'", TYPE_TIMESTAMP, true, "22008", "finer"},
    {"TIMESTAMP(6) '2015-01-01T00:00:00.0004Z'",
     TYPE_TIMESTAMP,
     false,
     "2015-01-01T00:00:00.000Z",
     NULL},
    {"TIMESTAMP(6) '1969-12-31T23:59:59.999400Z'",
     TYPE_TIMESTAMP,
     false,
     "1969-12-31T23:59:59.999Z",
     NULL},
    {"TIMESTAMP '2015-01-01'", TYPE_TIMESTAMP_NS, true, "2015-01-01T00:00:00.000000000Z", NULL},
    {"TIMESTAMP '2500-01-01'", TYPE_TIMESTAMP_NS, false, "22008", "range"},
    {"'soon'", TYPE_TIMESTAMP, false, "22007", "soon"},
    {"1.5", TYPE_TIMESTAMP, false, "42804", "a numeric cannot be stored as timestamp"},
    {"a", TYPE_VARCHAR, false, "42703", "cannot be used here"},
    {"count(*)", TYPE_BIGINT, false, "42803", "not allowed in VALUES"},
    {"$1", TYPE_BIGINT, false, "0A000", "parameters"},
};

static int assign(struct plan_fix *f, size_t i, struct datum *ret, struct dn_err *err)
{
    struct plan_env env = plan_fix_env(f);
    struct stmt *stmt = plan_fix_parse(f, arena_printf(&f->arena, "SELECT %s", cases[i].value));
    struct plan_target to = {.type = cases[i].to, .exact = cases[i].exact};
    struct eval ev = {.arena = &f->arena};
    struct datum d;
    struct bexpr *e;
    int rc = plan_value_expr(&env, stmt->query->core->items[0].expr, "VALUES", &e, err);

    if (rc < 0)
        return rc;
    if (e->kind == BEXPR_CONST)
        d = e->value;
    else
        assert_int_equal(expr_eval_datum(e, &ev, &d, err), 0);
    return plan_assign(&to, &d, e->type == TYPE_NONE, &f->arena, ret, err);
}

static void test_assign(void **state)
{
    struct plan_fix f;

    (void)state;
    plan_fix_open(&f);
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct dn_err err;
        struct datum d;
        struct buf b;
        int rc;

        dn_err_clear(&err);
        rc = assign(&f, i, &d, &err);
        buf_init(&b, NULL);
        if (rc < 0)
            buf_puts(&b, err.sqlstate);
        else if (d.null)
            buf_puts(&b, "NULL");
        else
            text_print(&d, &b);
        buf_u8(&b, 0);
        if (strcmp((const char *)b.data, cases[i].result) != 0 ||
            (rc < 0) != (cases[i].text != NULL) ||
            (cases[i].text && !strstr(err.text, cases[i].text)))
            fail_msg("%s to %s: got %s %s, want %s",
                     cases[i].value,
                     type_name(cases[i].to),
                     (const char *)b.data,
                     rc < 0 ? err.text : "",
                     cases[i].result);
        if (rc == 0)
            assert_int_equal(d.type, cases[i].to);
        buf_done(&b);
    }
    plan_fix_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_assign)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
