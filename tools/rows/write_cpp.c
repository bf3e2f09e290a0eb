/* Writes ops.hpp, the part of facula.hpp that follows from the headers: for C++ a function, and a struct of options
 * with default values, for each operation, layer, optimizer, schedule, dataset, transform and initialization. */
#include "rows.h"
#include <string.h>

/* How values of a type in C are written in C++. `pass` makes a C argument of a C++ value. */
typedef struct cpp_type {
    const char *c, *parameter, *member, *pass;
} cpp_type;

static const cpp_type types[] = {
    {"const fa_tensor *", "const fa::tensor &", "fa::tensor", "%s.get()"},
    {"fa_tensor *", "const fa::tensor &", "fa::tensor", "%s.get()"},
    {"fa_arg", "const fa::arg &", NULL, "%s.get()"},
    {"fa_tensors", "const fa::tensors &", "fa::tensors", "%s.get()"},
    {"fa_list", "const fa::numbers &", "fa::numbers", "%s.get()"},
    {"fa_dims", "const fa::dims &", "fa::dims", "%s.get()"},
    {"fa_pair", "const fa::pair &", "fa::pair", "%s.get()"},
    {"fa_shape", "const fa::shape &", "fa::shape", "%s.get()"},
    {"fa_device", "const fa::device &", "fa::device", "%s.get()"},
    {"fa_dtype", "fa_dtype ", "fa_dtype", "%s"},
    {"int64_t", "int64_t ", "int64_t", "%s"},
    {"double", "double ", "double", "%s"},
    {"bool", "bool ", "bool", "%s"},
    {"const char *", "const fa::text &", "fa::text", "%s.get()"},
    {"fa_reduction", "fa_reduction ", "fa_reduction", "%s"},
    {"fa_interpolation", "fa_interpolation ", "fa_interpolation", "%s"},
    {"fa_missing", "fa_missing ", "fa_missing", "%s"},
    {"fa_token_kind", "fa_token_kind ", "fa_token_kind", "%s"},
    {"fa_module *", "const fa::module &", "fa::module", "%s.get()"},
    {"fa_transform *", "const fa::module &", "fa::module", "%s.get()"},
    {"fa_optim *", "const fa::optimizer &", NULL, "%s.get()"},
    {"fa_dataset *", "const fa::dataset &", NULL, "%s.get()"},
    {"const fa_dataset *", "const fa::dataset &", NULL, "%s.get()"},
    {"fa_sampler *", "const fa::sampler &", "fa::sampler", "%s.get()"},
    {"fa_parameters", "const fa::parameters &", NULL, "%s.get()"},
};

/* What results are in C++. */
static const cpp_type results[] = {
    {"fa_tensor *", "tensor", NULL, NULL},      {"fa_tensors", "std::vector<tensor>", NULL, NULL},
    {"fa_module *", "module", NULL, NULL},      {"fa_transform *", "module", NULL, NULL},
    {"fa_optim *", "optimizer", NULL, NULL},    {"fa_schedule *", "schedule", NULL, NULL},
    {"fa_dataset *", "dataset", NULL, NULL},    {"fa_loader *", "loader", NULL, NULL},
    {"fa_scaler *", "grad_scaler", NULL, NULL}, {"fa_sampler *", "sampler", NULL, NULL},
};

/* The functions by the beginnings of their names, and the namespace in which they stand. Functions of other objects are
 * members in facula.hpp. */
static const struct {
    const char *prefix, *space, *result;
} spaces[] = {
    {"fa_nn_", "nn", "fa_module *"},
    {"fa_optim_", "optim", "fa_optim *"},
    {"fa_schedule_", "lr", "fa_schedule *"},
    {"fa_data_", "data", "fa_dataset *"},
    {"fa_data_loader", "data", "fa_loader *"},
    {"fa_transform_", "transform", "fa_transform *"},
    {"fa_init_", "init", "fa_tensor *"},
    {"fa_amp_", "amp", "fa_scaler *"},
    {"fa_sampler_", "samplers", "fa_sampler *"},
};

static const cpp_type *find_in(const cpp_type *list, size_t count, const char *c)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].c, c))
            return &list[i];
    return NULL;
}

static const cpp_type *type_find(const char *c)
{
    return find_in(types, sizeof types / sizeof *types, c);
}

static const cpp_type *result_find(const char *c)
{
    return find_in(results, sizeof results / sizeof *results, c);
}

static bool is_several(const public_function *f)
{
    size_t n = strlen(f->result);
    return n > 7 && !strcmp(f->result + n - 7, "_result");
}

static bool can_be_written(const public_function *f)
{
    bool good = result_find(f->result) || is_several(f);
    for (int i = 0; i < f->parameters; i++)
        good = good && type_find(f->parameter[i].type);
    for (int i = 0; i < f->noptions; i++)
        good = good && type_find(f->option[i].type) && type_find(f->option[i].type)->member;
    return good;
}

/* ---- options ---- */

/* A default in C++: values in braces are what the C++ types begin as, unless they say something. */
static const char *default_in_cpp(const public_item *o)
{
    if (!strcmp(o->fallback, "NULL"))
        return " = {}";
    if (!strcmp(o->fallback, "{2, {0, 1}}"))
        return " = {0, 1}";
    return *o->fallback == '{' ? " = {}" : rows_format(" = %s", o->fallback);
}

static void put_option_members(text *t, const public_function *f, bool outputs)
{
    for (int i = 0; i < f->noptions; i++) {
        const public_item *o = &f->option[i];
        const char *member = type_find(o->type)->member;
        if (outputs != !strcmp(o->name, "out"))
            continue;
        put(t, "    %s %s%s;\n", member, o->name, default_in_cpp(o));
    }
}

/* `out` is the last: C++17 names no members. */
static void put_options_struct(text *t, const public_function *f, const char *name)
{
    put(t, "struct %s_options {\n", name);
    put_option_members(t, f, false);
    put_option_members(t, f, true);
    put(t, "};\n");
}

/* ---- functions ---- */

static void put_result_struct(text *t, const public_api *api, const public_function *f, const char *name)
{
    const public_struct *s = public_struct_find(api, f->result);
    put(t, "struct %s_result {\n    tensor ", name);
    for (int i = 0; s && i < s->members; i++)
        put(t, "%s%s", i ? ", " : "", s->member[i].name);
    put(t, ";\n};\n");
}

static void put_signature(text *t, const public_function *f, const char *name, const char *options)
{
    const cpp_type *result = result_find(f->result);
    if (result)
        put(t, "inline %s %s(", result->parameter, name);
    else
        put(t, "inline %s_result %s(", name, name);
    for (int i = 0; i < f->parameters; i++)
        put(t, "%s%s, ", type_find(f->parameter[i].type)->parameter, f->parameter[i].name);
    if (f->noptions)
        put(t, "const %s_options &options = {}, ", options);
    put(t, "FA__HERE)\n{\n    const detail::call here(file, line);\n");
}

static char *call_of(const public_function *f)
{
    text t = {0};
    put(&t, "(%s)(", f->symbol);
    for (int i = 0; i < f->parameters; i++) {
        put(&t, i ? ", " : "");
        put(&t, type_find(f->parameter[i].type)->pass, f->parameter[i].name);
    }
    put(&t, "%s%s)", f->options && f->parameters ? ", " : "", !f->options ? "" : f->noptions ? "&given" : "nullptr");
    return text_take(&t);
}

static void put_given(text *t, const public_function *f)
{
    put(t, "    %s given = FA__DEFAULT_%s;\n", f->options, f->name);
    for (int i = 0; i < f->noptions; i++) {
        const char *value =
            rows_format(type_find(f->option[i].type)->pass, rows_format("options.%s", f->option[i].name));
        put(t, "    given.%s = %s;\n", f->option[i].name, value);
    }
}

static bool has_out(const public_function *f)
{
    bool out = false;
    for (int i = 0; i < f->noptions; i++)
        out |= !strcmp(f->option[i].name, "out");
    return out;
}

/* The parameter that the function writes to and returns, or -1. */
static int written(const public_function *f)
{
    for (int i = 0; i < f->parameters; i++)
        if (!strcmp(f->parameter[i].type, "fa_tensor *") && !strcmp(f->result, "fa_tensor *"))
            return i;
    return -1;
}

static void put_return(text *t, const public_api *api, const public_function *f, const char *name)
{
    const public_struct *s = public_struct_find(api, f->result);
    const char *call = call_of(f);
    if (written(f) >= 0)
        put(t, "    detail::good(%s);\n    return %s;\n", call, f->parameter[written(f)].name);
    else if (is_several(f)) {
        put(t, "    const %s all = %s;\n    detail::good(all.%s);\n    return %s_result{", f->result, call,
            s->member[0].name, name);
        for (int i = 0; i < s->members; i++)
            put(t, "%stensor::owned(all.%s)", i ? ", " : "", s->member[i].name);
        put(t, "};\n");
    } else if (!strcmp(f->result, "fa_tensors"))
        put(t, "    return detail::all(%s);\n", call);
    else if (has_out(f))
        put(t, "    return detail::result(%s, options.out);\n", call);
    else
        put(t, "    return %s::owned(%s);\n", result_find(f->result)->parameter, call);
}

/* The first option, if it is a number or an enumeration, as PyTorch's calls give it: fa::argmax(x, 1),
 * fa::nn::dropout(0.1), fa::mse_loss(x, y, FA_SUM), fa::zeros({2, 3}, FA_I64). A template, because values in braces,
 * which name options, cannot be one. Of dimensions also several, as in fa::sum(x, {0, 1}): they would be the first two
 * options otherwise. */
static void put_with_first(text *t, const public_function *f, const public_item *first, const char *name,
                           const char *options, bool several)
{
    const cpp_type *result = result_find(f->result);
    const char *scope = result && strncmp(result->parameter, "std::", 5) != 0 ? "fa::" : "";
    const bool real = !strcmp(first->type, "double"), reduction = !strcmp(first->type, "fa_reduction"),
               dtype = !strcmp(first->type, "fa_dtype"), enumeration = reduction || dtype;
    put(t, "template <class Number, detail::if_%s<Number> = 0>\ninline %s%s%s %s(",
        real        ? "number"
        : reduction ? "reduction"
        : dtype     ? "dtype"
                    : "integer",
        scope, result ? result->parameter : name, result ? "" : "_result", name);
    for (int i = 0; i < f->parameters; i++)
        put(t, "%s%s, ", type_find(f->parameter[i].type)->parameter, f->parameter[i].name);
    put(t, several ? "std::initializer_list<Number> %s, FA__HERE)\n" : "Number %s, FA__HERE)\n", first->name);
    put(t, "{\n    %s_options options;\n    options.%s = ", options, first->name);
    put(t,
        several       ? "fa::dims::of(%s);\n"
        : real        ? "static_cast<double>(%s);\n"
        : enumeration ? "%s;\n"
                      : "static_cast<int64_t>(%s);\n",
        first->name);
    put(t, "    return %s(", name);
    for (int i = 0; i < f->parameters; i++)
        put(t, "%s, ", f->parameter[i].name);
    put(t, "options, file, line);\n}\n\n");
}

static void put_with_first_number(text *t, const public_function *f, const char *name, const char *options)
{
    static const char *const numbers[] = {"fa_dims", "fa_pair", "int64_t", "double", "fa_reduction", "fa_dtype"};
    const public_item *first = f->option;
    if (f->noptions > 1 && !strcmp(first->name, "out"))
        first++;
    for (size_t i = 0; f->noptions && i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(first->type, numbers[i])) {
            put_with_first(t, f, first, name, options, false);
            if (!i)
                put_with_first(t, f, first, name, options, true);
        }
}

static const public_function *function_find(const public_api *api, const char *name)
{
    const public_function *f = api->functions;
    while (f && strcmp(f->name, name) != 0)
        f = f->next;
    return f;
}

static void put_function(text *t, const public_api *api, const public_function *f, const char *name)
{
    size_t n = strlen(name);
    /* the in-place form of an operation takes the options of the other */
    const char *other = name[n - 1] == '_' ? rows_copy(name, n - 1) : name;
    const public_function *with = function_find(api, rows_copy(f->name, strlen(f->name) - 1));
    const char *options = with && with->options && f->options && !strcmp(with->options, f->options) ? other : name;
    if (is_several(f))
        put_result_struct(t, api, f, name);
    if (f->noptions && options == name)
        put_options_struct(t, f, name);
    put_signature(t, f, name, options);
    if (f->noptions)
        put_given(t, f);
    put_return(t, api, f, name);
    put(t, "}\n\n");
    put_with_first_number(t, f, name, options);
}

static void put_space(text *t, const public_api *api, size_t space)
{
    put(t, "namespace %s {\n\n", spaces[space].space);
    size_t n = strlen(spaces[space].prefix);
    for (const public_function *f = api->functions; f; f = f->next) {
        bool loader = !strcmp(f->name, spaces[space].prefix);
        if (strncmp(f->name, spaces[space].prefix, n) != 0 || strcmp(f->result, spaces[space].result) != 0
            || !can_be_written(f))
            continue;
        put_function(t, api, f, f->name + (loader ? strlen("fa_data_") : n));
    }
    put(t, "} // namespace %s\n\n", spaces[space].space);
}

void write_cpp(const public_api *api, const char *folder)
{
    text t = {0};
    put(&t, "/* Functions of facula.hpp, with the names, options and documentation of C's: fa::sum() is fa_sum(), and\n"
            " * fa::nn::linear() is fa_nn_linear().\n *\n *  Written by facula-rows from the headers of C. */\n"
            "/* clang-format off */\n#ifndef FACULA_OPS_HPP\n#define FACULA_OPS_HPP\n#include <facula/facula.hpp>\n\n"
            "namespace fa {\n\n");
    for (const public_function *f = api->functions; f; f = f->next)
        if (!strncmp(f->header, "ops/", 4) && can_be_written(f))
            put_function(&t, api, f, f->name + strlen("fa_"));
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        put_space(&t, api, i);
    put(&t, "} // namespace fa\n#endif\n");
    file_write(rows_format("%s/ops.hpp", folder), &t);
}
