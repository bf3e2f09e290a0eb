/* Groups of some ranks of a group: all say what they want, and those that want the same connect anew, so that both
 * groups can be used at the same time. */
#include "dist/group.h"
#include "dist/mpi.h"
#include "dist/neighbors.h"
#include "dist/rendezvous.h"
#include <facula/error.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What each rank says first, and when it knows its group. */
typedef struct wish {
    int32_t color, key, tag; /* tag: one that is free, of MPI */
} wish;

typedef struct offer {
    int32_t good, port; /* port: of the first rank of a group */
    uint64_t wire;      /* of threads: its address */
} offer;

typedef struct split {
    fa__wire *parent, *wire; /* wire: of the new group; NULL: none */
    wish *wish;
    offer *offer;
    int *member; /* the parent's ranks in the new group */
    int members, rank, listener;
} split;

static bool tell(const split *s, uint32_t phase, void *all, size_t bytes)
{
    return fa__wire_tell(s->parent, (fa__message){.name = "split", .phase = phase}, all, bytes);
}

/* Inserts a rank behind those with the same key. */
static void add_member(split *s, int rank)
{
    int at = s->members++;
    for (; at > 0 && s->wish[s->member[at - 1]].key > s->wish[rank].key; at--)
        s->member[at] = s->member[at - 1];
    s->member[at] = rank;
}

static void find_members(split *s)
{
    const int own = s->parent->rank;
    for (int i = 0; i < s->parent->size; i++)
        if (s->wish[i].color == s->wish[own].color)
            add_member(s, i);
    for (int i = 0; i < s->members; i++)
        s->rank = s->member[i] == own ? i : s->rank;
}

/* MPI: the group has a tag that none of its ranks uses. */
static bool use_mpi(split *s)
{
    fa__wire *w = s->wire;
    w->mpi_rank = calloc((size_t)s->members + 1, sizeof *w->mpi_rank);
    if (!w->mpi_rank)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist_split: out of memory");
    w->mpi = true;
    for (int i = 0; i < s->members; i++) {
        const int of_parent = s->member[i];
        w->mpi_rank[i] = s->parent->mpi_rank ? s->parent->mpi_rank[of_parent] : of_parent;
        w->mpi_tag = s->wish[of_parent].tag > w->mpi_tag ? s->wish[of_parent].tag : w->mpi_tag;
    }
    fa__mpi_take_tag(w->mpi_tag);
    return true;
}

static bool make_wire(split *s)
{
    const fa__wire *p = s->parent;
    s->wire = fa__wire_new(s->rank, s->members, p->timeout);
    if (!s->wire)
        return false;
    s->wire->nccl = p->nccl;
    s->wire->shares = p->shares;
    s->wire->threads = p->threads;
    s->offer[p->rank].wire = (uint64_t)(uintptr_t)s->wire;
    if (p->mpi)
        return use_mpi(s);
    if (p->threads || s->rank || s->members == 1)
        return true;
    int port = 0;
    s->listener = fa__meeting_open(p->socket[s->member[1]], &port);
    s->offer[p->rank].port = port;
    return s->listener >= 0 || fa_fail(FA_ERROR_STATE, "fa_dist_split: rank %d cannot wait for connections", p->rank);
}

/* Threads: the lower rank of each pair connects both. */
static bool connect_threads(const split *s)
{
    for (int i = s->rank + 1; i < s->members; i++)
        if (!fa__neighbors_threads(s->wire, (fa__wire *)(uintptr_t)s->offer[s->member[i]].wire))
            return false;
    return true;
}

static bool connect_ranks(split *s)
{
    if (s->parent->mpi || s->members == 1)
        return true;
    if (s->parent->threads)
        return connect_threads(s);
    const int first = s->member[0], listener = s->listener;
    s->listener = -1;
    return fa__meeting_join(s->wire, s->rank ? s->parent->socket[first] : -1, s->offer[first].port, listener)
           && fa__neighbors_meet(s->wire, s->wire->shares);
}

/* Whether all of the group could do their part so far. */
static bool all_could(split *s, uint32_t phase, bool good)
{
    s->offer[s->parent->rank].good = good;
    if (!tell(s, phase, s->offer, sizeof *s->offer))
        return false;
    for (int i = 0; good && i < s->members; i++)
        good = s->offer[s->member[i]].good
               || fa_fail(FA_ERROR_STATE, "fa_dist_split: rank %d could not make its part of the group", s->member[i]);
    return good;
}

/* Ranks without a group take part in what all say. */
static bool make(split *s)
{
    bool joins = s->wish[s->parent->rank].color >= 0;
    if (!tell(s, 0, s->wish, sizeof *s->wish))
        return false;
    if (joins)
        find_members(s);
    const bool good = all_could(s, 1, !joins || make_wire(s));
    return all_could(s, 2, good && (!joins || connect_ranks(s)));
}

static fa_group *split_group(fa_group *group, int color, int key)
{
    const size_t size = (size_t)group->wire->size;
    split s = {.parent = group->wire, .listener = -1};
    fa_group *g = NULL;
    s.wish = calloc(size, sizeof *s.wish);
    s.offer = calloc(size, sizeof *s.offer);
    s.member = calloc(size, sizeof *s.member);
    bool good = s.wish && s.offer && s.member;
    if (good) {
        s.wish[s.parent->rank] = (wish){color, key, s.parent->mpi ? fa__mpi_new_tag() : 0};
        s.parent->number++;
        good = make(&s);
    } else
        fa_fail(FA_ERROR_MEMORY, "fa_dist_split: out of memory");
    if (good && s.wire)
        g = fa__group_new(s.wire);
    else
        fa__wire_free(s.wire);
    if (s.listener >= 0)
        close(s.listener);
    free(s.wish);
    free(s.offer);
    free(s.member);
    return g;
}

fa_group *fa_dist_split(fa_group *group, int color, int key)
{
    if (fa_error_stands() || !fa__group_check(group, "fa_dist_split"))
        return NULL;
    fa__group_begin(group);
    fa_group *g = split_group(group, color, key);
    fa__group_end(group);
    return g;
}
