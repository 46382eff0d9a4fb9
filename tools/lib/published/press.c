/* gzip and brotli of one file.
 *
 * gzip is libdeflate's, which takes two thirds of zlib's time for a tenth less and needs the whole file at
 * once: it is mapped, and what comes out is held. A file above 512 MiB is zlib's. */
#include "published/press.h"

#include <brotli/encode.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/mapped.h"

enum {
    SMALL = 128 << 10,
    WHOLE = 512 << 20,      /* mapped at most */
    ROOM = 64 << 10,        /* of what an encoder gives at once */
    BROTLI_PIECE = 1 << 20, /* at level 1 brotli matches only within a piece: pieces of 64 KiB would make the
                               whole a tenth larger */
    BROTLI_LEAST = 1 << 20, /* see brotli_new */
    BROTLI_LEAST_BITS = 19
};

const char *const odp_encoding_names[] = {"gzip", "br"};
const char *const odp_encoding_suffixes[] = {".gz", ".br"};

enum { DEFLATES = 10 };

struct odp_press {
    struct libdeflate_compressor *deflate[DEFLATES]; /* by level; made when it is first wanted */
    struct odp_buffer in, out;
    char room[ROOM];
};

/* The file being pressed. */
struct source {
    struct odp_press *press;
    const char *path;
    uint64_t size, done;
    int level;
    struct odp_reader *reader;
    struct odp_file *to;
};

enum odp_status odp_press_new(struct odp_press **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? ODP_OK : odp_failure_set("compress", NULL, ENOMEM);
}

void odp_press_free(struct odp_press *p)
{
    if (p == NULL)
        return;
    for (int k = 0; k < DEFLATES; k++)
        libdeflate_free_compressor(p->deflate[k]);
    odp_buffer_release(&p->in);
    odp_buffer_release(&p->out);
    free(p);
}

/* The next bytes into press->in: MOST of them, fewer only at the end of the file, since the encoders' output
 * depends on how the input is cut. */
static enum odp_status read_piece(struct source *s, size_t most)
{
    struct odp_buffer *in = &s->press->in;
    const size_t len = s->size - s->done < most ? (size_t)(s->size - s->done) : most;
    odp_buffer_clear(in);
    char *piece = odp_buffer_reserve(in, len);
    enum odp_status status = odp_buffer_status(in);
    while (status == ODP_OK && in->len < len) {
        size_t got = 0;
        status = odp_reader_read(s->reader, piece + in->len, len - in->len, &got);
        in->len += got;
    }
    s->done += len;
    return status == ODP_DONE || status == ODP_BAD ? odp_failure_set("read", s->path, 0) : status;
}

/* ---- gzip ---- */

/* The file in memory: read where it is small, else mapped. */
static enum odp_status take_whole(struct source *s, struct odp_mapped *mapped, struct odp_slice *in)
{
    enum odp_status status;
    *mapped = (struct odp_mapped){0};
    if (s->size <= ODP_PRESS_WHOLE) {
        status = read_piece(s, ODP_PRESS_WHOLE);
        *in = odp_buffer_slice(&s->press->in);
    } else {
        status = odp_mapped_open(mapped, s->path, s->size);
        *in = (struct odp_slice){mapped->ptr, mapped->len};
    }
    return status;
}

static enum odp_status gzip_whole(struct source *s)
{
    struct odp_press *p = s->press;
    struct odp_mapped mapped;
    struct odp_slice in;
    struct libdeflate_compressor **deflate = &p->deflate[s->level];
    if (*deflate == NULL && (*deflate = libdeflate_alloc_compressor(s->level)) == NULL)
        return odp_failure_set("compress", s->path, ENOMEM);
    enum odp_status status = take_whole(s, &mapped, &in);
    odp_buffer_clear(&p->out);
    const size_t bound = status == ODP_OK ? libdeflate_gzip_compress_bound(*deflate, in.len) : 0;
    char *out = status == ODP_OK ? odp_buffer_reserve(&p->out, bound) : NULL;
    const size_t len = out != NULL ? libdeflate_gzip_compress(*deflate, in.ptr, in.len, out, bound) : 0;
    odp_mapped_close(&mapped);
    if (out == NULL)
        return ODP_FAIL;
    return len > 0 ? odp_file_write(s->to, out, len) : odp_failure_set("compress", s->path, 0);
}

/* No name, time 0: what deflateInit2 writes by default. */
static enum odp_status gzip_pieces(struct source *s)
{
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
    struct odp_press *p = s->press;
    z_stream z = {0};
    if (deflateInit2(&z, s->level, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return odp_failure_set("compress", s->path, ENOMEM);
    enum odp_status status = ODP_OK;
    while (s->done < s->size && status == ODP_OK) {
        status = read_piece(s, ODP_PRESS_WHOLE);
        z.next_in = (Bytef *)p->in.ptr;
        z.avail_in = (uInt)p->in.len;
        z.avail_out = 0;
        while (status == ODP_OK && z.avail_out == 0) {
            z.next_out = (Bytef *)p->room;
            z.avail_out = ROOM;
            /* with room and a sound stream it cannot fail */
            (void)deflate(&z, s->done == s->size ? Z_FINISH : Z_NO_FLUSH);
            status = odp_file_write(s->to, p->room, ROOM - z.avail_out);
        }
    }
    (void)deflateEnd(&z);
    return status;
}

/* ---- brotli ---- */

/* Debian's encoder ends the process when it gets no memory: it takes the reserve instead. */
static void *allocate(void *ctx, size_t size)
{
    void *p = malloc(size);
    return p != NULL ? p : odp_reserve_alloc(size);
}

static void give_back(void *ctx, void *p)
{
    if (p != NULL && !odp_reserve_free(p))
        free(p);
}

/* The smallest window that holds the whole file: a larger one compresses no better, and its memory, which
 * must be cleared each time, is most of what a small file costs. A window of 64 KiB is the last
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
static BrotliEncoderState *brotli_new(uint64_t size, int level)
{
    BrotliEncoderState *b = BrotliEncoderCreateInstance(allocate, give_back, NULL);
    if (b == NULL)
        return NULL;
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_QUALITY, (uint32_t)level);
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_LGWIN, window_of(size));
    if (size > SMALL && size < BROTLI_LEAST)
        size = BROTLI_LEAST;
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_SIZE_HINT,
                                    size < UINT32_MAX ? (uint32_t)size : UINT32_MAX);
    return b;
}

static enum odp_status brotli_feed(struct source *s, BrotliEncoderState *b, struct odp_slice in,
                                   BrotliEncoderOperation op)
{
    struct odp_press *p = s->press;
    const uint8_t *next_in = (const uint8_t *)in.ptr;
    size_t avail_in = in.len;
    enum odp_status status;
    do {
        uint8_t *next_out = (uint8_t *)p->room;
        size_t avail_out = ROOM;
        if (!BrotliEncoderCompressStream(b, op, &avail_in, &next_in, &avail_out, &next_out, NULL))
            return odp_failure_set("compress", s->path, ENOMEM);
        status = odp_file_write(s->to, p->room, ROOM - avail_out);
    } while (status == ODP_OK && (avail_in > 0 || BrotliEncoderHasMoreOutput(b) ||
                                  (op == BROTLI_OPERATION_FINISH && !BrotliEncoderIsFinished(b))));
    return status;
}

static enum odp_status brotli(struct source *s)
{
    const size_t piece = s->size <= ODP_PRESS_WHOLE ? ODP_PRESS_WHOLE : BROTLI_PIECE;
    BrotliEncoderState *b = brotli_new(s->size, s->level);
    enum odp_status status = b != NULL ? ODP_OK : odp_failure_set("compress", s->path, ENOMEM);
    while (s->done < s->size && status == ODP_OK) {
        status = read_piece(s, piece);
        if (status == ODP_OK)
            status = brotli_feed(s, b, odp_buffer_slice(&s->press->in), BROTLI_OPERATION_PROCESS);
    }
    if (status == ODP_OK)
        status = brotli_feed(s, b, (struct odp_slice){NULL, 0}, BROTLI_OPERATION_FINISH);
    BrotliEncoderDestroyInstance(b);
    return status;
}

/* ---- either ---- */

enum odp_status odp_press_file(struct odp_press *p, const char *from, uint64_t size, enum odp_encoding e,
                               int level, struct odp_file *to)
{
    struct source s = {.press = p, .path = from, .size = size, .level = level, .to = to};
    int errnum = 0;
    enum odp_status status = odp_reader_open(&s.reader, from, &errnum);
    if (status == ODP_BAD)
        return odp_failure_set("open", from, errnum);
    if (status == ODP_OK && odp_reader_size(s.reader) != size)
        status = odp_failure_set("read", from, 0);
    if (status == ODP_OK && e == ODP_ENCODING_BROTLI)
        status = brotli(&s);
    else if (status == ODP_OK)
        status = size <= WHOLE ? gzip_whole(&s) : gzip_pieces(&s);
    odp_reader_close(s.reader);
    return status;
}
