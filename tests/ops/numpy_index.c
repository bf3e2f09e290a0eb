/* Indices as NumPy writes them: fa_get and fa_set against what NumPy gives (tests/reference/index.txt), and errors that
 * show their place. */
#define _GNU_SOURCE
#include "support/api_test.h"

static int parse_shape(const char *text, fa_shape *shape)
{
    *shape = (fa_shape){0};
    for (const char *at = text + 1; *at && *at != ')'; at += strspn(at, ", "))
        shape->dim[shape->rank++] = strtoll(at, (char **)&at, 10);
    return shape->rank;
}

/* Whether fa_get gives what the line says. */
static bool holds_line(char *line)
{
    char *text = strchr(line, '|'), *result = text ? strchr(text + 1, '|') : NULL,
         *numbers = result ? strchr(result + 1, '|') : NULL;
    if (!numbers)
        return false;
    *text++ = *result++ = *numbers++ = 0;
    fa_shape shape, want;
    parse_shape(line, &shape);
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    FA_SCOPE;
    fa_tensor *x = fa_reshape(fa_arange(0, (double)count), shape), *y = fa_get(x, text);
    if (strcmp(result, "error") == 0) {
        bool good = !y && fa_error_code() != FA_OK && fa_error_code() != FA_ERROR_INTERNAL;
        fa_error_clear();
        return good;
    }
    parse_shape(result, &want);
    if (!y || fa_dim(y) != want.rank)
        return false;
    for (int i = 0; i < want.rank; i++)
        if (fa_size(y, i) != want.dim[i])
            return false;
    int64_t values[64] = {0}, n = fa_numel(y);
    if (n > 64 || !fa_read(y, values, FA_I64, n))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (values[i] != strtoll(numbers, &numbers, 10))
            return false;
    /* and an assignment goes to the same elements, and to no others */
    int64_t sum = fa_item_int(fa_sum(x)), part = fa_item_int(fa_sum(y));
    return fa_set(x, text, 1000) == x && fa_item_int(fa_sum(x)) == sum - part + 1000 * n;
}

static void indices_are_as_in_numpy(void **state)
{
    (void)state;
    FILE *file = fopen(FA_TEST_DATA "/reference/index.txt", "r");
    assert_non_null(file);
    char line[1000];
    int lines = 0, wrong = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        char copy[1000];
        strcpy(copy, line);
        lines++;
        if (!holds_line(line)) {
            print_error("%s  %s\n", copy, fa_error_message());
            wrong++;
        }
        fa_error_clear();
    }
    fclose(file);
    assert_true(lines > 500);
    assert_int_equal(wrong, 0);
}

static void wrong_indices_show_their_place(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(3, 4));
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "fa_get((3, 4) f32 cpu, \"\"): at 0: there is nothing"},
        {"  ", "at 2"},
        {"a", "fa_get((3, 4) f32 cpu, \"a\"): at 0: a number, a slice, '...' or None was expected"},
        {"0, b", "at 3"},
        {"0 1", "at 2: ',' was expected"},
        {"1:2:3:4", "at 5: ',' was expected"},
        {"::0", "a step of 0"},
        {",", "at 0"},
        {"0,,1", "at 2"},
        {"0, 1, ", "more"},
        {"..., ...", "more than one '...'"},
        {"0, 0, 0", "more entries than the tensor has dimensions: 3 for 2"},
        {"3", "fa_get((3, 4) f32 cpu, \"3\"): entry 1: index 3 is out of range for dimension 0 of size 3"},
        {"-4", "entry 1: index -4 is out of range for dimension 0 of size 3"},
        {"0, 4", "entry 2: index 4 is out of range for dimension 1 of size 4"},
        {"None, 1:2, -5", "entry 3: index -5 is out of range for dimension 1 of size 4"},
        {"..., 4", "entry 2: index 4 is out of range for dimension 1 of size 4"},
        {"1.5", "at 1"},
        {"99999999999999999999", "at 0: the number does not fit into 64 bits"},
        {":99999999999999999999", "at 1: the number does not fit into 64 bits"},
        {"Nonesense", "at 0"},
        {"....", "at 3"},
        {"1-", "at 1"},
        {"--1", "at 0"},
        {"None,None,None,None,None,None,None", "8"},
        {"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "too many"},
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool failed = !fa_get(x, rows[i].text) && strstr(fa_error_message(), rows[i].says);
        if (strcmp(rows[i].text, "0, 1, ") == 0)
            failed = !fa_failed(); /* a comma at the end is fine */
        if (!failed)
            print_error("\"%s\": %s; expected \"%s\"\n", rows[i].text, fa_error_message(), rows[i].says);
        wrong += !failed;
        fa_error_clear();
    }
    assert_int_equal(wrong, 0);
}

static void assignments_convert_and_broadcast(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(3, 4), .dtype = FA_I32);
    assert_ptr_equal(fa_set(x, "0", 2.7), x);
    assert_int_equal(fa_item_int(fa_sum(x)), 8);
    assert_non_null(fa_set(x, "1:, ::2", fa_tensor_of(1.5, -1.5)));
    assert_int_equal(fa_item_int(fa_sum(x)), 8);
    assert_non_null(fa_set(x, "...", fa_tensor_of(1, 2, 3, 4)));
    assert_int_equal(fa_item_int(fa_sum(x)), 30);
    assert_non_null(fa_set(x, ":, 0", true));
    assert_non_null(fa_set(x, "-1, -1", fa_to(fa_full(FA_SCALAR, 9), DEVICE(0))));
    assert_int_equal(fa_item_int(fa_get(x, "2, 3")), 9);
    assert_null(fa_set(x, "0", fa_tensor_of(1, 2, 3)));
    assert_true(fa_failed());
    fa_error_clear();
    assert_null(fa_set(x, "7", 1));
    assert_true(fa_failed());
    fa_error_clear();
    assert_non_null(fa_set(x, "3:", 1)); /* nothing there: nothing to do */
    /* in one call, the value an assignment itself */
    fa_tensor *y = fa_zeros(FA_SHAPE(2));
    assert_non_null(fa_set(y, "0", fa_get(fa_set(y, "1", 5), "1")));
    assert_true(fa_item(fa_sum(y)) == 10);
    assert_no_error();
}

/* Dimensions of size 1 in front are no part of what is assigned. */
static void assignments_strip_leading_ones(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_zeros(FA_SHAPE(3)), *value = fa_reshape(fa_tensor_of(1.0, 2.0, 3.0), FA_SHAPE(1, 1, 3));
    fa_set_requires_grad(value, true);
    assert_non_null(fa_set(x, ":", value));
    assert_true(same_tensors(fa_detach(x), fa_tensor_of(1.0, 2.0, 3.0)));
    assert_true(fa_backward(fa_sum(x)));
    assert_true(same_tensors(fa_grad(value), fa_ones(FA_SHAPE(1, 1, 3))));
    x = fa_zeros(FA_SHAPE(3));
    assert_non_null(fa_set(x, "0", fa_tensor_of(5.0)));
    assert_true(fa_item(fa_sum(x)) == 5);
    assert_null(fa_set(x, "0", fa_tensor_of(5.0, 6.0)));
    assert_error(FA_ERROR_SHAPE, "fa_set(x, \"0\")");
    assert_null(fa_set(x, ":", fa_ones(FA_SHAPE(3, 1))));
    assert_error(FA_ERROR_SHAPE, "fa_set(x, \":\")");
    assert_null(fa_set(x, ":", (fa_tensor *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "NULL");
}

/* What counts is how many dimensions the result has, not those on the way. */
static void new_dimensions_beside_entries(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_reshape(fa_arange(0, 6), FA_SHAPE(2, 1, 1, 1, 1, 1, 1, 3));
    fa_tensor *y = fa_get(x, "None, 1");
    assert_int_equal(fa_dim(y), 8);
    assert_int_equal(fa_size(y, 0), 1);
    assert_true(fa_item_int(fa_sum(y)) == 3 + 4 + 5);
    y = fa_get(x, "None, 1, None, ..., 0, None, 2");
    assert_int_equal(fa_dim(y), 8);
    assert_true(fa_item_int(fa_sum(y)) == 5);
    assert_null(fa_get(x, "None, 0, None, ..., None, 2, 0, None"));
    assert_error(FA_ERROR_INDEX, "entry 6: index 2 is out of range for dimension 6 of size 1");
    assert_null(fa_get(x, "None, None, 0"));
    assert_error(FA_ERROR_SHAPE, "entry 2", "at most 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(indices_are_as_in_numpy),           TEST(wrong_indices_show_their_place),
        TEST(assignments_convert_and_broadcast), TEST(assignments_strip_leading_ones),
        TEST(new_dimensions_beside_entries),
    };
    return RUN("api_index");
}
