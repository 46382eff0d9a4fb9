/* A program that is run for what it says. */
#include "command/nginx/captured.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_MAX = 32768 };

static int64_t monotonic_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void collect(int fd, pid_t child, int64_t until, struct odp_buffer *output)
{
    char piece[4096];
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int64_t left = until - monotonic_ms();
        if (left <= 0 || poll(&p, 1, (int)left) == 0) {
            kill(child, SIGKILL);
            return;
        }
        ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0 || (n < 0 && errno != EINTR))
            return;
        if (n > 0 && output->len + (size_t)n <= OUTPUT_MAX)
            odp_buffer_add(output, piece, (size_t)n);
    }
}

int run_captured(const char *const argv[], int seconds, struct odp_buffer *output)
{
    int pipes[2], status = 0;
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDONLY);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (null < 0 || dup2(null, 0) < 0 || dup2(pipes[1], 1) < 0 || dup2(pipes[1], 2) < 0)
            _exit(126);
        char *args[32];
        size_t n = 0;
        for (; n < 31 && argv[n] != NULL; n++)
            args[n] = (char *)(uintptr_t)argv[n];
        args[n] = NULL;
        execv(args[0], args);
        _exit(126);
    }
    close(pipes[1]);
    if (child > 0)
        collect(pipes[0], child, monotonic_ms() + seconds * 1000, output);
    close(pipes[0]);
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
