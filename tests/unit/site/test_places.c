/* Places of a hand-made site: which have pages, ranks, what lies around, the figures as CSV; hostile codes. */
#include "site_script.h"

#include "published/paths.h"
#include "site/model/places.h"

static const char entries[] =
    "[{'slug':'kab','kind':'code-list','places':true,'title':{'id':'Kabupaten','en':'Regencies'},'version':'"
    "1','resources':[{'name':'kab','edition':'2025','api':'kab.json','schema':'../data/kab/1/"
    "schema.json'}]},{'slug':'prov','kind':'code-list','places':true,'title':{'id':'Provinsi','en':'"
    "Provinces'},'version':'1','resources':[{'name':'prov','edition':'2025','api':'prov.json','schema':'../"
    "data/prov/1/"
    "schema.json'}]},{'slug':'rumah','title':{'id':'Rumah','en':'Houses'},'version':'2023-01-01','resources':"
    "[{'name':'rumah','schema':'../data/rumah/2023-01-01/schema.json'}]}]";

/* Two provinces, A with three regencies; B's only regency has a code that no file may have. */
static void put_lists(struct site *s)
{
    site_put(s, "data/prov/1/schema.json", "{'primaryKey':['kode'],'fields':[{'name':'kode'}]}");
    site_put(s, "v1/prov.json", "{'data':[{'kode':'A'},{'kode':'B'}],'links':{'next':null}}");
    site_put(s, "data/prov/labels-2025.json",
             "{'labels':{'A':{'id':'Alfa'},'B':{'id':'Beta','en':'Beta (en)'}}}");
    site_put(
        s, "data/kab/1/schema.json",
        "{'primaryKey':['kode'],'odp:foreignKeys':[{'fields':['lama'],'reference':{'dataset':'references/"
        "kab'}},{'fields':['prov'],'reference':{'dataset':'references/prov','resource':'2025'}}]}");
    site_put(
        s, "v1/kab.json",
        "{'data':[{'kode':'A.1','prov':'A'},{'kode':'A.2','prov':'A'}],'links':{'next':'kab/v/1/p/2.json'}}");
    site_put(s, "v1/kab/v/1/p/2.json",
             "{'data':[{'kode':'A.3','prov':'A'},{'kode':'../"
             "B','prov':'B'},{'kode':'unused','prov':'B'}],'links':{'next':null}}");
    site_put(s, "data/kab/labels-2025.json", "{'labels':{'A.1':{'id':'Kota Satu'}}}");
}

/* A panel of two years; the mean of A.3 is missing in the last one. */
static void put_summary(struct site *s)
{
    site_put(s, "data/rumah/2023-01-01/schema.json",
             "{'odp:queryables':[{'name':'prov','field':'kode','reference':{'dataset':'references/prov'}}]}");
    site_put(s, "data/rumah/2023-01-01/rumah.summary.json",
             "{'table':'rumah','record':{'id':'baris','en':'rows'},'place':{'field':'kode','list':'kab','"
             "edition':'2025','parent':'prov','parent_edition':'2025'},'time':{'field':'tahun','panel':true,'"
             "values':['2022','2023']},'measures':[{'name':'unit','aggregate':'sum','title':{'id':'Rumah, "
             "unit','en':'Houses'},'unit':{'id':'unit','en':'units'},'decimals':0,'highlight':true},{'name':'"
             "layak','aggregate':'mean','title':{'id':'Layak','en':'Decent'},'unit':{'id':'persen','en':'"
             "percent'},'decimals':1,'highlight':true},{'name':'tidak','aggregate':'sum','title':{'id':'x','"
             "en':'x'},'decimals':0}],'all':{'total':[100,50.5,1],'times':[[90,49,1],[100,50.5,1]]},'places':"
             "{'kab':{'A.1':{'total':[40,60,1],'times':[[50,58.5,1],[40,60,1]]},'A.2':{'total':[40,30,1],'"
             "times':[[10,30,1],[40,30,1]]},'A.3':{'total':[5,null,1],'times':[[5,80,1],[5,null,1]]},'../"
             "B':{'total':[15,61.5,1],'times':[[25,1,1],[15,61.5,1]]},'no.list':{'total':[1,1,1]}},'prov':{'"
             "A':{'total':[85,45,1],'times':[[65,null,1],[85,45,1]]},'B':{'total':[15,61.5,1],'times':[[25,1,"
             "1],[15,61.5,1]]}}}}");
}

struct opened {
    struct site s;
    struct odp_site_job job;
    struct odp_places *places;
};

static void begin(struct opened *o)
{
    site_init(&o->s);
    site_open(&o->s);
    o->job = site_job(&o->s, entries);
    put_lists(&o->s);
    put_summary(&o->s);
    must(odp_places_open(&o->places, &o->job));
}

static void end(struct opened *o)
{
    odp_places_close(o->places);
    site_release(&o->s);
}

TEST(which)
{
    static const char *const codes[] = {"A", "B", "A.1", "A.2", "A.3"};
    struct opened o;
    size_t n;
    begin(&o);
    const struct odp_place *const *all = odp_places_all(o.places, &n);
    assert_int_equal(n, 5); /* provinces first: regencies lie in them */
    for (size_t i = 0; i < n; i++)
        assert_string_equal(all[i]->code, codes[i]);
    assert_ptr_equal(all[2]->parent, all[0]);
    assert_ptr_equal(odp_places_find(o.places, "references/kab", "A.2"), all[3]);
    assert_null(odp_places_find(o.places, "kab", "../B"));
    assert_null(odp_places_find(o.places, "kab", "unused")); /* no table has it */
    assert_null(odp_places_find(o.places, "prov", "A.1"));
    assert_null(odp_places_find(NULL, "prov", "A"));
    assert_true(odp_places_has(o.places, "kab") && !odp_places_has(o.places, "rumah"));
    assert_int_equal(odp_diags_code_count(o.s.diags, ODP_V92), 1);
    end(&o);
}

static void script_begin(void *ctx, const char *text)
{
    begin(ctx);
}

/* "LIST CODE": what is known of the place; "csv LIST CODE": its figures; "all": of all of them. */
static const char *script_read(void *ctx, const char *text)
{
    struct opened *o = ctx;
    struct odp_buffer out = {0};
    char list[16], code[16];
    bool csv = strncmp(text, "csv ", 4) == 0;
    const struct odp_place *place = NULL;
    if (sscanf(csv ? text + 4 : text, "%15s %15s", list, code) == 2)
        place = odp_places_find(o->places, list, code);
    if (csv) {
        odp_place_csv(o->places, place, &out);
    } else {
        json_t *facts = place != NULL ? odp_place_facts(o->places, place) : odp_places_facts(o->places);
        char *dump = json_dumps(facts, JSON_COMPACT | JSON_REAL_PRECISION(15));
        odp_buffer_add_str(&out, dump);
        free(dump);
        json_decref(facts);
    }
    return odp_buffer_keep(&out, &o->s.arena);
}

TEST(facts)
{
    struct opened o;
    site_script((struct site_script){&o.s, &o, script_begin, NULL, script_read, ""}, "site/places.txt");
    end(&o);
}

/* Two lists with one code; lists that lie in one another; a list without a key; a summary of nonsense. */
TEST(hostile)
{
    struct odp_places *places;
    size_t n;
    SITE(s);
    site_open(&s);
    struct odp_site_job job =
        site_job(&s, "[{'slug':'a','kind':'code-list','places':true,'resources':[{'edition':'1','api':'a."
                     "json','schema':'../data/a/1/"
                     "schema.json'}]},{'slug':'b','kind':'code-list','places':true,'resources':[{'edition':'"
                     "1','api':'b.json','schema':'../data/b/1/"
                     "schema.json'}]},{'slug':'c','kind':'code-list','places':true,'resources':[]},{'slug':'"
                     "t','version':'1','resources':[{'name':'t'},{'name':'u'}]}]");
    site_put(&s, "data/a/1/schema.json",
             "{'primaryKey':['k'],'odp:foreignKeys':[{'fields':['v'],'reference':{'dataset':'b'}}]}");
    site_put(&s, "data/b/1/schema.json",
             "{'primaryKey':['k'],'odp:foreignKeys':[{'fields':['v'],'reference':{'dataset':'a'}}]}");
    site_put(&s, "v1/a.json", "{'data':[{'k':'1','v':'1'},{'k':7},{}]}");
    site_put(&s, "v1/b.json", "{'data':[{'k':'1','v':'1'},{'k':'2','v':'1'}]}");
    site_put(&s, "data/t/1/t.summary.json",
             "{'place':{'field':'f','list':'b'},'measures':[{'name':'count','highlight':true}],'all':[],'"
             "places':{'a':{'1':{'total':[3]}},'b':{'1':{'total':['x']},'2':{}},'c':7}}");
    site_put(&s, "data/t/1/t-u.summary.json", "[]");
    must(odp_places_open(&places, &job));
    const struct odp_place *const *all = odp_places_all(places, &n);
    assert_int_equal(n, 1);
    assert_string_equal(all[0]->list, "a");
    assert_int_equal(odp_diags_code_count(s.diags, ODP_V93), 1);
    json_t *f = odp_place_facts(places, all[0]);
    expect_json(&s, f, "tables|0|items|0|value", "3");
    json_decref(f);
    json_decref(odp_places_facts(places));
    odp_places_close(places);
}

/* tests/portal_js/place.test.mjs has the same rows. */
TEST(names)
{
    static const char x65[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    static const char *const good[] = {"32.73", "32", "ID-JB", "a_b", x65 + 1},
                             *const bad[] = {"",    "index", ".32",      "-1", "_a",  "../32",
                                             "a/b", "a b",   "\xc3\xa9", x65,  "32\n"};
    for (size_t i = 0; i < ODP_COUNT(good); i++)
        assert_true(odp_path_place_is(good[i]));
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        assert_false(odp_path_place_is(bad[i]));
}
