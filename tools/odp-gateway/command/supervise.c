/* Signals are blocked and waited for with sigtimedwait, so there is no handler and no race in this process.
 * Children are process groups of their own: Ctrl-C reaches only this process, which then ends them in order.
 * PR_SET_PDEATHSIG ends them if this process is killed. */
#include "command/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/refusal.h"
#include "command/messages.h"
#include "command/nginx/run.h"
#include "command/service_body.h"
#include "service/state/log.h"
#include "words/gateway_command.h"

enum {
    PATH_LEN = 4096,
    TAIL = 4096,
    START_MS = 20000,
    QUIT_MS = 10000,
    TERM_MS = 3000,
    SERVICE_MS = 5000,
    LONGEST_PAUSE_MS = 30000,
    STEADY_MS = 60000,
    WORKERLESS_MS = 5000
};

struct supervisor {
    struct gateway *g;
    sigset_t signals, before;
    pid_t nginx, service; /* 0: not running */
    int64_t service_since, service_again,
        pause;          /* when it was started, when it is to be, how long to wait; ms */
    off_t log_start;    /* of nginx's error log, when nginx was started */
    int64_t workerless; /* since when nginx has no worker; 0: it has */
    bool stopping;
    int code;
};

static void error_log_path(const struct supervisor *v, char out[PATH_LEN])
{
    (void)snprintf(out, PATH_LEN, "%s/nginx/error.log", v->g->state);
}

/* ---- children ---- */

/* First thing in a child: signals as they were, a group of its own, the end when the parent ends. */
static void child_begins(const struct supervisor *v, pid_t parent, int death)
{
    static const int defaults[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGCHLD, SIGPIPE};
    for (size_t i = 0; i < ODP_COUNT(defaults); i++)
        signal(defaults[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &v->before, NULL);
    (void)setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, death);
    if (getppid() != parent)
        _exit(EXIT_MACHINE);
}

/* A signal may come to any thread. */
static atomic_bool service_stop;

static void stop_service(int signum)
{
    service_stop = true;
}

/* Our parent waits for this word and for no other sign: a service that cannot say it ends. */
static void report_ready(void *ctx)
{
    const int *fd = ctx;
    ssize_t written = -1;
    for (int tries = 0; tries < 3 && written < 0; tries++)
        written = write(*fd, "R", 1);
    if (written >= 0 || errno == EPIPE) /* EPIPE: the service was started again, and no one waits */
        return;
    odp_log("error", "the service cannot say that it is ready, and ends: %s", strerror(errno));
    service_stop = true;
}

static void service_child(struct supervisor *v, pid_t parent, int fd)
{
    struct sigaction stop = {.sa_handler = stop_service}, ignore = {.sa_handler = SIG_IGN};
    char why[ODP_WHY];
    if (!gateway_become_user(v->g)) {
        dprintf(fd, "Esetuid %s: %s", v->g->user, reason_of(v->g->inv, errno));
        _exit(EXIT_MACHINE);
    }
    child_begins(v, parent, SIGTERM); /* after the change of user, which forgets the signal of death */
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGQUIT, &stop, NULL);
    sigaction(SIGHUP, &ignore, NULL);
    sigaction(SIGUSR1, &ignore, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    enum odp_status status = service_body(v->g, &service_stop, report_ready, &fd, why);
    if (status != ODP_OK) {
        char words[ODP_FAILURE_WORDS];
        dprintf(fd, "E%s", why[0] != '\0' ? why : odp_failure_words(v->g->inv->line.lang, words));
        odp_log("error", "%s", why[0] != '\0' ? why : odp_failure_text());
    }
    _exit(status == ODP_OK ? EXIT_CLEAN : status == ODP_BAD ? EXIT_REFUSED : EXIT_MACHINE);
}

/* Takes one of the signals that mean the end, if it waits. */
static bool stop_asked(void)
{
    sigset_t ends;
    struct timespec none = {0};
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGQUIT);
    return sigtimedwait(&ends, NULL, &none) > 0;
}

/* Starts the service and, if WAIT, waits until it listens; WHY gets its words when it does not. */
static bool start_service(struct supervisor *v, bool wait, char why[ODP_WHY])
{
    int pipes[2];
    size_t n = 0;
    pid_t parent = getpid();
    why[0] = '\0';
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        (void)snprintf(why, ODP_WHY, "pipe: %s", reason_of(v->g->inv, errno));
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        service_child(v, parent, pipes[1]);
    }
    close(pipes[1]);
    if (child > 0) {
        (void)setpgid(child, child);
        v->service = child;
        v->service_since = odp_clock_ms();
    }
    while (child > 0 && wait && n < ODP_WHY - 1) {
        struct pollfd p = {.fd = pipes[0], .events = POLLIN};
        if (poll(&p, 1, 100) <= 0) {
            v->stopping = stop_asked();
            if (v->stopping)
                break;
            continue;
        }
        ssize_t got = read(pipes[0], why + n, ODP_WHY - 1 - n);
        if (got < 0) { /* it may well run, but its waiting parent would never know */
            n = (size_t)snprintf(why, ODP_WHY, "-pipe: %s", reason_of(v->g->inv, errno));
            kill(child, SIGKILL);
        } else {
            n += (size_t)got;
        }
        if (got <= 0 || why[0] == 'R')
            break;
    }
    close(pipes[0]);
    why[n] = '\0';
    bool ready = child > 0 && (!wait || why[0] == 'R');
    memmove(why, why + (n > 0), n > 0 ? n : 1);
    return ready;
}

static bool start_nginx(struct supervisor *v)
{
    struct gateway *g = v->g;
    char prefix[PATH_LEN], log[PATH_LEN];
    struct stat st;
    pid_t parent = getpid();
    (void)snprintf(prefix, sizeof prefix, "%s/nginx/", g->state);
    error_log_path(v, log);
    v->log_start = stat(log, &st) == 0 ? st.st_size : 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        child_begins(v, parent, SIGTERM);
        execl(g->nginx, "nginx", "-p", prefix, "-c", g->conf, "-e", log, "-g", "daemon off;", (char *)NULL);
        _exit(126);
    }
    if (child > 0) {
        (void)setpgid(child, child);
        v->nginx = child;
    }
    return child > 0;
}

/* nginx writes its pid once its sockets listen. */
static bool nginx_is_ready(const struct supervisor *v)
{
    char path[PATH_LEN], text[32] = "";
    (void)snprintf(path, sizeof path, "%s/nginx/nginx.pid", v->g->state);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return false;
    bool ready = fgets(text, sizeof text, f) != NULL && strtol(text, NULL, 10) == (long)v->nginx;
    fclose(f);
    return ready;
}

/* A master that could not make its workers (no memory, too many processes) goes on without them, and does not
 * try again: its sockets listen without an answer. True where the kernel does not say. */
static bool nginx_has_workers(const struct supervisor *v)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)v->nginx, (long)v->nginx);
    FILE *f = fopen(path, "re");
    if (f == NULL)
        return true;
    bool has = fgetc(f) != EOF || ferror(f) != 0;
    fclose(f);
    return has;
}

/* Waits for CHILD until UNTIL; true when it has ended. */
static bool wait_for(pid_t child, int64_t until)
{
    for (;;) {
        pid_t got = waitpid(child, NULL, WNOHANG);
        if (got == child || (got < 0 && errno == ECHILD))
            return true;
        if (odp_clock_ms() >= until)
            return false;
        struct timespec pause = {.tv_nsec = 10000000};
        nanosleep(&pause, NULL);
    }
}

/* The last lines nginx wrote since it was started. */
static void show_log_tail(const struct supervisor *v)
{
    char path[PATH_LEN], text[TAIL + 1];
    struct stat st;
    error_log_path(v, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    off_t from = fstat(fd, &st) == 0 && st.st_size > v->log_start + TAIL ? st.st_size - TAIL : v->log_start;
    ssize_t n = pread(fd, text, TAIL, from);
    close(fd);
    if (n <= 0)
        return;
    text[n] = '\0';
    fprintf(stderr, "%s%s", text, text[n - 1] == '\n' ? "" : "\n");
}

/* ---- the end ---- */

static void stop_nginx(struct supervisor *v)
{
    if (v->nginx == 0)
        return;
    int64_t until = odp_clock_ms() + QUIT_MS;
    bool ended = false;
    kill(v->nginx, SIGQUIT);
    while (!ended && odp_clock_ms() < until && !stop_asked()) /* once more: hurry */
        ended = wait_for(v->nginx, odp_clock_ms() + 50);
    if (!ended) {
        kill(v->nginx, SIGTERM);
        ended = wait_for(v->nginx, odp_clock_ms() + TERM_MS);
    }
    kill(-v->nginx, SIGKILL); /* workers, should any be left */
    if (!ended)
        (void)wait_for(v->nginx, odp_clock_ms() + TERM_MS);
    v->nginx = 0;
}

static void stop_all(struct supervisor *v)
{
    char path[300];
    stop_nginx(v);
    if (v->service != 0) {
        kill(v->service, SIGTERM);
        if (!wait_for(v->service, odp_clock_ms() + SERVICE_MS)) {
            kill(v->service, SIGKILL);
            (void)wait_for(v->service, odp_clock_ms() + TERM_MS);
        }
        v->service = 0;
    }
    const struct option_list *l = &v->g->inv->serve.listen;
    for (size_t i = 0; i < l->n && v->g->nginx != NULL; i++)
        if (strncmp(l->item[i], "unix:/", 6) == 0) {
            (void)snprintf(path, sizeof path, "%s", l->item[i] + 5);
            (void)unlink(path);
        }
}

/* ---- what happens ---- */

static void service_ended(struct supervisor *v)
{
    int64_t lived = odp_clock_ms() - v->service_since;
    v->service = 0;
    v->pause = lived > STEADY_MS || v->pause == 0 ? 500
               : v->pause * 2 > LONGEST_PAUSE_MS  ? LONGEST_PAUSE_MS
                                                  : v->pause * 2;
    v->service_again = odp_clock_ms() + v->pause;
    odp_log("error", "the service has ended; reads go on; it is started again in %lld ms",
            (long long)v->pause);
}

static void children_ended(struct supervisor *v)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == v->service) {
            service_ended(v);
        } else if (pid == v->nginx) {
            odp_log("error", "nginx has ended; its last words:");
            show_log_tail(v);
            kill(-v->nginx, SIGKILL); /* workers of a master that was killed */
            v->nginx = 0;
            v->code = EXIT_MACHINE;
            v->stopping = true;
        }
    }
}

static void reload(struct supervisor *v)
{
    if (v->g->nginx == NULL)
        return;
    v->g->config.module = v->g->module;
    if (nginx_write_config(v->g) != EXIT_CLEAN) {
        odp_log("error", "the configuration in use stays");
        return;
    }
    if (v->nginx != 0)
        kill(v->nginx, SIGHUP);
    odp_log("info", "configuration written anew, nginx reloads");
}

/* systemd(7): what started us may want to know. */
static void notify(const char *text)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    if (path == NULL || (*path != '/' && *path != '@') || strlen(path) >= sizeof sa.sun_path)
        return;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    size_t n = strlen(path);
    memcpy(sa.sun_path, path, n);
    if (*path == '@')
        sa.sun_path[0] = '\0';
    if (fd >= 0) {
        sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&sa,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
        close(fd);
    }
}

static void say_ready(const struct supervisor *v)
{
    const struct gateway *g = v->g;
    const struct serve_options *o = &g->inv->serve;
    char url[300];
    printf("odp-gateway: %s", say(g->inv, W_gwc_ready));
    for (size_t i = 0; g->nginx != NULL && i < (o->listen.n > 0 ? o->listen.n : 1); i++)
        printf(" %s", gateway_url(g, i, url));
    if (g->service.metrics_listen != NULL)
        printf(" · %s http://%s/metrics", say(g->inv, W_gwc_metrics), g->service.metrics_listen);
    printf(" · %s %s\n", say(g->inv, W_gwc_state_2), g->state);
    fflush(stdout);
    notify("READY=1");
}

static int start_both(struct supervisor *v)
{
    char why[ODP_WHY], path[PATH_LEN];
    int status = 0;
    if (!start_service(v, true, why)) {
        if (v->stopping)
            return EXIT_CLEAN;
        bool ended = v->service != 0 && waitpid(v->service, &status, 0) == v->service;
        v->service = 0;
        complain(0, say(v->g->inv, W_gwc_service_cannot_start),
                 why[0] != '\0' ? why : say(v->g->inv, W_gwc_ended_without_word));
        return ended && WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : EXIT_MACHINE;
    }
    if (v->g->nginx == NULL)
        return EXIT_CLEAN;
    (void)snprintf(path, sizeof path, "%s/nginx/nginx.pid", v->g->state);
    (void)unlink(path);
    if (!start_nginx(v))
        return complain(EXIT_MACHINE, "fork: %s", reason_of(v->g->inv, errno));
    for (int64_t until = odp_clock_ms() + START_MS; !nginx_is_ready(v) || !nginx_has_workers(v);) {
        if (wait_for(v->nginx, odp_clock_ms() + 20)) {
            kill(-v->nginx, SIGKILL); /* workers, had it come so far */
            v->nginx = 0;
            complain(0, "%s", say(v->g->inv, W_gwc_nginx_cannot_start_says));
            show_log_tail(v);
            return EXIT_MACHINE;
        }
        v->stopping = stop_asked();
        if (v->stopping)
            return EXIT_CLEAN;
        if (odp_clock_ms() > until)
            return complain(EXIT_MACHINE, "%s", say(v->g->inv, W_gwc_nginx_ready_within_20_seconds));
    }
    return EXIT_CLEAN;
}

/* Our parent starts us again. */
static void check_workers(struct supervisor *v)
{
    if (v->nginx == 0 || nginx_has_workers(v)) {
        v->workerless = 0;
        return;
    }
    v->workerless = v->workerless != 0 ? v->workerless : odp_clock_ms();
    if (odp_clock_ms() - v->workerless < WORKERLESS_MS)
        return;
    odp_log("error", "nginx could not start its workers (memory, or the number of processes), so nobody is "
                     "answered: odp-gateway ends; its last words:");
    show_log_tail(v);
    v->code = EXIT_MACHINE;
    v->stopping = true;
}

static void look_after(struct supervisor *v)
{
    char why[ODP_WHY];
    while (!v->stopping) {
        int64_t left = v->service == 0 ? v->service_again - odp_clock_ms() : 1000;
        left = left < 0 ? 0 : left;
        struct timespec wait = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
        int got = sigtimedwait(&v->signals, NULL, &wait);
        if (got == SIGTERM || got == SIGINT || got == SIGQUIT)
            v->stopping = true;
        else if (got == SIGHUP)
            reload(v);
        else if (got == SIGUSR1 && v->nginx != 0)
            kill(v->nginx, SIGUSR1);
        children_ended(v);
        if (!v->stopping)
            check_workers(v);
        if (!v->stopping && v->service == 0 && odp_clock_ms() >= v->service_again &&
            !start_service(v, false, why)) {
            v->service_since = odp_clock_ms();
            service_ended(v);
        }
    }
}

int supervise(struct gateway *g)
{
    static const int watched[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGCHLD};
    struct supervisor v = {.g = g};
    sigemptyset(&v.signals);
    for (size_t i = 0; i < ODP_COUNT(watched); i++)
        sigaddset(&v.signals, watched[i]);
    /* Nothing that we start may become more than we are. A sendmail may have to: Debian's are set-group-id.
     */
    if (g->inv->serve.service.sendmail == NULL)
        (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &v.signals, &v.before);
    /* An inherited mask must not make the children deaf. */
    for (size_t i = 0; i < ODP_COUNT(watched); i++)
        sigdelset(&v.before, watched[i]);
    v.code = start_both(&v);
    if (v.code == EXIT_CLEAN && !v.stopping) {
        say_ready(&v);
        look_after(&v);
        notify("STOPPING=1");
    }
    stop_all(&v);
    return v.code;
}
