/* SPDX-License-Identifier: Apache-2.0
 *
 * help.h: how statements are written. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Everything about the statements whose name begins with the words; all names for "". False: there
 * is none. */
bool help_print(const char *words, FILE *to);
/* Calls offer for every statement. */
void help_names(void (*offer)(const char *word, const char *typed, size_t len),
                const char *typed,
                size_t len);
