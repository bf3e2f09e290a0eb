/* Module summaries: tables of parameters and, after a run with hooks, of outputs. */
#include "nn/layer.h"
#include "nn/module.h"
#include <facula/autograd.h>
#include <facula/error.h>
#include <facula/nn.h>
#include <facula/ops/create.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <string.h>

static const char who[] = "fa_module_summary";

/* The data of one module. */
typedef struct record {
    fa_module *module;
    fa_shape output; /* shape of the output of its first run */
    int64_t hook, runs, work, bytes;
    bool trained;
} record;

enum { MAX_STRANGERS = 8 };

typedef struct records {
    fa_object base;
    fa_module *stranger[MAX_STRANGERS]; /* modules that the run has met, but that are no descendants */
    size_t strangers, count;
    record item[];
} records;

static void records_destroy(void *object)
{
    records *r = object;
    for (size_t i = 0; i < r->strangers; i++)
        fa_release(r->stranger[i]);
}

static const fa_object_type records_type = {"summary", records_destroy};

/* An empty record for a module that was added during the run. */
static const record *record_of(const records *r, const fa_module *module)
{
    static const record unknown = {.runs = 0};
    for (size_t i = 0; i < r->count; i++)
        if (r->item[i].module == module)
            return &r->item[i];
    return &unknown;
}

/* ---- recording a run ---- */

static bool add(int64_t *sum, int64_t a, int64_t b)
{
    int64_t product;
    return (!__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum))
           || fa_fail(FA_ERROR_SHAPE, "%s: that is more than 64 bits can count", who);
}

/* Layers that multiply a weight: each element of the output (or input) is multiplied with one row of it. */
static const struct {
    const char *kind;
    bool by_input;
} working[] = {
    {"linear", false}, {"conv1d", false}, {"conv2d", false}, {"conv_transpose1d", true}, {"conv_transpose2d", true},
};

/* Recurrent layers and cells multiply each step of each sequence with all their matrices. */
static bool recurrent_work(const fa_module *m, const fa_tensor *x, int64_t *work)
{
    bool good = true;
    for (const fa__member *p = m->first; good && p && fa_numel(x); p = p->next)
        if (p->kind == FA__PARAMETER && fa_dim(p->object) == 2)
            good = add(work, fa_numel(p->object), fa_numel(x) / fa_size(x, -1));
    return good;
}

/* Attention projects its inputs to the width of the output, and multiplies these with each other; "out_proj" counts by
 * itself. */
static bool attention_work(const fa_module *m, fa_tensors inputs, const fa_tensor *output, int64_t *work)
{
    int64_t projected, times;
    return !fa_numel(output)
           || (fa__attention_work(m, inputs, &projected, &times) && add(work, projected, fa_size(output, -1))
               && add(work, fa_numel(output), times));
}

static bool work_of(const fa_module *m, fa_tensors inputs, const fa_tensor *output, int64_t *work)
{
    if (inputs.count && fa__is_attention(m))
        return attention_work(m, inputs, output, work);
    if (inputs.count && fa__is_recurrent(m))
        return recurrent_work(m, inputs.item[0], work);
    const fa__member *weight = fa__module_member(m, "weight", strlen("weight"));
    for (size_t i = 0; weight && weight->kind == FA__PARAMETER && i < sizeof working / sizeof *working; i++) {
        const fa_tensor *w = weight->object;
        if (!strcmp(m->kind, working[i].kind) && inputs.count && fa_numel(w))
            return add(work, fa_numel(working[i].by_input ? inputs.item[0] : output), fa_numel(w) / fa_size(w, 0));
    }
    return true;
}

static fa_tensor *look(fa_module *module, fa_tensors inputs, fa_tensor *output, void *context)
{
    record *r = context;
    if (!r->runs++)
        r->output = fa_tensor_shape(output);
    if (!fa_module_count(module))
        add(&r->bytes, (int64_t)fa_nbytes(output), 1);
    work_of(module, inputs, output, &r->work);
    return NULL;
}

static bool has(const fa_module *outer, const fa_module *module)
{
    FA_SCOPE;
    const fa_modules all = fa_module_modules(outer);
    for (size_t i = 0; i < all.count; i++)
        if (all.item[i] == module)
            return true;
    return false;
}

/* Keeps a module that is neither a descendant nor one of another stranger. */
static void meet(void *context, fa_module *module)
{
    records *r = context;
    bool known = record_of(r, module)->module != NULL;
    for (size_t i = 0; i < r->strangers && !known; i++)
        known = has(r->stranger[i], module);
    if (!known && r->strangers < MAX_STRANGERS)
        r->stranger[r->strangers++] = fa_keep(module);
}

/* Runs the module in inference mode, and restores the mode in any case. */
static bool run(const fa_module *module, records *r, fa_tensors inputs)
{
    FA_USE(.no_grad = true);
    bool good = true;
    for (size_t i = 0; i < r->count; i++) {
        record *each = &r->item[i];
        each->trained = each->module->training;
        each->module->training = false;
        good = good && (each->hook = fa_module_hook_forward(each->module, look, each));
    }
    fa__forward_watch(meet, r);
    fa__unrecorded_training(true); /* of layers that were not added */
    good = good && fa__forward((fa_module *)(uintptr_t)module, inputs) && !fa_error_stands();
    fa__unrecorded_training(false);
    fa__forward_watch(NULL, NULL);
    for (size_t i = 0; i < r->count; i++) {
        if (r->item[i].hook)
            fa_module_unhook(r->item[i].module, r->item[i].hook);
        r->item[i].module->training = r->item[i].trained;
    }
    return good;
}

/* Zeros on the device, and by default in the dtype, of the first parameter. */
static fa_tensor *zeros(const fa_module *module, fa_shape shape, fa_dtype dtype)
{
    fa_parameters p = fa_module_parameters(module);
    if (!p.count)
        return fa_zeros(shape, .dtype = dtype);
    dtype = dtype == FA_SAME ? fa_tensor_dtype(p.item[0]) : dtype;
    return fa_zeros(shape, .dtype = dtype, .device = fa_tensor_device(p.item[0]));
}

static records *records_new(const fa_module *module)
{
    fa_modules m = fa_module_modules(module);
    records *r = m.name ? fa_object_new(&records_type, sizeof *r + m.count * sizeof r->item[0]) : NULL;
    for (size_t i = 0; r && i < m.count; i++)
        r->item[r->count++].module = m.item[i];
    return r;
}

/* ---- the table ---- */

typedef struct number {
    char text[28];
} number;

/* "1,234,567" */
static number number_of(int64_t n)
{
    number s = {{0}};
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            s.text[at++] = ',';
        s.text[at++] = digits[i];
    }
    return s;
}

/* A table that is being measured (file is NULL) or written. */
typedef struct table {
    FILE *file;
    records *records;
    bool ran;
    int layer, shape; /* widths of the columns */
} table;

static void line(table *t, int indent, const char *layer, const char *shape, const char *elements, const char *work)
{
    int a = indent + (int)strlen(layer), b = (int)strlen(shape);
    if (t->file && t->ran)
        fprintf(t->file, "%*s%-*s  %-*s  %15s  %15s\n", indent, "", t->layer - indent, layer, t->shape, shape, elements,
                work);
    else if (t->file)
        fprintf(t->file, "%*s%-*s  %-*s  %15s\n", indent, "", t->layer - indent, layer, t->shape, shape, elements);
    t->layer = a > t->layer ? a : t->layer;
    t->shape = b > t->shape ? b : t->shape;
}

static void rule(const table *t)
{
    for (int i = t->layer + t->shape + (t->ran ? 36 : 19); i > 0; i--)
        fputc('-', t->file);
    fputc('\n', t->file);
}

static bool module_line(table *t, const fa__spot *spot)
{
    FA_SCOPE;
    const fa_module *m = spot->module;
    const record *r = record_of(t->records, m);
    char layer[256];
    int64_t work = 0;
    fa_modules below = fa_module_modules(m);
    for (size_t i = 0; i < below.count; i++)
        if (!add(&work, record_of(t->records, below.item[i])->work, 1))
            return false;
    snprintf(layer, sizeof layer, "%s%s%s", spot->outer ? spot->name : "", spot->outer ? ": " : "", m->kind);
    int64_t numel = fa_module_numel(m);
    line(t, 2 * spot->depth, layer, r->runs ? fa__shape_write(r->output).text : "-",
         numel ? number_of(numel).text : "-", work ? number_of(work).text : "-");
    return below.name != NULL;
}

static void tensor_line(table *t, const fa__spot *spot, const fa__member *m)
{
    const fa_tensor *x = m->object;
    char shape[200];
    snprintf(shape, sizeof shape, "%s %s", fa_dtype_name(fa_tensor_dtype(x)), fa__shape_write(fa_tensor_shape(x)).text);
    line(t, 2 * spot->depth + 2, m->name, shape, m->kind == FA__BUFFER ? "buffer" : number_of(fa_numel(x)).text, "");
}

static bool write_one(void *context, const fa__spot *spot, const fa__member *member)
{
    table *t = context;
    if (!member)
        return module_line(t, spot);
    if (member->kind != FA__CHILD && !t->ran)
        tensor_line(t, spot, member);
    return true;
}

static bool write_rows(table *t, const fa_module *module)
{
    line(t, 0, "layer", t->ran ? "output" : "shape", "parameters", "multiply-adds");
    if (t->file)
        rule(t);
    return fa__module_walk(module, write_one, t);
}

static int64_t frozen(const fa_module *module)
{
    int64_t sum = 0;
    fa_parameters p = fa_module_parameters(module);
    for (size_t i = 0; i < p.count; i++)
        sum += fa_requires_grad(p.item[i]) ? 0 : fa_numel(p.item[i]);
    return sum;
}

/* Whether dropout and batch_norm are in training mode. */
static void write_mode(const table *t)
{
    size_t training = 0;
    for (size_t i = 0; i < t->records->count; i++)
        training += t->records->item[i].module->training;
    if (training && training < t->records->count)
        fprintf(t->file, "mode: training of %zu modules, inference of %zu\n", training, t->records->count - training);
    else
        fprintf(t->file, "mode: %s\n", training ? "training" : "inference");
}

/* Modules that the forward function runs, but that fa_module_add() was not called for. */
static void write_strangers(const table *t, const fa_module *module)
{
    for (size_t i = 0; i < t->records->strangers; i++) {
        const fa_module *m = t->records->stranger[i];
        if (!has(module, m))
            fprintf(t->file, "no part of it, but run: %s, parameters: %s\n", m->kind,
                    number_of(fa_module_numel(m)).text);
    }
}

static bool write_totals(const table *t, const fa_module *module, fa_tensors inputs)
{
    int64_t in = 0, out = 0, work = 0;
    for (size_t i = 0; i < inputs.count; i++)
        add(&in, (int64_t)fa_nbytes(inputs.item[i]), 1);
    for (size_t i = 0; i < t->records->count; i++) {
        add(&out, t->records->item[i].bytes, 1);
        add(&work, t->records->item[i].work, 1);
    }
    rule(t);
    fprintf(t->file, "parameters: %s, frozen: %s; with buffers: %s bytes\n", number_of(fa_module_numel(module)).text,
            number_of(frozen(module)).text, number_of((int64_t)fa_module_nbytes(module)).text);
    if (t->ran)
        fprintf(t->file, "multiply-adds: %s; input: %s bytes, results of layers: %s bytes\n", number_of(work).text,
                number_of(in).text, number_of(out).text);
    write_mode(t);
    write_strangers(t, module);
    return !fa_error_stands();
}

static bool write_table(table *t, const fa_module *module, FILE *file, fa_tensors inputs)
{
    if (!write_rows(t, module))
        return false;
    t->file = file;
    if (!write_rows(t, module) || !write_totals(t, module, inputs))
        return false;
    return !ferror(file) || fa_fail(FA_ERROR_FILE, "%s: writing failed", who);
}

bool(fa_module_summary)(const fa_module *module, FILE *file, const fa_module_summary_options *options)
{
    fa_module_summary_options o = FA__DEFAULT_fa_module_summary;
    fa__options_read(&o, o.size, options);
    if (!fa__module_check(module, who))
        return false;
    if (!file)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the file is NULL", who);
    FA_SCOPE;
    fa_tensor *made = o.input.rank ? zeros(module, o.input, o.dtype) : NULL;
    fa_tensors inputs = o.input.rank ? FA_TENSORS(made) : o.inputs;
    table t = {.records = records_new(module), .ran = inputs.count > 0};
    fa_module_numel(module), fa_module_nbytes(module); /* an error if they cannot be counted */
    if (!t.records || fa_error_stands())
        return false;
    if (t.ran && !run(module, t.records, inputs)) {
        if (made && o.dtype == FA_SAME && fa_error_code() == FA_ERROR_DTYPE)
            fa_error_append(" (.dtype = FA_I64 gives the summary an input of integers)");
        return false;
    }
    return write_table(&t, module, file, inputs);
}
