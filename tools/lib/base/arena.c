/* Blocks are chained through `head` (in use) and `spare` (kept by reset) and double in size from 16 KiB to 1 MiB. A request
 * larger than what is worth starting a new block for gets a block of its own behind the head, so that the head's rest is not
 * lost. Under AddressSanitizer reset frees, so that a use after reset is caught. */
#include "base/arena.h"

#include <errno.h>
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

static void free_chain(struct odp_arena_block *b)
{
    while (b != NULL) {
        struct odp_arena_block *next = b->next;
        free(b);
        b = next;
    }
}

void odp_arena_init(struct odp_arena *a)
{
    a->head = a->spare = NULL;
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
        odp_arena_release(a);
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

/* A block with room for SIZE bytes, from the spare ones or new; NULL without memory. */
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
    struct odp_arena_block *b = want < SIZE_MAX - sizeof *b ? malloc(sizeof *b + want) : NULL;
    if (b == NULL) {
        (void)odp_failure_set("allocate memory", NULL, ENOMEM);
        return NULL;
    }
    b->next = NULL;
    b->size = want;
    b->used = 0;
    return b;
}

void *odp_arena_alloc(struct odp_arena *a, size_t size)
{
    if (size > SIZE_MAX - 2 * ALIGN) {
        (void)odp_failure_set("allocate memory", NULL, ENOMEM);
        return NULL;
    }
    size_t n = size == 0 ? ALIGN : (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    struct odp_arena_block *b = a->head;
    if (b == NULL || b->size - b->used < n) {
        b = get_block(a, n);
        if (b == NULL)
            return NULL;
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
        bytes = SIZE_MAX; /* refused and recorded by alloc */
    return odp_arena_alloc(a, bytes);
}

void *odp_arena_zero(struct odp_arena *a, size_t n, size_t size)
{
    void *p = odp_arena_array(a, n, size);
    if (p != NULL)
        memset(p, 0, n * size);
    return p;
}

struct odp_slice odp_arena_copy(struct odp_arena *a, struct odp_slice s)
{
    char *p = s.len < SIZE_MAX ? odp_arena_alloc(a, s.len + 1) : NULL;
    if (p == NULL)
        return (struct odp_slice){NULL, 0};
    if (s.len != 0)
        memcpy(p, s.ptr, s.len);
    p[s.len] = '\0';
    return (struct odp_slice){p, s.len};
}

char *odp_arena_str(struct odp_arena *a, const char *s)
{
    size_t n = strlen(s) + 1;
    char *p = odp_arena_alloc(a, n);
    if (p != NULL)
        memcpy(p, s, n);
    return p;
}

char *odp_arena_printf(struct odp_arena *a, const char *fmt, ...)
{
    va_list args, again;
    char *p = NULL;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n < 0)
        (void)odp_failure_set("format text", NULL, errno);
    else
        p = odp_arena_alloc(a, (size_t)n + 1);
    if (p != NULL)
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
        (void)odp_failure_set("allocate memory", NULL, ENOMEM);
    return q;
}
