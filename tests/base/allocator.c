/* An embedding program's allocator: asked for everything, given back everything with its size, refused when late. A
 * program of its own, since it is set before anything else. */
#include "base/alloc.h"
#include "base/base_test.h"
#include "base/error.h"
#include "base/small.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t bytes, blocks;
static atomic_bool refuse;

static void *allocate(void *context, size_t size, size_t alignment)
{
    assert_ptr_equal(context, &bytes);
    assert_true(size > 0 && alignment >= 16 && (alignment & (alignment - 1)) == 0);
    void *memory;
    if (refuse || posix_memalign(&memory, alignment, size))
        return NULL;
    bytes += (int64_t)size;
    blocks++;
    return memory;
}

static void release(void *context, void *memory, size_t size)
{
    assert_ptr_equal(context, &bytes);
    assert_non_null(memory);
    bytes -= (int64_t)size;
    blocks--;
    free(memory);
}

static fa_allocator mine = {.allocate = allocate, .release = release, .context = &bytes};

static void test_incomplete(void **state)
{
    (void)state;
    fa_allocator half = {.allocate = allocate};
    assert_false(fa_set_allocator(&half));
    assert_int_equal(fa_error_code(), FA_ERROR_ARGUMENT);
    fa_error_clear();
}

static void test_set(void **state)
{
    (void)state;
    assert_true(fa_set_allocator(&mine));
    assert_true(fa_set_allocator(NULL));
    assert_true(fa_set_allocator(&mine));
    void *p[] = {fa__malloc(100), fa__calloc(3, 7), fa__aligned(4096, 100)};
    assert_int_equal(blocks, 3);
    assert_int_equal((uintptr_t)p[2] % 4096, 0);
    for (int i = 0; i < 21; i++)
        assert_int_equal(((char *)p[1])[i], 0);
    memset(p[0], 5, 100);
    p[0] = fa__realloc(p[0], 1000);
    assert_int_equal(((char *)p[0])[99], 5);
    p[0] = fa__realloc(p[0], 10);
    assert_int_equal(((char *)p[0])[9], 5);
    for (int i = 0; i < 3; i++)
        fa__free(p[i]);
    assert_int_equal(blocks, 0);
    assert_int_equal(bytes, 0);
}

static void test_late(void **state)
{
    (void)state;
    assert_false(fa_set_allocator(&mine));
    assert_int_equal(fa_error_code(), FA_ERROR_STATE);
    fa_error_clear();
}

static void test_refusing(void **state)
{
    (void)state;
    void *p = fa__malloc(8);
    refuse = true;
    assert_null(fa__malloc(8));
    assert_null(fa__realloc(p, 80));
    assert_null(fa__calloc(1, 8));
    assert_null(fa__small_alloc(64));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    refuse = false;
    fa__free(p);
    assert_null(fa__malloc(SIZE_MAX));
    fa_error_clear();
}

static void *in_thread(void *argument)
{
    (void)argument;
    fa__small_free(fa__small_alloc(64), 64);
    return NULL;
}

static void test_threads_give_back(void **state)
{
    (void)state;
    (void)in_thread(NULL);
    int64_t before = blocks;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
    pthread_join(thread, NULL);
    fa__small_end(fa__self);
    fa__small_stop();
    assert_true(fa__pools_off() || blocks < before);
    assert_int_equal(blocks, 0);
    assert_int_equal(bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_refusing),
        cmocka_unit_test(test_threads_give_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
