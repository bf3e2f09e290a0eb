/* Sources of GPU kernels compile for CUDA's architectures: NVRTC needs no GPU. Every expression of a row and every
 * derivative, in each class and shape, and every kernel that is written down; no kernel keeps values in memory because
 * registers ran out, and nothing is fused that the source does not fuse. Without NVRTC the test is skipped. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "base/alloc.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "ops/formula.h"
#include "ops/row.h"
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
    int (*destroy)(nvrtc_program **);
} nvrtc;

static const fa__symbol symbols[] = {
    {"nvrtcCreateProgram", &nvrtc.create, false},       {"nvrtcCompileProgram", &nvrtc.compile, false},
    {"nvrtcGetProgramLogSize", &nvrtc.log_size, false}, {"nvrtcGetProgramLog", &nvrtc.log, false},
    {"nvrtcGetPTXSize", &nvrtc.ptx_size, false},        {"nvrtcGetPTX", &nvrtc.ptx, false},
    {"nvrtcDestroyProgram", &nvrtc.destroy, false},
};

static fa__library library;

static bool open_nvrtc(void)
{
    const char *named = getenv("FACULA_NVRTC");
    const char *const usual[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so",
                                 NULL};
    const char *const only[] = {named, NULL};
    return fa__library_open(&library, named ? only : usual, symbols, sizeof symbols / sizeof symbols[0]);
}

/* ---- the device that sources are made for ---- */

extern const char fa__embed_cuda_h[];
static const fa__gpu_driver cuda = {.prelude = fa__embed_cuda_h};
static fa__gpu_device with_f64 = {.driver = &cuda, .f64 = true};
static fa__device device = {.name = "cuda:0", .own = &with_f64};

/* ---- compiling ---- */

static int compiled;

static void show(const char *what, const char *source, const char *log)
{
    const char *path = getenv("FA_GPU_SOURCE");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f) {
        fputs(source, f);
        fclose(f);
    }
    fprintf(stderr, "%s: %s\n", what, log);
}

/* Bytes that the kernel keeps in memory because registers ran out, or because it indexes its variables. */
static int stack_bytes(const char *log)
{
    const char *at = strstr(log, " bytes stack frame");
    while (at && at > log && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? atoi(at) : 0;
}

/* A division of f64 is a call, around which the compiler may save a few registers. */
enum { STACK_F64 = 64 };

/* The PTX (virtual architectures only), freed with free; NULL for real ones. */
static char *compile(const char *what, const char *source, const char *architecture)
{
    char target[40];
    snprintf(target, sizeof target, "--gpu-architecture=%s", architecture);
    bool real = !strncmp(architecture, "sm_", 3);
    const char *const options[] = {target,
                                   "--fmad=false",
                                   "--ftz=false",
                                   "--prec-div=true",
                                   "--prec-sqrt=true",
                                   "--diag-suppress=177",
                                   "--ptxas-options=-v"};
    nvrtc_program *p;
    size_t size = 0;
    assert_int_equal(nvrtc.create(&p, source, "kernel.cu", 0, NULL, NULL), 0);
    bool good = nvrtc.compile(p, real ? 7 : 6, options) == 0;
    assert_int_equal(nvrtc.log_size(p, &size), 0);
    char *log = test_malloc(size + 1), *ptx = NULL;
    nvrtc.log(p, log);
    log[size] = 0;
    bool lean = stack_bytes(log) <= (strstr(source, "#define CLASS 1\n") ? STACK_F64 : 0);
    if (!good || !lean)
        show(what, source, log);
    assert_true(good);
    if (real) {
        assert_non_null(strstr(log, "stack frame"));
        assert_true(lean);
    } else {
        assert_int_equal(nvrtc.ptx_size(p, &size), 0);
        ptx = malloc(size);
        nvrtc.ptx(p, ptx);
    }
    test_free(log);
    nvrtc.destroy(&p);
    compiled++;
    return ptx;
}

/* The architectures take turns: what compiles for one compiles for the other but for a mistake in the compiler. */
static void compile_source(const char *what, char *source)
{
    static int turn;
    if (!source)
        fprintf(stderr, "%s: %s\n", what, fa_error_message());
    assert_non_null(source);
    compile(what, source, turn++ % 2 ? "sm_90" : "sm_80");
    fa__free(source);
}

static void compile_program(const fa__program *p, fa__class class, fa__gpu_shape shape)
{
    char what[300];
    const char *entry = NULL;
    snprintf(what, sizeof what, "%.200s, class %d, shape %d", p->text, (int)class, (int)shape);
    compile_source(what, fa__gpu_source_program(&device, p, class, shape, &entry));
    assert_non_null(entry);
}

static bool in_class(const fa__formula *f, int class)
{
    return class == FA__CLASS_F32 || class == FA__CLASS_F64 || !f->e->floating;
}

/* Those of the elementwise kernel that the class has. */
static int elementwise_shapes(int class)
{
    return class == FA__CLASS_F32 ? FA__GPU_DENSE_BF16 : FA__GPU_DENSE;
}

static void each_row(void (*call)(const fa__op *, const fa__formula *))
{
    for (int i = 0; i < FA__OPS; i++) {
        const fa__op *op = fa__ops[i];
        if (op && op->cells && op->cells->expr)
            call(op, fa__formula_of(op));
    }
}

/* ---- tests ---- */

static void compile_row(const fa__op *op, const fa__formula *f)
{
    (void)op;
    for (int class = 0; class < FA__CLASSES; class ++)
        for (int shape = 0; in_class(f, class) && shape <= elementwise_shapes(class); shape++)
            compile_program(&f->program, (fa__class) class, (fa__gpu_shape)shape);
}

static void test_rows(void **state)
{
    (void)state;
    compiled = 0;
    each_row(compile_row);
    assert_true(compiled > 100);
}

static void compile_derivatives(const fa__op *op, const fa__formula *f)
{
    for (int i = 0; i < op->nfields && i < f->e->ninputs; i++) {
        bool tensor = op->fields[i].kind == FA__TENSOR || op->fields[i].kind == FA__NUMBER;
        const fa__op *d = tensor ? fa__derivative_of(op, i) : NULL;
        if (!d || d == &fa__zero_op)
            continue;
        compile_program(&d->formula->program, FA__CLASS_F32, FA__GPU_GENERAL);
        compile_program(&d->formula->program, FA__CLASS_F64, FA__GPU_DENSE);
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
    return &op->formula->program;
}

/* Combined over dimensions: each way, each class. */
static void test_reductions(void **state)
{
    (void)state;
    const fa__program *p = program_of("a * b", 2), *same = program_of("a", 1);
    if (!fa__gpu_shape_form(FA__GPU_ROWS) || !fa__gpu_shape_form(FA__GPU_COLUMNS))
        skip();
    for (int shape = FA__GPU_ROWS; shape < FA__GPU_SHAPES; shape++)
        for (int class = 0; class < FA__CLASSES; class ++) {
            compile_program(p, (fa__class) class, (fa__gpu_shape)shape);
            compile_program(same, (fa__class) class, (fa__gpu_shape)shape);
        }
}

static int classes_of(fa__gpu_family family)
{
    const fa__gpu_form *form = fa__gpu_family_form(family);
    return !form ? 0 : form->needs & FA__GPU_NEEDS_FLOATING ? FA__CLASS_F64 + 1 : FA__CLASSES;
}

static void test_families(void **state)
{
    (void)state;
    for (int family = 0; family < FA__GPU_FAMILIES; family++)
        for (int class = 0; class < classes_of((fa__gpu_family)family); class ++)
            for (int variant = 0; variant < FA__GPU_VARIANTS; variant++) {
                const char *entry = NULL;
                char what[100];
                char *source =
                    fa__gpu_source_fixed(&device, (fa__gpu_family)family, variant, (fa__class) class, &entry);
                snprintf(what, sizeof what, "%s, class %d, variant %d", entry ? entry : "", class, variant);
                compile_source(what, source);
            }
}

/* The most operands that an expression may have. */
static void test_sixteen_inputs(void **state)
{
    (void)state;
    const fa__program *p = program_of("a+b*c-d+e*f-g+h*i-j+k*l-m+n*o-p", 16);
    compile_program(p, FA__CLASS_F32, FA__GPU_GENERAL);
    compile_program(p, FA__CLASS_F64, FA__GPU_DENSE);
}

/* Products and sums are rounded apart; fma is one instruction. */
static void test_nothing_is_fused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fused;
        bool there;
    } rows[] = {{"a * b + c", "fma.rn.f32", false}, {"fma(a, b, c)", "fma.rn.f32", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *entry;
        char *source =
            fa__gpu_source_program(&device, program_of(rows[i].text, 3), FA__CLASS_F32, FA__GPU_GENERAL, &entry);
        assert_non_null(source);
        char *ptx = compile(rows[i].text, source, "compute_80");
        assert_int_equal(strstr(ptx, rows[i].fused) != NULL, rows[i].there);
        assert_null(strstr(ptx, ".ftz"));
        assert_null(strstr(ptx, ".approx"));
        free(ptx);
        fa__free(source);
    }
}

/* Runs of four are read and written by 16 bytes. */
static void test_vectors(void **state)
{
    (void)state;
    const char *entry;
    char *source = fa__gpu_source_program(&device, program_of("a + b", 2), FA__CLASS_F32, FA__GPU_DENSE, &entry);
    char *ptx = compile("a + b", source, "compute_80");
    assert_non_null(strstr(ptx, "ld.global.v4"));
    assert_non_null(strstr(ptx, "st.global.v4"));
    free(ptx);
    fa__free(source);
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

int main(void)
{
    if (!open_nvrtc()) {
        printf("skipped: %s\n", library.reason);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_families), cmocka_unit_test(test_sixteen_inputs), cmocka_unit_test(test_nothing_is_fused),
        cmocka_unit_test(test_vectors),  cmocka_unit_test(test_no_f64),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fa__library_close(&library);
    return failed;
}
