/* changes.json: the releases of the catalogue as a contract. */
#include "catalog/catalog_internal.h"
#include "words/catalog.h"

static int newest_first(const void *a, const void *b)
{
    uint64_t x[3] = {0}, y[3] = {0};
    (void)odp_release_numbers(((const struct odp_release *)a)->version, x);
    (void)odp_release_numbers(((const struct odp_release *)b)->version, y);
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? 1 : -1;
    return 0;
}

static bool change_read(struct node n, void *into)
{
    return node_text(n, into);
}

static bool release_read(struct node n, void *into)
{
    static const struct list changes = {sizeof(struct odp_text), AT(odp_release, nchanges),
                                        .read = change_read};
    static const struct key keys[] = {
        {"version", KEY_STRING, .at = AT(odp_release, version), .need = "2.5.0"},
        {"date", KEY_DATE, .at = AT(odp_release, date), .need = "YYYY-MM-DD"},
        {"changes", KEY_LIST, .at = AT(odp_release, changes), .need = "[…]", .list = &changes},
    };
    struct odp_release *r = into;
    uint64_t numbers[3];
    if (!object_read(n, &TABLE(keys), r) || r->version == NULL)
        return false;
    if (!odp_release_numbers(r->version, numbers)) {
        struct node version = node_get(n, "version");
        node_say(version, ODP_C04, "x.y.z: 2.5.0", doc_text(n.doc, W_catalog_no_version, version.key));
        return false;
    }
    return r->date != NULL;
}

void changes_read(struct doc *d, struct odp_catalog *c)
{
    static const struct list releases = {sizeof(struct odp_release), AT(odp_catalog, nreleases), 0, 10000,
                                         .unique = "version",        .read = release_read};
    static const struct key keys[] = {
        KNOWN("$schema"),
        {"releases", KEY_LIST, .at = AT(odp_catalog, releases), .need = "[{…}]", .list = &releases}};
    if (object_read(doc_root(d), &TABLE(keys), c) && c->nreleases > 1)
        qsort(c->releases, c->nreleases, sizeof *c->releases, newest_first);
}
