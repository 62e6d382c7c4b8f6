/* SPDX-License-Identifier: Apache-2.0
 *
 * outfile.h: the file that results are written to, and what its name promises about its bytes. A
 * name that ends in .gz or .zst is packed so; what stands before that names a format (x.csv.gz), or
 * one of other programs that Dendro does not write (x.parquet), which is refused.
 *
 *     outfile_format(name, NULL, OUT_CSV, &format, &err)
 *     outfile_open(name, OUTFILE_WHOLE, &f, &err)
 *     fputs("…", outfile_stream(f));
 *     outfile_close(f, true, &err)
 *
 * One thread. */
#pragma once

#include "base/err.h"
#include "cli/out.h"

struct outfile;

enum outfile_how {
    /* The bytes go to a temporary file beside it, which takes its name when all of them are there:
     * an error leaves what was there before. Devices and pipes are written directly. */
    OUTFILE_WHOLE,
    /* The bytes are there as soon as they are written: scripts and sessions. */
    OUTFILE_DIRECT,
};

/* The format that a file's name asks for. given: what the user asked for, NULL = nothing;
 * otherwise: what it is where the name says nothing. A name that promises something else than
 * `given`, or than Dendro can write, is DN_E_INVALID_PARAM. */
int outfile_format(const char *name,
                   const enum out_format *given,
                   enum out_format otherwise,
                   enum out_format *ret,
                   struct dn_err *err) DN_MUST_CHECK;

/* DN_E_IO: it cannot be written. ret: owned, outfile_close. */
int outfile_open(const char *name, enum outfile_how how, struct outfile **ret, struct dn_err *err)
    DN_MUST_CHECK;
FILE *outfile_stream(struct outfile *f); /* until it is closed */
/* keep false: what was written of a whole file is dropped. NULL is fine. DN_E_IO: some bytes could
 * not be written; a whole file is then as it was before. */
int outfile_close(struct outfile *f, bool keep, struct dn_err *err) DN_MUST_CHECK;
