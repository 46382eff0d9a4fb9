/* What has changed between the previous site's index and schemas and the catalogue. */
#include "site/versions/release_gate/gate_internal.h"

#include "base/json_load.h"
#include "published/doc.h"
#include "site/versions/names.h"

static bool text_differs(const json_t *o, const char *key, const struct odp_text *now)
{
    const json_t *text = json_object_get(o, key);
    return strcmp(odp_text_of(text, "id"), odp_text_get(now, ODP_LANG_ID)) != 0 ||
           strcmp(odp_text_of(text, "en"), odp_text_get(now, ODP_LANG_EN)) != 0;
}

static const json_t *find_in(const json_t *list, const char *key, const char *value)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one) if (strcmp(odp_text_of(one, key), value) == 0) return one;
    return NULL;
}

static struct gate_subject of_dataset(const struct odp_dataset *d)
{
    return (struct gate_subject){d->slug, NULL, NULL, d->file, NULL};
}

/* ---- one resource ---- */

/* The present wording of a version's schema is in latest/; a site that does not have it there has the
 * version's own. */
static const struct odp_site_file *find_schema(const struct gate *g, const json_t *entry,
                                               const char *resource)
{
    const char *const folders[] = {"latest", odp_text_of(entry, "version")};
    const struct odp_site_file *found = NULL;
    for (size_t i = 0; i < 2 && found == NULL; i++)
        found = odp_site_find(g->job->previous, odp_arena_printf(g->arena, "data/%s/%s/schema%s%s.json",
                                                                 odp_text_of(entry, "slug"), folders[i],
                                                                 *resource != '\0' ? "-" : "", resource));
    return found;
}

/* The published schema; NULL: not readable, or none (reported). */
static json_t *read_schema(struct gate *g, const json_t *entry, const char *resource)
{
    const struct odp_site_file *f = find_schema(g, entry, resource);
    struct odp_buffer text = {0};
    json_t *schema = NULL;
    if (f == NULL) {
        g->status =
            odp_site_complain(g->diags, odp_site_shown(g->job->previous),
                              odp_arena_printf(g->arena, "data/%s/%s/schema.json", odp_text_of(entry, "slug"),
                                               odp_text_of(entry, "version")),
                              "");
        return NULL;
    }
    g->status = odp_site_read(g->job->previous, f, &text, g->diags);
    if (g->status == ODP_OK &&
        (schema = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL)) == NULL)
        g->status = odp_site_complain(g->diags, odp_site_shown(g->job->previous), f->path, "");
    odp_buffer_release(&text);
    return schema;
}

/* One finding a change; a field that has gone needs its window. WINDOWS: of the dataset, of the resource,
 * room for the field's. */
static void take_change(struct gate *g, const struct odp_layout *old, const struct odp_resource *r,
                        const struct odp_schema_change *c, struct gate_window windows[3])
{
    const char *name = c->to != NULL ? c->to : c->from;
    int field = c->to != NULL ? odp_schema_find(&r->schema, odp_slice_of(c->to)) : -1;
    const struct gate_subject s = {r->dataset->slug, r->name,
                                   name != NULL ? odp_arena_str(g->arena, name)
                                                : NULL, /* the schemas are gone when it is told */
                                   r->dataset->file, field >= 0 ? r->schema.fields[field].where : r->where};
    struct odp_text text;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer b = {0};
        odp_schema_change_text(&b, c, (enum odp_lang)lang);
        text.in[lang] = odp_buffer_keep(&b, g->arena);
    }
    gate_find(g, odp_schema_change_level(c->kind), odp_schema_change_name(c->kind), &s, text);
    if (c->kind != ODP_SCHEMA_FIELD_REMOVED && c->kind != ODP_SCHEMA_FIELD_RENAMED)
        return;
    int was = c->from != NULL ? odp_layout_find(old, c->from) : -1;
    windows[2] = was >= 0 ? gate_window_of(old->fields[was].json) : (struct gate_window){NULL, NULL};
    gate_window_need(g, &s, odp_schema_change_name(c->kind), windows, 3, &text);
}

static void compare_layouts(struct gate *g, const struct odp_layout *old, const struct odp_layout *now,
                            const struct odp_resource *r, struct gate_window windows[3])
{
    struct odp_schema_changes changes;
    g->status = odp_schema_compare(&changes, old, now, g->arena);
    for (size_t i = 0; g->status == ODP_OK && i < changes.n; i++)
        take_change(g, old, r, &changes.items[i], windows);
    for (uint32_t i = 0; g->status == ODP_OK && i < now->n; i++) {
        int field = odp_schema_find(&r->schema, odp_slice_of(now->fields[i].name)), was = changes.old_of[i];
        const struct odp_field *f = field >= 0 ? &r->schema.fields[field] : NULL;
        if (f == NULL || f->sunset == NULL)
            continue;
        const struct gate_subject s = {r->dataset->slug, r->name, f->name, r->dataset->file, f->where};
        struct gate_window before = {NULL, NULL};
        if (was >= 0)
            before = gate_window_of(old->fields[was].json);
        gate_window_moved(g, &s, before, (struct gate_window){f->deprecated, f->sunset});
    }
}

/* OLD_NAME: as it was ("" for the first resource). */
static void compare_schema(struct gate *g, const json_t *entry, const char *old_name,
                           const struct odp_resource *r, struct gate_window windows[3])
{
    struct odp_layout *old = NULL, *now = NULL;
    const char *why = "";
    json_t *was = read_schema(g, entry, old_name), *is = odp_schema_document(r);
    enum odp_status status =
        was != NULL ? odp_layout_read(&old, was, g->arena, &why) : ODP_DONE; /* told by read_schema */
    if (status == ODP_BAD)
        status = odp_site_complain(
            g->diags, odp_site_shown(g->job->previous),
            odp_arena_printf(g->arena, "data/%s/latest/schema.json", odp_text_of(entry, "slug")), why);
    if (status == ODP_OK && odp_layout_read(&now, is, g->arena, &why) != ODP_OK) /* it is ours: cannot be */
        status = odp_failure_set(why, "schema.json", 0);
    if (status == ODP_OK)
        compare_layouts(g, old, now, r, windows);
    else if (status != ODP_DONE)
        g->status = status;
    json_decref(was);
    json_decref(is);
}

static void compare_resource(struct gate *g, const json_t *entry, const json_t *was,
                             const struct odp_resource *r)
{
    const struct gate_subject s = {r->dataset->slug, r->name, NULL, r->dataset->file, r->where};
    const struct gate_window before = gate_window_of(was), now = {r->deprecated, r->sunset};
    struct gate_window windows[3] = {gate_window_of(entry), before, {NULL, NULL}};
    /* The first one's title is mostly the dataset's, and then it was said there. */
    bool own = !(odp_text_is_empty(&r->title) && r->primary);
    if (own && text_differs(was, "title", &r->title))
        gate_find_change(g, GATE_RESOURCE_TITLE, &s, r->name, NULL);
    if (now.sunset != NULL && (before.sunset == NULL || strcmp(before.sunset, now.sunset) != 0))
        gate_find_change(g, GATE_RESOURCE_DEPRECATED, &s, r->name, now.sunset);
    else if (now.sunset == NULL && before.sunset != NULL)
        gate_find_change(g, GATE_RESOURCE_KEPT, &s, r->name, NULL);
    gate_window_moved(g, &s, before, now);
    if (g->status == ODP_OK)
        compare_schema(g, entry, r->primary ? "" : odp_text_of(was, "name"), r, windows);
}

/* The first resource is the first one's successor, whatever it is called: it answers at the same addresses.
 * Others go by name. */
static void compare_resources(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const json_t *list = json_object_get(entry, "resources"), *was;
    size_t i;
    json_array_foreach(list, i, was)
    {
        const char *name = odp_arena_str(g->arena, odp_text_of(was, "name"));
        const struct gate_subject s = {d->slug, name, NULL, d->file, NULL};
        const struct gate_window windows[] = {gate_window_of(entry), gate_window_of(was)};
        bool there = i == 0;
        for (size_t k = 1; k < d->nresources; k++)
            there = there || strcmp(d->resources[k].name, name) == 0;
        if (there)
            continue;
        const struct odp_text text = gate_find_change(g, GATE_RESOURCE_REMOVED, &s, name, NULL);
        gate_window_need(g, &s, "resource-removed", windows, 2, &text);
    }
    for (size_t k = 0; k < d->nresources && g->status == ODP_OK; k++) {
        const struct odp_resource *r = &d->resources[k];
        const struct gate_subject s = {d->slug, r->name, NULL, d->file, r->where};
        const json_t *first = json_array_get(list, 0);
        was = k == 0 ? first : find_in(list, "name", r->name);
        if (was == NULL || (k > 0 && was == first))
            gate_find_change(g, GATE_RESOURCE_ADDED, &s, r->name, NULL);
        else
            compare_resource(g, entry, was, r);
    }
}

/* ---- one dataset ---- */

static void compare_formats(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const struct gate_subject s = of_dataset(d);
    const json_t *list = json_object_get(entry, "formats"), *one;
    bool *kept = odp_arena_zero(g->arena, d->formats.n + 1, sizeof *kept);
    size_t i;
    json_array_foreach(list, i, one)
    {
        const char *name = json_string_value(one);
        bool there = name == NULL;
        for (size_t k = 0; k < d->formats.n && name != NULL; k++) {
            bool same = odp_slice_is(d->formats.item[k], name);
            kept[k] = kept[k] || same;
            there = there || same;
        }
        if (!there)
            gate_find_change(g, GATE_FORMAT_REMOVED, &s, name, NULL);
    }
    for (size_t k = 0; k < d->formats.n; k++)
        if (!kept[k])
            gate_find_change(g, GATE_FORMAT_ADDED, &s, d->formats.item[k].ptr, NULL);
}

static bool license_differs(const struct odp_portal *p, const json_t *entry, const struct odp_dataset *d)
{
    const json_t *was = json_object_get(entry, "license"),
                 *own = json_array_get(json_object_get(d->json, "licenses"), 0);
    if (own != NULL)
        return !json_equal(was, own);
    return strcmp(odp_text_of(was, "name"), p->license_name != NULL ? p->license_name : "") != 0 ||
           strcmp(odp_text_of(was, "path"), p->license_path != NULL ? p->license_path : "") != 0;
}

static void compare_state(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const struct gate_subject s = of_dataset(d);
    bool was = strcmp(odp_text_of(entry, "state"), "deprecated") == 0, is = d->state == ODP_STATE_DEPRECATED;
    struct gate_window before = {NULL, NULL}, now = {NULL, NULL};
    if (was)
        before = gate_window_of(entry);
    if (is)
        now = (struct gate_window){d->deprecated, d->sunset};
    if (was && !is)
        gate_find_change(g, GATE_DATASET_KEPT, &s, d->slug, NULL);
    else if (is && now.sunset != NULL &&
             (before.sunset == NULL || strcmp(before.sunset, now.sunset) != 0 ||
              strcmp(before.deprecated, now.deprecated) != 0))
        gate_find_change(g, GATE_DATASET_DEPRECATED, &s, d->slug, now.sunset);
    gate_window_moved(g, &s, before, now);
}

static void compare_dataset(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const struct gate_subject s = of_dataset(d);
    compare_formats(g, entry, d);
    compare_state(g, entry, d);
    if (text_differs(entry, "title", &d->title))
        gate_find_change(g, GATE_TITLE, &s, d->slug, NULL);
    if (text_differs(entry, "description", &d->description))
        gate_find_change(g, GATE_DESCRIPTION, &s, d->slug, NULL);
    if (license_differs(&g->job->catalog->portal, entry, d))
        gate_find_change(g, GATE_LICENSE, &s, d->slug, NULL);
    if (g->status == ODP_OK)
        compare_resources(g, entry, d);
}

/* ---- addresses ---- */

/* The dataset that answers at SLUG, or takes it over: by name, or as a former slug. */
static const struct odp_dataset *owner_of(const struct odp_catalog *c, const char *slug,
                                          const struct odp_former_slug **former)
{
    const struct odp_dataset *named = odp_catalog_find(c, slug);
    *former = NULL;
    if (named != NULL && odp_dataset_is_published(named))
        return named;
    for (size_t i = 0; i < c->ndatasets; i++)
        for (size_t k = 0; odp_dataset_is_published(&c->datasets[i]) && k < c->datasets[i].nformer; k++)
            if (strcmp(c->datasets[i].former[k].slug, slug) == 0) {
                *former = &c->datasets[i].former[k];
                return &c->datasets[i];
            }
    return NULL;
}

/* A published dataset that is no longer at its address: withdrawn, renamed, or gone. */
static void take_gone(struct gate *g, const json_t *entry, const char *slug)
{
    const struct odp_former_slug *former;
    const struct odp_dataset *heir = owner_of(g->job->catalog, slug, &former),
                             *same = odp_catalog_find(g->job->catalog, slug);
    struct gate_subject s = {slug, NULL, NULL, NULL, NULL};
    if (heir != NULL || same != NULL)
        s = of_dataset(heir != NULL ? heir : same);
    if (heir != NULL && former != NULL) {
        gate_find_change(g, GATE_DATASET_RENAMED, &s, slug, heir->slug);
    } else if (heir == NULL && same != NULL && same->state == ODP_STATE_WITHDRAWN) {
        gate_find_change(g, GATE_DATASET_WITHDRAWN, &s, slug, NULL);
    } else if (heir == NULL) {
        const struct gate_window window = gate_window_of(entry);
        const struct odp_text text = gate_find_change(g, GATE_DATASET_REMOVED, &s, slug, NULL);
        gate_window_need(g, &s, "dataset-removed", &window, 1, &text);
    }
}

/* The addresses that a published dataset had before; each answers until its sunset, unless what it leads to
 * was withdrawn. */
static void compare_former(struct gate *g, const json_t *entry, const char *slug)
{
    const struct odp_dataset *same = odp_catalog_find(g->job->catalog, slug);
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(entry, "odp:formerSlugs"), i, one)
    {
        const struct odp_former_slug *now;
        const char *old = odp_arena_str(g->arena, odp_text_of(one, "slug")),
                   *sunset = odp_text_of(one, "sunset");
        const struct gate_window before = {sunset, *sunset != '\0' ? sunset : NULL};
        const struct odp_dataset *d = owner_of(g->job->catalog, old, &now), *at = d != NULL ? d : same;
        const struct gate_subject s = {d != NULL ? d->slug : slug, NULL, NULL, at != NULL ? at->file : NULL,
                                       NULL};
        if (d != NULL && now != NULL) {
            gate_window_moved(g, &s, before, (struct gate_window){now->sunset, now->sunset});
        } else if (d == NULL && !(same != NULL && same->state == ODP_STATE_WITHDRAWN)) {
            const struct odp_text text = gate_find_change(g, GATE_ADDRESS_REMOVED, &s, old, NULL);
            gate_window_need(g, &s, "address-removed", &before, 1, &text);
        }
    }
}

/* D against ENTRY (NULL: it is new), and the addresses that it has taken over now: their end must lie ahead.
 */
static void take_dataset(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const struct gate_subject s = of_dataset(d);
    const json_t *former = json_object_get(entry, "odp:formerSlugs");
    if (entry != NULL)
        compare_dataset(g, entry, d);
    else
        gate_find_change(g, d->reference ? GATE_LIST_ADDED : GATE_DATASET_ADDED, &s, d->slug, NULL);
    for (size_t k = 0; k < d->nformer; k++)
        if (find_in(former, "slug", d->former[k].slug) == NULL)
            gate_window_moved(g, &s, (struct gate_window){NULL, NULL},
                              (struct gate_window){d->former[k].sunset, d->former[k].sunset});
}

void gate_compare(struct gate *g)
{
    const struct odp_catalog *c = g->job->catalog;
    const json_t *data = json_object_get(odp_site_index(g->job->previous), "data"), *entry;
    size_t i;
    for (i = 0; i < c->ndatasets && g->status == ODP_OK; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        if (!odp_dataset_is_published(d) || (g->job->only != NULL && !g->job->only[i]))
            continue;
        entry = odp_site_entry(g->job->previous, d->slug);
        for (size_t k = 0; k < d->nformer && entry == NULL; k++)
            entry = odp_site_entry(g->job->previous, d->former[k].slug); /* renamed: said below, once */
        take_dataset(g, entry, d);
    }
    json_array_foreach(data, i, entry) if (g->status == ODP_OK)
    {
        const char *slug = odp_arena_str(g->arena, odp_text_of(entry, "slug"));
        take_gone(g, entry, slug);
        compare_former(g, entry, slug);
    }
}
