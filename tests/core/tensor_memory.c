/* The memory of tensors: typed pointers, memory that is borrowed, and moving it in place. */
#define _GNU_SOURCE
#include "support/api_test.h"

static void pointers_are_typed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = fa_zeros(FA_SHAPE(2, 2));
    float *p = fa_ptr_f32(t);
    p[3] = 7;
    assert_true(fa_item(fa_get(t, "1, 1")) == 7);
    assert_ptr_equal(fa_ptr_f32(fa_get(t, "1")), p + 2);
    /* it pins: neither device nor dtype can change below it */
    assert_false(fa_move_(t, DEVICE(0)));
    assert_error(FA_ERROR_STATE, "a pointer was taken of");
    assert_false(fa_move_(t, FA_F64));
    assert_error(FA_ERROR_STATE, "");
    assert_true(p == fa_ptr_f32(t) && p[3] == 7);
    const struct {
        void *p;
        fa_dtype dtype;
    } rows[] = {{fa_ptr_bool(fa_zeros(FA_SCALAR, .dtype = FA_BOOL)), FA_BOOL},
                {fa_ptr_u8(fa_zeros(FA_SCALAR, .dtype = FA_U8)), FA_U8},
                {fa_ptr_i8(fa_zeros(FA_SCALAR, .dtype = FA_I8)), FA_I8},
                {fa_ptr_i16(fa_zeros(FA_SCALAR, .dtype = FA_I16)), FA_I16},
                {fa_ptr_i32(fa_zeros(FA_SCALAR, .dtype = FA_I32)), FA_I32},
                {fa_ptr_i64(fa_zeros(FA_SCALAR, .dtype = FA_I64)), FA_I64},
                {fa_ptr_f16(fa_zeros(FA_SCALAR, .dtype = FA_F16)), FA_F16},
                {fa_ptr_bf16(fa_zeros(FA_SCALAR, .dtype = FA_BF16)), FA_BF16},
                {fa_ptr_f64(fa_zeros(FA_SCALAR, .dtype = FA_F64)), FA_F64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_non_null(rows[i].p);
    /* later asynchronous work is waited for */
    fa_tensor *h = fa_to(fa_full(FA_SHAPE(1000), 3.0, .device = DEVICE(0)), FA_CPU);
    assert_true(fa_ptr_f32(h)[999] == 3);
    assert_no_error();
}

static void moving_in_place_takes_holders_along(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_tensor_of(1.0, 2.0, 3.0, 4.0), *view;
    {
        FA_USE(.no_grad = true);
        view = fa_get(w, "1:3");
    }
    assert_true(fa_move_(w, DEVICE(0)));
    assert_true(fa_device_equal(fa_tensor_device(view), DEVICE(0)));
    assert_true(fa_item(fa_sum(view)) == 5);
    assert_false(fa_move_(w, FA_F64));
    assert_error(FA_ERROR_STATE, "other tensors view");
    fa_tensor *p = fa_tensor_of(1.0, 2.0);
    fa_set_requires_grad(p, true);
    assert_true(fa_backward(fa_sum(fa_mul(p, p))));
    assert_true(fa_move_(p, DEVICE(1)));
    assert_true(fa_device_equal(fa_tensor_device(fa_grad(p)), DEVICE(1)));
    assert_true(fa_move_(p, FA_F64));
    assert_int_equal(fa_tensor_dtype(fa_grad(p)), FA_F64);
    assert_true(fa_item(fa_get(fa_grad(p), "1")) == 4);
    assert_false(fa_move_(p, FA_I32));
    assert_error(FA_ERROR_DTYPE, "i32");
    assert_int_equal(fa_tensor_dtype(p), FA_F64);
    /* what was recorded before the move is not passed back through it */
    fa_tensor *loss = fa_sum(fa_mul(p, p));
    assert_false(fa_move_(p, FA_F32));
    assert_error(FA_ERROR_STATE, "");
    assert_true(fa_move_(p, DEVICE(0)));
    assert_false(fa_backward(loss));
    assert_error(FA_ERROR_GRADIENT, "mul");
    fa_tensor *node = fa_mul(p, 2);
    assert_false(fa_move_(node, FA_CPU));
    assert_error(FA_ERROR_STATE, "not a leaf");
}

/* ---- borrowed memory ---- */

static int freed;
static void *freed_data;

static void count_free(void *context, void *data)
{
    assert_ptr_equal(context, &freed);
    freed_data = data;
    freed++;
}

static void borrowed_memory_is_used_in_place(void **state)
{
    (void)state;
    float data[12];
    for (int i = 0; i < 12; i++)
        data[i] = (float)i;
    static const struct {
        fa_shape shape;
        int64_t strides[2];
        int first;
        double at[4]; /* corners */
    } rows[] = {
        {{2, {3, 4}}, {4, 1}, 0, {0, 3, 8, 11}},    {{2, {4, 3}}, {1, 4}, 0, {0, 8, 3, 11}},
        {{2, {3, 4}}, {-4, -1}, 11, {11, 8, 3, 0}}, {{2, {3, 2}}, {4, -2}, 3, {3, 1, 11, 9}},
        {{2, {3, 4}}, {0, 1}, 4, {4, 7, 4, 7}},     {{2, {1, 1}}, {100, -100}, 5, {5, 5, 5, 5}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        freed = 0;
        fa_tensor *kept;
        {
            FA_SCOPE;
            fa_tensor *t = fa_tensor_borrow(data + rows[i].first, rows[i].shape, .strides = rows[i].strides,
                                            .free = count_free, .ctx = &freed);
            assert_non_null(t);
            assert_ptr_equal(fa_ptr_f32(t), data + rows[i].first);
            static const char *const corner[] = {"0, 0", "0, -1", "-1, 0", "-1, -1"};
            for (int k = 0; k < 4; k++)
                assert_true(fa_item(fa_get(t, corner[k])) == rows[i].at[k]);
            fa_tensor *same = fa_tensor_from(data, FA_SHAPE(1));
            assert_non_null(same);
            assert_true(fa_item(fa_sum(fa_to(t, DEVICE(0)))) == fa_item(fa_sum(t)));
            kept = fa_keep(fa_get(t, "0"));
            assert_false(fa_move_(t, DEVICE(0)));
            assert_error(FA_ERROR_STATE, "borrowed");
        }
        assert_int_equal(freed, 0); /* a view still uses it */
        fa_release(kept);
        assert_int_equal(freed, 1);
        assert_ptr_equal(freed_data, data + rows[i].first);
    }
    {
        FA_SCOPE;
        fa_tensor *t = fa_tensor_borrow(data, FA_SHAPE(3, 4));
        fa_add_(t, 100);
        fa_set(t, "::-1, 0", fa_tensor_of(1.0, 2.0, 3.0));
    }
    assert_true(data[11] == 111 && data[0] == 3 && data[8] == 1);
    assert_no_error();
}

static void what_is_refused_is_not_freed(void **state)
{
    (void)state;
    FA_SCOPE;
    float data[4];
    freed = 0;
    static const int64_t far = INT64_MAX / 2;
    assert_null(fa_tensor_borrow(data, FA_SHAPE(-4), .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(data, FA_SHAPE(4), .strides = &far, .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(data, FA_SHAPE(4), .dtype = (fa_dtype)50, .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(data, FA_SHAPE(4), .device = FA_CUDA(0), .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(NULL, FA_SHAPE(4), .free = count_free, .ctx = &freed));
    fa_error_clear();
    assert_null(fa_tensor_borrow(data, FA_SHAPE(4), .device = DEVICE(0), .free = count_free, .ctx = &freed));
    assert_error(FA_ERROR_DEVICE, "fa_tensor_borrow: late:0 has memory of its own: fa_tensor_from copies there");
    assert_int_equal(freed, 0);
}

/* ---- the program's memory and late work ---- */

enum { FEW = 1000, MANY = 5 << 20 /* so many that no copy of them is made on the host */ };

/* A tensor over the program's memory: lent, or by a pointer into it. */
static fa_tensor *of_program(float *data, int64_t count, bool lent, float **memory)
{
    fa_tensor *t =
        lent ? fa_tensor_borrow(data, FA_SHAPE(count), .free = count_free, .ctx = &freed) : fa_zeros(FA_SHAPE(count));
    *memory = lent ? data : fa_ptr_f32(t);
    for (int64_t i = 0; i < count; i++)
        (*memory)[i] = 2;
    return t;
}

static int begin_still(void **state)
{
    (void)state;
    fa_error_clear();
    test_devices_delay(-1);
    freed = 0;
    return 0;
}

static int end_still(void **state)
{
    (void)state;
    test_devices_delay(0);
    fa_synchronize(DEVICE(0));
    return fa_failed() ? -1 : 0;
}

/* Between two calls the program does with its memory what it likes. */
static void copies_from_the_programs_memory_have_its_values_at_the_call(void **state)
{
    (void)state;
    float *data = malloc(MANY * sizeof *data), *memory;
    for (int64_t count = FEW; count <= MANY; count += MANY - FEW)
        for (int lent = 0; lent < 2; lent++) {
            FA_SCOPE;
            fa_tensor *y;
            freed = 0;
            {
                FA_SCOPE;
                fa_add(fa_ones(FA_SHAPE(10), .device = DEVICE(0)), 1); /* the queue is busy */
                y = fa_escape(fa_to(of_program(data, count, lent, &memory), DEVICE(0)));
                memset(memory, 0xFF, (size_t)count * sizeof *memory);
            }
            assert_int_equal(freed, lent);
            assert_true(fa_item(fa_sum(y)) == 2 * (double)count);
        }
    free(data);
}

static void copies_into_the_programs_memory_are_done_when_the_call_returns(void **state)
{
    (void)state;
    float *data = malloc(MANY * sizeof *data), *memory;
    for (int64_t count = FEW; count <= MANY; count += MANY - FEW)
        for (int lent = 0; lent < 2; lent++) {
            FA_SCOPE;
            fa_tensor *ones = fa_ones(FA_SHAPE(count), .device = DEVICE(0)),
                      *t = of_program(data, count, lent, &memory);
            fa_transfers_reset();
            assert_non_null(fa_copy_(t, ones));
            assert_true(memory[0] == 1 && memory[count - 1] == 1);
            assert_int_equal(fa_transfers_total().waits, 1);
            memory[0] = 5;
            fa_synchronize(DEVICE(0));
            assert_true(memory[0] == 5);
        }
    free(data);
}

/* What may be written and freed at once needs no wait: few bytes are put aside. Other waits have the call's name. */
static void waits_for_the_programs_memory_can_be_forbidden(void **state)
{
    (void)state;
    float *data = malloc(MANY * sizeof *data), *memory;
    FA_SCOPE;
    fa_tensor *few = of_program(data, FEW, false, &memory), *many = of_program(data, MANY, true, &memory);
    fa_tensor *there = fa_ones(FA_SHAPE(FEW), .device = DEVICE(0)), *own = fa_ones(FA_SHAPE(MANY));
    fa_transfers_reset();
    {
        FA_USE(.forbid = FA_SYNC);
        assert_non_null(fa_to(few, DEVICE(0)));
        assert_non_null(fa_to(own, DEVICE(0))); /* nobody else touches the library's memory */
        assert_non_null(fa_cpu(there));
        assert_null(fa_to(many, DEVICE(0)));
        assert_error(FA_ERROR_SYNC, "fa_to: the host would wait for late:0, which .forbid = FA_SYNC forbids here");
        assert_null(fa_copy_(few, there));
        assert_error(FA_ERROR_SYNC, "fa_copy_: the host would wait for late:0, which .forbid = FA_SYNC forbids here");
    }
    assert_int_equal(fa_transfers_total().waits, 0);
    assert_int_equal(fa_transfers_total().to_device, 2);
    assert_true(fa_item(fa_sum(few)) == 2 * FEW);
    assert_non_null(fa_to(many, DEVICE(0)));
    free(data);
}

#define STILL(f) cmocka_unit_test_setup_teardown(f, begin_still, end_still)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pointers_are_typed),
        TEST(moving_in_place_takes_holders_along),
        TEST(borrowed_memory_is_used_in_place),
        TEST(what_is_refused_is_not_freed),
        STILL(copies_from_the_programs_memory_have_its_values_at_the_call),
        STILL(copies_into_the_programs_memory_are_done_when_the_call_returns),
        STILL(waits_for_the_programs_memory_can_be_forbidden),
    };
    return RUN("api_tensor_memory");
}
