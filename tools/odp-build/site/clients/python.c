/* The Python package: a wheel of the library's own source, _about.py, datasets.py and what installers read (RECORD is the packer's). */
#include "site/clients/python_internal.h"

static enum odp_status put(struct client_tree *t, const char *path, const struct odp_buffer *b)
{
    if (path == NULL || odp_buffer_status(b) != ODP_OK)
        return ODP_FAIL;
    return client_tree_add(t, path, odp_buffer_slice(b));
}

static void constant(struct odp_buffer *out, const char *name, const char *value)
{
    odp_buffer_printf(out, "%s = ", name);
    python_string(out, value);
    odp_buffer_add_char(out, '\n');
}

static enum odp_status add_about(struct client_tree *t, const struct client_model *m)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, "\"\"\"What this package was made for.\"\"\"\n\n");
    constant(&b, "PACKAGE", m->names->package[ODP_CLIENT_PYTHON]);
    constant(&b, "RELEASE", m->release);
    constant(&b, "RELEASE_DATE", m->release_date);
    constant(&b, "BASE_URL", m->base_url);
    enum odp_status status = put(t, odp_arena_printf(t->arena, "%s/_about.py", m->names->module[ODP_CLIENT_PYTHON]), &b);
    odp_buffer_release(&b);
    return status;
}

static enum odp_status add_datasets(struct client_tree *t, const struct client_model *m)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    enum odp_status status = python_datasets(&b, m);
    if (status == ODP_OK)
        status = put(t, odp_arena_printf(t->arena, "%s/datasets.py", m->names->module[ODP_CLIENT_PYTHON]), &b);
    odp_buffer_release(&b);
    return status;
}

/* One header of METADATA; left out where it would be empty. */
static void header(struct odp_buffer *out, const char *name, const char *before, const char *value)
{
    if (*value == '\0')
        return;
    odp_buffer_printf(out, "%s: %s", name, before);
    client_prose(out, value);
    odp_buffer_add_char(out, '\n');
}

/* Core metadata 2.1: the description is the README. */
static enum odp_status add_metadata(struct client_tree *t, const struct client_model *m, const char *folder)
{
    static const char *const classifiers[] = {"Intended Audience :: Developers", "Intended Audience :: Science/Research", "Operating System :: OS Independent",
                                              "Programming Language :: Python :: 3", "Programming Language :: Python :: 3 :: Only", "Typing :: Typed"};
    struct odp_buffer b;
    odp_buffer_init(&b);
    header(&b, "Metadata-Version", "", "2.1");
    header(&b, "Name", "", m->names->package[ODP_CLIENT_PYTHON]);
    header(&b, "Version", "", m->release);
    header(&b, "Summary", "Client of: ", odp_text_get(&m->title, ODP_LANG_EN));
    header(&b, "Author", "", odp_text_get(&m->publisher, ODP_LANG_EN));
    header(&b, "License", "", "Apache-2.0");
    header(&b, "Project-URL", "Portal, ", m->base_url);
    for (size_t i = 0; i < sizeof classifiers / sizeof *classifiers; i++)
        header(&b, "Classifier", "", classifiers[i]);
    header(&b, "Requires-Python", "", ">=3.9");
    header(&b, "Description-Content-Type", "", "text/markdown; charset=UTF-8");
    odp_buffer_add_char(&b, '\n');
    enum odp_status status = client_readme(&b, m, ODP_CLIENT_PYTHON, ODP_LANG_EN);
    if (status == ODP_OK)
        status = put(t, odp_arena_printf(t->arena, "%sMETADATA", folder), &b);
    odp_buffer_clear(&b);
    if (status == ODP_OK)
        status = client_readme(&b, m, ODP_CLIENT_PYTHON, ODP_LANG_ID);
    if (status == ODP_OK)
        status = put(t, odp_arena_printf(t->arena, "%sREADME.id.md", folder), &b);
    odp_buffer_release(&b);
    return status;
}

enum odp_status client_write_python(struct client_tree *t, const struct client_model *m)
{
    struct odp_buffer name;
    odp_buffer_init(&name);
    client_normal(&name, m->names->package[ODP_CLIENT_PYTHON], '_');
    const char *folder = odp_buffer_status(&name) == ODP_OK ? odp_arena_printf(t->arena, "%s-%s.dist-info/", odp_buffer_cstr(&name), m->release) : NULL;
    odp_buffer_release(&name);
    if (folder == NULL)
        return ODP_FAIL;
    enum odp_status status = client_tree_add_sources(t, m, ODP_CLIENT_PYTHON, "");
    if (status == ODP_OK)
        status = add_about(t, m);
    if (status == ODP_OK)
        status = add_datasets(t, m);
    if (status == ODP_OK)
        status = add_metadata(t, m, folder);
    if (status != ODP_OK)
        return status;
    const char *wheel = odp_arena_printf(t->arena, "%sWHEEL", folder);
    return wheel != NULL ? client_tree_add(t, wheel, ODP_LIT("Wheel-Version: 1.0\nGenerator: odp-build\nRoot-Is-Purelib: true\nTag: py3-none-any\n")) : ODP_FAIL;
}
