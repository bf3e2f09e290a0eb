/* The ledger beside CUDA's own account, on the simulator or on a real GPU: this program stands between the library and
 * the driver, and counts copies, bytes, waits, loaded kernels and launches itself. An epoch of training with the digits
 * and an MLP on cuda:0 is compared, then a recorded step. On the simulator its counts of calls are the same, too: the
 * library calls the driver in no other way. */
#include "core/ledger.h"
#include "backend/gpu/cuda/cuda.h"
#include "base/clock.h"
#include "core/attribution.h"
#include "support/api_test.h"
#include "support/cudasim.h"
#include "support/digits_training.h"
#include <facula/graph.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cudasim_functions *sim; /* NULL: the GPU is a real one */

/* ---- the driver's account ---- */
typedef struct kind {
    uint64_t count, bytes;
    int64_t ns;
} kind;

/* The library's own, and no copies of anybody's data: looks, which are reads of a queue's fault word, and own writes,
 * of that word, or of what no function of the program asked for (a table of a list of launches). */
static struct {
    kind write, own, read, look, within, between, event_wait, stream_wait, load, pinned, launch;
} account;
static fa__cuda_api real;

static bool is_fault_word(CUdeviceptr at)
{
    const fa__device *d = fa__device_get(FA_CUDA(0));
    bool is = false;
    for (int i = 0; i < FA__GPU_QUEUES; i++) {
        const fa__gpu_queue *q = &fa__gpu_queues[fa__gpu_own(d)->number][i];
        uintptr_t word = (uintptr_t)q->word;
        is |= q->used && word && at >= word && at < word + FA__GPU_WORD;
    }
    return is;
}

static CUresult count(kind *k, size_t bytes, CUresult status)
{
    k->count++;
    k->bytes += bytes;
    return status;
}

static CUresult timed(kind *k, int64_t start, CUresult status)
{
    k->ns += fa__clock_ns() - start;
    return count(k, 0, status);
}

static CUresult write_memory(CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
    kind *k = is_fault_word(to) || !fa__called_by_program() ? &account.own : &account.write;
    return count(k, bytes, real.cuMemcpyHtoDAsync_v2(to, from, bytes, s));
}

static CUresult read_memory(void *to, CUdeviceptr from, size_t bytes, CUstream s)
{
    kind *k = is_fault_word(from) ? &account.look : &account.read;
    return count(k, bytes, real.cuMemcpyDtoHAsync_v2(to, from, bytes, s));
}

static CUresult copy_within(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    return count(&account.within, bytes, real.cuMemcpyDtoDAsync_v2(to, from, bytes, s));
}

static CUresult copy_between(CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes,
                             CUstream s)
{
    return count(&account.between, bytes, real.cuMemcpyPeerAsync(to, there, from, here, bytes, s));
}

static CUresult wait_for_event(CUevent e)
{
    int64_t start = fa__clock_ns();
    return timed(&account.event_wait, start, real.cuEventSynchronize(e));
}

static CUresult wait_for_stream(CUstream s)
{
    int64_t start = fa__clock_ns();
    return timed(&account.stream_wait, start, real.cuStreamSynchronize(s));
}

static CUresult load_module(CUmodule *out, const void *image)
{
    int64_t start = fa__clock_ns();
    return timed(&account.load, start, real.cuModuleLoadData(out, image));
}

static CUresult allocate_pinned(void **out, size_t size, unsigned flags)
{
    int64_t start = fa__clock_ns();
    return timed(&account.pinned, start, real.cuMemHostAlloc(out, size, flags));
}

static CUresult launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
                       unsigned shared, CUstream s, void **parameter, void **extra)
{
    return count(&account.launch, 0, real.cuLaunchKernel(f, gx, gy, gz, x, y, z, shared, s, parameter, extra));
}

static void open_account(void)
{
    assert_true(fa_synchronize(FA_CUDA(0)));
    memset(&account, 0, sizeof account);
    fa_transfers_reset();
    real = fa__cuda;
    fa__cuda.cuMemcpyHtoDAsync_v2 = write_memory;
    fa__cuda.cuMemcpyDtoHAsync_v2 = read_memory;
    fa__cuda.cuMemcpyDtoDAsync_v2 = copy_within;
    fa__cuda.cuMemcpyPeerAsync = copy_between;
    fa__cuda.cuEventSynchronize = wait_for_event;
    fa__cuda.cuStreamSynchronize = wait_for_stream;
    fa__cuda.cuModuleLoadData = load_module;
    fa__cuda.cuMemHostAlloc = allocate_pinned;
    fa__cuda.cuLaunchKernel = launch;
}

/* What is under way ends first, and is in the account and the ledger. */
static void close_account(void)
{
    assert_true(fa_synchronize(FA_CUDA(0)));
    fa__cuda = real;
}

/* ---- the simulator's ---- */
static const char *const traced[] = {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2",
                                     "cuMemcpyPeerAsync",    "cuEventSynchronize",   "cuStreamSynchronize",
                                     "cuModuleLoadData",     "cuMemHostAlloc",       "cuLaunchKernel"};
enum { TRACED = sizeof traced / sizeof *traced };

static void trace(long calls[TRACED])
{
    for (int i = 0; i < TRACED; i++)
        calls[i] = sim ? sim->calls(traced[i]) : 0;
}

static void compare_trace(const long before[TRACED])
{
    const uint64_t noted[] = {account.write.count + account.own.count,
                              account.read.count + account.look.count,
                              account.within.count,
                              account.between.count,
                              account.event_wait.count,
                              account.stream_wait.count,
                              account.load.count,
                              account.pinned.count,
                              account.launch.count};
    long after[TRACED];
    trace(after);
    for (int i = 0; i < TRACED && sim; i++)
        if (after[i] - before[i] != (long)noted[i])
            fail_msg("%s: %ld calls, and %lu were noted", traced[i], after[i] - before[i], (unsigned long)noted[i]);
}

/* ---- the tests ---- */
static void compare_copies(const training *t, int64_t took)
{
    fa_transfers ledger = fa_transfers_total();
    assert_int_equal(ledger.to_device, account.write.count);
    assert_int_equal(ledger.bytes_to_device, account.write.bytes);
    assert_int_equal(ledger.to_host, account.read.count);
    assert_int_equal(ledger.bytes_to_host, account.read.bytes);
    assert_int_equal(ledger.between, 0);
    assert_int_equal(account.between.count, 0);
    assert_true(ledger.copy_ns > 0 && (int64_t)ledger.copy_ns < took);
    /* and it is what the program asked for: the parameters, each sample's pixels and class, the losses */
    assert_int_equal(ledger.bytes_to_device, fa_module_nbytes(t->net) + (size_t)t->samples * (64 * 4 + 8));
    assert_int_equal(ledger.bytes_to_host, t->reads * 4);
}

/* Nothing is missed. Work may have come to its end when the driver was about to be asked: then the ledger has one more.
 */
static void compare_waits(void)
{
    fa_transfers ledger = fa_transfers_total();
    uint64_t inside = account.load.count + account.pinned.count; /* each is an implicit wait */
    uint64_t waits = account.event_wait.count + account.stream_wait.count;
    int64_t ns = account.event_wait.ns + account.stream_wait.ns + account.load.ns + account.pinned.ns;
    assert_true(ledger.implicit >= inside);
    assert_true(waits <= ledger.waits + ledger.implicit - inside);
    assert_true(ledger.implicit - inside <= waits);
    assert_true((int64_t)(ledger.wait_ns + ledger.implicit_ns) >= ns);
}

static void an_epoch_is_in_the_ledger_as_the_driver_saw_it(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) { /* kernels are loaded in the first one */
        FA_SCOPE;
        long before[TRACED];
        open_account();
        trace(before);
        int64_t start = fa__clock_ns();
        training t = training_new(FA_CUDA(0));
        training_epoch(&t);
        close_account();
        assert_no_error();
        assert_int_equal(t.samples, 1438);
        assert_true(t.reads == 4 && t.loss > 0 && t.loss < 2.2); /* ln 10 is 2.3 */
        assert_true(turn ? account.load.count == 0 : account.load.count > 5);
        assert_true(account.look.count > 0 && account.launch.count > 45 * 5);
        compare_copies(&t, fa__clock_ns() - start);
        compare_waits();
        compare_trace(before);
    }
}

/* A replay without CUDA's graphs launches what the step does that was recorded, and copies nothing. */
static void a_replay_has_the_launches_of_the_step(void **state)
{
    (void)state;
    FA_SCOPE;
    training t = training_new(FA_CUDA(0));
    fa_tensor *input = fa_randn(FA_SHAPE(DIGITS_BATCH, 64), .device = FA_CUDA(0));
    fa_tensor *target = fa_zeros(FA_SHAPE(DIGITS_BATCH), .dtype = FA_I64, .device = FA_CUDA(0));
    for (int i = 0; i < 2; i++)
        training_step(&t, input, target);
    open_account();
    training_step(&t, input, target);
    close_account();
    const uint64_t launches = account.launch.count;
    assert_true(launches > 10);
    fa_graph *g = fa_graph_new(FA_CUDA(0));
    FA_RECORD(g)
    training_step(&t, input, target);
    setenv("FACULA_CUDA_GRAPHS", "0", 1);
    assert_true(fa_graph_replay(g));
    open_account();
    assert_true(fa_graph_replay(g));
    close_account();
    unsetenv("FACULA_CUDA_GRAPHS");
    assert_int_equal(account.launch.count, launches);
    assert_int_equal(account.load.count + account.write.count + account.read.count + account.within.count, 0);
    assert_int_equal(fa_transfers_total().to_device + fa_transfers_total().to_host, 0);
    assert_no_error();
}

static int end(void **state)
{
    (void)state;
    if (real.cuInit)
        fa__cuda = real;
    return 0;
}

int main(void)
{
    setenv("FACULA_COMPILE_THREADS", "0", 1); /* launches are counted where they are issued */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_epoch_is_in_the_ledger_as_the_driver_saw_it, api_begin, end),
        cmocka_unit_test_setup_teardown(a_replay_has_the_launches_of_the_step, api_begin, end),
    };
    const char *why;
    if (!fa_device_count("cuda", &why)) {
        printf("skipped: there is no CUDA: %s\n", why);
        return 77;
    }
    sim = test_cudasim();
    return cmocka_run_group_tests_name("cuda_ledger", tests, NULL, NULL);
}
