/* Reflection and calls by operation: every public row is there, with the fields, kinds, defaults and documentation that
 * its function has, and fa_call gives what its function gives. */
#include "core/op.h"
#include "defaults.h"
#include "dispatch/row.h"
#include "dispatch/values.h"
#include "support/api_test.h"
#include <facula/op.h>
#include <math.h>

/* ---- rows ---- */

static size_t public_rows(void)
{
    size_t n = 0;
    for (int i = 0; i < FA__OP_expression; i++)
        n += !fa__ops[i]->traits->internal;
    return n;
}

static void every_public_row_is_there(void **state)
{
    (void)state;
    assert_true(fa_op_count() == public_rows());
    for (size_t i = 0; i < fa_op_count(); i++) {
        const fa_op *op = fa_op_at(i);
        assert_non_null(op);
        assert_false(op->traits->internal);
        assert_ptr_equal(fa_op_find(op->name), op);
        if (i)
            assert_true(strcmp(fa_op_at(i - 1)->name, op->name) < 0);
    }
    for (int i = 0; i < FA__OP_expression; i++)
        if (fa__ops[i]->traits->internal)
            assert_null(fa_op_find(fa__ops[i]->name));
    assert_null(fa_op_find("no_such_operation"));
    assert_null(fa_op_find(NULL));
    assert_false(fa_failed());
}

static void fields_are_those_of_the_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < fa_op_count(); i++) {
        const fa_op *op = fa_op_at(i);
        const fa_op_info about = fa_op_describe(op);
        int n = 0;
        for (int k = 0; k < op->nfields; k++) {
            if (op->fields[k].kind == FA__KEY)
                continue;
            const fa_op_field f = fa_op_field_at(op, n++);
            assert_string_equal(f.name, op->fields[k].name);
            assert_int_equal(f.kind, op->fields[k].kind);
            assert_int_equal(f.optional, op->fields[k].optional);
            assert_int_equal(f.size, fa__kind_size(f.kind));
            assert_non_null(f.doc);
            if (f.kind != FA_KIND_TENSOR && f.kind != FA_KIND_NUMBER)
                assert_true(*f.doc);
        }
        assert_int_equal(about.fields, n);
        assert_int_equal(about.random, n < op->nfields);
        assert_int_equal(about.results, op->nresults);
        assert_true(*about.doc && *about.group && !about.registered);
        for (int k = 0; k < (about.results ? about.results : 1); k++)
            assert_true(*fa_op_result_name(op, k));
    }
    assert_false(fa_failed());
}

/* The number of the field of that name; -1: there is none. */
static int field_named(const fa_op *op, const char *name)
{
    for (int i = 0; i < fa_op_describe(op).fields; i++)
        if (!strcmp(fa_op_field_at(op, i).name, name))
            return i;
    return -1;
}

static void defaults_are_those_of_the_options(void **state)
{
    (void)state;
    size_t options = 0, optional = 0;
    for (const fa__default *d = fa__all_defaults; d->op; d++, options++) {
        const fa_op *op = fa_op_find(d->op);
        _Alignas(16) char value[128] = {0};
        assert_non_null(op);
        const int i = field_named(op, d->option);
        assert_true(i >= 0);
        const fa_op_field f = fa_op_field_at(op, i);
        assert_true(f.optional && f.size == d->size);
        assert_true(fa__value_write(value, f.kind, &f.fallback));
        bool text = f.kind == FA_KIND_STRING && *(const char *const *)d->value;
        if (text)
            assert_string_equal(f.fallback.as.string, *(const char *const *)d->value);
        else if (memcmp(value, d->value, d->size) != 0)
            fail_msg("fa_%s: the default of .%s is another one", d->op, d->option);
    }
    for (size_t i = 0; i < fa_op_count(); i++)
        for (int k = 0; k < fa_op_describe(fa_op_at(i)).fields; k++)
            optional += fa_op_field_at(fa_op_at(i), k).optional;
    assert_int_equal(options, optional);
    assert_true(options > 100);
}

static void some_are_known(void **state)
{
    (void)state;
    const fa_op_info add = fa_op_describe(fa_op_find("add")), sum = fa_op_describe(fa_op_find("sum"));
    assert_true(add.pointwise && add.inplace && add.out && add.functional && !add.composed && !add.view);
    assert_non_null(add.expression);
    assert_true(!sum.pointwise && sum.out && !sum.inplace && !sum.expression);
    assert_string_equal(sum.group, "reduce");
    const fa_op_field dim = fa_op_field_at(fa_op_find("sum"), 1);
    assert_string_equal(dim.name, "dim");
    assert_true(dim.kind == FA_KIND_DIMS && dim.optional && dim.fallback.as.i == FA_ALL);
    assert_true(fa_op_describe(fa_op_find("transpose")).view);
    assert_true(fa_op_describe(fa_op_find("linear")).composed || fa_op_describe(fa_op_find("glu")).composed);
    assert_true(fa_op_describe(fa_op_find("dropout")).random);
    assert_int_equal(fa_op_describe(fa_op_find("split")).results, 0);
    assert_int_equal(fa_op_describe(fa_op_find("max")).results, 2);
    assert_string_equal(fa_op_result_name(fa_op_find("max"), 1), "indices");
    const fa_op_info fill = fa_op_describe(fa_op_find("uniform_"));
    assert_true(fill.inplace && !fill.functional && !fill.out);
    assert_non_null(fa_op_describe(fa_op_find("argmax")).no_gradient);
}

static void wrong_questions(void **state)
{
    (void)state;
    assert_null(fa_op_at(fa_op_count()));
    assert_error(FA_ERROR_INDEX, "fa_op_at: ");
    assert_null(fa_op_describe(NULL).name);
    assert_error(FA_ERROR_ARGUMENT, "fa_op_describe: the operation is NULL");
    assert_null(fa_op_field_at(fa_op_find("add"), 9).name);
    assert_error(FA_ERROR_INDEX, "fa_add has no argument 9");
    assert_null(fa_op_field_at(fa_op_find("add"), -1).name);
    assert_error(FA_ERROR_INDEX, "fa_add has no argument -1");
    assert_null(fa_op_field_at(NULL, 0).name);
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_null(fa_op_result_name(fa_op_find("max"), 2));
    assert_error(FA_ERROR_INDEX, "fa_max has no result 2");
    assert_null(fa_op_result_name(NULL, 0));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

/* ---- calls ---- */

#define ROW(name) fa_op_find(#name)

static void calls_are_those_of_the_functions(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_parse("[[1, -2, 3], [4, 5.5, -6]]"), *y = fa_tensor_parse("[1, 2, 3]", .dtype = FA_F32);
    assert_true(same_tensors(fa_call(ROW(add), x, y), fa_add(x, y)));
    assert_true(same_tensors(fa_call(ROW(add), x, 2, FA_ARGUMENT("alpha", 3)), fa_add(x, 2, .alpha = 3)));
    assert_true(same_tensors(fa_call(ROW(add), x, FA_ARGUMENT("y", 1.5)), fa_add(x, 1.5)));
    assert_true(same_tensors(fa_call(ROW(sum), x, FA_ARGUMENT("keepdim", true), FA_ARGUMENT("dim", 1)),
                             fa_sum(x, .dim = 1, .keepdim = true)));
    assert_true(same_tensors(fa_call(ROW(sum), x, FA_DIMS(0, 1)), fa_sum(x, .dim = FA_DIMS(0, 1))));
    assert_true(same_tensors(fa_call(ROW(sum), x, FA_ARGUMENT("dtype", FA_F64)), fa_sum(x, .dtype = FA_F64)));
    assert_true(same_tensors(fa_call(ROW(reshape), x, FA_SHAPE(3, 2)), fa_reshape(x, FA_SHAPE(3, 2))));
    assert_true(
        same_tensors(fa_call(ROW(cat), FA_TENSORS(x, x), FA_ARGUMENT("dim", 1)), fa_cat(FA_TENSORS(x, x), .dim = 1)));
    assert_true(same_tensors(fa_call(ROW(pad), x, FA_LIST(1, 1)), fa_pad(x, FA_LIST(1, 1))));
    assert_true(same_tensors(fa_call(ROW(where), fa_gt(x, 0), x, 0.0), fa_where(fa_gt(x, 0), x, 0.0)));
    assert_true(same_tensors(fa_call(ROW(zeros), FA_SHAPE(2), FA_ARGUMENT("device", FA_CPU)), fa_zeros(FA_SHAPE(2))));
    assert_true(same_tensors(fa_call(ROW(max), x, 1), fa_max(x, 1).values));
    /* An fa_arg stands for the tensor or number that it holds. */
    const fa_arg tensor = fa__arg_t(x), half = fa__arg_f(0.5), one = fa__arg_i(1);
    assert_true(same_tensors(fa_call(ROW(add), tensor, half), fa_add(x, 0.5)));
    assert_true(same_tensors(fa_call(ROW(leaky_relu), tensor, half), fa_leaky_relu(x, .negative_slope = 0.5)));
    assert_true(same_tensors(fa_call(ROW(sum), tensor, one), fa_sum(x, .dim = 1)));
    assert_no_error();
}

static void lists_and_several_results(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_parse("[[1, -2, 3], [4, 5.5, -6]]"), *kept;
    {
        FA_SCOPE;
        fa_tensors both = fa_call_all(ROW(max), x, FA_ARGUMENT("dim", 1));
        assert_int_equal(both.count, 2);
        assert_true(same_tensors(both.item[1], fa_max(x, 1).indices));
        kept = fa_escape(both.item[0]);
    }
    assert_true(same_tensors(kept, fa_max(x, 1).values));
    fa_tensors parts = fa_call_all(ROW(split), x, 2, FA_ARGUMENT("dim", 1));
    assert_int_equal(parts.count, 2);
    assert_int_equal(fa_size(parts.item[1], 1), 1);
    assert_int_equal(fa_call_all(ROW(add), x, 1).count, 1);
    assert_no_error();
    assert_null(fa_call(ROW(split), x, 2));
    assert_error(FA_ERROR_ARGUMENT, "fa_split: its result is a list");
    assert_int_equal(fa_call_all(ROW(split), x, 2, FA_ARGUMENT("dim", 7)).count, 0);
    assert_error(FA_ERROR_INDEX, "fa_split(");
}

static void forms(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0), *y = fa_zeros(FA_SHAPE(2));
    assert_ptr_equal(fa_call_(ROW(add), x, 1), x);
    assert_ptr_equal(fa_call_out(ROW(add), y, x, 1), y);
    assert_true(fa_item(fa_select(x, 0, 0)) == 2 && fa_item(fa_select(y, 0, 1)) == 4);
    fa_manual_seed(2);
    assert_ptr_equal(fa_call_(ROW(uniform_), x, FA_ARGUMENT("to", 3)), x);
    fa_manual_seed(2);
    assert_true(same_tensors(x, fa_uniform_(y, .to = 3)));
    assert_no_error();
    assert_null(fa_call(ROW(uniform_), x));
    assert_error(FA_ERROR_ARGUMENT, "fa_uniform_: it works in place");
    assert_null(fa_call_(ROW(sum), x));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: it has no in-place form");
    assert_null(fa_call_out(ROW(max), y, x));
    assert_error(FA_ERROR_ARGUMENT, "fa_max: it takes no .out");
    assert_null(fa_call_out(ROW(add), NULL, x, 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_add: the tensor to write into is NULL");
    assert_null(fa_call_(ROW(add), 1, x));
    assert_error(FA_ERROR_ARGUMENT, "fa_add: ");
}

/* Draws and leaves are as when the function is called. */
static void draws_and_gradients(void **state)
{
    (void)state;
    fa_manual_seed(5);
    fa_tensor *x = fa_ones(FA_SHAPE(100)), *a = fa_call(ROW(dropout), x, FA_ARGUMENT("p", 0.5));
    fa_manual_seed(5);
    assert_true(same_tensors(a, fa_dropout(x, .p = 0.5)));
    fa_tensor *leaf = fa_call(ROW(zeros), FA_SHAPE(2), FA_ARGUMENT("requires_grad", true));
    fa_backward(fa_call(ROW(sum), fa_call(ROW(mul), leaf, 3.0)));
    assert_true(fa_item(fa_sum(fa_grad(leaf))) == 6);
    assert_no_error();
}

static void wrong_arguments(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(1.0, 2.0);
    assert_null(fa_call(ROW(sum), x, FA_ARGUMENT("dimm", 1)));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: there is no argument 'dimm'");
    assert_null(fa_call(ROW(sum), x, FA_ARGUMENT("x", x)));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: x is given twice");
    assert_null(fa_call(ROW(sum), FA_ARGUMENT("dim", 0)));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: x is missing");
    assert_null(fa_call(ROW(sum), 3.5));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: x is a tensor, and not a number");
    assert_null(fa_call(ROW(add), x, "two"));
    assert_error(FA_ERROR_ARGUMENT, "fa_add: y is ", "and not a string");
    assert_null(fa_call(ROW(sum), x, "rows"));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: dim is dimensions, and not a string");
    assert_null(fa_call(ROW(sum), x, 0, true, FA_F32, 5));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: there are more values than arguments");
    assert_null(fa_call(ROW(sum), x, 0, 2));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: keepdim is a bool");
    assert_null(fa_call(ROW(sum), FA_ARGUMENT("dim", 0), x));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum: there are more values than arguments");
    assert_null(fa_call(ROW(sum), NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_sum(", "x is NULL");
    assert_null(fa_call(ROW(sum), x, FA_ARGUMENT("dim", 4)));
    assert_error(FA_ERROR_INDEX, "fa_sum(x=(2,) f32 cpu, dim=4)");
    assert_null(fa_call(NULL, x));
    assert_error(FA_ERROR_ARGUMENT, "fa_op_call: the operation is NULL");
    assert_null(fa_op_call(ROW(sum), 1, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_op_call: the values are NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_public_row_is_there),
        TEST(fields_are_those_of_the_row),
        TEST(defaults_are_those_of_the_options),
        TEST(some_are_known),
        TEST(wrong_questions),
        TEST(calls_are_those_of_the_functions),
        TEST(lists_and_several_results),
        TEST(forms),
        TEST(draws_and_gradients),
        TEST(wrong_arguments),
    };
    return RUN("reflection");
}
