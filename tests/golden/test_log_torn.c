/* SPDX-License-Identifier: Apache-2.0
 *
 * The golden log chunk tests/golden/log_v1.bin (the argument) of a newer version, torn, damaged. */
#include "base/hash.h"
#include "page.h"
#include "store/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *golden_path;

static int read_all(const uint8_t *p, size_t n, bool sealed, bool *ret_torn, struct dn_err *err)
{
    struct log_reader r;
    struct log_frame f;
    int rc;

    log_reader_init(&r, "log/0/1-2", p, n, sealed);
    while ((rc = log_reader_next(&r, &f, err)) == DN_OK)
        ;
    *ret_torn = r.torn;
    return rc;
}

static void reseal(uint8_t *frame)
{
    size_t length = le_get32(frame + 32);

    le_put64(frame + 40, dn_hash64(frame + 48, length, dn_checksum64(frame, 40)));
}

static void test_versions(void **state)
{
    struct dn_err err;
    uint8_t *p;
    size_t n;
    size_t second;
    bool torn;

    (void)state;
    p = page_read_file(golden_path, &n);
    second = 48 + le_get32(p + 32);
    for (int sealed = 0; sealed < 2; sealed++) {
        assert_int_equal(read_all(p, n, sealed, &torn, &err), DN_EOF);
        assert_false(torn);
        /* a newer frame, in the middle and at the end */
        for (size_t at = 0; at <= second; at += second) {
            le_put16(p + at + 4, LOG_FORMAT + 1);
            reseal(p + at);
            assert_int_equal(read_all(p, n, sealed, &torn, &err), DN_E_VERSION);
            assert_non_null(strstr(err.text, "log/0/1-2"));
            assert_non_null(strstr(err.text, "format version 5, this release reads up to 4"));
            le_put16(p + at + 4, 0);
            reseal(p + at);
            assert_int_equal(read_all(p, n, sealed, &torn, &err), DN_E_CORRUPT);
            le_put16(p + at + 4, 1);
            reseal(p + at);
        }
    }
    mem_free(p);
}

/* Every byte of the first frame is known to be durable by the second; the second has no witness. */
static void test_torn_or_damaged(void **state)
{
    struct dn_err err;
    char offset[40];
    uint8_t *p;
    size_t n;
    size_t second;
    bool torn;

    (void)state;
    p = page_read_file(golden_path, &n);
    second = 48 + le_get32(p + 32);
    for (size_t i = 0; i < n; i++) {
        p[i] ^= 0x10;
        assert_int_equal(read_all(p, n, true, &torn, &err), DN_E_CORRUPT);
        (void)snprintf(offset, sizeof offset, "at offset %zu", i < second ? 0 : second);
        assert_non_null(strstr(err.text, offset));
        if (i < second) {
            assert_int_equal(read_all(p, n, false, &torn, &err), DN_E_CORRUPT);
            assert_non_null(strstr(err.text, "at offset 0"));
        } else {
            assert_int_equal(read_all(p, n, false, &torn, &err), DN_EOF);
            assert_true(torn);
        }
        p[i] ^= 0x10;
    }
    for (size_t cut = 1; cut < n; cut++) {
        int rc = read_all(p, cut, false, &torn, &err);
        assert_int_equal(rc, DN_EOF); /* nobody is left behind the cut */
        assert_int_equal(torn, cut != second);
        rc = read_all(p, cut, true, &torn, &err);
        assert_int_equal(rc, cut == second ? DN_EOF : DN_E_CORRUPT);
    }
    /* Zeros behind the last frame are space that was never used, unless there are others, too. */
    memset(p + second, 0, n - second);
    for (size_t end = second; end < n; end++) {
        assert_int_equal(read_all(p, end, false, &torn, &err), DN_EOF);
        assert_false(torn);
    }
    p[n - 1] = 1;
    assert_int_equal(read_all(p, n, false, &torn, &err), DN_EOF);
    assert_true(torn);
    mem_free(p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_torn_or_damaged),
    };

    if (argc < 2)
        return 2;
    golden_path = argv[1];
    return cmocka_run_group_tests_name("log_torn", tests, NULL, NULL);
}
