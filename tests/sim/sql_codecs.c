/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_codecs.h"

#include "codec/codec.h"

/* Which were chosen since the program began. Linked in place of codec_encode_hinted, which does the
 * work.
 */
static uint64_t codecs_chosen[CODEC_ID_MAX];

int __real_codec_encode_hinted(const struct vec *v,
                               const struct codec_hint *hint,
                               struct arena *scratch,
                               struct buf *b,
                               unsigned *ret_codec,
                               struct dn_err *err);
int __wrap_codec_encode_hinted(const struct vec *v,
                               const struct codec_hint *hint,
                               struct arena *scratch,
                               struct buf *b,
                               unsigned *ret_codec,
                               struct dn_err *err);

int __wrap_codec_encode_hinted(const struct vec *v,
                               const struct codec_hint *hint,
                               struct arena *scratch,
                               struct buf *b,
                               unsigned *ret_codec,
                               struct dn_err *err)
{
    int rc = __real_codec_encode_hinted(v, hint, scratch, b, ret_codec, err);

    if (rc == 0 && *ret_codec < CODEC_ID_MAX)
        codecs_chosen[*ret_codec]++;
    return rc;
}

const char *sqlm_codec_missing(void)
{
#define DN_CODEC(id, NAME, ops) \
    if (codecs_chosen[id] == 0) \
        return #NAME;
#include "codec/codec_list.h"
#undef DN_CODEC
    return NULL;
}
