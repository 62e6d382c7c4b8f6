/* SPDX-License-Identifier: Apache-2.0
 *
 * canary_fuzz.c: a target with a bug on purpose: an input that starts with "tree" kills it. Tests
 * expect the replay to fail on such an input and to pass without; if they do not, the rig sleeps
 * and no other fuzz result means anything. */
#include "fuzz.h"

#include "base/attr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reached();
    if (size >= 4 && data[0] == 't' && data[1] == 'r' && data[2] == 'e')
        DN_ASSERT(data[3] != 'e');
    return 0;
}
