/* Walks every operation row over its samples: values in every dtype and layout on the CPU, meta and a late device,
 * written results between sentinels, gradients against differences, errors by name. A row that lacks something fails by
 * name. On other devices (FACULA_TEST_DEVICES) the same is held against the CPU, bit for bit; a row may say there that
 * the device does not have it, which is printed.
 *
 *     walk [--all] [operation...]    only those; in all dtypes on other devices, too
 *     walk --close operation...      with CUDA's libraries (FACULA_CUBLASLT=1, FACULA_CUDNN=1), each of which is to
 *                                    make some of the results: these are held against the CPU's by tolerances
 *     walk --share 4                 each fourth of the rows that are expressions or composed, each third of the others
 *     walk --reduced                 every row with all samples and layouts, in f32 (those of integers: i32) and one
 *                                    other dtype in turn; gradients of each third expression, of others of first order
 */
#include "support/conformance.h"
#include "backend/gpu/cuda/cuda.h"
#include "support/devices.h"
#include "support/guard.h"
#include <facula/scope.h>
#include <stdlib.h>

conform_plan walk;

fa_device conform_place(void)
{
    return test_device_is_late(0) ? FA_CPU : DEVICE(0);
}

/* With a share of the rows, which are to be compiled quickly, the classes in turn, too: f32 with i64, f64 with i32. */
bool conform_has(int dtype)
{
    static const fa_dtype classes[] = {FA_F32, FA_I64, FA_F64, FA_I32};
    static const fa_dtype others[] = {FA_F16, FA_BOOL, FA_BF16, FA_U8, FA_I8, FA_I16};
    if (walk.reduced)
        return dtype == (int)walk.first || dtype == (int)walk.second;
    bool has = walk.all || test_device_is_late(0) || dtype == (int)others[walk.turn % 6];
    has |= walk.close && (dtype == FA_F16 || dtype == FA_BF16);
    for (int i = 0; i < 4; i++)
        has |= dtype == (int)classes[i] && (walk.share == 1 || i / 2 == walk.turn / 2 % 2);
    return has;
}

static void conform_sample(const sample *s)
{
    check_about("%s: fa_%s [%s]", s->row->place, s->op->name, s->text);
    {
        FA_SCOPE;
        conform_values(s);
        conform_written(s);
        conform_gradients(s);
        conform_errors(s);
    }
    fa_synchronize(DEVICE(0));
    check(!guard_broken(), "wrote beyond memory that it took");
}

/* A pointwise row takes any shape: its first sample without dimensions, and without elements. */
static void conform_reshaped(const sample *first, const char *shape)
{
    sample s = *first;
    for (int i = 0; i < s.operands; i++) {
        operand o;
        if (!operand_read(&o, shape, 0))
            return;
        s.operand[i].rank = o.rank;
        s.operand[i].count = o.count;
        memcpy(s.operand[i].shape, o.shape, sizeof o.shape);
    }
    check_about("%s: fa_%s [%s], all %s", s.row->place, s.op->name, s.text, shape);
    FA_SCOPE;
    conform_values(&s);
    conform_written(&s);
}

/* The two dtypes of a reduced walk. Each class that is compiled for a row takes time: the others have their turn. */
static void choose_dtypes(const fa__op *op)
{
    static const fa_dtype turns[] = {FA_F64, FA_I64,  FA_F16, FA_I32, FA_BOOL, FA_F64,
                                     FA_U8,  FA_BF16, FA_I64, FA_I8,  FA_I16};
    walk.first = conform_of_integers(op) ? FA_I32 : FA_F32;
    walk.second = turns[walk.turn % (int)(sizeof turns / sizeof *turns)];
}

static void conform_row(const fa__samples *row)
{
    check_about("%s: fa_%s", row->place, row->op);
    const fa__op *op = sample_op(row->op);
    if (!check(op != NULL, "no such operation") || !check(row->samples && *row->samples, "no SAMPLES"))
        return;
    const char *wrong = NULL;
    sample s;
    walk.turn++;
    choose_dtypes(op);
    for (int n = 0; sample_read(&s, op, row, n, &wrong); n++)
        conform_sample(&s);
    if (op->traits->expr && sample_read(&s, op, row, 0, &wrong)) {
        conform_reshaped(&s, "()");
        conform_reshaped(&s, "(0,3)");
    }
    if (wrong)
        check(false, "[%s]: %s", s.text, wrong);
}

/* Compiling for a device takes long: of expressions, whose kernels differ in their middle line, and of what is composed
 * of others, a share will do; so will a larger one of what has kernels of its own, which tests/gpu compares, too. */
static bool in_share(const char *name)
{
    enum { OTHERS = 3 };
    static int rows, others;
    const fa__op *op = sample_op(name);
    if (!op || walk.share == 1)
        return true;
    return op->traits->expr || op->traits->compose || op->traits->compose_list ? rows++ % walk.share == 0
                                                                               : others++ % OTHERS == 0;
}

static bool chosen(const char *name, int count, char **names)
{
    bool found = count == 0 && in_share(name);
    for (int i = 0; i < count; i++)
        found |= !strcmp(name, names[i]);
    return found;
}

/* What the libraries of a CUDA device made: rows of products, of convolutions and of attention were walked. */
static void check_libraries(void)
{
    const fa__cuda_device *o = DEVICE(0).kind == FA__CUDA ? fa__cuda_own(fa__device_get(DEVICE(0))) : NULL;
    if (!check(o != NULL, "there is no device of CUDA"))
        return;
    check(o->gpu.library_use == FA__GPU_ALWAYS, "cuBLASLt failed, and was not used any more");
    check(o->gpu.library_products && o->convolutions && o->attentions,
          "by libraries: %lld products, %lld convolutions, %lld attentions", (long long)o->gpu.library_products,
          (long long)o->convolutions, (long long)o->attentions);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    check(guard_start(), "watching memory");
    if (!test_devices_there())
        return TEST_SKIPPED;
    FA_USE(.fallback = test_without_f64());
    bool shares = argc > 2 && !strcmp(argv[1], "--share");
    walk.all = argc > 1 && !strcmp(argv[1], "--all");
    walk.close = argc > 1 && !strcmp(argv[1], "--close");
    walk.reduced = argc > 1 && !strcmp(argv[1], "--reduced");
    walk.share = shares && atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
    int first = shares ? 3 : walk.all || walk.close || walk.reduced ? 2 : 1;
    for (const fa__samples *row = fa__all_samples; row->op; row++)
        if (chosen(row->op, argc - first, argv + first))
            conform_row(row);
    if (walk.close)
        check_libraries();
    return check_end();
}
