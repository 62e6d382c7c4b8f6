/* SPDX-License-Identifier: Apache-2.0
 *
 * The two messages of a client that logs in, and verifiers. First byte: is the channel bound, is
 * the user known, does the client say so. Then the first message, a NUL, and the second. Nothing
 * that was not computed from the password may be let in. */
#include "fuzz.h"

#include "server/scram.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t secret[SCRAM_KEY_BYTES] = {1};
    static const uint8_t random[18] = {2};
    static const uint8_t binding[32] = {3};
    static const char known[] =
        "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:"
        "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
    struct scram_verifier v, again;
    char text[SCRAM_VERIFIER_MAX];
    struct scram s = {0};
    const char *answer;
    const uint8_t *nul;
    char last[64];
    char *copy;

    if (size == 0)
        return 0;
    copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    copy[size - 1] = '\0';
    if (scram_parse(copy, &v)) { /* what is read is written the same */
        fuzz_reached();
        scram_print(&v, text);
        if (!scram_parse(text, &again) || again.iterations != v.iterations ||
            again.salt_len != v.salt_len)
            abort();
    }
    if (!scram_parse(known, &v))
        abort();
    scram_begin(&s, data[0] & 1 ? &v : NULL, "user", secret);
    if (data[0] & 2) {
        s.binding = binding;
        s.binding_len = sizeof binding;
        s.plus = (data[0] & 4) != 0;
    }
    nul = memchr(copy, 0, size);
    if (scram_first(&s, copy, (size_t)((const char *)nul - copy), random, &answer) == SCRAM_OK &&
        (size_t)((const char *)nul - copy) + 1 < size) {
        const char *second = (const char *)nul + 1;

        fuzz_reached();
        if (scram_final(&s, second, strlen(second), last) == SCRAM_OK)
            abort(); /* nobody knows the password here */
    }
    free(copy);
    return 0;
}
