/* The words of documentation, read from the pages that are made: what people read is what is found. */
#include "base/ascii.h"
#include "base/utf8.h"
#include "site/pages/search_internal.h"

enum { PAGE_MAX = 8 << 20 };

static const enum odp_path pages[] = {
    ODP_PATH_docs,         ODP_PATH_docs_key,      ODP_PATH_docs_limits,    ODP_PATH_docs_errors,
    ODP_PATH_docs_queries, ODP_PATH_docs_webhooks, ODP_PATH_docs_libraries, ODP_PATH_docs_javascript,
    ODP_PATH_docs_python,  ODP_PATH_docs_php,      ODP_PATH_register,       ODP_PATH_key,
    ODP_PATH_about,        ODP_PATH_privacy,       ODP_PATH_terms};

struct page {
    const char *at;
    struct odp_buffer text, heading, id, title; /* title: of h1 */
    bool in_heading;
    json_t *items;
    enum odp_lang lang;
    size_t doc;
};

/* One character of text, an entity as what it means. */
static void add_character(struct page *g)
{
    static const struct {
        const char *entity;
        char means;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    char c = *g->at;
    size_t n = 1;
    for (size_t i = 0; c == '&' && i < ODP_COUNT(entities); i++)
        if (strncmp(g->at, entities[i].entity, strlen(entities[i].entity)) == 0) {
            c = entities[i].means;
            n = strlen(entities[i].entity);
            break;
        }
    g->at += n;
    odp_buffer_add_char(&g->text, c);
    if (g->in_heading)
        odp_buffer_add_char(&g->heading, c == '\n' ? ' ' : c);
}

/* The value of id="…" in the tag that ends at END. */
static void take_id(struct page *g, const char *end)
{
    const char *id = strstr(g->at, " id=\"");
    odp_buffer_clear(&g->id);
    if (id != NULL && id < end)
        odp_buffer_add(&g->id, id + 5, strcspn(id + 5, "\""));
}

static void end_heading(struct page *g, bool is_title)
{
    if (is_title && g->title.len == 0)
        odp_buffer_add_slice(&g->title, odp_buffer_slice(&g->heading));
    else if (!is_title && g->id.len > 0 && g->items != NULL)
        odp_add(g->items, json_pack("[s, i, I, s, s]", "h", (int)g->lang, (json_int_t)g->doc,
                                    odp_buffer_cstr(&g->id), odp_buffer_cstr(&g->heading)));
    g->in_heading = false;
}

static bool is_heading(const char *name)
{
    return *name == 'h' && name[1] >= '1' && name[1] <= '3' && !odp_is_alnum(name[2]);
}

/* The end of what is no text of the page: scripts, lists of pages, and, where headings do not count, examples
 * (they are records). NULL: it is text. */
static const char *end_of_other(const struct page *g, const char *name)
{
    static const char *const others[][2] = {
        {"script", "</script>"}, {"nav", "</nav>"}, {"pre", "</pre>"} /* the last: of examples */};
    for (size_t i = 0; i < 2 + (g->items == NULL); i++) {
        const char *end =
            strncmp(name, others[i][0], strlen(others[i][0])) == 0 ? strstr(name, others[i][1]) : NULL;
        if (end != NULL)
            return end + strlen(others[i][1]) - 1;
    }
    return NULL;
}

/* Past a tag; of what is no text, past its end. Moves on always. */
static void take_tag(struct page *g)
{
    const char *name = g->at + 1, *end = strchr(g->at, '>');
    if (end == NULL)
        end = g->at + strlen(g->at) - 1;
    if (is_heading(name)) {
        take_id(g, end);
        odp_buffer_clear(&g->heading);
        g->in_heading = true;
    } else if (*name == '/' && is_heading(name + 1) && g->in_heading) {
        end_heading(g, name[2] == '1');
    } else if (end_of_other(g, name) != NULL) {
        end = end_of_other(g, name);
    }
    odp_buffer_add_char(&g->text, ' ');
    g->at = end + 1;
}

static void take_page(struct page *g, const char *html)
{
    const char *main = strstr(html, "<main");
    for (g->at = main != NULL ? main : ""; *g->at != '\0' && strncmp(g->at, "</main>", 7) != 0;) {
        if (*g->at == '<')
            take_tag(g);
        else
            add_character(g);
    }
}

/* Reads the page NAME. */
static void read_page(struct portal *p, struct page *g, const char *name)
{
    struct odp_buffer html = {0};
    if (p->status != ODP_OK || !odp_model_is_staged(p->job, name))
        return;
    p->status = odp_stage_read(p->job->stage, name, PAGE_MAX, p->job->previous, &html, p->job->diags);
    if (p->status == ODP_OK)
        take_page(g, odp_buffer_cstr(&html));
    odp_buffer_release(&html);
}

static void release(struct page *g)
{
    odp_buffer_release(&g->text);
    odp_buffer_release(&g->heading);
    odp_buffer_release(&g->id);
    odp_buffer_release(&g->title);
}

/* What is found of the page PATHS: itself as it stands in "docs", and its words; NULL: there is no such page.
 * ITEMS gets its headings, those of page DOC, or is NULL. */
static json_t *look_at(struct portal *p, struct portal_words *words, const char *const paths[ODP_LANGS],
                       json_t *items, size_t doc)
{
    struct page both[ODP_LANGS] = {{.lang = ODP_LANG_ID}, {.lang = ODP_LANG_EN}};
    json_t *found = NULL;
    for (size_t k = 0; k < ODP_LANGS; k++) {
        both[k].items = items;
        both[k].doc = doc;
        read_page(p, &both[k], paths[k]);
    }
    if (both[ODP_LANG_ID].title.len > 0 && both[ODP_LANG_EN].title.len > 0) {
        struct odp_buffer *text = &both[ODP_LANG_ID].text, cut = {0};
        odp_buffer_add_char(text, '\n');
        odp_buffer_add_slice(text, odp_buffer_slice(&both[ODP_LANG_EN].text));
        portal_words_cut(words, odp_buffer_slice(text), &cut);
        found = json_pack("[s, s, s, s, s]", paths[ODP_LANG_ID], paths[ODP_LANG_EN],
                          odp_buffer_cstr(&both[ODP_LANG_ID].title),
                          odp_buffer_cstr(&both[ODP_LANG_EN].title), odp_buffer_cstr(&cut));
        odp_buffer_release(&cut);
    }
    for (size_t k = 0; k < ODP_LANGS; k++)
        release(&both[k]);
    return found;
}

json_t *portal_search_api(struct portal *p, struct portal_words *words, const char *slug)
{
    const char *const paths[ODP_LANGS] = {docs_api_path(p, slug, ODP_LANG_ID),
                                          docs_api_path(p, slug, ODP_LANG_EN)};
    return look_at(p, words, paths, NULL /* their headings are alike: words find them */, 0);
}

void portal_search_add(json_t *docs, struct portal_words *words, json_t *found)
{
    const char *cut = odp_or_empty(json_string_value(json_array_get(found, 4)));
    portal_words_put_all(words, odp_slice_of(cut), (struct portal_ref){PORTAL_IN_DOC, json_array_size(docs)});
    (void)json_array_remove(found, 4);
    odp_add(docs, json_incref(found));
}

void portal_search_docs(struct portal *p, json_t *docs, json_t *items, struct portal_words *words)
{
    for (size_t i = 0; i < ODP_COUNT(pages) && p->status == ODP_OK; i++) {
        const char *const paths[ODP_LANGS] = {odp_path(pages[i], ODP_LANG_ID),
                                              odp_path(pages[i], ODP_LANG_EN)};
        json_t *found = look_at(p, words, paths, items, json_array_size(docs));
        if (found != NULL)
            portal_search_add(docs, words, found);
        json_decref(found);
    }
}
