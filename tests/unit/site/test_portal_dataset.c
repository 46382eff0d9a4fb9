/* The dataset's page of hand-made documents: hostile texts, files that are missing, geometry without a map,
 * states, the scorecard; and the small functions below it. The templates are the portal's own, with a head
 * and a foot of three lines. */
#include "site_fixture.h"

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
    (void)snprintf(from, sizeof from, TEMPLATES "%s/%s", folder, name);
    (void)snprintf(rel, sizeof rel, "share/%s/%s", folder, name);
    fx_path(&g->s.fx, rel, path);
    assert_int_equal(symlink(from, path), 0);
}

static void make_share(struct pages *g)
{
    static const char *const
        folders[] = {"pages", "parts", "words"},
        *const files[][2] = {{"pages", "dataset.html"},      {"pages", "embed.html"},
                             {"pages", "oembed.json"},       {"words", "embed.json"},
                             {"pages", "dataset_gone.html"}, {"pages", "dataset_moved.html"},
                             {"pages", "explore.html"},      {"words", "chart.json"},
                             {"words", "dataset.json"},      {"words", "explore.json"},
                             {"words", "figures.json"},      {"words", "map.json"},
                             {"words", "site.json"}},
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

static const char *const assets[] = {"dataset_js", "explore_js",      "chart_js",     "embed_js", "icon_svg",
                                     "portal_css", "theme_css",       "noscript_css", "map_js",   "map_css",
                                     "coast_json", "coast_near_json", "ground_json"};

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

/* ---- documents ---- */

#define FILES                                                                                                \
    "'files':[{'format':'CSV','name':'csv','url':'../data/uji/2024-03-15/uji.csv','media_type':'text/"       \
    "csv','bytes':2048,'hash':'sha256:00ff'}],"                                                              \
    "'download':{'CSV':'../data/uji/2024-03-15/uji.csv'}"
#define RESOURCE                                                                                             \
    "{'name':'uji','package_name':'uji','title':{'id':'Data uji','en':'Test "                                \
    "data'},'api':'uji.json','schema':'../data/uji/2024-03-15/schema.json'," FILES                           \
    ",'rows':1204,'pages':2,'geometry':false}"
#define ONE(more)                                                                                            \
    "{'slug':'uji','title':{'id':'Data uji','en':'Test "                                                     \
    "data'},'description':{'id':'Uraian','en':'About'},'formats':['CSV'],'version':'2024-03-15',"            \
    "'last_update':'2024-03-15','frequency':'ANNUAL','state':'active','rows':1204,'license':{'name':'CC-BY-" \
    "4.0'},"                                                                                                 \
    "'contributors':[{'title':'A','roles':['contactPoint'],'email':'data@example.go.id'}],'resources':"      \
    "[" RESOURCE "]" more "}"
#define ENTRY(more) "[" ONE(more) "]"
#define SCHEMA                                                                                               \
    "{'fields':[{'name':'id','type':'string','odp:title':{'id':'Kode','en':'Code'},'constraints':{'"         \
    "required':true,'pattern':'[a-z]+'}},"                                                                   \
    "{'name':'luas','type':'number','odp:title':{'id':'Luas','en':'Size'},'odp:unit':{'id':'hektare','en':'" \
    "hectares'},"                                                                                            \
    "'constraints':{'minimum':0.5,'maximum':2000},'sdi:konsep':'K','sdi:definisi':{'id':'D','en':'D'},'sdi:" \
    "satuan':{'id':'hektare','en':'hectares'}},"                                                             \
    "{'name':'tingkat','type':'string','categories':[{'value':'B','label':'Berat','odp:label':{'id':'Berat'" \
    ",'en':'Severe'}}]},"                                                                                    \
    "{'name':'ada','type':'boolean'}],'primaryKey':['id']}"
#define PREVIEW                                                                                              \
    "{'fields':['id','luas','tingkat','ada'],'rows':[['a','1204.50','B','true'],['b',null,null,'false']],'"  \
    "total':1204,'shown':2}"

/* ---- pages ---- */

#define SECTION(id) "id=\"" id "\""

TEST(page)
{
    static const char *const sections[] = {"unduh", "pratinjau", "kolom", "versi", "satu-data",
                                           "api",   "kutip",     "lapor", "mesin"};
    struct pages g;
    begin(&g);
    put(&g, "data/uji/2024-03-15/schema.json", SCHEMA);
    put(&g, "data/uji/2024-03-15/uji.preview.json", PREVIEW);
    put(&g, "data/uji/latest/uji.csv", "id\n");
    put(&g, "data/uji/scorecard.json", "{'percent':50,'principles':[]}");
    make(&g, ENTRY(",'subjects':['air','hilang'],'versions':[{'version':'2024-03-15','date':'2024-03-15','"
                   "state':'published','rows':1204}]"));
    const char *id = page(&g, "katalog/uji.html"), *en = page(&g, "en/catalog/uji.html");
    EXPECT(id, "<h1>Data uji</h1>", "<dt>Rekaman</dt><dd>1.204</dd>", "<dd>Tahunan</dd>",
           "href=\"../index.html?subject=air\">Air bersih</a>",
           "href=\"../data/uji/2024-03-15/uji.csv\" download", "uji.csv</code> · 2,0 KB", "<code>00ff</code>",
           "https://data.example.go.id/data/uji/latest/uji.csv",
           /* Cells as people read them; what is exact is in the downloads. */
           "<td class=\"number\">1.204,50</td>", "<td>ya</td>", "0,5 sampai 2.000",
           "pola <code>[a-z]+</code>", "GET /v1/uji<", "href=\"../penjelajah.html#GET/v1/uji\"",
           "mailto:data@example.go.id?subject=Kesalahan%20data:%20uji%202024-03-15,%20rekaman%20a&amp;body=",
           "(2024, 15 Maret)", "!", "hilang", SECTION("peta"), SECTION("grafik"), SECTION("irisan"));
    EXPECT(en, "<h1>Test data</h1>", "<dt>Records</dt><dd>1,204</dd>",
           "href=\"../../data/uji/2024-03-15/uji.csv\" download", "<td class=\"number\">1,204.50</td>",
           "<td>Severe</td>", "0.5 to 2,000", "(2024, March 15)");
    assert_int_equal(count_of(id, "visually-hidden\">kosong"), 2);
    for (size_t i = 0; i < ODP_COUNT(sections); i++) {
        const char *section = odp_arena_printf(&g.s.arena, SECTION("%s"), sections[i]);
        assert_int_equal(count_of(id, section), 1);
        assert_int_equal(count_of(en, section), 1);
    }
    end(&g);
}

/* The page shows what columns hold, with names of codes; hostile values stay text. */
TEST(profile)
{
    struct pages g;
    begin(&g);
    put(&g, "data/uji/2024-03-15/schema.json",
        "{'fields':[{'name':'id','type':'string'},{'name':'luas','type':'number'},{'name':'wilayah','type':'"
        "string'},{'name':'tanggal','type':'date'},{'name':'tingkat','type':'string','categories':['B','S']}]"
        ",'primaryKey':['id'],'odp:foreignKeys':[{'fields':['wilayah'],'reference':{'dataset':'references/"
        "kota','resource':'2025','fields':['kode']}}]}");
    put(&g, "data/kota/labels-2025.json",
        "{'labels':{'31.71':{'id':'Kota Jakarta Pusat','en':'Central Jakarta'},'<b>':{'id':'<i>'}}}");
    put(&g, "data/uji/2024-03-15/profile.json",
        "{'rows':1000,'fields':[{'name':'id','type':'string','nulls':0,'distinct':1000},{'name':'luas','type'"
        ":'number','nulls':1,'distinct':900,'estimated':true,'minimum':'0.5','maximum':'1204.5','mean':'12."
        "345678','histogram':{'bounds':['0','1000','2000'],'counts':[998,1]}},{'name':'wilayah','type':'"
        "string','nulls':0,'distinct':2,'values':{'31.71':600,'<b>':400}},{'name':'tanggal','type':'date','"
        "nulls':1000,'distinct':0},{'name':'tingkat','type':'string','nulls':0,'distinct':1,'values':{'B':"
        "1000}}]}");
    put(&g, "data/uji/2024-03-15/uji.preview.json",
        "{'fields':['id','wilayah'],'rows':[['a','31.71'],['b','99']],'total':1000,'shown':2}");
    make(&g, ENTRY(""));
    const char *id = page(&g, "katalog/uji.html"), *en = page(&g, "en/catalog/uji.html");
    EXPECT(id, "<td>Kota Jakarta Pusat <span class=\"small muted\">31.71</span></td>", "<td>99</td>",
           "id=\"kolom:uji:luas\"", "99,9% (999 rekaman)", "sekitar 900", "1.204,5", "12,35",
           "0 sampai kurang dari 1.000", "Histogram 2 selang, terbanyak 0 sampai kurang dari 1.000 (998)",
           "Kota Jakarta Pusat <code>31.71</code>", "&lt;i&gt; <code>&lt;b&gt;</code>", "0% (0 rekaman)",
           "<code>S</code></th><td class=\"number\">0 ", "!", "<i>", "<b>");
    EXPECT(en, "99.9% (999 records)", "Central Jakarta <code>31.71</code>", "0 to less than 1,000");
    end(&g);
}

#define LIST(slug, more)                                                                                     \
    "{'slug':'" slug "','title':'Kode','kind':'code-list','version':'1','resources':[{'name':'" slug         \
    "','schema':'../data/" slug "/1/schema.json'}]" more "}"

/* A page says its summary in words: amounts, shares, what changed, where most is; hostile texts stay texts. */
TEST(figures)
{
    struct pages g;
    begin(&g);
    put(&g, "data/kota/labels-2025.json", "{'labels':{'1':{'id':'Kota <A>'},'2':{'id':'Kota B'}}}");
    put(&g, "data/uji/2024-03-15/uji.summary.json",
        "{'records':1204,'record':{'id':'kawasan','en':'areas'},'place':{'field':'kode','list':'kota','"
        "edition':'2025'},'time':{'field':'t','panel':true,'values':['2021','2022','2023-10']},'measures':[{'"
        "name':'count','aggregate':'count','title':{'id':'Jumlah','en':'Number'},'highlight':true},{'name':'"
        "biaya','aggregate':'sum','title':{'id':'Biaya <b>','en':'Cost'},'unit':{'id':'juta "
        "rupiah','en':'million "
        "rupiah'},'decimals':2,'highlight':true},{'name':'t=B','field':'t','value':'B','aggregate':'count','"
        "title':{'id':'Tingkat','en':'Level'},'label':{'id':'Berat','en':'Severe'},'highlight':true},{'name':"
        "'akses','aggregate':'mean','title':{'id':'Akses','en':'Access'},'unit':{'id':'persen','en':'percent'"
        "},'decimals':1,'highlight':true},{'name':'lain','aggregate':'sum','title':{'id':'Lain','en':'Other'}"
        "},{'name':'kosong','aggregate':'sum','title':{'id':'Kosong','en':'None'},'highlight':true}],'all':{'"
        "total':[1204,1.5,300,76.82,9,null],'times':[null,[1000,1,600,77,4],[1204,1.5,300,76.82,9]]},'places'"
        ":{'kota':{'1':{'total':[7]},'2':{'total':[61]},'3':{'total':[3]},'4':{'total':[]}}}}");
    make(&g, ENTRY(""));
    const char *id = page(&g, "katalog/uji.html"), *en = page(&g, "en/catalog/uji.html");
    EXPECT(id,
           "Pada Oktober 2023: 1.204 kawasan (naik 20,4% dari 2022); biaya &lt;b&gt; 1,5 juta rupiah; 24,9% "
           "berat. Terbanyak: Kota B (61).",
           "<dd>76,8%</dd>", "turun 0,18 poin dari 2022", "turun 50,0% dari 2022",
           "Akses, rata-rata, Oktober 2023", "Kota &lt;A&gt;", "width=\"11.5\"", "!", "Kosong", "<b>",
           "Lain" /* neither a value nor a highlight */);
    EXPECT(en, "In October 2023: 1,204 areas (up 20.4% from 2022); cost 1.5 million rupiah; 24.9% severe. "
               "Most: Kota B (61).");
    end(&g);
    /* No place is said to be first where two are alike. Without a summary the description is in its place.
     */
    begin(&g);
    put(&g, "data/uji/2024-03-15/uji.summary.json",
        "{'records':9,'record':{'id':'kawasan','en':'areas'},'place':{'list':'kota','edition':'2025'},'"
        "measures':[{'name':'count','aggregate':'count','title':{'id':'Jumlah'},'highlight':true}],'all':{'"
        "total':[9]},'places':{'kota':{'1':{'total':[4]},'2':{'total':[4]},'3':{'total':[1]}}}}");
    make(&g, ENTRY(""));
    EXPECT(page(&g, "katalog/uji.html"), "<p class=\"lead ds-sentence\">9 kawasan.</p>", "id=\"peringkat\"");
    put(&g, "data/lain/1/lain.summary.json",
        "{'records':3,'record':{'id':'kawasan','en':'areas'},'place':{'list':'kota','edition':'2025'},'"
        "measures':[{'name':'count','aggregate':'count','title':{'id':'Jumlah'},'highlight':true}],'all':{'"
        "total':[3]},'places':{'kota':{'1':{'total':[1]},'2':{'total':[1]},'3':{'total':[1]}}}}");
    json_decref(g.portal.figures);
    make(&g, "[{'slug':'lain','title':'Lain','version':'1','resources':[{'name':'lain'}]}]");
    EXPECT(page(&g, "katalog/lain.html"), "3 kawasan.", "!", "id=\"peringkat\"" /* all are alike */);
    end(&g);
    begin(&g);
    make(&g, ENTRY(""));
    EXPECT(page(&g, "katalog/uji.html"), "<p class=\"lead\">Uraian</p>", "!", "ds-sentence", "figure-key");
    end(&g);
}

/* A code list's page names who takes its codes, and leads to the other lists. */
TEST(used_by)
{
    struct pages g;
    begin(&g);
    put(&g, "data/uji/2024-03-15/schema.json",
        "{'fields':[{'name':'wilayah','odp:title':{'id':'Wilayah','en':'Region'}},{'name':'asal'}],'odp:"
        "foreignKeys':[{'fields':['wilayah'],'reference':{'dataset':'references/"
        "kota'}},{'fields':['asal'],'reference':{'dataset':'references/kota'}},{'fields':[]},{}]}");
    put(&g, "data/kota/1/schema.json",
        "{'fields':[],'odp:foreignKeys':[{'fields':['induk'],'reference':{'dataset':'references/kota'}}]}");
    put(&g, "data/kota/1/kota.preview.json", "{'fields':['induk'],'rows':[['1']],'total':1,'shown':1}");
    make(&g, "[" ONE("") "," LIST("kota", "") "]");
    EXPECT(page(&g, "katalog/kota.html"), "<a href=\"../index.html#daftar-kode\">Daftar kode</a>",
           "<a href=\"uji.html\">Data uji</a> <span class=\"muted small\">Wilayah, asal</span>", "!",
           "<a href=\"kota.html\">");
    EXPECT(page(&g, "katalog/kota/index.html"), "<a href=\"../../index.html#daftar-kode\">Daftar kode</a>");
    EXPECT(page(&g, "katalog/uji.html"), "ds-head", "!", "Dipakai");
    end(&g);
}

/* The page says what scorecard.json says, and counts nothing by itself. */
TEST(score)
{
    struct pages g;
    begin(&g);
    put(&g, "data/uji/scorecard.json",
        "{'dataset':'uji','basis':'P','percent':35,'principles':[{'id':'standard','title':{'id':'Standar "
        "data','en':'Data "
        "standard'},'have':3,'need':11,'percent':27,'items':[{'id':'concept','label':{'id':'Konsep','en':'"
        "Concept'},'have':1,'need':4,'met':false,'note':{'id':'belum: <b>','en':'missing: "
        "<b>'}},{'id':'unit','label':{'id':'Satuan','en':'Unit'},'have':2,'need':2,'met':true,'note':{'id':'<"
        "b>','en':'<i>'}}]},{'id':'codes','title':{'id':'Kode','en':'Codes'},'have':0,'need':0,'percent':"
        "null,'items':[]}]}");
    make(&g, ENTRY(""));
    EXPECT(page(&g, "katalog/uji.html"), "<p class=\"ds-score-total\"><strong>35</strong>",
           "<strong>27</strong> dari 100 <meter min=\"0\" max=\"100\" low=\"50\" high=\"80\" optimum=\"100\" "
           "value=\"27\" aria-label=\"Standar data\">",
           "Terpenuhi 3 dari 11.", "Konsep <span class=\"muted\">— 1 dari 4 kolom</span>",
           "Satuan <span class=\"muted\">— 2 dari 2 kolom; &lt;b&gt;</span>",
           "Tidak berlaku bagi dataset ini", "data/uji/scorecard.json");
    EXPECT(page(&g, "en/catalog/uji.html"), "Concept <span class=\"muted\">— 1 of 4 columns</span>", "!",
           "missing: ");
    end(&g);
}

TEST(nothing_but_the_entry)
{
    struct pages g;
    begin(&g);
    make(&g,
         "[{'slug':'uji','title':'Data','version':'2024-03-15','last_update':'2024-03-15','frequency':'"
         "UNKNOWN','resources':[{'name':'uji','geometry':true,'rows':0}]},{'slug':'lain','version':'1','"
         "resources':[]},{},{'slug':'tarik','title':'Tarik','version':null,'last_update':null,'api':null,'"
         "rows':null,'download':{},'resources':[{'name':'tarik','api':null,'files':[],'download':{}}],'"
         "withdrawn':{'version':'2024-03-15','reason':'privacy','note':{'id':'Nama "
         "warga','en':'Names'}},'versions':[{'version':'2024-03-15','date':'2024-03-15','state':'withdrawn','"
         "reason':'privacy'},{'version':'2023-03-15','date':'2023-03-15','state':'published','rows':7}]}]");
    EXPECT(page(&g, "katalog/uji.html"), "<h1>Data</h1>", "!", SECTION("peta"), SECTION("pratinjau"),
           SECTION("lapor"), "href=\"\"", SECTION("unduh"), "UNKNOWN", "<dt>Frekuensi");
    assert_non_null(odp_stage_find(g.s.stage, "en/catalog/lain.html"));
    /* A dataset without a current version says why, and offers nothing that is gone. */
    EXPECT(page(&g, "katalog/tarik.html"), "<code>2024-03-15</code>: memuat data pribadi. Nama warga",
           SECTION("versi-2023-03-15"), "!", SECTION("unduh"), SECTION("kolom"), SECTION("satu-data"),
           SECTION("api"), SECTION("kutip"), "href=\"#unduh\"", "href=\"#tabel\"", "href=\"#api\"",
           "href=\"#kutip\"", "curl");
    end(&g);
}

/* TEXT with " for ', and a hostile text for %. */
static const char *hostile(struct pages *g, const char *text)
{
    struct odp_buffer out = {0};
    for (; *text != '\0'; text++)
        if (*text == '%')
            odp_buffer_add_str(
                &out, "</script><script>alert(1)</script>\\\"\\u0027onload=x {{slug}} &amp; \\u2028");
        else
            odp_buffer_add_char(&out, *text == '\'' ? '"' : *text);
    return odp_buffer_keep(&out, &g->s.arena);
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
    assert_int_equal(count_of(text, "<script"), count_of(text, "</script>"));
    end(&g);
}

TEST(states)
{
    struct pages g;
    begin(&g);
    put(&g, "data/hilang/versions.json",
        "{'data':[{'version':'2024-01-01','date':'2024-01-01','state':'withdrawn','reason':'dataset'},{'"
        "version':'2023-01-01','date':'2023-01-01','state':'withdrawn','reason':'privacy','note':{'id':'"
        "Nomor telepon','en':'Telephone numbers'}}]}");
    put(&g, "data/uji/versions.json",
        "{'data':[{'version':'2024-03-15','date':'2024-03-15','state':'published','rows':1204,'correction':{'"
        "id':'Salah salin','en':'Copied "
        "wrongly'},'resources':[{'name':'uji','changes':{'from':'2023-09-15','added':12,'removed':3,'changed'"
        ":1500,'schema_changes':2,'html':'../../data/uji/2024-03-15/"
        "changes.html'}}]},{'version':'2023-09-15','date':'2023-09-15','state':'withdrawn','reason':'error'},"
        "{'version':'2023-03-15','date':'2023-03-15','state':'thinned','stands_in':'2023-09-15'}]}");
    put(&g, "data/uji/2024-03-15/changes.html", "<p>");
    make(&g, "[" ONE(",'odp:formerSlugs':[{'slug':'lama','sunset':'2025-01-01'},{'slug':'lain','sunset':'"
                     "2025-01-01'}]") ",{'slug':'lain','title':'Lain','version':'1','state':'deprecated','"
                                      "odp:deprecated':'2024-02-01','odp:sunset':'2025-02-01','odp:"
                                      "replacedBy':'uji','odp:note':'Sudah digabung','resources':[]}]");
    EXPECT(page(&g, "katalog/uji.html"),
           "+12</span> ditambah, <span class=\"ds-minus\">−3</span> dihapus, <span "
           "class=\"ds-changed\">~1.500</span> diubah, 2 perubahan kolom",
           "href=\"../data/uji/2024-03-15/changes.html\"", "Koreksi: Salah salin",
           "Ditarik: memuat kesalahan.", "diwakili versi 2023-09-15.",
           "<code>lama</code> (berlaku sampai <time datetime=\"2025-01-01\">1 Januari 2025</time>)", "!",
           "changes.csv" /* what is not staged is not linked */);
    EXPECT(page(&g, "katalog/lain.html"), "<time datetime=\"2025-02-01\">1 Februari 2025</time>",
           "<a href=\"uji.html\">Data uji</a>", "Sudah digabung",
           /* An address that another dataset has now is that dataset's page, not a sign to it. */
           "<h1>Lain</h1>");
    EXPECT(page(&g, "en/catalog/lama.html"), "<code>lama</code> is now at <a href=\"uji.html\">Test data</a>",
           "<time datetime=\"2025-01-01\">1 January 2025</time>");
    EXPECT(page(&g, "katalog/hilang.html"), "memuat data pribadi Nomor telepon", "datasetnya ditarik");
    assert_null(odp_stage_find(g.s.stage, "katalog/uji-peta.svg"));
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
    assert_int_equal(count_of(text, "/slices/kolom_1/"), 600);
    assert_int_equal(count_of(text, "<code>kolom_199</code>"), 1);
    assert_true(strlen(text) < 600000);
    odp_buffer_release(&schema);
    odp_buffer_release(&preview);
    odp_buffer_release(&entry);
    odp_buffer_release(&row);
    end(&g);
}

/* A title cannot end the comment that it is in. */
TEST(comments)
{
#define TITLE "satu\\ndua ?> tiga \xe2\x80\xa8 empat"
    struct pages g;
    begin(&g);
    make(&g, "[{'slug':'uji','title':'" TITLE "','version':'1','resources':[{'name':'uji','title':'" TITLE
             "','api':'uji.json','rows':20}]}]");
    const char *text = page(&g, "katalog/uji.html");
    EXPECT(
        text,
        "\"># satu dua ? &gt; tiga   empat: halaman pertama\ncurl --fail-with-body --silent --show-error \\\n"
        "  --header &quot;Authorization: Bearer $ODP_KEY&quot; \\\n"
        "  &quot;${ODP_BASE_URL:-https://data.example.go.id&#125;/v1/uji&quot;\n</code>",
        "&lt;?php\n// satu dua ? &gt; tiga   empat: halaman pertama\n$context");
    assert_int_equal(count_of(text, "data-run=\"python\""), 1);
    end(&g);
}
