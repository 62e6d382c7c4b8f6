/* SPDX-License-Identifier: Apache-2.0
 *
 * beside.h: processes that meet at one volume. The one that writes says where it can be reached; a
 * reader beside it (read_only) keeps what it is going to read, whatever the writer deletes.
 *
 * Any thread may announce. Hold and let_go before anybody reads, by one thread. */
#pragma once

#include "volume/volume.h"

#define VOLUME_ANNOUNCE_MAX 200

/* What others are told who are refused because we hold the volume: an address, one line. A hint: it
 * goes with the lock. Volumes without other openers ignore it. */
void volume_announce(struct volume *v, const char *address);

enum volume_kind { VOLUME_OBJECT, VOLUME_LOG };

#define VOLUME_NOT_HELD 1 /* too many files are open already */

/* Of a volume that is read beside a writer: the object or log stays readable until let_go or close,
 * as it is now: a log does not grow. 0, VOLUME_NOT_HELD (it is there; reading it later gives
 * DN_E_SNAPSHOT_GONE if it was deleted meanwhile), DN_NOT_FOUND or an error. Other volumes hold
 * nothing and say 0. */
int volume_hold(struct volume *v, enum volume_kind kind, const char *name, struct dn_err *err)
    DN_MUST_CHECK;
void volume_let_go(struct volume *v);
