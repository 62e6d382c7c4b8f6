/* SPDX-License-Identifier: Apache-2.0
 *
 * state_fuzz.c: what a dump says of a time partition: PUT TIME PARTITION … STATE '…' with any text.
 * Each input begins with the same tables. What is taken is shown, saved and opened again; what is
 * refused has a reason, and leaves the database sound. */
#include "fuzz.h"

#include "../sim/sql_db.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sql_db state_db;

static void must(bool good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

static void state_exec(const char *sql)
{
    struct dendro_error e = {0};

    must(sql_exec(state_db.conn, sql, &e) >= 0, e.message);
}

static void state_open(void)
{
    struct sql_db_options o = {.seed = 1};
    struct dn_err err = {0};

    must(sql_db_open(&state_db, &o, &err) == 0, err.text);
}

static void state_statement(const uint8_t *data, size_t size, struct buf *to)
{
    buf_puts(to, "PUT TIME PARTITION tp STATE '");
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '\'')
            buf_u8(to, '\'');
        buf_u8(to, data[i]);
    }
    buf_puts(to, "'");
    buf_u8(to, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dendro_error e = {0};
    struct buf sql;
    int rc;

    if (size > 4096 || !text_value_valid((const char *)data, size))
        return 0;
    sql_db_init(&state_db, 1);
    state_open();
    state_exec("CREATE TABLE one (a INTEGER, b INTEGER);"
               "CREATE TABLE two (a INTEGER, b INTEGER);"
               "INSERT INTO one VALUES (1, 2);"
               "CREATE TABLE tp (a INTEGER, b INTEGER) PARTITION BY TIME");
    buf_init(&sql, NULL);
    state_statement(data, size, &sql);
    rc = sql_exec(state_db.conn, (const char *)sql.data, &e);
    must(rc >= 0 || (e.message[0] && rc != DN_E_INTERNAL && rc != DN_E_CORRUPT), e.message);
    if (rc >= 0) {
        fuzz_reached();
        state_exec(
            "SELECT pg_get_triggerdef(oid) FROM pg_trigger; SELECT * FROM tp; SHOW CREATE TABLE "
            "tp; SELECT * FROM comdb2_timepartshards");
    }
    sql_db_close(&state_db);
    must(sql_db_check(&state_db, "what is saved"), "is not sound");
    state_open();
    state_exec("SELECT * FROM tp"); /* a rollout may have dropped the others */
    buf_done(&sql);
    sql_db_done(&state_db);
    return 0;
}
