/* Places of a hand-made site: which have pages, ranks, what lies around, the figures as CSV; hostile
 * codes. */
#include "site_script.h"

#include "published/paths.h"
#include "site/pages/places_internal.h"

static const char entries[] =
    "[{'slug':'kab','kind':'code-list','places':true,'title':{'id':'Kabupaten','en':'Regencies'},'version':'"
    "1','resources':[{'name':'kab','edition':'2025','api':'kab.json','schema':'../data/kab/1/"
    "schema.json'}]},{'slug':'prov','kind':'code-list','places':true,'title':{'id':'Provinsi','en':'"
    "Provinces'},'version':'1','resources':[{'name':'prov','edition':'2025','api':'prov.json','schema':'../"
    "data/prov/1/"
    "schema.json'}]},{'slug':'rumah','title':{'id':'Rumah','en':'Houses'},'version':'2023-01-01','resources':"
    "[{'name':'rumah','schema':'../data/rumah/2023-01-01/schema.json'}]}]";

#define SUMMARY "data/rumah/2023-01-01/rumah.summary.json"

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
static void put_summary(struct site *s, int houses)
{
    site_put(s, "data/rumah/2023-01-01/schema.json",
             "{'odp:queryables':[{'name':'prov','field':'kode','reference':{'dataset':'references/prov'}}]}");
    site_put(
        s, SUMMARY,
        odp_arena_printf(
            &s->arena,
            "{'table':'rumah','record':{'id':'baris','en':'rows'},'place':{'field':'kode','list':'kab','"
            "edition':'2025','parent':'prov','parent_edition':'2025'},'time':{'field':'tahun','panel':true,'"
            "values':['2022','2023']},'measures':[{'name':'unit','aggregate':'sum','title':{'id':'Rumah, "
            "unit','en':'Houses'},'unit':{'id':'unit','en':'units'},'decimals':0,'highlight':true},{'name':'"
            "layak','aggregate':'mean','title':{'id':'Layak','en':'Decent'},'unit':{'id':'persen','en':'"
            "percent'},'decimals':1,'highlight':true},{'name':'tidak','aggregate':'sum','title':{'id':'x','"
            "en':'x'},'decimals':0}],'all':{'total':[100,50.5,1],'times':[[90,49,1],[100,50.5,1]]},'places':"
            "{'kab':{'A.1':{'total':[%d,60,1],'times':[[50,58.5,1],[%d,60,1]]},'A.2':{'total':[40,30,1],'"
            "times':[[10,30,1],[40,30,1]]},'A.3':{'total':[5,null,1],'times':[[5,80,1],[5,null,1]]},'../"
            "B':{'total':[15,61.5,1],'times':[[25,1,1],[15,61.5,1]]},'no.list':{'total':[1,1,1]}},'prov':{'"
            "A':{'total':[85,45,1],'times':[[65,null,1],[85,45,1]]},'B':{'total':[15,61.5,1],'times':[[25,1,"
            "1],[15,61.5,1]]}}}}",
            houses, houses));
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
    put_summary(&o->s, 40);
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

/* Gives what tables say of PLACE, as its page has it. */
static json_t *tables_of(struct odp_places *p, const struct odp_place *place)
{
    json_t *list = json_array();
    for (struct place_table *t = NULL; (t = odp_place_next_table(p, place, t)) != NULL;) {
        json_t *table = odp_place_table_facts(p, t, place);
        if (table != NULL)
            odp_add(list, table);
    }
    return list;
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
        odp_place_csv_begin(&out);
        for (struct place_table *t = NULL; (t = odp_place_next_table(o->places, place, t)) != NULL;)
            odp_place_csv(o->places, t, place, &out);
    } else {
        json_t *facts = place != NULL ? odp_place_facts(o->places, place) : odp_places_facts(o->places);
        if (place != NULL)
            odp_set(facts, "tables", tables_of(o->places, place));
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
    json_t *f = tables_of(places, all[0]);
    expect_json(&s, f, "0|items|0|value", "3");
    json_decref(f);
    json_decref(odp_places_facts(places));
    odp_places_close(places);
}

/* ---- from build to build ---- */

/* A build, and what is looked at in it. */
struct turn {
    int houses;               /* in the summary */
    const char *table, *page; /* templates: of what a table tells; what is before and after all of that */
    bool is_read;             /* the summary, to know which places it tells of */
    const char *text;         /* of the page */
};

static void open_page(struct portal *p, const struct turn *turn, struct odp_diags *diags)
{
    const struct odp_template_text texts[] = {{"pages/place-table.html", (const unsigned char *)turn->table},
                                              {NULL, NULL}};
    json_t *names = json_pack("{s:s}", "slug", "text"), *none = json_object();
    const struct odp_template_model model = {"place-table", names};
    must(odp_templates_open(
        &p->templates,
        &(struct odp_templates_options){.texts = texts, .common = none, .models = &model, .nmodels = 1},
        diags));
    json_decref(names);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        p->site[lang] = json_incref(none);
    json_decref(none);
}

static void close_page(struct portal *p)
{
    odp_templates_close(p->templates);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        json_decref(p->site[lang]);
    odp_arena_release(&p->arena);
}

/* The files of A.1. Returns its page. */
static const char *put_files(struct site *s, const struct odp_site_job *job, const struct turn *turn)
{
    struct portal p = {.job = job};
    struct place_files f = {
        .p = &p,
        .place = odp_places_find(job->places, "kab", "A.1"),
        .path = {"tempat/A.1.html", "en/places/A.1.html", "tempat/A.1.csv", "tempat/A.1.json"}};
    const char *page = NULL;
    odp_arena_init(&p.arena);
    open_page(&p, turn, s->diags);
    must(odp_part_begin(
        s->stage, "place/A.1",
        odp_slice_of(odp_arena_printf(&s->arena, "%s%s%d", turn->table, turn->page, turn->houses))));
    portal_place_sections(&f);
    must(p.status);
    for (int i = 0; i < PLACE_FILES; i++) {
        const char *text = odp_buffer_cstr(&f.text[i]);
        if (i < ODP_LANGS) {
            page = text = odp_arena_printf(&s->arena, "%s%s", turn->page, *turn->page != '-' ? text : "");
            portal_place_sections_at(&f, (enum odp_lang)i, odp_slice_of(text));
        }
        site_put_as(s, f.path[i], "text/plain", ODP_CLASS_PUBLIC, text);
    }
    odp_part_set_text(s->stage, odp_buffer_slice(&f.made));
    must(odp_part_end(s->stage, ODP_OK));
    portal_place_sections_release(&f);
    close_page(&p);
    return page;
}

static void build_turn(struct site *s, const struct turn *turn)
{
    struct odp_site *before = site_open_parts(s, 1);
    struct odp_places *places;
    put_lists(s);
    put_summary(s, turn->houses);
    struct odp_site_job job = site_job(s, entries);
    must(odp_places_open(&places, &job));
    job.places = places;
    assert_int_equal(odp_places_summary(places, SUMMARY) != NULL, turn->is_read);
    assert_string_equal(put_files(s, &job, turn), turn->text);
    site_switch_parts(s, before);
    odp_places_close(places);
}

/* A build with another template shows whether the text is that of the build before. */
TEST(what_a_table_tells_is_taken_from_the_files_before_while_the_table_is_the_same)
{
    static const struct turn turns[] = {
        {40, "<p>{{slug}} 1</p>", "<h1>A</h1>", true, "<h1>A</h1><p>rumah 1</p>"},
        {40, "<p>{{slug}} 2</p>", "<h1>a, longer</h1>", false, "<h1>a, longer</h1><p>rumah 1</p>"},
        {40, "<p>{{slug}} 3</p>", "<h1>A</h1>", false, "<h1>A</h1><p>rumah 1</p>"},
        {41, "<p>{{slug}} 4</p>", "<h1>A</h1>", true, "<h1>A</h1><p>rumah 4</p>"},
        {41, "<p>{{slug}} 5</p>", "- a page without tables", false, "- a page without tables"},
        {41, "<p>{{slug}} 6</p>", "<h1>A</h1>", false, "<h1>A</h1><p>rumah 6</p>"},
    };
    SITE(s);
    for (size_t i = 0; i < ODP_COUNT(turns); i++) {
        build_turn(&s, &turns[i]);
        assert_int_equal(times_in(site_read(&s, "tempat/A.1.csv"), turns[i].houses == 40 ? ",40," : ",41,"),
                         1);
        expect_json(&s, site_parse(&s, site_read(&s, "tempat/A.1.json")), "data|0|values|1|value",
                    turns[i].houses == 40 ? "40" : "41");
    }
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
