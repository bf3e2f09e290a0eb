/* OpenCL's kernels: that they are built and kept, launched in order, and what is told of a fault. */
#include "base/alloc.h"
#include "support/error_reason.h"
#include "support/opencl.h"

/* ---- builds ---- */
static void a_build_that_fails_shows_the_log(void **state)
{
    (void)state;
    const fa__gpu_driver *v = &fa__opencl_driver;
    assert_null(v->build(opencl_device(0), KERNEL_HEAD "wrong" KERNEL_WORDS "int n) {\n    n = no_such_name;\n}\n",
                         "wrong", NULL, NULL));
    assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
    assert_non_null(
        strstr(fa_error_message(), "opencl:0: kernel wrong was not built: CL_BUILD_PROGRAM_FAILURE (-11): "));
    assert_non_null(strstr(fa_error_message(), "no_such_name"));
    assert_non_null(strstr(opencl_said, "no_such_name"));
    fa_error_clear();
    assert_null(v->build(opencl_device(1), opencl_source, "absent", NULL, NULL));
    assert_string_equal(error_reason(), "opencl:1: clCreateKernel failed: CL_INVALID_KERNEL_NAME (-46)");
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
    return opencl_real.clBuildProgram(p, n, d, options, done, context);
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
    snprintf(first, sizeof first, "%s", error_reason());
    fa_error_clear();
    assert_int_equal(builds, 3);
    build_status = CL_SUCCESS;
    assert_null(compute(x));
    assert_string_equal(error_reason(), first);
    fa_error_clear();
    assert_int_equal(builds, 3);
    assert_true(fa_item(fa_sum(compute(y))) == 5 * 14.25); /* the other device's is another kernel */
    fa__opencl = opencl_real;
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
        fa__gpu_kernel add = build_kernel(d, "add");
        size_t size = 0;
        void *bytes = NULL;
        drop_kernel(d, &add);
        add.handle = v->build(opencl_device(d), opencl_source, "add", &bytes, &size);
        assert_true(bytes && size > 100);
        drop_kernel(d, &add);
        add.handle = v->load_binary(opencl_device(d), bytes, size, "add");
        assert_non_null(add.handle);
        fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(d), SIZE);
        assert_true(copy(&op_to, b, a));
        wrote(b, launch_add(b->device->queue, &add, b->data, 5, 1));
        assert_int_equal(first_of(b), 5);
        assert_null(v->load_binary(opencl_device(d), bytes, size, "absent"));
        memset(bytes, 'x', size);
        assert_null(v->load_binary(opencl_device(d), bytes, size, "add"));
        assert_null(v->load_binary(opencl_device(d), bytes, 0, "add"));
        assert_false(fa_failed());
        drop_kernel(d, &add);
        fa__free(bytes);
        fa__unref(a);
        fa__unref(b);
    }
}

/* ---- launches ---- */
static void many_launches_are_done_in_order(void **state)
{
    (void)state;
    enum { LAUNCHES = 10000, COUNT = 1000 };
    fa__gpu_kernel add = build_kernel(0, "add");
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
    drop_kernel(0, &add);
    fa__unref(a);
    fa__unref(b);
    fa__unref(host);
}

static void a_full_queue_waits_and_that_is_counted(void **state)
{
    (void)state;
    fa__gpu_kernel slow = build_kernel(0, "slow"), add = build_kernel(0, "add");
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    uint64_t ticket = launch_slow(b->device->queue, &slow, b->data, 30000000);
    for (int i = 0; i < 2 * FA__GPU_OPEN; i++)
        ticket = launch_add(b->device->queue, &add, b->data, 1, 1);
    wrote(b, ticket);
    assert_true(fa_transfers_total().implicit >= 1);
    assert_true(fa_transfers_total().implicit_ns > 0);
    assert_int_equal(first_of(b), 1 + 2 * FA__GPU_OPEN);
    drop_kernel(0, &slow);
    drop_kernel(0, &add);
    fa__unref(a);
    fa__unref(b);
}

static void two_queues_of_a_device_are_ordered(void **state)
{
    (void)state;
    fa__device *d = opencl_device(0);
    fa__gpu_kernel slow = build_kernel(0, "slow"), add = build_kernel(0, "add");
    fa__queue *other = d->backend->queue_new(d);
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    uint64_t first = launch_slow(d->queue, &slow, b->data, 3000000);
    assert_true(d->backend->after(other, (fa__sync_point){d->queue, first}));
    uint64_t second = launch_add(other, &add, b->data, 10, 1);
    assert_true(first && second);
    assert_true(d->backend->after(d->queue, (fa__sync_point){other, second}));
    wrote(b, launch_add(d->queue, &add, b->data, 100, 1));
    assert_int_equal(first_of(b), 111);
    d->backend->queue_free(other);
    fa__queue *again = d->backend->queue_new(d);
    assert_ptr_equal(again, other); /* its tickets go on */
    assert_true(again->issued >= second);
    d->backend->queue_free(again);
    drop_kernel(0, &slow);
    drop_kernel(0, &add);
    fa__unref(a);
    fa__unref(b);
}

static void scratch_memory_is_the_operations(void **state)
{
    (void)state;
    fa__device *d = opencl_device(0);
    fa__gpu_kernel add = build_kernel(0, "add");
    uint64_t before = fa_memory_stats(FA_OPENCL(0)).allocated;
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    pthread_mutex_lock(&d->lock);
    fa__gpu_issue issue = fa__gpu_issue_begin(d->queue, NULL);
    for (size_t size = 100; size <= 4 << 20; size *= 8) {
        void *scratch = fa__gpu_scratch(&issue, size);
        assert_non_null(scratch);
        assert_true((char *)scratch + size <= (char *)b->data || (char *)b->data + SIZE <= (char *)scratch);
        int value = 1;
        int64_t n = (int64_t)size / 4;
        const fa__gpu_args args = {.arg = {{scratch, 0}, {&value, sizeof value}, {&n, sizeof n}}, .count = 3};
        assert_true(fa__gpu_launch_items(&issue, &add, n, &args) != 0);
    }
    assert_true(fa_memory_stats(FA_OPENCL(0)).allocated > before + SIZE);
    fa__gpu_issue_end(&issue);
    pthread_mutex_unlock(&d->lock);
    assert_true(holds(b, 0));
    fa__unref(a);
    fa__unref(b);
    assert_int_equal(fa_memory_stats(FA_OPENCL(0)).allocated, before);
    drop_kernel(0, &add);
}

/* ---- faults ---- */
static void a_fault_surfaces_where_the_host_waits(void **state)
{
    (void)state;
    fa__device *d = opencl_device(0);
    fa__gpu_kernel add = build_kernel(0, "add"), check = build_kernel(0, "check");
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
        assert_string_equal(error_reason(),
                            "opencl:0: kernel the guilty one: index 9 is out of range for dimension 2 of size 8 "
                            "(element 7 of the indices)");
        fa_error_clear();
        wrote(b, launch_add(d->queue, &add, b->data, -9, 1)); /* later work runs again */
        assert_int_equal(first_of(b), 0);
        assert_false(fa_failed());
    }
    drop_kernel(0, &add);
    drop_kernel(0, &check);
    fa__unref(a);
    fa__unref(b);
}

static void a_fault_tells_of_its_launch(void **state)
{
    (void)state;
    static const fa__field fields[] = {{.name = "x", .kind = FA__TENSOR}};
    static const fa__op gather = {.name = "gather", .fields = fields, .nfields = 1, .id = 3};
    fa__queue *q = opencl_device(0)->queue;
    fa__gpu_kernel check = build_kernel(0, "check");
    check.faults = true;
    fa__storage *a = filled(1, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    assert_true(copy(&op_to, b, a));
    fa__launch *l = calloc(1, sizeof *l + 2 * sizeof l->operand[0]);
    l->op = &gather;
    l->operands = 2;
    l->outputs = 1;
    l->operand[1] = (fa__operand){.data = b->data, .kind = FA__MEMORY, .dtype = FA_F32, .rank = 1, .shape = {5}};
    uint64_t ticket = launch_check_for(q, l, &check, b->data, 5);
    free(l); /* it is not needed any more */
    q->device->backend->wait(q, ticket);
    assert_int_equal(fa_error_code(), FA_ERROR_INDEX);
    assert_string_equal(error_reason(),
                        "fa_gather(x=(5,) f32 opencl:0): index 16843009 is out of range for dimension 2 of size 5 "
                        "(element 7 of the indices)");
    fa_error_clear();
    drop_kernel(0, &check);
    fa__unref(a);
    fa__unref(b);
}

int main(void)
{
    setenv("FACULA_COMPILE_THREADS", "0", 1); /* kernels are compiled where they are needed */
    const struct CMUnitTest tests[] = {
        TEST(a_build_that_fails_shows_the_log),
        TEST(a_kernel_that_cannot_be_built_is_not_tried_again),
        TEST(compiled_kernels_can_be_kept),
        TEST(many_launches_are_done_in_order),
        TEST(a_full_queue_waits_and_that_is_counted),
        TEST(two_queues_of_a_device_are_ordered),
        TEST(scratch_memory_is_the_operations),
        TEST(a_fault_surfaces_where_the_host_waits),
        TEST(a_fault_tells_of_its_launch),
    };
    return opencl_there() ? cmocka_run_group_tests_name("opencl_kernels", tests, NULL, NULL) : TEST_SKIPPED;
}
