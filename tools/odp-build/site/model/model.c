/* The document of a dataset: what is read for it, and the order of its members. */
#include "site/model/model_internal.h"

#include <errno.h>

#include "base/json_load.h"

enum {
    PREVIEW_MAX = 1 << 20,
    PREVIEW_ROWS = 50 /* more than are shown: an example of a filter wants a value that is there */
};

static json_t *read_preview(struct model *m, const char *path)
{
    struct odp_buffer text, cut;
    json_t *preview = NULL;
    if (m->status != ODP_OK)
        return NULL;
    odp_buffer_init(&text);
    odp_buffer_init(&cut);
    enum odp_status status =
        odp_stage_read(m->job->stage, path, PREVIEW_MAX, m->job->previous, &text, m->job->diags);
    if (status == ODP_OK) {
        model_preview_cut(odp_buffer_slice(&text), PREVIEW_ROWS, &cut);
        status = odp_buffer_status(&cut);
    }
    if (status == ODP_OK && (preview = odp_json_load(cut.ptr, cut.len, JSON_REJECT_DUPLICATES, NULL)) == NULL)
        status = odp_failure_set("read JSON", path, 0);
    odp_buffer_release(&text);
    odp_buffer_release(&cut);
    m->status = status == ODP_DONE ? ODP_OK : status;
    return preview;
}

/* In today's words, which may have changed since the version was published; else as the version has it. */
static json_t *read_schema(struct model *m, const char *url)
{
    const char *name = strrchr(url, '/');
    json_t *schema = name != NULL ? model_read(m, model_printf(m, "data/%s/latest%s", m->slug, name)) : NULL;
    return schema == NULL && name != NULL ? model_read(m, odp_model_path(url)) : schema;
}

static void make_table(struct model *m, struct table *t)
{
    const json_t *title = json_object_get(t->entry, "title");
    t->schema = read_schema(m, odp_model_text(t->entry, "schema"));
    t->preview = read_preview(
        m, model_printf(m, "data/%s/%s/%s%s.preview.json", m->slug, m->version, m->slug, t->suffix));
    set_text(m, t->o, "name", t->name);
    set_text(m, t->o, "suffix", t->suffix);
    set_text(m, t->o, "package_name", odp_model_text(t->entry, "package_name"));
    set(m, t->o, "heading",
        title != NULL && *odp_model_in(t->entry, "title", ODP_LANG_ID) != '\0'
            ? odp_model_both(t->entry, "title")
            : json_string(t->name));
    set_number(m, t->o, "rows", odp_model_number(t->entry, "rows"));
    if (*odp_model_text(t->entry, "odp:sunset") != '\0')
        set(m, t->o, "leaving",
            json_pack("{s:s, s:s}", "sunset", odp_model_text(t->entry, "odp:sunset"), "heir",
                      odp_model_text(t->entry, "odp:replacedBy")));
    set_text(m, t->o, "schema", odp_model_path(odp_model_text(t->entry, "schema")));
    model_files(m, t);
    model_documents(m, t);
    model_fields(m, t);
    model_slices(m, t);
    model_api(m, t);
    if (m->shown) {
        model_preview(m, t);
        model_charts(m, t);
        model_map(m, t);
    }
    json_decref(t->schema);
    json_decref(t->preview);
}

static void make_tables(struct model *m)
{
    const json_t *entry;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(json_object_get(m->entry, "resources"), i, entry) {
        struct table t = {.entry = entry,
                          .name = odp_model_text(entry, "name"),
                          .suffix = "",
                          .index = i,
                          .o = json_object()};
        if (i > 0) /* the first one's files have no name of their own */
            t.suffix = model_printf(m, "-%s", t.name);
        make_table(m, &t);
        odp_doc_add(&m->doc, list, t.o);
    }
    set_flag(m, m->root, "several", json_array_size(list) > 1);
    set(m, m->root, "resources", list);
}

static enum odp_status make(const struct odp_site_job *job, const json_t *entry, bool shown, json_t **out)
{
    struct model m = {.job = job,
                      .shown = shown,
                      .catalog = job->catalog,
                      .entry = entry,
                      .slug = odp_model_text(entry, "slug"),
                      .version = odp_model_text(entry, "version")};
    odp_arena_init(&m.arena);
    m.root = json_object();
    set_text(&m, m.root, "slug", m.slug);
    set_text(&m, m.root, "version", m.version);
    model_about(&m);
    make_tables(&m);
    model_versions(&m);
    model_score(&m);
    model_cite(&m);
    model_machines(&m);
    if (odp_arena_status(&m.arena) != ODP_OK)
        m.doc.failed = true;
    odp_arena_release(&m.arena);
    if (m.status == ODP_OK && m.doc.failed)
        m.status = odp_failure_set("make", m.slug, ENOMEM);
    if (m.status != ODP_OK)
        json_decref(m.root);
    *out = m.status == ODP_OK ? m.root : NULL;
    return m.status;
}

enum odp_status odp_model_dataset(const struct odp_site_job *job, const json_t *entry, json_t **out)
{
    return make(job, entry, false, out);
}

enum odp_status odp_model_dataset_shown(const struct odp_site_job *job, const json_t *entry, json_t **out)
{
    return make(job, entry, true, out);
}
