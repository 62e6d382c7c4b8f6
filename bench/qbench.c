/* SPDX-License-Identifier: Apache-2.0
 *
 * qbench: one client for all databases of the benchmark. It opens one of them in this process,
 * reads commands from standard input, one a line, and answers each with one line of JSON.
 *
 *     qbench PEER LIBRARY DATABASE [SETTING=VALUE]…        PEER: a name of peer_list.h
 *
 *     query SQL                     run it, copy the whole answer into memory, and time both
 *     write FILE                    the last answer, as text (result_write in peer.h)
 *     repeat SECONDS FILE           run the queries of a file, one a line, in turn
 *     load TABLE TIMECOL FILE       the rows of a CSV file, through the peer's interface for rows
 *     usage                         peak memory of this process
 *
 * Arguments are separated by tabs. Answers: {"ok": true, …} or {"ok": false, "code": SQLSTATE,
 * "error": TEXT}. The first line, before any command, tells the peer's version. The process ends,
 * and closes the database, at the end of its input. */
#include "peer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SETTINGS_MAX 16
#define ARGS_MAX     4
#define REPEAT_MAX   1000000u /* latencies kept */

static const struct peer_ops *const peers[] = {
#define PEER(name) &peer_##name##_ops,
#include "peer_list.h"
#undef PEER
};

struct bench {
    const struct peer_ops *ops;
    void *peer;
    struct result result; /* of the last query */
};

static double clock_ms(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double now_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

static void put_json(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void answer_error(const struct peer_error *err)
{
    printf("{\"ok\": false, \"code\": ");
    put_json(err->code);
    printf(", \"error\": ");
    put_json(err->text);
    puts("}");
}

/* ---- commands ---- */

static void do_query(struct bench *b, char **args)
{
    struct peer_error err = {0};
    double cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID), start = now_ms(), end;
    int rc = b->ops->query(b->peer, args[0], &b->result, &err);

    end = now_ms();
    cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu; /* of all threads */
    if (rc != 0)
        answer_error(&err);
    else
        printf("{\"ok\": true, \"ms\": %.4f, \"cpu_ms\": %.4f, \"rows\": %zu, \"cols\": %zu}\n",
               end - start,
               cpu,
               result_rows(&b->result),
               b->result.cols);
}

static void do_write(struct bench *b, char **args)
{
    struct peer_error err = {.text = "cannot write the file"};

    if (result_write(&b->result, args[0]) != 0)
        answer_error(&err);
    else
        puts("{\"ok\": true}");
}

static int compare_doubles(const void *a, const void *b)
{
    double x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Reads a file whole, NUL at its end; the caller frees it. */
static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t len = 0, cap = 0, n = 1;

    while (f && n > 0) {
        if (cap - len < 2) {
            char *more = realloc(text, cap = cap ? cap * 2 : 1u << 16);

            if (!more)
                break;
            text = more;
        }
        n = fread(text + len, 1, cap - len - 1, f);
        len += n;
        text[len] = '\0';
    }
    if (f)
        fclose(f);
    return text;
}

/* The lines of a text, cut in place; the caller frees the list. */
static char **split_lines(char *text, size_t *ret_count)
{
    char **lines = NULL;
    size_t count = 0;

    for (char *p = text; *p;) {
        char *end = strchr(p, '\n');

        if (count % 64 == 0) {
            char **more = realloc(lines, (count + 64) * sizeof *lines);

            if (!more)
                break;
            lines = more;
        }
        lines[count++] = p;
        if (!end)
            break;
        *end = '\0';
        p = end + 1;
    }
    *ret_count = count;
    return lines;
}

static void repeat(struct bench *b, double seconds, char **queries, size_t count)
{
    struct peer_error err = {0};
    double *taken = calloc(REPEAT_MAX, sizeof *taken), start = now_ms(), t = start;
    size_t n = 0;
    int rc = 0;

    while (taken && rc == 0 && n < REPEAT_MAX && t - start < seconds * 1e3) {
        double before = t;

        rc = b->ops->query(b->peer, queries[n % count], &b->result, &err);
        t = now_ms();
        taken[n++] = t - before;
    }
    if (rc != 0 || n == 0) {
        answer_error(&err);
    } else {
        qsort(taken, n, sizeof *taken, compare_doubles);
        printf("{\"ok\": true, \"count\": %zu, \"qps\": %.1f, \"p50_ms\": %.4f, "
               "\"p99_ms\": %.4f}\n",
               n,
               (double)n / (t - start) * 1e3,
               taken[n / 2],
               taken[n - 1 - n / 100]);
    }
    free(taken);
}

static void do_repeat(struct bench *b, char **args)
{
    struct peer_error err = {.text = "cannot read the file of queries"};
    char *text = read_file(args[1]);
    size_t count = 0;
    char **queries = text ? split_lines(text, &count) : NULL;

    if (count == 0)
        answer_error(&err);
    else
        repeat(b, strtod(args[0], NULL), queries, count);
    free(queries);
    free(text);
}

static void do_load(struct bench *b, char **args)
{
    struct peer_error err = {.text = "this peer loads by a statement"};
    struct load_job job = {
        .table = args[0], .path = args[2], .time_col = (int)strtol(args[1], NULL, 10)};
    double start = now_ms();
    uint64_t rows = 0;

    if (!b->ops->load || b->ops->load(b->peer, &job, &rows, &err) != 0)
        answer_error(&err);
    else
        printf("{\"ok\": true, \"ms\": %.4f, \"rows\": %" PRIu64 "}\n", now_ms() - start, rows);
}

/* Peak of resident memory in bytes, 0 if unknown. Not from getrusage: its figure begins with the
 * peak of the process that started this one. */
static unsigned long long peak_memory(void)
{
    char *status = read_file("/proc/self/status");
    const char *line = status ? strstr(status, "VmHWM:") : NULL;
    unsigned long long kb = line ? strtoull(line + strlen("VmHWM:"), NULL, 10) : 0;

    free(status);
    return kb * 1024;
}

static void do_usage(struct bench *b, char **args)
{
    (void)args;
    printf("{\"ok\": true, \"rss\": %llu, \"result\": %zu}\n",
           peak_memory(),
           result_memory(&b->result));
}

static const struct command {
    const char *name;
    int args;
    void (*run)(struct bench *b, char **args);
} commands[] = {
    {"query", 1, do_query},
    {"write", 1, do_write},
    {"repeat", 2, do_repeat},
    {"load", 3, do_load},
    {"usage", 0, do_usage},
};

/* ---- the loop ---- */

static void run_line(struct bench *b, char *line)
{
    struct peer_error err = {.text = "no such command, or not its arguments"};
    char *args[ARGS_MAX] = {0};
    int count = 0;
    char *p = strchr(line, '\t');

    for (; p && count < ARGS_MAX; p = strchr(p, '\t')) {
        *p++ = '\0';
        args[count++] = p;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, line) == 0 && commands[i].args == count) {
            commands[i].run(b, args);
            return;
        }
    }
    answer_error(&err);
}

static void run_input(struct bench *b)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    while ((n = getline(&line, &cap, stdin)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = '\0';
        run_line(b, line);
        fflush(stdout);
    }
    free(line);
}

/* NAME=VALUE arguments as name, value, …, NULL; cut in place. */
static bool split_settings(char **args, int count, const char **ret)
{
    if (count > SETTINGS_MAX)
        return false;
    for (int i = 0; i < count; i++) {
        char *eq = strchr(args[i], '=');

        if (!eq)
            return false;
        *eq = '\0';
        *ret++ = args[i];
        *ret++ = eq + 1;
    }
    *ret = NULL;
    return true;
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    struct peer_error err = {0};
    const char *settings[2 * SETTINGS_MAX + 1];

    for (size_t i = 0; argc >= 4 && i < sizeof peers / sizeof peers[0]; i++)
        if (strcmp(peers[i]->name, argv[1]) == 0)
            b.ops = peers[i];
    if (!b.ops || !split_settings(argv + 4, argc - 4, settings)) {
        fprintf(stderr, "usage: qbench PEER LIBRARY DATABASE [SETTING=VALUE]...\n");
        return 2;
    }
    b.peer = b.ops->open(argv[2], argv[3], settings, &err);
    if (!b.peer) {
        answer_error(&err);
        return 1;
    }
    printf("{\"ok\": true, \"version\": ");
    put_json(b.ops->version(b.peer));
    puts("}");
    fflush(stdout);
    run_input(&b);
    b.ops->close(b.peer);
    result_free(&b.result);
    return 0;
}
