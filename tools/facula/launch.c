/* facula run: starts a program several times on this machine, as the ranks of one group. */
#define _GNU_SOURCE
#include "arguments.h"
#include "command.h"
#include <arpa/inet.h>
#include <errno.h>
#include <facula/facula.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 1024, RESTARTS = 256, LEAST, TIMEOUT, GRACE };

static pid_t child[MOST_RANKS]; /* 0: ended */
static int ranks;
static int restarts, least; /* least: with how many ranks it goes on; 0: always with all */
static double grace = 10;   /* seconds between a failure, SIGTERM and SIGKILL */
static volatile sig_atomic_t interrupted;

/* A signal to this process goes to all ranks; those of a terminal have reached them already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    interrupted = 1;
    for (int i = 0; i < ranks && info->si_code != SI_KERNEL; i++)
        if (child[i])
            kill(child[i], number);
}

static int whole(const char *program, const char *name, const char *text, long first, long last)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < first || n > last)
        arguments_wrong(program, "--%s: \"%s\" is no number from %ld to %ld", name, text, first, last);
    return (int)n;
}

static double seconds(const char *program, const char *name, const char *text)
{
    char *end;
    double s = strtod(text, &end);
    if (end == text || *end || !(s > 0) || s > 1e6)
        arguments_wrong(program, "--%s: \"%s\" is no number of seconds", name, text);
    return s;
}

static void take(void *context, const arguments_option *option, const char *text)
{
    switch (option->key) {
    case 'n':
        ranks = whole(context, option->name, text, 1, MOST_RANKS);
        break;
    case RESTARTS:
        restarts = whole(context, option->name, text, 0, 1000000);
        break;
    case LEAST:
        least = whole(context, option->name, text, 1, MOST_RANKS);
        break;
    case TIMEOUT:
        seconds(context, option->name, text);
        setenv("FACULA_DIST_TIMEOUT", text, 1);
        break;
    default:
        grace = seconds(context, option->name, text);
    }
}

/* A socket at a free port, which rank 0 gets; -1 on failure. */
static int listener(int *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s >= 0 && bind(s, (struct sockaddr *)&a, length) == 0 && listen(s, MOST_RANKS) == 0
        && getsockname(s, (struct sockaddr *)&a, &length) == 0) {
        *port = ntohs(a.sin_port);
        return s;
    }
    fprintf(stderr, "facula run: no port for the ranks: %s\n", strerror(errno));
    return -1;
}

static void set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

/* What all ranks have in their environment. */
static void set_common(int port)
{
    int threads = fa_num_threads() / ranks;
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    set_number("MASTER_PORT", port);
    set_number("WORLD_SIZE", ranks);
    set_number("LOCAL_WORLD_SIZE", ranks);
    unsetenv("TORCHELASTIC_USE_AGENT_STORE");
    if (!getenv("FACULA_NUM_THREADS"))
        set_number("FACULA_NUM_THREADS", threads > 1 ? threads : 1);
}

/* In the child. */
static _Noreturn void become(int rank, int s, char **program)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    set_number("RANK", rank);
    set_number("LOCAL_RANK", rank);
    if (rank == 0) {
        set_number("FACULA_DIST_LISTENER", s);
        fcntl(s, F_SETFD, 0);
    }
    execvp(program[0], program);
    fprintf(stderr, "facula run: %s: %s\n", program[0], strerror(errno));
    _exit(127);
}

static bool start(int s, char **program)
{
    for (int i = 0; i < ranks; i++) {
        pid_t pid = fork();
        if (pid == 0)
            become(i, s, program);
        if (pid < 0) {
            fprintf(stderr, "facula run: cannot start rank %d: %s\n", i, strerror(errno));
            return false;
        }
        child[i] = pid;
    }
    return true;
}

static void signal_all(int number)
{
    for (int i = 0; i < ranks; i++)
        if (child[i])
            kill(child[i], number);
}

/* Says how a rank ended, and returns its exit code as a shell has it. *lost counts the ranks that a signal ended. */
static int ended(pid_t pid, int status, int *lost)
{
    int rank = 0;
    while (rank < ranks && child[rank] != pid)
        rank++;
    if (rank == ranks)
        return 0;
    child[rank] = 0;
    if (WIFSIGNALED(status)) {
        *lost += WTERMSIG(status) != SIGTERM; /* which is ours */
        fprintf(stderr, "facula run: rank %d was ended by signal %d (%s)\n", rank, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    if (WEXITSTATUS(status))
        fprintf(stderr, "facula run: rank %d failed with exit status %d\n", rank, WEXITSTATUS(status));
    return WEXITSTATUS(status);
}

/* Waits for all ranks. After one has failed, the others have some time to notice it, and are then ended. Returns the
 * exit code of the first that failed. */
static int wait_for_all(int failed, int *lost)
{
    double waited = 0;
    bool ended_by_us = false, killed = false;
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, failed ? WNOHANG : 0);
        if (pid < 0 && errno != EINTR)
            return failed;
        if (pid > 0) {
            int code = ended(pid, status, lost);
            failed = failed ? failed : code;
        }
        if (!failed || pid != 0)
            continue;
        nanosleep(&(struct timespec){0, 20 * 1000000}, NULL);
        waited += 0.02;
        if (waited >= grace && !ended_by_us) {
            ended_by_us = true;
            signal_all(SIGTERM);
        }
        if (waited >= 2 * grace && !killed) {
            killed = true;
            signal_all(SIGKILL);
        }
    }
}

/* Starts all ranks and waits for them. */
static int run_all(char **program, int *lost)
{
    int port, s = listener(&port), failed = 0;
    if (s < 0)
        return EXIT_FAILED;
    set_common(port);
    if (!start(s, program)) {
        signal_all(SIGTERM);
        failed = EXIT_FAILED;
    }
    close(s);
    return wait_for_all(failed, lost);
}

/* The same until nothing fails. */
static int run_again(char **program)
{
    for (int again = 0;; again++) {
        int lost = 0;
        set_number("FACULA_RESTART", again);
        int code = run_all(program, &lost);
        if (!code || again == restarts || interrupted)
            return code;
        if (least && ranks > least)
            ranks = ranks - lost > least ? ranks - lost : least;
        fprintf(stderr, "facula run: restart %d of %d, with %d ranks\n", again + 1, restarts, ranks);
    }
}

int command_run(int argc, char **argv)
{
    static const arguments_option options[] = {
        {"ranks", 'n', "N", "Number of processes (default: one for each CPU)"},
        {"restart", RESTARTS, "N", "Start all ranks again after a failure, up to N times"},
        {"least", LEAST, "N", "Restart without the ranks that a signal ended, but with N at least"},
        {"timeout", TIMEOUT, "SECONDS", "How long a rank waits for another one (default: 1800)"},
        {"grace", GRACE, "SECONDS", "Time that ranks have to end when one has failed (default: 10)"},
        {0}};
    const arguments a = {.options = options,
                         .words = "-- PROGRAM [ARGUMENT...]",
                         .doc =
                             "Starts PROGRAM several times on this machine, as the ranks of a group "
                             "(fa_dist_init()): RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are set as torchrun sets "
                             "them, and FACULA_NUM_THREADS to a share of the CPUs.\v"
                             "When a rank fails, the others are ended after some time, and its exit status is that of "
                             "the command. After a restart FACULA_RESTART is its number, and the program loads its "
                             "last checkpoint. `facula run -n 2 -- facula train cnn --data digits` trains one network.",
                         .words_first = 1,
                         .take = take,
                         .context = argv[0]};
    const struct sigaction forward = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
    ranks = fa_num_threads();
    int first = arguments_read(argc, argv, &a);
    if (first >= argc)
        arguments_wrong(argv[0], "a program is missing");
    sigaction(SIGINT, &forward, NULL);
    sigaction(SIGTERM, &forward, NULL);
    return run_again(argv + first);
}
