/* SPDX-License-Identifier: Apache-2.0
 *
 * type_list.h: DN_TYPE(disk id, NAME, SQL name, physical form). Ids are permanent, append only. */

/* clang-format off */
DN_TYPE(0, NONE,         "NULL",         PHYS_I8)   /* the type of a bare NULL */
DN_TYPE(1, BOOLEAN,      "BOOLEAN",      PHYS_I8)
DN_TYPE(2, SMALLINT,     "SMALLINT",     PHYS_I16)
DN_TYPE(3, INTEGER,      "INTEGER",      PHYS_I32)
DN_TYPE(4, BIGINT,       "BIGINT",       PHYS_I64)
DN_TYPE(5, REAL,         "REAL",         PHYS_F32)
DN_TYPE(6, DOUBLE,       "DOUBLE",       PHYS_F64)
DN_TYPE(7, VARCHAR,      "VARCHAR",      PHYS_STR)
DN_TYPE(8, BLOB,         "BLOB",         PHYS_STR)
DN_TYPE(9, TIMESTAMP,    "TIMESTAMP",    PHYS_I64)  /* TIMESTAMP(3): milliseconds */
DN_TYPE(10, TIMESTAMP_US, "TIMESTAMP(6)", PHYS_I64)
DN_TYPE(11, TIMESTAMP_NS, "TIMESTAMP(9)", PHYS_I64)
DN_TYPE(12, INTERVAL,     "INTERVAL",     PHYS_INTERVAL)
DN_TYPE(13, DATE,         "DATE",         PHYS_I32)  /* days since 1970-01-01 */
DN_TYPE(14, TIME,         "TIME",         PHYS_I64)  /* microseconds since midnight, 24:00 included */
DN_TYPE(15, TIMESTAMPTZ,  "TIMESTAMPTZ",  PHYS_I64)  /* microseconds since 1970 UTC */
DN_TYPE(16, UUID,         "UUID",         PHYS_STR)  /* 16 bytes */
DN_TYPE(17, NUMERIC,      "NUMERIC",      PHYS_NUMERIC)
/* clang-format on */
