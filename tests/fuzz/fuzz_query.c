/* Any bytes as a question to the query engine, on a small index with every type.
 *
 *   first byte   two bits: the form; then OGC, one record, English, pages of one record
 *   a line       the query as in an address (one record: key, '?', query)
 *   the rest     the body of a POST, if it is JSON
 *
 * What is checked beside the sanitizers: nothing makes the machine fail; a fault has both texts and points
 * into its value; bodies are JSON; the normal form is a query with the same tag; the next page is there, and
 * its previous one, too. */
#include "../unit/query_fixture.h"
#include "fuzz.h"
#include "base/json.h"
#include "base/utf8.h"
#include "service/queries/engine/engine_internal.h"

static struct qf x;

static void close_index(void)
{
    qf_end(&x);
}

static void open_index(void)
{
    static const struct {
        const char *name;
        enum odp_type type;
    } fields[] = {
        {"id", ODP_TYPE_STRING},      {"nama", ODP_TYPE_STRING},   {"luas", ODP_TYPE_NUMBER},
        {"jumlah", ODP_TYPE_INTEGER}, {"mulai", ODP_TYPE_DATE},    {"selesai", ODP_TYPE_DATE},
        {"waktu", ODP_TYPE_DATETIME}, {"jam", ODP_TYPE_TIME},      {"bulan", ODP_TYPE_YEARMONTH},
        {"tahun", ODP_TYPE_YEAR},     {"aktif", ODP_TYPE_BOOLEAN}, {"lama", ODP_TYPE_DURATION},
        {"daftar", ODP_TYPE_LIST},    {"lebar", ODP_TYPE_NUMBER},
    };
    static const char *const rows[][14] = {
        {"A-1", "Kampung Menteng, RW 1", "12.50", "7", "2024-01-01", "2024-06-30",
         "2024-03-15T07:00:00+07:00", "07:05:00", "2024-03", "2024", "true", "P1D", "[\"a\"]", "1"},
        {"A-2", "Rawa Buaya", "-3", "-7", "2024-03-15", NULL, "2024-03-14T17:00:00Z", "23:59:59.5", "2023-12",
         "2023", "false", "PT1H", "[]", "99999999999999999999.25"},
        {"A-3", "it's \"x\" \\", "0", "0", NULL, "2024-02-01", NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         "0.10000000000000000001"},
        {"B,1", NULL, NULL, "123456789012345678901234567890", NULL, NULL, "2024-03-15T23:59:59.999+00:00",
         NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
    qf_begin(&x);
    for (size_t k = 0; k < ODP_COUNT(fields); k++)
        (void)qf_field(&x, fields[k].name, fields[k].type);
    qf_key(&x, 0);
    qf_index(&x, 2);
    x.resource.datetime[0] = 4;
    x.resource.datetime[1] = 5;
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        qf_row(&x, rows[i]);
        if (i < 3)
            qf_point(&x, i == 2 ? 179.5 : 106.5 + (double)i, -6);
    }
    qf_open(&x);
    x.limits.time_ms = 3000;
    (void)atexit(close_index);
}

static void check_fault(void)
{
    const struct odp_query_fault *f = &x.fault;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        NEED(f->detail.in[lang] != NULL && f->detail.in[lang][0] != '\0');
        NEED(odp_utf8_valid(odp_slice_of(f->detail.in[lang])) == strlen(f->detail.in[lang]));
    }
    for (size_t i = 0; i < x.call.nparams && f->parameter != NULL && f->position > 0; i++)
        if (odp_slice_is(x.params[i].name, f->parameter))
            NEED(f->position + f->length <= odp_utf8_count(x.params[i].value) + 2);
}

static void check_answer(void)
{
    char first;
    bool json = strncmp(odp_query_media_type(x.q), "application/", 12) == 0;
    NEED(x.r.body.len > 0 || !json);
    NEED(!json || odp_json_valid(odp_slice_trim(odp_buffer_slice(&x.r.body)), &first));
}

static char *copy_of(const char *s)
{
    char *out = s != NULL ? strdup(s) : NULL;
    NEED(s == NULL || out != NULL);
    return out;
}

static enum odp_status ask(const char *query)
{
    enum odp_status status = qf_ask(&x, query);
    NEED(status != ODP_FAIL);
    if (status == ODP_BAD)
        check_fault();
    else
        check_answer();
    return status;
}

/* The answer's normal form asks the same; the links lead on and back. */
static void follow(void)
{
    uint8_t key[ODP_SHA256_SIZE];
    char tag[ODP_QUERY_ETAG + 1], again[ODP_QUERY_ETAG + 1];
    char *normal = copy_of(x.q->normal), *next = x.r.next != NULL ? copy_of(strchr(x.r.next, '?') + 1) : NULL;
    bool whole = x.q->cursor == NULL && x.q->offset == 0 && x.q->call->kind == ODP_QUERY_ITEMS;
    NEED(odp_query_etag(x.q, key, tag) == ODP_OK);
    x.call.body = NULL;
    if (whole) {
        enum odp_status status = ask(normal);
        NEED(status == ODP_OK || x.fault.problem == ODP_QUERY_TOO_EXPENSIVE);
        if (status == ODP_OK) {
            NEED(strcmp(x.q->normal, normal) == 0);
            NEED(odp_query_etag(x.q, key, again) == ODP_OK);
            NEED(strcmp(tag, again) == 0);
        }
    }
    if (next != NULL && ask(next) == ODP_OK)
        NEED(x.r.previous != NULL || x.q->view != QUERY_RECORDS);
    else
        NEED(next == NULL || x.fault.problem == ODP_QUERY_TOO_EXPENSIVE);
    free(normal);
    free(next);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_buffer text = {0};
    json_t *json = NULL;
    if (x.index == NULL)
        open_index();
    if (in.len == 0)
        return;
    unsigned how = (unsigned char)*in.ptr;
    in = (struct odp_slice){in.ptr + 1, in.len - 1};
    in.len = strnlen(in.ptr, in.len);
    struct odp_slice line = fuzz_line(&in);
    odp_buffer_add_slice(&text, line);
    if (in.ptr > line.ptr + line.len)
        json = json_loadb(in.ptr, in.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    x.call.form = (enum odp_query_form)(how & 3);
    x.call.ogc = (how & 4) != 0;
    x.call.kind = (how & 8) != 0 ? ODP_QUERY_ITEM : ODP_QUERY_ITEMS;
    x.call.lang = (how & 16) != 0 ? ODP_LANG_EN : ODP_LANG_ID;
    x.limits.page = x.limits.page_file = (how & 32) != 0 ? 1 : 10;
    x.call.body = json;
    const char *query = odp_buffer_cstr(&text);
    if (x.call.kind == ODP_QUERY_ITEM) {
        x.call.key = fuzz_cut(&line, ODP_LIT("?"));
        query += text.len - line.len;
    }
    if (ask(query) == ODP_OK)
        follow();
    qf_forget(&x);
    json_decref(json);
    odp_buffer_release(&text);
}
