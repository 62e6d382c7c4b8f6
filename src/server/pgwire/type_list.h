/* SPDX-License-Identifier: Apache-2.0
 *
 * type_list.h: PGW_TYPE(our type, object id, id of its array, bytes of a value or -1). What a value
 * of our type is called on the wire. Time stamps are instants, so all go out as timestamptz. */

/* clang-format off */
PGW_TYPE(NONE,           25, 1009, -1) /* text */
PGW_TYPE(BOOLEAN,        16, 1000,  1)
PGW_TYPE(SMALLINT,       21, 1005,  2)
PGW_TYPE(INTEGER,        23, 1007,  4)
PGW_TYPE(BIGINT,         20, 1016,  8)
PGW_TYPE(REAL,          700, 1021,  4)
PGW_TYPE(DOUBLE,        701, 1022,  8)
PGW_TYPE(VARCHAR,        25, 1009, -1) /* text; with a length 1043, varchar */
PGW_TYPE(BLOB,           17, 1001, -1)
PGW_TYPE(TIMESTAMP,    1184, 1185,  8)
PGW_TYPE(TIMESTAMP_US, 1184, 1185,  8)
PGW_TYPE(TIMESTAMP_NS, 1184, 1185,  8)
PGW_TYPE(INTERVAL,     1186, 1187, 16)
PGW_TYPE(DATE,         1082, 1182,  4)
PGW_TYPE(TIME,         1083, 1183,  8)
PGW_TYPE(TIMESTAMPTZ,  1184, 1185,  8)
PGW_TYPE(UUID,         2950, 2951, 16)
PGW_TYPE(NUMERIC,      1700, 1231, -1)
/* clang-format on */
