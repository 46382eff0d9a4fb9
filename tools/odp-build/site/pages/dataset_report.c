/* "Laporkan kesalahan data": a letter that is addressed and half written, so that who answers it knows what it is about.
 *
 * A mailto: letter, since the site has no service of its own for them; without a contact whose address is
 * plain the section is left out. */
#include "site/pages/dataset_internal.h"

static void add_line(struct dataset_page *g, struct odp_buffer *out, const char *key, const char *value)
{
    odp_buffer_printf(out, "%s: %s\r\n", dataset_word(g, key), value);
}

const char *dataset_report_address(struct dataset_page *g, const struct dataset_resource *r, const char *file, const char *key)
{
    struct odp_buffer body;
    odp_buffer_init(&body);
    const char *subject = dataset_phrase(g, key != NULL ? "ds_mail_row" : "ds_mail_subject",
                                         odp_arena_printf(g->arena, "%s%s %s", g->slug, r != NULL ? r->suffix : "", g->version), key);
    add_line(g, &body, "ds_mail_dataset", portal_in(g->entry, "title", g->lang));
    if (r != NULL && g->dataset->n > 1)
        add_line(g, &body, "ds_mail_table", r->name);
    add_line(g, &body, "ds_mail_version", g->version);
    if (file != NULL)
        add_line(g, &body, "ds_mail_file", file);
    if (key != NULL)
        add_line(g, &body, "ds_mail_key", key);
    odp_buffer_printf(&body, "%s: %s%s\r\n\r\n", dataset_word(g, "ds_mail_page"), g->p->catalog->portal.base_url, g->path[g->lang]);
    odp_buffer_printf(&body, "%s\r\n\r\n%s\r\n\r\n", dataset_word(g, "ds_mail_wrong"), dataset_word(g, "ds_mail_right"));
    odp_buffer_printf(&body, "%s\r\n", dataset_word(g, "ds_mail_source"));
    const char *text = odp_buffer_status(&body) == ODP_OK ? dataset_percent(odp_buffer_cstr(&body), g->arena) : NULL;
    odp_buffer_release(&body);
    const char *about = subject != NULL ? dataset_percent(subject, g->arena) : NULL;
    if (text == NULL || about == NULL || g->email == NULL)
        return NULL;
    return odp_arena_printf(g->arena, "mailto:%s?subject=%s&body=%s", g->email, about, text);
}

void dataset_report(struct dataset_page *g, json_t *data)
{
    if (g->email == NULL)
        return;
    json_t *o = json_object(), *files = json_array();
    for (size_t i = 0; i < g->dataset->n; i++) {
        const struct dataset_resource *r = &g->dataset->resources[i];
        const json_t *list = json_object_get(r->entry, "files");
        for (size_t k = 0; k < json_array_size(list); k++) {
            const char *path = dataset_site_path(portal_text(json_array_get(list, k), "url")), *name = strrchr(path, '/');
            json_t *one = json_object();
            dataset_set(g, one, "name", name != NULL ? name + 1 : path);
            dataset_set(g, one, "href", dataset_report_address(g, r, path, NULL));
            odp_doc_add(&g->d, files, one);
        }
    }
    dataset_set(g, o, "email", g->email);
    dataset_set(g, o, "href", dataset_report_address(g, NULL, NULL, NULL));
    odp_doc_set(&g->d, o, "files", files);
    odp_doc_set(&g->d, data, "report", o);
}
