/* tools/odp-build/repair/shapes: whatever is wrong with a shapefile's numbers, mending gives back every shape
 * that is there, or changes nothing; what is mended once is not changed again. */
#include "one_folder.h"
#include "random.h"
#include "shape_fixture.h"

#include "base/file.h"
#include "repair/shapes/mend_internal.h"

enum { SHAPES = 6, CONTENT = 44 + 4 + 16 * 5, SHP = 100 + SHAPES * (8 + CONTENT), SHX = 100 + 8 * SHAPES };

static void be32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void le32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* ---- a sound shapefile of squares ---- */

static void make_content(uint8_t *p, double x, double y)
{
    const double xy[] = {x, y, x, y + 1, x + 1, y + 1, x + 1, y, x, y}, box[] = {x, y, x + 1, y + 1};
    le32(p, 5);
    memcpy(p + 4, box, sizeof box);
    le32(p + 36, 1);
    le32(p + 40, 5);
    le32(p + 44, 0);
    memcpy(p + 48, xy, sizeof xy);
}

static void make_header(uint8_t *p, size_t size)
{
    const double box[] = {100, -8, 100 + 2 * SHAPES - 1, -7};
    memset(p, 0, 100);
    be32(p, 9994);
    be32(p + 24, (uint32_t)size / 2);
    le32(p + 28, 1000);
    le32(p + 32, 5);
    memcpy(p + 36, box, sizeof box);
}

static void make(uint8_t shp[SHP], uint8_t shx[SHX])
{
    make_header(shp, SHP);
    make_header(shx, SHX);
    for (uint32_t i = 0; i < SHAPES; i++) {
        uint32_t pos = 100 + i * (8 + CONTENT);
        be32(shp + pos, i + 1);
        be32(shp + pos + 4, CONTENT / 2);
        make_content(shp + pos + 8, 100 + 2.0 * i, -8);
        be32(shx + 100 + 8 * (size_t)i, pos / 2);
        be32(shx + 104 + 8 * (size_t)i, CONTENT / 2);
    }
}

static void put_table(void)
{
    uint8_t t[65 + SHAPES * 5 + 1] = {3, 124, 1, 1};
    le32(t + 4, SHAPES);
    t[8] = 65;
    t[10] = 5;
    memcpy(t + 32, "id", 2);
    t[32 + 11] = 'C';
    t[32 + 16] = 4;
    t[64] = '\r';
    memset(t + 65, ' ', SHAPES * 5);
    for (size_t i = 0; i < SHAPES; i++)
        t[66 + 5 * i] = (uint8_t)('a' + i);
    t[sizeof t - 1] = 0x1A;
    put_bytes(at("s.dbf"), t, sizeof t);
}

/* ---- mending ---- */

static enum odp_status mend(enum odp_code code, uint64_t line, struct odp_rewritten *done)
{
    struct fixture f;
    struct odp_arena a = {0};
    struct odp_edits *e = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s", at("s.shp"));
    fixture_init(&f, "id");
    must(odp_edits_new(&e, &f.resource));
    const struct odp_diag d = {.code = code, .line = line, .row = line, .action = ODP_ACTION_MEND_SHAPE};
    const struct odp_rewriting how = {.path = path, .file = path};
    odp_edits_mend(e, &d);
    enum odp_status status = odp_rewrite(e, &how, &a, done, f.diags);
    assert_int_not_equal(status, ODP_FAIL);
    if (status == ODP_BAD)
        assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 1);
    odp_edits_free(e);
    odp_arena_release(&a);
    fixture_release(&f);
    return status;
}

static void assert_is(const char *name, const uint8_t *bytes, size_t n)
{
    BUFFER(b);
    must(odp_file_read(at(name), 1 << 20, &b, NULL));
    assert_int_equal(b.len, n);
    assert_memory_equal(b.ptr, bytes, n);
}

static void remove_originals(void)
{
    static const char *const names[] = {"s.shp.asli", "s.shx.asli", "s.dbf.asli"};
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        unlink(at(names[i]));
}

/* Damages numbers that describe the shapes, never the shapes. */
static void damage(uint8_t *shp, size_t *nshp, uint8_t *shx, size_t *nshx)
{
    uint32_t what = dice(6), k = dice(SHAPES);
    uint8_t byte = (uint8_t)random_bits();
    switch (what) {
    case 0: /* a record's number or length */
        shp[100 + k * (8 + CONTENT) + dice(8)] ^= byte;
        break;
    case 1: /* the index */
        shx[dice(SHX)] ^= byte;
        break;
    case 2:
        *nshx -= *nshx == SHX ? dice(8 * SHAPES) : 0;
        break;
    case 3: /* the lengths that headers state */
        shp[24 + dice(4)] ^= byte;
        break;
    case 4:
        *nshx = 0;
        break;
    default:
        shx[24 + dice(4)] ^= byte;
        break;
    }
}

TEST(nothing_is_lost)
{
    uint8_t sound_shp[SHP], sound_shx[SHX];
    unsigned mended = 0;
    make(sound_shp, sound_shx);
    put_table();
    put_bytes(at("s.prj"),
              "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],"
              "PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]",
              145);
    for (int round = 0; round < 600; round++) {
        uint8_t shp[SHP], shx[SHX];
        size_t nshp = SHP, nshx = SHX;
        struct odp_rewritten done;
        memcpy(shp, sound_shp, SHP);
        memcpy(shx, sound_shx, SHX);
        for (uint32_t i = dice(2); i < 2; i++)
            damage(shp, &nshp, shx, &nshx);
        put_bytes(at("s.shp"), shp, nshp);
        unlink(at("s.shx"));
        if (nshx > 0)
            put_bytes(at("s.shx"), shx, nshx);
        if (mend(ODP_G13, 0, &done) == ODP_OK) {
            assert_is("s.shp", sound_shp, SHP);
            assert_is("s.shx", sound_shx, SHX);
            mended++;
        } else {
            assert_is("s.shp", shp, nshp);
        }
        remove_originals();
    }
    assert_true(mended > 500);
}

/* ---- single shapes ---- */

static size_t random_content(uint8_t *p)
{
    uint32_t parts = 1 + dice(3), points = 0;
    uint8_t *starts = p + 44, *xy = starts + 4 * (size_t)parts;
    memset(p, 0, 44);
    le32(p, 5);
    for (uint32_t k = 0; k < parts; k++) {
        uint32_t n = 1 + dice(9);
        le32(starts + 4 * (size_t)k, points);
        for (uint32_t i = 0; i < n; i++, points++) {
            const double v[] = {100 + dice(5), dice(5)};
            memcpy(xy + 16 * (size_t)points, v, sizeof v);
        }
    }
    le32(p + 36, parts);
    le32(p + 40, points);
    return 44 + 4 * (size_t)parts + 16 * (size_t)points;
}

TEST(mended_shapes_stay)
{
    unsigned mended = 0;
    for (int round = 0; round < 3000; round++) {
        uint8_t content[44 + 12 + 16 * 27];
        struct odp_buffer once = {0}, twice = {0};
        size_t n = random_content(content);
        enum odp_status status = mend_shape(ODP_G04, content, n, &once);
        assert_int_not_equal(status, ODP_FAIL);
        if (status == ODP_OK) {
            mended++;
            must(mend_shape(ODP_G04, (const uint8_t *)once.ptr, once.len, &twice));
            assert_int_equal(once.len, twice.len);
        }
        odp_buffer_release(&once);
        odp_buffer_release(&twice);
    }
    assert_true(mended > 1000);
}

TEST(one_shape_changes)
{
    uint8_t shp[SHP], shx[SHX];
    struct odp_rewritten done;
    make(shp, shx);
    const double crossed[] = {104, -8, 105, -7, 105, -8, 104, -7, 104, -8};
    memcpy(shp + 100 + 2 * (8 + CONTENT) + 8 + 48, crossed, sizeof crossed);
    put_bytes(at("s.shp"), shp, SHP);
    put_bytes(at("s.shx"), shx, SHX);
    must(mend(ODP_G04, 3, &done));
    assert_int_equal(done.shapes, 1);
    struct odp_buffer b = {0};
    must(odp_file_read(at("s.shp"), 1 << 20, &b, NULL));
    assert_memory_equal(b.ptr + 100, shp + 100, 2 * (8 + CONTENT));
    const size_t rest = 3 * (8 + CONTENT);
    assert_memory_equal(b.ptr + b.len - rest, shp + SHP - rest, rest);
    odp_buffer_release(&b);
    assert_is("s.shp.asli", shp, SHP);
    must_refuse(mend(ODP_G04, 99, &done));
    odp_original_drop(at("s.shp.asli"));
    assert_int_equal(access(at("s.shx.asli"), F_OK), -1);
}

AROUND(make_folder, remove_folder)
