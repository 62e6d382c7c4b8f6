/* SPDX-License-Identifier: Apache-2.0
 *
 * relations_info.c: the relations of information_schema, as PostgreSQL 15 has them: number, kind,
 * columns in order. Those without a function to fill them have no rows here. */
#include "system/system_int.h"

/* clang-format off */
static const struct sys_relation rows[] = {
    {"administrable_role_authorizations", 13001, 'v', NULL,
     "grantee name, role_name name, is_grantable text"},
    {"applicable_roles", 13002, 'v', NULL,
     "grantee name, role_name name, is_grantable text"},
    {"attributes", 13003, 'v', NULL,
     "udt_catalog name, udt_schema name, udt_name name, attribute_name name, ordinal_position "
     "int4, attribute_default text, is_nullable text, data_type text, character_maximum_length "
     "int4, character_octet_length int4, character_set_catalog name, character_set_schema "
     "name, character_set_name name, collation_catalog name, collation_schema name, "
     "collation_name name, numeric_precision int4, numeric_precision_radix int4, numeric_scale "
     "int4, datetime_precision int4, interval_type text, interval_precision int4, "
     "attribute_udt_catalog name, attribute_udt_schema name, attribute_udt_name name, "
     "scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4, "
     "dtd_identifier name, is_derived_reference_attribute text"},
    {"character_sets", 13004, 'v', sys_fill_i_character_sets,
     "character_set_catalog name, character_set_schema name, character_set_name name, "
     "character_repertoire name, form_of_use name, default_collate_catalog name, "
     "default_collate_schema name, default_collate_name name"},
    {"check_constraint_routine_usage", 13005, 'v', NULL,
     "constraint_catalog name, constraint_schema name, constraint_name name, specific_catalog "
     "name, specific_schema name, specific_name name"},
    {"check_constraints", 13006, 'v', sys_fill_i_check_constraints,
     "constraint_catalog name, constraint_schema name, constraint_name name, check_clause text"},
    {"collation_character_set_applicability", 13007, 'v', NULL,
     "collation_catalog name, collation_schema name, collation_name name, "
     "character_set_catalog name, character_set_schema name, character_set_name name"},
    {"collations", 13008, 'v', sys_fill_i_collations,
     "collation_catalog name, collation_schema name, collation_name name, pad_attribute text"},
    {"column_column_usage", 13009, 'v', NULL,
     "table_catalog name, table_schema name, table_name name, column_name name, "
     "dependent_column name"},
    {"column_domain_usage", 13010, 'v', NULL,
     "domain_catalog name, domain_schema name, domain_name name, table_catalog name, "
     "table_schema name, table_name name, column_name name"},
    {"column_options", 13011, 'v', NULL,
     "table_catalog name, table_schema name, table_name name, column_name name, option_name "
     "name, option_value text"},
    {"column_privileges", 13012, 'v', sys_fill_i_column_privileges,
     "grantor name, grantee name, table_catalog name, table_schema name, table_name name, "
     "column_name name, privilege_type text, is_grantable text"},
    {"column_udt_usage", 13013, 'v', sys_fill_i_column_udt_usage,
     "udt_catalog name, udt_schema name, udt_name name, table_catalog name, table_schema name, "
     "table_name name, column_name name"},
    {"columns", 13014, 'v', sys_fill_i_columns,
     "table_catalog name, table_schema name, table_name name, column_name name, "
     "ordinal_position int4, column_default text, is_nullable text, data_type text, "
     "character_maximum_length int4, character_octet_length int4, numeric_precision int4, "
     "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type "
     "text, interval_precision int4, character_set_catalog name, character_set_schema name, "
     "character_set_name name, collation_catalog name, collation_schema name, collation_name "
     "name, domain_catalog name, domain_schema name, domain_name name, udt_catalog name, "
     "udt_schema name, udt_name name, scope_catalog name, scope_schema name, scope_name name, "
     "maximum_cardinality int4, dtd_identifier name, is_self_referencing text, is_identity "
     "text, identity_generation text, identity_start text, identity_increment text, "
     "identity_maximum text, identity_minimum text, identity_cycle text, is_generated text, "
     "generation_expression text, is_updatable text"},
    {"constraint_column_usage", 13015, 'v', sys_fill_i_constraint_column_usage,
     "table_catalog name, table_schema name, table_name name, column_name name, "
     "constraint_catalog name, constraint_schema name, constraint_name name"},
    {"constraint_table_usage", 13016, 'v', sys_fill_i_constraint_table_usage,
     "table_catalog name, table_schema name, table_name name, constraint_catalog name, "
     "constraint_schema name, constraint_name name"},
    {"data_type_privileges", 13017, 'v', NULL,
     "object_catalog name, object_schema name, object_name name, object_type text, "
     "dtd_identifier name"},
    {"domain_constraints", 13018, 'v', NULL,
     "constraint_catalog name, constraint_schema name, constraint_name name, domain_catalog "
     "name, domain_schema name, domain_name name, is_deferrable text, initially_deferred text"},
    {"domain_udt_usage", 13019, 'v', NULL,
     "udt_catalog name, udt_schema name, udt_name name, domain_catalog name, domain_schema "
     "name, domain_name name"},
    {"domains", 13020, 'v', NULL,
     "domain_catalog name, domain_schema name, domain_name name, data_type text, "
     "character_maximum_length int4, character_octet_length int4, character_set_catalog name, "
     "character_set_schema name, character_set_name name, collation_catalog name, "
     "collation_schema name, collation_name name, numeric_precision int4, "
     "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type "
     "text, interval_precision int4, domain_default text, udt_catalog name, udt_schema name, "
     "udt_name name, scope_catalog name, scope_schema name, scope_name name, "
     "maximum_cardinality int4, dtd_identifier name"},
    {"element_types", 13021, 'v', sys_fill_i_element_types,
     "object_catalog name, object_schema name, object_name name, object_type text, "
     "collection_type_identifier name, data_type text, character_maximum_length int4, "
     "character_octet_length int4, character_set_catalog name, character_set_schema name, "
     "character_set_name name, collation_catalog name, collation_schema name, collation_name "
     "name, numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, "
     "datetime_precision int4, interval_type text, interval_precision int4, domain_default "
     "text, udt_catalog name, udt_schema name, udt_name name, scope_catalog name, scope_schema "
     "name, scope_name name, maximum_cardinality int4, dtd_identifier name"},
    {"enabled_roles", 13022, 'v', sys_fill_i_enabled_roles,
     "role_name name"},
    {"foreign_data_wrapper_options", 13023, 'v', NULL,
     "foreign_data_wrapper_catalog name, foreign_data_wrapper_name name, option_name name, "
     "option_value text"},
    {"foreign_data_wrappers", 13024, 'v', NULL,
     "foreign_data_wrapper_catalog name, foreign_data_wrapper_name name, "
     "authorization_identifier name, library_name text, foreign_data_wrapper_language text"},
    {"foreign_server_options", 13025, 'v', NULL,
     "foreign_server_catalog name, foreign_server_name name, option_name name, option_value "
     "text"},
    {"foreign_servers", 13026, 'v', NULL,
     "foreign_server_catalog name, foreign_server_name name, foreign_data_wrapper_catalog "
     "name, foreign_data_wrapper_name name, foreign_server_type text, foreign_server_version "
     "text, authorization_identifier name"},
    {"foreign_table_options", 13027, 'v', NULL,
     "foreign_table_catalog name, foreign_table_schema name, foreign_table_name name, "
     "option_name name, option_value text"},
    {"foreign_tables", 13028, 'v', NULL,
     "foreign_table_catalog name, foreign_table_schema name, foreign_table_name name, "
     "foreign_server_catalog name, foreign_server_name name"},
    {"information_schema_catalog_name", 13029, 'v', sys_fill_i_catalog_name,
     "catalog_name name"},
    {"key_column_usage", 13030, 'v', sys_fill_i_key_column_usage,
     "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog "
     "name, table_schema name, table_name name, column_name name, ordinal_position int4, "
     "position_in_unique_constraint int4"},
    {"parameters", 13031, 'v', NULL,
     "specific_catalog name, specific_schema name, specific_name name, ordinal_position int4, "
     "parameter_mode text, is_result text, as_locator text, parameter_name name, data_type "
     "text, character_maximum_length int4, character_octet_length int4, character_set_catalog "
     "name, character_set_schema name, character_set_name name, collation_catalog name, "
     "collation_schema name, collation_name name, numeric_precision int4, "
     "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type "
     "text, interval_precision int4, udt_catalog name, udt_schema name, udt_name name, "
     "scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4, "
     "dtd_identifier name, parameter_default text"},
    {"referential_constraints", 13032, 'v', sys_fill_i_referential_constraints,
     "constraint_catalog name, constraint_schema name, constraint_name name, "
     "unique_constraint_catalog name, unique_constraint_schema name, unique_constraint_name "
     "name, match_option text, update_rule text, delete_rule text"},
    {"role_column_grants", 13033, 'v', sys_fill_i_column_privileges,
     "grantor name, grantee name, table_catalog name, table_schema name, table_name name, "
     "column_name name, privilege_type text, is_grantable text"},
    {"role_routine_grants", 13034, 'v', NULL,
     "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name "
     "name, routine_catalog name, routine_schema name, routine_name name, privilege_type text, "
     "is_grantable text"},
    {"role_table_grants", 13035, 'v', sys_fill_i_table_privileges,
     "grantor name, grantee name, table_catalog name, table_schema name, table_name name, "
     "privilege_type text, is_grantable text, with_hierarchy text"},
    {"role_udt_grants", 13036, 'v', NULL,
     "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, "
     "privilege_type text, is_grantable text"},
    {"role_usage_grants", 13037, 'v', NULL,
     "grantor name, grantee name, object_catalog name, object_schema name, object_name name, "
     "object_type text, privilege_type text, is_grantable text"},
    {"routine_column_usage", 13038, 'v', NULL,
     "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, "
     "routine_schema name, routine_name name, table_catalog name, table_schema name, "
     "table_name name, column_name name"},
    {"routine_privileges", 13039, 'v', NULL,
     "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name "
     "name, routine_catalog name, routine_schema name, routine_name name, privilege_type text, "
     "is_grantable text"},
    {"routine_routine_usage", 13040, 'v', NULL,
     "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, "
     "routine_schema name, routine_name name"},
    {"routine_sequence_usage", 13041, 'v', NULL,
     "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, "
     "routine_schema name, routine_name name, sequence_catalog name, sequence_schema name, "
     "sequence_name name"},
    {"routine_table_usage", 13042, 'v', NULL,
     "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, "
     "routine_schema name, routine_name name, table_catalog name, table_schema name, "
     "table_name name"},
    {"routines", 13043, 'v', NULL,
     "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, "
     "routine_schema name, routine_name name, routine_type text, module_catalog name, "
     "module_schema name, module_name name, udt_catalog name, udt_schema name, udt_name name, "
     "data_type text, character_maximum_length int4, character_octet_length int4, "
     "character_set_catalog name, character_set_schema name, character_set_name name, "
     "collation_catalog name, collation_schema name, collation_name name, numeric_precision "
     "int4, numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, "
     "interval_type text, interval_precision int4, type_udt_catalog name, type_udt_schema "
     "name, type_udt_name name, scope_catalog name, scope_schema name, scope_name name, "
     "maximum_cardinality int4, dtd_identifier name, routine_body text, routine_definition "
     "text, external_name text, external_language text, parameter_style text, is_deterministic "
     "text, sql_data_access text, is_null_call text, sql_path text, schema_level_routine text, "
     "max_dynamic_result_sets int4, is_user_defined_cast text, is_implicitly_invocable text, "
     "security_type text, to_sql_specific_catalog name, to_sql_specific_schema name, "
     "to_sql_specific_name name, as_locator text, created timestamptz, last_altered "
     "timestamptz, new_savepoint_level text, is_udt_dependent text, result_cast_from_data_type "
     "text, result_cast_as_locator text, result_cast_char_max_length int4, "
     "result_cast_char_octet_length int4, result_cast_char_set_catalog name, "
     "result_cast_char_set_schema name, result_cast_char_set_name name, "
     "result_cast_collation_catalog name, result_cast_collation_schema name, "
     "result_cast_collation_name name, result_cast_numeric_precision int4, "
     "result_cast_numeric_precision_radix int4, result_cast_numeric_scale int4, "
     "result_cast_datetime_precision int4, result_cast_interval_type text, "
     "result_cast_interval_precision int4, result_cast_type_udt_catalog name, "
     "result_cast_type_udt_schema name, result_cast_type_udt_name name, "
     "result_cast_scope_catalog name, result_cast_scope_schema name, result_cast_scope_name "
     "name, result_cast_maximum_cardinality int4, result_cast_dtd_identifier name"},
    {"schemata", 13044, 'v', sys_fill_i_schemata,
     "catalog_name name, schema_name name, schema_owner name, default_character_set_catalog "
     "name, default_character_set_schema name, default_character_set_name name, sql_path text"},
    {"sequences", 13045, 'v', NULL,
     "sequence_catalog name, sequence_schema name, sequence_name name, data_type text, "
     "numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, start_value "
     "text, minimum_value text, maximum_value text, increment text, cycle_option text"},
    {"sql_features", 13046, 'r', NULL,
     "feature_id text, feature_name text, sub_feature_id text, sub_feature_name text, "
     "is_supported text, is_verified_by text, comments text"},
    {"sql_implementation_info", 13047, 'r', NULL,
     "implementation_info_id text, implementation_info_name text, integer_value int4, "
     "character_value text, comments text"},
    {"sql_parts", 13048, 'r', NULL,
     "feature_id text, feature_name text, is_supported text, is_verified_by text, comments "
     "text"},
    {"sql_sizing", 13049, 'r', NULL,
     "sizing_id int4, sizing_name text, supported_value int4, comments text"},
    {"table_constraints", 13050, 'v', sys_fill_i_table_constraints,
     "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog "
     "name, table_schema name, table_name name, constraint_type text, is_deferrable text, "
     "initially_deferred text, enforced text, nulls_distinct text"},
    {"table_privileges", 13051, 'v', sys_fill_i_table_privileges,
     "grantor name, grantee name, table_catalog name, table_schema name, table_name name, "
     "privilege_type text, is_grantable text, with_hierarchy text"},
    {"tables", 13052, 'v', sys_fill_i_tables,
     "table_catalog name, table_schema name, table_name name, table_type text, "
     "self_referencing_column_name name, reference_generation text, user_defined_type_catalog "
     "name, user_defined_type_schema name, user_defined_type_name name, is_insertable_into "
     "text, is_typed text, commit_action text"},
    {"transforms", 13053, 'v', NULL,
     "udt_catalog name, udt_schema name, udt_name name, specific_catalog name, specific_schema "
     "name, specific_name name, group_name name, transform_type text"},
    {"triggered_update_columns", 13054, 'v', NULL,
     "trigger_catalog name, trigger_schema name, trigger_name name, event_object_catalog name, "
     "event_object_schema name, event_object_table name, event_object_column name"},
    {"triggers", 13055, 'v', NULL,
     "trigger_catalog name, trigger_schema name, trigger_name name, event_manipulation text, "
     "event_object_catalog name, event_object_schema name, event_object_table name, "
     "action_order int4, action_condition text, action_statement text, action_orientation "
     "text, action_timing text, action_reference_old_table name, action_reference_new_table "
     "name, action_reference_old_row name, action_reference_new_row name, created timestamptz"},
    {"udt_privileges", 13056, 'v', NULL,
     "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, "
     "privilege_type text, is_grantable text"},
    {"usage_privileges", 13057, 'v', NULL,
     "grantor name, grantee name, object_catalog name, object_schema name, object_name name, "
     "object_type text, privilege_type text, is_grantable text"},
    {"user_defined_types", 13058, 'v', NULL,
     "user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name "
     "name, user_defined_type_category text, is_instantiable text, is_final text, "
     "ordering_form text, ordering_category text, ordering_routine_catalog name, "
     "ordering_routine_schema name, ordering_routine_name name, reference_type text, data_type "
     "text, character_maximum_length int4, character_octet_length int4, character_set_catalog "
     "name, character_set_schema name, character_set_name name, collation_catalog name, "
     "collation_schema name, collation_name name, numeric_precision int4, "
     "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type "
     "text, interval_precision int4, source_dtd_identifier name, ref_dtd_identifier name"},
    {"user_mapping_options", 13059, 'v', NULL,
     "authorization_identifier name, foreign_server_catalog name, foreign_server_name name, "
     "option_name name, option_value text"},
    {"user_mappings", 13060, 'v', NULL,
     "authorization_identifier name, foreign_server_catalog name, foreign_server_name name"},
    {"view_column_usage", 13061, 'v', sys_fill_i_view_column_usage,
     "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema "
     "name, table_name name, column_name name"},
    {"view_routine_usage", 13062, 'v', NULL,
     "table_catalog name, table_schema name, table_name name, specific_catalog name, "
     "specific_schema name, specific_name name"},
    {"view_table_usage", 13063, 'v', sys_fill_i_view_table_usage,
     "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema "
     "name, table_name name"},
    {"views", 13064, 'v', sys_fill_i_views,
     "table_catalog name, table_schema name, table_name name, view_definition text, "
     "check_option text, is_updatable text, is_insertable_into text, is_trigger_updatable "
     "text, is_trigger_deletable text, is_trigger_insertable_into text"},
};
/* clang-format on */

const struct sys_relations sys_info_relations = {"information_schema", rows, DN_ARRAY_SIZE(rows)};
