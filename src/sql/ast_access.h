/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_access.h: statements about roles and what they may do. ast.h says what holds for all of the
 * tree. One thread at a time. */
#pragma once

#include "sql/ast_ddl.h"

enum role_action {
    ROLE_ACTION_CREATE,
    ROLE_ACTION_ALTER,  /* words */
    ROLE_ACTION_RENAME, /* to */
    ROLE_ACTION_SET,    /* setting, values; none: RESET */
    ROLE_ACTION_DROP,   /* names */
    ROLE_ACTION_DROP_OWNED,
    ROLE_ACTION_REASSIGN, /* names, to */
    ROLE_ACTION_OWNER,    /* stmt.object, stmt.name; to */
    ROLE_ACTION_MAX
};

/* A word of CREATE ROLE's options as it stood there: a name (LOGIN), a string ('secret', quoted),
 * or what is neither (12, NULL, a comma: in value, not quoted). */
struct role_stmt {
    enum role_action action;
    bool user;             /* CREATE USER: it may log in */
    struct spec_name name; /* CREATE, ALTER */
    struct spec_name *names;
    uint32_t names_count;
    struct spec_name to;
    struct option_spec *words;
    uint32_t words_count;
    struct spec_name setting; /* "all": RESET ALL */
    struct option_spec *values;
    uint32_t values_count;
    bool reset;
};

/* The columns of GRANT SELECT (a, b); none: the whole. */
struct grant_columns {
    struct spec_name *names;
    uint32_t count;
};

struct grant_stmt {
    bool revoke;
    bool roles;      /* GRANT role TO role: `privileges` are the names of roles */
    bool option;     /* WITH GRANT OPTION, WITH ADMIN OPTION; REVOKE … OPTION FOR */
    bool all;        /* ALL [PRIVILEGES]: columns[0] are its columns */
    bool everything; /* ON ALL TABLES IN SCHEMA: objects are schemas */
    enum drop_behavior behavior;
    struct spec_name *privileges;
    uint32_t privileges_count;
    struct grant_columns *columns; /* of each of the privileges */
    enum object_kind object;       /* TABLE (or view), SEQUENCE, SCHEMA, DATABASE */
    struct qual_name *objects;
    uint32_t objects_count;
    struct spec_name *grantees;
    uint32_t grantees_count;
};
