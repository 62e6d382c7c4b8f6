/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_plain.h: csv_mask and csv_mask3 without SSE2. Any thread. */
#pragma once

#include <stdint.h>

uint64_t csv_plain_mask(const char *text, char byte);
uint64_t csv_plain_mask3(const char *text, char a, char b, char c);
