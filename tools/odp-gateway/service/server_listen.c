#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/origin.h"
#include "service/listen.h"
#include "service/server_internal.h"
#include "service/state/state_internal.h"
#include "service/webhooks/deliver/address.h"
#include "words/service.h"

enum { BACKLOG = 1024 };

int odp_socket_answers(const char *path)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    (void)snprintf(sa.sun_path, sizeof sa.sun_path, "%.107s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int e = fd >= 0 && connect(fd, (const struct sockaddr *)&sa, sizeof sa) == 0 ? 0 : errno;
    if (fd >= 0)
        close(fd);
    return e == EAGAIN ? 0 : e; /* its queue is full */
}

int odp_socket_clear(const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? 0 : errno;
    if (!S_ISSOCK(st.st_mode))
        return EEXIST;
    int e = odp_socket_answers(path);
    if (e != ECONNREFUSED && e != EACCES)
        return e == 0 ? EADDRINUSE : e;
    return unlink(path) == 0 || errno == ENOENT ? 0 : errno;
}

enum odp_status odp_listen_unix(int *out, const char *path, unsigned mode, char why[ODP_WHY])
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    *out = -1;
    if (strlen(path) >= sizeof sa.sun_path)
        return odp_state_bad(why, W_service_socket_path, sizeof sa.sun_path - 1, strlen(path), path);
    memcpy(sa.sun_path, path, strlen(path) + 1);
    int e = odp_socket_clear(path);
    if (e == EEXIST)
        return odp_state_bad(why, W_service_no_socket_there, path);
    if (e == EADDRINUSE)
        return odp_state_bad(why, W_service_other_listens, path);
    if (e != 0)
        return odp_state_bad(why, W_service_socket_stays, path, odp_state_reason(e));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return odp_state_bad(why, W_service_no_socket, path, odp_state_reason(errno));
    /* The socket's own mode limits that of its name from the first moment; chmod then gives what the umask
     * took. */
    if (fchmod(fd, mode & 0600) != 0 || bind(fd, (const struct sockaddr *)&sa, sizeof sa) != 0 ||
        chmod(path, mode) != 0 || listen(fd, BACKLOG) != 0) {
        e = errno;
        close(fd);
        return odp_state_bad(why, W_service_cannot_listen, path, odp_state_reason(e));
    }
    *out = fd;
    return ODP_OK;
}

int odp_listen_at(const struct sockaddr *address, socklen_t len)
{
    int on = 1;
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->sa_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd, address, len) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int e = errno;
    close(fd);
    errno = e;
    return -1;
}

enum odp_status odp_listen_tcp(int *out, const char *address, bool loopback, char why[ODP_WHY])
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *list = NULL;
    char host[256], port[16];
    *out = -1;
    struct odp_slice name;
    int n;
    if (!odp_host_port(odp_slice_of(address), &name, &n) || n < 0 || name.len == 0 || name.len > 255)
        return odp_state_bad(why, W_service_no_address, address);
    (void)snprintf(host, sizeof host, "%.*s", (int)name.len, name.ptr);
    (void)snprintf(port, sizeof port, "%d", n);
    int e = getaddrinfo(host, port, &hints, &list);
    if (e != 0 || list == NULL)
        return odp_state_bad(why, W_service_unknown_address, host, gai_strerror(e));
    enum odp_status st = ODP_OK;
    if (loopback && !odp_address_is_loopback(list->ai_addr))
        st = odp_state_bad(why, W_service_loopback_only, address);
    else if ((*out = odp_listen_at(list->ai_addr, list->ai_addrlen)) < 0)
        st = odp_state_bad(why, W_service_cannot_listen, address, odp_state_reason(errno));
    freeaddrinfo(list);
    return st;
}
