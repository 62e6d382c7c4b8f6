/* SPDX-License-Identifier: Apache-2.0
 *
 * mono.h: expressions that never fall while the one column they read rises: date_trunc and
 * time_bucket of the time, floor(extract(epoch FROM time) / 300) * 300.
 *
 * Any thread. */
#pragma once

#include "plan/plan.h"

/* That column; PLAN_NO_COL: there is none. A column itself is one. */
uint32_t exec_mono_col(const struct bexpr *e);
