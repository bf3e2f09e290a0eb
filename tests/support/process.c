/* Other processes of a test. */
#define _GNU_SOURCE
#include "support/process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int status_of(pid_t child)
{
    int status;
    if (child <= 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int run_again(const char *variable, const char *value, const char *word)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv(variable, value, 1);
        execl("/proc/self/exe", program_invocation_name, word, (char *)NULL);
        _exit(99);
    }
    return status_of(child);
}
