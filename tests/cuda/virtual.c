/* Memory that grows by the driver's virtual memory, on the simulator: tensors of all sizes in one segment, what goes
 * back, fragments, failures of each call, peers, drivers without it, and accesses to what is not mapped. */
#include "backend/gpu/cuda/cuda.h"
#include "base/error.h"
#include "support/cudasim.h"
#include "support/storages.h"
#include <facula/cuda.h>
#include <facula/facula.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST, SECOND, PLAIN, OLD, LATE, UNKNOWN, UNRESERVED };
#define MIB ((size_t)1 << 20)
static const cudasim_functions *sim;

static fa__device *device(int i)
{
    fa__device *d = fa__device_get(FA_CUDA(i));
    assert_non_null(d);
    return d;
}

static int begin(void **state)
{
    (void)state;
    return fa_failed() ? -1 : 0;
}

static int end(void **state)
{
    (void)state;
    sim->inject(NULL, 0, 0, false);
    if (fa_failed())
        print_message("left behind: %s\n", fa_error_message());
    bool failed = fa_failed();
    fa_error_clear();
    return failed ? -1 : 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* Tensors have a value in their first and last elements; what is between these is not written. */
enum { AT_AN_END = 300 };

static fa_tensor *begin_of(fa_tensor *t)
{
    return fa_narrow(t, 0, 0, AT_AN_END);
}

static fa_tensor *end_of(fa_tensor *t)
{
    return fa_narrow(t, 0, fa_size(t, 0) - AT_AN_END, AT_AN_END);
}

static fa_tensor *filled_with(int i, size_t bytes, double value)
{
    fa_tensor *t = fa_empty(FA_SHAPE((int64_t)(bytes / 4)), .dtype = FA_F32, .device = FA_CUDA(i));
    if (t) {
        FA_SCOPE;
        fa_copy_(begin_of(t), value);
        fa_copy_(end_of(t), value);
    }
    return t;
}

static bool is_filled_with(fa_tensor *t, double value)
{
    FA_SCOPE;
    fa_tensor *ends = fa_cat(FA_TENSORS(begin_of(t), end_of(t)));
    return fa_item(fa_amin(ends)) == value && fa_item(fa_amax(ends)) == value;
}

static const char *address(fa_tensor *t)
{
    return fa_cuda_pointer(t);
}

/* ---- growth ---- */
static void tensors_follow_each_other(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *warm = filled_with(FIRST, 4096, 0);
    long plain = sim->calls("cuMemAlloc_v2"), created = sim->calls("cuMemCreate");
    fa_tensor *a = filled_with(FIRST, 12 * MIB, 1), *b = filled_with(FIRST, 40 * MIB, 2);
    assert_ptr_equal(address(b), address(a) + 12 * MIB);
    assert_true(sim->calls("cuMemCreate") > created && sim->calls("cuMemAlloc_v2") == plain);
    assert_true(is_filled_with(a, 1) && is_filled_with(b, 2) && is_filled_with(warm, 0));
    assert_true(is_filled_with(fa_to(fa_to(b, FA_CPU), FA_CUDA(FIRST)), 2)); /* a copy of several pieces */
}

static void what_is_free_goes_back(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_synchronize(FA_CUDA(FIRST));
    fa_empty_cache(FA_CUDA(FIRST));
    size_t before = sim->allocated(FIRST);
    fa_tensor *kept;
    {
        FA_SCOPE;
        fa_tensor *freed = filled_with(FIRST, 100 * MIB, 1);
        kept = fa_keep(filled_with(FIRST, 64 * MIB, 3));
        assert_true(is_filled_with(freed, 1));
        assert_true(sim->allocated(FIRST) >= before + 164 * MIB);
    }
    assert_true(fa_synchronize(FA_CUDA(FIRST)));
    fa_empty_cache(FA_CUDA(FIRST));
    assert_true(sim->allocated(FIRST) <= before + 104 * MIB); /* though it is in front of what is kept */
    assert_true(is_filled_with(kept, 3));
    fa_memory stats = fa_memory_stats(FA_CUDA(FIRST));
    assert_true(stats.reserved <= sim->allocated(FIRST));
    fa_release(kept);
}

/* ---- fragments ---- */
enum { ROWS = 4 };

/* Between tensors that cannot be moved: the address of one was given out. */
static bool fits_between(int i)
{
    FA_SCOPE;
    fa_tensor *kept[ROWS], *freed[ROWS];
    fa_synchronize(FA_CUDA(i));
    fa_empty_cache(FA_CUDA(i));
    fa_memory_limit(FA_CUDA(i), fa_memory_stats(FA_CUDA(i)).reserved + 250 * MIB);
    for (int k = 0; k < ROWS; k++) {
        {
            FA_SCOPE;
            filled_with(i, 60 * MIB, 0);
        }
        fa_synchronize(FA_CUDA(i));
        kept[k] = filled_with(i, 20 * MIB, k);
        freed[k] = filled_with(i, 40 * MIB, 0);
        address(kept[k]);
    }
    for (int k = 0; k < ROWS; k++)
        fa_drop(freed[k]);
    fa_tensor *large = filled_with(i, 100 * MIB, 9);
    bool good = large && is_filled_with(large, 9);
    if (!large && fa_error_code() == FA_ERROR_MEMORY)
        fa_error_clear();
    for (int k = 0; k < ROWS; k++)
        assert_true(is_filled_with(kept[k], k));
    fa_memory_limit(FA_CUDA(i), 0);
    return good;
}

static void fragments_become_a_large_block(void **state)
{
    (void)state;
    assert_true(fits_between(FIRST));
    setenv("FACULA_CUDA_EXPANDABLE", "0", 1);
    device(PLAIN);
    unsetenv("FACULA_CUDA_EXPANDABLE");
    assert_false(fits_between(PLAIN));
}

/* ---- failures ---- */
static const char *const calls[] = {
#define NAME(name, parameters) #name,
    FA__CUDA_VIRTUAL_FUNCTIONS(NAME)};

static bool use_memory(void)
{
    FA_SCOPE;
    fa_synchronize(FA_CUDA(SECOND));
    fa_empty_cache(FA_CUDA(SECOND));
    bool good = true;
    for (int i = 1; i <= 3; i++)
        good = good && is_filled_with(filled_with(SECOND, 12 * MIB * (size_t)i, i), i);
    return good && !fa_failed();
}

static void a_failure_is_no_error(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        long before = sim->calls(calls[i]);
        assert_true(use_memory());
        long made = sim->calls(calls[i]) - before;
        for (long n = 1; n <= made && n <= 12; n++, failures++) {
            sim->inject(calls[i], n, n % 2 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_UNKNOWN, false);
            assert_true(use_memory());
            sim->inject(NULL, 0, 0, false);
            assert_true(use_memory());
        }
    }
    assert_true(failures > 15);
}

/* Calls that are made once, when the device or its memory is first used. */
static void a_first_failure_is_no_error(void **state)
{
    (void)state;
    FA_SCOPE;
    sim->inject("cuMemGetAllocationGranularity", 1, CUDA_ERROR_UNKNOWN, false);
    fa_tensor *unknown = filled_with(UNKNOWN, 30 * MIB, 1);
    assert_false(sim->reaches(UNKNOWN, address(unknown), 30 * MIB));
    assert_true(is_filled_with(unknown, 1));
    device(UNRESERVED);
    sim->inject("cuMemAddressReserve", 1, CUDA_ERROR_OUT_OF_MEMORY, false);
    fa_tensor *plain = filled_with(UNRESERVED, 30 * MIB, 1), *mapped = filled_with(UNRESERVED, 30 * MIB, 2);
    assert_false(sim->reaches(UNRESERVED, address(plain), 30 * MIB));
    assert_true(sim->reaches(UNRESERVED, address(mapped), 30 * MIB));
    assert_true(is_filled_with(plain, 1) && is_filled_with(mapped, 2));
}

static void a_device_without_it_allocates(void **state)
{
    (void)state;
    FA_SCOPE;
    long created = sim->calls("cuMemCreate");
    setenv("CUDASIM_VIRTUAL", "0", 1);
    assert_true(is_filled_with(filled_with(OLD, 30 * MIB, 1), 1));
    unsetenv("CUDASIM_VIRTUAL");
    assert_int_equal(sim->calls("cuMemCreate"), created);
}

static void no_more_is_an_error(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(filled_with(SECOND, 2048 * MIB, 0));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    assert_true(use_memory());
}

/* ---- other devices ---- */
static void peers_reach_it(void **state)
{
    (void)state;
    FA_SCOPE;
    device(SECOND);
    fa_tensor *t = filled_with(FIRST, 70 * MIB, 4);
    assert_true(sim->reaches(FIRST, address(t), 70 * MIB));
    assert_true(sim->reaches(SECOND, address(t), 70 * MIB));
    assert_false(sim->reaches(LATE, address(t), 70 * MIB));
    fa_tensor *copy = fa_to(t, FA_CUDA(LATE)); /* which is opened now */
    assert_true(is_filled_with(copy, 4));
    assert_true(sim->reaches(LATE, address(t), 70 * MIB));
    assert_true(sim->reaches(FIRST, address(copy), 70 * MIB));
}

/* ---- the simulator ---- */
static void what_is_not_mapped_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = filled_with(LATE, 30 * MIB, 1);
    fa__cuda_device *o = fa__cuda_own(device(LATE));
    char byte = 0;
    CUdeviceptr beyond = (uintptr_t)address(t) + 1024 * MIB;
    assert_true(FA__CUDA(o, cuMemcpyDtoHAsync_v2, &byte, beyond, 1, NULL) != CUDA_SUCCESS);
    assert_true(FA__CUDA(o, cuMemUnmap, (uintptr_t)address(t) + 2 * MIB, 2 * MIB) != CUDA_SUCCESS);
    assert_true(is_filled_with(t, 1));
}

/* In a process of its own, without cmocka's handlers of signals. */
static int access_beyond(void)
{
    FA_SCOPE;
    const volatile char *t = address(filled_with(FIRST, 30 * MIB, 1));
    return t ? t[1024 * MIB] : 1;
}

static void an_access_to_it_is_reported(void **state)
{
    (void)state;
    int ends[2], status = 0;
    char text[200] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], 2);
        execl("/proc/self/exe", "virtual", "beyond", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    assert_non_null(strstr(text, "where no memory is mapped"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(tensors_follow_each_other),      TEST(what_is_free_goes_back), TEST(peers_reach_it),
        TEST(fragments_become_a_large_block), TEST(a_failure_is_no_error),  TEST(a_first_failure_is_no_error),
        TEST(a_device_without_it_allocates),  TEST(no_more_is_an_error),    TEST(what_is_not_mapped_is_refused),
        TEST(an_access_to_it_is_reported),
    };
    setenv("CUDASIM_DEVICES", "8", 1);
    sim = test_cudasim();
    if (!sim) {
        printf("skipped: the simulator of CUDA is not here\n");
        return 77;
    }
    (void)argv;
    if (argc > 1)
        return access_beyond();
    return cmocka_run_group_tests_name("cuda_virtual", tests, NULL, NULL);
}
