/* SPDX-License-Identifier: Apache-2.0
 *
 * settings_list.h: DN_SETTING(field, name, kind, default, min, max, scope, doc). Kinds: BOOL, INT,
 * SIZE (bytes, accepts '64MB'), TIME (milliseconds, accepts '5s'), DATESTYLE, ENCODING.
 * DN_SETTING_TEXT(field, name, default, scope, doc) is a text, DN_SETTING_ENUM(field, name, words,
 * default, scope, doc) one of some words, by number. Scope: SESSION (SET), SUPER (SET, superusers
 * alone) or DATABASE (at open). SHOW, SET and docs/settings.md iterate it. What is only known and
 * remembered: settings_known_list.h; a server's: settings_server_list.h. DN_SETTING_REPORTED(name):
 * clients are told when its value changes. DN_SETTING_HIDDEN(name): it tells of the machine (paths,
 * addresses); superusers and members of pg_read_all_settings alone see it. */

#ifndef DN_SETTING
#define DN_SETTING(field, name, kind, def, min, max, scope, doc)
#endif
#ifndef DN_SETTING_TEXT
#define DN_SETTING_TEXT(field, name, def, scope, doc)
#endif
#ifndef DN_SETTING_ENUM
#define DN_SETTING_ENUM(field, name, words, def, scope, doc)
#endif
#ifndef DN_SETTING_REPORTED
#define DN_SETTING_REPORTED(name)
#endif
#ifndef DN_SETTING_HIDDEN
#define DN_SETTING_HIDDEN(name)
#endif

/* clang-format off */
DN_SETTING(synchronous_commit, "synchronous_commit", BOOL, 1, 0, 1, SESSION, "A write is acknowledged only when it is durable. Off: acknowledged at once, the last fraction of a second may be lost in a crash, nothing else.")
DN_SETTING(max_subqueries,     "max_subqueries",     INT,  0, 0, 1000000000, SESSION, "Refuse a query that spans more quanta than this; 0 = no limit.")
DN_SETTING(strict_keys,        "strict_keys",        BOOL, 0, 0, 1, SESSION, "Refuse queries that leave a partition key column uncovered or the time unbounded, as the ancestors did.")
DN_SETTING(fast_paths,         "fast_paths",         BOOL, 1, 0, 1, SESSION, "Queries take shortcuts: zone maps, search in sorted columns, late decoding, several threads. Off: every row is looked at; for finding faults.")
DN_SETTING(workers,            "workers",            INT,  0, 0, 32, SESSION, "Threads that a query may use; 0 = as many as the machine has cores.")
DN_SETTING(memory_limit,       "memory_limit",       SIZE, 0, 0, INT64_MAX, DATABASE, "Bytes shared by memtables, caches and statements, 4 MB at least; 0 = 40% of RAM.")
DN_SETTING(statement_memory,   "statement_memory",   SIZE, 0, 0, INT64_MAX, SESSION, "Bytes that sorts and groups of a statement may hold before they go on in the scratch area of the disk; 0 = a quarter of memory_limit.")
DN_SETTING(transaction_memory, "transaction_memory", SIZE, 0, 0, INT64_MAX, SESSION, "Bytes that the rows written by a transaction block may take until COMMIT; 0 = an eighth of memory_limit.")
DN_SETTING(session_memory,     "session_memory",     SIZE, 0, 0, INT64_MAX, SUPER, "Bytes that a session may keep between statements: prepared ones, portals with their parameters, cursors; 0 = a sixteenth of memory_limit, 1 MB at least. All sessions together may keep half of memory_limit; superusers of a server are not counted.")
DN_SETTING(role_memory,        "role_memory",        SIZE, 0, 0, INT64_MAX, SUPER, "Bytes that all sessions of a role that is no superuser may have together, for statements that run and for what they keep between them (half of it at most); 0 = half of memory_limit, 4 MB at least. What the last session of the role that began was given counts.")
DN_SETTING(default_transaction_read_only, "default_transaction_read_only", BOOL, 0, 0, 1, SESSION, "Transactions are READ ONLY unless they say READ WRITE.")
DN_SETTING(memtable_size,      "memtable_size",      SIZE, 67108864, 65536, INT64_MAX, DATABASE, "A memtable of this size is flushed to segments; one of a sixteenth of it, when nothing is written for two seconds.")
DN_SETTING(log_chunk_size,     "log_chunk_size",     SIZE, 4194304, 4096, 67108864, DATABASE, "A log chunk of this size is closed and the next one begun.")
DN_SETTING(statement_timeout,  "statement_timeout",  TIME, 0, 0, INT32_MAX, SESSION, "A statement that takes longer is canceled; milliseconds or '5s'; 0 = never.")
DN_SETTING(lock_timeout,       "lock_timeout",       TIME, 0, 0, INT32_MAX, SESSION, "Waiting for an advisory lock gives up after this; 0 = never. Nothing else waits for locks.")
DN_SETTING(idle_in_transaction_session_timeout, "idle_in_transaction_session_timeout", TIME, 0, 0, INT32_MAX, SESSION, "A server ends sessions that leave a transaction block open for longer without a statement; 0 = never.")
DN_SETTING(idle_session_timeout, "idle_session_timeout", TIME, 0, 0, INT32_MAX, SESSION, "A server ends sessions that are idle for longer outside a transaction block; 0 = never, or when idle_timeout says.")
DN_SETTING(log_min_duration_statement, "log_min_duration_statement", TIME, -1, -1, INT32_MAX, SUPER, "A server writes statements that took so long to its log, and how long; 0 = all, -1 = none.")
DN_SETTING(clock_step_max,     "clock_step_max",     TIME, 604800000, 0, 9000000000000, DATABASE, "When the database is opened, a clock that is further ahead of the last time it recorded is not believed: retention, rollouts and expiry wait until dendro_confirm_clock().")
DN_SETTING(extra_float_digits, "extra_float_digits", INT,  1, -15, 3, SESSION, "Digits of REAL and DOUBLE in text: above 0 the shortest text that reads back the same, else so many fewer than 6 and 15.")
DN_SETTING(standard_conforming_strings, "standard_conforming_strings", BOOL, 1, 1, 1, SESSION, "A backslash in '…' is a backslash: always.")
DN_SETTING(datestyle,          "DateStyle",          DATESTYLE, 0, 0, 11, SESSION, "How dates and times are written: ISO, SQL, Postgres, German; and which of day, month and year comes first there and where a text does not tell: MDY, DMY, YMD.")
DN_SETTING(client_encoding,    "client_encoding",    ENCODING, 0, 0, 0, SESSION, "The encoding of texts: UTF8, always.")
DN_SETTING_ENUM(intervalstyle, "IntervalStyle", "postgres,postgres_verbose,sql_standard,iso_8601", 0, SESSION, "How intervals are written.")
DN_SETTING_ENUM(log_statement, "log_statement", "none,ddl,mod,all", 0, SUPER, "Statements that a server writes to its log: those that change what there is (ddl), also those that change rows (mod), all.")
DN_SETTING_ENUM(bytea_output,  "bytea_output",  "hex,escape", 0, SESSION, "How PostgreSQL's clients get a BLOB as text.")
DN_SETTING_ENUM(client_min_messages, "client_min_messages", "debug5,debug4,debug3,debug2,debug1,log,notice,warning,error", 6, SESSION, "Messages below this level are not sent.")
DN_SETTING_TEXT(search_path, "search_path", "\"$user\", public", SESSION, "Schemas in which names without one are looked for, in order; the first that exists is where new objects go.")
DN_SETTING_TEXT(application_name, "application_name", "", SESSION, "What the client calls itself.")
DN_SETTING_TEXT(test_clock, "test_clock", "", DATABASE, "For tests: the database's clock stands still at this time, and dendro_test_clock_advance() sets it ahead; empty = the machine's clock.")
DN_SETTING_TEXT(timezone, "TimeZone", "UTC", SESSION, "Time zone in which TIMESTAMPTZ is shown and read, and in which its days begin: a name such as Europe/Berlin, a POSIX string, or hours ahead of UTC.")
DN_SETTING_REPORTED("application_name")
DN_SETTING_REPORTED("client_encoding")
DN_SETTING_REPORTED("DateStyle")
DN_SETTING_REPORTED("default_transaction_read_only")
DN_SETTING_REPORTED("in_hot_standby")
DN_SETTING_REPORTED("integer_datetimes")
DN_SETTING_REPORTED("IntervalStyle")
DN_SETTING_REPORTED("is_superuser")
DN_SETTING_REPORTED("server_encoding")
DN_SETTING_REPORTED("server_version")
DN_SETTING_REPORTED("session_authorization")
DN_SETTING_REPORTED("standard_conforming_strings")
DN_SETTING_REPORTED("TimeZone")
DN_SETTING_HIDDEN("config_file")
DN_SETTING_HIDDEN("data")
DN_SETTING_HIDDEN("data_directory")
DN_SETTING_HIDDEN("hba_file")
DN_SETTING_HIDDEN("listen")
DN_SETTING_HIDDEN("tls_cert")
DN_SETTING_HIDDEN("tls_key")
DN_SETTING_HIDDEN("unix_socket_directories")
/* clang-format on */

#undef DN_SETTING
#undef DN_SETTING_TEXT
#undef DN_SETTING_ENUM
#undef DN_SETTING_REPORTED
#undef DN_SETTING_HIDDEN
