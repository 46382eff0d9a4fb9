/* Foreign keys find their targets once every descriptor has been read. A target whose descriptor is bad has
 * been reported already: keys into it are left out without a word. */
#include "catalog/catalog_internal.h"

#include <stdio.h>

static bool is_name(const char *name, const char *s, size_t len)
{
    return strlen(name) == len && memcmp(name, s, len) == 0;
}

/* By its path: keys call code lists "references/…". */
static struct entry *find_entry(struct entry *entries, size_t n, const char *path, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (is_name(entries[i].dataset.path, path, len))
            return &entries[i];
    return NULL;
}

/* By its slug, whose addresses are a code list's too. */
static const struct entry *find_heir(const struct entry *entries, size_t n, const char *slug)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(entries[i].dataset.slug, slug) == 0)
            return &entries[i];
    return NULL;
}

/* HEIR: meant by its slug; else by its path. */
static void unknown_dataset(struct node n, struct entry *entries, size_t count, const char *slug, bool heir)
{
    struct odp_slice *among = doc_zero(n.doc, count, sizeof *among);
    for (size_t i = 0; i < count; i++)
        among[i] = odp_slice_of(heir ? entries[i].dataset.slug : entries[i].dataset.path);
    int near = odp_meant(odp_slice_of(slug), among, count);
    node_fault_near(n, ODP_C14, slug, near >= 0 ? among[near].ptr : "—", near >= 0 ? among[near].ptr : NULL);
}

void resource_unknown(struct node n, const struct odp_dataset *d, const char *name)
{
    size_t shown = d->nresources < 40 ? d->nresources : 40;
    const char **names = doc_zero(n.doc, shown, sizeof *names);
    for (size_t i = 0; i < shown; i++)
        names[i] = odp_resource_said(&d->resources[i]);
    node_fault(n, ODP_C07, name, doc_join(n.doc, names, shown));
}

struct odp_resource *resource_find(const struct odp_dataset *d, const char *name)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (strcmp(odp_resource_said(&d->resources[i]), name) == 0)
            return &d->resources[i];
    return NULL;
}

struct odp_resource *resource_of(const struct odp_dataset *d, const json_t *json)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (d->resources[i].json == json)
            return &d->resources[i];
    return NULL;
}

struct odp_resource *edition_find(const struct odp_dataset *list, const char *prefix)
{
    struct odp_resource *found = NULL;
    size_t hits = 0;
    for (size_t i = 0; i < list->nresources; i++) {
        struct odp_resource *r = &list->resources[i];
        if (prefix != NULL && strcmp(r->edition, prefix) == 0)
            return r;
        if (prefix != NULL && *prefix != '\0' && strncmp(r->edition, prefix, strlen(prefix)) == 0) {
            found = r;
            hits++;
        }
    }
    if (prefix == NULL)
        return list->nresources > 0 ? &list->resources[0] : NULL;
    return hits == 1 ? found : NULL;
}

/* FOUND; NULL is reported, if TARGET was understood. */
static struct odp_resource *found_in(struct node at, const struct entry *target, struct odp_resource *found,
                                     const char *name)
{
    if (found == NULL && !target->left_out)
        resource_unknown(at, &target->dataset, name);
    return found;
}

/* odp:foreignKeys: reference.dataset is a slug or "references/list@edition". */
static struct odp_resource *find_across(struct node reference, struct entry *entries, size_t n,
                                        struct entry **target)
{
    struct node dataset = node_get(reference, "dataset"), resource = node_get(reference, "resource");
    const char *slug = node_string(dataset), *name = node_string(resource);
    if (slug == NULL)
        return NULL;
    const char *at = strncmp(slug, "references/", 11) == 0 ? strchr(slug, '@') : NULL;
    *target = find_entry(entries, n, slug, at != NULL ? (size_t)(at - slug) : strlen(slug));
    if (*target == NULL) {
        unknown_dataset(dataset, entries, n, slug, false);
        return NULL;
    }
    if ((*target)->dataset.reference) {
        (void)node_misplaced(resource, "references/…@…");
        return found_in(dataset, *target, edition_find(&(*target)->dataset, at != NULL ? at + 1 : NULL),
                        at != NULL ? at + 1 : NULL);
    }
    if (name != NULL)
        return found_in(resource, *target, resource_find(&(*target)->dataset, name), name);
    if ((*target)->dataset.nresources == 0)
        return NULL; /* reported there */
    return &(*target)->dataset.resources[0];
}

/* foreignKeys of Table Schema: reference.resource of this package; absent or "" (v1) is the resource itself.
 */
static struct odp_resource *find_within(const struct pending_key *p, struct node reference,
                                        struct entry *self)
{
    struct node resource = node_get(reference, "resource");
    const char *name = node_string(resource);
    if (resource.json == NULL || (name != NULL && *name == '\0'))
        return p->resource;
    return name != NULL ? found_in(resource, self, resource_find(&self->dataset, name), name) : NULL;
}

/* Keys are compared by canonical text (numbers by value): the types must be of one kind. */
bool types_fit(enum odp_type a, enum odp_type b)
{
    return a == b || (odp_type_is_number(a) && odp_type_is_number(b)) ||
           (odp_type_is_text(a) && odp_type_is_text(b));
}

static bool check_fit(const struct pending_key *p, const struct entry *self,
                      const struct odp_resource *target, const struct odp_key *remote)
{
    char counts[64];
    struct doc *d = p->key.doc;
    if (p->local.n != remote->n) {
        snprintf(counts, sizeof counts, "%u = %u", p->local.n, p->local.n);
        node_fault(p->key, ODP_C15, doc_printf(d, "%u ≠ %u", p->local.n, remote->n), counts);
        return false;
    }
    for (uint32_t i = 0; i < remote->n; i++) {
        const struct odp_field *a = &p->resource->schema.fields[p->local.fields[i]],
                               *b = &target->schema.fields[remote->fields[i]];
        if (a->document != NULL || b->document != NULL) { /* its published values are others */
            node_fault(p->key, ODP_C16, "foreignKeys", "odp:document");
            return false;
        }
        bool unsure = self->left_out &&
                      (a->type == ODP_TYPE_ANY || b->type == ODP_TYPE_ANY); /* a type that was wrong */
        if (types_fit(a->type, b->type) || unsure)
            continue;
        node_fault(p->key, ODP_C15,
                   doc_printf(d, "%s (%s) → %s (%s)", a->name, odp_type_name(a->type), b->name,
                              odp_type_name(b->type)),
                   odp_type_name(b->type));
        return false;
    }
    return true;
}

static const char *label_of(struct doc *d, const struct entry *target, const struct odp_resource *r,
                            const struct odp_resource *from)
{
    const char *slug = target->dataset.path;
    if (target->dataset.reference && r != from)
        return doc_printf(d, "%s (%s)", slug,
                          r->edition_date != NULL ? r->edition_date
                                                  : r->edition); /* the same in both languages */
    if (r == &target->dataset.resources[0])
        return slug;
    return doc_printf(d, "%s/%s", slug, odp_resource_said(r));
}

static void resolve(struct pending_key *p, struct entry *self, struct entry *entries, size_t n)
{
    static const struct key within[] = {KNOWN("resource"), {"fields", .need = "[string]"}},
                            across[] = {{"dataset", .need = "slug, references/…@…"},
                                        KNOWN("resource"),
                                        {"fields", .need = "[string]"}};
    struct doc *d = p->key.doc;
    d->resource = odp_resource_said(p->resource);
    struct node reference = node_get(p->key, "reference"), fields;
    struct entry *target = self;
    (void)object_read(reference, p->across ? &TABLE(across) : &TABLE(within), NULL);
    fields = node_get(reference, "fields");
    struct odp_resource *r =
        p->across ? find_across(reference, entries, n, &target) : find_within(p, reference, self);
    if (r == NULL || fields.json == NULL || (target != self && target->left_out) || r->schema.n == 0)
        return;
    struct odp_key remote = {0};
    if (!key_read(fields, &r->schema, &remote) || !check_fit(p, self, r, &remote))
        return;
    struct odp_foreign_key *key = &p->resource->foreign[p->resource->nforeign++];
    *key = (struct odp_foreign_key){.local = p->local, .target = r, .remote = remote, .where = p->where};
    key->label = label_of(d, target, r, p->resource);
}

void foreign_keys_resolve(struct entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++)
        entries[i].left_out = entries[i].doc.bad;
    for (size_t i = 0; i < n; i++) {
        struct doc *d = &entries[i].doc;
        for (struct pending_key *p = entries[i].keys; p != NULL; p = p->next)
            if (p->resource->foreign != NULL)
                resolve(p, &entries[i], entries, n);
        d->resource = NULL;
        struct node heir = node_get(doc_root(d), "odp:replacedBy");
        const char *slug = json_string_value(heir.json);
        const struct entry *found = slug != NULL ? find_heir(entries, n, slug) : NULL;
        if (slug != NULL && found == NULL)
            unknown_dataset(heir, entries, n, slug, true);
        else if (found == &entries[i])
            node_fault(heir, ODP_C16, "odp:replacedBy", "name");
    }
}

/* ---- the order in which resources are checked ----
 * Targets of foreign keys before those that refer to them, code lists with all their editions, since a code
 * may have its name in another one; and boundaries before those whose places they draw. */

static bool target_done(const struct odp_resource *r, const struct odp_resource *target, const bool *done)
{
    const struct odp_dataset *list = target->dataset;
    for (size_t i = 0; list->reference && list != r->dataset && i < list->nresources; i++)
        if (!done[list->resources[i].index])
            return false;
    return target == r || done[target->index];
}

static bool targets_done(const struct odp_catalog *c, const struct odp_resource *r, const bool *done)
{
    const struct odp_resource *drawn = !r->dataset->reference ? odp_boundaries_for(c, r) : NULL;
    for (size_t k = 0; k < r->nforeign; k++)
        if (!target_done(r, r->foreign[k].target, done))
            return false;
    return drawn == NULL || done[drawn->index];
}

/* Again and again the first resource whose targets have had their turn; in a cycle simply the first. */
void order_resources(struct odp_catalog *c)
{
    bool *done = odp_arena_zero(&c->arena, c->nresources + 1, sizeof *done);
    c->order = odp_arena_zero(&c->arena, c->nresources + 1, sizeof *c->order);
    size_t first = 0; /* all before it are done */
    for (size_t n = 0; n < c->nresources; n++) {
        while (done[first])
            first++;
        size_t next = first;
        while (next < c->nresources && (done[next] || !targets_done(c, c->resources[next], done)))
            next++;
        if (next == c->nresources)
            next = first;
        done[next] = true;
        c->order[n] = c->resources[next];
    }
}
