/* Segments of the caching allocator that grow: what a request adds to them, what goes back from their ends and from
 * between blocks, memory in pieces that a cache without growth cannot use; and at random, with failures. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/error.h"
#include "core/device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define MIB ((size_t)1 << 20)

enum { PIECES = 4096, SEGMENTS = 64 };
static const size_t PIECE = 2 << 20;

/* A device with two ranges of addresses, whose pieces it has or has not, and with plain segments. */
static struct {
    char *range[2];
    bool there[2][PIECES];
    char *plain[SEGMENTS];
    size_t plain_size[SEGMENTS];
    size_t out, most, extended; /* bytes; `extended` counts calls */
    unsigned fail;              /* one of so many calls fails; 0: none */
} from;

static fa__cache cache;

static bool fails(size_t size)
{
    return from.out + size > from.most || (from.fail && rand() % (int)from.fail == 0);
}

static size_t top(int which)
{
    size_t n = PIECES;
    while (n && !from.there[which][n - 1])
        n--;
    return n;
}

static void *extend(void *context, bool small, void *end, size_t size)
{
    (void)context;
    size_t first = top(small), count = size / PIECE;
    char *memory = from.range[small] + first * PIECE;
    assert_int_equal(size % PIECE, 0);
    if (fails(size) || (end && end != memory) || first + count > PIECES)
        return NULL;
    memset(from.there[small] + first, 1, count);
    from.out += size;
    from.extended++;
    return memory;
}

static int range_of(const char *memory)
{
    for (int i = 0; i < 2; i++)
        if (memory >= from.range[i] && memory < from.range[i] + PIECES * PIECE)
            return i;
    return -1;
}

static size_t part(void *context, void **memory, size_t size)
{
    (void)context;
    int which = range_of(*memory);
    if (which < 0)
        return 0;
    size_t begin = (size_t)((char *)*memory - from.range[which]), first = (begin + PIECE - 1) / PIECE;
    size_t end = (begin + size) / PIECE;
    *memory = from.range[which] + first * PIECE;
    return end > first ? (end - first) * PIECE : 0;
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    int i = 0;
    while (from.plain[i])
        i++;
    if (fails(size))
        return NULL;
    from.out += size;
    from.plain_size[i] = size;
    return from.plain[i] = fa__raw(64, size);
}

static void release(void *context, void *memory, size_t size)
{
    (void)context;
    int which = range_of(memory);
    from.out -= size;
    if (which >= 0) {
        size_t first = (size_t)((char *)memory - from.range[which]) / PIECE;
        for (size_t i = first; i < first + size / PIECE; i++) {
            assert_true(from.there[which][i]);
            from.there[which][i] = false;
        }
        madvise(memory, size, MADV_DONTNEED);
        return;
    }
    int i = 0;
    while (from.plain[i] != memory)
        i++;
    assert_int_equal(from.plain_size[i], size);
    fa__aligned_free(memory);
    from.plain[i] = NULL;
}

static const fa__cache_growth growth = {extend, part};

static void open_cache(bool grows)
{
    fa__cache_init(&cache, (fa__cache_source){allocate, release, .name = "test"});
    if (grows)
        assert_true(fa__cache_grows(&cache, &growth));
}

static int begin(void **state)
{
    (void)state;
    memset(&from, 0, sizeof from);
    from.most = SIZE_MAX / 2;
    for (int i = 0; i < 2; i++)
        from.range[i] =
            mmap(NULL, PIECES * PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    open_cache(true);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fa__cache_destroy(&cache);
    for (int i = 0; i < 2; i++)
        munmap(from.range[i], PIECES * PIECE);
    fa_error_clear();
    return from.out == 0 ? 0 : -1;
}

static fa__block *take(size_t size)
{
    fa__block *b = fa__cache_take(&cache, size, NULL);
    assert_non_null(b);
    return b;
}

static void give(fa__block *b)
{
    fa__cache_give(&cache, b, NULL, 0);
}

static char *memory(const fa__block *b)
{
    return fa__block_memory(b);
}

static size_t reserved(void)
{
    size_t bytes = fa__cache_stats(&cache).reserved;
    assert_int_equal(bytes, from.out);
    return bytes;
}

/* ---- growth ---- */
static void requests_of_all_sizes_extend_one_segment(void **state)
{
    (void)state;
    fa__block *a = take(3 * MIB);
    assert_int_equal(reserved(), 20 * MIB);
    fa__block *b = take(30 * MIB); /* 17 MiB are there */
    assert_int_equal(reserved(), 34 * MIB);
    assert_ptr_equal(memory(b), memory(a) + 3 * MIB);
    fa__block *c = take(64 * MIB);
    assert_ptr_equal(memory(c), memory(b) + fa__block_size(b));
    fa__block *d = take(1000), *e = take(MIB), *f = take(MIB); /* small ones have a segment of their own */
    assert_ptr_equal(memory(e), memory(d) + fa__block_size(d));
    assert_ptr_equal(memory(f), memory(e) + MIB);
    assert_true(memory(d) == from.range[1]);
    assert_int_equal(from.extended, 5);
    fa__block *all[] = {a, b, c, d, e, f};
    for (int i = 0; i < 6; i++)
        give(all[i]);
    give(take(90 * MIB)); /* they are one block */
    assert_int_equal(from.extended, 5);
}

/* Memory behind the last block is not joined with what another queue may still use. */
static void what_another_queue_uses_is_not_extended(void **state)
{
    (void)state;
    fa__queue one = {.issued = 1}, other = {.issued = 0};
    fa__block *a = fa__cache_take(&cache, 20 * MIB, &one);
    char *begin_of_a = memory(a);
    fa__cache_give(&cache, a, &one, 1);
    fa__block *b = fa__cache_take(&cache, 30 * MIB, &other);
    assert_ptr_equal(memory(b), begin_of_a + 20 * MIB);
    fa__cache_give(&cache, b, &other, 0);
    fa__block *c = fa__cache_take(&cache, 40 * MIB, &other); /* b and 10 MiB more */
    assert_ptr_equal(memory(c), begin_of_a + 20 * MIB);
    assert_int_equal(reserved(), 60 * MIB);
    fa__cache_give(&cache, c, &other, 0);
    one.done = 1;
    fa__cache_trim(&cache);
    assert_int_equal(reserved(), 0);
}

static void a_limit_holds(void **state)
{
    (void)state;
    fa__cache_set_limit(&cache, 24 * MIB, 0);
    fa__block *a = take(10 * MIB), *b = take(14 * MIB);
    assert_null(fa__cache_take(&cache, 2 * MIB, NULL));
    assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
    assert_int_equal(reserved(), 24 * MIB);
    give(b);
    give(take(9 * MIB));
    give(a);
}

/* ---- what goes back ---- */
static void any_free_piece_goes_back(void **state)
{
    (void)state;
    fa__block *b[5];
    give(take(60 * MIB));
    for (int i = 0; i < 5; i++)
        memset(memory(b[i] = take(11 * MIB)), i, 11 * MIB);
    give(b[4]);
    fa__cache_trim(&cache); /* from 44 on */
    assert_int_equal(reserved(), 44 * MIB);
    give(b[1]);
    fa__cache_trim(&cache); /* from 12 to 22 */
    assert_int_equal(reserved(), 34 * MIB);
    assert_int_equal(fa__cache_stats(&cache).largest_free, MIB); /* in front of the gap */
    fa__block *c = take(10 * MIB);                               /* at the end again */
    assert_ptr_equal(memory(c), memory(b[3]) + 11 * MIB);
    for (int i = 0; i < 4; i++)
        for (size_t at = 0; i != 1 && at < 11 * MIB; at += 4096)
            assert_int_equal(memory(b[i])[at], i);
    give(b[2]);
    give(b[0]);
    give(c);
    give(b[3]);
    fa__cache_trim(&cache);
    assert_int_equal(reserved(), 0);
    give(take(2 * MIB));
    give(take(100));
}

/* Blocks of 20 MiB are between free ones of 40 MiB: without growth none of these can be used for a request of 100. */
static bool a_large_request_fits(bool grows)
{
    fa__block *kept[4], *freed[4];
    fa__cache_destroy(&cache);
    open_cache(grows);
    from.most = 240 * MIB;
    for (int i = 0; i < 4; i++) {
        give(take(60 * MIB));
        kept[i] = take(20 * MIB);
        freed[i] = take(40 * MIB);
    }
    for (int i = 0; i < 4; i++)
        give(freed[i]);
    fa__block *b = fa__cache_take(&cache, 100 * MIB, NULL);
    fa_error_clear();
    assert_true(from.out <= from.most);
    if (b)
        give(b);
    for (int i = 0; i < 4; i++)
        give(kept[i]);
    return b != NULL;
}

static void fragments_are_used_elsewhere(void **state)
{
    (void)state;
    assert_false(a_large_request_fits(false));
    assert_true(a_large_request_fits(true));
}

static void what_cannot_grow_is_allocated(void **state)
{
    (void)state;
    fa__block *a = take(10 * MIB);
    memset(from.there[0] + PIECES - 1, 1, 1); /* the range is full */
    fa__block *b = take(64 * MIB);
    assert_int_equal(range_of(memory(b)), -1);
    from.there[0][PIECES - 1] = false;
    give(a);
    give(b);
}

/* ---- at random ---- */
enum { HELD = 40, STEPS = 20000 };

static void stamp(const fa__block *b, size_t size, unsigned char with)
{
    memory(b)[0] = memory(b)[size - 1] = memory(b)[size / 2] = (char)with;
}

static void step(fa__block **held, size_t *size, int i)
{
    if (held[i]) {
        for (int k = 0; k < 3; k++)
            assert_int_equal((unsigned char)memory(held[i])[k == 0 ? 0 : k == 1 ? size[i] / 2 : size[i] - 1], i + 1);
        give(held[i]);
        held[i] = NULL;
        return;
    }
    static const size_t most[] = {4096, MIB, 3 * MIB, 12 * MIB, 70 * MIB};
    size[i] = 1 + (size_t)rand() % most[rand() % 5];
    held[i] = fa__cache_take(&cache, size[i], NULL);
    if (held[i])
        stamp(held[i], size[i], (unsigned char)(i + 1));
    else
        assert_int_equal(fa_error_code(), FA_ERROR_MEMORY);
    fa_error_clear();
}

static void no_two_blocks_have_the_same_memory(void **state)
{
    (void)state;
    fa__block *held[HELD] = {NULL};
    size_t size[HELD];
    srand(5);
    from.most = 300 * MIB;
    for (int n = 0; n < STEPS; n++) {
        from.fail = n % 2000 < 1000 ? 0 : 3;
        step(held, size, rand() % HELD);
        if (rand() % 50 == 0)
            fa__cache_trim(&cache);
        assert_true(reserved() <= from.most);
    }
    for (int i = 0; i < HELD; i++)
        if (held[i])
            step(held, size, i);
    fa__cache_trim(&cache);
    assert_int_equal(reserved(), 0);
}

/* No memory for the descriptor of what is behind a gap: it is kept, and no error. */
static void a_gap_that_cannot_be_described_is_kept(void **state)
{
    (void)state;
    give(take(40 * MIB));
    fa__block *a = take(11 * MIB), *b = take(12 * MIB), *c = take(11 * MIB);
    give(b);
    fa__inject(1);
    fa__cache_trim(&cache);
    fa__inject(0);
    assert_false(fa_failed());
    assert_int_equal(reserved(), 34 * MIB);
    fa__cache_trim(&cache);
    assert_int_equal(reserved(), 24 * MIB);
    give(a);
    give(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requests_of_all_sizes_extend_one_segment),
        TEST(what_another_queue_uses_is_not_extended),
        TEST(a_limit_holds),
        TEST(any_free_piece_goes_back),
        TEST(fragments_are_used_elsewhere),
        TEST(what_cannot_grow_is_allocated),
        TEST(no_two_blocks_have_the_same_memory),
        TEST(a_gap_that_cannot_be_described_is_kept),
    };
    return fa__pools_off() ? 77 : cmocka_run_group_tests_name("core_cache_grow", tests, NULL, NULL);
}
