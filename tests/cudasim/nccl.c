/* NCCL's functions as far as the library calls them, between ranks that are threads of this process. A collective call
 * is a meeting of all ranks, a message one of two: each rank's stream stops at a gate until all have come; what is
 * moved and summed then is a piece of work behind all of them. Sums are made in the order of ranks. */
#define _GNU_SOURCE
#include "cudasim.h"
#include "numbers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OUT_OF_MEMORY = 1,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE = 5,
    RANKS = 16,
    GROUPED = 4 * RANKS,
    STREAMS = 256,
    INT8 = 0,
    UINT8 = 1,
    INT32 = 2,
    UINT32 = 3,
    INT64 = 4,
    UINT64 = 5,
    FLOAT16 = 6,
    FLOAT32 = 7,
    FLOAT64 = 8,
    BFLOAT16 = 9,
    SUM = 0,
    PRODUCT = 1,
    MAX = 2,
    MIN = 3,
    AVERAGE = 4
};

typedef enum { ALL_REDUCE, REDUCE, REDUCE_SCATTER, BROADCAST, ALL_GATHER, MESSAGE } what;

typedef struct id {
    char bytes[128];
} id;

/* What one rank asks for. */
typedef struct request {
    what what;
    const char *from;
    char *into;
    size_t count;
    int type, op, root; /* root: the peer of a message */
    bool receives;
} request;

typedef struct meeting {
    struct world *world;
    struct meeting *next;
    long number;
    int source, target; /* of a message; -1 */
    int came, parties;
    bool here[RANKS];
    request of[RANKS];
    CUevent ready[RANKS], gate[RANKS];
} meeting;

/* All ranks of a communicator. */
typedef struct world {
    id id;
    int size, came, left;
    struct communicator *rank[RANKS];
    CUstream stream[STREAMS]; /* of its own: meetings may end in another order than they were asked for */
    meeting *open;
    long messages[RANKS][RANKS][2];
    struct world *next;
} world;

typedef struct communicator {
    world *world;
    int rank;
    CUcontext context;
    long number; /* of collective calls */
} communicator;

static world *worlds;

static __thread int depth; /* of groups */
static __thread int grouped;
static __thread struct {
    communicator *of;
    request request;
    CUstream stream;
} group[GROUPED];

static size_t size_of(int type)
{
    static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return type >= 0 && type <= BFLOAT16 ? sizes[type] : 0;
}

/* ---- computing ---- */

static bool is_whole(int type)
{
    return type <= UINT64;
}

static int64_t load_whole(const char *at, int type, size_t i)
{
    switch (type) {
    case INT8:
        return ((const int8_t *)at)[i];
    case UINT8:
        return ((const uint8_t *)at)[i];
    case INT32:
        return ((const int32_t *)at)[i];
    case UINT32:
        return ((const uint32_t *)at)[i];
    default:
        return ((const int64_t *)at)[i];
    }
}

static double load(const char *at, int type, size_t i)
{
    switch (type) {
    case FLOAT16:
        return cudasim_of_f16(((const uint16_t *)at)[i]);
    case BFLOAT16:
        return (double)cudasim_f32((uint32_t)((const uint16_t *)at)[i] << 16);
    case FLOAT32:
        return (double)((const float *)at)[i];
    default:
        return ((const double *)at)[i];
    }
}

static void store(char *at, int type, size_t i, double x)
{
    if (type == FLOAT64)
        ((double *)at)[i] = x;
    else if (type == FLOAT32)
        ((float *)at)[i] = (float)x;
    else if (type == FLOAT16)
        ((uint16_t *)at)[i] = cudasim_to_f16((float)x);
    else
        ((uint16_t *)at)[i] = (uint16_t)(cudasim_bits(cudasim_shortened((float)x, 16)) >> 16);
}

/* Of f32 and shorter ones in f32, as kernels do. */
static double combine(double a, double b, int type, int op)
{
    const double y = op == PRODUCT ? a * b : op == MAX ? fmax(a, b) : op == MIN ? fmin(a, b) : a + b;
    return type == FLOAT64 ? y : (double)(float)y;
}

static int64_t combine_whole(int64_t a, int64_t b, int op)
{
    return op == PRODUCT ? (int64_t)((uint64_t)a * (uint64_t)b)
           : op == MAX   ? (a > b ? a : b)
           : op == MIN   ? (a < b ? a : b)
                         : (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Element i of all ranks' `from`, combined into y[k]. */
static void reduce_one(const meeting *m, size_t i, char *y, size_t k)
{
    const int type = m->of[0].type, op = m->of[0].op;
    if (is_whole(type)) {
        int64_t sum = load_whole(m->of[0].from, type, i);
        for (int r = 1; r < m->parties; r++)
            sum = combine_whole(sum, load_whole(m->of[r].from, type, i), op);
        memcpy(y + k * size_of(type), &sum, size_of(type)); /* the low bytes come first */
        return;
    }
    double sum = load(m->of[0].from, type, i);
    for (int r = 1; r < m->parties; r++)
        sum = combine(sum, load(m->of[r].from, type, i), type, op);
    if (op == AVERAGE)
        sum = type == FLOAT64 ? sum / m->parties : (double)((float)sum / (float)m->parties);
    store(y, type, k, sum);
}

/* The sums are complete before any rank gets them: they may stand where the numbers are. */
static void reduce(const meeting *m, size_t count)
{
    const size_t width = size_of(m->of[0].type);
    char *sum = malloc(count * width + 1);
    if (!sum)
        abort();
    for (size_t i = 0; i < count; i++)
        reduce_one(m, i, sum, i);
    for (int r = 0; r < m->parties; r++)
        if (m->of[0].what == REDUCE_SCATTER)
            memcpy(m->of[r].into, sum + (size_t)r * m->of[0].count * width, m->of[0].count * width);
        else if (m->of[0].what == ALL_REDUCE || r == m->of[0].root)
            memcpy(m->of[r].into, sum, count * width);
    free(sum);
}

static void gather(const meeting *m, size_t bytes)
{
    for (int r = 0; r < m->parties; r++)
        for (int k = 0; k < m->parties; k++)
            memmove(m->of[r].into + (size_t)k * bytes, m->of[k].from, bytes);
}

static void meet(const void *value)
{
    meeting *m;
    memcpy(&m, value, sizeof m);
    const request *first = &m->of[m->source < 0 ? 0 : m->source];
    const size_t bytes = first->count * size_of(first->type);
    switch (first->what) {
    case ALL_REDUCE:
    case REDUCE:
        reduce(m, first->count);
        break;
    case REDUCE_SCATTER:
        reduce(m, first->count * (size_t)m->parties);
        break;
    case ALL_GATHER:
        gather(m, bytes);
        break;
    case BROADCAST:
        for (int r = 0; r < m->parties; r++)
            if (m->of[r].into != m->of[first->root].from)
                memcpy(m->of[r].into, m->of[first->root].from, bytes);
        break;
    case MESSAGE:
        memcpy(m->of[m->source == m->target ? m->source + 1 : m->target].into, first->from, bytes);
        break;
    }
    free(m);
}

/* ---- what a rank's own stream does: it looks for races only ---- */

typedef struct range {
    const void *at;
    size_t bytes;
    bool write;
} range;

static void touch(const void *value)
{
    range r;
    memcpy(&r, value, sizeof r);
    cudasim_touch(r.at, r.bytes, r.write);
}

static bool issue_touch(CUstream s, const void *at, size_t bytes, bool write)
{
    const range r = {at, bytes, write};
    command c = {.kind = CALL, .call = touch};
    memcpy(c.value, &r, sizeof r);
    return !at || !bytes || cudasim_issue(s, &c);
}

/* The bytes that a rank's request reads, or writes. */
static size_t bytes_of(const request *r, int ranks, int rank, bool write)
{
    const size_t bytes = r->count * size_of(r->type);
    switch (r->what) {
    case REDUCE:
        return write && r->root != rank ? 0 : bytes;
    case BROADCAST: /* the root has it already, if it is to be in the same place */
        return (write ? r->into == r->from && r->root == rank : r->root != rank) ? 0 : bytes;
    case REDUCE_SCATTER:
        return write ? bytes : bytes * (size_t)ranks;
    case ALL_GATHER:
        return write ? bytes * (size_t)ranks : bytes;
    case MESSAGE:
        return write == r->receives ? bytes : 0;
    default:
        return bytes;
    }
}

/* ---- meetings; the lock is held ---- */

static CUevent event_of(CUcontext context)
{
    CUevent e = calloc(1, sizeof *e);
    if (!e)
        abort();
    e->context = context;
    e->users = 1;
    return e;
}

static bool record(CUevent e, CUstream s)
{
    const command c = {.kind = RECORD, .event = e, .number = ++e->recorded};
    return cudasim_issue(s, &c);
}

static bool wait(CUevent e, CUstream s)
{
    const command c = {.kind = WAIT, .event = e, .number = 1};
    return cudasim_issue(s, &c);
}

static meeting *find(world *w, long number, int source, int target)
{
    for (meeting *m = w->open; m; m = m->next)
        if (m->number == number && m->source == source && m->target == target)
            return m;
    meeting *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    *m = (meeting){.world = w, .next = w->open, .number = number, .source = source, .target = target};
    m->parties = source < 0 ? w->size : 2;
    return w->open = m;
}

static void check_match(const meeting *m)
{
    const request *first = NULL;
    for (int r = 0; r < RANKS; r++) {
        const request *x = &m->of[r];
        if (!m->here[r])
            continue;
        first = first ? first : x;
        if (x->what != first->what || x->count != first->count || size_of(x->type) != size_of(first->type)
            || (m->source < 0 && (x->op != first->op || x->root != first->root))) {
            fprintf(stderr, "cudasim: ranks ask NCCL for different things, for which the real one may wait forever\n");
            abort();
        }
    }
}

static CUstream idle_stream(world *w)
{
    for (int i = 0; i < STREAMS; i++) {
        if (!w->stream[i])
            w->stream[i] = cudasim_stream(w->rank[0]->context);
        if (w->stream[i] && !w->stream[i]->first)
            return w->stream[i];
    }
    abort();
}

/* All have come: the work is behind what each did before, and opens the gate. */
static void hold_meeting(meeting *m)
{
    world *w = m->world;
    meeting **link = &w->open;
    CUstream s = idle_stream(w);
    check_match(m);
    for (; *link != m; link = &(*link)->next)
        ;
    *link = m->next;
    for (int r = 0; r < RANKS; r++)
        if (m->here[r]) {
            wait(m->ready[r], s);
            cudasim_drop(m->ready[r]);
        }
    command c = {.kind = CALL, .call = meet};
    CUevent gate[RANKS];
    memcpy(gate, m->gate, sizeof gate);
    memcpy(c.value, &m, sizeof m);
    cudasim_issue(s, &c);
    for (int r = 0; r < RANKS; r++)
        if (gate[r]) {
            record(gate[r], s);
            cudasim_drop(gate[r]);
        }
}

/* The rank comes to the meeting: its stream is at this point. Returns what it has to wait for, with a reference. */
static CUevent come(communicator *c, const request *r, CUstream s)
{
    const bool message = r->what == MESSAGE;
    const int source = !message      ? -1
                       : r->receives ? r->root
                                     : c->rank,
              target = !message      ? -1
                       : r->receives ? c->rank
                                     : r->root;
    const long number = message ? c->world->messages[source][target][r->receives]++ : c->number++;
    meeting *m = find(c->world, number, source, target);
    const int place = source == target && r->receives && message ? c->rank + 1 : c->rank;
    CUevent gate = m->gate[place] = event_of(c->context);
    gate->users++;
    m->here[place] = true;
    m->of[place] = *r;
    m->ready[place] = event_of(c->context);
    record(m->ready[place], s);
    if (++m->came == m->parties)
        hold_meeting(m);
    return gate;
}

/* ---- calls ---- */

/* All requests of a group: each is announced before the stream waits for any. */
static int issue_group(void)
{
    CUevent gate[GROUPED];
    for (int i = 0; i < grouped; i++)
        issue_touch(group[i].stream, group[i].request.from,
                    bytes_of(&group[i].request, group[i].of->world->size, group[i].of->rank, false), false);
    for (int i = 0; i < grouped; i++)
        gate[i] = come(group[i].of, &group[i].request, group[i].stream);
    for (int i = 0; i < grouped; i++) {
        wait(gate[i], group[i].stream);
        cudasim_drop(gate[i]);
    }
    for (int i = 0; i < grouped; i++)
        issue_touch(group[i].stream, group[i].request.into,
                    bytes_of(&group[i].request, group[i].of->world->size, group[i].of->rank, true), true);
    grouped = 0;
    return 0;
}

static int ask(const char *name, communicator *c, CUstream stream, request r)
{
    CUcontext context = cudasim_enter(name);
    if (!context)
        return (int)cudasim_entered;
    CUstream s = cudasim_real(stream);
    const int device = context->device, ranks = c->world->size;
    const size_t reads = bytes_of(&r, ranks, c->rank, false), writes = bytes_of(&r, ranks, c->rank, true);
    if (context != c->context || s->context != context || grouped == GROUPED || r.root < 0 || r.root >= ranks
        || !size_of(r.type) || (reads && !cudasim_has(device, r.from, reads))
        || (writes && !cudasim_has(device, r.into, writes)))
        return (int)cudasim_leave(INVALID_ARGUMENT);
    group[grouped].of = c;
    group[grouped].request = r;
    group[grouped++].stream = s;
    return (int)cudasim_leave(depth ? 0 : issue_group());
}

EXPORT int ncclGroupStart(void)
{
    depth++;
    return 0;
}

EXPORT int ncclGroupEnd(void)
{
    if (--depth)
        return 0;
    if (!cudasim_enter("ncclGroupEnd"))
        return (int)cudasim_entered;
    return (int)cudasim_leave(issue_group());
}

EXPORT int ncclAllReduce(const void *from, void *into, size_t count, int type, int op, communicator *c, CUstream s)
{
    return ask("ncclAllReduce", c, s, (request){ALL_REDUCE, from, into, count, type, op, 0, false});
}

EXPORT int ncclReduce(const void *from, void *into, size_t count, int type, int op, int root, communicator *c,
                      CUstream s)
{
    return ask("ncclReduce", c, s, (request){REDUCE, from, into, count, type, op, root, false});
}

EXPORT int ncclReduceScatter(const void *from, void *into, size_t count, int type, int op, communicator *c, CUstream s)
{
    return ask("ncclReduceScatter", c, s, (request){REDUCE_SCATTER, from, into, count, type, op, 0, false});
}

EXPORT int ncclBroadcast(const void *from, void *into, size_t count, int type, int root, communicator *c, CUstream s)
{
    return ask("ncclBroadcast", c, s, (request){BROADCAST, from, into, count, type, 0, root, false});
}

EXPORT int ncclAllGather(const void *from, void *into, size_t count, int type, communicator *c, CUstream s)
{
    return ask("ncclAllGather", c, s, (request){ALL_GATHER, from, into, count, type, 0, 0, false});
}

EXPORT int ncclSend(const void *from, size_t count, int type, int peer, communicator *c, CUstream s)
{
    return ask("ncclSend", c, s, (request){MESSAGE, from, NULL, count, type, 0, peer, false});
}

EXPORT int ncclRecv(void *into, size_t count, int type, int peer, communicator *c, CUstream s)
{
    return ask("ncclRecv", c, s, (request){MESSAGE, NULL, into, count, type, 0, peer, true});
}

/* ---- communicators ---- */

EXPORT const char *ncclGetErrorString(int code)
{
    static const char *const names[] = {"no error",       "unhandled cuda error", "unhandled system error",
                                        "internal error", "invalid argument",     "invalid usage"};
    return code >= 0 && code < 6 ? names[code] : "unknown result code";
}

EXPORT int ncclGetUniqueId(id *out)
{
    static int made;
    if (!cudasim_enter("ncclGetUniqueId") && cudasim_entered != INVALID_CONTEXT)
        return (int)cudasim_entered;
    if (cudasim_entered == INVALID_CONTEXT) /* needs none */
        cudasim_lock();
    memset(out, 0, sizeof *out);
    snprintf(out->bytes, sizeof out->bytes, "cudasim-%d-%d", (int)getpid(), made++);
    cudasim_unlock();
    return 0;
}

static world *world_of(const id *key, int size)
{
    for (world *w = worlds; w; w = w->next)
        if (!memcmp(&w->id, key, sizeof *key))
            return w;
    world *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    *w = (world){.id = *key, .size = size, .next = worlds};
    return worlds = w;
}

/* As the real one, no two ranks on one device. */
static bool is_double(const world *w, CUcontext context)
{
    for (int i = 0; i < w->size; i++)
        if (w->rank[i] && w->rank[i]->context->device == context->device)
            return true;
    return false;
}

/* Waits for the other ranks. */
EXPORT int ncclCommInitRank(communicator **out, int size, id key, int rank)
{
    CUcontext context = cudasim_enter("ncclCommInitRank");
    if (!context)
        return (int)cudasim_entered;
    world *w = size > 0 && size <= RANKS && rank >= 0 && rank < size ? world_of(&key, size) : NULL;
    communicator *c = w && !w->rank[rank] ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return (int)cudasim_leave(INVALID_ARGUMENT);
    *c = (communicator){.world = w, .rank = rank, .context = context};
    w->left += is_double(w, context) ? RANKS : 0; /* nobody can use it */
    w->rank[rank] = c;
    w->came++;
    while (w->came < size) {
        cudasim_unlock();
        usleep(200);
        cudasim_lock();
    }
    if (w->left >= RANKS)
        return (int)cudasim_leave(INVALID_USAGE);
    *out = c;
    return (int)cudasim_leave(0);
}

/* What the rank has asked for, and waits for ranks that do not come, goes on with nothing done. */
static void give_up(const communicator *c)
{
    for (const meeting *m = c->world->open; m; m = m->next)
        if (m->gate[c->rank])
            m->gate[c->rank]->done = m->gate[c->rank]->recorded = 1;
    cudasim_changed();
}

static int end(const char *name, communicator *c, bool abort)
{
    if (!cudasim_enter(name))
        return (int)cudasim_entered;
    world *w = c->world;
    if (abort)
        give_up(c);
    for (int i = ++w->left == w->size ? 0 : STREAMS; i < STREAMS && w->stream[i]; i++)
        cudasim_stream_free(w->stream[i]);
    w->rank[c->rank] = NULL;
    free(c);
    return (int)cudasim_leave(0);
}

EXPORT int ncclCommDestroy(communicator *c)
{
    return end("ncclCommDestroy", c, false);
}

EXPORT int ncclCommAbort(communicator *c)
{
    return end("ncclCommAbort", c, true);
}
