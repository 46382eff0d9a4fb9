/* gzip and brotli of one file.
 *
 * Levels: up to 128 KiB as small as possible, up to 64 MiB middling, above as fast as possible. gzip up to 4 MiB is libdeflate's, which wants the file in
 * memory; larger files are pressed in pieces, by zlib. (libdeflate could press large files in members of their own, which RFC 1952 allows; but not every
 * browser is known to read on behind the first member.) */
#include "release/press.h"

#include <brotli/encode.h>
#include <errno.h>
#include <libdeflate.h>
#include <setjmp.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    SMALL = 128 << 10,
    LARGE = 64 << 20,
    PIECE = 64 << 10,
    KEPT = 16 /* blocks of memory that are free, at most */
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
    struct block *taken;  /* those the encoder has */
    jmp_buf lack;         /* where to go on when there is no memory */
    char piece[2][PIECE];
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

/* ---- reading ---------------------------------------------------------------------------------------------------------------- */

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

static enum odp_status read_piece(struct odp_reader *r, const char *from, char *piece, size_t *got)
{
    enum odp_status status = odp_reader_read(r, piece, PIECE, got);
    if (status == ODP_DONE)
        *got = 0;
    return status == ODP_BAD ? odp_failure_set("read", from, 0) : status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- gzip ------------------------------------------------------------------------------------------------------------------- */

static enum odp_status gzip_whole(struct odp_press *p, const char *from, uint64_t size, struct odp_file *to)
{
    struct libdeflate_compressor **c = &p->deflate[size > SMALL];
    if (*c == NULL && (*c = libdeflate_alloc_compressor(level_of(size, 9, 6, 1))) == NULL)
        return odp_failure_set("compress", from, ENOMEM);
    if (hold(p, from, size) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_clear(&p->out);
    size_t bound = libdeflate_gzip_compress_bound(*c, p->in.len);
    char *out = odp_buffer_reserve(&p->out, bound);
    if (out == NULL)
        return ODP_FAIL;
    size_t len = libdeflate_gzip_compress(*c, p->in.ptr, p->in.len, out, bound);
    return len > 0 ? odp_file_write(to, out, len) : odp_failure_set("compress", from, 0);
}

static enum odp_status gzip_pieces(struct odp_press *p, const char *from, struct odp_reader *r, uint64_t size, struct odp_file *to,
                                   const atomic_bool *stop)
{
    z_stream z = {0};
    gz_header header = {.os = 255}; /* unknown; no name, time 0 */
    if (deflateInit2(&z, level_of(size, 9, 6, 1), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return odp_failure_set("compress", from, ENOMEM);
    enum odp_status status = deflateSetHeader(&z, &header) == Z_OK ? ODP_OK : odp_failure_set("compress", from, 0);
    size_t got = 1;
    while (status == ODP_OK && got > 0) {
        status = atomic_load_explicit(stop, memory_order_relaxed) ? ODP_FAIL : read_piece(r, from, p->piece[0], &got);
        z.next_in = (Bytef *)p->piece[0];
        z.avail_in = (uInt)got;
        do {
            if (status != ODP_OK)
                break;
            z.next_out = (Bytef *)p->piece[1];
            z.avail_out = PIECE;
            if (deflate(&z, got > 0 ? Z_NO_FLUSH : Z_FINISH) == Z_STREAM_ERROR)
                status = odp_failure_set("compress", from, 0);
            else
                status = odp_file_write(to, p->piece[1], PIECE - z.avail_out);
        } while (z.avail_out == 0);
    }
    (void)deflateEnd(&z);
    return status;
}

/* ---- brotli ----------------------------------------------------------------------------------------------------------------- */

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

/* The latest free block that is large enough and not much too large, else a new one. The encoder would end the process, without a word, if it got none (it
 * can be built so, and Debian's is): it is left by a jump instead. All it has is memory of ours. */
static void *block_take(void *ctx, size_t size)
{
    struct odp_press *p = ctx;
    for (struct block **at = &p->blocks; *at != NULL; at = &(*at)->next) {
        struct block *b = *at;
        if (b->size < size || b->size / 2 > size)
            continue;
        *at = b->next;
        p->nblocks--;
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
    b->next = p->blocks;
    p->blocks = b;
    if (p->nblocks++ < KEPT)
        return;
    for (struct block **at = least; *at != NULL; at = &(*at)->next)
        if ((*at)->size < (*least)->size)
            least = at;
    b = *least;
    *least = b->next;
    p->nblocks--;
    free(b);
}

/* The smallest window that holds the whole file: a larger one compresses no better, and its memory, which must be cleared each time, is most of what a small
 * file costs. At level 9 a window of 64 KiB is the last for which the encoder searches by chains (1 MB) and not by buckets (32 MB): that takes a fifth of the
 * time for files of 64 to 128 KiB, and they become no larger. */
static uint32_t window_of(uint64_t size)
{
    uint32_t bits = BROTLI_MIN_WINDOW_BITS, most = size <= SMALL ? 16 : BROTLI_DEFAULT_WINDOW;
    while (bits < most && ((uint64_t)1 << bits) - 16 < size)
        bits++;
    return bits;
}

static BrotliEncoderState *brotli_new(struct odp_press *p, uint64_t size)
{
    BrotliEncoderState *b = BrotliEncoderCreateInstance(block_take, block_give, p);
    if (b == NULL)
        return NULL;
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_QUALITY, (uint32_t)level_of(size, 9, 5, 1));
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_LGWIN, window_of(size));
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_SIZE_HINT, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX);
    return b;
}

static enum odp_status brotli_feed(struct odp_press *p, BrotliEncoderState *b, const char *from, struct odp_slice in, struct odp_file *to)
{
    const uint8_t *next_in = (const uint8_t *)in.ptr;
    size_t avail_in = in.len;
    BrotliEncoderOperation op = in.len > 0 ? BROTLI_OPERATION_PROCESS : BROTLI_OPERATION_FINISH;
    enum odp_status status;
    do {
        uint8_t *next_out = (uint8_t *)p->piece[1];
        size_t avail_out = PIECE;
        if (!BrotliEncoderCompressStream(b, op, &avail_in, &next_in, &avail_out, &next_out, NULL))
            return odp_failure_set("compress", from, ENOMEM);
        status = odp_file_write(to, p->piece[1], PIECE - avail_out);
    } while (status == ODP_OK && (avail_in > 0 || BrotliEncoderHasMoreOutput(b) || (op == BROTLI_OPERATION_FINISH && !BrotliEncoderIsFinished(b))));
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

static enum odp_status brotli_pieces(struct odp_press *p, const char *from, struct odp_reader *r, uint64_t size, struct odp_file *to,
                                     const atomic_bool *stop)
{
    BrotliEncoderState *b = brotli_new(p, size);
    if (b == NULL)
        return odp_failure_set("compress", from, ENOMEM);
    enum odp_status status = ODP_OK;
    size_t got = 1;
    while (status == ODP_OK && got > 0) {
        status = atomic_load_explicit(stop, memory_order_relaxed) ? ODP_FAIL : read_piece(r, from, p->piece[0], &got);
        if (status == ODP_OK)
            status = brotli_feed(p, b, from, (struct odp_slice){p->piece[0], got}, to);
    }
    BrotliEncoderDestroyInstance(b);
    return status;
}

/* R: NULL for a file that is held. */
static enum odp_status brotli(struct odp_press *p, const char *from, struct odp_reader *r, uint64_t size, struct odp_file *to, const atomic_bool *stop)
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

/* ---- either ----------------------------------------------------------------------------------------------------------------- */

enum odp_status odp_press_file(struct odp_press *p, const char *from, uint64_t size, enum odp_encoding e, struct odp_file *to, const atomic_bool *stop)
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
    status = e == ODP_ENCODING_GZIP ? gzip_pieces(p, from, r, size, to, stop) : brotli(p, from, r, size, to, stop);
    odp_reader_close(r);
    return status;
}
