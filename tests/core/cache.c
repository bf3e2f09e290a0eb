/* The caching allocator: segment sizes, best fit, merging, queues, limits, statistics; against a model, from several
 * threads, with injected failures, and once more with FACULA_POOL=off. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/error.h"
#include "core/device.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB ((size_t)1024)
#define MIB ((size_t)1 << 20)

/* A source that counts, and that has only so much. */
typedef struct source {
    _Atomic size_t out, segments, asked;
    size_t most;
    fa__queue *queue; /* finished by `finish` */
} source;

static void *source_allocate(void *context, size_t size)
{
    source *s = context;
    s->asked++;
    if (s->most && s->out + size > s->most)
        return NULL;
    s->out += size;
    s->segments++;
    return fa__raw(64, size);
}

static void source_release(void *context, void *memory, size_t size)
{
    source *s = context;
    s->out -= size;
    s->segments--;
    fa__aligned_free(memory);
}

static void source_finish(void *context)
{
    source *s = context;
    if (s->queue)
        s->queue->done = s->queue->issued;
}

static fa__cache cache;
static source from;

static int begin(void **state)
{
    (void)state;
    from = (source){0};
    fa__cache_source s = {.allocate = source_allocate,
                          .release = source_release,
                          .finish = source_finish,
                          .context = &from,
                          .name = "test",
                          .host = true};
    fa__cache_init(&cache, s);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fa__cache_destroy(&cache);
    fa_error_clear();
    return from.out == 0 && from.segments == 0 ? 0 : -1;
}

static fa__block *take(size_t size)
{
    fa__block *b = fa__cache_take(&cache, size, NULL);
    assert_non_null(b);
    assert_non_null(fa__block_memory(b));
    assert_int_equal((uintptr_t)fa__block_memory(b) % 64, 0);
    memset(fa__block_memory(b), 1, size);
    return b;
}

static void give(fa__block *b)
{
    fa__cache_give(&cache, b, NULL, 0);
}

/* A request of `size` bytes is served by a block of `block` bytes from a segment, which is smaller on the host. */
static void segments_have_the_sizes_of_the_design(void **state)
{
    (void)state;
    static const struct {
        size_t size, host, device, block;
    } rows[] = {
        {1, 2 * MIB, 2 * MIB, 512},
        {512, 2 * MIB, 2 * MIB, 512},
        {513, 2 * MIB, 2 * MIB, 1024},
        {MIB, 2 * MIB, 2 * MIB, MIB},
        {MIB + 1, 10 * MIB, 20 * MIB, MIB + 512},
        {5 * MIB - 512, 10 * MIB, 20 * MIB, 5 * MIB - 512},
        {5 * MIB, 5 * MIB, 20 * MIB, 5 * MIB},
        {10 * MIB - 512, 10 * MIB, 20 * MIB, 10 * MIB - 512},
        {10 * MIB, 10 * MIB, 10 * MIB, 10 * MIB},
        {10 * MIB + 1, 11 * MIB, 12 * MIB, 10 * MIB + 512},
        {33 * MIB, 33 * MIB, 34 * MIB, 33 * MIB}, /* a rest of 1 MiB is not split off */
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        size_t size = rows[i / 2].size, block = rows[i / 2].block;
        cache.source.host = i % 2 == 0;
        size_t segment = cache.source.host ? rows[i / 2].host : rows[i / 2].device, rest = segment - block;
        fa__block *b = take(size);
        fa_memory m = fa__cache_stats(&cache);
        bool whole = size > MIB && rest <= MIB;
        assert_int_equal(m.reserved, segment);
        assert_int_equal(from.out, segment);
        assert_int_equal(m.allocated, whole ? segment : block);
        assert_int_equal(fa__block_size(b), m.allocated);
        assert_int_equal(m.requested.current, size);
        assert_int_equal(m.largest_free, whole ? 0 : rest);
        give(b);
        fa__cache_trim(&cache);
        assert_int_equal(fa__cache_stats(&cache).reserved, 0);
    }
}

static void nothing_is_a_block_of_its_own(void **state)
{
    (void)state;
    fa__block *b = fa__cache_take(&cache, 0, NULL);
    assert_non_null(b);
    assert_null(fa__block_memory(b));
    give(b);
    give(NULL);
    assert_int_equal(from.asked, 0);
    assert_int_equal(fa__cache_stats(&cache).blocks.total, 0);
}

static void the_best_fit_is_taken(void **state)
{
    (void)state;
    static const size_t sizes[] = {8 * KIB, 512, 4 * KIB, 512, 16 * KIB, 512};
    fa__block *b[6];
    for (int i = 0; i < 6; i++)
        b[i] = take(sizes[i]);
    void *middle = fa__block_memory(b[2]), *low = fa__block_memory(b[0]);
    give(b[0]);
    give(b[2]);
    give(b[4]);
    fa__block *fit = take(3 * KIB);
    assert_ptr_equal(fa__block_memory(fit), middle);
    fa__block *next = take(5 * KIB);
    assert_ptr_equal(fa__block_memory(next), low);
    give(fit);
    give(next);
    for (int i = 1; i < 6; i += 2)
        give(b[i]);
}

/* Large blocks of different sizes share a list. */
static void the_best_fit_of_large_blocks_is_taken(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        fa__block *a = take(3584 * KIB), *between = take(1152 * KIB), *b = take(3712 * KIB);
        fa__block *rest = take(1792 * KIB);
        assert_int_equal(from.out, 10 * MIB);
        void *exact = fa__block_memory(a), *larger = fa__block_memory(b);
        give(order ? b : a);
        give(order ? a : b);
        a = take(3584 * KIB);
        assert_ptr_equal(fa__block_memory(a), exact);
        b = take(3584 * KIB);
        assert_ptr_equal(fa__block_memory(b), larger);
        give(a);
        give(b);
        give(between);
        give(rest);
    }
}

static void neighbours_merge_in_any_order(void **state)
{
    (void)state;
    for (int order = 0; order < 6; order++) {
        static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        fa__block *b[3] = {take(10 * KIB), take(20 * KIB), take(30 * KIB)};
        for (int i = 0; i < 3; i++)
            give(b[orders[order][i]]);
        assert_int_equal(fa__cache_stats(&cache).largest_free, 2 * MIB);
    }
    assert_int_equal(from.asked, 1);
}

static void memory_is_used_again(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        give(take(100 * MIB));
        give(take(3 * MIB)); /* of the same segment */
        give(take(100));
    }
    assert_int_equal(from.asked, 2);
    fa__cache_trim(&cache);
    assert_int_equal(from.out, 0);
}

static void statistics_add_up(void **state)
{
    (void)state;
    fa__block *a = take(1000), *b = take(3000);
    fa_memory m = fa__cache_stats(&cache);
    assert_int_equal(m.allocated, 1024 + 3072);
    assert_int_equal(m.requested.current, 4000);
    assert_int_equal(m.blocks.current, 2);
    give(a);
    m = fa__cache_stats(&cache);
    assert_int_equal(m.allocated, 3072);
    assert_int_equal(m.peak, 4096);
    assert_int_equal(m.active.total, 4096);
    fa__cache_reset_peak(&cache);
    assert_int_equal(fa__cache_stats(&cache).peak, 3072);
    assert_int_equal(fa__cache_stats(&cache).requested.peak, 3000);
    give(b);
    m = fa__cache_stats(&cache);
    assert_int_equal(m.allocated, 0);
    assert_int_equal(m.peak, 3072);
    assert_int_equal(m.segments.total, 2 * MIB);
    fa__cache_count(&cache, 140000000000);
    assert_int_equal(fa__cache_stats(&cache).allocated, 140000000000);
    fa__cache_count(&cache, -140000000000);
    assert_int_equal(fa__cache_stats(&cache).allocated, 0);
}

static void a_queue_gets_its_own_memory_at_once(void **state)
{
    (void)state;
    fa__queue q = {.issued = 7, .done = 6}, other = {0};
    fa__block *b = fa__cache_take(&cache, 3 * MIB, &q);
    void *memory = fa__block_memory(b);
    fa__cache_give(&cache, b, &q, 7);
    fa__block *host = fa__cache_take(&cache, 3 * MIB, NULL);
    fa__block *elsewhere = fa__cache_take(&cache, 3 * MIB, &other);
    fa__block *again = fa__cache_take(&cache, 3 * MIB, &q);
    assert_ptr_not_equal(fa__block_memory(host), memory);
    assert_ptr_not_equal(fa__block_memory(elsewhere), memory);
    assert_ptr_equal(fa__block_memory(again), memory);
    fa__cache_give(&cache, again, &q, 7);
    q.done = 7;
    fa__block *now = fa__cache_take(&cache, 20 * MIB, NULL); /* merges what is done, but elsewhere is in the way */
    assert_non_null(now);
    give(host);
    give(elsewhere);
    give(now);
    assert_int_equal(fa__cache_stats(&cache).largest_free, 20 * MIB);
}

static void work_of_several_queues_is_waited_for(void **state)
{
    (void)state;
    fa__queue q = {.done = 0}, r = {.done = 0};
    fa__block *b = fa__cache_take(&cache, MIB, &q);
    void *memory = fa__block_memory(b);
    fa__cache_give_after(&cache, b, (fa__sync_point[]){{&q, 1}, {&r, 1}}, 2);
    fa__block *other = fa__cache_take(&cache, MIB, &q); /* r still reads it */
    assert_ptr_not_equal(fa__block_memory(other), memory);
    r.done = 1;
    fa__block *again = fa__cache_take(&cache, MIB, &q);
    assert_ptr_equal(fa__block_memory(again), memory);
    q.done = 1;
    give(other);
    give(again);
    assert_int_equal(fa__cache_stats(&cache).largest_free, 2 * MIB);
}

static void blocks_used_late_merge_when_done(void **state)
{
    (void)state;
    fa__queue q = {.done = 0}, r = {.done = 0};
    fa__block *b[4];
    for (int i = 0; i < 4; i++)
        b[i] = fa__cache_take(&cache, 512 * KIB, &q);
    for (int i = 0; i < 4; i++)
        fa__cache_give(&cache, b[i], i % 2 ? &q : &r, 1);
    assert_int_equal(fa__cache_stats(&cache).largest_free, 512 * KIB);
    q.done = r.done = 1;
    give(take(MIB));
    assert_int_equal(from.asked, 1);
    assert_int_equal(fa__cache_stats(&cache).largest_free, 2 * MIB);
}

/* Merged blocks wait for the work of both, whichever was freed first and on whichever side it lies. */
static void merged_blocks_wait_for_the_later_work(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++)
        for (int late = 1; late < 3; late++) {
            fa__queue q = {.issued = 2, .done = 0};
            fa__block *b[4];
            for (int i = 0; i < 4; i++)
                b[i] = fa__cache_take(&cache, 512 * KIB, &q);
            const char *memory = fa__block_memory(b[0]);
            fa__cache_give(&cache, b[first], &q, (uint64_t)late);
            fa__cache_give(&cache, b[1 - first], &q, (uint64_t)(3 - late));
            assert_int_equal(fa__cache_stats(&cache).largest_free, MIB);
            q.done = 1;
            fa__block *other[2] = {take(MIB), take(MIB)}; /* a segment */
            assert_ptr_not_equal(fa__block_memory(other[0]), memory);
            assert_ptr_not_equal(fa__block_memory(other[1]), memory);
            q.done = 2;
            fa__block *again = take(MIB);
            assert_ptr_equal(fa__block_memory(again), memory);
            give(other[0]);
            give(other[1]);
            give(again);
            give(b[2]);
            give(b[3]);
            fa__cache_trim(&cache);
        }
}

static void what_is_cut_off_a_block_waits_for_nothing_that_is_done(void **state)
{
    (void)state;
    static fa__queue queue; /* the cache's end looks at it */
    queue.issued = 2;
    queue.done = 0;
    fa__cache_give(&cache, take(20 * MIB), &queue, 1);
    queue.done = 1;
    fa__cache_give(&cache, take(10 * MIB), &queue, 2);
    give(take(10 * MIB)); /* the other half: it has not to do with the later work */
    assert_int_equal(from.asked, 1);
    queue.done = 2;
}

/* As a host that puts aside what a device copies later, and that never waits for all of it. */
static void what_is_done_is_used_again_though_later_work_goes_on(void **state)
{
    (void)state;
    static fa__queue queue;
    queue.issued = queue.done = 0;
    for (int i = 0; i < 20000; i++) {
        fa__block *b = take(2048);
        fa__cache_give(&cache, b, &queue, ++queue.issued);
        queue.done = queue.issued > 100 ? queue.issued - 100 : 0;
    }
    assert_true(from.out <= 4 * MIB);
    queue.done = queue.issued;
}

static void a_full_device_frees_the_cache_first(void **state)
{
    (void)state;
    from.most = 34 * MIB;
    fa__queue q = {.issued = 1, .done = 0};
    from.queue = &q;
    fa__block *a = fa__cache_take(&cache, 3 * MIB, &q), *b = fa__cache_take(&cache, 24 * MIB, &q);
    fa__cache_give(&cache, b, &q, 1);
    fa__block *c = take(22 * MIB); /* b's segment cannot be used before q is finished, and is in the way */
    assert_int_equal(fa__cache_stats(&cache).retries, 1);
    assert_int_equal(from.out, 32 * MIB);
    give(a);
    give(c);
}

/* Its segment is not given back, as another block of it is in use: the block itself is handed out. */
static void on_a_full_device_what_was_waited_for_is_used_again(void **state)
{
    (void)state;
    from.most = 10 * MIB;
    fa__queue q = {.issued = 2, .done = 0}, other = {0};
    from.queue = &q;
    fa__block *a = fa__cache_take(&cache, 2 * MIB, &q), *b = fa__cache_take(&cache, 6 * MIB, &q);
    void *memory = fa__block_memory(b);
    fa__cache_give(&cache, b, &q, 2);
    fa__block *c = fa__cache_take(&cache, 6 * MIB, &other);
    assert_non_null(c);
    assert_ptr_equal(fa__block_memory(c), memory);
    assert_int_equal(q.done, 2);
    fa__block *d = fa__cache_take(&cache, 3 * MIB, &other); /* nothing is left to wait for */
    assert_null(d);
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    give(a);
    give(c);
}

/* There is no room for a small segment, but a large one has room. */
static void on_a_full_device_small_blocks_come_from_large_segments(void **state)
{
    (void)state;
    from.most = 10 * MIB;
    enum { BLOCKS = 5 }; /* of 1 MiB each, and the last one of 2 */
    fa__block *a = take(4 * MIB), *b[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        b[i] = take(1000);
    assert_int_equal(from.out, 10 * MIB);
    assert_null(fa__cache_take(&cache, 1000, NULL));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    for (int rest = 0; rest < 2; rest++) {
        for (int i = 1 - rest; i < BLOCKS; i += 2)
            give(b[i]);
        give(take(1000)); /* one of these, though there is none but of 1 MiB at first */
    }
    give(a);
    assert_int_equal(fa__cache_stats(&cache).largest_free, 10 * MIB);
}

static void a_nearly_full_device_gives_small_segments(void **state)
{
    (void)state;
    from.most = 3 * MIB;
    fa__block *a = take(1000), *b = take(MIB); /* both of one segment */
    fa__block *c = take(MIB);
    assert_int_equal(from.out, 3 * MIB);
    give(a);
    give(b);
    give(c);
}

static void a_limit_may_be_reached(void **state)
{
    (void)state;
    fa__cache_set_limit(&cache, 4 * MIB, 0);
    fa__block *b[] = {take(MIB), take(MIB), take(MIB)};
    assert_int_equal(from.out, 4 * MIB);
    assert_int_equal(fa__cache_stats(&cache).retries, 0);
    for (int i = 0; i < 3; i++)
        give(b[i]);
}

static void running_out_is_an_error_with_the_figures(void **state)
{
    (void)state;
    fa__cache_set_limit(&cache, 4 * MIB, 0);
    fa__block *a = take(MIB + 512 * KIB);
    assert_null(fa__cache_take(&cache, 3 * MIB, NULL));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    assert_string_equal(
        fa_error_message(),
        "out of memory on test: 3145728 bytes were asked for; allocated 1572864, reserved 1572864, free "
        "0 of these, largest free block 0, limit 4194304 (0: none)");
    fa_memory m = fa__cache_stats(&cache);
    assert_int_equal(m.failures, 1);
    assert_int_equal(m.retries, 2);
    fa_error_clear();
    static const size_t impossible[] = {SIZE_MAX, SIZE_MAX - 511, SIZE_MAX / 2, PTRDIFF_MAX};
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        assert_null(fa__cache_take(&cache, impossible[i], NULL));
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
        fa_error_clear();
    }
    give(a);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int failures = 0;
    for (int64_t nth = 1; nth < 100; nth++) {
        fa__block *b[3];
        fa__inject(nth);
        for (int i = 0; i < 3; i++) {
            b[i] = fa__cache_take(&cache, (size_t)(i + 1) * 1500 * KIB, NULL);
            if (!b[i]) {
                assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
                fa_error_clear();
                failures++;
            }
        }
        int64_t seen = fa__inject_count();
        fa__inject(0);
        for (int i = 0; i < 3; i++)
            give(b[i]);
        assert_int_equal(fa__cache_stats(&cache).allocated, 0);
        fa__cache_trim(&cache);
        assert_int_equal(from.out, 0);
        if (seen < nth)
            break;
    }
    assert_true(failures >= 6);
}

/* ---- many blocks at random ---- */
enum { SLOTS = 200 };

static uint32_t next(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

static size_t some_size(uint32_t *random)
{
    static const size_t most[] = {100, 4 * KIB, 4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB};
    return 1 + next(random) % most[next(random) % 7];
}

typedef struct job {
    pthread_t thread;
    uint32_t random;
    int turns;
    fa__queue queue;
    bool overlap;
} job;

/* Writes its number to both ends of each block, and looks whether it is still there. */
static void *at_random(void *context)
{
    job *j = context;
    fa__block *block[SLOTS] = {0};
    uint64_t sign[SLOTS] = {0}, count = j->random;
    size_t size[SLOTS] = {0};
    for (int i = 0; i < j->turns; i++) {
        uint32_t k = next(&j->random) % SLOTS;
        if (block[k]) {
            char *at = fa__block_memory(block[k]);
            if (size[k] >= 16)
                j->overlap |= memcmp(at, &sign[k], 8) || memcmp(at + size[k] - 8, &sign[k], 8);
            bool late = next(&j->random) % 4 == 0;
            fa__cache_give(&cache, block[k], late ? &j->queue : NULL, late ? ++j->queue.issued : 0);
            block[k] = NULL;
        } else {
            size[k] = some_size(&j->random);
            block[k] = fa__cache_take(&cache, size[k], &j->queue);
            sign[k] = count += 0x9e3779b97f4a7c15;
            if (block[k] && size[k] >= 16) {
                memcpy(fa__block_memory(block[k]), &sign[k], 8);
                memcpy((char *)fa__block_memory(block[k]) + size[k] - 8, &sign[k], 8);
            }
        }
        if (next(&j->random) % 64 == 0)
            j->queue.done = j->queue.issued;
        if (next(&j->random) % 2048 == 0)
            fa__cache_trim(&cache);
    }
    for (int k = 0; k < SLOTS; k++)
        give(block[k]);
    return NULL;
}

static void threads_share_a_cache(void **state)
{
    (void)state;
    job j[4] = {0};
    for (int i = 0; i < 4; i++) {
        j[i].random = (uint32_t)i * 77 + 5;
        j[i].turns = 20000;
        pthread_create(&j[i].thread, NULL, at_random, &j[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(j[i].thread, NULL);
        assert_false(j[i].overlap);
        j[i].queue.done = j[i].queue.issued;
    }
    fa_memory m = fa__cache_stats(&cache);
    assert_int_equal(m.allocated, 0);
    assert_int_equal(m.requested.current, 0);
    assert_int_equal(m.blocks.current, 0);
    assert_int_equal(m.reserved, from.out);
    fa__cache_trim(&cache);
    assert_int_equal(from.out, 0);
}

static void without_a_pool_each_block_is_an_allocation(void **state)
{
    (void)state;
    fa__queue q = {.issued = 1, .done = 0};
    fa__block *a = take(1000), *b = fa__cache_take(&cache, 4 * MIB, &q);
    assert_int_equal(from.segments, 2);
    assert_int_equal(from.out, 1024 + 4 * MIB);
    give(a);
    assert_int_equal(from.out, 4 * MIB);
    fa__cache_give(&cache, b, &q, 1);
    assert_int_equal(from.segments, 1);
    q.done = 1;
    give(take(1));
    assert_int_equal(from.segments, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

static int without_pools(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_a_pool_each_block_is_an_allocation),
        TEST(nothing_is_a_block_of_its_own),
        TEST(every_allocation_may_fail),
        TEST(threads_share_a_cache),
    };
    return cmocka_run_group_tests_name("without pools", tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argc;
    if (fa__pools_off())
        return without_pools();
    const struct CMUnitTest tests[] = {
        TEST(segments_have_the_sizes_of_the_design),
        TEST(nothing_is_a_block_of_its_own),
        TEST(the_best_fit_is_taken),
        TEST(the_best_fit_of_large_blocks_is_taken),
        TEST(neighbours_merge_in_any_order),
        TEST(memory_is_used_again),
        TEST(statistics_add_up),
        TEST(a_queue_gets_its_own_memory_at_once),
        TEST(work_of_several_queues_is_waited_for),
        TEST(merged_blocks_wait_for_the_later_work),
        TEST(blocks_used_late_merge_when_done),
        TEST(what_is_cut_off_a_block_waits_for_nothing_that_is_done),
        TEST(what_is_done_is_used_again_though_later_work_goes_on),
        TEST(a_full_device_frees_the_cache_first),
        TEST(on_a_full_device_what_was_waited_for_is_used_again),
        TEST(on_a_full_device_small_blocks_come_from_large_segments),
        TEST(a_nearly_full_device_gives_small_segments),
        TEST(a_limit_may_be_reached),
        TEST(running_out_is_an_error_with_the_figures),
        TEST(every_allocation_may_fail),
        TEST(threads_share_a_cache),
    };
    int failed = cmocka_run_group_tests_name("cache", tests, NULL, NULL);
    if (failed)
        return failed;
    setenv("FACULA_POOL", "off", 1);
    execv("/proc/self/exe", argv);
    return 1;
}
