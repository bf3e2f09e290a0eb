/* NCCL: opening the library, and the communicators of a group. The ranks agree through the group's other connections,
 * by which the unique id goes, too. */
#include "dist/nccl.h"
#include <facula/cuda.h>
#include <facula/device.h>
#include <facula/error.h>
#include <facula/tensor.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

fa__nccl_api fa__nccl_functions;

enum { MOST_REASON = 200, IDENTITY_SIZE = sizeof(fa__nccl_id) };

/* What each rank says before a communicator is made, and after that. */
typedef struct answer {
    int32_t good, needed; /* needed: FA__NCCL_ALWAYS */
    char why[MOST_REASON];
} answer;

/* ---- the library ---- */

static struct {
    pthread_mutex_t lock;
    bool asked;
    char why[MOST_REASON]; /* it is not there; "": it is */
} library = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void open_library(void)
{
    fa__nccl_api *f = &fa__nccl_functions;
    const fa__cuda_function functions[] = {{"ncclGetUniqueId", &f->get_unique_id},
                                           {"ncclCommInitRank", &f->comm_init_rank},
                                           {"ncclCommDestroy", &f->comm_destroy},
                                           {"ncclCommAbort", &f->comm_abort},
                                           {"ncclGetErrorString", &f->get_error_string},
                                           {"ncclGroupStart", &f->group_start},
                                           {"ncclGroupEnd", &f->group_end},
                                           {"ncclAllReduce", &f->all_reduce},
                                           {"ncclReduce", &f->reduce},
                                           {"ncclReduceScatter", &f->reduce_scatter},
                                           {"ncclBroadcast", &f->broadcast},
                                           {"ncclAllGather", &f->all_gather},
                                           {"ncclSend", &f->send},
                                           {"ncclRecv", &f->recv}};
    fa__cuda_open_functions("FACULA_NCCL_LIBRARY", "libnccl", 2, sizeof functions / sizeof *functions, functions,
                            library.why, sizeof library.why);
}

/* Why NCCL cannot be used; "": it can. */
static const char *reason(void)
{
    pthread_mutex_lock(&library.lock);
    if (!library.asked)
        open_library();
    library.asked = true;
    pthread_mutex_unlock(&library.lock);
    return library.why;
}

int fa__nccl_type(fa_dtype dtype)
{
    static const struct {
        fa_dtype dtype;
        int type;
    } types[] = {{FA_I8, 0}, {FA_U8, 1}, {FA_I32, 2}, {FA_I64, 4}, {FA_F16, 6}, {FA_F32, 7}, {FA_F64, 8}, {FA_BF16, 9}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return types[i].type;
    return -1;
}

fa__nccl_use fa__nccl_use_of(const char *backend)
{
    return !backend                   ? FA__NCCL_AUTO
           : !strcmp(backend, "tcp")  ? FA__NCCL_NEVER
           : !strcmp(backend, "nccl") ? FA__NCCL_ALWAYS
                                      : FA__NCCL_AUTO;
}

/* ---- agreeing ---- */

static bool tell_all(fa__wire *w, uint32_t phase, void *all, size_t bytes)
{
    return fa__wire_tell(w, (fa__message){.name = "cuda (for nccl)", .phase = phase}, all, bytes);
}

/* Whether all ranks say that it is good. False without an error if some do not, and *why says so, unless somebody needs
 * it. */
static bool all_say(fa__wire *w, uint32_t phase, bool good, const char *why, fa__nccl_use use, bool *agreed)
{
    answer *a = calloc((size_t)w->size, sizeof *a);
    if (!a)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist: out of memory");
    a[w->rank].good = good;
    a[w->rank].needed = use == FA__NCCL_ALWAYS;
    snprintf(a[w->rank].why, sizeof a->why, "%s", why);
    bool told = tell_all(w, phase, a, sizeof *a), needed = false;
    int missing = -1;
    for (int i = w->size - 1; told && i >= 0; i--) {
        needed |= a[i].needed;
        missing = a[i].good ? missing : i;
    }
    *agreed = told && missing < 0;
    if (told && missing >= 0 && needed)
        told = fa_fail(FA_ERROR_UNAVAILABLE, "fa_dist: NCCL is not available on rank %d: %.*s", missing,
                       MOST_REASON - 1, a[missing].why);
    free(a);
    return told;
}

/* ---- a communicator ---- */

typedef struct joining {
    fa__nccl *n;
    fa__nccl_id id;
    int code;
} joining;

static bool join(void *context, void *unused)
{
    joining *j = context;
    const fa__wire *w = j->n->wire;
    (void)unused;
    j->code = fa__nccl_functions.comm_init_rank(&j->n->handle, w->size, j->id, w->rank);
    return true;
}

static bool leave(void *context, void *unused)
{
    fa__nccl *n = context;
    (void)unused;
    if (*n->wire->failure)
        fa__nccl_functions.comm_abort(n->handle);
    else
        fa__nccl_functions.comm_destroy(n->handle);
    return true;
}

void fa__nccl_leave(fa__nccl *n)
{
    if (n->handle)
        fa__cuda_issue(n->stream, 0, NULL, leave, n);
    n->handle = NULL;
}

static void end(fa__nccl *n)
{
    fa__nccl_leave(n);
    fa__unhold(n->stream);
    n->stream = NULL;
}

/* Rank 0 makes the id that the others get. */
static bool share_id(fa__wire *w, joining *j)
{
    fa__nccl_id *ids = calloc((size_t)w->size, sizeof *ids);
    if (!ids)
        return fa_fail(FA_ERROR_MEMORY, "fa_dist: out of memory");
    if (w->rank == 0)
        j->code = fa__nccl_functions.get_unique_id(&ids[0]);
    bool good = tell_all(w, 1, ids, IDENTITY_SIZE);
    j->id = ids[0];
    free(ids);
    return good;
}

/* True with a handle, or without one if a rank has no NCCL; false and an error on failure. */
static bool begin(fa__nccl *n, fa__nccl_use use)
{
    joining j = {.n = n};
    bool agreed = false;
    if (!all_say(n->wire, 0, !*reason(), reason(), use, &agreed) || !agreed)
        return !fa_error_stands();
    n->stream = fa__hold(fa_stream_new(n->device));
    if (!n->stream || !share_id(n->wire, &j))
        return false;
    if (!j.code && !fa__cuda_issue(n->stream, 0, NULL, join, &j))
        return false;
    const char *why = j.code ? fa__nccl_functions.get_error_string(j.code) : "";
    bool told = all_say(n->wire, 2, !j.code, why, use, &agreed);
    if (!told || !agreed)
        end(n);
    return told;
}

static fa__nccl *add(fa_group *g, fa_device device)
{
    fa__nccl *n = calloc(1, sizeof *n);
    if (!n) {
        fa_fail(FA_ERROR_MEMORY, "fa_dist: out of memory");
        return NULL;
    }
    *n = (fa__nccl){.device = device, .wire = g->wire, .group = g, .next = g->nccl};
    g->wire->number++;
    if (begin(n, (fa__nccl_use)g->wire->nccl)) {
        if (n->handle)
            fa__nccl_watch_start(n);
        return g->nccl = n;
    }
    end(n);
    free(n);
    return NULL;
}

static fa__nccl *of_device(const fa_group *g, fa_device device)
{
    fa__nccl *n = g->nccl;
    while (n && !fa_device_equal(n->device, device))
        n = n->next;
    return n;
}

static bool is_for_nccl(const fa_group *g, const fa_tensor *t)
{
    return fa_tensor_device(t).kind == FA__CUDA && g->wire->nccl != FA__NCCL_NEVER && g->wire->size > 1;
}

bool fa__nccl_find(fa_group *g, const fa_tensor *t, bool reduces, fa__nccl **n)
{
    *n = NULL;
    if (!is_for_nccl(g, t) || !fa_numel(t) || (reduces && fa__nccl_type(fa_tensor_dtype(t)) < 0))
        return true;
    if (*g->wire->failure)
        return fa_fail(FA_ERROR_STATE, "the group has failed before: %s", g->wire->failure);
    fa__nccl *found = of_device(g, fa_tensor_device(t));
    if (!found && !(found = add(g, fa_tensor_device(t))))
        return false;
    *n = found->handle ? found : NULL;
    return true;
}

fa__nccl *fa__nccl_ready(const fa_group *g, const fa_tensor *t)
{
    fa__nccl *n = is_for_nccl(g, t) && fa_numel(t) ? of_device(g, fa_tensor_device(t)) : NULL;
    return n && n->handle ? n : NULL;
}

void fa__nccl_free(fa_group *g)
{
    while (g->nccl) {
        fa__nccl *n = g->nccl;
        g->nccl = n->next;
        if (!fa__nccl_watch_end(n))
            continue;
        end(n);
        free(n);
    }
}
