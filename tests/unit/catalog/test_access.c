/* SPDX-License-Identifier: Apache-2.0
 *
 * Roles and grants in the catalog: what follows from what, the document and damage to it, faults.
 */
#include "catalog/catalog.h"

#include "catalog/access_edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char empty_doc[] =
    "{\"format\": 1, \"version\": 0, \"table_id_next\": 8, \"schemas\": "
    "[{\"name\": \"public\", \"replication\": \"\"}], \"tables\": []}";
static const struct access_object table7 = {.kind = ACCESS_RELATION, .id = 7};
static const struct access_object public_schema = {.kind = ACCESS_SCHEMA, .schema = "public"};

static uint32_t add(struct access *a, const char *name, uint32_t attrs)
{
    char text[64];
    struct role r = {
        .name = text, .attrs = attrs, .connections = -1, .valid_until = ACCESS_FOREVER};
    uint32_t id = 0;

    (void)snprintf(text, sizeof text, "%s", name);
    assert_int_equal(access_put_role(a, &r, &id, NULL), 0);
    return id;
}

static struct access *sample(void)
{
    char verifier[] = "SCRAM-SHA-256$4096:c2FsdA==$a2V5:a2V5";
    char setting[] = "statement_timeout";
    char value[] = "1s";
    char name[] = "größe";
    struct role_setting set = {setting, value};
    struct role full = {.name = name,
                        .attrs = ROLE_LOGIN,
                        .connections = 3,
                        .verifier = verifier,
                        .valid_until = 1000000,
                        .settings = &set,
                        .settings_count = 1};
    struct access *a = NULL;
    uint32_t alice, readers, id;

    assert_int_equal(access_copy(NULL, &a, NULL), 0);
    alice = add(a, "alice", ROLE_LOGIN | ROLE_INHERIT);
    readers = add(a, "readers", ROLE_INHERIT);
    assert_int_equal(access_put_role(a, &full, &id, NULL), 0);
    assert_int_equal(
        access_put_member(a, (struct role_member){.role = readers, .member = alice}, NULL), 0);
    assert_int_equal(access_set_owner(a, &table7, alice, NULL), 0);
    assert_int_equal(
        access_give(a, &table7, readers, alice, PRIVILEGE_BIT(PRIVILEGE_SELECT), 0, NULL), 0);
    assert_int_equal(
        access_take(a, &public_schema, ACCESS_PUBLIC, PRIVILEGE_BIT(PRIVILEGE_USAGE), false, NULL),
        0);
    return a;
}

static struct catalog *with(struct access *a)
{
    struct catalog *first = NULL;
    struct catalog *next = NULL;

    assert_int_equal(catalog_parse(empty_doc, sizeof empty_doc - 1, &first, NULL), 0);
    assert_int_equal(catalog_with_access(first, a, &next, NULL), 0);
    catalog_unref(first);
    access_unref(a);
    return next;
}

static char *print(const struct catalog *c)
{
    struct buf b;
    size_t n;

    buf_init(&b, NULL);
    assert_int_equal(catalog_print(c, &b, NULL), 0);
    buf_u8(&b, 0);
    return (char *)buf_take(&b, &n);
}

static void test_always(void **state)
{
    (void)state;
    assert_int_equal(access_role(NULL, "dendro")->id, ACCESS_FIRST);
    assert_true(access_superuser(NULL, ACCESS_FIRST));
    assert_false(access_superuser(NULL, ACCESS_READ_ALL));
    assert_null(access_role(NULL, "nobody"));
    assert_string_equal(access_role_name(NULL, ACCESS_PUBLIC), "public");
    assert_int_equal(access_owned_by(NULL, &table7), ACCESS_FIRST);
    assert_int_equal(access_privileges(NULL, 99999, &table7), 0);
    assert_int_equal(access_privileges(NULL, 99999, &public_schema),
                     PRIVILEGE_BIT(PRIVILEGE_USAGE));
    assert_int_equal(access_privileges(NULL, ACCESS_FIRST, &table7), access_all(ACCESS_RELATION));
}

static void test_rights(void **state)
{
    struct access *a = sample();
    uint32_t alice = access_role(a, "alice")->id;
    uint32_t other = access_role(a, "größe")->id;
    struct access_object moved = {.kind = ACCESS_RELATION, .id = 9};

    (void)state;
    assert_int_equal(access_privileges(a, alice, &table7), access_all(ACCESS_RELATION));
    assert_int_equal(access_privileges(a, other, &table7), 0);
    assert_int_equal(access_privileges(a, other, &public_schema), 0);
    assert_int_equal(access_give(a,
                                 &public_schema,
                                 ACCESS_PUBLIC,
                                 ACCESS_FIRST,
                                 PRIVILEGE_BIT(PRIVILEGE_USAGE),
                                 0,
                                 NULL),
                     0);
    assert_int_equal(access_privileges(a, other, &public_schema), PRIVILEGE_BIT(PRIVILEGE_USAGE));
    assert_int_equal(
        access_put_member(
            a, (struct role_member){.role = access_role(a, "readers")->id, .member = other}, NULL),
        0);
    /* größe does not inherit */
    assert_true(access_member(a, other, access_role(a, "readers")->id));
    assert_int_equal(access_privileges(a, other, &table7), 0);
    access_move(a, 7, 9);
    assert_int_equal(access_owned_by(a, &table7), ACCESS_FIRST);
    assert_int_equal(access_owned_by(a, &moved), alice);
    assert_true(access_has_password(a));
    access_unref(a);
}

static void test_document(void **state)
{
    struct catalog *c = with(sample());
    struct catalog *again = NULL;
    char *doc = print(c);
    char *same;

    (void)state;
    assert_non_null(strstr(doc, "\"format\": 3"));
    assert_int_equal(catalog_parse(doc, strlen(doc), &again, NULL), 0);
    same = print(again);
    assert_string_equal(doc, same);
    assert_int_equal(again->access->roles_count, 3);
    assert_string_equal(again->access->roles[2].settings[0].value, "1s");
    assert_int_equal(again->access->roles[2].valid_until, 1000000);
    assert_int_equal(again->access->grants_count, 2);
    mem_free(doc);
    mem_free(same);
    catalog_unref(c);
    catalog_unref(again);
}

static void test_damage(void **state)
{
    static const struct {
        const char *from, *to, *text;
    } rows[] = {
        {"\"role_id_next\": 16387", "\"role_id_next\": 16386", "is not below role_id_next"},
        {"\"role_id_next\": 16387", "\"role_id_next\": 1", "access.role_id_next: 1 is not from"},
        {"\"name\": \"readers\"", "\"name\": \"alice\"", "\"alice\" is there twice"},
        {"\"name\": \"readers\"", "\"name\": \"\"", "access.roles[1].name: empty"},
        {"\"id\": 16385", "\"id\": 16384", "access.roles[1].id: 16384 is out of order"},
        {"\"attributes\": 2,", "\"attributes\": 999,", "access.roles[1].attributes: 999 is not"},
        {"\"member\": 16384", "\"member\": 5", "access.members[0].member: there is no role"},
        {"\"role\": 16384", "\"role\": 5", "access.owners[0].role: there is no role"},
        {"\"kind\": \"schema\"", "\"kind\": \"thing\"", "there is no kind \"thing\""},
        {"\"privileges\": 2,", "\"privileges\": 128,", "not those of such an object"},
        {"\"revoked\": true", "\"revoked\": 1", "access.grants[1].revoked: neither true nor false"},
        {"\"settings\"", "\"sittings\"", "access.roles[0].settings: missing"},
    };
    struct catalog *c = with(sample());
    char *doc = print(c);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *at = strstr(doc, rows[i].from);
        struct dn_err err = {0};
        struct catalog *bad = NULL;
        struct buf b;

        if (!at)
            fail_msg("%s is not in the document: %s", rows[i].from, doc);
        buf_init(&b, NULL);
        buf_append(&b, doc, (size_t)(at - doc));
        buf_puts(&b, rows[i].to);
        buf_puts(&b, at + strlen(rows[i].from));
        assert_int_equal(catalog_parse(b.data, b.len, &bad, &err), DN_E_CORRUPT);
        if (!strstr(err.text, rows[i].text))
            fail_msg("%s: said %s, not %s", rows[i].to, err.text, rows[i].text);
        buf_done(&b);
    }
    mem_free(doc);
    catalog_unref(c);
}

static void test_memory(void **state)
{
    struct catalog *c = with(sample());
    char *doc = print(c);
    size_t used = mem_process_used();

    (void)state;
    for (uint64_t n = 1;; n++) {
        struct catalog *again = NULL;
        struct access *copy = NULL;
        bool hit;
        int rc;

        mem_fail_nth(n, false);
        rc = catalog_parse(doc, strlen(doc), &again, NULL);
        if (rc == 0)
            rc = access_copy(again->access, &copy, NULL);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        catalog_unref(again);
        access_unref(copy);
        assert_int_equal(mem_process_used(), used);
        if (!hit) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, DN_E_NOMEM);
    }
    mem_free(doc);
    catalog_unref(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_always),
        cmocka_unit_test(test_rights),
        cmocka_unit_test(test_document),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
