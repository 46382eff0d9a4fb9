/* The machine's resolver, replaced in a test's program: libcurl calls the getaddrinfo that the program has.
 * A test's main sets names_look_up, which says what a name leads to. Texts that are no address are addresses
 * of no family of the internet. Weak: several files of a program include this. */
#pragma once

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

/* At most CAP addresses of HOST as texts; returns how many (0: there are none), or a negative EAI_…. */
__attribute__((weak)) int (*names_look_up)(const char *host, const char **out, int cap);

struct names_found {
    struct addrinfo info;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
};

static struct addrinfo *names_add(struct addrinfo *list, const char *text, const char *service, int family)
{
    struct names_found *f = calloc(1, sizeof *f);
    if (f == NULL)
        return list;
    f->info = (struct addrinfo){.ai_socktype = SOCK_STREAM, .ai_addr = &f->address.any, .ai_next = list};
    in_port_t port = htons((uint16_t)(service != NULL ? atoi(service) : 0));
    if (inet_pton(AF_INET, text, &f->address.v4.sin_addr) == 1) {
        f->address.v4.sin_family = AF_INET;
        f->address.v4.sin_port = port;
        f->info.ai_addrlen = sizeof f->address.v4;
    } else if (inet_pton(AF_INET6, text, &f->address.v6.sin6_addr) == 1) {
        f->address.v6.sin6_family = AF_INET6;
        f->address.v6.sin6_port = port;
        f->info.ai_addrlen = sizeof f->address.v6;
    }
    f->info.ai_family = f->address.any.sa_family;
    if (f->info.ai_family != AF_UNSPEC && (family == AF_UNSPEC || family == f->info.ai_family))
        return &f->info;
    free(f);
    return list;
}

__attribute__((weak)) int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                                      struct addrinfo **out)
{
    const char *texts[512];
    int n = names_look_up(host, texts, 512);
    *out = NULL;
    for (int i = n; i-- > 0;)
        *out = names_add(*out, texts[i], service, hints != NULL ? hints->ai_family : AF_UNSPEC);
    return n < 0 ? n : *out == NULL ? EAI_NONAME : 0;
}

__attribute__((weak)) void freeaddrinfo(struct addrinfo *list)
{
    while (list != NULL) {
        struct addrinfo *next = list->ai_next;
        free(list); /* the first member of a struct names_found */
        list = next;
    }
}
