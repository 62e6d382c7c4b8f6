/* SPDX-License-Identifier: Apache-2.0
 *
 * each.h: lines that are taken one by one: those that can be written are, and the others are told.
 * What is written together is some megabytes, and less where many lines are refused. A line that
 * only the table refuses costs another try of those beside it, so there is an end to that.
 *
 * One thread at a time. */
#pragma once

#include "server/ingest/ingest.h"

#define INGEST_EACH_BAD_MAX 10000u /* lines of a text that may be refused */

struct ingest_each {
    struct ingest_options opt;
    struct mem_owner *owner; /* borrowed */
    dendro_conn *session;    /* borrowed */
    /* A line that is refused, counted from 1, in no order; by which table (NULL: none that is
     * known). */
    void (*refuse)(void *arg, uint64_t line, const char *why, const struct ingest_table *table);
    /* What was written, before it goes. */
    void (*wrote)(void *arg, const struct ingest *in);
    void *arg;

    /* set by ingest_each */
    uint64_t rows;    /* written */
    uint64_t refused; /* lines */
    uint64_t lines;   /* done with; the line feeds in them */
};

/* 0: every line is written or was refused. < 0: those behind the first `lines` are not, for a
 * reason that is no line's: memory, disk, or too many were refused. */
int ingest_each(struct ingest_each *e, const char *text, size_t len, struct dendro_error *err);
