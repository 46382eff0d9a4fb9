/* The dataset's page of hand-made documents: hostile texts, files that are missing, geometry without a map,
 * states, the scorecard; and the small functions below it. The templates are the portal's own, with a head
 * and a foot of three lines. */
#include "site_script.h"

#include <dirent.h>

#include "site/model/model_internal.h"
#include "site/pages/pages_internal.h"

#define TEMPLATES ODP_TESTS_DIR "/../templates/portal/"

struct pages {
    struct site s;
    struct odp_subject subject;
    struct portal portal;
    struct odp_site_job job;
    json_t *models[5];
};

/* ---- a portal around the dataset's pages ---- */

static void link_from(const struct pages *g, const char *folder, const char *name)
{
    char from[600], path[512], rel[512];
    snprintf(from, sizeof from, TEMPLATES "%s/%s", folder, name);
    snprintf(rel, sizeof rel, "share/%s/%s", folder, name);
    fx_path(&g->s.fx, rel, path);
    assert_int_equal(symlink(from, path), 0);
}

static void make_share(struct pages *g)
{
    static const char *const
        folders[] = {"pages", "parts", "words"},
        *const files[][2] =
            {
                {"pages", "dataset.html"}, {"pages", "embed.html"},        {"pages", "oembed.json"},
                {"words", "embed.json"},   {"pages", "dataset_gone.html"}, {"pages", "dataset_moved.html"},
                {"pages", "explore.html"}, {"words", "chart.json"},        {"words", "dataset.json"},
                {"words", "explore.json"}, {"words", "figures.json"},      {"words", "map.json"},
                {"words", "site.json"},
            },
        *const parts[][2] = {
            {"head.html",
             "<!doctype html>\n<html lang=\"{{lang}}\"><head><title>{{title}}</title></head><body><main>\n"},
            {"foot.html", "</main></body></html>\n"}};
    char path[512];
    for (size_t i = 0; i < 3; i++) {
        fx_path(&g->s.fx, odp_arena_printf(&g->s.arena, "share/%s", folders[i]), path);
        must(odp_dir_make(path));
    }
    for (size_t i = 0; i < ODP_COUNT(files); i++)
        link_from(g, files[i][0], files[i][1]);
    for (size_t i = 0; i < 2; i++) {
        fx_path(&g->s.fx, odp_arena_printf(&g->s.arena, "share/parts/%s", parts[i][0]), path);
        must(odp_file_put(path, odp_slice_of(parts[i][1]), 0644, NULL));
    }
    DIR *all = opendir(TEMPLATES "parts");
    assert_non_null(all);
    for (const struct dirent *one; (one = readdir(all)) != NULL;)
        if (*one->d_name != '.' && strcmp(one->d_name, parts[0][0]) != 0 &&
            strcmp(one->d_name, parts[1][0]) != 0)
            link_from(g, "parts", one->d_name);
    closedir(all);
}

static const char *const assets[] = {
    "dataset_js",   "explore_js", "chart_js", "embed_js",   "icon_svg",        "portal_css",  "theme_css",
    "noscript_css", "map_js",     "map_css",  "coast_json", "coast_near_json", "ground_json",
};

static json_t *make_assets(const char *path, const char *integrity)
{
    json_t *o = json_object();
    for (size_t i = 0; i < ODP_COUNT(assets); i++)
        json_object_set_new(o, assets[i], json_pack("{s:s, s:s}", "path", path, "integrity", integrity));
    return o;
}

static void open_templates(struct pages *g)
{
    static const char *const names[] = {"site", "dataset", "dataset_gone", "dataset_moved", "explore"};
    struct odp_template_model list[6];
    char share[512];
    fx_path(&g->s.fx, "share", share);
    const char *folders[] = {share};
    for (int i = 0; i < 5; i++) {
        g->models[i] =
            json_load_file(odp_arena_printf(&g->s.arena, TEMPLATES "model/%s.json", names[i]), 0, NULL);
        assert_non_null(g->models[i]);
    }
    json_t *paths = json_object_get(g->models[0], "paths");
    for (int i = 0; i < ODP_PATHS; i++)
        json_object_set_new(paths, odp_path_name((enum odp_path)i), json_string("text"));
    json_object_set_new(g->models[0], "assets", make_assets("text", "text"));
    for (int i = 0; i < 4; i++)
        list[i] = (struct odp_template_model){names[i + 1], json_object_get(g->models[i + 1], "names")};
    list[4] = (struct odp_template_model){"embed", list[0].names};
    list[5] = (struct odp_template_model){"oembed", list[0].names};
    const struct odp_templates_options o = {
        .folders = folders, .nfolders = 1, .common = g->models[0], .models = list, .nmodels = 6};
    must(odp_templates_open(&g->portal.templates, &o, g->s.diags));
}

static json_t *make_site(enum odp_lang lang)
{
    json_t *paths = json_object();
    for (int i = 0; i < ODP_PATHS; i++)
        json_object_set_new(paths, odp_path_name((enum odp_path)i),
                            json_string(odp_path((enum odp_path)i, lang)));
    return json_pack("{s:s, s:b, s:o, s:o, s:{s:s, s:s, s:s, s:s}}", "lang",
                     lang == ODP_LANG_ID ? "id" : "en", "in_english", lang == ODP_LANG_EN, "paths", paths,
                     "assets", make_assets("assets/x", "sha256-x"), "site", "title", "Portal", "publisher",
                     "Kementerian", "base_url", "https://data.example.go.id/", "base",
                     "https://data.example.go.id");
}

static void begin(struct pages *g)
{
    memset(g, 0, sizeof *g);
    site_init(&g->s);
    site_open(&g->s);
    struct odp_catalog *c = &g->s.fx.catalog;
    g->subject = (struct odp_subject){.name = "air", .title = {{"Air bersih", "Clean water"}}};
    c->portal.json =
        site_json(&g->s, "{'subjects':[{'name':'air','title':{'id':'Air bersih','en':'Clean water'}}]}");
    c->portal.subjects = &g->subject;
    c->portal.nsubjects = 1;
    g->job = site_job(&g->s, "[]");
    g->portal = (struct portal){.job = &g->job, .catalog = c, .assets = json_object()};
    odp_arena_init(&g->portal.arena);
    make_share(g);
    open_templates(g);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        g->portal.site[lang] = make_site((enum odp_lang)lang);
    must(odp_metadata_open(&g->portal.metadata, &g->job));
}

static void end(struct pages *g)
{
    odp_templates_close(g->portal.templates);
    odp_metadata_close(g->portal.metadata);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        json_decref(g->portal.site[lang]);
    json_decref(g->portal.assets);
    json_decref(g->portal.figures);
    for (int i = 0; i < 5; i++)
        json_decref(g->models[i]);
    odp_arena_release(&g->portal.arena);
    site_release(&g->s);
}

static void put(struct pages *g, const char *path, const char *text)
{
    site_put(&g->s, path, text);
}

/* Makes the pages of ENTRIES in both languages. */
static void make(struct pages *g, const char *entries)
{
    g->job.entries = site_json(&g->s, entries);
    g->portal.newest = odp_model_by_date(g->job.entries, &g->portal.n, &g->portal.arena);
    json_decref(g->portal.figures);
    must(odp_model_figures(&g->job, &g->portal.figures));
    for (int lang = 0; lang < ODP_LANGS; lang++)
        portal_make_dataset(&g->portal, (enum odp_lang)lang);
    if (g->portal.status != ODP_OK)
        fail_msg("%s", odp_failure_text());
}

static const char *page(struct pages *g, const char *path)
{
    struct odp_buffer text = {0};
    if (odp_stage_read(g->s.stage, path, 1 << 26, NULL, &text, g->s.diags) != ODP_OK)
        fail_msg("no page %s", path);
    return odp_buffer_keep(&text, &g->s.arena);
}

static void script_begin(void *ctx, const char *text)
{
    struct pages *g = ctx;
    if (g->portal.templates != NULL)
        end(g);
    begin(g);
}

static void script_make(void *ctx, const char *entries)
{
    make(ctx, entries);
}

static const char *script_page(void *ctx, const char *path)
{
    return page(ctx, path);
}

TEST(pages)
{
    struct pages g = {0};
    site_script((struct site_script){&g.s, &g, script_begin, script_make, script_page, ""},
                "site/dataset.txt");
    end(&g);
}

/* TEXT with " for ', and a hostile text for %. */
static const char *hostile(struct pages *g, const char *text)
{
    return site_filled(&g->s, text,
                       "</script><script>alert(1)</script>\\\"\\u0027onload=x {{slug}} &amp; \\u2028");
}

/* Hostile text stays text wherever a catalogue or data can put it. */
TEST(hostile)
{
    struct pages g;
    begin(&g);
    put(&g, "data/uji/2024-03-15/schema.json",
        hostile(&g,
                "{'fields':[{'name':'%','type':'%','format':'uri','odp:title':{'id':'%','en':'%'},'odp:unit':"
                "'%','constraints':{'pattern':'%','enum':['%']},'categories':[{'value':'%','odp:label':{'id':"
                "'%'}}]},{'name':'tautan','type':'string','format':'uri'}],'primaryKey':['%']}"));
    put(&g, "data/uji/2024-03-15/uji.preview.json",
        hostile(&g, "{'fields':['%','tautan'],'rows':[['%','javascript:alert(1)'],['%]]','https://a.example/"
                    "\\\"><b>']],'total':2,'shown':2}"));
    put(&g, "data/uji/versions.json",
        hostile(&g, "{'data':[{'version':'2024-03-15','date':'%','state':'withdrawn','reason':'%','note':{'"
                    "id':'%'}}]}"));
    make(&g,
         hostile(
             &g,
             "[{'slug':'uji','title':'%','description':'%','version':'2024-03-15','last_update':'%','"
             "frequency':'%','keywords':['%'],'license':{'title':'%','path':'javascript:alert(2)'},'sources':"
             "[{'title':'%','path':'javascript:alert(3)'}],'contributors':[{'roles':['contactPoint'],'email':"
             "'a@b.id?bcc=x'}],'sdi:walidata':'%','state':'deprecated','odp:sunset':'%','odp:note':'%','"
             "resources':[{'name':'uji','title':'%','api':'uji.json','schema':'../data/uji/2024-03-15/"
             "schema.json','rows':20,'files':[{'format':'%','name':'%','url':'javascript:alert(4)','bytes':1,"
             "'hash':'%'}]}]}]"));
    const char *text = page(&g, "katalog/uji.html");
    EXPECT(text, "{{slug}}", "&lt;script&gt;alert(1)&lt;/script&gt;", "!", "<script>alert", "\"onload",
           "href=\"javascript", "bcc=", "><b>");
    assert_int_equal(times_in(text, "<script"), times_in(text, "</script>"));
    assert_string_equal(docs_json_lines((struct odp_slice){0}, 1, &g.s.arena), "");
    end(&g);
}

/* Appends N times TEXT, whose two %d are the number, with commas between. */
static void add_many(struct odp_buffer *out, int n, const char *text)
{
    for (int i = 0; i < n; i++) {
        odp_buffer_add_str(out, i > 0 ? "," : "");
        for (const char *c = text; *c != '\0'; c++)
            if (*c == '#')
                odp_buffer_printf(out, "%d", i);
            else
                odp_buffer_add_char(out, *c);
    }
}

/* Pages do not grow out of hand: 200 fields, 600 slices. */
TEST(large)
{
    struct pages g;
    struct odp_buffer schema = {0}, preview = {0}, entry = {0}, row = {0};
    begin(&g);
    odp_buffer_add_str(&schema, "{'fields':[");
    add_many(&schema, 200,
             "{'name':'kolom_#','type':'integer','odp:title':{'id':'Kolom #','en':'Column #'}}");
    odp_buffer_add_str(&schema, "]}");
    add_many(&row, 200, "'#'");
    odp_buffer_add_str(&preview, "{'fields':[");
    add_many(&preview, 200, "'kolom_#'");
    odp_buffer_add_str(&preview, "],'rows':[");
    add_many(&preview, 12, odp_arena_printf(&g.s.arena, "[%s]", odp_buffer_cstr(&row)));
    odp_buffer_add_str(&preview, "],'total':12,'shown':12}");
    odp_buffer_add_str(&entry, "[{'slug':'uji','title':'Uji','version':'1','resources':[{'name':'uji','"
                               "schema':'../data/uji/1/schema.json','rows':12,'slices':[");
    add_many(&entry, 600,
             "{'field':'kolom_1','value':'#','rows':1,'files':[{'format':'CSV','name':'csv','url':'../data/"
             "uji/1/slices/kolom_1/#/uji.csv','bytes':10}]}");
    odp_buffer_add_str(&entry, "]}]}]");
    put(&g, "data/uji/1/schema.json", odp_buffer_cstr(&schema));
    put(&g, "data/uji/1/uji.preview.json", odp_buffer_cstr(&preview));
    make(&g, odp_buffer_cstr(&entry));
    const char *text = page(&g, "katalog/uji.html");
    EXPECT(text, "<details><summary>Kolom 1: 600 bagian</summary>");
    assert_int_equal(times_in(text, "/slices/kolom_1/"), 600);
    assert_int_equal(times_in(text, "<code>kolom_199</code>"), 1);
    assert_true(strlen(text) < 600000);
    odp_buffer_release(&schema);
    odp_buffer_release(&preview);
    odp_buffer_release(&entry);
    odp_buffer_release(&row);
    end(&g);
}
