/* SPDX-License-Identifier: Apache-2.0
 *
 * settings_by_name.c: values of settings that have no field in struct settings: a short list by
 * name, shared by reference and never changed. */
#include "catalog/settings.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#define EXTRA_MAX       1000u           /* of a session */
#define EXTRA_BYTES_MAX (1024u * 1024u) /* of all their names and values */

struct extra_pair {
    char *name; /* owned; the value is behind it */
    char *value;
};

struct settings_extra {
    atomic_uint refs;
    size_t count;
    struct extra_pair pairs[];
};

static bool extra_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

bool settings_is_custom(const char *name)
{
    bool start = true;
    size_t dots = 0;

    for (; *name; name++) {
        if (*name == '.' && !start) {
            dots++;
            start = true;
            continue;
        }
        if (!extra_letter(*name) && (start || ((*name < '0' || *name > '9') && *name != '$')))
            return false;
        start = false;
    }
    return dots > 0 && !start;
}

struct settings_extra *settings_extra_ref(struct settings_extra *x)
{
    if (x)
        atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
    return x;
}

void settings_extra_unref(struct settings_extra *x)
{
    if (!x || atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < x->count; i++)
        mem_free(x->pairs[i].name);
    mem_free(x);
}

static bool
extra_add(struct settings_extra *x, struct mem_owner *owner, const char *name, const char *value)
{
    size_t name_len = strlen(name) + 1;
    size_t value_len = strlen(value) + 1;
    char *room = mem_alloc(owner, name_len + value_len);

    if (!room)
        return false;
    memcpy(room, name, name_len);
    memcpy(room + name_len, value, value_len);
    x->pairs[x->count++] = (struct extra_pair){.name = room, .value = room + name_len};
    return true;
}

int settings_extra_with(const struct settings_extra *x,
                        struct mem_owner *owner,
                        const char *name,
                        const char *value,
                        struct settings_extra **ret,
                        struct dn_err *err)
{
    size_t count = x ? x->count : 0;
    struct settings_extra *next;
    size_t bytes = value ? strlen(name) + strlen(value) : 0;
    bool good = true;

    if (count == EXTRA_MAX && value && !settings_extra_get(x, name))
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u settings of its own", EXTRA_MAX);
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(x->pairs[i].name, name) != 0)
            bytes += strlen(x->pairs[i].name) + strlen(x->pairs[i].value);
    if (value && bytes > EXTRA_BYTES_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "settings of its own have more than %u bytes together",
                       EXTRA_BYTES_MAX);
    next = mem_calloc(owner, 1, sizeof(*next) + (count + 1) * sizeof(next->pairs[0]));
    if (!next)
        return DN_FAIL_NOMEM(err);
    atomic_init(&next->refs, 1);
    for (size_t i = 0; good && i < count; i++)
        if (strcasecmp(x->pairs[i].name, name) != 0)
            good = extra_add(next, owner, x->pairs[i].name, x->pairs[i].value);
    if (good && value)
        good = extra_add(next, owner, name, value);
    if (!good) {
        settings_extra_unref(next);
        return DN_FAIL_NOMEM(err);
    }
    *ret = next;
    return 0;
}

const char *settings_extra_get(const struct settings_extra *x, const char *name)
{
    for (size_t i = 0; x && i < x->count; i++)
        if (strcasecmp(x->pairs[i].name, name) == 0)
            return x->pairs[i].value;
    return NULL;
}

const char *settings_extra_at(const struct settings_extra *x, size_t i, const char **ret_value)
{
    if (!x || i >= x->count)
        return NULL;
    *ret_value = x->pairs[i].value;
    return x->pairs[i].name;
}
