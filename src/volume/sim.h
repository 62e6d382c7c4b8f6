/* SPDX-License-Identifier: Apache-2.0
 *
 * sim.h: the simulated volume of the tests. Memory only, with a seeded scheduler and faults.
 *
 * The bytes live in a struct sim_disk that outlives the volume, like a disk outlives a process:
 *
 *     disk = sim_disk_new(seed);
 *     sim_volume_open(disk, seed, &v, err);      run the engine on it …
 *     sim_disk_crash(disk);                      power loss: each write that was not synced is
 *                                                kept, dropped or torn, by the seed; every later
 *                                                call on v fails with DN_E_IO
 *     volume_close(v);                           the dead process lets go
 *     sim_volume_open(disk, seed2, &v, err);     the machine comes back
 *
 * One thread at a time (fibers of the one scheduler). */
#pragma once

#include "volume/volume.h"

struct sim_disk;

struct sim_disk *sim_disk_new(uint64_t seed);
void sim_disk_free(struct sim_disk *d);
/* DN_E_BUSY while another volume is open on the disk and has not crashed. */
int sim_volume_open(struct sim_disk *d,
                    uint64_t seed,
                    struct volume **ret_volume,
                    struct dn_err *err) DN_MUST_CHECK;

/* As if the lock of the open volume had been removed: the disk can be opened again, and from now on
 * every write of the old volume is DN_E_FENCED; it reads on. A write that is under way is
 * DN_E_OUTCOME_UNKNOWN. */
void sim_disk_drop_lock(struct sim_disk *d);

/* Faults. Calls are counted from 1 over all storage calls (put, read, append, sync, replace, …). */
enum sim_fault {
    SIM_FAULT_NONE,
    SIM_FAULT_IO,    /* DN_E_IO; a write may have happened in part or whole (by the seed) */
    SIM_FAULT_NOSPC, /* DN_E_NOSPC; an append may have happened in part; reads, deletes and fences
                      * succeed */
    SIM_FAULT_CRASH, /* as sim_disk_crash in the middle of the call */
    SIM_FAULT_LOCK,  /* as sim_disk_drop_lock in the middle of the call, which happens */
    SIM_FAULT_MAX
};
uint64_t sim_disk_calls(const struct sim_disk *d);
/* The n-th call from now (1 = next) suffers the fault; with sticky all later ones too. 0 = off. */
void sim_disk_fail_nth(struct sim_disk *d, uint64_t n, enum sim_fault fault, bool sticky);
bool sim_disk_fail_hit(const struct sim_disk *d);
/* Only writes are counted and struck when set. */
void sim_disk_fail_writes_only(struct sim_disk *d, bool on);
void sim_disk_crash(struct sim_disk *d);
bool sim_disk_crashed(const struct sim_disk *d);
/* Beyond the contract of logs: a crash may drop one append_nosync and keep a later one, as file
 * systems do that write pages in any order; the missing bytes read as zeros. Off at first. */
void sim_disk_set_holes(struct sim_disk *d, bool on);
/* After a crash logs may end in zeros that nobody appended. Off at first. */
void sim_disk_set_ahead(struct sim_disk *d, bool on);
/* Capacity in bytes over everything stored; 0 = none. Documents may have `reserve` bytes more, as
 * in a directory; 0 at first. */
void sim_disk_set_capacity(struct sim_disk *d, uint64_t bytes);
void sim_disk_set_reserve(struct sim_disk *d, uint64_t bytes);
uint64_t sim_disk_used(const struct sim_disk *d);
/* Flips one bit of an object ('o'), log ('l') or document ('d'). False: no such byte. */
bool sim_disk_flip(struct sim_disk *d, char kind, const char *name, uint64_t bit);
/* Direct bytes as volume_read, volume_log_read and volume_doc_read give them, for golden files and
 * corruption sweeps. get: borrowed until the disk changes. set overwrites or makes; a document
 * gets the next generation and is whole again. */
bool sim_disk_get(
    struct sim_disk *d, char kind, const char *name, const uint8_t **ret_p, size_t *ret_n);
bool sim_disk_set(struct sim_disk *d, char kind, const char *name, const void *p, size_t n);
/* Wall clock of the disk's machine, moved by hand (and by virtual time of the scheduler). */
void sim_disk_set_clock(struct sim_disk *d, int64_t ns);
