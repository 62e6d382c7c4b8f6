/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated disk: a sorted table of files in memory. What faults and crashes do to it is in
 * sim_fault.c, what volumes do with it in sim.c. */
#include "base/hash.h"
#include "volume/sim_int.h"

#include <stdio.h>
#include <string.h>

#define SIM_CLOCK_START_NS INT64_C(1704067200000000000) /* 2024-01-01T00:00:00Z */
#define SIM_FILES_FIRST    16u

struct sim_disk *sim_disk_new(uint64_t seed)
{
    struct sim_disk *d = mem_calloc(NULL, 1, sizeof *d);

    if (!d)
        return NULL;
    d->random_state = dn_mix64(seed + 0x9e3779b97f4a7c15u);
    d->next_id = 1;
    d->clock_ns = SIM_CLOCK_START_NS;
    return d;
}

static void sim_file_free(struct sim_file *file)
{
    buf_done(&file->data);
    buf_done(&file->pieces);
    mem_free(file);
}

void sim_disk_free(struct sim_disk *d)
{
    if (!d)
        return;
    DN_ASSERT(!d->volume);
    for (size_t i = 0; i < d->files_count; i++)
        sim_file_free(d->files[i]);
    mem_free(d->files);
    mem_free(d);
}

uint64_t sim_disk_random(struct sim_disk *d)
{
    d->random_state += 0x9e3779b97f4a7c15u;
    return dn_mix64(d->random_state);
}

bool sim_disk_coin(struct sim_disk *d, unsigned n)
{
    return sim_disk_random(d) % n == 0;
}

/* -- the table --------------------------------------------------------------------- */

static int sim_file_order(const struct sim_file *file, char kind, const char *name)
{
    if (file->kind != kind)
        return file->kind < kind ? -1 : 1;
    return strcmp(file->name, name);
}

/* Where the file is, or where it would be. */
static size_t sim_disk_place(const struct sim_disk *d, char kind, const char *name)
{
    size_t low = 0;
    size_t high = d->files_count;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (sim_file_order(d->files[mid], kind, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct sim_file *sim_disk_find(struct sim_disk *d, char kind, const char *name)
{
    size_t i = sim_disk_place(d, kind, name);

    if (i < d->files_count && sim_file_order(d->files[i], kind, name) == 0)
        return d->files[i];
    return NULL;
}

static bool sim_disk_reserve(struct sim_disk *d)
{
    size_t cap = d->files_cap ? d->files_cap * 2 : SIM_FILES_FIRST;
    struct sim_file **files;

    if (d->files_count < d->files_cap)
        return true;
    files = mem_realloc(NULL, d->files, cap * sizeof(struct sim_file *));
    if (!files)
        return false;
    d->files = files;
    d->files_cap = cap;
    return true;
}

struct sim_file *
sim_disk_add(struct sim_disk *d, char kind, const char *name, const void *p, size_t n)
{
    size_t i = sim_disk_place(d, kind, name);
    struct sim_file *file;

    if (!sim_disk_reserve(d))
        return NULL;
    file = mem_calloc(NULL, 1, sizeof *file);
    if (!file)
        return NULL;
    file->kind = kind;
    file->id = d->next_id++;
    file->session = d->session;
    (void)snprintf(file->name, sizeof file->name, "%s", name);
    if (!sim_file_assign(file, p, n)) {
        sim_file_free(file);
        return NULL;
    }
    memmove(d->files + i + 1, d->files + i, (d->files_count - i) * sizeof(struct sim_file *));
    d->files[i] = file;
    d->files_count++;
    return file;
}

void sim_disk_remove(struct sim_disk *d, struct sim_file *file)
{
    size_t i = sim_disk_place(d, file->kind, file->name);

    DN_ASSERT(i < d->files_count && d->files[i] == file);
    d->files_count--;
    memmove(d->files + i, d->files + i + 1, (d->files_count - i) * sizeof(struct sim_file *));
    sim_file_free(file);
}

bool sim_file_assign(struct sim_file *file, const void *p, size_t n)
{
    struct buf data;

    buf_init(&data, NULL);
    buf_append(&data, p, n);
    if (data.failed)
        return false;
    buf_done(&file->data);
    file->data = data;
    file->checksum = dn_checksum64(data.data, data.len);
    sim_file_settle(file);
    return true;
}

void sim_file_settle(struct sim_file *file)
{
    file->visible = file->data.len;
    file->synced = file->data.len;
    buf_reset(&file->pieces);
}

/* -- space ------------------------------------------------------------------------- */

uint64_t sim_disk_used(const struct sim_disk *d)
{
    uint64_t used = d->scratch_bytes;

    for (size_t i = 0; i < d->files_count; i++)
        used += d->files[i]->data.len;
    return used;
}

void sim_disk_set_capacity(struct sim_disk *d, uint64_t bytes)
{
    d->capacity = bytes;
}

void sim_disk_set_reserve(struct sim_disk *d, uint64_t bytes)
{
    d->reserve = bytes;
}

bool sim_disk_fits(const struct sim_disk *d, char kind, uint64_t n)
{
    uint64_t room = d->capacity + (kind == 'd' ? d->reserve : 0);
    uint64_t used;

    if (d->capacity == 0)
        return true;
    used = sim_disk_used(d);
    return used <= room && n <= room - used;
}

/* -- by hand ----------------------------------------------------------------------- */

static struct sim_file *sim_disk_find_real(struct sim_disk *d, char kind, const char *name)
{
    struct sim_file *file = sim_disk_find(d, kind, name);

    return file && !file->ghost ? file : NULL;
}

bool sim_disk_flip(struct sim_disk *d, char kind, const char *name, uint64_t bit)
{
    struct sim_file *file = sim_disk_find_real(d, kind, name);

    if (!file || bit / 8 >= file->data.len)
        return false;
    file->data.data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    return true;
}

bool sim_disk_get(
    struct sim_disk *d, char kind, const char *name, const uint8_t **ret_p, size_t *ret_n)
{
    struct sim_file *file = sim_disk_find_real(d, kind, name);

    if (!file)
        return false;
    *ret_p = file->data.data;
    *ret_n = file->data.len;
    return true;
}

bool sim_disk_set(struct sim_disk *d, char kind, const char *name, const void *p, size_t n)
{
    struct sim_file *file = sim_disk_find(d, kind, name);

    DN_ASSERT(kind == 'o' || kind == 'l' || kind == 'd');
    if (volume_name_check(name, NULL) < 0)
        return false;
    if (!file) {
        file = sim_disk_add(d, kind, name, p, n);
        if (!file)
            return false;
    } else if (!sim_file_assign(file, p, n)) {
        return false;
    }
    file->ghost = false;
    file->generation++;
    return true;
}

void sim_disk_set_clock(struct sim_disk *d, int64_t ns)
{
    d->clock_ns = ns;
    if (d->volume)
        d->clock_ns -= (int64_t)sched_now_ns(d->volume->sched);
}
