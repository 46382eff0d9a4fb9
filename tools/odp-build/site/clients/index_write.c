/* packages/index.json in order, and from it the indexes of the three. */
#include "site/clients/index_internal.h"

#include <errno.h>
#include <stdlib.h>

static int language_of(const json_t *package)
{
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        if (strcmp(client_index_text(package, "language"), client_languages[l].name) == 0)
            return l;
    return ODP_CLIENT_LANGUAGES; /* of a newer program: kept, in no index */
}

static int newest_first(const char *a, const char *b)
{
    uint64_t x[3] = {0}, y[3] = {0};
    (void)odp_release_numbers(a, x);
    (void)odp_release_numbers(b, y);
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? 1 : -1;
    return strcmp(b, a);
}

static int in_order(const void *a, const void *b)
{
    const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
    int c = language_of(x) - language_of(y);
    if (c == 0)
        c = strcmp(client_index_text(x, "language"), client_index_text(y, "language"));
    if (c == 0)
        c = strcmp(client_index_text(x, "name"), client_index_text(y, "name"));
    return c != 0 ? c : newest_first(client_index_text(x, "version"), client_index_text(y, "version"));
}

/* All packages in order, in A. NULL without memory. */
static const json_t **sort(const json_t *packages, struct odp_arena *a)
{
    size_t n = json_array_size(packages);
    const json_t **list = odp_arena_array(a, n + 1, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = json_array_get(packages, i);
    if (n > 1)
        qsort(list, n, sizeof *list, in_order);
    return list;
}

/* ---- packages/index.json ---- */

static enum odp_status put_list(struct client_listing *all, const struct odp_client_names *names)
{
    json_t *o = json_object(), *current = json_object(), *packages = json_array();
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        odp_doc_set_str(&all->doc, current, client_languages[l].name, names->package[l]);
    for (size_t i = 0; i < all->n; i++)
        odp_doc_add(&all->doc, packages,
                    json_incref((json_t *)(uintptr_t)all->list[i])); /* counts a reference, no more */
    odp_doc_set(&all->doc, o, "current", current);
    odp_doc_set(&all->doc, o, "packages", packages);
    return client_index_put_take(all, "packages/index.json", o);
}

enum odp_status client_index_write(json_t *packages, const struct odp_client_job *job)
{
    static enum odp_status (*const writers[ODP_CLIENT_LANGUAGES])(struct client_listing *) = {
        [ODP_CLIENT_JAVASCRIPT] = client_index_npm,
        [ODP_CLIENT_PYTHON] = client_index_pip,
        [ODP_CLIENT_PHP] = client_index_composer};
    struct odp_arena arena;
    struct odp_client_names names;
    odp_arena_init(&arena);
    struct client_listing all = {
        .job = job, .arena = &arena, .list = sort(packages, &arena), .n = json_array_size(packages)};
    enum odp_status status = all.list != NULL ? odp_client_names(&names, job->catalog, &arena) : ODP_FAIL;
    if (status == ODP_OK)
        status = put_list(&all, &names);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES && status == ODP_OK; l++) {
        struct client_listing one = {.job = job, .arena = &arena, .list = all.list, .n = 0};
        while (one.list < all.list + all.n && language_of(*one.list) != l)
            one.list++;
        while (one.list + one.n < all.list + all.n && language_of(one.list[one.n]) == l)
            one.n++;
        if (one.n > 0)
            status = writers[l](&one);
    }
    odp_arena_release(&arena);
    return status;
}
