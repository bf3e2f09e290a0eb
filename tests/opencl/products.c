/* Matrix products by CLBlast: close to the CPU's, chosen by measuring, never where bits are to stay. Skipped without
 * OpenCL; without CLBlast only that it may be absent is tested. */
#include "backend/cpu/level.h"
#include "backend/gpu/opencl/opencl.h"
#include "gpu/gpu_against_cpu.h"
#include "support/process.h"
#include <dirent.h>
#include <dlfcn.h>

#define S(...) FA_SHAPE(__VA_ARGS__)

static char folder[64];

static fa__gpu_device *own(void)
{
    return fa__gpu_own(fa__device_get(GPU));
}

/* How many products were CLBlast's since this was last asked. */
static int64_t by_clblast(void)
{
    static int64_t before;
    int64_t now = own()->library_products, made = now - before;
    before = now;
    return made;
}

static int begin(void **state)
{
    by_clblast();
    memset(own()->verdict, 0, sizeof own()->verdict);
    own()->library_use = FA__GPU_FASTER;
    return api_begin(state);
}

/* Whether the bits are the CPU's (which CLBlast's may be, too); that the values are close is checked. */
static bool same_bits(const fa_tensor *cpu, const fa_tensor *gpu, double most)
{
    const fa_tensor *back = fa_cpu(gpu);
    if (!cpu || !back)
        fail_msg("%s", fa_error_message());
    double off = fa_item(fa_amax(fa_abs(fa_sub(back, cpu)))), scale = fa_item(fa_amax(fa_abs(cpu)));
    if (off > most * scale)
        fail_msg("off by %g of %g", off, scale);
    return tensor_same_bits(back, cpu);
}

static double precision(fa_dtype dtype)
{
    return dtype == FA_F32 ? 1e-5 : 1e-13;
}

static int differ; /* results that have not the CPU's bits */

static void check(fa_dtype dtype, int64_t m, int64_t n, int64_t k, layout how, bool biased)
{
    FA_SCOPE;
    pair a = gpu_random(dtype, S(m, k), how, false, 0), b = gpu_random(dtype, S(k, n), how, false, 0);
    pair w = gpu_random(dtype, S(n, k), LAYOUT_DENSE, false, 0), bias = gpu_random(dtype, S(n), LAYOUT_DENSE, false, 0);
    differ += !same_bits(fa_matmul(a.cpu, b.cpu), fa_matmul(a.gpu, b.gpu), precision(dtype));
    differ += !same_bits(fa_linear(a.cpu, w.cpu, .bias = biased ? bias.cpu : NULL),
                         fa_linear(a.gpu, w.gpu, .bias = biased ? bias.gpu : NULL), precision(dtype));
}

static void forced_products_are_right(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{64, 64, 64}, {1, 70, 33}, {70, 1, 33}, {33, 65, 1}, {129, 130, 67}};
    own()->library_use = FA__GPU_ALWAYS;
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (layout how = 0; how < LAYOUTS && gpu_has(d ? FA_F64 : FA_F32); how++) {
                check(d ? FA_F64 : FA_F32, sizes[i][0], sizes[i][1], sizes[i][2], how, i % 2);
                assert_true(by_clblast() == 2 || how > LAYOUT_TRANSPOSED);
            }
    assert_int_equal(own()->library_use, FA__GPU_ALWAYS); /* it never failed */
}

static void deterministic_products_have_the_cpus_bits(void **state)
{
    (void)state;
    FA_USE(.deterministic = true);
    own()->library_use = FA__GPU_ALWAYS;
    differ = 0;
    check(FA_F32, 129, 130, 67, LAYOUT_DENSE, true);
    assert_int_equal(differ, 0);
    assert_int_equal(by_clblast(), 0);
}

/* What CLBlast cannot do, or must not: integers, halves, batches, what is written over. */
static void others_are_ours(void **state)
{
    (void)state;
    own()->library_use = FA__GPU_ALWAYS;
    FA_SCOPE;
    static const fa_dtype dtypes[] = {FA_F16, FA_BF16, FA_I32};
    differ = 0;
    for (int d = 0; d < 3; d++)
        check(dtypes[d], 70, 65, 67, LAYOUT_DENSE, true);
    pair a = gpu_random(FA_F32, S(3, 70, 67), LAYOUT_DENSE, false, 0);
    pair b = gpu_random(FA_F32, S(3, 67, 65), LAYOUT_DENSE, false, 0);
    differ += !same_bits(fa_matmul(a.cpu, b.cpu), fa_matmul(a.gpu, b.gpu), 0);
    differ +=
        !same_bits(fa_zeros(S(70, 65)), fa_matmul(fa_to(fa_zeros(S(70, 0)), GPU), fa_to(fa_zeros(S(0, 65)), GPU)), 0);
    assert_int_equal(differ, 0);
    assert_int_equal(by_clblast(), 0);
}

static void product(int64_t size)
{
    FA_SCOPE;
    FA_USE(.device = GPU);
    fa_cpu(fa_matmul(fa_ones(S(size, size)), fa_ones(S(size, size))));
    assert_false(fa_failed());
}

static fa__gpu_verdict verdict(void)
{
    return own()->verdict[0][0];
}

static int files(void)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        count += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return count;
}

static void it_is_measured_once_and_kept(void **state)
{
    (void)state;
    product(256); /* our kernel is compiled */
    memset(own()->verdict, 0, sizeof own()->verdict);
    int before = files();
    for (int i = 0; i < 40; i++)
        product(128);
    assert_int_equal(verdict().seen, 0); /* small ones are not looked at */
    for (int i = 0; i < 15; i++)
        product(256);
    assert_true(verdict().seen == 15 && verdict().whose == FA__GPU_UNKNOWN);
    product(256);
    assert_true(verdict().whose != FA__GPU_UNKNOWN);
    assert_int_equal(files(), before + 1);
    fa__gpu_verdict kept = verdict();
    memset(own()->verdict, 0, sizeof own()->verdict); /* as in the next process */
    product(256);
    assert_int_equal(verdict().whose, kept.whose);
    assert_int_equal(verdict().seen, 1);
    memset(own()->verdict, 0, sizeof own()->verdict);
    own()->library_use = FA__GPU_NEVER;
    product(256);
    assert_int_equal(verdict().seen, 0);
}

/* The winner's results, whichever it is. */
static void verdicts_are_followed(void **state)
{
    (void)state;
    for (int whose = FA__GPU_OURS; whose <= FA__GPU_LIBRARYS; whose++) {
        own()->verdict[0][0].whose = whose == FA__GPU_OURS ? FA__GPU_OURS : FA__GPU_LIBRARYS;
        check(FA_F32, 256, 257, 258, LAYOUT_DENSE, true);
        assert_int_equal(by_clblast(), whose == FA__GPU_LIBRARYS ? 2 : 0);
    }
}

/* 0: CLBlast made a product, 1: it did not; the process ends with its work under way. */
static int other_process(void)
{
    FA_SCOPE;
    pair a = gpu_random(FA_F32, S(129, 130), LAYOUT_DENSE, false, 0);
    same_bits(fa_matmul(a.cpu, fa_t(a.cpu)), fa_matmul(a.gpu, fa_t(a.gpu)), 1e-5);
    fa_matmul(a.gpu, fa_t(a.gpu));
    return fa_failed() ? 2 : !by_clblast();
}

static void the_environment_decides(void **state)
{
    (void)state;
    assert_int_equal(run_again("FACULA_CLBLAST", "0", "product"), 1);
    assert_int_equal(run_again("FACULA_CLBLAST", "", "product"), 1);
    setenv("FACULA_CLBLAST", "1", 1);
    assert_int_equal(run_again("FACULA_CLBLAST_LIBRARY", "libno-such-library.so", "product"), 1);
    unsetenv("FACULA_CLBLAST");
}

static void processes_end_well(void **state)
{
    (void)state;
    assert_int_equal(run_again("FACULA_CLBLAST", "1", "product"), 0);
}

#define CASE(f) cmocka_unit_test_setup(f, begin)

int main(int count, char **words)
{
    setenv("FACULA_COMPILE_THREADS", "0", 1); /* files of compiled kernels are counted */
    (void)words;
    const struct CMUnitTest absent[] = {CASE(the_environment_decides)};
    const struct CMUnitTest tests[] = {CASE(forced_products_are_right), CASE(deterministic_products_have_the_cpus_bits),
                                       CASE(others_are_ours),           CASE(it_is_measured_once_and_kept),
                                       CASE(verdicts_are_followed),     CASE(the_environment_decides),
                                       CASE(processes_end_well)};
    if (!strcmp(fa__cpu_level_name(), "base")) {
        printf("skipped: at this level the CPU rounds a multiply-add twice\n");
        return GPU_SKIPPED;
    }
    if (!gpu_there())
        return GPU_SKIPPED;
    if (count > 1)
        return other_process();
    snprintf(folder, sizeof folder, "/tmp/facula-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("FACULA_CACHE_DIR", folder, 1);
    bool there = dlopen("libclblast.so.1", RTLD_LAZY) != NULL;
    int failed = there ? cmocka_run_group_tests_name("opencl_products", tests, NULL, NULL)
                       : cmocka_run_group_tests_name("opencl_products", absent, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
