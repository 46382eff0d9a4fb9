/* Pieces that documents share, and their way into the stage. */
#include "site/api/api_internal.h"

#include <errno.h>

#include "base/json_load.h"

json_t *api_template(struct api *a, const struct odp_template_text *list, const char *path)
{
    while (list->path != NULL && strcmp(list->path, path) != 0)
        list++;
    json_t *root = list->path != NULL
                       ? odp_json_load((const char *)list->text, strlen((const char *)list->text),
                                       JSON_REJECT_DUPLICATES, NULL)
                       : NULL;
    a->doc.failed = a->doc.failed || root == NULL;
    return root;
}

static void merge(struct api *a, json_t *root, json_t *more)
{
    const char *key;
    json_t *value;
    json_object_foreach(more, key, value)
    {
        json_t *there = json_object_get(root, key);
        if (json_is_object(there) && json_is_object(value))
            merge(a, there, value);
        else
            odp_doc_set(&a->doc, root, key, json_incref(value));
    }
}

void api_merge_take(struct api *a, json_t *root, json_t *more)
{
    merge(a, root, more);
    json_decref(more);
}

json_t *api_info(struct api *a, const json_t *words)
{
    const struct odp_portal *p = &a->catalog->portal;
    const json_t *contact = json_object_get(p->json, "contact");
    json_t *o = json_object();
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &p->title, " / "));
    odp_doc_set_str(&a->doc, o, "version", *a->release != '\0' ? a->release : "0");
    odp_doc_copy(&a->doc, o, words, "description");
    if (json_is_object(contact)) {
        static const char *const keys[] = {"name", "email", "url"};
        json_t *to = json_object();
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            odp_doc_copy(&a->doc, to, contact, keys[i]);
        odp_doc_set(&a->doc, o, "contact", to);
    }
    if (p->license_name != NULL) {
        json_t *to = json_object();
        odp_doc_set_str(&a->doc, to, "name", p->license_name);
        if (p->license_path != NULL)
            odp_doc_set_str(&a->doc, to, "url", p->license_path);
        odp_doc_set(&a->doc, o, "license", to);
    }
    return o;
}

static enum odp_status put(struct api *a, const char *path, const char *type, struct odp_buffer *out)
{
    enum odp_status status = path != NULL ? odp_buffer_status(out) : ODP_FAIL;
    return status == ODP_OK ? odp_stage_put(a->stage, path, type, ODP_CLASS_PUBLIC, odp_buffer_slice(out))
                            : status;
}

enum odp_status api_put_take(struct api *a, const char *path, const char *type, json_t *value)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    enum odp_status status = a->doc.failed
                                 ? odp_failure_set("write JSON", path, ENOMEM)
                                 : odp_doc_print(&out, value, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    odp_buffer_add_char(&out, '\n');
    if (status == ODP_OK)
        status = put(a, path, type, &out);
    odp_buffer_release(&out);
    json_decref(value);
    return status;
}

enum odp_status api_put_page(struct api *a, const char *path, struct odp_buffer *html)
{
    enum odp_status status = a->doc.failed ? odp_failure_set("write a page", path, ENOMEM)
                                           : put(a, path, "text/html; charset=utf-8", html);
    odp_buffer_clear(html);
    return status;
}
