/* Parameters of queries and names of forms. Addresses, Accept and tags: answers/addresses.txt. */
#include "gateway_query_fixture.h"

#include "service/queries/address.h"

TEST(parameters)
{
    struct odp_arena arena = {0};
    struct odp_query_params p;
    struct odp_slice value;
    must(odp_query_params_read(&p, ODP_LIT("&a=1+2%2B&&b&=x&a=%C3%A9&c=d=e"), &arena));
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
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        must_refuse(odp_query_params_read(&p, odp_slice_of(bad[i].query), &arena));
        assert_int_equal(p.fault, bad[i].fault);
        assert_true(odp_slice_is(p.name, bad[i].name));
    }
    char *many = malloc(70000);
    assert_non_null(many);
    for (int i = 0; i < 101; i++)
        memcpy(many + 4 * i, "a=1&", 4);
    must(odp_query_params_read(&p, (struct odp_slice){many, 400}, &arena));
    assert_int_equal(p.n, 100);
    must_refuse(odp_query_params_read(&p, (struct odp_slice){many, 404}, &arena));
    assert_int_equal(p.fault, ODP_PARAMS_MANY);
    memset(many, 'x', 70000);
    must(odp_query_params_read(&p, (struct odp_slice){many, 65536}, &arena));
    must_refuse(odp_query_params_read(&p, (struct odp_slice){many, 65537}, &arena));
    assert_int_equal(p.fault, ODP_PARAMS_LONG);
    free(many);
    assert_string_equal(
        odp_query_without(ODP_LIT("a=1&cursor=x&&b=%20&curso%72=y&k=z"), "cursor", "k", &arena), "a=1&b=%20");
    assert_string_equal(odp_query_without(ODP_LIT("cursor=x"), "cursor", NULL, &arena), "");
    odp_arena_release(&arena);
}

TEST(forms)
{
    assert_int_equal(odp_query_form_of(ODP_LIT("json"), false), ODP_QUERY_ENVELOPE);
    assert_int_equal(odp_query_form_of(ODP_LIT("json"), true), ODP_QUERY_GEOJSON);
    assert_int_equal(odp_query_form_of(ODP_LIT("JSON"), false), -1);
}
