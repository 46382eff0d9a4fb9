/* Any bytes as a DEFLATE stream: the ends of its blocks as tools/lib/published/deflate_walk.h finds them and as zlib does, which unpacks them. For the fuzzer and for
 * unit tests; no cmocka. */
#ifndef ODP_DEFLATE_ENDS_H
#define ODP_DEFLATE_ENDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "need.h"
#include "published/deflate_walk.h"

/* DATA in memory of its own, where each byte read too far is seen, with FILL in the slack. */
static inline uint8_t *ends_copy(const void *data, size_t size, uint8_t fill)
{
    uint8_t *copy = malloc(size + ODP_DEFLATE_SLACK);
    NEED(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    memset(copy + size, fill, ODP_DEFLATE_SLACK);
    return copy;
}

/* To the next end of a block: Z_OK, Z_STREAM_END behind the last one, else an error. */
static inline int ends_inflate(z_stream *z)
{
    static uint8_t out[1 << 15];
    int result;
    do {
        z->next_out = out;
        z->avail_out = sizeof out;
        result = inflate(z, Z_BLOCK);
    } while (result == Z_OK && (z->data_type & 128) == 0);
    return result;
}

/* The blocks that both find in DATA, or abort where they differ. *WHOLE: there is a last one, too. BITS, if not NULL, gets a bit for each place in a byte where a
 * block ended. (A distance that leads before the beginning is a fault to zlib alone: what is behind it is not compared.) */
static inline size_t ends_compare(const void *data, size_t size, uint8_t fill, bool *whole, unsigned *bits)
{
    static struct odp_deflate_walk w;
    struct odp_deflate_block block;
    uint8_t *copy = ends_copy(data, size, fill);
    z_stream z = {.next_in = copy, .avail_in = (uInt)size};
    size_t n = 0;
    uint64_t at = 0;
    int result;
    *whole = false;
    NEED(inflateInit2(&z, -15) == Z_OK);
    odp_deflate_walk_init(&w, copy, size);
    while ((result = ends_inflate(&z)) == Z_OK) {
        NEED(odp_deflate_walk_next(&w, &block));
        NEED(block.begin == at && block.end == z.total_in * 8 - (z.data_type & 7) && block.is_last == ((z.data_type & 64) != 0));
        at = block.end;
        *whole = block.is_last;
        if (bits != NULL)
            *bits |= 1u << at % 8;
        n++;
    }
    if (result != Z_DATA_ERROR || z.msg == NULL || strcmp(z.msg, "invalid distance too far back") != 0)
        NEED(!odp_deflate_walk_next(&w, &block) && *whole == (result == Z_STREAM_END));
    inflateEnd(&z);
    free(copy);
    return n;
}

/* A stream that is whole, left open and followed by an empty last block, unpacks to the same bytes. Its length when open; 0: it is damaged. */
static inline size_t ends_leave_open(const void *data, size_t size, size_t most)
{
    static struct odp_deflate_walk w;
    static const uint8_t last[2] = {3, 0}; /* a static block of nothing */
    uint8_t *copy = ends_copy(data, size, 0xff), *plain = malloc(2 * most + 1);
    NEED(plain != NULL);
    size_t len = odp_deflate_leave_open(&w, copy, size);
    uLongf n[2] = {0, 0};
    for (int k = 0; k < 2 && len > 0; k++) {
        z_stream z = {.next_in = k == 0 ? (uint8_t *)(uintptr_t)data : copy, .avail_in = (uInt)(k == 0 ? size : len),
                      .next_out = plain + (k == 0 ? 0 : most), .avail_out = (uInt)(most + (size_t)k)};
        NEED(inflateInit2(&z, -15) == Z_OK);
        int result = inflate(&z, Z_NO_FLUSH);
        if (k == 1 && result == Z_OK && z.avail_out > 0) {
            NEED(z.avail_in == 0);
            z.next_in = (uint8_t *)(uintptr_t)last;
            z.avail_in = sizeof last;
            result = inflate(&z, Z_FINISH);
        }
        n[k] = result == Z_STREAM_END ? z.total_out : ULONG_MAX;
        inflateEnd(&z);
    }
    /* Larger than MOST, or a distance that leads too far: of that only the walk is tried. */
    if (len > 0 && n[0] != ULONG_MAX)
        NEED(len <= size + 5 && n[0] == n[1] && memcmp(plain, plain + most, n[0]) == 0);
    free(plain);
    free(copy);
    return len;
}

#endif
