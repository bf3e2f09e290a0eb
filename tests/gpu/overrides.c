/* Overrides: an operation that two kinds of device do in their own way, and calls that are left to the kernel. The
 * tables of the two backends are exchanged for copies with other overrides. */
#include "backend/gpu/gpu.h"
#include "base/error.h"
#include "gpu_against_cpu.h"
#include "ids.h"

#define S(...) FA_SHAPE(__VA_ARGS__)

/* ---- what is put in the place of the kernel ---- */
static int asked;

/* The CPU's: a result of sevens. */
static uint64_t sevens(fa__queue *queue, const fa__launch *l)
{
    const fa__operand *y = &l->operand[0];
    assert_null(queue);
    for (int64_t i = 0; i < y->shape[0] * y->shape[1]; i++)
        ((float *)y->data)[i] = 7;
    asked++;
    return 1;
}

/* The GPU's: only products of matrices with three rows, which it gives as those of the right matrix with itself. */
static uint64_t of_three_rows(fa__queue *queue, const fa__launch *l)
{
    asked++;
    if (l->operand[1].shape[0] != 3)
        return FA__DECLINED;
    fa__gpu_product x = fa__gpu_product_of_matmul(l);
    x.a = x.b;
    return fa__gpu_run_product(queue, l, &x);
}

static uint64_t broken(fa__queue *queue, const fa__launch *l)
{
    (void)queue;
    return fa__fail(FA_ERROR_DEVICE, "%s is broken here", l->op->name);
}

/* ---- for a while ---- */
typedef struct replaced {
    fa__device *device;
    const fa__backend *real;
    fa__backend other;
    fa__override *overrides[FA__OPS];
} replaced;

static void begin(replaced *r, fa_device where, fa__override *matmul)
{
    r->device = fa__device_get(where);
    r->real = r->device->backend;
    r->other = *r->real;
    memset(r->overrides, 0, sizeof r->overrides);
    r->overrides[FA__OP_matmul] = matmul;
    r->other.overrides = r->overrides;
    r->device->backend = &r->other;
}

static void end(const replaced *r)
{
    r->device->backend = r->real;
}

/* ---- tests ---- */
static void each_kind_has_its_own(void **state)
{
    (void)state;
    FA_SCOPE;
    static replaced cpu, gpu;
    pair a = gpu_random(FA_F32, S(3, 3), LAYOUT_DENSE, false, 0),
         b = gpu_random(FA_F32, S(3, 3), LAYOUT_DENSE, false, 0);
    fa_tensor *squared = fa_matmul(b.cpu, b.cpu);
    begin(&cpu, FA_CPU, sevens);
    begin(&gpu, GPU, of_three_rows);
    asked = 0;
    fa_tensor *on_cpu = fa_matmul(a.cpu, b.cpu), *on_gpu = fa_matmul(a.gpu, b.gpu);
    end(&gpu);
    end(&cpu);
    assert_int_equal(asked, 2);
    assert_true(tensor_same_bits(on_cpu, fa_full(S(3, 3), 7.0)));
    SAME("%s", squared, on_gpu, "the override's product");
}

static void what_is_declined_is_the_kernels(void **state)
{
    (void)state;
    FA_SCOPE;
    static replaced gpu;
    pair a = gpu_random(FA_F32, S(5, 3), LAYOUT_DENSE, false, 0),
         b = gpu_random(FA_F32, S(3, 4), LAYOUT_DENSE, false, 0);
    begin(&gpu, GPU, of_three_rows);
    asked = 0;
    fa_tensor *y = fa_matmul(a.gpu, b.gpu);
    end(&gpu);
    assert_int_equal(asked, 1);
    SAME("%s", fa_matmul(a.cpu, b.cpu), y, "the kernel's product");
}

static void an_override_may_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    static replaced gpu;
    pair a = gpu_random(FA_F32, S(3, 3), LAYOUT_DENSE, false, 0);
    begin(&gpu, GPU, broken);
    assert_null(fa_matmul(a.gpu, a.gpu));
    end(&gpu);
    assert_error(FA_ERROR_DEVICE, "fa_matmul", "matmul is broken here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(each_kind_has_its_own), TEST(what_is_declined_is_the_kernels),
                                       TEST(an_override_may_fail)};
    if (!strcmp(fa__cpu_level_name(), "base")) {
        printf("skipped: at this level the CPU rounds a multiply-add twice\n");
        return GPU_SKIPPED;
    }
    return gpu_there() ? RUN("gpu_overrides") : GPU_SKIPPED;
}
