/* The parts that all collective calls have: checks, the tensor as bytes, the exchange, the result. */
#include "dist/call.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/ops/shape.h>
#include <facula/tensor.h>
#include <stdlib.h>
#include <string.h>

bool fa__dist_check(fa_group *g, const fa_tensor *t, const char *name)
{
    if (fa_error_stands() || !fa__group_check(g, name))
        return false;
    return t ? fa_dim(t) >= 0 : fa_fail(FA_ERROR_ARGUMENT, "%s: the tensor is NULL", name);
}

char *fa__dist_bytes(fa_tensor *t, bool writes)
{
    static char none;
    char *bytes = t ? fa__host_bytes(t, writes) : NULL;
    return bytes || fa_error_stands() || !t ? bytes : &none;
}

bool fa__dist_begin(fa__dist_call *c, fa__wire *w, const fa_tensor *t, const char *name, bool writes)
{
    *c = (fa__dist_call){.w = w, .what = {.name = name, .dtype = (uint32_t)fa_tensor_dtype(t)}};
    bool here = fa_device_equal(fa_tensor_device(t), FA_CPU) && fa_is_contiguous(t);
    c->host = here ? (fa_tensor *)(uintptr_t)t : fa_contiguous(fa_cpu(t));
    c->given = writes && !here ? (fa_tensor *)(uintptr_t)t : NULL;
    c->bytes = fa__dist_bytes(c->host, writes && here);
    if (!c->bytes)
        return false;
    c->size = fa_nbytes(t);
    c->width = fa_element_size(t);
    if (!w->transfer)
        w->transfer = calloc(2 * (size_t)w->size, sizeof *w->transfer);
    c->transfer = w->transfer;
    w->number++;
    return c->transfer || fa_fail(FA_ERROR_MEMORY, "%s: out of memory", name);
}

bool fa__dist_end(fa__dist_call *c, bool good)
{
    return good && (!c->given || fa_copy_(c->given, c->host)) && !fa_error_stands();
}

bool fa__dist_check_rank(const fa_group *g, int rank, const char *name)
{
    return (rank >= 0 && rank < g->wire->size)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: rank %d of a group of %d", name, rank, g->wire->size);
}

bool fa__dist_check_parts(const fa_tensor *t, const fa_group *g, const char *name)
{
    return (fa_dim(t) > 0 && fa_size(t, 0) % g->wire->size == 0)
           || fa_fail(FA_ERROR_SHAPE,
                      "%s: the size of dimension 0 has to be a multiple of the %d ranks; the shape is %s", name,
                      g->wire->size, fa__shape_write(fa_tensor_shape(t)).text);
}

void fa__dist_to(fa__dist_call *c, int rank, const void *data, size_t bytes)
{
    if (rank != c->w->rank)
        c->transfer[c->transfers++] = (fa__transfer){.peer = rank, .data = data, .bytes = bytes};
}

void fa__dist_from(fa__dist_call *c, int rank, void *into, size_t bytes)
{
    if (rank != c->w->rank)
        c->transfer[c->transfers++] = (fa__transfer){.peer = rank, .receives = true, .into = into, .bytes = bytes};
}

bool fa__dist_exchange(fa__dist_call *c)
{
    bool good = fa__exchange(c->w, c->what, c->transfer, c->transfers);
    c->transfers = 0;
    c->what.phase++;
    return good;
}

fa_tensor *fa__dist_result(const fa_tensor *t, int more)
{
    fa_shape shape = fa_tensor_shape(t);
    if (more > 0) {
        if (shape.rank == FA_MAX_DIMS) {
            fa_fail(FA_ERROR_SHAPE, "fa_dist_all_gather: the result has more than %d dimensions", FA_MAX_DIMS);
            return NULL;
        }
        memmove(shape.dim + 1, shape.dim, (size_t)shape.rank++ * sizeof *shape.dim);
        shape.dim[0] = more;
    } else if (more < 0) {
        shape.dim[0] /= -more;
    }
    return fa_empty(shape, .dtype = fa_tensor_dtype(t), .device = FA_CPU);
}

fa_tensor *fa__dist_hand_out(fa_tensor *y, const fa_tensor *t)
{
    return y ? fa_to(y, fa_tensor_device(t)) : NULL;
}
