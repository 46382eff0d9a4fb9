/* The explorer's page: every endpoint of the staged v1/openapi.json as a list of links with examples, which
 * is all there is without JavaScript and what the script (templates/portal/assets/js/explorer.js) makes its
 * list of.
 *
 * What takes forms alone or answers with pages alone is left out (openapi.c). Decisions of the script:
 *
 * - Our own and not Swagger UI or the like: such a component is some 400 KB compressed, wants inline styles,
 *   which the Content-Security-Policy forbids, speaks one language, and knows neither keys, quotas nor maps.
 * - The state is the fragment, #GET/v1/kumuh/search?tingkat=Berat&limit=5: a request can be linked and
 *   shared, Back works, and without JavaScript the same fragment leads to the endpoint's line. Never in it:
 *   the key, what is sent to /auth/, bodies other than a search's.
 * - What can be asked is what the page lists, under the site's own root; links of an answer only where they
 *   are that.
 * - Data never become markup, and nothing of an answer is followed, loaded or run. A large answer is not
 *   parsed: one pass checks it, then only what is looked at is read, and numbers keep their digits.
 * - The key is sent only where the document asks for one; what is mistyped is found before. Copied code
 *   reads ODP_KEY. Requests bypass the browser's cache: time and quota are those of now.
 * - What cannot be undone (DELETE, a new key or secret) needs a tick; what changes something says so. */
#include "site/pages/pages_internal.h"

/* ---- one endpoint ---- */

struct maker {
    struct portal *p;
    const json_t *document;
    enum odp_lang lang;
};

/* Fragment of an address: braces may not stand in one. */
static json_t *href_of(const char *anchor)
{
    struct odp_buffer out = {0};
    odp_buffer_add_char(&out, '#');
    for (const char *c = anchor; *c != '\0'; c++)
        if (*c == '{' || *c == '}')
            odp_buffer_add_str(&out, *c == '{' ? "%7B" : "%7D");
        else
            odp_buffer_add_char(&out, *c);
    json_t *made = odp_doc_slice(odp_buffer_slice(&out));
    odp_buffer_release(&out);
    return made;
}

/* Whether the command can run as it stands and changes nothing: reading whose address is complete, and
 * searching. */
static bool has_example(const char *path, const char *method, const json_t *operation)
{
    size_t i;
    const json_t *parameter;
    if (strcmp(method, "POST") == 0)
        return openapi_ends(path, "/search");
    if (strcmp(method, "GET") != 0 || strchr(path, '{') != NULL)
        return false;
    json_array_foreach(json_object_get(operation, "parameters"), i,
                       parameter) if (json_is_true(json_object_get(parameter, "required"))) return false;
    return true;
}

static bool takes_limit(const json_t *operation)
{
    size_t i;
    const json_t *parameter;
    json_array_foreach(json_object_get(operation, "parameters"), i,
                       parameter) if (openapi_ends(odp_text_of(parameter, "$ref"), "/limit")) return true;
    return false;
}

static json_t *make_endpoint(struct maker *m, const json_t *of, const char *title)
{
    struct odp_arena *a = &m->p->arena;
    const char *path = odp_text_of(of, "path"), *method = odp_text_of(of, "method"),
               *anchor = odp_arena_printf(a, "%s%s", method, path);
    const json_t *operation = json_object_get(of, "operation");
    const bool posts = strcmp(method, "POST") == 0;
    json_t *o =
        json_pack("{s:o, s:s, s:s, s:s, s:s, s:b}", "href", href_of(anchor), "anchor", anchor, "method",
                  method, "path", path, "summary", openapi_summary(operation, title, m->lang, a), "public",
                  (int)openapi_is_public(operation));
    if (has_example(path, method, operation))
        odp_set(o, "example",
                json_pack("{s:s, s:b, s:b}", "path", path + 1, "posts", (int)posts, "limits",
                          (int)(!posts && takes_limit(operation))));
    return o;
}

static json_t *make_endpoints(struct maker *m, const char *tag, const char *title)
{
    json_t *list = json_array();
    const json_t *one, *operations = openapi_operations(m->document, tag);
    size_t i;
    json_array_foreach(operations, i, one) odp_add(list, make_endpoint(m, one, title));
    return list;
}

/* ---- groups: datasets first, then what concerns all of them ---- */

static void add_group(struct maker *m, json_t *groups, const json_t *tag)
{
    const char *name = odp_text_of(tag, "name"),
               *title = openapi_in(odp_text_of(tag, "x-displayName"), m->lang, &m->p->arena);
    const bool dataset = *title != '\0';
    const char *label =
        dataset
            ? title
            : odp_templates_word(m->p->templates, portal_printf(m->p, "explorer_tag_%.40s", name), m->lang);
    json_t *endpoints = make_endpoints(m, name, title);
    if (json_array_size(endpoints) > 0)
        odp_add(groups, json_pack("{s:s, s:s, s:b, s:O}", "name", name, "label", label != NULL ? label : name,
                                  "dataset", (int)dataset, "endpoints", endpoints));
    json_decref(endpoints);
}

/* The groups of the tags of what v1/openapi.json has of SLUG, or (NULL) of no dataset. */
static void add_groups(struct maker *m, json_t *groups, const char *slug)
{
    const json_t *tag;
    size_t i;
    m->document = openapi_document(m->p, slug);
    json_array_foreach(json_object_get(m->document, "tags"), i, tag) add_group(m, groups, tag);
}

static json_t *make_groups(struct maker *m)
{
    json_t *groups = json_array();
    const json_t *entry;
    size_t i;
    json_array_foreach(m->p->job->entries, i, entry) add_groups(m, groups, odp_text_of(entry, "slug"));
    add_groups(m, groups, NULL);
    return groups;
}

/* The first datasets, to begin with. */
static json_t *make_starts(const json_t *groups)
{
    enum { STARTS = 4 };
    size_t i;
    const json_t *group;
    json_t *starts = json_array();
    json_array_foreach(groups, i, group) if (i < STARTS && json_is_true(json_object_get(group, "dataset")))
        odp_add(starts, json_pack("{s:s, s:s}", "name", odp_text_of(group, "name"), "label",
                                  odp_text_of(group, "label")));
    return starts;
}

static void make_page(struct portal *p, enum odp_lang lang)
{
    struct portal_head head =
        portal_head_of(p, lang, "explorer", ODP_PATH_explorer, "explorer_title", "explorer_description");
    struct maker m = {.p = p, .lang = lang};
    json_t *groups = make_groups(&m);
    head.nav = "explorer";
    portal_put(p, lang, &head,
               json_pack("{s:o, s:o, s:o}", "words", portal_words(p, "explorer_js_", "map_", lang), "groups",
                         groups, "starts", make_starts(groups)));
}

void portal_make_explorer(struct portal *p, enum odp_lang lang)
{
    if (!odp_templates_has(p->templates, "explorer") || !portal_part_begin(p, "explorer", lang, NULL))
        return;
    (void)odp_stage_find(p->job->stage, odp_path(ODP_PATH_openapi, ODP_LANG_ID)); /* the part is made of it */
    make_page(p, lang);
    portal_part_end(p);
}
