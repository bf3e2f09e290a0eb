/* The small objects' free lists: every size, across threads, the cap and the depot, the end of threads. */
#include "base/small.h"
#include "base/base_test.h"
#include "base/error.h"
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 5000 };

static void test_every_size(void **state)
{
    (void)state;
    unsigned char *object[1100];
    for (size_t size = 1; size < 1100; size++) {
        object[size] = (unsigned char *)fa__small_alloc(size);
        assert_non_null(object[size]);
        assert_int_equal((uintptr_t)object[size] % (size <= FA__SMALL_MOST ? 32 : 16), 0);
        memset(object[size], (int)(size & 255), size);
    }
    for (size_t size = 1; size < 1100; size++) {
        for (size_t i = 0; i < size; i++)
            assert_int_equal(object[size][i], size & 255);
        fa__small_free(object[size], size);
    }
    fa__small_free(NULL, 8);
    fa__small_free(NULL, 8000);
}

static void test_reused(void **state)
{
    (void)state;
    if (fa__pools_off())
        skip();
    void *a = fa__small_alloc(33);
    fa__small_free(a, 33);
    void *b = fa__small_alloc(64);
    assert_ptr_equal(a, b);
    fa__small_free(b, 64);
}

static void take_many(void **object, size_t size)
{
    for (size_t i = 0; i < MANY; i++) {
        object[i] = fa__small_alloc(size);
        assert_non_null(object[i]);
        memcpy(object[i], &i, sizeof i);
    }
}

static void give_many(void **object, size_t size)
{
    for (size_t i = 0; i < MANY; i++) {
        size_t kept;
        memcpy(&kept, object[i], sizeof kept);
        assert_int_equal(kept, i);
        fa__small_free(object[i], size);
    }
}

static void test_many(void **state)
{
    (void)state;
    static void *object[MANY];
    for (size_t size = 8; size <= 1024; size *= 2)
        for (int round = 0; round < 3; round++) {
            take_many(object, size);
            give_many(object, size);
        }
}

/* How many free objects a thread keeps of one size. */
static size_t kept(size_t size)
{
    fa__small_list *list = &fa__self->small[(size - 1) / FA__SMALL_STEP];
    size_t count = 0;
    for (void *lists[] = {list->head, list->full}, **l = lists; l < lists + 2; l++)
        for (void *at = *l; at; count++) {
            void **link = fa__mark_link(at);
            fa__mark_used(link, sizeof *link);
            at = *link;
            fa__mark_free(link, sizeof *link);
        }
    return count;
}

static void test_cap(void **state)
{
    (void)state;
    static void *object[MANY];
    take_many(object, 64);
    give_many(object, 64);
    assert_true(kept(64) * 64 <= 2 * 16384);
    assert_true(fa__pools_off() || kept(64) > 0);
}

typedef struct handed {
    void *object[MANY];
} handed;

static void *make(void *argument)
{
    take_many(((handed *)argument)->object, 96);
    return NULL;
}

static void *unmake(void *argument)
{
    give_many(((handed *)argument)->object, 96);
    return NULL;
}

static void run(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, argument), 0);
    pthread_join(thread, NULL);
}

static void test_across_threads(void **state)
{
    (void)state;
    static handed h;
    for (int round = 0; round < 4; round++) {
        make(&h);
        run(unmake, &h); /* a thread that only frees */
        run(make, &h);   /* and whose objects outlive it */
        unmake(&h);
    }
    take_many(h.object, 96);
    void *low = h.object[0], *high = h.object[0]; /* the same memory over and over: it does not grow */
    for (int i = 0; i < MANY; i++) {
        low = h.object[i] < low ? h.object[i] : low;
        high = h.object[i] > high ? h.object[i] : high;
    }
    give_many(h.object, 96);
    assert_true(fa__pools_off() || (char *)high - (char *)low < 16 << 20);
}

/* Objects go round a ring of mailboxes while everybody makes and frees. */
static struct {
    pthread_mutex_t lock;
    void *object[64];
} mail = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *mingle(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1103515245 + 12345;
        size_t slot = seed >> 26;
        void *mine = fa__small_alloc(256);
        memset(mine, (int)slot, 256);
        pthread_mutex_lock(&mail.lock);
        void *theirs = mail.object[slot];
        mail.object[slot] = mine;
        pthread_mutex_unlock(&mail.lock);
        fa__small_free(theirs, 256);
    }
    return NULL;
}

static void test_mingling(void **state)
{
    (void)state;
    pthread_t thread[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, mingle, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 64; i++) {
        fa__small_free(mail.object[i], 256);
        mail.object[i] = NULL;
    }
}

static void *only_free(void *object)
{
    fa__small_free(object, 512); /* before this thread has any state */
    return NULL;
}

static void test_free_first(void **state)
{
    (void)state;
    run(only_free, fa__small_alloc(512));
}

static void test_fork(void **state)
{
    (void)state;
    static void *object[MANY];
    take_many(object, 128);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        give_many(object, 128);
        take_many(object, 128);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    give_many(object, 128);
}

static void test_stop_needs_all_home(void **state)
{
    (void)state;
    char *out = (char *)fa__small_alloc(32);
    fa__small_end(fa__self);
    fa__small_stop();
    memset(out, 1, 32); /* still there */
    fa__small_free(out, 32);
    fa__small_end(fa__self);
    fa__small_stop();
    out = (char *)fa__small_alloc(32); /* and it all begins anew */
    assert_non_null(out);
    fa__small_free(out, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_reused),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_across_threads),
        cmocka_unit_test(test_mingling),
        cmocka_unit_test(test_free_first),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_stop_needs_all_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
