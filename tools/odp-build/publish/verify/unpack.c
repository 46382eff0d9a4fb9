/* Decompression that cannot be made to fill the machine: a piece at a time, hashed and forgotten, and refused
 * at the first byte more than the plain file has. */
#include "publish/verify/verify_internal.h"

#include <brotli/decode.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#define PIECE ((size_t)64 << 10)

struct verify_unpack {
    enum verify_coding coding;
    uint64_t limit, size;
    bool ended, bad;
    struct odp_digest *digest;
    z_stream z;
    bool z_open;
    BrotliDecoderState *br;
    uint8_t out[PIECE];
};

void verify_unpack_free(struct verify_unpack *u)
{
    if (u == NULL)
        return;
    if (u->z_open)
        (void)inflateEnd(&u->z);
    if (u->br != NULL)
        BrotliDecoderDestroyInstance(u->br);
    odp_digest_free(u->digest);
    free(u);
}

enum odp_status verify_unpack_new(struct verify_unpack **out, enum verify_coding coding, uint64_t limit)
{
    struct verify_unpack *u = calloc(1, sizeof *u);
    *out = NULL;
    if (u == NULL)
        return odp_failure_set("decompress", NULL, ENOMEM);
    u->coding = coding;
    u->limit = limit;
    if (coding == VERIFY_BROTLI)
        u->br = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    else
        u->z_open = inflateInit2(&u->z, 15 + 16) == Z_OK;
    if ((u->br == NULL && !u->z_open) || odp_digest_new(&u->digest) != ODP_OK) {
        verify_unpack_free(u);
        return odp_failure_set("decompress", NULL, ENOMEM);
    }
    *out = u;
    return ODP_OK;
}

static enum odp_status take(struct verify_unpack *u, size_t n)
{
    if (n > u->limit - u->size) {
        u->bad = true;
        return ODP_BAD;
    }
    u->size += n;
    return n > 0 ? odp_digest_add(u->digest, u->out, n) : ODP_OK;
}

static enum odp_status gunzip(struct verify_unpack *u, const void *ptr, size_t len)
{
    enum odp_status status = ODP_OK;
    u->z.next_in = (Bytef *)(uintptr_t)ptr; /* reads only */
    u->z.avail_in = (uInt)len;
    do {
        u->z.next_out = u->out;
        u->z.avail_out = (uInt)PIECE;
        int r = inflate(&u->z, Z_NO_FLUSH);
        if (r == Z_MEM_ERROR)
            return odp_failure_set("decompress", NULL, ENOMEM);
        if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
            u->bad = true;
        u->ended = r == Z_STREAM_END;
        status = u->bad ? ODP_BAD : take(u, PIECE - u->z.avail_out);
    } while (status == ODP_OK && !u->ended && u->z.avail_out == 0);
    if (status == ODP_OK && u->ended && u->z.avail_in > 0)
        u->bad = true;
    return u->bad ? ODP_BAD : status;
}

static bool out_of_memory(const BrotliDecoderState *br)
{
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(br);
    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

static enum odp_status unbrotli(struct verify_unpack *u, const void *ptr, size_t len)
{
    const uint8_t *in = ptr;
    size_t avail_in = len;
    enum odp_status status = ODP_OK;
    BrotliDecoderResult r;
    do {
        uint8_t *out = u->out;
        size_t avail_out = PIECE;
        r = BrotliDecoderDecompressStream(u->br, &avail_in, &in, &avail_out, &out, NULL);
        if (r == BROTLI_DECODER_RESULT_ERROR && out_of_memory(u->br))
            return odp_failure_set("decompress", NULL, ENOMEM);
        if (r == BROTLI_DECODER_RESULT_ERROR)
            u->bad = true;
        status = u->bad ? ODP_BAD : take(u, PIECE - avail_out);
    } while (status == ODP_OK && r == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
    u->ended = r == BROTLI_DECODER_RESULT_SUCCESS;
    if (status == ODP_OK && u->ended && avail_in > 0)
        u->bad = true;
    return u->bad ? ODP_BAD : status;
}

enum odp_status verify_unpack_add(struct verify_unpack *u, const void *ptr, size_t len)
{
    if (u->bad || (u->ended && len > 0)) {
        u->bad = true;
        return ODP_BAD;
    }
    if (len == 0)
        return ODP_OK;
    return u->coding == VERIFY_GZIP ? gunzip(u, ptr, len) : unbrotli(u, ptr, len);
}

enum odp_status verify_unpack_end(struct verify_unpack *u, struct odp_file_info *plain)
{
    if (u->bad || !u->ended)
        return ODP_BAD;
    plain->size = u->size;
    return odp_digest_end(u->digest, plain->sha256);
}
