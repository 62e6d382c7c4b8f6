/* SPDX-License-Identifier: Apache-2.0
 *
 * grammar.y: the SQL of Dendro, for lemon. Actions only call the builders of ast_build.h and its
 * siblings.
 *
 * - Keywords are those of base/keyword_list.h. One that is not RESERVED reaches the automaton as
 *   itself if it, and the token after it, can stand there, else as ID: see parser_word at the end. So
 *   a name is always an ID here.
 * - Tokens X_* are never read. Each stands where something may be written that Dendro does not do
 *   (unsupported_list.h): at a syntax error sql_error.c asks whether the X_* could have stood there,
 *   and then says so instead of listing what was expected.
 * - NOT_LA is a NOT before IN, BETWEEN, LIKE or SIMILAR; it binds like them. WITH_LA is a WITH before
 *   TIME and ORDINALITY, USING_LA a USING before TTL, FIELD a unit of an interval.
 * - Messages list expected tokens in the order of the %token lines below.
 * - There are no conflicts but those that precedence decides: LP query RP is a query, not an
 *   expression in parentheses, as long as it can be (RP binds more than SIGN); a JOIN leans left. */

%name sql_lemon
%token_prefix TK_
%token_type {struct sql_token}
%default_type {struct sql_list}
%extra_context {struct sql_parser *ps}
%stack_size 3000
%start_symbol input

%token RP COMMA LP EQ LBRACE RBRACE COLON LB RB.
%token SELECT INSERT UPDATE DELETE CREATE ALTER DROP TRUNCATE SHOW DESCRIBE EXPLAIN SET USE CHECKPOINT FLUSH COPY.
%token ADD RENAME COLUMN.
%token TABLE SCHEMA KEYSPACE INTO VALUES FROM WHERE GROUP HAVING ORDER BY LIMIT OFFSET AS.
%token PRIMARY PARTITION KEY NOT NULL DEFAULT ASC DESC NULLS FIRST LAST.
%token TABLES SCHEMAS KEYSPACES PARTITIONS STATUS IF EXISTS TO ALL DISTINCT CLUSTERING WITH ON TRUE FALSE.
%token CAST PRECISION VARYING WITHOUT TIME ZONE.
%token INTEGER FLOAT STRING BLOB BITS PARAM DURATION ID.
%token DOT TYPECAST PLUS MINUS STAR SLASH PERCENT NE LT LE GT GE AND OR NOT_LA IN IS BETWEEN.
%token CONCAT AMP PIPE HASH LSHIFT RSHIFT TILDE CARET OP ARROW ASSIGN ESCAPE UNKNOWN FIELD.
%token BOTH LEADING TRAILING PLACING.
%token OVER FILTER WITHIN AT ISNULL NOTNULL ILLEGAL STOP VROW WITH_LA USING_LA.
%token CASE CHECK COLLATE CONSTRAINT CROSS ELSE END EXCEPT FETCH FOR FOREIGN FULL ILIKE INNER INTERSECT
  OUTER JOIN LATERAL LEFT LIKE NATURAL ONLY REFERENCES RETURNING RIGHT THEN UNION UNIQUE USING WHEN WINDOW.
%token ANY SOME ARRAY ROW SYMMETRIC ASYMMETRIC SIMILAR OVERLAPS OPERATOR VARIADIC NORMALIZED.
%token ROLLUP CUBE GROUPING SETS RECURSIVE MATERIALIZED ORDINALITY ROWS RANGE GROUPS UNBOUNDED PRECEDING FOLLOWING
  CURRENT EXCLUDE NO OTHERS TIES NEXT SHARE OF NOWAIT SKIP LOCKED OVERRIDING SYSTEM CONFLICT DO NOTHING.
%token BEGIN START COMMIT ROLLBACK ABORT SAVEPOINT RELEASE TRANSACTION WORK CHAIN ISOLATION LEVEL SERIALIZABLE
  REPEATABLE READ COMMITTED UNCOMMITTED WRITE DEFERRABLE DEFERRED IMMEDIATE INITIALLY SESSION LOCAL CHARACTERISTICS NAMES
  RESET DISCARD PLANS SEQUENCES TEMP TEMPORARY UNLOGGED GLOBAL REPLACE VIEW SEQUENCE INDEX CONCURRENTLY INCLUDE
  CASCADE CASCADED RESTRICT ACTION MATCH SIMPLE GENERATED ALWAYS IDENTITY STORED INCLUDING EXCLUDING DATA TYPE VALID
  INCREMENT MINVALUE MAXVALUE CACHE CYCLE OWNED NONE RESTART CONTINUE EXPRESSION VALIDATE COMMENT DATABASE PREPARE EXECUTE DEALLOCATE
  DECLARE CURSOR BINARY INSENSITIVE SCROLL HOLD MOVE FORWARD BACKWARD ABSOLUTE RELATIVE PRIOR CLOSE LOCK MODE
  TABLESAMPLE ANALYZE VACUUM VERBOSE STDIN STDOUT REINDEX CLUSTER AUTHORIZATION LISTEN UNLISTEN NOTIFY MERGE MATCHED.
%token PARTITIONED PUT ATTACH DETACH LIST FORCE QUOTE SNAPSHOT.
%token ROLE USER GRANT GRANTED REVOKE OPTION OWNER ADMIN PRIVILEGES REASSIGN TRIGGER.

/* INTERVAL '1' YEAR TO MONTH: the TO belongs to it also where one may follow an expression. */
%nonassoc FIELD.
%nonassoc TO.
%left UNION EXCEPT.
%left INTERSECT.
%left OR.
%left AND.
%right NOT.
%nonassoc IS ISNULL NOTNULL.
%nonassoc EQ NE LT LE GT GE.
%nonassoc BETWEEN IN LIKE ILIKE SIMILAR NOT_LA OVERLAPS.
%nonassoc ESCAPE.
%left OP CONCAT AMP PIPE HASH LSHIFT RSHIFT TILDE OPERATOR.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%left CARET.
%left AT.
%left COLLATE.
%right SIGN.
%left LB.
%nonassoc LP RP.
%left TYPECAST.
%left DOT.
%left JOIN CROSS LEFT RIGHT FULL INNER NATURAL.

%include {
#include "base/cancel.h"
#include "grammar.h"
#include "sql/ast_expr.h"
#include "sql/build_access.h"
#include "sql/build_ddl.h"
#include "sql/build_misc.h"
#include "sql/build_type.h"
#include "sql/build_query.h"

#include <string.h>
#include <strings.h>

/* lemon's template does not compile without these warnings, and its assertions and trace are for the
 * development of lemon itself. */
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
input ::= X_STMT.

/* ---- small things ---- */

%type name {struct sql_token}
name(A) ::= ID(T). {A = T;}

%type qname {struct qual_name *}
qname(A) ::= name(N). {A = sql_qual(ps, NULL, N);}
qname(A) ::= name(S) DOT name(N). {A = sql_qual(ps, &S, N);}
qname(A) ::= name(D) DOT name(S) DOT name(N). {A = sql_qual_of(ps, D, S, N);}
qnames(A) ::= qname(Q). {A = sql_list_one(ps, Q);}
qnames(A) ::= qnames(L) COMMA qname(Q). {A = sql_list_add(ps, L, Q);}

names(A) ::= name(N). {A = sql_list_one(ps, sql_new_name(ps, N));}
names(A) ::= names(L) COMMA name(N). {A = sql_list_add(ps, L, sql_new_name(ps, N));}
/* (a, b); count 0: none was written */
columns(A) ::= . {A = sql_list_none(ps);}
columns(A) ::= LP names(L) RP. {A = L;}

%type if_not_exists {int}
if_not_exists(A) ::= . {A = 0;}
if_not_exists(A) ::= IF NOT EXISTS. {A = 1;}
%type if_exists {int}
if_exists(A) ::= . {A = 0;}
if_exists(A) ::= IF EXISTS. {A = 1;}
%type behavior {int}
behavior(A) ::= . {A = DROP_DEFAULT;}
behavior(A) ::= CASCADE. {A = DROP_CASCADE;}
behavior(A) ::= RESTRICT. {A = DROP_RESTRICT;}

%type schema_word {int}
schema_word(A) ::= SCHEMA. {A = 0;}
schema_word(A) ::= KEYSPACE. {A = 1;}

%type signed {int64_t}
signed(A) ::= INTEGER(T). {A = sql_signed(ps, T, false);}
signed(A) ::= PLUS INTEGER(T). {A = sql_signed(ps, T, false);}
signed(A) ::= MINUS INTEGER(T). {A = sql_signed(ps, T, true);}

/* ---- statements about names ---- */

cmd ::= DROP object(K) if_exists(I) qnames(L) behavior(B). {sql_drop(ps, K, I != 0, L, B);}
cmd ::= DROP INDEX CONCURRENTLY if_exists(I) qnames(L) behavior(B). {sql_drop(ps, OBJECT_INDEX, I != 0, L, B);}
%type object {int}
object(A) ::= TABLE. {A = OBJECT_TABLE;}
object(A) ::= VIEW. {A = OBJECT_VIEW;}
object(A) ::= SEQUENCE. {A = OBJECT_SEQUENCE;}
object(A) ::= INDEX. {A = OBJECT_INDEX;}
cmd ::= DROP schema_word(K) if_exists(I) name(N) behavior(B). {
    sql_stmt_named(ps, STMT_DROP_SCHEMA, sql_qual(ps, NULL, N));
    ps->stmt->if_exists = I != 0;
    ps->stmt->keyspace = K != 0;
    ps->stmt->behavior = (enum drop_behavior)B;
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
cmd ::= SHOW CREATE VIEW qname(N). {
    sql_stmt_named(ps, STMT_SHOW_CREATE_TABLE, N);
    ps->stmt->object = OBJECT_VIEW;
}
cmd ::= SHOW TABLE STATUS qname(N). {sql_stmt_named(ps, STMT_SHOW_TABLE_STATUS, N);}
cmd ::= SHOW PARTITIONS qname(N). {sql_stmt_named(ps, STMT_SHOW_PARTITIONS, N);}
cmd ::= SHOW PARTITIONS FROM qname(N). {sql_show_slabs(ps, N);}
cmd ::= TRUNCATE table_word only qnames(L) restart(R) behavior(B). {
    sql_names_stmt(ps, STMT_TRUNCATE, L, B);
    ps->stmt->restart_identity = R != 0;
}
table_word ::= .
table_word ::= TABLE.
%type restart {int}
restart(A) ::= . {A = 0;}
restart(A) ::= RESTART IDENTITY. {A = 1;}
restart(A) ::= CONTINUE IDENTITY. {A = 0;}
cmd ::= SHOW ALL(T). {sql_show(ps, T, "all");}
cmd ::= SHOW TIME(T) ZONE. {sql_show(ps, T, "timezone");}
cmd ::= SHOW TRANSACTION(T) ISOLATION LEVEL. {sql_show(ps, T, "transaction_isolation");}
cmd ::= SHOW SESSION AUTHORIZATION(T). {sql_show(ps, T, "session_authorization");}
cmd ::= SHOW qname(N). {sql_stmt_named(ps, STMT_SHOW_SETTING, N);}
cmd ::= CHECKPOINT. {sql_stmt(ps, STMT_CHECKPOINT);}
cmd ::= FLUSH. {sql_stmt(ps, STMT_CHECKPOINT);}
cmd ::= COMMENT ON comment_on(C) IS STRING(T). {sql_comment(ps, C, &T);}
cmd ::= COMMENT ON comment_on(C) IS NULL. {sql_comment(ps, C, NULL);}
%type comment_on {struct comment_stmt *}
comment_on(A) ::= object(K) qname(N). {A = sql_comment_on(ps, K, N, NULL);}
comment_on(A) ::= SCHEMA name(N). {A = sql_comment_on(ps, OBJECT_SCHEMA, sql_qual(ps, NULL, N), NULL);}
comment_on(A) ::= role_kind name(N). {A = sql_comment_on(ps, OBJECT_ROLE, sql_qual(ps, NULL, N), NULL);}
comment_on(A) ::= DATABASE name(N). {A = sql_comment_on(ps, OBJECT_DATABASE, sql_qual(ps, NULL, N), NULL);}
comment_on(A) ::= COLUMN name(T) DOT name(N). {A = sql_comment_on(ps, OBJECT_COLUMN, sql_qual(ps, NULL, T), &N);}
comment_on(A) ::= COLUMN name(S) DOT name(T) DOT name(N). {A = sql_comment_on(ps, OBJECT_COLUMN, sql_qual(ps, &S, T), &N);}
comment_on(A) ::= CONSTRAINT name(N) ON qname(T). {A = sql_comment_on(ps, OBJECT_CONSTRAINT, T, &N);}

/* ---- roles and what they may do ---- */

cmd ::= CREATE role_kind(K) name(N) role_words(L). {sql_role(ps, ROLE_ACTION_CREATE, K != 0, N, L);}
cmd ::= CREATE role_kind(K) name(N) WITH role_words(L). {sql_role(ps, ROLE_ACTION_CREATE, K != 0, N, L);}
cmd ::= ALTER role_kind name(N) role_words(L). {sql_role(ps, ROLE_ACTION_ALTER, false, N, L);}
cmd ::= ALTER role_kind name(N) WITH role_words(L). {sql_role(ps, ROLE_ACTION_ALTER, false, N, L);}
cmd ::= ALTER role_kind name(N) RENAME TO name(T). {sql_role_rename(ps, N, T);}
cmd ::= ALTER role_kind name(N) SET qname(S) set_to values(L). {sql_role_set(ps, N, S, L, false);}
cmd ::= ALTER role_kind name(N) SET qname(S) set_to DEFAULT. {sql_role_set(ps, N, S, sql_list_none(ps), true);}
cmd ::= ALTER role_kind name(N) RESET qname(S). {sql_role_set(ps, N, S, sql_list_none(ps), true);}
cmd ::= ALTER role_kind name(N) RESET ALL(T). {sql_role_set(ps, N, sql_qual_text(ps, T, "all"), sql_list_none(ps), true);}
cmd ::= DROP role_kind if_exists(I) names(L). {sql_role_names(ps, ROLE_ACTION_DROP, I != 0, L, NULL);}
cmd ::= DROP OWNED BY names(L) behavior. {sql_role_names(ps, ROLE_ACTION_DROP_OWNED, false, L, NULL);}
cmd ::= REASSIGN OWNED BY names(L) TO name(T). {sql_role_names(ps, ROLE_ACTION_REASSIGN, false, L, &T);}
cmd ::= ALTER TABLE if_exists(I) only qname(N) OWNER TO name(T). {sql_owner(ps, OBJECT_TABLE, I != 0, N, T);}
cmd ::= ALTER alter_object(K) if_exists(I) qname(N) OWNER TO name(T). {sql_owner(ps, K, I != 0, N, T);}
cmd ::= ALTER SCHEMA name(N) OWNER TO name(T). {sql_owner(ps, OBJECT_SCHEMA, false, sql_qual(ps, NULL, N), T);}
%type role_kind {int}
role_kind(A) ::= ROLE. {A = 0;}
role_kind(A) ::= USER. {A = 1;}
role_words(A) ::= . {A = sql_list_none(ps);}
role_words(A) ::= role_words(L) role_word(W). {A = sql_list_add(ps, L, W);}
%type role_word {struct option_spec *}
role_word(A) ::= name(T). {A = sql_role_name(ps, T);}
role_word(A) ::= LIMIT(T). {A = sql_role_name(ps, T);}
role_word(A) ::= STRING(T). {A = sql_value(ps, T, false, T.pos);}
role_word(A) ::= INTEGER(T). {A = sql_value(ps, T, false, T.pos);}
role_word(A) ::= MINUS(M) INTEGER(T). {A = sql_value(ps, T, true, M.pos);}
role_word(A) ::= NULL(T). {A = sql_value(ps, T, false, T.pos);}
role_word(A) ::= IN(T). {A = sql_value(ps, T, false, T.pos);}
role_word(A) ::= COMMA(T). {A = sql_value(ps, T, false, T.pos);}

cmd ::= GRANT grant_what(P) ON grant_on(O) TO grantees(G) grant_option(W) granted_by. {sql_grant(ps, P, O, G, W, DROP_DEFAULT);}
cmd ::= GRANT grant_what(P) TO grantees(G) admin_option(W) granted_by. {sql_grant(ps, P, NULL, G, W, DROP_DEFAULT);}
cmd ::= REVOKE grant_what(P) ON grant_on(O) FROM grantees(G) granted_by behavior(B). {sql_grant(ps, P, O, G, SQL_REVOKE, B);}
cmd ::= REVOKE grant_what(P) FROM grantees(G) granted_by behavior(B). {sql_grant(ps, P, NULL, G, SQL_REVOKE, B);}
cmd ::= REVOKE GRANT OPTION FOR grant_what(P) ON grant_on(O) FROM grantees(G) granted_by behavior(B). {
    sql_grant(ps, P, O, G, SQL_REVOKE | SQL_OPTION, B);
}
cmd ::= REVOKE ADMIN OPTION FOR grant_what(P) FROM grantees(G) granted_by behavior(B). {
    sql_grant(ps, P, NULL, G, SQL_REVOKE | SQL_OPTION, B);
}
%type grant_what {struct grant_stmt *}
grant_what(A) ::= ALL grant_cols(C). {A = sql_grant_what(ps, sql_list_one(ps, sql_grant_word(ps, NULL, C)), true);}
grant_what(A) ::= ALL PRIVILEGES grant_cols(C). {A = sql_grant_what(ps, sql_list_one(ps, sql_grant_word(ps, NULL, C)), true);}
grant_what(A) ::= privileges(L). {A = sql_grant_what(ps, L, false);}
privileges(A) ::= privilege(N) grant_cols(C). {A = sql_list_one(ps, sql_grant_word(ps, &N, C));}
privileges(A) ::= privileges(L) COMMA privilege(N) grant_cols(C). {A = sql_list_add(ps, L, sql_grant_word(ps, &N, C));}
grant_cols(A) ::= . {A = sql_list_none(ps);}
grant_cols(A) ::= LP names(L) RP. {A = L;}
%type privilege {struct sql_token}
privilege(A) ::= name(T). {A = T;}
privilege(A) ::= SELECT(T). {A = T;}
privilege(A) ::= CREATE(T). {A = T;}
privilege(A) ::= REFERENCES(T). {A = T;}
%type grant_on {struct grant_stmt *}
grant_on(A) ::= qnames(L). {A = sql_grant_on(ps, OBJECT_TABLE, false, L);}
grant_on(A) ::= TABLE qnames(L). {A = sql_grant_on(ps, OBJECT_TABLE, false, L);}
grant_on(A) ::= SEQUENCE qnames(L). {A = sql_grant_on(ps, OBJECT_SEQUENCE, false, L);}
grant_on(A) ::= SCHEMA qnames(L). {A = sql_grant_on(ps, OBJECT_SCHEMA, false, L);}
grant_on(A) ::= DATABASE qnames(L). {A = sql_grant_on(ps, OBJECT_DATABASE, false, L);}
grant_on(A) ::= ALL TABLES IN SCHEMA qnames(L). {A = sql_grant_on(ps, OBJECT_TABLE, true, L);}
grant_on(A) ::= ALL SEQUENCES IN SCHEMA qnames(L). {A = sql_grant_on(ps, OBJECT_SEQUENCE, true, L);}
%type grantees {struct grant_stmt *}
grantees(A) ::= grantee_list(L). {A = sql_grant_to(ps, L);}
grantee_list(A) ::= grantee(N). {A = sql_list_one(ps, sql_new_name(ps, N));}
grantee_list(A) ::= grantee_list(L) COMMA grantee(N). {A = sql_list_add(ps, L, sql_new_name(ps, N));}
%type grantee {struct sql_token}
grantee(A) ::= name(T). {A = T;}
grantee(A) ::= GROUP name(T). {A = T;}
%type grant_option {int}
grant_option(A) ::= . {A = 0;}
grant_option(A) ::= WITH GRANT OPTION. {A = SQL_OPTION;}
%type admin_option {int}
admin_option(A) ::= . {A = 0;}
admin_option(A) ::= WITH ADMIN OPTION. {A = SQL_OPTION;}
granted_by ::= .
granted_by ::= GRANTED BY name.

/* ---- settings ---- */

cmd ::= SET scope(S) qname(N) set_to values(L). {sql_set(ps, S, N, L);}
cmd ::= SET scope(S) qname(N) set_to DEFAULT. {sql_set(ps, S, N, sql_list_none(ps));}
cmd ::= SET scope(S) TIME(T) ZONE value(V). {sql_set(ps, S, sql_qual_text(ps, T, "timezone"), sql_list_one(ps, V));}
cmd ::= SET scope(S) TIME(T) ZONE name(N) STRING(V). {
    sql_set(ps, S, sql_qual_text(ps, T, "timezone"), sql_list_one(ps, sql_value_zone(ps, N, V, NULL)));
}
cmd ::= SET scope(S) TIME(T) ZONE name(N) STRING(V) FIELD(F). {
    sql_set(ps, S, sql_qual_text(ps, T, "timezone"), sql_list_one(ps, sql_value_zone(ps, N, V, &F)));
}
cmd ::= SET scope(S) TIME(T) ZONE name(N) STRING(V) FIELD(F) TO FIELD. {
    sql_set(ps, S, sql_qual_text(ps, T, "timezone"), sql_list_one(ps, sql_value_zone(ps, N, V, &F)));
}
cmd ::= SET scope(S) TIME(T) ZONE DEFAULT. {sql_set(ps, S, sql_qual_text(ps, T, "timezone"), sql_list_none(ps));}
cmd ::= SET scope(S) TIME(T) ZONE LOCAL. {sql_set(ps, S, sql_qual_text(ps, T, "timezone"), sql_list_none(ps));}
cmd ::= SET scope(S) SCHEMA(T) STRING(V). {
    sql_set(ps, S, sql_qual_text(ps, T, "search_path"), sql_list_one(ps, sql_value(ps, V, false, V.pos)));
}
cmd ::= SET scope(S) NAMES(T) STRING(V). {
    sql_set(ps, S, sql_qual_text(ps, T, "client_encoding"), sql_list_one(ps, sql_value(ps, V, false, V.pos)));
}
cmd ::= SET scope(S) NAMES(T) DEFAULT. {sql_set(ps, S, sql_qual_text(ps, T, "client_encoding"), sql_list_none(ps));}
cmd ::= SET scope TRANSACTION modes(M). {sql_transaction(ps, TRANSACTION_SET, M, NULL);}
cmd ::= SET scope(S) TRANSACTION SNAPSHOT(T) STRING(V). {sql_transaction_snapshot(ps, S, T.pos, V);}
cmd ::= SET SESSION CHARACTERISTICS AS TRANSACTION modes(M). {sql_transaction(ps, TRANSACTION_SET_SESSION, M, NULL);}
cmd ::= SET SESSION AUTHORIZATION(T) value(V). {
    sql_set(ps, SET_SESSION, sql_qual_text(ps, T, "session_authorization"), sql_list_one(ps, V));
}
cmd ::= SET SESSION AUTHORIZATION(T) DEFAULT. {
    sql_set(ps, SET_SESSION, sql_qual_text(ps, T, "session_authorization"), sql_list_none(ps));
}
cmd ::= SET scope(S) ROLE(T) value(V). {sql_set(ps, S, sql_qual_text(ps, T, "role"), sql_list_one(ps, V));}
cmd ::= ALTER SYSTEM SET qname(N) set_to values(L). {sql_set(ps, SET_SYSTEM, N, L);}
cmd ::= ALTER SYSTEM SET qname(N) set_to DEFAULT. {sql_set(ps, SET_SYSTEM, N, sql_list_none(ps));}
cmd ::= ALTER SYSTEM RESET qname(N). {sql_reset(ps, SET_SYSTEM, N);}
cmd ::= ALTER SYSTEM RESET ALL(T). {sql_reset(ps, SET_SYSTEM, sql_qual_text(ps, T, "all"));}
cmd ::= RESET SESSION AUTHORIZATION(T). {sql_reset(ps, -1, sql_qual_text(ps, T, "session_authorization"));}
cmd ::= RESET qname(N). {sql_reset(ps, -1, N);}
cmd ::= RESET TIME(T) ZONE. {sql_reset(ps, -1, sql_qual_text(ps, T, "timezone"));}
cmd ::= RESET ALL(T). {sql_reset(ps, -1, sql_qual_text(ps, T, "all"));}
set_to ::= EQ.
set_to ::= TO.
%type scope {int}
scope(A) ::= . {A = -1;}
scope(A) ::= SESSION. {A = SET_SESSION;}
scope(A) ::= LOCAL. {A = SET_LOCAL;}
values(A) ::= value(V). {A = sql_list_one(ps, V);}
values(A) ::= values(L) COMMA value(V). {A = sql_list_add(ps, L, V);}

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

/* ---- transactions ---- */

cmd ::= BEGIN work modes(M). {sql_transaction(ps, TRANSACTION_BEGIN, M, NULL);}
cmd ::= START TRANSACTION modes(M). {sql_transaction_start(ps, M);}
cmd ::= commit work chain(C). {sql_transaction_chain(ps, TRANSACTION_COMMIT, C != 0);}
cmd ::= rollback work chain(C). {sql_transaction_chain(ps, TRANSACTION_ROLLBACK, C != 0);}
cmd ::= SAVEPOINT name(N). {sql_transaction(ps, TRANSACTION_SAVEPOINT, NULL, &N);}
cmd ::= RELEASE savepoint name(N). {sql_transaction(ps, TRANSACTION_RELEASE, NULL, &N);}
cmd ::= rollback work TO savepoint name(N). {sql_transaction(ps, TRANSACTION_ROLLBACK_TO, NULL, &N);}
savepoint ::= .
savepoint ::= SAVEPOINT.
commit ::= COMMIT.
commit ::= END.
rollback ::= ROLLBACK.
rollback ::= ABORT.
work ::= .
work ::= WORK.
work ::= TRANSACTION.
%type chain {int}
chain(A) ::= . {A = 0;}
chain(A) ::= AND CHAIN. {A = 1;}
chain(A) ::= AND NO CHAIN. {A = 0;}
%type modes {struct transaction *}
modes(A) ::= . {A = NULL;}
modes(A) ::= mode_list(M). {A = M;}
%type mode_list {struct transaction *}
mode_list(A) ::= mode(M). {A = M;}
mode_list(A) ::= mode_list(L) mode(M). {A = sql_mode_add(L, M);}
mode_list(A) ::= mode_list(L) COMMA mode(M). {A = sql_mode_add(L, M);}
%type mode {struct transaction *}
mode(A) ::= ISOLATION LEVEL SERIALIZABLE. {A = sql_mode(ps, ISOLATION_SERIALIZABLE, MODE_DEFAULT, MODE_DEFAULT);}
mode(A) ::= ISOLATION LEVEL REPEATABLE READ. {A = sql_mode(ps, ISOLATION_REPEATABLE_READ, MODE_DEFAULT, MODE_DEFAULT);}
mode(A) ::= ISOLATION LEVEL READ COMMITTED. {A = sql_mode(ps, ISOLATION_READ_COMMITTED, MODE_DEFAULT, MODE_DEFAULT);}
mode(A) ::= ISOLATION LEVEL READ UNCOMMITTED. {A = sql_mode(ps, ISOLATION_READ_UNCOMMITTED, MODE_DEFAULT, MODE_DEFAULT);}
mode(A) ::= READ ONLY. {A = sql_mode(ps, ISOLATION_DEFAULT, MODE_YES, MODE_DEFAULT);}
mode(A) ::= READ WRITE. {A = sql_mode(ps, ISOLATION_DEFAULT, MODE_NO, MODE_DEFAULT);}
mode(A) ::= DEFERRABLE. {A = sql_mode(ps, ISOLATION_DEFAULT, MODE_DEFAULT, MODE_YES);}
mode(A) ::= NOT DEFERRABLE. {A = sql_mode(ps, ISOLATION_DEFAULT, MODE_DEFAULT, MODE_NO);}

/* ---- EXPLAIN, PREPARE, cursors and the rest ---- */

cmd ::= EXPLAIN cmd. {sql_explain(ps, false, sql_list_none(ps));}
cmd ::= EXPLAIN VERBOSE cmd. {sql_explain(ps, false, sql_list_none(ps));}
cmd ::= EXPLAIN ANALYZE cmd. {sql_explain(ps, true, sql_list_none(ps));}
cmd ::= EXPLAIN ANALYZE VERBOSE cmd. {sql_explain(ps, true, sql_list_none(ps));}
cmd ::= EXPLAIN LP copy_list(L) RP cmd. {sql_explain(ps, false, L);}

cmd ::= PREPARE name(N) prepare_types(L) AS prepared. {sql_prepare(ps, N, L);}
prepare_types(A) ::= . {A = sql_list_none(ps);}
prepare_types(A) ::= LP types(L) RP. {A = L;}
types(A) ::= type(T). {A = sql_list_one(ps, T);}
types(A) ::= types(L) COMMA type(T). {A = sql_list_add(ps, L, T);}
prepared ::= any_query(Q). {sql_query_stmt(ps, Q);}
prepared ::= dml(S). {sql_dml(ps, S);}
prepared ::= merge_rest(M). {sql_merge_stmt(ps, NULL, M);}
prepared ::= with_clause(W) merge_rest(M). {sql_merge_stmt(ps, W, M);}
cmd ::= EXECUTE name(N) execute_args(L). {sql_execute(ps, sql_execute_new(ps, N, L));}
execute_args(A) ::= . {A = sql_list_none(ps);}
execute_args(A) ::= LP exprs(L) RP. {A = L;}
cmd ::= DEALLOCATE name(N). {sql_misc_named(ps, STMT_DEALLOCATE, &N);}
cmd ::= DEALLOCATE PREPARE name(N). {sql_misc_named(ps, STMT_DEALLOCATE, &N);}
cmd ::= DEALLOCATE ALL. {sql_misc_named(ps, STMT_DEALLOCATE, NULL);}
cmd ::= DEALLOCATE PREPARE ALL. {sql_misc_named(ps, STMT_DEALLOCATE, NULL);}

cmd ::= DECLARE name(N) cursor_words(C) CURSOR hold(H) FOR any_query(Q). {sql_declare(ps, N, C, H != 0, Q);}
%type cursor_words {int} /* bits: binary 1, insensitive 2, scroll 4, no scroll 8 */
cursor_words(A) ::= . {A = 0;}
cursor_words(A) ::= cursor_words(B) BINARY. {A = B | 1;}
cursor_words(A) ::= cursor_words(B) INSENSITIVE. {A = B | 2;}
cursor_words(A) ::= cursor_words(B) SCROLL. {A = B | 4;}
cursor_words(A) ::= cursor_words(B) NO SCROLL. {A = B | 8;}
%type hold {int}
hold(A) ::= . {A = 0;}
hold(A) ::= WITH HOLD. {A = 1;}
hold(A) ::= WITHOUT HOLD. {A = 0;}
cmd ::= fetch_word(M) fetch(F) name(N). {sql_fetch(ps, M != 0, F, N);}
cmd ::= fetch_word(M) fetch(F) from_in name(N). {sql_fetch(ps, M != 0, F, N);}
cmd ::= fetch_word(M) from_in name(N). {sql_fetch(ps, M != 0, sql_fetch_new(ps, FETCH_FORWARD, 1, false), N);}
cmd ::= fetch_word(M) name(N). {sql_fetch(ps, M != 0, sql_fetch_new(ps, FETCH_FORWARD, 1, false), N);}
%type fetch_word {int}
fetch_word(A) ::= FETCH. {A = 0;}
fetch_word(A) ::= MOVE. {A = 1;}
from_in ::= FROM.
from_in ::= IN.
%type fetch {struct fetch *}
fetch(A) ::= NEXT. {A = sql_fetch_new(ps, FETCH_FORWARD, 1, false);}
fetch(A) ::= PRIOR. {A = sql_fetch_new(ps, FETCH_BACKWARD, 1, false);}
fetch(A) ::= FIRST. {A = sql_fetch_new(ps, FETCH_ABSOLUTE, 1, false);}
fetch(A) ::= LAST. {A = sql_fetch_new(ps, FETCH_ABSOLUTE, -1, false);}
fetch(A) ::= ABSOLUTE signed(N). {A = sql_fetch_new(ps, FETCH_ABSOLUTE, N, false);}
fetch(A) ::= RELATIVE signed(N). {A = sql_fetch_new(ps, FETCH_RELATIVE, N, false);}
fetch(A) ::= signed(N). {A = sql_fetch_new(ps, FETCH_FORWARD, N, false);}
fetch(A) ::= ALL. {A = sql_fetch_new(ps, FETCH_FORWARD, 0, true);}
fetch(A) ::= FORWARD. {A = sql_fetch_new(ps, FETCH_FORWARD, 1, false);}
fetch(A) ::= FORWARD signed(N). {A = sql_fetch_new(ps, FETCH_FORWARD, N, false);}
fetch(A) ::= FORWARD ALL. {A = sql_fetch_new(ps, FETCH_FORWARD, 0, true);}
fetch(A) ::= BACKWARD. {A = sql_fetch_new(ps, FETCH_BACKWARD, 1, false);}
fetch(A) ::= BACKWARD signed(N). {A = sql_fetch_new(ps, FETCH_BACKWARD, N, false);}
fetch(A) ::= BACKWARD ALL. {A = sql_fetch_new(ps, FETCH_BACKWARD, 0, true);}
cmd ::= CLOSE name(N). {sql_misc_named(ps, STMT_CLOSE, &N);}
cmd ::= CLOSE ALL. {sql_misc_named(ps, STMT_CLOSE, NULL);}

cmd ::= DISCARD ALL. {sql_discard(ps, DISCARD_ALL);}
cmd ::= DISCARD PLANS. {sql_discard(ps, DISCARD_PLANS);}
cmd ::= DISCARD SEQUENCES. {sql_discard(ps, DISCARD_SEQUENCES);}
cmd ::= DISCARD TEMP. {sql_discard(ps, DISCARD_TEMP);}
cmd ::= DISCARD TEMPORARY. {sql_discard(ps, DISCARD_TEMP);}
cmd ::= LISTEN name(N). {sql_channel(ps, CHANNEL_LISTEN, &N, NULL);}
cmd ::= UNLISTEN name(N). {sql_channel(ps, CHANNEL_UNLISTEN, &N, NULL);}
cmd ::= UNLISTEN STAR. {sql_channel(ps, CHANNEL_UNLISTEN, NULL, NULL);}
cmd ::= NOTIFY name(N). {sql_channel(ps, CHANNEL_NOTIFY, &N, NULL);}
cmd ::= NOTIFY name(N) COMMA STRING(T). {sql_channel(ps, CHANNEL_NOTIFY, &N, &T);}
cmd ::= LOCK table_word qnames(L) lock_mode(M) nowait(W). {sql_lock(ps, L, M, W != 0);}
lock_mode(A) ::= . {A = sql_list_none(ps);}
lock_mode(A) ::= IN lock_words(L) MODE. {A = L;}
lock_words(A) ::= name(N). {A = sql_list_one(ps, sql_new_name(ps, N));}
lock_words(A) ::= lock_words(L) name(N). {A = sql_list_add(ps, L, sql_new_name(ps, N));}
%type nowait {int}
nowait(A) ::= . {A = 0;}
nowait(A) ::= NOWAIT. {A = 1;}
cmd ::= ANALYZE verbose maintained(L). {sql_maintain(ps, MAINTAIN_ANALYZE, L);}
cmd ::= ANALYZE vacuum_options maintained(L). {sql_maintain(ps, MAINTAIN_ANALYZE, L);}
cmd ::= VACUUM vacuum_words maintained(L). {sql_maintain(ps, MAINTAIN_VACUUM, L);}
cmd ::= VACUUM vacuum_options maintained(L). {sql_maintain(ps, MAINTAIN_VACUUM, L);}
cmd ::= REINDEX object qname(N). {sql_maintain(ps, MAINTAIN_REINDEX, sql_list_one(ps, N));}
cmd ::= CLUSTER maintained(L). {sql_maintain(ps, MAINTAIN_CLUSTER, L);}
vacuum_options ::= LP copy_list(L) RP. {sql_list_drop(ps, L);}
verbose ::= .
verbose ::= VERBOSE.
vacuum_words ::= .
vacuum_words ::= vacuum_words FULL.
vacuum_words ::= vacuum_words VERBOSE.
vacuum_words ::= vacuum_words ANALYZE.
maintained(A) ::= . {A = sql_list_none(ps);}
maintained(A) ::= maintained_list(L). {A = L;}
maintained_list(A) ::= maintained_item(Q). {A = sql_list_one(ps, Q);}
maintained_list(A) ::= maintained_list(L) COMMA maintained_item(Q). {A = sql_list_add(ps, L, Q);}
%type maintained_item {struct qual_name *}
maintained_item(A) ::= qname(N) columns(L). {sql_list_drop(ps, L); A = N;}

/* ---- COPY ---- */

cmd ::= COPY qname(N) columns(L) FROM copy_place(P) copy_options(O) where(W). {sql_copy(ps, true, N, L, P, O, W);}
cmd ::= COPY qname(N) columns(L) TO copy_place(P) copy_options(O). {sql_copy(ps, false, N, L, P, O, NULL);}
cmd ::= COPY subquery(Q) TO copy_place(P) copy_options(O). {sql_copy_query(ps, sql_new_query_stmt(ps, Q), P, O);}
cmd ::= COPY LP dml(S) RP TO copy_place(P) copy_options(O). {sql_copy_query(ps, S, P, O);}
%type copy_place {struct sql_token}
copy_place(A) ::= STRING(T). {A = T;}
copy_place(A) ::= STDIN(T). {A = T;}
copy_place(A) ::= STDOUT(T). {A = T;}
copy_place(A) ::= X_COPY_FILE(T). {A = T;}
copy_options(A) ::= . {A = sql_list_none(ps);}
copy_options(A) ::= LP copy_list(L) RP. {A = L;}
copy_options(A) ::= WITH LP copy_list(L) RP. {A = L;}
copy_options(A) ::= copy_old(L). {A = L;}
copy_options(A) ::= WITH copy_old(L). {A = L;}
copy_list(A) ::= copy_option(O). {A = sql_list_one(ps, O);}
copy_list(A) ::= copy_list(L) COMMA copy_option(O). {A = sql_list_add(ps, L, O);}
%type copy_option {struct option_spec *}
copy_option(A) ::= name(N). {A = sql_option_on(ps, N);}
copy_option(A) ::= name(N) value(V). {A = sql_option(ps, N, V);}
copy_option(A) ::= name(N) STAR(T). {A = sql_option(ps, N, sql_value(ps, T, false, T.pos));}
copy_option(A) ::= name(N) LP(T) names(L) RP. {A = sql_option(ps, N, sql_value_names(ps, T.pos, L));}
copy_option(A) ::= NULL(N) value(V). {A = sql_option(ps, N, V);}
copy_old(A) ::= copy_word(O). {A = sql_list_one(ps, O);}
copy_old(A) ::= copy_old(L) copy_word(O). {A = sql_list_add(ps, L, O);}
%type copy_word {struct option_spec *}
copy_word(A) ::= name(N). {A = sql_copy_word(ps, N);}
copy_word(A) ::= name(N) STRING(T). {A = sql_option(ps, N, sql_value(ps, T, false, T.pos));}
copy_word(A) ::= name(N) AS STRING(T). {A = sql_option(ps, N, sql_value(ps, T, false, T.pos));}
copy_word(A) ::= FORCE(N) QUOTE STAR(T). {A = sql_copy_force(ps, "force_quote", N, sql_value(ps, T, false, T.pos));}
copy_word(A) ::= FORCE(N) QUOTE names(L). {A = sql_copy_force(ps, "force_quote", N, sql_value_names(ps, N.pos, L));}
copy_word(A) ::= FORCE(N) NOT NULL names(L). {A = sql_copy_force(ps, "force_not_null", N, sql_value_names(ps, N.pos, L));}
copy_word(A) ::= FORCE(N) NULL names(L). {A = sql_copy_force(ps, "force_null", N, sql_value_names(ps, N.pos, L));}
copy_word(A) ::= NULL(N) STRING(T). {A = sql_option(ps, N, sql_value(ps, T, false, T.pos));}
copy_word(A) ::= NULL(N) AS STRING(T). {A = sql_option(ps, N, sql_value(ps, T, false, T.pos));}

/* ---- CREATE ---- */

cmd ::= CREATE schema_word(K) if_not_exists(I) name(N) with(W). {sql_create_schema(ps, K != 0, I != 0, N, W);}
cmd ::= CREATE schema_word if_not_exists(I) name(N) AUTHORIZATION name(R). {sql_create_schema_of(ps, I != 0, N, R);}
cmd ::= CREATE schema_word if_not_exists(I) AUTHORIZATION name(R). {sql_create_schema_of(ps, I != 0, R, R);}
cmd ::= CREATE X_CREATE.
cmd ::= create_table LP table_items_opt create_end with(W) on_commit(C). {sql_create_table(ps, W, C);}
cmd ::= create_table LP table_items_opt create_end with(W) on_commit(C) partitioned(P). {sql_create_table(ps, W, C); sql_create_partitioned(ps, P);}
cmd ::= create_table LP table_items_opt create_end partition_by_time with(W) on_commit(C). {sql_create_table(ps, W, C);}
partition_by_time ::= PARTITION(T) BY name(W). {sql_partition_by(ps, T, W);}
cmd ::= create_table columns(L) with(W) on_commit(C) AS any_query(Q) with_data(D). {sql_create_as(ps, L, W, C, Q, D != 0);}
cmd ::= create_table columns(L) with(W) on_commit(C) AS EXECUTE name(N) execute_args(A) with_data(D). {
    sql_create_execute(ps, sql_execute_new(ps, N, A), L, W, C, D != 0);
}
cmd ::= create_table LIKE qname(N). {sql_create_columns(ps); sql_like_table(ps, N, 0);}
create_table ::= CREATE temp(P) TABLE if_not_exists(I) qname(N). {sql_create_begin(ps, P, I != 0, N);}
%type temp {struct sql_persist}
temp(A) ::= . {A = (struct sql_persist){PERSIST_PERMANENT, 0};}
temp(A) ::= temp_word(T). {A = (struct sql_persist){PERSIST_TEMP, T.pos};}
temp(A) ::= LOCAL temp_word(T). {A = (struct sql_persist){PERSIST_TEMP, T.pos};}
temp(A) ::= GLOBAL temp_word(T). {A = (struct sql_persist){PERSIST_TEMP, T.pos};}
temp(A) ::= UNLOGGED(T). {A = (struct sql_persist){PERSIST_UNLOGGED, T.pos};}
%type temp_word {struct sql_token}
temp_word(A) ::= TEMP(T). {A = T;}
temp_word(A) ::= TEMPORARY(T). {A = T;}
create_end ::= RP. {sql_create_columns(ps);}
%type on_commit {int}
on_commit(A) ::= . {A = ON_COMMIT_DEFAULT;}
on_commit(A) ::= ON COMMIT DROP. {A = ON_COMMIT_DROP;}
on_commit(A) ::= ON COMMIT DELETE ROWS. {A = ON_COMMIT_DELETE;}
on_commit(A) ::= ON COMMIT name(N) ROWS. {A = sql_preserve(ps, N);}
%type with_data {int}
with_data(A) ::= . {A = 1;}
with_data(A) ::= WITH DATA. {A = 1;}
with_data(A) ::= WITH NO DATA. {A = 0;}

table_items_opt ::= .
table_items_opt ::= table_items.
table_items ::= table_item.
table_items ::= table_items COMMA table_item.
table_item ::= column constraints.
table_item ::= primary LP RP. /* the catalog says what is missing */
table_item ::= primary LP key_inner RP.
table_item ::= primary LP key_inner COMMA key_local RP.
table_item ::= primary LP key_local RP.
table_item ::= constraint_name primary LP key_local RP.
table_item ::= PARTITION(T) KEY LP names(L) RP. {sql_partition_key(ps, T.pos, L);}
table_item ::= constraint_name table_constraint(C). {sql_constraint_add(ps, C);}
table_item ::= table_constraint(C). {sql_constraint_add(ps, C);}
table_item ::= LIKE qname(N) likes(B). {sql_like_table(ps, N, B);}
constraint_name ::= CONSTRAINT name(N). {sql_constraint_name(ps, N);}
%type likes {int}
likes(A) ::= . {A = 0;}
likes(A) ::= likes(B) INCLUDING like_what(W). {A = B | W;}
likes(A) ::= likes(B) EXCLUDING like_what(W). {A = B & ~W;}
%type like_what {int}
like_what(A) ::= ALL. {A = LIKE_ALL;}
like_what(A) ::= name(N). {A = sql_like_option(ps, N);}
like_what(A) ::= IDENTITY. {A = LIKE_IDENTITY;}
like_what(A) ::= GENERATED. {A = LIKE_GENERATED;}

%type table_constraint {struct constraint_def *}
table_constraint(A) ::= table_constraint_body(C) constraint_attrs(B). {A = sql_constraint_attrs(C, B);}
%type table_constraint_body {struct constraint_def *}
table_constraint_body(A) ::= CHECK(T) LP expr(E) RP no_inherit. {A = sql_check_def(ps, T.pos, E);}
table_constraint_body(A) ::= UNIQUE(T) nulls_distinct(D) LP names(L) RP. {A = sql_unique(ps, T.pos, L, D != 0);}
table_constraint_body(A) ::= FOREIGN(T) KEY LP names(L) RP REFERENCES references(R). {A = sql_foreign(ps, T.pos, L, R);}
no_inherit ::= .
no_inherit ::= NO ID.
%type nulls_distinct {int}
nulls_distinct(A) ::= . {A = 0;}
nulls_distinct(A) ::= NULLS DISTINCT. {A = 0;}
nulls_distinct(A) ::= NULLS NOT DISTINCT. {A = 1;}
%type references {struct constraint_def *}
references(A) ::= qname(N) columns(L). {A = sql_references(ps, N, L);}
references(A) ::= references(R) MATCH FULL. {A = R; if (A) A->match_full = true;}
references(A) ::= references(R) MATCH SIMPLE. {A = R;}
references(A) ::= references(R) ON DELETE ref_action(B). {A = R; if (A) A->on_delete = (enum ref_action)B;}
references(A) ::= references(R) ON UPDATE ref_action(B). {A = R; if (A) A->on_update = (enum ref_action)B;}
%type ref_action {int}
ref_action(A) ::= NO ACTION. {A = REF_NO_ACTION;}
ref_action(A) ::= RESTRICT. {A = REF_RESTRICT;}
ref_action(A) ::= CASCADE. {A = REF_CASCADE;}
ref_action(A) ::= SET NULL ref_columns. {A = REF_SET_NULL;}
ref_action(A) ::= SET DEFAULT ref_columns. {A = REF_SET_DEFAULT;}
ref_columns ::= .
ref_columns ::= LP names(L) RP. {sql_list_drop(ps, L);}
%type constraint_attrs {int} /* bits: deferrable 1, deferred 2, not valid 4 */
constraint_attrs(A) ::= . {A = 0;}
constraint_attrs(A) ::= constraint_attrs(B) constraint_attr(C). {A = B | C;}
constraint_attrs(A) ::= constraint_attrs(B) NOT VALID. {A = B | 4;}
constraint_attrs(A) ::= constraint_attrs(B) NOT DEFERRABLE. {A = B;}
%type constraint_attr {int}
constraint_attr(A) ::= DEFERRABLE. {A = 1;}
constraint_attr(A) ::= INITIALLY DEFERRED. {A = 3;}
constraint_attr(A) ::= INITIALLY IMMEDIATE. {A = 0;}

column ::= name(N) type(T). {sql_column_begin(ps, N, T);}
constraints ::= .
constraints ::= constraints constraint.
constraints ::= constraints CONSTRAINT name(N) constraint. {sql_column_constraint_name(ps, N);}
constraint ::= NOT(T) NULL. {sql_column_null(ps, true, T.pos);}
constraint ::= NULL(T). {sql_column_null(ps, false, T.pos);}
constraint ::= DEFAULT(T) expr(E). [OR] {sql_column_default(ps, T.pos, E);}
constraint ::= PRIMARY(T) KEY. {sql_column_primary(ps, T.pos);}
constraint ::= COLLATE qname(N). {sql_column_collate(ps, N);}
constraint ::= UNIQUE(T) nulls_distinct(D). {sql_column_constraint(ps, sql_unique(ps, T.pos, sql_list_none(ps), D != 0));}
constraint ::= CHECK(T) LP expr(E) RP no_inherit. {sql_column_constraint(ps, sql_check_def(ps, T.pos, E));}
constraint ::= REFERENCES(T) references(R). {sql_column_constraint(ps, sql_foreign(ps, T.pos, sql_list_none(ps), R));}
constraint ::= GENERATED(T) ALWAYS AS IDENTITY identity(S). {sql_column_identity(ps, T.pos, IDENTITY_ALWAYS, S);}
constraint ::= GENERATED(T) BY DEFAULT AS IDENTITY identity(S). {sql_column_identity(ps, T.pos, IDENTITY_BY_DEFAULT, S);}
constraint ::= GENERATED(T) ALWAYS AS LP expr(E) RP STORED. {sql_column_generated(ps, T.pos, E);}
constraint ::= constraint_attr(B). {sql_column_attrs(ps, B);}
constraint ::= NOT DEFERRABLE.
constraint ::= X_CONSTRAINT.
%type identity {struct sequence_def *}
identity(A) ::= . {A = NULL;}
identity(A) ::= LP sequence_options(S) RP. {A = S;}

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

/* views, indexes, sequences */

cmd ::= CREATE temp(P) recursive(R) VIEW qname(N) columns(L) with(W) AS view_query(Q) check_option(C). {
    sql_list_drop(ps, W);
    sql_create_view(ps, P, N, L, sql_view(ps, false, R != 0, Q, C));
}
cmd ::= CREATE OR REPLACE temp(P) recursive(R) VIEW qname(N) columns(L) with(W) AS view_query(Q) check_option(C). {
    sql_list_drop(ps, W);
    sql_create_view(ps, P, N, L, sql_view(ps, true, R != 0, Q, C));
}
%type view_query {struct query *}
view_query(A) ::= view_start any_query(Q). {A = Q; ps->view_end = ps->last_end;}
view_start ::= . {ps->view_start = yyLookaheadToken.ptr;}
%type recursive {int}
recursive(A) ::= . {A = 0;}
recursive(A) ::= RECURSIVE. {A = 1;}
%type check_option {int}
check_option(A) ::= . {A = VIEW_CHECK_NONE;}
check_option(A) ::= WITH CHECK OPTION. {A = VIEW_CHECK_CASCADED;}
check_option(A) ::= WITH CASCADED CHECK OPTION. {A = VIEW_CHECK_CASCADED;}
check_option(A) ::= WITH LOCAL CHECK OPTION. {A = VIEW_CHECK_LOCAL;}

cmd ::= CREATE unique(U) INDEX concurrently if_not_exists(I) index_name(N) ON only qname(T) index_method(M) LP index_elems(L) RP
        index_include(D) nulls_distinct(X) with(W) where(E). {
    sql_list_drop(ps, W);
    sql_create_index(ps, sql_index(ps, U != 0, T, M, X != 0, E), I != 0, N, L, D);
}
%type unique {int}
unique(A) ::= . {A = 0;}
unique(A) ::= UNIQUE. {A = 1;}
concurrently ::= .
concurrently ::= CONCURRENTLY.
only ::= .
only ::= ONLY.
%type index_name {struct qual_name *}
index_name(A) ::= . {A = NULL;}
index_name(A) ::= qname(N). {A = N;}
%type index_method {struct sql_token}
index_method(A) ::= . {A = (struct sql_token){0};}
index_method(A) ::= USING name(N). {A = N;}
index_elems(A) ::= index_elem(E). {A = sql_list_one(ps, E);}
index_elems(A) ::= index_elems(L) COMMA index_elem(E). {A = sql_list_add(ps, L, E);}
%type index_elem {struct index_elem *}
index_elem(A) ::= expr(E) direction(D) nulls(N). {A = sql_index_elem(ps, E, NULL, D != 0, N);}
index_elem(A) ::= expr(E) ID(C) direction(D) nulls(N). {A = sql_index_elem(ps, E, &C, D != 0, N);}
index_include(A) ::= . {A = sql_list_none(ps);}
index_include(A) ::= INCLUDE LP names(L) RP. {A = L;}

cmd ::= CREATE temp(P) SEQUENCE if_not_exists(I) qname(N) sequence_opt(S). {sql_create_sequence(ps, P, I != 0, N, S);}
cmd ::= ALTER alter_object(K) if_exists(I) qname(N) sequence_options(S). {sql_alter_sequence(ps, K, I != 0, N, S);}
%type sequence_opt {struct sequence_def *}
sequence_opt(A) ::= . {A = sql_new(ps, sizeof *A);}
sequence_opt(A) ::= sequence_options(S). {A = S;}
%type sequence_options {struct sequence_def *}
sequence_options(A) ::= sequence_option(S). {A = S;}
sequence_options(A) ::= sequence_options(L) sequence_option(S). {A = sql_sequence_merge(ps, L, S);}
%type sequence_option {struct sequence_def *}
sequence_option(A) ::= AS(T) type(Y). {A = sql_sequence(ps, T, SEQUENCE_AS, 0); if (A) A->as = Y;}
sequence_option(A) ::= INCREMENT(T) signed(N). {A = sql_sequence(ps, T, SEQUENCE_INCREMENT, N);}
sequence_option(A) ::= INCREMENT(T) BY signed(N). {A = sql_sequence(ps, T, SEQUENCE_INCREMENT, N);}
sequence_option(A) ::= MINVALUE(T) signed(N). {A = sql_sequence(ps, T, SEQUENCE_MIN, N);}
sequence_option(A) ::= NO(T) MINVALUE. {A = sql_sequence(ps, T, SEQUENCE_NO_MIN, 0);}
sequence_option(A) ::= MAXVALUE(T) signed(N). {A = sql_sequence(ps, T, SEQUENCE_MAX, N);}
sequence_option(A) ::= NO(T) MAXVALUE. {A = sql_sequence(ps, T, SEQUENCE_NO_MAX, 0);}
sequence_option(A) ::= START(T) signed(N). {A = sql_sequence(ps, T, SEQUENCE_START, N);}
sequence_option(A) ::= START(T) WITH signed(N). {A = sql_sequence(ps, T, SEQUENCE_START, N);}
sequence_option(A) ::= CACHE(T) signed(N). {A = sql_sequence(ps, T, SEQUENCE_CACHE, N);}
sequence_option(A) ::= CYCLE(T). {A = sql_sequence(ps, T, SEQUENCE_CYCLE, 0);}
sequence_option(A) ::= NO(T) CYCLE. {A = sql_sequence(ps, T, SEQUENCE_NO_CYCLE, 0);}
sequence_option(A) ::= OWNED(T) BY NONE. {A = sql_sequence(ps, T, SEQUENCE_OWNED, 0);}
sequence_option(A) ::= OWNED(T) BY name(B) DOT name(N). {A = sql_sequence_owned(ps, T, sql_qual(ps, NULL, B), N);}
sequence_option(A) ::= OWNED(T) BY name(S) DOT name(B) DOT name(N). {A = sql_sequence_owned(ps, T, sql_qual(ps, &S, B), N);}
sequence_option(A) ::= SEQUENCE(T) name(W) qname(N). {A = sql_sequence_name(ps, T, W, N);}
sequence_option(A) ::= RESTART(T). {A = sql_sequence(ps, T, SEQUENCE_RESTART, 0);}
sequence_option(A) ::= RESTART(T) signed(N). {A = sql_sequence(ps, T, SEQUENCE_RESTART | SEQUENCE_RESTART_WITH, N);}
sequence_option(A) ::= RESTART(T) WITH signed(N). {A = sql_sequence(ps, T, SEQUENCE_RESTART | SEQUENCE_RESTART_WITH, N);}

/* ---- types ---- */

cmd ::= CREATE TYPE qname(N) AS name(W) LP RP. {sql_create_enum(ps, N, W, sql_list_none(ps));}
cmd ::= CREATE TYPE qname(N) AS name(W) LP enum_labels(L) RP. {sql_create_enum(ps, N, W, L);}
enum_labels(A) ::= STRING(T). {A = sql_list_one(ps, sql_value(ps, T, false, T.pos));}
enum_labels(A) ::= enum_labels(L) COMMA STRING(T). {A = sql_list_add(ps, L, sql_value(ps, T, false, T.pos));}
cmd ::= ALTER TYPE qname(N) ADD name(W) if_not_exists(I) STRING(T) enum_place(P). {sql_type_add(ps, N, W, I != 0, T, P);}
%type enum_place {struct type_place}
enum_place(A) ::= . {A = (struct type_place){0};}
enum_place(A) ::= name(W) STRING(T). {A = sql_type_place(ps, W, T);}
cmd ::= ALTER TYPE qname(N) RENAME name(W) STRING(F) TO STRING(T). {sql_type_rename_value(ps, N, W, F, T);}
cmd ::= ALTER TYPE qname(N) RENAME TO name(T). {sql_type_to(ps, N, TYPE_STMT_RENAME, T);}
cmd ::= ALTER TYPE qname(N) SET SCHEMA name(T). {sql_type_to(ps, N, TYPE_STMT_SET_SCHEMA, T);}
cmd ::= ALTER TYPE qname(N) OWNER TO name(T). {sql_type_to(ps, N, TYPE_STMT_OWNER, T);}
cmd ::= DROP TYPE if_exists(I) qnames(L) behavior(B). {sql_type_drop(ps, I != 0, L, B);}

/* ---- time partitions ---- */

cmd ::= CREATE TIME PARTITION if_not_exists(I) ON qname(T) AS qname(N) part_words(L). {sql_create_timepart(ps, I != 0, T, N, L);}
cmd ::= DROP TIME PARTITION if_exists(I) qname(N). {sql_drop_timepart(ps, I != 0, N);}
cmd ::= DROP TRIGGER(T) if_exists(I) name(W) ON qname(N) behavior. {sql_drop_trigger(ps, T, I != 0, W, N);}
cmd ::= PUT TIME PARTITION qname(N) part_words(L). {sql_put_timepart(ps, N, L);}
cmd ::= PUT name(W) part_name(N). {sql_put_counter(ps, W, N, COUNTER_MAKE, 0);}
cmd ::= PUT name(W) part_name(N) INCREMENT. {sql_put_counter(ps, W, N, COUNTER_INCREMENT, 0);}
cmd ::= PUT name(W) part_name(N) SET signed(V). {sql_put_counter(ps, W, N, COUNTER_SET, V);}
%type part_name {struct qual_name *}
part_name(A) ::= qname(N). {A = N;}
part_name(A) ::= STRING(T). {A = sql_part_name(ps, T);}
%type partitioned {struct partition_def *}
partitioned(A) ::= PARTITIONED(T) BY name(W). {A = sql_partitioned(ps, T, W, sql_list_none(ps));}
partitioned(A) ::= PARTITIONED(T) BY name(W) part_words(L). {A = sql_partitioned(ps, T, W, L);}
part_words(A) ::= part_word(O). {A = sql_list_one(ps, O);}
part_words(A) ::= part_words(L) part_word(O). {A = sql_list_add(ps, L, O);}
%type part_word {struct option_spec *}
part_word(A) ::= name(N) STRING(T). {A = sql_option(ps, N, sql_value(ps, T, false, T.pos));}
part_word(A) ::= name(N) INTEGER(T). {A = sql_option(ps, N, sql_value(ps, T, false, T.pos));}
part_word(A) ::= name(N) MINUS(M) INTEGER(T). {A = sql_option(ps, N, sql_value(ps, T, true, M.pos));}
part_word(A) ::= name(N). {A = sql_option(ps, N, NULL);}

/* ---- slabs ---- */

cmd ::= ALTER TABLE if_exists(I) only qname(N) slabs(S). {sql_slabs_stmt(ps, I != 0, N, S);}
%type slabs {struct slabs_stmt *}
slabs(A) ::= DROP partition_word WHERE expr(E). {A = sql_slabs(ps, SLABS_DROP, E, sql_list_none(ps));}
slabs(A) ::= DROP partition_word slab_list(L). {A = sql_slabs(ps, SLABS_DROP, NULL, L);}
slabs(A) ::= DETACH partition_word WHERE expr(E) TO STRING(T). {
    A = sql_slabs_path(ps, sql_slabs(ps, SLABS_DETACH, E, sql_list_none(ps)), T);
}
slabs(A) ::= DETACH partition_word slab_list(L) TO STRING(T). {A = sql_slabs_path(ps, sql_slabs(ps, SLABS_DETACH, NULL, L), T);}
slabs(A) ::= ATTACH partition_word FROM STRING(T). {A = sql_slabs_path(ps, sql_slabs(ps, SLABS_ATTACH, NULL, sql_list_none(ps)), T);}
partition_word ::= PARTITION.
partition_word ::= PARTITIONS.
slab_list(A) ::= slab_names(L). {A = L;}
slab_list(A) ::= LIST slab_names(L). {A = L;}
slab_names(A) ::= STRING(T). {A = sql_list_one(ps, sql_value(ps, T, false, T.pos));}
slab_names(A) ::= slab_names(L) COMMA STRING(T). {A = sql_list_add(ps, L, sql_value(ps, T, false, T.pos));}

/* ---- ALTER ---- */

cmd ::= ALTER TABLE if_exists(I) only qname(N) alter_actions(L). {sql_alter(ps, OBJECT_TABLE, I != 0, N, L);}
cmd ::= ALTER alter_object(K) if_exists(I) qname(N) RENAME TO name(T). {
    sql_alter(ps, K, I != 0, N, sql_list_one(ps, sql_alter_rename(ps, ALTER_RENAME_TABLE, NULL, T)));
}
cmd ::= ALTER alter_object(K) if_exists(I) qname(N) RENAME column_word name(C) TO name(T). {
    sql_alter(ps, K, I != 0, N, sql_list_one(ps, sql_alter_rename(ps, ALTER_RENAME_COLUMN, &C, T)));
}
cmd ::= ALTER alter_object(K) if_exists(I) qname(N) SET SCHEMA name(T). {
    sql_alter(ps, K, I != 0, N, sql_list_one(ps, sql_alter_rename(ps, ALTER_SET_SCHEMA, NULL, T)));
}
cmd ::= ALTER SCHEMA name(N) RENAME TO name(T). {
    sql_alter(ps, OBJECT_SCHEMA, false, sql_qual(ps, NULL, N),
              sql_list_one(ps, sql_alter_rename(ps, ALTER_RENAME_TABLE, NULL, T)));
}
%type alter_object {int}
alter_object(A) ::= VIEW. {A = OBJECT_VIEW;}
alter_object(A) ::= SEQUENCE. {A = OBJECT_SEQUENCE;}
alter_object(A) ::= INDEX. {A = OBJECT_INDEX;}
cmd ::= ALTER X_ALTER.
alter_actions(A) ::= alter_action(I). {A = sql_list_one(ps, I);}
alter_actions(A) ::= alter_actions(L) COMMA alter_action(I). {A = sql_list_add(ps, L, I);}
%type alter_action {struct alter_action *}
alter_action(A) ::= alter_add(B) column constraints. {A = sql_alter_column(ps, B);}
alter_action(A) ::= ADD X_ALTER_ADD. {A = NULL;}
alter_action(A) ::= ADD table_constraint(C). {A = sql_alter_constraint(ps, C);}
alter_action(A) ::= ADD constraint_name table_constraint(C). {A = sql_alter_constraint(ps, C);}
alter_action(A) ::= ADD alter_key. {A = sql_alter_key(ps);}
alter_action(A) ::= ADD constraint_name alter_key. {A = sql_alter_key(ps);}
alter_action(A) ::= DROP column_word if_exists(I) name(N) behavior(B). {A = sql_alter_drop(ps, ALTER_DROP_COLUMN, I != 0, N, B);}
alter_action(A) ::= DROP CONSTRAINT if_exists(I) name(N) behavior(B). {A = sql_alter_drop(ps, ALTER_DROP_CONSTRAINT, I != 0, N, B);}
alter_action(A) ::= RENAME column_word name(N) TO name(T). {A = sql_alter_rename(ps, ALTER_RENAME_COLUMN, &N, T);}
alter_action(A) ::= RENAME CONSTRAINT name(N) TO name(T). {A = sql_alter_rename(ps, ALTER_RENAME_CONSTRAINT, &N, T);}
alter_action(A) ::= RENAME TO name(T). {A = sql_alter_rename(ps, ALTER_RENAME_TABLE, NULL, T);}
alter_action(A) ::= SET SCHEMA name(T). {A = sql_alter_rename(ps, ALTER_SET_SCHEMA, NULL, T);}
alter_action(A) ::= SET LP options(L) RP. {A = sql_alter_set(ps, L);}
alter_action(A) ::= RESET LP reset_options(L) RP. {A = sql_alter_reset(ps, L);}
alter_action(A) ::= WITH LP options(L) RP. {A = sql_alter_set(ps, L);}
alter_action(A) ::= WITH alter_options(L). {A = sql_alter_set(ps, L);}
alter_action(A) ::= ALTER column_word name(N) SET DEFAULT expr(E). {A = sql_alter_default(ps, ALTER_SET_DEFAULT, N, E);}
alter_action(A) ::= ALTER column_word name(N) DROP DEFAULT. {A = sql_alter_default(ps, ALTER_DROP_DEFAULT, N, NULL);}
alter_action(A) ::= ALTER column_word name(N) SET NOT NULL. {A = sql_alter_default(ps, ALTER_SET_NOT_NULL, N, NULL);}
alter_action(A) ::= ALTER column_word name(N) DROP NOT NULL. {A = sql_alter_default(ps, ALTER_DROP_NOT_NULL, N, NULL);}
alter_action(A) ::= ALTER column_word name(N) set_data TYPE type(T) type_collate(C) type_using(U). {A = sql_alter_type(ps, N, T, C, U);}
alter_action(A) ::= ALTER column_word name(N) DROP EXPRESSION if_exists(I). {A = sql_alter_drop(ps, ALTER_DROP_EXPRESSION, I != 0, N, DROP_DEFAULT);}
alter_action(A) ::= ALTER column_word name(N) DROP IDENTITY if_exists(I). {A = sql_alter_drop(ps, ALTER_DROP_IDENTITY, I != 0, N, DROP_DEFAULT);}
alter_action(A) ::= ALTER column_word name(N) ADD GENERATED(T) identity_kind(K) AS IDENTITY identity(S). {
    A = sql_alter_identity(ps, ALTER_ADD_IDENTITY, N, T, K, S);
}
alter_action(A) ::= ALTER column_word name(N) identity_sets(B). {A = sql_alter_identity_of(ps, B, N);}
alter_action(A) ::= VALIDATE CONSTRAINT name(N). {A = sql_alter_drop(ps, ALTER_VALIDATE_CONSTRAINT, false, N, DROP_DEFAULT);}
alter_action(A) ::= partitioned(P). {A = sql_alter_partition(ps, P);}
alter_action(A) ::= X_ALTER_ACTION. {A = NULL;}
%type identity_kind {int}
identity_kind(A) ::= ALWAYS. {A = IDENTITY_ALWAYS;}
identity_kind(A) ::= BY DEFAULT. {A = IDENTITY_BY_DEFAULT;}
%type identity_sets {struct alter_action *}
identity_sets(A) ::= identity_set(B). {A = B;}
identity_sets(A) ::= identity_sets(L) identity_set(B). {A = sql_alter_identity_merge(ps, L, B);}
%type identity_set {struct alter_action *}
identity_set(A) ::= RESTART(T). {A = sql_alter_identity(ps, ALTER_SET_IDENTITY, T, T, IDENTITY_NONE, sql_sequence(ps, T, SEQUENCE_RESTART, 0));}
identity_set(A) ::= RESTART(T) signed(V). {
    A = sql_alter_identity(ps, ALTER_SET_IDENTITY, T, T, IDENTITY_NONE, sql_sequence(ps, T, SEQUENCE_RESTART | SEQUENCE_RESTART_WITH, V));
}
identity_set(A) ::= RESTART(T) WITH signed(V). {
    A = sql_alter_identity(ps, ALTER_SET_IDENTITY, T, T, IDENTITY_NONE, sql_sequence(ps, T, SEQUENCE_RESTART | SEQUENCE_RESTART_WITH, V));
}
identity_set(A) ::= SET(T) sequence_option(S). {A = sql_alter_identity(ps, ALTER_SET_IDENTITY, T, T, IDENTITY_NONE, S);}
identity_set(A) ::= SET GENERATED(T) identity_kind(K). {A = sql_alter_identity(ps, ALTER_SET_IDENTITY, T, T, K, NULL);}
set_data ::= .
set_data ::= SET DATA.
%type type_collate {struct qual_name *}
type_collate(A) ::= . {A = NULL;}
type_collate(A) ::= COLLATE qname(N). {A = N;}
%type type_using {struct expr *}
type_using(A) ::= . {A = NULL;}
type_using(A) ::= USING expr(E). {A = E;}
alter_key ::= primary LP key_inner RP.
alter_key ::= primary LP key_inner COMMA key_local RP.
alter_key ::= primary LP key_local RP.
reset_options(A) ::= name(N). {A = sql_list_one(ps, sql_option(ps, N, NULL));}
reset_options(A) ::= reset_options(L) COMMA name(N). {A = sql_list_add(ps, L, sql_option(ps, N, NULL));}
alter_options(A) ::= option(O). {A = sql_list_one(ps, O);}
alter_options(A) ::= alter_options(L) AND option(O). {A = sql_list_add(ps, L, O);}
%type alter_add {struct alter_action *}
alter_add(A) ::= ADD column_word if_not_exists(I). {A = sql_alter_add(ps, I != 0);}
column_word ::= .
column_word ::= COLUMN.

/* ---- types ---- */

%type type {struct type_name *}
type(A) ::= scalar_type(T). [AND] {A = T;}
type(A) ::= scalar_type(T) dims(D). [AND] {A = sql_type_dims(T, D);}
type(A) ::= scalar_type(T) ARRAY. [AND] {A = sql_type_dims(T, 1);}
type(A) ::= scalar_type(T) ARRAY LB INTEGER RB. {A = sql_type_dims(T, 1);}
type(A) ::= type(T) X_TYPE. {A = T;}
%type dims {int}
dims(A) ::= dim. {A = 1;}
dims(A) ::= dims(D) dim. {A = D + 1;}
dim ::= LB RB.
dim ::= LB INTEGER RB.
%type scalar_type {struct type_name *}
scalar_type(A) ::= name(N) type_args(L). {A = sql_type(ps, N, 0, L);}
scalar_type(A) ::= name(S) DOT name(N) type_args(L). {A = sql_type_in(ps, S, N, L);}
scalar_type(A) ::= name(N) PRECISION. {A = sql_type(ps, N, TK_PRECISION, sql_list_none(ps));}
scalar_type(A) ::= name(N) VARYING type_args(L). {A = sql_type(ps, N, TK_VARYING, L);}
scalar_type(A) ::= name(N) type_args(L) WITH_LA TIME ZONE. {A = sql_type(ps, N, TK_WITH, L);}
scalar_type(A) ::= name(N) type_args(L) WITHOUT TIME ZONE. {A = sql_type(ps, N, TK_WITHOUT, L);}
scalar_type(A) ::= name(N) fields(F). {A = sql_type_fields(ps, sql_type(ps, N, 0, sql_list_none(ps)), F);}
type_args(A) ::= . {A = sql_list_none(ps);}
type_args(A) ::= LP integers(L) RP. {A = L;}
integers(A) ::= type_mod(E). {A = sql_list_one(ps, E);}
integers(A) ::= integers(L) COMMA type_mod(E). {A = sql_list_add(ps, L, E);}
%type type_mod {struct expr *}
type_mod(A) ::= INTEGER(T). {A = sql_integer(ps, T);}
type_mod(A) ::= MINUS(O) INTEGER(T). {A = sql_unary(ps, OP_NEG, O.pos, sql_integer(ps, T));}
%type fields {struct sql_fields *}
fields(A) ::= FIELD(T). {A = sql_fields(ps, T, T, NULL);}
fields(A) ::= FIELD(T) LP type_mod(E) RP. {A = sql_fields(ps, T, T, E);}
fields(A) ::= FIELD(T) TO FIELD(U). {A = sql_fields(ps, T, U, NULL);}
fields(A) ::= FIELD(T) TO FIELD(U) LP type_mod(E) RP. {A = sql_fields(ps, T, U, E);}

/* ---- INSERT, UPDATE, DELETE ---- */

cmd ::= dml(S). {sql_dml(ps, S);}
%type dml {struct stmt *}
dml(A) ::= insert_rest(S). {A = sql_insert_with(ps, NULL, S);}
dml(A) ::= with_clause(W) insert_rest(S). {A = sql_insert_with(ps, W, S);}
dml(A) ::= update_rest(C). {A = sql_change_stmt(ps, STMT_UPDATE, NULL, C);}
dml(A) ::= with_clause(W) update_rest(C). {A = sql_change_stmt(ps, STMT_UPDATE, W, C);}
dml(A) ::= delete_rest(C). {A = sql_change_stmt(ps, STMT_DELETE, NULL, C);}
dml(A) ::= with_clause(W) delete_rest(C). {A = sql_change_stmt(ps, STMT_DELETE, W, C);}

%type insert_rest {struct insert_stmt *}
insert_rest(A) ::= insert_into(I) insert_source(S) using_ttl(T) conflict(C) returning(R). {
    A = sql_insert_end(ps, I, sql_insert_ttl(S, T), C, R);
}
insert_rest(A) ::= insert_into(I) X_INSERT. {A = I;}
insert_rest(A) ::= insert_into(I) insert_source X_INSERT_TAIL. {A = I;}
%type insert_into {struct insert_stmt *}
insert_into(A) ::= INSERT INTO qname(N). {A = sql_insert_begin(ps, N, NULL);}
insert_into(A) ::= INSERT INTO qname(N) AS name(T). {A = sql_insert_begin(ps, N, &T);}
%type insert_source {struct insert_stmt *}
insert_source(A) ::= any_query(Q). {A = sql_insert_source(ps, sql_list_none(ps), OVERRIDING_NONE, Q);}
insert_source(A) ::= LP names(L) RP overriding(O) any_query(Q). {A = sql_insert_source(ps, L, O, Q);}
insert_source(A) ::= LP names(L) RP X_INSERT. {sql_list_drop(ps, L); A = NULL;}
insert_source(A) ::= overriding_word(O) any_query(Q). {A = sql_insert_source(ps, sql_list_none(ps), O, Q);}
insert_source(A) ::= DEFAULT VALUES. {A = sql_insert_source(ps, sql_list_none(ps), OVERRIDING_NONE, NULL);}
%type overriding {int}
overriding(A) ::= . {A = OVERRIDING_NONE;}
overriding(A) ::= overriding_word(O). {A = O;}
%type overriding_word {int}
overriding_word(A) ::= OVERRIDING ID ID. {A = OVERRIDING_USER;}
overriding_word(A) ::= OVERRIDING SYSTEM ID. {A = OVERRIDING_SYSTEM;}

%type using_ttl {struct expr *}
using_ttl(A) ::= . {A = NULL;}
using_ttl(A) ::= USING_LA ID expr(E). {A = E;}

%type conflict {struct conflict_clause *}
conflict(A) ::= . {A = NULL;}
conflict(A) ::= ON(T) CONFLICT conflict_target(C) DO NOTHING. {A = sql_conflict(ps, T.pos, C, CONFLICT_NOTHING, sql_list_none(ps), NULL);}
conflict(A) ::= ON(T) CONFLICT conflict_target(C) DO UPDATE SET sets(L) where(W). {A = sql_conflict(ps, T.pos, C, CONFLICT_UPDATE, L, W);}
%type conflict_target {struct conflict_clause *}
conflict_target(A) ::= . {A = NULL;}
conflict_target(A) ::= LP index_elems(L) RP where(W). {A = sql_conflict_target(ps, L, W);}
conflict_target(A) ::= ON CONSTRAINT name(N). {A = sql_conflict_constraint(ps, N);}
returning(A) ::= . {A = sql_list_none(ps);}
returning(A) ::= RETURNING items(L). {A = L;}

%type update_rest {struct change_stmt *}
update_rest(A) ::= UPDATE target(C) using_ttl(T) SET sets(L) from(F) where(W) returning(R). {
    A = sql_change_end(ps, sql_change_ttl(C, T), L, F, W, R);
}
update_rest(A) ::= UPDATE target(C) using_ttl(T) SET sets(L) from(F) WHERE CURRENT OF name(N) returning(R). {
    A = sql_change_current(ps, sql_change_end(ps, sql_change_ttl(C, T), L, F, NULL, R), N);
}
update_rest(A) ::= UPDATE target(C) using_ttl SET sets from where X_CHANGE_TAIL. {A = C;}
%type delete_rest {struct change_stmt *}
delete_rest(A) ::= DELETE FROM target(C) using(F) where(W) returning(R). {
    A = sql_change_end(ps, C, (struct sql_list){F.start, 0}, F, W, R);
}
delete_rest(A) ::= DELETE FROM target(C) using(F) WHERE CURRENT OF name(N) returning(R). {
    A = sql_change_current(ps, sql_change_end(ps, C, (struct sql_list){F.start, 0}, F, NULL, R), N);
}
delete_rest(A) ::= DELETE FROM target(C) using where X_CHANGE_TAIL. {A = C;}
%type target {struct change_stmt *}
target(A) ::= only qname(N). {A = sql_change(ps, N, NULL);}
target(A) ::= only qname(N) AS name(T). {A = sql_change(ps, N, &T);}
target(A) ::= only qname(N) ID(T). {A = sql_change(ps, N, &T);}
using(A) ::= . {A = sql_list_none(ps);}
using(A) ::= USING from_list(L). {A = L;}
sets(A) ::= set_items(I). {A = I;}
sets(A) ::= sets(L) COMMA set_items(I). {A = sql_list_concat(L, I);}
set_items(A) ::= set_item(I). {A = sql_list_one(ps, I);}
set_items(A) ::= LP names(L) RP EQ expr(E). {A = sql_set_row(ps, L, E);}
%type set_item {struct set_item *}
set_item(A) ::= name(N) EQ expr(E). {A = sql_set_item(ps, N, E);}
set_item(A) ::= name(N) EQ DEFAULT. {A = sql_set_item(ps, N, NULL);}
set_item(A) ::= set_place(P) EQ expr(E). {A = sql_set_place(ps, P, E);}
%type set_place {struct expr *}
set_place(A) ::= name(N) LB(T) expr(I) RB. {A = sql_subscript(ps, T.pos, sql_column(ps, NULL, NULL, N), I, NULL, false);}
set_place(A) ::= name(N) LB(T) bound_expr(I) COLON bound_expr(J) RB. {A = sql_subscript(ps, T.pos, sql_column(ps, NULL, NULL, N), I, J, true);}
set_place(A) ::= set_place(E) LB(T) expr(I) RB. {A = sql_subscript(ps, T.pos, E, I, NULL, false);}
set_place(A) ::= set_place(E) LB(T) bound_expr(I) COLON bound_expr(J) RB. {A = sql_subscript(ps, T.pos, E, I, J, true);}

/* ---- MERGE ---- */

cmd ::= merge_rest(M). {sql_merge_stmt(ps, NULL, M);}
cmd ::= with_clause(W) merge_rest(M). {sql_merge_stmt(ps, W, M);}
%type merge_rest {struct merge_stmt *}
merge_rest(A) ::= MERGE(T) INTO target(C) USING table_ref(F) ON expr(E) merge_whens(L). {A = sql_merge(ps, T.pos, C, F, E, L);}
merge_whens(A) ::= merge_when(W). {A = sql_list_one(ps, W);}
merge_whens(A) ::= merge_whens(L) merge_when(W). {A = sql_list_add(ps, L, W);}
%type merge_when {struct merge_when *}
merge_when(A) ::= WHEN(T) MATCHED merge_and(C) THEN UPDATE SET sets(L). {A = sql_merge_update(ps, T.pos, C, L);}
merge_when(A) ::= WHEN(T) MATCHED merge_and(C) THEN DELETE. {A = sql_merge_when(ps, T.pos, true, C, MERGE_DELETE);}
merge_when(A) ::= WHEN(T) MATCHED merge_and(C) THEN DO NOTHING. {A = sql_merge_when(ps, T.pos, true, C, MERGE_NOTHING);}
merge_when(A) ::= WHEN(T) NOT MATCHED merge_and(C) THEN DO NOTHING. {A = sql_merge_when(ps, T.pos, false, C, MERGE_NOTHING);}
merge_when(A) ::= WHEN(T) NOT MATCHED merge_and(C) THEN INSERT merge_values(V). {A = sql_merge_insert(ps, T.pos, C, V);}
%type merge_and {struct expr *}
merge_and(A) ::= . {A = NULL;}
merge_and(A) ::= AND expr(E). {A = E;}
%type merge_values {struct merge_when *}
merge_values(A) ::= DEFAULT VALUES. {A = sql_merge_values(ps, NULL, OVERRIDING_NONE, sql_list_none(ps));}
merge_values(A) ::= overriding(O) VALUES LP row_values(L) RP. {A = sql_merge_values(ps, NULL, O, L);}
merge_values(A) ::= merge_columns(C) overriding(O) VALUES LP row_values(L) RP. {A = sql_merge_values(ps, C, O, L);}
%type merge_columns {struct merge_when *}
merge_columns(A) ::= LP names(L) RP. {A = sql_merge_columns(ps, L);}

/* ---- queries ---- */

cmd ::= any_query(Q). {sql_query_stmt(ps, Q);}

/* With or without parentheses. */
%type any_query {struct query *}
any_query(A) ::= query(Q). [SIGN] {A = Q;}
any_query(A) ::= subquery(Q). [SIGN] {A = Q;}
%type subquery {struct query *}
subquery(A) ::= LP query(Q) RP. {A = sql_query_plain(ps, Q);}
subquery(A) ::= LP subquery(Q) RP. {A = Q;}

%type query {struct query *}
query(A) ::= simple(Q). [SIGN] {A = Q;}
query(A) ::= clause(Q) tail(T). {A = sql_query_tail(ps, NULL, Q, T);}
query(A) ::= with_clause(W) clause(Q). [SIGN] {A = sql_query_tail(ps, W, Q, NULL);}
query(A) ::= with_clause(W) clause(Q) tail(T). {A = sql_query_tail(ps, W, Q, T);}
query(A) ::= simple(Q) X_SELECT_TAIL. {A = Q;}
query(A) ::= clause(Q) tail X_SELECT_TAIL. {A = Q;}
%type clause {struct query *}
clause(A) ::= simple(Q). {A = Q;}
clause(A) ::= subquery(Q). {A = Q;}
%type simple {struct query *}
simple(A) ::= select_list(S) into(I) from(F) where(W) group_by(G) having(H) windows(N). {
    if (ps->rc == 0) {
        S->where = W;
        S->having = H;
        S->windows_count = N.count;
        S->windows = sql_list_take_structs(ps, N, sizeof(struct window_def));
        S->group_distinct = G.distinct;
        S->group_by_count = G.list.count;
        S->group_by = sql_list_take_structs(ps, G.list, sizeof(struct group_item));
        S->from_count = F.count;
        S->from = sql_list_take(ps, F);
        if (I)
            I->core = S;
    }
    A = sql_query_core(ps, S);
}
%type into {struct sql_into *}
into(A) ::= . {A = NULL;}
into(A) ::= INTO(T) into_temp(P) table_word qname(N). {A = sql_select_into(ps, T.pos, P, N);}
%type into_temp {struct sql_persist}
into_temp(A) ::= . {A = (struct sql_persist){PERSIST_PERMANENT, 0};}
into_temp(A) ::= temp_word(T). {A = (struct sql_persist){PERSIST_TEMP, T.pos};}
into_temp(A) ::= UNLOGGED(T). {A = (struct sql_persist){PERSIST_UNLOGGED, T.pos};}
%type select_list {struct select_core *}
select_list(A) ::= SELECT(T) opt_items(I). {A = sql_core(ps, T.pos, false, sql_list_none(ps), I);}
select_list(A) ::= SELECT(T) ALL opt_items(I). {A = sql_core(ps, T.pos, false, sql_list_none(ps), I);}
select_list(A) ::= SELECT(T) DISTINCT items(I). {A = sql_core(ps, T.pos, true, sql_list_none(ps), I);}
select_list(A) ::= SELECT(T) DISTINCT ON LP exprs(L) RP items(I). {A = sql_core(ps, T.pos, true, L, I);}
simple(A) ::= VALUES(T) rows(R). {A = sql_values(ps, T.pos, R);}
simple(A) ::= TABLE(T) only qname(N). {A = sql_table_query(ps, T.pos, N);}
simple(A) ::= clause(L) UNION(T) quantifier(Q) clause(R). {A = sql_set_op(ps, SET_UNION, T.pos, Q != 0, L, R);}
simple(A) ::= clause(L) INTERSECT(T) quantifier(Q) clause(R). {A = sql_set_op(ps, SET_INTERSECT, T.pos, Q != 0, L, R);}
simple(A) ::= clause(L) EXCEPT(T) quantifier(Q) clause(R). {A = sql_set_op(ps, SET_EXCEPT, T.pos, Q != 0, L, R);}
%type quantifier {int}
quantifier(A) ::= . {A = 0;}
quantifier(A) ::= ALL. {A = 1;}
quantifier(A) ::= DISTINCT. {A = 0;}
%type with_clause {struct with_clause *}
with_clause(A) ::= WITH(T) recursive(R) ctes(L). {A = sql_with(ps, T.pos, R != 0, L);}
ctes(A) ::= cte(C). {A = sql_list_one(ps, C);}
ctes(A) ::= ctes(L) COMMA cte(C). {A = sql_list_add(ps, L, C);}
%type cte {struct cte *}
cte(A) ::= name(N) columns(L) AS material(M) subquery(Q). {A = sql_cte(ps, N, L, M, Q, NULL);}
cte(A) ::= name(N) columns(L) AS material(M) subquery(Q) X_CTE. {A = sql_cte(ps, N, L, M, Q, NULL);}
cte(A) ::= name(N) columns(L) AS material(M) LP dml(S) RP. {A = sql_cte(ps, N, L, M, NULL, S);}
%type material {int}
material(A) ::= . {A = CTE_DEFAULT;}
material(A) ::= MATERIALIZED. {A = CTE_MATERIALIZED;}
material(A) ::= NOT MATERIALIZED. {A = CTE_NOT_MATERIALIZED;}

%type rows {uint32_t} /* place of the first of them in ps->rows */
rows(A) ::= row. {A = ps->rc < 0 ? 0 : ps->rows_len - 1;}
rows(A) ::= rows(B) COMMA row. {A = B;}
row ::= LP(T) row_values(L) RP. {sql_insert_row(ps, T.pos, L);}
row ::= VROW. /* parse_rows.c has made it */
row_values(A) ::= row_value(E). {A = sql_list_one(ps, E);}
row_values(A) ::= row_values(L) COMMA row_value(E). {A = sql_list_add(ps, L, E);}
%type row_value {struct expr *}
row_value(A) ::= expr(E). {A = E;}
row_value(A) ::= DEFAULT. {A = NULL;}

opt_items(A) ::= . {A = sql_list_none(ps);}
opt_items(A) ::= items(L). {A = L;}
items(A) ::= item(I). {A = sql_list_one(ps, I);}
items(A) ::= items(L) COMMA item(I). {A = sql_list_add(ps, L, I);}
%type item {struct select_item *}
item(A) ::= item_start(P) expr(E). {A = sql_item(ps, P, E, NULL);}
item(A) ::= item_start(P) expr(E) AS name(N). {A = sql_item(ps, P, E, &N);}
item(A) ::= item_start(P) expr(E) ID(N). {A = sql_item(ps, P, E, &N);}
item(A) ::= item_start(P) STAR(T). {A = sql_item(ps, P, sql_star(ps, NULL, NULL, T.pos), NULL);}
%type item_start {uint32_t}
item_start(A) ::= . {A = yyLookaheadToken.pos;}

/* FROM */

from(A) ::= . {A = sql_list_none(ps);}
from(A) ::= FROM from_list(L). {A = L;}
from(A) ::= FROM X_FROM. {A = sql_list_none(ps);}
from_list(A) ::= table_ref(F). {A = sql_list_one(ps, F);}
from_list(A) ::= from_list(L) COMMA table_ref(F). {A = sql_list_add(ps, L, F);}
%type table_ref {struct from_item *}
table_ref(A) ::= qname(N) alias(S). {A = sql_from_alias(ps, sql_from(ps, N, false), S);}
table_ref(A) ::= qname(N) alias(S) sample(P). {A = sql_from_sample(ps, sql_from_alias(ps, sql_from(ps, N, false), S), P);}
table_ref(A) ::= ONLY qname(N) alias(S) sample(P). {A = sql_from_sample(ps, sql_from_alias(ps, sql_from(ps, N, true), S), P);}
table_ref(A) ::= qname(N) STAR alias(S). {A = sql_from_alias(ps, sql_from(ps, N, false), S);}
table_ref(A) ::= ONLY qname(N) alias(S). {A = sql_from_alias(ps, sql_from(ps, N, true), S);}
table_ref(A) ::= ONLY LP qname(N) RP alias(S). {A = sql_from_alias(ps, sql_from(ps, N, true), S);}
table_ref(A) ::= STRING(T) alias(S). {A = sql_from_alias(ps, sql_from_file(ps, T), S);}
table_ref(A) ::= subquery(Q) alias(S). {A = sql_from_alias(ps, sql_from_query(ps, Q, false), S);}
table_ref(A) ::= LATERAL subquery(Q) alias(S). {A = sql_from_alias(ps, sql_from_query(ps, Q, true), S);}
table_ref(A) ::= call(E) ordinality(O) func_alias(S). {A = sql_from_alias(ps, sql_from_call(ps, E, false, O != 0), S);}
table_ref(A) ::= LATERAL call(E) ordinality(O) func_alias(S). {A = sql_from_alias(ps, sql_from_call(ps, E, true, O != 0), S);}
table_ref(A) ::= ROWS(T) FROM LP calls(L) RP ordinality(O) alias(S). {A = sql_from_alias(ps, sql_from_rows(ps, T.pos, L, false, O != 0), S);}
table_ref(A) ::= LATERAL ROWS(T) FROM LP calls(L) RP ordinality(O) alias(S). {A = sql_from_alias(ps, sql_from_rows(ps, T.pos, L, true, O != 0), S);}
%type sample {struct from_sample *}
sample(A) ::= TABLESAMPLE name(M) LP exprs(L) RP. {A = sql_sample(ps, M, L, NULL);}
sample(A) ::= TABLESAMPLE name(M) LP exprs(L) RP REPEATABLE LP expr(E) RP. {A = sql_sample(ps, M, L, E);}
table_ref(A) ::= joined(F). {A = F;}
table_ref(A) ::= LP joined(F) RP alias_clause(S). {A = sql_from_alias(ps, F, S);}
calls(A) ::= call(E). {A = sql_list_one(ps, E);}
calls(A) ::= calls(L) COMMA call(E). {A = sql_list_add(ps, L, E);}
%type joined {struct from_item *}
joined(A) ::= LP joined(F) RP. {A = F;}
joined(A) ::= table_ref(L) CROSS(T) JOIN table_ref(R). {A = sql_join(ps, T.pos, JOIN_CROSS, L, R, NULL);}
joined(A) ::= table_ref(L) JOIN(T) table_ref(R) join_on(O). {A = sql_join(ps, T.pos, JOIN_INNER, L, R, O);}
joined(A) ::= table_ref(L) INNER(T) JOIN table_ref(R) join_on(O). {A = sql_join(ps, T.pos, JOIN_INNER, L, R, O);}
joined(A) ::= table_ref(L) LEFT(T) outer JOIN table_ref(R) join_on(O). {A = sql_join(ps, T.pos, JOIN_LEFT, L, R, O);}
joined(A) ::= table_ref(L) RIGHT(T) outer JOIN table_ref(R) join_on(O). {A = sql_join(ps, T.pos, JOIN_RIGHT, L, R, O);}
joined(A) ::= table_ref(L) FULL(T) outer JOIN table_ref(R) join_on(O). {A = sql_join(ps, T.pos, JOIN_FULL, L, R, O);}
joined(A) ::= table_ref(L) NATURAL(T) JOIN table_ref(R). {A = sql_natural(ps, T.pos, JOIN_INNER, L, R);}
joined(A) ::= table_ref(L) NATURAL(T) INNER JOIN table_ref(R). {A = sql_natural(ps, T.pos, JOIN_INNER, L, R);}
joined(A) ::= table_ref(L) NATURAL(T) LEFT outer JOIN table_ref(R). {A = sql_natural(ps, T.pos, JOIN_LEFT, L, R);}
joined(A) ::= table_ref(L) NATURAL(T) RIGHT outer JOIN table_ref(R). {A = sql_natural(ps, T.pos, JOIN_RIGHT, L, R);}
joined(A) ::= table_ref(L) NATURAL(T) FULL outer JOIN table_ref(R). {A = sql_natural(ps, T.pos, JOIN_FULL, L, R);}
outer ::= .
outer ::= OUTER.
%type join_on {struct sql_on *}
join_on(A) ::= ON expr(E). {A = sql_on(ps, E, sql_list_none(ps), NULL);}
join_on(A) ::= USING LP names(L) RP. {A = sql_on(ps, NULL, L, NULL);}
join_on(A) ::= USING LP names(L) RP AS name(N). {A = sql_on(ps, NULL, L, &N);}
%type alias {struct sql_alias *}
alias(A) ::= . {A = NULL;}
alias(A) ::= alias_clause(S). {A = S;}
%type alias_clause {struct sql_alias *}
alias_clause(A) ::= AS name(N) columns(L). {A = sql_alias(ps, &N, L);}
alias_clause(A) ::= ID(N) columns(L). {A = sql_alias(ps, &N, L);}
%type func_alias {struct sql_alias *}
func_alias(A) ::= alias(S). {A = S;}
func_alias(A) ::= AS name(N) LP column_defs(L) RP. {A = sql_alias_defs(ps, &N, L);}
func_alias(A) ::= ID(N) LP column_defs(L) RP. {A = sql_alias_defs(ps, &N, L);}
func_alias(A) ::= AS LP column_defs(L) RP. {A = sql_alias_defs(ps, NULL, L);}
column_defs(A) ::= column_def(C). {A = sql_list_one(ps, C);}
column_defs(A) ::= column_defs(L) COMMA column_def(C). {A = sql_list_add(ps, L, C);}
%type column_def {struct from_column *}
column_def(A) ::= name(N) type(T). {A = sql_from_column(ps, N, T);}
%type ordinality {int}
ordinality(A) ::= . {A = 0;}
ordinality(A) ::= WITH_LA ORDINALITY. {A = 1;}

%type where {struct expr *}
where(A) ::= . {A = NULL;}
where(A) ::= WHERE expr(E). {A = E;}
%type group_by {struct sql_group_by}
group_by(A) ::= . {A = (struct sql_group_by){sql_list_none(ps), false};}
group_by(A) ::= GROUP BY groups(L). {A = (struct sql_group_by){L, false};}
group_by(A) ::= GROUP BY ALL groups(L). {A = (struct sql_group_by){L, false};}
group_by(A) ::= GROUP BY DISTINCT groups(L). {A = (struct sql_group_by){L, true};}
group_by(A) ::= GROUP X_GROUP. {A = (struct sql_group_by){sql_list_none(ps), false};}
groups(A) ::= group(G). {A = sql_list_one(ps, G);}
groups(A) ::= groups(L) COMMA group(G). {A = sql_list_add(ps, L, G);}
%type group {struct group_item *}
group(A) ::= expr(E). {A = sql_group(ps, E);}
group(A) ::= LP(T) RP. {A = sql_groups(ps, GROUP_EMPTY, T.pos, sql_list_none(ps));}
group(A) ::= ROLLUP(T) LP simple_groups(L) RP. {A = sql_groups(ps, GROUP_ROLLUP, T.pos, L);}
group(A) ::= CUBE(T) LP simple_groups(L) RP. {A = sql_groups(ps, GROUP_CUBE, T.pos, L);}
group(A) ::= GROUPING(T) SETS LP groups(L) RP. {A = sql_groups(ps, GROUP_SETS, T.pos, L);}
simple_groups(A) ::= expr(E). {A = sql_list_one(ps, sql_group(ps, E));}
simple_groups(A) ::= simple_groups(L) COMMA expr(E). {A = sql_list_add(ps, L, sql_group(ps, E));}
%type having {struct expr *}
having(A) ::= . {A = NULL;}
having(A) ::= HAVING expr(E). {A = E;}
windows(A) ::= . {A = sql_list_none(ps);}
windows(A) ::= WINDOW window_list(L). {A = L;}
window_list(A) ::= name(N) AS window(W). {A = sql_list_one(ps, sql_window_name(ps, W, N));}
window_list(A) ::= window_list(L) COMMA name(N) AS window(W). {A = sql_list_add(ps, L, sql_window_name(ps, W, N));}

/* ORDER BY, LIMIT, FOR */

%type tail {struct sql_tail *}
tail(A) ::= sort(L) limits(M) locks(K). {A = sql_tail(ps, L, M, K);}
tail(A) ::= sort(L) limits(M). {A = sql_tail(ps, L, M, sql_list_none(ps));}
tail(A) ::= sort(L) locks(K). {A = sql_tail(ps, L, NULL, K);}
tail(A) ::= sort(L) locks(K) limits(M). {A = sql_tail(ps, L, M, K);}
tail(A) ::= sort(L). {A = sql_tail(ps, L, NULL, sql_list_none(ps));}
tail(A) ::= limits(M). {A = sql_tail(ps, sql_list_none(ps), M, sql_list_none(ps));}
tail(A) ::= limits(M) locks(K). {A = sql_tail(ps, sql_list_none(ps), M, K);}
tail(A) ::= locks(K). {A = sql_tail(ps, sql_list_none(ps), NULL, K);}
tail(A) ::= locks(K) limits(M). {A = sql_tail(ps, sql_list_none(ps), M, K);}
sort(A) ::= ORDER BY orders(L). {A = L;}
orders(A) ::= order(O). {A = sql_list_one(ps, O);}
orders(A) ::= orders(L) COMMA order(O). {A = sql_list_add(ps, L, O);}
%type order {struct order_item *}
order(A) ::= expr(E) direction(D) nulls(N). {A = sql_order(ps, E, D != 0, (enum nulls_order)N);}
order(A) ::= expr(E) USING any_op(O) nulls(N). {A = sql_order_using(ps, E, O, (enum nulls_order)N);}
%type direction {int}
direction(A) ::= . {A = 0;}
direction(A) ::= ASC. {A = 0;}
direction(A) ::= DESC. {A = 1;}
%type nulls {int}
nulls(A) ::= . {A = NULLS_DEFAULT;}
nulls(A) ::= NULLS FIRST. {A = NULLS_FIRST;}
nulls(A) ::= NULLS LAST. {A = NULLS_LAST;}

%type limits {struct sql_limit *}
limits(A) ::= limit(L). {A = L;}
limits(A) ::= offset(O). {A = O;}
limits(A) ::= limit(L) offset(O). {A = sql_limits(L, O);}
limits(A) ::= offset(O) limit(L). {A = sql_limits(L, O);}
%type limit {struct sql_limit *}
limit(A) ::= LIMIT expr(L). {A = sql_limit(ps, L, NULL);}
limit(A) ::= LIMIT ALL. {A = sql_limit(ps, NULL, NULL);}
limit(A) ::= LIMIT expr(L) X_LIMIT. {A = sql_limit(ps, L, NULL);}
limit(A) ::= FETCH(T) first_next expr(E) row_word ONLY. {A = sql_fetch_first(ps, T.pos, E, false);}
limit(A) ::= FETCH(T) first_next expr(E) row_word WITH TIES. {A = sql_fetch_first(ps, T.pos, E, true);}
limit(A) ::= FETCH(T) first_next row_word ONLY. {A = sql_fetch_first(ps, T.pos, NULL, false);}
limit(A) ::= FETCH(T) first_next row_word WITH TIES. {A = sql_fetch_first(ps, T.pos, NULL, true);}
%type offset {struct sql_limit *}
offset(A) ::= OFFSET expr(O). {A = sql_limit(ps, NULL, O);}
offset(A) ::= OFFSET expr(O) row_word. {A = sql_limit(ps, NULL, O);}
first_next ::= FIRST.
first_next ::= NEXT.
row_word ::= ROW.
row_word ::= ROWS.
locks(A) ::= lock_list(L). {A = L;}
locks(A) ::= FOR READ ONLY. {A = sql_list_none(ps);}
lock_list(A) ::= lock(K). {A = sql_list_one(ps, K);}
lock_list(A) ::= lock_list(L) lock(K). {A = sql_list_add(ps, L, K);}
%type lock {struct lock_clause *}
lock(A) ::= FOR(T) lock_strength(S) lock_of(L) lock_wait(W). {A = sql_lock_clause(ps, T.pos, S, L, W);}
%type lock_strength {int}
lock_strength(A) ::= UPDATE. {A = LOCK_UPDATE;}
lock_strength(A) ::= NO KEY UPDATE. {A = LOCK_NO_KEY_UPDATE;}
lock_strength(A) ::= SHARE. {A = LOCK_SHARE;}
lock_strength(A) ::= KEY SHARE. {A = LOCK_KEY_SHARE;}
lock_of(A) ::= . {A = sql_list_none(ps);}
lock_of(A) ::= OF qnames(L). {A = L;}
%type lock_wait {int}
lock_wait(A) ::= . {A = LOCK_WAITS;}
lock_wait(A) ::= NOWAIT. {A = LOCK_NOWAIT;}
lock_wait(A) ::= SKIP LOCKED. {A = LOCK_SKIPS;}

/* ---- windows ---- */

%type window {struct window_def *}
window(A) ::= LP(T) window_ref(N) partition_by(P) opt_sort(S) frame(F) RP. {A = sql_window(ps, T.pos, N, P, S, F);}
%type window_ref {struct sql_token}
window_ref(A) ::= . {A = (struct sql_token){0};}
window_ref(A) ::= name(N). {A = N;}
partition_by(A) ::= . {A = sql_list_none(ps);}
partition_by(A) ::= PARTITION BY exprs(L). {A = L;}
opt_sort(A) ::= . {A = sql_list_none(ps);}
opt_sort(A) ::= sort(L). {A = L;}
%type frame {struct window_def *}
frame(A) ::= . {A = NULL;}
frame(A) ::= frame_mode(M) bound(B) exclude(X). {A = sql_frame(ps, M, B, NULL, X);}
frame(A) ::= frame_mode(M) BETWEEN bound(B) AND bound(C) exclude(X). {A = sql_frame(ps, M, B, C, X);}
%type frame_mode {struct sql_word_at}
frame_mode(A) ::= ROWS(T). {A = (struct sql_word_at){FRAME_ROWS, T.pos};}
frame_mode(A) ::= RANGE(T). {A = (struct sql_word_at){FRAME_RANGE, T.pos};}
frame_mode(A) ::= GROUPS(T). {A = (struct sql_word_at){FRAME_GROUPS, T.pos};}
%type bound {struct sql_bound *}
bound(A) ::= UNBOUNDED PRECEDING. {A = sql_bound(ps, FRAME_UNBOUNDED_PRECEDING, NULL);}
bound(A) ::= UNBOUNDED FOLLOWING. {A = sql_bound(ps, FRAME_UNBOUNDED_FOLLOWING, NULL);}
bound(A) ::= CURRENT ROW. {A = sql_bound(ps, FRAME_CURRENT, NULL);}
bound(A) ::= expr(E) PRECEDING. {A = sql_bound(ps, FRAME_PRECEDING, E);}
bound(A) ::= expr(E) FOLLOWING. {A = sql_bound(ps, FRAME_FOLLOWING, E);}
%type exclude {int}
exclude(A) ::= . {A = EXCLUDE_NONE;}
exclude(A) ::= EXCLUDE CURRENT ROW. {A = EXCLUDE_CURRENT;}
exclude(A) ::= EXCLUDE GROUP. {A = EXCLUDE_GROUP;}
exclude(A) ::= EXCLUDE TIES. {A = EXCLUDE_TIES;}
exclude(A) ::= EXCLUDE NO OTHERS. {A = EXCLUDE_NONE;}

/* ---- expressions ---- */

exprs(A) ::= expr(E). {A = sql_list_one(ps, E);}
exprs(A) ::= exprs(L) COMMA expr(E). {A = sql_list_add(ps, L, E);}

%type expr {struct expr *}
expr(A) ::= INTEGER(T). {A = sql_integer(ps, T);}
expr(A) ::= FLOAT(T). {A = sql_float(ps, T);}
expr(A) ::= STRING(T). {A = sql_string(ps, T);}
expr(A) ::= BLOB(T). {A = sql_blob(ps, T);}
expr(A) ::= BITS(T). {A = sql_bits(ps, T);}
expr(A) ::= NULL(T). {A = sql_word(ps, TK_NULL, T);}
expr(A) ::= TRUE(T). {A = sql_word(ps, TK_TRUE, T);}
expr(A) ::= FALSE(T). {A = sql_word(ps, TK_FALSE, T);}
expr(A) ::= PARAM(T). {A = sql_param(ps, T);}
expr(A) ::= DURATION(T). {A = sql_duration(ps, T);}
expr(A) ::= name(N). {A = sql_column(ps, NULL, NULL, N);}
expr(A) ::= name(T) DOT name(N). {A = sql_column(ps, NULL, &T, N);}
expr(A) ::= name(S) DOT name(T) DOT name(N). {A = sql_column(ps, &S, &T, N);}
expr(A) ::= name(D) DOT name(S) DOT name(T) DOT name(N). {sql_database(ps, D, T); A = sql_column(ps, &S, &T, N);}
expr(A) ::= name(T) DOT STAR. {A = sql_star(ps, NULL, &T, T.pos);}
expr(A) ::= name(S) DOT name(T) DOT STAR. {A = sql_star(ps, &S, &T, S.pos);}
expr(A) ::= LP expr(E) RP. {A = sql_paren(E);}
expr(A) ::= LP(T) row_start(S) COMMA row_values(L) RP. {A = sql_row(ps, T.pos, false, sql_list_concat(S, L));}
row_start(A) ::= row_value(E). {A = sql_list_one(ps, E);}
expr(A) ::= ROW(T) LP row_values(L) RP. {A = sql_row(ps, T.pos, true, L);}
expr(A) ::= ROW(T) LP RP. {A = sql_row(ps, T.pos, true, sql_list_none(ps));}
expr(A) ::= field(E). {A = E;}
%type field {struct expr *}
field(A) ::= LP expr(E) RP DOT name(N). {A = sql_field(ps, E, N);}
field(A) ::= LP expr(E) RP DOT STAR(T). {A = sql_field_star(ps, E, T.pos);}
field(A) ::= field(E) DOT name(N). {A = sql_field(ps, E, N);}
expr(A) ::= subquery(Q). [SIGN] {A = sql_query_expr(ps, EXPR_QUERY, Q ? Q->pos : 0, Q);}
expr(A) ::= EXISTS(T) subquery(Q). {A = sql_query_expr(ps, EXPR_EXISTS, T.pos, Q);}
expr(A) ::= ARRAY(T) subquery(Q). {A = sql_query_expr(ps, EXPR_ARRAY_QUERY, T.pos, Q);}
expr(A) ::= ARRAY(T) brackets(L). {A = sql_array(ps, T.pos, L);}
brackets(A) ::= LB RB. {A = sql_list_none(ps);}
brackets(A) ::= LB exprs(L) RB. {A = L;}
brackets(A) ::= LB inner_arrays(L) RB. {A = L;}
inner_arrays(A) ::= inner_array(E). {A = sql_list_one(ps, E);}
inner_arrays(A) ::= inner_arrays(L) COMMA inner_array(E). {A = sql_list_add(ps, L, E);}
%type inner_array {struct expr *}
inner_array(A) ::= inner_start(P) brackets(L). {A = sql_array(ps, P, L);}
%type inner_start {uint32_t}
inner_start(A) ::= . {A = yyLookaheadToken.pos;}
expr(A) ::= expr(E) LB(T) expr(I) RB. {A = sql_subscript(ps, T.pos, E, I, NULL, false);}
expr(A) ::= expr(E) LB(T) bound_expr(I) COLON bound_expr(J) RB. {A = sql_subscript(ps, T.pos, E, I, J, true);}
%type bound_expr {struct expr *}
bound_expr(A) ::= . {A = NULL;}
bound_expr(A) ::= expr(E). {A = E;}

/* calls */

expr(A) ::= call(E) within(W) filter(F) over(O). {A = sql_call_tail(ps, E, W, F, O);}
within(A) ::= . {A = sql_list_none(ps);}
within(A) ::= WITHIN GROUP LP sort(L) RP. {A = L;}
%type filter {struct expr *}
filter(A) ::= . {A = NULL;}
filter(A) ::= FILTER LP WHERE expr(C) RP. {A = C;}
%type over {struct sql_over *}
over(A) ::= . {A = NULL;}
over(A) ::= OVER(T) window(W). {A = sql_over(ps, T.pos, W);}
over(A) ::= OVER(T) name(N). {A = sql_over_name(ps, T.pos, N);}
%type call {struct expr *}
call(A) ::= func(N) LP RP. {A = sql_call(ps, N, sql_list_none(ps), 0, sql_list_none(ps));}
call(A) ::= func(N) LP STAR RP. {A = sql_call(ps, N, sql_list_none(ps), SQL_CALL_STAR, sql_list_none(ps));}
call(A) ::= func(N) LP args(L) opt_sort(S) RP. {A = sql_call(ps, N, L, 0, S);}
call(A) ::= func(N) LP ALL args(L) opt_sort(S) RP. {A = sql_call(ps, N, L, 0, S);}
call(A) ::= func(N) LP DISTINCT args(L) opt_sort(S) RP. {A = sql_call(ps, N, L, SQL_CALL_DISTINCT, S);}
call(A) ::= func(N) LP VARIADIC arg(E) opt_sort(S) RP. {A = sql_call_variadic(ps, N, sql_list_none(ps), E, S);}
call(A) ::= func(N) LP args(L) COMMA VARIADIC arg(E) opt_sort(S) RP. {A = sql_call_variadic(ps, N, L, E, S);}
args(A) ::= arg(E). {A = sql_list_one(ps, E);}
args(A) ::= args(L) COMMA arg(E). {A = sql_list_add(ps, L, E);}
%type arg {struct expr *}
arg(A) ::= expr(E). {A = E;}
arg(A) ::= name(N) ARROW expr(E). {A = sql_named_arg(ps, N, E);}
arg(A) ::= name(N) ASSIGN expr(E). {A = sql_named_arg(ps, N, E);}
%type func {struct sql_func *}
func(A) ::= name(N). {A = sql_func(ps, NULL, N);}
func(A) ::= name(S) DOT name(N). {A = sql_func(ps, &S, N);}
func(A) ::= LEFT(N). {A = sql_func(ps, NULL, N);}
func(A) ::= RIGHT(N). {A = sql_func(ps, NULL, N);}
call(A) ::= func(N) LP expr(E) FROM(T) expr(F) RP. {A = sql_call_from(ps, N, E, F, NULL, T);}
call(A) ::= func(N) LP expr(E) FROM(T) expr(F) FOR expr(C) RP. {A = sql_call_from(ps, N, E, F, C, T);}
call(A) ::= func(N) LP expr(E) FOR(T) expr(C) RP. {A = sql_call_from(ps, N, E, NULL, C, T);}
call(A) ::= func(N) LP expr(E) FOR(T) expr(C) FROM expr(F) RP. {A = sql_call_from(ps, N, E, F, C, T);}
call(A) ::= func(N) LP expr(E) SIMILAR expr(P) ESCAPE expr(C) RP. {A = sql_substring_similar(ps, N, E, P, C);}
call(A) ::= func(N) LP expr(E) PLACING expr(P) FROM expr(F) RP. {A = sql_overlay(ps, N, E, P, F, NULL);}
call(A) ::= func(N) LP expr(E) PLACING expr(P) FROM expr(F) FOR expr(C) RP. {A = sql_overlay(ps, N, E, P, F, C);}
call(A) ::= func(N) LP expr(E) IN position_in(P) RP. {A = sql_position(ps, N, E, P);}
call(A) ::= func(N) LP trim_side(S) expr(E) FROM expr(F) RP. {A = sql_trim(ps, N, S, E, F);}
call(A) ::= func(N) LP trim_side(S) FROM expr(F) COMMA expr(E) RP. {A = sql_trim(ps, N, S, E, F);}
call(A) ::= func(N) LP FROM expr(F) COMMA expr(E) RP. {A = sql_trim(ps, N, TK_BOTH, E, F);}
call(A) ::= func(N) LP trim_side(S) FROM expr(F) RP. {A = sql_trim(ps, N, S, NULL, F);}
call(A) ::= func(N) LP trim_side(S) expr(F) RP. {A = sql_trim(ps, N, S, NULL, F);}
call(A) ::= func(N) LP trim_side(S) expr(F) COMMA expr(E) RP. {A = sql_trim(ps, N, S, E, F);}
call(A) ::= func(N) LP FROM expr(F) RP. {A = sql_trim(ps, N, TK_BOTH, NULL, F);}
%type trim_side {int}
trim_side(A) ::= BOTH. {A = TK_BOTH;}
trim_side(A) ::= LEADING. {A = TK_LEADING;}
trim_side(A) ::= TRAILING. {A = TK_TRAILING;}
%type position_in {struct expr *} /* parentheses look like a list: see sql_call */
position_in(A) ::= NULL(T). {A = sql_word(ps, TK_NULL, T);}
position_in(A) ::= STRING(T). {A = sql_string(ps, T);}
position_in(A) ::= BITS(T). {A = sql_bits(ps, T);}
position_in(A) ::= PARAM(T). {A = sql_param(ps, T);}
position_in(A) ::= name(N). {A = sql_column(ps, NULL, NULL, N);}
position_in(A) ::= name(S) DOT name(N). {A = sql_column(ps, NULL, &S, N);}
position_in(A) ::= call(E). {A = E;}
position_in(A) ::= case(E). {A = E;}
position_in(A) ::= CAST(C) LP expr(E) AS type(T) RP. {A = sql_cast(ps, C.pos, E, T);}
position_in(A) ::= position_in(E) TYPECAST(O) type(T). {A = sql_cast(ps, O.pos, E, T);}
position_in(A) ::= position_in(L) CONCAT(O) position_in(R). {A = sql_binary(ps, OP_CONCAT, O.pos, L, R);}

/* types, CASE */

expr(A) ::= name(N) STRING(T). {A = sql_typed(ps, N, NULL, 0, T);}
expr(A) ::= name(N) STRING(T) fields(F). {A = sql_interval_field(ps, N, T, F);}
expr(A) ::= name(N) PRECISION STRING(T). {A = sql_typed(ps, N, NULL, TK_PRECISION, T);}
expr(A) ::= name(N) WITH_LA TIME ZONE STRING(T). {A = sql_typed(ps, N, NULL, TK_WITH, T);}
expr(A) ::= name(N) WITHOUT TIME ZONE STRING(T). {A = sql_typed(ps, N, NULL, TK_WITHOUT, T);}
expr(A) ::= call(E) STRING(T). {A = sql_typed(ps, T, E, 0, T);}
expr(A) ::= call(E) WITH_LA TIME ZONE STRING(T). {A = sql_typed(ps, T, E, TK_WITH, T);}
expr(A) ::= call(E) WITHOUT TIME ZONE STRING(T). {A = sql_typed(ps, T, E, TK_WITHOUT, T);}
expr(A) ::= CAST(C) LP expr(E) AS type(T) RP. {A = sql_cast(ps, C.pos, E, T);}
expr(A) ::= expr(E) TYPECAST(O) type(T). {A = sql_cast(ps, O.pos, E, T);}

expr(A) ::= case(E). {A = E;}
%type case {struct expr *}
case(A) ::= CASE(C) whens(W) END. {A = sql_case(ps, C.pos, NULL, W, NULL);}
case(A) ::= CASE(C) whens(W) ELSE expr(E) END. {A = sql_case(ps, C.pos, NULL, W, E);}
case(A) ::= CASE(C) expr(O) whens(W) END. {A = sql_case(ps, C.pos, O, W, NULL);}
case(A) ::= CASE(C) expr(O) whens(W) ELSE expr(E) END. {A = sql_case(ps, C.pos, O, W, E);}
whens(A) ::= WHEN expr(C) THEN expr(V). {A = sql_list_add(ps, sql_list_one(ps, C), V);}
whens(A) ::= whens(L) WHEN expr(C) THEN expr(V). {A = sql_list_add(ps, sql_list_add(ps, L, C), V);}

/* operators */

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
expr(A) ::= expr(L) TILDE(O) expr(R). {A = sql_binary(ps, OP_REGEX, O.pos, L, R);}
expr(A) ::= TILDE(O) expr(E). {A = sql_unary(ps, OP_BIT_NOT, O.pos, E);}
expr(A) ::= expr(L) OP(O) expr(R). {A = sql_operator(ps, NULL, O, L, R);}
expr(A) ::= OP(O) expr(E). {A = sql_operator(ps, NULL, O, NULL, E);}
expr(A) ::= expr(L) OPERATOR LP name(S) DOT symbol(O) RP expr(R). [OPERATOR] {A = sql_operator(ps, &S, O, L, R);}
expr(A) ::= expr(L) OPERATOR LP symbol(O) RP expr(R). [OPERATOR] {A = sql_operator(ps, NULL, O, L, R);}
expr(A) ::= expr(L) EQ(O) expr(R). {A = sql_binary(ps, OP_EQ, O.pos, L, R);}
expr(A) ::= expr(L) NE(O) expr(R). {A = sql_binary(ps, OP_NE, O.pos, L, R);}
expr(A) ::= expr(L) LT(O) expr(R). {A = sql_binary(ps, OP_LT, O.pos, L, R);}
expr(A) ::= expr(L) LE(O) expr(R). {A = sql_binary(ps, OP_LE, O.pos, L, R);}
expr(A) ::= expr(L) GT(O) expr(R). {A = sql_binary(ps, OP_GT, O.pos, L, R);}
expr(A) ::= expr(L) GE(O) expr(R). {A = sql_binary(ps, OP_GE, O.pos, L, R);}
expr(A) ::= expr(L) AND(O) expr(R). {A = sql_binary(ps, OP_AND, O.pos, L, R);}
expr(A) ::= expr(L) OR(O) expr(R). {A = sql_binary(ps, OP_OR, O.pos, L, R);}
expr(A) ::= expr(E) AT(O) TIME ZONE expr(Z). [AT] {A = sql_at_zone(ps, O.pos, E, Z);}
expr(A) ::= expr(E) COLLATE(O) qname(N). {A = sql_collate(ps, O.pos, E, N);}
expr(A) ::= expr(L) OVERLAPS(O) expr(R). {A = sql_overlaps(ps, O.pos, L, R);}
expr(A) ::= expr(E) IS(O) NULL. {A = sql_is_null(ps, O.pos, false, E);}
expr(A) ::= expr(E) IS(O) NOT NULL. {A = sql_is_null(ps, O.pos, true, E);}
expr(A) ::= expr(E) ISNULL(O). {A = sql_is_null(ps, O.pos, false, E);}
expr(A) ::= expr(E) NOTNULL(O). {A = sql_is_null(ps, O.pos, true, E);}
expr(A) ::= expr(E) IS(O) truth(T). {A = sql_is(ps, O.pos, (enum expr_op)T, false, E);}
expr(A) ::= expr(E) IS(O) NOT truth(T). {A = sql_is(ps, O.pos, (enum expr_op)T, true, E);}
expr(A) ::= expr(L) IS(O) DISTINCT FROM expr(R). [IS] {A = sql_distinct(ps, O.pos, false, L, R);}
expr(A) ::= expr(L) IS(O) NOT DISTINCT FROM expr(R). [IS] {A = sql_distinct(ps, O.pos, true, L, R);}
expr(A) ::= expr(E) IS(O) normal_form(F) NORMALIZED. [IS] {A = sql_normalized(ps, O.pos, false, E, F);}
expr(A) ::= expr(E) IS(O) NOT normal_form(F) NORMALIZED. [IS] {A = sql_normalized(ps, O.pos, true, E, F);}
%type normal_form {struct sql_token}
normal_form(A) ::= . {A = (struct sql_token){0};}
normal_form(A) ::= ID(T). {A = T;}
%type truth {int}
truth(A) ::= TRUE. {A = OP_IS_TRUE;}
truth(A) ::= FALSE. {A = OP_IS_FALSE;}
truth(A) ::= UNKNOWN. {A = OP_IS_UNKNOWN;}
expr(A) ::= expr(L) like(O) expr(R). [LIKE] {A = sql_like(ps, O, false, L, R, NULL);}
expr(A) ::= expr(L) like(O) expr(R) ESCAPE expr(C). [LIKE] {A = sql_like(ps, O, false, L, R, C);}
expr(A) ::= expr(L) NOT_LA like(O) expr(R). [LIKE] {A = sql_like(ps, O, true, L, R, NULL);}
expr(A) ::= expr(L) NOT_LA like(O) expr(R) ESCAPE expr(C). [LIKE] {A = sql_like(ps, O, true, L, R, C);}
%type like {struct sql_op *}
like(A) ::= LIKE(T). {A = sql_op(ps, OP_LIKE, T);}
like(A) ::= ILIKE(T). {A = sql_op(ps, OP_ILIKE, T);}
like(A) ::= SIMILAR(T) TO. {A = sql_op(ps, OP_SIMILAR, T);}
expr(A) ::= expr(E) IN(O) LP exprs(L) RP. {A = sql_in(ps, O.pos, false, E, L);}
expr(A) ::= expr(E) NOT_LA(O) IN LP exprs(L) RP. [IN] {A = sql_in(ps, O.pos, true, E, L);}
expr(A) ::= expr(E) IN(O) subquery(Q). [IN] {A = sql_in_query(ps, O.pos, false, E, Q);}
expr(A) ::= expr(E) NOT_LA(O) IN subquery(Q). [IN] {A = sql_in_query(ps, O.pos, true, E, Q);}
expr(A) ::= expr(E) BETWEEN(O) symmetric(S) expr(B) AND expr(C). [BETWEEN] {A = sql_between(ps, O.pos, S, E, B, C);}
expr(A) ::= expr(E) NOT_LA(O) BETWEEN symmetric(S) expr(B) AND expr(C). [BETWEEN] {A = sql_between(ps, O.pos, S | SQL_NEGATED, E, B, C);}
%type symmetric {int}
symmetric(A) ::= . {A = 0;}
symmetric(A) ::= ASYMMETRIC. {A = 0;}
symmetric(A) ::= SYMMETRIC. {A = SQL_SYMMETRIC;}
expr(A) ::= expr(L) cmp_op(O) quantified(Q) subquery(S). [OP] {A = sql_any(ps, O, Q, L, NULL, S);}
expr(A) ::= expr(L) cmp_op(O) quantified(Q) LP expr(R) RP. [OP] {A = sql_any(ps, O, Q, L, R, NULL);}
expr(A) ::= expr(L) like(O) quantified(Q) subquery(S). [OP] {A = sql_any(ps, O, Q, L, NULL, S);}
expr(A) ::= expr(L) like(O) quantified(Q) LP expr(R) RP. [OP] {A = sql_any(ps, O, Q, L, R, NULL);}
expr(A) ::= expr(L) NOT_LA like(O) quantified(Q) subquery(S). [OP] {A = sql_any(ps, O, Q | SQL_NEGATED, L, NULL, S);}
expr(A) ::= expr(L) NOT_LA like(O) quantified(Q) LP expr(R) RP. [OP] {A = sql_any(ps, O, Q | SQL_NEGATED, L, R, NULL);}
%type quantified {int}
quantified(A) ::= ANY. {A = 0;}
quantified(A) ::= SOME. {A = 0;}
quantified(A) ::= ALL. {A = SQL_ALL;}
%type cmp_op {struct sql_op *}
cmp_op(A) ::= symbol(T). {A = sql_op(ps, sql_symbol(T, false), T);}
cmp_op(A) ::= OPERATOR LP name DOT symbol(T) RP. {A = sql_op(ps, sql_symbol(T, false), T);}
%type any_op {struct sql_token}
any_op(A) ::= symbol(T). {A = T;}
%type symbol {struct sql_token}
symbol(A) ::= EQ(T). {A = T;}
symbol(A) ::= NE(T). {A = T;}
symbol(A) ::= LT(T). {A = T;}
symbol(A) ::= LE(T). {A = T;}
symbol(A) ::= GT(T). {A = T;}
symbol(A) ::= GE(T). {A = T;}
symbol(A) ::= PLUS(T). {A = T;}
symbol(A) ::= MINUS(T). {A = T;}
symbol(A) ::= STAR(T). {A = T;}
symbol(A) ::= SLASH(T). {A = T;}
symbol(A) ::= PERCENT(T). {A = T;}
symbol(A) ::= CARET(T). {A = T;}
symbol(A) ::= CONCAT(T). {A = T;}
symbol(A) ::= AMP(T). {A = T;}
symbol(A) ::= PIPE(T). {A = T;}
symbol(A) ::= HASH(T). {A = T;}
symbol(A) ::= LSHIFT(T). {A = T;}
symbol(A) ::= RSHIFT(T). {A = T;}
symbol(A) ::= TILDE(T). {A = T;}
symbol(A) ::= OP(T). {A = T;}

%code {
_Static_assert(YYNTOKEN <= SQL_EXPECT_TOKENS_MAX, "struct sql_expect has room for every token");
_Static_assert(YYSTACKDEPTH == SQL_STACK_MAX, "parse_int.h names the depth of the stack");

/* ---- the automaton without values ---- */

/* A stack of states: the first `base` of another stack, and above them some of its own. */
#define SIM_TOP_MAX 64
struct parser_sim {
    const yyStackEntry *entries;  /* the other stack: that of the parser, */
    const YYACTIONTYPE *states;   /* or, entries NULL, plain states */
    uint32_t base;
    uint32_t len; /* of top */
    YYACTIONTYPE top[SIM_TOP_MAX];
};

static YYACTIONTYPE sim_state(const struct parser_sim *s)
{
    if (s->len > 0)
        return s->top[s->len - 1];
    return s->entries ? s->entries[s->base - 1].stateno : s->states[s->base - 1];
}

static bool sim_push(struct parser_sim *s, YYACTIONTYPE state)
{
    if (s->len == SIM_TOP_MAX)
        return false;
    s->top[s->len++] = state;
    return true;
}

static bool sim_pop(struct parser_sim *s, uint32_t count)
{
    uint32_t own = count < s->len ? count : s->len;

    s->len -= own;
    if (count - own >= s->base)
        return false;
    s->base -= count - own;
    return true;
}

static YYACTIONTYPE parser_action(YYACTIONTYPE state, int code)
{
    int i;

    if (state > YY_MAX_SHIFT)
        return state;
    i = yy_shift_ofst[state] + code;
    return yy_lookahead[i] == code ? yy_action[i] : yy_default[state];
}

/* Feeds one token; false if it cannot stand here. */
static bool sim_feed(struct parser_sim *s, int code)
{
    for (;;) {
        YYACTIONTYPE act = parser_action(sim_state(s), code);

        if (act >= YY_MIN_REDUCE) {
            unsigned rule = (unsigned)act - YY_MIN_REDUCE;

            if (!sim_pop(s, (uint32_t)-yyRuleInfoNRhs[rule]))
                return false;
            act = yy_find_reduce_action(sim_state(s), yyRuleInfoLhs[rule]);
            if (!sim_push(s, act))
                return false;
            if (act == YY_ACCEPT_ACTION)
                return true;
        } else if (act <= YY_MAX_SHIFTREDUCE) {
            if (act > YY_MAX_SHIFT)
                act = (YYACTIONTYPE)(act + YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE);
            return sim_push(s, act);
        } else {
            return act == YY_ACCEPT_ACTION;
        }
    }
}

/* ---- tokens that depend on what stands around them ---- */

static int parser_peek(const struct sql_lexer *at, struct sql_token *next)
{
    struct sql_lexer ahead = *at;

    ahead.err = NULL;
    return sql_lex(&ahead, next);
}

/* A NOT that belongs to the operator after it, a WITH that belongs to TIME ZONE or ORDINALITY. */
static int parser_look_ahead(int code, const struct sql_lexer *at)
{
    struct sql_token tok;
    int next;

    if (code != TK_NOT && code != TK_WITH)
        return code;
    next = parser_peek(at, &tok);
    if (code == TK_WITH)
        return next == TK_TIME || next == TK_ORDINALITY ? TK_WITH_LA : TK_WITH;
    return next == TK_IN || next == TK_BETWEEN || next == TK_LIKE || next == TK_ILIKE || next == TK_SIMILAR
               ? TK_NOT_LA
               : TK_NOT;
}

/* What the parser remembers of the last tokens. */
struct parser_past {
    int prev;       /* code of the last token */
    bool interval;  /* the word INTERVAL, with what belongs to it, was the last thing */
    bool doubles;   /* the last word was one that PRECISION or VARYING may follow */
};

static bool parser_word_in(struct sql_token tok, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == tok.len && strncasecmp(words[i], tok.ptr, tok.len) == 0)
            return true;
    return false;
}

static bool parser_is_field(struct sql_token tok)
{
    static const char *const fields[] = {"year", "month", "week", "day", "hour", "minute", "second"};

    return parser_word_in(tok, fields, DN_ARRAY_SIZE(fields));
}

/* After the word: can the next token stand there? One that is no token is the next round's error. */
static bool parser_goes_on(struct parser_sim sim, int code, const struct sql_lexer *at)
{
    struct parser_sim name = sim;
    struct sql_lexer ahead = *at;
    struct sql_token tok;
    int next;

    if (!sim_feed(&sim, code))
        return false;
    ahead.err = NULL;
    next = sql_lex(&ahead, &tok);
    if (next < 0)
        return true;
    if (next == 0)
        next = TK_STOP;
    name = sim;
    if (sim_feed(&sim, parser_look_ahead(next, &ahead)))
        return true;
    return sql_keyword_word(next) == SQL_WORD_FREE && sim_feed(&name, TK_ID);
}

/* A keyword where it is not RESERVED: itself if it and the next token fit, else a name if that does.
 * A reserved one is a name behind AS and a dot, where it cannot be itself. */
static int parser_word(const struct parser_sim *sim, int code, const struct parser_past *past, const struct sql_lexer *at)
{
    struct parser_sim test = *sim;
    bool fits;

    if (sql_keyword_word(code) == SQL_WORD_NONE)
        return code;
    if (sql_keyword_word(code) == SQL_WORD_RESERVED) {
        if (past->prev != TK_AS && past->prev != TK_DOT)
            return code;
        fits = sim_feed(&test, code);
        test = *sim;
        return !fits && sim_feed(&test, TK_ID) ? TK_ID : code;
    }
    if ((code == TK_PRECISION || code == TK_VARYING) && !past->doubles)
        return TK_ID;
    if (parser_goes_on(*sim, code, at))
        return code;
    if (parser_goes_on(*sim, TK_ID, at))
        return TK_ID;
    fits = sim_feed(&test, code);
    test = *sim;
    return !fits && sim_feed(&test, TK_ID) ? TK_ID : code;
}

static void parser_past_step(struct parser_past *past, int code, struct sql_token tok)
{
    static const char *const interval[] = {"interval"};
    static const char *const doubles[] = {"double", "char", "character", "nchar", "bit"};
    bool word = code == TK_ID && tok.ptr[0] != '"' && tok.ptr[0] != '`';
    bool open = past->interval && (code == TK_STRING || code == TK_FIELD || (code == TK_TO && past->prev == TK_FIELD));

    past->interval = open || (word && parser_word_in(tok, interval, 1));
    past->doubles = word && parser_word_in(tok, doubles, DN_ARRAY_SIZE(doubles));
    past->prev = code;
}

/* NATIONAL CHARACTER is CHARACTER. */
static bool parser_is_national(const struct sql_lexer *lx, struct sql_token tok)
{
    static const char *const national[] = {"national"};
    static const char *const types[] = {"char", "character"};
    struct sql_lexer ahead = *lx;
    struct sql_token next;

    return tok.ptr[0] != '"' && tok.ptr[0] != '`' && parser_word_in(tok, national, 1) &&
           sql_lex(&ahead, &next) == TK_ID && parser_word_in(next, types, DN_ARRAY_SIZE(types));
}

/* USING TTL, where it can stand: elsewhere ttl is a name as others are. */
static bool parser_is_ttl(const struct parser_sim *sim, const struct sql_lexer *lx)
{
    static const char *const ttl[] = {"ttl"};
    struct parser_sim test = *sim;
    struct sql_token next;

    return parser_peek(lx, &next) == TK_ID && parser_word_in(next, ttl, 1) && sim_feed(&test, TK_USING_LA);
}

/* The next token as the automaton is to see it. */
static int parser_lex(struct sql_lexer *lx, const struct parser_sim *sim, struct parser_past *past, struct sql_token *tok)
{
    int code = sql_lex(lx, tok);

    if (code == TK_ID && parser_is_national(lx, *tok))
        code = sql_lex(lx, tok);
    if (lx->no_pos)
        tok->pos = 0;
    if (code < 0)
        return code;
    if (code == 0)
        code = TK_STOP;
    else if (code == TK_USING && parser_is_ttl(sim, lx))
        code = TK_USING_LA;
    else if (code == TK_ID && past->interval && parser_is_field(*tok))
        code = parser_goes_on(*sim, TK_FIELD, lx) ? TK_FIELD : TK_ID;
    else if (code != TK_ID)
        code = parser_word(sim, parser_look_ahead(code, lx), past, lx);
    parser_past_step(past, code, *tok);
    return code;
}

/* ---- the driver ---- */

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
        if (code == TK_VALUES && r->depth == 0)
            r->values = true;
        else if (code != TK_COMMA && code != TK_VROW && code != TK_LP && code != TK_RP && r->depth == 0)
            r->values = false; /* ON CONFLICT, RETURNING */
    }
    r->prev = code;
}

void sql_parser_run(struct sql_parser *ps)
{
    struct parser_rows rows = {0};
    struct parser_past past = {0};
    struct parser_sim sim;
    yyParser parser;
    struct sql_token tok;
    int code;

    sql_lemonInit(&parser, ps);
    sim.entries = parser.yystack;
    sim.states = NULL;
    sim.len = 0;
    do {
        if (parser_at_row(&rows) && sql_rows_try(ps, &tok)) {
            code = TK_VROW;
        } else {
            sim.base = (uint32_t)(parser.yytos - parser.yystack) + 1;
            code = parser_lex(&ps->lx, &sim, &past, &tok);
        }
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
        if (ps->rc == 0)
            ps->rc = dn_cancel_check(ps->cancel, ps->err);
    } while (code != TK_STOP && ps->rc == 0);
    if (ps->rc == 0)
        sql_lemon(&parser, 0, tok);
    sql_lemonFinalize(&parser);
    if (ps->rc == 0 && ps->row_default)
        sql_fail(ps, DN_E_SYNTAX, ps->row_default, "DEFAULT is not allowed in this context");
    if (ps->rc == 0 && ps->into)
        sql_fail(ps, DN_E_SYNTAX, ps->into->pos, "SELECT ... INTO is not allowed here");
}

/* ---- what could have stood at a token ---- */

struct parser_states {
    uint32_t len;
    YYACTIONTYPE state[YYSTACKDEPTH];
};

static struct parser_sim parser_sim_of(const struct parser_states *s)
{
    struct parser_sim sim;

    sim.entries = NULL;
    sim.states = s->state;
    sim.base = s->len;
    sim.len = 0;
    return sim;
}

/* Feeds one token and keeps what it leads to. */
static bool parser_feed(struct parser_states *s, int code)
{
    struct parser_sim sim = parser_sim_of(s);

    if (!sim_feed(&sim, code) || sim.base + sim.len > YYSTACKDEPTH)
        return false;
    memcpy(s->state + sim.base, sim.top, sim.len * sizeof sim.top[0]);
    s->len = sim.base + sim.len;
    return true;
}

static void expect_open(struct sql_expect *ret, uint32_t *open, size_t max, int code, struct sql_token tok)
{
    if (code == TK_LP) {
        if (ret->open_count < max)
            open[ret->open_count] = tok.pos;
        ret->open_count++;
    } else if (code == TK_RP && ret->open_count > 0) {
        ret->open_count--;
    }
    ret->open_pos = ret->open_count > 0 && ret->open_count <= max ? open[ret->open_count - 1] : 0;
}

void sql_parser_expect(const struct sql_parser *ps, const char *at, struct sql_expect *ret)
{
    struct parser_states states = {.len = 1};
    struct parser_past past = {0};
    struct parser_sim sim;
    struct sql_lexer lx = ps->lx;
    struct sql_token tok;
    uint32_t open[64]; /* positions of open parentheses, the outermost 64 */
    int code;

    memset(ret, 0, sizeof *ret);
    states.state[0] = 0;
    lx.err = NULL;
    lx.cur = ps->stmt_start;
    lx.pos = ps->stmt_pos;
    for (;;) {
        sim = parser_sim_of(&states);
        code = parser_lex(&lx, &sim, &past, &tok);
        if (code < 0 || tok.ptr >= at || !parser_feed(&states, code))
            break;
        ret->prev = tok;
        ret->prev_code = code;
        if (code == TK_ID && tok.len != sql_chars(tok.ptr, tok.ptr + tok.len) && tok.ptr[0] != '"' && tok.ptr[0] != '`')
            ret->high = tok;
        expect_open(ret, open, DN_ARRAY_SIZE(open), code, tok);
    }
    for (code = 0; code < YYNTOKEN; code++) {
        sim = parser_sim_of(&states);
        ret->token[code] = sim_feed(&sim, code);
    }
}
}
