/* Indices with tensors and masks: fa_index and fa_index_put_ against what NumPy gives
 * (tests/reference/index_tensors.txt) on the CPU and on two devices; errors that name the index; and what the host
 * waits for. */
#define _GNU_SOURCE
#include "core/context.h"
#include "support/api_test.h"

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
    good = good && has(fa_index_put(x, index, value), NULL, l->put) && same_tensors(fa_cpu(x), fresh(l, FA_CPU));
    good = good && fa_index_put_(x, index, value) == x && has(x, NULL, l->put);
    x = fresh(l, device);
    good = good && fa_index_put_(x, index, value, .accumulate = true) == x && has(x, NULL, l->added);
    /* one number, which broadcasts */
    x = fresh(l, device);
    good = good && fa_index_put_(x, index, 7) == x;
    fa_tensor *sevens = fa_full_like(value, 7);
    good = good && same_tensors(fa_cpu(x), fa_cpu(fa_index_put(fresh(l, device), index, sevens)));
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

/* ---- what is not in NumPy's file ---- */

static fa_tensor *counted(fa_device device)
{
    return fa_to(fa_reshape(fa_arange(0, 12, .dtype = FA_F32), FA_SHAPE(3, 4)), device);
}

static fa_tensor *ints(fa_device device, int64_t a, int64_t b, int64_t c)
{
    return fa_to(fa_to(fa_tensor_of((double)a, (double)b, (double)c), FA_I64), device);
}

static void parts_may_be_numbers_and_texts(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(FA_CPU), *y = fa_index(x, 1, "::2");
    assert_true(same_tensors(y, fa_tensor_of(4.0, 6.0)));
    assert_non_null(fa_mul_(y, 0)); /* a view */
    assert_true(fa_item(fa_sum(fa_get(x, "1"))) == 5 + 7);
    const char *text = "..., -1";
    size_t last = 2;
    assert_true(same_tensors(fa_index(x, text), fa_get(x, text)));
    assert_true(fa_item(fa_index(x, last, -1L)) == 11);
    assert_non_null(fa_index_put_(x, FA_INDEX(0, ":2"), 5));
    assert_non_null(fa_index_put_(x, FA_INDEX(0, ":2"), fa_tensor_of(1.0, 2.0), .accumulate = true));
    assert_true(same_tensors(fa_get(x, "0"), fa_tensor_of(6.0, 7.0, 2.0, 3.0)));
    assert_no_error();
}

static void wrong_indices_are_told(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(FA_CPU), *wrong = ints(FA_CPU, 0, 3, 1), *mask = fa_ones(FA_SHAPE(4), .dtype = FA_BOOL);
    assert_null(fa_index(x, wrong));
    assert_error(FA_ERROR_INDEX, "fa_index(x=(3, 4) f32 cpu, index=\"(3,) i64 cpu\")",
                 "index 3 is out of range for dimension 0 of size 3 (element 1 of the indices)");
    assert_null(fa_index(x, ":", ints(FA_CPU, 0, 1, -5)));
    assert_error(FA_ERROR_INDEX, "index -5 is out of range for dimension 1 of size 4 (element 2");
    assert_null(fa_index_put_(x, FA_INDEX(wrong), 1));
    assert_error(FA_ERROR_INDEX, "fa_index_put_(x=(3, 4) f32 cpu", "index 3 is out of range for dimension 0 of size 3");
    assert_null(fa_index(x, mask));
    assert_error(FA_ERROR_INDEX, "fa_index(", "a mask has size 4 in dimension 0, but dimension 0 of x has 3");
    assert_null(fa_index_put_(x, FA_INDEX(mask), 1));
    assert_error(FA_ERROR_INDEX, "fa_index_put_(", "a mask has size 4 in dimension 0");
    assert_null(fa_index(x, fa_zeros(FA_SHAPE(2))));
    assert_error(FA_ERROR_DTYPE, "fa_index(", "a part is f32");
    assert_null(fa_index_select(x, 0, fa_to(fa_tensor_of(1, 0, 1), FA_BOOL)));
    assert_error(FA_ERROR_DTYPE, "fa_index_select(", "index is bool: indices are integers; fa_index() takes masks");
    assert_null(fa_index(x, "0, b"));
    assert_error(FA_ERROR_INDEX, "fa_index((3, 4) f32 cpu, \"0, b\"): at 3");
    assert_null(fa_index(x, ":", 0, wrong));
    assert_error(FA_ERROR_INDEX, "fa_index(", "more entries than the tensor has dimensions: 3 for 2");
    assert_null(fa_index(x, ints(FA_CPU, 0, 1, 2), fa_zeros(FA_SHAPE(2), .dtype = FA_I64)));
    assert_error(FA_ERROR_SHAPE, "fa_index(", "(3,)", "(2,)");
    assert_null(fa_index((fa_tensor *)NULL, 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_index: the tensor");
    assert_null(fa_index_put_((fa_tensor *)NULL, FA_INDEX(0), 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_index_put_: the tensor");
    assert_null(fa_index_put(x, FA_INDEX(0), (fa_tensor *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_index_put(", "the value");
    assert_null(fa_index(x, (char *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_index(", "a part of the index");
    assert_null((fa_index)(x, (fa_index_parts){0, NULL}));
    assert_error(FA_ERROR_INDEX, "fa_index(", "there is nothing in the index");
    assert_null(fa_index(x, (fa_tensor *)NULL));
    assert_error(FA_ERROR_ARGUMENT, "a part of the index");
    assert_null(fa_index_put_(x, FA_INDEX(0), fa_ones(FA_SHAPE(4), .dtype = FA_I32)));
    assert_error(FA_ERROR_DTYPE, "fa_index_put_(", "the value is i32 and not of x's dtype");
    assert_null(fa_index_put_(x, FA_INDEX(ints(FA_CPU, 0, 1, 2)), fa_ones(FA_SHAPE(5))));
    assert_error(FA_ERROR_SHAPE, "fa_index_put_(", "size 5 of dimension 1 cannot become 4");
    assert_null(fa_index_put_(fa_zeros(FA_SHAPE(3), .dtype = FA_U8), FA_INDEX(ints(FA_CPU, 0, 1, 2)), 300));
    assert_error(FA_ERROR_ARGUMENT, "fa_index_put_(", "300 does not fit into u8");
    assert_null(fa_index_add(fa_zeros(FA_SHAPE(3), .dtype = FA_I32), 0, ints(FA_CPU, 0, 1, 2),
                             fa_ones(FA_SHAPE(3), .dtype = FA_I32), .alpha = 0.5));
    assert_error(FA_ERROR_DTYPE, "fa_index_add(", "alpha is no whole number");
    assert_null(fa_scatter_reduce(x, 0, fa_zeros(FA_SHAPE(1, 1), .dtype = FA_I64), x, "max"));
    assert_error(FA_ERROR_ARGUMENT, "fa_scatter_reduce(", "reduce is sum, prod, mean, amax or amin");
    assert_true(same_tensors(x, counted(FA_CPU)));
}

/* A wait reports it, or already a later part of the call, if the device was quick. */
static bool is_reported(fa_device device)
{
    return fa_failed() || !fa_synchronize(device);
}

/* A device reports wrong indices late; nothing has changed then. */
static void wrong_indices_on_a_device(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_device device = DEVICE(0);
    fa_tensor *x = counted(device), *wrong = ints(device, 0, 3, 1);
    fa_synchronize(device);
    fa_index(x, wrong);
    assert_true(is_reported(device));
    assert_error(FA_ERROR_INDEX, "fa_index, at index=(3,)", "index 3 is out of range for dimension 0 of size 3");
    fa_index_put_(x, FA_INDEX(wrong), 1);
    assert_true(is_reported(device));
    assert_error(FA_ERROR_INDEX, "fa_index_put_, at index=(", "index 3 is out of range");
    fa_scatter_(x, 0, fa_unsqueeze(wrong, 1), 1);
    assert_true(is_reported(device));
    assert_error(FA_ERROR_INDEX, "fa_scatter", "index 3 is out of range for dimension 0 of size 3");
    fa_take(x, ints(FA_CPU, 0, 12, 3));
    assert_true(is_reported(device));
    assert_error(FA_ERROR_INDEX, "fa_take", "index 12 is out of range for dimension 0 of size 12");
    fa_masked_scatter_(x, fa_gt(x, 5), fa_ones(FA_SHAPE(5), .device = device));
    assert_true(is_reported(device));
    assert_error(FA_ERROR_INDEX, "fa_masked_scatter", "index 5 is out of range for dimension 0 of size 5");
    assert_true(same_tensors(fa_cpu(x), counted(FA_CPU)));
    assert_null(fa_index(counted(FA_CPU), wrong));
    assert_error(FA_ERROR_DEVICE, "fa_index(", "x on cpu and index[0] on late:0: fa_to moves one");
}

/* Devices are told of before dtypes, shapes and sizes of masks: with all operands and where they were made. */
static void devices_come_first(void **state)
{
    (void)state;
    FA_SCOPE;
    const fa_device a = DEVICE(0), b = DEVICE(1);
    fa_tensor *x = counted(a), *i = ints(a, 0, 2, 1), *elsewhere = ints(b, 0, 2, 1), *many = fa_ones(FA_SHAPE(9)),
              *there = fa_to(many, b), *number = fa_ones(FA_SCALAR, .device = b);
    assert_null(fa_index(x, 0, fa_to(elsewhere, FA_F32)));
    assert_error(FA_ERROR_DEVICE, "fa_index(x=(3, 4) f32 late:0, made by to ",
                 "index=\"0, (3,) f32 late:1, made by to ", "x on late:0 and index[1] on late:1");
    assert_null(fa_index(x, i, ints(b, 0, 0, 0)));
    assert_error(FA_ERROR_DEVICE, "fa_index(", "index[1] on late:1");
    assert_null(fa_index(x, fa_ones(FA_SHAPE(2, 2), .dtype = FA_BOOL, .device = b)));
    assert_error(FA_ERROR_DEVICE, "fa_index(", "made by ones", "index[0] on late:1");
    assert_null(fa_index_put(x, FA_INDEX(i), fa_to(there, FA_F64)));
    assert_error(FA_ERROR_DEVICE, "fa_index_put(", "value=(9,) f64 late:1, made by to ", "value on late:1");
    assert_null(fa_index_put(x, FA_INDEX(i), many)); /* not of what fits a value on the CPU */
    assert_error(FA_ERROR_DEVICE, "fa_index_put(", "value on cpu");
    assert_null(fa_index_put_(x, FA_INDEX(elsewhere), 1));
    assert_error(FA_ERROR_DEVICE, "fa_index_put_(", "index[0] on late:1");
    assert_null(fa_index_put_(x, FA_INDEX(fa_gt(x, 5)), number));
    assert_error(FA_ERROR_DEVICE, "fa_index_put_(", "value=() f32 late:1", "value on late:1");
    assert_null(fa_index_put_(x, FA_INDEX("1"), there));
    assert_error(FA_ERROR_DEVICE, "fa_index_put_(", "value on late:1");
    assert_null(fa_index_put_(x, FA_INDEX("1"), number, .accumulate = true));
    assert_error(FA_ERROR_DEVICE, "fa_index_put_(", "value on late:1");
    assert_non_null(fa_index_put_(x, FA_INDEX(i), fa_cpu(number)));
    assert_non_null(fa_set(x, "1", fa_to(number, FA_F64))); /* which is fa_copy_ */
    assert_true(fa_item(fa_sum(x)) == 12);
    assert_no_error();
}

static void masks_cost_one_wait(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(DEVICE(0)), *mask = fa_gt(x, 5), *index = ints(DEVICE(0), 2, -1, 0);
    fa_synchronize(DEVICE(0));
    fa_transfers_reset();
    assert_int_equal(fa_size(fa_index(x, mask), 0), 6);
    assert_true(fa_transfers_total().to_host == 1 && fa_transfers_total().waits <= 1);
    assert_int_equal(fa_size(fa_masked_select(x, mask), 0), 6);
    assert_true(fa_transfers_total().to_host == 2 && fa_transfers_total().waits <= 2);
    assert_int_equal(fa_size(fa_nonzero(x), 0), 11);
    assert_true(fa_transfers_total().to_host == 3 && fa_transfers_total().waits <= 3);
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        assert_non_null(fa_index(x, index));
        assert_non_null(fa_index_put_(x, FA_INDEX(mask), 1));
        assert_non_null(fa_masked_scatter(x, mask, x));
        assert_non_null(fa_index_put_(x, FA_INDEX(index, index), 0, .accumulate = true));
        assert_no_error();
        assert_null(fa_index(x, mask));
        assert_error(FA_ERROR_SYNC, "fa_index");
        assert_null(fa_nonzero(x));
        assert_error(FA_ERROR_SYNC, "fa_nonzero");
    }
    assert_true(fa_item(fa_sum(x)) == 1 + 2 + 3 + 4 + 5 + 6);
    assert_no_error();
}

/* Of many that come to few places the last ones stay, on every device. */
static void the_last_one_stays(void **state)
{
    (void)state;
    enum { MANY = 5000, FEW = 7 };
    static double want[FEW];
    for (int d = 0; d < 3; d++) {
        FA_SCOPE;
        fa_device device = d < 2 ? DEVICE(d) : FA_CPU;
        static int64_t index[MANY];
        for (int i = 0; i < MANY; i++) {
            index[i] = (int64_t)i * i % FEW;
            want[index[i]] = i;
        }
        fa_tensor *at = fa_to(fa_tensor_from(index, FA_SHAPE(MANY), .dtype = FA_I64), device);
        fa_tensor *src = fa_arange(0, MANY, .dtype = FA_F64, .device = device);
        fa_tensor *zeros = fa_zeros(FA_SHAPE(FEW), .dtype = FA_F64, .device = device), *all[4];
        all[0] = fa_index_put(zeros, FA_INDEX(at), src);
        all[1] = fa_scatter(zeros, 0, at, src);
        all[2] = fa_put(zeros, at, src);
        all[3] = fa_index_copy(zeros, 0, at, src);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < FEW; i++)
                assert_true(fa_item(fa_select(all[k], 0, i)) == want[i]);
    }
    assert_no_error();
}

static void in_place_forms_write_x(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *index = ints(FA_CPU, 0, 2, 1), *one = fa_ones(FA_SHAPE(3));
    fa_tensor *mask = fa_to(fa_tensor_of(1.0, 0.0, 1.0), FA_BOOL), *x = fa_zeros(FA_SHAPE(3));
    assert_ptr_equal(fa_scatter_(x, 0, index, 2), x);
    assert_ptr_equal(fa_scatter_reduce_(x, 0, index, one, "mean"), x);
    assert_true(fa_item(fa_sum(x)) == 4.5);
    assert_ptr_equal(fa_index_add_(x, 0, index, one, .alpha = 2), x);
    assert_ptr_equal(fa_index_reduce_(x, 0, index, one, "amin"), x);
    assert_true(fa_item(fa_sum(x)) == 3);
    assert_ptr_equal(fa_index_fill_(x, 0, index, 4), x);
    assert_ptr_equal(fa_index_copy_(x, 0, index, fa_tensor_of(5.0, 6.0, 7.0)), x);
    assert_true(same_tensors(x, fa_tensor_of(5.0, 7.0, 6.0)));
    assert_ptr_equal(fa_put_(x, index, one, .accumulate = true), x);
    assert_ptr_equal(fa_masked_fill_(x, mask, 0), x);
    assert_true(same_tensors(x, fa_tensor_of(0.0, 8.0, 0.0)));
    assert_ptr_equal(fa_masked_scatter_(x, mask, fa_tensor_of(1.0, 2.0)), x);
    assert_true(same_tensors(x, fa_tensor_of(1.0, 8.0, 2.0)));
    assert_no_error();
}

/* Shapes are known without memory; but not what masks choose. */
static void indices_on_meta(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(FA_META), *mask = fa_gt(x, 1), *y = fa_index(x, ints(FA_META, 0, 0, 0), "None");
    assert_true(fa_dim(y) == 3 && fa_size(y, 0) == 3 && fa_size(y, 1) == 1 && fa_size(y, 2) == 4);
    assert_ptr_equal(fa_index_put_(x, FA_INDEX(mask), 1), x);
    assert_ptr_equal(fa_index_put_(x, FA_INDEX(ints(FA_META, 0, 1, 2)), y = fa_zeros_like(x), .accumulate = true), x);
    assert_no_error();
    assert_null(fa_index(x, mask));
    assert_error(FA_ERROR_DEVICE, "fa_index(", "on meta a mask has no values");
}

static void automatic_placement_copies_indices(void **state)
{
    (void)state;
    FA_SCOPE;
    FA_USE(.placement = FA_PLACE_AUTO);
    fa_tensor *x = counted(FA_CPU), *y = fa_index(x, ints(DEVICE(0), 0, 2, 1), 0);
    assert_true(same_tensors(fa_cpu(y), fa_tensor_of(0.0, 8.0, 4.0)));
    assert_non_null(fa_index_put_(x, FA_INDEX(fa_gt(fa_to(x, DEVICE(0)), 5)), 0));
    assert_true(fa_item(fa_sum(x)) == 15);
    assert_no_error();
}

static bool is_on(const fa_tensor *t, fa_device device)
{
    return t && fa_device_equal(fa_tensor_device(t), device);
}

/* Each tensor is copied once to where the call runs; what is written to stays where it is. */
static void automatic_placement_of_the_whole(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = counted(FA_CPU), *i = ints(FA_CPU, 0, 2, 1), *mask = fa_gt(x, 5), *y;
    fa_tensor *ones = fa_ones(FA_SHAPE(3, 4), .device = DEVICE(1));
    fa_set_requires_grad(x, true);
    {
        FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
        fa_transfers_reset();
        assert_true(is_on(y = fa_index(x, i, i), DEVICE(0)));
        assert_int_equal(fa_transfers_total().to_device, 3);
        assert_true(is_on(fa_index(x, mask), DEVICE(0)) && is_on(fa_index(x, "1:", 0), FA_CPU));
        assert_true(fa_backward(fa_sum(y)) && is_on(fa_grad(x), FA_CPU) && fa_item(fa_sum(fa_grad(x))) == 3);
        FA_USE(.no_grad = true);
        fa_transfers_reset();
        assert_true(is_on(y = fa_index_put(x, FA_INDEX(i), ones), DEVICE(0)) && fa_item(fa_sum(y)) == 12);
        assert_ptr_equal(fa_index_put_(x, FA_INDEX(fa_to(mask, DEVICE(1))), fa_narrow(fa_flatten(ones), 0, 0, 6)), x);
        assert_true(is_on(x, FA_CPU) && fa_item(fa_sum(x)) == 15 + 6);
    }
    {
        FA_USE(.placement = FA_PLACE_AUTO, .no_grad = true); /* the first that is not on the CPU */
        assert_true(is_on(fa_index(x, i, fa_to(i, DEVICE(1))), DEVICE(1)));
        assert_true(is_on(fa_index_put(x, FA_INDEX(i), ones), DEVICE(1)));
        assert_true(is_on(fa_index(x, i), FA_CPU));
    }
    assert_no_error();
}

/* ---- gradients ---- */

/* The gradient of sum(w * f(x, v)) for x or v by differences, and that of sum(w * gradient^2) for the second order. */
typedef fa_tensor *function(fa_tensor *x, fa_tensor *v);

static fa_tensor *index_of_x(fa_tensor *x, fa_tensor *v)
{
    (void)v;
    fa_tensor *y = fa_mul(x, fa_mul(x, x));
    return fa_index(y, ints(fa_tensor_device(x), 0, 2, 2), ":", ints(fa_tensor_device(x), -1, 0, 1));
}

static fa_tensor *mask_of_x(fa_tensor *x, fa_tensor *v)
{
    (void)v;
    return fa_index(fa_mul(x, fa_mul(x, x)), "1:", fa_gt(fa_detach(fa_get(x, "0")), 0.2));
}

static fa_tensor *put_in_place(fa_tensor *x, fa_tensor *v)
{
    fa_tensor *y = fa_mul(x, fa_mul(x, x));
    fa_index_put_(y, FA_INDEX(ints(fa_tensor_device(x), 0, 2, 1), "::-1", 1), fa_mul(v, v));
    return y;
}

static fa_tensor *put_accumulated(fa_tensor *x, fa_tensor *v)
{
    return fa_index_put(fa_mul(x, fa_mul(x, x)), FA_INDEX(ints(fa_tensor_device(x), 0, 2, 0), ":", 0), fa_mul(v, v),
                        .accumulate = true);
}

static fa_tensor *put_by_mask(fa_tensor *x, fa_tensor *v)
{
    fa_tensor *y = fa_mul(x, fa_mul(x, x)), *mask = fa_gt(fa_detach(fa_index(x, 0, ":", 0)), -100);
    fa_index_put_(y, FA_INDEX(1, mask), fa_unsqueeze(fa_mul(v, fa_mul(v, v)), 1));
    return y;
}

static fa_tensor *filled_by_mask(fa_tensor *x, fa_tensor *v)
{
    fa_tensor *y = fa_mul(x, fa_mul(x, x));
    fa_index_put_(y, FA_INDEX(fa_gt(fa_detach(x), 0.5)), fa_sum(fa_mul(v, fa_mul(v, v))));
    return y;
}

static fa_tensor *scattered_in_place(fa_tensor *x, fa_tensor *v)
{
    fa_tensor *y = fa_mul(x, fa_mul(x, x)), *src = fa_expand_as(fa_unsqueeze(fa_mul(v, v), 1), fa_select(y, 0, 0));
    fa_tensor *index = fa_zeros_like(src, .dtype = FA_I64);
    fa_scatter_reduce_(fa_select(y, 0, 1), 0, index, src, "prod", .include_self = false);
    return fa_scatter_reduce(fa_select(y, 0, 1), 0, index, src, "amax");
}

/* sum(w f), or the sum of w times the squares of its gradient by x and v. */
static fa_tensor *value_of(function *f, fa_tensor *x, fa_tensor *v, int order, bool recorded)
{
    fa_tensor *y = f(x, v);
    fa_tensor *w = fa_reshape(fa_linspace(0.5, 2, fa_numel(y), .dtype = FA_F64, .device = fa_tensor_device(y)),
                              fa_tensor_shape(y));
    fa_tensor *sum = fa_sum(fa_mul(fa_mul(y, y), w));
    if (order == 1)
        return sum;
    fa_tensors g = fa_grad_of(FA_TENSORS(sum), FA_TENSORS(x, v), .create_graph = recorded, .allow_unused = true);
    fa_tensor *total = fa_sum(fa_mul(g.item[0], g.item[0]));
    return g.item[1] ? fa_add(total, fa_sum(fa_mul(g.item[1], g.item[1]))) : total;
}

static double moved_value(function *f, const fa_tensor *x, const fa_tensor *v, int order, int which, int64_t at,
                          double by)
{
    fa_tensor *both[2] = {fa_clone(x), fa_clone(v)};
    fa_tensor *place = fa_full(FA_SHAPE(1), (double)at, .dtype = FA_I64, .device = fa_tensor_device(x));
    fa_put_(both[which], place, fa_full(FA_SHAPE(1), by, .dtype = FA_F64, .device = fa_tensor_device(x)),
            .accumulate = true);
    fa_set_requires_grad(both[0], true);
    fa_set_requires_grad(both[1], true);
    return fa_item(value_of(f, both[0], both[1], order, false));
}

static void check_gradients(function *f, fa_device device)
{
    FA_SCOPE;
    const double step = 1e-4;
    fa_manual_seed(3);
    fa_tensor *both[2] = {fa_to(fa_randn(FA_SHAPE(3, 2, 3), .dtype = FA_F64), device),
                          fa_to(fa_add(fa_rand(FA_SHAPE(2), .dtype = FA_F64), 0.5), device)};
    for (int order = 1; order <= 2; order++) {
        FA_SCOPE;
        fa_tensor *x = fa_clone(both[0]), *v = fa_clone(both[1]);
        fa_set_requires_grad(x, true);
        fa_set_requires_grad(v, true);
        fa_tensors g = fa_grad_of(FA_TENSORS(value_of(f, x, v, order, true)), FA_TENSORS(x, v), .allow_unused = true);
        assert_no_error();
        for (int which = 0; which < 2; which++)
            for (int64_t i = 0; g.item[which] && i < fa_numel(both[which]); i++) {
                FA_SCOPE;
                double up = moved_value(f, both[0], both[1], order, which, i, step);
                double down = moved_value(f, both[0], both[1], order, which, i, -step);
                double have = fa_item(fa_select(fa_flatten(g.item[which]), 0, i)), want = (up - down) / (2 * step);
                if (!(have - want < 1e-4 * (1 + want * want) && want - have < 1e-4 * (1 + want * want)))
                    fail_msg("order %d, operand %d, element %d: %g, not %g", order, which, (int)i, have, want);
            }
    }
    assert_no_error();
}

static void gradients_to_second_order(void **state)
{
    (void)state;
    static function *const all[] = {index_of_x,  mask_of_x,      put_in_place,      put_accumulated,
                                    put_by_mask, filled_by_mask, scattered_in_place};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check_gradients(all[i], FA_CPU);
        check_gradients(all[i], DEVICE(0));
    }
}

/* What several steps would write is not begun when the source is wrong. */
static void reduced_in_place_or_not_at_all(void **state)
{
    (void)state;
    fa_tensor *x = fa_tensor_of(0.5, 1, 2, 3), *y = fa_to(fa_clone(x), FA_F64),
              *of_i64 = fa_ones(FA_SHAPE(2), .dtype = FA_I64);
    fa_tensor *index = fa_tensor_parse("[1, 2]", .dtype = FA_I64);
    assert_null(fa_scatter_reduce_(x, 0, index, of_i64, "amax", .include_self = false));
    assert_error(FA_ERROR_DTYPE, "fa_scatter_reduce_(", "one dtype");
    assert_null(fa_index_reduce_(x, 0, index, of_i64, "prod", .include_self = false));
    assert_error(FA_ERROR_DTYPE, "fa_index_reduce_(", "one dtype");
    assert_null(fa_scatter_reduce_(x, 0, index, fa_ones(FA_SHAPE(1)), "sum", .include_self = false));
    assert_error(FA_ERROR_SHAPE, "fa_scatter_reduce_(", "longer");
    assert_true(fa_item(fa_amax(fa_ne(x, y))) == 0);
    assert_true(fa_scatter_reduce_(x, 0, index, fa_narrow(x, 0, 2, 2), "mean", .include_self = false) == x);
    assert_true(fa_item(fa_select(x, 0, 1)) == 2 && fa_item(fa_select(x, 0, 2)) == 3);
    assert_no_error();
}

static void leaves_are_not_changed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_clone(counted(FA_CPU)), *index = ints(FA_CPU, 0, 1, 2);
    fa_set_requires_grad(x, true);
    assert_null(fa_index_put_(x, FA_INDEX(index), 1));
    assert_error(FA_ERROR_GRADIENT, "fa_index_put_(", "leaf that needs a gradient is changed in place");
    assert_null(fa_scatter_(x, 0, fa_unsqueeze(index, 1), 1));
    assert_error(FA_ERROR_GRADIENT, "fa_scatter_(", "a leaf that needs a gradient is changed in place");
    assert_null(fa_masked_fill_(x, fa_gt(x, 3), 1));
    assert_error(FA_ERROR_GRADIENT, "fa_masked_fill_(", "a leaf that needs a gradient is changed in place");
    assert_null(fa_masked_scatter_(x, fa_gt(x, 99), fa_ones(FA_SHAPE(0))));
    assert_error(FA_ERROR_GRADIENT, "fa_masked_scatter_(", "a leaf that needs a gradient is changed in place");
    FA_USE(.no_grad = true);
    assert_non_null(fa_index_put_(x, FA_INDEX(index), 1));
    assert_no_error();
}

/* masked_scatter from an empty source: an error if the mask is true anywhere, a copy of x otherwise. */
static void masked_scatter_from_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        fa_device device = i ? DEVICE(0) : FA_CPU;
        fa_tensor *x = fa_to(fa_tensor_of(1.0, 2.0), device), *none = fa_zeros(FA_SHAPE(0), .device = device);
        assert_null(fa_masked_scatter(x, fa_gt(x, 1), none));
        assert_error(FA_ERROR_INDEX, "fa_masked_scatter(", "source has no element for what is true in mask");
        fa_tensor *same = fa_masked_scatter(x, fa_gt(x, 5), none);
        assert_non_null(same);
        assert_true(fa_item(fa_all(fa_eq(same, x))) == 1);
    }
}

/* The scope gets the result of a call, and not the tensors between. */
static void indices_leave_only_their_result(void **state)
{
    (void)state;
    fa_tensor *x = fa_rand(FA_SHAPE(3, 4, 5), .requires_grad = true), *y = fa_rand(FA_SHAPE(3, 4, 5));
    fa_tensor *rows = fa_tensor_of(2, 0), *mask = fa_gt(y, 0.5), *value = fa_zeros(FA_SHAPE(1, 1, 2)), *part = NULL;
    const fa__context *c = fa__self->core;
#define LEAVES(count, call)                                                                                            \
    {                                                                                                                  \
        size_t before = c->owned_count;                                                                                \
        assert_non_null(call);                                                                                         \
        assert_int_equal(c->owned_count - before, count);                                                              \
    }
    LEAVES(1, part = fa_get(x, "0, 1"));
    LEAVES(1, fa_get(x, "-1, ::2, None, 3"));
    LEAVES(1, fa_get(x, "..."));
    LEAVES(1, fa_getf(x, "%d, %d, %d", 1, 2, 3));
    LEAVES(1, fa_index(y, 0, rows));
    LEAVES(1, fa_index(y, mask));
    LEAVES(1, fa_index(y, "1:, 2", 3));
    LEAVES(1, fa_index_put(y, FA_INDEX(rows, 1), 2));
    LEAVES(0, fa_set(y, "0, 1", 3));
    LEAVES(0, fa_set(y, "0, 1, 1:3", value));
    LEAVES(0, fa_index_put_(y, FA_INDEX(mask), 2));
    LEAVES(0, fa_index_put_(y, FA_INDEX(0, rows), 1));
    size_t before = c->owned_count;
    assert_null(fa_get(x, "0, 9"));
    fa_error_clear();
    assert_null(fa_set(y, "0, 1:3", fa_arg_tensor(rows)));
    fa_error_clear();
    assert_int_equal(c->owned_count - before, 0);
    assert_true(fa_backward(fa_sum(fa_mul(part, part))));
    assert_true(fa_item(fa_sum(fa_sub(fa_get(fa_grad(x), "0, 1"), fa_mul(fa_get(x, "0, 1"), 2)))) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(indices_leave_only_their_result),
        TEST(masked_scatter_from_nothing),
        TEST(indices_are_as_in_numpy),
        TEST(indices_of_other_dtypes),
        TEST(indices_on_devices),
        TEST(parts_may_be_numbers_and_texts),
        TEST(wrong_indices_are_told),
        TEST(wrong_indices_on_a_device),
        TEST(devices_come_first),
        TEST(masks_cost_one_wait),
        TEST(the_last_one_stays),
        TEST(in_place_forms_write_x),
        TEST(indices_on_meta),
        TEST(automatic_placement_copies_indices),
        TEST(automatic_placement_of_the_whole),
        TEST(gradients_to_second_order),
        TEST(reduced_in_place_or_not_at_all),
        TEST(leaves_are_not_changed),
    };
    return RUN("api_indices");
}
