/* Twins of a stage's files: which have them, at which level, made by whom, and when they are made again. */
#include "site_fixture.h"

#include <brotli/decode.h>
#include <libdeflate.h>
#include <zlib.h>

#include "base/media.h"

static void make_twins(struct site *s, unsigned jobs)
{
    struct odp_pool *pool;
    must(odp_pool_new(&pool, jobs));
    must(odp_stage_twins(s->stage, pool, NULL));
    odp_pool_free(pool);
}

static void stage_text(struct site *s, const char *path, const char *type, const char *text, size_t len)
{
    must(odp_stage_put(s->stage, path, type, ODP_CLASS_KEYED, (struct odp_slice){text, len}));
}

static void expect_gunzip(const struct site *s, const char *path, const char *bytes, size_t len)
{
    char full[512], header[10];
    fx_path(&s->fx, path, full);
    FILE *f = fopen(full, "rb");
    assert_non_null(f);
    assert_int_equal(fread(header, 1, 10, f), 10);
    assert_memory_equal(header + 4, "\0\0\0\0", 4); /* no time */
    fclose(f);
    gzFile z = gzopen(full, "rb");
    char *back = malloc(len + 1);
    assert_non_null(back);
    assert_int_equal(gzread(z, back, (unsigned)len + 1), len);
    assert_memory_equal(back, bytes, len);
    assert_int_equal(gzclose(z), Z_OK);
    free(back);
}

static void expect_unbrotli(const struct site *s, const char *path, const char *bytes, size_t len)
{
    size_t packed, got = len + 1;
    char *in = fx_read(&s->fx, path, &packed), *back = malloc(len + 1);
    assert_non_null(back);
    assert_int_equal(BrotliDecoderDecompress(packed, (const uint8_t *)in, &got, (uint8_t *)back),
                     BROTLI_DECODER_RESULT_SUCCESS);
    assert_int_equal(got, len);
    assert_memory_equal(back, bytes, len);
    free(back);
    free(in);
}

/* Text that compresses, without being trivial. */
static char *make_text(size_t len)
{
    char *text = malloc(len + 1);
    assert_non_null(text);
    uint32_t x = 12345;
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525u + 1013904223u;
        text[i] = "abcdefgh,\n"[(x >> 24) % 10];
    }
    text[len] = '\0';
    return text;
}

TEST(twins)
{
    static const size_t sizes[] = {4096, 16384, (128 << 10) + 1, (4 << 20) + 17};
    size_t before, after;
    SITE(s);
    site_open(&s);
    char *text = make_text(5 << 20);
    for (size_t i = 0; i < 4; i++)
        stage_text(&s, odp_arena_printf(&s.arena, "v1/f%zu.json", i), "application/json", text, sizes[i]);
    must(odp_stage_put(s.stage, "same.geojson", "application/geo+json", ODP_CLASS_PUBLIC,
                       (struct odp_slice){text, 16384}));
    stage_text(&s, "picture.png", "image/png", text, 4096);
    make_twins(&s, 2);
    const struct odp_site_file *twin = odp_stage_find(s.stage, "v1/f1.json.gz");
    assert_non_null(twin);
    assert_string_equal(twin->encoding, "gzip");
    assert_string_equal(twin->media_type, "application/json; charset=utf-8");
    assert_int_equal(twin->cls, ODP_CLASS_KEYED);
    assert_int_equal(odp_stage_find(s.stage, "same.geojson.br")->cls, ODP_CLASS_PUBLIC);
    assert_memory_equal(odp_stage_find(s.stage, "same.geojson.gz")->sha256, twin->sha256, 32);
    assert_null(odp_stage_find(s.stage, "picture.png.gz"));
    (void)odp_stage_files(s.stage, &before);
    make_twins(&s, 2); /* nothing to do */
    (void)odp_stage_files(s.stage, &after);
    assert_int_equal(before, after);
    (void)site_switch(&s, 1);
    for (size_t i = 0; i < 4; i++) {
        expect_gunzip(&s, odp_arena_printf(&s.arena, "site/v1/f%zu.json.gz", i), text, sizes[i]);
        expect_unbrotli(&s, odp_arena_printf(&s.arena, "site/v1/f%zu.json.br", i), text, sizes[i]);
    }
    free(text);
}

/* What fits into one packet needs no twin, and none by brotli where the one by gzip fits, whoever makes them;
 * where there is to be none by gzip, brotli's is made. */
TEST(one_packet)
{
    enum { PAGE = 200 << 10 };
    static const struct odp_compression no_gzip = {.usual = {0, 5}, .pages = {0, 5}, .large_above = 1 << 30},
                                        both = {.usual = {6, 5}, .pages = {6, 5}, .large_above = 1 << 30};
    static const struct {
        const struct odp_compression *levels;
        size_t random, len; /* of its bytes: the rest is spaces, of which a packet holds any number */
        bool gzip, br;
    } all[] = {{&both, 1400, 1400, false, false},  {&both, 1401, 1401, true, false},
               {&both, 1000, PAGE, true, false},   {&both, PAGE, PAGE, true, true},
               {&both, 4096, 4096, true, true},    {&no_gzip, 1401, 1401, false, true},
               {&no_gzip, 1000, PAGE, false, true}};
    char *text = make_text(PAGE);
    for (size_t i = 0; i < 3 * ODP_COUNT(all); i++) {
        const size_t k = i / 3, way = i % 3;
        SITE(s);
        site_open(&s);
        struct odp_output *out = odp_stage_output(s.stage);
        char *bytes = odp_arena_array(&s.arena, PAGE, 1);
        memset(bytes, ' ', PAGE);
        memcpy(bytes, text, all[k].random);
        odp_stage_compression(s.stage, all[k].levels);
        if (way == 1)
            odp_stage_twins_ahead(s.stage, 2);
        stage_text(&s, "v1/f/p/2.json", "application/json", bytes, all[k].len);
        stage_text(&s, "v1/f/p/3.json", "application/json", bytes, all[k].len);
        if (way == 2)
            must(out->press(out->ctx, "v1/f/p/3.json"));
        for (unsigned turn = 0; turn < 2; turn++) {
            make_twins(&s, 2);
            assert_int_equal(odp_stage_has(s.stage, "v1/f/p/2.json.gz"), all[k].gzip);
            assert_int_equal(odp_stage_has(s.stage, "v1/f/p/2.json.br"), all[k].br);
            assert_int_equal(odp_stage_has(s.stage, "v1/f/p/3.json.br"), all[k].br);
        }
    }
    free(text);
}

/* A file's levels are those of its kind; 0 means that it has no such twin, whenever it would be made. */
TEST(compression)
{
    static const struct odp_compression levels = {
        .usual = {1, 5}, .pages = {9, 0}, .large = {1, 0}, .large_above = 5 << 20};
    static const struct {
        const char *path;
        size_t len;
        int gzip; /* of a file: its level */
        bool br;
    } all[] = {{"v1/f.json", 1 << 20, 1, true},
               {"v1/f/p/2.json", 1 << 20, 9, false},
               {"v1/f/p/3.json", 128 << 10, 1, true},
               {"tempat/11.csv", 4096, 9, false},
               {"v1/g.json", (5 << 20) + 1, 1, false}};
    SITE(s);
    site_open(&s);
    char *text = make_text(6 << 20);
    struct odp_output *out = odp_stage_output(s.stage);
    odp_stage_compression(s.stage, &levels);
    odp_stage_twins_ahead(s.stage, 2);
    for (size_t i = 0; i < ODP_COUNT(all); i++)
        stage_text(&s, all[i].path, "application/json", text, all[i].len);
    must(out->press(out->ctx, "v1/g.json"));
    make_twins(&s, 2);
    for (size_t i = 0; i < ODP_COUNT(all); i++) {
        const struct odp_site_file *gz =
            odp_stage_find(s.stage, odp_arena_printf(&s.arena, "%s.gz", all[i].path));
        struct libdeflate_compressor *c = libdeflate_alloc_compressor(all[i].gzip);
        const size_t bound = libdeflate_gzip_compress_bound(c, all[i].len);
        char *expected = malloc(bound);
        assert_int_equal(gz->size, libdeflate_gzip_compress(c, text, all[i].len, expected, bound));
        free(expected);
        libdeflate_free_compressor(c);
        assert_int_equal(odp_stage_has(s.stage, odp_arena_printf(&s.arena, "%s.br", all[i].path)), all[i].br);
    }
    free(text);
}

/* The twins of a large download and of a further page are made before the end, and shared like others; a page
 * has gzip alone: brotli as cheap makes it larger. */
TEST(twins_beforehand)
{
    enum { SIZE = (4 << 20) + 17 };
    SITE(s);
    site_open(&s);
    char *text = make_text(SIZE);
    struct odp_output *out = odp_stage_output(s.stage);
    stage_text(&s, "v1/a.json", "application/json", text, SIZE);
    stage_text(&s, "v1/b.json", "application/json", text, SIZE);
    stage_text(&s, "v1/small.json", "application/json", text, 4096);
    stage_text(&s, "v1/b/p/2.json", "application/json", text, (128 << 10) + 1);
    static const char *const asked[] = {"v1/b/p/2.json", "v1/b.json", "v1/small.json", "v1/not.json"};
    for (size_t k = 0; k < ODP_COUNT(asked); k++)
        must(out->press(out->ctx, asked[k]));
    assert_non_null(odp_stage_find(s.stage, "v1/b.json.gz"));
    assert_non_null(odp_stage_find(s.stage, "v1/b.json.br"));
    assert_null(odp_stage_find(s.stage, "v1/small.json.gz"));
    assert_non_null(odp_stage_find(s.stage, "v1/b/p/2.json.gz"));
    make_twins(&s, 2);
    assert_null(odp_stage_find(s.stage, "v1/b/p/2.json.br"));
    (void)site_switch(&s, 1);
    static const char *const names[] = {"site/v1/a.json", "site/v1/b.json"};
    for (size_t k = 0; k < 2; k++) {
        expect_gunzip(&s, odp_arena_printf(&s.arena, "%s.gz", names[k]), text, SIZE);
        expect_unbrotli(&s, odp_arena_printf(&s.arena, "%s.br", names[k]), text, SIZE);
    }
    free(text);
}

/* Every media type that a site may have: text gets twins, other files do not. */
TEST(media_types)
{
    static const struct {
        const char *type;
        enum odp_media media;
    } all[] = {
#define ODP_FORMAT(symbol, emitter, format, name, type, media, ...) {type, ODP_MEDIA_##media},
#define ODP_FORMAT_ALSO(...)
#define ODP_MEDIA(type, media) {type "; charset=utf-8", ODP_MEDIA_##media},
#include "contract/formats.def"
#include "contract/media_types.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
#undef ODP_MEDIA
    };
    static const char *const suffixes[] = {".gz", ".br"};
    SITE(s);
    site_open(&s);
    char *text = make_text(4096);
    for (size_t i = 0; i < ODP_COUNT(all); i++) /* no two are alike */
        stage_text(&s, odp_arena_printf(&s.arena, "f%zu", i), all[i].type, text, 4096 - i);
    make_twins(&s, 2);
    for (size_t i = 0; i < 2 * ODP_COUNT(all); i++) {
        const char *path = odp_arena_printf(&s.arena, "f%zu%s", i / 2, suffixes[i % 2]);
        assert_int_equal(odp_stage_find(s.stage, path) != NULL, all[i / 2].media == ODP_MEDIA_TEXT);
    }
    free(text);
}

/* Nobody adds a format and forgets to say whether it gets twins. */
TEST(no_other_media_type)
{
    static const char *const others[] = {"application/x-new", "text/x-new", "application/x-new+json",
                                         "text/csvx",         "text",       ""};
    size_t n;
    const struct odp_emitter *const *kinds = odp_emitters(&n);
    for (size_t i = 0; i < n; i++)
        if (odp_media_of(kinds[i]->file->media_type) == ODP_MEDIA_UNKNOWN)
            fail_msg("contract/media_types.def lacks %s of the emitter %s", kinds[i]->file->media_type,
                     kinds[i]->file->name);
    SITE(s);
    site_open(&s);
    for (size_t i = 0; i < ODP_COUNT(others); i++) {
        must_fail(odp_stage_put(s.stage, "new", others[i], ODP_CLASS_PUBLIC, ODP_LIT("x")), "");
        assert_null(odp_stage_find(s.stage, "new"));
    }
}

TEST(twin_that_is_no_smaller)
{
    char noise[2048];
    uint32_t x = 99;
    SITE(s);
    site_open(&s);
    for (size_t i = 0; i < sizeof noise; i++) {
        x = x * 1664525u + 1013904223u;
        noise[i] = (char)(x >> 24);
    }
    stage_text(&s, "n.txt", "text/plain", noise, sizeof noise);
    make_twins(&s, 2);
    assert_null(odp_stage_find(s.stage, "n.txt.gz"));
    assert_null(odp_stage_find(s.stage, "n.txt.br"));
}

TEST(same_site_on_one_and_on_three_threads)
{
    char names[2][65];
    char *text = make_text(300 << 10);
    for (unsigned k = 0; k < 2; k++) {
        SITE(s);
        site_open(&s);
        for (unsigned i = 0; i < 20; i++) { /* in another order each time */
            unsigned at = k == 0 ? i : 19 - i;
            stage_text(&s, odp_arena_printf(&s.arena, "v1/f%u.json", at), "application/json", text,
                       1000 + 14000 * at);
        }
        make_twins(&s, k == 0 ? 1 : 3);
        snprintf(names[k], sizeof names[k], "%s", strrchr(site_switch(&s, 1), '/') + 1);
    }
    assert_string_equal(names[0], names[1]);
    free(text);
}

static bool is_second(const void *ctx, const struct odp_site_file *f)
{
    return strncmp(f->path, "v1/f2.json", 10) == 0;
}

static bool has_scratch(const struct site *s)
{
    struct odp_arena a = {0};
    const char **names;
    size_t n;
    bool any = false;
    must(odp_dir_list(odp_arena_printf(&a, "%s.builds", s->out), &a, &names, &n));
    for (size_t i = 0; i < n; i++)
        any = any || strncmp(names[i], ".scratch", 8) == 0;
    odp_arena_release(&a);
    return any;
}

/* A site is the same whether twins are made ahead or not: also for files put again or dropped meanwhile,
 * equal bytes, a twin that is no smaller. */
TEST(twins_ahead)
{
    char names[2][65];
    char *text = make_text(300 << 10);
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        SITE(s);
        site_open(&s);
        stage_text(&s, "v1/f0.json", "application/json", text, 5000); /* before: not ahead */
        odp_stage_twins_ahead(s.stage, jobs);
        for (unsigned i = 0; i < 30; i++)
            stage_text(&s, odp_arena_printf(&s.arena, "v1/g%u.json", i), "application/json", text,
                       1000 + 7000 * (i / 2));
        for (unsigned turn = 0; turn < 20; turn++) {
            stage_text(&s, "v1/f2.json", "application/json", text + turn, 50000);
            must(odp_stage_drop_if(s.stage, NULL, is_second, NULL));
        }
        assert_null(odp_stage_find(s.stage, "v1/g0.json.gz")); /* nobody finds them */
        if (jobs > 1)
            usleep(20000);
        stage_text(&s, "v1/f2.json", "application/json", text + 7, 50000);
        make_twins(&s, jobs);
        stage_text(&s, "v1/late.json", "application/json", text + 11, 60000);
        make_twins(&s, jobs);
        assert_non_null(odp_stage_find(s.stage, "v1/f0.json.br"));
        snprintf(names[jobs / 2], sizeof names[0], "%s", strrchr(site_switch(&s, 1), '/') + 1);
        expect_gunzip(&s, "site/v1/f2.json.gz", text + 7, 50000);
        expect_unbrotli(&s, "site/v1/late.json.br", text + 11, 60000);
        expect_gunzip(&s, "site/v1/g29.json.gz", text, 1000 + 7000 * 14);
        assert_false(has_scratch(&s));
    }
    assert_string_equal(names[0], names[1]);
    free(text);
}

/* A stage that is given up while twins are made: nothing is left. */
TEST(twins_ahead_of_nothing)
{
    char *text = make_text(300 << 10);
    SITE(s);
    site_open(&s);
    odp_stage_twins_ahead(s.stage, 2);
    for (unsigned i = 0; i < 30; i++)
        stage_text(&s, odp_arena_printf(&s.arena, "v1/g%u.json", i), "application/json", text + i, 100000);
    odp_stage_close(s.stage);
    s.stage = NULL;
    assert_false(has_scratch(&s));
    free(text);
}

/* Twins are made anew for a file that is dropped and put again with other bytes. */
TEST(twins_again)
{
    SITE(s);
    site_open(&s);
    char *text = make_text(1 << 20);
    for (int turn = 0; turn < 2; turn++) {
        stage_text(&s, "v1/f2.json", "application/json", text + 100 * turn, 500000);
        make_twins(&s, 2);
        if (turn == 0)
            must(odp_stage_drop_if(s.stage, NULL, is_second, NULL));
        assert_int_equal(odp_stage_find(s.stage, "v1/f2.json.gz") == NULL, turn == 0);
    }
    (void)site_switch(&s, 1);
    expect_gunzip(&s, "site/v1/f2.json.gz", text + 100, 500000);
    free(text);
}
