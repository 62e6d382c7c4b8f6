/* SPDX-License-Identifier: Apache-2.0
 *
 * golden.h: the rows of tests/golden/segment_v1.bin and segment_v1_guided.bin. Asserts with cmocka.
 */
#pragma once

#include "model.h"

#define GOLDEN_ID 0x11u /* of the segment */

void golden_model(struct model *m);
/* What today's writer makes of them. */
void golden_bytes(const struct model *m, struct buf *ret);
