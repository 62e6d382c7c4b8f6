/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_run.c: runs records and compares. What one mode does to the database between the records
 * stands in slt_before_query and slt_after_statement, everything else is the same in all modes.
 *
 * Closing a database ends its session, so settings and the current schema would be lost in mode
 * reopen: statements that start with SET, USE, PREPARE or DEALLOCATE are kept and run again after
 * each open. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "slt_run.h"

#include "slt_db.h"
#include "slt_rows.h"

#include <ftw.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

struct slt_runner {
    const struct slt_options *options; /* borrowed */
    struct slt_file *file;             /* borrowed */
    char *dir;                         /* owned; the database */
    struct slt_db *db;                 /* owned, NULL = closed */
    char *clock;                       /* owned; test_clock of the next opening, NULL = none */
    struct slt_list session;           /* SET and USE statements so far */
    struct slt_list *results;          /* rewrite: lines per record */
    int failed;                        /* records */
};

/* ---- reporting ---- */

static void slt_fail_head(struct slt_runner *run, const struct slt_record *r, const char *what)
{
    run->failed++;
    printf(
        "FAIL %s:%d (%s): %s\n", run->file->path, r->line, slt_mode_name(run->options->mode), what);
    if (r->text) {
        const char *p = r->text;

        while (*p) {
            size_t len = strcspn(p, "\n");

            printf("      %.*s\n", (int)len, p);
            p += len + (p[len] == '\n');
        }
    }
}

static void slt_fail_error(struct slt_runner *run,
                           const struct slt_record *r,
                           const char *what,
                           const struct slt_error *error)
{
    slt_fail_head(run, r, what);
    printf("  got: %s %s\n", error->sqlstate, error->text ? error->text : "");
    if (error->hint)
        printf("       hint: %s\n", error->hint);
    if (error->position)
        printf("       position %u\n", error->position);
}

/* ---- the database under test ---- */

static int slt_db_run(struct slt_runner *run, const char *sql, struct slt_error *error)
{
    struct slt_result result = {0};
    int rc = slt_db_exec(run->db, sql, &result, error);

    slt_result_done(&result);
    return rc;
}

static int slt_need_open(struct slt_runner *run, const struct slt_record *r)
{
    struct slt_error error = {0};
    int rc;

    if (run->db)
        return 0;
    rc = slt_db_open(run->dir, run->clock, &run->db, &error);
    for (size_t i = 0; rc == 0 && i < run->session.count; i++)
        rc = slt_db_run(run, run->session.items[i], &error);
    if (rc < 0)
        slt_fail_error(run, r, "the database does not open", &error);
    slt_error_done(&error);
    return rc;
}

/* A clock goes on from where it was. */
static void slt_close(struct slt_runner *run)
{
    if (run->clock && run->db) {
        free(run->clock);
        run->clock = slt_db_clock(run->db);
    }
    slt_db_close(run->db);
    run->db = NULL;
}

static int slt_checkpoint(struct slt_runner *run, const struct slt_record *r)
{
    struct slt_error error = {0};
    int rc = slt_need_open(run, r);

    if (rc == 0) {
        rc = slt_db_checkpoint(run->db, &error);
        if (rc < 0)
            slt_fail_error(run, r, "CHECKPOINT failed", &error);
    }
    slt_error_done(&error);
    return rc;
}

static bool slt_starts_with(const char *sql, const char *word)
{
    size_t len = strlen(word);

    sql += strspn(sql, " \t\r\n");
    return strncasecmp(sql, word, len) == 0 && strchr(" \t\r\n;(", sql[len]);
}

/* Opens the database if need be and takes the record's session. */
static int slt_ready(struct slt_runner *run, const struct slt_record *r)
{
    struct slt_error error = {0};
    int rc = slt_need_open(run, r);

    if (rc == 0) {
        rc = slt_db_use(run->db, r->connection, &error);
        if (rc < 0)
            slt_fail_error(run, r, "the session cannot be made", &error);
    }
    slt_error_done(&error);
    return rc;
}

/* A transaction block would not outlive the end of its session: the database stays open then. */
static int slt_before_query(struct slt_runner *run, const struct slt_record *r)
{
    if (run->options->mode == SLT_REOPEN) {
        if (slt_checkpoint(run, r) < 0)
            return -1;
        if (!slt_db_in_block(run->db))
            slt_close(run);
    }
    return slt_ready(run, r);
}

/* The schema that an earlier USE has named may be gone when the session is made again. */
static void slt_remember(struct slt_runner *run, const char *sql)
{
    size_t kept = 0;

    for (size_t i = 0; i < run->session.count; i++) {
        if (slt_starts_with(sql, "USE") && slt_starts_with(run->session.items[i], "USE"))
            free(run->session.items[i]);
        else
            run->session.items[kept++] = run->session.items[i];
    }
    run->session.count = kept;
    slt_list_add(&run->session, slt_strdup(sql));
}

static int slt_after_statement(struct slt_runner *run, const struct slt_record *r)
{
    static const char *const writes[] = {"INSERT",
                                         "UPSERT",
                                         "UPDATE",
                                         "DELETE",
                                         "TRUNCATE",
                                         "COPY",
                                         "CREATE",
                                         "DROP",
                                         "ALTER",
                                         "COMMIT",
                                         "END"};

    if (!r->connection && !slt_db_in_block(run->db) &&
        (slt_starts_with(r->text, "SET") || slt_starts_with(r->text, "USE") ||
         slt_starts_with(r->text, "RESET") || slt_starts_with(r->text, "PREPARE") ||
         slt_starts_with(r->text, "DEALLOCATE")))
        slt_remember(run, r->text);
    if (run->options->mode != SLT_FLUSH)
        return 0;
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
        if (slt_starts_with(r->text, writes[i]))
            return slt_checkpoint(run, r);
    }
    return 0;
}

/* ---- statements ---- */

static int slt_matches(const char *pattern, const char *text)
{
    regex_t re;
    int rc = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);

    if (rc != 0)
        return -1;
    rc = regexec(&re, text, 0, NULL, 0);
    regfree(&re);
    return rc == 0;
}

static void
slt_check_error(struct slt_runner *run, const struct slt_record *r, const struct slt_error *error)
{
    const char *text = error->text ? error->text : "";
    const char *hint = error->hint ? error->hint : "";
    int message_fits = r->message   ? strcmp(r->message, text) == 0
                       : r->pattern ? slt_matches(r->pattern, text)
                                    : 1;
    int hint_fits = r->message ? strcmp(r->hint ? r->hint : "", hint) == 0
                    : r->hint  ? slt_matches(r->hint, hint)
                               : 1;

    if (message_fits < 0 || hint_fits < 0)
        slt_fail_head(run, r, "the script has a bad regular expression");
    else if (r->sqlstate[0] && strcmp(r->sqlstate, error->sqlstate) != 0)
        slt_fail_error(run, r, "another SQLSTATE was expected", error);
    else if (!message_fits)
        slt_fail_error(run, r, "the message does not match", error);
    else if (!hint_fits)
        slt_fail_error(run, r, "the hint does not match", error);
    else if ((r->position || r->message) && r->position != error->position)
        slt_fail_error(run, r, "another position was expected", error);
    else
        return;
    if (r->kind == SLT_STATEMENT_ERROR) {
        printf("  expected: %s %s\n",
               r->sqlstate,
               r->message   ? r->message
               : r->pattern ? r->pattern
                            : "");
        if (r->hint)
            printf("       hint: %s\n", r->hint);
        if (r->position)
            printf("       position %u\n", r->position);
    }
}

static void slt_run_statement(struct slt_runner *run, const struct slt_record *r)
{
    struct slt_result result = {0};
    struct slt_error error = {0};
    int rc = slt_ready(run, r);

    if (rc < 0)
        return;
    rc = slt_db_exec(run->db, r->text, &result, &error);
    if (r->kind == SLT_STATEMENT_ERROR) {
        if (rc == 0)
            slt_fail_head(run, r, "it succeeds, an error was expected");
        else
            slt_check_error(run, r, &error);
    } else if (rc < 0) {
        slt_fail_error(run, r, "it fails", &error);
    } else if (r->affected >= 0 && r->affected != result.affected) {
        slt_fail_head(run, r, "another number of rows was expected");
        printf(
            "  expected: %lld\n  got: %lld\n", (long long)r->affected, (long long)result.affected);
    } else {
        /* A failure of the checkpoint has been reported. */
        (void)!slt_after_statement(run, r);
    }
    slt_result_done(&result);
    slt_error_done(&error);
}

/* ---- queries ---- */

static bool slt_names_fit(const struct slt_record *r, const struct slt_result *result)
{
    struct slt_list names = {0};
    bool fit;

    slt_split_row(r->names, &names);
    fit = names.count == result->names.count;
    for (size_t i = 0; fit && i < names.count; i++)
        fit = strcmp(names.items[i], result->names.items[i]) == 0;
    slt_list_clear(&names);
    return fit;
}

static void
slt_compare_rows(struct slt_runner *run, const struct slt_record *r, struct slt_result *result)
{
    size_t columns = r->sort == SLT_VALUESORT ? 1 : result->names.count;
    struct slt_list expected = {0};
    struct slt_list expected_lines = {0};
    struct slt_list lines = {0};
    bool shape;

    if (r->sort == SLT_VALUESORT)
        shape = slt_expected_values(r, 1, &expected);
    else
        shape = slt_expected_values(r, columns, &expected);
    if (r->sort != SLT_NOSORT) {
        slt_sort_rows(&result->values, columns);
        if (shape)
            slt_sort_rows(&expected, columns);
    }
    slt_format_rows(&result->values, columns, &lines);
    if (run->options->rewrite) {
        struct slt_list *out = &run->results[r - run->file->records];

        slt_list_clear(out);
        *out = lines;
        lines = (struct slt_list){0};
    } else if (!shape || !slt_values_equal(r, &expected, &result->values, columns)) {
        slt_fail_head(run,
                      r,
                      shape ? "other rows were expected"
                            : "the script's rows have another number of fields");
        slt_format_rows(&expected, columns, &expected_lines);
        slt_side_by_side(shape ? &expected_lines : &r->expected, &lines);
    }
    slt_list_clear(&lines);
    slt_list_clear(&expected_lines);
    slt_list_clear(&expected);
}

static void slt_run_query(struct slt_runner *run, const struct slt_record *r)
{
    struct slt_result result = {0};
    struct slt_error error = {0};

    if (slt_before_query(run, r) < 0)
        return;
    if (slt_db_exec(run->db, r->text, &result, &error) < 0) {
        slt_fail_error(run, r, "it fails", &error);
    } else if (!result.types || !slt_types_fit(r->types, result.types)) {
        slt_fail_head(run, r, "other column types were expected");
        printf("  expected: %s\n  got: %s\n", r->types, result.types ? result.types : "no rows");
    } else if (r->names && !slt_names_fit(r, &result)) {
        slt_fail_head(run, r, "other column names were expected");
        printf("  expected: %s\n  got:", r->names);
        for (size_t i = 0; i < result.names.count; i++)
            printf(" %s%s", result.names.items[i], i + 1 < result.names.count ? " |" : "\n");
    } else {
        slt_compare_rows(run, r, &result);
    }
    slt_result_done(&result);
    slt_error_done(&error);
}

/* ---- roundtrip ---- */

/* Runs word + the record's table and gives all values as one text; NULL: it failed and was
 * reported. */
static char *slt_roundtrip_ask(struct slt_runner *run, const struct slt_record *r, const char *word)
{
    char *sql = slt_printf("%s %s", word, r->text);
    struct slt_result result = {0};
    struct slt_error error = {0};
    char *text = NULL;

    if (slt_db_exec(run->db, sql, &result, &error) < 0) {
        slt_fail_error(run, r, sql, &error);
    } else {
        text = slt_strdup("");
        for (size_t i = 0; i < result.values.count; i++)
            slt_append(&text, i ? "|" : "", result.values.items[i]);
    }
    slt_result_done(&result);
    slt_error_done(&error);
    free(sql);
    return text;
}

/* Drops the table and makes it again with the statement that SHOW CREATE TABLE has printed. */
static int
slt_roundtrip_remake(struct slt_runner *run, const struct slt_record *r, const char *printed)
{
    char *create = slt_unescape(printed);
    char *dropped = slt_roundtrip_ask(run, r, "DROP TABLE");
    struct slt_error error = {0};
    int rc = dropped ? slt_db_run(run, create, &error) : -1;

    if (dropped && rc < 0) {
        slt_fail_error(run, r, "what SHOW CREATE TABLE has printed does not run", &error);
        printf("  it is: %s\n", create);
    }
    slt_error_done(&error);
    free(dropped);
    free(create);
    return rc;
}

static void slt_roundtrip_compare(struct slt_runner *run,
                                  const struct slt_record *r,
                                  const char *what,
                                  const char *before,
                                  const char *after)
{
    if (!before || !after || strcmp(before, after) == 0)
        return;
    slt_fail_head(run, r, what);
    printf("  before: %s\n  after:  %s\n", before, after);
}

static void slt_run_roundtrip(struct slt_runner *run, const struct slt_record *r)
{
    char *create[2] = {NULL, NULL};
    char *describe[2] = {NULL, NULL};

    if (slt_before_query(run, r) < 0)
        return;
    create[0] = slt_roundtrip_ask(run, r, "SHOW CREATE TABLE");
    describe[0] = create[0] ? slt_roundtrip_ask(run, r, "DESCRIBE") : NULL;
    if (describe[0] && slt_roundtrip_remake(run, r, create[0]) == 0) {
        create[1] = slt_roundtrip_ask(run, r, "SHOW CREATE TABLE");
        describe[1] = slt_roundtrip_ask(run, r, "DESCRIBE");
        slt_roundtrip_compare(run, r, "SHOW CREATE TABLE changed", create[0], create[1]);
        slt_roundtrip_compare(run, r, "DESCRIBE changed", describe[0], describe[1]);
    }
    for (int i = 0; i < 2; i++) {
        free(create[i]);
        free(describe[i]);
    }
}

/* ---- cli ---- */

static int slt_cli_output(const char *command, struct slt_list *ret_lines)
{
    FILE *out = popen(command, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    int status;

    if (!out)
        return -1;
    while ((len = getline(&line, &room, out)) >= 0) {
        if (len && line[len - 1] == '\n')
            len--;
        /* A blank line would end the record: the script writes a backslash for it. */
        slt_list_add(ret_lines, len ? slt_strndup(line, (size_t)len) : slt_strdup("\\"));
    }
    free(line);
    status = pclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void slt_run_cli(struct slt_runner *run, const struct slt_record *r)
{
    struct slt_list lines = {0};
    char *command;
    int code;
    bool same;

    if (!run->options->dendro) {
        slt_fail_head(run, r, "cli records need --dendro PROGRAM");
        return;
    }
    /* The program opens the directory itself, and only one process may. */
    slt_close(run);
    setenv("DENDRO", run->options->dendro, 1);
    setenv("DIR", run->dir, 1);
    fflush(stdout);
    command = slt_printf("exec \"$DENDRO\" %s", r->text);
    code = slt_cli_output(command, &lines);
    free(command);
    same = lines.count == r->expected.count;
    for (size_t i = 0; same && i < lines.count; i++)
        same = strcmp(lines.items[i], r->expected.items[i]) == 0;
    if (code != r->exit_code) {
        slt_fail_head(run, r, "another exit code was expected");
        printf("  expected: %d\n  got: %d\n", r->exit_code, code);
    }
    if (run->options->rewrite) {
        struct slt_list *out = &run->results[r - run->file->records];

        slt_list_clear(out);
        *out = lines;
        return;
    }
    if (!same) {
        slt_fail_head(run, r, "another output was expected");
        slt_side_by_side(&r->expected, &lines);
    }
    slt_list_clear(&lines);
}

/* ---- files ---- */

static int slt_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

/* False: halt. */
static bool slt_run_record(struct slt_runner *run, const struct slt_record *r)
{
    switch (r->kind) {
    case SLT_STATEMENT_OK:
    case SLT_STATEMENT_ERROR:
        slt_run_statement(run, r);
        break;
    case SLT_QUERY:
        slt_run_query(run, r);
        break;
    case SLT_CLI:
        slt_run_cli(run, r);
        break;
    case SLT_ROUNDTRIP:
        slt_run_roundtrip(run, r);
        break;
    case SLT_RESTART:
        slt_close(run);
        break;
    case SLT_CLOCK:
        slt_close(run);
        free(run->clock);
        run->clock = slt_strdup(r->text);
        break;
    case SLT_CHECKPOINT:
        (void)!slt_checkpoint(run, r);
        break;
    case SLT_HALT:
        return false;
    }
    return true;
}

static void slt_keep_expected(struct slt_runner *run)
{
    run->results = slt_alloc(run->file->records_count * sizeof(*run->results));
    for (size_t i = 0; i < run->file->records_count; i++) {
        const struct slt_list *expected = &run->file->records[i].expected;

        for (size_t k = 0; k < expected->count; k++)
            slt_list_add(&run->results[i], slt_strdup(expected->items[k]));
    }
}

int slt_run(struct slt_file *file, const struct slt_options *options)
{
    struct slt_runner run = {.options = options, .file = file};
    char *base = slt_printf("%s/dendro-slt-XXXXXX", options->scratch);

    if (!mkdtemp(base)) {
        perror(base);
        free(base);
        return 1;
    }
    run.dir = slt_printf("%s/db", base);
    slt_keep_expected(&run);
    for (size_t i = 0; i < file->records_count; i++) {
        if (file->records[i].modes[options->mode] && !slt_run_record(&run, &file->records[i]))
            break;
    }
    slt_close(&run);
    if (options->rewrite && run.failed == 0 && slt_file_write(file, run.results) < 0)
        run.failed++;
    nftw(base, slt_remove, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < file->records_count; i++)
        slt_list_clear(&run.results[i]);
    free(run.results);
    slt_list_clear(&run.session);
    free(run.clock);
    free(run.dir);
    free(base);
    return run.failed;
}
