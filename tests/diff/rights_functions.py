# SPDX-License-Identifier: Apache-2.0
"""Functions by name, and who may call them: what reads or changes something beyond its arguments has calls that are
tried without rights and with each of them; the rest stands in PURE. A function of pg_proc that is in neither fails the
test, and so does a name that pg_proc no longer has.

A call is the text for Dendro and one of
  SAME        PostgreSQL has the function: whether it refuses, and the value, are the right ones
  STATE       the same, but the values differ by their nature (sizes, clocks, texts of definitions)
  SELECT …    PostgreSQL's spelling of what comes out
  needs(...)  PostgreSQL does not have it: as in rights_cases.py
"""
import re

from rights_cases import ANYONE, SAME, SETTINGS, SUPERUSER, VALUE, needs

STATE = "state"
ON_T = ("'t'", "'t'::regclass")
READS_Q = needs("SELECT ON SEQUENCE q")


def each(name, arguments, answer=SAME):
    return [(f"{name}({a})", answer) for a in arguments]


def inquiry(name, *objects):
    """has_…_privilege: of oneself and of others, by name."""
    return [(f"{name}({who}{o})", SAME) for o in objects for who in ("", "'bob', ", "'alice', ", "'nobody', ")]


def advisory(*names):
    return {name: each(name, ("71", "7, 1"), STATE) for name in names}


# Text of a definition, by OID: PostgreSQL shows them to everyone.
DEFINITIONS = {
    "pg_get_viewdef": ("'v'::regclass", "'v'::regclass, true", "'v'"),
    "pg_get_indexdef": ("'t_a'::regclass", "'t_a'::regclass, 1, true"),
    "pg_get_constraintdef": ("0::oid", "0::oid, true"),
    "pg_get_expr": ("NULL, 't'::regclass", "NULL, 't'::regclass, true"),
    "pg_get_ruledef": ("0::oid", "0::oid, true"),
    "pg_get_triggerdef": ("0::oid", "0::oid, true"),
    "pg_get_statisticsobjdef": ("0::oid",),
    "pg_get_statisticsobjdef_columns": ("0::oid",),
    "pg_get_partkeydef": ("'t'::regclass",),
    "pg_get_partition_constraintdef": ("'t'::regclass",),
    "pg_get_functiondef": ("0::oid",),
    "pg_get_function_arguments": ("0::oid",),
    "pg_get_function_identity_arguments": ("0::oid",),
    "pg_get_function_result": ("0::oid",),
    "pg_get_function_sqlbody": ("0::oid",),
    "pg_tablespace_location": ("1663::oid",),
    "pg_get_serial_sequence": ("'t', 'k'",),
    "pg_relation_is_publishable": ON_T[1:],
    "pg_partition_tree": ON_T[1:],
    "pg_partition_ancestors": ON_T[1:],
}
SIZES = {name: each(name, ON_T[1:], STATE)
         for name in ("pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size")}
VISIBLE = {name: each(name, ("0::oid",), STATE) for name in (
    "pg_collation_is_visible", "pg_conversion_is_visible", "pg_function_is_visible", "pg_opclass_is_visible",
    "pg_operator_is_visible", "pg_opfamily_is_visible", "pg_statistics_obj_is_visible", "pg_ts_config_is_visible",
    "pg_ts_dict_is_visible", "pg_ts_parser_is_visible", "pg_ts_template_is_visible", "pg_type_is_visible")}
# What a session says of itself, and clocks.
OWN = {name: [(f"{name}()", STATE)] for name in (
    "clock_timestamp", "current_database", "current_query", "current_schema", "gen_random_uuid", "getdatabaseencoding",
    "inet_client_addr", "inet_client_port", "inet_server_addr", "inet_server_port", "now", "pg_backend_pid",
    "pg_client_encoding", "pg_is_in_recovery", "pg_my_temp_schema", "pg_postmaster_start_time", "random",
    "statement_timestamp", "timeofday", "transaction_timestamp", "version")}
OWN |= {name: [(name, STATE)] for name in (
    "current_catalog", "current_date", "current_role", "current_time", "current_timestamp", "current_user", "localtime",
    "localtimestamp", "session_user", "user")}

CALLS = OWN | SIZES | VISIBLE | {name: each(name, calls, STATE) for name, calls in DEFINITIONS.items()} | advisory(
    "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_unlock", "pg_advisory_unlock_shared", "pg_advisory_xact_lock",
    "pg_advisory_xact_lock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock_shared", "pg_try_advisory_xact_lock",
    "pg_try_advisory_xact_lock_shared") | {
    # sequences
    "nextval": [("nextval('q')", STATE)],
    "setval": [("setval('q', 5)", STATE), ("setval('q', 5, false)", STATE)],
    "currval": [("currval('q')", STATE)],
    "lastval": [("lastval()", STATE)],
    "pg_sequence_value": [("pg_sequence_value('q')", READS_Q)],
    "pg_sequence_is_called": [("pg_sequence_is_called('q')", READS_Q)],
    # privilege inquiry
    "has_table_privilege": inquiry("has_table_privilege", "'t', 'SELECT'", "'v', 'INSERT'", "'t'::regclass, 'UPDATE'",
                                   "'t', 'DELETE WITH GRANT OPTION'", "'pg_authid', 'SELECT'"),
    "has_column_privilege": inquiry("has_column_privilege", "'t', 'a', 'SELECT'", "'t', 'b', 'UPDATE'", "'t', 2::int2, 'INSERT'"),
    "has_any_column_privilege": inquiry("has_any_column_privilege", "'t', 'SELECT'", "'t', 'INSERT'"),
    "has_database_privilege": inquiry("has_database_privilege", "current_database(), 'CREATE'", "current_database(), 'CONNECT'"),
    "has_schema_privilege": inquiry("has_schema_privilege", "'s', 'USAGE'", "'s', 'CREATE'", "'public', 'CREATE'"),
    "has_sequence_privilege": inquiry("has_sequence_privilege", "'q', 'USAGE'", "'q', 'UPDATE'"),
    "has_tablespace_privilege": inquiry("has_tablespace_privilege", "'pg_default', 'CREATE'"),
    "has_type_privilege": inquiry("has_type_privilege", "'int4', 'USAGE'"),
    "has_function_privilege": each("has_function_privilege", ("0::oid, 'EXECUTE'", "\'bob\', " "0::oid, 'EXECUTE'"), STATE),
    "has_language_privilege": each("has_language_privilege", ("0::oid, 'USAGE'", "\'bob\', " "0::oid, 'USAGE'"), STATE),
    "has_server_privilege": each("has_server_privilege", ("0::oid, 'USAGE'", "\'bob\', " "0::oid, 'USAGE'"), STATE),
    "has_foreign_data_wrapper_privilege": each("has_foreign_data_wrapper_privilege", ("0::oid, 'USAGE'", "\'bob\', " "0::oid, 'USAGE'"), STATE),
    "pg_has_role": inquiry("pg_has_role", "'bob', 'MEMBER'", "'bob', 'USAGE'", "'pg_read_all_stats', 'USAGE'"),
    # settings: those that tell of the machine are not for everyone
    "current_setting": each("current_setting", ("'data_directory'", "'config_file'", "'hba_file'", "'unix_socket_directories'",
                                                "'data_directory', true", "'port'", "'listen_addresses'", "'work_mem'",
                                                "'no.such', true"), STATE)
    + each("current_setting", ("'data'", "'listen'", "'tls_cert'", "'tls_key'", "'tls_key', true"), SETTINGS)
    + each("current_setting", ("'pg_port'", "'max_message'", "'statement_memory'"), ANYONE),
    "set_config": each("set_config", ("'work_mem', '4MB', false", "'log_statement', 'all', false", "'log_statement', 'all', true",
                                      "'data_directory', 'x', false", "'my.own', 'x', true"), STATE)
    + each("set_config", ("'session_memory', '1GB', false", "'session_memory', '1GB', true"), SUPERUSER),
    "pg_reload_conf": [("pg_reload_conf()", STATE)],
    # other sessions, and waiting
    "pg_cancel_backend": each("pg_cancel_backend", ("-7",)),
    "pg_terminate_backend": each("pg_terminate_backend", ("-7", "-7, 1")),
    "pg_advisory_unlock_all": each("pg_advisory_unlock_all", ("",), STATE),
    "pg_sleep": [("pg_sleep(0)", STATE)],
    "pg_sleep_for": [("pg_sleep_for('0 s')", STATE)],
    "pg_sleep_until": [("pg_sleep_until(now())", STATE)],
    "setseed": [("setseed(0.5)", STATE)],
    # the catalog
    "acldefault": each("acldefault", ("'r', 10::oid",), STATE),
    "col_description": each("col_description", ("'t'::regclass, 1",)),
    "obj_description": each("obj_description", ("'t'::regclass, 'pg_class'", "'t'::regclass")),
    "shobj_description": each("shobj_description", ("1::oid, 'pg_database'",), STATE),
    "current_schemas": each("current_schemas", ("true",), STATE),
    "format_type": each("format_type", ("23, NULL",)),
    "enum_first": each("enum_first", ("NULL::mood",)),
    "enum_last": each("enum_last", ("NULL::mood",)),
    "enum_range": each("enum_range", ("NULL::mood",)),
    "pg_database_size": each("pg_database_size", ("current_database()",), STATE),
    "pg_tablespace_size": each("pg_tablespace_size", ("'pg_default'",), STATE),
    "pg_get_userbyid": each("pg_get_userbyid", ("3375::oid", "4200::oid", "3373::oid", "3374::oid", "4544::oid")),
    "pg_is_other_temp_schema": each("pg_is_other_temp_schema", ("0::oid",)),
    "pg_stat_get_numscans": each("pg_stat_get_numscans", ON_T[1:], STATE),
    "pg_table_is_visible": each("pg_table_is_visible", ON_T[1:]),
    "to_regclass": each("to_regclass", ("'t'",), STATE)
    + each("to_regclass", ("'s.x'",), ANYONE),  # pg_class tells as much
    "to_regnamespace": each("to_regnamespace", ("'s'",)),
    "to_regproc": each("to_regproc", ("'nextval'",), STATE),
    "to_regrole": each("to_regrole", ("'bob'", "'pg_monitor'")),
    "to_regtype": each("to_regtype", ("'mood'",)),
    "pg_export_snapshot": [("pg_export_snapshot()", STATE)],
    # ours
    "dendro_confirm_clock": each("dendro_confirm_clock", ("current_date",), SUPERUSER),
    "dendro_test_clock_advance": each("dendro_test_clock_advance", ("INTERVAL '1 s'",), SUPERUSER),
    "partition_info": [(f"partition_info('tpd', '{what}')", f"SELECT '{VALUE}null'") for what in ("tables", "json")],
    "ttl": [("(SELECT ttl(t) FROM t LIMIT 1)", needs("SELECT ON t", "SELECT (k) ON t", "SELECT (a) ON t", "SELECT (k, a) ON t",
                                                     "pg_read_all_data", "owner of t"))],
    "expires_at": [("(SELECT expires_at(t) FROM t LIMIT 1)", needs("SELECT ON t", "SELECT (k) ON t", "SELECT (a) ON t",
                                                                   "SELECT (k, a) ON t", "pg_read_all_data", "owner of t"))],
}

# Relations of pg_catalog and information_schema that PostgreSQL does not have: each shows what its reader may see.
RELATIONS = {f"pg_catalog.{name}" for name in (
    "comdb2_cron_events", "comdb2_cron_schedulers", "comdb2_logical_cron", "comdb2_timepartevents", "comdb2_timepartitions",
    "comdb2_timepartpermissions", "comdb2_timepartshards", "dendro_partitions")}

# What these answer follows from their arguments, and from the session's ways to write values.
PURE = set("""
_aclexplode_grantable _aclexplode_grantee _aclexplode_privilege _name_byte _pg_expandarray _pg_n _pg_options_value
_pg_partition_leaf _pg_partition_level _pg_partition_parent _pg_x abs aclexplode acos acosd acosh age array_agg array_append
array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions array_prepend
array_remove array_replace array_set array_set_slice array_slice array_subscript array_to_string array_upper ascii asin asind
asinh atan atan2 atan2d atand atanh avg bit_and bit_count bit_length bit_or bit_xor bool_and bool_or btrim cardinality cbrt
ceil ceiling char_length character_length chr concat concat_ws convert convert_from convert_to corr cos cosd cosh cot cotd
count covar_pop covar_samp cume_dist date_bin date_part date_trunc decode degrees dense_rank div encode epoch_ms epoch_ns
epoch_us every exp extract factorial first first_value floor format gcd generate_series generate_subscripts get_bit get_byte
greatest initcap is_normalized isfinite json_build_array json_build_object justify_days justify_hours justify_interval lag
last last_value lcm lead least left length ln log log10 log2 lower lpad ltrim make_date make_interval make_time
make_timestamp make_timestamptz max md5 mean min min_scale mod mode normalize nth_value ntile num_nonnulls num_nulls
octet_length overlaps overlay parse_ident percent_rank percentile_cont percentile_disc pg_char_to_encoding
pg_encoding_to_char pg_options_to_table pg_size_pretty pg_typeof pi pow power quote_ident quote_literal quote_nullable
radians rank regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy
regr_syy repeat replace reverse right round row_number rpad rtrim scale set_bit set_byte sha224 sha256 sha384 sha512 sign sin
sind sinh split_part sqrt starts_with stddev stddev_pop stddev_samp string_agg string_to_array string_to_table strpos substr
substring sum tan tand tanh time time_bucket timestamp timestamptz timezone to_char to_date to_hex to_number to_timestamp token translate trim
trim_array trim_scale trunc typeof unistr unnest upper var_pop var_samp variance width_bucket
""".split())


def cases(functions, relations, proc_list):
    """Cases by kind, as in rights_cases.py. functions, relations: those that there are; proc_list: pg_proc_list.h, which
    has functions that are not called."""
    never = set(re.findall(r'SYS_PROC\(\d+, "(\w+)"', open(proc_list, encoding="utf-8").read()))
    wrong = [f"{name} has no row" for name in sorted(functions - never - PURE - set(CALLS))]
    wrong += [f"{name} has a row, but there is no such function" for name in sorted((PURE | set(CALLS)) - functions)]
    wrong += [f"{name} has calls and is called pure" for name in sorted(PURE & set(CALLS))]
    if wrong:
        raise SystemExit("rights_functions.py: " + "; ".join(wrong))
    found = {}
    for name, calls in CALLS.items():
        found[f"function {name}"] = [
            (f"SELECT '{VALUE}' || coalesce(({call})::text, 'null')" if answer == SAME or str(answer).startswith("SELECT")
             else f"SELECT {call}",
             SAME if answer == STATE else answer) for call, answer in calls]
    for name in sorted(relations):
        found[f"relation {name}"] = [(f"SELECT count(*) FROM {name}", ANYONE if name in RELATIONS else SAME)]
    return found
