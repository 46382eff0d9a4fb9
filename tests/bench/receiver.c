/* A receiver of webhooks for benchmarks: answers every POST with 204 and every challenge with itself, and
 * remembers which message came when. One thread, epoll, keep-alive.
 *
 *   receiver PORT      listens on 0.0.0.0:PORT; commands on standard input, answers on standard output:
 *     count            how many messages there are, challenges not counted
 *     dump             a line "<webhook-id> <path> <Unix nanoseconds>" each, then "end"
 *     clear            forgets them */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 65536, CONNECTIONS = 65536, MESSAGES = 1 << 20 };

struct connection {
    size_t n;
    char bytes[ROOM];
};
struct message {
    char id[40], path[40];
    long long at;
};

static struct connection *connections[CONNECTIONS];
static struct message *messages;
static size_t nmessages;

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const char *header(const char *head, const char *end, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = head; p != NULL && p < end; p = memchr(p, '\n', (size_t)(end - p))) {
        p += *p == '\n';
        if (p + n < end && strncasecmp(p, name, n) == 0 && p[n] == ':')
            return p + n + 1 + strspn(p + n + 1, " ");
    }
    return NULL;
}

static void copy(char out[40], const char *from)
{
    size_t n = from != NULL ? strcspn(from, " \r\n") : 0;
    n = n < 39 ? n : 39;
    memcpy(out, from != NULL ? from : "", n);
    out[n] = '\0';
}

static void answer(int fd, const char *head, const char *end, const char *body)
{
    static const char mark[] = "\"challenge\":\"";
    char text[256];
    const char *challenge = strstr(body, "\"webhook.challenge\"") != NULL ? strstr(body, mark) : NULL;
    int n = snprintf(text, sizeof text, "HTTP/1.1 204 No Content\r\n\r\n");
    if (challenge != NULL) {
        challenge += sizeof mark - 1;
        size_t len = strcspn(challenge, "\"");
        n = snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%.*s", len, (int)len,
                     challenge);
    } else if (nmessages < MESSAGES) {
        struct message *m = &messages[nmessages++];
        m->at = now_ns();
        copy(m->id, header(head, end, "webhook-id"));
        copy(m->path, head + strcspn(head, " ") + 1);
    }
    if (write(fd, text, (size_t)n) != n)
        fprintf(stderr, "receiver: a short write\n");
}

/* False: the connection is at its end. */
static int serve(int fd)
{
    struct connection *c = connections[fd];
    ssize_t got = read(fd, c->bytes + c->n, ROOM - 1 - c->n);
    if (got <= 0)
        return 0;
    c->n += (size_t)got;
    c->bytes[c->n] = '\0';
    for (;;) {
        char *end = strstr(c->bytes, "\r\n\r\n");
        if (end == NULL)
            return c->n < ROOM - 1;
        const char *length = header(c->bytes, end, "content-length");
        size_t head = (size_t)(end + 4 - c->bytes), body = length != NULL ? strtoull(length, NULL, 10) : 0;
        if (c->n < head + body)
            return head + body < ROOM - 1;
        char next = c->bytes[head + body];
        c->bytes[head + body] = '\0';
        answer(fd, c->bytes, end, end + 4);
        c->bytes[head + body] = next;
        c->n -= head + body;
        memmove(c->bytes, c->bytes + head + body, c->n + 1);
    }
}

static int command(void)
{
    char line[64];
    if (fgets(line, sizeof line, stdin) == NULL)
        return 0;
    if (strcmp(line, "count\n") == 0)
        printf("%zu\n", nmessages);
    for (size_t i = 0; i < nmessages && strcmp(line, "dump\n") == 0; i++)
        printf("%s %s %lld\n", messages[i].id, messages[i].path, messages[i].at);
    if (strcmp(line, "dump\n") == 0)
        printf("end\n");
    if (strcmp(line, "clear\n") == 0)
        nmessages = 0;
    fflush(stdout);
    return 1;
}

int main(int argc, char **argv)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 0))};
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, in = {.events = EPOLLIN, .data.fd = 0},
                       found[256];
    messages = calloc(MESSAGES, sizeof *messages);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (messages == NULL || bind(listener, (struct sockaddr *)&a, sizeof a) != 0 ||
        listen(listener, 4096) != 0)
        return 1;
    setvbuf(stdin, NULL, _IONBF, 0);
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &e);
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &in);
    for (;;) {
        int n = epoll_wait(poll, found, 256, -1);
        for (int i = 0; i < n; i++) {
            int fd = found[i].data.fd;
            if (fd == 0) {
                if (!command())
                    return 0;
            } else if (fd == listener) {
                int one = accept(listener, NULL, NULL);
                if (one < 0 || one >= CONNECTIONS)
                    continue;
                connections[one] = calloc(1, sizeof **connections);
                setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                epoll_ctl(poll, EPOLL_CTL_ADD, one, &(struct epoll_event){.events = EPOLLIN, .data.fd = one});
            } else if (connections[fd] == NULL || !serve(fd)) {
                close(fd);
                free(connections[fd]);
                connections[fd] = NULL;
            }
        }
    }
}
