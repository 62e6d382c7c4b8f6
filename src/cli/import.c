/* SPDX-License-Identifier: Apache-2.0
 *
 * import.c: `dendro import`: a CSV file, packed or not, into a table. */
#define _GNU_SOURCE /* strerrordesc_np */
#include "cli/import.h"
#include "cli/args.h"
#include "cli/cli.h"

#include "base/bytes.h"
#include "dendro.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IMPORT_TICK_MS   100 /* between two pictures of the bar */
#define IMPORT_BAR_CELLS 30

struct import {
    struct import_options o;
    char schema[256];
    char table[256];
    int fd;
    uint64_t size;   /* bytes of the file, 0 = not known */
    struct buf head; /* what was read for the guess, to be given once more */
    size_t head_at;
    bool remember; /* the guess is reading */
    bool again;    /* … what was read before, first */
    FILE *rejects;
    bool rejects_failed;
    bool created; /* the table, by --create */
    bool bar;     /* standard error is a terminal */
    double begun_ms;
    double shown_ms;
    dendro_db *database;
    dendro_conn *conn;
};

static dendro_conn *volatile import_running; /* for the signal handler */
static volatile sig_atomic_t import_interrupted;

static void import_on_interrupt(int sig)
{
    dendro_conn *conn = import_running;

    (void)sig;
    import_interrupted = 1;
    if (conn)
        dendro_cancel(conn);
}

/* ---- the file ---- */

static int import_open_file(struct import *im)
{
    struct stat st;

    if (strcmp(im->o.file, "-") == 0) {
        im->fd = STDIN_FILENO;
        return CLI_OK;
    }
    im->fd = open(im->o.file, O_RDONLY | O_CLOEXEC);
    if (im->fd < 0 || fstat(im->fd, &st) != 0)
        return cli_complain("import", "cannot open %s: %s", im->o.file, strerrordesc_np(errno));
    if (S_ISDIR(st.st_mode))
        return cli_complain("import", "%s is a directory", im->o.file);
    im->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    return CLI_OK;
}

static int import_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct import *im = arg;
    ssize_t n;

    if ((!im->remember || im->again) && im->head_at < im->head.len) {
        size_t left = im->head.len - im->head_at;

        *ret_len = left < len ? left : len;
        memcpy(to, im->head.data + im->head_at, *ret_len);
        im->head_at += *ret_len;
        return 0;
    }
    do {
        n = read(im->fd, to, len);
    } while (n < 0 && errno == EINTR && !import_interrupted);
    if (n < 0 && errno == EINTR)
        return -1; /* Ctrl-C: import_run says so */
    if (n < 0) {
        (void)cli_complain("import", "cannot read %s: %s", im->o.file, strerrordesc_np(errno));
        return -1;
    }
    *ret_len = (size_t)n;
    if (im->remember) {
        buf_append(&im->head, to, *ret_len);
        im->head_at = im->head.len;
    }
    return im->head.failed ? -1 : 0;
}

/* Of a plain file: Parquet is read from its end. */
static int import_read_at(void *arg, uint64_t at, void *to, size_t len)
{
    const struct import *im = arg;
    char *p = to;

    while (len > 0) {
        ssize_t n = pread(im->fd, p, len, (off_t)at);

        if (n < 0 && errno == EINTR && !import_interrupted)
            continue;
        if (n <= 0)
            return -1;
        p += n;
        at += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}

/* ---- progress ---- */

static double import_now_ms(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void import_print_bar(const struct import *im, const struct dendro_import_result *r)
{
    double seconds = (import_now_ms() - im->begun_ms) / 1e3;
    double share = im->size ? (double)r->bytes / (double)im->size : 0;
    int full = (int)(share * IMPORT_BAR_CELLS);

    (void)fputs("\r\033[K", stderr);
    if (im->size) {
        (void)fputc('[', stderr);
        for (int i = 0; i < IMPORT_BAR_CELLS; i++)
            (void)fputc(i < full ? '=' : i == full ? '>' : ' ', stderr);
        (void)fprintf(stderr, "] %3.0f%% ", share * 100);
    }
    (void)fprintf(stderr,
                  " %" PRIu64 " rows  %.0f MB/s",
                  r->parsed,
                  seconds > 0 ? (double)r->bytes / 1e6 / seconds : 0);
    if (share > 0 && share < 1) {
        double left = seconds / share - seconds;
        (void)fprintf(stderr, "  %d:%02d left", (int)(left / 60), (int)left % 60);
    }
    (void)fflush(stderr);
}

static int import_progress(void *arg, const struct dendro_import_result *so_far)
{
    struct import *im = arg;
    double now = import_now_ms();

    if (now - im->shown_ms < IMPORT_TICK_MS)
        return 0;
    im->shown_ms = now;
    import_print_bar(im, so_far);
    return 0;
}

static void import_end_bar(const struct import *im)
{
    if (im->bar)
        (void)fputs("\r\033[K", stderr);
}

/* ---- rejects ---- */

static void import_put_quoted(FILE *to, const char *text, size_t len)
{
    (void)fputc('"', to);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            (void)fputc('"', to);
        (void)fputc(text[i], to);
    }
    (void)fputc('"', to);
}

static int import_reject(void *arg,
                         uint64_t line,
                         const char *column,
                         const char *reason,
                         const char *record,
                         size_t record_len)
{
    struct import *im = arg;

    (void)fprintf(im->rejects, "%" PRIu64 ",", line);
    import_put_quoted(im->rejects, column ? column : "", column ? strlen(column) : 0);
    (void)fputc(',', im->rejects);
    import_put_quoted(im->rejects, reason, strlen(reason));
    (void)fputc(',', im->rejects);
    import_put_quoted(im->rejects, record, record_len);
    (void)fputc('\n', im->rejects);
    im->rejects_failed = im->rejects_failed || ferror(im->rejects);
    return im->rejects_failed;
}

static int import_open_rejects(struct import *im)
{
    struct stat in;
    struct stat out;

    if (!im->o.rejects)
        return CLI_OK;
    if (fstat(im->fd, &in) == 0 && stat(im->o.rejects, &out) == 0 && S_ISREG(in.st_mode) &&
        in.st_dev == out.st_dev && in.st_ino == out.st_ino)
        return cli_complain("import", "--rejects %s is the file that is read", im->o.rejects);
    im->rejects = fopen(im->o.rejects, "wbe");
    if (!im->rejects)
        return cli_complain("import", "cannot write %s: %s", im->o.rejects, strerrordesc_np(errno));
    (void)fputs("line,column,reason,record\n", im->rejects);
    return CLI_OK;
}

/* ---- the table ---- */

/* schema.table is two names; quoted names may hold points. */
static int import_split_name(struct import *im)
{
    const char *point = strchr(im->o.table, '.');
    const char *table = point ? point + 1 : im->o.table;
    size_t len = point ? (size_t)(point - im->o.table) : 0;

    if (len >= sizeof im->schema || strlen(table) >= sizeof im->table || !*table)
        return cli_complain("import", "\"%s\" is no name of a table", im->o.table);
    memcpy(im->schema, im->o.table, len);
    im->schema[len] = '\0';
    (void)snprintf(im->table, sizeof im->table, "%s", table);
    return CLI_OK;
}

static struct dendro_import import_spec(struct import *im)
{
    return (struct dendro_import){.schema = *im->schema ? im->schema : NULL,
                                  .table = im->table,
                                  .csv = im->o.csv,
                                  .read = import_read,
                                  .read_arg = im,
                                  .read_at = im->size ? import_read_at : NULL,
                                  .size = im->size,
                                  .atomic = im->o.atomic,
                                  .reject = im->rejects ? import_reject : NULL,
                                  .reject_arg = im,
                                  .progress = im->bar ? import_progress : NULL,
                                  .progress_arg = im};
}

/* sql NULL: there is only something to say. */
static void import_print_guess(const char *sql, const char *why)
{
    if (sql)
        (void)printf("%s;\n", sql);
    while (*why) {
        size_t len = strcspn(why, "\n");

        (void)printf("-- %.*s\n", (int)len, why);
        why += len + (why[len] == '\n');
    }
    (void)fflush(stdout);
}

/* How the table is to be made: *ret_sql, owned (dendro_free). Nothing of a database is touched. */
static int import_guess(struct import *im, char **ret_sql)
{
    struct dendro_import spec = import_spec(im);
    struct dendro_error err;
    char *why = NULL;
    int rc = CLI_OK;

    im->remember = true;
    if (dendro_import_suggest(&spec, ret_sql, &why, &err) < 0) {
        rc = cli_error("import", &err, CLI_FATAL);
    } else {
        im->o.csv = spec.csv;
        import_print_guess(*ret_sql, why);
    }
    im->remember = false;
    im->head_at = 0;
    dendro_free(why);
    return rc;
}

/* How the text is written, for a table that is there. */
static int import_sniff(struct import *im)
{
    struct dendro_import spec = import_spec(im);
    struct dendro_error err;
    char *why = NULL;
    int rc = CLI_OK;

    im->remember = im->again = true;
    if (dendro_import_sniff(&spec, &why, &err) < 0) {
        rc = cli_error("import", &err, CLI_FATAL);
    } else {
        im->o.csv = spec.csv;
        if (!im->o.quiet)
            import_print_guess(NULL, why);
    }
    im->remember = im->again = false;
    im->head_at = 0;
    dendro_free(why);
    return rc;
}

static int import_create(struct import *im, const char *sql)
{
    struct dendro_error err;

    if (dendro_exec(im->conn, sql, -1, NULL, NULL, &err) < 0)
        return cli_error("import", &err, CLI_FATAL);
    im->created = true;
    return CLI_OK;
}

static void import_put_name(struct buf *sql, const char *name)
{
    buf_u8(sql, '"');
    for (; *name; name++) {
        if (*name == '"')
            buf_u8(sql, '"');
        buf_u8(sql, (uint8_t)*name);
    }
    buf_u8(sql, '"');
}

/* The table that --create made and that got no row goes again. to: the server, NULL = the database
 * in this process. */
static void import_uncreate(struct import *im, struct backend *to)
{
    struct dendro_error err = {.message = "out of memory"};
    const char *tail = NULL;
    struct buf sql;
    int rc = -1;

    if (!im->created)
        return;
    buf_init(&sql, NULL);
    buf_puts(&sql, "DROP TABLE ");
    if (*im->schema) {
        import_put_name(&sql, im->schema);
        buf_u8(&sql, '.');
    }
    import_put_name(&sql, im->table);
    buf_u8(&sql, '\0');
    if (!sql.failed && !to) {
        rc = dendro_exec(im->conn, (const char *)sql.data, -1, NULL, NULL, &err);
    } else if (!sql.failed) {
        rc = backend_prepare(to, (const char *)sql.data, sql.len - 1, &tail, &err);
        if (rc > 0)
            rc = backend_step(to, &err);
        backend_finish(to);
    }
    if (rc < 0)
        (void)cli_complain("import",
                           "the new table \"%s\" is empty, and cannot be dropped: %s",
                           im->o.table,
                           err.message);
    buf_done(&sql);
}

/* ---- the whole ---- */

static int import_run(struct import *im)
{
    struct dendro_import spec = import_spec(im);
    struct dendro_import_result r = {.rows = 0};
    struct dendro_error err;
    double seconds;
    int rc;

    im->begun_ms = import_now_ms();
    rc = dendro_import_csv(im->conn, &spec, &r, &err);
    seconds = (import_now_ms() - im->begun_ms) / 1e3;
    import_end_bar(im);
    if (rc < 0) {
        if (import_interrupted)
            (void)cli_complain("import", "%s", "interrupted");
        else
            (void)cli_error("import", &err, CLI_FATAL);
        (void)fprintf(stderr, "%" PRIu64 " rows were committed before.\n", r.rows);
        if (r.rows == 0)
            import_uncreate(im, NULL);
        return CLI_FATAL;
    }
    if (!im->o.quiet)
        (void)printf("%" PRIu64 " rows, %.1f MB in %.2f s: %.2f M rows/s, %.0f MB/s\n",
                     r.rows,
                     (double)r.bytes / 1e6,
                     seconds,
                     seconds > 0 ? (double)r.rows / 1e6 / seconds : 0,
                     seconds > 0 ? (double)r.bytes / 1e6 / seconds : 0);
    if (r.rejected > 0)
        (void)fprintf(stderr,
                      "%" PRIu64 " %s rejected, see %s\n",
                      r.rejected,
                      r.rejected == 1 ? "row was" : "rows were",
                      im->o.rejects);
    return r.rejected > 0 ? CLI_SCRIPT : CLI_OK;
}

static void import_catch_interrupt(struct import *im)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = import_on_interrupt;
    (void)sigemptyset(&act.sa_mask);
    import_running = im->conn;
    (void)sigaction(SIGINT, &act, NULL);
}

/* ---- to a server ---- */

static int import_create_there(struct import *im, struct backend *to)
{
    struct dendro_import spec = import_spec(im);
    struct dendro_error err;
    const char *tail = NULL;
    char *sql = NULL;
    char *why = NULL;
    int rc;

    rc = dendro_import_suggest(&spec, &sql, &why, &err);
    if (rc >= 0) {
        im->o.csv = spec.csv;
        import_print_guess(sql, why);
        rc = backend_prepare(to, sql, strlen(sql), &tail, &err);
        if (rc > 0)
            rc = backend_step(to, &err);
        backend_finish(to);
        im->created = rc >= 0;
    }
    dendro_free(sql);
    dendro_free(why);
    return rc < 0 ? cli_error("import", &err, CLI_FATAL) : CLI_OK;
}

/* Reads at least the first line; it is given once more. */
static int import_read_head(struct import *im)
{
    char bytes[4096];
    size_t n = 1;
    int rc = 0;

    im->remember = true;
    while (rc == 0 && n > 0 && !(im->head.len >= 5 && memcmp(im->head.data, "PAR1\x15", 5) == 0) &&
           !(im->head.len && memchr(im->head.data, '\n', im->head.len)))
        rc = import_read(im, bytes, sizeof bytes, &n);
    im->remember = false;
    im->head_at = 0;
    return rc == 0 ? CLI_OK : CLI_FATAL;
}

static int import_to_server(struct import *im)
{
    struct backend_options options = {
        .ask = true, .settings = im->o.db.settings_count ? im->o.db.settings : NULL};
    struct import_remote job = {
        .table = im->o.table, .csv = &im->o.csv, .read = import_read, .read_arg = im};
    struct dendro_error err;
    uint64_t rows = 0;
    int rc = import_open_file(im) == CLI_OK ? import_read_head(im) : CLI_FATAL;

    rc = rc == CLI_OK ? cli_import_fits(&im->o.csv, &im->head, im->o.file, im->o.rejects) : rc;
    if (rc != CLI_OK)
        return rc;
    if (backend_open(im->o.db.dir, &options, &job.to, &err) < 0)
        return cli_error("import", &err, CLI_NO_DB);
    if (im->o.create) {
        im->remember = im->again = true;
        rc = import_create_there(im, job.to);
    } else {
        rc = import_sniff(im);
    }
    if (rc == CLI_OK && im->o.csv.encoding > DENDRO_ENCODING_WIN1252 &&
        im->o.csv.encoding < DENDRO_ENCODING_NDJSON) {
        rc =
            cli_complain("import",
                         "%s is UTF-16, which a server's COPY does not read with names of columns: "
                         "make it UTF-8 (iconv -f UTF-16 -t UTF-8)",
                         im->o.file);
        import_uncreate(im, job.to);
    }
    im->remember = false;
    job.parquet = im->head.len >= 5 && memcmp(im->head.data, "PAR1\x15", 5) == 0;
    job.head = (const char *)im->head.data;
    job.head_len = im->head.len;
    im->head_at = 0;
    im->begun_ms = import_now_ms();
    if (rc == CLI_OK && cli_import_remote(&job, &rows, &err) < 0) {
        rc = cli_error("import", &err, CLI_FATAL);
        import_uncreate(im, job.to);
    }
    if (rc == CLI_OK && !im->o.quiet)
        (void)printf("%" PRIu64 " rows in %.2f s\n", rows, (import_now_ms() - im->begun_ms) / 1e3);
    backend_close(job.to);
    return rc;
}

static int import_all(struct import *im)
{
    int rc = import_split_name(im);
    char *sql = NULL;

    if (rc == CLI_OK && backend_is_remote(im->o.db.dir))
        return import_to_server(im);

    if (rc == CLI_OK)
        rc = import_open_file(im);
    if (rc == CLI_OK && im->o.create)
        rc = import_guess(im, &sql);
    if (rc == CLI_OK)
        rc = import_open_rejects(im);
    if (rc == CLI_OK)
        rc = cli_db_open("import", &im->o.db, !im->o.create, &im->database, &im->conn);
    if (rc == CLI_OK && !im->o.create)
        rc = import_sniff(im);
    if (rc == CLI_OK)
        import_catch_interrupt(im);
    if (rc == CLI_OK && im->o.create)
        rc = import_create(im, sql);
    dendro_free(sql);
    return rc == CLI_OK ? import_run(im) : rc;
}

int cli_import(int argc, char **argv)
{
    struct import im = {.fd = -1};
    bool unwritten;
    int rc;

    rc = cli_import_options(argc, argv, &im.o);
    if (rc != CLI_OK || im.o.help)
        return rc;
    buf_init(&im.head, NULL);
    im.bar = !im.o.quiet && isatty(STDERR_FILENO);
    rc = import_all(&im);
    import_running = NULL;
    dendro_disconnect(im.conn);
    (void)dendro_close(im.database);
    buf_done(&im.head);
    if (im.fd > STDERR_FILENO)
        (void)close(im.fd);
    unwritten = im.rejects && (fclose(im.rejects) != 0 || im.rejects_failed);
    return unwritten ? cli_complain("import", "cannot write %s", im.o.rejects) : rc;
}
