/* Programs as text of the dialect: primitives become functions from their texts in primitives.def, a program a function
 * that calls them, one line for each value. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "base/error.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

typedef struct primitive {
    const char *name, *text;
} primitive;

/* The text is that of the outermost macro's arguments: names in it are not replaced by what this file knows of them. */
static const primitive texts[FA__PRIM_count] = {
#define PRIMITIVE(prim, arity_, domain_, ...) [FA__PRIM_##prim] = {.name = #prim, .text = #__VA_ARGS__},
#include "core/primitives.def"
#undef PRIMITIVE
};

/* Signed arithmetic may wrap nowhere: it is done on unsigned values. */
static const char *const integer_texts[FA__PRIM_count] = {
    [FA__PRIM_neg] = "(T)((U)0 - (U)x)",        [FA__PRIM_add] = "(T)((U)x + (U)y)",
    [FA__PRIM_sub] = "(T)((U)x - (U)y)",        [FA__PRIM_mul] = "(T)((U)x * (U)y)",
    [FA__PRIM_mad] = "(T)((U)x * (U)y + (U)z)", [FA__PRIM_maximum] = "x > y ? x : y",
    [FA__PRIM_minimum] = "x < y ? x : y",       [FA__PRIM_nmad] = "(T)((U)z - (U)x * (U)y)",
};

static bool floating(fa__class class)
{
    return class == FA__CLASS_F32 || class == FA__CLASS_F64;
}

/* ---- primitives ---- */

/* The text of a conversion, "FROM_u8(TO_u8(x))"; empty for what is not one. */
static bool conversion(const primitive *p, fa__class class, bool f64, char *buffer, size_t size)
{
    if (strncmp(p->name, "to_", 3) != 0 || p->text[0])
        return false;
    const char *dtype = p->name + 3;
    if (!f64 && !strcmp(dtype, "f64") && class == FA__CLASS_F32)
        snprintf(buffer, size, "x");
    else
        snprintf(buffer, size, "FROM_%s(TO_%s(x))", dtype, dtype);
    return true;
}

/* What stands in other files than the class's own: of floats by `needs`, integers have theirs there. */
enum { OWN_F32 = 1 << 15 }; /* of f32 it is in math.inc */
static const uint16_t needs[FA__PRIM_count] = {
#define MATH FA__GPU_NEEDS_MATH
#define WIDE FA__GPU_NEEDS_MATH | FA__GPU_NEEDS_WIDE
#define SPECIAL FA__GPU_NEEDS_MATH | FA__GPU_NEEDS_WIDE | FA__GPU_NEEDS_SPECIAL
#define RARE SPECIAL | FA__GPU_NEEDS_RARE
    [FA__PRIM_abs] = MATH,
    [FA__PRIM_ceil] = MATH,
    [FA__PRIM_round] = MATH,
    [FA__PRIM_round_to] = MATH,
    [FA__PRIM_fmod] = MATH,
    [FA__PRIM_remainder] = MATH,
    [FA__PRIM_floor_divide] = MATH,
    [FA__PRIM_copysign] = MATH,
    [FA__PRIM_exp] = MATH,
    [FA__PRIM_log] = MATH,
    [FA__PRIM_tanh] = MATH,
    [FA__PRIM_sigmoid] = MATH,
    [FA__PRIM_erf] = MATH,
    [FA__PRIM_sin] = WIDE,
    [FA__PRIM_cos] = WIDE,
    [FA__PRIM_pow] = WIDE,
    [FA__PRIM_exp2] = SPECIAL | OWN_F32,
    [FA__PRIM_expm1] = SPECIAL | OWN_F32,
    [FA__PRIM_log2] = SPECIAL | OWN_F32,
    [FA__PRIM_log10] = SPECIAL | OWN_F32,
    [FA__PRIM_log1p] = SPECIAL | OWN_F32,
    [FA__PRIM_softplus] = SPECIAL | OWN_F32,
    [FA__PRIM_erfc] = SPECIAL,
    [FA__PRIM_erfinv] = SPECIAL,
    [FA__PRIM_lgamma] = SPECIAL,
    [FA__PRIM_digamma] = SPECIAL,
    [FA__PRIM_polygamma] = SPECIAL,
    [FA__PRIM_cbrt] = SPECIAL,
    [FA__PRIM_exponent] = SPECIAL,
    [FA__PRIM_zeta] = SPECIAL,
    [FA__PRIM_igamma] = RARE,
    [FA__PRIM_igammac] = RARE,
    [FA__PRIM_erfcx] = RARE,
    [FA__PRIM_ndtr] = RARE,
    [FA__PRIM_log_ndtr] = RARE,
    [FA__PRIM_ndtri] = RARE,
    [FA__PRIM_i0] = RARE,
    [FA__PRIM_i0e] = RARE,
    [FA__PRIM_i1] = RARE,
    [FA__PRIM_i1e] = RARE,
    [FA__PRIM_bessel_j0] = RARE,
    [FA__PRIM_bessel_j1] = RARE,
    [FA__PRIM_bessel_y0] = RARE,
    [FA__PRIM_bessel_y1] = RARE,
    [FA__PRIM_modified_bessel_k0] = RARE,
    [FA__PRIM_modified_bessel_k1] = RARE,
    [FA__PRIM_scaled_modified_bessel_k0] = RARE,
    [FA__PRIM_scaled_modified_bessel_k1] = RARE,
    [FA__PRIM_tan] = SPECIAL,
    [FA__PRIM_asin] = SPECIAL,
    [FA__PRIM_acos] = SPECIAL,
    [FA__PRIM_atan] = SPECIAL | OWN_F32,
    [FA__PRIM_atan2] = SPECIAL | OWN_F32,
    [FA__PRIM_sinh] = SPECIAL,
    [FA__PRIM_cosh] = SPECIAL,
    [FA__PRIM_asinh] = SPECIAL,
    [FA__PRIM_acosh] = SPECIAL,
    [FA__PRIM_atanh] = SPECIAL,
    [FA__PRIM_hypot] = SPECIAL | OWN_F32,
    [FA__PRIM_nextafter] = SPECIAL,
    [FA__PRIM_uniform] = FA__GPU_NEEDS_MATH | FA__GPU_NEEDS_RANDOM,
    [FA__PRIM_normal] = FA__GPU_NEEDS_MATH | FA__GPU_NEEDS_RANDOM,
#undef MATH
#undef WIDE
#undef SPECIAL
#undef RARE
};

static unsigned needs_of(int prim, fa__class class)
{
    if (class == FA__CLASS_F32 && needs[prim] & OWN_F32)
        return FA__GPU_NEEDS_MATH;
    return floating(class) ? needs[prim] & ~(unsigned)OWN_F32 : 0;
}

/* Whether a class has it as a function. */
static bool is_function(int prim, fa__class class)
{
    return prim > FA__PRIM_constant && prim != FA__PRIM_index && prim != FA__PRIM_uniform && prim != FA__PRIM_normal
           && fa__prims[prim].domain != (floating(class) ? FA__DOMAIN_WHOLE : FA__DOMAIN_FLOAT);
}

bool fa__gpu_put_primitive(fa__gpu_text *t, int prim, fa__class class, bool f64)
{
    static const char *const parameters[] = {"", "T x", "T x, T y", "T x, T y, T z"};
    char converted[64];
    const char *text = texts[prim].text;
    if (!is_function(prim, class))
        return fa__fail(FA_ERROR_INTERNAL, "%s is not computed in %s", fa__prims[prim].name,
                        floating(class) ? "floats" : "integers");
    if (!floating(class) && integer_texts[prim])
        text = integer_texts[prim];
    else if (conversion(&texts[prim], class, f64, converted, sizeof converted))
        text = converted;
    bool test = fa__prims[prim].domain == FA__DOMAIN_TEST;
    fa__gpu_put(t, "FN T prim_%s(%s) { return (T)(%s%s%s); }\n", texts[prim].name, parameters[fa__prims[prim].arity],
                test ? "(" : "", text, test ? ") ? 1 : 0" : "");
    return true;
}

void fa__gpu_put_primitives(fa__gpu_text *t, fa__class class, unsigned there, bool f64)
{
    for (int i = 0; i < FA__PRIM_count; i++)
        if (is_function(i, class) && !(needs_of(i, class) & ~there))
            fa__gpu_put_primitive(t, i, class, f64);
}

/* ---- programs ---- */

static int arity(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_input || n->prim == FA__PRIM_constant ? 0 : fa__prims[n->prim].arity;
}

static uint16_t operand(const fa__ssa_node *n, int k)
{
    return k == 0 ? n->a : k == 1 ? n->b : n->c;
}

static bool draws(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_uniform || n->prim == FA__PRIM_normal;
}

/* needed: what the results are made of. */
void fa__gpu_find_needed(const fa__ssa *ssa, bool needed[FA__MAX_NODES])
{
    memset(needed, 0, ssa->count);
    for (int k = 0; k < ssa->outputs; k++)
        needed[ssa->output[k]] = true;
    for (int i = ssa->count - 1; i >= 0; i--)
        for (int k = 0; needed[i] && k < arity(&ssa->node[i]); k++)
            needed[operand(&ssa->node[i], k)] = true;
}

/* The bit of an input; 0 for other nodes. */
static uint32_t input_bit(const fa__ssa_node *n)
{
    return n->prim == FA__PRIM_input ? 1U << n->a : 0;
}

uint32_t fa__gpu_program_reads(const fa__ssa *ssa)
{
    bool needed[FA__MAX_NODES];
    uint32_t reads = 0;
    fa__gpu_find_needed(ssa, needed);
    for (int i = 0; i < ssa->count; i++)
        for (int k = 0; needed[i] && !draws(&ssa->node[i]) && k < arity(&ssa->node[i]); k++)
            reads |= input_bit(&ssa->node[operand(&ssa->node[i], k)]);
    for (int k = 0; k < ssa->outputs; k++)
        reads |= input_bit(&ssa->node[ssa->output[k]]);
    return reads;
}

unsigned fa__gpu_program_needs(const fa__ssa *ssa, fa__class class)
{
    bool needed[FA__MAX_NODES];
    unsigned all = 0;
    fa__gpu_find_needed(ssa, needed);
    for (int i = 0; i < ssa->count; i++)
        if (needed[i])
            all |= needs_of(ssa->node[i].prim, fa__ssa_type(ssa, i, class));
    return all;
}

unsigned fa__gpu_text_needs(const char *text, fa__class class)
{
    unsigned all = floating(class) ? FA__GPU_NEEDS_MATH : 0;
    for (int i = 0; i < FA__PRIM_count; i++) {
        char call[64];
        snprintf(call, sizeof call, "prim_%s(", texts[i].name);
        if (strstr(text, call))
            all |= needs_of(i, class);
    }
    return all;
}

int fa__gpu_program_dims(const fa__device *d, const fa__ssa *ssa, fa__gpu_shape shape)
{
    if (fa__gpu_is_list(shape))
        return shape == FA__GPU_LIST ? FA_MAX_DIMS : FA__GPU_LIST_DENSE_DIMS;
    enum { FAULT = 8, BUFFER = 16, OTHERS = 64 /* for what else a kernel has */ };
    const fa__gpu_device *g = d->own;
    int n = ssa->inputs + ssa->outputs;
    for (int dims = FA_MAX_DIMS; dims > 0; dims--) {
        int longs = 1 + dims + n * dims, ints = (1 + n + 1) & ~1;
        if (FAULT + BUFFER * n + 8 * longs + 4 * ints + OTHERS <= (int64_t)g->max_args)
            return dims;
    }
    return 0;
}

static void put_list(fa__gpu_text *t, const char *name, const char *first, const char *more, int count)
{
    fa__gpu_put(t, "#define %s", name);
    for (int i = 0; i < count; i++)
        fa__gpu_put(t, i ? more : first, i, i);
    fa__gpu_put(t, "\n");
}

void fa__gpu_put_operands(fa__gpu_text *t, const fa__device *d, const fa__ssa *ssa, fa__gpu_shape shape)
{
    uint32_t reads = fa__gpu_program_reads(ssa);
    int operands = ssa->inputs + ssa->outputs;
    fa__gpu_put(t, "#define OPERANDS %d\n#define INPUTS %d\n#define OUTPUTS %d\n#define DIMS %d\n", operands,
                ssa->inputs, ssa->outputs, fa__gpu_program_dims(d, ssa, shape));
    put_list(t, "BUFFERS", " BUFFER(%d)", ", BUFFER(%d)", operands);
    put_list(t, "PASS_BUFFERS", " buffer%d, at%d", ", buffer%d, at%d", operands);
    put_list(t, "EACH_OPERAND(X)", " X(%d)", " X(%d)", operands);
    fa__gpu_put(t, "#define EACH_INPUT(X)");
    FA__EACH_BIT (i, reads)
        fa__gpu_put(t, " X(%d, %d)", (int)i, ssa->outputs + (int)i);
    fa__gpu_put(t, "\n#define EACH_OUTPUT(X)");
    for (int i = 0; i < ssa->outputs; i++)
        fa__gpu_put(t, " X(%d)", i);
    fa__gpu_put(t, "\n");
}

/* By its bits, so that it is the same everywhere; what it is stands beside it. */
static void put_comment(fa__gpu_text *t, double number)
{
    char digits[40];
    fa__text text = fa__text_in(digits, sizeof digits);
    fa__text_add(&text, "%.9g", number);
    fa__gpu_put(t, "; /* %s */\n", digits);
}

void fa__gpu_put_constant(fa__gpu_text *t, const fa__ssa_node *n, fa__class class, const char *of_bits)
{
    union {
        float f32;
        double f64;
        int32_t i32;
        int64_t i64;
        uint32_t u32;
        uint64_t u64;
    } v = {.u64 = 0};
    int64_t i = n->integer ? n->number.i : fabs(n->number.f) < 0x1p63 ? (int64_t)n->number.f : 0;
    if (class == FA__CLASS_F32)
        v.f32 = n->integer ? (float)n->number.i : (float)n->number.f;
    else if (class == FA__CLASS_F64)
        v.f64 = n->integer ? (double)n->number.i : n->number.f;
    else if (class == FA__CLASS_I32)
        v.i32 = (int32_t)i;
    else
        v.i64 = i;
    if (class == FA__CLASS_F32 || class == FA__CLASS_I32)
        fa__gpu_put(t, "%s(0x%08xu)", of_bits, v.u32);
    else
        fa__gpu_put(t, "%s(U64(0x%016llx))", of_bits, (unsigned long long)v.u64);
    if (n->integer)
        fa__gpu_put(t, "; /* %lld */\n", (long long)n->number.i);
    else
        put_comment(t, n->number.f);
}

/* The value of a node, as the right side of an assignment. */
static bool put_value(fa__gpu_text *t, const fa__ssa *ssa, const fa__ssa_node *n, fa__class class)
{
    if (n->prim == FA__PRIM_input) {
        fa__gpu_put(t, "x[%d];\n", n->a);
    } else if (n->prim == FA__PRIM_constant) {
        fa__gpu_put_constant(t, n, class, "T_OF_BITS");
    } else if (n->prim == FA__PRIM_index) {
        fa__gpu_put(t, "(T)index;\n");
    } else if (draws(n)) {
        int key = ssa->outputs + ssa->node[n->a].a;
        fa__gpu_put(t, "%s_at((u64)p->stride[%d][0], (u64)p->stride[%d][1], index);\n", fa__prims[n->prim].name, key,
                    key);
    } else if (!is_function(n->prim, class)) {
        return fa__fail(FA_ERROR_INTERNAL, "%s is not computed in %s", fa__prims[n->prim].name,
                        floating(class) ? "floats" : "integers");
    } else {
        fa__gpu_put(t, "prim_%s(", fa__prims[n->prim].name);
        for (int k = 0; k < arity(n); k++)
            fa__gpu_put(t, "%sv%d", k ? ", " : "", operand(n, k));
        fa__gpu_put(t, ");\n");
    }
    return true;
}

bool fa__gpu_put_program(fa__gpu_text *t, const fa__ssa *ssa, fa__class class)
{
    bool needed[FA__MAX_NODES];
    uint32_t reads = fa__gpu_program_reads(ssa);
    fa__gpu_find_needed(ssa, needed);
    fa__gpu_put(t, "FN void program(ARGUMENTS *p, i64 index, const T *x, T *y)\n{\n");
    for (int i = 0; i < ssa->count; i++) {
        bool key = ssa->node[i].prim == FA__PRIM_input && !(input_bit(&ssa->node[i]) & reads);
        if (!needed[i] || key)
            continue;
        fa__gpu_put(t, "    T v%d = ", i);
        if (!put_value(t, ssa, &ssa->node[i], class))
            return false;
    }
    for (int k = 0; k < ssa->outputs; k++)
        fa__gpu_put(t, "    y[%d] = v%d;\n", k, ssa->output[k]);
    fa__gpu_put(t, "}\n");
    return true;
}
