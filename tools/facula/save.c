/* Runs in files: a checkpoint, with all settings and what is known of the epochs as texts. */
#include "run.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 80 /* the most that is written of an epoch */ };

/* A line for each epoch: loss, accuracy, rate; the bytes of a number are those that it is read from. Freed by the
 * caller; NULL and an error without memory. */
static char *history(const run *r)
{
    char *text = malloc((size_t)r->done * LINE + 1), *at = text;
    if (!text) {
        fa_fail(FA_ERROR_MEMORY, "no memory for the history of %" PRId64 " epochs", r->done);
        return NULL;
    }
    *at = 0;
    for (int64_t i = 0; i < r->done; i++)
        at += snprintf(at, LINE, "%s%.17g %.17g %.17g", i ? "\n" : "", r->epoch[i].loss, r->epoch[i].accuracy,
                       r->epoch[i].lr);
    return text;
}

/* Names of settings in files: "run.lr". */
static const char *key_of(const setting *row)
{
    static char key[SETTINGS][32];
    char *to = key[row - setting_rows];
    snprintf(to, sizeof key[0], "run.%s", row->name);
    return to;
}

static void tell_settings(const settings *s, texts *t)
{
    for (const setting *row = setting_rows; row->name; row++) {
        char text[TEXT_ROOM];
        if (!row->kept)
            continue;
        setting_write(s, row, text, sizeof text);
        if (*text)
            texts_add(t, key_of(row), text);
    }
}

bool run_save(run *r, const char *path)
{
    char sum[64], seen[32];
    char *lines = history(r);
    texts *t = calloc(1, sizeof *t);
    bool good = false;
    if (!t)
        fa_fail(FA_ERROR_MEMORY, "no memory to save %s", path);
    if (lines && t) {
        FA_SCOPE;
        tell_settings(&r->s, t);
        good = network_tell(&r->n, t);
        snprintf(sum, sizeof sum, "%.17g", r->sum);
        texts_add(t, "run.sum", sum);
        snprintf(seen, sizeof seen, "%" PRId64, r->seen);
        texts_add(t, "run.seen", seen);
        texts_add(t, "run.history", lines);
        const fa_metadata metadata = {t->count, t->name, t->value};
        good = good
               && fa_checkpoint_save(path, .module = r->net, .optim = r->optim, .schedule = r->schedule,
                                     .scaler = r->scaler, .loader = r->train, .metadata = metadata);
    }
    free(lines);
    free(t);
    return good;
}

/* ---- loading ---- */

static bool read_history(run *r, const char *text)
{
    for (const char *at = text; at && *at;) {
        epoch_facts e = {.rate = NAN, .seconds = NAN};
        double *const to[] = {&e.loss, &e.accuracy, &e.lr};
        for (int i = 0; i < 3; i++) {
            char *end;
            *to[i] = strtod(at, &end);
            if (end == at)
                return false;
            at = end;
        }
        if (*at && *at++ != '\n')
            return false;
        if (!run_note(r, e))
            return false;
    }
    return text;
}

bool run_load(run *r, const char *path, const fa_saved *file)
{
    const char *sum = saved_text(file, "run.sum"), *seen = saved_text(file, "run.seen");
    if (!fa_checkpoint_load(path, .module = r->net, .optim = r->optim, .schedule = r->schedule, .scaler = r->scaler,
                            .loader = r->train))
        return false;
    if (!sum || !read_history(r, saved_text(file, "run.history")))
        return fa_fail(FA_ERROR_FILE, "%s does not tell what its epochs came to", path);
    char *end;
    r->sum = strtod(sum, &end);
    if (end == sum || *end)
        return fa_fail(FA_ERROR_FILE, "%s: \"run.sum\" is \"%s\", which is no number", path, sum);
    fa_loader_place place = fa_loader_position(r->train);
    r->seen = seen                    ? strtoll(seen, NULL, 10)
              : place.epoch > r->done ? fa_dataset_length(fa_loader_dataset(r->train))
                                      : place.batch * r->s.batch_size;
    r->steps_before = place.epoch * fa_loader_length(r->train) + place.batch;
    if (place.epoch != r->done && place.epoch != r->done + 1)
        return fa_fail(FA_ERROR_FILE, "%s tells of %" PRId64 " epochs, and has %" PRId64, path, r->done, place.epoch);
    const char *epochs = saved_text(file, "run.epochs");
    return !epochs || strtoll(epochs, NULL, 10) == r->s.epochs || run_join_wave(r);
}
