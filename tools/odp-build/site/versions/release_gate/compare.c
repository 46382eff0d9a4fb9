/* What has changed between the previous site's index and schemas and the catalogue. */
#include "site/versions/release_gate/gate_internal.h"

#include <stdlib.h>

#include "base/json_load.h"
#include "published/doc.h"
#include "site/versions/names.h"

static bool text_differs(const json_t *o, const char *key, const struct odp_text *now)
{
    const json_t *text = json_object_get(o, key);
    return strcmp(odp_doc_read_str(text, "id"), odp_text_get(now, ODP_LANG_ID)) != 0 ||
           strcmp(odp_doc_read_str(text, "en"), odp_text_get(now, ODP_LANG_EN)) != 0;
}

static const json_t *find_in(const json_t *list, const char *key, const char *value)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(odp_doc_read_str(json_array_get(list, i), key), value) == 0)
            return json_array_get(list, i);
    return NULL;
}

static bool is_live(const struct odp_dataset *d)
{
    return d->state == ODP_STATE_ACTIVE || d->state == ODP_STATE_DEPRECATED;
}

/* ---- one resource --------------------------------------------------------------------------------------------------------
 */

/* The present wording of a version's schema is in latest/; a site that does not have it there has the version's own. */
static const struct odp_site_file *find_schema(const struct gate *g, const char *slug, const char *version,
                                               const char *resource)
{
    const char *const folders[] = {"latest", version};
    const struct odp_site_file *found = NULL;
    for (size_t i = 0; i < 2 && found == NULL; i++) {
        const char *path =
            odp_arena_printf(g->arena, "data/%s/%s/schema%s%s.json", slug, folders[i], *resource != '\0' ? "-" : "", resource);
        found = odp_site_find(g->previous, path);
    }
    return found;
}

/* *OUT: the published schema, to be freed. BAD: not readable, or none (reported). */
static enum odp_status read_schema(struct gate *g, const char *slug, const char *version, const char *resource, json_t **out)
{
    const struct odp_site_file *f = find_schema(g, slug, version, resource);
    struct odp_buffer text;
    *out = NULL;
    if (f == NULL)
        return odp_site_complain(g->diags, odp_site_shown(g->previous),
                                 odp_arena_printf(g->arena, "data/%s/%s/schema.json", slug, version), "");
    odp_buffer_init(&text);
    enum odp_status status = odp_site_read(g->previous, f, &text, g->diags);
    if (status == ODP_OK && (*out = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL)) == NULL)
        status = odp_site_complain(g->diags, odp_site_shown(g->previous), f->path, "");
    odp_buffer_release(&text);
    return status;
}

/* One finding a change; a field that has gone needs its window. WINDOWS: of the dataset, of the resource, room for the field's.
 */
static enum odp_status take_change(struct gate *g, const struct odp_layout *old, const struct odp_resource *r,
                                   const struct odp_schema_change *c, struct gate_window windows[3])
{
    const char *name = c->to != NULL ? c->to : c->from;
    if (name != NULL && (name = odp_arena_str(g->arena, name)) == NULL) /* the schemas are gone when it is told */
        return ODP_FAIL;
    int field = c->to != NULL ? odp_schema_find(&r->schema, odp_slice_of(c->to)) : -1;
    const struct gate_subject s = {r->dataset->slug, r->name, name, r->dataset->file,
                                   field >= 0 ? r->schema.fields[field].where : r->where};
    struct odp_text text;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer b;
        odp_buffer_init(&b);
        odp_schema_change_text(&b, c, (enum odp_lang)lang);
        text.in[lang] = odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(g->arena, odp_buffer_slice(&b)).ptr : NULL;
        odp_buffer_release(&b);
    }
    enum odp_status status = gate_find(g, odp_schema_change_level(c->kind), odp_schema_change_name(c->kind), &s, text);
    if (status != ODP_OK || (c->kind != ODP_SCHEMA_FIELD_REMOVED && c->kind != ODP_SCHEMA_FIELD_RENAMED))
        return status;
    int was = c->from != NULL ? odp_layout_find(old, c->from) : -1;
    windows[2] = was >= 0 ? gate_window_of(old->fields[was].json) : (struct gate_window){NULL, NULL};
    return gate_window_need(g, &s, odp_schema_change_name(c->kind), windows, 3, &text);
}

static enum odp_status compare_layouts(struct gate *g, const struct odp_layout *old, const struct odp_layout *now,
                                       const struct odp_resource *r, struct gate_window windows[3])
{
    struct odp_schema_changes changes;
    enum odp_status status = odp_schema_compare(&changes, old, now, g->arena);
    for (size_t i = 0; status == ODP_OK && i < changes.n; i++)
        status = take_change(g, old, r, &changes.items[i], windows);
    for (uint32_t i = 0; status == ODP_OK && i < now->n; i++) {
        int field = odp_schema_find(&r->schema, odp_slice_of(now->fields[i].name)), was = changes.old_of[i];
        const struct odp_field *f = field >= 0 ? &r->schema.fields[field] : NULL;
        if (f == NULL || f->sunset == NULL)
            continue;
        const struct gate_subject s = {r->dataset->slug, r->name, f->name, r->dataset->file, f->where};
        struct gate_window before = {NULL, NULL};
        if (was >= 0)
            before = gate_window_of(old->fields[was].json);
        status = gate_window_moved(g, &s, before, (struct gate_window){f->deprecated, f->sunset});
    }
    return status;
}

/* OLD_SLUG and OLD_NAME: as they were ("" for the first resource). */
static enum odp_status compare_schema(struct gate *g, const json_t *entry, const char *old_name, const struct odp_resource *r,
                                      struct gate_window windows[3])
{
    struct odp_layout *old = NULL, *now = NULL;
    json_t *was = NULL, *is = NULL;
    const char *why = "";
    enum odp_status status = read_schema(g, odp_doc_read_str(entry, "slug"), odp_doc_read_str(entry, "version"), old_name, &was);
    if (status == ODP_OK && (is = odp_schema_document(r)) == NULL)
        status = odp_failure_set("make JSON", "schema.json", 0);
    if (status == ODP_OK)
        status = odp_layout_read(&old, was, g->arena, &why);
    if (status == ODP_BAD && was != NULL)
        status = odp_site_complain(g->diags, odp_site_shown(g->previous),
                                   odp_arena_printf(g->arena, "data/%s/latest/schema.json", odp_doc_read_str(entry, "slug")), why);
    if (status == ODP_OK) {
        status = odp_layout_read(&now, is, g->arena, &why);
        if (status == ODP_BAD) /* it is ours: cannot be */
            status = odp_failure_set(why, "schema.json", 0);
    }
    if (status == ODP_OK)
        status = compare_layouts(g, old, now, r, windows);
    json_decref(was);
    json_decref(is);
    return status;
}

static enum odp_status compare_resource(struct gate *g, const json_t *entry, const json_t *was, const struct odp_resource *r)
{
    const struct odp_dataset *d = r->dataset;
    const struct gate_subject s = {d->slug, r->name, NULL, d->file, r->where};
    const struct gate_window before = gate_window_of(was), now = {r->deprecated, r->sunset};
    const struct odp_text *title = odp_text_is_empty(&r->title) && r->primary ? &d->title : &r->title;
    struct gate_window windows[3] = {gate_window_of(entry), before, {NULL, NULL}};
    enum odp_status status = ODP_OK;
    /* The first one's title is mostly the dataset's, and then it was said there. */
    if (title == &r->title && text_differs(was, "title", title))
        status = gate_find_change(g, GATE_RESOURCE_TITLE, &s, r->name, NULL, NULL);
    if (status == ODP_OK && now.sunset != NULL && (before.sunset == NULL || strcmp(before.sunset, now.sunset) != 0))
        status = gate_find_change(g, GATE_RESOURCE_DEPRECATED, &s, r->name, now.sunset, NULL);
    else if (status == ODP_OK && now.sunset == NULL && before.sunset != NULL)
        status = gate_find_change(g, GATE_RESOURCE_KEPT, &s, r->name, NULL, NULL);
    if (status == ODP_OK)
        status = gate_window_moved(g, &s, before, now);
    if (status == ODP_OK)
        status = compare_schema(g, entry, r->primary ? "" : odp_doc_read_str(was, "name"), r, windows);
    return status;
}

/* The first resource is the first one's successor, whatever it is called: it answers at the same addresses. Others go by name.
 */
static enum odp_status compare_resources(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const json_t *list = json_object_get(entry, "resources");
    enum odp_status status = ODP_OK;
    for (size_t i = 1; i < json_array_size(list) && status == ODP_OK; i++) {
        const json_t *was = json_array_get(list, i);
        const char *name = odp_arena_str(g->arena, odp_doc_read_str(was, "name"));
        const struct gate_subject s = {d->slug, name, NULL, d->file, NULL};
        const struct gate_window windows[] = {gate_window_of(entry), gate_window_of(was)};
        struct odp_text text;
        bool there = false;
        for (size_t k = 1; k < d->nresources; k++)
            there = there || (strcmp(d->resources[k].name, name) == 0);
        if (there)
            continue;
        status = gate_find_change(g, GATE_RESOURCE_REMOVED, &s, name, NULL, &text);
        if (status == ODP_OK)
            status = gate_window_need(g, &s, "resource-removed", windows, 2, &text);
    }
    for (size_t k = 0; k < d->nresources && status == ODP_OK; k++) {
        const struct odp_resource *r = &d->resources[k];
        const json_t *was = k == 0 ? json_array_get(list, 0) : find_in(list, "name", r->name);
        if (k > 0 && was == json_array_get(list, 0))
            was = NULL;
        const struct gate_subject s = {d->slug, r->name, NULL, d->file, r->where};
        status = was != NULL ? compare_resource(g, entry, was, r)
                             : gate_find_change(g, GATE_RESOURCE_ADDED, &s, r->name, NULL, NULL);
    }
    return status;
}

/* ---- one dataset ---------------------------------------------------------------------------------------------------------
 */

static enum odp_status compare_formats(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const struct gate_subject s = {d->slug, NULL, NULL, d->file, NULL};
    const json_t *list = json_object_get(entry, "formats");
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < json_array_size(list) && status == ODP_OK; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        bool there = name == NULL;
        for (size_t k = 0; k < d->formats.n; k++)
            there = there || odp_slice_is(d->formats.item[k], name);
        if (!there)
            status = gate_find_change(g, GATE_FORMAT_REMOVED, &s, name, NULL, NULL);
    }
    for (size_t k = 0; k < d->formats.n && status == ODP_OK; k++) {
        bool there = false;
        for (size_t i = 0; i < json_array_size(list); i++) {
            const char *name = json_string_value(json_array_get(list, i));
            there = there || (name != NULL && odp_slice_is(d->formats.item[k], name));
        }
        if (!there)
            status = gate_find_change(g, GATE_FORMAT_ADDED, &s, d->formats.item[k].ptr, NULL, NULL);
    }
    return status;
}

static bool license_differs(const struct odp_catalog *c, const json_t *entry, const struct odp_dataset *d)
{
    const json_t *was = json_object_get(entry, "license"), *own = json_array_get(json_object_get(d->json, "licenses"), 0);
    if (own != NULL)
        return !json_equal(was, own);
    return strcmp(odp_doc_read_str(was, "name"), c->portal.license_name != NULL ? c->portal.license_name : "") != 0 ||
           strcmp(odp_doc_read_str(was, "path"), c->portal.license_path != NULL ? c->portal.license_path : "") != 0;
}

static enum odp_status compare_state(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const struct gate_subject s = {d->slug, NULL, NULL, d->file, NULL};
    bool was = strcmp(odp_doc_read_str(entry, "state"), "deprecated") == 0, is = d->state == ODP_STATE_DEPRECATED;
    const struct gate_window before = was ? gate_window_of(entry) : (struct gate_window){NULL, NULL},
                             now = is ? (struct gate_window){d->deprecated, d->sunset} : (struct gate_window){NULL, NULL};
    enum odp_status status = ODP_OK;
    if (was && !is)
        status = gate_find_change(g, GATE_DATASET_KEPT, &s, d->slug, NULL, NULL);
    else if (is && now.sunset != NULL &&
             (before.sunset == NULL || strcmp(before.sunset, now.sunset) != 0 ||
              strcmp(before.deprecated, now.deprecated) != 0))
        status = gate_find_change(g, GATE_DATASET_DEPRECATED, &s, d->slug, now.sunset, NULL);
    return status == ODP_OK ? gate_window_moved(g, &s, before, now) : status;
}

static enum odp_status compare_dataset(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    const struct gate_subject s = {d->slug, NULL, NULL, d->file, NULL};
    enum odp_status status = compare_formats(g, entry, d);
    if (status == ODP_OK)
        status = compare_state(g, entry, d);
    if (status == ODP_OK && text_differs(entry, "title", &d->title))
        status = gate_find_change(g, GATE_TITLE, &s, d->slug, NULL, NULL);
    if (status == ODP_OK && text_differs(entry, "description", &d->description))
        status = gate_find_change(g, GATE_DESCRIPTION, &s, d->slug, NULL, NULL);
    if (status == ODP_OK && license_differs(g->catalog, entry, d))
        status = gate_find_change(g, GATE_LICENSE, &s, d->slug, NULL, NULL);
    return status == ODP_OK ? compare_resources(g, entry, d) : status;
}

/* ---- addresses -----------------------------------------------------------------------------------------------------------
 */

/* The dataset that answers at SLUG, or takes it over: by name, or as a former slug. */
static const struct odp_dataset *owner_of(const struct odp_catalog *c, const char *slug, const struct odp_former_slug **former)
{
    *former = NULL;
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        if (is_live(d) && strcmp(d->slug, slug) == 0)
            return d;
        for (size_t k = 0; is_live(d) && k < d->nformer; k++)
            if (strcmp(d->former[k].slug, slug) == 0) {
                *former = &d->former[k];
                return d;
            }
    }
    return NULL;
}

/* The dataset of that name in whatever state, or NULL. */
static const struct odp_dataset *named(const struct odp_catalog *c, const char *slug)
{
    const struct odp_dataset *d = odp_catalog_find(c, slug);
    return d != NULL && !d->reference ? d : NULL;
}

/* A published dataset that is no longer at its address: withdrawn, renamed, or gone. */
static enum odp_status take_gone(struct gate *g, const json_t *entry, const char *slug)
{
    const struct odp_former_slug *former;
    const struct odp_dataset *heir = owner_of(g->catalog, slug, &former), *same = named(g->catalog, slug);
    const struct odp_dataset *at = heir != NULL ? heir : same;
    const struct gate_subject s = {at != NULL ? at->slug : slug, NULL, NULL, at != NULL ? at->file : NULL, NULL};
    const struct gate_window window = gate_window_of(entry);
    struct odp_text text;
    if (heir != NULL)
        return former != NULL ? gate_find_change(g, GATE_DATASET_RENAMED, &s, slug, heir->slug, NULL) : ODP_OK;
    if (same != NULL && same->state == ODP_STATE_WITHDRAWN)
        return gate_find_change(g, GATE_DATASET_WITHDRAWN, &s, slug, NULL, NULL);
    enum odp_status status = gate_find_change(g, GATE_DATASET_REMOVED, &s, slug, NULL, &text);
    return status == ODP_OK ? gate_window_need(g, &s, "dataset-removed", &window, 1, &text) : status;
}

/* The addresses that a published dataset had before; each answers until its sunset, unless what it leads to was withdrawn. */
static enum odp_status compare_former(struct gate *g, const json_t *entry, const char *slug)
{
    const json_t *list = json_object_get(entry, "odp:formerSlugs");
    const struct odp_dataset *same = named(g->catalog, slug);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < json_array_size(list) && status == ODP_OK; i++) {
        const struct odp_former_slug *now;
        const char *old = odp_arena_str(g->arena, odp_doc_read_str(json_array_get(list, i), "slug"));
        const char *sunset = odp_doc_read_str(json_array_get(list, i), "sunset");
        const struct gate_window before = {sunset, *sunset != '\0' ? sunset : NULL};
        const struct odp_dataset *d = owner_of(g->catalog, old, &now);
        const struct gate_subject s = {d != NULL ? d->slug : slug, NULL, NULL,
                                       d != NULL      ? d->file
                                       : same != NULL ? same->file
                                                      : NULL,
                                       NULL};
        struct odp_text text;
        if (d != NULL && now != NULL) {
            status = gate_window_moved(g, &s, before, (struct gate_window){now->sunset, now->sunset});
        } else if (d == NULL && !(same != NULL && same->state == ODP_STATE_WITHDRAWN)) {
            status = gate_find_change(g, GATE_ADDRESS_REMOVED, &s, old, NULL, &text);
            if (status == ODP_OK)
                status = gate_window_need(g, &s, "address-removed", &before, 1, &text);
        }
    }
    return status;
}

static bool is_former_of(const json_t *entry, const char *slug)
{
    return find_in(json_object_get(entry, "odp:formerSlugs"), "slug", slug) != NULL;
}

/* Addresses that D has taken over now: their end must lie ahead. */
static enum odp_status compare_new_former(struct gate *g, const json_t *entry, const struct odp_dataset *d)
{
    enum odp_status status = ODP_OK;
    for (size_t k = 0; k < d->nformer && status == ODP_OK; k++) {
        const struct gate_subject s = {d->slug, NULL, NULL, d->file, NULL};
        if (!is_former_of(entry, d->former[k].slug))
            status = gate_window_moved(g, &s, (struct gate_window){NULL, NULL},
                                       (struct gate_window){d->former[k].sunset, d->former[k].sunset});
    }
    return status;
}

enum odp_status gate_compare(struct gate *g)
{
    const struct odp_catalog *c = g->catalog;
    const json_t *data = json_object_get(g->index, "data");
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        if (g->only != NULL && !g->only[i])
            continue;
        const json_t *entry = is_live(d) ? find_in(data, "slug", d->slug) : NULL;
        for (size_t k = 0; k < d->nformer && is_live(d) && entry == NULL; k++)
            entry = find_in(data, "slug", d->former[k].slug); /* renamed: said below, once */
        const struct gate_subject s = {d->slug, NULL, NULL, d->file, NULL};
        if (is_live(d))
            status =
                entry != NULL ? compare_dataset(g, entry, d) : gate_find_change(g, GATE_DATASET_ADDED, &s, d->slug, NULL, NULL);
        if (status == ODP_OK && is_live(d))
            status = compare_new_former(g, entry, d);
    }
    for (size_t i = 0; i < json_array_size(data) && status == ODP_OK; i++) {
        const json_t *entry = json_array_get(data, i);
        const char *slug = odp_arena_str(g->arena, odp_doc_read_str(entry, "slug"));
        status = take_gone(g, entry, slug);
        if (status == ODP_OK)
            status = compare_former(g, entry, slug);
    }
    return status;
}
