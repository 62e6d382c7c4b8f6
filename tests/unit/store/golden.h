/* SPDX-License-Identifier: Apache-2.0
 *
 * golden.h: the rows of tests/golden/segment_v1.bin and segment_v1_guided.bin, and those of
 * segment_v1_runs.bin, which are of many short runs. Asserts with cmocka. */
#pragma once

#include "model.h"

#define GOLDEN_ID 0x11u /* of the segment */

#define GOLDEN_SHORT 200u /* short runs */

void golden_model(struct model *m);
void golden_runs_model(struct model *m);
/* What today's writer makes of them. */
void golden_bytes(const struct model *m, struct buf *ret);
