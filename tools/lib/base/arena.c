/* Blocks are chained through `head` (in use) and `spare` (kept by reset) and double in size from 16 KiB to 1
 * MiB. A request too large to start a new block for gets a block of its own after the head, so that the
 * head's rest is not lost. Under AddressSanitizer reset frees, so that a use after reset is caught. */
#include "base/arena.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ALIGN         16u
#define FIRST_BLOCK   ((size_t)16 << 10)
#define LARGEST_BLOCK ((size_t)1 << 20)

#if defined(__SANITIZE_ADDRESS__)
#define RESET_FREES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RESET_FREES 1
#endif
#endif
#ifndef RESET_FREES
#define RESET_FREES 0
#endif

struct odp_arena_block {
    struct odp_arena_block *next;
    size_t size, used;
    _Alignas(ALIGN) char bytes[];
};

/* ---- the reserve: pages that cost nothing until memory is refused ---- */

static struct {
    pthread_mutex_t lock;
    size_t used, pieces; /* bytes handed out; pieces that have not come back */
} reserve = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Alignas(ALIGN) char reserve_bytes[ODP_ARENA_RESERVE];

void *odp_reserve_alloc(size_t size)
{
    size_t n = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    (void)odp_failure_memory();
    pthread_mutex_lock(&reserve.lock);
    if (size > ODP_ARENA_RESERVE || n > ODP_ARENA_RESERVE - reserve.used)
        odp_failure_end("allocate memory");
    void *p = reserve_bytes + reserve.used;
    reserve.used += n;
    reserve.pieces++;
    pthread_mutex_unlock(&reserve.lock);
    return p;
}

bool odp_reserve_free(const void *p)
{
    uintptr_t at = (uintptr_t)p, first = (uintptr_t)reserve_bytes;
    if (at < first || at >= first + ODP_ARENA_RESERVE)
        return false;
    pthread_mutex_lock(&reserve.lock);
    if (--reserve.pieces == 0)
        reserve.used = 0;
    pthread_mutex_unlock(&reserve.lock);
    return true;
}

/* ---- blocks ---- */

static void free_chain(struct odp_arena_block *b)
{
    while (b != NULL) {
        struct odp_arena_block *next = b->next;
        if (!odp_reserve_free(b))
            free(b);
        b = next;
    }
}

void odp_arena_init(struct odp_arena *a)
{
    a->head = a->spare = NULL;
    a->failed = false;
}

enum odp_status odp_arena_status(const struct odp_arena *a)
{
    return a->failed ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_arena_status_of_all(void)
{
    pthread_mutex_lock(&reserve.lock);
    bool in_use = reserve.pieces != 0;
    pthread_mutex_unlock(&reserve.lock);
    return in_use ? odp_failure_memory() : ODP_OK;
}

void odp_arena_release(struct odp_arena *a)
{
    free_chain(a->head);
    free_chain(a->spare);
    odp_arena_init(a);
}

void odp_arena_reset(struct odp_arena *a)
{
    if (RESET_FREES) {
        bool failed = a->failed;
        odp_arena_release(a);
        a->failed = failed;
        return;
    }
    while (a->head != NULL) {
        struct odp_arena_block *b = a->head;
        a->head = b->next;
        b->used = 0;
        b->next = a->spare;
        a->spare = b;
    }
}

/* A block with room for SIZE bytes, from the spare ones or new. */
static struct odp_arena_block *get_block(struct odp_arena *a, size_t size)
{
    for (struct odp_arena_block **p = &a->spare; *p != NULL; p = &(*p)->next) {
        struct odp_arena_block *b = *p;
        if (b->size >= size) {
            *p = b->next;
            return b;
        }
    }
    size_t want = FIRST_BLOCK;
    if (a->head != NULL && a->head->size >= want)
        want = a->head->size < LARGEST_BLOCK / 2 ? a->head->size * 2 : LARGEST_BLOCK;
    if (want < size)
        want = size;
    struct odp_arena_block *b = malloc(sizeof *b + want);
    if (b == NULL) {
        want = size < FIRST_BLOCK ? FIRST_BLOCK : size;
        b = odp_reserve_alloc(sizeof *b + want);
        a->failed = true;
    }
    b->next = NULL;
    b->size = want;
    b->used = 0;
    return b;
}

void *odp_arena_alloc(struct odp_arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        odp_failure_end("allocate memory");
    size_t n = size == 0 ? ALIGN : (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct odp_arena_block *b = a->head;
    if (b == NULL || b->size - b->used < n) {
        b = get_block(a, n);
        if (a->head != NULL && n > a->head->size / 2) {
            b->next = a->head->next;
            a->head->next = b;
        } else {
            b->next = a->head;
            a->head = b;
        }
    }
    void *p = b->bytes + b->used;
    b->used += n;
    return p;
}

void *odp_arena_array(struct odp_arena *a, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        bytes = SIZE_MAX; /* refused by alloc */
    return odp_arena_alloc(a, bytes);
}

void *odp_arena_zero(struct odp_arena *a, size_t n, size_t size)
{
    return memset(odp_arena_array(a, n, size), 0, n * size);
}

void *odp_arena_more(struct odp_arena *a, void *items, size_t n, size_t size)
{
    enum {
        FIRST = 16
    }; /* then twice as many whenever all are taken: what there is room for follows from N */
    if (n % FIRST != 0 || (n & (n - 1)) != 0)
        return items;
    void *more = odp_arena_array(a, n == 0 ? FIRST : 2 * n, size);
    return n > 0 ? memcpy(more, items, n * size) : more;
}

struct odp_slice odp_arena_copy(struct odp_arena *a, struct odp_slice s)
{
    char *p = odp_arena_alloc(a, s.len + 1);
    if (s.len != 0)
        memcpy(p, s.ptr, s.len);
    p[s.len] = '\0';
    return (struct odp_slice){p, s.len};
}

char *odp_arena_str(struct odp_arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(odp_arena_alloc(a, n), s, n);
}

char *odp_arena_printf(struct odp_arena *a, const char *fmt, ...)
{
    char text[256]; /* most are shorter: only others are formatted twice */
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(text, sizeof text, fmt, args);
    if (n < 0) /* 2 GiB, or memory refused to the C library */
        odp_failure_end("format text");
    char *p = odp_arena_alloc(a, (size_t)n + 1);
    if ((size_t)n < sizeof text)
        memcpy(p, text, (size_t)n + 1);
    else
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return p;
}

void *odp_realloc_array(void *p, size_t n, size_t size)
{
    size_t bytes;
    void *q = NULL;
    if (!__builtin_mul_overflow(n, size, &bytes))
        q = realloc(p, bytes != 0 ? bytes : 1);
    if (q == NULL)
        (void)odp_failure_memory();
    return q;
}

struct odp_slice odp_arena_number(struct odp_arena *a, uint64_t v)
{
    return odp_slice_of(odp_arena_printf(a, "%llu", (unsigned long long)v));
}
