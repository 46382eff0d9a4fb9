/* feed.xml: exact for a small catalogue, and nothing from a catalogue becomes markup (pages:
 * tests/e2e/portal_home.py). Texts of documents. */
#include "site_script.h"

#include "base/html.h"
#include "site/metadata/metadata.h"

#define BASE "https://data.example.go.id/"

static void begin(struct site *s, struct odp_release *releases, size_t n)
{
    site_init(s);
    site_open(s);
    s->fx.catalog.portal.title = (struct odp_text){{"Portal data", "Data portal"}};
    s->fx.catalog.releases = releases;
    s->fx.catalog.nreleases = n;
}

/* Makes the documents of ENTRIES, switches the site in, and reads its feed. */
static const char *publish(struct site *s, const char *entries)
{
    const struct odp_site_job job = site_job(s, entries);
    struct odp_metadata *m;
    if (odp_metadata_open(&m, &job) != ODP_OK || odp_metadata_documents(m) != ODP_OK)
        fail_msg("%s", odp_failure_text());
    odp_metadata_close(m);
    (void)site_switch(s, 1);
    return site_read(s, "feed.xml");
}

/* Questions of html.txt: "text TEXT", "date TEXT" in both languages. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const char *text = question.ptr + 5;
    if (*question.ptr == 't') {
        odp_html_text(out, text);
        return;
    }
    odp_html_date(out, text, ODP_LANG_ID);
    odp_buffer_add_char(out, '\n');
    odp_html_date(out, text, ODP_LANG_EN);
}

TEST(html)
{
    BUFFER(none);
    odp_html_text(&none, NULL);
    odp_html_date(&none, NULL, ODP_LANG_ID);
    assert_int_equal(none.len, 0);
    answer_lines("site/html.txt", answer, NULL);
}

TEST(feed)
{
    struct site s;
    struct odp_text changes[] = {{{"Baru & lain", "New & other"}}};
    struct odp_release releases[] = {
        {.version = "2.5.0", .date = "2024-03-15", .changes = changes, .nchanges = 1}};
    begin(&s, releases, 1);
    assert_string_equal(
        publish(&s, "[{'slug':'kumuh','title':{'id':'Peta','en':'Map'},'description':{'id':'Uraian','en':'"
                    "Text'},'version':'2024-03-15','last_update':'2024-03-15','state':'active','download':{'"
                    "CSV':'../data/kumuh/2024-03-15/kumuh.csv'}}]"),
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"id\">\n"
        "<id>" BASE "feed.xml</id>\n<title>Portal data / Data portal</title>\n"
        "<updated>2024-03-15T00:00:00+07:00</updated>\n"
        "<link rel=\"self\" type=\"application/atom+xml\" href=\"" BASE "feed.xml\"/>\n"
        "<link rel=\"alternate\" type=\"text/html\" href=\"" BASE "rilis.html\"/>\n"
        "<author><name>Kementerian / Ministry</name></author>\n"
        "<entry>\n<id>" BASE "rilis.html#rilis-2.5.0</id>\n"
        "<title>Rilis API 2.5.0 / API release 2.5.0</title>\n"
        "<link rel=\"alternate\" type=\"text/html\" href=\"" BASE "rilis.html#rilis-2.5.0\"/>\n"
        "<category term=\"release\"/>\n"
        "<content type=\"html\">&lt;ul lang=&quot;id&quot;&gt;&lt;li&gt;Baru &amp;amp; "
        "lain&lt;/li&gt;&lt;/ul&gt;&lt;ul lang=&quot;en&quot;&gt;&lt;li&gt;New &amp;amp; "
        "other&lt;/li&gt;&lt;/ul&gt;</content>\n<updated>2024-03-15T00:00:00+07:00</updated>\n</entry>\n"
        "<entry>\n<id>" BASE "data/kumuh/2024-03-15/</id>\n<title>Peta / Map: 2024-03-15</title>\n"
        "<link rel=\"alternate\" type=\"text/html\" href=\"" BASE "rilis.html#versi\"/>\n"
        "<link rel=\"enclosure\" title=\"CSV\" href=\"" BASE "data/kumuh/2024-03-15/kumuh.csv\"/>\n"
        "<category term=\"dataset\"/>\n<category term=\"version\"/>\n<category term=\"kumuh\"/>\n"
        "<summary>Uraian / Text</summary>\n"
        "<updated>2024-03-15T00:00:00+07:00</updated>\n</entry>\n</feed>\n");
    site_release(&s);
}

/* By instant: a timestamp's offset counts, and a date is its midnight in the portal's zone. */
TEST(order_of_the_feed)
{
    static const char *const ids[] = {"data/a/1/", "data/b/2/", "#rilis-2.0.0</id>", "data/c/3/",
                                      "#rilis-1.0.0</id>"};
    struct site s;
    struct odp_release releases[] = {{.version = "2.0.0", .date = "2024-03-16"},
                                     {.version = "1.0.0", .date = "2023-01-01"}};
    begin(&s, releases, 2);
    const char *feed = publish(
                   &s,
                   "[{'slug':'a','version':'1','last_update':'2024-03-15T18:00:00Z'},{'slug':'b','version':'"
                   "2','last_update':'2024-03-16T00:30:00+07:00'},{'slug':'c','version':'3','last_update':'"
                   "2024-03-16'},{'slug':'d','version':'4','last_update':'bukan tanggal'}]"),
               *at = feed;
    for (size_t i = 0; i < ODP_COUNT(ids); i++)
        if ((at = strstr(at, ids[i])) == NULL)
            fail_msg("%s is not in its place:\n%s", ids[i], feed);
    EXPECT(feed, "!", "data/d/");
    site_release(&s);
}

static void script_begin(void *ctx, const char *text)
{
    struct site *s = ctx;
    if (s->diags != NULL)
        site_release(s);
    begin(s, NULL, 0);
}

static void script_make(void *ctx, const char *entries)
{
    (void)publish(ctx, entries);
}

static const char *script_read(void *ctx, const char *path)
{
    return site_read(ctx, path);
}

TEST(feeds)
{
    SITE(s);
    site_script((struct site_script){&s, &s, script_begin, script_make, script_read, ""}, "site/feed.txt");
}

/* The same hostile text wherever text can be: no feed has a tag, attribute or entity more than with plain
 * text. */
TEST(hostile_texts)
{
    size_t tags[2] = {0, 0};
    for (int round = 0; round < 2; round++) {
        struct site s;
        const char *evil = round == 0 ? "x" : "\\\"><script>alert(1)</script><!--\\u0027&#x41;]]>\\u0001",
                   *plain = round == 0 ? "x" : "\"><script>alert(1)</script><!--'&#x41;]]>\x01";
        struct odp_text text = {{plain, plain}};
        struct odp_release releases[] = {
            {.version = "1.0.0", .date = "2024-03-15", .changes = &text, .nchanges = 1}};
        begin(&s, releases, 1);
        s.fx.catalog.portal.title = s.fx.catalog.portal.publisher = text;
        site_put(
            &s, "releases.log",
            site_filled(&s,
                        "{'date':'2024-03-15','changes':[{'dataset':'a','version':'%','what':'withdrawn','"
                        "reason':'%'},{'dataset':'a%','what':'removed'},{'dataset':'a%','version':'%','what':"
                        "'deprecated'},{'dataset':'a','version':'1%','what':'corrected'}]}\n",
                        evil));
        site_put(
            &s, "data/a/versions.json",
            site_filled(
                &s,
                "{'data':[{'version':'1%','state':'published','date':'2024-01-01','correction':{'id':'%','"
                "en':'%'},'resources':[{'changes':{'from':'%','added':1},'files':[{'format':'%','url':'../"
                "../%'}]}]},{'version':'%','state':'withdrawn','note':{'id':'%','en':'% y'}}]}",
                evil));
        const char *feed = publish(
            &s, site_filled(
                    &s,
                    "[{'slug':'b','title':{'id':'%','en':'% "
                    "y'},'description':{'id':'%','en':'%'},'version':'%','last_update':'2024-03-15','"
                    "state':'deprecated','odp:sunset':'%','odp:replacedBy':'%','download':{'%':'../"
                    "%'},'deprecated_fields':[{'field':'%','sunset':'%','replacedBy':'%'}],'resources':[{'"
                    "name':'%','odp:sunset':'%'}],'odp:formerSlugs':[{'slug':'%','sunset':'%'}]}]",
                    evil));
        for (const char *c = feed; *c != '\0'; c++)
            tags[round] += *c == '<' || *c == '"';
        EXPECT(feed, "!", "<script", "&#x41;", "\x01");
        site_release(&s);
    }
    assert_int_equal(tags[0], tags[1]);
}

TEST(members)
{
    char day[11];
    json_t *o = json_pack("{s:s, s:{s:s, s:s}, s:{s:s}, s:i, s:[s]}", "plain", "x", "both", "id", "satu",
                          "en", "one", "half", "id", "dua", "number", 3, "list", "x");
    static const struct {
        const char *key, *text, *id, *en;
    } cases[] = {
        {"plain", "x", "x", "x"},    {"number", "", "", ""},     {"none", "", "", ""},
        {"both", "", "satu", "one"}, {"half", "", "dua", "dua"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        assert_string_equal(odp_text_of(o, cases[i].key), cases[i].text);
        assert_string_equal(odp_model_in(o, cases[i].key, ODP_LANG_ID), cases[i].id);
        assert_string_equal(odp_model_in(o, cases[i].key, ODP_LANG_EN), cases[i].en);
    }
    assert_string_equal(odp_text_of(NULL, "plain"), "");
    assert_true(odp_model_has(json_object_get(o, "list"), "x"));
    assert_false(odp_model_has(NULL, "x"));
    assert_string_equal(odp_model_path("../../data/a"), "data/a");
    assert_string_equal(odp_model_day("2024-03-05T07:00:00+07:00", day), "2024-03-05");
    assert_string_equal(odp_model_day("2024-02-30", day), "");
    json_decref(o);
}
