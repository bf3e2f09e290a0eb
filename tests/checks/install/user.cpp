// An outside program in C++17: the same macros, and an exception that passes a scope, in C++ and in C.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <facula/facula.h>

extern "C" void call_without_grad(void (*f)(void));

static bool records(fa_tensor *x)
{
    return fa_requires_grad(fa_mul(x, 2));
}

static int failures;

// Calls outside of functions.
static const fa_device best = fa_device_best();
static bool is_here(fa_device device = fa_device_current())
{
    return fa_is_available(device) && fa_is_available(best);
}

static void check(bool good, int line)
{
    if (!good)
        std::fprintf(stderr, "line %d: not as expected: %s\n", line, fa_error_message());
    failures += !good;
    fa_error_clear();
}
#define CHECK(good) check(good, __LINE__)

static fa_tensor *mean_square(fa_tensor *x)
{
    FA_SCOPE;
    return fa_escape(fa_mean(fa_mul(x, x)));
}

// The forms of calls that C spells with _Generic and compound literals.
static void calls()
{
    FA_SCOPE;
    CHECK(fa_tensor_dtype(fa_tensor_of(1, 2, 3)) == FA_I64 && fa_tensor_dtype(fa_tensor_of(1, 2.5)) == FA_F32);
    CHECK(fa_item_int(fa_tensor_of(INT64_MAX)) == INT64_MAX);
    CHECK(fa_item_int(fa_get(fa_tensor_of(1u, -1), "1")) == -1 && fa_item(fa_tensor_of(2.5f)) == 2.5);
    CHECK(!fa_tensor_of(UINT64_MAX) && fa_error_code() == FA_ERROR_ARGUMENT);
    const fa_metadata texts = FA_METADATA();
    CHECK(texts.count == 0 && !fa_save((fa_module *)NULL, "x", .metadata = FA_METADATA("run", "7", "by", "me"))
          && fa_error_code() == FA_ERROR_ARGUMENT);
    CHECK(fa_dim(fa_zeros(FA_SHAPE())) == 0 && !fa_cat(FA_TENSORS()) && fa_error_code() == FA_ERROR_ARGUMENT);
    const double data[] = {1, 2, 3, 4};
    static float borrowed[] = {1, 2};
    static int freed;
    {
        FA_SCOPE;
        fa_tensor *x = fa_tensor_from(data, FA_SHAPE(2, 2), .dtype = FA_F64);
        CHECK(fa_item(fa_sum(fa_add(1, fa_mul(x, 2.0f), .alpha = 1))) == 24);
        CHECK(fa_item(fa_get(fa_sub(10, x), "0, -1")) == 8);
        CHECK(fa_dim(fa_sum(x, .dim = 0, .keepdim = true)) == 2 && fa_dim(fa_zeros(FA_SCALAR)) == 0);
        CHECK(fa_item(fa_get(fa_max(x, 1).values, "-1")) == 4);
        CHECK(fa_item(fa_sum(fa_cat(FA_TENSORS(x, x), .dim = 1))) == 20);
        CHECK(fa_item(fa_sum(fa_index(x, fa_gt(x, 2)))) == 7 && fa_item(fa_index(x, 1, "...", 0u)) == 3);
        CHECK(fa_index_put_(fa_clone(x), FA_INDEX(":", fa_argmax(x, .dim = 1)), 5, .accumulate = true) != NULL);
        CHECK(fa_item(fa_sum(fa_pointwise("x * y + z", x, 2, 0.5))) == 22);
        CHECK(fa_item(fa_sum(fa_to(fa_to(x, FA_LATE(0)), FA_F32))) == 10);
        CHECK(fa_set(x, "0", 7) == x && fa_item(fa_sum(x)) == 21 && fa_set(x, "1", fa_tensor_of(1, 2)));
        CHECK(fa_item(mean_square(x)) == 25.75);
        fa_tensor_borrow(
            borrowed, FA_SHAPE(2), .free = [](void *, void *) { freed++; });
        CHECK(fa_equal(fa_add(x, 1, .out = fa_zeros_like(x)), fa_add(x, 1)));
        fa_meter *right = fa_meter_accuracy(.top_k = 2), *mean = fa_meter_mean();
        CHECK(fa_meter_update(mean, 2.5f, .count = 2) && fa_meter_update(mean, x) && !std::isnan(fa_meter_value(mean)));
        CHECK(fa_meter_update(right, x, .target = fa_argmax(x, .dim = 1)) && fa_meter_value(right) == 1);
        fa_progress *bar = fa_progress_new(2, .label = "steps", .quiet = true);
        CHECK(fa_progress_tick(bar) && fa_progress_tick(bar, "mean", fa_meter_tensor(mean), "lr", 0.5, "n", 3u));
        fa_tensor *const list[] = {x};
        const fa_tensors lists = {1, list};
        const fa_binding names[] = {FA_BIND("p", lists), FA_BIND("lr", 0.5f)};
        CHECK(fa_update("p = p * lr + lr", 2, names));
        fa_tensor *fresh = fa_ones(FA_SHAPE(3));
        CHECK(fa_move_(fresh, FA_F64) && fa_move_(fresh, FA_LATE(0)) && fa_tensor_dtype(fresh) == FA_F64);
    }
    CHECK(freed == 1);
    FA_VAR(total, fa_zeros(FA_SCALAR));
    FA_REPEAT (i, 10) {
        if (i == 2)
            continue;
        fa_assign(&total, fa_add(total, i));
    }
    FA_REPEAT (3)
        fa_assign(&total, fa_add(total, 1));
    CHECK(fa_item(total) == 46);
    fa_tensor *kept = fa_keep(total);
    CHECK(fa_adopt(kept) == kept);
    fa_error mine = {};
    {
        FA_USE(.catch_errors = &mine);
        fa_add(fa_zeros(FA_SHAPE(2)), fa_zeros(FA_SHAPE(3)));
    }
    CHECK(!fa_failed() && mine.code == FA_ERROR_SHAPE);
    {
        fa_stream *stream = fa_stream_new(FA_CPU);
        fa_event *event = fa_event_new();
        FA_USE(.stream = stream, .fallback = true);
        CHECK(fa_item(fa_sum(fa_ones(FA_SHAPE(3)))) == 3 && fa_event_record(event, nullptr));
        CHECK(fa_event_wait(event, stream) && fa_stream_done(stream) && fa_event_ms(event, event) == 0);
    }
    fa_tensor *w = fa_ones(FA_SHAPE(3), .requires_grad = true);
    CHECK(fa_backward(fa_mul(w, 3), .grad = fa_ones_like(w)) && fa_item(fa_sum(fa_grad(w))) == 9);
    CHECK(fa_grad_of(FA_TENSORS(fa_sum(fa_pow(w, 2))), FA_TENSORS(w), .create_graph = true).count == 1);
}

// Errors name the line, of calls that are templates too.
static void lines()
{
    fa_tensor *x = nullptr;
    CHECK(!fa_exp(x) && std::strstr(fa_error_message(), "user.cpp:"));
    CHECK(!fa_pointwise("x +", fa_ones(FA_SHAPE(2))) && std::strstr(fa_error_message(), "user.cpp:"));
    CHECK(!fa_call(fa_op_find("exp"), x) && std::strstr(fa_error_message(), "user.cpp:"));
    CHECK(!fa_nn_sequential((fa_module *)nullptr) && std::strstr(fa_error_message(), "user.cpp:"));
    CHECK(!fa_synchronize(FA_CUDA(77)) && std::strstr(fa_error_message(), "user.cpp:"));
}

int main()
{
    calls();
    lines();
    CHECK(is_here());
    fa_tensor *x = fa_rand(FA_SHAPE(3, 4), .requires_grad = true);
    bool recorded = records(x);
    try {
        FA_SCOPE;
        FA_USE(.no_grad = true);
        throw 1;
    } catch (int) {
    }
    bool after_cxx = records(x);
    try {
        call_without_grad([] { throw 2; });
    } catch (int) {
    }
    bool after_c = records(x);
    if (fa_failed())
        return std::fprintf(stderr, "%s\n", fa_error_message()), 1;
    if (!recorded || !after_cxx || !after_c)
        return std::fprintf(stderr, "records: %d, after C++ %d, after C %d\n", recorded, after_cxx, after_c), 1;
    return failures ? 1 : 0;
}
