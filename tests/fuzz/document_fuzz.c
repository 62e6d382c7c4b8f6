/* SPDX-License-Identifier: Apache-2.0
 *
 * document_fuzz.c: the documents beside the catalog. The first byte picks one, the rest is what
 * stands in it. If `dendro check` finds nothing wrong, the database opens and uses what the
 * document says; otherwise it says that the document is damaged, or of a newer release. */
#include "fuzz.h"

#include "../sim/sql_db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const document_names[] = {"counters", "clocks", "time", "settings", "partition"};

struct document_found {
    const char *name;
    unsigned faults;
};

static struct sql_db document_db;
static struct buf document_good[DN_ARRAY_SIZE(document_names)]; /* what they were */

static void must(bool good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "%s\n", what);
    abort();
}

static struct volume *document_volume(void)
{
    struct volume *v = NULL;
    struct dn_err err;

    must(sim_volume_open(document_db.disk, 1, &v, &err) == 0, "the volume does not open");
    return v;
}

static int document_open(struct dn_err *err)
{
    struct sql_db_options o = {.seed = 1};

    return sql_db_open(&document_db, &o, err);
}

static void document_make(void)
{
    struct dendro_error e = {0};
    static const char partition[] = "dendro detached partition 1 complete\n";
    struct dn_err err = {0};
    uint64_t generation;
    struct volume *v;

    sql_db_init(&document_db, 1);
    must(document_open(&err) == 0, err.text);
    must(sql_exec(document_db.conn,
                  "CREATE TABLE t (id SERIAL PRIMARY KEY, v INT);"
                  "INSERT INTO t (v) VALUES (1), (2);"
                  "CREATE TABLE p (a INT, b INT);"
                  "CREATE TIME PARTITION ON p AS pp PERIOD 'manual' RETENTION 3 START '10';"
                  "ALTER SYSTEM SET work_mem = '8MB'",
                  &e) == 0,
         e.message);
    sql_db_close(&document_db);
    v = document_volume();
    must(volume_doc_replace(v, "partition", partition, strlen(partition), 0, &generation, &err) ==
             0,
         err.text);
    for (size_t i = 0; i < DN_ARRAY_SIZE(document_names); i++) {
        buf_init(&document_good[i], NULL);
        must(volume_doc_read(v, document_names[i], &document_good[i], &generation, &err) == 0,
             document_names[i]);
    }
    volume_close(v);
}

static void document_put(size_t which, const uint8_t *data, size_t size)
{
    struct volume *v = document_volume();
    uint64_t generation = 0;
    struct dn_err err = {0};
    struct buf old;

    buf_init(&old, NULL);
    must(volume_doc_read(v, document_names[which], &old, &generation, &err) == 0, err.text);
    must(volume_doc_replace(v, document_names[which], data, size, generation, &generation, &err) ==
             0,
         err.text);
    buf_done(&old);
    volume_close(v);
}

static void document_report(void *arg, bool fault, const char *text)
{
    struct document_found *f = arg;

    if (!fault)
        return;
    must(strstr(text, f->name) != NULL, text);
    f->faults++;
}

static bool document_sound(size_t which)
{
    struct document_found found = {.name = document_names[which]};
    struct volume *v = document_volume();
    uint64_t faults = 0;
    struct dn_err err = {0};

    must(engine_check_volume(v, document_report, &found, &faults, &err) == 0, err.text);
    volume_close(v);
    return faults == 0;
}

static bool document_refusal(int rc)
{
    return rc == DN_E_CORRUPT || rc == DN_E_VERSION;
}

/* What the documents hold is asked for. */
static void document_use(bool sound)
{
    static const char *const uses[] = {"SELECT nextval('t_id_seq')",
                                       "SELECT * FROM comdb2_timepartitions",
                                       "SELECT name FROM pg_settings",
                                       "SELECT count(*) FROM t"};
    struct dendro_error e;
    struct dn_err err = {0};
    int rc = document_open(&err);

    must(rc == 0 || document_refusal(rc), err.text);
    must(rc == 0 || !sound, "check finds nothing, but the database does not open");
    if (rc < 0)
        return;
    for (size_t i = 0; i < DN_ARRAY_SIZE(uses); i++) {
        rc = sql_exec(document_db.conn, uses[i], &e);
        must(rc >= 0 || !sound || !document_refusal(rc), e.message);
    }
    sql_db_close(&document_db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t which;
    bool sound;

    if (size == 0 || size > 65536)
        return 0;
    if (!document_db.disk)
        document_make();
    which = data[0] % DN_ARRAY_SIZE(document_names);
    document_put(which, data + 1, size - 1);
    sound = document_sound(which);
    if (sound)
        fuzz_reached();
    document_use(sound);
    document_put(which, document_good[which].data, document_good[which].len);
    return 0;
}
