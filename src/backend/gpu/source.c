/* Complete sources of kernels: the driver's words, the math and conversions that the CPU has too, the class, and the
 * kernel's own text. All are files that are embedded in the library. */
#include "backend/gpu/source.h"
#include "backend/gpu/gpu.h"
#include "base/alloc.h"
#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FILE_OF(name) extern const char fa__embed_##name[];
FILE_OF(convert_h)
FILE_OF(math_inc)
FILE_OF(math64_inc)
FILE_OF(wide_inc)
FILE_OF(wide64_inc)
FILE_OF(rounding_inc)
FILE_OF(elementary_inc)
FILE_OF(special_inc)
FILE_OF(bessel_inc)
FILE_OF(incomplete_inc)
FILE_OF(normal_inc)
FILE_OF(class_f32_inc)
FILE_OF(class_f64_inc)
FILE_OF(class_integer_inc)
FILE_OF(arguments_h)
FILE_OF(class_head_inc)
FILE_OF(class_inc)
FILE_OF(common_inc)
FILE_OF(philox_inc)
FILE_OF(poisson_inc)
FILE_OF(random_inc)
FILE_OF(tree_inc)
FILE_OF(product_inc)
FILE_OF(tile_inc)
FILE_OF(tensor_inc)
FILE_OF(patches_inc)
FILE_OF(program_inc)
FILE_OF(registered_inc)
#define FAMILY(name, file, entry, x, y, needs) FILE_OF(file##_inc)
#define SHAPE(name, file, entry, x, y) FILE_OF(file##_inc)
#include "backend/gpu/families.def"
#undef FAMILY
#undef SHAPE

/* common.inc and class_head.inc have these numbers too */
_Static_assert(FA_ERROR_ARGUMENT == 1 && FA_ERROR_INDEX == 5, "ERROR_");
_Static_assert(FA__CLASS_F32 == 0 && FA__CLASS_F64 == 1 && FA__CLASS_I32 == 2 && FA__CLASS_I64 == 3, "CLASS");
_Static_assert(FA__GPU_GENERAL == 0 && FA__GPU_DENSE == 1 && FA__GPU_DENSE_F16 == 2 && FA__GPU_DENSE_BF16 == 3,
               "SHAPE");
_Static_assert(FA__GPU_LIST_DENSE_BF16 - FA__GPU_LIST == FA__GPU_DENSE_BF16, "lists are in the same order");

/* Short names for families.def. */
enum {
    FAULTS = FA__GPU_NEEDS_FAULTS,
    MATH = FA__GPU_NEEDS_MATH,
    WIDE = FA__GPU_NEEDS_WIDE,
    RANDOM = FA__GPU_NEEDS_RANDOM,
    F64 = FA__GPU_NEEDS_F64,
    FLOATING = FA__GPU_NEEDS_FLOATING,
    TREE = FA__GPU_NEEDS_TREE,
    SPECIAL = FA__GPU_NEEDS_SPECIAL,
    POISSON = FA__GPU_NEEDS_POISSON,
    RARE = FA__GPU_NEEDS_RARE,
    PRODUCT = FA__GPU_NEEDS_PRODUCT,
    TILES = FA__GPU_NEEDS_TILES,
    TENSOR = FA__GPU_NEEDS_TENSOR,
    PATCHES = FA__GPU_NEEDS_PATCHES
};

static const fa__gpu_form families[FA__GPU_FAMILIES] = {
#define FAMILY(name, file, entry_, x, y, needs_)                                                                       \
    [FA__GPU_##name] = {.text = fa__embed_##file##_inc, .entry = #entry_, .group = {x, y}, .needs = (needs_)},
#define SHAPE(name, file, entry, x, y)
#include "backend/gpu/families.def"
#undef FAMILY
#undef SHAPE
};

static const fa__gpu_form shapes[FA__GPU_ROWS + 1] = {
#define FAMILY(name, file, entry, x, y, needs)
#define SHAPE(name, file, entry_, x, y)                                                                                \
    [FA__GPU_##name] = {.text = fa__embed_##file##_inc, .entry = #entry_, .group = {x, y}},
#include "backend/gpu/families.def"
#undef FAMILY
#undef SHAPE
};

const fa__gpu_form *fa__gpu_family_form(fa__gpu_family family)
{
    return &families[family];
}

const fa__gpu_form *fa__gpu_shape_form(fa__gpu_shape shape)
{
    return &shapes[shape < FA__GPU_ROWS ? shape : FA__GPU_ROWS];
}

uint32_t fa__gpu_largest_group(void)
{
    static const uint32_t groups[] = {
#define FAMILY(name, file, entry, x, y, needs) (x) * (y),
#define SHAPE(name, file, entry, x, y) (x) * (y),
#include "backend/gpu/families.def"
#undef FAMILY
#undef SHAPE
    };
    uint32_t largest = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        largest = groups[i] > largest ? groups[i] : largest;
    return largest;
}

/* ---- texts that grow ---- */

static bool make_room(fa__gpu_text *t, size_t more)
{
    if (t->failed || t->length + more + 1 <= t->room)
        return !t->failed;
    size_t room = 2 * (t->length + more + 1);
    char *at = fa__realloc(t->at, room);
    t->failed = !at;
    if (!at)
        return false;
    t->at = at;
    t->room = room;
    return true;
}

void fa__gpu_put(fa__gpu_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (n < 0 || !make_room(t, (size_t)n))
        return;
    va_start(list, format);
    vsnprintf(t->at + t->length, (size_t)n + 1, format, list);
    va_end(list);
    t->length += (size_t)n;
}

void fa__gpu_put_file(fa__gpu_text *t, const char *text)
{
    size_t n = strlen(text);
    if (!make_room(t, n + 1))
        return;
    memcpy(t->at + t->length, text, n);
    t->length += n;
    t->at[t->length++] = '\n';
    t->at[t->length] = 0;
}

/* ---- what all sources begin with ---- */

bool fa__gpu_lacks_f64(const fa__device *d, const char *what)
{
    return fa__fail(FA_ERROR_UNAVAILABLE,
                    "%s does not compute in f64, which %s needs: FA_USE(.fallback = true) runs it on the CPU by "
                    "counted copies",
                    d->name, what);
}

bool fa__gpu_handles(const fa__device *d, const fa__operand *o, const char *what)
{
    const fa__gpu_device *g = d->own;
    return o->dtype != FA_F64 || g->f64 || fa__gpu_lacks_f64(d, what);
}

/* types: the compute types (bits) of fa__class. */
static bool check_f64(const fa__device *d, unsigned types, unsigned needs, const char *what)
{
    const fa__gpu_device *g = d->own;
    bool wanted = types >> FA__CLASS_F64 & 1 || needs & (WIDE | F64);
    return !wanted || g->f64 || fa__gpu_lacks_f64(d, what);
}

static void put_math(fa__gpu_text *t, unsigned types, unsigned needs)
{
    bool f32 = types >> FA__CLASS_F32 & 1, f64 = types >> FA__CLASS_F64 & 1;
    if (!(f32 | f64) || !(needs & (MATH | WIDE | RANDOM)))
        return;
    bool narrow = f32 || needs & WIDE, wide = f64 || needs & WIDE;
    if (narrow)
        fa__gpu_put_file(t, fa__embed_math_inc);
    if (wide)
        fa__gpu_put_file(t, fa__embed_math64_inc);
    fa__gpu_put_file(t, fa__embed_rounding_inc);
    if (narrow)
        fa__gpu_put(t, "ROUNDING_F32\n");
    if (wide)
        fa__gpu_put(t, "ROUNDING_F64\n");
    if (needs & WIDE)
        fa__gpu_put_file(t, fa__embed_wide_inc);
    if (needs & WIDE && (f64 || needs & SPECIAL))
        fa__gpu_put_file(t, fa__embed_wide64_inc);
    if (needs & SPECIAL) {
        fa__gpu_put_file(t, fa__embed_elementary_inc);
        fa__gpu_put_file(t, fa__embed_special_inc);
    }
    if (needs & RARE) {
        fa__gpu_put_file(t, fa__embed_bessel_inc);
        fa__gpu_put_file(t, fa__embed_normal_inc);
        fa__gpu_put_file(t, fa__embed_incomplete_inc);
    }
}

/* Each dtype's number and cell, and how coded ones are converted. */
typedef struct dtype_text {
    const char *name, *cell, *conversions;
    int number;
} dtype_text;

#define PLAIN(name) ""
#define CODED(name)                                                                                                    \
    "#define FROM_" name "(s) FROM_f32(f32_of_" name "(s))\n#define TO_" name "(x) " name "_of_f32(ROUND_F32(x))\n"
static const dtype_text dtypes[] = {
#define DTYPE(tag, name_, cell_, kind, class, form, ...)                                                               \
    {.name = #name_, .cell = #cell_, .conversions = form(#name_), .number = FA_##tag},
#include "core/dtypes.def"
#undef DTYPE
};

static void put_dtypes(fa__gpu_text *t, bool f64)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        fa__gpu_put(t, "#define DTYPE_%s %d\n", dtypes[i].name, dtypes[i].number);
        fa__gpu_put_file(t, dtypes[i].conversions);
    }
    fa__gpu_put(t, "#define DTYPES(X)");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (f64 || strcmp(dtypes[i].cell, "f64") != 0)
            fa__gpu_put(t, " X(%s, %s)", dtypes[i].name, dtypes[i].cell);
    fa__gpu_put(t, "\n");
}

const char *const fa__gpu_class_texts[FA__CLASSES] = {
    [FA__CLASS_F32] = fa__embed_class_f32_inc,
    [FA__CLASS_F64] = fa__embed_class_f64_inc,
    [FA__CLASS_I32] = fa__embed_class_integer_inc,
    [FA__CLASS_I64] = fa__embed_class_integer_inc,
};

/* What does not depend on the compute type: words, math of the types (bits), dtypes. */
static void put_common(fa__gpu_text *t, const fa__device *d, const fa__gpu_form *form, unsigned types, unsigned needs)
{
    const fa__gpu_device *g = d->own;
    fa__gpu_put(t, "#define HAS_F64 %d\n#define GROUP_X %u\n#define GROUP_Y %u\n", g->f64, form->group[0],
                form->group[1]);
    fa__gpu_put_file(t, g->driver->prelude);
    fa__gpu_put_file(t, fa__embed_arguments_h);
    fa__gpu_put_file(t, fa__embed_convert_h);
    put_math(t, types, needs);
    put_dtypes(t, g->f64);
    fa__gpu_put_file(t, fa__embed_common_inc);
}

static void put_begin(fa__gpu_text *t, const fa__device *d, const fa__gpu_form *form, fa__class class, unsigned needs)
{
    const fa__gpu_device *g = d->own;
    put_common(t, d, form, 1U << class, needs);
    fa__gpu_put(t, "#define CLASS %d\n", (int)class);
    fa__gpu_put_file(t, fa__embed_class_head_inc);
    fa__gpu_put_file(t, fa__gpu_class_texts[class]);
    fa__gpu_put_file(t, fa__embed_class_inc);
    fa__gpu_put_primitives(t, class, needs, g->f64);
    if (needs & RANDOM) {
        fa__gpu_put_file(t, fa__embed_philox_inc);
        fa__gpu_put_file(t, fa__embed_random_inc);
    }
    if (needs & POISSON)
        fa__gpu_put_file(t, fa__embed_poisson_inc);
    if (needs & TREE)
        fa__gpu_put_file(t, fa__embed_tree_inc);
}

static char *finished(fa__gpu_text *t, bool good)
{
    if (good && !t->failed)
        return t->at;
    fa__free(t->at);
    return NULL;
}

char *fa__gpu_source_fixed(const fa__device *d, fa__gpu_family family, int variant, fa__class class, const char **entry)
{
    const fa__gpu_form *form = fa__gpu_family_form(family);
    fa__gpu_text t = {0};
    if (!check_f64(d, 1U << class, form->needs, form->entry))
        return NULL;
    put_begin(&t, d, form, class, form->needs);
    fa__gpu_put(&t, "#define VARIANT %d\n", variant);
    if (form->needs & TENSOR) {
        fa__gpu_put_file(&t, ((const fa__gpu_device *)d->own)->driver->tensor);
        fa__gpu_put_file(&t, fa__embed_tensor_inc);
    }
    if (form->needs & TILES)
        fa__gpu_put_file(&t, fa__embed_tile_inc);
    if (form->needs & PATCHES)
        fa__gpu_put_file(&t, fa__embed_patches_inc);
    if (form->needs & PRODUCT)
        fa__gpu_put_file(&t, fa__embed_product_inc);
    fa__gpu_put_file(&t, form->text);
    *entry = form->entry;
    return finished(&t, true);
}

/* The compute types (bits) of a program's values. */
static unsigned types_of(const fa__ssa *ssa, fa__class class)
{
    unsigned types = 0;
    for (int i = 0; i < ssa->count; i++)
        types |= 1U << fa__ssa_type(ssa, i, class);
    return types;
}

char *fa__gpu_source_program(const fa__device *d, const fa__program *p, fa__class class, fa__gpu_shape shape,
                             const char **entry)
{
    const fa__gpu_form *form = fa__gpu_shape_form(shape);
    unsigned needs = fa__gpu_program_needs(p->ssa, class) | (shape >= FA__GPU_ROWS ? TREE : 0);
    const bool typed = p->ssa->type != NULL;
    unsigned types = types_of(p->ssa, class);
    fa__gpu_text t = {0};
    if (!check_f64(d, types, needs, p->text))
        return NULL;
    bool good = true;
    if (typed) {
        put_common(&t, d, form, types, needs);
        good = fa__gpu_put_types(&t, p->ssa, ((const fa__gpu_device *)d->own)->f64);
    } else
        put_begin(&t, d, form, class, needs);
    if (fa__gpu_is_list(shape))
        fa__gpu_put(&t, "#define LIST 1\n");
    fa__gpu_put(&t, "#define SHAPE %d\n", (int)(fa__gpu_is_list(shape) ? shape - FA__GPU_LIST : shape));
    if (shape >= FA__GPU_ROWS)
        fa__gpu_put(&t, "#define COMBINE %d\n", (int)(shape - FA__GPU_ROWS));
    fa__gpu_put_operands(&t, d, p->ssa, shape);
    fa__gpu_put_file(&t, fa__embed_program_inc);
    if (typed)
        fa__gpu_put_typed_item(&t, p->ssa);
    else
        good = fa__gpu_put_program(&t, p->ssa, class);
    fa__gpu_put_file(&t, form->text);
    *entry = form->entry;
    return finished(&t, good);
}

char *fa__gpu_source_registered(const fa__device *d, const fa__op *op, const fa__gpu_form *form, int rank,
                                fa__class class)
{
    fa__gpu_text t = {0};
    const unsigned needs = fa__gpu_text_needs(form->text, class);
    if (!check_f64(d, 1U << class, needs, op->name))
        return NULL;
    put_begin(&t, d, form, class, needs);
    fa__gpu_put_registered(&t, op, rank);
    fa__gpu_put_file(&t, fa__embed_registered_inc);
    fa__gpu_put_file(&t, form->text);
    return finished(&t, true);
}
