/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_scan.h"

#include "catalog/retention.h"
#include "func/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct fake_table fake_table;
static struct arena *fake_arena;
static struct table fake_definition = {.horizon = RETENTION_NO_HORIZON};

/* A table beside fake_table: only its batches. */
struct fake_other {
    struct table definition;
    const struct batch *batches;
    uint32_t count;
};

struct scan {
    uint32_t next;
    const struct fake_other *other; /* NULL: fake_table */
};

int scan_open(struct snapshot *snap,
              const struct scan_spec *spec,
              struct scan **ret,
              struct dn_err *err)
{
    (void)snap;
    *ret = mem_calloc(spec->owner, 1, sizeof **ret);
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    fake_table.open++;
    fake_table.asked = 0;
    fake_table.preds = spec->preds;
    fake_table.preds_count = spec->preds_count;
    if (spec->table != &fake_definition)
        (*ret)->other = (const struct fake_other *)(const void *)spec->table;
    return 0;
}

int scan_next(struct scan *s, struct batch *ret, struct dn_err *err)
{
    fake_table.asked++;
    if (s->other) {
        if (s->next == s->other->count)
            return DN_EOF;
        *ret = s->other->batches[s->next++];
        return 0;
    }
    if (fake_table.fail && s->next + 1 >= fake_table.batches_count)
        return DN_FAIL(err, fake_table.fail, "the fake scan fails");
    if (s->next == fake_table.batches_count)
        return DN_EOF;
    *ret = fake_table.batches[s->next++];
    return 0;
}

void scan_get_stats(const struct scan *s, struct scan_stats *ret)
{
    (void)s;
    *ret = fake_table.stats;
}

/* A reader gives the batches as units of which nothing is known. */
struct scan_reader {
    struct scan *s;
    struct batch batch;
    bool holds[8];
};

void scan_reverse(struct scan *s)
{
    (void)s;
}

int scan_trend(const struct scan *s, uint32_t col)
{
    (void)s;
    (void)col;
    return 0;
}

int scan_tell_series(struct scan *s DN_UNUSED, struct dn_err *err DN_UNUSED)
{
    return 0;
}

bool scan_unit_series(const struct scan_reader *r DN_UNUSED, struct scan_series *ret DN_UNUSED)
{
    return false; /* runs of memtables are not told */
}

int scan_any_order(struct scan *s, struct dn_err *err)
{
    (void)s;
    (void)err;
    return 0;
}

int scan_share(struct scan *s, struct dn_err *err)
{
    (void)s;
    (void)err;
    return 0;
}

int scan_reader_new(struct scan *s,
                    const struct scan_reader_options *options,
                    struct scan_reader **ret,
                    struct dn_err *err)
{
    *ret = mem_calloc(options->owner, 1, sizeof **ret);
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    (*ret)->s = s;
    return 0;
}

void scan_reader_free(struct scan_reader *r)
{
    mem_free(r);
}

int scan_unit_next(struct scan_reader *r, struct scan_unit *ret, struct dn_err *err)
{
    int rc = scan_next(r->s, &r->batch, err);

    *ret = (struct scan_unit){
        .kind = SCAN_ROWS, .rows = r->batch.count, .holds = r->holds, .proven = false};
    return rc;
}

void scan_unit_split(struct scan_reader *r)
{
    (void)r;
    fail_msg("no unit is a block");
}

bool scan_unit_zone(struct scan_reader *r, uint32_t col, struct zone *ret)
{
    (void)r;
    (void)col;
    (void)ret;
    return false;
}

bool scan_unit_bounds(struct scan_reader *r, uint32_t col, struct zone *ret)
{
    return scan_unit_zone(r, col, ret);
}

bool scan_unit_const(struct scan_reader *r, uint32_t col, struct datum *ret)
{
    (void)r;
    (void)col;
    (void)ret;
    return false;
}

int scan_unit_dict(struct scan_reader *r, uint32_t col, uint64_t *ret, struct dn_err *err)
{
    (void)r;
    (void)col;
    (void)err;
    *ret = 0;
    return 0;
}

int scan_unit_narrow(struct scan_reader *r,
                     uint32_t col,
                     const double bounds[2],
                     struct codec_narrow *ret,
                     struct dn_err *err)
{
    (void)r;
    (void)col;
    (void)bounds;
    (void)ret;
    (void)err;
    return DN_NOT_FOUND;
}

bool scan_unit_time(struct scan_reader *r, int64_t *ret_min, int64_t *ret_max)
{
    (void)r;
    (void)ret_min;
    (void)ret_max;
    return false;
}

int scan_unit_fetch(struct scan_reader *r,
                    const uint32_t *cols,
                    uint32_t count,
                    struct batch *ret,
                    struct dn_err *err)
{
    (void)cols;
    (void)count;
    (void)err;
    assert_null(r->batch.sel);
    *ret = r->batch;
    return 0;
}

int scan_unit_pick(struct scan_reader *r,
                   const uint16_t *rows,
                   uint32_t count,
                   struct batch *ret,
                   struct dn_err *err)
{
    (void)r;
    (void)rows;
    (void)count;
    (void)ret;
    (void)err;
    return DN_NOT_FOUND;
}

int scan_unit_agg(struct scan_reader *r,
                  const uint32_t *cols,
                  uint32_t count,
                  const struct codec_ask *ask,
                  struct codec_agg *ret,
                  bool *ret_known,
                  struct dn_err *err)
{
    (void)r;
    (void)cols;
    (void)count;
    (void)ask;
    (void)ret;
    (void)ret_known;
    (void)err;
    fail(); /* there are no stored vectors here */
    return 0;
}

void scan_unit_leave_run(struct scan_reader *r)
{
    (void)r;
}

void scan_unit_answered(struct scan_reader *r)
{
    (void)r;
}

int plan_cond_pred(const struct plan_env *env,
                   const struct plan_node *scan,
                   const struct plan_preds *preds,
                   const struct plan_cond *cond,
                   struct arena *arena,
                   uint32_t *ret_pred,
                   struct dn_err *err)
{
    (void)env;
    (void)scan;
    (void)preds;
    (void)cond;
    (void)arena;
    (void)err;
    *ret_pred = PLAN_NO_COL;
    return 0;
}

void scan_close(struct scan *s)
{
    if (s)
        fake_table.open--;
    mem_free(s);
}

int scan_explain(struct snapshot *snap,
                 const struct scan_spec *spec,
                 struct scan_stats *ret,
                 struct dn_err *err)
{
    (void)snap;
    (void)spec;
    (void)err;
    *ret = fake_table.stats;
    return 0;
}

int plan_scan_preds(const struct plan_env *env,
                    const struct plan_node *scan,
                    const struct datum *params,
                    uint32_t params_count,
                    struct arena *arena,
                    struct plan_preds *ret,
                    struct dn_err *err)
{
    (void)env;
    (void)params;
    (void)params_count;
    (void)arena;
    fake_table.preds_made++;
    if (fake_table.preds_fail)
        return DN_FAIL(err, fake_table.preds_fail, "the fake constraints fail");
    *ret = (struct plan_preds){.preds = scan->preds, .count = scan->preds_count};
    return 0;
}

void fake_init(struct arena *arena)
{
    fake_arena = arena;
    memset(&fake_table, 0, sizeof fake_table);
}

static void *fake_alloc(size_t size)
{
    void *p = arena_calloc(fake_arena, 1, size);

    assert_non_null(p);
    return p;
}

struct plan_node *fake_node(enum plan_kind kind, struct plan_node *input)
{
    struct plan_node *n = fake_alloc(sizeof *n);

    n->kind = kind;
    n->input = input;
    if (input) {
        n->cols = input->cols;
        n->cols_count = input->cols_count;
    }
    return n;
}

void fake_cols(struct plan_node *node, const enum type_id *types, uint32_t count)
{
    node->cols = fake_alloc((count + 1) * sizeof *node->cols);
    node->cols_count = count;
    for (uint32_t i = 0; i < count; i++) {
        char *name = fake_alloc(16);

        snprintf(name, 16, "c%u", i);
        node->cols[i] = (struct plan_col){.name = name, .type = types[i]};
    }
}

struct plan_node *fake_scan(const enum type_id *types, uint32_t count)
{
    static char schema[] = "public";
    static char name[] = "t";
    struct plan_node *n = fake_node(PLAN_SCAN, NULL);

    fake_cols(n, types, count);
    n->scan_cols = fake_alloc((count + 1) * sizeof *n->scan_cols);
    fake_definition.schema = schema;
    fake_definition.name = name;
    fake_definition.columns = fake_alloc((count + 1) * sizeof *fake_definition.columns);
    fake_definition.columns_count = (uint16_t)count;
    for (uint16_t i = 0; i < count; i++) {
        char *column = fake_alloc(16);

        snprintf(column, 16, "c%u", i);
        n->scan_cols[i] = i;
        fake_definition.columns[i].name = column;
        fake_definition.columns[i].type = types[i];
    }
    n->table = &fake_definition;
    return n;
}

struct plan_node *fake_scan_of(const enum type_id *types,
                               uint32_t count,
                               const struct batch *batches,
                               uint32_t batches_count)
{
    struct plan_node *n = fake_scan(types, count);
    struct fake_other *other = fake_alloc(sizeof *other);

    other->definition = fake_definition;
    other->batches = batches;
    other->count = batches_count;
    n->table = &other->definition;
    return n;
}

struct bexpr **fake_list(struct bexpr *a, struct bexpr *b, struct bexpr *c)
{
    struct bexpr **list = fake_alloc(3 * sizeof *list);

    list[0] = a;
    list[1] = b;
    list[2] = c;
    return list;
}

static void fake_print_batch(const struct batch *in, struct buf *b)
{
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        for (uint32_t c = 0; c < in->cols_count; c++) {
            struct datum d = vec_datum(&in->cols[c], row);

            assert_int_equal(in->cols[c].count, in->count);
            buf_puts(b, c ? "," : "");
            if (d.null)
                buf_puts(b, "NULL");
            text_print(&d, b);
        }
        buf_puts(b, ";");
    }
}

int fake_run(struct plan_node *root, struct exec_ctx *ctx, struct buf *ret, struct dn_err *err)
{
    struct plan plan = {.root = root};

    return fake_run_plan(&plan, ctx, ret, err);
}

int fake_run_plan(const struct plan *plan,
                  struct exec_ctx *ctx,
                  struct buf *ret,
                  struct dn_err *err)
{
    struct op *op = NULL;
    struct batch in;
    int rc;

    rc = exec_open(plan, ctx, &op, err);
    while (rc == 0) {
        rc = exec_next(op, &in, err);
        if (rc == 0) {
            assert_true(in.sel_count > 0 && in.sel_count <= in.count && in.count <= VEC_ROWS_MAX);
            fake_print_batch(&in, ret);
        }
    }
    if (rc == DN_EOF) {
        assert_int_equal(exec_next(op, &in, err), DN_EOF); /* and again */
        rc = 0;
    }
    exec_close(op);
    assert_int_equal(fake_table.open, 0);
    return rc;
}

void fake_check(struct plan_node *root, const char *want)
{
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner};
    struct dn_err err;
    struct buf b;

    mem_owner_init(&owner, "statement", NULL, 0);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    if (fake_run(root, &ctx, &b, &err) < 0)
        fail_msg("%s", err.text);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, want);
    buf_done(&b);
    assert_int_equal(mem_owner_used(&owner), 0);
}

#define TIGHT_LIMIT ((size_t)64 << 20)

void fake_tight_open(struct fake_tight *t)
{
    struct dn_err err;

    *t = (struct fake_tight){.disk = sim_disk_new(1)};
    assert_int_equal(sim_volume_open(t->disk, 1, &t->volume, &err), 0);
    mem_owner_init(&t->all, "all", NULL, TIGHT_LIMIT);
    mem_owner_init(&t->owner, "statement", &t->all, 0);
    t->ballast = mem_alloc(&t->all, TIGHT_LIMIT - TIGHT_LIMIT / 9);
    assert_non_null(t->ballast);
}

struct exec_ctx fake_tight_ctx(struct fake_tight *t)
{
    return (struct exec_ctx){.owner = &t->owner, .volume = t->volume, .budget = 1};
}

void fake_tight_close(struct fake_tight *t)
{
    assert_int_equal(mem_owner_used(&t->owner), 0);
    assert_int_equal(sim_disk_used(t->disk), 0);
    mem_free(t->ballast);
    volume_close(t->volume);
    sim_disk_free(t->disk);
}
