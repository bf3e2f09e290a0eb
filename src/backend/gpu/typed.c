/* Sources of programs whose values have types of their own. The texts of a compute type (class_head.inc, class_f32.inc
 * and its like, class.inc) are written for one type T: here each type of the program has them, as a section in which
 * the functions' names get the type's number, load_any_1, and behind which all macros are forgotten. */
#include "backend/gpu/gpu.h"
#include "backend/gpu/source.h"
#include "core/dtype.h"
#include <ctype.h>
#include <string.h>

extern const char fa__embed_class_head_inc[], fa__embed_class_inc[];

/* A compute type in the words of the dialect, and what makes a value of its bits. */
static const struct {
    const char *name, *of_bits;
} types[FA__CLASSES] = {
    [FA__CLASS_F32] = {"f32", "AS_F32((u32)"},
    [FA__CLASS_F64] = {"f64", "AS_F64((u64)"},
    [FA__CLASS_I32] = {"i32", "((i32)"},
    [FA__CLASS_I64] = {"i64", "((i64)"},
};

/* ---- sections ---- */

static int word_length(const char *at)
{
    int n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

/* Gives the function names of a text the type's number, or with type < 0 takes that away again. */
static void rename_functions(fa__gpu_text *t, const char *text, int type)
{
    for (const char *at = text; (at = strstr(at, "FN "));) {
        at += strlen("FN ");
        const char *name = strchr(at, ' ');
        int length = name ? word_length(++name) : 0;
        if (!length || name[length] != '(')
            continue;
        if (type < 0)
            fa__gpu_put(t, "#undef %.*s\n", length, name);
        else
            fa__gpu_put(t, "#define %.*s %.*s_%d\n", length, name, length, name, type);
    }
}

static void rename_function(fa__gpu_text *t, const char *prefix, const char *name, int type)
{
    if (type < 0)
        fa__gpu_put(t, "#undef %s%s\n", prefix, name);
    else
        fa__gpu_put(t, "#define %s%s %s%s_%d\n", prefix, name, prefix, name, type);
}

/* The primitives (true) that nodes of a type need as functions. */
static void find_primitives(const fa__ssa *ssa, int type, bool used[FA__PRIM_count])
{
    bool needed[FA__MAX_NODES];
    fa__gpu_find_needed(ssa, needed);
    memset(used, 0, FA__PRIM_count * sizeof *used);
    for (int i = 0; i < ssa->count; i++) {
        int prim = ssa->node[i].prim;
        bool function = prim != FA__PRIM_input && prim != FA__PRIM_constant && prim != FA__PRIM_index;
        used[prim] |= needed[i] && function && ssa->type[i] == type && !fa__ssa_converts(ssa, i);
    }
}

static void rename_all(fa__gpu_text *t, const bool used[FA__PRIM_count], int type, int number)
{
    rename_functions(t, fa__gpu_class_texts[type], number);
    rename_functions(t, fa__embed_class_inc, number);
    for (int d = FA_SAME + 1; d < FA__DTYPES; d++) {
        rename_function(t, "load_", fa__dtype_names[d], number);
        rename_function(t, "store_", fa__dtype_names[d], number);
    }
    for (int i = 0; i < FA__PRIM_count; i++)
        if (used[i])
            rename_function(t, "prim_", fa__prims[i].name, number);
}

/* Forgets the macros that a text defines. */
static void forget_macros(fa__gpu_text *t, const char *text)
{
    static const char define[] = "#define ";
    for (const char *at = text; (at = strstr(at, define));) {
        at += strlen(define);
        fa__gpu_put(t, "#undef %.*s\n", word_length(at), at);
    }
}

static bool put_section(fa__gpu_text *t, const fa__ssa *ssa, int type, unsigned all, bool f64)
{
    bool used[FA__PRIM_count], good = true;
    find_primitives(ssa, type, used);
    fa__gpu_put(t, "#define CLASS %d\n", type);
    rename_all(t, used, type, type);
    fa__gpu_put_file(t, fa__embed_class_head_inc);
    fa__gpu_put_file(t, fa__gpu_class_texts[type]);
    fa__gpu_put_file(t, fa__embed_class_inc);
    for (int i = 0; good && i < FA__PRIM_count; i++)
        good = !used[i] || fa__gpu_put_primitive(t, i, (fa__class)type, f64);
    FA__EACH_BIT (from, all & ~(1U << type))
        fa__gpu_put(t, "FN T from_%s_%d(%s s) { return (T)FROM_%s(s); }\n", types[from].name, type, types[from].name,
                    types[from].name);
    rename_all(t, used, type, -1);
    forget_macros(t, fa__embed_class_inc);
    forget_macros(t, fa__gpu_class_texts[type]);
    forget_macros(t, fa__embed_class_head_inc);
    fa__gpu_put(t, "#undef CLASS\n");
    return good;
}

bool fa__gpu_put_types(fa__gpu_text *t, const fa__ssa *ssa, bool f64)
{
    unsigned all = 0;
    for (int i = 0; i < ssa->count; i++)
        all |= 1U << ssa->type[i];
    fa__gpu_put(t, "#define TYPED 1\n");
    FA__EACH_BIT (type, all)
        if (!put_section(t, ssa, (int)type, all, f64))
            return false;
    return true;
}

/* ---- the program ---- */

/* The value of node i, as the right side of an assignment. */
static void put_value(fa__gpu_text *t, const fa__ssa *ssa, int i)
{
    const fa__ssa_node *n = &ssa->node[i];
    const int type = ssa->type[i], operand = ssa->outputs + n->a;
    if (n->prim == FA__PRIM_input) {
        fa__gpu_put(t,
                    "p->dtype[%d] == 0 ? %s(p->stride[%d][0])) : load_any_%d(buffer%d + at%d, p->dtype[%d], "
                    "place[%d]);\n",
                    operand, types[type].of_bits, operand, type, operand, operand, operand, operand);
    } else if (n->prim == FA__PRIM_constant) {
        static const char *const of_bits[] = {"AS_F32", "AS_F64", "(i32)", "(i64)"};
        fa__gpu_put_constant(t, n, (fa__class)type, of_bits[type]);
    } else if (n->prim == FA__PRIM_index) {
        fa__gpu_put(t, "(%s)index;\n", types[type].name);
    } else if (fa__ssa_converts(ssa, i)) {
        fa__gpu_put(t, "from_%s_%d(v%d);\n", types[ssa->type[n->a]].name, type, n->a);
    } else {
        fa__gpu_put(t, "prim_%s_%d(", fa__prims[n->prim].name, type);
        for (int k = 0; k < fa__prims[n->prim].arity; k++)
            fa__gpu_put(t, "%sv%d", k ? ", " : "", fa__ssa_operand(n, k));
        fa__gpu_put(t, ");\n");
    }
}

void fa__gpu_put_typed_item(fa__gpu_text *t, const fa__ssa *ssa)
{
    bool needed[FA__MAX_NODES];
    fa__gpu_find_needed(ssa, needed);
    fa__gpu_put(t, "FN void run_item(BUFFERS, ARGUMENTS *p, i64 index)\n{\n    i64 place[OPERANDS];\n"
                   "    if (index >= p->count)\n        return;\n    places(p, index, place);\n");
    for (int i = 0; i < ssa->count; i++)
        if (needed[i]) {
            fa__gpu_put(t, "    %s v%d = ", types[ssa->type[i]].name, i);
            put_value(t, ssa, i);
        }
    for (int k = 0; k < ssa->outputs; k++)
        fa__gpu_put(t, "    store_any_%d(buffer%d + at%d, p->dtype[%d], place[%d], v%d);\n", ssa->type[ssa->output[k]],
                    k, k, k, k, ssa->output[k]);
    fa__gpu_put(t, "}\n");
}
