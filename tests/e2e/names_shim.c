/* Preloaded into a gateway by webhook_names.py: a DNS and a network of the test's own, and a record of what
 * was asked and who was called.
 *
 * The file ODP_NAMES is read at every question; the test replaces it as a whole (by rename). One statement a
 * line:
 *
 *   generation N             answers are counted from the first anew where N is another than before
 *   NAME ADDRESS,ADDRESS,…   what a question for NAME is answered. Several lines of a name: the first
 *                            question, the second …, the last for all that follow. "-": there is no such
 *                            name; "later": it cannot be asked now
 *   to ADDRESS ADDRESS       who connects to the first reaches the second, which is of IPv4
 *
 * A name that has no line does not exist: nobody outside of the machine is asked. Addresses in digits and
 * "localhost" are left to the C library. A connection to what is neither loopback nor has a "to" fails with
 * ENETUNREACH: nothing leaves the machine.
 *
 * What happened is appended to the file ODP_NAMES_LOG, in order: "name NAME ANSWER", "connect ADDRESS PORT"
 * (as the program named it). */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NAMES = 256, TEXT = 65536 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[TEXT];
static struct {
    char name[256];
    long asked;
} names[NAMES];
static size_t nnames;
static long generation = -1;
static const char *names_path, *log_path; /* of the start: nginx clears the environment of its workers */

static int (*real_getaddrinfo)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
static void (*real_freeaddrinfo)(struct addrinfo *);
static int (*real_connect)(int, const struct sockaddr *, socklen_t);

__attribute__((constructor)) static void start(void)
{
    names_path = getenv("ODP_NAMES");
    log_path = getenv("ODP_NAMES_LOG");
    *(void **)&real_getaddrinfo = dlsym(RTLD_NEXT, "getaddrinfo");
    *(void **)&real_freeaddrinfo = dlsym(RTLD_NEXT, "freeaddrinfo");
    *(void **)&real_connect = dlsym(RTLD_NEXT, "connect");
}

static void record(const char *what, const char *which, const char *more)
{
    char line[TEXT / 16];
    int n = snprintf(line, sizeof line, "%s %s %s\n", what, which, more);
    int fd = log_path != NULL && n > 0 && (size_t)n < sizeof line
                 ? open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)
                 : -1;
    if (fd < 0 || write(fd, line, (size_t)n) != n)
        abort(); /* a record with gaps would prove nothing */
    close(fd);
}

/* The file into TEXT, under the lock. */
static void load(void)
{
    int fd = names_path != NULL ? open(names_path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    long now = 0;
    if (sscanf(text, "generation %ld", &now) == 1 && now != generation) {
        generation = now;
        nnames = 0;
    }
}

/* How often NAME was asked for before in this generation; counts this time. */
static long count(const char *name)
{
    size_t i = 0;
    while (i < nnames && strcmp(names[i].name, name) != 0)
        i++;
    if (i == nnames) {
        if (nnames == NAMES || strlen(name) >= sizeof names[i].name)
            abort();
        (void)snprintf(names[i].name, sizeof names[i].name, "%s", name);
        names[i].asked = 0;
        nnames++;
    }
    return names[i].asked++;
}

/* Copies the rest of HEAD's ASKED-th line of TEXT (of its last line, if there are fewer) into OUT; 0: no such
 * line. */
static int line_of(const char *head, long asked, char *out, size_t size)
{
    size_t n = strlen(head);
    int found = 0;
    for (const char *at = text; *at != '\0' && asked >= 0;) {
        size_t len = strcspn(at, "\n");
        if (len > n && strncmp(at, head, n) == 0 && at[n] == ' ' && len - n - 1 < size) {
            memcpy(out, at + n + 1, len - n - 1);
            out[len - n - 1] = '\0';
            found = 1;
            asked--;
        }
        at += len + (at[len] == '\n');
    }
    return found;
}

/* ---- names ---- */

struct answer { /* one block, freed by its first member */
    struct addrinfo info;
    struct sockaddr_storage address;
};
static const char ours[] = "names_shim"; /* ai_canonname of ours, so that freeaddrinfo knows them */

static int add(struct addrinfo **end, const char *address, const char *service, const struct addrinfo *hints)
{
    struct answer *a = calloc(1, sizeof *a);
    char plain[INET6_ADDRSTRLEN];
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    size_t n = strcspn(address, "%");
    v4.sin_port = v6.sin6_port = htons((uint16_t)(service != NULL ? atoi(service) : 0));
    if (a == NULL || n >= sizeof plain)
        abort();
    memcpy(plain, address, n);
    plain[n] = '\0';
    if (address[n] == '%')
        v6.sin6_scope_id = (uint32_t)strtoul(address + n + 1, NULL, 10);
    if (inet_pton(AF_INET, plain, &v4.sin_addr) == 1) {
        memcpy(&a->address, &v4, sizeof v4);
        a->info.ai_addrlen = sizeof v4;
    } else if (inet_pton(AF_INET6, plain, &v6.sin6_addr) == 1) {
        memcpy(&a->address, &v6, sizeof v6);
        a->info.ai_addrlen = sizeof v6;
    } else {
        abort();
    }
    a->info.ai_family = a->address.ss_family;
    a->info.ai_socktype = hints != NULL && hints->ai_socktype != 0 ? hints->ai_socktype : SOCK_STREAM;
    a->info.ai_addr = (struct sockaddr *)&a->address;
    a->info.ai_canonname = (char *)(void *)(size_t)ours;
    if (hints != NULL && hints->ai_family != AF_UNSPEC && hints->ai_family != a->info.ai_family) {
        free(a);
        return 0;
    }
    *end = &a->info;
    return 1;
}

static int numeric(const char *name)
{
    char bytes[16];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out)
{
    char answer[TEXT / 16 - 512] = "-", *rest = answer;
    if (name == NULL || numeric(name) || strcmp(name, "localhost") == 0 ||
        (hints != NULL && (hints->ai_flags & AI_NUMERICHOST) != 0))
        return real_getaddrinfo(name, service, hints, out);
    pthread_mutex_lock(&lock);
    load();
    (void)line_of(name, count(name), answer, sizeof answer);
    record("name", name, answer);
    pthread_mutex_unlock(&lock);
    if (strcmp(answer, "-") == 0)
        return EAI_NONAME;
    if (strcmp(answer, "later") == 0)
        return EAI_AGAIN;
    struct addrinfo **end = out;
    *out = NULL;
    for (char *one = strtok_r(answer, ",", &rest); one != NULL; one = strtok_r(NULL, ",", &rest))
        if (add(end, one, service, hints))
            end = &(*end)->ai_next;
    return *out != NULL ? 0 : EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *list)
{
    if (list != NULL && list->ai_canonname != ours) {
        real_freeaddrinfo(list);
        return;
    }
    while (list != NULL) {
        struct addrinfo *next = list->ai_next;
        free(list); /* the answer it is the first member of */
        list = next;
    }
}

/* ---- connections ---- */

static int is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

/* ADDRESS, of IPv4, as the family of TO says; an IPv6 socket reaches it in its mapped form. */
static socklen_t lead(struct sockaddr_storage *to, const char *address)
{
    char mapped[INET6_ADDRSTRLEN + 8];
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    memcpy(&v4, to, sizeof v4);
    memcpy(&v6, to, sizeof v6);
    (void)snprintf(mapped, sizeof mapped, "::ffff:%s", address);
    if (inet_pton(AF_INET, address, &v4.sin_addr) != 1 || inet_pton(AF_INET6, mapped, &v6.sin6_addr) != 1)
        abort();
    if (to->ss_family == AF_INET)
        memcpy(to, &v4, sizeof v4);
    else
        memcpy(to, &v6, sizeof v6);
    return to->ss_family == AF_INET ? sizeof v4 : sizeof v6;
}

int connect(int fd, const struct sockaddr *address, socklen_t len)
{
    char shown[INET6_ADDRSTRLEN], head[INET6_ADDRSTRLEN + 8], port[8], other[INET_ADDRSTRLEN];
    struct sockaddr_storage to = {0};
    if (address == NULL || (address->sa_family != AF_INET && address->sa_family != AF_INET6) ||
        len > sizeof to)
        return real_connect(fd, address, len);
    memcpy(&to, address, len);
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&to;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&to;
    const void *bytes = to.ss_family == AF_INET ? (const void *)&v4->sin_addr : (const void *)&v6->sin6_addr;
    if (inet_ntop(to.ss_family, bytes, shown, sizeof shown) == NULL)
        abort();
    (void)snprintf(port, sizeof port, "%u", ntohs(to.ss_family == AF_INET ? v4->sin_port : v6->sin6_port));
    (void)snprintf(head, sizeof head, "to %s", shown);
    pthread_mutex_lock(&lock);
    load();
    int led = line_of(head, 0, other, sizeof other);
    record("connect", shown, port);
    pthread_mutex_unlock(&lock);
    if (led)
        len = lead(&to, other);
    if (led || is_loopback((const struct sockaddr *)&to))
        return real_connect(fd, (const struct sockaddr *)&to, len);
    errno = ENETUNREACH;
    return -1;
}
