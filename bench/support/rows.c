/* The list of all rows. */
#include "row.h"
#include <stddef.h>
#include <string.h>

static const bench_row *const tables[] = {
    bench_tiny,   bench_training, bench_pointwise, bench_layers, bench_gemm, bench_convolution, bench_cnn,
    bench_resnet, bench_gpt,      bench_opencl,    bench_data,   bench_dist, bench_programs};

const bench_row *bench_row_at(int i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const bench_row *r = tables[t]; r->name; r++)
            if (i-- == 0)
                return r;
    return NULL;
}

const bench_row *bench_row_named(const char *name)
{
    const bench_row *r;
    for (int i = 0; (r = bench_row_at(i)) && strcmp(r->name, name) != 0; i++)
        ;
    return r;
}
