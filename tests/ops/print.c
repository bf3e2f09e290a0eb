/* Tensors as text: the same as PyTorch 2.15 writes, but for the names of dtypes and devices. */
#include "backend/device.h"
#include "base/error.h"
#include "core/context.h"
#include "core/tensor.h"
#include <facula/scope.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Elements are given, or start + i * step when step is not 0. */
typedef struct row {
    fa_dtype dtype;
    int rank;
    int64_t shape[4];
    double value[4], start, step;
    bool requires_grad;
    const char *text;
} row;

/* clang-format off */
static const row rows[] = {
    {FA_F32, 1, {3}, {1, 2, 3}, 0, 0, false,
     "tensor([1., 2., 3.])"},
    {FA_F32, 0, {0}, {1.5}, 0, 0, false,
     "tensor(1.5000)"},
    {FA_F32, 0, {0}, {3}, 0, 0, false,
     "tensor(3.)"},
    {FA_I64, 0, {0}, {7}, 0, 0, false,
     "tensor(7)"},
    {FA_BOOL, 0, {0}, {1}, 0, 0, false,
     "tensor(True)"},
    {FA_F32, 1, {3}, {1.5, -2.25, 1000.125}, 0, 0, false,
     "tensor([   1.5000,   -2.2500, 1000.1250])"},
    {FA_F32, 1, {3}, {1e-05, 1, 2}, 0, 0, false,
     "tensor([1.0000e-05, 1.0000e+00, 2.0000e+00])"},
    {FA_F32, 1, {3}, {1000000000.0, 1, 2}, 0, 0, false,
     "tensor([1.0000e+09, 1.0000e+00, 2.0000e+00])"},
    {FA_F32, 1, {2}, {0.5, 600}, 0, 0, false,
     "tensor([5.0000e-01, 6.0000e+02])"},
    {FA_F32, 1, {4}, {NAN, INFINITY, -INFINITY, 1}, 0, 0, false,
     "tensor([nan, inf, -inf, 1.])"},
    {FA_F32, 1, {4}, {NAN, INFINITY, -INFINITY, 1.5}, 0, 0, false,
     "tensor([   nan,    inf,   -inf, 1.5000])"},
    {FA_F32, 1, {2}, {NAN, INFINITY}, 0, 0, false,
     "tensor([nan, inf])"},
    {FA_F32, 1, {3}, {0, -0.0, 0}, 0, 0, false,
     "tensor([0., -0., 0.])"},
    {FA_F32, 1, {3}, {100000000.0, 100, NAN}, 0, 0, false,
     "tensor([1.0000e+08, 1.0000e+02,        nan])"},
    {FA_F32, 1, {2}, {200000000, 1}, 0, 0, false,
     "tensor([2.0000e+08, 1.0000e+00])"},
    {FA_F32, 2, {2, 3}, {0}, 0, 1, false,
     "tensor([[0., 1., 2.],\n"
     "        [3., 4., 5.]])"},
    {FA_F64, 2, {2, 2}, {0}, 0.1, 0.1, false,
     "tensor([[0.1000, 0.2000],\n"
     "        [0.3000, 0.4000]], dtype=f64)"},
    {FA_I32, 2, {2, 2}, {0}, -3, 2, false,
     "tensor([[-3, -1],\n"
     "        [ 1,  3]], dtype=i32)"},
    {FA_U8, 1, {3}, {0}, 250, 2, false,
     "tensor([250, 252, 254], dtype=u8)"},
    {FA_BOOL, 2, {2, 2}, {1, 0, 0, 1}, 0, 0, false,
     "tensor([[ True, False],\n"
     "        [False,  True]])"},
    {FA_F32, 1, {0}, {0}, 0, 0, false,
     "tensor([])"},
    {FA_F32, 2, {0, 3}, {0}, 0, 0, false,
     "tensor([], size=(0, 3))"},
    {FA_I64, 1, {0}, {0}, 0, 0, false,
     "tensor([], dtype=i64)"},
    {FA_F64, 2, {2, 0}, {0}, 0, 0, false,
     "tensor([], size=(2, 0), dtype=f64)"},
    {FA_F32, 3, {2, 2, 2}, {0}, 0, 1, false,
     "tensor([[[0., 1.],\n"
     "         [2., 3.]],\n"
     "\n"
     "        [[4., 5.],\n"
     "         [6., 7.]]])"},
    {FA_I64, 4, {1, 2, 1, 2}, {0}, 0, 1, false,
     "tensor([[[[0, 1]],\n"
     "\n"
     "         [[2, 3]]]])"},
    {FA_F32, 1, {30}, {0}, 0.25, 0.5, false,
     "tensor([ 0.2500,  0.7500,  1.2500,  1.7500,  2.2500,  2.7500,  3.2500,  3.7500,\n"
     "         4.2500,  4.7500,  5.2500,  5.7500,  6.2500,  6.7500,  7.2500,  7.7500,\n"
     "         8.2500,  8.7500,  9.2500,  9.7500, 10.2500, 10.7500, 11.2500, 11.7500,\n"
     "        12.2500, 12.7500, 13.2500, 13.7500, 14.2500, 14.7500])"},
    {FA_F32, 1, {1001}, {0}, 0, 1, false,
     "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])"},
    {FA_I64, 2, {7, 200}, {0}, 0, 1, false,
     "tensor([[   0,    1,    2,  ...,  197,  198,  199],\n"
     "        [ 200,  201,  202,  ...,  397,  398,  399],\n"
     "        [ 400,  401,  402,  ...,  597,  598,  599],\n"
     "        ...,\n"
     "        [ 800,  801,  802,  ...,  997,  998,  999],\n"
     "        [1000, 1001, 1002,  ..., 1197, 1198, 1199],\n"
     "        [1200, 1201, 1202,  ..., 1397, 1398, 1399]])"},
    {FA_F32, 3, {12, 10, 10}, {0}, 0, 0.5, false,
     "tensor([[[0.0000e+00, 5.0000e-01, 1.0000e+00,  ..., 3.5000e+00,\n"
     "          4.0000e+00, 4.5000e+00],\n"
     "         [5.0000e+00, 5.5000e+00, 6.0000e+00,  ..., 8.5000e+00,\n"
     "          9.0000e+00, 9.5000e+00],\n"
     "         [1.0000e+01, 1.0500e+01, 1.1000e+01,  ..., 1.3500e+01,\n"
     "          1.4000e+01, 1.4500e+01],\n"
     "         ...,\n"
     "         [3.5000e+01, 3.5500e+01, 3.6000e+01,  ..., 3.8500e+01,\n"
     "          3.9000e+01, 3.9500e+01],\n"
     "         [4.0000e+01, 4.0500e+01, 4.1000e+01,  ..., 4.3500e+01,\n"
     "          4.4000e+01, 4.4500e+01],\n"
     "         [4.5000e+01, 4.5500e+01, 4.6000e+01,  ..., 4.8500e+01,\n"
     "          4.9000e+01, 4.9500e+01]],\n"
     "\n"
     "        [[5.0000e+01, 5.0500e+01, 5.1000e+01,  ..., 5.3500e+01,\n"
     "          5.4000e+01, 5.4500e+01],\n"
     "         [5.5000e+01, 5.5500e+01, 5.6000e+01,  ..., 5.8500e+01,\n"
     "          5.9000e+01, 5.9500e+01],\n"
     "         [6.0000e+01, 6.0500e+01, 6.1000e+01,  ..., 6.3500e+01,\n"
     "          6.4000e+01, 6.4500e+01],\n"
     "         ...,\n"
     "         [8.5000e+01, 8.5500e+01, 8.6000e+01,  ..., 8.8500e+01,\n"
     "          8.9000e+01, 8.9500e+01],\n"
     "         [9.0000e+01, 9.0500e+01, 9.1000e+01,  ..., 9.3500e+01,\n"
     "          9.4000e+01, 9.4500e+01],\n"
     "         [9.5000e+01, 9.5500e+01, 9.6000e+01,  ..., 9.8500e+01,\n"
     "          9.9000e+01, 9.9500e+01]],\n"
     "\n"
     "        [[1.0000e+02, 1.0050e+02, 1.0100e+02,  ..., 1.0350e+02,\n"
     "          1.0400e+02, 1.0450e+02],\n"
     "         [1.0500e+02, 1.0550e+02, 1.0600e+02,  ..., 1.0850e+02,\n"
     "          1.0900e+02, 1.0950e+02],\n"
     "         [1.1000e+02, 1.1050e+02, 1.1100e+02,  ..., 1.1350e+02,\n"
     "          1.1400e+02, 1.1450e+02],\n"
     "         ...,\n"
     "         [1.3500e+02, 1.3550e+02, 1.3600e+02,  ..., 1.3850e+02,\n"
     "          1.3900e+02, 1.3950e+02],\n"
     "         [1.4000e+02, 1.4050e+02, 1.4100e+02,  ..., 1.4350e+02,\n"
     "          1.4400e+02, 1.4450e+02],\n"
     "         [1.4500e+02, 1.4550e+02, 1.4600e+02,  ..., 1.4850e+02,\n"
     "          1.4900e+02, 1.4950e+02]],\n"
     "\n"
     "        ...,\n"
     "\n"
     "        [[4.5000e+02, 4.5050e+02, 4.5100e+02,  ..., 4.5350e+02,\n"
     "          4.5400e+02, 4.5450e+02],\n"
     "         [4.5500e+02, 4.5550e+02, 4.5600e+02,  ..., 4.5850e+02,\n"
     "          4.5900e+02, 4.5950e+02],\n"
     "         [4.6000e+02, 4.6050e+02, 4.6100e+02,  ..., 4.6350e+02,\n"
     "          4.6400e+02, 4.6450e+02],\n"
     "         ...,\n"
     "         [4.8500e+02, 4.8550e+02, 4.8600e+02,  ..., 4.8850e+02,\n"
     "          4.8900e+02, 4.8950e+02],\n"
     "         [4.9000e+02, 4.9050e+02, 4.9100e+02,  ..., 4.9350e+02,\n"
     "          4.9400e+02, 4.9450e+02],\n"
     "         [4.9500e+02, 4.9550e+02, 4.9600e+02,  ..., 4.9850e+02,\n"
     "          4.9900e+02, 4.9950e+02]],\n"
     "\n"
     "        [[5.0000e+02, 5.0050e+02, 5.0100e+02,  ..., 5.0350e+02,\n"
     "          5.0400e+02, 5.0450e+02],\n"
     "         [5.0500e+02, 5.0550e+02, 5.0600e+02,  ..., 5.0850e+02,\n"
     "          5.0900e+02, 5.0950e+02],\n"
     "         [5.1000e+02, 5.1050e+02, 5.1100e+02,  ..., 5.1350e+02,\n"
     "          5.1400e+02, 5.1450e+02],\n"
     "         ...,\n"
     "         [5.3500e+02, 5.3550e+02, 5.3600e+02,  ..., 5.3850e+02,\n"
     "          5.3900e+02, 5.3950e+02],\n"
     "         [5.4000e+02, 5.4050e+02, 5.4100e+02,  ..., 5.4350e+02,\n"
     "          5.4400e+02, 5.4450e+02],\n"
     "         [5.4500e+02, 5.4550e+02, 5.4600e+02,  ..., 5.4850e+02,\n"
     "          5.4900e+02, 5.4950e+02]],\n"
     "\n"
     "        [[5.5000e+02, 5.5050e+02, 5.5100e+02,  ..., 5.5350e+02,\n"
     "          5.5400e+02, 5.5450e+02],\n"
     "         [5.5500e+02, 5.5550e+02, 5.5600e+02,  ..., 5.5850e+02,\n"
     "          5.5900e+02, 5.5950e+02],\n"
     "         [5.6000e+02, 5.6050e+02, 5.6100e+02,  ..., 5.6350e+02,\n"
     "          5.6400e+02, 5.6450e+02],\n"
     "         ...,\n"
     "         [5.8500e+02, 5.8550e+02, 5.8600e+02,  ..., 5.8850e+02,\n"
     "          5.8900e+02, 5.8950e+02],\n"
     "         [5.9000e+02, 5.9050e+02, 5.9100e+02,  ..., 5.9350e+02,\n"
     "          5.9400e+02, 5.9450e+02],\n"
     "         [5.9500e+02, 5.9550e+02, 5.9600e+02,  ..., 5.9850e+02,\n"
     "          5.9900e+02, 5.9950e+02]]])"},
    {FA_F32, 1, {3}, {1, 2, 3}, 0, 0, true,
     "tensor([1., 2., 3.], requires_grad=true)"},
    {FA_F64, 1, {6}, {0}, 0.111111, 1.111111, true,
     "tensor([0.1111, 1.2222, 2.3333, 3.4444, 4.5556, 5.6667], dtype=f64,\n"
     "       requires_grad=true)"},
};
/* clang-format on */

static void put(void *data, fa_dtype dtype, int64_t i, double v)
{
    switch (dtype) {
    case FA_BOOL:
    case FA_U8:
        ((uint8_t *)data)[i] = (uint8_t)v;
        break;
    case FA_I32:
        ((int32_t *)data)[i] = (int32_t)v;
        break;
    case FA_I64:
        ((int64_t *)data)[i] = (int64_t)v;
        break;
    case FA_F64:
        ((double *)data)[i] = v;
        break;
    default:
        ((float *)data)[i] = (float)v;
    }
}

static fa_tensor *new_tensor(fa_device where, fa_dtype dtype, int rank, const int64_t *shape)
{
    fa__device *d = fa__device_get(where);
    assert_non_null(d);
    fa_tensor *t = fa__own(fa__tensor_empty(d, dtype, rank, shape, d->queue));
    assert_non_null(t);
    return t;
}

static fa_tensor *tensor_of(const row *r)
{
    fa_tensor *t = new_tensor(FA_CPU, r->dtype, r->rank, r->shape);
    for (int64_t i = 0; i < fa__numel(t); i++)
        put(fa__tensor_data(t), r->dtype, i, r->step != 0 ? r->start + r->step * (double)i : r->value[i]);
    t->requires_grad = r->requires_grad;
    return t;
}

static void check(const fa_tensor *t, const char *expected)
{
    char *text = fa_text(t);
    assert_non_null(text);
    assert_string_equal(text, expected);
    fa_free_text(text);
}

static void text_is_pytorchs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FA_SCOPE;
        check(tensor_of(&rows[i]), rows[i].text);
    }
}

static void other_devices_are_named(void **state)
{
    (void)state;
    FA_SCOPE;
    check(new_tensor(FA_META, FA_F32, 2, (int64_t[]){3, 4}), "tensor(..., device=meta, size=(3, 4))");
    check(new_tensor(FA_META, FA_I64, 1, (int64_t[]){5}), "tensor(..., device=meta, size=(5,), dtype=i64)");
    check(new_tensor(FA_LATE(1), FA_F32, 1, (int64_t[]){0}), "tensor([], device=late:1)");
    fa_tensor *t = new_tensor(FA_LATE(0), FA_F32, 1, (int64_t[]){2});
    fa_synchronize(FA_LATE(0));
    memcpy(t->storage->data, (float[]){1, 2}, 8);
    check(t, "tensor([1., 2.], device=late:0)");
}

static void views_print_their_elements(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = new_tensor(FA_CPU, FA_I64, 2, (int64_t[]){2, 3});
    for (int i = 0; i < 6; i++)
        put(fa__tensor_data(t), FA_I64, i, i);
    fa_tensor *v = fa__own(fa__tensor_new(t->storage, FA_I64, 2, (int64_t[]){3, 2}, (int64_t[]){-1, 3}, 2));
    check(v, "tensor([[2, 5],\n        [1, 4],\n        [0, 3]])");
    fa_tensor *wide = fa__own(fa__tensor_new(t->storage, FA_I64, 1, (int64_t[]){100000}, (int64_t[]){0}, 4));
    check(wide, "tensor([4, 4, 4,  ..., 4, 4, 4])");
    static const int64_t deep[] = {7, 7, 7, 1, 7, 1, 7, 7}, none[FA_MAX_DIMS] = {0};
    char *text = fa_text(fa__own(fa__tensor_new(t->storage, FA_I64, 8, deep, none, 5)));
    assert_non_null(text);
    size_t fives = 0;
    for (const char *c = text; *c; c++)
        fives += *c == '5';
    assert_int_equal(fives, 6 * 6 * 6 * 6 * 6 * 6);
    fa_free_text(text);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++)
        if (setlocale(LC_ALL, locales[i]))
            break;
    FA_SCOPE;
    const row r = {FA_F32, 1, {2}, {1.5, 2.5}, 0, 0, false, NULL};
    check(tensor_of(&r), "tensor([1.5000, 2.5000])");
    setlocale(LC_ALL, "C");
}

static void failures_are_errors(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_null(fa_text(NULL));
    assert_int_equal(fa_error_code(), FA_ERROR_ARGUMENT);
    fa_error_clear();
    fa_free_text(NULL);
    const row r = {FA_F32, 1, {2}, {1, 2}, 0, 0, false, NULL};
    fa_tensor *t = tensor_of(&r);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setbuf(full, NULL);
        assert_false(fa_fprint(full, t));
        assert_int_equal(fa_error_code(), FA_ERROR_FILE);
        fa_error_clear();
        fclose(full);
    }
    fa_print(t);
    assert_false(fa_failed());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_pytorchs),           cmocka_unit_test(other_devices_are_named),
        cmocka_unit_test(views_print_their_elements), cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(failures_are_errors),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
