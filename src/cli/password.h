/* SPDX-License-Identifier: Apache-2.0
 *
 * password.h: a secret, typed at the terminal without being shown. One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Asks on the controlling terminal, whatever standard input is. False: there is none, or Ctrl-C or
 * the end came instead. The caller wipes it. */
bool cli_password(const char *prompt, char *ret, size_t size);
