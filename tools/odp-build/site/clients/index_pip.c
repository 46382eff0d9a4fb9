/* simple/: the Simple repository API of Python (PEP 503, 658, 714) as pages, which is the one form that a plain web server can give. */
#include "site/clients/index_internal.h"

#include "base/html.h"

static void begin_page(struct odp_buffer *out, const char *title)
{
    odp_buffer_add_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    odp_html_text(out, title);
    odp_buffer_add_str(out, "</title>\n</head>\n<body>\n<h1>");
    odp_html_text(out, title);
    odp_buffer_add_str(out, "</h1>\n<ul>\n");
}

static enum odp_status put_page(struct client_listing *l, const char *path, struct odp_buffer *out)
{
    odp_buffer_add_str(out, "</ul>\n</body>\n</html>\n");
    enum odp_status status = path != NULL ? odp_buffer_status(out) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_stage_put(l->job->stage, path, "text/html; charset=utf-8", ODP_CLASS_PUBLIC, odp_buffer_slice(out));
    odp_buffer_clear(out);
    return status;
}

/* The attribute of PEP 714 alone: pip before 23.2 reads the older one (data-dist-info-metadata), and then refuses a name that the user spells another way. */
static void add_file(struct odp_buffer *out, const json_t *package)
{
    const char *file = client_index_text(package, "file"), *metadata = client_index_text(package, "metadata");
    const char *requires = client_index_text(package, "requires_python"), *name = strrchr(file, '/');
    odp_buffer_add_str(out, "<li><a href=\"../../");
    odp_html_text(out, file);
    odp_buffer_add_str(out, "#sha256=");
    odp_html_text(out, client_index_text(package, "sha256"));
    if (*requires != '\0') {
        odp_buffer_add_str(out, "\" data-requires-python=\"");
        odp_html_text(out, requires);
    }
    if (*metadata != '\0') {
        odp_buffer_add_str(out, "\" data-core-metadata=\"sha256=");
        odp_html_text(out, metadata);
    }
    odp_buffer_add_str(out, "\">");
    odp_html_text(out, name != NULL ? name + 1 : file);
    odp_buffer_add_str(out, "</a></li>\n");
}

/* "odp-client" of L's package I, in the arena; NULL without memory. */
static const char *folder_of(struct client_listing *l, size_t i)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    client_normal(&out, client_index_text(l->list[i], "name"), '-');
    const char *name = odp_buffer_status(&out) == ODP_OK ? odp_arena_str(l->arena, odp_buffer_cstr(&out)) : NULL;
    odp_buffer_release(&out);
    return name;
}

/* The page of NAME: names that differ in their signs alone are one, and may stand apart in the list. */
static enum odp_status put_package(struct client_listing *l, const char *const *names, size_t at, struct odp_buffer *out)
{
    begin_page(out, names[at]);
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(names[i], names[at]) == 0)
            add_file(out, l->list[i]);
    return put_page(l, odp_arena_printf(l->arena, "simple/%s/index.html", names[at]), out);
}

static bool is_first(const char *const *names, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(names[i], names[at]) == 0)
            return false;
    return true;
}

enum odp_status client_index_pip(struct client_listing *l)
{
    const char **names = odp_arena_array(l->arena, l->n + 1, sizeof *names);
    struct odp_buffer out, root;
    enum odp_status status = names != NULL ? ODP_OK : ODP_FAIL;
    odp_buffer_init(&out);
    odp_buffer_init(&root);
    for (size_t i = 0; i < l->n && status == ODP_OK; i++)
        status = (names[i] = folder_of(l, i)) != NULL ? ODP_OK : ODP_FAIL;
    begin_page(&root, "Python packages");
    for (size_t i = 0; i < l->n && status == ODP_OK; i++) {
        if (!is_first(names, i))
            continue;
        odp_buffer_add_str(&root, "<li><a href=\"");
        odp_html_text(&root, names[i]);
        odp_buffer_add_str(&root, "/\">");
        odp_html_text(&root, names[i]);
        odp_buffer_add_str(&root, "</a></li>\n");
        status = put_package(l, names, i, &out);
    }
    if (status == ODP_OK)
        status = put_page(l, "simple/index.html", &root);
    odp_buffer_release(&out);
    odp_buffer_release(&root);
    return status;
}
