/* SPDX-License-Identifier: Apache-2.0
 *
 * sort.h: qsort of what may be long: it looks at a cancel flag, and takes its memory from the
 * caller. Stable. One thread at a time. */
#pragma once

#include "base/cancel.h"

#include <stddef.h>

/* scratch: count * size bytes. DN_E_CANCELED if the flag is set (NULL = never): the order means
 * nothing then, but all elements are there. */
int dn_sort(void *base,
            void *scratch,
            size_t count,
            size_t size,
            int (*cmp)(const void *a, const void *b),
            const atomic_bool *cancel,
            struct dn_err *err) DN_MUST_CHECK;
