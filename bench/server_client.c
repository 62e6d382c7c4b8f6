/* SPDX-License-Identifier: Apache-2.0
 *
 * server_client.c: clients of `./dev bench server`: threads that ask a server one prepared question
 * after the other through libpq, and how often they were answered.
 *
 *     server_client CONNINFO point|range|insert CLIENTS SECONDS SERIES STEPS FIRST
 *
 * Prints "<answers per second> <median in us> <99th percentile in us>". FIRST: where keys of
 * inserted rows begin. */
#include <libpq-fe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START_SECONDS 1704067200 /* 2024-01-01 */
#define STEP_SECONDS  10
#define SAMPLES_MAX   (1u << 20)

struct worker {
    pthread_t thread;
    PGconn *conn;
    const char *kind;
    unsigned seed;
    long series, steps;
    long next; /* key of the next row to insert */
    double until;
    float *us; /* of each answer */
    size_t count;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void time_text(long seconds, char *to, size_t size)
{
    time_t t = START_SECONDS + seconds;
    struct tm tm;

    gmtime_r(&t, &tm);
    strftime(to, size, "%Y-%m-%d %H:%M:%S+00", &tm);
}

static void *work(void *arg)
{
    struct worker *w = arg;

    while (now() < w->until && w->count < SAMPLES_MAX) {
        char series[24], from[40], to[40];
        const char *values[3] = {series, from, to};
        long step = rand_r(&w->seed) % (w->steps - 360);
        double begin = now();
        PGresult *r;

        snprintf(series, sizeof series, "%ld", rand_r(&w->seed) % w->series);
        if (w->kind[0] == 'i')
            step = w->next++;
        time_text(step * STEP_SECONDS, from, sizeof from);
        time_text(step * STEP_SECONDS + 3600, to, sizeof to);
        r = PQexecPrepared(w->conn, "q", w->kind[0] == 'r' ? 3 : 2, values, NULL, NULL, 0);
        if (PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK) {
            fprintf(stderr, "%s", PQerrorMessage(w->conn));
            exit(1);
        }
        PQclear(r);
        w->us[w->count++] = (float)((now() - begin) * 1e6);
    }
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static const char *statement(const char *kind)
{
    if (kind[0] == 'p')
        return "SELECT v1, v2 FROM reading WHERE host = $1 AND time = $2";
    if (kind[0] == 'r')
        return "SELECT avg(v1), max(v2), count(*) FROM reading WHERE host = $1 AND time >= $2 AND "
               "time < $3";
    return "INSERT INTO reading VALUES ($1, $2, 1.5, 2.5, 3.5, 4.5)";
}

int main(int argc, char **argv)
{
    int clients = argc == 8 ? atoi(argv[3]) : 0;
    double seconds = clients ? atof(argv[4]) : 0;
    struct worker *w = calloc((size_t)clients + 1, sizeof *w);
    float *all;
    size_t count = 0;
    double begin;

    if (!clients || !w)
        return 2;
    for (int i = 0; i < clients; i++) {
        PGresult *r;

        w[i] =
            (struct worker){.conn = PQconnectdb(argv[1]), .kind = argv[2], .seed = (unsigned)i + 1};
        w[i].series = atol(argv[5]);
        w[i].steps = atol(argv[6]);
        w[i].next = atol(argv[7]) + i * 1000000L;
        w[i].us = malloc(SAMPLES_MAX * sizeof *w[i].us);
        r = PQprepare(w[i].conn, "q", statement(argv[2]), 0, NULL);
        if (PQresultStatus(r) != PGRES_COMMAND_OK) {
            fprintf(stderr, "%s", PQerrorMessage(w[i].conn));
            return 1;
        }
        PQclear(r);
    }
    begin = now();
    for (int i = 0; i < clients; i++) {
        w[i].until = begin + seconds;
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    for (int i = 0; i < clients; i++) {
        pthread_join(w[i].thread, NULL);
        count += w[i].count;
    }
    seconds = now() - begin;
    all = malloc((count + 1) * sizeof *all);
    count = 0;
    for (int i = 0; i < clients; i++) {
        memcpy(all + count, w[i].us, w[i].count * sizeof *all);
        count += w[i].count;
        PQfinish(w[i].conn);
    }
    qsort(all, count, sizeof *all, by_size);
    printf("%.0f %.0f %.0f\n",
           (double)count / seconds,
           count ? (double)all[count / 2] : 0.0,
           count ? (double)all[count * 99 / 100] : 0.0);
    return 0;
}
