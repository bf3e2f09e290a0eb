/* What the files of this folder share: kernels by family or by program, argument lists, launches. */
#ifndef FA__BACKEND_GPU_GPU_H
#define FA__BACKEND_GPU_GPU_H
#include "args.h"
#include "backend/gpu/dialect/arguments.h"
#include "backend/gpu/queue.h"
#include "core/tensor.h"

/* A kernel of an operation is KERNEL(name) { ... }: a function of the issue and the launch `l` that returns the last
 * ticket, 0 after an error; the generator finds it. */
#define FA__KERNEL(name) uint64_t name(fa__gpu_issue *issue, const fa__launch *l)
#define KERNEL(name)                                                                                                   \
    FA__KERNEL(FA__CAT(fa__gpu_, name));                                                                               \
    FA__KERNEL(FA__CAT(fa__gpu_, name))

/* Kernels that are written down in dialect/: the lines of families.def. */
typedef enum {
#define FAMILY(name, file, entry, x, y, needs) FA__GPU_##name,
#define SHAPE(name, file, entry, x, y)
#include "backend/gpu/families.def"
#undef FAMILY
#undef SHAPE
    FA__GPU_FAMILIES
} fa__gpu_family;

/* The kernel of a family for a compute class; `variant` is what its source finds as VARIANT. NULL after an error. */
const fa__gpu_kernel *fa__gpu_fixed(fa__gpu_issue *, fa__gpu_family, int variant, fa__class);
enum { FA__GPU_VARIANTS = 12 };

/* The kernels that are made of a program: the lines for programs in families.def. */
typedef enum {
#define FAMILY(name, file, entry, x, y, needs)
#define SHAPE(name, file, entry, x, y) FA__GPU_##name,
#include "backend/gpu/families.def"
#undef FAMILY
#undef SHAPE
    FA__GPU_SHAPES = FA__GPU_ROWS + 4 /* ROWS + fa__combine */
} fa__gpu_shape;

/* Whether it is the kernel for a list of launches, and the dimensions of operands that are runs there: a key needs two
 * words. */
static inline bool fa__gpu_is_list(fa__gpu_shape shape)
{
    return shape >= FA__GPU_LIST && shape <= FA__GPU_LIST_DENSE_BF16;
}
enum { FA__GPU_LIST_DENSE_DIMS = 2 };

const fa__gpu_kernel *fa__gpu_program(fa__gpu_issue *, const fa__program *, fa__class, fa__gpu_shape);

/* The kernel of a registered operation for operands of up to `rank` dimensions; NULL after an error. */
const fa__gpu_kernel *fa__gpu_registered(fa__gpu_issue *, const fa__op *, int rank, fa__class);

/* A line of families.def. */
typedef struct fa__gpu_form {
    const char *text, *entry;
    uint32_t group[2];
    unsigned needs; /* source.h */
} fa__gpu_form;

const fa__gpu_form *fa__gpu_family_form(fa__gpu_family);
const fa__gpu_form *fa__gpu_shape_form(fa__gpu_shape);

/* An argument list on the stack. */
typedef struct fa__gpu_args {
    fa__gpu_arg arg[FA__GPU_ARGS];
    int count;
} fa__gpu_args;

static inline void fa__gpu_memory(fa__gpu_args *a, const void *address)
{
    a->arg[a->count++] = (fa__gpu_arg){.data = address, .size = 0};
}

static inline void fa__gpu_value(fa__gpu_args *a, const void *bytes, size_t size)
{
    a->arg[a->count++] = (fa__gpu_arg){.data = bytes, .size = size};
}

/* Launches on enough groups for `items` work-items of the kernel's group size (one dimension). */
uint64_t fa__gpu_launch_items(fa__gpu_issue *, const fa__gpu_kernel *, int64_t items, const fa__gpu_args *);
uint64_t fa__gpu_launch_groups(fa__gpu_issue *, const fa__gpu_kernel *, const uint64_t groups[3], const fa__gpu_args *);

/* Launches a kernel whose arguments are some buffers, at the addresses that are named last, and then one struct. Where
 * the kernel is NULL, because it could not be made, nothing is launched, and the ticket is 0. */
#define FA__GPU_LAUNCH(issue, kernel, items, struct_, ...)                                                             \
    fa__gpu_launch_buffers(issue, kernel, items, &(struct_), sizeof(struct_), (const void *const[]){__VA_ARGS__},      \
                           (int)(sizeof(const void *[]){__VA_ARGS__} / sizeof(const void *)))
uint64_t fa__gpu_launch_buffers(fa__gpu_issue *, const fa__gpu_kernel *, int64_t items, const void *struct_,
                                size_t size, const void *const *address, int buffers);

/* A launch as an operation that takes its arguments (its own, mostly): by the device's override, or by
 * KERNEL(operation). */
uint64_t fa__gpu_run_kernel(fa__gpu_issue *, const fa__launch *, int op);

/* ---- launches of programs ---- */
uint64_t fa__gpu_run_elementwise(fa__gpu_issue *, const fa__launch *);
uint64_t fa__gpu_run_reduce(fa__gpu_issue *, const fa__launch *);
/* A launch of a program whose dimensions are too many for a kernel's arguments: they go into a table in memory. */
uint64_t fa__gpu_run_by_table(fa__gpu_issue *, const fa__launch *);

/* The inputs (bits) that a prepared program reads as numbers. */
uint32_t fa__gpu_reads(const fa__device *, const fa__program *, fa__class);

/* The struct of program.inc, and its words. */
enum { FA__GPU_OPERANDS = FA__MAX_INPUTS + FA__MAX_OUTPUTS };
#define FA__GPU_ARGUMENT_WORDS(dims, operands) (1 + (dims) * (1 + (operands)) + (2 + (operands)) / 2)
typedef struct fa__gpu_program_arguments {
    int64_t word[FA__GPU_ARGUMENT_WORDS(FA_MAX_DIMS, FA__GPU_OPERANDS)];
} fa__gpu_program_arguments;

/* The operands of a launch of a program over its shape, those of size 1 left out. Operands are numbered as the launch
 * has them: outputs, then inputs. */
typedef struct fa__gpu_operands {
    const fa__device *device;
    const fa__launch *launch;
    int rank, kept;
    uint32_t memory; /* bit k: operand k is in memory, and read or written */
    int64_t count, shape[FA_MAX_DIMS], stride[FA__GPU_OPERANDS][FA_MAX_DIMS]; /* in elements */
} fa__gpu_operands;

/* Outputs count as memory only when `outputs`. The program is prepared. */
void fa__gpu_operands_begin(fa__gpu_operands *, const fa__device *, const fa__launch *, bool outputs);
/* The same for a program that is run for each element: all dimensions joined, at least one left. */
void fa__gpu_operands_of(fa__gpu_operands *, const fa__device *, const fa__launch *);
/* GENERAL, or the dense shape that these operands allow. */
fa__gpu_shape fa__gpu_shape_for(const fa__gpu_operands *);
/* Joins neighbours among the dimensions from..to that all operands step through as one; returns how many went away. */
int fa__gpu_operands_join(fa__gpu_operands *, int from, int to);
/* Writes the struct of program.inc; returns what is behind it. */
int64_t *fa__gpu_put_arguments(int64_t *word, const fa__gpu_operands *, int dims);
/* Whether the device has all dtypes that are read and written; an error when not. */
bool fa__gpu_has_dtypes(const fa__gpu_operands *);
/* Adds the buffers and the program's arguments, which have to outlive the launch. False, and FA_ERROR_UNAVAILABLE, when
 * there are more dimensions than the arguments have room for, or elements that the device cannot read. */
bool fa__gpu_add_program(fa__gpu_args *, fa__gpu_program_arguments *, const fa__gpu_operands *);

/* ---- matmul.c: products of matrices ---- */
/* c = a b + bias, for one matrix each, or for a batch of them. */
typedef struct fa__gpu_product {
    matmul_arguments p; /* p.dtype is that of all, but f8 for c in f32 */
    bool gelu;          /* a library is to compute gelu_tanh of it, too */
    void *c;
    const void *a, *b, *bias; /* bias: NULL for none */
} fa__gpu_product;

/* The matrices of a batch. */
static inline int64_t fa__gpu_batch(const matmul_arguments *p)
{
    int64_t count = 1;
    for (int d = 0; d < p->rank; d++)
        count *= p->shape[d];
    return count;
}

/* The product that a launch of fa_matmul, of mm_f8 (ops/linalg/scaled.c) or of fa_linear, asks for. */
fa__gpu_product fa__gpu_product_of_matmul(const fa__launch *);
fa__gpu_product fa__gpu_product_of_mm_f8(const fa__launch *);
fa__gpu_product fa__gpu_product_of_linear(const fa__launch *);
/* The product by the kernel of dialect/matmul.inc, for an override of the launch. */
uint64_t fa__gpu_run_product(fa__queue *, const fa__launch *, const fa__gpu_product *);

/* ---- tensor.c: products on tensor cores ---- */
enum { FA__GPU_LARGE_TILE = 128, FA__GPU_SMALL_TILE = 64 };
/* What the kernels call products of a dtype; -1: they make none of it here, by the device and the settings. */
int fa__gpu_tensor_kind(const fa__gpu_device *, int dtype);
/* How many large tiles keep the device busy */
int64_t fa__gpu_tensor_units(const fa__gpu_device *);
/* Whether the kernel of dialect/tensor_matmul.inc makes this product, and should. */
bool fa__gpu_wants_tensor_cores(const fa__gpu_device *, const fa__gpu_product *);
/* The product; for those that it makes. */
uint64_t fa__gpu_run_on_tensor_cores(fa__gpu_issue *, const fa__gpu_product *);

/* ---- library.c: products by a library ---- */
/* Rows, or columns where it is transposed, are `ld` elements apart, and their elements side by side. */
typedef struct fa__gpu_matrix {
    bool transposed;
    size_t ld;
} fa__gpu_matrix;

typedef struct fa__gpu_library {
    const char *name;    /* "CLBlast" */
    const char *setting; /* the environment's variable: 0 never, 1 whenever it can, else where it is faster */
    uint32_t dtypes;     /* bits */
    bool batches;        /* it takes several products at even distances */
    bool faster;         /* always: nothing is measured */
    size_t scratch;      /* bytes of the device's memory that a product may use */
    bool (*there)(void);
    /* Whether product() adds the bias itself. NULL: never. */
    bool (*adds_bias)(const fa__gpu_product *);
    /* c = a b, with the bias if it adds that, else c += a b where there is one, which stands in c, and gelu of that if
     * it is asked for; the matrices are those of c, a, b. 0, and an event, or none; FA__GPU_NO_PRODUCT; or the
     * library's status. */
    int (*product)(fa__gpu_queue *, const fa__gpu_product *, const fa__gpu_matrix[3], void *scratch, void **event);
    void (*end)(void); /* the process ends: frees what the library has of the driver. NULL: nothing */
} fa__gpu_library;

enum { FA__GPU_NO_PRODUCT = -1000 }; /* the library has no way to make this one, but may have for others */

/* Reads the environment: which products the library, and tensor cores, make. */
void fa__gpu_library_begin(fa__gpu_device *);
/* For an override: the product by the driver's library, or FA__DECLINED. */
uint64_t fa__gpu_product_by_library(fa__queue *, const fa__launch *, fa__gpu_product);

/* Fails by FA_ERROR_UNAVAILABLE: the device does not compute in f64, and `what` needs it. */
bool fa__gpu_lacks_f64(const fa__device *, const char *what);
/* False and that error when an operand is f64 on such a device: for kernels whose class is that of something else. */
bool fa__gpu_handles(const fa__device *, const fa__operand *, const char *what);
/* The dimension that an argument names. */
static inline int fa__gpu_dim(const fa__operand *x, int64_t dim)
{
    return (int)(dim < 0 ? dim + (x->rank ? x->rank : 1) : dim);
}

/* Memory for partial results of this operation's launches; a second call gives the first memory back. NULL after an
 * error. */
void *fa__gpu_scratch(fa__gpu_issue *, size_t bytes);
/* The same memory, in which these bytes of the host's stand for the next launches. They may be changed when it returns,
 * and no transfer is counted. */
void *fa__gpu_upload(fa__gpu_issue *, const void *bytes, size_t size);

/* ---- source ---- */
/* Complete sources, freed with fa__free; NULL after an error. */
char *fa__gpu_source_fixed(const fa__device *, fa__gpu_family, int variant, fa__class, const char **entry);
char *fa__gpu_source_program(const fa__device *, const fa__program *, fa__class, fa__gpu_shape, const char **entry);

char *fa__gpu_source_registered(const fa__device *, const fa__op *, const fa__gpu_form *, int rank, fa__class);

/* ---- disk.c: compiled kernels that outlive the process ---- */
/* Whether they are kept. */
bool fa__gpu_disk_is_used(void);
/* A compiled kernel for the key; NULL when there is none. Freed with fa__free. */
void *fa__gpu_disk_read(const char *identity, const char *options, const char *source, size_t *size);
void fa__gpu_disk_write(const char *identity, const char *options, const char *source, const void *bytes, size_t size);
/* When all are more than so many bytes: removes those that were not used for the longest time, until three quarters are
 * left. */
void fa__gpu_disk_trim(uint64_t most);
#endif
