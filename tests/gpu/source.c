/* Sources of GPU kernels compile for CUDA's architectures: NVRTC needs no GPU. For the architecture that is named
 * (sm_90):
 *
 *   - the expression of each row, in each class that it has, by all kernels for elements; one of these for each row
 *     where FACULA_TEST_ALL is not set;
 *   - its derivatives in f32 by the general kernel, in f64 by that of runs; one or the other without FACULA_TEST_ALL;
 *   - programs whose values have types of their own, with each pair of types;
 *   - every kernel that is written down, in each class and variant that is used;
 *   - whatever programs the tests of the rows and of the optimizers launched (support/record.h, FACULA_TEST_RECORD):
 *     of composed rows, second derivatives, reductions, programs with several results. Each in the classes that it was
 *     launched in, by the reduction or by the kernel of runs where it was launched so, else by the general one.
 *
 * No kernel keeps values in memory because registers ran out, nothing is fused that the source does not fuse,
 * and dense kernels read and write 16 bytes at a time. Without NVRTC the test is skipped. */
#include "backend/gpu/source.h"
#include "backend/gpu/gpu.h"
#include "base/alloc.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "dispatch/compiled.h"
#include "dispatch/expressions.h"
#include "dispatch/row.h"
#include "support/record.h"
#include <elf.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- NVRTC ---- */

typedef struct nvrtc_program nvrtc_program;
static struct {
    int (*create)(nvrtc_program **, const char *source, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(nvrtc_program *, int options, const char *const *);
    int (*log_size)(nvrtc_program *, size_t *);
    int (*log)(nvrtc_program *, char *);
    int (*ptx_size)(nvrtc_program *, size_t *);
    int (*ptx)(nvrtc_program *, char *);
    int (*code_size)(nvrtc_program *, size_t *);
    int (*code)(nvrtc_program *, char *);
    int (*destroy)(nvrtc_program **);
} nvrtc;

static const fa__symbol symbols[] = {
    {"nvrtcCreateProgram", &nvrtc.create, false},       {"nvrtcCompileProgram", &nvrtc.compile, false},
    {"nvrtcGetProgramLogSize", &nvrtc.log_size, false}, {"nvrtcGetProgramLog", &nvrtc.log, false},
    {"nvrtcGetPTXSize", &nvrtc.ptx_size, false},        {"nvrtcGetPTX", &nvrtc.ptx, false},
    {"nvrtcGetCUBINSize", &nvrtc.code_size, false},     {"nvrtcGetCUBIN", &nvrtc.code, false},
    {"nvrtcDestroyProgram", &nvrtc.destroy, false},
};

static fa__library library;

/* FACULA_NVRTC, or the toolkit's, or what scripts/nvrtc.sh has fetched. */
static bool open_nvrtc(void)
{
    const char *named = getenv("FACULA_NVRTC");
    glob_t found = {0};
    glob(FA_TEST_DATA "/../build/nvrtc-venv/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1?", 0, NULL, &found);
    const char *const usual[] = {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so",
                                 found.gl_pathc ? found.gl_pathv[0] : NULL, NULL};
    const char *const only[] = {named, NULL};
    bool open = fa__library_open(&library, named ? only : usual, symbols, sizeof symbols / sizeof symbols[0]);
    globfree(&found);
    return open;
}

/* ---- the device that sources are made for ---- */

extern const char fa__embed_cuda_h[], fa__embed_cuda_tensor_h[];
static const fa__gpu_driver cuda = {.prelude = fa__embed_cuda_h, .tensor = fa__embed_cuda_tensor_h};
static fa__gpu_device with_f64 = {.driver = &cuda, .f64 = true, .max_args = 4096};
static fa__device device = {.name = "cuda:0", .own = &with_f64};

/* ---- compiling ---- */

static char architecture[40] = "--gpu-architecture=sm_90";
static int compiled;

static void show(const char *what, const char *wrong, const char *source, const char *log)
{
    const char *path = getenv("FA_GPU_SOURCE"); /* where the source is left */
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
        fputs(source, f);
        fclose(f);
    }
    fail_msg("%s: %s\n%s", what, wrong, log);
}

/* Bytes that the kernel keeps in memory because registers ran out, or because it indexes its variables. */
static int stack_bytes(const char *log)
{
    const char *at = strstr(log, " bytes stack frame");
    while (at && at > log && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? atoi(at) : -1;
}

/* Divisions, conversions of dtypes and much of f64 are calls, around which the compiler may save a few registers. */
enum { STACK_CALLS = 64 };
/* Of kernels on tensor cores: two groups of 256 threads fit a multiprocessor, and a group what all GPUs have. */
enum { MOST_REGISTERS = 128, MOST_SHARED = 48 << 10, LEAST_HMMA = 16 };

/* What the kernel may have and has to have, */
typedef struct expectation {
    bool calls;       /* it computes in f64 or divides, as reductions do, which need many registers */
    bool exact;       /* nothing of it is a fused multiply-add, */
    bool fused;       /* or something is */
    bool tensor;      /* it uses tensor cores */
    bool reads, runs; /* a dense kernel, of elements of 4 or 8 bytes, that has inputs */
} expectation;

/* and what is wrong; NULL: nothing. A product or sum without `.rn` may be fused by the assembler. */
static const char *wrong_in(const char *ptx, const char *log, expectation e)
{
    static const char *const never[] = {"mul.f32", "add.f32", "sub.f32", "mad.f32", "mad.rn", "mul.f64",
                                        "add.f64", "sub.f64", ".ftz",    ".approx", ".local"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(ptx, never[i]) && strcmp(never[i], e.calls ? ".local" : "") != 0)
            return never[i];
    int stack = stack_bytes(log);
    return stack < 0                                               ? "nothing is said of its stack"
           : stack > (e.calls ? STACK_CALLS : 0)                   ? "it keeps values in memory"
           : e.tensor && !strstr(ptx, "cp.async.cg.shared.global") ? "it does not copy beside its products"
           : e.exact && strstr(ptx, "fma.rn")                      ? "it is fused"
           : e.fused && !strstr(ptx, "fma.rn")                     ? "fma is not one instruction"
           : e.reads && e.runs && !strstr(ptx, "ld.global.v4")     ? "it does not read 16 bytes at a time"
           : e.runs && !strstr(ptx, "st.global.v4")                ? "it does not write 16 bytes at a time"
                                                                   : NULL;
}

/* The text that a function of the library gives, freed with test_free. */
static char *text_of(nvrtc_program *p, int (*size_of)(nvrtc_program *, size_t *), int (*get)(nvrtc_program *, char *))
{
    size_t size = 0;
    assert_int_equal(size_of(p, &size), 0);
    char *text = test_malloc(size + 1);
    assert_int_equal(get(p, text), 0);
    text[size] = 0;
    return text;
}

/* How many instructions of the machine code are HMMA, products on tensor cores: 16 bytes each, of which the first 12
 * bits say which. */
static int tensor_instructions(nvrtc_program *p)
{
    enum { HMMA = 0x23c, INSTRUCTION = 16 };
    size_t size = 0;
    int count = 0;
    assert_int_equal(nvrtc.code_size(p, &size), 0);
    unsigned char *code = test_malloc(size);
    assert_int_equal(nvrtc.code(p, (char *)code), 0);
    Elf64_Ehdr h;
    assert_true(size > sizeof h);
    memcpy(&h, code, sizeof h);
    for (int i = 0; i < h.e_shnum; i++) {
        Elf64_Shdr s;
        memcpy(&s, code + h.e_shoff + (size_t)i * sizeof s, sizeof s);
        for (size_t at = 0; s.sh_flags & SHF_EXECINSTR && at < s.sh_size; at += INSTRUCTION)
            count += ((code[s.sh_offset + at] | code[s.sh_offset + at + 1] << 8) & 0xfff) == HMMA;
    }
    test_free(code);
    return count;
}

/* What limits how many groups of a kernel run at once. */
typedef struct limits {
    int registers, shared; /* of a thread; bytes of a group */
} limits;

/* From what the compiler says. Prints a line of the table: always of kernels on tensor cores, of others where
 * FA_GPU_REGISTERS is set. */
static limits limits_of(const char *what, const char *log, const char *more)
{
    limits n = {0, 0};
    const char *used = strstr(log, "Used "), *bytes = strstr(log, " bytes smem");
    while (bytes && bytes > log && bytes[-1] >= '0' && bytes[-1] <= '9')
        bytes--;
    if (used)
        sscanf(used, "Used %d registers", &n.registers);
    n.shared = bytes ? atoi(bytes) : 0;
    if (*more || getenv("FA_GPU_REGISTERS"))
        printf("%s, %s: %d registers, %d bytes of shared memory%s\n", architecture + strlen("--gpu-architecture="),
               what, n.registers, n.shared, more);
    return n;
}

static const char *wrong_on_tensor_cores(nvrtc_program *p, const char *what, const char *log)
{
    char more[40];
    const int count = tensor_instructions(p);
    snprintf(more, sizeof more, ", %d HMMA", count);
    const limits n = limits_of(what, log, more);
    return count < LEAST_HMMA                                ? "it does not use tensor cores"
           : n.registers < 1 || n.registers > MOST_REGISTERS ? "it needs too many registers"
           : n.shared < 1 || n.shared > MOST_SHARED          ? "it needs too much shared memory"
                                                             : NULL;
}

static void compile_source(const char *what, const char *source, expectation e)
{
    const char *const options[] = {architecture,       "--fmad=false",        "--ftz=false",       "--prec-div=true",
                                   "--prec-sqrt=true", "--diag-suppress=177", "--ptxas-options=-v"};
    nvrtc_program *p;
    assert_int_equal(nvrtc.create(&p, source, "kernel.cu", 0, NULL, NULL), 0);
    bool good = nvrtc.compile(p, sizeof options / sizeof *options, options) == 0;
    char *log = text_of(p, nvrtc.log_size, nvrtc.log);
    char *ptx = good ? text_of(p, nvrtc.ptx_size, nvrtc.ptx) : NULL;
    const char *wrong = good ? wrong_in(ptx, log, e) : "it does not compile";
    if (e.tensor && !wrong)
        wrong = wrong_on_tensor_cores(p, what, log);
    else if (good)
        limits_of(what, log, "");
    if (wrong)
        show(what, wrong, source, log);
    test_free(log);
    test_free(ptx);
    nvrtc.destroy(&p);
    compiled++;
}

/* The source is freed. */
static void compile(const char *what, char *source, expectation e)
{
    if (!source)
        fail_msg("%s: %s", what, fa_error_message());
    compile_source(what, source, e);
    fa__free(source);
}

static bool has(const fa__ssa *ssa, fa__prim prim)
{
    for (int i = 0; i < ssa->count; i++)
        if (ssa->node[i].prim == prim)
            return true;
    return false;
}

/* What compilers find to be the same for every integer: nothing is read. */
static bool is_known(const fa__program *p, fa__class class)
{
    return class >= FA__CLASS_I32 && (!strcmp(p->text, "y = x - trunc(x)") || !strcmp(p->text, "y = x != x"));
}

static expectation expected(const fa__program *p, fa__class class, fa__gpu_shape shape)
{
    unsigned needs = fa__gpu_program_needs(p->ssa, class);
    return (expectation){.calls = class == FA__CLASS_F64 || p->ssa->type || needs & FA__GPU_NEEDS_WIDE
                                  || has(p->ssa, FA__PRIM_div) || shape >= FA__GPU_ROWS,
                         .exact = !(needs & (FA__GPU_NEEDS_MATH | FA__GPU_NEEDS_WIDE | FA__GPU_NEEDS_RANDOM))
                                  && !has(p->ssa, FA__PRIM_fma),
                         .fused = class <= FA__CLASS_F64 && !p->ssa->type && has(p->ssa, FA__PRIM_fma),
                         .reads = fa__gpu_program_reads(p->ssa) != 0 && !is_known(p, class),
                         .runs = shape == FA__GPU_DENSE};
}

/* What was compiled already: rows share expressions, and much of what is recorded is rows' expressions. ANY_SHAPE: some
 * kernel for elements. */
enum { ANY_SHAPE = FA__GPU_SHAPES };

static bool is_new(const fa__program *p, fa__class class, int shape)
{
    enum { KEYS = 1 << 16 };
    static uint64_t seen[KEYS];
    uint64_t key = record_key(p->ssa, class, shape);
    size_t i = key % KEYS;
    while (seen[i] && seen[i] != key)
        i = (i + 1) % KEYS;
    bool new = seen[i] != key;
    seen[i] = key;
    return new;
}

static void compile_program(const fa__program *p, fa__class class, fa__gpu_shape shape)
{
    if (!is_new(p, class, (int)shape))
        return;
    if (shape < FA__GPU_ROWS)
        is_new(p, class, ANY_SHAPE);
    char what[300];
    const char *entry = NULL;
    snprintf(what, sizeof what, "%.200s, class %d, shape %d", p->text, (int)class, (int)shape);
    char *source = fa__gpu_source_program(&device, p, class, shape, &entry);
    compile(what, source, expected(p, class, shape));
}

static bool in_class(const fa__compiled *f, int class)
{
    return class == FA__CLASS_F32 || class == FA__CLASS_F64 ? !f->e->whole : !f->e->floating;
}

/* Those of the elementwise kernel that the class has. */
static int elementwise_shapes(int class)
{
    return class == FA__CLASS_F32 ? FA__GPU_DENSE_BF16 : FA__GPU_DENSE;
}

static void each_row(void (*call)(const fa__op *, const fa__compiled *))
{
    for (int i = 0; i < FA__OPS; i++) {
        const fa__op *op = fa__ops[i];
        if (op && op->traits && op->traits->expr)
            call(op, fa__compiled_of(op));
    }
}

/* ---- tests ---- */

/* Whether kernel `one` of the `count` kernels of a row is compiled: each with FACULA_TEST_ALL, which takes ten minutes;
 * otherwise one of them, another one from row to row. */
static bool is_chosen(int64_t row, int one, int count)
{
    return getenv("FACULA_TEST_ALL") || row % count == one;
}

static void compile_row(const fa__op *op, const fa__compiled *f)
{
    static int64_t row;
    int count = 0, one = 0;
    (void)op;
    for (int class = 0; class < FA__CLASSES; class ++)
        count += in_class(f, class) ? elementwise_shapes(class) + 1 : 0;
    for (int class = 0; class < FA__CLASSES; class ++)
        for (int shape = 0; in_class(f, class) && shape <= elementwise_shapes(class); shape++)
            if (is_chosen(row, one++, count))
                compile_program(&f->program, (fa__class) class, (fa__gpu_shape)shape);
    row++;
}

static void test_rows(void **state)
{
    (void)state;
    compiled = 0;
    each_row(compile_row);
    assert_true(compiled > 100);
}

static void compile_derivatives(const fa__op *op, const fa__compiled *f)
{
    static int64_t derivative;
    for (int i = 0; i < op->nfields && i < f->e->ninputs; i++) {
        bool tensor = op->fields[i].kind == FA__TENSOR || op->fields[i].kind == FA__NUMBER;
        const fa__op *d = tensor ? fa__derivative_of(op, i) : NULL;
        if (!d || d == &fa__zero_op)
            continue;
        if (is_chosen(derivative, 0, 2))
            compile_program(&d->compiled->program, FA__CLASS_F32, FA__GPU_GENERAL);
        if (is_chosen(derivative, 1, 2))
            compile_program(&d->compiled->program, FA__CLASS_F64, FA__GPU_DENSE);
        derivative++;
    }
}

static void test_derivatives(void **state)
{
    (void)state;
    compiled = 0;
    each_row(compile_derivatives);
    assert_true(compiled > 50);
}

static const fa__program *program_of(const char *text, int inputs)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"};
    const fa__op *op = fa__expression_op("pointwise", text, names, inputs, NULL, 0);
    assert_non_null(op);
    return &op->compiled->program;
}

/* Values of two types, each pair of them; and of all four, with everything that a section has. */
static void test_typed(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    static const uint8_t own[FA__CLASSES] = {FA_F32, FA_F64, FA_I32, FA_I64};
    fa__operand_types of = {.rank = {FA__OPERAND_DIMS, FA__OPERAND_DIMS, FA__OPERAND_DIMS, FA__OPERAND_DIMS}};
    fa__type_error why;
    (void)state;
    compiled = 0;
    const fa__op *pair =
        fa__expression_take_typed("pointwise", "a > 0 ? a * b + floor_divide(b, 3) : abs(b)", names, 2);
    for (int i = 0; i < FA__CLASSES * FA__CLASSES; i++) {
        of.dtype[0] = own[i / FA__CLASSES], of.dtype[1] = own[i % FA__CLASSES], of.numbers = of.dtype[0];
        const fa__typed *t = fa__typed_of(pair->compiled, &of, &why);
        assert_non_null(t);
        assert_int_equal(t->program.ssa->type != NULL, of.dtype[0] != of.dtype[1]);
        compile_program(&t->program, t->compute, FA__GPU_GENERAL);
    }
    fa__expression_drop(pair);
    assert_true(compiled >= FA__CLASSES * (FA__CLASSES - 1));
    const fa__op *all = fa__expression_take_typed(
        "pointwise", "bit_and(c, 7) > 0 ? sin(a) * b + pow(d, 3) : gcd(d, c) * index() + log1p(b) + f16(a)", names, 4);
    memcpy(of.dtype, own, sizeof own);
    const fa__typed *t = fa__typed_of(all->compiled, &of, &why);
    assert_non_null(t);
    compile_program(&t->program, t->compute, FA__GPU_GENERAL);
    compile_program(&t->program, t->compute, FA__GPU_LIST);
    fa__expression_drop(all);
}

/* Combined over dimensions: each way, each class. */
static void test_reductions(void **state)
{
    (void)state;
    const fa__program *p = program_of("a * b", 2), *same = program_of("a", 1);
    for (int shape = FA__GPU_ROWS; shape < FA__GPU_SHAPES; shape++)
        for (int class = 0; class < FA__CLASSES; class ++) {
            compile_program(p, (fa__class) class, (fa__gpu_shape)shape);
            compile_program(same, (fa__class) class, (fa__gpu_shape)shape);
        }
}

/* Which kernels of families are used: bit `variant` of each class. */
static const uint16_t variants[FA__GPU_FAMILIES][FA__CLASSES] = {
    [FA__GPU_REDUCE_FOLD] = {0x0F, 0x0F, 0x0F, 0x0F}, /* fa__combine */
    [FA__GPU_SOFTMAX] = {1, 1, 0, 0},
    [FA__GPU_ATTENTION] = {0xFFF, 0xF, 0, 0}, /* own, f16, bf16 */
    [FA__GPU_SEARCH] = {3, 3, 3, 3},          /* the largest, the smallest */
    [FA__GPU_CHECK_INDEX] = {0, 0, 1, 0},
    [FA__GPU_FETCH] = {0, 0, 1, 0},
    [FA__GPU_PLACE_AT] = {1, 1, 1, 1},
    [FA__GPU_PLACE_EACH] = {1, 1, 1, 1},
    [FA__GPU_TRUE_PLACES] = {0, 0, 0, 1},
    [FA__GPU_RANDPERM] = {0, 1, 0, 0},
    [FA__GPU_RANDINT] = {0, 0, 0, 1},
    [FA__GPU_POISSON] = {0, 1, 0, 0},
    [FA__GPU_TRIANGLE] = {0, 0, 0, 1},
    [FA__GPU_MATMUL] = {0x3F, 0x03, 0xC3, 0x03}, /* own, f16, bf16, narrow integers; tiles, direct */
    [FA__GPU_TENSOR_MATMUL] = {0xFFF, 0, 0, 0},  /* tf32, f16, bf16; each order of a and of b */
    [FA__GPU_TENSOR_MATMUL_SMALL] = {0xFFF, 0, 0, 0},
    [FA__GPU_TENSOR_CONVOLVE] = {0x333, 0, 0, 0}, /* tf32, f16, bf16; gradients of weights, and the others */
    [FA__GPU_TENSOR_CONVOLVE_SMALL] = {0x333, 0, 0, 0},
    [FA__GPU_CONVOLVE] = {0x3F, 0x03, 0xC3, 0x03},     /* as MATMUL */
    [FA__GPU_CONVOLVE_ADD] = {0x15, 0x01, 0x41, 0x01}, /* own, f16, bf16, narrow integers */
    [FA__GPU_SORT_TILE] = {0, 0, 1, 1},                /* bits of elements */
    [FA__GPU_SORT_MERGE] = {0, 0, 1, 1},
    [FA__GPU_PLACES] = {1, 1, 1, 1},
    [FA__GPU_SCAN] = {0x2F, 0x2F, 0x2F, 0x2F}, /* fa__scan_kind */
    [FA__GPU_SCAN_LOG_SUM] = {0x10, 0x10, 0, 0},
    [FA__GPU_POOL_MAX] = {1, 1, 1, 1},
    [FA__GPU_POOL_MEAN] = {1, 1, 0, 0},
    [FA__GPU_POOL_MAX_BACK] = {1, 1, 0, 0},
    [FA__GPU_POOL_MEAN_BACK] = {1, 1, 0, 0},
    [FA__GPU_INHERIT] = {0, 0, 1, 0},
    [FA__GPU_NOTE] = {0, 0, 1, 0},
    [FA__GPU_PUT] = {0, 0, 1, 0},
};

static bool is_for_tensor_cores(fa__gpu_family family)
{
    return family >= FA__GPU_TENSOR_MATMUL && family <= FA__GPU_TENSOR_CONVOLVE_SMALL;
}

static void compile_family(fa__gpu_family family, fa__class class, int variant)
{
    const char *entry = "";
    char what[100];
    char *source = fa__gpu_source_fixed(&device, family, variant, class, &entry);
    snprintf(what, sizeof what, "%s, class %d, variant %d", entry, (int)class, variant);
    /* pooling divides numbers of items into positions; softmax converts elements while it holds its partial sums */
    bool calls = (family >= FA__GPU_POOL_MAX && family <= FA__GPU_POOL_MEAN_BACK) || family == FA__GPU_SOFTMAX;
    compile(what, source,
            (expectation){.calls = class == FA__CLASS_F64 || calls, .tensor = is_for_tensor_cores(family)});
}

static void compile_families(bool for_tensor_cores)
{
    for (int family = 0; family < FA__GPU_FAMILIES; family++) {
        if (is_for_tensor_cores((fa__gpu_family)family) != for_tensor_cores)
            continue;
        compiled = 0;
        for (int class = 0; class < FA__CLASSES; class ++)
            FA__EACH_BIT (variant, variants[family][class])
                compile_family((fa__gpu_family)family, (fa__class) class, (int)variant);
        assert_true(compiled > 0);
    }
}

static void test_families(void **state)
{
    (void)state;
    compile_families(false);
}

/* Prints a table. */
static void test_tensor_cores(void **state)
{
    (void)state;
    compile_families(true);
}

/* ---- what was recorded ---- */

/* A file of FACULA_TEST_RECORD (support/record.h). The general kernel is compiled, in a second turn, of what has no
 * other one in its class. */
static void compile_recorded(const char *path, bool general)
{
    recorded r;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fread(&r, sizeof r, 1, f), 1);
    assert_true(r.nodes <= FA__MAX_NODES && r.class < FA__CLASSES && r.shape < FA__GPU_SHAPES);
    fa__ssa_node *node = test_calloc(r.nodes, sizeof *node);
    char *text = test_malloc(r.text);
    uint8_t *type = r.typed ? test_malloc(r.nodes) : NULL;
    assert_true(fread(node, sizeof *node, r.nodes, f) == r.nodes && (!type || fread(type, r.nodes, 1, f) == 1)
                && fread(text, r.text, 1, f) == 1);
    fclose(f);
    fa__ssa ssa = {.count = (uint16_t)r.nodes,
                   .inputs = (uint16_t)r.inputs,
                   .outputs = (uint16_t)r.outputs,
                   .node = node,
                   .type = type};
    memcpy(ssa.output, r.output, sizeof r.output);
    fa__program p = {.ssa = &ssa, .text = text, .hot = -1};
    if (general == (r.shape == FA__GPU_GENERAL) && (!general || is_new(&p, (fa__class)r.class, ANY_SHAPE)))
        compile_program(&p, (fa__class)r.class, (fa__gpu_shape)r.shape);
    test_free(node);
    test_free(type);
    test_free(text);
}

/* Every sixteenth one; all where FACULA_TEST_ALL is set. */
static void test_recorded(void **state)
{
    const bool all = getenv("FACULA_TEST_ALL");
    const char *folder = getenv("FACULA_TEST_RECORD");
    glob_t found = {0};
    char pattern[4000];
    (void)state;
    if (!folder)
        skip();
    snprintf(pattern, sizeof pattern, "%s/*.program", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 1000);
    compiled = 0;
    for (int general = 0; general < 2; general++)
        for (size_t i = 0; i < found.gl_pathc; i += all ? 1 : 16)
            compile_recorded(found.gl_pathv[i], general);
    printf("%zu programs were recorded; %d of them are no row's own expressions\n", found.gl_pathc, compiled);
    globfree(&found);
}

/* The most operands that an expression may have. */
static void test_sixteen_inputs(void **state)
{
    (void)state;
    const fa__program *p = program_of("a+b*c-d+e*f-g+h*i-j+k*l-m+n*o-p", 16);
    compile_program(p, FA__CLASS_F32, FA__GPU_GENERAL);
    compile_program(p, FA__CLASS_F64, FA__GPU_DENSE);
}

/* What a device lacks is said by name. */
static void test_no_f64(void **state)
{
    (void)state;
    fa__gpu_device without = with_f64;
    without.f64 = false;
    fa_error_clear();
    fa__device weak = {.name = "opencl:7", .own = &without};
    const char *entry;
    assert_null(fa__gpu_source_program(&weak, program_of("pow(a, b)", 2), FA__CLASS_F32, FA__GPU_GENERAL, &entry));
    assert_int_equal(fa_error_code(), FA_ERROR_UNAVAILABLE);
    assert_non_null(strstr(fa_error_message(), "opencl:7 does not compute in f64, which pow(a, b) needs"));
    fa_error_clear();
    char *source = fa__gpu_source_program(&weak, program_of("exp(a) * b", 2), FA__CLASS_F32, FA__GPU_GENERAL, &entry);
    assert_non_null(source);
    fa__free(source);
}

int main(int count, char **words)
{
    if (!open_nvrtc()) {
        printf("skipped: %s\n", library.reason);
        return 77;
    }
    if (count > 1)
        snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", words[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_derivatives), cmocka_unit_test(test_typed),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_families),    cmocka_unit_test(test_sixteen_inputs),
        cmocka_unit_test(test_no_f64),     cmocka_unit_test(test_recorded),    cmocka_unit_test(test_tensor_cores),
    };
    if (count > 2)
        cmocka_set_test_filter(words[2]); /* gpu_source sm_100 test_tensor_cores; * and ? stand for any letters */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fa__library_close(&library);
    return failed;
}
