/* changes.json: the releases of the catalogue as a contract. */
#include "catalog/catalog_internal.h"

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

static void read_release(struct node n, struct odp_catalog *c)
{
    static const char *const known[] = {"version", "date", "changes", NULL};
    uint64_t numbers[3];
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    struct node version = node_need(n, "version", "2.5.0"), changes = node_need(n, "changes", "[…]");
    struct odp_release r = {.version = node_string(version), .date = node_date(node_need(n, "date", "YYYY-MM-DD"), false)};
    bool good = r.version != NULL && odp_release_numbers(r.version, numbers);
    if (r.version != NULL && !good)
        node_fault(version, ODP_C04, NULL, "2.5.0");
    if (node_is_array(changes)) {
        r.changes = doc_zero(n.doc, json_array_size(changes.json), sizeof *r.changes);
        for (struct node_iter it = node_iterate(changes); r.changes != NULL && node_next(&it);)
            r.nchanges += node_text(it.item, &r.changes[r.nchanges]) ? 1 : 0;
    }
    for (size_t i = 0; good && i < c->nreleases; i++)
        if (strcmp(c->releases[i].version, r.version) == 0) {
            node_fault(version, ODP_C08, r.version, NULL);
            good = false;
        }
    if (good && r.date != NULL)
        c->releases[c->nreleases++] = r;
}

void changes_read(struct doc *d, struct odp_catalog *c)
{
    static const char *const known[] = {"$schema", "releases", NULL};
    struct node n = doc_root(d);
    if (!node_is_object(n))
        return;
    node_known(n, known, true);
    struct node releases = node_need(n, "releases", "[{…}]");
    if (!node_is_array(releases))
        return;
    if (json_array_size(releases.json) > 10000) {
        node_fault(releases, ODP_C04, NULL, "[…] ≤ 10000");
        return;
    }
    c->releases = doc_zero(d, json_array_size(releases.json), sizeof *c->releases);
    for (struct node_iter it = node_iterate(releases); c->releases != NULL && node_next(&it);)
        read_release(it.item, c);
    if (c->nreleases > 1)
        qsort(c->releases, c->nreleases, sizeof *c->releases, newest_first);
}
