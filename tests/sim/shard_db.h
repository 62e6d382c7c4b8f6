/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_db.h: a shard with one table on a simulated disk, for tests of range tombstones and slabs:
 * columns g and t are the key, a slab is a day. What returns nothing fails the test. One thread. */
#pragma once

#include "shard_model.h"

#define DAY  INT64_C(86400000)
#define HOUR (DAY / 24)

struct db {
    struct sim_disk *disk;
    struct volume *v;
    struct catalog *cat;
    const struct table *t; /* borrowed from cat */
    struct shard *s;
    struct mem_owner owner;
};

void db_init(struct db *d);
void db_done(struct db *d);
int db_open_with(struct db *d, size_t limit, size_t memtable, struct dn_err *err);
int db_open(struct db *d, struct dn_err *err);
void db_close(struct db *d);
void db_crash(struct db *d); /* the power fails; it is open again */

/* Rows of one series, an hour apart from `from` on; x = value. */
int db_put(struct db *d,
           int64_t g,
           int64_t from,
           uint32_t rows,
           int64_t value,
           uint64_t check,
           struct dn_err *err);
void db_add(struct db *d, int64_t g, int64_t from, uint32_t rows, int64_t value);
/* Deletes series g (0: all) from one time up to another, which does not belong to it. */
int db_delete(
    struct db *d, int64_t g, int64_t from, int64_t to, uint64_t check, struct dn_err *err);
void db_gone(struct db *d, int64_t g, int64_t from, int64_t to);
void db_flush(struct db *d);

uint64_t db_count_in(struct db *d, struct snapshot *snap, int64_t from, int64_t to);
uint64_t db_count(struct db *d, int64_t from, int64_t to);
struct shard_stats db_stats(struct db *d);
size_t db_objects(struct db *d); /* segments on the disk */
