/* SPDX-License-Identifier: Apache-2.0
 *
 * outfile.c: see the header. A packed file is a stream of stdio whose writer packs
 * (fopencookie), so that formats need not know. */
#define _GNU_SOURCE /* fopencookie, strerrordesc_np */
#define ZLIB_CONST  /* what is packed is not changed */
#include "cli/outfile.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define OUTFILE_PIECE (64u * 1024) /* packed bytes written at once */

struct outfile {
    FILE *stream; /* what formats write to */
    FILE *file;   /* packed: the file under it; else the same */
    char *name;   /* owned: where it goes */
    char *temp;   /* owned: what it is called until it is whole, NULL = it is written directly */
    int wrong;    /* errno of the first write that failed */
    z_stream gz;
    ZSTD_CCtx *zstd;
    uint8_t piece[OUTFILE_PIECE];
};

/* ---- names ---- */

enum outfile_packing { OUTFILE_PLAIN, OUTFILE_GZIP, OUTFILE_ZSTD };

/* Endings of files that other programs read, and what these are. */
static const struct {
    const char *ending;
    const char *what;
} outfile_foreign[] = {
    {"arrow", "Arrow"},
    {"feather", "Arrow"},
    {"orc", "ORC"},
    {"avro", "Avro"},
    {"xlsx", "Excel"},
    {"xls", "Excel"},
    {"ods", "OpenDocument"},
    {"sqlite", "SQLite"},
    {"zip", "zip"},
    {"bz2", "bzip2"},
    {"xz", "xz"},
    {"lz4", "lz4"},
    {"br", "Brotli"},
    {"snappy", "snappy"},
    {"7z", "7-Zip"},
    {"lzma", "LZMA"},
    {"tar", "tar"},
    {"tgz", "tar"},
};

/* The last ending of the first `len` bytes, in *ret; how many bytes stand before its point. */
static size_t outfile_ending(const char *name, size_t len, char ret[16])
{
    size_t at = len;

    ret[0] = '\0';
    while (at > 0 && name[at - 1] != '.' && name[at - 1] != '/')
        at--;
    if (at < 2 || name[at - 1] != '.' || name[at - 2] == '/' || len - at == 0 || len - at > 15)
        return len;
    memcpy(ret, name + at, len - at);
    ret[len - at] = '\0';
    return at - 1;
}

/* How it is packed; *ret_len: of the name without that ending. */
static enum outfile_packing outfile_packed(const char *name, size_t *ret_len)
{
    char ending[16];
    size_t len = strlen(name);
    size_t rest = outfile_ending(name, len, ending);
    enum outfile_packing p = strcasecmp(ending, "gz") == 0    ? OUTFILE_GZIP
                             : strcasecmp(ending, "zst") == 0 ? OUTFILE_ZSTD
                                                              : OUTFILE_PLAIN;

    *ret_len = p == OUTFILE_PLAIN ? len : rest;
    return p;
}

int outfile_format(const char *name,
                   const enum out_format *given,
                   enum out_format otherwise,
                   enum out_format *ret,
                   struct dn_err *err)
{
    enum out_format named;
    char ending[16];
    size_t len;

    (void)outfile_packed(name, &len);
    (void)outfile_ending(name, len, ending);
    if (strcasecmp(ending, "parquet") == 0 || strcasecmp(ending, "pq") == 0)
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "%s: Parquet is written by `dendro export -o x.parquet` and COPY … TO "
                       "'x.parquet', which pack it inside",
                       name);
    for (size_t i = 0; i < DN_ARRAY_SIZE(outfile_foreign); i++)
        if (strcasecmp(ending, outfile_foreign[i].ending) == 0)
            return DN_FAIL(err,
                           DN_E_INVALID_PARAM,
                           "%s: files of the kind %s are not written; formats are csv, tsv, json, "
                           "jsonl, markdown, vertical and table, packed by .gz or .zst",
                           name,
                           outfile_foreign[i].what);
    if (!ending[0] || !out_format_of_ending(ending, &named)) {
        *ret = given ? *given : otherwise;
        return 0;
    }
    if (given && *given != named)
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "%s: the name says %s, --format says %s",
                       name,
                       out_format_name(named),
                       out_format_name(*given));
    *ret = named;
    return 0;
}

/* ---- packing ---- */

static bool outfile_put(struct outfile *f, const void *bytes, size_t len)
{
    if (len == 0 || fwrite(bytes, 1, len, f->file) == len)
        return true;
    f->wrong = f->wrong ? f->wrong : errno;
    return false;
}

static bool outfile_gzip(struct outfile *f, const char *bytes, size_t len, bool last)
{
    int rc = Z_OK;

    do {
        size_t some = len < (1u << 30) ? len : 1u << 30;

        f->gz.next_in = (const Bytef *)bytes;
        f->gz.avail_in = (uInt)some;
        bytes += some;
        len -= some;
        do {
            f->gz.next_out = f->piece;
            f->gz.avail_out = OUTFILE_PIECE;
            rc = deflate(&f->gz, last && len == 0 ? Z_FINISH : Z_NO_FLUSH);
            if (rc == Z_STREAM_ERROR || !outfile_put(f, f->piece, OUTFILE_PIECE - f->gz.avail_out))
                return false;
        } while (f->gz.avail_out == 0);
    } while (len > 0);
    return !last || rc == Z_STREAM_END;
}

static bool outfile_zstd(struct outfile *f, const char *bytes, size_t len, bool last)
{
    ZSTD_inBuffer in = {.src = bytes, .size = len};
    size_t left;

    do {
        ZSTD_outBuffer out = {.dst = f->piece, .size = OUTFILE_PIECE};

        left = ZSTD_compressStream2(f->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) || !outfile_put(f, f->piece, out.pos))
            return false;
    } while (in.pos < in.size || (last && left > 0));
    return true;
}

static ssize_t outfile_cookie_write(void *cookie, const char *bytes, size_t len)
{
    struct outfile *f = cookie;
    bool good = f->zstd ? outfile_zstd(f, bytes, len, false) : outfile_gzip(f, bytes, len, false);

    if (!good)
        errno = f->wrong = f->wrong ? f->wrong : EIO;
    return good ? (ssize_t)len : 0;
}

static int outfile_cookie_close(void *cookie)
{
    struct outfile *f = cookie;
    bool good = f->zstd ? outfile_zstd(f, "", 0, true) : outfile_gzip(f, "", 0, true);

    if (!good)
        errno = f->wrong = f->wrong ? f->wrong : EIO;
    if (f->zstd)
        ZSTD_freeCCtx(f->zstd);
    else
        (void)deflateEnd(&f->gz);
    return good ? 0 : EOF;
}

static int outfile_pack(struct outfile *f, enum outfile_packing packing, struct dn_err *err)
{
    static const cookie_io_functions_t io = {.write = outfile_cookie_write,
                                             .close = outfile_cookie_close};

    f->stream = f->file;
    if (packing == OUTFILE_PLAIN)
        return 0;
    f->stream = NULL;
    if (packing == OUTFILE_ZSTD)
        f->zstd = ZSTD_createCCtx();
    else if (deflateInit2(&f->gz, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, 0) != Z_OK)
        return DN_FAIL_NOMEM(err);
    if (packing == OUTFILE_ZSTD && !f->zstd)
        return DN_FAIL_NOMEM(err);
    f->stream = fopencookie(f, "w", io);
    if (f->stream)
        return 0;
    if (f->zstd)
        ZSTD_freeCCtx(f->zstd);
    else
        (void)deflateEnd(&f->gz);
    return DN_FAIL_NOMEM(err);
}

/* ---- files ---- */

static int outfile_cannot(const char *name, int why, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_IO, "cannot write %s: %s", name, strerrordesc_np(why));
}

/* A temporary file beside it, with the rights that the file has or would get. NULL: it is to be
 * written directly, or *ret_errno says why not. */
static FILE *outfile_temporary(struct outfile *f, int *ret_errno)
{
    struct stat st;
    bool there = stat(f->name, &st) == 0;
    mode_t mask = umask(0);
    size_t len = strlen(f->name);
    FILE *file = NULL;
    int fd;

    (void)umask(mask);
    *ret_errno = 0;
    if (there && !S_ISREG(st.st_mode))
        return NULL;
    if (there && access(f->name, W_OK) != 0) {
        *ret_errno = errno;
        return NULL;
    }
    f->temp = mem_alloc(NULL, len + sizeof ".XXXXXX");
    if (!f->temp) {
        *ret_errno = ENOMEM;
        return NULL;
    }
    memcpy(f->temp, f->name, len);
    memcpy(f->temp + len, ".XXXXXX", sizeof ".XXXXXX");
    fd = mkostemp(f->temp, O_CLOEXEC);
    if (fd >= 0) {
        (void)fchmod(fd, there ? st.st_mode & 0777 : 0666 & ~mask);
        file = fdopen(fd, "wb");
        if (file)
            return file;
        *ret_errno = errno;
        (void)close(fd);
        (void)unlink(f->temp);
    } else if (!there) {
        *ret_errno = errno;
    }
    mem_free(f->temp); /* a file that may be written in a directory that may not */
    f->temp = NULL;
    return NULL;
}

static void outfile_free(struct outfile *f)
{
    mem_free(f->name);
    mem_free(f->temp);
    mem_free(f);
}

int outfile_open(const char *name, enum outfile_how how, struct outfile **ret, struct dn_err *err)
{
    struct outfile *f = mem_calloc(NULL, 1, sizeof *f);
    enum outfile_packing packing;
    char real[PATH_MAX];
    size_t len;
    int why = 0;
    int rc;

    if (!f)
        return DN_FAIL_NOMEM(err);
    /* A link stays one: what it points to is replaced. */
    f->name = mem_strdup(NULL, realpath(name, real) ? real : name);
    if (!f->name) {
        outfile_free(f);
        return DN_FAIL_NOMEM(err);
    }
    packing = outfile_packed(name, &len);
    if (how == OUTFILE_WHOLE)
        f->file = outfile_temporary(f, &why);
    if (!f->file && why == 0) {
        f->file = fopen(f->name, "wbe");
        why = errno;
    }
    if (!f->file) {
        rc = outfile_cannot(name, why, err);
        outfile_free(f);
        return rc;
    }
    rc = outfile_pack(f, packing, err);
    if (rc < 0) {
        (void)fclose(f->file);
        if (f->temp)
            (void)unlink(f->temp);
        outfile_free(f);
        return rc;
    }
    *ret = f;
    return 0;
}

FILE *outfile_stream(struct outfile *f)
{
    return f->stream;
}

int outfile_close(struct outfile *f, bool keep, struct dn_err *err)
{
    bool good;
    int why = 0;
    int rc = 0;

    if (!f)
        return 0;
    good = !ferror(f->stream);
    if (f->stream != f->file)
        good = fclose(f->stream) == 0 && good;
    good = !ferror(f->file) && good;
    if (fclose(f->file) != 0) {
        why = errno;
        good = false;
    }
    why = f->wrong ? f->wrong : why;
    if (f->temp && good && keep && rename(f->temp, f->name) != 0) {
        why = errno;
        good = false;
    }
    if (f->temp && (!good || !keep))
        (void)unlink(f->temp);
    if (!good)
        rc = why ? outfile_cannot(f->name, why, err)
                 : DN_FAIL(err, DN_E_IO, "cannot write %s", f->name);
    outfile_free(f);
    return rc;
}
