/* Messages as a program reads them, in full: mistakes of every kind, what kernels find wrong on the host and on a
 * device that runs late, what `.forbid` refuses, and under which names the ledger counts. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/nn.h>
#include <facula/optim.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static int wrong;

/* '*' stands for any text. */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            again = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++again;
        } else
            return false;
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static void check_message(int line, fa_code code, const char *pattern)
{
    const char *message = error_reason();
    pattern = test_named(pattern);
    if (fa_error_code() != code || !matches(pattern, message) || strchr(message, '\n')) {
        print_error("line %d: %s: %s\n     instead of %s: %s\n", line, fa_code_name(fa_error_code()), message,
                    fa_code_name(code), pattern);
        wrong++;
    }
    fa_error_clear();
}

/* The call fails with this code and message, which is one line. */
#define SAYS(call, code, pattern)                                                                                      \
    do {                                                                                                               \
        (void)(call);                                                                                                  \
        check_message(__LINE__, code, pattern);                                                                        \
    } while (0)

static int begin(void **state)
{
    wrong = 0;
    fa_transfers_reset();
    return api_begin(state);
}

static int end(void **state)
{
    (void)state;
    return wrong;
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

static fa_tensor *late(fa_tensor *t)
{
    return fa_to(t, DEVICE(0));
}

/* ---- what kernels find ---- */

static void indices_out_of_range(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_ones(FA_SHAPE(3, 4)), *one = fa_tensor_of(0, 9, 1), *two = fa_reshape(one, FA_SHAPE(3, 1));
    SAYS(fa_gather(x, 1, two), FA_ERROR_INDEX,
         "fa_gather(x=(3, 4) f32 cpu, dim=1, index=(3, 1) i64 cpu): index 9 is out of range for dimension 1 of size 4 "
         "(element 1 of the indices)");
    SAYS(
        fa_gather(x, -2, fa_neg(two)), FA_ERROR_INDEX,
        "fa_gather(x=(3, 4) f32 cpu, dim=-2, index=(3, 1) i64 cpu): index -9 is out of range for dimension 0 of size 3 "
        "(element 1 of the indices)");
    SAYS(
        fa_index_select(x, 0, one), FA_ERROR_INDEX,
        "fa_index_select(x=(3, 4) f32 cpu, dim=0, index=(3,) i64 cpu): index 9 is out of range for dimension 0 of size "
        "3 (element 1 of the indices)");
    SAYS(fa_scatter_add(x, 1, two, fa_ones(FA_SHAPE(3, 1))), FA_ERROR_INDEX,
         "fa_scatter_add(x=(3, 4) f32 cpu, dim=1, index=(3, 1) i64 cpu, src=(3, 1) f32 cpu): index 9 is out of range "
         "for "
         "dimension 1 of size 4 (element 1 of the indices)");
    SAYS(fa_scatter_add_(x, 1, two, fa_ones(FA_SHAPE(3, 1))), FA_ERROR_INDEX,
         "fa_scatter_add_(x=(3, 4) f32 cpu, dim=1, index=(3, 1) i64 cpu, src=(3, 1) f32 cpu): index 9 is out of range "
         "for dimension 1 of size 4 (element 1 of the indices)");
    SAYS(fa_cross_entropy(x, one), FA_ERROR_INDEX,
         "fa_cross_entropy(input=(3, 4) f32 cpu, target=(3,) i64 cpu): class 9 is out of range: there are 4 classes, "
         "counted from 0 (element 1)");
    SAYS(fa_one_hot(one, .num_classes = 4), FA_ERROR_INDEX, "fa_one_hot(*): class 9 is out of range: there are 4 *");
}

/* The element is that of the index as it was given, which the operation expands. */
static void elements_of_lists(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        fa_device device = k ? DEVICE(0) : FA_CPU;
        fa_tensor *x = fa_ones(FA_SHAPE(3, 4), .device = device), *two = fa_to(fa_tensor_of(0, 7), device);
        const char *says = "*index 7 is out of range for dimension 0 of size 3 (element 1 of the indices)";
        SAYS((fa_index_add(x, 0, two, fa_ones(FA_SHAPE(2, 4), .device = device)), fa_synchronize(device)),
             FA_ERROR_INDEX, says);
        SAYS((fa_index_copy(x, 0, two, fa_ones(FA_SHAPE(2, 4), .device = device)), fa_synchronize(device)),
             FA_ERROR_INDEX, says);
        SAYS((fa_index_fill(x, 0, two, 2.5), fa_synchronize(device)), FA_ERROR_INDEX, says);
        SAYS((fa_take_along_dim(x, fa_reshape(two, FA_SHAPE(2, 1)), .dim = 0), fa_synchronize(device)), FA_ERROR_INDEX,
             says);
        SAYS((fa_index_select(x, 0, two), fa_synchronize(device)), FA_ERROR_INDEX, says);
        fa_tensor *four =
            fa_to(fa_tensor_from(((int64_t[]){0, 1, 2, 0, 1, 9, 0, 1}), FA_SHAPE(2, 4), .dtype = FA_I64), device);
        SAYS((fa_gather(x, 0, four), fa_synchronize(device)), FA_ERROR_INDEX, "*index 9 *(element 5 of the indices)");
    }
}

static void samples_that_are_not_flattened(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *images = fa_zeros(FA_SHAPE(2, 1, 4, 4));
    SAYS(
        fa_linear(images, fa_zeros(FA_SHAPE(3, 16))), FA_ERROR_SHAPE,
        "fa_linear(*): x has 4 features, its last size, and weight takes 16, its second size, as many as a sample of x "
        "has in all: put fa_nn_flatten() before it");
    SAYS(fa_linear(images, fa_zeros(FA_SHAPE(3, 15))), FA_ERROR_SHAPE, "*weight takes 15, its second size");
}

static void channels_that_are_last(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *weight = fa_zeros(FA_SHAPE(4, 3, 2, 2));
    SAYS(fa_conv2d(fa_zeros(FA_SHAPE(1, 8, 8, 3)), weight), FA_ERROR_SHAPE,
         "fa_conv2d(*): x has 8 channels, and weight takes 3, its second size, as many as x's last: fa_permute(x, "
         "FA_DIMS(0, 3, 1, 2)) has channels before rows and columns");
    SAYS(fa_conv2d(fa_zeros(FA_SHAPE(1, 8, 8, 4)), weight), FA_ERROR_SHAPE, "*weight takes 3, its second size");
    SAYS(fa_conv2d(fa_zeros(FA_SHAPE(8, 8, 3)), weight), FA_ERROR_SHAPE, "*weight takes 3, its second size");
}

static void what_cannot_be(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *b = fa_tensor_parse("[true, false]"), *x = fa_tensor_of(1.0, INFINITY);
    SAYS(fa_eye(-3), FA_ERROR_ARGUMENT, "fa_eye(n=-3*): there cannot be -3 rows");
    SAYS(fa_eye(3, .m = -2), FA_ERROR_ARGUMENT, "fa_eye(n=3, m=-2*): there cannot be -2 columns");
    SAYS(fa_histogram(x), FA_ERROR_ARGUMENT, "fa_histogram(x=(2,) f32 cpu): x goes from 1 to inf: *has to be finite");
    SAYS(fa_histogram(fa_tensor_of(NAN, 1)), FA_ERROR_ARGUMENT, "fa_histogram(*: x goes from nan to nan: *");
    assert_non_null(fa_histogram(x, .max = 2).hist);
    SAYS(fa_trunc_divide(b, b), FA_ERROR_DTYPE, "fa_trunc_divide(*: bools are not divided: fa_to converts them");
    SAYS(fa_bitwise_and(x, x), FA_ERROR_DTYPE,
         "fa_bitwise_and(*: this is of integers and bool, and the operands are f32");
    SAYS(fa_sum(x, .dtype = (fa_dtype)99), FA_ERROR_DTYPE, "fa_sum(*: dtype is 99, which is no dtype");
    SAYS(fa_split(fa_expand(x, FA_SHAPE(INT64_C(1) << 32, 2)), 1).count, FA_ERROR_ARGUMENT,
         "fa_split(*: 4294967296 results are more than 16777216");
    SAYS(fa_tensor_split(x, 1000000007).count, FA_ERROR_ARGUMENT,
         "fa_tensor_split(*: 1000000007 results are more than 16777216");
    SAYS(fa_multigammaln(x, INT64_MAX), FA_ERROR_ARGUMENT, "fa_multigammaln(*: p has to be 1 to 100000");
    SAYS(fa_multigammaln(x, 0), FA_ERROR_ARGUMENT, "fa_multigammaln(*: p has to be 1 to 100000");
    for (int n = 5; n < 8; n += 2)
        SAYS(fa_reshape(fa_zeros(FA_SHAPE(2, 3)), FA_SHAPE(n)), FA_ERROR_SHAPE,
             "fa_reshape(*: the shape has * elements and not 6");
    SAYS(fa_zeros(FA_SHAPE(0, -2)), FA_ERROR_SHAPE, "fa_zeros(*size -2 of dimension 1 is negative*");
    SAYS(fa_add(fa_zeros(FA_SHAPE(1, 1, 1, 1, 1, 1, 1, 2)), fa_zeros(FA_SHAPE(3))), FA_ERROR_SHAPE,
         "fa_add(x=(1, 1, 1, 1, 1, 1, 1, 2) f32*");
    SAYS(fa_conv2d(fa_zeros(FA_SHAPE(1, 2, 4, 4)), fa_zeros(FA_SHAPE(1, 3, 3, 3)), .padding = FA_PADDING_SAME),
         FA_ERROR_SHAPE, "fa_conv2d(*, padding=same*): *");
    SAYS(fa_conv2d(fa_zeros(FA_SHAPE(1, 2, 4, 4)), fa_zeros(FA_SHAPE(1, 3, 3, 3)), .padding = FA_PAIR(1, 2)),
         FA_ERROR_SHAPE, "fa_conv2d(*, padding=(1, 2)*): *");
    SAYS(fa_masked_scatter_(fa_zeros(FA_SHAPE(0, 1)), fa_zeros(FA_SHAPE(0), .dtype = FA_BOOL), fa_zeros(FA_SHAPE(0))),
         FA_ERROR_SHAPE, "fa_masked_scatter_(*: mask makes the result larger than x*");
}

/* The same, told when somebody waits. */
static void indices_out_of_range_late(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = late(fa_ones(FA_SHAPE(3, 4))), *one = late(fa_tensor_of(0, 9, 1)),
              *two = fa_reshape(one, FA_SHAPE(3, 1)), *y = late(fa_ones(FA_SHAPE(3, 1)));
    SAYS(fa_item(fa_sum(fa_gather(x, 1, two))), FA_ERROR_INDEX,
         "fa_gather(x=(3, 4) f32 late:0, dim=1, index=(3, 1) i64 late:0): index 9 is out of range for dimension 1 of "
         "size 4 (element 1 of the indices)");
    fa_index_select(x, 0, one);
    SAYS(fa_synchronize(DEVICE(0)), FA_ERROR_INDEX,
         "fa_index_select(x=(3, 4) f32 late:0, dim=0, index=(3,) i64 late:0): index 9 is out of range for dimension 0 "
         "of "
         "size 3 (element 1 of the indices)");
    fa_scatter_add_(x, 1, two, y);
    SAYS(fa_synchronize(DEVICE(0)), FA_ERROR_INDEX,
         "fa_scatter_add_(x=(3, 4) f32 late:0, dim=1, index=(3, 1) i64 late:0, src=(3, 1) f32 late:0): index 9 is out "
         "of "
         "range for dimension 1 of size 4 (element 1 of the indices)");
    fa_tensor *half = late(fa_ones(FA_SHAPE(3, 4), .dtype = FA_BF16));
    fa_scatter_add_(half, 1, two, fa_to(y, FA_BF16)); /* the sum itself is made in f32 */
    SAYS(fa_synchronize(DEVICE(0)), FA_ERROR_INDEX,
         "fa_scatter_add_(x=(3, 4) bf16 late:0, *src=(3, 1) bf16 late:0): *");
    SAYS(fa_item(fa_cross_entropy(x, one)), FA_ERROR_INDEX,
         "fa_cross_entropy, at x=(3, 4) f32 late:0, dim=1, index=(3, 1) i64 late:0: class 9 is out of range: "
         "there are 4 classes, counted from 0 (element 1)");
    /* one fault is told once, and what comes after it is as good as ever */
    assert_true(fa_item(fa_sum(y)) == 3);
    assert_no_error();
}

/* Elements that a failed kernel did not make are not handed out. */
static void what_failed_is_not_read(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = late(fa_ones(FA_SHAPE(4))), *bad = late(fa_tensor_of(9)), *good = late(fa_tensor_of(3));
    const char *fault = "fa_index_select(x=(4,) f32 late:0, dim=0, index=(1,) i64 late:0): index 9 is out of range for "
                        "dimension 0 of size 4 (element 0 of the indices)";
    float value = 7;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_false(fa_fprint(file, fa_index_select(x, 0, bad)));
    check_message(__LINE__, FA_ERROR_INDEX, fault);
    fflush(file);
    assert_int_equal(size, 0);
    assert_true(fa_fprint(file, fa_index_select(x, 0, good)));
    fclose(file);
    assert_string_equal(text, test_named("tensor([1.], device=late:0)\n"));
    free(text);
    assert_null(fa_text(fa_index_select(x, 0, bad)));
    check_message(__LINE__, FA_ERROR_INDEX, fault);
    assert_false(fa_read(fa_index_select(x, 0, bad), &value, FA_F32, 1));
    check_message(__LINE__, FA_ERROR_INDEX, fault);
    assert_true(value == 7);
    assert_true(isnan(fa_item(fa_index_select(x, 0, bad))));
    check_message(__LINE__, FA_ERROR_INDEX, fault);
    assert_int_equal(fa_item_int(fa_index_select(x, 0, bad)), 0);
    check_message(__LINE__, FA_ERROR_INDEX, fault);
    assert_false(fa_equal(fa_index_select(x, 0, bad), fa_index_select(x, 0, bad)));
    check_message(__LINE__, FA_ERROR_INDEX, fault);
    fa_tensor *here = fa_cpu(fa_index_select(x, 0, bad));
    assert_null(fa_ptr_f32(here));
    check_message(__LINE__, FA_ERROR_INDEX, fault);
    assert_true(fa_read(fa_index_select(x, 0, good), &value, FA_F32, 1) && value == 1);
    assert_no_error();
}

/* fa_print goes to standard output: nothing but the good tensor comes out there. */
static void printing_what_failed_prints_nothing(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = late(fa_ones(FA_SHAPE(4))), *bad = late(fa_tensor_of(9));
    char text[200] = "";
    FILE *file = tmpfile();
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    fa_print(fa_index_select(x, 0, bad));
    bool failed = fa_error_code() == FA_ERROR_INDEX;
    fa_error_clear();
    fa_print(fa_ones(FA_SHAPE(1)));
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    assert_true(failed);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), strlen("tensor([1.])\n"));
    assert_string_equal(text, "tensor([1.])\n");
    fclose(file);
}

/* ---- calls ---- */

static void operations(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4)), *b = fa_ones(FA_SHAPE(5)), *i = fa_tensor_of(0, 1, 9), *there = late(a);
    const int64_t huge = INT64_C(1) << 40;
    SAYS(fa_mse_loss(a, there), FA_ERROR_DEVICE,
         "fa_mse_loss(input=(3, 4) f32 cpu, made by ones *, target=(3, 4) f32 late:0, made by to *): operands are on "
         "different devices, input on cpu and target on late:0: fa_to moves one, FA_USE(.placement = FA_PLACE_AUTO) "
         "copies");
    SAYS(fa_cat(FA_TENSORS(a, late(a))), FA_ERROR_DEVICE,
         "fa_cat(x=[(3, 4) f32 cpu, made by ones *, (3, 4) f32 late:0, made by to *]): operands are on different *");
    SAYS(fa_mse_loss(late(a), fa_zeros(FA_SHAPE(7))), FA_ERROR_DEVICE,
         "fa_mse_loss(input=(3, 4) f32 late:0, made by to *, target=(7,) f32 cpu, made by zeros *): operands are on "
         "different *");
    SAYS(fa_cross_entropy(late(a), fa_zeros(FA_SHAPE(3), .dtype = FA_I64)), FA_ERROR_DEVICE,
         "fa_cross_entropy(*=(3, 4) f32 late:0, made by to *, *=(3,) i64 cpu, made by zeros *): operands are on "
         "different "
         "*");
    SAYS(fa_mse_loss(i, i), FA_ERROR_DTYPE,
         "fa_mse_loss(input=(3,) i64 cpu, target=(3,) i64 cpu): the mean of integers is not defined: fa_to makes input "
         "floating");
    SAYS(fa_sum(a, .dim = 2), FA_ERROR_INDEX,
         "fa_sum(x=(3, 4) f32 cpu, dim=2): there is no dimension 2 in a 2-dim tensor");
    SAYS(fa_softmax(i, 0), FA_ERROR_DTYPE,
         "fa_softmax(x=(3,) i64 cpu, dim=0): x is i64, which is not floating: fa_to converts");
    SAYS(fa_zeros(FA_SHAPE(3, -2)), FA_ERROR_SHAPE, "fa_zeros(shape=(3, -2)): size -2 of dimension 1 is negative");
    SAYS(fa_zeros(FA_SHAPE(2, huge, huge)), FA_ERROR_SHAPE,
         "fa_zeros(shape=(2, 1099511627776, 1099511627776)): sizes (2, 1099511627776, 1099511627776) of f32 are more "
         "than can be addressed: the largest is 1099511627776, of dimension 1");
    SAYS(fa_zeros(((fa_shape){.rank = 9})), FA_ERROR_SHAPE,
         "fa_zeros(shape=(0, 0, 0, 0, 0, 0, 0, 0, ...)): 9 dimensions: a tensor has 0 to 8");
    SAYS(fa_zeros(((fa_shape){.rank = -1})), FA_ERROR_SHAPE, "fa_zeros(shape=()): -1 dimensions: a tensor has 0 to 8");
    SAYS(fa_zeros(FA_SHAPE(2), .device = FA_LATE(9)), FA_ERROR_DEVICE,
         "fa_zeros(shape=(2,), device=late:9): late:9: there is no device of that number; there are: *");
    SAYS(fa_copy_(b, a), FA_ERROR_SHAPE,
         "fa_copy_(x=(5,) f32 cpu, source=(3, 4) f32 cpu): the source has more dimensions than what it is copied into");
}

/* However much there is to be told of operands, the reason stands behind it; and of a list the items that it is
 * about. */
static void long_calls(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *here = late(fa_ones(FA_SHAPE(2))), *there = fa_to(here, DEVICE(1)), *item[30];
    for (int k = 0; k < 30; k++)
        item[k] = k == 15 ? there : here;
    SAYS(
        fa_cat(((fa_tensors){30, item})), FA_ERROR_DEVICE,
        "fa_cat(x=[(2,) f32 late:0, made by to *, ..., (2,) f32 late:1, made by to *, ...]): operands are on different "
        "devices, x[0] on late:0 and x[15] on late:1: fa_to moves one, FA_USE(.placement = FA_PLACE_AUTO) copies");
    char equation[2000];
    memset(equation, 'i', sizeof equation - 1);
    equation[sizeof equation - 1] = 0;
    SAYS(fa_einsum(equation, FA_TENSORS(here, there)), FA_ERROR_DEVICE,
         "fa_einsum(equation=\"iii*...: operands are on different devices, x[0] on late:0 and x[1] on late:1: fa_to "
         "moves one, FA_USE(.placement = FA_PLACE_AUTO) copies");
    /* eight with long shapes and origins */
    for (int k = 0; k < 8; k++)
        item[k] = fa_expand(k == 7 ? there : here, FA_SHAPE(100, 100, 100, 100, 100, 100, 100, 2));
    SAYS(fa_cat(((fa_tensors){8, item})), FA_ERROR_DEVICE,
         "fa_cat(x=[(100, *(100, * late:1, made by expand *]): operands are on different devices, x[0] on late:0 and "
         "x[7] on late:1: fa_to moves one, FA_USE(.placement = FA_PLACE_AUTO) copies");
}

static void expressions(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4)), *b = fa_ones(FA_SHAPE(5)), *i = fa_tensor_of(0, 1);
    SAYS(fa_pointwise("x +* y", a, 1), FA_ERROR_ARGUMENT,
         "fa_pointwise: in \"x +* y\" at 3, before \"* y\": expected an operand, found '*'");
    SAYS(fa_pointwise("x = 2; x + 1", a), FA_ERROR_ARGUMENT,
         "fa_pointwise: in \"x = 2; x + 1\" at 0: 'x' is an operand, which is only read: == "
         "compares, other names may be assigned");
    SAYS(fa_pointwise("x +", a), FA_ERROR_ARGUMENT,
         "fa_pointwise: in \"x +\" at 3: expected an operand, found the end");
    SAYS(fa_pointwise("x\n+ q", a, 1), FA_ERROR_ARGUMENT,
         "fa_pointwise: in \"x + q\" at 4, before \"q\": no operand 'q': there are x, y");
    SAYS(fa_pointwise("x + y", a, b), FA_ERROR_SHAPE,
         "fa_pointwise(x=(3, 4) f32 cpu, y=(5,) f32 cpu): shapes do not broadcast: sizes have to be equal, or 1, from "
         "the "
         "last one on");
    SAYS(fa_pointwise(NULL, a), FA_ERROR_ARGUMENT, "fa_pointwise: the expression is NULL");
    SAYS(fa_pointwise("x", a, a, a, a, a, a, a, a, a), FA_ERROR_ARGUMENT,
         "fa_pointwise: 9 operands: there have to be 1 to 8");
    const fa_binding pg[] = {{.name = "p", .tensors = FA_TENSORS(a)}, {.name = "g", .tensors = FA_TENSORS(b)}},
                     whole = {.name = "p", .tensors = FA_TENSORS(i)};
    SAYS(fa_update("p = p +", 1, pg), FA_ERROR_ARGUMENT,
         "fa_update: in \"p = p +\" at 7: expected an operand, found the end");
    SAYS(fa_update("p = p + h", 2, pg), FA_ERROR_ARGUMENT,
         "fa_update: in \"p = p + h\" at 8, before \"h\": no operand 'h': there are p, g");
    SAYS(fa_update("p = p + g", 2, pg), FA_ERROR_ARGUMENT,
         "fa_update: g[0]: its shape has to be that of the others at this place: (5,) f32 cpu, made by ones *; "
         "p[0] is (3, 4) f32 cpu, made by ones *");
    SAYS(fa_update("p = p + 1", 1, &whole), FA_ERROR_ARGUMENT,
         "fa_update: p[0]: it has to be floating: (2,) i64 cpu, made by tensor_of *");
    SAYS(fa_update("q = p", 1, pg), FA_ERROR_ARGUMENT, "fa_update: \"q = p\" assigns no name that is bound to tensors");
    const fa_binding number = FA_BIND("p", 2), nothing = FA_BIND("p", ((fa_tensors){0, &a}));
    SAYS(fa_update("p = p * 2", 1, &number), FA_ERROR_ARGUMENT, "*assigns no name that is bound to tensors");
    assert_true(fa_update("p = p * 2", 1, &nothing));
    SAYS(fa_update("p = p", 40, pg), FA_ERROR_ARGUMENT, "fa_update: 40 names are bound: at most 16 can be");
    SAYS(fa_update(NULL, 1, pg), FA_ERROR_ARGUMENT, "fa_update: the program is NULL");
    SAYS(fa_update("p = p", 1, NULL), FA_ERROR_ARGUMENT, "fa_update: the bindings are NULL");
}

static void indexing(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4)), *b = fa_ones(FA_SHAPE(5)), *none = NULL;
    SAYS(fa_get(a, "0, 9"), FA_ERROR_INDEX,
         "fa_get((3, 4) f32 cpu, \"0, 9\"): entry 2: index 9 is out of range for dimension 1 of size 4");
    SAYS(fa_get(a, "99999999999999999999999"), FA_ERROR_INDEX,
         "fa_get((3, 4) f32 cpu, \"99999999999999999999999\"): at 0: the number does not fit into 64 bits");
    SAYS(fa_get(a, "0, 1:-99999999999999999999999"), FA_ERROR_INDEX,
         "fa_get((3, 4) f32 cpu, \"0, 1:-99999999999999999999999\"): at 5: the number does not fit into 64 bits");
    SAYS(fa_get(a, "None,None,None,None,None,None,None"), FA_ERROR_SHAPE,
         "fa_get(x, \"None,None,None,None,None,None,None\"): entry 7: fa_unsqueeze(*");
    SAYS(fa_set(a, "7", 1), FA_ERROR_INDEX,
         "fa_set((3, 4) f32 cpu, \"7\"): entry 1: index 7 is out of range for dimension 0 of size 3");
    SAYS(fa_set(a, "0", b), FA_ERROR_SHAPE,
         "fa_set(x, \"0\"): fa_copy_(x=(4,) f32 cpu, source=(5,) f32 cpu): the source does not broadcast to what it is "
         "copied into");
    SAYS(fa_set(none, "0", 1), FA_ERROR_ARGUMENT, "fa_set: the tensor is NULL");
    SAYS(fa_set(a, NULL, 1), FA_ERROR_ARGUMENT, "fa_set: the index is NULL");
}

static void reading(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4)), *meta = fa_ones(FA_SCALAR, .device = FA_META), *none = NULL;
    float room[12];
    SAYS(!fa_read(a, room, (fa_dtype)99, 12), FA_ERROR_DTYPE, "fa_read: 99 is no dtype");
    SAYS(!fa_read(a, room, FA_SAME, 12), FA_ERROR_DTYPE, "fa_read: 0 is no dtype");
    SAYS(!fa_read(a, room, FA_F32, 3), FA_ERROR_ARGUMENT,
         "fa_read: the tensor has 12 elements, there is room for 3 of f32: (3, 4) f32 cpu, made by ones *");
    SAYS(!fa_read(a, NULL, FA_F32, 12), FA_ERROR_ARGUMENT, "fa_read: data is NULL: (3, 4) f32 cpu, made by ones *");
    SAYS(fa_item_int(a), FA_ERROR_SHAPE,
         "fa_item_int: reads a tensor with one element, and this one has more or none: (3, 4) f32 cpu, made by ones *");
    SAYS(fa_item_int(none), FA_ERROR_ARGUMENT, "fa_item_int: the tensor is NULL");
    SAYS(fa_item(meta), FA_ERROR_DEVICE, "fa_item: a tensor on meta has no elements: () f32 meta, made by ones *");
    SAYS(fa_print(none), FA_ERROR_ARGUMENT, "fa_print: the tensor is NULL");
    SAYS(fa_fprint(stdout, none), FA_ERROR_ARGUMENT, "fa_fprint: the tensor is NULL");
    SAYS(fa_tensor_from(room, FA_SHAPE(2, -3)), FA_ERROR_SHAPE, "fa_tensor_from: size -3 of dimension 1 is negative");
    SAYS(fa_tensor_from(NULL, FA_SHAPE(2)), FA_ERROR_ARGUMENT,
         "fa_tensor_from: data is NULL, and 2 elements of f32 are to be read from it");
    SAYS(fa_tensor_borrow(room, FA_SHAPE(2), .strides = (int64_t[]){INT64_MAX}), FA_ERROR_SHAPE,
         "fa_tensor_borrow: stride 9223372036854775807 of dimension 0, whose size is 2, reaches further than can be "
         "addressed");
}

static void moving(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4)), *p = fa_ones(FA_SHAPE(2), .requires_grad = true), *none = NULL,
              *meta = fa_ones(FA_SHAPE(2), .device = FA_META);
    float room[2];
    SAYS(fa_to(a, FA_LATE(7)), FA_ERROR_DEVICE, "fa_to: late:7: there is no device of that number; there are: *");
    SAYS(fa_move_(a, FA_LATE(7)), FA_ERROR_DEVICE, "fa_move_: late:7: there is no device of that number; *");
    SAYS(fa_cpu(none), FA_ERROR_ARGUMENT, "fa_cpu: the tensor is NULL");
    SAYS(fa_identity(none), FA_ERROR_ARGUMENT, "fa_identity: the tensor is NULL");
    SAYS(fa_synchronize(FA_LATE(9)), FA_ERROR_DEVICE,
         "fa_synchronize: late:9: there is no device of that number; there are: *");
    SAYS(fa_cpu(meta), FA_ERROR_DEVICE, "fa_cpu(x=(2,) f32 meta, made by ones *): a tensor on meta has no elements");
    SAYS(fa_move_(fa_t(a), DEVICE(0)), FA_ERROR_STATE,
         "fa_move_: the tensor is a view, not a leaf: fa_to makes a copy elsewhere: (4, 3) f32 cpu, made by t *");
    SAYS(fa_move_(fa_mul(p, 2), DEVICE(0)), FA_ERROR_STATE,
         "fa_move_: the tensor is the result of a recorded operation, not a leaf: fa_to makes a copy elsewhere: (2,) "
         "f32 "
         "cpu, made by mul *");
    SAYS(fa_move_(p, FA_I32), FA_ERROR_DTYPE,
         "fa_move_: a tensor that needs gradients is floating and cannot become i32: (2,) f32 cpu, made by ones *");
    SAYS(fa_move_(p, (fa_dtype)99), FA_ERROR_DTYPE, "fa_move_: 99 is no dtype");
    SAYS(fa_move_(fa_tensor_borrow(room, FA_SHAPE(2)), DEVICE(0)), FA_ERROR_STATE,
         "fa_move_: memory that is borrowed, or that a pointer was taken of, cannot move to late:0: (2,) f32 cpu, made "
         "by tensor_borrow *");
    SAYS(fa_move_(meta, FA_CPU), FA_ERROR_DEVICE,
         "fa_move_: there are no elements to move between meta and cpu: (2,) f32 meta, made by ones *");
}

static fa_tensor *of_another_shape(fa_tensor *g, void *context)
{
    (void)g, (void)context;
    return fa_ones(FA_SHAPE(7));
}

static void gradients(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *p = fa_ones(FA_SHAPE(3, 4), .requires_grad = true), *y = fa_sum(fa_mul(p, p)), *h = fa_mul(p, 2);
    SAYS(fa_backward(h, .grad = fa_ones(FA_SHAPE(5))), FA_ERROR_SHAPE,
         "fa_backward: the gradient is not of the tensor's shape, (3, 4): (5,) f32 cpu, made by ones *");
    SAYS(fa_backward(y, .grad = late(fa_ones(FA_SCALAR))), FA_ERROR_DEVICE,
         "fa_backward: the gradient is not on the tensor's device, cpu: () f32 late:0, made by to *");
    fa_hook_grad(h, of_another_shape, NULL);
    SAYS(fa_backward(fa_sum(h)), FA_ERROR_GRADIENT,
         "backward of fa_mul, recorded *: a hook returned a gradient (7,) f32 cpu in the place of (3, 4) f32 cpu");
    assert_true(fa_backward(y));
    SAYS(fa_backward(y), FA_ERROR_GRADIENT,
         "backward of fa_mul, recorded *: its operands were dropped by an earlier backward: fa_detach() cuts off "
         "what an earlier step computed, .retain_graph = true keeps them for a second backward");
    fa_tensor *loss = fa_mse_loss(p, fa_zeros(FA_SHAPE(3, 4))), *classes = fa_cross_entropy(p, fa_tensor_of(0, 1, 2));
    assert_true(fa_backward(loss) && fa_backward(classes));
    SAYS(fa_backward(loss), FA_ERROR_GRADIENT,
         "backward of fa_mse_loss (its pointwise), recorded *: its operands were *");
    SAYS(fa_backward(classes), FA_ERROR_GRADIENT,
         "backward of fa_cross_entropy (its *), recorded *: its operands were *");
    fa_optim *optim = fa_optim_sgd(fa_params(p), .lr = 0.5);
    y = fa_sum(fa_mul(p, p));
    assert_true(fa_optim_step(optim));
    SAYS(fa_backward(y), FA_ERROR_GRADIENT,
         "backward of fa_mul, recorded *: x was changed in place by fa_update(), which fa_optim_step() calls, after it "
         "*");
    fa_hook_grad(p, of_another_shape, NULL);
    SAYS(fa_backward(fa_sum(fa_exp(p))), FA_ERROR_GRADIENT,
         "fa_hook_grad: a hook returned a gradient (7,) f32 cpu in the place of (3, 4) f32 cpu for the leaf (3, 4) f32 "
         "cpu, made by ones *");
}

static void what_stands_around_operations(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4));
    fa_dataset *none = NULL;
    SAYS(fa_nn_sequential(fa_nn_relu(), NULL), FA_ERROR_ARGUMENT, "fa_nn_sequential: module 1 is NULL");
    SAYS(fa_data_loader(none), FA_ERROR_ARGUMENT, "fa_data_loader: the dataset is NULL");
    SAYS(fa_data_loader(fa_data_tensors(a), .batch_size = 0), FA_ERROR_ARGUMENT,
         "fa_data_loader: .batch_size is 0, which is less than 1");
    SAYS(fa_dataset_get(fa_data_tensors(a), 7), FA_ERROR_INDEX,
         "fa_dataset_get: the dataset tensors has no sample 7, only 0 to 2");
    SAYS(fa_device_of(NULL), FA_ERROR_DEVICE, "fa_device_of(NULL): that names no device; there are: *");
    SAYS(fa_device_of("late:gpu"), FA_ERROR_DEVICE,
         "fa_device_of(\"late:gpu\"): none of the devices of that kind is a GPU; there are: *");
    if (!fa_device_count("cuda", NULL))
        SAYS(fa_device_of("cuda:gpu"), FA_ERROR_UNAVAILABLE, "cuda: there is no CUDA driver: *; there are: *");
    SAYS(fa_set_num_threads(-3), FA_ERROR_ARGUMENT, "fa_set_num_threads: -3 threads: 0 or more can be asked for");
    SAYS(fa_memory_limit(FA_LATE(9), 5), FA_ERROR_DEVICE, "fa_memory_limit: late:9: there is no device *");
    SAYS(fa_memory_stats(FA_LATE(9)), FA_ERROR_DEVICE, "fa_memory_stats: late:9: there is no device *");
}

/* ---- what is forbidden ---- */

static void forbidding_names_the_call(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4)), *there = late(a), *one = fa_sum(there);
    float room[12];
    FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
#define THERE "a copy from cpu to late:0, which .forbid = FA_TRANSFER forbids here"
#define BACK "a copy from late:0 to cpu, which .forbid = FA_TRANSFER forbids here"
    SAYS(late(a), FA_ERROR_SYNC, "fa_to: " THERE ": (3, 4) f32 cpu, made by ones *");
    SAYS(fa_move(a, .device = DEVICE(0)), FA_ERROR_SYNC, "fa_move: " THERE ": (3, 4) f32 cpu, made by ones *");
    SAYS(fa_cpu(there), FA_ERROR_SYNC, "fa_cpu: " BACK ": (3, 4) f32 late:0, made by to *");
    SAYS(fa_identity(there), FA_ERROR_SYNC, "fa_identity: " BACK ": (3, 4) f32 late:0, made by to *");
    SAYS(fa_item(one), FA_ERROR_SYNC, "fa_item: " BACK ": () f32 late:0, made by sum *");
    SAYS(fa_item_int(one), FA_ERROR_SYNC, "fa_item_int: " BACK ": () f32 late:0, made by sum *");
    SAYS(!fa_read(there, room, FA_F32, 12), FA_ERROR_SYNC, "fa_read: " BACK ": (3, 4) f32 late:0, made by to *");
    SAYS(!fa_equal(there, there), FA_ERROR_SYNC, "fa_equal: " BACK ": () bool late:0, made by all *");
    SAYS(!fa_allclose(there, there), FA_ERROR_SYNC, "fa_allclose: " BACK ": () bool late:0, made by all *");
    SAYS(fa_print(there), FA_ERROR_SYNC, "fa_print: " BACK ": (3, 4) f32 late:0");
    SAYS(fa_fprint(stdout, there), FA_ERROR_SYNC, "fa_fprint: " BACK ": (3, 4) f32 late:0");
    SAYS(fa_text(there), FA_ERROR_SYNC, "fa_text: " BACK ": (3, 4) f32 late:0");
    SAYS(fa_copy_(there, a), FA_ERROR_SYNC,
         "fa_copy_: " THERE ": (3, 4) f32 late:0, made by to * and (3, 4) f32 cpu, made by ones *");
    SAYS(fa_copy(there, a), FA_ERROR_SYNC, "fa_copy: " THERE ": *");
    SAYS(fa_set(there, "0", fa_ones(FA_SHAPE(4))), FA_ERROR_SYNC, "fa_set: " THERE ": *");
    SAYS(fa_move_(a, DEVICE(0)), FA_ERROR_SYNC, "fa_move_: " THERE ": (3, 4) f32 cpu, made by ones *");
    SAYS(fa_tensor_from(room, FA_SHAPE(2), .device = DEVICE(0)), FA_ERROR_SYNC, "fa_tensor_from: " THERE ": *");
    fa_index_select(there, 0, late(fa_tensor_of(0)));
    check_message(__LINE__, FA_ERROR_SYNC, "fa_to: *");
    FA_USE(.placement = FA_PLACE_AUTO);
    SAYS(fa_add(there, a), FA_ERROR_SYNC,
         "fa_add: a copy from *, which .forbid = FA_TRANSFER forbids here: (3, 4) f32 *, made by *");
    SAYS(fa_mse_loss(there, a), FA_ERROR_SYNC,
         "fa_mse_loss: a copy from *, which .forbid = FA_TRANSFER forbids here: (3, 4) f32 *, made by *");
    FA_USE(.device = DEVICE(0));
    SAYS(fa_tensor_of(1, 2), FA_ERROR_SYNC, "fa_tensor_of: " THERE ": *");
}

/* ---- the ledger ---- */

static bool counts_only(const char *name, int line)
{
    char *text = NULL, row[60];
    size_t size = 0;
    int rows = 0, its = 0;
    snprintf(row, sizeof row, "{\"operation\": \"%s\"", name);
    FILE *file = open_memstream(&text, &size);
    fa_synchronize(DEVICE(0));
    fa_transfers_json(file);
    fclose(file);
    for (const char *p = text; (p = strstr(p, "{\"operation\"")); p++) {
        bool sync = !strncmp(p, "{\"operation\": \"fa_synchronize\"", 30);
        const char *count = strstr(p, "\"count\": 0,"), *end = strchr(p, '}');
        bool other = sync || (count && count < end); /* of a driver that compiles there is an implicit wait alone */
        rows += !other;
        its += !other && !strncmp(p, row, strlen(row));
    }
    bool good = its && its == rows;
    if (!good)
        print_error("line %d: not %s alone: %s\n", line, name, text);
    free(text);
    fa_transfers_reset();
    wrong += !good;
    return good;
}

/* What the call copies, or waits for, is counted under this name and no other. */
#define COUNTS(name, call)                                                                                             \
    do {                                                                                                               \
        FA_SCOPE;                                                                                                      \
        fa_synchronize(DEVICE(0));                                                                                     \
        fa_transfers_reset();                                                                                          \
        (void)(call);                                                                                                  \
        counts_only(name, __LINE__);                                                                                   \
        assert_no_error();                                                                                             \
    } while (0)

static void print_away(const fa_tensor *t)
{
    FILE *file = fopen("/dev/null", "w");
    fa_fprint(file, t);
    fclose(file);
}

static void the_ledger_names_the_call(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(3, 4)), *p = fa_ones(FA_SHAPE(3, 4), .requires_grad = true), *there = late(a),
              *one = fa_sum(there);
    float room[12];
    COUNTS("fa_to", late(a));
    COUNTS("fa_move", fa_move(a, .device = DEVICE(0)));
    COUNTS("fa_cpu", fa_cpu(there));
    COUNTS("fa_identity", fa_identity(there));
    COUNTS("fa_item", fa_item(one));
    COUNTS("fa_item_int", fa_item_int(one));
    COUNTS("fa_read", !fa_read(fa_t(there), room, FA_F32, 12));
    COUNTS("fa_equal", fa_equal(there, there));
    COUNTS("fa_allclose", fa_allclose(there, there));
    COUNTS("fa_fprint", print_away(there));
    COUNTS("fa_text", fa_free_text(fa_text(there)));
    COUNTS("fa_copy_", fa_copy_(there, a));
    COUNTS("fa_copy_", fa_copy_(a, there));
    COUNTS("fa_copy", fa_copy(there, a));
    COUNTS("fa_set", fa_set(there, "0", fa_ones(FA_SHAPE(4))));
    COUNTS("fa_move_", fa_move_(fa_ones(FA_SHAPE(2)), DEVICE(0)));
    COUNTS("fa_move_", fa_move_(fa_ones(FA_SHAPE(2)), fa_tensor_device(there)));
    COUNTS("fa_module_to", fa_module_to(fa_nn_linear(2, 3), DEVICE(0)));
    COUNTS("fa_tensor_from", fa_tensor_from(room, FA_SHAPE(2), .device = DEVICE(0)));
    fa_tensor *loss = fa_sum(late(p));
    fa_synchronize(DEVICE(0));
    COUNTS("fa_backward", fa_backward(loss));
    loss = fa_sum(late(p));
    fa_synchronize(DEVICE(0));
    COUNTS("fa_grad_of", fa_grad_of(FA_TENSORS(loss), FA_TENSORS(p)));
    FA_USE(.placement = FA_PLACE_AUTO);
    COUNTS("fa_add", fa_add(there, a));
    COUNTS("fa_add_", fa_add_(there, a));
    COUNTS("fa_mse_loss", fa_mse_loss(there, a));
    COUNTS("fa_cross_entropy", fa_cross_entropy(there, fa_tensor_of(0, 1, 2)));
    COUNTS("fa_pointwise", fa_pointwise("x + y", a, there));
    FA_USE(.device = DEVICE(0));
    COUNTS("fa_tensor_of", fa_tensor_of(1, 2));
}

/* The host waits for a copy to it, or for one that still reads what it overwrites, in the name of what needs it. */
static void waits_are_named_too(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *there = late(fa_ones(FA_SHAPE(30, 30)));
#define COMING(name, call)                                                                                             \
    do {                                                                                                               \
        fa_tensor *here = fa_cpu(there);                                                                               \
        FA_USE(.forbid = FA_SYNC);                                                                                     \
        SAYS(call, FA_ERROR_SYNC, name ": the host would wait for late:0, which .forbid = FA_SYNC forbids here*");     \
    } while (0)
    float value;
    test_devices_delay(-1); /* nothing is done before somebody waits */
    COMING("fa_add_", fa_add_(here, 1));
    COMING("fa_neg", fa_neg(here));
    COMING("fa_matmul", fa_matmul(here, here));
    COMING("fa_softmax", fa_softmax(here, 0));
    COMING("fa_ptr", fa_ptr_f32(here));
    COMING("fa_mse_loss", fa_mse_loss(here, here));
    COMING("fa_cross_entropy", fa_cross_entropy(here, here));
    COMING("fa_set", fa_set(here, "0", 1));
    COMING("fa_read", !fa_read(fa_get(here, "0, 0"), &value, FA_F32, 1));
    test_devices_delay(0);
}

static fa_tensor *reads(fa_tensor *g, void *context)
{
    *(double *)context = fa_item(fa_sum(g));
    return NULL;
}

/* What a function of the program's does is counted under what that calls, wherever it is called from. */
static void hooks_count_for_themselves(void **state)
{
    (void)state;
    FA_SCOPE;
    double seen = 0;
    fa_tensor *p = late(fa_ones(FA_SHAPE(3)));
    fa_set_requires_grad(p, true);
    fa_tensor *h = fa_mul(p, 2);
    fa_hook_grad(h, reads, &seen);
    COUNTS("fa_item", fa_backward(fa_sum(h)));
    fa_hook_grad(p, reads, &seen);
    COUNTS("fa_item", fa_backward(fa_sum(fa_mul(p, 2))));
    assert_true(seen == 6);
    fa_tensor *q = fa_ones(FA_SHAPE(3), .requires_grad = true), *loss = fa_sum(late(q));
    fa_synchronize(DEVICE(0));
    COUNTS("fa_backward", fa_backward(loss));
    COUNTS("fa_cpu", fa_cpu(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(indices_out_of_range),
        TEST(elements_of_lists),
        TEST(samples_that_are_not_flattened),
        TEST(channels_that_are_last),
        TEST(what_cannot_be),
        TEST(indices_out_of_range_late),
        TEST(what_failed_is_not_read),
        TEST(printing_what_failed_prints_nothing),
        TEST(operations),
        TEST(long_calls),
        TEST(expressions),
        TEST(indexing),
        TEST(reading),
        TEST(moving),
        TEST(gradients),
        TEST(what_stands_around_operations),
        TEST(forbidding_names_the_call),
        TEST(the_ledger_names_the_call),
        TEST(waits_are_named_too),
        TEST(hooks_count_for_themselves),
    };
    return RUN("api_messages");
}
