/* Starting other programs, and talking with them over pipes. */
#define _GNU_SOURCE
#include "child.h"
#include "row.h"
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: `in` and `out` become standard input and output. */
static void become(const char *const *arguments, int in, int out)
{
    char *list[16];
    size_t n = 0;
    for (; n < 15 && arguments[n]; n++)
        list[n] = (char *)(size_t)arguments[n];
    list[n] = NULL;
    if (n && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        execvp(list[0], list);
    _exit(127);
}

bool bench_child_start(bench_child *c, const char *const *arguments)
{
    int down[2], up[2];
    *c = (bench_child){0};
    if (pipe2(down, O_CLOEXEC) != 0)
        return false;
    if (pipe2(up, O_CLOEXEC) != 0) {
        close(down[0]);
        close(down[1]);
        return false;
    }
    c->pid = fork();
    if (c->pid == 0)
        become(arguments, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    c->to = fdopen(down[1], "w");
    c->from = fdopen(up[0], "r");
    return c->pid > 0 && c->to && c->from;
}

bool bench_child_ask(bench_child *c, const char *line, char *answer, size_t size)
{
    if (!c->pid || fprintf(c->to, "%s\n", line) < 0 || fflush(c->to) != 0 || !fgets(answer, (int)size, c->from))
        return false;
    answer[strcspn(answer, "\n")] = 0;
    return true;
}

void bench_child_end(bench_child *c)
{
    if (c->to)
        fclose(c->to);
    if (c->from)
        fclose(c->from);
    if (c->pid > 0)
        waitpid(c->pid, NULL, 0);
    *c = (bench_child){0};
}

bool bench_child_run(const char *const *arguments, double *seconds, double *memory)
{
    struct rusage usage;
    int status;
    double start = bench_now();
    pid_t pid = fork();
    if (pid == 0) {
        int nowhere = open("/dev/null", O_RDWR);
        become(arguments, nowhere, nowhere);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return false;
    *seconds = bench_now() - start;
    *memory = (double)usage.ru_maxrss * 1024;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
