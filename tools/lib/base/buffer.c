/* Growable bytes; see buffer.h. Capacity doubles; odp_failure_set records the memory failure, `failed` keeps
 * it local. */
#include "base/buffer.h"

#include "base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_CAP 256u

void odp_buffer_init(struct odp_buffer *b)
{
    *b = (struct odp_buffer){0};
}

void odp_buffer_release(struct odp_buffer *b)
{
    free(b->ptr);
    odp_buffer_init(b);
}

void odp_buffer_clear(struct odp_buffer *b)
{
    b->len = 0;
}

void odp_buffer_reset(struct odp_buffer *b)
{
    b->len = 0;
    b->failed = false;
}

void odp_buffer_next(struct odp_buffer *b, bool *failed)
{
    *failed = *failed || b->failed;
    odp_buffer_clear(b);
}

bool odp_buffer_grow(struct odp_buffer *b, size_t n)
{
    size_t need;
    if (b->failed)
        return false;
    b->failed = true; /* until it has grown */
    if (__builtin_add_overflow(b->len, n, &need)) {
        (void)odp_failure_memory();
        return false;
    }
    size_t cap = b->cap != 0 ? b->cap : FIRST_CAP;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    char *p = realloc(b->ptr, cap);
    if (p == NULL) {
        (void)odp_failure_memory();
        return false;
    }
    b->ptr = p;
    b->cap = cap;
    b->failed = false;
    return true;
}

void odp_buffer_add_u64(struct odp_buffer *b, uint64_t v)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v != 0);
    odp_buffer_add(b, digits + at, sizeof digits - at);
}

/* Formats into the room that there is; only a text that is longer is formatted twice. */
void odp_buffer_printf(struct odp_buffer *b, const char *fmt, ...)
{
    va_list args, again;
    const size_t room = b->failed || b->ptr == NULL ? 0 : b->cap - b->len;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(room > 0 ? b->ptr + b->len : NULL, room, fmt, args);
    if (n < 0) {
        (void)odp_failure_set("format text", NULL, errno);
        b->failed = true;
    } else {
        char *p = odp_buffer_reserve(b, (size_t)n + 1); /* vsnprintf writes a terminator */
        if (p != NULL && (size_t)n >= room)
            vsnprintf(p, (size_t)n + 1, fmt, again);
        b->len += p != NULL ? (size_t)n : 0;
    }
    va_end(again);
    va_end(args);
}

const char *odp_buffer_cstr(struct odp_buffer *b)
{
    char *p = odp_buffer_reserve(b, 1);
    if (p == NULL)
        return "";
    *p = '\0';
    return b->ptr;
}

enum odp_status odp_buffer_status(const struct odp_buffer *b)
{
    return b->failed ? ODP_FAIL : ODP_OK;
}

char *odp_buffer_keep(struct odp_buffer *b, struct odp_arena *a)
{
    char *text = odp_arena_str(a, odp_buffer_cstr(b));
    a->failed = a->failed || b->failed;
    odp_buffer_release(b);
    return text;
}
