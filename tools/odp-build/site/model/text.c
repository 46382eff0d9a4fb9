/* Members of documents, and values as people read them. */
#include "site/model/model_internal.h"

#include "base/datetime.h"

const char *odp_model_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

const char *odp_model_in(const json_t *o, const char *key, enum odp_lang lang)
{
    const json_t *text = json_object_get(o, key);
    if (!json_is_object(text))
        return odp_model_text(o, key);
    const char *id = odp_model_text(text, "id"), *en = odp_model_text(text, "en");
    const char *mine = lang == ODP_LANG_ID ? id : en;
    return *mine != '\0' ? mine : lang == ODP_LANG_ID ? en : id;
}

json_int_t odp_model_number(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

bool odp_model_has(const json_t *list, const char *text)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
        if (json_is_string(one) && strcmp(json_string_value(one), text) == 0)
            return true;
    return false;
}

const json_t *odp_model_find(const json_t *list, const char *key, const char *text)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
        if (strcmp(odp_model_text(one, key), text) == 0)
            return one;
    return NULL;
}

const char *odp_model_path(const char *url)
{
    while (strncmp(url, "../", 3) == 0)
        url += 3;
    return url;
}

json_t *odp_model_both(const json_t *o, const char *key)
{
    return json_pack("{s:s, s:s}", "id", odp_model_in(o, key, ODP_LANG_ID), "en",
                     odp_model_in(o, key, ODP_LANG_EN));
}

json_t *odp_model_beside(const json_t *of)
{
    const json_t *resources = json_object_get(of, "resources"), *r;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(resources, i, r)
        if (i > 0)
            (void)json_array_append_new(list, json_pack("{s:s, s:I}", "name", odp_model_text(r, "name"),
                                                        "rows", odp_model_number(r, "rows")));
    return list;
}

json_t *odp_model_changes(const json_t *version)
{
    const json_t *r;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(version, "resources"), i, r) {
        const json_t *c = json_object_get(r, "changes");
        if (json_is_object(c))
            (void)json_array_append_new(
                list,
                json_pack("{s:s, s:s, s:I, s:I, s:I}", "further", i > 0 ? odp_model_text(r, "name") : "",
                          "from", odp_model_text(c, "from"), "added", odp_model_number(c, "added"), "removed",
                          odp_model_number(c, "removed"), "changed", odp_model_number(c, "changed")));
    }
    return list;
}

const char *odp_model_day(const char *date, char out[11])
{
    struct odp_datetime d;
    (void)snprintf(out, 11, "%.10s", date);
    if (odp_date_parse(odp_slice_of(out), ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        *out = '\0';
    return out;
}

/* ---- inside ----------------------------------------------------------------------------------------- */

const char *model_scalar(struct model *m, const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return model_printf(m, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return model_printf(m, "%.15g", json_real_value(value));
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    return "";
}

bool model_is_number(const json_t *field)
{
    const char *type = odp_model_text(field, "type");
    return strcmp(type, "number") == 0 || strcmp(type, "integer") == 0;
}

static json_t *number_in_words(struct model *m, struct odp_slice text)
{
    struct odp_buffer in[ODP_LANGS];
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_init(&in[lang]);
        odp_text_decimal(&in[lang], text, (enum odp_lang)lang);
    }
    json_t *both = json_pack("{s:s, s:s}", "id", odp_buffer_cstr(&in[ODP_LANG_ID]), "en",
                             odp_buffer_cstr(&in[ODP_LANG_EN]));
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        m->doc.failed = m->doc.failed || in[lang].failed;
        odp_buffer_release(&in[lang]);
    }
    return both;
}

json_t *model_shown(struct model *m, const json_t *field, const char *text)
{
    const json_t *category;
    size_t i;
    json_array_foreach(json_object_get(field, "categories"), i, category)
        if (json_object_get(category, "odp:label") != NULL &&
            strcmp(model_scalar(m, json_object_get(category, "value")), text) == 0)
            return odp_model_both(category, "odp:label");
    if (model_is_number(field))
        return number_in_words(m, odp_slice_of(text));
    if (strcmp(odp_model_text(field, "type"), "boolean") == 0)
        return strcmp(text, "true") == 0 ? json_pack("{s:s, s:s}", "id", "ya", "en", "yes")
                                         : json_pack("{s:s, s:s}", "id", "tidak", "en", "no");
    return json_string(text);
}

const json_t *model_field(const json_t *schema, const char *name)
{
    return odp_model_find(json_object_get(schema, "fields"), "name", name);
}

json_t *model_other(struct model *m, const char *slug)
{
    const json_t *entry = odp_model_find(m->job->entries, "slug", slug);
    return entry != NULL ? json_pack("{s:o, s:s}", "title", odp_model_both(entry, "title"), "slug", slug)
                         : json_pack("{s:s, s:s}", "title", slug, "slug", "");
}
