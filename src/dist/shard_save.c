/* Checkpoints that each rank of a group saves its part of, in a folder; they can be loaded by another number of ranks.
 * The file "latest" in the folder says which files belong together; it is replaced when all of them are complete. */
#include "dist/shard.h"
#include <errno.h>
#include <facula/error.h>
#include <facula/operations.h>
#include <facula/save.h>
#include <facula/scope.h>
#include <facula/tensor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };
static const char sharded_key[] = "shard of "; /* metadata: this and the name of a tensor: its elements on all ranks */

/* What "latest" says: the number of the checkpoint, and by how many ranks it was saved. */
typedef struct latest {
    int64_t number, ranks;
} latest;

static bool path_of(char *path, const char *folder, latest l, int64_t rank)
{
    int length = snprintf(path, PATH_ROOM, "%s/%lld.%lld-of-%lld.safetensors", folder, (long long)l.number,
                          (long long)rank, (long long)l.ranks);
    return length < PATH_ROOM || fa_fail(FA_ERROR_FILE, "fa_dist_checkpoint_save: the path is too long: %s", folder);
}

/* Number 0: there is none. */
static latest read_latest(const char *folder)
{
    char path[PATH_ROOM];
    latest l = {0};
    long long number, ranks;
    snprintf(path, sizeof path, "%s/latest", folder);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%lld of %lld ranks", &number, &ranks) == 2 && number > 0 && ranks > 0 && ranks <= 65536)
        l = (latest){number, ranks};
    if (f)
        fclose(f);
    return l;
}

/* The latest checkpoint as rank 0 sees it. */
static bool agree_on_latest(const char *folder, fa_group *group, latest *l)
{
    *l = read_latest(folder);
    const int64_t here[] = {l->number, l->ranks};
    fa_tensor *both = fa_tensor_from(here, FA_SHAPE(2), .dtype = FA_I64, .device = FA_CPU);
    int64_t found[2];
    if (!both || !fa_dist_broadcast(both, 0, group) || !fa_read(both, found, FA_I64, 2))
        return false;
    *l = (latest){found[0], found[1]};
    return true;
}

/* Whether all ranks are content; after an error of this rank too, so that the others do not wait. */
static bool all_good(bool good, fa_group *group, const char *who)
{
    fa_error mine = {0};
    int64_t failed = good ? 0 : fa_dist_rank(group) + 1;
    bool here = good;
    {
        FA_USE(.catch_errors = &mine);
        fa_tensor *worst = fa_tensor_from(&failed, FA_SCALAR, .dtype = FA_I64, .device = FA_CPU);
        good = worst && fa_dist_all_reduce(worst, group, .op = FA_DIST_MAX);
        failed = good ? fa_item_int(worst) : failed;
    }
    if (mine.code)
        fa__error_hand_over(&mine);
    if (here && failed)
        fa_fail(FA_ERROR_STATE, "%s: rank %d failed, and has the reason", who, (int)failed - 1);
    return here && good && !failed;
}

/* ---- which tensors are shards ---- */

/* Names of tensors of the file, with the elements that all ranks have together. */
typedef struct notes {
    size_t count, room;
    char **name, **value;
} notes;

static bool add_note(notes *n, const char *name, const char *value)
{
    if (n->count == n->room) {
        size_t room = 2 * n->room + 16;
        char **names = realloc(n->name, room * sizeof *names);
        n->name = names ? names : n->name;
        char **values = names ? realloc(n->value, room * sizeof *values) : NULL;
        n->value = values ? values : n->value;
        if (!values)
            return fa_fail(FA_ERROR_MEMORY, "fa_dist_checkpoint_save: out of memory");
        n->room = room;
    }
    n->name[n->count] = strdup(name);
    n->value[n->count] = strdup(value);
    bool good = n->name[n->count] && n->value[n->count];
    n->count++;
    return good || fa_fail(FA_ERROR_MEMORY, "fa_dist_checkpoint_save: out of memory");
}

static void free_notes(notes *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->name[i]);
        free(n->value[i]);
    }
    free(n->name);
    free(n->value);
}

static bool note_shard(notes *n, const char *prefix, const char *name, int64_t numel)
{
    char text[400], number[32];
    snprintf(text, sizeof text, "%s%s%s", sharded_key, prefix, name);
    snprintf(number, sizeof number, "%lld", (long long)numel);
    return add_note(n, text, number);
}

/* Whether the optimizer keeps this tensor for the parameter; its name ends with that of the state. */
static bool is_state_of(const fa_optim *optim, const fa_tensor *parameter, const fa_tensor *t, const char *name)
{
    fa_error none = {0};
    FA_USE(.catch_errors = &none); /* the optimizer does not have the parameter */
    const char *dot = strrchr(name, '.');
    return dot && fa_optim_state(optim, parameter, dot + 1) == t;
}

static bool note_states(notes *n, const fa__sharded *s, const fa_optim *optim)
{
    fa_state_dict dict = fa_optim_state_dict(optim);
    for (size_t i = 0; dict.kind && i < dict.tensors.count; i++)
        for (size_t k = 0; k < s->count; k++)
            if (is_state_of(optim, s->flat[k].shard, dict.tensors.item[i], dict.tensors.name[i])
                && !note_shard(n, "optim.tensors.", dict.tensors.name[i], s->flat[k].numel))
                return false;
    return dict.kind;
}

static bool note_all(notes *n, const fa_checkpoint_options *o)
{
    const fa__sharded *s = fa__sharded_of(o->module);
    char name[32];
    for (size_t i = 0; i < o->metadata.count; i++)
        if (!add_note(n, o->metadata.name[i], o->metadata.value[i]))
            return false;
    for (size_t i = 0; s && i < s->count; i++) {
        snprintf(name, sizeof name, "shard%zu", i);
        if (!note_shard(n, "model.", name, s->flat[i].numel))
            return false;
    }
    return !s || !o->optim || note_states(n, s, o->optim);
}

/* ---- saving ---- */

static bool make_folder(const char *folder)
{
    return mkdir(folder, 0777) == 0 || errno == EEXIST
           || fa_fail(FA_ERROR_FILE, "fa_dist_checkpoint_save: %s: %s", folder, strerror(errno));
}

static bool save_part(const char *path, fa_checkpoint_options o)
{
    notes n = {0};
    bool good = note_all(&n, &o);
    o.metadata = (fa_metadata){n.count, (const char *const *)n.name, (const char *const *)n.value};
    good = good && (fa_checkpoint_save)(path, &o);
    free_notes(&n);
    return good;
}

static bool write_latest(const char *folder, latest l)
{
    char path[PATH_ROOM], text[80];
    int size = snprintf(text, sizeof text, "%lld of %lld ranks\n", (long long)l.number, (long long)l.ranks);
    return snprintf(path, sizeof path, "%s/latest", folder) < PATH_ROOM && fa_file_write(path, text, (size_t)size);
}

static void remove_files(const char *folder, latest l)
{
    char path[PATH_ROOM];
    for (int64_t i = 0; l.number && i < l.ranks; i++)
        if (path_of(path, folder, l, i))
            unlink(path);
}

bool(fa_dist_checkpoint_save)(const char *folder, fa_group *group, const fa_dist_checkpoint_save_options *options)
{
    static const char who[] = "fa_dist_checkpoint_save";
    fa_checkpoint_options o = FA__DEFAULT_fa_checkpoint;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    char path[PATH_ROOM];
    latest before, next = {.ranks = fa_dist_size(group)};
    if (fa_error_stands() || fa_dist_rank(group) < 0 || !agree_on_latest(folder, group, &before))
        return false;
    next.number = before.number + 1;
    bool good = make_folder(folder) && path_of(path, folder, next, fa_dist_rank(group)) && save_part(path, o);
    if (!all_good(good, group, who))
        return false;
    good = fa_dist_rank(group) || write_latest(folder, next);
    if (!all_good(good, group, who))
        return false;
    if (fa_dist_rank(group) == 0)
        remove_files(folder, before);
    return true;
}

/* ---- loading ---- */

/* The elements on all ranks of a tensor that is a shard; -1: it is none. */
static int64_t numel_of(fa_metadata m, const char *name)
{
    for (size_t i = 0; i < m.count; i++)
        if (!strncmp(m.name[i], sharded_key, sizeof sharded_key - 1)
            && !strcmp(m.name[i] + sizeof sharded_key - 1, name))
            return strtoll(m.value[i], NULL, 10);
    return -1;
}

/* Copies what `to`, elements from `at` on of the whole, has in common with a shard of the file, which is that from
 * `start` on. */
static bool copy_common(fa_tensor *to, int64_t at, const fa_tensor *from, int64_t start)
{
    int64_t first = at > start ? at : start, to_end = at + fa_numel(to), from_end = start + fa_numel(from),
            end = to_end < from_end ? to_end : from_end;
    return first >= end
           || fa_copy_(fa_narrow(to, 0, first - at, end - first), fa_narrow(from, 0, first - start, end - first));
}

/* The part of this rank of a shard that was saved by other ranks. */
static fa_tensor *cut_again(const fa_saved *file, int64_t files, const char *name, int64_t numel, const fa_group *group)
{
    int64_t part = fa__flat_part(numel, fa_dist_size(group));
    fa_tensor *to = NULL;
    for (int64_t i = 0; i < files; i++) {
        const fa_tensor *from = fa_parameters_find(file[i].tensors, name);
        if (!from)
            return NULL;
        if (fa_dim(from) != 1 || fa_numel(from) != fa__flat_part(numel, files)) {
            fa_fail(FA_ERROR_FILE, "fa_dist_checkpoint_load: \"%s\" of rank %d has another size than its notes say",
                    name, (int)i);
            return NULL;
        }
        to = to ? to : fa_zeros(FA_SHAPE(part), .dtype = fa_tensor_dtype(from), .device = FA_CPU);
        if (!to || !copy_common(to, part * fa_dist_rank(group), from, i * fa_numel(from)))
            return NULL;
    }
    return to;
}

/* Writes a file for this rank as if as many ranks as there are now had saved it. What is no shard is that of one of the
 * files. */
static bool write_again(const char *path, const fa_saved *file, int64_t files, const fa_group *group)
{
    const fa_saved *base = &file[fa_dist_rank(group) % files];
    size_t count = base->tensors.count;
    fa_tensor **item = calloc(count + 1, sizeof *item);
    bool good = true;
    if (!item)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_checkpoint_load: out of memory");
    for (size_t i = 0; good && i < count; i++) {
        const char *name = base->tensors.name[i];
        int64_t numel = numel_of(base->metadata, name);
        item[i] = numel < 0 ? base->tensors.item[i] : cut_again(file, files, name, numel, group);
        good = item[i];
    }
    good = good && fa_save(((fa_parameters){count, item, base->tensors.name}), path, .metadata = base->metadata);
    free(item);
    return good;
}

static bool load_files(const char *folder, latest l, fa_saved *file)
{
    char path[PATH_ROOM];
    for (int64_t i = 0; i < l.ranks; i++) {
        if (!path_of(path, folder, l, i))
            return false;
        file[i] = fa_load_file(path, .device = FA_CPU, .map = true);
        if (fa_error_stands())
            return false;
    }
    return true;
}

static bool load_again(const char *folder, latest l, const fa_group *group, const fa_checkpoint_options *o)
{
    char path[PATH_ROOM];
    int length =
        snprintf(path, sizeof path, "%s/again.%d-of-%d.safetensors", folder, fa_dist_rank(group), fa_dist_size(group));
    if (length >= PATH_ROOM)
        return fa_fail(FA_ERROR_FILE, "fa_dist_checkpoint_load: the path is too long: %s", folder);
    fa_saved *file = calloc((size_t)l.ranks, sizeof *file);
    if (!file)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_checkpoint_load: out of memory");
    bool good = load_files(folder, l, file) && write_again(path, file, l.ranks, group) && (fa_checkpoint_load)(path, o);
    free(file);
    unlink(path);
    return good;
}

bool(fa_dist_checkpoint_load)(const char *folder, fa_group *group, const fa_dist_checkpoint_load_options *options)
{
    static const char who[] = "fa_dist_checkpoint_load";
    fa_checkpoint_options o = FA__DEFAULT_fa_checkpoint;
    fa__options_read(&o, o.size, options);
    FA_SCOPE;
    FA_USE(.no_grad = true);
    char path[PATH_ROOM];
    latest l;
    if (fa_error_stands() || fa_dist_rank(group) < 0 || !agree_on_latest(folder, group, &l))
        return false;
    if (!l.number)
        return fa_fail(FA_ERROR_FILE, "%s: there is no checkpoint in %s", who, folder);
    bool good = l.ranks == fa_dist_size(group)
                    ? path_of(path, folder, l, fa_dist_rank(group)) && (fa_checkpoint_load)(path, &o)
                    : load_again(folder, l, group, &o);
    return all_good(good, group, who);
}
