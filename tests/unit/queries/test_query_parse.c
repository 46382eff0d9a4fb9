/* The normal form of questions, and the tags of their answers. (answers/parameters.txt has every parameter,
 * and every fault of it.) */

#include "run.h"

#include "query_fixture.h"
#include "service/queries/engine/engine_internal.h"

enum { ID, NAMA, LUAS, JUMLAH, MULAI, SELESAI, WAKTU, JAM, BULAN, TAHUN, AKTIF, LAMA, DAFTAR, FIELDS };

static void make(struct qf *x)
{
    static const struct {
        const char *name;
        enum odp_type type;
    } fields[FIELDS] = {
        {"id_kawasan", ODP_TYPE_STRING}, {"nama", ODP_TYPE_STRING},   {"luas_ha", ODP_TYPE_NUMBER},
        {"jumlah", ODP_TYPE_INTEGER},    {"mulai", ODP_TYPE_DATE},    {"selesai", ODP_TYPE_DATE},
        {"waktu", ODP_TYPE_DATETIME},    {"jam", ODP_TYPE_TIME},      {"bulan", ODP_TYPE_YEARMONTH},
        {"tahun", ODP_TYPE_YEAR},        {"aktif", ODP_TYPE_BOOLEAN}, {"lama", ODP_TYPE_DURATION},
        {"daftar", ODP_TYPE_LIST}};
    static const char *const rows[][FIELDS] = {
        {"A-1", "Kampung Menteng, RW 1", "12.50", "7", "2024-01-01", "2024-06-30",
         "2024-03-15T07:00:00+07:00", "07:05:00", "2024-03", "2024", "true", "P1D", "[\"a\"]"},
        {"A-2", "Rawa Buaya", "-3", "-7", "2024-03-15", NULL, "2024-03-14T17:00:00Z", "23:59:59.5", "2023-12",
         "2023", "false", "PT1H", "[]"},
        {"A-3", "it's \"x\" \\", "0", "0", NULL, "2024-02-01", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
        {"B,1", NULL, NULL, NULL, NULL, NULL, "2024-03-15T23:59:59.999+00:00", NULL, NULL, NULL, NULL, NULL,
         NULL}};
    qf_begin(x);
    for (int k = 0; k < FIELDS; k++)
        (void)qf_field(x, fields[k].name, fields[k].type);
    qf_key(x, ID);
    x->resource.datetime[0] = MULAI;
    x->resource.datetime[1] = SELESAI;
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        qf_row(x, rows[i]);
        if (i < 3)
            qf_point(x, i == 2 ? 179.5 : 106.5 + (double)i, -6);
    }
    qf_open(x);
}

static void tag_of(const struct odp_query *q, char tag[ODP_QUERY_ETAG + 1])
{
    uint8_t key[ODP_SHA256_SIZE];
    must(odp_query_etag(q, key, tag));
}

/* ---- normal form ---- */

static void check_normal(struct qf *x, const char *query, const char *normal)
{
    if (qf_ask(x, query) != ODP_OK)
        fail_msg("%s: %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : odp_failure_text());
    if (strcmp(x->q->normal, normal) != 0)
        fail_msg("%s: “%s”, expected “%s”", query, x->q->normal, normal);
}

/* Equal questions have equal tags, and a normal form that is a query itself. */
TEST(normal)
{
    struct qf x;
    char again[2000], tag[ODP_QUERY_ETAG + 1], other[ODP_QUERY_ETAG + 1];
    make(&x);
    static const char *const same[][2] = {
        {"filter=luas_ha>1 and  (nama = 'a')", "filter=(luas_ha > 1.0) AND nama='a'"},
        {"filter=luas_ha%3E1&limit=10", "filter=luas_ha %3E 1"},
        {"filter=%7B%22op%22:%22%3D%22,%22args%22:[%7B%22property%22:%22nama%22%7D,%22a%22]%7D&filter-lang="
         "cql2-json",
         "filter=nama = 'a'"},
        {"filter=S_INTERSECTS(geometry,BBOX(1,2,3,4))", "filter=S_INTERSECTS(geometry, BBOX(1.0,2,3,4))"},
        {"filter=jam = '07:05:00' AND bulan < '2024-05' AND tahun = 2024",
         "filter=jam='07:05:00' and bulan<'2024-05' and (tahun=2024)"},
        {"filter=mulai > DATE('2024-01-01') AND waktu < TIMESTAMP('2024-01-01T07:00:00%2B07:00')",
         "filter=mulai > '2024-01-01' AND waktu < TIMESTAMP('2024-01-01T00:00:00Z')"},
        {"filter=lama <> 'P1D' AND daftar IS NULL", "filter=lama<>'P1D' and daftar is null"},
        {"filter=aktif = TRUE OR NOT (nama LIKE '50\\%25' AND CASEI(nama) IN (CASEI('A'),'b'))",
         "filter=aktif=true or not (nama like '50\\%25' and casei(nama) in (casei('A'),'b'))"},
        {"filter=luas_ha*2 - 1 > -(jumlah/3)", "filter=luas_ha * 2.0 - 1 > -(jumlah/3)"},
        {"filter=luas_ha NOT BETWEEN -1 AND 1e3", "filter=luas_ha not between -1.0 and 1000"},
        {"filter=nama = 'a''b\\\\' OR nama IN ('\\\\','''')",
         "filter=nama = 'a\\'b\\\\' OR nama IN ('\\\\','\\'')"},
        {"filter=nama = 'x\\\\y%0A%09'", "filter=nama='x\\\\y\\n\\t'"},
        {"filter=S_WITHIN(geometry,POLYGON((0 0,1 0,1 1,0 0)))",
         "filter=s_within(geometry, POLYGON ((0 0, 1 0, 1 1, 0 0)))"},
        {"filter=S_DISJOINT(POINT(1 2),geometry)", "filter=S_DISJOINT(POINT(1.0 2.0),\"geometry\")"}};
    for (size_t i = 0; i < ODP_COUNT(same); i++) {
        must(qf_ask(&x, same[i][0]));
        tag_of(x.q, tag);
        snprintf(again, sizeof again, "%s", x.q->normal);
        check_normal(&x, same[i][1], again);
        tag_of(x.q, other);
        assert_string_equal(tag, other);
        check_normal(&x, again, again); /* it is a query itself */
    }
    qf_end(&x);
}

/* Whatever changes the answer changes the tag; nothing else does. */
TEST(etag)
{
    static const char *const queries[] = {
        "",
        "limit=1",
        "limit=2",
        "offset=1",
        "nama=a",
        "nama=b",
        "sortby=nama",
        "sortby=-nama",
        "properties=nama",
        "skipGeometry=true",
        "facets=nama",
        "aggregate=count()",
        "q=aa",
        "q=ab",
        "q=a",
        "bbox=1,1,2,2",
        "datetime=2024-01-01",
        "filter=luas_ha=1",
        "filter=luas_ha<1",
    };
    enum { N = ODP_COUNT(queries), MORE = 7 };
    char tags[N + MORE][ODP_QUERY_ETAG + 1];
    struct qf x;
    uint8_t secret[32] = {1};
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
        tag_of(x.q, tags[i]);
        assert_int_equal(strspn(tags[i], "0123456789abcdef"), ODP_QUERY_ETAG);
        for (size_t j = 0; j < i; j++)
            if (strcmp(tags[i], tags[j]) == 0)
                fail_msg("tags %zu and %zu", i, j);
    }
    x.call.kind = ODP_QUERY_ITEMS;
    x.call.lang = ODP_LANG_EN; /* the envelope has both languages */
    must(qf_ask(&x, ""));
    tag_of(x.q, tags[1]);
    assert_string_equal(tags[0], tags[1]);
    qf_end(&x);
}
