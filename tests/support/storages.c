/* Storages whose bytes move between the host and devices. */
#include "support/storages.h"
#include <facula/error.h>
#include <pthread.h>

const fa__op op_to = {.name = "to"}, op_back = {.name = "cpu"}, op_copy = {.name = "copy_"};

fa__storage *new_storage(fa_device where, size_t size)
{
    fa__device *d = fa__device_get(where);
    assert_non_null(d);
    fa__storage *s = fa__storage_new(d, size, d->queue);
    assert_non_null(s);
    assert_true(!s->block || fa__order_take(s));
    return s;
}

fa__storage *filled(int value, size_t size)
{
    fa__storage *s = new_storage(FA_CPU, size);
    memset(s->data, value, size);
    return s;
}

bool copy(const fa__op *op, fa__storage *to, fa__storage *from)
{
    return fa__move_bytes(op, to, 0, from, 0, to->bytes, true);
}

bool all_are(const void *bytes, int value, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        if (byte[i] != value)
            return false;
    return true;
}

bool holds(fa__storage *s, int value)
{
    if (s->device->host)
        return fa__before_read(s, NULL, &op_back) && all_are(s->data, value, s->bytes);
    fa__storage *host = new_storage(FA_CPU, s->bytes);
    bool same = copy(&op_back, host, s) && holds(host, value);
    fa__unref(host);
    return same;
}

/* ---- at random ---- */
enum { STORAGES = 12 };

/* Every third one is the host's. */
typedef struct model {
    fa__storage *s[STORAGES];
    int value[STORAGES]; /* that all its bytes should have */
    size_t size;
} model;

static uint32_t next(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

static bool open_model(model *m, int kind, size_t size)
{
    bool good = true;
    m->size = size;
    for (int i = 0; i < STORAGES; i++) {
        fa__storage *host = filled(i, size);
        m->s[i] = i % 3 == 0 ? fa__ref(host) : new_storage((fa_device){kind, i % 3 - 1}, size);
        good &= i % 3 == 0 || copy(&op_to, m->s[i], host);
        m->value[i] = i;
        fa__unref(host);
    }
    return good;
}

static bool close_model(model *m)
{
    bool good = true;
    for (int i = 0; i < STORAGES; i++) {
        good &= holds(m->s[i], m->value[i]);
        fa__unref(m->s[i]);
    }
    return good;
}

/* The host writes, or a copy, at times into a new storage; at times the value is looked at. */
static bool take_turn(model *m, uint32_t *random, int turn)
{
    uint32_t to = next(random) % STORAGES, from = next(random) % STORAGES, what = next(random) % 8;
    bool good = true;
    if (what == 0 && to % 3 == 0) {
        good = fa__before_write(m->s[to], NULL, &op_copy);
        m->value[to] = turn % 200;
        memset(m->s[to]->data, m->value[to], m->size);
        return good;
    }
    if (what == 1) {
        fa_device where = m->s[to]->device->id;
        fa__unref(m->s[to]);
        m->s[to] = new_storage(where, m->size);
        from = from == to ? (to + 1) % STORAGES : from;
    }
    if (to != from) {
        good = copy(&op_copy, m->s[to], m->s[from]);
        m->value[to] = m->value[from];
    }
    return good && (what != 2 || holds(m->s[to], m->value[to]));
}

bool copy_at_random(int kind, uint32_t seed, int turns)
{
    static const size_t sizes[] = {16, SIZE, 300000};
    uint32_t random = seed;
    model m;
    bool good = open_model(&m, kind, sizes[next(&random) % 3]);
    for (int turn = 0; turn < turns && good; turn++)
        good = take_turn(&m, &random, turn);
    return close_model(&m) && good;
}

typedef struct share {
    int kind, turns;
    uint32_t seed;
    bool good;
} share;

static void *copy_share(void *context)
{
    share *s = context;
    s->good = copy_at_random(s->kind, s->seed, s->turns) && !fa_failed();
    return NULL;
}

bool copy_at_random_in_threads(int kind, int turns, uint32_t times)
{
    pthread_t thread[3];
    share shares[3];
    bool good = true;
    for (uint32_t i = 0; i < 3; i++) {
        shares[i] = (share){kind, turns, 11 * (i + 1), false};
        assert_int_equal(pthread_create(&thread[i], NULL, copy_share, &shares[i]), 0);
    }
    for (uint32_t i = 1; i <= times; i++)
        good &= copy_at_random(kind, i * 97, turns);
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        good &= shares[i].good;
    }
    return good;
}
