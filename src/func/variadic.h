/* SPDX-License-Identifier: Apache-2.0
 *
 * variadic.h: f(…, VARIADIC array): the elements of an array as the last arguments. Any thread. */
#pragma once

#include "func/func.h"

/* The function of that name with an array of any type as its last argument; NULL: it has no such
 * form. In no table of functions: only VARIADIC asks for it. */
const struct func *func_variadic(const char *name);
