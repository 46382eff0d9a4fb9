/* Stub, so that the tree links: the JavaScript helper overwrites this file. */
#include "client/parts.h"

static enum odp_status put(struct client_tree *t, const char *path, const char *text)
{
    return path != NULL && text != NULL ? client_tree_add(t, path, odp_slice_of(text)) : ODP_FAIL;
}

static enum odp_status write_files(struct client_tree *t, const struct client_model *m)
{
    const char *name = m->names->package[ODP_CLIENT_JAVASCRIPT];
    (void)name;
    enum odp_status status = client_tree_add_sources(t, m, ODP_CLIENT_JAVASCRIPT, "package/");
    if (status == ODP_OK)
        status = put(t, "package/package.json", odp_arena_printf(t->arena, "{\"name\": \"%s\", \"version\": \"%s\", \"license\": \"Apache-2.0\", \"type\": \"module\", \"engines\": {\"node\": \">=18\"}}\n", name, m->release));
    return status;
}

static enum odp_status accessor(struct odp_buffer *out, const char *slug)
{
    client_camel(out, slug);
    return odp_buffer_status(out);
}

const struct client_language client_javascript = {
    .name = "javascript", .label = "JavaScript", .requires = "Node.js 18+", .extension = ".mjs", .write = write_files, .accessor = accessor, .readme = "package/"};
