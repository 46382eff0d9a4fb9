/* No damage is read as a whole file: cut off, changed bytes, faults by name, pages that do not fit. */
#include "answer_lines.h"
#include "reading_fixture.h"

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
        put_bytes(path, bytes, cut);
        must_refuse(digest_files(l, form, f.at, f.n, &d, fault));
    }
    for (size_t i = 0; i < len; i++) {
        static const char flips[] = {1, 0x20, (char)0x80};
        for (size_t k = 0; k < sizeof flips; k++) {
            bytes[i] = (char)(bytes[i] ^ flips[k]);
            put_bytes(path, bytes, len);
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

/* Questions of reading_faults.txt: what is wrong with the bytes after "json ", "csv " or "page ". */
static void fault_of(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const struct reader *q = ctx;
    const enum odp_form form = *question.ptr == 'j'   ? ODP_FORM_JSON
                               : *question.ptr == 'c' ? ODP_FORM_CSV
                                                      : ODP_FORM_PAGES;
    const size_t kind = strcspn(question.ptr, " ") + 1;
    struct odp_reading_digest d;
    char fault[512], path[FRESH_FOLDER];
    const char *at[] = {path};
    snprintf(path, sizeof path, "%s/odp-damaged-XXXXXX", odp_temporary_place());
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    put_bytes(path, question.ptr + kind, question.len - kind);
    const enum odp_status status = digest_files(q->layout, form, at, 1, &d, fault);
    assert_int_equal(unlink(path), 0);
    odp_buffer_add_str(out, status == ODP_BAD ? fault : "nothing");
}

TEST(faults)
{
    FX(fx);
    fx_field(&fx, "a", ODP_TYPE_STRING);
    fx_field(&fx, "b", ODP_TYPE_NUMBER);
    READER(q, make_schema(&fx, 1));
    answer_lines("site/reading_faults.txt", fault_of, &q);
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
    EXPECT(fault, "page 2 of 3");
    must_refuse(digest_files(q.layout, ODP_FORM_PAGES, absent, 3, &d, fault));
    EXPECT(fault, "cannot be opened: No such file");
    size_t len;
    char *bytes = fx_read(&fx, "v1/uji/v/2024-03-15/p/2.json", &len),
         *version = strstr(bytes, "\"version\":\"2024");
    assert_non_null(version);
    version[14] = '3';
    fx_path(&fx, "damaged", path);
    put_bytes(path, bytes, len);
    f.at[1] = path;
    must_refuse(digest_files(q.layout, ODP_FORM_PAGES, f.at, 3, &d, fault));
    EXPECT(fault, "of another version");
    free(bytes);
    fx_release(&fx);
}
