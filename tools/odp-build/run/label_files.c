/* What codes mean, for pages and programs that are made of published files: one file an edition, without
 * versions, because a name that is mended is mended everywhere. */
#include "base/json.h"
#include "published/layout.h"
#include "published/stage.h"
#include "run/build_internal.h"

/* "en" where it says something else. */
static void add_text(struct odp_buffer *out, const char *before, const struct odp_text *text)
{
    const char *id = odp_text_get(text, ODP_LANG_ID), *en = odp_text_get(text, ODP_LANG_EN);
    odp_buffer_add_str(out, before);
    odp_json_add_str(out, "{\"id\":", id);
    if (strcmp(id, en) != 0)
        odp_json_add_str(out, ",\"en\":", en);
    odp_buffer_add_char(out, '}');
}

static enum odp_status put_edition(struct build *b, const struct odp_code_list *list, struct odp_arena *a)
{
    const struct odp_resource *r = list->resource;
    const char *path = odp_labels_path(r->dataset->slug, r->edition, a);
    const struct odp_text title = {
        {odp_text_get(&r->dataset->title, ODP_LANG_ID), odp_text_get(&r->dataset->title, ODP_LANG_EN)}};
    struct odp_buffer out = {0};
    size_t n;
    const struct odp_code_label *all = odp_code_lists_all(b->run.codes, list, a, &n);
    const char *before = "";
    odp_json_add_str(&out, "{\"list\":", r->dataset->slug);
    odp_json_add_str(&out, ",\"edition\":", r->edition);
    add_text(&out, ",\"title\":", &title);
    odp_buffer_add_str(&out, ",\"labels\":{");
    for (size_t i = 0; i < n; i++) {
        if (odp_text_is_empty(&all[i].text))
            continue;
        odp_json_add_slice(&out, before, all[i].code);
        add_text(&out, ":", &all[i].text);
        before = ",\n";
    }
    odp_buffer_add_str(&out, "}}\n");
    enum odp_status status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status =
            odp_stage_put(b->run.stage, path, "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&out));
    odp_buffer_release(&out);
    return status;
}

static bool is_of(const void *ctx, const struct odp_site_file *f)
{
    const char *prefix = ctx;
    return strncmp(f->path, prefix, strlen(prefix)) == 0;
}

static enum odp_status carry(struct build *b, const struct odp_dataset *d, struct odp_arena *a)
{
    const char *prefix = odp_arena_printf(a, "data/%s/labels-", d->slug);
    return b->run.previous != NULL ? odp_stage_carry_if(b->run.stage, b->run.previous, d->slug, is_of, prefix,
                                                        b->run.result->diags)
                                   : ODP_OK;
}

enum odp_status odp_build_labels(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    enum odp_status status = ODP_OK;
    for (size_t i = c->ndatasets - c->nlists; i < c->ndatasets && status == ODP_OK; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        struct odp_arena arena = {0};
        bool read = !odp_run_rejected(&b->run, d) && !b->parts[i].held;
        if (d->state == ODP_STATE_WITHDRAWN)
            continue;
        for (size_t k = 0; k < d->nresources; k++)
            read = read && b->run.tasks[d->resources[k].index].read;
        if (!read)
            status = carry(b, d, &arena);
        for (size_t k = 0; read && k < d->nresources && status == ODP_OK; k++) {
            const struct odp_code_list *list = odp_code_lists_edition(b->run.codes, &d->resources[k]);
            status = list != NULL ? put_edition(b, list, &arena) : ODP_OK;
        }
        odp_arena_release(&arena);
    }
    return status;
}
