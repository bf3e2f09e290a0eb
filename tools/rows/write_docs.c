/* Writes docs/operations.md: what there is, what PyTorch calls it, and what each operation can do. */
#include "rows.h"
#include <string.h>

/* The text of string literals, for a cell of a table. */
static void put_literals(text *t, const char *literals)
{
    bool inside = false;
    for (const char *p = literals; *p; p++) {
        if (*p == '"')
            inside = !inside;
        else if (inside && *p == '\\' && p[1])
            put(t, "%c", *++p);
        else if (inside)
            put(t, "%s%c", *p == '|' ? "\\" : "", *p);
    }
}

static void put_signature(text *t, const op *o)
{
    const char *comma = "";
    put(t, "| [`fa_%s`](../include/facula/ops/%s.h", o->name, o->source->group->name);
    put(t, o->header_line ? "#L%d)`(" : ")`(", o->header_line);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < o->args->nfields; i++) {
            const field *f = &o->args->field[i];
            if (!(pass ? is_option(f) : is_operand(f)))
                continue;
            put(t, "%s%s%s", comma, pass ? "." : "", f->name);
            comma = ", ";
        }
    put(t, ")` | ");
}

static void put_gradient(text *t, const op *o)
{
    const cell *why = cell_find(o, "no_grad");
    bool any = false;
    for (int i = 0; i < MOST_FIELDS; i++)
        any |= o->derivative[i] != NULL;
    if (why) {
        put(t, "none: ");
        put_literals(t, why->value);
    } else if (cell_find(o, "grad"))
        put(t, "yes");
    else
        put(t, "%s", !o->pointwise ? "composed" : any ? "derived" : "zero");
}

/* What the manual calls the kind of autocast that a cell of this name has: "f32" for FA__CAST_F32. */
static const char *cast_name(const op *o, const char *name)
{
    static const char *const names[][2] = {
        {"FA__CAST_LOW", "low"}, {"FA__CAST_F32", "f32"}, {"FA__CAST_WIDEST", "widest"}};
    const cell *c = cell_find(o, name);
    for (size_t i = 0; c && i < sizeof names / sizeof *names; i++)
        if (!strcmp(c->value, names[i][0]))
            return names[i][1];
    return "";
}

/* The devices in their columns, and the folder whose kernels they run; NULL: they compute nothing. */
static const struct {
    const char *name, *folder;
} devices[] = {{"cpu", "cpu"}, {"opencl", "gpu"}, {"late", "cpu"}, {"meta", NULL}};
enum { DEVICES = sizeof devices / sizeof *devices };

/* How an operation runs on a device: call.c asks the same questions. */
static const char *way(const rows *r, const op *o, const char *folder)
{
    bool runs = cell_find(o, "run") || o->pointwise;
    return o->view                                                   ? "view"
           : cell_find(o, "compose") || cell_find(o, "compose_list") ? "composed"
           : !folder                                                 ? "shapes"
           : runs                                                    ? "program"
           : has_kernel(r, folder, o)                                ? "kernel"
                                                                     : "**no**";
}

/* How many calls the tests try, and whether PyTorch says what comes out. */
static void put_tested(text *t, const op *o)
{
    int calls = 1;
    for (const char *p = o->samples; *p; p++)
        calls += *p == ';';
    put(t, "%d%s", calls, strspn(o->torch, "\" ") < strlen(o->torch) ? ", PyTorch" : "");
}

/* One argument of a TORCH call in a signature: x is input, y is other, "keepdim=keepdim" is keepdim, *x is *tensors. */
static void put_argument(text *t, const char *p, size_t n, bool first)
{
    if (memchr(p, '=', n))
        n = (size_t)((const char *)memchr(p, '=', n) - p);
    char *name = rows_copy(p, n);
    put(t, "%s%s", first ? "" : ", ", !strcmp(name, "x") ? "input" : !strcmp(name, "y") ? "other" : name);
}

/* "torch.softmax(input, dim, dtype)" for TORCH("softmax(x, dim, dtype=dtype)"). */
static void put_derived(text *t, const op *o)
{
    const char *p = o->torch + strspn(o->torch, "\"");
    bool method = !strncmp(p, "x.", 2), first = true;
    p += method ? 2 : 0;
    size_t n = strcspn(p, "(");
    put(t, "torch.%s%.*s(", method ? "Tensor." : "", (int)n, p);
    for (p += n + (p[n] == '('); *p && *p != ')' && *p != '"'; p += n + strspn(p + n, ", ")) {
        n = strcspn(p, ",)\"");
        put_argument(t, p, n, first);
        first = false;
    }
    put(t, ")");
}

/* PyTorch's signature; nothing where PyTorch has no such function. */
static void put_torch(text *t, const rows *r, const op *o)
{
    const char *written = torch_signature(r, o);
    text signature = {0};
    if (written)
        put(&signature, "%s", written);
    else if (strspn(o->torch, "\" ") < strlen(o->torch))
        put_derived(&signature, o);
    if (signature.length)
        put(t, "`%s`%s", signature.bytes, *o->also ? "; " : "");
    if (*o->also) {
        put(t, "also ");
        put_literals(t, o->also);
    }
    text_take(&signature);
}

static void put_names(text *t, const rows *r, const op *o)
{
    const char *numpy = numpy_name(r, o);
    put_torch(t, r, o);
    put(t, *numpy ? " | `%s` | " : " | %s | ", numpy);
}

static void put_row(text *t, const rows *r, const op *o)
{
    put_signature(t, o);
    put_names(t, r, o);
    put(t, "%s | ", o->dtypes ? o->dtypes : "");
    put_gradient(t, o);
    put(t, " | %s | %s | ",
        o->fills          ? "only"
        : o->inplace >= 0 ? rows_format("`fa_%s_`", o->name)
                          : "",
        o->view  ? "view"
        : o->out ? "yes"
                 : "");
    const char *cpu = cast_name(o, "autocast_cpu");
    put(t, "%s%s | ", cast_name(o, "autocast"), *cpu ? rows_format(", on the CPU %s", cpu) : "");
    put_tested(t, o);
    put(t, " |");
    for (int i = 0; i < DEVICES; i++)
        put(t, " %s |", way(r, o, devices[i].folder));
    put(t, "\n");
}

static void put_head(text *t, const source *f)
{
    put(t, "\n### %.*s\n\n", (int)strcspn(f->about, ":.\n"), f->about);
    put(t, "| operation | PyTorch | NumPy | dtypes | gradient | in place | out | autocast | tested |");
    for (int i = 0; i < DEVICES; i++)
        put(t, " %s |", devices[i].name);
    put(t, "\n|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < DEVICES; i++)
        put(t, "---|");
    put(t, "\n");
}

static void put_family(text *t, const rows *r, const source *f)
{
    put_head(t, f);
    for (const op *o = r->ops; o; o = o->next)
        if (o->source == f && !o->internal)
            put_row(t, r, o);
}

static void put_group(text *t, const rows *r, const group *g)
{
    put(t, "\n## %s\n\n`#include <facula/ops/%s.h>`\n", g->title, g->name);
    for (const source *f = r->sources; f; f = f->next)
        if (f->group == g && f->listed)
            put_family(t, r, f);
}

#define BOOL "bool"
#define UNSIGNED "unsigned integer"
#define SIGNED "signed integer"
#define FLOAT "floating"
#define COMPUTES "computing"
#define STORES "storage"

/* The dtypes, from the library's table. */
static void put_dtypes(text *t)
{
    static const struct {
        const char *name, *torch, *numpy, *stored, *kind, *use;
        double largest;
        int digits;
    } dtypes[] = {
#define DTYPE(tag, name_, cell, kind_, class, form, use_, digits_, largest_, smallest, top, torch_, numpy_, npy,       \
              stored_, ...)                                                                                            \
    {.name = #name_,                                                                                                   \
     .torch = (torch_),                                                                                                \
     .numpy = (numpy_),                                                                                                \
     .stored = (stored_),                                                                                              \
     .kind = kind_,                                                                                                    \
     .use = use_,                                                                                                      \
     .largest = (largest_),                                                                                            \
     .digits = (digits_)},
#include "core/dtypes.def"
#undef DTYPE
    };
    put(t, "\n## Dtypes\n\n| dtype | PyTorch | NumPy | safetensors | kind | digits | largest | use |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        put(t, "| %s | %s | %s | %s | %s | %d | %.6g | %s |\n", dtypes[i].name, dtypes[i].torch,
            dtypes[i].numpy ? dtypes[i].numpy : "", dtypes[i].stored, dtypes[i].kind, dtypes[i].digits,
            dtypes[i].largest, dtypes[i].use);
    put(t, "\nDigits are bits: of an integer without its sign, of the significand of a floating dtype. Operands of "
           "different dtypes promote to\nthe smallest dtype that has all values of both, a floating dtype before an "
           "integer one, as in PyTorch. A storage dtype holds values:\ntensors of it are created, copied, viewed, "
           "indexed, joined, compared, converted, printed and saved. An operation whose result\nwould have to be "
           "rounded to it is an error; fa_to() rounds, and so does a cast in an expression (`f8_e4m3fn(x * s)`). With "
           "an operand\nof another dtype it promotes, which PyTorch refuses: `x * s` is f32 where s is.\n");
}

void write_docs(const rows *r, const char *path)
{
    text t = {0};
    put(&t,
        "# Operations\n\n<!-- Written by facula-rows from src/ops: edit there. -->\n\n"
        "The tables list every operation with its counterparts in PyTorch and NumPy. A name links to its manual page "
        "in "
        "the\npublic header.\n\n"
        "- **operation**: operands come first, then named options, as in `fa_sum(x, .dim = 1)`.\n"
        "- **dtypes**: the dtypes that operands may have; \"by option\" if there are no operands.\n"
        "- **gradient**: \"derived\" from the operation's expression, \"yes\" if written by hand, \"composed\" of the "
        "gradients of\n  other operations, \"zero\" everywhere, or \"none\" with the reason.\n"
        "- **in place**: the function that writes the result into its operand. \"only\": the operation has no other "
        "form.\n"
        "- **out**: whether `.out = t` writes the result into an existing tensor; \"view\" if the result is a view of "
        "its\n"
        "  operand.\n"
        "- **autocast**: the dtype that floating operands are converted to while autocast is on; \"low\" is the dtype "
        "chosen\n  for autocast.\n"
        "- **tested**: the number of calls in the tests, each of which runs in every dtype and layout and on every "
        "device;\n  \"PyTorch\" if the expected results come from PyTorch.\n"
        "- **cpu, opencl, late, meta**: how the operation runs on each device:\n"
        "  - \"program\": code compiled for the device from an expression or a reduction;\n"
        "  - \"kernel\": a function written for the CPU (src/backend/cpu), which the test device `late` also runs, or "
        "for "
        "GPUs\n    (src/backend/gpu);\n"
        "  - \"view\": nothing is computed;\n"
        "  - \"composed\": calls other operations;\n"
        "  - \"shapes\": `meta` computes only shape and dtype of the result;\n"
        "  - **no**: an error on this device, or with `FA_USE(.fallback = true)` run on the CPU with copies, which "
        "are counted.\n");
    put_dtypes(&t);
    for (const group *g = r->groups; g; g = g->next)
        if (g->listed)
            put_group(&t, r, g);
    put_missing(&t, r);
    file_write(path, &t);
}
