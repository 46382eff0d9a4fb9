/* The names of codes of code lists: data/<list>/labels-<edition>.json, each read once for all. */
#include "published/layout.h"
#include "site/model/model_internal.h"

const json_t *model_list_of(const json_t *schema, const char *name)
{
    const json_t *key;
    size_t i;
    json_array_foreach(json_object_get(schema, "odp:foreignKeys"), i, key)
    {
        const json_t *fields = json_object_get(key, "fields"), *to = json_object_get(key, "reference");
        if (json_array_size(fields) == 1 && odp_model_has(fields, name) &&
            *odp_text_of(to, "dataset") != '\0')
            return to;
    }
    return NULL;
}

json_t *model_label(struct model *m, const json_t *schema, const char *name, const char *code)
{
    const json_t *to = model_list_of(schema, name);
    if (to == NULL)
        return NULL;
    const char *path = odp_labels_path(odp_text_of(to, "dataset"), odp_text_of(to, "resource"), &m->arena);
    json_t *labels = NULL;
    if (m->status == ODP_OK)
        m->status = odp_job_read_kept(m->job, path, &labels);
    const json_t *names = json_object_get(labels, "labels");
    json_t *label = json_object_get(names, code) != NULL ? odp_model_both(names, code) : NULL;
    json_decref(labels);
    return label;
}
