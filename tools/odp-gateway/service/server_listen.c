#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/listen.h"
#include "service/server_internal.h"
#include "service/webhooks/deliver/address.h"

enum { BACKLOG = 1024 };

static enum odp_status refuse(char why[ODP_WHY], const char *what, const char *name, int errnum)
{
    char reason[128] = "";
    const char *text = errnum != 0 ? strerror_r(errnum, reason, sizeof reason) : NULL;
    (void)snprintf(why, ODP_WHY, "%s %.300s%s%s", what, name, text != NULL ? ": " : "", odp_or_empty(text));
    return ODP_BAD;
}

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
    if (strlen(path) >= sizeof sa.sun_path) {
        (void)snprintf(why, ODP_WHY,
                       "the path of a socket has at most %zu bytes; this one has %zu: %.300s. Choose a "
                       "shorter --state folder.",
                       sizeof sa.sun_path - 1, strlen(path), path);
        return ODP_BAD;
    }
    memcpy(sa.sun_path, path, strlen(path) + 1);
    int e = odp_socket_clear(path);
    if (e == EEXIST)
        return refuse(why, "there is something that is not a socket at", path, 0);
    if (e != 0)
        return refuse(why, e == EADDRINUSE ? "another process listens at" : "cannot remove what is at", path,
                      e == EADDRINUSE ? 0 : e);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return refuse(why, "cannot make a socket for", path, errno);
    /* The socket's own mode limits that of its name from the first moment; chmod then gives what the umask
     * took. */
    if (fchmod(fd, mode & 0600) != 0 || bind(fd, (const struct sockaddr *)&sa, sizeof sa) != 0 ||
        chmod(path, mode) != 0 || listen(fd, BACKLOG) != 0) {
        e = errno;
        close(fd);
        return refuse(why, "cannot listen at", path, e);
    }
    *out = fd;
    return ODP_OK;
}

static bool split(const char *address, char host[256], char port[16])
{
    const char *colon = strrchr(address, ':');
    if (colon == NULL || strlen(colon + 1) == 0 || strlen(colon + 1) > 5 ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return false;
    size_t n = (size_t)(colon - address);
    bool brackets = n >= 2 && address[0] == '[' && address[n - 1] == ']';
    if (brackets)
        address++, n -= 2;
    if (n == 0 || n > 255 || (!brackets && memchr(address, ':', n) != NULL))
        return false;
    memcpy(host, address, n);
    host[n] = '\0';
    (void)snprintf(port, 16, "%s", colon + 1);
    return true;
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
    if (!split(address, host, port))
        return refuse(why, "not an address such as 127.0.0.1:9145 or [::1]:9145:", address, 0);
    int e = getaddrinfo(host, port, &hints, &list);
    if (e != 0 || list == NULL) {
        (void)snprintf(why, ODP_WHY, "there is no address %.255s: %s", host, gai_strerror(e));
        return ODP_BAD;
    }
    enum odp_status st = ODP_OK;
    if (loopback && !odp_address_is_loopback(list->ai_addr))
        st = refuse(why,
                    "forward-auth listens on a loopback address only (127.0.0.1:PORT, [::1]:PORT), not on",
                    address, 0);
    else if ((*out = odp_listen_at(list->ai_addr, list->ai_addrlen)) < 0)
        st = refuse(why, "cannot listen at", address, errno);
    freeaddrinfo(list);
    return st;
}
