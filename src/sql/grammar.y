/* SPDX-License-Identifier: Apache-2.0
 *
 * grammar.y: the SQL of Dendro, for lemon. Actions only call the builders of parse_int.h.
 *
 * - Keywords are those of base/keyword_list.h. FREE ones fall back to ID where they are not wanted.
 *   A keyword which may follow where a bare alias may stand has to be RESERVED: lemon tries the
 *   fallback before a default reduction.
 * - Tokens X_* are never read. Each stands where something may be written that Dendro does not do
 *   (unsupported_list.h): at a syntax error sql_error.c asks whether the X_* could have stood there,
 *   and then says so instead of listing what was expected.
 * - NOT_LA is a NOT before IN, BETWEEN or LIKE; it binds like them.
 * - Messages list expected tokens in the order of the %token lines below. */

%name sql_lemon
%token_prefix TK_
%token_type {struct sql_token}
%default_type {struct sql_list}
%extra_context {struct sql_parser *ps}
%stack_size 3000
%start_symbol input

%token RP COMMA LP EQ LBRACE RBRACE COLON.
%token SELECT INSERT UPDATE DELETE CREATE ALTER DROP TRUNCATE SHOW DESCRIBE EXPLAIN ANALYZE SET USE CHECKPOINT FLUSH COPY.
%token ADD RENAME COLUMN.
%token TABLE SCHEMA KEYSPACE INTO VALUES FROM WHERE GROUP HAVING ORDER BY LIMIT OFFSET AS.
%token PRIMARY PARTITION KEY NOT NULL DEFAULT ASC DESC NULLS FIRST LAST.
%token TABLES SCHEMAS KEYSPACES PARTITIONS STATUS IF EXISTS TO ALL DISTINCT CLUSTERING WITH ON TRUE FALSE.
%token CAST PRECISION VARYING WITHOUT TIME ZONE.
%token INTEGER FLOAT STRING BLOB PARAM DURATION ID.
%token DOT TYPECAST PLUS MINUS STAR SLASH PERCENT NE LT LE GT GE AND OR NOT_LA IN IS BETWEEN.
%token CONCAT AMP PIPE HASH LSHIFT RSHIFT TILDE CARET ESCAPE UNKNOWN FIELD.
%token BOTH LEADING TRAILING.
%token OVER FILTER WITHIN AT ISNULL NOTNULL ILLEGAL STOP ROW.
%token CASE CHECK COLLATE CONSTRAINT CROSS ELSE END EXCEPT FETCH FOR FOREIGN FULL ILIKE INNER INTERSECT
  JOIN LATERAL LEFT LIKE NATURAL ONLY REFERENCES RETURNING RIGHT THEN UNION UNIQUE USING WHEN WINDOW.

%fallback ID ADD ALTER ANALYZE ASC BY CHECKPOINT CLUSTERING COLUMN COPY DELETE DESC DESCRIBE DROP EXISTS EXPLAIN
  FIRST FLUSH IF INSERT KEY KEYSPACE KEYSPACES LAST NULLS PARTITION PARTITIONS PRECISION RENAME SCHEMA
  SCHEMAS SET SHOW STATUS TABLES TIME TO TRUNCATE UNKNOWN UPDATE USE VALUES VARYING WITHOUT ZONE.

%left OR.
%left AND.
%right NOT.
%nonassoc IS.
%nonassoc EQ NE LT LE GT GE.
%nonassoc BETWEEN IN LIKE ILIKE NOT_LA.
%nonassoc ESCAPE.
%left X_INFIX CONCAT AMP PIPE HASH LSHIFT RSHIFT TILDE.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%left CARET.
%right SIGN.
%left TYPECAST.

%include {
#include "grammar.h"
#include "sql/ast_expr.h"

#include <string.h>
#include <strings.h>

/* The template is not written for our warnings, and its assertions and trace are for those who work
 * on lemon; what we add to it is little and is called from here. */
#ifndef NDEBUG
#define NDEBUG 1
#endif
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#define YYNOERRORRECOVERY 1
#define sql_lemon_ENGINEALWAYSONSTACK 1
}

%syntax_error { sql_fail_syntax(ps, yymajor, TOKEN); }
%stack_overflow { sql_fail_deep(ps, ps->lx.pos); }

/* STOP stands for the semicolon or the end of the text: lemon reduces by default, so without it what
 * follows a whole statement would go unseen. */
input ::= cmd STOP.
input ::= EXPLAIN cmd STOP. {sql_explain(ps, false, sql_list_none(ps));}
input ::= EXPLAIN ANALYZE cmd STOP. {sql_explain(ps, true, sql_list_none(ps));}
input ::= EXPLAIN LP copy_list(L) RP cmd STOP. {sql_explain(ps, false, L);}
input ::= X_STMT.

/* ---- small things ---- */

%type name {struct sql_token}
name(A) ::= ID(T). {A = T;}
name(A) ::= OVER(T). {A = T;}
name(A) ::= FILTER(T). {A = T;}
name(A) ::= WITHIN(T). {A = T;}
name(A) ::= AT(T). {A = T;}
name(A) ::= ISNULL(T). {A = T;}
name(A) ::= NOTNULL(T). {A = T;}
name(A) ::= ESCAPE(T). {A = T;}

%type qname {struct qual_name *}
qname(A) ::= name(N). {A = sql_qual(ps, NULL, N);}
qname(A) ::= name(S) DOT name(N). {A = sql_qual(ps, &S, N);}

names(A) ::= name(N). {A = sql_list_one(ps, sql_new_name(ps, N));}
names(A) ::= names(L) COMMA name(N). {A = sql_list_add(ps, L, sql_new_name(ps, N));}

%type if_not_exists {int}
if_not_exists(A) ::= . {A = 0;}
if_not_exists(A) ::= IF NOT EXISTS. {A = 1;}
%type if_exists {int}
if_exists(A) ::= . {A = 0;}
if_exists(A) ::= IF EXISTS. {A = 1;}

%type schema_word {int}
schema_word(A) ::= SCHEMA. {A = 0;}
schema_word(A) ::= KEYSPACE. {A = 1;}

/* ---- statements about names ---- */

cmd ::= DROP TABLE if_exists(I) qname(N). {sql_drop_table(ps, N, I != 0);}
cmd ::= DROP schema_word(K) if_exists(I) name(N). {
    sql_stmt_named(ps, STMT_DROP_SCHEMA, sql_qual(ps, NULL, N));
    if (ps->stmt) {
        ps->stmt->if_exists = I != 0;
        ps->stmt->keyspace = K != 0;
    }
}
cmd ::= DROP X_DROP.
cmd ::= USE name(N). {sql_stmt_named(ps, STMT_USE, sql_qual(ps, NULL, N));}
cmd ::= describe qname(N). {sql_stmt_named(ps, STMT_DESCRIBE, N);}
cmd ::= describe TABLE qname(N). {sql_stmt_named(ps, STMT_DESCRIBE, N);}
describe ::= DESCRIBE.
describe ::= DESC.
cmd ::= SHOW TABLES. {sql_stmt(ps, STMT_SHOW_TABLES);}
cmd ::= SHOW schemas_word(K). {struct stmt *s = sql_stmt(ps, STMT_SHOW_SCHEMAS); if (s) s->keyspace = K != 0;}
%type schemas_word {int}
schemas_word(A) ::= SCHEMAS. {A = 0;}
schemas_word(A) ::= KEYSPACES. {A = 1;}
cmd ::= SHOW CREATE TABLE qname(N). {sql_stmt_named(ps, STMT_SHOW_CREATE_TABLE, N);}
cmd ::= SHOW TABLE STATUS qname(N). {sql_stmt_named(ps, STMT_SHOW_TABLE_STATUS, N);}
cmd ::= SHOW PARTITIONS qname(N). {sql_stmt_named(ps, STMT_SHOW_PARTITIONS, N);}
cmd ::= TRUNCATE qname(N). {sql_stmt_named(ps, STMT_TRUNCATE, N);}
cmd ::= TRUNCATE TABLE qname(N). {sql_stmt_named(ps, STMT_TRUNCATE, N);}
cmd ::= SHOW ALL(T). {
    sql_stmt_named(ps, STMT_SHOW_SETTING, sql_qual(ps, NULL, T));
    ps->stmt->name.name = "all";
}
cmd ::= SHOW name(N). {sql_stmt_named(ps, STMT_SHOW_SETTING, sql_qual(ps, NULL, N));}
cmd ::= SET name(N) set_to value(V). {sql_set(ps, N, V);}
cmd ::= SET name(N) set_to DEFAULT. {sql_set(ps, N, NULL);}
set_to ::= EQ.
set_to ::= TO.
cmd ::= CHECKPOINT. {sql_stmt(ps, STMT_CHECKPOINT);}
cmd ::= FLUSH. {sql_stmt(ps, STMT_CHECKPOINT);}

/* ---- values of options and settings ---- */

%type value {struct option_spec *}
value(A) ::= INTEGER(T). {A = sql_value(ps, T, false, T.pos);}
value(A) ::= FLOAT(T). {A = sql_value(ps, T, false, T.pos);}
value(A) ::= MINUS(M) INTEGER(T). {A = sql_value(ps, T, true, M.pos);}
value(A) ::= MINUS(M) FLOAT(T). {A = sql_value(ps, T, true, M.pos);}
value(A) ::= STRING(T). {A = sql_value(ps, T, false, T.pos);}
value(A) ::= TRUE(T). {A = sql_value(ps, T, false, T.pos);}
value(A) ::= FALSE(T). {A = sql_value(ps, T, false, T.pos);}
value(A) ::= ON(T). {A = sql_value(ps, T, false, T.pos);}
value(A) ::= name(T). {A = sql_value(ps, T, false, T.pos);}

%type option {struct option_spec *}
option(A) ::= name(N) EQ value(V). {A = sql_option(ps, N, V);}
option(A) ::= name(N) EQ LBRACE(B) map(M) RBRACE. {A = sql_option(ps, N, sql_map(ps, B.pos, M));}
option(A) ::= name(N) EQ LBRACE(B) RBRACE. {A = sql_option(ps, N, sql_map(ps, B.pos, sql_list_none(ps)));}
map(A) ::= value(K) COLON value(V). {A = sql_list_one(ps, sql_map_entry(ps, K, V));}
map(A) ::= map(L) COMMA value(K) COLON value(V). {A = sql_list_add(ps, L, sql_map_entry(ps, K, V));}

with(A) ::= . {A = sql_list_none(ps);}
with(A) ::= WITH LP options(L) RP. {A = L;}
with(A) ::= WITH and_options(L). {A = L;}
options(A) ::= option(O). {A = sql_list_one(ps, O);}
options(A) ::= options(L) COMMA option(O). {A = sql_list_add(ps, L, O);}
and_options(A) ::= option(O). {A = sql_list_one(ps, O);}
and_options(A) ::= clustering. {A = sql_list_none(ps);}
and_options(A) ::= and_options(L) AND option(O). {A = sql_list_add(ps, L, O);}
and_options(A) ::= and_options(L) AND clustering. {A = L;}
clustering ::= CLUSTERING(T) ORDER BY LP key_list(L) RP. {sql_clustering(ps, T.pos, L);}

/* ---- CREATE ---- */

cmd ::= CREATE schema_word(K) if_not_exists(I) name(N) with(W). {sql_create_schema(ps, K != 0, I != 0, N, W);}
cmd ::= CREATE X_CREATE.
cmd ::= create_table LP table_items create_end with(W). {sql_create_table(ps, W);}
cmd ::= create_table LP table_items create_end with X_TABLE_TAIL.
cmd ::= create_table X_TABLE_AS.
create_table ::= CREATE TABLE if_not_exists(I) qname(N). {sql_create_begin(ps, I != 0, N);}
create_end ::= RP. {sql_create_columns(ps);}
table_items ::= table_item.
table_items ::= table_items COMMA table_item.
table_item ::= column constraints.
table_item ::= primary LP RP. /* the catalog says what is missing */
table_item ::= primary LP key_inner RP.
table_item ::= primary LP key_inner COMMA key_local RP.
table_item ::= primary LP key_local RP.
table_item ::= PARTITION(T) KEY LP names(L) RP. {sql_partition_key(ps, T.pos, L);}
table_item ::= X_TABLE_ITEM.

column ::= name(N) type(T). {sql_column_begin(ps, N, T);}
column ::= PARTITION(N) type(T). {sql_column_begin(ps, N, T);}
constraints ::= .
constraints ::= constraints NOT(T) NULL. {sql_column_null(ps, true, T.pos);}
constraints ::= constraints NULL(T). {sql_column_null(ps, false, T.pos);}
constraints ::= constraints DEFAULT(T) expr(E). {sql_column_default(ps, T.pos, E);}
constraints ::= constraints PRIMARY(T) KEY. {sql_column_primary(ps, T.pos);}
constraints ::= constraints X_CONSTRAINT.

primary ::= PRIMARY(T) KEY. {sql_key_begin(ps, T.pos);}
key_inner ::= LP key_list(L) RP. {sql_key_inner(ps, L);}
key_inner ::= LP RP. {sql_key_inner(ps, sql_list_none(ps));}
key_local ::= key_list(L). {sql_key_local(ps, L);}
key_list(A) ::= key_elem(E). {A = sql_list_one(ps, E);}
key_list(A) ::= key_list(L) COMMA key_elem(E). {A = sql_list_add(ps, L, E);}
%type key_elem {struct key_elem_spec *}
key_elem(A) ::= key_part(E). {A = E;}
key_elem(A) ::= key_part(E) ASC(T). {A = sql_key_order(E, T.pos, false);}
key_elem(A) ::= key_part(E) DESC(T). {A = sql_key_order(E, T.pos, true);}
%type key_part {struct key_elem_spec *}
key_part(A) ::= name(N). {A = sql_key_elem(ps, N);}
key_part(A) ::= name(W) LP name(N) COMMA quantum_count(C) COMMA quantum_unit(U) RP. {A = sql_key_quantum(ps, W, N, C, U);}
%type quantum_count {struct sql_token}
quantum_count(A) ::= INTEGER(T). {A = T;}
quantum_count(A) ::= MINUS(M) INTEGER(T). {A = sql_join_tokens(M, T);}
%type quantum_unit {struct sql_token}
quantum_unit(A) ::= STRING(T). {A = T;}
quantum_unit(A) ::= name(T). {A = T;}

/* ---- types ---- */

%type type {struct sql_type}
type(A) ::= name(N) type_args(L). {A = sql_type(ps, N, 0, L);}
type(A) ::= name(N) PRECISION. {A = sql_type(ps, N, TK_PRECISION, sql_list_none(ps));}
type(A) ::= name(N) VARYING type_args(L). {A = sql_type(ps, N, TK_VARYING, L);}
type(A) ::= name(N) type_args(L) WITH TIME ZONE. {A = sql_type(ps, N, TK_WITH, L);}
type(A) ::= name(N) type_args(L) WITHOUT TIME ZONE. {A = sql_type(ps, N, TK_WITHOUT, L);}
type(A) ::= type(T) X_TYPE. {A = T;}
type_args(A) ::= . {A = sql_list_none(ps);}
type_args(A) ::= LP integers(L) RP. {A = L;}
integers(A) ::= INTEGER(T). {A = sql_list_one(ps, sql_integer(ps, T));}
integers(A) ::= integers(L) COMMA INTEGER(T). {A = sql_list_add(ps, L, sql_integer(ps, T));}

/* ---- INSERT ---- */

cmd ::= insert_into(N) VALUES rows. {sql_insert(ps, N, false, sql_list_none(ps));}
cmd ::= insert_into(N) LP names(L) RP VALUES rows. {sql_insert(ps, N, true, L);}
cmd ::= insert_into X_INSERT.
cmd ::= insert_into LP names RP X_INSERT.
cmd ::= insert_into VALUES rows X_INSERT_TAIL.
cmd ::= insert_into LP names RP VALUES rows X_INSERT_TAIL.
%type insert_into {struct qual_name *}
insert_into(A) ::= INSERT INTO qname(N). {A = N;}
rows ::= row.
rows ::= rows COMMA row.
row ::= LP(T) row_values(L) RP. {sql_insert_row(ps, T.pos, L);}
row ::= ROW. /* parse_rows.c has made it */
row_values(A) ::= row_value(E). {A = sql_list_one(ps, E);}
row_values(A) ::= row_values(L) COMMA row_value(E). {A = sql_list_add(ps, L, E);}
%type row_value {struct expr *}
row_value(A) ::= expr(E). {A = E;}
row_value(A) ::= DEFAULT. {A = NULL;}

/* ---- UPDATE, DELETE ---- */

cmd ::= update_set(C) sets(L) where(W). {sql_update(ps, C, L, W);}
cmd ::= update_set sets where X_CHANGE_TAIL.
cmd ::= delete_from(C) where(W). {sql_delete(ps, C, W);}
cmd ::= delete_from where X_CHANGE_TAIL.
%type update_set {struct change_stmt *}
update_set(A) ::= UPDATE qname(N) SET. {A = sql_change(ps, N, NULL);}
update_set(A) ::= UPDATE qname(N) AS name(T) SET. {A = sql_change(ps, N, &T);}
update_set(A) ::= UPDATE qname(N) ID(T) SET. {A = sql_change(ps, N, &T);}
%type delete_from {struct change_stmt *}
delete_from(A) ::= DELETE FROM qname(N). {A = sql_change(ps, N, NULL);}
delete_from(A) ::= DELETE FROM qname(N) AS name(T). {A = sql_change(ps, N, &T);}
delete_from(A) ::= DELETE FROM qname(N) ID(T). {A = sql_change(ps, N, &T);}
sets(A) ::= set_item(I). {A = sql_list_one(ps, I);}
sets(A) ::= sets(L) COMMA set_item(I). {A = sql_list_add(ps, L, I);}
%type set_item {struct set_item *}
set_item(A) ::= name(N) EQ expr(E). {A = sql_set_item(ps, N, E);}
set_item(A) ::= name(N) EQ DEFAULT. {A = sql_set_item(ps, N, NULL);}

/* ---- ALTER TABLE ---- */

cmd ::= ALTER TABLE if_exists(I) qname(N) alter_actions(L). {sql_alter(ps, I != 0, N, L);}
cmd ::= ALTER X_ALTER.
alter_actions(A) ::= alter_action(I). {A = sql_list_one(ps, I);}
alter_actions(A) ::= alter_actions(L) COMMA alter_action(I). {A = sql_list_add(ps, L, I);}
%type alter_action {struct alter_action *}
alter_action(A) ::= alter_add(B) column constraints. {A = sql_alter_column(ps, B);}
alter_action(A) ::= ADD X_ALTER_ADD. {A = NULL;}
alter_action(A) ::= DROP column_word if_exists(I) name(N). {A = sql_alter_drop(ps, I != 0, N);}
alter_action(A) ::= RENAME column_word name(N) TO name(T). {A = sql_alter_rename(ps, &N, T);}
alter_action(A) ::= RENAME TO name(T). {A = sql_alter_rename(ps, NULL, T);}
alter_action(A) ::= SET LP options(L) RP. {A = sql_alter_set(ps, L);}
alter_action(A) ::= WITH LP options(L) RP. {A = sql_alter_set(ps, L);}
alter_action(A) ::= WITH alter_options(L). {A = sql_alter_set(ps, L);}
alter_action(A) ::= X_ALTER_ACTION. {A = NULL;}
alter_options(A) ::= option(O). {A = sql_list_one(ps, O);}
alter_options(A) ::= alter_options(L) AND option(O). {A = sql_list_add(ps, L, O);}
%type alter_add {struct alter_action *}
alter_add(A) ::= ADD column_word if_not_exists(I). {A = sql_alter_add(ps, I != 0);}
column_word ::= .
column_word ::= COLUMN.

/* ---- COPY ---- */

cmd ::= COPY qname(N) copy_columns(L) FROM copy_file(F) copy_options(O). {sql_copy(ps, true, N, L, F, O);}
cmd ::= COPY qname(N) copy_columns(L) TO copy_file(F) copy_options(O). {sql_copy(ps, false, N, L, F, O);}
cmd ::= COPY LP select RP TO copy_file(F) copy_options(O). {sql_copy_query(ps, F, O);}
copy_columns(A) ::= . {A = sql_list_none(ps);}
copy_columns(A) ::= LP names(L) RP. {A = L;}
%type copy_file {struct sql_token}
copy_file(A) ::= STRING(T). {A = T;}
copy_file(A) ::= X_COPY_FILE(T). {A = T;}
copy_options(A) ::= . {A = sql_list_none(ps);}
copy_options(A) ::= LP copy_list(L) RP. {A = L;}
copy_options(A) ::= WITH LP copy_list(L) RP. {A = L;}
copy_list(A) ::= copy_option(O). {A = sql_list_one(ps, O);}
copy_list(A) ::= copy_list(L) COMMA copy_option(O). {A = sql_list_add(ps, L, O);}
%type copy_option {struct option_spec *}
copy_option(A) ::= name(N). {A = sql_option_on(ps, N);}
copy_option(A) ::= name(N) value(V). {A = sql_option(ps, N, V);}
copy_option(A) ::= NULL(N) value(V). {A = sql_option(ps, N, V);}

/* ---- SELECT ---- */

cmd ::= select.
select ::= SELECT distinct(D) items(I) from(F) where(W) group_by(G) having(H) order_by(O) limit(L). {
    struct query *q = sql_select(ps, D != 0, F, L);
    if (q) {
        struct select_core *s = q->core;
        s->where = W;
        s->having = H;
        q->order_by_count = O.count;
        q->order_by = sql_list_take_structs(ps, O, sizeof(struct order_item));
        s->group_by_count = G.count;
        s->group_by = sql_list_take_structs(ps, G, sizeof(struct group_item));
        s->items_count = I.count;
        s->items = sql_list_take_structs(ps, I, sizeof(struct select_item));
    }
}
select ::= SELECT distinct items from where group_by having order_by limit X_SELECT_TAIL.
%type distinct {int}
distinct(A) ::= . {A = 0;}
distinct(A) ::= ALL. {A = 0;}
distinct(A) ::= DISTINCT. {A = 1;}
distinct(A) ::= DISTINCT X_DISTINCT. {A = 1;}

items(A) ::= item(I). {A = sql_list_one(ps, I);}
items(A) ::= items(L) COMMA item(I). {A = sql_list_add(ps, L, I);}
%type item {struct select_item *}
item(A) ::= item_start(P) expr(E). {A = sql_item(ps, P, E, NULL);}
item(A) ::= item_start(P) expr(E) AS name(N). {A = sql_item(ps, P, E, &N);}
item(A) ::= item_start(P) expr(E) ID(N). {A = sql_item(ps, P, E, &N);}
item(A) ::= item_start(P) STAR(T). {A = sql_item(ps, P, sql_star(ps, NULL, T.pos), NULL);}
item(A) ::= item_start(P) name(N) DOT STAR. {A = sql_item(ps, P, sql_star(ps, &N, N.pos), NULL);}
%type item_start {uint32_t}
item_start(A) ::= . {A = yyLookaheadToken.pos;}

%type from {struct from_item *}
from(A) ::= . {A = NULL;}
from(A) ::= FROM qname(N). {A = sql_from(ps, N, NULL);}
from(A) ::= FROM qname(N) AS name(T). {A = sql_from(ps, N, &T);}
from(A) ::= FROM qname(N) ID(T). {A = sql_from(ps, N, &T);}
from(A) ::= FROM X_FROM. {A = NULL;}
from(A) ::= from(F) X_JOIN. {A = F;}

%type where {struct expr *}
where(A) ::= . {A = NULL;}
where(A) ::= WHERE expr(E). {A = E;}
group_by(A) ::= . {A = sql_list_none(ps);}
group_by(A) ::= GROUP BY groups(L). {A = L;}
groups(A) ::= expr(E). {A = sql_list_one(ps, sql_group(ps, E));}
groups(A) ::= groups(L) COMMA expr(E). {A = sql_list_add(ps, L, sql_group(ps, E));}
group_by(A) ::= GROUP X_GROUP. {A = sql_list_none(ps);}
%type having {struct expr *}
having(A) ::= . {A = NULL;}
having(A) ::= HAVING expr(E). {A = E;}
order_by(A) ::= . {A = sql_list_none(ps);}
order_by(A) ::= ORDER BY orders(L). {A = L;}
orders(A) ::= order(O). {A = sql_list_one(ps, O);}
orders(A) ::= orders(L) COMMA order(O). {A = sql_list_add(ps, L, O);}
%type order {struct order_item *}
order(A) ::= expr(E) direction(D) nulls(N). {A = sql_order(ps, E, D != 0, (enum nulls_order)N);}
%type direction {int}
direction(A) ::= . {A = 0;}
direction(A) ::= ASC. {A = 0;}
direction(A) ::= DESC. {A = 1;}
%type nulls {int}
nulls(A) ::= . {A = NULLS_DEFAULT;}
nulls(A) ::= NULLS FIRST. {A = NULLS_FIRST;}
nulls(A) ::= NULLS LAST. {A = NULLS_LAST;}

%type limit {struct sql_limit *}
limit(A) ::= . {A = NULL;}
limit(A) ::= LIMIT limit_count(L). {A = sql_limit(ps, L, NULL);}
limit(A) ::= OFFSET expr(O). {A = sql_limit(ps, NULL, O);}
limit(A) ::= LIMIT limit_count(L) OFFSET expr(O). {A = sql_limit(ps, L, O);}
limit(A) ::= OFFSET expr(O) LIMIT limit_count(L). {A = sql_limit(ps, L, O);}
limit(A) ::= LIMIT limit_count X_LIMIT. {A = NULL;}
%type limit_count {struct expr *}
limit_count(A) ::= expr(E). {A = E;}
limit_count(A) ::= ALL. {A = NULL;}

/* ---- expressions ---- */

exprs(A) ::= expr(E). {A = sql_list_one(ps, E);}
exprs(A) ::= exprs(L) COMMA expr(E). {A = sql_list_add(ps, L, E);}

%type expr {struct expr *}
expr(A) ::= INTEGER(T). {A = sql_integer(ps, T);}
expr(A) ::= FLOAT(T). {A = sql_float(ps, T);}
expr(A) ::= STRING(T). {A = sql_string(ps, T);}
expr(A) ::= BLOB(T). {A = sql_blob(ps, T);}
expr(A) ::= NULL(T). {A = sql_word(ps, TK_NULL, T);}
expr(A) ::= TRUE(T). {A = sql_word(ps, TK_TRUE, T);}
expr(A) ::= FALSE(T). {A = sql_word(ps, TK_FALSE, T);}
expr(A) ::= PARAM(T). {A = sql_param(ps, T);}
expr(A) ::= DURATION(T). {A = sql_duration(ps, T);}
expr(A) ::= name(N). {A = sql_column(ps, NULL, N);}
expr(A) ::= name(S) DOT name(N). {A = sql_column(ps, &S, N);}
expr(A) ::= LP expr(E) RP. {A = sql_paren(E);}
expr(A) ::= LP expr(E) X_ROW. {A = E;}
expr(A) ::= X_EXPR. {A = NULL;}
expr(A) ::= call(E). {A = E;}
expr(A) ::= call(E) FILTER LP WHERE expr(C) RP. {A = sql_filter(ps, E, C);}
expr(A) ::= call(E) X_CALL. {A = E;}
%type call {struct expr *}
call(A) ::= name(N) LP RP. {A = sql_call(ps, N, sql_list_none(ps), false, false);}
call(A) ::= name(N) LP STAR RP. {A = sql_call(ps, N, sql_list_none(ps), true, false);}
call(A) ::= name(N) LP exprs(L) RP. {A = sql_call(ps, N, L, false, false);}
call(A) ::= name(N) LP DISTINCT exprs(L) RP. {A = sql_call(ps, N, L, false, true);}
call(A) ::= LEFT(N) LP exprs(L) RP. {A = sql_call(ps, N, L, false, false);}
call(A) ::= RIGHT(N) LP exprs(L) RP. {A = sql_call(ps, N, L, false, false);}
call(A) ::= name(N) LP expr(E) FROM(T) expr(F) RP. {A = sql_call_from(ps, N, E, F, NULL, T);}
call(A) ::= name(N) LP expr(E) FROM(T) expr(F) FOR expr(C) RP. {A = sql_call_from(ps, N, E, F, C, T);}
call(A) ::= name(N) LP expr(E) FOR(T) expr(C) RP. {A = sql_call_from(ps, N, E, NULL, C, T);}
call(A) ::= name(N) LP expr(E) IN position_in(P) RP. {A = sql_position(ps, N, E, P);}
call(A) ::= name(N) LP trim_side(S) expr(E) FROM expr(F) RP. {A = sql_trim(ps, N, S, E, F);}
call(A) ::= name(N) LP trim_side(S) FROM expr(F) RP. {A = sql_trim(ps, N, S, NULL, F);}
%type trim_side {int}
trim_side(A) ::= BOTH. {A = TK_BOTH;}
trim_side(A) ::= LEADING. {A = TK_LEADING;}
trim_side(A) ::= TRAILING. {A = TK_TRAILING;}
%type position_in {struct expr *} /* parentheses look like a list: see sql_call */
position_in(A) ::= STRING(T). {A = sql_string(ps, T);}
position_in(A) ::= PARAM(T). {A = sql_param(ps, T);}
position_in(A) ::= name(N). {A = sql_column(ps, NULL, N);}
position_in(A) ::= name(S) DOT name(N). {A = sql_column(ps, &S, N);}
position_in(A) ::= call(E). {A = E;}
position_in(A) ::= CAST(C) LP expr(E) AS type(T) RP. {A = sql_cast(ps, C.pos, E, T);}
position_in(A) ::= position_in(E) TYPECAST(O) type(T). {A = sql_cast(ps, O.pos, E, T);}

expr(A) ::= name(N) STRING(T). {A = sql_typed(ps, N, NULL, 0, T);}
expr(A) ::= name(N) STRING(T) FIELD(F). {A = sql_interval_field(ps, N, T, F);}
expr(A) ::= name(N) WITH TIME ZONE STRING(T). {A = sql_typed(ps, N, NULL, TK_WITH, T);}
expr(A) ::= name(N) WITHOUT TIME ZONE STRING(T). {A = sql_typed(ps, N, NULL, TK_WITHOUT, T);}
expr(A) ::= call(E) STRING(T). {A = sql_typed(ps, T, E, 0, T);}
expr(A) ::= call(E) WITH TIME ZONE STRING(T). {A = sql_typed(ps, T, E, TK_WITH, T);}
expr(A) ::= call(E) WITHOUT TIME ZONE STRING(T). {A = sql_typed(ps, T, E, TK_WITHOUT, T);}
expr(A) ::= CAST(C) LP expr(E) AS type(T) RP. {A = sql_cast(ps, C.pos, E, T);}
expr(A) ::= expr(E) TYPECAST(O) type(T). {A = sql_cast(ps, O.pos, E, T);}

expr(A) ::= CASE(C) whens(W) END. {A = sql_case(ps, C.pos, NULL, W, NULL);}
expr(A) ::= CASE(C) whens(W) ELSE expr(E) END. {A = sql_case(ps, C.pos, NULL, W, E);}
expr(A) ::= CASE(C) expr(O) whens(W) END. {A = sql_case(ps, C.pos, O, W, NULL);}
expr(A) ::= CASE(C) expr(O) whens(W) ELSE expr(E) END. {A = sql_case(ps, C.pos, O, W, E);}
whens(A) ::= WHEN expr(C) THEN expr(V). {A = sql_list_add(ps, sql_list_one(ps, C), V);}
whens(A) ::= whens(L) WHEN expr(C) THEN expr(V). {A = sql_list_add(ps, sql_list_add(ps, L, C), V);}

expr(A) ::= MINUS(O) expr(E). [SIGN] {A = sql_unary(ps, OP_NEG, O.pos, E);}
expr(A) ::= PLUS(O) expr(E). [SIGN] {A = sql_unary(ps, OP_POS, O.pos, E);}
expr(A) ::= NOT(O) expr(E). {A = sql_unary(ps, OP_NOT, O.pos, E);}
expr(A) ::= expr(L) PLUS(O) expr(R). {A = sql_binary(ps, OP_ADD, O.pos, L, R);}
expr(A) ::= expr(L) MINUS(O) expr(R). {A = sql_binary(ps, OP_SUB, O.pos, L, R);}
expr(A) ::= expr(L) STAR(O) expr(R). {A = sql_binary(ps, OP_MUL, O.pos, L, R);}
expr(A) ::= expr(L) SLASH(O) expr(R). {A = sql_binary(ps, OP_DIV, O.pos, L, R);}
expr(A) ::= expr(L) PERCENT(O) expr(R). {A = sql_binary(ps, OP_MOD, O.pos, L, R);}
expr(A) ::= expr(L) CARET(O) expr(R). {A = sql_binary(ps, OP_POWER, O.pos, L, R);}
expr(A) ::= expr(L) CONCAT(O) expr(R). {A = sql_binary(ps, OP_CONCAT, O.pos, L, R);}
expr(A) ::= expr(L) AMP(O) expr(R). {A = sql_binary(ps, OP_BIT_AND, O.pos, L, R);}
expr(A) ::= expr(L) PIPE(O) expr(R). {A = sql_binary(ps, OP_BIT_OR, O.pos, L, R);}
expr(A) ::= expr(L) HASH(O) expr(R). {A = sql_binary(ps, OP_BIT_XOR, O.pos, L, R);}
expr(A) ::= expr(L) LSHIFT(O) expr(R). {A = sql_binary(ps, OP_BIT_LEFT, O.pos, L, R);}
expr(A) ::= expr(L) RSHIFT(O) expr(R). {A = sql_binary(ps, OP_BIT_RIGHT, O.pos, L, R);}
expr(A) ::= TILDE(O) expr(E). {A = sql_unary(ps, OP_BIT_NOT, O.pos, E);}
expr(A) ::= expr(L) EQ(O) expr(R). {A = sql_binary(ps, OP_EQ, O.pos, L, R);}
expr(A) ::= expr(L) NE(O) expr(R). {A = sql_binary(ps, OP_NE, O.pos, L, R);}
expr(A) ::= expr(L) LT(O) expr(R). {A = sql_binary(ps, OP_LT, O.pos, L, R);}
expr(A) ::= expr(L) LE(O) expr(R). {A = sql_binary(ps, OP_LE, O.pos, L, R);}
expr(A) ::= expr(L) GT(O) expr(R). {A = sql_binary(ps, OP_GT, O.pos, L, R);}
expr(A) ::= expr(L) GE(O) expr(R). {A = sql_binary(ps, OP_GE, O.pos, L, R);}
expr(A) ::= expr(L) AND(O) expr(R). {A = sql_binary(ps, OP_AND, O.pos, L, R);}
expr(A) ::= expr(L) OR(O) expr(R). {A = sql_binary(ps, OP_OR, O.pos, L, R);}
expr(A) ::= expr(E) IS(O) NULL. {A = sql_is_null(ps, O.pos, false, E);}
expr(A) ::= expr(E) IS(O) NOT NULL. {A = sql_is_null(ps, O.pos, true, E);}
expr(A) ::= expr(E) IS(O) truth(T). {A = sql_is(ps, O.pos, (enum expr_op)T, false, E);}
expr(A) ::= expr(E) IS(O) NOT truth(T). {A = sql_is(ps, O.pos, (enum expr_op)T, true, E);}
expr(A) ::= expr(L) IS(O) DISTINCT FROM expr(R). [IS] {A = sql_distinct(ps, O.pos, false, L, R);}
expr(A) ::= expr(L) IS(O) NOT DISTINCT FROM expr(R). [IS] {A = sql_distinct(ps, O.pos, true, L, R);}
%type truth {int}
truth(A) ::= TRUE. {A = OP_IS_TRUE;}
truth(A) ::= FALSE. {A = OP_IS_FALSE;}
truth(A) ::= UNKNOWN. {A = OP_IS_UNKNOWN;}
expr(A) ::= expr(L) like(O) expr(R). [LIKE] {A = sql_like(ps, O, false, L, R, NULL);}
expr(A) ::= expr(L) like(O) expr(R) ESCAPE expr(C). [LIKE] {A = sql_like(ps, O, false, L, R, C);}
expr(A) ::= expr(L) NOT_LA like(O) expr(R). [LIKE] {A = sql_like(ps, O, true, L, R, NULL);}
expr(A) ::= expr(L) NOT_LA like(O) expr(R) ESCAPE expr(C). [LIKE] {A = sql_like(ps, O, true, L, R, C);}
%type like {struct sql_token}
like(A) ::= LIKE(T). {A = T;}
like(A) ::= ILIKE(T). {A = T;}
expr(A) ::= expr(E) IN(O) LP exprs(L) RP. {A = sql_in(ps, O.pos, false, E, L);}
expr(A) ::= expr(E) NOT_LA(O) IN LP exprs(L) RP. [IN] {A = sql_in(ps, O.pos, true, E, L);}
expr(A) ::= expr(E) BETWEEN(O) expr(B) AND expr(C). [BETWEEN] {A = sql_between(ps, O.pos, false, E, B, C);}
expr(A) ::= expr(E) NOT_LA(O) BETWEEN expr(B) AND expr(C). [BETWEEN] {A = sql_between(ps, O.pos, true, E, B, C);}
expr(A) ::= expr(E) NOT_LA X_INFIX. [IN] {A = E;}
expr(A) ::= expr(E) X_INFIX. {A = E;}

%code {
_Static_assert(YYNTOKEN <= SQL_EXPECT_TOKENS_MAX, "struct sql_expect has room for every token");
_Static_assert(YYSTACKDEPTH == SQL_STACK_MAX, "parse_int.h names the depth of the stack");

/* A NOT that belongs to the operator after it. */
static int parser_not(const struct sql_lexer *at)
{
    struct sql_lexer ahead = *at;
    struct sql_token next;
    int code;

    ahead.err = NULL;
    code = sql_lex(&ahead, &next);
    return code == TK_IN || code == TK_BETWEEN || code == TK_LIKE || code == TK_ILIKE ? TK_NOT_LA : TK_NOT;
}

/* The unit of INTERVAL '15' MINUTE would be an alias anywhere else: here it is a token of its own. */
enum parser_interval { INTERVAL_NO, INTERVAL_WORD, INTERVAL_TEXT };

static bool parser_is_field(struct sql_token tok)
{
    static const char *const fields[] = {"year", "month", "week", "day", "hour", "minute", "second"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(fields); i++)
        if (strlen(fields[i]) == tok.len && strncasecmp(fields[i], tok.ptr, tok.len) == 0)
            return true;
    return false;
}

static int parser_lex(struct sql_lexer *lx, enum parser_interval *seen, struct sql_token *tok)
{
    int code = sql_lex(lx, tok);
    enum parser_interval before = *seen;

    *seen = INTERVAL_NO;
    if (code == 0)
        return TK_STOP;
    if (code == TK_ID && tok->len == 8 && strncasecmp(tok->ptr, "interval", 8) == 0)
        *seen = INTERVAL_WORD;
    if (code == TK_STRING && before == INTERVAL_WORD)
        *seen = INTERVAL_TEXT;
    if (code == TK_ID && before == INTERVAL_TEXT && parser_is_field(*tok))
        return TK_FIELD;
    return code == TK_NOT ? parser_not(lx) : code;
}

/* Where in an INSERT the next token is: the rows come after VALUES, and after a comma outside of them. */
struct parser_rows {
    bool insert; /* the statement starts with INSERT */
    bool values; /* VALUES was passed */
    int depth;   /* open parentheses */
    int prev;    /* code of the last token */
};

static bool parser_at_row(const struct parser_rows *r)
{
    return r->values && r->depth == 0 && (r->prev == TK_VALUES || r->prev == TK_COMMA);
}

static void parser_rows_step(struct parser_rows *r, int code)
{
    if (r->prev == 0)
        r->insert = code == TK_INSERT;
    if (r->insert) {
        r->depth += (code == TK_LP) - (code == TK_RP);
        if (code == TK_VALUES && r->prev != TK_INTO && r->prev != TK_DOT)
            r->values = true;
    }
    r->prev = code;
}

void sql_parser_run(struct sql_parser *ps)
{
    struct parser_rows rows = {0};
    enum parser_interval seen = INTERVAL_NO;
    yyParser parser;
    struct sql_token tok;
    int code;

    sql_lemonInit(&parser, ps);
    do {
        if (parser_at_row(&rows) && sql_rows_try(ps, &tok))
            code = TK_ROW;
        else
            code = parser_lex(&ps->lx, &seen, &tok);
        if (code < 0) {
            ps->rc = code;
            break;
        }
        sql_lemon(&parser, code, tok);
        parser_rows_step(&rows, code);
        if (code != TK_STOP) {
            ps->prev_end = ps->lx.pos;
            ps->last_end = ps->lx.cur;
        }
    } while (code != TK_STOP && ps->rc == 0);
    if (ps->rc == 0)
        sql_lemon(&parser, 0, tok);
    sql_lemonFinalize(&parser);
}

/* ---- the same automaton without values ---- */

struct parser_states {
    uint32_t len;
    YYACTIONTYPE state[YYSTACKDEPTH];
};

static YYACTIONTYPE parser_action(YYACTIONTYPE state, int code, bool fallback)
{
    if (state > YY_MAX_SHIFT)
        return state;
    for (;;) {
        int i = yy_shift_ofst[state] + code;
        if (yy_lookahead[i] == code)
            return yy_action[i];
        if (!fallback || yyFallback[code] == 0)
            return yy_default[state];
        code = yyFallback[code];
    }
}

/* Feeds one token; false if it cannot stand here. */
static bool parser_feed(struct parser_states *s, int code, bool fallback)
{
    for (;;) {
        YYACTIONTYPE act = parser_action(s->state[s->len - 1], code, fallback);

        if (act >= YY_MIN_REDUCE) {
            unsigned rule = (unsigned)act - YY_MIN_REDUCE;
            s->len -= (uint32_t)-yyRuleInfoNRhs[rule];
            if (s->len >= YYSTACKDEPTH)
                return false;
            act = yy_find_reduce_action(s->state[s->len - 1], yyRuleInfoLhs[rule]);
            s->state[s->len++] = act;
            if (act == YY_ACCEPT_ACTION)
                return true;
        } else if (act <= YY_MAX_SHIFTREDUCE) {
            if (s->len >= YYSTACKDEPTH)
                return false;
            if (act > YY_MAX_SHIFT)
                act = (YYACTIONTYPE)(act + YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE);
            s->state[s->len++] = act;
            return true;
        } else {
            return act == YY_ACCEPT_ACTION;
        }
    }
}

void sql_parser_expect(const struct sql_parser *ps, const char *at, struct sql_expect *ret)
{
    struct parser_states states = {.len = 1};
    struct parser_states test;
    struct sql_lexer lx = ps->lx;
    enum parser_interval seen = INTERVAL_NO;
    struct sql_token tok;
    uint32_t open[64]; /* positions of open parentheses, the outermost 64 */
    int code;

    memset(ret, 0, sizeof *ret);
    states.state[0] = 0;
    lx.err = NULL;
    lx.cur = ps->stmt_start;
    lx.pos = ps->stmt_pos;
    for (;;) {
        code = parser_lex(&lx, &seen, &tok);
        if (code < 0 || tok.ptr >= at || !parser_feed(&states, code, true))
            break;
        ret->prev = tok;
        ret->prev_code = code;
        if (code == TK_ID && tok.len != sql_chars(tok.ptr, tok.ptr + tok.len) && tok.ptr[0] != '"' && tok.ptr[0] != '`')
            ret->high = tok;
        if (code == TK_LP) {
            if (ret->open_count < DN_ARRAY_SIZE(open))
                open[ret->open_count] = tok.pos;
            ret->open_count++;
        } else if (code == TK_RP && ret->open_count > 0) {
            ret->open_count--;
        }
    }
    if (ret->open_count > 0 && ret->open_count <= DN_ARRAY_SIZE(open))
        ret->open_pos = open[ret->open_count - 1];
    for (code = 0; code < YYNTOKEN; code++) {
        test.len = states.len;
        memcpy(test.state, states.state, states.len * sizeof test.state[0]);
        ret->token[code] = parser_feed(&test, code, false);
    }
}

int sql_parser_fallback(int code)
{
    return sql_lemonFallback(code);
}
}
