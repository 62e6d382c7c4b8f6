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

/* Files of another volume on the same disk (other.h) have "@path@" before their names, which no
 * name begins with. */
#define SIM_PLACE_MAX 64
#define SIM_NAME_MAX  (VOLUME_NAME_MAX + SIM_PLACE_MAX)

struct sim_file {
    char kind;                   /* 'o', 'l' or 'd' */
    bool ghost;                  /* I3 */
    bool broken;                 /* 'l': an append failed, until the next open */
    bool busy;                   /* 'l': an append is under way */
    uint64_t id;                 /* never used twice on a disk */
    uint64_t session;            /* 'l': the open of the volume it was last used in */
    struct buf data;             /* owned: all bytes written */
    size_t visible;              /* 'l': bytes acknowledged, what readers see */
    size_t synced;               /* 'l': I1 */
    struct buf pieces;           /* 'l': owned, I2, 8 bytes each */
    uint64_t epoch;              /* 'l': of the newest writer */
    uint64_t generation;         /* 'd' */
    uint64_t checksum;           /* 'd': of data when it was replaced */
    char name[SIM_NAME_MAX + 1]; /* in the volume's terms, behind its place */
};

struct sim_disk {
    struct sim_file **files; /* owned array of owned files, by kind and name */
    size_t files_count;      /* used */
    size_t files_cap;        /* allocated */
    uint64_t next_id;        /* for sim_file.id */
    uint64_t random_state;   /* generator of the disk's choices */
    uint64_t capacity;       /* bytes, 0 = no limit */
    uint64_t reserve;        /* bytes more that documents may have */
    uint64_t scratch_bytes;  /* in scratch files of the open volume */
    uint64_t calls;          /* storage calls so far */
    uint64_t fail_left;      /* calls until the fault, 0 = off */
    enum sim_fault fail;     /* what then happens */
    bool fail_sticky;        /* and to all later ones */
    bool fail_hit;           /* it has struck */
    bool writes_only;        /* count and strike only writes */
    bool holes;              /* a crash may drop an append and keep a later one */
    bool ahead;              /* after a crash logs may end in zeros */
    bool crashed;            /* since the last open */
    uint64_t session;        /* counts opens and crashes: a volume of an old one is dead */
    struct volume *volume;   /* borrowed: who has it open, NULL = nobody */
    int64_t clock_ns;        /* wall clock at virtual time 0 of the open volume */
};

/* Bytes of a caller. */
struct sim_bytes {
    const void *p; /* borrowed */
    size_t n;      /* how many */
};

struct sim_volume {
    struct volume base;
    struct volume_local local; /* leases and notices */
    struct sim_disk *disk;     /* borrowed, outlives it */
    uint64_t session;          /* of the disk when it was opened: another one means dead */
    bool fenced;               /* its lock was removed (sim_disk_drop_lock) */
    char description[40 + SIM_PLACE_MAX]; /* "sim:seed" */
    char place[SIM_PLACE_MAX + 1]; /* what its names begin with on the disk, "" = the disk's own */
};

static inline struct sim_volume *sim_volume_of(struct volume *v)
{
    return DN_CONTAINER_OF(v, struct sim_volume, base);
}

/* sim_other.c */
struct sim_name {
    char s[SIM_NAME_MAX + 1];
};
/* A name of the volume as the disk has it; in `to`, if it is not the same. */
const char *sim_volume_name(const struct sim_volume *sv, const char *name, struct sim_name *to);
/* What is behind the volume's place; NULL: the file is another volume's. */
const char *sim_volume_own(const struct sim_volume *sv, const struct sim_file *file);
int sim_other(struct volume *v,
              const char *path,
              const struct volume_other_options *options,
              struct volume **ret,
              struct dn_err *err);
int sim_erase(struct volume *v, struct dn_err *err);

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
/* Whether n bytes more fit, of a file of the kind. */
bool sim_disk_fits(const struct sim_disk *d, char kind, uint64_t n);

/* sim_fault.c */
/* Counts a call and says what happens to it. */
enum sim_fault sim_disk_strike(struct sim_disk *d, bool write);
/* The error of every write after the lock was dropped. */
int sim_volume_fenced(struct sim_volume *sv, struct dn_err *err);

/* sim.c: parts of every call on a volume */
bool sim_volume_alive(const struct sim_volume *sv);
/* The error of every call after the crash. */
int sim_volume_dead(struct sim_volume *sv, struct dn_err *err);
/* Lets others run, counts the call and says which fault strikes it. */
int sim_volume_enter(struct sim_volume *sv,
                     bool write,
                     enum sim_fault *ret_fault,
                     struct dn_err *err) DN_MUST_CHECK;
/* The end of a call that changed the disk, rc of the change: lets others run. */
int sim_volume_leave(struct sim_volume *sv, int rc, struct dn_err *err) DN_MUST_CHECK;
/* The end of a struck call: crashes if that is the fault, and gives the error. */
int sim_volume_struck(
    struct sim_volume *sv, enum sim_fault fault, char kind, const char *name, struct dn_err *err);
int sim_volume_full(char kind, const char *name, size_t n, struct dn_err *err);
/* Whether a struck write happened all the same. A full disk writes nothing. */
bool sim_volume_happened(struct sim_volume *sv, enum sim_fault fault);
/* The file as programs see it; NULL = none. */
struct sim_file *sim_volume_find(struct sim_volume *sv, char kind, const char *name);
/* put and log_create: a new file, whole or not at all. */
int sim_volume_create(struct sim_volume *sv,
                      char kind,
                      const char *name,
                      const struct sim_bytes *bytes,
                      uint64_t epoch,
                      struct dn_err *err) DN_MUST_CHECK;
/* delete and log_delete: done or not. */
int sim_volume_delete(struct sim_volume *sv, char kind, const char *name, struct dn_err *err)
    DN_MUST_CHECK;
int sim_volume_list(struct sim_volume *sv,
                    char kind,
                    const char *prefix,
                    struct volume_names *names,
                    struct dn_err *err) DN_MUST_CHECK;

/* sim_log.c: operations of struct volume_ops */
int sim_log_create(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
int sim_log_append(struct volume *v,
                   const char *name,
                   uint64_t epoch,
                   const void *p,
                   size_t n,
                   bool sync,
                   struct dn_err *err);
int sim_log_sync(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
int sim_log_fence(struct volume *v, const char *name, uint64_t epoch, struct dn_err *err);
int sim_log_read(
    struct volume *v, const char *name, uint64_t offset, struct buf *ret, struct dn_err *err);
int sim_log_remove(struct volume *v, const char *name, struct dn_err *err);
int sim_log_list(struct volume *v,
                 const char *prefix,
                 struct volume_names *names,
                 struct dn_err *err);
