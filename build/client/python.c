/* Stub, so that the tree links: the Python helper overwrites this file. */
#include "client/parts.h"

static enum odp_status put(struct client_tree *t, const char *path, const char *text)
{
    return path != NULL && text != NULL ? client_tree_add(t, path, odp_slice_of(text)) : ODP_FAIL;
}

static enum odp_status write_files(struct client_tree *t, const struct client_model *m)
{
    const char *name = m->names->package[ODP_CLIENT_PYTHON];
    (void)name;
    enum odp_status status = client_tree_add_sources(t, m, ODP_CLIENT_PYTHON, "");
    const char *info = odp_arena_printf(t->arena, "%s-%s.dist-info/", m->names->module[ODP_CLIENT_PYTHON], m->release);
    if (status == ODP_OK && info == NULL)
        return ODP_FAIL;
    if (status == ODP_OK)
        status = put(t, odp_arena_printf(t->arena, "%sMETADATA", info), odp_arena_printf(t->arena, "Metadata-Version: 2.1\nName: %s\nVersion: %s\nRequires-Python: >=3.9\n\n", name, m->release));
    if (status == ODP_OK)
        status = put(t, odp_arena_printf(t->arena, "%sWHEEL", info), "Wheel-Version: 1.0\nGenerator: odp-build\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
    return status;
}

static enum odp_status accessor(struct odp_buffer *out, const char *slug)
{
    client_snake(out, slug);
    return odp_buffer_status(out);
}

const struct client_language client_python = {
    .name = "python", .label = "Python", .requires = "Python 3.9+", .extension = ".py", .write = write_files, .accessor = accessor, .readme = NULL};
