/* A catalogue opened: every file of it is read and checked in one run, then datasets, code lists and
 * resources find their places, and rules across datasets, which point at those, come last. What has been
 * understood is in the arrays even where something is wrong. */
#include <errno.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/path.h"
#include "catalog/catalog.h"
#include "catalog/catalog_internal.h"

#define REFERENCES "references"

/* The state of reading a catalogue; SCRATCH is gone when it is open. */
struct opening {
    struct catalog_own *own;
    struct odp_diags *diags;
    struct odp_arena scratch;
    struct entry *entries;
    size_t n, cap;
    bool bad;
};

static enum odp_status doc_status(const struct doc *d)
{
    return d->failed ? ODP_FAIL : odp_arena_status(d->arena);
}

static struct doc new_doc(const struct opening *o, const char *slug)
{
    return (struct doc){.slug = slug,
                        .diags = o->diags,
                        .arena = &o->own->c.arena,
                        .own = o->own,
                        .portal = &o->own->c.portal,
                        .within = o->own->c.root,
                        .opening = o};
}

/* A fault of the folder at PATH, by errno. */
static enum odp_status folder_fault(struct opening *o, const char *path)
{
    const bool none = errno == ENOENT;
    struct odp_diag diag = {.code = none ? ODP_I06 : ODP_C02,
                            .file = path,
                            .args = {odp_slice_of(none ? path : strerrorname_np(errno))}};
    o->bad = true;
    return odp_diags_add(o->diags, &diag) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static void read_portal_file(struct doc *d, struct odp_catalog *c)
{
    portal_read(d, &c->portal);
}

static void read_theme_file(struct doc *d, struct odp_catalog *c)
{
    theme_read(d, c->dir, &c->theme);
}

/* Its rules hold pointers to resources, which must have found their places. */
static void read_rules_file(struct doc *d, struct odp_catalog *c)
{
    const struct opening *o = d->opening;
    cross_read(d, c, o->entries, o->n);
}

/* A link to nothing is there: it was meant to be something. */
static bool is_absent(const char *path)
{
    return odp_file_kind_of(path) == ODP_FILE_NONE && !odp_path_is_link(path);
}

/* Reads the file NAME next to the datasets. portal.json must exist; changes.json (no release yet), theme.json
 * and rules.json may be absent. */
static enum odp_status read_beside(struct opening *o, const char *name, bool required,
                                   void (*read)(struct doc *, struct odp_catalog *))
{
    struct odp_catalog *c = &o->own->c;
    char *path = odp_path_join(&c->arena, c->dir, name);
    if (!required && is_absent(path))
        return ODP_OK;
    struct doc d = new_doc(o, NULL);
    enum odp_status status = doc_open(&d, path, name);
    if (status == ODP_OK)
        read(&d, c);
    o->bad = o->bad || d.bad;
    doc_close(&d);
    return status == ODP_FAIL ? ODP_FAIL : doc_status(&d);
}

static enum odp_status read_dataset(struct opening *o, const char *folder, const char *name, bool reference)
{
    struct odp_catalog *c = &o->own->c;
    char *dir = odp_path_join(&c->arena, folder, name);
    char *path = odp_path_join(&c->arena, dir, "dataset.json");
    char *slug = odp_arena_str(&c->arena, name);
    if (is_absent(path))
        return ODP_OK;
    struct entry *e = &o->entries[o->n++];
    *e = (struct entry){.doc = new_doc(o, slug)};
    e->dataset =
        (struct odp_dataset){.slug = slug,
                             .path = reference ? odp_arena_printf(&c->arena, REFERENCES "/%s", name) : slug,
                             .reference = reference,
                             .dir = dir,
                             .root = c->root,
                             .file = path,
                             .order = INT64_MAX};
    enum odp_status status = doc_open(&e->doc, path, "dataset.json");
    if (status == ODP_OK)
        dataset_read(e, name);
    return status == ODP_FAIL ? ODP_FAIL : doc_status(&e->doc);
}

/* Every folder with a dataset.json in FOLDER; hidden ones are skipped. */
static enum odp_status read_folder(struct opening *o, const char *folder, const char *const *names, size_t n,
                                   bool reference)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; status == ODP_OK && i < n; i++)
        if (names[i][0] != '.' && (reference || strcmp(names[i], REFERENCES) != 0))
            status = read_dataset(o, folder, names[i], reference);
    return status;
}

/* Two datasets at one place of the catalogue. */
static void check_orders(struct entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            const struct odp_dataset *d = &entries[i].dataset, *before = &entries[k].dataset;
            if (d->reference || before->reference || d->order == INT64_MAX || d->order != before->order)
                continue;
            node_fault(node_get(doc_root(&entries[i].doc), "odp:order"), ODP_C40, before->slug, NULL);
            break;
        }
}

static enum odp_status read_all(struct opening *o)
{
    struct odp_catalog *c = &o->own->c;
    const char **names, **lists = NULL;
    size_t n, nlists = 0;
    enum odp_status status = odp_dir_list(c->dir, &o->scratch, &names, &n);
    if (status == ODP_BAD)
        return folder_fault(o, c->dir);
    char *references = odp_path_join(&c->arena, c->dir, REFERENCES);
    if (status != ODP_OK)
        return ODP_FAIL;
    if (odp_file_kind_of(references) != ODP_FILE_NONE)
        status = odp_dir_list(references, &o->scratch, &lists, &nlists);
    if (status == ODP_BAD) {
        nlists = 0;
        status = folder_fault(o, references);
    }
    o->entries = odp_arena_zero(&o->scratch, n + nlists + 1, sizeof *o->entries);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    status = read_beside(o, "portal.json", true, read_portal_file);
    if (status == ODP_OK)
        status = read_beside(o, "changes.json", false, changes_read);
    if (status == ODP_OK)
        status = read_beside(o, "theme.json", false, read_theme_file);
    if (status == ODP_OK)
        status = read_folder(o, c->dir, names, n, false);
    if (status == ODP_OK && nlists > 0)
        status = read_folder(o, references, lists, nlists, true);
    if (status == ODP_OK) {
        foreign_keys_resolve(o->entries, o->n);
        former_slugs_check(o->entries, o->n);
        check_orders(o->entries, o->n);
    }
    for (size_t i = 0; i < o->n; i++) {
        if (status == ODP_OK)
            search_resolve(&o->entries[i]);
        if (status == ODP_OK)
            charts_derive(&o->entries[i]);
        if (status == ODP_OK)
            labels_check(&o->entries[i]);
        if (status == ODP_OK)
            places_check(&o->entries[i]);
        o->bad = o->bad || o->entries[i].doc.bad;
        if (o->entries[i].doc.failed)
            status = ODP_FAIL;
    }
    return status;
}

static int by_order(const void *a, const void *b)
{
    const struct odp_dataset *x = a, *y = b;
    if (x->reference != y->reference)
        return y->reference ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return strcmp(x->slug, y->slug);
}

/* Numbers the resources; places of datasets do not change any more. */
static void number_resources(struct odp_catalog *c)
{
    size_t index = 0;
    c->resources = odp_arena_zero(&c->arena, c->nresources + 1, sizeof *c->resources);
    for (size_t i = 0; i < c->ndatasets; i++)
        for (size_t j = 0; j < c->datasets[i].nresources; j++) {
            struct odp_resource *r = &c->datasets[i].resources[j];
            r->dataset = &c->datasets[i];
            r->limits = &c->portal.limits;
            r->index = index;
            c->resources[index++] = r;
        }
}

/* What was understood goes into the catalogue's arrays. */
static enum odp_status arrange(struct opening *o)
{
    struct odp_catalog *c = &o->own->c;
    c->datasets = odp_arena_zero(&c->arena, o->n + 1, sizeof *c->datasets);
    for (size_t i = 0; i < o->n; i++) {
        const struct entry *e = &o->entries[i];
        if (e->left_out)
            continue;
        c->datasets[c->ndatasets++] = e->dataset;
        c->nlists += e->dataset.reference;
        c->nresources += e->dataset.nresources;
    }
    if (c->ndatasets > 1)
        qsort(c->datasets, c->ndatasets, sizeof *c->datasets, by_order);
    number_resources(c);
    order_resources(c);
    odp_catalog_link_places(c);
    odp_catalog_index(c);
    return odp_arena_status(&c->arena);
}

static enum odp_status open_catalog(struct odp_catalog **out, const char *dir, bool links,
                                    struct odp_diags *diags)
{
    *out = NULL;
    struct opening o = {.own = calloc(1, sizeof *o.own), .diags = diags};
    if (o.own == NULL)
        return odp_failure_set("allocate", dir, ENOMEM);
    struct odp_catalog *c = &o.own->c;
    odp_arena_init(&c->arena);
    odp_map_init(&c->slugs);
    odp_map_init(&c->fields);
    c->dir = odp_arena_str(&c->arena, dir);
    c->root = links ? NULL : c->dir;
    enum odp_status status = read_all(&o);
    if (status == ODP_OK)
        status = arrange(&o);
    if (status == ODP_OK)
        status = read_beside(&o, "rules.json", false, read_rules_file);
    for (size_t i = 0; i < o.n; i++)
        doc_close(&o.entries[i].doc);
    if (status == ODP_OK)
        status = odp_arena_status(&o.scratch);
    odp_arena_release(&o.scratch);
    if (status == ODP_OK)
        status = odp_memory_status();
    if (status != ODP_OK) {
        odp_catalog_close(c);
        return ODP_FAIL;
    }
    *out = c;
    return o.bad ? ODP_BAD : ODP_OK;
}

enum odp_status odp_catalog_open(struct odp_catalog **out, const char *dir, struct odp_diags *diags)
{
    return open_catalog(out, dir, false, diags);
}

enum odp_status odp_catalog_open_links(struct odp_catalog **out, const char *dir, struct odp_diags *diags)
{
    return open_catalog(out, dir, true, diags);
}

void odp_catalog_close(struct odp_catalog *c)
{
    if (c == NULL)
        return;
    struct catalog_own *own = (struct catalog_own *)(void *)c;
    for (struct own_item *i = own->json; i != NULL; i = i->next)
        json_decref(i->p);
    own_patterns_free(own);
    odp_map_release(&c->slugs);
    odp_map_release(&c->fields);
    odp_arena_release(&c->arena);
    free(own);
}
