/* OpenCL's devices: which there are, or why there are none; forks, and the end of a process. The program runs itself
 * again in other environments. */
#include "support/opencl.h"
#include "support/process.h"
#include <unistd.h>

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
    const fa__gpu_device *g = opencl_device(1)->own;
    assert_true(g->driver == &fa__opencl_driver && g->number != ((fa__gpu_device *)opencl_device(0)->own)->number
                && g->max_group >= GROUP && g->max_args >= 1024);
    assert_int_equal(p.bit_equal, g->bit_equal);
    assert_string_not_equal(((fa__gpu_device *)opencl_device(0)->own)->identity, "");
    setenv("FACULA_DEVICE", "opencl:1", 1);
    assert_true(fa_device_equal(fa_device_best(), FA_OPENCL(1)));
    unsetenv("FACULA_DEVICE");
    bool gpus = fa__opencl_gpus() > 0;
    assert_int_equal(fa_device_best().kind, gpus ? FA__OPENCL : FA__CPU);
    assert_int_equal(fa_device_of("opencl:gpu").kind, gpus ? FA__OPENCL : -1);
    if (!gpus)
        assert_non_null(
            strstr(fa_error_message(), "none of the devices of that kind is a GPU; there are: cpu, opencl:0"));
    fa_error_clear();
}

/* However many queues one device has, others have as many. */
static void streams_of_one_device_leave_others_theirs(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) { /* the second time they are there already */
        FA_SCOPE;
        int count = 0;
        while (fa_stream_new(FA_OPENCL(0)))
            count++;
        assert_true(count > 8);
        assert_int_equal(fa_error_code(), FA_ERROR_DEVICE);
        fa_error_clear();
        fa_stream *s = fa_stream_new(FA_OPENCL(1));
        assert_non_null(s);
        FA_USE(.stream = s);
        assert_true(fa_item(fa_sum(fa_ones(FA_SHAPE(3), .device = FA_OPENCL(1)))) == 3);
    }
}

static void a_limit_holds(void **state)
{
    (void)state;
    fa_empty_cache(FA_OPENCL(0));
    assert_true(fa_memory_limit(FA_OPENCL(0), fa_memory_stats(FA_OPENCL(0)).reserved + (1 << 20)));
    assert_null(fa__storage_new(opencl_device(0), 8 << 20, opencl_device(0)->queue));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    assert_non_null(strstr(fa_error_message(), "out of memory on opencl:0: 8388608 bytes were asked for"));
    fa_error_clear();
    assert_true(fa_memory_limit(FA_OPENCL(0), 0));
    fa__unref(new_storage(FA_OPENCL(0), 8 << 20));
    assert_true(fa_memory_stats(FA_OPENCL(0)).reserved >= 8 << 20);
    fa_empty_cache(FA_OPENCL(0));
}

/* ---- processes ---- */
static bool says_forked(void)
{
    bool says = fa_error_code() == FA_ERROR_STATE && strstr(fa_error_message(), "the process was forked");
    fa_error_clear();
    return says;
}

/* All that asks for a device agrees that it is not there. */
static bool device_is_gone(fa_stream *s)
{
    const char *why;
    return !fa_synchronize(FA_OPENCL(0)) && says_forked() && !fa_stream_new(FA_OPENCL(0)) && says_forked()
           && !fa_stream_synchronize(s) && says_forked() && !fa_is_available(FA_OPENCL(0))
           && !fa_zeros(FA_SHAPE(2), .device = FA_OPENCL(1)) && says_forked() && fa_device_of("opencl:0").kind == -1
           && says_forked() && fa_device_count("opencl", &why) == 0 && strstr(why, "the process was forked")
           && fa_device_best().kind == FA__CPU && !fa_failed();
}

static void in_the_child_of_a_fork_calls_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_stream *s = fa_stream_new(FA_OPENCL(0));
    fa__gpu_kernel slow = build_kernel(0, "slow");
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE), *c = filled(0, SIZE);
    assert_true(copy(&op_to, b, a));
    wrote(b, launch_slow(b->device->queue, &slow, b->data, 3000000));
    assert_true(copy(&op_back, c, b)); /* under way when the child is made: it has it all the same */
    fa__device *device = opencl_device(0);
    fflush(NULL);
    fa_transfers_reset();
    pid_t child = fork();
    if (child == 0) {
        bool good = fa__before_read(c, NULL, &op_back) && *(int *)c->data == 1;
        good = good && !copy(&op_to, b, a) && says_forked();
        good = good && device_is_gone(s);
        fa__opencl_driver.kernel_free(device, slow.handle);
        fa__unref(a);
        fa__unref(b);
        fa__unref(c);
        fa__devices_close();
        _exit(good && !fa_failed() ? 0 : 1); /* leaks of the driver, whose threads are gone, are not ours */
    }
    assert_int_equal(fa_transfers_total().waits, 1); /* the fork's */
    assert_int_equal(status_of(child), 0);
    assert_int_equal(first_of(b), 1);
    drop_kernel(0, &slow);
    fa__unref(a);
    fa__unref(b);
    fa__unref(c);
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
    good = good && fa_device_of("opencl:gpu").kind == -1 && fa_error_code() == FA_ERROR_UNAVAILABLE
           && strstr(fa_error_message(), words);
    fa_error_clear();
    return good ? 0 : 1;
}

static cl_int second_is_gpu(cl_device_id d, cl_uint what, size_t size, void *out, size_t *had)
{
    static cl_device_id first;
    first = first ? first : d;
    cl_int status = opencl_real.clGetDeviceInfo(d, what, size, out, had);
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
    opencl_real = fa__opencl;
    fa__opencl.clGetDeviceInfo = second_is_gpu;
    bool good = fa__opencl_gpus() == 1 && fa_device_equal(fa_device_best(), FA_OPENCL(0))
                && fa_device_equal(fa_device_of("opencl:gpu"), FA_OPENCL(0)) && fa_device_info(FA_OPENCL(0), &p)
                && p.clock == 4321 && fa_device_info(FA_OPENCL(1), &p) && p.clock != 4321;
    fa_error_clear();
    return good && fa_device_of("late:gpu").kind == -1 ? fa_error_clear(), 0 : 1;
}

/* What the second device says in place of the truth. */
static const struct lie {
    const char *word; /* of the case */
    cl_uint what;
    cl_ulong number; /* or a text */
    const char *text;
    const char *reason;
} lies[] = {
    {"unavailable", CL_DEVICE_AVAILABLE, 0, NULL, " is not available"},
    {"old", CL_DEVICE_VERSION, 0, "OpenCL 1.1 old", " has no OpenCL 1.2"},
    {"no-compiler", CL_DEVICE_COMPILER_AVAILABLE, 0, NULL, " has no compiler"},
    {"big-endian", CL_DEVICE_ENDIAN_LITTLE, 0, NULL, " is big-endian"},
    {"custom", CL_DEVICE_TYPE, CL_DEVICE_TYPE_CUSTOM, NULL, " runs no kernels"},
    {"embedded", CL_DEVICE_PROFILE, 0, "EMBEDDED_PROFILE", " has OpenCL's embedded profile"},
    {"groups", CL_DEVICE_MAX_WORK_GROUP_SIZE, 128, NULL, " has groups of 128 work-items at most, and kernels have 256"},
    {"arguments", CL_DEVICE_MAX_PARAMETER_SIZE, 256, NULL,
     " takes 256 bytes of arguments at most, and kernels have 1024"},
};
enum { LIES = sizeof lies / sizeof *lies };
static const struct lie *chosen;

static cl_int second_lies(cl_device_id d, cl_uint what, size_t size, void *out, size_t *had)
{
    static cl_device_id first;
    first = first ? first : d;
    cl_int status = opencl_real.clGetDeviceInfo(d, what, size, out, had);
    if (what == chosen->what && d != first && chosen->text)
        snprintf(out, size, "%s", chosen->text);
    else if (what == chosen->what && d != first)
        memcpy(out, &chosen->number, size);
    return status;
}

/* The first device is there, and of the second one it is said why not: where devices are counted and listed. */
static int second_cannot_be_used(void)
{
    const char *why;
    if (!fa__opencl_load(&why))
        return 1;
    opencl_real = fa__opencl;
    fa__opencl.clGetDeviceInfo = second_lies;
    bool good =
        fa_device_count("opencl", &why) == 1 && !strncmp(why, "device 1 of ", 12) && strstr(why, chosen->reason);
    good = good && fa_device_of("opencl:1").kind == -1 && fa_error_code() == FA_ERROR_DEVICE
           && strstr(fa_error_message(), "; opencl, not available: device 1 of ")
           && strstr(fa_error_message(), chosen->reason);
    if (!good)
        fprintf(stderr, "%s: \"%s\", \"%s\"\n", chosen->word, why, fa_error_message());
    fa_error_clear();
    return good && fa_device_info(FA_OPENCL(0), &(fa_device_properties){.units = 0}) ? 0 : 1;
}

/* The process ends with work that nobody waits for. */
static int end_early(void)
{
    fa__gpu_kernel slow = build_kernel(0, "slow"); /* it is compiled to its end while it is launched */
    fa__storage *a = filled(0, SIZE), *b = new_storage(FA_OPENCL(0), SIZE);
    copy(&op_to, b, a);
    launch_slow(b->device->queue, &slow, b->data, 10000000);
    drop_kernel(0, &slow);
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
    for (chosen = lies; chosen < lies + LIES; chosen++)
        if (!strcmp(word, chosen->word))
            return second_cannot_be_used();
    return !strcmp(word, "gpu") ? gpus_come_first() : !strcmp(word, "early") ? end_early() : there_is_none(word);
}

static void where_there_is_no_opencl_the_reason_is_told(void **state)
{
    (void)state;
    assert_int_equal(run_again("FACULA_OPENCL_LIBRARY", "libno-such-library.so", "libno-such-library.so"), 0);
    assert_int_equal(run_again("FACULA_OPENCL_LIBRARY", "libm.so.6", "libm.so.6 has no clGetPlatformIDs"), 0);
    assert_int_equal(run_again("OCL_ICD_VENDORS", "/no/such/folder/", "CL_PLATFORM_NOT_FOUND_KHR"), 0);
}

static void of_what_cannot_be_used_the_reason_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < LIES; i++)
        assert_int_equal(run_again("POCL_DEVICES", "pthread pthread", lies[i].word), 0);
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

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        TEST(devices_have_names_and_properties),
        TEST(a_limit_holds),
        TEST(streams_of_one_device_leave_others_theirs),
        TEST(in_the_child_of_a_fork_calls_fail),
        TEST(where_there_is_no_opencl_the_reason_is_told),
        TEST(gpus_are_the_first_devices),
        TEST(of_what_cannot_be_used_the_reason_is_told),
        TEST(a_process_may_end_with_work_under_way),
        TEST(a_process_may_end_while_its_kernels_are_compiled),
    };
    if (count > 1)
        return run_word(words[1]);
    return opencl_there() ? cmocka_run_group_tests_name("opencl_devices", tests, NULL, NULL) : TEST_SKIPPED;
}
