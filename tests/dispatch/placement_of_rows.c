/* Every row with operands on several devices. Under automatic placement results have the CPU's bits and are where the
 * settings or the first operand on a device say, each operand is copied once, under the operation's name, and what is
 * written through views is not lost. Without it devices are told of before anything else.
 *
 *     placement_rows [operation...]    only those
 *     placement_rows --share 6         each sixth row */
#include "core/ledger.h"
#include "support/attempt.h"
#include "support/check.h"
#include "support/devices.h"
#include <facula/facula.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the operands of a call are, in turn. */
typedef struct mix {
    const char *name;
    int even, odd; /* numbers of devices; -1: the CPU */
} mix;

static const mix mixes[] = {{"all on the CPU", -1, -1},
                            {"on the CPU and on device 1", -1, 1},
                            {"on device 1 and on the CPU", 1, -1},
                            {"on devices 1 and 0", 1, 0},
                            {"all on device 1", 1, 1}};
enum { MIXES = sizeof mixes / sizeof *mixes };

static fa_device number(int n)
{
    return n < 0 ? FA_CPU : DEVICE(n);
}

/* What a row asks of an operand: a tensor, or only its shape. */
static bool is_like(const sample *s, int i)
{
    return s->op->fields[s->operand[i].field].kind == FA__LIKE;
}

static int tensors_of(const sample *s)
{
    int count = 0;
    for (int i = 0; i < s->operands; i++)
        count += !is_like(s, i);
    return count;
}

static bool make_mixed(attempt *a, const inputs *in, const mix *m)
{
    a->s = in->s;
    memset(a->result, 0, sizeof a->result);
    for (int i = 0; i < in->s->operands; i++) {
        const operand *o = &in->s->operand[i];
        a->tensor[i] =
            make_tensor(in->values[i], in->dtype[i], o->rank, o->shape, LAYOUT_DENSE, number(i & 1 ? m->odd : m->even));
        if (!a->tensor[i])
            return false;
    }
    attempt_fill(a);
    fa_manual_seed(0);
    return true;
}

/* Uninitialised memory, and what the walker calls checks, have no bits to compare. */
static bool has_values(const fa__op *op)
{
    return !strstr(op->name, "empty");
}

static bool same(const attempt *a, const attempt *b)
{
    bool good = a->results == b->results;
    for (int i = 0; good && i < a->results; i++)
        good = (has_values(a->s->op) ? tensor_same_bits : tensor_same_form)(a->result[i], b->result[i]);
    return good;
}

/* Whether results share the memory of operands. What einsum computes is placed, and a view only by chance. */
static bool shares(const attempt *a)
{
    for (int r = 0; r < a->results; r++)
        for (int i = 0; i < a->s->operands; i++)
            if (strcmp(a->s->op->name, "einsum") != 0 && !is_like(a->s, i)
                && a->result[r]->storage == a->tensor[i]->storage)
                return true;
    return false;
}

static bool is_view(const fa__op *op)
{
    return op->traits->view || op->traits->may_view;
}

/* Where results should be: with the settings' device, if it has one; else with the first operand that is not on the
 * CPU. Views are where their tensor is. */
static fa_device expected(const attempt *a, const mix *m, bool says)
{
    if (is_view(a->s->op) && (m->even == m->odd || tensors_of(a->s) == 1))
        return fa_tensor_device(a->tensor[0]);
    if (says)
        return DEVICE(0);
    for (int i = 0; i < a->s->operands; i++)
        if (fa_tensor_device(a->tensor[i]).kind != FA_CPU.kind)
            return fa_tensor_device(a->tensor[i]);
    return FA_CPU;
}

/* Copies since the ledger was reset; all of them, and all waits, have to be under the operation's name. */
static uint64_t copies(const fa__op *op)
{
    static fa__ledger_row row[FA__LEDGER_ROWS];
    size_t count = fa__ledger_rows(row, FA__LEDGER_ROWS);
    uint64_t all = 0;
    for (size_t k = 0; k < count; k++) {
        const char *name = row[k].op ? row[k].op->name : "(program)";
        check(row[k].implicit || !strcmp(name, op->name), "a %s is counted under %s", row[k].wait ? "wait" : "copy",
              name);
        all += row[k].wait ? 0 : row[k].count;
    }
    return all;
}

/* One copy for each operand that is elsewhere; two where it goes by the host. */
static uint64_t copies_needed(const attempt *a, fa_device to)
{
    uint64_t all = 0;
    for (int i = 0; i < a->s->operands; i++) {
        fa_device from = fa_tensor_device(a->tensor[i]);
        if (!is_like(a->s, i) && a->s->operand[i].count && !fa_device_equal(from, to))
            all += from.kind == to.kind || from.kind == FA_CPU.kind || to.kind == FA_CPU.kind ? 1 : 2;
    }
    return all;
}

/* What the operation itself reads, with all operands in one place. */
static uint64_t own_reads(const inputs *in, fa_device where)
{
    FA_SCOPE;
    attempt a;
    if (!check(attempt_make(&a, in, NULL, where), "operands"))
        return 0;
    fa_manual_seed(0);
    fa_transfers_reset();
    check(attempt_run(&a, NULL, false), "on %s", fa_device_name(where));
    return copies(in->s->op);
}

static void try_mix(const inputs *in, const attempt *base, const mix *m, bool says)
{
    FA_SCOPE;
    attempt a;
    const char *how = says ? ", placed on device 0" : ", placed";
    if (!check(make_mixed(&a, in, m), "operands %s", m->name))
        return;
    fa_device there = expected(&a, m, says);
    uint64_t reads = own_reads(in, there);
    fa_settings s = fa__settings();
    s.placement = FA_PLACE_AUTO;
    s.device = says ? DEVICE(0) : s.device;
    fa__scope scope = fa__use_open(&s);
    fa_manual_seed(0);
    fa_transfers_reset();
    bool ran = attempt_run(&a, NULL, false);
    uint64_t made = copies(in->s->op);
    fa__use_close(&scope);
    if (!check(ran, "%s%s", m->name, how))
        return;
    for (int i = 0; i < a.results; i++)
        check(fa_device_equal(fa_tensor_device(a.result[i]), there), "%s%s: result %d is on %s", m->name, how, i,
              fa_device_name(fa_tensor_device(a.result[i])));
    check(made <= reads + copies_needed(&a, there), "%s%s: %d copies and not %d", m->name, how, (int)made,
          (int)(reads + copies_needed(&a, there)));
    check(same(&a, base), "%s%s: other bits than on the CPU", m->name, how);
    if (m->even == m->odd)
        check(shares(&a) == shares(base), "%s%s: what is written into the result is lost: the row needs .may_view",
              m->name, how);
}

/* In place: the result stays where its tensor is, with the bits that the CPU has. */
static void try_in_place(const inputs *in, const mix *m)
{
    FA_SCOPE;
    const sample *s = in->s;
    attempt a, base;
    int target = 0;
    while (target < s->operands && (s->operand[target].field != s->op->inplace || s->operand[target].item >= 0))
        target++;
    if (s->op->inplace < 0 || target == s->operands || !check(attempt_make(&base, in, NULL, FA_CPU), "operands"))
        return;
    fa_manual_seed(0);
    bool good = attempt_run(&base, base.tensor[target], true);
    fa_error_clear();
    if (!good || !check(make_mixed(&a, in, m), "operands"))
        return;
    fa_settings settings = fa__settings();
    settings.placement = FA_PLACE_AUTO;
    settings.device = DEVICE(0);
    fa__scope scope = fa__use_open(&settings);
    good = attempt_run(&a, a.tensor[target], true);
    fa__use_close(&scope);
    if (check(good, "in place, %s, placed", m->name))
        check(tensor_same_bits(a.tensor[target], base.tensor[target]), "in place, %s, placed: other bits", m->name);
}

/* Operand k on another device than the others, and of a dtype and a shape that no operation takes with them: told is
 * of the devices. */
static void try_apart(const inputs *in, int k)
{
    FA_SCOPE;
    const sample *s = in->s;
    attempt a;
    if (!check(attempt_make(&a, in, NULL, DEVICE(0)), "operands"))
        return;
    a.tensor[k] = fa_zeros(FA_SHAPE(7, 5, 3), .dtype = in->dtype[k] == FA_F64 ? FA_BOOL : FA_F64, .device = DEVICE(1));
    attempt_fill(&a);
    bool ran = attempt_run(&a, NULL, false);
    fa_code code = fa_error_code();
    char text[1100];
    snprintf(text, sizeof text, "%s", fa_error_message());
    fa_error_clear();
    if (check(!ran && code == FA_ERROR_DEVICE, "%s on device 1: %s", s->op->fields[s->operand[k].field].name, text))
        check(strstr(text, s->op->name) && strstr(text, DEVICE_NAME(0)) && strstr(text, DEVICE_NAME(1))
                  && strstr(text, "fa_to"),
              "a message without names: %s", text);
}

static void try_values(const inputs *in, const attempt *base)
{
    for (int k = 0; k < MIXES; k++) {
        try_mix(in, base, &mixes[k], true);
        try_mix(in, base, &mixes[k], false);
        try_in_place(in, &mixes[k]);
    }
    for (int k = 0; tensors_of(in->s) > 1 && k < in->s->operands; k++)
        if (!is_like(in->s, k))
            try_apart(in, k);
}

/* In f32, or in i64 what is of integers alone. */
static void try_sample(const sample *s)
{
    FA_SCOPE;
    check_about("%s: fa_%s [%s]", s->row->place, s->op->name, s->text);
    bool good = !tensors_of(s) || s->op->traits->cross_device;
    for (int turn = 0; turn < 2 && !good; turn++) {
        inputs in;
        attempt base;
        if (!check(inputs_make(&in, s, turn ? FA_I64 : FA_F32), "values"))
            return;
        fa_manual_seed(0);
        good = attempt_all(&base, &in, NULL, FA_CPU);
        if (good)
            try_values(&in, &base);
        else if (turn)
            check(false, "on the CPU");
        inputs_free(&in);
        fa_error_clear();
    }
}

static void try_row(const fa__samples *row)
{
    const fa__op *op = sample_op(row->op);
    const char *wrong = NULL;
    sample s;
    if (!op || op->traits->internal)
        return;
    for (int n = 0; sample_read(&s, op, row, n, &wrong); n++)
        try_sample(&s);
    if (!op->traits->expr || !sample_read(&s, op, row, 0, &wrong))
        return;
    for (int i = 0; i < s.operands; i++) {
        s.operand[i].rank = 0;
        s.operand[i].count = 1;
    }
    try_sample(&s);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (!test_devices_there())
        return TEST_SKIPPED;
    bool shared = argc > 2 && !strcmp(argv[1], "--share");
    int share = shared && atoi(argv[2]) > 0 ? atoi(argv[2]) : 1, rows = 0;
    for (const fa__samples *row = fa__all_samples; row->op; row++) {
        bool chosen = shared || argc < 2;
        for (int i = 1; !shared && i < argc; i++)
            chosen |= !strcmp(row->op, argv[i]);
        if (chosen && rows++ % share == 0)
            try_row(row);
    }
    return check_end();
}
