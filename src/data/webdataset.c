/* Streams of samples in tar archives (shards), in the layout of the WebDataset library. A pass gives the bytes of the
 * members; images are decoded from them in all workers. */
#include "data/data.h"
#include "data/file.h"
#include <ctype.h>
#include <facula/dataset.h>
#include <facula/error.h>
#include <facula/tensor.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_NAMES = 8, /* of members, in an option */
    NAMES = 200,    /* bytes of an option */
    MOST_SHARDS = 1 << 20,
    MOST_SHUFFLED = 1 << 20,
    LABEL = FA_MAX_EXTRA - 1 /* the place of what decode() has to know of a sample */
};

static const char who[] = "fa_data_webdataset";

/* Names of members, the preferred one first. */
typedef struct members {
    char text[NAMES];
    const char *name[MOST_NAMES];
    int count;
} members;

typedef struct shards {
    fa_object base;
    fa__names *path;
    members input, target, extra;
    int64_t channels, shuffle, rank, ranks;
} shards;

static void shards_destroy(void *object)
{
    fa__unhold(((shards *)object)->path);
}

/* ---- a pass ---- */

/* A sample that is being collected, and which of its members it has. */
typedef struct found {
    fa_sample sample;
    char key[FA__PATH_ROOM];
    int input, target; /* the rank of their names */
} found;

typedef struct pass {
    fa_object base;
    const shards *shards;
    fa__numbers *order; /* of the archives */
    int64_t shard;      /* the next one */
    fa__reader *reader; /* of the current one; NULL: none is open */
    found next;         /* the sample to which the last member belongs; without a key: none */
    uint64_t random;
    int64_t waiting; /* samples among which the next one is chosen, with references */
    fa_sample item[];
} pass;

static void sample_drop(fa_sample *s)
{
    for (int k = 0; k < FA__ITEMS; k++)
        fa__unhold(*fa__sample_item(s, k));
    *s = (fa_sample){0};
}

static void pass_destroy(void *object)
{
    pass *p = object;
    for (int64_t i = 0; i < p->waiting; i++)
        sample_drop(&p->item[i]);
    sample_drop(&p->next.sample);
    fa__unhold(p->order);
    fa__unhold(p->reader);
}

static const fa_object_type shards_object = {"shards", shards_destroy}, pass_object = {"pass", pass_destroy};

/* The archives of this process, in their order or shuffled. */
static fa__numbers *order_of(const shards *s, uint64_t seed, int64_t epoch)
{
    int64_t n = s->path->count;
    fa__numbers *all = fa__numbers_new(n);
    for (int64_t i = 0; all && i < n; i++)
        all->item[i] = i;
    if (all && s->shuffle)
        fa__shuffle(all->item, n, seed, (uint64_t)epoch);
    int64_t kept = 0;
    for (int64_t i = s->rank; all && i < n; i += s->ranks)
        all->item[kept++] = all->item[i];
    if (all)
        all->count = kept;
    return all;
}

static void *pass_open(void *context, uint64_t seed, int64_t epoch)
{
    const shards *s = context;
    FA_SCOPE;
    pass *p = fa_object_new(&pass_object, sizeof *p + (size_t)(s->shuffle + 1) * sizeof *p->item);
    fa__numbers *order = p ? order_of(s, seed, epoch) : NULL;
    if (!order)
        return NULL;
    p->shards = s;
    p->order = fa__hold(order);
    p->random = fa__seed_of(seed, (uint64_t)epoch, 3);
    return fa__hold(p);
}

static void pass_close(void *context, void *state)
{
    (void)context;
    fa__unhold(state);
}

/* ---- members ---- */

static int rank_in(const members *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (!strcasecmp(m->name[i], name))
            return i;
    return -1;
}

static bool is_one_of(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (!strcasecmp(*names, name))
            return true;
    return false;
}

static bool is_image(const char *name)
{
    static const char *const images[] = {"jpg", "jpeg", "png", "ppm", "pgm", "pnm", NULL};
    return is_one_of(images, name);
}

/* A decimal number, perhaps with blanks around it. */
static bool read_number(const fa__bytes *b, int64_t *number)
{
    char text[32], *end;
    if (b->size < 1 || b->size >= (int64_t)sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)b->size, (const char *)b->item);
    *number = strtoll(text, &end, 10);
    return end != text && !end[strspn(end, " \t\r\n")];
}

/* The tensor of a member, with a reference for the caller: a number, or its bytes. */
static fa_tensor *tensor_of(const pass *p, const fa__tar_member *m, const char *name)
{
    static const char *const numbers[] = {"cls", "id", "index", NULL};
    int64_t number;
    FA_SCOPE;
    if (!is_one_of(numbers, name))
        return fa__hold(fa_tensor_from(m->content->item, FA_SHAPE(m->content->size), .dtype = FA_U8, .device = FA_CPU));
    if (read_number(m->content, &number))
        return fa__hold(fa_tensor_from(&number, FA_SCALAR, .dtype = FA_I64, .device = FA_CPU));
    fa_fail(FA_ERROR_FILE, "%s: %s: %s is no decimal number", who, fa__reader_path(p->reader), m->name);
    return NULL;
}

/* The path of an archive and that of a member in it, behind a byte that says whether it is an image; as bytes, with a
 * reference for the caller. */
static fa_tensor *label_of(const pass *p, const fa__tar_member *m, const char *name)
{
    char text[2 * FA__PATH_ROOM + 4];
    FA_SCOPE;
    int n = snprintf(text, sizeof text, "%c%s: %s", is_image(name) ? 'i' : 'b', fa__reader_path(p->reader), m->name);
    return fa__hold(fa_tensor_from(text, FA_SHAPE(n + 1), .dtype = FA_U8, .device = FA_CPU));
}

static bool put(fa_tensor **to, fa_tensor *t)
{
    fa__unhold(*to);
    *to = t;
    return t;
}

/* Gives a member to its place in the sample, if it has one. */
static bool place(pass *p, const fa__tar_member *m, const char *name)
{
    const shards *s = p->shards;
    found *f = &p->next;
    int input = rank_in(&s->input, name), target = rank_in(&s->target, name), extra = rank_in(&s->extra, name);
    if (input >= 0 && (f->input < 0 || input < f->input)) {
        f->input = input;
        if (!put(&f->sample.input, tensor_of(p, m, name)) || !put(&f->sample.extra[LABEL], label_of(p, m, name)))
            return false;
    }
    if (target >= 0 && (f->target < 0 || target < f->target)) {
        f->target = target;
        if (!put(&f->sample.target, tensor_of(p, m, name)))
            return false;
    }
    return extra < 0 || put(&f->sample.extra[extra], tensor_of(p, m, name));
}

/* The member's name in its sample, behind the first dot of the last part of its path; "" if there is none, and for
 * hidden files, such as ._x.jpg, which macOS adds to archives. */
static const char *split_name(char path[static FA__PATH_ROOM])
{
    char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path, *dot = strchr(last, '.');
    if (!dot || dot == last || !dot[1])
        return "";
    *dot = 0;
    return dot + 1;
}

/* Checks that a sample is complete. */
static bool is_whole(const pass *p, const found *f)
{
    const shards *s = p->shards;
    const char *missing = !f->sample.input ? "input" : s->target.count && !f->sample.target ? "target" : NULL;
    for (int i = 0; i < s->extra.count; i++)
        missing = f->sample.extra[i] ? missing : s->extra.name[i];
    return !missing
           || fa_fail(FA_ERROR_FILE, "%s: %s: the sample %s has no %s", who,
                      p->reader ? fa__reader_path(p->reader) : "the archive", f->key, missing);
}

/* Hands over the sample that is complete now, if there is one. */
static bool finish(pass *p, fa_sample *to)
{
    *to = (fa_sample){0};
    if (!*p->next.key)
        return true;
    if (!is_whole(p, &p->next))
        return false;
    *to = p->next.sample;
    p->next.sample = (fa_sample){0};
    p->next.key[0] = 0;
    return true;
}

static bool open_shard(pass *p)
{
    FA_SCOPE;
    p->reader = fa__hold(fa__reader_open(who, p->shards->path->item[p->order->item[p->shard++]]));
    return p->reader;
}

/* Reads a member. Stores the sample before it, if it is the first of another one or the archive has ended; without an
 * input: the sample goes on. */
static bool read_member(pass *p, fa_sample *to)
{
    FA_SCOPE;
    fa__tar_member m;
    *to = (fa_sample){0};
    if (!fa__tar_next(p->reader, &m))
        return false;
    if (!m.content) {
        bool good = finish(p, to);
        fa__unhold(p->reader);
        p->reader = NULL;
        return good;
    }
    char path[FA__PATH_ROOM];
    memcpy(path, m.name, sizeof path);
    const char *name = split_name(path);
    if (!*name)
        return true;
    if (strcmp(path, p->next.key) != 0) {
        if (!finish(p, to))
            return false;
        p->next.input = p->next.target = -1;
        memcpy(p->next.key, path, sizeof path);
    }
    if (place(p, &m, name))
        return true;
    sample_drop(to);
    return false;
}

/* The next sample of the archives, with references for the caller; without an input at their end. */
static bool read_sample(pass *p, fa_sample *to)
{
    *to = (fa_sample){0};
    while (!to->input) {
        if (!p->reader && p->shard == p->order->count)
            return true;
        if ((!p->reader && !open_shard(p)) || !read_member(p, to))
            return false;
    }
    return true;
}

/* Chooses one of the samples in the shuffle buffer, which holds up to `shuffle` of them, at least one. */
static bool pass_next(void *context, void *state, fa_sample *sample)
{
    const shards *s = context;
    pass *p = state;
    while (p->waiting < (s->shuffle ? s->shuffle : 1)) {
        fa_sample one;
        if (!read_sample(p, &one))
            return false;
        if (!one.input)
            break;
        p->item[p->waiting++] = one;
    }
    if (!p->waiting)
        return true;
    int64_t which = s->shuffle ? (int64_t)fa__random_below(&p->random, (uint64_t)p->waiting) : 0;
    *sample = p->item[which];
    p->item[which] = p->item[--p->waiting];
    for (int k = 0; k < FA__ITEMS; k++)
        if (*fa__sample_item(sample, k))
            fa__own_held(*fa__sample_item(sample, k));
    return true;
}

/* Decodes the input if it is an image. */
static bool decode(void *context, int64_t index, fa_sample *sample)
{
    const shards *s = context;
    (void)index;
    const char *label = (const char *)fa_ptr_u8(sample->extra[LABEL]);
    if (label && *label == 'i')
        sample->input =
            fa__image_decode(label + 1, fa_ptr_u8(sample->input), (size_t)fa_numel(sample->input), s->channels);
    sample->extra[LABEL] = NULL;
    return label && sample->input;
}

/* ---- which archives ---- */

static void shards_release(void *context)
{
    fa__unhold(context);
}

/* The numbers of a range {first..last} in the path; false if it has none. */
static bool range_of(const char *path, int64_t *first, int64_t *last, int *digits, const char **begin, const char **end)
{
    int from = 0, to = 0;
    *begin = strchr(path, '{');
    *end = *begin ? strchr(*begin, '}') : NULL;
    if (!*end || sscanf(*begin, "{%9" SCNd64 "%n..%9" SCNd64 "%n", first, &from, last, &to) != 2 || *begin + to != *end)
        return false;
    *digits = from - 1;
    return *first >= 0 && *first <= *last && *last - *first < MOST_SHARDS;
}

static fa__names *names_of_range(const char *path)
{
    int64_t first, last;
    int digits;
    const char *begin, *end;
    if (!range_of(path, &first, &last, &digits, &begin, &end)) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" has no range like {000..127}, of at most %d numbers", who, path,
                (int)MOST_SHARDS);
        return NULL;
    }
    size_t room = strlen(path) + 20;
    fa__names *n = fa__names_new(last - first + 1, (size_t)(last - first + 1) * room);
    for (int64_t i = 0; n && i < n->count; i++) {
        char *to = n->text + (size_t)i * room;
        snprintf(to, room, "%.*s%0*" PRId64 "%s", (int)(begin - path), path, digits, first + i, end + 1);
        n->item[i] = to;
    }
    return n;
}

static fa__names *names_of_pattern(const char *pattern)
{
    glob_t all = {0};
    fa__names *n = NULL;
    if (glob(pattern, 0, NULL, &all) == 0 && all.gl_pathc <= MOST_SHARDS)
        n = fa__names_of((const char *const *)all.gl_pathv, (int64_t)all.gl_pathc);
    else
        fa_fail(FA_ERROR_FILE, "%s: no archive is called \"%s\"", who, pattern);
    globfree(&all);
    return n;
}

static fa__names *names_of(const char *path)
{
    fa__names *n = strchr(path, '{')      ? names_of_range(path)
                   : strpbrk(path, "*?[") ? names_of_pattern(path)
                                          : fa__names_of(&path, 1);
    for (int64_t i = 0; n && i < n->count; i++)
        if (access(n->item[i], R_OK) != 0) {
            fa_fail(FA_ERROR_FILE, "%s: there is no archive %s that can be read", who, n->item[i]);
            return NULL;
        }
    return n;
}

/* ---- the dataset ---- */

/* Splits names at semicolons. */
static bool read_members(const char *text, int most, members *m)
{
    *m = (members){.count = 0};
    if (strlen(text) >= NAMES)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: the names of members \"%.40s...\" are too long", who, text);
    snprintf(m->text, NAMES, "%s", text);
    char *left = m->text;
    for (char *name; (name = strsep(&left, ";"));) {
        if (!*name)
            continue;
        if (m->count == most)
            return fa_fail(FA_ERROR_ARGUMENT, "%s: \"%s\" are more than %d names of members", who, text, most);
        m->name[m->count++] = name;
    }
    return true;
}

static bool options_are_good(const fa_data_webdataset_options *o)
{
    if (o->channels != 0 && o->channels != 1 && o->channels != 3)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: .channels is 0, 1 or 3", who);
    if (o->shuffle < 0 || o->shuffle > MOST_SHUFFLED)
        return fa_fail(FA_ERROR_ARGUMENT, "%s: .shuffle is 0 to %d samples", who, (int)MOST_SHUFFLED);
    return (o->ranks >= 1 && o->ranks <= INT32_MAX && o->rank >= 0 && o->rank < o->ranks)
           || fa_fail(FA_ERROR_ARGUMENT, "%s: there is no rank %" PRId64 " of %" PRId64, who, o->rank, o->ranks);
}

static fa_dataset *shards_new(const char *path, const fa_data_webdataset_options *o)
{
    static const fa_dataset_stream_type type = {"webdataset", pass_open, pass_next, pass_close, shards_release};
    fa__names *names = options_are_good(o) ? names_of(path) : NULL;
    shards *s = names ? fa_object_new(&shards_object, sizeof *s) : NULL;
    if (!s || !read_members(o->input ? o->input : "jpg;jpeg;png;ppm;pgm;pnm", MOST_NAMES, &s->input)
        || !read_members(o->target ? o->target : "cls", MOST_NAMES, &s->target)
        || !read_members(o->extra ? o->extra : "", LABEL, &s->extra))
        return NULL;
    s->path = fa__hold(names);
    s->channels = o->channels;
    s->shuffle = o->shuffle;
    s->rank = o->rank;
    s->ranks = o->ranks;
    fa_dataset *d = fa_dataset_stream(&type, fa__hold(s));
    d = d ? fa_data_map(d, decode, s) : NULL;
    return d ? fa_data_transformed(d, o->transform) : NULL;
}

fa_dataset *(fa_data_webdataset)(const char *path, const fa_data_webdataset_options *options)
{
    fa_data_webdataset_options o = FA__DEFAULT_fa_data_webdataset;
    fa__options_read(&o, o.size, options);
    if (!path) {
        fa_fail(FA_ERROR_ARGUMENT, "%s: the path is NULL", who);
        return NULL;
    }
    if (fa_error_stands())
        return NULL;
    FA_SCOPE;
    fa_dataset *d = shards_new(path, &o);
    return d ? fa_escape(d) : NULL;
}
