/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells and records: masks against a loop, records against a reader that goes byte by byte, values,
 * NULLs, bad rows with their lines. */
#include "csv_plain.h"

#include "base/mem.h"
#include "engine/csv.h"
#include "engine/csv_scan.h"
#include "func/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 0x2545f4914f6cdd1du;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- masks and splits ---- */

static void test_masks(void **state)
{
    char text[CSV_BLOCK];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t want = 0;
        uint64_t want3 = 0;

        for (unsigned k = 0; k < sizeof text; k++) {
            text[k] = (char)(rnd() % 3 ? "a,\"\n\x8c\xff\x01"[rnd() % 7] : (char)rnd());
            want |= (uint64_t)(text[k] == ',') << k;
            want3 |= (uint64_t)(text[k] == ',' || text[k] == '"' || text[k] == '\n') << k;
        }
        assert_true(csv_mask(text, ',') == want);
        assert_true(csv_plain_mask(text, ',') == want);
        assert_true(csv_mask3(text, ',', '"', '\n') == want3);
        assert_true(csv_plain_mask3(text, ',', '"', '\n') == want3);
    }
}

static void test_split(void **state)
{
    char text[300];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t len = rnd() % sizeof text;
        size_t end = 0;
        bool inside = false;
        bool open;
        char *exact;

        for (size_t k = 0; k < len; k++) {
            text[k] = "ab,\n\""[rnd() % (i % 2 ? 5 : 4)];
            inside ^= text[k] == '"';
            if (text[k] == '\n' && !inside)
                end = k + 1;
        }
        exact = mem_dup(NULL, text, len); /* not a byte more is read */
        assert_int_equal(csv_split(exact, len, '"', &open), end);
        assert_int_equal(open, inside);
        mem_free(exact);
    }
}

static void test_ascii(void **state)
{
    char text[200];

    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t len = 0; len <= sizeof text; len++) {
        assert_true(csv_ascii(text, len));
        for (size_t k = 0; k < len; k++) {
            text[k] = (char)0x80;
            assert_false(csv_ascii(text, len));
            text[k] = 'x';
        }
    }
}

/* ---- a table to read into ---- */

struct fix {
    struct table *table;
    struct arena arena;
    struct intake_target target;
    struct csv_layout layout;
    uint32_t fields[16];
    struct csv_parser *parser;
    char *text; /* padded copy */
};

struct fix_col {
    const char *name;
    enum type_id type;
    bool not_null;
    bool key;
};

static void fix_open(struct fix *f, const struct fix_col *cols, uint32_t count)
{
    struct column_spec specs[16];
    struct key_elem_spec keys[16];
    struct table_spec spec = {.schema = {.s = "main"}, .name = {.s = "t"}, .columns = specs};
    struct dn_err err;

    memset(f, 0, sizeof *f);
    memset(specs, 0, sizeof specs);
    memset(keys, 0, sizeof keys);
    for (uint32_t i = 0; i < count; i++) {
        specs[i].name.s = cols[i].name;
        specs[i].type = cols[i].type;
        specs[i].not_null = cols[i].not_null;
        if (cols[i].key)
            keys[spec.local_count++].name.s = cols[i].name;
        f->fields[i] = i;
    }
    spec.columns_count = count;
    spec.has_key = spec.local_count > 0;
    spec.keys_count = spec.has_key;
    spec.local = keys;
    if (table_build(&spec, &f->table, &err) < 0)
        fail_msg("%s", err.text);
    arena_init(&f->arena, NULL);
    assert_int_equal(intake_target_columns(&f->target, f->table, NULL, 0, &f->arena, &err), 0);
    assert_int_equal(intake_target_unlisted(&f->target, &err), 0);
    f->layout = (struct csv_layout){
        .to = &f->target,
        .format = {.delimiter = ',', .quote = '"', .null_text = {.ptr = ""}, .epoch = -1},
        .fields = f->fields,
        .fields_count = count,
        .go_on = true};
}

static void fix_parse_len(struct fix *f, const char *text, size_t len)
{
    struct dn_err err;

    if (!f->parser)
        f->parser = csv_parser_new(&f->layout, NULL);
    assert_non_null(f->parser);
    mem_free(f->text);
    f->text = mem_alloc(NULL, len + CSV_PAD);
    assert_non_null(f->text);
    memcpy(f->text, text, len);
    memset(f->text + len, '"', CSV_PAD); /* of no consequence */
    if (csv_parse(f->parser, f->text, len, &err) < 0)
        fail_msg("%s", err.text);
}

static void fix_parse(struct fix *f, const char *text)
{
    fix_parse_len(f, text, strlen(text));
}

static void fix_close(struct fix *f)
{
    csv_parser_free(f->parser);
    mem_free(f->text);
    arena_done(&f->arena);
    table_unref(f->table);
}

/* Rows as "a|b|~\n", bad ones as "!line column: reason [record]\n" behind them. */
static const char *fix_show(struct fix *f)
{
    static char out[65536];
    struct buf b;

    buf_init(&b, NULL);
    for (uint32_t row = 0; row < f->parser->rows; row++) {
        for (uint32_t c = 0; c < f->target.cols_count; c++) {
            struct vec v = csv_parser_vec(f->parser, c);
            struct datum d = vec_datum(&v, row);

            buf_puts(&b, c ? "|" : "");
            if (d.null)
                buf_puts(&b, "~");
            text_print(&d, &b);
        }
        buf_puts(&b, "\n");
    }
    for (const struct csv_bad *bad = f->parser->bad; bad; bad = bad->next)
        buf_printf(&b,
                   "!%llu %s: %s [%.*s]\n",
                   (unsigned long long)bad->line + 1,
                   bad->column ? bad->column : "-",
                   bad->reason,
                   (int)bad->record_len,
                   bad->record);
    assert_true(!b.failed && b.len < sizeof out);
    memcpy(out, b.len ? (const char *)b.data : "", b.len);
    out[b.len] = '\0';
    buf_done(&b);
    return out;
}

static const struct fix_col texts[] = {{"a", TYPE_VARCHAR, false, false},
                                       {"b", TYPE_VARCHAR, false, false}};

/* ---- quoting ---- */

static void test_quoting(void **state)
{
    static const struct {
        const char *text;
        const char *rows;
    } cases[] = {
        {"", ""},
        {"a,b", "a|b\n"},
        {"a,b\n", "a|b\n"},
        {"a,b\r\n", "a|b\n"},
        {"a,b\r", "a|b\n"},
        {"a,b\nc,d", "a|b\nc|d\n"},
        {",\n", "~|~\n"},
        {"\"\",\n", "|~\n"},
        {"\"\",\"\"\n", "|\n"},
        {"\"a\",\"b\"\r\n", "a|b\n"},
        {"\"a\",\"b\"\r", "a|b\n"},
        {"\"a,b\",c\n", "a,b|c\n"},
        {"\"a\nb\",c\n", "a\nb|c\n"},
        {"\"a\r\nb\",c\n", "a\r\nb|c\n"},
        {"\"say \"\"hi\"\"\",c\n", "say \"hi\"|c\n"},
        {"\"\"\"\",\"\"\"\"\"\"\n", "\"|\"\"\n"},
        {" a , b \n", " a | b \n"},
        {"\n\na,b\n\r\n\nc,d\n\n", "a|b\nc|d\n"},
        {"a\rb,c\n", "a\rb|c\n"},
        {"ä,日本\n", "ä|日本\n"},
        /* bad ones */
        {"a\n", "!1 -: 1 values for 2 columns [a]\n"},
        {"a,b,c\nd,e\n", "d|e\n!1 -: 3 values for 2 columns [a,b,c]\n"},
        {"a,\"b\n", "!1 b: a quote is not closed [a,\"b]\n"},
        {"a,\"b\"c\nd,e\n", "d|e\n!1 b: there is text behind the closing quote [a,\"b\"c]\n"},
        {"a\"b\",c\nd,e\n",
         "d|e\n!1 a: there is a quote inside a cell that does not start with one [a\"b\",c]\n"},
        {"x\"a,b\ny\"z,c\nd,e\n",
         "d|e\n!1 a: there is a quote inside a cell that does not start with one "
         "[x\"a,b\ny\"z,c]\n"},
        {"a,\"b\" \nc,d\n", "c|d\n!1 b: there is text behind the closing quote [a,\"b\" ]\n"},
        {"\"1\n2\n3\",b\nc\nd,e\n", "1\n2\n3|b\nd|e\n!4 -: 1 values for 2 columns [c]\n"},
        {"\n\na\n", "!3 -: 1 values for 2 columns [a]\n"},
        {"\xff,b\nc,d\n", "c|d\n!1 a: the text is not valid UTF-8 [\xff,b]\n"},
        {"a,b\nc,d\xc3\ne,f\n", "a|b\ne|f\n!2 b: the text is not valid UTF-8 [c,d\xc3]\n"},
    };
    struct fix f;

    (void)state;
    fix_open(&f, texts, 2);
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        fix_parse(&f, cases[i].text);
        if (strcmp(fix_show(&f), cases[i].rows) != 0)
            fail_msg("%s\ngives\n%s\nand not\n%s", cases[i].text, fix_show(&f), cases[i].rows);
    }
    fix_parse_len(&f, "c,d\na\0b,c\n", 10); /* no text has a NUL, also where all is ASCII */
    assert_int_equal(f.parser->rows, 1);
    assert_non_null(strstr(fix_show(&f), "!2 a: the text is not valid UTF-8"));
    fix_close(&f);
}

/* Every cell at every place around the blocks of 64 bytes. */
static void test_places(void **state)
{
    char text[400];
    char want[400];
    struct fix f;

    (void)state;
    fix_open(&f, texts, 2);
    for (size_t pad = 0; pad < 150; pad++) {
        int n = snprintf(text, sizeof text, "%0*d,\"x\"\"y\n\"\r\nq,\"r,s\"\n", (int)pad + 1, 7);

        (void)snprintf(want, sizeof want, "%0*d|x\"y\n\nq|r,s\n", (int)pad + 1, 7);
        fix_parse_len(&f, text, (size_t)n);
        assert_string_equal(fix_show(&f), want);
        assert_int_equal(f.parser->lines, 3);
    }
    fix_close(&f);
}

/* The other characters. */
static void test_format(void **state)
{
    struct fix f;

    (void)state;
    fix_open(&f, texts, 2);
    f.layout.format.delimiter = '\t';
    f.layout.format.quote = '\'';
    f.layout.format.null_text = (struct vstr){.ptr = "NA", .len = 2};
    fix_parse(&f, "a,b\tNA\n'NA'\t'it''s'\n\t\"\n");
    assert_string_equal(fix_show(&f), "a,b|~\nNA|it's\n|\"\n");
    fix_close(&f);
}

static void test_skip(void **state)
{
    struct fix f;

    (void)state;
    fix_open(&f, texts, 2);
    f.fields[0] = 1;
    f.fields[1] = CSV_SKIP;
    f.fields[2] = 0;
    f.layout.fields_count = 3;
    fix_parse(&f, "a,\"x\ny\",b\nc,,d\ne,\"f,g\n");
    assert_string_equal(fix_show(&f), "b|a\nd|c\n!4 -: a quote is not closed [e,\"f,g]\n");
    fix_close(&f);
}

static void test_one_column(void **state)
{
    struct fix f;

    (void)state;
    fix_open(&f, texts, 1);
    fix_parse(&f, "a\n\n\"\"\nb"); /* an empty line is a row here */
    assert_string_equal(fix_show(&f), "a\n~\n\nb\n");
    fix_close(&f);
}

static void test_formats_refused(void **state)
{
    static const struct csv_format bad[] = {
        {.delimiter = '"', .quote = '"'},
        {.delimiter = '\n', .quote = '"'},
        {.delimiter = ',', .quote = '\r'},
        {.delimiter = '\0', .quote = '"'},
        {.delimiter = (char)0xe4, .quote = '"'},
        {.delimiter = ',', .quote = '"', .null_text = {.ptr = "a,b", .len = 3}},
        {.delimiter = ',', .quote = '"', .null_text = {.ptr = "\"", .len = 1}}};
    struct dn_err err;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++)
        assert_int_equal(csv_format_check(&bad[i], &err), DN_E_INVALID_PARAM);
}

/* ---- values ---- */

static const struct fix_col all_types[] = {{"k", TYPE_VARCHAR, true, true},
                                           {"i", TYPE_SMALLINT, false, false},
                                           {"j", TYPE_INTEGER, false, false},
                                           {"l", TYPE_BIGINT, false, false},
                                           {"r", TYPE_REAL, false, false},
                                           {"d", TYPE_DOUBLE, false, false},
                                           {"b", TYPE_BOOLEAN, false, false},
                                           {"t", TYPE_TIMESTAMP, false, false},
                                           {"u", TYPE_TIMESTAMP_US, false, false},
                                           {"n", TYPE_TIMESTAMP_NS, false, false},
                                           {"x", TYPE_BLOB, false, false}};

static void test_values(void **state)
{
    struct fix f;

    (void)state;
    fix_open(&f, all_types, 11);
    fix_parse(&f,
              "a,-32768,2147483647,9223372036854775807,0.1,1e300,true,2020-01-02,2020-01-02 "
              "03:04:05.123456,2020-01-02T03:04:05.123456789Z,0x00ff\n"
              "b, 7 ,-7,-9223372036854775808,1.5,0.30000000000000004,NO,1577934245123,1,-1,0x\n"
              "c,,,,,,,,,,\n"
              "\"d\",\"1\",\"2\",\"3\",\"4\",\"5\",\"t\",\"2020-01-02\",20200102,2020,\"0xAB\"\n");
    assert_string_equal(
        fix_show(&f),
        "a|-32768|2147483647|9223372036854775807|0.1|1e+300|true|2020-01-02T00:00:00.000Z|"
        "2020-01-02T03:04:05.123456Z|2020-01-02T03:04:05.123456789Z|0x00ff\n"
        "b|7|-7|-9223372036854775808|1.5|0.30000000000000004|false|2020-01-02T03:04:05.123Z|"
        "1970-01-01T00:00:00.000001Z|1969-12-31T23:59:59.999999999Z|0x\n"
        "c|~|~|~|~|~|~|~|~|~|~\n"
        "d|1|2|3|4|5|true|2020-01-02T00:00:00.000Z|2020-01-02T00:00:00.000000Z|"
        "2020-01-01T00:00:00.000000000Z|0xab\n");
    fix_close(&f);
}

static void test_bad_values(void **state)
{
    struct fix f;

    (void)state;
    fix_open(&f, all_types, 11);
    fix_parse(&f,
              ",,,,,,,,,,\n"
              "a,32768,,,,,,,,,\n"
              "b,,x,,,,,,,,\n"
              "c,,,,,nan,,,,,\n"
              "d,,,,1e39,,,,,,\n"
              "e,,,,,,maybe,,,,\n"
              "f,,,,,,,2020-02-30,,,\n"
              "g,1,2,3,4,5,t,1,1,1,0x0\n"
              "h,1,2,3,4,5,t,1,1,1,0x01\n");
    assert_string_equal(
        fix_show(&f),
        "h|1|2|3|4|5|true|1970-01-01T00:00:00.001Z|1970-01-01T00:00:00.000001Z|"
        "1970-01-01T00:00:00.000000001Z|0x01\n"
        "!1 k: null value in column \"k\" of relation \"t\" violates not-null constraint "
        "[,,,,,,,,,,]\n"
        "!2 i: value \"32768\" is out of range for type smallint [a,32768,,,,,,,,,]\n"
        "!3 j: invalid input syntax for type integer: \"x\" [b,,x,,,,,,,,]\n"
        "!4 d: NaN cannot be stored [c,,,,,nan,,,,,]\n"
        "!5 r: value \"1e39\" is out of range for type real [d,,,,1e39,,,,,,]\n"
        "!6 b: invalid input syntax for type boolean: \"maybe\" [e,,,,,,maybe,,,,]\n"
        "!7 t: date/time field value out of range: \"2020-02-30\" "
        "[f,,,,,,,2020-02-30,,,]\n"
        "!8 x: invalid hexadecimal data: odd number of digits [g,1,2,3,4,5,t,1,1,1,0x0]\n");
    f.layout.go_on = false;
    fix_parse(&f, "a,,,,,,,,,,\nb,x,,,,,,,,,\nc,,,,,,,,,,\nd,y,,,,,,,,,\n");
    assert_int_equal(f.parser->rows, 1); /* nothing behind the first bad row */
    assert_int_equal(f.parser->bad_count, 1);
    fix_close(&f);
}

static void test_epoch(void **state)
{
    static const struct fix_col cols[] = {{"t", TYPE_TIMESTAMP, true, true},
                                          {"n", TYPE_TIMESTAMP_NS, false, false}};
    struct fix f;

    (void)state;
    fix_open(&f, cols, 2);
    f.layout.format.epoch = 0;
    fix_parse(&f, "1577934245,2020\n-1,12345678\n9223372036854775807,1\n");
    assert_string_equal(fix_show(&f),
                        "2020-01-02T03:04:05.000Z|1970-01-01T00:33:40.000000000Z\n"
                        "1969-12-31T23:59:59.000Z|1970-05-23T21:21:18.000000000Z\n"
                        "!3 t: invalid input syntax for type timestamp: \"9223372036854775807\" "
                        "[9223372036854775807,1]\n");
    f.layout.format.null_text = (struct vstr){.ptr = "NA", .len = 2};
    fix_parse(&f, ",NA\n"); /* an empty cell is no NULL now, and no time, not even the first */
    assert_int_equal(f.parser->rows, 0);
    assert_string_equal(f.parser->bad->column, "t");
    f.layout.format.epoch = 6; /* finer than a key of milliseconds keeps */
    fix_parse(&f, "1577934245123000,1\n1577934245123001,1\n0,1\n");
    assert_string_equal(fix_show(&f),
                        "2020-01-02T03:04:05.123Z|1970-01-01T00:00:00.000001000Z\n"
                        "!2 t: the time is finer than a key column of type timestamp keeps "
                        "[1577934245123001,1]\n"
                        "!3 t: 0 is no time stamp: the column decides the quantum [0,1]\n");
    /* Without a unit that of the column; four digits are a year, eight a day. */
    f.layout.format.epoch = -1;
    fix_parse(&f, "1577934245123,1577934245000000001\n2020,20200102\n123456789,-2020\n");
    assert_string_equal(fix_show(&f),
                        "2020-01-02T03:04:05.123Z|2020-01-02T03:04:05.000000001Z\n"
                        "2020-01-01T00:00:00.000Z|2020-01-02T00:00:00.000000000Z\n"
                        "1970-01-02T10:17:36.789Z|1969-12-31T23:59:59.999997980Z\n");
    fix_close(&f);
}

/* Caps. */
static void test_caps(void **state)
{
    static const struct fix_col key[] = {{"k", TYPE_VARCHAR, true, true},
                                         {"v", TYPE_VARCHAR, false, false}};
    size_t len = CSV_CELL_MAX + 100;
    char *text = mem_alloc(NULL, len);
    struct fix f;

    (void)state;
    assert_non_null(text);
    fix_open(&f, key, 2);
    memset(text, 'x', len);
    memcpy(text, "a,", 2);
    text[CSV_CELL_MAX + 2] = '\n';
    fix_parse_len(&f, text, CSV_CELL_MAX + 3);
    assert_int_equal(f.parser->rows, 1);
    text[CSV_CELL_MAX + 2] = 'x';
    text[CSV_CELL_MAX + 3] = '\n';
    fix_parse_len(&f, text, CSV_CELL_MAX + 4);
    assert_int_equal(f.parser->rows, 0);
    assert_string_equal(f.parser->bad->reason, "a cell of 16777217 bytes is longer than 16777216");
    memset(text, 'k', 70000); /* a key of 65535 bytes, and one more */
    memcpy(text + 65535, ",v\n", 3);
    memcpy(text + 65538 + 65536, ",v\n", 3);
    fix_parse_len(&f, text, 65538 + 65536 + 3);
    fix_close(&f);
    mem_free(text);
}

static void test_key_length(void **state)
{
    static const struct fix_col key[] = {{"k", TYPE_VARCHAR, true, true},
                                         {"l", TYPE_VARCHAR, true, true}};
    static char text[200000];
    struct fix f;
    size_t at = 0;

    (void)state;
    fix_open(&f, key, 2);
    memset(text, 'k', sizeof text);
    at = 65530;
    memcpy(text + at, ",12345\n", 7);
    at += 7 + 65530;
    memcpy(text + at, ",123456\n", 8);
    fix_parse_len(&f, text, at + 8);
    assert_int_equal(f.parser->rows, 1);
    assert_int_equal(f.parser->bad_count, 1);
    assert_int_equal(f.parser->bad->line, 1);
    assert_string_equal(f.parser->bad->reason, "the key's text is longer than 65535 bytes");
    fix_close(&f);
}

/* Out of memory at every allocation. */
static void test_allocations(void **state)
{
    struct csv_parser *p;
    struct dn_err err;
    struct fix f;
    int rc;

    (void)state;
    fix_open(&f, all_types, 11);
    fix_parse(&f, "");
    for (uint64_t n = 1;; n++) {
        char text[] = "\"a\"\"b\",1,x,,,,,,,,0xab\n\"c\"\"\",,1,,,,,,,,0x12\n"
                      "                                                                ";
        size_t before = mem_process_used();
        bool hit;

        mem_fail_nth(n, false);
        p = csv_parser_new(&f.layout, NULL);
        rc = p ? csv_parse(p, text, strlen(text) - CSV_PAD, &err) : DN_E_NOMEM;
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(rc, hit ? DN_E_NOMEM : 0);
        csv_parser_free(p);
        assert_int_equal(mem_process_used(), before);
        if (!hit)
            break;
    }
    fix_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_one_column),
        cmocka_unit_test(test_formats_refused),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_epoch),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_key_length),
        cmocka_unit_test(test_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
