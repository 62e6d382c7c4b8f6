/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_int.h: what the files of src/parquet share: numbers of the format, the footer in memory. */
#pragma once

#include "base/bytes.h"
#include "parquet/parquet.h"

#define PQ_BATCH_ROWS VEC_ROWS_MAX
#define PQ_PAGE_MAX   (1u << 30) /* bytes of a page, unpacked */
#define PQ_VALUES_MAX (1u << 28) /* of a page */

enum pq_phys {
    PQ_BOOLEAN = 0,
    PQ_INT32 = 1,
    PQ_INT64 = 2,
    PQ_INT96 = 3,
    PQ_FLOAT = 4,
    PQ_DOUBLE = 5,
    PQ_BYTE_ARRAY = 6,
    PQ_FIXED = 7, /* FIXED_LEN_BYTE_ARRAY */
};
#define PQ_PHYS_COUNT 8

enum pq_repetition { PQ_REQUIRED = 0, PQ_OPTIONAL = 1, PQ_REPEATED = 2 };

enum pq_encoding {
    PQ_PLAIN = 0,
    PQ_PLAIN_DICTIONARY = 2,
    PQ_RLE = 3,
    PQ_BIT_PACKED = 4,
    PQ_DELTA_BINARY_PACKED = 5,
    PQ_DELTA_LENGTH = 6,
    PQ_DELTA_BYTES = 7,
    PQ_RLE_DICTIONARY = 8,
    PQ_BYTE_STREAM_SPLIT = 9,
};

enum pq_page_type { PQ_PAGE_DATA = 0, PQ_PAGE_INDEX = 1, PQ_PAGE_DICT = 2, PQ_PAGE_DATA2 = 3 };

/* Field numbers of the logical types. */
enum pq_logical {
    PQ_L_NONE = 0,
    PQ_L_STRING = 1,
    PQ_L_MAP = 2,
    PQ_L_LIST = 3,
    PQ_L_ENUM = 4,
    PQ_L_DECIMAL = 5,
    PQ_L_DATE = 6,
    PQ_L_TIME = 7,
    PQ_L_TIMESTAMP = 8,
    PQ_L_INTEGER = 10,
    PQ_L_NULL = 11,
    PQ_L_JSON = 12,
    PQ_L_BSON = 13,
    PQ_L_UUID = 14,
    PQ_L_FLOAT16 = 15,
    PQ_L_INTERVAL = 100, /* has no logical type of its own, only the old converted one */
};

/* What is done to stored values to make them ours. */
enum pq_convert {
    PQ_AS_IS,
    PQ_TO_UTF8,     /* bytes, looked at */
    PQ_TO_INT16,    /* of INT32, in range */
    PQ_FROM_UINT16, /* INT32, in range */
    PQ_FROM_UINT32, /* INT32 to BIGINT */
    PQ_FROM_UINT64, /* INT64 to NUMERIC */
    PQ_TO_DATE,     /* INT32, a day that a DATE can be */
    PQ_FROM_MS_TIME,
    PQ_FROM_US_TIME,
    PQ_FROM_NS_TIME,
    PQ_FROM_INT96,
    PQ_FROM_HALF,
    PQ_FROM_INTERVAL,
    PQ_DECIMAL32,
    PQ_DECIMAL64,
    PQ_DECIMAL_BYTES,
};

/* A column of the schema: a leaf right below the root, or a group that is refused. */
struct pq_field {
    struct pq_column shown;
    enum pq_phys phys;
    enum pq_convert convert;
    uint32_t width; /* FIXED: bytes of a value */
    int16_t scale;  /* DECIMAL */
    bool optional;
    uint32_t leaf; /* its chunk in each row group */
};

/* One column of a row group. */
struct pq_chunk {
    uint64_t at;    /* offset of its first page */
    uint64_t bytes; /* of all its pages */
    uint64_t values;
    int32_t codec;
    int32_t phys;
    bool there; /* it was in the footer */
};

struct pq_group {
    uint64_t rows;
};

/* The footer. */
struct pq_meta {
    struct arena arena;
    struct pq_field *fields; /* arena */
    struct pq_column *shown; /* arena: those of fields, one after the other */
    uint32_t fields_count;
    uint32_t leaves;
    struct pq_group *groups; /* arena */
    uint32_t groups_count;
    struct pq_chunk *chunks; /* arena: groups_count times leaves */
    uint64_t rows;
};

/* ---- pq_meta.c ---- */
int pq_meta_read(const uint8_t *bytes,
                 size_t len,
                 uint64_t file_size,
                 struct pq_meta *ret,
                 struct dn_err *err) DN_MUST_CHECK;

/* ---- pq_type.c ---- */
/* What the schema says of a leaf. */
struct pq_element {
    struct vstr name;
    int64_t phys; /* -1: a group */
    int64_t width;
    int64_t repetition;
    int64_t children;
    int64_t logical; /* enum pq_logical; -1: one that nobody here knows */
    int64_t scale;
    int64_t precision;
    int64_t bits; /* INTEGER */
    bool is_signed;
    int unit; /* of TIME, TIMESTAMP: digits of a second */
};
/* Fills type, mods, convert and the like, or says why it is refused. */
int pq_type_of(const struct pq_element *e,
               struct arena *arena,
               struct pq_field *ret,
               struct dn_err *err) DN_MUST_CHECK;

/* ---- pq_unpack.c ---- */
struct pq_packed {
    int32_t codec;
    const uint8_t *from;
    size_t len;
    uint8_t *to;
    size_t size; /* exactly so many bytes come out */
};
int pq_unpack(const struct pq_packed *p, struct mem_owner *owner, struct dn_err *err) DN_MUST_CHECK;
/* Is it one that pq_unpack knows? NULL, or its name and why not. */
const char *pq_codec_refusal(int32_t codec);
/* Appends the bytes packed. */
int pq_pack(enum pq_codec codec,
            const uint8_t *from,
            size_t len,
            struct buf *to,
            struct dn_err *err) DN_MUST_CHECK;

/* ---- pq_convert.c ---- */
/* Bytes of a stored value in memory, and of one of ours. */
uint32_t pq_raw_size(const struct pq_field *f);
uint32_t pq_shown_size(const struct pq_field *f);
/* n values to ours; `raw` and `to` may be the same for AS_IS and TO_UTF8. Returns NULL, or what is
 * wrong with one of them. */
const char *pq_convert(const struct pq_field *f, const void *raw, uint32_t n, void *to);
