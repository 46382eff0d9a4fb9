/* Compressed twins of text files: <path>.gz and <path>.br, made once a build and kept for bytes that are carried over.
 *
 * How hard is decided by the size alone, so the same bytes always have the same twins: small files, which are read most and
 * cost little, are pressed hard; very large ones lightly. Only a twin that is smaller than its file is kept. Files of equal
 * bytes (latest/ and the version) share one. */
#include "stage.h"

#include <brotli/encode.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    SMALLEST = 256,    /* bytes: below, headers cost more than is won */
    SMALL = 128 << 10, /* up to here: as small as possible */
    LARGE = 64 << 20,  /* above: as fast as possible */
    WHOLE = 4 << 20,   /* up to here gzip by libdeflate, which wants the file in memory */
    PIECE = 64 << 10
};

struct twin {
    const char *from, *path, *media_type; /* of the site */
    const char *encoding;
    enum odp_class cls;
    uint64_t size;                   /* of the file */
    uint8_t sha256[ODP_SHA256_SIZE]; /* of the file */
    size_t leader;                   /* the twin of equal bytes that is made; itself: this one */
    bool made;
    struct odp_file_info info;
};

static int level_of(uint64_t size, int small, int middle, int large)
{
    return size <= SMALL ? small : size <= LARGE ? middle : large;
}

static bool is_text(const char *type)
{
    static const char *const types[] = {"text/", "application/json", "application/javascript", "application/xml"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(type, types[i], strlen(types[i])) == 0)
            return true;
    const char *plus = strrchr(type, '+');
    return plus != NULL && (strncmp(plus, "+json", 5) == 0 || strncmp(plus, "+xml", 4) == 0);
}

/* ---- compressing one file --------------------------------------------------------------------------------------------------
 */

static enum odp_status gzip_whole(const char *from, uint64_t size, struct odp_file *to)
{
    struct odp_buffer in;
    odp_buffer_init(&in);
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(level_of(size, 9, 6, 1));
    enum odp_status status = c != NULL ? odp_file_read(from, WHOLE, &in, NULL) : odp_failure_set("compress", from, ENOMEM);
    if (status == ODP_BAD)
        status = odp_failure_set("read", from, 0);
    size_t bound = status == ODP_OK ? libdeflate_gzip_compress_bound(c, in.len) : 0;
    char *out = status == ODP_OK ? malloc(bound) : NULL;
    if (status == ODP_OK && out == NULL)
        status = odp_failure_set("compress", from, ENOMEM);
    if (status == ODP_OK) {
        size_t len = libdeflate_gzip_compress(c, in.ptr, in.len, out, bound);
        status = len > 0 ? odp_file_write(to, out, len) : odp_failure_set("compress", from, 0);
    }
    free(out);
    libdeflate_free_compressor(c);
    odp_buffer_release(&in);
    return status;
}

static enum odp_status read_piece(struct odp_reader *r, const char *from, char *piece, size_t *got)
{
    enum odp_status status = odp_reader_read(r, piece, PIECE, got);
    if (status == ODP_DONE)
        *got = 0;
    return status == ODP_BAD ? odp_failure_set("read", from, 0) : status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status gzip_pieces(const char *from, struct odp_reader *r, uint64_t size, struct odp_file *to, char *in,
                                   char *out)
{
    z_stream z = {0};
    gz_header header = {.os = 255}; /* unknown; no name, time 0 */
    if (deflateInit2(&z, level_of(size, 9, 6, 1), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return odp_failure_set("compress", from, ENOMEM);
    enum odp_status status = deflateSetHeader(&z, &header) == Z_OK ? ODP_OK : odp_failure_set("compress", from, 0);
    size_t got = 1;
    while (status == ODP_OK && got > 0) {
        status = read_piece(r, from, in, &got);
        z.next_in = (Bytef *)in;
        z.avail_in = (uInt)got;
        do {
            if (status != ODP_OK)
                break;
            z.next_out = (Bytef *)out;
            z.avail_out = PIECE;
            if (deflate(&z, got > 0 ? Z_NO_FLUSH : Z_FINISH) == Z_STREAM_ERROR)
                status = odp_failure_set("compress", from, 0);
            else
                status = odp_file_write(to, out, PIECE - z.avail_out);
        } while (z.avail_out == 0);
    }
    (void)deflateEnd(&z);
    return status;
}

/* The smallest window that holds the whole file: a larger one compresses no better, and its memory, which must be cleared each time, is most of what a small
 * file costs. */
static uint32_t brotli_window(uint64_t size)
{
    uint32_t bits = BROTLI_MIN_WINDOW_BITS;
    while (bits < BROTLI_DEFAULT_WINDOW && ((uint64_t)1 << bits) - 16 < size)
        bits++;
    return bits;
}

static enum odp_status brotli_pieces(const char *from, struct odp_reader *r, uint64_t size, struct odp_file *to, char *in,
                                     char *out)
{
    BrotliEncoderState *b = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    if (b == NULL)
        return odp_failure_set("compress", from, ENOMEM);
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_QUALITY, (uint32_t)level_of(size, 9, 5, 1));
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_LGWIN, brotli_window(size));
    (void)BrotliEncoderSetParameter(b, BROTLI_PARAM_SIZE_HINT, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX);
    enum odp_status status = ODP_OK;
    size_t got = 1;
    while (status == ODP_OK && got > 0) {
        status = read_piece(r, from, in, &got);
        const uint8_t *next_in = (const uint8_t *)in;
        size_t avail_in = got;
        BrotliEncoderOperation op = got > 0 ? BROTLI_OPERATION_PROCESS : BROTLI_OPERATION_FINISH;
        do {
            uint8_t *next_out = (uint8_t *)out;
            size_t avail_out = PIECE;
            if (status != ODP_OK)
                break;
            if (!BrotliEncoderCompressStream(b, op, &avail_in, &next_in, &avail_out, &next_out, NULL))
                status = odp_failure_set("compress", from, ENOMEM);
            else
                status = odp_file_write(to, out, PIECE - avail_out);
        } while (avail_in > 0 || BrotliEncoderHasMoreOutput(b) ||
                 (op == BROTLI_OPERATION_FINISH && !BrotliEncoderIsFinished(b)));
    }
    BrotliEncoderDestroyInstance(b);
    return status;
}

static enum odp_status compress_pieces(const char *from, const struct twin *t, struct odp_file *to)
{
    struct odp_reader *r = NULL;
    int errnum = 0;
    enum odp_status status = odp_reader_open(&r, from, &errnum);
    if (status == ODP_BAD)
        return odp_failure_set("open", from, errnum);
    if (status != ODP_OK)
        return status;
    char *in = malloc(2 * PIECE);
    if (in == NULL)
        status = odp_failure_set("compress", from, ENOMEM);
    else if (strcmp(t->encoding, "br") == 0)
        status = brotli_pieces(from, r, t->size, to, in, in + PIECE);
    else
        status = gzip_pieces(from, r, t->size, to, in, in + PIECE);
    free(in);
    odp_reader_close(r);
    return status;
}

static enum odp_status make_twin(const struct odp_stage *s, struct twin *t)
{
    struct odp_arena arena;
    struct odp_file *to = NULL;
    odp_arena_init(&arena);
    const char *from = odp_path_join(&arena, s->dir, t->from), *path = odp_path_join(&arena, s->dir, t->path);
    enum odp_status status = from != NULL && path != NULL ? odp_file_create(&to, path, 0444) : ODP_FAIL;
    if (status == ODP_OK) {
        bool whole = t->size <= WHOLE && strcmp(t->encoding, "gzip") == 0;
        status = whole ? gzip_whole(from, t->size, to) : compress_pieces(from, t, to);
        if (status == ODP_OK && odp_file_size(to) < t->size) {
            status = odp_file_close(to, &t->info);
            t->made = status == ODP_OK;
        } else {
            odp_file_discard(to);
        }
    }
    odp_arena_release(&arena);
    return status;
}

/* ---- all of them -----------------------------------------------------------------------------------------------------------
 */

struct twins {
    struct odp_stage *stage;
    struct twin *twins;
    size_t n, next;
    size_t *slot; /* which twin a slot of the pool works on */
    const struct odp_progress *progress;
    uint64_t done, total;
};

/* Largest first, so that the threads end together; equal bytes side by side. */
static int by_size(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    int c = memcmp(x->sha256, y->sha256, sizeof x->sha256);
    if (c == 0)
        c = strcmp(x->encoding, y->encoding);
    return c != 0 ? c : strcmp(x->path, y->path);
}

static enum odp_status collect(struct twins *t, struct odp_arena *a)
{
    static const char *const encodings[2][2] = {{"gzip", ".gz"}, {"br", ".br"}};
    size_t n;
    const struct odp_site_file *files = odp_stage_files(t->stage, &n);
    t->twins = odp_arena_array(a, 2 * n + 1, sizeof *t->twins);
    if (t->twins == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < n; i++) {
        const struct odp_site_file *f = &files[i];
        if (f->settled || f->absent || f->encoding != NULL || f->size < SMALLEST || f->cls == ODP_CLASS_INTERNAL || !is_text(f->media_type))
            continue;
        for (size_t k = 0; k < 2; k++) {
            const char *path = odp_arena_printf(a, "%s%s", f->path, encodings[k][1]);
            if (path == NULL)
                return ODP_FAIL;
            if (odp_stage_find(t->stage, path) != NULL)
                continue;
            struct twin *twin = &t->twins[t->n++];
            *twin = (struct twin){.from = f->path,
                                  .path = path,
                                  .media_type = f->media_type,
                                  .encoding = encodings[k][0],
                                  .cls = f->cls,
                                  .size = f->size};
            memcpy(twin->sha256, f->sha256, sizeof twin->sha256);
        }
    }
    if (t->n > 1)
        qsort(t->twins, t->n, sizeof *t->twins, by_size);
    for (size_t i = 0; i < t->n; i++) {
        struct twin *w = &t->twins[i], *before = i > 0 ? w - 1 : NULL;
        bool equal = before != NULL && before->size == w->size && before->encoding == w->encoding &&
                     memcmp(before->sha256, w->sha256, sizeof w->sha256) == 0;
        w->leader = equal ? before->leader : i;
        t->total += equal ? 0 : w->size;
    }
    return ODP_OK;
}

static enum odp_status twins_produce(void *ctx, size_t slot)
{
    struct twins *t = ctx;
    while (t->next < t->n && t->twins[t->next].leader != t->next)
        t->next++;
    if (t->next == t->n)
        return ODP_DONE;
    t->slot[slot] = t->next++;
    return ODP_OK;
}

static enum odp_status twins_work(void *ctx, size_t slot, unsigned worker)
{
    struct twins *t = ctx;
    (void)worker;
    return make_twin(t->stage, &t->twins[t->slot[slot]]);
}

static enum odp_status twins_consume(void *ctx, size_t slot)
{
    struct twins *t = ctx;
    t->done += t->twins[t->slot[slot]].size;
    odp_progress_update(t->progress, ODP_PHASE_PUBLISH, "", t->done, t->total, 0);
    return ODP_OK;
}

/* Enters what was made; files of equal bytes get a link to it. */
static enum odp_status enter(struct twins *t, struct odp_arena *a)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct twin *w = &t->twins[i], *leader = &t->twins[w->leader];
        enum odp_status status = ODP_OK;
        if (!leader->made)
            continue;
        if (w == leader) {
            status = odp_stage_add(t->stage, w->path, w->media_type, w->encoding, w->cls, &w->info);
        } else {
            struct odp_site_file f = {
                .media_type = w->media_type, .encoding = w->encoding, .cls = w->cls, .size = leader->info.size};
            const char *from = odp_path_join(a, t->stage->dir, leader->path);
            memcpy(f.sha256, leader->info.sha256, sizeof f.sha256);
            status = from != NULL ? odp_stage_link(t->stage, from, w->path, &f) : ODP_FAIL;
        }
        if (status != ODP_OK)
            return status;
    }
    return ODP_OK;
}

enum odp_status odp_stage_twins(struct odp_stage *s, struct odp_pool *pool, const struct odp_progress *progress)
{
    struct odp_arena arena;
    struct twins t = {.stage = s, .progress = progress};
    odp_arena_init(&arena);
    t.slot = odp_arena_zero(&arena, odp_pool_slots(pool) + 1, sizeof *t.slot);
    enum odp_status status = t.slot != NULL ? collect(&t, &arena) : ODP_FAIL;
    if (status == ODP_OK) {
        struct odp_ordered run = {&t, twins_produce, twins_work, twins_consume};
        status = odp_pool_ordered(pool, &run);
        if (status == ODP_DONE)
            status = ODP_OK;
    }
    if (status == ODP_OK)
        status = enter(&t, &arena);
    odp_arena_release(&arena);
    return status;
}
