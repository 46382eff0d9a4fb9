/* All pages and feeds: templates, assets and theme are opened, then every line of pages.def makes its
 * pages in both languages. */
#include "base/json_load.h"
#include "base/path.h"
#include "published/parts.h"
#include "site/clients/client.h"
#include "site/model/places.h"
#include "site/pages/pages_internal.h"

#include <errno.h>
#include <stdlib.h>

/* ---- templates ---- */

struct model_text {
    const char *name; /* "site", "home" … */
    const unsigned char *json;
};
extern const struct model_text odp_portal_models[]; /* generated of templates/portal/model; ends with NULL */

#define MODELS_MAX 64
struct models {
    json_t *documents[MODELS_MAX];
    size_t ndocuments;
    struct odp_template_model list[MODELS_MAX];
    size_t n;
    json_t *common;
};

/* "paths" and "assets" of the common model name what there is. */
static void complete_common(const struct portal *p, json_t *common)
{
    json_t *paths = json_object_get(common, "paths"), *assets = json_object_get(common, "assets"), *value;
    const char *key;
    for (int i = 0; i < ODP_PATHS; i++)
        odp_set_str(paths, odp_path_name((enum odp_path)i), "text");
    json_object_foreach(p->assets, key, value)
        odp_set(assets, key, json_pack("{s:s, s:s}", "path", "text", "integrity", "text"));
}

static void read_models(struct models *m)
{
    for (const struct model_text *t = odp_portal_models; t->name != NULL && m->ndocuments < MODELS_MAX; t++) {
        json_t *document = odp_json_load((const char *)t->json, strlen((const char *)t->json),
                                         JSON_REJECT_DUPLICATES, NULL),
               *page;
        size_t i;
        m->documents[m->ndocuments++] = document;
        if (strcmp(t->name, "site") == 0)
            m->common = document;
        json_array_foreach(json_object_get(document, "pages"), i,
                           page) if (document != m->common && m->n < MODELS_MAX) m->list[m->n++] =
            (struct odp_template_model){json_string_value(page), json_object_get(document, "names")};
    }
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
    enum odp_status status = stays_inside(p, folders[0]);
    read_models(&models);
    complete_common(p, models.common);
    const struct odp_templates_options o = {.folders = folders,
                                            .nfolders = 2,
                                            .common = models.common,
                                            .models = models.list,
                                            .nmodels = models.n,
                                            /* of a ministry's own every build says what is unused */
                                            .proven =
                                                p->proven && odp_file_kind_of(folders[0]) == ODP_FILE_NONE};
    if (status == ODP_OK)
        status = odp_templates_open(&p->templates, &o, p->job->diags);
    for (size_t i = 0; i < models.ndocuments; i++)
        json_decref(models.documents[i]);
    return status;
}

/* ---- what every page has ---- */

/* Those members of portal.json's contact that say anything; NULL: there is none. */
static json_t *make_contact(const json_t *from)
{
    static const char *const members[] = {"name", "email", "url", "phone", "address"};
    json_t *contact = from != NULL ? json_object() : NULL;
    for (size_t i = 0; contact != NULL && i < ODP_COUNT(members); i++)
        if (*odp_text_of(from, members[i]) != '\0')
            odp_set_str(contact, members[i], odp_text_of(from, members[i]));
    return contact;
}

static void make_site(struct portal *p, enum odp_lang lang)
{
    const struct odp_portal *portal = &p->catalog->portal;
    const char *base = portal->base_url != NULL ? portal->base_url : ""; /* ends in "/" */
    const size_t n = strlen(base);
    json_t *paths = json_object();
    for (int i = 0; i < ODP_PATHS; i++)
        odp_set_str(paths, odp_path_name((enum odp_path)i), odp_path((enum odp_path)i, lang));
    json_t *site = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s*, s:o*}", "title",
                             odp_text_get(&portal->title, lang), "description",
                             odp_model_in(portal->json, "description", lang), "publisher",
                             odp_text_get(&portal->publisher, lang), "legal_basis",
                             odp_text_get(&portal->legal_basis, lang), "base_url", base, "base",
                             portal_printf(p, "%.*s", (int)(n > 0 ? n - 1 : 0), base), "release",
                             p->catalog->nreleases > 0 ? p->catalog->releases[0].version : "", "color_light",
                             p->colors[0], "color_dark", p->colors[1], "logo", p->logo, "contact",
                             make_contact(json_object_get(portal->json, "contact")));
    if (portal->license_name != NULL)
        odp_set(site, "license",
                json_pack("{s:s, s:s, s:s*}", "name", portal->license_name, "title",
                          odp_text_is_empty(&portal->license_title)
                              ? portal->license_name
                              : odp_text_get(&portal->license_title, lang),
                          "path", portal->license_path));
    size_t nplaces;
    (void)odp_places_all(p->job->places, &nplaces);
    odp_set_flag(site, "places", nplaces > 0);
    p->site[lang] = json_pack("{s:o, s:s, s:b, s:o, s:O}", "site", site, "lang", odp_lang_code(lang),
                              "in_english", (int)(lang == ODP_LANG_EN), "paths", paths, "assets", p->assets);
    struct odp_buffer key = {0};
    odp_doc_key(&key, p->site[lang]);
    p->status = odp_buffer_status(&key);
    if (p->status == ODP_OK)
        p->status = odp_digest_of(key.ptr, key.len, p->site_key[lang]);
    odp_buffer_release(&key);
}

/* ---- all of them ---- */

struct odp_portal_frame {
    struct odp_site_job job; /* no stage: nothing is put anywhere */
    struct portal portal;
};

static void release(struct portal *p)
{
    if (p->job->frame == NULL)
        odp_templates_close(p->templates);
    json_decref(p->clients);
    json_decref(p->openapi);
    json_decref(p->figures);
    json_decref(p->cards);
    json_decref(p->coast);
    json_decref(p->sample);
    for (int lang = 0; lang < ODP_LANGS; lang++)
        json_decref(p->site[lang]);
    json_decref(p->assets);
    odp_arena_release(&p->arena);
}

/* What F was opened with, its assets as a part of the site. */
static void take_frame(struct portal *p, const struct portal *f)
{
    p->templates = f->templates;
    p->proven = true;
    p->status = odp_part_begin(p->job->stage, "assets", ODP_LIT(""));
    if (p->status == ODP_OK) {
        p->status = portal_assets(p);
        p->status = odp_part_end(p->job->stage, p->status);
    } else if (p->status == ODP_DONE) {
        p->assets = json_incref(f->assets);
        p->logo = f->logo;
        memcpy(p->colors, f->colors, sizeof p->colors);
        p->status = ODP_OK;
    }
}

/* Assets and templates; nothing where the program has none with it. */
static void open_portal(struct portal *p, const struct odp_site_job *job, bool proven)
{
    *p = (struct portal){.job = job,
                         .proven = proven,
                         .catalog = job->catalog,
                         .api = job->api,
                         .metadata = job->metadata,
                         .cards = json_object()};
    odp_arena_init(&p->arena);
    p->newest = odp_model_by_date(job->entries, &p->n, &p->arena);
    if (job->catalog->share == NULL)
        return;
    if (job->frame != NULL) {
        take_frame(p, &job->frame->portal);
    } else {
        p->status = portal_assets(p);
        if (p->status == ODP_OK)
            p->status = open_templates(p);
    }
    for (int lang = 0; lang < ODP_LANGS && p->status == ODP_OK; lang++)
        make_site(p, (enum odp_lang)lang);
}

enum odp_status odp_portal_pages(const struct odp_site_job *job)
{
    static void (*const pages[])(struct portal *, enum odp_lang) = {
#define PORTAL_PAGE(name) portal_make_##name,
#include "site/pages/pages.def"
#undef PORTAL_PAGE
    };
    struct portal p;
    open_portal(&p, job, false);
    if (p.status == ODP_OK && job->catalog->share != NULL)
        p.status = odp_client_description(job, &p.clients);
    if (p.status == ODP_OK && job->catalog->share != NULL)
        p.status = odp_model_figures(job, &p.figures);
    for (size_t i = 0; i < ODP_COUNT(pages) && job->catalog->share != NULL; i++)
        for (int lang = 0; lang < ODP_LANGS && p.status == ODP_OK; lang++)
            pages[i](&p, (enum odp_lang)lang);
    if (p.status == ODP_OK && job->catalog->share != NULL)
        portal_search(&p);
    if (p.status == ODP_OK)
        p.status = odp_arena_status(&p.arena);
    release(&p);
    return p.status;
}

/* ---- pages that outlive the build ---- */

enum odp_status odp_portal_frame_open(struct odp_portal_frame **out, const struct odp_catalog *c, bool proven,
                                      struct odp_diags *diags)
{
    struct odp_portal_frame *f = *out = calloc(1, sizeof *f);
    if (f == NULL)
        return odp_failure_set("open", "templates", ENOMEM);
    f->job = (struct odp_site_job){.catalog = c, .diags = diags};
    open_portal(&f->portal, &f->job, proven);
    f->job.diags = NULL; /* they may be gone before F is */
    return f->portal.status;
}

void odp_portal_frame_close(struct odp_portal_frame *f)
{
    if (f != NULL)
        release(&f->portal);
    free(f);
}

enum odp_status odp_portal_frame_changes(void *frame, const json_t *data, struct odp_buffer *out)
{
    struct portal *p = &((struct odp_portal_frame *)frame)->portal;
    const char *slug = odp_text_of(data, "dataset"), *to = odp_text_of(data, "to");
    const struct portal_head head = {
        .page = "changes",
        .title = portal_printf(p, "%s: %s → %s", odp_text_of(data, "place"), odp_text_of(data, "from"), to),
        .path = {portal_printf(p, "data/%s/%s/%s.html", slug, to, odp_text_of(data, "stem")),
                 odp_path_dataset(slug, ODP_LANG_EN, &p->arena)},
        .dataset = slug,
        .lasting = true};
    return portal_render(p, ODP_LANG_ID, &head, data, out);
}
