/* SPDX-License-Identifier: Apache-2.0
 *
 * Manifests from outside, as they are and with the checksum made right. What is accepted prints as
 * it was read. */
#include "fuzz.h"

#include "base/hash.h"
#include "store/manifest.h"

static void fuzz_parse(const uint8_t *data, size_t size)
{
    struct manifest m;
    struct manifest copy;
    struct dn_err err = {0};
    struct buf again;
    char name[VOLUME_NAME_MAX + 1];
    int rc = manifest_parse(data, size, NULL, &m, &err);

    if (rc < 0) {
        DN_ASSERT(rc == DN_E_CORRUPT || rc == DN_E_VERSION);
        DN_ASSERT(err.text[0] != '\0');
        return;
    }
    fuzz_reached();
    for (size_t i = 0; i < m.chunks_count; i++) {
        DN_ASSERT(m.chunks[i].sealed || i + 1 == m.chunks_count);
        manifest_chunk_name(&m.chunks[i], name);
    }
    for (size_t i = 0; i < m.segs_count; i++)
        DN_ASSERT(m.segs[i].rows > 0 && m.segs[i].level <= MANIFEST_LEVEL_MAX &&
                  manifest_find_seg(&m, m.segs[i].id) <= i);
    buf_init(&again, NULL);
    DN_ASSERT(manifest_copy(&m, &copy, NULL) == 0);
    manifest_done(&m);
    DN_ASSERT(manifest_print(&copy, &again, NULL) == 0);
    DN_ASSERT(again.len == size && memcmp(again.data, data, size) == 0);
    buf_done(&again);
    manifest_done(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy;

    fuzz_parse(data, size);
    if (size < 8)
        return 0;
    copy = mem_dup(NULL, data, size);
    if (!copy)
        return 0;
    le_put64(copy + size - 8, dn_checksum64(copy, size - 8));
    fuzz_parse(copy, size);
    mem_free(copy);
    return 0;
}
