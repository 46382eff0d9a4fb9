/* nginx as a program: where it is, whether it takes our configuration, and in whose words it does not. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "command/gateway.h"

enum { PATH_LEN = 4096, OUTPUT_MAX = 32768 };

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *nginx_find(struct odp_arena *a, const char *named)
{
    const char *path = getenv("PATH");
    char *all =
        odp_arena_printf(a, "%s:/usr/sbin:/usr/local/sbin:/usr/local/nginx/sbin:/sbin:/usr/bin", path != NULL ? path : "");
    if (named != NULL && strchr(named, '/') != NULL)
        return is_program(named) ? named : NULL;
    for (char *save = NULL, *dir = all != NULL ? strtok_r(all, ":", &save) : NULL; dir != NULL;
         dir = strtok_r(NULL, ":", &save)) {
        const char *full = odp_path_join(a, dir, named != NULL ? named : "nginx");
        if (full != NULL && *dir == '/' && is_program(full))
            return full;
    }
    return NULL;
}

const char *nginx_find_module(struct odp_arena *a, const char *named)
{
    static const char *const dirs[] = {"/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/usr/local/nginx/modules"};
    char self[PATH_LEN];
    if (named != NULL)
        return access(named, R_OK) == 0 ? named : NULL;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        char *slash = strrchr(self, '/');
        *(slash != NULL ? slash : self) = '\0';
        const char *beside = odp_path_join(a, self, "ngx_http_odp_module.so");
        if (beside != NULL && access(beside, R_OK) == 0)
            return beside;
    }
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        const char *full = odp_path_join(a, dirs[i], "ngx_http_odp_module.so");
        if (full != NULL && access(full, R_OK) == 0)
            return full;
    }
    return NULL;
}

const char *nginx_resolver(struct odp_arena *a)
{
    struct odp_buffer text, out;
    const char *result = "";
    odp_buffer_init(&text);
    odp_buffer_init(&out);
    if (odp_file_read("/etc/resolv.conf", 65536, &text, NULL) == ODP_OK) {
        char *save = NULL, address[64];
        unsigned char bytes[16];
        (void)odp_buffer_cstr(&text);
        for (char *line = strtok_r(text.ptr, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
            if (sscanf(line, "nameserver %63s", address) != 1)
                continue;
            bool v6 = inet_pton(AF_INET6, address, bytes) == 1;
            if (v6 || inet_pton(AF_INET, address, bytes) == 1)
                odp_buffer_printf(&out, "%s%s%s%s", out.len > 0 ? " " : "", v6 ? "[" : "", address, v6 ? "]" : "");
        }
        if (out.len > 0 && odp_buffer_status(&out) == ODP_OK)
            result = odp_arena_str(a, odp_buffer_cstr(&out));
    }
    odp_buffer_release(&text);
    odp_buffer_release(&out);
    return result != NULL ? result : "";
}

/* ---- running it ---- */

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

int nginx_test(const struct gateway *g, const char *conf, struct odp_buffer *output)
{
    char prefix[PATH_LEN];
    (void)snprintf(prefix, sizeof prefix, "%s/nginx/", g->state);
    const char *const argv[] = {g->nginx, "-t", "-q", "-e", "stderr", "-p", prefix, "-c", conf, NULL};
    int code = run_captured(argv, 30, output);
    if (code <= 0)
        return code;
    const char *text = odp_buffer_cstr(output);
    bool module = strstr(text, "binary compatible") != NULL || strstr(text, "dlopen()") != NULL ||
                  strstr(text, "dlsym()") != NULL || (strstr(text, "module \"") != NULL && strstr(text, "instead of") != NULL);
    return module && g->config.module != NULL ? 2 : 1;
}

void nginx_warn_fallback(const struct gateway *g, const char *why)
{
    fprintf(stderr,
            say(g->inv,
                "****************************************************************************************\n"
                "* PERINGATAN (warning: module not used): modul nginx odp tidak dipakai. Sebabnya: %s\n"
                "* Gerbang berjalan dengan auth_request: setiap permintaan ditanyakan kepada layanan. Yang hilang:\n"
                "*   - kira-kira separuh kecepatan; pembacaan berhenti bila layanan mati;\n"
                "*   - ETag dan permintaan bersyarat, berkas .br, header Deprecation/Sunset dan jawaban 410;\n"
                "*   - kunci dalam parameter (--query-key), --content proxy/redirect, hitungan per status di /metrics.\n"
                "* Perbaiki: pasang paket odp-gateway yang dibuat untuk nginx di mesin ini (apt install odp-gateway),\n"
                "*   atau bangun modulnya: apt install nginx-dev, lalu cmake --build; tunjuk dengan --module FILE.\n"
                "****************************************************************************************\n",
                "****************************************************************************************\n"
                "* WARNING: odp's nginx module is not used. Reason: %s\n"
                "* The gateway runs with auth_request: the service is asked about every request. What is lost:\n"
                "*   - about half of the speed; reads stop while the service is down;\n"
                "*   - ETags and conditional requests, .br files, Deprecation/Sunset headers and 410 answers;\n"
                "*   - keys in a parameter (--query-key), --content proxy/redirect, counts by status in /metrics.\n"
                "* Mend it: install the odp-gateway package made for this machine's nginx (apt install odp-gateway),\n"
                "*   or build the module: apt install nginx-dev, then cmake --build; name it with --module FILE.\n"
                "****************************************************************************************\n"),
            why);
}

/* The line of nginx's words that says it, without its own prefix. */
static const char *first_error(struct odp_arena *a, struct odp_buffer *output)
{
    const char *text = odp_buffer_cstr(output), *at = strstr(text, "[emerg]");
    at = at != NULL ? at + 7 : text;
    while (isspace((unsigned char)*at))
        at++;
    const char *line = odp_arena_printf(a, "%.*s", (int)strcspn(at, "\n"), at);
    return line != NULL ? line : "";
}

static int fall_back(struct gateway *g, const char *why)
{
    if (g->inv->serve.content.mode != CONTENT_LOCAL)
        return complain(EXIT_USAGE,
                        say(g->inv, "--content %s memerlukan modul nginx odp, dan modul itu tidak dapat dipakai: %s",
                            "--content %s needs odp's nginx module, and that cannot be used: %s"),
                        g->inv->serve.content.text, why);
    nginx_warn_fallback(g, why);
    g->module = g->config.module = NULL;
    return EXIT_CLEAN;
}

static int put_config(struct gateway *g, const char *path)
{
    struct odp_buffer text;
    odp_buffer_init(&text);
    (void)unlink(path);
    enum odp_status status = nginx_config_write(&text, &g->config);
    if (status == ODP_OK)
        status = odp_file_put(path, odp_buffer_slice(&text), 0600, NULL);
    odp_buffer_release(&text);
    return status == ODP_OK ? EXIT_CLEAN : complain(EXIT_MACHINE, "%s", odp_failure_text());
}

int nginx_write_config(struct gateway *g)
{
    struct odp_buffer output;
    const char *fresh = odp_arena_printf(&g->arena, "%s.new", g->conf);
    const char *named = g->inv->serve.module;
    int code = EXIT_CLEAN;
    if (fresh == NULL)
        return complain(EXIT_MACHINE, "%s", odp_failure_text());
    if (g->config.module == NULL)
        code = fall_back(g, named == NULL
                                ? say(g->inv, "ngx_http_odp_module.so tidak ditemukan", "ngx_http_odp_module.so was not found")
                            : strcmp(named, "off") == 0 ? "--module off"
                                                        : say(g->inv, "berkas --module tidak ada atau tidak dapat dibaca",
                                                              "the file of --module is not there or cannot be read"));
    for (int round = 0; code == EXIT_CLEAN; round++) {
        odp_buffer_init(&output);
        code = put_config(g, fresh);
        int tested = code == EXIT_CLEAN ? nginx_test(g, fresh, &output) : 0;
        const char *why = first_error(&g->arena, &output);
        if (tested < 0)
            code = complain(EXIT_MACHINE, "%s: %s", g->nginx, strerror(errno));
        else if (tested == 2 && round == 0)
            code = fall_back(g, why);
        else if (tested != 0)
            code = complain(EXIT_USAGE,
                            say(g->inv, "nginx menolak konfigurasi (%s):\n%s", "nginx refuses the configuration (%s):\n%s"),
                            fresh, odp_buffer_cstr(&output));
        odp_buffer_release(&output);
        if (tested == 0)
            break;
    }
    if (code == EXIT_CLEAN && odp_file_rename(fresh, g->conf) != ODP_OK)
        code = complain(EXIT_MACHINE, "%s", odp_failure_text());
    return code;
}

/* ---- addresses ---- */

/* The inode of a socket that listens at PORT, out of /proc/net/tcp; 0: none. */
static unsigned long listening_inode(const char *table, unsigned port)
{
    char line[512];
    unsigned long found = 0;
    FILE *f = fopen(table, "re");
    while (f != NULL && found == 0 && fgets(line, sizeof line, f) != NULL) {
        unsigned local, state;
        unsigned long inode;
        if (sscanf(line, " %*d: %*64[0-9A-Fa-f]:%x %*64[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu", &local, &state, &inode) ==
                3 &&
            local == port && state == 0x0a)
            found = inode;
    }
    if (f != NULL)
        fclose(f);
    return found;
}

static bool has_socket(const char *pid, const char *wanted)
{
    char dir[64], path[400], target[64];
    (void)snprintf(dir, sizeof dir, "/proc/%.20s/fd", pid);
    DIR *d = opendir(dir);
    bool found = false;
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL && !found; e = readdir(d)) {
        (void)snprintf(path, sizeof path, "%s/%.255s", dir, e->d_name);
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        found = strcmp(target, wanted) == 0;
    }
    if (d != NULL)
        closedir(d);
    return found;
}

pid_t nginx_port_owner(unsigned port, char name[64])
{
    char wanted[64], path[64];
    pid_t found = 0;
    unsigned long inode = listening_inode("/proc/net/tcp", port);
    inode = inode != 0 ? inode : listening_inode("/proc/net/tcp6", port);
    (void)snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    DIR *d = inode != 0 ? opendir("/proc") : NULL;
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL && found == 0; e = readdir(d))
        if (isdigit((unsigned char)*e->d_name) && has_socket(e->d_name, wanted)) {
            found = (pid_t)strtol(e->d_name, NULL, 10);
            (void)snprintf(path, sizeof path, "/proc/%ld/comm", (long)found);
        }
    if (d != NULL)
        closedir(d);
    FILE *f = found != 0 ? fopen(path, "re") : NULL;
    name[0] = '\0';
    if (f != NULL) {
        if (fgets(name, 64, f) != NULL)
            name[strcspn(name, "\n")] = '\0';
        fclose(f);
    }
    return found;
}

static int complain_address(const struct gateway *g, const char *text, unsigned port, int errnum)
{
    char name[64];
    if (errnum == EACCES)
        return complain(EXIT_MACHINE,
                        say(g->inv,
                            "%s: pengguna ini tidak boleh memakai port di bawah 1024; pakai port lain, atau izin "
                            "CAP_NET_BIND_SERVICE (systemd memberinya)",
                            "%s: this user may not use ports below 1024; use another, or the capability CAP_NET_BIND_SERVICE "
                            "(systemd gives it)"),
                        text);
    if (errnum == EADDRNOTAVAIL)
        return complain(EXIT_MACHINE,
                        say(g->inv, "%s: mesin ini tidak mempunyai alamat itu", "%s: this machine does not have that address"),
                        text);
    if (errnum != EADDRINUSE)
        return complain(EXIT_MACHINE, "%s: %s", text, strerror(errnum));
    pid_t pid = nginx_port_owner(port, name);
    if (pid != 0)
        return complain(EXIT_MACHINE,
                        say(g->inv,
                            "alamat %s sudah dipakai oleh proses %ld (%s); hentikan proses itu atau pilih --listen lain",
                            "the address %s is already in use by process %ld (%s); stop it or choose another --listen"),
                        text, (long)pid, name);
    return complain(EXIT_MACHINE,
                    say(g->inv, "alamat %s sudah dipakai proses lain; pilih --listen lain",
                        "the address %s is already in use by another process; choose another --listen"),
                    text);
}

static int try_inet(const char *host, unsigned port)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    char inner[256];
    bool is6 = *host == '[';
    int one = 1, result = 0;
    (void)snprintf(inner, sizeof inner, "%.*s", is6 ? (int)strlen(host) - 2 : 255, is6 ? host + 1 : host);
    if (is6)
        (void)inet_pton(AF_INET6, inner, &v6.sin6_addr);
    else if (strcmp(host, "*") != 0)
        (void)inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &v4.sin_addr);
    int fd = socket(is6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (is6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (bind(fd, is6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4, is6 ? sizeof v6 : sizeof v4) != 0 ||
        listen(fd, 1) != 0)
        result = errno;
    close(fd);
    return result;
}

/* A socket that a killed run left is removed; one that answers is somebody's. */
static int try_unix(const char *path)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? 0 : errno;
    if (!S_ISSOCK(st.st_mode))
        return EEXIST;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    (void)snprintf(sa.sun_path, sizeof sa.sun_path, "%s", path);
    int e = connect(fd, (const struct sockaddr *)&sa, sizeof sa) == 0 ? 0 : errno;
    close(fd);
    if (e == 0 || e == EAGAIN)
        return EADDRINUSE;
    return unlink(path) == 0 ? 0 : errno;
}

int nginx_check_ports(const struct gateway *g)
{
    const struct option_list *l = &g->inv->serve.listen;
    for (size_t i = 0; i < (l->n > 0 ? l->n : 1); i++) {
        const char *text = l->n > 0 ? l->items[i] : "127.0.0.1:8080", *path;
        char host[256];
        unsigned port;
        if (!options_address(text, host, &port, &path))
            continue;
        int e = path != NULL ? try_unix(path) : try_inet(host, port);
        if (e != 0)
            return complain_address(g, text, path != NULL ? 0 : port, e);
    }
    return EXIT_CLEAN;
}
