/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_codecs.h: which codecs were chosen since the program began. Needs the linker's
 * --wrap=codec_encode_hinted. One thread at a time. */
#pragma once

/* The name of one that was not; NULL: all were. */
const char *sqlm_codec_missing(void);
