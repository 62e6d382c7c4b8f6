/* SPDX-License-Identifier: Apache-2.0
 *
 * option_list.h: the options WITH knows. DN_OPTION(name, KIND, meaning). Kinds:
 *   OWN_x  acts on the table
 *   INFO   accepted from other systems' statements, kept, shown by SHOW CREATE TABLE, no effect
 *   OFF    as INFO, but only with a value that switches it off: the effect would be missed
 * docs/keys.md has this list. */

/* clang-format off */
DN_OPTION("upsert",   OWN_UPSERT,  "'row': a write replaces the row of the same key. 'field': columns it does not list keep their values.")
DN_OPTION("quantum",  OWN_QUANTUM, "Width of the quantum where the key has none: '6h'.")
DN_OPTION("slab",     OWN_SLAB,    "Width of a slab, a whole multiple of the quantum: '7d'.")
DN_OPTION("time",     OWN_TIME,    "The time column that decides the slab, where the key has no quantum.")
DN_OPTION("spread",   OWN_SPREAD,  "Hash sub-partitions of a table without partition columns.")
DN_OPTION("retention", OWN_RETENTION, "How long rows stay, by their own time: '30 days', '500 GB', '30 partitions'.")
DN_OPTION("late_rows", OWN_LATE,   "Rows that come for a time that is gone, or beyond future_limit: 'reject' fails the statement, 'drop' leaves them out.")
DN_OPTION("future_limit", OWN_FUTURE, "How far ahead of the clock the time of a row may be: '1 day', which it is where there is a retention; 'none': any time.")
DN_OPTION("default_time_to_live", OWN_TTL, "How long rows live unless a write says otherwise: seconds, or '7d'; 0: for ever.")
DN_OPTION("compression", OWN_COMPRESSION, "'max': the fewest bytes, for more processor time of writes and reads; 'default'. A map, as Cassandra's, has no effect.")
DN_OPTION("comment",  OWN_COMMENT, "Free text.")

DN_OPTION("n_val",                       INFO, "Riak TS: replicas.")
DN_OPTION("r",                           INFO, "Riak TS: read quorum.")
DN_OPTION("w",                           INFO, "Riak TS: write quorum.")
DN_OPTION("pr",                          INFO, "Riak TS: primary read quorum.")
DN_OPTION("pw",                          INFO, "Riak TS: primary write quorum.")
DN_OPTION("dw",                          INFO, "Riak TS: durable write quorum.")
DN_OPTION("rw",                          INFO, "Riak TS: delete quorum.")
DN_OPTION("last_write_wins",             INFO, "Riak TS; the newest write wins here in any case.")
DN_OPTION("allow_mult",                  OFF,  "Riak TS: siblings.")
DN_OPTION("expiration",                  OFF,  "Riak TS: expiry; default_time_to_live does it.")
DN_OPTION("expiration_mode",             INFO, "Riak TS: how expiry works.")

DN_OPTION("additional_write_policy",     INFO, "Cassandra.")
DN_OPTION("bloom_filter_fp_chance",      INFO, "Cassandra.")
DN_OPTION("caching",                     INFO, "Cassandra.")
DN_OPTION("cdc",                         OFF,  "Cassandra: change data capture.")
DN_OPTION("compaction",                  INFO, "Cassandra.")
DN_OPTION("crc_check_chance",            INFO, "Cassandra.")
DN_OPTION("dclocal_read_repair_chance",  INFO, "Cassandra.")
DN_OPTION("extensions",                  INFO, "Cassandra.")
DN_OPTION("gc_grace_seconds",            INFO, "Cassandra.")
DN_OPTION("max_index_interval",          INFO, "Cassandra.")
DN_OPTION("memtable_flush_period_in_ms", INFO, "Cassandra.")
DN_OPTION("min_index_interval",          INFO, "Cassandra.")
DN_OPTION("populate_io_cache_on_flush",  INFO, "Cassandra.")
DN_OPTION("read_repair",                 INFO, "Cassandra.")
DN_OPTION("read_repair_chance",          INFO, "Cassandra.")
DN_OPTION("speculative_retry",           INFO, "Cassandra.")

DN_OPTION("partition_size_hint",         INFO, "EventQL.")
DN_OPTION("partition_split_threshold",   INFO, "EventQL.")
DN_OPTION("enable_async_split",          INFO, "EventQL.")
DN_OPTION("disable_split",               INFO, "EventQL.")
DN_OPTION("disable_replication",         INFO, "EventQL.")
DN_OPTION("write_consistency_level",     INFO, "EventQL.")
DN_OPTION("user_defined_partitions",     OFF,  "EventQL: partitions made by hand.")

DN_OPTION("autovacuum_enabled",          INFO, "PostgreSQL.")
DN_OPTION("autovacuum_vacuum_scale_factor", INFO, "PostgreSQL.")
DN_OPTION("autovacuum_vacuum_threshold", INFO, "PostgreSQL.")
DN_OPTION("autovacuum_analyze_scale_factor", INFO, "PostgreSQL.")
DN_OPTION("autovacuum_analyze_threshold", INFO, "PostgreSQL.")
DN_OPTION("fillfactor",                  INFO, "PostgreSQL.")
DN_OPTION("parallel_workers",            INFO, "PostgreSQL.")
DN_OPTION("toast_tuple_target",          INFO, "PostgreSQL.")
DN_OPTION("vacuum_truncate",             INFO, "PostgreSQL.")
/* clang-format on */
