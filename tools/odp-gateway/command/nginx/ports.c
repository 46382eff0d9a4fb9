/* Checks that each --listen can be bound, and names the process that has it. */
#include "command/nginx/ports.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/messages.h"
#include "command/values.h"
#include "service/listen.h"
#include "words/gateway_command.h"

/* The inode of a socket that listens at PORT, out of /proc/net/tcp; 0: none. */
static unsigned long listening_inode(const char *table, unsigned port)
{
    char line[512];
    unsigned long found = 0;
    FILE *f = fopen(table, "re");
    while (f != NULL && found == 0 && fgets(line, sizeof line, f) != NULL) {
        unsigned local, state;
        unsigned long inode;
        if (sscanf(line, " %*d: %*64[0-9A-Fa-f]:%x %*64[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu", &local,
                   &state, &inode) == 3 &&
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

static pid_t port_owner(unsigned port, char name[64])
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
        return complain(EXIT_MACHINE, say(g->inv, W_gwc_user_use_ports_below_1024_use), text);
    if (errnum == EADDRNOTAVAIL)
        return complain(EXIT_MACHINE, say(g->inv, W_gwc_machine_does_address), text);
    if (errnum != EADDRINUSE)
        return complain(EXIT_MACHINE, "%s: %s", text, reason_of(g->inv, errnum));
    pid_t pid = port_owner(port, name);
    if (pid != 0)
        return complain(EXIT_MACHINE, say(g->inv, W_gwc_address_already_use_process), text, (long)pid, name);
    return complain(EXIT_MACHINE, say(g->inv, W_gwc_address_already_use_another), text);
}

static int try_inet(const char *host, unsigned port)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    char inner[256];
    bool is6 = *host == '[';
    (void)snprintf(inner, sizeof inner, "%.*s", is6 ? (int)strlen(host) - 2 : 255, is6 ? host + 1 : host);
    if (is6)
        (void)inet_pton(AF_INET6, inner, &v6.sin6_addr);
    else if (strcmp(host, "*") != 0)
        (void)inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &v4.sin_addr);
    int fd = odp_listen_at(is6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4,
                           is6 ? sizeof v6 : sizeof v4);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

int nginx_check_ports(const struct gateway *g)
{
    const struct option_list *l = &g->inv->serve.listen;
    for (size_t i = 0; i < (l->n > 0 ? l->n : 1); i++) {
        const char *text = l->n > 0 ? l->item[i] : "127.0.0.1:8080", *path;
        char host[256];
        unsigned port;
        if (!value_address(text, host, &port, &path))
            continue;
        int e = path != NULL ? odp_socket_clear(path) : try_inet(host, port);
        if (e != 0)
            return complain_address(g, text, path != NULL ? 0 : port, e);
    }
    return EXIT_CLEAN;
}
