/* SPDX-License-Identifier: Apache-2.0
 *
 * log_int.h: shared by log.c (writing) and log_read.c. One thread at a time. */
#pragma once

#include "base/hash.h"
#include "store/log.h"

#define LOG_MAGIC       0x474c4e44u /* "DNLG" */
#define LOG_COMMIT_HEAD 16u
#define LOG_BATCH_HEAD  40u

enum { LOG_COL_NULLS = 1, LOG_COL_ABSENT = 2 };

static inline uint64_t log_frame_checksum(const uint8_t *frame, size_t len)
{
    uint64_t head = dn_checksum64(frame, 40);

    return dn_hash64(frame + LOG_FRAME_HEAD, len - LOG_FRAME_HEAD, head);
}
