/* All pages and feeds: templates, assets and theme are opened once, then every line of pages.def makes its
 * pages in both languages. */
#include "base/json_load.h"
#include "base/path.h"
#include "site/clients/client.h"
#include "site/pages/pages_internal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- templates -------------------------------------------------------------------------------------- */

struct model_text {
    const char *name; /* "site", "home" … */
    const unsigned char *json;
};
extern const struct model_text odp_portal_models[]; /* generated of templates/portal/model; ends with NULL */

/* "paths" and "assets" of the common model name what there is. */
static enum odp_status complete_common(const struct portal *p, json_t *common)
{
    struct odp_doc d = {0};
    json_t *paths = json_object_get(common, "paths"), *assets = json_object_get(common, "assets");
    const char *key;
    json_t *value;
    for (int i = 0; i < ODP_PATHS; i++)
        odp_doc_set_str(&d, paths, odp_path_name((enum odp_path)i), "text");
    json_object_foreach(p->assets, key, value)
        odp_doc_set(&d, assets, key, json_pack("{s:s, s:s}", "path", "text", "integrity", "text"));
    return d.failed ? odp_failure_set("make", "templates", ENOMEM) : ODP_OK;
}

#define MODELS_MAX 64
struct models {
    json_t *documents[MODELS_MAX];
    size_t ndocuments;
    struct odp_template_model list[MODELS_MAX];
    size_t n;
    json_t *common;
};

static enum odp_status read_models(struct models *m)
{
    for (const struct model_text *t = odp_portal_models; t->name != NULL; t++) {
        json_t *document = m->ndocuments < MODELS_MAX
                               ? odp_json_load((const char *)t->json, strlen((const char *)t->json),
                                               JSON_REJECT_DUPLICATES, NULL)
                               : NULL;
        if (document == NULL)
            return odp_failure_set("read the model", t->name, ENOMEM);
        m->documents[m->ndocuments++] = document;
        if (strcmp(t->name, "site") == 0) {
            m->common = document;
            continue;
        }
        const json_t *pages = json_object_get(document, "pages");
        for (size_t i = 0; i < json_array_size(pages) && m->n < MODELS_MAX; i++)
            m->list[m->n++] = (struct odp_template_model){json_string_value(json_array_get(pages, i)),
                                                          json_object_get(document, "names")};
    }
    return m->common != NULL ? ODP_OK : odp_failure_set("read the model", "site", 0);
}

/* The engine holds files against this folder; that the folder itself is no link out of the catalogue only we
 * can know. */
static enum odp_status stays_inside(const struct portal *p, const char *folder)
{
    if (odp_path_is_inside(p->catalog->dir, folder))
        return ODP_OK;
    struct odp_diag diag = {.code = ODP_C36, .file = folder};
    return odp_diags_add(p->job->diags, &diag) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status open_templates(struct portal *p)
{
    struct models models = {0};
    const char *folders[] = {odp_path_join(&p->arena, p->catalog->dir, "templates"), p->catalog->share};
    enum odp_status status = folders[0] != NULL ? stays_inside(p, folders[0]) : ODP_FAIL;
    if (status == ODP_OK)
        status = read_models(&models);
    if (status == ODP_OK)
        status = complete_common(p, models.common);
    if (status == ODP_OK) {
        const struct odp_templates_options o = {.folders = folders,
                                                .nfolders = 2,
                                                .common = models.common,
                                                .models = models.list,
                                                .nmodels = models.n};
        status = odp_templates_open(&p->templates, &o, p->job->diags);
    }
    for (size_t i = 0; i < models.ndocuments; i++)
        json_decref(models.documents[i]);
    return status;
}

/* ---- what every page has ---- */

static void set_license(struct odp_doc *d, json_t *site, const struct odp_portal *portal, enum odp_lang lang)
{
    if (portal->license_name == NULL)
        return;
    json_t *license = json_object();
    odp_doc_set_str(d, license, "name", portal->license_name);
    odp_doc_set_str(d, license, "title",
                    odp_text_is_empty(&portal->license_title) ? portal->license_name
                                                              : odp_text_get(&portal->license_title, lang));
    if (portal->license_path != NULL)
        odp_doc_set_str(d, license, "path", portal->license_path);
    odp_doc_set(d, site, "license", license);
}

static void set_contact(struct odp_doc *d, json_t *site, const struct odp_portal *portal)
{
    static const char *const members[] = {"name", "email", "url", "phone", "address"};
    const json_t *from = json_object_get(portal->json, "contact");
    if (from == NULL)
        return;
    json_t *contact = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (*odp_model_text(from, members[i]) != '\0')
            odp_doc_set_str(d, contact, members[i], odp_model_text(from, members[i]));
    odp_doc_set(d, site, "contact", contact);
}

static json_t *make_paths(struct odp_doc *d, enum odp_lang lang)
{
    json_t *paths = json_object();
    for (int i = 0; i < ODP_PATHS; i++)
        odp_doc_set_str(d, paths, odp_path_name((enum odp_path)i), odp_path((enum odp_path)i, lang));
    return paths;
}

static enum odp_status make_site(struct portal *p, enum odp_lang lang)
{
    const struct odp_portal *portal = &p->catalog->portal;
    const char *date = p->n > 0 ? odp_model_text(p->newest[0], "last_update") : "";
    struct odp_doc d = {0};
    json_t *all = json_object(), *site = json_object();
    odp_doc_set_str(&d, site, "title", odp_text_get(&portal->title, lang));
    odp_doc_set_str(&d, site, "description", odp_model_in(portal->json, "description", lang));
    odp_doc_set_str(&d, site, "publisher", odp_text_get(&portal->publisher, lang));
    odp_doc_set_str(&d, site, "legal_basis", odp_text_get(&portal->legal_basis, lang));
    odp_doc_set_str(&d, site, "base_url", portal->base_url);
    odp_doc_set_str(&d, site, "release", p->catalog->nreleases > 0 ? p->catalog->releases[0].version : "");
    odp_doc_set_str(&d, site, "last_update", date);
    odp_doc_set(&d, site, "datasets", json_integer((json_int_t)p->n));
    odp_doc_set_str(&d, site, "color_light", p->colors[0] != NULL ? p->colors[0] : "");
    odp_doc_set_str(&d, site, "color_dark", p->colors[1] != NULL ? p->colors[1] : "");
    if (p->logo != NULL)
        odp_doc_set_str(&d, site, "logo", p->logo);
    set_license(&d, site, portal, lang);
    set_contact(&d, site, portal);
    odp_doc_set(&d, all, "site", site);
    odp_doc_set_str(&d, all, "lang", lang == ODP_LANG_ID ? "id" : "en");
    odp_doc_set(&d, all, "in_english", json_boolean(lang == ODP_LANG_EN));
    odp_doc_set(&d, all, "paths", make_paths(&d, lang));
    odp_doc_set(&d, all, "assets", json_incref(p->assets));
    p->site[lang] = all;
    return d.failed ? odp_failure_set("make", "pages", ENOMEM) : ODP_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------ */

static enum odp_status describe_clients(struct portal *p)
{
    const struct odp_site_job *job = p->job;
    const struct odp_client_job client = {.stage = job->stage,
                                          .catalog = job->catalog,
                                          .entries = job->entries,
                                          .previous = job->previous,
                                          .diags = job->diags};
    return odp_client_description(&client, &p->clients);
}

static enum odp_status make_pages(struct portal *p)
{
    static enum odp_status (*const pages[])(struct portal *, enum odp_lang) = {
#define PORTAL_PAGE(name) portal_make_##name,
#include "site/pages/pages.def"
#undef PORTAL_PAGE
    };
    enum odp_status status = portal_assets(p);
    if (status == ODP_OK)
        status = open_templates(p);
    for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++)
        status = make_site(p, (enum odp_lang)lang);
    for (size_t i = 0; i < sizeof pages / sizeof *pages && status == ODP_OK; i++)
        for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++)
            status = pages[i](p, (enum odp_lang)lang);
    return status;
}

enum odp_status odp_portal_check(const struct odp_catalog *c, struct odp_diags *diags)
{
    const struct odp_site_job job = {.catalog = c, .diags = diags}; /* no stage: nothing is put anywhere */
    struct portal p = {.job = &job, .catalog = c};
    odp_arena_init(&p.arena);
    enum odp_status status = c->share != NULL ? portal_assets(&p) : ODP_OK;
    if (status == ODP_OK && c->share != NULL)
        status = open_templates(&p);
    odp_templates_close(p.templates);
    json_decref(p.assets);
    odp_arena_release(&p.arena);
    return status;
}

enum odp_status odp_portal_pages(const struct odp_site_job *job)
{
    struct portal p = {.job = job, .catalog = job->catalog};
    odp_arena_init(&p.arena);
    p.newest = odp_model_by_date(job->entries, &p.n, &p.arena);
    enum odp_status status = p.newest != NULL ? odp_metadata_open(&p.metadata, job) : ODP_FAIL;
    if (status == ODP_OK && job->catalog->share != NULL)
        status = describe_clients(&p);
    if (status == ODP_OK && job->catalog->share != NULL)
        status = make_pages(&p);
    odp_metadata_close(p.metadata);
    odp_templates_close(p.templates);
    json_decref(p.clients);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        json_decref(p.site[lang]);
    json_decref(p.assets);
    odp_arena_release(&p.arena);
    return status;
}

/* ---- pages that outlive the build ---- */

struct odp_portal_frame {
    struct odp_site_job job; /* no stage: nothing is put anywhere */
    struct portal portal;
};

enum odp_status odp_portal_frame_open(struct odp_portal_frame **out, const struct odp_catalog *c,
                                      struct odp_diags *diags)
{
    struct odp_portal_frame *f = *out = calloc(1, sizeof *f);
    if (f == NULL)
        return odp_failure_set("open", "templates", ENOMEM);
    f->job = (struct odp_site_job){.catalog = c, .diags = diags};
    f->portal = (struct portal){.job = &f->job, .catalog = c};
    odp_arena_init(&f->portal.arena);
    enum odp_status status = portal_assets(&f->portal);
    if (status == ODP_OK)
        status = open_templates(&f->portal);
    return status == ODP_OK ? make_site(&f->portal, ODP_LANG_ID) : status;
}

void odp_portal_frame_close(struct odp_portal_frame *f)
{
    if (f == NULL)
        return;
    odp_templates_close(f->portal.templates);
    json_decref(f->portal.site[ODP_LANG_ID]);
    json_decref(f->portal.assets);
    odp_arena_release(&f->portal.arena);
    free(f);
}

enum odp_status odp_portal_frame_changes(void *frame, const json_t *data, struct odp_buffer *out)
{
    struct odp_portal_frame *f = frame;
    const char *slug = odp_model_text(data, "dataset");
    const char *path = odp_arena_printf(&f->portal.arena, "data/%s/%s/%s.html", slug,
                                        odp_model_text(data, "to"), odp_model_text(data, "stem"));
    const char *title = odp_arena_printf(&f->portal.arena, "%s: %s → %s", odp_model_text(data, "place"),
                                         odp_model_text(data, "from"), odp_model_text(data, "to"));
    const char *english = odp_path_dataset(slug, ODP_LANG_EN, &f->portal.arena);
    const struct portal_head head = {
        .page = "changes", .title = title, .path = {path, english}, .lasting = true};
    return portal_render(&f->portal, ODP_LANG_ID, &head, data, out);
}
