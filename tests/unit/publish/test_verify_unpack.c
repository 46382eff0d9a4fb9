/* The bounded decompression of twins: whole streams, cut ones, what follows the end, and bombs, whatever the
 * pieces. */
#include "run.h"

#include <brotli/encode.h>
#include <zlib.h>

#include "publish/verify/verify_internal.h"

enum { PLAIN = 300000 };

struct packed {
    uint8_t bytes[PLAIN];
    size_t len;
};
static char plain[PLAIN];
static uint8_t digest[ODP_SHA256_SIZE];
static struct packed packed[2]; /* by enum verify_coding */

static int setup(void **state)
{
    uint32_t seed = 1;
    for (size_t i = 0; i < PLAIN; i++) { /* compressible, but not by much */
        seed = seed * 1664525u + 1013904223u;
        plain[i] = (char)('a' + (seed >> 28));
    }
    z_stream z = {
        .next_in = (Bytef *)plain,
        .avail_in = PLAIN,
        .next_out = packed[VERIFY_GZIP].bytes,
        .avail_out = PLAIN,
    };
    if (deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END)
        return -1;
    packed[VERIFY_GZIP].len = PLAIN - z.avail_out;
    (void)deflateEnd(&z);
    packed[VERIFY_BROTLI].len = PLAIN;
    if (!BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, PLAIN, (const uint8_t *)plain,
                               &packed[VERIFY_BROTLI].len, packed[VERIFY_BROTLI].bytes))
        return -1;
    return odp_digest_of(plain, PLAIN, digest) == ODP_OK ? 0 : -1;
}

/* LEN bytes in pieces of STEP. */
static enum odp_status unpack(enum verify_coding coding, const uint8_t *bytes, size_t len, uint64_t limit,
                              size_t step, struct odp_file_info *info)
{
    struct verify_unpack *u;
    enum odp_status status = ODP_OK;
    must(verify_unpack_new(&u, coding, limit));
    for (size_t at = 0; at < len && status == ODP_OK; at += step)
        status = verify_unpack_add(u, bytes + at, len - at < step ? len - at : step);
    enum odp_status end = verify_unpack_end(u, info);
    assert_true(status == ODP_OK || end == ODP_BAD); /* what was refused once stays refused */
    verify_unpack_free(u);
    return end;
}

TEST(whole)
{
    static const size_t steps[] = {1, 7, 4096, 131072, PLAIN};
    for (int c = VERIFY_GZIP; c <= VERIFY_BROTLI; c++)
        for (size_t i = 0; i < ODP_COUNT(steps); i++) {
            struct odp_file_info info;
            must(unpack((enum verify_coding)c, packed[c].bytes, packed[c].len, PLAIN, steps[i], &info));
            assert_int_equal(info.size, PLAIN);
            assert_memory_equal(info.sha256, digest, sizeof digest);
        }
}

TEST(one_byte_too_many)
{
    struct odp_file_info info;
    for (int c = VERIFY_GZIP; c <= VERIFY_BROTLI; c++) {
        must_refuse(unpack((enum verify_coding)c, packed[c].bytes, packed[c].len, PLAIN - 1, 1000, &info));
        must_refuse(unpack((enum verify_coding)c, packed[c].bytes, packed[c].len, 0, 1000, &info));
        must(unpack((enum verify_coding)c, packed[c].bytes, packed[c].len, PLAIN + 1, 1000, &info));
        assert_int_equal(info.size, PLAIN); /* shorter than the limit: the caller compares */
    }
}

TEST(cut_and_continued)
{
    static uint8_t longer[PLAIN + 1];
    struct odp_file_info info;
    for (int c = VERIFY_GZIP; c <= VERIFY_BROTLI; c++) {
        size_t len = packed[c].len;
        for (size_t cut = 1; cut < len; cut += len / 23 + 1)
            must_refuse(unpack((enum verify_coding)c, packed[c].bytes, len - cut, PLAIN, 500, &info));
        must_refuse(unpack((enum verify_coding)c, packed[c].bytes, 0, PLAIN, 500, &info));
        memcpy(longer, packed[c].bytes, len);
        longer[len] = 'x';
        must_refuse(unpack((enum verify_coding)c, longer, len + 1, PLAIN, len, &info));
        must_refuse(unpack((enum verify_coding)c, longer, len + 1, PLAIN, len + 1, &info));
        must_refuse(unpack((enum verify_coding)c, longer, len + 1, PLAIN, 1, &info));
    }
}

/* A second member after the first is legal gzip, but nothing that was ever written here. */
TEST(second_member)
{
    struct odp_file_info info;
    size_t len = packed[VERIFY_GZIP].len;
    uint8_t *twice = malloc(2 * len);
    assert_non_null(twice);
    memcpy(twice, packed[VERIFY_GZIP].bytes, len);
    memcpy(twice + len, packed[VERIFY_GZIP].bytes, len);
    must_refuse(unpack(VERIFY_GZIP, twice, 2 * len, 2 * PLAIN, 4096, &info));
    free(twice);
}

/* Any flipped bit is a damaged stream or other bytes; never a crash, never more than the limit. */
TEST(flipped_bits)
{
    struct odp_file_info info;
    for (int c = VERIFY_GZIP; c <= VERIFY_BROTLI; c++)
        for (size_t at = 0; at < packed[c].len; at += packed[c].len / 61 + 1) {
            packed[c].bytes[at] ^= 0x10;
            enum odp_status status =
                unpack((enum verify_coding)c, packed[c].bytes, packed[c].len, PLAIN, 9999, &info);
            bool harmless =
                c == VERIFY_GZIP && at < 10; /* gzip's header has a date and a system nobody checks */
            assert_true(status == ODP_BAD || harmless || memcmp(info.sha256, digest, sizeof digest) != 0);
            packed[c].bytes[at] ^= 0x10;
        }
}

/* A gigabyte of nothing in some kilobytes of brotli is refused within the limit and at once. */
TEST(bomb)
{
    static uint8_t bomb[65536];
    static const uint8_t zeros[65536];
    struct odp_file_info info;
    BrotliEncoderState *b = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    assert_non_null(b);
    uint8_t *out = bomb;
    size_t avail_out = sizeof bomb;
    for (size_t i = 0; i <= 1024; i++) {
        const uint8_t *in = zeros;
        size_t avail_in = i < 1024 ? sizeof zeros : 0;
        do
            assert_true(
                BrotliEncoderCompressStream(b, i < 1024 ? BROTLI_OPERATION_PROCESS : BROTLI_OPERATION_FINISH,
                                            &avail_in, &in, &avail_out, &out, NULL));
        while (avail_in > 0 || BrotliEncoderHasMoreOutput(b));
    }
    assert_true(BrotliEncoderIsFinished(b));
    BrotliEncoderDestroyInstance(b);
    size_t len = sizeof bomb - avail_out;
    must_refuse(unpack(VERIFY_BROTLI, bomb, len, 1000, len, &info));
    must(unpack(VERIFY_BROTLI, bomb, len, 1024 * sizeof zeros, len, &info));
    assert_int_equal(info.size, 1024 * sizeof zeros);
}

AROUND(setup, NULL)
