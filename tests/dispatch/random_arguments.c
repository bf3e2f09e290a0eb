/* Calls of every operation with arguments that nobody wrote down: a sample of its row, some of whose arguments are
 * replaced by extremes, NaN, NULL, other shapes, dtypes and memory layouts. Each call works, forward, in place, into
 * .out, backward and twice backward, or fails with a message and in little time. The sanitizers look on.
 *
 *     random_arguments [--seconds N | --cases N | --case N]    a case is the same whenever it runs */
#include "base/text.h"
#include "core/tensor.h"
#include "support/attempt.h"
#include "support/gradient.h"
#include <facula/host.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CASES = 20000, SLOWEST = 20 /* seconds for one case */, MOST_BYTES = 4 << 20, MOST_ALL = 256 << 20 };

/* ---- drawing ---- */

static uint64_t drawn;

static uint64_t draw(void)
{
    uint64_t x = drawn += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static int below(int n)
{
    return (int)(draw() % (uint64_t)n);
}

static bool chance(int percent)
{
    return below(100) < percent;
}

static int64_t draw_whole(void)
{
    static const int64_t extremes[] = {INT64_MAX,
                                       INT64_MIN,
                                       INT64_MAX - 1,
                                       INT64_MIN + 1,
                                       INT64_C(1) << 62,
                                       (INT64_C(1) << 62) - 1,
                                       INT64_C(1) << 53,
                                       INT64_C(1) << 32,
                                       INT32_MAX,
                                       INT32_MIN,
                                       1000000007,
                                       1 << 20,
                                       100};
    return chance(70) ? below(12) - 4 : extremes[below(sizeof extremes / sizeof *extremes)];
}

static double draw_number(void)
{
    static const double extremes[] = {NAN,  INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324,  1e300, -1e300,
                                      1e-9, 0x1p63,   -0x1p63,   0x1p31,  0x1p64,   1e19,    FLT_MAX, -0.0,  65504};
    return chance(60) ? (below(33) - 16) / 4.0 : extremes[below(sizeof extremes / sizeof *extremes)];
}

static int64_t draw_size(void)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 16, 17, 33};
    return sizes[below(sizeof sizes / sizeof *sizes)];
}

/* ---- tensors ---- */

static void set_elements(fa_dtype dtype, int64_t count, double *values)
{
    const fa_dtype_info *range = fa_dtype_describe(dtype);
    const double low = fmax(range->lowest, INT32_MIN), high = fmin(range->largest, INT32_MAX);
    int style = below(4);
    for (int64_t i = 0; i < count; i++)
        values[i] = style == 0 ? draw_number() : style == 1 ? (double)draw_whole() : below(9) - 2;
    for (int64_t i = 0; i < count && !fa_dtype_is_floating(dtype); i++)
        if (!(values[i] >= low && values[i] <= high))
            values[i] = fabs(fmod(isfinite(values[i]) ? values[i] : 1, 2));
}

static fa_tensor *draw_tensor(fa_dtype dtype)
{
    double values[4096];
    int64_t shape[FA_MAX_DIMS], count = 1;
    int rank = chance(95) ? below(5) : below(FA_MAX_DIMS + 1);
    for (int i = 0; i < rank; i++) {
        shape[i] = draw_size();
        shape[i] = count * shape[i] > 4096 ? 1 : shape[i];
        count *= shape[i];
    }
    set_elements(dtype, count, values);
    return make_tensor(values, dtype, rank, shape, (layout)below(LAYOUTS), chance(5) ? FA_META : FA_CPU);
}

/* One with many elements and no memory for them; where reading them would take long, without values. */
static fa_tensor *huge(fa_dtype dtype)
{
    int digits = below(62);
    fa_tensor *one = fa_zeros(FA_SCALAR, .dtype = dtype, .device = digits < 16 ? FA_CPU : FA_META);
    return fa_expand(one, FA_SHAPE(INT64_C(1) << digits, chance(50) ? 1 : draw_size()));
}

/* In place of one of the sample's: of its dtype or another, one of the others once more, a huge one, or NULL. */
static fa_tensor *replacement(const attempt *a, fa_dtype dtype)
{
    switch (below(8)) {
    case 0:
        return NULL;
    case 1:
        return a->s->operands ? a->tensor[below(a->s->operands)] : NULL;
    case 2:
        return huge(dtype);
    case 3:
        return draw_tensor((fa_dtype)(1 + below(FA__DTYPES - 1)));
    default:
        return draw_tensor(dtype);
    }
}

/* ---- arguments ---- */

typedef struct room {
    double number[8];
    char text[24];
    fa_tensor *item[8];
} room;

static fa_arg draw_arg(const attempt *a, fa_dtype dtype)
{
    switch (below(4)) {
    case 0:
        return fa__arg_t(replacement(a, dtype));
    case 1:
        return fa__arg_i(draw_whole());
    case 2:
        return fa__arg_b(chance(50));
    default:
        return fa__arg_f(draw_number());
    }
}

static fa_dims draw_dims(void)
{
    int64_t one = below(18) - 9, other = below(18) - 9;
    switch (below(4)) {
    case 0:
        return FA_ALL;
    case 1:
        return draw_whole();
    case 2:
        return FA_DIMS(one, other);
    default:
        return one;
    }
}

static fa_pair draw_pair(void)
{
    int64_t one = draw_whole();
    return chance(20) ? FA_PADDING_SAME : chance(50) ? FA_PAIR(one, draw_whole()) : one;
}

static fa_shape draw_shape(void)
{
    fa_shape s = {.rank = chance(90) ? below(5) : below(12) - 2};
    for (int i = 0; i < s.rank && i < FA_MAX_DIMS; i++)
        s.dim[i] = chance(60) ? draw_size() - 1 : draw_whole();
    return s;
}

static fa_device draw_device(void)
{
    const fa_device devices[] = {{0, 0}, FA_CPU, FA_META, {99, 0}, {-1, -5}, {FA__CPU, 7}};
    return devices[below(sizeof devices / sizeof *devices)];
}

static fa_list draw_list(room *r)
{
    fa_list list = {(size_t)below(9), chance(95) ? r->number : NULL};
    for (int i = 0; i < 8; i++)
        r->number[i] = chance(60) ? below(9) - 2 : draw_number();
    return list;
}

static fa_tensors draw_tensors(const attempt *a, fa_dtype dtype, room *r)
{
    fa_tensors list = {(size_t)below(4), chance(95) ? r->item : NULL};
    for (int i = 0; i < 8; i++)
        r->item[i] = replacement(a, dtype);
    return list;
}

static const char *draw_text(room *r)
{
    static const char letters[] = "ijkl,->. :01x-";
    int length = below((int)sizeof r->text);
    for (int i = 0; i < length; i++)
        r->text[i] = letters[below(sizeof letters - 1)];
    r->text[length] = 0;
    return chance(90) ? r->text : NULL;
}

static void replace(attempt *a, const fa__field *f, fa_dtype dtype, room *r)
{
    void *at = a->args + f->offset;
    switch ((fa__kind)f->kind) {
    case FA__TENSOR:
    case FA__LIKE:
        *(const fa_tensor **)at = replacement(a, dtype);
        break;
    case FA__TENSORS:
        *(fa_tensors *)at = draw_tensors(a, dtype, r);
        break;
    case FA__LIST:
        *(fa_list *)at = draw_list(r);
        break;
    case FA__NUMBER:
        *(fa_arg *)at = draw_arg(a, dtype);
        break;
    case FA__INT:
        *(int64_t *)at = draw_whole();
        break;
    case FA__DOUBLE:
        *(double *)at = draw_number();
        break;
    case FA__BOOL:
        *(bool *)at = chance(50);
        break;
    case FA__DIMS:
        *(fa_dims *)at = draw_dims();
        break;
    case FA__PAIR_:
        *(fa_pair *)at = draw_pair();
        break;
    case FA__SHAPE:
        *(fa_shape *)at = draw_shape();
        break;
    case FA__DTYPE:
        *(fa_dtype *)at = (fa_dtype)(chance(95) ? below(FA__DTYPES) : 99);
        break;
    case FA__DEVICE_:
        *(fa_device *)at = draw_device();
        break;
    case FA__ENUM:
        *(int *)at = chance(90) ? below(5) : INT_MIN;
        break;
    case FA__STRING:
        *(const char **)at = draw_text(r);
        break;
    case FA__KEY: /* no argument of the program's */
        break;
    }
}

/* ---- a case ---- */

static char about[MOST_TEXT + 200]; /* what runs, for the report of whatever ends the program */

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s: %s\n", about, what, fa_error_message());
    abort();
}

/* Every failure has a message, and none is our mistake. */
static void look_at_error(void)
{
    require(fa_error_code() != FA_ERROR_INTERNAL, "an internal error");
    require(!fa_failed() || fa_error_message()[0], "an error without a message");
    fa_error_clear();
}

static void read_results(const attempt *a)
{
    for (int i = 0; i < a->results; i++) {
        const fa_tensor *y = a->result[i];
        if (y->storage && fa__tensor_device(y)->host && fa__numel(y) < 100000)
            free(tensor_values(y));
        require(!fa_failed() || fa_error_code() == FA_ERROR_MEMORY || fa_error_code() == FA_ERROR_INDEX,
                "a result cannot be read");
    }
}

/* The gradients of all that may have one, and the gradients of these. */
static void differentiate(const attempt *a, const inputs *in)
{
    terms t = {0};
    fa_tensor *x[MOST_TENSORS], *g[MOST_TENSORS];
    int count = 0;
    for (int i = 0; i < in->s->operands; i++)
        if (a->tensor[i] && a->tensor[i]->requires_grad)
            x[count++] = a->tensor[i];
    for (int order = 1; order <= 2 && !fa_failed(); order++) {
        fa_tensor *const *y = order == 1 ? a->result : g;
        int results = order == 1 ? a->results : count;
        t.count = 0;
        for (int i = 0; i < results && t.count < MOST_TENSORS; i++)
            if (y[i] && fa__dtype_is_float(y[i]->dtype) && has_history(y[i])) {
                t.y[t.count] = y[i];
                t.w[t.count++] = fa_ones_like(y[i]);
            }
        if (!count || !gradients_of(&t, x, count, order == 1, g))
            return;
    }
}

static void call(attempt *a, const inputs *in)
{
    const fa__op *op = a->s->op;
    fa_tensor *given = NULL;
    bool inplace = op->inplace >= 0 && chance(15);
    if (inplace) {
        const void *at = a->args + op->fields[op->inplace].offset;
        const fa_arg *number = at;
        bool tensor = op->fields[op->inplace].kind == FA__TENSOR;
        given = tensor                           ? *(fa_tensor *const *)at
                : number->kind == FA__ARG_TENSOR ? (fa_tensor *)(uintptr_t)fa__tensor_in(*number)
                                                 : NULL;
        if (!given)
            return; /* the in-place forms take a tensor there */
    } else if (op->nresults == 1 && !op->traits->view && chance(10)) {
        given = replacement(a, FA_F32);
    }
    if (getenv("FACULA_TEST_VERBOSE")) {
        char text[300];
        struct fa__text t = fa__text_in(text, sizeof text);
        fa__describe_tensor(&t, given, false);
        fprintf(stderr, "%s%s, into %s\n", about, inplace ? ", in place" : "", text);
    }
    if (!attempt_run(a, given, inplace)) {
        require(fa_failed() || a->s->op->nresults == 0 || a->results > MOST_RESULTS - 1, "a failure without an error");
        return;
    }
    read_results(a);
    differentiate(a, in);
}

static void prepare(attempt *a, const inputs *in, fa_dtype dtype, room rooms[FA__MAX_FIELDS])
{
    const fa__op *op = in->s->op;
    layout how[MOST_TENSORS];
    for (int i = 0; i < MOST_TENSORS; i++)
        how[i] = chance(60) ? LAYOUT_DENSE : (layout)below(LAYOUTS);
    if (!attempt_make(a, in, how, FA_CPU))
        return;
    for (int i = 0; i < in->s->operands; i++)
        if (chance(60) && operand_differentiable(in->s, i) && fa__dtype_is_float(a->tensor[i]->dtype))
            fa_set_requires_grad(a->tensor[i], true);
    int most = 1 + below(3);
    for (int k = 0; k < most && op->nfields; k++)
        if (chance(80)) {
            int i = below(op->nfields);
            replace(a, &op->fields[i], dtype, &rooms[i]);
        }
    fa_error_clear();
}

static void run_case(uint64_t number)
{
    static room rooms[FA__MAX_FIELDS];
    drawn = number * UINT64_C(0xD1342543DE82EF95);
    size_t rows = 0;
    while (fa__all_samples[rows].op)
        rows++;
    const fa__samples *row = &fa__all_samples[number % rows];
    const fa__op *op = sample_op(row->op);
    sample s;
    const char *wrong;
    int n = below(8);
    while (n > 0 && !sample_read(&s, op, row, n, &wrong))
        n--;
    if (op->traits->internal || !sample_read(&s, op, row, n, &wrong))
        return; /* internal rows: whoever calls them has checked */
    fa_dtype dtype = chance(50) ? FA_F32 : (fa_dtype)(1 + below(FA__DTYPES - 1));
    snprintf(about, sizeof about, "case %llu: fa_%s [%s] of %s", (unsigned long long)number, op->name, s.text,
             fa_dtype_name(dtype));
    FA_SCOPE;
    inputs in;
    attempt a;
    if (!inputs_make(&in, &s, dtype))
        return;
    memset(&a, 0, sizeof a);
    alarm(SLOWEST);
    prepare(&a, &in, dtype, rooms);
    if (a.s)
        call(&a, &in);
    alarm(0);
    look_at_error();
    inputs_free(&in);
}

/* ---- the program ---- */

/* Memory of the library's is bounded, so that huge shapes are errors, and calls are short. */
static _Atomic int64_t taken;

static void *take(void *context, size_t size, size_t alignment)
{
    void *memory = NULL;
    (void)context;
    if (size > MOST_BYTES || taken > MOST_ALL || posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    taken += (int64_t)size;
    return memory;
}

static void give(void *context, void *memory, size_t size)
{
    (void)context;
    taken -= (int64_t)size;
    free(memory);
}

static void report(int signal_number)
{
    ssize_t done = write(STDERR_FILENO, about, strlen(about));
    done +=
        write(STDERR_FILENO, signal_number == SIGALRM ? ": takes too long\n" : "\n", signal_number == SIGALRM ? 17 : 1);
    signal(signal_number, SIG_DFL);
    if (done)
        raise(signal_number);
}

#ifdef FA__ASAN
void __sanitizer_set_death_callback(void (*)(void));
static void report_death(void)
{
    report(0);
}
#endif

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **argument)
{
    const fa_allocator bounded = {take, give, NULL};
    uint64_t from = 0, to = CASES;
    double end = INFINITY;
    if (count == 3 && !strcmp(argument[1], "--seconds"))
        end = seconds() + atof(argument[2]), to = UINT64_MAX;
    else if (count == 3 && !strcmp(argument[1], "--cases"))
        to = strtoull(argument[2], NULL, 10);
    else if (count == 3 && !strcmp(argument[1], "--case"))
        to = 1 + (from = strtoull(argument[2], NULL, 10));
    else if (count != 1)
        return 2;
    fa_set_allocator(&bounded);
    fa_set_num_threads(1);
    signal(SIGALRM, report);
#ifdef FA__ASAN
    __sanitizer_set_death_callback(report_death);
#else
    signal(SIGSEGV, report);
    signal(SIGFPE, report);
#endif
    uint64_t i = from;
    for (; i < to && (i % 64 || seconds() < end); i++)
        run_case(i);
    printf("[       OK ] %llu random calls\n", (unsigned long long)(i - from));
    return 0;
}
