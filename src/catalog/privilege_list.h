/* SPDX-License-Identifier: Apache-2.0
 *
 * privilege_list.h: DN_PRIVILEGE(NAME, "sql", 'letter', kinds). What can be granted, on which kinds
 * of objects (bits 1 << enum access_kind), and the letter that stands for it in lists of
 * privileges. The order is that of the bits, which are kept in the catalog: append only. */

/* clang-format off */
DN_PRIVILEGE(INSERT,     "INSERT",     'a', 1u << ACCESS_RELATION)
DN_PRIVILEGE(SELECT,     "SELECT",     'r', 1u << ACCESS_RELATION | 1u << ACCESS_SEQUENCE)
DN_PRIVILEGE(UPDATE,     "UPDATE",     'w', 1u << ACCESS_RELATION | 1u << ACCESS_SEQUENCE)
DN_PRIVILEGE(DELETE,     "DELETE",     'd', 1u << ACCESS_RELATION)
DN_PRIVILEGE(TRUNCATE,   "TRUNCATE",   'D', 1u << ACCESS_RELATION)
DN_PRIVILEGE(REFERENCES, "REFERENCES", 'x', 1u << ACCESS_RELATION)
DN_PRIVILEGE(TRIGGER,    "TRIGGER",    't', 1u << ACCESS_RELATION)
DN_PRIVILEGE(USAGE,      "USAGE",      'U', 1u << ACCESS_SCHEMA | 1u << ACCESS_SEQUENCE)
DN_PRIVILEGE(CREATE,     "CREATE",     'C', 1u << ACCESS_SCHEMA | 1u << ACCESS_DATABASE)
DN_PRIVILEGE(CONNECT,    "CONNECT",    'c', 1u << ACCESS_DATABASE)
DN_PRIVILEGE(TEMPORARY,  "TEMPORARY",  'T', 1u << ACCESS_DATABASE)
/* clang-format on */
