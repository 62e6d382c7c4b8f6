/* SPDX-License-Identifier: Apache-2.0
 *
 * load_fix.h: texts to import, given in pieces of any size, and what came of them. One thread at a
 * time. */
#pragma once

#include "db_fix.h"
#include "engine/load.h"

struct load_text {
    const char *text;
    size_t len;
    size_t at;
    size_t step; /* bytes given at once, 0 = as many as are asked for */
};

int load_text_read(void *arg, void *to, size_t len, size_t *ret_len);

/* dendro_import_csv of a text into a table. */
int load_import(struct db_fix *f,
                const char *table,
                const char *text,
                struct dendro_import *spec,
                struct dendro_import_result *ret,
                struct dendro_error *err);

/* load_run with chunks of that many bytes; the error's text goes to err. */
int load_chunks(dendro_conn *conn,
                const char *table,
                struct load_text *text,
                size_t chunk_bytes,
                bool whole,
                struct load_result *ret,
                struct dn_err *err);
