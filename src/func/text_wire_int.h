/* SPDX-License-Identifier: Apache-2.0
 *
 * text_wire_int.h: what the files of text_wire.h share: arrays, and values that are made of digits.
 * Any thread. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

/* Out of memory shows in b->failed. */
void text_wire_put_numeric(struct vnumeric v, struct buf *b);
void text_wire_put_bits(struct vstr s, struct buf *b);
/* From untrusted bytes. DN_E_BAD_BINARY, DN_E_OUT_OF_RANGE. */
int text_wire_get_numeric(const uint8_t *p, uint32_t len, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
int text_wire_get_bits(enum type_id type,
                       const uint8_t *p,
                       uint32_t len,
                       struct arena *arena,
                       struct vstr *ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* Arrays; running out of memory shows in b->failed. */
void text_wire_put_array(const struct datum *d, struct arena *scratch, struct buf *b);
int text_wire_get_array(enum type_id type,
                        const uint8_t *p,
                        uint32_t len,
                        struct arena *arena,
                        struct datum *ret,
                        struct dn_err *err) DN_MUST_CHECK;
int text_wire_bad(enum type_id type, struct dn_err *err);
