/* Groups: what collective calls compute, for groups of threads and of processes; calls that do not match, ranks that do
 * not come, leave or are killed; calls in the background. */
#include "dist/group.h"
#include "dist/ranks.h"
#include "support/process.h"
#include "support/same.h"
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Element i of rank r: whole numbers, whose sums are exact. */
static fa_tensor *values(int r, int64_t n, fa_dtype dtype)
{
    return fa_to(fa_remainder(fa_add(fa_mul(fa_arange(0, (double)n, .dtype = FA_I64), 7 + r), r), 5), dtype);
}

static fa_tensor *expected(int ranks, int64_t n, fa_dtype dtype, fa_dist_op op)
{
    fa_tensor *y = values(0, n, FA_F64);
    for (int r = 1; r < ranks; r++) {
        fa_tensor *x = values(r, n, FA_F64);
        y = op == FA_DIST_PRODUCT ? fa_mul(y, x)
            : op == FA_DIST_MIN   ? fa_minimum(y, x)
            : op == FA_DIST_MAX   ? fa_maximum(y, x)
                                  : fa_add(y, x);
    }
    return fa_to(op == FA_DIST_MEAN ? fa_div(y, ranks) : y, dtype);
}

static bool reduces(fa_group *g, int r, int ranks)
{
    static const int64_t sizes[] = {0, 3, 1000, 40000, 600001};
    static const fa_dtype dtypes[] = {FA_F32, FA_I64, FA_U8, FA_F64, FA_I16};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (int op = FA_DIST_SUM; op <= FA_DIST_MAX; op++) {
                FA_SCOPE;
                bool floats = fa_dtype_is_floating(dtypes[d]);
                if ((ranks != 3 && (d || op > FA_DIST_MEAN)) || (op == FA_DIST_MEAN && !floats)
                    || (op == FA_DIST_PRODUCT && fa_dtype_size(dtypes[d]) < 2) || (sizes[s] > 1000 && (op || d > 2))
                    || (sizes[s] > 100000 && (d || ranks != 3)))
                    continue;
                fa_tensor *t = values(r, sizes[s], dtypes[d]),
                          *y = expected(ranks, sizes[s], dtypes[d], (fa_dist_op)op);
                WANT(fa_dist_all_reduce(t, g, .op = (fa_dist_op)op));
                WANT(same_tensors(t, y));
                t = values(r, sizes[s], dtypes[d]);
                WANT(fa_dist_reduce(t, ranks - 1, g, .op = (fa_dist_op)op));
                WANT(same_tensors(t, r == ranks - 1 ? y : values(r, sizes[s], dtypes[d])));
            }
    return true;
}

static bool moves(fa_group *g, int r, int ranks)
{
    for (int64_t n = 1; n < 300000; n = 40 * n + 1) {
        FA_SCOPE;
        fa_tensor *t = values(r, n, FA_F32), *all = fa_empty(FA_SHAPE(ranks, n));
        for (int i = 0; i < ranks; i++)
            fa_set(all, i, values(i, n, FA_F32));
        WANT(same_tensors(fa_dist_all_gather(t, g), all));
        WANT(same_tensors(fa_dist_gather(t, 0, g), r == 0 ? all : t));
        fa_tensor *b = fa_clone(t);
        WANT(fa_dist_broadcast(b, ranks / 2, g) && same_tensors(b, values(ranks / 2, n, FA_F32)));
        fa_tensor *part = fa_zeros(FA_SHAPE(n));
        WANT(fa_dist_scatter(part, r == ranks - 1 ? all : NULL, ranks - 1, g) && same_tensors(part, t));
        fa_tensor *sum = fa_dist_reduce_scatter(all, g);
        WANT(same_tensors(sum, fa_mul(fa_reshape(t, FA_SHAPE(1, n)), ranks)));
        /* part j of rank i is 100 i + j */
        fa_tensor *x =
            fa_add(fa_expand(fa_reshape(fa_arange(0, ranks), FA_SHAPE(ranks, 1)), FA_SHAPE(ranks, n)), 100 * r);
        fa_tensor *y =
            fa_add(fa_expand(fa_reshape(fa_mul(fa_arange(0, ranks), 100), FA_SHAPE(ranks, 1)), FA_SHAPE(ranks, n)), r);
        WANT(same_tensors(fa_dist_all_to_all(x, g), y));
        WANT(fa_dist_barrier(g));
    }
    return true;
}

/* Round a ring, and against it. */
static bool sends(fa_group *g, int r, int ranks)
{
    for (int64_t n = 1; n < 3000000; n = 100 * n + 1)
        for (int way = 1; way<ranks; way += ranks - 2> 0 ? ranks - 2 : 1) {
            FA_SCOPE;
            fa_tensor *got = fa_zeros(FA_SHAPE(n));
            int next = (r + way) % ranks, last = (r + ranks - way) % ranks;
            if (r % 2 == 0)
                WANT(fa_dist_send(values(r, n, FA_F32), next, g));
            WANT(fa_dist_recv(got, last, g));
            if (r % 2)
                WANT(fa_dist_send(values(r, n, FA_F32), next, g));
            WANT(same_tensors(got, values(last, n, FA_F32)));
        }
    return true;
}

/* Messages of all lengths, more than there is room for between two ranks; that which follows has another length. */
static bool sends_many(fa_group *g, int r, int ranks)
{
    for (int turn = 0; ranks > 1 && turn < 2; turn++)
        for (int64_t i = 0; i < 300; i++) {
            FA_SCOPE;
            const int64_t n = i * 131 % 1300;
            if (turn == r % 2) {
                WANT(fa_dist_send(fa_full(FA_SHAPE(n), (double)i), (r + 1) % ranks, g));
            } else {
                fa_tensor *got = fa_zeros(FA_SHAPE(n));
                WANT(fa_dist_recv(got, (r + ranks - 1) % ranks, g));
                WANT(same_tensors(got, fa_full(FA_SHAPE(n), (double)i)));
            }
        }
    return true;
}

static bool works_on_views_and_devices(fa_group *g, int r, int ranks)
{
    fa_tensor *wide = fa_zeros(FA_SHAPE(6, 4)), *t = fa_t(wide);
    fa_copy_(t, r + 1);
    WANT(fa_dist_all_reduce(t, g));
    WANT(same_tensors(wide, fa_full(FA_SHAPE(6, 4), (double)(ranks * (ranks + 1) / 2))));
    fa_tensor *there = fa_full(FA_SHAPE(5), (double)r, .device = DEVICE(r % 2));
    WANT(fa_dist_broadcast(there, 1, g) && same_tensors(there, fa_ones(FA_SHAPE(5))));
    fa_tensor *all = fa_dist_all_gather(there, g);
    WANT(fa_device_equal(fa_tensor_device(all), DEVICE(r % 2)) && same_tensors(all, fa_ones(FA_SHAPE(ranks, 5))));
    fa_tensor *one = fa_full(FA_SCALAR, (double)r);
    WANT(fa_dist_all_reduce(one, g, .op = FA_DIST_MAX) && fa_item(one) == ranks - 1);
    fa_tensor *half = fa_full(FA_SHAPE(7), (double)r, .dtype = FA_BF16);
    WANT(fa_dist_all_reduce(half, g) && fa_item(fa_get(half, 3)) == ranks * (ranks - 1) / 2);
    fa_tensor *flag = fa_full(FA_SHAPE(3), r == 0);
    WANT(fa_dist_all_reduce(flag, g, .op = FA_DIST_MAX) && fa_item_int(fa_get(flag, 0)) == 1);
    return true;
}

static bool in_the_background(fa_group *g, int r, int ranks)
{
    fa_tensor *t[20];
    fa_work *w[20];
    for (int i = 0; i < 20; i++) {
        t[i] = fa_full(FA_SHAPE(1 + 5000 * i), (double)(r + i), .dtype = FA_F64);
        WANT(w[i] = fa_dist_all_reduce_start(t[i], g, .op = i % 2 ? FA_DIST_MEAN : FA_DIST_SUM));
    }
    fa_tensor *last = fa_full(FA_SHAPE(3), (double)r);
    WANT(fa_dist_all_reduce(last, g)); /* behind all of them */
    for (int i = 0; i < 20; i++) {
        double sum = ranks * (ranks - 1) / 2.0 + ranks * i;
        WANT(fa_work_wait(w[i]) && fa_work_wait(w[i]));
        WANT(fa_item(fa_amax(t[i])) == (i % 2 ? sum / ranks : sum) && fa_item(fa_amin(t[i])) == fa_item(fa_amax(t[i])));
    }
    return true;
}

/* Groups of even and of odd ranks, in turned order, beside the group of all and a group of halves; the last rank stays
 * outside of the first ones. All are used at the same time. */
static bool splits(fa_group *g, int r, int ranks)
{
    const bool outside = r == ranks - 1 && ranks > 2;
    fa_group *turned = fa_dist_split(g, outside ? -1 : r % 2, -r);
    WANT(!fa_error_stands() && (turned == NULL) == outside);
    fa_group *half = fa_dist_split(g, 2 * r < ranks ? 7 : 3, 0);
    const int first = 2 * r < ranks ? 0 : (ranks + 1) / 2, count = 2 * r < ranks ? (ranks + 1) / 2 : ranks / 2;
    WANT(half && fa_dist_size(half) == count && fa_dist_rank(half) == r - first);
    fa_tensor *t[3] = {fa_full(FA_SHAPE(50000), (double)r), fa_full(FA_SHAPE(50000), (double)r),
                       fa_full(FA_SHAPE(50000), (double)r)};
    fa_group *of[3] = {g, half, turned};
    fa_work *w[3] = {NULL};
    for (int i = 0; i < 3; i++)
        WANT(!of[i] || (w[i] = fa_dist_all_reduce_start(t[i], of[i])));
    double sum[3] = {0};
    for (int i = 0; i < ranks; i++) {
        sum[0] += i;
        sum[1] += i >= first && i < first + count ? i : 0;
        sum[2] += i % 2 == r % 2 && (i < ranks - 1 || ranks == 2) ? i : 0;
    }
    for (int i = 0; i < 3; i++)
        WANT(!of[i] || (fa_work_wait(w[i]) && same_tensors(t[i], fa_full(FA_SHAPE(50000), sum[i]))));
    if (turned) { /* the highest rank comes first */
        const int members = fa_dist_size(turned), highest = r % 2 + 2 * (members - 1);
        fa_tensor *who = fa_full(FA_SCALAR, (double)r);
        WANT(fa_dist_broadcast(who, 0, turned) && fa_item(who) == highest);
        fa_group *again = fa_dist_split(turned, 0, 0);
        WANT(again && fa_dist_rank(again) == fa_dist_rank(turned) && fa_dist_barrier(again));
    }
    return fa_dist_barrier(g);
}

/* The new group does not end with the old one. */
static void a_part_outlives_the_whole(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_group *part;
    {
        FA_SCOPE;
        fa_group *one[1];
        assert_true(fa_dist_threads(1, 10, one));
        part = fa_escape(fa_dist_split(one[0], 0, 0));
    }
    assert_true(fa_dist_size(part) == 1 && fa_dist_barrier(part));
    assert_null(fa_dist_split(NULL, 0, 0));
    assert_error(FA_ERROR_ARGUMENT, "fa_dist_split: the group is NULL");
}

/* The group goes while calls are running and waiting, as rank 1 does not make them. */
static void freeing_a_group_ends_its_calls(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_work *w[3];
    {
        FA_SCOPE;
        fa_group *g[2];
        assert_true(fa_dist_threads(2, 600, g));
        for (int i = 0; i < 3; i++)
            w[i] = fa_escape(fa_dist_all_reduce_start(fa_ones(FA_SHAPE(10)), g[0]));
    }
    for (int i = 0; i < 3; i++) {
        assert_false(fa_work_wait(w[i]));
        fa_error_clear();
    }
    {
        FA_SCOPE;
        fa_group *g[2];
        assert_true(fa_dist_threads(2, 600, g));
        for (int i = 0; i < 2; i++) /* their handles are never waited for */
            fa_dist_all_reduce_start(fa_ones(FA_SHAPE(10)), g[i]);
    }
    assert_no_error();
}

static void calls_compute_what_they_say(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= MOST_RANKS; ranks += ranks < 3 ? 1 : 5)
        assert_true(run_threads(ranks, reduces) && run_threads(ranks, moves) && run_threads(ranks, in_the_background));
    for (int ranks = 2; ranks <= 5; ranks++)
        assert_true(run_threads(ranks, splits));
    for (int ranks = 2; ranks <= 4; ranks++)
        assert_true(run_threads(ranks, sends) && run_threads(ranks / 2 * 2, sends_many)
                    && run_threads(ranks, works_on_views_and_devices));
}

/* All ranks get the same bits, in each run, also where the order of the sum matters. */
static _Atomic uint64_t bits_of_all[2];

static bool sums_have_one_order(fa_group *g, int r, int ranks)
{
    (void)ranks;
    static const int64_t sizes[] = {100, 300000};
    for (int k = 0; k < 2; k++) {
        fa_manual_seed(1);
        fa_generator_use(fa_generator_new((uint64_t)r));
        fa_tensor *t = fa_randn(FA_SHAPE(sizes[k]));
        WANT(fa_dist_all_reduce(t, g));
        double sum = fa_item(fa_sum(fa_to(t, FA_F64)));
        uint64_t bits, none = 0;
        memcpy(&bits, &sum, sizeof bits);
        atomic_compare_exchange_strong(&bits_of_all[k], &none, bits);
        WANT(bits_of_all[k] == bits);
    }
    return true;
}

static void sums_are_the_same_everywhere(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(run_threads(5, sums_have_one_order));
}

/* ---- what goes wrong ---- */

static bool calls_something_else(fa_group *g, int r, int ranks)
{
    (void)ranks;
    fa_tensor *t = fa_zeros(FA_SHAPE(4));
    WANT(!(r == 1 ? fa_dist_broadcast(t, 1, g) && fa_dist_barrier(g) : fa_dist_all_reduce(t, g)));
    WANT(strstr(fa_error_message(), "ranks call different things"));
    WANT(says("all_reduce of 16 bytes of f32"));
    WANT(!fa_dist_barrier(g) && says("the group has failed before"));
    return true;
}

static bool has_another_size(fa_group *g, int r, int ranks)
{
    (void)ranks;
    WANT(!fa_dist_all_reduce(fa_zeros(FA_SHAPE(r == 1 ? 5 : 4)), g) && says("ranks call different things"));
    return true;
}

static bool has_another_dtype(fa_group *g, int r, int ranks)
{
    (void)ranks;
    WANT(!fa_dist_all_reduce(fa_zeros(FA_SHAPE(2), .dtype = r == 1 ? FA_I32 : FA_F32), g) && says("of i32"));
    return true;
}

static bool one_does_not_come(fa_group *g, int r, int ranks)
{
    static _Atomic int failed;
    if (r == 1) {
        while (failed < ranks - 1)
            usleep(1000);
        failed = 0;
        return true;
    }
    bool good = fa_dist_all_reduce(fa_zeros(FA_SHAPE(4)), g);
    failed++;
    WANT(!good && says("rank 1"));
    return true;
}

static void the_rank_that_is_wrong_is_named(void **state)
{
    (void)state;
    assert_true(run_threads(3, calls_something_else));
    assert_true(run_threads(3, has_another_size));
    assert_true(run_threads(2, has_another_dtype));
    assert_true(run_threads_for(3, 1, one_does_not_come));
}

/* Without memory that ranks share. */
static void calls_go_through_tcp(void **state)
{
    (void)state;
    setenv("FACULA_DIST_BACKEND", "tcp", 1);
    bool good = run_threads(2, reduces) && run_threads(2, moves) && run_threads(2, sends) && run_threads(2, sends_many)
                && run_threads(3, in_the_background) && run_threads(3, splits) && run_threads(3, calls_something_else)
                && run_threads_for(3, 1, one_does_not_come);
    unsetenv("FACULA_DIST_BACKEND");
    assert_true(good);
}

static void wrong_arguments(void **state)
{
    (void)state;
    FA_SCOPE;
    fa_group *g;
    assert_false(fa_dist_threads(0, 1, &g));
    assert_error(FA_ERROR_ARGUMENT, "1 to 1024 ranks");
    assert_null(fa_dist_init(.rank = 2, .ranks = 2, .port = 1));
    assert_error(FA_ERROR_ARGUMENT, "rank 2 of 2");
    assert_null(fa_dist_init(.rank = 0, .ranks = 2));
    assert_error(FA_ERROR_ARGUMENT, "MASTER_PORT");
    assert_null(fa_dist_init(.backend = "pigeons"));
    assert_error(FA_ERROR_ARGUMENT, "auto, tcp, mpi or nccl, not pigeons");
    g = fa_dist_init();
    assert_int_equal(fa_dist_size(g), 1);
    assert_int_equal(fa_dist_rank(g), 0);
    fa_tensor *t = fa_ones(FA_SHAPE(2, 2));
    assert_true(fa_dist_all_reduce(t, g) && fa_dist_barrier(g) && fa_dist_broadcast(t, 0, g));
    assert_false(fa_dist_broadcast(t, 1, g));
    assert_error(FA_ERROR_ARGUMENT, "rank 1 of a group of 1");
    assert_false(fa_dist_send(t, 0, g));
    assert_error(FA_ERROR_ARGUMENT, "rank 0 is this one");
    assert_false(fa_dist_all_reduce(fa_ones(FA_SHAPE(2), .dtype = FA_I32), g, .op = FA_DIST_MEAN));
    assert_error(FA_ERROR_DTYPE, "FA_DIST_MEAN is for floating point, not for i32");
    assert_false(fa_dist_all_reduce(NULL, g));
    assert_error(FA_ERROR_ARGUMENT, "fa_dist_all_reduce: the tensor is NULL");
    assert_false(fa_dist_all_reduce(t, NULL));
    assert_error(FA_ERROR_ARGUMENT, "the group is NULL");
    fa_group *two[2];
    assert_true(fa_dist_threads(2, 1, two));
    assert_null(fa_dist_all_to_all(fa_ones(FA_SHAPE(3)), two[0]));
    assert_error(FA_ERROR_SHAPE,
                 "fa_dist_all_to_all: the size of dimension 0 has to be a multiple of the 2 ranks; the shape is (3)");
}

/* ---- ranks as processes ---- */

/* A port that is free now. */
static int free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s, (struct sockaddr *)&a, length), 0);
    getsockname(s, (struct sockaddr *)&a, &length);
    close(s);
    return ntohs(a.sin_port);
}

/* Starts ranks of this program, each of which runs `word`. */
static void start_processes(int ranks, const char *word, pid_t *child)
{
    char port[16], number[16], count[16];
    snprintf(port, sizeof port, "%d", free_port());
    snprintf(count, sizeof count, "%d", ranks);
    for (int i = 0; i < ranks; i++) {
        child[i] = fork();
        if (child[i])
            continue;
        snprintf(number, sizeof number, "%d", i);
        setenv("RANK", number, 1);
        setenv("WORLD_SIZE", count, 1);
        setenv("MASTER_PORT", port, 1);
        setenv("MASTER_ADDR", "127.0.0.1", 1);
        execl("/proc/self/exe", "groups", word, (char *)NULL);
        _exit(99);
    }
}

static void processes_do_the_same(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 3; ranks++) {
        pid_t child[3];
        setenv("FACULA_DIST_BACKEND", ranks == 2 ? "tcp" : "auto", 1);
        start_processes(ranks, "all", child);
        for (int i = 0; i < ranks; i++)
            assert_int_equal(status_of(child[i]), 0);
    }
    unsetenv("FACULA_DIST_BACKEND");
}

/* The others notice, and name it. */
static void a_killed_rank_ends_the_others(void **state)
{
    (void)state;
    pid_t child[3];
    start_processes(3, "killed", child);
    assert_int_equal(status_of(child[1]), 1000 + SIGKILL);
    assert_int_equal(status_of(child[0]), 0);
    assert_int_equal(status_of(child[2]), 0);
}

static void the_missing_rank_is_named(void **state)
{
    (void)state;
    pid_t child[4];
    for (int tcp = 0; tcp < 2; tcp++) {
        setenv("FACULA_DIST_BACKEND", tcp ? "tcp" : "auto", 1);
        start_processes(4, "missed", child);
        for (int i = 0; i < 4; i++)
            assert_int_equal(status_of(child[i]), 0);
    }
    unsetenv("FACULA_DIST_BACKEND");
}

static void a_rank_that_never_starts_is_named(void **state)
{
    (void)state;
    pid_t child[3];
    start_processes(3, "missing", child);
    for (int i = 0; i < 3; i++)
        assert_int_equal(status_of(child[i]), 0);
}

static bool run_all(fa_group *g)
{
    int r = fa_dist_rank(g), ranks = fa_dist_size(g);
    return reduces(g, r, ranks) && moves(g, r, ranks) && sends(g, r, ranks) && (ranks % 2 || sends_many(g, r, ranks))
           && in_the_background(g, r, ranks) && splits(g, r, ranks);
}

static bool run_killed(fa_group *g)
{
    fa_tensor *t = fa_ones(FA_SHAPE(100000));
    for (int i = 0;; i++) {
        FA_SCOPE;
        if (fa_dist_rank(g) == 1 && i == 20)
            raise(SIGKILL);
        if (!fa_dist_all_reduce(t, g, .op = FA_DIST_MEAN))
            return i == 20 && says("rank 1");
    }
}

/* Rank 1 has said that it waits, rank 3 waits in a call, and rank 2 is the one that rank 0 misses. */
static bool run_missed(fa_group *g)
{
    fa__wire *w = g->wire;
    const int r = fa_dist_rank(g);
    WANT(fa_dist_barrier(g));
    if (r == 1 || r == 2)
        fa__wire_note(w, true);
    if (r == 2)
        fa__wire_note(w, false);
    if (r == 3)
        return !fa_dist_barrier(g) && says("all_reduce: nothing came within 600 s from rank 2 (rank ");
    usleep(300000);
    if (r == 0)
        return fa__wire_listen(w, false) && !fa__wire_missed(w, "all_reduce")
               && says("all_reduce: nothing came within 600 s from rank 2");
    for (int i = 0; i < 1000 && fa__wire_listen(w, false); i++)
        usleep(10000);
    return says("all_reduce: nothing came within 600 s from rank 2 (rank ");
}

/* The first rank that ends ends all, by MPI: each is given the time to say what it has seen. */
static bool say_missed(fa_group *g)
{
    bool good = run_missed(g);
    printf("rank %d %s\n", fa_dist_rank(g), good ? "names rank 2" : "fails");
    fflush(stdout);
    if (g->wire->mpi)
        sleep(3);
    return good;
}

static int run_as_rank(const char *word)
{
    FA_SCOPE;
    if (!strcmp(word, "missing")) {
        if (!strcmp(getenv("RANK"), "1"))
            return 0;
        bool zero = !strcmp(getenv("RANK"), "0"); /* which waits for rank 1, and for rank 2 if that is slow */
        return fa_dist_init(.timeout = 1) || !says(zero ? "for rank 1" : "rank 0");
    }
    fa_group *g = fa_dist_init(.timeout = 600);
    bool good = g && (!strcmp(word, "all") ? run_all(g) : !strcmp(word, "missed") ? say_missed(g) : run_killed(g));
    if (fa_failed())
        fprintf(stderr, "rank %s: %s\n", getenv("RANK"), fa_error_message());
    return !good;
}

int main(int argc, char **argv)
{
    if (argc > 1 && getenv("RANK"))
        return run_as_rank(argv[1]);
    const struct CMUnitTest tests[] = {
        TEST(calls_compute_what_they_say),
        TEST(sums_are_the_same_everywhere),
        TEST(the_rank_that_is_wrong_is_named),
        TEST(calls_go_through_tcp),
        TEST(a_part_outlives_the_whole),
        TEST(freeing_a_group_ends_its_calls),
        TEST(wrong_arguments),
        TEST(processes_do_the_same),
        TEST(a_killed_rank_ends_the_others),
        TEST(the_missing_rank_is_named),
        TEST(a_rank_that_never_starts_is_named),
    };
    return RUN("groups");
}
