/* SPDX-License-Identifier: Apache-2.0 */
#include "golden.h"

#include "codec/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct table_shape golden_shape = {.cols = 7,
                                                .types = {TYPE_VARCHAR,
                                                          TYPE_TIMESTAMP,
                                                          TYPE_DOUBLE,
                                                          TYPE_INTEGER,
                                                          TYPE_VARCHAR,
                                                          TYPE_BOOLEAN,
                                                          TYPE_SMALLINT},
                                                .form = KEY_RIAK,
                                                .series_count = 2,
                                                .series = {6, 0},
                                                .rest_count = 1,
                                                .rest = {{.col = 1, .desc = true}},
                                                .time_col = 1,
                                                .slab_width = 1000000};

static void golden_row(struct colbuf *raw, uint32_t i, const char *host, int64_t region)
{
    static const char *const notes[] = {"", "ok", "rather long, and so cut in the zone", "zzz"};
    enum row_op op = i % 50 == 7 ? ROW_PATCH : i % 50 == 9 ? ROW_DELETE : ROW_PUT;
    struct datum d[7] = {
        {.type = TYPE_VARCHAR, .str = {host, (uint32_t)strlen(host)}},
        {.type = TYPE_TIMESTAMP, .v.i64 = 1000000 + (int64_t)i * 700},
        {.type = TYPE_DOUBLE, .null = i % 11 == 3, .v.f64 = (double)(i * 37 % 1000) / 4.0 - 20},
        {.type = TYPE_INTEGER, .v.i64 = (int64_t)i * i % 5000 - 100},
        {.type = TYPE_VARCHAR, .str = {notes[i % 4], (uint32_t)strlen(notes[i % 4])}},
        {.type = TYPE_BOOLEAN, .v.i64 = 1},
        {.type = TYPE_SMALLINT, .v.i64 = region}};
    struct datum hidden[HIDDEN_MAX] = {{.type = TYPE_BIGINT, .v.i64 = 100 + i / 64},
                                       {.type = TYPE_SMALLINT, .v.i64 = op},
                                       {.type = TYPE_BIGINT, .null = true},
                                       {.type = TYPE_BIGINT, .v.i64 = 0}};

    for (uint32_t c = 0; c < 7; c++) {
        bool key = c < 2 || c == 6;

        if (!key && (op == ROW_DELETE || (op == ROW_PATCH && c > 3)))
            assert_true(colbuf_append_absent(&raw[c]));
        else
            assert_true(colbuf_append(&raw[c], &d[c]));
    }
    for (uint32_t c = 0; c < HIDDEN_MAX; c++)
        assert_true(colbuf_append(&raw[7 + c], &hidden[c]));
}

void golden_model(struct model *m)
{
    struct colbuf *raw;

    model_begin(m, model_table(&golden_shape), &raw);
    for (uint32_t i = 0; i < 1300; i++) /* one long run, in one slab */
        golden_row(raw, i, "alpha", 1);
    for (uint32_t i = 0; i < 40; i++)
        golden_row(raw, i * 50, "beta", 2); /* two slabs */
    for (uint32_t i = 0; i < 3; i++)
        golden_row(raw, i, "gamma", -1);
    model_end(m, raw);
}

void golden_runs_model(struct model *m)
{
    struct colbuf *raw;

    model_begin(m, model_table(&golden_shape), &raw);
    for (uint32_t i = 0; i < 40; i++)
        golden_row(raw, i * 50, "beta", 2); /* two slabs */
    for (uint32_t k = 0; k < GOLDEN_SHORT; k++) {
        char host[16];

        (void)snprintf(host, sizeof host, "short %u", k);
        for (uint32_t i = 0; i < 4 + k % 5; i++)
            golden_row(raw, k * 37 % 1000 + i * 9, host, 3);
    }
    model_end(m, raw);
}

void golden_bytes(const struct model *m, struct buf *ret)
{
    struct rng r = {.x = 1};
    struct dn_err err = {0};
    struct seg_meta meta;

    buf_init(ret, NULL);
    codec_avoid_libraries(true); /* their bytes may differ from version to version */
    if (model_write(m, GOLDEN_ID, 333, &r, ret, &meta, &err) < 0)
        fail_msg("%s", err.text);
    codec_avoid_libraries(false);
}
