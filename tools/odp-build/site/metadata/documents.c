/* Templates of documents, what all of them may ask for, and their way into the stage. */
#include "site/metadata/metadata_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json_load.h"

extern const struct odp_template_text
    odp_documents[]; /* generated of templates/documents; ends with a NULL */
enum { MODELS_MAX = 32 };

/* ---- what every document may ask for ---- */

static json_t *make_portal(struct odp_metadata *m)
{
    static const char *const members[] = {"name", "email", "url", "phone", "address"};
    const struct odp_portal *p = &m->catalog->portal;
    const json_t *contact = json_object_get(p->json, "contact");
    const size_t n = m->catalog->nreleases;
    json_t *of = json_object(), *paths = json_object();
    for (size_t i = 0; i < ODP_COUNT(members); i++)
        odp_set_str(of, members[i], odp_text_of(contact, members[i]));
    if (*odp_text_of(of, "url") == '\0')
        odp_set_str(of, "url", m->base);
    for (int i = 0; i < ODP_PATHS; i++)
        odp_set(paths, odp_path_name((enum odp_path)i),
                json_pack("{s:s, s:s}", "id", odp_path((enum odp_path)i, ODP_LANG_ID), "en",
                          odp_path((enum odp_path)i, ODP_LANG_EN)));
    const bool described = *odp_model_in(p->json, "description", ODP_LANG_ID) != '\0';
    json_t *description = described ? odp_model_both(p->json, "description") : odp_doc_text(&p->title);
    json_t *license = odp_text_is_empty(&p->license_title) ? json_string(odp_or_empty(p->license_name))
                                                           : odp_doc_text(&p->license_title);
    return json_pack("{s:{s:s, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:s}, s:s}, s:o}", "portal", "base", m->base,
                     "title", odp_doc_text(&p->title), "publisher", odp_doc_text(&p->publisher),
                     "legal_basis", odp_doc_text(&p->legal_basis), "description", description, "contact", of,
                     "license", "title", license, "path", odp_or_empty(p->license_path), "issued",
                     n > 0 ? m->catalog->releases[n - 1].date : "", "paths", paths);
}

/* ---- templates ---- */

struct models {
    json_t *names[MODELS_MAX];
    struct odp_template_model list[MODELS_MAX];
    size_t n;
};

static json_t *read_model(const char *path)
{
    const struct odp_template_text *t = odp_documents;
    while (strcmp(t->path, path) != 0)
        t++;
    return odp_json_load((const char *)t->text, strlen((const char *)t->text), JSON_REJECT_DUPLICATES, NULL);
}

/* Adds the pages of LIST, which may ask for their own names and those of ALL. */
static void add_models(struct models *models, json_t *list, json_t *all)
{
    const char *page;
    json_t *own;
    json_object_foreach(list, page, own)
    {
        json_t *names = all != NULL ? json_copy(all) : json_object();
        json_object_update(names, own);
        models->names[models->n] = names;
        models->list[models->n++] = (struct odp_template_model){page, names};
    }
}

static enum odp_status open_templates(struct odp_templates **out, struct odp_diags *diags)
{
    struct models models = {.n = 0};
    json_t *dataset = read_model("model/dataset.json"), *changes = read_model("model/changes.json"),
           *documents = read_model("model/documents.json"), *common = json_object_get(documents, "common"),
           *page = json_pack("{s:O?}", "changes", json_object_get(changes, "names")), *paths = json_object();
    for (int i = 0; i < ODP_PATHS; i++)
        odp_set_str(paths, odp_path_name((enum odp_path)i), "both");
    odp_set(common, "paths", paths);
    add_models(&models, json_object_get(documents, "of_dataset"), json_object_get(dataset, "names"));
    add_models(&models, json_object_get(documents, "others"), NULL);
    add_models(&models, page, NULL);
    const struct odp_templates_options o = {
        .texts = odp_documents, .common = common, .models = models.list, .nmodels = models.n, .proven = true};
    enum odp_status status = odp_templates_open(out, &o, diags);
    for (size_t i = 0; i < models.n; i++)
        json_decref(models.names[i]);
    json_decref(page);
    json_decref(dataset);
    json_decref(changes);
    json_decref(documents);
    return status;
}

enum odp_status odp_metadata_changes(void *diags, const json_t *data, struct odp_buffer *out)
{
    struct odp_templates *templates = NULL;
    enum odp_status status = open_templates(&templates, diags);
    if (status == ODP_OK)
        status = odp_templates_render(templates, "changes", ODP_LANG_ID, &data, 1, out);
    odp_templates_close(templates);
    return status;
}

enum odp_status odp_metadata_open(struct odp_metadata **out, const struct odp_site_job *job)
{
    struct odp_metadata *m = *out = calloc(1, sizeof *m);
    if (m == NULL)
        return odp_failure_set("make", "metadata", ENOMEM);
    m->job = job;
    m->catalog = job->catalog;
    m->base = job->catalog->portal.base_url != NULL ? job->catalog->portal.base_url : "";
    odp_arena_init(&m->arena);
    m->portal = make_portal(m);
    return open_templates(&m->templates, job->diags);
}

void odp_metadata_close(struct odp_metadata *m)
{
    if (m == NULL)
        return;
    metadata_painter_close(m->painter);
    odp_templates_close(m->templates);
    json_decref(m->portal);
    odp_arena_release(&m->arena);
    free(m);
}

/* ---- documents ---- */

json_t *metadata_of_all(const struct odp_metadata *m)
{
    char day[11];
    return json_pack("{s:O, s:s}", "entries", m->job->entries, "modified",
                     odp_model_day(odp_model_newest(m->job), day));
}

const char *metadata_beside_page(struct odp_metadata *m, const char *slug, const char *rest)
{
    return metadata_printf(m, "%s%s%s", odp_path(ODP_PATH_dataset_dir, ODP_LANG_ID), slug, rest);
}

void metadata_render_take(struct odp_metadata *m, const char *page, enum odp_lang lang, json_t *data,
                          struct odp_buffer *out)
{
    const json_t *const scopes[] = {m->portal, data};
    if (m->status == ODP_OK)
        m->status = odp_arena_status(&m->arena);
    if (m->status == ODP_OK)
        m->status = odp_templates_render(m->templates, page, lang, scopes, data != NULL ? 2 : 1, out);
    if (m->status == ODP_OK)
        m->status = odp_buffer_status(out);
    json_decref(data);
}

json_t *metadata_json_take(struct odp_metadata *m, const char *page, enum odp_lang lang, json_t *data)
{
    struct odp_buffer out = {0};
    json_t *value = NULL;
    metadata_render_take(m, page, lang, data, &out);
    if (m->status == ODP_OK && (value = odp_json_load(out.ptr, out.len, 0, NULL)) == NULL)
        m->status = odp_failure_set("read JSON of the template", page, 0);
    odp_buffer_release(&out);
    return value;
}

void metadata_put_take(struct odp_metadata *m, const char *page, const char *path, const char *type,
                       json_t *data)
{
    struct odp_buffer out = {0};
    metadata_render_take(m, page, ODP_LANG_ID, data, &out);
    if (m->status == ODP_OK)
        m->status = odp_stage_put(m->job->stage, path, type, ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    odp_buffer_release(&out);
}

void metadata_put_json_take(struct odp_metadata *m, const char *path, const char *type, json_t *value)
{
    if (m->status == ODP_OK)
        m->status = odp_doc_put_as_take(m->job->stage, path, type, ODP_CLASS_PUBLIC, ODP_DOC_NARROW,
                                        json_incref(value));
    json_decref(value);
}
