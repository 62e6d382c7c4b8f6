/* SPDX-License-Identifier: Apache-2.0
 *
 * plot.h: a result as a picture in the terminal: series over time. One thread at a time. */
#pragma once

#include "base/bytes.h"
#include "cli/backend.h"

#include <stdio.h>

/* Runs the statement that was prepared and draws it `width` cells wide; color: series may be told
 * apart by the colours of a terminal. DENDRO_DONE or an error. */
int plot_run(struct backend *from, uint32_t width, bool color, FILE *to, struct dendro_error *err);
