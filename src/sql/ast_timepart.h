/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_timepart.h: what statements say of time partitions. ast.h says what holds for all of the
 * tree. One thread at a time. */
#pragma once

#include "catalog/table_spec.h"
#include "sql/ast_from.h"

enum partition_kind { PARTITION_BY_TIME, PARTITION_BY_MANUAL, PARTITION_BY_NONE };

/* PARTITIONED BY …, and what CREATE TIME PARTITION and PUT TIME PARTITION say of it. */
struct partition_def {
    enum partition_kind kind;
    uint32_t pos;            /* of the clause */
    struct spec_name period; /* s NULL = not said */
    bool has_retention;
    int64_t retention;
    uint32_t retention_pos;
    struct spec_name start; /* s NULL = not said; a number: its digits */
    bool start_quoted;
    bool retroactively;
    struct spec_name state; /* PUT: all of a partition, as a dump has it; s NULL = not said */
};

enum timepart_what {
    TIMEPART_CREATE,
    TIMEPART_DROP,
    TIMEPART_UNDO, /* DROP TRIGGER time_partition: the name stays, as a table */
    TIMEPART_PUT,
    TIMEPART_COUNTER
};
enum counter_what { COUNTER_MAKE, COUNTER_INCREMENT, COUNTER_SET };

/* CREATE and DROP TIME PARTITION, PUT TIME PARTITION, PUT COUNTER: of stmt.name. */
struct timepart_stmt {
    enum timepart_what what;
    struct qual_name shard; /* CREATE: its first shard */
    struct partition_def def;
    enum counter_what counter;
    int64_t value; /* COUNTER_SET */
};
