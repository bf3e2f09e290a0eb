/* Streams: the same batches for any number of workers, also from a saved position; their ends and errors; samples
 * collated, padded and put into buckets; tar archives as streams. */
#include "support/api_test.h"
#include <facula/data.h>
#include <facula/dataset.h>
#include <facula/host.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- a stream of the program's own ---- */

typedef struct counter {
    int64_t length, fails_at;
    _Atomic int64_t open, closed, released;
} counter;

typedef struct place {
    int64_t next, epoch;
    _Atomic int64_t inside; /* calls of next */
} place;

static void *counter_open(void *context, uint64_t seed, int64_t epoch)
{
    counter *c = context;
    place *p = calloc(1, sizeof *p);
    (void)seed;
    atomic_fetch_add(&c->open, 1);
    p->epoch = epoch;
    return p;
}

/* Samples are their number, a thousand times the epoch, and a random number below 1. */
static bool counter_next(void *context, void *state, fa_sample *sample)
{
    counter *c = context;
    place *p = state;
    assert_int_equal(atomic_fetch_add(&p->inside, 1), 0);
    bool good = p->next != c->fails_at;
    if (!good)
        fa_fail(FA_ERROR_FILE, "the line went dead");
    else if (p->next < c->length) {
        sample->input = fa_add(fa_mul(fa_rand(FA_SHAPE(1)), 0.9), (double)(p->next + 1000 * p->epoch));
        sample->target = fa_full(FA_SCALAR, p->next, .dtype = FA_I64);
    }
    p->next++;
    atomic_fetch_sub(&p->inside, 1);
    return good;
}

static void counter_close(void *context, void *state)
{
    atomic_fetch_add(&((counter *)context)->closed, 1);
    free(state);
}

static void counter_release(void *context)
{
    atomic_fetch_add(&((counter *)context)->released, 1);
}

static const fa_dataset_stream_type counter_type = {"counter", counter_open, counter_next, counter_close,
                                                    counter_release};

/* A transform that draws, so that it shows whether samples keep their random numbers. */
static bool add_noise(void *context, int64_t index, fa_sample *sample)
{
    (void)context;
    assert_int_equal(fa_item_int(sample->target), index);
    sample->input = fa_cat(FA_TENSORS(sample->input, fa_rand(FA_SHAPE(1))));
    return true;
}

enum { MOST = 64 };

typedef struct seen {
    int64_t count, batches;
    float value[2 * MOST];
} seen;

static seen watch(fa_loader *loader, int64_t most)
{
    seen s = {0};
    FA_EACH (batch, loader) {
        assert_true(fa_read(batch.input, s.value + 2 * s.count, FA_F32, 2 * batch.size));
        for (int64_t i = 0; i < batch.size; i++)
            assert_int_equal(fa_item_int(fa_get(batch.target, i)), batch.samples[i]);
        s.count += batch.size;
        if (++s.batches == most)
            break;
    }
    assert_no_error();
    return s;
}

static void batches_do_not_depend_on_workers(void **state)
{
    (void)state;
    for (int64_t length = 0; length < 14; length += 3 + (length == 6)) { /* also whole numbers of batches */
        seen first[3];
        for (int64_t workers = 0; workers < 4; workers++) {
            counter c = {.length = length, .fails_at = -1};
            {
                FA_SCOPE;
                fa_dataset *d = fa_data_map(fa_dataset_stream(&counter_type, &c), add_noise, NULL);
                fa_loader *loader = fa_data_loader(d, .batch_size = 5, .seed = 3, .workers = workers, .prefetch = 1);
                for (int epoch = 0; epoch < 3; epoch++) {
                    seen s = watch(loader, 0);
                    assert_int_equal(s.count, length);
                    assert_int_equal(s.batches, (length + 4) / 5);
                    assert_int_equal(fa_loader_position(loader).epoch, epoch + 1);
                    assert_int_equal(fa_loader_position(loader).batch, 0);
                    if (length)
                        assert_int_equal((int)s.value[0], 1000 * epoch);
                    if (!workers)
                        first[epoch] = s;
                    assert_memory_equal(&s, &first[epoch], sizeof s);
                }
            }
            assert_int_equal(atomic_load(&c.open), atomic_load(&c.closed));
            assert_int_equal(atomic_load(&c.released), 1);
        }
    }
}

static void positions_continue_exactly(void **state)
{
    (void)state;
    counter c = {.length = 17, .fails_at = -1};
    FA_SCOPE;
    fa_dataset *d = fa_data_map(fa_dataset_stream(&counter_type, &c), add_noise, NULL);
    seen whole = watch(fa_data_loader(d, .batch_size = 3, .seed = 8), 0);
    for (int64_t k = 0; k < 9; k++) {
        fa_loader *one = fa_data_loader(d, .batch_size = 3, .seed = 8, .workers = k / 3);
        fa_loader *other = fa_data_loader(d, .batch_size = 3, .seed = 1, .workers = k % 3);
        watch(one, 2);
        watch(other, 4);
        assert_true(fa_loader_seek(other, fa_loader_position(one)));
        seen rest = watch(other, 0);
        assert_int_equal(rest.count, 11);
        assert_memory_equal(rest.value, whole.value + 12, 22 * sizeof *whole.value);
        assert_true(watch(one, 0).value[0] >= 1000); /* after a break, the next epoch */
    }
}

static void last_batches_are_dropped(void **state)
{
    (void)state;
    counter c = {.length = 11, .fails_at = -1};
    FA_SCOPE;
    fa_dataset *d = fa_data_map(fa_dataset_stream(&counter_type, &c), add_noise, NULL);
    for (int64_t workers = 0; workers < 3; workers++)
        for (int epoch = 0; epoch < 2; epoch++)
            assert_int_equal(watch(fa_data_loader(d, .batch_size = 4, .drop_last = true, .workers = workers), 0).count,
                             8);
}

static void errors_reach_the_loop(void **state)
{
    (void)state;
    for (int64_t workers = 0; workers < 3; workers++) {
        counter c = {.length = 11, .fails_at = 5};
        int64_t turns = 0;
        FA_SCOPE;
        fa_loader *loader = fa_data_loader(fa_dataset_stream(&counter_type, &c), .batch_size = 2, .workers = workers);
        FA_EACH (batch, loader)
            turns++;
        assert_int_equal(turns, 2);
        assert_error(FA_ERROR_FILE, "stream counter, sample 5: ", "the line went dead");
        c.fails_at = -1;
        FA_EACH (batch, loader)
            turns++;
        assert_no_error();
        assert_int_equal(turns, 8);
    }
}

static void others_refuse_streams(void **state)
{
    (void)state;
    counter c = {.length = 11, .fails_at = -1};
    FA_SCOPE;
    fa_dataset *d = fa_dataset_stream(&counter_type, &c);
    assert_true(fa_dataset_length(d) == INT64_MAX);
    assert_true(fa_loader_length(fa_data_loader(d, .batch_size = 7)) == INT64_MAX);
    assert_null(fa_data_subset(d, (int64_t[]){1}, 1));
    assert_error(FA_ERROR_ARGUMENT, "fa_data_subset: the samples of a stream have no numbers");
    assert_null(fa_data_concat(d, d));
    assert_error(FA_ERROR_ARGUMENT, "fa_data_concat: ");
    assert_null(fa_data_cached(d));
    assert_error(FA_ERROR_ARGUMENT, "fa_data_cached: ");
    assert_null(fa_data_split(d, 0.5).first);
    assert_error(FA_ERROR_ARGUMENT, "fa_data_split: ");
    assert_null(fa_data_loader(d, .shuffle = true));
    assert_error(FA_ERROR_ARGUMENT, "no .shuffle");
    assert_null(fa_data_loader(d, .sampler = fa_sampler_subset((int64_t[]){1}, 1)));
    assert_error(FA_ERROR_ARGUMENT, "no .sampler");
    assert_null(fa_dataset_get(d, 0).input);
    assert_error(FA_ERROR_STATE, "the samples of a stream come in their order");
    assert_null(fa_dataset_stream(&(fa_dataset_stream_type){.name = "none"}, &c));
    assert_error(FA_ERROR_ARGUMENT, "has a name, open and next");
}

/* ---- sequences ---- */

/* Sample i has i % 7 + 1 numbers i, and as many targets. */
static int64_t ragged_length(void *context)
{
    (void)context;
    return 40;
}

static bool ragged_get(void *context, int64_t index, fa_sample *sample)
{
    sample->input = fa_full(FA_SHAPE(index % 7 + 1), (double)index);
    sample->target = fa_full(FA_SHAPE(index % 7 + 1), index, .dtype = context && index == 9 ? FA_F32 : FA_I64);
    return true;
}

static const fa_dataset_type ragged = {"ragged", ragged_length, ragged_get, NULL, NULL};

static void sequences_are_padded(void **state)
{
    (void)state;
    int odd = 1;
    FA_SCOPE;
    fa_dataset *d = fa_data_padded(fa_dataset_new(&ragged, NULL), .value = -1, .multiple = 4, .lengths = true);
    for (int64_t workers = 0; workers < 3; workers++)
        FA_EACH (batch, fa_data_loader(d, .batch_size = 3, .workers = workers)) {
            int64_t longest = 0;
            for (int64_t i = 0; i < batch.size; i++) {
                int64_t n = batch.samples[i] % 7 + 1, rest = fa_size(batch.input, 1) - n;
                longest = n > longest ? n : longest;
                assert_int_equal(fa_item_int(fa_get(batch.extra[0], i)), n);
                assert_float_equal(fa_item(fa_sum(fa_get(batch.input, i))), (double)(n * batch.samples[i] - rest), 0);
                assert_float_equal(fa_item(fa_sum(fa_get(batch.target, i))),
                                   (double)(n * batch.samples[i] - 100 * (fa_size(batch.target, 1) - n)), 0);
            }
            assert_int_equal(fa_size(batch.input, 1), (longest + 3) / 4 * 4);
        }
    assert_no_error();
    FA_EACH (batch, fa_data_loader(fa_data_padded(fa_dataset_new(&ragged, &odd)), .batch_size = 5))
        assert_int_equal(batch.index, 0);
    assert_error(FA_ERROR_SHAPE, "sample 9: its tensor 1 is f32 of 1 dimensions", "is i64 of 1");
    fa_dataset_batch(fa_dataset_new(&ragged, NULL), (int64_t[]){2, 3}, 2);
    assert_error(FA_ERROR_SHAPE, "dataset ragged, sample 3: its input is f32 (4)");
    assert_null(fa_data_padded(d, .multiple = 0));
    assert_error(FA_ERROR_ARGUMENT, ".multiple is 0");
}

/* Joins samples end to end, with their lengths. */
static bool join(void *context, const fa_sample *samples, int64_t count, fa_sample *batch)
{
    fa_tensor *input[8], *one = fa_zeros(FA_SHAPE(count));
    for (int64_t i = 0; i < count; i++) {
        input[i] = samples[i].input;
        fa_copy_(fa_select(one, 0, i), fa_sum(samples[i].input));
    }
    if (context)
        return fa_fail(FA_ERROR_USER, "these do not fit together");
    const fa_tensors all = {(size_t)count, input};
    batch->input = one;
    batch->extra[0] = fa_expand(fa_unsqueeze(fa_cat(all), 0), FA_SHAPE(count, -1));
    return true;
}

static void batches_are_collated(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_dataset *d = fa_dataset_new(&ragged, NULL);
    FA_EACH (batch, fa_data_loader(fa_data_collated(d, join, NULL), .batch_size = 4, .workers = 1)) {
        int64_t sum = 0;
        for (int64_t i = 0; i < batch.size; i++)
            sum += batch.samples[i] % 7 + 1;
        assert_int_equal(fa_size(batch.extra[0], 1), sum);
        assert_float_equal(fa_item(fa_get(batch.input, 1)), (double)(batch.samples[1] * (batch.samples[1] % 7 + 1)), 0);
    }
    assert_no_error();
    FA_EACH (batch, fa_data_loader(fa_data_collated(d, join, d), .batch_size = 4))
        fail();
    assert_error(FA_ERROR_USER, "these do not fit together");
    assert_null(fa_data_collated(d, NULL, NULL));
    assert_error(FA_ERROR_ARGUMENT, "the function is NULL");
}

/* Every sample comes once; batches of a pool have similar lengths, and come in another order in each epoch. */
static void buckets_have_similar_lengths(void **state)
{
    (void)state;
    enum { COUNT = 1003, SIZE = 10 };
    FA_SCOPE;
    fa_tensor *lengths = fa_to(fa_remainder(fa_mul(fa_arange(0, COUNT), 37), 101), FA_I64);
    fa_sampler *s = fa_sampler_bucketed(lengths, SIZE, .pool = 20);
    int64_t length[COUNT], order[2][COUNT];
    assert_true(fa_read(lengths, length, FA_I64, COUNT));
    for (int epoch = 0; epoch < 2; epoch++) {
        bool there[COUNT] = {false};
        assert_true(fa_read(fa_sampler_order(s, 5, epoch), order[epoch], FA_I64, COUNT));
        for (int64_t i = 0; i < COUNT; i++) {
            assert_false(there[order[epoch][i]]);
            there[order[epoch][i]] = true;
        }
        int64_t rises = 0;
        for (int64_t b = 0; b + SIZE <= COUNT; b += SIZE) {
            int64_t least = INT64_MAX, most = 0;
            for (int64_t i = b; i < b + SIZE; i++) {
                int64_t n = length[order[epoch][i]];
                least = n < least ? n : least;
                most = n > most ? n : most;
            }
            assert_true(most - least <= 25); /* 5 in a pool of 200 on average; 90 without buckets */
            rises += b > 0 && length[order[epoch][b]] > length[order[epoch][b - SIZE]];
        }
        assert_true(rises > 20 && rises < 80);
    }
    assert_memory_not_equal(order[0], order[1], sizeof *order);
    assert_null(fa_sampler_bucketed(lengths, 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_sampler_bucketed: 100 batches of 0 samples");
    assert_null(fa_sampler_bucketed(fa_mul(fa_to(lengths, FA_F32), INFINITY), 4));
    assert_error(FA_ERROR_ARGUMENT, "length 0 is");
}

/* ---- tar archives ---- */

static char root[64], path[256];

static const char *in_root(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/facula-shards-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

/* Writes a member of a kind ('0': a file). */
static void put_member(FILE *f, char kind, const char *name, const void *content, size_t size)
{
    char header[512] = {0};
    unsigned sum = 0;
    snprintf(header, 100, "%s", name);
    snprintf(header + 100, 8, "0000644");
    snprintf(header + 124, 12, "%011zo", size);
    memset(header + 148, ' ', 8);
    header[156] = kind;
    memcpy(header + 257, (const char[8]){'u', 's', 't', 'a', 'r', 0, '0', '0'}, 8);
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    fwrite(header, 1, 512, f);
    fwrite(content, 1, size, f);
    for (; size % 512; size++)
        fputc(0, f);
}

/* Writes a file, whose name stands in its header, before it as GNU's tar has it, or as POSIX has it. */
static void put_file(FILE *f, int how, const char *name, const void *content, size_t size)
{
    char record[300];
    if (how == 1)
        put_member(f, 'L', "././@LongLink", name, strlen(name) + 1);
    int length = snprintf(record, sizeof record, "%03zu path=%s\n", strlen(name) + 10, name);
    if (how == 2)
        put_member(f, 'x', "PaxHeaders/0", record, (size_t)length);
    put_member(f, '0', how ? "cut off" : name, content, size);
}

static void put_end(FILE *f)
{
    char zero[1024] = {0};
    fwrite(zero, 1, sizeof zero, f);
    fclose(f);
}

/* Samples first to first + count - 1: an image of 2 x 3 pixels with their number, and this as target and text. */
static void put_shard(const char *name, int first, int count)
{
    FILE *f = fopen(in_root(name), "wb");
    assert_non_null(f);
    put_member(f, '5', "train/", "", 0);
    for (int i = first; i < first + count; i++) {
        char key[200], member[220], text[40];
        if (i % 3)
            snprintf(key, sizeof key, "train/%0102d/%04d", 0, i);
        else
            snprintf(key, sizeof key, "train/%04d", i);
        int n = snprintf(text, sizeof text, "P5 3 2 255\n%c%c%c%c%c%c", i, i, i, i, i, i);
        snprintf(member, sizeof member, "%s.pgm", key);
        put_file(f, i % 3, member, text, (size_t)n);
        snprintf(member, sizeof member, "%s.json", key);
        put_file(f, i % 3, member, "{}\n", 3);
        snprintf(member, sizeof member, "%s.cls", key);
        put_file(f, i % 3, member, text, (size_t)snprintf(text, sizeof text, " %d\n", i));
    }
    put_end(f);
}

/* The targets of an epoch in their order, after a look at the images. */
static int64_t targets_of(fa_loader *loader, int64_t *to)
{
    int64_t n = 0;
    FA_EACH (batch, loader) {
        assert_int_equal(fa_size(batch.input, 2), 2);
        assert_int_equal(fa_size(batch.input, 3), 3);
        for (int64_t i = 0; i < batch.size; i++) {
            to[n] = fa_item_int(fa_get(batch.target, i));
            assert_float_equal(fa_item(fa_sum(fa_to(fa_get(batch.input, i), FA_F32))), (double)(6 * to[n]), 0);
            n++;
        }
    }
    assert_no_error();
    return n;
}

static void shards_are_streams(void **state)
{
    (void)state;
    int64_t target[40];
    FA_SCOPE;
    put_shard("part-08.tar", 1, 8);
    put_shard("part-09.tar", 9, 1);
    put_shard("part-10.tar", 10, 11);
    const char *const patterns[] = {"part-{08..10}.tar", "part-*.tar"};
    for (int k = 0; k < 2; k++)
        for (int64_t workers = 0; workers < 3; workers++) {
            fa_dataset *d = fa_data_webdataset(in_root(patterns[k]), .channels = 1, .extra = "json");
            assert_no_error();
            fa_loader *loader = fa_data_loader(d, .batch_size = 3, .workers = workers);
            for (int epoch = 0; epoch < 2; epoch++) {
                assert_int_equal(targets_of(loader, target), 20);
                for (int i = 0; i < 20; i++)
                    assert_int_equal(target[i], i + 1);
            }
        }
    FA_EACH (batch, fa_data_loader(fa_data_webdataset(in_root("part-09.tar"), .target = "", .extra = "json"))) {
        assert_null(batch.target);
        assert_int_equal(fa_size(batch.input, 1), 3);
        assert_int_equal(fa_size(batch.extra[0], 1), 3);
    }
    assert_no_error();
}

/* Hidden files are no samples; a long name of a folder is not that of the file behind it. */
static void shards_with_other_members(void **state)
{
    (void)state;
    int64_t target[4];
    FA_SCOPE;
    FILE *f = fopen(in_root("other.tar"), "wb");
    assert_non_null(f);
    put_member(f, 'g', "pax_global_header", "20 comment=1234567\n", 20);
    put_member(f, 'x', "PaxHeaders/0", "017 path=folder/\n", 17);
    put_member(f, '5', "cut off", "", 0);
    put_file(f, 0, "folder/._1.pgm", "junk", 4);
    put_file(f, 0, "folder/1.pgm", "P5 3 2 255\n\1\1\1\1\1\1", 17);
    put_file(f, 0, "folder/._1.cls", "junk", 4);
    put_file(f, 0, "folder/1.cls", "1", 1);
    put_file(f, 0, ".DS_Store", "junk", 4);
    put_end(f);
    fa_dataset *d = fa_data_webdataset(in_root("other.tar"), .channels = 1);
    assert_int_equal(targets_of(fa_data_loader(d, .batch_size = 2), target), 1);
    assert_int_equal(target[0], 1);
}

/* Shuffled passes have every sample once, in orders that depend on the seed and the epoch alone; parts of processes are
 * disjoint. */
static void shards_are_shuffled(void **state)
{
    (void)state;
    int64_t target[40], again[40];
    FA_SCOPE;
    put_shard("part-08.tar", 1, 8);
    put_shard("part-09.tar", 9, 1);
    put_shard("part-10.tar", 10, 11);
    for (int64_t rank = 0, all = 0; rank < 2; rank++) {
        fa_dataset *d =
            fa_data_webdataset(in_root("part-*.tar"), .channels = 1, .shuffle = 6, .rank = rank, .ranks = 2);
        for (int64_t workers = 0; workers < 3; workers++) {
            fa_loader *loader = fa_data_loader(d, .batch_size = 4, .seed = 6, .workers = workers);
            int64_t n = targets_of(loader, workers ? again : target);
            all += workers ? 0 : n;
            if (workers)
                assert_memory_equal(target, again, (size_t)n * sizeof *target);
            int64_t other = targets_of(loader, again); /* another order, perhaps of other archives */
            assert_true(other != n || memcmp(target, again, (size_t)n * sizeof *target) != 0);
        }
        assert_true(rank == 0 || all == 20);
    }
}

static void refused(const char *what)
{
    FA_SCOPE;
    FA_EACH (batch, fa_data_loader(fa_data_webdataset(in_root("odd.tar")), .batch_size = 2))
        continue;
    assert_error(FA_ERROR_FILE, "odd.tar", what);
}

static void damaged_shards(void **state)
{
    (void)state;
    static char bytes[20000];
    put_shard("odd.tar", 1, 3);
    FILE *f = fopen(in_root("odd.tar"), "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t cut = 100; cut < size - 1024; cut += 333) {
        f = fopen(in_root("odd.tar"), "wb");
        fwrite(bytes, 1, cut, f);
        fclose(f);
        refused("");
    }
    bytes[600] ^= 1;
    f = fopen(in_root("odd.tar"), "wb");
    fwrite(bytes, 1, size, f);
    fclose(f);
    refused("byte 1024: no header of a tar archive: its checksum is wrong");
    f = fopen(in_root("odd.tar"), "wb");
    put_file(f, 0, "a.pgm", "P5 1 1 255\nx", 12);
    put_file(f, 0, "b.cls", "1", 1);
    put_end(f);
    refused("the sample a has no target");
    f = fopen(in_root("odd.tar"), "wb");
    put_file(f, 0, "a.pgm", "P5 1 1 255\nx", 12);
    put_file(f, 0, "a.cls", "one", 3);
    put_end(f);
    refused("a.cls is no decimal number");
    f = fopen(in_root("odd.tar"), "wb");
    put_file(f, 0, "a.pgm", "P5 1 1 255\nx", 12);
    put_file(f, 0, "a.cls", "1", 1);
    put_file(f, 0, "b.pgm", "P5 9 9 255\nx", 12);
    put_file(f, 0, "b.cls", "2", 1);
    put_end(f);
    refused("b.pgm: it ends");
    FA_SCOPE;
    for (int64_t workers = 0; workers < 2; workers++) {
        fa_loader *loader = fa_data_loader(fa_data_webdataset(in_root("odd.tar")), .batch_size = 2, .workers = workers,
                                           .skip_bad_samples = true);
        FA_EACH (batch, loader)
            assert_int_equal(batch.size, 1);
        assert_no_error();
        assert_int_equal(fa_loader_report(loader).skipped, 1);
    }
    assert_null(fa_data_webdataset(in_root("none-{0..1}.tar")));
    assert_error(FA_ERROR_FILE, "none-0.tar");
    assert_null(fa_data_webdataset(in_root("none-*.tar")));
    assert_error(FA_ERROR_FILE, "none-*.tar");
    assert_null(fa_data_webdataset(in_root("none-{1..0}.tar")));
    assert_error(FA_ERROR_ARGUMENT, "no range");
    assert_null(fa_data_webdataset(root, .ranks = 0));
    assert_error(FA_ERROR_ARGUMENT, "no rank 0 of 0");
}

/* ---- samples in files ---- */

typedef struct counted {
    _Atomic int64_t gets;
    int64_t length;
} counted;

static int64_t counted_length(void *context)
{
    return ((counted *)context)->length;
}

static bool counted_get(void *context, int64_t index, fa_sample *sample)
{
    atomic_fetch_add(&((counted *)context)->gets, 1);
    sample->input = fa_full(FA_SHAPE(3), index, .dtype = FA_U8);
    sample->target = fa_full(FA_SCALAR, index, .dtype = FA_I64);
    sample->extra[1] = fa_full(FA_SHAPE(1), 0.5 + (double)index);
    return true;
}

static void samples_are_kept_in_files(void **state)
{
    (void)state;
    counted c = {.length = 10};
    const fa_dataset_type type = {"counted", counted_length, counted_get, NULL, NULL};
    for (int run = 0; run < 2; run++) {
        FA_SCOPE;
        fa_dataset *d = fa_data_cached_in(fa_dataset_new(&type, &c), in_root("kept"));
        for (int epoch = 0; epoch < 2; epoch++)
            FA_EACH (batch, fa_data_loader(d, .batch_size = 4, .workers = 2 * run)) {
                assert_int_equal(fa_tensor_dtype(batch.input), FA_U8);
                for (int64_t i = 0; i < batch.size; i++) {
                    assert_int_equal(fa_item_int(fa_get(batch.target, i)), batch.samples[i]);
                    assert_float_equal(fa_item(fa_sum(fa_to(fa_get(batch.input, i), FA_F32))),
                                       (float)(3 * batch.samples[i]), 0);
                    assert_float_equal(fa_item(fa_get(batch.extra[1], i)), (float)batch.samples[i] + 0.5F, 0);
                }
            }
        assert_no_error();
        assert_int_equal(atomic_load(&c.gets), 10);
    }
    FA_SCOPE;
    FA_USE(.device = fa_device_of("late:0"));
    fa_dataset *d = fa_data_cached_in(fa_dataset_new(&type, &c), in_root("kept there"));
    for (int run = 0; run < 2; run++) /* written and read, they are on the same device */
        assert_true(fa_device_equal(fa_tensor_device(fa_dataset_get(d, 1).target), FA_CPU));
    assert_no_error();
    c.length = 11;
    assert_null(fa_data_cached_in(fa_dataset_new(&type, &c), in_root("kept")));
    assert_error(FA_ERROR_FILE, "is for a dataset of 10 samples, and this one has 11");
    assert_null(fa_data_cached_in(fa_dataset_new(&type, &c), "/no/such/place"));
    assert_error(FA_ERROR_FILE, "/no/such/place");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(batches_do_not_depend_on_workers),
        TEST(positions_continue_exactly),
        TEST(last_batches_are_dropped),
        TEST(errors_reach_the_loop),
        TEST(others_refuse_streams),
        TEST(sequences_are_padded),
        TEST(batches_are_collated),
        TEST(buckets_have_similar_lengths),
        cmocka_unit_test_setup_teardown(shards_are_streams, make_root, remove_root),
        cmocka_unit_test_setup_teardown(shards_with_other_members, make_root, remove_root),
        cmocka_unit_test_setup_teardown(shards_are_shuffled, make_root, remove_root),
        cmocka_unit_test_setup_teardown(damaged_shards, make_root, remove_root),
        cmocka_unit_test_setup_teardown(samples_are_kept_in_files, make_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
