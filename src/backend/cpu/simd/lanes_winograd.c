/* The transforms of Winograd's filtering with one image in each lane (backend/cpu/lanes_winograd.h). */
#include "backend/cpu/lanes_winograd.h"
#include "backend/cpu/simd/gemm_vector.h"
#include "backend/cpu/simd/simd.h"

enum { L = f32_lanes, POINTS = FA__LANES_POINTS };

/* Points come in pairs p and -p: what even powers of p give is the same for both, what odd ones give has the other
 * sign. */
#define P0 1.0
#define P1 0.5
#define P2 2.0

/* p^i, a constant where i is one */
INLINE double power(double p, int i)
{
    double x = 1;
    UNROLL
    for (int k = 0; k < i; k++)
        x *= p;
    return x;
}

/* B', whose rows are the products of (x - q) over all other points q */
INLINE void image(f32v to[POINTS], const f32v x[POINTS])
{
    const f32v even_0 = x[6] - 4.25f * x[4] + x[2], odd_0 = x[5] - 4.25f * x[3] + x[1];
    const f32v even_1 = x[6] - 5 * x[4] + 4 * x[2], odd_1 = x[5] - 5 * x[3] + 4 * x[1];
    const f32v even_2 = x[6] - 1.25f * x[4] + 0.25f * x[2], odd_2 = x[5] - 1.25f * x[3] + 0.25f * x[1];
    to[0] = x[6] - x[0] + 5.25f * (x[2] - x[4]);
    to[1] = even_0 + odd_0;
    to[2] = even_0 - odd_0;
    to[3] = even_1 + 0.5f * odd_1;
    to[4] = even_1 - 0.5f * odd_1;
    to[5] = even_2 + 2 * odd_2;
    to[6] = even_2 - 2 * odd_2;
    to[7] = x[7] - x[1] + 5.25f * (x[3] - x[5]);
}

/* A': pixel i is the sum over points of p^i m, and the last one has infinity's as well */
INLINE void tile(f32v *to, const f32v m[POINTS], int pixels)
{
    const f32v even_0 = m[1] + m[2], odd_0 = m[1] - m[2], even_1 = m[3] + m[4], odd_1 = m[3] - m[4];
    const f32v even_2 = m[5] + m[6], odd_2 = m[5] - m[6];
    to[0] = m[0] + even_0 + even_1 + even_2;
    UNROLL
    for (int i = 1; i < pixels; i++) {
        const float p1 = (float)power(P1, i), p2 = (float)power(P2, i);
        to[i] = i % 2 ? odd_0 + p1 * odd_1 + p2 * odd_2 : even_0 + p1 * even_1 + p2 * even_2;
    }
    to[pixels - 1] = to[pixels - 1] + m[7];
}

/* f times the value at p, and at -p, of the polynomial with the coefficients c */
INLINE void at_points(f32v to[2], const f32v *c, int count, double p, double f)
{
    f32v even = (float)f * c[0], odd = (float)(f * p) * c[1];
    UNROLL
    for (int i = 2; i < count; i++) {
        const float factor = (float)(f * power(p, i));
        if (i % 2)
            odd = odd + factor * c[i];
        else
            even = even + factor * c[i];
    }
    to[0] = even + odd;
    to[1] = even - odd;
}

/* A, for a pair of points */
INLINE void tile_back(f32v to[2], const f32v *y, int pixels, int pair)
{
    if (pair == 0) {
        to[0] = y[0];
        to[1] = y[pixels - 1];
        return;
    }
    at_points(to, y, pixels, pair == 1 ? P0 : pair == 2 ? P1 : P2, 1);
}

/* The factor of the weights at a point: 1 / the product of its distances from the others */
#define AT_0 (1 / (-P0 * P0 * P1 * P1 * P2 * P2))
#define AT(p, q, r) (1 / (2 * (p) * (p) * ((p) * (p) - (q) * (q)) * ((p) * (p) - (r) * (r))))

/* G */
INLINE void kernel(f32v to[POINTS], const f32v *w, int taps)
{
    to[0] = (float)AT_0 * w[0];
    at_points(to + 1, w, taps, P0, AT(P0, P1, P2));
    at_points(to + 3, w, taps, P1, AT(P1, P0, P2));
    at_points(to + 5, w, taps, P2, AT(P2, P0, P1));
    to[7] = w[taps - 1];
}

/* G' */
INLINE void kernel_back(f32v *to, const f32v m[POINTS], int taps)
{
    UNROLL
    for (int i = 0; i < taps; i++) {
        const f32v sign_0 = i % 2 ? m[1] - m[2] : m[1] + m[2], sign_1 = i % 2 ? m[3] - m[4] : m[3] + m[4],
                   sign_2 = i % 2 ? m[5] - m[6] : m[5] + m[6];
        to[i] = (float)(AT(P0, P1, P2) * power(P0, i)) * sign_0 + (float)(AT(P1, P0, P2) * power(P1, i)) * sign_1
                + (float)(AT(P2, P0, P1) * power(P2, i)) * sign_2;
    }
    to[0] = to[0] + (float)AT_0 * m[0];
    to[taps - 1] = to[taps - 1] + m[7];
}

#define LINES(name, transform, from_points, to_points, with_bias)                                                      \
    static void name(const fa__lanes_lines *t)                                                                         \
    {                                                                                                                  \
        const fa__lanes_lines l = *t;                                                                                  \
        for (int64_t r = 0; r < l.rows; r++) {                                                                         \
            const float *from = l.from + r * l.from_row;                                                               \
            float *to = l.to + r * l.to_row;                                                                           \
            const f32v bias = f32_splat((with_bias) && l.bias ? l.bias[r] : 0);                                        \
            for (int64_t n = l.count; n > 0; n--, from += l.from_next, to += l.to_next) {                              \
                f32v in[from_points], out[to_points];                                                                  \
                UNROLL                                                                                                 \
                for (int i = 0; i < (from_points); i++)                                                                \
                    in[i] = f32_load(from + i * l.from_point);                                                         \
                transform;                                                                                             \
                UNROLL                                                                                                 \
                for (int i = 0; i < (to_points); i++)                                                                  \
                    f32_store(to + i * l.to_point, (with_bias) ? out[i] + bias : out[i]);                              \
            }                                                                                                          \
        }                                                                                                              \
    }
LINES(images, image(out, in), POINTS, POINTS, false)
#define LINES_OF(taps)                                                                                                 \
    enum { PIXELS_##taps = POINTS + 1 - taps };                                                                        \
    LINES(tiles_##taps, tile(out, in, PIXELS_##taps), POINTS, PIXELS_##taps, true)                                     \
    LINES(back_0_##taps, tile_back(out, in, PIXELS_##taps, 0), PIXELS_##taps, 2, false)                                \
    LINES(back_1_##taps, tile_back(out, in, PIXELS_##taps, 1), PIXELS_##taps, 2, false)                                \
    LINES(back_2_##taps, tile_back(out, in, PIXELS_##taps, 2), PIXELS_##taps, 2, false)                                \
    LINES(back_3_##taps, tile_back(out, in, PIXELS_##taps, 3), PIXELS_##taps, 2, false)                                \
    LINES(kernels_##taps, kernel(out, in, taps), taps, POINTS, false)                                                  \
    LINES(kernels_back_##taps, kernel_back(out, in, taps), POINTS, taps, false)
LINES_OF(3)
LINES_OF(5)
LINES_OF(7)

#define OF_EACH(name) name##_3, name##_5, name##_7
fa__lanes_transforms FA__SIMD(fa__lanes_transforms) = {images,           OF_EACH(tiles),       OF_EACH(back_0),
                                                       OF_EACH(back_1),  OF_EACH(back_2),      OF_EACH(back_3),
                                                       OF_EACH(kernels), OF_EACH(kernels_back)};
