/* The normal form of questions, and the tags of their answers. (answers/parameters.txt has every parameter,
 * and every fault of it.) */

#include "answer_lines.h"
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

static const char *normal_of(struct qf *x, const char *query, char tag[ODP_QUERY_ETAG + 1])
{
    if (qf_ask(x, query) != ODP_OK)
        fail_msg("%s: %s", query, x->fault.detail.in[1] != NULL ? x->fault.detail.in[1] : odp_failure_text());
    tag_of(x->q, tag);
    return x->q->normal;
}

/* Equal questions, "A  =  B", have equal tags, and a normal form that is a query itself. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    char *one = strdup(question.ptr), *other = strstr(one, "  =  "), tags[3][ODP_QUERY_ETAG + 1];
    *other = '\0';
    odp_buffer_add_str(out, normal_of(ctx, one, tags[0]));
    assert_string_equal(normal_of(ctx, other + 5, tags[1]), odp_buffer_cstr(out));
    assert_string_equal(normal_of(ctx, odp_buffer_cstr(out), tags[2]), odp_buffer_cstr(out));
    assert_string_equal(tags[0], tags[1]);
    assert_string_equal(tags[0], tags[2]);
    free(one);
}

TEST(normal)
{
    struct qf x;
    make(&x);
    answer_lines("queries/answers/normal.txt", answer, &x);
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
