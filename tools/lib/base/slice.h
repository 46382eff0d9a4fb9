/* A slice is text that another owns: pointer and length, no terminator. Plain value, copied freely. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct odp_slice {
    const char *ptr;
    size_t len;
};

#define ODP_LIT(s)   ((struct odp_slice){"" s, sizeof(s) - 1})
#define ODP_COUNT(a) (sizeof(a) / sizeof *(a)) /* items of an array */

static inline struct odp_slice odp_slice_of(const char *s)
{
    return (struct odp_slice){s, s != NULL ? strlen(s) : 0};
}

static inline bool odp_slice_eq(struct odp_slice a, struct odp_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool odp_slice_is(struct odp_slice a, const char *s)
{
    return odp_slice_eq(a, odp_slice_of(s));
}

/* Byte order, shorter first on a common prefix: <0, 0, >0. */
static inline int odp_slice_cmp(struct odp_slice a, struct odp_slice b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n != 0 ? memcmp(a.ptr, b.ptr, n) : 0;
    return c != 0 ? c : (a.len > b.len) - (a.len < b.len);
}

/* The same text but for the case of ASCII letters. */
static inline bool odp_slice_alike(struct odp_slice a, struct odp_slice b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool odp_slice_is_nocase(struct odp_slice a, const char *s)
{
    return odp_slice_alike(a, odp_slice_of(s));
}

/* Both NULL, or the same text. */
static inline bool odp_str_eq(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* S, or "" for NULL. */
static inline const char *odp_or_empty(const char *s)
{
    return s != NULL ? s : "";
}

/* Order of C strings, for qsort and bsearch of const char *. */
static inline int odp_by_string(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The same of slices. */
static inline int odp_by_slice(const void *a, const void *b)
{
    return odp_slice_cmp(*(const struct odp_slice *)a, *(const struct odp_slice *)b);
}

/* Without ASCII spaces, tabs, CR and LF at both ends. */
static inline struct odp_slice odp_slice_trim(struct odp_slice s)
{
    while (s.len > 0 && (*s.ptr == ' ' || (*s.ptr >= '\t' && *s.ptr <= '\r')))
        s.ptr++, s.len--;
    while (s.len > 0 && (s.ptr[s.len - 1] == ' ' || (s.ptr[s.len - 1] >= '\t' && s.ptr[s.len - 1] <= '\r')))
        s.len--;
    return s;
}
