/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array.h: arrays inside of functions. Any thread. */
#pragma once

#include "func/func.h"
#include "vec/array.h"

/* An array value of that type taken apart (DN_E_CORRUPT), and put together. */
int func_array_read(const struct func_ctx *ctx,
                    struct vstr s,
                    enum type_id type,
                    struct varray *ret,
                    struct dn_err *err) DN_MUST_CHECK;
int func_array_write(const struct func_ctx *ctx,
                     const struct varray *a,
                     struct vstr *ret,
                     struct dn_err *err) DN_MUST_CHECK;
