/* The simulation: computation and communication are one queue each, and what depends on the other waits for it. */
#include "cluster.h"
#include <math.h>
#include <stdlib.h>

#define MIB 1048576.0

double cluster_scatter(const cluster_link *link, int ranks, double bytes)
{
    if (ranks < 2)
        return 0;
    return ceil(log2(ranks)) * link->latency + bytes * (ranks - 1) / ranks / link->bandwidth;
}

static double all_reduce(const cluster_link *link, int ranks, double bytes)
{
    return 2 * cluster_scatter(link, ranks, bytes);
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

static double sum_forward(const cluster_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->layers; i++)
        sum += m->layer[i].forward;
    return sum;
}

static double sum_backward(const cluster_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->layers; i++)
        sum += m->layer[i].backward;
    return sum;
}

/* ---- level 0 ---- */
/* Gradients are complete from the last layer to the first. A bucket that the next ones do not fit into is averaged, one
 * after the other, while backward goes on. */
static double step_of_buckets(const cluster_model *m, const cluster_link *link, const cluster_plan *p)
{
    double now = sum_forward(m), sent = 0, bucket = 0, most = p->bucket < MIB ? p->bucket : MIB;
    for (int i = m->layers - 1; i >= 0; i--) {
        if (bucket > 0 && bucket + m->layer[i].bytes > most) {
            sent = later(sent, now) + all_reduce(link, p->ranks, bucket);
            bucket = 0;
            most = p->bucket;
        }
        now += m->layer[i].backward;
        bucket += m->layer[i].bytes;
    }
    if (bucket > 0)
        sent = later(sent, now) + all_reduce(link, p->ranks, bucket);
    return later(sent, now) + m->optimizer;
}

/* ---- levels 1 to 3 ---- */
/* Computation waits for each gathering and each reduction, as fa_dist_shard() does it. */
static double step_of_shards(const cluster_model *m, const cluster_link *link, const cluster_plan *p)
{
    double now = 0;
    for (int i = 0; i < m->layers; i++) {
        double exchange = cluster_scatter(link, p->ranks, m->layer[i].bytes);
        now += exchange + m->layer[i].forward;
        now += (p->level == 3 ? exchange : 0) + m->layer[i].backward + exchange;
    }
    return now + m->optimizer / p->ranks;
}

typedef struct timeline {
    double compute, network; /* until when each is busy */
    double gathered;         /* when the parameters of the next layer are there */
} timeline;

/* Computes a layer. Meanwhile the parameters of the next one are gathered. */
static void compute_ahead(timeline *t, double seconds, double next)
{
    double begin = later(t->compute, t->gathered);
    t->network = t->gathered = later(t->network, begin) + next;
    t->compute = begin + seconds;
}

static double gather(const cluster_model *m, const cluster_link *link, const cluster_plan *p, int layer)
{
    return layer < 0 || layer >= m->layers ? 0 : cluster_scatter(link, p->ranks, m->layer[layer].bytes);
}

static double step_of_shards_ahead(const cluster_model *m, const cluster_link *link, const cluster_plan *p)
{
    timeline t = {.gathered = gather(m, link, p, 0)};
    t.network = t.gathered;
    bool again = p->level == 3;
    for (int i = 0; i < m->layers; i++)
        compute_ahead(&t, m->layer[i].forward, gather(m, link, p, i + 1));
    for (int i = m->layers - 1; i >= 0; i--) {
        compute_ahead(&t, m->layer[i].backward, again ? gather(m, link, p, i - 1) : 0);
        t.network = later(t.network, t.compute) + gather(m, link, p, i); /* the gradients are reduced */
    }
    return later(t.compute, t.network) + m->optimizer / p->ranks;
}

double cluster_step(const cluster_model *model, const cluster_link *link, const cluster_plan *plan)
{
    return !plan->level    ? step_of_buckets(model, link, plan)
           : plan->overlap ? step_of_shards_ahead(model, link, plan)
                           : step_of_shards(model, link, plan);
}

/* ---- ranks that are not equally fast ---- */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The k-th of s sorted steps is the slowest of n draws with the probability (k/s)^n - ((k-1)/s)^n. */
double cluster_slowest(const cluster_model *m, int ranks)
{
    double *sorted = malloc((size_t)(m->steps > 0 ? m->steps : 1) * sizeof *sorted);
    if (!sorted || m->steps < 1) {
        free(sorted);
        return 1;
    }
    double mean = 0, slowest = 0;
    for (int i = 0; i < m->steps; i++) {
        sorted[i] = m->step[i];
        mean += m->step[i] / m->steps;
    }
    qsort(sorted, (size_t)m->steps, sizeof *sorted, by_size);
    for (int i = 0; i < m->steps; i++)
        slowest += sorted[i] * (pow((i + 1.0) / m->steps, ranks) - pow((double)i / m->steps, ranks));
    free(sorted);
    return slowest / mean;
}

double cluster_share(const cluster_model *model, const cluster_link *link, const cluster_plan *plan)
{
    double alone = sum_forward(model) + sum_backward(model), ideal = alone + model->optimizer;
    if (plan->level)
        ideal = alone + model->optimizer / plan->ranks;
    double waited = alone * (cluster_slowest(model, plan->ranks) - 1);
    return ideal / (cluster_step(model, link, plan) + waited);
}

double cluster_best_bucket(const cluster_model *model, const cluster_link *link, int ranks)
{
    double best = MIB, least = INFINITY;
    for (int mib = 1; mib <= 1024; mib *= 2) {
        const cluster_plan p = {.ranks = ranks, .bucket = mib * MIB};
        double seconds = cluster_step(model, link, &p);
        if (seconds < least * (1 - 1e-6)) {
            least = seconds;
            best = p.bucket;
        }
    }
    return best;
}
