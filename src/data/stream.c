/* Streams: datasets whose samples come one after the other, and passes over them. */
#include "data/stream.h"
#include "data/draw.h"
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/random.h>
#include <facula/tensor.h>
#include <inttypes.h>

typedef struct stream {
    fa_object base;
    fa_dataset_stream_type type;
    void *context;
} stream;

static void stream_destroy(void *object)
{
    stream *s = object;
    if (s->type.release)
        s->type.release(s->context);
}

static const fa_object_type stream_object = {"stream", stream_destroy};

/* ---- passes ---- */

struct fa__stream_pass {
    fa_object base;
    stream *stream;
    void *state; /* of the program; NULL: the pass has not begun */
    uint64_t seed;
    int64_t epoch, next; /* the number of the next sample */
};

static void pass_close(fa__stream_pass *p)
{
    if (p->state && p->stream->type.close)
        p->stream->type.close(p->stream->context, p->state);
    p->state = NULL;
}

static void pass_destroy(void *object)
{
    pass_close(object);
    fa__unhold(((fa__stream_pass *)object)->stream);
}

static void pulled_destroy(void *object)
{
    fa__pulled *p = object;
    for (int64_t i = 0; i < p->count; i++)
        for (int k = 0; k < FA__ITEMS; k++)
            fa__unhold(*fa__sample_item(&p->item[i], k));
}

static const fa_object_type pass_object = {"pass", pass_destroy}, pulled_object = {"samples", pulled_destroy};

fa__stream_pass *fa__pass_new(const fa_dataset *dataset)
{
    fa__stream_pass *p = fa_object_new(&pass_object, sizeof *p);
    if (p)
        p->stream = fa__hold(fa__dataset_stream(dataset));
    return p;
}

/* Calls a callback of the program: open if there is no sample to store, else next. Errors name the stream. */
static bool call(fa__stream_pass *p, fa_sample *sample)
{
    const stream *s = p->stream;
    fa_error caught = {0};
    bool good;
    {
        FA_USE(.no_grad = true, .catch_errors = &caught);
        if (sample)
            good = s->type.next(s->context, p->state, sample);
        else
            good = (p->state = s->type.open(s->context, p->seed, p->epoch));
    }
    if (good && !caught.code)
        return true;
    return fa_fail(caught.code ? caught.code : FA_ERROR_USER, "stream %s, sample %" PRId64 ": %s", s->type.name,
                   p->next, caught.code ? caught.message : "the callback failed, and raised no error");
}

/* Takes the next sample, whose references are the caller's; without an input at the end of the pass. */
static bool take(fa__stream_pass *p, fa_generator *own, fa_sample *sample)
{
    FA_SCOPE;
    *sample = (fa_sample){0};
    fa_generator_set(own, (fa_generator_state){.seed = fa__seed_of(p->seed, (uint64_t)p->epoch, (uint64_t)p->next)});
    if (!call(p, sample)) {
        *sample = (fa_sample){0};
        pass_close(p);
        return false;
    }
    for (int k = 0; k < FA__ITEMS; k++) {
        fa_tensor **t = fa__sample_item(sample, k);
        *t = sample->input ? fa__hold(*t) : NULL;
    }
    p->next++;
    return true;
}

static void sample_drop(fa_sample *s)
{
    for (int k = 0; k < FA__ITEMS; k++)
        fa__unhold(*fa__sample_item(s, k));
}

/* Lets the pass stand before a sample of an epoch, or at its end. */
static bool go_to(fa__stream_pass *p, fa_generator *own, fa_loader_place at, int64_t first)
{
    if (p->state && p->seed == at.seed && p->epoch == at.epoch && p->next == first)
        return true;
    pass_close(p);
    p->seed = at.seed;
    p->epoch = at.epoch;
    p->next = 0;
    if (!call(p, NULL))
        return false;
    while (p->next < first) {
        fa_sample dropped;
        if (!take(p, own, &dropped))
            return false;
        if (!dropped.input)
            break;
        sample_drop(&dropped);
    }
    return true;
}

static fa__pulled *pull(fa__stream_pass *p, fa_generator *own, fa_loader_place at, int64_t first, int64_t count)
{
    if ((uint64_t)count > (SIZE_MAX / 2 - sizeof(fa__pulled)) / sizeof(fa_sample)) {
        fa_fail(FA_ERROR_MEMORY, "FA_EACH: a batch of %" PRId64 " samples of a stream is too large", count);
        return NULL;
    }
    fa__pulled *all = fa_object_new(&pulled_object, sizeof *all + (size_t)count * sizeof *all->item);
    if (!all || !go_to(p, own, at, first))
        return NULL;
    all->first = first;
    while (all->count < count && !all->last) {
        fa_sample sample;
        if (!take(p, own, &sample))
            return NULL;
        if (sample.input)
            all->item[all->count++] = sample;
        else
            all->last = true;
    }
    return all;
}

fa__pulled *fa__pass_pull(fa__stream_pass *pass, fa_loader_place at, int64_t first, int64_t count, bool drop_last)
{
    FA_SCOPE;
    fa_generator *before = fa__hold(fa__generator_used()), *own = fa_generator_new(0);
    fa__pulled *all = NULL;
    if (own) {
        fa_generator_use(own);
        all = pull(pass, own, at, first, count);
        fa_generator_use(before);
    }
    fa__unhold(before);
    if (!all)
        return NULL;
    if (all->last)
        pass_close(pass);
    while (all->last && drop_last && all->count > 0)
        sample_drop(&all->item[--all->count]);
    return fa_escape(all);
}

/* ---- the dataset ---- */

static int64_t stream_length(void *context)
{
    (void)context;
    return INT64_MAX;
}

/* The sample was taken before, for the batch that is being made. */
static bool stream_get(void *context, int64_t index, fa_sample *sample)
{
    (void)context;
    const fa__pulled *p = fa__making_now ? fa__making_now->pulled : NULL;
    if (!p || index < p->first || index - p->first >= p->count)
        return fa_fail(FA_ERROR_STATE, "the samples of a stream come in their order, in a loop over a loader");
    *sample = p->item[index - p->first];
    return true;
}

fa_dataset *fa_dataset_stream(const fa_dataset_stream_type *type, void *context)
{
    static const fa_dataset_type all = {
        .name = "stream", .length = stream_length, .get = stream_get, .release = fa__context_release};
    bool good = type && type->name && type->open && type->next;
    if (!good)
        fa_fail(FA_ERROR_ARGUMENT, "fa_dataset_stream: a stream has a name, open and next");
    FA_SCOPE;
    stream *s = good && !fa_error_stands() ? fa_object_new(&stream_object, sizeof *s) : NULL;
    if (!s) {
        if (type && type->release)
            type->release(context);
        return NULL;
    }
    s->type = *type;
    s->context = context;
    fa_dataset *d = fa_dataset_new(&all, fa__hold(s));
    return d ? fa_escape(fa__dataset_set_stream(d, &s->base)) : NULL;
}
