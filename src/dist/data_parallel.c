/* Data parallel: splits the inputs over devices, runs a replica on each, in a thread of its own, and joins the outputs
 * on the first device. */
#include "dist/replica.h"
#include <facula/device.h>
#include <facula/dist.h>
#include <facula/error.h>
#include <facula/graph.h>
#include <facula/host.h>
#include <facula/ops/create.h>
#include <facula/ops/index.h>
#include <facula/ops/shape.h>
#include <facula/random.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST_DEVICES = 64 };

/* One device and its part of the present call. */
typedef struct part {
    fa__replica replica; /* unused for the first device, which runs the module itself */
    fa_generator *random;
    fa_module *net;
    fa_tensors input;  /* of the thread that called */
    fa_tensor *output; /* a reference, or NULL */
    fa_error error;
} part;

/* The lock guards what follows it; `turn` is held for a whole call. */
typedef struct team {
    size_t devices;
    fa_device first;
    fa__crew *crew; /* NULL: not started yet, or no threads can be had */
    fa_settings settings;
    bool follow; /* the setting `device` is that of the part */
    const char *where;
    pthread_mutex_t turn, lock;
    pthread_cond_t wanted, finished;
    bool ending;
    size_t parts, begun, ended; /* of the present call */
    part part[];
} team;

typedef struct parallel {
    fa_module *net;
    team *team;
} parallel;

/* ---- running the parts ---- */

static void run(team *t, part *p)
{
    fa_settings settings = t->settings;
    settings.catch_errors = &p->error;
    if (t->follow)
        settings.device = p->replica.device;
    fa__scope used FA__CLEANUP(fa__use_close) = fa__use_open(&settings);
    const char *outer FA__CLEANUP(fa__line_leave) = fa__line_enter(t->where);
    FA_SCOPE;
    p->output = fa__hold(fa__forward(p->net, p->input));
}

/* The same with random numbers of its own. */
static void run_replica(team *t, part *p)
{
    fa_generator *before = fa__hold(fa__generator_used());
    fa_generator_use(p->random);
    run(t, p);
    fa_generator_use(before);
    fa__unhold(before);
}

/* Runs a part that no thread has begun. The lock is held, but not while it runs. False: there is none. */
static bool run_next(team *t)
{
    if (t->begun >= t->parts)
        return false;
    part *p = &t->part[t->begun++];
    pthread_mutex_unlock(&t->lock);
    run_replica(t, p);
    pthread_mutex_lock(&t->lock);
    if (++t->ended == t->parts)
        pthread_cond_signal(&t->finished);
    return true;
}

static void work(void *context)
{
    team *t = context;
    pthread_mutex_lock(&t->lock);
    while (!t->ending)
        if (!run_next(t))
            pthread_cond_wait(&t->wanted, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void wake(void *context)
{
    team *t = context;
    pthread_mutex_lock(&t->lock);
    t->ending = true;
    pthread_cond_broadcast(&t->wanted);
    pthread_mutex_unlock(&t->lock);
}

/* The first part is the calling thread's. It also runs what the threads have not begun by then, so that a forked child,
 * which has none, runs all. */
static void run_all(team *t, size_t parts)
{
    if (!t->crew)
        t->crew = fa__crew_start((int)t->devices - 1, work, wake, t);
    t->settings = fa__settings();
    t->follow = fa_device_equal(fa_device_current(), t->first);
    t->where = fa__line;
    pthread_mutex_lock(&t->lock);
    t->parts = parts;
    t->begun = t->ended = 1;
    if (t->crew && fa__crew_works(t->crew))
        pthread_cond_broadcast(&t->wanted);
    pthread_mutex_unlock(&t->lock);
    run(t, &t->part[0]);
    pthread_mutex_lock(&t->lock);
    while (run_next(t))
        ;
    while (t->ended < t->parts)
        pthread_cond_wait(&t->finished, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

/* ---- splitting inputs ---- */

/* The size of dimension 0 of the inputs that have one; -1: none has. False and an error if they differ. */
static bool rows_of(fa_tensors inputs, int64_t *rows)
{
    *rows = -1;
    for (size_t i = 0; i < inputs.count; i++) {
        if (!inputs.item[i])
            return fa_fail(FA_ERROR_ARGUMENT, "fa_data_parallel: input %zu is NULL", i);
        if (fa_dim(inputs.item[i]) <= 0)
            continue;
        int64_t here = fa_size(inputs.item[i], 0);
        if (*rows >= 0 && here != *rows)
            return fa_fail(FA_ERROR_SHAPE,
                           "fa_data_parallel: inputs are split on dimension 0, which is %" PRId64
                           " of input %zu and %" PRId64 " of those before it",
                           here, i, *rows);
        *rows = here;
    }
    return true;
}

/* The rows of an input from `start` on that go to a device. */
static fa_tensor *piece(fa_tensor *x, int64_t start, int64_t count, bool whole, fa_device device)
{
    fa_tensor *y = whole || fa_dim(x) == 0 ? x : fa_narrow(x, 0, start, count);
    return y ? fa_to(y, device) : NULL;
}

/* Gives each part its inputs, in `room`. Returns the number of parts; 0 and an error on failure. */
static size_t split(team *t, fa_tensors inputs, fa_tensor **room)
{
    int64_t rows, devices = (int64_t)t->devices;
    if (!rows_of(inputs, &rows))
        return 0;
    int64_t each = rows > devices ? (rows + devices - 1) / devices : 1;
    size_t parts = rows > 0 ? (size_t)((rows + each - 1) / each) : 1;
    for (size_t k = 0; k < parts; k++) {
        int64_t start = (int64_t)k * each, count = rows - start < each ? rows - start : each;
        t->part[k].input = (fa_tensors){inputs.count, room};
        for (size_t i = 0; i < inputs.count; i++, room++)
            if (!(*room = piece(inputs.item[i], start, count, parts == 1, t->part[k].replica.device)))
                return 0;
    }
    return parts;
}

/* ---- a call ---- */

/* A seed that depends on these numbers (SplitMix64, Steele et al. 2014). */
static uint64_t seed_of(fa_generator_state state, size_t number)
{
    uint64_t z = state.seed + 0x9e3779b97f4a7c15U * (state.call + 1) + 0xd1b54a32d192ed03U * number;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

/* Replicas as the module is now, with random numbers that follow from those of the calling thread. */
static bool refresh(team *t, fa_module *net, size_t parts)
{
    fa_generator *used = fa__generator_used();
    fa_generator_state state = used ? fa_generator_get(used) : fa_random_state();
    t->part[0].net = net;
    for (size_t k = 1; k < parts; k++) {
        part *p = &t->part[k];
        if (!fa__replica_refresh(&p->replica, net)
            || !fa_generator_set(p->random, (fa_generator_state){.seed = seed_of(state, k)}))
            return false;
        p->net = p->replica.net;
    }
    return true;
}

/* The error of the first device that has one becomes that of the calling thread. */
static bool take_error(team *t, size_t parts)
{
    for (size_t k = 0; k < parts; k++) {
        part *p = &t->part[k];
        if (p->error.code == FA_OK && !p->output)
            return fa_fail(FA_ERROR_MEMORY, "fa_data_parallel: out of memory in the thread of %s",
                           fa_device_name(p->replica.device));
        if (p->error.code == FA_OK)
            continue;
        fa__error_hand_over(&p->error);
        fa_error_append(", in the replica on %s", fa_device_name(p->replica.device));
        return false;
    }
    return true;
}

/* The outputs on the first device, one after the other. */
static fa_tensor *join(team *t, size_t parts)
{
    fa_tensor *y[MOST_DEVICES];
    for (size_t k = 0; k < parts; k++) {
        y[k] = fa_to(t->part[k].output, t->first);
        if (y[k] && fa_dim(y[k]) == 0)
            y[k] = fa_unsqueeze(y[k], 0);
        if (!y[k])
            return NULL;
    }
    return fa_cat(((fa_tensors){parts, y}));
}

/* Also after an error: whatever outputs and errors there are go. */
static void clean(team *t, size_t parts)
{
    for (size_t k = 0; k < parts; k++) {
        part *p = &t->part[k];
        fa__unhold(p->output);
        p->output = NULL;
        p->error = (fa_error){0};
        p->input = (fa_tensors){0, NULL};
    }
}

static fa_tensor *run_parts(team *t, fa_module *net, fa_tensors inputs, fa_tensor **room)
{
    size_t parts = split(t, inputs, room);
    if (parts == 1)
        return fa__forward(net, t->part[0].input);
    if (!parts || !refresh(t, net, parts))
        return NULL;
    run_all(t, parts);
    fa_tensor *y = take_error(t, parts) ? join(t, parts) : NULL;
    clean(t, parts);
    return y;
}

/* The program may have moved the module away. */
static bool is_there(const team *t, const fa_module *net)
{
    fa_parameters state = fa_module_state(net);
    for (size_t i = 0; i < state.count; i++)
        if (!fa_device_equal(fa_tensor_device(state.item[i]), t->first))
            return fa_fail(FA_ERROR_DEVICE,
                           "fa_data_parallel: the module belongs on %s, the first device; \"%s\" is on %s",
                           fa_device_name(t->first), state.name[i], fa_device_name(fa_tensor_device(state.item[i])));
    return !fa_error_stands();
}

static fa_tensor *forward(fa_module *self, fa_tensors inputs)
{
    const parallel *p = fa_module_data(self);
    team *t = p->team;
    FA_SCOPE;
    if (fa_graph_recording()) {
        fa_fail(FA_ERROR_STATE, "fa_data_parallel: a recorded graph cannot contain the work of other threads");
        return NULL;
    }
    fa_tensor **room = calloc(inputs.count * t->devices + 1, sizeof *room);
    if (!room)
        fa_fail(FA_ERROR_MEMORY, "fa_data_parallel: out of memory");
    pthread_mutex_lock(&t->turn);
    fa_tensor *y = room && is_there(t, p->net) ? run_parts(t, p->net, inputs, room) : NULL;
    pthread_mutex_unlock(&t->turn);
    free(room);
    return fa_escape(y);
}

/* ---- creation ---- */

static void team_free(team *t)
{
    if (t->crew && !fa__crew_end(t->crew))
        return; /* a forked child: its locks may be held by threads that are not there */
    for (size_t k = 0; k < t->devices; k++) {
        fa__replica_free(&t->part[k].replica);
        fa__unhold(t->part[k].random);
    }
    pthread_mutex_destroy(&t->turn);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->wanted);
    pthread_cond_destroy(&t->finished);
    free(t);
}

static void destroy(void *data)
{
    team_free(((parallel *)data)->team);
}

static team *team_new(size_t count, const fa_device *devices)
{
    team *t = calloc(1, sizeof *t + count * sizeof *t->part);
    if (!t) {
        fa_fail(FA_ERROR_MEMORY, "fa_data_parallel: out of memory");
        return NULL;
    }
    t->devices = count;
    t->first = devices[0];
    pthread_mutex_init(&t->turn, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wanted, NULL);
    pthread_cond_init(&t->finished, NULL);
    for (size_t k = 0; k < count; k++) {
        t->part[k].replica.device = devices[k];
        t->part[k].random = fa__hold(fa_generator_new(0));
    }
    return t;
}

/* Checks the devices and stores them with their numbers, which may be given as -1. */
static bool find_devices(size_t count, const fa_device *devices, fa_device *found)
{
    if (!devices || count < 1 || count > MOST_DEVICES)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_data_parallel: 1 to %d devices: %zu", MOST_DEVICES, count);
    for (size_t k = 0; k < count; k++) {
        const fa_tensor *there = fa_empty(FA_SCALAR, .device = devices[k]);
        if (!there)
            return false;
        found[k] = fa_tensor_device(there);
        for (size_t i = 0; i < k; i++)
            if (fa_device_equal(found[i], found[k]))
                return fa_fail(FA_ERROR_DEVICE, "fa_data_parallel: %s is named twice", fa_device_name(found[k]));
    }
    return true;
}

fa_module *fa_data_parallel_on(fa_module *module, size_t count, const fa_device *devices)
{
    FA_SCOPE;
    fa_device found[MOST_DEVICES] = {{0, 0}};
    if (!find_devices(count, devices, found) || !fa_module_to(module, found[0]))
        return NULL;
    team *t = team_new(count, found);
    const parallel made = {module, t};
    fa_module *m = t ? fa_nn_custom("data_parallel", sizeof made, forward, .data = &made, .destroy = destroy) : NULL;
    if (!m && t)
        team_free(t);
    return m && !fa_error_stands() && fa_module_add(m, "module", module) ? fa_escape(m) : NULL;
}
