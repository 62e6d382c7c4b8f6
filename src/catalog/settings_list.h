/* SPDX-License-Identifier: Apache-2.0
 *
 * settings_list.h: DN_SETTING(field, name, kind, default, min, max, scope, doc). Kinds: BOOL, INT,
 * SIZE (bytes, accepts '64MB'). DN_SETTING_TEXT(field, name, default, scope, doc) is a text. Scope:
 * SESSION (SET) or DATABASE (at open). SHOW, SET and docs/settings.md iterate it. */

/* clang-format off */
DN_SETTING(synchronous_commit, "synchronous_commit", BOOL, 1, 0, 1, SESSION, "A write is acknowledged only when it is durable. Off: acknowledged at once, the last fraction of a second may be lost in a crash, nothing else.")
DN_SETTING(max_subqueries,     "max_subqueries",     INT,  0, 0, 1000000000, SESSION, "Refuse a query that spans more quanta than this; 0 = no limit.")
DN_SETTING(strict_keys,        "strict_keys",        BOOL, 0, 0, 1, SESSION, "Refuse queries that leave a partition key column uncovered or the time unbounded, as the ancestors did.")
DN_SETTING(fast_paths,         "fast_paths",         BOOL, 1, 0, 1, SESSION, "Queries take shortcuts: zone maps, search in sorted columns, late decoding, several threads. Off: every row is looked at; for finding faults.")
DN_SETTING(workers,            "workers",            INT,  0, 0, 32, SESSION, "Threads that a query may use; 0 = as many as the machine has cores.")
DN_SETTING(memory_limit,       "memory_limit",       SIZE, 0, 0, INT64_MAX, DATABASE, "Bytes shared by memtables, caches and statements, 4 MB at least; 0 = 40% of RAM.")
DN_SETTING(statement_memory,   "statement_memory",   SIZE, 0, 0, INT64_MAX, SESSION, "Bytes that sorts and groups of a statement may hold before they go on in the scratch area of the disk; 0 = a quarter of memory_limit.")
DN_SETTING(transaction_memory, "transaction_memory", SIZE, 0, 0, INT64_MAX, SESSION, "Bytes that the rows written by a transaction block may take until COMMIT; 0 = an eighth of memory_limit.")
DN_SETTING(default_transaction_read_only, "default_transaction_read_only", BOOL, 0, 0, 1, SESSION, "Transactions are READ ONLY unless they say READ WRITE.")
DN_SETTING(memtable_size,      "memtable_size",      SIZE, 67108864, 65536, INT64_MAX, DATABASE, "A memtable of this size is flushed to segments.")
DN_SETTING(log_chunk_size,     "log_chunk_size",     SIZE, 4194304, 4096, 67108864, DATABASE, "A log chunk of this size is closed and the next one begun.")
DN_SETTING_TEXT(timezone, "TimeZone", "UTC", SESSION, "Time zone in which TIMESTAMPTZ is shown and read, and in which its days begin: a name such as Europe/Berlin, a POSIX string, or hours ahead of UTC.")
/* clang-format on */
