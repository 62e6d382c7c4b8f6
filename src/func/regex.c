/* SPDX-License-Identifier: Apache-2.0
 *
 * regex.c: translated patterns, run by PCRE2. It backtracks and takes the first branch that fits;
 * where a match starts is the same by any rule, where it ends is asked of its other engine, which
 * follows all ways at once and knows the longest and the shortest. A second run then finds the
 * groups: a callout at the end of every pattern turns away all other ends. Another callout at the
 * start of every pattern looks whether the statement is to end: the limits below hold for one
 * start, and a text has many.
 *
 * The backtracking engine may take exponentially long: it is stopped, and the other, which cannot,
 * asked instead.
 *
 * A pattern that has searched REGEX_JIT_AFTER texts is compiled to machine code, which finds the
 * same matches. Where the system allows no such code, or a text needs more than its small stack,
 * the interpreter goes on. Machine code is allocated by PCRE2 and not charged to the owner; a
 * pattern is at most REGEX_PATTERN_MAX long, which bounds it. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "func/regex.h"

#include "base/cancel.h"
#include "base/text.h"

#include <pcre2.h>
#include <string.h>

#define REGEX_STEPS       200000u /* of the backtracking engine, from one start */
#define REGEX_HEAP_KB     (16 * 1024u)
#define REGEX_SLOW_MAX    65536u      /* bytes of a text that the other engine searches */
#define REGEX_WIDE_MAX    (16u << 20) /* bytes of one match that it follows: no cancel reaches it */
#define REGEX_WORK        1024u       /* numbers of its first workspace */
#define REGEX_WORK_MAX    (1u << 20)
#define REGEX_END_CALLOUT 255

struct regex {
    struct mem_owner *owner; /* borrowed */
    pcre2_general_context *general;
    pcre2_match_context *plain; /* no callouts */
    pcre2_match_context *ended; /* ends at `end` only */
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_data *wide; /* of the other engine */
    int *work;
    uint32_t work_count;
    struct regex_plan plan;
    size_t end;
    uint32_t searched_count;   /* texts, up to REGEX_JIT_AFTER */
    struct vstr valid;         /* the text whose UTF-8 was found valid last */
    const atomic_bool *cancel; /* borrowed; NULL = never */
};

static void *regex_alloc(size_t size, void *owner)
{
    return mem_alloc(owner, size);
}

static void regex_release(void *p, void *owner DN_UNUSED)
{
    mem_free(p);
}

static int regex_at_try(pcre2_callout_block *at, void *data)
{
    const struct regex *re = data;

    return at->callout_number == REGEX_TRY_CALLOUT && dn_cancel_check(re->cancel, NULL) < 0
               ? PCRE2_ERROR_CALLOUT
               : 0;
}

static int regex_at_end(pcre2_callout_block *at, void *data)
{
    const struct regex *re = data;

    if (at->callout_number != REGEX_END_CALLOUT || at->current_position == re->end)
        return 0;
    return dn_cancel_check(re->cancel, NULL) < 0 ? PCRE2_ERROR_CALLOUT : 1;
}

void regex_free(struct regex *re)
{
    if (!re)
        return;
    mem_free(re->work);
    pcre2_match_data_free(re->wide);
    pcre2_match_data_free(re->data);
    pcre2_code_free(re->code);
    pcre2_match_context_free(re->ended);
    pcre2_match_context_free(re->plain);
    pcre2_general_context_free(re->general);
    mem_free(re);
}

static int regex_compile(struct regex *re, const struct buf *text, struct dn_err *err)
{
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_CIRCUMFLEX |
                       PCRE2_NEVER_BACKSLASH_C |
                       PCRE2_NO_AUTO_POSSESS; /* it hides shorter matches */
    pcre2_compile_context *ctx = pcre2_compile_context_create(re->general);
    PCRE2_UCHAR8 why[120];
    size_t at;
    int code = 0;

    if (!ctx)
        return DN_FAIL_NOMEM(err);
    if (re->plan.no_case)
        options |= PCRE2_CASELESS;
    if (re->plan.lines)
        options |= PCRE2_MULTILINE;
    pcre2_set_newline_8(ctx, PCRE2_NEWLINE_LF);
    re->code = pcre2_compile(text->data, text->len, options, &code, &at, ctx);
    pcre2_compile_context_free(ctx);
    if (re->code)
        return 0;
    if (code == PCRE2_ERROR_HEAP_FAILED)
        return DN_FAIL_NOMEM(err);
    if (pcre2_get_error_message_8(code, why, sizeof why) < 0)
        why[0] = 0;
    return DN_FAIL(err, DN_E_BAD_REGEX, "invalid regular expression: %s", (const char *)why);
}

static int regex_contexts(struct regex *re, struct dn_err *err)
{
    re->data = pcre2_match_data_create_from_pattern(re->code, re->general);
    re->wide = pcre2_match_data_create(1, re->general);
    re->plain = pcre2_match_context_create(re->general);
    re->ended = pcre2_match_context_create(re->general);
    if (!re->data || !re->wide || !re->plain || !re->ended)
        return DN_FAIL_NOMEM(err);
    pcre2_set_match_limit_8(re->plain, REGEX_STEPS);
    pcre2_set_match_limit_8(re->ended, REGEX_STEPS * 10);
    pcre2_set_heap_limit_8(re->plain, REGEX_HEAP_KB);
    pcre2_set_heap_limit_8(re->ended, REGEX_HEAP_KB);
    pcre2_set_callout_8(re->plain, regex_at_try, re);
    pcre2_set_callout_8(re->ended, regex_at_end, re);
    return 0;
}

int regex_new(struct mem_owner *owner,
              struct vstr pattern,
              uint32_t flags,
              const atomic_bool *cancel,
              struct regex **ret,
              struct dn_err *err)
{
    struct regex *re = mem_calloc(owner, 1, sizeof *re);
    struct buf text;
    int rc;

    *ret = NULL;
    if (!re)
        return DN_FAIL_NOMEM(err);
    if (pattern.len > REGEX_PATTERN_MAX) {
        mem_free(re);
        return DN_FAIL(err, DN_E_BAD_REGEX, "invalid regular expression: it is too long");
    }
    re->owner = owner;
    re->cancel = cancel;
    buf_init(&text, owner);
    buf_printf(&text, "(?C%d)(?:", REGEX_TRY_CALLOUT);
    rc = regex_translate(pattern, flags, &text, &re->plan, err);
    buf_printf(&text, ")(?C%d)", REGEX_END_CALLOUT);
    if (rc == 0 && text.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0) {
        re->general = pcre2_general_context_create(regex_alloc, regex_release, owner);
        rc = re->general ? regex_compile(re, &text, err) : DN_FAIL_NOMEM(err);
    }
    if (rc == 0)
        rc = regex_contexts(re, err);
    buf_done(&text);
    if (rc < 0) {
        regex_free(re);
        return rc;
    }
    *ret = re;
    return 0;
}

uint32_t regex_groups(const struct regex *re)
{
    return re->plan.groups;
}

static int regex_fail(const struct regex *re, int code, struct dn_err *err)
{
    if (code == PCRE2_ERROR_CALLOUT)
        return dn_cancel_check(re->cancel, err);
    if (code == PCRE2_ERROR_NOMEMORY)
        return DN_FAIL_NOMEM(err);
    if (code <= PCRE2_ERROR_UTF8_ERR1 && code >= PCRE2_ERROR_UTF8_ERR21)
        return DN_FAIL(err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
    return DN_FAIL(
        err, DN_E_BAD_REGEX, "regular expression failed: it is too complex for the text");
}

/* The backtracking engine, from `from` on. */
static int regex_search(struct regex *re, struct vstr s, uint32_t from, uint32_t options)
{
    int rc;

    if (re->searched_count < REGEX_JIT_AFTER && ++re->searched_count == REGEX_JIT_AFTER)
        (void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE); /* else the interpreter goes on */
    rc = pcre2_match(re->code, (PCRE2_SPTR8)s.ptr, s.len, from, options, re->data, re->plain);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(
            re->code, (PCRE2_SPTR8)s.ptr, s.len, from, options | PCRE2_NO_JIT, re->data, re->plain);
    return rc;
}

/* The engine that follows all ways at once, with as much work space as it needs. */
static int regex_wide(struct regex *re, struct vstr s, uint32_t from, uint32_t options)
{
    int rc = PCRE2_ERROR_DFA_WSSIZE;

    if (re->plan.shortest)
        options |= PCRE2_DFA_SHORTEST;
    if (s.len - from > REGEX_WIDE_MAX) {
        s.len = from + REGEX_WIDE_MAX;
        while ((s.ptr[s.len] & 0xc0) == 0x80)
            s.len--;
        options |= PCRE2_PARTIAL_HARD; /* says whether what is cut off would matter */
    }
    while (rc == PCRE2_ERROR_DFA_WSSIZE) {
        if (re->work)
            rc = pcre2_dfa_match(re->code,
                                 (PCRE2_SPTR8)s.ptr,
                                 s.len,
                                 from,
                                 options,
                                 re->wide,
                                 re->plain,
                                 re->work,
                                 re->work_count);
        if (rc != PCRE2_ERROR_DFA_WSSIZE)
            break;
        if (re->work_count >= REGEX_WORK_MAX)
            return PCRE2_ERROR_HEAPLIMIT;
        mem_free(re->work);
        re->work_count = re->work_count ? re->work_count * 8 : REGEX_WORK;
        re->work = mem_alloc_array(re->owner, re->work_count, sizeof *re->work);
        if (!re->work)
            return PCRE2_ERROR_NOMEMORY;
    }
    return rc == PCRE2_ERROR_PARTIAL ? PCRE2_ERROR_MATCHLIMIT : rc;
}

static bool regex_gave_up(int rc)
{
    return rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT ||
           rc == PCRE2_ERROR_HEAPLIMIT;
}

/* What the groups took in a match whose extent is ret[0]. */
static int regex_fill(struct regex *re,
                      struct vstr s,
                      struct regex_span *ret,
                      uint32_t count,
                      bool known,
                      struct dn_err *err)
{
    const size_t *at = pcre2_get_ovector_pointer_8(re->data);
    int rc;

    if (!known && re->plan.groups > 0) {
        re->end = ret[0].to;
        rc = pcre2_match(re->code,
                         (PCRE2_SPTR8)s.ptr,
                         s.len,
                         ret[0].from,
                         PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK,
                         re->data,
                         re->ended);
        if (rc < 0)
            return regex_fail(re, rc, err);
    }
    for (uint32_t i = 1; i < count; i++) {
        bool took = i <= re->plan.groups && at[2 * i] != PCRE2_UNSET;

        ret[i].from = took ? (uint32_t)at[2 * i] : UINT32_MAX;
        ret[i].to = took ? (uint32_t)at[2 * i + 1] : UINT32_MAX;
    }
    return 1;
}

/* Can no match from this start be longer, or shorter where the shortest is wanted? */
static bool regex_is_extreme(const struct regex *re, struct vstr s, const size_t *at)
{
    return re->plan.shortest ? at[1] == at[0] : at[1] == s.len;
}

int regex_match(struct regex *re,
                struct vstr s,
                uint32_t from,
                struct regex_span *ret,
                uint32_t count,
                struct dn_err *err)
{
    const size_t *at = pcre2_get_ovector_pointer_8(re->data);
    bool valid = from > 0 && re->valid.ptr == s.ptr && re->valid.len == s.len;
    uint32_t options = valid || text_utf8_valid(s.ptr, s.len) ? PCRE2_NO_UTF_CHECK : 0;
    int rc = regex_search(re, s, from, options);
    bool known = rc > 0 && (!re->plan.ambiguous || regex_is_extreme(re, s, at));
    int wide = rc;

    if (from == 0 && rc > 0) /* all of it was checked, and is not again for further matches */
        re->valid = s;

    if (regex_gave_up(rc) && s.len <= REGEX_SLOW_MAX) {
        rc = regex_wide(re, s, from, options);
        at = pcre2_get_ovector_pointer_8(re->wide);
    } else if (rc > 0 && count > 0 && !known) {
        size_t end = at[1];

        wide = regex_wide(re, s, (uint32_t)at[0], PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK);
        if (wide > 0 || wide == 0) {
            at = pcre2_get_ovector_pointer_8(re->wide);
            known = at[1] == end; /* a second run would find the same groups */
        } else if (wide == PCRE2_ERROR_DFA_UITEM || wide == PCRE2_ERROR_DFA_UCOND) {
            known = true; /* it has back references, which that engine knows nothing of */
        } else {
            rc = wide;
        }
    }
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    if (rc < 0)
        return regex_fail(re, rc, err);
    if (count == 0)
        return 1;
    ret[0] = (struct regex_span){(uint32_t)at[0], (uint32_t)at[1]};
    return count == 1 ? 1 : regex_fill(re, s, ret, count, known, err);
}
