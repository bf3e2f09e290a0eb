/* What the program that started this process says about the group of processes, in environment variables: `facula run`
 * and torchrun, Open MPI's mpirun, MPICH's, and Slurm's srun. */
#include "dist/launcher.h"
#include <facula/error.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The names of a launcher's variables: number of the process, of all processes, and of those on this machine (NULL:
 * there is none). MPICH's are those of its process manager, which other MPIs and srun --mpi=pmi2 use too. */
static const struct launcher {
    const char *rank, *ranks, *local;
} launchers[] = {
    {"RANK", "WORLD_SIZE", NULL},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static const char *text_of(const char *name)
{
    const char *text = name ? getenv(name) : NULL;
    return text && *text ? text : NULL;
}

/* A number from the environment; *wrong is set if it is none. */
static int number_of(const char *name, int otherwise, const char **wrong)
{
    const char *text = text_of(name);
    if (!text)
        return otherwise;
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 0 || value > 1000000)
        *wrong = name;
    return (int)value;
}

/* The first that says how many processes there are; the first of all if none does. */
static const struct launcher *launcher_found(void)
{
    for (int i = 0; i < LAUNCHERS; i++)
        if (text_of(launchers[i].ranks) && text_of(launchers[i].rank))
            return &launchers[i];
    return launchers;
}

/* ---- where rank 0 is, if nothing says so ---- */

enum { FIRST_PORT = 16384, PORTS = 16384 }; /* below those that systems give to connections */

/* Slurm: a number that all processes of a job's step have, and no other step on these machines at the same time. */
static int port_of_step(void)
{
    const char *job = text_of("SLURM_JOB_ID"), *step = text_of("SLURM_STEP_ID");
    unsigned long number = strtoul(job ? job : "0", NULL, 10) * 31 + strtoul(step ? step : "0", NULL, 10);
    return FIRST_PORT + (int)(number % PORTS);
}

/* On one machine: its processes have the same parent. 0: they may be on several. */
static int port_of_parent(const struct launcher *l, int ranks)
{
    const char *wrong = NULL;
    return number_of(l->local, 0, &wrong) == ranks ? FIRST_PORT + (int)(getppid() % PORTS) : 0;
}

/* The first host of a list such as "node[007-012,20],other": "node007". NULL: there is no list. */
static const char *first_node(void)
{
    static _Thread_local char name[256];
    const char *list = text_of("SLURM_STEP_NODELIST");
    if (!list)
        return NULL;
    size_t head = strcspn(list, "[,"), number = list[head] == '[' ? strcspn(list + head + 1, "-,]") : 0;
    if (head + number >= sizeof name)
        return NULL;
    memcpy(name, list, head);
    memcpy(name + head, list + head + (number > 0), number);
    name[head + number] = 0;
    return name;
}

/* torchrun keeps its own port, and the next one is ours. */
static int given_port(const char **wrong)
{
    const char *store = getenv("TORCHELASTIC_USE_AGENT_STORE");
    return text_of("MASTER_PORT") ? number_of("MASTER_PORT", 0, wrong) + (store && !strcmp(store, "True")) : 0;
}

static void find_first(fa_dist_init_options *o, const struct launcher *l, const char **wrong)
{
    bool slurm = l == &launchers[LAUNCHERS - 1];
    o->port = o->port ? o->port : given_port(wrong);
    if (!o->port)
        o->port = slurm ? port_of_step() : port_of_parent(l, o->ranks);
    o->address = o->address ? o->address : text_of("MASTER_ADDR");
    if (!o->address && slurm)
        o->address = first_node();
    o->address = o->address ? o->address : "127.0.0.1";
}

/* ---- all of it ---- */

static double default_timeout(void)
{
    const char *text = text_of("FACULA_DIST_TIMEOUT");
    return text ? strtod(text, NULL) : 1800;
}

/* "auto" is the first. */
static const char *const backends[] = {"auto", "tcp", "mpi", "nccl"};

static bool find_backend(fa_dist_init_options *o)
{
    o->backend = o->backend ? o->backend : text_of("FACULA_DIST_BACKEND");
    o->backend = o->backend ? o->backend : backends[0];
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (!strcmp(o->backend, backends[i]))
            return true;
    return fa_fail(FA_ERROR_ARGUMENT, "fa_dist_init: the backend is auto, tcp, mpi or nccl, not %s", o->backend);
}

bool fa__launch_complete(fa_dist_init_options *o)
{
    const char *wrong = NULL;
    const struct launcher *l = launcher_found();
    o->ranks = o->ranks ? o->ranks : number_of(l->ranks, 1, &wrong);
    o->rank = o->rank >= 0 ? o->rank : o->ranks == 1 ? 0 : number_of(l->rank, -1, &wrong);
    o->timeout = o->timeout == 0 ? default_timeout() : o->timeout;
    if (!find_backend(o))
        return false;
    if (!strcmp(o->backend, "mpi"))
        return o->timeout > 0 || fa_fail(FA_ERROR_ARGUMENT, "fa_dist_init: a timeout of %g s", o->timeout);
    find_first(o, l, &wrong);
    if (wrong)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_dist_init: %s=%s is no number", wrong, getenv(wrong));
    if (o->ranks < 1 || o->ranks > 65536 || o->rank < 0 || o->rank >= o->ranks)
        return fa_fail(FA_ERROR_ARGUMENT, "fa_dist_init: rank %d of %d ranks (%s and %s)", o->rank, o->ranks, l->rank,
                       l->ranks);
    if (o->ranks > 1 && (o->port < 1 || o->port > 65535))
        return fa_fail(FA_ERROR_ARGUMENT, "fa_dist_init: port %d of rank 0 (MASTER_PORT)", o->port);
    return o->timeout > 0 || fa_fail(FA_ERROR_ARGUMENT, "fa_dist_init: a timeout of %g s", o->timeout);
}
