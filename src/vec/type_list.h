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
DN_TYPE(18, BPCHAR,       "CHAR",         PHYS_STR)  /* without the blanks at its end */
DN_TYPE(19, TIMETZ,       "TIMETZ",       PHYS_I64)  /* timetz.h */
DN_TYPE(20, BIT,          "BIT",          PHYS_STR)  /* digits 0 and 1, as characters */
DN_TYPE(21, VARBIT,       "VARBIT",       PHYS_STR)  /* likewise */
DN_TYPE(22, ENUM,         "ENUM",         PHYS_I64)  /* a label of a type that CREATE TYPE made: type.h */
DN_TYPE(23, TIMESTAMP_LOCAL, "TIMESTAMP WITHOUT TIME ZONE", PHYS_I64) /* what clocks show, in microseconds as if at UTC; of expressions alone */
/* Of the system's relations (src/system); no column of a table can have them, but NAME. */
DN_TYPE(40, OID,          "OID",          PHYS_I64)  /* number of an object, 0 to 2^32 - 1 */
DN_TYPE(41, NAME,         "NAME",         PHYS_STR)
DN_TYPE(42, CHAR1,        "\"char\"",     PHYS_STR)  /* one byte, or none */
DN_TYPE(43, REGCLASS,     "REGCLASS",     PHYS_STR)  /* these: 4 bytes of number, then what it is called */
DN_TYPE(44, REGTYPE,      "REGTYPE",      PHYS_STR)
DN_TYPE(45, REGPROC,      "REGPROC",      PHYS_STR)
DN_TYPE(46, REGNAMESPACE, "REGNAMESPACE", PHYS_STR)
DN_TYPE(47, REGROLE,      "REGROLE",      PHYS_STR)
DN_TYPE(48, INT2VECTOR,   "INT2VECTOR",   PHYS_STR)  /* bytes of a SMALLINT[], from 0 on */
DN_TYPE(49, OIDVECTOR,    "OIDVECTOR",    PHYS_STR)  /* likewise of an OID[] */
DN_TYPE(50, NODE_TREE,    "PG_NODE_TREE", PHYS_STR)  /* an expression, as SQL */
DN_TYPE(51, ACLITEM,      "ACLITEM",      PHYS_STR)
DN_TYPE(52, EXPANDED,     "RECORD(x, n)", PHYS_STR)  /* a row (x, n): bytes of a BIGINT[] */
/* clang-format on */
