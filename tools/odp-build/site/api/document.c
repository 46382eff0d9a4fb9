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

const char *api_joined(struct odp_api *a, const struct odp_text *t, const char *separator)
{
    const char *id = odp_text_get(t, ODP_LANG_ID), *en = odp_text_get(t, ODP_LANG_EN);
    return strcmp(id, en) == 0 ? id : api_printf(a, "%s%s%s", id, separator, en);
}

const char *api_camel(struct odp_api *a, const char *id)
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

json_t *api_info(struct odp_api *a, const json_t *words)
{
    static const char *const keys[] = {"name", "email", "url"};
    const struct odp_portal *p = a->portal;
    const json_t *contact = json_object_get(p->json, "contact");
    json_t *to = json_object(), *o = json_pack("{s:s, s:s, s:O}", "title", API_LINE(a, &p->title), "version",
                                               *a->release != '\0' ? a->release : "0", "description",
                                               json_object_get(words, "description"));
    for (size_t i = 0; i < ODP_COUNT(keys); i++)
        odp_set_copy(to, contact, keys[i]);
    if (json_is_object(contact))
        odp_set(o, "contact", json_incref(to));
    json_decref(to);
    if (p->license_name != NULL)
        odp_set(o, "license", json_pack("{s:s, s:s*}", "name", p->license_name, "url", p->license_path));
    return o;
}

json_t *api_document(struct odp_api *a, const char *page, const json_t *about)
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

void api_put_take(struct odp_api *a, const char *path, const char *type, json_t *value)
{
    if (a->status == ODP_OK)
        a->status = odp_doc_put_as_take(a->job->stage, path, type, ODP_CLASS_PUBLIC, ODP_DOC_NARROW,
                                        json_incref(value));
    json_decref(value);
}

/* ---- documents of the whole, put together of their datasets' texts ---- */

/* Where a text stands: how deep, and whether it is members of an object or an item of an array. */
static const struct place {
    int depth;
    bool members;
} places[API_TEXTS] = {[API_TAG] = {2, false},        [API_OWN_PATHS] = {2, true}, [API_PATHS] = {2, true},
                       [API_PARAMETERS] = {3, true},  [API_RESPONSES] = {3, true}, [API_SCHEMAS] = {3, true},
                       [API_COLLECTION] = {2, false}, [API_OGC_PATHS] = {2, true}};

void api_add_text(struct odp_api *a, struct odp_buffer *out, enum api_text text, const json_t *value)
{
    const struct place *p = &places[text];
    struct odp_buffer json = {0};
    const size_t depth = (size_t)p->depth,
                 frame = 2 * depth + 3; /* "{\n", DEPTH spaces … "\n", one less, "}" */
    if (a->status == ODP_OK && value != NULL)
        a->status = odp_doc_print_within(&json, value, p->members ? p->depth - 1 : p->depth);
    if (!p->members)
        odp_buffer_add_slice(out, odp_buffer_slice(&json));
    else if (json.len > frame)
        odp_buffer_add(out, json.ptr + 2 + depth, json.len - frame);
    odp_buffer_add_char(out, '\0');
    odp_buffer_release(&json);
}

const char *api_text_at(const struct odp_api *a, enum api_text text, size_t i)
{
    if (text < API_OF_DATASET)
        return i < a->ndatasets ? a->datasets[i].texts[text] : NULL;
    return i < a->n ? a->shown[i]->texts[text] : NULL;
}

json_t *api_texts(const struct odp_api *a, enum api_text text)
{
    json_t *list = json_array();
    const char *one;
    for (size_t i = 0; (one = api_text_at(a, text, i)) != NULL; i++)
        if (*one != '\0')
            odp_add(list, json_string(one));
    return list;
}

/* What marks the place of TEXT: a line of the document, and no line of a text that JSON holds begins so. */
static const char *mark_of(struct odp_api *a, enum api_text text)
{
    return api_printf(a, "\n%*s\"@%d\"%s", places[text].depth, "", (int)text,
                      places[text].members ? ": null" : "");
}

void api_leave_place(struct odp_api *a, json_t *container, enum api_text text)
{
    const char *one, *name = api_printf(a, "@%d", (int)text);
    bool any = false;
    for (size_t i = 0; !any && (one = api_text_at(a, text, i)) != NULL; i++)
        any = *one != '\0';
    if (any && places[text].members)
        odp_set(container, name, json_null());
    else if (any)
        odp_add(container, json_string(name));
}

/* Appends the texts of TEXT as they stand in a document, divided by commas. */
static void add_all(struct odp_api *a, enum api_text text, struct odp_buffer *out)
{
    const char *one, *between = "\n";
    for (size_t i = 0; (one = api_text_at(a, text, i)) != NULL; i++)
        if (*one != '\0') {
            odp_buffer_printf(out, "%s%*s", between, places[text].depth, "");
            odp_buffer_add_str(out, one);
            between = ",\n";
        }
}

void api_put_filled(struct odp_api *a, const char *path, const char *type, const char *frame)
{
    struct odp_buffer out = {0};
    for (enum api_text text = 0; text < API_ROW; text++) {
        const char *mark = mark_of(a, text), *at = strstr(frame, mark);
        if (at == NULL)
            continue;
        odp_buffer_add(&out, frame, (size_t)(at - frame));
        add_all(a, text, &out);
        frame = at + strlen(mark);
    }
    odp_buffer_add_str(&out, frame);
    odp_buffer_add_char(&out, '\n');
    if (a->status == ODP_OK)
        a->status = odp_buffer_status(&out);
    if (a->status == ODP_OK)
        a->status = odp_stage_put(a->job->stage, path, type, ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    odp_buffer_release(&out);
}

void api_put_filled_take(struct odp_api *a, const char *path, const char *type, json_t *value)
{
    struct odp_buffer frame = {0};
    if (a->status == ODP_OK)
        a->status = odp_doc_print(&frame, value, ODP_DOC_NARROW);
    api_put_filled(a, path, type, odp_buffer_cstr(&frame));
    odp_buffer_release(&frame);
    json_decref(value);
}
