/* gzip and brotli of one file.
 *
 * Levels by size alone: up to 128 KiB as small as possible (deflate 9, brotli 9), up to 64 MiB middling (6,
 * 5), above as fast as possible (1, 1).
 *
 * gzip is libdeflate's, which takes half of zlib's time and wants in memory what it presses; a file above 4
 * MiB, which is not held, is zlib's. */
#include "published/press.h"

#include <brotli/encode.h>
#include <errno.h>
#include <libdeflate.h>
#include <setjmp.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    SMALL = 128 << 10,
    LARGE = 64 << 20,
    ROOM = 64 << 10,        /* of what brotli gives at once */
    BROTLI_PIECE = 1 << 20, /* at level 1 it finds again only what came in the same piece: of 64 KiB each the
                               whole would be a tenth larger */
    BROTLI_LEAST = 1 << 20, /* see brotli_new */
    BROTLI_LEAST_BITS = 19,
    KEPT = 16, /* blocks of memory that are free, at most */
    KEPT_BYTES =
        8 << 20 /* of them together: for files of some 10 MB the encoder takes ever larger ones, each once */
};

const char *const odp_encoding_names[] = {"gzip", "br"};
const char *const odp_encoding_suffixes[] = {".gz", ".br"};

/* A block of memory of the brotli encoder; the bytes follow, aligned like malloc's. */
struct block {
    size_t size;
    struct block *next, *before; /* before: of one in use */
    size_t unused;
};
_Static_assert(sizeof(struct block) % (2 * sizeof(size_t)) == 0, "the bytes are aligned");

struct odp_press {
    struct libdeflate_compressor *deflate[2]; /* for small files, for middling ones */
    struct odp_buffer in, out;
    const char *held; /* the file whose bytes IN has; borrowed, compared only */
    uint64_t held_size;
    struct block *blocks; /* free ones, the latest first */
    unsigned nblocks;
    size_t kept;         /* bytes of the free ones */
    struct block *taken; /* those the encoder has */
    jmp_buf lack;        /* where to go on when there is no memory */
    char room[ROOM];
};

enum odp_status odp_press_new(struct odp_press **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return odp_failure_set("compress", NULL, ENOMEM);
    odp_buffer_init(&(*out)->in);
    odp_buffer_init(&(*out)->out);
    return ODP_OK;
}

void odp_press_free(struct odp_press *p)
{
    if (p == NULL)
        return;
    for (struct block *b = p->blocks, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    for (size_t k = 0; k < 2; k++)
        libdeflate_free_compressor(p->deflate[k]);
    odp_buffer_release(&p->in);
    odp_buffer_release(&p->out);
    free(p);
}

void odp_press_forget(struct odp_press *p)
{
    p->held = NULL;
}

static int level_of(uint64_t size, int small, int middle, int large)
{
    return size <= SMALL ? small : size <= LARGE ? middle : large;
}

/* ---- reading ---- */

/* All of FROM in p->in. */
static enum odp_status hold(struct odp_press *p, const char *from, uint64_t size)
{
    if (p->held == from && p->held_size == size)
        return ODP_OK;
    p->held = NULL;
    odp_buffer_clear(&p->in);
    enum odp_status status = odp_file_read(from, ODP_PRESS_WHOLE, &p->in, NULL);
    if (status == ODP_BAD || (status == ODP_OK && p->in.len != size))
        return odp_failure_set("read", from, 0);
    p->held = from;
    p->held_size = size;
    return status;
}

/* The next LEN bytes in p->in: never fewer, since how a file is cut shows in what comes out. */
static enum odp_status read_piece(struct odp_press *p, struct odp_reader *r, const char *from, size_t len,
                                  const atomic_bool *stop)
{
    p->held = NULL;
    odp_buffer_clear(&p->in);
    char *piece = odp_buffer_reserve(&p->in, len);
    enum odp_status status =
        piece == NULL || atomic_load_explicit(stop, memory_order_relaxed) ? ODP_FAIL : ODP_OK;
    while (status == ODP_OK && p->in.len < len) {
        size_t got = 0;
        status = odp_reader_read(r, piece + p->in.len, len - p->in.len, &got);
        p->in.len += got;
    }
    return status == ODP_OK || status == ODP_FAIL ? status : odp_failure_set("read", from, 0);
}

static size_t piece_of(uint64_t size, uint64_t done, size_t most)
{
    return size - done < most ? (size_t)(size - done) : most;
}

/* ---- gzip ---- */

static struct libdeflate_compressor *deflate_for(struct odp_press *p, uint64_t size)
{
    struct libdeflate_compressor **c = &p->deflate[level_of(size, 0, 1, 1)];
    if (*c == NULL)
        *c = libdeflate_alloc_compressor(level_of(size, 9, 6, 6));
    return *c;
}

static enum odp_status gzip_whole(struct odp_press *p, const char *from, uint64_t size, struct odp_file *to)
{
    struct libdeflate_compressor *c = deflate_for(p, size);
    if (c == NULL)
        return odp_failure_set("compress", from, ENOMEM);
    if (hold(p, from, size) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_clear(&p->out);
    size_t bound = libdeflate_gzip_compress_bound(c, p->in.len);
    char *out = odp_buffer_reserve(&p->out, bound);
    if (out == NULL)
        return ODP_FAIL;
    size_t len = libdeflate_gzip_compress(c, p->in.ptr, p->in.len, out, bound);
    return len > 0 ? odp_file_write(to, out, len) : odp_failure_set("compress", from, 0);
}

/* What is in p->in, to TO; the last time with what zlib still has. */
static enum odp_status feed_zlib(struct odp_press *p, z_stream *z, bool is_last, struct odp_file *to)
{
    enum odp_status status = ODP_OK;
    z->next_in = (Bytef *)p->in.ptr;
    z->avail_in = (uInt)p->in.len;
    do {
        z->next_out = (Bytef *)p->room;
        z->avail_out = ROOM;
        (void)deflate(z, is_last ? Z_FINISH : Z_NO_FLUSH); /* with room and a sound stream it cannot fail */
        status = odp_file_write(to, p->room, ROOM - z->avail_out);
    } while (status == ODP_OK && z->avail_out == 0);
    return status;
}

/* No name, time 0: what deflateInit2 writes where nothing is said. */
static enum odp_status gzip_pieces(struct odp_press *p, const char *from, struct odp_reader *r, uint64_t size,
                                   struct odp_file *to, const atomic_bool *stop)
{
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
    z_stream z = {0};
    if (deflateInit2(&z, level_of(size, 9, 6, 1), Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return odp_failure_set("compress", from, ENOMEM);
    enum odp_status status = ODP_OK;
    for (uint64_t done = 0; done < size && status == ODP_OK; done += p->in.len) {
        status = read_piece(p, r, from, piece_of(size, done, ODP_PRESS_WHOLE), stop);
        if (status == ODP_OK)
            status = feed_zlib(p, &z, done + p->in.len == size, to);
    }
    (void)deflateEnd(&z);
    return status;
}

/* ---- brotli ---- */

static void *hand_out(struct odp_press *p, struct block *b)
{
    b->before = NULL;
    b->next = p->taken;
    if (p->taken != NULL)
        p->taken->before = b;
    p->taken = b;
    return b + 1;
}

static void take_back(struct odp_press *p, struct block *b)
{
    *(b->before != NULL ? &b->before->next : &p->taken) = b->next;
    if (b->next != NULL)
        b->next->before = b->before;
}

/* The latest free block that is large enough and not much too large, else a new one. The encoder would end
 * the process, without a word, if it got none (it can be built so, and Debian's is): it is left by a jump
 * instead. All it has is memory of ours. */
static void *block_take(void *ctx, size_t size)
{
    struct odp_press *p = ctx;
    for (struct block **at = &p->blocks; *at != NULL; at = &(*at)->next) {
        struct block *b = *at;
        if (b->size < size || b->size / 2 > size)
            continue;
        *at = b->next;
        p->nblocks--;
        p->kept -= b->size;
        return hand_out(p, b);
    }
    struct block *b = size <= SIZE_MAX - sizeof *b ? malloc(sizeof *b + size) : NULL;
    if (b == NULL)
        longjmp(p->lack, 1);
    b->size = size;
    return hand_out(p, b);
}

/* What is kept are the largest: those cost most to have again. */
static void block_give(void *ctx, void *bytes)
{
    struct odp_press *p = ctx;
    if (bytes == NULL)
        return;
    struct block *b = (struct block *)bytes - 1, **least = &p->blocks;
    take_back(p, b);
    if (b->size > KEPT_BYTES - p->kept) {
        free(b);
        return;
    }
    b->next = p->blocks;
    p->blocks = b;
    p->kept += b->size;
    if (p->nblocks++ < KEPT)
        return;
    for (struct block **at = least; *at != NULL; at = &(*at)->next)
        if ((*at)->size < (*least)->size)
            least = at;
    b = *least;
    *least = b->next;
    p->nblocks--;
    p->kept -= b->size;
    free(b);
}

/* The smallest window that holds the whole file: a larger one compresses no better, and its memory, which
 * must be cleared each time, is most of what a small file costs. At level 9 a window of 64 KiB is the last
 * for which the encoder searches by chains (1 MB) and not by buckets (32 MB): that takes a fifth of the time
 * for files of 64 to 128 KiB, and they become no larger. */
static uint32_t window_of(uint64_t size)
{
    uint32_t bits = size <= SMALL ? BROTLI_MIN_WINDOW_BITS : BROTLI_LEAST_BITS,
             most = size <= SMALL ? 16 : BROTLI_DEFAULT_WINDOW;
    while (bits < most && ((uint64_t)1 << bits) - 16 < size)
        bits++;
    return bits;
}

/* Files above 128 KiB are told to be of 1 MiB at least, in a window of 512 KiB at least: from there on the
 * encoder finds what it has seen by five bytes and not by four, and JSON and CSV become three or four percent
 * smaller in the same time. */
static BrotliEncoderState *brotli_new(struct odp_press *p, uint64_t size)
{
    BrotliEncoderState *b = BrotliEncoderCreateInstance(block_take, block_give, p);
    if (b == NULL)
        return NULL;
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_QUALITY, (uint32_t)level_of(size, 9, 5, 1));
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_LGWIN, window_of(size));
    if (size > SMALL && size < BROTLI_LEAST)
        size = BROTLI_LEAST;
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_SIZE_HINT,
                                    size < UINT32_MAX ? (uint32_t)size : UINT32_MAX);
    return b;
}

static enum odp_status brotli_feed(struct odp_press *p, BrotliEncoderState *b, const char *from,
                                   struct odp_slice in, struct odp_file *to)
{
    const uint8_t *next_in = (const uint8_t *)in.ptr;
    size_t avail_in = in.len;
    BrotliEncoderOperation op = in.len > 0 ? BROTLI_OPERATION_PROCESS : BROTLI_OPERATION_FINISH;
    enum odp_status status;
    do {
        uint8_t *next_out = (uint8_t *)p->room;
        size_t avail_out = ROOM;
        if (!BrotliEncoderCompressStream(b, op, &avail_in, &next_in, &avail_out, &next_out, NULL))
            return odp_failure_set("compress", from, ENOMEM);
        status = odp_file_write(to, p->room, ROOM - avail_out);
    } while (status == ODP_OK && (avail_in > 0 || BrotliEncoderHasMoreOutput(b) ||
                                  (op == BROTLI_OPERATION_FINISH && !BrotliEncoderIsFinished(b))));
    return status;
}

/* IN was read by hold. */
static enum odp_status brotli_whole(struct odp_press *p, const char *from, uint64_t size, struct odp_file *to)
{
    BrotliEncoderState *b = brotli_new(p, size);
    if (b == NULL)
        return odp_failure_set("compress", from, ENOMEM);
    enum odp_status status = brotli_feed(p, b, from, odp_buffer_slice(&p->in), to);
    if (status == ODP_OK)
        status = brotli_feed(p, b, from, (struct odp_slice){NULL, 0}, to);
    BrotliEncoderDestroyInstance(b);
    return status;
}

static enum odp_status brotli_pieces(struct odp_press *p, const char *from, struct odp_reader *r,
                                     uint64_t size, struct odp_file *to, const atomic_bool *stop)
{
    BrotliEncoderState *b = brotli_new(p, size);
    if (b == NULL)
        return odp_failure_set("compress", from, ENOMEM);
    enum odp_status status = ODP_OK;
    for (uint64_t done = 0; done < size && status == ODP_OK; done += p->in.len) {
        status = read_piece(p, r, from, piece_of(size, done, BROTLI_PIECE), stop);
        if (status == ODP_OK)
            status = brotli_feed(p, b, from, odp_buffer_slice(&p->in), to);
    }
    if (status == ODP_OK)
        status = brotli_feed(p, b, from, (struct odp_slice){NULL, 0}, to);
    BrotliEncoderDestroyInstance(b);
    return status;
}

/* R: NULL for a file that is held. */
static enum odp_status brotli(struct odp_press *p, const char *from, struct odp_reader *r, uint64_t size,
                              struct odp_file *to, const atomic_bool *stop)
{
    if (setjmp(p->lack) == 0)
        return r == NULL ? brotli_whole(p, from, size, to) : brotli_pieces(p, from, r, size, to, stop);
    for (struct block *b = p->taken, *next; b != NULL; b = next) {
        next = b->next;
        free(b);
    }
    p->taken = NULL;
    return odp_failure_set("compress", from, ENOMEM);
}

/* ---- either ---- */

enum odp_status odp_press_file(struct odp_press *p, const char *from, uint64_t size, enum odp_encoding e,
                               struct odp_file *to, const atomic_bool *stop)
{
    if (size <= ODP_PRESS_WHOLE && e == ODP_ENCODING_GZIP)
        return gzip_whole(p, from, size, to);
    if (size <= ODP_PRESS_WHOLE)
        return hold(p, from, size) == ODP_OK ? brotli(p, from, NULL, size, to, stop) : ODP_FAIL;
    struct odp_reader *r = NULL;
    int errnum = 0;
    enum odp_status status = odp_reader_open(&r, from, &errnum);
    if (status == ODP_BAD)
        return odp_failure_set("open", from, errnum);
    if (status != ODP_OK)
        return status;
    if (odp_reader_size(r) != size)
        status = odp_failure_set("read", from, 0);
    else
        status = e == ODP_ENCODING_GZIP ? gzip_pieces(p, from, r, size, to, stop)
                                        : brotli(p, from, r, size, to, stop);
    odp_reader_close(r);
    return status;
}
