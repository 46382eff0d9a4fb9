/* Inside of published: where the blocks of a DEFLATE stream (RFC 1951) begin and end, which libdeflate does not say of what it makes.
 * press.c joins streams by it; the walk takes a sixth of the time of compressing at level 1.
 *
 * Nothing is unpacked, and no distance is looked at: only as much is read as it takes to come to the end of each block. Any bytes may come: what no
 * decoder would take has no next block. */
#ifndef ODP_PUBLISHED_DEFLATE_WALK_H
#define ODP_PUBLISHED_DEFLATE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ODP_DEFLATE_SLACK = 16, /* so many bytes can be read behind a stream, whatever they are */
    ODP_DEFLATE_LITLENS = 288,
    ODP_DEFLATE_DISTANCES = 32,
    ODP_DEFLATE_LITLEN_BITS = 10, /* of the tables: longer codes are rare, and larger tables take longer to make */
    ODP_DEFLATE_DISTANCE_BITS = 9,
    ODP_DEFLATE_LONGEST = 15
};

/* A canonical Huffman code: how many codewords there are of each length, and its symbols in the codewords' order. */
struct odp_deflate_code {
    uint16_t count[ODP_DEFLATE_LONGEST + 1];
    uint16_t symbols[ODP_DEFLATE_LITLENS];
};

/* The caller's storage, some 6 KB; nothing in it to release. */
struct odp_deflate_walk {
    const char *bytes; /* borrowed */
    uint64_t at, end;  /* in bits */
    bool is_over;
    struct odp_deflate_code litlen, distance;
    uint16_t litlens[1 << ODP_DEFLATE_LITLEN_BITS], single[1 << ODP_DEFLATE_LITLEN_BITS]; /* by the next bits: what to do, and how far to go on */
    uint16_t distances[1 << ODP_DEFLATE_DISTANCE_BITS];
};

struct odp_deflate_block {
    uint64_t begin, end; /* the first bit, the one behind the last */
    bool is_last;
};

/* The LEN bytes at BYTES, with ODP_DEFLATE_SLACK behind them. */
void odp_deflate_walk_init(struct odp_deflate_walk *w, const void *bytes, size_t len);
/* The next block. False: there is none, behind the last one, or what is there is damaged or cut off. */
bool odp_deflate_walk_next(struct odp_deflate_walk *w, struct odp_deflate_block *block);

/* Makes of a whole stream one that goes on behind it, at a whole byte: its last block is the last no more, and behind it comes an empty block that is not
 * compressed (what zlib calls a sync flush). The new length, 5 bytes more at most (in the slack); 0: it is damaged, and left as it is. */
size_t odp_deflate_leave_open(struct odp_deflate_walk *w, void *bytes, size_t len);

#endif
