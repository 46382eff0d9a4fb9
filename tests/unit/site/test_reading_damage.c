/* No damage is read as a whole file: cut off, changed bytes, faults by name, pages that do not fit. */
#include "reading_fixture.h"

static void put(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Every prefix of file WHICH of the form is BAD; every flipped byte is BAD or another digest or says so
 * nowhere but in what no digest covers (OPEN counts those). */
static void damage(struct fixture *fx, const struct odp_layout *l, enum odp_form form, size_t which,
                   size_t *open)
{
    struct files f;
    struct odp_reading_digest right, d;
    char fault[512], path[512];
    size_t len;
    find_files(fx, form, &f);
    must(digest_files(l, form, f.at, f.n, &right, fault));
    char *bytes = fx_read(fx, f.path[which] + strlen(fx->dir) + 1, &len);
    if (access("/dev/shm", W_OK) == 0) /* thousands of small files: not on the disk */
        snprintf(path, sizeof path, "/dev/shm/odp-damaged-%ld", (long)getpid());
    else
        fx_path(fx, "damaged", path);
    f.at[which] = path;
    const char *records_end = form != ODP_FORM_CSV ? strstr(bytes, "\n]") : NULL;
    for (size_t cut = 0; cut < len; cut++) {
        put(path, bytes, cut);
        must_refuse(digest_files(l, form, f.at, f.n, &d, fault));
    }
    for (size_t i = 0; i < len; i++) {
        static const char flips[] = {1, 0x20, (char)0x80};
        for (size_t k = 0; k < sizeof flips; k++) {
            bytes[i] = (char)(bytes[i] ^ flips[k]);
            put(path, bytes, len);
            enum odp_status status = digest_files(l, form, f.at, f.n, &d, fault);
            bytes[i] = (char)(bytes[i] ^ flips[k]);
            assert_true(status == ODP_OK || status == ODP_BAD);
            if (status == ODP_OK) {
                assert_int_equal(d.rows, right.rows);
                bool same = memcmp(d.attributes, right.attributes, sizeof d.attributes) == 0 &&
                            d.whole == right.whole && memcmp(d.logical, right.logical, sizeof d.logical) == 0;
                if (same && form != ODP_FORM_CSV && bytes + i > strchr(bytes, '\n') &&
                    bytes + i < records_end)
                    fail_msg("form %d: byte %zu of a record may be changed unseen", form, i);
                *open += same;
            }
        }
    }
    assert_int_equal(unlink(path), 0);
    free(bytes);
}

TEST(damage)
{
    struct odp_slice cells[3 * (NSHAPES + 1)];
    const struct odp_geom *geometry[NSHAPES + 1];
    struct fixture fx;
    size_t open[4] = {0};
    make_shapes(&fx, cells, geometry);
    geometry[1] = &shapes[9];
    fx.resource.geometry.csv_wkt = true;
    fx.catalog.portal.page_records = 2;
    fx_key(&fx, 0, 2);
    fx_emit(&fx, cells, 3, 3, geometry);
    READER(q, make_schema(&fx, 3));
    for (int form = 0; form < 4; form++)
        damage(&fx, q.layout, (enum odp_form)form, 0, &open[form]);
    damage(&fx, q.layout, ODP_FORM_PAGES, 1, &open[3]);
    /* Content is never changed unseen; names of dataset and release, dates, links, bbox and label points are
     * none. */
    print_message("not content: %zu %zu %zu %zu\n", open[0], open[1], open[2], open[3]);
    assert_true(open[ODP_FORM_JSON] > 0 && open[ODP_FORM_GEOJSON] > 0 && open[ODP_FORM_CSV] > 0 &&
                open[ODP_FORM_PAGES] > 0);
    assert_true(open[ODP_FORM_CSV] < 80);
    fx_release(&fx);
}

/* Reads BYTES as FORM; the fault it must have, in part. */
static void expect_fault(const struct fixture *fx, const struct odp_layout *l, enum odp_form form,
                         const char *bytes, const char *want)
{
    struct odp_reading_digest d;
    char fault[512], path[512];
    const char *at[] = {path};
    fx_path(fx, "damaged", path);
    put(path, bytes, strlen(bytes));
    enum odp_status status = digest_files(l, form, at, 1, &d, fault);
    if (status != ODP_BAD)
        fail_msg("status %d of: %s", status, bytes);
    if (strstr(fault, want) == NULL)
        fail_msg("%s\n  instead of: %s\n  of: %s", fault, want, bytes);
}

TEST(faults)
{
    FX(fx);
    fx_field(&fx, "a", ODP_TYPE_STRING);
    fx_field(&fx, "b", ODP_TYPE_NUMBER);
    json_t *schema = make_schema(&fx, 1);
    READER(q, schema);
#define TAIL "\n],\"status\":\"success\",\"meta\":{\"total\":1}}\n"
    static const char *const json[][2] = {
        {"", "byte 0: the file is empty"},
        {"{\"Data\":[\n", "byte 0: it does not begin as an envelope"},
        {"{\"data\":[\n", "record 1, byte 10: the file ends where a record should begin"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}", "record 1, byte 10: the file ends in the middle of a line"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n", "the file ends behind its records"},
        {"{\"data\":[\n{\"b\":1,\"a\":\"x\"}" TAIL, "the value of a is damaged, missing"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":01}" TAIL, "the value of b is damaged"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1.}" TAIL, "the value of b is damaged"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1e}" TAIL, "the value of b is damaged"},
        {"{\"data\":[\n{\"a\":\"\\ud800\",\"b\":1}" TAIL, "the value of a is damaged"},
        {"{\"data\":[\n{\"a\":\"x\",\"a_nama\":1,\"b\":1}" TAIL, "the value of a is damaged"},
        {"{\"data\":[\n{\"a\":\"x\",\"a_nama_en\":\"\",\"a_nama\":null,\"b\":1}" TAIL,
         "the value of b is damaged"},
        {"{\"data\":[\n{\"a\":\"x\\", "middle of a line"},
        {"{\"data\":[\n{\"a\":\"x\\\n", "the value of a is damaged"},
        {"{\"data\":[\n{\"a\":\"\xff\",\"b\":1}" TAIL, "it is not UTF-8"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1,\"c\":1}" TAIL, "there is more than its fields"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1} ," TAIL, "there is more in its line"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}" TAIL "\n", "there is more after its end"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"error\",\"meta\":{\"total\":1}}\n",
         "its status is not success"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"success\",\"meta\":{}}\n",
         "meta.total is missing"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"success\",\"meta\":{\"total\":2}}\n",
         "there are 1 records, meta.total says 2"},
        {"{\"data\":[\n{\"a\":\"x\",\"b\":1},\n{\"a\":\"x\",\"b\":1}\n],\"status\":\"success\",\"meta\":{"
         "\"total\":2}}\n",
         "there are 2 records, the schema says 1"},
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0}}\n",
         "there are 0 records, the schema says 1"},
    };
    for (size_t i = 0; i < ODP_COUNT(json); i++)
        expect_fault(&fx, q.layout, ODP_FORM_JSON, json[i][0], json[i][1]);
    static const char *const csv[][2] = {
        {"", "byte 0: the file is empty"},
        {"a,c\r\n", "column 2 of the header is not b"},
        {"a,a_nama,a_nama_en,a_nam,b\r\n", "column 4 of the header is not b"},
        {"a_nama,a,b\r\n", "column 1 of the header is not a"},
        {"a,a_nama,b\r\nx,y\r\n", "it has 2 cells, the header has 3"},
        {"a\r\n", "the header has 1 columns, the schema has 2"},
        {"a,b,lon,lat\r\n", "not those of the schema"},
        {"a,b,c,d,e,f,g,h\r\n", "more cells than columns"},
        {"a,b\r\nx\r\n", "record 1, byte 5: it has 1 cells, the header has 2"},
        {"a,b\r\nx,1,2\r\n", "it has 3 cells"},
        {"a,b\r\nx,1\n", "does not end with CRLF"},
        {"a,b\r\nx,1\r", "the middle of a record"},
        {"a,b\r\nx,1", "the middle of a record"},
        {"a,b\r\nx,\"1", "the middle of a record"},
        {"a,b\r\nx,1\rx", "does not end with CRLF"},
        {"a,b\r\n\"x\"y,1\r\n", "text behind a quoted cell"},
        {"a,b\r\nx\"y,1\r\n", "a quote stands inside"},
        {"a,b\r\nx,y\r\n", "the value of b is damaged"},
        {"a,b\r\n\xff,1\r\n", "it is not UTF-8"},
        {"a,b\r\n", "there are 0 records, the schema says 1"},
        {"a,b\r\nx,1\r\ny,\r\n", "there are 2 records, the schema says 1"},
    };
    for (size_t i = 0; i < ODP_COUNT(csv); i++)
        expect_fault(&fx, q.layout, ODP_FORM_CSV, csv[i][0], csv[i][1]);
    static const char *const page[][2] = {
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0,\"page\":2,\"pages\":1,\"version\":\"1\"}"
         "}\n",
         "page 1 of 1, byte 0: it says that it is page 2"},
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0,\"page\":1,\"pages\":3,\"version\":\"1\"}"
         "}\n",
         "it says that there are 3 pages"},
        {"{\"data\":[],\"status\":\"success\",\"meta\":{\"total\":0,\"page\":1,\"pages\":1}}\n",
         "of which version"},
    };
    for (size_t i = 0; i < ODP_COUNT(page); i++)
        expect_fault(&fx, q.layout, ODP_FORM_PAGES, page[i][0], page[i][1]);
}

/* Pages that are missing, doubled, or of two versions. */
TEST(pages_must_fit)
{
    struct fixture fx;
    struct files f;
    struct odp_reading_digest d;
    char fault[512], path[512];
    make_types(&fx);
    fx.catalog.portal.page_records = 2;
    fx_emit(&fx, typed, NTYPED, 2, NULL);
    READER(q, make_schema(&fx, NTYPED));
    find_files(&fx, ODP_FORM_PAGES, &f);
    assert_int_equal(f.n, 3);
    must(digest_files(q.layout, ODP_FORM_PAGES, f.at, 3, &d, fault));
    must_refuse(digest_files(q.layout, ODP_FORM_PAGES, f.at, 2, &d, fault));
    assert_string_equal(strchr(fault, ':'), ": it says that there are 3 pages");
    must_refuse(digest_files(q.layout, ODP_FORM_PAGES, f.at, 0, &d, fault));
    must_refuse(digest_files(q.layout, ODP_FORM_JSON, f.at, 2, &d, fault));
    const char *swapped[] = {f.at[0], f.at[2], f.at[1]}, *absent[] = {f.at[0], "/nonexistent/odp", f.at[2]};
    must_refuse(digest_files(q.layout, ODP_FORM_PAGES, swapped, 3, &d, fault));
    assert_non_null(strstr(fault, "page 2 of 3"));
    must_refuse(digest_files(q.layout, ODP_FORM_PAGES, absent, 3, &d, fault));
    assert_non_null(strstr(fault, "not there"));
    size_t len;
    char *bytes = fx_read(&fx, "v1/uji/v/2024-03-15/p/2.json", &len),
         *version = strstr(bytes, "\"version\":\"2024");
    assert_non_null(version);
    version[14] = '3';
    fx_path(&fx, "damaged", path);
    put(path, bytes, len);
    f.at[1] = path;
    must_refuse(digest_files(q.layout, ODP_FORM_PAGES, f.at, 3, &d, fault));
    assert_non_null(strstr(fault, "of another version"));
    free(bytes);
    fx_release(&fx);
}
