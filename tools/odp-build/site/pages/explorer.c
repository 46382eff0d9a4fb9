/* The explorer's page: every endpoint of the staged v1/openapi.json as a list of links with examples, which
 * is all there is without JavaScript and what the script (templates/portal/assets/js/explorer.js) makes its
 * list of.
 *
 * What takes forms alone or answers with pages alone is left out (is_for_programs). Decisions of the script:
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

#include <ctype.h>
#include <errno.h>

/* ---- texts of the document: "Indonesian / English", or paragraphs of both, one after the other ---- */

/* The half of TEXT, whose parts are divided by MARK, that is in LANG; all of it where the parts are not in
 * pairs. In A. */
static const char *half(const char *text, const char *mark, enum odp_lang lang, struct odp_arena *a)
{
    size_t n = 1, at = 0, skip = strlen(mark);
    const char *middle = text;
    for (const char *p = strstr(text, mark); p != NULL; p = strstr(p + skip, mark))
        n++;
    if (n % 2 != 0)
        return text;
    for (const char *p = strstr(text, mark); at < n / 2; p = strstr(p + skip, mark), at++)
        middle = p;
    return lang == ODP_LANG_ID ? odp_arena_printf(a, "%.*s", (int)(middle - text), text) : middle + skip;
}

/* Without ": TITLE" at its end, which the group says already. */
static const char *short_summary(const char *summary, const char *title, struct odp_arena *a)
{
    size_t n = strlen(summary), t = strlen(title);
    if (t == 0 || n <= t + 2 || strcmp(summary + n - t, title) != 0 ||
        strncmp(summary + n - t - 2, ": ", 2) != 0)
        return summary;
    return odp_arena_printf(a, "%.*s", (int)(n - t - 2), summary);
}

/* ---- one endpoint ----------------------------------------------------------------------------------- */

struct maker {
    struct portal *p;
    const json_t *paths;
    enum odp_lang lang;
    struct odp_doc d;
};

/* Fragment of an address: braces may not stand in one. */
static json_t *href_of(const char *anchor)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_buffer_add_char(&out, '#');
    for (const char *c = anchor; *c != '\0'; c++)
        if (*c == '{' || *c == '}')
            odp_buffer_add_str(&out, *c == '{' ? "%7B" : "%7D");
        else
            odp_buffer_add_char(&out, *c);
    json_t *made = odp_buffer_status(&out) == ODP_OK ? odp_doc_slice(odp_buffer_slice(&out)) : NULL;
    odp_buffer_release(&out);
    return made;
}

static bool is_public(const json_t *operation)
{
    const json_t *security = json_object_get(operation, "security");
    return security != NULL && json_array_size(security) == 0;
}

/* Whether programs call it: what takes nothing but a form, or answers well with nothing but a page, is a
 * page's own business. */
static bool is_for_programs(const json_t *operation)
{
    const json_t *body = json_object_get(json_object_get(operation, "requestBody"), "content");
    const char *status;
    json_t *answer;
    bool page = false, other = false;
    json_object_foreach(json_object_get(operation, "responses"), status, answer) {
        const json_t *content = json_object_get(answer, "content");
        bool html = json_object_size(content) == 1 && json_object_get(content, "text/html") != NULL;
        page = page || (status[0] == '2' && html);
        other = other || (status[0] == '2' && !html);
    }
    return (body == NULL || json_object_get(body, "application/json") != NULL) && (other || !page);
}

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

/* Whether the command can run as it stands and changes nothing: reading whose address is complete, and
 * searching. */
static bool has_example(const char *path, const char *method, const json_t *operation)
{
    size_t i;
    const json_t *parameter;
    if (strcmp(method, "post") == 0)
        return ends(path, "/search");
    if (strcmp(method, "get") != 0 || strchr(path, '{') != NULL)
        return false;
    json_array_foreach(json_object_get(operation, "parameters"), i, parameter)
        if (json_is_true(json_object_get(parameter, "required")))
            return false;
    return true;
}

static bool takes_limit(const json_t *operation)
{
    size_t i;
    const json_t *parameter;
    json_array_foreach(json_object_get(operation, "parameters"), i, parameter)
        if (ends(odp_model_text(parameter, "$ref"), "/limit"))
            return true;
    return false;
}

static void add_endpoint(struct maker *m, json_t *list, const char *path, const char *method,
                         const json_t *operation, const char *title)
{
    struct odp_arena *a = &m->p->arena;
    json_t *o = json_object();
    const char *summary = half(odp_model_text(operation, "summary"), " / ", m->lang, a);
    char verb[16] = "";
    for (size_t i = 0; method[i] != '\0' && i + 1 < sizeof verb; i++)
        verb[i] = (char)toupper((unsigned char)method[i]);
    json_t *anchor = json_sprintf("%s%s", verb, path);
    if (anchor == NULL || summary == NULL || (summary = short_summary(summary, title, a)) == NULL) {
        m->d.failed = true;
        summary = "";
    }
    odp_doc_set(&m->d, o, "href", href_of(anchor != NULL ? json_string_value(anchor) : ""));
    odp_doc_set(&m->d, o, "anchor", anchor);
    odp_doc_set_str(&m->d, o, "method", verb);
    odp_doc_set_str(&m->d, o, "path", path);
    odp_doc_set_str(&m->d, o, "summary", summary);
    odp_doc_set(&m->d, o, "public", json_boolean(is_public(operation)));
    if (has_example(path, method, operation))
        odp_doc_set(&m->d, o, "example",
                    json_pack("{s:s, s:b, s:b}", "path", path + 1, "posts", strcmp(method, "post") == 0,
                              "limits", strcmp(method, "post") != 0 && takes_limit(operation)));
    odp_doc_add(&m->d, list, o);
}

/* The endpoints of TAG: records before lists of versions, else in the document's order. */
static json_t *make_endpoints(struct maker *m, const char *tag, const char *title)
{
    static const char *const methods[] = {"get", "post", "put", "patch", "delete"};
    json_t *list = json_array();
    for (int versions = 0; versions < 2; versions++) {
        const char *path;
        json_t *item;
        json_object_foreach((json_t *)m->paths, path, item)
            for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                const json_t *operation = json_object_get(item, methods[i]);
                const char *of = json_string_value(json_array_get(json_object_get(operation, "tags"), 0));
                if (of != NULL && strcmp(of, tag) == 0 && path[0] == '/' && is_for_programs(operation) &&
                    ends(path, "/versions") == (versions != 0))
                    add_endpoint(m, list, path, methods[i], operation, title);
            }
    }
    return list;
}

/* ---- groups: datasets first, then what concerns all of them ---- */

static void add_group(struct maker *m, json_t *groups, const json_t *tag)
{
    struct odp_arena *a = &m->p->arena;
    const char *name = odp_model_text(tag, "name"),
               *title = half(odp_model_text(tag, "x-displayName"), " / ", m->lang, a);
    char word[64];
    bool dataset = *odp_model_text(tag, "x-displayName") != '\0';
    json_t *group = json_object();
    snprintf(word, sizeof word, "explorer_tag_%.40s", name);
    const char *label = dataset ? title : odp_templates_word(m->p->templates, word, m->lang);
    json_t *endpoints = make_endpoints(m, name, dataset && title != NULL ? title : "");
    bool empty = json_array_size(endpoints) == 0;
    m->d.failed = m->d.failed || title == NULL;
    odp_doc_set_str(&m->d, group, "name", name);
    odp_doc_set_str(&m->d, group, "label", label != NULL ? label : name);
    odp_doc_set(&m->d, group, "dataset", json_boolean(dataset));
    odp_doc_set(&m->d, group, "endpoints", endpoints);
    if (empty)
        json_decref(group);
    else
        odp_doc_add(&m->d, groups, group);
}

static json_t *make_groups(struct maker *m, const json_t *document)
{
    json_t *groups = json_array();
    for (int dataset = 1; dataset >= 0; dataset--) {
        size_t i;
        const json_t *tag;
        json_array_foreach(json_object_get(document, "tags"), i, tag)
            if ((*odp_model_text(tag, "x-displayName") != '\0') == (dataset != 0))
                add_group(m, groups, tag);
    }
    return groups;
}

/* The first datasets, to begin with. */
static json_t *make_starts(struct maker *m, const json_t *groups)
{
    enum { STARTS = 4 };
    size_t i;
    const json_t *group;
    json_t *starts = json_array();
    json_array_foreach(groups, i, group) {
        if (i == STARTS || !json_is_true(json_object_get(group, "dataset")))
            break;
        json_t *start = json_object();
        odp_doc_set_str(&m->d, start, "name", odp_model_text(group, "name"));
        odp_doc_set_str(&m->d, start, "label", odp_model_text(group, "label"));
        odp_doc_add(&m->d, starts, start);
    }
    return starts;
}

enum odp_status portal_make_explorer(struct portal *p, enum odp_lang lang)
{
    json_t *document = NULL, *data = NULL;
    const char *title = odp_templates_word(p->templates, "explorer_title", lang);
    const char *description = odp_templates_word(p->templates, "explorer_description", lang);
    const struct portal_head head = {
        .page = "explorer",
        .title = title != NULL ? title : "API",
        .description = description,
        .nav = "explorer",
        .cls = ODP_CLASS_PUBLIC,
        .path = {odp_path(ODP_PATH_explorer, ODP_LANG_ID), odp_path(ODP_PATH_explorer, ODP_LANG_EN)},
    };
    if (!odp_templates_has(p->templates, "explorer"))
        return ODP_OK;
    enum odp_status status = odp_model_read(p->job, odp_path(ODP_PATH_openapi, lang), &document);
    if (status == ODP_OK) {
        struct maker m = {.p = p, .paths = json_object_get(document, "paths"), .lang = lang};
        data = json_object();
        json_t *words = json_object();
        status = portal_words(p, "explorer_js_", lang, words);
        if (status == ODP_OK)
            status = portal_words(p, "map_", lang, words);
        odp_doc_set(&m.d, data, "words", words);
        odp_doc_set(&m.d, data, "groups", make_groups(&m, document));
        odp_doc_set(&m.d, data, "starts", make_starts(&m, json_object_get(data, "groups")));
        if (status == ODP_OK && m.d.failed)
            status = odp_failure_set("make", head.path[lang], ENOMEM);
        if (status != ODP_OK)
            json_decref(data);
    }
    if (status == ODP_OK)
        status = portal_put(p, lang, &head, data);
    json_decref(document);
    return status;
}
