/* For the tests of templates: folders in a temporary place, a model, a page rendered, faults as text.
 * Included by one program each. */
#pragma once
#include "run.h"

#include <unistd.h>

#include "base/file.h"
#include "base/template/template.h"

struct set {
    char dir[FRESH_FOLDER];
    struct odp_templates *t;
    struct odp_diags *diags;
    struct odp_buffer faults, out;
    const char *common, *model; /* JSON; of the pages p and q */
    bool proven;
};

#define COMMON                                                                                               \
    "{\"root\": \"text\", \"site\": {\"title\": \"text\", \"license\": {\"?\": true, \"name\": \"text\", "   \
    "\"path\": \"text?\"}}}"
#define MODEL                                                                                                \
    "{\"t\": \"text\", \"u\": \"text\", \"o\": \"text?\", \"f\": \"flag\", \"g\": \"flag\", \"h\": "         \
    "\"html\", \"j\": \"json\", \"k\": \"json?\", "                                                          \
    "\"obj\": {\"name\": \"text\", \"t\": \"text?\", \"in\": {\"deep\": \"text\"}}, \"opt\": {\"?\": true, " \
    "\"name\": \"text\"}, "                                                                                  \
    "\"list\": [\"text\"], \"rows\": [{\"name\": \"text\", \"t\": \"text?\", \"last\": \"flag\", "           \
    "\"cells\": [\"text\"]}]}"

static inline void set_init(struct set *s)
{
    *s = (struct set){.common = COMMON, .model = MODEL};
    fresh_folder(s->dir, "template");
    odp_buffer_init(&s->faults);
    odp_buffer_init(&s->out);
}

static inline void set_close(struct set *s)
{
    odp_templates_close(s->t);
    odp_diags_free(s->diags);
    s->t = NULL;
    s->diags = NULL;
}

static inline void set_release(struct set *s)
{
    set_close(s);
    odp_buffer_release(&s->faults);
    odp_buffer_release(&s->out);
    must(odp_dir_remove(s->dir));
}

static inline void set_put(const struct set *s, const char *path, const char *text, size_t len)
{
    put_below(s->dir, path, text, len);
}

static inline void set_write(const struct set *s, const char *path, const char *text)
{
    set_put(s, path, text, strlen(text));
}

static inline void set_remove(const struct set *s, const char *path)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", s->dir, path);
    assert_int_equal(remove(full), 0);
}

/* Folders "own" and "ours"; faults become lines: "own/pages/p.html 1:5 text | expected | proposal | mark". */
static inline enum odp_status set_open_as(struct set *s, enum odp_lang lang)
{
    char own[96], ours[96];
    const char *folders[] = {own, ours};
    set_close(s);
    snprintf(own, sizeof own, "%s/own", s->dir);
    snprintf(ours, sizeof ours, "%s/ours", s->dir);
    json_t *common = json_loads(s->common, 0, NULL), *model = json_loads(s->model, 0, NULL);
    assert_non_null(common);
    assert_non_null(model);
    const struct odp_template_model models[] = {{"p", model}, {"q", model}};
    const struct odp_templates_options o = {.folders = folders,
                                            .nfolders = 2,
                                            .common = common,
                                            .models = models,
                                            .nmodels = 2,
                                            .proven = s->proven};
    must(odp_diags_new(&s->diags, 100));
    enum odp_status status = odp_templates_open(&s->t, &o, s->diags);
    json_decref(common);
    json_decref(model);
    odp_buffer_clear(&s->faults);
    size_t n;
    const struct odp_diag_group *const *groups = odp_diags_groups(s->diags, &n);
    for (size_t g = 0; g < n; g++)
        for (const struct odp_diag_node *e = groups[g]->examples; e != NULL; e = e->next) {
            const struct odp_diag *d = &e->diag;
            assert_int_equal(d->code, ODP_C25);
            odp_buffer_printf(&s->faults, "%s%s", d->severity == ODP_SEVERITY_WARNING ? "warning " : "",
                              d->file + strlen(s->dir) + 1);
            if (d->line > 0)
                odp_buffer_printf(&s->faults, " %d:%d", (int)d->line, (int)d->column);
            odp_buffer_printf(&s->faults, " %s", d->message->in[lang]);
            if (d->args[0].len > 0)
                odp_buffer_printf(&s->faults, " | %.*s", (int)d->args[0].len, d->args[0].ptr);
            if (d->proposal.len > 0)
                odp_buffer_printf(&s->faults, " => %.*s", (int)d->proposal.len, d->proposal.ptr);
            if (d->line > 0)
                odp_buffer_printf(&s->faults, " [%.*s]", (int)d->mark_len, d->source.ptr + d->mark_start);
            odp_buffer_add_char(&s->faults, '\n');
        }
    return status;
}

static inline enum odp_status set_open(struct set *s)
{
    return set_open_as(s, ODP_LANG_EN);
}

/* Page p with DATA as JSON. */
static inline enum odp_status set_render_page(struct set *s, const char *page, enum odp_lang lang,
                                              const char *data)
{
    static const char common[] = "{\"root\": \"../\", \"site\": {\"title\": \"Data & Kita\"}}";
    json_t *site = json_loads(common, 0, NULL), *own = json_loads(data, 0, NULL);
    assert_non_null(site);
    assert_non_null(own);
    const json_t *scopes[] = {site, own};
    odp_buffer_clear(&s->out);
    enum odp_status status = odp_templates_render(s->t, page, lang, scopes, 2, &s->out);
    json_decref(site);
    json_decref(own);
    return status;
}
