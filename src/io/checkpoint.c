/* Checkpoints: a safetensors file whose tensor names are prefixed with the object they belong to. Numbers are f64
 * tensors with one element. */
#include "io/safetensors.h"
#include <facula/device.h>
#include <facula/error.h>
#include <facula/random.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdio.h>
#include <string.h>

#define MODEL "model."
#define RANDOM "random"
#define LOADER "loader"
#define BATCHES "loader.batches"
enum { RANDOM_NUMBERS = 2, LOADER_NUMBERS = 3, MOST_KINDS = 4 };

/* The name prefixes of an optimizer, schedule or scaler. */
typedef struct part {
    const char *kind, *tensors, *numbers;
} part;

static const part optim_part = {"facula.optim", "optim.tensors.", "optim.numbers."},
                  schedule_part = {"facula.schedule", "schedule.tensors.", "schedule.numbers."},
                  scaler_part = {"facula.scaler", "scaler.tensors.", "scaler.numbers."};

static const char version_name[] = "facula.checkpoint", version[] = "1";

/* ---- saving ---- */

/* A growing list of tensors and their names, in the innermost scope. */
typedef struct list {
    fa_object base;
    size_t count, room;
    fa_tensor **item;
    const char **name;
} list;

static const fa_object_type list_type = {"list", NULL}, text_type = {"text", NULL};

static list *list_new(size_t room)
{
    list *l = fa_object_new(&list_type, sizeof *l + room * (sizeof *l->item + sizeof *l->name));
    if (l) {
        l->room = room;
        l->item = (fa_tensor **)(void *)(l + 1);
        l->name = (const char **)(void *)(l->item + room);
    }
    return l;
}

static bool add(list *l, const char *prefix, const char *name, fa_tensor *tensor)
{
    typedef struct text {
        fa_object base;
        char at[];
    } text;
    size_t front = strlen(prefix), length = strlen(name) + 1;
    text *t = tensor ? fa_object_new(&text_type, sizeof *t + front + length) : NULL;
    if (!t)
        return false;
    memcpy(t->at, prefix, front);
    memcpy(t->at + front, name, length);
    l->name[l->count] = t->at;
    l->item[l->count++] = tensor;
    return true;
}

static bool add_all(list *l, const char *prefix, fa_parameters p)
{
    bool good = true;
    for (size_t i = 0; good && i < p.count; i++)
        good = add(l, prefix, p.name[i], p.item[i]);
    return good;
}

static fa_tensor *numbers_tensor(const void *number, fa_shape shape, fa_dtype dtype)
{
    return fa_tensor_from(number, shape, .dtype = dtype, .device = FA_CPU);
}

static bool add_part(list *l, const part *p, const fa_state_dict *state)
{
    bool good = add_all(l, p->tensors, state->tensors);
    for (size_t i = 0; good && i < state->numbers.count; i++)
        good = add(l, p->numbers, state->numbers.name[i], numbers_tensor(&state->numbers.item[i], FA_SCALAR, FA_F64));
    return good;
}

static bool add_places(list *l, const fa_loader *loader)
{
    fa_generator_state random = fa_random_state();
    fa_loader_place place = loader ? fa_loader_position(loader) : (fa_loader_place){0};
    const int64_t drawn[RANDOM_NUMBERS] = {(int64_t)random.seed, (int64_t)random.call};
    const int64_t there[LOADER_NUMBERS] = {(int64_t)place.seed, place.epoch, place.batch};
    const int64_t batches = loader ? fa_loader_length(loader) : 0;
    return add(l, "", RANDOM, numbers_tensor(drawn, FA_SHAPE(RANDOM_NUMBERS), FA_I64))
           && (!loader
               || (add(l, "", LOADER, numbers_tensor(there, FA_SHAPE(LOADER_NUMBERS), FA_I64))
                   && add(l, "", BATCHES, numbers_tensor(&batches, FA_SHAPE(1), FA_I64))));
}

/* The program's metadata, followed by the library's. */
typedef struct texts {
    fa_object base;
    const char *at[];
} texts;

static bool write(const char *path, const list *l, fa_metadata own, const char *const *kinds)
{
    const char *const names[MOST_KINDS] = {version_name, optim_part.kind, schedule_part.kind, scaler_part.kind};
    texts *t = fa_object_new(&text_type, sizeof *t + 2 * (own.count + MOST_KINDS) * sizeof *t->at);
    if (!t)
        return false;
    const char **name = t->at, **value = t->at + own.count + MOST_KINDS;
    size_t n = 0;
    for (; n < own.count; n++) {
        name[n] = own.name ? own.name[n] : NULL;
        value[n] = own.value ? own.value[n] : NULL;
    }
    for (int i = 0; i < MOST_KINDS; i++)
        if (kinds[i])
            name[n] = names[i], value[n++] = kinds[i];
    return fa__stored_write("fa_checkpoint_save", path, (fa_parameters){l->count, l->item, l->name},
                            (fa_metadata){n, name, value});
}

bool(fa_checkpoint_save)(const char *path, const fa_checkpoint_options *options)
{
    fa_checkpoint_options o = FA__DEFAULT_fa_checkpoint;
    fa__options_read(&o, o.size, options);
    if (fa_error_stands())
        return false;
    FA_SCOPE;
    fa_parameters model = {0};
    fa_state_dict optim = {0}, schedule = {0}, scaler = {0};
    if (o.module)
        model = fa_module_state(o.module);
    if (o.optim)
        optim = fa_optim_state_dict(o.optim);
    if (o.schedule)
        schedule = fa_schedule_state_dict(o.schedule);
    if (o.scaler)
        scaler = fa_scaler_state_dict(o.scaler);
    if (fa_error_stands())
        return false;
    list *l = list_new(model.count + optim.tensors.count + optim.numbers.count + schedule.tensors.count
                       + schedule.numbers.count + scaler.numbers.count + 3);
    bool good = l && add_all(l, MODEL, model) && add_part(l, &optim_part, &optim)
                && add_part(l, &schedule_part, &schedule) && add_part(l, &scaler_part, &scaler)
                && add_places(l, o.loader)
                && write(path, l, o.metadata, (const char *const[]){version, optim.kind, schedule.kind, scaler.kind});
    if (good)
        fa__warn_of_pickle("fa_checkpoint_save", path);
    return good;
}

/* ---- loading ---- */

static const char *text_of(fa__stored *s, const char *name)
{
    for (size_t i = 0; i < s->texts; i++)
        if (!strcmp(s->name[i], name))
            return s->value[i];
    return NULL;
}

/* Numbers in the innermost scope, with space for their names after them. */
typedef struct doubles {
    fa_object base;
    double at[];
} doubles;

static bool read_numbers(fa__stored *s, const char *prefix, fa_numbers *to)
{
    doubles *d = fa_object_new(&list_type, sizeof *d + s->count * (sizeof *d->at + sizeof(char *)));
    if (!d)
        return false;
    const char **name = (const char **)(void *)(d->at + s->count);
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!(name[n] = fa__below(s->entry[i].name, prefix)))
            continue;
        const fa_tensor *t = fa__stored_read(s, i, FA_CPU);
        if (!t || !fa_read(t, &d->at[n++], FA_F64, 1))
            return false;
    }
    *to = (fa_numbers){n, d->at, name};
    return true;
}

static bool read_tensors(fa__stored *s, const char *prefix, fa_parameters *to)
{
    list *l = list_new(s->count);
    if (!l)
        return false;
    for (size_t i = 0; i < s->count; i++) {
        if (!(l->name[l->count] = fa__below(s->entry[i].name, prefix)))
            continue;
        if (!(l->item[l->count++] = fa__stored_read(s, i, FA_CPU)))
            return false;
    }
    *to = (fa_parameters){l->count, l->item, l->name};
    return true;
}

static bool read_part(fa__stored *s, const part *p, const char *what, const char *kind, fa_state_dict *state)
{
    state->kind = text_of(s, p->kind);
    if (!state->kind)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s has no %s", s->who, s->path, what);
    if (strcmp(state->kind, kind))
        return fa_fail(FA_ERROR_ARGUMENT, "%s: %s has the %s \"%s\", and this is \"%s\"", s->who, s->path, what,
                       state->kind, kind);
    return read_tensors(s, p->tensors, &state->tensors) && read_numbers(s, p->numbers, &state->numbers);
}

/* Reads `count` integers. */
static bool read_whole(fa__stored *s, const char *name, int64_t *to, int64_t count)
{
    for (size_t i = 0; i < s->count; i++) {
        const fa_saved_entry *e = &s->entry[i];
        if (strcmp(e->name, name))
            continue;
        if (e->dtype != FA_I64 || e->shape.rank != 1 || e->shape.dim[0] != count)
            break;
        const fa_tensor *t = fa__stored_read(s, i, FA_CPU);
        return t && fa_read(t, to, FA_I64, count);
    }
    return fa_fail(FA_ERROR_ARGUMENT, "%s: %s has no \"%s\" of %lld whole numbers", s->who, s->path, name,
                   (long long)count);
}

/* Everything in a checkpoint for these objects, read and checked as far as possible without modifying them. */
typedef struct found {
    fa__match *model;
    fa_state_dict optim, schedule, scaler;
    int64_t random[RANDOM_NUMBERS], loader[LOADER_NUMBERS];
} found;

static fa_loader_place place_of(const found *f)
{
    return (fa_loader_place){(uint64_t)f->loader[0], f->loader[1], f->loader[2]};
}

static bool has(const fa__stored *s, const char *name)
{
    bool there = false;
    for (size_t i = 0; i < s->count && !there; i++)
        there = !strcmp(s->entry[i].name, name);
    return there;
}

/* Within an epoch, the loader has to have as many batches as the one that was saved; older files do not say how many.
 */
static bool find_place(fa__stored *s, const fa_loader *loader, found *f)
{
    if (!read_whole(s, LOADER, f->loader, LOADER_NUMBERS))
        return false;
    fa_loader_place place = place_of(f);
    int64_t length = fa_loader_length(loader), saved = length;
    if (length < 0 || (has(s, BATCHES) && !read_whole(s, BATCHES, &saved, 1)))
        return false;
    if (place.batch && saved != length)
        return fa_fail(FA_ERROR_ARGUMENT,
                       "%s: %s was saved in an epoch of %lld batches, and the loader has %lld: its dataset and batch "
                       "size have to be the same",
                       s->who, s->path, (long long)saved, (long long)length);
    return (place.epoch >= 0 && place.batch >= 0 && place.batch <= length)
           || fa_fail(FA_ERROR_INDEX, "%s: %s is at epoch %lld, batch %lld, and the loader has %lld batches", s->who,
                      s->path, (long long)place.epoch, (long long)place.batch, (long long)length);
}

static bool find(fa__stored *s, const fa_checkpoint_options *o, found *f)
{
    const char *there = text_of(s, version_name);
    if (!there || strcmp(there, version))
        return fa_fail(FA_ERROR_FILE, "%s: %s is no checkpoint of version %s%s", s->who, s->path, version,
                       there ? "" : ": fa_load() reads what fa_save() wrote");
    if (o->module
        && (!(f->model = fa__match_new(s, MODEL, fa_module_state(o->module), true)) || !fa__match_read(s, f->model)))
        return false;
    if (o->optim && !read_part(s, &optim_part, "optimizer", fa_optim_kind(o->optim), &f->optim))
        return false;
    if (o->schedule && !read_part(s, &schedule_part, "schedule", fa_schedule_kind(o->schedule), &f->schedule))
        return false;
    if (o->scaler && !read_part(s, &scaler_part, "scaler", "scaler", &f->scaler))
        return false;
    return read_whole(s, RANDOM, f->random, RANDOM_NUMBERS) && (!o->loader || find_place(s, o->loader, f));
}

/* The states of a schedule and a scaler; those that are NULL are left out. */
typedef struct small {
    fa_state_dict schedule, scaler;
} small;

static bool small_load(const fa_checkpoint_options *o, const small *from)
{
    return (!o->schedule || fa_schedule_load_state_dict(o->schedule, &from->schedule))
           && (!o->scaler || fa_scaler_load_state_dict(o->scaler, &from->scaler));
}

/* First what can still fail: the small states, then the optimizer's; if that fails, the small ones are restored. */
static bool restore_steps(const fa_checkpoint_options *o, const found *f)
{
    small before = {{0}, {0}}, after = {f->schedule, f->scaler};
    if (o->schedule)
        before.schedule = fa_schedule_state_dict(o->schedule);
    if (o->scaler)
        before.scaler = fa_scaler_state_dict(o->scaler);
    if (fa_error_stands())
        return false;
    if (small_load(o, &after) && (!o->optim || fa_optim_load_state_dict(o->optim, &f->optim)))
        return true;
    fa_error unheard = {0};
    FA_USE(.catch_errors = &unheard);
    small_load(o, &before);
    return false;
}

static bool restore(fa__stored *s, const fa_checkpoint_options *o, const found *f)
{
    if (!restore_steps(o, f) || (f->model && !fa__match_write(s, f->model))
        || (o->loader && !fa_loader_seek(o->loader, place_of(f))))
        return false;
    fa_set_random_state((fa_generator_state){(uint64_t)f->random[0], (uint64_t)f->random[1]});
    return true;
}

bool(fa_checkpoint_load)(const char *path, const fa_checkpoint_options *options)
{
    fa_checkpoint_options o = FA__DEFAULT_fa_checkpoint;
    found f = {0};
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    fa__stored *s = fa__stored_open("fa_checkpoint_load", path);
    fa_error caught = {0};
    bool done = false;
    if (!s)
        return false;
    {
        FA_USE(.catch_errors = &caught);
        done = find(s, &o, &f) && restore(s, &o, &f);
    }
    return fa__stored_named(s, &caught) && done;
}
