/* Shapefiles cut short and with bytes changed, from a fixed seed: reading ends well or with a diagnostic,
 * never otherwise. Run under the sanitizers to mean anything about memory. */
#include "one_folder.h"
#include "random.h"
#include "shape_fixture.h"

#include "base/file.h"
#include "check/geometry.h"

#define DATA ODP_SHARED_DATA "/shp/"

enum { SHP, SHX, DBF, PARTS };
static const char *const extensions[PARTS] = {".shp", ".shx", ".dbf"};

struct set {
    struct odp_buffer part[PARTS];
};

static void put(const char *ext, const char *bytes, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/x%s", folder, ext);
    put_bytes(path, bytes, n);
}

static void put_set(const struct set *s)
{
    for (int k = 0; k < PARTS; k++)
        if (s->part[k].len > 0)
            put(extensions[k], s->part[k].ptr, s->part[k].len);
}

/* True if it was read to the end without an error. */
static bool survive(const char *name)
{
    char path[256];
    struct fixture f;
    struct odp_geometry_checker *checker = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    fixture_init(&f, NULL);
    f.resource.geometry.crs = "EPSG:4326";
    enum odp_status st = fixture_open(&f, path);
    assert_true(st == ODP_OK || st == ODP_BAD);
    if (st == ODP_BAD)
        assert_true(odp_diags_count(f.diags, ODP_SEVERITY_ERROR) > 0);
    else
        must(fixture_read(&f));
    must(odp_geometry_checker_new(&checker, &f.resource.geometry, 1));
    for (size_t i = 0; i < f.nbatches; i++) {
        must(odp_geometry_check(checker, &f.batches[i], 0, path));
        must(odp_diags_merge(f.diags, f.batches[i].diags));
    }
    for (size_t i = 0; i < f.nrecords; i++) { /* whatever was let through can be written */
        BUFFER(out);
        const struct odp_geom *g = fixture_geom(&f, i);
        if (g != NULL && odp_diags_count(f.diags, ODP_SEVERITY_ERROR) == 0)
            odp_geom_add_geojson(&out, g);
        must(odp_buffer_status(&out));
    }
    bool clean = odp_diags_count(f.diags, ODP_SEVERITY_ERROR) == 0;
    odp_geometry_checker_free(checker);
    fixture_release(&f);
    return clean;
}

static bool load(struct set *s, const char *base)
{
    for (int k = 0; k < PARTS; k++) {
        char path[512];
        odp_buffer_init(&s->part[k]);
        snprintf(path, sizeof path, DATA "%s%s", base, extensions[k]);
        enum odp_status st = odp_file_read(path, 1 << 20, &s->part[k], NULL);
        if (st != ODP_OK && k == SHP)
            return false;
    }
    return true;
}

static void clear_folder(void)
{
    for (int k = 0; k < PARTS; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/x%s", folder, extensions[k]);
        unlink(path);
    }
}

static const char *const bases[] = {
    "mbostock-shapefile/points",         "mbostock-shapefile/polygons", "mbostock-shapefile/polylinem",
    "mbostock-shapefile/multipoints",    "mbostock-shapefile/null",     "mbostock-shapefile/mixed-properties",
    "shapelib/shape_eg_data/multipatch", "r-sf/storms_xyzm_feature",    "spData-CC0/columbus",
};
#define NBASES (ODP_COUNT(bases))

TEST(cut_short)
{
    size_t refused = 0;
    for (size_t i = 0; i < NBASES; i++) {
        struct set s;
        if (!load(&s, bases[i])) {
            print_message("no third-party shapefiles under " DATA ": skipped\n");
            skip();
        }
        clear_folder();
        put_set(&s);
        for (int k = 0; k < PARTS; k++) {
            size_t len = s.part[k].len;
            for (int n = 0; n < 6 && len > 0; n++) {
                size_t cut = n < 2 ? (size_t)n * 99 : random_bits() % len;
                put(extensions[k], s.part[k].ptr, cut < len ? cut : len - 1);
                refused += !survive("x.shp");
            }
            if (len > 0)
                put(extensions[k], s.part[k].ptr, len);
        }
        for (int k = 0; k < PARTS; k++)
            odp_buffer_release(&s.part[k]);
    }
    /* Only a cut of the padding at the end of a .dbf may pass. */
    assert_true(refused >= NBASES * 12);
}

TEST(bytes_changed)
{
    size_t refused = 0;
    for (size_t i = 0; i < NBASES; i++) {
        struct set s;
        if (!load(&s, bases[i])) {
            print_message("no third-party shapefiles under " DATA ": skipped\n");
            skip();
        }
        for (int n = 0; n < 150; n++) {
            int k = (int)(random_bits() % PARTS);
            if (s.part[k].len == 0)
                k = SHP;
            clear_folder();
            put_set(&s);
            char *copy = malloc(s.part[k].len);
            assert_non_null(copy);
            memcpy(copy, s.part[k].ptr, s.part[k].len);
            for (uint64_t m = 1 + random_bits() % 3; m > 0; m--) {
                /* headers and the first records are where counts and offsets stand */
                size_t range = random_bits() % 2 == 0 && s.part[k].len > 160 ? 160 : s.part[k].len;
                copy[random_bits() % range] = (char)(random_bits() % 4 == 0 ? 0xff : random_bits());
            }
            put(extensions[k], copy, s.part[k].len);
            free(copy);
            if (n % 5 == 4 && k != SHX) { /* without an index the file is walked */
                char path[256];
                snprintf(path, sizeof path, "%s/x.shx", folder);
                unlink(path);
            }
            refused += !survive("x.shp");
        }
        for (int k = 0; k < PARTS; k++)
            odp_buffer_release(&s.part[k]);
    }
    assert_true(refused > 0);
}

TEST(zip_changed)
{
    struct odp_buffer zip = {0};
    if (odp_file_read(DATA "pulau_points/pulau_utf8.zip", 1 << 22, &zip, NULL) != ODP_OK) {
        odp_buffer_release(&zip);
        skip();
    }
    size_t refused = 0;
    for (int n = 0; n < 12; n++) {
        size_t cut = n < 6 ? random_bits() % zip.len : zip.len;
        char *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, zip.ptr, cut);
        for (int m = 0; n >= 6 && m < 4; m++)
            copy[cut - 1 - random_bits() % (n < 9 ? 600 : cut - 1)] ^= (char)(1 + random_bits() % 255);
        put(".zip", copy, cut);
        free(copy);
        refused += !survive("x.zip");
    }
    assert_true(refused >= 6);
    odp_buffer_release(&zip);
}

AROUND(make_folder, remove_folder)
