/* katalog/<slug>.html, en/catalog/<slug>.html: one page for each entry of the index, made of the entry and of what is staged for its version.
 * Documents are read once for both languages, and none of them holds all records: the preview has the first; schema, versions, charts and map are small.
 *
 * Both languages are made in the Indonesian call; each dataset_*.c adds some members to the page's data. A
 * section without content is left out, of the list of contents too. Section ids are the same in both
 * languages (#unduh, #kolom, #versi): links to them are kept in documents and letters. Links to what other
 * rooms make (sheets, ISO 19139, feed, picture, pages of OGC) stand there only where the file is staged.
 *
 * Numbers, truth and categories are shown in the page's language; exact values are in the downloads.
 * dataset.js does the same with the records of preview.json, and compares decimals as text: nothing goes
 * through a double. */
#include "site/pages/dataset_internal.h"
#include "base/json_load.h"
#include "site/score/scorecard.h"

#include <errno.h>
#include <stdlib.h>

#include "published/stage.h"
#include "site/metadata/metadata.h"

enum { PREVIEW_MAX = 1 << 20, PICTURE_MAX = 1 << 26, PREVIEW_ROWS = 50 };

/* ---- what is read ----------------------------------------------------------------------------------------------------------- */

static enum odp_status read_preview(const struct portal *p, const char *path, json_t **out)
{
    struct odp_buffer text, cut;
    odp_buffer_init(&text);
    odp_buffer_init(&cut);
    enum odp_status status = odp_stage_read(p->job->stage, path, PREVIEW_MAX, p->job->previous, &text, p->job->diags);
    if (status == ODP_OK) {
        /* More than are shown: an example of a filter wants a value that is there. */
        dataset_preview_cut(odp_buffer_slice(&text), PREVIEW_ROWS, &cut);
        status = odp_buffer_status(&cut);
    }
    if (status == ODP_OK && (*out = odp_json_load(cut.ptr, cut.len, JSON_REJECT_DUPLICATES, NULL)) == NULL)
        status = odp_failure_set("read JSON", path, 0);
    odp_buffer_release(&text);
    odp_buffer_release(&cut);
    return status == ODP_DONE ? ODP_OK : status;
}

/* "744 550" of an SVG's first tag, in A; NULL where it does not say. */
static const char *picture_size(struct odp_slice svg, struct odp_arena *a)
{
    const char *tag = memmem(svg.ptr, svg.len < 1000 ? svg.len : 1000, "<svg ", 5);
    const char *end = tag != NULL ? memchr(tag, '>', svg.len - (size_t)(tag - svg.ptr)) : NULL;
    char text[1000];
    if (end == NULL || (size_t)(end - tag) >= sizeof text)
        return NULL;
    memcpy(text, tag, (size_t)(end - tag));
    text[end - tag] = '\0';
    const char *w = strstr(text, " width=\""), *h = strstr(text, " height=\"");
    double width = w != NULL ? strtod(w + 8, NULL) : 0, height = h != NULL ? strtod(h + 9, NULL) : 0;
    return width >= 1 && height >= 1 && width < 1e5 && height < 1e5 ? odp_arena_printf(a, "%.0f %.0f", width, height) : NULL;
}

static enum odp_status read_size(struct dataset *d, const char *url, const char **size)
{
    const struct odp_portal_job *job = d->p->job;
    struct odp_buffer svg;
    if (*url == '\0')
        return ODP_OK;
    odp_buffer_init(&svg);
    enum odp_status status = odp_stage_read(job->stage, dataset_site_path(url), PICTURE_MAX, job->previous, &svg, job->diags);
    if (status == ODP_OK)
        *size = picture_size(odp_buffer_slice(&svg), &d->arena);
    odp_buffer_release(&svg);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status read_charts(struct dataset *d, struct dataset_resource *r)
{
    static const char *const langs[ODP_LANGS] = {"id", "en"};
    const json_t *charts = json_object_get(r->entry, "charts");
    enum odp_status status = ODP_OK;
    size_t n = json_array_size(charts);
    r->charts = odp_arena_zero(&d->arena, n + 1, sizeof(json_t *));
    r->sizes = odp_arena_zero(&d->arena, n + 1, sizeof *r->sizes);
    if (r->charts == NULL || r->sizes == NULL)
        return ODP_FAIL;
    r->ncharts = n;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const json_t *chart = json_array_get(charts, i);
        status = portal_read_json(d->p, dataset_site_path(portal_text(chart, "data")), &r->charts[i]);
        for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++)
            status = read_size(d, portal_text(json_object_get(chart, "svg"), langs[lang]), &r->sizes[i][lang]);
    }
    return status;
}

static enum odp_status read_resource(struct dataset *d, struct dataset_resource *r)
{
    struct odp_arena *a = &d->arena;
    const char *stem = odp_arena_printf(a, "data/%s/%s/%s%s", d->slug, d->version, d->slug, r->suffix);
    const char *preview = stem != NULL ? odp_arena_printf(a, "%s.preview.json", stem) : NULL;
    const char *map = stem != NULL ? odp_arena_printf(a, "%s.map.geojson", stem) : NULL;
    const char *schema = portal_text(r->entry, "schema"), *documents = portal_text(r->entry, "documents");
    enum odp_status status = preview != NULL && map != NULL ? ODP_OK : ODP_FAIL;
    if (status == ODP_OK && *schema != '\0')
        status = portal_read_json(d->p, dataset_site_path(schema), &r->schema);
    if (status == ODP_OK && *documents != '\0')
        status = portal_read_json(d->p, dataset_site_path(documents), &r->documents);
    if (status == ODP_OK)
        status = read_preview(d->p, preview, &r->preview);
    if (status == ODP_OK)
        status = portal_read_json(d->p, map, &r->map);
    return status == ODP_OK ? read_charts(d, r) : status;
}

static enum odp_status open_dataset(struct dataset *d)
{
    const json_t *resources = json_object_get(d->entry, "resources");
    size_t n = json_array_size(resources);
    d->resources = odp_arena_zero(&d->arena, n + 1, sizeof *d->resources);
    const char *path = odp_arena_printf(&d->arena, "data/%s/versions.json", d->slug);
    enum odp_status status = d->resources != NULL && path != NULL ? portal_read_json(d->p, path, &d->versions) : ODP_FAIL;
    const char *score = odp_score_path(d->slug, &d->arena);
    if (status == ODP_OK)
        status = score != NULL ? portal_read_json(d->p, score, &d->score) : ODP_FAIL;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        struct dataset_resource *r = &d->resources[d->n++];
        r->entry = json_array_get(resources, i);
        r->name = portal_text(r->entry, "name");
        r->suffix = i == 0 ? "" : odp_arena_printf(&d->arena, "-%s", r->name); /* the first one's files have no name of their own */
        status = r->suffix != NULL ? read_resource(d, r) : ODP_FAIL;
    }
    return status;
}

static void close_dataset(struct dataset *d)
{
    for (size_t i = 0; i < d->n; i++) {
        struct dataset_resource *r = &d->resources[i];
        for (size_t k = 0; r->charts != NULL && k < r->ncharts; k++)
            json_decref(r->charts[k]);
        json_decref(r->schema);
        json_decref(r->preview);
        json_decref(r->map);
        json_decref(r->documents);
    }
    json_decref(d->versions);
    json_decref(d->score);
    odp_arena_release(&d->arena);
}

/* ---- the page's data -------------------------------------------------------------------------------------------------------- */

/* An address that stays one in mailto: and shows as it is. */
static bool is_email(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+@";
    const char *at = strchr(s, '@');
    return at != NULL && at != s && at[1] != '\0' && strchr(at + 1, '@') == NULL && strspn(s, plain) == strlen(s);
}

/* Who answers for the data, else for the portal. */
static const char *email_of(const struct portal *p, const json_t *entry)
{
    const json_t *people = json_object_get(entry, "contributors");
    const char *best = portal_text(json_object_get(entry, "odp:contact"), "email");
    for (size_t i = 0; i < json_array_size(people) && *best == '\0'; i++)
        if (dataset_has_text(json_object_get(json_array_get(people, i), "roles"), "contactPoint"))
            best = portal_text(json_array_get(people, i), "email");
    if (!is_email(best))
        best = portal_text(json_object_get(p->catalog->portal.json, "contact"), "email");
    return is_email(best) ? best : NULL;
}

static enum odp_status make_resource(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    dataset_set(g, o, "name", r->name);
    dataset_set(g, o, "suffix", r->suffix);
    dataset_set(g, o, "heading", dataset_title_of(g, r));
    dataset_set(g, o, "rows", dataset_value(g, json_object_get(r->entry, "rows")));
    const char *sunset = portal_text(r->entry, "odp:sunset");
    if (*sunset != '\0') {
        json_t *leaving = json_object();
        dataset_set(g, leaving, "sunset", portal_date(sunset, g->lang, g->arena));
        dataset_set(g, leaving, "heir", portal_text(r->entry, "odp:replacedBy"));
        odp_doc_set(&g->d, o, "leaving", leaving);
    }
    dataset_files(g, r, o);
    dataset_fields(g, r, o);
    dataset_preview(g, r, o);
    dataset_slices(g, r, o);
    dataset_charts(g, r, o);
    return dataset_map(g, r, o);
}

static bool any(const json_t *resources, const char *member)
{
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *value = json_object_get(json_array_get(resources, i), member);
        if (json_is_object(value) || json_array_size(value) > 0)
            return true;
    }
    return false;
}

/* The sections that this dataset has, in the page's order. */
static void set_sections(struct dataset_page *g, const json_t *resources, json_t *data)
{
    bool current = *g->version != '\0'; /* else the newest version was withdrawn, and no other has taken its place yet */
    const struct {
        const char *id, *flag;
        bool there;
    } sections[] = {{"unduh", "files", any(resources, "files")},
                    {"pratinjau", "preview", any(resources, "preview")},
                    {"grafik", "charts", any(resources, "charts")},
                    {"peta", "map", any(resources, "map")},
                    {"kolom", "fields", any(resources, "fields")},
                    {"irisan", "slices", any(resources, "slices")},
                    {"versi", "versions", json_array_size(json_object_get(json_object_get(data, "versions"), "list")) > 0},
                    {"satu-data", "score", current && g->dataset->score != NULL},
                    {"api", "api", json_array_size(json_object_get(json_object_get(data, "api"), "tables")) > 0},
                    {"kutip", "cite", current},
                    {"lapor", "report", g->email != NULL},
                    {"mesin", "machines", json_array_size(json_object_get(data, "machines")) > 0}};
    json_t *toc = json_array(), *has = json_object();
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        odp_doc_set(&g->d, has, sections[i].flag, json_boolean(sections[i].there));
        if (!sections[i].there)
            continue;
        char *key = odp_arena_printf(g->arena, "ds_h_%s", sections[i].id), *hyphen = key != NULL ? strchr(key, '-') : NULL;
        if (hyphen != NULL)
            *hyphen = '_';
        json_t *o = json_object();
        dataset_set(g, o, "id", sections[i].id);
        dataset_set(g, o, "label", key != NULL ? dataset_word(g, key) : NULL);
        odp_doc_add(&g->d, toc, o);
    }
    odp_doc_set(&g->d, data, "toc", toc);
    odp_doc_set(&g->d, data, "has", has);
}

/* The words that the page's scripts say. */
static json_t *make_words(struct dataset_page *g)
{
    static const char *const keys[] = {
#define WORD(key) "ds_t_" #key,
#include "site/pages/dataset_words.def"
#undef WORD
    };
    json_t *words = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        dataset_set(g, words, keys[i], dataset_word(g, keys[i]));
    if (portal_map_words(g->p, g->lang, words) != ODP_OK)
        g->d.failed = true;
    return words;
}

static enum odp_status make_data(struct dataset_page *g, json_t *data)
{
    json_t *resources = json_array();
    enum odp_status status = ODP_OK;
    dataset_set(g, data, "slug", g->slug);
    dataset_set(g, data, "version", g->version);
    dataset_set(g, data, "heading", portal_in(g->entry, "title", g->lang));
    dataset_set(g, data, "lead", portal_in(g->entry, "description", g->lang));
    odp_doc_set(&g->d, data, "several", json_boolean(g->dataset->n > 1));
    dataset_about(g, data);
    for (size_t i = 0; i < g->dataset->n && status == ODP_OK; i++) {
        json_t *o = json_object();
        status = make_resource(g, &g->dataset->resources[i], o);
        odp_doc_add(&g->d, resources, o);
    }
    odp_doc_set(&g->d, data, "resources", resources);
    dataset_versions(g, data);
    dataset_score(g, data);
    dataset_api(g, data);
    dataset_cite(g, data);
    dataset_report(g, data);
    dataset_machines(g, data);
    set_sections(g, resources, data);
    const json_t *script = json_object_get(g->p->assets, "dataset_js");
    if (script != NULL)
        odp_doc_set(&g->d, data, "script", json_deep_copy(script));
    odp_doc_set(&g->d, data, "script_words", make_words(g));
    return status;
}

/* ---- the page --------------------------------------------------------------------------------------------------------------- */

static enum odp_status put_page(struct portal *p, struct dataset_page *g)
{
    const char *image = odp_arena_printf(g->arena, "gambar/%s.png", g->slug), *feed = odp_arena_printf(g->arena, "katalog/%s.xml", g->slug);
    const char *address = odp_arena_printf(g->arena, "%s%s", p->catalog->portal.base_url, g->path[g->lang]);
    const struct odp_metadata_job metadata = {p->job->stage, p->catalog, p->job->entries, p->job->previous, p->job->diags};
    if (image == NULL || feed == NULL || address == NULL)
        return ODP_FAIL;
    json_t *jsonld = odp_metadata_schema_org(&metadata, g->entry, g->lang, address), *data = json_object();
    const struct portal_head head = {.page = "dataset",
                                     .title = portal_in(g->entry, "title", g->lang),
                                     .description = portal_in(g->entry, "description", g->lang),
                                     .path = {g->path[0], g->path[1]},
                                     .image = dataset_file(g, image) != NULL ? image : NULL,
                                     .feed = dataset_file(g, feed) != NULL ? feed : NULL,
                                     .jsonld = jsonld,
                                     .cls = ODP_CLASS_PUBLIC};
    enum odp_status status = jsonld != NULL ? make_data(g, data) : ODP_FAIL;
    if (status == ODP_OK && g->d.failed)
        status = odp_failure_set("make", g->path[g->lang], ENOMEM);
    if (status == ODP_OK)
        status = portal_put(p, g->lang, &head, data);
    else
        json_decref(data);
    json_decref(jsonld);
    return status;
}

static enum odp_status make_dataset(struct portal *p, const json_t *entry, const json_t *coast)
{
    struct dataset d = {.p = p, .entry = entry, .slug = portal_text(entry, "slug"), .version = portal_text(entry, "version"), .coast = coast};
    odp_arena_init(&d.arena);
    enum odp_status status = open_dataset(&d);
    for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++) {
        struct dataset_page g = {.p = p,
                                 .dataset = &d,
                                 .lang = (enum odp_lang)lang,
                                 .entry = entry,
                                 .slug = d.slug,
                                 .version = d.version,
                                 .email = email_of(p, entry),
                                 .arena = &d.arena};
        for (int k = 0; k < ODP_LANGS; k++)
            g.path[k] = odp_arena_printf(&d.arena, "%s%s.html", portal_path(PORTAL_dataset_dir, (enum odp_lang)k), d.slug);
        g.root = g.path[0] != NULL && g.path[1] != NULL ? portal_root(g.path[lang], &d.arena) : NULL;
        status = g.root != NULL ? put_page(p, &g) : ODP_FAIL;
    }
    close_dataset(&d);
    return status;
}

enum odp_status portal_make_dataset(struct portal *p, enum odp_lang lang)
{
    json_t *coast = NULL;
    if (lang != ODP_LANG_ID)
        return ODP_OK; /* both were made then: what is read serves both */
    const char *path = portal_text(json_object_get(p->assets, "coast_json"), "path");
    enum odp_status status = *path != '\0' ? portal_read_json(p, path, &coast) : ODP_OK;
    for (size_t i = 0; i < p->n && status == ODP_OK; i++)
        if (*portal_text(p->newest[i], "slug") != '\0')
            status = make_dataset(p, p->newest[i], coast);
    json_decref(coast);
    return status == ODP_OK ? dataset_gone(p) : status;
}
