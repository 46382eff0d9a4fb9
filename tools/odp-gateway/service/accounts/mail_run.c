/* One run of the sendmail command, without a shell: the message on its standard input, no other descriptor,
 * its output thrown away (it could name the recipient). At the service's end a command that has its whole
 * message is left to finish by itself. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "service/accounts/mail.h"

enum { WORDS = 16, COMMAND = 1024 };

static bool split(char *text, char *words[WORDS + 1])
{
    size_t n = 0;
    char *rest = NULL;
    for (char *w = strtok_r(text, " \t", &rest); w != NULL; w = strtok_r(NULL, " \t", &rest)) {
        if (n == WORDS)
            return false;
        words[n++] = w;
    }
    words[n] = NULL;
    return n > 0;
}

/* The child has the pipe as its standard input, nothing else of ours, its own process group, and signals as a
 * program expects them. */
static int start(pid_t *pid, char *const words[], int in)
{
    posix_spawn_file_actions_t acts;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int e = posix_spawn_file_actions_init(&acts);
    if (e != 0)
        return e;
    e = posix_spawnattr_init(&attr);
    if (e != 0) {
        posix_spawn_file_actions_destroy(&acts);
        return e;
    }
    if ((e = posix_spawn_file_actions_adddup2(&acts, in, 0)) == 0 &&
        (e = posix_spawn_file_actions_addopen(&acts, 1, "/dev/null", O_WRONLY, 0)) == 0 &&
        (e = posix_spawn_file_actions_adddup2(&acts, 1, 2)) == 0 &&
        (e = posix_spawn_file_actions_addclosefrom_np(&acts, 3)) == 0 &&
        (e = posix_spawnattr_setsigmask(&attr, &none)) == 0 &&
        (e = posix_spawnattr_setsigdefault(&attr, &all)) == 0 &&
        (e = posix_spawnattr_setpgroup(&attr, 0)) == 0 &&
        (e = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                 POSIX_SPAWN_SETPGROUP)) == 0)
        e = posix_spawnp(pid, words[0], &acts, &attr, words, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&acts);
    return e;
}

static bool feed(int out, struct odp_slice message, int64_t until)
{
    size_t done = 0;
    while (done < message.len) {
        ssize_t n = write(out, message.ptr + done, message.len - done);
        if (n > 0) {
            done += (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        int64_t left = until - odp_clock_ms();
        struct pollfd p = {.fd = out, .events = POLLOUT};
        if (left <= 0 || poll(&p, 1, left < 1000 ? (int)left : 1000) < 0)
            return false;
    }
    return true;
}

/* Waits for the child; past UNTIL it and its group are killed. True: it said yes. */
static bool reap(pid_t pid, int64_t until, const _Atomic bool *stop)
{
    int status = 0;
    bool killed = false;
    struct timespec pause = {.tv_nsec = 2000000};
    for (;;) {
        pid_t r = waitpid(pid, &status, killed ? 0 : WNOHANG);
        if (r == pid)
            return !killed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (r < 0 && errno != EINTR)
            return false; /* somebody else has reaped it: nothing is known */
        if (r == 0 && odp_clock_ms() >= until) {
            (void)kill(-pid, SIGKILL);
            killed = true;
            continue;
        }
        if (stop != NULL && atomic_load(stop))
            return false;
        if (r == 0)
            nanosleep(&pause, NULL);
        if (pause.tv_nsec < 50000000)
            pause.tv_nsec *= 2;
    }
}

static bool run(char *const words[], struct odp_slice message, int timeout_ms, const _Atomic bool *stop)
{
    int ends[2];
    pid_t pid = 0;
    int64_t until = odp_clock_ms() + timeout_ms;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    (void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
    int e = start(&pid, words, ends[0]);
    close(ends[0]);
    bool fed = e == 0 && feed(ends[1], message, until);
    close(ends[1]);
    /* A command that does not read all of its input but succeeds has not sent the mail either. */
    return e == 0 && reap(pid, fed ? until : odp_clock_ms() + 200, fed ? stop : NULL) && fed;
}

enum odp_status odp_mail_run(const char *command, struct odp_slice message, int timeout_ms,
                             const _Atomic bool *stop)
{
    char text[COMMAND];
    char *words[WORDS + 1];
    sigset_t broken, before;
    size_t n = strlen(command);
    if (n >= sizeof text)
        return ODP_BAD;
    memcpy(text, command, n + 1);
    if (!split(text, words))
        return ODP_BAD;
    /* SIGPIPE of a command that ends early is for this thread alone: blocked, and taken off if it came. */
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    bool ok = run(words, message, timeout_ms, stop);
    if (sigismember(&before, SIGPIPE) == 0) {
        struct timespec now = {0};
        while (sigtimedwait(&broken, NULL, &now) < 0 && errno == EINTR)
            continue;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return ok ? ODP_OK : ODP_BAD;
}
