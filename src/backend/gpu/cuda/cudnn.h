/* What the files about cuDNN share: the library, and graphs of operations, which it runs as one kernel. Values are
 * those of NVIDIA's documentation. Calls are made with the device's context (fa__cuda_enter). */
#ifndef FA__BACKEND_GPU_CUDA_CUDNN_H
#define FA__BACKEND_GPU_CUDA_CUDNN_H
#include "backend/gpu/cuda/cuda.h"
#include "backend/gpu/gpu.h"
#include "backend/gpu/plans.h"

/* types of elements */
enum {
    FA__CUDNN_F32 = 0,
    FA__CUDNN_F64 = 1,
    FA__CUDNN_F16 = 2,
    FA__CUDNN_I32 = 4,
    FA__CUDNN_BF16 = 9,
    FA__CUDNN_BOOL = 11
};

/* ---- cudnn.c ---- */
/* Whether the library is there; `any_size`: for work of any size. */
bool fa__cudnn_there(bool *any_size);
/* The device's handle, whose calls go to this queue; the library's status. */
int fa__cudnn_handle(const fa__gpu_queue *q, void **out);
/* Whether a status says that the library has no way to do this, but may have for others. */
bool fa__cudnn_is_unsupported(int status);

/* Work of one kind that it does, with its plans, on each device. */
typedef struct fa__cudnn_work {
    const char *name;
    fa__gpu_planning planning;
    struct {
        bool failed; /* it is not used any more */
        fa__gpu_plans plans;
    } on[FA__CUDA_DEVICES];
} fa__cudnn_work;

/* FA__DECLINED, and no error, when the library has no way, or fails with this status: then it is not used any more. */
uint64_t fa__cudnn_declined(fa__cudnn_work *, const fa__device *, int status);

/* ---- cudnn_attention.c ---- */
void fa__cudnn_attention_close(const fa__device *);

/* ---- cudnn_graph.c ---- */
enum { FA__CUDNN_DESCRIPTIONS = 192, FA__CUDNN_OPERATIONS = 32 };

typedef enum fa__cudnn_mode {
    FA__CUDNN_MUL = 1,
    FA__CUDNN_ADD = 0,
    FA__CUDNN_DIV = 6,
    FA__CUDNN_SUB = 9,
    FA__CUDNN_EXP = 13,
    FA__CUDNN_LOG = 15,
    FA__CUDNN_GE = 303,
    FA__CUDNN_INDEX = 501,
    FA__CUDNN_SELECT = 601
} fa__cudnn_mode;

typedef enum fa__cudnn_reduction { FA__CUDNN_SUM = 0, FA__CUDNN_LARGEST = 3 } fa__cudnn_reduction;

/* A graph while it is made, and then its plan. Of the calls that make it, none does anything behind one that failed. */
typedef struct fa__cudnn_graph {
    void *description[FA__CUDNN_DESCRIPTIONS], *operation[FA__CUDNN_OPERATIONS];
    int descriptions, operations, status; /* status: the library's, of the first failure */
    int64_t inner;                        /* the last number of a tensor without memory */
    void *plan;
    size_t scratch; /* bytes that a run needs */
} fa__cudnn_graph;

/* A tensor of four dimensions, which runs find by its number, above 0. `by_value`: one number, on the host. */
typedef struct fa__cudnn_tensor {
    int64_t number, size[4], stride[4];
    int type;
    bool by_value;
} fa__cudnn_tensor;

/* Whether this version of the library has graphs; `version`: 90100 for 9.1.0. */
bool fa__cudnn_has_graphs(size_t *version);
/* Descriptions, which the graph owns. */
void *fa__cudnn_operand(fa__cudnn_graph *, const fa__cudnn_tensor *);
/* A tensor that is in no memory: the result of one operation, for others. stride: NULL for rows. */
void *fa__cudnn_inner(fa__cudnn_graph *, int type, const int64_t size[4], const int64_t *stride);
/* Operations on them, in order. y = x (m, k) times b (k, n); y's elements from those of x, b and `test` (SELECT: of x
 * where it is true), which may be NULL, computed in `type`; INDEX: the place along `axis`. */
void fa__cudnn_multiply(fa__cudnn_graph *, void *x, void *b, void *y);
void fa__cudnn_each(fa__cudnn_graph *, fa__cudnn_mode, int type, int64_t axis, void *x, void *b, void *test, void *y);
void fa__cudnn_reduce(fa__cudnn_graph *, fa__cudnn_reduction, void *x, void *y); /* where y's size is 1 */
void fa__cudnn_turn(fa__cudnn_graph *, void *x, void *y); /* the same elements, as y's strides say */
/* The fastest plan that has the same bits in every run, and does with so much scratch memory. False, with `status`,
 * when there is none. */
bool fa__cudnn_plan(fa__cudnn_graph *, void *handle, size_t most_scratch);
/* Issues it to the handle's stream with the memory (or the host's numbers) of the tensors with these numbers. */
int fa__cudnn_run(fa__cudnn_graph *, void *handle, const int64_t *number, void *const *memory, int count,
                  void *scratch);
void fa__cudnn_graph_free(fa__cudnn_graph *);
#endif
