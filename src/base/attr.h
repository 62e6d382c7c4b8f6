/* SPDX-License-Identifier: Apache-2.0
 *
 * attr.h: the few macros the whole code base shares. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DN_MUST_CHECK                      __attribute__((warn_unused_result))
#define DN_PRINTF(fmt_index, args_index)   __attribute__((format(printf, fmt_index, args_index)))
#define DN_NORETURN                        __attribute__((noreturn))
#define DN_UNUSED                          __attribute__((unused))
#define DN_LIKELY(x)                       __builtin_expect(!!(x), 1)
#define DN_UNLIKELY(x)                     __builtin_expect(!!(x), 0)
#define DN_ARRAY_SIZE(a)                   (sizeof(a) / sizeof((a)[0]))
#define DN_CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* Ignore a fallible call on purpose; the reason goes into a comment beside it. */
#define DN_IGNORE(expr)                                             \
    do {                                                            \
        __typeof__(expr) ignored_ __attribute__((unused)) = (expr); \
    } while (0)

/* Facts about our own code. Stays on in release; never used on bytes from outside. */
#define DN_ASSERT(cond)                                  \
    do {                                                 \
        if (DN_UNLIKELY(!(cond)))                        \
            dn_assert_failed(#cond, __FILE__, __LINE__); \
    } while (0)

/* Expensive facts: debug builds only. */
#ifdef DN_DEBUG
#define DN_DCHECK(cond) DN_ASSERT(cond)
#else
#define DN_DCHECK(cond) \
    do {                \
    } while (0)
#endif

DN_NORETURN void dn_assert_failed(const char *cond, const char *file, int line);
