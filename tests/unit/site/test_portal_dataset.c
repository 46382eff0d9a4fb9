/* The dataset's page of hand-made documents: hostile texts, files that are missing, geometry without a map,
 * states, the scorecard; and the small functions below it. The templates are the portal's own, with a head
 * and a foot of three lines. */
#include "emit_fixture.h"

#include <dirent.h>
#include <jansson.h>

#include "site/model/model_internal.h"
#include "site/pages/pages_internal.h"
#include "site/versions/release.h"

#define TEMPLATES ODP_TESTS_DIR "/../templates/portal/"

struct site {
    struct fixture fx;
    struct odp_diags *diags;
    struct odp_stage *stage;
    struct odp_subject subject;
    struct portal portal;
    struct odp_site_job job;
    json_t *entries, *subjects, *models[4];
};

/* ---- a portal around the dataset's pages ---- */

static void make_folder(const struct site *s, const char *name)
{
    char path[512];
    fx_path(&s->fx, name, path);
    assert_int_equal(odp_dir_make(path), ODP_OK);
}

static void write_part(const struct site *s, const char *name, const char *text)
{
    char path[512];
    fx_path(&s->fx, name, path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void link_from(const struct site *s, const char *folder, const char *name)
{
    char from[600], path[512], rel[200];
    (void)snprintf(from, sizeof from, TEMPLATES "%s/%s", folder, name);
    (void)snprintf(rel, sizeof rel, "share/%s/%s", folder, name);
    fx_path(&s->fx, rel, path);
    assert_int_equal(symlink(from, path), 0);
}

static void make_share(const struct site *s)
{
    static const char *const pages[] = {"dataset.html", "dataset_gone.html", "dataset_moved.html"};
    make_folder(s, "share/pages");
    make_folder(s, "share/parts");
    make_folder(s, "share/words");
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        link_from(s, "pages", pages[i]);
    DIR *parts = opendir(TEMPLATES "parts");
    assert_non_null(parts);
    for (const struct dirent *one; (one = readdir(parts)) != NULL;)
        if (*one->d_name != '.' && strcmp(one->d_name, "head.html") != 0 &&
            strcmp(one->d_name, "foot.html") != 0)
            link_from(s, "parts", one->d_name);
    closedir(parts);
    link_from(s, "words", "dataset.json");
    link_from(s, "words", "map.json");
    link_from(s, "words", "site.json");
    write_part(
        s, "share/parts/head.html",
        "<!doctype html>\n<html lang=\"{{lang}}\"><head><title>{{title}}</title></head><body><main>\n");
    write_part(s, "share/parts/foot.html", "</main></body></html>\n");
}

static const char *const assets[] = {"dataset_js", "map_js", "map_css", "coast_json"};

static json_t *make_assets(const char *path, const char *integrity)
{
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
        json_object_set_new(o, assets[i], json_pack("{s:s, s:s}", "path", path, "integrity", integrity));
    return o;
}

static json_t *load_model(const char *name)
{
    char path[600];
    (void)snprintf(path, sizeof path, TEMPLATES "model/%s.json", name);
    json_t *model = json_load_file(path, 0, NULL);
    assert_non_null(model);
    return model;
}

static void open_templates(struct site *s)
{
    static const char *const names[] = {"site", "dataset", "dataset_gone", "dataset_moved"};
    struct odp_template_model list[3];
    char share[512];
    fx_path(&s->fx, "share", share);
    const char *folders[] = {share};
    for (int i = 0; i < 4; i++)
        s->models[i] = load_model(names[i]);
    json_t *paths = json_object_get(s->models[0], "paths");
    for (int i = 0; i < ODP_PATHS; i++)
        json_object_set_new(paths, odp_path_name((enum odp_path)i), json_string("text"));
    json_object_set_new(s->models[0], "assets", make_assets("text", "text"));
    for (int i = 0; i < 3; i++)
        list[i] = (struct odp_template_model){names[i + 1], json_object_get(s->models[i + 1], "names")};
    const struct odp_templates_options o = {
        .folders = folders, .nfolders = 1, .common = s->models[0], .models = list, .nmodels = 3};
    assert_int_equal(odp_templates_open(&s->portal.templates, &o, s->diags), ODP_OK);
}

static json_t *make_site(enum odp_lang lang)
{
    json_t *paths = json_object();
    for (int i = 0; i < ODP_PATHS; i++)
        json_object_set_new(paths, odp_path_name((enum odp_path)i),
                            json_string(odp_path((enum odp_path)i, lang)));
    return json_pack("{s:s, s:b, s:o, s:o, s:{s:s, s:s, s:s}}", "lang", lang == ODP_LANG_ID ? "id" : "en",
                     "in_english", lang == ODP_LANG_EN, "paths", paths, "assets",
                     make_assets("assets/x", "sha256-x"), "site", "title", "Portal", "publisher",
                     "Kementerian", "base_url", "https://data.example.go.id/");
}

static void site_init(struct site *s)
{
    char out[512];
    memset(s, 0, sizeof *s);
    fx_init(&s->fx);
    fx_path(&s->fx, "site", out);
    assert_int_equal(odp_diags_new(&s->diags, 10), ODP_OK);
    assert_int_equal(odp_stage_open(&s->stage, out, s->diags), ODP_OK);
    s->subject = (struct odp_subject){.name = "air", .title = {{"Air bersih", "Clean water"}}};
    s->subjects = json_pack("{s:[{s:s, s:{s:s, s:s}}]}", "subjects", "name", "air", "title", "id",
                            "Air bersih", "en", "Clean water");
    s->fx.catalog.portal.json = s->subjects;
    s->fx.catalog.portal.subjects = &s->subject;
    s->fx.catalog.portal.nsubjects = 1;
    s->job = (struct odp_site_job){.stage = s->stage, .catalog = &s->fx.catalog, .diags = s->diags};
    s->portal = (struct portal){.job = &s->job, .catalog = &s->fx.catalog, .assets = json_object()};
    odp_arena_init(&s->portal.arena);
    make_share(s);
    open_templates(s);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        s->portal.site[lang] = make_site((enum odp_lang)lang);
    assert_int_equal(odp_metadata_open(&s->portal.metadata, &s->job), ODP_OK);
}

static void site_release(struct site *s)
{
    odp_templates_close(s->portal.templates);
    odp_metadata_close(s->portal.metadata);
    json_decref(s->subjects);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        json_decref(s->portal.site[lang]);
    json_decref(s->portal.assets);
    for (int i = 0; i < 4; i++)
        json_decref(s->models[i]);
    json_decref(s->entries);
    odp_arena_release(&s->portal.arena);
    odp_stage_close(s->stage);
    odp_diags_free(s->diags);
    fx_release(&s->fx);
}

static void stage(struct site *s, const char *path, const char *text)
{
    assert_int_equal(odp_stage_put(s->stage, path, "application/json", ODP_CLASS_PUBLIC, odp_slice_of(text)),
                     ODP_OK);
}

/* Single quotes stand for double ones. */
static char *quoted(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

static void stage_quoted(struct site *s, const char *path, const char *text)
{
    char *copy = quoted(text);
    stage(s, path, copy);
    free(copy);
}

/* Makes the pages of ENTRIES in both languages. */
static void make(struct site *s, const char *entries)
{
    char *text = quoted(entries);
    s->entries = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(s->entries);
    s->job.entries = s->entries;
    s->portal.newest = odp_model_by_date(s->entries, &s->portal.n, &s->portal.arena);
    assert_non_null(s->portal.newest);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        portal_make_dataset(&s->portal, (enum odp_lang)lang);
    if (s->portal.status != ODP_OK)
        fail_msg("%s", odp_failure_text());
}

/* A staged file; to be freed. */
static char *read_file(struct site *s, const char *path)
{
    const struct odp_site_file *f = odp_stage_find(s->stage, path);
    assert_non_null(f);
    char *full = odp_stage_place(s->stage, path, &s->portal.arena);
    FILE *in = fopen(full, "r");
    assert_non_null(in);
    char *text = calloc(1, (size_t)f->size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)f->size, in), f->size);
    assert_int_equal(fclose(in), 0);
    return text;
}

static void assert_has(const char *page, const char *text)
{
    if (strstr(page, text) == NULL)
        fail_msg("the page lacks: %s", text);
}

static void assert_lacks(const char *page, const char *text)
{
    if (strstr(page, text) != NULL)
        fail_msg("the page has: %s", text);
}

static size_t count(const char *page, const char *text)
{
    size_t n = 0;
    for (const char *c = page; (c = strstr(c, text)) != NULL; c += strlen(text))
        n++;
    return n;
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

static void test_page(void **state)
{
    struct site s;
    site_init(&s);
    stage_quoted(&s, "data/uji/2024-03-15/schema.json", SCHEMA);
    stage_quoted(&s, "data/uji/2024-03-15/uji.preview.json", PREVIEW);
    stage(&s, "data/uji/latest/uji.csv", "id\n");
    stage_quoted(&s, "data/uji/scorecard.json", "{'percent':50,'principles':[]}");
    make(&s, ENTRY(",'subjects':['air','hilang'],'versions':[{'version':'2024-03-15','date':'2024-03-15','"
                   "state':'published','rows':1204}]"));
    char *id = read_file(&s, "katalog/uji.html"), *en = read_file(&s, "en/catalog/uji.html");
    assert_has(id, "<h1>Data uji</h1>");
    assert_has(en, "<h1>Test data</h1>");
    assert_has(id, "<dt>Rekaman</dt><dd>1.204</dd>");
    assert_has(en, "<dt>Records</dt><dd>1,204</dd>");
    assert_has(id, "<dd>Tahunan</dd>");
    assert_has(id, "href=\"../index.html?subject=air\">Air bersih</a>");
    assert_lacks(id, "hilang");
    assert_has(id, "href=\"../data/uji/2024-03-15/uji.csv\" download");
    assert_has(en, "href=\"../../data/uji/2024-03-15/uji.csv\" download");
    assert_has(id, "uji.csv</code> · 2,0 KB");
    assert_has(id, "<code>00ff</code>");
    assert_has(id, "https://data.example.go.id/data/uji/latest/uji.csv");
    /* Cells as people read them; what is exact is in the downloads. */
    assert_has(id, "<td class=\"number\">1.204,50</td>");
    assert_has(en, "<td class=\"number\">1,204.50</td>");
    assert_has(en, "<td>Severe</td>");
    assert_has(id, "<td>ya</td>");
    assert_int_equal(count(id, "visually-hidden\">kosong"), 2);
    assert_has(id, "0,5 sampai 2.000");
    assert_has(en, "0.5 to 2,000");
    assert_has(id, "pola <code>[a-z]+</code>");
    /* The filter is one that finds something. */
    assert_has(id, "GET /v1/uji?tingkat=B");
    assert_has(id, "href=\"../penjelajah.html#GET/v1/uji\"");
    assert_has(
        id,
        "mailto:data@example.go.id?subject=Kesalahan%20data:%20uji%202024-03-15,%20rekaman%20a&amp;body=");
    assert_has(en, "(2024, March 15)");
    assert_has(id, "(2024, 15 Maret)");
    for (const char *const *t = (const char *const[]){"id=\"unduh\"", "id=\"pratinjau\"", "id=\"kolom\"",
                                                      "id=\"versi\"", "id=\"satu-data\"", "id=\"api\"",
                                                      "id=\"kutip\"", "id=\"lapor\"", "id=\"mesin\"", NULL};
         *t != NULL; t++) {
        assert_int_equal(count(id, *t), 1);
        assert_int_equal(count(en, *t), 1);
    }
    assert_lacks(id, "id=\"peta\"");
    assert_lacks(id, "id=\"grafik\"");
    assert_lacks(id, "id=\"irisan\"");
    free(id);
    free(en);
    site_release(&s);
}

#define SCORE                                                                                                \
    "{'dataset':'uji','basis':'P','percent':35,'principles':["                                               \
    "{'id':'standard','title':{'id':'Standar data','en':'Data "                                              \
    "standard'},'have':3,'need':11,'percent':27,'items':["                                                   \
    "{'id':'concept','label':{'id':'Konsep','en':'Concept'},'have':1,'need':4,'met':false,'note':{'id':'"    \
    "belum: <b>','en':'missing: <b>'}},"                                                                     \
    "{'id':'unit','label':{'id':'Satuan','en':'Unit'},'have':2,'need':2,'met':true,'note':null}]},"          \
    "{'id':'codes','title':{'id':'Kode','en':'Codes'},'have':0,'need':0,'percent':null,'items':[]}]}"

/* The page says what scorecard.json says, and counts nothing by itself. */
static void test_score(void **state)
{
    struct site s;
    site_init(&s);
    stage_quoted(&s, "data/uji/scorecard.json", SCORE);
    make(&s, ENTRY(""));
    char *page = read_file(&s, "katalog/uji.html"), *en = read_file(&s, "en/catalog/uji.html");
    assert_has(page, "<p class=\"ds-score-total\"><strong>35</strong>");
    assert_has(page, "<strong>27</strong> dari 100 <meter min=\"0\" max=\"100\" low=\"50\" high=\"80\" "
                     "optimum=\"100\" value=\"27\" aria-label=\"Standar data\">");
    assert_has(page, "Terpenuhi 3 dari 11.");
    assert_has(page, "Konsep <span class=\"muted\">— 1 dari 4 kolom; belum: &lt;b&gt;</span>");
    assert_has(page, "Satuan <span class=\"muted\">— 2 dari 2 kolom</span>");
    assert_has(page, "Tidak berlaku bagi dataset ini");
    assert_has(page, "data/uji/scorecard.json");
    assert_has(en, "Concept <span class=\"muted\">— 1 of 4 columns; missing: &lt;b&gt;</span>");
    free(page);
    free(en);
    site_release(&s);
}

static void test_nothing_but_the_entry(void **state)
{
    struct site s;
    site_init(&s);
    make(&s,
         "[{'slug':'uji','title':'Data','version':'2024-03-15','last_update':'2024-03-15','resources':[{'"
         "name':'uji','geometry':true,'rows':0}]},"
         "{'slug':'lain','version':'1','resources':[]},{},"
         "{'slug':'tarik','title':'Tarik','version':null,'last_update':null,'api':null,'rows':null,'download'"
         ":{},'resources':[{'name':'tarik','api':null,'files':[],'download':{}}],"
         "'withdrawn':{'version':'2024-03-15','reason':'privacy','note':{'id':'Nama warga','en':'Names'}},"
         "'versions':[{'version':'2024-03-15','date':'2024-03-15','state':'withdrawn','reason':'privacy'},{'"
         "version':'2023-03-15','date':'2023-03-15','state':'published','rows':7}]}]");
    char *page = read_file(&s, "katalog/uji.html");
    assert_has(page, "<h1>Data</h1>");
    assert_lacks(page, "id=\"peta\"");
    assert_lacks(page, "id=\"pratinjau\"");
    assert_lacks(page, "id=\"lapor\"");
    assert_lacks(page, "href=\"\"");
    assert_lacks(page, "id=\"unduh\"");
    free(page);
    assert_non_null(odp_stage_find(s.stage, "en/catalog/lain.html"));
    /* A dataset without a current version says why, and offers nothing that is gone. */
    char *gone = read_file(&s, "katalog/tarik.html");
    assert_has(gone, "<code>2024-03-15</code>: memuat data pribadi. Nama warga");
    assert_has(gone, "id=\"versi-2023-03-15\"");
    for (const char *const *t = (const char *const[]){"unduh", "kolom", "satu-data", "api", "kutip", NULL};
         *t != NULL; t++) {
        char id[64];
        (void)snprintf(id, sizeof id, "id=\"%s\"", *t);
        assert_lacks(gone, id);
        (void)snprintf(id, sizeof id, "href=\"#%s\"", *t);
        assert_lacks(gone, id);
    }
    assert_lacks(gone, "curl");
    free(gone);
    site_release(&s);
}

/* What is hostile stays text, in every place where a catalogue or data can put it. */
static void test_hostile(void **state)
{
    struct site s;
    site_init(&s);
    static const char evil[] = "</script><script>alert(1)</script>\\\"'onload=x {{slug}} &amp; \\u2028";
    char schema[4000], preview[2000], entry[8000], versions[3000];
    (void)snprintf(
        schema, sizeof schema,
        "{\"fields\":[{\"name\":\"%s\",\"type\":\"%s\",\"format\":\"uri\",\"odp:title\":{\"id\":\"%s\","
        "\"en\":\"%s\"},\"odp:unit\":\"%s\",\"constraints\":{\"pattern\":\"%s\",\"enum\":[\"%s\"]},"
        "\"categories\":[{\"value\":\"%s\",\"odp:label\":{\"id\":\"%s\"}}]},{\"name\":\"tautan\",\"type\":"
        "\"string\",\"format\":\"uri\"}],\"primaryKey\":[\"%s\"]}",
        evil, evil, evil, evil, evil, evil, evil, evil, evil, evil);
    (void)snprintf(preview, sizeof preview,
                   "{\"fields\":[\"%s\",\"tautan\"],\"rows\":[[\"%s\",\"javascript:alert(1)\"],[\"%s]]\","
                   "\"https://a.example/\\\"><b>\"]],\"total\":2,\"shown\":2}",
                   evil, evil, evil);
    (void)snprintf(versions, sizeof versions,
                   "{\"data\":[{\"version\":\"2024-03-15\",\"date\":\"%s\",\"state\":\"withdrawn\","
                   "\"reason\":\"%s\",\"note\":{\"id\":\"%s\"}}]}",
                   evil, evil, evil);
    (void)snprintf(entry, sizeof entry,
                   "[{\"slug\":\"uji\",\"title\":\"%s\",\"description\":\"%s\",\"version\":\"2024-03-15\","
                   "\"last_update\":\"%s\",\"frequency\":\"%s\",\"keywords\":[\"%s\"],\"license\":{\"title\":"
                   "\"%s\",\"path\":\"javascript:alert(2)\"},"
                   "\"sources\":[{\"title\":\"%s\",\"path\":\"javascript:alert(3)\"}],\"contributors\":[{"
                   "\"roles\":[\"contactPoint\"],\"email\":\"a@b.id?bcc=x\"}],\"sdi:walidata\":\"%s\","
                   "\"state\":\"deprecated\",\"odp:sunset\":\"%s\",\"odp:note\":\"%s\","
                   "\"resources\":[{\"name\":\"uji\",\"title\":\"%s\",\"api\":\"uji.json\",\"schema\":\"../"
                   "data/uji/2024-03-15/"
                   "schema.json\",\"rows\":20,\"files\":[{\"format\":\"%s\",\"name\":\"%s\",\"url\":"
                   "\"javascript:alert(4)\",\"bytes\":1,\"hash\":\"%s\"}]}]}]",
                   evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil, evil);
    stage(&s, "data/uji/2024-03-15/schema.json", schema);
    stage(&s, "data/uji/2024-03-15/uji.preview.json", preview);
    stage(&s, "data/uji/versions.json", versions);
    s.entries = json_loads(entry, 0, NULL);
    assert_non_null(s.entries);
    s.job.entries = s.entries;
    s.portal.newest = odp_model_by_date(s.entries, &s.portal.n, &s.portal.arena);
    portal_make_dataset(&s.portal, ODP_LANG_ID);
    assert_int_equal(s.portal.status, ODP_OK);
    char *page = read_file(&s, "katalog/uji.html");
    assert_lacks(page, "<script>alert");
    assert_lacks(page, "\"onload");
    assert_lacks(page, "href=\"javascript");
    assert_lacks(page, "bcc=");
    assert_lacks(page, "><b>");
    assert_has(page, "{{slug}}");
    assert_has(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
    assert_int_equal(count(page, "<script"), count(page, "</script>"));
    free(page);
    site_release(&s);
}

static void test_states(void **state)
{
    struct site s;
    site_init(&s);
    stage_quoted(
        &s, "data/hilang/versions.json",
        "{'data':[{'version':'2024-01-01','date':'2024-01-01','state':'withdrawn','reason':'dataset'},"
        "{'version':'2023-01-01','date':'2023-01-01','state':'withdrawn','reason':'privacy','note':{'id':'"
        "Nomor telepon','en':'Telephone numbers'}}]}");
    stage_quoted(&s, "data/uji/versions.json",
                 "{'data':[{'version':'2024-03-15','date':'2024-03-15','state':'published','rows':1204,'"
                 "correction':{'id':'Salah salin','en':'Copied wrongly'},'resources':[{'name':'uji',"
                 "'changes':{'from':'2023-09-15','added':12,'removed':3,'changed':1500,'schema_changes':2,'"
                 "html':'../../data/uji/2024-03-15/changes.html'}}]},"
                 "{'version':'2023-09-15','date':'2023-09-15','state':'withdrawn','reason':'error'},{'"
                 "version':'2023-03-15','date':'2023-03-15','state':'thinned','stands_in':'2023-09-15'}]}");
    stage(&s, "data/uji/2024-03-15/changes.html", "<p>");
    make(&s, "[" ONE(",'odp:formerSlugs':[{'slug':'lama','sunset':'2025-01-01'},{'slug':'lain','sunset':'"
                     "2025-01-01'}]") ",{'slug':'lain','title':'Lain','version':'1','state':'deprecated','"
                                      "odp:deprecated':'2024-02-01','odp:sunset':'2025-02-01','odp:"
                                      "replacedBy':'uji','odp:note':'Sudah digabung','resources':[]}]");
    char *page = read_file(&s, "katalog/uji.html"), *old = read_file(&s, "katalog/lain.html"),
         *moved = read_file(&s, "en/catalog/lama.html"), *gone = read_file(&s, "katalog/hilang.html");
    assert_has(page, "+12</span> ditambah, <span class=\"ds-minus\">−3</span> dihapus, <span "
                     "class=\"ds-changed\">~1.500</span> diubah, 2 perubahan kolom");
    assert_has(page, "href=\"../data/uji/2024-03-15/changes.html\"");
    assert_lacks(page, "changes.csv"); /* what is not staged is not linked */
    assert_has(page, "Koreksi: Salah salin");
    assert_has(page, "Ditarik: memuat kesalahan.");
    assert_has(page, "diwakili versi 2023-09-15.");
    assert_has(page,
               "<code>lama</code> (berlaku sampai <time datetime=\"2025-01-01\">1 Januari 2025</time>)");
    assert_has(old, "<time datetime=\"2025-02-01\">1 Februari 2025</time>");
    assert_has(old, "<a href=\"uji.html\">Data uji</a>");
    assert_has(old, "Sudah digabung");
    /* An address that another dataset has now is that dataset's page, not a sign to it. */
    assert_has(old, "<h1>Lain</h1>");
    assert_has(moved, "<code>lama</code> is now at <a href=\"uji.html\">Test data</a>");
    assert_has(moved, "<time datetime=\"2025-01-01\">1 January 2025</time>");
    assert_has(gone, "memuat data pribadi Nomor telepon");
    assert_has(gone, "datasetnya ditarik");
    assert_null(odp_stage_find(s.stage, "katalog/uji-peta.svg"));
    free(page);
    free(old);
    free(moved);
    free(gone);
    site_release(&s);
}

/* Pages do not grow out of hand: 200 fields, 600 slices. */
static void test_large(void **state)
{
    struct site s;
    site_init(&s);
    struct odp_buffer schema, preview, entry;
    odp_buffer_init(&schema);
    odp_buffer_init(&preview);
    odp_buffer_init(&entry);
    odp_buffer_add_str(&schema, "{\"fields\":[");
    odp_buffer_add_str(&preview, "{\"fields\":[");
    for (int i = 0; i < 200; i++) {
        odp_buffer_printf(&schema,
                          "%s{\"name\":\"kolom_%d\",\"type\":\"integer\",\"odp:title\":{\"id\":\"Kolom "
                          "%d\",\"en\":\"Column %d\"}}",
                          i > 0 ? "," : "", i, i, i);
        odp_buffer_printf(&preview, "%s\"kolom_%d\"", i > 0 ? "," : "", i);
    }
    odp_buffer_add_str(&schema, "]}");
    odp_buffer_add_str(&preview, "],\"rows\":[");
    for (int k = 0; k < 12; k++) {
        odp_buffer_add_str(&preview, k > 0 ? ",[" : "[");
        for (int i = 0; i < 200; i++)
            odp_buffer_printf(&preview, "%s\"%d\"", i > 0 ? "," : "", k * i);
        odp_buffer_add_char(&preview, ']');
    }
    odp_buffer_add_str(&preview, "],\"total\":12,\"shown\":12}");
    odp_buffer_add_str(&entry,
                       "[{\"slug\":\"uji\",\"title\":\"Uji\",\"version\":\"1\",\"resources\":[{\"name\":"
                       "\"uji\",\"schema\":\"../data/uji/1/schema.json\",\"rows\":12,\"slices\":[");
    for (int i = 0; i < 600; i++)
        odp_buffer_printf(
            &entry,
            "%s{\"field\":\"kolom_1\",\"value\":\"%d\",\"rows\":1,\"files\":[{\"format\":\"CSV\",\"name\":"
            "\"csv\",\"url\":\"../data/uji/1/slices/kolom_1/%d/uji.csv\",\"bytes\":10}]}",
            i > 0 ? "," : "", i, i);
    odp_buffer_add_str(&entry, "]}]}]");
    stage(&s, "data/uji/1/schema.json", odp_buffer_cstr(&schema));
    stage(&s, "data/uji/1/uji.preview.json", odp_buffer_cstr(&preview));
    make(&s, odp_buffer_cstr(&entry));
    char *page = read_file(&s, "katalog/uji.html");
    assert_int_equal(count(page, "/slices/kolom_1/"), 600);
    assert_has(page, "<details><summary>Kolom 1: 600 bagian</summary>");
    assert_int_equal(count(page, "<code>kolom_199</code>"), 1);
    assert_true(strlen(page) < 600000);
    free(page);
    odp_buffer_release(&schema);
    odp_buffer_release(&preview);
    odp_buffer_release(&entry);
    site_release(&s);
}

/* ---- small functions ---- */

/* However a preview is cut, it is the same document with fewer rows. */
static void test_cut(void **state)
{
    static const struct {
        const char *text;
        size_t most;
        const char *cut;
    } cases[] = {{"{\"fields\":[\"a\"],\"rows\":[[\"1\"],[\"2\"],[\"3\"]],\"total\":3}", 2,
                  "{\"fields\":[\"a\"],\"rows\":[[\"1\"],[\"2\"]],\"total\":3}"},
                 {"{\"rows\":[],\"total\":0}", 2, "{\"rows\":[],\"total\":0}"},
                 {"{\"rows\":[[\"]\\\"]\"],\n[null,\"\\\\\"]\n],\"shown\":2}", 1,
                  "{\"rows\":[[\"]\\\"]\"]],\"shown\":2}"},
                 {"{\"rows\":[[\"1\"],[\"2\"]]}", 5, "{\"rows\":[[\"1\"],[\"2\"]]}"},
                 {"{\"fields\":[\"\\\"rows\\\":[\"],\"rows\":[[\"1\"],[\"2\"]]}", 1,
                  "{\"fields\":[\"\\\"rows\\\":[\"],\"rows\":[[\"1\"]]}"},
                 {"{\"other\":1}", 1, "{\"other\":1}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct odp_buffer out;
        odp_buffer_init(&out);
        model_preview_cut(odp_slice_of(cases[i].text), cases[i].most, &out);
        assert_string_equal(odp_buffer_cstr(&out), cases[i].cut);
        odp_buffer_release(&out);
    }
    for (size_t n = 0; n < strlen(cases[2].text); n++) { /* and what is broken is not read past its end */
        struct odp_buffer out;
        char *part = malloc(n + 1);
        assert_non_null(part);
        memcpy(part, cases[2].text, n);
        odp_buffer_init(&out);
        model_preview_cut((struct odp_slice){part, n}, 1, &out);
        odp_buffer_release(&out);
        free(part);
    }
}

/* A title cannot end the comment that it stands in. */
static void test_comments(void **state)
{
    struct site s;
    site_init(&s);
    make(&s, "[{'slug':'uji','title':'satu\\ndua ?> tiga \xe2\x80\xa8 "
             "empat','version':'1','resources':[{'name':'uji','title':'satu\\ndua ?> tiga \xe2\x80\xa8 "
             "empat','api':'uji.json','rows':20}]}]");
    char *page = read_file(&s, "katalog/uji.html");
    assert_has(page, "\"># satu dua ? &gt; tiga   empat: halaman pertama\ncurl --fail-with-body --silent "
                     "--show-error \\\n  --header &quot;Authorization: Bearer $ODP_KEY&quot; \\\n"
                     "  &#39;https://data.example.go.id/v1/uji&#39;\n</code>");
    assert_has(page, "&lt;?php\n// satu dua ? &gt; tiga   empat: halaman demi halaman\n$context");
    assert_int_equal(count(page, "data-run=\"python\""), 2);
    free(page);
    site_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_score),
        cmocka_unit_test(test_nothing_but_the_entry),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
