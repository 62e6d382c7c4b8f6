/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_list.h: the kinds of statements, one line each:
 *
 *     SQL_STMT(KIND, name, printer)    comment: which statements are of that kind
 *
 * makes STMT_KIND of enum stmt_kind (ast.h), has `printer` write it as text (print.c), and asks the
 * engine for a row `stmt_<name>_ops` (engine/stmt_ops.h): what it needs, what it may do, how it
 * runs. A line without its printer or its row does not link. No include guard: it is a list. */
SQL_STMT(EMPTY, empty, sql_print_empty)    /* nothing but spaces and comments */
SQL_STMT(SELECT, select, sql_print_select) /* any query: SELECT, VALUES, TABLE, WITH, UNION … */
SQL_STMT(INSERT, insert, sql_print_insert)
SQL_STMT(UPDATE, update, sql_print_change)
SQL_STMT(DELETE, delete, sql_print_change)
SQL_STMT(MERGE, merge, sql_print_merge)
SQL_STMT(COPY, copy, sql_print_copy)
SQL_STMT(TRUNCATE, truncate, sql_print_truncate)
SQL_STMT(ALTER, alter, sql_print_alter) /* TABLE, VIEW, SEQUENCE, INDEX, SCHEMA: object */
SQL_STMT(CREATE_TABLE, create_table, sql_print_create_table)
SQL_STMT(CREATE_VIEW, create_view, sql_print_create_view)
SQL_STMT(CREATE_INDEX, create_index, sql_print_create_index)
SQL_STMT(CREATE_SEQUENCE, create_sequence, sql_print_sequence)
SQL_STMT(ALTER_SEQUENCE, alter_sequence, sql_print_sequence) /* its options; RENAME is an ALTER */
SQL_STMT(DROP, drop, sql_print_drop)                     /* TABLE, VIEW, SEQUENCE, INDEX: object */
SQL_STMT(CREATE_SCHEMA, create_schema, sql_print_schema) /* and KEYSPACE */
SQL_STMT(DROP_SCHEMA, drop_schema, sql_print_schema)
SQL_STMT(TIMEPART, timepart, sql_print_timepart) /* CREATE, DROP, PUT TIME PARTITION; PUT COUNTER;
                                                    DROP TRIGGER */
SQL_STMT(SLABS, slabs, sql_print_slabs)   /* ALTER TABLE … DROP, DETACH, ATTACH PARTITION */
SQL_STMT(TYPE, type, sql_print_type_stmt) /* CREATE, ALTER, DROP TYPE */
SQL_STMT(COMMENT, comment, sql_print_comment)
SQL_STMT(USE, use, sql_print_use)
SQL_STMT(DESCRIBE, describe, sql_print_describe)
SQL_STMT(SHOW_TABLES, show_tables, sql_print_show_tables)
SQL_STMT(SHOW_SCHEMAS, show_schemas, sql_print_show_schemas)
SQL_STMT(SHOW_CREATE_TABLE, show_create, sql_print_show_create) /* or VIEW: object */
SQL_STMT(SHOW_TABLE_STATUS, show_status, sql_print_show_status)
SQL_STMT(SHOW_PARTITIONS, show_partitions, sql_print_show_partitions)
SQL_STMT(SHOW_SETTING, show_setting, sql_print_show_setting) /* SHOW name, SHOW ALL (name "all") */
SQL_STMT(SET, set, sql_print_set) /* SET name = values | DEFAULT, RESET name, RESET ALL ("all") */
SQL_STMT(EXPLAIN, explain, sql_print_explain)
SQL_STMT(CHECKPOINT, checkpoint, sql_print_checkpoint) /* flush everything to segments */
SQL_STMT(TRANSACTION, transaction, sql_print_transaction)
SQL_STMT(PREPARE, prepare, sql_print_prepare)
SQL_STMT(EXECUTE, execute, sql_print_execute_stmt)
SQL_STMT(DEALLOCATE, deallocate, sql_print_deallocate)
SQL_STMT(DECLARE, declare, sql_print_declare)
SQL_STMT(FETCH, fetch, sql_print_fetch) /* and MOVE */
SQL_STMT(CLOSE, close, sql_print_close)
SQL_STMT(DISCARD, discard, sql_print_discard)
SQL_STMT(LOCK, lock, sql_print_lock)
SQL_STMT(ROLE, role, sql_print_role)          /* CREATE, ALTER, DROP ROLE, OWNER TO, … OWNED BY */
SQL_STMT(GRANT, grant, sql_print_grant)       /* and REVOKE */
SQL_STMT(CHANNEL, channel, sql_print_channel) /* LISTEN, UNLISTEN, NOTIFY */
SQL_STMT(MAINTAIN, maintain, sql_print_maintain) /* ANALYZE, VACUUM, REINDEX, CLUSTER */
