/* tools/lib/published/press.c: what is pressed unpacks to the same bytes everywhere, large files too, which
 * are pressed in pieces and are one member of gzip all the same; the bytes depend on the file alone;
 * failures are reported. */
#include "one_folder.h"

#include <brotli/decode.h>
#include <dlfcn.h>
#include <glob.h>
#include <libdeflate.h>
#include <unistd.h>
#include <zlib.h>

#include "published/press.h"

enum { PIECE = ODP_PRESS_WHOLE, LARGE = 64 << 20 };

/* ---- faults: these take the place of libdeflate's own ---- */

static bool no_compressor;

struct libdeflate_compressor *libdeflate_alloc_compressor(int level)
{
    struct libdeflate_compressor *(*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "libdeflate_alloc_compressor");
    return no_compressor ? NULL : real(level);
}

/* ---- files ---- */

static uint8_t *get(const char *name, size_t *len)
{
    FILE *f = fopen(at(name), "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *len = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*len + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *len, f), *len);
    fclose(f);
    return bytes;
}

/* "in" as E to "out". */
static enum odp_status press(struct odp_press *p, uint64_t size, enum odp_encoding e,
                             struct odp_file_info *info)
{
    struct odp_file *to = NULL;
    char from[128];
    snprintf(from, sizeof from, "%s", at("in"));
    remove(at("out"));
    must(odp_file_create(&to, at("out"), 0600));
    enum odp_status status = odp_press_file(p, from, size, e, size > LARGE ? 1 : 5, to);
    if (status == ODP_OK)
        return odp_file_close(to, info);
    odp_file_discard(to);
    return status;
}

/* ---- what unpacks it ---- */

/* One member, to the last byte, by zlib. */
static void expect_zlib(const uint8_t *packed, size_t len, const uint8_t *plain, size_t size, uint8_t *back)
{
    z_stream z = {
        .next_in = (uint8_t *)(uintptr_t)packed,
        .avail_in = (uInt)len,
        .next_out = back,
        .avail_out = (uInt)size + 1,
    };
    memset(back, 0, size + 1);
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END); /* checksum and size, too */
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(z.total_out, size);
    assert_memory_equal(back, plain, size);
    inflateEnd(&z);
}

static void expect_libdeflate(const uint8_t *packed, size_t len, const uint8_t *plain, size_t size,
                              uint8_t *back)
{
    size_t got = 0, used = 0;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    assert_non_null(d);
    memset(back, 0, size + 1);
    assert_int_equal(libdeflate_gzip_decompress_ex(d, packed, len, back, size + 1, &used, &got),
                     LIBDEFLATE_SUCCESS);
    assert_int_equal(used, len);
    assert_int_equal(got, size);
    assert_memory_equal(back, plain, size);
    libdeflate_free_decompressor(d);
}

static void expect_command(const uint8_t *plain, size_t size, uint8_t *back)
{
    char command[300];
    snprintf(command, sizeof command, "gzip -dc < %s", at("out"));
    FILE *f = popen(command, "r");
    assert_non_null(f);
    memset(back, 0, size + 1);
    assert_int_equal(fread(back, 1, size + 1, f), size);
    assert_int_equal(pclose(f), 0);
    assert_memory_equal(back, plain, size);
}

static void expect_gzip(const uint8_t *plain, size_t size, int xfl)
{
    size_t len;
    uint8_t *packed = get("out", &len), *back = malloc(size + 1);
    /* libdeflate does not say on what system: RFC 1952, section 2.3.1 */
    const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, (uint8_t)xfl, 255};
    assert_non_null(back);
    assert_true(len > 18);
    assert_memory_equal(packed, header, sizeof header);
    expect_zlib(packed, len, plain, size, back);
    expect_libdeflate(packed, len, plain, size, back);
    expect_command(plain, size, back);
    free(back);
    free(packed);
}

static void expect_brotli(const uint8_t *plain, size_t size)
{
    size_t len, got = size + 1;
    uint8_t *packed = get("out", &len), *back = malloc(size + 1);
    assert_non_null(back);
    assert_int_equal(BrotliDecoderDecompress(len, packed, &got, back), BROTLI_DECODER_RESULT_SUCCESS);
    assert_int_equal(got, size);
    assert_memory_equal(back, plain, size);
    free(back);
    free(packed);
}

/* The size of its gzip. */
static uint64_t expect_pressed(struct odp_press *p, const uint8_t *plain, size_t size)
{
    struct odp_file_info first, again;
    struct odp_press *fresh = NULL;
    put_bytes(at("in"), plain, size);
    must(press(p, size, ODP_ENCODING_GZIP, &first));
    expect_gzip(plain, size, size <= 64 << 20 ? 0 : 4);
    /* The bytes depend on the file alone, not on what was pressed before. */
    must(odp_press_new(&fresh));
    must(press(fresh, size, ODP_ENCODING_GZIP, &again));
    assert_memory_equal(first.sha256, again.sha256, sizeof first.sha256);
    uint64_t packed = first.size;
    must(press(p, size, ODP_ENCODING_BROTLI, &first));
    expect_brotli(plain, size);
    must(press(fresh, size, ODP_ENCODING_BROTLI, &again));
    assert_memory_equal(first.sha256, again.sha256, sizeof first.sha256);
    odp_press_free(fresh);
    return packed;
}

/* ---- bytes ---- */

static void make_noise(uint8_t *p, size_t n)
{
    uint64_t x = 7;
    for (size_t i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        p[i] = (uint8_t)(x >> 56);
    }
}

/* Records of JSON of which no two are equal. */
static size_t make_json(uint8_t *p, size_t n)
{
    uint64_t x = 7;
    for (size_t len = 0, i = 0;; i++, len = strlen((char *)p + len) + len) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        int took = snprintf((char *)p + len, n - len,
                            "{\"id\":%zu,\"kode\":\"31.%02u\",\"nilai\":%u.%u,\"nama\":\"Kelurahan %u\"},\n",
                            i, (unsigned)(x >> 40) % 99, (unsigned)(x >> 20) % 100000,
                            (unsigned)(x >> 50) % 10, (unsigned)(x >> 33) % 400);
        if (len + (size_t)took >= n)
            return len;
    }
}

/* At least N bytes of it, to be freed. */
static uint8_t *json_of(size_t n)
{
    uint8_t *json = malloc(n + 1000);
    assert_non_null(json);
    assert_true(make_json(json, n + 1000) >= n);
    return json;
}

TEST(sizes)
{
    static const size_t sizes[] = {
        0,         1,     255,       32 << 10,      (32 << 10) + 1, 128 << 10,     (128 << 10) + 1, 343000,
        PIECE - 1, PIECE, PIECE + 1, 2 * PIECE - 1, 2 * PIECE,      2 * PIECE + 1, 3 * PIECE + 77};
    struct odp_press *p = *state;
    size_t room = 3 * PIECE + 100;
    uint8_t *json = json_of(room);
    for (size_t i = 0; i < ODP_COUNT(sizes); i++) {
        uint64_t packed = expect_pressed(p, json, sizes[i]);
        assert_true(sizes[i] < 1000 || packed < sizes[i] / 3);
    }
    free(json);
}

TEST(kinds)
{
    struct odp_press *p = *state;
    size_t n = 2 * PIECE + 333333;
    uint8_t *bytes = malloc(n);
    assert_non_null(bytes);
    make_noise(bytes, n); /* stored blocks */
    uint64_t packed = expect_pressed(p, bytes, n);
    assert_true(packed > n && packed < n + n / 1000);
    memset(bytes, 'a', n); /* matches of 258 */
    assert_true(expect_pressed(p, bytes, n) < n / 500);
    make_noise(bytes + n / 2, n / 4); /* both, and the border in the middle of a piece */
    assert_true(expect_pressed(p, bytes, n) < n / 2);
    free(bytes);
}

/* The example catalogue's sources, one behind the other. */
TEST(real_files)
{
    struct odp_press *p = *state;
    size_t n = 0, room = 2 * PIECE + 1;
    uint8_t *bytes = malloc(room);
    glob_t found;
    assert_non_null(bytes);
    assert_int_equal(glob(ODP_TESTS_DIR "/../catalog/*/*.[cj]s*", 0, NULL, &found), 0);
    for (size_t i = 0; n < room; i++) {
        FILE *f = fopen(found.gl_pathv[i % found.gl_pathc], "rb");
        assert_non_null(f);
        n += fread(bytes + n, 1, room - n, f);
        fclose(f);
    }
    globfree(&found);
    assert_true(expect_pressed(p, bytes, n) < n / 2);
    free(bytes);
}

/* As fast as can be, with a file that is mapped. */
TEST(large)
{
    struct odp_press *p = *state;
    struct odp_file_info info;
    size_t n = LARGE + 1;
    uint8_t *bytes = json_of(n);
    put_bytes(at("in"), bytes, n);
    must(press(p, n, ODP_ENCODING_GZIP, &info));
    expect_gzip(bytes, n, 4);
    assert_true(info.size < n / 3);
    must(press(p, n, ODP_ENCODING_BROTLI, &info));
    expect_brotli(bytes, n);
    assert_true(info.size < n / 3);
    free(bytes);
}

/* Above 512 MiB gzip is made in pieces, and is one member all the same. What follows the first ones is a
 * hole. */
TEST(in_pieces)
{
    const size_t size = ((size_t)512 << 20) + 1, n = 2 * PIECE + 5;
    uint8_t *bytes = json_of(n), *back = malloc(n), *zeros = calloc(1, n);
    struct odp_file_info info;
    put_bytes(at("in"), bytes, n);
    assert_int_equal(truncate(at("in"), (off_t)size), 0);
    must(press(*state, size, ODP_ENCODING_GZIP, &info));
    size_t len, at = 0;
    uint8_t *packed = get("out", &len);
    assert_int_equal(packed[9], 3); /* zlib's: "Unix" */
    z_stream z = {.next_in = packed, .avail_in = (uInt)len};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    for (int rc = Z_OK; rc != Z_STREAM_END; at += n - z.avail_out) {
        z.next_out = back;
        z.avail_out = (uInt)n;
        rc = inflate(&z, Z_NO_FLUSH);
        assert_true(rc == Z_OK || rc == Z_STREAM_END);
        assert_memory_equal(back, at == 0 ? bytes : zeros, n - z.avail_out);
    }
    assert_int_equal(at, size);
    assert_int_equal(z.avail_in, 0);
    inflateEnd(&z);
    free(packed);
    free(zeros);
    free(back);
    free(bytes);
}

/* ---- faults ---- */

static void expect_failure(const char *what)
{
    char text[200];
    snprintf(text, sizeof text, "%s %s", what, at("in"));
    assert_memory_equal(odp_failure_text(), text, strlen(text));
    odp_failure_clear();
}

TEST(faults)
{
    struct odp_press *p = *state;
    size_t n = 2 * PIECE + 5;
    uint8_t *bytes = json_of(n);
    put_bytes(at("in"), bytes, n);
    no_compressor = true;
    put_bytes(at("in"), bytes, 1000);
    assert_int_equal(press(p, 1000, ODP_ENCODING_GZIP, NULL), ODP_FAIL);
    put_bytes(at("in"), bytes, n);
    expect_failure("compress");
    no_compressor = false;
    for (enum odp_encoding e = 0; e < ODP_ENCODINGS; e++) {
        assert_int_equal(press(p, n - 1, e, NULL), ODP_FAIL); /* another size than was told */
        expect_failure("read");
        assert_int_equal(press(p, n + 1, e, NULL), ODP_FAIL);
        expect_failure("read");
    }
    remove(at("in"));
    assert_int_equal(press(p, n, ODP_ENCODING_GZIP, NULL), ODP_FAIL);
    expect_failure("open");
    put_bytes(at("in"), bytes, n);
    must(press(p, n, ODP_ENCODING_GZIP, NULL)); /* and goes on */
    expect_gzip(bytes, n, 0);
    free(bytes);
}

static int new_press(void **state)
{
    struct odp_press *p = NULL;
    enum odp_status status = odp_press_new(&p);
    *state = p;
    return status == ODP_OK ? 0 : -1;
}

static int free_press(void **state)
{
    odp_press_free(*state);
    return 0;
}

EACH(new_press, free_press)

AROUND(make_folder, remove_folder)
