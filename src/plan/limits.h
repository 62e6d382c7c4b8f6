/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.h: what max_subqueries and strict_keys refuse. Any thread. */
#pragma once

#include "catalog/settings.h"
#include "store/scan.h"

/* Quanta that the time constraint spans: 0 for tables without a quantum and for constraints nothing
 * satisfies, UINT64_MAX when it is open at one end. */
uint64_t plan_quanta(const struct table *t, const struct scan_pred *preds, uint32_t count);
int plan_check_limits(const struct settings *settings,
                      const struct table *t,
                      const struct scan_pred *preds,
                      uint32_t count,
                      struct dn_err *err) DN_MUST_CHECK;
