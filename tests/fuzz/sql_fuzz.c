/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as SQL text: no crash, no leak; what parses prints and parses back to the same tree; an
 * error has a text and a place. */
#include "fuzz.h"

#include "../unit/sql/ast_same.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned failed;
    const char *wrong = ast_round_trip((const char *)data, size, &failed);

    if (wrong) {
        (void)fprintf(stderr, "%s\n", wrong);
        abort();
    }
    if (failed == 0 && size > 0)
        fuzz_reached();
    (void)sql_complete((const char *)data, size);
    return 0;
}
