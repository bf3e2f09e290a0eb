/* Errors: the first is kept; what runs and what refuses while one stands; what the messages say; how an error that
 * nobody looked at is told. */
#define _GNU_SOURCE
#include "graph/node.h"
#include "internal.h"
#include "support/api_test.h"
#include <facula/optim.h>
#include <facula/scope.h>
#include <float.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* A call that fails, with this code and a message that says each of these. Those that do not are told together. */
#define SAYS(call, code, ...)                                                                                          \
    do {                                                                                                               \
        const char *const said[] = {__VA_ARGS__};                                                                      \
        fails_with(call, code, said, sizeof said / sizeof *said, __LINE__);                                            \
    } while (0)

static int wrong;

static void fails_with(bool worked, fa_code code, const char *const *said, size_t count, int line)
{
    if (worked)
        print_error("line %d: the call works\n", line);
    wrong += worked || !error_says(code, said, count, line);
    fa_error_clear();
}

static int begin(void **state)
{
    wrong = 0;
    return api_begin(state);
}

static int end(void **state)
{
    (void)state;
    return wrong;
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

/* ---- sticking ---- */

static void the_first_error_is_kept(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(2, 3)), *b = fa_ones(FA_SHAPE(4));
    assert_null(fa_add(a, b));
    char first[1024];
    strcpy(first, error_reason());
    assert_null(fa_matmul(a, a));
    assert_false(fa_fail(FA_ERROR_USER, "another"));
    assert_string_equal(error_reason(), first);
    assert_int_equal(fa_error_code(), FA_ERROR_SHAPE);
    fa_error_clear();
    assert_string_equal(error_reason(), "");
    assert_int_equal(fa_error_code(), FA_OK);
    assert_non_null(fa_add(a, 1));
}

static void null_in_gives_null_out(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *none = NULL, *x = fa_ones(FA_SHAPE(2, 2), .requires_grad = true);
    assert_null(fa_add(none, 2));
    assert_error(FA_ERROR_ARGUMENT, "fa_add(x=NULL, y=2): x is NULL");
    assert_null(fa_add(x, none));
    assert_error(FA_ERROR_ARGUMENT, "fa_add(", "y=NULL", "y is NULL");
    assert_null(fa_sum(fa_mul(2, none)));
    assert_error(FA_ERROR_ARGUMENT, "fa_mul(x=2, y=NULL): y is NULL");
#define NULLS(call) SAYS(call, FA_ERROR_ARGUMENT, "NULL")
    NULLS(fa_relu(none));
    NULLS(fa_sum(none));
    NULLS(fa_matmul(x, none));
    NULLS(fa_t(none));
    NULLS(fa_reshape(none, FA_SHAPE(-1)));
    NULLS(fa_cat(FA_TENSORS(x, none)));
    NULLS(fa_get(none, "0"));
    NULLS(fa_get(x, NULL));
    NULLS(fa_set(none, "0", 1));
    NULLS(fa_to(none, FA_F64));
    NULLS(fa_cpu(none));
    NULLS(fa_identity(none));
    NULLS(fa_move_(none, FA_F64));
    NULLS(fa_add_(none, 1));
    NULLS(fa_softmax(none, 0));
    NULLS(fa_cross_entropy(none, none));
    NULLS(fa_mse_loss(x, none));
    NULLS(fa_linear(x, none));
    NULLS(fa_max(none, 0).values);
    NULLS(fa_zeros_like(none));
    NULLS(fa_index_select(x, 0, none));
    NULLS(fa_where(none, x, x));
    NULLS(fa_dropout(none));
    NULLS(fa_backward(none));
    NULLS(fa_grad(none));
    NULLS(fa_set_grad(none, x));
    NULLS(fa_set_requires_grad(none, true));
    NULLS(fa_requires_grad(none));
    NULLS(fa_retain_grad(none));
    NULLS(fa_pointwise("x + 1", none));
    NULLS(fa_pointwise(NULL, x));
    NULLS(fa_tensor_from(NULL, FA_SHAPE(3)));
    NULLS(fa_tensor_borrow(NULL, FA_SHAPE(3)));
    NULLS(fa_equal(x, none));
    NULLS(fa_equal(none, x));
    NULLS(fa_allclose(x, none));
    NULLS(fa_allclose(none, x));
    NULLS(fa_read(none, &state, FA_F32, 1));
    NULLS(fa_read(x, NULL, FA_F32, 4));
    NULLS(fa_ptr_f32(none));
    NULLS(fa_text(none));
    NULLS(fa_fprint(stdout, none));
    NULLS(fa_update(NULL, 0, NULL));
    NULLS(fa_is_contiguous(none));
    NULLS(fa_tensor_shape(none).rank);
    NULLS(fa_nbytes(none));
    NULLS(fa_element_size(none));
    NULLS(fa_tensor_dtype(none));
    NULLS(fa_hook_grad(none, NULL, NULL));
    const fa_generator_state start = {0};
    assert_false(fa_generator_set(NULL, start));
    assert_error(FA_ERROR_ARGUMENT, "fa_generator_set: there is no generator");
    assert_int_equal(fa_generator_get(NULL).call, 0);
    assert_error(FA_ERROR_ARGUMENT, "fa_generator_get: there is no generator");
    fa_transfers_report(NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_transfers_report: the file is NULL");
    fa_assign(NULL, x);
    assert_error(FA_ERROR_ARGUMENT, "fa_assign: the variable is NULL");
    static const fa_object_type type = {"thing", NULL};
    assert_null(fa_object_new(NULL, 64));
    assert_error(FA_ERROR_ARGUMENT, "fa_object_new: an object has a type");
    assert_null(fa_object_new(&type, sizeof(fa_object) - 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_object_new: an object has a type, and begins with an fa_object");
    fa_scope_report(NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_scope_report: the file is NULL");
    fa_transfers_json(NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_transfers_json: the file is NULL");
    assert_int_equal(fa_dim(none), -1);
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_int_equal(fa_numel(none), -1);
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_int_equal(fa_size(none, 0), -1);
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_true(isnan(fa_item(none)));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_int_equal(fa_item_int(none), 0);
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_int_equal(fa_grad_of(FA_TENSORS(none), FA_TENSORS(x)).count, 0);
    assert_error(FA_ERROR_ARGUMENT, "NULL");
    assert_int_equal(fa_grad_of(FA_TENSORS(x), FA_TENSORS(none)).count, 0);
    assert_true(fa_failed());
    fa_error_clear();
}

static fa_tensor *first_input(void *context, fa_tensors inputs)
{
    (void)context;
    return inputs.item[0];
}

static bool no_gradients(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **grad_inputs)
{
    (void)context, (void)saved, (void)grad, (void)grad_inputs;
    return true;
}

/* A list with a count and nothing behind it. */
static void lists_that_are_null_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_tensors nowhere = {1, NULL};
    const fa_binding binding = {.name = "p", .tensors = nowhere};
    const fa_function function = {.forward = first_input, .backward = no_gradients};
    fa_tensor *x = fa_ones(FA_SHAPE(2, 2), .requires_grad = true);
    SAYS(fa_cat(nowhere), FA_ERROR_ARGUMENT, "fa_cat(x=NULL): x is NULL");
    NULLS(fa_update("p = p + 1", 1, &binding));
    NULLS(fa_grad_of(nowhere, FA_TENSORS(x)).count);
    NULLS(fa_grad_of(FA_TENSORS(x), nowhere).count);
    NULLS(fa_grad_of(FA_TENSORS(fa_sum(x)), FA_TENSORS(x), .grad_outputs = nowhere).count);
    NULLS(fa_apply(&function, NULL, nowhere));
    NULLS(fa_optim_sgd(nowhere, .lr = 0.1));
}

static void null_keeps_the_error_that_stands(void **state)
{
    (void)state;
    fa_fail(FA_ERROR_USER, "the reason");
    fa_tensor *none = NULL;
    assert_null(fa_add(none, 1));
    assert_null(fa_get(none, "0"));
    assert_true(isnan(fa_item(none)));
    assert_error(FA_ERROR_USER, "the reason");
}

static void what_is_pure_runs_while_an_error_stands(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_tensor_of(1.0, 2.0, 3.0, 4.0), *y = fa_zeros(FA_SHAPE(4)),
              *p = fa_ones(FA_SHAPE(4), .requires_grad = true);
    fa_tensor *loss = fa_sum(fa_mul(p, x));
    float values[4] = {0};
    fa_fail(FA_ERROR_USER, "stands");
    fa_tensor *made[] = {fa_add(x, 1),
                         fa_sum(x),
                         fa_t(fa_reshape(x, FA_SHAPE(2, 2))),
                         fa_get(x, "::-1"),
                         fa_softmax(x, 0),
                         fa_matmul(x, x),
                         fa_mse_loss(x, y),
                         fa_to(x, FA_F64),
                         fa_to(x, DEVICE(0)),
                         fa_zeros(FA_SHAPE(3)),
                         fa_rand(FA_SHAPE(3)),
                         fa_tensor_of(1, 2),
                         fa_pointwise("x * x", x),
                         fa_mean(fa_mul(p, 2)),
                         fa_cross_entropy(fa_reshape(x, FA_SHAPE(2, 2)), fa_tensor_of(0, 1))};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_non_null(made[i]);
    /* values are not handed out: they may not be what the program takes them for */
    assert_false(fa_read(fa_add(x, 1), values, FA_F32, 4));
    assert_true(values[3] == 0);
    assert_null(fa_ptr_f32(x));
    assert_false(fa_equal(x, fa_get(x, ":")) || fa_allclose(x, x));
    assert_true(isnan(fa_item(fa_get(x, "0"))));
    assert_int_equal(fa_item_int(fa_get(x, "0")), 0);
    /* these refuse, and change nothing */
    assert_null(fa_add_(x, 1));
    assert_null(fa_mul(x, 2, .out = y));
    assert_null(fa_softmax(x, 0, .out = y));
    assert_null(fa_mse_loss(x, y, .out = fa_zeros(FA_SCALAR)));
    assert_null(fa_set(x, "0", 9));
    assert_null(fa_copy_(x, 3));
    assert_false(fa_move_(x, FA_F64));
    assert_false(fa_backward(loss));
    assert_int_equal(fa_grad_of(FA_TENSORS(loss), FA_TENSORS(p)).count, 0);
    const fa_binding binding = {.name = "p", .tensors = FA_TENSORS(y)};
    assert_false(fa_update("p = p + 1", 1, &binding));
    assert_null(fa_grad(p));
    assert_error(FA_ERROR_USER, "stands");
    assert_int_equal(fa_tensor_version(x), 0);
    assert_true(fa_item(fa_sum(x)) == 10);
    assert_true(fa_item(fa_sum(y)) == 0);
    assert_true(fa_backward(loss));
    assert_true(fa_item(fa_sum(fa_grad(p))) == 10);
    assert_no_error();
}

/* ---- what the messages say ---- */

static void messages_name_operation_and_operands(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_zeros(FA_SHAPE(3, 4)), *b = fa_zeros(FA_SHAPE(5)), *i = fa_tensor_of(1, 2, 3),
              *late = fa_to(a, DEVICE(0));
    fa_tensor *d = fa_zeros(FA_SHAPE(3, 4), .dtype = FA_F64), *one = fa_ones(FA_SCALAR);
    SAYS(fa_add(a, b), FA_ERROR_SHAPE, "fa_add(x=(3, 4) f32 cpu, y=(5,) f32 cpu)");
    SAYS(fa_add(a, b, .alpha = 2), FA_ERROR_SHAPE, "fa_add(x=(3, 4) f32 cpu, y=(5,) f32 cpu, alpha=2)");
    SAYS(fa_add_(a, b), FA_ERROR_SHAPE, "fa_add_(x=(3, 4) f32 cpu, y=(5,) f32 cpu)");
    SAYS(fa_add(a, late), FA_ERROR_DEVICE, "fa_add(", "(3, 4) f32 cpu, made by zeros", "(3, 4) f32 late:0, made by ",
         "operands are on different devices", "fa_to moves one");
    SAYS(fa_add(i, late), FA_ERROR_DEVICE, "(3,) i64 cpu", "late:0");
    SAYS(fa_matmul(a, fa_t(d)), FA_ERROR_DTYPE, "fa_matmul(a=(3, 4) f32 cpu, b=(4, 3) f64 cpu)", "f32", "f64");
    SAYS(fa_matmul(a, a), FA_ERROR_SHAPE, "fa_matmul(a=(3, 4) f32 cpu, b=(3, 4) f32 cpu)");
    SAYS(fa_add_(i, 1.5), FA_ERROR_DTYPE, "fa_add_(x=(3,) i64 cpu, y=1.5)",
         "the result is f32 and cannot be stored as i64");
    SAYS(fa_sum(a, .dim = 2), FA_ERROR_INDEX, "fa_sum(x=(3, 4) f32 cpu, dim=2)");
    SAYS(fa_sum(a, .dim = -3), FA_ERROR_INDEX, "dim=-3");
    SAYS(fa_mean(i), FA_ERROR_DTYPE, "fa_mean(x=(3,) i64 cpu)", "i64");
    SAYS(fa_reshape(a, FA_SHAPE(5, -1)), FA_ERROR_SHAPE, "fa_reshape(x=(3, 4) f32 cpu, shape=(5, -1))");
    SAYS(fa_reshape(a, FA_SHAPE(-1, -1)), FA_ERROR_SHAPE, "(-1, -1)");
    SAYS(fa_view(fa_t(a), FA_SHAPE(12)), FA_ERROR_SHAPE, "fa_view(", "(4, 3) f32 cpu");
    SAYS(fa_transpose(a, 0, 2), FA_ERROR_INDEX, "fa_transpose(x=(3, 4) f32 cpu, dim0=0, dim1=2)");
    SAYS(fa_permute(a, FA_SHAPE(0, 0)), FA_ERROR_ARGUMENT, "fa_permute(");
    SAYS(fa_flip(a, .dim = FA_DIMS(0, 0)), FA_ERROR_ARGUMENT, "fa_flip(x=(3, 4) f32 cpu, dim=(0))", "2", "twice");
    SAYS(fa_flip(a, .dim = FA_DIMS(-1, 0, -1)), FA_ERROR_ARGUMENT, "dim=(-1, 0)", "3", "twice");
    SAYS(fa_sum(a, .dim = FA_DIMS(0, -2)), FA_ERROR_ARGUMENT, "fa_sum(x=(3, 4) f32 cpu, dim=(-2, 0))", "twice");
    SAYS(fa_sum(one, .dim = FA_DIMS(0, -1)), FA_ERROR_ARGUMENT, "fa_sum(x=() f32 cpu, dim=(-1, 0))", "twice");
    SAYS(fa_sum(a, .dim = FA_DIMS(9, 9)), FA_ERROR_INDEX, "below -8 or above 7");
    SAYS(fa_expand(a, FA_SHAPE(3, 5)), FA_ERROR_SHAPE, "fa_expand(x=(3, 4) f32 cpu, shape=(3, 5))");
    SAYS(fa_select(a, 0, 3), FA_ERROR_INDEX, "fa_select(x=(3, 4) f32 cpu, dim=0, index=3)");
    SAYS(fa_narrow(a, 1, 2, 3), FA_ERROR_INDEX, "fa_narrow(x=(3, 4) f32 cpu, dim=1, start=2, length=3)");
    SAYS(fa_slice(a, 0, .step = 0), FA_ERROR_ARGUMENT, "fa_slice(", "step");
    SAYS(fa_softmax(a, 2), FA_ERROR_INDEX, "fa_softmax(x=(3, 4) f32 cpu, dim=2)");
    SAYS(fa_softmax(i, 0), FA_ERROR_DTYPE, "fa_softmax(", "i64");
    SAYS(fa_max(a, 5).values, FA_ERROR_INDEX, "fa_max(x=(3, 4) f32 cpu, dim=5)");
    SAYS(fa_max(fa_zeros(FA_SHAPE(2, 0)), 1).values, FA_ERROR_SHAPE, "fa_max(x=(2, 0) f32 cpu");
    SAYS(fa_cat(FA_TENSORS(a, b)), FA_ERROR_SHAPE, "fa_cat(", "(3, 4) f32 cpu", "(5,) f32 cpu");
    SAYS(fa_cat(((fa_tensors){0, NULL})), FA_ERROR_ARGUMENT, "fa_cat(");
    SAYS(fa_index_select(a, 0, fa_tensor_of(3)), FA_ERROR_INDEX, "index_select", "3");
    SAYS(fa_index_select(a, 0, fa_tensor_of(-1)), FA_ERROR_INDEX, "index_select", "-1");
    SAYS(fa_index_select(a, 0, a), FA_ERROR_SHAPE, "fa_index_select(");
    SAYS(fa_index_select(one, 0, fa_tensor_of(0, 0)), FA_ERROR_SHAPE, "fa_index_select(x=() f32 cpu", "0-dim");
    SAYS(fa_index_select(one, 0, fa_zeros(FA_SHAPE(0), .dtype = FA_I64)), FA_ERROR_SHAPE, "fa_index_select(");
    SAYS(fa_linear(a, b), FA_ERROR_SHAPE, "fa_linear(x=(3, 4) f32 cpu, weight=(5,) f32 cpu)");
    SAYS(fa_full(FA_SHAPE(2), 300, .dtype = FA_U8), FA_ERROR_ARGUMENT, "fa_full(shape=(2,), value=300, dtype=u8)");
    SAYS(fa_arange(0, 10, .step = 0), FA_ERROR_ARGUMENT, "fa_arange(start=0, end=10, step=0)", "step");
    SAYS(fa_zeros(FA_SHAPE(2), .dtype = FA_I32, .requires_grad = true), FA_ERROR_DTYPE, "fa_zeros(", "floating");
    SAYS(fa_rand(FA_SHAPE(2), .dtype = FA_I32), FA_ERROR_DTYPE, "fa_rand(");
    SAYS(fa_sub(fa_ge(a, 0), fa_ge(a, 0)), FA_ERROR_DTYPE, "fa_sub(", "bool");
    SAYS(fa_to(a, (fa_dtype)77), FA_ERROR_DTYPE, "fa_to: 77 is no dtype");
    if (!fa_is_available(FA_CUDA(0)))
        SAYS(fa_to(a, FA_CUDA(0)), FA_ERROR_UNAVAILABLE, "CUDA");
    SAYS(fa_to(a, FA_LATE(7)), FA_ERROR_DEVICE, "late:7");
    SAYS(fa_cross_entropy(a, fa_tensor_of(0, 1)), FA_ERROR_SHAPE,
         "fa_cross_entropy(input=(3, 4) f32 cpu, target=(2,) i64 cpu)");
    SAYS(fa_mul(a, a, .out = fa_zeros(FA_SHAPE(3, 5))), FA_ERROR_SHAPE, "fa_mul(", "out=(3, 5) f32 cpu",
         "shape (3, 4)");
    SAYS(fa_mul(a, a, .out = late), FA_ERROR_DEVICE, "fa_mul(", "late:0");
    SAYS(fa_mul(a, 2, .out = fa_expand(fa_zeros(FA_SHAPE(1, 4)), FA_SHAPE(3, 4))), FA_ERROR_ARGUMENT, "fa_mul(",
         "share memory");
    SAYS(fa_pointwise("x +* y", a, 1), FA_ERROR_ARGUMENT, "+*");
    SAYS(fa_pointwise("x + z", a, 1), FA_ERROR_ARGUMENT, "z");
    SAYS(fa_ptr_f64(a), FA_ERROR_DTYPE,
         "fa_ptr: the tensor is f32 on cpu, asked for was f64 on cpu: fa_to converts it");
    SAYS(fa_ptr_f32(late), FA_ERROR_DEVICE, "f32 on late:0");
    assert_true(isnan(fa_item(a)));
    assert_error(
        FA_ERROR_SHAPE,
        "fa_item: reads a tensor with one element, and this one has more or none: (3, 4) f32 cpu, made by zeros");
    SAYS(fa_read(a, &state, FA_F32, 1), FA_ERROR_ARGUMENT,
         "fa_read: the tensor has 12 elements, there is room for 1 of f32");
    SAYS(fa_size(a, 2) != -1, FA_ERROR_INDEX, "fa_size");
    SAYS(fa_stride(a, -3), FA_ERROR_INDEX, "fa_stride");
    SAYS(fa_size(fa_sum(a), 0) != -1, FA_ERROR_INDEX, "fa_size: a 0-dim tensor has no dimension 0");
    SAYS(fa_get(a, "0, 0, 0"), FA_ERROR_INDEX,
         "fa_get((3, 4) f32 cpu, \"0, 0, 0\"): more entries than the tensor has dimensions: 3 for 2");
}

static void what_is_composed_is_named_by_the_outer_call(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_zeros(FA_SHAPE(3, 4)), *late = fa_to(a, DEVICE(0));
    SAYS(fa_mse_loss(a, late), FA_ERROR_DEVICE, "mse_loss");
    SAYS(fa_cross_entropy(a, fa_tensor_of(0, 9, 1)), FA_ERROR_INDEX, "9", "cross_entropy");
    SAYS(fa_cross_entropy(a, fa_to(fa_tensor_of(0, 1, 1), DEVICE(0))), FA_ERROR_DEVICE, "cross_entropy");
    SAYS(fa_mse_loss(a, a, .out = fa_zeros(FA_SHAPE(2))), FA_ERROR_SHAPE, "mse_loss");
    /* and what composed calls made is said to be made by them */
    SAYS(fa_add(fa_mse_loss(a, a, .reduction = FA_NONE), fa_to(fa_zeros(FA_SHAPE(3, 4)), DEVICE(1))), FA_ERROR_DEVICE,
         "made by mse_loss");
}

/* Also of what functions made that are no operations, and in what backward says. */
static void what_the_program_called_is_named(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_rand(FA_SHAPE(3, 4), .requires_grad = true), *m = fa_mul(a, 1), *square = fa_mul(m, m);
    const struct {
        const char *name;
        const fa_tensor *made;
    } rows[] = {{"to", fa_to(a, DEVICE(0))},
                {"get", fa_get(a, "1:")},
                {"get", fa_get(a, ":")},
                {"index", fa_index(a, fa_tensor_of(1, 0))},
                {"mse_loss", fa_mse_loss(a, fa_zeros(FA_SHAPE(3, 4)))}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const fa_tensor *t = rows[i].made;
        assert_true(t && t->node);
        assert_string_equal(t->made_by->name, rows[i].name);
        assert_ptr_equal(((const fa__node *)t->node)->made_at, t->made_at);
        assert_non_null(strstr((const char *)t->made_at, "errors.c:"));
    }
    assert_ptr_equal(fa_set(m, "0", 5), m);
    assert_false(fa_backward(fa_sum(square)));
    assert_error(FA_ERROR_GRADIENT, "was changed in place by set after");
    m = fa_mul(a, 1);
    square = fa_mul(m, m);
    assert_ptr_equal(fa_index_put_(m, FA_INDEX(fa_tensor_of(0)), 5), m);
    assert_false(fa_backward(fa_sum(square)));
    assert_error(FA_ERROR_GRADIENT, "was changed in place by index_put_ after");
}

static void a_view_by_text_is_made_where_the_program_asks_for_it(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_zeros(FA_SHAPE(3, 4));
    char said[2][1024];
    fa_item(fa_get(a, "0"));
    snprintf(said[0], sizeof said[0], "%s", fa_error_message());
    fa_error_clear();
    fa_item(fa_get(a, "0"));
    snprintf(said[1], sizeof said[1], "%s", fa_error_message());
    fa_error_clear();
    assert_non_null(strstr(said[0], "made by get "));
    assert_string_not_equal(said[0], said[1]);
    fa_item(fa_get(a, "0"));
    assert_error(FA_ERROR_SHAPE, "made by get at ", "errors.c:");
}

static void what_is_no_tensor_is_said_to_be_none(void **state)
{
    (void)state;
    FA_SCOPE;
    static const fa_object_type type = {"counter", NULL};
    fa_object *counter = fa_object_new(&type, sizeof *counter);
    SAYS(fa_sum((const fa_tensor *)(const void *)counter), FA_ERROR_ARGUMENT, "(x=no tensor)",
         ": x is a module or other object, not a tensor: a freed one whose memory was used again?");
}

static void a_place_may_be_named(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_zeros(FA_SHAPE(3, 4));
    fa_tensor *b = fa_to(fa_zeros(FA_SHAPE(3, 4)), DEVICE(0));
    char first[sizeof __FILE__ + 64], second[sizeof __FILE__ + 64];
    snprintf(first, sizeof first, "made by zeros at %s:%d", __FILE__, __LINE__ - 3);
    snprintf(second, sizeof second, "made by to at %s:%d", __FILE__, __LINE__ - 3);
    SAYS(fa_add(a, b), FA_ERROR_DEVICE, first, second);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    const int64_t huge = INT64_C(1) << 40;
    fa_tensor *one = fa_ones(FA_SCALAR);
    float value = 1;
    static const int64_t far[] = {INT64_MAX, INT64_MIN, INT64_MAX / 4 + 1, -(INT64_MAX / 4) - 2};
    SAYS(fa_zeros(FA_SHAPE(huge, huge)), FA_ERROR_SHAPE, "1099511627776");
    SAYS(fa_zeros(FA_SHAPE(INT64_MAX)), FA_ERROR_SHAPE, "9223372036854775807");
    SAYS(fa_zeros(FA_SHAPE(INT64_MAX, INT64_MAX, 0)), FA_ERROR_SHAPE, "9223372036854775807");
    SAYS(fa_zeros(FA_SHAPE(0, huge, huge)), FA_ERROR_SHAPE, "");
    SAYS(fa_zeros(FA_SHAPE(-1)), FA_ERROR_SHAPE, "(-1,)");
    SAYS(fa_zeros(FA_SHAPE(3, -2)), FA_ERROR_SHAPE, "(3, -2)");
    SAYS(fa_zeros(FA_SHAPE(huge, huge), .device = FA_META), FA_ERROR_SHAPE, "");
    SAYS(fa_zeros(FA_SHAPE(INT64_MAX / 2, 2), .device = FA_META), FA_ERROR_SHAPE, "");
    const fa_shape nine = {.rank = 9, .dim = {1, 1, 1, 1, 1, 1, 1, 1}}, negative = {.rank = -1};
    SAYS(fa_zeros(nine), FA_ERROR_SHAPE, "9 dimensions", "8");
    SAYS(fa_zeros(negative), FA_ERROR_SHAPE, "");
    SAYS(fa_tensor_from(&value, nine), FA_ERROR_SHAPE, "9 dimensions");
    SAYS(fa_tensor_borrow(&value, negative), FA_ERROR_SHAPE, "");
    SAYS(fa_reshape(one, nine), FA_ERROR_SHAPE, "9 dimensions");
    SAYS(fa_expand(one, nine), FA_ERROR_SHAPE, "at most 8");
    SAYS(fa_permute(one, nine), FA_ERROR_SHAPE, "fa_permute(");
    SAYS(fa_unsqueeze(fa_ones(FA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1)), 0), FA_ERROR_SHAPE, "fa_unsqueeze(");
    SAYS(fa_tensor_from(&value, FA_SHAPE(huge, huge)), FA_ERROR_SHAPE, "");
    SAYS(fa_tensor_from(&value, FA_SHAPE(-1)), FA_ERROR_SHAPE, "");
    SAYS(fa_tensor_from(&value, FA_SHAPE(huge / 2, huge / 2)), FA_ERROR_SHAPE, "");
    SAYS(fa_tensor_borrow(&value, FA_SHAPE(INT64_MAX / 2, 2)), FA_ERROR_SHAPE, "");
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        SAYS(fa_tensor_borrow(&value, FA_SHAPE(3), .strides = &far[i]), FA_ERROR_SHAPE, "fa_tensor_borrow");
    }
    SAYS(fa_expand(one, FA_SHAPE(huge, huge)), FA_ERROR_SHAPE, "fa_expand(");
    SAYS(fa_expand(one, FA_SHAPE(INT64_MAX, 3)), FA_ERROR_SHAPE, "fa_expand(");
    SAYS(fa_reshape(one, FA_SHAPE(INT64_MAX, INT64_MAX)), FA_ERROR_SHAPE, "fa_reshape(");
    SAYS(fa_reshape(one, FA_SHAPE(-2)), FA_ERROR_SHAPE, "fa_reshape(");
    SAYS(fa_arange(0, 1e300), FA_ERROR_ARGUMENT, "fa_arange(");
    SAYS(fa_arange(0, INFINITY), FA_ERROR_ARGUMENT, "fa_arange(");
    SAYS(fa_arange(NAN, 1), FA_ERROR_ARGUMENT, "fa_arange(");
    SAYS(fa_arange(0, 1, .step = INFINITY), FA_ERROR_ARGUMENT, "fa_arange(", "step has to be finite, and not 0");
    SAYS(fa_arange(0, 5, .step = 1e-320), FA_ERROR_ARGUMENT, "step=9.99989e-321",
         "elements are more than can be addressed");
    SAYS(fa_arange(0, 0.1 + 0.2, .step = -0.1), FA_ERROR_ARGUMENT, "end=0.30000000000000004");
    SAYS(fa_randperm(-1), FA_ERROR_ARGUMENT, "fa_randperm(");
    SAYS(fa_randperm(INT64_MAX), FA_ERROR_SHAPE, "fa_randperm(");
    SAYS(fa_narrow(fa_zeros(FA_SHAPE(3)), 0, 1, INT64_MAX), FA_ERROR_INDEX, "fa_narrow(");
    SAYS(fa_narrow(fa_zeros(FA_SHAPE(3)), 0, INT64_MIN, 1), FA_ERROR_INDEX, "fa_narrow(");
    SAYS(fa_narrow(fa_zeros(FA_SHAPE(3)), 0, 0, -1), FA_ERROR_INDEX, "fa_narrow(");
    SAYS(fa_select(fa_zeros(FA_SHAPE(3)), 0, INT64_MIN), FA_ERROR_INDEX, "fa_select(");
    SAYS(fa_transpose(fa_zeros(FA_SHAPE(3)), INT64_MIN, INT64_MAX), FA_ERROR_INDEX, "fa_transpose(");
    SAYS(fa_sum(one, .dim = INT64_MAX), FA_ERROR_INDEX, "fa_sum(");
    SAYS(fa_sum(fa_zeros(FA_SHAPE(2)), .dim = INT64_MIN + 1), FA_ERROR_INDEX, "fa_sum(");
    SAYS(fa__strided_part(fa_zeros(FA_SHAPE(3)), FA_SHAPE(1), FA_SHAPE(4), FA_SHAPE(1), 0), FA_ERROR_SHAPE,
         "fa_strided_part(");
    SAYS(fa__strided_part(fa_zeros(FA_SHAPE(3)), FA_SHAPE(1), FA_SHAPE(2), FA_SHAPE(-1), 0), FA_ERROR_SHAPE,
         "fa_strided_part(");
    SAYS(fa__strided_part(fa_zeros(FA_SHAPE(3)), FA_SHAPE(1), FA_SHAPE(3), FA_SHAPE(INT64_MAX), 0), FA_ERROR_SHAPE, "");
    SAYS(fa__strided_part(fa_zeros(FA_SHAPE(3)), FA_SHAPE(1), FA_SHAPE(3), FA_SHAPE(1, 1), 0), FA_ERROR_SHAPE, "");
    SAYS(fa__strided_part(fa_zeros(FA_SHAPE(3)), FA_SHAPE(1), FA_SHAPE(1), FA_SHAPE(1), 3), FA_ERROR_SHAPE, "");
    SAYS(fa__write_strided(fa_zeros(FA_SHAPE(3)), one, FA_SHAPE(1), FA_SHAPE(1), FA_SHAPE(1), 3, false), FA_ERROR_SHAPE,
         "");
    SAYS(fa__relaid(fa_zeros(FA_SHAPE(3)), FA_SHAPE(INT64_MAX)), FA_ERROR_SHAPE, "fa_relaid(");
    fa_tensor *wide = fa_expand(one, FA_SHAPE(huge)); /* a view needs no memory */
    assert_non_null(wide);
    fa_error_clear();
    assert_null(fa_add(wide, fa_unsqueeze(wide, 1)));
    assert_error(FA_ERROR_SHAPE, "fa_add(");
    assert_null(fa_cat(FA_TENSORS(fa_expand(one, FA_SHAPE(INT64_MAX / 2)), fa_expand(one, FA_SHAPE(INT64_MAX / 2)),
                                  fa_expand(one, FA_SHAPE(INT64_MAX / 2)))));
    assert_true(fa_failed());
    fa_error_clear();
    assert_null(fa_matmul(fa_expand(one, FA_SHAPE(huge, 1)), fa_expand(one, FA_SHAPE(1, huge))));
    assert_true(fa_failed());
    fa_error_clear();
    fa_tensor *step = fa_slice(fa_zeros(FA_SHAPE(3)), 0, .step = INT64_MAX);
    assert_true(step && fa_numel(step) == 1);
    step = fa_slice(fa_zeros(FA_SHAPE(3)), 0, .step = -INT64_MAX);
    assert_true(step && fa_numel(step) == 1);
    step = fa_slice(fa_zeros(FA_SHAPE(3)), 0, .step = INT64_MIN);
    assert_true(!step || fa_numel(step) == 1);
    fa_error_clear();
}

static void out_of_memory_is_an_error(void **state)
{
    (void)state;
#if defined API_ASAN || defined API_TSAN
    skip();
#endif
    FA_SCOPE;
    SAYS(fa_zeros(FA_SHAPE(INT64_C(1) << 50)), FA_ERROR_MEMORY,
         "fa_zeros(shape=(1125899906842624,)): out of memory on cpu", "4503599627370496");
    SAYS(fa_zeros(FA_SHAPE(INT64_C(1) << 59)), FA_ERROR_MEMORY, "cpu");
    assert_non_null(fa_zeros(FA_SHAPE(100000)));
    assert_no_error();
}

static void long_messages_are_cut(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_zeros(FA_SHAPE(100000000, 1, 1, 1, 1, 0, 1000000, 1)), *list[64];
    for (int i = 0; i < 64; i++)
        list[i] = i ? a : fa_zeros(FA_SHAPE(3));
    assert_null(fa_cat(((fa_tensors){64, list})));
    assert_true(strlen(fa_error_message()) < sizeof((fa_error *)NULL)->message);
    assert_error(FA_ERROR_SHAPE, "fa_cat(");
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_null(fa_pointwise(text, a));
    assert_true(strlen(fa_error_message()) < sizeof((fa_error *)NULL)->message);
    fa_error_clear();
    fa_fail(FA_ERROR_USER, "%s", text);
    assert_true(strlen(fa_error_message()) < sizeof((fa_error *)NULL)->message);
    fa_error_clear();
    assert_null(fa_get(a, text));
    assert_error(FA_ERROR_INDEX, "fa_get(", "x...\"): at 0: ");
    fa_fail((fa_code)99, "%%s is %d", 3);
    assert_error(FA_ERROR_USER, "%s is 3");
}

/* A forward pass that goes on with the first item of a failed call gets NULL, and the program its message. */
static void lists_of_failed_calls_have_items(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(2));
    const fa_op *add = fa_op_find("add");
    const fa_tensors lists[] = {fa_chunk(NULL, 3),
                                fa_split(x, -1),
                                fa_unbind(fa_ones(FA_SCALAR)),
                                fa_meshgrid(FA_TENSORS(x, NULL)),
                                fa_broadcast_tensors(FA_TENSORS(x, NULL)),
                                fa_nonzero_tuple(NULL),
                                fa_grad_of(FA_TENSORS(x), FA_TENSORS(x)),
                                fa_op_call_all(add, 0, NULL)};
    const fa_parameters named[] = {fa_module_parameters(NULL), fa_module_buffers(NULL), fa_module_state(NULL),
                                   fa_load_file("/nowhere/at/all.safetensors").tensors};
    assert_true(fa_failed());
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        assert_int_equal(lists[i].count, 0);
        assert_null(lists[i].item[0]);
        assert_null(lists[i].item[1023]);
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        assert_int_equal(named[i].count, 0);
        assert_null(named[i].item[1023]);
        assert_null(named[i].name[63]);
    }
    const fa_state_dict states[] = {fa_optim_state_dict(NULL), fa_schedule_state_dict(NULL),
                                    fa_scaler_state_dict(NULL)};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        assert_null(states[i].tensors.item[0]);
        assert_null(states[i].numbers.name[0]);
        assert_true(states[i].numbers.item[0] == 0);
    }
    assert_null(fa_module_children(NULL).item[0]);
    assert_null(fa_add(fa_chunk(NULL, 3).item[1], x));
    assert_error(FA_ERROR_ARGUMENT, "errors.c:", "fa_chunk", "x is NULL");
}

/* ---- what nobody looked at: programs of their own ---- */

static void to_file(void *context, fa_log_level level, const char *message)
{
    dprintf(*(int *)context, "%d %s\n", (int)level, message);
}

static int leave_unseen(bool look, bool clear, bool thread)
{
    static int file = STDOUT_FILENO;
    (void)thread;
    fa_set_log(to_file, &file);
    fa_add(fa_zeros(FA_SHAPE(2)), fa_zeros(FA_SHAPE(3)));
    fa_fail(FA_ERROR_USER, "a later one");
    if (look)
        fa_failed();
    if (clear)
        fa_error_clear();
    return 0;
}

static void what_a_child_says(const char *argument, const char *mode, char *text, size_t size, bool trapped)
{
    char self[4096] = "";
    int ends[2], status = -1;
    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        dup2(ends[1], mode ? STDERR_FILENO : STDOUT_FILENO);
        close(ends[0]);
        if (mode)
            setenv("FACULA_ERROR", mode, 1);
        execl(self, self, argument, NULL);
        _exit(1);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(trapped ? WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP : status == 0);
}

static void errors_are_shown_as_they_happen(void **state)
{
    (void)state;
    char text[4000];
    what_a_child_says("seen", "now", text, sizeof text, false);
    assert_memory_equal(text, "facula: ", 8);
    assert_non_null(strstr(text, "errors.c:"));
    assert_non_null(strstr(text, ": shape error: fa_add(x=(2,) f32 cpu"));
    assert_null(strstr(text, "later one"));
    what_a_child_says("seen", "trap", text, sizeof text, true);
    assert_non_null(strstr(text, ": shape error: fa_add(x=(2,) f32 cpu"));
    what_a_child_says("seen", "something", text, sizeof text, false);
    assert_string_equal(text, "");
}

/* A call through a pointer has no line: its address is named. */
static void calls_through_pointers_have_addresses(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_zeros(FA_SHAPE(2, 3));
    fa_tensor *(*volatile product)(const fa_tensor *, const fa_tensor *, const fa_matmul_options *) = fa_matmul;
    assert_null(product(a, a, NULL));
    assert_null(strstr(fa_error_message(), "errors.c"));
    assert_error(FA_ERROR_SHAPE, "dispatch_errors+0x", ": fa_matmul(");
}

static void the_line_is_that_of_the_call(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_error inner = {0};
    fa_tensor *x = fa_zeros(FA_SHAPE(2));
    {
        FA_USE(.catch_errors = &inner);
        fa_add(x, /* the line is that of the call that fails, not that of an operand */
               fa_zeros(FA_SHAPE(3)));
    }
    char expected[64];
    snprintf(expected, sizeof expected, "errors.c:%d: fa_add(", __LINE__ - 3);
    char other[64];
    snprintf(other, sizeof other, "errors.c:%d: fa_add(", __LINE__ - 6);
    assert_true(strstr(inner.message, expected) || strstr(inner.message, other)); /* compilers differ */
    assert_false(fa_failed());
}

static void an_unseen_error_is_told_once_at_the_end(void **state)
{
    (void)state;
    char text[4000];
    what_a_child_says("unseen", NULL, text, sizeof text, false);
    char *found = strstr(text, "fa_add(x=(2,) f32 cpu, y=(3,) f32 cpu)");
    assert_non_null(found);
    assert_non_null(strstr(text, "(an error that the program never looked at)"));
    assert_null(strstr(found + 5, "fa_add"));
    assert_null(strstr(text, "later one"));
    what_a_child_says("seen", NULL, text, sizeof text, false);
    assert_string_equal(text, "");
    what_a_child_says("cleared", NULL, text, sizeof text, false);
    assert_string_equal(text, "");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_error_is_kept),
        TEST(null_in_gives_null_out),
        TEST(lists_that_are_null_are_refused),
        TEST(null_keeps_the_error_that_stands),
        TEST(what_is_pure_runs_while_an_error_stands),
        TEST(messages_name_operation_and_operands),
        TEST(what_is_composed_is_named_by_the_outer_call),
        TEST(what_the_program_called_is_named),
        TEST(a_view_by_text_is_made_where_the_program_asks_for_it),
        TEST(what_is_no_tensor_is_said_to_be_none),
        TEST(a_place_may_be_named),
        TEST(sizes_that_overflow_are_refused),
        TEST(out_of_memory_is_an_error),
        TEST(long_messages_are_cut),
        TEST(lists_of_failed_calls_have_items),
        TEST(an_unseen_error_is_told_once_at_the_end),
        TEST(errors_are_shown_as_they_happen),
        TEST(calls_through_pointers_have_addresses),
        TEST(the_line_is_that_of_the_call),
    };
    if (count > 1)
        return leave_unseen(strcmp(arguments[1], "seen") == 0, strcmp(arguments[1], "cleared") == 0, false);
    return RUN("api_errors");
}
