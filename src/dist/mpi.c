/* MPI, by its binary interfaces: Open MPI's handles are pointers, those of MPICH and the MPIs that agree with it are
 * numbers. The library that mpirun belongs to is opened, so the same build runs under either. Calls are made one at a
 * time. */
#define _GNU_SOURCE
#include "dist/mpi.h"
#include <dlfcn.h>
#include <errno.h>
#include <facula/error.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_TAG = 1,
    SERIALIZED = 2,
    MOST = 1 << 30,
    MOST_LAST = 400 /* bytes of a message */,
    LOOKS = 32,
    PROBES = 32
};
/* Up to so many bytes of data are in one message with their frame. A first message is received with room for them,
 * whatever is expected: which it is, the frame says. */
enum { FRAME = sizeof(struct fa__wire_frame), TOGETHER = 4096 - FRAME };

/* Handles that programs compile in, or find as symbols of the library. */
typedef struct handles {
    fa__mpi_handle world, byte, errors_return;
    void *status_ignore;
} handles;

typedef struct calls {
    bool (*join)(const handles *of, fa__mpi_handle *own, int *rank, int *size);
    bool (*begin)(const handles *of, fa__mpi_handle own, bool receives, const struct iovec *part, int peer, int tag,
                  fa__mpi_handle *request);
    bool (*test)(const handles *of, fa__mpi_handle *request, int *done);
    bool (*probe)(const handles *of, fa__mpi_handle own, int peer, int tag, int *there);
    void (*let_go)(fa__mpi_handle *request);
    void (*cancel)(fa__mpi_handle *request);
    void (*abort)(fa__mpi_handle own);
} calls;

/* What is looked up in the library, and the pointer that gets it. */
typedef struct symbol {
    const char *name;
    void *pointer;
} symbol;

/* Functions without handles. */
static struct {
    int (*init_thread)(int *, char ***, int, int *);
    int (*initialized)(int *);
    int (*finalize)(void);
    int (*finalized)(int *);
} common;

static void *ompi_world, *ompi_byte, *ompi_errors_return;

#define NAME(name) pointer_##name
#define HANDLE void *
#define H pointer
#define MORE_SYMBOLS                                                                                                   \
    {"ompi_mpi_comm_world", &ompi_world}, {"ompi_mpi_byte", &ompi_byte},                                               \
    {                                                                                                                  \
        "ompi_mpi_errors_return", &ompi_errors_return                                                                  \
    }
#include "dist/mpi_calls.h"

#define NAME(name) number_##name
#define HANDLE int
#define H number
#define MORE_SYMBOLS                                                                                                   \
    {                                                                                                                  \
        "MPI_Init_thread", &common.init_thread                                                                         \
    }
#include "dist/mpi_calls.h"

static struct {
    pthread_mutex_t lock; /* of all calls */
    const calls *calls;   /* NULL: not open */
    handles handle;
    fa__mpi_handle own, notes; /* communicators: of messages, of what ranks say beside them */
    int rank, size, tags;
    bool joined, ours; /* ours: to be finalized */
    _Atomic bool failed;
} mpi = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- opening ---- */

/* Looks in the whole process: a program that is linked with MPI has its own copy of the library's variables, which the
 * library uses, too. */
static const char *look_up(const symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *value = dlsym(RTLD_DEFAULT, symbols[i].name);
        if (!value)
            return symbols[i].name;
        memcpy(symbols[i].pointer, &value, sizeof value); /* each has its own type */
    }
    return NULL;
}

/* Opens the first of two names that is there. Its components look for its symbols, so they are for all. */
static bool open_library(const char *name, const char *other, const symbol *symbols, size_t count)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        library = dlopen(other, RTLD_NOW | RTLD_GLOBAL);
    const char *missing = library ? look_up(symbols, count) : dlerror();
    return !missing || fa_fail(FA_ERROR_UNAVAILABLE, "fa_dist_init: there is no %s or %s: %s", name, other, missing);
}

static bool open_pointers(void)
{
    if (!open_library("libmpi.so.40", "libmpi.so.80", pointer_symbols, sizeof pointer_symbols / sizeof(symbol)))
        return false;
    mpi.handle.world.pointer = ompi_world;
    mpi.handle.byte.pointer = ompi_byte;
    mpi.handle.errors_return.pointer = ompi_errors_return;
    mpi.handle.status_ignore = NULL;
    mpi.calls = &pointer_calls;
    return true;
}

/* The numbers are part of the interface that MPICH, Intel MPI, Cray MPI and MVAPICH agreed on. */
static bool open_numbers(void)
{
    if (!open_library("libmpich.so.12", "libmpi.so.12", number_symbols, sizeof number_symbols / sizeof(symbol)))
        return false;
    mpi.handle.world.number = 0x44000000;
    mpi.handle.byte.number = 0x4c00010d;
    mpi.handle.errors_return.number = 0x54000001;
    mpi.handle.status_ignore = (void *)1;
    mpi.calls = &number_calls;
    return true;
}

/* The library of the mpirun that started this process. */
static bool open_mpi(void)
{
    bool pointers = getenv("OMPI_COMM_WORLD_SIZE") || !getenv("PMI_SIZE");
    return mpi.calls || (pointers ? open_pointers() : open_numbers());
}

/* A group that failed leaves other processes waiting: they end, too. */
static void at_end(void)
{
    int finalized = 0;
    common.finalized(&finalized);
    if (finalized)
        return;
    if (atomic_load(&mpi.failed))
        mpi.calls->abort(mpi.own);
    else if (mpi.ours)
        common.finalize();
}

static bool join(void)
{
    int running = 0, level = 0;
    if (mpi.joined)
        return true;
    common.initialized(&running);
    mpi.ours = !running;
    if (!running && (common.init_thread(NULL, NULL, SERIALIZED, &level) || level < SERIALIZED))
        return fa_fail(FA_ERROR_UNAVAILABLE, "fa_dist_init: MPI cannot be used by several threads");
    if (!mpi.calls->join(&mpi.handle, &mpi.own, &mpi.rank, &mpi.size)
        || !mpi.calls->join(&mpi.handle, &mpi.notes, &mpi.rank, &mpi.size))
        return fa_fail(FA_ERROR_STATE, "fa_dist_init: MPI has no communicator for this process");
    atexit(at_end);
    return mpi.joined = true;
}

fa__wire *fa__mpi_wire(double timeout)
{
    pthread_mutex_lock(&mpi.lock);
    bool good = open_mpi() && join();
    pthread_mutex_unlock(&mpi.lock);
    fa__wire *w = good ? fa__wire_new(mpi.rank, mpi.size, timeout) : NULL;
    if (w) {
        w->mpi = true;
        w->mpi_tag = FIRST_TAG;
        fa__mpi_take_tag(FIRST_TAG);
    }
    return w;
}

int fa__mpi_new_tag(void)
{
    pthread_mutex_lock(&mpi.lock);
    int tag = mpi.tags + 1;
    pthread_mutex_unlock(&mpi.lock);
    return tag;
}

void fa__mpi_take_tag(int tag)
{
    pthread_mutex_lock(&mpi.lock);
    mpi.tags = tag > mpi.tags ? tag : mpi.tags;
    pthread_mutex_unlock(&mpi.lock);
}

/* ---- messages ---- */

static int number_of(const fa__wire *w, int peer)
{
    return w->mpi_rank ? w->mpi_rank[peer] : peer;
}

static bool begin(const fa__wire *w, const fa__transfer *t, struct iovec part, fa__mpi_handle *request)
{
    if (part.iov_len > MOST)
        part.iov_len = MOST;
    return mpi.calls->begin(&mpi.handle, mpi.own, t->receives, &part, number_of(w, t->peer), w->mpi_tag, request);
}

/* Whether the data is in the message of the frame. */
static bool is_together(const fa__transfer *t)
{
    return t->frame.bytes <= TOGETHER;
}

/* The parts as messages; how many there are. */
static int messages(const fa__transfer *t, const struct iovec *part, int parts, struct iovec message[2])
{
    const bool first = t->done == 0;
    for (int i = 0; i < parts; i++)
        message[i] = part[i];
    if (!first)
        return parts;
    message[0] = (struct iovec){t->first, FRAME + TOGETHER};
    if (t->receives)
        return 1;
    memcpy(t->first, &t->frame, FRAME);
    message[0].iov_len = FRAME;
    if (parts < 2 || !is_together(t))
        return parts;
    memcpy(t->first + FRAME, part[1].iov_base, part[1].iov_len);
    message[0].iov_len += part[1].iov_len;
    return 1;
}

/* Begins the messages, and notes how many bytes of the parts they move. */
static bool begin_all(const fa__wire *w, fa__transfer *t, const struct iovec *part, int parts)
{
    struct iovec message[2];
    const int count = messages(t, part, parts, message);
    t->moving = 0;
    for (t->requests = 0; t->requests < count; t->requests++) {
        if (!begin(w, t, message[t->requests], &t->request[t->requests]))
            return false;
        t->moving += message[t->requests].iov_len < MOST ? message[t->requests].iov_len : MOST;
    }
    return true;
}

static bool test_all(fa__transfer *t)
{
    while (t->requests) {
        int done = 0;
        if (!mpi.calls->test(&mpi.handle, &t->request[t->requests - 1], &done))
            return false;
        if (!done)
            return true;
        t->requests--;
    }
    return true;
}

/* Begins a transfer; fa__mpi_move() tries again if that fails. */
static bool begin_first(const fa__wire *w, fa__transfer *t)
{
    const struct iovec part[2] = {{&t->frame, FRAME}, {(void *)(uintptr_t)t->data, t->bytes}};
    return begin_all(w, t, part, t->bytes && !t->receives ? 2 : 1);
}

bool fa__mpi_begin(fa__wire *w, fa__transfer *t, size_t count)
{
    const size_t bytes = count * (FRAME + TOGETHER);
    if (bytes > w->mpi_bytes) {
        free(w->mpi_room);
        w->mpi_room = malloc(bytes);
        w->mpi_bytes = w->mpi_room ? bytes : 0;
        if (!w->mpi_room)
            return fa_fail(FA_ERROR_MEMORY, "fa_dist: out of memory for messages");
    }
    pthread_mutex_lock(&mpi.lock);
    for (size_t k = 0; k < count; k++) {
        t[k].first = w->mpi_room + k * (FRAME + TOGETHER);
        if (t[k].receives) /* before anything is sent: what comes then is copied once */
            begin_first(w, &t[k]);
    }
    for (size_t k = 0; k < count; k++)
        if (!t[k].receives && begin_first(w, &t[k]))
            test_all(&t[k]); /* fa__mpi_move() finds out if it fails */
    pthread_mutex_unlock(&mpi.lock);
    return true;
}

bool fa__mpi_look(const fa__wire *w, fa__transfer *t, size_t count)
{
    bool moved = false;
    pthread_mutex_lock(&mpi.lock);
    for (int i = 0; i < LOOKS && !moved && !atomic_load(&w->interrupted); i++)
        for (size_t k = 0; k < count; k++)
            moved |= t[k].requests && (!test_all(&t[k]) || !t[k].requests);
    pthread_mutex_unlock(&mpi.lock);
    return moved;
}

/* Takes the data that came with the frame, which was checked. */
static ssize_t take_together(const fa__transfer *t)
{
    memcpy(t->into, t->first + FRAME, t->bytes);
    return (ssize_t)t->bytes;
}

ssize_t fa__mpi_move(fa__wire *w, fa__transfer *t, const struct iovec *part, int parts)
{
    const bool first = t->done == 0;
    if (t->receives && !first && is_together(t))
        return take_together(t);
    if (!t->moving || t->requests) {
        pthread_mutex_lock(&mpi.lock);
        bool good = !atomic_load(&w->interrupted) && (t->moving || begin_all(w, t, part, parts)) && test_all(t);
        pthread_mutex_unlock(&mpi.lock);
        if (!good)
            return 0;
    }
    if (t->requests) {
        errno = EAGAIN;
        return -1;
    }
    const size_t moved = t->moving;
    t->moving = 0;
    if (!t->receives || !first)
        return (ssize_t)moved;
    memcpy(&t->frame, t->first, FRAME);
    return FRAME;
}

void fa__mpi_cancel(fa__transfer *t)
{
    pthread_mutex_lock(&mpi.lock);
    for (; t->requests; t->requests--)
        mpi.calls->cancel(&t->request[t->requests - 1]);
    pthread_mutex_unlock(&mpi.lock);
}

void fa__mpi_leave(const fa__wire *w, int peer, const void *frame, size_t bytes, const char *reason)
{
    static char last[MOST_LAST]; /* stays while MPI may still read it; the same for all ranks */
    size_t length = strlen(reason);
    if (bytes + length >= sizeof last)
        return;
    pthread_mutex_lock(&mpi.lock);
    memcpy(last, frame, bytes);
    memcpy(last + bytes, reason, length + 1);
    const struct iovec part[] = {{last, bytes}, {last + bytes, length}};
    for (int i = 0; i < 2; i++) {
        fa__mpi_handle request;
        int done = 0;
        if (mpi.calls->begin(&mpi.handle, mpi.own, false, &part[i], number_of(w, peer), w->mpi_tag, &request))
            mpi.calls->test(&mpi.handle, &request, &done);
    }
    pthread_mutex_unlock(&mpi.lock);
    atomic_store(&mpi.failed, true);
}

/* Receives a message that is there or on its way, within a second. */
static bool receive(const fa__wire *w, int peer, fa__mpi_handle communicator, struct iovec part)
{
    fa__mpi_handle request;
    int done = 0;
    bool good = mpi.calls->begin(&mpi.handle, communicator, true, &part, number_of(w, peer), w->mpi_tag, &request);
    for (int64_t until = fa__dist_clock() + 1000000000; good && !done && fa__dist_clock() < until;)
        good = mpi.calls->test(&mpi.handle, &request, &done);
    if (good && !done)
        mpi.calls->cancel(&request);
    return done;
}

ssize_t fa__mpi_last(const fa__wire *w, int peer, void *reason, size_t bytes)
{
    if (bytes > 300)
        return 0;
    pthread_mutex_lock(&mpi.lock);
    bool good = receive(w, peer, mpi.own, (struct iovec){reason, bytes});
    pthread_mutex_unlock(&mpi.lock);
    return good ? (ssize_t)bytes : 0;
}

/* ---- notes ---- */

/* MPI has copied it when the next one is made, as it is short. */
void fa__mpi_say(const fa__wire *w, int peer, const fa__mpi_note *note)
{
    static fa__mpi_note said[FA__MPI_NOTES];
    fa__mpi_handle request;
    pthread_mutex_lock(&mpi.lock);
    fa__mpi_note *stays = &said[note->what];
    *stays = *note;
    const struct iovec part = {stays, sizeof *stays};
    if (mpi.calls->begin(&mpi.handle, mpi.notes, false, &part, number_of(w, peer), w->mpi_tag, &request))
        mpi.calls->let_go(&request);
    pthread_mutex_unlock(&mpi.lock);
}

/* Whether a message has come. MPI takes what has come from all ranks little by little, when it is asked. */
static bool has_come(const fa__wire *w, int peer, fa__mpi_handle communicator)
{
    int there = 0;
    for (int i = 0; i < PROBES && !there; i++)
        if (!mpi.calls->probe(&mpi.handle, communicator, number_of(w, peer), w->mpi_tag, &there))
            return false;
    return there;
}

bool fa__mpi_hear(const fa__wire *w, int peer, fa__mpi_note *note)
{
    pthread_mutex_lock(&mpi.lock);
    bool heard = has_come(w, peer, mpi.notes) && receive(w, peer, mpi.notes, (struct iovec){note, sizeof *note});
    pthread_mutex_unlock(&mpi.lock);
    return heard;
}

bool fa__mpi_has_sent(const fa__wire *w, int peer)
{
    pthread_mutex_lock(&mpi.lock);
    bool sent = has_come(w, peer, mpi.own);
    pthread_mutex_unlock(&mpi.lock);
    return sent;
}
