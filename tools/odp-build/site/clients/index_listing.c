/* The packages of one language as its index tells them: what the three indexes share. */
#include "site/clients/index_internal.h"

#include <errno.h>

const char *client_index_text(const json_t *package, const char *key)
{
    const char *s = json_string_value(json_object_get(package, key));
    return s != NULL ? s : "";
}

size_t client_index_run(const struct client_listing *l, size_t at)
{
    size_t end = at + 1;
    while (end < l->n &&
           strcmp(client_index_text(l->list[at], "name"), client_index_text(l->list[end], "name")) == 0)
        end++;
    return end;
}

const char *client_index_address(const struct client_listing *l, const json_t *package)
{
    return odp_arena_printf(l->arena, "%s%s", l->job->catalog->portal.base_url,
                            client_index_text(package, "file"));
}

enum odp_status client_index_put_take(struct client_listing *l, const char *path, json_t *value)
{
    return odp_doc_put_take(l->job->stage, path, &l->doc, value);
}
