/* Rows of two processes with one thread each: all_reduce, and steps of DDP. The second process is this program; it is
 * told the number of calls by a broadcast. Rows that end with "_mpi" have MPI's own all_reduce as their peer; those
 * that end with "_by_mpi" go through MPI themselves, and mpirun has started both processes. */
#include "network.h"
#include "row.h"
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHECK = -1, GPT_PARAMETERS = 10795776 };

static fa_group *world;
static fa_tensor *all;     /* what is reduced */
static fa_module *network; /* what is trained; NULL: nothing */
static pid_t child;

/* ---- the two processes ---- */

static int free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (s < 0 || bind(s, (struct sockaddr *)&a, length) != 0 || getsockname(s, (struct sockaddr *)&a, &length) != 0)
        a.sin_port = 0;
    close(s);
    return ntohs(a.sin_port);
}

static void join(int rank, int port)
{
    fa_set_num_threads(1);
    world = fa_dist_init(.rank = rank, .ranks = 2, .address = "127.0.0.1", .port = port, .timeout = 600);
}

/* The second process ends with the group of the row. */
static void begin(const char *name)
{
    int port = free_port();
    char number[16];
    if (child > 0)
        waitpid(child, NULL, 0);
    snprintf(number, sizeof number, "%d", port);
    child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "compare", "--rank", name, number, (char *)NULL);
        _exit(127);
    }
    join(0, port);
}

static bool goes_by_mpi(const char *name)
{
    const char *end = strstr(name, "_by_mpi");
    return end && !end[7];
}

static int64_t tell(int64_t count)
{
    FA_SCOPE;
    fa_tensor *word = fa_tensor_from(&count, FA_SHAPE(1));
    return fa_dist_broadcast(word, 0, world) ? fa_item_int(word) : 0;
}

/* ---- rows ---- */

static void reduce(int64_t count)
{
    FA_REPEAT (count)
        fa_dist_all_reduce(all, world);
}

static void steps(int64_t count)
{
    bench_train_steps(count);
}

static double check_both(void)
{
    tell(CHECK);
    return bench_last_loss();
}

static void train(bench_network n)
{
    n.net = network = fa_dist_data_parallel(n.net, world);
    bench_train(n);
}

static void zeros(int64_t bytes)
{
    all = fa_zeros(FA_SHAPE(bytes / 4));
}

static void make_1k(void)
{
    zeros(1 << 10);
}

static void make_1m(void)
{
    zeros(1 << 20);
}

static void make_100m(void)
{
    zeros(100 << 20);
}

static void make_gradients(void)
{
    zeros(4 * GPT_PARAMETERS);
}

static void make_cnn(void)
{
    train(bench_cnn_network(64));
}

static void make_gpt(void)
{
    train(bench_gpt_network());
}

static void make_gpt_compute(void)
{
    make_gpt();
    fa_dist_set_sync(network, false);
}

/* What both processes make, and what they run. */
static const struct both {
    const char *name;
    void (*make)(void);
    void (*run)(int64_t count);
} rows[] = {
    {"all_reduce_1k", make_1k, reduce},
    {"all_reduce_1k_mpi", make_1k, reduce},
    {"all_reduce_1k_by_mpi", make_1k, reduce},
    {"all_reduce_1m", make_1m, reduce},
    {"all_reduce_1m_mpi", make_1m, reduce},
    {"all_reduce_1m_by_mpi", make_1m, reduce},
    {"all_reduce_100m", make_100m, reduce},
    {"all_reduce_100m_mpi", make_100m, reduce},
    {"all_reduce_100m_by_mpi", make_100m, reduce},
    {"ddp_cnn_b64", make_cnn, steps},
    {"ddp_gpt", make_gpt, steps},
    {"ddp_gpt_compute", make_gpt_compute, steps},
    {"ddp_gpt_reduce", make_gradients, reduce},
};
static const struct both *now;

static bool find(const char *name)
{
    now = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            now = &rows[i];
    return now;
}

static void open_row(void)
{
    network = NULL;
    if (!find(bench_row_now()->name))
        return;
    if (goes_by_mpi(now->name)) {
        fa_set_num_threads(1);
        tell(1 + (now - rows));
    } else {
        begin(now->name);
    }
    now->make();
    bench_check_by(network && now->make != make_gpt_compute ? check_both : NULL);
}

static void run_both(int64_t count)
{
    if (tell(count) == count)
        now->run(count);
}

static int follow(void)
{
    now->make();
    for (int64_t count; (count = tell(0)) != 0;)
        if (count == CHECK)
            bench_last_loss();
        else
            now->run(count);
    fa_error_clear(); /* the first rank is gone */
    return 0;
}

int bench_second_rank(const char *name, int port)
{
    FA_SCOPE;
    if (!find(name))
        return 2;
    join(1, port);
    return follow();
}

int bench_ranks(void)
{
    FA_SCOPE;
    fa_set_num_threads(1);
    world = fa_dist_init(.backend = "mpi", .timeout = 600);
    if (fa_dist_rank(world) == 0) {
        bench_worker();
        tell(0);
        return 0;
    }
    int64_t number = world ? tell(0) : 0;
    if (number < 1)
        return 1;
    now = &rows[number - 1];
    return follow();
}

const bench_row bench_dist[] = {
    {"all_reduce_1k", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_1k_mpi", BENCH_MICROSECONDS, 0.95, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_1k_by_mpi", BENCH_MICROSECONDS, 0.95, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_1m", BENCH_MICROSECONDS, 1, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_1m_mpi", BENCH_MICROSECONDS, 0.95, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_1m_by_mpi", BENCH_MICROSECONDS, 0.95, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_100m", BENCH_MILLISECONDS, 1, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_100m_mpi", BENCH_MILLISECONDS, 0.95, BENCH_NO_LIMIT, open_row, run_both},
    {"all_reduce_100m_by_mpi", BENCH_MILLISECONDS, 0.95, BENCH_NO_LIMIT, open_row, run_both},
    {"ddp_cnn_b64", BENCH_MICROSECONDS, 2, BENCH_NO_LIMIT, open_row, run_both},
    {"ddp_gpt", BENCH_MILLISECONDS, 2, BENCH_NO_LIMIT, open_row, run_both},
    {"ddp_gpt_compute", BENCH_MILLISECONDS, 1, BENCH_NO_LIMIT, open_row, run_both},
    {"ddp_gpt_reduce", BENCH_MILLISECONDS, 1, BENCH_NO_LIMIT, open_row, run_both},
    {0},
};
