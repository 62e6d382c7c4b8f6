/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* SA_RESTART, strerrordesc_np */
#include "cli/shell.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SHELL_PROGRESS_MS 500u /* a statement that takes longer says how far it is */
#define SHELL_LINE_SHOWN  160u /* bytes of the statement's line shown under an error */

static struct backend *volatile shell_running; /* for the signal handler */
static volatile sig_atomic_t shell_signalled;
static sigjmp_buf *volatile shell_prompt; /* where Ctrl-C at the prompt goes; NULL = no prompt */

static void shell_on_interrupt(int sig)
{
    struct backend *running = shell_running;

    (void)sig;
    shell_signalled = 1;
    if (shell_prompt) {
        sigjmp_buf *to = shell_prompt;
        shell_prompt = NULL;
        siglongjmp(*to, 1);
    }
    if (running)
        backend_cancel(running);
}

void shell_at_prompt(sigjmp_buf *back)
{
    shell_prompt = back;
}

bool shell_interrupted(bool reset)
{
    bool was = shell_signalled != 0;

    if (reset)
        shell_signalled = 0;
    return was;
}

void shell_catch_interrupt(struct shell *sh)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = shell_on_interrupt;
    act.sa_flags = SA_RESTART;
    (void)sigemptyset(&act.sa_mask);
    shell_running = sh->backend;
    (void)sigaction(SIGINT, &act, NULL);
}

void shell_forget_interrupt(void)
{
    shell_running = NULL;
}

uint32_t shell_columns(void)
{
    struct winsize size = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* 0: not a terminal, or one that does not say. */
static uint32_t shell_lines(void)
{
    struct winsize size = {0};

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 4 ? size.ws_row : 0;
}

bool shell_set_var(struct shell *sh, const char *name, const char *value)
{
    if (strcmp(name, "ON_ERROR_STOP") == 0)
        sh->stop = strcmp(value, "0") != 0 && strcmp(value, "off") != 0;
    return vars_set(&sh->vars, name, value);
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

/* A script and a place in it. */
struct shell_place {
    const char *text;
    size_t len;
    size_t at;     /* byte */
    uint32_t line; /* of text[at], in the file */
};

/* The line an error is about, with a caret under the place. */
static void shell_show_place(const struct shell_place *p)
{
    const char *text = p->text;
    size_t at = p->at;
    size_t start = at;
    size_t end = at;
    size_t shown;
    struct buf pad;
    int head;

    while (start > 0 && text[start - 1] != '\n')
        start--;
    while (end < p->len && text[end] != '\n')
        end++;
    while (at - start > SHELL_LINE_SHOWN / 2 ||
           (start < at && ((unsigned char)text[start] & 0xc0) == 0x80))
        start++;
    shown = end - start < SHELL_LINE_SHOWN ? end - start : SHELL_LINE_SHOWN;
    while (shown > at - start && start + shown < p->len &&
           ((unsigned char)text[start + shown] & 0xc0) == 0x80)
        shown--;
    head = fprintf(stderr, "LINE %u: ", p->line);
    buf_init(&pad, NULL);
    (void)out_visible(text + start, shown, &pad);
    (void)fprintf(stderr, "%.*s\n", (int)pad.len, (const char *)pad.data);
    buf_reset(&pad);
    (void)fprintf(stderr, "%*s^\n", head + (int)out_visible(text + start, at - start, &pad), "");
    buf_done(&pad);
}

/* The statement begins at place->at; its line is that of the text's first byte. */
static void
shell_show_error(struct shell *sh, const struct dendro_error *err, struct shell_place *place)
{
    const char *red = sh->color ? "\033[1;31m" : "";
    const char *off = sh->color ? "\033[0m" : "";

    place->at += shell_offset(
        place->text + place->at, place->len - place->at, err->position ? err->position : 1);
    for (size_t i = 0; i < place->at; i++)
        place->line += place->text[i] == '\n';
    (void)fflush(sh->out.to);
    if (sh->source)
        (void)fprintf(stderr, "%s:%u: ", sh->source, place->line);
    (void)fprintf(stderr, "%sERROR:%s  %s: %s\n", red, off, err->sqlstate, err->message);
    if (err->position)
        shell_show_place(place);
    if (sh->backend->detail[0])
        (void)fprintf(stderr, "DETAIL:  %s\n", sh->backend->detail);
    if (err->hint[0])
        (void)fprintf(stderr, "HINT:  %s\n", err->hint);
}

void shell_show_alone(struct shell *sh, const struct dendro_error *err)
{
    struct shell_place none = {.text = "", .line = 1};
    struct dendro_error e = *err;

    e.position = 0;
    sh->errors++;
    shell_show_error(sh, &e, &none);
}

void shell_complain(struct shell *sh, const char *fmt, ...)
{
    va_list args;

    sh->errors++;
    (void)fflush(sh->out.to);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
    (void)fputs("\n", stderr);
}

static void shell_notice(void *arg, const char *severity, const char *message)
{
    struct shell *sh = arg;

    (void)fflush(sh->out.to);
    (void)fprintf(stderr, "%s:  %s\n", severity, message);
}

/* On a terminal, of statements that take long. */
static int shell_progress(void *arg, const struct dendro_progress *p)
{
    struct shell *sh = arg;

    sh->progress = true;
    if (p->percent >= 0)
        (void)fprintf(stderr, "\r\033[K%3.0f%%  %" PRIu64 " rows", p->percent, p->rows);
    else
        (void)fprintf(stderr, "\r\033[K%" PRIu64 " rows", p->rows);
    if (p->seconds_left >= 1)
        (void)fprintf(
            stderr, "  %d:%02d left", (int)(p->seconds_left / 60), (int)p->seconds_left % 60);
    (void)fflush(stderr);
    return 0;
}

static void shell_end_progress(struct shell *sh)
{
    if (sh->progress)
        (void)fputs("\r\033[K", stderr);
    sh->progress = false;
}

static int shell_step(struct shell *sh, struct dendro_error *err)
{
    int rc = backend_step(sh->backend, err);

    shell_end_progress(sh);
    return rc;
}

/* Ctrl-C before the statement began: nobody was there yet to be canceled. */
static int shell_canceled(struct dendro_error *err)
{
    memset(err, 0, sizeof *err);
    err->code = DENDRO_E_CANCELED;
    (void)snprintf(err->sqlstate, sizeof err->sqlstate, "57014");
    (void)snprintf(err->message, sizeof err->message, "the statement was canceled");
    return err->code;
}

static int shell_rows(struct shell *sh, struct dendro_error *err)
{
    struct dendro_copy_info copy;
    bool begun = false;
    uint64_t most; /* rows to show */
    uint64_t more = 0;
    bool screen;
    bool rows;
    int rc;

    shell_copy_begin(sh);

    sh->out.format = sh->expanded == SHELL_ON ? OUT_VERTICAL : sh->format;
    sh->out.page_lines =
        sh->interactive && sh->out.to == stdout && !sh->no_pager ? shell_lines() : 0;
    screen = sh->interactive && sh->out.to == stdout;
    sh->out.fit = screen && sh->fit;
    sh->out.width_max = sh->expanded == SHELL_AUTO || sh->out.fit ? shell_columns() : 0;
    most = screen && sh->rows_max && !out_format_plain(sh->out.format) ? sh->rows_max : UINT64_MAX;
    while ((rc = shell_step(sh, err)) == DENDRO_ROW) {
        if (!begun)
            out_begin(&sh->out, sh->backend);
        begun = true;
        if (sh->out.rows < most)
            out_row(&sh->out, sh->backend);
        else
            more++;
        if (sh->out.failed)
            break;
    }
    shell_copy_end(sh);
    backend_copy_info(sh->backend, &copy);
    rows = backend_columns(sh->backend) > 0;
    if (rows && !begun && rc == DENDRO_DONE)
        out_begin(&sh->out, sh->backend);
    if (rows && (begun || rc == DENDRO_DONE))
        out_end(&sh->out);
    if (more > 0)
        (void)fprintf(sh->out.to, "… %" PRIu64 " more; \\pset rows all shows them\n", more);
    if (rc == DENDRO_DONE && sh->interactive && rows && !out_format_plain(sh->out.format))
        (void)fprintf(sh->out.to,
                      "(%" PRIu64 " %s)\n",
                      sh->out.rows + more,
                      sh->out.rows + more == 1 ? "row" : "rows");
    if (rc == DENDRO_DONE && !rows && (copy.direction != DENDRO_COPY_OUT || sh->copy.to) &&
        !sh->quiet && !out_format_plain(sh->out.format))
        (void)fprintf(sh->out.to, "%s\n", backend_tag(sh->backend));
    return rc;
}

static bool shell_run_text(struct shell *sh, const char *text, size_t len, uint32_t line)
{
    const char *at = text;
    const char *end = text + len;

    backend_set_notice(sh->backend, shell_notice, sh);
    backend_set_progress(
        sh->backend, sh->interactive ? shell_progress : NULL, sh, SHELL_PROGRESS_MS);
    while (at < end && !sh->out.failed) {
        struct dendro_error err = {0};
        const char *tail = end;
        struct shell_place place = {
            .text = text, .len = len, .at = (size_t)(at - text), .line = line};
        double begun = shell_now_ms();
        int rc = backend_prepare(sh->backend, at, (size_t)(end - at), &tail, &err);
        bool any = rc > 0;
        if (rc != 0 && !sh->keep_last) {
            buf_reset(&sh->last);
            buf_append(&sh->last, at, (size_t)(tail - at));
        }
        if (any)
            rc = shell_interrupted(false) ? shell_canceled(&err) : shell_rows(sh, &err);
        backend_finish(sh->backend);
        if (rc < 0) {
            sh->errors++;
            shell_show_error(sh, &err, &place);
            sh->lost = sh->lost || (sh->backend->lost && !sh->interactive);
            if (sh->stop || sh->lost)
                return false;
        } else if (sh->timing && any) {
            (void)fprintf(sh->out.to, "Time: %.3f ms\n", shell_now_ms() - begun);
        }
        if (tail == at)
            break;
        at = tail;
    }
    (void)fflush(sh->out.to);
    return true;
}

bool shell_run(struct shell *sh, const char *text, size_t len, uint32_t line)
{
    struct buf full;
    bool ok;

    if (!sh->vars.first || !memchr(text, ':', len))
        return shell_run_text(sh, text, len, line);
    buf_init(&full, NULL);
    vars_expand(&sh->vars, text, len, &full);
    if (full.failed) {
        sh->errors++;
        (void)fputs("dendro: out of memory\n", stderr);
        ok = !sh->stop;
    } else {
        ok = shell_run_text(sh, (const char *)full.data, full.len, line);
    }
    buf_done(&full);
    return ok;
}
