/* SPDX-License-Identifier: Apache-2.0 */
#include "fast_sums.h"

const char *fast_pick(struct rng *r, const char *const *list, uint32_t count)
{
    return list[rng_below(r, count)];
}

/* Sums of columns of one type. */
static void fast_sum(struct rng *r, struct buf *b)
{
    const char *op = PICK(r, "<", "<=", ">", ">=", "=", "<>");

    if (rng_one_in(r, 3))
        buf_printf(b,
                   "%s %s %s",
                   PICK(r, "i", "i - k", "k + i", "2 * i - 7"),
                   op,
                   PICK(r, "500", "-k", "i + i", "i", "k", "1000 - i"));
    else if (rng_one_in(r, 4))
        buf_printf(b, "v - w BETWEEN -%u AND %u.5", rng_below(r, 30), rng_below(r, 30));
    else
        buf_printf(b,
                   "%s %s %s",
                   PICK(r, "v", "w", "v + w", "w - v", "v - 2 * w", "-v", "v + v - w"),
                   op,
                   PICK(r, "w", "v", "50", "33.25", "w + w", "0.1 + w", "v - 3.5"));
}

void fast_sums(struct rng *r, struct buf *b)
{
    const char *with = PICK(r, "", " OR ", " AND ");

    buf_puts(b, rng_one_in(r, 4) ? "NOT (" : "(");
    fast_sum(r, b);
    buf_puts(b, with);
    if (with[0])
        fast_sum(r, b);
    buf_puts(b, ")");
}
