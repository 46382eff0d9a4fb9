/* Queries before they are run: addresses, parameters, the form that is answered in, tags. */
#include "gateway_query_fixture.h"

#include "service/queries/address.h"

struct address_case {
    const char *raw;
    enum odp_status status;
    const char *slug, *resource, *collection, *key, *last;
    int form;
    bool search, ogc, item;
};

static void test_addresses(void **state)
{
    static const struct address_case cases[] = {
        {"/v1/kumuh", ODP_OK, "kumuh", "", "", "", "kumuh", -1, false, false, false},
        {"/api/v1/kumuh", ODP_OK, "kumuh", "", "", "", "kumuh", -1, false, false, false},
        {"/v1/kumuh.json", ODP_OK, "kumuh", "", "", "", "kumuh", ODP_QUERY_ENVELOPE, false, false, false},
        {"/v1/kumuh.geojson", ODP_OK, "kumuh", "", "", "", "kumuh", ODP_QUERY_GEOJSON, false, false, false},
        {"/v1/kumuh.csv", ODP_OK, "kumuh", "", "", "", "kumuh", ODP_QUERY_CSV, false, false, false},
        {"/v1/kumuh/search", ODP_OK, "kumuh", "", "", "", "search", -1, true, false, false},
        {"/v1/kumuh/search.csv", ODP_OK, "kumuh", "", "", "", "search", ODP_QUERY_CSV, true, false, false},
        {"/v1/proyek/timeline", ODP_OK, "proyek", "timeline", "", "", "timeline", -1, false, false, false},
        {"/v1/proyek/timeline.csv", ODP_OK, "proyek", "timeline", "", "", "timeline", ODP_QUERY_CSV, false,
         false, false},
        {"/v1/proyek/timeline/search.geojson", ODP_OK, "proyek", "timeline", "", "", "search",
         ODP_QUERY_GEOJSON, true, false, false},
        {"/v1/kumuh/id/31.71-0001", ODP_OK, "kumuh", "", "", "31.71-0001", "31.71-0001", -1, false, false,
         true},
        {"/v1/kumuh/id/a.csv", ODP_OK, "kumuh", "", "", "a.csv", "a.csv", -1, false, false, true},
        {"/v1/kumuh/id/a%2Fb,c%2Cd%25", ODP_OK, "kumuh", "", "", "a/b,c%2Cd%25", "a%2Fb,c%2Cd%25", -1, false,
         false, true},
        {"/v1/kumuh/id/a:b+c", ODP_OK, "kumuh", "", "", "a:b+c", "a%3Ab+c", -1, false, false, true},
        {"/v1/proyek/timeline/id/1,%20x", ODP_OK, "proyek", "timeline", "", "1, x", "1,%20x", -1, false,
         false, true},
        {"/v1/kumuh/id/,", ODP_OK, "kumuh", "", "", ",", ",", -1, false, false, true},
        {"/v1//kumuh/./x/../search", ODP_OK, "kumuh", "", "", "", "search", -1, true, false, false},
        {"/v1/%6bumuh", ODP_OK, "kumuh", "", "", "", "kumuh", -1, false, false, false},
        {"/v1/ogc/collections/kumuh/items", ODP_OK, "", "", "kumuh", "", "items", -1, false, true, false},
        {"/api/v1/ogc/collections/proyek-timeline/items/a%252Cb,c", ODP_OK, "", "", "proyek-timeline",
         "a%2Cb,c", "a%252Cb,c", -1, false, true, true},
        {"/v1", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v2/kumuh", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/a/b", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/timeline/x/y", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/a/b/c/d/e/f/g/h/i/j", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/ogc/collections/kumuh/items/a/b", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/ogc/collections/kumuh", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/%zz", ODP_BAD, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/%00", ODP_BAD, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/%ff", ODP_BAD, "", "", "", "", "", -1, false, false, false},
    };
    struct odp_arena arena;
    odp_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct address_case *c = &cases[i];
        struct odp_query_address d;
        enum odp_status st = odp_query_address_read(&d, odp_slice_of(c->raw), &arena);
        if (st != c->status)
            fail_msg("%s: status %d", c->raw, st);
        if (st != ODP_OK)
            continue;
        if (!odp_slice_is(d.slug, c->slug) || !odp_slice_is(d.resource, c->resource) ||
            !odp_slice_is(d.collection, c->collection) || !odp_slice_is(d.key, c->key) ||
            strcmp(d.last, c->last) != 0 || d.form != c->form || d.search != c->search || d.ogc != c->ogc ||
            (d.kind == ODP_QUERY_ITEM) != c->item)
            fail_msg("%s: slug %s resource %s collection %s key %s last %s form %d", c->raw, d.slug.ptr,
                     d.resource.ptr, d.collection.ptr, d.key.ptr, d.last, d.form);
        odp_arena_reset(&arena);
    }
    struct odp_query_address d; /* of a key of one field nothing is special */
    assert_int_equal(odp_query_address_read(&d, odp_slice_of("/v1/kumuh/id/a%2Cb,50%25"), &arena), ODP_OK);
    assert_true(odp_slice_is(d.key_text, "a,b,50%") && odp_slice_is(d.key, "a%2Cb,50%25"));
    odp_arena_release(&arena);
}

static void test_parameters(void **state)
{
    struct odp_arena arena;
    struct odp_query_params p;
    struct odp_slice value;
    odp_arena_init(&arena);
    assert_int_equal(odp_query_params_read(&p, ODP_LIT("&a=1+2%2B&&b&=x&a=%C3%A9&c=d=e"), &arena), ODP_OK);
    assert_int_equal(p.n, 4);
    assert_true(odp_slice_is(p.list[0].value, "1 2+") && odp_slice_is(p.list[1].name, "b") &&
                odp_slice_is(p.list[1].value, ""));
    assert_true(odp_slice_is(p.list[2].value, "\xC3\xA9") && odp_slice_is(p.list[3].value, "d=e"));
    assert_int_equal(odp_query_params_get(&p, "a", true, &value), 2);
    assert_true(odp_slice_is(value, "\xC3\xA9"));
    assert_int_equal(p.n, 2);
    assert_true(odp_slice_is(p.list[0].name, "b") && odp_slice_is(p.list[1].name, "c"));
    assert_int_equal(odp_query_params_get(&p, "zz", true, &value), 0);
    static const struct {
        const char *query, *name;
        enum odp_params_fault fault;
    } bad[] = {{"a=%", "a", ODP_PARAMS_ESCAPE},   {"b=%4", "b", ODP_PARAMS_ESCAPE},
               {"c=%00", "c", ODP_PARAMS_ESCAPE}, {"%zz=1", "", ODP_PARAMS_ESCAPE},
               {"d=%C3", "d", ODP_PARAMS_UTF8},   {"a=1&%ff=1", "", ODP_PARAMS_UTF8}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(odp_query_params_read(&p, odp_slice_of(bad[i].query), &arena), ODP_BAD);
        assert_int_equal(p.fault, bad[i].fault);
        assert_true(odp_slice_is(p.name, bad[i].name));
    }
    char *many = malloc(70000);
    assert_non_null(many);
    for (int i = 0; i < 101; i++)
        memcpy(many + 4 * i, "a=1&", 4);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 400}, &arena), ODP_OK);
    assert_int_equal(p.n, 100);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 404}, &arena), ODP_BAD);
    assert_int_equal(p.fault, ODP_PARAMS_MANY);
    memset(many, 'x', 70000);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 65536}, &arena), ODP_OK);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 65537}, &arena), ODP_BAD);
    assert_int_equal(p.fault, ODP_PARAMS_LONG);
    free(many);
    assert_string_equal(
        odp_query_without(ODP_LIT("a=1&cursor=x&&b=%20&curso%72=y&k=z"), "cursor", "k", &arena), "a=1&b=%20");
    assert_string_equal(odp_query_without(ODP_LIT("cursor=x"), "cursor", NULL, &arena), "");
    odp_arena_release(&arena);
}

static void test_forms(void **state)
{
    static const struct {
        const char *accept;
        bool ogc, geometry;
        int form;
    } cases[] = {
        {"", false, true, ODP_QUERY_ENVELOPE},
        {"*/*", false, true, ODP_QUERY_ENVELOPE},
        {"*/*", true, true, ODP_QUERY_GEOJSON},
        {"application/json", true, true, ODP_QUERY_GEOJSON},
        {"application/geo+json", false, true, ODP_QUERY_GEOJSON},
        {"application/geo+json", false, false, -1},
        {"application/geo+json, application/json;q=0.5", false, false, ODP_QUERY_ENVELOPE},
        {"Text/CSV", false, false, ODP_QUERY_CSV},
        {"text/*", false, false, ODP_QUERY_CSV},
        {"text/*;q=0.4, application/*;q=0.5", false, false, ODP_QUERY_ENVELOPE},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true, true, ODP_QUERY_HTML},
        {"application/json;q=0, */*", false, false, ODP_QUERY_CSV},
        {"application/json;q=0", false, false, -1},
        {"image/png", true, true, -1},
        {"application/json;charset=utf-8;q=0.3, text/csv;q=0.2", false, false, ODP_QUERY_ENVELOPE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int form = odp_query_form_accepted(odp_slice_of(cases[i].accept), cases[i].ogc, cases[i].geometry);
        if (form != cases[i].form)
            fail_msg("%s: %d", cases[i].accept, form);
    }
    assert_int_equal(odp_query_form_of(ODP_LIT("json"), false), ODP_QUERY_ENVELOPE);
    assert_int_equal(odp_query_form_of(ODP_LIT("json"), true), ODP_QUERY_GEOJSON);
    assert_int_equal(odp_query_form_of(ODP_LIT("JSON"), false), -1);
}

static void test_tags(void **state)
{
    static const struct {
        const char *list;
        bool match;
    } cases[] = {{"\"abc\"", true},
                 {"W/\"abc\"", true},
                 {"\"x\", \"abc\"", true},
                 {"\"x\",W/\"abc\" , \"y\"", true},
                 {"*", true},
                 {"", false},
                 {"abc", false},
                 {"\"abcd\"", false},
                 {"\"ab\"", false},
                 {"\"x\" \"abc\"", false},
                 {"\"abc", false},
                 {"\"a,\\\"abc\"", false},
                 {"\"x,\", \"abc\"", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (odp_query_etag_matches(odp_slice_of(cases[i].list), "\"abc\"") != cases[i].match)
            fail_msg("%s", cases[i].list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
