/* Short texts copied into room that is there. A cell has some ten bytes, so a call of memcpy costs more than
 * the copy; and what must be known of its bytes (is there one to escape, to quote?) is asked while they are
 * in a register.
 *
 * Vectors are the compiler's own (16 bytes: SSE2, NEON, or plain words), so there is one form for every
 * machine. Not a byte is read beyond the text, and none is written beyond where it ends, but for
 * odp_put_padded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/slice.h"

typedef uint8_t odp_bytes16 __attribute__((vector_size(16)));
typedef uint64_t odp_words2 __attribute__((vector_size(16)));

#define ODP_EVERY16(c) ((odp_bytes16){c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c})

static inline odp_bytes16 odp_load16(const char *p)
{
    odp_bytes16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Whether any byte of V is not 0. */
static inline bool odp_any16(odp_bytes16 v)
{
    odp_words2 w = (odp_words2)v;
    return (w[0] | w[1]) != 0;
}

/* Copies S; returns where it ends. */
static inline char *odp_put(char *w, struct odp_slice s)
{
    const char *p = s.ptr;
    size_t n = s.len;
    if (n >= 16) {
        for (size_t i = 0; i + 16 < n; i += 16)
            memcpy(w + i, p + i, 16);
        memcpy(w + n - 16, p + n - 16, 16);
    } else if (n >= 8) {
        memcpy(w, p, 8);
        memcpy(w + n - 8, p + n - 8, 8);
    } else if (n >= 4) {
        memcpy(w, p, 4);
        memcpy(w + n - 4, p + n - 4, 4);
    } else if (n > 0) {
        w[0] = p[0];
        w[n / 2] = p[n / 2];
        w[n - 1] = p[n - 1];
    }
    return w + n;
}

static inline uint64_t odp_load8(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

/* Copies S, and adds to *SEEN what LOOK finds in its bytes, 16 at a time: not 0 where one of them is looked
 * for. Where S has fewer, some are looked at twice, or a blank in their stead. (Inlined: LOOK is known where
 * this is called.) */
static inline __attribute__((always_inline)) char *
odp_put_seen(char *w, struct odp_slice s, odp_bytes16 *seen, odp_bytes16 (*look)(odp_bytes16))
{
    const char *p = s.ptr;
    size_t n = s.len;
    odp_bytes16 v;
    if (n >= 16) {
        for (size_t i = 0; i + 16 < n; i += 16) {
            v = odp_load16(p + i);
            memcpy(w + i, &v, 16);
            *seen |= look(v);
        }
        v = odp_load16(p + n - 16);
        memcpy(w + n - 16, &v, 16);
    } else if (n >= 8) {
        uint64_t first = odp_load8(p), last = odp_load8(p + n - 8);
        memcpy(w, &first, 8);
        memcpy(w + n - 8, &last, 8);
        v = (odp_bytes16)(odp_words2){first, last};
    } else if (n >= 4) {
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        memcpy(w, &first, 4);
        memcpy(w + n - 4, &last, 4);
        uint64_t both = first | (uint64_t)last << 32;
        v = (odp_bytes16)(odp_words2){both, both};
    } else if (n > 0) {
        uint64_t all = 0x2020202020000000u | (uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << 8 |
                       (uint64_t)(uint8_t)p[n - 1] << 16;
        w[0] = p[0];
        w[n / 2] = p[n / 2];
        w[n - 1] = p[n - 1];
        v = (odp_bytes16)(odp_words2){all, all};
    } else {
        return w;
    }
    *seen |= look(v);
    return w + n;
}

/* For odp_put_seen: bytes that a JSON string must escape: control characters, '"', '\\', DEL, and 0xE2, which
 * may begin U+2028. */
static inline odp_bytes16 odp_look_json(odp_bytes16 v)
{
    return (odp_bytes16)((v < ODP_EVERY16(0x20)) | (v == ODP_EVERY16('"')) | (v == ODP_EVERY16('\\')) |
                         (v == ODP_EVERY16(0x7f)) | (v == ODP_EVERY16(0xe2)));
}

/* Text of which cells are parts: within it 16 bytes can be read at a time, and neither copying nor looking
 * depends on how long a cell is, which a processor cannot foresee. (`export` to JSON and CSV takes 2 % less
 * CPU, `check` of rows without a key 3.) */
struct odp_around {
    uintptr_t ptr;
    size_t starts; /* bytes of it that have 15 behind them */
};

static inline struct odp_around odp_around_of(struct odp_slice text)
{
    return (struct odp_around){(uintptr_t)text.ptr, text.len > 15 ? text.len - 15 : 0};
}

/* odp_put_seen where S may be a part of AROUND and there are 16 bytes of room at W for each S, however short.
 */
static inline __attribute__((always_inline)) char *odp_put_part(char *w, struct odp_slice s,
                                                                struct odp_around around, odp_bytes16 *seen,
                                                                odp_bytes16 (*look)(odp_bytes16))
{
    static const uint8_t below[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                      255, 255, 255, 255, 255, 255, 255, 255};
    if (__builtin_expect((uintptr_t)s.ptr - around.ptr >= around.starts, 0))
        return odp_put_seen(w, s, seen, look);
    odp_bytes16 v = odp_load16(s.ptr);
    memcpy(w, &v, 16);
    if (s.len <= 16) {
        *seen |= look(v) & odp_load16((const char *)below + 16 - s.len);
        return w + s.len;
    }
    *seen |= look(v);
    return odp_put_seen(w + 16, (struct odp_slice){s.ptr + 16, s.len - 16}, seen, look);
}

static inline odp_bytes16 odp_look_nowhere(odp_bytes16 v)
{
    return v ^ v;
}

/* Copies N bytes whose memory, and the room at W, go on to a multiple of 16. */
static inline char *odp_put_padded(char *w, const char *p, size_t n)
{
    memcpy(w, p, 16);
    for (size_t i = 16; i < n; i += 16)
        memcpy(w + i, p + i, 16);
    return w + n;
}
