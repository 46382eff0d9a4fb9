/* Pieces that documents share, and their way into the stage. */
#include "site/api/api_internal.h"

#include <ctype.h>

#include "base/json_load.h"

/* ---- texts ---- */

struct odp_text api_both(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    const char *s = json_string_value(v);
    if (s != NULL)
        return (struct odp_text){{s, s}};
    return (struct odp_text){
        {json_string_value(json_object_get(v, "id")), json_string_value(json_object_get(v, "en"))}};
}

const char *api_joined(struct api *a, const struct odp_text *t, const char *separator)
{
    const char *id = odp_text_get(t, ODP_LANG_ID), *en = odp_text_get(t, ODP_LANG_EN);
    return strcmp(id, en) == 0 ? id : api_printf(a, "%s%s%s", id, separator, en);
}

const char *api_camel(struct api *a, const char *id)
{
    char *out = odp_arena_str(&a->arena, id), *w = out;
    for (const char *p = id; *p != '\0'; p++)
        if (*p != '-')
            *w++ = p == id || p[-1] == '-' ? (char)toupper((unsigned char)*p) : *p;
    *w = '\0';
    return out;
}

/* ---- documents ---- */

json_t *api_template(const struct odp_template_text *list, const char *path)
{
    while (strcmp(list->path, path) != 0)
        list++;
    const char *text = (const char *)list->text;
    return odp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL);
}

static void merge(json_t *root, json_t *more)
{
    const char *key;
    json_t *value;
    json_object_foreach(more, key, value)
    {
        json_t *there = json_object_get(root, key);
        if (json_is_object(there) && json_is_object(value))
            merge(there, value);
        else
            odp_set(root, key, json_incref(value));
    }
}

void api_merge_take(json_t *root, json_t *more)
{
    merge(root, more);
    json_decref(more);
}

json_t *api_info(struct api *a, const json_t *words)
{
    static const char *const keys[] = {"name", "email", "url"};
    const struct odp_portal *p = a->portal;
    const json_t *contact = json_object_get(p->json, "contact");
    json_t *to = json_object(), *o = json_pack("{s:s, s:s, s:O}", "title", API_LINE(a, &p->title), "version",
                                               *a->release != '\0' ? a->release : "0", "description",
                                               json_object_get(words, "description"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        odp_set_copy(to, contact, keys[i]);
    if (json_is_object(contact))
        odp_set(o, "contact", json_incref(to));
    json_decref(to);
    if (p->license_name != NULL)
        odp_set(o, "license", json_pack("{s:s, s:s*}", "name", p->license_name, "url", p->license_path));
    return o;
}

json_t *api_document(struct api *a, const char *page, const json_t *about)
{
    const json_t *const scopes[] = {a->model, about};
    struct odp_buffer text = {0};
    json_error_t error;
    json_t *root = NULL;
    if (a->status == ODP_OK)
        a->status = odp_templates_render(a->templates, page, ODP_LANG_EN, scopes, 2, &text);
    if (a->status == ODP_OK &&
        (root = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error)) == NULL)
        a->status =
            odp_failure_set(api_printf(a, "read what is made of %s (line %d)", page, error.line), NULL, 0);
    odp_buffer_release(&text);
    return root;
}

void api_put_take(struct api *a, const char *path, const char *type, json_t *value)
{
    if (a->status == ODP_OK)
        a->status = odp_doc_put_as_take(a->job->stage, path, type, ODP_CLASS_PUBLIC, ODP_DOC_NARROW,
                                        json_incref(value));
    json_decref(value);
}
