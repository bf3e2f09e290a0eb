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

enum { MOST_RANKS = 1024, GRACE_MS = 10000 };

static pid_t child[MOST_RANKS]; /* 0: ended */
static int ranks;

/* A signal to this process goes to all ranks; those of a terminal have reached them already. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    for (int i = 0; i < ranks && info->si_code != SI_KERNEL; i++)
        if (child[i])
            kill(child[i], number);
}

static void take(void *context, const arguments_option *option, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    (void)option;
    if (end == text || *end || n < 1 || n > MOST_RANKS)
        arguments_wrong(context, "--ranks: \"%s\" is no number from 1 to %d", text, MOST_RANKS);
    ranks = (int)n;
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

/* Says how a rank ended, and returns its exit code as a shell has it. */
static int ended(pid_t pid, int status)
{
    int rank = 0;
    while (rank < ranks && child[rank] != pid)
        rank++;
    if (rank == ranks)
        return 0;
    child[rank] = 0;
    if (WIFSIGNALED(status)) {
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
static int wait_for_all(int failed)
{
    int waited = 0;
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, failed ? WNOHANG : 0);
        if (pid < 0 && errno != EINTR)
            return failed;
        if (pid > 0) {
            int code = ended(pid, status);
            failed = failed ? failed : code;
        }
        if (!failed || pid != 0)
            continue;
        nanosleep(&(struct timespec){0, 20 * 1000000}, NULL);
        waited += 20;
        if (waited == GRACE_MS)
            signal_all(SIGTERM);
        if (waited == 2 * GRACE_MS)
            signal_all(SIGKILL);
    }
}

int command_run(int argc, char **argv)
{
    static const arguments_option options[] = {{"ranks", 'n', "N", "Number of processes (default: one for each CPU)"},
                                               {0}};
    const arguments a = {.options = options,
                         .words = "-- PROGRAM [ARGUMENT...]",
                         .doc =
                             "Starts PROGRAM several times on this machine, as the ranks of a group "
                             "(fa_dist_init()): RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are set as torchrun sets "
                             "them, and FACULA_NUM_THREADS to a share of the CPUs.\v"
                             "When a rank fails, the others are ended after 10 seconds, and its exit status is that of "
                             "the command. `facula run -n 2 -- facula train cnn --data digits` trains one network.",
                         .words_first = 1,
                         .take = take,
                         .context = argv[0]};
    const struct sigaction forward = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
    ranks = fa_num_threads();
    int first = arguments_read(argc, argv, &a), port, s;
    if (first >= argc)
        arguments_wrong(argv[0], "a program is missing");
    if ((s = listener(&port)) < 0)
        return EXIT_FAILED;
    set_common(port);
    sigaction(SIGINT, &forward, NULL);
    sigaction(SIGTERM, &forward, NULL);
    int failed = 0;
    if (!start(s, argv + first)) {
        signal_all(SIGTERM);
        failed = EXIT_FAILED;
    }
    close(s);
    return wait_for_all(failed);
}
