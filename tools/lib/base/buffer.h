/* Growable bytes. Appending records the first failure and turns later appends into no-ops, so a writer of
 * many small pieces checks once, with odp_buffer_status. */
#pragma once

#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"

struct odp_buffer {
    char *ptr;
    size_t len;
    size_t cap;
    bool failed;
};

void odp_buffer_init(struct odp_buffer *b);
void odp_buffer_release(struct odp_buffer *b);
/* Empties and keeps the memory. A failure stays: a writer of many texts checks once, at the end. */
void odp_buffer_clear(struct odp_buffer *b);
/* Clears and forgets a failure: for what a service keeps from one request to the next. */
void odp_buffer_reset(struct odp_buffer *b);
/* Clears for the next text of many; *FAILED becomes true where this one could not be held. */
void odp_buffer_next(struct odp_buffer *b, bool *failed);
/* The slow part of reserve: false when out of memory, and the buffer is failed. */
bool odp_buffer_grow(struct odp_buffer *b, size_t n) ODP_MUST_USE;

/* Room for N more bytes at the returned address, or NULL (and the buffer is failed). Advance b->len yourself.
 */
static inline ODP_MUST_USE char *odp_buffer_reserve(struct odp_buffer *b, size_t n)
{
    bool room = !b->failed && b->ptr != NULL && b->cap - b->len >= n;
    return room || odp_buffer_grow(b, n) ? b->ptr + b->len : NULL;
}

static inline void odp_buffer_add(struct odp_buffer *b, const void *ptr, size_t n)
{
    char *p = n != 0 ? odp_buffer_reserve(b, n) : NULL;
    if (p != NULL) {
        memcpy(p, ptr, n);
        b->len += n;
    }
}

static inline void odp_buffer_add_slice(struct odp_buffer *b, struct odp_slice s)
{
    odp_buffer_add(b, s.ptr, s.len);
}

static inline void odp_buffer_add_str(struct odp_buffer *b, const char *s)
{
    odp_buffer_add(b, s, strlen(s));
}

static inline void odp_buffer_add_char(struct odp_buffer *b, char c)
{
    char *p = odp_buffer_reserve(b, 1);
    if (p != NULL) {
        *p = c;
        b->len++;
    }
}

void odp_buffer_add_u64(struct odp_buffer *b, uint64_t v);
void odp_buffer_printf(struct odp_buffer *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A terminator after the bytes (not counted); "" if failed. Borrowed until the next change. */
const char *odp_buffer_cstr(struct odp_buffer *b);
enum odp_status odp_buffer_status(const struct odp_buffer *b) ODP_MUST_USE; /* OK or FAIL */
/* The text, in A, and releases B; where B has failed, so has A, and the text is "". */
struct odp_arena;
char *odp_buffer_keep(struct odp_buffer *b, struct odp_arena *a) ODP_MUST_USE;

static inline struct odp_slice odp_buffer_slice(const struct odp_buffer *b)
{
    return (struct odp_slice){b->ptr, b->len};
}
