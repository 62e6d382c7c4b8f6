/* SPDX-License-Identifier: Apache-2.0 */
#include "load_fix.h"

#include "engine/engine_int.h"

#include <string.h>

int load_text_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct load_text *t = arg;
    size_t n = t->len - t->at;

    n = n < len ? n : len;
    n = t->step && t->step < n ? t->step : n;
    memcpy(to, t->text + t->at, n);
    t->at += n;
    *ret_len = n;
    return 0;
}

static int load_text_read_err(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    (void)err;
    return load_text_read(arg, to, len, ret_len);
}

int load_import(struct db_fix *f,
                const char *table,
                const char *text,
                struct dendro_import *spec,
                struct dendro_import_result *ret,
                struct dendro_error *err)
{
    struct load_text t = {.text = text, .len = strlen(text)};

    spec->table = table;
    spec->read = load_text_read;
    spec->read_arg = &t;
    return dendro_import_csv(f->conn, spec, ret, err);
}

int load_chunks(dendro_conn *conn,
                const char *table,
                struct load_text *text,
                size_t chunk_bytes,
                bool whole,
                struct load_result *ret,
                struct dn_err *err)
{
    const struct qual_name name = {.name = table};
    struct catalog *cat = engine_catalog(conn->db);
    struct load_spec spec = {
        .table = session_table(conn, cat, &name, err),
        .format = {.delimiter = ',', .quote = '"', .null_text = {.ptr = ""}, .epoch = -1},
        .read = load_text_read_err,
        .read_arg = text,
        .whole = whole,
        .chunk_bytes = chunk_bytes};
    int rc = spec.table ? load_run(conn, &spec, ret, err) : err->code;

    catalog_unref(cat);
    return rc;
}
