/* Tensors from text: what is read, as which dtype and shape, and at which byte a text is wrong. */
#include "support/autograd_test.h"
#include <locale.h>

static void hold_form(const fa_tensor *t, fa_dtype dtype, fa_shape shape)
{
    assert_non_null(t);
    assert_int_equal(fa_tensor_dtype(t), dtype);
    fa_shape have = fa_tensor_shape(t);
    assert_int_equal(have.rank, shape.rank);
    for (int i = 0; i < shape.rank; i++)
        assert_int_equal(have.dim[i], shape.dim[i]);
}

#define READS(text, dtype, shape, ...)                                                                                 \
    do {                                                                                                               \
        fa_tensor *read = fa_tensor_parse(text);                                                                       \
        hold_form(read, dtype, shape);                                                                                 \
        HOLD(read, __VA_ARGS__);                                                                                       \
    } while (0)

static void shapes(void **state)
{
    (void)state;
    READS("[[1, 2], [3, 4]]", FA_I64, FA_SHAPE(2, 2), 1, 2, 3, 4);
    READS("[1, 2, 3]", FA_I64, FA_SHAPE(3), 1, 2, 3);
    READS(" 7 ", FA_I64, FA_SCALAR, 7);
    READS("[[[1],[2]],[[3],[4]],[[5],[6]]]", FA_I64, FA_SHAPE(3, 2, 1), 1, 2, 3, 4, 5, 6);
    READS("[[[[[[[[-1]]]]]]]]", FA_I64, FA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1), -1);
    hold_form(fa_tensor_parse("[]"), FA_F32, FA_SHAPE(0));
    hold_form(fa_tensor_parse("[[], []]"), FA_F32, FA_SHAPE(2, 0));
    hold_form(fa_tensor_parse("[[[], []]]"), FA_F32, FA_SHAPE(1, 2, 0));
}

/* As NumPy prints, with blanks for commas; as Python allows, with a comma at the end. */
static void separators(void **state)
{
    (void)state;
    READS("[[ 1. -2. ]\n [ 0.5 3.]]", FA_F32, FA_SHAPE(2, 2), 1, -2, 0.5, 3);
    READS("[1,2 ,3,]", FA_I64, FA_SHAPE(3), 1, 2, 3);
    READS("\t[ [1 ,2]\r\n,[3,4] ,]\n", FA_I64, FA_SHAPE(2, 2), 1, 2, 3, 4);
}

static void dtypes(void **state)
{
    (void)state;
    READS("[true, false]", FA_BOOL, FA_SHAPE(2), 1, 0);
    READS("[True, False, 3]", FA_I64, FA_SHAPE(3), 1, 0, 3);
    READS("[1, 2.5, true]", FA_F32, FA_SHAPE(3), 1, 2.5, 1);
    READS("[1e3, .5, -2.E-1, +4., 1E+2]", FA_F32, FA_SHAPE(5), 1000, 0.5, -0.2, 4, 100);
    READS("[inf, -inf, nan, +inf]", FA_F32, FA_SHAPE(4), INFINITY, -INFINITY, NAN, INFINITY);
    fa_tensor *large = fa_tensor_parse("[9223372036854775807, -9223372036854775808]");
    int64_t whole[2] = {0};
    assert_true(fa_read(large, whole, FA_I64, 2));
    assert_true(whole[0] == INT64_MAX && whole[1] == INT64_MIN);
    fa_tensor *cut = fa_tensor_parse("[2.7, -2.7, 255]", .dtype = FA_I16);
    hold_form(cut, FA_I16, FA_SHAPE(3));
    HOLD(cut, 2, -2, 255);
    HOLD(fa_tensor_parse("[0.1]", .dtype = FA_F64), 0.1);
    hold_form(fa_tensor_parse("[]", .dtype = FA_U8), FA_U8, FA_SHAPE(0));
    HOLD(fa_tensor_parse("[0, 2, 0.5]", .dtype = FA_BOOL), 0, 1, 1);
    double exact = 0;
    assert_true(fa_read(fa_tensor_parse("0.1", .dtype = FA_F64), &exact, FA_F64, 1));
    assert_true(exact == 0.1);
}

static void places(void **state)
{
    (void)state;
    fa_tensor *t = fa_tensor_parse("[1.5, 2]", .device = DEVICE(0), .requires_grad = true);
    assert_true(fa_device_equal(fa_tensor_device(t), DEVICE(0)));
    HOLD(t, 1.5, 2);
    assert_true(fa_backward(fa_sum(fa_mul(t, t))));
    HOLD(fa_grad(t), 3, 4);
    FA_USE(.device = DEVICE(0));
    assert_true(fa_device_equal(fa_tensor_device(fa_tensor_parse("[1]")), DEVICE(0)));
}

/* The tensor's own lives on, whatever scopes the reading opened; and it tells who made it. */
static void belongs_to_the_scope(void **state)
{
    (void)state;
    fa_tensor *t = NULL;
    {
        FA_SCOPE;
        t = fa_escape(fa_tensor_parse("[1, 2, 3]", .dtype = FA_F64));
    }
    HOLD(t, 1, 2, 3);
    assert_null(fa_add(t, fa_to(t, DEVICE(0))));
    FAILS(FA_ERROR_DEVICE, "made by tensor_parse");
}

/* Numbers have a point, wherever the program is. */
static void locales(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !setlocale(LC_NUMERIC, names[i]); i++)
        ;
    HOLD(fa_tensor_parse("[1.5, 2]"), 1.5, 2);
    setlocale(LC_NUMERIC, "C");
}

static void many(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    char *text = malloc(ROWS * 32 + 8), *to = text;
    assert_non_null(text);
    *to++ = '[';
    for (int i = 0; i < ROWS; i++)
        to += sprintf(to, "[%d, %d.5],", i, 2 * i);
    *to++ = ']';
    *to = 0;
    fa_tensor *t = fa_tensor_parse(text);
    free(text);
    hold_form(t, FA_F32, FA_SHAPE(ROWS, 2));
    HOLD(fa_get(t, "499"), 499, 998.5);
    HOLD(fa_sum(t), 499 * 250.0 + 499 * 500.0 + 250);
}

#define WRONG(text, at, ...)                                                                                           \
    do {                                                                                                               \
        assert_null(fa_tensor_parse(text));                                                                            \
        FAILS(FA_ERROR_ARGUMENT, "fa_tensor_parse(\"", ("at " #at ": "), __VA_ARGS__);                                 \
    } while (0)

static void errors(void **state)
{
    (void)state;
    WRONG("", 0, "nothing");
    WRONG("  ", 2, "nothing");
    WRONG("[1, 2", 5, "']' is missing");
    WRONG("[[1, 2], [3]]", 11, "length 1", "length 2");
    WRONG("[[1], [2, 3]]", 11, "length 2", "length 1");
    WRONG("[[1, 2], 3]", 9, "a row was expected");
    WRONG("[1, [2]]", 4, "a number was expected");
    WRONG("[[], [1]]", 7, "length 1", "length 0");
    WRONG("[[[]], []]", 8, "length 0", "length 1");
    WRONG("[1, two]", 4, "\"two\" is no number");
    WRONG("[-true]", 1, "\"true\" is no number");
    WRONG("[1,, 2]", 3, "expected");
    WRONG("[, 2]", 1, "expected");
    WRONG("[1-2]", 2, "',' was expected");
    WRONG("[[1][2]]", 4, "',' was expected");
    WRONG("1 2", 2, "ends before");
    WRONG("[1]]", 3, "ends before");
    WRONG("]", 0, "']' without '['");
    WRONG("[.]", 1, "a number was expected");
    WRONG("[1e]", 1, "a number was expected");
    WRONG("[1.2.3]", 1, "a number was expected");
    WRONG("[0x10]", 1, "a number was expected");
    WRONG("[1, 9223372036854775808]", 4, "does not fit into 64 bits");
    WRONG("[[[[[[[[[1]]]]]]]]]", 8, "at most 8 dimensions");
    assert_null(fa_tensor_parse("[1, 300, 2]", .dtype = FA_U8));
    FAILS(FA_ERROR_ARGUMENT, "at 4: 300 does not fit into u8");
    assert_null(fa_tensor_parse("[nan]", .dtype = FA_I32));
    FAILS(FA_ERROR_ARGUMENT, "at 1: nan does not fit into i32");
    assert_null(fa_tensor_parse("[1, 2]", .requires_grad = true));
    FAILS(FA_ERROR_DTYPE, "only floating", "i64");
    assert_null(fa_tensor_parse("[1, 2]", .dtype = FA_I32, .requires_grad = true));
    FAILS(FA_ERROR_DTYPE, "only floating", "i32");
    assert_null(fa_tensor_parse("[1, 2]", .dtype = (fa_dtype)99));
    FAILS(FA_ERROR_DTYPE, "no such dtype");
    assert_null(fa_tensor_parse(NULL));
    FAILS(FA_ERROR_ARGUMENT, "the text is NULL");
    char text[400];
    memset(text, ' ', sizeof text);
    memcpy(text + 390, "[1, x]", 7);
    assert_null(fa_tensor_parse(text));
    FAILS(FA_ERROR_ARGUMENT, "...\"): at 394: \"x\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shapes),  TEST(separators), TEST(dtypes), TEST(places), TEST(belongs_to_the_scope),
        TEST(locales), TEST(many),       TEST(errors),
    };
    return RUN("tensor_text");
}
