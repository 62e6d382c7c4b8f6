/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_server.h"

#include "../sim/sql_db.h"
#include "server/ingest/counts.h"
#include "server/pool.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define FUZZ_INPUTS_MAX  2000u /* before it is made anew */
#define FUZZ_SLICE_US    100000
#define FUZZ_MESSAGE_MAX (1u << 20)

static struct server fuzz_srv;
static struct sql_db fuzz_db;
static unsigned fuzz_calls;
static struct {
    void (*_Atomic fn)(void *arg);
    void *_Atomic arg;
} fuzz_watched;

static void fuzz_must(bool good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "the server cannot be made: %s\n", what);
    abort();
}

static void fuzz_server_close(void)
{
    struct server *s = &fuzz_srv;

    if (!fuzz_db.disk)
        return;
    ingest_counts_free(s->counts);
    sched_mutex_free(s->lock);
    srv_pool_free(s->pool);
    sql_db_done(&fuzz_db);
}

static void fuzz_server_open(void)
{
    static const char *const settings[] = {
        "memory_limit", "256MB", "statement_memory", "16MB", NULL};
    static const char sql[] =
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');"
        "CREATE TABLE all_types (k INTEGER PRIMARY KEY, a BOOLEAN, b SMALLINT, c BIGINT, d REAL, e "
        "DOUBLE, f VARCHAR, g BLOB, h TIMESTAMP, i TIMESTAMP(9), j INTERVAL, l DATE, m TIME, n "
        "TIMESTAMPTZ, o UUID, p NUMERIC, q CHAR(4), r TIMETZ, s BIT(5), t VARBIT, u mood, v "
        "INTEGER[], w VARCHAR[], x mood[]);"
        "CREATE ROLE fuzz LOGIN;"
        "GRANT ALL ON all_types TO fuzz;"
        "GRANT CREATE ON SCHEMA public TO fuzz";
    struct sql_db_options o = {.seed = 1, .settings = settings};
    struct dendro_error e = {0};
    struct dn_err err = {0};
    struct server *s = &fuzz_srv;

    *s = (struct server){.conf = {.connections_max = 10, .logins_max = 10, .workers_max = 1}};
    sql_db_init(&fuzz_db, 1);
    fuzz_must(sql_db_open(&fuzz_db, &o, &err) == 0, err.text);
    fuzz_must(sql_exec(fuzz_db.conn, sql, &e) >= 0, e.message);
    fuzz_must(srv_pool_new(1, 1, &s->pool, &err) == 0, err.text);
    s->db = fuzz_db.db;
    mem_owner_init(&s->owner, "server", NULL, 0);
    mem_owner_init(&s->wire, "wire", &s->owner, 0);
    atomic_store(&s->live.message_max, FUZZ_MESSAGE_MAX);
    atomic_store(&s->live.create, INGEST_CREATE_ALL);
    s->lock = sched_mutex_new(srv_pool_sched(s->pool), "server");
    s->counts = ingest_counts_new(srv_pool_sched(s->pool), &s->owner);
    fuzz_must(s->lock && s->counts, "out of memory");
}

struct server *fuzz_server(void)
{
    if (fuzz_calls == 0)
        fuzz_must(atexit(fuzz_server_close) == 0, "atexit");
    if (fuzz_calls++ % FUZZ_INPUTS_MAX == 0) {
        fuzz_server_close();
        fuzz_server_open();
    }
    return &fuzz_srv;
}

static void fuzz_on_time(int sig)
{
    void (*fn)(void *) = atomic_load(&fuzz_watched.fn);

    (void)sig;
    if (fn)
        fn(atomic_load(&fuzz_watched.arg));
}

/* The fuzzer has the timer of real time for itself. */
void fuzz_server_watch(void (*fn)(void *arg), void *arg)
{
    struct sigaction act = {.sa_handler = fuzz_on_time, .sa_flags = SA_RESTART};
    struct itimerval every = {.it_interval = {.tv_usec = fn ? FUZZ_SLICE_US : 0},
                              .it_value = {.tv_usec = fn ? FUZZ_SLICE_US : 0}};

    atomic_store(&fuzz_watched.fn, NULL);
    atomic_store(&fuzz_watched.arg, arg);
    atomic_store(&fuzz_watched.fn, fn);
    fuzz_must(sigaction(SIGVTALRM, &act, NULL) == 0, "sigaction");
    fuzz_must(setitimer(ITIMER_VIRTUAL, &every, NULL) == 0, "setitimer");
}
