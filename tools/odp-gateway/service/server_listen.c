#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/server_internal.h"

enum { BACKLOG = 1024 };

static enum odp_status refuse(char why[ODP_WHY], const char *what, const char *name, int errnum)
{
    char reason[128] = "";
    const char *text = errnum != 0 ? strerror_r(errnum, reason, sizeof reason) : NULL;
    (void)snprintf(why, ODP_WHY, "%s %.300s%s%s", what, name, text != NULL ? ": " : "", odp_or_empty(text));
    return ODP_BAD;
}

/* A socket nobody listens on is what a killed service leaves; anything else is not ours to remove. */
static enum odp_status clear_stale(const struct sockaddr_un *sa, char why[ODP_WHY])
{
    struct stat st;
    if (lstat(sa->sun_path, &st) != 0)
        return errno == ENOENT ? ODP_OK : refuse(why, "cannot look at", sa->sun_path, errno);
    if (!S_ISSOCK(st.st_mode))
        return refuse(why, "there is something that is not a socket at", sa->sun_path, 0);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return refuse(why, "cannot make a socket for", sa->sun_path, errno);
    int e = connect(fd, (const struct sockaddr *)sa, sizeof *sa) == 0 ? 0 : errno;
    close(fd);
    if (e == 0 || e == EAGAIN)
        return refuse(why, "another process listens at", sa->sun_path, 0);
    if (unlink(sa->sun_path) != 0 && errno != ENOENT)
        return refuse(why, "cannot remove the old socket", sa->sun_path, errno);
    return ODP_OK;
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
    if (clear_stale(&sa, why) != ODP_OK)
        return ODP_BAD;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return refuse(why, "cannot make a socket for", path, errno);
    /* The socket's own mode limits that of its name from the first moment; chmod then gives what the umask
     * took. */
    if (fchmod(fd, mode & 0600) != 0 || bind(fd, (const struct sockaddr *)&sa, sizeof sa) != 0 ||
        chmod(path, mode) != 0 || listen(fd, BACKLOG) != 0) {
        int e = errno;
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

static bool is_loopback(const struct sockaddr *sa)
{
    if (sa->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, sa, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    struct sockaddr_in6 in6;
    memcpy(&in6, sa, sizeof in6);
    return sa->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

static int bind_one(const struct addrinfo *ai)
{
    int on = 1;
    int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (ai->ai_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
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
    if (loopback && !is_loopback(list->ai_addr))
        st = refuse(why,
                    "forward-auth listens on a loopback address only (127.0.0.1:PORT, [::1]:PORT), not on",
                    address, 0);
    else if ((*out = bind_one(list)) < 0)
        st = refuse(why, "cannot listen at", address, errno);
    freeaddrinfo(list);
    return st;
}
