/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_fake.c: a database that says what it is told, to test the runner itself: that it passes what
 * is right, fails what is wrong, and does between the records what each mode promises.
 *
 *     ROWS TYPES v v v ...    gives these values, `-` for an empty one, `~` for NULL
 *     FAIL SQLSTATE POSITION text   fails
 *     HINTED text             fails with a hint
 *     WRITE N                 says that it has written N rows
 *     OPENS, CHECKPOINTS      how many there were so far, as one integer
 *     SHOW CREATE TABLE x     gives `WRITE 0`; for `drifts` another text after each DROP TABLE, for
 *                             `broken` one that does not run
 *     USE x                   works; `USE old` only once, as if the schema were dropped then
 *     BEGIN, COMMIT           a transaction block begins and ends
 *     WHO                     gives the name of the session
 *     SET x                   remembered until the database is closed; SESSION gives it back */
#include "slt_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slt_db {
    char *set;  /* owned */
    char *used; /* owned, name of the session */
    bool block;
};

static int slt_fake_opens;
static int slt_fake_checkpoints;
static int slt_fake_drops;
static int slt_fake_uses;

char *slt_db_clock(struct slt_db *db)
{
    (void)db;
    return slt_strdup("2024-01-01");
}

int slt_db_open(const char *dir, const char *clock, struct slt_db **ret_db, struct slt_error *error)
{
    (void)clock;
    (void)dir;
    (void)error;
    *ret_db = slt_alloc(sizeof(**ret_db));
    slt_fake_opens++;
    return 0;
}

int slt_db_use(struct slt_db *db, const char *name, struct slt_error *error)
{
    (void)error;
    free(db->used);
    db->used = name ? slt_strdup(name) : NULL;
    return 0;
}

bool slt_db_in_block(const struct slt_db *db)
{
    return db->block;
}

int slt_db_checkpoint(struct slt_db *db, struct slt_error *error)
{
    (void)db;
    (void)error;
    slt_fake_checkpoints++;
    return 0;
}

void slt_db_close(struct slt_db *db)
{
    if (db)
        free(db->used);
    if (db)
        free(db->set);
    free(db);
}

static void
slt_fake_value(struct slt_result *result, char type, const char *name, const char *value)
{
    char types[2] = {type, '\0'};

    slt_append(&result->types, "", types);
    slt_list_add(&result->names, slt_strdup(name));
    slt_list_add(&result->values, slt_escape(value, value ? strlen(value) : 0));
}

static void slt_fake_rows(struct slt_result *result, const char *text)
{
    size_t columns = strcspn(text, " ");

    result->types = slt_strndup(text, columns);
    for (size_t i = 0; i < columns; i++)
        slt_list_add(&result->names, slt_printf("c%zu", i + 1));
    for (text += columns; *text; text += strcspn(text, " ")) {
        size_t len;
        char *value;

        text += strspn(text, " ");
        len = strcspn(text, " ");
        value = slt_strndup(text, len);
        if (strcmp(value, "~") == 0)
            slt_list_add(&result->values, slt_escape(NULL, 0));
        else
            slt_list_add(&result->values, slt_escape(value, strcmp(value, "-") == 0 ? 0 : len));
        free(value);
    }
}

static int slt_fake_fail(struct slt_error *error, const char *text)
{
    char *end;

    memcpy(error->sqlstate, text, 5);
    error->position = (uint32_t)strtoul(text + 5, &end, 10);
    error->text = slt_strdup(end + 1);
    return -1;
}

static void slt_fake_show(struct slt_result *result, const char *table)
{
    char *text = slt_printf("WRITE %d", strcmp(table, "drifts") == 0 ? slt_fake_drops : 0);

    slt_fake_value(result, 'T', "SQL", strcmp(table, "broken") == 0 ? "?" : text);
    free(text);
}

int slt_db_exec(struct slt_db *db,
                const char *sql,
                struct slt_result *ret_result,
                struct slt_error *error)
{
    if (strncmp(sql, "ROWS ", 5) == 0) {
        slt_fake_rows(ret_result, sql + 5);
    } else if (strncmp(sql, "FAIL ", 5) == 0) {
        return slt_fake_fail(error, sql + 5);
    } else if (strncmp(sql, "HINTED ", 7) == 0) {
        error->hint = slt_strdup(sql + 7);
        return slt_fake_fail(error, "42601 1 hinted");
    } else if (strcmp(sql, "OPENS") == 0 || strcmp(sql, "CHECKPOINTS") == 0) {
        char *n = slt_printf("%d", sql[0] == 'O' ? slt_fake_opens : slt_fake_checkpoints);

        slt_fake_value(ret_result, 'I', "n", n);
        free(n);
    } else if (strncmp(sql, "SHOW CREATE TABLE ", 18) == 0) {
        slt_fake_show(ret_result, sql + 18);
    } else if (strncmp(sql, "DESCRIBE ", 9) == 0) {
        slt_fake_value(ret_result, 'T', "Column", sql + 9);
    } else if (strncmp(sql, "DROP TABLE ", 11) == 0) {
        slt_fake_drops++;
    } else if (strcmp(sql, "SESSION") == 0) {
        slt_fake_value(ret_result, 'T', "set", db->set);
    } else if (strcmp(sql, "WHO") == 0) {
        slt_fake_value(ret_result, 'T', "name", db->used ? db->used : "first");
    } else if (strcmp(sql, "BEGIN") == 0 || strcmp(sql, "COMMIT") == 0) {
        db->block = sql[0] == 'B';
    } else if (strncmp(sql, "SET ", 4) == 0) {
        free(db->set);
        db->set = slt_strdup(sql + 4);
    } else if (strncmp(sql, "USE ", 4) == 0) {
        if (strcmp(sql, "USE old") == 0 && slt_fake_uses++ > 0)
            return slt_fake_fail(error, "3F000 5 gone");
    } else if (strncmp(sql, "WRITE ", 6) == 0) {
        ret_result->affected = strtoll(sql + 6, NULL, 10);
    } else if (strncmp(sql, "INSERT", 6) != 0) {
        return slt_fake_fail(error, "42601 1 what is this");
    }
    return 0;
}

void slt_result_done(struct slt_result *result)
{
    slt_list_clear(&result->names);
    slt_list_clear(&result->values);
    free(result->types);
}

void slt_error_done(struct slt_error *error)
{
    free(error->text);
    free(error->hint);
}
