/* Changes of the colors of an image: brightness, contrast, saturation, hue; histograms; blur. Definitions are those of
 * torchvision.transforms.functional. */
#include "data/frame.h"
#include <math.h>
#include <string.h>

static const float luma[3] = {0.2989F, 0.587F, 0.114F};

static float limit(float x, float bound)
{
    return x < 0 ? 0 : x > bound ? bound : x;
}

static float gray_at(const fa__frame *f, int64_t i)
{
    int64_t plane = f->height * f->width;
    if (f->channels != 3)
        return f->at[i];
    return luma[0] * f->at[i] + luma[1] * f->at[plane + i] + luma[2] * f->at[2 * plane + i];
}

void fa__frame_brightness(fa__frame *f, double factor)
{
    for (int64_t i = 0; i < fa__frame_count(f); i++)
        f->at[i] = limit((float)factor * f->at[i], f->bound);
}

void fa__frame_contrast(fa__frame *f, double factor)
{
    int64_t plane = f->height * f->width;
    double sum = 0;
    for (int64_t i = 0; i < plane; i++)
        sum += f->bound > 1 ? floorf(gray_at(f, i)) : gray_at(f, i);
    float rest = (float)((1 - factor) * sum / (double)plane);
    for (int64_t i = 0; i < fa__frame_count(f); i++)
        f->at[i] = limit((float)factor * f->at[i] + rest, f->bound);
}

void fa__frame_saturation(fa__frame *f, double factor)
{
    int64_t plane = f->height * f->width;
    for (int64_t i = 0; f->channels == 3 && i < plane; i++) {
        float rest = (float)(1 - factor) * gray_at(f, i);
        for (int64_t c = 0; c < 3; c++)
            f->at[c * plane + i] = limit((float)factor * f->at[c * plane + i] + rest, f->bound);
    }
}

void fa__frame_grayscale(fa__frame *f)
{
    int64_t plane = f->height * f->width;
    for (int64_t i = 0; f->channels == 3 && i < plane; i++)
        f->at[i] = f->at[plane + i] = f->at[2 * plane + i] = gray_at(f, i);
}

/* ---- hue ---- */

/* Turns the hue of a color of the cone of HSV, where red is at 0, green at 1/3 and blue at 2/3 of a turn. */
static void turn_hue(float color[3], float turn)
{
    float most = fmaxf(color[0], fmaxf(color[1], color[2])), least = fminf(color[0], fminf(color[1], color[2]));
    float range = most - least, hue, at[3];
    if (range == 0)
        return;
    if (most == color[0])
        hue = (color[1] - color[2]) / range;
    else if (most == color[1])
        hue = 2 + (color[2] - color[0]) / range;
    else
        hue = 4 + (color[0] - color[1]) / range;
    hue = hue / 6 + turn;
    hue = 6 * (hue - floorf(hue));
    at[0] = fabsf(hue - 3) - 1;
    at[1] = 2 - fabsf(hue - 2);
    at[2] = 2 - fabsf(hue - 4);
    for (int c = 0; c < 3; c++)
        color[c] = least + range * limit(at[c], 1);
}

void fa__frame_hue(fa__frame *f, double turn)
{
    int64_t plane = f->height * f->width;
    for (int64_t i = 0; f->channels == 3 && i < plane; i++) {
        float color[3] = {f->at[i], f->at[plane + i], f->at[2 * plane + i]};
        turn_hue(color, (float)turn);
        for (int64_t c = 0; c < 3; c++)
            f->at[c * plane + i] = color[c];
    }
}

/* ---- histograms ---- */

void fa__frame_autocontrast(fa__frame *f)
{
    int64_t plane = f->height * f->width;
    for (int64_t c = 0; c < f->channels; c++) {
        float *at = f->at + c * plane, least = at[0], most = at[0];
        for (int64_t i = 1; i < plane; i++) {
            least = fminf(least, at[i]);
            most = fmaxf(most, at[i]);
        }
        for (int64_t i = 0; most > least && i < plane; i++)
            at[i] = limit((at[i] - least) * (f->bound / (most - least)), f->bound);
    }
}

/* The values that make all of 256 levels equally frequent; false if there are too few different ones. */
static bool equal_levels(const int64_t *count, float *level)
{
    int64_t sum = 0, last = 255, before = 0;
    while (last > 0 && !count[last])
        last--;
    for (int k = 0; k < last; k++)
        sum += count[k];
    int64_t step = sum / 255;
    for (int k = 0; step && k < 256; k++) {
        int64_t to = k ? (before + step / 2) / step : 0;
        level[k] = (float)(to > 255 ? 255 : to);
        before += count[k];
    }
    return step;
}

void fa__frame_equalize(fa__frame *f)
{
    int64_t plane = f->height * f->width;
    float unit = f->bound / 255, level[256];
    for (int64_t c = 0; c < f->channels; c++) {
        float *at = f->at + c * plane;
        int64_t count[256] = {0};
        for (int64_t i = 0; i < plane; i++)
            count[(int)rintf(limit(at[i], f->bound) / unit)]++;
        if (equal_levels(count, level))
            for (int64_t i = 0; i < plane; i++)
                at[i] = level[(int)rintf(limit(at[i], f->bound) / unit)] * unit;
    }
}

void fa__frame_posterize(fa__frame *f, int bits)
{
    float levels = (float)(1 << bits), unit = f->bound > 1 ? 256 : 1;
    for (int64_t i = 0; i < fa__frame_count(f); i++)
        f->at[i] = limit(floorf(f->at[i] / unit * levels), levels - 1) / levels * unit;
}

void fa__frame_solarize(fa__frame *f, double threshold)
{
    for (int64_t i = 0; i < fa__frame_count(f); i++)
        f->at[i] = f->at[i] >= (float)threshold * f->bound ? f->bound - f->at[i] : f->at[i];
}

/* ---- neighbourhoods ---- */

void fa__frame_sharpness(fa__frame frame[2], double factor)
{
    const fa__frame *f = &frame[0];
    memcpy(frame[1].at, f->at, (size_t)fa__frame_count(f) * sizeof *f->at);
    const fa__frame from = fa__frame_of(frame[1].at, f, f->height, f->width);
    for (int64_t c = 0; c < f->channels; c++)
        for (int64_t y = 1; y + 1 < f->height; y++)
            for (int64_t x = 1; x + 1 < f->width; x++) {
                float sum = 4 * fa__frame_row(&from, c, y)[x];
                for (int64_t k = -1; k <= 1; k++) {
                    const float *row = fa__frame_row(&from, c, y + k) + x;
                    sum += row[-1] + row[0] + row[1];
                }
                float soft = f->bound > 1 ? rintf(sum / 13) : sum / 13, *at = fa__frame_row(f, c, y) + x;
                *at = limit((float)factor * *at + (float)(1 - factor) * soft, f->bound);
            }
}

static int64_t reflected(int64_t i, int64_t n)
{
    i = i < 0 ? -i : i;
    return i >= n ? 2 * (n - 1) - i : i;
}

/* Sums along one dimension: of `count` lines of n elements, `step` apart, that begin `apart` apart. */
static void blur_lines(const float *from, float *to, int64_t n, int64_t step, const float *weight, int64_t size)
{
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int64_t k = 0; k < size; k++)
            sum += weight[k] * from[reflected(i + k - size / 2, n) * step];
        to[i * step] = sum;
    }
}

void fa__gaussian(float *weight, int64_t size, double sigma)
{
    double sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < size; k++) {
            double x = (double)k - (double)(size - 1) / 2, value = exp(-0.5 * (x / sigma) * (x / sigma));
            if (pass)
                weight[k] = (float)(value / sum);
            else
                sum += value;
        }
}

void fa__frame_blur(fa__frame frame[2], const int64_t kernel[2], double sigma)
{
    const fa__frame *f = &frame[0];
    float weight[FA_MAX_BLUR];
    fa__gaussian(weight, kernel[1], sigma);
    for (int64_t r = 0; r < f->channels * f->height; r++)
        blur_lines(f->at + r * f->width, frame[1].at + r * f->width, f->width, 1, weight, kernel[1]);
    fa__gaussian(weight, kernel[0], sigma);
    for (int64_t c = 0; c < f->channels; c++)
        for (int64_t x = 0; x < f->width; x++)
            blur_lines(frame[1].at + c * f->height * f->width + x, fa__frame_row(f, c, 0) + x, f->height, f->width,
                       weight, kernel[0]);
}
