/* Ranks of a group as threads of this process, each of which runs a function, and what these functions return false
 * by. */
#ifndef DIST_RANKS_H
#define DIST_RANKS_H
#include "support/api_test.h"
#include <facula/facula.h>
#include <pthread.h>

enum { MOST_RANKS = 8 };

typedef struct rank {
    fa_group *group;
    bool (*run)(fa_group *g, int rank, int ranks);
    bool good;
    pthread_t thread;
} rank;

static inline void *run_rank(void *context)
{
    rank *r = context;
    FA_SCOPE;
    r->good = r->run(r->group, fa_dist_rank(r->group), fa_dist_size(r->group)) && !fa_error_stands();
    if (fa_error_stands())
        print_error("rank %d: %s\n", fa_dist_rank(r->group), fa_error_message());
    fa_error_clear();
    return NULL;
}

static inline bool run_threads_for(int ranks, double timeout, bool (*run)(fa_group *, int, int))
{
    FA_SCOPE;
    rank r[MOST_RANKS];
    fa_group *groups[MOST_RANKS];
    bool good = fa_dist_threads(ranks, timeout, groups);
    for (int i = 0; good && i < ranks; i++) {
        r[i] = (rank){.group = groups[i], .run = run};
        pthread_create(&r[i].thread, NULL, run_rank, &r[i]);
    }
    bool all = good;
    for (int i = 0; good && i < ranks; i++) {
        pthread_join(r[i].thread, NULL);
        all = all && r[i].good;
    }
    return all;
}

static inline bool run_threads(int ranks, bool (*run)(fa_group *, int, int))
{
    return run_threads_for(ranks, 600, run);
}

#define WANT(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)

/* The standing error says this, and is gone. */
static inline bool says(const char *text)
{
    bool good = strstr(fa_error_message(), text) != NULL;
    if (!good)
        print_error("\"%s\" is not in \"%s\"\n", text, fa_error_message());
    fa_error_clear();
    return good;
}
#endif
