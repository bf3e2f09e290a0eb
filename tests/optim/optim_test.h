/* What the tests of optimizers and schedules share: parameters with made-up gradients, one optimizer and one schedule
 * of each kind, and states as a file keeps them. */
#ifndef OPTIM_TEST_H
#define OPTIM_TEST_H
#include "support/api_test.h"
#include <facula/schedule.h>
#include <math.h>

enum { COUNT = 5, MOST_ENTRIES = 128 };

static inline fa_tensor *parameter(int k, fa_device device, fa_dtype dtype)
{
    double v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = 0.5 * i - 1 + k;
    fa_tensor *p = fa_to(fa_tensor_from(v, FA_SHAPE(COUNT), .dtype = FA_F64, .device = device), dtype);
    fa_set_requires_grad(p, true);
    return p;
}

static inline double slope(int step, int k, int i)
{
    return ((step * 7 + i * 13 + k * 5) % 11 - 5) / 8.0;
}

static inline void give_grad(fa_tensor *p, int step, int k)
{
    double v[COUNT];
    for (int i = 0; i < COUNT; i++)
        v[i] = slope(step, k, i);
    fa_tensor *grad = fa_tensor_from(v, FA_SHAPE(COUNT), .dtype = FA_F64, .device = fa_tensor_device(p));
    fa_set_grad(p, fa_to(grad, fa_tensor_dtype(p)));
}

static inline double element(const fa_tensor *p, int i)
{
    double v[COUNT];
    assert_true(fa_read(p, v, FA_F64, COUNT));
    return v[i];
}

static inline fa_optim *made(int kind, fa_tensor *p, fa_tensor *q)
{
    fa_optim *o = kind == 0   ? fa_optim_sgd(fa_params(p), .momentum = 0.9, .dampening = 0.25)
                  : kind == 1 ? fa_optim_adam(fa_params(p), .amsgrad = true)
                  : kind == 2 ? fa_optim_adamw(fa_params(p), .beta1 = 0.25)
                  : kind == 3 ? fa_optim_rmsprop(fa_params(p), .momentum = 0.5, .centered = true)
                              : fa_optim_adagrad(fa_params(p), .lr_decay = 0.1, .initial_accumulator_value = 0.5);
    assert_int_equal(fa_optim_add_group(o, fa_params(q), .lr = 0.1, .weight_decay = 0.125), 1);
    return o;
}

/* The second parameter misses some steps. */
static inline void train(fa_optim *o, fa_tensor *p, fa_tensor *q, int first, int count)
{
    for (int t = first; t < first + count; t++) {
        FA_SCOPE;
        fa_optim_zero_grad(o);
        give_grad(p, t, 0);
        if (t % 3)
            give_grad(q, t, 1);
        assert_true(fa_optim_step(o));
    }
    assert_no_error();
}

/* ---- schedules ---- */

static inline double half_at_odd(int64_t epoch, int group, void *context)
{
    (void)group;
    const int *wrong_at = context;
    return wrong_at && epoch == *wrong_at ? (double)NAN : epoch % 2 ? 0.5 : 1;
}

enum { SCHEDULES = 12 };

static inline fa_schedule *schedule(int kind, fa_optim *o)
{
    switch (kind) {
    case 0:
        return fa_schedule_step_lr(o, 3);
    case 1:
        return fa_schedule_multi_step(o, FA_LIST(4, 9));
    case 2:
        return fa_schedule_exponential(o, 0.9);
    case 3:
        return fa_schedule_cosine(o, 12);
    case 4:
        return fa_schedule_linear(o, .total_iters = 13);
    case 5:
        return fa_schedule_constant(o, .total_iters = 13);
    case 6:
        return fa_schedule_one_cycle(o, 0.5, 40);
    case 7:
        return fa_schedule_reduce_on_plateau(o, .patience = 2, .cooldown = 3, .mode = "max");
    case 8:
        return fa_schedule_lambda(o, half_at_odd, NULL);
    case 9:
        return fa_schedule_chained(schedule(3, o), schedule(2, o));
    case 11:
        return fa_schedule_cyclic(o, 0.1, 0.5, .step_size_up = 4, .mode = "triangular2");
    default:
        return fa_schedule_sequential(FA_LIST(5, 12), schedule(4, o), schedule(9, o), schedule(2, o));
    }
}

static inline void schedule_go(fa_schedule *s, int first, int count)
{
    bool plateau = !strcmp(fa_schedule_kind(s), "reduce_on_plateau");
    for (int i = first; i < first + count; i++) {
        bool good = plateau ? fa_schedule_step_metric(s, i % 4) : fa_schedule_step(s);
        assert_no_error();
        assert_true(good);
    }
}

/* ---- what is held, as a file keeps it: copies, in the reverse order ---- */

typedef struct saved {
    char kind[64], name[MOST_ENTRIES][64];
    const char *names[MOST_ENTRIES];
    double number[MOST_ENTRIES];
    fa_tensor *tensor[MOST_ENTRIES];
    fa_state_dict dict;
} saved;

static inline void save(saved *s, fa_state_dict d)
{
    size_t n = d.numbers.count, t = d.tensors.count;
    assert_non_null(d.kind);
    assert_true(n + t <= MOST_ENTRIES);
    snprintf(s->kind, sizeof s->kind, "%s", d.kind);
    for (size_t i = 0; i < n + t; i++) {
        size_t from = i < n ? n - 1 - i : n + t - 1 - i;
        snprintf(s->name[i], sizeof s->name[i], "%s", i < n ? d.numbers.name[from] : d.tensors.name[from]);
        s->names[i] = s->name[i];
        if (i < n)
            s->number[i] = d.numbers.item[from];
        else
            s->tensor[i - n] = fa_clone(fa_cpu(d.tensors.item[from]));
    }
    s->dict = (fa_state_dict){s->kind, {t, s->tensor, s->names + n}, {n, s->number, s->names}};
}

/* The place of a name among the numbers. */
static inline size_t number_of(const saved *s, const char *name)
{
    size_t i = 0;
    while (i < s->dict.numbers.count && strcmp(s->names[i], name))
        i++;
    assert_true(i < s->dict.numbers.count);
    return i;
}

#endif
