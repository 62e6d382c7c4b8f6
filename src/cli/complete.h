/* SPDX-License-Identifier: Apache-2.0
 *
 * complete.h: completion in the interactive shell. One shell at a time, its thread. */
#pragma once

#include "cli/shell.h"

void complete_begin(struct shell *sh);
void complete_end(void);
