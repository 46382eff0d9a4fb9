/* simple/: the Simple repository API of Python (PEP 503, 658, 714) as pages, which is the one form that a
 * plain web server can give. */
#include "site/clients/index_internal.h"

struct pip {
    struct client_listing *l;
    struct odp_templates *templates;
    const char **folders; /* "odp-client" of each package */
};

/* Names that differ in their signs alone are one folder. */
static const char *folder_of(struct client_listing *l, const json_t *package)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    client_normal(&out, client_index_text(package, "name"), '-');
    const char *name = odp_arena_str(l->arena, odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return name;
}

static bool is_first(const struct pip *p, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(p->folders[i], p->folders[at]) == 0)
            return false;
    return true;
}

/* Writes the page of ITEMS, which are taken. */
static enum odp_status put_page_take(struct pip *p, const char *path, const char *title, json_t *items)
{
    struct odp_buffer out;
    json_t *model = json_pack("{s:s, s:o}", "title", title, "items", items);
    const json_t *scope = model;
    odp_buffer_init(&out);
    enum odp_status status =
        model != NULL && !p->l->doc.failed
            ? odp_templates_render(p->templates, "python/simple/index.html", ODP_LANG_EN, &scope, 1, &out)
            : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_stage_put(p->l->job->stage, path, "text/html; charset=utf-8", ODP_CLASS_PUBLIC,
                               odp_buffer_slice(&out));
    json_decref(model);
    odp_buffer_release(&out);
    return status;
}

/* The attribute of PEP 714 alone: pip before 23.2 reads the older one (data-dist-info-metadata), and then
 * refuses a name that the user spells another way. */
static json_t *make_item(const json_t *package)
{
    const char *file = client_index_text(package, "file"), *name = strrchr(file, '/');
    return json_pack("{s:o, s:s, s:s, s:s}", "href",
                     json_sprintf("../../%s#sha256=%s", file, client_index_text(package, "sha256")), "name",
                     name != NULL ? name + 1 : file, "requires",
                     client_index_text(package, "requires_python"), "metadata",
                     client_index_text(package, "metadata"));
}

static enum odp_status put_package(struct pip *p, size_t at)
{
    json_t *items = json_array();
    for (size_t i = 0; i < p->l->n; i++)
        if (strcmp(p->folders[i], p->folders[at]) == 0)
            odp_doc_add(&p->l->doc, items, make_item(p->l->list[i]));
    return put_page_take(p, odp_arena_printf(p->l->arena, "simple/%s/index.html", p->folders[at]),
                         p->folders[at], items);
}

enum odp_status client_index_pip(struct client_listing *l)
{
    struct pip p = {.l = l, .folders = odp_arena_zero(l->arena, l->n + 1, sizeof *p.folders)};
    json_t *root = json_array();
    enum odp_status status = client_templates_open(&p.templates, NULL, l->arena, l->job->diags);
    for (size_t i = 0; i < l->n; i++)
        p.folders[i] = folder_of(l, l->list[i]);
    for (size_t i = 0; i < l->n && status == ODP_OK; i++) {
        if (!is_first(&p, i))
            continue;
        odp_doc_add(&l->doc, root,
                    json_pack("{s:o, s:s}", "href", json_sprintf("%s/", p.folders[i]), "name", p.folders[i]));
        status = put_package(&p, i);
    }
    if (status == ODP_OK)
        status = put_page_take(&p, "simple/index.html", "Python packages", root);
    else
        json_decref(root);
    odp_templates_close(p.templates);
    return status;
}
