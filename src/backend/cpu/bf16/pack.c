/* Operands of bf16 to pairs of neighbours in k, and sums to bf16. Compiled for AVX-512. */
#include "backend/cpu/bf16/bf16.h"
#include "backend/cpu/simd/convert.h"
#include "backend/cpu/simd/gemm_transpose.h"
#include "base/integer.h"
#include <string.h>

enum { LANES = 16 }; /* pairs in a vector */

/* The first n of so many lanes, or all */
static inline __mmask16 first_of_16(int64_t n)
{
    return (__mmask16)_bzhi_u32(0xffff, n < 16 ? (uint32_t)n : 16);
}

static inline __mmask32 first_of_32(int64_t n)
{
    return _bzhi_u32(0xffffffff, n < 32 ? (uint32_t)n : 32);
}

/* ---- pairs ---- */

/* 16 numbers of one row and of the next, side by side; masked ones are 0 */
static inline __m512i two_rows(const uint16_t *first, const uint16_t *second, __mmask16 of_first, __mmask16 of_second)
{
    __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(of_first, first));
    __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(of_second, second));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

#define NUMBERS _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)

/* Pairs of 32 numbers of one row and of the next, to 64 numbers */
static inline void store_pairs(uint16_t *to, __m512i first, __m512i second)
{
    const __m512i left =
        _mm512_add_epi32(_mm512_set1_epi32(32 << 16), _mm512_mullo_epi32(NUMBERS, _mm512_set1_epi32(0x10001)));
    const __m512i right = _mm512_add_epi16(left, _mm512_set1_epi16(LANES));
    _mm512_storeu_si512(to, _mm512_permutex2var_epi16(first, left, second));
    _mm512_storeu_si512(to + 2 * LANES, _mm512_permutex2var_epi16(first, right, second));
}

/* Rows of a square of 32 bits to its columns */
static inline void turn(__m512i out[LANES], const __m512i in[LANES])
{
    f32v from[LANES], to[LANES];
    UNROLL
    for (int i = 0; i < LANES; i++)
        from[i] = (f32v)in[i];
    f32_turn(to, from);
    UNROLL
    for (int i = 0; i < LANES; i++)
        out[i] = (__m512i)to[i];
}

/* ---- rows of neighbours in k: the left operand ---- */

static void copy_rows(uint16_t *to, int64_t to_row, const uint16_t *from, int64_t from_row, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++, to += to_row, from += from_row)
        for (int64_t j = 0; j < cols; j += 32) {
            __mmask32 mask = first_of_32(cols - j);
            _mm512_mask_storeu_epi16(to + j, mask, _mm512_maskz_loadu_epi16(mask, from + j));
        }
}

/* Columns of `from` are neighbours in memory: a square of 16 rows and 16 pairs at a time */
static void turn_rows(uint16_t *to, int64_t to_row, const uint16_t *from, int64_t from_col, int64_t rows, int64_t cols)
{
    __m512i in[LANES], out[LANES];
    for (int64_t i = 0; i < rows; i += LANES) {
        const __mmask16 here = first_of_16(rows - i);
        for (int64_t j = 0; j < cols; j += 2 * LANES) {
            for (int64_t q = 0; q < LANES; q++) {
                const uint16_t *p = from + i + fa__min(j + 2 * q, cols - 1) * from_col;
                bool second = j + 2 * q + 1 < cols;
                in[q] = two_rows(p, second ? p + from_col : p, here, second ? here : 0);
            }
            turn(out, in);
            for (int64_t q = 0; q < fa__min(LANES, rows - i); q++)
                _mm512_mask_storeu_epi16(to + (i + q) * to_row + j, first_of_32(cols - j), out[q]);
        }
    }
}

void fa__bf16_pack(void *to, int64_t to_row, const void *from, int64_t from_row, int64_t from_col, int64_t rows,
                   int64_t cols)
{
    const uint16_t *p = from;
    uint16_t *out = to;
    if (from_col == 1)
        copy_rows(out, to_row, p, from_row, rows, cols);
    else if (from_row == 1 && rows > 1)
        turn_rows(out, to_row, p, from_col, rows, cols);
    else
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                out[i * to_row + j] = p[i * from_row + j * from_col];
}

void fa__bf16_gather(void *to, int64_t to_row, const void *from, const int64_t *offset, int64_t rows, int64_t cols)
{
    for (int64_t j = 0; j < cols; j += 32) {
        const __mmask32 mask = first_of_32(cols - j);
        uint16_t *out = (uint16_t *)to + j;
        for (int64_t i = 0; i < rows; i++, out += to_row)
            _mm512_mask_storeu_epi16(out, mask, _mm512_maskz_loadu_epi16(mask, (const uint16_t *)from + offset[i] + j));
    }
}

/* ---- panels of pairs: the right operand ---- */

void fa__bf16_join(void *panel, int64_t depth)
{
    uint16_t *p = panel;
    for (int64_t k = 0; k < depth; k += 2, p += 2 * FA__BF16_COLS)
        store_pairs(p, _mm512_loadu_si512(p), _mm512_loadu_si512(p + FA__BF16_COLS));
}

/* Rows of b are neighbours in memory */
static void join_rows(uint16_t *to, const uint16_t *from, int64_t from_row, int64_t depth, int64_t cols)
{
    const __mmask32 mask = first_of_32(cols);
    for (int64_t k = 0; k < depth; k += 2, from += 2 * from_row, to += 2 * FA__BF16_COLS) {
        const bool both = k + 1 < depth;
        const __m512i next = _mm512_maskz_loadu_epi16(both ? mask : 0, both ? from + from_row : from);
        store_pairs(to, _mm512_maskz_loadu_epi16(mask, from), next);
    }
}

/* Columns of b are neighbours in memory, and pairs in them already */
static void join_columns(uint16_t *to, const uint16_t *from, int64_t from_col, int64_t depth, int64_t cols)
{
    __m512i in[LANES], out[LANES];
    for (int64_t j = 0; j < cols; j += LANES)
        for (int64_t k = 0; k < depth; k += 2 * LANES) {
            for (int64_t q = 0; q < LANES; q++)
                in[q] =
                    _mm512_maskz_loadu_epi16(first_of_32(depth - k), from + fa__min(j + q, cols - 1) * from_col + k);
            turn(out, in);
            for (int64_t q = 0; q < LANES && k + 2 * q < depth; q++)
                _mm512_storeu_si512(to + (k + 2 * q) * FA__BF16_COLS + 2 * j, out[q]);
        }
}

void fa__bf16_pack_joined(void *panel, const void *from, int64_t from_row, int64_t from_col, int64_t depth,
                          int64_t cols)
{
    const uint16_t *p = from;
    uint16_t *to = panel;
    if (from_col == 1)
        join_rows(to, p, from_row, depth, cols);
    else if (from_row == 1)
        join_columns(to, p, from_col, depth, cols);
    else
        for (int64_t k = 0; k < depth + depth % 2; k++)
            for (int64_t j = 0; j < cols; j++)
                to[k / 2 * 2 * FA__BF16_COLS + 2 * j + k % 2] = k < depth ? p[k * from_row + j * from_col] : 0;
}

/* ---- sums ---- */

static inline __m512 f32_of(const uint16_t *p, __mmask16 mask)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, p)), 16));
}

/* Rounded to the nearest, ties to even, in the upper half; NaN stays NaN, denormals stay what they are */
static inline __m512i rounded(__m512 x)
{
    __m512i u = _mm512_castps_si512(x), last = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
    __m512i near = _mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), last);
    return _mm512_mask_or_epi32(near, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), u, _mm512_set1_epi32(0x400000));
}

/* The upper halves of both, one behind the other */
static inline __m512i upper_halves(__m512i first, __m512i second)
{
    const __m512i odd =
        _mm512_add_epi16(_mm512_set1_epi32(0x30001), _mm512_mullo_epi32(NUMBERS, _mm512_set1_epi32(0x40004)));
    return _mm512_permutex2var_epi16(first, odd, second);
}

/* The sums from number j on, up to 16 */
static inline __m512i finished(const float *sum, const uint16_t *bias, bool relu, int64_t j, int64_t cols)
{
    const __mmask16 mask = first_of_16(cols > j ? cols - j : 0);
    __m512 x = _mm512_maskz_loadu_ps(mask, sum + j);
    if (bias)
        x = _mm512_add_ps(x, f32_of(bias + j, mask));
    if (relu)
        x = _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LE_OQ), _mm512_setzero_ps());
    return rounded(x);
}

static void finish_row(uint16_t *c, const float *sum, const uint16_t *bias, bool relu, int64_t cols)
{
    for (int64_t j = 0; j < cols; j += 2 * LANES) {
        __m512i left = finished(sum, bias, relu, j, cols), right = finished(sum, bias, relu, j + LANES, cols);
        _mm512_mask_storeu_epi16(c + j, first_of_32(cols - j), upper_halves(left, right));
    }
}

/* Any strides */
static void finish_each(const fa__gemm *g, uint16_t *c, const float *sum, const uint16_t *bias, int64_t cols)
{
    for (int64_t j = 0; j < cols; j++) {
        float x = bias ? sum[j] + f32_of_bf16(bias[j * g->bias_col]) : sum[j];
        c[j * g->c_col] = bf16_of_f32(g->relu && x <= 0 ? 0 : x);
    }
}

/* As f32 */
static void finish_wide(const fa__gemm *g, const fa__gemm_block *at, const float *sums, int64_t sums_row)
{
    const __m512i upper = _mm512_set1_epi32(-0x10000);
    float *c = (float *)g->c + at->row * g->c_row + at->col * g->c_col;
    for (int64_t i = 0; i < at->rows; i++, sums += sums_row, c += g->c_row)
        for (int64_t j = 0; j < at->cols; j += LANES) {
            const __mmask16 mask = first_of_16(at->cols - j);
            const __m512i y = _mm512_and_si512(rounded(_mm512_maskz_loadu_ps(mask, sums + j)), upper);
            if (g->c_col == 1)
                _mm512_mask_storeu_epi32(c + j, mask, y);
            else
                for (int64_t k = j; k < fa__min(j + LANES, at->cols); k++)
                    c[k * g->c_col] = f32_of_bf16(bf16_of_f32(sums[k]));
        }
}

void fa__bf16_finish(const fa__gemm *g, const fa__gemm_block *at, const void *sums, int64_t sums_row)
{
    if (g->wide) {
        finish_wide(g, at, sums, sums_row);
        return;
    }
    const bool dense = g->c_col == 1 && (!g->bias || g->bias_col == 1);
    for (int64_t i = 0; i < at->rows; i++) {
        const float *sum = (const float *)sums + i * sums_row;
        uint16_t *c = (uint16_t *)g->c + (at->row + i) * g->c_row + at->col * g->c_col;
        const uint16_t *bias = g->bias;
        if (bias)
            bias += (at->row + i) * g->bias_row + at->col * g->bias_col;
        if (dense)
            finish_row(c, sum, bias, g->relu, at->cols);
        else
            finish_each(g, c, sum, bias, at->cols);
    }
}

void fa__bf16_add(void *sums, const void *more, int64_t count)
{
    float *to = sums;
    const float *from = more;
    for (int64_t i = 0; i < count; i++)
        to[i] += from[i];
}
