/* gateway.json, control and manifest.json: what the site is made of, for machines.
 *
 * gateway.json tells the gateway the portal's name, time zone, tiers, datasets and how often these are told
 * of. It is read when the gateway starts and when the site is switched, so an operator changes a tier by
 * publishing. "odp" is the number of its layout. "webhooks" of a tier is a number, null for any number; not
 * there: the catalogue says nothing, and the gateway has its own default. "notify_every": by slug, seconds
 * between two notices of a dataset.
 *
 * manifest.json lists every file but itself, sorted by path, one a line. Its SHA-256 is the name of the
 * build. control says how to serve each file (but itself and the manifest): tab-separated columns, named in
 * its first line, '-' for nothing, sorted by path. Twins have lines of their own. etag is quoted, as HTTP
 * wants it. A withdrawn dataset has no file but three lines, so that its addresses are known to be gone, and
 * so has an earlier address of a dataset (state moved, link: where to); a path that ends in '/' stands for
 * everything below it.
 *
 * Types are those that HTTP sends: JSON under v1/ has charset=utf-8, GeoJSON is UTF-8 by RFC 7946. New
 * columns come at the end, since readers go by the names in the first line. A path of its own has its line
 * before one that stands for everything below it. */
#include <stdlib.h>

#include "base/json.h"
#include "site/versions/versions_internal.h"

/* ---- gateway.json ---- */

static json_t *make_tiers(const struct odp_portal *portal)
{
    json_t *tiers = json_array();
    for (size_t i = 0; i < portal->ntiers; i++) {
        const struct odp_tier *t = &portal->tiers[i];
        json_t *o =
            json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:I}", "name", t->name, "title",
                      odp_doc_text(&t->title), "support", odp_doc_text(&t->support), "daily",
                      t->daily >= 0 ? json_integer(t->daily) : json_null(), "burst", (json_int_t)t->burst,
                      "concurrent", (json_int_t)t->concurrent, "price", (json_int_t)t->price);
        if (t->webhooks != ODP_WEBHOOKS_UNSAID)
            odp_set(o, "webhooks", t->webhooks != ODP_WEBHOOKS_ANY ? json_integer(t->webhooks) : json_null());
        odp_add(tiers, o);
    }
    return tiers;
}

static enum odp_status put_gateway(struct odp_stage *s, const struct odp_catalog *c)
{
    const struct odp_portal *portal = &c->portal;
    const json_t *languages = json_object_get(portal->json, "languages"),
                 *contact = json_object_get(portal->json, "contact");
    const char *zone = portal->time_zone != NULL ? portal->time_zone : "UTC";
    json_t *slugs = json_array(), *notify = json_object();
    int16_t minutes = 0;
    (void)odp_zone_offset(zone, &minutes); /* the catalogue has refused a zone that is not known */
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        json_t *path = json_sprintf("v1/%s.json", d->slug);
        bool published = odp_stage_find(s, json_string_value(path)) != NULL;
        json_decref(path);
        if (published)
            odp_add(slugs, json_string(d->slug));
        if (published && d->notify_every > 0)
            odp_set_number(notify, d->slug, d->notify_every);
    }
    json_t *o = json_pack("{s:s, s:o, s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:o}", "odp", "1", "title",
                          odp_doc_text(&portal->title), "base_url", odp_or_empty(portal->base_url),
                          "time_zone", zone, "zone_minutes", (int)minutes, "languages",
                          languages != NULL ? json_deep_copy(languages) : json_pack("[s,s]", "id", "en"),
                          "contact", contact != NULL ? json_deep_copy(contact) : json_object(), "tiers",
                          make_tiers(portal), "datasets", slugs, "notify_every", notify);
    return odp_doc_put_as_take(s, "gateway.json", "application/json", ODP_CLASS_INTERNAL, ODP_DOC_PRETTY, o);
}

/* ---- a file with a line for each file of the site: written while it is made ---- */

struct lines {
    struct odp_stage *stage;
    const char *path;
    struct odp_file *file;
    struct odp_buffer text; /* that has not been written */
    enum odp_status status;
};
enum { PIECE = 128 << 10 };

static struct lines begin_lines(struct odp_stage *s, const char *path)
{
    struct lines l = {.stage = s, .path = path};
    l.status = odp_stage_output(s)->create(s, path, &l.file);
    return l;
}

/* Writes the text if it has LEAST bytes. */
static void write_lines(struct lines *l, size_t least)
{
    if (l->status != ODP_OK || l->text.len < least)
        return;
    l->status = odp_buffer_status(&l->text);
    if (l->status == ODP_OK)
        l->status = odp_file_write(l->file, l->text.ptr, l->text.len);
    odp_buffer_clear(&l->text);
}

static enum odp_status end_lines(struct lines *l, const char *media_type, enum odp_class cls)
{
    write_lines(l, 0);
    odp_buffer_release(&l->text);
    if (l->status == ODP_OK)
        return odp_stage_output(l->stage)->close(l->stage, l->file, l->path, media_type, cls);
    odp_file_discard(l->file);
    return l->status;
}

/* ---- control ---- */

static bool starts(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

#define SHORT "public, max-age=300"

static const char *cache_of(enum odp_class cls, const char *path)
{
    if (cls == ODP_CLASS_INTERNAL)
        return "no-store";
    if (cls == ODP_CLASS_KEYED)
        return "private, max-age=60";
    if (starts(path, "assets/") || odp_site_path_is_package(path))
        return "public, max-age=31536000, immutable";
    if (strstr(path, ".summary.json") != NULL) /* other words and highlights make it anew */
        return SHORT;
    const char *version = starts(path, "data/") ? strchr(path + 5, '/') : NULL;
    if (starts(path, "search/")) /* named by its digest; taken back with its version */
        return "public, max-age=86400, immutable";
    if (version != NULL && strchr(version + 1, '/') != NULL && !starts(version, "/latest/"))
        return "public, max-age=86400, immutable";
    return SHORT;
}

static void add_cell(struct odp_buffer *out, const char *text)
{
    odp_buffer_add_char(out, '\t');
    odp_buffer_add_str(out, text);
}

/* D: the dataset that F is of; NULL: of none. A site has many lines: printf would take most of their time. */
static void add_control_line(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_dataset *d,
                             const struct odp_site_file *f)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(f->sha256, hex);
    odp_buffer_add_str(out, f->path);
    odp_buffer_add_str(out, "\t\"");
    odp_buffer_add(out, hex, 32);
    odp_buffer_add_str(out, "\"");
    add_cell(out, f->media_type);
    add_cell(out, f->encoding != NULL ? f->encoding : "-");
    add_cell(out, odp_class_name(f->cls));
    add_cell(out, d != NULL && d->state != ODP_STATE_WITHDRAWN ? odp_dataset_states[d->state] : "active");
    odp_lifecycle_dates(out, d, f->path);
    add_cell(out, cache_of(f->cls, f->path));
    odp_buffer_add_char(out, '\t');
    odp_buffer_add_u64(out, f->size);
    odp_lifecycle_link(out, c, d);
    odp_buffer_add_char(out, '\n');
}

static void add_gone_line(struct odp_buffer *out, const struct odp_catalog *c, const struct odp_gone_path *g)
{
    enum odp_class cls = starts(g->path, "v1/") ? ODP_CLASS_KEYED : ODP_CLASS_PUBLIC;
    odp_buffer_printf(out, "%s\t-\t-\t-\t%s\t%s\t-\t", g->path, odp_class_name(cls),
                      g->to != NULL ? "moved" : "withdrawn");
    if (g->to != NULL) { /* it tells nothing but a name, so anybody may keep it for a while */
        (void)odp_lifecycle_http_date(out, g->sunset);
        odp_buffer_printf(out, "\t" SHORT "\t0\t%s", g->to);
    } else {
        odp_buffer_printf(out, "-\t%s\t0", cls == ODP_CLASS_KEYED ? cache_of(cls, g->path) : SHORT);
        odp_lifecycle_link(out, c, odp_catalog_find(c, g->slug));
    }
    odp_buffer_add_char(out, '\n');
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct odp_gone_path *)a)->path, ((const struct odp_gone_path *)b)->path);
}

static enum odp_status put_control(struct odp_stage *s, const struct odp_catalog *c)
{
    struct odp_arena arena = {0};
    struct odp_gone gone = {.arena = &arena};
    size_t n;
    odp_gone_datasets(&gone, c);
    const enum odp_status status = odp_gone_tombstones(&gone, s);
    const struct odp_site_file *files = odp_stage_files(s, &n);
    if (gone.n > 1)
        qsort(gone.paths, gone.n, sizeof *gone.paths, by_path);
    struct lines out = status == ODP_OK ? begin_lines(s, "control") : (struct lines){.status = status};
    odp_buffer_add_str(&out.text, "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\t"
                                  "cache-control\tsize\tlink\n");
    const char *last = "";
    const struct odp_dataset *d = NULL; /* of FILES[i]; a dataset's files follow each other */
    struct odp_slice slug = {"", 0};
    for (size_t i = 0, k = 0; out.status == ODP_OK && (i < n || k < gone.n);) {
        int order = i == n ? 1 : k == gone.n ? -1 : strcmp(files[i].path, gone.paths[k].path);
        struct odp_slice of = order <= 0 ? odp_site_path_slug(files[i].path) : slug;
        if (!odp_slice_eq(of, slug))
            d = of.len > 0 ? odp_catalog_find(c, odp_arena_copy(&arena, of).ptr) : NULL;
        slug = of;
        if (order <= 0)
            add_control_line(&out.text, c, d, &files[i]);
        else if (strcmp(last, gone.paths[k].path) !=
                 0) /* what is there is not gone, and nothing is gone twice */
            add_gone_line(&out.text, c, &gone.paths[k]);
        write_lines(&out, PIECE);
        last = order <= 0 ? files[i++].path : gone.paths[k++].path;
    }
    free(gone.paths);
    odp_arena_release(&arena);
    return end_lines(&out, "text/tab-separated-values; charset=utf-8", ODP_CLASS_INTERNAL);
}

/* ---- manifest.json ---- */

static void add_manifest_line(struct odp_buffer *out, const struct odp_site_file *f)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(f->sha256, hex);
    odp_json_add_str(out, "{\"path\":", f->path);
    odp_json_add_u64(out, ",\"size\":", f->size);
    odp_buffer_add_str(out, ",\"sha256\":\"");
    odp_buffer_add(out, hex, sizeof hex - 1);
    odp_buffer_add_str(out, "\",\"class\":\"");
    odp_buffer_add_str(out, odp_class_name(f->cls));
    odp_json_add_str(out, "\",\"type\":", f->media_type);
    odp_json_add_str(out, ",\"encoding\":", f->encoding);
    odp_buffer_add_char(out, '}');
}

enum odp_status odp_stage_manifest(struct odp_stage *s, const struct odp_catalog *c)
{
    size_t n;
    if (put_gateway(s, c) != ODP_OK || put_control(s, c) != ODP_OK)
        return ODP_FAIL;
    const struct odp_site_file *files = odp_stage_files(s, &n);
    struct lines out = begin_lines(s, "manifest.json");
    odp_buffer_add_str(&out.text, "{\"files\":[\n");
    for (size_t i = 0; i < n; i++) {
        add_manifest_line(&out.text, &files[i]);
        odp_buffer_add_str(&out.text, i + 1 < n ? ",\n" : "\n");
        write_lines(&out, PIECE);
    }
    odp_buffer_add_str(&out.text, "]}\n");
    return end_lines(&out, "application/json", ODP_CLASS_PUBLIC);
}
