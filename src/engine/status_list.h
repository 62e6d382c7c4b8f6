/* SPDX-License-Identifier: Apache-2.0
 *
 * status_list.h: DN_STATUS(section, name, value, what it counts), the rows of SHOW STATUS in their
 * order. The value is an expression over st (struct shard_stats) and db (struct dendro_db). */

/* clang-format off */
DN_STATUS("database", "sessions",            sessions,                      "open sessions")
DN_STATUS("database", "catalog_version",     catalog_version,               "changes of tables and schemas so far")
DN_STATUS("database", "clock_ahead_seconds", (uint64_t)engine_clock_ahead(db), "by which the clock is ahead of what is believed; above 0 retention, rollouts and expiry wait for dendro_confirm_clock()")
DN_STATUS("memory",   "memory_limit",        db->owner.limit,               "bytes that may be used")
DN_STATUS("memory",   "memory_used",         mem_owner_used(&db->owner),    "bytes used by memtables, caches and statements")
DN_STATUS("memory",   "memtable_rows",       st.memtable_rows,              "rows that are in memory and in the log")
DN_STATUS("memory",   "memtable_bytes",      st.memtable_bytes,             "memory of these rows")
DN_STATUS("cache",    "cache_bytes",         st.cache_bytes,                "memory of stored data kept for the next query")
DN_STATUS("cache",    "cache_hits",          st.cache_hits,                 "times it was there, since the start")
DN_STATUS("cache",    "cache_misses",        st.cache_misses,               "times it had to be read")
DN_STATUS("cache",    "cache_evicted",       st.cache_evicted,              "pieces that made room for others")
DN_STATUS("commits",  "last_sequence",       st.seq,                        "number of the last commit")
DN_STATUS("commits",  "commits",             st.commits,                    "since the start")
DN_STATUS("commits",  "log_appends",         st.log_appends,                "writes to the log; fewer than commits where several shared one")
DN_STATUS("commits",  "log_chunks",          st.log_chunks,                 "pieces of the log that are still needed")
DN_STATUS("commits",  "replayed_commits",    st.replayed_commits,           "read back from the log at the start")
DN_STATUS("commits",  "late_rows",           atomic_load(&db->late_rows),   "rows left out since the start: too old for the retention of their table, or too far ahead")
DN_STATUS("storage",  "segments",            st.segments,                   "objects that hold rows")
DN_STATUS("storage",  "segment_rows",        st.segment_rows,               "rows in them, older versions included")
DN_STATUS("storage",  "segment_bytes",       st.segment_bytes,              "their size")
DN_STATUS("jobs",     "flushes_running",     st.flushes_running,            "memtables on their way to segments now")
DN_STATUS("jobs",     "flushes",             st.flushes,                    "done since the start")
DN_STATUS("jobs",     "flush_failures",      st.flush_failures,             "ended by an error; they are tried again")
DN_STATUS("jobs",     "flush_bytes",         st.flush_bytes,                "bytes of segments written by flushes and imports")
DN_STATUS("jobs",     "loads_running",       st.loads_running,              "imports under way now")
DN_STATUS("jobs",     "merges_running",      st.merges_running,             "merges of segments under way now")
DN_STATUS("jobs",     "merges",              st.merges,                     "done since the start")
DN_STATUS("jobs",     "merge_failures",      st.merge_failures,             "ended by an error; they are tried again")
DN_STATUS("jobs",     "merge_bytes",         st.merge_bytes,                "bytes of segments written by merges")
DN_STATUS("jobs",     "write_amplification", amplification,                 "bytes written for a byte flushed: 1 without merges, 0 before the first flush")
/* clang-format on */
