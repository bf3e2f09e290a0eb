/* Ranks that are killed or stopped: `facula run --restart` starts the others again, which go on from the last
 * checkpoint and get the losses of a run in which nothing happened. With "full" as its argument: at random moments, and
 * stopped ones too. As a rank (RANK is set): faults FOLDER RESULT FAULT. */
#include "support/api_test.h"
#include "support/process.h"
#include <dirent.h>
#include <facula/facula.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 8, ROWS = 12 };

/* ---- a rank ---- */

static int fault_signal;

static void at_once(int number)
{
    (void)number;
    kill(getpid(), fault_signal);
}

/* "kill:RANK:STEP": at the beginning of a step; "kill:RANK:-MICROSECONDS": after that time; "stop" likewise. In the
 * first run only. */
static void prepare_fault(const char *fault, int rank, int step)
{
    int who = -1, when = 0;
    char what[8] = "";
    if (strcmp(getenv("FACULA_RESTART"), "0") || sscanf(fault, "%7[a-z]:%d:%d", what, &who, &when) != 3 || who != rank)
        return;
    fault_signal = strcmp(what, "kill") ? SIGSTOP : SIGKILL;
    if (when >= 0 && step == when)
        kill(getpid(), fault_signal);
    if (when >= 0 || step)
        return;
    signal(SIGALRM, at_once);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {-when / 1000000, -when % 1000000}}, NULL);
}

static bool take_step(fa_module *run, fa_optim *optim, fa_group *g, int step, double *loss)
{
    FA_SCOPE;
    int64_t part = ROWS / fa_dist_size(g);
    fa_generator_use(fa_generator_new((uint64_t)step));
    fa_tensor *x = fa_randn(FA_SHAPE(ROWS, 6), .dtype = FA_F64), *y = fa_randn(FA_SHAPE(ROWS, 2), .dtype = FA_F64);
    x = fa_narrow(x, 0, fa_dist_rank(g) * part, part);
    y = fa_narrow(y, 0, fa_dist_rank(g) * part, part);
    fa_optim_zero_grad(optim);
    fa_tensor *l = fa_mse_loss(fa_forward(run, x), y);
    fa_tensor *mean = fa_clone(fa_detach(l));
    bool good = fa_backward(l) && fa_optim_step(optim) && fa_dist_all_reduce(mean, g, .op = FA_DIST_MEAN);
    *loss = good ? fa_item(mean) : 0;
    return good;
}

static int run_as_rank(char **argv)
{
    FA_SCOPE;
    const char *folder = argv[1];
    fa_group *g = fa_dist_init();
    fa_generator_use(fa_generator_new(1));
    fa_module *run = fa_dist_shard(
        fa_nn_sequential(fa_nn_linear(6, 40, .dtype = FA_F64), fa_nn_tanh(), fa_nn_linear(40, 2, .dtype = FA_F64)), g);
    fa_optim *optim = fa_optim_adam(run, .lr = 0.01);
    fa_tensor *done = fa_module_buffer(run, "steps", fa_zeros(FA_SCALAR, .dtype = FA_I64));
    char latest[PATH_MAX];
    snprintf(latest, sizeof latest, "%s/latest", folder);
    if (g && access(latest, R_OK) == 0)
        fa_dist_checkpoint_load(folder, g, .module = run, .optim = optim);
    double loss = 0;
    for (int i = fa_failed() ? STEPS : (int)fa_item_int(done); i < STEPS; i++) {
        prepare_fault(argv[3], fa_dist_rank(g), i);
        if (!take_step(run, optim, g, i, &loss) || !fa_add_(done, 1)
            || !fa_dist_checkpoint_save(folder, g, .module = run, .optim = optim))
            break;
    }
    if (fa_failed())
        fprintf(stderr, "rank %d: %s\n", fa_dist_rank(g), fa_error_message());
    else if (fa_dist_rank(g) == 0) {
        FILE *f = fopen(argv[2], "w");
        fprintf(f, "%.17g %d\n", loss, fa_dist_size(g));
        fclose(f);
    }
    return fa_failed();
}

/* ---- runs ---- */

static char facula[PATH_MAX], self[PATH_MAX], folder[64];

static void empty_folder(void)
{
    char path[PATH_MAX];
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            unlink(path);
        }
    if (d)
        closedir(d);
    rmdir(folder);
}

/* Runs 3 ranks with a fault; their last loss, and how many there were at the end. */
static int run_ranks(const char *fault, const char *least, const char *timeout, double *loss, int *ranks)
{
    char result[100];
    snprintf(result, sizeof result, "%s.txt", folder);
    empty_folder();
    pid_t pid = fork();
    if (!pid) {
        unsetenv("FACULA_NUM_THREADS");
        execl(facula, "facula", "run", "-n", "3", "--restart", "2", "--least", least, "--timeout", timeout, "--grace",
              "2", "--", self, folder, result, fault, (char *)NULL);
        _exit(99);
    }
    int status = status_of(pid);
    FILE *f = fopen(result, "r");
    if (status == 0)
        assert_int_equal(fscanf(f, "%lf %d", loss, ranks), 2);
    if (f)
        fclose(f);
    unlink(result);
    empty_folder();
    return status;
}

static double undisturbed(void)
{
    double loss = 0;
    int ranks;
    assert_int_equal(run_ranks("none", "3", "600", &loss, &ranks), 0);
    assert_true(loss > 0);
    return loss;
}

static void killed_ranks_are_started_again(void **state)
{
    (void)state;
    double whole = undisturbed(), loss = 0;
    int ranks = 0;
    assert_int_equal(run_ranks("kill:1:3", "3", "600", &loss, &ranks), 0);
    assert_true(ranks == 3 && fabs(loss - whole) < 1e-12);
    assert_int_equal(run_ranks("kill:0:5", "2", "600", &loss, &ranks), 0);
    assert_true(ranks == 2 && fabs(loss - whole) < 1e-12);
}

static uint64_t drawn;

static int draw(int below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (int)((drawn >> 33) % (unsigned)below);
}

/* The moment is anywhere in the run, also while ranks meet or save. */
static void faults_at_random_moments(void **state)
{
    (void)state;
    double whole = undisturbed(), loss = 0;
    int ranks = 0;
    drawn = (uint64_t)getpid();
    for (int i = 0; i < 12; i++) {
        char fault[64];
        snprintf(fault, sizeof fault, "%s:%d:%d", i % 3 ? "kill" : "stop", draw(3), -1 - draw(30000));
        printf("%s\n", fault);
        assert_int_equal(run_ranks(fault, i % 2 ? "3" : "1", "5", &loss, &ranks), 0);
        assert_true(ranks <= 3 && fabs(loss - whole) < 1e-12);
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && getenv("RANK"))
        return run_as_rank(argv);
    if (!realpath("/proc/self/exe", self))
        return 1;
    snprintf(facula, sizeof facula, "%s", self);
    dirname(facula);
    dirname(facula);
    strncat(facula, "/facula", sizeof facula - strlen(facula) - 1);
    if (access(facula, X_OK)) {
        printf("skipped: there is no %s\n", facula);
        return 77;
    }
    snprintf(folder, sizeof folder, "/tmp/facula-faults-%d", (int)getpid());
    const struct CMUnitTest quick[] = {TEST(killed_ranks_are_started_again)};
    const struct CMUnitTest full[] = {TEST(faults_at_random_moments)};
    return argc > 1 && !strcmp(argv[1], "full") ? cmocka_run_group_tests_name("faults", full, NULL, NULL)
                                                : cmocka_run_group_tests_name("faults", quick, NULL, NULL);
}
