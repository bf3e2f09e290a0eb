/* Rotation and other maps of images, affine and in perspective: each pixel of the result is looked up in the image. */
#include "data/frame.h"
#include <math.h>

static double radians(double degrees)
{
    return degrees * acos(-1) / 180;
}

fa__warp fa__warp_of(double angle, const double translate[2], double scale, const double shear[2],
                     const double center[2])
{
    double turn = radians(angle), sx = radians(shear[0]), sy = radians(shear[1]);
    double a = cos(turn - sy) / cos(sy), b = -cos(turn - sy) * tan(sx) / cos(sy) - sin(turn);
    double c = sin(turn - sy) / cos(sy), d = -sin(turn - sy) * tan(sx) / cos(sy) + cos(turn);
    double x = -center[0] - translate[0], y = -center[1] - translate[1];
    fa__warp w = {{d / scale, -b / scale, 0, -c / scale, a / scale, 0, 0, 0}};
    w.m[2] = w.m[0] * x + w.m[1] * y + center[0];
    w.m[5] = w.m[3] * x + w.m[4] * y + center[1];
    return w;
}

enum { UNKNOWNS = 8 };

/* Solves a system of linear equations, whose right sides are the last column, by elimination with the largest pivot. If
 * it has no solution, as corners lie on a line, what it gives is not finite. */
static void solve(double row[UNKNOWNS][UNKNOWNS + 1], double x[UNKNOWNS])
{
    for (int k = 0; k < UNKNOWNS; k++) {
        int best = k;
        for (int i = k + 1; i < UNKNOWNS; i++)
            best = fabs(row[i][k]) > fabs(row[best][k]) ? i : best;
        for (int j = k; j <= UNKNOWNS; j++) {
            double swapped = row[k][j];
            row[k][j] = row[best][j];
            row[best][j] = swapped;
        }
        for (int i = k + 1; i < UNKNOWNS; i++) {
            double factor = row[i][k] / row[k][k];
            for (int j = k; j <= UNKNOWNS; j++)
                row[i][j] -= factor * row[k][j];
        }
    }
    for (int k = UNKNOWNS - 1; k >= 0; k--) {
        x[k] = row[k][UNKNOWNS];
        for (int j = k + 1; j < UNKNOWNS; j++)
            x[k] -= row[k][j] * x[j];
        x[k] /= row[k][k];
    }
}

fa__warp fa__warp_of_corners(const double from[8], const double to[8], int64_t height, int64_t width)
{
    fa__warp w = {{0}};
    double row[UNKNOWNS][UNKNOWNS + 1] = {{0}};
    for (int i = 0; i < 4; i++) {
        double x = to[2 * i] - (double)width / 2, y = to[2 * i + 1] - (double)height / 2;
        for (int k = 0; k < 2; k++) {
            double there = from[2 * i + k] - (double)(k ? height : width) / 2, *r = row[2 * i + k];
            r[3 * k] = x;
            r[3 * k + 1] = y;
            r[3 * k + 2] = 1;
            r[6] = -x * there;
            r[7] = -y * there;
            r[8] = there;
        }
    }
    solve(row, w.m);
    return w;
}

static float pixel(const fa__frame *f, int64_t channel, int64_t y, int64_t x, float fill)
{
    bool inside = x >= 0 && y >= 0 && x < f->width && y < f->height;
    return inside ? fa__frame_row(f, channel, y)[x] : fill;
}

static float bilinear(const fa__frame *f, int64_t channel, double y, double x, float fill)
{
    double top = floor(y), left = floor(x);
    float down = (float)(y - top), right = (float)(x - left);
    int64_t i = (int64_t)top, k = (int64_t)left;
    float upper = (1 - right) * pixel(f, channel, i, k, fill) + right * pixel(f, channel, i, k + 1, fill);
    float lower = (1 - right) * pixel(f, channel, i + 1, k, fill) + right * pixel(f, channel, i + 1, k + 1, fill);
    return (1 - down) * upper + down * lower;
}

bool fa__warp_source(const fa__warp *w, int64_t k, int64_t i, int64_t height, int64_t width, double *u, double *v)
{
    double half_width = (double)width / 2, half_height = (double)height / 2;
    double x = (double)k + 0.5 - half_width, y = (double)i + 0.5 - half_height;
    double depth = w->m[6] * x + w->m[7] * y + 1;
    *u = (w->m[0] * x + w->m[1] * y + w->m[2]) / depth + half_width - 0.5;
    *v = (w->m[3] * x + w->m[4] * y + w->m[5]) / depth + half_height - 0.5;
    return *u > -2 && *v > -2 && *u < (double)width + 1 && *v < (double)height + 1;
}

void fa__frame_warp(fa__frame frame[2], const fa__warp *w, fa_interpolation how, float fill)
{
    const fa__frame *from = &frame[0];
    fa__frame *to = &frame[1];
    *to = fa__frame_of(to->at, from, from->height, from->width);
    for (int64_t i = 0; i < to->height; i++)
        for (int64_t k = 0; k < to->width; k++) {
            double u, v;
            bool near = fa__warp_source(w, k, i, from->height, from->width, &u, &v);
            for (int64_t c = 0; c < to->channels; c++)
                fa__frame_row(to, c, i)[k] = !near ? fill
                                             : how == FA_NEAREST
                                                 ? pixel(from, c, (int64_t)rint(v), (int64_t)rint(u), fill)
                                                 : bilinear(from, c, v, u, fill);
        }
    fa__frames_swap(frame);
}
