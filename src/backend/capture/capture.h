/* Graphs: launches that were recorded, and what a replay has to know of their memory and random numbers. Shared by
 * the files of this folder; the last two functions are called where work is issued. */
#ifndef FA__BACKEND_CAPTURE_H
#define FA__BACKEND_CAPTURE_H
#include "backend/device.h"
#include "base/array.h"
#include "core/capture.h"
#include "core/tensor.h"
#include <facula/graph.h>

/* Memory that launches use and that is there at the end of the recording: a reference. */
typedef struct fa__held {
    fa__storage *storage;
    const void *data; /* where it was */
    bool written;     /* else it is only read */
    bool made;        /* the recording created it: nothing of it is kept */
} fa__held;

/* A generator that keys were drawn from, and how many in a replay. */
typedef struct fa__drawn_from {
    void *generator; /* a reference; NULL: the default one */
    uint64_t count;
    fa__key base; /* of this replay */
} fa__drawn_from;

typedef struct fa__draw {
    fa__key key; /* in the recording */
    size_t from; /* the generator's place in the list */
    uint64_t number;
} fa__draw;

/* A key in a launch, and the draw that it comes from. */
typedef struct fa__keyed {
    fa__key *key;
    size_t draw;
} fa__keyed;

struct fa_graph {
    fa__object object;
    fa__capture capture;  /* first after the header: see fa__graph_of */
    pthread_mutex_t lock; /* one replay at a time */
    enum { FA__GRAPH_NEW, FA__GRAPH_RECORDING, FA__GRAPH_READY, FA__GRAPH_FAILED } state;
    fa__queue *queue;  /* NULL: a host device */
    fa_stream *stream; /* whose queue it is: a reference; NULL: the device's own */
    fa__fault fault;   /* of kernels of the host */
    FA__ARRAY(fa__launch *) launch;
    FA__ARRAY(fa__recorded) issue;
    FA__ARRAY(fa__held) held;
    FA__ARRAY(fa__drawn_from) from;
    FA__ARRAY(fa__draw) draw;
    FA__ARRAY(fa__keyed) keyed;
    fa__sync_point last; /* of the last replay, or of the recording */
    void *whole;         /* what the backend keeps to issue all at once (fa__backend.replay); NULL: nothing */
};

static inline fa_graph *fa__graph_of(fa__capture *c)
{
    return (fa_graph *)(void *)((char *)c - offsetof(fa_graph, capture));
}

/* ---- record.c ---- */
bool fa__graph_begin(fa_graph *);
/* The end of a recording; it is kept unless there is an error. */
void fa__graph_end(fa_graph *);
/* Drops what was recorded. */
void fa__graph_clear(fa_graph *);
/* Whether the graph's thread may issue work of an operation to this queue. */
FA__COLD bool fa__graph_allows(const fa__device *, const fa__queue *, const fa__op *);
/* Records launches that were issued together; operand i of launch k is over tensor[k][i], which may be NULL. */
FA__COLD bool fa__graph_add(fa__launch *const *, fa_tensor *const *const *tensor, int count, uint64_t ticket);
/* ---- replay.c ---- */
bool fa__graph_replay(fa_graph *);
#endif
