/* SPDX-License-Identifier: Apache-2.0
 *
 * contract_int.h: what the files of the contract suite share. Tasks do not use cmocka's asserts,
 * which belong to the main thread: they note what they find, and the test looks at it. */
#pragma once

#include "base/mem.h"
#include "volume_contract.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CONTRACT_MS    UINT64_C(1000000)
#define CONTRACT_TASKS 8

struct contract {
    const struct contract_factory *factory;
    void *place;
    struct volume *v;   /* open during the test */
    struct dn_err err;  /* of the last call */
    size_t used_before; /* bytes of memory before the test */
};

/* Each test of the suite. */
#define CONTRACT(test) void test(void **state);
#include "contract_list.h"
#undef CONTRACT

#define OK(c, call) contract_ok((c), (call), #call, __LINE__)

/* The call failed with the code, the text names the thing, nothing is left of older errors. */
#define FAILS(c, call, want, word)                                      \
    do {                                                                \
        dn_err_clear(&(c)->err);                                        \
        assert_int_equal((call), (want));                               \
        assert_int_equal((c)->err.code, (want));                        \
        if (!strstr((c)->err.text, (word)))                             \
            fail_msg("'%s' does not name '%s'", (c)->err.text, (word)); \
    } while (0)

void contract_ok(struct contract *c, int rc, const char *call, int line);
/* What a restart is. */
void contract_reopen(struct contract *c);
int put_text(struct contract *c, const char *name, const char *text);
int append_text(struct contract *c, const char *name, uint64_t epoch, const char *text);
int replace_text(struct contract *c,
                 const char *name,
                 const char *text,
                 uint64_t generation,
                 uint64_t *ret_generation);
void object_is(struct contract *c, const char *name, const char *want);
void log_is(struct contract *c, const char *name, uint64_t offset, const char *want);
void doc_is(struct contract *c, const char *name, const char *want, uint64_t generation);
/* The names with the prefix, with one space between them. */
void objects_are(struct contract *c, const char *prefix, const char *want);
void logs_are(struct contract *c, const char *prefix, const char *want);
/* CONTRACT_TASKS tasks, each with its element of the array; returns when all have ended. */
void run_tasks(struct contract *c, sched_fn fn, void *args, size_t arg_size);
