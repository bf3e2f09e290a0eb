/* The table of one level, and the loops that know no class: streaming copies. */
#include "dialect.h"
#include "simd.h"
#include "stream.h"
static void stream(void *to, const void *from, int64_t bytes)
{
    char *t = to;
    const char *f = from;
    int64_t head = (int64_t)(-(uintptr_t)t & (LANE - 1));
    head = head < bytes ? head : bytes;
    __builtin_memcpy(t, f, (size_t)head);
    int64_t end = head + ((bytes - head) & ~(int64_t)(LANE - 1));
    for (int64_t i = head; i < end; i += LANE)
        stream_lane((lane *)(t + i), *(const lane_anywhere *)(f + i));
    __builtin_memcpy(t + end, f + end, (size_t)(bytes - end));
}

static void stream_end(void)
{
#if defined __SSE2__
    __builtin_ia32_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

#define TEXT_OF(level) #level
#define TEXT(level) TEXT_OF(level)

const fa__simd FA__SIMD(fa__simd) = {
    .name = TEXT(FA__LEVEL),
    .of = {[FA__CLASS_F32] = &FA__SIMD(fa__simd_f32),
           [FA__CLASS_F64] = &FA__SIMD(fa__simd_f64),
           [FA__CLASS_I32] = &FA__SIMD(fa__simd_i32),
           [FA__CLASS_I64] = &FA__SIMD(fa__simd_i64)},
    .truth = &FA__SIMD(fa__simd_truth),
    .stream = stream,
    .stream_end = stream_end,
    .bits = FA__SIMD(fa__bits_u64),
    .poisson = FA__SIMD(fa__poisson),
    .pool_2x2 = FA__SIMD(fa__pool_2x2),
    .pool_2x2_back = FA__SIMD(fa__pool_2x2_back),
    .relu_pool_2x2 = FA__SIMD(fa__relu_pool_2x2),
    .relu_pool_2x2_back = FA__SIMD(fa__relu_pool_2x2_back),
    .relu_pool_halves = FA__SIMD(fa__relu_pool_halves),
    .relu_pool_halves_back = FA__SIMD(fa__relu_pool_halves_back),
    .transpose = {FA__SIMD(fa__transpose_8), FA__SIMD(fa__transpose_16), FA__SIMD(fa__transpose_32),
                  FA__SIMD(fa__transpose_64)},
    .transpose_past = {[2] = FA__SIMD(fa__transpose_past_32), [3] = FA__SIMD(fa__transpose_past_64)},
    .copy = {FA__SIMD(fa__copy_8), FA__SIMD(fa__copy_16), FA__SIMD(fa__copy_32), FA__SIMD(fa__copy_64)},
};
