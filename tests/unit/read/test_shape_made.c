/* Shapefiles written by the test itself: attributes, encodings, damage, rings, every type. */
#include "one_folder.h"
#include "shape_fixture.h"

#include <shapefil.h>

#include "base/file.h"
#include "read/shapefile/reader.h"

static void patch(const char *name, long offset, const void *bytes, size_t n)
{
    FILE *f = fopen(at(name), "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static const char wgs84[] =
    "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],"
    "PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]";

static void write_points(const char *name, const double *xy, int n)
{
    SHPHandle h = SHPCreate(at(name), SHPT_POINT);
    assert_non_null(h);
    for (int i = 0; i < n; i++) {
        SHPObject *o = SHPCreateSimpleObject(SHPT_POINT, 1, &xy[2 * i], &xy[2 * i + 1], NULL);
        SHPWriteObject(h, -1, o);
        SHPDestroyObject(o);
    }
    SHPClose(h);
}

/* Columns of every type; N rows of values as raw text. */
static void write_dbf(const char *name, const char *page, const char *const *rows, int n)
{
    DBFHandle h = DBFCreateEx(at(name), page);
    assert_non_null(h);
    DBFAddNativeFieldType(h, "nama_kawas", 'C', 20, 0);
    DBFAddNativeFieldType(h, "luas", 'N', 12, 3);
    DBFAddNativeFieldType(h, "nilai", 'F', 12, 3);
    DBFAddNativeFieldType(h, "tanggal", 'D', 8, 0);
    DBFAddNativeFieldType(h, "aktif", 'L', 1, 0);
    for (int i = 0; i < n; i++)
        DBFWriteTuple(h, i, (void *)(size_t)rows[i]);
    DBFClose(h);
}

#define FIELDS "nama_kawasan,luas,nilai,tanggal,aktif"
/*           flag nama (20)            luas (12)     nilai (12)    date     L */
#define ROW1                                                                                                 \
    " "                                                                                                      \
    "Cimone              "                                                                                   \
    "      12.500"                                                                                           \
    "   1.25e+002"                                                                                           \
    "20240315"                                                                                               \
    "T"
#define ROW2                                                                                                 \
    " "                                                                                                      \
    "                    "                                                                                   \
    "            "                                                                                           \
    "************"                                                                                           \
    "00000000"                                                                                               \
    "?"
#define ROW3                                                                                                 \
    "*"                                                                                                      \
    "Terhapus            "                                                                                   \
    "           1"                                                                                           \
    "           2"                                                                                           \
    "20240101"                                                                                               \
    "F"
#define ROW4                                                                                                 \
    " "                                                                                                      \
    "  Muara \xC3\xA9\xC3\xA9        "                                                                       \
    "0007        "                                                                                           \
    "        -0.5"                                                                                           \
    "2024031 "                                                                                               \
    "n"

static void set_up_set(const char *base, int rows)
{
    static const double xy[8] = {106.5, -6.25, 107, -7, 108, -8, 109, -9};
    static const char *const text[4] = {ROW1, ROW2, ROW3, ROW4};
    char name[64];
    snprintf(name, sizeof name, "%s.shp", base);
    write_points(name, xy, rows);
    snprintf(name, sizeof name, "%s.dbf", base);
    write_dbf(name, NULL, text, rows);
    snprintf(name, sizeof name, "%s.prj", base);
    put_bytes(at(name), wgs84, sizeof wgs84 - 1);
}

TEST(attributes)
{
    set_up_set("atribut", 4);
    FIXTURE(f, FIELDS);
    must(fixture_open(&f, at("atribut.shp")));
    assert_int_equal(odp_source_info(f.source)->column_of_field[0], 0); /* cut to ten characters */
    must(fixture_read(&f));
    assert_int_equal(f.nrecords, 3);
    assert_int_equal(fixture_count(&f, ODP_G18), 1);
    assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 0);
    static const char *const expected[3][5] = {
        {"Cimone", "12.500", "1.25e+002", "2024-03-15", "true"},
        {NULL, NULL, NULL, NULL, NULL},
        {"  Muara \xC3\xA9\xC3\xA9", "0007", "-0.5", "2024031", "false"},
    };
    for (size_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 5; k++) {
            fixture_expect_cell(&f, i, k, expected[i][k]);
            assert_int_equal((fixture_cell(&f, i, k)->flags & ODP_CELL_NATIVE) != 0, k > 0);
        }
    const struct odp_batch *b;
    uint32_t i;
    const struct odp_record *r = fixture_record(&f, 2, &b, &i);
    assert_int_equal(r->row, 3);
    assert_int_equal(r->line, 4); /* the number in the file counts the deleted one */
    assert_true(b->geometry[i]->xy[0] == 109);
}

static void read_name(const char *page, const char *bytes, const char *declared, const char *cpg,
                      const char *expected, enum odp_code bad)
{
    static const double xy[2] = {106, -6};
    char row[64];
    snprintf(row, sizeof row, " %-20s%12s%12s%8s%1s", bytes, "", "", "", "");
    const char *rows[1] = {row};
    write_points("enc.shp", xy, 1);
    write_dbf("enc.dbf", page, rows, 1);
    put_bytes(at("enc.prj"), wgs84, sizeof wgs84 - 1);
    unlink(at("enc.cpg"));
    if (cpg != NULL)
        put_bytes(at("enc.cpg"), cpg, strlen(cpg));
    FIXTURE(f, FIELDS);
    if (declared != NULL)
        f.resource.encoding = declared, f.resource.encoding_declared = true;
    enum odp_status st = fixture_open(&f, at("enc.shp"));
    if (bad == ODP_E02) {
        must_refuse(st);
    } else {
        must(st);
        must(fixture_read(&f));
        if (expected != NULL)
            fixture_expect_cell(&f, 0, 0, expected);
    }
    if (bad != ODP_CODE_COUNT)
        assert_int_equal(fixture_count(&f, bad), 1);
    assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), bad != ODP_CODE_COUNT);
}

TEST(encodings)
{
    const enum odp_code none = ODP_CODE_COUNT;
    read_name("LDID/87", "caf\xE9", NULL, NULL, "caf\xC3\xA9", none);
    read_name("LDID/3", "\x93kutip\x94", NULL, NULL, "\xE2\x80\x9Ckutip\xE2\x80\x9D", none);
    read_name("LDID/2", "caf\x82", NULL, NULL, "caf\xC3\xA9", none);
    read_name("LDID/0", "caf\xC3\xA9", NULL, NULL, "caf\xC3\xA9", none);
    read_name("LDID/0", "caf\xE9", NULL, NULL, "caf\xC3\xA9", none); /* windows-1252: no UTF-8 */
    read_name("LDID/0", "caf\xE9 \x81", NULL, NULL, NULL, ODP_E01);  /* neither: nothing is guessed */
    read_name("LDID/0", "kota panjang sekal\xC3\xA9", NULL, NULL, "kota panjang sekal\xC3\xA9", none);
    read_name("LDID/0", "kota panjang sekali\xC3", NULL, NULL, NULL, ODP_E01); /* UTF-8, cut */
    read_name("LDID/0", "caf\xE9", "windows-1252", NULL, "caf\xC3\xA9", none);
    read_name("LDID/0", "caf\xE9", "windows-1252", "UTF-8", "caf\xC3\xA9",
              none); /* the descriptor is right */
    read_name("LDID/87", "caf\xC3\xA9", NULL, "UTF-8", "caf\xC3\xA9", none);
    static const char *const latin[] = {"ISO-8859-1", "8859_1",        "ISO 88591", "iso88591",     "1252",
                                        "CP1252",     "ANSI 1252\r\n", "LDID/87",   "windows-1252", "Latin1"};
    for (size_t i = 0; i < ODP_COUNT(latin); i++)
        read_name("LDID/0", "caf\xE9", NULL, latin[i], "caf\xC3\xA9", none);
    static const char *const utf8[] = {"utf8", "UTF-8\n", "65001", "\xEF\xBB\xBFUTF-8"};
    for (size_t i = 0; i < ODP_COUNT(utf8); i++)
        read_name("LDID/87", "caf\xC3\xA9", NULL, utf8[i], "caf\xC3\xA9", none);
    read_name("LDID/0", "x", NULL, "klingon", NULL, ODP_E02);
}

/* Opens what is there and expects one fault. */
static void refused(const char *name, const char *fields, enum odp_code code)
{
    FIXTURE(f, fields);
    must_refuse(fixture_open(&f, at(name)));
    if (fixture_count(&f, code) != 1 || odp_diags_count(f.diags, ODP_SEVERITY_ERROR) != 1)
        fail_msg("%s: not the one fault %s", name, odp_code_info(code)->code);
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(f.diags, &n);
    const struct odp_text *said = groups[n - 1]->examples->diag.message;
    for (int lang = 0; code == ODP_G13 && lang < ODP_LANGS;
         lang++) { /* damage is reported in a sentence that names the file */
        assert_non_null(said);
        assert_null(strchr(said->in[lang], '{'));
        assert_true(strstr(said->in[lang], ".shp") || strstr(said->in[lang], ".shx") ||
                    strstr(said->in[lang], ".dbf") || strstr(said->in[lang], "zip"));
    }
}

TEST(damaged)
{
    static const char huge[4] = {0x7f, 0x7f, 0x7f, 0x7f}, three[4] = {3, 0, 0, 0};
    set_up_set("rusak", 4);
    patch("rusak.dbf", 4, three, 4);
    refused("rusak.shp", FIELDS, ODP_G12);
    patch("rusak.dbf", 4, huge, 4);
    refused("rusak.shp", FIELDS, ODP_G13);
    set_up_set("rusak", 4);
    patch("rusak.dbf", 10, "\x10\x00", 2); /* records shorter than the fields */
    refused("rusak.shp", FIELDS, ODP_G13);
    set_up_set("rusak", 4);
    patch("rusak.shx", 100, huge, 4);
    refused("rusak.shp", FIELDS, ODP_G13);
    set_up_set("rusak", 4);
    patch("rusak.shp", 24, huge, 4);
    refused("rusak.shp", FIELDS, ODP_G13);
    set_up_set("rusak", 4);
    assert_int_equal(truncate(at("rusak.shp"), 150), 0);
    refused("rusak.shp", FIELDS, ODP_G13);
    set_up_set("rusak", 4);
    assert_int_equal(truncate(at("rusak.dbf"), 250), 0);
    refused("rusak.shp", FIELDS, ODP_G13);
    set_up_set("rusak", 4);
    patch("rusak.shp", 32, "\x63", 1); /* shape type 99 */
    refused("rusak.shp", FIELDS, ODP_G17);
    set_up_set("rusak", 4);
    patch("rusak.dbf", 32 + 32 + 11, "I", 1); /* binary integers */
    refused("rusak.shp", FIELDS, ODP_G25);

    /* In a record: that record alone is at fault, its attributes are there. */
    static const unsigned char nan[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    set_up_set("rusak", 4);
    patch("rusak.shp", 100 + 12, nan, 8);
    FIXTURE(f, FIELDS);
    must(fixture_open(&f, at("rusak.shp")));
    must(fixture_read(&f));
    assert_int_equal(fixture_count(&f, ODP_G13), 1);
    assert_null(fixture_geom(&f, 0));
    assert_non_null(fixture_geom(&f, 1));
    fixture_expect_cell(&f, 0, 0, "Cimone");
    const struct odp_batch *b;
    uint32_t i;
    assert_int_equal(fixture_record(&f, 0, &b, &i)->flags, ODP_RECORD_GEOMETRY_BAD | ODP_RECORD_REFUSED);
}

/* ---- rings ---- */

static uint32_t add_box(double *xy, uint32_t n, double x, double y, double size, bool clockwise)
{
    static const int dx[5] = {0, 0, 1, 1, 0}, dy[5] = {0, 1, 1, 0, 0};
    for (int i = 0; i < 5; i++) {
        xy[2 * (n + (uint32_t)i)] = x + size * (clockwise ? dx[i] : dy[i]);
        xy[2 * (n + (uint32_t)i) + 1] = y + size * (clockwise ? dy[i] : dx[i]);
    }
    return n + 5;
}

static enum odp_status group(const double (*boxes)[4], uint32_t n, struct shape_polygons *out,
                             uint32_t *orphan, struct odp_arena *a)
{
    double xy[200];
    uint32_t part[21], at_point = 0;
    for (uint32_t k = 0; k < n; k++) {
        part[k] = at_point;
        at_point = add_box(xy, at_point, boxes[k][0], boxes[k][1], boxes[k][2], boxes[k][3] > 0);
    }
    part[n] = at_point;
    return shape_rings(a, xy, part, n, out, orphan);
}

TEST(rings)
{
    ARENA(a);
    struct shape_polygons p;
    uint32_t orphan = 99;
    /* x, y, size, clockwise: a hole before its shell, an island with a pond in a lake, a separate shell */
    static const double nested[6][4] = {{10, 10, 80, 0}, {0, 0, 100, 1}, {20, 20, 40, 1},
                                        {30, 30, 10, 0}, {200, 0, 5, 1}, {201, 1, 1, 0}};
    must(group(nested, 6, &p, &orphan, &a));
    assert_int_equal(p.npolys, 3);
    static const uint32_t ring[6] = {1, 0, 2, 3, 4, 5}, poly[4] = {0, 2, 4, 6};
    assert_memory_equal(p.ring, ring, sizeof ring);
    assert_memory_equal(p.poly, poly, sizeof poly);
    /* a hole that touches its shell in a corner */
    static const double touching[2][4] = {{0, 0, 10, 1}, {0, 0, 5, 0}};
    must(group(touching, 2, &p, &orphan, &a));
    assert_int_equal(p.npolys, 1);
    /* all the wrong way round: shells */
    static const double wrong[2][4] = {{0, 0, 10, 0}, {20, 0, 10, 0}};
    must(group(wrong, 2, &p, &orphan, &a));
    assert_int_equal(p.npolys, 2);
    /* all reversed, holes too */
    static const double reversed[4][4] = {{0, 0, 10, 0}, {1, 1, 3, 1}, {5, 5, 3, 1}, {20, 0, 5, 0}};
    must(group(reversed, 4, &p, &orphan, &a));
    assert_int_equal(p.npolys, 2);
    assert_int_equal(p.poly[1], 3);
    /* one alone, though counter-clockwise */
    must(group(wrong, 1, &p, &orphan, &a));
    assert_int_equal(p.npolys, 1);
    /* a hole in nothing */
    static const double lost[3][4] = {{0, 0, 10, 1}, {1, 1, 2, 0}, {50, 0, 3, 0}};
    must_refuse(group(lost, 3, &p, &orphan, &a));
    assert_int_equal(orphan, 2);
}

/* 20,000 islands and as many lakes, interleaved. */
TEST(many_rings)
{
    enum { SIDE = 142, N = SIDE * SIDE };
    ARENA(a);
    struct shape_polygons p;
    uint32_t orphan, n = 0;
    double *xy = malloc(2 * 10 * N * sizeof *xy);
    uint32_t *part = malloc((2 * N + 1) * sizeof *part);
    for (uint32_t k = 0; k < N; k++) {
        part[k] = n;
        n = add_box(xy, n, 10 * (k % SIDE) + 1, 10 * (k / SIDE) + 1, 2, false);
    }
    for (uint32_t k = 0; k < N; k++) {
        part[N + k] = n;
        n = add_box(xy, n, 10 * (k % SIDE), 10 * (k / SIDE), 8, true);
    }
    part[2 * N] = n;
    must(shape_rings(&a, xy, part, 2 * N, &p, &orphan));
    assert_int_equal(p.npolys, N);
    for (uint32_t k = 0; k < N; k++) {
        assert_int_equal(p.poly[k + 1] - p.poly[k], 2);
        assert_int_equal(p.ring[2 * k], N + k);
        assert_int_equal(p.ring[2 * k + 1], k);
    }
    free(xy);
    free(part);
}

TEST(all_types)
{
    static const double x[5] = {0, 0, 4, 4, 0}, y[5] = {0, 4, 4, 0, 0}, z[5] = {1, 2, 3, 4, 1},
                        m[5] = {9, 9, 9, 9, 9};
    static const struct {
        int type;
        enum odp_geom_type geom;
        bool z;
    } types[] = {
        {SHPT_POINTZ, ODP_GEOM_POINT, true},           {SHPT_POINTM, ODP_GEOM_POINT, false},
        {SHPT_MULTIPOINTZ, ODP_GEOM_MULTIPOINT, true}, {SHPT_MULTIPOINTM, ODP_GEOM_MULTIPOINT, false},
        {SHPT_ARCZ, ODP_GEOM_LINESTRING, true},        {SHPT_ARCM, ODP_GEOM_LINESTRING, false},
        {SHPT_POLYGONZ, ODP_GEOM_POLYGON, true},       {SHPT_POLYGONM, ODP_GEOM_POLYGON, false},
        {SHPT_MULTIPATCH, ODP_GEOM_POLYGON, true},
    };
    for (size_t i = 0; i < ODP_COUNT(types); i++) {
        bool point = types[i].geom == ODP_GEOM_POINT, rings_too = types[i].geom == ODP_GEOM_POLYGON;
        int start = 0, kind = SHPP_OUTERRING;
        SHPHandle h = SHPCreate(at("jenis.shp"), types[i].type);
        SHPObject *o =
            SHPCreateObject(types[i].type, -1, rings_too || types[i].geom == ODP_GEOM_LINESTRING ? 1 : 0,
                            &start, &kind, point ? 1 : 5, x, y, z, m);
        SHPWriteObject(h, -1, o);
        SHPDestroyObject(o);
        o = SHPCreateSimpleObject(SHPT_NULL, 0, NULL, NULL, NULL);
        SHPWriteObject(h, -1, o);
        SHPDestroyObject(o);
        SHPClose(h);
        FIXTURE(f, NULL);
        f.resource.geometry.crs = "OGC:CRS84";
        must(fixture_open(&f, at("jenis.shp")));
        must(fixture_read(&f));
        assert_int_equal(odp_diags_count(f.diags, ODP_SEVERITY_ERROR), 0);
        const struct odp_geom *g = fixture_geom(&f, 0);
        assert_non_null(g);
        assert_int_equal(g->type, types[i].geom);
        assert_int_equal(g->npoints, point ? 1 : 5);
        assert_int_equal(g->z != NULL, types[i].z);
        if (g->z != NULL)
            assert_true(g->z[0] == 1 && g->z[g->npoints - 1] == 1);
        if (!point)
            assert_true(g->bbox[0] == 0 && g->bbox[2] == 4 && g->bbox[3] == 4);
        assert_null(fixture_geom(&f, 1));
    }
}

AROUND(make_folder, remove_folder)
