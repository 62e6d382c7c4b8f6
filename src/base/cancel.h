/* SPDX-License-Identifier: Apache-2.0
 *
 * cancel.h: the flag that asks a statement to end. Another thread sets it (dendro_cancel,
 * statement_timeout, a server that stops); whatever may take long looks at it, often enough that
 * the statement ends within a fraction of a second. Any thread. */
#pragma once

#include "base/attr.h"
#include "base/err.h"

#include <stdatomic.h>

/* DN_E_CANCELED if the flag is set; a NULL flag never is. */
static inline DN_MUST_CHECK int dn_cancel_check(const atomic_bool *cancel, struct dn_err *err)
{
    if (DN_LIKELY(!cancel || !atomic_load_explicit(cancel, memory_order_relaxed)))
        return 0;
    return DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
}
