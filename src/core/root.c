/* What the root scope of a thread holds. A loop without a scope fills it: one line of the program makes more and more
 * tensors, which is reported before memory runs out, and when it does. */
#include "core/root.h"
#include "base/error.h"
#include "base/log.h"
#include "base/site.h"
#include "base/text.h"
#include "core/tensor.h"

enum { LINES = 32, MANY = 32 /* tensors that one line made */ };

/* What one line made. */
typedef struct made {
    const void *site;
    const fa__storage *last; /* the storage that was counted last: several views of one are counted once */
    size_t count, bytes;
} made;

static void count_in(made *m, const fa_tensor *t)
{
    m->count++;
    if (t->storage && t->storage != m->last && !t->storage->borrowed)
        m->bytes += t->storage->bytes;
    m->last = t->storage;
}

static size_t held_by_root(const fa__context *c)
{
    return c->frames > 1 ? c->frame[1].mark : c->owned_count;
}

/* The line that made most of what the root scope holds, in bytes or else in number, among the first ones. */
static made most_of(const fa__context *c)
{
    made line[LINES] = {{NULL, NULL, 0, 0}}, most = {NULL, NULL, 0, 0};
    for (size_t i = 0; i < held_by_root(c); i++) {
        const fa_tensor *t = (const fa_tensor *)c->owned[i];
        int k = 0;
        if (t->object.type != FA__TYPE_TENSOR || !t->made_at)
            continue;
        while (k < LINES && line[k].site && line[k].site != t->made_at)
            k++;
        if (k < LINES) {
            line[k].site = t->made_at;
            count_in(&line[k], t);
        }
    }
    for (int k = 0; k < LINES; k++)
        if (line[k].bytes > most.bytes || (line[k].bytes == most.bytes && line[k].count > most.count))
            most = line[k];
    return most;
}

static void describe(char *buffer, size_t size, const made *m)
{
    struct fa__text text = fa__text_in(buffer, size);
    fa__text_add(&text, "the root scope of a thread holds %zu tensors of %.1f MiB that were made at ", m->count,
                 (double)m->bytes / 0x1p20);
    fa__describe_site(&text, m->site);
    fa__text_add(&text, ": FA_SCOPE or FA_REPEAT frees them earlier");
}

/* Of many small objects. */
static void describe_many(char *buffer, size_t size, size_t held, const made *m)
{
    struct fa__text text = fa__text_in(buffer, size);
    fa__text_add(&text, "the root scope of a thread holds %zu objects", held);
    if (m->count >= MANY) {
        fa__text_add(&text, ", of them %zu tensors made at ", m->count);
        fa__describe_site(&text, m->site);
    }
    fa__text_add(&text, ": FA_SCOPE or FA_REPEAT frees them earlier");
}

void fa__root_check(fa__context *c)
{
    char text[400];
    size_t held = held_by_root(c);
    made m = most_of(c);
    if (m.count >= MANY && m.bytes >= c->hint_bytes) {
        describe(text, sizeof text, &m);
        c->hint_bytes = m.bytes * 4;
    } else if (held >= c->hint) {
        describe_many(text, sizeof text, held, &m);
    } else {
        return;
    }
    if (held >= c->hint)
        c->hint = 10 * held;
    fa__log(FA_LOG_WARNING, "%s", text);
}

void fa__root_out_of_memory(size_t allocated)
{
    const fa__context *c = fa__self->core;
    made m = c ? most_of(c) : (made){NULL, NULL, 0, 0};
    char text[400];
    if (m.count < MANY || m.bytes < allocated / 4)
        return;
    describe(text, sizeof text, &m);
    fa_error_append("; %s", text);
}
