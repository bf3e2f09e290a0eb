/* cuDNN's graphs of operations: descriptions with attributes, each checked by its kind and type, and a run of a graph
 * element by element in f64, whatever its operations compute. Numbers in between are rounded to their tensors' types.
 */
#define _GNU_SOURCE
#include "cudasim.h"
#include "numbers.h"
#include <stdlib.h>

enum {
    ALLOC_FAILED = 1002,
    INVALID = 2000,
    NOT_SUPPORTED = 3000,
    SCRATCH = 1024,
    LACKING = 24, /* matrices of so many columns are never multiplied, so that this can be seen */
    /* kinds of descriptions */
    POINTWISE = 0,
    ENGINE = 2,
    CONFIG = 3,
    SEARCH = 4,
    PLAN = 5,
    EACH = 13,
    GRAPH = 15,
    PACK = 16,
    TENSOR = 17,
    MATMUL = 18,
    MULTIPLY = 19,
    REDUCTION = 21,
    REDUCE = 22,
    TURN = 31,
    /* types of attributes */
    HANDLES = 0,
    DATA_TYPES = 1,
    BOOLEANS = 2,
    INTEGERS = 3,
    POINTERS = 6,
    DESCRIPTIONS = 15,
    /* of tensors */
    I32 = NONE + 1,
    BOOL,
    MOST = 48, /* of anything */
    TENSORS = 44,
    OPERATIONS = 24
};

/* ---- descriptions ---- */
typedef struct attribute {
    int name, count;
    int64_t value[MOST]; /* numbers, or addresses */
} attribute;

typedef struct description {
    int kind, attributes, engine;
    bool final;
    struct description *graph; /* of a configuration */
    attribute attribute[8];
} description;

/* What a description of a kind has, and whether it has to. */
static const struct {
    int kind, name, type;
    bool must;
} known[] = {
    {POINTWISE, 0, 14, true},
    {POINTWISE, 1, DATA_TYPES, true},
    {POINTWISE, 9, INTEGERS, false},
    {SEARCH, 200, 8, true},
    {SEARCH, 201, DESCRIPTIONS, true},
    {PLAN, 400, HANDLES, true},
    {PLAN, 401, DESCRIPTIONS, true},
    {EACH, 750, DESCRIPTIONS, true},
    {EACH, 751, DESCRIPTIONS, true},
    {EACH, 752, DESCRIPTIONS, false},
    {EACH, 753, DESCRIPTIONS, true},
    {EACH, 758, DESCRIPTIONS, false},
    {GRAPH, 800, HANDLES, true},
    {GRAPH, 801, DESCRIPTIONS, true},
    {TENSOR, 900, INTEGERS, true},
    {TENSOR, 901, DATA_TYPES, true},
    {TENSOR, 902, INTEGERS, true},
    {TENSOR, 903, INTEGERS, true},
    {TENSOR, 906, INTEGERS, true},
    {TENSOR, 907, BOOLEANS, false},
    {TENSOR, 908, BOOLEANS, false},
    {PACK, 1000, INTEGERS, true},
    {PACK, 1001, POINTERS, true},
    {PACK, 1003, POINTERS, true},
    {MATMUL, 1500, DATA_TYPES, true},
    {MULTIPLY, 1520, DESCRIPTIONS, true},
    {MULTIPLY, 1521, DESCRIPTIONS, true},
    {MULTIPLY, 1522, DESCRIPTIONS, true},
    {MULTIPLY, 1523, DESCRIPTIONS, true},
    {REDUCTION, 1600, 18, true},
    {REDUCTION, 1601, DATA_TYPES, true},
    {REDUCE, 1610, DESCRIPTIONS, true},
    {REDUCE, 1611, DESCRIPTIONS, true},
    {REDUCE, 1612, DESCRIPTIONS, true},
    {TURN, 2200, DESCRIPTIONS, true},
    {TURN, 2201, DESCRIPTIONS, true},
};
enum { KNOWN = sizeof known / sizeof *known };

static attribute *find(const description *d, int name)
{
    for (int i = 0; i < d->attributes; i++)
        if (d->attribute[i].name == name)
            return (attribute *)&d->attribute[i];
    return NULL;
}

/* The first value of an attribute; 0: it is not set. */
static int64_t number(const description *d, int name)
{
    const attribute *a = find(d, name);
    return a ? a->value[0] : 0;
}

static description *part(const description *d, int name)
{
    return (description *)(intptr_t)number(d, name);
}

#define DNN EXPORT int

EXPORT size_t cudnnGetVersion(void)
{
    return 91000;
}

DNN cudnnBackendCreateDescriptor(int kind, void **out)
{
    if (!cudasim_enter("cudnnBackendCreateDescriptor"))
        return cudasim_entered;
    description *d = calloc(1, sizeof *d);
    if (d)
        d->kind = kind;
    *out = d;
    return cudasim_leave(d ? 0 : ALLOC_FAILED);
}

DNN cudnnBackendDestroyDescriptor(void *d)
{
    if (!cudasim_enter("cudnnBackendDestroyDescriptor"))
        return cudasim_entered;
    free(d);
    return cudasim_leave(0);
}

/* Numbers and addresses as 8 bytes */
static void widen(int64_t *to, int type, int64_t count, const void *from)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = type == BOOLEANS ? ((const bool *)from)[i]
                : type == HANDLES || type == INTEGERS || type == POINTERS || type == DESCRIPTIONS
                    ? ((const int64_t *)from)[i]
                    : ((const int *)from)[i];
}

DNN cudnnBackendSetAttribute(void *what, int name, int type, int64_t count, const void *values)
{
    description *d = what;
    bool good = false;
    if (!cudasim_enter("cudnnBackendSetAttribute"))
        return cudasim_entered;
    for (int i = 0; i < KNOWN; i++)
        good |= known[i].kind == d->kind && known[i].name == name && known[i].type == type;
    good = good && !d->final && count > 0 && count <= MOST && !find(d, name);
    if (!good)
        return cudasim_leave(INVALID);
    attribute *a = &d->attribute[d->attributes++];
    a->name = name;
    a->count = (int)count;
    widen(a->value, type, count, values);
    return cudasim_leave(0);
}

/* ---- what goes together ---- */
typedef struct tensor {
    int8_t type;
    bool is_inner, by_value;
    int32_t number, size[4];
    int64_t stride[4];
} tensor;

static int type_of(int64_t type)
{
    return type == 0 ? F32 : type == 2 ? F16 : type == 4 ? I32 : type == 9 ? BF16 : type == 11 ? BOOL : NONE;
}

static tensor tensor_of(const description *d)
{
    tensor t = {.type = (int8_t)type_of(number(d, 901)),
                .is_inner = number(d, 907),
                .by_value = number(d, 908),
                .number = (int32_t)number(d, 906)};
    for (int i = 0; i < 4; i++) {
        t.size[i] = (int32_t)find(d, 902)->value[i];
        t.stride[i] = find(d, 903)->value[i];
    }
    return t;
}

static bool is_tensor(const description *d)
{
    const tensor t = tensor_of(d);
    bool good = find(d, 902)->count == 4 && find(d, 903)->count == 4 && t.type != NONE && number(d, 900) == 16;
    for (int i = 0; i < 4; i++)
        good = good && t.size[i] > 0 && t.stride[i] > 0;
    return good && t.number > 0 && !(t.is_inner && t.by_value);
}

/* y has x's size, where x is not spread. */
static bool spreads(const description *x, const description *y)
{
    const tensor a = tensor_of(x), b = tensor_of(y);
    bool good = true;
    for (int i = 0; i < 4; i++)
        good = good && (a.size[i] == b.size[i] || a.size[i] == 1);
    return good;
}

static bool is_product(const description *d)
{
    const tensor a = tensor_of(part(d, 1520)), b = tensor_of(part(d, 1521)), c = tensor_of(part(d, 1522));
    return number(part(d, 1523), 1500) == 0 && a.size[2] == c.size[2] && b.size[3] == c.size[3]
           && a.size[3] == b.size[2] && a.size[0] == c.size[0] && a.size[1] == c.size[1] && b.size[0] == c.size[0]
           && b.size[1] == c.size[1] && b.type == (a.type == F32 ? b.type : a.type);
}

/* The last two dimensions change places. */
static bool is_turn(const description *d)
{
    const tensor a = tensor_of(part(d, 2200)), b = tensor_of(part(d, 2201));
    bool good = true;
    for (int i = 0; i < 4; i++) {
        const int other = i < 2 ? i : 5 - i;
        good = good && a.size[i] == b.size[other] && a.stride[i] == b.stride[other];
    }
    return good;
}

static bool is_each(const description *d)
{
    const description *b = part(d, 752), *test = part(d, 758), *y = part(d, 753);
    const int64_t mode = number(part(d, 750), 0);
    const bool one = mode == 13 || mode == 15 || mode == 501, three = mode == 601;
    const int type = tensor_of(y).type, computed = type_of(number(part(d, 750), 1));
    bool good = !b == one && !test == !three && spreads(part(d, 751), y) && (!b || spreads(b, y))
                && (!test || (spreads(test, y) && tensor_of(test).type == BOOL));
    return good && (mode == 501 ? type == I32 : mode == 303 ? type == BOOL && computed == BOOL : computed == F32);
}

static bool is_graph(const description *d)
{
    const attribute *all = find(d, 801);
    bool good = all->count <= OPERATIONS;
    for (int i = 0; i < all->count && good; i++) {
        const description *o = (description *)(intptr_t)all->value[i];
        const int kind = o->kind;
        good = o->final && (kind == EACH || kind == MULTIPLY || kind == REDUCE || kind == TURN);
    }
    return good;
}

static int64_t columns_of(const description *graph)
{
    const description *first = (description *)(intptr_t)find(graph, 801)->value[0];
    return tensor_of(part(first, first->kind == MULTIPLY ? 1520 : 751)).size[3];
}

static int check(const description *d)
{
    bool good = !d->final;
    for (int i = 0; i < KNOWN; i++)
        good = good && (known[i].kind != d->kind || !known[i].must || find(d, known[i].name));
    for (int i = 0; i < KNOWN && good; i++)
        if (known[i].kind == d->kind && known[i].type == DESCRIPTIONS && find(d, known[i].name))
            good = part(d, known[i].name)->final;
    if (!good)
        return INVALID;
    if (d->kind == PLAN && columns_of(part(d, 401)->graph) == LACKING)
        return NOT_SUPPORTED;
    good = d->kind == TENSOR     ? is_tensor(d)
           : d->kind == MULTIPLY ? is_product(d)
           : d->kind == TURN     ? is_turn(d)
           : d->kind == EACH     ? is_each(d)
           : d->kind == REDUCE   ? spreads(part(d, 1611), part(d, 1610)) && number(part(d, 1612), 1601) == 0
           : d->kind == GRAPH    ? is_graph(d)
           : d->kind == SEARCH   ? number(d, 200) == 3
           : d->kind == PLAN     ? part(d, 401)->engine == 1
           : d->kind == PACK     ? find(d, 1000)->count == find(d, 1001)->count && find(d, 1003)->count == 1
                                 : true;
    return good ? 0 : INVALID;
}

DNN cudnnBackendFinalize(void *what)
{
    description *d = what;
    if (!cudasim_enter("cudnnBackendFinalize"))
        return cudasim_entered;
    const int status = check(d);
    d->final = !status;
    return cudasim_leave(status);
}

/* A search finds two engines, of which the first one is not reproducible. */
DNN cudnnBackendGetAttribute(void *what, int name, int type, int64_t most, int64_t *count, void *values)
{
    const description *d = what;
    description **out = values;
    if (!cudasim_enter("cudnnBackendGetAttribute"))
        return cudasim_entered;
    *count = 1;
    if (!d->final)
        return cudasim_leave(INVALID);
    if (d->kind == SEARCH && name == 202 && type == DESCRIPTIONS && most >= 2) {
        for (int i = 0; i < 2; i++) {
            out[i]->engine = i;
            out[i]->graph = part(d, 201);
            out[i]->final = out[i]->kind == CONFIG;
        }
        *count = 2;
    } else if (d->kind == CONFIG && name == 300 && type == DESCRIPTIONS && out[0]->kind == ENGINE) {
        out[0]->engine = d->engine;
        out[0]->final = true;
    } else if (d->kind == ENGINE && name == 1303 && type == 11 && most > 0)
        *(int *)values = d->engine ? 0 : 4;
    else if (d->kind == PLAN && name == 402 && type == INTEGERS && most > 0)
        *(int64_t *)values = SCRATCH;
    else
        return cudasim_leave(INVALID);
    return cudasim_leave(0);
}

/* ---- a graph that is to run ---- */
typedef struct operation {
    int16_t kind, mode;
    int8_t axis, x, b, test, y; /* numbers of operands; -1: none */
} operation;

typedef struct work {
    int tensors, operations;
    void *scratch;
    struct {
        tensor t;
        union {
            void *memory;
            double value;
        } is;
    } of[TENSORS];
    operation operation[OPERATIONS];
} work;
_Static_assert(sizeof(work) <= sizeof((command *)0)->value, "a command has room");

static int64_t offset(const tensor *t, const int at[4])
{
    int64_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += t->size[i] == 1 ? 0 : at[i] * t->stride[i];
    return sum;
}

static int64_t extent(const tensor *t)
{
    return offset(t, (int[4]){t->size[0] - 1, t->size[1] - 1, t->size[2] - 1, t->size[3] - 1}) + 1;
}

/* The operand's number among the tensors; -1: none; -2: what it needs is not there. */
static int add_tensor(work *w, CUcontext c, const description *d, const description *pack)
{
    const attribute *numbers = find(pack, 1000), *memory = find(pack, 1001);
    if (!d)
        return -1;
    const tensor t = tensor_of(d);
    for (int i = 0; i < w->tensors; i++)
        if (w->of[i].t.number == t.number && memcmp(w->of[i].t.size, t.size, sizeof t.size) == 0)
            return i;
    if (w->tensors == TENSORS)
        return -2;
    const int k = w->tensors++;
    w->of[k].t = t;
    w->of[k].is.memory = NULL;
    for (int i = 0; i < numbers->count; i++)
        if (numbers->value[i] == t.number)
            w->of[k].is.memory = (void *)(intptr_t)memory->value[i];
    if (t.is_inner)
        return w->of[k].is.memory ? -2 : k;
    if (!w->of[k].is.memory || (uintptr_t)w->of[k].is.memory % (t.by_value ? 4 : 16))
        return -2;
    if (t.by_value)
        w->of[k].is.value = (double)*(const float *)w->of[k].is.memory;
    else if (!cudasim_has(c->device, w->of[k].is.memory, (size_t)extent(&t) * cudasim_size_of(t.type)))
        return -2;
    return k;
}

static bool add_operation(work *w, CUcontext c, const description *d, const description *pack)
{
    static const struct {
        int kind, how, x, b, test, y;
    } names[] = {{EACH, 750, 751, 752, 758, 753},
                 {MULTIPLY, 1523, 1520, 1521, 0, 1522},
                 {REDUCE, 1612, 1610, 0, 0, 1611},
                 {TURN, 0, 2200, 0, 0, 2201}};
    int i = 0;
    while (names[i].kind != d->kind)
        i++;
    const description *how = part(d, names[i].how);
    const int x = add_tensor(w, c, part(d, names[i].x), pack), b = add_tensor(w, c, part(d, names[i].b), pack),
              test = add_tensor(w, c, part(d, names[i].test), pack), y = add_tensor(w, c, part(d, names[i].y), pack);
    w->operation[w->operations++] = (operation){.kind = (int16_t)d->kind,
                                                .mode = (int16_t)(d->kind == EACH     ? number(how, 0)
                                                                  : d->kind == REDUCE ? number(how, 1600)
                                                                                      : 0),
                                                .axis = (int8_t)(d->kind == EACH ? number(how, 9) : 0),
                                                .x = (int8_t)x,
                                                .b = (int8_t)b,
                                                .test = (int8_t)test,
                                                .y = (int8_t)y};
    return x > -2 && b > -2 && test > -2 && y > -2;
}

/* ---- running it ---- */
typedef struct run {
    const work *w;
    double *inner[TENSORS]; /* of tensors without memory, by their strides */
} run;

static double rounded(int type, double x)
{
    return type == F16    ? cudasim_of_f16(cudasim_to_f16((float)x))
           : type == BF16 ? (double)cudasim_shortened((float)x, 16)
                          : x;
}

static double load(const run *r, int k, const int at[4])
{
    const tensor *t = &r->w->of[k].t;
    return t->by_value   ? r->w->of[k].is.value
           : t->is_inner ? r->inner[k][offset(t, at)]
                         : cudasim_load(r->w->of[k].is.memory, t->type, offset(t, at));
}

static void store(run *r, int k, const int at[4], double x)
{
    const tensor *t = &r->w->of[k].t;
    if (t->is_inner)
        r->inner[k][offset(t, at)] = rounded(t->type, x);
    else
        cudasim_store(r->w->of[k].is.memory, t->type, offset(t, at), x);
}

static double computed(const run *r, const operation *o, const int at[4])
{
    if (o->mode == 501)
        return at[o->axis];
    const double x = load(r, o->x, at), b = o->b < 0 ? 0 : load(r, o->b, at);
    switch (o->mode) {
    case 0:
        return x + b;
    case 1:
        return x * b;
    case 6:
        return x / b;
    case 9:
        return x - b;
    case 13:
        return exp(x);
    case 15:
        return log(x);
    case 303:
        return x >= b;
    case 601:
        return load(r, o->test, at) != 0 ? x : b;
    default:
        return NAN;
    }
}

static double multiplied(const run *r, const operation *o, const int at[4])
{
    double sum = 0;
    for (int k = 0; k < r->w->of[o->x].t.size[3]; k++)
        sum += load(r, o->x, (int[4]){at[0], at[1], at[2], k}) * load(r, o->b, (int[4]){at[0], at[1], k, at[3]});
    return sum;
}

/* Over the last dimension */
static double reduced(const run *r, const operation *o, const int at[4])
{
    double all = o->mode == 3 ? -INFINITY : 0;
    for (int k = 0; k < r->w->of[o->x].t.size[3]; k++) {
        const double x = load(r, o->x, (int[4]){at[0], at[1], at[2], k});
        all = o->mode == 3 ? fmax(all, x) : all + x;
    }
    return all;
}

static double result(const run *r, const operation *o, const int at[4])
{
    return o->kind == EACH       ? computed(r, o, at)
           : o->kind == MULTIPLY ? multiplied(r, o, at)
           : o->kind == REDUCE   ? reduced(r, o, at)
                                 : load(r, o->x, (int[4]){at[0], at[1], at[3], at[2]});
}

static void run_operation(run *r, const operation *o)
{
    const int32_t *size = r->w->of[o->y].t.size;
    int at[4];
    for (at[0] = 0; at[0] < size[0]; at[0]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[2] = 0; at[2] < size[2]; at[2]++)
                for (at[3] = 0; at[3] < size[3]; at[3]++)
                    store(r, o->y, at, result(r, o, at));
}

static void run_graph(const void *what)
{
    run r = {.w = what};
    bool good = true;
    memset(r.w->scratch, 0xff, SCRATCH);
    for (int i = 0; i < r.w->tensors; i++)
        if (r.w->of[i].t.is_inner)
            good &= (r.inner[i] = malloc((size_t)extent(&r.w->of[i].t) * sizeof(double))) != NULL;
    for (int i = 0; i < r.w->operations && good; i++)
        run_operation(&r, &r.w->operation[i]);
    for (int i = 0; i < r.w->tensors; i++)
        free(r.inner[i]);
}

DNN cudnnBackendExecute(void *handle, void *plan_, void *pack)
{
    CUcontext c = cudasim_enter("cudnnBackendExecute");
    if (!c)
        return cudasim_entered;
    const description *plan = plan_;
    command next = {.kind = CALL, .call = run_graph};
    work w = {.tensors = 0};
    CUstream stream = *(CUstream *)handle;
    bool good = plan->final && ((description *)pack)->final && stream->context == c;
    const attribute *all = good ? find(part(plan, 401)->graph, 801) : NULL;
    for (int i = 0; good && i < all->count; i++)
        good = add_operation(&w, c, (description *)(intptr_t)all->value[i], pack);
    w.scratch = good ? (void *)(intptr_t)number(pack, 1003) : NULL;
    if (!good || !cudasim_has(c->device, w.scratch, SCRATCH))
        return cudasim_leave(INVALID);
    memcpy(next.value, &w, sizeof w);
    return cudasim_leave(cudasim_issue(stream, &next) ? 0 : ALLOC_FAILED);
}
