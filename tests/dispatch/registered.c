/* Operations that the program registers: their kernels on every device, their gradients, forms and errors are those of
 * the library's own; wrong definitions are refused. */
#include "dispatch/row.h"
#include "support/api_test.h"
#include <facula/op.h>
#include <math.h>
#include <pthread.h>

extern void (*fa__call_hook)(const fa__call *, int depth);

static const fa_op *must(const fa_op *op)
{
    if (!op)
        print_error("%s\n", fa_error_message());
    assert_non_null(op);
    return op;
}

static fa_tensor *leaf(fa_tensor *x)
{
    fa_set_requires_grad(x, true);
    return x;
}

/* ---- scale: factor * x + offset, of any dtype and strides ---- */

typedef struct {
    const fa_tensor *x;
    double factor;
    int64_t offset;
} scale_args;

static int runs;

static bool scale_cpu(const fa_op_launch *l)
{
    const scale_args *a = l->args;
    __atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED);
    if (a->x || l->results != 1 || l->operands != 1)
        return fa_fail(FA_ERROR_USER, "a kernel sees no tensors, one result and one operand");
    for (int64_t i = 0; i < fa_operand_count(&l->result[0]); i++)
        fa_operand_set(&l->result[0], i, a->factor * fa_operand_get(&l->operand[0], i) + (double)a->offset);
    return true;
}

static const char scale_gpu[] = "OP_KERNEL\n{\n"
                                "    i64 i = GID(0);\n"
                                "    if (i >= ITEMS || FAULTED(fault))\n"
                                "        return;\n"
                                "    WRITE(y, i, ARG(factor) * READ(x, i) + (T)ARG(offset));\n"
                                "}\n";

static bool scale_gradient(const fa_op_backward *b)
{
    const scale_args *a = b->args;
    if (b->result[0] || !fa_op_wants(b, &a->x))
        return fa_fail(FA_ERROR_USER, "y was not to be saved, and x's gradient is wanted");
    return fa_op_set_grad(b, &a->x, fa_mul(b->grad[0], a->factor));
}

static const fa_op *scale;

static void register_scale(void)
{
    const fa_op_field fields[] = {
        FA_FIELD(scale_args, x, FA_KIND_TENSOR, "what is scaled"),
        FA_OPTION(scale_args, factor, FA_KIND_DOUBLE, 2.0, "the factor"),
        FA_OPTION(scale_args, offset, FA_KIND_INT, 0, "what is added"),
    };
    scale = must(fa_register_op("test::scale", 3, fields, .doc = "factor * x + offset", .cpu = scale_cpu,
                                .gpu = scale_gpu, .gradient = scale_gradient, .saved = "", .inplace = "x",
                                .autocast = FA_AUTOCAST_LOW, .autocast_cpu = FA_AUTOCAST_LOW));
}

static fa_tensor *numbers(fa_device device, fa_dtype dtype)
{
    return fa_to(fa_to(fa_tensor_parse("[[1, -2, 3], [4, 5, -6]]", .dtype = FA_F32), dtype), device);
}

static void kernels_run_where_the_operands_are(void **state)
{
    (void)state;
    static const fa_dtype dtypes[] = {FA_F32, FA_F64, FA_F16, FA_BF16, FA_I64, FA_I32, FA_U8};
    const fa_device devices[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    for (size_t d = 0; d < 3; d++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            FA_SCOPE;
            if (dtypes[k] == FA_F64 && test_without_f64())
                continue;
            fa_tensor *x = numbers(devices[d], dtypes[k]), *want = fa_add(fa_mul(x, 3), 1);
            fa_tensor *y = fa_call(scale, x, 3.0, FA_ARGUMENT("offset", 1));
            assert_no_error();
            assert_true(fa_device_equal(fa_tensor_device(y), devices[d]));
            assert_true(same_tensors(y, want));
            fa_tensor *t = fa_transpose(x, 0, 1), *some = fa_slice(x, 1, .start = 0, .end = 3, .step = 2);
            assert_true(same_tensors(fa_call(scale, t, 3.0, 1), fa_add(fa_mul(t, 3), 1)));
            assert_true(same_tensors(fa_call(scale, some, 3.0, 1), fa_add(fa_mul(some, 3), 1)));
            assert_true(same_tensors(fa_call(scale, fa_expand(fa_select(x, 0, 0), FA_SHAPE(4, 3))),
                                     fa_mul(fa_expand(fa_select(x, 0, 0), FA_SHAPE(4, 3)), 2)));
            assert_int_equal(fa_numel(fa_call(scale, fa_zeros(FA_SHAPE(0, 3), .device = devices[d]))), 0);
            assert_true(same_tensors(fa_call(scale, fa_select(fa_select(x, 0, 0), 0, 1)),
                                     fa_mul(fa_select(fa_select(x, 0, 0), 0, 1), 2)));
            assert_no_error();
        }
}

static void meta_has_shapes(void **state)
{
    (void)state;
    const int before = runs;
    fa_tensor *y = fa_call(scale, fa_zeros(FA_SHAPE(3, 4), .device = FA_META));
    assert_no_error();
    assert_true(fa_size(y, 0) == 3 && fa_size(y, 1) == 4 && fa_device_equal(fa_tensor_device(y), FA_META));
    assert_int_equal(runs, before);
}

static void out_and_in_place(void **state)
{
    (void)state;
    const fa_device devices[] = {FA_CPU, DEVICE(0)};
    for (int d = 0; d < 2; d++) {
        fa_tensor *x = numbers(devices[d], FA_F32), *y = fa_zeros_like(x), *want = fa_mul(x, 2);
        assert_ptr_equal(fa_call_out(scale, y, x), y);
        assert_true(same_tensors(y, want));
        assert_ptr_equal(fa_call_(scale, x), x);
        assert_true(same_tensors(x, want));
        assert_no_error();
        assert_ptr_equal(fa_call_out(scale, x, x), x); /* of a copy of the operand */
        assert_true(same_tensors(x, fa_mul(want, 2)));
        assert_no_error();
        assert_null(fa_call_out(scale, fa_zeros(FA_SHAPE(7), .device = devices[d]), x));
        assert_error(FA_ERROR_SHAPE, "test::scale(", "(2, 3)");
    }
}

static void gradients_of_every_order(void **state)
{
    (void)state;
    const fa_device devices[] = {FA_CPU, DEVICE(0)};
    for (int d = 0; d < 2; d++) {
        FA_SCOPE;
        fa_tensor *x = leaf(numbers(devices[d], FA_F32));
        fa_tensor *y = fa_sum(fa_pow(fa_call(scale, x, 3.0), 3.0));
        fa_tensor *first = fa_grad_of(FA_TENSORS(y), FA_TENSORS(x), .create_graph = true).item[0];
        assert_true(same_tensors(fa_detach(first), fa_mul(fa_mul(fa_detach(x), fa_detach(x)), 81))); /* 3^4 x^2 */
        fa_tensor *second = fa_grad_of(FA_TENSORS(fa_sum(first)), FA_TENSORS(x), .create_graph = true).item[0];
        assert_true(same_tensors(fa_detach(second), fa_mul(fa_detach(x), 162)));
        fa_tensor *third = fa_grad_of(FA_TENSORS(fa_sum(second)), FA_TENSORS(x)).item[0];
        assert_true(same_tensors(third, fa_full_like(third, 162)));
        /* in place: the history goes on */
        fa_tensor *z = fa_mul(x, 1);
        fa_call_(scale, z, 5.0);
        fa_backward(fa_sum(z));
        assert_true(same_tensors(fa_grad(x), fa_full_like(x, 5)));
        assert_no_error();
        assert_null(fa_call_out(scale, fa_zeros_like(x), x));
        assert_error(FA_ERROR_GRADIENT, "test::scale(", ".out are not recorded");
        FA_USE(.no_grad = true);
        assert_false(fa_requires_grad(fa_call(scale, x)));
    }
}

static void autocast_converts(void **state)
{
    (void)state;
    const fa_device devices[] = {FA_CPU, DEVICE(0)};
    for (int d = 0; d < 2; d++) {
        fa_tensor *x = numbers(devices[d], FA_F32);
        FA_USE(.autocast = FA_BF16);
        assert_int_equal(fa_tensor_dtype(fa_call(scale, x)), FA_BF16);
    }
    assert_no_error();
}

static void placement_and_devices(void **state)
{
    (void)state;
    fa_tensor *x = numbers(FA_CPU, FA_F32);
    FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
    fa_tensor *y = fa_call(scale, x);
    assert_true(fa_device_equal(fa_tensor_device(y), DEVICE(0)));
    assert_true(same_tensors(fa_cpu(y), fa_mul(x, 2)));
    assert_no_error();
}

static int seen;

static void watch(const fa__call *c, int depth)
{
    seen += depth == 0 && c->op == scale;
}

static void profilers_and_errors_name_it(void **state)
{
    (void)state;
    fa_tensor *x = numbers(DEVICE(0), FA_F32);
    seen = 0;
    fa__call_hook = watch;
    fa_call(scale, x);
    fa__call_hook = NULL;
    assert_int_equal(seen, 1);
    assert_null(fa_call(scale, x, "much"));
    assert_error(FA_ERROR_ARGUMENT, "test::scale: factor is a number, and not a string");
    assert_null(fa_call(scale, FA_ARGUMENT("factor", 1)));
    assert_error(FA_ERROR_ARGUMENT, "test::scale: x is missing");
    fa_tensor *gone = NULL;
    assert_null(fa_call(scale, gone, 3.5));
    assert_error(FA_ERROR_ARGUMENT, "test::scale(x=NULL, factor=3.5): x is NULL");
    fa_op_info about = fa_op_describe(scale);
    assert_true(about.registered && about.out && about.inplace && about.functional && !about.pointwise);
    assert_string_equal(about.doc, "factor * x + offset");
    assert_true(fa_op_field_at(scale, 1).fallback.as.f == 2);
    assert_ptr_equal(fa_op_find("test::scale"), scale);
    bool there = false;
    for (size_t i = 0; i < fa_op_count(); i++)
        there |= fa_op_at(i) == scale;
    assert_true(there);
}

/* ---- blend: a list of tensors, a list of numbers and a string, which a late kernel still has ---- */

typedef struct {
    fa_tensors x;
    fa_list weights;
    const char *mode;
} blend_args;

static bool blend_cpu(const fa_op_launch *l)
{
    const blend_args *a = l->args;
    const fa_operand *y = &l->result[0];
    if (a->x.item || a->x.count != (size_t)l->operands)
        return fa_fail(FA_ERROR_USER, "a kernel sees the number of tensors, and none of them");
    double total = 0;
    for (int k = 0; k < l->operands; k++)
        total += a->weights.item[k];
    for (int64_t i = 0; i < fa_operand_count(y); i++) {
        double sum = 0;
        for (int k = 0; k < l->operands; k++)
            sum += a->weights.item[k] * fa_operand_get(&l->operand[k], i);
        fa_operand_set(y, i, !strcmp(a->mode, "mean") ? sum / total : sum);
    }
    return true;
}

static bool blend_gradient(const fa_op_backward *b)
{
    const blend_args *a = b->args;
    for (size_t k = 0; k < a->x.count; k++)
        if (fa_op_wants_item(b, k) && !fa_op_set_item_grad(b, k, fa_mul(b->grad[0], a->weights.item[k])))
            return false;
    assert_false(fa_op_set_item_grad(b, a->x.count, b->grad[0]));
    assert_error(FA_ERROR_INDEX, "no list with an item 2");
    return true;
}

static void late_kernels_have_their_arguments(void **state)
{
    (void)state;
    const fa_op_field fields[] = {
        FA_FIELD(blend_args, x, FA_KIND_TENSORS, "what is blended"),
        FA_FIELD(blend_args, weights, FA_KIND_LIST, "a weight for each"),
        FA_OPTION(blend_args, mode, FA_KIND_STRING, "sum", "or mean"),
    };
    const fa_op *blend =
        must(fa_register_op("test::blend", 3, fields, .cpu = blend_cpu, .gradient = blend_gradient, .saved = ""));
    const fa_device device = test_device_is_late(0) ? DEVICE(0) : FA_CPU;
    fa_tensor *x = leaf(fa_ones(FA_SHAPE(3), .device = device)), *z = fa_full(FA_SHAPE(3), 5.0, .device = device);
    char mode[] = "mean";
    double weights[] = {1, 3};
    fa_tensor *item[] = {x, z};
    fa_tensor *y = fa_call(blend, ((fa_tensors){2, item}), ((fa_list){2, weights}), (const char *)mode);
    weights[0] = weights[1] = 100; /* the kernel may not have run yet */
    memset(mode, 'x', 4);
    item[0] = item[1] = NULL;
    assert_true(fa_item(fa_sum(y)) == 12);
    fa_backward(fa_sum(y));
    assert_true(fa_item(fa_sum(fa_grad(x))) == 3);
    fa_tensor *many[30];
    double ones[30];
    for (int i = 0; i < 30; i++)
        many[i] = z, ones[i] = 1;
    assert_true(fa_item(fa_sum(fa_call(blend, ((fa_tensors){30, many}), ((fa_list){30, ones})))) == 450);
    assert_no_error();
}

/* ---- extremes: two results, whose shapes are inferred; a kernel for each row ---- */

typedef struct {
    const fa_tensor *x;
} one_args;

static bool extremes_infer(const void *args, fa_op_spec *result, void *context)
{
    const one_args *a = args;
    assert_string_equal(context, "context");
    if (fa_dim(a->x) != 2)
        return fa_fail(FA_ERROR_SHAPE, "x is no matrix");
    result[0].shape = result[1].shape = FA_SHAPE(fa_size(a->x, 0));
    result[1].dtype = FA_I64;
    return true;
}

static bool extremes_cpu(const fa_op_launch *l)
{
    const fa_operand *x = &l->operand[0];
    for (int64_t r = 0; r < x->shape[0]; r++) {
        int64_t best = 0;
        for (int64_t i = 1; i < x->shape[1]; i++)
            if (fa_operand_get(x, r * x->shape[1] + i) > fa_operand_get(x, r * x->shape[1] + best))
                best = i;
        fa_operand_set(&l->result[0], r, fa_operand_get(x, r * x->shape[1] + best));
        fa_operand_set(&l->result[1], r, (double)best);
    }
    return true;
}

/* A group of 32 items for each row, which look at every 32nd column. */
static const char extremes_gpu[] =
    "FN bool_t better(T a, i64 i, T b, i64 k) { return a > b || (a == b && i < k); }\n"
    "OP_KERNEL\n{\n"
    "    SHARED T most[32];\n"
    "    SHARED i64 where[32];\n"
    "    i64 row = WID(0), n = SIZE(x, 1);\n"
    "    i32 me = LID(0);\n"
    "    i64 best = me < n ? me : 0;\n"
    "    for (i64 i = me; i < n; i += 32)\n"
    "        if (better(READ_AT(x, row * STRIDE(x, 0) + i * STRIDE(x, 1)), i, READ(x, row * n + best), best))\n"
    "            best = i;\n"
    "    most[me] = READ(x, row * n + best);\n"
    "    where[me] = best;\n"
    "    BARRIER();\n"
    "    if (me != 0 || FAULTED(fault))\n"
    "        return;\n"
    "    for (i32 k = 1; k < 32; k++)\n"
    "        if (better(most[k], where[k], most[0], where[0])) {\n"
    "            most[0] = most[k];\n"
    "            where[0] = where[k];\n"
    "        }\n"
    "    WRITE(values, row, most[0]);\n"
    "    WRITE(indices, row, (T)where[0]);\n"
    "}\n";

static int64_t extremes_items(const fa_op_launch *l)
{
    return 32 * l->operand[0].shape[0];
}

static bool extremes_gradient(const fa_op_backward *b)
{
    const one_args *a = b->args;
    fa_tensor *index = fa_unsqueeze(b->result[1], 1), *zero = fa_zeros_like(a->x);
    return fa_op_set_grad(b, &a->x, fa_scatter(zero, 1, index, fa_unsqueeze(b->grad[0], 1)));
}

static void several_results(void **state)
{
    (void)state;
    static char context[] = "context";
    const fa_op_field fields[] = {FA_FIELD(one_args, x, FA_KIND_TENSOR, "a matrix")};
    char gpu[sizeof extremes_gpu];
    strcpy(gpu, extremes_gpu);
    char *type = strstr(gpu, "bool_t");
    assert_non_null(type);
    for (int i = 0; i < 6; i++)
        type[i] = "i32   "[i];
    const fa_op *extremes =
        must(fa_register_op("test::extremes", 1, fields, .results = "values, indices", .infer = extremes_infer,
                            .cpu = extremes_cpu, .gpu = gpu, .gpu_items = extremes_items, .gpu_group = 32,
                            .gradient = extremes_gradient, .saved = "indices", .context = context));
    memset(gpu, 0, sizeof gpu); /* it was copied */
    const fa_device devices[] = {FA_CPU, DEVICE(0), DEVICE(1)};
    for (int d = 0; d < 3; d++) {
        FA_SCOPE;
        fa_manual_seed(1);
        fa_tensor *x = leaf(fa_to(fa_randn(FA_SHAPE(5, 70)), devices[d]));
        fa_max_result want = fa_max(x, 1);
        fa_tensors y = fa_call_all(extremes, x);
        assert_int_equal(y.count, 2);
        assert_true(same_tensors(y.item[0], want.values) && same_tensors(y.item[1], want.indices));
        fa_tensor *g = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(y.item[0], fa_detach(want.values)))), FA_TENSORS(x)).item[0];
        fa_tensor *h = fa_grad_of(FA_TENSORS(fa_sum(fa_mul(want.values, want.values))), FA_TENSORS(x)).item[0];
        assert_true(fa_allclose(fa_mul(g, 2), h));
        assert_no_error();
    }
    fa_tensors shapes = fa_call_all(extremes, fa_zeros(FA_SHAPE(5, 7), .device = FA_META));
    assert_true(shapes.count == 2 && fa_tensor_dtype(shapes.item[1]) == FA_I64);
    assert_int_equal(fa_call_all(extremes, fa_zeros(FA_SHAPE(5))).count, 0);
    assert_error(FA_ERROR_SHAPE, "test::extremes(x=(5,) f32 cpu): x is no matrix");
    assert_null(fa_call_out(extremes, fa_zeros(FA_SHAPE(5)), fa_zeros(FA_SHAPE(5, 5))));
    assert_error(FA_ERROR_ARGUMENT, "test::extremes: it takes no .out");
}

/* ---- expressions ---- */

typedef struct {
    const fa_tensor *x;
    fa_arg w;
    double beta;
} swish_args;

static void expressions_need_nothing_else(void **state)
{
    (void)state;
    const fa_op_field fields[] = {
        FA_FIELD(swish_args, x, FA_KIND_TENSOR, ""),
        FA_OPTION(swish_args, w, FA_KIND_NUMBER, 1, "a weight"),
        FA_OPTION(swish_args, beta, FA_KIND_DOUBLE, 1.0, ""),
    };
    const fa_op *swish = must(fa_register_op("test::swish", 3, fields, .expression = "w * x * sigmoid(beta * x)"));
    assert_true(fa_op_describe(swish).pointwise && fa_op_describe(swish).inplace);
    assert_string_equal(fa_op_describe(swish).expression, "w * x * sigmoid(beta * x)");
    const fa_device devices[] = {FA_CPU, DEVICE(0)};
    for (int d = 0; d < 2; d++) {
        FA_SCOPE;
        fa_tensor *x = leaf(numbers(devices[d], FA_F32)), *w = fa_ones(FA_SHAPE(2, 1), .device = devices[d]);
        assert_true(same_tensors(fa_detach(fa_call(swish, x)), fa_detach(fa_silu(x))));
        assert_true(fa_allclose(fa_detach(fa_call(swish, x, w, 1.0)), fa_detach(fa_silu(x))));
        fa_tensor *g = fa_grad_of(FA_TENSORS(fa_sum(fa_call(swish, x))), FA_TENSORS(x), .create_graph = true).item[0];
        fa_tensor *h = fa_grad_of(FA_TENSORS(fa_sum(fa_silu(x))), FA_TENSORS(x), .create_graph = true).item[0];
        assert_true(fa_allclose(fa_detach(g), fa_detach(h)));
        fa_tensor *gg = fa_grad_of(FA_TENSORS(fa_sum(g)), FA_TENSORS(x)).item[0];
        fa_tensor *hh = fa_grad_of(FA_TENSORS(fa_sum(h)), FA_TENSORS(x)).item[0];
        assert_true(fa_allclose(gg, hh));
        fa_tensor *z = fa_clone(fa_detach(x)), *want = fa_silu(z);
        assert_ptr_equal(fa_call_(swish, z), z);
        assert_true(same_tensors(z, want));
        assert_no_error();
    }
    fa_call(swish, fa_zeros(FA_SHAPE(3)), fa_zeros(FA_SHAPE(4)));
    assert_error(FA_ERROR_SHAPE, "test::swish(x=(3,) f32 cpu, w=(4,) f32 cpu): shapes do not broadcast");
}

static bool passes_through(const fa_op_backward *b)
{
    return fa_op_set_grad(b, &((const one_args *)b->args)->x, b->grad[0]);
}

static void an_expression_with_a_gradient_of_its_own(void **state)
{
    (void)state;
    const fa_op_field fields[] = {FA_FIELD(one_args, x, FA_KIND_TENSOR, "")};
    const fa_op *straight = must(fa_register_op("test::straight_through", 1, fields, .expression = "round(x)",
                                                .gradient = passes_through, .saved = ""));
    fa_tensor *x = fa_tensor_of(0.25, 1.75);
    leaf(x);
    fa_tensor *y = fa_call(straight, x);
    fa_backward(fa_sum(fa_mul(y, 3)));
    assert_true(fa_item(fa_sum(y)) == 2 && fa_item(fa_sum(fa_grad(x))) == 6);
    assert_no_error();
}

/* ---- kernels that are not there, and that fail ---- */

static bool copies(const fa_op_launch *l)
{
    for (int64_t i = 0; i < fa_operand_count(&l->result[0]); i++)
        fa_operand_set(&l->result[0], i, fa_operand_get(&l->operand[0], i));
    return true;
}

static void kernels_that_are_missing(void **state)
{
    (void)state;
    const fa_op_field fields[] = {FA_FIELD(one_args, x, FA_KIND_TENSOR, "")};
    const fa_op *host = must(fa_register_op("test::on_cpu", 1, fields, .cpu = copies, .gradient = passes_through));
    const fa_op *gpu = must(fa_register_op(
        "test::on_gpu", 1, fields, .gpu = "OP_KERNEL { i64 i = GID(0); if (i < ITEMS) WRITE(y, i, READ(x, i)); }"));
    fa_tensor *x = leaf(fa_ones(FA_SHAPE(3), .device = DEVICE(0))), *y = fa_call(host, x);
    if (!test_device_is_late(0)) {
        assert_null(y);
        assert_error(FA_ERROR_UNAVAILABLE, "test::on_cpu(x=(3,) f32 late:0): late:0 has no kernel for this operation",
                     ".fallback = true");
        FA_USE(.fallback = true);
        y = fa_call(host, x);
        assert_no_error();
        assert_true(same_tensors(fa_detach(fa_call(gpu, x)), fa_detach(x)));
    }
    assert_true(fa_device_equal(fa_tensor_device(y), DEVICE(0)));
    fa_backward(fa_sum(y));
    assert_true(fa_item(fa_sum(fa_grad(x))) == 3);
    assert_no_error();
    assert_null(fa_call(gpu, fa_ones(FA_SHAPE(3))));
    assert_error(FA_ERROR_UNAVAILABLE, "test::on_gpu(x=(3,) f32 cpu): cpu has no kernel for this operation");
    assert_false(fa_requires_grad(fa_call(gpu, leaf(fa_zeros(FA_SHAPE(2), .device = FA_META)))));
    assert_no_error();
}

static bool says_why(const fa_op_launch *l)
{
    return fa_fail(FA_ERROR_USER, "the first size is %d", (int)l->operand[0].shape[0]);
}

static bool says_nothing(const fa_op_launch *l)
{
    return l->results == 0;
}

static bool wrong_spec(const void *args, fa_op_spec *result, void *context)
{
    (void)args, (void)context;
    result[0].shape.rank = 12;
    return true;
}

static bool infers_nothing(const void *args, fa_op_spec *result, void *context)
{
    (void)args, (void)context;
    return result->dtype == FA_SAME;
}

static bool wrong_shape(const fa_op_backward *b)
{
    return fa_op_set_grad(b, &((const one_args *)b->args)->x, fa_zeros(FA_SHAPE(1)));
}

static bool wrong_field(const fa_op_backward *b)
{
    return fa_op_set_grad(b, &b->context, b->grad[0]);
}

static bool no_gradient(const fa_op_backward *b)
{
    return b->results == 0;
}

static bool null_gradient(const fa_op_backward *b)
{
    return fa_op_set_grad(b, &((const one_args *)b->args)->x, NULL);
}

static bool no_such_item(const fa_op_backward *b)
{
    return fa_op_set_item_grad(b, 0, b->grad[0]);
}

static void functions_that_fail(void **state)
{
    (void)state;
    const fa_op_field fields[] = {FA_FIELD(one_args, x, FA_KIND_TENSOR, "")};
    const fa_op *loud = must(fa_register_op("test::loud", 1, fields, .cpu = says_why));
    const fa_op *mute = must(fa_register_op("test::mute", 1, fields, .cpu = says_nothing));
    const fa_op *spec = must(fa_register_op("test::spec", 1, fields, .cpu = copies, .infer = wrong_spec));
    const fa_op *none = must(fa_register_op("test::none", 1, fields, .cpu = copies, .infer = infers_nothing));
    fa_tensor *x = leaf(fa_ones(FA_SHAPE(3)));
    assert_null(fa_call(loud, x));
    assert_error(FA_ERROR_USER, "test::loud(x=(3,) f32 cpu): the first size is 3");
    assert_null(fa_call(mute, x));
    assert_error(FA_ERROR_USER, "test::mute(x=(3,) f32 cpu): its CPU kernel failed and gives no reason");
    assert_null(fa_call(spec, x));
    assert_error(FA_ERROR_SHAPE, "test::spec(x=(3,) f32 cpu): its infer function gives y a dtype or shape");
    assert_null(fa_call(none, x));
    assert_error(FA_ERROR_USER, "test::none(x=(3,) f32 cpu): its infer function failed and gives no reason");
    if (test_device_is_late(0)) {
        fa_tensor *late = fa_call(loud, fa_ones(FA_SHAPE(3), .device = DEVICE(0)));
        fa_item(fa_sum(late));
        assert_error(FA_ERROR_USER, "test::loud", "the first size is 3");
    }
    static bool (*const wrong[])(const fa_op_backward *) = {wrong_shape, wrong_field, no_gradient, null_gradient,
                                                            no_such_item};
    static const char *const names[] = {"test::wrong_shape", "test::wrong_field", "test::no_gradient",
                                        "test::null_gradient", "test::no_such_item"};
    static const char *const messages[] = {"the gradient of x is not of the shape of x", "the address of no argument",
                                           "its gradient function failed and gives no reason", "the gradient is NULL",
                                           "the arguments have no list with an item 0"};
    static const fa_code codes[] = {FA_ERROR_SHAPE, FA_ERROR_ARGUMENT, FA_ERROR_USER, FA_ERROR_ARGUMENT,
                                    FA_ERROR_INDEX};
    for (int i = 0; i < 5; i++) {
        const fa_op *op = must(fa_register_op(names[i], 1, fields, .cpu = copies, .gradient = wrong[i]));
        assert_false(fa_backward(fa_sum(fa_call(op, x))));
        assert_error(codes[i], messages[i], names[i]);
    }
    if (!test_device_is_late(0)) {
        const fa_op *bad = must(fa_register_op("test::bad_text", 1, fields, .gpu = "OP_KERNEL { nonsense }"));
        assert_null(fa_call(bad, fa_ones(FA_SHAPE(3), .device = DEVICE(0))));
        assert_error(FA_ERROR_DEVICE, "test::bad_text");
    }
}

/* ---- definitions ---- */

typedef struct {
    const fa_tensor *x;
    int64_t n;
    fa_tensors a, b;
    int narrow;
} wrong_args;

#define REFUSED(what, ...)                                                                                             \
    do {                                                                                                               \
        assert_null(fa_register_op("test::refused", __VA_ARGS__));                                                     \
        assert_error(FA_ERROR_ARGUMENT, "fa_register_op(\"test::refused\"): ", what);                                  \
    } while (0)
#define X FA_FIELD(wrong_args, x, FA_KIND_TENSOR, "")

static void wrong_names(void **state)
{
    (void)state;
    const fa_op_field x[] = {X};
    static const char *const names[] = {NULL,      "",
                                        "1x",      "a b",
                                        "a::",     "::a",
                                        "a::b::c", "a-b",
                                        "a:b",     "a_name_of_far_more_than_sixty_characters_which_nobody_would_write"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_null(fa_register_op(names[i], 1, x, .cpu = copies));
        assert_error(FA_ERROR_ARGUMENT, "fa_register_op(", "a name is letters");
    }
    assert_null(fa_register_op("add", 1, x, .cpu = copies));
    assert_error(FA_ERROR_ARGUMENT, "fa_register_op(\"add\"): there is an operation of this name");
    must(fa_register_op("test::once", 1, x, .cpu = copies));
    const size_t count = fa_op_count();
    assert_null(fa_register_op("test::once", 1, x, .cpu = copies));
    assert_error(FA_ERROR_ARGUMENT, "fa_register_op(\"test::once\"): there is an operation of this name");
    assert_int_equal(fa_op_count(), count);
}

static void wrong_fields(void **state)
{
    (void)state;
    const fa_op_field x[] = {X};
    const fa_op_field twice[] = {X, X};
    const fa_op_field over[] = {X, FA_FIELD(wrong_args, x, FA_KIND_LIKE, "")};
    fa_op_field other[] = {X, over[1]};
    other[1].name = "y";
    const fa_op_field lists[] = {FA_FIELD(wrong_args, a, FA_KIND_TENSORS, ""),
                                 FA_FIELD(wrong_args, b, FA_KIND_TENSORS, "")};
    const fa_op_field size[] = {X, FA_FIELD(wrong_args, narrow, FA_KIND_INT, "")};
    const fa_op_field kind[] = {X, FA_FIELD(wrong_args, n, (fa_kind)77, "")};
    const fa_op_field behind[] = {X, FA_FIELD(wrong_args, n, (fa_kind)(FA_KIND_STRING + 1), "")};
    const fa_op_field fallback[] = {X, FA_OPTION(wrong_args, n, FA_KIND_INT, "text", "")};
    const fa_op_field tensor[] = {FA_OPTION(wrong_args, x, FA_KIND_TENSOR, fa_zeros(FA_SHAPE(1)), "")};
    fa_op_field far[] = {X}, odd[] = {X}, unnamed[] = {X};
    far[0].offset = 2000;
    odd[0].offset = 4;
    unnamed[0].name = "not a name";
    REFUSED("0 arguments", 0, x, .cpu = copies);
    REFUSED("0 arguments", 1, NULL, .cpu = copies);
    REFUSED("17 arguments", 17, x, .cpu = copies);
    REFUSED("two arguments are called x", 2, twice, .cpu = copies);
    REFUSED("x and y overlap", 2, other, .cpu = copies);
    REFUSED("a and b are lists of tensors", 2, lists, .cpu = copies);
    REFUSED("narrow is an integer, of 8 bytes, and the struct's member has 4", 2, size, .cpu = copies);
    REFUSED("n: 15 is no fa_kind", 2, behind, .cpu = copies);
    REFUSED("n: 77 is no fa_kind", 2, kind, .cpu = copies);
    REFUSED("n is an integer, and its default is a string", 2, fallback, .cpu = copies);
    REFUSED("the default of x has a tensor", 1, tensor, .cpu = copies);
    REFUSED("no member at byte 2000", 1, far, .cpu = copies);
    REFUSED("no member at byte 4", 1, odd, .cpu = copies);
    REFUSED("'not a name' is no name", 1, unnamed, .cpu = copies);
}

/* What is just not wrong. */
static void the_ends_of_ranges(void **state)
{
    (void)state;
    const fa_tensors none = {0};
    const fa_op_field x[] = {X}, list[] = {X, FA_OPTION(wrong_args, a, FA_KIND_TENSORS, none, "")};
    must(fa_register_op("test::least", 1, x, .cpu = copies, .gpu = "", .gpu_group = 1));
    must(fa_register_op("test::most", 1, x, .cpu = copies, .gpu = "", .gpu_group = 256));
    must(fa_register_op("test::listless", 2, list, .cpu = copies));
    assert_int_equal(fa_dim(fa_call(scale, fa_ones(FA_SHAPE(1, 1, 1, 1, 1, 1, 1, 3)))), 8);
}

static void wrong_options(void **state)
{
    (void)state;
    const fa_op_field x[] = {X}, n[] = {X, FA_FIELD(wrong_args, n, FA_KIND_INT, "")};
    const fa_op_field list[] = {FA_FIELD(wrong_args, a, FA_KIND_TENSORS, "")};
    REFUSED("there is no kernel and no expression", 1, x, .doc = "nothing");
    REFUSED("are no names of results", 1, x, .cpu = copies, .results = "");
    REFUSED("are no names of results", 1, x, .cpu = copies, .results = "a, 2");
    REFUSED("more than 4 results", 1, x, .cpu = copies, .results = "a b c d e");
    REFUSED("x is an argument and a result", 1, x, .cpu = copies, .results = "x");
    REFUSED(".saved is for .gradient", 1, x, .cpu = copies, .saved = "x");
    REFUSED(".saved: z is no operand and no result", 1, x, .cpu = copies, .gradient = passes_through, .saved = "z");
    REFUSED(".saved: n is no operand", 2, n, .cpu = copies, .gradient = passes_through, .saved = "n");
    REFUSED(".saved: '-' are no names", 1, x, .cpu = copies, .gradient = passes_through, .saved = "x-");
    REFUSED(".inplace: n is no operand", 2, n, .cpu = copies, .inplace = "n");
    REFUSED(".inplace is for operations with one result", 1, x, .cpu = copies, .inplace = "x", .results = "a, b");
    REFUSED(".gpu_group is 0", 1, x, .gpu = "", .gpu_group = 0);
    REFUSED(".gpu_group is 257", 1, x, .gpu = "", .gpu_group = 257);
    REFUSED(".gpu_group is 512", 1, x, .gpu = "", .gpu_group = 512);
    REFUSED("which kernels of GPUs do not take", 1, list, .gpu = "");
    REFUSED(".gpu_items is for .gpu", 1, x, .cpu = copies, .gpu_items = extremes_items);
    REFUSED("9 is no fa_autocast", 1, x, .cpu = copies, .autocast = (fa_autocast)9);
    REFUSED("4 is no fa_autocast", 1, x, .cpu = copies, .autocast = (fa_autocast)4);
    REFUSED("4 is no fa_autocast", 1, x, .cpu = copies, .autocast_cpu = (fa_autocast)4);
    REFUSED("with .expression there is no .infer and no kernel", 1, x, .expression = "x", .cpu = copies);
    REFUSED("an expression has one result", 1, x, .expression = "x", .results = "a, b");
    REFUSED("a is a list of tensors, which no expression can read", 1, list, .expression = "a");
    assert_null(fa_register_op("test::refused", 1, x, .expression = "x + * 2"));
    assert_error(FA_ERROR_ARGUMENT, "test::refused", "expected an operand");
    assert_null(fa_register_op("test::refused", 1, x, .expression = "x + z"));
    assert_error(FA_ERROR_ARGUMENT, "test::refused", "z");
    assert_null(fa_op_find("test::refused"));
}

/* ---- threads ---- */

enum { THREADS = 4, EACH = 20 };
static _Atomic int added, refused;

static void *registers(void *number)
{
    const fa_op_field fields[] = {FA_FIELD(one_args, x, FA_KIND_TENSOR, "")};
    for (int i = 0; i < EACH; i++) {
        char name[64];
        snprintf(name, sizeof name, "threads::own_%d_%d", (int)(intptr_t)number, i);
        const fa_op *op = fa_register_op(name, 1, fields, .cpu = copies);
        if (op && fa_op_find(name) == op)
            added++;
        snprintf(name, sizeof name, "threads::shared_%d", i);
        if (!fa_register_op(name, 1, fields, .cpu = copies))
            refused += fa_error_code() == FA_ERROR_ARGUMENT;
        fa_error_clear();
        FA_SCOPE;
        fa_tensor *one = fa_ones(FA_SHAPE(2));
        if (fa_item(fa_sum(fa_call(fa_op_find(name), one))) != 2)
            added--;
    }
    return NULL;
}

static void several_threads_register(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    const size_t count = fa_op_count();
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, registers, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(added, THREADS * EACH);
    assert_int_equal(refused, (THREADS - 1) * EACH);
    assert_int_equal(fa_op_count(), count + THREADS * EACH + EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kernels_run_where_the_operands_are),
        TEST(meta_has_shapes),
        TEST(out_and_in_place),
        TEST(gradients_of_every_order),
        TEST(autocast_converts),
        TEST(placement_and_devices),
        TEST(profilers_and_errors_name_it),
        TEST(late_kernels_have_their_arguments),
        TEST(several_results),
        TEST(expressions_need_nothing_else),
        TEST(an_expression_with_a_gradient_of_its_own),
        TEST(kernels_that_are_missing),
        TEST(functions_that_fail),
        TEST(wrong_names),
        TEST(wrong_fields),
        TEST(the_ends_of_ranges),
        TEST(wrong_options),
        TEST(several_threads_register),
    };
    register_scale();
    return RUN("registered");
}
