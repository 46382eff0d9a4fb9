/* tools/lib/published/deflate_walk.c: the ends of blocks are those that zlib finds (tests/fuzz/deflate_ends.h; the fuzzer fuzz_deflate does the same with what it finds
 * itself), and streams that are left open go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <libdeflate.h>

#include "../fuzz/deflate_ends.h"

static uint64_t seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % n);
}

/* KIND 0 nothing new, 1 noise, 2 words, 3 letters of which each is half as frequent as the one before (long codewords), else these by turns. */
static void make_bytes(uint8_t *p, size_t n, unsigned kind)
{
    for (size_t i = 0; i < n; i++) {
        unsigned k = kind < 4 ? kind : (unsigned)(i >> 14) % 4, x = random_below(1u << 24);
        p[i] = (uint8_t)(k == 0 ? 'a' : k == 1 ? x >> 8 : k == 2 ? (unsigned)"{\"kode\":\"31.71\"},"[(i + (x % 97 == 0)) % 17] : 'A' + (unsigned)__builtin_clz(x << 8 | 128));
    }
}

static size_t expect_whole(const uint8_t *p, size_t n)
{
    bool whole;
    size_t blocks = ends_compare(p, n, 0, &whole, NULL);
    assert_true(whole && blocks > 0);
    assert_true(ends_leave_open(p, n, 1 << 18) > 0);
    return blocks;
}

static void test_streams_of_zlib(void **state)
{
    (void)state;
    static uint8_t plain[150000], packed[200000];
    size_t blocks = 0;
    for (unsigned round = 0; round < 300; round++) {
        unsigned kind = round % 5, size = round % 7 == 0 ? random_below(300) : random_below(sizeof plain);
        make_bytes(plain, size, kind);
        z_stream z = {.next_in = plain, .avail_in = size, .next_out = packed, .avail_out = sizeof packed};
        int strategy = (int[]){Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}[round / 5 % 5];
        assert_int_equal(deflateInit2(&z, 1 + (int)(round / 9 % 9), Z_DEFLATED, -15, 1 + (int)(round % 9), strategy), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        blocks += expect_whole(packed, z.total_out);
        deflateEnd(&z);
    }
    assert_true(blocks > 3000);
}

static void test_streams_of_libdeflate(void **state)
{
    (void)state;
    static uint8_t plain[200000], packed[250000];
    static const unsigned sizes[] = {0, 1, 2, 15, 16, 17, 255, 4096, 65535, 65536, 65537, 199999};
    for (int level = 0; level <= 12; level++) {
        struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
        assert_non_null(c);
        for (unsigned i = 0; i < 12; i++) {
            make_bytes(plain, sizes[i], i % 5);
            size_t n = libdeflate_deflate_compress(c, plain, sizes[i], packed, sizeof packed);
            assert_true(n > 0);
            expect_whole(packed, n);
        }
        libdeflate_free_compressor(c);
    }
}

/* ---- streams made by hand ---------------------------------------------------------------------------------------------------- */

struct pen {
    uint8_t bytes[100000];
    size_t bits;
};

static void put(struct pen *p, unsigned bits, unsigned n)
{
    for (unsigned i = 0; i < n; i++, p->bits++) {
        if (p->bits % 8 == 0)
            p->bytes[p->bits / 8] = 0;
        p->bytes[p->bits / 8] |= (uint8_t)((bits >> i & 1) << p->bits % 8);
    }
}

/* The codeword of SYMBOL (3.2.2), its first bit first. */
static void put_symbol(struct pen *p, const uint8_t *lengths, unsigned n, unsigned symbol)
{
    unsigned code = 0, len = lengths[symbol];
    for (unsigned l = 1; l <= len; l++) {
        code <<= 1;
        for (unsigned i = 0; i < n; i++)
            code += lengths[i] == l && (l < len || i < symbol);
    }
    for (unsigned i = len; i-- > 0;)
        put(p, code >> i, 1);
}

/* Lengths 1, 2, …, LONGEST, LONGEST for the symbols at FROM. */
static void make_lengths(uint8_t *lengths, const uint16_t *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        lengths[from[i]] = (uint8_t)(i + 1 < n ? i + 1 : i);
}

/* The header of a dynamic block: 286 and 30 lengths, each written out by four bits of a precode of sixteen symbols. */
static void put_header(struct pen *p, const uint8_t *lengths, bool is_last)
{
    static const uint8_t four[16] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    put(p, is_last, 1);
    put(p, 2, 2);
    put(p, 29, 5);
    put(p, 29, 5);
    put(p, 15, 4);
    for (unsigned i = 0; i < 19; i++)
        put(p, i < 3 ? 0 : 4, 3);
    for (unsigned i = 0; i < 316; i++)
        put_symbol(p, four, 16, lengths[i]);
}

/* A code whose codewords have 1 to 15 bits, all of which occur: those that are longer than their tables' bits, too, one behind the other. */
static void test_long_codewords(void **state)
{
    (void)state;
    static struct pen p;
    static const uint16_t litlens[16] = {'a', 257, 256, 264, 265, 284, 'b', 268, 269, 272, 273, 'c', 276, 280, 281, 285};
    static const uint16_t distances[16] = {29, 0, 3, 4, 28, 27, 5, 8, 9, 12, 13, 20, 21, 25, 26, 1};
    uint8_t lengths[316] = {0};
    make_lengths(lengths, litlens, 16);
    make_lengths(lengths + 286, distances, 16);
    unsigned ends = 0;
    for (unsigned round = 0; round < 40; round++) {
        p.bits = 0;
        put(&p, 0, 8); /* stored: 32 KiB, so that no distance leads too far */
        put(&p, 0x8000, 16);
        put(&p, 0x7fff, 16);
        for (unsigned i = 0; i < 0x8000; i++)
            put(&p, 'x', 8);
        for (unsigned block = 0; block < 4; block++) {
            put_header(&p, lengths, block == 3);
            for (unsigned i = 0; i < 300; i++) {
                unsigned symbol = litlens[random_below(16)], k = symbol - 257, far = distances[random_below(16)];
                if (symbol == 256)
                    continue;
                put_symbol(&p, lengths, 286, symbol);
                if (symbol < 256)
                    continue;
                put(&p, random_below(32), k < 8 || k == 28 ? 0 : k / 4 - 1);
                put_symbol(&p, lengths + 286, 30, far);
                put(&p, random_below(1 << 13), far < 4 ? 0 : far / 2 - 1);
            }
            put_symbol(&p, lengths, 286, 256);
        }
        bool whole;
        assert_int_equal(ends_compare(p.bytes, (p.bits + 7) / 8, 0xff, &whole, &ends), 5);
        assert_true(whole);
        assert_true(ends_leave_open(p.bytes, (p.bits + 7) / 8, 1 << 20) > 0);
    }
    assert_int_equal(ends, 0xff);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } faults[] = {
        {"", 0},
        {"\x07", 1},                                     /* a block of no type */
        {"\x01\x01\x00\xfe\xfe" "a", 6},                 /* a length and its complement */
        {"\x01\x02\x00\xfd\xff" "a", 6},                 /* stored, cut off */
        {"\x03", 1},                                     /* no end of the block */
        {"\x00\x00\x00\xff\xff", 5},                     /* no last block */
        {"\xf5\xe0\x81\x08\x00\x00\x00\x00\x00\x00", 10}, /* 287 litlens */
        {"\x1b\x03\x00\x00", 4},                         /* a litlen 286 */
    };
    struct odp_deflate_walk w;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bool whole;
        (void)ends_compare(faults[i].bytes, faults[i].len, 0, &whole, NULL);
        assert_false(whole);
        uint8_t *copy = ends_copy(faults[i].bytes, faults[i].len, 0xff);
        assert_int_equal(odp_deflate_leave_open(&w, copy, faults[i].len), 0);
        assert_memory_equal(copy, faults[i].bytes, faults[i].len); /* as it was */
        free(copy);
    }
}

/* Cut off anywhere, with any byte wrong. */
static void test_damage(void **state)
{
    (void)state;
    static uint8_t plain[3000], packed[6000], damaged[6000];
    bool whole;
    for (unsigned round = 0; round < 12; round++) {
        make_bytes(plain, sizeof plain, 2 + round % 2);
        z_stream z = {.next_in = plain, .avail_in = sizeof plain, .next_out = packed, .avail_out = sizeof packed};
        assert_int_equal(deflateInit2(&z, 1 + (int)(round % 3 * 4), Z_DEFLATED, -15, 1, round < 9 ? Z_DEFAULT_STRATEGY : Z_HUFFMAN_ONLY), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        size_t n = z.total_out;
        deflateEnd(&z);
        for (size_t cut = 0; cut < n; cut++) {
            (void)ends_compare(packed, cut, (uint8_t)(0 - cut % 2), &whole, NULL);
            assert_false(whole);
        }
        for (unsigned i = 0; i < 3000; i++) {
            memcpy(damaged, packed, n);
            damaged[random_below(i % 2 == 0 ? 80 : (unsigned)n)] ^= (uint8_t)(1u << random_below(8));
            (void)ends_compare(damaged, n, 0, &whole, NULL);
        }
    }
}

/* Pieces that end at every bit of a byte, one behind the other: for zlib and for libdeflate one stream. */
static void test_joined(void **state)
{
    (void)state;
    static uint8_t plain[400000], packed[500000], back[400000];
    static struct odp_deflate_walk w;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    assert_non_null(d);
    for (int level = 1; level <= 9; level++) {
        struct libdeflate_compressor *c = libdeflate_alloc_compressor(level);
        size_t n = 0, len = 0, got = 0;
        unsigned ends = 0, pieces = 0;
        bool whole;
        assert_non_null(c);
        make_bytes(plain, sizeof plain, 4);
        for (size_t piece; n < sizeof plain; n += piece, pieces++) {
            piece = pieces % 16 == 15 ? 20000 : 1 + random_below(2000);
            piece = piece < sizeof plain - n ? piece : sizeof plain - n;
            size_t one = libdeflate_deflate_compress(c, plain + n, piece, packed + len, sizeof packed - len);
            assert_true(one > 0);
            (void)ends_compare(packed + len, one, 0, &whole, &ends);
            assert_true(whole);
            len += n + piece < sizeof plain ? odp_deflate_leave_open(&w, packed + len, one) : one;
        }
        assert_int_equal(ends, 0xff);
        assert_true(expect_whole(packed, len) >= 2 * pieces - 1); /* each but the last with the empty block behind it */
        assert_int_equal(libdeflate_deflate_decompress(d, packed, len, back, sizeof back, &got), LIBDEFLATE_SUCCESS);
        assert_int_equal(got, n);
        assert_memory_equal(back, plain, n);
        z_stream z = {.next_in = packed, .avail_in = (uInt)len, .next_out = back, .avail_out = sizeof back};
        memset(back, 0, sizeof back);
        assert_int_equal(inflateInit2(&z, -15), Z_OK);
        assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
        assert_int_equal(z.total_out, n);
        assert_int_equal(z.avail_in, 0);
        assert_memory_equal(back, plain, n);
        inflateEnd(&z);
        libdeflate_free_compressor(c);
    }
    libdeflate_free_decompressor(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_of_zlib), cmocka_unit_test(test_streams_of_libdeflate), cmocka_unit_test(test_long_codewords),
        cmocka_unit_test(test_faults),          cmocka_unit_test(test_damage),                cmocka_unit_test(test_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
