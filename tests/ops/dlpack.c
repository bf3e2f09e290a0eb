/* Exchange with other libraries by DLPack's structs: values, layouts and dtypes survive, memory is shared and lives as
 * long as either side uses it, and what cannot be represented is refused. */
#include "tensor/dlpack.h"
#include "support/alive.h"
#include "support/tensors.h"

static int deleted;

static void count_versioned(struct DLManagedTensorVersioned *m)
{
    (void)m;
    deleted++;
}

static void count_unversioned(struct DLManagedTensor *m)
{
    (void)m;
    deleted++;
}

/* What another library would hand over: a 2 x 3 matrix of f32 in columns. */
static float foreign[8];
static int64_t sizes[] = {2, 3}, strides[] = {1, 2};

static fa__dl_tensor matrix(void)
{
    for (int i = 0; i < 8; i++)
        foreign[i] = (float)i;
    return (fa__dl_tensor){.data = foreign,
                           .device = {DL_CPU, 0},
                           .rank = 2,
                           .dtype = {2, 32, 1},
                           .shape = sizes,
                           .strides = strides,
                           .byte_offset = 4};
}

static struct DLManagedTensorVersioned versioned(void)
{
    deleted = 0;
    return (struct DLManagedTensorVersioned){.version = {1, 3}, .deleter = count_versioned, .tensor = matrix()};
}

static void there_and_back(void **state)
{
    (void)state;
    const size_t before = blocks();
    for (int dtype = FA_BOOL; dtype < FA__DTYPES; dtype++)
        for (int how = LAYOUT_DENSE; how < LAYOUTS; how++)
            for (int old = 0; old < 2; old++) {
                FA_SCOPE;
                const int64_t shape[] = {3, 2, 4};
                double values[24];
                for (int i = 0; i < 24; i++)
                    values[i] = i & 1;
                if (how == LAYOUT_EXPANDED)
                    repeat_values(3, shape, values);
                fa_tensor *x = make_tensor(values, (fa_dtype)dtype, 3, shape, (layout)how, FA_CPU), *y;
                y = old ? fa_from_dlpack_unversioned(fa_to_dlpack_unversioned(x)) : fa_from_dlpack(fa_to_dlpack(x));
                assert_no_error();
                assert_true(fa_tensor_dtype(y) == (fa_dtype)dtype && tensor_same_bits(x, y));
                assert_ptr_equal(fa_ptr(y, (fa_dtype)dtype), fa_ptr(x, (fa_dtype)dtype));
                for (int d = 0; d < 3; d++)
                    assert_true(fa_stride(y, d) == fa_stride(x, d));
            }
    assert_int_equal(blocks(), before);
}

static void memory_lives_as_long_as_either_uses_it(void **state)
{
    (void)state;
    const size_t before = blocks();
    struct DLManagedTensorVersioned *out;
    {
        FA_SCOPE;
        out = fa_to_dlpack(fa_get(fa_arange(0, 1000), "1::2"));
    }
    assert_no_error();
    assert_int_equal(blocks(), before + 1);
    assert_true(out->version.major == 1 && out->tensor.rank == 1 && out->tensor.shape[0] == 500);
    assert_true(out->tensor.device.kind == DL_CPU && out->tensor.strides[0] == 2 && out->tensor.byte_offset == 0);
    assert_true(((const int64_t *)out->tensor.data)[2] == 3);
    out->deleter(out);
    assert_int_equal(blocks(), before);
    {
        FA_SCOPE;
        fa_tensor *x = fa_zeros(FA_SHAPE(3));
        out = fa_to_dlpack(x);
        assert_false(fa_move_(x, FA_META) || fa_move_(x, FA_F64)); /* others have a pointer to it */
        fa_error_clear();
        ((float *)out->tensor.data)[1] = 5;
        assert_true(fa_item(fa_sum(x)) == 5);
        out->deleter(out);
        assert_true(fa_move_(x, FA_F64));
    }
}

static void foreign_memory_is_given_back_once(void **state)
{
    (void)state;
    struct DLManagedTensorVersioned m = versioned();
    {
        FA_SCOPE;
        FA_VAR(kept, NULL);
        {
            FA_SCOPE;
            fa_tensor *x = fa_from_dlpack(&m);
            assert_true(fa_size(x, 0) == 2 && fa_size(x, 1) == 3 && fa_stride(x, 1) == 2);
            assert_true(fa_item(fa_get(x, "1, 2")) == 6 && fa_item(fa_get(x, "0, 0")) == 1);
            fa_mul_(x, 2);
            fa_assign(&kept, fa_get(x, "1"));
        }
        assert_int_equal(deleted, 0);
        assert_true(fa_item(fa_sum(kept)) == 2 * (2 + 4 + 6) && foreign[6] == 12);
    }
    assert_int_equal(deleted, 1);
    struct DLManagedTensor old = {.tensor = matrix(), .deleter = count_unversioned};
    old.tensor.strides = NULL;
    {
        FA_SCOPE;
        assert_true(fa_item(fa_get(fa_from_dlpack_unversioned(&old), "1, 0")) == 4);
        assert_int_equal(deleted, 1);
    }
    assert_int_equal(deleted, 2);
    old.deleter = NULL;
    {
        FA_SCOPE;
        assert_non_null(fa_from_dlpack_unversioned(&old));
    }
    assert_no_error();
}

static void read_only_memory_is_copied(void **state)
{
    (void)state;
    FA_SCOPE;
    struct DLManagedTensorVersioned m = versioned();
    m.flags = DL_READ_ONLY;
    fa_tensor *x = fa_from_dlpack(&m);
    assert_int_equal(deleted, 1);
    assert_true(fa_item(fa_sum(x)) == 1 + 2 + 3 + 4 + 5 + 6);
    fa_mul_(x, 0);
    assert_true(foreign[3] == 3);
    assert_no_error();
}

#define REFUSED(field, value, code, ...)                                                                               \
    do {                                                                                                               \
        struct DLManagedTensorVersioned odd = versioned();                                                             \
        odd.field = value;                                                                                             \
        assert_null(fa_from_dlpack(&odd));                                                                             \
        assert_error(code, "fa_from_dlpack", __VA_ARGS__);                                                             \
        assert_int_equal(deleted, 0);                                                                                  \
    } while (0)

static void what_cannot_be_represented_is_refused(void **state)
{
    (void)state;
    FA_SCOPE;
    int64_t many[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, negative[2] = {2, -3}, far[2] = {INT64_MAX, 1};
    REFUSED(version.major, 2, FA_ERROR_ARGUMENT, "DLPack 2");
    REFUSED(tensor.dtype.code, 5, FA_ERROR_DTYPE, "complex numbers of 32 bits");
    REFUSED(tensor.dtype.bits, 16 * 16 - 1, FA_ERROR_DTYPE, "255 bits");
    REFUSED(tensor.dtype.lanes, 4, FA_ERROR_DTYPE, "lanes 4");
    REFUSED(tensor.device.kind, 4, FA_ERROR_DEVICE, "kind 4");
    REFUSED(tensor.rank, -1, FA_ERROR_SHAPE, "-1 dimensions");
    REFUSED(tensor.shape, negative, FA_ERROR_SHAPE, "negative");
    REFUSED(tensor.strides, far, FA_ERROR_SHAPE, "further than can be addressed");
    REFUSED(tensor.byte_offset, 2, FA_ERROR_ARGUMENT, "no multiple");
    REFUSED(tensor.data, NULL, FA_ERROR_ARGUMENT, "NULL");
    struct DLManagedTensorVersioned m = versioned();
    m.tensor.rank = 9;
    m.tensor.shape = m.tensor.strides = many;
    assert_null(fa_from_dlpack(&m));
    assert_error(FA_ERROR_SHAPE, "9 dimensions");
    assert_null(fa_from_dlpack(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_from_dlpack: the struct is NULL");
    assert_null(fa_from_dlpack_unversioned(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_from_dlpack_unversioned: the struct is NULL");
    assert_null(fa_to_dlpack(NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_to_dlpack");
    assert_null(fa_to_dlpack(fa_zeros(FA_SHAPE(2), .requires_grad = true)));
    assert_error(FA_ERROR_GRADIENT, "fa_detach");
    assert_null(fa_to_dlpack(fa_zeros(FA_SHAPE(2), .device = FA_META)));
    assert_error(FA_ERROR_DEVICE, "meta");
}

static void without_elements(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *none = fa_from_dlpack(fa_to_dlpack(fa_zeros(FA_SHAPE(3, 0)))), *one;
    assert_true(fa_size(none, 0) == 3 && fa_size(none, 1) == 0);
    one = fa_from_dlpack(fa_to_dlpack(fa_full(FA_SCALAR, 7)));
    assert_true(fa_dim(one) == 0 && fa_item(one) == 7);
    assert_no_error();
}

/* A device of CUDA shares its memory; other devices cannot. */
static void on_devices(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *x = fa_add(fa_arange(0, 1000, .dtype = FA_F32, .device = DEVICE(1)), 1);
    if (DEVICE(1).kind != FA__CUDA) {
        assert_null(fa_to_dlpack(x));
        assert_error(FA_ERROR_DEVICE, "cannot reach the memory", "fa_cpu");
        return;
    }
    struct DLManagedTensorVersioned *out = fa_to_dlpack(x);
    assert_true(out->tensor.device.kind == DL_CUDA && out->tensor.device.index == DEVICE(1).index);
    fa_tensor *y = fa_from_dlpack(out);
    fa_mul_(y, 2);
    assert_true(fa_item(fa_sum(x)) == 1000 * 1001);
    assert_true(fa_item(fa_sum(fa_mul(y, 1))) == 1000 * 1001);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(there_and_back),
        TEST(memory_lives_as_long_as_either_uses_it),
        TEST(foreign_memory_is_given_back_once),
        TEST(read_only_memory_is_copied),
        TEST(what_cannot_be_represented_is_refused),
        TEST(without_elements),
        TEST(on_devices),
    };
    return RUN("ops_dlpack");
}
