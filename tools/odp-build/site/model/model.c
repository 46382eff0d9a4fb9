/* The document of a dataset: the order of its members. */
#include "site/model/model_internal.h"

static void make_table(struct model *m, struct table *t)
{
    if (m->status == ODP_OK)
        m->status = odp_job_schema(m->job, m->slug, t->entry, &t->schema);
    t->preview = model_read(
        m, model_printf(m, "data/%s/%s/%s%s.preview.json", m->slug, m->version, m->slug, t->suffix));
    t->o =
        json_pack("{s:s, s:s, s:s, s:o, s:I, s:s}", "name", t->name, "suffix", t->suffix, "package_name",
                  odp_text_of(t->entry, "package_name"), "heading",
                  odp_model_both_or(t->entry, "title", t->name), "rows", odp_model_number(t->entry, "rows"),
                  "schema", odp_model_path(odp_text_of(t->entry, "schema")));
    if (*odp_text_of(t->entry, "odp:sunset") != '\0')
        odp_set(t->o, "leaving",
                json_pack("{s:s, s:s}", "sunset", odp_text_of(t->entry, "odp:sunset"), "heir",
                          odp_text_of(t->entry, "odp:replacedBy")));
    model_files(m, t);
    model_documents(m, t);
    model_fields(m, t);
    model_slices(m, t);
    model_api(m, t);
    if (m->shown) {
        model_profile(m, t);
        model_preview(m, t);
        model_explore(m, t);
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
    json_array_foreach(json_object_get(m->entry, "resources"), i, entry)
    {
        struct table t = {.entry = entry, .name = odp_text_of(entry, "name"), .suffix = "", .index = i};
        if (i > 0) /* the first one's files have no name of their own */
            t.suffix = model_printf(m, "-%s", t.name);
        make_table(m, &t);
        odp_add(list, t.o);
    }
    odp_set_flag(m->root, "several", json_array_size(list) > 1);
    odp_set(m->root, "resources", list);
}

static enum odp_status make(const struct odp_site_job *job, const json_t *entry, bool shown, json_t **out)
{
    struct model m = {.job = job,
                      .shown = shown,
                      .catalog = job->catalog,
                      .entry = entry,
                      .slug = odp_text_of(entry, "slug"),
                      .version = odp_text_of(entry, "version")};
    odp_arena_init(&m.arena);
    m.root = json_pack("{s:s, s:s, s:[]}", "slug", m.slug, "version", m.version, "lists");
    model_about(&m);
    make_tables(&m);
    model_versions(&m);
    model_score(&m);
    model_cite(&m);
    model_machines(&m);
    odp_arena_release(&m.arena);
    json_decref(m.search);
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
