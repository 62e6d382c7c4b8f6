/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_other.c: other volumes on a simulated disk. They share its files, faults, crashes and clock,
 * and the scheduler of the volume that is open on it; only their names are behind a place of their
 * own. A volume is there once it has a file 'd' "FORMAT", which no name of a document can be. */
#include "volume/sim_int.h"

#include <stdio.h>
#include <string.h>

#define SIM_OTHER_FORMAT "FORMAT"

const char *sim_volume_name(const struct sim_volume *sv, const char *name, struct sim_name *to)
{
    if (!sv->place[0])
        return name;
    (void)snprintf(to->s, sizeof to->s, "%s%s", sv->place, name);
    return to->s;
}

const char *sim_volume_own(const struct sim_volume *sv, const struct sim_file *file)
{
    size_t len = strlen(sv->place);
    const char *name = file->name + len;

    if (strncmp(file->name, sv->place, len) != 0 || name[0] == '@' ||
        strcmp(name, SIM_OTHER_FORMAT) == 0)
        return NULL;
    return name;
}

/* It is there, or is made; one call of the disk. */
static int sim_other_find(struct sim_volume *sv, bool create, struct dn_err *err)
{
    enum sim_fault fault;
    struct sim_name name;
    int rc = sim_volume_enter(sv, create, &fault, err);

    if (rc < 0)
        return rc;
    if (fault != SIM_FAULT_NONE)
        return sim_volume_struck(sv, fault, 'd', SIM_OTHER_FORMAT, err);
    if (sim_volume_find(sv, 'd', SIM_OTHER_FORMAT))
        return 0;
    if (!create)
        return DN_FAIL(err, DN_E_NO_OBJECT, "there is no Dendro volume in '%s'", sv->place);
    if (!sim_disk_add(sv->disk, 'd', sim_volume_name(sv, SIM_OTHER_FORMAT, &name), "", 0))
        return DN_FAIL_NOMEM(err);
    return sim_volume_leave(sv, 0, err);
}

int sim_other(struct volume *v,
              const char *path,
              const struct volume_other_options *options,
              struct volume **ret,
              struct dn_err *err)
{
    const struct sim_volume *from = sim_volume_of(v);
    struct sim_volume *sv;
    int rc;

    if (strlen(path) + 2 > SIM_PLACE_MAX)
        return DN_FAIL(err, DN_E_INVALID_PARAM, "the path '%s' is too long", path);
    sv = mem_calloc(NULL, 1, sizeof *sv);
    if (!sv)
        return DN_FAIL_NOMEM(err);
    sv->base.ops = v->ops;
    sv->base.sched = v->sched;
    sv->disk = from->disk;
    sv->session = from->session;
    (void)snprintf(sv->place, sizeof sv->place, "@%s@", path);
    (void)snprintf(
        sv->description, sizeof sv->description, "%.39s%s", from->description, sv->place);
    rc = volume_local_init(&sv->local, v->sched, err);
    if (rc == 0)
        rc = sim_other_find(sv, options->create && !options->read_only, err);
    if (rc < 0) {
        volume_close(&sv->base);
        return rc;
    }
    *ret = &sv->base;
    return 0;
}

/* The next file of a kind that a program sees; "" = none. */
static void sim_erase_next(struct sim_volume *sv, char kind, char ret[VOLUME_NAME_MAX + 1])
{
    ret[0] = '\0';
    for (size_t i = 0; i < sv->disk->files_count && !ret[0]; i++) {
        const struct sim_file *file = sv->disk->files[i];
        const char *name = sim_volume_own(sv, file);

        if (name && file->kind == kind && !file->ghost)
            (void)snprintf(ret, VOLUME_NAME_MAX + 1, "%s", name);
    }
}

int sim_erase(struct volume *v, struct dn_err *err)
{
    static const char kinds[] = {'o', 'l', 'd'};
    struct sim_volume *sv = sim_volume_of(v);
    int rc = 0;

    for (size_t i = 0; i < sizeof kinds && rc >= 0; i++) {
        char name[VOLUME_NAME_MAX + 1];

        for (sim_erase_next(sv, kinds[i], name); rc >= 0 && name[0];
             sim_erase_next(sv, kinds[i], name))
            rc = sim_volume_delete(sv, kinds[i], name, err);
    }
    if (rc >= 0)
        rc = sim_volume_delete(sv, 'd', SIM_OTHER_FORMAT, err);
    return rc < 0 ? rc : 0;
}
