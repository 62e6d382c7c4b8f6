/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* SA_RESTART */
#include "cli/shell.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define SHELL_LINE_SHOWN 160u /* bytes of the statement's line shown under an error */

static dendro_conn *volatile shell_running; /* for the signal handler */

static void shell_on_interrupt(int sig)
{
    dendro_conn *conn = shell_running;

    (void)sig;
    if (conn)
        dendro_cancel(conn);
}

void shell_catch_interrupt(struct shell *sh)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = shell_on_interrupt;
    act.sa_flags = SA_RESTART;
    (void)sigemptyset(&act.sa_mask);
    shell_running = sh->conn;
    (void)sigaction(SIGINT, &act, NULL);
}

static double shell_now_ms(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* Byte offset of a character position (from 1). */
static size_t shell_offset(const char *text, size_t len, uint32_t position)
{
    size_t at = 0;

    for (uint32_t i = 1; i < position && at < len; i++) {
        at++;
        while (at < len && ((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}

/* The line an error is about, with a caret under the place. */
static void shell_show_place(const char *text, size_t len, uint32_t position, uint32_t line)
{
    size_t at = shell_offset(text, len, position);
    size_t start = at;
    size_t end = at;
    size_t shown;
    struct buf pad;
    int head;

    while (start > 0 && text[start - 1] != '\n')
        start--;
    while (end < len && text[end] != '\n')
        end++;
    for (size_t i = 0; i < start; i++)
        line += text[i] == '\n';
    while (at - start > SHELL_LINE_SHOWN / 2 ||
           (start < at && ((unsigned char)text[start] & 0xc0) == 0x80))
        start++;
    shown = end - start < SHELL_LINE_SHOWN ? end - start : SHELL_LINE_SHOWN;
    while (shown > at - start && ((unsigned char)text[start + shown] & 0xc0) == 0x80 &&
           start + shown < len)
        shown--;
    head = fprintf(stderr, "LINE %u: ", line);
    buf_init(&pad, NULL);
    (void)out_visible(text + start, shown, &pad);
    (void)fprintf(stderr, "%.*s\n", (int)pad.len, (const char *)pad.data);
    buf_reset(&pad);
    (void)fprintf(stderr, "%*s^\n", head + (int)out_visible(text + start, at - start, &pad), "");
    buf_done(&pad);
}

static void shell_show_error(
    struct shell *sh, const struct dendro_error *err, const char *text, size_t len, uint32_t line)
{
    const char *red = sh->color ? "\033[1;31m" : "";
    const char *off = sh->color ? "\033[0m" : "";

    (void)fflush(sh->out.to);
    if (sh->source) {
        uint32_t at = line;
        size_t place = shell_offset(text, len, err->position ? err->position : 1);
        for (size_t i = 0; i < place; i++)
            at += text[i] == '\n';
        (void)fprintf(stderr, "%s:%u: ", sh->source, at);
    }
    (void)fprintf(stderr, "%sERROR:%s  %s: %s\n", red, off, err->sqlstate, err->message);
    if (err->position)
        shell_show_place(text, len, err->position, line);
    if (err->hint[0])
        (void)fprintf(stderr, "HINT:  %s\n", err->hint);
}

static void shell_notice(void *arg, const char *severity, const char *message)
{
    struct shell *sh = arg;

    (void)fflush(sh->out.to);
    (void)fprintf(stderr, "%s:  %s\n", severity, message);
}

static int shell_rows(struct shell *sh, dendro_stmt *stmt, struct dendro_error *err)
{
    bool rows = dendro_column_count(stmt) > 0;
    bool begun = false;
    int rc;

    sh->out.format = sh->expanded ? OUT_VERTICAL : sh->format;
    while ((rc = dendro_step(stmt, err)) == DENDRO_ROW) {
        if (!begun)
            out_begin(&sh->out, stmt);
        begun = true;
        out_row(&sh->out, stmt);
        if (sh->out.failed)
            break;
    }
    if (rows && !begun && rc == DENDRO_DONE)
        out_begin(&sh->out, stmt);
    if (rows && (begun || rc == DENDRO_DONE))
        out_end(&sh->out);
    if (rc == DENDRO_DONE && sh->interactive && rows && !out_format_plain(sh->out.format))
        (void)fprintf(
            sh->out.to, "(%" PRIu64 " %s)\n", sh->out.rows, sh->out.rows == 1 ? "row" : "rows");
    if (rc == DENDRO_DONE && !rows && !sh->quiet && !out_format_plain(sh->out.format))
        (void)fprintf(sh->out.to, "%s\n", dendro_command_tag(stmt));
    return rc;
}

bool shell_run(struct shell *sh, const char *text, size_t len, uint32_t line)
{
    const char *at = text;
    const char *end = text + len;

    dendro_set_notice(sh->conn, shell_notice, sh);
    while (at < end && !sh->out.failed) {
        struct dendro_error err = {0};
        dendro_stmt *stmt = NULL;
        const char *tail = end;
        double begun = shell_now_ms();
        int rc = dendro_prepare(sh->conn, at, end - at, &stmt, &tail, &err);
        if (rc >= 0 && stmt)
            rc = shell_rows(sh, stmt, &err);
        dendro_finalize(stmt);
        if (rc < 0) {
            sh->errors++;
            shell_show_error(sh, &err, at, (size_t)(end - at), line);
            if (sh->stop)
                return false;
        } else if (sh->timing && stmt) {
            (void)fprintf(sh->out.to, "Time: %.3f ms\n", shell_now_ms() - begun);
        }
        for (const char *p = at; p < tail; p++)
            line += *p == '\n';
        if (tail == at)
            break;
        at = tail;
    }
    (void)fflush(sh->out.to);
    return true;
}
