/* What answers/forms.txt has not: records and pages of queries that are made by hand. Nothing is parsed, no
 * index is read. */
#include "run.h"

#include "catalog/index/gpb.h"
#include "service/queries/engine/engine_internal.h"

#define MAX_COLUMNS 8

struct fx {
    struct odp_arena arena;
    struct odp_search_column columns[MAX_COLUMNS];
    struct odp_search_info info;
    struct odp_query_call call;
    struct odp_query q;
    struct odp_query_result r;
    struct odp_query_param params[4];
    uint32_t select[MAX_COLUMNS], key[2];
    struct odp_slice values[MAX_COLUMNS];
    struct odp_buffer shape;
    struct query_row row;
};

static void add_column(struct fx *f, const char *name, enum odp_type type)
{
    f->columns[f->info.ncolumns] = (struct odp_search_column){.name = name, .type = type, .of_record = true};
    f->select[f->info.ncolumns] = f->info.ncolumns;
    f->info.ncolumns++;
    f->info.nfields++;
    f->q.nselect++;
}

static void start(struct fx *f, enum odp_query_form form)
{
    memset(f, 0, sizeof *f);
    odp_arena_init(&f->arena);
    odp_buffer_init(&f->r.body);
    odp_buffer_init(&f->shape);
    f->call = (struct odp_query_call){
        .form = form,
        .self = "search",
        .root = "https://data.example.go.id/v1/",
        .release = "2.5.0",
        .params = f->params,
    };
    f->info = (struct odp_search_info){
        .slug = "kumuh",
        .version = "2024-03-15.1",
        .last_update = "2024-03-15",
        .columns = f->columns,
        .key = f->key,
    };
    f->q = (struct odp_query){
        .call = &f->call,
        .info = &f->info,
        .arena = &f->arena,
        .select = f->select,
        .limit = 100,
        .normal = "limit=100",
    };
    f->q.answer = &f->r;
    odp_arena_init(&f->q.shapes);
    f->row = (struct query_row){.id = 7, .values = f->values};
    f->r.total = -1;
}

static void finish(struct fx *f)
{
    odp_buffer_release(&f->r.body);
    odp_buffer_release(&f->shape);
    odp_arena_release(&f->q.shapes);
    odp_arena_release(&f->arena);
}

/* Key, name, number, whole number, day, truth, object. */
static void add_columns(struct fx *f)
{
    add_column(f, "kode", ODP_TYPE_STRING);
    add_column(f, "na\"ma", ODP_TYPE_STRING);
    add_column(f, "luas", ODP_TYPE_NUMBER);
    add_column(f, "sifat", ODP_TYPE_OBJECT);
    f->info.nkey = 1;
    f->values[0] = ODP_LIT("31.71-1");
    f->values[1] = ODP_LIT("Kel. \"A\", RW 1");
    f->values[2] = ODP_LIT("12.50");
    f->values[3] = ODP_LIT("{\"a\":[1,2]}");
}

static void add_polygon(struct fx *f)
{
    static double xy[] = {106, -6, 107, -6, 107, -5.5, 106, -6};
    static uint32_t part[] = {0, 4}, poly[] = {0, 1};
    struct odp_geom g = {
        .type = ODP_GEOM_POLYGON,
        .npoints = 4,
        .nparts = 1,
        .npolys = 1,
        .xy = xy,
        .part = part,
        .poly = poly,
        .bbox = {106, -6, 107, -5.5},
        .label = {106.5, -5.87500004},
    };
    odp_gpb_add(&f->shape, &g);
    must(odp_buffer_status(&f->shape));
    f->row.shape = odp_buffer_slice(&f->shape);
    f->row.labelled = true;
    memcpy(f->row.label, g.label, sizeof f->row.label);
    f->info.has_geometry = f->q.show_geometry = true;
    f->info.geometry_name = "geometry";
}

#define RING    "[[[106,-6],[107,-6],[107,-5.5],[106,-6]]]"
#define POLYGON "{\"type\":\"Polygon\",\"coordinates\":" RING "}"

static void write_rows(struct fx *f, uint32_t n)
{
    const struct query_writer *w = query_writer_of(f->call.form);
    w->begin(&f->q);
    for (uint32_t i = 0; i < n; i++) {
        w->row(&f->q, &f->row);
        f->r.returned++;
    }
}

static void check_end(struct fx *f, const char *expected)
{
    query_writer_of(f->call.form)->end(&f->q);
    assert_string_equal(odp_buffer_cstr(&f->r.body), expected);
    finish(f);
}

static void check_body(struct fx *f, uint32_t n, const char *expected)
{
    write_rows(f, n);
    check_end(f, expected);
}

#define RECORD                                                                                               \
    "{\"kode\":\"31.71-1\",\"na\\\"ma\":\"Kel. \\\"A\\\", RW 1\",\"luas\":12.50,\"sifat\":{\"a\":[1,2]}"

/* The record as text, without what is around it. */
static void check_record(struct fx *f, const char *expected)
{
    struct odp_buffer b = {0};
    query_add_record(&f->q, &f->row, true, &b);
    must(odp_buffer_status(&b));
    assert_string_equal(odp_buffer_cstr(&b), expected);
    odp_buffer_release(&b);
    finish(f);
}

TEST(geometry_of_a_record)
{
    struct fx f;
    start(&f, ODP_QUERY_ENVELOPE);
    add_columns(&f);
    add_polygon(&f);
    check_record(&f, RECORD ",\"geometry\":" POLYGON "}");

    start(&f, ODP_QUERY_ENVELOPE); /* simplified */
    add_columns(&f);
    add_polygon(&f);
    f.info.mode = ODP_GEOMETRY_SIMPLIFIED;
    f.row.simple = ODP_LIT("{\"type\":\"Point\",\"coordinates\":[1,2]}");
    check_record(&f, RECORD ",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}");

    start(&f, ODP_QUERY_ENVELOPE); /* none there */
    add_columns(&f);
    add_polygon(&f);
    f.info.geometry_name = "geometry_geometry";
    f.row.shape = (struct odp_slice){NULL, 0};
    check_record(&f, RECORD ",\"geometry_geometry\":null}");

    start(&f, ODP_QUERY_ENVELOPE); /* not asked for */
    add_columns(&f);
    add_polygon(&f);
    f.q.show_geometry = false;
    check_record(&f, RECORD "}");

    start(&f, ODP_QUERY_ENVELOPE); /* nothing else asked for */
    add_columns(&f);
    add_polygon(&f);
    f.q.nselect = 0;
    check_record(&f, "{\"geometry\":" POLYGON "}");
}

TEST(a_damaged_shape_fails_the_query)
{
    static const enum odp_query_form forms[] = {ODP_QUERY_ENVELOPE, ODP_QUERY_GEOJSON, ODP_QUERY_CSV,
                                                ODP_QUERY_HTML};
    for (size_t k = 0; k < 4; k++) {
        struct fx f;
        start(&f, forms[k]);
        add_columns(&f);
        add_polygon(&f);
        f.row.shape.len = 5;
        const struct query_writer *w = query_writer_of(forms[k]);
        w->begin(&f.q);
        w->row(&f.q, &f.row);
        assert_true(f.q.failed);
        odp_failure_clear();
        finish(&f);
    }
}

/* ---- ids and links ---- */

static void check_id(struct fx *f, const char *id, const char *link)
{
    struct odp_buffer b = {0};
    query_add_id(&f->q, &f->row, &b);
    assert_string_equal(odp_buffer_cstr(&b), id);
    odp_buffer_clear(&b);
    query_add_item_link(&f->q, &f->row, &b);
    assert_string_equal(odp_buffer_cstr(&b), link);
    odp_buffer_release(&b);
    finish(f);
}

TEST(ids)
{
    struct fx f;
    start(&f, ODP_QUERY_GEOJSON); /* without a key */
    add_columns(&f);
    f.info.nkey = 0;
    check_id(&f, "7", "https://data.example.go.id/v1/kumuh/id/7");

    start(&f, ODP_QUERY_GEOJSON);
    add_columns(&f);
    f.key[0] = 1;
    check_id(&f, "\"Kel. \\\"A\\\", RW 1\"",
             "https://data.example.go.id/v1/kumuh/id/Kel.%20%22A%22%2C%20RW%201");

    start(&f, ODP_QUERY_GEOJSON); /* a number's id is text, too */
    add_columns(&f);
    f.key[0] = 2;
    f.call.ogc = true;
    f.info.resource = "timeline";
    check_id(&f, "\"12.50\"", "https://data.example.go.id/v1/ogc/collections/kumuh-timeline/items/12.50");

    start(&f, ODP_QUERY_GEOJSON); /* composite: ',' and '%' of a part are written otherwise */
    add_columns(&f);
    f.info.nkey = 2;
    f.key[0] = 1;
    f.key[1] = 2;
    f.values[1] = ODP_LIT("a,b%c\n");
    check_id(&f, "\"a%2Cb%25c\\n,12.50\"", "https://data.example.go.id/v1/kumuh/id/a%2Cb%25c%0A,12.50");

    start(&f, ODP_QUERY_GEOJSON); /* of OGC: the id as a whole, percent-encoded */
    add_columns(&f);
    f.call.ogc = true;
    f.info.nkey = 2;
    f.key[0] = 1;
    f.key[1] = 2;
    f.values[1] = ODP_LIT("a,b%c");
    check_id(&f, "\"a%2Cb%25c,12.50\"",
             "https://data.example.go.id/v1/ogc/collections/kumuh/items/a%252Cb%2525c%2C12.50");
}

/* ---- CSV ---- */

TEST(csv)
{
    struct fx f;
    start(&f, ODP_QUERY_CSV);
    add_columns(&f);
    add_polygon(&f);
    check_body(&f, 1,
               "kode,\"na\"\"ma\",luas,sifat,label_lon,label_lat,geometry_type\r\n"
               "31.71-1,\"Kel. \"\"A\"\", RW 1\",12.50,\"{\"\"a\"\":[1,2]}\",106.5,-5.875,Polygon\r\n");

    start(&f, ODP_QUERY_CSV);
    add_columns(&f);
    add_polygon(&f);
    f.info.csv_wkt = true;
    f.q.nselect = 1;
    check_body(&f, 1,
               "kode,label_lon,label_lat,geometry_type,wkt\r\n"
               "31.71-1,106.5,-5.875,Polygon,\"POLYGON ((106 -6,107 -6,107 -5.5,106 -6))\"\r\n");

    start(&f, ODP_QUERY_CSV); /* a column has the name of one of the geometry's */
    add_column(&f, "lon", ODP_TYPE_NUMBER);
    f.values[0] = ODP_LIT("1");
    add_polygon(&f);
    f.info.csv_points = true;
    f.row.labelled = false;
    check_body(&f, 1, "lon,geometry_lon,lat\r\n1,106,-6\r\n");
}

TEST(csv_of_nulls_and_quotes)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "\"\""},           {"a", "a"},
        {" a", "\" a\""},       {"a\t", "\"a\t\""},
        {"a,b", "\"a,b\""},     {"a\\b", "a\\b"},
        {"a\"b", "\"a\"\"b\""}, {"\"", "\"\"\"\""},
        {"a\nb", "\"a\nb\""},   {"a\rb", "\"a\rb\""},
        {"=1+1", "=1+1"},       {"true", "true"},
        {"2024", "2024"},       {"[1,2]", "\"[1,2]\""},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct odp_buffer b = {0};
        query_csv_add_value(&b, ODP_TYPE_STRING, odp_slice_of(cases[i].text));
        assert_string_equal(odp_buffer_cstr(&b), cases[i].expected);
        odp_buffer_release(&b);
    }
    struct fx f;
    start(&f, ODP_QUERY_CSV);
    add_columns(&f);
    add_polygon(&f);
    memset(f.values, 0, sizeof f.values);
    f.row.shape = (struct odp_slice){NULL, 0};
    check_body(&f, 1, "kode,\"na\"\"ma\",luas,sifat,label_lon,label_lat,geometry_type\r\n,,,,,,\r\n");
}

/* ---- pages ---- */

TEST(page)
{
    struct fx f;
    start(&f, ODP_QUERY_HTML);
    add_columns(&f);
    add_polygon(&f);
    f.columns[2].title = (struct odp_text){{"Luas <b>", "Area <b>"}};
    f.columns[2].unit = (struct odp_text){{"hektare", "hectares"}};
    f.values[1] = ODP_LIT("<script>alert('&')</script>");
    f.call.dataset_title = "Peta & kumuh";
    f.call.place = "luas"; /* whatever the catalogue says is one */
    f.call.ogc = true;
    f.call.self = "https://h/items";
    f.q.normal = "filter=a%3C1";
    f.params[f.call.nparams++] = (struct odp_query_param){ODP_LIT("filter"), ODP_LIT("a<1 & \"x\"")};
    f.params[f.call.nparams++] = (struct odp_query_param){
        ODP_LIT("q"), ODP_LIT("\xc3<script>")}; /* no UTF-8: must not hide what follows */
    f.r.total = 5;
    f.r.next = "https://h/items?filter=a%3C1&f=html&cursor=n";
    write_rows(&f, 1);
    query_write_html.end(&f.q);
    const char *page = odp_buffer_cstr(&f.r.body);
    assert_memory_equal(page, "<!doctype html>\n<html lang=\"id\">\n", 33);
    assert_non_null(strstr(page, "<title>Peta &amp; kumuh</title>"));
    assert_non_null(strstr(page, "<dt>filter</dt><dd>a&lt;1 &amp; &quot;x&quot;</dd>"));
    assert_non_null(strstr(page, "<th scope=\"col\" class=\"n\">Luas &lt;b&gt; (hektare)</th>"));
    assert_non_null(strstr(
        page, "<tr><th scope=\"row\"><a "
              "href=\"https://data.example.go.id/v1/ogc/collections/kumuh/items/31.71-1?f=html\">31.71-1</"
              "a></th><td>&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</td><td class=\"n\"><a "
              "href=\"https://data.example.go.id/tempat/12.50.html\">12.50</a></"
              "td><td>{&quot;a&quot;:[1,2]}</td><td>Polygon (106.5, -5.875)</td></tr>"));
    assert_non_null(strstr(page, "<p>Menampilkan 1 dari 5 rekaman yang cocok.</p>"));
    assert_non_null(
        strstr(page, "<li><a rel=\"next\" "
                     "href=\"https://h/items?filter=a%3C1&amp;f=html&amp;cursor=n\">Berikutnya</a></li>"));
    assert_non_null(
        strstr(page, "<a rel=\"alternate\" href=\"https://h/items?filter=a%3C1&amp;f=json\">GeoJSON</a>"));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "\xc3<"));
    finish(&f);
}
