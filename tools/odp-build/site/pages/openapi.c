/* v1/openapi.json as pages read it: what the explorer lists and the documentation tells. */
#include "site/api/api.h"
#include "site/pages/pages_internal.h"

const json_t *openapi_document(struct portal *p, const char *slug)
{
    const char *key = slug != NULL ? slug : "";
    json_t *document = json_object_get(p->openapi, key);
    if (document != NULL || p->status != ODP_OK)
        return document;
    if (p->openapi == NULL)
        p->openapi = json_object();
    if ((document = odp_api_openapi(p->api, slug)) == NULL)
        p->status = odp_failure_set("read", odp_path(ODP_PATH_openapi, ODP_LANG_ID), 0);
    else
        odp_set(p->openapi, key, document);
    if (document != NULL && slug != NULL)
        odp_set(document, "rest", json_incref((json_t *)(uintptr_t)openapi_document(p, NULL)));
    return document;
}

/* What REF ("#/components/…") leads to; NULL: nothing. */
static const json_t *at(const json_t *document, const char *ref)
{
    const json_t *rest = json_object_get(document, "rest");
    for (const char *part = ref + strspn(ref, "#/"); document != NULL && *part != '\0';) {
        size_t n = strcspn(part, "/");
        document = json_object_getn(document, part, n);
        part += n + (part[n] == '/');
    }
    return document != NULL || rest == NULL ? document : at(rest, ref);
}

const json_t *openapi_resolve(const json_t *document, const json_t *value)
{
    enum { DEEP = 8 };
    for (int i = 0; i < DEEP && *odp_text_of(value, "$ref") != '\0'; i++)
        value = at(document, odp_text_of(value, "$ref"));
    return value;
}

/* The half of TEXT, whose parts are divided by MARK, that is in LANG, in A; NULL where the parts are not in
 * pairs. */
static const char *half(const char *text, const char *mark, enum odp_lang lang, struct odp_arena *a)
{
    size_t n = 1, at = 0, skip = strlen(mark);
    const char *middle = text;
    for (const char *p = strstr(text, mark); p != NULL; p = strstr(p + skip, mark))
        n++;
    if (n % 2 != 0)
        return NULL;
    for (const char *p = strstr(text, mark); at < n / 2; p = strstr(p + skip, mark), at++)
        middle = p;
    return lang == ODP_LANG_ID ? odp_arena_printf(a, "%.*s", (int)(middle - text), text) : middle + skip;
}

const char *openapi_in(const char *text, enum odp_lang lang, struct odp_arena *a)
{
    const char *found = half(text, "\n\n", lang, a);
    if (found == NULL)
        found = half(text, " / ", lang, a);
    return found != NULL ? found : text;
}

const char *openapi_summary(const json_t *operation, const char *title, enum odp_lang lang,
                            struct odp_arena *a)
{
    const char *summary = openapi_in(odp_text_of(operation, "summary"), lang, a);
    size_t n = strlen(summary), t = strlen(title);
    if (t == 0 || n <= t + 2 || strcmp(summary + n - t, title) != 0 ||
        strncmp(summary + n - t - 2, ": ", 2) != 0)
        return summary;
    return odp_arena_printf(a, "%.*s", (int)(n - t - 2), summary);
}

bool openapi_is_public(const json_t *operation)
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
    json_object_foreach(json_object_get(operation, "responses"), status, answer)
    {
        const json_t *content = json_object_get(answer, "content");
        bool html = json_object_size(content) == 1 && json_object_get(content, "text/html") != NULL;
        page = page || (status[0] == '2' && html);
        other = other || (status[0] == '2' && !html);
    }
    return (body == NULL || json_object_get(body, "application/json") != NULL) && (other || !page);
}

bool openapi_ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

/* Adds the operations of PATH to the lists of their tags. */
static void add_operations(json_t *tags, const char *path, const json_t *item)
{
    static const char *const methods[][2] = {
        {"get", "GET"}, {"post", "POST"}, {"put", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"}};
    for (size_t i = 0; i < ODP_COUNT(methods); i++) {
        json_t *operation = json_object_get(item, methods[i][0]);
        const json_t *of = json_array_get(json_object_get(operation, "tags"), 0);
        if (!json_is_string(of) || path[0] != '/' || !is_for_programs(operation))
            continue;
        json_t *list = json_object_get(tags, json_string_value(of));
        if (list == NULL)
            odp_set(tags, json_string_value(of), list = json_array());
        odp_add(list,
                json_pack("{s:s, s:s, s:O}", "path", path, "method", methods[i][1], "operation", operation));
    }
}

const json_t *openapi_operations(const json_t *document, const char *tag)
{
    const char *path;
    json_t *item, *operations = json_object_get(document, "operations");
    bool fresh = operations == NULL;
    if (fresh)
        odp_set((json_t *)(uintptr_t)document, "operations", operations = json_object());
    for (int versions = 0; versions < 2 && fresh; versions++)
        json_object_foreach(json_object_get(document, "paths"), path,
                            item) if (openapi_ends(path, "/versions") == (versions != 0))
            add_operations(operations, path, item);
    return json_object_get(operations, tag);
}
