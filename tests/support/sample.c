/* The values of samples' tensors. The parser is in sample_read.c. */
#include "support/sample.h"
#include <math.h>
#include <stdlib.h>

uint32_t sample_seed(const char *row, const char *text)
{
    const char *part[] = {row, ":", text};
    uint32_t h = 0x811C9DC5u;
    for (int i = 0; i < 3; i++)
        for (const char *c = part[i]; *c; c++)
            h = (h ^ (unsigned char)*c) * 0x01000193u;
    return h;
}

static uint32_t draw(uint32_t seed, int place, uint32_t i)
{
    uint32_t x = seed + (uint32_t)place * 0x9E3779B9u + i * 0x85EBCA6Bu;
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

static void permute(uint32_t seed, int place, int64_t count, double *p)
{
    for (int64_t i = 0; i < count; i++)
        p[i] = (double)i;
    for (int64_t k = count - 1; k > 0; k--) {
        int64_t j = draw(seed, place, (uint32_t)k) % (uint32_t)(k + 1);
        double t = p[k];
        p[k] = p[j];
        p[j] = t;
    }
}

typedef enum { SORT_FLOAT, SORT_SIGNED, SORT_UNSIGNED, SORT_BOOL } sort;

static sort sort_of(fa_dtype dtype)
{
    return dtype == FA_BOOL ? SORT_BOOL : dtype == FA_U8 ? SORT_UNSIGNED : dtype < FA_F16 ? SORT_SIGNED : SORT_FLOAT;
}

static int64_t whole_value(char domain, sort s, int64_t h, int64_t i, int64_t count)
{
    if (s == SORT_BOOL)
        return domain == 'p' ? 1 : domain == 'n' ? i & 1 : h & 1;
    bool is_signed = s == SORT_SIGNED;
    switch (domain) {
    case 'p':
        return 1 + h % 8;
    case 'u':
        return h & 1;
    case 'd':
        return h - (is_signed ? count / 2 : 0);
    case 't':
        return h % 3 - is_signed;
    case 'n':
        return i % 9 - (is_signed ? 4 : 0);
    default:
        return h % 9 - (is_signed ? 4 : 0);
    }
}

static double float_value(char domain, int64_t h, int place, int64_t i, int64_t count)
{
    static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 0.5, -0.5, 1.0, 3.0};
    switch (domain) {
    case 'p':
        return (double)(16 + h % 192) / 64;
    case 'a':
        return (double)(80 + h % 192) / 64;
    case 'u':
        return (double)(h % 64) / 64;
    case 'd':
        return (double)(4 * h - 2 * count + 1) / 64;
    case 't':
        return (double)(h % 3 - 1);
    case 'n':
        return special[(i + (place & 1) * (i / 9)) % 9];
    default:
        return (double)(4 * (h % 64) - 127 + 2 * (place & 1)) / 64;
    }
}

fa_dtype operand_dtype(const operand *o, fa_dtype dtype)
{
    return o->domain == 'b' ? FA_BOOL : o->domain == 'i' || o->domain == 'r' ? FA_I64 : dtype;
}

void operand_values(const sample *s, const operand *o, fa_dtype dtype, double *v)
{
    bool permuted = o->domain == 'd' || o->domain == 'r';
    if (permuted)
        permute(s->seed, o->place, o->count, v);
    if (o->domain == 'r')
        return;
    for (int64_t i = 0; i < o->count; i++) {
        int64_t h = permuted ? (int64_t)v[i] : draw(s->seed, o->place, (uint32_t)i);
        if (o->below)
            v[i] = (double)(h % o->below);
        else if (fa__dtype_is_float(dtype))
            v[i] = float_value(o->domain, h, o->place, i, o->count);
        else
            v[i] = (double)whole_value(o->domain, sort_of(dtype), h, i, o->count);
    }
}
