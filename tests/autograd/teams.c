/* Backward through several devices: a thread for each, the bits of a single thread, the error that it would have met,
 * and the settings, hooks and random numbers of the program. For the thread sanitizer too. */
#include "base/alloc.h"
#include "support/api_test.h"
#include <math.h>
#include <pthread.h>
#include <time.h>

enum { ROWS = 8, WIDTH = 6, TURNS = 10 };

/* fa_data_parallel on two devices, or on all late ones. */
static fa_module *wide_on(int devices, fa_module *net)
{
    const fa_device four[] = {FA_LATE(0), FA_LATE(1), FA_LATE(2), FA_LATE(3)};
    return devices == 4 ? fa_data_parallel_on(net, 4, four) : fa_data_parallel(net, DEVICE(0), DEVICE(1));
}

/* ---- a function between the layers, with a backward that does something ---- */

typedef bool act(fa_device device);

static act *action;

static fa_tensor *same(void *context, fa_tensors x)
{
    (void)context;
    return fa_mul(x.item[0], 1);
}

static bool acts(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)context, (void)saved;
    gx[0] = fa_mul(grad, 1);
    return gx[0] && (!action || action(fa_tensor_device(grad)));
}

static fa_tensor *acting(fa_module *self, fa_tensor *x)
{
    (void)self;
    static const fa_function function = {.name = "acting", .forward = same, .backward = acts};
    return fa_apply(&function, NULL, FA_TENSORS(x));
}

/* A part that is computed again in backward; its dropout draws the same numbers then. */
static fa_tensor *again(fa_module *self, fa_tensor *x)
{
    return fa_checkpoint(fa_module_child(self, "part"), x);
}

static fa_module *checkpointed(fa_module *part)
{
    fa_module *m = fa_nn_custom("again", 0, again);
    fa_module_add(m, "part", part);
    return m;
}

/* With a weight that is used twice. */
static fa_tensor *twice(fa_module *self, fa_tensor *x)
{
    fa_module *layer = fa_module_child(self, "layer");
    return fa_add(fa_forward(layer, fa_tanh(fa_forward(layer, x))), x);
}

static fa_module *shared(void)
{
    fa_module *m = fa_nn_custom("twice", 0, twice);
    fa_module_add(m, "layer", fa_nn_linear(WIDTH, WIDTH));
    return m;
}

static fa_module *acting_net(void)
{
    fa_manual_seed(7);
    return fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_custom("acting", 0, acting), shared(),
                            checkpointed(fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_dropout(.p = 0.5))),
                            fa_nn_batch_norm1d(WIDTH), fa_nn_custom("acting", 0, acting), fa_nn_linear(WIDTH, 2));
}

/* A loss whose gradient differs from element to element, and is not exact. */
static fa_tensor *loss_of(fa_module *wide, fa_device device)
{
    fa_tensor *x = fa_sin(fa_reshape(fa_arange(0, ROWS * WIDTH), FA_SHAPE(ROWS, WIDTH)));
    return fa_mean(fa_exp(fa_forward(wide, fa_to(x, device))));
}

/* ---- threads ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t come;
    int there;
} meeting = {.lock = PTHREAD_MUTEX_INITIALIZER, .come = PTHREAD_COND_INITIALIZER};

/* Each device waits for the other one, but not forever. */
static bool meets(fa_device device)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&meeting.lock);
    const int goal = (meeting.there / 2 + 1) * 2;
    meeting.there++;
    pthread_cond_broadcast(&meeting.come);
    int late = 0;
    while (meeting.there < goal && !late)
        late = pthread_cond_timedwait(&meeting.come, &meeting.lock, &until);
    pthread_mutex_unlock(&meeting.lock);
    return !late || fa_fail(FA_ERROR_USER, "%s is alone", fa_device_name(device));
}

static void devices_have_threads(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = acting_net(), *wide = wide_on(2, net);
    for (int i = 0; i < 3; i++) {
        action = meets;
        meeting.there = 0;
        assert_true(fa_backward(loss_of(wide, DEVICE(0))));
        assert_int_equal(meeting.there, 4);
    }
    fa_tensors g = fa_grad_of(FA_TENSORS(loss_of(wide, DEVICE(0))), FA_TENSORS(fa_module_tensor(net, "0.weight")));
    assert_int_equal(g.count, 1);
    assert_int_equal(meeting.there, 8);
    assert_no_error();
}

/* ---- the bits of one thread ---- */

static bool dawdles(fa_device device)
{
    static _Atomic unsigned turn;
    unsigned pause = (++turn * 2654435761U + (unsigned)device.index * 40503U) >> 22;
    return nanosleep(&(struct timespec){.tv_nsec = pause * 1000}, NULL) == 0;
}

/* All gradients one after the other, of `passes` passes; with one thread, or with one a device. */
static fa_tensor *gradients(int devices, int passes, bool alone)
{
    FA_SCOPE;
    fa_module *net = acting_net(), *wide = wide_on(devices, net);
    fa_device first = devices == 4 ? FA_LATE(0) : DEVICE(0);
    fa__hooks_early(alone); /* such passes have one thread */
    fa_manual_seed(8);
    for (int i = 0; i < passes; i++)
        assert_true(fa_backward(loss_of(wide, first)));
    fa__hooks_early(-(int)alone);
    fa_parameters p = fa_module_parameters(net);
    fa_tensor *all[32];
    assert_in_range(p.count, 1, 32);
    for (size_t i = 0; i < p.count; i++)
        all[i] = fa_flatten(fa_cpu(fa_grad(p.item[i])));
    return fa_escape(fa_cat(((fa_tensors){p.count, all})));
}

static void bits_are_those_of_one_thread(void **state)
{
    (void)state;
    for (int devices = 2; devices <= 4; devices += 2)
        for (int passes = 1; passes <= 2; passes++) {
            FA_SCOPE;
            action = dawdles;
            fa_tensor *one = gradients(devices, passes, true);
            FA_REPEAT (i, TURNS)
                assert_true(same_tensors(gradients(devices, passes, false), one));
            assert_no_error();
        }
}

static void gradients_within_replicas_are_captured(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_tensor *one[2][3];
    for (int k = 0; k < 2; k++) {
        fa_tensor *x = fa_to(fa_sin(fa_arange(0, 12, .dtype = FA_F64)), DEVICE(0)), *y[3], *sum = NULL;
        fa_set_requires_grad(x, true);
        for (int i = 0; i < 3; i++) {
            y[i] = fa_tanh(fa_mul(fa_to(x, DEVICE(i % 2)), 1.0 + i));
            fa_retain_grad(y[i]);
            fa_tensor *z = y[i];
            for (int j = 0; j < 5; j++)
                z = fa_sin(fa_mul(z, 1.1));
            sum = sum ? fa_add(sum, fa_to(z, DEVICE(0))) : z;
        }
        fa__hooks_early(k);
        fa_tensors g = fa_grad_of(FA_TENSORS(fa_sum(sum)), FA_TENSORS(x, y[1], y[2]), .retain_graph = true);
        assert_true(fa_backward(fa_sum(sum)));
        fa__hooks_early(-k);
        for (int i = 0; i < 3; i++) {
            one[k][i] = g.item[i];
            assert_true(
                same_tensors(i ? fa_mul(g.item[i], 2) : g.item[i], fa_grad(i ? y[i] : x))); /* y: of both passes */
        }
    }
    for (int i = 0; i < 3; i++)
        assert_true(same_tensors(one[0][i], one[1][i]));
    assert_no_error();
}

/* ---- errors ---- */

static fa_device bad[2];
static int bads;

static bool fails(fa_device device)
{
    for (int i = 0; i < bads; i++)
        if (fa_device_equal(device, bad[i])) {
            dawdles(device);
            return fa_fail(FA_ERROR_USER, "no luck on %s", fa_device_name(device));
        }
    return true;
}

static void errors_name_the_device(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        FA_SCOPE;
        fa_module *wide = wide_on(2, acting_net());
        action = fails;
        bad[0] = DEVICE(k);
        for (int i = 0; i < 3; i++) {
            bads = 1;
            assert_false(fa_backward(loss_of(wide, DEVICE(0))));
            assert_error(FA_ERROR_USER, k ? "no luck on late:1" : "no luck on late:0", "in the backward of fa_apply",
                         k ? ", on late:1" : ", on late:0");
            bads = 0;
            assert_true(fa_backward(loss_of(wide, DEVICE(0))));
        }
    }
}

/* Whatever comes first in time. */
static void the_error_is_that_of_one_thread(void **state)
{
    (void)state;
    char text[2][300];
    for (int k = 0; k < 2; k++)
        FA_REPEAT (i, k ? 1 : TURNS) {
            fa_module *wide = wide_on(2, acting_net());
            action = fails;
            bad[0] = DEVICE(0), bad[1] = DEVICE(1), bads = 2;
            fa__hooks_early(k);
            assert_false(fa_backward(loss_of(wide, DEVICE(0))));
            fa__hooks_early(-k);
            strncpy(text[k], strstr(fa_error_message(), "no luck on"), 17);
            fa_error_clear();
            assert_true(!k || !memcmp(text[0], text[1], 17));
        }
}

static fa_tensor *far_index;

static bool looks_too_far(fa_device device)
{
    if (!fa_device_equal(device, DEVICE(1)))
        return true;
    fa_tensor *rows = fa_ones(FA_SHAPE(3, 2), .device = device);
    return !isnan(fa_item(fa_sum(fa_index_select(rows, 0, fa_to(far_index, device)))));
}

/* An error within a kernel, which the other device's thread does not know of. */
static void a_fault_of_one_device_ends_the_pass(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(2, acting_net());
    far_index = fa_to(fa_tensor_of(0., 9.), FA_I64);
    action = looks_too_far;
    assert_false(fa_backward(loss_of(wide, DEVICE(0))));
    assert_error(FA_ERROR_INDEX, "index 9 is out of range", ", on late:1");
    action = NULL;
    assert_true(fa_backward(loss_of(wide, DEVICE(0))));
    assert_no_error();
}

static bool has_nan_on_the_second(fa_device device)
{
    return fa_device_equal(device, DEVICE(0));
}

static bool gives_nan(void *context, fa_tensors saved, fa_tensor *grad, fa_tensor **gx)
{
    (void)context, (void)saved;
    gx[0] = fa_mul(grad, has_nan_on_the_second(fa_tensor_device(grad)) ? 1 : (double)NAN);
    return gx[0] != NULL;
}

static fa_tensor *nan_behind(fa_module *self, fa_tensor *x)
{
    (void)self;
    static const fa_function function = {.name = "nan_behind", .forward = same, .backward = gives_nan};
    return fa_apply(&function, NULL, FA_TENSORS(x));
}

static void anomalies_name_the_device(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(2, fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_tanh(),
                                                  fa_nn_custom("nan", 0, nan_behind), fa_nn_tanh()));
    FA_USE(.anomaly = true);
    assert_false(fa_backward(loss_of(wide, DEVICE(0))));
    assert_error(FA_ERROR_GRADIENT, "has NaN in it", "teams.c", ", on late:1");
}

static bool waits_on_the_second(fa_device device)
{
    return fa_device_equal(device, DEVICE(0)) || fa_item(fa_sum(fa_ones(FA_SHAPE(3), .device = device))) == 3;
}

static void what_is_forbidden_is_forbidden_to_all(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(2, acting_net());
    action = waits_on_the_second;
    fa_tensor *l = loss_of(wide, DEVICE(0));
    {
        FA_USE(.forbid = FA_SYNC);
        assert_false(fa_backward(l, .retain_graph = true));
        assert_error(FA_ERROR_SYNC, "fa_item", ", on late:1");
    }
    assert_true(fa_backward(loss_of(wide, DEVICE(0))));
    assert_no_error();
}

/* Whatever thread it is in: the pass ends with an error, and the next one works. */
static void each_allocation_may_fail(void **state)
{
    (void)state;
    FA_SCOPE;
    action = NULL;
    fa_module *wide = wide_on(2, acting_net());
    assert_true(fa_backward(loss_of(wide, DEVICE(0))));
    int failed = 0;
    for (int64_t nth = 1; nth < 5000; nth++) {
        FA_SCOPE;
        fa_tensor *l = loss_of(wide, DEVICE(0));
        fa_empty_cache(DEVICE(0));
        fa_empty_cache(DEVICE(1));
        assert_no_error();
        fa__inject(nth);
        const bool good = fa_backward(l);
        const bool reached = fa__inject_count() >= nth;
        fa__inject(0);
        if (!good) {
            failed++;
            assert_error(FA_ERROR_MEMORY, "");
        }
        if (!reached)
            break;
    }
    print_message("%d failures\n", failed);
    assert_true(failed > 20);
    assert_true(fa_backward(loss_of(wide, DEVICE(0))));
    assert_no_error();
}

/* ---- settings, hooks, random numbers ---- */

static fa_settings here[2];

static bool notes_settings(fa_device device)
{
    here[!fa_device_equal(device, DEVICE(0))] = fa__settings();
    return true;
}

static void settings_are_those_of_the_call(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_custom("acting", 0, acting), fa_nn_tanh(),
                                      fa_nn_linear(WIDTH, WIDTH), fa_nn_tanh(), fa_nn_linear(WIDTH, 2));
    fa_module *wide = wide_on(2, net);
    action = notes_settings;
    for (int k = 0; k < 2; k++) {
        FA_USE(.autocast = k ? FA_BF16 : FA_SAME, .deterministic = k);
        fa_tensor *l = loss_of(wide, DEVICE(0));
        {
            FA_USE(.autocast = FA_SAME); /* backward has the one of forward */
            fa_tensors g = fa_grad_of(FA_TENSORS(l), FA_TENSORS(fa_module_tensor(net, "0.weight")), .create_graph = k);
            assert_int_equal(g.count, 1);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(here[i].autocast, k ? FA_BF16 : FA_SAME);
            assert_int_equal(here[i].no_grad, !k);
            assert_int_equal(here[i].deterministic, k);
        }
    }
    assert_no_error();
}

static pthread_t hook_threads[4];
static _Atomic int hooked;

static fa_tensor *notes_thread(fa_tensor *grad, void *context)
{
    (void)grad, (void)context;
    hook_threads[hooked++] = pthread_self();
    return NULL;
}

static fa_tensor *hooks_its_input(fa_module *self, fa_tensor *x)
{
    (void)self;
    fa_hook_grad(x, notes_thread, NULL);
    return fa_tanh(x);
}

static void hooks_run_in_the_thread_of_the_call(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_custom("hooks", 0, hooks_its_input),
                                      fa_nn_linear(WIDTH, WIDTH), fa_nn_custom("acting", 0, acting), fa_nn_tanh());
    fa_module *wide = wide_on(2, net);
    fa_hook_grad(fa_module_tensor(net, "0.weight"), notes_thread, NULL);
    fa_hook_after(fa_module_tensor(net, "2.bias"), notes_thread, NULL);
    hooked = meeting.there = 0;
    action = meets;
    fa_backward(loss_of(wide, DEVICE(0)));
    assert_no_error();
    assert_int_equal(hooked, 4);
    for (int i = 0; i < 4; i++)
        assert_true(pthread_equal(hook_threads[i], pthread_self()));
    assert_no_error();
}

static fa_tensor *drawn[2];

static bool draws(fa_device device)
{
    int k = !fa_device_equal(device, DEVICE(0));
    dawdles(device);
    fa_release(drawn[k]);
    drawn[k] = fa_keep(fa_rand(FA_SHAPE(4), .device = FA_CPU));
    return drawn[k] != NULL;
}

static void random_numbers_follow_from_the_seed(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_module *wide = wide_on(2, fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_custom("acting", 0, acting),
                                                  fa_nn_linear(WIDTH, WIDTH), fa_nn_tanh(), fa_nn_tanh()));
    fa_tensor *first[2];
    action = draws;
    for (int i = 0; i < TURNS; i++) {
        fa_manual_seed(11);
        assert_true(fa_backward(loss_of(wide, DEVICE(0))));
        assert_false(same_tensors(drawn[0], drawn[1]));
        for (int k = 0; k < 2; k++) {
            first[k] = i ? first[k] : fa_clone(drawn[k]);
            assert_true(same_tensors(drawn[k], first[k]));
        }
    }
    assert_no_error();
}

/* ---- several passes ---- */

static void *trains(void *context)
{
    double *loss = context;
    FA_SCOPE;
    fa_module *net = fa_nn_sequential(fa_nn_linear(WIDTH, WIDTH), fa_nn_tanh(), fa_nn_linear(WIDTH, WIDTH),
                                      fa_nn_tanh(), fa_nn_linear(WIDTH, 2));
    fa_parameters p = fa_module_parameters(net);
    for (size_t i = 0; i < p.count; i++) {
        FA_USE(.no_grad = true);
        fa_copy_(p.item[i], 0.1);
    }
    fa_module *wide = wide_on(2, net);
    fa_optim *optim = fa_optim_sgd(net, .lr = 0.1);
    FA_REPEAT (i, TURNS) {
        fa_optim_zero_grad(optim);
        fa_tensor *l = loss_of(wide, DEVICE(0));
        if (!fa_backward(l) || !fa_optim_step(optim))
            break;
        *loss = fa_item(l);
    }
    if (fa_failed())
        *loss = NAN;
    return NULL;
}

static void threads_have_teams_of_their_own(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    double loss[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, trains, &loss[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_true(isfinite(loss[i]) && loss[i] == loss[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(devices_have_threads),
        TEST(bits_are_those_of_one_thread),
        TEST(gradients_within_replicas_are_captured),
        TEST(errors_name_the_device),
        TEST(the_error_is_that_of_one_thread),
        TEST(a_fault_of_one_device_ends_the_pass),
        TEST(anomalies_name_the_device),
        TEST(what_is_forbidden_is_forbidden_to_all),
        TEST(each_allocation_may_fail),
        TEST(settings_are_those_of_the_call),
        TEST(hooks_run_in_the_thread_of_the_call),
        TEST(random_numbers_follow_from_the_seed),
        TEST(threads_have_teams_of_their_own),
    };
    return RUN("teams");
}
