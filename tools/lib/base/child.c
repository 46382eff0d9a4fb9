/* The child dies with us (PR_SET_PDEATHSIG): a publisher that is killed must not go on writing. Between fork
 * and exec nothing but system calls happens, so threads of ours are no danger. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"

enum { ERRORS_MAX = 16 << 10, PIECE = 64 << 10 };

static void close_one(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* Moves *FD above 2: a process that was started without descriptors 0 to 2 would get them here. */
static void lift(int *fd)
{
    int high = *fd >= 0 && *fd < 3 ? fcntl(*fd, F_DUPFD_CLOEXEC, 3) : *fd;
    if (high != *fd)
        close_one(fd);
    *fd = high;
}

/* A file in memory that holds INPUT, read from its beginning. */
static int input_file(struct odp_slice input)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < input.len;) {
        ssize_t n = write(fd, input.ptr + done, input.len - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            close_one(&fd);
    }
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) != 0)
        close_one(&fd);
    return fd;
}

/* In the child. Never returns. */
static _Noreturn void become(const struct odp_child *c, pid_t parent, const int fds[3])
{
    /* exec takes the arguments as writable strings and does not write to them. */
    union {
        const char *const *in;
        char *const *out;
    } argv = {c->argv};
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(126);
    for (int i = 0; i < 3; i++)
        if (dup2(fds[i], i) < 0)
            _exit(126);
    execv(c->argv[0], argv.out);
    _exit(127);
}

/* Appends what can be read now, at most MAX bytes in all; false at the end. *MORE: there was more than MAX.
 */
static bool take(int fd, struct odp_buffer *out, size_t max, bool *more)
{
    char piece[PIECE];
    ssize_t n = read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        return false;
    size_t room = out->len < max ? max - out->len : 0;
    *more = *more || (size_t)n > room;
    odp_buffer_add(out, piece, (size_t)n < room ? (size_t)n : room);
    return true;
}

/* Reads both pipes until both have ended, too much came, or WATCH gives up. */
static void listen_to(struct odp_child *c, pid_t pid, int out, int err, size_t max)
{
    struct odp_buffer nothing = {0};
    bool errors_cut = false;
    struct odp_buffer *to = c->out != NULL ? c->out : &nothing;
    int64_t next = odp_monotonic_ms() + ODP_CHILD_WATCH_MS;
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    while ((fds[0].fd >= 0 || fds[1].fd >= 0) && !c->given_up && !c->too_large) {
        bool watched = c->watch != NULL;
        int64_t left = next - odp_monotonic_ms();
        if (watched && left <= 0) {
            c->given_up = !c->watch(c->ctx);
            next = odp_monotonic_ms() + ODP_CHILD_WATCH_MS;
            continue;
        }
        int ready = poll(fds, 2, watched ? (int)left : -1);
        if (ready < 0 && errno != EINTR)
            break;
        if (ready <= 0)
            continue;
        if (fds[0].fd >= 0 && fds[0].revents != 0) {
            bool cut = false;
            if (!take(out, to, c->out != NULL ? max : 0, &cut))
                fds[0].fd = -1;
            c->too_large = cut && c->out != NULL;
        }
        if (fds[1].fd >= 0 && fds[1].revents != 0 && !take(err, &c->errors, ERRORS_MAX, &errors_cut))
            fds[1].fd = -1;
    }
    if (c->given_up || c->too_large)
        (void)kill(pid, SIGKILL); /* at SIGTERM rclone tidies up first, over the same dead line */
    odp_buffer_release(&nothing);
}

enum odp_status odp_child_run(struct odp_child *c)
{
    int in = -1, out[2] = {-1, -1}, err[2] = {-1, -1}, status = 0;
    size_t before = c->out != NULL ? c->out->len : 0;
    odp_buffer_init(&c->errors);
    c->too_large = c->given_up = false;
    c->code = -1;
    pid_t pid = -1, self = getpid();
    in = c->input.len > 0 ? input_file(c->input) : open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool piped = in >= 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
    lift(&in);
    lift(&out[1]);
    lift(&err[1]);
    if (piped && in >= 0 && out[1] >= 0 && err[1] >= 0)
        pid = fork();
    if (pid == 0)
        become(c, self, (const int[3]){in, out[1], err[1]});
    int why = errno;
    close_one(&in);
    close_one(&out[1]);
    close_one(&err[1]);
    if (pid > 0) {
        listen_to(c, pid, out[0], err[0], before + c->max);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        c->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    close_one(&out[0]);
    close_one(&err[0]);
    errno = why;
    if (pid < 0)
        return odp_failure_set("start", c->argv[0], why);
    return (c->out != NULL && c->out->failed) || c->errors.failed ? ODP_FAIL : ODP_OK;
}
