/* What is said about memory: the error when it runs out, the summary, and the snapshot of all blocks. A program goes on
 * after the error, with less. */
#define _GNU_SOURCE
#include "core/context.h"
#include "core/order.h"
#include "support/api_test.h"
#include <ctype.h>
#include <stdio.h>

enum { MIB = 1 << 20, SIDE = 512 /* of a matrix of 1 MiB */ };

static fa_device place(int p)
{
    return p ? DEVICE(0) : FA_CPU;
}

/* From here on the device gives out so many MiB more. */
static void limit_to(fa_device d, int more)
{
    fa_synchronize(d);
    fa__order_reap(true);
    fa_empty_cache(d);
    assert_true(fa_memory_limit(d, fa_memory_stats(d).reserved + (size_t)more * MIB));
}

static char *written(fa_device d, bool snapshot)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    if (snapshot)
        assert_true(fa_memory_snapshot(d, file));
    else
        fa_memory_summary(d, file);
    fclose(file);
    return text;
}

/* ---- running out ---- */

static void the_error_names_the_five_largest_tensors(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_SCOPE;
        FA_USE(.device = place(p));
        limit_to(place(p), 64);
        FA_REPEAT (i, 2) /* freed at the end of each turn: not there any more */
            fa_zeros(FA_SHAPE(9 * SIDE, SIDE));
        fa_tensor *held[7];
        for (int i = 0; i < 7; i++)
            held[i] = fa_full(FA_SHAPE(i + 1, SIDE, SIDE), i + 0.5);
        fa_tensor *sum = fa_add(held[5], held[5]), *row = fa_get(sum, "0");
        assert_null(fa_zeros(FA_SHAPE(100, SIDE, SIDE)));
        const char *message = fa_error_message();
        const char *first = strstr(message, "7.00 MiB (7, 512, 512) f32, made by full at ");
        const char *second = strstr(message, "6.00 MiB (6, 512, 512) f32, made by ");
        const char *last = strstr(message, "4.00 MiB (4, 512, 512) f32, made by full at ");
        assert_true(first && second && last && first < second && second < last);
        assert_non_null(strstr(message, "6.00 MiB (6, 512, 512) f32, made by add at "));
        assert_non_null(strstr(message, "memory_reports.c:"));
        assert_null(strstr(message, "3.00 MiB"));
        assert_null(strstr(message, "9.00 MiB"));
        assert_error(FA_ERROR_MEMORY, "104857600 bytes were asked for; allocated ", "reserved ", "largest free block ");
        assert_true(fa_item(fa_mean(row)) == 11);
        assert_true(fa_memory_limit(place(p), 0));
        assert_no_error();
    }
}

/* An error that stands keeps its message. */
static void a_later_shortage_changes_no_message(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *big = fa_zeros(FA_SHAPE(SIDE, SIDE));
    assert_non_null(big);
    fa_add(big, fa_zeros(FA_SHAPE(3)));
    char before[sizeof((fa_error *)NULL)->message];
    snprintf(before, sizeof before, "%s", fa_error_message());
    limit_to(FA_CPU, 1);
    size_t failures = fa_memory_stats(FA_CPU).failures;
    assert_null(fa_zeros(FA_SHAPE(100, SIDE, SIDE)));
    assert_true(fa_memory_stats(FA_CPU).failures > failures);
    assert_string_equal(fa_error_message(), before);
    fa_error_clear();
    assert_true(fa_memory_limit(FA_CPU, 0));
}

static fa_tensor *step(fa_module *net, fa_optim *optim, fa_device d, int64_t batch)
{
    fa_optim_zero_grad(optim);
    fa_tensor *x = fa_rand(FA_SHAPE(batch, SIDE), .device = d);
    fa_tensor *loss = fa_mean(fa_square(fa_forward(net, x)));
    fa_backward(loss);
    fa_optim_step(optim);
    return loss;
}

static void a_step_with_a_smaller_batch_works(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_SCOPE;
        fa_module *net =
            fa_module_to(fa_nn_sequential(fa_nn_linear(SIDE, SIDE), fa_nn_tanh(), fa_nn_linear(SIDE, 1)), place(p));
        fa_optim *optim = fa_optim_adam(net);
        {
            FA_SCOPE;
            step(net, optim, place(p), 16); /* Adam's state is there */
        }
        fa_tensor *weight = fa_parameters_find(fa_module_parameters(net), "0.weight");
        fa_tensor *before = fa_clone(fa_to(fa_detach(weight), FA_CPU));
        assert_no_error();
        limit_to(place(p), 40);
        {
            FA_SCOPE;
            step(net, optim, place(p), 16 * SIDE);
        }
        assert_error(FA_ERROR_MEMORY, "out of memory on ", "largest tensors there: ", "(8192, 512) f32, made by ");
        assert_true(same_tensors(before, fa_to(fa_detach(weight), FA_CPU)));
        {
            FA_SCOPE;
            assert_true(fa_item(step(net, optim, place(p), 64)) > 0);
        }
        assert_false(same_tensors(before, fa_to(fa_detach(weight), FA_CPU)));
        assert_true(fa_memory_limit(place(p), 0));
        assert_no_error();
    }
}

/* ---- the summary ---- */

static void the_summary_has_a_table_and_the_largest_tensors(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_SCOPE;
        limit_to(place(p), 64);
        fa_tensor *held = fa_ones(FA_SHAPE(5, SIDE, SIDE), .device = place(p));
        assert_non_null(held);
        char *text = written(place(p), false), header[100];
        snprintf(header, sizeof header,
                 "| memory of %-12s |          now |         peak |       in all |        freed |",
                 fa_device_name(place(p)));
        assert_non_null(strstr(text, header));
        assert_non_null(strstr(text, "\nlimit "));
        assert_null(strstr(text, "limit none"));
        assert_non_null(strstr(text, "largest tensors:\n  "));
        assert_non_null(strstr(text, "5.00 MiB (5, 512, 512) f32, made by ones at "));
        free(text);
        assert_true(fa_memory_limit(place(p), 0));
        text = written(place(p), false);
        assert_non_null(strstr(text, "\nlimit none; largest free block "));
        free(text);
    }
}

/* ---- the snapshot ---- */

/* A value of JSON; where it ends, or NULL. */
static const char *value(const char *at);

static const char *space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static const char *string(const char *at)
{
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < ' ')
            return NULL;
        at += *at == '\\';
    }
    return at + 1;
}

static const char *items(const char *at, char end)
{
    at = space(at + 1);
    if (*at == end)
        return at + 1;
    for (;; at++) {
        if (end == '}') {
            at = space(at);
            if (*at != '"' || !(at = string(at)) || *(at = space(at)) != ':')
                return NULL;
            at++;
        }
        if (!(at = value(at)))
            return NULL;
        at = space(at);
        if (*at != ',')
            return *at == end ? at + 1 : NULL;
    }
}

static const char *value(const char *at)
{
    at = space(at);
    if (*at == '"')
        return string(at);
    if (*at == '{' || *at == '[')
        return items(at, *at == '{' ? '}' : ']');
    const char *first = at;
    while (isdigit((unsigned char)*at))
        at++;
    return at > first ? at : NULL;
}

/* The sum of the sizes of blocks of one state, or of the segments. */
static size_t sum(const char *json, const char *before)
{
    size_t all = 0;
    for (const char *at = json; (at = strstr(at, before)); at++) {
        const char *size = at;
        while (strncmp(size, "\"size\": ", 8) != 0)
            size--;
        all += strtoul(size + 8, NULL, 10);
    }
    return all;
}

static void a_snapshot_has_every_block(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        FA_SCOPE;
        fa_tensor *held = fa_reshape(fa_zeros(FA_SHAPE(3, SIDE, SIDE), .device = place(p)), FA_SHAPE(-1));
        fa_tensor *product =
            fa_matmul(fa_ones(FA_SHAPE(300, 20), .device = place(p)), fa_ones(FA_SHAPE(20, 700), .device = place(p)));
        assert_true(held && product);
        fa_synchronize(place(p));
        fa__order_reap(true);
        char *json = written(place(p), true);
        const char *end = value(json);
        assert_true(end && *space(end) == 0);
        fa_memory m = fa_memory_stats(place(p));
        assert_int_equal(sum(json, "\"blocks\": ["), m.reserved - (size_t)(p ? 0 : fa__small_bytes_all()));
        assert_int_equal(sum(json, "\"state\": \"used\""), m.allocated - (size_t)(p ? 0 : fa__small_bytes_all()));
        assert_non_null(strstr(json, "\"requested\": 3145728, \"operation\": \"zeros\", \"dtype\": \"f32\", "
                                     "\"shape\": [3, 512, 512], \"line\": \""));
        assert_non_null(strstr(json, "\"requested\": 840000, \"operation\": \"matmul\", \"dtype\": \"f32\", "
                                     "\"shape\": [300, 700], \"line\": \""));
        free(json);
    }
}

/* What a tensor was made by goes with it to another device. */
static void a_moved_tensor_keeps_its_origin(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *t = fa_full(FA_SHAPE(3, SIDE, 77), 1.5);
    assert_true(fa_move_(t, DEVICE(0)));
    char *json = written(DEVICE(0), true);
    assert_non_null(strstr(json, "\"operation\": \"full\", \"dtype\": \"f32\", \"shape\": [3, 512, 77], \"line\": \""));
    free(json);
    assert_no_error();
}

static fa_tensor *made_elsewhere(void);

static void names_are_escaped(void **state)
{
    (void)state;
    FA_SCOPE;
    assert_non_null(made_elsewhere());
    char *json = written(FA_CPU, true);
    assert_non_null(value(json));
    assert_non_null(strstr(json, "\"line\": \"a \\\"b\\\" \\\\c.c:7\""));
    free(json);
}

static void wrong_calls_are_errors(void **state)
{
    (void)state;
    assert_false(fa_memory_snapshot(FA_CPU, NULL));
    assert_error(FA_ERROR_ARGUMENT, "fa_memory_snapshot: the file is NULL");
    fa_memory_summary(FA_CPU, NULL);
    assert_error(FA_ERROR_ARGUMENT, "fa_memory_summary: the file is NULL");
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_false(fa_memory_snapshot(FA_CPU, full));
    assert_error(FA_ERROR_FILE, "fa_memory_snapshot: cannot write: ");
    assert_false(fa_memory_snapshot(FA_LATE(9), full));
    assert_error(FA_ERROR_DEVICE, "fa_memory_snapshot");
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_error_names_the_five_largest_tensors),
        TEST(a_later_shortage_changes_no_message),
        TEST(a_step_with_a_smaller_batch_works),
        TEST(the_summary_has_a_table_and_the_largest_tensors),
        TEST(a_snapshot_has_every_block),
        TEST(a_moved_tensor_keeps_its_origin),
        TEST(names_are_escaped),
        TEST(wrong_calls_are_errors),
    };
    return RUN("memory_reports");
}

static fa_tensor *made_elsewhere(void)
{
#line 7 "a \"b\" \\c.c"
    return fa_full(FA_SHAPE(1000), 1.5);
}
