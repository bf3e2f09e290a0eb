/* Graphs of operations for cuDNN: descriptions with attributes, of which it makes a plan. Names and values are those of
 * NVIDIA's documentation of the backend API. */
#include "backend/gpu/cuda/cudnn.h"
#include <string.h>

enum {
    /* descriptions */
    POINTWISE = 0,
    ENGINE = 2,
    ENGINECFG = 3,
    ENGINEHEUR = 4,
    EXECUTION_PLAN = 5,
    OPERATION_POINTWISE = 13,
    OPERATIONGRAPH = 15,
    VARIANT_PACK = 16,
    TENSOR = 17,
    MATMUL = 18,
    OPERATION_MATMUL = 19,
    REDUCTION = 21,
    OPERATION_REDUCTION = 22,
    OPERATION_RESHAPE = 31,
    /* types of attributes */
    TYPE_HANDLE = 0,
    TYPE_DATA_TYPE = 1,
    TYPE_BOOLEAN = 2,
    TYPE_INT64 = 3,
    TYPE_VOID_PTR = 6,
    TYPE_HEUR_MODE = 8,
    TYPE_NUMERICAL_NOTE = 11,
    TYPE_POINTWISE_MODE = 14,
    TYPE_DESCRIPTOR = 15,
    TYPE_REDUCTION_OPERATOR = 18,
    /* attributes */
    POINTWISE_MODE = 0,
    POINTWISE_MATH_PREC = 1,
    POINTWISE_AXIS = 9,
    ENGINEHEUR_MODE = 200,
    ENGINEHEUR_OPERATION_GRAPH = 201,
    ENGINEHEUR_RESULTS = 202,
    ENGINECFG_ENGINE = 300,
    PLAN_HANDLE = 400,
    PLAN_ENGINE_CONFIG = 401,
    PLAN_WORKSPACE_SIZE = 402,
    OPERATION_POINTWISE_PW = 750,
    OPERATION_POINTWISE_X = 751,
    OPERATION_POINTWISE_B = 752,
    OPERATION_POINTWISE_Y = 753,
    OPERATION_POINTWISE_T = 758,
    OPERATIONGRAPH_HANDLE = 800,
    OPERATIONGRAPH_OPS = 801,
    TENSOR_BYTE_ALIGNMENT = 900,
    TENSOR_DATA_TYPE = 901,
    TENSOR_DIMENSIONS = 902,
    TENSOR_STRIDES = 903,
    TENSOR_UNIQUE_ID = 906,
    TENSOR_IS_VIRTUAL = 907,
    TENSOR_IS_BY_VALUE = 908,
    VARIANT_PACK_UNIQUE_IDS = 1000,
    VARIANT_PACK_DATA_POINTERS = 1001,
    VARIANT_PACK_WORKSPACE = 1003,
    ENGINE_NUMERICAL_NOTE = 1303,
    MATMUL_COMP_TYPE = 1500,
    OPERATION_MATMUL_A = 1520,
    OPERATION_MATMUL_B = 1521,
    OPERATION_MATMUL_C = 1522,
    OPERATION_MATMUL_DESC = 1523,
    REDUCTION_OPERATOR = 1600,
    REDUCTION_COMP_TYPE = 1601,
    OPERATION_REDUCTION_X = 1610,
    OPERATION_REDUCTION_Y = 1611,
    OPERATION_REDUCTION_DESC = 1612,
    OPERATION_RESHAPE_X = 2200,
    OPERATION_RESHAPE_Y = 2201,
    /* values */
    HEUR_MODE_A = 3,
    NOTE_NONDETERMINISTIC = 4,
    NOTES = 32,

    NUMBER_ALIGNMENT = 16, /* bytes of all tensors */
    FIRST_INNER = 1000,
    CONFIGS = 8, /* that are tried */
    TOO_LARGE = 3001,
    OUT_OF_ROOM = 1
};

#define FUNCTIONS(FUNCTION)                                                                                            \
    FUNCTION(cudnnBackendCreateDescriptor, int, (int kind, void **))                                                   \
    FUNCTION(cudnnBackendDestroyDescriptor, int, (void *))                                                             \
    FUNCTION(cudnnBackendSetAttribute, int, (void *, int attribute, int type, int64_t count, const void *))            \
    FUNCTION(cudnnBackendGetAttribute, int, (void *, int attribute, int type, int64_t most, int64_t *count, void *))   \
    FUNCTION(cudnnBackendFinalize, int, (void *))                                                                      \
    FUNCTION(cudnnBackendExecute, int, (void *handle, void *plan, void *pack))                                         \
    FUNCTION(cudnnGetVersion, size_t, (void))

static struct {
#define MEMBER(name, result, parameters) result(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} dnn;

/* ---- finding it ---- */
static bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
#define SYMBOL(name, result, parameters) {#name, &dnn.name, false},
    static const fa__symbol symbols[] = {FUNCTIONS(SYMBOL)};
#undef SYMBOL
    static fa__library library;
    is_open = fa__cuda_open_library(&library, "FACULA_CUDNN_LIBRARY", "libcudnn", 9, symbols,
                                    sizeof symbols / sizeof *symbols);
}

bool fa__cudnn_has_graphs(size_t *version)
{
    pthread_once(&once, open_library);
    *version = is_open ? dnn.cudnnGetVersion() : 0;
    return is_open;
}

/* ---- descriptions ---- */
typedef fa__cudnn_graph graph;

static void *make(graph *g, int kind)
{
    void *made = NULL;
    if (!g->status)
        g->status =
            g->descriptions == FA__CUDNN_DESCRIPTIONS ? OUT_OF_ROOM : dnn.cudnnBackendCreateDescriptor(kind, &made);
    if (made)
        g->description[g->descriptions++] = made;
    return made;
}

static void set(graph *g, void *d, int attribute, int type, int64_t count, const void *values)
{
    if (!g->status)
        g->status = dnn.cudnnBackendSetAttribute(d, attribute, type, count, values);
}

static void set_int(graph *g, void *d, int attribute, int type, int value)
{
    set(g, d, attribute, type, 1, &value);
}

static void set_bool(graph *g, void *d, int attribute, bool value)
{
    set(g, d, attribute, TYPE_BOOLEAN, 1, &value);
}

/* NULL: none */
static void set_description(graph *g, void *d, int attribute, void *value)
{
    if (value)
        set(g, d, attribute, TYPE_DESCRIPTOR, 1, &value);
}

static void finish(graph *g, void *d)
{
    if (!g->status)
        g->status = dnn.cudnnBackendFinalize(d);
}

static void *describe(graph *g, const fa__cudnn_tensor *t, bool is_inner)
{
    const int64_t alignment = NUMBER_ALIGNMENT;
    void *d = make(g, TENSOR);
    set_int(g, d, TENSOR_DATA_TYPE, TYPE_DATA_TYPE, t->type);
    set(g, d, TENSOR_DIMENSIONS, TYPE_INT64, 4, t->size);
    set(g, d, TENSOR_STRIDES, TYPE_INT64, 4, t->stride);
    set(g, d, TENSOR_UNIQUE_ID, TYPE_INT64, 1, &t->number);
    set(g, d, TENSOR_BYTE_ALIGNMENT, TYPE_INT64, 1, &alignment);
    set_bool(g, d, TENSOR_IS_VIRTUAL, is_inner);
    set_bool(g, d, TENSOR_IS_BY_VALUE, t->by_value);
    finish(g, d);
    return d;
}

void *fa__cudnn_operand(graph *g, const fa__cudnn_tensor *t)
{
    return describe(g, t, false);
}

void *fa__cudnn_inner(graph *g, int type, const int64_t size[4], const int64_t *stride)
{
    fa__cudnn_tensor t = {.number = FIRST_INNER + ++g->inner, .type = type, .stride = {0, 0, 0, 1}};
    memcpy(t.size, size, sizeof t.size);
    for (int i = 2; i >= 0; i--)
        t.stride[i] = t.stride[i + 1] * size[i + 1];
    if (stride)
        memcpy(t.stride, stride, sizeof t.stride);
    return describe(g, &t, true);
}

/* ---- operations ---- */
static void add(graph *g, void *operation)
{
    finish(g, operation);
    if (!g->status && g->operations == FA__CUDNN_OPERATIONS)
        g->status = OUT_OF_ROOM;
    if (!g->status)
        g->operation[g->operations++] = operation;
}

void fa__cudnn_multiply(graph *g, void *x, void *b, void *y)
{
    void *how = make(g, MATMUL);
    set_int(g, how, MATMUL_COMP_TYPE, TYPE_DATA_TYPE, FA__CUDNN_F32);
    finish(g, how);
    void *operation = make(g, OPERATION_MATMUL);
    set_description(g, operation, OPERATION_MATMUL_A, x);
    set_description(g, operation, OPERATION_MATMUL_B, b);
    set_description(g, operation, OPERATION_MATMUL_C, y);
    set_description(g, operation, OPERATION_MATMUL_DESC, how);
    add(g, operation);
}

void fa__cudnn_each(graph *g, fa__cudnn_mode mode, int type, int64_t axis, void *x, void *b, void *test, void *y)
{
    void *how = make(g, POINTWISE);
    set_int(g, how, POINTWISE_MODE, TYPE_POINTWISE_MODE, (int)mode);
    set_int(g, how, POINTWISE_MATH_PREC, TYPE_DATA_TYPE, type);
    if (mode == FA__CUDNN_INDEX)
        set(g, how, POINTWISE_AXIS, TYPE_INT64, 1, &axis);
    finish(g, how);
    void *operation = make(g, OPERATION_POINTWISE);
    set_description(g, operation, OPERATION_POINTWISE_PW, how);
    set_description(g, operation, OPERATION_POINTWISE_X, x);
    set_description(g, operation, OPERATION_POINTWISE_B, b);
    set_description(g, operation, OPERATION_POINTWISE_T, test);
    set_description(g, operation, OPERATION_POINTWISE_Y, y);
    add(g, operation);
}

void fa__cudnn_reduce(graph *g, fa__cudnn_reduction reduction, void *x, void *y)
{
    void *how = make(g, REDUCTION);
    set_int(g, how, REDUCTION_OPERATOR, TYPE_REDUCTION_OPERATOR, (int)reduction);
    set_int(g, how, REDUCTION_COMP_TYPE, TYPE_DATA_TYPE, FA__CUDNN_F32);
    finish(g, how);
    void *operation = make(g, OPERATION_REDUCTION);
    set_description(g, operation, OPERATION_REDUCTION_X, x);
    set_description(g, operation, OPERATION_REDUCTION_Y, y);
    set_description(g, operation, OPERATION_REDUCTION_DESC, how);
    add(g, operation);
}

void fa__cudnn_turn(graph *g, void *x, void *y)
{
    void *operation = make(g, OPERATION_RESHAPE);
    set_description(g, operation, OPERATION_RESHAPE_X, x);
    set_description(g, operation, OPERATION_RESHAPE_Y, y);
    add(g, operation);
}

/* ---- plans ---- */
static void get(graph *g, void *d, int attribute, int type, int64_t most, int64_t *count, void *values)
{
    if (!g->status)
        g->status = dnn.cudnnBackendGetAttribute(d, attribute, type, most, count, values);
}

/* What the library thinks of, the fastest first; how many there are. */
static int64_t find_configs(graph *g, void *handle, void *config[CONFIGS])
{
    int64_t count = 0;
    void *all = make(g, OPERATIONGRAPH);
    set(g, all, OPERATIONGRAPH_HANDLE, TYPE_HANDLE, 1, &handle);
    set(g, all, OPERATIONGRAPH_OPS, TYPE_DESCRIPTOR, g->operations, g->operation);
    finish(g, all);
    void *search = make(g, ENGINEHEUR);
    set_description(g, search, ENGINEHEUR_OPERATION_GRAPH, all);
    set_int(g, search, ENGINEHEUR_MODE, TYPE_HEUR_MODE, HEUR_MODE_A);
    finish(g, search);
    for (int i = 0; i < CONFIGS; i++)
        config[i] = make(g, ENGINECFG);
    get(g, search, ENGINEHEUR_RESULTS, TYPE_DESCRIPTOR, CONFIGS, &count, config);
    return g->status ? 0 : count < CONFIGS ? count : CONFIGS;
}

static bool is_reproducible(graph *g, void *config)
{
    int note[NOTES];
    int64_t count = 0;
    void *engine = make(g, ENGINE);
    get(g, config, ENGINECFG_ENGINE, TYPE_DESCRIPTOR, 1, &count, &engine);
    get(g, engine, ENGINE_NUMERICAL_NOTE, TYPE_NUMERICAL_NOTE, NOTES, &count, note);
    bool good = !g->status;
    for (int64_t i = 0; i < count && i < NOTES; i++)
        good = good && note[i] != NOTE_NONDETERMINISTIC;
    return good;
}

/* What one configuration lacks, another one may have: its failure is only a status. */
static int try_config(graph *g, void *handle, void *config, size_t most_scratch)
{
    int64_t count = 0, scratch = 0;
    void *plan = make(g, EXECUTION_PLAN);
    set(g, plan, PLAN_HANDLE, TYPE_HANDLE, 1, &handle);
    set_description(g, plan, PLAN_ENGINE_CONFIG, config);
    if (g->status)
        return g->status;
    const int status = dnn.cudnnBackendFinalize(plan);
    if (status)
        return status;
    get(g, plan, PLAN_WORKSPACE_SIZE, TYPE_INT64, 1, &count, &scratch);
    if (g->status || scratch < 0 || (uint64_t)scratch > most_scratch)
        return g->status ? g->status : TOO_LARGE;
    g->plan = plan;
    g->scratch = (size_t)scratch;
    return 0;
}

bool fa__cudnn_plan(graph *g, void *handle, size_t most_scratch)
{
    void *config[CONFIGS];
    int status = TOO_LARGE;
    const int64_t count = find_configs(g, handle, config);
    for (int64_t i = 0; i < count && !g->plan && !g->status; i++)
        if (is_reproducible(g, config[i]))
            status = try_config(g, handle, config[i], most_scratch);
    if (!g->plan && !g->status)
        g->status = status;
    return g->plan != NULL;
}

int fa__cudnn_run(graph *g, void *handle, const int64_t *number, void *const *memory, int count, void *scratch)
{
    void *pack = NULL;
    int status = dnn.cudnnBackendCreateDescriptor(VARIANT_PACK, &pack);
    if (!status)
        status = dnn.cudnnBackendSetAttribute(pack, VARIANT_PACK_UNIQUE_IDS, TYPE_INT64, count, number);
    if (!status)
        status = dnn.cudnnBackendSetAttribute(pack, VARIANT_PACK_DATA_POINTERS, TYPE_VOID_PTR, count, memory);
    if (!status)
        status = dnn.cudnnBackendSetAttribute(pack, VARIANT_PACK_WORKSPACE, TYPE_VOID_PTR, 1, &scratch);
    if (!status)
        status = dnn.cudnnBackendFinalize(pack);
    if (!status)
        status = dnn.cudnnBackendExecute(handle, g->plan, pack);
    if (pack)
        dnn.cudnnBackendDestroyDescriptor(pack);
    return status;
}

void fa__cudnn_graph_free(graph *g)
{
    while (g->descriptions > 0)
        dnn.cudnnBackendDestroyDescriptor(g->description[--g->descriptions]);
    *g = (graph){.status = 0};
}
