/* SPDX-License-Identifier: Apache-2.0
 *
 * pg_catalog_list.h: the relations of pg_catalog, with PostgreSQL 15's numbers, kinds and columns
 * in order.
 *
 *     SYS_RELATION(name, number, kind, function that fills it, "column type, …")
 *     SYS_EMPTY(name, number, kind, "column type, …")   a relation without rows
 *     SYS_FUNCTION(name, function that fills it, "column type, …")   what a function returns
 *
 * kind: 'r' and 'v' as in pg_class; 'R' and 'V' likewise, and only superusers read it, as in
 * PostgreSQL. */

/* clang-format off */
SYS_RELATION(comdb2_cron_events, 12101, 'v', sys_fill_cron_events,
    "name text, type text, epoch int8, arg1 text, arg2 text, arg3 text, sourceid text")
SYS_RELATION(comdb2_cron_schedulers, 12102, 'v', sys_fill_cron_schedulers,
    "name text, type text, running int4, nevents int8, description text")
SYS_RELATION(comdb2_logical_cron, 12103, 'v', sys_fill_logical_cron, "name text, value int8")
SYS_RELATION(comdb2_timepartevents, 12104, 'v', sys_fill_timepartevents,
    "name text, type text, arg1 text, arg2 text, arg3 text, arg4 text, sourceid text")
SYS_RELATION(comdb2_timepartitions, 12105, 'v', sys_fill_timepartitions,
    "name text, period text, retention int4, nshards int4, version int8, shard0name text, starttime int8, sourceid text")
SYS_RELATION(comdb2_timepartpermissions, 12108, 'v', sys_fill_timepartpermissions,
    "tablename text, username text, read text, write text, ddl text")
SYS_RELATION(comdb2_timepartshards, 12106, 'v', sys_fill_timepartshards,
    "name text, shardname text, low int8, high int8, size int8")
SYS_RELATION(dendro_partitions, 12107, 'v', sys_fill_partitions,
    "schemaname name, tablename name, time_partition name, partition_start timestamp, partition_end timestamp, min_time timestamp, "
    "max_time timestamp, rows int8, bytes int8, segments int8, rows_in_memory int8, goes_at timestamp, retention text")
SYS_EMPTY(pg_aggregate, 2600, 'r',
    "aggfnoid regproc, aggkind char, aggnumdirectargs int2, aggtransfn regproc, aggfinalfn regproc, aggcombinefn regproc, "
    "aggserialfn regproc, aggdeserialfn regproc, aggmtransfn regproc, aggminvtransfn regproc, aggmfinalfn regproc, aggfinalextra "
    "bool, aggmfinalextra bool, aggfinalmodify char, aggmfinalmodify char, aggsortop oid, aggtranstype oid, aggtransspace int4, "
    "aggmtranstype oid, aggmtransspace int4, agginitval text, aggminitval text")
SYS_RELATION(pg_am, 2601, 'r', sys_fill_am, "oid oid, amname name, amhandler regproc, amtype char")
SYS_EMPTY(pg_amop, 2602, 'r',
    "oid oid, amopfamily oid, amoplefttype oid, amoprighttype oid, amopstrategy int2, amoppurpose char, amopopr oid, amopmethod "
    "oid, amopsortfamily oid")
SYS_EMPTY(pg_amproc, 2603, 'r',
    "oid oid, amprocfamily oid, amproclefttype oid, amprocrighttype oid, amprocnum int2, amproc regproc")
SYS_RELATION(pg_attrdef, 2604, 'r', sys_fill_attrdef, "oid oid, adrelid oid, adnum int2, adbin pg_node_tree")
SYS_RELATION(pg_attribute, 1249, 'r', sys_fill_attribute,
    "attrelid oid, attname name, atttypid oid, attstattarget int4, attlen int2, attnum int2, attndims int4, attcacheoff int4, "
    "atttypmod int4, attbyval bool, attalign char, attstorage char, attcompression char, attnotnull bool, atthasdef bool, "
    "atthasmissing bool, attidentity char, attgenerated char, attisdropped bool, attislocal bool, attinhcount int4, attcollation "
    "oid, attacl aclitem[], attoptions text[], attfdwoptions text[], attmissingval text")
SYS_RELATION(pg_auth_members, 1261, 'r', sys_fill_auth_members, "roleid oid, member oid, grantor oid, admin_option bool")
SYS_RELATION(pg_authid, 1260, 'R', sys_fill_authid,
    "oid oid, rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool, rolcanlogin bool, rolreplication "
    "bool, rolbypassrls bool, rolconnlimit int4, rolpassword text, rolvaliduntil timestamptz")
SYS_EMPTY(pg_available_extensions, 12001, 'v', "name name, default_version text, installed_version text, comment text")
SYS_RELATION(pg_cast, 2605, 'r', sys_fill_cast,
    "oid oid, castsource oid, casttarget oid, castfunc oid, castcontext char, castmethod char")
SYS_RELATION(pg_class, 1259, 'r', sys_fill_class,
    "oid oid, relname name, relnamespace oid, reltype oid, reloftype oid, relowner oid, relam oid, relfilenode oid, reltablespace "
    "oid, relpages int4, reltuples float4, relallvisible int4, reltoastrelid oid, relhasindex bool, relisshared bool, "
    "relpersistence char, relkind char, relnatts int2, relchecks int2, relhasrules bool, relhastriggers bool, relhassubclass bool, "
    "relrowsecurity bool, relforcerowsecurity bool, relispopulated bool, relreplident char, relispartition bool, relrewrite oid, "
    "relfrozenxid oid, relminmxid oid, relacl aclitem[], reloptions text[], relpartbound pg_node_tree")
SYS_RELATION(pg_collation, 3456, 'r', sys_fill_collation,
    "oid oid, collname name, collnamespace oid, collowner oid, collprovider char, collisdeterministic bool, collencoding int4, "
    "collcollate text, collctype text, colliculocale text, collversion text")
SYS_RELATION(pg_constraint, 2606, 'r', sys_fill_constraint,
    "oid oid, conname name, connamespace oid, contype char, condeferrable bool, condeferred bool, convalidated bool, conrelid oid, "
    "contypid oid, conindid oid, conparentid oid, confrelid oid, confupdtype char, confdeltype char, confmatchtype char, conislocal"
    " bool, coninhcount int4, connoinherit bool, conkey int2[], confkey int2[], conpfeqop oid[], conppeqop oid[], conffeqop oid[], "
    "confdelsetcols int2[], conexclop oid[], conbin pg_node_tree")
SYS_EMPTY(pg_conversion, 2607, 'r',
    "oid oid, conname name, connamespace oid, conowner oid, conforencoding int4, contoencoding int4, conproc regproc, condefault "
    "bool")
SYS_RELATION(pg_cursors, 12002, 'v', sys_fill_cursors,
    "name text, statement text, is_holdable bool, is_binary bool, is_scrollable bool, creation_time timestamptz")
SYS_RELATION(pg_database, 1262, 'r', sys_fill_database,
    "oid oid, datname name, datdba oid, encoding int4, datlocprovider char, datistemplate bool, datallowconn bool, datconnlimit "
    "int4, datfrozenxid oid, datminmxid oid, dattablespace oid, datcollate text, datctype text, daticulocale text, datcollversion "
    "text, datacl aclitem[]")
SYS_RELATION(pg_db_role_setting, 2964, 'r', sys_fill_db_role_setting, "setdatabase oid, setrole oid, setconfig text[]")
SYS_EMPTY(pg_default_acl, 826, 'r', "oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype char, defaclacl aclitem[]")
SYS_RELATION(pg_depend, 2608, 'r', sys_fill_depend,
    "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, refobjsubid int4, deptype char")
SYS_RELATION(pg_description, 2609, 'r', sys_fill_description, "objoid oid, classoid oid, objsubid int4, description text")
SYS_RELATION(pg_enum, 3501, 'r', sys_fill_enum, "oid oid, enumtypid oid, enumsortorder float4, enumlabel name")
SYS_EMPTY(pg_event_trigger, 3466, 'r',
    "oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled char, evttags text[]")
SYS_EMPTY(pg_extension, 3079, 'r',
    "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable bool, extversion text, extconfig oid[], extcondition "
    "text[]")
SYS_EMPTY(pg_foreign_data_wrapper, 2328, 'r',
    "oid oid, fdwname name, fdwowner oid, fdwhandler oid, fdwvalidator oid, fdwacl aclitem[], fdwoptions text[]")
SYS_EMPTY(pg_foreign_server, 1417, 'r',
    "oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion text, srvacl aclitem[], srvoptions text[]")
SYS_EMPTY(pg_foreign_table, 3118, 'r', "ftrelid oid, ftserver oid, ftoptions text[]")
SYS_FUNCTION(pg_get_keywords, sys_fill_keywords, "word text, catcode char, barelabel bool, catdesc text, baredesc text")
SYS_EMPTY(pg_group, 12003, 'v', "groname name, grosysid oid, grolist oid[]")
SYS_RELATION(pg_index, 2610, 'r', sys_fill_index,
    "indexrelid oid, indrelid oid, indnatts int2, indnkeyatts int2, indisunique bool, indnullsnotdistinct bool, indisprimary bool, "
    "indisexclusion bool, indimmediate bool, indisclustered bool, indisvalid bool, indcheckxmin bool, indisready bool, indislive "
    "bool, indisreplident bool, indkey int2vector, indcollation oidvector, indclass oidvector, indoption int2vector, indexprs "
    "pg_node_tree, indpred pg_node_tree")
SYS_RELATION(pg_indexes, 12004, 'v', sys_fill_indexes,
    "schemaname name, tablename name, indexname name, tablespace name, indexdef text")
SYS_EMPTY(pg_inherits, 2611, 'r', "inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool")
SYS_EMPTY(pg_init_privs, 3394, 'r', "objoid oid, classoid oid, objsubid int4, privtype char, initprivs aclitem[]")
SYS_RELATION(pg_language, 2612, 'r', sys_fill_language,
    "oid oid, lanname name, lanowner oid, lanispl bool, lanpltrusted bool, lanplcallfoid oid, laninline oid, lanvalidator oid, "
    "lanacl aclitem[]")
SYS_EMPTY(pg_largeobject_metadata, 2995, 'r', "oid oid, lomowner oid, lomacl aclitem[]")
SYS_EMPTY(pg_locks, 12005, 'v',
    "locktype text, database oid, relation oid, page int4, tuple int2, virtualxid text, transactionid oid, classid oid, objid oid, "
    "objsubid int2, virtualtransaction text, pid int4, mode text, granted bool, fastpath bool, waitstart timestamptz")
SYS_EMPTY(pg_matviews, 12006, 'v',
    "schemaname name, matviewname name, matviewowner name, tablespace name, hasindexes bool, ispopulated bool, definition text")
SYS_RELATION(pg_namespace, 2615, 'r', sys_fill_namespace, "oid oid, nspname name, nspowner oid, nspacl aclitem[]")
SYS_EMPTY(pg_opclass, 2616, 'r',
    "oid oid, opcmethod oid, opcname name, opcnamespace oid, opcowner oid, opcfamily oid, opcintype oid, opcdefault bool, "
    "opckeytype oid")
SYS_RELATION(pg_operator, 2617, 'r', sys_fill_operator,
    "oid oid, oprname name, oprnamespace oid, oprowner oid, oprkind char, oprcanmerge bool, oprcanhash bool, oprleft oid, oprright "
    "oid, oprresult oid, oprcom oid, oprnegate oid, oprcode regproc, oprrest regproc, oprjoin regproc")
SYS_EMPTY(pg_opfamily, 2753, 'r', "oid oid, opfmethod oid, opfname name, opfnamespace oid, opfowner oid")
SYS_EMPTY(pg_parameter_acl, 6243, 'r', "oid oid, parname text, paracl aclitem[]")
SYS_EMPTY(pg_partitioned_table, 3350, 'r',
    "partrelid oid, partstrat char, partnatts int2, partdefid oid, partattrs int2vector, partclass oidvector, partcollation "
    "oidvector, partexprs pg_node_tree")
SYS_EMPTY(pg_policies, 12007, 'v',
    "schemaname name, tablename name, policyname name, permissive text, roles name[], cmd text, qual text, with_check text")
SYS_EMPTY(pg_policy, 3256, 'r',
    "oid oid, polname name, polrelid oid, polcmd char, polpermissive bool, polroles oid[], polqual pg_node_tree, polwithcheck "
    "pg_node_tree")
SYS_RELATION(pg_prepared_statements, 12008, 'v', sys_fill_prepared_statements,
    "name text, statement text, prepare_time timestamptz, parameter_types regtype[], from_sql bool, generic_plans int8, "
    "custom_plans int8")
SYS_EMPTY(pg_prepared_xacts, 12009, 'v', "transaction oid, gid text, prepared timestamptz, owner name, database name")
SYS_RELATION(pg_proc, 1255, 'r', sys_fill_proc,
    "oid oid, proname name, pronamespace oid, proowner oid, prolang oid, procost float4, prorows float4, provariadic oid, "
    "prosupport regproc, prokind char, prosecdef bool, proleakproof bool, proisstrict bool, proretset bool, provolatile char, "
    "proparallel char, pronargs int2, pronargdefaults int2, prorettype oid, proargtypes oidvector, proallargtypes oid[], "
    "proargmodes char[], proargnames text[], proargdefaults pg_node_tree, protrftypes oid[], prosrc text, probin text, prosqlbody "
    "pg_node_tree, proconfig text[], proacl aclitem[]")
SYS_EMPTY(pg_publication, 6104, 'r',
    "oid oid, pubname name, pubowner oid, puballtables bool, pubinsert bool, pubupdate bool, pubdelete bool, pubtruncate bool, "
    "pubviaroot bool")
SYS_EMPTY(pg_publication_namespace, 6237, 'r', "oid oid, pnpubid oid, pnnspid oid")
SYS_EMPTY(pg_publication_rel, 6106, 'r', "oid oid, prpubid oid, prrelid oid, prqual pg_node_tree, prattrs int2vector")
SYS_EMPTY(pg_publication_tables, 12010, 'v', "pubname name, schemaname name, tablename name, attnames name[], rowfilter text")
SYS_EMPTY(pg_range, 3541, 'r',
    "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid, rngcanonical regproc, rngsubdiff regproc")
SYS_EMPTY(pg_replication_slots, 12011, 'v',
    "slot_name name, plugin name, slot_type text, datoid oid, database name, temporary bool, active bool, active_pid int4, xmin "
    "oid, catalog_xmin oid, restart_lsn text, confirmed_flush_lsn text, wal_status text, safe_wal_size int8, two_phase bool")
SYS_RELATION(pg_rewrite, 2618, 'r', sys_fill_rewrite,
    "oid oid, rulename name, ev_class oid, ev_type char, ev_enabled char, is_instead bool, ev_qual pg_node_tree, ev_action "
    "pg_node_tree")
SYS_RELATION(pg_roles, 12012, 'v', sys_fill_roles,
    "rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool, rolcanlogin bool, rolreplication bool, "
    "rolconnlimit int4, rolpassword text, rolvaliduntil timestamptz, rolbypassrls bool, rolconfig text[], oid oid")
SYS_EMPTY(pg_rules, 12013, 'v', "schemaname name, tablename name, rulename name, definition text")
SYS_EMPTY(pg_seclabel, 3596, 'r', "objoid oid, classoid oid, objsubid int4, provider text, label text")
SYS_EMPTY(pg_seclabels, 12014, 'v',
    "objoid oid, classoid oid, objsubid int4, objtype text, objnamespace oid, objname text, provider text, label text")
SYS_EMPTY(pg_shseclabel, 3592, 'r', "objoid oid, classoid oid, provider text, label text")
SYS_RELATION(pg_sequence, 2224, 'r', sys_fill_sequence,
    "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax int8, seqmin int8, seqcache int8, seqcycle bool")
SYS_RELATION(pg_sequences, 12015, 'v', sys_fill_sequences,
    "schemaname name, sequencename name, sequenceowner name, data_type regtype, start_value int8, min_value int8, max_value int8, "
    "increment_by int8, cycle bool, cache_size int8, last_value int8")
SYS_RELATION(pg_settings, 12016, 'v', sys_fill_settings,
    "name text, setting text, unit text, category text, short_desc text, extra_desc text, context text, vartype text, source text, "
    "min_val text, max_val text, enumvals text[], boot_val text, reset_val text, sourcefile text, sourceline int4, pending_restart "
    "bool")
SYS_RELATION(pg_shadow, 12017, 'V', sys_fill_user,
    "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool, passwd text, valuntil "
    "timestamptz, useconfig text[]")
SYS_EMPTY(pg_shdepend, 1214, 'r', "dbid oid, classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, deptype char")
SYS_EMPTY(pg_shdescription, 2396, 'r', "objoid oid, classoid oid, description text")
SYS_RELATION(pg_stat_activity, 12018, 'v', sys_fill_stat_activity,
    "datid oid, datname name, pid int4, leader_pid int4, usesysid oid, usename name, application_name text, client_addr text, "
    "client_hostname text, client_port int4, backend_start timestamptz, xact_start timestamptz, query_start timestamptz, "
    "state_change timestamptz, wait_event_type text, wait_event text, state text, backend_xid oid, backend_xmin oid, query_id int8,"
    " query text, backend_type text")
SYS_EMPTY(pg_stat_all_indexes, 12019, 'v',
    "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_scan int8, idx_tup_read int8, idx_tup_fetch "
    "int8")
SYS_RELATION(pg_stat_all_tables, 12020, 'v', sys_fill_stat_user_tables,
    "relid oid, schemaname name, relname name, seq_scan int8, seq_tup_read int8, idx_scan int8, idx_tup_fetch int8, n_tup_ins int8,"
    " n_tup_upd int8, n_tup_del int8, n_tup_hot_upd int8, n_live_tup int8, n_dead_tup int8, n_mod_since_analyze int8, "
    "n_ins_since_vacuum int8, last_vacuum timestamptz, last_autovacuum timestamptz, last_analyze timestamptz, last_autoanalyze "
    "timestamptz, vacuum_count int8, autovacuum_count int8, analyze_count int8, autoanalyze_count int8")
SYS_EMPTY(pg_stat_bgwriter, 12021, 'v',
    "checkpoints_timed int8, checkpoints_req int8, checkpoint_write_time float8, checkpoint_sync_time float8, buffers_checkpoint "
    "int8, buffers_clean int8, maxwritten_clean int8, buffers_backend int8, buffers_backend_fsync int8, buffers_alloc int8, "
    "stats_reset timestamptz")
SYS_RELATION(pg_stat_database, 12022, 'v', sys_fill_stat_database,
    "datid oid, datname name, numbackends int4, xact_commit int8, xact_rollback int8, blks_read int8, blks_hit int8, tup_returned "
    "int8, tup_fetched int8, tup_inserted int8, tup_updated int8, tup_deleted int8, conflicts int8, temp_files int8, temp_bytes "
    "int8, deadlocks int8, checksum_failures int8, checksum_last_failure timestamptz, blk_read_time float8, blk_write_time float8, "
    "session_time float8, active_time float8, idle_in_transaction_time float8, sessions int8, sessions_abandoned int8, "
    "sessions_fatal int8, sessions_killed int8, stats_reset timestamptz")
SYS_EMPTY(pg_stat_gssapi, 12023, 'v', "pid int4, gss_authenticated bool, principal text, encrypted bool")
SYS_EMPTY(pg_stat_progress_vacuum, 12024, 'v',
    "pid int4, datid oid, datname name, relid oid, phase text, heap_blks_total int8, heap_blks_scanned int8, heap_blks_vacuumed "
    "int8, index_vacuum_count int8, max_dead_tuples int8, num_dead_tuples int8")
SYS_EMPTY(pg_stat_replication, 12025, 'v',
    "pid int4, usesysid oid, usename name, application_name text, client_addr text, client_hostname text, client_port int4, "
    "backend_start timestamptz, backend_xmin oid, state text, sent_lsn text, write_lsn text, flush_lsn text, replay_lsn text, "
    "write_lag interval, flush_lag interval, replay_lag interval, sync_priority int4, sync_state text, reply_time timestamptz")
SYS_EMPTY(pg_stat_ssl, 12026, 'v',
    "pid int4, ssl bool, version text, cipher text, bits int4, client_dn text, client_serial numeric, issuer_dn text")
SYS_EMPTY(pg_stat_user_indexes, 12027, 'v',
    "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_scan int8, idx_tup_read int8, idx_tup_fetch "
    "int8")
SYS_RELATION(pg_stat_user_tables, 12028, 'v', sys_fill_stat_user_tables,
    "relid oid, schemaname name, relname name, seq_scan int8, seq_tup_read int8, idx_scan int8, idx_tup_fetch int8, n_tup_ins int8,"
    " n_tup_upd int8, n_tup_del int8, n_tup_hot_upd int8, n_live_tup int8, n_dead_tup int8, n_mod_since_analyze int8, "
    "n_ins_since_vacuum int8, last_vacuum timestamptz, last_autovacuum timestamptz, last_analyze timestamptz, last_autoanalyze "
    "timestamptz, vacuum_count int8, autovacuum_count int8, analyze_count int8, autoanalyze_count int8")
SYS_EMPTY(pg_statio_all_tables, 12029, 'v',
    "relid oid, schemaname name, relname name, heap_blks_read int8, heap_blks_hit int8, idx_blks_read int8, idx_blks_hit int8, "
    "toast_blks_read int8, toast_blks_hit int8, tidx_blks_read int8, tidx_blks_hit int8")
SYS_EMPTY(pg_statio_user_indexes, 12030, 'v',
    "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name, idx_blks_read int8, idx_blks_hit int8")
SYS_EMPTY(pg_statio_user_tables, 12031, 'v',
    "relid oid, schemaname name, relname name, heap_blks_read int8, heap_blks_hit int8, idx_blks_read int8, idx_blks_hit int8, "
    "toast_blks_read int8, toast_blks_hit int8, tidx_blks_read int8, tidx_blks_hit int8")
SYS_EMPTY(pg_statistic, 2619, 'R',
    "starelid oid, staattnum int2, stainherit bool, stanullfrac float4, stawidth int4, stadistinct float4, stakind1 int2, stakind2 "
    "int2, stakind3 int2, stakind4 int2, stakind5 int2, staop1 oid, staop2 oid, staop3 oid, staop4 oid, staop5 oid, stacoll1 oid, "
    "stacoll2 oid, stacoll3 oid, stacoll4 oid, stacoll5 oid, stanumbers1 float4[], stanumbers2 float4[], stanumbers3 float4[], "
    "stanumbers4 float4[], stanumbers5 float4[], stavalues1 text, stavalues2 text, stavalues3 text, stavalues4 text, stavalues5 "
    "text")
SYS_EMPTY(pg_statistic_ext, 3381, 'r',
    "oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid, stxstattarget int4, stxkeys int2vector, stxkind char[], "
    "stxexprs pg_node_tree")
SYS_EMPTY(pg_stats, 12032, 'v',
    "schemaname name, tablename name, attname name, inherited bool, null_frac float4, avg_width int4, n_distinct float4, "
    "most_common_vals text, most_common_freqs float4[], histogram_bounds text, correlation float4, most_common_elems text, "
    "most_common_elem_freqs float4[], elem_count_histogram float4[]")
SYS_EMPTY(pg_subscription, 6100, 'r',
    "oid oid, subdbid oid, subskiplsn text, subname name, subowner oid, subenabled bool, subbinary bool, substream bool, "
    "subtwophasestate char, subdisableonerr bool, subconninfo text, subslotname name, subsynccommit text, subpublications text[]")
SYS_EMPTY(pg_subscription_rel, 6102, 'r', "srsubid oid, srrelid oid, srsubstate char, srsublsn text")
SYS_RELATION(pg_tables, 12033, 'v', sys_fill_tables,
    "schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool, hasrules bool, hastriggers bool, "
    "rowsecurity bool")
SYS_RELATION(pg_tablespace, 1213, 'r', sys_fill_tablespace,
    "oid oid, spcname name, spcowner oid, spcacl aclitem[], spcoptions text[]")
SYS_EMPTY(pg_timezone_abbrevs, 12034, 'v', "abbrev text, utc_offset interval, is_dst bool")
SYS_RELATION(pg_timezone_names, 12035, 'v', sys_fill_timezone_names, "name text, abbrev text, utc_offset interval, is_dst bool")
SYS_FUNCTION(pg_timezone_names, sys_fill_timezone_names, "name text, abbrev text, utc_offset interval, is_dst bool")
SYS_EMPTY(pg_transform, 3576, 'r', "oid oid, trftype oid, trflang oid, trffromsql regproc, trftosql regproc")
SYS_RELATION(pg_trigger, 2620, 'r', sys_fill_trigger,
    "oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype int2, tgenabled char, tgisinternal bool, tgconstrrelid "
    "oid, tgconstrindid oid, tgconstraint oid, tgdeferrable bool, tginitdeferred bool, tgnargs int2, tgattr int2vector, tgargs "
    "bytea, tgqual pg_node_tree, tgoldtable name, tgnewtable name")
SYS_EMPTY(pg_ts_config, 3602, 'r', "oid oid, cfgname name, cfgnamespace oid, cfgowner oid, cfgparser oid")
SYS_EMPTY(pg_ts_dict, 3600, 'r',
    "oid oid, dictname name, dictnamespace oid, dictowner oid, dicttemplate oid, dictinitoption text")
SYS_EMPTY(pg_ts_parser, 3601, 'r',
    "oid oid, prsname name, prsnamespace oid, prsstart regproc, prstoken regproc, prsend regproc, prsheadline regproc, prslextype "
    "regproc")
SYS_EMPTY(pg_ts_template, 3764, 'r', "oid oid, tmplname name, tmplnamespace oid, tmplinit regproc, tmpllexize regproc")
SYS_RELATION(pg_type, 1247, 'r', sys_fill_type,
    "oid oid, typname name, typnamespace oid, typowner oid, typlen int2, typbyval bool, typtype char, typcategory char, "
    "typispreferred bool, typisdefined bool, typdelim char, typrelid oid, typsubscript regproc, typelem oid, typarray oid, typinput"
    " regproc, typoutput regproc, typreceive regproc, typsend regproc, typmodin regproc, typmodout regproc, typanalyze regproc, "
    "typalign char, typstorage char, typnotnull bool, typbasetype oid, typtypmod int4, typndims int4, typcollation oid, "
    "typdefaultbin pg_node_tree, typdefault text, typacl aclitem[]")
SYS_RELATION(pg_user, 12036, 'v', sys_fill_user,
    "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool, passwd text, valuntil "
    "timestamptz, useconfig text[]")
SYS_EMPTY(pg_user_mapping, 1418, 'R', "oid oid, umuser oid, umserver oid, umoptions text[]")
SYS_EMPTY(pg_user_mappings, 12037, 'v', "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions text[]")
SYS_RELATION(pg_views, 12038, 'v', sys_fill_views, "schemaname name, viewname name, viewowner name, definition text")
/* clang-format on */
