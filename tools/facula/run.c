/* Runs training: epochs and their results. */
#include "run.h"
#include "progress.h"
#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN = 80 };

static const fa_dtype amp_dtypes[] = {[AMP_OFF] = FA_SAME, [AMP_BF16] = FA_BF16, [AMP_F16] = FA_F16};

static fa_tensor *loss_of(const run *r, const fa_batch *batch)
{
    FA_USE(.autocast = amp_dtypes[r->s.amp]);
    if (!r->world)
        return fa_cross_entropy(fa_forward(r->runs, batch->input), batch->target);
    /* The rows of this process; the average over all processes is the mean over the batch. */
    int64_t rank = fa_dist_rank(r->world), ranks = fa_dist_size(r->world);
    int64_t start = batch->size * rank / ranks, rows = batch->size * (rank + 1) / ranks - start;
    fa_tensor *logits = fa_forward(r->runs, fa_narrow(batch->input, 0, start, rows));
    fa_tensor *sum = fa_cross_entropy(logits, fa_narrow(batch->target, 0, start, rows), .reduction = FA_SUM);
    return fa_mul(sum, (double)ranks / (double)batch->size);
}

/* backward() and step(), with scaled gradients if the run has a scaler. */
static void learn(const run *r, fa_tensor *loss)
{
    if (!r->scaler) {
        fa_backward(loss);
        fa_optim_step(r->optim);
        return;
    }
    fa_backward(fa_scaler_scale(r->scaler, loss));
    fa_scaler_step(r->scaler, r->optim);
    fa_scaler_update(r->scaler);
}

/* One training step; returns the loss, summed over the batch. */
static fa_tensor *train_step(const run *r, const fa_batch *batch)
{
    fa_optim_zero_grad(r->optim);
    fa_tensor *loss = loss_of(r, batch);
    learn(r, loss);
    if (r->schedule && r->s.schedule != SCHEDULE_PLATEAU)
        fa_schedule_step(r->schedule);
    FA_USE(.no_grad = true);
    return fa_mul(loss, batch->size);
}

/* The state of an epoch. */
typedef struct part {
    int64_t looked; /* number of samples at the last update of the chart */
    double sum, began;
} part;

/* Reads the sum of losses: its increase becomes a point of the chart and is shown. */
static void look(run *r, progress *bar, part *p, double sum, int64_t trained)
{
    char left[32], text[SHOWN];
    double loss = (sum - p->sum) / (double)(r->seen - p->looked), now = progress_now();
    double all = (double)(r->s.epochs * fa_loader_length(r->train) - r->steps_before - r->steps);
    chart_add(&r->chart, loss);
    snprintf(text, sizeof text, "  loss %.4f  %.0f/s  %s left", loss, (double)trained / (now - p->began),
             progress_time((now - r->began) / (double)r->steps * all, left, sizeof left));
    progress_draw(bar, text);
    p->sum = sum;
    p->looked = r->seen;
}

bool run_epoch(run *r, double *loss, double *rate, const char *label)
{
    FA_SCOPE;
    int64_t before = fa_loader_position(r->train).batch, first = r->seen;
    bool quiet = r->s.quiet || r->s.json;
    progress bar = progress_begin(fa_loader_length(r->train), before, label, quiet);
    part p = {first, r->sum, progress_now()};
    FA_VAR(total, before ? fa_full(FA_SCALAR, r->sum, .device = r->device) : NULL);
    FA_EACH (batch, r->train) {
        fa_tensor *loss_of = train_step(r, &batch);
        FA_USE(.no_grad = true);
        fa_assign(&total, total ? fa_add(total, loss_of) : loss_of);
        r->seen += batch.size;
        r->steps++;
        if (progress_tick(&bar) && !quiet)
            look(r, &bar, &p, fa_item(total), r->seen - first);
    }
    progress_clear(&bar);
    if (r->world && total)
        fa_dist_all_reduce(total, r->world, .op = FA_DIST_MEAN);
    r->sum = total ? fa_item(total) : 0;
    *loss = r->sum / (double)r->seen;
    r->training += progress_now() - p.began;
    *rate = (double)(r->seen - first) / (progress_now() - p.began);
    return !fa_failed() && fa_loader_position(r->train).epoch > r->done;
}

bool run_note(run *r, epoch_facts facts)
{
    if (r->done == r->room) {
        int64_t room = r->room ? 2 * r->room : 16;
        void *larger = realloc(r->epoch, (size_t)room * sizeof *r->epoch);
        if (!larger)
            return fa_fail(FA_ERROR_MEMORY, "no memory for %" PRId64 " epochs", room);
        r->epoch = larger;
        r->room = room;
    }
    r->epoch[r->done++] = facts;
    if (!r->best || facts.accuracy > r->epoch[r->best - 1].accuracy)
        r->best = r->done;
    r->sum = 0;
    r->seen = 0;
    return true;
}

void run_free(run *r)
{
    free(r->epoch);
}
