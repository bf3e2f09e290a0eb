/* Attention of f16 and bf16 without a mask in memory, and its gradients, by cuDNN, where it is there and the attention
 * is large. The scores of a tile of queries and keys never leave a multiprocessor. Weights are rounded to f16 or bf16
 * before they are multiplied with values, which our kernel does not do: never under FA_USE(.deterministic = true). Of
 * cuDNN's plans only those are used that give the same bits in every run.
 *
 * The library wants a graph of operations that it knows: those of NVIDIA's front end, in its order. Forward leaves the
 * logarithms of the rows' sums; as our operation does not keep them, backward computes forward once more. The plans of
 * the first sizes are kept: none is freed while work with it may be on its way; what comes later is our kernel's.
 * FACULA_CUDNN is as in cudnn.c. */
#include "args.h"
#include "backend/gpu/cuda/cudnn.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/context.h"
#include "core/ledger.h"
#include "ids.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    LEAST_VERSION = 90100,
    INFINITIES = 91000,       /* the version from which on masked scores are minus infinity */
    ADDED_IN_ANY_ORDER = 100, /* GPUs from sm_100 on, on which gradients of queries may differ from run to run */
    WIDTH_STEP = 8,           /* of queries, keys and values: 16 bytes, as all addresses and strides */
    MOST_WIDTH = 128,
    LEAST_WORK = 1 << 22, /* multiplications of an attention that is worth it */
    MOST_SCRATCH = 256 << 20,
    SLOW = 10000000, /* nanoseconds of making a plan that count as a wait */
    ALIGNMENT = 256
};

/* What has memory; the number of the first one is 1. */
enum { Q, K, V, O, GO, GQ, GK, GV, TENSORS, STATS = TENSORS, SUMS, SCALE, LOWEST, ONE, NUMBERS };

/* sizes */
enum { BATCH, HEADS, QUERIES, KEYS, WIDTH, V_WIDTH, SIZES };

/* Everything that a plan depends on; without padding, as it is compared by its bytes. */
typedef struct question {
    int64_t size[SIZES];
    int64_t stride[TENSORS][3]; /* of the batch, a head and a row; elements of a row are neighbours */
    int32_t dtype, causal, back, unused;
} question;

typedef struct job {
    fa__gpu_queue *queue;
    const fa__launch *launch;
    question q;
    void *memory[NUMBERS];
    float number[3]; /* scale, lowest, one */
} job;

typedef struct plan {
    question question;
    bool possible;
    fa__cudnn_graph graph;
} plan;

/* ---- graphs ---- */
typedef struct making {
    fa__cudnn_graph *g;
    const question *q;
    int type; /* of elements in memory */
} making;

static int64_t rows_of(const question *q, int k)
{
    return k == K || k == V || k == GK || k == GV ? q->size[KEYS] : q->size[QUERIES];
}

static int64_t width_of(const question *q, int k)
{
    return k == V || k == O || k == GO || k == GV ? q->size[V_WIDTH] : q->size[WIDTH];
}

/* Rows by columns, or columns by rows. */
static void *operand(const making *m, int k, bool turned)
{
    const question *q = m->q;
    const int64_t *s = q->stride[k], rows = rows_of(q, k), width = width_of(q, k);
    const fa__cudnn_tensor t = {.number = k + 1,
                                .size = {q->size[BATCH], q->size[HEADS], turned ? width : rows, turned ? rows : width},
                                .stride = {s[0], s[1], turned ? 1 : s[2], turned ? s[2] : 1},
                                .type = m->type};
    return fa__cudnn_operand(m->g, &t);
}

/* A number in f32 for each row of queries */
static void *of_rows(const making *m, int k)
{
    const int64_t heads = m->q->size[HEADS], queries = m->q->size[QUERIES];
    const fa__cudnn_tensor t = {.number = k + 1,
                                .size = {m->q->size[BATCH], heads, queries, 1},
                                .stride = {heads * queries, queries, 1, 1},
                                .type = FA__CUDNN_F32};
    return fa__cudnn_operand(m->g, &t);
}

static void *number(const making *m, int k)
{
    const fa__cudnn_tensor t = {
        .number = k + 1, .size = {1, 1, 1, 1}, .stride = {1, 1, 1, 1}, .type = FA__CUDNN_F32, .by_value = true};
    return fa__cudnn_operand(m->g, &t);
}

static void *inner(const making *m, int type, int64_t columns)
{
    const int64_t size[4] = {m->q->size[BATCH], m->q->size[HEADS], m->q->size[QUERIES], columns};
    return fa__cudnn_inner(m->g, type, size, NULL);
}

static void *scores(const making *m)
{
    return inner(m, FA__CUDNN_F32, m->q->size[KEYS]);
}

/* y's elements from those of x and b, which may be NULL */
static void *each(const making *m, fa__cudnn_mode mode, void *x, void *b, void *y)
{
    fa__cudnn_each(m->g, mode, FA__CUDNN_F32, 0, x, b, NULL, y);
    return y;
}

static void *masked(const making *m, void *x)
{
    if (!m->q->causal)
        return x;
    const int64_t keys = m->q->size[KEYS];
    void *row = inner(m, FA__CUDNN_I32, keys), *column = inner(m, FA__CUDNN_I32, keys);
    void *sees = inner(m, FA__CUDNN_BOOL, keys), *y = scores(m);
    fa__cudnn_each(m->g, FA__CUDNN_INDEX, FA__CUDNN_F32, 2, x, NULL, NULL, row);
    fa__cudnn_each(m->g, FA__CUDNN_INDEX, FA__CUDNN_F32, 3, x, NULL, NULL, column);
    fa__cudnn_each(m->g, FA__CUDNN_GE, FA__CUDNN_BOOL, 0, row, column, NULL, sees);
    fa__cudnn_each(m->g, FA__CUDNN_SELECT, FA__CUDNN_F32, 0, x, number(m, LOWEST), sees, y);
    return y;
}

static void make_forward(const making *m)
{
    void *product = scores(m), *top = inner(m, FA__CUDNN_F32, 1), *sum = inner(m, FA__CUDNN_F32, 1);
    fa__cudnn_multiply(m->g, operand(m, Q, false), operand(m, K, true), product);
    void *score = masked(m, each(m, FA__CUDNN_MUL, product, number(m, SCALE), scores(m)));
    fa__cudnn_reduce(m->g, FA__CUDNN_LARGEST, score, top);
    void *below = each(m, FA__CUDNN_SUB, score, top, scores(m));
    void *power = each(m, FA__CUDNN_EXP, below, NULL, scores(m));
    fa__cudnn_reduce(m->g, FA__CUDNN_SUM, power, sum);
    void *log = each(m, FA__CUDNN_LOG, sum, NULL, inner(m, FA__CUDNN_F32, 1));
    each(m, FA__CUDNN_ADD, top, log, of_rows(m, STATS));
    void *weight = each(m, FA__CUDNN_DIV, power, sum, inner(m, m->type, m->q->size[KEYS]));
    fa__cudnn_multiply(m->g, weight, operand(m, V, false), operand(m, O, false));
}

/* Rows of keys from rows of queries: of weights, or of gradients of the scores */
static void *turned(const making *m, void *x)
{
    const int64_t heads = m->q->size[HEADS], queries = m->q->size[QUERIES], keys = m->q->size[KEYS];
    const int64_t size[4] = {m->q->size[BATCH], heads, keys, queries};
    const int64_t stride[4] = {heads * queries * keys, queries * keys, 1, keys};
    void *y = fa__cudnn_inner(m->g, m->type, size, stride);
    fa__cudnn_turn(m->g, x, y);
    return y;
}

static void make_back(const making *m)
{
    const question *q = m->q;
    void *go = operand(m, GO, false), *kt = operand(m, K, true), *queries = operand(m, Q, false);
    void *scale = number(m, SCALE), *sums = of_rows(m, SUMS), *sum = inner(m, FA__CUDNN_F32, 1);
    void *product = each(m, FA__CUDNN_MUL, go, operand(m, O, false), inner(m, FA__CUDNN_F32, q->size[V_WIDTH]));
    fa__cudnn_reduce(m->g, FA__CUDNN_SUM, product, sum);
    each(m, FA__CUDNN_MUL, sum, number(m, ONE), sums);
    void *score = scores(m), *gradient = scores(m);
    fa__cudnn_multiply(m->g, queries, kt, score);
    score = each(m, FA__CUDNN_MUL, score, scale, scores(m));
    score = masked(m, each(m, FA__CUDNN_SUB, score, of_rows(m, STATS), scores(m)));
    void *weight = each(m, FA__CUDNN_EXP, score, NULL, scores(m));
    fa__cudnn_multiply(m->g, turned(m, weight), go, operand(m, GV, false));
    fa__cudnn_multiply(m->g, go, operand(m, V, true), gradient);
    gradient = each(m, FA__CUDNN_SUB, gradient, sums, scores(m));
    gradient = each(m, FA__CUDNN_MUL, gradient, weight, scores(m));
    gradient = each(m, FA__CUDNN_MUL, gradient, scale, scores(m));
    fa__cudnn_multiply(m->g, turned(m, gradient), queries, operand(m, GK, false));
    const int64_t size[4] = {q->size[BATCH], q->size[HEADS], q->size[KEYS], q->size[WIDTH]};
    const int64_t stride[4] = {q->stride[K][0], q->stride[K][1], q->stride[K][2], 1};
    void *keys = fa__cudnn_inner(m->g, m->type, size, stride);
    fa__cudnn_turn(m->g, kt, keys);
    fa__cudnn_multiply(m->g, gradient, keys, operand(m, GQ, false));
}

/* ---- plans ---- */
static void forget(void *plan_)
{
    fa__cudnn_graph_free(&((plan *)plan_)->graph);
}

static int make_plan(void *plan_, void *handle)
{
    plan *p = plan_;
    const question *q = &p->question;
    const making m = {&p->graph, q, q->dtype == FA_F16 ? FA__CUDNN_F16 : FA__CUDNN_BF16};
    (q->back ? make_back : make_forward)(&m);
    p->possible = fa__cudnn_plan(&p->graph, handle, MOST_SCRATCH);
    const int status = p->graph.status;
    if (!p->possible)
        fa__cudnn_graph_free(&p->graph);
    return p->possible || fa__cudnn_is_unsupported(status) ? 0 : status;
}

static fa__cudnn_work own = {
    .name = "attention by cuDNN",
    .planning = {
        .question = sizeof(question), .plan = sizeof(plan), .stays = true, .make = make_plan, .forget = forget}};

/* NULL and 0: there is none, as there are too many others. */
static plan *find_plan(const job *j, void *handle, const question *q, int *status)
{
    const fa__device *d = j->queue->base.device;
    const int64_t start = fa__clock_ns();
    plan *p = fa__gpu_plan(&own.on[d->id.index].plans, &own.planning, q, handle, status);
    const int64_t taken = fa__clock_ns() - start;
    if (taken > SLOW)
        fa__ledger_implicit(j->launch->op, d, taken);
    return p;
}

/* ---- what it takes ---- */
/* Of up to four dimensions, (batch, head, row, element); those that are not there, or of size 1, have any stride. */
static bool lies_right(const fa__operand *x, int64_t stride[3])
{
    const int last = x->rank - 1;
    int64_t inner = x->shape[last];
    bool good = x->kind == FA__MEMORY && x->rank >= 2 && x->rank <= 4 && x->stride[last] == 1
                && (uintptr_t)x->data % (2 * WIDTH_STEP) == 0;
    for (int i = 2; i >= 0 && good; i--) {
        const int d = last - (3 - i);
        const bool one = d < 0 || x->shape[d] == 1;
        stride[i] = one ? inner : x->stride[d];
        good = stride[i] > 0 && stride[i] % WIDTH_STEP == 0;
        inner = one ? inner : x->stride[d] * x->shape[d];
    }
    return good;
}

static bool is_large(const question *q, bool any_size)
{
    double work = (double)(q->size[WIDTH] + q->size[V_WIDTH]);
    bool good = q->size[WIDTH] <= MOST_WIDTH && q->size[V_WIDTH] <= MOST_WIDTH
                && (q->size[WIDTH] | q->size[V_WIDTH]) % WIDTH_STEP == 0;
    for (int i = 0; i < SIZES; i++)
        good = good && q->size[i] > 0 && q->size[i] <= INT32_MAX;
    for (int i = BATCH; i <= KEYS; i++)
        work *= (double)q->size[i];
    return good && (any_size || work >= LEAST_WORK);
}

static void set_sizes(question *q, const fa__operand *queries, const fa__operand *keys, const fa__operand *values)
{
    const int r = queries->rank;
    const int64_t sizes[SIZES] = {[BATCH] = r > 3 ? queries->shape[r - 4] : 1,
                                  [HEADS] = r > 2 ? queries->shape[r - 3] : 1,
                                  [QUERIES] = queries->shape[r - 2],
                                  [KEYS] = keys->shape[r - 2],
                                  [WIDTH] = queries->shape[r - 1],
                                  [V_WIDTH] = values->shape[r - 1]};
    memcpy(q->size, sizes, sizeof sizes);
}

static bool add_operand(job *j, int k, const fa__operand *x)
{
    j->memory[k] = x->data;
    return lies_right(x, j->q.stride[k]);
}

/* What overwrites existing data has to look for faults first, which the library does not. */
static bool may(const job *j, const fa__operand *queries, const fa__operand *mask)
{
    const int dtype = queries->dtype, r = queries->rank;
    return (dtype == FA_F16 || dtype == FA_BF16) && mask->kind != FA__MEMORY && r >= 2 && r <= 4
           && !j->launch->overwrites && !fa__ctx()->settings->deterministic
           && !own.on[j->queue->base.device->id.index].failed;
}

static void set_numbers(job *j, double scale, size_t version)
{
    j->number[0] = (float)scale;
    j->number[1] = version < INFINITIES ? -FLT_MAX : -INFINITY;
    j->number[2] = 1;
    for (int i = 0; i < 3; i++)
        j->memory[SCALE + i] = &j->number[i];
}

/* ---- attention ---- */
static int run_plan(job *j, plan *p, void *handle, const int *numbers, int count, void *scratch)
{
    int64_t number[NUMBERS];
    void *memory[NUMBERS];
    for (int i = 0; i < count; i++) {
        number[i] = numbers[i] + 1;
        memory[i] = j->memory[numbers[i]];
    }
    return fa__cudnn_run(&p->graph, handle, number, memory, count, scratch);
}

static int run_plans(job *j, plan *const p[2], void *scratch)
{
    static const int forward[] = {Q, K, V, O, STATS, SCALE, LOWEST},
                     back[] = {Q, K, V, O, GO, GQ, GK, GV, STATS, SUMS, SCALE, ONE, LOWEST};
    const int masked = j->q.causal;
    void *handle;
    int status = fa__cudnn_handle(j->queue, &handle);
    status = status ? status : run_plan(j, p[0], handle, forward, 6 + masked, scratch);
    return status || !p[1] ? status : run_plan(j, p[1], handle, back, 12 + masked, scratch);
}

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Gives what is in scratch memory its place; where the plans' own begins. */
static void *divide(job *j, char *scratch, const size_t size[3])
{
    const int of[3] = {STATS, SUMS, O};
    for (int i = 0; i < 3; i++)
        if (size[i]) {
            j->memory[of[i]] = scratch;
            scratch += size[i];
        }
    return scratch;
}

static uint64_t issue(job *j, plan *const p[2], void *scratch)
{
    fa__gpu_queue *q = j->queue;
    fa__cuda_device *o = fa__cuda_own(q->base.device);
    if (!fa__gpu_begin(q, j->launch->op))
        return 0;
    fa__gpu_catch_up(q);
    fa__cuda_enter(o);
    const int status = fa__cuda_leave(run_plans(j, p, scratch));
    if (status) {
        p[p[1] ? 1 : 0]->possible = false;
        if (p[1]) /* forward may be on its way, in the scratch memory */
            fa__gpu_commit(q, NULL, NULL, NULL);
        return fa__cudnn_declined(&own, q->base.device, status);
    }
    o->attentions++;
    return fa__gpu_commit(q, NULL, NULL, NULL);
}

static uint64_t run_with(job *j, plan *const p[2])
{
    const size_t rows = (size_t)(j->q.size[BATCH] * j->q.size[HEADS] * j->q.size[QUERIES]), numbers = aligned(4 * rows);
    const size_t size[3] = {numbers, p[1] ? numbers : 0, p[1] ? aligned(2 * rows * (size_t)j->q.size[V_WIDTH]) : 0};
    const size_t of_plans =
        p[1] && p[1]->graph.scratch > p[0]->graph.scratch ? p[1]->graph.scratch : p[0]->graph.scratch;
    fa__gpu_issue own_issue = fa__gpu_issue_begin(&j->queue->base, j->launch);
    char *scratch = fa__gpu_scratch(&own_issue, size[0] + size[1] + size[2] + of_plans + 1);
    uint64_t ticket = scratch ? issue(j, p, divide(j, scratch, size)) : 0;
    fa__gpu_issue_end(&own_issue);
    return ticket;
}

/* The device's lock is held, which guards its plans. */
static uint64_t run(job *j, bool back)
{
    plan *p[2] = {NULL, NULL};
    void *handle = NULL;
    fa__cuda_enter(fa__cuda_own(j->queue->base.device));
    int status = fa__cudnn_handle(j->queue, &handle);
    if (!status)
        p[0] = find_plan(j, handle, &j->q, &status);
    if (back && p[0] && p[0]->possible) {
        question q = j->q;
        q.back = true;
        p[1] = find_plan(j, handle, &q, &status);
    }
    fa__cuda_leave(CUDA_SUCCESS);
    bool possible = p[0] && p[0]->possible && (!back || (p[1] && p[1]->possible));
    return possible ? run_with(j, p) : fa__cudnn_declined(&own, j->queue->base.device, status);
}

OVERRIDE(cuda, attention)
{
    const attention_args *a = l->args;
    const fa__operand *o = l->operand;
    job j = {.queue = (fa__gpu_queue *)queue, .launch = l, .q = {.dtype = o[1].dtype, .causal = a->causal}};
    size_t version;
    bool any_size;
    if (!may(&j, &o[1], &o[4]) || !fa__cudnn_there(&any_size) || !fa__cudnn_has_graphs(&version)
        || version < LEAST_VERSION)
        return FA__DECLINED;
    set_sizes(&j.q, &o[1], &o[2], &o[3]);
    set_numbers(&j, a->scale, version);
    bool fits = is_large(&j.q, any_size) && add_operand(&j, O, &o[0]) && add_operand(&j, Q, &o[1])
                && add_operand(&j, K, &o[2]) && add_operand(&j, V, &o[3]);
    return fits ? run(&j, false) : FA__DECLINED;
}

/* The result of forward is in scratch memory, row by row. */
OVERRIDE(cuda, attention_back)
{
    const attention_back_args *a = l->args;
    const fa__operand *o = l->operand;
    job j = {.queue = (fa__gpu_queue *)queue, .launch = l, .q = {.dtype = o[4].dtype, .causal = a->causal}};
    size_t version;
    bool any_size;
    if (fa__cuda_own(queue->device)->capability >= ADDED_IN_ANY_ORDER || !may(&j, &o[4], &o[7])
        || !fa__cudnn_there(&any_size) || !fa__cudnn_has_graphs(&version) || version < LEAST_VERSION)
        return FA__DECLINED;
    set_sizes(&j.q, &o[4], &o[5], &o[6]);
    set_numbers(&j, a->scale, version);
    const int64_t row = j.q.size[V_WIDTH], head = row * j.q.size[QUERIES];
    memcpy(j.q.stride[O], (int64_t[]){head * j.q.size[HEADS], head, row}, sizeof j.q.stride[O]);
    bool fits = is_large(&j.q, any_size) && add_operand(&j, GQ, &o[0]) && add_operand(&j, GK, &o[1])
                && add_operand(&j, GV, &o[2]) && add_operand(&j, GO, &o[3]) && add_operand(&j, Q, &o[4])
                && add_operand(&j, K, &o[5]) && add_operand(&j, V, &o[6]);
    return fits ? run(&j, true) : FA__DECLINED;
}

void fa__cudnn_attention_close(const fa__device *d)
{
    fa__gpu_plans_free(&own.on[d->id.index].plans, &own.planning);
}
