/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of volumes: other volumes of the same kind (other.h). */
#include "contract_int.h"

#include "volume/other.h"

/* A path beside the volume that is open; the place removes it at its end. */
static void other_path(struct contract *c, char ret[200])
{
    const char *colon = strchr(volume_describe(c->v), ':');

    (void)snprintf(ret, 200, "%s.other", colon && colon[1] == '/' ? colon + 1 : "a");
}

static struct volume *other_open(struct contract *c, const char *path, bool create, bool read_only)
{
    const struct volume_other_options o = {.create = create, .read_only = read_only};
    struct volume *v = NULL;

    OK(c, volume_other_open(c->v, path, &o, &v, &c->err));
    return v;
}

void other_volumes_are_apart(void **state)
{
    const struct volume_other_options there = {.create = false};
    struct contract *c = *state;
    struct volume *other = NULL;
    struct volume_names names = {0};
    uint64_t generation = 0;
    uint64_t size = 0;
    struct buf b;
    char path[200];

    other_path(c, path);
    FAILS(c, volume_other_open(c->v, path, &there, &other, &c->err), DN_E_NO_OBJECT, path);
    FAILS(c, volume_other_open(c->v, "", &there, &other, &c->err), DN_E_INVALID_PARAM, "path");
    OK(c, put_text(c, "seg/1", "mine"));
    other = other_open(c, path, true, false);
    assert_int_equal(volume_size(other, "seg/1", &size, &c->err), DN_E_NO_OBJECT);
    OK(c, volume_put(other, "seg/1", "theirs", 6, &c->err));
    OK(c, volume_put(other, "seg/2", "theirs", 6, &c->err));
    OK(c, volume_log_create(other, "log/1", 1, &c->err));
    OK(c, volume_log_append(other, "log/1", 1, "abc", 3, &c->err));
    OK(c, volume_doc_replace(other, "doc", "text", 4, 0, &generation, &c->err));
    object_is(c, "seg/1", "mine");
    objects_are(c, "", "seg/1");
    logs_are(c, "", "");
    volume_close(other);
    contract_reopen(c);
    other = other_open(c, path, false, true);
    OK(c, volume_list(other, "seg/", &names, &c->err));
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[1], "seg/2");
    volume_names_done(&names);
    buf_init(&b, NULL);
    OK(c, volume_log_read(other, "log/1", 0, &b, &c->err));
    assert_int_equal(b.len, 3);
    buf_reset(&b);
    OK(c, volume_doc_read(other, "doc", &b, &generation, &c->err));
    assert_int_equal(b.len, 4);
    buf_done(&b);
    assert_true(volume_clock_ns(other) > 0);
    volume_close(other);
    object_is(c, "seg/1", "mine");
}

void an_erased_volume_is_gone(void **state)
{
    const struct volume_other_options there = {.create = false};
    struct contract *c = *state;
    struct volume *other;
    uint64_t generation = 0;
    char path[200];

    other_path(c, path);
    OK(c, put_text(c, "seg/1", "mine"));
    for (int i = 0; i < 2; i++) {
        other = other_open(c, path, true, false);
        OK(c, volume_put(other, "seg/1", "theirs", 6, &c->err));
        OK(c, volume_log_create(other, "log/1", 1, &c->err));
        OK(c, volume_doc_replace(other, "doc/a", "text", 4, 0, &generation, &c->err));
        OK(c, volume_doc_replace(other, "doc/b", "text", 4, 0, &generation, &c->err));
        OK(c, volume_erase(other, &c->err));
        volume_close(other);
        FAILS(c, volume_other_open(c->v, path, &there, &other, &c->err), DN_E_NO_OBJECT, path);
    }
    object_is(c, "seg/1", "mine");
}
