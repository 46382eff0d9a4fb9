/* What pages that list datasets say of each. */
#include "site/pages/pages_internal.h"

#include "catalog/frequency.h"

/* The paths of a list of strings, or of none. */
static json_t *texts(const json_t *list)
{
    return json_is_array(list) ? json_deep_copy(list) : json_array();
}

static json_t *downloads(const json_t *entry)
{
    const char *format;
    json_t *url, *list = json_array();
    json_object_foreach(json_object_get(entry, "download"), format, url)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s}", "format", format, "path", odp_model_path(json_string_value(url))));
    return list;
}

static void set_staged(const struct portal *p, struct odp_doc *d, json_t *o, const char *key,
                       json_t *path_take)
{
    if (odp_model_is_staged(p->job, json_string_value(path_take)))
        odp_doc_set(d, o, key, json_incref(path_take));
    json_decref(path_take);
}

json_t *portal_card(const struct portal *p, const json_t *entry)
{
    const char *slug = odp_model_text(entry, "slug"), *date = odp_model_text(entry, "last_update"),
               *frequency = odp_model_text(entry, "frequency");
    const char *version = odp_model_text(entry, "version");
    char due[ODP_DATETIME_SIZE];
    struct odp_doc d = {0};
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "slug", slug, "version", version, "date", date, "frequency",
                          *frequency != '\0' ? frequency : "none");
    odp_doc_set(&d, o, "title", odp_model_both(entry, "title"));
    odp_doc_set(&d, o, "text", odp_model_both(entry, "description"));
    odp_doc_set(&d, o, "rows", json_integer(odp_model_number(entry, "rows")));
    odp_doc_set(&d, o, "beside", odp_model_beside(entry));
    odp_doc_set(&d, o, "formats", texts(json_object_get(entry, "formats")));
    odp_doc_set(&d, o, "subjects", texts(json_object_get(entry, "subjects")));
    odp_doc_set(&d, o, "deprecated", json_boolean(strcmp(odp_model_text(entry, "state"), "deprecated") == 0));
    odp_doc_set(&d, o, "downloads", downloads(entry));
    if (odp_frequency_due(date, frequency, due))
        odp_doc_set_str(&d, o, "due", due);
    set_staged(p, &d, o, "differences", json_sprintf("data/%s/%s/changes.html", slug, version));
    set_staged(p, &d, o, "all", json_sprintf("data/%s/versions.json", slug));
    if (!d.failed)
        return o;
    json_decref(o);
    return NULL;
}
