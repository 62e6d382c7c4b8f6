/* SPDX-License-Identifier: Apache-2.0
 *
 * information_schema_list.h: the relations of information_schema, as pg_catalog_list.h has those of
 * pg_catalog. */

/* clang-format off */
SYS_RELATION(administrable_role_authorizations, 13001, 'v', sys_fill_i_administrable_roles,
    "grantee name, role_name name, is_grantable yesno")
SYS_RELATION(applicable_roles, 13002, 'v', sys_fill_i_applicable_roles, "grantee name, role_name name, is_grantable yesno")
SYS_EMPTY(attributes, 13003, 'v',
    "udt_catalog name, udt_schema name, udt_name name, attribute_name name, ordinal_position int4, attribute_default varchar, "
    "is_nullable yesno, data_type varchar, character_maximum_length int4, character_octet_length int4, character_set_catalog name, "
    "character_set_schema name, character_set_name name, collation_catalog name, collation_schema name, collation_name name, "
    "numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type varchar, "
    "interval_precision int4, attribute_udt_catalog name, attribute_udt_schema name, attribute_udt_name name, scope_catalog name, "
    "scope_schema name, scope_name name, maximum_cardinality int4, dtd_identifier name, is_derived_reference_attribute yesno")
SYS_RELATION(character_sets, 13004, 'v', sys_fill_i_character_sets,
    "character_set_catalog name, character_set_schema name, character_set_name name, character_repertoire name, form_of_use name, "
    "default_collate_catalog name, default_collate_schema name, default_collate_name name")
SYS_EMPTY(check_constraint_routine_usage, 13005, 'v',
    "constraint_catalog name, constraint_schema name, constraint_name name, specific_catalog name, specific_schema name, "
    "specific_name name")
SYS_RELATION(check_constraints, 13006, 'v', sys_fill_i_check_constraints,
    "constraint_catalog name, constraint_schema name, constraint_name name, check_clause varchar")
SYS_EMPTY(collation_character_set_applicability, 13007, 'v',
    "collation_catalog name, collation_schema name, collation_name name, character_set_catalog name, character_set_schema name, "
    "character_set_name name")
SYS_RELATION(collations, 13008, 'v', sys_fill_i_collations,
    "collation_catalog name, collation_schema name, collation_name name, pad_attribute varchar")
SYS_EMPTY(column_column_usage, 13009, 'v',
    "table_catalog name, table_schema name, table_name name, column_name name, dependent_column name")
SYS_EMPTY(column_domain_usage, 13010, 'v',
    "domain_catalog name, domain_schema name, domain_name name, table_catalog name, table_schema name, table_name name, column_name"
    " name")
SYS_EMPTY(column_options, 13011, 'v',
    "table_catalog name, table_schema name, table_name name, column_name name, option_name name, option_value varchar")
SYS_RELATION(column_privileges, 13012, 'v', sys_fill_i_column_privileges,
    "grantor name, grantee name, table_catalog name, table_schema name, table_name name, column_name name, privilege_type varchar, "
    "is_grantable yesno")
SYS_RELATION(column_udt_usage, 13013, 'v', sys_fill_i_column_udt_usage,
    "udt_catalog name, udt_schema name, udt_name name, table_catalog name, table_schema name, table_name name, column_name name")
SYS_RELATION(columns, 13014, 'v', sys_fill_i_columns,
    "table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int4, column_default varchar, "
    "is_nullable yesno, data_type varchar, character_maximum_length int4, character_octet_length int4, numeric_precision int4, "
    "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type varchar, interval_precision int4, "
    "character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog name, collation_schema name,"
    " collation_name name, domain_catalog name, domain_schema name, domain_name name, udt_catalog name, udt_schema name, udt_name "
    "name, scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4, dtd_identifier name, "
    "is_self_referencing yesno, is_identity yesno, identity_generation varchar, identity_start varchar, identity_increment varchar,"
    " identity_maximum varchar, identity_minimum varchar, identity_cycle yesno, is_generated varchar, generation_expression "
    "varchar, is_updatable yesno")
SYS_RELATION(constraint_column_usage, 13015, 'v', sys_fill_i_constraint_column_usage,
    "table_catalog name, table_schema name, table_name name, column_name name, constraint_catalog name, constraint_schema name, "
    "constraint_name name")
SYS_RELATION(constraint_table_usage, 13016, 'v', sys_fill_i_constraint_table_usage,
    "table_catalog name, table_schema name, table_name name, constraint_catalog name, constraint_schema name, constraint_name name")
SYS_EMPTY(data_type_privileges, 13017, 'v',
    "object_catalog name, object_schema name, object_name name, object_type varchar, dtd_identifier name")
SYS_EMPTY(domain_constraints, 13018, 'v',
    "constraint_catalog name, constraint_schema name, constraint_name name, domain_catalog name, domain_schema name, domain_name "
    "name, is_deferrable yesno, initially_deferred yesno")
SYS_EMPTY(domain_udt_usage, 13019, 'v',
    "udt_catalog name, udt_schema name, udt_name name, domain_catalog name, domain_schema name, domain_name name")
SYS_EMPTY(domains, 13020, 'v',
    "domain_catalog name, domain_schema name, domain_name name, data_type varchar, character_maximum_length int4, "
    "character_octet_length int4, character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog"
    " name, collation_schema name, collation_name name, numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, "
    "datetime_precision int4, interval_type varchar, interval_precision int4, domain_default varchar, udt_catalog name, udt_schema "
    "name, udt_name name, scope_catalog name, scope_schema name, scope_name name, maximum_cardinality int4, dtd_identifier name")
SYS_RELATION(element_types, 13021, 'v', sys_fill_i_element_types,
    "object_catalog name, object_schema name, object_name name, object_type varchar, collection_type_identifier name, data_type "
    "varchar, character_maximum_length int4, character_octet_length int4, character_set_catalog name, character_set_schema name, "
    "character_set_name name, collation_catalog name, collation_schema name, collation_name name, numeric_precision int4, "
    "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type varchar, interval_precision int4, "
    "domain_default varchar, udt_catalog name, udt_schema name, udt_name name, scope_catalog name, scope_schema name, scope_name "
    "name, maximum_cardinality int4, dtd_identifier name")
SYS_RELATION(enabled_roles, 13022, 'v', sys_fill_i_enabled_roles, "role_name name")
SYS_EMPTY(foreign_data_wrapper_options, 13023, 'v',
    "foreign_data_wrapper_catalog name, foreign_data_wrapper_name name, option_name name, option_value varchar")
SYS_EMPTY(foreign_data_wrappers, 13024, 'v',
    "foreign_data_wrapper_catalog name, foreign_data_wrapper_name name, authorization_identifier name, library_name varchar, "
    "foreign_data_wrapper_language varchar")
SYS_EMPTY(foreign_server_options, 13025, 'v',
    "foreign_server_catalog name, foreign_server_name name, option_name name, option_value varchar")
SYS_EMPTY(foreign_servers, 13026, 'v',
    "foreign_server_catalog name, foreign_server_name name, foreign_data_wrapper_catalog name, foreign_data_wrapper_name name, "
    "foreign_server_type varchar, foreign_server_version varchar, authorization_identifier name")
SYS_EMPTY(foreign_table_options, 13027, 'v',
    "foreign_table_catalog name, foreign_table_schema name, foreign_table_name name, option_name name, option_value varchar")
SYS_EMPTY(foreign_tables, 13028, 'v',
    "foreign_table_catalog name, foreign_table_schema name, foreign_table_name name, foreign_server_catalog name, "
    "foreign_server_name name")
SYS_RELATION(information_schema_catalog_name, 13029, 'v', sys_fill_i_catalog_name, "catalog_name name")
SYS_RELATION(key_column_usage, 13030, 'v', sys_fill_i_key_column_usage,
    "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, table_name name,"
    " column_name name, ordinal_position int4, position_in_unique_constraint int4")
SYS_EMPTY(parameters, 13031, 'v',
    "specific_catalog name, specific_schema name, specific_name name, ordinal_position int4, parameter_mode varchar, is_result "
    "yesno, as_locator yesno, parameter_name name, data_type varchar, character_maximum_length int4, character_octet_length int4, "
    "character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog name, collation_schema name,"
    " collation_name name, numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, "
    "interval_type varchar, interval_precision int4, udt_catalog name, udt_schema name, udt_name name, scope_catalog name, "
    "scope_schema name, scope_name name, maximum_cardinality int4, dtd_identifier name, parameter_default varchar")
SYS_RELATION(referential_constraints, 13032, 'v', sys_fill_i_referential_constraints,
    "constraint_catalog name, constraint_schema name, constraint_name name, unique_constraint_catalog name, "
    "unique_constraint_schema name, unique_constraint_name name, match_option varchar, update_rule varchar, delete_rule varchar")
SYS_RELATION(role_column_grants, 13033, 'v', sys_fill_i_column_privileges,
    "grantor name, grantee name, table_catalog name, table_schema name, table_name name, column_name name, privilege_type varchar, "
    "is_grantable yesno")
SYS_EMPTY(role_routine_grants, 13034, 'v',
    "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name name, routine_catalog name, "
    "routine_schema name, routine_name name, privilege_type varchar, is_grantable yesno")
SYS_RELATION(role_table_grants, 13035, 'v', sys_fill_i_table_privileges,
    "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type varchar, is_grantable "
    "yesno, with_hierarchy yesno")
SYS_EMPTY(role_udt_grants, 13036, 'v',
    "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, privilege_type varchar, is_grantable yesno")
SYS_RELATION(role_usage_grants, 13037, 'v', sys_fill_i_usage_privileges,
    "grantor name, grantee name, object_catalog name, object_schema name, object_name name, object_type varchar, privilege_type "
    "varchar, is_grantable yesno")
SYS_EMPTY(routine_column_usage, 13038, 'v',
    "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name,"
    " table_catalog name, table_schema name, table_name name, column_name name")
SYS_EMPTY(routine_privileges, 13039, 'v',
    "grantor name, grantee name, specific_catalog name, specific_schema name, specific_name name, routine_catalog name, "
    "routine_schema name, routine_name name, privilege_type varchar, is_grantable yesno")
SYS_EMPTY(routine_routine_usage, 13040, 'v',
    "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name")
SYS_EMPTY(routine_sequence_usage, 13041, 'v',
    "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name,"
    " sequence_catalog name, sequence_schema name, sequence_name name")
SYS_EMPTY(routine_table_usage, 13042, 'v',
    "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name,"
    " table_catalog name, table_schema name, table_name name")
SYS_EMPTY(routines, 13043, 'v',
    "specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name, routine_name name,"
    " routine_type varchar, module_catalog name, module_schema name, module_name name, udt_catalog name, udt_schema name, udt_name "
    "name, data_type varchar, character_maximum_length int4, character_octet_length int4, character_set_catalog name, "
    "character_set_schema name, character_set_name name, collation_catalog name, collation_schema name, collation_name name, "
    "numeric_precision int4, numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type varchar, "
    "interval_precision int4, type_udt_catalog name, type_udt_schema name, type_udt_name name, scope_catalog name, scope_schema "
    "name, scope_name name, maximum_cardinality int4, dtd_identifier name, routine_body varchar, routine_definition varchar, "
    "external_name varchar, external_language varchar, parameter_style varchar, is_deterministic yesno, sql_data_access varchar, "
    "is_null_call yesno, sql_path varchar, schema_level_routine yesno, max_dynamic_result_sets int4, is_user_defined_cast yesno, "
    "is_implicitly_invocable yesno, security_type varchar, to_sql_specific_catalog name, to_sql_specific_schema name, "
    "to_sql_specific_name name, as_locator yesno, created timestamptz, last_altered timestamptz, new_savepoint_level yesno, "
    "is_udt_dependent yesno, result_cast_from_data_type varchar, result_cast_as_locator yesno, result_cast_char_max_length int4, "
    "result_cast_char_octet_length int4, result_cast_char_set_catalog name, result_cast_char_set_schema name, "
    "result_cast_char_set_name name, result_cast_collation_catalog name, result_cast_collation_schema name, "
    "result_cast_collation_name name, result_cast_numeric_precision int4, result_cast_numeric_precision_radix int4, "
    "result_cast_numeric_scale int4, result_cast_datetime_precision int4, result_cast_interval_type varchar, "
    "result_cast_interval_precision int4, result_cast_type_udt_catalog name, result_cast_type_udt_schema name, "
    "result_cast_type_udt_name name, result_cast_scope_catalog name, result_cast_scope_schema name, result_cast_scope_name name, "
    "result_cast_maximum_cardinality int4, result_cast_dtd_identifier name")
SYS_RELATION(schemata, 13044, 'v', sys_fill_i_schemata,
    "catalog_name name, schema_name name, schema_owner name, default_character_set_catalog name, default_character_set_schema name,"
    " default_character_set_name name, sql_path varchar")
SYS_RELATION(sequences, 13045, 'v', sys_fill_i_sequences,
    "sequence_catalog name, sequence_schema name, sequence_name name, data_type varchar, numeric_precision int4, "
    "numeric_precision_radix int4, numeric_scale int4, start_value varchar, minimum_value varchar, maximum_value varchar, increment"
    " varchar, cycle_option yesno")
SYS_EMPTY(sql_features, 13046, 'r',
    "feature_id varchar, feature_name varchar, sub_feature_id varchar, sub_feature_name varchar, is_supported yesno, is_verified_by"
    " varchar, comments varchar")
SYS_EMPTY(sql_implementation_info, 13047, 'r',
    "implementation_info_id varchar, implementation_info_name varchar, integer_value int4, character_value varchar, comments "
    "varchar")
SYS_EMPTY(sql_parts, 13048, 'R',
    "feature_id varchar, feature_name varchar, is_supported yesno, is_verified_by varchar, comments varchar")
SYS_EMPTY(sql_sizing, 13049, 'r', "sizing_id int4, sizing_name varchar, supported_value int4, comments varchar")
SYS_RELATION(table_constraints, 13050, 'v', sys_fill_i_table_constraints,
    "constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name, table_schema name, table_name name,"
    " constraint_type varchar, is_deferrable yesno, initially_deferred yesno, enforced yesno, nulls_distinct yesno")
SYS_RELATION(table_privileges, 13051, 'v', sys_fill_i_table_privileges,
    "grantor name, grantee name, table_catalog name, table_schema name, table_name name, privilege_type varchar, is_grantable "
    "yesno, with_hierarchy yesno")
SYS_RELATION(tables, 13052, 'v', sys_fill_i_tables,
    "table_catalog name, table_schema name, table_name name, table_type varchar, self_referencing_column_name name, "
    "reference_generation varchar, user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name name, "
    "is_insertable_into yesno, is_typed yesno, commit_action varchar")
SYS_EMPTY(transforms, 13053, 'V',
    "udt_catalog name, udt_schema name, udt_name name, specific_catalog name, specific_schema name, specific_name name, group_name "
    "name, transform_type varchar")
SYS_EMPTY(triggered_update_columns, 13054, 'v',
    "trigger_catalog name, trigger_schema name, trigger_name name, event_object_catalog name, event_object_schema name, "
    "event_object_table name, event_object_column name")
SYS_EMPTY(triggers, 13055, 'v',
    "trigger_catalog name, trigger_schema name, trigger_name name, event_manipulation varchar, event_object_catalog name, "
    "event_object_schema name, event_object_table name, action_order int4, action_condition varchar, action_statement varchar, "
    "action_orientation varchar, action_timing varchar, action_reference_old_table name, action_reference_new_table name, "
    "action_reference_old_row name, action_reference_new_row name, created timestamptz")
SYS_EMPTY(udt_privileges, 13056, 'v',
    "grantor name, grantee name, udt_catalog name, udt_schema name, udt_name name, privilege_type varchar, is_grantable yesno")
SYS_RELATION(usage_privileges, 13057, 'v', sys_fill_i_usage_privileges,
    "grantor name, grantee name, object_catalog name, object_schema name, object_name name, object_type varchar, privilege_type "
    "varchar, is_grantable yesno")
SYS_EMPTY(user_defined_types, 13058, 'v',
    "user_defined_type_catalog name, user_defined_type_schema name, user_defined_type_name name, user_defined_type_category "
    "varchar, is_instantiable yesno, is_final yesno, ordering_form varchar, ordering_category varchar, ordering_routine_catalog "
    "name, ordering_routine_schema name, ordering_routine_name name, reference_type varchar, data_type varchar, "
    "character_maximum_length int4, character_octet_length int4, character_set_catalog name, character_set_schema name, "
    "character_set_name name, collation_catalog name, collation_schema name, collation_name name, numeric_precision int4, "
    "numeric_precision_radix int4, numeric_scale int4, datetime_precision int4, interval_type varchar, interval_precision int4, "
    "source_dtd_identifier name, ref_dtd_identifier name")
SYS_EMPTY(user_mapping_options, 13059, 'v',
    "authorization_identifier name, foreign_server_catalog name, foreign_server_name name, option_name name, option_value varchar")
SYS_EMPTY(user_mappings, 13060, 'v', "authorization_identifier name, foreign_server_catalog name, foreign_server_name name")
SYS_RELATION(view_column_usage, 13061, 'v', sys_fill_i_view_column_usage,
    "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema name, table_name name, column_name name")
SYS_EMPTY(view_routine_usage, 13062, 'v',
    "table_catalog name, table_schema name, table_name name, specific_catalog name, specific_schema name, specific_name name")
SYS_RELATION(view_table_usage, 13063, 'v', sys_fill_i_view_table_usage,
    "view_catalog name, view_schema name, view_name name, table_catalog name, table_schema name, table_name name")
SYS_RELATION(views, 13064, 'v', sys_fill_i_views,
    "table_catalog name, table_schema name, table_name name, view_definition varchar, check_option varchar, is_updatable yesno, "
    "is_insertable_into yesno, is_trigger_updatable yesno, is_trigger_deletable yesno, is_trigger_insertable_into yesno")
/* clang-format on */
