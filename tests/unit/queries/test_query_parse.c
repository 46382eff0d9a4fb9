/* Every parameter: what it is understood as (the normal form, and what matches), and every fault of it, with its place, in both languages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "base/utf8.h"
#include "query_fixture.h"
#include "service/queries/engine/engine_internal.h"

enum { ID, NAMA, LUAS, JUMLAH, MULAI, SELESAI, WAKTU, JAM, BULAN, TAHUN, AKTIF, LAMA, DAFTAR, FIELDS };

static void make(struct qf *x)
{
    static const struct {
        const char *name;
        enum odp_type type;
    } fields[FIELDS] = {{"id_kawasan", ODP_TYPE_STRING}, {"nama", ODP_TYPE_STRING},        {"luas_ha", ODP_TYPE_NUMBER}, {"jumlah", ODP_TYPE_INTEGER},
                        {"mulai", ODP_TYPE_DATE},        {"selesai", ODP_TYPE_DATE},       {"waktu", ODP_TYPE_DATETIME}, {"jam", ODP_TYPE_TIME},
                        {"bulan", ODP_TYPE_YEARMONTH},   {"tahun", ODP_TYPE_YEAR},         {"aktif", ODP_TYPE_BOOLEAN},  {"lama", ODP_TYPE_DURATION},
                        {"daftar", ODP_TYPE_LIST}};
    static const char *const rows[][FIELDS] = {
        {"A-1", "Kampung Menteng, RW 1", "12.50", "7", "2024-01-01", "2024-06-30", "2024-03-15T07:00:00+07:00", "07:05:00", "2024-03", "2024", "true", "P1D", "[\"a\"]"},
        {"A-2", "Rawa Buaya", "-3", "-7", "2024-03-15", NULL, "2024-03-14T17:00:00Z", "23:59:59.5", "2023-12", "2023", "false", "PT1H", "[]"},
        {"A-3", "it's \"x\" \\", "0", "0", NULL, "2024-02-01", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
        {"B,1", NULL, NULL, NULL, NULL, NULL, "2024-03-15T23:59:59.999+00:00", NULL, NULL, NULL, NULL, NULL, NULL}};
    qf_begin(x);
    for (int k = 0; k < FIELDS; k++)
        (void)qf_field(x, fields[k].name, fields[k].type);
    qf_key(x, ID);
    x->resource.datetime[0] = MULAI;
    x->resource.datetime[1] = SELESAI;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        qf_row(x, rows[i]);
        if (i < 3)
            qf_point(x, i == 2 ? 179.5 : 106.5 + (double)i, -6);
    }
    qf_open(x);
}

/* Ids of what QUERY answers, "A-1 A-2 …", in the default order. */
static void check_ids(struct qf *x, const char *query, const char *expected)
{
    char got[200] = "";
    x->call.form = ODP_QUERY_CSV;
    enum odp_status status = qf_ask(x, query);
    x->call.form = ODP_QUERY_ENVELOPE;
    if (status != ODP_OK)
        fail_msg("%s: %s %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : "", odp_failure_text());
    char *body = (char *)(uintptr_t)odp_buffer_cstr(&x->r.body), *save = NULL;
    (void)strtok_r(body, "\r\n", &save);
    for (char *line; (line = strtok_r(NULL, "\r\n", &save)) != NULL;) {
        char id[4] = {line[0] == '"' ? line[1] : line[0], line[0] == '"' ? line[2] : line[1], line[0] == '"' ? line[3] : line[2], '\0'};
        (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", got[0] != '\0' ? " " : "", id);
    }
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s, expected %s", query, got, expected);
}

static void test_what_matches(void **state)
{
    static const struct {
        const char *query, *ids;
    } cases[] = {
        {"", "A-1 A-2 A-3 B,1"},
        {"id_kawasan=A-1", "A-1"},
        {"id_kawasan=B,1", "B,1"},
        {"id_kawasan=A-1,A-2", ""}, /* one text */
        {"nama=Kampung+Menteng,+RW+1", "A-1"},
        {"nama=it's+%22x%22+%5C", "A-3"},
        {"nama=kampung+menteng,+rw+1", ""},
        {"nama=%27+OR+1=1--", ""},
        {"luas_ha=12.5", "A-1"},
        {"luas_ha=12.500", "A-1"},
        {"luas_ha=12.5,-3.0", "A-1 A-2"},
        {"jumlah=-7,0", "A-2 A-3"},
        {"mulai=2024-01-01", "A-1"},
        {"mulai=2024-01-01,2024-03-15", "A-1 A-2"},
        {"waktu=2024-03-15T00:00:00Z", "A-1"},
        {"waktu=2024-03-15T02:00:00%2B02:00", "A-1"},
        {"jam=07:05:00", "A-1"},
        {"bulan=2023-12", "A-2"},
        {"tahun=2023,2024", "A-1 A-2"},
        {"aktif=true", "A-1"},
        {"aktif=false,true", "A-1 A-2"},
        {"aktif=true&tahun=2023", ""},
        {"lama=P1D", "A-1"},
        {"filter=luas_ha%3E0&tahun=2024", "A-1"},
        {"filter=luas_ha IS NULL", "B,1"},
        {"filter=%7B%22op%22:%22%3E%22,%22args%22:[%7B%22property%22:%22luas_ha%22%7D,0]%7D&filter-lang=cql2-json", "A-1"},
        {"filter=nama IS NOT NULL&filter-lang=cql2-text&filter-crs=http://www.opengis.net/def/crs/OGC/1.3/CRS84", "A-1 A-2 A-3"},
        {"q=menteng", "A-1"},
        {"q=MENTENG kampung", "A-1"},
        {"q=menteng rawa", ""},
        {"q=ment*", "A-1"},
        {"q=ment", ""},
        {"q=%22kampung menteng%22", "A-1"},
        {"q=%22menteng kampung%22", ""},
        {"q=%22kampung men%22*", "A-1"},
        {"q=%22kampung", "A-1"},
        {"q=menteng - %22--%22 ***", "A-1"},
        {"q=menteng OR rawa", ""},
        {"q=nama:menteng", ""},
        {"q=menteng-rw", "A-1"}, /* a phrase */
        {"q=kampung-rw", ""},
        {"jumlah=1.5", ""},
        {"q=menteng,rw", "A-1"},
        {"bbox=106,-7,107,-5", "A-1 B,1"}, /* a record without geometry matches */
        {"bbox=106,-7,0,107,-5,100", "A-1 B,1"},
        {"bbox= 106 , -7 , 107 , -5 ", "A-1 B,1"},
        {"bbox=106.5,-6,106.5,-6", "A-1 B,1"},
        {"bbox=170,-7,-170,-5", "A-3 B,1"},
        {"bbox=-200,-100,200,100", "A-1 A-2 A-3 B,1"},
        {"bbox=0,0,1,1&bbox-crs=http://www.opengis.net/def/crs/OGC/1.3/CRS84", "B,1"},
        {"datetime=2024-03-15", "A-1 A-2 B,1"},
        {"datetime=2024-01-01", "A-1 A-3 B,1"}, /* without a beginning: always begun */
        {"datetime=2024-07-01/..", "A-2 B,1"},  /* without an end: goes on */
        {"datetime=../2023-12-31", "A-3 B,1"},
        {"datetime=/2023-12-31", "A-3 B,1"},
        {"datetime=2024-02-02/2024-03-01", "A-1 B,1"},
        {"datetime=2024-07-01/", "A-2 B,1"},
        {"datetime=2024-06-30T23:30:00-05:00", "A-1 A-2 B,1"}, /* its own day */
        {"datetime=2024-07-01T01:00:00%2B07:00/..", "A-2 B,1"},
        {"sortby=-id_kawasan", "B,1 A-3 A-2 A-1"},
        {"sortby=%2Bluas_ha", "A-2 A-3 A-1 B,1"},
        {"sortby=+luas_ha", "A-2 A-3 A-1 B,1"},
        {"sortby=-luas_ha", "A-1 A-3 A-2 B,1"},
        {"sortby=-aktif, nama", "A-1 A-2 A-3 B,1"},
        {"limit=2", "A-1 A-2"},
        {"limit=002", "A-1 A-2"},
        {"limit=99999999999999999999999999", "A-1 A-2 A-3 B,1"},
        {"offset=3", "B,1"},
        {"offset=100000", ""},
        {"crs=http://www.opengis.net/def/crs/OGC/1.3/CRS84&f=csv", "A-1 A-2 A-3 B,1"},
    };
    struct qf x;
    (void)state;
    make(&x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_ids(&x, cases[i].query, cases[i].ids);
    qf_end(&x);
}

/* ---- normal form ---- */

static void check_normal(struct qf *x, const char *query, const char *normal)
{
    if (qf_ask(x, query) != ODP_OK)
        fail_msg("%s: %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : odp_failure_text());
    if (strcmp(x->q->normal, normal) != 0)
        fail_msg("%s: “%s”, expected “%s”", query, x->q->normal, normal);
}

static void test_normal(void **state)
{
    static const struct {
        const char *query, *normal;
    } cases[] = {
        {"", ""},
        {"limit=10", ""}, /* the default */
        {"limit=20&f=json&crs=CRS84&filter-lang=cql2-text", "limit=20"},
        {"limit=5000", "limit=1000"},
        {"sortby=id_kawasan", "sortby=id_kawasan"},
        {"sortby=-luas_ha,id_kawasan", "sortby=-luas_ha,id_kawasan"},
        {"sortby=%2Bluas_ha, -id_kawasan", "sortby=luas_ha,-id_kawasan"},
        {"tahun=2024,+2023&luas_ha=1.50", "luas_ha=1.5&tahun=2024,2023"},
        {"nama=a%26b%3D%25", "nama=a%26b%3D%25"},
        {"properties=nama,id_kawasan,geometry", "properties=id_kawasan,nama,geometry"},
        {"skipGeometry=false", ""},
        {"skipGeometry=true", "skipGeometry=true"},
        {"properties=nama&skipGeometry=true", "properties=nama"},
        {"bbox=106.0,-7.50,1,107,-5,2", "bbox=106,-7.5,107,-5"},
        {"bbox=-500,-7,500,7", "bbox=-180,-7,180,7"},
        {"datetime=2024-03-15T00:00:00.000Z/..", "datetime=2024-03-15T00:00:00Z/.."},
        {"datetime=/2024-03-15", "datetime=../2024-03-15"},
        {"q=  a*b   %22c  d%22  ef* ", "q=a*b%20%22c%20%20d%22%20ef*"},
        {"facets=nama,tahun", "facets=nama,tahun"},
        {"groupby=nama", "aggregate=count()&groupby=nama"},
        {"aggregate= sum( luas_ha ) , count()", "aggregate=sum(luas_ha),count()"},
        {"offset=1", ""}, /* next links are cursors */
    };
    struct qf x;
    char again[2000], tag[ODP_QUERY_ETAG + 1], other[ODP_QUERY_ETAG + 1];
    (void)state;
    make(&x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_normal(&x, cases[i].query, cases[i].normal);
    static const char *const same[][2] = {
        {"filter=luas_ha>1 and  (nama = 'a')", "filter=(luas_ha > 1.0) AND nama='a'"},
        {"filter=luas_ha%3E1&limit=10", "filter=luas_ha %3E 1"},
        {"filter=%7B%22op%22:%22%3D%22,%22args%22:[%7B%22property%22:%22nama%22%7D,%22a%22]%7D&filter-lang=cql2-json", "filter=nama = 'a'"},
        {"filter=S_INTERSECTS(geometry,BBOX(1,2,3,4))", "filter=S_INTERSECTS(geometry, BBOX(1.0,2,3,4))"},
        {"filter=jam = '07:05:00' AND bulan < '2024-05' AND tahun = 2024", "filter=jam='07:05:00' and bulan<'2024-05' and (tahun=2024)"},
        {"filter=mulai > DATE('2024-01-01') AND waktu < TIMESTAMP('2024-01-01T07:00:00%2B07:00')",
         "filter=mulai > '2024-01-01' AND waktu < TIMESTAMP('2024-01-01T00:00:00Z')"},
        {"filter=lama <> 'P1D' AND daftar IS NULL", "filter=lama<>'P1D' and daftar is null"},
        {"filter=aktif = TRUE OR NOT (nama LIKE '50\\%25' AND CASEI(nama) IN (CASEI('A'),'b'))",
         "filter=aktif=true or not (nama like '50\\%25' and casei(nama) in (casei('A'),'b'))"},
        {"filter=luas_ha*2 - 1 > -(jumlah/3)", "filter=luas_ha * 2.0 - 1 > -(jumlah/3)"},
        {"filter=luas_ha NOT BETWEEN -1 AND 1e3", "filter=luas_ha not between -1.0 and 1000"},
        {"filter=nama = 'a''b\\\\' OR nama IN ('\\\\','''')", "filter=nama = 'a\\'b\\\\' OR nama IN ('\\\\','\\'')"},
        {"filter=nama = 'x\\\\y%0A%09'", "filter=nama='x\\\\y\\n\\t'"},
        {"filter=S_WITHIN(geometry,POLYGON((0 0,1 0,1 1,0 0)))", "filter=s_within(geometry, POLYGON ((0 0, 1 0, 1 1, 0 0)))"},
        {"filter=S_DISJOINT(POINT(1 2),geometry)", "filter=S_DISJOINT(POINT(1.0 2.0),\"geometry\")"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(qf_ask(&x, same[i][0]), ODP_OK);
        odp_query_etag(x.q, tag);
        (void)snprintf(again, sizeof again, "%s", x.q->normal);
        check_normal(&x, same[i][1], again);
        odp_query_etag(x.q, other);
        assert_string_equal(tag, other);
        check_normal(&x, again, again); /* it is a query itself */
    }
    qf_end(&x);
}

/* Whatever changes the answer changes the tag; nothing else does. */
static void test_etag(void **state)
{
    static const char *const queries[] = {"", "limit=1", "limit=2", "offset=1", "nama=a", "nama=b", "sortby=nama", "sortby=-nama", "properties=nama",
                                          "skipGeometry=true", "facets=nama", "aggregate=count()", "q=aa", "q=ab", "q=a", "bbox=1,1,2,2", "datetime=2024-01-01",
                                          "filter=luas_ha=1", "filter=luas_ha<1"};
    enum { N = sizeof queries / sizeof *queries, MORE = 7 };
    char tags[N + MORE][ODP_QUERY_ETAG + 1];
    struct qf x;
    uint8_t secret[32] = {1};
    (void)state;
    make(&x);
    for (size_t i = 0; i < N + MORE; i++) {
        size_t k = i < N ? 0 : i - N + 1;
        x.call.form = k == 1 ? ODP_QUERY_CSV : k == 2 ? ODP_QUERY_HTML : ODP_QUERY_ENVELOPE;
        x.call.self = k == 3 ? "uji/search" : "uji";
        x.call.release = k == 4 ? "2.6.0" : "2.5.0";
        x.call.secret = k == 5 ? secret : qf_secret;
        x.call.kind = k >= 6 ? ODP_QUERY_ITEM : ODP_QUERY_ITEMS;
        x.call.key = odp_slice_of(k == 6 ? "A-1" : "A-2");
        if (qf_ask(&x, i < N ? queries[i] : "") != ODP_OK)
            fail_msg("%s: %s", i < N ? queries[i] : "", x.fault.detail.in[1]);
        odp_query_etag(x.q, tags[i]);
        assert_int_equal(strspn(tags[i], "0123456789abcdef"), ODP_QUERY_ETAG);
        for (size_t j = 0; j < i; j++)
            if (strcmp(tags[i], tags[j]) == 0)
                fail_msg("tags %zu and %zu", i, j);
    }
    x.call.kind = ODP_QUERY_ITEMS;
    x.call.lang = ODP_LANG_EN; /* the envelope has both languages */
    assert_int_equal(qf_ask(&x, ""), ODP_OK);
    odp_query_etag(x.q, tags[1]);
    assert_string_equal(tags[0], tags[1]);
    qf_end(&x);
}

/* ---- faults ---- */

struct fault_case {
    const char *query;
    enum odp_query_problem problem;
    const char *parameter;
    uint32_t position, length;
    const char *id, *en; /* parts of the texts */
};

static void check_fault(struct qf *x, const struct fault_case *c)
{
    enum odp_status status = qf_ask(x, c->query);
    const struct odp_query_fault *f = &x->fault;
    if (status != ODP_BAD)
        fail_msg("%s: no fault (%s)", c->query, odp_failure_text());
    const char *id = f->detail.in[ODP_LANG_ID], *en = f->detail.in[ODP_LANG_EN];
    bool same_name = c->parameter == NULL ? f->parameter == NULL : f->parameter != NULL && strcmp(f->parameter, c->parameter) == 0;
    if (f->problem != c->problem || !same_name || f->position != c->position || f->length != c->length || strstr(id, c->id) == NULL ||
        strstr(en, c->en) == NULL)
        fail_msg("%s: problem %d, %s, %u+%u\n%s\n%s", c->query, (int)f->problem, f->parameter != NULL ? f->parameter : "-", f->position, f->length, id, en);
    assert_int_equal(odp_utf8_valid(odp_slice_of(id)), strlen(id));
    assert_int_equal(odp_utf8_valid(odp_slice_of(en)), strlen(en));
    assert_null(strstr(en, "{0}"));
    assert_null(strstr(id, "{1}"));
}

#define INVALID ODP_QUERY_PARAMETER_INVALID
#define UNKNOWN ODP_QUERY_PARAMETER_UNKNOWN
#define FILTER ODP_QUERY_FILTER_INVALID

static void test_faults(void **state)
{
    static const struct fault_case cases[] = {
        /* names */
        {"limti=1", UNKNOWN, "limti", 0, 0, "maksud Anda “limit”", "did you mean “limit”"},
        {"luas=1", UNKNOWN, "luas", 0, 0, "maksud Anda “luas_ha”", "did you mean “luas_ha”"},
        {"bentang=1", UNKNOWN, "bentang", 0, 0, "tidak dikenal", "columns are: id_kawasan"},
        {"luas_h=1", UNKNOWN, "luas_h", 0, 0, "“luas_ha”", "did you mean “luas_ha”"},
        {"Limit=1", UNKNOWN, "Limit", 0, 0, "“limit”", "“limit”"},
        {"xxxxxxxxxxxxx=1", UNKNOWN, "xxxxxxxxxxxxx", 0, 0, "kolomnya: id_kawasan, nama", "the columns are: id_kawasan, nama"},
        {"geometry=1", UNKNOWN, "geometry", 0, 0, "pakai bbox", "use bbox"},
        {"=1", UNKNOWN, NULL, 0, 0, "tanpa nama", "no name"},
        {"%FF=1", UNKNOWN, NULL, 0, 0, "UTF-8", "UTF-8"},
        {"limit=1&limit=1", INVALID, "limit", 0, 0, "lebih dari sekali", "more than once"},
        {"nama=a&nama=b", INVALID, "nama", 0, 0, "nama IN ('a','b')", "more than once"},
        {"nama=%FF", INVALID, "nama", 0, 0, "UTF-8", "UTF-8"},
        {"nama=a%00b", INVALID, "nama", 0, 0, "UTF-8", "UTF-8"},
        {"q=%C3", INVALID, "q", 0, 0, "UTF-8", "UTF-8"},
        /* columns by name */
        {"luas_ha=12,5x", INVALID, "luas_ha", 4, 2, "“5x”", "“5x”"},
        {"luas_ha=", INVALID, "luas_ha", 0, 0, "filter=luas_ha IS NULL", "filter=luas_ha IS NULL"},
        {"jumlah=1.5.", INVALID, "jumlah", 1, 4, "“1.5.”", "“1.5.”"},
        {"mulai=2024-02-30", INVALID, "mulai", 1, 10, "“2024-02-30”", "“2024-02-30”"},
        {"tahun=2024,x,2023", INVALID, "tahun", 6, 1, "“x”", "“x”"},
        {"aktif=ya", INVALID, "aktif", 1, 2, "“ya”", "“ya”"},
        {"daftar=a", INVALID, "daftar", 1, 1, "tidak dapat dibandingkan", "cannot be compared"},
        /* filter */
        {"filter=luas_hx > 1", FILTER, "filter", 1, 7, "luas_ha", "luas_ha"},
        {"filter=nama = 'é' AND luas_ha >", FILTER, "filter", 0, 0, "", ""},
        {"filter=", FILTER, "filter", 0, 0, "", ""},
        {"filter=luas_ha %3D 'x'", FILTER, "filter", 0, 0, "", ""},
        {"filter=nama&filter-lang=cql", INVALID, "filter-lang", 1, 3, "cql2-text", "cql2-text or cql2-json"},
        {"filter={&filter-lang=cql2-json", FILTER, "filter", 1, 1, "bukan JSON", "not valid JSON"},
        {"filter=&filter-lang=cql2-json", FILTER, "filter", 0, 0, "bukan JSON", "not valid JSON"},
        {"filter=[1]&filter-lang=cql2-json", FILTER, "filter", 0, 0, "", ""},
        {"filter=1=1&filter-crs=EPSG:4326", INVALID, "filter-crs", 1, 9, "“EPSG:4326”", "only http://www.opengis.net"},
        /* q */
        {"q=", INVALID, "q", 0, 0, "tidak memuat kata", "has no word"},
        {"q=---+%22%22+*", INVALID, "q", 1, 8, "tidak memuat kata", "has no word"},
        {"q=%E2%80%94", INVALID, "q", 1, 1, "tidak memuat kata", "has no word"},
        {"q=rawa+a*", INVALID, "q", 6, 2, "“a*” terlalu pendek", "prefix “a*” is too short"},
        {"q=rawa-b*", INVALID, "q", 1, 7, "terlalu pendek", "too short"},
        {"q=%22r a%22*", INVALID, "q", 1, 6, "terlalu pendek", "too short"},
        {"q=a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a", INVALID, "q", 65, 1, "lebih dari 32", "more than 32"},
        /* bbox */
        {"bbox=", INVALID, "bbox", 0, 0, "empat bilangan", "four numbers"},
        {"bbox=1,2,3", INVALID, "bbox", 1, 5, "empat bilangan", "four numbers"},
        {"bbox=1,2,3,4,5", INVALID, "bbox", 1, 9, "empat bilangan", "four numbers"},
        {"bbox=1,2,3,4,5,6,7", INVALID, "bbox", 1, 13, "empat bilangan", "four numbers"},
        {"bbox=1,2,x,4", INVALID, "bbox", 5, 1, "“x” bukan bilangan", "“x” is no number"},
        {"bbox=1,2,,4", INVALID, "bbox", 0, 0, "bukan bilangan", "no number"},
        {"bbox=1,2,0x10,4", INVALID, "bbox", 5, 4, "bukan bilangan", "no number"},
        {"bbox=1,nan,2,4", INVALID, "bbox", 3, 3, "bukan bilangan", "no number"},
        {"bbox=1,5,2,4", INVALID, "bbox", 3, 1, "selatan 5", "south 5"},
        {"bbox=1,-95,2,-91", INVALID, "bbox", 3, 3, "lintang -95", "latitude -95"},
        {"bbox=181,1,182,2", INVALID, "bbox", 1, 3, "bujur 181", "longitude 181"},
        {"bbox=190,1,-170,2", INVALID, "bbox", 1, 3, "bujur 190", "across 180"},
        {"bbox=1,2,9,3,4,8", INVALID, "bbox", 5, 1, "tinggi", "height 9"},
        {"bbox=1,2,3,4&bbox-crs=EPSG:3857", INVALID, "bbox-crs", 1, 9, "“EPSG:3857”", "only http"},
        {"crs=x", INVALID, "crs", 1, 1, "“x”", "“x”"},
        /* datetime */
        {"datetime=", INVALID, "datetime", 0, 0, "bukan waktu", "is no time"},
        {"datetime=kemarin", INVALID, "datetime", 1, 7, "“kemarin”", "“kemarin” is no time"},
        {"datetime=2024-02-30", INVALID, "datetime", 1, 10, "tidak ada", "no such date"},
        {"datetime=2024-03-15T00:00:00", INVALID, "datetime", 1, 19, "zona waktu", "time zone"},
        {"datetime=2024-03-15T00:00:00+07:00", INVALID, "datetime", 1, 25, "%2B", "%2B"},
        {"datetime=2024-01-01/2024-13-01", INVALID, "datetime", 12, 10, "tidak ada", "no such"},
        {"datetime=2024-01-02/2024-01-01", INVALID, "datetime", 12, 10, "lebih awal", "before the beginning"},
        {"datetime=2024-01-02T00:00:00Z/2024-01-02T06:59:59%2B07:00", INVALID, "datetime", 22, 25, "lebih awal", "before the beginning"},
        {"datetime=../..", INVALID, "datetime", 1, 5, "kedua ujung", "both ends"},
        {"datetime=/", INVALID, "datetime", 1, 1, "kedua ujung", "both ends"},
        {"datetime=2024-01-01/2024-01-02/2024-01-03", INVALID, "datetime", 12, 21, "bukan waktu", "is no time"},
        {"datetime=..", INVALID, "datetime", 1, 2, "bukan waktu", "is no time"},
        /* properties, sortby */
        {"properties=nama,luas", INVALID, "properties", 6, 4, "“luas”", "no column “luas”"},
        {"properties=nama,nmaa", INVALID, "properties", 6, 4, "“nama”", "did you mean “nama”"},
        {"properties=nama,nama", INVALID, "properties", 6, 4, "dua kali", "twice"},
        {"properties=nama,,luas_ha", INVALID, "properties", 6, 1, "kosong", "empty name"},
        {"properties=", INVALID, "properties", 0, 0, "kosong", "empty name"},
        {"skipGeometry=yes", INVALID, "skipGeometry", 1, 3, "“yes”", "“yes” is not true"},
        {"sortby=nama,-luas", INVALID, "sortby", 7, 4, "“luas”", "“luas”"},
        {"sortby=-", INVALID, "sortby", 0, 0, "kosong", "empty"},
        {"sortby=geometry", INVALID, "sortby", 1, 8, "geometri", "geometry “geometry”"},
        {"sortby=daftar", INVALID, "sortby", 1, 6, "urutan", "(list) have no order"},
        {"sortby=lama", INVALID, "sortby", 1, 4, "urutan", "(duration) have no order"},
        {"sortby=nama,-nama", INVALID, "sortby", 7, 4, "dua kali", "twice"},
        /* limit, offset */
        {"limit=0", INVALID, "limit", 1, 1, "“0”", "“0”"},
        {"limit=-1", INVALID, "limit", 1, 2, "“-1”", "“-1”"},
        {"limit=1.5", INVALID, "limit", 1, 3, "bilangan bulat", "whole number"},
        {"limit=", INVALID, "limit", 0, 0, "bilangan bulat", "whole number"},
        {"offset=x", INVALID, "offset", 1, 1, "bilangan bulat", "whole number"},
        {"offset=100001", INVALID, "offset", 1, 6, "next", "next"},
        {"offset=1&cursor=AA", INVALID, "offset", 0, 0, "bersama", "together"},
        {"cursor=AA", ODP_QUERY_CURSOR_INVALID, "cursor", 0, 0, "bukan buatan", "not made by this service"},
        {"f=xml", INVALID, "f", 1, 3, "“xml”", "“xml”"},
        /* views */
        {"facets=nama,x", INVALID, "facets", 6, 1, "“x”", "“x”"},
        {"facets=nama,nama", INVALID, "facets", 6, 4, "dua kali", "twice"},
        {"facets=daftar", INVALID, "facets", 1, 6, "(list)", "(list)"},
        {"facets=geometry", INVALID, "facets", 1, 8, "geometri", "geometry"},
        {"facets=nama&limit=1", INVALID, "limit", 0, 0, "limit dan facets", "limit and facets"},
        {"facets=nama&sortby=nama", INVALID, "sortby", 0, 0, "sortby dan facets", "sortby and facets"},
        {"facets=nama&groupby=nama", INVALID, "groupby", 0, 0, "groupby dan facets", "groupby and facets"},
        {"aggregate=", INVALID, "aggregate", 0, 0, "count()", "count()"},
        {"aggregate=sum", INVALID, "aggregate", 1, 3, "“sum”", "“sum” is not known"},
        {"aggregate=count(),median(luas_ha)", INVALID, "aggregate", 9, 15, "“median(luas_ha)”", "“median(luas_ha)”"},
        {"aggregate=sum(nama)", INVALID, "aggregate", 5, 4, "string", "expect a number"},
        {"aggregate=avg(tahun)", INVALID, "aggregate", 5, 5, "year", "expect a number"},
        {"aggregate=min(daftar)", INVALID, "aggregate", 5, 6, "urutan", "no order"},
        {"aggregate=sum(luas)", INVALID, "aggregate", 5, 4, "“luas”", "“luas”"},
        {"aggregate=sum()", INVALID, "aggregate", 5, 1, "kosong", "empty name"},
        {"aggregate=count(nama)", INVALID, "aggregate", 7, 4, "count()", "count() counts records"},
        {"aggregate=count(),count()", INVALID, "aggregate", 9, 7, "dua kali", "twice"},
        {"groupby=nama,aktif,tahun,bulan,jam,jumlah", INVALID, "groupby", 28, 6, "lebih dari 5", "more than 5"},
        {"view=gantt", INVALID, "view", 1, 5, "linimasa", "no timeline"},
        {"view=peta", INVALID, "view", 1, 4, "“peta”", "“peta”"},
    };
    struct qf x;
    (void)state;
    make(&x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fault_case c = cases[i];
        if (c.id[0] == '\0') { /* the text is the expression's own; its place is checked there */
            assert_int_equal(qf_ask(&x, c.query), ODP_BAD);
            assert_int_equal(x.fault.problem, c.problem);
            assert_string_equal(x.fault.parameter, "filter");
            assert_true(x.fault.position > 0 || x.fault.pointer != NULL);
            continue;
        }
        check_fault(&x, &c);
    }
    /* places count characters, not bytes */
    assert_int_equal(qf_ask(&x, "filter=nama = 'éé' AND lus_ha = 1"), ODP_BAD);
    assert_int_equal(x.fault.position, 17);
    assert_int_equal(x.fault.length, 6);
    assert_int_equal(qf_ask(&x, "properties=nama,é"), ODP_BAD);
    assert_int_equal(x.fault.position, 6);
    assert_int_equal(x.fault.length, 1);
    x.call.ogc = true; /* features, never counts of them */
    static const char *const counts[] = {"facets=nama", "aggregate=count()", "groupby=nama", "view=gantt"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(qf_ask(&x, counts[i]), ODP_BAD);
        assert_int_equal(x.fault.problem, UNKNOWN);
    }
    qf_end(&x);
}

/* ---- the body of a POST ---- */

static enum odp_status post(struct qf *x, const char *query, const char *body)
{
    json_error_t error;
    json_t *json = json_loads(body, JSON_DECODE_ANY, &error);
    assert_non_null(json);
    x->call.body = json;
    enum odp_status status = qf_ask(x, query);
    json_decref(json); /* nothing of it is needed afterwards but by the query */
    x->call.body = NULL;
    return status;
}

static void test_body(void **state)
{
    static const struct {
        const char *query, *body, *normal;
    } good[] = {
        {"", "{}", ""},
        {"limit=2", "{\"filter\":\"luas_ha > 0\"}", "filter=\"luas_ha\"%20%3E%200&limit=2"},
        {"", "{\"limit\":3,\"sortby\":\"-nama\"}", "limit=3&sortby=-nama"},
        {"", "{\"sortby\":[\"-nama\",\"luas_ha\"],\"properties\":[\"nama\",\"geometry\"]}", "properties=nama,geometry&sortby=-nama,luas_ha"},
        {"", "{\"bbox\":[106.1,-7,107,-5.25]}", "bbox=106.1,-7,107,-5.25"},
        {"", "{\"bbox\":\"106.1,-7,107,-5.25\"}", "bbox=106.1,-7,107,-5.25"},
        {"", "{\"luas_ha\":12.5,\"aktif\":true,\"jumlah\":7}", "aktif=true&jumlah=7&luas_ha=12.5"},
        {"", "{\"skipGeometry\":true,\"f\":\"csv\"}", "skipGeometry=true"},
        {"", "{\"q\":\"rawa buaya\"}", "q=rawa%20buaya"},
    };
    static const struct {
        const char *query, *body, *parameter;
    } bad[] = {
        {"", "[]", NULL},
        {"", "\"x\"", NULL},
        {"limit=2", "{\"limit\":3}", "limit"},
        {"filter=aktif", "{\"filter\":{\"op\":\"isNull\",\"args\":[{\"property\":\"nama\"}]}}", "filter"},
        {"nama=a", "{\"nama\":[\"b\"]}", "nama"},
        {"", "{\"limit\":null}", "limit"},
        {"", "{\"limit\":{}}", "limit"},
        {"", "{\"limit\":-1}", "limit"},
        {"", "{\"limit\":1.5}", "limit"},
        {"", "{\"limits\":1}", "limits"},
        {"", "{\"bbox\":[1,2,[3],4]}", "bbox"},
        {"", "{\"nama\":[{}]}", "nama"},
        {"", "{\"luas_ha\":[1,\"x\"]}", "luas_ha"},
        {"", "{\"sortby\":[1]}", "sortby"},
        {"filter-lang=cql2-text", "{\"filter\":{\"op\":\"isNull\",\"args\":[{\"property\":\"nama\"}]}}", "filter-lang"},
        {"", "{\"filter\":{\"op\":\"x\"}}", "filter"},
        {"", "{\"filter\":[1]}", "filter"},
    };
    struct qf x;
    (void)state;
    make(&x);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (post(&x, good[i].query, good[i].body) != ODP_OK)
            fail_msg("%s: %s", good[i].body, x.fault.detail.in[1]);
        if (strcmp(x.q->normal, good[i].normal) != 0 && strncmp(good[i].normal, "filter", 6) != 0)
            fail_msg("%s: “%s”", good[i].body, x.q->normal);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (post(&x, bad[i].query, bad[i].body) != ODP_BAD)
            fail_msg("taken: %s", bad[i].body);
        if (bad[i].parameter != NULL && (x.fault.parameter == NULL || strcmp(bad[i].parameter, x.fault.parameter) != 0))
            fail_msg("%s: %s", bad[i].body, x.fault.parameter);
        assert_true(strlen(x.fault.detail.in[0]) > 0 && strlen(x.fault.detail.in[1]) > 0);
    }
    /* an array is one of these, of texts too; its link is a filter */
    assert_int_equal(post(&x, "", "{\"id_kawasan\":[\"A-1\",\"B,1\",\"z\"]}"), ODP_OK);
    assert_int_equal(x.r.returned, 2);
    char again[500];
    (void)snprintf(again, sizeof again, "%s", x.q->normal);
    check_ids(&x, again, "A-1 B,1");
    assert_int_equal(post(&x, "", "{\"filter\":{\"op\":\"=\",\"args\":[{\"property\":\"nama\"},\"Rawa Buaya\"]},\"jumlah\":[-7,5]}"), ODP_OK);
    assert_int_equal(x.r.returned, 1);
    (void)snprintf(again, sizeof again, "%s", x.q->normal);
    check_ids(&x, again, "A-2");
    assert_int_equal(post(&x, "", "{\"filter\":{\"op\":\"=\",\"args\":[{\"property\":\"nema\"},\"x\"]}}"), ODP_BAD);
    assert_int_equal(x.fault.problem, FILTER);
    assert_non_null(x.fault.pointer);
    qf_end(&x);
}

static void test_other_resources(void **state)
{
    struct qf x;
    (void)state;
    qf_begin(&x); /* no geometry, no text, no date */
    (void)qf_field(&x, "a", ODP_TYPE_INTEGER);
    qf_row(&x, (const char *const[]){"1"});
    qf_row(&x, (const char *const[]){NULL});
    qf_open(&x);
    assert_int_equal(qf_ask(&x, "bbox=1,1,2,2&datetime=2024-01-01"), ODP_OK); /* all match */
    assert_int_equal(x.r.returned, 2);
    assert_string_equal(x.q->normal, "");
    check_fault(&x, &(struct fault_case){"q=rawa", INVALID, "q", 0, 0, "teks", "no text"});
    check_fault(&x, &(struct fault_case){"properties=geometry", INVALID, "properties", 1, 8, "“geometry”", "“geometry”"});
    x.call.form = ODP_QUERY_GEOJSON;
    check_fault(&x, &(struct fault_case){"", ODP_QUERY_NOT_ACCEPTABLE, NULL, 0, 0, "geometri", "no geometry"});
    x.call.ogc = true;
    assert_int_equal(qf_ask(&x, ""), ODP_OK);
    qf_end(&x);
}

/* Date-times: by instant; a date is its day in UTC. */
static void test_instants(void **state)
{
    struct qf x;
    (void)state;
    qf_begin(&x);
    (void)qf_field(&x, "id", ODP_TYPE_STRING);
    (void)qf_field(&x, "waktu", ODP_TYPE_DATETIME);
    qf_key(&x, 0);
    x.resource.datetime[0] = x.resource.datetime[1] = 1;
    qf_row(&x, (const char *const[]){"A-1", "2024-03-14T23:59:59.999999999Z"});
    qf_row(&x, (const char *const[]){"A-2", "2024-03-15T07:00:00+07:00"});
    qf_row(&x, (const char *const[]){"A-3", "2024-03-15T23:59:59.999999999Z"});
    qf_row(&x, (const char *const[]){"A-4", "2024-03-16T07:00:00+07:00"});
    qf_row(&x, (const char *const[]){"A-5", NULL});
    qf_open(&x);
    check_ids(&x, "datetime=2024-03-15", "A-2 A-3 A-5");
    check_ids(&x, "datetime=2024-03-15/2024-03-15", "A-2 A-3 A-5");
    check_ids(&x, "datetime=2024-03-15T00:00:00Z", "A-2 A-5");
    check_ids(&x, "datetime=2024-03-15T07:00:00%2B07:00", "A-2 A-5");
    check_ids(&x, "datetime=../2024-03-15T00:00:00Z", "A-1 A-2 A-5");
    check_ids(&x, "datetime=2024-03-16/..", "A-4 A-5");
    check_ids(&x, "datetime=2024-03-15T23:59:59.999999999Z/..", "A-3 A-4 A-5");
    qf_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_matches), cmocka_unit_test(test_normal), cmocka_unit_test(test_etag),    cmocka_unit_test(test_faults),
        cmocka_unit_test(test_body),         cmocka_unit_test(test_other_resources), cmocka_unit_test(test_instants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
