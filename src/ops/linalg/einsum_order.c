/* Chooses the order of multiplication in einsum: see einsum.h. */
#include "ops/linalg/einsum.h"
#include <math.h>

enum { MOST_OPTIMAL = 8 };

/* For a subset of the operands (a bit mask): the labels of its product, the cost, and one of the two subsets it is best
 * split into. */
typedef struct plan {
    const fa__einsum *e;
    uint64_t labels[1 << MOST_OPTIMAL];
    double cost[1 << MOST_OPTIMAL];
    uint16_t part[1 << MOST_OPTIMAL];
} plan;

static double volume(const fa__einsum *e, uint64_t labels)
{
    double n = 1;
    for (; labels; labels &= labels - 1)
        n *= (double)e->size[__builtin_ctzll(labels)];
    return n;
}

static bool too_many(uint64_t labels)
{
    return __builtin_popcountll(labels) > FA_MAX_DIMS;
}

/* The labels that the product of the operands in `set` must keep: those of the result or of other operands. */
static uint64_t kept(const fa__einsum *e, unsigned set)
{
    uint64_t labels = e->result;
    for (size_t k = 0; k < e->count; k++)
        if (!(set >> k & 1))
            labels |= fa__labels_of(&e->x[k]);
    return labels;
}

static void plan_set(plan *p, unsigned set)
{
    const fa__einsum *e = p->e;
    uint64_t labels = 0;
    for (size_t k = 0; k < e->count; k++)
        labels |= set >> k & 1 ? fa__labels_of(&e->x[k]) : 0;
    p->labels[set] = labels & kept(e, set);
    p->cost[set] = INFINITY;
    p->part[set] = 0;
    if (!(set & (set - 1))) {
        p->cost[set] = 0;
        return;
    }
    if (too_many(p->labels[set]))
        return;
    for (unsigned a = (set - 1) & set; a; a = (a - 1) & set) {
        unsigned b = set & ~a;
        if (a < b)
            break; /* the mirrored split has been tried */
        double cost = p->cost[a] + p->cost[b] + volume(e, p->labels[a] | p->labels[b]);
        if (!p->part[set] || cost < p->cost[set]) {
            p->cost[set] = cost;
            p->part[set] = (uint16_t)a;
        }
    }
}

static bool make_set(const plan *p, unsigned set, fa__labelled *product)
{
    fa__labelled a, b;
    if (!(set & (set - 1))) {
        *product = p->e->x[__builtin_ctz(set)];
        return true;
    }
    unsigned part = p->part[set];
    if (!part)
        return fa__call_fail(p->e->call, FA_ERROR_SHAPE, "no order of the products stays within %d dimensions",
                             FA_MAX_DIMS);
    return make_set(p, part, &a) && make_set(p, set & ~part, &b)
           && fa__contract(p->e->call, &a, &b, kept(p->e, set), product);
}

static bool run_optimal(const fa__einsum *e, fa__labelled *product)
{
    plan p = {.e = e};
    unsigned all = (1U << e->count) - 1;
    for (unsigned set = 1; set <= all; set++)
        plan_set(&p, set);
    return make_set(&p, all, product);
}

/* The labels that operands other than i and j, or the result, need. */
static uint64_t kept_beside(const fa__einsum *e, size_t i, size_t j)
{
    uint64_t labels = e->result;
    for (size_t k = 0; k < e->count; k++)
        labels |= k == i || k == j ? 0 : fa__labels_of(&e->x[k]);
    return labels;
}

/* How many elements more there are after i and j are replaced by their product; infinite if the product has too many
 * dimensions. */
static double growth(const fa__einsum *e, size_t i, size_t j)
{
    uint64_t a = fa__labels_of(&e->x[i]), b = fa__labels_of(&e->x[j]), y = (a | b) & kept_beside(e, i, j);
    return too_many(y) ? INFINITY : volume(e, y) - volume(e, a) - volume(e, b);
}

/* Among equally good pairs, prefers the one with fewer multiplications, so that a vector is multiplied first. */
static bool best_pair(const fa__einsum *e, size_t *first, size_t *second)
{
    double least = INFINITY, cheapest = INFINITY;
    for (size_t i = 0; i < e->count; i++)
        for (size_t j = i + 1; j < e->count; j++) {
            double more = growth(e, i, j), cost = volume(e, fa__labels_of(&e->x[i]) | fa__labels_of(&e->x[j]));
            if (more < least || (more == least && cost < cheapest)) {
                least = more;
                cheapest = cost;
                *first = i;
                *second = j;
            }
        }
    return least < INFINITY
           || fa__call_fail(e->call, FA_ERROR_SHAPE, "no product of two operands stays within %d dimensions",
                            FA_MAX_DIMS);
}

bool fa__einsum_product(fa__einsum *e, fa__labelled *product)
{
    while (e->count > MOST_OPTIMAL) {
        size_t i = 0, j = 0;
        fa__labelled made;
        if (!best_pair(e, &i, &j) || !fa__contract(e->call, &e->x[i], &e->x[j], kept_beside(e, i, j), &made))
            return false;
        e->x[i] = made;
        memmove(&e->x[j], &e->x[j + 1], (e->count - j - 1) * sizeof *e->x);
        e->count--;
    }
    return run_optimal(e, product);
}
