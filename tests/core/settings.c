/* Settings: they nest and are lifted, threads begin with none, and each does what it says. */
#define _GNU_SOURCE
#include "support/api_test.h"
#include <pthread.h>

static void settings_nest_and_end_with_their_block(void **state)
{
    (void)state;
    fa_settings before = fa__settings();
    assert_true(fa_device_equal(fa_device_current(), FA_CPU));
    assert_false(before.no_grad || before.fallback || before.deterministic || before.tf32 || before.anomaly);
    assert_int_equal(before.forbid, 0);
    assert_int_equal(before.placement, FA_PLACE_DEFAULT);
    assert_int_equal(before.autocast, FA_SAME);
    assert_null(before.stream);
    assert_null(before.catch_errors);
    {
        FA_USE(.no_grad = true, .device = DEVICE(0));
        FA_USE(.deterministic = true, .tf32 = true, .anomaly = true, .fallback = true);
        assert_true(fa__settings().no_grad && fa__settings().deterministic && fa__settings().tf32
                    && fa__settings().anomaly && fa__settings().fallback);
        assert_true(fa_device_equal(fa_device_current(), DEVICE(0)));
        {
            FA_USE(.no_grad = false, .device = DEVICE(1), .autocast = FA_BF16, .placement = FA_PLACE_STRICT,
                   .forbid = FA_SYNC);
            assert_false(fa__settings().no_grad);
            assert_true(fa__settings().deterministic);
            assert_int_equal(fa__settings().autocast, FA_BF16);
            assert_int_equal(fa__settings().placement, FA_PLACE_STRICT);
            assert_int_equal(fa__settings().forbid, FA_SYNC);
            FA_USE(.autocast = FA_SAME, .forbid = 0);
            assert_int_equal(fa__settings().autocast, FA_SAME);
            assert_int_equal(fa__settings().forbid, 0);
            assert_true(fa_device_equal(fa_device_current(), DEVICE(1)));
        }
        assert_true(fa__settings().no_grad);
        assert_int_equal(fa__settings().forbid, 0);
        assert_true(fa_device_equal(fa_device_current(), DEVICE(0)));
    }
    fa_settings after = fa__settings();
    assert_memory_equal(&before, &after, offsetof(fa_settings, fa__end));
    for (int i = 0; i < 3; i++) {
        FA_USE(.no_grad = true);
        if (i == 1)
            continue;
        if (i == 2)
            break;
    }
    assert_false(fa__settings().no_grad);
}

static int deep(int depth)
{
    FA_USE(.no_grad = depth % 2 == 0, .forbid = (unsigned)depth % 4);
    int good = depth ? deep(depth - 1) : 1;
    return good && fa__settings().no_grad == (depth % 2 == 0) && fa__settings().forbid == (unsigned)depth % 4;
}

static void many_settings_at_once(void **state)
{
    (void)state;
    assert_true(deep(1000));
    assert_false(fa__settings().no_grad);
}

static void *look_at_settings(void *argument)
{
    fa_settings *s = argument;
    *s = fa__settings();
    bool *good = (bool *)&s->stream; /* a place for the answer */
    *good = !fa_failed() && fa_device_equal(fa_device_current(), FA_CPU);
    return NULL;
}

static void threads_inherit_nothing(void **state)
{
    (void)state;
    fa_error e = {0};
    fa_fail(FA_ERROR_USER, "of this thread");
    FA_USE(.no_grad = true, .device = DEVICE(0), .forbid = FA_SYNC, .catch_errors = &e, .autocast = FA_F16,
           .placement = FA_PLACE_AUTO, .deterministic = true);
    fa_settings s;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, look_at_settings, &s), 0);
    pthread_join(thread, NULL);
    assert_false(s.no_grad || s.deterministic);
    assert_int_equal(s.forbid, 0);
    assert_int_equal(s.autocast, FA_SAME);
    assert_int_equal(s.placement, FA_PLACE_DEFAULT);
    assert_null(s.catch_errors);
    assert_true(s.stream != NULL);
}

/* ---- errors of two libraries ---- */

static bool library_a(fa_error *mine)
{
    FA_USE(.catch_errors = mine);
    fa_add(fa_zeros(FA_SHAPE(2)), fa_zeros(FA_SHAPE(3)));
    return fa_failed();
}

static bool library_b(fa_error *mine, fa_error *inner)
{
    FA_USE(.catch_errors = mine);
    bool inner_failed = library_a(inner);
    if (fa_failed())
        return false; /* that of the other library is not ours */
    fa_fail(FA_ERROR_USER, "of b");
    return inner_failed;
}

static void errors_of_a_block_are_kept_apart(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_error a = {0}, b = {0};
    assert_true(library_b(&b, &a));
    assert_false(fa_failed());
    assert_int_equal(a.code, FA_ERROR_SHAPE);
    assert_non_null(strstr(a.message, "fa_add("));
    assert_int_equal(b.code, FA_ERROR_USER);
    assert_non_null(strstr(b.message, "settings.c:"));
    assert_non_null(strstr(b.message, ": of b"));
    assert_true(a.seen);
    /* an error that stands outside does not end what happens inside, and the other way round */
    fa_fail(FA_ERROR_USER, "outside");
    fa_error c = {0};
    fa_tensor *x = fa_zeros(FA_SHAPE(2));
    {
        FA_USE(.catch_errors = &c);
        assert_false(fa_failed());
        int turns = 0;
        FA_REPEAT (i, 3)
            turns++;
        assert_int_equal(turns, 3);
        assert_non_null(fa_add_(x, 1));
        assert_true(fa_item(fa_sum(x)) == 2);
        {
            FA_USE(.catch_errors = NULL); /* lifted: the thread's own again */
            assert_true(fa_failed());
            assert_string_equal(error_reason(), "outside");
        }
        fa_fail(FA_ERROR_USER, "inside");
        assert_string_equal(error_reason(), "inside");
        fa_error_clear();
        assert_int_equal(c.code, FA_OK);
        fa_fail(FA_ERROR_USER, "inside again");
    }
    assert_string_equal(error_reason(), "outside");
    assert_non_null(strstr(c.message, ": inside again"));
    fa_error_clear();
    assert_false(fa_failed());
    assert_int_equal(c.code, FA_ERROR_USER);
    /* one that already holds an error stands at once */
    FA_USE(.catch_errors = &c);
    assert_true(fa_failed());
    fa_error_clear();
}

/* ---- what they do ---- */

static void the_device_is_where_new_tensors_are_made(void **state)
{
    (void)state;
    FA_SCOPE;
    const float data[] = {1, 2};
    for (int i = 0; i < 3; i++) {
        const fa_device where = i == 0 ? FA_CPU : DEVICE(i - 1);
        FA_USE(.device = where);
        fa_tensor *made[] = {fa_zeros(FA_SHAPE(2)),
                             fa_ones(FA_SHAPE(2)),
                             fa_full(FA_SHAPE(2), 3),
                             fa_arange(0, 3),
                             fa_rand(FA_SHAPE(2)),
                             fa_randn(FA_SHAPE(2)),
                             fa_randperm(4),
                             fa_tensor_of(1, 2),
                             fa_tensor_of(1.0, 2.0),
                             fa_tensor_from(data, FA_SHAPE(2)),
                             fa_identity(fa_zeros(FA_SHAPE(2), .device = FA_CPU))};
        for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
            assert_non_null(made[k]);
            assert_true(fa_device_equal(fa_tensor_device(made[k]), where));
        }
        float borrowed[2];
        assert_true(fa_device_equal(fa_tensor_device(fa_tensor_borrow(borrowed, FA_SHAPE(2))), FA_CPU));
        assert_true(fa_device_equal(fa_tensor_device(fa_zeros(FA_SHAPE(2), .device = DEVICE(1))), DEVICE(1)));
        /* it does not move what is there */
        fa_tensor *x = fa_zeros(FA_SHAPE(2), .device = DEVICE(1));
        assert_true(fa_device_equal(fa_tensor_device(fa_add(x, 1)), DEVICE(1)));
        assert_true(fa_device_equal(fa_tensor_device(fa_zeros_like(x)), DEVICE(1)));
    }
    if (!fa_is_available(FA_CUDA(0))) {
        FA_USE(.device = FA_CUDA(0));
        assert_null(fa_zeros(FA_SHAPE(2)));
        assert_error(FA_ERROR_UNAVAILABLE, "CUDA");
    }
    FA_USE(.device = FA_CPU);
    assert_non_null(fa_zeros(FA_SHAPE(2)));
    assert_no_error();
}

static void without_gradients_nothing_is_recorded(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *w = fa_ones(FA_SHAPE(2), .requires_grad = true), *y;
    {
        FA_USE(.no_grad = true);
        y = fa_mul(w, 2);
        assert_false(fa_requires_grad(y));
        assert_true(fa_is_leaf(y));
        assert_non_null(fa_add_(w, 1)); /* allowed here */
        {
            FA_USE(.no_grad = false);
            assert_true(fa_requires_grad(fa_mul(w, 2)));
        }
    }
    assert_true(fa_requires_grad(fa_mul(w, 2)));
    assert_null(fa_add_(w, 1));
    assert_error(FA_ERROR_GRADIENT, "fa_add_", "leaf");
    assert_false(fa_backward(fa_sum(y)));
    assert_error(FA_ERROR_GRADIENT, "");
    assert_true(fa_item(fa_sum(w)) == 4);
}

/* Values that a setting does not take are an error that names it; what held before holds on. */
static void settings_refuse_other_values(void **state)
{
    (void)state;
    FA_SCOPE;
    for (int i = 0; i < 5; i++) {
        static const char *const said[] = {"FA_USE: .autocast takes", "FA_USE: .autocast takes",
                                           "FA_USE: .placement has", "FA_USE: .forbid has", "FA_USE: .forbid has"};
        const fa_dtype autocast[] = {FA_F32, FA_I64, FA_SAME, FA_SAME, FA_SAME};
        FA_USE(.placement = i < 2    ? FA_PLACE_DEFAULT
                            : i == 2 ? (fa_placement)(FA_PLACE_AUTO + 1)
                                     : FA_PLACE_AUTO,
               .forbid = i < 3    ? 0
                         : i == 3 ? 4
                                  : 1024,
               .autocast = autocast[i], .no_grad = true);
        assert_error(FA_ERROR_ARGUMENT, said[i]);
        assert_false(fa__settings().no_grad);
        assert_int_equal(fa__settings().placement, FA_PLACE_DEFAULT);
    }
    FA_USE(.placement = FA_PLACE_AUTO, .forbid = FA_SYNC | FA_TRANSFER);
    assert_no_error();
    assert_int_equal(fa__settings().forbid, FA_SYNC | FA_TRANSFER);
}

static void what_is_forbidden_is_an_error_that_names_the_operation(void **state)
{
    (void)state;
    test_devices_delay(-1); /* nothing is done before somebody waits */
    FA_SCOPE;
    fa_tensor *x = fa_to(fa_ones(FA_SHAPE(1000)), DEVICE(0)), *c = fa_ones(FA_SHAPE(1000)), *number = fa_sum(x);
    fa_synchronize(DEVICE(0));
    float values[1000];
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        fa_tensor *y = fa_add(fa_mul(x, 2), 1); /* nothing waits, nothing is copied */
        assert_non_null(y);
        assert_non_null(fa_zeros(FA_SHAPE(1000), .device = DEVICE(0)));
        assert_no_error();
        assert_null(fa_to(y, FA_CPU));
        assert_error(FA_ERROR_SYNC, "a copy from late:0 to cpu", "FA_TRANSFER");
        assert_null(fa_to(c, DEVICE(0)));
        assert_error(FA_ERROR_SYNC, "a copy from cpu to late:0", "FA_TRANSFER");
        assert_null(fa_to(y, DEVICE(1)));
        assert_error(FA_ERROR_SYNC, "late:1");
        assert_true(fa_item(fa_add(number, 1)) != 1001);
        assert_error(FA_ERROR_SYNC, "");
        assert_false(fa_read(y, values, FA_F32, 1000));
        assert_error(FA_ERROR_SYNC, "");
        assert_null(fa_text(y));
        assert_error(FA_ERROR_SYNC, "");
        assert_false(fa_synchronize(DEVICE(0)));
        assert_error(FA_ERROR_SYNC, "synchronize");
        {
            FA_USE(.placement = FA_PLACE_AUTO);
            assert_null(fa_add(x, c));
            assert_error(FA_ERROR_SYNC, "");
        }
        {
            FA_USE(.forbid = 0);
            assert_true(fa_item(fa_sum(y)) == 3000);
        }
        {
            FA_USE(.forbid = FA_SYNC);
            fa_tensor *back = fa_to(y, FA_CPU); /* on its way: the host does not wait */
            assert_non_null(back);
            assert_true(fa_item(fa_get(back, "0")) != 3);
            assert_error(FA_ERROR_SYNC, "item", "FA_SYNC");
            assert_null(fa_ptr_f32(back));
            assert_error(FA_ERROR_SYNC, "ptr");
            FA_USE(.forbid = FA_TRANSFER);
            assert_true(fa_item(fa_get(back, "0")) == 3);
        }
    }
    assert_true(fa_item(number) == 1000);
    assert_no_error();
    test_devices_delay(20);
}

static void forbidding_stops_a_training_step_before_it_changes_anything(void **state)
{
    (void)state;
    test_devices_delay(-1); /* nothing is done before somebody waits */
    FA_SCOPE;
    fa_tensor *w = fa_to(fa_ones(FA_SHAPE(8)), DEVICE(0));
    fa_set_requires_grad(w, true);
    fa_synchronize(DEVICE(0));
    {
        FA_USE(.forbid = FA_SYNC | FA_TRANSFER);
        fa_tensor *loss = fa_mean(fa_mul(w, w));
        bool passed = fa_backward(loss); /* a step needs no wait */
        assert_no_error();
        assert_true(passed);
        const fa_binding b[] = {{.name = "p", .tensors = FA_TENSORS(w)},
                                {.name = "g", .tensors = FA_TENSORS(fa_grad(w))}};
        assert_true(fa_update("p = p - g", 2, b));
        assert_no_error();
    }
    assert_true(fa_item(fa_sum(w)) == 6);
    test_devices_delay(20);
}

static void automatic_placement_copies_and_counts(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *a = fa_ones(FA_SHAPE(100)), *b = fa_to(fa_ones(FA_SHAPE(100)), DEVICE(0)), *c = fa_to(a, DEVICE(1));
    assert_null(fa_add(a, b));
    assert_error(FA_ERROR_DEVICE, "different devices", "FA_PLACE_AUTO");
    /* a 0-dim tensor of the CPU goes with any device as a value; not the other way round */
    assert_true(fa_device_equal(fa_tensor_device(fa_add(b, fa_sum(a))), DEVICE(0)));
    assert_null(fa_add(a, fa_sum(b)));
    assert_error(FA_ERROR_DEVICE, "");
    assert_null(fa_add(b, fa_reshape(fa_sum(a), FA_SHAPE(1))));
    assert_error(FA_ERROR_DEVICE, "");
    fa_synchronize(DEVICE(0));
    fa_synchronize(DEVICE(1));
    fa_transfers_reset();
    {
        FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(1));
        assert_true(fa_device_equal(fa_tensor_device(fa_add(a, b)), DEVICE(1)));
        fa_transfers t = fa_transfers_total();
        /* between devices of two kinds it goes by the host */
        size_t by_host = DEVICE(0).kind != DEVICE(1).kind;
        assert_int_equal(t.to_device, 1 + by_host);
        assert_int_equal(t.bytes_to_device, 400 + 400 * by_host);
        assert_int_equal(t.between, 1 - by_host);
        assert_int_equal(t.bytes_between, 400 - 400 * by_host);
        assert_int_equal(t.to_host, by_host);
        FA_USE(.device = FA_CPU);
        assert_true(fa_device_equal(fa_tensor_device(fa_add(b, c)), FA_CPU));
        assert_int_equal(fa_transfers_total().to_host, 2 + by_host);
        {
            FA_USE(.placement = FA_PLACE_STRICT);
            assert_null(fa_add(a, b));
            assert_error(FA_ERROR_DEVICE, "");
        }
        assert_true(fa_item(fa_sum(fa_matmul(a, c))) == 100);
        assert_true(fa_item(fa_sum(fa_cat(FA_TENSORS(a, b, c)))) == 300);
        assert_true(fa_item(fa_mse_loss(a, c)) == 0);
    }
    {
        FA_USE(.placement = FA_PLACE_AUTO); /* without a device: that of the first operand that is not on the CPU */
        assert_true(fa_device_equal(fa_tensor_device(fa_add(a, c)), DEVICE(1)));
        assert_true(fa_device_equal(fa_tensor_device(fa_add(b, c)), DEVICE(0)));
        assert_true(fa_device_equal(fa_tensor_device(fa_cat(FA_TENSORS(a, c))), DEVICE(1)));
        assert_true(fa_device_equal(fa_tensor_device(fa_neg(b)), DEVICE(0)));
    }
    assert_null(fa_add(a, b));
    assert_error(FA_ERROR_DEVICE, "");
    /* gradients come back to where their leaves are */
    fa_tensor *w = fa_ones(FA_SHAPE(100), .requires_grad = true);
    {
        FA_USE(.placement = FA_PLACE_AUTO, .device = DEVICE(0));
        assert_true(fa_backward(fa_sum(fa_mul(w, b))));
    }
    assert_true(fa_device_equal(fa_tensor_device(fa_grad(w)), FA_CPU));
    assert_true(fa_item(fa_sum(fa_grad(w))) == 100);
    assert_no_error();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(settings_nest_and_end_with_their_block),
        TEST(many_settings_at_once),
        TEST(threads_inherit_nothing),
        TEST(errors_of_a_block_are_kept_apart),
        TEST(the_device_is_where_new_tensors_are_made),
        TEST(without_gradients_nothing_is_recorded),
        TEST(settings_refuse_other_values),
        TEST(what_is_forbidden_is_an_error_that_names_the_operation),
        TEST(forbidding_stops_a_training_step_before_it_changes_anything),
        TEST(automatic_placement_copies_and_counts),
    };
    return RUN("api_settings");
}
