/* What stays under latest/: a shorter list of files, or the schemas alone. */
#include "publish/withdraw/withdraw_internal.h"

#include "base/json_load.h"
#include "published/stage.h"
#include "site/versions/release.h"

/* The JSON document F, checked. *OUT is to be freed. BAD: it is none (reported). */
static enum odp_status read_document(const struct withdrawal *w, const struct odp_site_file *f, json_t **out)
{
    struct odp_buffer text = {0};
    enum odp_status status = odp_site_read(w->site, f, &text, w->diags);
    *out = status == ODP_OK ? odp_json_load(text.ptr, text.len, 0, NULL) : NULL;
    odp_buffer_release(&text);
    if (status == ODP_OK && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        status = odp_site_complain(w->diags, odp_site_shown(w->site), f->path, "{…}");
    }
    return status;
}

enum odp_status withdrawal_put_latest(struct withdrawal *w, struct odp_stage *s)
{
    const char *path = odp_arena_printf(w->arena, "data/%s/latest.json", w->o->slug);
    const struct odp_site_file *f = odp_site_find(w->site, path);
    json_t *o;
    if (f == NULL)
        return ODP_OK;
    enum odp_status status = read_document(w, f, &o);
    json_t *files = json_object_get(o, "files");
    for (size_t i = json_array_size(files); i > 0 && status == ODP_OK; i--) {
        const char *name = json_string_value(json_array_get(files, i - 1));
        const char *there =
            odp_arena_printf(w->arena, "data/%s/latest/%s", w->o->slug, name != NULL ? name : "");
        if (odp_stage_find(s, there) == NULL)
            (void)json_array_remove(files, i - 1);
    }
    if (status == ODP_OK)
        return odp_doc_put_take(s, path, o);
    json_decref(o);
    return status;
}

static enum odp_status put_schema(struct withdrawal *w, struct odp_stage *s, const struct odp_site_file *f)
{
    static const char *const measured[] = {"odp:version", "odp:rows", "odp:content"};
    static const char *const extent[] = {"bbox", "odp:bbox"};
    json_t *o;
    enum odp_status status = read_document(w, f, &o);
    if (status != ODP_OK)
        return status;
    for (size_t i = 0; i < ODP_COUNT(measured); i++)
        (void)json_object_del(o, measured[i]);
    for (size_t i = 0; i < ODP_COUNT(extent); i++)
        (void)json_object_del(json_object_get(o, "odp:geometry"), extent[i]);
    return odp_doc_put_take(s, f->path, o);
}

enum odp_status withdrawal_put_schemas(struct withdrawal *w, struct odp_stage *s)
{
    const char *prefix = odp_arena_printf(w->arena, "data/%s/latest/schema", w->o->slug);
    size_t n, len = strlen(prefix);
    const struct odp_site_file *files = odp_site_files(w->site, &n);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *rest = strncmp(files[i].path, prefix, len) == 0 ? files[i].path + len : NULL;
        bool schema = rest != NULL && (*rest == '.' || *rest == '-') && strchr(rest, '/') == NULL &&
                      files[i].encoding == NULL;
        if (schema)
            status = put_schema(w, s, &files[i]);
    }
    return status;
}
