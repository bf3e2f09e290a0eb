/* Indices with tensors and masks: fa_index and fa_index_put_ against what NumPy gives
 * (tests/reference/index_tensors.txt) on the CPU and on two devices; errors that name the index; and what the host
 * waits for. */
#define _GNU_SOURCE
#include "api_test.h"
#include <facula/indices.h>

enum { MOST = 70, LINE = 2000, PARTS = 20 };

static int parse_shape(const char *text, fa_shape *shape)
{
    *shape = (fa_shape){0};
    for (const char *at = text + 1; *at && *at != ')'; at += strspn(at, ", "))
        shape->dim[shape->rank++] = strtoll(at, (char **)&at, 10);
    return shape->rank;
}

/* "<2,3:0 1 2 0 1 2>" or "<b3:1 0 1>", of which `at` is the '<'. */
static fa_tensor *parse_tensor(const char *at, fa_device device, fa_dtype dtype)
{
    int64_t values[MOST] = {0}, n = 1;
    fa_shape shape = {0};
    bool mask = at[1] == 'b';
    for (at += 1 + mask; *at != ':'; at += *at == ',') {
        shape.dim[shape.rank] = strtoll(at, (char **)&at, 10);
        n *= shape.dim[shape.rank++];
    }
    at++;
    for (int64_t i = 0; i < n; i++)
        values[i] = strtoll(at, (char **)&at, 10);
    fa_tensor *t = fa_tensor_from(values, shape, .dtype = FA_I64);
    return fa_to(fa_to(t, mask ? FA_BOOL : dtype), device);
}

/* Entries with tensors between them; the text is cut in pieces. */
static fa_index_parts parse_parts(char *text, fa_index_part *part, fa_device device, fa_dtype dtype)
{
    size_t n = 0;
    while (*text) {
        text += strspn(text, ", ");
        if (*text == '<') {
            char *end = strchr(text, '>');
            part[n++] = fa__part_tensor(parse_tensor(text, device, dtype));
            text = end + 1;
            continue;
        }
        char *next = strchr(text, '<'), *end = next ? next : text + strlen(text);
        while (end > text && strchr(", ", end[-1]))
            end--;
        part[n++] = fa__part_text(strndup(text, (size_t)(end - text)));
        text = next ? next : text + strlen(text);
    }
    return (fa_index_parts){n, part};
}

static void free_parts(fa_index_parts parts)
{
    for (size_t i = 0; i < parts.count; i++)
        free((char *)(uintptr_t)parts.item[i].text);
}

/* Whether t is of this shape, if one is given, and has these elements. */
static bool has(const fa_tensor *t, const char *shape, const char *numbers)
{
    fa_shape want;
    int64_t values[MOST] = {0}, n = t ? fa_numel(t) : MOST + 1;
    if (n > MOST || !fa_read(t, values, FA_I64, n))
        return false;
    if (shape && parse_shape(shape, &want) != fa_dim(t))
        return false;
    for (int i = 0; shape && i < want.rank; i++)
        if (fa_size(t, i) != want.dim[i])
            return false;
    for (int64_t i = 0; i < n; i++)
        if (values[i] != strtoll(numbers, (char **)&numbers, 10))
            return false;
    return true;
}

typedef struct line {
    char text[LINE], *index, *shape, *got, *put, *added;
} line;

static bool split(line *l)
{
    char **const column[] = {&l->index, &l->shape, &l->got, &l->put, &l->added};
    char *at = l->text;
    for (int i = 0; i < 5; i++) {
        at = strchr(at, '|');
        if (!at)
            return false;
        *at++ = 0;
        *column[i] = at;
    }
    return true;
}

static fa_tensor *fresh(const line *l, fa_device device)
{
    fa_shape shape;
    int64_t count = 1;
    parse_shape(l->text, &shape);
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    return fa_to(fa_reshape(fa_arange(0, (double)count, .dtype = FA_I32), shape), device);
}

/* x of a device, transposed twice: the same elements, in another order in memory. */
static fa_tensor *turned(fa_tensor *x)
{
    if (fa_dim(x) < 2)
        return x;
    fa_tensor *t = fa_clone(fa_movedim(x, FA_SHAPE(0), FA_SHAPE(-1)));
    return fa_movedim(fa_reshape(fa_flatten(t), fa_tensor_shape(t)), FA_SHAPE(-1), FA_SHAPE(0));
}

static bool holds(const line *l, fa_device device, fa_device of_index, fa_dtype dtype)
{
    FA_SCOPE;
    char text[LINE];
    fa_index_part part[PARTS];
    strcpy(text, l->index);
    fa_index_parts index = parse_parts(text, part, of_index, dtype);
    fa_tensor *x = turned(fresh(l, device)), *y = (fa_index)(x, index);
    bool good;
    if (strcmp(l->shape, "error") == 0) {
        good = (!y || !fa_synchronize(device)) && fa_error_code() != FA_ERROR_INTERNAL && fa_failed();
        fa_error_clear();
        good = good && (!fa_index_put_(x, index, 5) || !fa_synchronize(device));
        fa_error_clear();
        good = good && fa_item_int(fa_sum(x)) == fa_item_int(fa_sum(fresh(l, FA_CPU)));
        free_parts(index);
        return good;
    }
    good = has(y, l->shape, l->got);
    fa_tensor *value =
        fa_to(fa_reshape(fa_arange(100, (double)(100 + fa_numel(y)), .dtype = FA_I32), fa_tensor_shape(y)), device);
    good = good && has(fa_index_put(x, index, value), NULL, l->put) && fa_same(fa_cpu(x), fresh(l, FA_CPU));
    good = good && fa_index_put_(x, index, value) == x && has(x, NULL, l->put);
    x = fresh(l, device);
    good = good && fa_index_put_(x, index, value, .accumulate = true) == x && has(x, NULL, l->added);
    /* one number, which broadcasts */
    x = fresh(l, device);
    good = good && fa_index_put_(x, index, 7) == x;
    fa_tensor *sevens = fa_full_like(value, 7);
    good = good && fa_same(fa_cpu(x), fa_cpu(fa_index_put(fresh(l, device), index, sevens)));
    free_parts(index);
    return good;
}

static void check_lines(fa_device device, fa_device of_index, fa_dtype dtype, int pace)
{
    FILE *file = fopen(FA_TEST_DATA "/reference/index_tensors.txt", "r");
    assert_non_null(file);
    line l;
    int lines = 0, wrong = 0, number = 0;
    while (fgets(l.text, sizeof l.text, file)) {
        char copy[LINE];
        l.text[strcspn(l.text, "\n")] = 0;
        strcpy(copy, l.text);
        if (l.text[0] == '#' || number++ % pace)
            continue;
        lines++;
        if (!split(&l) || !holds(&l, device, of_index, dtype)) {
            print_error("%s  %s\n", copy, fa_error_message());
            wrong++;
        }
        fa_error_clear();
    }
    fclose(file);
    assert_true(lines > 500 / pace);
    assert_int_equal(wrong, 0);
}

static void indices_are_as_in_numpy(void **state)
{
    (void)state;
    check_lines(FA_CPU, FA_CPU, FA_I64, 1);
}

static void indices_of_other_dtypes(void **state)
{
    (void)state;
    check_lines(FA_CPU, FA_CPU, FA_I8, 3);
    check_lines(FA_CPU, FA_CPU, FA_I32, 3);
}

static void indices_on_devices(void **state)
{
    (void)state;
    check_lines(DEVICE(0), DEVICE(0), FA_I64, 3);
    check_lines(DEVICE(1), FA_CPU, FA_I16, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(indices_are_as_in_numpy),
        TEST(indices_of_other_dtypes),
        TEST(indices_on_devices),
    };
    return RUN("api_indices");
}
