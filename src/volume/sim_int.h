/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_int.h: inside of the simulated volume, for src/volume/sim*.c only.
 *
 * A file of the disk holds the bytes that were written. Of a log, the bytes after `synced` are
 * pieces, one per append, that a crash keeps, drops or tears. Objects, epochs and documents change
 * whole.
 *
 * Invariants of struct sim_file:
 *   I1  synced <= visible <= data.len, except that a live log may have synced = visible < data.len:
 *       remains of an append that failed, or one that is under way
 *   I2  pieces hold the starts of the unsynced appends, ascending, the first = synced
 *   I3  a ghost is an object or log whose making failed: nobody sees it, a crash makes it real or
 * not */
#pragma once

#include "volume/sim.h"
#include "volume/volume_int.h"

struct sim_file {
    char kind;                      /* 'o', 'l' or 'd' */
    bool ghost;                     /* I3 */
    bool broken;                    /* 'l': an append failed, until the next open */
    bool busy;                      /* 'l': an append is under way */
    uint64_t id;                    /* never used twice on a disk */
    uint64_t session;               /* 'l': the open of the volume it was last used in */
    struct buf data;                /* owned: all bytes written */
    size_t visible;                 /* 'l': bytes acknowledged, what readers see */
    size_t synced;                  /* 'l': I1 */
    struct buf pieces;              /* 'l': owned, I2, 8 bytes each */
    uint64_t epoch;                 /* 'l': of the newest writer */
    uint64_t generation;            /* 'd' */
    uint64_t checksum;              /* 'd': of data when it was replaced */
    char name[VOLUME_NAME_MAX + 1]; /* in the volume's terms */
};

struct sim_disk {
    struct sim_file **files; /* owned array of owned files, by kind and name */
    size_t files_count;      /* used */
    size_t files_cap;        /* allocated */
    uint64_t next_id;        /* for sim_file.id */
    uint64_t random_state;   /* generator of the disk's choices */
    uint64_t capacity;       /* bytes, 0 = no limit */
    uint64_t scratch_bytes;  /* in scratch files of the open volume */
    uint64_t calls;          /* storage calls so far */
    uint64_t fail_left;      /* calls until the fault, 0 = off */
    enum sim_fault fail;     /* what then happens */
    bool fail_sticky;        /* and to all later ones */
    bool fail_hit;           /* it has struck */
    bool writes_only;        /* count and strike only writes */
    bool holes;              /* a crash may drop an append and keep a later one */
    bool crashed;            /* since the last open */
    uint64_t session;        /* counts opens and crashes: a volume of an old one is dead */
    struct volume *volume;   /* borrowed: who has it open, NULL = nobody */
    int64_t clock_ns;        /* wall clock at virtual time 0 of the open volume */
};

/* sim_disk.c */
uint64_t sim_disk_random(struct sim_disk *d);
/* True once in n times. */
bool sim_disk_coin(struct sim_disk *d, unsigned n);
/* The file, a ghost too; NULL = none. */
struct sim_file *sim_disk_find(struct sim_disk *d, char kind, const char *name);
/* Adds a file that is not there, with the bytes in it. NULL = out of memory. */
struct sim_file *
sim_disk_add(struct sim_disk *d, char kind, const char *name, const void *p, size_t n);
void sim_disk_remove(struct sim_disk *d, struct sim_file *file);
/* New bytes for a file, all visible and synced. False: out of memory, unchanged. */
bool sim_file_assign(struct sim_file *file, const void *p, size_t n);
/* All bytes written so far are durable and visible. */
void sim_file_settle(struct sim_file *file);
/* Whether n bytes more fit. */
bool sim_disk_fits(const struct sim_disk *d, uint64_t n);

/* sim_fault.c */
/* Counts a call and says what happens to it. */
enum sim_fault sim_disk_strike(struct sim_disk *d, bool write);
