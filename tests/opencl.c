/* OpenCL: devices and why there are none, copies, order, launches through the driver's table, faults, builds, what
 * fails, what is counted. Needs a platform, such as PoCL, which is given two devices here; without one it is skipped.
 * Copies are done twice, the second time through pinned memory. */
#define _GNU_SOURCE
#include "backend/gpu/opencl/opencl.h"
#include "backend/movement.h"
#include "base/alloc.h"
#include "base/error.h"
#include "core/ledger.h"
#include "core/order.h"
#include <facula/facula.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const fa__op op_to = {.name = "to"}, op_back = {.name = "cpu"}, op_copy = {.name = "copy_"};
enum { SIZE = 4096, GROUP = 64 };

static char *self; /* this program */
static fa__opencl_api real;
static char said[8192]; /* the log */

static void listen(void *context, fa_log_level level, const char *message)
{
    (void)context, (void)level;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s\n", message);
}

static fa__device *device(int i)
{
    fa__device *d = fa__device_get(FA_OPENCL(i));
    assert_non_null(d);
    return d;
}

static void use_pinned(bool pinned)
{
    for (int i = 0; i < 2; i++)
        fa__opencl_own(device(i))->pinned = pinned;
}

static int begin(void **state)
{
    (void)state;
    use_pinned(false);
    real = fa__opencl;
    said[0] = 0;
    fa_transfers_reset();
    fa_error_clear();
    return 0;
}

static int end(void **state)
{
    (void)state;
    fa__inject(0);
    fa_synchronize(FA_OPENCL(0));
    fa_synchronize(FA_OPENCL(1));
    if (memcmp(&fa__opencl, &real, sizeof real)) /* a test that failed left something in there */
        fa__opencl = real;
    fa__order_reap(true);
    use_pinned(false);
    if (fa_failed())
        print_message("left behind: %s\n", fa_error_message());
    return fa_failed() ? -1 : 0;
}

static fa__storage *new_storage(fa_device where, size_t size)
{
    fa__device *d = fa__device_get(where);
    assert_non_null(d);
    fa__storage *s = fa__storage_new(d, size, d->queue);
    assert_non_null(s);
    return s;
}

static fa__storage *filled(int value, size_t size)
{
    fa__storage *s = new_storage(FA_CPU, size);
    memset(s->data, value, size);
    return s;
}

static bool copy(const fa__op *op, fa__storage *to, fa__storage *from)
{
    return fa__move_bytes(op, to, 0, from, 0, to->bytes, true);
}

static bool all_are(const void *bytes, int value, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        if (byte[i] != value)
            return false;
    return true;
}

static bool holds(fa__storage *s, int value)
{
    if (s->device->host)
        return fa__before_read(s, NULL, &op_back) && all_are(s->data, value, s->bytes);
    fa__storage *host = new_storage(FA_CPU, s->bytes);
    bool same = copy(&op_back, host, s) && holds(host, value);
    fa__unref(host);
    return same;
}

/* ---- kernels of our own ---- */
#define HEAD "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void "
#define WORDS "(__global int *fault, const int careful, __global uchar *b, long at, "
static const char source[] =
    HEAD "add" WORDS "int value, long n) {\n"
         "    __global int *x = (__global int *)(b + at);\n"
         "    if (fault[0]) return;\n"
         "    if ((long)get_global_id(0) < n) x[get_global_id(0)] += value;\n"
         "}\n"
    /* 1 after a long time: x is 0 until then */
    HEAD "slow" WORDS "int turns) {\n"
         "    __global volatile int *x = (__global volatile int *)(b + at);\n"
         "    for (int i = 0; i < turns; i++) x[1] = x[1] * 3 + i;\n"
         "    if (get_global_id(0) == 0) x[0] = 1;\n"
         "}\n"
    /* what is beyond `size` is a fault */
    HEAD "check" WORDS "long size) {\n"
         "    __global int *x = (__global int *)(b + at);\n"
         "    if (fault[0]) return;\n"
         "    if (get_global_id(0) == 0 && x[0] >= size) {\n"
         "        fault[1] = 2; ((__global long *)fault)[1] = x[0]; ((__global long *)fault)[2] = size;\n"
         "        ((__global long *)fault)[3] = 7; fault[0] = 5;\n"
         "    }\n"
         "}\n";

static fa__gpu_kernel build(int d, const char *entry)
{
    fa__gpu_kernel k = {
        .handle = fa__opencl_driver.build(device(d), source, entry), .group = {GROUP, 1}, .name = entry};
    if (!k.handle)
        fail_msg("%s\n%s", fa_error_message(), said);
    return k;
}

static void drop(int d, fa__gpu_kernel *k)
{
    fa__opencl_driver.kernel_free(device(d), k->handle);
}

static uint64_t launch(fa__queue *q, const fa__gpu_kernel *k, uint64_t groups, const fa__gpu_arg *args, int count)
{
    pthread_mutex_lock(&q->device->lock);
    uint64_t ticket = fa__opencl_driver.launch(q, k, (uint64_t[3]){groups, 1, 1}, args, count);
    pthread_mutex_unlock(&q->device->lock);
    return ticket;
}

static uint64_t launch_add(fa__queue *q, const fa__gpu_kernel *k, void *data, int value, int64_t n)
{
    const fa__gpu_arg args[] = {{data, 0}, {&value, sizeof value}, {&n, sizeof n}};
    return launch(q, k, (uint64_t)(n + GROUP - 1) / GROUP, args, 3);
}

static uint64_t launch_slow(fa__queue *q, const fa__gpu_kernel *k, void *data, int turns)
{
    const fa__gpu_arg args[] = {{data, 0}, {&turns, sizeof turns}};
    return launch(q, k, 1, args, 2);
}

static uint64_t launch_check(fa__queue *q, const fa__gpu_kernel *k, void *data, int64_t size)
{
    const fa__gpu_arg args[] = {{data, 0}, {&size, sizeof size}};
    return launch(q, k, 1, args, 2);
}

static void wrote(fa__storage *s, uint64_t ticket)
{
    assert_true(ticket != 0);
    assert_true(fa__after_write(s, (fa__stamp){s->device->queue, ticket}, &op_copy));
}

static int first_of(fa__storage *s)
{
    fa__storage *host = new_storage(FA_CPU, s->bytes);
    int first = -1;
    if (copy(&op_back, host, s) && fa__before_read(host, NULL, &op_back))
        first = *(int *)host->data;
    fa__unref(host);
    return first;
}

/* ---- devices ---- */
static void devices_have_names_and_properties(void **state)
{
    (void)state;
    const char *why;
    assert_true(fa_device_count("opencl", &why) >= 2);
    assert_string_equal(why, "");
    assert_true(fa_device_equal(fa_device_of("opencl"), FA_OPENCL(0)));
    assert_true(fa_device_equal(fa_device_of("opencl:1"), FA_OPENCL(1)));
    assert_int_equal(fa_device_of("opencl:15").kind, -1);
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(strstr(fa_error_message(), "cpu, opencl:0, opencl:1"));
    fa_error_clear();
    fa_device_properties p;
    assert_true(fa_device_info(FA_OPENCL(1), &p));
    assert_true(p.name[0] && p.driver[0] && p.memory > 1 << 20 && p.units > 0);
    const fa__gpu_device *g = device(1)->own;
    assert_true(g->driver == &fa__opencl_driver && g->number != ((fa__gpu_device *)device(0)->own)->number
                && g->max_group >= GROUP && g->max_args >= 1024);
    assert_int_equal(p.bit_equal, g->bit_equal);
    assert_string_not_equal(fa__opencl_driver.identity(device(0)), "");
    setenv("FACULA_DEVICE", "opencl:1", 1);
    assert_true(fa_device_equal(fa_device_best(), FA_OPENCL(1)));
    unsetenv("FACULA_DEVICE");
    bool gpus = fa__opencl_gpus() > 0;
    assert_int_equal(fa_device_best().kind, gpus ? FA__OPENCL : FA__CPU);
    assert_int_equal(fa_device_of("opencl:gpu").kind, gpus ? FA__OPENCL : -1);
    fa_error_clear();
}

static void a_limit_holds(void **state)
{
    (void)state;
    fa_empty_cache(FA_OPENCL(0));
    assert_true(fa_memory_limit(FA_OPENCL(0), fa_memory_stats(FA_OPENCL(0)).reserved + (1 << 20)));
    assert_null(fa__storage_new(device(0), 8 << 20, device(0)->queue));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    assert_non_null(strstr(fa_error_message(), "out of memory on opencl:0: 8388608 bytes were asked for"));
    fa_error_clear();
    assert_true(fa_memory_limit(FA_OPENCL(0), 0));
    fa__unref(new_storage(FA_OPENCL(0), 8 << 20));
    assert_true(fa_memory_stats(FA_OPENCL(0)).reserved >= 8 << 20);
    fa_empty_cache(FA_OPENCL(0));
}

/* ---- copies ---- */
static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 7 + (i >> 8) * 3 + 1);
}

/* Host, device 0, device 1, device 1 at another offset, and back; what lies around stays. */
static void go_round(size_t size, size_t offset)
{
    size_t all = size + offset + 100;
    fa__storage *from = filled(0xEE, all), *to = filled(0xEE, all), *a = new_storage(FA_OPENCL(0), all),
                *b = new_storage(FA_OPENCL(1), all), *c = new_storage(FA_OPENCL(1), all);
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)from->data)[offset + i] = pattern(i);
    fa__storage *each[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        fa__storage *other = filled(0xAA, all);
        assert_true(copy(&op_to, each[i], other));
        fa__unref(other);
    }
    assert_true(fa__move_bytes(&op_to, a, offset, from, offset, size, true));
    assert_true(fa__move_bytes(&op_to, b, offset / 2, a, offset, size, true));
    assert_true(fa__move_bytes(&op_copy, c, offset, b, offset / 2, size, true));
    assert_true(copy(&op_back, to, c));
    assert_true(fa__before_read(to, NULL, &op_back));
    const unsigned char *byte = to->data;
    assert_true(all_are(byte, 0xAA, offset) && all_are(byte + offset + size, 0xAA, 100));
    for (size_t i = 0; i < size; i++)
        if (byte[offset + i] != pattern(i))
            fail_msg("byte %zu of %zu at %zu: %d, not %d", i, size, offset, byte[offset + i], pattern(i));
    for (int i = 0; i < 3; i++)
        fa__unref(each[i]);
    fa__unref(from);
    fa__unref(to);
}

static void copies_arrive_whole_and_nowhere_else(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 64, 511, SIZE, 65537, FA__OPENCL_CHUNK, 5 * FA__OPENCL_CHUNK + 3};
    static const size_t offsets[] = {0, 1, 63, 4098};
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++)
                go_round(sizes[i], offsets[k]);
    }
    assert_false(fa_failed());
}

static void copies_are_ordered_behind_slow_work(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        fa__gpu_kernel slow = build(0, "slow");
        fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE), *c = new_storage(FA_OPENCL(1), SIZE);
        assert_true(copy(&op_to, b, a));
        wrote(b, launch_slow(b->device->queue, &slow, b->data, 3000000));
        assert_true(copy(&op_to, c, b)); /* read after write, by the other device's queue */
        assert_false(fa__order_done(c));
        fa__storage *d = filled(9, SIZE);
        assert_true(copy(&op_copy, b, d)); /* write after read */
        assert_int_equal(first_of(c), 1);
        assert_true(holds(b, 9));
        drop(0, &slow);
        fa__unref(a);
        fa__unref(b);
        fa__unref(c);
        fa__unref(d);
    }
}

static void two_queues_of_a_device_are_ordered(void **state)
{
    (void)state;
    fa__device *d = device(0);
    fa__gpu_kernel slow = build(0, "slow"), add = build(0, "add");
    fa__queue *other = d->backend->queue_new(d);
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    uint64_t first = launch_slow(d->queue, &slow, b->data, 3000000);
    assert_true(d->backend->after(other, (fa__stamp){d->queue, first}));
    uint64_t second = launch_add(other, &add, b->data, 10, 1);
    assert_true(first && second);
    assert_true(d->backend->after(d->queue, (fa__stamp){other, second}));
    wrote(b, launch_add(d->queue, &add, b->data, 100, 1));
    assert_int_equal(first_of(b), 111);
    d->backend->queue_free(other);
    fa__queue *again = d->backend->queue_new(d);
    assert_ptr_equal(again, other); /* its tickets go on */
    assert_true(again->issued >= second);
    d->backend->queue_free(again);
    drop(0, &slow);
    drop(0, &add);
    fa__unref(a);
    fa__unref(b);
}

/* ---- at random ---- */
enum { STORAGES = 12, TURNS = 400 };

static uint32_t next(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

/* Copies between storages of three devices; the values that they should have are known. */
static bool shuffle(uint32_t random, int turns)
{
    static const size_t sizes[] = {16, SIZE, 300000};
    size_t size = sizes[next(&random) % 3];
    fa__storage *s[STORAGES];
    int value[STORAGES];
    bool good = true;
    for (int i = 0; i < STORAGES; i++) {
        fa__storage *host = filled(i, size);
        s[i] = i % 3 == 0 ? fa__ref(host) : new_storage(FA_OPENCL(i % 3 - 1), size);
        good &= i % 3 == 0 || copy(&op_to, s[i], host);
        value[i] = i;
        fa__unref(host);
    }
    for (int turn = 0; turn < turns && good; turn++) {
        uint32_t to = next(&random) % STORAGES, from = next(&random) % STORAGES, what = next(&random) % 8;
        if (what == 0 && to % 3 == 0) {
            good &= fa__before_write(s[to], NULL, &op_copy);
            value[to] = turn % 200;
            memset(s[to]->data, value[to], size);
        } else if (to != from) {
            if (what == 1) {
                fa_device where = s[to]->device->id;
                fa__unref(s[to]);
                s[to] = new_storage(where, size);
            }
            good &= copy(&op_copy, s[to], s[from]);
            value[to] = value[from];
        }
        if (what == 2)
            good &= holds(s[to], value[to]);
    }
    for (int i = 0; i < STORAGES; i++) {
        good &= holds(s[i], value[i]);
        fa__unref(s[i]);
    }
    return good;
}

static void *shuffle_in_thread(void *context)
{
    uint32_t *random = context;
    *random = shuffle(*random, TURNS) && !fa_failed();
    return NULL;
}

static void copies_at_random_give_the_values_of_the_model(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        pthread_t thread[3];
        uint32_t random[3] = {11, 22, 33};
        for (int i = 0; i < 3; i++)
            pthread_create(&thread[i], NULL, shuffle_in_thread, &random[i]);
        for (uint32_t i = 1; i <= 4; i++)
            assert_true(shuffle(i * 97, TURNS));
        for (int i = 0; i < 3; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(random[i], 1);
        }
    }
}

/* ---- launches ---- */
static void many_launches_are_done_in_order(void **state)
{
    (void)state;
    enum { LAUNCHES = 10000, COUNT = 1000 };
    fa__gpu_kernel add = build(0, "add");
    fa__storage *a = filled(0, COUNT * sizeof(int)), *b = new_storage(FA_OPENCL(0), a->bytes);
    assert_true(copy(&op_to, b, a));
    uint64_t ticket = 0, before = b->device->queue->issued;
    for (int i = 0; i < LAUNCHES; i++)
        ticket = launch_add(b->device->queue, &add, (char *)b->data + 4, i % 5, COUNT - 1);
    assert_int_equal(ticket - before, LAUNCHES);
    wrote(b, ticket);
    fa__storage *host = new_storage(FA_CPU, b->bytes);
    assert_true(copy(&op_back, host, b) && fa__before_read(host, NULL, &op_back));
    const int *x = host->data;
    assert_int_equal(x[0], 0);
    for (int i = 1; i < COUNT; i++)
        assert_int_equal(x[i], 2 * LAUNCHES);
    drop(0, &add);
    fa__unref(a);
    fa__unref(b);
    fa__unref(host);
}

static void a_full_queue_waits_and_that_is_counted(void **state)
{
    (void)state;
    fa__gpu_kernel slow = build(0, "slow"), add = build(0, "add");
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    uint64_t ticket = launch_slow(b->device->queue, &slow, b->data, 30000000);
    for (int i = 0; i < 2 * FA__OPENCL_OPEN; i++)
        ticket = launch_add(b->device->queue, &add, b->data, 1, 1);
    wrote(b, ticket);
    assert_true(fa_transfers_total().implicit >= 1);
    assert_true(fa_transfers_total().implicit_ns > 0);
    assert_int_equal(first_of(b), 1 + 2 * FA__OPENCL_OPEN);
    drop(0, &slow);
    drop(0, &add);
    fa__unref(a);
    fa__unref(b);
}

static void nobody_has_to_wait_for_work_to_be_done(void **state)
{
    (void)state;
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    for (int i = 0; i < 5000 && !fa__order_done(b); i++)
        usleep(1000);
    assert_true(fa__order_done(b));
    fa__unref(a);
    fa__unref(b);
}

static void scratch_memory_is_the_queues(void **state)
{
    (void)state;
    fa__device *d = device(0);
    fa__gpu_kernel add = build(0, "add");
    uint64_t before = fa_memory_stats(FA_OPENCL(0)).allocated;
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    for (size_t size = 100; size <= 4 << 20; size *= 8) {
        void *scratch = fa__opencl_driver.scratch(d->queue, size);
        assert_non_null(scratch);
        assert_true((char *)scratch + size <= (char *)b->data || (char *)b->data + SIZE <= (char *)scratch);
        assert_true(launch_add(d->queue, &add, scratch, 1, (int64_t)size / 4) != 0);
    }
    assert_true(fa_memory_stats(FA_OPENCL(0)).allocated > before + SIZE);
    assert_null(fa__opencl_driver.scratch(d->queue, 0));
    assert_true(holds(b, 0));
    fa__unref(a);
    fa__unref(b);
    assert_int_equal(fa_memory_stats(FA_OPENCL(0)).allocated, before);
    drop(0, &add);
}

/* ---- faults ---- */
static void a_fault_surfaces_where_the_host_waits(void **state)
{
    (void)state;
    fa__device *d = device(0);
    fa__gpu_kernel add = build(0, "add"), check = build(0, "check");
    check.faults = true;
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 10; i++)
            assert_true(launch_check(d->queue, &check, b->data, 8) != 0); /* all is well */
        uint64_t good = launch_add(d->queue, &add, b->data, 9, 1);
        check.name = "the guilty one";
        uint64_t wrong = launch_check(d->queue, &check, b->data, 8);
        check.name = "check";
        assert_true(launch_check(d->queue, &check, b->data, 4) != 0);
        uint64_t behind = launch_add(d->queue, &add, b->data, 1000, 1); /* writes nothing */
        d->backend->wait(d->queue, good);
        assert_false(fa_failed());
        assert_true(wrong && behind);
        d->backend->wait(d->queue, behind);
        assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
        assert_string_equal(fa_error_message(),
                            "opencl:0: kernel the guilty one: index 9 is out of range for dimension 2 of size 8 "
                            "(element 7 of the indices)");
        fa_error_clear();
        wrote(b, launch_add(d->queue, &add, b->data, -9, 1)); /* later work runs again */
        assert_int_equal(first_of(b), 0);
        assert_false(fa_failed());
    }
    drop(0, &add);
    drop(0, &check);
    fa__unref(a);
    fa__unref(b);
}

static void a_fault_tells_of_its_launch(void **state)
{
    (void)state;
    static const fa__field fields[] = {{.name = "x", .kind = FA__TENSOR}};
    static const fa__op gather = {.name = "gather", .fields = fields, .nfields = 1, .id = 3};
    fa__opencl_queue *q = (fa__opencl_queue *)device(0)->queue;
    fa__gpu_kernel check = build(0, "check");
    check.faults = true;
    fa__storage *a = filled(1, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    fa__launch *l = calloc(1, sizeof *l + 2 * sizeof l->operand[0]);
    l->op = &gather;
    l->operands = 2;
    l->outputs = 1;
    l->operand[1] = (fa__operand){.data = b->data, .kind = FA__MEMORY, .dtype = FA_F32, .rank = 1, .shape = {5}};
    q->launch = l;
    uint64_t ticket = launch_check(&q->base, &check, b->data, 5);
    q->launch = NULL;
    free(l); /* it is not needed any more */
    q->base.device->backend->wait(&q->base, ticket);
    assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
    assert_string_equal(fa_error_message(),
                        "fa_gather(x=(5,) f32 opencl:0): index 16843009 is out of range for dimension 2 of size 5 "
                        "(element 7 of the indices)");
    fa_error_clear();
    drop(0, &check);
    fa__unref(a);
    fa__unref(b);
}

/* ---- builds ---- */
static void a_build_that_fails_shows_the_log(void **state)
{
    (void)state;
    const fa__gpu_driver *v = &fa__opencl_driver;
    assert_null(v->build(device(0), HEAD "wrong" WORDS "int n) {\n    n = no_such_name;\n}\n", "wrong"));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(
        strstr(fa_error_message(), "opencl:0: kernel wrong was not built: CL_BUILD_PROGRAM_FAILURE (-11): "));
    assert_non_null(strstr(fa_error_message(), "no_such_name"));
    assert_non_null(strstr(said, "no_such_name"));
    fa_error_clear();
    assert_null(v->build(device(1), source, "absent"));
    assert_string_equal(fa_error_message(), "opencl:1: clCreateKernel failed: CL_INVALID_KERNEL_NAME (-46)");
    fa_error_clear();
}

static int builds;
static cl_int build_status;

static cl_int failing_build(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                            void (*done)(cl_program, void *), void *context)
{
    builds++;
    if (build_status != CL_SUCCESS)
        return build_status;
    return real.clBuildProgram(p, n, d, options, done, context);
}

/* An expression that no other test has; NULL and an error where it cannot be compiled. */
static fa_tensor *compute(const fa_tensor *x)
{
    return fa_pointwise("x * 17.25 - 3", x);
}

/* What the compiler refused it would refuse again; without memory it may go well the next time. */
static void a_kernel_that_cannot_be_built_is_not_tried_again(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_ones(FA_SHAPE(5)), FA_OPENCL(1)), *y = fa_to(fa_ones(FA_SHAPE(5)), FA_OPENCL(0));
    char first[1024];
    const char *folder = getenv("FACULA_CACHE_DIR");
    char *before = folder ? strdup(folder) : NULL;
    setenv("FACULA_CACHE_DIR", "off", 1);
    fa__opencl.clBuildProgram = failing_build;
    builds = 0;
    build_status = CL_OUT_OF_HOST_MEMORY;
    for (int turn = 1; turn <= 2; turn++) {
        assert_null(compute(x));
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        assert_int_equal(builds, turn);
        fa_error_clear();
    }
    build_status = -11; /* CL_BUILD_PROGRAM_FAILURE */
    assert_null(compute(x));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(strstr(fa_error_message(), "compiling 'x * 17.25 - 3' for opencl:1"));
    assert_non_null(strstr(fa_error_message(), "CL_BUILD_PROGRAM_FAILURE"));
    snprintf(first, sizeof first, "%s", fa_error_message());
    fa_error_clear();
    assert_int_equal(builds, 3);
    build_status = CL_SUCCESS;
    assert_null(compute(x));
    assert_string_equal(fa_error_message(), first);
    fa_error_clear();
    assert_int_equal(builds, 3);
    assert_true(fa_item(fa_sum(compute(y))) == 5 * 14.25); /* the other device's is another kernel */
    fa__opencl = real;
    setenv("FACULA_CACHE_DIR", before ? before : "", 1);
    if (!before)
        unsetenv("FACULA_CACHE_DIR");
    free(before);
}

static void compiled_kernels_can_be_kept(void **state)
{
    (void)state;
    const fa__gpu_driver *v = &fa__opencl_driver;
    for (int d = 0; d < 2; d++) {
        fa__gpu_kernel add = build(d, "add");
        size_t size = 0;
        unsigned char *bytes = v->binary(device(d), add.handle, &size);
        assert_true(bytes && size > 100);
        drop(d, &add);
        add.handle = v->load(device(d), bytes, size, "add");
        assert_non_null(add.handle);
        fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(d), SIZE);
        assert_true(copy(&op_to, b, a));
        wrote(b, launch_add(b->device->queue, &add, b->data, 5, 1));
        assert_int_equal(first_of(b), 5);
        assert_null(v->load(device(d), bytes, size, "absent"));
        memset(bytes, 'x', size);
        assert_null(v->load(device(d), bytes, size, "add"));
        assert_null(v->load(device(d), bytes, 0, "add"));
        assert_false(fa_failed());
        drop(d, &add);
        fa__free(bytes);
        fa__unref(a);
        fa__unref(b);
    }
}

/* ---- what is counted ---- */
static _Atomic int64_t profiled, profiled_events;

static cl_int profile(cl_event e, cl_uint what, size_t size, void *out, size_t *had)
{
    cl_int status = real.clGetEventProfilingInfo(e, what, size, out, had);
    int64_t time = (int64_t) * (cl_ulong *)out;
    profiled += what == CL_PROFILING_COMMAND_END ? time : -time;
    profiled_events += what == CL_PROFILING_COMMAND_END;
    return status;
}

static _Atomic int64_t transferred; /* bytes that the driver was told to move between places */

static cl_int count_write(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, const void *from,
                          cl_uint n, const cl_event *list, cl_event *e)
{
    transferred += (int64_t)size;
    return real.clEnqueueWriteBuffer(q, m, block, at, size, from, n, list, e);
}

static cl_int count_read(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, void *to, cl_uint n,
                         const cl_event *list, cl_event *e)
{
    transferred += (int64_t)size;
    return real.clEnqueueReadBuffer(q, m, block, at, size, to, n, list, e);
}

static void the_ledger_has_the_times_of_the_events(void **state)
{
    (void)state;
    enum { BIG = 3 * FA__OPENCL_CHUNK };
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        fa_transfers_reset();
        profiled = profiled_events = transferred = 0;
        fa__opencl.clGetEventProfilingInfo = profile;
        fa__opencl.clEnqueueWriteBuffer = count_write;
        fa__opencl.clEnqueueReadBuffer = count_read;
        fa__storage *a = filled(3, BIG), *b = new_storage(FA_OPENCL(0), BIG), *c = new_storage(FA_OPENCL(1), BIG),
                    *d = new_storage(FA_OPENCL(1), BIG);
        assert_true(copy(&op_to, b, a));
        assert_true(copy(&op_to, c, b));
        assert_true(copy(&op_copy, d, c)); /* within a device: not counted */
        assert_true(holds(d, 3));
        fa_synchronize(FA_OPENCL(0));
        fa_transfers t = fa_transfers_total();
        assert_int_equal(t.to_device, 1);
        assert_int_equal(t.to_host, 1);
        assert_int_equal(t.between, 1);
        assert_int_equal(t.bytes_to_device, BIG);
        assert_int_equal(t.bytes_to_host, BIG);
        assert_int_equal(t.bytes_between, BIG);
        assert_true(t.waits >= 1);
        assert_true(profiled > 0);
        assert_int_equal(t.copy_ns, profiled);
        assert_int_equal(profiled_events, pinned ? 3 + 6 + 3 : 3); /* chunks; between devices each is two */
        assert_int_equal(transferred, pinned ? 4 * BIG : 2 * BIG);
        fa__opencl = real;
        fa__unref(a);
        fa__unref(b);
        fa__unref(c);
        fa__unref(d);
    }
}

/* ---- what fails ---- */
static cl_int refuse_write(cl_command_queue q, cl_mem m, cl_bool block, size_t at, size_t size, const void *from,
                           cl_uint n, const cl_event *list, cl_event *e)
{
    (void)q, (void)m, (void)block, (void)at, (void)size, (void)from, (void)n, (void)list, (void)e;
    return CL_OUT_OF_RESOURCES;
}

static cl_mem no_buffer(cl_context c, cl_bitfield flags, size_t size, void *host, cl_int *status)
{
    (void)c, (void)flags, (void)size, (void)host;
    *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_int no_migration(cl_command_queue q, cl_uint n, const cl_mem *m, cl_bitfield flags, cl_uint events,
                           const cl_event *list, cl_event *e)
{
    (void)q, (void)n, (void)m, (void)flags, (void)events, (void)list, (void)e;
    return CL_OUT_OF_RESOURCES;
}

static cl_int no_callback(cl_event e, cl_int when, void (*call)(cl_event, cl_int, void *), void *context)
{
    (void)e, (void)when, (void)call, (void)context;
    return CL_OUT_OF_HOST_MEMORY;
}

static void what_the_driver_refuses_has_a_name(void **state)
{
    (void)state;
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        fa__opencl.clEnqueueWriteBuffer = refuse_write;
        assert_false(copy(&op_to, b, a));
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        assert_string_equal(fa_error_message(), "opencl:0: clEnqueueWriteBuffer failed: CL_OUT_OF_RESOURCES (-5)");
        fa_error_clear();
        fa__opencl = real;
        assert_true(copy(&op_to, b, a));
        assert_true(holds(b, 3));
    }
    fa__opencl.clSetEventCallback = no_callback; /* then work is waited for, and that is counted */
    assert_true(copy(&op_to, b, a));
    assert_true(fa__order_done(b));
    assert_true(fa_transfers_total().implicit >= 1);
    fa__unref(a);
    fa__unref(b);
}

static void a_device_without_memory_says_so(void **state)
{
    (void)state;
    size_t most = 64 << 20;
    fa__opencl.clCreateBuffer = no_buffer;
    assert_null(fa__storage_new(device(0), most, device(0)->queue));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    fa__opencl = real;
    fa__opencl.clEnqueueMigrateMemObjects = no_migration;
    assert_null(fa__storage_new(device(0), most, device(0)->queue));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    fa__opencl = real;
    fa__unref(new_storage(FA_OPENCL(0), most));
    fa_empty_cache(FA_OPENCL(0));
    assert_null(fa__storage_new(device(0), (size_t)1 << 45, device(0)->queue)); /* the real driver refuses that */
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
}

/* Each step of something like a program's; false after an error. */
static bool use_everything(void)
{
    fa__device *d = device(0);
    fa__queue *q = d->backend->queue_new(d);
    bool good = q != NULL;
    fa__storage *a = good ? fa__storage_new(fa__device_get(FA_CPU), SIZE, NULL) : NULL;
    fa__storage *b = a ? fa__storage_new(d, SIZE, q) : NULL, *c = b ? fa__storage_new(device(1), SIZE, NULL) : NULL;
    fa__gpu_kernel k = {.group = {GROUP, 1}, .faults = true, .name = "check"};
    if (c) {
        memset(a->data, 0, SIZE);
        good = copy(&op_to, b, a) && copy(&op_to, c, b) && copy(&op_back, a, c)
               && (k.handle = fa__opencl_driver.build(d, source, "check"));
    }
    good = good && c && d->backend->after(q, (fa__stamp){d->queue, d->queue->issued});
    void *scratch = good ? fa__opencl_driver.scratch(q, 100000) : NULL;
    good = scratch && launch_check(q, &k, b->data, 8) && launch_check(q, &k, scratch, INT64_MAX);
    if (q)
        d->backend->queue_free(q);
    if (k.handle)
        fa__opencl_driver.kernel_free(d, k.handle);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
    return good;
}

static void without_memory_of_the_host_there_are_errors(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        use_pinned(pinned);
        assert_true(use_everything());
        uint64_t before = fa_memory_stats(FA_OPENCL(0)).allocated;
        int failures = 0;
        for (int64_t nth = 1;; nth++, failures++) {
            fa_empty_cache(FA_OPENCL(0));
            fa__inject(nth);
            bool good = use_everything();
            bool reached = fa__inject_count() >= nth;
            fa__inject(0);
            fa_synchronize(FA_OPENCL(0));
            fa_synchronize(FA_OPENCL(1));
            fa__order_reap(true);
            assert_int_equal(fa_memory_stats(FA_OPENCL(0)).allocated, before);
            if (!reached) {
                assert_true(good);
                break;
            }
            if (!good)
                assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
            fa_error_clear();
        }
        assert_true(failures > 10);
    }
}

/* A callback that tells of a failure. */
static struct {
    void (*call)(cl_event, cl_int, void *);
    void *context;
} kept;

static void fail_back(cl_event e, cl_int status, void *context)
{
    (void)status, (void)context;
    kept.call(e, CL_OUT_OF_RESOURCES, kept.context);
}

static cl_int failing_callback(cl_event e, cl_int when, void (*call)(cl_event, cl_int, void *), void *context)
{
    kept.call = call;
    kept.context = context;
    return real.clSetEventCallback(e, when, fail_back, NULL);
}

static void a_lost_device_fails_its_tensors_and_others_go_on(void **state)
{
    (void)state;
    fa__storage *a = filled(3, SIZE), *b = new_storage(FA_OPENCL(1), SIZE), *c = new_storage(FA_OPENCL(0), SIZE);
    fa__opencl.clSetEventCallback = failing_callback;
    assert_true(copy(&op_to, b, a));
    fa__opencl = real;
    for (int i = 0; i < 5000 && !fa__order_done(b); i++)
        usleep(1000);
    for (int turn = 0; turn < 2; turn++) {
        assert_false(holds(b, 3));
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        assert_string_equal(fa_error_message(), "opencl:1 is lost: CL_OUT_OF_RESOURCES (-5)");
        fa_error_clear();
    }
    fa_synchronize(FA_OPENCL(1));
    assert_string_equal(fa_error_message(), "opencl:1: work of clEnqueueWriteBuffer failed: CL_OUT_OF_RESOURCES (-5)");
    fa_error_clear();
    assert_true(copy(&op_to, c, a));
    assert_true(holds(c, 3));
    atomic_store(&fa__opencl_own(device(1))->lost, 0); /* for the tests that follow */
    ((fa__opencl_queue *)device(1)->queue)->failed = 0;
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
}

/* ---- processes ---- */
static int status_of(pid_t child)
{
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void in_the_child_of_a_fork_calls_fail(void **state)
{
    (void)state;
    fa__gpu_kernel slow = build(0, "slow");
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    wrote(b, launch_slow(b->device->queue, &slow, b->data, 3000000));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool good = !copy(&op_to, b, a) && fa_error_code() == FA_ERROR_STATE
                    && strstr(fa_error_message(), "opencl:0: the process was forked");
        fa_error_clear();
        good = good && !fa__opencl_driver.build(device(0), source, "add") && fa_error_code() == FA_ERROR_STATE;
        fa_error_clear();
        good = good && fa_synchronize(FA_OPENCL(0)) && !fa_failed();
        drop(0, &slow);
        fa__unref(a);
        fa__unref(b);
        fa_empty_cache(FA_OPENCL(0));
        fa__devices_close();
        _exit(good && !fa_failed() ? 0 : 1); /* leaks of the driver, whose threads are gone, are not ours */
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(first_of(b), 1);
    drop(0, &slow);
    fa__unref(a);
    fa__unref(b);
}

/* Runs this program again with something else in its environment, and a word that names what it has to do there. */
static int run_again(const char *variable, const char *value, const char *word)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv(variable, value, 1);
        execl(self, self, word, (char *)NULL);
        _exit(99);
    }
    return status_of(child);
}

/* No devices, for a reason that has these words; and everything else works. */
static int there_is_none(const char *words)
{
    const char *why = "";
    if (fa_device_count("opencl", &why) || !strstr(why, words) || fa_device_best().kind == FA__OPENCL) {
        fprintf(stderr, "\"%s\" is not in \"%s\"\n", words, why);
        return 1;
    }
    bool good = fa_device_of("opencl:0").kind == -1 && fa_error_code() == FA_ERROR_UNAVAILABLE
                && strstr(fa_error_message(), words);
    fa_error_clear();
    good = good && fa_device_of("opencl:gpu").kind == -1 && fa_error_code() == FA_ERROR_DEVICE;
    fa_error_clear();
    return good ? 0 : 1;
}

static cl_int second_is_gpu(cl_device_id d, cl_uint what, size_t size, void *out, size_t *had)
{
    static cl_device_id first;
    first = first ? first : d;
    cl_int status = real.clGetDeviceInfo(d, what, size, out, had);
    if (what == CL_DEVICE_TYPE && d != first)
        *(cl_bitfield *)out = CL_DEVICE_TYPE_GPU;
    if (what == CL_DEVICE_MAX_CLOCK_FREQUENCY && d != first)
        *(cl_uint *)out = 4321;
    return status;
}

/* The second device says that it is a GPU: it is the first one then. */
static int gpus_come_first(void)
{
    const char *why;
    fa_device_properties p;
    if (!fa__opencl_load(&why))
        return 1;
    real = fa__opencl;
    fa__opencl.clGetDeviceInfo = second_is_gpu;
    bool good = fa__opencl_gpus() == 1 && fa_device_equal(fa_device_best(), FA_OPENCL(0))
                && fa_device_equal(fa_device_of("opencl:gpu"), FA_OPENCL(0)) && fa_device_info(FA_OPENCL(0), &p)
                && p.clock == 4321 && fa_device_info(FA_OPENCL(1), &p) && p.clock != 4321;
    fa_error_clear();
    return good && fa_device_of("late:gpu").kind == -1 ? fa_error_clear(), 0 : 1;
}

/* The process ends with work that nobody waits for. */
static int end_early(void)
{
    fa__gpu_kernel slow = build(0, "slow"); /* it is compiled to its end while it is launched */
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    copy(&op_to, b, a);
    launch_slow(b->device->queue, &slow, b->data, 10000000);
    drop(0, &slow);
    fa__unref(a);
    fa__unref(b);
    return 0;
}

/* Functions that were registered before OpenCL was used are called when it is no longer there. */
static void use_it_late(void)
{
    fa_tensor *x = fa_ones(FA_SHAPE(5), .device = FA_OPENCL(0));
    bool told = !x && fa_error_code() == FA_ERROR_STATE && strstr(fa_error_message(), "the process is ending");
    _exit(told ? 0 : 1);
}

/* The process ends while the driver's threads still compile what was launched, with no cache to find it in. */
static int end_while_compiling(bool late)
{
    if (late && atexit(use_it_late))
        return 1;
    setenv("FACULA_CACHE_DIR", "off", 1);
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_ones(FA_SHAPE(40, 50)), FA_OPENCL(0));
    return fa_matmul(fa_add(x, x), fa_t(x)) ? 0 : 1;
}

static int run_word(const char *word)
{
    if (!strcmp(word, "compiling") || !strcmp(word, "late"))
        return end_while_compiling(!strcmp(word, "late"));
    return !strcmp(word, "gpu") ? gpus_come_first() : !strcmp(word, "early") ? end_early() : there_is_none(word);
}

static void where_there_is_no_opencl_the_reason_is_told(void **state)
{
    (void)state;
    assert_int_equal(run_again("FACULA_OPENCL_LIBRARY", "libno-such-library.so", "libno-such-library.so"), 0);
    assert_int_equal(run_again("FACULA_OPENCL_LIBRARY", "libm.so.6", "libm.so.6 has no clGetPlatformIDs"), 0);
    assert_int_equal(run_again("OCL_ICD_VENDORS", "/no/such/folder/", "CL_PLATFORM_NOT_FOUND_KHR"), 0);
}

static void gpus_are_the_first_devices(void **state)
{
    (void)state;
    assert_int_equal(run_again("FACULA_DEVICE", "", "gpu"), 0);
}

static void a_process_may_end_with_work_under_way(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++)
        assert_int_equal(run_again("FACULA_OPENCL_PINNED", pinned ? "1" : "0", "early"), 0);
}

static void a_process_may_end_while_its_kernels_are_compiled(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        char folder[] = "/tmp/facula-XXXXXX", command[100];
        assert_non_null(mkdtemp(folder));
        int status = run_again("POCL_CACHE_DIR", folder, late ? "late" : "compiling");
        snprintf(command, sizeof command, "rm -rf %s", folder);
        assert_int_equal(system(command), 0);
        assert_int_equal(status, 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        TEST(devices_have_names_and_properties),
        TEST(a_limit_holds),
        TEST(copies_arrive_whole_and_nowhere_else),
        TEST(copies_are_ordered_behind_slow_work),
        TEST(two_queues_of_a_device_are_ordered),
        TEST(copies_at_random_give_the_values_of_the_model),
        TEST(many_launches_are_done_in_order),
        TEST(a_full_queue_waits_and_that_is_counted),
        TEST(nobody_has_to_wait_for_work_to_be_done),
        TEST(scratch_memory_is_the_queues),
        TEST(a_fault_surfaces_where_the_host_waits),
        TEST(a_fault_tells_of_its_launch),
        TEST(a_build_that_fails_shows_the_log),
        TEST(a_kernel_that_cannot_be_built_is_not_tried_again),
        TEST(compiled_kernels_can_be_kept),
        TEST(the_ledger_has_the_times_of_the_events),
        TEST(what_the_driver_refuses_has_a_name),
        TEST(a_device_without_memory_says_so),
        TEST(without_memory_of_the_host_there_are_errors),
        TEST(a_lost_device_fails_its_tensors_and_others_go_on),
        TEST(in_the_child_of_a_fork_calls_fail),
        TEST(where_there_is_no_opencl_the_reason_is_told),
        TEST(gpus_are_the_first_devices),
        TEST(a_process_may_end_with_work_under_way),
        TEST(a_process_may_end_while_its_kernels_are_compiled),
    };
    self = words[0];
    setenv("POCL_DEVICES", "pthread pthread", 0);
    if (count > 1)
        return run_word(words[1]);
    const char *why;
    if (fa_device_count("opencl", &why) < 2) {
        printf("skipped: there are no two OpenCL devices here: %s\n", why);
        return 77;
    }
    fa_set_log(listen, NULL);
    return cmocka_run_group_tests_name("opencl", tests, NULL, NULL);
}
