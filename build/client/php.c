/* Stub, so that the tree links: the PHP helper overwrites this file. */
#include "client/parts.h"

static enum odp_status put(struct client_tree *t, const char *path, const char *text)
{
    return path != NULL && text != NULL ? client_tree_add(t, path, odp_slice_of(text)) : ODP_FAIL;
}

static enum odp_status write_files(struct client_tree *t, const struct client_model *m)
{
    const char *name = m->names->package[ODP_CLIENT_PHP];
    (void)name;
    enum odp_status status = client_tree_add_sources(t, m, ODP_CLIENT_PHP, "");
    if (status == ODP_OK)
        status = put(t, "composer.json", odp_arena_printf(t->arena, "{\"name\": \"%s\", \"type\": \"library\", \"license\": \"Apache-2.0\", \"require\": {\"php\": \">=8.1\"}, \"autoload\": {\"psr-4\": {\"Odp\\\\Client\\\\\": \"src/\"}}}\n", name));
    return status;
}

static enum odp_status accessor(struct odp_buffer *out, const char *slug)
{
    client_camel(out, slug);
    return odp_buffer_status(out);
}

const struct client_language client_php = {
    .name = "php", .label = "PHP", .requires = "PHP 8.1+", .extension = ".php", .write = write_files, .accessor = accessor, .readme = ""};
