/* SPDX-License-Identifier: Apache-2.0
 *
 * complete.h: completion in the interactive shell. One shell at a time, its thread. */
#pragma once

#include "cli/shell.h"

/* before: the statement's lines before the one that is typed; borrowed until complete_end. */
void complete_begin(struct shell *sh, const struct buf *before);
void complete_end(void);
