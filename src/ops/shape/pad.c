/* Padding. Constant, reflect, replicate and circular. */
#include "dispatch/row.h"
#include "dispatch/views.h"
#include <math.h>

typedef enum { CONSTANT, REFLECT, REPLICATE, CIRCULAR } pad_mode;

/* A part of a padded dimension: elements of the result from `to` on are the elements of x from `from` on, with step
 * `step`. */
typedef struct stretch {
    int64_t to, from, count, step;
} stretch;

/* A padded dimension: the number of elements added before and after (negative: removed), and the parts of the result,
 * of which the first is the original and the others continue it. */
typedef struct padded {
    int64_t front, back, size;
    stretch part[3];
    int parts;
} padded;

static int64_t above_zero(int64_t n)
{
    return n > 0 ? n : 0;
}

static bool read_mode(const fa__call *c, const char *name, pad_mode *m)
{
    static const char *const names[] = {"constant", "reflect", "replicate", "circular"};
    for (int i = 0; name && i < 4; i++)
        if (!strcmp(name, names[i])) {
            *m = (pad_mode)i;
            return true;
        }
    return fa__call_fail(c, FA_ERROR_ARGUMENT, "mode is \"constant\", \"reflect\", \"replicate\" or \"circular\"");
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Computes the parts before and after the original elements. If cropping leaves nothing, only the edge is repeated. */
static void go_on(padded *p, int64_t n, pad_mode m)
{
    const stretch middle = p->part[0];
    int64_t before = smaller(p->front, p->size), behind = smaller(p->back, p->size), to = p->size - behind;
    const stretch front[] = {[REFLECT] = {0, p->front, before, -1},
                             [REPLICATE] = {0, 0, before, 0},
                             [CIRCULAR] = {0, middle.from + middle.count - p->front, before, 1}};
    const stretch back[] = {[REFLECT] = {to, n - 2, behind, -1},
                            [REPLICATE] = {to, n - 1, behind, 0},
                            [CIRCULAR] = {to, middle.from, behind, 1}};
    if (p->front > 0)
        p->part[p->parts++] = front[m];
    if (p->back > 0)
        p->part[p->parts++] = back[m];
}

static bool pad_dim(const fa__call *c, padded *p, int dim, int64_t n, pad_mode m)
{
    if (!fa__add_i64(n, p->front, &p->size) || !fa__add_i64(p->size, p->back, &p->size) || p->size < 0)
        return fa__call_fail(c, FA_ERROR_SHAPE, "dimension %d of %lld entries, padded by %lld and %lld", dim,
                             (long long)n, (long long)p->front, (long long)p->back);
    int64_t from = above_zero(-p->front), count = n - from - above_zero(-p->back);
    if (count < 0 && m == CONSTANT)
        return fa__call_fail(c, FA_ERROR_SHAPE,
                             "dimension %d has %lld entries, and padding of %lld and %lld would remove more", dim,
                             (long long)n, (long long)p->front, (long long)p->back);
    p->part[0] = (stretch){smaller(above_zero(p->front), p->size), from, above_zero(count), 1};
    p->parts = 1;
    if (m == CONSTANT || (!p->front && !p->back))
        return true;
    int64_t most = m == REFLECT ? n - 1 : m == CIRCULAR ? count : INT64_MAX;
    if ((m == REPLICATE ? n : count) < 1 || p->front > most || p->back > most)
        return fa__call_fail(c, FA_ERROR_SHAPE,
                             "dimension %d has too few entries, %lld, to be padded so by %lld and %lld", dim,
                             (long long)n, (long long)p->front, (long long)p->back);
    go_on(p, n, m);
    return true;
}

/* Reads the pairs of pads, last dimension first, for all dimensions of x. */
static bool read_pads(const fa__call *c, const fa_tensor *x, fa_list pads, pad_mode m, padded *p)
{
    if (pads.count % 2 || pads.count > 2 * (size_t)x->rank)
        return fa__call_fail(c, FA_ERROR_SHAPE, "%zu pads: there are two for a dimension, of which x has %d",
                             pads.count, x->rank);
    for (int i = 0; i < x->rank; i++) {
        size_t at = 2 * (size_t)(x->rank - 1 - i);
        p[i] = (padded){.front = 0};
        if (at < pads.count
            && (!fa__list_whole(c, "pads", pads, at, &p[i].front)
                || !fa__list_whole(c, "pads", pads, at + 1, &p[i].back)))
            return false;
        if (!pad_dim(c, &p[i], i, x->shape[i], m))
            return false;
    }
    return true;
}

/* The view of t at one part of each dimension, in coordinates of the result or of x. NULL if it is empty. */
static fa_tensor *part_of(const fa_tensor *t, const padded *p, const int *which, bool result)
{
    fa_tensor *part = fa__own(fa__tensor_alias(t));
    for (int i = 0; part && i < t->rank; i++) {
        const stretch *s = &p[i].part[which[i]];
        if (!s->count)
            return NULL;
        part->shape[i] = s->count;
        part->offset += (result ? s->to : s->from) * part->stride[i];
        part->stride[i] *= result ? 1 : s->step;
        part->dense = false;
    }
    return part;
}

/* Advances to the next combination of parts; false after the last. */
static bool next_part(const padded *p, int rank, int *which)
{
    for (int i = 0; i < rank; i++) {
        if (++which[i] < p[i].parts)
            return true;
        which[i] = 0;
    }
    return false;
}

/* Fills the border: for each dimension both ends, over what has been filled in earlier dimensions. */
static bool fill_borders(fa__call *c, const padded *p, fa_arg value)
{
    fa_tensor *y = c->out[0];
    for (int i = 0; i < 2 * y->rank; i++) {
        fa_tensor *border = fa__own(fa__tensor_alias(y));
        if (!border)
            return false;
        for (int d = 0; d <= i / 2; d++) {
            const stretch *middle = &p[d].part[0];
            int64_t from = middle->to, to = middle->to + middle->count;
            if (d == i / 2 && i % 2 == 0)
                to = from, from = 0;
            else if (d == i / 2)
                from = to, to = p[d].size;
            border->shape[d] = to - from;
            border->offset += from * border->stride[d];
        }
        border->dense = false;
        if (fa__numel(border) && !fa__run_expression(c, border, "v", 1, (fa__bound[]){{.name = "v", .value = value}}))
            return false;
    }
    return true;
}

typedef struct {
    const fa_tensor *x;
    fa_list pads;                     /* FA_LIST(before, after, ...), the last dimension first; negative: crop */
    const char *mode OPT("constant"); /* "constant", "reflect", "replicate" or "circular" */
    double value OPT(0);              /* the value of mode "constant" */
} pad_args;

static bool pad_infer(fa__call *c)
{
    const pad_args *a = c->args;
    padded p[FA_MAX_DIMS] = {0};
    pad_mode m = CONSTANT;
    fa__spec *s = &c->spec[0];
    if (!read_mode(c, a->mode, &m) || !read_pads(c, a->x, a->pads, m, p))
        return false;
    if (m != CONSTANT && !(a->value == 0))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "mode \"%s\" takes no value", a->mode);
    if (!fa__dtype_holds((fa_dtype)a->x->dtype, a->value) && !(isnan(a->value) && fa__dtype_is_float(a->x->dtype)))
        return fa__call_fail(c, FA_ERROR_ARGUMENT, "%g does not fit into %s", a->value,
                             fa_dtype_name((fa_dtype)a->x->dtype));
    fa__infer_like(c, a->x, (fa_dtype)a->x->dtype);
    for (int i = 0; i < s->rank; i++)
        s->shape[i] = p[i].size;
    return true;
}

static bool pad_run(fa__call *c)
{
    const pad_args *a = c->args;
    padded p[FA_MAX_DIMS] = {0};
    int which[FA_MAX_DIMS] = {0};
    pad_mode m = CONSTANT;
    if (!read_mode(c, a->mode, &m) || !read_pads(c, a->x, a->pads, m, p))
        return false;
    bool whole = a->value == floor(a->value) && fabs(a->value) < 0x1p53;
    if (m == CONSTANT && !fill_borders(c, p, whole ? fa__arg_i((int64_t)a->value) : fa__arg_f(a->value)))
        return false;
    do {
        fa_tensor *to = part_of(c->out[0], p, which, true), *from = part_of(a->x, p, which, false);
        if (to && from && !fa__run_copy(c, to, from))
            return false;
    } while (next_part(p, a->x->rank, which));
    return !fa__failed();
}

/* The gradient of constant padding is cropped. */
static void pad_grad(fa__back *b)
{
    const pad_args *a = b->args;
    double opposite[2 * FA_MAX_DIMS];
    const fa_list pads = {a->pads.count, opposite};
    for (size_t i = 0; i < a->pads.count; i++)
        opposite[i] = -a->pads.item[i];
    fa__set_input_grad(b, &a->x,
                       strcmp(a->mode, "constant") != 0 ? fa__pad_back(b->gy[0], a->x, a->pads, a->mode)
                                                        : fa_pad(b->gy[0], pads));
}

/* PyTorch has no kernels of bf16 for replicating, nor for reflecting one or two dimensions. */
static fa__cast pad_cast(const fa__call *c)
{
    const pad_args *a = c->args;
    const bool reflects = !strcmp(a->mode, "reflect") && a->pads.count <= 4;
    return reflects || !strcmp(a->mode, "replicate") ? FA__CAST_F32 : FA__CAST_NONE;
}

/** Pads dimensions of x, starting from the last one: pads are the numbers of elements to add before and after the last
 *  dimension, then the one before it, and so on; negative numbers crop. In mode "constant" the new elements are
 *  `value`; "reflect" mirrors x at the edge without repeating it, "replicate" repeats the edge, "circular" wraps
 *  around. Under autocast on the CPU, "replicate", and "reflect" of one or two dimensions, give f32, as in PyTorch. */
OP(pad, pad_args, (y), .infer = pad_infer, .exact = true, .run = pad_run, .grad = pad_grad,
   .autocast_cpu = FA__CAST_F32, .autocast_by = pad_cast, TORCH("nn.functional.pad(x, pads, mode, value)"),
   ALSO("`constant_pad_nd`"),
   SAMPLES(
       "(3) l(1,2); (2,3) l(1,1,2,0) value=1.5; (3,4) l(-1,2); (2,3,2) l(0,0,1,0,0,2); (4) l(-2,-1) value=3; () l(); "
       "(0,2) l(1,1); (0,2) l(0,0,1,1) value=2; (2,5) l(2,3) mode='reflect'; (2,3,4) l(1,2,2,1) mode='reflect'; "
       "(2,5) l(-1,2) mode='reflect'; (2,3) l(2,4) mode='replicate'; (1,2,3) l(1,1,2,0) mode='replicate'; (2,3) "
       "l(-1,1) mode='replicate'; (2,4) l(4,2) mode='circular'; (1,2,3) l(1,3,2,1) mode='circular'; (2,4) l(-1,2) "
       "mode='circular'; (2,1,2,2,3) l(1,1,1,0,1,1) mode='reflect'; (2,1,2,2,3) l(1,2,1,0,1,1) mode='replicate'; "
       "(2,1,2,2,3) l(1,2,1,0,1,1) mode='circular'; (1,3) l(-4,3) mode='replicate'; (2,4) l(2,-1) mode='circular'; "
       "(1,3) l(4,-5) mode='replicate'; "
       "n(1,9) l(2,1) mode='reflect'"))

typedef struct {
    const fa_tensor *gy; /* the gradient of a padded tensor */
    fa_like like;        /* the tensor before padding */
    fa_list pads;        /* as for fa_pad() */
    const char *mode;    /* a mode other than "constant" */
} pad_back_args;

static bool pad_back_infer(fa__call *c)
{
    const pad_back_args *a = c->args;
    padded p[FA_MAX_DIMS] = {0};
    pad_mode m = CONSTANT;
    if (!read_mode(c, a->mode, &m) || !read_pads(c, a->like, a->pads, m, p))
        return false;
    bool fits = a->gy->rank == a->like->rank;
    for (int i = 0; fits && i < a->gy->rank; i++)
        fits = a->gy->shape[i] == p[i].size;
    if (!fits)
        return fa__call_fail(c, FA_ERROR_SHAPE, "gy is not of the padded shape");
    return fa__infer_like(c, a->like, (fa_dtype)a->gy->dtype);
}

/* Adds each part of gy to the elements it was copied from, in a fixed order. */
static bool pad_back_run(fa__call *c)
{
    const pad_back_args *a = c->args;
    padded p[FA_MAX_DIMS] = {0};
    int which[FA_MAX_DIMS] = {0};
    pad_mode m = CONSTANT;
    if (!read_mode(c, a->mode, &m) || !read_pads(c, a->like, a->pads, m, p)
        || !fa__run_expression(c, c->out[0], "0", 0, NULL))
        return false;
    do {
        fa_tensor *to = part_of(c->out[0], p, which, false), *from = part_of(a->gy, p, which, true);
        const fa_tensor *sum = to && from ? fa__summed_for(c, to, from) : NULL;
        fa__bound bound[] = {{.name = "v", .value = fa__arg_t(sum)}, {.name = "p", .value = fa__arg_t(to)}};
        if (to && from && (!sum || !fa__run_expression(c, to, "p + v", 2, bound)))
            return false;
    } while (next_part(p, a->gy->rank, which));
    return !fa__failed();
}

static void pad_back_grad(fa__back *b)
{
    const pad_back_args *a = b->args;
    fa__set_input_grad(b, &a->gy, fa_pad(b->gy[0], a->pads, .mode = a->mode));
}

/** The gradient of padding: each element's gradients from all of its copies, summed. */
OP(pad_back, pad_back_args, (y), .infer = pad_back_infer, .run = pad_back_run, .grad = pad_back_grad, INTERNAL,
   TORCH(""),
   SAMPLES("(2,7) (2,4) l(1,2) 'reflect'; (4,6) (2,3) l(2,1,0,2) 'replicate'; (5) (3) l(0,2) 'circular'; (2,4) "
           "(2,3) l(-1,2) 'replicate'"))

#include "pad.rows"
